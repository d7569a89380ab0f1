"""`evaluate` with all that it can hold: every variable is the direct call, and its quantiles are the bootstrap's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import top_k_accuracy_score

import calibviz as cv
from calibviz.metrics.records.registry import METRICS

SCALAR, VECTOR, FAMILY = (
    ("top-1", "class cat", "pooled"),
    ("full", "top-2", "grouping"),
    ("classwise", "top-1 by class"),
)
LENSES = (*SCALAR, *VECTOR, *FAMILY)
SELECTIONS = {"all": None, "sure": "confidence > 0.45", "old": "age >= 35"}
BINS, GAMMAS = (1, 4, 15), (0.3, 0.08, 0.15)
BINNINGS = {"uniform": cv.Uniform, "equal-mass": cv.EqualMass}
OVER_BINS = {"ece": "mean", "mce": "max"}


def model(seed, n=150, weights=False):
    rng = np.random.default_rng(seed)
    z = 2 * rng.normal(size=(n, 4))
    return cv.Predictions(
        logits=z,
        labels=[rng.choice(4, p=np.exp(row / 2) / np.exp(row / 2).sum()) for row in z],
        weights=rng.integers(0, 3, n) if weights else None,
        class_names=["cat", "dog", "eel", "fox"],
        groups={"pets": ["cat", "dog"], "wild": ["eel", "fox"]},
        fields={"age": rng.integers(20, 60, n), "first": (np.arange(n) == 0).astype(int)},
    )


def mean_over_problems(number):
    """The direct call for what has no function of its own: of a family the mean over the classes."""

    def direct(p, lens, **asked):
        if lens not in FAMILY:
            return number(p, lens, **asked)
        names = p.class_names
        return sum(number(p, lens, outcome=name, **asked) for name in names) / len(names)

    return direct


def of_corp(name):
    return mean_over_problems(lambda p, lens, **asked: getattr(cv.corp(p, lens, **asked), name))


def of_one_bin(column):
    return mean_over_problems(
        lambda p, lens, **asked: cv.reliability(p, lens, binning=cv.Uniform(1), **asked)[column].item()
    )


@mean_over_problems
def skill(p, lens, **asked):
    constant = cv.brier_split(p, lens, binning=cv.Uniform(1), **asked).uncertainty
    return 1 - cv.brier_score(p, lens, **asked) / constant if constant > 1e-12 else np.nan


def clinical(name):
    def estimate(p, lens, **asked):
        if not hasattr(cv, name):  # an index of the flexible curve, which has no function of its own
            return getattr(cv.calibration_indices(p, lens, **asked), name)
        said = getattr(cv, name)(p, lens, **asked)
        return getattr(said, "estimate", said)

    return mean_over_problems(estimate)


CLINICAL = (
    "observed_expected",
    "calibration_in_the_large",
    "calibration_intercept",
    "calibration_slope",
    "ici",
    "e50",
    "e90",
    "emax",
    "eci",
    "auc",
)
SELECTIVE = ("aurc", "excess_aurc", "augrc")
DIRECT = {
    "ks": cv.ks_error,
    "kuiper": cv.kuiper_error,
    "sweep": lambda p, lens, selection: cv.calibration_error(p, lens, binning=cv.Sweep(), selection=selection),
    "sweep_bins": cv.sweep_bins,
    "smooth": cv.smooth_error,
    "kde": cv.kde_error,
    "debiased": lambda p, lens, selection: cv.debiased_error(p, lens, binning=None, selection=selection),
    "label_binned": lambda p, lens, selection: cv.label_binned_error(p, lens, binning=None, selection=selection),
    "brier": cv.brier_score,
    "miscalibration": of_corp("miscalibration"),
    "discrimination": of_corp("discrimination"),
    "uncertainty": of_corp("uncertainty"),
    "brier_skill": skill,
    "ranked_probability_score": cv.ranked_probability_score,
    "log_loss": cv.log_loss,
    "accuracy": lambda p, lens, selection: cv.accuracy(p, selection=selection),
    "mean_score": of_one_bin("score"),
    "mean_target": of_one_bin("target"),
    **{name: clinical(name) for name in (*CLINICAL, *SELECTIVE)},
}
KS, THRESHOLDS = (1, 2, 4), (0.0, 0.3, 0.5)


def benefit(threshold):
    return mean_over_problems(lambda p, lens, **asked: cv.net_benefit(p, lens, threshold=threshold, **asked))


OVER_SETTINGS = {  # the dimension, and the direct call at each of its labels
    "top_k_accuracy": ("k", {k: lambda p, lens, selection, k=k: cv.accuracy(p, k=k, selection=selection) for k in KS}),
    "net_benefit": ("decision_threshold", {at: benefit(at) for at in THRESHOLDS}),
}
ANY_LENS = ("brier", "brier_skill", "ranked_probability_score", "log_loss", "accuracy", "top_k_accuracy", "count")
CATEGORIES = {"low": (0.0, 0.4), "high": (0.7, 1.0)}
PART = {"part": (0.2, 0.9)}
ONE_PROBLEM = ("likert_error", "likert_total_variation", "likert_count", "likert_mean_target")
EVERY_LENS = tuple(name for name in METRICS if name != "gce")
ALL = {
    "lenses": LENSES,
    "binnings": list(BINNINGS),
    "bins": BINS,
    "gammas": GAMMAS,
    "k": KS,
    "thresholds": THRESHOLDS,
    "selections": SELECTIONS,
    "metrics": EVERY_LENS,
    "categories": CATEGORIES,
    "progress": False,
}


@pytest.mark.parametrize("weights", [False, True], ids=["plain", "weights"])
def test_every_variable_is_the_direct_call(weights):
    p, other = model(0, weights=weights), model(1)
    cube = cv.evaluate(p, calibrators=["none", "temperature"], calibration=other, **ALL)
    assert (
        set(cube.data_vars)
        == set(EVERY_LENS)
        == {*DIRECT, *OVER_BINS, *OVER_SETTINGS, *ONE_PROBLEM, "kdtree_ece", "count"}
    )
    moved = {"none": p, "temperature": cv.Temperature().fit(other).transform(p)}
    for calibrator, lens, name in ((c, lens, s) for c in moved for lens in LENSES for s in SELECTIONS):
        q, condition = moved[calibrator], SELECTIONS[name]
        cell = cube.sel(model="model", calibrator=calibrator, lens=lens, selection=name)
        for metric, direct in DIRECT.items():
            if lens in VECTOR and metric not in ANY_LENS:
                assert cell[metric].isnull(), (lens, metric)
            else:
                value = direct(q, lens, selection=condition)
                assert cell[metric].item() == pytest.approx(value, abs=1e-12, nan_ok=True), (lens, metric)
        for metric, (dim, calls) in OVER_SETTINGS.items():
            found = cell[metric]
            assert found.dims == (dim,)
            if lens in VECTOR and metric not in ANY_LENS:
                assert found.isnull().all()
            else:
                value = [direct(q, lens, selection=condition) for direct in calls.values()]
                assert found.sel({dim: list(calls)}).values == pytest.approx(value, abs=1e-12), (lens, metric)
        for metric, aggregate in OVER_BINS.items():
            for (binning, make), bins in ((one, b) for one in BINNINGS.items() for b in BINS):
                found = cell[metric].sel(binning=binning, bins=bins).item()
                if lens in VECTOR and binning == "equal-mass":
                    assert np.isnan(found)
                    continue
                value = cv.calibration_error(q, lens, binning=make(bins), selection=condition, aggregate=aggregate)
                assert found == pytest.approx(value, abs=1e-12), (lens, metric)
        for gamma in GAMMAS:
            value = cv.calibration_error(q, lens, binning=cv.KDTree(gamma), selection=condition)
            assert cell["kdtree_ece"].sel(gamma=gamma).item() == pytest.approx(value, abs=1e-12)
        if lens in (*VECTOR, "classwise", "top-1 by class"):
            assert cell[list(ONE_PROBLEM)].to_array().isnull().all()
        else:
            for (binning, make), bins in ((one, b) for one in BINNINGS.items() for b in BINS):
                table = cv.likert_error(q, lens, categories=CATEGORIES, binning=make(bins), selection=condition)
                at = cell.sel(binning=binning, bins=bins)
                np.testing.assert_array_equal(at.likert_error, table.error)
                np.testing.assert_array_equal(at.likert_total_variation, table.total_variation)
            np.testing.assert_array_equal(cell.likert_count, table["count"])
        if not weights:
            rows = len(q) if condition is None else int(cv.selection(condition).mask(q).sum())
            assert cell["count"] == rows * (4 if lens == "pooled" else 1)


def test_the_distance_and_the_power_are_those_of_the_errors_in_bins():
    p = model(2)
    for lens in ("top-1", "full", "classwise"):
        cube = cv.evaluate(p, lens, distance=cv.Lp(2), p=2, bins=6, gammas=0.2, progress=False)
        for metric, binning in (("ece", cv.Uniform(6)), ("kdtree_ece", cv.KDTree(0.2)), ("sweep", cv.Sweep())):
            if lens != "full" or metric != "sweep":
                direct = cv.calibration_error(p, lens, binning=binning, distance=cv.Lp(2), p=2)
                assert cube[metric].item() == pytest.approx(direct, abs=1e-12)
    assert cube.attrs["distance"] == cv.Lp(2).name
    assert cube.attrs["p"] == 2


def test_gce_over_its_five_choices_and_bins():
    p, other = model(3), model(4)
    cube = cv.evaluate(
        p,
        metrics="gce",
        bins=[3, 15],
        selections=SELECTIONS,
        calibrators="temperature",
        calibration=other,
        progress=False,
    )
    dims = ("binning", "max_prob", "class_conditional", "threshold", "norm", "bins")
    assert cube["gce"].dims == ("model", "selection", "calibrator", *dims)
    assert cube["gce"].size == 32 * 2 * 3
    moved = cv.Temperature().fit(other).transform(p)
    variants = cv.GCE.variants()
    for one in variants:
        at = {"binning": one.binning} | {name: getattr(one, name) for name in dims[1:-1]}
        for name, condition in SELECTIONS.items():
            for bins in (3, 15):
                found = cube["gce"].sel(at).sel(selection=name, bins=bins).item()
                assert found == pytest.approx(one(moved, bins, condition), abs=1e-12)
    flat = cube["gce"].sel(selection="all", bins=15).values.ravel()
    assert flat == pytest.approx([one(moved) for one in variants], abs=1e-12)  # in the order of the appendix


def test_top_k_accuracy_is_that_of_scikit_learn():
    p = model(11, weights=True)
    selections = {"all": None, "old": "age >= 35"}
    found = cv.evaluate(p, ["top-1", "class cat"], metrics="top_k_accuracy", k=[1, 2, 3, 9], selections=selections)
    for name, rows in (("all", np.full(len(p), True)), ("old", p.fields["age"] >= 35)):
        for k in (1, 2, 3):
            wanted = top_k_accuracy_score(p.labels[rows], p.probs[rows], k=k, sample_weight=p.weights[rows])
            assert found.top_k_accuracy.sel(selection=name, k=k).values == pytest.approx(wanted, abs=1e-12)
    assert found.top_k_accuracy.sel(k=9).isnull().all()
    assert "k=9]: k is 9, but there are 4 classes" in found.top_k_accuracy.attrs["unavailable"]


# ---- quantiles


@pytest.mark.thorough
@pytest.mark.parametrize("weights", [False, True], ids=["plain", "weights"])
def test_quantiles_are_those_of_the_bootstrap(weights):
    p, at = model(5, 60, weights), [0.1, 0.5, 0.8]
    chosen = {"selections": {"old": "age >= 35"}, "bins": 4, "gammas": 0.2, "binnings": "equal-mass", "progress": False}
    chosen |= {"k": 2, "thresholds": 0.3}
    lenses = ("top-1", "pooled", "classwise", "full")
    cube = cv.evaluate(p, lenses, metrics=EVERY_LENS, replicates=8, quantiles=at, rng=2, categories=PART, **chosen)
    with_quantiles = [name for name in EVERY_LENS if not name.endswith("count")]
    assert set(cube.data_vars) == {*EVERY_LENS, *(f"{name}_quantile" for name in with_quantiles)}
    assert cube["quantile"].values.tolist() == at
    direct = DIRECT | {metric: calls[{"k": 2}.get(dim, 0.3)] for metric, (dim, calls) in OVER_SETTINGS.items()}
    for metric, aggregate in OVER_BINS.items():
        direct[metric] = lambda q, lens, selection, aggregate=aggregate: cv.calibration_error(
            q, lens, binning=cv.EqualMass(4), selection=selection, aggregate=aggregate
        )
    direct["kdtree_ece"] = lambda q, lens, selection: cv.calibration_error(
        q, lens, binning=cv.KDTree(0.2), selection=selection
    )
    for metric in ("error", "total_variation", "mean_target"):
        direct[f"likert_{metric}"] = lambda q, lens, selection, metric=metric: cv.likert_error(
            q, lens, categories=PART, binning=cv.EqualMass(4), selection=selection
        )[metric].item()
    for lens in lenses:
        for metric, statistic in direct.items():
            found = cube[f"{metric}_quantile"].sel(lens=lens)
            assert found.dims[-1] == "quantile"
            assert "over 8 bootstrap replicates" in found.attrs["long_name"]
            if lens in VECTOR and metric not in (*ANY_LENS, "kdtree_ece"):
                assert found.isnull().all()
                continue
            if lens in FAMILY and metric.startswith("likert"):
                assert found.isnull().all()
                continue

            def number(q, statistic=statistic, lens=lens):
                return statistic(q, lens, selection="age >= 35")

            draws = cv.bootstrap(p, error=number, replicates=8, rng=2, progress=False).replicates
            if not np.isfinite(draws).all():  # the few samples of a draw may be separated by their scores
                assert metric in ("calibration_intercept", "calibration_slope")
                continue
            assert found.values.ravel() == pytest.approx(np.quantile(draws, at), abs=1e-12), (lens, metric)


def test_quantiles_of_gce_and_of_recalibrated_predictions():
    p, other = model(6, 60), model(7)
    chosen = {"calibrators": ["temperature", "spline"], "calibration": other, "bins": 5, "progress": False}
    cube = cv.evaluate(p, metrics=["gce", "ks"], replicates=6, quantiles=0.25, rng=9, **chosen)
    moved = cv.Temperature().fit(other).transform(p)
    for name in ("SCE", "RMSCE"):
        one = cv.GCE.named(name)
        draws = cv.bootstrap(moved, error=lambda q, one=one: one(q, 5), replicates=6, rng=9, progress=False).replicates
        at = {"binning": one.binning, "max_prob": one.max_prob, "class_conditional": one.class_conditional}
        found = cube["gce_quantile"].sel(at | {"threshold": one.threshold, "norm": one.norm}, drop=True)
        assert found.sel(calibrator="temperature").item() == pytest.approx(np.quantile(draws, 0.25), abs=1e-12)
    spline = cv.Spline().fit(cv.lens("top-1")(other))
    by_hand = cv.Predictions(np.clip(spline(p.confidence), 0, 1), p.top_target.astype(int))
    draws = cv.bootstrap(
        by_hand, error=lambda q: cv.ks_error(q, "class 1"), replicates=6, rng=9, progress=False
    ).replicates
    found = cube["ks_quantile"].sel(calibrator="spline")
    assert found.item() == pytest.approx(np.quantile(draws, 0.25), abs=1e-12)


def test_replicates_without_a_sample_count_for_nothing():
    p = model(8, 40)
    cube = cv.evaluate(p, ["top-1", "full"], selections={"first": "first == 1"}, replicates=30, progress=False)
    draws = cv.bootstrap(
        p, error=lambda q: cv.brier_score(q, selection="first == 1"), replicates=30, progress=False
    ).replicates
    assert 0 < np.isnan(draws).sum() < 30
    assert cube["brier_quantile"].sel(lens="full").values.ravel() == pytest.approx(np.nanquantile(draws, [0.05, 0.95]))
    none = cv.evaluate(p, selections={"none": "first > 1"}, replicates=3, progress=False)
    assert none["ks_quantile"].isnull().all()
    assert "no sample is left" in none["ks_quantile"].attrs["unavailable"]


def test_infinite_numbers_stay_infinite():
    p = cv.Predictions([[1.0, 0.0], [0.5, 0.5], [0.2, 0.8]], [1, 0, 1])
    cube = cv.evaluate(p, metrics="log_loss", replicates=40, quantiles=[0, 1], progress=False)
    assert cube["log_loss"] == np.inf
    low, high = cube["log_loss_quantile"].values.ravel()
    assert np.isfinite(low)
    assert high == np.inf
