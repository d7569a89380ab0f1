"""Files as tools and people write them, each with the numbers that it holds: it is read so, or it is a question.

`tests/files/expected.json` says of each file what must come out. The numbers were computed from the arrays before these
were written, by plain NumPy.
"""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cases_of_people import CASES, FILES, judge, options_of
from hypothesis import HealthCheck, given, settings, strategies as st
from prediction_files import read_as

import calibviz as cv
from calibviz.data.columns.choices import Question

OPTION = re.compile(
    r"\b(label|prob|positive|logits|weight|classes|sep|decimal|missing|normalize|truth|ignore|model|sheet|fields)="
)


@pytest.mark.parametrize("name", CASES)
def test_a_file_is_read_as_it_is_meant_or_is_a_question(name):
    case = CASES[name]
    try:
        p = cv.read_predictions(FILES / case["file"], **options_of(case))
    except ValueError as error:
        message = str(error)
        assert case["outcome"] != "opens", message
        assert [word for word in case.get("asks", ()) if word.casefold() not in message.casefold()] == []
        assert [word for word in case.get("never", ()) if word.casefold() in message.casefold()] == []
        assert sum(bool(OPTION.search(line)) for line in message.splitlines()) >= case.get("ways", 0)
        return
    assert case["outcome"] != "asks", p.about["assumed"]
    judge(p, case)
    assert [word for word in case.get("says", ()) if word.casefold() not in p.about["assumed"].casefold()] == []


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case["outcome"] == "asks"])
def test_each_reading_that_a_question_offers_opens(name):
    case = CASES[name]
    with pytest.raises(ValueError) as caught:
        cv.read_predictions(FILES / case["file"], **options_of(case))
    if not isinstance(caught.value, Question):
        return
    assert 1 <= len(caught.value.lines) <= 6
    for options, gives in caught.value.lines:
        assert gives.rpartition(" has ")[2] in read_as(FILES / case["file"], options).about["assumed"]


# Whatever else stands there, the reading stays the same or becomes a question

READ = [
    name
    for name, case in CASES.items()
    if case["outcome"] == "opens" and not case["options"] and Path(case["file"]).suffix in (".csv", ".jsonl")
]
N = 120
RNG = np.random.default_rng(5)
RENAMED = {
    "as they are": str,
    "capitals": str.upper,
    "titles": str.title,
    "blanks": lambda name: name.replace("_", " "),
}
MORE = {
    "constant": np.ones(N),
    "fold": ["a"] * N,
    "case": np.arange(N),
    "key": [f"k{i}" for i in range(N)],
    "coin": RNG.integers(0, 2, N),
    "smoker": np.where(RNG.integers(0, 2, N), "yes", "no"),
    "noise": np.round(RNG.random(N), 4),
    "ratio": np.round(RNG.random(N), 3),
    "percentile": np.round(100 * RNG.random(N), 1),
    "y_other": RNG.integers(0, 2, N),
    "target_2": RNG.integers(0, 2, N),
    "gold": RNG.choice(["cat", "dog", "owl"], N),
}


def table_of(name):
    """The table in a file."""
    path = FILES / name
    if path.suffix == ".jsonl":
        return pd.DataFrame([json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()])
    content = path.read_bytes()
    text = content.decode("utf-8" if not name.startswith("umlauts") else "latin-1")
    more = {"sep": ";", "decimal": ","} if ";" in text.splitlines()[0] else {"thousands": ","}
    return pd.read_csv(io.StringIO(text), **more)


@pytest.mark.parametrize("name", READ)
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_the_reading_stays_the_same_or_becomes_a_question(name, data):
    case, table = CASES[name], table_of(CASES[name]["file"])
    for more in data.draw(st.lists(st.sampled_from(sorted(MORE)), unique=True, max_size=3)):
        table[more] = MORE[more][: len(table)]
    rows = np.random.default_rng(data.draw(st.integers(0, 99))).permutation(len(table))
    table = table.iloc[rows].reset_index(drop=True)[data.draw(st.permutations(list(table)))]
    renamed = data.draw(st.sampled_from([*RENAMED, "no names"]))
    table.columns = (
        [f"v{k}" for k in range(len(table.columns))] if renamed == "no names" else map(RENAMED[renamed], table.columns)
    )
    try:
        p = cv.read_predictions(table)
    except ValueError:
        return
    judge(p, case, numbers_alone=True)
