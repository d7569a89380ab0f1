"""The verdict as an object: its numbers, the sentence with its error, and the two lines for everybody."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...data.nouns import Nouns
from ...decisions.by_segment.flagged_segments import FlaggedSegment
from ...figures.pictures.segments import UNLIKE
from ...figures.segment_names import name_of
from ...foundation.marked import Run, aside, off, plain, recalibrated, runs, strong
from ...foundation.written import (
    INFERRED,
    chosen_percent,
    counted,
    inferred,
    interval,
    of_hundred,
    p_value,
    percents,
    whole_points,
)
from ...uncertainty.intervals.error_intervals import ErrorInterval
from ...uncertainty.joint_test import JointTest
from .worst_news import CategoryOff, WorthLess

FEW = 30  # samples: of fewer, a line gives the interval of what is observed
#: What a sentence begins with where events have the lower scores.
BACKWARDS = "The higher the score, the rarer the event: is this the probability of the other outcome?"
TILTS = {1: "too extreme", -1: "too cautious"}
MEANING = {1: "high scores are too high, low ones too low", -1: "high scores are too low, low ones too high"}
TESTING = "whether noise explains the difference is being computed …"
SEARCHING = "Looking at the segments …"


@dataclass(frozen=True)
class MeanMoved:
    """A segment before and after a calibrator.

    Attributes
    ----------
    segment : FlaggedSegment
        The first that was off before it, else the first that is off after it.
    before, after : float, in [0, 1]
        The mean score of its samples.
    """

    segment: FlaggedSegment
    before: float
    after: float


@dataclass(frozen=True, repr=False)
class Verdict:
    """The verdict on probabilities, and the numbers that it rests on; str() is for everybody, in two lines.

    Attributes
    ----------
    lens : str
        The name of the lens.
    outcome : str or None
        Of a lens of several, the one that is judged.
    predicted, observed : float, in [0, 1]
        The mean score and the mean target.
    observed_interval : (float, float)
        The 95 % interval of the mean target (Clopper-Pearson).
    samples : int
        How many are judged.
    nouns : Nouns
        What they are called, and what is said of events.
    worth : float
        How many equal samples their weights are worth.
    in_clusters : str
        How many clusters they lie in, and how many they are, in words; empty without clusters.
    test : JointTest or None
        That of `calibration_test`; None where there is none.
    size : ErrorInterval or None
        The interval of the KS error; None where there is none.
    could_hide : float, in [0, 1]
        How large the true KS error may be: the upper end of `size`, or what so many samples could hide.
    margin : float, in (0, 1)
        Below which a KS error hardly matters.
    segments : tuple of FlaggedSegment
        The segments that are off beyond noise, the one of the surely largest gap first.
    searched : int
        How many segments were looked at; 0 until they are judged.
    not_searched : str
        Why segments were not looked at, in a sentence; empty where they were or will be, or there are none.
    category : CategoryOff or None
        A category that does not keep its promise, where there are categories.
    worth_less : WorthLess or None
        The segment in which acting is worth less than a simple rule, where a threshold was chosen.
    no_test : str
        Why there is no test.
    about_predicted : bool
        Whether the lens asks if the predicted class is right.
    is_backwards : bool
        Whether events have the lower scores.
    is_of_other_shares : bool
        Whether log-odds are off by a constant, as after training on samples of other shares.
    is_certain : bool
        Whether all scores are 0 or 1.
    trials : int
        Of how many trials this is the first.
    calibrator : str
        The noun of the calibrator whose scores are judged; empty of the model as it is.
    moved : MeanMoved or None
        After a calibrator, the segment that the second line speaks of, and what is predicted of it before and after.
    is_searching : bool
        Whether segments are still looked for.

    See Also
    --------
    verdict : Makes it.

    Examples
    --------
    >>> print(cv.verdict(cv.load_dataset("tumours")["naive Bayes"]).sentence)
    Too low and too extreme: predicted 35.2 %, observed 37.3 %; KS error 2.5 to 6.0 % (95 %).
    """

    lens: str
    outcome: str | None
    predicted: float
    observed: float
    observed_interval: tuple[float, float]
    samples: int
    nouns: Nouns
    worth: float
    in_clusters: str
    test: JointTest | None
    size: ErrorInterval | None
    could_hide: float
    margin: float
    segments: tuple[FlaggedSegment, ...]
    searched: int
    not_searched: str
    category: CategoryOff | None
    worth_less: WorthLess | None
    no_test: str
    about_predicted: bool
    is_backwards: bool
    is_of_other_shares: bool
    is_certain: bool
    trials: int
    calibrator: str
    moved: MeanMoved | None
    is_searching: bool

    @property
    def shown(self) -> bool:
        """Whether miscalibration is shown, at 5 %.

        See Also
        --------
        calibration_test : The test.
        """
        return self.test is not None and self.test.shown

    @property
    def within(self) -> bool | None:
        """Whether the KS error is shown to be less than the margin; None where it has no interval.

        Then, among the samples with scores up to any threshold, all samples included, the predicted and the observed
        number of events differ by less than the margin times the number of all samples; above a threshold by less than
        twice that. It does not say that every single prediction is right to the margin.

        See Also
        --------
        interval : The interval of the KS error.
        """
        return None if self.size is None else self.size.upper < self.margin

    @property
    def direction(self) -> int:
        """1 where scores are too high, -1 where they are too low, 0 where neither is shown.

        See Also
        --------
        calibration_in_the_large : The gap itself.
        """
        return 0 if self.test is None else self.test.direction

    @property
    def tilt(self) -> int:
        """1 where scores are too extreme, -1 where they are too cautious, 0 where neither is shown.

        See Also
        --------
        calibration_slope : How much.
        """
        return 0 if self.test is None else self.test.tilt

    @property
    def segment(self) -> FlaggedSegment | None:
        """The first of the segments that are off beyond noise, if there are any.

        See Also
        --------
        segments : All of them.
        """
        return next(iter(self.segments), None)

    @property
    def sentence(self) -> str:
        """The sentence about all samples, with the KS error.

        See Also
        --------
        ks_error : The error.
        """
        return _sentence(self)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of str(): the one about all samples, and the one about a part that is off where there is one.

        See Also
        --------
        report : Begins with them.
        """
        return tuple(map(plain, _lines(self)))

    @property
    def marked(self) -> tuple[tuple[Run, ...], ...]:
        """The lines in parts: pairs of a text and "", "beyond noise" of an observed number, or "count".

        See Also
        --------
        Explorer : Draws the observed number that is off in the colour of what is beyond noise.

        Examples
        --------
        >>> cv.verdict(cv.load_dataset("heart")["logistic regression"]).marked[1][1:]
        (('93', 'beyond noise'), (' ', ''), ('(123 people)', 'count'), ('.', ''))
        """
        return tuple(map(runs, _lines(self)))

    @property
    def tested(self) -> JointTest:
        """The test, of a verdict that has one.

        See Also
        --------
        calibration_test : The test.
        """
        assert self.test is not None
        return self.test

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def __repr__(self) -> str:
        return f"<Verdict {' / '.join(self.lines)}>"


