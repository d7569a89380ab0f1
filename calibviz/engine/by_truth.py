"""The mark of problems whose samples were selected by what is true of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class ByTruth:
    """How the samples of a problem were selected, where that depends on what is true of them."""

    chances: Any  # the `Chances` of all rows; raises ValueError with the reason where labels cannot be drawn


@dataclass(frozen=True, eq=False)
class KnownChances(ByTruth):
    """A selection by truth of which the chances are known."""

    chances: Any


@dataclass(frozen=True, eq=False)
class Undrawn(ByTruth):
    """A selection by truth after which no label can be drawn."""

    why: str  # the reason, a clause

    @property
    def chances(self) -> Any:
        raise ValueError(f"{LOOKS_AT_TRUTH}, and {self.why}")


LOOKS_AT_TRUTH = "the selection looks at what is true"
SOME_OF_THEM = Undrawn("samples, labels or scores have changed since: pass the predictions, and all of the selection")
