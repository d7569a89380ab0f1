"""Recorded pages: each state says what the answers say under its choices, and the file holds no more than it needs."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from dataclasses import replace
from gzip import decompress
from html import unescape

import numpy as np
import pytest
from report_pages import Page

import calibviz as cv
from calibviz.answers.asked.presets import worst_class
from calibviz.answers.exports.recorded import BINS, MOST, moves_of, states_of
from calibviz.answers.situation.content import made_here
from calibviz.answers.subject import Alternative

pytestmark = pytest.mark.thorough

CATEGORIES = (0.0, 0.3, 0.7, 1.0)


def people(n=240):
    """A rare sort of people, for whom too little is predicted, and a field of three values."""
    rng = np.random.default_rng(5)
    site = np.array(["north", "south", "west"])[rng.integers(3, size=n)]
    score = rng.random(n)
    chance = np.where(site == "west", score**0.3, score)
    labels = (rng.random(n) < chance).astype(int)
    return cv.Predictions(
        np.stack([1 - score, score], axis=1), labels, class_names=["no", "yes"], fields={"site": site}
    )


def moves_in(explorer):
    """The choices that can be moved."""
    situation = explorer.situation
    return made_here(situation.engine.jobs, moves_of(situation), "page", progress=False)


def recorded_in(page):
    """What a page has recorded."""
    [packed] = re.findall(r'<script type="text/plain" id="recorded">(.*?)</script>', page)
    return json.loads(decompress(b64decode(packed)))


def part_of(page, name):
    """The part of a page that its script would put another one in the place of."""
    begun = page.index(f'<div id="part-{name}">') + len(f'<div id="part-{name}">')
    depth, at = 1, begun
    while depth:
        at = re.compile(r"<(/?)div[ >]").search(page, at).end()
        depth += -1 if page[:at].rpartition("<")[2].startswith("/") else 1
    return page[begun : page.rindex("</div", begun, at)]


@pytest.fixture(scope="module")
def explorer():
    shown = cv.Explorer(people(), panels=("reliability", "decision"), likert=CATEGORIES, title="People")
    yield shown
    shown.close()


@pytest.fixture(scope="module")
def page(explorer, tmp_path_factory):
    return explorer.to_html(tmp_path_factory.mktemp("recorded") / "page.html", progress=False).read_text("utf-8")


def test_each_state_says_what_a_fresh_view_says(explorer, page):
    held = recorded_in(page)
    moves = moves_in(explorer)
    assert [move["texts"] for move in held["moves"]] == [[one.text for one in move.positions] for move in moves]
    sorts = {move.name: move for move in moves}
    assert len(sorts["selection"].positions) == 4
    assert len(sorts["calibrator"].positions) == MOST[1]
    assert [position.text for position in sorts["lens"].positions] == ["class yes", "the likeliest class"]
    places = dict(states_of(explorer.situation, moves))
    assert set(held["states"]) == {",".join(map(str, place)) for place in places}
    # Crossed with each other, and the others one by one.
    alone = [move for move in moves if not move.is_crossed]
    assert len(places) == 4 * 3 * 2 + sum(len(move.positions) - 1 for move in alone)
    assert [move.name for move in alone] == ["bins", "threshold", "edge-1", "edge-2"]
    rng = np.random.default_rng(0)
    for place in [list(places)[i] for i in rng.choice(len(places), 6, replace=False)]:
        threshold = explorer.state.threshold  # a fresh view begins at an edge of its own categories
        chosen = dict(panels=("reliability", "decision"), likert=CATEGORIES, title="People", threshold=threshold)
        for move, position in zip(moves, place, strict=True):
            chosen |= move.positions[position].choices if position != move.start else {}
        fresh = cv.Explorer(people(), **chosen)
        said = fresh.verdict
        parts = [held["parts"][i] for i in held["states"][",".join(map(str, place))]]
        shown = dict(zip(held["names"], parts, strict=True))
        assert Page(shown["verdict"]).text.endswith("".join(said.lines))
        assert fresh.sentences["decision"].split(". ")[0] in Page(shown["decision"]).text
        fresh.close()


def test_a_page_begins_with_what_is_on_screen(page):
    held = recorded_in(page)
    start = ",".join(str(move["start"]) for move in held["moves"])
    assert next(iter(held["states"])) == start
    for name, part in zip(held["names"], held["states"][start], strict=True):
        assert part_of(page, name) == held["parts"][part]
    assert '<fieldset class="moves" hidden' in page  # without its script it would do nothing


def test_what_states_share_is_stored_once(page):
    held = recorded_in(page)
    assert len(set(held["parts"])) == len(held["parts"])
    name = held["names"].index("decision")
    bins = next(i for i, move in enumerate(held["moves"]) if move["word"] == "how many bins")
    start = [move["start"] for move in held["moves"]]
    of_bins = [held["states"][",".join(map(str, [*start[:bins], i, *start[bins + 1 :]]))] for i in range(2 * len(BINS))]
    assert len({parts[name] for parts in of_bins}) == 1  # it reads no bins
    assert len({parts[held["names"].index("reliability")] for parts in of_bins}) == 2 * len(BINS)


def test_it_says_what_it_leaves_out(page):
    said = re.search(r"Not in this page: (.*?) The Explorer shows them.", page).group(1)
    assert re.fullmatch(r"\d+ more calibrators\.", said)


def test_ten_thousand_rows_take_at_most_five_megabytes(tmp_path):
    rng = np.random.default_rng(0)
    score = np.round(rng.random(10_000), 6)
    p = cv.Predictions(np.stack([1 - score, score], axis=1), (rng.random(10_000) < score).astype(int))
    explorer = cv.Explorer(p, panels=("reliability", "decision"), likert=CATEGORIES)
    assert explorer.to_html(tmp_path / "large.html", progress=False).stat().st_size < 5_000_000
    explorer.close()


def test_it_loads_nothing_and_runs_its_own_script_alone(page):
    assert "default-src 'none'" in unescape(page)
    assert not re.search(r"(src|href)=\"?https?:", page)
    assert len(re.findall("<script>", page)) == 1


def test_of_many_classes_the_one_that_is_the_furthest_off_is_there():
    p = next(iter(cv.load_dataset("digits").values()))
    explorer = cv.Explorer(p, panels=("reliability",))
    lens = next(move for move in moves_in(explorer) if move.name == "lens")
    assert [position.choices["lens"] for position in lens.positions][:2] == ["top-1", f"class {worst_class(p)}"]
    assert (len(lens.positions), lens.left_out) == (3, "8 more classes")
    explorer.close()


def test_a_state_without_samples_is_left_out(explorer):
    nobody = Alternative("nobody", {"selection": "label == 'no' and label == 'yes'"})
    segments = next(move for move in moves_in(explorer) if move.name == "selection")
    moves = [replace(segments, positions=(*segments.positions[:2], nobody))]
    assert [place for place, _ in states_of(explorer.situation, moves)] == [(0,), (1,)]


@pytest.mark.parametrize(
    "text", ["half\udc80", "</script><img src=x onerror=alert(1)>", "turned\u202e", "\ue001off\ue00f"]
)
def test_the_values_of_a_field_are_texts(text, tmp_path):
    given = people()
    site = np.where(given.fields["site"] == "west", text, given.fields["site"].astype(object)).astype(str)
    panel = cv.Panel("segments", cv.Predictions(given.probs, given.labels, fields={"site": site}))
    page = panel.to_html(tmp_path / "panel.html", progress=False).read_text("utf-8")
    panel.close()
    held = recorded_in(page)
    assert any("(site)" in words for words in held["moves"][0]["texts"])
    for part in (page, *held["parts"]):
        assert "<img" not in part and "\u202e" not in part
    assert page.count("</script>") == 2


@pytest.mark.parametrize(("name", "moves_act"), [("segments", False), ("decision", True)])
def test_a_panel_is_recorded_alone(name, moves_act, tmp_path):
    panel = cv.Panel(name, people())
    page = panel.to_html(tmp_path / "panel.html", progress=False).read_text("utf-8")
    assert recorded_in(page)["names"] == ["verdict", name]
    assert any(move["word"] == "act from" for move in recorded_in(page)["moves"]) == moves_act
    panel.close()


def test_arguments_are_checked(explorer, tmp_path):
    with pytest.raises(TypeError, match="progress"):
        explorer.to_html(tmp_path / "page.html", progress="yes")
    with pytest.raises(OSError, match="nowhere"):
        explorer.to_html(tmp_path / "nowhere" / "page.html")
