"""Arrays of xarray: the classes that a coordinate names, and fields or ensembles over several dimensions as samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..foundation import validation
from ..foundation.validation import RowError, did_you_mean, listed, texts
from ..foundation.written import counted
from .columns.array_roles import settled
from .columns.choices import MISSING_CHOICES, Account, Arguments, NoOptions
from .columns.recognition.clusters import may_depend, ways_out

CLASS = "class"  # the dimension of the classes
Dims = tuple[str, ...]


def classes_of(dataset: Any) -> NDArray[Any] | None:
    """The values of the coordinate `class`, where there is one."""
    if CLASS not in dataset.coords:
        return None
    classes = dataset[CLASS]
    if classes.dims != (CLASS,):
        raise ValueError(f"the coordinate 'class' must have a name for each class, but has dimensions {classes.dims}")
    return np.asarray(classes.values)


def names_of(classes: NDArray[Any]) -> list[str] | None:
    """The class names in the values of the coordinate `class`; None where these are 0..K-1."""
    plain = classes.dtype.kind in "biuf" and np.array_equal(classes, np.arange(len(classes)))
    return None if plain else texts(classes.tolist(), "class[", of_rows=False)


def with_class_names(arguments: Arguments, dataset: Any) -> Arguments:
    """The arguments with class names from the coordinate `class`; labels are its values if it holds other numbers."""
    classes, labels = classes_of(dataset), arguments["labels"]
    names = None if classes is None else names_of(classes)
    if classes is None or names is None:
        return arguments
    if classes.dtype.kind in "biuf" and labels.ndim == 1 and labels.dtype.kind in "biuf":
        missing = np.isnan(labels) if labels.dtype.kind == "f" else np.zeros(len(labels), dtype=bool)
        unknown = ~np.isin(labels, classes) & ~missing
        if unknown.any():
            i = int(np.argmax(unknown))
            raise RowError("labels[", i, f"] is {labels[i]:g}, which is no value of the coordinate 'class'")
        numbers = np.where(missing, classes[0], labels).astype(classes.dtype)
        arguments["labels"] = np.where(missing, "", texts(numbers.tolist(), "labels["))
    return arguments | {"class_names": names}


@dataclass(frozen=True)
class Stacked:
    """The dimensions whose places are the samples, in the order in which they are stacked, and where each stands."""

    array: Any  # the probabilities
    dims: Dims

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions."""
        return tuple(self.array.sizes[dim] for dim in self.dims)

    def flat(self, array: Any) -> NDArray[Any]:
        """The values of an array over some of the dimensions, one for each sample, with its classes if it has them."""
        has_classes = CLASS in array.dims
        there = [dim for dim in self.dims if dim in array.dims]
        values = np.asarray(array.transpose(*there, *([CLASS] if has_classes else [])).values)
        ends = values.shape[len(there) :]
        sizes = [array.sizes[dim] if dim in there else 1 for dim in self.dims]
        out: NDArray[Any] = np.broadcast_to(values.reshape(*sizes, *ends), (*self.shape, *ends)).reshape(-1, *ends)
        return out

    def place(self, sample: int) -> str:
        """Return where a sample stands, by its coordinates, or by its numbers where there are none."""
        numbers = np.unravel_index(sample, self.shape)
        return ", ".join(
            f"{dim}={_written(self.array[dim].values[i])}" if dim in self.array.coords else f"{dim}[{i}]"
            for dim, i in zip(self.dims, numbers, strict=True)
        )

    def refuse_others(self, array: Any, name: str) -> None:
        """Refuse an array that has other values along a dimension than the probabilities."""
        both = f"xr.align(prob, {name}, join='inner') keeps what both have"
        for dim in (dim for dim in self.dims if dim in array.dims):
            ours, theirs = self.array.sizes[dim], array.sizes[dim]
            if ours != theirs:
                raise ValueError(f"{name} has {theirs:,} values along {dim!r}, but prob has {ours:,}: {both}")
            if dim in self.array.coords and dim in array.coords:
                differ = np.asarray(self.array[dim].values) != np.asarray(array[dim].values)
                if differ.any():
                    i = int(np.argmax(differ))
                    one, other = (_written(each[dim].values[i]) for each in (array, self.array))
                    raise ValueError(f"{name} stands at {dim}={one}, where prob stands at {dim}={other}: {both}")

    def fields(self, *arrays: Any) -> dict[str, NDArray[Any]]:
        """The coordinates along the dimensions as fields, those of a stacked dimension by its levels."""
        found: dict[str, Any] = {}
        for array in arrays:
            for name, values in array.coords.items():
                is_along = bool(values.dims) and set(values.dims) <= set(self.dims)
                is_stacked = name in array.indexes and array.indexes[name].nlevels > 1 and name in array.dims
                if is_along and not is_stacked:
                    found.setdefault(str(name), values)
        return {name: self.flat(values) for name, values in found.items()}


