"""How a number is written for people: one function for each kind, so that no page gives it other digits than another.

==================================  ==========================  =========================
a share that was measured           `percent`                   "4.75 %"
its mean and spread over trials     `spread`                    "4.75 ± 0.20 %"
shares that a sentence compares     `percents`                  "94 %", "89 %"
a share that a person chose         `chosen_percent`            "12.5 %"
a share in words about a file       `whole_percent`             "39 %"
any other number                    `number`, `in_unit`         "0.1234", "1,234"
a difference                        `difference`                "−0.0150", "+1.20"
a distance of shares                `points`                    "1.20 points"
one that a person chose             `whole_points`              "2 points"
a gap of shares of people           `signed_points`             "+23 points"
shares of people                    `of_hundred`                "53", "55", of 100
an interval                         `interval`                  "19 to 81 %"
an estimate with its interval       `estimated`                 "0.7 % (0.0 to 3.1)"
a p-value                           `p_value`                   "p = 0.034", "p < 0.001"
how many                            `counted`                   "1,234 samples"
==================================  ==========================  =========================

A share is written as 0 % or as 100 % only if it is 0 or 1. A minus is no hyphen, and 0 has none.
"""

from __future__ import annotations

import math
import textwrap
from dataclasses import fields
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

UNKNOWN = "–"
SHARE_DIGITS, NUMBER_DIGITS, MOST_DIGITS = 2, 4, 6
FEW_DIGITS = 5e-4  # a share that is nearer to 0 or 1 has one digit or none among the first two of its percentage
LEAST_WHOLE = 0.5  # of 100: what is not above it is not 1 as a whole number
NEAR_END = 3.0  # of 100: shares that are all so near to 0 or to 100 have a decimal
LEAST_P, FINE_P = 0.001, 0.01  # below the first, no digit of a p-value is written; below the second, one
TICK_DIGITS = 6  # of the label of a tick, which is a round number
INFERRED = 0.3  # of the largest share: what the two digits that can be known of it resolve


def percent(share: float) -> str:
    """Return a measured share of 1 as text: two decimals, or two digits of what is left to 0 or 100 %.

    Examples
    --------
    >>> percent(0.0475), percent(0.0000035), percent(0.999996), percent(-0.012), percent(0.0)
    ('4.75 %', '0.00035 %', '99.9996 %', '−1.20 %', '0.00 %')
    >>> percent(1e-12), percent(float("nan"))
    ('under 0.000001 %', '–')
    """
    if math.isnan(share):
        return UNKNOWN
    return f"{_near_an_end(100 * share) if 0 < _room(100 * share) < 100 * FEW_DIGITS else _fixed(100 * share, 2)} %"


def whole_percent(share: float) -> str:
    """Return a share as whole per cents where these are 1 % to 99 %, else two digits of what is left to 0 or 100 %.

    >>> whole_percent(0.386), whole_percent(0.00123), whole_percent(0.99876), whole_percent(0.0089)
    ('39 %', '0.12 %', '99.88 %', '1 %')
    """
    value = 100 * share
    if 0 < _room(value) <= LEAST_WHOLE:
        return f"{_near_an_end(value)} %"
    return f"{value:.0f} %"  # halves to the even number: the line of a file is compared with what scripts print


def chosen_percent(share: float, digits: int = 4) -> str:
    """Return a share that a person chose, such as a threshold or an edge, with no more digits than it has.

    >>> chosen_percent(0.1), chosen_percent(0.125), chosen_percent(1 / 3), chosen_percent(0.99999999)
    ('10 %', '12.5 %', '33.33 %', '99.999999 %')
    """
    value = 100 * share
    text = f"{value:.{digits}g}" if abs(value) < 10**digits else _fixed(value, 0)
    return f"{_near_an_end(value) if 'e-' in text or _misleads(text, value) else with_minus(text)} %"


def percents(*shares: float, resolution: float | None = None) -> tuple[str, ...]:
    """Return shares that a sentence compares, with digits that suit the `resolution`: by default their distance.

    >>> percents(0.9412, 0.8934), percents(0.5012, 0.5007), percents(0.9999, 0.5)
    (('94 %', '89 %'), ('50.12 %', '50.07 %'), ('99.99 %', '50.00 %'))
    """
    fewest = _digits_for(max(shares) - min(shares) if resolution is None else resolution)
    digits = max(_digits_of_an_end(100 * share, fewest) for share in shares)
    return tuple(f"{_honest(100 * share, digits)} %" for share in shares)


