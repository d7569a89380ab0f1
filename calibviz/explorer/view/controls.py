"""The controls: each sets the state and follows it; none knows a panel or another control."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import Any, TypeVar

import ipywidgets
import numpy as np

from ...context.lens_names import LENS_KINDS
from ...data.predictions import Predictions
from ...foundation import validation
from ..model.situation import Situation
from ..state import category_text, selection_edits
from ..state.glossary import TERMS, word_of
from ..state.presets import PRESETS
from ..state.spec import GAMMAS, INVERSE_COVARIANCE, MAHALANOBIS, MATRICES, SPLINES, WEIGHTED, gamma_text
from ..state.state import ExplorerState, overlay_choices
from ..transport.shared_widgets import HTML, Button, Layout, Text, VBox
from ..transport.transport import Shared, Transport, assign
from .control_kinds import (
    BY_NUMBER,
    CHOOSE,
    LATER,
    MOST_ROWS,
    MOST_WEIGHTS,
    OTHERS,
    PLAIN,
    SECTIONS,
    control_classes,
    gamma_options,
    make_control,
)
from .number_grid import NumberGrid
from .sentence import Sentence

T = TypeVar("T")

#: The choices that stand in no sentence about settings: what is open, chosen in a panel, or kept.
NOT_SET_HERE = ("panels", "bin", "order", "sample", "depth", "minimum", "zoom", "kept")
#: The controls that stand in a panel.
OF_PANELS = {*PLAIN, *OTHERS, *LATER} - {name for _, names in SECTIONS for name in names}
MOST_RANKS = 20
WEIGHTS = ("weights", "weights_text")  # controls that show the last good numbers again when theirs are refused
AS_BEFORE = "The last good value is back."


class Controls:
    """All controls, linked to a state; `controls["bins"]` is the one of that name.

    Parameters
    ----------
    state : ExplorerState
    look : Situation
        What the controls show at first.
    transport : Transport
    choose : callable
        Sets choices of the state, or shows why they are refused.
    say : callable
        Shows a sentence if the value of a control cannot be read.
    advise : callable
        Shows what to look for after a preset was chosen.
    """

    def __init__(
        self,
        state: ExplorerState,
        look: Situation,
        transport: Transport,
        choose: Callable[..., None],
        say: Callable[[str], None],
        advise: Callable[[str], None],
    ) -> None:
        self._state, self._look, self._choose, self._say, self._advise = state, look, choose, say, advise
        self._transport = transport
        self._following = False
        self._asked: dict[str, Any] | None = None  # the choices that a preset has made
        self._examples_of = ""
        self._by_name: dict[str, Shared] = {}
        for name in {**PLAIN, **OTHERS}:
            self._make(name)
        self._explain()
        self.chips = VBox(transport=transport, _dom_classes=("calibviz-chips",))
        # In the drawer, beside what it is about: the status line would lie over what is looked at.
        self._refusal = Sentence(transport=transport, _dom_classes=("calibviz-refusal",))
        self["preset"].observe(self._preset, "value")
        self._search = Text(
            placeholder="find a setting", description="find", transport=transport, _dom_classes=("calibviz-find",)
        )
        self._search.observe(lambda _: self._apply_search(), "value")
        self._differs = HTML(transport=transport, _dom_classes=("calibviz-differs",))
        self._is_shown: dict[str, bool] = {}
        self._fill(look)
        self._link()
        self._headings = {title: HTML(f"<h3>{title}</h3>") for title, _ in SECTIONS}
        self.widget = ipywidgets.VBox(
            self._children(),
            layout=Layout(display="none", transport=transport),  # a drawer, closed at first
            _dom_classes=("calibviz-controls",),
        )
        self.follow(look)

    def __getitem__(self, name: str) -> Shared:
        """The control of a name of `TERMS`; one of `LATER` is made now, if it is not yet."""
        if name not in self._by_name:
            self._make(name)
            self._explain()
            self._on_change(name, self._later[name])
            if isinstance(control := self._by_name[name], NumberGrid):
                control.on_refuse(lambda cell: self._refuse(name, f"the number of {cell} is not one that can be read"))
        return self._by_name[name]

    def _make(self, name: str) -> None:
        term, (kind, traits) = TERMS[name], {**PLAIN, **OTHERS, **LATER}[name]
        label = term.label(), term.meaning
        self._by_name[name] = make_control(kind, name, label, self._transport, traits, bool(term.small()))

    def _explain(self) -> None:
        """Give every control a tooltip: lists and texts of ipywidgets show none."""
        meanings = {control.model_id: TERMS[name].meaning for name, control in self._by_name.items()}
        assign(self._transport, hints=meanings)

    def _children(self) -> list[ipywidgets.Widget]:
        """What is in the drawer, from top to bottom, as far as it is made."""
        controls = {**self._by_name, "chips": self.chips, "refusal": self._refusal}
        sections = [
            [self._headings[title], *(controls[name] for name in names if name in controls)]
            for title, names in SECTIONS
        ]
        return [self._search, *(widget for section in sections for widget in section), self._differs]

    def complete(self) -> None:
        """Make what is still missing in the drawer, which is about to be opened."""
        of_drawer = [name for _, names in SECTIONS for name in names if name in LATER]
        if all(name in self._by_name for name in of_drawer):
            return
        with self._transport.collect():
            for name in of_drawer:
                _ = self[name]
            self.follow(self._look)
            self.widget.children = self._children()

    def _fill(self, look: Situation) -> None:
        """Set what depends on the predictions alone."""
        models = self._state.models
        self["model"].options = models
        if look.of_summary:
            self["kind"].options = ("class",)
        self._show("model", len(models) > 1)
        self._show("share", look.engine.calibration is None)

    def _link(self) -> None:
        """Let each control set its choice."""
        state = self._state
        for name in PLAIN:
            if name != "by":
                self._on_change(name)
        self._on_change("by", lambda by: {"by": by, "zoom": ()})  # other names have other ranks
        for name in ("kind", "number", "class_"):
            self._on_change(name, lambda _: self._lens())
        self._on_change("selection", lambda text: {"selection": text})
        self._on_change("likert", lambda text: {"likert": category_text.likert_choice(text)})
        self._on_change(
            "groups", lambda text: {"groups": category_text.groups_choice(text, self._class_names()), "outcome": None}
        )
        self._on_change("threshold", lambda share: {"threshold": round(share, 2)})
        self._on_change("gamma_number", lambda text: {"gamma": number_of(text, "a gamma", "0.1 or 1/20")})
        self._on_change(
            "temperature",
            lambda text: {"temperature": number_of(text, "a temperature", "1.5") if text.strip() else None},
        )
        self._on_change("cost_ratio", lambda text: {"threshold": threshold_of(text)})
        self._on_change("prevalence", self._prevalence)
        self._on_change("bin", lambda number: {"bin": number - 1 if number else None})
        self._on_change(
            "labels",
            lambda names: {"selection": selection_edits.with_labels(state.selection, names, self._class_names())},
        )
        self._on_change(
            "confidence", lambda ends: {"selection": selection_edits.with_confidence(state.selection, *_rounded(ends))}
        )
        self._on_change(
            "output", lambda ends: {"selection": selection_edits.with_output(state.selection, *_rounded(ends))}
        )
        self._on_change(
            "examples",
            lambda text: {} if text == CHOOSE else {"selection": selection_edits.with_part(state.selection, text)},
        )

    @property
    def _later(self) -> dict[str, Callable[[Any], dict[str, Any]]]:
        """What each control of `LATER` makes of its value."""
        return {
            "weights": lambda rows: self._with_weights([row[0] for row in rows]),
            "weights_text": self._weights_of,
            "matrix": lambda name: {"matrix": self._look.matrix.matrix if name == BY_NUMBER else name},
            "matrix_numbers": lambda rows: {"matrix": rows},
            "switches": lambda words: {"switches": words},
        }

    def _with_weights(self, numbers: Sequence[float]) -> dict[str, Any]:
        """The chosen weights with those of the outcomes that are looked at now."""
        names = self._weighed(self._look)
        if len(numbers) != len(names):  # they were typed before the lens changed
            return {}
        weights = {
            name: category_text.checked_weight(number, name) for name, number in zip(names, numbers, strict=True)
        }
        return {"weights": {**dict(self._state.weights), **weights}}

    def _weights_of(self, text: str) -> dict[str, Any]:
        names = self._weighed(self._look)
        others = {name: weight for name, weight in self._state.weights if name not in names}
        return {"weights": {**others, **category_text.weights_choice(text, names)}}

    @staticmethod
    def _compares_lenses(look: Situation) -> bool:
        """Whether lenses of several outcomes are compared, whatever lens is looked at."""
        return "comparison" in look.spec.panels and look.spec.rows == "lens"

    @staticmethod
    def _compares_in_bins(look: Situation) -> bool:
        """Whether errors in the chosen number of bins are compared, whatever binning is looked at."""
        spec = look.spec
        is_binned = spec.rows == "lens" or (spec.rows == "metric" and "ece" in spec.metrics)
        return "comparison" in spec.panels and (spec.rows == "gce" or (spec.chooses_bins and is_binned))

    @staticmethod
    def _weighed(look: Situation) -> tuple[str, ...]:
        """The outcomes that have a weight under a lens; of a lens of one score the classes, for later."""
        return _possible(lambda: look.outcomes, tuple[str, ...]()) or look.predictions.class_names

    def _on_change(self, name: str, choice_of: Callable[[Any], dict[str, Any]] | None = None) -> None:
        """Let a control set what `choice_of` makes of its value, by default the choice of the same name."""

        def changed(change: Any) -> None:
            if self._following:
                return
            assign(self._refusal, value="")
            try:
                chosen = {name: change.new} if choice_of is None else choice_of(change.new)
            except (TypeError, ValueError) as error:
                self._refuse(name, str(error)) if name in WEIGHTS else self._say(str(error))
            else:
                self._choose(**chosen)

        self[name].observe(changed, "value")

    def _refuse(self, name: str, why: str) -> None:
        """Say in the drawer why numbers are refused, and let the control show the last good ones again."""
        with self._transport.collect():
            self._say("")
            assign(self._refusal, value=f'<div role="alert">{escape(f"{TERMS[name].word}: {why}. {AS_BEFORE}")}</div>')
            if name not in WEIGHTS:  # the page has put the one cell back, and what was typed in the others stays
                return
            self._following = True
            try:
                self._follow_weights(self._look)
            finally:
                self._following = False

    def _preset(self, change: Any) -> None:
        if self._following:
            return
        self._asked = None
        if change.new == CHOOSE:
            self._advise("")
            return
        preset = PRESETS[change.new]
        self._advise(preset.look_for)
        # A preset shows the same picture of a model, whatever was chosen before it.
        kept = {name: getattr(self._state, name) for name in ("model", "groups", "share", "kept")}
        chosen = preset.choices(self._look.predictions)
        if self._look.of_summary:
            chosen |= {"lens": self._look.lens_of_summary, "outcome": None, "panels": self._state.panels}
        self._choose(**{**self._state.defaults, **kept, **chosen})
        self._asked = self._state.to_dict()

    def _lens(self) -> dict[str, Any]:
        kind = self["kind"].value
        number = max(self["number"].value, LENS_KINDS[kind].least if kind in LENS_KINDS else 1)
        return {
            "lens": selection_edits.lens_name(kind, number, self["class_"].value),
            "outcome": selection_edits.kept_outcome(self._state.outcome, kind, number),
        }

    def _prevalence(self, share: float) -> dict[str, Any]:
        """The chosen prevalence; None, which follows the samples, if it is theirs."""
        of_samples = self._look.before.problems[0].mean_target
        return {"prevalence": None if round(share, 2) == round(of_samples, 2) else round(share, 2)}

    def _class_names(self) -> tuple[str, ...]:
        return self._look.engine.models[self._state.model][0].class_names

    def follow(self, look: Situation) -> None:
        """Let the controls show the choices of a look."""
        self._following, self._look = True, look
        assign(self._refusal, value="")
        try:
            self._follow(look)
        finally:
            self._following = False

    def _follow(self, look: Situation) -> None:
        spec, names = look.spec, look.predictions.class_names
        if self._asked is not None and self._asked != self._state.to_dict():
            self._asked = None  # the menu goes back, so that the same preset can be chosen again
            assign(self["preset"], value=CHOOSE)
        models = self._state.models if len(self._state.models) > 1 else ()
        for name, options in {
            "overlays": tuple(overlay_choices(models, spec.known_calibrators)),
            "calibrator": spec.known_calibrators,
            "calibrators": spec.known_calibrators,
            "metrics": spec.known_metrics,
            "distance": spec.known_distances,
            "binning": spec.known_binnings,
            **({} if look.of_summary else {"kind": spec.known_kinds}),
        }.items():
            if tuple(self[name].options) != options:  # what is the user's own joins the menus
                assign(self[name], options=options)
        gammas = gamma_options({*GAMMAS, spec.gamma})
        if self["gamma"].options != gammas:
            assign(self["gamma"], options=gammas)
        for name in PLAIN:
            if name != "outcome":
                assign(self[name], value=getattr(spec, name))
        kind, parameter = selection_edits.lens_parts(spec.lens)
        if kind in self["kind"].options:
            assign(self["kind"], value=kind)
        counted = kind in LENS_KINDS and LENS_KINDS[kind].takes == "number"
        if counted:
            number = int(parameter)
            self._bound(self["number"], LENS_KINDS[kind].least, max(min(len(names), MOST_RANKS), number), number)
        self._show("number", counted)
        positive = names[1] if len(names) == 2 else None  # of two classes, the second is the positive one
        self._options(self["class_"], names, self._class_name(names, parameter) if kind == "class" else positive)
        self._show("class_", kind == "class")
        self._show("groups", kind == "grouping")
        assign(self["groups"], value=category_text.groups_text(spec.groups or self._named_groups(look)))
        outcomes: tuple[str, ...] = _possible(lambda: look.outcomes, tuple[str, ...]())
        self._options(self["outcome"], outcomes, spec.outcome)
        self._show("outcome", bool(outcomes))
        self._follow_selection(look, names)
        is_cut = spec.binning in ("uniform", "equal-mass") or self._compares_in_bins(look)
        self._give_effect("bins", is_cut, "not with sweep or cells")
        compares_metrics = "comparison" in spec.panels and spec.rows == "metric"
        self._give_effect("metrics", compares_metrics or "temperature" in spec.panels, "only with rows of metrics")
        has_levels = "classes" in spec.panels and spec.by == "level"
        differ = bool(outcomes or spec.own_distances) or has_levels or self._compares_lenses(look)
        self._give_effect("distance", differ, "alike for one score a sample")
        for name in ("gamma", "gamma_number"):
            self._give_effect(name, spec.binning == "k-d tree", "only with cells")
        assign(self["temperature"], value="" if spec.temperature is None else f"{spec.temperature:g}")
        assign(self["gamma_number"], value=gamma_text(spec.gamma))
        if "weights" in self._by_name:
            self._follow_weights(look)
        if "switches" in self._by_name:
            assign(self["switches"], value=spec.switches)
            self._give_effect("switches", spec.rows == "gce", "only with the GCE family")
        self._give_effect("interval", len(look.trials) == 1, "trials show a spread")
        for name in ("knots", "spline"):
            self._give_effect(name, spec.calibrator in SPLINES, "only with the spline")
        assign(self["likert"], value=category_text.likert_text(spec.likert))
        assign(self["threshold"], value=min(0.99, max(0.01, spec.threshold)))
        assign(self["cost_ratio"], value=f"{spec.threshold / (1 - spec.threshold):.3g}")
        share = spec.prevalence or _possible(lambda: look.before.problems[0].mean_target, 0.5)
        assign(self["prevalence"], value=min(0.99, max(0.01, round(share, 2))))
        assign(self["bin"], value=0 if spec.bin is None else spec.bin + 1)
        assign(self._differs, value=self._differing())

    def _follow_weights(self, look: Situation) -> None:
        """Let the weights and the matrix show those of the outcomes that are looked at."""
        spec, names = look.spec, self._weighed(look)
        weights = spec.weights_of(names)
        is_elsewhere = self._compares_lenses(look)
        is_short = len(names) <= MOST_WEIGHTS
        assign(self["weights"], rows=names[:MOST_WEIGHTS], value=tuple((weight,) for weight in weights[:MOST_WEIGHTS]))
        chosen = [(name, weight) for name, weight in spec.weights if name in names]
        assign(self["weights_text"], value=category_text.weights_text(chosen))
        self._show("weights", is_short)
        self._show("weights_text", not is_short)
        for name in WEIGHTS:
            needed = "only with class-weighted L2" if spec.distance != WEIGHTED else "only with lenses of several"
            is_here = _possible(lambda: look.weighs_outcomes, False)  # a lens may have no groups yet
            self._give_effect(name, is_here or (spec.distance == WEIGHTED and is_elsewhere), needed)
        none: tuple[tuple[float, ...], ...] = ()
        is_small, is_named = len(names) <= MOST_ROWS, isinstance(spec.matrix, str)
        options = (*MATRICES, BY_NUMBER) if is_small or not is_named else MATRICES
        if tuple(self["matrix"].options) != options:
            assign(self["matrix"], options=options)
        assign(self["matrix"], value=spec.matrix if is_named else BY_NUMBER)
        weighs_pairs = _possible(lambda: look.weighs_pairs, False)
        is_known = is_small and (weighs_pairs or spec.matrix != INVERSE_COVARIANCE)
        rows = _possible(lambda: look.matrix.matrix, none) if is_known else none
        if len(rows) != len(names):  # a matrix of another lens, or of none
            rows = tuple(map(tuple, np.eye(len(names)).tolist())) if is_known else none
        shown = names if is_small else ()
        assign(self["matrix_numbers"], rows=shown, columns=shown, value=rows)
        self._show("matrix_numbers", is_small)
        for name in ("matrix", "matrix_numbers"):
            needed = "only with Mahalanobis" if spec.distance != MAHALANOBIS else "only with bins of whole rows"
            is_compared = name == "matrix" and spec.distance == MAHALANOBIS and is_elsewhere
            self._give_effect(name, weighs_pairs or is_compared, needed)

    def _differing(self) -> str:
        """Which settings are no longer as they were at the start, in a sentence."""
        chosen, defaults = self._state.to_dict(), self._state.defaults
        names = [name for name in chosen if name not in NOT_SET_HERE and chosen[name] != defaults[name]]
        if not names:
            return "All settings are as at the start."
        words = ", ".join(word_of(name) for name in names)
        count = f"{len(names)} settings differ" if len(names) > 1 else "1 setting differs"
        return f"<b>{count}</b> from the start: {words}."

    def _follow_selection(self, look: Situation, names: tuple[str, ...]) -> None:
        text = look.spec.selection
        kept = tuple(name for name in selection_edits.chosen_labels(text, names) if name in names)
        if tuple(self["labels"].options) != names:
            assign(self["labels"], options=names, counts=_samples_of_classes(look.predictions))
        if self._examples_of != look.spec.model:
            self._examples_of = look.spec.model
            assign(self["examples"], options=(CHOOSE, *selection_edits.field_examples(look.predictions)))
        assign(self["labels"], value=kept)
        assign(self["confidence"], value=selection_edits.chosen_confidence(text))
        assign(self["output"], value=selection_edits.chosen_output(text))
        assign(self["selection"], value=text)
        assign(self["examples"], value=CHOOSE)
        parts = selection_edits.conjuncts(text)
        while len(self.chips.children) < len(parts):  # chips are kept: a step of a slider makes no widget
            self.chips.children = [*self.chips.children, self._chip(len(self.chips.children))]
        for i, chip in enumerate(self.chips.children):
            if i < len(parts):
                assign(chip, description=f"{parts[i]} ✕", tooltip=f"Take away: {parts[i]}")
            assign(chip.layout, display=None if i < len(parts) else "none")

    def _chip(self, i: int) -> Button:
        chip = Button(layout=Layout(width="auto", transport=self._transport), transport=self._transport)
        chip.on_click(lambda _: self._choose(selection=selection_edits.without(self._state.selection, i)))
        return chip

    @staticmethod
    def _named_groups(look: Situation) -> tuple[tuple[str, tuple[str, ...]], ...]:
        names = look.predictions.class_names
        return tuple((group, tuple(names[c] for c in members)) for group, members in look.groups.items())

    @staticmethod
    def _class_name(names: Sequence[str], parameter: str) -> str | None:
        try:
            return names[validation.class_index(parameter, names)]
        except ValueError:  # a class of another model; the status line says so
            return None

    @staticmethod
    def _bound(slider: Any, least: int, most: int, value: int) -> None:
        # In this order, no bound ever crosses the other one or the value.
        assign(slider, min=min(least, slider.min), max=max(most, slider.max))
        assign(slider, value=value)
        assign(slider, min=least, max=most)

    @staticmethod
    def _options(control: Any, options: Sequence[str], value: str | None) -> None:
        if tuple(control.options) != tuple(options):
            assign(control, options=tuple(options))
        if value in options:
            assign(control, value=value)
        elif options:
            assign(control, value=options[0])

    def _give_effect(self, name: str, has_effect: bool, otherwise: str) -> None:
        """Let a control work, or be faint and say when it would have an effect."""
        without = "" if has_effect else otherwise
        classes = control_classes(name, bool(TERMS[name].small(without)))
        assign(self[name], disabled=not has_effect, description=TERMS[name].label(without), _dom_classes=classes)

    def _show(self, name: str, shown: bool) -> None:
        self._is_shown[name] = shown
        is_found = name in OF_PANELS or TERMS[name].holds(self._search.value.strip())
        assign(self[name].layout, display=None if shown and is_found else "none")

    def _apply_search(self) -> None:
        """Show the controls whose words or meaning hold what is searched for."""
        with self._transport.collect():
            for name in self._by_name:
                self._show(name, self._is_shown.get(name, True))


def _possible(make: Callable[[], T], otherwise: T) -> T:
    """The result of `make`, or `otherwise` where nothing can be shown; the status line says why."""
    try:
        return make()
    except ValueError:
        return otherwise


def _samples_of_classes(predictions: Predictions) -> tuple[str, ...]:
    """How many samples each class has; nothing where labels are soft."""
    if predictions.labels is None:
        return ()
    counts = np.bincount(predictions.labels, minlength=predictions.n_classes)
    return tuple(f"{count:,}" for count in counts.tolist())


def threshold_of(text: str) -> float:
    """The threshold t = r / (1 + r) of a cost ratio r; "1/4" and "0.25" both give 0.2."""
    ratio = number_of(text, "a cost ratio", "0.25 or 1/4")
    return ratio / (1 + ratio)


def number_of(text: str, what: str, example: str) -> float:
    """The positive number that a text means; "1/4" and "0.25" are the same."""
    above, _, below = text.partition("/")
    try:
        number = float(above) / float(below or 1)
    except (ValueError, ZeroDivisionError):
        number = math.nan
    if not 0 < number < math.inf:
        raise ValueError(f"{what} is a positive number or fraction such as {example}, not {text!r}")
    return number


def _rounded(ends: tuple[float, float]) -> tuple[float, float]:
    return round(ends[0], 4), round(ends[1], 4)
