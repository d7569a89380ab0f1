"""One consistent set of choices, frozen; everything on screen follows from it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, Literal, Self

from ...context.condition_parser import selection as read_selection
from ...context.conditions import Condition
from ...context.lens_names import lens
from ...context.lenses import Grouping, Lens
from ...engine.binnings.binning import Binning
from ...engine.binnings.binning_kinds import BinningKind, kind_of
from ...foundation import validation
from ...foundation.cache import lazy_property
from ...foundation.written import counted
from ...metrics.distances import Distance, Lp, TotalVariation
from ...metrics.records.record import MetricRecord
from ...metrics.records.registry import METRICS
from ...recalibration import ByField, OneVsRest, Spline, Temperature
from ...recalibration.registry import AS_IT_IS, CALIBRATORS, of_field
from .effort import Effort, usual
from .typed import Likert, movable_edges

MOST_BINS = 100
MOST_KNOTS = 20
MOST_OVERLAYS = 4
OF_CALIBRATOR = "calibrator: "  # before the name of one that is drawn over a model
MOST_TYPED = 10_000  # which a field for whole numbers takes
FIRST_THRESHOLD, LAST_THRESHOLD = 0.001, 0.999
MOST_FIELDS = 2  # that make a segment
#: The calibrators that are made of a spline, alone or one for every class.
SPLINES = (Spline.short_name, f"{Spline.short_name}, {OneVsRest.short_name}")
FINEST_GAMMA = 12  # as a power of 1/2
GAMMAS = tuple(2.0**-power for power in range(1, FINEST_GAMMA + 1))
#: What the fit of the spline may be asked for: see `recalibration.Spline`.
SPLINE_OPTIONS = ("monotone", "bounded", "cumulative")
#: The distances by name. The last two depend on the outcomes of a lens: of one score they are its total variation.
WEIGHTED, MAHALANOBIS = "class-weighted L2", "Mahalanobis"
DISTANCES: dict[str, Distance] = {
    "total variation": TotalVariation(),
    "L1": Lp(1),
    "L2": Lp(2),
    WEIGHTED: TotalVariation(),
    MAHALANOBIS: TotalVariation(),
}
#: The matrices of the Mahalanobis distance that have a name; any other one is given by its rows.
IDENTITY, INVERSE_COVARIANCE = MATRICES = ("identity", "inverse covariance")
Weights = tuple[tuple[str, float], ...]
Matrix = str | tuple[tuple[float, ...], ...]
Error = tuple[Distance, float, str]  # as `binned_error` takes them: distance, p and aggregate
LARGEST = "maximum"
#: How the distances of the bins make one error: its short name, and what it is.
NORMS = {
    "mean": ("ECE", "averaged by the samples in it (Guo et al. 2017)"),
    "root mean square": ("RMSCE", "squared and averaged by the samples in it, and the root of that"),
    LARGEST: ("MCE", "of which this is the largest (Guo et al. 2017)"),
}
INTERVALS = ("clopper-pearson", "bootstrap", "consistency", "none")
SCALES = ("even", "stretched ends")
CURVES = ("flexible", "smooth", "corp")
#: The cumulative pictures that are slopes of the curves, and against what.
SLOPES: dict[str, Literal["fractile", "score"]] = {"slopes by fractile": "fractile", "slopes by score": "score"}
FOUR = ("fractile", "score", *SLOPES)  # those of Gupta et al. 2020, figure 1
CUMULATIVE = ("difference", *FOUR, "all four")
SAMPLES = ("evaluation", "calibration")
ROWS = ("lens", "metric", "gce")
LISTED = ("class", "group", "level")


@dataclass(frozen=True)
class Switch:
    """One setting of a switch of the GCE family: the field of `GCE`, its value there, and what it is on an axis.

    What is usual has no name on an axis, and none in the names of the errors.
    """

    field: str
    value: Any
    short: str = ""


#: The settings of the five switches that make up the GCE family, pair by pair, as they are chosen and as rows say them.
SWITCHES = {
    "max prob": Switch("max_prob", True, "max"),
    "all probs": Switch("max_prob", False, "all"),
    "classes together": Switch("class_conditional", False),
    "class-conditional": Switch("class_conditional", True, "class-cond."),
    "all scores": Switch("threshold", 0.0),
    "scores > 0.01": Switch("threshold", 0.01, "> 0.01"),
    "uniform bins": Switch("binning", "uniform", "uniform"),
    "equal-mass bins": Switch("binning", "equal-mass", "equal-mass"),
    "l1": Switch("norm", "l1", "l1"),
    "l2": Switch("norm", "l2", "l2"),
}
DEFAULT_THRESHOLD = 0.5
COMPARISONS = ("table", "bars")
MOST_COMPARED = 20
Subject = tuple[str, str, str]  # a model, a lens and a selection
#: The metrics in the menu.
MENU = {name: record for name, record in METRICS.items() if record.in_menu}
#: Those that depend on the bins.
IN_BINS = tuple(name for name, record in MENU.items() if "bins" in record.own_dims)


#: The names under which choices are kept, and the kept ones by these names.
KEPT_NAMES = ("A", "B")
#: Under one name several others: choices that are kept, and what is the user's own of a kind.
Named = tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]


#: Choices that are mostly read together: of which scores, in which bins, by which distance, after what.
OF_SCORES = ("model", "lens", "groups", "outcome", "selection", "cluster")
OF_NOUNS = ("noun", "event_noun")
OF_SAMPLES = (*OF_SCORES, *OF_NOUNS)  # of sentences: what is measured does not depend on what samples are called
OF_BINS = ("binning", "bins", "gamma")
OF_ERROR = ("distance", "weights", "matrix", "norm")
OF_AFTER = ("calibrator", "knots", "spline", "temperature")
OF_DRAWN = (*OF_SAMPLES, *OF_AFTER, "curves", "overlays")  # of which scores the bins are that are drawn
ALWAYS = ("own", "effort")  # what is read without being named


class WithOwn:
    """Base of all that knows the user's own things, to which choices refer by name.

    A "metric" is a `MetricRecord`, a "calibrator" a `ByIdentity`, a "lens", "distance", "binning" or "panel" what was
    given, and a "field" None: a calibrator by a field of the predictions, such as "platt by site".
    """

    own: Named = ()  # by their kinds, pairs of names and things

    def own_of(self, kind: str) -> dict[str, Any]:
        """The user's own things of a kind, by name."""
        return dict(dict(self.own).get(kind, ()))

    @property
    def known_calibrators(self) -> tuple[str, ...]:
        """The names of all calibrators that can be chosen."""
        return (*CALIBRATORS, *self.own_of("field"), *self.own_of("calibrator"))


