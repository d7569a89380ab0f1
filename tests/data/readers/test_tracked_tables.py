"""Tables of MLflow and W&B: columns and data in a document, pictures beside them, lists of probabilities in cells."""

from __future__ import annotations

import json

import numpy as np
import pytest

import calibviz as cv
from calibviz.data.columns.choices import Question

N, NAMES = 90, ["cat", "dog", "owl"]
RNG = np.random.default_rng(2)
PROBS = RNG.dirichlet([1, 1, 1], N)
LABELS = np.array([RNG.choice(3, p=p) for p in PROBS])
GUESSES = PROBS.argmax(axis=1)
NAMED = {"label": [NAMES[k] for k in LABELS], "prediction": [NAMES[k] for k in GUESSES]}


def written(tmp_path, columns, **more):
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    path = tmp_path / "predictions.table.json"
    path.write_text(json.dumps({"columns": list(columns), "data": rows} | more))
    return path


def picture(i):
    return {"_type": "image-file", "path": f"media/images/{i}.png", "sha256": f"{i:064x}", "size": 100 + i, "height": 9}


def test_a_table_of_wandb_keeps_of_a_picture_where_it_is(tmp_path):
    columns = {"image": [picture(i) for i in range(N)], "guess": GUESSES.tolist(), "truth": LABELS.tolist()}
    columns |= {f"score_{k}": PROBS[:, k].tolist() for k in range(3)}
    p = cv.read_predictions(written(tmp_path, columns, _type="table", ncols=6, nrows=N, column_types={"params": {}}))
    np.testing.assert_array_equal(p.probs, PROBS)
    np.testing.assert_array_equal(p.labels, LABELS)
    assert p.fields.keys() == {"guess"} and p.notes["image"][3] == "media/images/3.png"


@pytest.mark.parametrize("name", ["probs", "predicted_probs", "probabilities", "prediction_proba"])
def test_the_predicted_classes_tell_which_probability_of_a_list_is_of_which_class(tmp_path, name):
    p = cv.read_predictions(written(tmp_path, NAMED | {name: PROBS.tolist()}))
    np.testing.assert_array_equal(p.probs, PROBS)
    assert list(p.class_names) == NAMES and p.labels.tolist() == LABELS.tolist()
    assert f"classes of {name!r} as 'prediction' names the largest" in p.about["assumed"]


def test_a_list_of_two_answers_is_turned_round_where_the_predictions_say_so(tmp_path):
    yes = np.round(RNG.random(N), 4)
    happened = np.where(RNG.random(N) < yes, "yes", "no")
    columns = {"label": happened.tolist(), "prediction": np.where(yes > 0.5, "yes", "no").tolist()}
    p = cv.read_predictions(written(tmp_path, columns | {"probs": np.column_stack([yes, 1 - yes]).tolist()}))
    assert p.class_names == ("no", "yes")
    np.testing.assert_array_equal(p.probs[:, 1], yes)


@pytest.mark.parametrize("columns", [{"label": NAMED["label"]}, NAMED | {"prediction": NAMED["label"][::-1]}])
def test_a_list_whose_classes_nothing_tells_is_a_question(tmp_path, columns):
    path = written(tmp_path, columns | {"probs": PROBS.tolist()})
    with pytest.raises(
        Question, match="nothing says which of the probabilities in 'probs' is of which of the classes"
    ) as c:
        cv.read_predictions(path)
    assert len(c.value.lines) == 6
    options, gives = c.value.lines[0]
    assert options == {"label": "label", "prob": "probs", "classes": NAMES}
    p = cv.read_predictions(path, **options)
    assert gives in p.about["assumed"] and p.labels.tolist() == LABELS.tolist()


def test_a_table_of_mlflow_with_the_index_of_pandas_is_read(tmp_path):
    columns = {
        "age": list(range(20, 20 + N)),
        "target": (LABELS == 1).tolist(),
        "prediction_proba": PROBS[:, 1].tolist(),
    }
    p = cv.read_predictions(written(tmp_path, columns, index=list(range(N))))
    np.testing.assert_array_equal(p.probs[:, 1], PROBS[:, 1])
    np.testing.assert_array_equal(p.labels, LABELS == 1)
