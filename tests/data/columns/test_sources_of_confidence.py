"""Several confidences of the same answers in one log: beside each other in a row, or in rows that name their source."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

import calibviz as cv
from calibviz.data.columns.choices import Question

N = 200
RNG = np.random.default_rng(11)
EASE = RNG.normal(size=N)
CORRECT = RNG.random(N) < 1 / (1 + np.exp(-EASE))
SOURCES = {
    "verbalised_confidence": np.round(1 / (1 + np.exp(-EASE / 2 - 1)), 1),
    "self_consistency": RNG.binomial(10, 1 / (1 + np.exp(-EASE))) / 10,
    "logprob_confidence": np.round(1 / (1 + np.exp(-1.5 * EASE)), 4),
}
LOG = pd.DataFrame({"id": np.arange(N), "question": [f"Who is {i}?" for i in range(N)]})
LOG = LOG.assign(answer=[f"a{i % 40}" for i in range(N)], **SOURCES, correct=CORRECT)


def question_of(source):
    with pytest.raises(Question) as caught:
        cv.read_predictions(source)
    return caught.value


@pytest.mark.thorough
@pytest.mark.parametrize("ending", ["csv", "jsonl", "json"])
def test_a_question_offers_each_confidence_and_all_side_by_side(tmp_path, ending):
    path = tmp_path / f"log.{ending}"
    text = LOG.to_csv(index=False) if ending == "csv" else LOG.to_json(orient="records", lines=ending == "jsonl")
    path.write_text(text)
    question = question_of(path)
    assert str(question).startswith(f"{path}: 3 columns hold confidences\n  label='correct', prob='verbalised_confi")
    *single, (options, gives) = question.lines
    assert [given["prob"] for given, _ in single] == list(SOURCES)
    assert options == {"label": "correct", "model": list(SOURCES)}
    assert gives.startswith("all 3 side by side, of which 'verbalised_confidence' has mean confidence ")
    assert str(question).endswith(f"{gives}, by cv.read_models")
    models = cv.read_models(path, **options)
    assert list(models) == list(SOURCES)
    for name, p in models.items():
        np.testing.assert_array_equal(p.confidence, SOURCES[name])
        np.testing.assert_array_equal(p.labels, CORRECT)
        assert p.of_confidence and not SOURCES.keys() & p.fields.keys()
        assert eval(p.about["source"], {"cv": cv}).probs.tolist() == p.probs.tolist()
    html = cv.compare(models, progress=False).html
    assert all(name in html for name in SOURCES)


def test_probabilities_of_several_models_in_one_row_are_offered_side_by_side():
    risks = {f"risk_{name}": RNG.random(N).round(3) for name in ("lr", "rf", "gb")}
    question = question_of(pd.DataFrame(risks | {"died": RNG.integers(0, 2, N)}))
    assert "3 columns may hold the probabilities" in question.said
    options, gives = question.lines[-1]
    assert options == {"label": "died", "model": list(risks)} and "'risk_lr' has mean " in gives


def test_a_column_of_sources_with_the_same_answers_is_one_of_models():
    long = LOG.melt(["id", "question", "correct"], list(SOURCES), "source", "confidence")
    question = question_of(long)
    assert question.said.endswith("'source' names 3 models, 'verbalised_confidence', 'self_consistency', "
                                  "'logprob_confidence', that predict the same rows")  # fmt: skip  # one message
    [(options, gives)] = question.lines
    assert options["model"] == "source" and gives.startswith("3 models, of which 'verbalised_confidence' has ")
    models = cv.read_models(long.sample(frac=1, random_state=1).sort_values("id"), **options)
    for name, p in models.items():
        np.testing.assert_array_equal(p.confidence, SOURCES[name])
    pooled = cv.read_predictions(long, fields=["source"])  # who says that it is a field means it
    assert len(pooled) == 3 * N and set(pooled.fields["source"]) == SOURCES.keys()
    elsewhere = LOG.assign(source=RNG.choice(["north", "south"], N), prob=SOURCES["logprob_confidence"])
    assert "source" in cv.read_predictions(elsewhere[["id", "source", "prob", "correct"]]).fields


@pytest.mark.parametrize("keys", [("confidence", "verbalised", "sampled"), ("scores", "stated_confidence", "p_true")])
def test_confidences_in_a_record_of_their_own_are_no_probabilities_of_options(tmp_path, keys):
    outer, *inner = keys
    columns = [SOURCES["verbalised_confidence"], SOURCES["self_consistency"]]
    held = [dict(zip(inner, row, strict=True)) for row in zip(*columns, strict=True)]
    records = [
        record | {outer: of} for record, of in zip(LOG[["answer", "correct"]].to_dict("records"), held, strict=True)
    ]
    (path := tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, records)))
    options, _ = question_of(path).lines[-1]
    assert options["model"] == [f"{outer}.{name}" for name in inner]
    assert [p.confidence.tolist() for p in cv.read_models(path, **options).values()] == [c.tolist() for c in columns]


def test_rows_that_lack_a_confidence_are_left_out_of_all():
    few = LOG.assign(verbalised_confidence=LOG.verbalised_confidence.where(LOG.id % 5 > 0))
    options, _ = question_of(few).lines[-1]
    assert options["missing"] == "drop"
    models = cv.read_models(few, **options)
    assert {len(p) for p in models.values()} == {N - N // 5}
    said = models["self_consistency"].about["assumed"]
    assert f"{N // 5} rows without the probability of every model left out" in said
    with pytest.raises(ValueError, match="row 0 of column 'verbalised_confidence' is missing"):
        cv.read_models(few, label="correct", model=list(SOURCES))


def test_per_cents_beside_shares_are_read_by_the_name_of_a_confidence():
    percents = LOG.assign(verbalised_confidence=(100 * LOG.verbalised_confidence).round())
    models = cv.read_models(percents, label="correct", model=list(SOURCES))
    np.testing.assert_allclose(models["verbalised_confidence"].confidence, SOURCES["verbalised_confidence"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": ["self_consistency"]}, "model must be one name, or the names of at least two columns"),
        ({"model": ["self_consistency", "p"]}, "model='p': no column has this name among 'id', "),
        ({"model": list(SOURCES), "prob": "self_consistency"}, "names columns of probabilities: leave prob out"),
        ({"model": list(SOURCES), "logits": "self_consistency"}, "names columns of probabilities: leave logits out"),
        ({"model": ["self_consistency", "question"]}, "row 0 of column 'question' is 'Who is 0\\?', not a number"),
    ],
)
def test_columns_that_are_no_models_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        cv.read_models(LOG, **options)


def test_several_columns_are_not_read_as_one_model():
    columns = ["self_consistency", "logprob_confidence"]
    said = (
        f"each of {str(columns)[1:-1]} holds the probabilities of a model: cv.read_models(..., model={columns}) reads"
    )
    with pytest.raises(ValueError, match=re.escape(said)):
        cv.read_predictions(LOG, model=columns)


ANSWERS = [
    "TRUE FALSE",
    "True False",
    "YES NO",
    "Y N",
    "T F",
    "Correct Incorrect",
    "RIGHT WRONG",
    "ja nein",
    "✓ ✗",
    "1 0",
]


@pytest.mark.parametrize("answers", ANSWERS)
@pytest.mark.parametrize("name", ["correct", "is_right", "verdict"])
def test_what_is_right_is_read_in_any_answers(tmp_path, answers, name):
    path, (yes, no) = tmp_path / "log.csv", answers.split()
    if name == "verdict" and answers.casefold() not in ("correct incorrect", "right wrong"):
        return  # whose name says nothing, so that the answers have to
    confidence = SOURCES["logprob_confidence"]
    pd.DataFrame({"confidence": confidence, name: np.where(CORRECT, yes, no)}).to_csv(path, index=False)
    for options in ({}, {"label": name, "prob": "confidence"}):
        p = cv.read_predictions(path, **options)
        assert p.class_names == ("wrong", "right")
        np.testing.assert_array_equal(p.probs[:, 1], confidence)
        np.testing.assert_array_equal(p.labels, CORRECT)
        assert cv.accuracy(p) == CORRECT.mean()  # not that of a threshold at 1/2


def test_capitals_of_what_is_right_do_not_matter():
    right = [(str(value), str(value).lower(), str(value).upper())[i % 3] for i, value in enumerate(CORRECT)]
    p = cv.read_predictions(pd.DataFrame({"confidence": SOURCES["logprob_confidence"], "correct": right}))
    assert cv.accuracy(p) == CORRECT.mean() and p.labels.tolist() == CORRECT.tolist()
