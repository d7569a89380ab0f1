"""The tests of a cube: in every cell, which labels of a dimension are within noise of the best."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from ..context.lenses import Lens
from ..metrics.records.record import CELL_DIMS
from ..metrics.records.registry import METRICS
from ..uncertainty.best_set import LEVEL, is_within, refuse_other_samples, tested
from ..uncertainty.resampling.contenders import CRITERIA, Contender, contender_of
from .fitting import Fitted
from .metrics import attributes_of
from .request import Method, Request

SUFFIX = "_within_noise"  # of the variables


class Contests:
    """The tests of a cube: for each metric that can be tested, along each dimension that the request ranks."""

    def __init__(self, request: Request, fitted: Fitted) -> None:
        self.request, self.fitted = request, fitted
        self.names = [name for name in CRITERIA if name in request.plan.metrics]
        judged, coords = request.judged, request.coords
        self.models, self.shape = coords["model"], judged.shape
        self.coords = {dim: np.asarray(labels).tolist() for dim, labels in judged.coords.items()}
        self.coords |= {dim: coords[dim] for dim in CELL_DIMS[1:]}
        self.contenders: dict[tuple[int, ...], Contender] = {}

    def add(self, model: str, method: Method, named: tuple[str, Lens], selection: str) -> None:
        """Resample the samples of one cell; a cell that cannot exist takes no part."""
        condition, (label, lens) = self.request.conditions[selection], named
        try:
            source, problem = self.fitted.problem(model, *method, lens, condition)
            contender = contender_of(source, problem, lens, condition, self.names, seed=self.request.plan.seed)
        except ValueError:
            return
        labels = {"selection": selection, "calibrator": method[0], "lens": label}
        of_model = np.unravel_index(self.models.index(model), self.shape)
        of_cell = (self.coords[dim].index(labels[dim]) for dim in CELL_DIMS[1:])
        self.contenders[(*map(int, of_model), *of_cell)] = contender

    def joined(self, cube: xr.Dataset) -> xr.Dataset:
        """The cube with what the tests say: whether each cell is within noise of the best along a dimension."""
        among, dims = self.request.ranking, tuple(self.coords)
        shape = tuple(len(labels) for labels in self.coords.values())
        variables = {}
        for name in self.names:
            within = np.zeros((len(among), *shape), dtype=bool)
            reasons: dict[tuple[str, str], None] = {}
            for i, dim in enumerate(among):
                for where in np.ndindex(*(1 if d == dim else size for d, size in zip(dims, shape, strict=True))):
                    self._contest(name, dims.index(dim), where, within[i], reasons)
            attrs: dict[str, Any] = {
                "long_name": f"{METRICS[name].long_name}, within noise of the best",
                "units": "1",
                "source": "Hansen, Lunde and Nason 2011",
                "description": f"not shown to be worse than the best by {name}",
                "level": LEVEL,
            }
            variables[f"{name}{SUFFIX}"] = (("among", *dims), within, attrs | attributes_of(reasons))
        return cube.assign_coords(among=list(among)).assign(variables)

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


def within_in(cube: xr.Dataset, name: str, of: str) -> xr.DataArray | None:
    """Return which labels of a cube are within noise of the best by an error; None where it holds none of this."""
    stored = f"{name}{SUFFIX}"
    if stored not in cube or of not in cube[stored].among.values.tolist():
        return None
    return cube[stored].sel(among=of, drop=True)
