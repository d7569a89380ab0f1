"""The headline numbers, and a reading of them in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..context.class_lenses import Classwise
from ..context.lenses import is_about_predicted
from ..figures import spread
from ..figures.tables import Cell, Column, Table
from ..figures.words import After, reading, tilt
from ..foundation.validation import listed
from ..metrics.clinical.discrimination import runs_backwards
from ..metrics.masses import clopper_pearson
from ..metrics.records.registry import METRICS
from ..uncertainty.bin_intervals import INTERVAL_LEVEL
from ..uncertainty.noise_floors import Beside
from .asked.spec import MAHALANOBIS, NORMS, WEIGHTED, gamma_text
from .content import INTERVAL_BELOW
from .repairs import change_of_brier, mean_ks
from .situation.engine import Side
from .situation.noise import BELOW, OF_TRIALS, TO_COME, beside_error, error_cell, known_p_values, limits_of, missing
from .situation.situation import Numbers, Situation

ERRORS = ("ece", "sweep", "ks")
#: What a selection sees of rows, which a repair may move.
OF_ROWS = ("confidence", "probability", "predicted", "correct")


def headline(look: Situation) -> Table:
    """The table of the headline numbers, before and after recalibration."""
    spec = look.spec
    sides = [("before", look.before)]
    if look.after is not None:
        detail = f", {spec.knots} knots" if spec.calibrator == "spline" else ""
        sides.append((f"after ({spec.calibrator}{detail})", look.after))
    measured = [name for name in ERRORS if name != "ece" or not (look.outcomes and look.no_joint)]
    besides = [{name: beside_error(look, side, name) for name in measured} for _, side in sides]
    rows = [_row(label, side, of_side, look) for (label, side), of_side in zip(sides, besides, strict=True)]
    notes = [*_of_data(look), *_of_selection(look), *_of_repair(look), *_of_noise(look, besides)]
    return Table(
        "numbers",
        "Held-out samples, before and after recalibration",
        _columns(look),
        tuple(rows),
        f"Headline numbers of {look.name}.",
        " ".join(note for note in notes if note),
    )


def _columns(look: Situation) -> tuple[Column, ...]:
    spec = look.spec
    binning = {"sweep": "monotone sweep", "k-d tree": f"k-d tree, γ = {gamma_text(spec.gamma)}"}.get(
        spec.binning, f"{spec.binning}, {_bins(spec.bins)}"
    )
    joint, of_one = ("joint ", " of the outcome") if look.outcomes else ("", "")
    if isinstance(spec.make_lens(), Classwise):
        joint = "mean "
    is_plain = spec.distance in (WEIGHTED, MAHALANOBIS) and not (look.weighs_outcomes or look.weighs_pairs)
    distance = "" if is_plain or spec.distance == "total variation" else f", {spec.distance}"
    (kind, averaged), (swept, swept_averaged) = NORMS[spec.norm], _swept(look)
    return (
        Column(""),
        Column(
            "samples" if look.scores_per_sample == 1 else "scores",
            "how many of the held-out samples the selection keeps",
        ),
        Column("accuracy", f"share of them whose likeliest class is the right one{INTERVAL_BELOW}"),
        Column("told", "the mean score: what the model says on average, through this lens"),
        Column("found", f"the mean target: what is true on average{INTERVAL_BELOW}"),
        Column(
            f"{joint}{kind} ({binning}{distance})",
            f"distance of told and found in each bin, {averaged}",
        ),
        Column(
            f"{swept}{of_one} (sweep)",
            f"the same distance {swept_averaged}, on as many equal-mass bins as keep what is found from falling "
            "(Roelofs et al. 2022)",
        ),
        Column(
            f"{METRICS['ks'].title}{of_one}",
            "largest distance of the cumulative curves: an error without bins (Gupta et al.); within noise, its "
            "interval reaches as far as what so many samples could hide",
        ),
    )


def _swept(look: Situation) -> tuple[str, str]:
    """The name of the error on the bins of the sweep, which knows no maximum, and how it is averaged."""
    return NORMS["mean" if look.spec.norm == "maximum" else look.spec.norm]


def _of_data(look: Situation) -> Iterator[str]:
    """What is to be known of the samples, and of the outcomes of the lens."""
    if look.outcomes:
        yield look.no_joint or look.joint_ended_early
    if look.of_summary:
        what = "." if look.knows_accuracy else ", which does not know how many predictions were right."
        yield f"Computed from a summary of {look.of_summary.name}{what}"
    if look.weighs_outcomes and (idle := [name for name, _ in look.spec.weights if name not in look.outcomes]):
        yield f"{listed(idle)}: a weight has no effect, since this lens has no such outcome."
    about = look.predictions.about
    for key, what in (("assumed", "Assumed when read: "), ("drawn", "Of "), ("prevalence", "Weighted to ")):
        if key in about:
            yield f"{what}{about[key]}."


def _of_selection(look: Situation) -> Iterator[str]:
    """What the selection looks at that makes the numbers say something else."""
    spec, kept = look.spec, look.spec.make_selection()
    if kept is None:
        return
    moves_rows = look.after is not None and look.after.maps is None and spec.calibrator != "none"
    if kept.uses("output") or (moves_rows and any(map(kept.uses, OF_ROWS))):
        yield "The selection looks at the scores, after as before: the rows may hold different samples."
    if kept.uses("correct"):
        yield "The selection depends on which predictions are right: these numbers do not show calibration."


def _of_repair(look: Situation) -> Iterator[str]:
    """How the calibrator works on rows, what it has to say, or why there is none."""
    spec = look.spec
    if look.outcomes and look.engine.is_of_scores(spec, spec.calibrator):
        yield "After: every class is recalibrated by a map of its own, and the rows are rescaled."
    if look.after is None:
        yield look.no_after
    else:
        yield from (f"{spec.calibrator}: {notice}." for notice in look.after.notices)


def _of_noise(look: Situation, besides: Sequence[Mapping[str, Beside]]) -> Iterator[str]:
    """How the numbers below an error are to be read, and which are missing."""
    if len(look.trials) > 1:
        yield f"Mean ± standard deviation over {len(look.trials)} trials."
    if any(not beside.no_floor for of_side in besides for beside in of_side.values()):
        yield OF_TRIALS if len(look.trials) > 1 else BELOW
    kind, swept = NORMS[look.spec.norm][0], _swept(look)[0]
    headings = {"ece": kind, "sweep": f"{swept} (sweep)", "ks": METRICS["ks"].title}
    yield missing([(headings[name], beside) for of_side in besides for name, beside in of_side.items()])


def _row(label: str, side: Side, besides: Mapping[str, Beside], look: Situation) -> tuple[Cell, ...]:
    trials: Sequence[Numbers] = look.numbers(side)

    def values(name: str) -> list[float] | None:
        of_trials = [getattr(numbers, name) for numbers in trials]
        return None if any(value is None for value in of_trials) else of_trials

    def shown(name: str) -> str:
        return "–" if (of_trials := values(name)) is None else spread(of_trials)

    def error(name: str, more: str = "") -> Cell:
        of_trials, beside = values(name), besides.get(name)
        if of_trials is None or beside is None:
            return Cell("–" if beside is None or look.joint_ended_early else TO_COME)
        return error_cell(f"{spread(of_trials)}{more}", float(np.mean(of_trials)), beside)

    def share(name: str) -> Cell:
        return look.engine.of(side.problems[0], ("share", name, side.key), lambda: made_share(name))  # in any bins

    def made_share(name: str) -> Cell:
        """A mean of zeros and ones, with its interval below."""
        (problem, *others), of_trials = side.problems, values(name)
        if of_trials is None or others:
            return Cell(shown(name))
        samples = np.array([problem.effective_size / look.scores_per_sample])
        low, high = clopper_pearson(np.array(of_trials), samples, INTERVAL_LEVEL)
        return Cell(shown(name), below=f"{100 * low[0]:.1f} to {100 * high[0]:.1f}")

    bins = {numbers.sweep_bins for numbers in trials}
    held_out = look.engine.held_out(look.spec) * look.scores_per_sample
    return (
        Cell(label),
        Cell(f"{round(np.mean([numbers.count for numbers in trials])):,} of {held_out:,}"),
        share("accuracy"),
        Cell(shown("mean_score")),
        share("mean_target"),
        error("ece"),
        error("sweep", f" in {_bins(min(bins)) if len(bins) == 1 else f'{min(bins)} to {max(bins)} bins'}"),
        error("ks"),
    )


def evidence(look: Situation) -> tuple[str, float, Beside]:
    """The name of the error without bins, what it is before recalibration, and what stands beside it."""
    return METRICS["ks"].title, mean_ks(look, look.before), beside_error(look, look.before, "ks")


def _bins(count: int) -> str:
    return f"{count} bin" if count == 1 else f"{count} bins"


FACTS = ("mean_score", "mean_target", "ks")


def words(look: Situation) -> str:
    """The situation in one line, judged by the means over all trials."""
    sides = [side for side in (look.before, look.after) if side is not None]
    _, _, beside = evidence(look)
    largest = None if beside.interval is None or beside.is_vague else beside.interval.upper  # as the line below says
    p_values = tuple(tuple(known_p_values(look, side).items()) for side in sides)
    # Bins matter only through the p-values.
    key = ("words", look.name, *(side.key for side in sides), p_values, largest)
    make = partial(_words, look, dict(zip(sides, p_values, strict=True)), largest)
    return look.engine.of(look.before.problems[0], key, make)


def _words(look: Situation, p_values: Mapping[Side, Any], largest: float | None) -> str:
    def facts(side: Side) -> dict[str, Any]:
        limits = [limits_of(look, problem) for problem in side.problems]
        low, high, limit = np.mean(limits, axis=0)
        numbers = look.numbers(side)
        means = {name: float(np.mean([getattr(trial, name) for trial in numbers])) for name in FACTS}
        # The pooled lens has K scores of each sample, which tell no more than one would.
        count = side.problems[0].samples // look.scores_per_sample
        return {
            **means,
            "interval": (float(low), float(high)),
            "ks_limit": float(limit),
            "count": count,
            "p_values": dict(p_values[side]),
        }

    def tilted() -> int:
        tilts = {tilt(problem) for problem in look.before.problems} if look.scores_per_sample == 1 else {0}
        return tilts.pop() if len(tilts) == 1 else 0

    after = None
    if look.after is not None:
        after = After(name=look.repair, **facts(look.after), brier_change=change_of_brier(look, look.after))
    said = reading(
        about_predicted=is_about_predicted(look.lens),
        after=after,
        largest=largest,
        tilted=tilted,
        backwards=look.scores_per_sample == 1 and all(map(runs_backwards, look.before.problems)),
        **facts(look.before),
    )
    return said if look.outcome is None else f"Outcome {look.outcome}: {said}"
