"""Safeguards of the reading of files: a budget of memory, names that repeat, and the errors of damaged bytes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..foundation import validation

LARGEST_SIZE = 4 * 2**30  # bytes once unpacked: 50,000 samples of 10,000 classes in float64 are just below
#: What the content of a file may always take, and how many times the size of the file: numbers are packed 32-fold at
#: most in what people keep, and what is made to overwhelm a reader a thousand times.
SMALL_SIZE, LARGEST_RATIO = 250_000_000, 32

TEXT_SIZE = 64  # bytes of a text in Python besides its letters, and of another small object
TEXT_RATIO = 12  # how many times more texts of any length take in Python, where short, than their letters and lengths
ROW_SIZE = 24  # bytes of a label and of two probabilities

#: What a limit is written in.
UNITS = {"KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
AMOUNT = re.compile(r"(?P<number>\d{1,9}(\.\d{1,9})?) ?(?P<unit>[KMGT]B)", re.IGNORECASE)

LONGEST_REASON = 200  # characters of a library's message about damaged bytes

MOST_NAMES = 2**18  # columns or arrays: as many classes as the largest vocabularies of language models have


class BudgetError(ValueError):
    """The content of a file takes more memory than its budget; so many gigabytes as `limit` allow more, if any do."""

    #: What else can be done, in Python.
    besides: ClassVar[str] = ""

    def __init__(self, said: str, gigabytes: int | None = None) -> None:
        self.said, self.gigabytes = said, gigabytes
        super().__init__(self.with_limit(f"limit='{gigabytes} GB'", self.besides))

    def with_limit(self, option: str, besides: str = "") -> str:
        """Return the message with the option as it is written where it is shown."""
        return self.said if self.gigabytes is None else f"{self.said}{option} allows more{besides}"

    def of(self, place: str) -> Self:
        """Return the error of a named source, such as a file."""
        return type(self)(f"{place}: {self.said}", self.gigabytes)


class TooLargeError(BudgetError):
    """The content of a file takes more memory than a reader asks for at once."""

    besides = ", and cv.open_predictions reads .zarr and .parquet in parts"


def number_of_bytes(limit: str | int | None) -> int | None:
    """A limit such as "8 GB" as a number of bytes; None where there is none."""
    if limit is None or (isinstance(limit, int) and not isinstance(limit, bool) and limit > 0):
        return limit
    parts = AMOUNT.fullmatch(limit.strip()) if isinstance(limit, str) else None
    size = 0 if parts is None else int(float(parts["number"]) * UNITS[parts["unit"].upper()])
    if not size:
        raise ValueError(f"limit must be an amount of memory such as '8 GB' or '500 MB', not {validation.shown(limit)}")
    return size


class Budget:
    """A budget of the memory that the content of a file, or of a folder of files, may take.

    The `limit` is an amount such as "8 GB", or bytes. By default it is 32 times the size of the file, at least 0.25 GB,
    and never more than `most` bytes.
    """

    def __init__(self, path: Path, limit: str | int | None = None, most: float | None = None) -> None:
        self._path, self._taken, limit = path, 0, number_of_bytes(limit)
        self._most = (LARGEST_SIZE if most is None else most) if limit is None else limit
        self._allowed = min(self._most, SMALL_SIZE) if limit is None else limit
        self._is_measured = limit is not None  # to measure a folder takes a while, and most stay far below

    def charge(self, size: int) -> None:
        """Take some bytes, or give them back; raise where they are too many."""
        self._taken += size
        if self._taken > self._allowed:
            self._measure()
        if self._taken > self._allowed:
            self._refuse()

    def left(self) -> float:
        """How many bytes may still be taken."""
        self._measure()
        return self._allowed - self._taken

    def give_back(self) -> None:
        """Take nothing any more."""
        self._taken = 0

    def _measure(self) -> None:
        if not self._is_measured:
            self._is_measured = True
            self._allowed = min(self._most, usual_most(self._path))

    def _refuse(self) -> None:
        enough = math.ceil(2 * self._taken / 1e9)
        takes = f"the content takes at least {in_bytes(self._taken)} of memory"
        if self._allowed >= self._most:
            raise TooLargeError(f"{takes}; at most {in_bytes(self._allowed)} are read at once: ", enough)
        raise BudgetError(
            f"{takes}, which is much for {in_bytes(size_of(self._path))} on disk; where nothing is wrong with it, ",
            enough,
        )


_BUDGET: ContextVar[Budget | None] = ContextVar("calibviz_budget", default=None)


@contextmanager
def budgeted(budget: Budget) -> Iterator[None]:
    """A context in which what is decoded is charged to a budget."""
    token = _BUDGET.set(budget)
    try:
        yield
    finally:
        _BUDGET.reset(token)


def charge(size: float) -> None:
    """Take some bytes from the budget of the file that is being read; best before memory is asked for."""
    if (budget := _BUDGET.get()) is not None:
        budget.charge(math.ceil(size))


def left() -> float:
    """How many bytes the file that is being read may still take."""
    budget = _BUDGET.get()
    return math.inf if budget is None else budget.left()


def charge_anew() -> None:
    """Give back all that was taken: what was read is thrown away, and the file is read again."""
    if (budget := _BUDGET.get()) is not None:
        budget.give_back()


@contextmanager
def for_now() -> Iterator[None]:
    """A context whose charges are given back in the end: what it unpacks is thrown away."""
    before = left()
    try:
        yield
    finally:
        if not math.isinf(before):
            charge(left() - before)


def refuse_size(size: float) -> None:
    """Raise where some bytes, which are given back once they are unpacked, would be too many for the budget."""
    charge(size)
    charge(-size)


def charge_array(shape: Sequence[int], dtype: Any) -> None:
    """Charge an array before it is made; each of its texts becomes an object of Python on the way."""
    entry = TEXT_SIZE + 2 * dtype.itemsize if dtype.kind in "SUTOV" else dtype.itemsize
    charge(math.prod(shape) * entry)


def charge_variables(dataset: Any) -> None:
    """Charge the variables of an `xarray.Dataset` before they are read; a chunk is unpacked as a whole."""
    for variable in dataset.variables.values():
        encoding = variable.encoding
        chunk = encoding.get("chunks") or encoding.get("chunksizes") or ()
        stored = np.dtype(encoding.get("dtype") or variable.dtype).itemsize
        charge(max(variable.nbytes, math.prod(chunk) * stored))


def text_array(values: Sequence[str]) -> NDArray[np.str_]:
    """Texts as an array, in which each takes as much memory as the longest."""
    charge(4 * max(map(len, values), default=0) * len(values))
    return np.array(values, dtype=np.str_)


def charge_arguments(arguments: Mapping[str, Any]) -> None:
    """Charge what `Predictions` makes of arguments: whole numbers and bits become numbers of eight bytes."""
    for name in ("probs", "logits", "labels", "weights"):
        given = arguments.get(name)
        dtype, size = getattr(given, "dtype", None), getattr(given, "size", 0)
        if dtype is not None and dtype.kind in "biu":
            charge(8 * size)
    labels = arguments["labels"]
    charge(ROW_SIZE * (len(labels) if isinstance(labels, list) else math.prod(np.shape(labels)[:1])))


def refuse_much(path: Path, size: float) -> None:
    """Refuse a file of which each part would fit, but that unpacks to far more than files of its size do."""
    if size > SMALL_SIZE and size > usual_most(path):
        raise BudgetError(
            f"the content takes {in_bytes(size)} once unpacked, which is much for {in_bytes(size_of(path))} on disk; "
            "where nothing is wrong with it, and no part of it takes more memory than 1 GB, ",
            gigabytes=1,
        )


def usual_most(path: Path) -> int:
    """Return how much memory a file takes at most, unless it is made to overwhelm a reader."""
    return max(SMALL_SIZE, LARGEST_RATIO * size_of(path))


def size_of(path: Path) -> int:
    """The bytes of a file, or of all files in a folder."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


