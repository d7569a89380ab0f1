"""`evaluate(..., noise=True)`: beside every error of calibration stands what chance alone shows."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from scipy.stats import binom

import calibviz as cv
from calibviz.context.class_lenses import Classwise
from calibviz.engine.family import ProblemFamily
from calibviz.metrics.likert import problem_likert
from calibviz.metrics.records.registry import METRICS

NULLS = 59  # of `few_in_cubes`


def third_largest(values):
    """Of 59 draws, above which an error has a p-value of at most 3 / 60."""
    return np.sort(values)[-3]


STATISTICS = {
    "ece": lambda q: cv.calibration_error(q, binning=cv.EqualMass(7)),
    "mce": lambda q: cv.calibration_error(q, binning=cv.EqualMass(7), aggregate="max"),
    "kdtree_ece": lambda q: cv.calibration_error(q, binning=cv.KDTree(0.2)),
    "ks": cv.ks_error,
    "kuiper": cv.kuiper_error,
    "sweep": lambda q: cv.calibration_error(q, binning=cv.Sweep()),
    "smooth": cv.smooth_error,
    "kde": cv.kde_error,
    "debiased": cv.debiased_error,
    "label_binned": cv.label_binned_error,
    "miscalibration": lambda q: cv.corp(q).miscalibration,
    "likert_error": lambda q: problem_likert(q, 0.6, 1.0, cv.EqualMass(7))["error"],
    "likert_total_variation": lambda q: problem_likert(q, 0.6, 1.0, cv.EqualMass(7))["total_variation"],
}
OF_FAMILIES = ("ece", "mce", "ks", "debiased", "sweep")


def predictions(n=120, seed=0, **changed):
    """Overconfident, with ties, whole-number weights and a field."""
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet([0.5, 0.7, 0.9], n).round(2) + 1e-3
    labels = [rng.choice(3, p=row) for row in probs**0.4 / (probs**0.4).sum(axis=1, keepdims=True)]
    given = {"fields": {"age": rng.integers(20, 60, n)}, "weights": rng.integers(0, 3, n).astype(float)} | changed
    return cv.Predictions(probs / probs.sum(axis=1, keepdims=True), labels, **given)


@pytest.fixture(scope="module")
def cube(few_in_cubes):
    return cv.evaluate(
        predictions(),
        ["top-1", "class 1", "classwise", "pooled", "full"],
        binnings="equal-mass",
        bins=[7, 15],
        gammas=0.2,
        selections={"old": "age > 40"},
        categories=[0, 0.6, 1],
        metrics=[*STATISTICS, "brier", "accuracy"],
        noise=True,
        rng=3,
        progress=False,
    )


@pytest.mark.thorough
def test_what_has_a_floor(cube):
    joined = {f"{metric}_{suffix}" for metric in STATISTICS for suffix in ("noise", "p_value", "expected")}
    assert set(cube.data_vars) == {*STATISTICS, *joined, "brier", "accuracy"}
    assert {*STATISTICS, "gce"} == {name for name, record in METRICS.items() if record.calibration}
    for metric in STATISTICS:
        assert cube[metric].dims == cube[f"{metric}_noise"].dims == cube[f"{metric}_p_value"].dims
    assert f"95 % quantile over {NULLS} data sets drawn as if" in cube.ks_noise.attrs["description"]
    assert "noise=True, rng=3" in cube.attrs["call"]


@pytest.mark.parametrize(
    ("metric", "lens"),
    [(metric, "class 1") for metric in STATISTICS]
    + [(metric, lens) for lens in ("classwise", "pooled") for metric in OF_FAMILIES]
    + [("ks", "top-1"), ("kdtree_ece", "full")],
)
def test_every_floor_is_that_of_consistency_resampling(cube, metric, lens):
    at = {"lens": lens, "bins": 7, "category": "[0.6, 1]"}
    at = {dim: label for dim, label in at.items() if dim in cube[metric].dims}
    whole = STATISTICS[metric]

    def statistic(q):
        return q.mean(whole) if isinstance(q, ProblemFamily) else float(whole(q))

    null = cv.consistency(
        predictions(), error=statistic, lens=lens, selection="age > 40", replicates=NULLS, rng=3, progress=False
    )
    found = cube.sel(at)
    assert found[metric].item() == pytest.approx(null.estimate, abs=1e-15)
    assert found[f"{metric}_noise"].item() == pytest.approx(third_largest(null.replicates), abs=1e-15)
    assert found[f"{metric}_p_value"].item() == pytest.approx(null.p_value, abs=1 / NULLS)


def test_the_gce_family_shares_the_draws_of_the_classes(few_in_cubes):
    cube = cv.evaluate(
        predictions(60),
        "classwise",
        binnings=["uniform", "equal-mass"],
        bins=5,
        metrics=["ece", "gce"],
        noise=True,
        progress=False,
    )
    for binning in ("uniform", "equal-mass"):
        named = {"binning": binning, "max_prob": False, "class_conditional": True, "threshold": 0.0, "norm": "l1"}
        for suffix in ("", "_noise", "_p_value"):
            same = cube[f"ece{suffix}"].sel(lens="classwise", binning=binning).item()
            assert cube[f"gce{suffix}"].sel(named).item() == pytest.approx(same, abs=1e-15)
    assert (
        "the labels are soft"
        in (
            cv.evaluate(
                cv.Predictions([[0.3, 0.7]], [[0.5, 0.5]]), metrics="gce", noise=True, progress=False
            ).gce_noise.attrs["unavailable"]
        )
    )


def test_all_metrics_of_a_cell_share_the_data_sets(few_in_cubes):
    calls = []

    class Counting(Classwise):
        def __call__(self, p):
            calls.append(p)
            return super().__call__(p)

    cv.evaluate(predictions(30), Counting(), metrics=["ks", "ece", "debiased"], noise=True, progress=False)
    assert len(calls) == NULLS + 1


@pytest.mark.thorough
def test_calibrated_predictions_exceed_the_floor_as_often_as_it_says(monkeypatch):
    monkeypatch.setattr("calibviz.cube.cells_in_memory.NULLS", 199)
    models, sets, n = {}, 60, 100
    for seed in range(sets):
        rng = np.random.default_rng(seed)
        score = rng.beta(2, 1, n)
        models[str(seed)] = cv.Predictions(score, rng.random(n) < score)
    cube = cv.evaluate(models, "class 1", metrics=["ece", "ks"], noise=True, progress=False)
    for metric in ("ece", "ks"):
        above = int((cube[metric] > cube[f"{metric}_noise"]).sum())
        assert binom.ppf(0.0005, sets, 0.05) <= above <= binom.ppf(0.9995, sets, 0.05)
        low = int((cube[f"{metric}_p_value"] <= 0.5).sum())
        assert binom.ppf(0.0005, sets, 0.5) <= low <= binom.ppf(0.9995, sets, 0.5)


def test_summaries_have_the_floor_of_their_sums(few_in_cubes):
    p = predictions(400, weights=None)
    summary = cv.summarize(p, "class 1")
    cube = cv.evaluate(summary, noise=True, progress=False)
    null = cv.consistency(summary, error=cv.ks_error, replicates=NULLS, progress=False)
    assert cube.ks_noise.item() == third_largest(null.replicates)
    assert cube.ks_p_value.item() == null.p_value
    samples = cv.evaluate(p, "class 1", noise=True, progress=False)
    assert cube.ece_noise.item() == pytest.approx(samples.ece_noise.item(), rel=0.1)


@pytest.mark.parametrize(
    ("judged", "arguments", "said"),
    [
        (cv.Predictions([[0.2, 0.8]], [[0.5, 0.5]]), {}, "consistency resampling draws one label a sample, but the la"),
        (
            predictions(50),
            {"lenses": "pooled", "calibrators": "isotonic", "calibration": predictions(50, 1)},
            "a calibrator of scores moves the entries of a row one by one",
        ),
    ],
)
def test_cells_without_a_floor_say_why(few_in_cubes, judged, arguments, said):
    cube = cv.evaluate(judged, metrics="ece", noise=True, progress=False, **arguments)
    for name in ("ece_noise", "ece_p_value"):
        assert cube[name].isnull().all()
        assert said in cube[name].attrs["unavailable"]
    assert cube.ece.notnull().all()
    assert "unavailable" not in cube.ece.attrs


def test_sums_of_leaves_and_of_families_have_no_floor(few_in_cubes):
    p = predictions(200, weights=None, fields=None)
    data = xr.Dataset({"probs": (("sample", "class"), p.probs), "label": ("sample", p.labels)})
    lazy = cv.open_predictions(data.chunk(sample=100))
    cube = cv.evaluate(lazy, ["top-1", "classwise", "full"], gammas=0.2, noise=True, progress=False)
    assert cube.ks_noise.sel(lens="top-1") > 0
    assert "a family of problems has no labels to draw" in cube.ks_noise.attrs["unavailable"]
    assert "the sums of leaves have no rows: draw rows with" in cube.kdtree_ece_noise.attrs["unavailable"]
    assert cube.kdtree_ece_noise.sel(lens="full").isnull().all() and cube.kdtree_ece.sel(lens="full").notnull().all()


def test_refusals():
    with pytest.raises(TypeError, match="noise must be True or False, not 'yes'"):
        cv.evaluate(predictions(5), noise="yes", progress=False)
    with pytest.raises(ValueError, match="noise is of errors of calibration, of which metrics has none: add 'ece'"):
        cv.evaluate(predictions(5), metrics=["brier", "accuracy"], noise=True, progress=False)
