"""Columns by what they hold: nothing is read wrong in silence, whatever the columns are called."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from files_of_people import besides
from hypothesis import HealthCheck, given, settings, strategies as st
from prediction_files import read_as

import calibviz as cv
from calibviz.data.columns.choices import Question
from calibviz.data.columns.recognition.class_names import class_parts

N = 120
RNG = np.random.default_rng(7)
SCORE = np.round(RNG.uniform(0.02, 0.98, N), 4)
Y = (RNG.random(N) < SCORE).astype(int)
THREE = ["cat", "dog", "owl"]
PROBS = np.round(RNG.dirichlet([1, 1, 1], N), 4)
PROBS[:, 2] = np.round(1 - PROBS[:, 0] - PROBS[:, 1], 4)
CODES = (RNG.random(N)[:, None] > PROBS.cumsum(axis=1)).sum(axis=1).clip(max=2)
NAMED = np.array(THREE)[CODES]
LIKELIEST = np.array(THREE)[PROBS.argmax(axis=1)]
YES = np.where(Y == 1, "yes", "no")
AGE = RNG.integers(20, 90, N)
BY_CLASS = {f"p_{name}": PROBS[:, k] for k, name in enumerate(THREE)}


def frame(**columns):
    return pd.DataFrame(columns)


def asks(source, *said, **options):
    """The question that a source is refused with; each of its lines opens it."""
    with pytest.raises(Question) as caught:
        cv.read_predictions(source, **options)
    for text in said:
        assert text in str(caught.value)
    assert 1 <= len(caught.value.lines) <= 6
    for given_options, _ in caught.value.lines:
        read_as(source, given_options)
    return caught.value


# The truth and the prediction


@pytest.mark.parametrize("truth", ["true_label", "gold", "target", "y_true", "ground_truth"])
def test_label_and_score_of_a_pipeline_are_the_prediction_and_the_confidence_in_it(truth):
    said = np.where(SCORE > 0.5, "POSITIVE", "NEGATIVE")
    told = np.where(Y == 1, "POSITIVE", "NEGATIVE")
    table = frame(**{"text": ["t"] * N, "label": said, "score": np.maximum(SCORE, 1 - SCORE), truth: told})
    for options in ({}, {"label": truth}):
        p = cv.read_predictions(table, **options)
        assert p.class_names == ("wrong", "right")
        np.testing.assert_array_equal(p.labels, said == told)
        assert "confidence from 'score' in the class of 'label'" in p.about["assumed"]


@pytest.mark.parametrize("truth", ["ground_truth", "gold", "target", "actual", "correct_answer"])
def test_the_answer_of_a_log_of_decisions_is_what_the_model_says(tmp_path, truth):
    records = [
        {"answer": said, "probabilities": dict(zip(THREE, row, strict=True)), truth: told}
        for said, row, told in zip(LIKELIEST.tolist(), PROBS.tolist(), NAMED.tolist(), strict=True)
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    p = cv.read_predictions(path)
    np.testing.assert_array_equal(p.labels, CODES)
    p = cv.read_predictions(frame(answer=LIKELIEST, **BY_CLASS, **{truth: NAMED}))
    np.testing.assert_array_equal(p.labels, CODES)
    assert "answer" in p.fields and truth not in p.fields


def test_two_columns_that_may_hold_the_truth_are_a_question():
    other = NAMED.copy()
    other[:7] = np.roll(other, 1)[:7]
    question = asks(frame(label=NAMED, gold=other, **BY_CLASS), "two columns may hold the truth")
    assert [given_options["label"] for given_options, _ in question.lines] == ["label", "gold"]
    assert "mean confidence" in str(question) and "right" in str(question)
    # The same outcome once more is no other candidate, nor is a column whose values are no classes.
    p = cv.read_predictions(frame(label=Y, outcome=np.where(Y, "Yes", "No"), status=["x", "z"] * (N // 2), prob=SCORE))
    np.testing.assert_array_equal(p.labels, Y)
    assert "outcome" not in p.fields and "status" in p.fields


@pytest.mark.parametrize("ending", ["frame", ".npz", ".parquet", ".jsonl"])
def test_labels_that_are_what_the_model_says_are_refused_unless_they_are_named(tmp_path, ending):
    table, source = (
        frame(label=PROBS.argmax(axis=1), **{f"p_{k}": PROBS[:, k] for k in range(3)}),
        tmp_path / f"p{ending}",
    )
    if ending == "frame":
        source = table
    elif ending == ".npz":
        np.savez(source, probs=PROBS, label=PROBS.argmax(axis=1))
    elif ending == ".parquet":
        table.to_parquet(source)
        with pytest.raises(ValueError, match="every label of 'label' is the likeliest class"):
            cv.open_predictions(source)
    else:
        source.write_text("\n".join(json.dumps(row) for row in table.to_dict("records")))
    asks(source, "every label of 'label' is the likeliest class: these may be the model's own answers", "label='label'")
    p = cv.read_predictions(source, label="label")
    assert p.about["assumed"].startswith("every label is the likeliest class: is 'label' the prediction?")


def test_labels_on_the_sides_of_a_threshold_are_refused_unless_they_are_named():
    table = frame(label=(SCORE > 0.37).astype(int), prob=SCORE, age=AGE)
    asks(table, "every label of 'label' lies on one side of a threshold of the score", "label='label'")
    p = cv.read_predictions(table.assign(died=Y))  # beside another truth it is a prediction, whatever its name
    assert np.array_equal(p.labels, Y) and "predicted class from 'label'" in p.about["assumed"]
    assert len(cv.read_predictions(table.head(19))) == 19  # few rows prove little


# Columns of classes


@pytest.mark.parametrize("names", [(".pred_yes", ".pred_no"), ("p1", "p0"), ("P(yes)", "P(no)"), ("Yes", "No")])
@pytest.mark.parametrize("is_swapped", [False, True])
def test_two_columns_are_of_the_classes_in_their_names_wherever_they_stand(tmp_path, names, is_swapped):
    columns = {names[0]: SCORE, names[1]: np.round(1 - SCORE, 4)}
    order = list(columns)[:: -1 if is_swapped else 1]
    path = tmp_path / "p.csv"
    frame(event=YES, **{name: columns[name] for name in order}, age=AGE).to_csv(path, index=False)
    for options in (
        {},
        {"prob": order},
        {"prob": order[::-1]},
        {"prob": order, "classes": ["no", "yes"]},
        {"prob": names[0]},
    ):
        p = cv.read_predictions(path, **options)
        classes = [name.casefold() for name in p.class_names]
        np.testing.assert_allclose(p.probs[:, classes.index("yes")], SCORE, atol=1e-12)
        np.testing.assert_array_equal(np.array(classes)[p.labels], YES)
    p = cv.read_predictions(path, prob=names[1])
    np.testing.assert_allclose(p.probs[:, p.class_names.index("no")], 1 - SCORE, atol=1e-12)
    with pytest.raises(ValueError, match="positive='yes' is for a single column"):
        cv.read_predictions(path, prob=order, positive="yes")


@pytest.mark.parametrize("names", [("yes", "no"), ("p_yes", "p_no"), (".pred_yes", ".pred_no")])
def test_of_two_answers_the_one_that_says_no_comes_first(names):
    p = cv.read_predictions(frame(**{names[0]: SCORE, names[1]: np.round(1 - SCORE, 4)}, label=YES))
    assert p.class_names == ("no", "yes")
    assert np.array_equal(p.probs[:, 1], SCORE) and np.array_equal(p.labels, Y)


@pytest.mark.parametrize("pair", [("survived", "died"), ("nein", "ja"), ("incorrect", "correct")])
@pytest.mark.parametrize("names", [("p_0", "p_1"), ("p0", "p1"), ("prob_0", "prob_1")])
def test_numbers_mean_no_answers_that_the_alphabet_numbers_otherwise(pair, names):
    columns = {names[0]: SCORE, names[1]: np.round(1 - SCORE, 4)}
    for rows in (slice(None), slice(12)):  # of a few the order of the scores tells nothing
        source = frame(label=np.array(pair)[Y], **columns).iloc[rows]
        asks(source, "class", prob=list(names))
        with pytest.raises(ValueError):
            cv.read_predictions(source)
        p = cv.read_predictions(source, prob=list(names), classes=pair[::-1])
        assert p.class_names == pair[::-1] and np.array_equal(p.labels, 1 - Y[rows])
        np.testing.assert_array_equal(p.probs[:, 0], SCORE[rows])


@pytest.mark.parametrize("word", ["no", "not", "non", "without"])
def test_a_column_that_is_named_after_what_is_not_is_asked(word):
    labels, column = np.where(Y == 1, "default", "paid"), f"prob_{word}_default"
    with pytest.raises(ValueError, match="nothing says of which class the probabilities are"):
        cv.read_predictions(frame(label=labels, **{column: SCORE}), prob=column)
    p = cv.read_predictions(frame(label=labels, prob_of_default=SCORE), prob="prob_of_default")
    assert p.class_names == ("paid", "default") and np.array_equal(p.labels, Y)


def test_lists_of_numbers_of_numpy_are_numbers():
    scores = [list(row) for row in PROBS]
    assert isinstance(scores[0][0], np.float64)
    p = cv.read_predictions(frame(options=[THREE] * N, probs=scores, label=NAMED))
    np.testing.assert_allclose(p.probs, PROBS)


def test_names_that_tell_no_class_are_a_question():
    asks(
        frame(label=YES, c1=SCORE, c2=1 - SCORE),
        "nothing says which of 'c1', 'c2' is of the class 'no'",
        prob=["c1", "c2"],
    )
    question = asks(frame(label=Y, model_0=SCORE, model_1=SCORE**2), "'model_0' may say that it is of", prob="model_0")
    assert [given_options["positive"] for given_options, _ in question.lines] == ["0", "1"]


@pytest.mark.parametrize(
    ("columns", "values", "parts"),
    [
        ([".pred_Class1", ".pred_Class2"], ["Class2", "Class1"], ["Class1", "Class2"]),
        (["P (Churn=no)", "P (Churn=yes)"], ["yes", "no"], ["no", "yes"]),
        (["readmitted_1_PREDICTION", "readmitted_0_PREDICTION"], ["0", "1"], ["1", "0"]),
        (["p_yes", "p_no"], ["0", "1"], ["1", "0"]),
        (["malignant_prob", "benign_prob"], ["malignant", "benign"], ["malignant", "benign"]),
        (["p_10", "p_11"], ["0", "1"], None),
        (["c1", "c2"], ["no", "yes"], None),
    ],
)
def test_classes_are_what_varies_in_the_names_of_columns(columns, values, parts):
    assert class_parts(columns, values) == parts


def test_another_set_of_probabilities_is_a_question():
    both = {"p0": 1 - SCORE, "p1": SCORE, "cal_p0": 1 - SCORE**2, "cal_p1": SCORE**2}
    assert len(asks(frame(label=Y, **both), "two sets of columns may hold the probabilities").lines) == 2
    asks(frame(label=Y, prob=SCORE, y_prob=np.round(SCORE**1.5, 4)), "two columns may hold the probabilities")
    p = cv.read_predictions(frame(label=Y, prob=SCORE, confidence=np.maximum(SCORE, 1 - SCORE)))
    assert p.fields.keys() == {"confidence"}


def test_a_column_whose_name_stands_in_that_of_the_probabilities_may_be_the_truth():
    table = frame(**{"Churn": YES, "P (Churn=no)": np.round(1 - SCORE, 4), "P (Churn=yes)": SCORE, "tenure": AGE})
    p = cv.read_predictions(table)
    assert p.class_names == ("no", "yes") and p.probs[:, 1].tolist() == SCORE.tolist() and "Churn" not in p.fields
    asks(table.assign(target=RNG.permutation(Y)), "two columns may hold the truth", "label='Churn'", "label='target'")


# Options in another order in each record


@pytest.mark.parametrize("key", ["option_ids", "options", "choices", "names_shown"])
@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_options_are_matched_by_name_in_every_record(tmp_path, key, ending):
    records = []
    for i in range(N):
        order = np.random.default_rng(i).permutation(3)
        record = {key: [THREE[k] for k in order], "probabilities": PROBS[i, order].tolist(), "label": NAMED[i]}
        records.append(record | {"place": int(np.argmax(order == CODES[i]))})
    path = tmp_path / f"p{ending}"
    if ending == ".jsonl":
        path.write_text("\n".join(map(json.dumps, records)))
    else:
        pd.DataFrame(records).to_parquet(path)
        with pytest.raises(ValueError, match="these columns hold what is not read in parts"):
            cv.open_predictions(path)
    for options in ({}, {"classes": THREE}, {"prob": "probabilities"}, {"label": "place"}):
        p = cv.read_predictions(path, **options)
        order = [p.class_names.index(name) for name in THREE]
        np.testing.assert_allclose(p.probs[:, order], PROBS)
        np.testing.assert_array_equal(np.array(p.class_names)[p.labels], NAMED)
    with pytest.raises(ValueError, match="but classes names 'cat', 'dog'"):
        cv.read_predictions(path, classes=["cat", "dog"])


def test_columns_of_the_named_classes_may_begin_in_different_ways():
    table = pd.DataFrame({"label": ["dog", "cat"], "prob_dog": [0.5, 0.4], "p_cat": [0.5, 0.6]})
    found = cv.read_predictions(table, classes=["cat", "dog"])
    assert found.class_names == ("cat", "dog") and found.labels.tolist() == [1, 0]
    np.testing.assert_array_equal(found.probs, [[0.5, 0.5], [0.6, 0.4]])


def test_places_among_options_may_count_from_1(tmp_path):
    path = tmp_path / "p.jsonl"
    rows = [{"options": THREE, "probs": row, "label": int(k) + 1} for row, k in zip(PROBS.tolist(), CODES, strict=True)]
    path.write_text("\n".join(map(json.dumps, rows)))
    p = cv.read_predictions(path)
    np.testing.assert_array_equal(p.labels, CODES)
    assert "answers that are numbers count the options from 1" in p.about["assumed"]


@pytest.mark.parametrize("name", ["prob (%)", "risk_pct", "Prozent"])
def test_a_name_that_says_per_cent_is_asked_where_no_number_is_above_1(name):
    small = frame(label=Y, **{name: SCORE})
    with pytest.raises(ValueError, match="says per cent, but no number of it is above 1: normalize=True divides"):
        cv.read_predictions(small, prob=name)
    p = cv.read_predictions(small, prob=name, normalize=True)
    np.testing.assert_allclose(p.probs[:, 1], SCORE / 100)
    assert besides(p) == "probabilities in per cent"
    signed = cv.read_predictions(frame(label=Y, **{name: [f"{value} %" for value in SCORE]}), prob=name)
    np.testing.assert_allclose(signed.probs[:, 1], SCORE / 100)


@pytest.mark.parametrize(("header", "is_read"), [("1,0.7", False), ("0.5,1", False), ("0,1", True)])
def test_a_first_line_of_numbers_is_no_line_of_names(tmp_path, header, is_read):
    path = tmp_path / "predictions.csv"
    path.write_text(header + "\n" + "\n".join(f"{label},{prob}" for label, prob in zip(Y, SCORE, strict=True)))
    label, prob = header.split(",")
    if is_read:  # as pandas names columns
        assert np.array_equal(cv.read_predictions(path, label=label, prob=prob).labels, Y)
    else:
        with pytest.raises(ValueError, match=f"the first line holds numbers, such as {label}, but must hold the names"):
            cv.read_predictions(path, label=label, prob=prob)


@pytest.mark.parametrize("form", ["sorted lists", "sorted objects", "objects in any order"])
def test_a_place_among_options_without_an_order_is_no_answer(tmp_path, form):
    records, order = [], RNG.permuted(np.tile(np.arange(3), (N, 1)), axis=1)
    for row, places, right in zip(PROBS, order if "any" in form else np.argsort(-PROBS, axis=1), CODES, strict=True):
        names, values = [THREE[k] for k in places], row[places].tolist()
        held = (
            {"labels": names, "scores": values} if "lists" in form else {"probs": dict(zip(names, values, strict=True))}
        )
        records.append(held | {"label": int(right)})
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    with pytest.raises(ValueError, match=r"'label' is \d, a place among options .*: write the name of the option"):
        cv.read_predictions(path)
    path.write_text("\n".join(json.dumps(record | {"label": THREE[record["label"]]}) for record in records))
    assert np.array_equal(np.array(cv.read_predictions(path, classes=THREE).labels), CODES)


# What is asked, and what is never suggested


def test_scores_that_run_backwards_are_a_question():
    backwards = frame(label=Y, prob=np.round(1 - SCORE, 4), age=AGE)
    question = asks(backwards, "higher 'prob' goes with fewer 1: it may be the probability of the other class")
    assert [given_options["positive"] for given_options, _ in question.lines] == ["0", "1"]
    p = cv.read_predictions(backwards, label="label", prob="prob", positive="1")
    assert p.about["assumed"].startswith("higher 'prob' goes with fewer 1")


@pytest.mark.parametrize("order", ["by label", "by score", "shuffled"])
def test_scores_that_run_backwards_are_seen_in_rows_of_any_order_and_in_a_rare_class(order):
    rng = np.random.default_rng(3)
    score = rng.random(250_000)
    usual, rare = rng.random(len(score)) > score, np.isin(score, np.sort(score)[[1, 5, 9, 700, 2_000]])
    for label in (usual.astype(int), rare.astype(int)):
        rows = {"by label": np.argsort(label), "by score": np.argsort(score), "shuffled": rng.permutation(len(score))}
        asks(frame(label=label[rows[order]], prob=score[rows[order]]), "higher 'prob' goes with fewer 1")
        cv.read_predictions(frame(label=1 - label[rows[order]], prob=score[rows[order]]))


def test_scores_that_are_never_below_one_half_may_be_confidences():
    """Whatever the column of the truth is called: a pipeline writes no probability of one class."""
    said = np.where(SCORE > 0.5, "yes", "no")
    table = frame(label=said, score=np.maximum(SCORE, 1 - SCORE), human=YES)
    question = asks(table, "'score' is never below 1/2: it may be the confidence in a predicted class")
    assert question.lines[0][0]["label"] == "human" and "mean confidence" in question.lines[0][1]
    alone = asks(table.drop(columns="human"), "; where 'label' holds that class, truth=FILE names another file with")
    assert {way["label"] for way, _ in alone.lines} == {"label"}
    numbered = np.where(SCORE > 0.5, "LABEL_1", "LABEL_0")
    p = cv.read_predictions(frame(label=numbered, score=np.maximum(SCORE, 1 - SCORE), true_label=Y))
    np.testing.assert_array_equal(p.labels, (SCORE > 0.5) == (Y == 1))


def test_decisions_are_no_probabilities_unless_they_are_named():
    table = frame(y_true=Y, prob=(SCORE > 0.6).astype(int))
    with pytest.raises(ValueError, match="the column 'prob' holds only 0 and 1, which are decisions"):
        cv.read_predictions(table)
    assert "'prob' holds only 0 and 1" in cv.read_predictions(table, label="y_true", prob="prob").about["assumed"]
    decided = {f"p_{name}": (name == LIKELIEST).astype(float) for name in THREE}
    with pytest.raises(ValueError, match="the columns 'p_cat', 'p_dog', 'p_owl' hold only 0 and 1"):
        cv.read_predictions(frame(label=NAMED, **decided))
    with pytest.raises(ValueError, match="'y_pred' may hold predicted classes") as caught:
        cv.read_predictions(frame(y_true=Y, y_pred=(SCORE > 0.6).astype(int)))
    assert "prob='y_pred'" not in str(caught.value)


@pytest.mark.parametrize("name", ["time", "futime", "survival_time", "days", "tte"])
def test_times_to_an_event_are_refused(name):
    table = frame(**{name: np.round(RNG.exponential(5, N), 2), "status": Y, "prob": SCORE})
    ways = f"pass time={name!r}, event='status', horizon=..., or label='status' if nobody was lost"
    asks(table, f"'status' looks like an outcome that may be censored, with follow-up in {name!r}: {ways}")
    p = cv.read_predictions(table, label="status", prob="prob")
    may_be = f"rows with status 0 may be censored: {name!r} stands beside it; at a horizon: time={name!r}, "
    assert p.about["censoring"] == f"{may_be}event='status', horizon=..."
    assert p.about["censoring"] in p.about["assumed"]


@pytest.mark.parametrize("name", ["correct", "is_correct", "tp"])
def test_whether_an_answer_is_right_is_known_at_once(name):
    table = frame(**{"duration": np.round(RNG.exponential(5, N), 2), name: Y, "confidence": SCORE})
    assert cv.read_predictions(table).class_names == ("wrong", "right")


def test_labels_that_are_no_classes_are_left_out_when_asked(tmp_path):
    told = np.where(Y == 1, "YES", "NO").astype(object)
    told[[3, 50, 70]] = "MKT"
    told[[10, 11]] = "CANCEL"
    table = frame(resolution=told, probability=SCORE, volume=AGE)
    with pytest.raises(ValueError) as caught:
        cv.read_predictions(table)
    assert "ignore=['MKT', 'CANCEL'] leaves 5 rows out" in str(caught.value) and "positive=" not in str(caught.value)
    p = cv.read_predictions(table, ignore=["MKT", "CANCEL"])
    kept = np.isin(told, ["YES", "NO"])
    np.testing.assert_array_equal(p.probs[:, 1], SCORE[kept])
    np.testing.assert_array_equal(p.fields["volume"], AGE[kept])
    assert "5 rows with the label 'MKT' or 'CANCEL' left out" in p.about["assumed"]
    np.testing.assert_array_equal(cv.Predictions.from_frame(table, ignore=["MKT", "CANCEL"]).labels, p.labels)
    with pytest.raises(ValueError, match="ignore='VOID' is none of the labels"):
        cv.read_predictions(table, ignore="VOID")
    codes = CODES.copy()
    codes[:4] = -100
    np.savez(tmp_path / "p.npz", probs=PROBS, labels=codes)
    np.testing.assert_array_equal(cv.read_predictions(tmp_path / "p.npz", ignore=-100).labels, CODES[4:])


@pytest.mark.parametrize(
    ("no", "yes", "other"),
    [("lost", "won", "void"), ("alive", "dead", "lost"), ("benign", "malignant", "unclear"), (0, 1, -100), (0, 1, 255)],
)
def test_what_is_none_of_two_answers_is_never_one_of_the_rest(no, yes, other):
    labels = np.where(Y == 1, yes, no).astype(object)
    labels[5::17] = other
    left = f"neither {str(no)!r} nor {str(yes)!r}: .*; ignore=\\['{other}'\\] leaves 7 rows out"
    with pytest.raises(ValueError, match=left) as caught:
        cv.read_predictions(frame(outcome=labels, prob=SCORE))
    assert "positive" not in str(caught.value)
    p = cv.read_predictions(frame(outcome=labels, prob=SCORE), ignore=other)
    assert np.array_equal(p.labels, np.delete(Y, np.arange(5, N, 17))) and len(p) == N - 7


def test_answers_that_are_not_there_yet_are_no_class():
    labels = np.where(Y == 1, "home", "away").astype(object)
    labels[5::17] = "Pending"
    with pytest.raises(
        ValueError, match=r"is 'Pending', which may be no class: .*ignore=\['Pending'\] leaves 7 rows out"
    ):
        cv.read_predictions(frame(outcome=labels, prob=SCORE))


@pytest.mark.parametrize("pair", [("survived", "died"), ("alive", "dead"), ("Benign", "Malignant"), ("lost", "won")])
def test_known_answers_say_whose_probability_it_is(pair):
    p = cv.read_predictions(frame(outcome=np.array(pair)[Y], prob=SCORE))
    assert p.class_names == pair and np.array_equal(p.labels, Y)


def test_the_same_rows_of_several_models_are_refused():
    table = frame(label=np.tile(Y[:60], 2), prob=SCORE, model=np.repeat(["a", "b"], 60))
    with pytest.raises(ValueError, match="'model' names 2 models, 'a', 'b', that predict the same rows"):
        cv.read_predictions(table)


def test_nothing_that_is_near_in_spelling_is_suggested_against_its_name():
    for name in ("Scored Labels", "label_pred"):
        with pytest.raises(ValueError) as caught:
            cv.read_predictions(frame(**{name: Y, "prob": SCORE}))
        assert "did you mean" not in str(caught.value)
    with pytest.raises(ValueError) as caught:
        cv.read_predictions(frame(label=Y, p0=SCORE, predict=Y), prob="p")
    assert "did you mean" not in str(caught.value)


# Fields


def test_columns_that_are_no_covariates_are_left_out_and_can_be_brought_back(tmp_path):
    logit = np.log(SCORE / (1 - SCORE))
    limits = {"lower": np.maximum(SCORE - 0.1, 0), "upper": np.minimum(SCORE + 0.1, 1)}
    left = {
        "patient_id": RNG.permutation(N) * 7, "row": np.arange(N), "note": [f"text {i}" for i in range(N)],
        "survival": np.round(1 - SCORE, 4), "xb": logit, **limits, "label_text": np.where(Y, "died", "alive"),
        "rain": np.round(SCORE**2, 4), "rain_outcome": RNG.integers(0, 2, N),
    }  # fmt: skip  # short entries stand in rows
    table = frame(label=Y, prob=SCORE, age=AGE, **left)
    p = cv.read_predictions(table)
    assert p.fields.keys() == {"age", "rain"}
    assert f"not fields: {', '.join(name for name in left if name != 'rain')}" in p.about["assumed"]
    assert cv.read_predictions(table, fields=["patient_id", "age"]).fields.keys() == {"patient_id", "age"}
    assert not cv.read_predictions(table, fields=[]).fields
    with pytest.raises(ValueError, match="fields='agee': no column has this name"):
        cv.read_predictions(table, fields=["agee"])
    table.to_parquet(tmp_path / "p.parquet")
    assert cv.open_predictions(tmp_path / "p.parquet").sample(50, progress=False).fields.keys() == {"age", "rain"}


# Whatever else stands there, the reading stays the same or becomes a question


COLUMNS = {
    "single": {"label": Y, "prob": SCORE, "age": AGE},
    "answers": {"outcome": YES, ".pred_yes": SCORE, ".pred_no": np.round(1 - SCORE, 4), "age": AGE},
    "three": {"truth": NAMED, **BY_CLASS, "y_pred": LIKELIEST},
    "numbers": {"label": Y, "p0": np.round(1 - SCORE, 4), "p1": SCORE, "predict": (SCORE > 0.4).astype(int)},
    "confidence": {"actual": NAMED, "predicted": LIKELIEST, "probability": PROBS.max(axis=1)},
}
NOISE = {
    "coin": RNG.integers(0, 2, N), "constant": np.ones(N), "case": np.arange(N), "u": np.round(RNG.random(N), 4),
    "complement": np.round(1 - SCORE, 4), "gold": RNG.permutation(NAMED), "target": RNG.permutation(Y),
    "score": np.round(RNG.random(N), 4), "empty": np.full(N, np.nan), "text": [f"t{i}" for i in range(N)],
}  # fmt: skip  # short entries stand in rows


@pytest.mark.parametrize("kind", COLUMNS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_the_reading_stays_the_same_or_becomes_a_question(kind, data):
    columns = COLUMNS[kind]
    plain = cv.read_predictions(frame(**columns))
    more = data.draw(st.lists(st.sampled_from(sorted(NOISE)), unique=True, max_size=3))
    table = frame(**columns, **{name: NOISE[name] for name in more})
    rows = np.random.default_rng(data.draw(st.integers(0, 99))).permutation(N)
    table = table.iloc[rows].reset_index(drop=True)[data.draw(st.permutations(list(table)))]
    if data.draw(st.booleans()):
        table.columns = table.columns.str.upper()
    try:
        p = cv.read_predictions(table)
    except ValueError:
        return
    order = [[name.casefold() for name in p.class_names].index(name.casefold()) for name in plain.class_names]
    np.testing.assert_allclose(p.probs[:, order], plain.probs[rows], atol=1e-9)
    np.testing.assert_array_equal(np.array(p.class_names)[p.labels] == p.class_names[order[0]], plain.labels[rows] == 0)


# What is right, whatever was predicted; models below each other


@pytest.mark.parametrize("predicted", ["response", "prediction", "y_pred", "model_answer"])
@pytest.mark.parametrize("right", ["correct", "is_correct", "tp", "hit"])
def test_what_is_right_is_not_compared_with_a_prediction_of_two_values(predicted, right):
    told = RNG.random(N) < 0.7
    for values in (["yes", "no"], [1, 0], [True, False], ["A", "B"]):
        p = cv.read_predictions(frame(**{predicted: values * (N // 2), right: told, "confidence": SCORE}))
        np.testing.assert_array_equal(p.labels, told)


@pytest.mark.parametrize("rows", [N, 15_000])
@pytest.mark.parametrize("name", ["model", "algo", "clf"])
def test_models_that_stand_below_each_other_are_asked_about_however_many_rows_each_has(rows, name):
    score = np.round(RNG.random(rows), 4)
    label = (RNG.random(rows) < score).astype(int)
    both = {name: ["A"] * rows + ["B"] * rows, "label": [*label, *label], "prob": [*score, *np.sqrt(score)]}
    asks(frame(**both), f"{name!r} names 2 models, 'A', 'B', that predict the same rows")


def test_models_are_asked_about_beside_predicted_classes_and_confidences():
    table = frame(
        question_id=[*range(N)] * 2,
        model=["gpt"] * N + ["llama"] * N,
        predicted_answer=[*NAMED, *LIKELIEST],
        gold=[*NAMED] * 2,
        confidence=np.round(RNG.uniform(0.4, 1, 2 * N), 2),
    )
    asks(table, "'model' names 2 models, 'gpt', 'llama', that predict the same rows")
    read = cv.read_models(table, model="model")
    assert {model: p.probs[:, 0].size for model, p in read.items()} == {"gpt": N, "llama": N}


@pytest.mark.parametrize("name", ["answer", "label"])
@pytest.mark.parametrize("values", [["yes", "no"], [1, 0], ["A", "B"]])
def test_what_a_model_answered_is_not_taken_for_the_truth_beside_what_is_right(name, values):
    told = RNG.random(N) < 0.7
    question = asks(frame(**{name: values * (N // 2), "correct": told, "confidence": SCORE}), "hold the truth")
    assert question.lines[0][0]["label"] == "correct"