def interval(lower: float, upper: float, unit: str = "%", *, signed: bool = False) -> str:
    """Return an interval of a share, with digits that suit its width, or of another number or a difference.

    >>> interval(0.19, 0.81), interval(0.4731, 0.4748), interval(0.00032, 0.12), interval(-0.021, 0.207, signed=True)
    ('19 to 81 %', '47.31 to 47.48 %', '0.03 to 12 %', '−2 to +21')
    >>> interval(-0.0031, 0.00184, "", signed=True), interval(0.25, 0.5, "")
    ('−0.0031 to +0.0018', '0.2500 to 0.5000')
    """
    if math.isnan(lower) or math.isnan(upper):
        return UNKNOWN
    if unit != "%":
        write = difference if signed else number
        return f"{write(lower)} to {write(upper)}"
    digits = _digits_for(upper - lower)
    if signed:
        return f"{_signed(100 * lower, digits)} to {_signed(100 * upper, digits)}"
    low, high = (_honest(100 * end, _digits_of_an_end(100 * end, digits)) for end in (lower, upper))
    return f"{low} to {high} %"


def estimated(estimate: float, lower: float, upper: float) -> str:
    """Return a share that is inferred from samples, with its interval: two digits of the upper end can be known.

    >>> estimated(0.0071, 0.0, 0.0313)
    '0.7 % (0.0 to 3.1)'
    """
    middle, ends = inferred(estimate, lower, upper)
    return f"{middle} ({ends.removesuffix(' %')})"


def inferred(estimate: float, lower: float, upper: float) -> tuple[str, str]:
    """Return a share that is inferred from samples and its interval, with the same digits as in one text.

    >>> inferred(0.0071, 0.0, 0.0313)
    ('0.7 %', '0.0 to 3.1 %')
    """
    middle, low, high = percents(estimate, lower, upper, resolution=INFERRED * upper)
    return middle, f"{low.removesuffix(' %')} to {high}"


def spread(values: ArrayLike) -> str:
    """Return the mean of shares over trials, with their standard deviation where there are several.

    Examples
    --------
    >>> spread([0.0475]), spread([0.0455, 0.0495])
    ('4.75 %', '4.75 ± 0.20 %')
    """
    known = np.asarray(values, dtype=np.float64)
    mean = percent(float(known.mean()))
    return mean if len(known) == 1 else f"{mean.removesuffix(' %')} ± {_fixed(100 * float(known.std()), 2)} %"


def number(value: float) -> str:
    """Return a number that is no share, such as a Brier score: a whole one as it is, any other with four decimals.

    >>> number(0.12345), number(1234), number(-0.0), number(0.0000123)
    ('0.1235', '1,234', '0.0000', '0.000012')
    """
    if isinstance(value, int | np.integer):
        return with_minus(f"{value:,}")
    if math.isnan(value):
        return UNKNOWN
    text = _fixed(value, NUMBER_DIGITS)
    return text if value == 0 or not _is_nothing(text) else _near_an_end(value)


def in_unit(value: float, unit: str) -> str:
    """Return a value of a metric as text: errors as a share, scores such as the Brier score as a number.

    >>> in_unit(0.0475, "%"), in_unit(0.0475, "")
    ('4.75 %', '0.0475')
    """
    return percent(value) if unit == "%" else number(value)


def difference(value: float, unit: str = "") -> str:
    """Return a difference with its sign, of shares ("%") in percentage points; no difference has no sign.

    >>> difference(-0.015), difference(0.0123, "%"), difference(0.0), difference(1200)
    ('−0.0150', '+1.23', '0.0000', '+1,200')
    """
    if math.isnan(value):
        return UNKNOWN
    if isinstance(value, int | np.integer):
        return _signed(value, 0)
    return _signed(100 * value, SHARE_DIGITS) if unit == "%" else _signed(value, NUMBER_DIGITS)


def points(distance: float) -> str:
    """Return a distance of two shares, or a standard deviation of one, in percentage points.

    >>> points(0.0123)
    '1.23 points'
    """
    return f"{percent(distance).removesuffix(' %')} points"


def whole_points(distance: float, digits: int = 2) -> str:
    """Return a distance of two shares in percentage points, with two digits at most; one that was chosen has more.

    >>> whole_points(0.02), whole_points(0.01), whole_points(0.005), whole_points(0.0517), whole_points(0.126)
    ('2 points', '1 point', '0.5 points', '5.2 points', '13 points')
    >>> whole_points(1.0), whole_points(0.0164, digits=4)
    ('100 points', '1.64 points')
    """
    text = f"{float(f'{100 * distance:.{digits}g}'):g}"
    return f"{text} point{'s' * (text != '1')}"


def signed_points(difference: float) -> str:
    """Return a difference of two shares with its sign in whole percentage points; one of less than a point has a tenth.

    >>> signed_points(0.2313), signed_points(-0.0123), signed_points(-0.004), signed_points(0.0)
    ('+23 points', '−1 point', '−0.4 points', '0 points')
    """
    if math.isnan(difference):
        return UNKNOWN
    value = 100 * difference
    text = _signed(value, int(0 < abs(value) < 1))
    return f"{text} point{'s' * (text.lstrip('+−') != '1')}"


