"""The headline numbers, and a reading of them in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from ...context.class_lenses import Classwise
from ...context.lenses import Full
from ...data.likely_clusters import Caution, assumed_when_read, may_be_censored, taken_alone, unsaid_clusters
from ...engine.binnings.binning import Sweep, Uniform
from ...figures.svg.small import NoisyError, strips_of
from ...figures.tables import Cell, Column, Table
from ...foundation.validation import listed
from ...foundation.written import counted, interval, spread
from ...metrics.binned import binned_error, ks_error
from ...metrics.records.registry import METRICS
from ...uncertainty.noise_floors import Beside
from ..asked.spec import LARGEST, MAHALANOBIS, NORMS, OF_AFTER, OF_BINS, OF_ERROR, OF_SAMPLES, WEIGHTED
from ..situation.content import INTERVAL_BELOW
from ..situation.engine import Side
from ..situation.noise import BELOW, OF_TRIALS, TO_COME, beside_error, error_cell, missing, share_ends
from ..situation.reading import reads
from ..situation.situation import Situation
from .calibrators import how_judged
from .tested import is_of_gaps, tested

ALONE = "as it is"  # the model, where no column shows it after recalibration
ERRORS = "ks", "sweep", "ece"  # the first rows; the last of them alone is of the chosen bins
OF_SIDES: tuple[Literal["before", "after"], ...] = "before", "after"
#: Names by which a selection looks at rows, which recalibration may move.
OF_ROWS = ("confidence", "probability", "predicted", "correct")
Row = tuple[Cell, ...]


class _InAnyBins(NamedTuple):
    """The sides, the table without the error in the chosen bins, and what stands beside the errors of each side."""

    sides: tuple[Side, ...]
    table: Table
    besides: tuple[dict[str, Beside], ...]


@reads(*OF_SAMPLES, *OF_BINS, *OF_ERROR, *OF_AFTER)
def headline(situation: Situation) -> Table:
    """The table of the headline numbers, before and after recalibration."""
    sides, table, in_any = _in_any_bins(situation)
    has_error = not (situation.outcomes and situation.no_joint)
    besides = [beside_error(situation, side, "ece") if has_error else None for side in sides]
    row = _name_in_bins(situation), *map(partial(_in_bins, situation), sides, besides)
    all_besides = [
        of_side if beside is None else {"ece": beside} | of_side
        for beside, of_side in zip(besides, in_any, strict=True)
    ]
    notes = *_of_joint(situation), table.note, *_of_noise(situation, all_besides)
    of_any, first = len(ERRORS) - 1, len(ERRORS) - bool(situation.outcomes)  # the joint error has a scale of its own
    errors = dict(zip(ERRORS, [*table.rows[:of_any], row], strict=True))
    scales = ERRORS[:first], ERRORS[first:]
    drawn = [_with_strips({name: errors[name] for name in names}, all_besides) for names in scales]
    return replace(table, rows=(*drawn[0], *drawn[1], *table.rows[of_any:]), note=" ".join(filter(None, notes)))


def _with_strips(rows: Mapping[str, tuple[Cell, ...]], besides: Sequence[Mapping[str, Beside]]) -> list[Row]:
    """The rows of errors by their names, with pictures of their noise on one scale."""
    cells = [(name, side) for name, (_, *sides) in rows.items() for side, cell in enumerate(sides) if cell.numbers]
    noisy = [NoisyError(rows[name][1 + i].numbers[0][1], besides[i][name], OF_SIDES[i]) for name, i in cells]
    strips = dict(zip(cells, strips_of(noisy), strict=True)) if noisy else {}
    return [
        (head, *(replace(cell, strip=strips.get((name, side))) for side, cell in enumerate(sides)))
        for name, (head, *sides) in rows.items()
    ]


@reads(*OF_SAMPLES, *OF_ERROR, *OF_AFTER)  # no step of the bins makes it anew
def _in_any_bins(situation: Situation) -> _InAnyBins:
    spec = situation.spec
    sides = {"before": situation.before}
    if situation.after is not None:
        detail = f", {spec.knots} knots" if spec.calibrator == "spline" else ""
        sides[f"after ({situation.calibrator_name}{detail})"] = situation.after
    errors = [_errors(situation, side) for side in sides.values()]
    (swept, averaged), of_one = _swept(situation), " of the outcome" if situation.outcomes else ""
    names = [
        Cell(
            f"{METRICS['ks'].title}{of_one}",
            below="largest gap of running sums",
            why="largest distance of the cumulative curves: an error without bins (Gupta et al.); within noise, its "
            "interval reaches as far as what so many could hide",
        ),
        Cell(
            f"{swept}{of_one} (sweep)",
            below="as many bins as keep rising",
            why=f"the same distance {averaged}, on as many equal-mass bins as keep what is observed from falling "
            "(Roelofs et al. 2022)",
        ),
        Cell(
            situation.nouns.many if situation.scores_per_sample == 1 else "scores",
            why=f"how many of the {situation.nouns.many} the selection keeps",
        ),
        Cell("accuracy", why=f"share of them whose likeliest class is the right one{INTERVAL_BELOW}"),
        Cell("predicted", why="the mean score: what is predicted on average, through this lens"),
        Cell("observed", why=f"the mean target: what is observed on average{INTERVAL_BELOW}"),
    ]
    cells = [
        [*(cell for cell, _ in reversed(of_side.values())), *_without_error(situation, side)]
        for side, of_side in zip(sides.values(), errors, strict=True)
    ]
    notes = *_of_data(situation), *_of_selection(situation), *_of_recalibration(situation)
    table = Table(
        "numbers",
        "",
        (Column("measure"), *map(Column, sides if len(sides) > 1 else (ALONE,))),
        tuple(zip(names, *cells, strict=True)),
        f"Headline numbers of {situation.name}.",
        " ".join(filter(None, notes)),
    )
    besides = tuple({name: beside for name, (_, beside) in of_side.items()} for of_side in errors)
    return _InAnyBins(tuple(sides.values()), table, besides)


def _name_in_bins(situation: Situation) -> Cell:
    """The name of the error in the chosen bins, with an explanation."""
    spec = situation.spec
    joint = "mean " if isinstance(spec.make_lens(), Classwise) else "joint " if situation.outcomes else ""
    is_plain = spec.distance in (WEIGHTED, MAHALANOBIS) and not (situation.weighs_outcomes or situation.weighs_pairs)
    distance = "" if is_plain or spec.distance == "total variation" else f", {spec.distance}"
    kind, averaged = NORMS[spec.norm]
    return Cell(
        f"{joint}{kind} ({spec.binning_in_words}{distance})",
        below=f"{spec.norm} distance of predicted and observed",
        why=f"distance of predicted and observed in each bin, {averaged}",
    )


def _swept(situation: Situation) -> tuple[str, str]:
    """The name of the error on the bins of the sweep, which knows no maximum, and how it is averaged."""
    return NORMS["mean" if situation.spec.norm == LARGEST else situation.spec.norm]


def _of_joint(situation: Situation) -> Iterator[str]:
    """Notes on the error of all outcomes at once."""
    if not situation.outcomes:
        return
    yield situation.no_joint or situation.joint_ended_early
    lens, binning = situation.spec.make_lens(), situation.spec.chosen_binning
    if isinstance(lens, Full) and isinstance(binning, Uniform) and len(situation.outcomes) > 2:
        yield (
            f"Uniform bins cut the probability of every class but the last, {situation.outcomes[-1]}: the joint error "
            "depends on which class that is. The bins of a k-d tree cut all."
        )


def _of_data(situation: Situation) -> Iterator[str]:
    """Notes on the samples, and on weights of outcomes that the lens does not have."""
    if situation.of_summary:
        what = "." if situation.knows_accuracy else ", which does not know how many predictions were right."
        yield f"Computed from a summary of {situation.of_summary.name}{what}"
    if situation.weighs_outcomes and (
        idle := [name for name, _ in situation.spec.weights if name not in situation.outcomes]
    ):
        yield f"{listed(idle)}: a weight has no effect, since this lens has no such outcome."
    about = situation.predictions.about
    if (said := unsaid_clusters(situation.predictions)) is not None:
        yield f"{said}."
    if (said := assumed_when_read(situation.predictions)) is not None:
        yield f"Assumed when read: {said}."
    for key, what in (("drawn", "Of "), ("prevalence", "Weighted to ")):
        if key in about:
            yield f"{what}{about[key]}."


def _of_selection(situation: Situation) -> Iterator[str]:
    """Notes on a selection that looks at scores or at what is right, which changes the meaning of the numbers."""
    kept = situation.spec.chosen_selection
    if kept is None:
        return
    moves_rows = situation.after is not None and situation.after.maps is None
    if kept.uses("output") or (moves_rows and any(map(kept.uses, OF_ROWS))):
        yield "The selection looks at the scores, after as before: the rows may hold different samples."
    if kept.uses("correct"):
        yield "The selection depends on which predictions are right: these numbers do not show calibration."


def _of_recalibration(situation: Situation) -> Iterator[str]:
    """How the calibrator works on rows, what it has to say, or why there is none."""
    spec = situation.spec
    if situation.outcomes and situation.engine.is_of_scores(spec, spec.calibrator):
        yield "After: every class is recalibrated by a map of its own, and the rows are rescaled."
    if situation.after is None:
        yield situation.no_after
    else:
        yield how_judged(situation)
        yield from (f"{situation.calibrator_name}: {notice}." for notice in situation.after.notices)


def _of_noise(situation: Situation, besides: Sequence[Mapping[str, Beside]]) -> Iterator[str]:
    """How the numbers below an error are to be read, and which are missing."""
    if len(situation.trials) > 1:
        yield f"Mean ± standard deviation over {len(situation.trials)} trials."
    if any(not beside.no_floor for of_side in besides for beside in of_side.values()):
        yield OF_TRIALS if len(situation.trials) > 1 else BELOW
    kind, swept = NORMS[situation.spec.norm][0], _swept(situation)[0]
    headings = {"ece": kind, "sweep": f"{swept} (sweep)", "ks": METRICS["ks"].title}
    yield missing([(headings[name], beside) for of_side in besides for name, beside in of_side.items()])


def _in_bins(situation: Situation, side: Side, beside: Beside | None) -> Cell:
    """The error in the chosen bins; nothing where it has no meaning, or is to come."""
    errors = [situation.error(side, trial) for trial in range(len(side.problems))]
    known = [error for error in errors if error is not None]
    if beside is None or len(known) < len(errors):
        return Cell("–" if beside is None or situation.joint_ended_early else TO_COME)
    return error_cell(spread(known), float(np.mean(known)), beside)


def _without_error(situation: Situation, side: Side) -> tuple[Cell, ...]:
    """The cells of the measures of a side that are no errors."""
    problems = side.problems
    right = [situation.accuracy(*of) for of in zip(side.predictions, problems, strict=True)]
    judged = situation.engine.judged(situation.spec.model) * situation.scores_per_sample
    return (
        Cell(
            f"{round(np.mean([problem.samples for problem in problems])):,} of {judged:,}",
            below="" if (clusters := situation.clusters_of(problems[0])) is None else str(clusters),
        ),
        _share(situation, side, [share for share in right if share is not None]),
        Cell(spread([problem.mean_score for problem in problems])),
        _share(situation, side, [problem.mean_target for problem in problems]),
    )


def _errors(situation: Situation, side: Side) -> dict[str, tuple[Cell, Beside]]:
    """The cells of the errors of a side that do not depend on the chosen bins, with what stands beside them."""
    swept = [situation.engine.of(problem, Sweep()) for problem in side.problems]
    counts = {len(bins) for bins in swept}
    in_sweep = f" in {counted(min(counts), 'bin') if len(counts) == 1 else f'{min(counts)} to {max(counts)} bins'}"
    measured = {
        "sweep": (
            [binned_error(bins, *situation.spec.error[:2]) for bins in swept],
            in_sweep,
        ),  # a mean, as in `evaluate`
        "ks": ([situation.engine.of(problem, ks_error) for problem in side.problems], ""),
    }
    errors = {}
    for name, (values, more) in measured.items():
        beside = beside_error(situation, side, name)
        errors[name] = error_cell(f"{spread(values)}{more}", float(np.mean(values)), beside), beside
    return errors


def _share(situation: Situation, side: Side, of_trials: Sequence[float]) -> Cell:
    """A mean of zeros and ones, of one trial with its interval below; nothing where it is not known."""
    if not of_trials:
        return Cell("–")
    shown = spread(of_trials)
    if len(of_trials) > 1:
        return Cell(shown)
    low, high = share_ends(situation, side.problems[0], of_trials[0])
    return Cell(shown, below="" if np.isnan(low) else interval(low, high))


@reads(*OF_SAMPLES)
def evidence(situation: Situation) -> tuple[str, float, Beside, float | None, Caution | None]:
    """The name of the error without bins, what it is before recalibration, and what stands beside it.

    The next is the p-value of the test that the verdict rests on, where that decides otherwise than the error alone;
    the last says which rows count as independent that may belong together, or as known that may be censored.
    """
    side = situation.before
    error, beside, test = situation.ks(side), beside_error(situation, side, "ks"), tested(situation, side).value
    is_otherwise = is_of_gaps(test) and beside.floor is not None and test.shown == beside.is_noise(error)
    p = situation.predictions
    alone = None if situation.of_summary else taken_alone(p) or may_be_censored(p)
    return METRICS["ks"].title, error, beside, test.p_value if is_otherwise else None, alone
