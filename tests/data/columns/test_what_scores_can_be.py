"""What content says against a reading: numbers of 32 bits, empty columns, and scores that are no confidence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import calibviz as cv

RNG = np.random.default_rng(0)
N = 200
CLASSES = np.array(["cat", "dog", "owl"])
PROBS = RNG.dirichlet([0.6] * 3, N)
LABELS = np.array([RNG.choice(3, p=row) for row in PROBS])
LIKELIEST = PROBS.argmax(axis=1)
PROB = RNG.beta(1, 2, N).round(4)
EVENT = (RNG.random(N) < PROB).astype(int)


def read(columns, **options):
    return cv.read_predictions(pd.DataFrame(columns), **options)


@pytest.mark.parametrize(
    ("names", "label"),
    [([f"prob.{name}" for name in CLASSES], "truth"), (list(CLASSES), "species"), (["c0", "c1", "c2"], "y")],
)
def test_probabilities_of_32_bits_are_a_family(names, label):
    columns = {name: PROBS[:, k].astype(np.float32) for k, name in enumerate(names)}
    p = read({**columns, label: LABELS if label == "y" else CLASSES[LABELS], "response": CLASSES[LIKELIEST]})
    assert p.n_classes == 3
    assert p.confidence.mean() == pytest.approx(PROBS.max(axis=1).mean(), abs=1e-6)
    assert cv.accuracy(p) == pytest.approx((LABELS == LIKELIEST).mean())


@pytest.mark.parametrize("written", ["%.6f", "%.7g", "%.8g", "%.9g", "%.17g"])
def test_so_are_those_that_were_printed_from_32_bits(tmp_path, written):
    columns = {f".pred_{name}": PROBS[:, k].astype(np.float32) for k, name in enumerate(CLASSES)}
    frame = pd.DataFrame({**columns, "species": CLASSES[LABELS]})
    frame.to_csv(tmp_path / "p.csv", index=False, float_format=written)
    assert cv.read_predictions(tmp_path / "p.csv").class_names == tuple(CLASSES)


@pytest.mark.parametrize("rows", [10, 100])
@pytest.mark.parametrize("nothing", [None, np.nan])
def test_an_empty_column_does_not_exist(rows, nothing):
    p = read({"prob": PROB[:rows], "label": EVENT[:rows], "note": nothing, "site": ["a", "b"] * (rows // 2)})
    assert list(p.fields) == ["site"]


def test_the_class_in_its_name_says_whose_probability_it_is():
    p = read({"true": CLASSES[LABELS], "pred": CLASSES[LIKELIEST], "prob_owl": PROBS[:, 2].round(4)})
    assert p.class_names == ("not owl", "owl")
    assert p.labels.mean() == (LABELS == 2).mean()


@pytest.mark.parametrize("score", [PROBS[:, 2], PROBS[np.arange(N), LABELS]], ids=["of a class", "of the truth"])
def test_no_likeliest_of_three_classes_is_below_a_third(score):
    columns = {"true": CLASSES[LABELS], "pred": CLASSES[LIKELIEST], "probability": score.round(4)}
    with pytest.raises(ValueError, match="'probability' is often below 33 %, as the confidence in the likeliest of 3"):
        read(columns)
    assert read(columns, positive="owl").class_names == ("not owl", "owl")
    assert read({**columns, "probability": PROBS.max(axis=1)}).of_confidence
    said = {name: column for name, column in columns.items() if name != "probability"}
    assert read({**said, "confidence": score.round(4)}).of_confidence  # somebody may be less sure than chance


def test_a_covariate_that_does_not_go_with_the_truth_is_asked_about():
    columns = {"died": EVENT, "ejection_fraction": RNG.uniform(0.2, 0.7, N).round(3), "age": RNG.integers(20, 90, N)}
    with pytest.raises(ValueError, match="only its numbers say that 'ejection_fraction' may hold probabilities"):
        read(columns)
    assert read(columns, prob="ejection_fraction").n_classes == 2
    assert read({**columns, "ejection_fraction": PROB}).n_classes == 2  # as it goes with the truth


@pytest.mark.parametrize(("names", "labels"), [("pH pD pA", "HDA"), ("p1 pX p2", "1X2")])
def test_the_capital_in_a_name_begins_a_word(names, labels):
    columns = {name: PROBS[:, k] for k, name in enumerate(names.split())}
    p = read({**columns, "result": np.array(list(labels))[LABELS]})
    assert cv.accuracy(p) == (LABELS == LIKELIEST).mean()


@pytest.mark.parametrize(("no", "yes"), [("-", "+"), ("+", "-"), ("case", "control")])
def test_the_class_that_is_likelier_by_the_means_is_offered_first(no, yes):
    with pytest.raises(ValueError, match="nothing says of which class") as caught:
        read({"pcr": np.where(EVENT == 1, yes, no), "probability": PROB})
    assert caught.value.readings[0].options["positive"] == yes


@pytest.mark.parametrize("name", ["score", "prob", "credit_score", "fico", "points"])
def test_points_of_a_credit_score_are_no_probabilities(name):
    points = RNG.integers(300, 851, N)
    columns = {name: points, "default": (RNG.random(N) < 0.3).astype(int)}
    with pytest.raises(
        ValueError, match=f"'{name}' goes from {points.min()} to {points.max()}: points of a scale"
    ) as e:
        read(columns)
    assert "logits" not in str(e.value) and "A logistic regression on held-out rows turns them" in str(e.value)
    with pytest.raises(ValueError, match="points of a scale are no probabilities"):
        read(columns, prob=name)


def test_log_odds_and_codes_are_no_points():
    log_odds = RNG.normal(0, 4, N).round(3)
    with pytest.raises(ValueError, match=r"lies between 0 and 1; pass logits=\.\.\. if these"):
        read({"score": log_odds, "label": EVENT})
    with pytest.raises(ValueError, match="is 999, no probability, which stands in 3 entries"):
        read({"score": np.where(np.arange(N) < 3, 999, PROB), "label": EVENT})


def test_a_score_in_the_unit_interval_that_may_be_raw_is_asked_beside_another():
    columns = {"label": EVENT, "raw_score": PROB, "calibrated_score": (PROB**1.2).round(4)}
    with pytest.raises(ValueError, match="two columns may hold the probabilities") as caught:
        read(columns)
    assert [reading.options.get("prob") for reading in caught.value.readings[:2]] == ["raw_score", "calibrated_score"]


def test_small_per_cents_by_their_name_are_asked_with_what_reads_them():
    small = (9 * PROB).round(2)
    with pytest.raises(ValueError, match="found no probabilities") as caught:
        read({"risk_percent": small, "died": (RNG.random(N) < small / 100 + 0.1).astype(int)})
    assert [reading.options["normalize"] for reading in caught.value.readings] == [True]
    assert "points" not in str(caught.value)


def test_per_cents_with_a_slip_are_no_points_of_a_scale():
    rng = np.random.default_rng(0)
    percents = rng.uniform(0, 100, 60).round(1)
    frame = pd.DataFrame({"risk_pct": percents, "label": (rng.uniform(0, 100, 60) < percents).astype(int)})
    frame.loc[59, "risk_pct"] = 250.0
    with pytest.raises(ValueError, match="risk_pct") as refused:
        cv.read_predictions(frame)
    assert "points of a scale" not in str(refused.value)
    with pytest.raises(ValueError, match="found no probabilities"):  # without a warning of the mean of nothing
        cv.read_predictions(frame.assign(risk_pct=np.nan))


def test_words_in_the_first_rows_of_two_measurements_describe_no_columns():
    rng = np.random.default_rng(1)
    score = rng.uniform(0.05, 0.95, 60)
    values = [["missing", "low"] + [f"{v:.1f}" for v in rng.normal(5, 1, 58)] for _ in range(2)]
    frame = pd.DataFrame({"prob": score, "label": (rng.random(60) < score).astype(int), "a": values[0], "b": values[1]})
    assert len(cv.read_predictions(frame)) == 60
