"""A still picture beside a live view, for a notebook that is opened without the kernel that made it."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from IPython.display import display

from .stopped import STILL

log = logging.getLogger(__name__)

#: The first of three outputs; the view and its picture follow. What is shown of them is decided by `still.css`. (A
#: notebook that is not trusted loses this style, and shows a line of text for the view.)
NOTE = (
    f"<style>\n{Path(__file__).with_suffix('.css').read_text(encoding='utf-8')}</style>"
    f'<div class="calibviz-still"><b>{STILL}</b></div>'
)


def display_beside(live: Mapping[str, object], still: Callable[[], Mapping[str, str]]) -> None:
    """Display a live view and, where the notebook may be saved, a still one that takes its place without a kernel.

    Parameters
    ----------
    live : mapping
        MIME bundle of the view.
    still : callable
        Draws the MIME bundle of the picture. The live view does not wait for it.
    """
    if os.environ.get("SERVER_SOFTWARE", "").startswith("voila/"):  # pages of Voila are never saved
        _publish(live)
    elif "VSCODE_PID" in os.environ:  # VS Code lays outputs out in another way, so the style would not match
        _publish({**live, **_drawn(still)})
    else:
        _publish({"text/html": NOTE})
        _publish(live)
        # There are always three outputs: otherwise the style would hide what another statement shows in third place.
        _publish(_drawn(still) or {"text/html": ""})


def _publish(bundle: Mapping[str, object]) -> None:
    display(dict(bundle), raw=True)  # type: ignore[no-untyped-call]


def _drawn(still: Callable[[], Mapping[str, str]]) -> dict[str, str]:
    try:
        with _without_words_of_fonts():
            return dict(still())
    except Exception:
        log.exception("the still picture could not be drawn")
        return {}


@contextmanager
def _without_words_of_fonts() -> Iterator[None]:
    """Silence what Matplotlib says once a machine, in an output that the style would take for the picture."""
    fonts = logging.getLogger("matplotlib.font_manager")
    level = fonts.level
    fonts.setLevel(logging.ERROR)
    try:
        yield
    finally:
        fonts.setLevel(level)
