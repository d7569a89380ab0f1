"""`cube.calibviz`: pictures of a cube that is all there is, such as one that was opened from a file."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

    import xarray as xr

    from .explorer.cube_view import CubeView
    from .plots import Picture

NAME = "calibviz"


class OfCube:
    """What calibviz shows of a cube: `cube.calibviz.plot()` and `cube.calibviz.explore()`.

    Parameters
    ----------
    cube : xarray.Dataset
        What `evaluate` returns, also after it was written to a file and opened again, or cut by `.sel`.
    """

    def __init__(self, cube: xr.Dataset) -> None:
        self._cube = cube

    def __repr__(self) -> str:
        return "<calibviz of a cube: .plot(metric, x, hue) and .explore()>"

    def plot(self, metric: str | None = None, x: str | None = None, hue: str | None = None) -> Picture:
        """A picture of a metric over a dimension, with its noise where the cube holds it.

        Parameters
        ----------
        metric : str, optional
            A variable of the cube; by default its first error of calibration.
        x, hue : str, optional
            The dimension on the x axis, and the one whose labels have colours; by default the number of bins, the lens
            or whatever else has several labels, and the calibrator. The rest makes a picture each.

        Raises
        ------
        ValueError
            Where the cube holds no metric, a name is unknown, or there would be more than 12 pictures.
        """
        from .plots.cubes import cube_picture

        return cube_picture(self._cube, metric, x, hue)

    def explore(self) -> CubeView:
        """A live view of the cube in a notebook: choose the metric, both dimensions, and a label of every other one."""
        from .explorer.cube_view import CubeView

        return CubeView(self._cube)


def register() -> None:
    """Let datasets of xarray have `.calibviz`, now or as soon as xarray is imported, which is not done here."""
    if "xarray" in sys.modules:
        _add(sys.modules["xarray"])
    else:
        sys.meta_path.insert(0, _WhenImported())


def _add(xarray: ModuleType) -> None:
    add: Any = getattr(xarray, "register_dataset_accessor", None)  # missing while xarray is being imported
    if add is not None and not hasattr(xarray.Dataset, NAME):
        add(NAME)(OfCube)


class _WhenImported:
    """Finds xarray as others do, once, and adds the accessor when its module has run."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != "xarray":
            return None
        sys.meta_path.remove(self)
        found = (finder.find_spec(name, path, target) for finder in list(sys.meta_path))
        spec = next(filter(None, found), None)
        if spec is not None and spec.loader is not None:
            loader: Any = spec.loader
            run = loader.exec_module

            def run_and_add(module: ModuleType) -> None:
                del loader.exec_module  # the loader is as it was
                run(module)
                _add(module)

            loader.exec_module = run_and_add
        return spec