def _sentence(of: Verdict) -> str:
    """The sentence: what is claimed, predicted and observed, and how large the KS error is."""
    means = _means(of)
    if of.test is None:
        why = f"{of.no_test}." if of.no_test else TESTING
        return f"{_outcome(of)}{_after(of, means[0].upper() + means[1:])}: {why}"
    if of.test.expected is not None:
        return f"{_outcome(of)}{_after(of, _by_truth(of, of.test))}."
    if of.is_certain and not of.shown:
        said = "Nothing to test: every score is 0 or 1, and all came true"
    elif of.shown:
        size, but, end = "", "", ""
        if of.size is not None:
            size = f"; KS error {inferred(of.size.estimate, of.size.lower, of.size.upper)[1]} ({_level(of)})"
        if of.within and not of.is_certain:
            but, end = f", but by less than {_margin(of)} over all", ", which hardly matters"
        said = f"{_claim(of)}{but}: {means}{_where(of)}{size}{end}"
    elif of.within:
        said = f"Calibrated to within {_margin(of)} over all: {means}; KS error at most {_most(of)} ({_level(of)})"
    else:
        said = f"No miscalibration is shown: {means}; {_samples(of)} could hide a KS error of up to {_most(of)}"
    ends = "; as after training on other shares: trained_at=?" if of.shown and of.is_of_other_shares else "."
    return f"{_outcome(of)}{_backwards(of)}{_after(of, said)}{_impossible(of)}{ends}"


