"""How often `cv.segments` cries wolf on calibrated scores, how often it finds a planted segment, and how long it takes.

python benchmarks/segments.py             # the rates, as rows of benchmarks/coverage.md
python benchmarks/segments.py --fields    # how often fields are left out, as rows of benchmarks/coverage.md
python benchmarks/segments.py --unlike    # both columns on kinds of data, as rows of benchmarks/coverage.md
python benchmarks/segments.py --drowned   # a segment that is plainly off, beside quiet ones
python benchmarks/segments.py --fitted    # both columns after a calibrator that was fitted to as many other samples
python benchmarks/segments.py --speed     # seconds for 100,000 rows of 20 fields
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import xarray as xr
from scipy.special import expit, logit

import calibviz as cv

PAIRS = {"depth": 2, "minimum": 30}  # of fields: more segments than are usually looked through
LEVEL = 0.05
PLANTED = "Zurich"  # 308 samples of one of six sites: 31 % is predicted and 18 % observed


def scores_of(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """Calibrated scores of networks of several shapes."""
    if kind == "five values":
        return rng.choice([0.05, 0.2, 0.4, 0.7, 0.95], n)
    if kind == "spike at 0":
        return np.where(rng.random(n) < 0.6, 0.001, rng.random(n))
    if kind == "bimodal":
        return np.where(rng.random(n) < 0.5, rng.beta(2, 12, n), rng.beta(12, 2, n))
    return rng.beta(1.5, 3, n)


def drawn(kind: str, n: int, seed: int, planted: bool = False) -> cv.Predictions:
    """Scores with a field of six sites, one of two sexes, an age and a measurement with missing values."""
    rng = np.random.default_rng((seed, n))
    score = scores_of(kind, n, rng)
    site = rng.choice(["North", "South", "East", "West", "Centre"], n)
    truth = score.copy()
    if planted:
        chosen = rng.choice(n, 308, replace=False)
        site[chosen] = PLANTED
        score[chosen] = rng.beta(3.1, 6.9, 308)
        truth[chosen] = score[chosen] * 0.18 / 0.31
    fields = {
        "site": site,
        "sex": rng.choice(["female", "male"], n),
        "age": rng.integers(20, 90, n),
        "measured": np.where(rng.random(n) < 0.1, np.nan, rng.standard_normal(n)),
    }
    return cv.Predictions(score, (rng.random(n) < truth).astype(int), fields=fields)


def rates(sets: int, draws: int) -> None:
    """Print how often some segment is called wrong."""
    print(f"| scores | n | wolf is cried, % of {sets} | planted segment is found first, % |\n|---|---:|---:|---:|")
    for kind in ("Beta(1.5, 3)", "five values", "spike at 0", "bimodal"):
        for n in (300, 2000):
            alarms = [
                cv.segments(drawn(kind, n, i), replicates=draws, **PAIRS, progress=False).p_adjusted.min().item()
                <= LEVEL
                for i in range(sets)
            ]
            found = "–"
            if kind == "Beta(1.5, 3)" and n == 2000:
                first = [
                    cv.segments(drawn(kind, n, i, True), replicates=draws, **PAIRS, progress=False)
                    for i in range(sets // 4)
                ]
                hits = [PLANTED in one.segment[0].item() and one.p_adjusted[0].item() <= LEVEL for one in first]
                found = f"{100 * np.mean(hits):.0f}"
            print(f"| {kind} | {n:,} | {100 * np.mean(alarms):.1f} | {found} |", flush=True)


def covariates(score: np.ndarray, truth: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Fields that may be covariates, though some are nearly as what is none."""
    n = len(score)
    wrong = rng.random((3, n)) < np.array([0.1, 0.02, 0.005])[:, None]
    age = rng.normal(60, 12, n).clip(18, 95)
    return {
        "sex": rng.choice(["female", "male"], n),
        "age": np.floor(age),
        "age, exact": age,
        "age, days": np.floor(365.25 * age),
        "cholesterol": np.floor(rng.normal(220, 45, n)),
        "platelets": np.floor(rng.normal(250, 70, n).clip(5)),
        "kinase": np.floor(np.exp(rng.normal(5.5, 1.2, n))),
        "drawn evenly from 10 n": rng.integers(0, 10 * n, n),
        "drawn evenly from 5 n": rng.integers(0, 5 * n, n),
        "income, sorted": np.sort(np.floor(np.exp(rng.normal(10.3, 0.6, n)))),
        "age, exact, sorted": np.sort(age),
        "age, days, sorted": np.sort(np.floor(365.25 * age)),
        "seconds, time": 1_700_000_000 + np.cumsum(rng.integers(1, 9000, n)),
        "marker 90 % right": np.where(wrong[0], ~truth, truth),
        "marker 98 % right": np.where(wrong[1], ~truth, truth),
        "marker 99.5 % right": np.where(wrong[2], ~truth, truth),
        "grade of 10, near the truth": np.where(truth, rng.binomial(9, 0.85, n), rng.binomial(9, 0.15, n)),
        "number near the score": score + 0.02 * rng.standard_normal(n),
        "flag of 2 %": rng.random(n) < 0.02,
        "smoking_status": rng.choice(["no", "yes"], n),
        "prior_event": rng.integers(0, 2, n),
        "site_id of 6": rng.integers(0, 6, n),
        "charlson_index": rng.poisson(2, n),
        "no_of_children": rng.poisson(1.5, n),
    }