@dataclass(frozen=True)
class Spec(WithOwn):
    """The choices of an `ExplorerState`, which describes them, and the objects of the engine that they stand for.

    The user's own metrics and calibrators are a part of it, because choices refer to them by name.
    """

    model: str
    overlays: tuple[str, ...]
    lens: str
    groups: tuple[tuple[str, tuple[str, ...]], ...]
    outcome: str | None
    margin: float
    selection: str
    cluster: str | Literal[False]
    binning: str
    bins: int
    gamma: float
    distance: str
    weights: Weights
    matrix: Matrix
    norm: str
    interval: str
    curves: tuple[str, ...]
    scale: str
    cumulative: str
    samples: str
    likert: Likert
    calibrator: str
    calibrators: tuple[str, ...]
    knots: int
    spline: tuple[str, ...]
    temperature: float | None
    metrics: tuple[str, ...]
    rows: str
    switches: tuple[str, ...]
    compared: tuple[Subject, ...]
    comparison: str
    by: str
    zoom: tuple[int, ...]
    bin: int | None
    order: str
    sample: int | None
    threshold: float
    prevalence: float | None
    risk: float
    depth: int
    minimum: int
    centre: str
    panels: tuple[str, ...]
    projector: bool
    title: str = ""
    noun: str = ""
    event_noun: str = ""
    kept: Named = ()
    own: Named = ()
    effort: Effort = field(default_factory=usual)

    def but(self, **choices: Any) -> Self:
        """A copy with some other choices."""
        other = object.__new__(type(self))
        kept = self.__dict__
        other.__dict__.update({name: kept[name] for name in Spec.__dataclass_fields__ if name in kept}, **choices)
        return other

    def narrowed(self, choices: Iterable[str]) -> NarrowSpec:
        """A copy of these choices alone, and of the user's own; raises `Undeclared` for one that this does not hold."""
        narrow = object.__new__(NarrowSpec)
        names = (*choices, *ALWAYS)
        narrow.__dict__.update(zip(names, attrgetter(*names)(self), strict=True))
        return narrow

    def metric(self, name: str) -> MetricRecord:
        """A metric of the menu, or of the user's own."""
        return {**MENU, **self.own_of("metric")}[name]

    def asked_of_family(self) -> dict[str, Any]:
        """The value of each field of `GCE` of which a single one is looked at."""
        chosen = [SWITCHES[name] for name in self.switches]
        fields = [switch.field for switch in chosen]
        return {switch.field: switch.value for switch in chosen if fields.count(switch.field) == 1}

    def make_calibrator(self, name: str) -> Any:
        """The calibrator of that name; who fits one of the user's own fits a copy."""
        if name in SPLINES:
            target = "cumulative" if "cumulative" in self.spline else "difference"
            spline = Spline(self.knots, target, "monotone" in self.spline, "bounded" in self.spline)
            return spline if name == Spline.short_name else OneVsRest(spline)
        if name == Temperature.short_name:
            return Temperature(self.temperature)
        own = self.own_of("calibrator")
        if name not in own and (parts := of_field(name)) is not None:
            return ByField(parts[1], self.make_calibrator(parts[0]))
        return own[name].value if name in own else CALIBRATORS[name]()

    def calibrator_key(self, name: str) -> Hashable:
        """The key of a calibrator, since those of two states may have the same name."""
        inner = (of_field(name) or (name,))[0]
        settings: Hashable = (self.knots, self.spline) if inner in SPLINES else None
        if inner == Temperature.short_name:
            settings = self.temperature
        return name, self.own_of("calibrator").get(name), settings

    def make_lens(self) -> Lens:
        """The chosen lens; "grouping" means the chosen groups, if there are any."""
        if self.lens == "grouping" and self.groups:
            return Grouping(self.groups)
        own = self.own_of("lens")
        return own[self.lens] if self.lens in own else known_lens(self.lens)

    @lazy_property
    def chosen_selection(self) -> Condition | None:
        """The chosen selection; None keeps all samples."""
        return read_selection(self.selection)

    @lazy_property
    def chosen_binning(self) -> Binning:
        """The chosen binning with the chosen number of bins, or the chosen gamma."""
        return self.kind.of(self.bins, self.gamma)

    @lazy_property
    def kind(self) -> BinningKind:
        """The kind of the chosen binning."""
        return kind_of(self.binning, self.own_of("binning"))

    def settings(self, kind: BinningKind) -> tuple[Binning, ...]:
        """Every binning that the slider of a kind can reach.

        The last one has the chosen gamma where that is none of the slider.
        """
        is_own = kind.takes == "gamma" and self.own_gamma is not None
        return (*every_setting(kind), kind.make(self.own_gamma)) if is_own else every_setting(kind)

    def setting(self, kind: BinningKind) -> int:
        """The place of the chosen binning among the `settings`."""
        if kind.takes == "gamma":
            return GAMMAS.index(self.gamma) if self.own_gamma is None else len(GAMMAS)
        return self.bins - 1

    def of_kept(self) -> dict[str, Spec]:
        """The choices that are kept, by the names A and B."""
        return {name: self.but(**dict(choices), kept=()) for name, choices in self.kept}

    @property
    def measure(self) -> Hashable:
        """The key of the choices that the errors at all `settings` depend on."""
        of_rows = {WEIGHTED: self.weights, MAHALANOBIS: self.matrix}.get(self.distance)
        return self.error, self.distance, of_rows, self.own_gamma

    @property
    def binning_in_words(self) -> str:
        """The binning with what it is made of, such as "equal-mass, 15 bins"."""
        of = {"bins": counted(self.bins, "bin"), "gamma": f"γ = {gamma_text(self.gamma)}"}
        return ", ".join(filter(None, (self.kind.title or self.binning, of.get(self.kind.takes))))

    @property
    def is_recalibrated(self) -> bool:
        """Whether a calibrator is chosen."""
        return self.calibrator != AS_IT_IS

    @lazy_property
    def own_gamma(self) -> float | None:
        """The chosen gamma where it is none of those of the slider."""
        return None if self.gamma in GAMMAS else self.gamma

    @lazy_property
    def error(self) -> Error:
        """How the error of one score a sample is made of its bins."""
        return self.error_by({**DISTANCES, **self.own_of("distance")}[self.distance])

    def error_by(self, distance: Distance) -> Error:
        """How an error is made of bins by a distance."""
        p = 2.0 if self.norm == "root mean square" else 1.0
        return distance, p, "max" if self.norm == LARGEST else "mean"

    def weights_of(self, outcomes: Sequence[str]) -> tuple[float, ...]:
        """The weight of each outcome; 1 where none is chosen."""
        chosen = dict(self.weights)
        return tuple(chosen.get(name, 1.0) for name in outcomes)

    @property
    def edges(self) -> list[float]:
        """The edges between the categories, ascending."""
        return movable_edges(end for ends in self.categories().values() for end in ends)

    @property
    def first_threshold(self) -> float:
        """The threshold of the start: the edge of a category nearest 50 %, or 50 % without categories."""
        within = (edge for edge in self.edges if FIRST_THRESHOLD <= edge <= LAST_THRESHOLD)
        return min(within, key=lambda edge: abs(edge - DEFAULT_THRESHOLD), default=DEFAULT_THRESHOLD)

    def categories(self) -> dict[str, tuple[float, float]]:
        """The categories by name; those between cut points are named by these, in per cent."""
        if not self.likert:
            return {}
        if isinstance(self.likert[0], tuple):
            return validation.intervals(dict(self.likert))
        between = validation.intervals(list(self.likert)).values()
        return {f"{_in_percent(low)} to {_in_percent(high)} %": (low, high) for low, high in between}


