"""Every check of what a user passes in, and every message about it.

Each function returns the checked value in the form the package works with, or raises `TypeError` or
`ValueError` naming the argument, the offending value and its place. Large arrays are read in blocks that fit
a processor's cache and are never copied unless something has to change in them.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[Any]

ROW_SUM_TOLERANCE = 1e-3
OVERSHOOT_TOLERANCE = 1e-6
BLOCK_ENTRIES = 1 << 18


def row_blocks(rows: int, columns: int) -> Iterator[slice]:
    """Slices that cut an array of `rows` x `columns` into blocks of about a megabyte."""
    step = max(1, BLOCK_ENTRIES // max(1, columns))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


def float_array(value: Any, name: str) -> Floats:
    """`value` as an array of float16, float32 or float64; whole numbers and booleans become float64."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name} cannot be read as an array: {error}") from None
    if array.dtype.kind in "biu":
        array = array.astype(np.float64)
    if array.dtype.kind == "O" and array.ndim and array.size:
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"{name} must hold numbers, but {_first_non_number(array, name)}") from None
    if array.dtype.kind != "f":
        what = f"an array of {array.dtype}" if array.ndim else type(value).__name__
        raise TypeError(f"{name} must be an array of numbers, not {what}")
    return array if array.dtype in (np.float16, np.float32, np.float64) else array.astype(np.float64)


def _first_non_number(array: NDArray[Any], name: str) -> str:
    for place in np.ndindex(array.shape):
        entry = array[place]
        try:
            float(entry)
        except (TypeError, ValueError):
            return f"{name}[{_place(place)}] is {entry!r}"
    return "it is a nested or ragged list"


def _place(index: Iterable[Any]) -> str:
    return ", ".join(str(int(i)) for i in index)


def _first(bad: NDArray[np.bool_], start: int = 0) -> tuple[int, ...]:
    place = np.unravel_index(int(np.argmax(bad)), bad.shape)
    return (int(place[0]) + start, *(int(i) for i in place[1:]))


def probabilities(value: Any, name: str = "probs", normalize: bool = False) -> Floats:
    """Rows of class probabilities (n, K), K at least 2; shape (n,) is read as P = [1 - p, p] in float64.

    The input's own memory is used unless values have to be clipped (overshoot up to 1e-6) or renormalised.
    """
    array = float_array(value, name)
    if array.ndim == 1:
        p = array.astype(np.float64)  # float64, so that 1 - p loses nothing of a float32 p
        _refuse_outside_unit(p, name, 0)
        np.clip(p, 0.0, 1.0, out=p)
        array = np.column_stack([1.0 - p, p])
    if array.ndim != 2:
        raise ValueError(f"{name} must have shape (n, K), or (n,) for a binary problem; it has shape {array.shape}")
    rows, columns = array.shape
    if rows == 0:
        raise ValueError(f"{name} is empty: its shape is {array.shape}, and at least one sample is needed")
    if columns < 2:
        raise ValueError(
            f"{name} has shape {array.shape}: at least two classes are needed; "
            "pass a binary problem as the (n,) probabilities of the second class"
        )
    overshoots = _check_rows(array, name, normalize)
    if not normalize:
        return np.clip(array, 0, 1) if overshoots else array
    array = np.maximum(array, 0)
    for block in row_blocks(rows, columns):
        part = array[block].astype(np.float64)
        array[block] = part / part.sum(axis=1, keepdims=True)
    return array


def _check_rows(array: Floats, name: str, normalize: bool) -> bool:
    """Refuse rows that are no probabilities; say whether some entries overshoot within the tolerance."""
    overshoots = False
    ones = np.ones(array.shape[1], dtype=np.float64 if array.dtype == np.float64 else np.float32)
    for block in row_blocks(*array.shape):
        part = array[block]
        if part.dtype == np.float16:
            part = part.astype(np.float32)
        with np.errstate(invalid="ignore", over="ignore"):
            sums = part @ ones  # nan and infinity show up here as well
        suspicious = ~(np.abs(sums - 1.0) <= ROW_SUM_TOLERANCE / 2)
        low, high = part.min(), part.max()
        if low < 0 or high > 1 or suspicious.any():
            _refuse_bad_entries(array[block], name, block.start, normalize)
            overshoots = True
    return overshoots


