"""What people who know other packages pass at first is refused with a way out, and the way out leads out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import calibviz as cv
from calibviz.context.condition_parser import SelectionError

SCORE = np.linspace(0.05, 0.95, 40)
ANSWERS = np.where(np.arange(40) % 5 < 3, "no", "yes")
FRAME = pd.DataFrame({"y_test": ANSWERS, "prob": SCORE, "day": pd.date_range("2023-04-20", periods=40)})


@pytest.mark.parametrize("table", [FRAME, pl.from_pandas(FRAME)], ids=["pandas", "polars"])
@pytest.mark.parametrize("function", [cv.Explorer, cv.calibration_error, cv.evaluate, cv.segments, cv.report])
def test_a_table_is_read_first(function, table):
    with pytest.raises(TypeError, match=r"cv\.read_predictions reads a table that holds the labels, too"):
        function(table)
    with pytest.raises(TypeError, match=r"cv\.read_predictions reads a table that holds both"):
        cv.Predictions(table)
    assert cv.calibration_error(cv.read_predictions(table)) > 0  # `y_test` is a name of labels


@pytest.mark.parametrize("function", [cv.Explorer, cv.calibration_error, cv.evaluate])
def test_a_file_is_read_first(function):
    with pytest.raises(TypeError, match=r"not str: cv\.read_predictions reads a file"):
        function("mine.csv")


def test_labels_come_second():
    with pytest.raises(TypeError, match="not an array of text; probabilities come first, and labels second"):
        cv.calibration_error(ANSWERS, SCORE)
    with pytest.raises(ValueError, match=r"a label is the whole number .*; probabilities come first"):
        cv.calibration_error((ANSWERS == "yes").astype(int), SCORE)


def test_a_label_that_is_wrong_alone_is_not_taken_for_a_probability(tmp_path):
    with pytest.raises(ValueError, match=r"or its name$"):
        cv.Predictions(SCORE, np.where(np.arange(40) == 3, 0.5, 1))
    (tmp_path / "p.csv").write_text("p_0,p_1,label\n0.5,0.5,1.5\n")
    with pytest.raises(ValueError, match=r"or its name$"):
        cv.read_predictions(tmp_path / "p.csv")


@pytest.mark.parametrize("probs", [SCORE, np.stack([1 - SCORE, SCORE], axis=1)])
def test_labels_in_words_name_the_classes(probs):
    said = r"pass class_names=\['no', 'yes'\], in the order of the probabilities .a single one is that of the second"
    with pytest.raises(ValueError, match=said):
        cv.calibration_error(probs, ANSWERS)
    assert cv.Predictions(probs, ANSWERS, class_names=["no", "yes"]).labels.sum() == (ANSWERS == "yes").sum()
    with pytest.raises(ValueError, match=r"pass class_names=\[\.\.\.\] to cv.Predictions"):
        cv.Predictions(probs, np.where(np.arange(40) == 7, "maybe", ANSWERS))


def test_columns_of_scikit_learn_have_numbers():
    table = pd.DataFrame(np.stack([1 - SCORE, SCORE], axis=1)).assign(label=ANSWERS)
    for options in ({}, {"prob": ["1", "0"]}, {"prob": ["0", "1"], "classes": ["no", "yes"]}):
        p = cv.read_predictions(table, **options)
        assert p.class_names == ("no", "yes") and p.probs[:, 1].tolist() == SCORE.tolist()


def test_a_mask_selects_rows():
    p = cv.read_predictions(FRAME)
    for mask in (FRAME.prob > 0.5, list(SCORE > 0.5)):
        with pytest.raises(TypeError, match=r"not (Series|list): predictions\.select\(mask\) keeps the samples"):
            cv.calibration_error(p, selection=mask)
    assert len(p.select(SCORE > 0.5)) == 20


def test_a_date_in_a_selection_is_a_text():
    p = cv.read_predictions(FRAME)
    with pytest.raises(SelectionError, match='a date is a text in quotes, "2023-05-01"'):
        cv.calibration_error(p, selection="day >= 2023-05-01")
    kept = cv.selection('day >= "2023-05-01"').mask(p)
    assert kept.sum() == (FRAME.day >= "2023-05-01").sum() > 0


def test_a_classifier_predicts_first():
    class Guess:
        classes_ = ("no", "yes")

        def predict_proba(self, X):
            return [[0.8, 0.2]] * len(X)

    with pytest.raises(TypeError, match=r"not Guess: cv\.Predictions\.from_estimator\(model, X, y\) asks a classifier"):
        cv.Explorer(Guess())
    assert cv.Predictions.from_estimator(Guess(), FRAME[["prob"]], ANSWERS).class_names == ("no", "yes")


def test_a_lens_of_a_report_is_named():
    p = cv.read_predictions(FRAME)
    with pytest.raises(TypeError, match=r"calibration must be .*, not str: .*; a lens is passed by lens=\.\.\."):
        cv.report(p, calibration="class yes")


def test_of_fields_and_classes_the_closest_is_named():
    p = cv.read_predictions(FRAME)
    with pytest.raises(ValueError, match=r"these predictions are: day; did you mean 'day'\?"):
        cv.calibration_error(p, selection="days > 3")
    with pytest.raises(ValueError, match=r"the classes are 'no', 'yes'; did you mean 'yes'\?"):
        cv.calibration_error(p, "class Yes")
    with pytest.raises(ValueError, match=r"day, predicted; did you mean 'day'\?"):
        cv.segments(p, fields="days", progress=False)


def test_of_many_words_the_closest_is_named():
    with pytest.raises(ValueError, match=r"not 'ECE'; did you mean 'ece'\?"):
        cv.evaluate(SCORE, SCORE > 0.5, metrics="ECE")


OWLS = pd.DataFrame(np.tile(np.eye(3) * 0.7 + 0.1, (10, 1)), columns=["owl", "cat", "dog"])
SEEN = np.tile(["owl", "cat", "dog"], 10)


def test_columns_of_a_table_are_not_taken_for_classes_in_another_order():
    """`pd.get_dummies` sorts its columns, which are not those of the probabilities then."""
    one_hot = pd.get_dummies(pd.Series(SEEN))
    said = "labels has its columns in another order than the classes: column 0 is 'cat', but class 0 is 'owl'"
    with pytest.raises(ValueError, match=rf"^{said}; pass labels\[\['owl', 'cat', 'dog'\]\]$"):
        cv.Predictions(OWLS, one_hot)
    assert cv.accuracy(cv.Predictions(OWLS, one_hot[["owl", "cat", "dog"]])) == 1.0
    with pytest.raises(ValueError, match=r"^probs has its columns in another order .*; pass probs\[\['cat', 'dog', "):
        cv.Predictions(OWLS, SEEN, class_names=["cat", "dog", "owl"])
    with pytest.raises(ValueError, match=r"^logits has its columns in another order"):
        cv.Predictions(labels=SEEN, logits=OWLS, class_names=["cat", "dog", "owl"])
    renamed = cv.Predictions(OWLS, np.arange(30) % 3, class_names=["o", "c", "d"])
    assert renamed.class_names == ("o", "c", "d")


@pytest.mark.parametrize("numbers", [[1, 2, 3], [0, 2, 5], [2, 1, 0]])
def test_of_classes_that_are_numbers_names_are_not_taken_for_places(numbers):
    """`pd.DataFrame(model.predict_proba(X), columns=model.classes_)` beside the labels that the model was fitted to."""
    texts, labels = [str(number) for number in numbers], np.tile([numbers[0], numbers[1]], 15)
    said = r"^labels\[\d+\] is (\d), the name of class \d of 0..2: pass labels as text where they are names, or class_n"
    for probs, names in (
        (OWLS.set_axis(numbers, axis=1), None),
        (OWLS.to_numpy(), numbers),
        (OWLS.to_numpy(), pd.Index(numbers)),
        (OWLS.to_numpy(), dict.fromkeys(numbers).keys()),
    ):
        with pytest.raises(ValueError, match=said):
            cv.Predictions(probs, labels, class_names=names)
        named = cv.Predictions(probs, labels.astype(str), class_names=names)
        assert set(named.labels) == {0, 1}
        assert cv.Predictions(probs, np.arange(30) % 3, class_names=texts).labels.tolist() == [*range(3)] * 10
    assert cv.Predictions(OWLS.set_axis([1, 2, 3], axis=1), np.arange(30) % 3).class_names == ("1", "2", "3")


@pytest.mark.parametrize(
    ("probs", "labels", "said"),
    [
        (SCORE * 100, ANSWERS == "yes", "divide per cents by 100, or pass logits="),
        (np.stack([1 - SCORE, SCORE], axis=1) * 100, ANSWERS == "yes", "divide per cents by 100"),
        (SCORE * 200 - 50, ANSWERS == "yes", "between 0 and 1; pass logits=... if these are logits$"),
        (
            SCORE,
            (ANSWERS == "yes")[:, None],
            r"labels has shape \(40, 1\), .* classes: pass the column by itself, of sh",
        ),
        (
            np.stack([1 - SCORE, SCORE]),
            ANSWERS == "yes",
            "not to 1 within 0.001; pass them turned if classes are the ro",
        ),
    ],
)
def test_numbers_that_are_no_probabilities_of_samples(probs, labels, said):
    with pytest.raises(ValueError, match=said):
        cv.calibration_error(probs, labels)


@pytest.mark.parametrize(
    ("probs", "numbers", "said"),
    [
        (SCORE, [1, 2], "is 2, but the 2 classes are 0..1; pass labels == 2 beside the probabilities of that class"),
        (SCORE, [-1, 1], "is -1, but the 2 classes are 0..1; pass labels == 1 beside"),
        (SCORE, [0, 1, 2], "pass the probabilities of all classes"),
        (np.tile([[0.2, 0.3, 0.5]], (40, 1)), [1, 2, 3], "pass labels - 1 where they are numbered from 1"),
        (SCORE, [0, 1, 7], r"is 7, but the 2 classes are 0\.\.1$"),
        (np.tile([[0.2, 0.3, 0.5]], (40, 1)), [0, 1, 7], r"is 7, but the 3 classes are 0\.\.2$"),
    ],
)
def test_labels_that_are_numbered_otherwise(probs, numbers, said):
    with pytest.raises(ValueError, match=said):
        cv.Predictions(probs, np.resize(numbers, 40))


def test_a_path_and_a_dict_of_models_are_no_predictions():
    with pytest.raises(TypeError, match=r"labels is missing: .*; cv\.read_predictions reads a file that holds both"):
        cv.Predictions("mine.csv")
    models = {"old": cv.Predictions(SCORE, ANSWERS == "yes")}
    for function in (cv.verdict, cv.calibration_error, cv.segments):
        with pytest.raises(TypeError, match=r"not dict: choose one of its models, such as \['old'\]; cv\.compare and"):
            function(models)


def test_what_is_no_lens_has_a_keyword_or_a_name():
    p = cv.Predictions(SCORE, ANSWERS == "yes")
    with pytest.raises(TypeError, match="one of your own needs a name, and any other function goes by its keyword"):
        cv.interval(p, cv.ks_error)
    with pytest.raises(ValueError, match="the lens 'class day', and a field goes by its keyword"):
        cv.segments(p, "day")
    for written, meant in {"top1": "top-1", "Class 1": "class 1", "Classwise": "classwise"}.items():
        with pytest.raises(ValueError, match=f"or 'pooled'; did you mean '{meant}'"):
            cv.lens(written)


def test_functions_of_your_own_are_wrapped():
    p = cv.Predictions(SCORE, ANSWERS == "yes")
    with pytest.raises(TypeError, match=r"metrics: a function of your own goes as cv\.Metric\(name, function\)"):
        cv.evaluate(p, metrics=[lambda problem: 1.0])
    with pytest.raises(TypeError, match=r"binning .* must return the bins of a problem, as those of .* not ndarray"):
        cv.calibration_error(p, binning=lambda problem: np.linspace(0, 1, 6))
    with pytest.raises(TypeError, match=r"not be <Predictions .*: cv\.windows\(predictions, field=...\) makes them"):
        cv.drift(p)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda p: cv.within_noise({"a": p, "b": p}, metric="ks"),
            r"within_noise\(\) .* 'metric'; pass error=cv.ks_error",
        ),
        (lambda p: cv.over_time(p, time="day"), "'time'; pass field='day'"),
        (lambda p: cv.segments(p, groups=["sex"]), r"'groups'; pass fields=\['sex', 'site'\]"),
        (lambda p: cv.drift({"a": p}, n_boot=10), "'n_boot'; pass replicates=1000"),
        (lambda p: cv.by_centre(p, "site", measure="x"), "'measure'; did you mean 'measures'"),
    ],
)
def test_keywords_of_other_packages_lead_to_those_here(call, said):
    with pytest.raises(TypeError, match=said):
        call(cv.Predictions(SCORE, ANSWERS == "yes", fields={"sex": ANSWERS}))


def test_a_selection_that_keeps_nothing_is_named():
    with pytest.raises(ValueError, match=r"no sample is left: the selection keeps none: confidence > 2$"):
        cv.ks_error(cv.Predictions(SCORE, ANSWERS == "yes"), selection="confidence > 2")


def test_scores_come_first_in_a_fit():
    right = (ANSWERS == "yes").astype(float)
    with pytest.raises(
        ValueError, match="problem holds nothing but 0 and 1, and target other numbers: scores come fir"
    ):
        cv.Platt().fit(right, SCORE)
    assert cv.Isotonic().fit(right, right)([0.0, 1.0]).tolist() == [0.0, 1.0]
