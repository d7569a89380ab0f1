"""What other columns tell of the probabilities and of the truth: constants, options, answers, and more of one form."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from workbooks import write_xlsx

import calibviz as cv
from calibviz.data.columns.choices import Question

N = 180
RNG = np.random.default_rng(41)
SCORE = np.round(RNG.uniform(0.02, 0.98, N), 4)
WEAK = np.round(RNG.uniform(0.3, 0.7, N), 4)
Y = (RNG.random(N) < SCORE).astype(int)
YES = np.where(Y == 1, "yes", "no")
PROBS = np.round(RNG.dirichlet([0.7] * 3, N), 4)
PROBS[:, 2] = np.round(1 - PROBS[:, 0] - PROBS[:, 1], 4)
PROBS = np.clip(PROBS, 0, 1)
CODES = (RNG.random(N)[:, None] > PROBS.cumsum(axis=1)).sum(axis=1).clip(max=2)


def classes(names, form="{}"):
    return {form.format(name): PROBS[:, k] for k, name in enumerate(names)}


def named(names):
    return np.array(names, dtype=object)[CODES]


def written(path, **columns):
    pd.DataFrame(columns).to_csv(path / "p.csv", index=False)
    return path / "p.csv"


def is_of_three(p, names):
    assert p.class_names == tuple(names)
    np.testing.assert_allclose(p.probs, PROBS, atol=1e-12)
    np.testing.assert_array_equal(p.labels, CODES)


@pytest.mark.parametrize("labels", [Y, YES, np.where(Y == 1, "Y", "N")])
@pytest.mark.parametrize("name", ["POSITIVE_CLASS", "_LEVEL_"])
def test_a_constant_class_of_the_score_outranks_what_two_answers_mean(labels, name):
    no = labels[Y == 0][0]
    for prob, score in (("prediction", 1 - SCORE), ("prediction", WEAK), ("prob", WEAK), ("p", WEAK), ("risk", WEAK)):
        p = cv.read_predictions(pd.DataFrame({"outcome": labels, prob: score, name: no}))
        np.testing.assert_allclose(p.probs[:, 1], score)
        assert p.class_names[1] == str(no)
        np.testing.assert_array_equal(p.labels, 1 - Y)
    level = pd.DataFrame({"outcome": Y, "prediction": SCORE, "level": 0})
    assert cv.read_predictions(level).class_names == ("0", "1")


@pytest.mark.parametrize("form", [str, json.dumps])
def test_options_that_are_written_as_text_name_the_probabilities(tmp_path, form):
    two = [form([float(score), round(1 - float(score), 4)]) for score in WEAK]
    p = cv.read_predictions(written(tmp_path, target=YES, probabilities=two, labels=form(["yes", "no"])))
    np.testing.assert_allclose(p.probs[:, 1], WEAK, atol=1e-12)
    assert p.class_names == ("no", "yes")
    np.testing.assert_array_equal(p.labels, Y)
    names = ["owl", "ant", "cat"]
    three = [form([float(value) for value in row]) for row in PROBS]
    p = cv.read_predictions(written(tmp_path, target=named(names), probabilities=three, labels=form(names)))
    is_of_three(p, names)


@pytest.mark.parametrize("labels", [RNG.integers(0, 100, N), RNG.choice(list("ABCD"), N)])
@pytest.mark.parametrize("truth", ["gold_answer", "target", "gold"])
def test_beside_many_answers_a_confidence_is_that_of_being_right(tmp_path, truth, labels):
    for more in ({}, {"response": [f"I think {label}" for label in labels]}):
        p = cv.read_predictions(written(tmp_path, **{truth: labels}, **more, confidence=SCORE, correct=Y))
        assert p.class_names == ("wrong", "right") and p.of_confidence
        np.testing.assert_allclose(p.probs[:, 1], SCORE)
        np.testing.assert_array_equal(p.labels, Y)
        assert truth in p.fields


@pytest.mark.parametrize("truth", ["gold", "y_true", "target"])
def test_two_answers_beside_whether_something_is_right_are_a_question_unless_a_threshold_explains_it(truth):
    table = pd.DataFrame({truth: YES, "confidence": WEAK, "correct": RNG.integers(0, 2, N)})
    with pytest.raises(Question, match="two columns may hold the truth") as refused:
        cv.read_predictions(table)
    assert [options["label"] for options, _ in refused.value.lines] == ["correct", truth]
    explained = pd.DataFrame({truth: YES, "confidence": SCORE, "correct": ((SCORE > 0.5) == (Y == 1)).astype(int)})
    assert cv.read_predictions(explained).class_names == ("no", "yes")


@pytest.mark.parametrize("other", ["fold", "site", "correct"])
def test_a_column_that_agrees_with_the_labels_no_more_than_any_is_no_prediction(tmp_path, other):
    labels = RNG.integers(0, 10, N)
    file = written(tmp_path, label=labels, conf=SCORE, **{other: np.arange(N) % 5})
    with pytest.raises(ValueError):
        cv.read_predictions(file)
    said = np.where(RNG.random(N) < 0.4, labels, RNG.integers(0, 10, N))
    p = cv.read_predictions(written(tmp_path, label=labels, conf=SCORE, **{other: np.arange(N) % 5}, said=said))
    np.testing.assert_array_equal(p.labels, said == labels)


@pytest.mark.parametrize("form", ["p_{}", "prob_{}", "score_{}", "out.{}"])
def test_a_column_of_the_form_of_others_is_no_class_where_these_add_up(form):
    extra = {form.format("max"): PROBS.max(axis=1), form.format("margin"): PROBS.max(axis=1) / 2}
    is_of_three(cv.read_predictions(pd.DataFrame({"label": named(list("abc"))} | classes("abc", form) | extra)), "abc")
    of_two = {form.format("no"): 1 - SCORE, form.format("yes"): SCORE, form.format("limit"): 0.5}
    p = cv.read_predictions(pd.DataFrame({"label": YES} | of_two))
    np.testing.assert_allclose(p.probs[:, 1], SCORE)


def test_the_confidence_of_a_prediction_is_none_of_its_classes():
    said = np.where(SCORE > 0.5, "T", "F")
    table = {"churn": np.where(Y == 1, "T", "F"), "$L-churn": said, "$LP-churn": np.maximum(SCORE, 1 - SCORE)}
    p = cv.read_predictions(pd.DataFrame(table | {"$LP-F": (1 - SCORE).round(4), "$LP-T": SCORE}))
    assert p.class_names == ("F", "T")
    np.testing.assert_allclose(p.probs[:, 1], SCORE)


@pytest.mark.parametrize("form", [".pred_{}", "prob.{}", "P({})", "{}_prob", "P (stage={})"])
@pytest.mark.parametrize("names", [["None", "Mild", "Severe"], ["NA", "EU", "AS"]])
def test_a_class_that_is_called_as_what_is_missing_is_a_class(tmp_path, names, form):
    is_of_three(cv.read_predictions(written(tmp_path, stage=named(names), **classes(names, form))), names)


@pytest.mark.parametrize("prob", ["p", "prob_Relapse"])
def test_none_beside_one_other_label_may_be_a_class(tmp_path, prob):
    file = written(tmp_path, truth=np.where(Y == 1, "Relapse", "None"), **{prob: SCORE})
    with pytest.raises(
        Question, match=r"is 'None': it says that the label is missing, or is the other class"
    ) as refused:
        cv.read_predictions(file)
    options, _ = refused.value.lines[0]
    p = cv.read_predictions(file, **options)
    assert p.class_names == ("None", "Relapse")
    np.testing.assert_allclose(p.probs[:, 1], SCORE)
    np.testing.assert_array_equal(p.labels, Y)


@pytest.mark.parametrize("form", ["{}", "P (species={})", "p_{}", "confidence({})"])
def test_classes_whose_names_begin_alike_are_those_of_a_column_of_any_name(form):
    names = ["Iris-setosa", "Iris-versicolor", "Iris-virginica"]
    is_of_three(cv.read_predictions(pd.DataFrame({"flower": named(names)} | classes(names, form))), names)


def test_numbers_that_count_something_are_no_other_truth():
    table = pd.DataFrame({"hospital_expire_flag": Y, "sofa": RNG.integers(0, 20, N), "sapsii_prob": SCORE})
    p = cv.read_predictions(table.assign(children=RNG.integers(0, 3, N)))
    np.testing.assert_array_equal(p.labels, Y)
    assert {"sofa", "children"} <= p.fields.keys()


def test_a_first_row_without_a_label_says_nothing_of_others():
    table = pd.DataFrame({"stroke": np.where(np.arange(N) % 20 == 0, None, YES), "PRE_1": SCORE})
    with pytest.raises(Question, match="row 0 of column 'stroke' is missing; missing='drop' leaves out the 9 rows"):
        cv.read_predictions(table)


def test_two_columns_that_are_called_as_answers_are_those_of_the_labels():
    p = cv.read_predictions(pd.DataFrame({"y": Y, "False": 1 - SCORE, "True": SCORE}))
    assert p.class_names == ("0", "1")
    np.testing.assert_allclose(p.probs[:, 1], SCORE)


def test_decimal_commas_of_texts_in_a_workbook_are_read_by_the_option_that_is_offered(tmp_path):
    columns = {"died": Y.tolist(), "risk": [str(score).replace(".", ",") for score in SCORE]}
    write_xlsx(tmp_path / "p.xlsx", {"S": columns})
    with pytest.raises(Question, match="decimal=',' reads it as one") as refused:
        cv.read_predictions(tmp_path / "p.xlsx")
    [(options, _)] = refused.value.lines
    np.testing.assert_allclose(cv.read_predictions(tmp_path / "p.xlsx", **options).probs[:, 1], SCORE)


def test_columns_without_any_value_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"column 'prob' is missing, as in every other row$"):
        cv.read_predictions(written(tmp_path, label=Y, prob=[""] * N, age=np.arange(N)))
    with pytest.raises(ValueError, match="'risk' holds no value, as formulas that were not computed"):
        cv.read_predictions(pd.DataFrame({"died": Y, "risk": np.nan}))


def test_steps_of_ten_to_100_may_be_per_cents():
    steps = (10 * SCORE).round() * 10
    with pytest.raises(Question, match="may be per cents") as refused:
        cv.read_predictions(pd.DataFrame({"wet": np.where(Y == 1, "yes", "no"), "PoP": steps.clip(10, 90)}))
    assert refused.value.lines[0][0]["normalize"] is True


def test_one_score_beside_many_numbers_asks_for_a_class_or_for_predictions():
    table = pd.DataFrame({"label": RNG.integers(0, 10, N), "conf": SCORE})
    with pytest.raises(
        ValueError, match=r"\(or another of the 10 labels\).*positive='\.\.\.' names the column of these$"
    ):
        cv.read_predictions(table)


def test_columns_of_records_that_are_not_read_are_named_where_others_hold_nothing(tmp_path):
    scores = [[{"label": "a", "prob": float(p)}, {"label": "b", "prob": 1 - float(p)}] for p in SCORE]
    for columns in ({"truth": YES, "out": scores}, {"species": YES, "out": scores}):
        pd.DataFrame(columns).to_parquet(tmp_path / "p.parquet")
        with pytest.raises(ValueError, match="'out', not read, may: write each part into a column of its own"):
            cv.read_predictions(tmp_path / "p.parquet")


def test_a_pipeline_says_in_words_what_the_truth_is_in_numbers():
    said = np.where(SCORE > 0.5, "POSITIVE", "NEGATIVE")
    table = {"text": [f"t{i}" for i in range(N)], "gt": Y, "label": said, "score": np.maximum(SCORE, 1 - SCORE)}
    p = cv.read_predictions(pd.DataFrame(table))
    assert p.class_names == ("wrong", "right") and p.of_confidence
    np.testing.assert_array_equal(p.labels, (SCORE > 0.5) == (Y == 1))


@pytest.mark.parametrize("name", ["was_correct", "model_correct", "answer_correct", "correctness"])
def test_more_names_say_whether_an_answer_is_right(name):
    assert cv.read_predictions(pd.DataFrame({name: YES, "confidence": SCORE})).class_names == ("wrong", "right")


@pytest.mark.parametrize("name", ["cosine_similarity", "percentile", "overlap", "discount", "brier", "AUC", "pvalue"])
def test_names_of_other_numbers_from_0_to_1_are_not_taken_for_probabilities(name):
    table = pd.DataFrame({"y": Y, name: SCORE})
    with pytest.raises(Question, match="may hold probabilities, and its name says something else") as refused:
        cv.read_predictions(table)
    [(options, _)] = refused.value.lines
    np.testing.assert_array_equal(cv.read_predictions(table, **options).probs[:, 1], SCORE)
    assert name in cv.read_predictions(table.assign(p=WEAK)).fields


def test_a_third_number_among_labels_0_and_1_may_be_left_out_or_set_against_1():
    labels = np.where(np.arange(N) % 9 == 0, 2, Y)
    table = pd.DataFrame({"y": labels, "p": SCORE})
    with pytest.raises(ValueError, match=r"column 'y' is '2', but .*positive='1' sets.*ignore='2' leaves") as refused:
        cv.read_predictions(table)
    assert not isinstance(refused.value, Question)  # which of the two is right only the user knows
    np.testing.assert_array_equal(cv.read_predictions(table, ignore="2").labels, Y[labels < 2])
    np.testing.assert_array_equal(cv.read_predictions(table, positive="1").labels, labels == 1)


@pytest.mark.parametrize("form", ["p_{}", ".pred_{}", "P({})"])
@pytest.mark.parametrize("change", [str.lower, str.upper, str.title])
def test_capitals_of_labels_and_columns_do_not_matter_for_a_class_called_none(tmp_path, form, change):
    names = ["None", "Mild", "Severe"]
    p = cv.read_predictions(
        written(tmp_path, stage=named(list(map(change, names))), **classes(["none", *names[1:]], form))
    )
    assert [name.casefold() for name in p.class_names] == ["none", "mild", "severe"]
    np.testing.assert_allclose(p.probs, PROBS, atol=1e-12)
    np.testing.assert_array_equal(p.labels, CODES)


def test_columns_that_are_called_as_values_of_another_one_are_its_classes_beside_other_shares():
    table = pd.DataFrame({"grade": named(list("abc"))} | classes(["a", "b", "c"]))
    noise = {"noise": RNG.random(N).round(4), "wind": RNG.random(N).round(3)}
    p = cv.read_predictions(table.assign(**noise))
    is_of_three(p, ["a", "b", "c"])
    assert p.fields.keys() == noise.keys()


@pytest.mark.parametrize("form", [str, json.dumps])
@pytest.mark.parametrize("name", ["output", "probs", "model says"])
def test_what_is_given_to_each_option_may_be_written_as_text(tmp_path, form, name):
    rows = [dict(zip("abc", map(float, row), strict=True)) for row in PROBS]
    of_pipelines = [[{"label": key, "score": value} for key, value in row.items()] for row in rows]
    for values in (rows, of_pipelines):
        is_of_three(
            cv.read_predictions(written(tmp_path, gold=named(list("abc")), **{name: list(map(form, values))})), "abc"
        )
    settings = form({"rate": 0.25, "decay": 0.75})
    p = cv.read_predictions(written(tmp_path, label=Y, prob=SCORE, config=settings))
    np.testing.assert_array_equal(p.probs[:, 1], SCORE)


def test_labels_and_scores_of_a_zero_shot_pipeline_may_be_written_as_text(tmp_path):
    orders = (-PROBS).argsort(axis=1)
    labels = [str(["abc"[k] for k in order]) for order in orders]
    scores = [str(row[order].tolist()) for row, order in zip(PROBS, orders, strict=True)]
    p = cv.read_predictions(written(tmp_path, labels=labels, scores=scores, true=named(list("abc"))))
    order = ["abc".index(name) for name in p.class_names]
    np.testing.assert_allclose(p.probs, PROBS[:, order])
    np.testing.assert_array_equal(np.array(order)[p.labels], CODES)


def test_lists_of_other_lengths_are_no_columns_unless_they_are_named_as_such(tmp_path):
    document = {"y_true": Y.tolist(), "y_prob": SCORE.tolist(), "fpr": [0, 1], "confusion": [[1, 2], [3, 4]]}
    (tmp_path / "p.json").write_text(json.dumps(document))
    p = cv.read_predictions(tmp_path / "p.json")
    np.testing.assert_array_equal(p.probs[:, 1], SCORE)
    assert "not read, since they are no columns: 'fpr', 'confusion'" in p.about["assumed"]
    for name in ("y_prob", "scores", "y_pred", "logits"):
        (tmp_path / "p.json").write_text(json.dumps(document | {name: SCORE[:9].tolist()}))
        with pytest.raises(ValueError, match=f"the list '{name}' holds 9 entries, but 'y_true' holds 180"):
            cv.read_predictions(tmp_path / "p.json")


@pytest.mark.parametrize("answers", [[f"x{i}" for i in range(N)], list("ABCD") * (N // 4)])
def test_points_of_a_scale_are_named_beside_answers(answers):
    table = pd.DataFrame({"answer": answers, "confidence": (10 * SCORE).round().astype(int), "correct": Y})
    with pytest.raises(ValueError, match=r"'confidence' holds whole numbers from [01] to 10: points of a scale"):
        cv.read_predictions(table)
