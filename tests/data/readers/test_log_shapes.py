"""Logs of language models and of their evaluations: the same probabilities in the shapes that tools write."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from prediction_files import refuse

import calibviz as cv
from calibviz.data.columns.answer_tokens import stripped
from calibviz.data.columns.choices import Account, ReadingOptions
from calibviz.data.columns.option_lists import scores_by_name
from calibviz.data.readers import preview
from calibviz.data.shapes.records import flattened, of_one_shape

RNG = np.random.default_rng(1)
ANSWERED = [("allow", 0.94), ("deny", 0.02), ("allow", 0.8)]
N, NAMES = 40, ["cat", "dog", "owl"]
P = RNG.dirichlet([0.7] * 3, N).round(4)
P[:, 2] = (1 - P[:, 0] - P[:, 1]).round(4)
Y = np.array([RNG.choice(3, p=row**0.55 / (row**0.55).sum()) for row in P])
TOP = P.argmax(1)
BY_RANK = np.argsort(-P)


def log(folder: Path, records: list[dict[str, Any]], name: str = "p.jsonl") -> Path:
    (folder / name).write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return folder / name


def document(folder: Path, content: Any) -> Path:
    (folder / "p.json").write_text(json.dumps(content))
    return folder / "p.json"


def same(path: Path, names: list[str] | None = None, **options: Any) -> cv.Predictions:
    """The predictions of a file that holds those above, with classes in any order, or how sure they are."""
    p = cv.read_predictions(path, **options)
    if p.of_confidence:
        np.testing.assert_allclose(p.probs[:, 1], P.max(1), atol=1e-9)
        np.testing.assert_array_equal(p.labels, TOP == Y)
        return p
    order = [list(p.class_names).index(name) for name in names or "ABC"]
    np.testing.assert_allclose(p.probs[:, order], P, atol=1e-9)
    np.testing.assert_array_equal(p.labels, np.array(order)[Y])
    return p


def tokens(i: int, before: str = "", names: str = "ABC", most: int = 3) -> list[dict[str, Any]]:
    """The likeliest tokens, with their log-probabilities."""
    return [{"token": before + names[k], "logprob": float(np.log(P[i, k])), "bytes": [65]} for k in BY_RANK[i]][:most]


# Likeliest tokens -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", ["", " ", "▁", "Ġ"])
def test_the_likeliest_tokens_are_options(tmp_path, before):
    records = [{"top_logprobs": tokens(i, before), "answer": "ABC"[Y[i]]} for i in range(N)]
    assert "softmax of 'top_logprobs' over the answers A, B, C" in same(log(tmp_path, records)).about["assumed"]


def test_likeliest_tokens_in_a_dict_beside_the_model_s_own_answer(tmp_path):
    records = [
        {
            "topLogprobs": {token["token"]: token["logprob"] for token in tokens(i)},
            "answer": "ABC"[TOP[i]],
            "groundTruth": "ABC"[Y[i]],
        }
        for i in range(N)
    ]
    said = same(log(tmp_path, records)).about["assumed"]
    assert "'groundTruth'" in said and "predicted class from 'answer'" in said


def test_only_tokens_that_are_answers_count(tmp_path):
    others = [{"token": "the", "logprob": float(np.log(0.2))}, {"token": "An", "logprob": float(np.log(0.1))}]
    records = [
        {
            "top_logprobs": [t | {"logprob": t["logprob"] + np.log(0.7)} for t in tokens(i)] + others,
            "answer": "ABC"[Y[i]],
        }
        for i in range(N)
    ]
    assert "other tokens hold 30 % on average" in same(log(tmp_path, records)).about["assumed"]
    for i, record in enumerate(records):
        record["top_logprobs"] = tokens(i, most=2)
    p = cv.read_predictions(log(tmp_path, records))
    assert "40 answers are not among the tokens and get 0" in p.about["assumed"]
    left = np.where(np.sort(P, axis=1)[:, 1:2] <= P, P, 0)
    np.testing.assert_allclose(p.probs, left / left.sum(axis=1, keepdims=True))


def test_a_record_without_an_answer_among_its_tokens_has_no_probability(tmp_path):
    records = [{"top_logprobs": tokens(i), "answer": "ABC"[Y[i]]} for i in range(N)]
    records[3]["top_logprobs"] = [{"token": "the", "logprob": -0.1}]
    path = log(tmp_path, records)
    refuse(path, "line 4 of 'top_logprobs' is missing; missing='drop' leaves out the only row without a probability")
    assert len(cv.read_predictions(path, missing="drop")) == N - 1
    for record in records:
        record["top_logprobs"] = [{"token": "the", "logprob": -0.1}]
    refuse(log(tmp_path, records), "no token in 'top_logprobs' is one of the answers 'A', 'B', 'C' of 'answer': cla...")


def test_an_answer_that_never_is_right_counts_if_its_token_is_common(tmp_path):
    records = [{"top_logprobs": [*tokens(i), {"token": "D", "logprob": -3.0}], "answer": "ABC"[Y[i]]} for i in range(N)]
    assert cv.read_predictions(log(tmp_path, records)).class_names == ("A", "B", "C", "D")
    only = [record | {"answer": "Paris"} for record in records]
    refuse(
        log(tmp_path, only), "the key 'answer' holds one answer, so it is not known which of the tokens in 'top_lo..."
    )


@pytest.mark.parametrize("form", ["letters", "texts", "places"])
def test_tokens_that_are_the_letters_of_a_list_of_options(tmp_path, form):
    records = []
    for i in range(N):
        options = [f"text {i}", "another", "a third"]
        answer = {"letters": "ABC"[Y[i]], "texts": options[Y[i]], "places": int(Y[i])}[form]
        records.append({"top_logprobs": tokens(i), "choices": options, "answer": answer})
    p = same(log(tmp_path, records))
    assert "tokens are the letters of 'choices'" in p.about["assumed"] and "choices" not in p.fields


@given(
    st.dictionaries(st.sampled_from(["A", " A", "A ", "▁A", "B", "ĠB"]), st.floats(-30, -0.1), min_size=1, max_size=6)
)
def test_tokens_that_differ_in_blanks_are_one_with_their_sum(held):
    found = stripped(held)
    for name in ("A", "B"):
        parts = [np.exp(value) for token, value in held.items() if token.strip(" ▁Ġ") == name]
        assert np.exp(found[name]) == pytest.approx(sum(parts)) if parts else name not in found


def test_log_probabilities_of_tokens_with_blanks_are_those_of_the_answers(tmp_path):
    names = [" A", "▁B", "C"]
    records = [
        {"label": "ABC"[k], "logprobs": dict(zip(names, row, strict=True))}
        for k, row in zip(Y, np.log(P + 1e-12).tolist(), strict=True)
    ]
    same(log(tmp_path, records))


# Answers of OpenAI and others -------------------------------------------------------------------------------------


def completion(i: int) -> dict[str, Any]:
    """A chat completion whose one token is the answer."""
    answer = "ABC"[TOP[i]]
    content = [{"token": answer, "logprob": float(np.log(P[i].max())), "top_logprobs": tokens(i)}]
    return {"choices": [{"message": {"content": answer}, "logprobs": {"content": content}}], "usage": {"total": 1}}


def legacy(i: int) -> dict[str, Any]:
    top = [{"\n": -0.1}, {token["token"]: token["logprob"] for token in tokens(i, " ")}]
    own = [-0.1, float(np.log(P[i].max()))]
    return {"logprobs": {"tokens": ["\n", " " + "ABC"[TOP[i]]], "token_logprobs": own, "top_logprobs": top}}


@pytest.mark.parametrize(
    "record", [completion, legacy, lambda i: {"response": {"status_code": 200, "body": completion(i)}, "custom_id": i}]
)
def test_completions_with_log_probabilities(tmp_path, record):
    same(log(tmp_path, [record(i) | {"answer": "ABC"[Y[i]]} for i in range(N)]))


def test_the_answer_stands_after_the_word_that_announces_it(tmp_path):
    records = []
    for i in range(N):
        content = [
            {"token": "A", "logprob": -0.1, "top_logprobs": [{"token": "A", "logprob": -0.1}]},
            {"token": " cat.\nANSWER:", "logprob": -0.1, "top_logprobs": []},
            {"token": " " + "ABC"[TOP[i]], "logprob": float(np.log(P[i].max())), "top_logprobs": tokens(i, " ")},
        ]
        records.append({"logprobs": {"content": content}, "answer": "ABC"[Y[i]]})
    same(log(tmp_path, records))
    for record in records:
        del record["logprobs"]["content"][1]
    refuse(log(tmp_path, records), "no probabilities: no token of the answers is one of those that are right elsewh...")


def events(**confidence: Any) -> list[dict[str, Any]]:
    """A log of OpenAI's evals."""
    out: list[dict[str, Any]] = [{"spec": {"eval_name": "e"}}]
    for i in range(N):
        shared = {"run_id": "r", "sample_id": f"s.{i}", "created_at": "2026-01-01 00:00:00+00:00"}
        data = {"correct": bool(TOP[i] == Y[i]), "expected": "ABC"[Y[i]], "picked": "ABC"[TOP[i]], "sampled": "x"}
        more = {name: float(P[i].max()) for name in confidence}
        out.append(shared | {"type": "sampling", "data": {"prompt": "q", "sampled": ["A"]}})
        out.append(shared | {"type": "match", "data": data | more})
    return [*out, {"final_report": {"accuracy": 0.5}}]


