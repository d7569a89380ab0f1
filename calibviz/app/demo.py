"""The pages of the command line: the Explorer with the embedded data, or with files, also one dropped there."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import ipywidgets
import traitlets

from ..answers.asked.presets import CATEGORIES
from ..answers.asked.spec import MOST_OVERLAYS, overlay_choices
from ..data.predictions import Predictions
from ..explorer.app import Explorer
from ..explorer.demo_data import DEMO_NAMES, demo_data
from ..explorer.view.page.pulse import Pulse
from ..explorer.view.page.swapped import SwappedView
from ..foundation import validation
from .opening import SHOWN, FileChooser, Opened

#: What an address says in place of the name of the embedded data.
OWN = "file"
#: What a data set opens with beside the choices of every Explorer.
CHOICES_OF: Mapping[str, Mapping[str, Any]] = {"heart": {"likert": CATEGORIES, "threshold": 0.2}}
LONGEST_NAME = 100  # signs of the name of a file from an address that are shown


def demo(link: str | None = None, command: str = "") -> ipywidgets.VBox:
    """The Explorer with the embedded data, and buttons that choose the data set.

    A link is the query of an address, "?data=tumours&lens=class+malignant&...", as the Explorer's link button writes
    it, by default that of the page, which Voila passes on. The page shows the command that serves it once the server
    has ended.
    """
    given = _Link.read(link)
    name = given.data
    chooser = ipywidgets.ToggleButtons(
        options=DEMO_NAMES,
        value=None if name == OWN else name if name in DEMO_NAMES else DEMO_NAMES[0],
        description="data",
        tooltip="Which data to explore",
    )
    chooser.add_class("calibviz-data")
    shown = _Shown()

    def show(name: str | None) -> None:
        if name is None:
            shown.ask(lambda predictions: shown.explore_file(predictions, given, data=OWN), given.note)
            return
        predictions, calibration = demo_data(name)
        shown.explore(Explorer(predictions, calibration, **CHOICES_OF.get(name, {})), data=name)

    def ask(_button: Any) -> None:
        if chooser.value is None:
            show(None)  # once more
        chooser.value = None

    chooser.observe(lambda change: show(change.new), "value")
    show(chooser.value)
    if chooser.value is not None:
        shown.follow(given)
    return _page([_opener(ask, shown, "primary"), chooser], shown, command)  # what data of others are there for


def explored(
    predictions: Opened | None = None,
    link: str | None = None,
    command: str = "",
    asked: tuple[str, Mapping[str, Any]] | None = None,
    elsewhere: str = "",
) -> ipywidgets.VBox:
    """The Explorer with some predictions, or with those of models by name, and a button that opens another file.

    Without predictions there is a place for a file first, as where the link is about another file that was opened in
    the page. A file that is `asked` about stands there, with the options of `read_predictions` that were given, and its
    question. For `link` and `command` see `demo`; `elsewhere` is the command that opens the same files on another
    machine, which links hold.
    """
    shown, given = _Shown(), _Link.read(link)
    given.data = OWN  # whatever a link says: there is no embedded data here

    def ask(_button: Any = None) -> None:
        shown.ask(lambda predictions: shown.explore_file(predictions, given), given.note)

    if asked is not None:
        ask()
        assert isinstance(shown.view, FileChooser)
        file, options = asked
        shown.view.ask_about(Path(file), **options)
    elif predictions is None or given.file not in (None, _title(predictions)):
        ask()
    else:
        shown.explore(_explorer_of(predictions), elsewhere, **(_query_of_file(predictions) if elsewhere else {}))
        shown.follow(given)
    return _page([_opener(ask, shown)], shown, command)


@dataclass
class _Link:
    """The choices in the address of a page; they are followed once."""

    data: str  # the name of the embedded data, or `OWN`
    file: str | None  # the name of one that was opened in the page, which is compared and shown, never looked for
    choices: dict[str, str]  # those of the Explorer, and whatever else stands there

    @classmethod
    def read(cls, link: str | None) -> _Link:
        """The link in a query, by default that of the page."""
        query = os.environ.get("QUERY_STRING", "") if link is None else link
        choices = dict(parse_qsl(query.lstrip("?")))
        return cls(choices.pop("data", DEMO_NAMES[0]), choices.pop("file", None), choices)

    @property
    def note(self) -> str:
        """Why a page that is loaded again, or elsewhere, asks for a file; empty where it does not."""
        if self.file is None:
            return ""
        called = "".join(sign if sign.isprintable() else "�" for sign in self.file[:LONGEST_NAME])
        return (
            f"Open “{called}”, and say how to read it as before: this link holds only the choices of the Explorer, "
            "which come back then."
        )

    def take(self, file: str | None) -> dict[str, str]:
        """The choices, if the link is about a file of this name, or about none; they are gone then."""
        choices, fits = self.choices, self.file in (None, file)
        self.file, self.choices = None, {}
        return choices if fits else {}


class _Shown(SwappedView):
    """The content of a page: an Explorer, or a place for a file."""

    def explore(self, explorer: Explorer, elsewhere: str = "", **query: str) -> None:
        """Show an Explorer; the address of a page follows its choices, and begins with `query`."""
        if _is_page():
            explorer._own_page(elsewhere, **query)
        self.show(explorer)

    def explore_file(self, predictions: Opened, link: _Link, **query: str) -> None:
        """Show the predictions in a file that somebody opened in the page, as a link to that file asks."""
        elsewhere = self.view.command if isinstance(self.view, FileChooser) else ""
        self.explore(_explorer_of(predictions), elsewhere, **query, **_query_of_file(predictions))
        self.follow(link, _title(predictions))

    def ask(self, go_on: Callable[[Opened], None], note: str = "") -> None:
        """Show a place for a file."""
        # The server of a page removes its folder in the end, whatever becomes of this process.
        self.show(FileChooser(go_on, Path.cwd() if _is_page() else None, note))

    def follow(self, link: _Link, file: str | None = None) -> None:
        """Let the Explorer that is shown follow a link, unless that is about another file."""
        assert isinstance(self.view, Explorer)
        _follow(self.view, link.take(file or link.file), link.data)


def _title(predictions: Opened) -> str | None:
    """The name of the file that predictions come from."""
    return predictions.about.get("title") if isinstance(predictions, Predictions) else None


def _query_of_file(predictions: Opened) -> dict[str, str]:
    """The part of an address that names the file that predictions come from."""
    title = _title(predictions)
    return {} if title is None else {"file": title}


def _named(predictions: Opened) -> Opened:
    """Predictions of one model, which a file does not name, under the name of the file without its ending."""
    title = _title(predictions)
    stem = "" if title is None else Path(title.removesuffix(".gz")).stem.strip()
    return {stem: predictions} if isinstance(predictions, Predictions) and stem.isprintable() and stem else predictions


def _explorer_of(predictions: Opened) -> Explorer:
    """The Explorer of what files hold; several models are drawn over each other from the beginning."""
    named = _named(predictions)
    others = list(named)[1 : 1 + MOST_OVERLAYS] if isinstance(named, Mapping) else []
    return Explorer(named, overlays=tuple(overlay_choices(others, ())))


def _opener(ask: Callable[[Any], None], shown: _Shown, style: str = "") -> ipywidgets.Button:
    """A button that asks for a file; it is hidden while the page does so."""
    button = ipywidgets.Button(
        description="open a file",
        tooltip="Explore a file of yours",
        button_style=style,
        layout={"width": "auto", "flex": "none"},
    )
    button.add_class("calibviz-opener")
    button.on_click(ask)

    shown.on_view(lambda view: button.layout.set_trait("display", "none" if isinstance(view, FileChooser) else SHOWN))
    return button


def _page(top: list[ipywidgets.Widget], shown: _Shown, command: str) -> ipywidgets.VBox:
    page = ipywidgets.VBox(
        [ipywidgets.HBox(top, layout={"flex_flow": "row wrap", "align_items": "flex-end"}), shown, pulse := Pulse()]
    )
    page.add_class("calibviz-page")
    if command:
        pulse.name_command(command)
    return page


def _is_page() -> bool:
    """Whether Voila shows this: it passes the query of its page on."""
    return "QUERY_STRING" in os.environ


def _follow(explorer: Explorer, given: Mapping[str, str], data: str = DEMO_NAMES[0]) -> None:
    chosen = {key: value for key, value in given.items() if key in explorer.state.CHOICES}
    try:
        validation.choice(data, "data", (*DEMO_NAMES, OWN))
        if chosen:  # else it stays as it was made
            explorer.state.from_link("?" + urlencode(chosen))
    except (ValueError, traitlets.TraitError) as error:
        explorer._note(f"The link cannot be followed: {error}")
