"""A file of one's own in the page: choose or drop it, see what was recognised in it, or choose what is meant, go on."""

from __future__ import annotations

import logging
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets
from ipywidgets import HTML, Button, Checkbox, Combobox, Dropdown

from ..answers.report_situations import refuse_other_samples
from ..data.columns.choices import NOBODY, OF_HORIZON, Account, Question, Reading, ReadingOptions
from ..data.columns.line import NOT_USED, order_in_words, roles_in_words
from ..data.nouns import count_of_clusters, counted_in, nouns_of_clusters
from ..data.predictions import Predictions
from ..data.readers import ENDINGS, Preview, models_in, preview, read_file
from ..explorer.transport.transport import Following
from ..explorer.view.controls.checklist import Checklist
from ..explorer.view.controls.ordering import Ordering
from ..explorer.view.elements import page_style
from ..explorer.view.page.file_drop import LARGEST_FILE, FileDrop
from ..explorer.view.panels.table import TableView
from ..figures.records import Role
from ..figures.styles import STYLES, tone
from ..figures.svg.picture import swatch
from ..figures.svg.small import two_means
from ..figures.tables import Cell, Column, Table
from ..foundation.sources import Source
from ..foundation.written import counted, unbroken
from .failures import code_below, sentence
from .options import command_of, in_shell
from .page_words import (
    AS_RECOGNISED,
    AT_HORIZON,
    CALLED,
    DECIMALS,
    FILLED_IN,
    MEANS,
    NO_COLUMN_OF,
    NO_COLUMN_SAID,
    OF_TEXTS,
    OF_WORKBOOKS,
    ONE_COLUMN,
    SEPARATORS,
    SEVERAL,
    TICKS,
    refusal_of,
    said_here,
    several,
    way_here,
)

log = logging.getLogger(__name__)

HINT = (
    f"predictions and labels in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}, texts also packed as .gz, up to "
    f"{LARGEST_FILE / 1e6:.0f} MB. "
    "Labels that stand in a file of their own come with it: drop both at once. "
    "The files stay on the machine on which calibviz runs."
)
WHICH = "Choose what is meant, and it is explored:"
FORM = "How the file is read; what is changed here reads it anew"
KEYS: Mapping[Role, str] = {"before": "predicted on average", "observed": "observed"}  # of the dots beside readings
AS_COMMANDS = "The same as a command, the next time"
FORM_OF_FIRST = "The first of these in a form; what is changed here reads the file anew"
NO_COLUMN = ()  # a choice of weights and clusters, where "" stands for what is recognised
FIELD = "field"
#: What a column of the preview can be said to be, and the control that says so; none: as it is recognised.
ROLES: Mapping[str, str] = {
    "label: the outcome": "label", "probability": "prob", "weight": "weight", "belongs together": "cluster",
    "time of follow-up": "time", "event or censored": "event", "model": "model", AS_RECOGNISED: "",
}  # fmt: skip  # short entries stand in rows
ROLE, UNSAID = "What {!r} is taken for", "choose …"
SHOWN = ""  # as `display` of a layout; None, which a browser's Python sends as undefined, would change nothing there
HAS_FILE = "has-file"  # the class while there is one: the place for another is a line then
MOST_COLUMNS = 12  # of a preview; those with a role come first

Opened = Predictions | Mapping[str, Predictions]


