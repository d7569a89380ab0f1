"""Values of controls and the choices that they make, where a control does not show the choice of its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....answers.asked import selection_edits as edits, spec, typed
from ....answers.asked.choices import AS_GIVEN, BY_NUMBER, CHOOSE, INDEPENDENT
from ....answers.asked.presets import Preset
from ....answers.asked.spec import Spec
from ....answers.situation.situation import Situation
from ....answers.subject import calibrators_in_order
from ....answers.views.centres import fields_of_centres
from ....context.conditions import Subject
from ....context.lens_names import LENS_KINDS
from ....data.likely_clusters import fields_of_clusters
from ....data.predictions import Predictions
from ....engine.binnings.binning_kinds import BINNINGS
from ....foundation import validation
from ....recalibration.registry import called
from ...state.arrangement import helping_calibrators
from .control_effects import has_both_outcomes, if_possible

Traits = dict[str, Any]
Range = tuple[float, float]

MOST_RANKS = 20
MOST_WEIGHTS, MOST_ROWS = 10, 5  # outcomes of which each weight, or each row of the matrix, has a control
SLIDER_STEP, FINE_STEP = 0.01, 0.001  # of the sliders of scores


@dataclass(frozen=True)
class Asked:
    """The spec, the situation and the other controls, as a control knows them when it chooses."""

    spec: Spec  # the choices, of which nothing may be there to see
    situation: Situation  # on screen
    value_of: Callable[[str], Any]

    @property
    def class_names(self) -> tuple[str, ...]:
        """The class names of the chosen model."""
        return self.situation.engine.models[self.spec.model][0].class_names


@dataclass(frozen=True)
class ControlValue:
    """How a control and the choices follow each other."""

    # The traits with which the control shows a situation; with `options` alone, the value is the choice of its name.
    show: Callable[[Situation], Traits] = lambda _: {}
    # The choices that a value makes; by default that of the name of the control.
    choose: Callable[[Any, Asked], Mapping[str, Any]] | None = None
    is_seen: Callable[[Situation], bool] = lambda _: True  # whether it has a place at all
    is_beside: bool = False  # whether it is said beside it why a value is refused, and the last good one is shown again


def preset_choices(preset: Preset, defaults: Mapping[str, Any], asked: Asked) -> Traits:
    """The choices of a preset, which shows the same picture of a model, whatever was chosen before it."""
    kept = {name: getattr(asked.spec, name) for name in ("model", "groups", "kept")}
    chosen = preset.choices(asked.situation.predictions)
    if asked.situation.of_summary:
        chosen |= {"lens": asked.situation.lens_of_summary, "outcome": None, "panels": asked.spec.panels}
    return {**defaults, **kept, **chosen}


def _outcomes(situation: Situation) -> tuple[str, ...]:
    return if_possible(lambda: situation.outcomes, ())


def weighed(situation: Situation) -> tuple[str, ...]:
    """The outcomes that have a weight under a lens; of a lens of one score the classes, for later."""
    return _outcomes(situation) or situation.predictions.class_names


def _menu(options: Sequence[str], value: str | None) -> Traits:
    """A menu with one of its options as its value: `value`, or the first one where it is none."""
    known = {"value": value if value in options else options[0]} if options else {"value": None}
    return {"options": tuple(options), **known}


def _with_own(built_in: Iterable[str], kind: str) -> ControlValue:
    """A menu of what is built in, and of what is the user's own of a kind."""
    return ControlValue(lambda situation: {"options": (*built_in, *situation.spec.own_of(kind))})


def _lens_kind(situation: Situation) -> Traits:
    options = ("class",) if situation.of_summary else (*LENS_KINDS, *situation.spec.own_of("lens"))
    kind, _ = edits.lens_parts(situation.spec.lens)
    return {"options": options, **({"value": kind} if kind in options else {})}


def _is_numbered(situation: Situation) -> bool:
    kind, _ = edits.lens_parts(situation.spec.lens)
    return kind in LENS_KINDS and LENS_KINDS[kind].takes == "number"


def _lens_number(situation: Situation) -> Traits:
    if not _is_numbered(situation):
        return {}
    kind, parameter = edits.lens_parts(situation.spec.lens)
    number = int(parameter)
    most = max(min(situation.predictions.n_classes, MOST_RANKS), number)
    return {"min": LENS_KINDS[kind].least, "max": most, "value": number}