def _written(value: Any) -> str:
    """A value of a coordinate, a date as short as it can be."""
    is_date = isinstance(value, np.datetime64)
    return str(np.datetime_as_string(value, unit="auto")) if is_date else str(value)


def array_arguments(
    prob: Any,
    observed: Any,
    sample: Any,
    member: Any,
    weights: Any,
    missing: str,
    cluster: str | Literal[False] | None,
    account: Account,
) -> tuple[Arguments, Stacked]:
    """The arguments of `Predictions` in arrays over several dimensions, by the rules of `Predictions.from_xarray`."""
    validation.choice(missing, "missing", MISSING_CHOICES)
    given = {"prob": prob, "observed": observed} | ({} if weights is None else {"weights": weights})
    for name, array in given.items():
        _refuse_other_kinds(array, name)
    if member is not None:
        prob = _share_of_members(prob, observed, member, account)
    stacked = Stacked(prob, _sample_dims(prob, observed, sample))
    for name, array in given.items():
        if name != "prob":
            stacked.refuse_others(array, name)
    arguments: Arguments = {"probs": stacked.flat(prob), "labels": stacked.flat(observed)}
    if weights is not None:
        strangers = [dim for dim in weights.dims if dim not in stacked.dims]
        if strangers:
            raise ValueError(f"weights has the dimension {strangers[0]!r}, which is none of {listed(stacked.dims)}")
        arguments["weights"] = stacked.flat(weights)
    arguments["fields"] = stacked.fields(prob, observed)
    account.say(f"a sample is one of {' x '.join(f'{prob.sizes[dim]:,} {dim}' for dim in stacked.dims)}")
    if len(stacked.dims) > 1 and cluster is None:
        said = may_depend(" or ".join(stacked.dims))
        named = [dim for dim in stacked.dims if dim in arguments["fields"]]
        account.say(said + ways_out(named[0]) if named else said)
    arguments = _without_missing(arguments, stacked, missing, account) | {"cluster": cluster}
    try:
        return settled(with_class_names(arguments, prob), NoOptions(), account, "observed"), stacked
    except RowError as error:
        raise placed_in(stacked, account, error) from error


def _refuse_other_kinds(array: Any, name: str) -> None:
    """Refuse what is no array of xarray, and one that would have to be computed first."""
    import xarray as xr  # late, since that takes a while and who passes no such array needs none of it

    if isinstance(array, xr.Dataset):
        raise TypeError(f"{name} must be an xarray.DataArray, not a Dataset: choose one of {listed(array.data_vars)}")
    validation.kind(array, name, xr.DataArray, "an xarray.DataArray")
    if array.chunks is not None:
        raise ValueError(
            f"{name} is a dask array of {array.nbytes / 1e9:.2g} GB that is not loaded: {name}.load() reads it into "
            "memory; of more than fits, cv.open_predictions takes a Dataset over 'sample' and 'class'"
        )