def _lines(of: Verdict) -> Iterator[str]:
    """The line about all samples, then the line of the worst news."""
    if of.test is None or (of.is_certain and not of.shown) or of.test.expected is not None:
        yield _sentence(of)
    else:
        yield f"{_outcome(of)}{_backwards(of)}{_after(of, _whole(of))}"
    yield from filter(None, [" ".join(_news(of))])


def _by_truth(of: Verdict, test: JointTest) -> str:
    """The sentence about samples selected by what is true, beside what a calibrated model would show there."""
    assert test.expected is not None and test.expected_predicted is not None
    assert test.expected_share is not None and test.share is not None
    begins, p = "Selected by what is true: a calibrated model would", p_value(test.p_value, "p")
    if not test.expected_share:
        are = "is" if of.samples == 1 else "are"
        return f"{begins} leave no {of.nouns.one} here, and there {are} {_samples(of)} ({p})"
    shown = test.expected, test.expected_predicted, of.observed, of.predicted
    expected, where, observed, predicted = percents(*shown)
    shares, has_more = "", test.direction < 0
    if test.expected == of.observed and of.observed in (0.0, 1.0):  # the selection sees to it
        few, many = percents(test.share, test.expected_share)
        shares, has_more = f", {few} of all {of.nouns.many} where {many} would be", test.share > test.expected_share
    if not test.shown:
        how = f"within noise ({p})"
    elif test.direction:
        how = f"{'more' if has_more else 'less'} than it would ({p})"
    else:
        how = f"but not evenly ({p})"
    return f"{begins} show {expected} observed where it predicts {where}; here {observed} at {predicted}{shares}: {how}"


def _whole(of: Verdict) -> str:
    """The line about all samples, in numbers of 100."""
    is_off = of.test is not None and is_mean_off(of.test)
    predicted, observed = of_hundred(of.predicted, of.observed, are_apart=is_off)
    right = " right" if of.about_predicted else ""
    means = f"predicted {predicted} of 100{right}, observed {off(observed) if is_off else observed}"
    samples = _samples(of).removesuffix(",")  # a bracket ends what the comma would
    trials = f", the first of {of.trials} trials" if of.trials > 1 else ""
    count = f" {aside(f'({samples}{trials})')}"
    if of.shown:
        but = f", but by less than {_margin(of)} over all" if of.within and not of.is_certain else ""
        return f"{_claim(of)}{but}: {means}{count}{in_which_parts(of.tested)}."
    if of.within:
        return f"Calibrated to within {_margin(of)} over all: {means}{count}."
    is_open = of.is_searching or (of.not_searched and of.samples >= FEW)
    if of.segments or is_open:  # a segment is off, or may be
        return f"Over all, no error shows: {means}{count}."
    if of.samples < FEW:
        low, high = of_hundred(*of.observed_interval)
        means += f" ({low} to {high})"
    return f"No error that {_samples(of)} could show: {means}."


def is_mean_off(test: JointTest) -> bool:
    """Whether the mean is shown to be off; one certain prediction that is wrong refutes all, whatever the means are."""
    return bool(test.direction) and math.isfinite(test.gap_z)


def in_which_parts(test: JointTest) -> str:
    """Clauses on where samples are off whose mean is not shown to be, and on certain predictions that were wrong.

    Which these are, and how sure they were, the sentence with the KS error says: a line has little room.
    """
    wrong = test.impossible
    certain = f"; {counted(wrong, 'certain prediction')} {'was' if wrong == 1 else 'were'} wrong" if wrong else ""
    if test.direction:
        return certain
    if test.tilt:
        return f"; {MEANING[test.tilt]}{certain}"
    if certain:
        return certain
    here, there = of_hundred(test.range_predicted, test.range_observed, are_apart=True)
    return f"; {_range(test)} predicted {here}, observed {off(there)}"


