"""The worst segments of a report: groups of samples, by their fields, whose scores are the furthest off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import xarray as xr

from ...context.class_lenses import Pooled
from ...context.lenses import Lens
from ...data.predictions import Predictions
from ...decisions.segments import MINIMUM, segments
from ...uncertainty.noise_floors import looks_at_truth
from .choices import Scope
from .numbers import SEED

ALPHA = 0.05
MOST_DRAWS, FEWEST_DRAWS = 499, 99
DRAWN = 500_000  # samples in all draws together, as long as that leaves FEWEST_DRAWS
MOST_IN_PAIRS = 100_000  # beyond this number of samples, fields are looked at one by one


@dataclass(frozen=True, eq=False)
class Segments:
    """The table of `cv.segments`, the worst first, and the arguments that give it again."""

    table: xr.Dataset
    choices: Scope
    depth: int
    draws: int

    @property
    def beyond(self) -> int:
        """The number of segments whose error chance does not explain."""
        return int((self.table.p_adjusted.values <= ALPHA).sum())


def segments_of(predictions: Predictions, choices: Scope) -> Segments | None:
    """The worst segments; None if the samples have no fields, a `ValueError` if there can be no segments."""
    if not predictions.fields:
        return None
    if isinstance(choices.lens, Pooled):
        raise ValueError("The pooled lens mixes all classes of a sample: choose a class, or top-1, for segments")
    problem = choices.problem(predictions)
    if problem.samples < MINIMUM:
        raise ValueError(f"{len(problem):,} samples are too few for segments, which need {MINIMUM} each")
    draws = max(FEWEST_DRAWS, min(MOST_DRAWS, DRAWN // len(problem)))
    draws = 0 if looks_at_truth(choices.selection) else draws
    depth = 1 if len(problem) > MOST_IN_PAIRS else 2
    table = segments(
        predictions, choices.lens, selection=choices.selection, depth=depth, replicates=draws, rng=SEED, progress=False
    )
    return Segments(table, choices, depth, draws)


def segments_code(worst: Segments | str | None, lens_code: Callable[[Lens], str]) -> list[str]:
    """The Python that gives the table of segments again."""
    if not isinstance(worst, Segments):
        return []
    about = f"predictions, {lens_code(worst.choices.lens)}, selection=selection"
    return [
        "",
        "# Where it is wrong",
        f"print(cv.segments({about}, depth={worst.depth}, replicates={worst.draws}, rng={SEED}).to_dataframe())",
    ]