def _lens_class(situation: Situation) -> Traits:
    names = situation.predictions.class_names
    kind, parameter = edits.lens_parts(situation.spec.lens)
    chosen = names[1] if len(names) == 2 else None  # of two classes, the second is the positive one
    if kind == "class":
        # A class of another model is none of these; the status line says so.
        place = if_possible(lambda: validation.class_index(parameter, names), None)
        chosen = None if place is None else names[place]
    return _menu(names, chosen)


def _has_kind(kind: str) -> Callable[[Situation], bool]:
    return lambda situation: edits.lens_parts(situation.spec.lens)[0] == kind


def _lens(_: Any, asked: Asked) -> Traits:
    kind = asked.value_of("kind")
    number = max(asked.value_of("number"), LENS_KINDS[kind].least if kind in LENS_KINDS else 1)
    return {
        "lens": edits.lens_name(kind, number, asked.value_of("class_")),
        "outcome": edits.kept_outcome(asked.spec.outcome, kind, number),
    }


def _groups(situation: Situation) -> Traits:
    names = situation.predictions.class_names
    groups = situation.spec.groups or tuple(
        (group, tuple(names[c] for c in members)) for group, members in situation.groups.items()
    )
    return {"value": typed.groups_text(groups)}


def _labels(situation: Situation) -> Traits:
    predictions, names = situation.predictions, situation.predictions.class_names
    counts = predictions.cache.get("samples of classes", lambda: _samples_of_classes(predictions))
    kept = edits.chosen_labels(situation.spec.selection, names)
    return {"options": names, "counts": counts, "value": tuple(name for name in kept if name in names)}


def _samples_of_classes(predictions: Predictions) -> tuple[str, ...]:
    """How many samples each class has; nothing where labels are soft."""
    if predictions.labels is None:
        return ()
    counts = np.bincount(predictions.labels, minlength=predictions.n_classes)
    return tuple(f"{count:,}" for count in counts.tolist())


def _range(subject: Subject) -> ControlValue:
    """A slider over the range of a subject that the selection keeps.

    A slider that is shown says its range once more, moved to its own steps: that changes nothing.
    """

    def choose(ends: Range, asked: Asked) -> Traits:
        text = asked.spec.selection
        chosen = edits.chosen_range(text, subject)
        if all(abs(end - kept) <= SLIDER_STEP / 2 + 1e-9 for end, kept in zip(ends, chosen, strict=True)):
            return {}
        return {"selection": edits.with_range(text, subject, round(ends[0], 4), round(ends[1], 4))}

    return ControlValue(lambda situation: {"value": edits.chosen_range(situation.spec.selection, subject)}, choose)


def _examples(situation: Situation) -> Traits:
    predictions = situation.predictions
    examples = predictions.cache.get("examples of fields", lambda: edits.field_examples(predictions))
    return {"options": (CHOOSE, *examples), "value": CHOOSE}


def _weights(situation: Situation) -> Traits:
    names = weighed(situation)[:MOST_WEIGHTS]
    return {"rows": names, "value": tuple((weight,) for weight in situation.spec.weights_of(names))}


def _with_weights(rows: Sequence[Sequence[float]], asked: Asked) -> Traits:
    """The chosen weights with those of the outcomes that are looked at now."""
    names = weighed(asked.situation)
    if len(rows) != len(names):  # they were typed before the lens changed
        return {}
    given = {name: typed.checked_weight(row[0], name) for name, row in zip(names, rows, strict=True)}
    return {"weights": {**dict(asked.spec.weights), **given}}


def _weights_text(situation: Situation) -> Traits:
    names = weighed(situation)
    return {"value": typed.weights_text((name, weight) for name, weight in situation.spec.weights if name in names)}


def _with_weights_text(text: str, asked: Asked) -> Traits:
    names = weighed(asked.situation)
    others = {name: weight for name, weight in asked.spec.weights if name not in names}
    return {"weights": {**others, **typed.weights_choice(text, names)}}


def _centres(situation: Situation) -> dict[str, Any]:
    chosen = situation.spec.centre
    names = dict.fromkeys((*fields_of_centres(situation), *filter(None, [chosen])))
    return {"options": (("the first field of places", ""), *((name, name) for name in names))}


