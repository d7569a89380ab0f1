"""A recorded page: what is on screen, and what it becomes when a choice is moved, without Python.

It computes nothing. Each state is asked of the answers, as the Explorer asks them, and stored as it is written; what
several states share is stored once.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Generator, Iterable, Mapping
from functools import partial
from gzip import compress
from json import dumps
from typing import Any

from ..answers.exports.recorded import Move, left_out, moves_of, states_of
from ..answers.first_screen.verdict import verdict_after
from ..answers.situation.content import Answer, awaited, completed
from ..answers.situation.situation import Situation
from ..answers.subject import title
from ..figures.markup import Markup, joined, tag
from ..foundation.progress import with_progress
from .writing.data import data_section
from .writing.page import header, page, unbroken_in
from .writing.parts import given, judged, made, notes, section

SLIDES = ("threshold", "edge-")  # the moves that slide; the others are chosen from a list
#: Writes the parts of a state by their names; all states have the same ones.
Writer = Callable[[Situation], Mapping[str, Markup]]


def recorded_page(
    situation: Situation,
    offered: Mapping[str, Answer],
    code: Callable[[Situation], str],
    most: tuple[int, int, int],
    progress: bool,
) -> Generator[tuple[Any, ...], None, str]:
    """Steps of a job; their result is the page of a situation as one HTML document.

    It holds the verdict and the answers that are open, each of which moves: through at most so many segments,
    calibrators and lenses.
    """
    answers = [offered[name] for name in situation.spec.panels]
    name, _ = title(situation)
    written = yield from awaited(situation, code)
    moving = yield from recorded(situation, partial(_parts_of, answers=answers), most, progress)
    end = (data_section(situation.predictions), made(written))
    return page(f"Calibration of {name}", header("Recorded view", name), moving, *end)


def recorded(
    situation: Situation, write: Writer, most: tuple[int, int, int], progress: bool
) -> Generator[tuple[Any, ...], None, Markup]:
    """Steps of a job; their result is the parts that a page begins with, below controls that put others in their place.

    There are states of at most so many segments, calibrators and lenses.
    """
    moves = yield from moves_of(situation, most)
    places = list(states_of(situation, moves))
    stored: dict[str, int] = {}
    states: dict[str, list[int]] = {}
    first: Mapping[str, Markup] = {}
    for place, state in with_progress(places, "page", len(places), progress):
        yield len(states) / len(places), None
        parts = yield from awaited(state, write)
        first = first or parts
        at = [stored.setdefault(unbroken_in(part), len(stored)) for part in parts.values()]
        states[",".join(map(str, place))] = at
    named = [_named(move) for move in moves]
    content = {"moves": named, "names": list(first), "states": states, "parts": list(stored)}
    packed = b64encode(compress(dumps(content).encode(), mtime=0)).decode()  # as ASCII: texts may hold half a sign
    script = tag("script", packed, type="text/plain", id="recorded")
    return tag("div", _controls(moves), placed(first), notes([left_out(moves)]), script, class_="moving")


def placed(parts: Mapping[str, Markup]) -> Markup:
    """The parts of a state, each in its place."""
    return joined(tag("div", part, id=f"part-{name}") for name, part in parts.items())


def _parts_of(state: Situation, answers: Iterable[Answer]) -> dict[str, Markup]:
    """The verdict of a state and its answers, by name."""
    verdict = completed(state, verdict_after, progress=False)
    return {"verdict": judged(state, verdict)} | {
        answer.name: section(answer.button, given(state, answer.content, answer.name), identity=answer.name)
        for answer in answers
    }


def _named(move: Move) -> dict[str, object]:
    texts = [position.text for position in move.positions]
    return {"word": move.word, "start": move.start, "crossed": move.is_crossed, "texts": texts}


def _controls(moves: Iterable[Move]) -> Markup:
    """A control of each move; the script shows them, since without it they would do nothing."""
    said = tag("p", role="status", class_="note")
    controls = (_control(at, move) for at, move in enumerate(moves))
    return tag("fieldset", *controls, said, class_="moves", hidden=True, aria_label="Move")


def _control(at: int, move: Move) -> Markup:
    identity = f"move-{at}"
    given = {"id": identity, "data_move": str(at)}
    label = tag("label", move.word, for_=identity)
    if move.name.startswith(SLIDES):
        last, start = str(len(move.positions) - 1), str(move.start)
        slider = tag("input", type="range", min="0", max=last, value=start, **given)
        return tag("div", label, tag("output", move.positions[move.start].text, for_=identity), slider)
    options = (
        tag("option", position.text, value=str(i), selected=True if i == move.start else None)
        for i, position in enumerate(move.positions)
    )
    return tag("div", label, tag("select", *options, **given))
