"""What holds in the first rows of a table, by which its columns are judged, and ends below."""

import numpy as np
import pandas as pd
import pytest

import calibviz as cv
from calibviz.data.columns.tables import FIRST_ROWS

N = FIRST_ROWS + 5_000
LATE = np.arange(N) > FIRST_ROWS + 100


@pytest.fixture
def forecast():
    """Probabilities (n,) and outcomes (n,) that come true as often as they say."""
    rng = np.random.default_rng(0)
    prob = rng.random(N).round(4)
    return prob, (rng.random(N) < prob).astype(int)


def test_labels_that_equal_the_prediction_in_the_first_rows_only(forecast):
    prob, y = forecast
    label = np.where(LATE, y, prob > 0.5)
    gold = np.where(np.random.default_rng(1).random(N) < 0.2, 1 - y, y)
    with pytest.raises(ValueError, match="two columns may hold the truth"):
        cv.read_predictions(pd.DataFrame({"label": label, "prob": prob, "gold": gold}))
    read = cv.read_predictions(pd.DataFrame({"label": (prob > 0.5) * 1, "prob": prob, "gold": gold}))
    assert read.labels.tolist() == gold.tolist()


def test_labels_that_are_the_likeliest_class_in_the_first_rows_only():
    rng = np.random.default_rng(2)
    probs = rng.dirichlet(np.ones(3), N).round(6)
    probs[:, 2] = 1 - probs[:, 0] - probs[:, 1]
    names = np.array(["cat", "dog", "owl"])
    likeliest, drawn = names[probs.argmax(axis=1)], names[rng.integers(0, 3, N)]
    table = pd.DataFrame(dict(zip(["p_cat", "p_dog", "p_owl"], probs.T, strict=True)))
    gold = np.where(rng.random(N) < 0.7, likeliest, drawn)
    with pytest.raises(ValueError, match="two columns may hold the truth"):
        cv.read_predictions(table.assign(label=np.where(LATE, drawn, likeliest), gold=gold))
    assert "truth from 'gold'" in cv.read_predictions(table.assign(label=likeliest, gold=gold)).about["assumed"]


def test_a_second_outcome_that_is_the_same_in_the_first_rows_only(forecast):
    prob, y = forecast
    table = pd.DataFrame({"label": y, "gold": np.where(LATE, 1 - y, y), "prob": prob})
    with pytest.raises(ValueError, match="two columns may hold the truth"):
        cv.read_predictions(table)
    assert "not fields: gold" in cv.read_predictions(table.assign(gold=y)).about["assumed"]


def test_scores_that_are_complements_in_the_first_rows_only(forecast):
    prob, y = forecast
    other = np.where(LATE, np.random.default_rng(3).random(N).round(4), 1 - prob)
    with pytest.raises(ValueError, match="two columns may hold the probabilities"):
        cv.read_predictions(pd.DataFrame({"y": y, "p_model": prob, "p_nurse": other}))


def test_an_id_that_repeats_late(forecast):
    prob, y = forecast
    patient = np.arange(N)
    assert "not fields: patient_id" in _read(y, prob, patient).about["assumed"]
    patient[-1] = 5
    read = _read(y, prob, patient)
    assert "patient_id" in read.fields
    assert not cv.likely_clusters(read)  # of which hardly one repeats


def _read(y, prob, patient):
    return cv.read_predictions(pd.DataFrame({"patient_id": patient, "y": y, "prob": prob}))


def test_a_rare_event_that_is_late_is_the_truth_all_the_same(forecast):
    prob, _ = forecast
    died = (LATE & (np.arange(N) % 50 == 0)).astype(int)
    sex = np.random.default_rng(4).integers(0, 2, N)
    read = cv.read_predictions(pd.DataFrame({"sex": sex, "died": died, "risk": prob / 10}))
    assert "truth from 'died'" in read.about["assumed"]


def test_a_predicted_class_that_names_the_positive_class_in_the_first_rows_only(forecast):
    prob, y = forecast
    names = np.array(["ham", "spam"])
    guess = np.where(LATE, names[y], names[(prob > 0.5) * 1])
    table = pd.DataFrame({"truth": names[y], "guess_of_model": guess, "prob": prob})
    with pytest.raises(ValueError, match="nothing says of which class the probabilities are"):
        cv.read_predictions(table)


def test_tables_that_begin_with_coarse_numbers_have_different_scores():
    rng = np.random.default_rng(5)
    one = np.sort(rng.random(N) * 0.05).round(4)
    one[:1_500] = 0
    other = np.clip(one + rng.normal(0, 0.01, N), 0, 1).round(4)
    other[:1_500] = 0
    with pytest.raises(ValueError, match="two columns may hold the probabilities"):
        cv.read_predictions(pd.DataFrame({"y": (rng.random(N) < one) * 1, "p_model": one, "p_nurse": other}))
