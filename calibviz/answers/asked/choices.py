"""The table of choices: all that is said of each, and of the controls that choose a part of one.

Everything that knows of choices is made from it: the traits of the state, their checks and defaults, the controls, the
steps of the history, links, code, and docs/choices.md. `Spec` declares them once more, with their types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from ...context.lens_names import LENS_KINDS
from ...decisions.by_segment.segments import DEPTH, MINIMUM
from ...engine.binnings.binning_kinds import BINNINGS, UNIFORM
from ...recalibration.registry import AS_IT_IS, CALIBRATORS
from ...recalibration.temperature import COLDEST, HOTTEST
from . import checks, spec
from .checks import Allowed, one_of, or_none, real, some_of, whole
from .glossary import GUPTA, KIRCHENBAUER, NIXON, ROELOFS
from .own_choices import Known
from .presets import PRESETS
from .spec import Spec, gamma_options
from .typed import groups_text, likert_text, ratio_options, weights_text

CHOOSE = "choose …"
BY_NUMBER = "by number"  # a matrix without a name
AS_GIVEN, INDEPENDENT = "as in the data", "none: all are independent"  # choices of what belongs together


@dataclass(frozen=True)
class Control:
    """A control of the page."""

    name: str
    word: str = ""  # what it is called on screen
    term: str = ""  # the term of the field, where that is another one
    meaning: str = ""  # what it means, and the paper that it comes from
    _: KW_ONLY
    kind: str = ""  # what chooses, such as "menu" or "slider"; empty where nothing of its own does
    section: str = ""  # where it stands in the drawer of all settings; empty where it stands in a panel
    traits: Mapping[str, Any] = field(default_factory=dict)  # what a control of its kind has
    also: str = ""  # other terms of papers that find it, where neither its words nor its meaning hold them
    handle: str = ""  # the role of the handle in a picture which it stands for, and which its keys Home and End move

    def small(self, without_effect: str = "") -> str:
        """The small print below the word: the term, and when the control would have an effect."""
        return " · ".join(filter(None, (self.term, without_effect)))

    def label(self, without_effect: str = "") -> str:
        """The label of the control, as HTML."""
        small = self.small(without_effect)
        return f'{self.word} <span class="calibviz-term">{small}</span>' if small else self.word

    def holds(self, text: str) -> bool:
        """Whether its words, meaning, section and the terms that find it hold words that begin as all of a text do.

        Case does not matter, nor whether a hyphen, a blank or nothing parts two words.
        """
        found = " ".join(_unhyphenated(f"{self.word} {self.term} {self.meaning} {self.section} {self.also}"))
        return any(
            all(re.search(rf"(?<!\w){re.escape(word)}", found) for word in sought.split())
            for sought in _unhyphenated(text)
        )


def _unhyphenated(text: str) -> tuple[str, str]:
    """A text in which nothing parts what a hyphen did, and one in which a blank does."""
    return text.casefold().replace("-", ""), text.casefold().replace("-", " ")


def _plainly(value: Any) -> str:
    """A value as a step of the history tells it."""
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Choice(Control):
    """A choice, with the control that makes it."""

    _: KW_ONLY
    default: Any
    allowed: Allowed  # the check of a value, and what it allows in words
    about: str = ""  # what else is to be known to choose it in Python
    nothing: str = "none"  # what None, or an empty value, is called in a step of the history
    shown: Callable[[Any], str] = _plainly  # any other value, as such a step tells it
    own: str = ""  # the kind of thing of the user's own that it may name, such as "lens"
    is_setting: bool = True  # named among the settings that differ; others say what is open, in a panel, or kept
    is_pressed: bool = False  # whether each change of it is a step of its own, as the press of a button is
    to_link: Callable[[Any], Any] = _same  # the value as a link holds it
    from_link: Callable[[Any], Any] = _same  # and back

    def value_text(self, value: Any) -> str:
        """A value in words, such as "the first" of the outcome None."""
        return self.nothing if value is None or value == () or value == "" else self.shown(value)


def _from_1(value: Any) -> Any:
    return value if type(value) is not int else value + 1  # None, or what the state refuses


def _from_0(value: Any) -> Any:
    if type(value) is int and value < 1:
        raise ValueError(f"bin={value} is no bin: in a link they count from 1, as on screen")
    return value if type(value) is not int else value - 1


def cluster_text(value: Any) -> str:
    """The words for what samples belong to, in a step of the history; never empty."""
    return INDEPENDENT if value is False else value or AS_GIVEN


def _matrix_text(value: Any) -> str:
    return value if isinstance(value, str) else ", ".join(" ".join(f"{cell:.4g}" for cell in row) for row in value)


def _other_of(name: str) -> str:
    """Name the other setting of the switch that a text sets, as “or ...”."""
    [other] = (
        text for text, switch in spec.SWITCHES.items() if switch.field == spec.SWITCHES[name].field and text != name
    )
    return f"or {other}"


def checked_choices(choices: Mapping[str, Any], known: Known) -> dict[str, Any]:
    """Choices as a state holds them."""
    for name in choices:
        refuse_unknown(name, CHOICES)
    return {name: CHOICES[name].allowed.check(value, name, known) for name, value in choices.items()}


def refuse_unknown(name: str, names: Sequence[str] | Mapping[str, Any]) -> None:
    """Raise a `ValueError` where a name is that of no choice."""
    if name not in names:
        raise ValueError(f"{name!r} is not a choice: there are {', '.join(names)}")


def _kept(value: Any, name: str, known: Known) -> Any:
    """Check the kept states A and B: each holds all choices but this one."""
    given, kept = checks.by_name(value, name), {}
    for key in checks.several(sorted(given, key=str), name, spec.KEPT_NAMES):
        choices = checks.by_name(given[key], name)
        if name in choices:
            raise ValueError(f"{name}[{key!r}] must hold choices without {name!r} itself")
        kept[key] = {**known.defaults, **checked_choices(choices, known)}
        del kept[key][name]
    return tuple((key, tuple(choices.items())) for key, choices in kept.items())


_JOINT = "It changes the joint error alone, not the scores or their pictures."
_LENS = (
    "what is predicted",
    "lens",
    "What is looked at: the largest probability (top-1), the k largest, the r-th largest (rank), their sum "
    f"(within-top), one class, groups of classes, all at once ({KIRCHENBAUER}, 4.2; {GUPTA}, 2)",
)
_LOOK, _KEEP, _BINS, _AFTER, _DRAW = "Look through", "Keep", "Bins and categories", "Recalibrate", "Draw"
NAMES = "Names in sentences"
_WORDS = Allowed(checks.words, "str")
_ACTING = real(spec.FIRST_THRESHOLD, spec.LAST_THRESHOLD)

#: Every control by name, those of the drawer from top to bottom.
CONTROLS: Mapping[str, Control] = {
    control.name: control
    for control in (
        Control(
            "preset", "start with", "", "A question to begin with: it sets the controls and tells what to look for",
            kind="menu", section=_LOOK, traits={"options": (CHOOSE, *PRESETS)},
        ),
        Choice(
            "model", "model", "", "Which model's predictions",
            default="", allowed=Allowed(checks.model, "str"), kind="menu", section=_LOOK,
        ),
        Choice(
            "lens", *_LENS,
            default="top-1", allowed=Allowed(checks.lens, "str or lens"), own="lens",
            about='The name of a lens, such as "top-1", "rank 2", "class cat", "grouping", or a lens of one score a '
            "sample with a name of its own, which joins the menu",
        ),
        Control(
            "kind", *_LENS, kind="menu", section=_LOOK, traits={"options": tuple(LENS_KINDS)},
            also="top-label, confidence calibration, winning score, class-conditional, class-wise, static calibration "
            "error (SCE), marginal, grouping, partition, superclass, hierarchy, full, canonical, multi-class, pooled",
        ),
        Control(
            "number", "how many", "k or r", "How many of the likeliest classes, or which rank",
            kind="slider", section=_LOOK, traits={"min": 1, "max": 2, "value": 2},
        ),
        Control(
            "class_", "which class", "class", "The class that is looked at", kind="menu", section=_LOOK,
            also="class-conditional, class-wise, marginal",
        ),
        Choice(
            "groups", "which groups", "groups",
            "A partition of the classes, whose probabilities are summed: even: 0, 2; odd: rest. Enter applies it "
            f"({KIRCHENBAUER}, 4.2)",
            default=(), allowed=Allowed(checks.groups, "dict of name to classes, or tuple of (name, classes)"),
            about='Of the lens "grouping"; empty for the groups of the predictions', shown=groups_text,
            kind="text", section=_LOOK, traits={"placeholder": "even: 0, 2, 4; odd: *"},
            also="grouping, superclass, hierarchy",
        ),
        Choice(
            "outcome", "which of them", "outcome", "Which outcome of a lens of several the pictures show",
            default=None, allowed=or_none(Allowed(checks.text, "str")), about="None for the first", nothing="the first",
            kind="menu", section=_LOOK,
        ),
        Choice(
            "margin", "hardly matters below", "margin",
            "How large an overall error (KS) may be and hardly matter: where its whole interval is below, the verdict "
            "says “calibrated to within” so many points",
            default=0.02, allowed=real(0.001, 0.999), about="As a share: 0.02 is 2 points", kind="percent",
            section=_LOOK, traits={"min": 0.001, "max": 0.999}, also="Kolmogorov-Smirnov",
        ),
        Control(
            "labels", "true class", "labels",
            f"Selection by label: keep samples of these classes; none chosen keeps all ({KIRCHENBAUER}, 4.1)",
            kind="checklist", section=_KEEP, also="true label, ground truth, target",
        ),
        Control(
            "confidence", "largest probability", "confidence",
            "Keep samples whose largest probability lies in this range",
            kind="range of percent", section=_KEEP, also="winning score, maximum",
        ),
        Control(
            "output", "predicted", "output",
            f"Keep samples whose score under the lens lies in this range ({KIRCHENBAUER}, 4.1)",
            kind="range of percent", section=_KEEP,
        ),
        Choice(
            "selection", "in words", "selection", "Which samples are kept, as text; Enter applies it",
            default="", allowed=Allowed(checks.selection, "str"), nothing="all",
            about="Such as 'label in [3, 5] and confidence > 0.5'; empty keeps all samples",
            kind="text", section=_KEEP, traits={"placeholder": "label in [3, 5] and confidence > 0.5"},
            also="context, condition, conditional, subset, subgroup, slice",
        ),
        Control("chips", section=_KEEP),
        Choice(
            "cluster", "samples that belong together", "cluster",
            "What several samples belong to, such as a patient: their outcomes may depend on each other, which widens "
            "noise and intervals. A field whose values name it; or each sample is independent",
            default="", allowed=Allowed(checks.cluster, "str or False"), about="Empty for what the data say",
            nothing=AS_GIVEN, shown=cluster_text, kind="menu", section=_KEEP,
            also="correlated, dependent, repeated measures, patient, group, household, i.i.d., hierarchical",
        ),
        Control(
            "examples", "a field", "add", "Conditions that fit these data, to add to the selection",
            kind="menu", section=_KEEP, traits={"options": (CHOOSE,)},
        ),
        Choice(
            "binning", "cut into bins", "binning",
            "How scores are put into bins: uniform width, equal mass, the monotone sweep, which chooses their number "
            f"({ROELOFS}, algorithm 1), or the leaves of a k-d tree ({KIRCHENBAUER}, B.1)",
            default=UNIFORM.name, own="binning",
            allowed=Allowed(checks.binning, f"{checks.either(BINNINGS)} or binning"),
            about="A binning of scores with a name of its own joins the menu",
            kind="menu", section=_BINS, traits={"options": tuple(BINNINGS)},
            also="equal-width, quantile, adaptive calibration error (ACE), ECE-sweep, EM-sweep, kd-tree, cells",
        ),
        Choice(
            "bins", "how many bins", "bins",
            "Number of bins: few hide errors, many add noise to the estimate (Guo et al. 2017)",
            default=15, allowed=whole(1, spec.MOST_BINS), kind="slider", section=_BINS,
        ),
        Choice(
            "gamma", "leaf size", "gamma",
            f"A cell of the k-d tree with fewer than this share of the samples is split no more ({KIRCHENBAUER}, B.1)",
            default=0.125, allowed=Allowed(real(spec.GAMMAS[-1], spec.GAMMAS[0]).check, "float, 1/4096 to 1/2"),
            kind="steps", section=_BINS, traits={"options": gamma_options(spec.GAMMAS)}, also="kd-tree",
        ),
        Control(
            "gamma_number", "leaf size, typed", "γ",
            "Any from 1/4096 to 1/2, such as 0.1 or 1/20. Enter applies it",
            kind="text", section=_BINS, traits={"placeholder": "0.1 or 1/20"},
        ),
        Choice(
            "distance", "distance in a bin", "distance",
            "Between mean score and mean target of a bin: total variation is half the sum of the absolute "
            "differences, L1 the sum, L2 the root of the summed squares. Class-weighted L2 and Mahalanobis weigh the "
            "outcomes of whole rows; of one score a sample all of them are the absolute difference "
            f"({KIRCHENBAUER}, 4.3 and A.2)",
            default=next(iter(spec.DISTANCES)), own="distance",
            allowed=Allowed(checks.distance, f"{checks.either(spec.DISTANCES)} or distance"),
            about="A distance with a name of its own joins the menu",
            kind="menu", section=_BINS, traits={"options": tuple(spec.DISTANCES)}, also="Euclidean, metric, divergence",
        ),
        Choice(
            "weights", "how much each counts", "weights",
            f"Of the class-weighted distance: at least 0 for each class, group or rank. {_JOINT} "
            f"({KIRCHENBAUER}, equation 9)",
            default=(), allowed=Allowed(checks.weights, "dict of outcome to float, or tuple of (outcome, float)"),
            about="1 where none is named", nothing="all alike", shown=weights_text,
            kind="numbers", section=_BINS, traits={"least": 0.0},
        ),
        Control(
            "weights_text", "how much each counts", "weights",
            f"Of the class-weighted distance: cat: 2; dog: 0.5. All others count 1. {_JOINT} Enter applies it "
            f"({KIRCHENBAUER}, equation 9)",
            kind="text", section=_BINS, traits={"placeholder": "cat: 2; dog: 0.5"},
        ),
        Control("refusal", section=_BINS),
        Choice(
            "matrix", "how much pairs count", "matrix",
            f"Of the Mahalanobis distance. {_JOINT} The identity makes it L2; the inverse covariance "
            f"counts a difference by how much what is predicted varies in its direction ({KIRCHENBAUER}, A.2)",
            default=spec.MATRICES[0],
            allowed=Allowed(checks.matrix, f"{checks.either(spec.MATRICES)} or array-like of float, shape (m, m)"),
            about="Of the predicted probabilities before recalibration, or one row for each outcome, symmetric and "
            "positive semi-definite",
            shown=_matrix_text, kind="menu", section=_BINS, traits={"options": spec.MATRICES},
        ),
        Control(
            "matrix_numbers", "numbers of the pairs", "matrix M",
            "The matrix of the Mahalanobis distance, a row and a column for each outcome; it has to be positive "
            "semi-definite. A number stands on both sides of the diagonal",
            kind="numbers", section=_BINS, traits={"is_symmetric": True},
        ),
        Choice(
            "norm", "one error from all bins", "norm",
            "How the distances of the bins make one error: their mean (ECE), root mean square (RMSCE) or maximum "
            f"(MCE) (Naeini et al. 2015; {NIXON})",
            default=next(iter(spec.NORMS)), allowed=one_of(spec.NORMS), kind="menu", section=_BINS,
            also="expected calibration error, maximum calibration error, Lp",
        ),
        Choice(
            "likert", "categories", "Likert",
            "Categories that people read: cut points (0, 0.33, 0.66, 1) or names with gaps (unlikely: 0-0.2; likely: "
            f"0.8-1). Enter applies them ({KIRCHENBAUER}, 4.3)",
            default=(), allowed=Allowed(checks.categories, "tuple of float, or dict of name to (low, high)"),
            about="Ascending cut points in [0, 1] or named categories, or empty for none", shown=likert_text,
            kind="text", section=_BINS, traits={"placeholder": "0, 0.33, 0.66, 1"},
            also="verbal probabilities, ordinal scale, thresholds",
        ),
        Choice(
            "calibrator", "calibrator", "",
            f"What recalibrates: a spline of the cumulative curve ({GUPTA}), temperature and other linear "
            "maps of logits (Guo et al. 2017; Kull et al. 2019), isotonic, Platt, beta, histogram binning",
            default=AS_IT_IS, allowed=Allowed(checks.calibrator, "str or calibrator"), own="calibrator",
            about='As in `evaluate`: "none", "spline", "temperature", ...; one with a name of its own joins the menus',
            kind="menu", section=_AFTER,
            also=f"recalibration, post-hoc, {', '.join(record.noun for record in CALIBRATORS.values())}",
        ),
        Choice(
            "knots", "flexibility", "knots",
            f"Knots of the recalibrating spline: more follow the data more closely ({GUPTA}, 4)",
            default=6, allowed=whole(2, spec.MOST_KNOTS), kind="slider", section=_AFTER, also="cubic",
        ),
        Choice(
            "spline", "shape", "spline",
            "Monotone: the map never falls. Bounded: it stays within 0 and 1 while it is fitted, not only by clipping. "
            f"Cumulative: fitted to the cumulative curve itself, not to its difference ({GUPTA}, 4)",
            default=(), allowed=some_of(spec.SPLINE_OPTIONS), kind="checklist", section=_AFTER,
        ),
        Choice(
            "interval", "error bars", "bars",
            "Of each bin: the 95 % interval of its mean target (Clopper-Pearson, or bootstrap), or where a calibrated "
            "model's bins would lie (consistency; Broecker & Smith 2007)",
            default=spec.INTERVALS[0], allowed=one_of(spec.INTERVALS), kind="menu", section=_DRAW,
            also="reliability diagram, confidence interval",
        ),
        Choice(
            "curves", "curves", "",
            "Without bins: flexible, a smooth logistic curve with its 95 % band (Van Calster et al. 2016); "
            "kernel-smoothed (Blasiok & Nakkiran 2023); isotonic (CORP; Dimitriadis et al. 2021), beside the line "
            "where the Brier skill is 0",
            default=spec.CURVES[:1], allowed=some_of(spec.CURVES), kind="checklist", section=_DRAW,
            also="reliability diagram, calibration curve",
        ),
        Choice(
            "scale", "predicted axis", "log-odds",
            "Even, or stretched towards 0 and 1 (log-odds), for models that predict almost only 0 and 1",
            default=spec.SCALES[0], allowed=one_of(spec.SCALES), about="The log-odds are those from 0.1 to 99.9 %",
            kind="switch",
        ),
        Choice(
            "overlays", "draw over", "",
            "Other models, or calibrators, in the reliability diagram, in Ranks and in Categories; 4 at most",
            default=(), allowed=Allowed(checks.overlays, "tuple of str"),
            about='"model: NAME" for another model, "calibrator: NAME"', kind="checklist", section=_DRAW,
        ),
        Choice(
            "title", "name of the data", "title", "What stands above everything, and on what is taken away",
            default="", allowed=_WORDS, nothing="as in the data", kind="text", section=NAMES,
            traits={"placeholder": "Heart disease at four hospitals"},
        ),
        Choice(
            "noun", "what samples are", "plural", "What sentences call them, such as people, images or matches",
            default="", allowed=_WORDS, nothing="as in the data", kind="text", section=NAMES,
            traits={"placeholder": "people"},
        ),
        Choice(
            "event_noun", "what an event is", "after a number", "Such as “had the disease”, after “23 people”",
            default="", allowed=_WORDS, nothing="as in the data", kind="text", section=NAMES,
            traits={"placeholder": "had the disease"},
        ),
        Choice(
            "cumulative", "view", "", f"Cumulative or not, against the fractile or the score ({GUPTA}, figure 1)",
            default=spec.CUMULATIVE[0], allowed=one_of(spec.CUMULATIVE), kind="menu",
        ),
        Choice(
            "samples", "shown on", "",
            "Those that the calibrator has not seen, which judge it, or those that it was fitted to, on which it looks "
            "better than it is",
            default=spec.SAMPLES[0], allowed=one_of(spec.SAMPLES), kind="switch",
        ),
        Choice(
            "calibrators", "compared", "", "Which calibrators are compared",
            default=("temperature", "spline", "isotonic", "beta"), own="calibrator",
            allowed=Allowed(checks.calibrators, "tuple of str or calibrator"), kind="checklist",
        ),
        Choice(
            "temperature", "temperature", "T",
            "By which the calibrator “temperature” divides the logits; empty fits it. A click on a curve sets it, "
            "Enter applies it",
            default=None, allowed=or_none(real(COLDEST, HOTTEST)), about="None fits it", nothing="fitted",
            kind="text", traits={"placeholder": "fitted"},
        ),
        Choice(
            "metrics", "errors", "metrics",
            "Which errors are compared; proper scores (Brier, log loss) reward sharpness too",
            default=("ece", "ks", "brier", "log_loss"), own="metric",
            allowed=Allowed(checks.metrics, f"tuple of {checks.either(spec.MENU)} or Metric"),
            about="A `Metric` of your own joins the menu", kind="checklist",
        ),
        Choice(
            "rows", "rows", "",
            "Compare calibrators under several lenses and selections, by several metrics, or by the 32 errors that "
            f"differ in five switches ({NIXON})",
            default=spec.ROWS[0], allowed=one_of(spec.ROWS), kind="menu",
            traits={"options": tuple(zip(("lenses", "metrics", "GCE family"), spec.ROWS, strict=True))},
        ),
        Choice(
            "switches", "switches", "GCE",
            "Which errors of the GCE family are rows, by pairs: of probabilities, classes, scores, bins and norms. "
            "Choose one of a pair to see it alone; one of each pair makes one error, such as the ACE "
            f"({NIXON})",
            default=(), allowed=some_of(spec.SWITCHES),
            about="An error is a row if it has one of the chosen settings of each of its five switches, or any where "
            "none of the two is chosen",
            kind="checklist", traits={"counts": tuple(map(_other_of, spec.SWITCHES))},
        ),
        Choice(
            "compared", "rows of my own", "compared",
            "Models, lenses and selections that are compared beside the usual ones",
            default=(), allowed=Allowed(checks.compared, "tuple of (model, lens, selection)"),
            about='Such as ("forest", "class cat", "site == \'East\'"), at most 20; empty for the usual lenses of the '
            "model that is looked at",
            shown=lambda rows: "; ".join(" ".join(row).strip() for row in rows),
        ),
        Choice(
            "comparison", "as", "", "A table with intervals, or grouped bars",
            default=spec.COMPARISONS[0], allowed=one_of(spec.COMPARISONS), kind="menu",
        ),
        Choice(
            "by", "list", "",
            f"The error of every class, group of classes or level of a hierarchy ({KIRCHENBAUER}, figure 12)",
            default=spec.LISTED[0], allowed=one_of(spec.LISTED), kind="menu",
        ),
        Choice(
            "zoom", "ranks", "", "Which ranks the picture and the table show; the largest error has rank 1",
            default=(), allowed=Allowed(checks.ranks, "tuple of two int"), is_setting=False,
            about="The first and the last, such as (901, 1000); empty for all",
        ),
        Choice(
            "bin", "bin (0: all)", "",
            "The bin whose samples are listed, 0 for all; a click in the reliability diagram sets it",
            default=None, allowed=or_none(whole(0)), about="In Python counted from 0; None lists all samples",
            nothing="all", shown=lambda place: str(place + 1), is_setting=False, to_link=_from_1, from_link=_from_0,
            kind="number",
        ),
        Choice(
            "order", "sorted by", "", "The column by which the samples are sorted; a click on its heading sets it",
            default="", allowed=Allowed(checks.text, "str"), is_setting=False,
            about='Such as "confidence", or "-confidence" for the largest first; empty for the farthest from the truth '
            "first",
        ),
        Choice(
            "sample", "sample", "", "The sample whose row is open; a click on it opens and closes it",
            default=None, allowed=or_none(whole(0)), is_setting=False,
            about="By its index, with all of its probabilities; None shows none",
        ),
        Choice(
            "threshold", "act from", "threshold",
            "Somebody acts where the score reaches this threshold t (Vickers and Elkin 2006)",
            default=spec.DEFAULT_THRESHOLD, allowed=_ACTING, kind="percent", traits={"min": 0.0, "max": 1.0},
            handle="threshold",
        ),
        Control(
            "cost_ratio", "one missed weighs", "cost ratio",
            "How many needless acts one missed weighs, (1 − t) / t: at 19 one missed weighs as much as 19 acted on "
            "needlessly. It stands for the same as the threshold",
            kind="text",
        ),
        Control(
            "cost_steps", "ratio by steps", "",
            "The same to be dragged, in steps of a whole per cent of the threshold",
            kind="steps", traits={"options": ratio_options(spec.DEFAULT_THRESHOLD)}, handle="threshold",
        ),
        Choice(
            "prevalence", "share where you act", "prevalence",
            "The share of the positive class where somebody acts; the samples are weighted to have it, the scores "
            "stay as they are. At the share of the samples it follows them",
            default=None, allowed=or_none(_ACTING), about="That of the samples where it is None",
            nothing="of the samples", kind="percent", traits={"min": 0.0, "max": 1.0},
        ),
        Choice(
            "risk", "at most wrong", "to promise",
            "How many of those left to the model may be wrong: a sentence says which threshold promises that, with "
            "95 % confidence (Angelopoulos et al. 2021)",
            default=0.05, allowed=real(0.001, 0.999), about="As a share: 0.05 is 5 in 100", kind="percent",
            traits={"min": 0.001, "max": 0.999}, also="selective prediction, reject option, abstain, coverage, defer",
        ),
        Choice(
            "depth", "segments by", "", "Whether the values of one field, or of two at once, make a segment",
            default=DEPTH, allowed=whole(1, spec.MOST_FIELDS), is_setting=False,
            kind="menu", traits={"options": (("one field", 1), ("two fields", 2))},
        ),
        Choice(
            "minimum", "at least", "", "Smaller segments are not looked at: so few samples show nothing",
            default=MINIMUM, allowed=whole(1), is_setting=False, about="Of the samples of a segment", kind="number",
        ),
        Choice(
            "centre", "centres by", "", "The field that tells the centre of each sample, such as its hospital",
            default="", allowed=Allowed(checks.text, "str"), is_setting=False, kind="menu",
            about="Empty for the first field that is named after places", nothing="the first field of places",
            also="hospitals, sites, random effects, meta-analysis, heterogeneity, forest plot",
        ),
        Choice(
            "panels", "panels", "", "Which panels are shown",
            default=("reliability",), allowed=Allowed(checks.panels, "tuple of str or Answer"), own="panel",
            about='The names of panels, such as ("reliability", "segments"); an `Answer` of your own joins them',
            is_setting=False, is_pressed=True,
        ),
        Choice(
            "projector", "projector", "", "One panel alone, in large type, for a lecture hall: the last of those "
            "that are open",
            default=False, allowed=Allowed(checks.truth, "bool"), is_setting=False, is_pressed=True,
            shown=lambda is_on: "on" if is_on else "off",
        ),
        Choice(
            "kept", "kept", "", "What is kept for a comparison",
            default=(), allowed=Allowed(_kept, 'dict of "A" or "B" to choices'),
            about="As `keep` keeps it; what the choices leave out is as at first", is_setting=False, is_pressed=True,
        ),
    )
}  # fmt: skip  # the words of a control stand in a row

#: The choices by name, in the order of the fields of a `Spec`.
CHOICES: Mapping[str, Choice] = {
    name: choice
    for name in Spec.__dataclass_fields__
    if name not in spec.ALWAYS and isinstance(choice := CONTROLS[name], Choice)
}


def word_of(choice: str) -> str:
    """The word of a choice on screen."""
    return CHOICES[choice].word.partition(" (")[0]


def first_defaults(models: Sequence[str]) -> dict[str, Any]:
    """The default of every choice: that of the model is the first one."""
    return {name: choice.default for name, choice in CHOICES.items()} | {"model": models[0]}
