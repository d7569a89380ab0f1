"""Rubin's rules: golden values, the definition, how often the interval holds the truth, and what is refused."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from golden_sets import SHARED

import calibviz as cv

FILE = SHARED / "golden" / "dependence.json"


def stacked(seed: int, n: int = 150, m: int = 5, **more) -> cv.Predictions:
    """Scores of a logistic model of two inputs, of which one is missing for every third person and imputed m times."""
    rng = np.random.default_rng(seed)
    first, second = rng.normal(size=(2, n))
    target = rng.random(n) < 1 / (1 + np.exp(-(first + second)))
    missing = rng.random(n) < 1 / 3
    # Drawn given the first input and the outcome, as an imputation has to be: here by matching residuals of both.
    known = np.column_stack([np.ones(n), first, target])[~missing]
    weights, residuals, *_ = np.linalg.lstsq(known, second[~missing], rcond=None)
    spread = np.sqrt(residuals[0] / (len(known) - 3))
    scores = []
    for _ in range(m):
        mean = np.column_stack([np.ones(n), first, target]) @ weights
        filled = np.where(missing, mean + rng.normal(0, spread, n), second)
        scores.append(1 / (1 + np.exp(-(first + filled))))
    fields = {"imp": np.repeat(np.arange(m), n), "person": np.tile(np.arange(n), m)}
    return cv.Predictions(np.concatenate(scores), np.tile(target, m), fields=fields, **more)


@pytest.mark.skipif(not FILE.exists(), reason="the golden values lie beside the repository")
def test_golden_values():
    records = [each for each in json.loads(FILE.read_text())["records"] if each["call"] == "rubin"]
    assert records
    for record in records:
        given = record["inline"]
        p = cv.Predictions(given["score"], given["target"], fields={"imp": given["imputation"]})
        found = cv.rubin(p, record["args"]["measure"], "imp")
        for name, value in record["value"].items():
            np.testing.assert_allclose(getattr(found, name), value, rtol=1e-6)


def test_equal_imputations_add_nothing_but_degrees_of_freedom():
    p = cv.load_dataset("heart")["logistic regression"]
    many = cv.Predictions(np.tile(p.probs, (4, 1)), np.tile(p.labels, 4))
    found = cv.rubin(many, "calibration_slope", np.repeat(list("abcd"), len(p)))
    alone = cv.calibration_slope(p)
    assert found.estimate == pytest.approx(alone.estimate) and found.between == pytest.approx(0, abs=1e-20)
    assert found.within == pytest.approx(alone.standard_error**2)
    np.testing.assert_allclose([found.lower, found.upper], [alone.lower, alone.upper], rtol=5e-3)


def test_a_function_of_predictions_may_be_pooled():
    p = stacked(0)

    def brier(one: cv.Predictions) -> SimpleNamespace:
        losses = (one.probs[:, 1] - one.labels) ** 2
        return SimpleNamespace(estimate=losses.mean(), standard_error=losses.std(ddof=1) / np.sqrt(len(one)))

    found = cv.rubin(p, brier, "imp", level=0.9)
    assert found.estimate == pytest.approx(cv.brier_score(p))
    assert found.lower < found.estimate < found.upper
    total = found.within + 1.2 * found.between
    assert found.within < total


def test_the_interval_holds_the_truth_where_rows_taken_alone_do_not():
    sets = 150
    pooled = [cv.rubin(stacked(seed), "observed_expected", "imp") for seed in range(sets)]
    rows = [cv.observed_expected(stacked(seed, cluster=False)) for seed in range(40)]
    assert 0.9 <= np.mean([one.lower <= 1 <= one.upper for one in pooled]) <= 0.995
    assert np.mean([one.upper - one.lower for one in rows]) < 0.6 * np.mean([one.upper - one.lower for one in pooled])


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        (("observed_expected", [0] * 750), ValueError, "names one imputation alone: it takes two or more"),
        (("observed_expected", [0] * 100 + [1] * 650), ValueError, "100 rows of 0 and 650 of 1: each imputation holds"),
        (("ks_error", "imp"), ValueError, "number must be one of 'observed_expected'"),
        ((7, "imp"), TypeError, "number must be a name or a function of predictions"),
        ((lambda p: 0.5, "imp"), TypeError, "number must return an object with estimate, a number; it returned float"),
        ((cv.calibration_slope, "imp", "class 1"), ValueError, "lens: a function of predictions looks through its own"),
        (("observed_expected", "wave"), ValueError, "imputation: there is no field 'wave'"),
    ],
)
def test_what_cannot_be_pooled_is_refused(given, error, said):
    with pytest.raises(error, match=said):
        cv.rubin(stacked(1), *given)


@pytest.mark.parametrize("number", ["observed_expected", "calibration_intercept", "calibration_slope"])
def test_imputations_of_few_clusters_are_not_pooled(number):
    few = stacked(1, cluster=np.tile(np.arange(150) % 5, 5))
    with pytest.raises(ValueError, match="number: its standard_error is nan in an imputation: nothing can be pooled"):
        cv.rubin(few, number, "imp")


@pytest.mark.parametrize("number", ["observed_expected", "calibration_intercept", "calibration_slope"])
def test_the_patients_of_the_stack_are_the_rows_of_an_imputation(number):
    """Tests take the patient for the cluster of all rows; of one imputation each row is a patient of its own."""
    plain, named = (cv.rubin(stacked(2, cluster=of), number, "imp") for of in (False, "person"))
    assert named == plain
    visits = stacked(2, cluster=np.tile(np.arange(150) // 2, 5))  # two rows a patient
    assert cv.rubin(visits, number, "imp").within != plain.within