class FileChooser(Following, ipywidgets.VBox):
    """Opens a file in the page; calls back with its predictions once the user has seen what was recognised.

    A file that has several readings, or whose only one is in doubt, is a question: each reading is a row below the
    preview that says what it means and opens it, and the form shows the first. None is judged before one is chosen.

    `go_on` is called with the predictions, or with those of several models by name, when the user presses "explore" or
    chooses a reading; a `ValueError` is shown as a sentence. The file is kept in a folder meanwhile, by default that of
    the system; a note stands there before it comes.
    """

    def __init__(self, go_on: Callable[[Opened], None], folder: Path | None = None, note: str = "") -> None:
        self._go_on = go_on
        self._file: Path | None = None
        self._predictions: Predictions | dict[str, Predictions] | None = None
        self._given: dict[str, Any] = {}  # options for which there is no control
        self._unanswered: dict[str, Any] | None = None  # what was chosen before a question filled the form
        self._order: tuple[str, ...] = ()  # of the columns of probabilities, where they are those that are ticked
        self._seen = Preview()
        self.drop = FileDrop(folder, hint=HINT, accept=",".join([*ENDINGS, ".gz"]))
        self.said, self.which, self.commands = HTML(), HTML(), HTML()
        self.ways = ipywidgets.VBox()
        self.ways.add_class("calibviz-opening-ways")
        self.means = ipywidgets.VBox()
        self.means.add_class("calibviz-opening-means")
        asked = ipywidgets.Box([self.ways, self.means])
        asked.add_class("calibviz-opening-asked")
        self.table = TableView()
        self._shown_columns: list[str] = []  # of the preview
        self.table.on("choose", self._give_role)
        self.explore = Button(description="explore", button_style="primary", tooltip="Explore these predictions")
        self.label, self.weight, self.cluster, self.time, self.event, self.by, self.model = (
            _control(Dropdown, name, options=_no_columns(name)) for name in ONE_COLUMN
        )
        self.prob, self.fields = (_control(Checklist, name) for name in SEVERAL)
        self.logits, self.missing, self.normalize = (_control(Checkbox, name, indent=False) for name in TICKS)
        self.positive, self.ignore, self.horizon, self.event_of, self.censored, self.sheet = (
            _control(Combobox, name, placeholder=AS_RECOGNISED, continuous_update=False) for name in FILLED_IN
        )
        self.classes = _control(Ordering, "classes")
        self.sep = _control(Dropdown, "sep", options=SEPARATORS)
        self.decimal = _control(Dropdown, "decimal", options=DECIMALS)
        self.controls = {name: getattr(self, name) for name in CALLED}
        self._meanings = {name: HTML(f"<small>{MEANS[name]}</small>") for name in self.controls}
        self._explained = {
            name: ipywidgets.VBox([control, self._meanings[name]]) for name, control in self.controls.items()
        }
        self.choices = ipywidgets.Box(list(self._explained.values()))
        self.choices.add_class("calibviz-opening-choices")
        self.form = HTML()
        self._preview = ipywidgets.VBox([self.table], layout={"display": "none"})
        self._below = ipywidgets.VBox(
            [self.explore, self.commands, self.form, self.choices], layout={"display": "none"}
        )
        heading = HTML(f"<style>\n{page_style(__file__)}</style><h2>Open a file of predictions</h2>")
        super().__init__([heading, self.drop, self.said, self._preview, self.which, asked, self._below])
        self.add_class("calibviz-opening")
        if note:
            self._say(note)
        self.drop.on_file(self._take)
        self.drop.on_failure(self._lose)
        self.explore.on_click(lambda _: self._leave())
        for control in self.controls.values():
            control.observe(lambda _: self._choose(), "value")

    @property
    def command(self) -> str:
        """The command that opens the same file elsewhere, read in the same way; empty where there is none."""
        return "" if self._file is None else command_of([self._file.name], self._asked_of())

    def ask_about(self, file: Path, **options: Any) -> None:
        """Read a file of this machine as the options of `read_predictions` ask, and show its question."""
        self._file = file
        self._settle(options)

    def _take(self, file: Path, other: Path | None = None) -> None:
        """Read another file; what was chosen for the one before stays where it still holds, as once it is corrected."""
        if self._unanswered is not None:
            self._set(self._unanswered)
        self.classes.names, self.positive.options, self.sheet.options = (), (), ()
        if other is not None:
            self._take_both(file, other)
            return
        self._file = file
        if self._given.pop("truth", None) is not None or not self._holds_for(file):
            self._set({})
        self._read()

    def _take_both(self, *files: Path) -> None:
        """Read two files, of which one holds the labels of the other; if both may, and that matters, it is asked.

        Two tables that are joined are the same in both orders: the one with the probabilities comes first.
        """
        read: dict[str, tuple[Path, dict[str, Any]]] = {}
        unread = []
        for file, truth in (files, files[::-1]):
            self._file, given, account = file, {"truth": str(truth)}, Account()
            try:
                line = _line_of(self._opened(ReadingOptions(truth=str(truth)), account))
                if line not in read or {*account.named("probability", "logit")} <= {*self._columns_of(file)}:
                    read[line] = file, given
            except (ImportError, OSError, TypeError, ValueError) as error:
                unread.append((isinstance(error, Question), file, given))
        if len(read) == 2:
            self._set({})
            self._clear()
            self._preview.layout.display = self._below.layout.display = "none"
            self._ask(f"either of {files[0].name!r} and {files[1].name!r} may hold the labels of the other")
            self.ways.children = [self._way(given, line, "", file) for line, (file, given) in read.items()]
            return
        self._file, given = next(iter(read.values())) if read else max(unread, key=lambda each: each[0])[1:]
        self._settle(given)

    def _set(self, options: Mapping[str, Any]) -> None:
        """Let the controls show options of `read_predictions`, and those that are not among them nothing."""
        self._given = {
            name: value
            for name, value in options.items()
            if name not in CALLED or (name, type(value)) == ("model", list) or (name, value) == ("censored", NOBODY)
        }  # several columns as models, and that nobody is censored, are chosen by a button
        self._unanswered = None
        self._order = tuple(several(options.get("prob") or options.get("logits")))
        columns = [name for named in (*ONE_COLUMN, *SEVERAL, "logits") for name in several(options.get(named))]
        self._offer(tuple(dict.fromkeys([*self._seen.columns, *(name for name in columns if name)])))
        with self._follows():
            for name, control in self.controls.items():
                control.value = _shown_as(name, {} if name in self._given else options)

    def _settle(self, options: Mapping[str, Any]) -> None:
        """Read the file as some options ask, which the controls show, such as those that settle its question."""
        self._set(options)
        self._read()

    def _choose(self) -> None:
        """Read the file as the controls say once somebody has touched one."""
        if not self._following:
            self._unanswered = None
            self._read()

    def _holds_for(self, file: Path) -> bool:
        """Whether a file has the columns that were chosen, or, where none was, those of the file before."""
        one = (self.controls[name].value for name in ONE_COLUMN)
        chosen = {*one, *self.prob.value, *self.fields.value} - {"", NO_COLUMN}
        columns = self._columns_of(file)
        return bool(columns) and (chosen <= set(columns) if chosen else columns == self._seen.columns)

    def _columns_of(self, file: Path) -> tuple[str, ...]:
        """The columns of a file, which may be any; none where it cannot be read, as reading says."""
        try:
            return preview(file, ReadingOptions(sep=self.sep.value or None, decimal=self.decimal.value or None)).columns
        except (ImportError, OSError, TypeError, ValueError):
            return ()

    def _lose(self, text: str) -> None:
        """Say why there is no file; the one before is gone, too."""
        self._file = self._predictions = None
        self._clear()
        self._preview.layout.display = self._below.layout.display = "none"
        self.remove_class(HAS_FILE)
        self._refuse(text)

    def _read(self) -> None:
        """Read the file as the choices ask, and show what was recognised, or why that fails."""
        if self._file is None or self._following:
            return
        self._clear()
        self.add_class(HAS_FILE)  # before readings are there: buttons that move are missed
        self._say(f"Reading {self._file.name!r} …")
        account, readings = Account(), []
        roles: dict[str, str] = {}
        try:
            options = ReadingOptions.checked(**self._asked())
            self._seen = Preview()
            with suppress(ImportError, ValueError):  # reading says the same, and more
                self._seen = preview(self._file, options)
            read = self._opened(options, account)
            first = next(iter(read.values())) if isinstance(read, dict) else read
            roles = roles_in_words(first, account)
            self._predictions = read
        except Question as question:
            readings = question.readings
            self._ask(self._in_page(question.said))
            lines = _led_by_truth([_with_order(each.line, each.order) for each in readings])
            self.ways.children = [
                self._way(each.options, line, each.gives) for each, line in zip(readings, lines, strict=True)
            ]
            self._draw_means([each.means for each in readings])
        except (ImportError, OSError, TypeError, ValueError) as error:
            self._refuse("\n".join([self._in_page(refusal_of(error)), *code_below(error)]))
        except Exception as error:
            log.exception("cannot read %r", self._file.name)
            self._refuse(f"{self._file.name!r} cannot be read ({type(error).__name__}): the terminal says more.")
        else:
            self._say(_summary(read), _with_order(self._in_page(_line_of(read)), order_in_words(first)))
            self.explore.disabled = False
            self._explain_clusters(_of_clusters(first))
            self.classes.names = self.positive.options = () if first.of_confidence else tuple(first.class_names)
        if readings:
            roles = _roles_of(readings)
        self._show(roles, readings)

    def _show(self, roles: Mapping[str, str], readings: Collection[Reading]) -> None:
        """Show the columns of the file, those with a role first, and the first of several readings in the form."""
        if readings:
            first, *_ = readings
            before = self._asked_of()
            names = [name for each in readings for name in (*each.class_names, *several(each.options.get("positive")))]
            self.classes.names, self.positive.options = first.class_names, tuple(dict.fromkeys(names))
            self.sheet.options = tuple(sheet for each in readings if (sheet := each.options.get("sheet")) is not None)
            self._set(first.options)
            self._unanswered = before
        first_shown = [name for name in roles if name in self._seen.columns] if readings else []
        self._offer(tuple(dict.fromkeys([*first_shown, *self._seen.columns])))
        self.prob.counts = tuple(_class_of(roles.get(name, "")) for name in self.prob.options)
        ending = "" if self._file is None else Path(self._file.name.lower().removesuffix(".gz")).suffix
        for name, endings in (("sep", OF_TEXTS), ("decimal", OF_TEXTS), ("sheet", OF_WORKBOOKS)):
            is_of_none = ending not in endings and self.controls[name].value == ""
            self._explained[name].layout.display = "none" if is_of_none else SHOWN
        has_follow_up = bool(self.time.value or self.event.value)
        for name in AT_HORIZON:
            self._explained[name].layout.display = SHOWN if has_follow_up or self.controls[name].value else "none"
        self._show_commands(
            [each.options for each in readings] or ([] if self._predictions is None else [self._asked_of()])
        )
        self.form.value = f"<p>{FORM_OF_FIRST if readings else FORM}</p>"
        self.explore.layout.display = "none" if readings else SHOWN  # what explores it stands above
        places = _places(self._seen, roles, bool(readings))
        self._shown_columns = [self._seen.columns[i] for i in places]
        self.table.show(_table(self._seen, roles, places))
        self._preview.layout.display = self._below.layout.display = SHOWN  # until now there was no file to speak of

    def _give_role(self, _row: int, column: int, role: str) -> None:
        """Let a column of the preview be what was chosen above its values, in the controls below."""
        name = self._shown_columns[column - 1]  # after the headings of rows
        is_prob, is_guess = ROLES[role] == "prob", self._unanswered is not None  # the form shows the first reading
        probs = () if is_prob and is_guess else tuple(each for each in self.prob.value if each != name)
        with self._follows():
            for control in ONE_COLUMN:
                if self.controls[control].value == name:
                    self.controls[control].value = ""
            self.fields.value = tuple(each for each in self.fields.value if each != name)
            self.prob.value = (*probs, name) if is_prob else probs
            if ROLES[role] in ONE_COLUMN:
                self.controls[ROLES[role]].value = name
        self._choose()

    def _show_commands(self, each: Collection[Mapping[str, Any]]) -> None:
        """Show the commands that explore the file as some options ask; none hides them."""
        name = "" if self._file is None else shlex.quote(self._file.name)
        given = [{k: Path(v).name if k == "truth" else v for k, v in options.items()} for options in each]
        typed = [" ".join(filter(None, ["calibviz explore", name, in_shell(options)])) for options in given]
        lines = "".join(f"<code>{escape(line)}</code>" for line in typed)
        self.commands.value = f"<details><summary>{AS_COMMANDS}</summary>{lines}</details>" if lines else ""

    def _opened(self, options: ReadingOptions, account: Account) -> Predictions | dict[str, Predictions]:
        """The predictions in the file, or those of each model in it; code calls files by their names."""
        assert self._file is not None
        file, name = self._file, self._file.name
        given = options.given | ({"truth": Path(options.truth).name} if isinstance(options.truth, str) else {})

        def read(options: ReadingOptions) -> Predictions:
            own = Account()
            predictions = read_file(file, options, name, shown=name, account=own)
            vars(account).update(vars(own))
            return predictions

        if options.model is None:
            return read(options)._made_by(Source("cv.read_predictions")(name, **given))
        made = Source("cv.read_models")(name, **given)
        models = models_in(read, options)
        refuse_other_samples(models, None)
        return {model: each._made_by(made[model]) for model, each in models.items()}

    def _way(self, given: Mapping[str, Any], line: str, gives: str, file: Path | None = None) -> ipywidgets.Button:
        """A button that explores the file in one of the ways that settle its question; it says what that means."""
        way = way_here(given, gives)
        said = unbroken(self._in_page(line) if line else way).replace(": ", ":\n", 1)  # what it is, above its numbers
        button = Button(description=said, tooltip=way if gives else "")

        def settle(_: Any) -> None:
            self._file = file or self._file
            self._settle(given)
            self._leave()

        button.on_click(settle)
        return button

    def _in_page(self, message: str) -> str:
        """A message of `read_predictions` in words of the page."""
        truth = self._given.get("truth")
        return said_here(message if not isinstance(truth, str) else message.replace(truth, Path(truth).name))

    def _asked_of(self) -> dict[str, Any]:
        """The options that the controls show, as they are given to `read_predictions`."""
        return ReadingOptions.checked(**self._asked()).given

    def _asked(self) -> dict[str, Any]:
        """The options of `read_predictions` that the controls show."""
        chosen = (self._order if {*self._order} == {*self.prob.value} else self.prob.value) or None
        if chosen is None and self.logits.value:
            raise ValueError(f"“{CALLED['logits']}” is about columns: choose them under “{CALLED['prob']}” first")
        columns = chosen[0] if chosen is not None and len(chosen) == 1 else chosen
        return {
            "label": self.label.value or None,
            "prob": None if self.logits.value else columns,
            "logits": columns if self.logits.value else None,
            "positive": self.positive.value.strip() or None,
            "classes": list(self.classes.value) or None,
            "weight": self._column_of("weight"),
            "sep": self.sep.value or None,
            "decimal": self.decimal.value or None,
            "missing": "drop" if self.missing.value else "raise",
            "normalize": self.normalize.value,
            "ignore": _filled_in(self.ignore),
            "fields": list(self.fields.value) or None,
            "cluster": self._column_of("cluster"),
            "model": self.model.value or None,
            **{name: self.controls[name].value.strip() or None for name in OF_HORIZON if name != "horizon"},
            "horizon": _number_in(self.horizon),
            "sheet": self.sheet.value.strip() or None,
        } | self._given

    def _column_of(self, name: str) -> Any:
        """The column that is chosen for an option which may have none; None where nothing is chosen."""
        value = self.controls[name].value
        return NO_COLUMN_OF[name] if value == NO_COLUMN else value or None

    def _offer(self, columns: tuple[str, ...]) -> None:
        """Let columns be chosen; a choice that is still there stays."""
        with self._follows():
            for which in ONE_COLUMN:
                control = self.controls[which]
                kept = control.value
                control.options = (*_no_columns(which), *((name, name) for name in columns))
                control.value = kept if kept in columns or kept == NO_COLUMN else ""
            self.prob.options = self.fields.options = columns

    def _say(self, text: str, more: str = "") -> None:
        below = f"<small>{escape(more)}</small>" if more else ""
        self.said.value = f'<div class="said" role="status">{escape(text)}{unbroken(below)}</div>'

    def _explain_clusters(self, text: str = "") -> None:
        """Show below the control of the clusters what they mean; nothing: what clusters are."""
        self._meanings["cluster"].value = f"<small>{escape(text or MEANS['cluster'])}</small>"

    def _clear(self) -> None:
        """Show no predictions and no question."""
        self._predictions = None
        self._explain_clusters()
        self.explore.disabled = True
        self.ways.children, self.means.children, self.which.value = (), (), ""

    def _ask(self, text: str) -> None:
        """Show a question in place of what was recognised."""
        self._refuse(text)
        self.which.value = f"<p>{WHICH}</p>"

    def _draw_means(self, each: Collection[tuple[float, float] | None]) -> None:
        """Show, beside each reading, what it gives on average, if that is known."""
        if any(each):
            keys = (
                f'<span style="color:{tone(STYLES[role].colour)}">{swatch(role, "dots")}</span> {name}'
                for role, name in KEYS.items()
            )
            self.which.value += f"<small>{', '.join(keys)}</small>"
            self.means.children = [HTML("" if means is None else two_means(*means)) for means in each]

    def _refuse(self, text: str) -> None:
        self.explore.disabled = True
        self.said.value = f'<div class="said refused" role="alert">{escape(text)}</div>'

    def _leave(self) -> None:
        """Go on with the predictions."""
        if self._predictions is None:
            return
        assert self._file is not None
        self._say(f"Opening {self._file.name!r} …")
        self.explore.disabled = True
        try:
            self._go_on(self._predictions)
        except (TypeError, ValueError) as error:
            self._refuse(f"These predictions cannot be explored: {said_here(sentence(error))}")
        except Exception as error:
            log.exception("cannot explore %r", self._file.name)
            self._refuse(f"These predictions cannot be explored ({type(error).__name__}): the terminal says more.")