def _clusters(situation: Situation) -> Traits:
    given, chosen = situation.engine.in_clusters("").models[situation.spec.model][0], situation.spec.cluster
    names = dict.fromkeys((*fields_of_clusters(given), *([chosen] if chosen else [])))
    said = f"{AS_GIVEN}: {given.cluster or INDEPENDENT.removeprefix('none: ')}"
    return {"options": ((said, ""), *((name, name) for name in names), (INDEPENDENT, False))}


def _is_small(situation: Situation) -> bool:
    return len(weighed(situation)) <= MOST_ROWS


def _matrix(situation: Situation) -> Traits:
    chosen = situation.spec.matrix
    is_named = isinstance(chosen, str)
    options = (*spec.MATRICES, BY_NUMBER) if _is_small(situation) or not is_named else spec.MATRICES
    return {"options": options, "value": chosen if is_named else BY_NUMBER}


def _matrix_numbers(situation: Situation) -> Traits:
    names, none = weighed(situation), tuple[tuple[float, ...], ...]()
    weighs_pairs = if_possible(lambda: situation.weighs_pairs, False)
    is_known = _is_small(situation) and (weighs_pairs or situation.spec.matrix != spec.INVERSE_COVARIANCE)
    rows = if_possible(lambda: situation.matrix.matrix, none) if is_known else none
    if len(rows) != len(names):  # a matrix of another lens, or of none
        rows = tuple(map(tuple, np.eye(len(names)).tolist())) if is_known else none
    shown = names if _is_small(situation) else ()
    return {"rows": shown, "columns": shown, "value": rows}


def _share_slider(share: float) -> Traits:
    """Return the settings by which a slider shows a share: whole per cents, and tenths only where it needs them."""
    is_whole = abs(share - round(share, 2)) < 1e-9 and SLIDER_STEP <= share <= 1 - SLIDER_STEP
    step = SLIDER_STEP if is_whole else FINE_STEP
    return {"min": step, "max": 1 - step, "step": step, "readout_format": ".0f" if is_whole else ".1f", "value": share}


def _is_shown(share: float, chosen: float) -> bool:
    """Whether a slider that shows what is chosen says it once more, moved to its own steps."""
    return abs(share - chosen) <= FINE_STEP / 2 + 1e-9


def _share(name: str) -> ControlValue:

    def choose(share: float, asked: Asked) -> Traits:
        return {} if _is_shown(share, getattr(asked.spec, name)) else {name: round(share, 4)}

    return ControlValue(lambda situation: _share_slider(getattr(situation.spec, name)), choose)


def _prevalence(situation: Situation) -> Traits:
    of_samples = if_possible(lambda: situation.before.problems[0].mean_target, 0.5)
    if not has_both_outcomes(situation):
        return _share_slider(0.5) | {"min": 0.0, "max": 1.0, "value": situation.spec.prevalence or of_samples}
    return _share_slider(situation.spec.prevalence or min(0.99, max(0.01, round(of_samples, 2))))


def _with_prevalence(share: float, asked: Asked) -> Traits:
    """The chosen prevalence; None, which follows the samples, if it is theirs."""
    of_samples, chosen = asked.situation.before.problems[0].mean_target, asked.spec.prevalence
    if chosen is not None and _is_shown(share, chosen):
        return {}
    return {"prevalence": None if round(share, 4) == round(of_samples, 2) else round(share, 4)}


def _samples(situation: Situation) -> Traits:
    many = if_possible(lambda: situation.nouns.many, "samples")
    names = f"{many} it has not seen", f"{many} it was fitted to"
    return {"options": tuple(zip(names, spec.SAMPLES, strict=True))}


def _models(situation: Situation) -> tuple[str, ...]:
    return tuple(situation.engine.models)


def _overlays(situation: Situation) -> Traits:
    models = _models(situation)
    choices = spec.overlay_choices(models if len(models) > 1 else (), situation.spec.known_calibrators)
    labels = (text if each.is_model else f"{spec.OF_CALIBRATOR}{called(each.name)}" for text, each in choices.items())
    return {"options": tuple(choices), "labels": tuple(labels)}


def _calibrators(situation: Situation) -> tuple[tuple[str, str], ...]:
    helping: tuple[str, ...] = if_possible(lambda: helping_calibrators(situation), ())
    names, _ = calibrators_in_order(situation, helping)
    return tuple((called(name), name) for name in names)


