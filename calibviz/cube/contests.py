"""The tests of a cube: in every cell, which labels of a dimension are within noise of the best."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from ..context.conditions import Condition
from ..context.lenses import Lens, Problem
from ..data.predictions import Predictions
from ..data.stack import Stack
from ..foundation import validation
from ..metrics.record import CELL_DIMS
from ..uncertainty.best_set import LEVEL, is_within, refuse_other_samples, tested
from ..uncertainty.contenders import CRITERIA, Contender, contender_of
from .missing import attributes_of

SUFFIX = "_within_noise"  # of the variables


class Contests:
    """The tests of every metric of a cube that has one, along every dimension of which the labels are compared.

    Parameters
    ----------
    among : names of dimensions
    judged : Stack
        The models, whose names stand for several dimensions.
    coords : dict of dimension to labels
        Of the cube.
    names : names of `CRITERIA`
    seed : int, optional
    """

    def __init__(
        self,
        among: Sequence[str],
        judged: Stack,
        coords: Mapping[str, Sequence[Any]],
        names: Sequence[str],
        seed: int | None,
    ) -> None:
        self.among, self.names, self.seed = among, names, seed
        self.models, self.shape = list(judged.models), judged.shape
        self.coords = {dim: np.asarray(labels).tolist() for dim, labels in judged.coords.items()}
        self.coords |= {dim: list(coords[dim]) for dim in CELL_DIMS[1:]}
        self.contenders: dict[tuple[int, ...], Contender] = {}

    def add(
        self,
        model: str,
        labels: Sequence[str],
        look: Callable[[], tuple[Predictions, Problem]],
        lens: Lens,
        condition: Condition | None,
    ) -> None:
        """Resample what is in one cell, which `labels` name after the model; one that cannot exist takes no part."""
        try:
            found = contender_of(*look(), lens, condition, self.names, seed=self.seed)
        except ValueError:
            return
        of_model = np.unravel_index(self.models.index(model), self.shape)
        of_cell = (self.coords[dim].index(label) for dim, label in zip(CELL_DIMS[1:], labels, strict=True))
        self.contenders[(*map(int, of_model), *of_cell)] = found

    def joined(self, cube: xr.Dataset) -> xr.Dataset:
        """The cube with what the tests say: whether each cell is within noise of the best along a dimension."""
        dims = tuple(self.coords)
        shape = tuple(len(labels) for labels in self.coords.values())
        found = {}
        for name in self.names:
            within = np.zeros((len(self.among), *shape), dtype=bool)
            reasons: dict[tuple[str, str], None] = {}
            for i, dim in enumerate(self.among):
                for where in np.ndindex(*(1 if d == dim else size for d, size in zip(dims, shape, strict=True))):
                    self._contest(name, dims.index(dim), where, within[i], reasons)
            attrs: dict[str, Any] = {"long_name": f"not shown to be worse than the best by {name}", "level": LEVEL}
            attrs |= attributes_of(reasons)
            found[f"{name}{SUFFIX}"] = (("among", *dims), within, attrs)
        return cube.assign_coords(among=list(self.among)).assign(found)

    def _contest(
        self,
        name: str,
        axis: int,
        where: tuple[int, ...],
        within: NDArray[np.bool_],
        reasons: dict[tuple[str, str], None],
    ) -> None:
        """Test the cells along one axis, and say in `within` which are not shown to be worse."""
        line = {}
        for i, label in enumerate(list(self.coords.values())[axis]):
            place = (*where[:axis], i, *where[axis + 1 :])
            contender = self.contenders.get(place)
            if contender is not None and name in contender.of and not np.isnan(contender.of[name].value):
                line[str(label)] = place, contender
        if not line:
            return
        p_values = dict.fromkeys(line, 1.0)
        try:
            refuse_other_samples({label: contender for label, (_, contender) in line.items()})
            p_values = tested({label: contender.of[name] for label, (_, contender) in line.items()})[1]
        except ValueError as error:
            others = {d: labels[k] for k, (d, labels) in zip(where, self.coords.items(), strict=True)}
            del others[list(self.coords)[axis]]
            reasons[", ".join(f"{d}={label}" for d, label in others.items()), str(error)] = None
        for label, (place, _) in line.items():
            within[place] = is_within(p_values[label], LEVEL)


def contests_of(
    ranking: Any, judged: Stack, coords: Mapping[str, Sequence[Any]], metrics: Sequence[str], seed: int | None
) -> Contests | None:
    """The tests that `ranking` asks for, if any."""
    among = [validation.choice(dim, "ranking", ("calibrator", *judged.coords)) for dim in validation.several(ranking)]
    validation.refuse_repeats("ranking", among)
    if not among:
        return None
    names = [name for name in CRITERIA if name in metrics]
    if not names:
        raise ValueError(f"ranking tests {', '.join(CRITERIA)}, but metrics has none of them: add one")
    contests = Contests(among, judged, coords, names, seed)
    for dim in among:
        if len(labels := contests.coords[dim]) < 2:
            raise ValueError(f"ranking is {dim!r}, but there is only one {dim}, {labels[0]!r}: pass several")
    return contests


def within_in(cube: xr.Dataset, name: str, of: str) -> xr.DataArray | None:
    """What a cube says of who is within noise of the best by an error; None where it says nothing."""
    stored = f"{name}{SUFFIX}"
    if stored not in cube or of not in cube[stored].among.values.tolist():
        return None
    return cube[stored].sel(among=of, drop=True)
