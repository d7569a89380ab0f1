"""Words of the page for the options of `read_predictions`, and for messages that name them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..data.columns.choices import NO_WEIGHT, NOBODY
from ..data.safeguards import BudgetError
from .failures import VALUE, option_pattern, sentence, with_options

AS_RECOGNISED = "as recognised"
NO_COLUMN_SAID = "no column"  # a choice of weights, and of clusters
#: What each option of `read_predictions` is called here, for the messages that name it.
CALLED = {
    "label": "labels",
    "prob": "probabilities",
    "logits": "these are logits",
    "positive": "positive class",
    "classes": "classes in order",
    "weight": "weights",
    "sep": "separator",
    "decimal": "decimal sign",
    "missing": "leave out rows without label or probability",
    "normalize": "rescale rows and per cents",
    "ignore": "labels to leave out",
    "fields": "fields",
    "cluster": "belongs together",
    "time": "time of follow-up",
    "event": "event or censored",
    "horizon": "horizon",
    "event_of": "value of the event",
    "censored": "value of the censored",
    "by": "censored alike within",
    "model": "model of each row",
    "sheet": "sheet",
}
#: What each of them means, below its control.
MEANS = {
    "label": "The column of the class that each row has in truth.",
    "prob": "The column of each class, or the only one. Classes in their names outrank the order of columns.",
    "logits": "Tick it where the columns above hold log-odds, or logits, rather than probabilities.",
    "positive": "The class whose probability a single column holds, or the column of the predicted classes.",
    "classes": "The order of the classes: that of columns without names, and that of grades.",
    "weight": "The column that says how much each row counts.",
    "sep": "The sign between two values of a line.",
    "decimal": "The sign before the fraction of a number.",
    "missing": "Such rows are not counted; how many is said.",
    "normalize": "Per cents are divided by 100, and rows of probabilities by their sums.",
    "ignore": "Labels that are no classes, with commas between them; their rows are not counted.",
    "fields": "The columns by which samples can be selected; none: all that have no other role.",
    "cluster": "The column of what a row belongs to, such as a patient of several rows; no column: all independent.",
    "time": "In place of labels: the column of when the event came, or follow-up ended.",
    "event": "The column of which of them it was: 0 censored, 1 the event, other numbers competing events.",
    "horizon": "By when the event counts, in the unit of the times.",
    "event_of": "What stands for the event, where it is not 1; all else but the censored competes.",
    "censored": "What stands for rows whose follow-up ended first, where it is not 0.",
    "by": "A column within each value of which the chance to be censored is estimated.",
    "model": "The column that names the model of each row, where several predict the same rows.",
    "sheet": "The sheet of the workbook that holds the table.",
}
#: How these are set; columns and signs are chosen from lists.
TICKS = ("logits", "missing", "normalize")
FILLED_IN = ("positive", "ignore", "horizon", "event_of", "censored", "sheet")
SEVERAL = ("prob", "fields")  # columns that are ticked
ONE_COLUMN = ("label", "weight", "cluster", "time", "event", "by", "model")
AT_HORIZON = ("horizon", "event_of", "censored", "by")  # which say nothing without a time and an event
#: Those of them that may be no column, and the value that says so.
NO_COLUMN_OF: dict[str, Any] = {"weight": NO_WEIGHT, "cluster": False}
OF_TEXTS, OF_WORKBOOKS = (".csv", ".tsv", ".txt", ".data", ".log", ""), (".xlsx", ".xls", ".xlsb", ".ods")
OPTION = option_pattern(CALLED)
#: Where a message says to pass an option, with one value or one of several.
DEMAND = re.compile(
    rf"\b(?:pass|use|choose by|say which by) (?P<name>{'|'.join(CALLED)})={VALUE}(?: or (?P=name)={VALUE})*"
)
OF_TWO_FILES = re.compile(r"(, and|;) truth=(FILE|'\.\.\.') [^;]*")
ANOTHER = re.compile(r"\b(label|prob|weight)='\.\.\.' names (another column|another|them)")
SEPARATORS = ((AS_RECOGNISED, ""), ("comma", ","), ("semicolon", ";"), ("tab", "\t"), ("bar", "|"), ("blank", " "))
DECIMALS = ((AS_RECOGNISED, ""), ("point", "."), ("comma", ","))
#: What the lists call the signs that messages name.
CALLED_SIGNS = {
    name: {repr(sign): word for word, sign in menu} for name, menu in (("sep", SEPARATORS), ("decimal", DECIMALS))
}


def refusal_of(error: Exception) -> str:
    """The message of an error in a line; what may overwhelm the machine is left to the command."""
    if isinstance(error, BudgetError):
        return error.with_limit(f"“calibviz explore FILE --limit {error.gigabytes}GB”")
    return sentence(error)


def said_here(message: str) -> str:
    """A message of `read_predictions`, with the controls of the page in place of its options."""
    message = ANOTHER.sub(lambda match: f"choose it below, under “{CALLED[match[1]]}”", message)
    message = OF_TWO_FILES.sub("; drop both files at once where another one holds them", message)
    message = DEMAND.sub(lambda match: _to_do(match["name"], OPTION.findall(match[0])), message)
    return with_options(message, CALLED, _as_control)


def way_here(given: Mapping[str, Any], gives: str) -> str:
    """Return how to set, in the page, the options that settle a question, and what that gives."""
    return f"{' and '.join(_set_to(name, value) for name, value in given.items() if name in CALLED)}: {gives}"


def _set_to(name: str, value: Any) -> str:
    """Return how to give an option a value in the page."""
    if name == "model" and isinstance(value, list):
        return f"show {', '.join(value)} side by side"
    if name in NO_COLUMN_OF and value == NO_COLUMN_OF[name]:
        return f"choose {_as_control(name, repr(value))}"
    if name == "censored" and value == NOBODY:
        return "take no row to be censored"
    shown = ", ".join(several(value))
    if name == "logits" and value is not True:
        return f"choose {shown} under “{CALLED['prob']}” and tick “{CALLED[name]}”"
    if name in TICKS:
        return f"tick “{CALLED[name]}”"
    if name == "classes":
        return f"put the “{CALLED[name]}” as {shown}"
    if name in FILLED_IN:
        return f"write {shown} into “{CALLED[name]}”"
    return f"choose {CALLED_SIGNS.get(name, {}).get(repr(value), shown)} under “{CALLED[name]}”"


def _to_do(name: str, options: list[tuple[str, str]]) -> str:
    """Return how to do in the page what a message asks for: to pass an option with one of some values."""
    given = [value.strip("[]") for _, value in options if value not in ("...", "[...]", "True")]
    values = " or ".join(CALLED_SIGNS.get(name, {}).get(value, value) for value in given)
    if name in TICKS:
        return f"tick “{CALLED[name]}”"
    if name in (*FILLED_IN, "classes"):
        return f"write {values} into “{CALLED[name]}”" if values else f"fill in “{CALLED[name]}”"
    return f"choose {values} under “{CALLED[name]}”" if values else f"choose them under “{CALLED[name]}”"


def _as_control(name: str, value: str) -> str:
    """An option of `read_predictions` as the control that sets it: `label='target'` is “labels” (target)."""
    if name in NO_COLUMN_OF and value == repr(NO_COLUMN_OF[name]):
        return f"“{NO_COLUMN_SAID}” under “{CALLED[name]}”"
    inner = CALLED_SIGNS.get(name, {}).get(value, value.strip("'[]").replace("'", ""))
    shown = "" if inner in ("...", "True", "drop") else f" ({inner})"
    return f"“{CALLED[name]}”{shown}"


def several(value: Any) -> list[str]:
    """The names in an option, which holds one, several or none."""
    if value is None or value is True or value is False:
        return []
    return list(map(str, value)) if isinstance(value, list | tuple) else [str(value)]