def _news(of: Verdict) -> Iterator[str]:
    """The worst news of a part of the samples; that none is off, and what could be hidden, where that is known."""
    if of.is_searching:
        yield SEARCHING
        return
    if of.segments or of.moved is not None:
        first, others = _first_of(of)
        more = more_segments(others, UNLIKE if _is_by_curve(of) else "off")
        yield f"{'; '.join(filter(None, [first, more]))}."
        return
    if of.category is not None:
        yield _of_category(of.category, of.nouns)
        return
    if of.worth_less is not None:
        yield of_worth_less(of.worth_less, of.nouns)
        return
    if of.searched:
        how = f"shown to be {UNLIKE}" if _is_by_curve(of) else "off beyond noise"
        yield f"No segment is {how} ({of.searched:,} looked at)."
    elif of.not_searched:
        yield of.not_searched
    is_sized = of.test is not None and of.test.expected is None and not of.is_certain
    if is_sized and not (of.shown or of.within):
        yield f"An error of up to {whole_points(of.could_hide)} would go unnoticed."


def _first_of(of: Verdict) -> tuple[str, Sequence[FlaggedSegment]]:
    """The clause on the first segment, and the others that are off."""
    if of.moved is None:
        return _of_segment(of.segments[0], of.nouns), of.segments[1:]
    still = next((one for one in of.segments if one.selection == of.moved.segment.selection), None)
    return _of_moved(of.moved, still, of.nouns), [one for one in of.segments if one is not still]


def more_segments(others: Sequence[FlaggedSegment], what: str) -> str:
    """How many other segments are off, or unlike the others, without those that may be right."""
    others = [one for one in others if not one.may_be_right]
    are = "is" if len(others) == 1 else "are"
    return f"{counted(len(others), 'more segment')} {are} {what}" if others else ""


def _is_by_curve(of: Verdict) -> bool:
    """Whether segments count that all samples do not explain: these are off, or their calibrator may be."""
    return of.shown or bool(of.calibrator)


def _of_segment(one: FlaggedSegment, nouns: Nouns) -> str:
    name = name_of(one)
    if one.cancels and not one.may_be_right:
        return f"{name.heading} is off in parts"
    predicted, observed = of_hundred(one.predicted, one.observed, are_apart=not one.may_be_right)
    count = aside(f"({nouns.counted(one.count)})")
    if one.may_be_right:
        return f"{name.heading} is {UNLIKE}: predicted {predicted}, observed {observed} {count}"
    return f"{name.begins()} predicted {predicted}, observed {off(observed) if one.is_beyond else observed} {count}"


def _of_moved(moved: MeanMoved, still: FlaggedSegment | None, nouns: Nouns) -> str:
    """The clause on a segment before and after a calibrator: orange only where it is `still` off after it."""
    one = moved.segment
    if still is not None and still.cancels:
        return _of_segment(still, nouns)
    before, after, observed = of_hundred(moved.before, moved.after, one.observed, are_apart=still is not None)
    seen = off(observed) if still is not None and still.is_beyond else observed
    count = aside(f"({nouns.counted(one.count)})")
    return f"{name_of(one).begins()} predicted {before} → {recalibrated(after)}, observed {seen} {count}"


def _of_category(one: CategoryOff, nouns: Nouns) -> str:
    observed, low, high = of_hundred(one.observed, one.lower, one.upper)
    edges = interval(one.low, one.high)
    return (
        f"{one.name[:1].upper()}{one.name[1:]} means {edges}: observed {off(observed)} of 100 "
        f"{aside(f'({low} to {high}; {nouns.counted(one.count)})')}."
    )


def of_worth_less(one: WorthLess, nouns: Nouns) -> str:
    """A sentence on the worth of acting at a threshold in a segment, beside a simple rule."""
    at, begins = chosen_percent(one.threshold), name_of(one).begins()
    return f"{begins} acting on {_rule(one)} is better than from {at} on: {_who_speaks_for_it(one, nouns)}."