VALUES: Mapping[str, ControlValue] = {
    "model": ControlValue(
        lambda situation: {"options": _models(situation)}, is_seen=lambda situation: len(situation.engine.models) > 1
    ),
    "kind": ControlValue(_lens_kind, _lens),
    "number": ControlValue(_lens_number, _lens, _is_numbered),
    "class_": ControlValue(_lens_class, _lens, _has_kind("class")),
    "groups": ControlValue(
        _groups,
        lambda text, asked: {"groups": typed.groups_choice(text, asked.class_names), "outcome": None},
        _has_kind("grouping"),
    ),
    "outcome": ControlValue(
        lambda situation: _menu(_outcomes(situation), situation.spec.outcome),
        is_seen=lambda situation: bool(_outcomes(situation)),
    ),
    "margin": _share("margin"),
    "labels": ControlValue(
        _labels, lambda names, asked: {"selection": edits.with_labels(asked.spec.selection, names, asked.class_names)}
    ),
    "confidence": _range(edits.CONFIDENCE),
    "output": _range(edits.OUTPUT),
    "examples": ControlValue(
        _examples,
        lambda text, asked: {} if text == CHOOSE else {"selection": edits.with_part(asked.spec.selection, text)},
    ),
    "cluster": ControlValue(_clusters, is_seen=lambda situation: not situation.of_summary),
    "binning": _with_own(BINNINGS, "binning"),
    "gamma": ControlValue(lambda situation: {"options": spec.gamma_options({*spec.GAMMAS, situation.spec.gamma})}),
    "gamma_number": ControlValue(
        lambda situation: {"value": spec.gamma_text(situation.spec.gamma)},
        lambda text, _: {"gamma": typed.number_of(text, "a gamma", "0.1 or 1/20")},
    ),
    "distance": _with_own(spec.DISTANCES, "distance"),
    "weights": ControlValue(_weights, _with_weights, lambda situation: len(weighed(situation)) <= MOST_WEIGHTS, True),
    "weights_text": ControlValue(
        _weights_text, _with_weights_text, lambda situation: len(weighed(situation)) > MOST_WEIGHTS, True
    ),
    "matrix": ControlValue(
        _matrix, lambda name, asked: {"matrix": asked.situation.matrix.matrix if name == BY_NUMBER else name}
    ),
    "matrix_numbers": ControlValue(_matrix_numbers, lambda rows, _: {"matrix": rows}, _is_small),
    "likert": ControlValue(
        lambda situation: {"value": typed.likert_text(situation.spec.likert)},
        lambda text, _: {"likert": typed.likert_choice(text)},
    ),
    "calibrator": ControlValue(lambda situation: {"options": _calibrators(situation)}),
    "overlays": ControlValue(_overlays),
    "samples": ControlValue(_samples),
    "calibrators": ControlValue(
        lambda situation: {
            "options": situation.spec.known_calibrators,
            "labels": tuple(map(called, situation.spec.known_calibrators)),
        }
    ),
    "metrics": _with_own(spec.MENU, "metric"),
    "temperature": ControlValue(
        lambda situation: {"value": "" if situation.spec.temperature is None else f"{situation.spec.temperature:g}"},
        lambda text, _: {"temperature": typed.number_of(text, "a temperature", "1.5") if text.strip() else None},
    ),
    "by": ControlValue(choose=lambda by, _: {"by": by, "zoom": ()}),  # other names have other ranks
    "centre": ControlValue(_centres),
    "bin": ControlValue(
        lambda situation: {"value": 0 if situation.spec.bin is None else situation.spec.bin + 1},
        lambda number, _: {"bin": number - 1 if number else None},
    ),
    "threshold": _share("threshold"),
    "cost_ratio": ControlValue(
        lambda situation: {"value": typed.ratio_text(situation.spec.threshold)},
        lambda text, _: {"threshold": typed.ratio_threshold(text)},
    ),
    "cost_steps": ControlValue(
        lambda situation: {"options": typed.ratio_options(situation.spec.threshold), "value": situation.spec.threshold},
        lambda threshold, _: {"threshold": threshold},
    ),
    "prevalence": ControlValue(_prevalence, _with_prevalence),
    "risk": _share("risk"),
}
