"""The choices of the Explorer: controls and scripts set them, panels read them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import traitlets

from ...answers.asked.checks import by_name
from ...answers.asked.choices import CHOICES, Choice, checked_choices, first_defaults
from ...answers.asked.own_choices import Known
from ...answers.asked.spec import KEPT_NAMES, Spec
from ...answers.registry import ANSWERS
from ...foundation import validation
from .choices import Choices, Chosen, checked
from .history import History
from .links import from_link, to_link


class ExplorerState(Choices):
    """The choices of the Explorer; set an attribute and every panel follows.

    Attributes
    ----------
    {choices}
    models : tuple of str
    defaults : dict
        The default of every choice. Read-only.
    spec : Spec
        All choices, frozen; panels observe nothing else. Read-only.

    A value that is not allowed raises `traitlets.TraitError` and changes nothing. Set several choices at once with
    `update`, so that panels redraw once.

    See Also
    --------
    Explorer : Shows the state; pass one state to two Explorers or panels to link them.
    """

    vars().update({name: Chosen(choice) for name, choice in CHOICES.items()})
    spec = traitlets.Instance(Spec, read_only=True)

    CHOICES = NAMES = tuple(CHOICES)

    if TYPE_CHECKING:  # the choices

        def __getattr__(self, name: str) -> Any: ...

    def __init__(self, models: Sequence[str], **choices: Any) -> None:
        self._known = Known(models, tuple(ANSWERS))
        self._known.defaults = first_defaults(self.models)
        self._viewers: list[Callable[[Spec], None]] = []
        super().__init__(model=self.models[0])
        self.set_trait("spec", Spec(**self.to_dict()))
        self._start()
        self.observe(self._derive, self.CHOICES)
        self._begin(choices)
        self._start()

    def _begin(self, choices: Mapping[str, Any]) -> None:
        """Take choices as those of the start, which act from an edge of a category unless they say from where."""
        self.update(**choices)
        if "threshold" not in choices:
            self.update(threshold=self.spec.first_threshold)

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models."""
        return self._known.models

    @property
    def defaults(self) -> Mapping[str, Any]:
        """The value of each choice where none was given."""
        return self._known.defaults

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps so far in words, the newest first, without those that are undone; 50 at most."""
        return self._history.steps[: self._history.place][::-1]

    def undo(self) -> None:
        """Take the last step back, if there is one.

        A step is a change of one choice, or of several at once by `update`. Changes of the same choice that follow one
        another within a second, such as the drag of a slider, are one step.

        Examples
        --------
        >>> state = ExplorerState(["forest"])
        >>> state.bins = 20
        >>> state.steps
        ('how many bins: 15 → 20',)
        >>> state.undo()
        >>> state.bins
        15
        """
        self._go(self._history.place - 1)

    def redo(self) -> None:
        """Make the step again that was taken back last, if there is one."""
        self._go(self._history.place + 1)

    def reset(self) -> None:
        """Set all choices to what they were at the start, but `kept`; this is a step that can be taken back."""
        self.update(**{**self._history.start, "kept": self.kept})

    def keep(self, name: str) -> None:
        """Keep all choices of now as "A" or "B", to compare the two.

        Examples
        --------
        >>> state = ExplorerState(["forest"])
        >>> state.keep("A")
        >>> state.lens = "top-3"
        >>> state.keep("B")
        >>> state.recall("A")
        >>> state.lens
        'top-1'
        """
        name = checked(validation.choice, name, "name", KEPT_NAMES)
        choices = self.to_dict()
        del choices["kept"]
        self.update(kept={**dict(self.kept), name: choices})

    def recall(self, name: str) -> None:
        """Set the choices that are kept as "A" or "B"."""
        name, kept = checked(validation.choice, name, "name", KEPT_NAMES), dict(self.kept)
        if name not in kept:
            raise traitlets.TraitError(f"name {name!r} is not kept: call keep({name!r}) first")
        self.update(**dict(kept[name]))

    def from_dict(self, choices: Mapping[str, Any]) -> None:
        """Set the choices that `to_dict` gave; missing ones get their defaults."""
        self.update(**{**self.defaults, **validation.mapping(choices, "choices", "values")})

    def to_link(self) -> str:
        """The choices that differ from the defaults, as the end of an address: "?lens=rank+2&bins=20".

        There `bin` counts from 1, as on screen.
        """
        defaults = _in_link(self.defaults)
        kept = [
            (name, [item for item in _in_link(dict(choices)).items() if item[1] != defaults[item[0]]])
            for name, choices in self.kept
        ]
        return to_link({**_in_link(self.to_dict()), "kept": kept}, defaults)

    def from_link(self, text: str) -> None:
        """Set the choices that `to_link` wrote, unless a view of this state cannot show them."""
        choices = _from_link(from_link(text))
        if "kept" in choices:
            kept = checked(by_name, choices["kept"], "kept")
            choices["kept"] = {name: _from_link(checked(by_name, entry, "kept")) for name, entry in kept.items()}
        meant = self._meant_by(choices)
        for refuse in self._viewers:
            checked(refuse, meant)
        self.from_dict(choices)

    def _meant_by(self, choices: Mapping[str, Any]) -> Spec:
        """The choices of a state with these; missing ones get the defaults of this state."""
        meant = {**self.defaults, **checked(checked_choices, choices, self._known)}
        return Spec(**meant, own=self._known.own)

    def _offer(self, calibrators: Iterable[str]) -> None:
        """Let calibrators by a field, such as "platt by site", be among those that can be chosen."""
        for name in calibrators:
            self._known.name_of_calibrator(name)
        self.set_trait("spec", replace(self.spec, own=self._known.own))

    def _open_on(self, **choices: Any) -> None:
        """Begin with other choices, which from now on are the defaults."""
        self.update(**choices)
        self._known.defaults = self.to_dict()

    def _start(self) -> None:
        """Let the choices of now be the start, with no step before it."""
        self._history = History(self.to_dict())

    def _amend(self, **choices: Any) -> None:
        """Set choices that follow from the last step, as a part of it."""
        self._history.amend({**self.to_dict(), **choices})
        self.update(**choices)

    def _go(self, place: int) -> None:
        """Let the first `place` steps be done, and the others undone."""
        self.update(**self._history.go(place))  # the history stands there already, so this is no step

    def _shown_by(self, refuse: Callable[[Spec], None]) -> Callable[[], None]:
        """Let a view check the choices of links; returns a function that ends this.

        `refuse` raises a `ValueError` for a spec under which the view has nothing to show.
        """
        self._viewers.append(refuse)
        return lambda: self._viewers.remove(refuse)

    def _derive(self, _change: Any) -> None:
        choices = self.to_dict()
        self._history.record(choices)
        self.set_trait("spec", replace(self.spec, **choices, own=self._known.own))


def _in_link(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Choices as a link holds them."""
    return {name: CHOICES[name].to_link(value) for name, value in choices.items()}


def _from_link(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Choices of a link as they are in Python; those that are none stay, for the state to refuse."""
    return {name: CHOICES[name].from_link(value) if name in CHOICES else value for name, value in choices.items()}


def _described(choice: Choice) -> str:
    """A choice as the docstring describes it."""
    about = ". ".join(filter(None, (choice.meaning, choice.about)))
    return "\n        ".join((f"{choice.name} : {choice.allowed.values}", *textwrap.wrap(f"{about}.", 104)))


ExplorerState.__doc__ = str(ExplorerState.__doc__).replace(
    "{choices}", "\n    ".join(map(_described, CHOICES.values()))
)