def spaced(name: str) -> str:
    """Return the name of a field as a person writes it, with blanks.

    >>> spaced("chest_pain")
    'chest pain'
    """
    return name.replace("_", " ")


def of_hundred(*shares: float, are_apart: bool = False) -> tuple[str, ...]:
    """Return shares as numbers of 100, for readers who count people: whole ones, half up, where these tell enough.

    There is a decimal where all are near one end, where a whole number would read as none or all, or where the distance
    of shares that `are_apart` would look like another one, by more than a third.

    >>> of_hundred(0.534, 0.5535), of_hundred(0.98, 0.87), of_hundred(0.021, 0.014), of_hundred(0.004, 0.15)
    (('53', '55'), ('98', '87'), ('2.1', '1.4'), ('0.4', '15'))
    >>> of_hundred(0.532, 0.534), of_hundred(0.532, 0.534, are_apart=True), of_hundred(1.0, 0.0)
    (('53', '53'), ('53.2', '53.4'), ('100', '0'))
    >>> of_hundred(0.0538, 0.0352), of_hundred(0.0538, 0.0352, are_apart=True)
    (('5', '4'), ('5.4', '3.5'))
    """
    values = [100 * min(1.0, max(0.0, share)) for share in shares]
    whole = [_fixed(value, 0) for value in values]
    near_an_end = max(values) < NEAR_END or min(values) > 100 - NEAR_END
    distance, shown = max(values) - min(values), float(max(whole, key=float)) - float(min(whole, key=float))
    fewest = int(near_an_end or (are_apart and abs(shown - distance) >= distance / 3))

    def written(value: float, rounded: str) -> str:
        digits = 0 if value in (0, 100) else _digits_of_an_end(value, fewest)
        return _honest(value, digits) if digits else rounded

    return tuple(map(written, values, whole))


def p_value(p: float, name: str = "", draws: int = 0) -> str:
    """Return a p-value as text, after its `name` and the sign between both: two digits, and none below 0.001.

    Of so many `draws` of which none is as extreme, all that is known is that it is smaller than one of them tells.

    >>> p_value(0.0342), p_value(0.00512), p_value(0.0002), p_value(1.0), p_value(0.998)
    ('0.034', '0.005', '< 0.001', '1', '> 0.99')
    >>> p_value(0.0342, "p"), p_value(0.0002, "adjusted p"), p_value(0.002, "p"), p_value(0.002, "p", draws=499)
    ('p = 0.034', 'adjusted p < 0.001', 'p = 0.002', 'p < 0.002')
    """
    if math.isnan(p):
        return f"{name} not known" if name else UNKNOWN
    least = 1 / (1 + draws) if draws else 0.0
    if p < LEAST_P or p <= least * (1 + 1e-9):
        return f"{name} < {max(LEAST_P, float(f'{least:.2g}')):g}".lstrip()
    text = f"{p:.1g}" if p < FINE_P else f"{p:.2g}"
    if text == "1" and p < 1:
        return f"{name} > 0.99".lstrip()
    return f"{name} = {text}" if name else text


def counted(n: float, noun: str = "sample", plural: str = "") -> str:
    """Return how many there are, with the noun in the singular or the plural, by default with an s.

    >>> counted(1234), counted(1), counted(0), counted(0.2), counted(2, "row"), counted(2, "person", "people")
    ('1,234 samples', '1 sample', 'no sample', 'part of a sample', '2 rows', '2 people')
    """
    whole = round(n)
    if not whole:
        return f"part of {an(noun)}" if n else f"no {noun}"
    return f"{whole:,} {noun if whole == 1 else plural or f'{noun}s'}"


ENDS = ("lower", "upper")


