"""The static pictures draw what the tables hold."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

import calibviz as cv
from calibviz import figures
from calibviz.figures.styles import STYLES
from calibviz.figures.tables import Cell, Column, Table

DIGITS = cv.load_dataset("digits")["random forest"]


def series_of(figure, name):
    (found,) = (series for series in figure.series if series.name == name)
    return found


def drawn(ax, label):
    (line,) = (line for line in ax.get_lines() if line.get_label() == label)
    return line.get_xydata()


@pytest.mark.parametrize("interval", ["clopper-pearson", "bootstrap", "consistency"])
def test_reliability_draws_the_table(interval):
    ax = cv.plots.reliability(DIGITS, interval=interval, level=0.9).axes[0]
    table = cv.reliability(DIGITS, interval=interval, level=0.9)
    filled = table.where(table["count"] > 0, drop=True)
    assert filled.sizes["bin"] < table.sizes["bin"]  # there are empty bins, which are not drawn
    many = filled.where(filled["count"] >= 10, drop=True)
    for name, kept in {"bins": filled["count"] >= 10, "fewer than 10 samples": filled["count"] < 10}.items():
        shown = [dots.get_offsets() for dots in ax.collections if dots.get_label() == name]
        wanted = np.column_stack([filled.score, filled.target])[kept]
        np.testing.assert_array_equal(shown, [wanted] if len(wanted) else [])
    bars = drawn(ax, "90 % consistency bars" if interval == "consistency" else "90 % interval")
    np.testing.assert_array_equal(bars[::3, 1], many.lower)
    np.testing.assert_array_equal(bars[1::3, 1], many.upper)
    assert ax.get_ylabel() == "observed (mean target)"


def test_sensitivity_draws_the_table_and_the_flattest_window():
    table = cv.sensitivity(DIGITS, settings=[1, 2, 5, 6, 7, 8, 9], replicates=20, progress=False)
    assert {"suggestion", "window_start", "window_stop"} <= set(table.attrs)
    picture = cv.plots.sensitivity(table)
    (ax,) = picture.axes
    np.testing.assert_array_equal(drawn(ax, "error"), np.column_stack([table.bins, table.error]))
    np.testing.assert_array_equal(drawn(ax, "bootstrap mean")[:, 1], table["mean"])
    corners = ax.patches[0].get_xy()
    assert (corners[:, 0].min(), corners[:, 0].max()) == (table.attrs["window_start"], table.attrs["window_stop"])
    said = picture.legends[0].get_title().get_text().replace("\n", " ")
    assert said == f"F{table.attrs['note'][1:]}." and said.startswith("Flat from 5 to 9 bins: the error spans")


def test_sensitivity_over_gamma_is_on_a_log_axis():
    table = cv.sensitivity(DIGITS, "full", replicates=5, settings=[0.5, 0.25, 0.125], progress=False)
    assert table.attrs["suggestion"] is None  # fewer settings than a window has
    figure = figures.sensitivity_figure(table)
    np.testing.assert_array_equal(series_of(figure, "error").x, [-1, -2, -3])
    assert "γ" in figure.x_label and all(name == f"1/{2**-at:g}" for at, name in figure.x_ticks)
    assert figure.note == "No window to be flat in: it takes 5 settings, not 3." and figure.note in figure.alt
    assert not any(len(series.x) for series in figure.series if series.role in ("category", "cursor"))


@pytest.mark.parametrize("make", [cv.plots.cumulative, cv.plots.reliability])
def test_pictures_can_be_written(make, tmp_path):
    make(DIGITS, "class 3").savefig(tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").stat().st_size > 1000
    calibration, evaluation = DIGITS.split()
    cv.plots.recalibration(evaluation, calibration=calibration).savefig(tmp_path / "map.png")
    assert (tmp_path / "map.png").stat().st_size > 1000


def test_ranks_are_drawn_with_their_numbers(tmp_path):
    cube = cv.evaluate(
        cv.load_dataset("digits")["random forest"],
        calibrators=["none", "isotonic", "histogram"],
        folds=3,
        metrics=["ece", "ks", "brier"],
        progress=False,
    )
    picture = cv.plots.ranks(cube, untested=True)
    ranks = cv.rank_calibrators(cube, untested=True)
    grid = cv.figures.ranks_figure(cube, untested=True)
    assert grid.rows == ("ece, uniform, 15 bins", "ks", "brier")
    assert grid.columns == ("none", "isotonic", "histogram")
    np.testing.assert_array_equal(grid.values[1], ranks.ks.squeeze())
    assert "none" not in grid.alt.split("first:")[1]  # which is never the best
    ax = picture.axes[0]
    assert [text.get_text() for text in ax.texts][:3] == [f"{value:g}" for value in grid.values[0]]
    assert [label.get_text() for label in ax.get_yticklabels()] == list(grid.rows)
    picture.savefig(tmp_path / "ranks.png")


def test_a_notebook_shows_a_picture_by_itself():
    picture = cv.plots.cumulative(cv.load_dataset("digits")["random forest"])
    assert picture._repr_png_().startswith(b"\x89PNG")


def test_panels_draw_every_record(tmp_path):
    problem = cv.lens("top-1")(DIGITS)
    bins = cv.Uniform(10)(problem)
    values = np.array([[0.1, np.nan], [0.3, 0.2]])
    records = [
        figures.reliability_figure([problem], [bins], curves=("smooth", "corp"), current=9, draggable=(0.5,)),
        *figures.cumulative_figures([problem]),
        figures.slopes_figure([problem]),
        figures.classes_figure([f"class {i}" for i in range(10)], np.linspace(0, 1, 10), 3),
        figures.grid_figure("errors", "Errors", ["a", "b"], ["x", "y"], values, "error", (1, 1)),
    ]
    picture = cv.plots.panels(records, "Digits")
    axes = [ax for ax in picture.axes if ax.get_label() != "<colorbar>"]
    assert [ax.get_title() for ax in axes] == [record.title for record in records]
    assert axes[5].get_xticklabels()[0].get_text() == "class 9"
    (outline,) = axes[-1].patches
    assert outline.get_xy() == (0.5, 0.5)
    picture.savefig(tmp_path / "panels.png")
    renderer = FigureCanvasAgg(picture).get_renderer()
    for cell, ax in zip(picture.subfigs, axes, strict=False):
        for legend in cell.legends:
            assert not legend.get_window_extent(renderer).overlaps(ax.get_tightbbox(renderer))
    with pytest.raises(ValueError, match="records is empty"):
        cv.plots.panels([])


def test_a_grid_colours_only_what_is_beyond_noise_and_writes_intervals():
    values, noise = np.array([[3.36, 5.58], [4.55, np.nan]]), np.array([[True, False], [True, False]])
    grid = figures.grid_figure("g", "Errors", ["a", "b"], ["x", "y"], values, "error in %")
    grid = replace(grid, noise=noise, lower=values - 1, upper=np.where(noise, values + 1, np.nan))
    ax = cv.plots.draw_grid(grid, cv.plots.Picture().subplots())
    (image,) = ax.images
    assert image.get_array().mask.tolist() == [[True, False], [True, True]] and image.get_clim() == (3.36, 5.58)
    said = [(text.get_text(), text.get_color()) for text in ax.texts if text.get_text()]
    assert said[:2] == [("3.36", "0.4"), ("2.36 to 4.36", "0.4")] and said[2] == ("5.58", "k")
    assert said[3:] == [("4.55", "0.4"), ("3.55 to 5.55", "0.4")]
    assert ax.get_xlabel() == "grey: within noise" and len(ax.figure.axes) == 2
    quiet = cv.plots.draw_grid(replace(grid, noise=np.ones((2, 2), bool)), cv.plots.Picture().subplots())
    assert quiet.get_xlabel() == "error in %; grey: within noise" and len(quiet.figure.axes) == 1
    below = cv.plots.draw_grid(replace(grid, values=-values, lower=-values - 1), cv.plots.Picture().subplots())
    assert [text.get_text() for text in below.texts if text.get_text()][:2] == ["−3.36", "−4.36 to 4.36"]


def test_markers_known_to_both_libraries():
    bqplot = pytest.importorskip("bqplot")
    used = {style.marker for style in STYLES.values()}
    assert used <= set(cv.plots.MARKERS)
    assert used <= set(bqplot.Scatter.class_traits()["marker"].values)  # what is dragged
    drawn = (Path(cv.__file__).parent / "explorer" / "transport" / "dots.js").read_text(encoding="utf-8")
    assert used <= {name for name in cv.plots.MARKERS if re.search(f'^  "?{name}"?: ', drawn, re.MULTILINE)}


def test_the_pictures_of_ks_before_and_after_on_both_sets():
    calibration, judged = cv.load_dataset("digits")["naive Bayes"].split(0.5)
    spline = cv.Spline().fit(cv.lens("top-1")(calibration))
    picture = cv.plots.ks(judged, calibrator=spline, calibration=calibration)
    assert len(picture.axes) == 16
    rows = [(judged, None), (judged, spline), (calibration, None), (calibration, spline)]
    names = ["judged, before", "judged, after", "fitted to, before", "fitted to, after"]
    for (p, calibrator), name, axes in zip(rows, names, np.reshape(picture.axes, (4, 4)), strict=True):
        problem = cv.lens("top-1")(p)
        problem = problem if calibrator is None else problem.mapped(calibrator)
        error = cv.ks_error(problem)
        assert axes[0].get_title().replace("\n", " ").startswith(f"{name}: KS {100 * error:.2f} %, noise up to ")
        assert np.abs(np.diff(drawn(axes[0], "KS")[:, 1])).item() == pytest.approx(error)
        assert [ax.get_xlabel() for ax in axes[2:]] == ["share of the samples, by score", "predicted (score)"]
        probability = drawn(axes[3], "probability")
        np.testing.assert_allclose(probability[:, 1], cv.Spline().fit(problem)(probability[:, 0]))
    assert len(cv.plots.ks(judged).axes) == 4
    with pytest.raises(TypeError, match="calibrator must be a fitted calibrator, or a function of scores, not int"):
        cv.plots.ks(judged, calibrator=3)


def test_rank_correlations_are_drawn_with_their_numbers():
    p = cv.load_dataset("digits")["neural network"]
    how = {"calibrators": ["none", "temperature", "isotonic", "beta"], "calibration": 0.5, "progress": False}
    cube = cv.evaluate(p, metrics=["ece", "ks", "brier"], bins=[10, 15], **how)
    table = cv.rank_correlation(cube.sel(bins=[15]), "metric")
    ax = cv.plots.rank_correlation(table).axes[0]
    np.testing.assert_array_equal(ax.images[0].get_array(), table.correlation.squeeze())
    assert [label.get_text() for label in ax.get_yticklabels()] == list(table["metric"].values)
    by_bins = cv.rank_correlation(cube, "bins")
    assert cv.plots.rank_correlation(by_bins, "ece").axes[0].get_title() == "Do rankings by ece agree?"
    for arguments, error, message in (
        ((3,), TypeError, r"table must be what cv.rank_correlation\(...\) returns, not int"),
        ((cube,), ValueError, "but it holds no correlations"),
        ((table, "ecee"), ValueError, "name must be"),
    ):
        with pytest.raises(error, match=message):
            cv.plots.rank_correlation(*arguments)


def test_rows_of_several_units_are_coloured_each_by_itself():
    values = np.array([[4.0, 2.0], [np.nan, 0.3], [0.1, 0.1], [np.nan, np.inf]])
    grid = figures.grid_figure("errors", "Errors", list("abcd"), ["x", "y"], values, "error in %, score")
    mixed = cv.plots.panels([replace(grid, units=("%", "nat", "nat", "nat"))])
    [ax] = mixed.axes  # no bar says what a colour means
    assert "each row coloured by itself" in ax.get_xlabel()
    np.testing.assert_array_equal(ax.images[0].get_array().filled(np.nan)[:3], [[1, 0], [np.nan, 0.5], [0.5, 0.5]])
    assert {text.get_text() for text in ax.texts} == {"4", "2", "0.300", "0.100", "∞"}
    assert len(cv.plots.panels([replace(grid, units=("%",) * 4)]).axes) == 2


def test_the_texts_of_a_table_lie_on_none_of_their_neighbours():
    heads = ("index", "site", "sex", "chest_pain", "exercise_angina", *(f"a field number {i}" for i in range(7)))
    row = ("690", "Zurich and Basel", "female", "asymptomatic", "yes", *["1,234.5"] * 7)
    table = Table("rows", "", tuple(map(Column, heads)), (tuple(map(Cell, row)),) * 3, "Rows.")
    picture = cv.plots.panels([table])
    renderer = FigureCanvasAgg(picture).get_renderer()
    picture.draw(renderer)
    places = [(text.get_text(), text.get_window_extent(renderer)) for text in picture.axes[0].texts]
    assert {"690", "1,234.5", "Zurich and Basel"} <= {words for words, _ in places}
    for (here, one), (there, other) in combinations(places, 2):
        assert not one.padded(-1.0).overlaps(other.padded(-1.0)), (here, there)


@pytest.mark.thorough
@pytest.mark.parametrize("comparison", ["table", "bars"])
def test_a_saved_picture_has_room_for_the_names_of_all_32_errors(comparison):
    explorer = cv.Explorer(cv.load_dataset("digits")["random forest"], panels=("comparison",), rows="gce")
    explorer.state.comparison, explorer.state.calibrators = comparison, ("temperature", "isotonic")
    explorer.finish()
    picture = explorer.figure()
    explorer.close()
    FigureCanvasAgg(picture).draw()
    above, _ = picture.subfigs
    ax = picture.axes[0]
    whole, title = picture.bbox, [text for text in above.findobj(Text) if text.get_text()][-1].get_window_extent()
    names = ax.get_yticklabels() if comparison == "table" else ax.get_xticklabels()
    places = [name.get_window_extent() for name in names if name.get_text()]
    assert len(places) == 32
    for place in places:
        assert whole.x0 <= place.x0 and place.x1 <= whole.x1 and whole.y0 <= place.y0 and place.y1 <= title.y0
    assert ax.title.get_window_extent().y1 <= title.y0
    if comparison == "table":  # no name stands on the next one
        tops = sorted((place.y0, place.y1) for place in places)
        assert all(one[1] <= other[0] + 1 for one, other in itertools.pairwise(tops))