def no_covariates(score: np.ndarray, truth: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Fields that are none."""
    n = len(score)
    patient = np.sort(rng.integers(0, n // 3, n))
    return {
        "score": score,
        "1 - score": 1 - score,
        "logit": np.log(score / (1 - score)),
        "score, 3 decimals": np.round(score, 3),
        "score, 2 decimals": np.round(score, 2),
        "score, whole per cents": np.round(100 * score),
        "truth": truth,
        "truth as text, 10 % missing": np.where(rng.random(n) < 0.1, "", np.where(truth, "ill", "well")),
        "cause, by the truth": np.where(truth, rng.integers(5, 9, n), rng.integers(0, 5, n)),
        "days to it, else missing": np.where(truth, rng.integers(0, 999, n), np.nan),
        "death, 90 % as the truth": np.where(rng.random(n) < 0.1, ~truth, truth),
        "row": np.arange(n),
        "row, of a random part": np.sort(rng.choice(100 * n, n, replace=False)),
        "row, shuffled": rng.permutation(n),
        "shuffled, 1 of 9": rng.choice(9 * n, n, replace=False),
        "six digits": rng.choice(900_000, n, replace=False) + 100_000,
        "six digits, id": rng.choice(900_000, n, replace=False) + 100_000,
        "code": np.array([f"{i:x}" for i in rng.choice(10**9, n, replace=False)]),
        "patient_id, 3 rows of each": patient * 41 % (n // 3),
        "patientid, 3 rows of each": patient * 41 % (n // 3),
        "patient_id, 10 rows of each": np.array([f"P{i}" for i in rng.integers(0, n // 10, n)]),
        "weight": rng.random(n) + 0.5,
    }


def left_out(sets: int) -> None:
    """Print how often covariates and other fields are left out, %."""
    sizes, found = (100, 300, 2000), {}
    for n in sizes:
        for i in range(sets):
            rng = np.random.default_rng((i, n))
            score = rng.beta(1.5, 3, n).clip(1e-9, 1 - 1e-9)
            truth = rng.random(n) < score
            for make in (covariates, no_covariates):
                fields = make(score, truth, rng)
                weights = fields.get("weight")
                p = cv.Predictions(score, truth.astype(int), fields=fields, weights=weights)
                skipped = cv.segments(p, replicates=0, minimum=1, progress=False).attrs["skipped_fields"]
                for name in fields:
                    found.setdefault((make, name), dict.fromkeys(sizes, 0))[n] += name in skipped
    for make, what in ((covariates, "a covariate"), (no_covariates, "none")):
        print(f"| {what} | {' | '.join(f'n = {n:,}' for n in sizes)} |\n|---|{'---:|' * len(sizes)}")
        for (of, name), counts in found.items():
            if of is make:
                print(f"| {name} | {' | '.join(f'{100 * counts[n] / sets:.0f}' for n in sizes)} |")
        print(flush=True)


@dataclass(frozen=True)
class Kind:
    """Data sets of three fields of four values and one of two, of which the rarer may differ from the others."""

    n: int
    truth: Callable[[np.ndarray], np.ndarray] = np.asarray
    scores: tuple[float, float] = (1.5, 3.0)
    planted: Callable[[np.ndarray], np.ndarray] = np.asarray  # the truth there, of what it is elsewhere
    share: float = 0.15
    weighted: bool = False

    def drawn(self, seed: int) -> cv.Predictions:
        """Return one data set."""
        rng = np.random.default_rng((seed, self.n))
        score = rng.beta(*self.scores, self.n)
        chosen = rng.random(self.n) < self.share
        truth = self.truth(score)
        truth = np.where(chosen, self.planted(truth), truth).clip(0.0, 1.0)
        return cv.Predictions(
            score,
            (rng.random(self.n) < truth).astype(int),
            weights=rng.exponential(size=self.n) if self.weighted else None,
            fields={
                "planted": np.where(chosen, "yes", "no"),
                **{name: rng.choice(["w", "x", "y", "z"], self.n) for name in ("site", "ward", "device")},
            },
        )


def shifted(score: np.ndarray) -> np.ndarray:
    """Log-odds that are .35 lower."""
    return np.asarray(expit(logit(score) - 0.35))


def extreme(score: np.ndarray) -> np.ndarray:
    """Scores that are too extreme."""
    return np.asarray(expit(0.7 * logit(score)))


def stepped(score: np.ndarray) -> np.ndarray:
    """Right, but 15 points lower between .3 and .5."""
    return np.where((score > 0.3) & (score <= 0.5), score - 0.15, score)


KINDS = {
    "calibrated": Kind(1000),
    "calibrated, rare events": Kind(2000, scores=(0.5, 20.0)),
    "log-odds - .35, no segment differs": Kind(1000, shifted),
    "odds^.7, no segment differs": Kind(1000, extreme),
    "15 points between .3 and .5, no segment differs": Kind(1000, stepped),
    "calibrated, weighted": Kind(1000, weighted=True),
    "log-odds - .35, weighted": Kind(1000, shifted, weighted=True),
    "odds^.7, weighted": Kind(1000, extreme, weighted=True),
    "15 points between .3 and .5, weighted": Kind(1000, stepped, weighted=True),
    "+ 12 points in 15 %": Kind(1000, planted=lambda truth: truth + 0.12),
    "log-odds - .35, and + 15 points in 15 %": Kind(1000, shifted, planted=lambda truth: truth + 0.15),
    "the same, weighted": Kind(1000, shifted, planted=lambda truth: truth + 0.15, weighted=True),
    "rare events, three times as many in 10 %": Kind(
        3000, scores=(0.5, 20.0), planted=lambda truth: 3 * truth, share=0.1
    ),
    "half as many in 10 %": Kind(2000, planted=lambda truth: truth / 2, share=0.1),
}


def shares(tables: Iterable[xr.Dataset]) -> str:
    """Return in how many tables some segment is called off, and unlike the others, in percent."""
    found = [(one.p_adjusted.min().item() <= LEVEL, one.p_unlike.min().item() <= LEVEL) for one in tables]
    return " | ".join(f"{100 * share:.1f}" for share in np.mean(found, axis=0))


def both_columns(sets: int, draws: int) -> None:
    """Print how often some segment is called off, and unlike the others."""
    print(f"| {sets} data sets of each kind | n | off, % | unlike the others, % |\n|---|---:|---:|---:|")
    for name, kind in KINDS.items():
        tables = (cv.segments(kind.drawn(i), replicates=draws, **PAIRS, rng=i, progress=False) for i in range(sets))
        print(f"| {name} | {kind.n:,} | {shares(tables)} |", flush=True)


def drowned(sets: int, draws: int) -> None:
    """Print the adjusted p-value of 232 samples, 30 % predicted and none observed, beside quiet segments."""
    medians = {}
    for quiet in (0, 4, 12, 24):
        found = []
        for i in range(sets):
            rng = np.random.default_rng((i, quiet))
            score = np.concatenate([np.full(232, 0.3), np.full(100 * quiet, 5e-5)])
            labels = np.concatenate([np.zeros(232, int), rng.random(100 * quiet) < 5e-5]).astype(int)
            site = np.concatenate([np.full(232, "off"), np.repeat([f"quiet {k}" for k in range(quiet)], 100)])
            p = cv.Predictions(score, labels, fields={"site": site, "coin": rng.choice(["a", "b"], len(site))})
            table = cv.segments(p, minimum=100, replicates=draws, rng=i, progress=False)
            of = "site = off" if quiet else "all samples"
            found.append(table.p_adjusted.sel(segment=of).item())
        medians[quiet] = float(np.median(found))
    print(f"| quiet segments of 100 | {' | '.join(map(str, medians))} |\n|---|{'---:|' * len(medians)}")
    print(f"| adjusted p-value, median of {sets} | {' | '.join(f'{p:.3f}' for p in medians.values())} |")


def fitted(sets: int, draws: int) -> None:
    """Print how often some segment is called off, and unlike the others, by scores of a fitted calibrator."""
    kind = Kind(800, lambda score: expit(0.7 * logit(score) - 0.35))
    print(f"| fitted to 800, judged on 800, {sets} data sets | off, % | unlike the others, % |\n|---|---:|---:|")
    for calibrator in (cv.Platt(), cv.Spline()):
        others = [kind.drawn(10_000 + i) for i in range(sets)]
        fits = [calibrator.fit(other.probs[:, 1], other.labels) for other in others]
        tables = (
            cv.segments(kind.drawn(i), calibrator=fit, replicates=draws, **PAIRS, rng=i, progress=False)
            for i, fit in enumerate(fits)
        )
        print(f"| {type(calibrator).__name__} | {shares(tables)} |", flush=True)


def speed() -> None:
    """Print how long segments of 100,000 rows take."""
    rng = np.random.default_rng(0)
    n = 100_000
    score = rng.beta(1, 3, n)
    fields = {f"field {i}": rng.standard_normal(n) for i in range(20)}
    p = cv.Predictions(score, (rng.random(n) < score).astype(int), fields=fields)
    print("| depth | draws | segments | seconds |\n|---:|---:|---:|---:|")
    for depth, draws in ((1, 0), (1, 1000), (2, 0), (2, 1000)):
        start = time.perf_counter()
        found = cv.segments(p, depth=depth, minimum=100, replicates=draws, progress=False)
        taken = time.perf_counter() - start
        print(f"| {depth} | {draws:,} | {found.sizes['segment']:,} | {taken:.1f} |", flush=True)


def main() -> None:
    """Read the command line, simulate, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = {"fields": lambda sets, _: left_out(sets), "unlike": both_columns, "drowned": drowned, "fitted": fitted}
    for mode in ("speed", *modes):
        parser.add_argument(f"--{mode}", action="store_true")
    parser.add_argument("--sets", type=int, default=400)
    parser.add_argument("--draws", type=int, default=199)
    args = parser.parse_args()
    if args.speed:
        speed()
    else:
        chosen = next((run for mode, run in modes.items() if getattr(args, mode)), rates)
        chosen(args.sets, args.draws)


if __name__ == "__main__":
    main()
