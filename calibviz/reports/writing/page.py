"""The frame of a report: one file that loads nothing from the network and runs no script but its own."""

from __future__ import annotations

import platform
import re
from base64 import b64encode
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from importlib.resources import files

import numpy as np
import scipy

from ..._version import __version__
from ...figures import styles
from ...figures.markup import Markup, joined, tag
from ...foundation.written import unbroken

PREFIXES = "--", "--calibviz-"  # of colours: in style sheets, and in small pictures
KEPT = re.compile("(<pre>.*?</pre>|<[^>]*>)", re.DOTALL)  # code, which is copied, and tags


def page(title: str, *content: str | None) -> str:
    """The whole document of a report, with its style sheet and script."""
    style = joined([colours(), picture_style(), own_file("page.css")])
    return document(title, style, page_script(), tag("main", unbroken_in(joined(content))))


def document(title: str, style: Markup, script: Markup, body: Markup, kind: str | None = None) -> str:
    """A document of one file, whose script is of a kind such as "module".

    Its content security policy names the hashes of style sheet and script. So the browser neither runs nor loads
    anything else, whatever the name of a class or a file holds.
    """
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=f"{policy}; base-uri 'none'; form-action 'none'"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="generator", content=f"calibviz {__version__}"),
        tag("title", title),
        tag("style", style),
    )
    whole = tag("html", head, tag("body", body, tag("script", script, type=kind)), lang="en")
    return f"<!DOCTYPE html>\n{whole}\n"


def header(kind: str, title: str, *said: str | None) -> Markup:
    """The head of the page: its kind, date and version, its title, and what it says."""
    made = f"{datetime.now(UTC):%Y-%m-%d}, calibviz {__version__}"
    kinds = tag("p", tag("span", kind), tag("span", made), class_="kind")
    return tag("header", kinds, tag("h1", title), *said)


def framed(document: str, title: str) -> str:
    """A page in a frame: its style sheet changes nothing around it, and its script reaches nothing outside.

    It is a plain str, since marimo takes a class of str for an object without text.
    """
    frame = tag("iframe", srcdoc=document, sandbox="allow-scripts", width="100%", height="720", title=title)
    return str(frame)


def listed_facts(facts: Mapping[str, str | None]) -> Markup | None:
    """The facts that are known, side by side; nothing where there are none."""
    known = [tag("div", tag("dt", name), tag("dd", fact)) for name, fact in facts.items() if fact]
    return tag("dl", *known, class_="facts") if known else None


def versions() -> str:
    """A sentence that says which versions made the page, and when."""
    made = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    return (
        f"Made on {made} by calibviz {__version__} with NumPy {np.__version__}, SciPy {scipy.__version__} and Python "
        f"{platform.python_version()}."
    )


def page_script() -> Markup:
    """The script of every page: it makes figures answer, and moves what a page has recorded."""
    return joined([own_file("page.js"), own_file("recorded.js")])


def unbroken_in(content: Markup) -> Markup:
    """The content, in which no line ends between a number and its per cent sign; code stays as it is."""
    parts = (part if part.startswith("<") else unbroken(part) for part in KEPT.split(content))
    return Markup("".join(parts).replace("\u00a0", "&nbsp;"))


def own_file(name: str, package: str = __package__) -> Markup:
    """A file of a package, by default of this one, as markup: it is not to be escaped."""
    return Markup(files(package).joinpath(name).read_text(encoding="utf-8"))


def picture_style() -> Markup:
    """How pictures look, with their legends, on any page that has `colours`."""
    return own_file("pictures.css")


def colours(on_dark: str = "@media screen and (prefers-color-scheme:dark){:root{%s}}") -> Markup:
    """The colours of marks, by their names: those of light and printed pages, and those of dark ones."""
    named = "".join(f".{name}{{--c:var(--{name});}}" for name in styles.NAMES.values())
    light, dark = ("".join(styles.tones(prefix, is_dark) for prefix in PREFIXES) for is_dark in (False, True))
    return Markup(f":root{{{light}}}{on_dark % dark}{named}\n")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
