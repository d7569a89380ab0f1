"""A still picture beside a live view, for a notebook that is opened without the kernel that made it."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping

from IPython.display import display

from .stopped import STILL

log = logging.getLogger(__name__)

# These selectors rely on the outputs of a cell standing below each other, as they do in JupyterLab, Notebook and pages
# made by nbconvert.
_SENTENCE = ".jp-OutputArea-child:has(> .jp-OutputArea-output > .calibviz-still)"
_VIEW = f"{_SENTENCE} + .jp-OutputArea-child"
_PICTURE = f"{_VIEW} + .jp-OutputArea-child"

#: The first of three outputs; the view and its picture follow. While the view is live, it alone is shown. Without a
#: kernel, Jupyter shows "model not found" in its place, and this style hides that. A view takes a moment to come to
#: life; the animation keeps the other outputs from flashing up meanwhile. (A notebook that is not trusted loses this
#: style, and shows a line of text for the view.)
NOTE = f"""<style>
{_SENTENCE}:has(+ .calibviz-holder),
{_VIEW}:not(.calibviz-holder, :has(.calibviz-explorer)),
{_VIEW}.calibviz-holder + .jp-OutputArea-child,
body.jp-Notebook .calibviz-still {{ display: none; }}
{_SENTENCE}, {_PICTURE} {{ animation: calibviz-still 0s 2s backwards; }}
@keyframes calibviz-still {{ from {{ max-height: 0; padding: 0; overflow: hidden; visibility: hidden; }} }}
</style><div class="calibviz-still"><b>{STILL}</b></div>"""


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
        return dict(still())
    except Exception:
        log.exception("the still picture could not be drawn")
        return {}
