"""A file of one's own in the page: choose or drop it, see what was recognised in it, change that, go on."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets
from ipywidgets import HTML, Button, Checkbox, Dropdown, Text

from ..answers.looks import refuse_other_samples
from ..data.columns.choices import NO_WEIGHT, Account, Question, ReadingOptions
from ..data.predictions import Predictions
from ..data.readers import ENDINGS, Preview, preview, read_file, read_models
from ..explorer.view.controls.checklist import Checklist
from ..explorer.view.page.file_drop import LARGEST_FILE, FileDrop
from ..explorer.view.panels.table import TableView
from ..explorer.view.theme import page_style
from ..figures.tables import Cell, Column, Table
from ..foundation.sources import Source
from ..foundation.written import counted
from .failures import VALUE, option_pattern, sentence, with_options, without_python

log = logging.getLogger(__name__)

HINT = (
    f"predictions and labels in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}, texts also packed as .gz, up to "
    f"{LARGEST_FILE / 1e6:.0f} MB. "
    "The file stays on the machine on which calibviz runs."
)
MOST_COLUMNS = 12  # of a preview; those with a role come first
AS_RECOGNISED = "as recognised"
NO_COLUMN, NO_COLUMN_SAID = (), "no column"  # a choice of weights, where "" stands for what is recognised
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
}
#: How these are set; columns and signs are chosen from lists.
TICKS, FILLED_IN = ("logits", "missing", "normalize"), ("positive", "classes", "ignore")
SEVERAL = ("prob", "fields")  # columns that are ticked
OPTION = option_pattern(CALLED)
#: What only the command is asked for, since it may overwhelm the machine.
OF_COMMAND = re.compile(
    r"limit='(\d+) (GB)' allows more(, and cv\.open_predictions reads \.zarr and \.parquet in parts)?"
)
#: Where a message says to pass an option, with one value or one of several.
DEMAND = re.compile(
    rf"\b(?:pass|use|choose by|say which by) (?P<name>{'|'.join(CALLED)})={VALUE}(?: or (?P=name)={VALUE})*"
)
ANOTHER = re.compile(r"\b(label|prob|weight)='\.\.\.' names (another column|another|them)")
SEPARATORS = ((AS_RECOGNISED, ""), ("comma", ","), ("semicolon", ";"), ("tab", "\t"), ("bar", "|"), ("blank", " "))
DECIMALS = ((AS_RECOGNISED, ""), ("point", "."), ("comma", ","))
#: What the lists call the signs that messages name.
CALLED_SIGNS = {
    name: {repr(sign): word for word, sign in menu} for name, menu in (("sep", SEPARATORS), ("decimal", DECIMALS))
}


Opened = Predictions | Mapping[str, Predictions]


class FileChooser(ipywidgets.VBox):
    """Opens a file in the page; calls back with its predictions once the user has seen what was recognised.

    Parameters
    ----------
    go_on : callable
        Called with the predictions when the user presses "explore", or with those of all models of a file, by their
        names, when the question of the file is answered so; a `ValueError` is shown as a sentence.
    folder : Path, optional
        Where the file is kept meanwhile; by default the folder of the system.
    note : str
        What to say before a file is there.
    """

    def __init__(self, go_on: Callable[[Opened], None], folder: Path | None = None, note: str = "") -> None:
        self._go_on = go_on
        self._file: Path | None = None
        self._predictions: Predictions | None = None
        self._is_setting = False  # whether controls change that nobody has touched
        self._seen = Preview()
        self.drop = FileDrop(folder, hint=HINT, accept=",".join([*ENDINGS, ".gz"]))
        self.said = HTML()
        self.ways = ipywidgets.VBox()
        self.ways.add_class("calibviz-opening-ways")
        self.table = TableView()
        self.explore = Button(description="explore", button_style="primary", tooltip="Explore these predictions")
        self.label, self.weight = _column_of("label"), _column_of("weight")
        self.prob = Checklist(description=CALLED["prob"], tooltip="None: as recognised")
        self.logits = Checkbox(description=CALLED["logits"], indent=False)
        self.positive = _text("positive", "such as yes")
        self.classes = _text("classes", "such as a, b, c")
        self.sep = Dropdown(description=CALLED["sep"], options=SEPARATORS)
        self.decimal = Dropdown(description=CALLED["decimal"], options=DECIMALS)
        self.missing = Checkbox(description=CALLED["missing"], indent=False)
        self.normalize = Checkbox(description=CALLED["normalize"], indent=False)
        self.ignore = _text("ignore", "such as unknown, void")
        self.fields = Checklist(description=CALLED["fields"], tooltip="None: as recognised")
        self.controls = {name: getattr(self, name) for name in CALLED}
        self.choices = ipywidgets.Box(list(self.controls.values()))
        self.choices.add_class("calibviz-opening-choices")
        self._below = ipywidgets.VBox([self.table, self.explore, self.choices], layout={"display": "none"})
        heading = HTML(f"<style>\n{page_style(__file__)}</style><h2>Open a file of predictions</h2>")
        super().__init__([heading, self.drop, self.said, self.ways, self._below])
        self.add_class("calibviz-opening")
        if note:
            self._say(note)
        self.drop.on_file(self._take)
        self.drop.on_failure(self._lose)
        self.explore.on_click(lambda _: self._leave())
        for control in self.controls.values():
            control.observe(lambda _: self._read(), "value")

    def ask_about(self, file: Path, **options: Any) -> None:
        """Read a file of this machine as the options of `read_predictions` ask, and show its question."""
        self._file = file
        self._settle(options)

    def _take(self, file: Path) -> None:
        """Read another file; what was chosen for the one before stays where it still holds, as once it is corrected."""
        self._file = file
        if not self._holds_for(file):
            self._set({})
        self._read()

    def _set(self, options: Mapping[str, Any]) -> None:
        """Let the controls show options of `read_predictions`, and those that are not among them nothing."""
        columns = [options.get(name) for name in ("label", "prob", "logits", "weight", "fields")]
        several = [name for named in columns if named for name in ([named] if isinstance(named, str) else named)]
        self._offer(tuple(dict.fromkeys([*self._seen.columns, *several])))
        self._is_setting = True
        for name, control in self.controls.items():
            control.value = _shown_as(name, options)
        self._is_setting = False

    def _settle(self, options: Mapping[str, Any]) -> None:
        """Read the file as some options ask, which the controls show, such as those that settle its question."""
        self._set(options)
        self._read()

    def _holds_for(self, file: Path) -> bool:
        """Whether a file has the columns that were chosen, or, where none was, those of the file before."""
        chosen = {self.label.value, self.weight.value, *self.prob.value, *self.fields.value} - {"", NO_COLUMN}
        try:
            columns = preview(
                file, ReadingOptions(sep=self.sep.value or None, decimal=self.decimal.value or None)
            ).columns
        except (ImportError, OSError, TypeError, ValueError):  # which reading says
            return False
        return chosen <= set(columns) if chosen else columns == self._seen.columns

    def _lose(self, text: str) -> None:
        """Say why there is no file; the one before is gone, too."""
        self._file = self._predictions = None
        self._below.layout.display = "none"
        self._refuse(text)

    def _read(self) -> None:
        """Read the file as the choices ask, and show what was recognised, or why that fails."""
        if self._file is None or self._is_setting:
            return
        self._predictions = None
        self.explore.disabled = True
        self.ways.children = ()
        self._say(f"Reading {self._file.name!r} …")
        account = Account()
        try:
            options = ReadingOptions.checked(**self._asked())
            self._seen = Preview()
            with suppress(ImportError, ValueError):  # reading says the same, and more
                self._seen = preview(self._file, options)
            predictions = read_file(self._file, options, self._file.name, shown=self._file.name, account=account)
            self._predictions = predictions._made_by(Source("cv.read_predictions")(self._file.name, **options.given))
        except Question as question:
            here = [(given, gives) for given, gives in question.lines if given.keys() <= {*CALLED, "model"}]
            elsewhere = [line for line in question.lines if line not in here]
            self._refuse("\n".join([_said_here(question.said), *map(_way_here, elsewhere)]))
            self.ways.children = [self._way(given, gives) for given, gives in here]
        except (ImportError, OSError, TypeError, ValueError) as error:
            self._refuse(_said_here(sentence(error)))
        except Exception as error:
            log.exception("cannot read %r", self._file.name)
            self._refuse(f"{self._file.name!r} cannot be read ({type(error).__name__}): the terminal says more.")
        else:
            self._say(_summary(predictions), _said_here(predictions.about.get("assumed", "")))
            self.explore.disabled = False
        self._offer(self._seen.columns)
        self.table.show(_table(self._seen, account))
        self._below.layout.display = None  # until now there was no file to say anything about

    def _way(self, given: Mapping[str, Any], gives: str) -> Button:
        """A button that reads the file in one of the ways that settle its question."""
        button = Button(description=f"{_in_words(given)}: {gives}", tooltip=_way_here((dict(given), gives)))
        button.on_click(lambda _: self._explore_models(given) if "model" in given else self._settle(given))
        return button

    def _explore_models(self, given: Mapping[str, Any]) -> None:
        """Go on with all models that the file holds."""
        file = self._file
        assert file is not None

        def read() -> dict[str, Predictions]:
            models = read_models(file, **given)
            refuse_other_samples(models, None)
            call = Source("cv.read_models")(file.name, **given)
            return {name: predictions._made_by(call[name]) for name, predictions in models.items()}

        self._leave_with(read, file.name)

    def _asked(self) -> dict[str, Any]:
        """The options of `read_predictions` that the controls show."""
        chosen = self.prob.value or None
        if chosen is None and self.logits.value:
            raise ValueError(f"“{CALLED['logits']}” is about columns: choose them under “{CALLED['prob']}” first")
        columns = chosen[0] if chosen is not None and len(chosen) == 1 else chosen
        return {
            "label": self.label.value or None,
            "prob": None if self.logits.value else columns,
            "logits": columns if self.logits.value else None,
            "positive": self.positive.value.strip() or None,
            "classes": _filled_in(self.classes),
            "weight": NO_WEIGHT if self.weight.value == NO_COLUMN else self.weight.value or None,
            "sep": self.sep.value or None,
            "decimal": self.decimal.value or None,
            "missing": "drop" if self.missing.value else "raise",
            "normalize": self.normalize.value,
            "ignore": _filled_in(self.ignore),
            "fields": list(self.fields.value) or None,
        }

    def _offer(self, columns: tuple[str, ...]) -> None:
        """Let columns be chosen; a choice that is still there stays."""
        was_setting, self._is_setting = self._is_setting, True
        for control in (self.label, self.weight):
            kept = control.value
            control.options = (*_not_columns(control.description), *((name, name) for name in columns))
            control.value = kept if kept in columns or kept == NO_COLUMN else ""
        self.prob.options = self.fields.options = columns
        self._is_setting = was_setting

    def _say(self, text: str, more: str = "") -> None:
        below = f"<small>{escape(more)}</small>" if more else ""
        self.said.value = f'<div class="said" role="status">{escape(text)}{below}</div>'

    def _refuse(self, text: str) -> None:
        self.explore.disabled = True
        self.said.value = f'<div class="said refused" role="alert">{escape(text)}</div>'

    def _leave(self) -> None:
        """Go on with the predictions."""
        predictions = self._predictions
        if predictions is not None:
            self._leave_with(lambda: predictions, predictions.about["title"])

    def _leave_with(self, read: Callable[[], Opened], title: str) -> None:
        """Go on with what is read of a file."""
        self._say(f"Opening {title!r} …")
        self.explore.disabled = True
        try:
            self._go_on(read())
        except (TypeError, ValueError) as error:
            self._refuse(f"These predictions cannot be explored: {_said_here(sentence(error))}")
        except Exception as error:
            log.exception("cannot explore %r", title)
            self._refuse(f"These predictions cannot be explored ({type(error).__name__}): the terminal says more.")


def _column_of(name: str) -> Dropdown:
    return Dropdown(description=CALLED[name], options=_not_columns(CALLED[name]))


def _not_columns(description: str) -> tuple[tuple[str, Any], ...]:
    """Return what a list of columns offers besides them."""
    return (AS_RECOGNISED, ""), *([(NO_COLUMN_SAID, NO_COLUMN)] if description == CALLED["weight"] else [])


def _text(name: str, placeholder: str) -> Text:
    return Text(description=CALLED[name], placeholder=placeholder, continuous_update=False)


def _filled_in(control: Text) -> list[str] | None:
    """Return the entries of a control, which are separated by commas."""
    return [name.strip() for name in control.value.split(",")] if control.value.strip() else None


def _said_here(message: str) -> str:
    """A message of `read_predictions`, with the controls of the page in place of its options."""
    message = OF_COMMAND.sub(lambda match: f"“calibviz explore FILE --limit {match[1]}{match[2]}” allows more", message)
    message = ANOTHER.sub(lambda match: f"choose it below, under “{CALLED[match[1]]}”", message)
    message = message.replace(", and truth=FILE another", "; “calibviz explore FILE --truth OTHER” takes another")
    message = DEMAND.sub(lambda match: _to_do(match["name"], OPTION.findall(match[0])), message)
    return with_options(without_python(message), CALLED, _as_control)


def _shown_as(name: str, options: Mapping[str, Any]) -> Any:
    """The value of the control of an option, where some options are given."""
    value = options.get(name)
    if name in TICKS:
        return value not in (None, False, "raise")
    if name in SEVERAL:
        value = value or options.get("logits") if name == "prob" else value
        return () if not value else (value,) if isinstance(value, str) else tuple(value)
    if name in FILLED_IN:
        return "" if value is None else ", ".join(_several(value))
    return NO_COLUMN if name == "weight" and value == NO_WEIGHT else value or ""


def _in_words(given: Mapping[str, Any]) -> str:
    """The options that settle a question, by the names that they have in the page."""
    return ", ".join(
        CALLED[name] if value in (True, "drop") else f"{CALLED.get(name, 'models')} {', '.join(_several(value))}"
        for name, value in given.items()
    )


def _several(value: Any) -> list[str]:
    return list(map(str, value)) if isinstance(value, list) else [str(value)]


def _way_here(line: tuple[dict[str, Any], str]) -> str:
    """Return how to set, in the page, the options that settle a question, and what that gives."""
    given, gives = line
    return f"{' and '.join(_set_to(name, value) for name, value in given.items())}: {gives}"


def _set_to(name: str, value: Any) -> str:
    """Return how to give an option a value in the page, or in the command where the page has no control for it."""
    if name == "model":
        return f"show {', '.join(value)} side by side" if isinstance(value, list) else f"show each model of {value}"
    if name not in CALLED:
        return f"start “calibviz explore FILE --{name} {value}”"
    if value == NO_WEIGHT and name == "weight":
        return f"choose {_as_control(name, repr(value))}"
    shown = ", ".join(_several(value))
    if name == "logits" and value is not True:
        return f"choose {shown} under “{CALLED['prob']}” and tick “{CALLED[name]}”"
    if name in TICKS:
        return f"tick “{CALLED[name]}”"
    if name in FILLED_IN:
        return f"write {shown} into “{CALLED[name]}”"
    return f"choose {CALLED_SIGNS.get(name, {}).get(repr(value), shown)} under “{CALLED[name]}”"


def _to_do(name: str, options: list[tuple[str, str]]) -> str:
    """Return how to do in the page what a message asks for: to pass an option with one of some values."""
    given = [value.strip("[]") for _, value in options if value not in ("...", "[...]", "True")]
    values = " or ".join(CALLED_SIGNS.get(name, {}).get(value, value) for value in given)
    if name in TICKS:
        return f"tick “{CALLED[name]}”"
    if name in FILLED_IN:
        return f"write {values} into “{CALLED[name]}”" if values else f"fill in “{CALLED[name]}”"
    return f"choose {values} under “{CALLED[name]}”" if values else f"choose them under “{CALLED[name]}”"


def _as_control(name: str, value: str) -> str:
    """An option of `read_predictions` as the control that sets it: `label='target'` is “labels” (target)."""
    if (name, value) == ("weight", repr(NO_WEIGHT)):
        return f"“{NO_COLUMN_SAID}” under “{CALLED[name]}”"
    inner = CALLED_SIGNS.get(name, {}).get(value, value.strip("'[]").replace("'", ""))
    shown = "" if inner in ("...", "True", "drop") else f" ({inner})"
    return f"“{CALLED[name]}”{shown}"


def _summary(predictions: Predictions) -> str:
    """Return a line about the predictions that were read."""
    names = ", ".join(map(str, predictions.class_names[:6])) + (", …" if predictions.n_classes > 6 else "")
    fields = ", ".join(list(predictions.fields)[:6]) + (", …" if len(predictions.fields) > 6 else "")
    has = f"; fields: {fields}" if predictions.fields else "; no fields"
    size = f"{counted(predictions.n_samples)}, {predictions.n_classes:,} classes"
    return f"{predictions.about['title']}: {size} ({names}){has}"


def _table(seen: Preview, account: Account) -> Table:
    """The first rows, with what each column was taken for; those with a role come first."""
    order = sorted(range(len(seen.columns)), key=lambda i: seen.columns[i] not in account.roles)
    shown = order[:MOST_COLUMNS]
    rows = [tuple(row[i] for i in shown) for row in seen.rows] if seen.columns else list(seen.rows)
    names = list(seen.places)
    columns = [seen.columns[i] for i in shown]
    if account.roles:
        kinds = dict.fromkeys(account.left, "not used") | account.roles
        names, rows = ["taken for", *names], [tuple(kinds.get(name, "field") for name in columns), *rows]
    elif not columns and rows:
        columns = ["as it stands in the file"]
    left = len(seen.columns) - len(shown)
    return Table(
        name="preview",
        title="What the file begins with" if rows else "",
        columns=tuple(map(Column, ["", *columns])),
        rows=tuple((Cell(name), *map(Cell, row)) for name, row in zip(names, rows, strict=True)),
        alt="The first rows of the file, and what each column was taken for",
        note=f"{left:,} more without a role are not shown." if left else "",
    )
