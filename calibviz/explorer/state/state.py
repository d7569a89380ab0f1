"""The choices of the Explorer: controls and scripts set them, panels read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import traitlets

from ...answers.asked.checks import CHECKS, by_name, several
from ...answers.asked.overlays import overlay_choices
from ...answers.asked.own_choices import OwnChoices
from ...answers.asked.spec import (
    BINNINGS,
    COMPARISONS,
    CUMULATIVE,
    DISTANCES,
    INTERVALS,
    KEPT_NAMES,
    MAHALANOBIS,
    MENU,
    MOST_COMPARED,
    MOST_OVERLAYS,
    NORMS,
    ROWS,
    SAMPLES,
    SCALES,
    WEIGHTED,
    Kept,
    Spec,
)
from ...context.condition_parser import selection as read_selection
from ...context.lens_names import lens
from ...context.lenses import Grouping, Lens, Outcome
from ...foundation import validation
from ...metrics.distances import ClassWeighted, Mahalanobis
from .arrangement import FIRST_PANELS
from .choices import Checked, Choices, Named, NumberField, OneOf, checked
from .history import History
from .links import as_in_code, as_in_links, from_link, to_link


class ExplorerState(Choices):
    """The choices of the Explorer; set an attribute and every panel follows.

    Attributes
    ----------
    model : str
        The name of one of the models.
    overlays : tuple of str
        What is drawn over it: "model: NAME" for another model, "calibrator: NAME"; at most 4.
    lens : str or lens
        The name of a lens, such as "top-1", "rank 2", "class cat", "grouping", or a lens of one score a sample with a
        name of its own, which joins the menu.
    groups : dict of name to classes, or tuple of (name, classes)
        The groups of the lens "grouping"; empty for the groups of the predictions.
    outcome : str or None
        Which outcome of a vector lens the pictures show; None for the first.
    selection : str
        The text of a selection, such as 'label in [3, 5] and confidence > 0.5'; empty keeps all samples.
    binning : {"uniform", "equal-mass", "sweep", "uniform sweep", "k-d tree"} or binning
        One of these, or a binning of scores with a name of its own, which joins the menu.
    bins : int, 1 to 100
    gamma : float, 1/2 to 1/4096
        The gamma of the k-d tree.
    distance : {"total variation", "L1", "L2", "class-weighted L2", "Mahalanobis"} or distance
        The distance between the mean score and the mean target of a bin; one with a name of its own joins the menu. Of
        one score a sample all of the named ones are the absolute difference.
    weights : dict of outcome to float, or tuple of (outcome, float)
        Of the class-weighted distance: how much each class, group or rank counts, at least 0; 1 where none is named.
    matrix : {"identity", "inverse covariance"} or array-like of float, shape (m, m)
        Of the Mahalanobis distance: of the told probabilities before recalibration, or one row for each outcome,
        symmetric and positive semi-definite.
    norm : {"mean", "root mean square", "maximum"}
        How the distances of the bins make one error.
    interval : {"clopper-pearson", "bootstrap", "consistency", "none"}
        The bars of the reliability diagram.
    curves : tuple of {"flexible", "smooth", "corp"}
        Curves without bins in the reliability diagram; the flexible one has a 95 % band.
    scale : {"even", "stretched ends"}
        Whether scores stand in the reliability diagram as they are, or at their log-odds from 0.1 to 99.9 %.
    cumulative : {"difference", "fractile", "score", "slopes by fractile", "slopes by score", "all four"}
        Which cumulative pictures are shown (Gupta et al. 2021, figure 1).
    samples : {"evaluation", "calibration"}
        Whether they show the samples that are judged, or those that calibrators are fitted to.
    likert : tuple of float, or dict of name to (low, high)
        Ascending cut points in [0, 1] or named categories, or empty for none.
    calibrator : str
        The calibrator of "after": "spline", "temperature", ... as in `evaluate`, or a calibrator object with a name of
        its own, which joins the menus.
    calibrators : tuple of str
        Which calibrators are compared; the same values.
    knots : int, 2 to 20
        Knots of the spline.
    spline : tuple of {"monotone", "bounded", "cumulative"}
        What else is asked of it: a map that never falls, one held within 0 and 1 while it is fitted, and a fit to the
        cumulative curve itself in the place of its difference from the scores.
    temperature : float, 0.001 to 1000, or None
        By which the calibrator "temperature" divides the logits; None fits it.
    share : float, 0.05 to 0.95
        The part of the samples that calibrators are fitted to; everything shown is measured on the rest.
    metrics : tuple of str
        Which errors are compared: "ece", "ks", "kuiper", "sweep", "smooth", "debiased", "brier", "log_loss",
        or a `Metric` of your own, which joins the menu.
    rows : {"lens", "metric", "gce"}
        The rows of the comparison: lenses with selections, the `metrics`, or the 32 errors of the GCE family.
    switches : tuple of str
        Which errors of the GCE family are rows: those that have one of the chosen settings of each of its five
        switches, or any where none of the two is chosen. The pairs are "max prob" and "all probs", "classes together"
        and "class-conditional", "all scores" and "scores > 0.01", "uniform bins" and "equal-mass bins", "l1" and "l2".
    compared : tuple of (model, lens, selection)
        Its rows where they are lenses, such as ("forest", "class cat", "site == 'East'"), at most 20; empty for the
        usual lenses of the model that is looked at.
    comparison : {"table", "bars"}
        How it is shown.
    by : str
        What the panel of classes lists: "class", "group" or "level".
    zoom : tuple of two int
        The first and the last rank that it shows, such as (901, 1000); the largest error has rank 1. Empty for all.
    bin : int or None
        The bin whose samples are listed, counted from 0; None lists all samples.
    order : str
        The column by which the samples are sorted, such as "confidence", or "-confidence" for the largest first; empty
        for the farthest from the truth first.
    sample : int or None
        The sample that is shown with all of its probabilities, by its index; None shows none.
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
        "confidence", "instances", "classes", "temperature", "decision", "segments", "time".
    kept : dict of "A" or "B" to choices
        What is kept for a comparison, as `keep` keeps it; what the choices leave out is as at first.
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
    lens = Named("top-1")
    groups = Checked(())
    outcome = traitlets.Unicode(None, allow_none=True)
    selection = traitlets.Unicode("")
    binning = Named("uniform")
    bins = traitlets.Int(15)
    gamma = NumberField(0.125)
    distance = Named("total variation")
    weights = Checked(())
    matrix = Checked("identity")
    norm = OneOf(tuple(NORMS), "mean")
    interval = OneOf(INTERVALS, "clopper-pearson")
    curves: traitlets.Tuple = traitlets.Tuple(("flexible",))
    scale = OneOf(SCALES, "even")
    cumulative = OneOf(CUMULATIVE, "difference")
    samples = OneOf(SAMPLES, "evaluation")
    likert = Checked(())
    calibrator = Checked("spline")
    calibrators: traitlets.Tuple = traitlets.Tuple(("temperature", "spline", "isotonic", "beta"))
    knots = traitlets.Int(6)
    spline: traitlets.Tuple = traitlets.Tuple(())
    temperature = NumberField(None, allow_none=True)
    share = NumberField(0.5)
    metrics: traitlets.Tuple = traitlets.Tuple(("ece", "ks", "brier", "log_loss"))
    rows = OneOf(ROWS, "lens")
    switches: traitlets.Tuple = traitlets.Tuple(())
    compared: traitlets.Tuple = traitlets.Tuple(())
    comparison = OneOf(COMPARISONS, "table")
    by = OneOf(("class", "group", "level"), "class")
    zoom: traitlets.Tuple = traitlets.Tuple(())
    bin = traitlets.Int(None, allow_none=True)
    order = traitlets.Unicode("")
    sample = traitlets.Int(None, allow_none=True)
    threshold = NumberField(0.5)
    prevalence = NumberField(None, allow_none=True)
    depth = traitlets.Int(1)
    minimum = traitlets.Int(30)
    panels: traitlets.Tuple = traitlets.Tuple(FIRST_PANELS)
    kept = Checked(())
    spec = traitlets.Instance(Spec, read_only=True)

    models: tuple[str, ...] = ()
    defaults: Mapping[str, Any] = {}

    CHOICES = NAMES = tuple(name for name in Spec.__dataclass_fields__ if not name.startswith("own_"))

    def __init__(self, models: Sequence[str], **choices: Any) -> None:
        self.models = tuple(validation.text(name, "models") for name in validation.listing(models, "models", "names"))
        if not self.models:
            raise ValueError("models is empty: name at least one")
        self._viewers: list[Callable[[Spec], None]] = []
        self._own = OwnChoices()
        super().__init__(model=self.models[0])
        self.set_trait("spec", Spec(**self.to_dict()))
        self._start()
        self.defaults = self.to_dict()
        self.observe(self._derive, self.CHOICES)
        self.update(**choices)
        self._start()

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
        kept = [
            (name, [item for item in as_in_links(dict(choices)).items() if item[1] != self.defaults[item[0]]])
            for name, choices in self.kept
        ]
        return to_link({**as_in_links(self.to_dict()), "kept": kept}, self.defaults)

    def from_link(self, text: str) -> None:
        """Set the choices that `to_link` wrote, unless a view of this state cannot show them."""
        choices = from_link(text)
        if "kept" in choices:
            kept = checked(by_name, choices["kept"], "kept")
            choices["kept"] = {name: as_in_code(checked(by_name, entry, "kept")) for name, entry in kept.items()}
        choices = as_in_code(choices)
        meant = self._meant_by(choices)
        for refuse in self._viewers:
            checked(refuse, meant.spec)
        self.from_dict(choices)

    def _meant_by(self, choices: Mapping[str, Any]) -> ExplorerState:
        """A state of its own with these choices; missing ones get the defaults of this state."""
        meant = ExplorerState(self.models)
        meant._own = self._own
        meant.defaults = self.defaults
        meant.from_dict(choices)
        return meant

    def _open_on(self, **choices: Any) -> None:
        """Begin with other choices, which are from now on what is meant where nothing is said."""
        self.update(**choices)
        self.defaults = self.to_dict()

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
        self.set_trait("spec", replace(self.spec, **choices, **self._own.in_spec()))

    @traitlets.validate("model")
    def _check_model(self, proposal: Any) -> str:
        return checked(validation.choice, proposal.value, "model", self.models)

    @traitlets.validate("overlays")
    def _check_overlays(self, proposal: Any) -> tuple[str, ...]:
        allowed = tuple(overlay_choices(self.models, self._own.known_calibrators()))
        return checked(several, proposal.value, "overlays", allowed, MOST_OVERLAYS)

    @traitlets.validate("lens")
    def _check_lens(self, proposal: Any) -> str:
        given = proposal.value
        if isinstance(given, str) and given in self._own.named["lens"]:
            return given
        chosen = checked(lens, given)
        if isinstance(chosen, Outcome):
            raise traitlets.TraitError(
                f"set the lens and its outcome each: lens={chosen.lens.name!r}, outcome={str(chosen.outcome)!r}"
            )
        if isinstance(chosen, Grouping) and chosen.groups:
            raise traitlets.TraitError("set the lens and its groups each: lens='grouping', groups={...}")
        if isinstance(given, str) or chosen == _lens_named(chosen.name):
            return str(chosen.name)
        return str(checked(self._own.name_of, "lens", chosen, _is_lens))

    @traitlets.validate("distance", "binning")
    def _check_own(self, proposal: Any) -> str:
        choice, value = proposal.trait.name, proposal.value
        known = tuple(DISTANCES) if choice == "distance" else BINNINGS
        if isinstance(value, ClassWeighted):
            raise traitlets.TraitError(f"set the distance and its weights each: distance={WEIGHTED!r}, weights={{...}}")
        if isinstance(value, Mahalanobis):
            raise traitlets.TraitError(f"set the distance and its matrix each: distance={MAHALANOBIS!r}, matrix=...")
        name = checked(self._own.name_of, choice, value, known.__contains__)
        return checked(validation.choice, name, choice, (*known, *self._own.named[choice]))

    @traitlets.validate(*CHECKS)
    def _check_by_itself(self, proposal: Any) -> Any:
        return checked(CHECKS[proposal.trait.name], proposal.value)

    @traitlets.validate("calibrators")
    def _check_calibrators(self, proposal: Any) -> tuple[str, ...]:
        names = [checked(self._own.name_of_calibrator, value) for value in proposal.value]
        return checked(several, names, "calibrators", self._own.known_calibrators())

    @traitlets.validate("calibrator")
    def _check_calibrator(self, proposal: Any) -> str:
        name = checked(self._own.name_of_calibrator, proposal.value)
        return checked(validation.choice, name, "calibrator", self._own.known_calibrators())

    @traitlets.validate("metrics")
    def _check_metrics(self, proposal: Any) -> tuple[str, ...]:
        names = [checked(self._own.name_of_metric, value) for value in proposal.value]
        return checked(several, names, "metrics", (*MENU, *self._own.metrics))

    @traitlets.validate("kept")
    def _check_kept(self, proposal: Any) -> Kept:
        given = checked(by_name, proposal.value, "kept")
        kept = {}
        for name in checked(several, sorted(given, key=str), "kept", KEPT_NAMES):
            choices = checked(by_name, given[name], "kept")
            if "kept" in choices:
                raise traitlets.TraitError(f"kept[{name!r}] must hold choices without 'kept' itself")
            kept[name] = self._meant_by(choices).to_dict()
            del kept[name]["kept"]
        return tuple((name, tuple(choices.items())) for name, choices in kept.items())

    @traitlets.validate("compared")
    def _check_compared(self, proposal: Any) -> tuple[tuple[str, str, str], ...]:
        rows = tuple(self._subject(i, row) for i, row in enumerate(proposal.value))
        if len(set(rows)) < len(rows) or len(rows) > MOST_COMPARED:
            raise traitlets.TraitError(f"compared must hold different rows, and {MOST_COMPARED} at most: {len(rows)}")
        return rows

    def _subject(self, i: int, row: Any) -> tuple[str, str, str]:
        if not isinstance(row, list | tuple) or len(row) != 3:
            raise traitlets.TraitError(f"compared[{i}] must be (model, lens, selection), not {row!r}")
        model = checked(validation.choice, row[0], f"compared[{i}][0]", self.models)
        checked(read_selection, row[2])
        is_own = isinstance(row[1], str) and row[1] in self._own.named["lens"]
        name = row[1] if is_own else str(checked(lens, row[1]).name)
        return model, name, "" if row[2] is None else str(row[2])


def _lens_named(name: str) -> Lens | None:
    """The built-in lens of a name; None where there is none."""
    try:
        return lens(name)
    except ValueError:
        return None


def _is_lens(name: str) -> bool:
    return _lens_named(name) is not None