def _refuse_bad_entries(part: Floats, name: str, start: int, normalize: bool) -> None:
    part = part.astype(np.float64)
    if normalize:
        _refuse_not_finite(part, name, start)
        _refuse_where(part < -OVERSHOOT_TOLERANCE, part, name, start, "a probability cannot be negative")
        sums = np.clip(part, 0, None).sum(axis=1)
        if (sums <= 0).any():
            raise ValueError(f"row {_first(sums <= 0, start)[0]} of {name} sums to 0 and cannot be renormalised")
        return
    _refuse_outside_unit(part, name, start)
    sums = part.sum(axis=1)
    bad = np.abs(sums - 1.0) > ROW_SUM_TOLERANCE
    if bad.any():
        row = _first(bad, start)[0]
        raise ValueError(
            f"row {row} of {name} sums to {sums[row - start]:.6g}, not to 1 within {ROW_SUM_TOLERANCE:g}; pass "
            "normalize=True to rescale the rows, or logits=... if these are not probabilities"
        )


def _refuse_not_finite(part: Floats, name: str, start: int) -> None:
    _refuse_where(~np.isfinite(part), part, name, start, "every entry must be finite")


def _refuse_outside_unit(part: Floats, name: str, start: int) -> None:
    _refuse_not_finite(part, name, start)
    outside = (part < -OVERSHOOT_TOLERANCE) | (part > 1.0 + OVERSHOOT_TOLERANCE)
    _refuse_where(outside, part, name, start, "a probability lies between 0 and 1")


def _refuse_where(bad: NDArray[np.bool_], part: Floats, name: str, start: int, why: str) -> None:
    if bad.any():
        place = _first(bad, start)
        entry = part[(place[0] - start, *place[1:])]
        raise ValueError(f"{name}[{_place(place)}] is {entry:g}: {why}")


def logits(value: Any, shape: tuple[int, int] | None = None) -> Floats:
    """Finite logits (n, K); shape (n,) is read as the binary [0, z]."""
    array = float_array(value, "logits")
    if array.ndim == 1:
        array = np.column_stack([np.zeros_like(array), array])
    if array.ndim != 2 or array.shape[0] == 0 or array.shape[1] < 2:
        raise ValueError(f"logits must have shape (n, K) with n >= 1 and K >= 2; it has shape {np.shape(value)}")
    if shape is not None and array.shape != shape:
        raise ValueError(f"logits has shape {array.shape}, but probs has shape {shape}")
    for block in row_blocks(*array.shape):
        _refuse_not_finite(array[block], "logits", block.start)
    return array


def softmax(value: Floats) -> NDArray[np.float64]:
    """Row-wise softmax in float64: in float32 most scores of confident networks round to exactly 1."""
    z = value.astype(np.float64)
    z -= z.max(axis=1, keepdims=True)
    np.exp(z, out=z)
    z /= z.sum(axis=1, keepdims=True)
    return z


def labels(value: Any, n: int, class_names: Sequence[str]) -> NDArray[Any]:
    """Class indices (n,) int64, or soft rows (n, K) float64 where the input is not one-hot.

    Accepted are whole numbers 0..K-1, class names, one-hot rows and rows of label frequencies.
    """
    array = np.asarray(value)
    if array.ndim == 0 or array.ndim > 2:
        raise ValueError(f"labels must have shape (n,) or (n, K); it has shape {array.shape}")
    if array.shape[0] != n:
        raise ValueError(f"labels has {array.shape[0]} entries, but there are {n} rows of probabilities")
    if array.ndim == 2:
        return _label_rows(array, len(class_names))
    if array.dtype.kind in "OUST":
        return _named_labels(array, class_names)
    if array.dtype.kind == "f":
        whole = np.isfinite(array) & (array == np.floor(array))
        if not whole.all():
            i = _first(~whole)[0]
            raise ValueError(f"labels[{i}] is {array[i]:g}: a label is the whole number of a class, or its name")
    elif array.dtype.kind not in "biu":
        raise TypeError(f"labels must be whole numbers, class names or rows, not {array.dtype}")
    bad = (array < 0) | (array >= len(class_names))
    if bad.any():
        i = _first(bad)[0]
        raise ValueError(f"labels[{i}] is {array[i]:g}, but the {len(class_names)} classes are 0..{len(class_names) - 1}")
    return array.astype(np.int64)


