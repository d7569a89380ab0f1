"""Checks of the large arrays that a user passes in, and every message about them.

Arrays are read in blocks that fit a processor's cache and are never copied unless something has to change in them.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cancellation import check
from .threads import in_turn, together, workers
from .validation import RowError, decoded, float_values, listed, real_number, shown

Array = NDArray[np.float64]
Floats = NDArray[Any]

ROW_SUM_TOLERANCE = 1e-3
SUM_TOLERANCE = ROW_SUM_TOLERANCE * (1 + 1e-9)  # a sum of 0.999 passes, whichever way rounding took it
OVERSHOOT_TOLERANCE = 1e-6
LARGEST_LOGIT = 1e100
LARGEST_EXACT = 2**53  # a float64 does not hold every whole number above
BLOCK_ENTRIES = 1 << 17
ENTRIES_OF_A_THREAD = 1 << 20  # fewer are done before a thread has begun
ROW_SHARES = 8  # of the rows, each of which is summed by itself
LOGITS_HINT = "; pass logits=... if these are logits"
COUNTS_HINT = "; divide counts, such as votes of annotators, by the sum of their row"
PERCENTS_HINT = "; divide per cents by 100, or pass logits=... if these are logits"
SURELY_ABOVE, MOST_PER_CENT = 2, 100  # the largest number that may be a slip, and the largest per cent


def row_blocks(rows: int, columns: int, entries: int = BLOCK_ENTRIES) -> Iterator[slice]:
    """Slices that cut `rows` x `columns` into blocks of so many entries, by default as a processor's cache holds.

    Work can be cancelled between two.
    """
    step = max(1, entries // max(1, columns))
    for start in range(0, rows, step):
        check()
        yield slice(start, min(start + step, rows))


def over_rows(work: Callable[[slice], None], rows: int, columns: int) -> None:
    """Call `work` with each of the `row_blocks`; of large arrays several processors work on some at once.

    An error is that of the first block of which there is one.
    """
    parts = min(workers(), rows * columns // ENTRIES_OF_A_THREAD)
    if parts < 2:
        for block in row_blocks(rows, columns):
            work(block)
        return
    ends = [rows * i // parts for i in range(parts + 1)]

    def part(i: int) -> None:
        for block in row_blocks(ends[i + 1] - ends[i], columns):
            work(slice(ends[i] + block.start, ends[i] + block.stop))

    together(part, parts)


def summed_over_rows(
    sums_of: Callable[[slice], tuple[NDArray[Any], ...]], rows: int, columns: int
) -> list[NDArray[Any]]:
    """The sums of the arrays that `sums_of` makes of each of the `row_blocks`.

    Of large arrays several processors work on some rows at once; the last bit of the sums does not depend on how many.
    """
    shares = max(1, min(ROW_SHARES, rows, rows * columns // ENTRIES_OF_A_THREAD))
    ends = [rows * i // shares for i in range(shares + 1)]
    sums: dict[int, tuple[NDArray[Any], ...]] = {}

    def work(i: int) -> None:
        for block in row_blocks(ends[i + 1] - ends[i], columns):
            parts = sums_of(slice(ends[i] + block.start, ends[i] + block.stop))
            for column, part in zip(sums.setdefault(i, parts), parts, strict=True):
                if column is not part:
                    column += part

    in_turn(work, shares, shares)
    return [np.sum(parts, axis=0) for parts in zip(*(sums[i] for i in range(shares)), strict=True)]


def dot(weight: NDArray[Any], values: NDArray[Any]) -> float:
    """The sum of the products of two columns, shape (n,), whose last bit does not depend on the number of processors.

    `weight @ values` shares more than 10,000 entries among the threads of BLAS, which wait for each other: where other
    work holds the processors, that takes a hundred times as long as the sum.
    """
    return float(np.multiply(weight, values).sum())


def float_array(value: Any, name: str) -> Floats:
    """`value` as an array of float16, float32 or float64; whole numbers and booleans become float64."""
    array = plain_array(value, name)
    if array.dtype.kind in "biu":
        array = array.astype(np.float64)
    if array.dtype.kind == "O" and array.ndim:
        for place in np.ndindex(array.shape):
            if not isinstance(array[place], numbers.Real):
                where = ", ".join(map(str, place))
                raise TypeError(f"{name} must hold numbers, but {name}[{where}] is {array[place]!r}")
        try:
            array = array.astype(np.float64)
        except OverflowError:
            raise ValueError(f"{name} holds a whole number that is too large for a float") from None
    if array.dtype.kind != "f":
        texts = "text" if array.dtype.kind in "US" else array.dtype
        what = f"an array of {texts}" if array.ndim else type(value).__name__
        raise TypeError(f"{name} must be an array of numbers, not {what}")
    return array if array.dtype in (np.float16, np.float32, np.float64) else array.astype(np.float64)


def plain_array(value: Any, name: str) -> NDArray[Any]:
    """`value` as an array of whatever it holds; masked entries and ragged lists are refused."""
    if np.ma.is_masked(value):
        place = _find_first(np.ma.getmaskarray(value))
        raise row_error(name, place, " is masked: fill masked entries, or drop their samples, first")
    try:
        return np.asarray(value) if hasattr(value, "__array__") or not is_array(value) else np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:  # such as that of a tensor on another device
        why = "its rows must all have the same length" if "inhomogeneous" in str(error) else error
        raise ValueError(f"{name} cannot be read as an array: {why}") from None


def is_array(value: Any) -> bool:
    """Whether a value is an array of NumPy, or says how to become one: by `__array__`, or by DLPack."""
    return hasattr(value, "__array__") or hasattr(value, "__dlpack__")


def number_array(value: Any, name: str) -> NDArray[Any]:
    """`value` as an array of numbers, whose dtype is kept."""
    array = plain_array(value, name)
    return array if array.dtype.kind in "biuf" else float_array(array, name)


def row_error(name: str, place: Sequence[int], said: str) -> RowError:
    """Return the error of one entry of an array, of whose place the first number is that of the row."""
    in_line = f" of {name}{''.join(f', class {i},' for i in place[1:])}{said}"
    entry = (place[1], said) if len(place) == 2 else None
    return RowError(f"{name}[", place[0], f"{''.join(f', {i}' for i in place[1:])}]{said}", in_line, entry)


def _find_first(bad: NDArray[np.bool_], start: int = 0) -> tuple[int, ...]:
    place = np.unravel_index(int(np.argmax(bad)), bad.shape)
    return (int(place[0]) + start, *(int(i) for i in place[1:]))


def probabilities(value: Any, name: str = "probs") -> Floats:
    """Rows of class probabilities (n, K), K at least 2; shape (n,) is read as P = [1 - p, p] in float64.

    The input's own memory is used unless values have to be clipped (overshoot up to 1e-6).
    """
    given = float_array(value, name)
    array = _to_rows(given, name)
    if given.ndim == 1:  # rows that were made to sum to 1
        return array
    return np.clip(array, 0, 1) if _check_rows(array, name, normalize=False) else array


def normalized(value: Any) -> tuple[Floats, Floats | None]:
    """Rows of class probabilities (n, K) rescaled to sum to 1, and the sums of the rows before, (n,).

    Both are float64, since rounding back would change the numbers. Probabilities (n,) of one class have no such sums.
    """
    given = float_array(value, "probs")
    array = _to_rows(given, "probs")
    _check_rows(array, "probs", normalize=True)
    scaled, sums = np.maximum(array, 0, dtype=np.float64), np.empty(len(array))
    for block in row_blocks(*array.shape):
        sums[block] = scaled[block].sum(axis=1)
        scaled[block] /= sums[block, None]
    return scaled, None if given.ndim == 1 else sums


def _to_rows(value: Any, name: str) -> Floats:
    array = float_array(value, name)
    if array.ndim == 1:
        p, array = array, np.empty((len(array), 2))  # float64, so that 1 - p loses nothing of a float32 p
        for block in row_blocks(*array.shape):
            part = p[block]
            if not (part.min() >= 0 and part.max() <= 1):
                part = part.astype(np.float64)
                _refuse_outside_unit(part, name, block.start)
                part = np.clip(part, 0.0, 1.0)
            array[block, 1] = part
            np.subtract(1.0, array[block, 1], out=array[block, 0])
    if array.ndim != 2:
        said = f"{name} must have shape (n, K), or (n,) for a binary problem; it has shape {array.shape}"
        hint = f": of the members of an ensemble take the mean, {name}.mean(0); of pixels or tokens the rows, "
        raise ValueError(f"{said}{hint}{name}.reshape(-1, {array.shape[-1]})" if array.ndim > 2 else said)
    rows, columns = array.shape
    if rows == 0:
        raise ValueError(f"{name} is empty: its shape is {array.shape}, and at least one sample is needed")
    if columns < 2:
        raise ValueError(
            f"{name} has shape {array.shape}: at least two classes are needed; "
            "pass a binary problem as the (n,) probabilities of the second class"
        )
    return array


def _check_rows(array: Floats, name: str, normalize: bool) -> bool:
    """Whether some entries overshoot within the tolerance; rows that are no probabilities are refused."""
    overshooting: list[slice] = []
    ones = np.ones(array.shape[1], dtype=np.float64 if array.dtype == np.float64 else np.float32)

    def look(block: slice) -> None:
        part = array[block]
        if part.dtype == np.float16:
            part = part.astype(np.float32)
        with np.errstate(invalid="ignore", over="ignore"):
            sums = part @ ones  # nan and infinity show up here as well
        suspicious = ~(np.abs(sums - 1.0) <= ROW_SUM_TOLERANCE / 2)
        low, high = part.min(), part.max()
        if low < 0 or high > 1 or suspicious.any():
            _refuse_bad_entries(array[block], name, block.start, normalize)
            if low < 0 or high > 1:
                overshooting.append(block)

    over_rows(look, *array.shape)
    return bool(overshooting)


def _refuse_bad_entries(part: Floats, name: str, start: int, normalize: bool) -> None:
    part = part.astype(np.float64)
    if normalize:
        _refuse_not_finite(part, name, start)
        refuse_where(part < -OVERSHOOT_TOLERANCE, part, name, start, "a probability cannot be negative")
        with np.errstate(over="ignore"):
            sums = np.clip(part, 0, None).sum(axis=1)
        bad = (sums <= 0) | np.isinf(sums)
        if bad.any():
            row = _find_first(bad, start)[0]
            raise RowError("row ", row, f" of {name} sums to {sums[row - start]:g} and cannot be renormalised")
        return
    _refuse_outside_unit(part, name, start)
    sums = part.sum(axis=1)
    bad = np.abs(sums - 1.0) > SUM_TOLERANCE
    if bad.any():
        row = _find_first(bad, start)[0]
        raise RowError(
            "row ",
            row,
            f" of {name} sums to {sums[row - start]:.6g}, not to 1 within {ROW_SUM_TOLERANCE:g}; pass "
            + ("them turned if classes are the rows, " if part.shape[1] > 10 * len(part) and not start else "")
            + "normalize=True to rescale the rows, or logits=... if these are not probabilities",
        )


def _refuse_not_finite(part: Floats, name: str, start: int) -> None:
    refuse_where(~np.isfinite(part), part, name, start, "every entry must be finite")


def _refuse_outside_unit(part: Floats, name: str, start: int) -> None:
    _refuse_not_finite(part, name, start)
    outside = (part < -OVERSHOOT_TOLERANCE) | (part > 1.0 + OVERSHOOT_TOLERANCE)
    hint = PERCENTS_HINT if part.min() >= 0 and SURELY_ABOVE < part.max() <= MOST_PER_CENT else LOGITS_HINT
    hint = COUNTS_HINT if name == "labels" and part.min() >= 0 else hint * (name == "probs")
    refuse_where(outside, part, name, start, "a probability lies between 0 and 1" + hint)


def refuse_where(bad: NDArray[np.bool_], part: Floats, name: str, start: int, why: str) -> None:
    """Raise where an entry is bad, naming the first one and its place; `start` is the row of the first entry."""
    if bad.any():
        place = _find_first(bad, start)
        entry = part[(place[0] - start, *place[1:])]
        raise row_error(name, place, f" is {entry:g}: {why}")


def logits(value: Any) -> Floats:
    """Finite logits (n, K); shape (n,) is read as the binary [0, z]."""
    given = float_array(value, "logits")
    array = np.column_stack([np.zeros_like(given), given]) if given.ndim == 1 else given
    if array.ndim != 2 or array.shape[0] == 0 or array.shape[1] < 2:
        raise ValueError(f"logits must have shape (n, K) with n >= 1 and K >= 2; it has shape {given.shape}")
    for block in row_blocks(*array.shape):
        part = array[block]
        _refuse_not_finite(part, "logits", block.start)
        if part.dtype == np.float64:  # differences of larger ones overflow; those of smaller types cannot
            refuse_where(np.abs(part) > LARGEST_LOGIT, part, "logits", block.start, "too large for a logit")
    return array


def softmax(value: Floats) -> NDArray[np.float64]:
    """Row-wise softmax in float64: in float32 most scores of confident networks round to exactly 1."""
    z = value.astype(np.float64)
    z -= z.max(axis=1, keepdims=True)
    np.exp(z, out=z)
    z /= z.sum(axis=1, keepdims=True)
    return z


def labels(value: Any, n: int, class_names: Sequence[str], are_numbers: bool = False) -> NDArray[Any]:
    """Class indices (n,) int64, or soft rows (n, K) float64 where the input is not one-hot.

    Accepted are whole numbers 0..K-1, class names, one-hot rows and rows of label frequencies. With `are_numbers` the
    names of classes were given as numbers: then labels that are names of classes at other places are refused.
    """
    array = plain_array(value, "labels")
    if array.ndim == 0 or array.ndim > 2:
        raise ValueError(f"labels must have shape (n,) or (n, K); it has shape {array.shape}")
    if array.shape[0] != n:
        raise ValueError(f"labels has {array.shape[0]} entries, but there are {n} rows of probabilities")
    if array.ndim == 2:
        return _check_label_rows(array, len(class_names))
    if array.dtype.kind in "OUST":
        return _number_names(array, class_names)
    if array.dtype.kind == "f":
        whole = np.isfinite(array) & (array == np.floor(array))
        if not whole.all():
            i = _find_first(~whole)[0]
            raise row_error("labels", [i], f" is {array[i]:g}: a label is the whole number of a class, or its name")
    elif array.dtype.kind not in "biu":
        raise TypeError(f"labels must be whole numbers, class names or rows, not {array.dtype}")
    if are_numbers:
        _refuse_names(array, class_names)
    bad = (array < 0) | (array >= len(class_names))
    if bad.any():
        i = _find_first(bad)[0]
        last = len(class_names) - 1
        hint = _numbered_otherwise(np.unique(array).tolist(), len(class_names))
        raise row_error("labels", [i], f" is {array[i]:g}, but the {len(class_names)} classes are 0..{last}{hint}")
    return array.astype(np.intp)


def _refuse_names(array: NDArray[Any], class_names: Sequence[str]) -> None:
    """Refuse whole numbers that may be the names of classes as well as their places, and mean others as names."""
    there = [f"{label:g}" for label in np.unique(array * 1).tolist()]
    other = next((name for name in there if name in class_names and class_names.index(name) != float(name)), None)
    if other is not None and set(there) <= set(class_names):
        i = _find_first(array == float(other))[0]
        said = f" is {other}, the name of class {class_names.index(other)} of 0..{len(class_names) - 1}"
        ways = "labels as text where they are names, or class_names as text where they are places, to cv.Predictions"
        raise row_error("labels", [i], f"{said}: pass {ways}")


def _numbered_otherwise(there: list[float], classes: int) -> str:
    """How to pass labels of which these are the numbers; empty where they tell nothing."""
    if len(there) == classes == 2:
        return f"; pass labels == {there[1]:g} beside the probabilities of that class"
    if there == [*range(1, classes + 1)]:
        return "; pass labels - 1 where they are numbered from 1"
    if classes == 2 and there == [*range(len(there))]:
        return "; pass the probabilities of all classes, of shape (n, K), where there are more than two"
    return ""


def _check_label_rows(array: NDArray[Any], classes: int) -> NDArray[Any]:
    if array.shape[1] != classes:
        hint = f": pass the column by itself, of shape ({len(array)},)" if array.shape[1] == 1 else ""
        raise ValueError(f"labels has shape {array.shape}, but there are {classes} classes{hint}")
    rows = float_array(array, "labels")
    one_hot = True
    for block in row_blocks(*rows.shape):
        part = rows[block].astype(np.float64)
        _refuse_outside_unit(part, "labels", block.start)
        sums = part.sum(axis=1)
        bad = np.abs(sums - 1.0) > SUM_TOLERANCE
        if bad.any():
            i = _find_first(bad)[0]
            said = f" of labels sums to {sums[i]:.6g}, not to 1: rows are one-hot or label frequencies"
            raise RowError("row ", i + block.start, said + COUNTS_HINT * int(sums[i] > 1))
        one_hot &= bool(((part == 0) | (part == 1)).all())
    if one_hot:
        return rows.argmax(axis=1).astype(np.intp)
    return np.clip(rows, 0.0, 1.0, dtype=np.float64)


def _number_names(array: NDArray[Any], class_names: Sequence[str]) -> NDArray[np.intp]:
    number = {name: i for i, name in enumerate(class_names)}
    out = np.empty(len(array), dtype=np.intp)
    for i, entry in enumerate(array.tolist()):
        if isinstance(entry, bytes):
            entry = decoded(entry, "labels[", i, "]")
        is_index = isinstance(entry, numbers.Integral) and 0 <= int(entry) < len(class_names)
        index = entry if is_index else number.get(entry) if isinstance(entry, str) else None
        if index is None:
            unnamed = class_names[0] == "0" and isinstance(entry, str)
            hint = f": pass {_names_of_classes(array, len(class_names))} to cv.Predictions" if unnamed else ""
            said = f" is {entry!r}, which is not one of the class names {listed(class_names)}{hint}"
            raise row_error("labels", [i], said)
        out[i] = index
    return out


def _names_of_classes(labels: NDArray[Any], classes: int) -> str:
    """The argument that names the classes of labels that are text, which are spelled out if they are so many."""
    there = sorted({str(entry) for entry in labels.tolist()})
    if len(there) != classes:
        return "class_names=[...]"
    of_one = " (a single one is that of the second)" * (classes == 2)
    return f"class_names={there!r}, in the order of the probabilities{of_one},"


LEAST_LARGEST_WEIGHT = 2.0**-960  # about 1e-289: products with probabilities of smaller ones would be denormal


def missing_in(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Which values are nan, no date, or empty text, shape (n,)."""
    if column.dtype.kind == "f":
        return np.isnan(column)
    if column.dtype.kind in "mM":
        return np.isnat(column)
    return column == "" if column.dtype.kind in "UT" else np.zeros(len(column), dtype=bool)


