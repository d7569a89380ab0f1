"""`cube.calibviz`: a cube that came by mail draws itself, and importing calibviz does not import xarray for it."""

from __future__ import annotations

import subprocess
import sys

import ipywidgets
import numpy as np
import pytest
import xarray as xr
from figure_checks import check

import calibviz as cv
from calibviz import figures

BIAS = cv.Metric("bias", lambda problem: np.average(problem.score - problem.target, weights=problem.weight))


@pytest.fixture(scope="module")
def path(tmp_path_factory, few_in_cubes):
    pytest.importorskip("netCDF4")
    predictions = cv.load_dataset("digits")["naive Bayes"].select(np.arange(0, 1797, 3))
    cube = cv.evaluate(
        predictions,
        ["top-1", "class 3"],
        bins=[5, 15, 30],
        calibrators=["none", "temperature"],
        folds=2,
        noise=True,
        replicates=4,
        metrics=["ece", "ks", "accuracy", BIAS],
        selections={"all": None, "sure": "confidence > 0.9"},
        progress=False,
    )
    file = tmp_path_factory.mktemp("mail") / "cube.nc"
    cube.to_netcdf(file)
    return file


@pytest.fixture(scope="module")
def cube(path):
    with xr.open_dataset(path) as opened:
        return opened.load()


@pytest.mark.thorough
@pytest.mark.parametrize("imports", ["import xarray as xr, calibviz as cv", "import calibviz as cv, xarray as xr"])
def test_a_person_with_nothing_but_the_file(path, imports):
    program = f"""
import sys, warnings
warnings.simplefilter("error")
{imports}
cube = xr.open_dataset({str(path)!r}, decode_timedelta=False)
picture = cube.sel(selection="all").calibviz.plot()
print(len(picture.axes), type(xr.__spec__.loader).__name__, [f for f in sys.meta_path if "calibviz" in repr(f)])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("2 SourceFileLoader []\n", "")


def test_xarray_is_not_imported_for_it():
    program = "import sys, calibviz\nprint([name for name in ('xarray', 'typing', 'numpy') if name in sys.modules])"
    clean = [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{program}"]
    assert subprocess.run(clean, capture_output=True, text=True, check=True).stdout == "[]\n"


def line(ax, label):
    (found,) = (one for one in ax.get_lines() if one.get_label() == label)
    return found.get_xydata()


def test_errors_over_bins_with_their_noise(cube):
    one = cube.sel(lens="top-1", selection="all")
    (ax,) = one.calibviz.plot().axes
    assert (ax.get_title(), ax.get_xlabel(), ax.get_ylabel()) == ("ECE by bins and calibrator", "number of bins", "ECE")
    for name in ("none", "temperature"):
        np.testing.assert_allclose(line(ax, name)[:, 1], one.ece.sel(calibrator=name).squeeze())
    floors = line(ax, "noise limit: 95 of 100 calibrated models stay below")[:, 1]
    np.testing.assert_allclose(
        floors[np.isfinite(floors)], one.ece_noise.squeeze().transpose("calibrator", "bins").values.ravel()
    )
    bars = line(ax, "5 % to 95 % of bootstrap samples")
    assert len(bars) == 3 * 6 - 1
    below = (one.ece <= one.ece_noise).values
    assert below.sum() == sum(len(one.get_xdata()) for one in ax.get_lines() if one.get_label() == "within noise")
    (record,) = figures.cube_figures(one)
    check(record)
    hints = [hint for series in record.series for hint in series.hints]
    assert len(hints) == 6 and hints[0].startswith("none, bins 5: ") and "calibrated models stay below" in hints[0]


def test_every_other_dimension_has_pictures_and_names_make_bars(cube):
    titles = [ax.get_title() for ax in cube.calibviz.plot().axes]
    assert [title.replace("\n", " ") for title in titles] == [
        f"ECE by bins and calibrator, {selection}, {lens}"
        for selection in ("all", "sure")
        for lens in ("top-1", "class 3")
    ]
    ks = cube.sel(selection="all").calibviz.plot("ks")
    assert [ax.get_title() for ax in ks.axes] == ["KS by lens and calibrator"]
    assert cube.sel(selection="all").calibviz.plot("bias", x="calibrator", hue="lens").axes[0].get_ylabel() == "bias"
    single = cube.isel(lens=0, selection=0, calibrator=0, bins=0).squeeze()
    assert len(single.calibviz.plot().axes) == 1  # of no dimension at all
    swapped = cube.sel(selection="all").calibviz.plot(x="lens", hue="bins")
    assert len(swapped.axes) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metric": "ce"}, "metric must be one of 'ece', 'ks', 'accuracy', 'bias', not 'ce'"),
        ({"x": "gamma"}, "x must be one of 'model', 'selection', 'calibrator', 'lens', 'binning', 'bins', not 'gamma'"),
        ({"x": "lens", "hue": "lens"}, "hue must be one of .*, not 'lens'"),
    ],
)
def test_what_it_cannot_draw_is_refused(cube, arguments, message):
    with pytest.raises(ValueError, match=message):
        cube.calibviz.plot(**arguments)


def test_other_tables_and_too_many_pictures_are_refused(cube):
    for show in ("plot", "explore"):
        with pytest.raises(ValueError, match=r"cube holds no metric: it must be what cv.evaluate\(...\) returns"):
            getattr(xr.Dataset({"ece_noise": ("x", [1.0])}).calibviz, show)()
    family = cv.evaluate(cv.load_dataset("tumours")["naive Bayes"], metrics="gce", bins=[5, 10], progress=False)
    with pytest.raises(
        ValueError, match=r"x and hue leave 16 pictures, for each max_prob, .*: choose labels with .sel"
    ):
        family.calibviz.plot()


def test_the_live_view_follows_its_choices_and_leaves_nothing_behind(cube):
    before = set(ipywidgets.widgets.widget._instances)
    view = cube.calibviz.explore()
    dropdown = {
        control.tooltip: control for control in view._transport.widgets if isinstance(control, ipywidgets.Dropdown)
    }
    assert "ECE by bins" in view._sentence() and view.state.choices.hue == "calibrator"
    dropdown["What is measured"].value = "ks"
    assert (view.state.choices.x, view.state.choices.metric) == ("lens", "ks")
    expected = cube.ks.sel(selection="sure").squeeze()
    dropdown["Which selection is shown"].value = 1
    figure = view.figure()
    assert f"{100 * float(expected.max()):.2f} %" in view._sentence() and len(figure.axes) == 1
    dropdown["The dimension on the x axis"].value = "selection"
    assert view.state.choices.x == "selection" and view.state.choices.hue == "calibrator"
    dropdown["The dimension on the x axis"].value = "calibrator"
    assert view.state.choices.x == "calibrator" != view.state.choices.hue
    dropdown["The dimension whose labels have colours"].value = ""
    assert view.state.choices.hue == "" or view.state.choices.hue == "lens"
    dropdown["What is measured"].value = "ece"
    view.close()
    assert set(ipywidgets.widgets.widget._instances) == before
