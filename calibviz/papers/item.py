"""A figure or a table of a paper: the call that makes it, what the paper says, and what is computed here."""

from __future__ import annotations

import ast
import string
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..explorer.demo_data import DEMO_NAMES
from ..explorer.state.links import to_link
from ..foundation import written
from .pathologies import cancelling

Kind = Literal["figure", "table"]
State = Literal["same data", "same data in part", "other data"]

#: What each state means.
STATES: Mapping[str, str] = {
    "same data": "the data, or the simulated networks, of the paper",
    "same data in part": "of the paper's networks, those whose data come with calibviz",
    "other data": "the same figure of other data, since those of the paper cannot be shipped",
}

#: Data that no demonstration has, and that show an item live.
MADE = {"cancelling": cancelling}
#: How code about the network of several papers begins, whose logits come with calibviz.
NETWORK = """\
network = cv.load_dataset("resnet110")["ResNet-110"]
validation = cv.load_dataset("resnet110", part="calibration")["ResNet-110"]
"""


def live(**choices: Any) -> dict[str, Any]:
    """The choices of the Explorer that show the network of several papers whose logits come with calibviz."""
    return {"data": "resnet110", **choices}


def named(rows: Sequence[str], numbers: Sequence[float]) -> dict[str, float]:
    """The numbers that a paper prints in a column, by their rows."""
    return dict(zip(rows, numbers, strict=True))


@dataclass(frozen=True)
class Publication:
    """A paper: how texts cite it, and its title."""

    cited: str
    title: str

    def __str__(self) -> str:
        return f"{self.cited}, {self.title}"


PACKAGE = __name__.partition(".")[0]


class SentenceFormatter(string.Formatter):
    """A sentence whose numbers are written as everywhere: "{ks:percent}" as `foundation.written.percent` does it."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return str(getattr(written, format_spec)(value)) if format_spec else str(value)


@dataclass(frozen=True)
class Item:
    """A figure or a table of a paper."""

    paper: str
    kind: Kind
    number: int
    title: str
    state: State
    code: str  # its last line is the picture or the table
    says: str  # what the paper says
    finds: str  # what is computed here, with names of the code in braces, each after what writes it (SentenceFormatter)
    why: str = ""  # why the two differ; empty where they agree
    printed: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # by column and row, of cells of the table
    form: str = "{:.3f}"  # of a number of the table
    #: Of the Explorer that shows it live, `data` among them: a name of the demonstration, or of `MADE`.
    choices: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name in the paper, such as "figure 3"."""
        return f"{self.kind} {self.number}"

    @property
    def key(self) -> str:
        """Its name among all papers, which suits a file and an address."""
        return f"{self.paper}-{self.kind}-{self.number}"

    @property
    def live(self) -> str:
        """The call by which a notebook shows it."""
        return f'cv.papers.explore("{self.paper}", "{self.name}")'

    @property
    def link(self) -> str:
        """The query by which the page of `calibviz demo` shows it; empty where that page has no such data."""
        if self.choices["data"] not in DEMO_NAMES:
            return ""
        plain = {name: tuple(v.items()) if isinstance(v, Mapping) else v for name, v in self.choices.items()}
        return to_link(plain, {})


@dataclass(frozen=True)
class Made:
    """The picture or the table of an item, and what it shows in words."""

    item: Item
    result: Any
    finds: str

    @property
    def readings(self) -> dict[str, str]:
        """The paper's statement, what is computed here, and, where the two differ, why."""
        said = {"the paper": self.item.says, "here": self.finds, "why they differ": self.item.why}
        return {name: text for name, text in said.items() if text}


def made(item: Item, runs: dict[str, dict[str, Any]] | None = None) -> Made:
    """Run the code of an item; those that share their code and `runs` run it once."""
    runs = {} if runs is None else runs
    if item.code not in runs:
        runs[item.code] = _run(item.code)
    names = runs[item.code]
    result = names["result"]
    if item.kind == "table":
        result = joined(item.printed, result)
    return Made(item, result, SentenceFormatter().format(item.finds, **names))


def _run(code: str) -> dict[str, Any]:
    """The names that the code leaves, and the value of its last line as `result`."""
    *lines, last = ast.parse(code).body
    assert isinstance(last, ast.Expr), f"the last line of an item must be a value:\n{code}"
    names: dict[str, Any] = {"cv": sys.modules[PACKAGE], "np": np, "pd": pd}
    with warnings.catch_warnings():
        # A search for a temperature says that the error is less where all rows are alike, and stays away from there.
        warnings.filterwarnings("ignore", "the error is less still at T", RuntimeWarning)
        exec(compile(ast.Module(lines, []), "<item>", "exec"), names)
        names["result"] = eval(compile(ast.Expression(last.value), "<item>", "eval"), names)
    return names


def joined(printed: Mapping[str, Mapping[str, float]], found: pd.DataFrame) -> pd.DataFrame:
    """The numbers of the paper beside those computed here, column by column."""
    if not printed:
        return found
    paper = pd.DataFrame(printed).reindex(found.index)
    columns = {}
    for name in found.columns:
        if name in paper:
            columns[(name, "paper") if len(found.columns) > 1 else "paper"] = paper[name]
            columns[(name, "here") if len(found.columns) > 1 else "here"] = found[name]
        else:
            columns[name if len(found.columns) == 1 else (name, "here")] = found[name]
    return pd.DataFrame(columns, found.index)
