"""Kinds of answers: how one is given on a page, how one is read, and when it is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..foundation import validation
from ..foundation.validation import shown
from ..foundation.written import chosen_percent, number, percent


class Kind(Protocol):
    """How an answer is given, read, compared and written."""

    @property
    def control(self) -> dict[str, Any]:
        """Describe to the script of a page by what a guess is made."""

    @property
    def wanted(self) -> str:
        """Say in words what an answer is."""

    def read(self, name: str, answer: Any) -> Any:
        """An answer that can be compared; an error names the question."""

    def agrees(self, answer: Any, truth: Any) -> bool:
        """Whether an answer is right."""

    def written(self, truth: Any) -> str:
        """The right answer in a sentence."""


def _plain_number(answer: Any) -> Any:
    """A number of Python from one of NumPy, xarray or pandas, also where it stands alone in an array."""
    return answer.item() if getattr(answer, "size", None) == 1 else answer


@dataclass(frozen=True)
class Share:
    """A share from 0 to 1, right if it is no further than `within` from the answer."""

    within: float = 0.02
    most: float = 1.0  # of the slider

    @property
    def control(self) -> dict[str, Any]:
        return {"kind": "slider", "low": 0, "high": round(100 * self.most), "step": 1, "unit": " %"}

    @property
    def wanted(self) -> str:
        return f"a share from 0 to 1, right to within {chosen_percent(self.within)}"

    def read(self, name: str, answer: Any) -> float:
        try:
            return validation.real_number(_plain_number(answer), f"the answer to {name}", 0.0, 1.0)
        except ValueError as error:
            raise ValueError(f"{error}; as a share, 12 % is 0.12") from None

    def agrees(self, answer: float, truth: float) -> bool:
        return abs(answer - truth) <= self.within

    def written(self, truth: float) -> str:
        return percent(round(truth, 9))  # what is left of a sum that should be 0 is no share


@dataclass(frozen=True)
class Number:
    """A number on a slider from `low` to `high`, right if it is no further than `within` from the answer."""

    low: float
    high: float
    within: float = 0.0
    step: float = 1
    unit: str = ""

    @property
    def control(self) -> dict[str, Any]:
        return {"kind": "slider", "low": self.low, "high": self.high, "step": self.step, "unit": self.unit}

    @property
    def wanted(self) -> str:
        return f"a number, right to within {self.within:g}{self.unit}" if self.within else "a whole number"

    def read(self, name: str, answer: Any) -> float:
        return validation.real_number(_plain_number(answer), f"the answer to {name}", -np.inf)

    def agrees(self, answer: float, truth: float) -> bool:
        return abs(answer - truth) <= self.within

    def written(self, truth: float) -> str:
        return f"{number(int(truth) if float(truth).is_integer() else truth)}{self.unit}"


@dataclass(frozen=True)
class AmongTexts:
    """One of a few texts, in capitals or not."""

    options: tuple[str, ...]

    @property
    def control(self) -> dict[str, Any]:
        return {"kind": "choice", "options": list(self.options)}

    @property
    def wanted(self) -> str:
        return f"one of {validation.listed(self.options)}"

    def read(self, name: str, answer: Any) -> str:
        if not isinstance(answer, str):
            text = str(_plain_number(answer))
            way = f": write it as {text!r}" if text in self.options else ""
            raise TypeError(f"the answer to {name} must be {self.wanted}, not {shown(answer)}{way}")
        for option in self.options:
            if option.casefold() == answer.strip().casefold():
                return option
        raise ValueError(f"the answer to {name} must be {self.wanted}, not {shown(answer)}")

    def agrees(self, answer: str, truth: str) -> bool:
        return answer == truth

    def written(self, truth: str) -> str:
        return truth
