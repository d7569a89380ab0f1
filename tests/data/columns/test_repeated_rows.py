"""The same samples several times in one table, whatever the column is called that tells the times apart."""

import json

import numpy as np
import pandas as pd
import pytest

import calibviz as cv
from calibviz.data.columns.choices import Question, ReadingOptions
from calibviz.data.columns.recognition.repeated_rows import refuse_models
from calibviz.data.columns.tables import ArrayTable, FirstRows

N = 150
RNG = np.random.default_rng(7)
PROB = RNG.random(N).round(4)
OTHER = np.clip(PROB + RNG.normal(0, 0.05, N), 0, 1).round(4)
Y = (RNG.random(N) < PROB).astype(int)


def twice(**columns):
    return pd.DataFrame(columns | {"y": [*Y, *Y], "prob": [*PROB, *OTHER]})


def lines(source):
    """The options of the question that a source is refused with, each of which opens it."""
    with pytest.raises(Question) as caught:
        cv.read_predictions(source)
    for options, _ in caught.value.lines:
        (cv.read_models if "model" in options else cv.read_predictions)(source, **options)
    return str(caught.value), [options for options, _ in caught.value.lines]


@pytest.mark.parametrize("name", ["version", "prompt", "seed", "epoch", "imputation", "rater", "horizon", "xyz"])
@pytest.mark.parametrize("key", ["id", "sample", None])
def test_rows_that_stand_once_for_each_value_of_a_column(name, key):
    ids = {} if key is None else {key: [*range(N)] * 2}
    said, ways = lines(twice(**ids, **{name: [1] * N + [2] * N}))
    assert f"the same rows stand 2 times, once for each {name!r}, '1', '2'" in said
    assert [way.get("model") for way in ways] == [name, None, *[None for _ in ids]]
    assert name in ways[1]["fields"]
    assert [way.get("cluster") for way in ways[2:]] == [*ids]


def test_rows_that_belong_together_may_stand_several_times():
    table = twice(patient=[*range(N)] * 2, imputation=[1] * N + [2] * N, site=[i % 7 for i in range(N)] * 2)
    p = cv.read_predictions(table, cluster="Patient")
    assert (p.cluster, p.n_clusters, len(p)) == ("patient", N, 2 * N)
    assert cv.read_predictions(table, cluster="site").n_clusters == 7  # which holds all rows of a patient
    with pytest.raises(Question, match="once for each 'imputation'"):
        cv.read_predictions(table, cluster="imputation")
    without = table.drop(columns="patient")  # by labels and scores in their order
    assert cv.read_predictions(without, cluster="site").n_clusters == 7


def test_rows_that_are_there_twice_are_no_more_samples():
    table = twice(run_number=[1] * N + [2] * N).assign(prob=[*PROB, *PROB])
    assert "the same rows stand 2 times, once for each 'run_number'" in lines(table)[0]


def test_rows_in_any_order_are_told_by_their_ids():
    table = twice(id=[*range(N)] * 2, seed=[1] * N + [2] * N).sample(frac=1, random_state=0)
    assert "once for each 'seed'" in lines(table)[0]


def test_models_of_which_one_lacks_some_rows():
    table = twice(id=[*range(N)] * 2, model=["a"] * N + ["b"] * N).drop(index=[3, 170, 171])
    assert "'model' names 2 models" in lines(table)[0]


@pytest.mark.parametrize("name", ["sex", "fold", "seed"])
def test_other_samples_of_two_groups_of_one_size_are_read(name):
    rng = np.random.default_rng(3)
    prob = rng.random(2 * N).round(4)
    table = pd.DataFrame({"id": range(2 * N), name: [1] * N + [2] * N, "y": (rng.random(2 * N) < prob) * 1})
    assert name in cv.read_predictions(table.assign(prob=prob)).fields


def test_forecasts_of_one_question_on_several_days_are_dependent_rows():
    resolved = RNG.integers(0, 2, 15)
    table = pd.DataFrame({
        "question_id": np.repeat(range(15), 10), "date": [f"2024-01-{d:02d}" for d in range(10, 20)] * 15,
        "forecast": (0.3 + 0.1 * np.repeat(resolved, 10) + PROB / 4).round(4), "resolved": np.repeat(resolved, 10),
    })  # fmt: skip  # one table
    assert "rows that share one may not be independent" in cv.read_predictions(table).about["assumed"]


def test_logs_of_options_of_several_models(tmp_path):
    file = tmp_path / "log.jsonl"
    gold = RNG.choice(list("ABCD"), 40)
    rows = [
        {"question_id": i, "model": model, "answer": str(gold[i]),
         "probs": dict(zip("ABCD", RNG.dirichlet(np.ones(4)).tolist(), strict=True))}
        for model in ("gpt", "llama") for i in range(40)
    ]  # fmt: skip  # one record
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(ValueError, match="'model' names 2 models, 'gpt', 'llama', that predict the same rows"):
        cv.read_predictions(file)
    assert cv.read_predictions(file, fields=["model"]).n_samples == 80


ANSWER = RNG.choice(["yes", "no"], N)


@pytest.mark.parametrize(
    "columns",
    [
        {"answer": ANSWER, "verbalised_confidence": PROB, "self_consistency": PROB.round(1)},
        {"label": ANSWER, "score": PROB},
        {"correct_answer": ANSWER, "model_answer": ANSWER, "confidence": PROB},
    ],
)
def test_a_column_that_says_what_is_right_against_another_truth_is_asked_about(columns):
    said, ways = lines(pd.DataFrame(columns | {"correct": Y == 1}))
    assert "two columns may hold the truth" in said
    assert "correct" in [way["label"] for way in ways]


def test_a_column_that_says_what_is_right_by_the_truth_is_a_field():
    label = np.where(Y, "yes", "no")
    guess = np.where(PROB > 0.4, "yes", "no")
    table = pd.DataFrame({"label": label, "pred": guess, "prob": PROB, "correct": (label == guess) * 1})
    for source in (table, table.drop(columns="pred")):
        assert "P(yes) from 'prob'" in cv.read_predictions(source).about["assumed"]
        assert "truth from 'label'" in cv.read_predictions(source).about["assumed"]


class Counted(list):
    """A list that knows how often all of it was walked through."""

    walks = 0

    def __iter__(self):
        self.walks += 1
        return super().__iter__()


def test_columns_that_tell_no_repetition_are_not_held_against_all_others():
    columns = {"y": ["0", "1"] * 20, **{f"c{i}": ["0"] * 40 for i in range(50)}}
    table = ArrayTable({name: np.array(values, dtype=object) for name, values in columns.items()})
    free, first = Counted(table.columns[1:]), FirstRows(table)
    refuse_models(free, first.held("y"), ReadingOptions(), first)
    assert free.walks == 1