def _label_rows(array: NDArray[Any], classes: int) -> NDArray[Any]:
    if array.shape[1] != classes:
        raise ValueError(f"labels has shape {array.shape}, but there are {classes} classes")
    rows = float_array(array, "labels").astype(np.float64)
    _refuse_outside_unit(rows, "labels", 0)
    sums = rows.sum(axis=1)
    bad = np.abs(sums - 1.0) > ROW_SUM_TOLERANCE
    if bad.any():
        i = _first(bad)[0]
        raise ValueError(f"row {i} of labels sums to {sums[i]:.6g}, not to 1: rows are one-hot or label frequencies")
    if ((rows == 0) | (rows == 1)).all():
        return rows.argmax(axis=1).astype(np.int64)
    return np.clip(rows, 0.0, 1.0)


def _named_labels(array: NDArray[Any], class_names: Sequence[str]) -> NDArray[np.int64]:
    number = {name: i for i, name in enumerate(class_names)}
    out = np.empty(len(array), dtype=np.int64)
    for i, entry in enumerate(array.tolist()):
        if isinstance(entry, bytes):
            entry = entry.decode()
        index = entry if _is_index(entry, len(class_names)) else number.get(entry) if isinstance(entry, str) else None
        if index is None:
            raise ValueError(f"labels[{i}] is {entry!r}, which is not one of the class names {_listed(class_names)}")
        out[i] = index
    return out


def _is_index(entry: Any, classes: int) -> bool:
    return isinstance(entry, numbers.Integral) and 0 <= int(entry) < classes


def _listed(names: Iterable[Any], most: int = 8) -> str:
    names = [repr(name) for name in names]
    return ", ".join(names[:most]) + (f", ... ({len(names)} in all)" if len(names) > most else "")


def weights(value: Any, n: int) -> NDArray[np.float64]:
    """Sample weights (n,), finite and at least 0, not all 0."""
    array = float_array(value, "weights").astype(np.float64)
    if array.shape != (n,):
        raise ValueError(f"weights must have shape ({n},), one for each sample; it has shape {array.shape}")
    _refuse_not_finite(array, "weights", 0)
    _refuse_where(array < 0, array, "weights", 0, "a weight cannot be negative")
    if not array.any():
        raise ValueError("weights are all 0: at least one sample must count")
    return array


def class_names(value: Iterable[Any] | None, classes: int) -> tuple[str, ...]:
    """K different names; the class numbers where none are given."""
    if value is None:
        return tuple(str(i) for i in range(classes))
    if isinstance(value, str):
        raise TypeError(f"class_names must be a list of {classes} names, not the text {value!r}")
    names = tuple(str(name) for name in value)
    if len(names) != classes:
        raise ValueError(f"class_names has {len(names)} names, but there are {classes} classes")
    seen: set[str] = set()
    for i, name in enumerate(names):
        if name in seen:
            raise ValueError(f"class_names[{i}] repeats the name {name!r}")
        seen.add(name)
    return names


def class_index(value: Any, names: Sequence[str], argument: str = "class") -> int:
    """The index of a class given by its name or, where no class bears that name, by its number."""
    if isinstance(value, str):
        if value in names:
            return names.index(value)
        if value.isdecimal() and int(value) < len(names):
            return int(value)
    elif isinstance(value, numbers.Integral) and not isinstance(value, bool) and 0 <= int(value) < len(names):
        return int(value)
    raise ValueError(f"{argument} {value!r} is unknown: the classes are {_listed(names)}")


