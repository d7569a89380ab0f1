"""Some of many classes, looked at by themselves: chosen by brush, by slider or in code, and kept by the state."""

from __future__ import annotations

import numpy as np
import pytest
from driver import screen
from figure_checks import by_role, check

import calibviz as cv
from calibviz.explorer.state.state import ExplorerState

N_CLASSES = 60


@pytest.fixture(scope="module")
def shared():
    """Many classes, most of them rare, in groups of five."""
    rng = np.random.default_rng(0)
    share = 1 / np.arange(1, N_CLASSES + 1)
    labels = rng.choice(N_CLASSES, 2000, p=share / share.sum())
    logits = rng.normal(size=(2000, N_CLASSES)) + np.log(share)
    logits[np.arange(2000), labels] += 4
    groups = {f"g{i}": range(5 * i, 5 * i + 5) for i in range(N_CLASSES // 5)}
    made = cv.Explorer(cv.Predictions(logits=2 * logits, labels=labels, groups=groups), panels=("classes",))
    made.finish()
    yield made
    made.close()


@pytest.fixture
def explorer(shared):
    shared.state.from_dict({"panels": ("classes",)})
    shared.finish()
    return shared


def in_sight(explorer):
    """The places of the classes in the picture, and their names."""
    figure = check(screen(explorer).record("classes", "classes"))
    bins = by_role(figure, "bins")
    return bins.x.tolist(), [text.partition(":")[0] for text in bins.hints]


def test_a_range_fills_the_picture_and_the_table(explorer):
    _, names = in_sight(explorer)
    largest = screen(explorer).record("classes", "classes").y_range[1]
    screen(explorer).set("ranks", (41, 60))
    assert explorer.state.zoom == (41, 60) and explorer.state.steps[0] == "ranks: none → 41, 60"
    assert in_sight(explorer) == (list(range(41, 61)), names[40:])
    figure, table = screen(explorer).records("classes")
    assert figure.y_range[1] < largest / 10 and figure.x_range == (40.5, 60.5)
    assert [row[0].text for row in table.rows] == names[40:] and table.note.startswith("Ranks 41 to 60 of 60. Below")
    assert table.alt == "The 20 classes of the largest error from rank 41 on."
    screen(explorer).click_dot("classes", "classes", 3)
    assert explorer.state.lens == f"class {names[43]}"
    screen(explorer).click(screen(explorer).table("classes"), 5)
    assert explorer.state.lens == f"class {names[45]}"
    screen(explorer).set("ranks", (11, 60))
    table = screen(explorer).record("classes", "worst")
    assert [row[0].text for row in table.rows] == names[10:] and table.note.startswith("Ranks 11 to 60 of 60. Below")
    screen(explorer).press("all")
    assert explorer.state.zoom == () and len(in_sight(explorer)[0]) == N_CLASSES


def test_the_table_lists_a_hundred_of_a_chosen_range_at_most():
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.ones(130), 400)
    made = cv.Explorer(cv.Predictions(probs, rng.integers(130, size=400)), panels=("classes",))
    assert len(screen(made).record("classes", "worst").rows) == 20
    screen(made).set("ranks", (2, 120))
    table = screen(made).record("classes", "worst")
    assert len(table.rows) == 100
    assert table.note.startswith("Ranks 2 to 120 of 130. The worst 100 of these are listed.")
    made.close()


def test_all_the_way_is_all(explorer):
    screen(explorer).set("ranks", (2, 60))
    screen(explorer).set("ranks", (1, 60))
    assert explorer.state.zoom == () and screen(explorer).buttons["all"].disabled


def test_a_brush_takes_a_closer_look_and_then_a_closer_one(explorer):
    seen = screen(explorer)
    seen.brush((20.4, 30.6), "classes", "classes")
    assert explorer.state.zoom == (21, 30) and seen.controls["ranks"].value == (21, 30)
    assert seen.figure("classes", "classes").interaction.selected is None  # what was brushed fills the picture
    seen.brush((24.5, 26.5), "classes", "classes")
    assert explorer.state.zoom == (25, 26)
    for nothing in (None, (25.2, 25.7)):  # a click, and a range without a dot
        seen.brush(nothing, "classes", "classes")
        assert explorer.state.zoom == (25, 26)
    seen.brush((-3, 900), "classes", "classes")
    assert explorer.state.zoom == ()


def test_undo_links_and_reload_keep_it(explorer):
    explorer.state.zoom = (31, 40)
    link = explorer.state.to_link()
    assert "zoom=" in link
    explorer.state.undo()
    assert explorer.state.zoom == () and screen(explorer).controls["ranks"].value == (1, 60)
    explorer.state.redo()
    assert screen(explorer).controls["ranks"].value == (31, 40)
    explorer.state.zoom = ()
    explorer.state.from_link(link)
    assert explorer.state.zoom == (31, 40) and in_sight(explorer)[0] == list(range(31, 41))
    other = ExplorerState(explorer.state.models)
    other.from_dict(explorer.state.to_dict())
    assert other.zoom == (31, 40)


def test_other_names_begin_with_all_of_them(explorer):
    explorer.state.zoom = (31, 40)
    screen(explorer).set("list", "group")
    assert explorer.state.zoom == () and len(in_sight(explorer)[0]) == 12
    with pytest.raises(KeyError):  # so few need no closer look
        _ = screen(explorer).controls["ranks"]
    assert screen(explorer).figure("classes", "classes").interaction is None
    explorer.state.zoom = (9, 40)  # in code it may be any, and is as far as it goes
    assert screen(explorer).controls["ranks"].value == (9, 12) and len(in_sight(explorer)[0]) == 4
    explorer.state.zoom = (31, 40)
    assert len(in_sight(explorer)[0]) == 12
    screen(explorer).set("list", "class")
    assert screen(explorer).controls["ranks"].value == (1, 60)
    assert screen(explorer).figure("classes", "classes").interaction is not None


def test_small_errors_have_numbers_that_fit_on_the_axis(explorer):
    explorer.state.zoom = (51, 60)
    axis = screen(explorer).axis("classes", "classes", "left")
    high = screen(explorer).record("classes", "classes").y_range[1]
    is_tiny = high < 5e-4
    assert ("⁻" in axis.label) == is_tiny
    if is_tiny:
        assert all(len(text) <= 5 for text in axis.tick_labels.values())


def test_long_names_are_cut_on_the_axis_alone():
    names = ["a name that is much longer than its room", "b"]
    probs = np.random.default_rng(0).random(200)
    made = cv.Explorer(cv.Predictions(probs, (probs > 0.5).astype(int), class_names=names), panels=("classes",))
    labels = screen(made).axis("classes", "classes", "bottom").tick_labels.values()
    assert sorted(labels) == ["a name that is much lon…", "b"]
    assert any(hint.startswith(names[0]) for hint in by_role(screen(made).record("classes", "classes"), "bins").hints)
    made.close()
