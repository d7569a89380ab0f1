"""The first rows of a file that is read in parts, by which its reading is judged as that of a whole file is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..data.columns.choices import Account, Arguments, ReadingOptions, Unclear
from ..data.columns.line import what_was_taken
from ..data.columns.recognition.doubts import arrays_of, refuse_doubts
from ..data.predictions import Predictions
from ..data.safeguards import BudgetError

FIRST_ROWS = 10_080  # whole samples of up to 10 classes, where each class of a sample has a row
ENTRIES = 2**22  # of probabilities in a part, unless a stored chunk has more
OTHERWISE = "; cv.read_predictions has options that settle it: write the rows that it reads to a file of its own"


@dataclass(frozen=True)
class OpeningOptions:
    """The options of `open_predictions` by which rows are read; `cluster` names the field of the clusters."""

    fields: list[str] | None
    cluster: str | None
    rows: int | None
    normalize: bool
    limit: str | int | None

    def rows_of_part(self, classes: int) -> int:
        """How many rows a part has."""
        return max(1, ENTRIES // classes) if self.rows is None else self.rows


def judged(read: Callable[[], Arguments], normalize: bool, account: Account) -> Arguments | None:
    """Return what the first rows hold, None where they cannot be read, which shows when their part is looked at.

    Where content speaks against the reading, or another one is as consistent, they are refused.
    """
    arguments = None
    try:
        arguments = read()
        arguments.pop("notes", None)
        predictions = Predictions(**arguments, normalize=normalize and "probs" in arguments)
        refuse_doubts(predictions, arrays_of(arguments), ReadingOptions(), account)
        first, *others = what_was_taken(predictions, account)
        of_first = f" in the first {FIRST_ROWS:,} rows" if len(predictions) == FIRST_ROWS else ""
        account.taken = [f"{first}{of_first}", *others]
    except Unclear as unclear:
        raise ValueError(f"{unclear}{unclear.otherwise}{OTHERWISE}") from unclear
    except BudgetError:
        raise
    except (TypeError, ValueError):  # of a row, which says so when its part is looked at
        pass
    return arguments