def are_counts(weights: NDArray[np.float64]) -> bool:
    """Whether all weights are whole numbers, so that each counts repetitions of its sample.

    Beyond 2^53 every float64 is whole, so such weights are not taken for counts.
    """
    return bool(((weights == np.floor(weights)) & (weights <= LARGEST_EXACT)).all())


def effective_size(weights: NDArray[np.float64]) -> float:
    """How many equal samples weights (n,) are worth; nan where all are 0.

    Whole numbers count repetitions; of others it is (sum w)^2 / sum w^2 (Kish 1965), whatever their unit.
    """
    if not weights.any():
        return float("nan")
    if are_counts(weights):
        return float(weights.sum())
    return kish_size(weights)


def kish_size(weights: NDArray[np.float64]) -> float:
    """How many equal weights give a mean of the same variance: (sum w)^2 / sum w^2 (Kish 1965), whatever their unit."""
    share = weights / weights.max()
    return float(share.sum() ** 2 / (share @ share))


def weights(value: Any, n: int) -> NDArray[np.float64]:
    """Sample weights (n,), finite and at least 0, not all 0."""
    array = float_array(value, "weights").astype(np.float64)
    if array.shape != (n,):
        raise ValueError(f"weights must have shape ({n},), one for each sample; it has shape {array.shape}")
    _refuse_not_finite(array, "weights", 0)
    refuse_where(array < 0, array, "weights", 0, "a weight cannot be negative")
    refuse_extreme_weights(array, "weights")
    if not array.any():
        raise ValueError(
            "weights are all 0, so no sample counts: pass weights of which one at least is above 0, or none, and each "
            "sample counts once"
        )
    return array


