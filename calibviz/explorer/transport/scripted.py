"""A widget whose browser's half is a script of this package."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import anywidget
import traitlets


def read_script(*paths: str | Path) -> str:
    """The scripts of these paths in one module, below what all scripts share.

    It is the text, not a path: anywidget watches a path for every instance, which keeps all of them in memory for ever.
    A path of a Python file stands for the script beside it.
    """
    scripts = [Path(__file__), *map(Path, paths)]
    return "\n".join(path.with_suffix(".js").read_text(encoding="utf-8") for path in scripts)


class Scripted(anywidget.AnyWidget):
    """A widget of ours, which hears Python also where its page was slow to begin: see ``scripted.js``.

    Its script ends with ``export default heard({...})``.
    """

    me = traitlets.Unicode(help="The id of this widget").tag(sync=True)

    def __init__(self, **kwargs: Any) -> None:
        me = uuid.uuid4().hex
        super().__init__(model_id=me, me=me, **kwargs)