def worth_less_in_short(one: WorthLess, nouns: Nouns, is_worth: bool) -> str:
    """A sentence on that, after one that says the threshold, and whether acting is shown to be worth it over all."""
    name, why = name_of(one), _who_speaks_for_it(one, nouns)
    if is_worth:
        return f"{strong(f'Not {name.where}')}: {why}."
    return f"{name.begins(True)} acting on {_rule(one)} is better, since {why}."


def _rule(one: WorthLess) -> str:
    return "all" if one.is_all else "nobody"


def _who_speaks_for_it(one: WorthLess, nouns: Nouns) -> str:
    """How many of those whom the simple rule treats otherwise are events."""
    side = "below" if one.is_all else "from"
    whom = f"of {nouns.counted(one.among)} predicted {side} {chosen_percent(one.threshold)}{' on' * (not one.is_all)}"
    events = one.wrong if one.is_all else one.among - one.wrong
    number, said = nouns.happened(events).split(" ", 1)
    return f"{whom}, {'' if one.is_all else 'only '}{off(number)} {said}"


def _claim(of: Verdict) -> str:
    if of.is_certain:
        return "Refuted"
    if of.direction and of.about_predicted:
        return "Over-confident" if of.direction > 0 else "Under-confident"
    parts = [("too high" if of.direction > 0 else "too low")] if of.direction else []
    parts += [TILTS[of.tilt]] if of.tilt else []
    return (" and ".join(parts) or "off in parts").capitalize()


def _means(of: Verdict) -> str:
    low, high = of.observed_interval
    resolution = abs(of.predicted - of.observed) if of.direction or not high >= low else high - low
    return "predicted {}, observed {}".format(*percents(of.predicted, of.observed, resolution=resolution))


def _where(of: Verdict) -> str:
    """Where the gaps add up to most, if neither a direction nor a tilt names the error."""
    if of.direction or of.tilt or of.is_certain or of.tested.impossible:  # such a sample may be all that is shown
        return ""
    means = "predicted {}, observed {} there".format(*percents(of.tested.range_predicted, of.tested.range_observed))
    agree = abs(of.predicted - of.observed) < of.margin
    return f", {'which agree on the whole, but not' if agree else 'most of all'} {_range(of.tested)} ({means})"


def _range(test: JointTest) -> str:
    """Where the gaps add up to most: between two scores, in whole percents where these are apart, or at one."""
    low, high = of_hundred(test.range_low, test.range_high)
    return f"at {low} %" if low == high else f"between {low} % and {high} %"


def _margin(of: Verdict) -> str:
    return whole_points(of.margin, digits=4)


def _most(of: Verdict) -> str:
    [text] = percents(of.could_hide, resolution=INFERRED * of.could_hide)
    return text


def _samples(of: Verdict) -> str:
    if of.in_clusters:
        return of.in_clusters
    is_worth_less = of.worth < 0.95 * of.samples
    return of.nouns.counted(of.samples) + f", worth {of.worth:,.0f} by their weights," * is_worth_less


def _impossible(of: Verdict) -> str:
    if of.test is None or not of.test.impossible:
        return ""
    said = f"; {of.nouns.counted(of.test.impossible)} predicted at exactly 0 % or 100 % turned out otherwise"
    if of.calibrator:
        said += ", as happens to every calibrator that predicts these, however good it is elsewhere"
    return said


def _backwards(of: Verdict) -> str:
    return f"{BACKWARDS} " if of.shown and of.is_backwards else ""


def _after(of: Verdict, said: str) -> str:
    """A sentence, begun with the calibrator whose scores it is of."""
    return f"After {of.calibrator}, {said[:1].lower()}{said[1:]}" if of.calibrator else said


def _outcome(of: Verdict) -> str:
    return f"Outcome {of.outcome}: " if of.outcome is not None else ""


def _level(of: Verdict) -> str:
    assert of.size is not None
    return f"{100 * of.size.level:g} %"
