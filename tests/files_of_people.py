"""Files as people have them, with the probabilities and classes that are in them."""

from __future__ import annotations

import gzip
import io
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

RNG = np.random.default_rng(11)
N = 24
THREE = ["cat", "dog", "owl"]
PROBS = np.round(RNG.dirichlet([1, 1, 1], N), 3)
PROBS[:, 2] = np.round(1 - PROBS[:, 0] - PROBS[:, 1], 3)
LABELS = np.arange(N) % 3
NAMED = np.array(THREE)[LABELS]
P = np.round(RNG.uniform(0.01, 0.99, N), 3)
Y = np.arange(N) % 2
LOGITS = RNG.normal(size=(N, 3))
AGE = RNG.integers(20, 90, N)
SOFTMAX = np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True)
BINARY, MULTI = np.column_stack([1 - P, P]), PROBS


def besides(predictions):
    """What the line of predictions says beside what was taken for what."""
    taken = ("P(", "confidence from", "probabilities of", "truth from", "right from", "predicted class", "classes from")
    return "; ".join(part for part in predictions.about["assumed"].split("; ") if not part.startswith(taken))


def yes_no(values=Y, yes="yes", no="no"):
    return np.where(values == 1, yes, no)


def binary(label="y_true", prob="y_prob", labels=Y, probs=P, **more):
    return pd.DataFrame({label: labels, prob: probs} | more)


def by_class(prefix="p_", names=THREE, label="label", labels=NAMED, probs=PROBS, **more):
    return pd.DataFrame({label: labels} | {f"{prefix}{name}": probs[:, k] for k, name in enumerate(names)} | more)


def csv(frame, **options):
    return frame.to_csv(index=False, **options).encode(options.pop("encoding", "utf-8"))


def german(frame):
    return frame.to_csv(index=False, sep=";", decimal=",").encode("cp1252")


def percents(frame, column, decimal="."):
    texts = [f"{100 * value:.1f}".replace(".", decimal) + "%" for value in frame[column]]
    return frame.assign(**{column: texts})


def quoted(frame, **options):
    return frame.to_csv(index=False, quoting=2, **options).encode()


def r_table(frame):
    """What write.table of R makes: no name for the column of row numbers."""
    header, *rows = frame.to_csv(index=False, sep=" ", quoting=2).splitlines()
    return "\n".join([header, *(f'"{i}" {row}' for i, row in enumerate(rows, start=1))]).encode()


def jsonl(records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def parquet(frame):
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pandas(frame) if isinstance(frame, pd.DataFrame) else frame, stream)
    return stream.getvalue()