def _control(kind: Callable[..., Any], name: str, **more: Any) -> Any:
    return kind(description=CALLED[name], tooltip=MEANS[name], **more)


def _no_columns(name: str) -> tuple[tuple[str, Any], ...]:
    """Return what a list of columns offers besides them."""
    return (AS_RECOGNISED, ""), *([(NO_COLUMN_SAID, NO_COLUMN)] if name in NO_COLUMN_OF else [])


def _filled_in(control: Combobox) -> list[str] | None:
    """Return the entries of a control, which are separated by commas."""
    return [name.strip() for name in control.value.split(",")] if control.value.strip() else None


def _number_in(control: Combobox) -> float | None:
    """Return the number in a control; None where it is empty."""
    try:
        return float(control.value) if control.value.strip() else None
    except ValueError:
        raise ValueError(f"“{control.description}” is {control.value!r}, no number") from None


def _shown_as(name: str, options: Mapping[str, Any]) -> Any:
    """The value of the control of an option, where some options are given."""
    value = options.get(name)
    if name in TICKS:
        return value not in (None, False, "raise")
    if name in (*SEVERAL, "classes"):
        return tuple(several(value or options.get("logits") if name == "prob" else value))
    if name in FILLED_IN:
        return "" if value is None else ", ".join(several(value))
    return NO_COLUMN if name in NO_COLUMN_OF and value == NO_COLUMN_OF[name] else value or ""