class ShownAsPrinted:
    """A dataclass that a notebook shows as it is printed; its repr has all digits."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # IPython asks one class after the other, each for this and for a repr of its own, as dataclasses have it.
        cls._repr_pretty_ = ShownAsPrinted._repr_pretty_  # type: ignore[method-assign]

    def _repr_pretty_(self, page: Any, is_cycle: bool) -> None:
        page.text(str(self))


class Brief(ShownAsPrinted):
    """A dataclass of numbers that is printed as what is known of it.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Found(Brief):
    ...     estimate: float
    ...     lower: float
    ...     upper: float
    ...     gap_p_value: float
    ...     samples: int
    ...     note: str = ""
    >>> print(Found(0.82886, 0.71, 0.9466, 1e-9, 1200))
    estimate 0.8289 (0.7100 to 0.9466), gap p < 0.001, samples 1,200
    """

    def __str__(self) -> str:
        shown = {each.name: each.default for each in fields(cast(Any, self)) if each.repr}
        inside = ENDS if "estimate" in shown else ()
        values = {name: getattr(self, name) for name in shown if name not in inside}
        return ", ".join(self._part(*item) for item in values.items() if repr(item[1]) != repr(shown[item[0]]))

    def _part(self, name: str, value: Any) -> str:
        """A field in words: its name and its value, of an estimate with the interval."""
        words = name.replace("_", " ")
        if words.endswith("p value"):
            return p_value(value, words.removesuffix(" value"))
        if isinstance(value, bool | str):
            return f"{words} {value}"
        low, high = (getattr(self, end, math.nan) for end in ENDS)
        ends = f" ({interval(low, high, '')})" if name == "estimate" else ""
        return f"{words} {number(int(value) if value >= 1 and float(value).is_integer() else value)}{ends}"


def an(noun: str) -> str:
    """Return a noun after its indefinite article, by its first letter.

    >>> an("sample"), an("image")
    ('a sample', 'an image')
    """
    return f"a{'n' * (noun[:1].lower() in 'aeio')} {noun}"


def shortened(name: str, most: int) -> str:
    """A name of at most so many characters, of which the last says that there were more."""
    return name if len(name) <= most else f"{name[: most - 1]}…"


def unbroken(text: str) -> str:
    r"""Return a text for the screen, in which no line ends between a number and its per cent sign.

    For what is read only: what is copied, such as code, keeps its plain spaces.

    >>> unbroken("4.89 %") == "4.89\N{NO-BREAK SPACE}%"
    True
    """
    return text.replace(" %", "\u00a0%")


def wrapped(text: str, characters: int) -> list[str]:
    """Return the lines of a text, none of which ends between a number and its per cent sign.

    >>> wrapped("an error of 4.89 % and more", 15)
    ['an error of', '4.89 % and more']
    """
    return [line.replace("\u00a0%", " %") for line in textwrap.wrap(unbroken(text), characters)]


def with_minus(text: str) -> str:
    """Return the text of a number with the sign of a minus, which is no hyphen."""
    return text.replace("-", "−")


def _fixed(value: float, digits: int) -> str:
    """Write a number with so many decimals, half up, thousands separators, and no minus before nothing."""
    if abs(value) < 1e15:  # 100 times a share misses the half by less than its last digits
        exact = Decimal(f"{value:.15g}").quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
        text = f"{exact:,.{digits}f}"
    else:
        text = f"{value:,.{digits}f}".replace("inf", "∞")  # so large a float is a whole number
    return text.replace("-", "−") if text.strip("-0.,") else text.lstrip("-")


def _signed(value: float, digits: int) -> str:
    text = _fixed(value, digits)
    return text if _is_nothing(text) or value < 0 else f"+{text}"


def _is_nothing(text: str) -> bool:
    return not text.strip("+-−0.,")


def _room(value: float) -> float:
    """Return how far a percentage is from the nearer of 0 and 100; one beyond 100 is near neither."""
    return min(abs(value), 100 - value) if value <= 100 else math.inf


def _near_an_end(value: float) -> str:
    """Write a number near 0, or a percentage near 100, with two digits of what is left."""
    digits = min(MOST_DIGITS, 1 - math.floor(math.log10(_room(value))))
    text = _honest(value, digits)
    return text.rstrip("0").removesuffix(".") if "." in text and " " not in text else text


def _honest(value: float, digits: int) -> str:
    """Write a percentage with so many decimals, or say on which side it is of the nearest that they can show."""
    text, least = _fixed(value, digits), 10.0**-digits
    if not _misleads(text, value):
        return text
    if value > 50:
        return f"over {100 - least:.{digits}f}"
    return f"{'under ' if value > 0 else 'over −'}{least:.{digits}f}"


def _misleads(text: str, value: float) -> bool:
    """Tell whether a percentage that is neither 0 nor 100 reads as if it were."""
    return (_is_nothing(text) and value != 0) or (text.partition(".")[0] == "100" and value < 100)


def _digits_for(resolution: float) -> int:
    """Return with how many decimals percentages show a third of a share of this size."""
    enough = (digits for digits in range(MOST_DIGITS) if resolution <= 0 or 3 * 10.0**-digits <= 100.1 * resolution)
    return next(enough, MOST_DIGITS)


def _digits_of_an_end(value: float, fewest: int) -> int:
    """Return how many decimals, at least the `fewest`, a percentage needs so that it does not read as 0 or 100."""
    return next((n for n in range(fewest, MOST_DIGITS) if not _misleads(_fixed(value, n), value)), MOST_DIGITS)
