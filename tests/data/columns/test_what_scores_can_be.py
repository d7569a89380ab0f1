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


def asked(columns, said):
    with pytest.raises(ValueError, match=said) as caught:
        read(columns)
    return [options for options, _ in caught.value.lines]


@pytest.mark.parametrize("strength", [1, 8])  # of the dependence; where it is weak, no direction shows
@pytest.mark.parametrize("names", [("p_event", "p_none"), ("prob_default", "prob_paid")])
def test_the_alphabet_does_not_say_which_of_two_classes_is_1(names, strength):
    event = (np.random.default_rng(1).random(N) < 0.5 + strength * (PROB - 0.5) / 8).astype(int)
    columns = {"y": event, names[0]: PROB, names[1]: (1 - PROB).round(4)}
    lines = asked(columns, f"nothing says which of '{names[0]}', '{names[1]}' is of which class")
    assert sorted(line["classes"] for line in lines) == [["0", "1"], ["1", "0"]]
    p = read(columns, prob=list(names), classes=["1", "0"])
    assert p.probs[:, list(p.class_names).index("1")].tolist() == PROB.tolist()


def test_either_of_two_nameless_complements_is_offered():
    columns = {"y": RNG.permutation(EVENT), "legit": (1 - PROB).round(4), "fraud": PROB}
    lines = asked(columns, "only its numbers say that 'legit' may hold probabilities")
    assert {line["prob"] for line in lines} == {"legit", "fraud"}


@pytest.mark.parametrize("names", [["home_odds"], ["home_odds", "away_odds"]])
def test_odds_are_no_probabilities_and_those_beside_them_are_offered(names):
    odds = dict(zip(names, (1 / PROB.clip(0.01), 1 / (1 - PROB.clip(0, 0.99))), strict=False))
    columns = {name: values.round(2) for name, values in odds.items()} | {"won": EVENT}
    with pytest.raises(
        ValueError, match=r"hold(s)? odds, .* or p = 1 / odds where these are the decimal odds"
    ) as caught:
        read(columns)
    assert "normalize" not in str(caught.value)
    lines = asked(columns | {"implied_home": PROB}, "odds, not probabilities")
    assert [line["prob"] for line in lines] == ["implied_home"]
    below = {"odds": PROB / (1 - PROB.clip(0, 0.99)), "won": EVENT}
    with pytest.raises(ValueError, match=r"write p = odds / \(1 \+ odds\) into a column of its own"):
        read(below)


def test_the_same_answer_in_each_row_is_no_truth_beside_what_is_right():
    p = read({"answer": "A", "confidence": PROB, "correct": EVENT})
    assert p.probs[:, 1].tolist() == PROB.tolist() and p.labels.tolist() == EVENT.tolist()
    assert tuple(p.class_names) == ("wrong", "right")


@pytest.mark.parametrize("form", ["{}_logit", "logprob_{}"])
def test_numbers_below_0_that_are_named_after_the_classes_are_offered_as_logits(form):
    logs = np.log(PROBS)
    numbers = logs if form == "logprob_{}" else logs + RNG.normal(0, 1, (N, 1)) + 2
    columns = {form.format(name): numbers[:, k] for k, name in enumerate(CLASSES)} | {"gold": CLASSES[LABELS]}
    [line] = asked(columns, "takes the softmax of logits or log-probabilities")
    np.testing.assert_allclose(read(columns, **line).probs, PROBS, rtol=0, atol=1e-12)


def test_the_only_number_beside_a_truth_may_be_log_odds():
    odds = np.log(PROB.clip(0.001) / (1 - PROB.clip(0.001, 0.999)))
    [line] = asked({"y": EVENT, "lgb_raw": odds}, "logits='lgb_raw' takes the sigmoid of log-odds")
    np.testing.assert_allclose(read({"y": EVENT, "lgb_raw": odds}, **line).probs[:, 1], PROB.clip(0.001), atol=2e-3)


