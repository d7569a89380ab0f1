"""The words in the reliability diagram: each is checked against numbers that are counted here by hand."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest
from figure_checks import by_role, check, form

import calibviz as cv
from calibviz.data.nouns import nouns
from calibviz.engine.scalar import ScalarProblem
from calibviz.figures import Label, Run, Wording, WorstSegment, reliability_figure
from calibviz.figures.pictures.reliability.words import STRIP, hint_of, labels_of
from calibviz.figures.styles import VERMILION, VERMILION_TEXT
from calibviz.figures.svg.picture import drawn
from calibviz.plots.drawing import SIDE_CHARACTERS
from calibviz.uncertainty.intervals.bin_intervals import target_interval

PEOPLE = nouns("people", "had the disease")
CATEGORIES = {"unlikely": (0.0, 0.2), "possible": (0.2, 0.7), "likely": (0.7, 1.0)}
WORST = WorstSegment("Zurich and Basel", 123, 0.70, 0.93, 0.87, 0.97)


def problem_of(*groups):
    """A problem of groups of samples: score, how many, how many of them events."""
    score = np.concatenate([np.full(n, score) for score, n, _ in groups])
    return ScalarProblem(score, np.concatenate([np.arange(n) < events for _, n, events in groups]))


def diagram(problem, segment=None, categories=None, of=PEOPLE):
    made = reliability_figure(
        [problem],
        [cv.Uniform(10)(problem)],
        "class disease",
        wording=Wording(of, segment=segment),
        categories=categories,
    )
    return check(made)


def text(label):
    return [[run.text for run in line] for line in label.lines]


def said(label):
    return ["".join(line) for line in text(label)]


def colours(label):
    return {run.colour for line in label.lines for run in line} - {""}


def labels_at(figure, x):
    """The labels of what is at a place, wherever they stand."""
    return [label for label in figure.labels if (label.about or (label.x,))[0] == pytest.approx(x)]


# ---- dots

CALIBRATED = [(0.05, 100, 5), (0.25, 100, 25), (0.75, 100, 75)]


def test_no_dot_is_labelled_where_all_intervals_reach_the_diagonal():
    assert [said(label) for label in diagram(problem_of(*CALIBRATED)).labels] == [
        ["more had it than predicted"], ["fewer had it than predicted"], ["predicted = observed"],
    ]  # fmt: skip  # short entries stand in rows


def test_a_line_leads_from_the_name_of_the_diagonal_to_it_where_there_is_room():
    figure = diagram(problem_of(*CALIBRATED))
    for labels in (figure.labels, figure.large):
        (label,) = [label for label in labels if said(label) == ["predicted = observed"]]
        assert label.about == (0.38, 0.38) and label.y < label.x  # below the diagonal, on which nothing covers it
    assert ["predicted = observed"] not in [said(label) for label in figure.narrow]  # nor a line without words


def test_the_dot_that_misses_the_diagonal_by_most_is_labelled():
    (label,) = labels_at(figure := diagram(problem_of(*CALIBRATED, (0.45, 100, 80))), 0.45)
    assert said(label) == ["100 people predicted 45:", "80 had it (80 of 100)"]
    assert (label.y, label.side, colours(label)) == (pytest.approx(0.8), "left", {VERMILION_TEXT})
    assert [run.is_strong for run in label.lines[1]] == [True, False]
    assert len(figure.labels) == 4


def test_a_dot_that_may_be_noise_says_of_how_many_it_is_one():
    """58 of 100 at 45: its own interval (0.477 to 0.678) misses 0.45, that for four dots (0.45 lies in it) does not."""
    (label,) = labels_at(diagram(problem_of(*CALIBRATED, (0.45, 100, 56))), 0.45)
    assert said(label)[:2] == ["100 people predicted 45:", "56 had it (56 of 100)"]
    longest = label.versions[0]
    assert [run.text for run in longest[2]] == ["one of 4 dots: ", "may be noise"]
    assert said(label)[2].endswith("may be noise")
    for version in label.versions:  # at 420 px too, where no details are, the doubt and the share are said
        kept = ["".join(run.text for run in line if not run.is_detail) for line in version]
        assert kept[-1] == "may be noise" and any("56 of 100" in line for line in kept)
    assert colours(label) == set()


def test_a_second_dot_is_labelled_only_beyond_noise():
    far = (0.45, 100, 85)
    beyond = diagram(problem_of(*CALIBRATED[:2], far, (0.75, 100, 40)))
    assert said(labels_at(beyond, 0.75)[0]) == ["100 people predicted 75:", "40 had it (40 of 100)"]
    assert labels_at(beyond, 0.75)[0].side == "left"  # on the right they would end beyond the picture
    below = diagram(problem_of(*CALIBRATED[:2], far, (0.55, 100, 20)))
    assert labels_at(below, 0.55)[0].side == "right"
    within = diagram(problem_of(*CALIBRATED[:2], far, (0.75, 100, 65)))  # its own interval ends at 0.742
    assert labels_at(within, 0.75) == [] and labels_at(within, 0.45) != []


def test_words_of_dots_at_the_ends_make_room_in_the_corners():
    figure = diagram(problem_of((0.02, 100, 8), (0.98, 100, 92)), categories={"a" * 40: (0.0, 0.2), "b": (0.2, 1.0)})
    sides = {said(label)[0]: label.side for label in figure.labels if said(label)[0].endswith(":")}
    assert sides == {"100 people predicted 2:": "right", "100 people predicted 98:": "left"}
    usual = {said(label)[0]: label.y for label in diagram(problem_of(*CALIBRATED)).labels}
    corners = {"more had it than predicted": 1.0, "fewer had it than predicted": 0.0}
    assert {text: y for text, y in usual.items() if text in corners} == corners
    sides = {label.x: label for label in figure.labels if label.moves == "along"}
    assert 0.5 < sides[0.0].y <= 1.0 and 0.0 <= sides[1.0].y < 0.5  # still on their sides
    assert [said(label)[0] for label in figure.labels if label.is_on_area] == ["aaaaaaa…", "b"]


def test_two_dots_at_most_and_none_on_the_words_of_another():
    wrong = problem_of((0.05, 100, 90), (0.25, 100, 60), (0.45, 100, 5), (0.75, 100, 10))
    dots = [label for label in diagram(wrong).labels if len(label.lines) > 1]
    assert [said(label)[0] for label in dots] == ["100 people predicted 5:", "100 people predicted 75:"]
    near = problem_of((0.05, 100, 90), (0.75, 100, 10), (0.45, 100, 5))
    words = [label for label in diagram(near, replace(WORST, observed=0.85)).labels if len(label.lines) > 1]
    assert [said(label)[0] for label in words] == ["Zurich and Basel", *map(lambda label: said(label)[0], dots)]


def test_a_dot_of_few_samples_has_no_label():
    assert labels_at(diagram(problem_of(*CALIBRATED, (0.45, 9, 9))), 0.45) == []


def test_several_trials_and_a_diagram_without_wording_have_no_words():
    several = [problem_of(*CALIBRATED), problem_of(*CALIBRATED, (0.45, 100, 80))]
    bins = [cv.Uniform(10)(problem) for problem in several]
    assert reliability_figure(several, bins, wording=Wording(PEOPLE)).labels == ()
    plain = reliability_figure(several[:1], bins[:1], "class disease", categories=CATEGORIES)
    assert (plain.labels, plain.has_level_names, plain.y_range) == ((), False, (0.0, 1.0))
    assert plain.title == "Predicted and observed: class disease"


# ---- the worst segment


def test_the_worst_segment_is_a_diamond_with_its_interval_its_gap_and_its_words():
    figure = diagram(problem_of(*CALIBRATED), WORST)
    assert (by_role(figure, "worst").x.tolist(), by_role(figure, "worst").y.tolist()) == ([0.70], [0.93])
    assert list(by_role(figure, "worst").hints) == ["Zurich and Basel: predicted 70 of 100, observed 93 (87 to 97)"]
    assert by_role(figure, "worst interval").y[:2].tolist() == [0.87, 0.97]
    gap = by_role(figure, "worst gap")
    assert (gap.x.tolist(), gap.y.tolist()) == ([0.70, 0.70], [0.70, 0.93])
    (label,) = labels_at(figure, 0.70)
    assert said(label) == ["Zurich and Basel", "predicted 70: 93 of 100 had it"]
    assert ["".join(run.text for run in line) for line in label.versions[0]] == [
        "Zurich and Basel",
        "123 people predicted 70: 93 of 100 had it",
    ]
    assert (label.side, colours(label)) == ("left", {VERMILION_TEXT})
    assert [run.is_detail for run in label.versions[0][1]] == [True, False, False]
    corner = next(label for label in figure.labels if said(label) == ["more had it than predicted"])
    assert corner.y < 0.95  # the segment has the corner


def test_numbers_that_would_look_alike_are_told_apart():
    near = WorstSegment("site A", 20_000, 0.500, 0.504, 0.502, 0.506)
    label = labels_at(diagram(problem_of(*CALIBRATED), near), 0.5)[0]
    said_at_length = "".join(run.text for run in label.versions[0][1])
    assert said_at_length == "20,000 people predicted 50.0: 50.4 of 100 had it" and said(label)[1] == "50.4 of 100"


def test_a_picture_always_has_the_same_series():
    problem = problem_of(*CALIBRATED)
    bins = [cv.Uniform(10)(problem)]
    forms = [
        form(diagram(problem)), form(diagram(problem, WORST, CATEGORIES)), form(reliability_figure([problem], bins)),
        form(reliability_figure([problem], bins, categories=CATEGORIES)),
    ]  # fmt: skip  # short entries stand in rows
    assert all(each == forms[0] for each in forms)


# ---- the strip of categories


def test_the_strip_says_what_was_observed_of_each_category():
    figure = diagram(problem_of(*CALIBRATED), categories=CATEGORIES)
    low, high = STRIP
    strip = by_role(figure, "strip")
    assert sorted(set(strip.x[~np.isnan(strip.x)])) == [0.0, 0.2, 0.7, 1.0]
    assert sorted(set(strip.y[~np.isnan(strip.y)])) == [low, high] and figure.y_range[0] == low
    words = {label.x: label for label in figure.labels if label.y == pytest.approx((low + high) / 2)}
    assert {x: said(label) for x, label in words.items()} == {
        0.0: ["unlikely", "5 of 100"], 0.2: ["possible", "25 of 100 had it"], 0.7: ["likely", "75 of 100 had it"],
    }  # fmt: skip  # short entries stand in rows
    assert all(label.is_on_area and label.side == "right" for label in words.values())
    assert words[0.0].apart < words[0.2].apart  # a handle stands at 0.2, none at 0


@pytest.mark.parametrize(
    "categories", [{"tiny": (0.2, 0.3), "rest": (0.3, 1.0)}, {"empty": (0.8, 1.0), "rest": (0.0, 0.8)}]
)
def test_a_category_that_is_narrow_or_empty_has_no_words(categories):
    figure = diagram(problem_of(*CALIBRATED), categories=categories)
    assert [said(label)[0] for label in figure.labels if label.y < 0] == ["rest"]


# ---- axes


def test_the_axes_are_sentences_and_nothing_but_bands_needs_a_legend():
    figure = diagram(problem_of(*CALIBRATED), categories=CATEGORIES)
    assert figure.x_label == "Predicted: the model's probability →"
    assert figure.y_label == "↑ Observed: of 100 people, this many had the disease"
    assert (figure.title, figure.has_level_names, figure.shares_x) == ("Predicted and observed", True, True)
    assert [name for _, name in figure.x_ticks] == ["0", "20", "40", "60", "80", "100 %"]
    assert [series.name for series in figure.series if series.name] == []


# ---- as SVG


def svg_texts(figure):
    root = ElementTree.fromstring(str(drawn(figure, "p")))
    groups = [g for g in root.iter("g") if g.get("class", "").startswith("words")]
    return {g.get("class"): [["".join(t.itertext()), t.get("x"), t.get("y")] for t in g.iter("text")] for g in groups}


def test_svg_has_the_words_line_by_line_and_escaped():
    lines = ((Run("<b>A & B", VERMILION, True),), (Run("12 people "), Run("had it", is_detail=True)))
    figure = replace(diagram(problem_of(*CALIBRATED)), labels=(Label(0.5, 0.5, lines, "left"),))
    assert "&lt;b&gt;A &amp; B" in str(drawn(figure, "p"))
    ((of_class, ((first, x, y), (second, other_x, below))),) = svg_texts(figure).items()
    assert (of_class, first, second) == ("words left", "<b>A & B", "12 people had it")
    assert x == other_x and float(y) < float(below)
    right = svg_texts(replace(figure, labels=(replace(figure.labels[0], side="right"),)))["words right"]
    assert float(right[0][1]) - float(x) == pytest.approx(2 * figure.labels[0].apart, abs=0.2)


def test_svg_leaves_details_out_on_an_area():
    lines = ((Run("25"), Run(" had it", is_detail=True)),)
    figure = replace(diagram(problem_of(*CALIBRATED)), labels=(Label(0.5, 0.5, lines, until=1.0),))
    assert [line[0] for line in svg_texts(figure)["words right on-area"]] == ["25"]


def test_svg_has_the_level_name_of_y_above_the_picture():
    figure = diagram(problem_of(*CALIBRATED))
    root = ElementTree.fromstring(str(drawn(figure, "p")))
    (name,) = [t for t in root.iter("text") if "".join(t.itertext()) == figure.y_label]
    assert name.get("transform") is None
    assert float(name.get("y")) < min(float(r.get("y")) for r in root.iter("rect") if r.get("class") == "inside")


def test_dots_of_calibrated_scores_are_seldom_called_off():
    rng, binning, wording = np.random.default_rng(11), cv.Uniform(10), Wording(PEOPLE)
    sets, off, dots, beyond, coloured = 300, 0, 0, 0, 0
    for _ in range(sets):
        score = rng.random(400)
        problem = ScalarProblem(score, (rng.random(400) < score).astype(float))
        bins = binning(problem)
        own = target_interval(bins, problem)
        hint = hint_of(wording, problem, bins, own)
        said = [hint(i) for i in range(len(bins.score))]
        off += sum("within noise" not in text and "too few" not in text for text in said)
        dots += sum("too few" not in text for text in said)
        beyond += any("beyond noise" in text for text in said)
        words = labels_of(wording, problem, bins, np.zeros(len(bins.score), dtype=bool), own, {})
        coloured += any(run.colour for label in words for line in label.lines for run in line)
    assert 0.01 < off / dots < 0.05  # each dot by its own interval
    assert 0 < coloured / sets < 0.05 + 2 * np.sqrt(0.05 * 0.95 / sets)  # all dots of a picture together
    assert beyond == coloured


def test_a_hint_says_whether_its_bin_is_beyond_noise():
    problem = problem_of((0.45, 100, 80), (0.75, 100, 75), (0.15, 9, 1))
    bins = cv.Uniform(10)(problem)
    write = hint_of(Wording(PEOPLE), problem, bins, target_interval(bins, problem))
    last = {i: write(i).split("\n")[-1] for i in np.flatnonzero(np.isfinite(bins.score))}
    assert list(last.values()) == ["too few to say", "beyond noise", "within noise"]


def test_hint_and_label_of_a_dot_that_may_be_noise_agree():
    problem = problem_of(*[(0.05 + 0.1 * k, 100, 10 * k + 5) for k in range(9)], (0.95, 100, 89))
    bins = cv.Uniform(10)(problem)
    own = target_interval(bins, problem)
    assert own[1][9] < 0.95  # by itself it is beyond noise
    assert hint_of(Wording(PEOPLE), problem, bins, own)(9).split("\n")[-1] == "one of 10 dots: may be noise"
    (label,) = [each for each in diagram(problem).labels if "may be noise" in said(each)[-1]]
    assert said(label)[-1] == "one of 10 dots: may be noise"


def test_bars_of_several_trials_are_shares_and_few_samples_have_none():
    several = [problem_of((0.05, 100, k), (0.5, 4, 2), (0.95, 50, 50 - k)) for k in (0, 0, 9)]
    bins = [cv.Uniform(10)(problem) for problem in several]
    figure = reliability_figure(several, bins, "class disease", wording=Wording(PEOPLE))
    bars = by_role(figure, "interval")
    assert np.nanmin(bars.y) == 0.0 and np.nanmax(bars.y) == 1.0  # a mean less a standard deviation would be below 0
    assert by_role(figure, "few").x == pytest.approx([0.5]) and 0.5 not in np.round(bars.x, 9)


def test_an_event_of_many_words_is_left_out_where_its_category_has_no_room():
    def of(event):
        figure = diagram(problem_of(*CALIBRATED), categories=CATEGORIES, of=nouns("patients", event))
        return [said(label)[1] for label in figure.labels if label.is_on_area]

    assert of("had it")[1:] == ["25 of 100 had it", "75 of 100 had it"]
    assert of("died within a year")[1:] == ["25 of 100 died within a year", "75 of 100"]


def test_weights_that_count_no_samples_leave_the_share_alone():
    """Each of the 50 who had it weighs half of one of the 50 others: 33 of 100 by weight."""
    score, target = np.full(100, 0.15), np.arange(100) < 50
    problem = ScalarProblem(score, target, np.where(target, 0.5, 1.0))
    (label,) = labels_at(diagram(problem), 0.15)
    assert said(label) == ["100 people predicted 15:", "33 of 100 had it"]
    bins = cv.Uniform(10)(problem)
    [hint] = [hint_of(Wording(PEOPLE), problem, bins, target_interval(bins, problem))(1)]
    people, share, noise = hint.splitlines()
    assert (people, noise) == ("100 people predicted 10 to 20", "beyond noise")
    assert share.startswith("33 of 100 had it by weight (")
    counted = ScalarProblem(score, target, np.where(target, 1.0, 2.0))  # counts of repetitions
    (label,) = labels_at(diagram(counted), 0.15)
    assert said(label) == ["150 people predicted 15:", "50 had it (33 of 100)"]


def test_a_name_above_the_axes_is_one_line():
    p = cv.load_dataset("heart")["random forest"]
    explorer = cv.Explorer(p)
    names = [ax.get_ylabel() for ax in explorer.figure().axes if ax.get_ylabel()]
    explorer.close()
    assert len(names[0]) > SIDE_CHARACTERS and "\n" not in names[0]