class Undeclared(RuntimeError):
    """A choice was read that was not named as one of those that are read."""


class _NotNamed:
    """A descriptor that raises where a choice is read that a `NarrowSpec` does not hold."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, spec: NarrowSpec | None, owner: type) -> Any:
        raise Undeclared(f"the choice {self.name!r} is read, but not named by `reads`")


class NarrowSpec(Spec):
    """Some of the choices; to read another one raises `Undeclared`."""


for _name in Spec.__dataclass_fields__:
    if _name not in ALWAYS:
        setattr(NarrowSpec, _name, _NotNamed(_name))


def _in_percent(cut: float) -> str:
    return f"{round(100 * cut, 9):.15g}"


def gamma_text(gamma: float) -> str:
    """A gamma as people write it: 1/8, 0.1."""
    return f"1/{1 / gamma:.0f}" if gamma in GAMMAS else f"{gamma:g}"


def gamma_options(gammas: Iterable[float]) -> tuple[tuple[str, float], ...]:
    """Gammas by the text of each, such as 1/8, the largest first."""
    return tuple((gamma_text(gamma), gamma) for gamma in sorted(gammas, reverse=True))


#: The lens of a name, the same one each time.
known_lens = lru_cache(maxsize=1000)(lens)


@cache
def every_setting(kind: BinningKind) -> tuple[Binning, ...]:
    """Binnings of a kind: of 1 to 100 bins, or of gamma 1/2 to 1/4096; none where it takes neither."""
    reached: dict[str, Iterable[Any]] = {"bins": range(1, MOST_BINS + 1), "gamma": GAMMAS}
    return tuple(map(kind.make, reached.get(kind.takes, ())))


@dataclass(frozen=True)
class OverlayChoice:
    """One thing to draw over the current model: another model as it is, or the current one after a calibrator."""

    name: str
    is_model: bool

    def of(self, current: str) -> tuple[str, str]:
        """The model and the calibrator that it means beside the current model."""
        return (self.name, AS_IT_IS) if self.is_model else (current, self.name)


def overlay_choices(models: Iterable[str], calibrators: Iterable[str]) -> dict[str, OverlayChoice]:
    """Everything that can be drawn over a model, by its text among the choices: first models, then calibrators."""
    return {
        **{f"model: {name}": OverlayChoice(name, True) for name in models},
        **{f"{OF_CALIBRATOR}{name}": OverlayChoice(name, False) for name in calibrators},
    }
