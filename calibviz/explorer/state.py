"""The choices of the Explorer: the one thing that controls and scripts set and that panels read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import traitlets

from .. import validation
from ..binning import Binning, EqualMass, Sweep, Uniform
from ..lens_text import lens
from ..lenses import Lens, Outcome
from ..selection_text import selection as read_selection
from ..selections import Condition

MOST_BINS = 100
MOST_KNOTS = 20
BINNINGS = ("uniform", "equal-mass", "sweep")


@dataclass(frozen=True)
class Spec:
    """One consistent set of choices, from which everything on screen follows."""

    model: str
    lens: str
    outcome: str | None
    selection: str
    binning: str
    bins: int
    likert: tuple[float, ...]
    knots: int
    share: float

    def make_lens(self) -> Lens:
        return lens(self.lens)

    def make_selection(self) -> Condition | None:
        return read_selection(self.selection)

    def make_binning(self) -> Binning:
        if self.binning == "sweep":
            return Sweep()
        return Uniform(self.bins) if self.binning == "uniform" else EqualMass(self.bins)

    def categories(self) -> dict[str, tuple[float, float]]:
        return validation.intervals(list(self.likert)) if self.likert else {}


class ExplorerState(traitlets.HasTraits):
    """What the Explorer looks at; set an attribute and every panel follows.

    Attributes
    ----------
    model : str
        Which of the models.
    lens : str
        The name of a lens, such as "top-1", "rank 2", "class cat", "grouping".
    outcome : str or None
        Which outcome of a vector lens the pictures show; the first where it is None.
    selection : str
        The text of a selection, such as 'label in [3, 5] and confidence > 0.5'; empty keeps all samples.
    binning : {"uniform", "equal-mass", "sweep"}
    bins : int, 1 to 100
    likert : tuple of float
        Ascending cut points in [0, 1], or empty for no categories.
    knots : int, 2 to 20
        Knots of the spline.
    share : float, 0.05 to 0.95
        The part of the samples that the spline is fitted to; everything shown is measured on the rest.
    spec : Spec
        All of this, frozen; panels observe only it. Read-only.

    A value that cannot be meant raises `traitlets.TraitError` and changes nothing. Set several at once with
    `update`, so that panels redraw once.
    """

    model = traitlets.Unicode()
    lens = traitlets.Unicode("top-1")
    outcome = traitlets.Unicode(None, allow_none=True)
    selection = traitlets.Unicode("")
    binning = traitlets.Enum(BINNINGS, "uniform")
    bins = traitlets.Int(15)
    likert: traitlets.Tuple = traitlets.Tuple(())
    knots = traitlets.Int(6)
    share = traitlets.Float(0.5)
    spec = traitlets.Instance(Spec, read_only=True)

    CHOICES = ("model", "lens", "outcome", "selection", "binning", "bins", "likert", "knots", "share")

    def __init__(self, models: Sequence[str], **choices: Any) -> None:
        self._models = tuple(models)
        super().__init__(model=self._models[0])
        self.set_trait("spec", Spec(**{name: getattr(self, name) for name in self.CHOICES}))
        self.observe(self._derive, self.CHOICES)
        self.update(**choices)

    def update(self, **choices: Any) -> None:
        """Set several choices at once: either all of them or, where one is refused, none."""
        unknown = [name for name in choices if name not in self.CHOICES]
        if unknown:
            raise traitlets.TraitError(f"{unknown[0]!r} is not a choice: there are {', '.join(self.CHOICES)}")
        with self.hold_trait_notifications():
            for name, value in choices.items():
                setattr(self, name, value)

    def _derive(self, _change: Any) -> None:
        self.set_trait("spec", replace(self.spec, **{name: getattr(self, name) for name in self.CHOICES}))

    @traitlets.validate("model")
    def _check_model(self, proposal: Any) -> str:
        return _checked(validation.choice, proposal.value, "model", self._models)

    @traitlets.validate("lens")
    def _check_lens(self, proposal: Any) -> str:
        found = _checked(lens, proposal.value)
        if isinstance(found, Outcome):
            raise traitlets.TraitError(
                f"set the lens and its outcome each: lens={found.lens.name!r}, outcome={str(found.outcome)!r}"
            )
        return str(found.name)

    @traitlets.validate("selection")
    def _check_selection(self, proposal: Any) -> str:
        _checked(read_selection, proposal.value)
        return str(proposal.value)

    @traitlets.validate("bins")
    def _check_bins(self, proposal: Any) -> int:
        return _checked(validation.whole_number, proposal.value, "bins", 1, MOST_BINS)

    @traitlets.validate("knots")
    def _check_knots(self, proposal: Any) -> int:
        return _checked(validation.whole_number, proposal.value, "knots", 2, MOST_KNOTS)

    @traitlets.validate("share")
    def _check_share(self, proposal: Any) -> float:
        return _checked(validation.real_number, proposal.value, "share", 0.05, 0.95)

    @traitlets.validate("likert")
    def _check_likert(self, proposal: Any) -> tuple[float, ...]:
        cuts = tuple(proposal.value)
        if cuts:
            _checked(validation.intervals, cuts)
        return tuple(float(cut) for cut in cuts)


def _checked(check: Any, *arguments: Any) -> Any:
    try:
        return check(*arguments)
    except (TypeError, ValueError) as error:
        raise traitlets.TraitError(str(error)) from None
