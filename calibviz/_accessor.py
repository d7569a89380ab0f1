"""`cube.calibviz`: pictures of a cube that is all there is, such as one that was opened from a file."""

from __future__ import annotations

from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xarray as xr

    from .explorer.cube_view import CubeView
    from .plots import Picture


class OfCube:
    """The views of a cube: `cube.calibviz.plot()` and `cube.calibviz.explore()`.

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
        from .plots.errors import cube_picture

        return cube_picture(self._cube, metric, x, hue)

    def explore(self) -> CubeView:
        """A live view of the cube in a notebook: choose the metric, both dimensions, and a label of every other one."""
        from .explorer.cube_view import CubeView

        return CubeView(self._cube)


def register(xarray: Any) -> None:
    """Give datasets of xarray their `.calibviz`, once."""
    add = getattr(xarray, "register_dataset_accessor", None)  # missing while xarray is being imported
    if add is not None and not hasattr(xarray.Dataset, "calibviz"):
        add("calibviz")(OfCube)


def spec_of(name: str) -> ModuleSpec | None:
    """How xarray is imported: as always, and then registered."""
    spec = find_spec(name)
    if spec is not None and spec.loader is not None:
        loader: Any = spec.loader
        run = loader.exec_module

        def run_and_register(module: ModuleType) -> None:
            del loader.exec_module  # the loader is as it was
            run(module)
            register(module)

        loader.exec_module = run_and_register
    return spec