def npz(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def options_log():
    """An evaluation of a language model: options in any order, log-probabilities, the answer as text."""
    for i in range(N):
        order = np.random.default_rng(i).permutation(3)
        logprobs = (LOGITS[i, order] - 7).tolist()
        yield {"id": i, "options": [THREE[k] for k in order], "logprobs": logprobs, "answer": THREE[LABELS[i]]}


FILES = {
    # name of the file: content, options, expected probabilities, expected classes
    "scikit-learn.csv": (csv(binary()), {}, BINARY, ("0", "1")),
    "scikit-learn with index.csv": (binary().to_csv().encode(), {}, BINARY, ("0", "1")),
    "scores.csv": (csv(binary("target", "y_score")), {}, BINARY, ("0", "1")),
    "proba.tsv": (csv(binary("actual", "proba"), sep="\t"), {}, BINARY, ("0", "1")),
    "pipes.txt": (csv(binary("outcome", "probability"), sep="|"), {}, BINARY, ("0", "1")),
    "capitals.csv": (csv(binary("True Label", "Probability")), {}, BINARY, ("0", "1")),
    "booleans.csv": (csv(binary("truth", "p", Y == 1)), {}, BINARY, ("0", "1")),
    "spss.csv": (csv(binary("label", "prob", yes_no(yes="Yes", no="No"))), {}, BINARY, ("No", "Yes")),
    "y n.csv": (csv(binary("outcome", "prob", yes_no(yes="Y", no="N"))), {}, BINARY, ("N", "Y")),
    "signs.csv": (csv(binary("y", "score", 2 * Y - 1)), {}, BINARY, ("-1", "1")),
    "excel german.csv": (german(binary("label", "prob", Alter=AGE, Ort=["Köln"] * N)), {}, BINARY, ("0", "1")),
    "german words.csv": (german(binary("label", "prob", yes_no(yes="ja", no="nein"))), {}, BINARY, ("nein", "ja")),
    "excel sep.csv": (b"sep=;\r\n" + csv(binary(), sep=";", lineterminator="\r\n"), {}, BINARY, ("0", "1")),
    "excel unicode.txt": (binary().to_csv(index=False, sep="\t").encode("utf-16"), {}, BINARY, ("0", "1")),
    "excel utf-8.csv": (csv(binary(), encoding="utf-8-sig"), {}, BINARY, ("0", "1")),
    "per cents.csv": (csv(percents(binary(), "y_prob")), {}, BINARY, ("0", "1")),
    "german per cents.csv": (csv(percents(binary(), "y_prob", ","), sep=";"), {}, BINARY, ("0", "1")),
    "r write.csv.csv": (quoted(by_class()), {}, MULTI, tuple(THREE)),
    "r write.csv2.csv": (quoted(by_class("prob_"), sep=";", decimal=","), {}, MULTI, tuple(THREE)),
    "r write.table.txt": (r_table(by_class()), {}, MULTI, tuple(THREE)),
    "r from one.csv": (csv(by_class(names=["1", "2", "3"], labels=LABELS + 1)), {}, MULTI, ("1", "2", "3")),
    "digits.csv": (csv(by_class(names="358", labels=np.array([3, 5, 8])[LABELS])), {}, MULTI, ("3", "5", "8")),
    "names.csv": (csv(by_class("")), {}, MULTI, tuple(THREE)),
    "proba names.csv": (csv(by_class("proba_", prediction=NAMED)), {}, MULTI, tuple(THREE)),
    "confidence beside.csv": (csv(by_class(confidence=PROBS.max(axis=1))), {}, MULTI, tuple(THREE)),
    "packed.csv.gz": (gzip.compress(csv(by_class())), {}, MULTI, tuple(THREE)),
    "numbers for names.csv": (csv(by_class(labels=LABELS)), {"classes": THREE}, MULTI, tuple(THREE)),
    "names for numbers.csv": (csv(by_class(names="012")), {"classes": THREE}, MULTI, tuple(THREE)),
    "spam.csv": (csv(binary("y", "p", yes_no(yes="spam", no="ham"))), {"positive": "spam"}, BINARY, ("ham", "spam")),
    "one of three.csv": (csv(binary("y", "p", NAMED)), {"positive": "owl"}, BINARY, ("not owl", "owl")),
    "other names.csv": (csv(binary("gold", "m7")), {"label": "gold", "prob": "m7"}, BINARY, ("0", "1")),
    "class 1 alone.csv": (csv(binary("y_true", "proba_1")), {}, BINARY, ("0", "1")),
    "logits.csv": (csv(by_class("logit_", probs=LOGITS)), {}, SOFTMAX, tuple(THREE)),
    "hugging face.npz": (npz(logits=LOGITS, labels=LABELS), {}, SOFTMAX, ("0", "1", "2")),
    "hugging face.jsonl": (
        jsonl({"logits": row, "label": int(k)} for row, k in zip(LOGITS.tolist(), LABELS, strict=True)), {}, SOFTMAX,
        ("0", "1", "2"),
    ),
    "hugging face.parquet": (
        parquet(pa.table({"logits": LOGITS.tolist(), "label": LABELS})), {}, SOFTMAX, ("0", "1", "2"),
    ),
    "arrays.npz": (npz(y_prob=P, y_true=Y), {}, BINARY, ("0", "1")),
    "words.npz": (npz(prob=P, label=yes_no()), {}, BINARY, ("no", "yes")),
    "spark.parquet": (parquet(by_class(labels=pd.Categorical(NAMED))), {}, MULTI, tuple(THREE)),
    "decisions.jsonl": (
        jsonl({"probs": dict(zip(THREE, row, strict=True)), "label": name, "site": "Ulm"}
              for row, name in zip(PROBS.tolist(), NAMED.tolist(), strict=True)), {}, MULTI, tuple(THREE),
    ),
    "language model.jsonl": (jsonl(options_log()), {"classes": THREE}, SOFTMAX, tuple(THREE)),
    "confidence.jsonl": (
        jsonl({"confidence": p, "correct": bool(y), "model": "m"} for p, y in zip(P.tolist(), Y, strict=True)), {},
        BINARY, ("wrong", "right"),
    ),
    "flat.ndjson": (
        jsonl({"y_prob": p, "y_true": int(y)} for p, y in zip(P.tolist(), Y, strict=True)), {}, BINARY, ("0", "1"),
    ),
}  # fmt: skip  # a file a row