def _roles_of(readings: Collection[Reading]) -> dict[str, str]:
    """Return the roles of columns, by the likeliest of several readings; those that are asked about come first."""
    named = (*ONE_COLUMN, *SEVERAL, "logits")
    asked = [c for each in readings for name in named for c in several(each.options.get(name))]
    roles: dict[str, str] = dict.fromkeys(asked, "")
    for reading in readings:
        for name, role in reading.roles.items():
            is_free = roles.get(name, "") in ("", NOT_USED)
            roles[name] = (role if role == NOT_USED else f"{role}?") if is_free else roles[name]
    return {name: role or FIELD for name, role in roles.items()}


def _class_of(role: str) -> str:
    """The part of a role that names the class of a column of probabilities; empty where it does not."""
    return role if role.startswith(("P(", "logit of ")) else ""


def _with_order(line: str, order: str) -> str:
    """A line on what was taken for what, with what the higher numbers go with: so mixed up columns are seen."""
    return f"{line}; {order}" if line and order else line


def _led_by_truth(lines: Sequence[str]) -> Sequence[str]:
    """The lines of readings; those that all begin alike are led by the column of the truth, where that differs."""
    clauses = [line.split("; ") for line in lines]
    truths = [next((clause for clause in each if clause.startswith("truth from ")), "") for each in clauses]
    if len(lines) < 2 or len({line.partition(": ")[0] for line in lines}) > 1 or len({*truths, ""}) <= len(lines):
        return lines
    rest = (
        "; ".join(clause for clause in each if clause != truth) for each, truth in zip(clauses, truths, strict=True)
    )
    return [f"{truth[:1].upper()}{truth[1:]}: {clause}" for truth, clause in zip(truths, rest, strict=True)]


