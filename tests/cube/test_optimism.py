"""The optimism of a fit: its definition by a loop, models that are overfitted or fixed, clusters, and refusals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import calibviz as cv

QUIET = {"progress": False}
METRICS = {
    "brier": cv.brier_score,
    "auc": lambda p: cv.auc(p).estimate,
    "calibration_slope": lambda p: cv.calibration_slope(p).estimate,
}


def study(n=80, noise=6, seed=0):
    """Two classes of which the first column says something, and others nothing."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 1 + noise))
    return x, np.where(x[:, 0] + rng.logistic(size=n) > 0, "ill", "well")


@pytest.mark.parametrize("of_clusters", [False, True])
def test_is_its_definition(of_clusters):
    x, y = study()
    code = np.repeat(np.arange(20), 4) if of_clusters else None
    found = cv.optimism(GaussianNB(), x, y, metrics=list(METRICS), cluster=code, replicates=7, rng=3, **QUIET)
    rng, gained = np.random.default_rng(3), []
    for _ in range(7):
        if of_clusters:
            times = np.bincount(rng.integers(0, 20, 20), minlength=20)
            rows = np.flatnonzero(np.isin(code, np.flatnonzero(times)))
            rows = np.concatenate([np.repeat(row, times[code[row]]) for row in rows])
        else:
            rows = rng.integers(0, 80, 80)
        model = GaussianNB().fit(x[rows], y[rows])
        drawn, all_of = (cv.Predictions.from_estimator(model, x[i], y[i]) for i in (rows, np.arange(80)))
        gained.append([of(drawn) - of(all_of) for of in METRICS.values()])
    apparent = cv.Predictions.from_estimator(GaussianNB().fit(x, y), x, y)
    np.testing.assert_allclose(found.apparent, [of(apparent) for of in METRICS.values()], rtol=1e-9)
    np.testing.assert_allclose(found.optimism, np.mean(gained, axis=0), rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(found.corrected, found.apparent - found.optimism, rtol=1e-12)
    np.testing.assert_allclose(found.monte_carlo_error, np.std(gained, axis=0, ddof=1) / np.sqrt(7), rtol=1e-7)
    assert found.draws.values.tolist() == [7, 7, 7] and found.attrs["left_out"] == 0


def test_overfitted_models_look_too_good_and_fixed_ones_do_not():
    x, y = study()
    tree = cv.optimism(DecisionTreeClassifier(random_state=0), x, y, metrics=["auc", "brier"], replicates=30, **QUIET)
    assert tree.apparent.values.tolist() == [1, 0]
    assert tree.optimism.sel(metric="auc") > 0.1 and tree.optimism.sel(metric="brier") < -0.1
    many = LogisticRegression(C=1e4, max_iter=2000)
    slope = cv.optimism(many, *study(noise=12), metrics="calibration_slope", replicates=20, **QUIET).squeeze()
    assert slope.apparent == pytest.approx(1, abs=0.02) and slope.corrected < 0.8  # of too many columns
    fixed = DummyClassifier(strategy="constant", constant="ill")
    none = cv.optimism(fixed, x, y, metrics=["brier", "auc"], replicates=30, **QUIET)
    assert (abs(none.optimism) <= 3 * none.monte_carlo_error + 1e-12).all() and none.optimism[1] == 0


def test_the_corrected_number_is_that_of_new_samples():
    """On average over 12 studies it is nearer to the AUC on other samples than the apparent one."""
    others = study(4000, seed=99)
    away = []
    for seed in range(12):
        x, y = study(seed=seed)
        row = cv.optimism(GaussianNB(), x, y, metrics="auc", replicates=25, **QUIET).squeeze()
        true = cv.auc(cv.Predictions.from_estimator(GaussianNB().fit(x, y), *others)).estimate
        away.append([row.apparent.item() - true, row.corrected.item() - true])
    apparent, corrected = np.mean(away, axis=0)
    assert apparent > 0.04 and abs(corrected) < apparent / 2


def test_kinds_of_rows_and_estimators_give_the_same():
    x, y = study()
    model = make_pipeline(StandardScaler(), GaussianNB())
    given = {"metrics": "brier", "replicates": 5, **QUIET}
    expected = cv.optimism(model, x, y, **given)
    assert not hasattr(model, "classes_")  # copies are fitted, not the model itself
    frame = pd.DataFrame(x, index=np.arange(80)[::-1])
    found = cv.optimism(model.fit(x, y), frame.set_axis(list("abcdefg"), axis=1), pd.Series(y, frame.index), **given)
    np.testing.assert_allclose(found.optimism, expected.optimism, rtol=1e-9)
    lists = cv.optimism(model, x.tolist(), y.tolist(), **given)
    np.testing.assert_allclose(lists.optimism, expected.optimism, rtol=1e-9)
    named = frame.assign(patient=np.repeat(np.arange(20), 4)).rename(columns=str)
    by_patient = cv.optimism(GaussianNB(), named, y, cluster="patient", **given)
    with pytest.warns(cv.DependenceWarning, match="80 rows of 20 different 'patient'") as heard:
        by_row = cv.optimism(GaussianNB(), named, y, **given)
    assert by_patient.optimism.item() != by_row.optimism.item() and [one.filename for one in heard] == [__file__]


def test_several_classes_lenses_and_metrics_of_your_own():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(90, 2)), np.arange(90) % 3
    bins = cv.Metric("ece_5", lambda q: cv.calibration_error(q, binning=cv.Uniform(5)))
    table = cv.optimism(GaussianNB(), x, y, "class 2", metrics=["accuracy", bins], replicates=5, **QUIET)
    one = cv.Predictions.from_estimator(GaussianNB().fit(x, y), x, y)
    assert table.apparent.sel(metric="accuracy").item() == cv.accuracy(one)
    expected = cv.calibration_error(one, "class 2", binning=cv.Uniform(5))
    assert table.apparent.sel(metric="ece_5").item() == pytest.approx(expected, abs=1e-12)