def partition(groups: Mapping[str, Iterable[Any]], names: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Named groups as class indices; every class must be in exactly one group."""
    if not isinstance(groups, Mapping):
        raise TypeError(f"groups must map names to lists of classes, not {type(groups).__name__}")
    owner: dict[int, str] = {}
    out: dict[str, tuple[int, ...]] = {}
    for group, members in groups.items():
        indices = tuple(class_index(c, names, f"groups[{group!r}]: class") for c in members)
        if not indices:
            raise ValueError(f"groups[{group!r}] is empty: every group needs at least one class")
        for c in indices:
            if c in owner:
                raise ValueError(f"groups overlap: class {names[c]!r} is in {owner[c]!r} and in {group!r}")
            owner[c] = str(group)
        out[str(group)] = indices
    missing = [names[c] for c in range(len(names)) if c not in owner]
    if missing:
        raise ValueError(f"groups are incomplete: no group holds the class {_listed(missing)}")
    if len(out) < 2:
        raise ValueError("groups must be at least two: a single group holds every class and says nothing")
    return out


def fields(value: Mapping[str, Any] | None, n: int) -> dict[str, NDArray[Any]]:
    """Sample fields: arrays (n,) of numbers, text, booleans or dates by name."""
    out: dict[str, NDArray[Any]] = {}
    for name, column in (value or {}).items():
        array = np.asarray(column)
        if array.shape != (n,):
            raise ValueError(f"fields[{name!r}] must have shape ({n},), one entry a sample; it has shape {array.shape}")
        out[str(name)] = array.astype(str) if array.dtype.kind in "OST" else array
    return out


def whole_number(value: Any, name: str, least: int, most: int | None = None) -> int:
    """A whole number in [least, most]."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    if value < least or (most is not None and value > most):
        span = f"at least {least}" if most is None else f"between {least} and {most}"
        raise ValueError(f"{name} must be {span}, not {value}")
    return int(value)


def real_number(value: Any, name: str, low: float, high: float, open_ends: bool = False) -> float:
    """A finite number in [low, high], or in (low, high) with `open_ends`."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number, not {value!r}")
    inside = low < value < high if open_ends else low <= value <= high
    if not (inside and np.isfinite(float(value))):
        ends = "strictly between" if open_ends else "between"
        raise ValueError(f"{name} must lie {ends} {low:g} and {high:g}, not be {value!r}")
    return float(value)


def choice(value: Any, name: str, allowed: Sequence[str]) -> str:
    """One of the allowed words."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {_listed(allowed, 40)}, not {value!r}")
    return str(value)


def intervals(value: Any) -> dict[str, tuple[float, float]]:
    """Likert categories: ascending cut points [0, 0.33, 1], or names mapped to (low, high)."""
    if isinstance(value, Mapping):
        named = {str(name): tuple(ends) for name, ends in value.items()}
    else:
        cuts = [float(c) for c in float_array(value, "intervals").ravel()]
        for i, (low, high) in enumerate(zip(cuts, cuts[1:], strict=False)):
            if not low < high:
                raise ValueError(f"intervals[{i + 1}] is {high:g}, not above the cut point {low:g} before it")
        named = {f"[{a:g}, {b:g}]": (a, b) for a, b in zip(cuts, cuts[1:], strict=False)}
    if not named:
        raise ValueError("intervals needs two cut points or one named category at least")
    for name, ends in named.items():
        if len(ends) != 2:
            raise ValueError(f"intervals[{name!r}] must be (low, high), not {ends!r}")
        for end in ends:
            real_number(end, f"intervals[{name!r}]", 0.0, 1.0)
        if ends[0] > ends[1]:
            raise ValueError(f"intervals[{name!r}] has its low end {ends[0]:g} above its high end {ends[1]:g}")
    return {name: (float(low), float(high)) for name, (low, high) in named.items()}