def _line_of(read: Predictions | dict[str, Predictions]) -> str:
    """The line that says what was taken for what; of several models, that of each."""
    if isinstance(read, Predictions):
        return read.about.get("assumed", "")
    return " | ".join(f"{name}: {_line_of(predictions)}" for name, predictions in read.items())


def _summary(read: Predictions | dict[str, Predictions]) -> str:
    """Return a line about the predictions that were read."""
    if not isinstance(read, Predictions):
        return f"{len(read):,} models; of {next(iter(read))}: {_summary(next(iter(read.values())))}"
    predictions = read
    names = ", ".join(map(str, predictions.class_names[:6])) + (", …" if predictions.n_classes > 6 else "")
    fields = ", ".join(list(predictions.fields)[:6]) + (", …" if len(predictions.fields) > 6 else "")
    has = f"; fields: {fields}" if predictions.fields else "; no fields"
    samples = counted_in(predictions.nouns, len(predictions), count_of_clusters(predictions))
    size = f"{samples}, {predictions.n_classes:,} classes"
    return f"{predictions.about['title']}: {size} ({names}){has}"


def _of_clusters(predictions: Predictions) -> str:
    """A sentence on rows that belong together, with their numbers; empty where none do."""
    if predictions.cluster_codes is None:
        return ""
    of = nouns_of_clusters(predictions)
    return (
        f"{counted(len(predictions), 'row')} of {of.counted(predictions.n_clusters)}: rows of one {of.one} may depend "
        f"on each other, and tests and intervals take only the {of.many} to be independent."
    )