def test_what_has_no_value_says_why():
    x, y = study()
    table = cv.optimism(DecisionTreeClassifier(random_state=0), x, y, replicates=3, **QUIET)
    row = table.sel(metric="calibration_slope")
    assert np.isnan(row.corrected) and row.draws == 0 and "calibration_slope: " in table.attrs["unavailable"]
    rare = np.where(np.arange(80) == 0, "ill", "well")
    table = cv.optimism(GaussianNB(), x, rare, metrics="brier", replicates=40, **QUIET)
    assert table.draws.item() + table.attrs["left_out"] == 40 and table.attrs["left_out"] > 5


class Fixed:
    classes_ = ("a", "b")

    def predict_proba(self, rows):
        return np.full((len(rows), 2), 0.5)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"estimator": Fixed()}, TypeError, r"^estimator must have fit, as an object, but <.*Fixed.*> has none"),
        ({"estimator": GaussianNB}, TypeError, r"^estimator must have fit, as an object"),
        (
            {"metrics": "ece"},
            ValueError,
            r"^metrics: 'ece' has values for each of 'binning', 'bins'.*: pass a cv\.Metric",
        ),
        ({"metrics": "roc"}, ValueError, r"^metrics must be one of"),
        ({"lens": ["class ill", "class well"]}, TypeError, "^lens must be a lens or the name of one"),
        ({"X": study()[0][:70]}, ValueError, "^y has 80 entries, but X has 70 rows"),
        ({"metrics": []}, ValueError, r"^metrics is empty: name one"),
        ({"metrics": ["auc", "auc"]}, ValueError, r"^metric 'auc' is given twice"),
        ({"replicates": 1}, ValueError, r"^replicates must be"),
        ({"y": [["a"]] * 80}, TypeError, r"^y must have a label for each sample, so one dimension, not 2"),
    ],
)
def test_refusals(change, error, message):
    x, y = study()
    with pytest.raises(error, match=message):
        cv.optimism(**{"estimator": GaussianNB(), "X": x, "y": y, "replicates": 3, **QUIET, **change})