def _share_of_members(prob: Any, observed: Any, member: Any, account: Account) -> Any:
    """The share of the members of an ensemble that say yes; missing where one is."""
    validation.text(member, "member")
    if member not in prob.dims:
        raise ValueError(
            f"member={member!r}: prob has no such dimension among {listed(prob.dims)}{did_you_mean(member, prob.dims)}"
        )
    if member in observed.dims:
        raise ValueError(f"observed has the dimension {member!r} of the members, but what is observed is one of them")
    values = np.asarray(prob.values)
    is_known = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(values.shape, dtype=bool)
    if values.dtype.kind not in "biuf" or not np.isin(values[is_known], (0, 1)).all():
        odd = values[is_known][~np.isin(values[is_known], (0, 1))][0]
        raise ValueError(
            f"the members hold {odd}, not whether the event occurs in each: pass the event, such as ensemble > 10 "
            f"beside observed > 10; of members that hold probabilities themselves, pass prob.mean({member!r})"
        )
    account.say(f"probabilities are the shares of {counted(prob.sizes[member], 'member')}")
    return prob.astype(np.float64).mean(member, skipna=False)


def _sample_dims(prob: Any, observed: Any, sample: Any) -> Dims:
    """The dimensions whose places are samples: those that `sample` names, by itself all but that of the classes."""
    left = [str(dim) for dim in prob.dims if dim != CLASS]
    if sample is None:
        chosen = left
    else:
        chosen = [validation.text(dim, "sample") for dim in validation.several(sample)]
        validation.refuse_repeats("sample", chosen)
        for dim in chosen:
            if dim not in left:
                raise ValueError(
                    f"sample={dim!r}: prob has no such dimension among {listed(left)}{did_you_mean(dim, left)}"
                )
    others = [dim for dim in left if dim not in chosen] or [dim for dim in chosen if dim not in observed.dims]
    if others:
        lacks = "which observed lacks" if others[0] not in observed.dims else "which sample leaves out"
        raise ValueError(
            f"prob has the dimension {others[0]!r}, {lacks}: where it counts classes, rename it to 'class'; where it "
            f"counts the members of an ensemble, pass member={others[0]!r}; else each of its places is a sample, for "
            "which there must be an observation"
        )
    strangers = [dim for dim in observed.dims if dim not in (*chosen, CLASS)]
    if strangers:
        raise ValueError(
            f"observed has the dimension {strangers[0]!r}, which prob lacks: choose one place, by isel(...)"
        )
    if not chosen:
        raise ValueError("prob has no dimension whose places could be samples")
    return tuple(chosen)


def _without_missing(arguments: Arguments, stacked: Stacked, missing: str, account: Account) -> Arguments:
    """The arguments of the samples that have a probability and an observation; others are refused or left out."""
    for role, name in (("probs", "prob"), ("labels", "observed")):
        values = arguments[role]
        if values.dtype.kind == "f":
            lacking = np.isnan(values.reshape(len(values), -1)).any(axis=1)
        elif values.dtype.kind == "O":
            lacking = np.array([value is None or value != value for value in values.ravel()]).reshape(values.shape)
        else:
            continue
        n = int(lacking.sum())
        if n == len(lacking):
            raise ValueError(f"{name} is missing everywhere")
        if n and missing != "drop":
            first = int(np.argmax(lacking))
            first = first if account.kept is None else int(account.kept[first])
            raise ValueError(
                f"{name} is missing at {stacked.place(first)}; missing='drop' leaves out the {counted(n)} without it"
            )
        if n:
            account.leave_out(lacking, f"without {name}")
            kept = {key: arguments[key][~lacking] for key in ("probs", "labels", "weights") if key in arguments}
            fields: dict[str, Any] = {key: column[~lacking] for key, column in arguments["fields"].items()}
            arguments = kept | {"fields": fields}
    return arguments


def placed_in(stacked: Stacked, account: Account, error: RowError) -> ValueError:
    """Return the error of a sample with its place by coordinates."""
    row = error.row if account.kept is None else int(account.kept[error.row])
    return ValueError(f"at {stacked.place(row)}: {error}")