@contextmanager
def reading(what: str, *errors: type[Exception]) -> Iterator[None]:
    """A context in which the errors that a library raises for damaged bytes become a `ValueError` of one sentence."""
    try:
        yield
    except (BudgetError, MemoryError):
        raise
    except errors as error:
        [reason, *_] = (getattr(error, "strerror", None) or str(error).strip() or type(error).__name__).splitlines()
        short = reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]} ..."
        raise ValueError(f"{what} cannot be read and may be damaged: {short}") from error


def refuse_many(count: int, what: str) -> None:
    """Raise where a file holds implausibly many columns or arrays."""
    if count > MOST_NAMES:
        raise ValueError(f"there are {count:,} {what}, more than the {MOST_NAMES:,} that are read")


def refuse_repeated(names: Iterable[str], what: str) -> None:
    """Raise where two columns or arrays have one name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"two {what} are named {name!r}: rename one of them")
        seen.add(name)


def json_value(text: str | bytes) -> Any:
    """Return the value of a text of JSON; an object with a key twice, of which Python takes the last, is refused."""
    return _DECODER.decode(text if isinstance(text, str) else text.decode())


def _without_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    held = dict(pairs)
    if len(held) < len(pairs):
        refuse_repeated((name for name, _ in pairs), "keys")
    return held


_DECODER = json.JSONDecoder(object_pairs_hook=_without_repeated)


def in_bytes(size: float) -> str:
    """A number of bytes for a message."""
    for least, unit in ((1e9, "GB"), (1e6, "MB")):
        if size >= least:
            return f"{size / least:.3g} {unit}"
    return f"{size} bytes"
