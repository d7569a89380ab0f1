"""Common parts of the readers: the names of the arguments, the limits of size, and the errors of damaged files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ...foundation.validation import listed
from .choices import NO_WEIGHT, Account, ReadingOptions, chosen_column
from .column_names import LABELS, LOGIT, NAMES, SCORES, WEIGHTS

Arguments = dict[str, Any]
"""Arguments of `Predictions` by name."""

LARGEST_SIZE = 4 * 2**30  # bytes once unpacked: 50,000 samples of 10,000 classes in float64 are just below

ARGUMENTS = {"probs": "prob", "logits": "logits", "labels": "label", "weights": "weight"}
"""The option of `read_predictions` that names the array of each argument of `Predictions`."""

WORDS = {"probs": "probability", "logits": "logit", "labels": "label", "weights": "weight"}
"""What the array of each argument of `Predictions` holds."""

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


def one_of(names: Collection[str], allowed: Iterable[str], argument: str | None = None) -> str | None:
    """The single allowed name among some names, or None; two of them are refused."""
    present = [name for name in allowed if name in names]
    if len(present) > 1:
        choose = "" if argument is None else f", or choose by {argument}={present[0]!r}"
        raise ValueError(f"found both {present[0]!r} and {present[1]!r}: keep one of them{choose}")
    return present[0] if present else None


def roles(
    names: Collection[str], choices: ReadingOptions | None = None, account: Account | None = None
) -> dict[str, str]:
    """The name of the array for each argument of `Predictions`, such as `probs` and `labels`."""
    choices, account = choices or ReadingOptions(), account or Account()
    chosen = {"probs": choices.prob, "logits": choices.logits, "labels": choices.label, "weights": choices.weight}
    others = {"probs": (*SCORES[0], *SCORES[1]), "logits": LOGIT, "labels": LABELS[1], "weights": WEIGHTS[1]}
    out = {}
    for role, allowed in NAMES.items():
        name, argument = chosen[role], ARGUMENTS[role]
        if role == "weights" and name == NO_WEIGHT:
            continue
        if isinstance(name, tuple):
            raise ValueError(f"{argument}={list(name)!r}: name the one array that holds all classes")
        if name is not None:
            out[role] = chosen_column(name, names, argument)
        elif role in ("probs", "logits") and (choices.prob or choices.logits):
            continue
        elif (known := one_of(names, allowed, argument)) is not None:
            out[role] = known
        elif (known := one_of(names, others[role], argument)) is not None:
            out[role] = known
            if role != "weights":
                account.say(f"{role} from {known!r}")
    if choices.weight is None and "weights" in out:
        account.say(f"weights of samples from {out['weights']!r}, {choices.as_field}")
    for role, name in out.items():
        account.take(WORDS[role], name)
    if "labels" not in out or not out.keys() & {"probs", "logits"}:
        lacking = "labels" if "labels" not in out else "probabilities"
        option = "label" if lacking == "labels" else "prob"
        raise ValueError(
            f"found no {lacking} among the arrays {listed(names) or '(none)'}: expected `probs`, `prob` or `logits`, "
            f"and `labels`, `label` or `outcome`; {option}='...' names another"
        )
    return out


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
