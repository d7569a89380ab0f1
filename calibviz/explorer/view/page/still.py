"""A still picture beside a live view, for saved notebooks, and what stands in for it where there are no widgets."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from IPython.display import display

from ....figures.markup import tag
from .stopped import IN_COLAB, STILL

log = logging.getLogger(__name__)

COLAB = "google.colab"  # the module that its kernel begins with
#: What VS Code, Positron and Databricks set: they lay outputs out in another way than the style expects.
LAID_OUT_OTHERWISE = ("VSCODE_PID", "POSITRON_VERSION", "DATABRICKS_RUNTIME_VERSION")

#: The first of three outputs; the view and its picture follow. What is shown of them is decided by `still.css`. (A
#: notebook that is not trusted loses this style, and shows a line of text for the view.)
NOTE = (
    f"<style>\n{Path(__file__).with_suffix('.css').read_text(encoding='utf-8')}</style>"
    f'<div class="calibviz-still"><b>{STILL}</b></div>'
)


def display_beside(
    live: Mapping[str, object], still: Callable[[], Mapping[str, str]], instead: Callable[[str], str]
) -> None:
    """Display a live view and, where the notebook may be saved, a still one that takes its place without a kernel.

    Both are MIME bundles; the live one does not wait until the other is drawn. `instead` makes the HTML for a host
    without widgets, which says how to have them.
    """
    if _is_never_saved():
        _publish(live)
    elif _waits_for_its_switch():
        _publish({"text/html": instead(IN_COLAB)})
    elif COLAB in sys.modules or any(name in os.environ for name in LAID_OUT_OTHERWISE):
        _publish({**live, **_drawn(still)})
    else:
        _publish({"text/html": NOTE})
        _publish(live)
        # There are always three outputs: otherwise the style would hide what another statement shows in third place.
        _publish(_drawn(still) or {"text/html": ""})


def labelled(sentence: str, shown: str) -> str:
    """The HTML of something below a sentence that says why it is shown."""
    return f"{tag('p', tag('b', sentence))}{shown}"


def _is_never_saved() -> bool:
    """Whether this is for a page of Voila or Solara, which lays outputs out in another way, too."""
    # Who imports Solara in a notebook has no page of it.
    pages = sys.modules.get("solara.server.kernel_context")
    return os.environ.get("SERVER_SOFTWARE", "").startswith("voila/") or (
        pages is not None and pages.has_current_context()
    )


def _waits_for_its_switch() -> bool:
    """Whether this is Colab, which shows widgets other than its own only after a switch."""
    return COLAB in sys.modules and not getattr(sys.modules.get(f"{COLAB}.output._widgets"), "_installed_url", None)


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
