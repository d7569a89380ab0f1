"""The subject in a line of words whose parts can be changed: model, class, selection, recalibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..context.condition_parser import selection as read_selection
from ..context.conditions import And, Between, Comparison, Condition, IsIn, Not, Or, Subject, Value
from ..data.predictions import Predictions
from ..decisions.by_segment.columns import told_apart
from ..figures.segment_names import SegmentName
from ..foundation.written import spaced, with_minus
from ..recalibration.registry import AS_IT_IS, called, fitted_by, numbers_of
from .asked import selection_edits
from .asked.choices import CONTROLS
from .asked.spec import MOST_OVERLAYS, OF_SAMPLES, Spec
from .situation.reading import reads
from .situation.situation import Situation
from .views.instances import bin_in_words

DIGITS = 4  # of the ends of a range, if these tell them apart
MOST_VALUES = 20  # of a field, each of which is offered
RIGHT, WRONG = "predicted rightly", "predicted wrongly"
OPERATORS_IN_WORDS = {"==": "is", "!=": "is not", "<": "below", "<=": "at most", ">": "above", ">=": "at least"}
NO_RECALIBRATION, RECOMMENDED, HELPS = "no recalibration", "helps: recommended", "helps"
TOP_1, OF_CONFIDENCE = "the likeliest class", "the predicted class"


@dataclass(frozen=True)
class Alternative:
    """An alternative to a part of the line, or of a recorded page: its words, and the choices that it means.

    `note` stands in small beside the words.
    """

    text: str
    choices: Mapping[str, Any] = field(hash=False)
    current: bool = False
    note: str = ""


@dataclass(frozen=True)
class SubjectPart:
    """A part of the line: what it is called, its words, and what it can become; nothing where it cannot be changed.

    `field` is the field that the words are a value of, and `code` the selection that they stand for. Only the first
    `few` offers are in sight at once, where it says how many.
    """

    name: str
    text: str
    offers: tuple[Alternative, ...] = ()
    field: str = ""
    code: str = ""
    few: int | None = None

    @property
    def words(self) -> str:
        """The words with the field in brackets, for a line of text."""
        return f"{self.text} ({self.field})" if self.field else self.text


def subject(situation: Situation, helping: Sequence[str] = ()) -> tuple[SubjectPart, ...]:
    """The parts of the line, in order; `helping` are the calibrators that are shown to help, the first recommended."""
    parts, chosen = _without_bin(situation, tuple(helping)), _bin(situation)
    return (*parts[:-1], *chosen, parts[-1]) if chosen else parts


@reads(*OF_SAMPLES, "calibrator", "calibrators", "overlays")
def _without_bin(situation: Situation, helping: tuple[str, ...]) -> tuple[SubjectPart, ...]:
    """The parts that no step of the bins changes."""
    spec, names = situation.spec, tuple(situation.engine.models)
    models = tuple(Alternative(name, {"model": name}, name == spec.model) for name in names) if len(names) > 1 else ()
    models += _compared(spec, names)
    return (
        SubjectPart("model", spec.model, models),
        _lens(situation),
        _selection(situation),
        _recalibration(situation, helping),
    )


@reads(*OF_SAMPLES, "calibrator", "calibrators")
def calibrators_in_order(situation: Situation, helping: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
    """No calibrator, those that help, then by how few numbers they fit, and how many of them are in sight at once.

    The last are neither compared nor chosen.
    """
    spec = situation.spec
    in_sight = {AS_IT_IS, *helping, *spec.calibrators, *spec.own_of("field"), spec.calibrator}

    def rank(name: str) -> tuple[bool, int, bool, int]:
        place = helping.index(name) if name in helping else len(helping)
        return name != AS_IT_IS, place, name not in in_sight, numbers_of(name)

    names = tuple(sorted((AS_IT_IS, *spec.known_calibrators), key=rank))
    return names, sum(name in in_sight for name in names)


def calibrator_in_words(calibrator: str) -> str:
    """The name of a calibrator among alternatives, of which one is no recalibration."""
    return NO_RECALIBRATION if calibrator == AS_IT_IS else called(calibrator)


def _recalibration(situation: Situation, helping: tuple[str, ...]) -> SubjectPart:
    spec = situation.spec
    names, few = calibrators_in_order(situation, helping)
    return SubjectPart(
        "recalibration",
        f"recalibrated with {situation.calibrator_name}" if spec.is_recalibrated else NO_RECALIBRATION,
        tuple(
            Alternative(
                calibrator_in_words(name),
                {"calibrator": name},
                name == spec.calibrator,
                RECOMMENDED if name in helping[:1] else HELPS if name in helping else fitted_by(name),
            )
            for name in names
        ),
        few=few,
    )


@reads(*OF_SAMPLES, "title")
def title(situation: Situation) -> tuple[str, str]:
    """The name of the data, without that of the model, and how many samples are looked at."""
    return situation.data_name.removesuffix(f": {situation.spec.model}"), _samples(situation)


def _compared(spec: Spec, names: tuple[str, ...]) -> tuple[Alternative, ...]:
    """Alternatives that draw another model over the current one, or take it away again."""
    offers = []
    for name in names:
        text = f"model: {name}"
        if text in spec.overlays:
            others = tuple(other for other in spec.overlays if other != text)
            offers.append(Alternative(f"without {name} drawn over it", {"overlays": others}))
        elif name != spec.model and len(spec.overlays) < MOST_OVERLAYS:
            offers.append(Alternative(f"with {name} drawn over it", {"overlays": (*spec.overlays, text)}))
    return tuple(offers)


def _lens(situation: Situation) -> SubjectPart:
    classes = situation.predictions.class_names
    if situation.of_summary:
        return SubjectPart("lens", situation.name)
    offered = {TOP_1: "top-1", **{f"class {name}": f"class {name}" for name in classes}}
    if situation.predictions.of_confidence:
        offered = {OF_CONFIDENCE: "top-1"}
    elif len(classes) == 2:  # the positive class first, and what mixes both last
        offered = dict(reversed(offered.items()))
    text = next((text for text, lens in offered.items() if lens == situation.name), situation.name)
    return SubjectPart(
        "lens",
        text,
        tuple(Alternative(words, {"lens": lens, "outcome": None}, words == text) for words, lens in offered.items()),
    )


@reads(*OF_SAMPLES)  # a step of the bins makes its many offers not anew
def _selection(situation: Situation) -> SubjectPart:
    text = situation.spec.selection
    parts = selection_edits.conjuncts(text)
    everything = f"all {situation.nouns.many}"
    offers = [Alternative(everything, {"selection": ""}, not parts)]
    if len(parts) > 1:
        offers += [
            Alternative(f"without {_in_words(read_selection(part))}", {"selection": selection_edits.without(text, i)})
            for i, part in enumerate(parts)
        ]
    values = situation.predictions.cache.get("conditions offered", lambda: _values(situation.predictions))
    offers += [
        Alternative(
            _in_words(read_selection(value)), {"selection": selection_edits.with_value(text, value)}, value in parts
        )
        for value in values
    ]
    condition, each = read_selection(text), tuple({offer.text: offer for offer in offers}.values())
    if (name := _value(condition)) is not None:
        return SubjectPart("selection", name.name, each, name.field, text)
    return SubjectPart("selection", _in_words(condition, everything), each, code=text)


def _bin(situation: Situation) -> tuple[SubjectPart, ...]:
    """The chosen bin, whose samples are listed, and the way back to all."""
    text = bin_in_words(situation)
    return (SubjectPart("bin", text, (Alternative("samples of all bins", {"bin": None}),)),) if text else ()


def _in_words(condition: Condition | None, everything: str = "") -> str:
    """A selection as a person would say it, such as "predicted 10 to 90 %"; the settings hold its text."""
    match condition:
        case None:
            return everything
        case And(parts=parts):
            return " and ".join(f"({_in_words(part)})" if isinstance(part, Or) else _in_words(part) for part in parts)
        case Or(parts=parts):
            return " or ".join(map(_in_words, parts))
        case Not(part=And() | Or() as part):
            return f"all but ({_in_words(part)})"
        case Not(part=part):
            return f"all but {_in_words(part)}"
        case Between(subject=Subject(kind="output" | "confidence" as kind), low=int() | float() as low, high=high):
            return f"{CONTROLS[kind].word} {' to '.join(_ends(100 * low, 100 * float(high)))} %"
        case Between(subject=Subject(kind="field", argument=str(name)), low=low, high=high):
            return f"{spaced(name)} {' to '.join(_ends(low, high))}"
        case Comparison(op="==", value=str()) if (value := _value(condition)) is not None:
            return f"{value.name} ({value.field})"
        case IsIn(subject=Subject(kind="label"), values=values):
            return f"true class {' or '.join(map(_written, values))}"
        case Comparison(subject=Subject(kind="correct"), op="==", value=0 | 1 as value):
            return RIGHT if value else WRONG
        case Comparison(subject=Subject(kind=kind, argument=name), op=op, value=value):
            named = spaced(str(name)) if kind == "field" else kind if name is None else f"{kind} of {name}"
            return f"{named} {OPERATORS_IN_WORDS[op]} {_written(value)}"
        case _:
            return str(condition)


def _written(value: Value) -> str:
    """A text as it is, and a number in few digits."""
    if isinstance(value, float):
        return with_minus(f"{value:.0f}" if value.is_integer() else f"{value:.{DIGITS}g}")
    return value if isinstance(value, str) else with_minus(str(value))


def _value(condition: Condition | None) -> SegmentName | None:
    """The name of the value of a field that is all that a selection asks for; None of other selections."""
    match condition:
        case Comparison(subject=Subject(kind="field", argument=str(field)), op="==", value=str(value)):
            return SegmentName.of(f"{field} = {value}", str(condition), 1)
    return None


def _ends(low: Value, high: Value) -> list[str]:
    """The ends of a range: numbers in few digits, but apart; dates and the like as they are."""
    if isinstance(low, bool | str) or isinstance(high, bool | str):
        return [str(low), str(high)]
    return list(map(with_minus, told_apart(np.array([low, high], dtype=np.float64), DIGITS)))


def _values(predictions: Predictions) -> tuple[str, ...]:
    """Conditions for every value of the fields of few values, and for the other fields one example each."""
    examples = selection_edits.field_examples(predictions)
    offered: list[str] = []
    for name, column in predictions.fields.items():
        values = np.unique(column) if column.dtype.kind in "Ub" else ()
        if 1 < len(values) <= MOST_VALUES:
            offered += [str(Comparison(Subject("field", name), "==", value.item())) for value in values if value != ""]
    return tuple(dict.fromkeys((*offered, *examples)))


def _samples(situation: Situation) -> str:
    problem = situation.before.problems[0]
    if situation.scores_per_sample > 1:
        return f"{problem.samples:,} scores"
    return situation.counted(problem, of=situation.engine.judged(situation.spec.model))
