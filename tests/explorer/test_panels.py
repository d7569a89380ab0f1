"""Each panel of the Explorer shows the numbers of the engine."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import ipywidgets
import numpy as np
import pytest
import traitlets
from driver import below, kept, screen, wanted
from figure_checks import by_role, check
from scipy.stats import binomtest

import calibviz as cv
from calibviz.answers.acting import likert as likert_contents
from calibviz.answers.asked.spec import MENU
from calibviz.answers.registry import ANSWERS
from calibviz.context.induced import scalar_problem
from calibviz.explorer import Explorer
from calibviz.explorer.state.state import ExplorerState
from calibviz.explorer.view import grid
from calibviz.explorer.view.panels import view as panel_view
from calibviz.explorer.view.panels.marks import _place_name
from calibviz.figures import Figure
from calibviz.figures.bars import MOST_HUES
from calibviz.figures.styles import STYLES
from calibviz.foundation.written import interval, of_hundred, percent
from calibviz.recalibration.registry import CALIBRATORS


@pytest.fixture(scope="module")
def digits():
    return cv.load_dataset("digits")["naive Bayes"].select(np.arange(0, 1797, 2))


@pytest.fixture(scope="module")
def parts(digits):
    return digits


@pytest.fixture(scope="module")
def shared(digits):
    made = Explorer(digits, panels=(), calibrator="spline")
    yield made
    made.close()


def shown(explorer, panel, **choices):
    """What a panel shows once all has arrived."""
    explorer.state.update(panels=(panel,), **choices)
    assert screen(explorer).complaint == ""
    screen(explorer).finish()
    content = ANSWERS[panel].content(explorer.situation)
    for record in content.records:
        if isinstance(record, Figure):
            check(record)
    return content


def table_of(explorer):
    """The table behind the panel of sensitivity."""
    return next(job.value()[0] for job in screen(explorer).jobs_of("bootstrap") if job.done)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("choices", "arguments"),
    [
        ({}, {"lens": "top-1", "binning": "uniform"}),
        ({"lens": "rank 2", "binning": "equal-mass"}, {"lens": "rank 2", "binning": "equal-mass"}),
        ({"lens": "class 3", "binning": "k-d tree"}, {"lens": "class 3", "binning": "k-d tree"}),
        ({"lens": "grouping", "binning": "k-d tree"}, {"lens": "grouping", "binning": "k-d tree"}),
        ({"norm": "maximum"}, {"lens": "top-1", "binning": "uniform", "aggregate": "max"}),
        (
            {"selection": "ink > 0.3", "distance": "L2", "norm": "root mean square"},
            {"lens": "top-1", "binning": "uniform", "selection": "ink > 0.3", "distance": cv.Lp(2), "p": 2.0},
        ),
    ],
    ids=str,
)
def test_sensitivity_is_that_of_the_held_out_samples(of_sensitivity, digits, choices, arguments):
    few = digits.select(np.arange(0, len(digits), 4))
    explorer = Explorer(few, panels=())
    shown(explorer, "sensitivity", **choices)
    table, expected = table_of(explorer), cv.sensitivity(few, **arguments, replicates=100, rng=0)
    np.testing.assert_allclose(table.error, expected.error, rtol=1e-12)
    if "filled" in expected:
        for name in ("filled", "fewest_in_bin", "median_in_bin", "most_in_bin"):
            np.testing.assert_array_equal(table[name], expected[name])
    # The draws are of the sorted samples, so the replicates are others of the same kind.
    np.testing.assert_allclose(table["mean"], expected["mean"], atol=4 * float(expected["std"].max()) / 10)
    np.testing.assert_allclose(table["std"], expected["std"], rtol=0.5, atol=1e-3)
    assert (table.lower <= table["mean"]).all() and (table["mean"] <= table.upper).all()
    explorer.close()


def test_sensitivity_of_pooled_scores_resamples_samples(of_sensitivity, digits):
    few = digits.select(np.arange(0, len(digits), 8))
    explorer = Explorer(few, panels=())
    shown(explorer, "sensitivity", lens="pooled")
    table, expected = table_of(explorer), cv.sensitivity(few, "pooled", replicates=100, rng=0)
    np.testing.assert_allclose(table.error, expected.error, rtol=1e-12)
    np.testing.assert_allclose(table["mean"], expected["mean"], atol=4 * float(expected["std"].max()) / 10)
    np.testing.assert_allclose(table["std"], expected["std"], rtol=0.5, atol=1e-3)
    explorer.close()


def cells_of(explorer, **choices):
    (grid,) = shown(explorer, "comparison", **choices).records
    return {
        (row, column): grid.values[r, c] / (100 if grid.units[r] == "%" else 1)
        for r, row in enumerate(grid.rows)
        for c, column in enumerate(grid.columns)
    }


def test_comparison_of_lenses(explorer, parts):
    evaluation = parts
    cells = cells_of(explorer, bins=10, gamma=1 / 8, lens="class 3")
    assert {row for row, _ in cells} == {"class 3", "top-1", "rank 2", "within-top 2", "grouping", "classwise", "full"}
    for lens in ("class 3", "top-1", "rank 2", "within-top 2"):
        cube = cv.evaluate(
            evaluation,
            lens,
            bins=10,
            calibrators=["none", "temperature", "spline", "isotonic", "beta"],
            folds=5,
            metrics=["ece"],
        )
        for calibrator in cube.calibrator.values:
            assert cells[lens, calibrator] == pytest.approx(cube.ece.sel(calibrator=calibrator).item(), abs=1e-12)
    for calibrator in ("none", "temperature", "isotonic"):
        moved = evaluation
        if calibrator != "none":
            kind = CALIBRATORS[calibrator]()
            whole = cv.OneVsRest(kind) if calibrator == "isotonic" else kind
            moved = cv.cross_fitted(evaluation, calibrator=whole).transform(evaluation)
        for lens, binning in (
            ("grouping", cv.Uniform(10)),
            ("full", cv.Uniform(10)),
            ("classwise", cv.Uniform(10)),
        ):
            assert cells[lens, calibrator] == pytest.approx(
                cv.calibration_error(moved, lens, binning=binning), abs=1e-12
            )


@pytest.mark.parametrize("binning", ["k-d tree", "equal-mass"])
def test_comparison_of_vector_lenses_on_a_tree(explorer, parts, binning):
    cells = cells_of(explorer, binning=binning, bins=10, gamma=1 / 8, calibrators=())
    scalar = cv.KDTree(1 / 8) if binning == "k-d tree" else cv.EqualMass(10)
    for lens, bins in (("grouping", cv.KDTree(1 / 8)), ("full", cv.KDTree(1 / 8)), ("rank 2", scalar)):
        assert cells[lens, "none"] == pytest.approx(cv.calibration_error(parts, lens, binning=bins), abs=1e-12)
    assert ("on the cells of a k-d tree" in screen(explorer).note("comparison")) == (binning == "equal-mass")


def test_comparison_of_metrics(explorer, parts):
    cells = cells_of(explorer, rows="metric", metrics=tuple(MENU), lens="rank 2", selection="ink > 0.2", bins=7)
    evaluation = parts
    cube = cv.evaluate(
        evaluation,
        "rank 2",
        bins=7,
        calibrators=["none", "temperature", "spline"],
        folds=5,
        selections={"kept": "ink > 0.2"},
        metrics=[name for name in MENU if name != "log_loss"],
    )
    for calibrator in cube.calibrator.values:
        for name in cube.data_vars:
            assert cells[MENU[name].title, calibrator] == pytest.approx(
                cube[name].sel(calibrator=calibrator).item(), abs=1e-12
            )
    assert cells["log loss", "none"] == pytest.approx(
        cv.log_loss(evaluation, "rank 2", selection="ink > 0.2"), abs=1e-12
    )


def first_line(cell):
    """What is concluded of a cell; its interval stands below."""
    return cell["below"].partition("\n")[0]


def marks(explorer):
    """What stands below the cells of the comparison, by row and column, and which are grey."""
    content = screen(explorer).table("comparison").content
    names = [column["text"] for column in content["columns"]][1:]
    cells = {(row[0]["text"], name): cell for row in content["rows"] for name, cell in zip(names, row[1:], strict=True)}
    return cells, content


@pytest.mark.thorough
def test_the_comparison_marks_noise_and_who_is_within_noise_of_the_best(of_rankings, explorer, parts):
    """Grey is no more than `consistency` shows, and the marks are those of `within_noise`."""
    cells_of(explorer, lens="top-1", calibrators=("temperature", "isotonic"), bins=10)
    cells, _ = marks(explorer)
    evaluation = parts
    nulls = cv.consistency(
        evaluation,
        error=lambda q: cv.calibration_error(q, binning=cv.Uniform(10)),
        replicates=99,
        level=0.9,
        progress=False,
    )
    cell = cells["top-1", "none"]
    assert nulls.estimate > nulls.upper and not cell["faint"] and not cell["strip"]["hollow"]
    repaired = cells["top-1", "isotonic"]
    assert repaired["faint"] and repaired["strip"]["hollow"] and first_line(repaired) == "noise"
    situation = cv.lens("top-1")
    problems = {
        "none": situation(evaluation),
        "temperature": situation(cv.cross_fitted(evaluation, calibrator=cv.Temperature()).transform(evaluation)),
        "isotonic": situation(evaluation).mapped(cv.cross_fitted(evaluation, "top-1", calibrator=cv.Isotonic())),
    }
    found = cv.within_noise(problems, error=cv.debiased_error, replicates=200, progress=False)
    best = "not told apart"  # from one that is no more than noise
    for name in problems:
        if not cells["top-1", name]["faint"]:
            below = first_line(cells["top-1", name])
            assert below == best if name in found.within else below.startswith("rank")
    note = screen(explorer).note("comparison")
    assert "Grey: no more than calibrated predictions reach by noise in 95 of 100 cases" in note
    below = {first_line(cell) for cell in cells.values()}
    tied = " and ".join(mark for mark in ("≈ best", "not told apart") if mark in below)
    assert f"{tied}: within noise of the best by the debiased error, at level 5 %" in note and "Mean rank" not in note
    # another number of bins has another noise, which is measured again
    assert any(job.label == "noise of the comparison" for job in wanted(screen(explorer).jobs))
    explorer.state.bins = 40
    assert "Noise: 0% done." in screen(explorer).note("comparison")
    screen(explorer).finish()
    assert "Grey" in screen(explorer).note("comparison")


def test_errors_without_a_test_have_no_rank(explorer):
    metrics = ("ece", "ks", "brier", "log_loss")
    cells_of(explorer, rows="metric", metrics=metrics, calibrators=("temperature", "histogram"))
    cells, _ = marks(explorer)
    below = {
        name: [first_line(cells[MENU[name].title, c]) for c in ("none", "temperature", "histogram")] for name in metrics
    }
    assert not any("best" in text or "rank" in text for text in below["ece"] + below["ks"])
    assert all(text and text != "noise" for text in below["brier"] + below["log_loss"])
    assert sum(text in ("best", "≈ best") for text in below["brier"]) >= 1


def test_errors_stand_in_their_own_units_with_their_intervals(of_intervals, explorer, parts):
    metrics = ("ece", "brier", "log_loss")
    cells_of(explorer, rows="metric", metrics=metrics, lens="top-1", calibrators=("temperature",), bins=10)
    (grid,) = screen(explorer).records("comparison")
    assert grid.units == ("%", "", "nat") and grid.value_label == "error in %, scores as numbers, log loss in nats"
    cells, content = marks(explorer)
    assert cells["log loss", "none"]["text"] == f"{cv.log_loss(parts, 'top-1'):.4f}"
    assert [row[0]["below"] for row in content["rows"]] == ["", "no unit", "in nats"]
    found = cv.interval(parts, error=cv.calibration_error, binning=cv.Uniform(10), progress=False)
    assert cells["ECE", "none"]["below"].endswith(f"{100 * found.lower:.2f} to {100 * found.upper:.2f}")
    low, high = map(float, cells["log loss", "none"]["below"].partition("\n")[2].split(" to "))
    assert low < cv.log_loss(parts, "top-1") < high
    for strip in (cell["strip"] for cell in cells.values()):
        assert strip["low"] <= strip["value"] <= strip["high"]


def test_rows_are_added_and_taken_away_and_clicked(explorer, parts):
    evaluation = parts
    cells_of(explorer, lens="class 3", calibrators=("isotonic",), calibrator="spline")
    usual = screen(explorer).records("comparison")[0].rows
    explorer.state.selection = "ink > 0.3"
    explorer.state.compared = (("model", "class 3", ""), ("model", "top-1", ""))
    screen(explorer).press("add what is on screen")
    screen(explorer).press("add what is on screen")  # it is there already
    screen(explorer).finish()
    (grid,) = screen(explorer).records("comparison")
    assert grid.rows == ("class 3", "top-1", "class 3 | ink > 0.3")
    assert grid.current is None  # no column is of the spline, which is looked at
    for row, (lens, selection) in enumerate([("class 3", None), ("top-1", None), ("class 3", "ink > 0.3")]):
        isotonic = cv.cross_fitted(evaluation, lens, calibrator=cv.Isotonic())
        repaired = scalar_problem(evaluation, lens, selection).mapped(isotonic)
        problem = scalar_problem(evaluation, lens, selection)
        expected = [cv.calibration_error(one, binning=cv.Uniform(15)) for one in (problem, repaired)]
        np.testing.assert_allclose(grid.values[row], 100 * np.array(expected), atol=1e-9)
    table = screen(explorer).table("comparison")
    screen(explorer).click(table, 1, 2)
    chosen = explorer.state.spec
    assert (chosen.lens, chosen.selection, chosen.calibrator) == ("top-1", "", "isotonic")
    assert screen(explorer).records("comparison")[0].current == (1, 1)
    assert table.content["rows"][1][3]["why"] == "Take away the row top-1"
    screen(explorer).click(table, 1, 3)
    assert [lens for _, lens, _ in explorer.state.compared] == ["class 3", "class 3"]
    again = ExplorerState(["model"])
    again.from_link(explorer.state.to_link())
    assert again.compared == explorer.state.compared
    for _ in range(2):
        screen(explorer).click(table, 0, 3)
    assert explorer.state.compared == () and set(usual) >= set(screen(explorer).records("comparison")[0].rows)


@pytest.mark.thorough
def test_the_family_of_gce_is_compared(of_rankings, explorer, parts):
    evaluation = parts
    explorer.state.selection = "ink > 0.2"
    (grid,) = shown(explorer, "comparison", rows="gce", calibrators=("temperature", "isotonic"), bins=10).records
    temperature = cv.cross_fitted(evaluation, calibrator=cv.Temperature()).transform(evaluation)
    isotonic = cv.cross_fitted(evaluation, calibrator=cv.OneVsRest(cv.Isotonic())).transform(evaluation)
    assert len(grid.rows) == len(set(grid.rows)) == 32
    for text, metric in {
        "max prob, uniform bins, l1 (ECE)": cv.GCE(),
        "all probs, class-conditional, scores > 0.01, equal-mass bins, l1 (TACE)": cv.GCE(
            "adaptive", False, True, 0.01
        ),
        "max prob, class-conditional, equal-mass bins, l2": cv.GCE("adaptive", True, True, norm="l2"),
    }.items():
        expected = [metric(moved, 10, "ink > 0.2") for moved in (evaluation, temperature, isotonic)]
        np.testing.assert_allclose(grid.values[grid.rows.index(text)], 100 * np.array(expected), rtol=1e-9)
    assert np.isfinite(grid.floors).all() and (grid.noise == (grid.values <= grid.floors)).all()
    nulls = cv.consistency(
        evaluation.select(evaluation.fields["ink"] > 0.2),
        error=lambda q: cv.calibration_error(q, binning=cv.Uniform(10)),
        replicates=99,
        progress=False,
    )
    floor = grid.floors[grid.rows.index("max prob, uniform bins, l1 (ECE)"), 0]
    assert floor == pytest.approx(100 * np.quantile(nulls.replicates, 0.95), rel=0.3)


def test_the_comparison_says_what_calibrators_of_single_scores_are_fitted_to(explorer, parts):
    """Under top-1 the map is fitted to the largest probability, in the GCE family class by class."""
    evaluation = parts
    choices = {"lens": "top-1", "calibrators": ("temperature", "isotonic"), "bins": 10, "switches": ()}
    lenses = shown(explorer, "comparison", rows="lens", **choices)
    gce = shown(explorer, "comparison", rows="gce", **choices)
    of_lens = lenses.records[0].values[lenses.records[0].rows.index("top-1")] / 100
    (place,) = (i for i, name in enumerate(gce.records[0].rows) if name.endswith(" (ECE)"))
    of_family = gce.records[0].values[place] / 100
    assert of_lens[:2] == pytest.approx(of_family[:2]) and abs(of_lens[2] - of_family[2]) > 1e-4
    by_lens = cv.cross_fitted(evaluation, "top-1", calibrator=cv.Isotonic())
    assert of_lens[2] == pytest.approx(
        cv.calibration_error(scalar_problem(evaluation, "top-1").mapped(by_lens), binning=cv.Uniform(10))
    )
    by_class = cv.cross_fitted(evaluation, calibrator=cv.OneVsRest(cv.Isotonic())).transform(evaluation)
    assert of_family[2] == pytest.approx(cv.calibration_error(by_class, binning=cv.Uniform(10)))
    fitted = "Calibrators of single scores (isotonic) are fitted"
    assert f"{fitted} class by class here, since these errors look at the probabilities of all classes;" in gce.note
    assert f"{fitted} to the score of the lens here, and class by class under grouping, classwise, full;" in lenses.note
    metrics = {"rows": "metric", "metrics": ("brier",)}
    of_one = shown(explorer, "comparison", **metrics).note
    assert f"{fitted} to the score of the lens here; the GCE family fits them class by class" in of_one
    of_several = shown(explorer, "comparison", **metrics, lens="full").note
    assert f"{fitted} class by class here, since the lens has several outcomes;" in of_several
    for rows in ("lens", "metric", "gce"):
        note = shown(explorer, "comparison", rows=rows, lens="top-1", calibrators=("temperature",)).note
        assert "are fitted" not in note


@pytest.mark.parametrize("rows", ["lens", "metric", "gce"])
def test_a_chosen_calibrator_that_is_not_compared_is_said(explorer, rows):
    choices = {"rows": rows, "lens": "top-1", "calibrators": ("temperature",)}
    told = shown(explorer, "comparison", calibrator="platt", **choices).note
    assert told.endswith("The chosen calibrator, platt, is not compared: add it under “compared”.")
    screen(explorer).set("compared", ("temperature", "platt"))
    screen(explorer).finish()
    assert "is not compared" not in ANSWERS["comparison"].content(explorer.situation).note


def test_switches_choose_errors_of_the_family(explorer, parts):
    evaluation = parts
    everything = {"rows": "gce", "calibrators": ("temperature",), "bins": 10, "switches": ()}
    (whole,) = shown(explorer, "comparison", **everything).records
    explorer.finish()  # also what stands aside
    one_each = ("all probs", "class-conditional", "scores > 0.01", "equal-mass bins", "l1")
    cases = {
        ("l2",): 16,
        ("l1", "l2"): 32,
        ("uniform bins", "max prob", "l2"): 4,
        one_each: 1,
    }
    for switches, count in cases.items():
        screen(explorer).set("GCE", switches)
        assert screen(explorer).complaint == "" and set(explorer.state.switches) == set(switches)
        (grid,) = screen(explorer).records("comparison")
        at = [whole.rows.index(name) for name in grid.rows]
        assert len(grid.rows) == count and screen(explorer).is_idle  # all of them are measured already
        np.testing.assert_array_equal(grid.values, whole.values[at])
        np.testing.assert_array_equal(grid.floors, whole.floors[at])
        assert len(screen(explorer).cells("comparison")) == count
    assert grid.rows == ("all probs, class-conditional, scores > 0.01, equal-mass bins, l1 (TACE)",)
    expected = cv.GCE("adaptive", False, True, 0.01)(evaluation, 10, explorer.state.selection or None)
    assert grid.values[0, 0] == pytest.approx(100 * expected)
    assert explorer.state.steps[0].startswith("switches: ")
    link = explorer.state.to_link()
    explorer.state.undo()
    assert explorer.state.switches != one_each
    again = ExplorerState(explorer.state.models)
    again.from_link(link)
    assert set(again.switches) == set(one_each)
    explorer.state.rows = "lens"
    control = screen(explorer).controls["GCE"]
    assert control.disabled and "only with the GCE family" in control.description
    with pytest.raises(traitlets.TraitError, match="switches"):
        explorer.state.switches = ("l3",)
    explorer.state.update(switches=(), calibrators=())


def test_switches_stand_in_pairs_and_name_the_rows(explorer):
    """A list of names, each beside the other of its pair; what a row says are names of the list."""
    (grid,) = shown(explorer, "comparison", rows="gce", switches=(), calibrators=(), lens="top-1").records
    control = screen(explorer).controls["GCE"]
    pairs = list(zip(control.options[::2], control.options[1::2], strict=True))
    assert len(pairs) == 5
    assert control.counts == tuple(f"or {other}" for pair in pairs for other in reversed(pair))
    for name in grid.rows:
        words = name.partition(" (")[0].split(", ")
        assert set(words) <= set(control.options)
        screen(explorer).set("GCE", tuple(words))
        assert name in screen(explorer).records("comparison")[0].rows
    for pair in pairs:  # the two have no error in common
        rows = []
        for name in pair:
            screen(explorer).set("GCE", (name,))
            rows.append(set(screen(explorer).records("comparison")[0].rows))
        assert not rows[0] & rows[1] and rows[0] | rows[1] == set(grid.rows)
    explorer.state.update(switches=())


@pytest.mark.parametrize(
    ("switches", "names"),
    [
        (("max prob", "classes together", "all scores", "uniform bins"), ("ECE", "l2")),
        (
            ("classes together", "all scores", "uniform bins"),
            ("ECE", "max, l2", "all, l1", "all, l2"),
        ),
        (("max prob", "all scores", "equal-mass bins", "l1"), ("classes together", "class-cond.")),
        (
            ("all probs", "classes together", "all scores", "uniform bins", "l1"),
            ("all probs, uniform bins, l1",),
        ),
    ],
)
def test_bars_of_the_family_are_named_by_what_tells_them_apart(explorer, switches, names):
    shown(explorer, "comparison", rows="gce", switches=switches, calibrators=("temperature",), lens="top-1")
    (grid,) = screen(explorer).records("comparison")
    (figure,) = shown(explorer, "comparison", comparison="bars").records
    assert tuple(name for _, name in figure.x_ticks) == names
    said = screen(explorer).hint("comparison", "comparison-bars", 0, "bar 1")
    assert said.startswith(f"{grid.rows[0]}, none: ")
    explorer.state.update(switches=(), comparison="table")


def test_names_of_bars_are_whole_and_turned_where_they_would_not_fit(explorer):
    choices = {"calibrators": (), "lens": "top-1", "comparison": "bars"}
    (few,) = shown(explorer, "comparison", rows="metric", metrics=("ece", "ks"), **choices).records
    plot = screen(explorer).figure("comparison", "comparison-bars")
    plain = plot.layout.height, plot.fig_margin["bottom"]
    assert not few.x_is_turned and plot.axes[0].tick_rotate == 0
    (many,) = shown(explorer, "comparison", rows="gce", switches=(), **choices).records
    names = [name for _, name in many.x_ticks]
    assert len(names) == len(set(names)) == 32 and many.x_is_turned and plot.axes[0].tick_rotate < 0
    assert list(plot.axes[0].tick_labels.values()) == names
    room = plot.fig_margin["bottom"] - plain[1]
    assert room > 0 and plot.layout.height == f"{int(plain[0].removesuffix('px')) + room}px"
    shown(explorer, "comparison", rows="metric", metrics=("ece", "ks"), **choices)
    assert (plot.layout.height, plot.fig_margin["bottom"]) == plain
    selection = "ink > 0.2 and confidence > 0.3"
    compared = tuple(("model", lens, selection) for lens in ("class 3", "class 4", "class 5"))
    shown(explorer, "comparison", rows="lens", compared=compared, **choices)
    first, *_, last = plot.axes[0].tick_labels.values()
    assert first.endswith("…") and last == f"class 5 | {selection}"  # the first would run out on the left
    explorer.state.compared = ()
    explorer.state.update(comparison="table")


@pytest.mark.thorough
@pytest.mark.parametrize("rows", ["lens", "metric", "gce"])
def test_the_comparison_as_grouped_bars(explorer, rows):
    metrics = ("ece", "brier", "log_loss")
    (grid,) = shown(explorer, "comparison", rows=rows, metrics=metrics, lens="top-1", calibrators=("beta",)).records
    pictures = shown(explorer, "comparison", comparison="bars").records
    assert [figure.y_label for figure in pictures] == (["error", "score", "nats"] if rows == "metric" else ["error"])
    drawn = by_role(pictures[0], "bar 2")
    note = ANSWERS["comparison"].content(explorer.situation).note
    assert "A bar is an error" in note and "diamond" in note and "The rows" not in note
    assert not any(word in note for word in ("Grey", "best", "ranks", "Small pictures"))
    assert drawn.name == "beta" and np.nanmax(drawn.y) == pytest.approx(
        grid.values[:, 1].max() / 100 if rows != "metric" else grid.values[0, 1] / 100
    )
    quick = [name for name in CALIBRATORS if name not in ("matrix", "neural")]  # whose fits take seconds
    explorer.state.calibrators = tuple(quick[:MOST_HUES])  # and beside them the model as it is
    many = ANSWERS["comparison"].content(explorer.situation)
    assert "bars apart" in many.note and many.records[0].name == "comparison"
    screen(explorer).finish()
    assert "Grey" in (of_table := ANSWERS["comparison"].content(explorer.situation).note) and "A bar is" not in of_table
    explorer.state.calibrators = ()


def test_a_bar_says_and_chooses_what_its_cell_does(explorer):
    (grid,) = shown(
        explorer, "comparison", calibrators=("temperature", "beta"), calibrator="spline", lens="top-1"
    ).records
    seen = screen(explorer)
    explorer.state.comparison = "bars"
    row = grid.rows.index("rank 2")
    said = seen.hint("comparison", "comparison-bars", row, "bar 3").split("\n")
    assert said[0] == f"rank 2, beta: {grid.values[row, 2]:.2f} %"
    floor = f"noise limit: 95 of 100 calibrated models stay below {grid.floors[row, 2]:.2f} %"
    assert said[-1] == floor
    if np.isfinite(grid.lower[row, 2]):
        assert said[1] == f"95 % interval {grid.lower[row, 2]:.2f} to {grid.upper[row, 2]:.2f} %"
    noise = by_role(seen.record("comparison", "comparison-bars"), "noise limit")
    place = noise.cells.index((row, 2))
    assert seen.hint("comparison", "comparison-bars", place, "noise limit").split("\n") == said
    assert seen.hint("comparison", "comparison-bars", 99, "bar 3") == ""
    seen.click_dot("comparison", "comparison-bars", row, "bar 3")
    assert (explorer.state.lens, explorer.state.calibrator) == ("rank 2", "beta")
    seen.click_dot("comparison", "comparison-bars", grid.rows.index("top-1"), "bar 1")  # as it is
    assert (explorer.state.lens, explorer.state.calibrator) == ("top-1", "none")
    seen.click_dot("comparison", "comparison-bars", 99, "bar 3")
    assert (explorer.state.lens, explorer.state.calibrator) == ("top-1", "none")


def test_bars_in_other_units_say_them_and_choose_their_cells(explorer):
    shown(
        explorer,
        "comparison",
        rows="metric",
        metrics=("ece", "log_loss", "brier"),
        calibrators=("beta",),
        comparison="bars",
    )
    seen = screen(explorer)
    (grid,) = shown(explorer, "comparison", comparison="table").records
    explorer.state.comparison = "bars"
    assert seen.hint("comparison", "comparison-bars-nats", 0, "bar 2").startswith(
        f"log loss, beta: {grid.values[1, 1]:.4f} nats"
    )
    assert seen.hint("comparison", "comparison-bars-numbers", 0, "bar 1").partition("\n")[0] == (
        f"Brier, none: {grid.values[2, 0]:.4f}"
    )
    explorer.state.calibrator = "spline"
    seen.click_dot("comparison", "comparison-bars-nats", 0, "bar 2")
    assert explorer.state.calibrator == "beta"


def test_labels_that_select_samples_have_no_noise_floor(explorer):
    cells_of(explorer, lens="top-1", calibrators=(), selection="label in [1, 2, 3]")
    assert not any(cell["faint"] for cell in marks(explorer)[0].values())


def test_a_column_that_is_alone_best_is_named():
    rng = np.random.default_rng(0)
    truth = rng.uniform(0.7, 0.95, 4000)
    labels = (rng.random(4000) < truth).astype(int)
    explorer = Explorer(
        cv.Predictions(truth**3, labels),
        panels=("comparison",),
        rows="metric",
        metrics=("brier",),
        calibrators=("platt",),
        lens="class 1",
    )
    screen(explorer).finish()
    cells, _ = marks(explorer)
    assert [first_line(cells["Brier", name]) for name in ("none", "platt")] == ["rank 2", "best"]
    explorer.close()


def test_comparison_of_groups_of_one_s_own(explorer, parts):
    cells_of(explorer, calibrators=())
    for groups in ({"few": ["0"], "many": list("123456789")}, {"few": ["0", "1"], "many": list("23456789")}):
        cells = cells_of(explorer, groups=groups, gamma=1 / 4, binning="k-d tree")
        expected = cv.calibration_error(parts, cv.Grouping(groups), binning=cv.KDTree(1 / 4))
        assert cells["grouping", "none"] == pytest.approx(expected, abs=1e-12)


def test_an_infinite_log_loss_is_a_cell_too():
    probs = np.array([[1.0, 0.0], [0.3, 0.7], [0.6, 0.4], [0.2, 0.8]] * 30)
    explorer = Explorer(cv.Predictions(probs, [1, 1, 0, 1] * 30), panels=("comparison", "temperature"), rows="metric")
    screen(explorer).finish()
    assert screen(explorer).complaint == ""
    rows = screen(explorer).cells("comparison")
    assert next(row for row in rows if row[0]["text"] == "log loss")[1]["text"].startswith("∞")
    explorer.close()


@pytest.mark.parametrize("binning", ["uniform", "equal-mass", "k-d tree", "sweep"])
def test_errors_of_classes_at_every_setting(explorer, parts, binning):
    for setting in (1, 10):
        gamma = 2.0**-setting
        (figure, _) = shown(explorer, "classes", binning=binning, bins=setting, gamma=gamma).records
        name = "equal-mass" if binning == "sweep" else binning
        chosen = {"uniform": cv.Uniform(setting), "equal-mass": cv.EqualMass(setting), "k-d tree": cv.KDTree(gamma)}[
            name
        ]
        expected = [cv.calibration_error(parts, f"class {c}", binning=chosen) for c in range(10)]
        np.testing.assert_allclose(by_role(figure, "bins").y, sorted(expected)[::-1], atol=1e-12)
        assert [label for _, label in figure.x_ticks] == [
            str(c) for c in np.argsort(np.negative(expected), kind="stable")
        ]


def test_errors_of_groups_and_levels(explorer, parts, digits):
    (figure, table) = shown(explorer, "classes", by="group", bins=9, lens="grouping", outcome="odd").records
    for (_, name), error in zip(figure.x_ticks, by_role(figure, "bins").y, strict=True):
        assert error == pytest.approx(
            cv.calibration_error(parts, "grouping", binning=cv.Uniform(9), outcome=name), abs=1e-12
        )
    assert table.rows[table.current[0]][0].text == "odd"
    (figure, _) = shown(explorer, "classes", by="level", gamma=1 / 16).records
    assert len(figure.x_ticks) == len(digits.hierarchy)
    for (_, level), error in zip(figure.x_ticks, by_role(figure, "bins").y, strict=True):
        lens = cv.Grouping(digits.hierarchy[level])
        assert error == pytest.approx(cv.calibration_error(parts, lens, binning=cv.KDTree(1 / 16)), abs=1e-12)


@pytest.mark.parametrize("likert", [(0, 0.33, 0.66, 1), {"not very": (0, 0.8), "very": (0.9, 1)}], ids=str)
def test_likert_errors_before_and_after(explorer, parts, likert):
    evaluation = parts
    _, counts, errors, _ = shown(explorer, "likert", likert=likert, lens="class 3", bins=8, calibrator="spline").records
    spline = cv.cross_fitted(evaluation, "class 3", calibrator=cv.Spline(6))
    cuts = likert if isinstance(likert, dict) else list(likert)
    for role, fitted in (("before", None), ("after", spline)):
        expected = cv.likert_error(evaluation, "class 3", categories=cuts, binning=cv.Uniform(8), calibrator=fitted)
        known = expected["count"].values > 0
        np.testing.assert_array_equal(by_role(counts, role).y, expected["count"])
        np.testing.assert_allclose(by_role(errors, role).y, expected.error.values[known], atol=1e-12)
        np.testing.assert_allclose(
            by_role(errors, f"variation {role}").y, expected.total_variation.values[known], atol=1e-12
        )


def test_top_k_accuracy_is_shown_after_a_repair_that_reorders_classes():
    predictions = cv.load_dataset("digits")["random forest"]
    explorer = Explorer(predictions, panels=(), calibrator="vector")
    _, _, top_k, _ = shown(explorer, "confidence").records
    judged = predictions
    moved = cv.cross_fitted(judged, calibrator=cv.VectorScaling()).transform(judged)
    found = [moved.target_within(k).mean() for k in range(1, 11)]
    assert found[0] != judged.target_within(1).mean()
    after = by_role(top_k, "observed after")
    np.testing.assert_allclose(after.y, found)
    bars = by_role(top_k, "interval after").y  # lower end, upper end, gap
    assert (bars[0::3] < found)[:3].all() and (bars[1::3] >= found).all()
    assert "After recalibration the accuracy is" in top_k.alt


@pytest.mark.parametrize("calibrator", ["temperature", "vector"])  # without and with another order of the classes
def test_the_pictures_of_confidence_give_a_side_the_same_colour(calibrator):
    forest = {"random forest": cv.load_dataset("digits")["random forest"]}
    explorer = Explorer(forest, panels=(), calibrator=calibrator)
    ranks, groups, top_k, _ = shown(explorer, "confidence").records
    sides = {"random forest": STYLES["bins"].colour, f"random forest, {calibrator}": STYLES["after"].colour}

    def colours(figure, prefix=""):
        drawn = {series.name: STYLES[series.role].colour for series in figure.series if series.name}
        return {side: drawn[prefix + side] for side in sides}

    assert colours(ranks) == colours(groups) == colours(top_k, "predicted by ") == sides
    assert STYLES["observed after"].colour == STYLES["interval after"].colour == STYLES["after"].colour


def test_each_picture_below_the_first_has_its_title():
    explorer = cv.Explorer(cv.load_dataset("digits")["random forest"], panels=("confidence",))
    screen(explorer).finish()
    written = " ".join(widget.value for widget in below(explorer) if isinstance(widget, ipywidgets.HTML))
    titles = [record.title for record in screen(explorer).records("confidence")[:3]]
    assert all(title and title in written for title in titles)
    explorer.close()


def test_found_by_rank_and_by_group_has_an_exact_interval():
    p = cv.load_dataset("digits")["random forest"]
    explorer = cv.Explorer(
        p, panels=("confidence",), groups={"odd": (1, 3, 5, 7, 9), "even": (0, 2, 4, 6, 8)}, calibrator="spline"
    )
    screen(explorer).finish()
    ranks, groups = screen(explorer).records("confidence")[:2]
    situation = explorer.situation
    (problem,) = situation.before.problems
    n, first, told = len(problem), problem.mean_target, problem.mean_score
    bars, dots = by_role(ranks, "spread"), by_role(ranks, "observed")
    share, *ends = told * 10.0 ** np.append(dots.y[0], bars.y[:2])
    assert ranks.y_is_log and share == pytest.approx(first, rel=1e-5)
    exact = binomtest(round(first * n), n).proportion_ci(0.95)
    np.testing.assert_allclose(ends, [exact.low, exact.high], rtol=1e-5)  # the rows are float32
    odd = int((situation.predictions.labels % 2).sum())
    place = [name for _, name in groups.x_ticks].index("odd")
    assert by_role(groups, "observed").y[place] == pytest.approx(odd / n)
    exact = binomtest(odd, n).proportion_ci(0.95)
    _of_trials, intervals = (series for series in groups.series if series.role == "spread")
    np.testing.assert_allclose(intervals.y[3 * place :][:2], [exact.low, exact.high], rtol=1e-9)
    assert by_role(groups, "observed").name == "observed, 95 % interval"
    explorer.close()


def three_classes(weights=None, n=400):
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.ones(3), n)
    labels = (rng.random((n, 1)) > probs.cumsum(axis=1)[:, :2]).sum(axis=1)
    return cv.Predictions(probs, labels, weights=None if weights is None else weights(rng, n))


def ranks_of(predictions, **choices):
    """What the panel Ranks draws and tells, where calibrators are fitted to other samples."""
    explorer = cv.Explorer(
        predictions, three_classes(), panels=("confidence",), groups={"ends": (0, 2), "middle": (1,)}, **choices
    )
    screen(explorer).finish()
    records = screen(explorer).records("confidence")
    explorer.close()
    numbers = {
        (record.name, series.role, series.name): np.asarray(series.y)
        for record in records[:-1]
        for series in record.series
    }
    texts = {row[0].text: (row[1].text, row[1].below, row[2].text) for row in records[-1].rows}
    return numbers, texts


def assert_ranks_are_the_same(one, other):
    assert one[0].keys() == other[0].keys() and one[1] == other[1]
    for key, values in one[0].items():
        np.testing.assert_allclose(other[0][key], values, rtol=1e-5, atol=1e-6, err_msg=str(key))


def test_whole_weights_repeat_samples_in_the_pictures_of_ranks():
    p = three_classes(lambda rng, n: rng.integers(0, 4, n).astype(float))
    rows = np.repeat(np.arange(len(p)), p.weights.astype(int))
    written_out = cv.Predictions(p.probs[rows], p.labels[rows])
    assert_ranks_are_the_same(ranks_of(p), ranks_of(written_out))


@pytest.mark.parametrize("unit", [1e150, 1e160, 1e200, 1e-150, 1e-200])
def test_the_unit_of_weights_does_not_matter_to_the_pictures_of_ranks(unit):
    p = three_classes(lambda rng, n: rng.uniform(0.1, 1.0, n))
    assert_ranks_are_the_same(ranks_of(p), ranks_of(cv.Predictions(p.probs, p.labels, weights=unit * p.weights)))


@pytest.mark.parametrize("calibrator", ["isotonic", "temperature"])
def test_ranks_look_at_the_samples_of_the_other_panels_after_a_repair(calibrator):
    predictions, calibration = three_classes(), three_classes(n=300)
    explorer = cv.Explorer(
        predictions, calibration, panels=(), calibrator=calibrator, lens="class 1", selection="confidence > 0.6"
    )
    screen(explorer).finish()
    engine, spec, after = explorer.situation.engine, explorer.situation.spec, explorer.situation.after
    moved = engine.moved_now(spec, spec.model, calibrator)
    trials, kept = engine.kept_of_moved(spec, spec.model, calibrator, moved)
    judged = trials[0] if kept is None else trials[0].select(kept.mask(trials[0]))
    (problem,) = after.problems
    np.testing.assert_array_equal(judged.labels, predictions.labels[np.sort(problem.order)])
    _, top_k, _ = shown(explorer, "confidence").records
    told = np.cumsum(-np.sort(-judged.probs, axis=1), axis=1).mean(axis=0)
    np.testing.assert_allclose(by_role(top_k, "after").y, told, atol=1e-6)
    explorer.close()


def test_a_word_says_what_was_told_and_what_was_found_in_any_bins():
    explorer = cv.Explorer(cv.load_dataset("heart"), panels=("likert",), likert=(0, 0.33, 0.66, 1), calibrator="spline")
    explorer.state.overlays = ("calibrator: platt",)  # the table of errors has all numbers, of what is drawn over too
    screen(explorer).finish()
    heads = [column.text for column in screen(explorer).record("likert", "categories").columns]
    told, found = heads.index("predicted"), heads.index("observed")
    (problem,) = explorer.situation.before.problems
    inside = problem.score <= 0.33
    target = problem.given_target[inside]
    hits, n = round(target.sum()), len(target)
    cells = screen(explorer).record("likert", "categories").rows[0]
    assert cells[told].text == f"{100 * problem.score[inside].mean():.2f} %"
    exact = binomtest(hits, n).proportion_ci(0.95)
    assert cells[found].text == f"{100 * hits / n:.2f} %"
    assert cells[found].below == interval(exact.low, exact.high)
    with patch.object(likert_contents, "share_ends", side_effect=AssertionError("computed anew")):
        explorer.state.bins = 9
    assert screen(explorer).complaint == ""
    assert screen(explorer).record("likert", "categories").rows[0][found] == cells[found]
    explorer.close()


def test_confidence_is_relative_to_the_first_model():
    models = cv.load_dataset("digits")
    explorer = Explorer(models, panels=(), model="random forest", calibrator="temperature")
    ranks, groups, top_k, entropy = shown(explorer, "confidence").records
    judged = models["random forest"]
    moved = cv.cross_fitted(judged, calibrator=cv.Temperature()).transform(judged)
    expected = cv.confidences(models | {"random forest, temperature": moved}, baseline={"model": next(iter(models))})
    drawn = {series.name: series.y for series in ranks.series if series.name}
    level, exact, never = f"{next(iter(models))} (baseline)", "observed, 95 % interval", "never observed (0)"
    told = ["random forest", "random forest, temperature", "naive Bayes", "neural network"]
    assert list(drawn) == [level, *told, exact, never]
    for name, curve in drawn.items():
        if name in told:
            logarithm = np.log10(expected.relative.sel(model=name).squeeze())  # so far apart are these two
            np.testing.assert_allclose(curve, logarithm, rtol=1e-9, atol=1e-12)
    found = by_role(top_k, "bins").y
    np.testing.assert_allclose(found, [judged.target_within(k).mean() for k in range(1, 11)])
    told = np.cumsum(-np.sort(-judged.probs.astype(float), axis=1), axis=1).mean(axis=0)
    np.testing.assert_allclose(by_role(top_k, "flexible").y, told, atol=1e-9)
    assert by_role(top_k, "after").name == "predicted by random forest, temperature"
    assert not len(by_role(top_k, "observed after").y)  # a temperature keeps the order of the classes
    for row in entropy.rows:
        mean = expected.entropy.sel(model=row[0].text).item()
        low, high = map(float, row[1].below.split(" to "))
        assert row[1].text == f"{mean:.3f} nat" and low < mean < high and row[2].text == f"{np.exp(mean):.2f} classes"
    rest = next(series for series in groups.series if series.name == "random forest, temperature")
    members = models["random forest"].groups
    np.testing.assert_allclose(
        rest.y, [moved.probs[:, list(of)].sum(axis=1).mean() for of in members.values()], rtol=1e-6
    )
    explorer.close()


def test_the_nll_is_least_near_the_fitted_temperature(explorer, parts):
    (figure,) = shown(explorer, "temperature", metrics=("ece", "brier"), lens="class 3").records
    job = screen(explorer).job("temperatures")
    places, errors = job.value.places, job.value.errors
    best = 2.0 ** places[np.nanargmin(errors["nll"])]
    assert best == pytest.approx(cv.Temperature().fit(parts).temperature_, rel=0.005)
    low, high = 2.0 ** np.array(job.value.within["nll"])
    assert f"T = {best:#.3g} ({low:#.3g} to {high:#.3g})" in figure.alt and low < best < high
    assert set(job.value.within) == {"ece", "brier", "nll"}
    for i in (0, len(places) // 2, len(places) - 1):
        warmer = cv.Temperature()
        warmer.fit(parts).temperature_ = float(2.0 ** places[i])
        moved = warmer.transform(parts)
        assert errors["nll"][i] == pytest.approx(cv.log_loss(moved), abs=1e-9)
        assert errors["brier"][i] == pytest.approx(cv.brier_score(moved, "class 3"), abs=1e-12)
        assert errors["ece"][i, 6] == pytest.approx(
            cv.calibration_error(moved, "class 3", binning=cv.Uniform(7)), abs=1e-9
        )


def test_the_temperature_of_a_class_is_judged_by_its_own_log_loss_where_that_is_drawn(explorer, parts):
    for lens, metrics, whose in (
        ("class 3", ("ks", "log_loss"), "class 3"),
        ("class 3", ("ks",), "all classes (NLL)"),
        ("top-1", ("ks", "log_loss"), "all classes (NLL)"),
    ):
        content = shown(explorer, "temperature", metrics=metrics, lens=lens)
        assert content.answer.startswith(f"The log loss of {whose} is least at T = "), (lens, metrics)
        taken = cv.Temperature().fit(parts).temperature_
        assert f"Temperature scaling takes T = {taken:.2f}, which " in content.answer


def test_the_least_ece_is_looked_for_under_the_bins_that_are_shown(explorer):
    for bins in (5, 25):
        content = shown(explorer, "temperature", metrics=("ece",), bins=bins)
        job = kept(screen(explorer).jobs)[-1]
        assert job.label == "temperatures" and "ece" in job.value.within
        values, places = job.value.of("ece", bins - 1), job.value.places
        at = int(values.argmin())
        assert places[at + 1] - places[at - 1] <= 2.0**-7
        assert f"ECE: {percent(values[at])} at T = {2.0 ** places[at]:#.3g} (" in content.records[0].alt
        assert "In brackets" in content.note and "more closely" not in content.note


def test_a_temperature_picture_of_all_metrics(explorer):
    content = shown(explorer, "temperature", metrics=tuple(MENU))
    assert "Not drawn" in content.note and MENU["log_loss"].title in content.note
    assert sum(bool(series.name) for series in content.records[0].series) == 9  # T = 1, least, noise, 5 and the NLL


def test_dots_say_what_they_are(explorer):
    diagram, _ = shown(explorer, "reliability", bins=10).records
    bins = explorer.situation.bins(explorer.situation.before)[0]
    few = (bins.count > 0) & (bins.count < 10)
    for role, drawn in (("bins", bins.count >= 10), ("few", few)):
        dots = next(series for series in diagram.series if series.role == role)
        assert len(dots.areas) == len(dots.hints) == drawn.sum() > 0
        for hint, place in zip(dots.hints, np.flatnonzero(drawn), strict=True):
            n, right = int(bins.count[place]), round(bins.count[place] * bins.target[place])
            start = f"{n:,} {'image' if n == 1 else 'images'} predicted {10 * place} to {10 * place + 10}\n"
            assert hint.startswith(f"{start}{right} {'is' if right == 1 else 'are'} right")
            if role == "few":
                assert hint.endswith("\ntoo few to say")
                continue
            ends = binomtest(right, n).proportion_ci(0.95)
            shares = of_hundred(bins.target[place], ends.low, ends.high)
            assert f": {shares[0]} of 100 ({shares[1]} to {shares[2]})\n" in hint
            is_within = ends.low <= bins.score[place] <= ends.high
            end = "within noise" if is_within else "beyond noise"
            assert hint.endswith(f"\n{end}")
    listed = shown(explorer, "classes")
    (hints,) = (series.hints for series in listed.records[0].series if series.role == "bins")
    assert [hint.split(":")[0] for hint in hints] == list(listed.names)


@pytest.mark.parametrize("name", ["index", "label", "predicted", "confidence", "score", "target", "ink"])
def test_samples_are_sorted_by_a_click_on_a_heading(explorer, name):
    explorer.state.update(panels=("instances",), selection="", order="", bin=None, lens="top-1")
    screen(explorer).finish()
    names = explorer._contents["instances"].names
    worst = [row[0]["text"] for row in screen(explorer).cells("instances")]
    heading = screen(explorer).table("instances").content["columns"][names.index(name)]["text"]
    assert heading == {"predicted": "predicted class", "score": "predicted", "target": "observed"}.get(name, name)
    listed = []
    for order, sign in ((name, "ascending"), (f"-{name}", "descending"), ("", "none")):
        screen(explorer).sort("instances", names.index(name))
        assert explorer.state.order == order
        assert screen(explorer).table("instances").content["columns"][names.index(name)]["sort"] == sign
        listed.append([row[0]["text"] for row in screen(explorer).cells("instances")])
    assert listed[2] == worst
    judged, problem = explorer.situation.before.predictions[0], explorer.situation.before.problems[0]
    score, target = np.full((2, len(judged)), np.nan)
    score[problem.order], target[problem.order] = problem.score, problem.given_target
    values = {
        "index": np.arange(len(judged)), "label": judged.labels, "predicted": judged.predicted,
        "confidence": judged.confidence, "score": score, "target": target, "ink": judged.fields["ink"],
    }[name]  # fmt: skip  # short entries stand in rows
    kept = np.sort(values[problem.order])
    np.testing.assert_array_equal(values[list(map(int, listed[0]))], kept[: len(listed[0])])
    np.testing.assert_array_equal(values[list(map(int, listed[1]))], kept[::-1][: len(listed[1])])


def test_samples_without_such_a_column_are_as_at_first(explorer):
    explorer.state.update(panels=("instances",), order="")
    before = screen(explorer).cells("instances")
    explorer.state.order = "no such field"
    assert screen(explorer).cells("instances") == before
    explorer.state.order = ""


def test_dots_are_told_in_the_units_of_the_axis(explorer):
    figure = shown(explorer, "temperature", metrics=("ece", "log_loss")).records[0]
    hinted = [series for series in figure.series if series.hints and series.role != "least"]
    curves = {series.hints[0].partition(":")[0]: series for series in hinted}
    assert {"ECE", "NLL"} <= set(curves)
    for series in curves.values():
        for x, hint in zip(series.x, series.hints, strict=True):
            assert hint.endswith(f" at T = {2.0**x:#.3g}")
    _, categories, *_ = shown(explorer, "likert", likert=(0, 0.5, 1)).records
    dots = next(series for series in categories.series if series.role == "before")
    assert _place_name(categories, float(dots.x[0])) == categories.x_ticks[0][1]
    assert _place_name(figure, 0.3) == "0.3"  # a number beside ticks that have texts of their own


def test_no_rule_asks_what_an_element_holds():
    """The browser would look at the styles of all that is around a change anew, with every step."""
    view = Path(panel_view.__file__).parents[1]
    sheets = {path.name: path.read_text(encoding="utf-8") for path in view.rglob("*.css") if path.name != "still.css"}
    assert len(sheets) > 8
    assert [name for name, sheet in {**sheets, "grid.py": grid.RULES}.items() if ":has(" in sheet] == []


def test_ranks_compare_what_is_drawn_over_the_model():
    models = {name: cv.load_dataset("digits")[name] for name in ("random forest", "naive Bayes", "neural network")}
    explorer = cv.Explorer(models, panels=("confidence",), calibrator="vector")
    first, second = "random forest", "naive Bayes"
    explorer.state.overlays = ("calibrator: temperature", "calibrator: vector", f"model: {second}")
    screen(explorer).finish()
    names = [first, f"{first}, temperature", f"{first}, vector", second]
    ranks, *_, entropy = screen(explorer).records("confidence")
    curves = {series.name: series for series in ranks.series if series.name in names}
    assert set(curves) == set(names) and curves[f"{first}, vector"].role == "after"
    assert [row[0].text for row in entropy.rows] == names
    judged = models[first]
    for calibrator, made in (("temperature", cv.Temperature()), ("vector", cv.VectorScaling())):
        moved = cv.cross_fitted(judged, calibrator=made).transform(judged)
        ratio = moved.confidence.mean() / judged.confidence.mean()
        shown = curves[f"{first}, {calibrator}"].y[0]
        assert (10**shown if ranks.y_is_log else shown) == pytest.approx(ratio, rel=1e-5)
    explorer.close()


def test_categories_show_what_is_drawn_over_the_model():
    models = cv.load_dataset("heart")
    explorer = cv.Explorer(models, panels=("likert",), likert=(0, 0.3, 0.7, 1), calibrator="platt")
    explorer.state.overlays = ("calibrator: isotonic", "calibrator: platt", "model: random forest")
    screen(explorer).finish()
    _, counts, errors, table = screen(explorer).records("likert")
    names = ["isotonic", "random forest"]  # the chosen calibrator is there already
    assert [series.name for series in counts.series if series.name in names] == names
    assert [row[0].below for row in table.rows[:4]] == ["before", "after", *names]
    other = cv.likert_error(models["random forest"], explorer.state.lens, categories=[0, 0.3, 0.7, 1])
    for figure, column in ((counts, "count"), (errors, "error")):
        (drawn,) = (series for series in figure.series if series.name == "random forest")
        np.testing.assert_allclose(drawn.y, other[column].values, atol=1e-12)
        assert "random forest: 0 to 30 % " in figure.alt
        x = np.concatenate([series.x for series in figure.series if series.name and series.shape == "dots"])
        assert len(np.unique(x.round(9))) == len(x) and x.min() > -0.5 and x.max() < 2.5  # none hides another
    explorer.close()