def test_evals_without_a_confidence_hold_no_probabilities(tmp_path):
    refuse(
        log(tmp_path, events()), "no probabilities: the events hold what was picked, not how sure the model is of ..."
    )


def test_evals_with_a_confidence(tmp_path):
    path = log(tmp_path, events(confidence=True))
    p = cv.read_predictions(path, label="data.correct", prob="data.confidence", positive=True)
    np.testing.assert_allclose(p.probs[:, 1], P.max(1))
    np.testing.assert_array_equal(p.labels, TOP == Y)
    assert "42 records of other types left out" in p.about["assumed"]


# lm-evaluation-harness --------------------------------------------------------------------------------------------


def sample(i: int, target: Any, **more: Any) -> dict[str, Any]:
    likelihoods = [[float(value - 20), False] for value in np.log(P[i])]
    return {
        "doc_id": i, "doc": {"query": f"q{i}", "subject": ["law", "art"][i % 2]}, "target": target, "resps": [["x"]],
        "filtered_resps": likelihoods, "acc": float(TOP[i] == Y[i]), "acc_norm": 0.0, "doc_hash": f"{i}",
    } | more  # fmt: skip  # the keys of a sample


LISTED = {"text": ["ab", "cd", "ef"], "label": ["A", "B", "C"]}
TARGETS = {
    "numbers": (lambda i: {"target": int(Y[i])}, list("012")),
    "numbers as texts": (lambda i: {"target": str(Y[i])}, list("012")),
    "texts": (lambda i: {"target": " " + ["ab", "cd", "ef"][Y[i]], "doc": {"choices": LISTED["text"]}}, LISTED["text"]),
    "letters": (
        lambda i: {"target": "ABC"[Y[i]], "doc": {"choices": LISTED | {"text": [f"a{i}", "b", "c"]}}},
        LISTED["label"],
    ),
    "digits that are texts": (
        lambda i: {"target": "201"[Y[i]], "doc": {"choices": ["2", "0", "1"]}},
        ["2", "0", "1"],
    ),
    "a list of one": (lambda i: {"target": [int(Y[i])]}, list("012")),
    "texts of numbers": (
        lambda i: {"target": int(Y[i]), "filtered_resps": [[f"{v - 20:.12f}", "False"] for v in np.log(P[i])]},
        list("012"),
    ),
}


