"""Whether acting at the threshold is worth more than a simple rule, as a word and as sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import ndtri

from ...data.nouns import Nouns
from ...decisions.acting_draws import LEVEL, BenefitDifference, DecisionDraws
from ...decisions.thresholds import ALL, MODEL, NONE
from ...figures.shapes import signed
from ...foundation.marked import strong
from ...foundation.written import chosen_percent
from ..situation.situation import Situation

SHOWN_MORE = float((1 + ndtri(0.8) / ndtri((1 + LEVEL) / 2)) ** 2)  # samples to show a difference at 95 %, 80 % power


@dataclass(frozen=True)
class Decided:
    """Whether acting from the threshold on is worth more than the better of acting on all and on nobody.

    `word` is "yes" or "no", or empty where neither is shown; `rule` is the simple rule, and `difference` that to it.
    """

    word: str
    rule: str
    difference: BenefitDifference

    @property
    def others(self) -> str:
        """Whom the simple rule acts on."""
        return "all" if self.rule == ALL else "nobody"

    def in_short(self, threshold: float) -> str:
        """The answer in a few words, without a full stop."""
        at, rule = f"acting from {chosen_percent(threshold)}", f"acting on {self.others}"
        if self.word == "no":
            return f"{rule} is better than {at}".capitalize()
        return f"{at} {'is' if self.word else 'is not shown to be'} better than {rule}".capitalize()

    def sentence(self, threshold: float, nouns: Nouns) -> str:
        """The answer as a marked sentence."""
        at, rule = chosen_percent(threshold), self.others
        if not self.word:
            few = f": {self.difference.counted(nouns)} acted on otherwise, too few to say" * self.difference.is_of_few
            ends = few or f" ({_gain(self.difference, self.rule, threshold, nouns)[1]})"
            return f"Not shown {strong(f'from {at}')}: the gain over acting on {rule} is within noise{ends}."
        worth, ends = _gain(self.difference, self.rule, threshold, nouns, -1 if self.word == "no" else 1)
        if self.word == "no":
            return f"No, {strong(f'not from {at}')}: acting on {rule} is worth {worth} ({ends})."
        return f"Yes, {strong(f'from {at}')}: worth {worth} than acting on {rule} ({ends})."


def _gain(difference: BenefitDifference, rule: str, threshold: float, nouns: Nouns, sign: int = 1) -> tuple[str, str]:
    """How much acting is worth per 100 samples, in words, and the ends of its interval.

    To acting on all it is in needless acts, to nobody in rightful ones. With a `sign` of -1 the simple rule gains it.
    """
    price = threshold / (1 - threshold)
    times, what = (1 / price, "fewer acted on needlessly") if rule == ALL else (1.0, "more acted on rightly")
    ends = sorted(sign * times * end for end in (difference.lower, difference.upper))
    low, high = map(unsigned_benefit, ends)
    return f"{unsigned_benefit(sign * times * difference.value)} {what} per 100 {nouns.many}", f"{low} to {high}"


def decided(situation: Situation, draws: DecisionDraws) -> Decided | None:
    """Whether acting at the threshold is worth while; None where that is not known."""
    at, prevalence = situation.spec.threshold, situation.spec.prevalence
    known = {
        rule: found for rule in (ALL, NONE) if (found := draws.difference(MODEL, rule, at, prevalence)) is not None
    }
    if len(known) < 2:
        return None
    less = [rule for rule, difference in known.items() if difference.is_less]
    unsure = [rule for rule, difference in known.items() if not difference.is_more]
    rule = min(less or unsure or known, key=lambda each: known[each].value)
    return Decided("no" if less else "" if unsure else "yes", rule, known[rule])


def needed(difference: BenefitDifference, situation: Situation) -> str:
    """A sentence that says about how many samples would show a difference of this size; empty if that is not known.

    The half width h of the 95 % interval narrows with the square root of the number n of samples. With n (h / d)^2
    samples it would show a difference d only every second time: with `SHOWN_MORE` times as many, 4 times out of 5.
    """
    half, size = (difference.upper - difference.lower) / 2, abs(difference.value)
    if size < 1e-9 or not half > 0 or difference.is_of_few or situation.of_summary:
        return ""
    n = situation.before.problems[0].samples
    needed = SHOWN_MORE * n * (half / size) ** 2
    if needed <= n or needed > 1e7:
        return ""
    rounded = round(needed, -int(math.log10(needed)) + 1)
    return (
        f"If it is as large as it looks here, some {rounded:,.0f} {situation.nouns.many} would show it with 80 % "
        f"probability; here are {n:,}."
    )


def span(difference: BenefitDifference, nouns: Nouns) -> str:
    """A difference of net benefits with its interval, in words."""
    value, ends = value_and_ends(difference)
    if difference.is_of_none:
        return f"the same {nouns.many} are acted on"
    if difference.is_of_few:
        return f"{value} per 100; {difference.counted(nouns)} acted on otherwise, too few to say"
    return f"{value} per 100, 95 % interval {ends}"


def value_and_ends(difference: BenefitDifference) -> tuple[str, str]:
    """A difference of net benefits per 100 samples, and its ends, such as "+1.8 to +4.3"."""
    value, low, high = map(signed_benefit, (difference.value, difference.lower, difference.upper))
    return value, f"{low} to {high}"


def signed_benefit(benefit: float) -> str:
    """A difference of net benefits per 100 samples."""
    return signed(100 * benefit, 1)


def unsigned_benefit(benefit: float) -> str:
    """A net benefit per 100 samples, with a sign only if it is negative."""
    return signed_benefit(benefit).removeprefix("+")
