"""The choices of the Explorer: controls and scripts set them, panels read them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import traitlets

from ...context.condition_parser import selection as read_selection
from ...context.lens_names import lens
from ...context.lenses import Grouping, Outcome
from ...foundation import validation
from ...foundation.cache import ByIdentity
from ...metrics.records.own import Metric, record_of
from ...metrics.records.record import MetricRecord
from ...recalibration.registry import CALIBRATORS, method_of
from .choices import Choices, NumberField, OneOf, checked
from .links import from_link, to_link
from .spec import (
    BINNINGS,
    CUMULATIVE,
    CURVES,
    DISTANCES,
    FINEST_GAMMA,
    FIRST_THRESHOLD,
    INTERVALS,
    LAST_THRESHOLD,
    MENU,
    MOST_BINS,
    MOST_FIELDS,
    MOST_KNOTS,
    NORMS,
    PANELS,
    ROWS,
    Spec,
)

MODEL, CALIBRATOR = "model: ", "calibrator: "  # the beginnings of the names of overlays
FIRST_PANELS = ("reliability", "cumulative", "recalibration", "sensitivity")
#: The ranges of choices that are whole numbers and of those that are any numbers; what some others may list.
WHOLE_NUMBERS = {
    "bins": (1, MOST_BINS),
    "knots": (2, MOST_KNOTS),
    "bin": (0,),
    "depth": (1, MOST_FIELDS),
    "minimum": (1,),
}
ACTING = (FIRST_THRESHOLD, LAST_THRESHOLD)
NUMBERS = {"share": (0.05, 0.95), "threshold": ACTING, "prevalence": ACTING}
WORDS = {"curves": CURVES, "panels": PANELS}


@dataclass(frozen=True)
class OverlayChoice:
    """What can be drawn over the current model: another model as it is, or the current one after a calibrator."""

    name: str
    is_model: bool

    def of(self, current: str) -> tuple[str, str]:
        """The model and the calibrator that it means beside the current model."""
        return (self.name, "none") if self.is_model else (current, self.name)


def overlay_choices(models: Iterable[str], calibrators: Iterable[str]) -> dict[str, OverlayChoice]:
    """Everything that can be drawn over a model, by its text among the choices: first models, then calibrators."""
    return {
        **{f"model: {name}": OverlayChoice(name, True) for name in models},
        **{f"calibrator: {name}": OverlayChoice(name, False) for name in calibrators},
    }


class ExplorerState(Choices):
    """The choices of the Explorer; set an attribute and every panel follows.

    Attributes
    ----------
    model : str
        The name of one of the models.
    overlays : tuple of str
        What is drawn over it: "model: NAME" for another model, "calibrator: NAME"; at most 4.
    lens : str
        The name of a lens, such as "top-1", "rank 2", "class cat", "grouping".
    groups : dict of name to classes, or tuple of (name, classes)
        The groups of the lens "grouping"; empty for the groups of the predictions.
    outcome : str or None
        Which outcome of a vector lens the pictures show; None for the first.
    selection : str
        The text of a selection, such as 'label in [3, 5] and confidence > 0.5'; empty keeps all samples.
    binning : {"uniform", "equal-mass", "sweep", "k-d tree"}
    bins : int, 1 to 100
    gamma : float, 1/2 to 1/4096
        The gamma of the k-d tree; rounded to a power of 1/2.
    distance : {"total variation", "L1", "L2"}
        The distance between the mean score and the mean target of a bin.
    norm : {"mean", "root mean square", "maximum"}
        How the distances of the bins make one error.
    interval : {"clopper-pearson", "bootstrap", "consistency", "none"}
        The bars of the reliability diagram.
    curves : tuple of {"smooth", "corp"}
        Curves without bins in the reliability diagram.
    cumulative : {"fractile", "score", "difference", "slopes by fractile", "slopes by score"}
        Which cumulative picture is shown (Gupta et al. 2021, figure 1).
    likert : tuple of float, or dict of name to (low, high)
        Ascending cut points in [0, 1] or named categories, or empty for none.
    calibrator : str
        The calibrator of "after": "spline", "temperature", ... as in `evaluate`, or a calibrator object with a name of
        its own, which joins the menus.
    calibrators : tuple of str
        Which calibrators are compared; the same values.
    knots : int, 2 to 20
        Knots of the spline.
    share : float, 0.05 to 0.95
        The part of the samples that calibrators are fitted to; everything shown is measured on the rest.
    metrics : tuple of str
        Which errors are compared: "ece", "ks", "kuiper", "sweep", "smooth", "debiased", "brier", "log_loss",
        or a `Metric` of your own, which joins the menu.
    rows : {"lens", "metric"}
        The rows of the comparison.
    by : str
        What the panel of classes lists: "class", "group" or "level".
    bin : int or None
        The bin whose samples are listed, counted from 0; None lists all samples.
    threshold : float, 0.001 to 0.999
        The score from which on somebody acts.
    prevalence : float, 0.001 to 0.999, or None
        The share of the positive class where somebody acts; that of the samples where it is None.
    depth : int, 1 or 2
        Of how many fields the segments are made.
    minimum : int, at least 1
        Of the samples of a segment.
    panels : tuple of str
        Which panels are shown: "reliability", "cumulative", "recalibration", "sensitivity", "comparison", "likert",
        "confidence", "instances", "classes", "temperature", "decision", "segments".
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

    model = traitlets.Unicode()
    overlays: traitlets.Tuple = traitlets.Tuple(())
    lens = traitlets.Unicode("top-1")
    groups = traitlets.Any(())
    outcome = traitlets.Unicode(None, allow_none=True)
    selection = traitlets.Unicode("")
    binning = OneOf(BINNINGS, "uniform")
    bins = traitlets.Int(15)
    gamma = NumberField(0.125)
    distance = OneOf(tuple(DISTANCES), "total variation")
    norm = OneOf(tuple(NORMS), "mean")
    interval = OneOf(INTERVALS, "clopper-pearson")
    curves: traitlets.Tuple = traitlets.Tuple(())
    cumulative = OneOf(CUMULATIVE, "fractile")
    likert = traitlets.Any(())
    calibrator = traitlets.Any("spline")
    calibrators: traitlets.Tuple = traitlets.Tuple(("temperature", "spline", "isotonic", "beta"))
    knots = traitlets.Int(6)
    share = NumberField(0.5)
    metrics: traitlets.Tuple = traitlets.Tuple(("ece", "ks", "brier", "log_loss"))
    rows = OneOf(ROWS, "lens")
    by = OneOf(("class", "group", "level"), "class")
    bin = traitlets.Int(None, allow_none=True)
    threshold = NumberField(0.5)
    prevalence = traitlets.Float(None, allow_none=True)
    depth = traitlets.Int(1)
    minimum = traitlets.Int(30)
    panels: traitlets.Tuple = traitlets.Tuple(FIRST_PANELS)
    spec = traitlets.Instance(Spec, read_only=True)

    models: tuple[str, ...] = ()
    defaults: Mapping[str, Any] = {}

    CHOICES = NAMES = tuple(name for name in Spec.__dataclass_fields__ if not name.startswith("own_"))

    def __init__(self, models: Sequence[str], **choices: Any) -> None:
        self.models = tuple(validation.text(name, "models") for name in validation.listing(models, "models", "names"))
        if not self.models:
            raise ValueError("models is empty: name at least one")
        self._viewers: list[Callable[[Spec], None]] = []
        self._own_metrics: dict[str, MetricRecord] = {}
        self._own_calibrators: dict[str, ByIdentity] = {}
        super().__init__(model=self.models[0])
        self.set_trait("spec", Spec(**self.to_dict()))
        self.defaults = self.to_dict()
        self.observe(self._derive, self.CHOICES)
        self.update(**choices)

    def from_dict(self, choices: Mapping[str, Any]) -> None:
        """Set the choices that `to_dict` gave; missing ones get their defaults."""
        self.update(**{**self.defaults, **validation.mapping(choices, "choices", "values")})

    def to_link(self) -> str:
        """The choices that differ from the defaults, as the end of an address: "?lens=rank+2&bins=20"."""
        return to_link(self.to_dict(), self.defaults)

    def from_link(self, text: str) -> None:
        """Set the choices that `to_link` wrote, unless a view of this state cannot show them."""
        choices = from_link(text)
        meant = ExplorerState(self.models)
        meant._own_metrics, meant._own_calibrators = self._own_metrics, self._own_calibrators
        meant.defaults = self.defaults
        meant.from_dict(choices)
        for refuse in self._viewers:
            checked(refuse, meant.spec)
        self.from_dict(choices)

    def _open_on(self, **choices: Any) -> None:
        """Begin with other choices, which are from now on what is meant where nothing is said."""
        self.update(**choices)
        self.defaults = self.to_dict()

    def _shown_by(self, refuse: Callable[[Spec], None]) -> Callable[[], None]:
        """Let a view check the choices of links; returns a function that ends this.

        `refuse` raises a `ValueError` for a spec under which the view has nothing to show.
        """
        self._viewers.append(refuse)
        return lambda: self._viewers.remove(refuse)

    def _derive(self, _change: Any) -> None:
        self.set_trait("spec", replace(self.spec, **self.to_dict(), **self._own()))

    def _own(self) -> dict[str, Any]:
        """The user's own metrics and calibrators that have been chosen so far."""
        return {
            "own_metrics": tuple(self._own_metrics.values()),
            "own_calibrators": tuple(self._own_calibrators.items()),
        }

    def _metric_name(self, value: Any) -> Any:
        """The name of a metric; a metric of the user's own is remembered under it."""
        if not isinstance(value, Metric):
            return value
        known = self._own_metrics.setdefault(value.name, record_of(value))
        if known.own != value:
            raise ValueError(f"metrics has another metric named {value.name!r} already: choose another name")
        return value.name

    def _calibrator_name(self, value: Any) -> Any:
        """The name of a calibrator; a calibrator of the user's own is remembered under it."""
        if value is None or isinstance(value, str):
            return value
        name, calibrator = method_of(value)
        if name in ("none", *CALIBRATORS):
            raise ValueError(f"calibrator {name!r} is built in: one of your own needs a name of its own")
        if self._own_calibrators.setdefault(name, ByIdentity(calibrator)).value is not calibrator:
            raise ValueError(f"calibrators has another calibrator named {name!r} already: choose another name")
        return name

    def _known_calibrators(self) -> tuple[str, ...]:
        return (*CALIBRATORS, *self._own_calibrators)

    @traitlets.validate("model")
    def _check_model(self, proposal: Any) -> str:
        return checked(validation.choice, proposal.value, "model", self.models)

    @traitlets.validate("overlays")
    def _check_overlays(self, proposal: Any) -> tuple[str, ...]:
        allowed = tuple(overlay_choices(self.models, self._known_calibrators()))
        return _several(proposal.value, "overlays", allowed, most=4)

    @traitlets.validate("lens")
    def _check_lens(self, proposal: Any) -> str:
        chosen = checked(lens, proposal.value)
        if isinstance(chosen, Outcome):
            raise traitlets.TraitError(
                f"set the lens and its outcome each: lens={chosen.lens.name!r}, outcome={str(chosen.outcome)!r}"
            )
        return str(chosen.name)

    @traitlets.validate("groups")
    def _check_groups(self, proposal: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
        if isinstance(proposal.value, Mapping | list | tuple) and not proposal.value:
            return ()
        given = proposal.value if isinstance(proposal.value, Mapping) else checked(_pairs, proposal.value, "groups")
        frozen = checked(Grouping, given).groups
        return tuple((name, tuple(map(str, members))) for name, members in frozen)

    @traitlets.validate("selection")
    def _check_selection(self, proposal: Any) -> str:
        checked(read_selection, proposal.value)
        return str(proposal.value)

    @traitlets.validate(*WHOLE_NUMBERS)
    def _check_whole_number(self, proposal: Any) -> int | None:
        name, value = proposal.trait.name, proposal.value  # traits that do not allow None have refused it before
        return None if value is None else checked(validation.whole_number, value, name, *WHOLE_NUMBERS[name])

    @traitlets.validate(*NUMBERS)
    def _check_number(self, proposal: Any) -> float | None:
        name, value = proposal.trait.name, proposal.value
        return None if value is None else checked(validation.real_number, value, name, *NUMBERS[name])

    @traitlets.validate(*WORDS)
    def _check_words(self, proposal: Any) -> tuple[str, ...]:
        return _several(proposal.value, proposal.trait.name, WORDS[proposal.trait.name])

    @traitlets.validate("gamma")
    def _check_gamma(self, proposal: Any) -> float:
        gamma = checked(validation.real_number, proposal.value, "gamma", 2.0**-FINEST_GAMMA, 0.5)
        return 2.0 ** round(math.log2(gamma))

    @traitlets.validate("calibrators")
    def _check_calibrators(self, proposal: Any) -> tuple[str, ...]:
        names = [checked(self._calibrator_name, value) for value in proposal.value]
        return _several(names, "calibrators", self._known_calibrators())

    @traitlets.validate("calibrator")
    def _check_calibrator(self, proposal: Any) -> str:
        name = checked(self._calibrator_name, proposal.value)
        return checked(validation.choice, name, "calibrator", self._known_calibrators())

    @traitlets.validate("metrics")
    def _check_metrics(self, proposal: Any) -> tuple[str, ...]:
        names = [checked(self._metric_name, value) for value in proposal.value]
        return _several(names, "metrics", (*MENU, *self._own_metrics))

    @traitlets.validate("likert")
    def _check_likert(self, proposal: Any) -> Any:
        given = proposal.value
        if isinstance(given, str) or not isinstance(given, Iterable) or not getattr(given, "ndim", 1):
            raise traitlets.TraitError(f"likert must be cut points, or categories by name, not {given!r}")
        given = given if isinstance(given, Mapping) else list(given)
        if isinstance(given, Mapping) or any(isinstance(entry, list | tuple) for entry in given):
            pairs = given if isinstance(given, Mapping) else checked(_pairs, given, "likert")
            return tuple(checked(validation.intervals, pairs, "likert").items())
        if not given:
            return ()
        checked(validation.intervals, given, "likert")
        return tuple(float(cut) for cut in given)


def _pairs(value: Any, name: str) -> dict[str, Any]:
    try:
        return {str(key): entry for key, entry in value}
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a dict, or pairs (name, ...), not {value!r}") from None


def _several(values: Iterable[Any], name: str, allowed: Sequence[str], most: int | None = None) -> tuple[str, ...]:
    """The values as a tuple; each must be one of the allowed words, and none may repeat."""
    words = tuple(checked(validation.choice, value, name, allowed) for value in values)
    if len(set(words)) < len(words) or (most is not None and len(words) > most):
        raise traitlets.TraitError(
            f"{name} must be different{'' if most is None else f', and {most} at most'}: {validation.listed(words)}"
        )
    return words
