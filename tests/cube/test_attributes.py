"""Every table says what its variables are, in which unit and by whom, and what made it; files keep all of it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import xarray as xr
from api_values import FittedAnew

import calibviz as cv

TUMOURS = cv.load_dataset("tumours")
BAYES = TUMOURS["naive Bayes"]
DIGITS = cv.load_dataset("digits")["naive Bayes"].select(np.arange(0, 1797, 6))
DRAWN = cv.simulated("resnet110_c10", 600)
SUMMARY = cv.summarize(DRAWN, "class right")
DAYS = np.repeat(np.datetime64("2024-05-01") + np.arange(3), 200)
OPENED = xr.Dataset({"probs": (("sample", "class"), BAYES.probs), "label": ("sample", BAYES.labels)}).chunk(sample=100)
QUIET = {"progress": False}
TABLES = {
    "evaluate": lambda: cv.evaluate(
        DIGITS,
        ["top-1", "class 3"],
        calibrators=["none", "spline"],
        calibration=0.5,
        noise=True,
        replicates=3,
        intervals=0.9,
        metrics=["ks", "ece", "brier", "gce"],
        ranking="calibrator",
        **QUIET,
    ),
    "several models": lambda: cv.evaluate(TUMOURS, categories=[0, 0.5, 1], thresholds=0.2, k=1, gammas=0.2, **QUIET),
    "a stack": lambda: cv.evaluate(cv.subsamples(BAYES, share=0.5, replicates=3), metrics="ks", **QUIET),
    "a summary": lambda: cv.evaluate(SUMMARY, metrics="ks", **QUIET),
    "in parts": lambda: cv.evaluate(
        cv.open_predictions(OPENED), metrics="ks", calibrators="spline", calibration=0.5, **QUIET
    ),
    "confidences": lambda: cv.confidences(DIGITS, calibrators=["none", "temperature"], calibration=0.5, **QUIET),
    "ranks": lambda: cv.rank_calibrators(by_calibrator(), untested=True),
    "rank_correlation": lambda: cv.rank_correlation(by_calibrator(), "metric"),
    "preferred": lambda: cv.preferred(by_calibrator(), untested=True),
    "reliability": lambda: cv.reliability(BAYES),
    "reliabilities": lambda: cv.reliability(DIGITS, ["top-1", "class 3"], bins=[5, 10]),
    "reliability of outcomes": lambda: cv.reliability(DIGITS, "classwise"),
    "cumulative": lambda: cv.cumulative(BAYES),
    "likert_error": lambda: cv.likert_error(BAYES),
    "simulate_errors": lambda: cv.simulate_errors(
        "resnet110_c10", ["uniform", "sweep"], n=[100], replicates=5, **QUIET
    ),
    "miss_rates": lambda: cv.miss_rates(cv.Network.power(1.3), n=[100], replicates=5, **QUIET),
    "sample_size": lambda: cv.sample_size(BAYES, error=cv.ks_error, n=[100, 200], replicates=4, **QUIET),
    "fit_network": lambda: cv.fit_network(DRAWN, "class right", **QUIET).curves,
    "sensitivity": lambda: cv.sensitivity(BAYES, settings=[1, 5, 6, 7, 8, 9], replicates=3, **QUIET),
    "spread_by_size": lambda: cv.spread_by_size(BAYES, error=cv.ks_error, fractions=[0.5], replicates=3, **QUIET),
    "over_time": lambda: cv.over_time(
        cv.Predictions(DRAWN.probs, DRAWN.labels, fields={"day": DAYS}),
        lens="class 1",
        width="D",
        replicates=20,
        **QUIET,
    ),
    "calibration_curve": lambda: cv.calibration_curve(BAYES),
    "calibration_curve of outcomes": lambda: cv.calibration_curve(DIGITS, "classwise"),
    "calibration_slope of outcomes": lambda: cv.calibration_slope(DIGITS, "classwise"),
    "choose_update of outcomes": lambda: cv.choose_update(DIGITS, "classwise"),
    "hosmer_lemeshow": lambda: cv.hosmer_lemeshow(BAYES),
    "calibration_belt": lambda: cv.calibration_belt(BAYES),
    "decision_curve": lambda: cv.decision_curve(BAYES, thresholds=[0.2], replicates=3),
    "murphy_curve": lambda: cv.murphy_curve(BAYES, thresholds=[0.2], calibrator=np.sqrt, replicates=3),
    "optimism": lambda: cv.optimism(FittedAnew(), [[0.0]] * 40, ["a", "b"] * 20, replicates=3, **QUIET),
    "local_calibration": lambda: cv.local_calibration(BAYES, thresholds=[0.9]),
    "risk_coverage": lambda: cv.risk_coverage(BAYES, level=0.9),
    "expected_cost": lambda: cv.expected_cost(BAYES, costs=[[0, 10], [1, 0]]),
    "curve_bounds": lambda: cv.curve_bounds(SUMMARY),
    "curve_bounds of a spline": lambda: cv.curve_bounds(SUMMARY, cv.Spline()),
    "the curve of a spline": lambda: cv.Spline().fit(cv.lens("top-1")(BAYES)).curve(),
}


def by_calibrator():
    methods = ["none", "temperature", "spline"]
    return cv.evaluate(DIGITS, calibrators=methods, calibration=0.5, metrics=["ks", "ece"], **QUIET)


@pytest.fixture(scope="module", params=TABLES)
def table(request, few_in_cubes):
    return TABLES[request.param]()


def test_each_variable_and_coordinate_says_what_it_is(table):
    for name, variable in table.variables.items():
        wanted = {"long_name", "units", "source"} - ({"units"} if variable.dtype.kind == "M" else set())
        assert all(isinstance(variable.attrs.get(key), str) and variable.attrs[key] for key in wanted), name
        assert len(variable.attrs["long_name"]) <= 60
    assert table.attrs["calibviz_version"] == cv.__version__


@pytest.mark.parametrize("kind", ["netcdf", "zarr"])
def test_files_keep_it(table, kind, tmp_path):
    if kind == "netcdf":
        pytest.importorskip("netCDF4")
        table.to_netcdf(tmp_path / "table.nc")
        again = xr.open_dataset(tmp_path / "table.nc")
    else:
        pytest.importorskip("zarr")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # texts have no specification in zarr 3
            table.to_zarr(tmp_path / "table.zarr", consolidated=False)
        again = xr.open_zarr(tmp_path / "table.zarr", consolidated=False)
    with again:
        xr.testing.assert_identical(again.load(), table)


def test_the_cube_says_what_it_was_made_of():
    calibration, evaluation = BAYES.split(0.4)
    hashes = {cv.evaluate(p, metrics="ks").data_hash for p in (BAYES, evaluation, calibration)}
    assert len(hashes) == 3
    again = cv.Predictions(BAYES.probs.copy(), BAYES.labels.copy(), class_names=BAYES.class_names, fields=BAYES.fields)
    assert cv.evaluate(again, metrics="ks").data_hash == cv.evaluate(BAYES, metrics="brier").data_hash
    probs = BAYES.probs.copy()
    probs[3] = np.nextafter(probs[3], 0.5)
    moved = cv.Predictions(probs, BAYES.labels, class_names=BAYES.class_names, fields=BAYES.fields)
    assert cv.evaluate(moved, metrics="ks").data_hash not in hashes

    made = {"metrics": "ks", "calibrators": ["none", "spline"], **QUIET}
    by_others = cv.evaluate(evaluation, calibration=calibration, **made)
    digest = cv.evaluate(calibration, metrics="ks").data_hash
    assert by_others.fitted_to == f"{len(calibration)} other samples, {digest}"
    assert by_others.n_samples == len(evaluation)
    assert cv.evaluate(BAYES, calibration=0.4, **made).n_samples == len(evaluation)
    assert cv.evaluate(BAYES, calibration=0.4, **made).fitted_to.startswith("a share of 0.4 of the samples, drawn")
    assert cv.evaluate(BAYES, folds=3, **made).fitted_to.startswith("3 folds: each sample is recalibrated by")
    assert cv.evaluate(BAYES, metrics="ks").fitted_to == "nothing: no calibrator was asked for"
    models = {"all": BAYES, "some": evaluation}
    assert cv.evaluate(models, metrics="ks").n_samples == [len(BAYES), len(evaluation)]


def test_names_units_and_sources_are_those_of_the_registries():
    cube = cv.evaluate(
        DIGITS,
        ["top-1", "rank 2", "classwise"],
        binnings=["uniform", "equal-mass"],
        calibrators=["none", "temperature", "platt"],
        folds=2,
        metrics=["ece", "log_loss", "count", "sweep_bins"],
        **QUIET,
    )
    assert [cube[name].units for name in ("ece", "log_loss", "count", "sweep_bins")] == ["1", "nat", "samples", "bins"]
    assert cube.ece.long_name == "ECE" and cube.ece.description.startswith("calibration error, ")
    assert cube.calibrator.source == "Guo et al. 2017; Platt 1999"
    assert cube.lens.source == "Guo et al. 2017; Gupta et al. 2020, section 2; Nixon et al. 2019, appendix C"
    assert cube.binning.source == "Naeini et al. 2015; Guo et al. 2017; Nguyen and O'Connor 2015"


def test_coordinates_of_the_user_keep_what_they_say():
    probs = np.stack([BAYES.probs, BAYES.probs[::-1]])
    data = xr.Dataset(
        {"probs": (("fold", "sample", "class"), probs), "label": ("sample", BAYES.labels)},
        {"fold": ("fold", [0, 1], {"long_name": "fold of my study", "units": "weeks"})},
    )
    cube = cv.evaluate(data, metrics="ks", **QUIET)
    assert (cube.fold.long_name, cube.fold.units) == ("fold of my study", "weeks") and cube.fold.source
    assert set(data.fold.attrs) == {"long_name", "units"}


def test_lenses_go_by_the_names_of_a_dict():
    groups = {"low": (range(5), range(5, 10)), "odd": (range(1, 10, 2), range(0, 10, 2))}
    halves = {name: cv.Grouping({"a": first, "b": second}) for name, (first, second) in groups.items()}
    assert halves["low"].name == halves["odd"].name
    cube = cv.evaluate(
        DIGITS,
        halves | {"top": "top-1"},
        metrics=["brier", "log_loss"],
        calibrators=["none", "spline"],
        folds=2,
        ranking="calibrator",
        **QUIET,
    )
    assert cube.lens.values.tolist() == ["low", "odd", "top"]
    for name, lens in (halves | {"top": "top-1"}).items():
        assert cube.brier.sel(lens=name, calibrator="none").item() == pytest.approx(cv.brier_score(DIGITS, lens))
        alone = cv.evaluate(DIGITS, lens, metrics="brier", calibrators="spline", folds=2, **QUIET)
        assert cube.brier.sel(lens=name, calibrator="spline").item() == pytest.approx(alone.brier.item())
    assert "lenses={'low': Grouping(" in cube.call
    scalar = {name: cv.Outcome(lens, "a") for name, lens in halves.items()}  # of one name, and other calibrators
    both = cv.evaluate(DIGITS, scalar, metrics="brier", calibrators="spline", folds=2, **QUIET)
    for name, lens in scalar.items():
        alone = cv.evaluate(DIGITS, lens, metrics="brier", calibrators="spline", folds=2, **QUIET)
        assert both.brier.sel(lens=name).item() == alone.brier.item()
    with pytest.raises(ValueError, match=r"lens 'grouping a/b' is given twice"):
        cv.evaluate(DIGITS, list(halves.values()))
    opened = cv.open_predictions(
        xr.Dataset({"probs": (("sample", "class"), DIGITS.probs), "label": ("sample", DIGITS.labels)}).chunk(sample=100)
    )
    with pytest.raises(ValueError, match=r"lens 'grouping a/b' is given twice"):
        cv.evaluate(opened, halves)
    named = cv.evaluate(opened, {"mine": "top-1"}, metrics="ks", **QUIET)
    assert named.ks.sel(lens="mine").item() == pytest.approx(cv.ks_error(DIGITS))
    with pytest.raises(ValueError, match="lens is empty"):
        cv.evaluate(DIGITS, {})


def test_the_family_shares_the_dimension_of_binnings():
    cube = cv.evaluate(DIGITS, metrics="gce", **QUIET)
    assert cube.gce.dims[3:] == ("binning", "max_prob", "class_conditional", "threshold", "norm", "bins")
    assert cube.binning.values.tolist() == ["uniform", "equal-mass"] and cube.gce.size == 32
    ace = cube.gce.sel(binning="equal-mass", max_prob=False, class_conditional=True, threshold=0, norm="l1").item()
    assert ace == pytest.approx(cv.GCE.named("ACE")(DIGITS))
    assert cv.GCE("adaptive") == cv.GCE("equal-mass") and cv.GCE("even") == cv.GCE()
    own = cv.evaluate(DIGITS, binnings=[cv.Uniform(closed="right"), "equal-mass"], metrics=["gce", "ece"], **QUIET)
    ece = own.gce.sel(max_prob=True, class_conditional=False, threshold=0, norm="l1", drop=True)
    np.testing.assert_allclose(ece.squeeze(), own.ece.squeeze())


def test_reliability_over_lenses_calibrators_and_bins():
    made = {"calibrators": ["none", "spline"], "calibration": 0.5}
    tables = cv.reliability(DIGITS, ["top-1", "class 3"], bins=[5, 10], **made)
    assert dict(tables.sizes) == {"lens": 2, "calibrator": 2, "bins": 2, "bin": 10}
    cube = cv.evaluate(DIGITS, ["top-1", "class 3"], bins=[5, 10], metrics="ece", **made, **QUIET)
    gap = abs(tables.target - tables.score).fillna(0)
    error = (gap * tables.weight).sum("bin") / tables.weight.sum("bin")
    xr.testing.assert_allclose(error, cube.ece.squeeze(drop=True).transpose(*error.dims))
    assert tables["count"].dtype == np.int64 and (tables["count"].sel(bins=5)[..., 5:] == 0).all()
    assert tables.score.sel(bins=5)[..., 5:].isnull().all()
    evaluation = DIGITS.split(0.5)[1]
    for lens in ("top-1", "class 3"):
        one = tables.sel(lens=lens, calibrator="none", bins=10, drop=True)
        xr.testing.assert_equal(one, cv.reliability(evaluation, lens, binning=cv.Uniform(10)))
    assert tables.attrs["fitted_to"] == cube.fitted_to and tables.data_hash == cube.data_hash


def test_one_value_makes_no_dimension_and_a_list_of_one_does():
    assert dict(cv.reliability(BAYES, "top-1", bins=4).sizes) == {"bin": 4}
    assert dict(cv.reliability(BAYES, ["top-1"], bins=4).sizes) == {"lens": 1, "bin": 4}
    assert dict(cv.reliability(BAYES, bins=[4]).sizes) == {"bins": 1, "bin": 4}
    named = cv.reliability(BAYES, {"mine": "class malignant"}, binning="equal-mass", calibrators="spline", folds=2)
    assert named.lens.values.tolist() == ["mine"] and "calibrator" not in named.dims
    xr.testing.assert_equal(cv.reliability(BAYES, binning="equal-mass"), cv.reliability(BAYES, binning=cv.EqualMass()))
    own = cv.Uniform(closed="right")
    xr.testing.assert_equal(
        cv.reliability(BAYES, binning=own, bins=5), cv.reliability(BAYES, binning=cv.Uniform(5, closed="right"))
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"lens": ["top-1", "full"]}, "lens has 'full', of several outcomes, and 'top-1', of one score a sample"),
        ({"lens": ["top-1", "top-1"]}, "lens 'top-1' is given twice"),
        ({"bins": [5, 5]}, "bins 5 is given twice"),
        ({"bins": []}, "bins is empty"),
        ({"binning": cv.Sweep(), "bins": 5}, "binning 'sweep' has no number of bins to choose: leave bins out"),
        ({"calibration": 0.5}, "calibration and folds are for calibrators, of which none is named"),
        ({"replicates": 0}, "replicates must be at least 1, not 0"),
        ({"calibrators": "spline"}, "calibration is missing"),
        ({"calibrators": ["spline", "spline"], "folds": 2}, "calibrator 'spline' is given twice"),
    ],
)
def test_what_reliability_cannot_use_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        cv.reliability(DIGITS, **arguments)
