"""The choices that can be moved on a recorded page, and the situation of each state that the page holds."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

from ...engine.binnings.binning_kinds import EQUAL_MASS, UNIFORM
from ...foundation.written import chosen_percent, counted
from ...recalibration.registry import AS_IT_IS
from ..asked.choices import CONTROLS
from ..asked.presets import worst_class
from ..asked.typed import with_edge
from ..first_screen.calibrators import recommended
from ..first_screen.segments import news_of, searched
from ..situation.content import awaited
from ..situation.engine import NothingKept
from ..situation.job import Job
from ..situation.situation import Situation
from ..subject import Alternative, SubjectPart, calibrator_in_words, subject

#: How many segments, calibrators and lenses a page holds, each with each, with those that it begins with.
MOST = (5, 3, 3)
#: How many, where somebody waits for the page.
FEW = (4, 2, 2)
#: What the moves are called that stand for a part of the subject.
WORDS = {"selection": "segment", "calibrator": "recalibration", "lens": CONTROLS["lens"].word}
BINS = (5, 10, 15, 20)
STEPS = tuple(round(0.05 * step, 2) for step in range(1, 20))  # of the threshold, and of edges of categories


@dataclass(frozen=True)
class Move:
    """A choice that can be moved."""

    name: str
    word: str  # what it is called
    positions: tuple[Alternative, ...]
    start: int = 0  # which of them the page begins with
    is_crossed: bool = False  # whether it moves together with the other ones that are crossed; else it moves by itself
    left_out: str = ""  # how many positions the page does not hold, in words; empty where it holds all


def moves_of(
    situation: Situation, most: tuple[int, int, int] = MOST
) -> Generator[tuple[Job, ...], None, tuple[Move, ...]]:
    """Steps of a job; their result is the choices that can be moved, each with the positions that matter first.

    There are at most so many segments, calibrators and lenses. A choice without a second position is left out.
    """
    segments, calibrators, lenses = most
    search = yield from awaited(situation, lambda seen: searched(seen, seen.before, is_aside=False))
    helping = yield from awaited(situation, recommended)
    crossed = (
        _segments(situation, segments, None if search is None else search.value),
        _calibrators(situation, calibrators, helping),
        _lenses(situation, lenses),
    )
    alone = (_bins(situation), *_thresholds(situation), *_edges(situation))
    return tuple(move for move in (*crossed, *alone) if len(move.positions) > 1)


def states_of(situation: Situation, moves: Sequence[Move]) -> Iterator[tuple[tuple[int, ...], Situation]]:
    """The positions of each state, and its situation: first the one at hand, which every page begins with.

    Those that are crossed go through all of their combinations, the others through their positions one by one. A
    selection that keeps no sample is no state.
    """
    start = tuple(move.start for move in moves)
    places = {start: None}
    places |= dict.fromkeys(
        product(*(range(len(move.positions)) if move.is_crossed else (move.start,) for move in moves))
    )
    for at, move in enumerate(moves):
        if not move.is_crossed:
            places |= dict.fromkeys((*start[:at], place, *start[at + 1 :]) for place in range(len(move.positions)))
    for place in places:
        chosen: dict[str, Any] = {}
        for move, position in zip(moves, place, strict=True):
            if position != move.start:
                chosen |= move.positions[position].choices
        state = situation.but(**chosen) if chosen else situation
        try:
            state.exists()
        except NothingKept:
            continue
        yield place, state


def left_out(moves: Sequence[Move]) -> str:
    """A sentence on the positions that a page does not hold; empty where it holds all."""
    said = ", ".join(move.left_out for move in moves if move.left_out)
    return f"Not in this page: {said}. The Explorer shows them." if said else ""


def _words(situation: Situation, name: str, **chosen: Any) -> str:
    return _part(situation.but(**chosen), name).words


def _part(situation: Situation, name: str) -> SubjectPart:
    return next(part for part in subject(situation) if part.name == name)


def _move(
    situation: Situation,
    name: str,
    text: Callable[..., str],
    known: Sequence[Mapping[str, Any]],
    most: int,
    *nouns: str,
) -> Move:
    """The position at hand and those that are known after it, at most so many; the nouns are those of the others."""
    keys = dict.fromkeys(key for choices in known for key in choices)
    here = {key: getattr(situation.spec, key) for key in keys}
    every = [here, *(choices for choices in known if choices != here)]
    held = tuple(Alternative(text(**choices), choices) for choices in every[:most])
    rest = len(every) - len(held)
    return Move(name, WORDS[name], held, is_crossed=True, left_out=counted(rest, *nouns) if rest else "")


def _segments(situation: Situation, most: int, table: Any) -> Move:
    """All samples, then the segments that are off, then the others that do not share most of their samples."""
    known = [{"selection": ""}]
    if table is not None:
        news = [one.selection for one in news_of(table)]
        others = table.selection.values[(table.n_fields.values > 0) & (table.shared_with.values == "")]
        known += [{"selection": text} for text in dict.fromkeys([*news, *map(str, others)])]
    return _move(situation, "selection", partial(_words, situation, "selection"), known, most, "more segment")


def _calibrators(situation: Situation, most: int, helping: Sequence[str]) -> Move:
    """No recalibration, then the calibrators that are shown to help, then the others that are compared."""
    spec = situation.spec
    names = dict.fromkeys((AS_IT_IS, *helping, *spec.calibrators, *spec.known_calibrators))
    known = [{"calibrator": name} for name in names]
    return _move(situation, "calibrator", calibrator_in_words, known, most, "more calibrator")


def _lenses(situation: Situation, most: int) -> Move:
    """The lens at hand, then the likeliest class, then the others; of many classes the furthest off first."""
    known = [dict(offer.choices) for offer in _part(situation, "lens").offers]
    predictions = situation.predictions
    first = situation.name
    if predictions.n_classes > 2 and not situation.of_summary and not predictions.of_confidence:
        first = f"class {predictions.class_names[worst_class(predictions)]}"
    known.sort(key=lambda choices: (choices["lens"] != "top-1", choices["lens"] != first))
    if predictions.n_classes == 2:  # the other class of two says the same from the other side
        known = [choices for choices in known if choices["lens"] in ("top-1", situation.spec.lens)]
    return _move(situation, "lens", partial(_words, situation, "lens"), known, most, "more class", "more classes")


def _bins(situation: Situation) -> Move:
    """Few and many bins, of equal width and of equal mass."""
    spec = situation.spec
    here = {"binning": spec.binning, "bins": spec.bins}
    known = [{"binning": kind.name, "bins": bins} for kind in (UNIFORM, EQUAL_MASS) for bins in BINS]
    known = known if here in known else [here, *known]
    held = tuple(Alternative(spec.but(**choices).binning_in_words, choices) for choices in known)
    return Move("bins", CONTROLS["bins"].word, held, known.index(here))


def _thresholds(situation: Situation) -> Iterator[Move]:
    if "decision" in situation.spec.panels:
        values = sorted({*STEPS, situation.spec.threshold})
        held = tuple(Alternative(chosen_percent(value), {"threshold": value}) for value in values)
        yield Move("threshold", CONTROLS["threshold"].word, held, values.index(situation.spec.threshold))


def _edges(situation: Situation) -> Iterator[Move]:
    """The edges between categories, each between those beside it."""
    spec = situation.spec
    edges = spec.edges
    for at, edge in enumerate(edges):
        low, high = [0.0, *edges][at], [*edges, 1.0][at + 1]
        values = sorted({edge, *(value for value in STEPS if low < value < high)})
        held = tuple(
            Alternative(chosen_percent(value), {"likert": with_edge(spec.likert, at, value)}) for value in values
        )
        yield Move(f"edge-{at + 1}", f"edge at {chosen_percent(edge)}", held, values.index(edge))
