"""What the readers share: the names they look for, the size they accept, and sentences for damaged files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

Arguments = dict[str, Any]
"""Arguments of `Predictions` by name."""

LARGEST = 4 * 2**30  # bytes once unpacked: 50,000 samples of 10,000 classes in float64 are just below

LONGEST_REASON = 200  # characters of what a library says of damaged bytes

NAMES = {
    "probs": ("probs", "prob"),
    "logits": ("logits",),
    "labels": ("labels", "label", "outcome"),
    "weights": ("weights", "weight"),
}

MOST_NAMES = 2**18  # columns or arrays: as many classes as the largest vocabularies of language models have


@contextmanager
def reading(what: str, *errors: type[Exception]) -> Iterator[None]:
    """Turn what a library raises for damaged bytes into one sentence."""
    try:
        yield
    except MemoryError:
        raise
    except errors as error:
        [reason, *_] = (getattr(error, "strerror", None) or str(error).strip() or type(error).__name__).splitlines()
        short = reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]} ..."
        raise ValueError(f"{what} cannot be read and may be damaged: {short}") from error


def refuse_many(count: int, what: str) -> None:
    """Raise where a file holds more columns or arrays than anyone can mean."""
    if count > MOST_NAMES:
        raise ValueError(f"there are {count:,} {what}, more than the {MOST_NAMES:,} that are read")


def refuse_repeated(names: Iterable[str], what: str) -> None:
    """Raise where two columns or arrays have one name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"two {what} are named {name!r}")
        seen.add(name)


def one_of(found: Collection[str], allowed: Iterable[str]) -> str | None:
    """The one allowed name that was found, or None."""
    present = [name for name in allowed if name in found]
    if len(present) > 1:
        raise ValueError(f"found both {present[0]!r} and {present[1]!r}: keep one of them")
    return present[0] if present else None


def roles(found: Collection[str]) -> dict[str, str]:
    """Which of the arrays found is `probs`, `labels` and so on, by argument of `Predictions`."""
    out = {role: name for role, allowed in NAMES.items() if (name := one_of(found, allowed)) is not None}
    if "labels" not in out or not out.keys() & {"probs", "logits"}:
        lacking = "labels" if "labels" not in out else "probabilities"
        raise ValueError(
            f"found no {lacking} among the arrays {listed(found)}: expected `probs`, `prob` or `logits`, "
            "and `labels`, `label` or `outcome`"
        )
    return out


class TooLargeError(ValueError):
    """What a file holds takes more memory than is read at once."""


def refuse_size(size: int) -> None:
    """Raise where a file unpacks to more than `LARGEST`."""
    if size > LARGEST:
        raise TooLargeError(
            f"the content takes {in_bytes(size)} of memory; at most {in_bytes(LARGEST)} are read at once, and "
            "cv.open_predictions reads .zarr and .parquet in parts"
        )


def in_bytes(size: int) -> str:
    """A number of bytes for a message."""
    return f"{size / 1e9:.3g} GB" if size >= 1e9 else f"{size} bytes"


def listed(names: Collection[str], most: int = 12) -> str:
    """Names for a message."""
    quoted = [repr(name) for name in names]
    return (", ".join(quoted[:most]) or "(none)") + (f", ... ({len(quoted)} in all)" if len(quoted) > most else "")
