"""Truths in lists, of one class, and beside predictions that are all wrong; and tables that hold no predictions."""

from __future__ import annotations

import json

import numpy as np
import pytest

import calibviz as cv
from calibviz.data.readers.arrays import array_files

rng = np.random.default_rng(4)
N = 48
LABELS = rng.integers(0, 3, N)
PROBS = rng.dirichlet(np.ones(3), N).round(3)
PROBS[:, 2] = 1 - PROBS[:, :2].sum(axis=1)
HALVES = rng.uniform(0.05, 0.95, N).round(3)
ONES = np.eye(3, dtype=int)[LABELS]
NAMES = np.array(["cat", "dog", "owl"])


def _written(path, rows, names=None):
    """A log of records, or a table under a line of names."""
    if names is None:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        path.write_text("\n".join([names, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


@pytest.mark.parametrize("form", ["log", "lists of Python", "arrays of NumPy"])
def test_a_list_of_0_and_1_names_the_class_whose_number_is_1(tmp_path, form):
    if form == "log":
        rows = [{"label": a.tolist(), "probs": b.tolist()} for a, b in zip(ONES, PROBS, strict=True)]
        path = _written(tmp_path / "p.jsonl", rows)
    else:
        of_list = form == "lists of Python"
        rows = [
            (f'"{a.tolist() if of_list else a}"', f'"{b.tolist() if of_list else b}"')
            for a, b in zip(ONES, PROBS, strict=True)
        ]
        path = _written(tmp_path / "p.csv", rows, "label,probs")
    p = cv.read_predictions(path)
    np.testing.assert_array_equal(p.labels, LABELS)
    np.testing.assert_allclose(p.probs, PROBS, atol=1e-12)
    assert "the class of a row is the place of the 1 in 'label'" in str(p.about["assumed"])


def test_a_list_of_several_labels_is_none(tmp_path):
    lists = ONES.tolist()
    lists[5] = [1, 1, 0]
    rows = [{"label": a, "probs": b} for a, b in zip(lists, PROBS.tolist(), strict=True)]
    with pytest.raises(ValueError, match="line 6 of column 'label' holds several values, not one label"):
        cv.read_predictions(_written(tmp_path / "p.jsonl", rows))


def test_a_list_of_one_label_is_this_label(tmp_path):
    rows = [
        {"gt_label": [int(y)], "pred_label": [int(p.argmax())], "pred_scores": p.tolist()}
        for y, p in zip(LABELS, PROBS, strict=True)
    ]
    p = cv.read_predictions(_written(tmp_path / "p.jsonl", rows))
    np.testing.assert_array_equal(p.labels, LABELS)
    table = _written(tmp_path / "p.csv", [(f"[{y % 2}]", f"[{s}]") for y, s in zip(LABELS, HALVES, strict=True)], "y,p")
    np.testing.assert_array_equal(cv.read_predictions(table).labels, LABELS % 2)


@pytest.mark.parametrize("head", ['"type":1', '"vectorType":"dense","length":3'])
def test_a_vector_of_spark_in_a_text_lists_probabilities(tmp_path, head):
    vectors = ['"{' + f'{head},"values":{p.tolist()}'.replace('"', '""') + '}"' for p in PROBS]
    p = cv.read_predictions(_written(tmp_path / "p.csv", zip(LABELS, vectors, strict=True), "label,probability"))
    np.testing.assert_allclose(p.probs, PROBS, atol=1e-12)


def test_rows_under_fields_and_values_are_a_table(tmp_path):
    table = {"fields": ["label", "probability"], "values": [[int(y), p.tolist()] for y, p in zip(LABELS, PROBS)]}  # noqa: B905
    for document in (table, {"predictions": [table]}):
        (tmp_path / "p.json").write_text(json.dumps(document))
        np.testing.assert_array_equal(cv.read_predictions(tmp_path / "p.json").labels, LABELS)


def test_confidences_of_a_file_of_one_class(tmp_path):
    predicted = NAMES[np.where(np.arange(N) % 5 < 3, 0, LABELS)]
    rows = [(f"{i}.png", "cat", said, s) for i, (said, s) in enumerate(zip(predicted, HALVES, strict=True))]
    p = cv.read_predictions(_written(tmp_path / "p.csv", rows, "file,actual,predicted,confidence"))
    assert p.of_confidence
    np.testing.assert_array_equal(p.labels, predicted == "cat")
    assert "names no class" not in str(p.about["assumed"])


@pytest.mark.parametrize(
    "names", ["file,true_label,pred_label,confidence", "file,true_label,pred_label,confidence,correct"]
)
def test_a_file_of_errors_alone_is_asked_about(tmp_path, names):
    said = NAMES[(LABELS + 1 + np.arange(N) % 2) % 3]
    more = ("False",) * (names.count(",") - 3)
    rows = [(f"{i}.png", NAMES[y], s, c, *more) for i, (y, s, c) in enumerate(zip(LABELS, said, HALVES, strict=True))]
    path = _written(tmp_path / "p.csv", rows, names)
    with pytest.raises(
        ValueError, match="no class in 'pred_label' is that in 'true_label': the rows may be errors"
    ) as e:
        cv.read_predictions(path)
    assert "label='true_label', prob='confidence'" in str(e.value)
    assert cv.read_predictions(path, label="true_label", prob="confidence").labels.sum() == 0


def test_false_alarms_alone_are_asked_about(tmp_path):
    rows = [(0, 1, s / 2 + 0.5) for s in HALVES]
    path = _written(tmp_path / "p.csv", rows, "label,pred,prob")
    with pytest.raises(ValueError, match="no class in 'pred' is that in 'label': the rows may be errors alone"):
        cv.read_predictions(path)
    assert cv.read_predictions(path, label="label").labels.sum() == 0


def test_few_rows_may_say_whether_the_predicted_class_is_right(tmp_path):
    rows = [("a", "bad", "bad", 0.9, "✓"), ("b", "fine", "fine", 0.1, "✓"), ("c", "fine", "bad", 0.7, "✗")]
    with pytest.raises(ValueError, match="column 'True Label' is 'bad', and nothing says of which class") as e:
        cv.read_predictions(_written(tmp_path / "p.csv", rows, "URL,True Label,Predicted,Confidence,Correct"))
    assert "label='Correct'" not in str(e.value)


def test_truths_that_name_no_option_are_none(tmp_path):
    rows = [
        {"status": "active", "result": "pending", "probabilities": {"home": a, "draw": b, "away": c}}
        if i % 2
        else {"status": "active", "result": "pending", "probabilities": {"home": a, "away": round(1 - a, 3)}}
        for i, (a, b, c) in enumerate(PROBS.tolist())
    ]
    with pytest.raises(ValueError, match="found no answers: 'status', 'result' name none of the options in 'probab"):
        cv.read_predictions(_written(tmp_path / "p.jsonl", rows))


def test_confidence_in_words_is_no_truth(tmp_path):
    rows = [(f"2026-01-{i % 28 + 1:02}", s, "high" if s > 0.7 else "low") for i, s in enumerate(HALVES)]
    with pytest.raises(ValueError, match="found no labels"):
        cv.read_predictions(_written(tmp_path / "p.csv", rows, "date,p_up,confidence"))


def test_labels_in_a_name_are_labels(tmp_path):
    label = LABELS % 2
    p = cv.read_predictions(_written(tmp_path / "p.csv", zip(label, HALVES, strict=True), "site_labels,y_prob"))
    np.testing.assert_array_equal(p.labels, label)


def test_the_predicted_class_says_whose_the_score_is(tmp_path):
    label = np.where(HALVES > 0.5, "other", "same")
    said = np.where(HALVES > 0.5, "same", "other")
    path = _written(tmp_path / "p.csv", zip(label, said, HALVES, strict=True), "label,predicted,score")
    with pytest.raises(ValueError, match="positive='same'"):
        cv.read_predictions(path, label="label", prob="score")


@pytest.mark.parametrize(
    ("names", "row"),
    [
        ("model,accuracy,precision,recall,roc_auc", "forest,0.8,0.7,0.6,0.9"),
        (",precision,recall,f1-score,support", "yes,0.8,0.7,0.6,90"),
        ("epoch,loss,val_loss", "1,0.8,0.9"),
        ('task,"acc,none","acc_stderr,none"', "arc,0.8,0.01"),
    ],
)
def test_metrics_are_no_predictions(tmp_path, names, row):
    (tmp_path / "p.csv").write_text(f"{names}\n" + f"{row}\n" * 3)
    with pytest.raises(ValueError, match="are metrics, not predictions: a row must be a sample, with its probability"):
        cv.read_predictions(tmp_path / "p.csv")


def test_what_patients_lose_is_no_metric(tmp_path):
    (tmp_path / "p.csv").write_text("risk,blood_loss,weight_loss\n" + "0.2,300,1.5\n0.7,450,2.5\n")
    with pytest.raises(ValueError, match="found no labels among the columns 'risk', 'blood_loss', 'weight_loss'"):
        cv.read_predictions(tmp_path / "p.csv")


def test_a_text_of_several_columns_is_parsed_once_beside_its_truth(tmp_path, monkeypatch):
    made, table_of = [], array_files.CsvTable
    monkeypatch.setattr(array_files, "CsvTable", lambda *given: made.append(given[0].name) or table_of(*given))
    scores = _written(tmp_path / "p.csv", enumerate(HALVES), "id,prob")
    truth = _written(tmp_path / "y.csv", ((i, y % 2) for i, y in enumerate(LABELS)), "id,label")
    p = cv.read_predictions(scores, truth=truth)
    assert made.count("p.csv") == 1
    np.testing.assert_array_equal(p.labels, LABELS % 2)


def test_few_confidences_beside_a_label_may_be_those_in_it(tmp_path):
    rows = [{"label": int(i != 3), "confidence": c} for i, c in enumerate((0.63, 0.67, 0.93, 0.62, 0.89))]
    path = _written(tmp_path / "p.jsonl", rows)
    with pytest.raises(
        ValueError, match="'confidence' is never below 1/2: it may be the confidence in a predicted class"
    ):
        cv.read_predictions(path)
    assert cv.read_predictions(path, label="label", prob="confidence", positive="1").probs[0, 1] == 0.63


def test_a_line_of_names_alone_is_called_so(tmp_path):
    with pytest.raises(ValueError, match="the file has columns but no rows"):
        cv.read_predictions(_written(tmp_path / "p.csv", [], "claim,predicted_label,confidence"))


def test_probabilities_that_carry_their_class_are_no_names(tmp_path):
    (tmp_path / "p.predict").write_text("yes:0.3 no:0.7\nyes:0.6 no:0.4\n")
    with pytest.raises(ValueError, match="the first line holds numbers, such as yes:0"):
        cv.read_predictions(tmp_path / "p.predict")


def test_bins_of_a_calibration_curve_are_counts(tmp_path):
    rows = [(0, 0.2, 7 / 38, 38), (1, 0.6, 21 / 38, 38), (2, 0.85, 32 / 37, 37), (3, 0.95, 1.0, 38)]
    p = cv.read_predictions(_written(tmp_path / "curve.csv", rows, "bin,mean_pred,obs,n"))
    assert p.weights.sum() == 151
    assert p.weights[p.labels == 1].sum() == 98


def test_the_name_within_a_prediction_is_the_predicted_class(tmp_path):
    said = NAMES[np.where(np.arange(N) % 5 < 3, LABELS, (LABELS + 1) % 3)]
    rows = [
        {"text": f"t{i}", "intent": NAMES[y], "intent_prediction": {"name": s, "confidence": c}}
        for i, (y, s, c) in enumerate(zip(LABELS, said, HALVES.tolist(), strict=True))
    ]
    p = cv.read_predictions(_written(tmp_path / "p.jsonl", rows))
    np.testing.assert_array_equal(p.labels, said == NAMES[LABELS])


def test_a_truth_that_gives_1_to_an_option_names_it(tmp_path):
    rows = [
        {"gold": {"cats": dict(zip(NAMES, one, strict=True))}, "cats": dict(zip(NAMES, p, strict=True))}
        for one, p in zip(ONES.tolist(), PROBS.tolist(), strict=True)
    ]
    path = _written(tmp_path / "p.jsonl", rows)
    with pytest.raises(ValueError, match=r"label='gold\.cats', prob='cats'"):
        cv.read_predictions(path)
    p = cv.read_predictions(path, label="gold.cats", prob="cats")
    np.testing.assert_array_equal(np.array(p.class_names)[p.labels], NAMES[LABELS])


def test_confidences_beside_what_is_wrong_are_offered_as_those_of_what_is_not(tmp_path):
    drawn = np.random.default_rng(7)
    confidence = drawn.uniform(0.5, 1, 300)
    wrong = (drawn.random(300) > confidence).astype(int)
    with pytest.raises(ValueError, match="never below 1/2") as e:
        cv.read_predictions(_written(tmp_path / "p.csv", zip(confidence, wrong, strict=True), "confidence,wrong"))
    assert "label='wrong', prob='confidence', positive='0'" in str(e.value).splitlines()[1]


def test_a_blank_may_follow_the_number_of_a_class(tmp_path):
    rows = [("1: yes" if rng.random() < p else "0: no", p) for p in HALVES]
    p = cv.read_predictions(_written(tmp_path / "p.csv", rows, "truth,prob"))
    assert p.class_names == ("no", "yes") and p.probs[:, 1].tolist() == HALVES.tolist()
