"""The pages of the command line: the Explorer with the embedded data, or with a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

import ipywidgets
import traitlets

from ..data.predictions import Predictions
from ..explorer.app import Explorer
from ..explorer.view.pulse import Pulse
from ..foundation import validation
from .demo_data import DEMO_NAMES, demo_data


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
        value=name if name in DEMO_NAMES else DEMO_NAMES[0],
        description="data",
        tooltip="Which data to explore",
    )
    chooser.add_class("calibviz-data")
    shown, is_page = ipywidgets.VBox(), _is_page()

    def show(name: str) -> None:
        old = shown.children
        loading = ipywidgets.HTML(f"Loading {name} …")
        shown.children = (loading,)  # so the old Explorer cannot take choices meant for the new one
        predictions, calibration = demo_data(name)
        explorer = Explorer(predictions, calibration)
        if is_page:
            explorer._own_page(data=name)
        shown.children = (explorer,)
        for widget in (*old, loading, loading.layout, loading.style):
            widget.close()

    chooser.observe(lambda change: show(change.new), "value")
    show(chooser.value)
    explorer = shown.children[0]
    _follow(explorer, choices, name)
    page = ipywidgets.VBox([chooser, shown, pulse := Pulse()])
    page.add_class("calibviz-page")
    if command:
        pulse.name_command(command)
    return page


def explored(
    predictions: Predictions | Mapping[str, Predictions], link: str | None = None, command: str = ""
) -> Explorer:
    """The Explorer with some predictions, or with those of models by name; for `link` and `command` see `demo`."""
    explorer = Explorer(predictions)
    if _is_page():
        explorer._own_page()
    _follow(explorer, _read_link(link))
    if command:
        explorer._pulse.name_command(command)
    return explorer


def _is_page() -> bool:
    """Whether Voila shows this: it passes the query of its page on."""
    return "QUERY_STRING" in os.environ


def _read_link(link: str | None) -> dict[str, str]:
    return dict(parse_qsl((os.environ.get("QUERY_STRING", "") if link is None else link).lstrip("?")))


def _follow(explorer: Explorer, given: Mapping[str, str], data: str = DEMO_NAMES[0]) -> None:
    chosen = {key: value for key, value in given.items() if key in explorer.state.CHOICES}
    try:
        validation.choice(data, "data", DEMO_NAMES)
        explorer.state.from_link("?" + urlencode(chosen) if chosen else "")
    except (ValueError, traitlets.TraitError) as error:
        explorer._say(f"The link cannot be followed: {error}")
