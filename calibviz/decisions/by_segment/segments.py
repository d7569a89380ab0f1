"""Where is it wrong? Segments of the samples whose scores are off beyond noise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from ...context.condition_parser import selection as read_selection
from ...context.conditions import Condition
from ...context.induced import refuse_summary
from ...context.lenses import Lens
from ...context.truth_selections import looks_at_truth
from ...data.dependence import assumes_independence
from ...data.models import no_predictions, takes_arrays
from ...data.predictions import Predictions
from ...engine.by_truth import LOOKS_AT_TRUTH
from ...engine.chances import Chances
from ...engine.clustered import Clusters
from ...engine.scalar import ScalarProblem
from ...foundation import validation
from ...foundation.arrays import Array
from ...foundation.chance import p_values
from ...foundation.described import Described, described
from ...foundation.progress import with_progress
from ...foundation.threads import in_turn
from ...foundation.written import counted
from ...metrics.calibration_tests import REACHES, gap_variance, walk_size, walk_spread
from ...metrics.clinical.penalised_curve import penalised_curve
from ...metrics.masses import clopper_pearson, counts_of, unit_weights, variances
from ...scale.lazy import LazyPredictions
from ...uncertainty.intervals.bin_intervals import mean_interval
from ...uncertainty.joint_test import JointTest, calibration_test
from ...uncertainty.resampling.calibrated_sums import LabelDraws
from .cluster_walks import ClusterWalks
from .columns import Values
from .divisions import Division, Parts, divisions, selection_text
from .flagged_segments import ALL_OFF, ALL_P, FITTED, ROUNDING, shown_segments, sure_gap
from .overlaps import overlaps
from .read_in_parts import scores_and_parts
from .segment_request import SegmentRequest
from .segment_tests import AT_ONCE, Refits, SegmentWalks, drawn_targets, gaps_of

DEPTH, CUTS, MINIMUM, DRAWS, LEVEL = 1, 4, 30, 999, 0.95
FEWEST_CLUSTERS, FEWEST_HOLDING = 10, 5.0  # clusters of a segment, and of these with an event, and with none
EQUAL_P = 1e-9  # relative difference up to which p-values are equal
FEWEST_VARIANCE = 1.0  # of the number of events in a segment that `multicalibration_error` looks at
SCALES = ("absolute", "relative", "sigma")


SAID = {
    "ratio": Described("calibration error by its noise"),
    "statistic": Described("statistic of the test"),
    "p_adjusted": Described("p-value adjusted for all segments", source="Westfall and Young 1993"),
    "lower_of_all": Described("lower end of the interval of target, of all segments at once", source="Bonferroni"),
    "upper_of_all": Described("upper end of the interval of target, of all segments at once", source="Bonferroni"),
    "unlike_score": Described("mean prediction of the curve of all samples"),
    "ratio_unlike": Described("calibration error of the curve of all samples by its noise"),
    "p_value_unlike": Described("p-value of the curve of all samples, of this segment alone"),
    "p_unlike": Described(
        "p-value of being unlike the others, adjusted for all segments", source="Westfall and Young 1993"
    ),
    "shared": Described("samples that are in the segment above of shared_with"),
    "rest_score": Described("mean prediction of the samples that are not shared"),
    "rest_target": Described("mean target of the samples that are not shared"),
    "rest_lower": Described("lower end of the interval of rest_target"),
    "rest_upper": Described("upper end of the interval of rest_target"),
    "rest_p_adjusted": Described("p_adjusted of the samples that are not shared", source="Westfall and Young 1993"),
    "rest_p_unlike": Described("p_unlike of the samples that are not shared", source="Westfall and Young 1993"),
}
OF_REST = ("rest_score", "rest_target", "rest_lower", "rest_upper", "rest_p_adjusted", "rest_p_unlike")
OF_CURVE = ("unlike_score", "ratio_unlike", "p_value_unlike", "p_unlike")  # which nothing is under some selections


class TooFew(ValueError):
    """Raised where all samples together are fewer than a segment has to have."""


@dataclass(frozen=True)
class _Segment:
    """The numbers of one segment; `worth` is its effective size."""

    ratio: float
    count: float
    weight: float
    score: float
    target: float
    statistic: float
    worth: float
    spread: float

    @classmethod
    def of(cls, part: ScalarProblem, test: str) -> _Segment:
        statistic, ratio = walk_size(part, test)
        means, noise = (part.mean_score, part.mean_target), gap_variance(Chances.of(part))
        return cls(ratio, float(part.samples), part.total, *means, statistic, part.effective_size, noise)


@dataclass(frozen=True, eq=False)
class _Judged:
    """The segments that are large enough, in the order of `divisions`, and the sizes and the words of the others.

    The divisions are of the rows that may be selected: of the samples, unless the selection looks at the truth.
    """

    problem: ScalarProblem
    chances: Chances
    divisions: list[Division]
    measured: list[_Segment]
    too_small: dict[str, float]
    words_of_small: list[str]
    skipped: dict[str, str]
    statistic: str
    too_few_clusters: dict[str, int] = field(default_factory=dict)

    @property
    def rows(self) -> list[NDArray[np.intp]]:
        """The rows of each segment."""
        return [rows for division in self.divisions for _, rows in division.segments()]

    def of_each(self, what: str) -> list[Any]:
        """The name of each segment, its words or its conditions."""
        return [each for division in self.divisions for each in getattr(division, what)]

    def means(self, values: Array) -> Array:
        """The mean over each segment of a value of each sample."""
        return np.array([np.average(values[rows], weights=self.problem.weight[rows]) for rows in self.rows])

    def ends(self, level: float) -> tuple[Array, Array]:
        """The intervals of the mean targets of the segments."""
        if self.problem.clusters is None:
            return clopper_pearson(self.column("target"), self.column("worth"), level)
        parts = (_part(self.problem, self.chances, rows) for rows in self.rows)
        lower, upper = np.array([mean_interval(part, level) for part in parts]).T
        return lower, upper

    def column(self, name: str) -> Array:
        return np.array([getattr(segment, name) for segment in self.measured], dtype=np.float64)

    def table(self, chances: dict[str, Array], level: float, asked: Condition | None) -> xr.Dataset:
        """Return the table of `segments`, without the settings, from its p-values and what is unlike the others."""
        columns = {name: self.column(name) for name in ("ratio", "count", "weight", "score", "target")}
        lower, upper = self.ends(level)
        columns |= {"gap": columns["target"] - columns["score"], "lower": lower, "upper": upper}
        names, words, conditions = map(self.of_each, ("names", "words", "conditions"))
        of_all = 1 - (1 - level) / max(1, sum(map(bool, conditions)))  # all samples are no segment
        columns |= dict(zip(("lower_of_all", "upper_of_all"), self.ends(of_all), strict=True))
        columns |= {"statistic": self.column("statistic")} | chances
        order = _order(columns, level)
        texts = [selection_text((asked, *each)) for each in conditions]
        coords = {"segment": names, "selection": texts, "words": words, "n_fields": list(map(len, conditions))}
        return xr.Dataset(
            {name: ("segment", values[order]) for name, values in columns.items()},
            {name: ("segment", np.array(each)[order]) for name, each in coords.items()},
        )


def _order(columns: dict[str, Array], level: float) -> NDArray[np.intp]:
    """Flagged segments by the gap that is sure, the largest first, then the others by their p-values."""
    flagged = np.fmin(columns["p_adjusted"], columns["p_unlike"]) <= 1 - level + ROUNDING
    sure = np.abs(sure_gap(columns["score"], columns["lower"], columns["upper"]))
    return np.lexsort((-columns["ratio"], columns["p_value"], np.where(flagged, -sure, 0.0), ~flagged))


@assumes_independence
@takes_arrays
def segments(
    predictions: Predictions | LazyPredictions,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    fields: Iterable[str] | str | None = None,
    depth: int = DEPTH,
    cuts: int = CUTS,
    minimum: int = MINIMUM,
    error: str = "kuiper",
    calibrator: Any = None,
    replicates: int = DRAWS,
    level: float = LEVEL,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> xr.Dataset:
    """Return segments of the samples, those that are shown to be off first, with tests against noise.

    Parameters
    ----------
    predictions : Predictions, LazyPredictions from `open_predictions`, or probabilities of shape (n, K) or (n,)
        They need sample fields: age, site, ... Opened predictions are read twice: for the quantile cuts, and for sums
        over the samples in the same parts with the same score, from which the draws are made too. At most 262,144 sums
        are kept: if there would be more, neighbouring scores share one. For a field of more than 65,536 different
        numbers, cuts are interpolated between neighbours.
    labels : array-like, shape (n,) or (n, K), optional
        Those of probabilities, as the second argument or by keyword; `Predictions` hold theirs.
    lens, selection, outcome
        As in `observed_expected`.
    fields : names of fields, optional
        By default all that may be covariates, see the notes, except text with more than 50 values; and "predicted", the
        likeliest class, if there are more than two classes or the lens is "top-1". The attribute `skipped_fields` maps
        the names of those that are left out to the reasons. Fields that are named here are tested, whatever they hold.
    depth : int, from 1 to 3
        How many fields a segment combines at most: 2 looks at all pairs of fields, too.
    cuts : int, at least 2
        A field with more different numbers is cut at quantiles into this many parts. Infinite values belong to the
        outermost ones. Where an outer quantile is the least or the largest value, as where a third are 0, that value
        is a part by itself.
    minimum : int, at least 1
        Segments with fewer samples (under a selection that looks at the truth: with fewer to be expected of it) are not
        tested; the attribute `too_small` maps their names to their sizes, and
        `too_small_words` lists their names to be read.
    error : {"kuiper", "ks"}
        The error of a segment, which is divided by its own noise: the `ratio` of `kuiper_test` or `ks_test`.
    calibrator : fitted calibrator, or a function of scores, optional
        Test the scores that it makes.
    replicates : int
        Draws of labels for `p_adjusted` and `p_unlike`, which are nan with 0 draws.
    level : float, in (0, 1)
        The level of the interval of the target.
    rng : int, numpy.random.Generator or None
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    xarray.Dataset
        Over `segment`: first those with p_adjusted or p_unlike of at most 1 - level, by the gap that is sure (from the
        score to the nearer end of the interval of the target), the largest first; then the others by p_value. With
        `selection`, the text that keeps its samples wherever calibviz takes a selection, `words`, its name to be read,
        and `n_fields`, of how many fields it is made (0: all samples). In words, a part of whole numbers or dates is
        named by the least and the largest that it holds, such as "age 51 to 58", and one of other numbers by its ends,
        such as "dose above 1.5 up to 2". It holds ratio, count, weight, score (predicted), target (observed),
        gap = target - score, lower and upper (the Clopper-Pearson interval of the target; less the score, that of the
        gap), lower_of_all and upper_of_all (the same at a level that holds for all segments at once, by Bonferroni),
        statistic and

        - p_value, of this segment alone, and p_adjusted: how often some segment of calibrated scores is as unlikely.
          With a calibrator it includes the error of the fitted calibrator;
        - unlike_score, what the penalised curve of all samples predicts for the segment, ratio_unlike and
          p_value_unlike of these predictions, and p_unlike: how often some segment is as unlikely if the curve is right
          and all segments are alike. A segment that alone holds a range of scores is no other than the curve there.

        A small gap with a small p is of errors that cancel. The attribute `all_samples_off` says whether all samples
        together are shown to be off, by `calibration_test` (None with 0 draws), and `all_samples_p_value` how surely:
        that test sees errors that the walk of gaps of a segment does not. Where they are, or with a calibrator,
        what counts of a segment is p_unlike, else p_adjusted. If by that a segment is shown to be off, and at least
        half of its samples lie in one that is shown to be off further, `shared_with` names that one, and shared says
        how many these are. The others are judged by themselves: rest_score, rest_target, rest_lower, rest_upper,
        rest_p_adjusted and rest_p_unlike, nan where there are none. Where they are within noise, the segment tells no
        more than the one that it shares samples with. Under a selection that looks at the truth the p-values are
        of gaps beyond those that it makes of a calibrated model; what the curve of all samples says is nan there.

    Raises
    ------
    ValueError
        For soft labels, unknown fields, lenses with several scores a sample, and as `observed_expected`; after
        `at_prevalence` as `calibration_test`.

    See Also
    --------
    multicalibration_error : The largest ratio in one number.

    Notes
    -----
    p_value is that of the test where the variance of the number of events, V = sum u s (1 - s), is at least 10. Below
    it is exact, twice the smaller tail of that number. With weights that are no counts V has to be at least 10 max u,
    max u of the segment, and below it is ``2 Phi(-|G| / sqrt(V + max u))``, G the sum of the gaps. Under a selection
    that looks at the truth G and V are of the residuals of `calibration_test`, and below 10 it is
    ``2 Phi(-|G| / sqrt(V + 1))``. p_adjusted compares it with the least of all segments in each draw of labels. For
    p_unlike the curve is fitted anew to each draw.

    By what it holds in 20 selected rows or more, and by its name, a field is no covariate if it is

    - the score, a probability of a class or the confidence: itself, 1 less it, rounded, in per cent, or another number
      that orders the samples in the same way (Spearman's rho of at least 0.9999);
    - what was observed: in values of several rows, which 95 % of the rows have, all rows are of one outcome, or of one
      class, or all are right or wrong; or it is missing just where one outcome is. Or it says yes or no, by a name such
      as `death`, but not `family_death` or `smoking_status`;
    - a number or a name of rows: text or whole numbers of which 95 % differ, if they are text, have a name such as
      `id`, rise evenly row by row, or are repeated as seldom as 1 of 100 sets of drawn numbers. Times are none;
    - the key of what several rows belong to, such as `patient_id`; `site_id` where it has more than 50 values, or fewer
      than 20 rows of each; a text `question` likewise. Rows that share it may not be independent, and intervals and
      tests take them to be;
    - the weights.

    Of more than 65,536 rows, or of 4,194,304 probabilities, so many random ones are looked at.

    Of samples in clusters a segment is tested that has at least 10 of them, of which at least 5 (Kish) are expected to
    hold an event, and 5 to hold none; the attribute `too_few_clusters` maps the names of others to their clusters, and
    a field with one value for each cluster makes none. With D the error of a segment and D* that under the draws of
    `ks_test`, p_value and p_adjusted compare D / max(sqrt(mean D*^2), 2 sqrt(ln 2) sqrt(sum w^2 s (1 - s))) with the
    same of the segment, and with the largest of all segments; the second one is that of independent rows (for "ks"
    1.354 in place of 2 sqrt(ln 2), and 0 at a horizon). For p_unlike the draws are about the curve, which is fitted
    anew to each. Nothing is said of what segments share. Of fewer than six clusters all these are nan. Under a
    selection that looks at the truth D is of the residuals of `calibration_test`, and clusters are those of all
    samples, selected or not.

    References
    ----------
    Westfall and Young 1993, Resampling-based multiple testing (the adjusted p-value).

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> table = cv.segments(p, replicates=99)
    >>> table.segment[0].item(), table.gap[0].round(3).item(), table.p_adjusted[0].item()
    ('13.37 < mean_radius <= 15.78', 0.092, 0.01)
    >>> round(cv.calibration_error(p, selection=table.selection[0].item()), 3)
    0.162
    """
    seed = validation.rng(rng)
    request = SegmentRequest.of(lens, selection, outcome, calibrator, fields, cuts, depth, minimum)
    asked = read_selection(selection)
    *_, (_, table) = segment_steps(predictions, request, error, replicates, level, seed, progress, asked)
    return table


def segment_steps(
    predictions: Predictions | LazyPredictions,
    request: SegmentRequest,
    statistic: str = "kuiper",
    n: int = DRAWS,
    level: float = LEVEL,
    seed: int | None = 0,
    progress: bool = True,
    asked: Condition | None = None,
) -> Iterator[tuple[float, xr.Dataset]]:
    """Yield the part that is done and the table of `segments`, step by step.

    In all tables but the last, `p_adjusted` and `p_unlike` are nan. The selections of the segments begin with what is
    `asked` for.
    """
    validation.truth(progress, "progress")
    level = validation.level(level)
    draws = validation.whole_number(n, "replicates", 0)
    judged = _judged(predictions, request, statistic, progress)
    problem = judged.problem
    search = _SegmentSearch(request, judged, draws, level, seed, progress, asked)
    if problem.clusters is not None:
        steps = _by_clusters(search)
    else:
        steps = _by_labels(search) if problem.by_truth is None else _by_truth(search)
    next(steps)
    first = search.table()
    yield 0.0, first
    if not draws:
        return
    for done in steps:
        yield done, first
    has_test = problem.by_truth is None
    yield 1.0, search.table(calibration_test(problem, rng=seed, progress=progress) if has_test else None)


@dataclass
class _SegmentSearch:
    """The segments of a search, and how they are compared with noise."""

    request: SegmentRequest
    judged: _Judged
    draws: int
    level: float
    seed: int | None
    progress: bool
    asked: Condition | None  # with which the selections of the segments begin
    chances: dict[str, Array] = field(default_factory=dict)  # by name the columns of p-values, and what is unlike
    several: list[tuple[Array, list[SegmentWalks]]] = field(default_factory=list)  # the tests of labels
    # The least p-values of their draws, by which what segments share is judged.
    least: tuple[list[Array], list[Array]] = field(default_factory=lambda: ([], []))

    def table(self, of_all: JointTest | None = None) -> xr.Dataset:
        """The table of `segments` as it is now, and whether all samples together are off, where that is known."""
        off, p_value = (None, np.nan) if of_all is None else (of_all.shown, of_all.p_value)
        request, judged = self.request, self.judged
        about = {"depth": request.depth, "cuts": request.cuts, "minimum": request.minimum, "test": judged.statistic}
        about |= {"level": self.level, "n": self.draws}
        about |= {"too_small": judged.too_small, "too_small_words": judged.words_of_small}
        about |= {"skipped_fields": judged.skipped, "too_few_clusters": judged.too_few_clusters}
        made = judged.table(self.chances, self.level, self.asked)
        made = made.assign_attrs(about | {ALL_OFF: off, ALL_P: p_value})
        made = described(_with_rests(made, self), "Guy et al. 2025, Measuring multi-calibration", SAID)
        if self.several and request.calibrator is not None:
            made.p_adjusted.attrs["note"] = FITTED
        return made

    def unknown(self, *names: str) -> dict[str, Array]:
        """Columns of which nothing is known."""
        return dict.fromkeys(names, np.full(len(self.judged.measured), np.nan))


def _by_labels(search: _SegmentSearch) -> Iterator[float]:
    """Find what is known without draws, then draw labels from the scores and from the curve of all samples.

    It yields the part of the draws that is done, at first 0.
    """
    of_labels, chances, least = search.judged.chances, search.chances, search.least
    problem = of_labels.rows
    curve = penalised_curve(problem)
    for own, name in ((of_labels.hit, "p_value"), (curve.fitted, "p_value_unlike")):
        tests = [SegmentWalks(problem, division, search.judged.statistic, own) for division in search.judged.divisions]
        gaps = gaps_of(problem, problem.given_target[None], own)  # ties may lie in several segments
        ratio, chances[name] = _alone(tests, gaps)
        search.several.append((own, tests))
    chances |= search.unknown("p_adjusted", "p_unlike")
    chances |= {"ratio_unlike": ratio, "unlike_score": search.judged.means(of_labels.weighted(curve.fitted))}
    yield 0.0
    parts = 2 * -(-search.draws // AT_ONCE)
    steps = iter(with_progress(range(parts), "noise", parts, search.progress))
    for found, (own, tests), refits in zip(least, search.several, (None, Refits(problem, curve)), strict=True):
        for drawn in _least_of_nulls(search, tests, own, refits):
            next(steps)
            found.append(drawn)
            yield sum(map(len, [*least[0], *least[1]])) / (2 * search.draws)
    chances["p_adjusted"] = _adjusted(least[0], chances["p_value"])
    chances["p_unlike"] = _adjusted(least[1], chances["p_value_unlike"])


def _by_clusters(search: _SegmentSearch) -> Iterator[float]:
    """Compare walks of gaps with draws for whole clusters of samples, as `_by_labels` does with draws of labels.

    Under a selection that looks at the truth the gaps are its residuals, and there is no curve.
    """
    judged, problem = search.judged, search.judged.problem
    search.chances |= search.unknown("p_value", "p_adjusted", *OF_CURVE)
    names: list[tuple[str, str]] = [("p_value", "p_adjusted")]
    several: list[tuple[Array, Refits | None]] = [(np.clip(problem.score, 0.0, 1.0), None)]
    if problem.by_truth is None:
        curve = penalised_curve(problem)
        search.chances["unlike_score"] = judged.means(curve.fitted)
        names.append(("p_value_unlike", "p_unlike"))
        several.append((curve.fitted, Refits(problem, curve)))
    yield 0.0
    for i, (own, (chance, refits)) in enumerate(zip(names, several, strict=True)):
        draws, seed = search.draws, search.seed
        walks = ClusterWalks(judged.chances, judged.divisions, judged.statistic, chance, refits, draws, seed)
        for done in with_progress(walks.drawn(), "noise", walks.steps, search.progress):
            yield (i + done) / len(names)
        search.chances |= dict(zip(own, walks.p_values(), strict=True))
        if refits is not None:
            search.chances["ratio_unlike"] = walks.ratios()


def _by_truth(search: _SegmentSearch) -> Iterator[float]:
    """Draw labels under a selection that looks at the truth: of its residuals, and no curve."""
    judged, odds, rows = search.judged, search.judged.chances, search.judged.chances.rows
    tests = [SegmentWalks(rows, division, judged.statistic, odds.score, odds) for division in judged.divisions]
    search.chances |= search.unknown("p_adjusted", *OF_CURVE)
    _, search.chances["p_value"] = _alone(tests, (odds.residuals * unit_weights(rows))[None])
    yield 0.0
    labels, rng, least = LabelDraws.by_row(odds), np.random.default_rng(search.seed), []
    firsts = range(0, search.draws, AT_ONCE)
    for first in with_progress(firsts, "noise", len(firsts), search.progress):
        drawn = labels.gaps(min(AT_ONCE, search.draws - first), rng)
        least.append(np.min([test.least(*test.reached(drawn)) for test in tests], axis=0))
        yield (first + len(drawn)) / search.draws
    search.chances["p_adjusted"] = _adjusted(least, search.chances["p_value"])


@takes_arrays
def multicalibration_error(
    predictions: Predictions | LazyPredictions,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    fields: Iterable[str] | str | None = None,
    depth: int = DEPTH,
    cuts: int = CUTS,
    minimum: int = MINIMUM,
    scale: str = "absolute",
    calibrator: Any = None,
) -> float:
    """Multicalibration error: the largest Kuiper error of a segment, in units of its own noise (Guy et al. 2025).

    With D_g the Kuiper error of segment g and sigma_g its noise under calibrated scores, max_g D_g / sigma_g; by
    default times sigma of all samples.

    Parameters
    ----------
    predictions, lens, selection, outcome, fields, depth, cuts, minimum, calibrator
        As in `segments`.
    scale : {"absolute", "relative", "sigma"}
        "sigma" is the largest ratio; "absolute" is that times the noise of all samples, a Kuiper error; "relative" is
        the absolute error in percent of the rarer class.

    Returns
    -------
    float, at least 0

    Raises
    ------
    ValueError
        As `segments`.

    See Also
    --------
    segments : Which segment it is, and how sure that is.

    References
    ----------
    Guy et al. 2025, Measuring multi-calibration; MCGrad 0.1.5.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["logistic regression"]
    >>> round(cv.multicalibration_error(p), 3)
    0.012
    """
    validation.choice(scale, "scale", SCALES)
    request = SegmentRequest.of(lens, selection, outcome, calibrator, fields, cuts, depth, minimum)
    judged = _judged(predictions, request, "kuiper", progress=True)
    ratio, spread = judged.column("ratio"), judged.column("spread")
    worst = float(ratio[spread >= min(FEWEST_VARIANCE, spread.max())].max())
    if scale == "sigma":
        return worst
    absolute = worst * walk_spread(judged.problem)
    if scale == "absolute":
        return absolute
    share = judged.problem.mean_target
    rarer = min(share, 1 - share)
    return 100 * absolute / rarer if rarer > 0 else float(np.inf if absolute else np.nan)


def _judged(predictions: Any, request: SegmentRequest, statistic: Any, progress: bool) -> _Judged:
    """The segments of the predictions, each measured once: of segments with the same samples, the first is kept."""
    refuse_summary(predictions, "segments are made of the fields of rows")
    validation.choice(statistic, "error", tuple(REACHES))
    if isinstance(predictions, LazyPredictions):
        if looks_at_truth(read_selection(request.selection)):
            raise ValueError(f"{LOOKS_AT_TRUTH}, and labels are drawn of all rows together: pass cv.Predictions")
        problem, parts, skipped = scores_and_parts(predictions, request, progress)
    elif isinstance(predictions, Predictions):
        problem = request.problem(predictions)
        of_rows = Chances.of(problem).rows
        columns = request.columns(predictions, of_rows.order)
        own = {subject: column for subject, column in columns.items() if not _names_clusters(column, of_rows)}
        named = [str(subject.argument) for subject in columns if subject not in own]
        columns = own
        held = {name: Values.of(column) for name, column in columns.items()}
        judged_rows = request.judged_rows(predictions, of_rows, columns)
        cuts, skipped = request.cut(held, judged_rows, predictions.class_names)
        skipped |= dict.fromkeys(named, "the cluster of each sample")
        parts = [Parts(cut.names, cut.words, cut.conditions, cut.codes(columns[cut.subject])) for cut in cuts]
    else:
        raise no_predictions(predictions)
    chances = Chances.as_sampled(problem)
    times = counts_of(chances.rows)
    likely = times * (1 - chances.rest)  # so which segments are tested does not depend on the labels
    mark = np.random.default_rng(0).integers(0, 2**63, len(times), dtype=np.uint64)
    seen: set[int] = set()
    judged = _Judged(problem, chances, [], [], {}, [], skipped, statistic)
    all_divisions = list(divisions(parts, len(times), request.depth))
    for division in with_progress(all_divisions, "segments", len(all_divisions), progress):
        # Segments of the same samples have the same sum of marks.
        size, expected, marks = (
            np.add.reduceat(each[division.rows], division.starts) for each in (times * chances.kept, likely, mark)
        )
        keep = np.zeros(len(size), dtype=bool)
        for i, name in enumerate(division.names):
            if not size[i] or expected[i] < request.minimum:
                judged.too_small[name] = float(size[i])
                judged.words_of_small.append(division.words[i])
            elif division.conditions[i] and (few := _too_few_clusters(chances.rows, division, i)) is not None:
                judged.too_few_clusters[name] = few
            elif int(marks[i]) not in seen:
                seen.add(int(marks[i]))
                keep[i] = True
        if not keep.any():
            continue
        kept = division.kept(keep)
        judged.divisions.append(kept)
        for _, rows in kept.segments():
            judged.measured.append(_Segment.of(_part(problem, chances, rows), statistic))
    if not judged.measured:
        said = f"{counted(problem.samples)} in all, fewer than minimum={request.minimum}"
        raise TooFew(f"{said}: pass a smaller minimum")
    return judged


def _names_clusters(column: NDArray[Any], problem: ScalarProblem) -> bool:
    """Whether a field has one value for each cluster, so that a segment of it would be one cluster."""
    if problem.cluster_codes is None:
        return False
    values, codes = (np.unique(each, return_inverse=True)[1] for each in (column, problem.cluster_codes))
    pairs = len(np.unique(values * (codes.max() + 1) + codes))
    return pairs == len(np.unique(values)) == len(np.unique(codes))


def _too_few_clusters(problem: ScalarProblem, division: Division, i: int) -> int | None:
    """How many clusters a segment has if it is not tested, since they are few, or few hold an event; else None."""
    if problem.clusters is None:
        return None
    ends = np.append(division.starts, len(division.rows))
    part = problem.taken(np.sort(division.rows[ends[i] : ends[i + 1]]))
    clusters = Clusters.of(part)
    assert clusters is not None
    held = min(clusters.holding(part.score), clusters.holding(1 - part.score))
    return None if clusters.count >= FEWEST_CLUSTERS and held >= FEWEST_HOLDING else clusters.count


def _part(problem: ScalarProblem, chances: Chances, rows: NDArray[np.intp]) -> ScalarProblem:
    """The samples of a segment; whether weights are repetitions is decided by those of all samples, as in the draws."""
    if problem.by_truth is not None:
        chances = chances.taken(rows)
        chances.rows.whole_weights = problem.whole_weights
        return chances.problem()
    part = problem.taken(rows)
    part.whole_weights = problem.whole_weights
    return part


def _least_of_nulls(
    search: _SegmentSearch, tests: list[SegmentWalks], chance: Array, refits: Refits | None
) -> Iterator[Array]:
    """The least p-value of all segments of a few draws at a time, if the targets are drawn from a chance."""
    problem = search.judged.chances.rows
    unit = variances(problem)
    for targets in drawn_targets(problem, chance, search.draws, search.seed):
        fitted = chance if refits is None else refits.fitted(targets)
        spread = None if refits is None else unit * (fitted * (1 - fitted))
        gaps, least = gaps_of(problem, targets, fitted), np.empty((len(tests), len(targets)))

        def of(i: int, gaps: Array = gaps, spread: Array | None = spread, least: Array = least) -> None:
            test = tests[i]
            least[i] = test.least(*test.reached(gaps, None if spread is None else test.added(spread)))

        in_turn(of, len(tests), len(tests))  # NumPy's loops run beside each other
        yield np.min(least, axis=0)


def _with_rests(table: xr.Dataset, search: _SegmentSearch) -> xr.Dataset:
    """Return the table with what is left of segments most of whose samples are in one above, judged by itself."""
    names, judged, problem = table.segment.values, search.judged, search.judged.chances.rows
    columns = {name: np.full(len(names), np.nan) for name in OF_REST}
    shared, holder = np.zeros(len(names)), np.full(len(names), "", dtype=names.dtype)
    rows = dict(zip(judged.of_each("names"), judged.rows, strict=True))
    # Where the rows of divisions are not the samples, nothing is said of what segments share.
    places, side = shown_segments(table) if search.several else (np.empty(0, np.intp), np.empty(0))
    found = overlaps([rows[str(names[i])] for i in places], counts_of(problem), side)
    for each in found:
        shared[places[each.segment]], holder[places[each.segment]] = each.shared, names[places[each.holder]]
    found = [each for each in found if len(each.rest)]
    if found:
        parts = [_part(judged.problem, judged.chances, each.rest) for each in found]
        score, target, worth = (
            np.array([getattr(part, name) for part in parts])
            for name in ("mean_score", "mean_target", "effective_size")
        )
        lower, upper = clopper_pearson(target, worth, table.attrs["level"])
        sizes = np.array([len(each.rest) for each in found])
        rests = Division((), (), (), np.concatenate([each.rest for each in found]), np.cumsum(sizes) - sizes)
        p_values = []
        for (chance, _), drawn in zip(search.several, search.least, strict=True):
            test = SegmentWalks(problem, rests, judged.statistic, chance)
            _, alone = _alone([test], gaps_of(problem, problem.given_target[None], chance))
            p_values.append(_adjusted(drawn, alone))
        of_rest = [places[each.segment] for each in found]
        for name, values in zip(OF_REST, (score, target, lower, upper, *p_values), strict=True):
            columns[name][of_rest] = values
    made = {name: ("segment", values) for name, values in (("shared", shared), *columns.items())}
    return table.assign(made).assign_coords(shared_with=("segment", holder))


def _alone(tests: Sequence[SegmentWalks], gaps: Array) -> tuple[Array, Array]:
    """How far gaps of the samples, shape (1, n), go in each segment, by their noise, and the p-value of it alone."""
    reached = [test.reached(gaps) for test in tests]
    chances = [test.p_values(ratio[0], total[0]) for test, (ratio, total) in zip(tests, reached, strict=True)]
    return np.concatenate([ratio[0] for ratio, _ in reached]), np.concatenate(chances)


def _adjusted(least: list[Array], p: Array) -> Array:
    """How often the least p-value of a draw is as small as each, 1 + both counts (Westfall and Young 1993)."""
    return p_values(-np.concatenate(least)[:, None], -p * (1 + EQUAL_P))
