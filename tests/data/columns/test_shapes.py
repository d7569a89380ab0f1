"""Shapes that are columns: counts, several models, several pairs, thousands, per cents, log-odds, a truth elsewhere."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from files_of_people import besides
from prediction_files import read_as

import calibviz as cv
from calibviz.data.columns.choices import Question

N = 150
RNG = np.random.default_rng(3)
SCORE = np.round(RNG.uniform(0.02, 0.98, N), 4)
Y = (RNG.random(N) < SCORE).astype(int)
YES = np.where(Y == 1, "yes", "no")
PROBS = np.round(RNG.dirichlet([1, 1, 1], N), 4)
PROBS[:, 2] = np.round(1 - PROBS[:, 0] - PROBS[:, 1], 4)
THREE = np.array(["cat", "dog", "owl"])
CODES = (RNG.random(N)[:, None] > PROBS.cumsum(axis=1)).sum(axis=1).clip(max=2)
LOGIT = np.log(SCORE / (1 - SCORE))
TABLES = {
    # of a tool: the columns, the class of the mean, what the line holds
    "RapidMiner": {"Churn": YES, "prediction(Churn)": YES[::-1], "confidence(no)": 1 - SCORE, "confidence(yes)": SCORE},
    "DataRobot": {"sick": Y, "sick_1_PREDICTION": SCORE, "sick_0_PREDICTION": 1 - SCORE, "POSITIVE_CLASS": 1},
    "CatBoost": {"SampleId": np.arange(N), "Probability:Class=0": 1 - SCORE, "Probability:Class=1": SCORE, "Label": Y},
    "SAS Enterprise Miner": {"BAD": Y, "P_BAD1": SCORE, "P_BAD0": 1 - SCORE, "I_BAD": (SCORE > 0.5).astype(int)},
    "ML.NET": {"Label": Y == 1, "PredictedLabel": SCORE > 0.5, "Probability": SCORE, "Score": LOGIT},
    "OHDSI": {"subjectId": np.arange(N), "outcomeCount": Y, "survivalTime": np.full(N, 365), "value": SCORE},
    "Metaculus": {"Question ID": np.arange(N) // 4, "Probability Yes": SCORE, "Resolution": YES},
    "Manifold": {"probAfter": SCORE, "outcome": RNG.choice(["YES", "NO"], N), "resolution": np.char.upper(YES)},
    "German": {"Wahrscheinlichkeit": SCORE, "Ergebnis": np.where(Y == 1, "ja", "nein"), "w": RNG.choice(["m", "f"], N)},
    "hospital": {"MRN": np.arange(N) * 7, "ICU_mortality_prob": SCORE, "died": Y, "ventilated": RNG.integers(0, 2, N)},
    "credit": {"pd": SCORE, "good_bad": np.where(Y == 1, "bad", "good")},
    "log-odds": {"label": Y, "log_odds": LOGIT},
}


def frame(**columns):
    return pd.DataFrame(columns)


@pytest.mark.parametrize("tool", TABLES)
def test_columns_of_tools_are_read(tool):
    p = cv.read_predictions(pd.DataFrame(TABLES[tool]))
    np.testing.assert_allclose(p.probs[:, 1], SCORE, atol=1e-9)
    np.testing.assert_array_equal(p.labels, Y)
    assert p.about["assumed"].startswith(f"P({p.class_names[1]}) from ") and "observed 45 %" in p.about["assumed"]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"y": Y, "rf": SCORE, "xgb": SCORE**2, "lr": SCORE**0.5}, "3 columns may hold the probabilities"),
        ({"Label": Y, "RawFormulaVal": LOGIT}, "'RawFormulaVal' may hold log-odds, or a margin: logits="),
        ({"am": Y, ".fitted": LOGIT, ".hat": SCORE / 9}, "'.fitted' may hold log-odds, or a margin"),
        ({"Score": np.round(100 * SCORE), "Outcome": YES}, "where these are per cent, and no points of a score, norm"),
        ({"smoker": RNG.choice(["yes", "no"], N), "risk": SCORE}, "nothing but its two answers says that 'smoker'"),
        ({"label": YES, "c1": SCORE, "c2": 1 - SCORE}, "nothing says which of 'c1', 'c2' is of which class"),
        ({"label": Y, "prob_spam": SCORE, "prob_ham": 1 - SCORE}, "nothing says which of 'prob_spam', 'prob_ham' is"),
        ({"class": Y + 1, "prob": SCORE}, "and nothing says of which class the probabilities are\n"),
        ({"dead_1y": Y, "pred_survival_1y": 1 - SCORE}, "'pred_survival_1y' may say that it is of the class '0'"),
        ({"died": Y, "prob_no": 1 - SCORE}, "the name of 'prob_no' may say that it is of the class '0'"),
    ],
)
def test_what_two_readings_fit_is_asked(columns, said):
    with pytest.raises(Question) as caught:
        cv.read_predictions(pd.DataFrame(columns))
    assert said in str(caught.value)
    for options, gives in caught.value.lines:
        assert gives.rpartition(" has ")[2] in read_as(pd.DataFrame(columns), options).about["assumed"]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"fpr": SCORE, "tpr": SCORE**0.5, "threshold": 1 - SCORE}, "'fpr', 'tpr' are points of a curve"),
        (
            {"y_true": LOGIT, "y_pred": LOGIT + 1},
            "'y_pred' predicts the numbers in 'y_true', as a regression does",
        ),
        ({"confidence": RNG.integers(1, 11, N), "correct": Y}, "whole numbers from 1 to 10: points of a scale"),
        ({"odds": SCORE / (1 - SCORE), "label": Y}, r"write p = odds / \(1 \+ odds\)"),
        ({"id": np.arange(N), "prob": SCORE}, "truth=FILE another file that holds them"),
        ({"prob": SCORE, "y_pred": RNG.permutation(Y)}, "found no labels"),
    ],
)
def test_what_holds_no_predictions_is_said(columns, said):
    with pytest.raises(ValueError, match=said):
        cv.read_predictions(pd.DataFrame(columns))


# Content outranks names


def test_another_column_that_goes_with_the_scores_is_asked_about():
    """A name that says truth is not enough where nothing goes with it, but with another column."""
    with pytest.raises(Question, match="two columns may hold the truth") as caught:
        cv.read_predictions(frame(target=RNG.permutation(Y), income=np.where(Y == 1, "high", "low"), probability=SCORE))
    assert [options["label"] for options, _ in caught.value.lines] == ["income", "income", "target"]


def test_whether_answers_are_right_beside_the_confidence_in_them():
    boxes = frame(image=[f"{i}.png" for i in range(N)], **{"class": THREE[CODES]}, conf=SCORE, iou=SCORE[::-1], tp=Y)
    answers = frame(confidence=np.round(100 * SCORE), correct=YES)
    for table, name in ((boxes, "tp"), (answers, "correct")):
        p = cv.read_predictions(table)
        assert p.of_confidence and np.array_equal(p.labels, Y) and f"right from '{name}'" in p.about["assumed"]
    assert "class" in cv.read_predictions(boxes).fields


def test_fractions_are_soft_labels_and_a_tie_is_half_an_event():
    shares = np.where(np.arange(N) % 50 == 7, 0.5, Y)
    p = cv.read_predictions(frame(prob=SCORE, outcome=shares))
    np.testing.assert_array_equal(p.soft_labels[:, 1], shares)
    assert besides(p) == "3 ties of 0.5 are soft labels"
    p = cv.read_predictions(frame(prob=SCORE, label=SCORE[::-1]))
    np.testing.assert_array_equal(p.soft_labels[:, 1], SCORE[::-1])


# Numbers as people write them


def test_per_cents_are_read_where_a_name_says_so():
    for name in ("risk_pct", "Risk score (%)", "probability", "forecast"):
        p = cv.read_predictions(pd.DataFrame({name: np.round(100 * SCORE, 2), "died": Y}))
        np.testing.assert_allclose(p.probs[:, 1], SCORE)
        assert "probabilities in per cent" in p.about["assumed"]


@pytest.mark.parametrize(
    ("sep", "decimal", "group", "is_read"), [(",", ".", ",", True), (";", ",", ".", True), (";", "", ",", False)]
)
def test_thousands_are_whole_numbers_where_the_decimal_sign_is_known(tmp_path, sep, decimal, group, is_read):
    cost = RNG.integers(1_000, 99_999, N)
    scores = [f"{value:.4f}".replace(".", decimal) if decimal else f"{round(100 * value)}%" for value in SCORE]
    rows = [f'{s}{sep}{y}{sep}"{c:,}"'.replace(",", group) if sep == ";" else f'{s},{y},"{c:,}"'
            for s, y, c in zip(scores, Y, cost, strict=True)]  # fmt: skip  # one row in two lines
    if sep == ";" and decimal == ",":
        rows = [f"{s};{y};{f'{c:,}'.replace(',', '.')}" for s, y, c in zip(scores, Y, cost, strict=True)]
    path = tmp_path / "p.csv"
    path.write_text("\n".join([sep.join(("prob", "label", "cost")), *rows]))
    p = cv.read_predictions(path)
    if is_read:
        np.testing.assert_array_equal(p.fields["cost"], cost)
        assert "thousands in 'cost'" in p.about["assumed"]
    else:
        assert "'cost' stays text" in p.about["assumed"]


def test_vectors_in_a_text_are_the_probabilities_of_all_classes(tmp_path):
    path = tmp_path / "p.csv"
    frame(label=CODES, probability=[f"[{a},{b},{c}]" for a, b, c in PROBS]).to_csv(path, index=False)
    p = cv.read_predictions(path)
    np.testing.assert_array_equal(p.probs, PROBS)


# Counts


def test_counts_are_weighted_rows(tmp_path):
    grades = frame(grade=list("ABCD"), pd=[0.01, 0.02, 0.1, 0.3], n=[100, 80, 50, 10], defaults=[0, 2, 6, 3])
    grades.to_csv(path := tmp_path / "grades.csv", index=False)
    p = cv.read_predictions(path)
    assert p.weights.tolist() == [100, 78, 44, 7, 2, 6, 3] and p.labels.tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert p.fields["grade"].tolist() == list("ABCDBCD")
    assert "'n' samples a row, of which 'defaults' are events" in p.about["assumed"]
    shares = frame(mean_predicted=[0.1, 0.5, 0.9], count=[100, 40, 50], event_rate=[0.12, 0.5, 0.86])
    p = cv.read_predictions(shares)
    assert p.weights.tolist() == [88, 20, 7, 12, 20, 43]
    with pytest.raises(ValueError):  # the edges of bins are no probabilities
        cv.read_predictions(frame(thresh_i=[0.1, 0.5, 0.9], oy_i=[1, 2, 3], on_i=[5, 4, 3]))


# Several models, several pairs


def test_several_models_in_one_table_are_read_one_by_one(tmp_path):
    other = np.round(SCORE**2, 4)
    long = pd.concat([frame(row=np.arange(N), prob=s, label=Y, model=m) for s, m in ((SCORE, "a"), (other, "b"))])
    long.to_csv(path := tmp_path / "long.csv", index=False)
    for source in (path, long.reset_index(drop=True)):
        with pytest.raises(Question, match="'model' names 2 models, 'a', 'b', that predict the same rows") as caught:
            cv.read_predictions(source)
        [(options, _)] = caught.value.lines
        models = cv.read_models(source, **options)
        assert list(models) == ["a", "b"]
        np.testing.assert_array_equal(models["b"].probs[:, 1], other)
    with pytest.raises(ValueError, match=r"cv\.read_models\(\.\.\., model='model'\) reads each of them"):
        cv.read_predictions(path, model="model")
    assert models["a"].fields.keys() == set()
    np.savez(tmp_path / "p.npz", prob=SCORE, label=Y)
    with pytest.raises(ValueError, match="is no table of columns"):
        cv.read_models(tmp_path / "p.npz", model="m")
    with pytest.raises(ValueError, match="model='m': no column has this name"):
        cv.read_models(path, model="m")


@pytest.mark.parametrize(
    "form", [("{}", "{}_outcome"), ("p_{}", "y_{}"), ("{}_prob", "{}_label"), ("{}_pred", "{}"), ("prob_{}", "{}")]
)
def test_pairs_of_probability_and_outcome_are_asked_about_and_belong_together(form):
    pairs = {}
    for event in ("rain", "snow", "wind"):
        score = np.round(RNG.uniform(0.05, 0.7, N), 4)
        pairs |= {form[0].format(event): score, form[1].format(event): (RNG.random(N) < score).astype(int)}
    table = frame(**pairs)
    with pytest.raises(Question, match="3 pairs of a probability and its outcome") as caught:
        cv.read_predictions(table)
    assert "multi-label" in str(caught.value) and len(caught.value.lines) == 3
    snow = form[0].format("snow"), form[1].format("snow")
    for options in ({"prob": snow[0]}, {"label": snow[1]}):
        p = cv.read_predictions(table, **options)
        np.testing.assert_array_equal(p.probs[:, 1], pairs[snow[0]])
        np.testing.assert_array_equal(p.labels, pairs[snow[1]])
        assert p.fields.keys() == {form[0].format("rain"), form[0].format("wind")}


@pytest.mark.parametrize("form", [("{}_probs", "{}_labels"), ("probs_{}", "labels_{}"), ("{}_preds", "y_{}")])
def test_arrays_of_several_parts_are_asked_about_and_belong_together(tmp_path, form):
    parts = {part: (RNG.dirichlet(np.ones(3), N), RNG.integers(0, 3, N)) for part in ("train", "test")}
    arrays = {
        name.format(part): values for part, pair in parts.items() for name, values in zip(form, pair, strict=True)
    }
    np.savez(path := tmp_path / "parts.npz", train_ids=RNG.permutation(N), **arrays)
    with pytest.raises(Question, match="two arrays may hold the probabilities") as caught:
        cv.read_predictions(path)
    both = [{"prob": form[0].format(part), "label": form[1].format(part)} for part in parts]
    assert [options for options, _ in caught.value.lines] == both
    np.testing.assert_array_equal(cv.read_predictions(path, **both[0]).labels, parts["train"][1])


@pytest.mark.parametrize("form", ["prob_seed{}", "member_{}", "seed{}_prob"])
def test_the_numbers_of_several_seeds_are_no_classes(form):
    seeds = {form.format(i): np.round(np.clip(SCORE + RNG.normal(0, 0.02, N), 0, 1), 4) for i in range(3)}
    with pytest.raises(Question, match="3 columns may hold the probabilities") as caught:
        cv.read_predictions(frame(label=Y, **seeds))
    *each, every = (options for options, _ in caught.value.lines)
    assert each == [{"label": "label", "prob": name} for name in seeds]
    assert every == {"label": "label", "model": list(seeds)}
    assert list(cv.read_models(frame(label=Y, **seeds), **every)) == list(seeds)


def test_the_likeliest_classes_of_each_row_are_no_columns_of_classes():
    probs = RNG.dirichlet(np.ones(3), N).round(4)
    names, order = np.array(["CN", "MCI", "AD"]), np.argsort(-probs, axis=1)
    ranked = {f"pred_{i + 1}": names[order[:, i]] for i in range(3)}
    ranked |= {f"prob_{i + 1}": np.sort(probs, axis=1)[:, 2 - i] for i in range(3)}
    drawn = (probs.cumsum(axis=1) < RNG.random((N, 1))).sum(axis=1).clip(0, 2)
    table = frame(true_label=names[drawn], **ranked)
    with pytest.raises(Question, match="descend in each row") as caught:
        cv.read_predictions(table)
    [(options, _)] = caught.value.lines
    p = cv.read_predictions(table, **options)
    np.testing.assert_array_equal(p.probs[:, 1], ranked["prob_1"])
    np.testing.assert_array_equal(p.labels, table["true_label"] == table["pred_1"])


# The truth in another source


@pytest.mark.parametrize("kind", [".csv", ".parquet", "frame"])
def test_a_truth_elsewhere_is_joined_by_the_id(tmp_path, kind):
    order = RNG.permutation(N)
    ours = frame(case=np.arange(N) * 3, target=SCORE)
    theirs = frame(case=np.arange(N) * 3, target=Y, usage="private").iloc[order].reset_index(drop=True)
    ours.to_csv(path := tmp_path / "submission.csv", index=False)
    truth = theirs if kind == "frame" else tmp_path / f"solution{kind}"
    if kind == ".csv":
        theirs.to_csv(truth, index=False)
    elif kind == ".parquet":
        theirs.to_parquet(truth)
    p = cv.read_predictions(path, truth=truth)
    np.testing.assert_array_equal(p.probs[:, 1], SCORE)
    np.testing.assert_array_equal(p.labels, Y)
    assert "joined by 'case'" in p.about["assumed"]
    few = theirs.iloc[5:]
    with pytest.raises(ValueError, match="5 rows have no partner of the same 'case' in the file of the truth"):
        cv.read_predictions(ours, truth=few)
    assert len(cv.read_predictions(ours, truth=few, missing="drop")) == N - 5
    with pytest.raises(ValueError, match="share no column whose values are all different"):
        cv.read_predictions(ours, truth=theirs.rename(columns={"case": "nr"}))
    with pytest.raises(ValueError, match="found no labels"):
        cv.read_predictions(path)


def test_a_message_about_the_other_source_names_it(tmp_path):
    (other := tmp_path / "y_test.txt").write_text("1\n0\n1\n")
    with pytest.raises(ValueError, match=r"^truth: '.*y_test\.txt': the first line holds numbers"):
        cv.read_predictions(frame(case=np.arange(N), prob=SCORE), truth=other)


# What is said of single samples


def test_a_spread_is_no_probability_and_1_0_is_the_class_1():
    p = cv.read_predictions(frame(y=Y, mean_prob=SCORE, std_prob=np.round(RNG.uniform(0, 0.1, N), 4)))
    np.testing.assert_array_equal(p.probs[:, 1], SCORE)
    p = cv.read_predictions(frame(truth=np.where(Y == 1, "1.0", "0.0"), **{"prob_1.0": SCORE}))
    np.testing.assert_array_equal(p.probs[:, 1], SCORE)


def test_texts_are_read_as_numpy_prints_them():
    names = ["CN", "MCI", "AD"]
    probs, labels = RNG.dirichlet(np.ones(3), N).round(4), RNG.integers(0, 3, N)
    cells = [
        f"{{{', '.join(f'np.str_({name!r}): np.float64({p})' for name, p in zip(names, row, strict=True))}}}"
        for row in probs
    ]
    p = cv.read_predictions(frame(label=np.array(names)[labels], probs=cells))
    np.testing.assert_array_equal(p.probs[:, p.class_names.index("MCI")], probs[:, 1])
    np.testing.assert_array_equal(np.array(p.class_names)[p.labels], np.array(names)[labels])


def test_ids_and_texts_are_notes_and_no_fields():
    table = frame(patient_id=RNG.permutation(N) * 9 + 4, text=[f"case {i}" for i in range(N)], prob=SCORE, label=Y)
    p = cv.read_predictions(table.assign(age=RNG.integers(20, 90, N)))
    assert p.fields.keys() == {"age"} and p.notes.keys() == {"patient_id", "text"}
    np.testing.assert_array_equal(p.notes["patient_id"], table["patient_id"])
    several = cv.read_predictions(table.assign(patient_id=np.arange(N) // 3))
    assert "patient_id" in several.fields
    said = f"{N} rows of {-(-N // 3)} different 'patient_id': rows that share one may not be independent, and intervals"
    assert said in several.about["assumed"]
    part = p.select(np.arange(10, 20))
    assert part.notes["text"].tolist() == table["text"][10:20].tolist()
    assert not cv.Predictions([0.2], [1]).notes


@pytest.mark.parametrize(("name", "is_said"), [("question_id", True), ("question", True), ("subject", False)])
def test_forecasts_of_one_question_are_said_to_be_dependent_rows(name, is_said):
    of = {"question_id": np.arange(N) // 10 + 5, "question": [f"Will {i // 10} rise?" for i in range(N)]}
    column = of.get(name, RNG.choice(["maths", "physics", "history"], N))
    said = cv.read_predictions(frame(forecast=SCORE, resolution=Y).assign(**{name: column})).about["assumed"]
    words = f"{N} rows of {N // 10} different {name!r}: rows that share one may not be independent, and intervals and"
    assert (words in said) == is_said == ("independent" in said)


def test_coarse_confidences_are_no_reason_to_take_a_field_for_their_logit():
    coarse, agreed = np.round(SCORE, 1), np.round(RNG.random(N), 3)
    p = cv.read_predictions(
        frame(prob=coarse, label=Y, agreed=agreed, log_odds=np.log((coarse + 1e-3) / (1.001 - coarse)))
    )
    assert "agreed" in p.fields and "log_odds" not in p.fields
