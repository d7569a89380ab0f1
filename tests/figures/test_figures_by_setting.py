"""Pictures over settings, categories, ranks, classes and temperatures; and that colours tell things apart."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from figure_checks import by_role, check, form

import calibviz as cv
from calibviz import figures
from calibviz.figures.shapes import powers_of_ten, signed

DIGITS = cv.load_dataset("digits")["naive Bayes"]


# ---- sensitivity


def test_sensitivity_marks_the_current_setting_and_waits_for_the_bootstrap():
    table = cv.sensitivity(DIGITS, settings=[1, 2, 3, 5, 8, 13], replicates=20, progress=False)
    waiting = table.copy(deep=True)
    for name in ("mean", "std", "lower", "upper"):
        waiting[name][:] = np.nan
    for name in ("suggestion", "window_start", "window_stop", "note"):
        waiting.attrs.pop(name, None)
    drawn, empty = figures.sensitivity_figure(table), figures.sensitivity_figure(waiting)
    done = figures.marked(drawn, 5)
    assert form(check(done)) == form(check(empty))
    assert by_role(done, "cursor").x.tolist() == [5, 5]
    assert not len(by_role(empty, "cursor").x) and not len(by_role(empty, "interval").x)
    assert "not known yet" in empty.alt
    assert not len(by_role(figures.marked(drawn, 50), "cursor").x)  # beyond the axis
    waiting["error"][:] = np.nan
    assert form(check(figures.sensitivity_figure(waiting))) == form(done)
    check(figures.sensitivity_figure(waiting.isel(bins=[0])))


def test_a_window_is_only_outlined_while_the_bootstrap_goes_on():
    table = cv.sensitivity(DIGITS, settings=[1, 5, 6, 7, 8, 9], replicates=20, progress=False)
    done = figures.sensitivity_figure(table)
    so_far = figures.sensitivity_figure(table.assign_attrs(replicates=20, of_replicates=100))
    assert form(check(so_far)) == form(check(done))
    window, outline = by_role(done, "suggestion"), by_role(so_far, "suggestion so far")
    assert (window.name, outline.name) == ("flattest", "flattest so far")
    assert (window.shape, outline.shape) == ("area", "line")
    np.testing.assert_array_equal(outline.x, window.x)
    assert not len(by_role(so_far, "suggestion").x) and not len(by_role(done, "suggestion so far").x)
    assert done.note == "F" + table.attrs["note"][1:] + "."
    assert so_far.note == f"So far, by 20 of 100 replicates, {table.attrs['note']}."


def test_points_per_bin_are_those_of_the_table():
    table = cv.sensitivity(DIGITS, "full", settings=[0.5, 0.25, 0.125], replicates=2, progress=False)
    figure = check(figures.marked(figures.points_per_bin_figure(table), -2))
    for role, name in (("most", "most"), ("bins", "median"), ("fewest", "fewest")):
        np.testing.assert_allclose(10 ** by_role(figure, role).y, table[f"{name}_in_bin"])
    assert by_role(figure, "cursor").x.tolist() == [-2, -2]
    bare = table.drop_vars([name for name in table if name.endswith("_in_bin")])
    assert form(check(figures.points_per_bin_figure(bare))) == form(figure)


# ---- tables and categories


def test_grids_say_their_ends():
    values = np.array([[0.1, np.nan], [0.3, 0.2]])
    grid = figures.grid_figure("g", "Errors", ["a", "b"], ["x", "y"], values, "error", (1, 0))
    assert grid.current == (1, 0)
    assert "from 0.1 (a, x) to 0.3 (b, x); not known: 1." in grid.alt
    assert "not known: 4." in figures.grid_figure("g", "E", ["a", "b"], ["x", "y"], values * np.nan, "error").alt


def likert(predictions, intervals=(0, 0.5, 0.9, 0.99, 1)):
    table = cv.likert_error(predictions, categories=intervals)
    rows = [{name: table[name].values[i] for name in table} for i in range(table.sizes["category"])]
    return table.category.values.tolist(), rows


def test_likert_figures_show_the_table():
    names, rows = likert(DIGITS)
    other = likert(cv.Temperature().fit(DIGITS).transform(DIGITS))[1]
    counts, errors = figures.likert_figures(names, [rows], [other])
    dots = [series for series in counts.series if series.shape == "dots" and series.name]
    assert [series.y.tolist() for series in dots] == [[row["count"] for row in side] for side in (rows, other)]
    assert counts.x_ticks == tuple(enumerate(names))
    np.testing.assert_array_equal(by_role(errors, "before").y, [row["error"] for row in rows if row["count"]])
    np.testing.assert_array_equal(
        by_role(errors, "variation after").y, [row["total_variation"] for row in other if row["count"]]
    )
    trials = figures.likert_figures(names, [rows, other], [rows, rows])
    alone = figures.likert_figures(names, [rows], None)
    gap = figures.likert_figures(["empty"], [likert(DIGITS, {"empty": (0.0, 1e-9)})[1]], None)
    for several, one, hole, known in zip(trials, alone, gap, (counts, errors), strict=True):
        assert form(check(several)) == form(check(one)) == form(check(hole)) == form(check(known))
        assert len(by_role(several, "spread").x) and not len(by_role(one, "spread").x)
        assert not len(by_role(one, "after").x)


# ---- confidences


@pytest.mark.parametrize("ranks", [1, 2, 10, 20, 1000])
@pytest.mark.parametrize("trials", [1, 3])
def test_confidences_by_rank(ranks, trials):
    rng = np.random.default_rng(0)
    curves = {name: 1 + rng.random((trials, ranks)) for name in ("none", "temperature")}
    figure = check(figures.confidence_figure(np.arange(1, ranks + 1), curves))
    line = by_role(figure, "bins")
    assert line.name == "none" and by_role(figure, "overlay 1").name == "temperature"
    at = (10**line.x if ranks > 20 else line.x).round().astype(int)
    assert at[0] == 1 and at[-1] == ranks
    np.testing.assert_allclose(line.y, curves["none"].mean(axis=0)[at - 1])
    assert bool(len(by_role(figure, "band").x)) == (trials > 1)
    unknown = check(figures.confidence_figure(np.arange(1, ranks + 1), {"none": np.full((1, ranks), np.nan)}))
    assert form(figure) == form(unknown)


@pytest.mark.parametrize("ranks", [3, 4, 1000])
def test_what_is_found_of_the_first_ranks_has_its_interval(ranks):
    mean, lower, upper = np.array([[1.1, 0.8, 0.0], [1.0, 0.6, 0.0], [1.2, 1.0, 0.3]])
    curves = {"none": np.ones((1, ranks))}
    found = figures.ObservedShares("found", mean, lower, upper)
    figure = check(figures.confidence_figure(np.arange(1, ranks + 1), curves, found=found))
    assert form(figure) == form(figures.confidence_figure(np.arange(1, ranks + 1), curves))
    dots, bars = by_role(figure, "observed"), by_role(figure, "spread")
    np.testing.assert_allclose(dots.y, mean)
    assert dots.x.max() < figure.x_range[1]  # beside what is told of the last rank, too
    np.testing.assert_allclose(bars.y[~np.isnan(bars.y)].reshape(-1, 2), np.column_stack([lower, upper]))
    grouped = check(figures.groups_figure(["a", "b", "c"], {"none": np.full((1, 3), 0.3)}, found=found))
    np.testing.assert_allclose(by_role(grouped, "observed").y, mean)
    assert grouped.y_range[1] >= upper.max()


def test_what_is_never_observed_stands_open_at_the_bottom_of_a_log_axis():
    mean, lower, upper = np.array([[1.1, 0.8, 0.0], [1.0, 0.6, 0.0], [1.2, 1.0, 0.3]])
    found = figures.ObservedShares("found", mean, lower, upper)
    figure = check(figures.confidence_figure([1, 2, 3], {"none": [[1.0, 1.0, 100.0]]}, found=found))
    assert figure.y_is_log
    dots, never, bars = (by_role(figure, role) for role in ("observed", "observed never", "spread"))
    assert len(dots.x) == 2 and never.x.tolist() == [pytest.approx(3.0, abs=0.2)]
    assert figure.y_range[0] < never.y.item() < min(dots.y) and "never" in never.name
    assert bars.y[~np.isnan(bars.y)][-2:].tolist() == pytest.approx([never.y.item(), np.log10(0.3)])


def test_groups_and_at_most_five_names():
    values = {name: np.array([[0.2, 0.8]]) for name in "abcde"}
    figure = check(figures.groups_figure(["odd", "even"], values))
    assert by_role(figure, "overlay 4").y.tolist() == [0.2, 0.8]
    assert "most in even, 80.00 %" in figure.alt
    assert figure.x_ticks == ((0.0, "odd"), (1.0, "even"))
    twice = check(figures.groups_figure(["odd", "even"], {"a": np.array([[0.2, 0.8], [0.4, 0.6]])}))
    assert form(twice) == form(figure)
    of_trials, _ = (series for series in twice.series if series.role == "spread")
    np.testing.assert_allclose(of_trials.y[[0, 1]], [0.2, 0.4])
    for make in (figures.groups_figure, figures.confidence_figure):
        with pytest.raises(ValueError, match="has 6 entries, but a picture shows 5 at most"):
            make([1, 2], values | {"f": values["a"]})


# ---- classes


def test_classes_are_sorted_and_the_unknown_left_out():
    errors = np.array([0.1, np.nan, 0.3, 0.2])
    figure = check(figures.classes_figure(list("abcd"), errors, 3, spread=errors / 10))
    assert by_role(figure, "bins").y.tolist() == [0.3, 0.2, 0.1]
    assert by_role(figure, "selected").x.tolist() == [2.0]
    assert figure.x_ticks == ((1.0, "c"), (2.0, "d"), (3.0, "a"))
    assert figures.worst_first(errors).tolist() == [2, 3, 0]
    for part in ("largest 30.00 % (c)", "least 10.00 % (a)", "mean of 3 20.00 %", "d is marked, number 2", "known: 1"):
        assert part in figure.alt
    none = check(figures.classes_figure(list("abcd"), np.full(4, np.nan), 1, kind="group"))
    assert form(none) == form(figure)
    many = check(figures.classes_figure([str(i) for i in range(1000)], np.linspace(0, 1, 1000)))
    assert (np.diff(by_role(many, "bins").y) <= 0).all() and not many.x_ticks


def test_some_places_of_the_classes_are_drawn_by_themselves():
    names, errors = [f"class {i}" for i in range(1000)], np.linspace(0, 1e-5, 1000)
    part = check(figures.classes_figure(names, errors, 3, classes=[(i,) for i in range(1000)], ranks=(991, 1000)))
    drawn = by_role(part, "bins")
    assert drawn.x.tolist() == list(range(991, 1001)) and drawn.y.tolist() == errors[9::-1].tolist()
    assert part.x_range == (990.5, 1000.5) and part.y_range[1] < 1e-7
    assert part.x_ticks[0] == (991.0, "class 9") and drawn.classes[0] == (9,)
    assert drawn.hints[0] == "class 9: 0.000009 %" and drawn.hints[-1] == "class 0: 0.00 %"
    assert by_role(part, "selected").x.tolist() == [997.0]
    assert "the largest 0.001 % (class 999)" in part.alt and part.alt.endswith("Shown: ranks 991 to 1000.")
    empty = check(figures.classes_figure(names, np.full(1000, np.nan), ranks=(2, 7)))
    assert not len(by_role(empty, "bins").x) and empty.x_range == (1.5, 7.5)


def test_noise_floors_stand_behind_the_classes_of_which_they_are_known():
    errors, floors = np.array([0.1, 0.2, 0.3]), np.array([0.15, np.nan, 0.35])
    figure = check(figures.classes_figure(list("abc"), errors, floors=floors))
    columns = by_role(figure, "noise")
    assert columns.x[[0, 1]].tolist() == [0.7, 1.3] and np.nanmax(columns.y) == 0.35 == figure.y_range[1] / 1.05
    assert np.isnan(columns.x).sum() == 1 and columns.x[~np.isnan(columns.x)].max() == 3.3  # two columns, none for b
    assert by_role(figure, "bins").hints == (
        "c: 30.00 %, noise: 35.00 %",
        "b: 20.00 %",
        "a: 10.00 %, noise: 15.00 %",
    )
    assert figure.alt.endswith("Of the worst 2, 0 are beyond noise.")
    assert form(figure) == form(figures.classes_figure(list("abc"), errors))


# ---- temperature


def test_temperature_marks_every_least_value():
    temperatures = np.array([0.5, 1.0, 2.0, 4.0])
    errors = {"ECE": [0.3, 0.2, 0.012, 0.1], "NLL": [0.4, 0.213, 0.3, np.nan], "KS": [np.nan] * 4, "flat": [0.1] * 4}
    within = {"ECE": (1.5, np.inf), "NLL": (np.nan, np.nan)}
    figure = check(figures.temperature_figure(temperatures, errors, 1.5, within, units={"NLL": "nat"}))
    assert by_role(figure, "least").x.tolist() == [1.0, 0.0, -1.0]
    assert by_role(figure, "bins").name == "ECE: 1.20 % at T = 2.00 (1.50 and more)"
    assert by_role(figure, "overlay 1").name == "NLL: 0.2130 at T = 1.00 (none is calibrated)"
    assert by_role(figure, "least").hints[-1] == "flat: 10.00 % at T = 0.500, the last one tried"
    in_nats = check(figures.temperature_figure(temperatures, errors, 1.5, within, {"flat": "nat"}))
    assert by_role(in_nats, "overlay 1").name == "NLL: 21.30 % at T = 1.00 (none is calibrated)"
    assert by_role(in_nats, "least").hints[-1] == "flat: 0.1000 at T = 0.500, the last one tried"
    assert sorted(set(by_role(figure, "noise").x)) == pytest.approx([np.log2(1.5), 2.0])
    curve = by_role(figure, "bins")
    assert (curve.y.min(), curve.y.max(), curve.x[curve.y.argmin()]) == (0, 1, 1)
    assert figure.x_ticks == ((-1.0, "1/2"), (0.0, "1"), (1.0, "2"), (2.0, "4"))
    np.testing.assert_allclose(by_role(figure, "cursor").x, np.log2(1.5))
    assert form(check(figures.temperature_figure(temperatures, {}, 1.0))) == form(figure)


def test_a_change_has_a_minus_and_no_change_has_no_sign():
    texts = [
        signed(value, digits) for value, digits in ((-0.015, 4), (1234.5, 1), (10, 0), (-0.01, 1), (0.4, 0), (0, 2))
    ]
    assert texts == ["−0.0150", "+1,234.5", "+10", "0.0", "0", "0.00"]


def test_an_axis_writes_its_powers_of_ten_in_one_way():
    assert [text for _, text in powers_of_ten(-2, 2)] == ["0.01", "0.1", "1", "10", "100"]
    assert [text for _, text in powers_of_ten(-8, 8)] == ["10⁻⁶", "10⁻³", "1", "10³", "10⁶"]
    assert [text for _, text in powers_of_ten(3.5, 5.1)] == ["5·10³", "10⁴", "2·10⁴", "5·10⁴", "10⁵"]


def test_a_picture_is_copied_with_its_hints():
    problem = cv.lens("top-1")(cv.load_dataset("digits")["naive Bayes"])
    figure = figures.reliability_figure([problem], [cv.Uniform(10)(problem)])
    copy = pickle.loads(pickle.dumps(figure))
    hints = [tuple(series.hints) for series in figure.series]
    assert [series.hints for series in copy.series] == hints and any(hints)
