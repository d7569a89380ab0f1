"""What guards the reading of files: limits of size, names that repeat, and the errors of damaged bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

LARGEST_SIZE = 4 * 2**30  # bytes once unpacked: 50,000 samples of 10,000 classes in float64 are just below

LONGEST_REASON = 200  # characters of a library's message about damaged bytes

MOST_NAMES = 2**18  # columns or arrays: as many classes as the largest vocabularies of language models have


@contextmanager
def reading(what: str, *errors: type[Exception]) -> Iterator[None]:
    """A context in which the errors that a library raises for damaged bytes become a `ValueError` of one sentence."""
    try:
        yield
    except MemoryError:
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


class TooLargeError(ValueError):
    """The content of a file takes more memory than a reader asks for at once."""


def refuse_size(size: int) -> None:
    """Raise where a file unpacks to more than `LARGEST_SIZE`."""
    if size > LARGEST_SIZE:
        raise TooLargeError(
            f"the content takes {in_bytes(size)} of memory; at most {in_bytes(LARGEST_SIZE)} are read at once, and "
            "cv.open_predictions reads .zarr and .parquet in parts"
        )


def in_bytes(size: int) -> str:
    """A number of bytes for a message."""
    return f"{size / 1e9:.3g} GB" if size >= 1e9 else f"{size} bytes"
