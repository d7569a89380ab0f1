"""How many data sets the Explorer and the reports draw for each of their numbers."""

from __future__ import annotations

from dataclasses import dataclass

from ...decisions.acting_draws import REPLICATES as REPLICATES_OF_ACTING
from ...foundation.chance import NULLS
from ...simulation.cubes import SIMULATIONS
from ...simulation.sample_size import SIZES
from ...uncertainty.joint_test import REPLICATES

#: Scores that are drawn in all, unless the least number of data sets holds more.
FOR_FLOORS, FOR_INDICES, FOR_MEANS = 20_000_000, 500_000, 5_000_000
MOST_SCORES = 2_000_000  # of one data set; for more, a page computes no noise floor
TOO_MANY = "{:,} scores are too many to draw again and again while a page waits"


@dataclass(frozen=True)
class Effort:
    """How many data sets are drawn for each number of a page.

    Of two numbers the second, `least_...`, is for data sets of many scores each.
    """

    # Calibrated data sets: for a noise floor, and for those of which a page has many: of each cell of the comparison,
    # of the indices of calibration in the large, along the temperatures, and of what is tested against each other.
    floors: int = NULLS
    least_floors: int = 99
    floors_of_cells: int = 99
    floors_of_indices: int = NULLS
    floors_of_temperatures: int = 199
    floors_of_contests: int = 199
    tests: int = REPLICATES  # calibrated ones, for the test of calibration
    # Bootstrap samples.
    means: int = 500  # for the intervals of means and scores
    least_means: int = 200
    bars: int = 400  # or calibrated data sets, for the error bars of bins
    errors: int = 100  # for the spread of an error over bin counts and sizes
    scores: int = 200  # for the parts of scores and the Murphy curves
    acting: int = REPLICATES_OF_ACTING  # for what acting at a threshold is worth
    sizes: tuple[int, ...] = tuple(SIZES)  # of samples that are tried
    of_size: int = 40
    # Data sets of the laboratory: for all estimators, and for those that measure them one by one.
    simulations: int = SIMULATIONS
    simulations_of_map: int = 300  # for each cell
    slow_simulations: int = 100
    slow_simulations_of_map: int = 40
    most_judged: int = 20_000  # samples; of more, an error has no interval, which would take longer than some seconds

    def floors_for(self, scores: int, of_many: int = 1) -> int:
        """The number of data sets for one of many noise floors; a ValueError says in a clause why there is none."""
        if scores > MOST_SCORES:
            raise ValueError(TOO_MANY.format(scores))
        return min(self.floors, max(self.least_floors, FOR_FLOORS // (of_many * scores)))

    def floors_of_indices_for(self, scores: int) -> int:
        """The number of data sets for the floors of the indices, for each of which a curve is fitted."""
        return max(min(self.least_floors, self.floors_of_indices), min(self.floors_of_indices, FOR_INDICES // scores))

    def means_for(self, scores: int) -> int:
        """How many bootstrap samples to draw: the more scores, the fewer, since their intervals are smooth with few."""
        return min(self.means, max(self.least_means, FOR_MEANS // scores))


#: What a page draws for a person.
USUAL = Effort()


def usual() -> Effort:
    """The effort of choices that name none, looked up when they are made, so that a process may set `USUAL`."""
    return USUAL
