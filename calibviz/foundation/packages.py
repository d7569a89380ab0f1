"""Packages that only some work needs, which a message says how to install."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

IN_BROWSER = sys.platform == "emscripten"


def needed(name: str, what: str, extra: str = "", otherwise: str = "") -> Any:
    """The package of a name; an ImportError says that `what` needs it, how to install it, and what to do `otherwise`.

    An `extra` of calibviz brings it.
    """
    try:
        return import_module(name)
    except ImportError:
        raise missing(name, what, extra, otherwise) from None


def missing(name: str, what: str, extra: str = "", otherwise: str = "") -> ImportError:
    """The error that `needed` raises."""
    how = f"pip install 'calibviz[{extra}]'" if extra else f"pip install {name}"
    if IN_BROWSER:  # where no terminal is, and what is compiled comes from Pyodide alone
        how = f"%pip install {name} in a cell, if there is one for browsers"
    return ImportError(f"{what} needs {name}: {how}{otherwise and f', or {otherwise}'}")
