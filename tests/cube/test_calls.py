"""`evaluate` computes only what is asked for, and nothing twice; binnings given as objects; messages."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import pytest

import calibviz as cv
from calibviz.cube import cells_in_memory
from calibviz.metrics.records import registry

SELECTIONS = {"all": None, "sure": "confidence > 0.45", "old": "age >= 35"}
BINS = (1, 4, 15)


def model(seed, n=150, weights=None):
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet([0.6, 0.6, 0.6], n)
    labels = [rng.choice(3, p=0.6 * row + 0.4 / 3) for row in probs]
    names, fields = ["cat", "dog", "eel"], {"age": rng.integers(20, 60, n)}
    return cv.Predictions(probs, labels, weights=weights, class_names=names, fields=fields)


# ---- only what is asked for, and nothing twice


SHARING = ("sweep", "sweep_bins", "miscalibration", "discrimination", "uncertainty", "count")


@pytest.fixture
def calls(monkeypatch):
    """How often each estimator of the cube is called."""
    counter = Counter()

    def counted(name, function):
        def call(*arguments, **named):
            counter[name] += 1
            return function(*arguments, **named)

        return call

    for name, record in registry.METRICS.items():
        if record.has_problem and not record.own_dims and name not in SHARING:
            monkeypatch.setitem(registry.METRICS, name, replace(record, measure=counted(name, record.measure)))
    monkeypatch.setattr(registry, "corp_of", counted("corp", registry.corp_of))
    monkeypatch.setattr(cv.Sweep, "choose", counted("sweep", cv.Sweep.choose))
    monkeypatch.setattr(cells_in_memory, "right_share", counted("accuracy", cells_in_memory.right_share))
    monkeypatch.setattr(cells_in_memory, "gce_values", counted("gce", cells_in_memory.gce_values))
    return counter


def test_only_what_is_asked_for_is_computed(calls):
    p = model(9)
    arguments = {"selections": SELECTIONS, "progress": False}
    cv.evaluate(p, ["top-1", "class dog"], metrics=["ks", "count"], **arguments)
    assert calls == {"ks": 6}
    calls.clear()
    cv.evaluate(p, ["top-1", "class dog"], metrics="gce", **arguments)
    assert calls == {"gce": 3}  # it has lenses of its own
    calls.clear()
    cv.evaluate(p, **arguments)
    assert calls.keys().isdisjoint({"gce", "kde", "label_binned", "corp", "log_loss"})
    assert {calls[name] for name in ("ks", "kuiper", "sweep", "smooth", "debiased", "brier", "accuracy")} == {3}


def test_nothing_is_computed_twice(calls):
    p = model(10)
    wanted = [name for name in registry.METRICS if name != "top_k_accuracy"]  # it counts as another accuracy
    cv.evaluate(p, "top-1", metrics=wanted, gammas=0.1, categories=[0, 0.5, 1], thresholds=0.2, progress=False)
    assert set(calls.values()) == {1}  # sweep and sweep_bins share their bins, three variables one isotonic fit
    calls.clear()
    cv.evaluate(p, "top-1", metrics=["sweep", "uncertainty", "miscalibration", "ks"], replicates=4, progress=False)
    assert calls == {"sweep": 5, "corp": 5, "ks": 5}


SEEN: Counter = Counter()


class Looking:
    """The top-1 lens."""

    name = "looking"

    def __call__(self, predictions):
        SEEN["look"] += 1
        return cv.lens("top-1")(predictions)


class Root:
    """A scalar calibrator."""

    name = "root"

    def fit(self, problem):
        SEEN["fit"] += 1
        return self

    def __call__(self, score):
        return score**0.5


class Flat:
    """A calibrator."""

    name = "flat"

    def fit(self, predictions):
        SEEN["fit"] += 1
        return self

    def transform(self, predictions):
        SEEN["transform"] += 1
        return predictions.with_probs(np.full_like(predictions.probs, 1 / predictions.n_classes))


def test_a_lens_is_used_once_for_every_set_of_predictions():
    models = {"a": model(11), "b": model(12)}
    SEEN.clear()
    arguments = {"selections": SELECTIONS, "bins": BINS, "progress": False}
    cube = cv.evaluate(models, [Looking(), "top-1"], replicates=5, **arguments)
    assert SEEN["look"] == 2
    np.testing.assert_array_equal(cube["ks_quantile"].sel(lens="looking"), cube["ks_quantile"].sel(lens="top-1"))


def test_a_calibrator_is_fitted_once_for_what_it_is_judged_on():
    models, fitting = {"a": model(11), "b": model(12)}, {"a": model(13), "b": model(14)}
    arguments = {"selections": SELECTIONS, "bins": BINS, "calibration": fitting, "metrics": ["ece", "ks", "accuracy"]}
    SEEN.clear()
    cv.evaluate(models, ["top-1", "full"], calibrators=Flat(), replicates=3, progress=False, **arguments)
    assert SEEN == {"fit": 2, "transform": 2}
    SEEN.clear()
    cv.evaluate(models, ["top-1", "class cat"], calibrators=Root(), progress=False, **arguments)
    assert SEEN["fit"] == 4  # for each model and each scalar lens


# ---- binnings as objects


@dataclass(frozen=True)
class Halves:
    """Below 1/2, and the rest."""

    name: str = "halves"

    def __call__(self, problem):
        return cv.Uniform(2)(problem)


@dataclass(frozen=True)
class Twice:
    """Twice as many bins as it is asked for."""

    bins: int = 1
    name: str = "twice"

    def __call__(self, problem):
        return cv.EqualMass(2 * self.bins)(problem)


def test_binnings_as_objects():
    p = model(15)
    median = cv.KDTree(split="median", min_leaf=12)
    given = ["uniform", cv.Uniform(closed="right"), median, Halves(), Twice()]
    cube = cv.evaluate(p, ["top-1", "full", "classwise"], binnings=given, bins=[3, 8], progress=False)
    assert cube["binning"].values.tolist() == [
        "uniform",
        cv.Uniform(closed="right").name,
        median.name,
        "halves",
        "twice",
    ]
    for lens in ("top-1", "full", "classwise"):
        for bins in (3, 8):
            made = [cv.Uniform(bins), cv.Uniform(bins, "right"), median, cv.Uniform(2), cv.EqualMass(2 * bins)]
            for name, binning in zip(cube["binning"].values, made, strict=True):
                found = cube["ece"].sel(lens=lens, binning=name, bins=bins).item()
                if lens == "full" and name == "twice":
                    assert np.isnan(found)
                else:
                    assert found == pytest.approx(cv.calibration_error(p, lens, binning=binning), abs=1e-12)
    assert "lens=full, binning=twice]: equal-mass needs a scalar lens" in cube["ece"].attrs["unavailable"]


# ---- reasons and messages


def test_reasons():
    p = model(16)
    soft = cv.Predictions(p.probs, np.roll(p.probs, 1, axis=0), fields=p.fields)
    cube = cv.evaluate(soft, ["top-1", "classwise"], metrics=["debiased", "ks", "ece"], progress=False)
    assert cube["debiased"].isnull().all()
    for lens in ("top-1", "classwise"):
        said = f"[model=model, selection=all, calibrator=none, lens={lens}]: the debiased error needs targets of 0 or 1"
        assert said in cube["debiased"].attrs["unavailable"]
    assert cube[["ks", "ece"]].notnull().to_array().all()
    assert "unavailable" not in cube["ks"].attrs
    wrong = cv.Predictions([[0.7, 0.3], [0.6, 0.4]], [1, 1])
    cube = cv.evaluate(
        wrong, ["top-1", "full"], binnings="uniform", metrics=["kde", "gce", "mce"], replicates=2, progress=False
    )
    assert "no bandwidth: no target is above 0" in cube["kde"].attrs["unavailable"]
    assert cube["kde_quantile"].attrs["unavailable"] == cube["kde"].attrs["unavailable"]
    assert "unavailable" not in cube["mce"].attrs
    empty = cv.evaluate(p, selections={"none": "age > 99"}, metrics=["gce", "count"], replicates=2, progress=False)
    assert empty["gce"].isnull().all()
    assert empty["gce_quantile"].isnull().all()
    assert "[model=model, selection=none, calibrator=none]: no sample is left" in empty["gce"].attrs["unavailable"]
    assert empty["count"] == 0
    halves = model(17, weights=np.full(150, 0.5))
    cube = cv.evaluate(halves, binnings=[cv.KDTree(split="median"), "uniform"], progress=False)
    assert "binning=k-d tree, median]: the median split counts samples" in cube["ece"].attrs["unavailable"]
    assert cube["ece"].sel(binning="uniform") > 0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"gammas": 0}, ValueError, "gamma must be above 0: a cell of fewer than gamma"),
        ({"gammas": [0.5, 1.5]}, ValueError, "gamma must lie between 0 and 1, not be 1.5"),
        ({"gammas": [0.1, 0.1]}, ValueError, "gamma 0.1 is given twice: the labels of a dimension must differ"),
        ({"metrics": "kdtree_ece"}, ValueError, "gammas is missing, but the metric 'kdtree_ece' needs it"),
        ({"metrics": "top_k_accuracy"}, ValueError, "k is missing, but the metric 'top_k_accuracy' needs it: .* k=5"),
        ({"k": 0}, ValueError, "k must be"),
        ({"metrics": "net_benefit"}, ValueError, "thresholds is missing, but the metric 'net_benefit' needs it"),
        ({"thresholds": [0.2, 1.0]}, ValueError, r"thresholds\[1\] must be at least 0 and below 1"),
        ({"metrics": ["ks", "ece", "ks"]}, ValueError, "metric 'ks' is given twice"),
        ({"metrics": ["ks", "gcee"]}, ValueError, "metrics must be one of 'ece', .*'gce', not 'gcee'"),
        ({"quantiles": 2}, ValueError, "quantiles must lie between 0 and 1, not be 2"),
        ({"quantiles": [0.5, 0.5]}, ValueError, "quantile 0.5 is given twice"),
        ({"quantiles": "0.5"}, TypeError, "quantiles must be a number, not '0.5'"),
        ({"replicates": -1}, ValueError, "replicates must be at least 0, not -1"),
        ({"replicates": 0.5}, TypeError, "replicates must be a whole number, not 0.5"),
        ({"replicates": True}, TypeError, "replicates must be a whole number, not True"),
        ({"binnings": cv.Uniform}, TypeError, r"binnings must be names or binnings such as cv\.Uniform"),
        ({"binnings": [3]}, TypeError, r"binnings must be names or binnings such as .*, not 3"),
        ({"binnings": ["uniform", cv.Uniform(3)]}, ValueError, "binning 'uniform' is given twice"),
    ],
)
def test_messages(arguments, error, message):
    with pytest.raises(error, match=message):
        cv.evaluate(model(18, 20), progress=False, **arguments)
