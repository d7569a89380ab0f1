"""The controls: each sets the state and follows it; none knows a panel or another control."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets
import numpy as np

from ....answers.asked import category_text, selection_edits
from ....answers.asked.choices import BY_NUMBER, CHOICES, CHOOSE, CONTROLS, word_of
from ....answers.asked.number_text import number_of, ratio_text, ratio_threshold
from ....answers.asked.overlays import overlay_choices
from ....answers.asked.presets import PRESETS
from ....answers.asked.spec import GAMMAS, INVERSE_COVARIANCE, MATRICES, gamma_options, gamma_text
from ....answers.situation.situation import Situation
from ....context.lens_names import LENS_KINDS
from ....data.predictions import Predictions
from ....foundation import validation
from ...state.state import ExplorerState
from ...transport.shared_widgets import Layout
from ...transport.transport import Shared, Transport, assign
from .control_effects import if_possible, lacking, lacking_of_weights
from .control_kinds import (
    MOST_ROWS,
    MOST_WEIGHTS,
    OF_DRAWER,
    control_classes,
    widget_of,
)
from .drawer import Drawer
from .number_grid import NumberGrid

Range = tuple[float, float]

#: Controls that show a choice in another form.
OTHERS = (
    "outcome",
    "groups",
    "selection",
    "temperature",
    "likert",
    "threshold",
    "prevalence",
    "bin",
    "weights",
    "matrix",
)
PLAIN = [name for name, choice in CHOICES.items() if choice.kind and name not in OTHERS]
MOST_RANKS = 20
WEIGHTS = ("weights", "weights_text")  # controls that show the last good numbers again when theirs are refused
SLIDER_STEP, FINE_STEP = 0.01, 0.001  # of the sliders of scores
AS_BEFORE = "The last good value is back."


class Controls:
    """All controls, linked to a state; `controls["bins"]` is the one of that name.

    A control is made when it is first on screen, since a page opens sooner without what nobody sees yet.

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
        self._is_shown: dict[str, bool] = {}
        self._drawer: Drawer | None = None
        self.widget = ipywidgets.VBox(
            layout=Layout(display="none", transport=transport), _dom_classes=("calibviz-controls",)
        )

    def __getitem__(self, name: str) -> Shared:
        """The control of a name of `CONTROLS`, which is made if it is not yet; `follow` lets it show the choices."""
        if name not in self._by_name:
            control = widget_of(CONTROLS[name], self._transport)
            self._by_name[name] = control
            self._transport.explain(control, CONTROLS[name].meaning)
            self._link(name, control)
        return self._by_name[name]

    def open(self) -> None:
        """Show the drawer."""
        if self._drawer is None:
            with self._transport.collect():
                self._drawer = Drawer(self._transport, self._take_away, self._apply_search)
                of_drawer = {name: self[name] for name in OF_DRAWER}
                self.widget.children = self._drawer.children(of_drawer)
                self.follow(self._look)
        self.widget.layout.display = None

    def close(self) -> None:
        """Hide the drawer."""
        self.widget.layout.display = "none"

    def _link(self, name: str, control: Shared) -> None:
        """Let a control set its choice."""
        if name == "preset":
            control.observe(self._preset, "value")
            return
        choice_of = self._choice_of.get(name, lambda value: {name: value})

        def changed(change: Any) -> None:
            if self._following:
                return
            self._refuse("")
            try:
                chosen = choice_of(change.new)
            except (TypeError, ValueError) as error:
                self._refuse_weight(name, str(error)) if name in WEIGHTS else self._say(str(error))
            else:
                self._choose(**chosen)

        control.observe(changed, "value")
        if isinstance(control, NumberGrid):
            control.on_refuse(
                lambda cell: self._refuse_weight(name, f"the number of {cell} is not one that can be read")
            )

    @property
    def _choice_of(self) -> dict[str, Callable[[Any], dict[str, Any]]]:
        """What a control makes of its value, where that is not the choice of the same name."""
        state = self._state
        return {
            "by": lambda by: {"by": by, "zoom": ()},  # other names have other ranks
            **dict.fromkeys(("kind", "number", "class_"), lambda _: self._lens()),
            "likert": lambda text: {"likert": category_text.likert_choice(text)},
            "groups": lambda text: {
                "groups": category_text.groups_choice(text, self._class_names()),
                "outcome": None,
            },
            "threshold": self._threshold,
            "gamma_number": lambda text: {"gamma": number_of(text, "a gamma", "0.1 or 1/20")},
            "temperature": lambda text: {
                "temperature": number_of(text, "a temperature", "1.5") if text.strip() else None
            },
            "cost_ratio": lambda text: {"threshold": ratio_threshold(text)},
            "prevalence": self._prevalence,
            "bin": lambda number: {"bin": number - 1 if number else None},
            "labels": lambda names: {
                "selection": selection_edits.with_labels(state.selection, names, self._class_names())
            },
            "confidence": lambda ends: self._with_range(
                ends, selection_edits.chosen_confidence, selection_edits.with_confidence
            ),
            "output": lambda ends: self._with_range(ends, selection_edits.chosen_output, selection_edits.with_output),
            "examples": lambda text: (
                {} if text == CHOOSE else {"selection": selection_edits.with_part(state.selection, text)}
            ),
            "weights": lambda rows: self._with_weights([row[0] for row in rows]),
            "weights_text": self._weights_of,
            "matrix": lambda name: {"matrix": self._look.matrix.matrix if name == BY_NUMBER else name},
            "matrix_numbers": lambda rows: {"matrix": rows},
        }

    def _with_range(
        self, ends: Range, chosen: Callable[[str], Range], changed: Callable[[str, float, float], str]
    ) -> dict[str, Any]:
        """The selection with the range of a slider.

        A slider that is shown says its range once more, moved to its own steps: that changes nothing.
        """
        text = self._state.selection
        if all(abs(end - kept) <= SLIDER_STEP / 2 + 1e-9 for end, kept in zip(ends, chosen(text), strict=True)):
            return {}
        return {"selection": changed(text, round(ends[0], 4), round(ends[1], 4))}

    def _threshold(self, share: float) -> dict[str, Any]:
        return {} if _is_shown(share, self._state.threshold) else {"threshold": round(share, 4)}

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
    def _weighed(look: Situation) -> tuple[str, ...]:
        """The outcomes that have a weight under a lens; of a lens of one score the classes, for later."""
        return if_possible(lambda: look.outcomes, tuple[str, ...]()) or look.predictions.class_names

    def _refuse(self, sentence: str) -> None:
        if self._drawer is not None:
            self._drawer.refuse(sentence)

    def _refuse_weight(self, name: str, why: str) -> None:
        """Say in the drawer why numbers are refused, and let the control show the last good ones again."""
        with self._transport.collect():
            self._say("")
            self._refuse(f"{CONTROLS[name].word}: {why}. {AS_BEFORE}")
            if name not in WEIGHTS:  # the page has put the one cell back, and what was typed in the others stays
                return
            self._following = True
            try:
                self._follow_weights(self._look)
            finally:
                self._following = False

    def _take_away(self, i: int) -> None:
        self._choose(selection=selection_edits.without(self._state.selection, i))

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
        of_samples, chosen = self._look.before.problems[0].mean_target, self._state.prevalence
        if chosen is not None and _is_shown(share, chosen):
            return {}
        return {"prevalence": None if round(share, 4) == round(of_samples, 2) else round(share, 4)}

    def _class_names(self) -> tuple[str, ...]:
        return self._look.engine.models[self._state.model][0].class_names

    def follow(self, look: Situation) -> None:
        """Let the controls show the choices of a look."""
        self._following, self._look = True, look
        self._refuse("")
        try:
            self._follow(look)
        finally:
            self._following = False

    def _follow(self, look: Situation) -> None:
        if not self._by_name:  # none has been on screen yet
            return
        spec, names = look.spec, look.predictions.class_names
        if self._asked is not None and self._asked != self._state.to_dict():
            self._asked = None  # the menu goes back, so that the same preset can be chosen again
            self._put("preset", value=CHOOSE)
        self._offer_options(look)
        for name in PLAIN:
            self._put(name, value=getattr(spec, name))
        self._follow_lens(look)
        for name, lacks in lacking(look).items():
            self._give_effect(name, lacks)
        self._put("temperature", value="" if spec.temperature is None else f"{spec.temperature:g}")
        self._put("gamma_number", value=gamma_text(spec.gamma))
        if "weights" in self._by_name:
            self._follow_weights(look)
        self._put("likert", value=category_text.likert_text(spec.likert))
        self._put("threshold", **_slider_of(spec.threshold))
        self._put("cost_ratio", value=ratio_text(spec.threshold))
        of_samples = if_possible(lambda: look.before.problems[0].mean_target, 0.5)
        self._put("prevalence", **_slider_of(spec.prevalence or min(0.99, max(0.01, round(of_samples, 2)))))
        self._put("bin", value=0 if spec.bin is None else spec.bin + 1)
        if self._drawer is not None:
            self._drawer.say_what_differs(self._differing())
            self._follow_selection(look, names)

    def _offer_options(self, look: Situation) -> None:
        """Let the menus offer what there is; what is the user's own joins them."""
        spec, models = look.spec, self._state.models
        self._show("model", len(models) > 1)
        self._show("share", look.engine.calibration is None)
        for name, options in {
            "model": models,
            "overlays": tuple(overlay_choices(models if len(models) > 1 else (), spec.known_calibrators)),
            "calibrator": spec.known_calibrators,
            "calibrators": spec.known_calibrators,
            "metrics": spec.known_metrics,
            "distance": spec.known_distances,
            "binning": spec.known_binnings,
            "kind": ("class",) if look.of_summary else spec.known_kinds,
            "gamma": gamma_options({*GAMMAS, spec.gamma}),
        }.items():
            self._offer(name, options)

    def _follow_lens(self, look: Situation) -> None:
        """Let the kind of the lens, its number or class, its groups and its outcome show what is looked at."""
        spec, names = look.spec, look.predictions.class_names
        kind, parameter = selection_edits.lens_parts(spec.lens)
        if "kind" in self._by_name and kind in self["kind"].options:
            self._put("kind", value=kind)
        counted = kind in LENS_KINDS and LENS_KINDS[kind].takes == "number"
        if counted:
            number = int(parameter)
            self._bound("number", LENS_KINDS[kind].least, max(min(len(names), MOST_RANKS), number), number)
        self._show("number", counted)
        positive = names[1] if len(names) == 2 else None  # of two classes, the second is the positive one
        self._options("class_", names, self._class_name(names, parameter) if kind == "class" else positive)
        self._show("class_", kind == "class")
        self._show("groups", kind == "grouping")
        self._put("groups", value=category_text.groups_text(spec.groups or self._named_groups(look)))
        outcomes: tuple[str, ...] = if_possible(lambda: look.outcomes, ())
        self._options("outcome", outcomes, spec.outcome)
        self._show("outcome", bool(outcomes))

    def _follow_weights(self, look: Situation) -> None:
        """Let the weights and the matrix show those of the outcomes that are looked at."""
        spec, names = look.spec, self._weighed(look)
        weights = spec.weights_of(names)
        is_short = len(names) <= MOST_WEIGHTS
        assign(self["weights"], rows=names[:MOST_WEIGHTS], value=tuple((weight,) for weight in weights[:MOST_WEIGHTS]))
        chosen = [(name, weight) for name, weight in spec.weights if name in names]
        assign(self["weights_text"], value=category_text.weights_text(chosen))
        self._show("weights", is_short)
        self._show("weights_text", not is_short)
        none: tuple[tuple[float, ...], ...] = ()
        is_small, is_named = len(names) <= MOST_ROWS, isinstance(spec.matrix, str)
        options = (*MATRICES, BY_NUMBER) if is_small or not is_named else MATRICES
        if tuple(self["matrix"].options) != options:
            assign(self["matrix"], options=options)
        assign(self["matrix"], value=spec.matrix if is_named else BY_NUMBER)
        weighs_pairs = if_possible(lambda: look.weighs_pairs, False)
        is_known = is_small and (weighs_pairs or spec.matrix != INVERSE_COVARIANCE)
        rows = if_possible(lambda: look.matrix.matrix, none) if is_known else none
        if len(rows) != len(names):  # a matrix of another lens, or of none
            rows = tuple(map(tuple, np.eye(len(names)).tolist())) if is_known else none
        shown = names if is_small else ()
        assign(self["matrix_numbers"], rows=shown, columns=shown, value=rows)
        self._show("matrix_numbers", is_small)
        for name, lacks in lacking_of_weights(look, weighs_pairs).items():
            self._give_effect(name, lacks)

    def _differing(self) -> str:
        """Which settings are no longer as they were at the start, in a sentence."""
        chosen, defaults = self._state.to_dict(), self._state.defaults
        names = [name for name in chosen if CHOICES[name].is_setting and chosen[name] != defaults[name]]
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
        assert self._drawer is not None
        self._drawer.show_conditions(selection_edits.conjuncts(text))

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

    def _bound(self, name: str, least: int, most: int, value: int) -> None:
        """Give a slider its ends and its value; in this order no end ever crosses the other one or the value."""
        if name in self._by_name:
            slider: Any = self[name]
            assign(slider, min=min(least, slider.min), max=max(most, slider.max))
            assign(slider, value=value)
            assign(slider, min=least, max=most)

    def _options(self, name: str, options: Sequence[str], value: str | None) -> None:
        """Give a menu its options, and one of them as its value: `value`, or the first one where it is none."""
        self._offer(name, tuple(options))
        if options:
            self._put(name, value=value if value in options else options[0])

    def _offer(self, name: str, options: tuple[Any, ...]) -> None:
        """Give a menu its options, if it is made and has others."""
        if name in self._by_name and tuple(self[name].options) != options:
            assign(self[name], options=options)

    def _put(self, name: str, **traits: Any) -> None:
        """Set traits of a control that is made; one that is made later follows then."""
        if name in self._by_name:
            assign(self[name], **traits)

    def _give_effect(self, name: str, lacks: str) -> None:
        """Let a control work, or be faint and say what it lacks to have an effect."""
        classes = control_classes(name, bool(CONTROLS[name].small(lacks)), bool(lacks))
        self._put(name, disabled=bool(lacks), description=CONTROLS[name].label(lacks), _dom_classes=classes)

    def _show(self, name: str, shown: bool) -> None:
        self._is_shown[name] = shown
        if name in self._by_name:
            sought = "" if self._drawer is None or name not in OF_DRAWER else self._drawer.sought
            assign(self[name].layout, display=None if shown and CONTROLS[name].holds(sought) else "none")

    def _apply_search(self) -> None:
        """Show the controls whose words or meaning hold what is searched for."""
        with self._transport.collect():
            for name in self._by_name:
                self._show(name, self._is_shown.get(name, True))


def _slider_of(share: float) -> dict[str, Any]:
    """What lets a slider show a share: whole per cents, and tenths of them only where the share needs them."""
    is_whole = abs(share - round(share, 2)) < 1e-9 and SLIDER_STEP <= share <= 1 - SLIDER_STEP
    step = SLIDER_STEP if is_whole else FINE_STEP
    return {"min": step, "max": 1 - step, "step": step, "readout_format": ".0f" if is_whole else ".1f", "value": share}


def _is_shown(share: float, chosen: float) -> bool:
    """Whether a slider that shows what is chosen says it once more, moved to its own steps."""
    return abs(share - chosen) <= FINE_STEP / 2 + 1e-9


def _samples_of_classes(predictions: Predictions) -> tuple[str, ...]:
    """How many samples each class has; nothing where labels are soft."""
    if predictions.labels is None:
        return ()
    counts = np.bincount(predictions.labels, minlength=predictions.n_classes)
    return tuple(f"{count:,}" for count in counts.tolist())