def test_one_code_below_0_is_no_difference_of_probabilities():
    with pytest.raises(ValueError, match="is -1, no probability, which stands in 3 entries; where it marks"):
        read({"prob": np.where(np.arange(N) < 3, -1, PROB), "label": EVENT})


def test_risks_that_are_not_all_numbers_are_refused_by_the_first_that_is_none():
    risk = [f"{100 * value:.0f}%" for value in PROB[:-1]] + ["<1%"]
    with pytest.raises(ValueError, match=f"row {N - 1} of column 'risk' is '<1%', not a number"):
        read({"risk": risk, "died": EVENT})


def test_log_probabilities_of_any_name_are_an_array_of_logits(tmp_path):
    np.savez(tmp_path / "p.npz", log_probs=np.log(PROBS), y=LABELS)
    np.testing.assert_allclose(cv.read_predictions(tmp_path / "p.npz").probs, PROBS, rtol=0, atol=1e-12)


@pytest.mark.parametrize("pair", [("falso", "verdadero"), ("não", "sim"), ("nee", "ja"), ("nie", "tak"), ("нет", "да")])
def test_answers_in_other_languages_have_an_order(pair):
    assert tuple(read({"prob": PROB, "label": np.array(pair)[EVENT]}).class_names) == pair


def test_fitted_values_of_r_are_probabilities():
    assert "P(1) from 'p.hat'" in read({"p.hat": PROB, "case": EVENT}).about["assumed"]


@pytest.mark.parametrize(
    ("truth", "number"), [("price", 40 * PROB + 3), ("label", np.round(9 * PROB)), ("rating", np.round(4 * PROB) + 1)]
)
@pytest.mark.parametrize("form", [pd.DataFrame, "arrays"])
def test_numbers_beside_what_predicts_them_are_those_of_a_regression(tmp_path, truth, number, form):
    columns = {truth if form is pd.DataFrame else "y_true": number, "y_pred": number + np.sin(np.arange(len(number)))}
    if form == "arrays":
        np.savez(tmp_path / "p.npz", **columns)
    with pytest.raises(ValueError, match=r"'y_pred' predicts the numbers in '.*', as a regression does"):
        cv.read_predictions(tmp_path / "p.npz" if form == "arrays" else form(columns))


def test_shares_beside_what_predicts_them_are_asked_about():
    table = pd.DataFrame({"target": PROB, "prediction": 0.9 * PROB + 0.03})
    with pytest.raises(ValueError, match="as a regression does") as caught:
        cv.read_predictions(table)
    assert [options for options, _ in caught.value.lines] == [{"label": "target", "prob": "prediction"}]
    np.testing.assert_allclose(cv.read_predictions(table, label="target").soft_labels[:, 1], PROB)


def test_columns_of_words_named_after_the_classes_stand_beside_the_logits_of_these():
    texts = {name: np.array([f"{name} {i}" for i in range(N)]) for name in CLASSES}
    logs = {f"lp_{name}": np.log(PROBS[:, k] + 1e-6) for k, name in enumerate(CLASSES)}
    with pytest.raises(ValueError, match="takes the softmax of logits") as caught:
        read({"answer": CLASSES[LABELS]} | texts | logs)
    assert [options for options, _ in caught.value.lines] == [{"label": "answer", "logits": [*logs]}]


def test_logits_of_numbered_classes_are_no_regression():
    logs = {f"pred_{k}": np.log(PROBS[:, k] + 1e-6) + 2 for k in range(3)}
    np.testing.assert_allclose(read({"label": LABELS} | logs, logits=[*logs]).probs, PROBS, atol=1e-5)
    with pytest.raises(ValueError, match="takes the softmax of logits"):
        read({"label": LABELS} | logs)


@pytest.mark.parametrize("name", ["NEWS", "lace_index", "score", "prob"])
def test_whole_numbers_that_go_with_the_truth_may_be_points(name):
    points = RNG.binomial(10, PROB)
    with pytest.raises(ValueError, match=f"'{name}' .*: points of a scale are no probabilities. A logistic regression"):
        read({"patient": np.arange(N), "age": RNG.integers(20, 90, N), name: points, "died": EVENT})
