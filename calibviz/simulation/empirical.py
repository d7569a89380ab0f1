"""A network of the scores at hand, and of the true curve that their labels suggest."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..context.conditions import Condition
from ..context.induced import Judged, induced_problem, look_named
from ..context.lenses import Lens
from ..engine.binnings.binning import refuse_vector
from ..engine.by_truth import LOOKS_AT_TRUTH
from ..engine.scalar import ScalarProblem
from ..engine.summed import SummedProblem
from ..foundation import validation
from ..foundation.arrays import Array, float_array
from ..foundation.written import counted, percent
from ..metrics.asked import refuse_pooled
from ..metrics.clinical.penalised_curve import penalised_curve
from ..uncertainty.intervals.true_curves import curve_error, true_curve
from .known_truth import KnownTruth


@dataclass(frozen=True, eq=False, repr=False)
class EmpiricalNetwork(KnownTruth):
    """The scores of a problem, drawn with replacement, and labels that follow its penalised curve.

    Attributes
    ----------
    name : str
    problem : ScalarProblem
        Its scores are drawn, each as often as its weight says.
    seen : str
        The lens, with its outcome, that the problem was seen through; empty where that is not known.
    is_calibrated : bool
        Whether labels follow the scores themselves.

    See Also
    --------
    Network.empirical : What makes it.
    Network : Scores that follow a Beta distribution.
    """

    name: str
    problem: ScalarProblem
    seen: str
    is_calibrated: bool = False

    def __repr__(self) -> str:
        return f"<EmpiricalNetwork {self.name!r}: {self.scores_from}, TCE_1 {percent(self.true_error(1.0))}>"

    @property
    def scores_from(self) -> str:
        seen = f" ({self.seen})" if self.seen else ""
        return f"the scores of {counted(self.problem.samples, 'prediction')}{seen}"

    @property
    def score_label(self) -> str:
        return f"all of the {self.name}"

    @property
    def score_key(self) -> Hashable:
        return id(self.problem)

    @property
    def score_range(self) -> tuple[float, float]:
        return float(self.problem.score[0]), float(self.problem.score[-1])

    @property
    def calibrated(self) -> EmpiricalNetwork:
        return replace(self, name=f"{self.name}, calibrated", is_calibrated=True)

    @cached_property
    def _truth(self) -> Array:
        """The true probability of each row of the problem, shape (n,)."""
        return self.problem.score if self.is_calibrated else true_curve(self.problem, 0).fit

    @cached_property
    def _shares(self) -> Array:
        """The share of the scores up to each row, shape (n,)."""
        upto = np.cumsum(self.problem.weight)
        return upto / upto[-1]

    def true_curve(self, c: ArrayLike, complement: ArrayLike | None = None) -> Any:
        score = float_array(c, "c").astype(np.float64, copy=False)
        if self.is_calibrated:
            return np.clip(score, 0.0, 1.0)
        known = self.problem.score
        place = np.minimum(np.searchsorted(known, score), len(known) - 1)
        truth = np.array(self._truth[place])
        other = known[place] != score
        truth[other] = penalised_curve(self.problem)(score[other])
        return truth[()]

    def draw(self, shape: tuple[int, ...], rng: np.random.Generator, ascending: bool = False) -> tuple[Array, Array]:
        chance = rng.random(shape)
        if ascending:
            chance.sort(axis=-1)
        score = self.problem.score[np.searchsorted(self._shares, chance, "right")]
        return score, 1.0 - score

    def shares_between(self, edges: Array) -> Array:
        return self.problem.between(edges, "left")[0] / self.problem.total

    @cached_property
    def population(self) -> ScalarProblem:
        return self.problem.with_target(self._truth)

    def true_error(self, p: float) -> float:
        return curve_error(self.problem, self._truth, p)

    def share_apart(self, other: KnownTruth) -> float:
        """The largest distance between the shares of the scores of this and of another network below any value.

        Values lie half way between neighbouring scores, since rounding has moved scores of many networks to 0 or 1.
        """
        ends = self.problem.block_ends
        score = self.problem.score[ends - 1]
        if len(score) == 1:
            return float(other.shares_between(np.array([0.0, score[0], 1.0])).max())
        edges = np.concatenate([[0.0], (score[1:] + score[:-1]) / 2, [1.0]])
        below = np.cumsum(other.shares_between(edges))[:-1]
        return float(np.abs(self._shares[ends[:-1] - 1] - below).max())


def empirical_network(
    predictions: Judged,
    lens: str | Lens | None = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    name: str = "predictions",
) -> EmpiricalNetwork:
    """The network of a problem; see `Network.empirical`."""
    validation.text(name, "name")
    what = "an empirical network"
    refuse_pooled(lens, what)
    problem = induced_problem(predictions, lens, selection, outcome)
    refuse_vector(problem, what)
    assert isinstance(problem, ScalarProblem)
    if problem.by_truth is not None:
        raise ValueError(f"selection: {LOOKS_AT_TRUTH}, after which no curve is that of the predictions: leave it out")
    if isinstance(problem, SummedProblem):
        raise ValueError("scores cannot be drawn from a summary whose weights are not whole numbers: pass the samples")
    problem.refuse_to_draw()
    is_plain = isinstance(predictions, ScalarProblem)  # which does not know its lens
    return EmpiricalNetwork(name, problem, "" if is_plain else look_named(predictions, lens, outcome))
