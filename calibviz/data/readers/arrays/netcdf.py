"""netCDF files (.nc), read through xarray, and the arguments of `Predictions` in its datasets."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....foundation.packages import missing
from ...columns.array_roles import roles, settled
from ...columns.choices import Account, Arguments, NoOptions, ReadingOptions
from ...labelled_arrays import with_class_names
from ...safeguards import charge_variables, reading, refuse_many
from .classic_netcdf import refuse_classic
from .hdf5_files import refuse_foreign, refuse_unwritten

ENGINES = {"netcdf4": "netCDF4", "h5netcdf": "h5netcdf"}
HDF5 = b"\x89HDF\r\n\x1a\n"
DIMENSIONS = {("sample",), ("sample", "class")}


def read_netcdf(file: Path, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions` in the variables of a file."""
    with opened_netcdf(file) as dataset:
        wanted = wanted_of(dataset, choices, account)
        if _start_of(file) == HDF5:
            refuse_unwritten(file, wanted)
        with reading("the netCDF file", Exception):
            wanted.load()
    return labelled_arguments(wanted, choices, account)


def opened_netcdf(file: Path) -> Any:
    """The dataset in a file, to be closed; its values are read when they are asked for."""
    import xarray as xr  # imported late, since that takes a while and most programs read no netCDF

    engine = _find_engine(file)
    (refuse_foreign if _start_of(file) == HDF5 else refuse_classic)(file)
    # The libraries raise exceptions of any kind for damaged bytes. An index would read its values now.
    with reading("the netCDF file", Exception):
        return xr.open_dataset(file, engine=engine, decode_timedelta=False, create_default_indexes=False)


def with_classes(dataset: Any, variables: Sequence[str]) -> Any:
    """Some variables and the coordinate `class`, which xarray drops where none of them has that dimension."""
    return dataset[[*variables, *({"class"} & dataset.coords.keys())]]


def wanted_of(dataset: Any, choices: ReadingOptions, account: Account) -> Any:
    """The variables that `read_predictions` reads; a dataset that does not fit into memory is refused."""
    names, fields = variables_of(dataset, choices, account)
    wanted = with_classes(dataset, [*names.values(), *fields])
    charge_variables(wanted)
    return wanted


def labelled_arguments(
    dataset: Any, choices: ReadingOptions | None = None, account: Account | None = None
) -> Arguments:
    """The arguments of `Predictions` in an `xarray.Dataset` over `sample` and `class`."""
    choices, account = choices or NoOptions(), account or Account()
    names, fields = variables_of(dataset, choices, account)
    arguments: Arguments = {role: _read_values(dataset, name) for role, name in names.items()}
    arguments["fields"] = {name: dataset[name].values for name in fields}
    return settled(with_class_names(arguments, dataset), choices, account, names["labels"])


def variables_of(
    dataset: Any, choices: ReadingOptions | None = None, account: Account | None = None
) -> tuple[dict[str, str], list[str]]:
    """The variable of each argument, and the variables that are sample fields."""
    refuse_many(len(dataset.variables), "arrays")
    # The values of a dimension name its classes or count its samples; a variable `class` without one holds labels.
    variables = [str(name) for name in dataset.variables if name not in dataset.dims]
    names = roles(variables, choices or NoOptions(), account or Account())
    taken = set(names.values())
    fields = [
        str(name) for name, variable in dataset.variables.items() if variable.dims == ("sample",) and name not in taken
    ]
    return names, fields


def _start_of(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(len(HDF5))


def _find_engine(file: Path) -> str:
    """The engine of xarray for the file's kind of netCDF."""
    start = _start_of(file)
    if start[:4] in (b"CDF\x01", b"CDF\x02"):
        return "scipy"
    if start[:4] != b"CDF\x05" and start != HDF5:
        raise ValueError("the file is not netCDF: it starts with neither 'CDF' nor the signature of HDF5")
    for engine, module in ENGINES.items():
        try:
            import_module(module)
        except ImportError:
            continue
        return engine
    raise missing("netCDF4", "reading this kind of .nc", "io")


def _read_values(dataset: Any, name: str) -> NDArray[Any]:
    variable = dataset[name]
    if set(variable.dims) == {"sample", "class"}:
        variable = variable.transpose("sample", "class")
    if variable.dims not in DIMENSIONS:
        raise ValueError(f"the variable {name!r} has dimensions {variable.dims}: expected (sample,) or (sample, class)")
    return np.asarray(variable.values)