@pytest.mark.parametrize("form", TARGETS)
def test_samples_of_the_harness(tmp_path, form):
    more, names = TARGETS[form]
    p = same(log(tmp_path, [sample(i, None) | more(i) for i in range(N)]), names)
    said = p.about["assumed"]
    assert "softmax" in said and "'filtered_resps'" in said and "'target'" in said and "not normalised" in said
    assert not {"acc", "acc_norm", "doc_hash"} & p.fields.keys()


def test_samples_of_which_the_choices_differ_in_number(tmp_path):
    records = [sample(i, int(Y[i])) for i in range(N)]
    for record in records[::2]:
        record["filtered_resps"].append([-90.0, False])
    assert same(log(tmp_path, records)).of_confidence


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (lambda i: {"acc": float(TOP[i] != Y[i])}, "line 1 of 'acc' is 1.0, which contradicts the target 0"),
        (lambda i: {"acc": 0.37}, "line 1 of 'acc' is 0.37, a share, so several choices are right"),
        (
            lambda i: {"filtered_resps": ["a text"]},
            "no probabilities: 'filtered_resps' holds generated texts; run a t...",
        ),
        (
            lambda i: {"filtered_resps": [[-1.5, True]]},
            "line 1 of 'filtered_resps' is [[-1.5, True]], not the log-likelihoods of two choices or more",
        ),
        (lambda i: {"target": 7}, "line 1 of 'target' is 7, none of the 3 choices"),
        (
            lambda i: {"filter": ["none", "strict"][i % 2]},
            "'filter' holds 'none', 'strict', so each document is there...",
        ),
    ],
)
def test_samples_that_cannot_be_read(tmp_path, more, message):
    refuse(log(tmp_path, [sample(i, int(Y[i])) | more(i) for i in range(N)]), message)


