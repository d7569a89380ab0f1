"""The controls: each sets the state and follows it; none knows a panel or another control."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets

from ....answers.asked import selection_edits
from ....answers.asked.choices import CHOICES, CHOOSE, CONTROLS, word_of
from ....answers.asked.presets import PRESETS
from ....answers.situation.situation import Situation
from ...state.state import ExplorerState
from ...transport.shared_widgets import Layout
from ...transport.transport import Following, Shared, Transport, assign
from .control_effects import lacking
from .control_kinds import OF_DRAWER, control_classes, widget_of
from .control_values import VALUES, Asked, ControlValue, preset_choices
from .drawer import Drawer
from .number_grid import NumberGrid

PLAIN = ControlValue()
AS_BEFORE = "The last good value is back."


class Controls(Following):
    """All controls, linked to a state; `controls["bins"]` is the one of that name.

    A control is made when it is first on screen, since a page opens sooner without what nobody sees yet. `choose` sets
    choices of the state, or shows why they are refused; `say` shows a sentence if the value of a control cannot be
    read, and `advise` what to look for after a preset was chosen.
    """

    def __init__(
        self,
        state: ExplorerState,
        situation: Situation,
        transport: Transport,
        choose: Callable[..., None],
        say: Callable[[str], None],
        advise: Callable[[str], None],
    ) -> None:
        self._state, self._situation, self._choose, self._say, self._advise = state, situation, choose, say, advise
        self._transport = transport
        self._asked: dict[str, Any] | None = None  # the choices that a preset has made
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
            self._link(name, control)
        return self._by_name[name]

    def open(self) -> None:
        """Show the drawer."""
        with self._transport.collect():  # a setting that is there can take the focus, so it is in sight as well
            if self._drawer is None:
                self._drawer = Drawer(self._transport, self._take_away, self._apply_search)
                of_drawer = {name: self[name] for name in OF_DRAWER}
                self.widget.children = self._drawer.children(of_drawer)
                self.follow(self._situation)
            self.widget.layout.display = None

    def find(self, words: str) -> None:
        """Show only those settings of the drawer, which is open, that hold these words, or stand below them."""
        assert self._drawer is not None
        self._drawer.seek(words)

    def close(self) -> None:
        """Hide the drawer."""
        self.widget.layout.display = "none"

    def _link(self, name: str, control: Shared) -> None:
        if name == "preset":
            control.observe(self._preset, "value")
            return
        of_value = VALUES.get(name, PLAIN)
        choose = of_value.choose or (lambda value, _: {name: value})

        def changed(change: Any) -> None:
            if self._following:
                return
            self._refuse("")
            try:
                chosen = choose(change.new, self._asking)
            except (TypeError, ValueError) as error:
                self._refuse_beside(name, str(error)) if of_value.is_beside else self._say(str(error))
            else:
                self._choose(**chosen)

        control.observe(changed, "value")
        if isinstance(control, NumberGrid):
            control.on_refuse(
                lambda cell: self._refuse_beside(name, f"the number of {cell} is not one that can be read")
            )

    @property
    def _asking(self) -> Asked:
        return Asked(self._state.spec, self._situation, lambda name: self[name].value)

    def _refuse(self, sentence: str) -> None:
        if self._drawer is not None:
            self._drawer.refuse(sentence)

    def _refuse_beside(self, name: str, why: str) -> None:
        """Say in the drawer why numbers are refused, and let the control show the last good ones again."""
        with self._transport.collect():
            self._say("")
            self._refuse(f"{CONTROLS[name].word}: {why}. {AS_BEFORE}")
            if not VALUES[name].is_beside:  # the page has put the one cell back, and what was typed in the others stays
                return
            self.show_value(name, self._situation)

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
        self._choose(**preset_choices(preset, self._state.defaults, self._asking))
        self._asked = self._state.to_dict()

    def follow(self, situation: Situation) -> None:
        """Let the controls show the choices of a situation."""
        self._situation = situation
        self._refuse("")
        if self._by_name:  # else none has been on screen yet
            with self._follows():
                self._follow(situation)

    def _follow(self, situation: Situation) -> None:
        if self._asked is not None and self._asked != self._state.to_dict():
            self._asked = None  # the menu goes back, so that the same preset can be chosen again
            if "preset" in self._by_name:
                assign(self["preset"], value=CHOOSE)
        lacks = lacking(situation)
        for name in self._by_name:
            self._show_value(name, situation)
            self._show(name, VALUES.get(name, PLAIN).is_seen(situation))
            if name in lacks:
                self._give_effect(name, lacks[name])
        if self._drawer is not None:
            self._drawer.say_what_differs(self._differing())
            self._drawer.show_conditions(selection_edits.conjuncts(situation.spec.selection))

    def show_value(self, name: str, situation: Situation) -> None:
        """Let a control show again what is chosen, and offer what there is; one that is not made yet does so then."""
        if name in self._by_name:
            with self._follows():
                self._show_value(name, situation)

    def _show_value(self, name: str, situation: Situation) -> None:
        control, traits = self[name], VALUES.get(name, PLAIN).show(situation)
        if name in CHOICES:
            traits = {"value": getattr(situation.spec, name), **traits}
        options = traits.pop("options", None)
        if options is not None and tuple(control.options) != options:
            counts = {"counts": traits.pop("counts")} if "counts" in traits else {}
            assign(control, options=options, **counts)
        if "min" in traits:  # in this order no end ever crosses the other one or the value
            assign(control, min=min(traits["min"], control.min), max=max(traits["max"], control.max))
            assign(control, value=traits["value"])
        assign(control, **traits)

    def _differing(self) -> str:
        """Which settings are no longer as they were at the start, in a sentence."""
        differing = self._state._history.differing
        names = [name for name in CHOICES if name in differing and CHOICES[name].is_setting]
        if not names:
            return "All settings are as at the start."
        words = ", ".join(word_of(name) for name in names)
        count = f"{len(names)} settings differ" if len(names) > 1 else "1 setting differs"
        return f"<b>{count}</b> from the start: {words}."

    def _give_effect(self, name: str, lacks: str) -> None:
        """Let a control work, or be faint and say what it lacks to have an effect."""
        control = CONTROLS[name]
        classes = control_classes(control, lacks)
        assign(self[name], disabled=bool(lacks), description=control.label(lacks), _dom_classes=classes)

    def _show(self, name: str, shown: bool) -> None:
        self._is_shown[name] = shown
        sought = "" if self._drawer is None or name not in OF_DRAWER else self._drawer.sought
        assign(self[name].layout, display=None if shown and (not sought or CONTROLS[name].holds(sought)) else "none")

    def _apply_search(self) -> None:
        """Show the controls whose words or meaning hold what is searched for."""
        with self._transport.collect():
            for name in self._by_name:
                self._show(name, self._is_shown.get(name, True))
            assert self._drawer is not None
            self._drawer.show_meanings()
            sought = self._drawer.sought
            self._drawer.show_headings(lambda name: self._is_shown.get(name, True) and CONTROLS[name].holds(sought))
