"""The pages of the command line: the Explorer with the embedded data, or with files, also one dropped there."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import ipywidgets
import traitlets

from ..data.predictions import Predictions
from ..explorer.app import Explorer
from ..explorer.view.pulse import Pulse
from ..explorer.view.swapped import SwappedView
from ..foundation import validation
from .demo_data import DEMO_NAMES, demo_data
from .opening import FileChooser

#: What an address says in place of the name of the embedded data.
OWN = "file"


def demo(link: str | None = None, command: str = "") -> ipywidgets.VBox:
    """The Explorer with the embedded data, and buttons that choose the data set.

    Parameters
    ----------
    link : str, optional
        The query of an address, "?data=tumours&lens=class+malignant&...", as the Explorer's link button writes it; by
        default the query of the page, which Voila passes on.
    command : str, optional
        The command that serves the page, which the page shows once the server has ended.
    """
    choices = _read_link(link)
    name = choices.pop("data", DEMO_NAMES[0])
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
            shown.ask(lambda predictions: shown.explore(Explorer(predictions), data=OWN))
            return
        predictions, calibration = demo_data(name)
        shown.explore(Explorer(predictions, calibration), data=name)

    def ask(_button: Any) -> None:
        if chooser.value is None:
            show(None)  # once more
        chooser.value = None

    chooser.observe(lambda change: show(change.new), "value")
    show(chooser.value)
    shown.follow(choices, name)
    return _page([chooser, _opener(ask, shown)], shown, command)


def explored(
    predictions: Predictions | Mapping[str, Predictions] | None = None, link: str | None = None, command: str = ""
) -> ipywidgets.VBox:
    """The Explorer with some predictions, or with those of models by name, and a button that opens another file.

    Without predictions there is a place for a file first. For `link` and `command` see `demo`.
    """
    shown, choices = _Shown(), _read_link(link)

    def go_on(predictions: Predictions | Mapping[str, Predictions]) -> None:
        shown.explore(Explorer(predictions))
        shown.follow(choices)
        choices.clear()  # which were meant for the first predictions

    if predictions is None:
        shown.ask(go_on)
    else:
        go_on(predictions)
    return _page([_opener(lambda _: shown.ask(go_on), shown)], shown, command)


class _Shown(SwappedView):
    """What a page shows: an Explorer, or a place for a file."""

    def explore(self, explorer: Explorer, **query: str) -> None:
        """Show an Explorer; the address of a page follows its choices, and begins with `query`."""
        if _is_page():
            explorer._own_page(**query)
        self.show(explorer)

    def ask(self, go_on: Callable[[Predictions], None]) -> None:
        """Show a place for a file."""
        # The server of a page removes its folder in the end, whatever becomes of this process.
        self.show(FileChooser(go_on, Path.cwd() if _is_page() else None))

    def follow(self, choices: Mapping[str, str], data: str = DEMO_NAMES[0]) -> None:
        """Let the Explorer that is shown, if one is, follow a link."""
        if isinstance(self.view, Explorer):
            _follow(self.view, choices, data)


def _opener(ask: Callable[[Any], None], shown: _Shown) -> ipywidgets.Button:
    """A button that asks for a file; it is hidden while the page does so."""
    button = ipywidgets.Button(description="open a file", tooltip="Explore a file of yours", layout={"width": "auto"})
    button.on_click(ask)

    shown.on_view(lambda view: button.layout.set_trait("display", "none" if isinstance(view, FileChooser) else None))
    return button


def _page(top: list[ipywidgets.Widget], shown: _Shown, command: str) -> ipywidgets.VBox:
    page = ipywidgets.VBox([ipywidgets.HBox(top), shown, pulse := Pulse()])
    page.add_class("calibviz-page")
    if command:
        pulse.name_command(command)
    return page


def _is_page() -> bool:
    """Whether Voila shows this: it passes the query of its page on."""
    return "QUERY_STRING" in os.environ


def _read_link(link: str | None) -> dict[str, str]:
    return dict(parse_qsl((os.environ.get("QUERY_STRING", "") if link is None else link).lstrip("?")))


def _follow(explorer: Explorer, given: Mapping[str, str], data: str = DEMO_NAMES[0]) -> None:
    chosen = {key: value for key, value in given.items() if key in explorer.state.CHOICES}
    try:
        validation.choice(data, "data", (*DEMO_NAMES, OWN))
        explorer.state.from_link("?" + urlencode(chosen) if chosen else "")
    except (ValueError, traitlets.TraitError) as error:
        explorer._say(f"The link cannot be followed: {error}")