def test_a_target_that_is_a_place_and_the_name_of_another_choice(tmp_path):
    """Without `acc`, which tells whether the likeliest choice is right, the two readings cannot be told apart."""
    records = [sample(i, "201"[Y[i]], doc={"choices": ["2", "0", "1"]}) for i in range(N)]
    for record in records:
        del record["acc"]
    refuse(log(tmp_path, records), "line 1 of 'target' is '2', the place of one choice and the name of another")


# inspect_ai -------------------------------------------------------------------------------------------------------


def inspected(i: int, logprobs: bool = True, confidence: bool = False) -> dict[str, Any]:
    answer = "ABC"[TOP[i]]
    content = [
        {"token": "A", "logprob": -0.1, "top_logprobs": [{"token": "A", "logprob": -0.1}]},
        {"token": "NSWER:", "logprob": 0.0, "top_logprobs": []},
        {"token": f" {answer}", "logprob": float(np.log(P[i].max())), "top_logprobs": tokens(i, " ")},
    ]
    score = {"value": "C" if TOP[i] == Y[i] else "I", "answer": answer, "metadata": {}}
    score["metadata"] = {"confidence": float(P[i].max())} if confidence else None
    return {
        "id": i, "epoch": 1, "input": "q", "choices": ["a", "b", "c"], "target": "ABC"[Y[i]],
        "messages": [{"role": "user", "content": "q"}], "metadata": {"subject": ["law", "art"][i % 2]},
        "output": {"model": "m", "choices": [{"message": {}, "logprobs": {"content": content} if logprobs else None}]},
        "scores": {"choice": score},
    }  # fmt: skip  # the keys of a sample


def archive(path: Path, samples: list[dict[str, Any]]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("header.json", json.dumps({"version": 2, "eval": {"model": "m"}}))
        for held in samples:
            made.writestr(f"samples/{held['id']}_epoch_1.json", json.dumps(held))
    return path


@pytest.mark.parametrize("name", ["p.eval", "p"])
def test_logs_of_inspect(tmp_path, name):
    p = same(archive(tmp_path / name, [inspected(i) for i in range(N)]))
    assert p.fields["metadata.subject"].tolist() == ["law", "art"] * (N // 2)
    assert "id" in preview(tmp_path / name, ReadingOptions()).columns
    same(document(tmp_path, {"version": 2, "status": "success", "samples": [inspected(i) for i in range(N)]}))


def test_a_confidence_in_the_metadata_of_a_score_of_inspect(tmp_path):
    samples = [inspected(i, logprobs=False, confidence=True) for i in range(N)]
    assert same(archive(tmp_path / "p.eval", samples)).of_confidence
    samples[5]["scores"]["choice"]["value"] = "P"
    refuse(archive(tmp_path / "p.eval", samples), "row 5 has the score 'P', neither correct nor incorrect")


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        (
            [inspected(i, logprobs=False) for i in range(N)],
            "no probabilities: the samples hold no log-probabilities a...",
        ),
        ([], "the archive holds no samples/*.json: it is no log of inspect_ai, or one that is not finished"),
        ([inspected(0) | {"target": ["A", "B"]}], "row 0 of 'target' is ['A', 'B'], not one answer"),
    ],
)
def test_logs_of_inspect_that_cannot_be_read(tmp_path, samples, message):
    refuse(archive(tmp_path / "p.eval", samples), message)


