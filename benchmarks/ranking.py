"""How often equal models are called different, and how often worse ones are found.

    python benchmarks/ranking.py --size 1000 --data-sets 300

Draws data sets on which several models are judged, of which is known how good they are, lets `cv.within_noise` test
them, and prints as a Markdown table how often it calls some other one worse than one of the best, and how often each
worse one. Pairs of calibrated models are tested by what `cv.compare` goes by as well. 300 data sets of 1,000 samples
take about four minutes.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

import calibviz as cv
from calibviz.answers.models import changes_of_models
from calibviz.answers.report_situations import opened
from calibviz.answers.situation.content import completed
from calibviz.answers.views.numbers import ERRORS as OF_ERRORS, MEANS as OF_MEANS

Array = NDArray[np.float64]
ERRORS: dict[str, Callable[..., float]] = {"Brier": cv.brier_score, "debiased": cv.debiased_error}
FIVE = np.linspace(0, 1, 6)


@dataclass(frozen=True)
class Case:
    """Models whose scores and labels are drawn, and which of them are the best by each error."""

    draw: Callable[[np.random.Generator, int], tuple[Array, Array]]
    best: dict[str, tuple[int, ...]]

    def problems(self, n: int, seed: tuple[int, ...]) -> dict[str, Any]:
        """Return a problem of each model, on the same samples."""
        scores, target = self.draw(np.random.default_rng(seed), n)
        return {str(i): cv.ScalarProblem(score, target) for i, score in enumerate(scores)}


def views(rng: np.random.Generator, n: int, number: int = 4) -> tuple[Array, Array]:
    """Calibrated models, each of which sees another part of what there is to see."""
    parts = rng.normal(size=(number, n))
    target = 0.6 * parts.sum(axis=0) + rng.normal(size=n) > 0
    return ndtr(0.6 * parts / np.sqrt(1 + 0.36 * (number - 1))), target


def one_of_five_scores(rng: np.random.Generator, n: int, number: int = 4) -> tuple[Array, Array]:
    """The same, of which the last says one of five scores, each as it comes true."""
    scores, target = views(rng, n, number)
    place = np.clip(np.digitize(scores[-1], FIVE) - 1, 0, 4)
    scores[-1] = MEANS[number][place]
    return scores, target


def _means(number: int) -> Array:
    score = views(np.random.default_rng(1), 1_000_000, number)[0][-1]  # which is calibrated
    place = np.clip(np.digitize(score, FIVE) - 1, 0, 4)
    return np.bincount(place, score, 5) / np.bincount(place, minlength=5)


MEANS = {number: _means(number) for number in (2, 4)}


def apart(*gaps: float) -> Callable[[np.random.Generator, int], tuple[Array, Array]]:
    """Models that miss the truth by so much, up or down, each in its own way."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
        truth = 0.05 + 0.9 * rng.beta(4, 0.4, n)
        signs = np.array([np.ones(n), -np.ones(n), np.sign(truth - 0.85), np.sign(0.85 - truth)])
        return np.clip(truth + np.array(gaps)[:, None] * signs[: len(gaps)], 0, 1), rng.random(n) < truth

    return draw


ALL, FIRST = {"Brier": (0, 1, 2, 3), "debiased": (0, 1, 2, 3)}, {"Brier": (0,), "debiased": (0,)}
CASES = {
    "four calibrated": Case(views, ALL),
    "four calibrated, one of five scores": Case(one_of_five_scores, {"debiased": (0, 1, 2, 3)}),
    "four errors of .04": Case(apart(0.04, 0.04, 0.04, 0.04), ALL),
    ".02 beside three of .04": Case(apart(0.02, 0.04, 0.04, 0.04), FIRST),
    ".02 beside three of .08": Case(apart(0.02, 0.08, 0.08, 0.08), FIRST),
}
PAIRS = {
    "two calibrated": Case(lambda rng, n: views(rng, n, 2), {"Brier": (0, 1), "debiased": (0, 1)}),
    "two calibrated, one of five scores": Case(lambda rng, n: one_of_five_scores(rng, n, 2), {"debiased": (0, 1)}),
}


def worse(case: Case, name: str, n: int, data_sets: int, seed: int, replicates: int) -> Iterator[set[int]]:
    """Yield which models are called worse on each data set."""
    for i in range(data_sets):
        models = case.problems(n, (seed, n, i))
        found = cv.within_noise(models, error=ERRORS[name], replicates=replicates, rng=i, progress=False)
        yield {int(one) for one in models if one not in found.within}


NUMBERS = (*OF_MEANS, *OF_ERRORS)


def called_different(said: str, n: int, data_sets: int, seed: int) -> dict[str, int]:
    """Count how often `cv.compare` would say that two models differ, by each of its numbers."""
    called = Counter(dict.fromkeys(NUMBERS, 0))
    for i in range(data_sets):
        scores, target = PAIRS[said].draw(np.random.default_rng((seed, n, i)), n)
        models = {str(m): cv.Predictions(score, target.astype(int)) for m, score in enumerate(scores)}
        (found,) = completed(opened(models, models, cv.lens("class 1")), changes_of_models).values()
        called.update(name for name, one in found.items() if one.is_shown)
    return dict(called)


def main() -> None:
    """Read the command line, simulate, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=1000, help="samples in a data set")
    parser.add_argument("--data-sets", type=int, default=300)
    parser.add_argument("--replicates", type=int, default=200)
    args = parser.parse_args()
    print(f"{args.size:,} samples, {args.data_sets} data sets a line: in how many percent of them some of the best is")
    print("called worse, and in how many a worse one is, on average and all of them.\n")
    print("| models | error | best called worse | worse found | all worse found |\n|---|---|---:|---:|---:|")
    start = time.perf_counter()
    for seed, (said, case) in enumerate((CASES | PAIRS).items()):
        for name, best in case.best.items():
            rejected = list(worse(case, name, args.size, args.data_sets, seed, args.replicates))
            wrong = np.mean([bool(one & set(best)) for one in rejected])
            others = set(range(len(case.problems(2, (0,))))) - set(best)
            right = [len(one & others) / max(1, len(others)) for one in rejected]
            power = f"{100 * np.mean(right):.0f} | {100 * np.mean(np.array(right) == 1):.0f}" if others else "– | –"
            print(f"| {said} | {name} | {100 * wrong:.1f} | {power} |", flush=True)
        print(f"{said}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    print("\nPairs: how often, in percent, `cv.compare` says that the two differ, by each of its numbers.\n")
    print(f"| models | {' | '.join(NUMBERS)} |\n|---|{'---:|' * len(NUMBERS)}")
    for seed, said in enumerate(PAIRS):
        called = called_different(said, args.size, args.data_sets, 100 + seed)
        shares = [f"{100 * called[name] / args.data_sets:.1f}" for name in NUMBERS]
        print(f"| {said} | {' | '.join(shares)} |", flush=True)
    print()


if __name__ == "__main__":
    main()