def _places(seen: Preview, roles: Mapping[str, str], is_asked: bool) -> list[int]:
    """The places of the columns of the preview; those with a role come first."""
    rank = {name: i for i, name in enumerate(roles)} if is_asked else {}

    def order(i: int) -> tuple[bool, int]:
        name = seen.columns[i]
        return roles.get(name, NOT_USED) == NOT_USED, rank.get(name, 0)

    return sorted(range(len(seen.columns)), key=order)[:MOST_COLUMNS]


def _table(seen: Preview, roles: Mapping[str, str], places: list[int]) -> Table:
    """The first rows, below menus of what each column is taken for."""
    rows = [tuple(Cell(row[i]) for i in places) if seen.columns else tuple(map(Cell, row)) for row in seen.rows]
    names, columns = list(seen.places), [seen.columns[i] for i in places]
    if columns:
        of_roles = (
            Cell(roles.get(c, FIELD if roles else UNSAID), why=ROLE.format(c), choices=(*ROLES,)) for c in columns
        )
        names, rows = ["taken for", *names], [tuple(of_roles), *rows]
    elif rows:
        columns = ["as it stands in the file"]
    left = len(seen.columns) - len(places)
    return Table(
        name="preview",
        title="What the file begins with" if rows else "",
        columns=tuple(map(Column, ["", *columns])),
        rows=tuple((Cell(name), *row) for name, row in zip(names, rows, strict=True)),
        alt="The first rows of the file, and what each column was taken for",
        note=f"{left:,} more without a role are not shown." if left else "",
    )