# HELM -------------------------------------------------------------------------------------------------------------


def state(i: int, logprob: float | None = None) -> dict[str, Any]:
    references = [{"output": {"text": name}, "tags": ["correct"] if k == Y[i] else []} for k, name in enumerate("xyz")]
    own = float(np.log(P[i].max())) if logprob is None else logprob
    text = " " + "ABC"[TOP[i]]
    return {
        "instance": {"input": {"text": "q"}, "references": references, "split": "test", "id": f"id{i}"},
        "output_mapping": dict(zip("ABC", "xyz", strict=True)),
        "request": {},
        "result": {"success": True, "completions": [{"text": text, "tokens": [{"text": text, "logprob": own}]}]},
    }


def test_states_of_helm(tmp_path):
    assert same(document(tmp_path, {"adapter_spec": {}, "request_states": [state(i) for i in range(N)]})).of_confidence
    states = [state(i) for i in range(N)] + [state(0) | {"result": {"completions": [{"text": "none", "tokens": []}]}}]
    p = same(document(tmp_path, {"request_states": states}))
    assert "1 answer that is no letter of a reference left out" in p.about["assumed"]


@pytest.mark.parametrize(
    "content",
    [
        {"request_states": [state(i, 0.0) for i in range(N)]},
        [{"instance_id": f"id{i}", "predicted_text": " A", "stats": {"em": 1.0}} for i in range(N)],
    ],
)
def test_logs_of_helm_without_log_probabilities(tmp_path, content):
    refuse(
        document(tmp_path, content), "no probabilities: the log holds answers without their log-probabilities; run..."
    )


# transformers, and logs of decisions ------------------------------------------------------------------------------

SCORED = [[{"label": NAMES[k], "score": float(P[i, k])} for k in BY_RANK[i]] for i in range(N)]
NUMBERED = [[{"label": f"LABEL_{k}", "score": float(P[i, k])} for k in BY_RANK[i]] for i in range(N)]
NAMED = [NAMES[k] for k in Y]
SHAPES = {
    "all scores of a pipeline": lambda i: {"text": f"t{i}", "output": SCORED[i], "label": NAMED[i]},
    "of a list": lambda i: {"output": [SCORED[i]], "label": NAMED[i].upper()},
    "zero-shot": lambda i: {
        "sequence": f"t{i}",
        "labels": [entry["label"] for entry in SCORED[i]],
        "scores": [entry["score"] for entry in SCORED[i]],
        "gold": NAMED[i],
    },
    "nested": lambda i: {
        "decision": {"answer": NAMES[TOP[i]], "probabilities": dict(zip(NAMES, P[i].tolist(), strict=True))},
        "groundTruth": NAMED[i],
        "meta": {"day": "2026-01-01"},
    },
    "camelCase": lambda i: {"optionIds": NAMES, "classProbs": P[i].tolist(), "trueLabel": NAMED[i]},
    "nested lists": lambda i: {"result": {"optionIds": NAMES, "probabilities": P[i].tolist()}, "expected": NAMED[i]},
    "of another name": lambda i: {"beliefs": dict(zip(NAMES, P[i].tolist(), strict=True)), "truth": NAMED[i]},
    "log-probabilities of another name": lambda i: {
        "beliefs": dict(zip(NAMES, np.log(P[i]).tolist(), strict=True)),
        "truth": NAMED[i],
    },
    "options in another order": lambda i: {
        "options": [NAMES[k] for k in BY_RANK[i][::-1]],
        "probabilities": P[i][BY_RANK[i][::-1]].tolist(),
        "label": NAMED[i],
    },
}


@pytest.mark.parametrize("form", SHAPES)
def test_shapes_of_decisions(tmp_path, form):
    p = same(log(tmp_path, [SHAPES[form](i) for i in range(N)]), NAMES)
    assert not {"options", "optionIds", "labels"} & p.fields.keys()


def test_labels_of_a_pipeline_may_be_numbers(tmp_path):
    records = [{"output": NUMBERED[i], "label": int(Y[i])} for i in range(N)]
    same(log(tmp_path, records), list("012"))


