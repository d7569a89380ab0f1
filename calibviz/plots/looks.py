"""How words look in pictures of Matplotlib: their colours on a ground, their lines, and pieces of a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.colors import to_rgba
from matplotlib.offsetbox import HPacker, TextArea

from .. import figures
from ..figures.styles import ON_DARK
from ..foundation.marked import Run
from ..foundation.written import wrapped

SECOND = {False: "#55606B", True: "#AEB6BF"}  # the second colour of texts, by whether the ground is dark
NO_BREAK = "\u00a0"
LUMINANCE, DARK = (0.2126, 0.7152, 0.0722), 0.4  # of red, green and blue, and below which a ground is dark


def has_dark_ground(ground: Any) -> bool:
    """Whether a colour to draw on is dark, as in the style "dark_background" of Matplotlib."""
    return bool(np.dot(LUMINANCE, to_rgba(ground)[:3]) < DARK)


def coloured(colour: str, is_dark: bool) -> str:
    """A colour as it is on a ground."""
    return ON_DARK.get(colour, colour) if is_dark else colour


def plain(text: str) -> str:
    """A text that Matplotlib draws as it is: between dollar signs it would read names of anybody as formulas."""
    return text.replace("$", r"\$")


def broken(parts: Sequence[Run], characters: int) -> Iterator[list[Run]]:
    """The lines of a text in parts, which break where those of the whole text do."""
    text, at = "".join(words for words, _ in parts), 0
    kinds = [kind for words, kind in parts for _ in words]
    for line in wrapped(text, characters):
        at = text.index(line, at)
        letters = zip(line, kinds[at:], strict=False)
        yield [("".join(sign for sign, _ in run), kind) for kind, run in groupby(letters, key=lambda letter: letter[1])]
        at += len(line)


def in_pieces(pieces: Sequence[tuple[str, str, bool]], size: float) -> HPacker:
    """A line of texts one after the other, each in its colour, and bold or not."""
    return HPacker(children=[_piece(*piece, size) for piece in pieces], pad=0, sep=0)


def _piece(text: str, colour: str, is_bold: bool, size: float) -> TextArea:
    inner = text.strip(" ")  # a blank at an end would take no room
    before, after = len(text) - len(text.lstrip(" ")), len(text) - len(text.rstrip(" "))
    whole = f"{NO_BREAK * before}{plain(inner)}{NO_BREAK * after}" if inner else NO_BREAK * len(text)
    return TextArea(whole, textprops={"size": size, "color": colour, "weight": "bold" if is_bold else "normal"})


def looked(run: figures.Run, is_dark: bool) -> tuple[str, str, bool]:
    """A piece of a label with the colour and the weight that it has on a ground."""
    colour = run.colour or (rcParams["text.color"] if run.is_strong else SECOND[is_dark])
    return run.text, coloured(colour, is_dark), run.is_strong