def refuse_extreme_weights(weights: NDArray[np.float64], name: str) -> None:
    """Raise where sums of weights (n,) overflow, or lose digits since the largest is nearly 0 (denormal or close)."""
    with np.errstate(over="ignore"):
        total = weights.sum()
    if not np.isfinite(total):
        raise ValueError(f"{name} are too large to be added up: divide all of them by {float(weights.max()):.3g}")
    if weights.any() and (largest := float(weights.max())) < LEAST_LARGEST_WEIGHT:
        raise ValueError(
            f"{name}[{int(weights.argmax())}] is {largest:.3g}, and none is larger: sums of so small numbers lose "
            "digits, so multiply all of them by a common factor"
        )


def class_shares(value: Any, class_names: Sequence[str], name: str = "prevalence") -> NDArray[np.float64]:
    """The share of each class (K,), above 0 and of sum 1; a single number is the share of the second of two classes."""
    classes = len(class_names)
    wanted = f"{name} must have shape ({classes},), a share for each of the classes {listed(class_names)}"
    try:
        is_one = np.ndim(value) == 0
    except ValueError:  # rows of several lengths
        raise TypeError(f"{wanted}, not {shown(value)}") from None
    if is_one:
        share = real_number(value, name, 0.0, 1.0, open_ends=True)
        if classes != 2:
            raise ValueError(f"{wanted}, not be {shown(value)}")
        return np.array([1 - share, share])
    shares = float_values(value, name, 1)
    if shares.shape != (classes,):
        raise ValueError(f"{wanted}, not {shares.shape}")
    refuse_where(~(shares > 0), shares, name, 0, "every class needs a share above 0")
    if abs(shares.sum() - 1) > ROW_SUM_TOLERANCE:
        raise ValueError(f"{name} adds up to {shares.sum():.6g}, not to 1")
    return shares / shares.sum()