def test_of_two_sets_of_probabilities_one_is_chosen(tmp_path):
    held = [dict(zip(NAMES, row.tolist(), strict=True)) for row in P]
    records = [{"raw_probs": held[i], "calibrated_probs": held[(i + 1) % N], "truth": NAMED[i]} for i in range(N)]
    with pytest.raises(ValueError, match="two keys may hold the probabilities, 'raw_probs' and 'calibrated_probs'"):
        cv.read_predictions(log(tmp_path, records))
    same(tmp_path / "p.jsonl", NAMES, prob="raw_probs")


# Records of any shape ---------------------------------------------------------------------------------------------


def test_records_of_other_shapes_are_left_out_and_counted(tmp_path):
    records = [{"prob": float(P[i, 0]), "label": int(Y[i] == 0), "site": "x"} for i in range(N)]
    path = log(tmp_path, [{"spec": {"a": 1}}, *records, {"accuracy": 0.5, "n": 40}])
    p = cv.read_predictions(path)
    np.testing.assert_array_equal(p.probs[:, 1], P[:, 0])
    assert "2 records with other keys left out" in p.about["assumed"]
    del records[3]["label"]
    refuse(
        log(tmp_path, [{"spec": 1}, *records]), "line 5 of column 'label' is missing; missing='drop' leaves out th..."
    )
    apart = [{"a": 1, "b": 2}, {"prob": 0.5, "label": 1}]
    refuse(
        log(tmp_path, apart), "there are as many records with the keys 'a', 'b' as with 'label', 'prob': write tho..."
    )


def test_keys_within_each_other_are_columns_by_one_level():
    assert flattened([{"a": {"b": 1, "c": {"d": 2}}, "e": 3}]) == [{"a.b": 1, "a.c": {"d": 2}, "e": 3}]
    assert flattened([{"a": {"x": 0.5, "y": 0.5}}]) == [{"a": {"x": 0.5, "y": 0.5}}]
    assert flattened([{"a": {"x": 5, "y": 7}}]) == [{"a.x": 5, "a.y": 7}]
    assert flattened([{"a": None}, {"a": {"b": 1}}]) == [{}, {"a.b": 1}]
    with pytest.raises(ValueError, match=r"two keys are named 'a\.b'"):
        flattened([{"a": {"b": 1}, "a.b": 2}])


@pytest.mark.parametrize(
    ("entries", "found"),
    [
        ([{"label": "a", "score": 0.5}, {"label": "b", "score": 0.5}], {"a": 0.5, "b": 0.5}),
        ([[{"label": "a", "score": 0.5}]], {"a": 0.5}),
        ([{"token": "a", "logprob": -1.0, "bytes": [1]}], {"a": -1.0}),
        ([{"label": "a", "score": 0.5}, {"label": "a", "score": 0.5}], None),
        ([{"label": "a", "score": "x"}], None),
        ([{"role": "user", "content": "x"}], None),
        ([], None),
    ],
)
def test_lists_of_names_and_numbers(entries, found):
    assert scores_by_name(entries) == found


@given(st.lists(st.sampled_from([("a", "b"), ("a",), ("c", "d"), ("a", "b", "e")]), min_size=1, max_size=12))
def test_places_are_those_of_the_records_that_are_read(shapes):
    records = [dict.fromkeys(keys, i) for i, keys in enumerate(shapes)]
    try:
        kept, places = of_one_shape(records, np.arange(len(records)), Account())
    except ValueError as error:
        assert "there are as many records" in str(error)
        return
    assert kept == [records[place] for place in places]


def test_a_label_that_is_the_likeliest_key_of_few_records_may_be_the_answer_of_the_model(tmp_path):
    records = [{"label": name, "probabilities": {"allow": p, "deny": round(1 - p, 2)}} for name, p in ANSWERED]
    (file := tmp_path / "p.jsonl").write_text("\n".join(map(json.dumps, records)))
    with pytest.raises(
        ValueError, match="every label of 'label' is the likeliest option: these may be the model's own"
    ):
        cv.read_predictions(file)
    doubt = "every label is the likeliest option: is 'label' the prediction?"
    assert doubt in cv.read_predictions(file, label="label").about["assumed"]
    records[0]["label"] = "deny"
    file.write_text("\n".join(map(json.dumps, records)))
    assert cv.read_predictions(file).labels.tolist() == [1, 1, 0]
