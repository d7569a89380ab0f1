"""What `dependence.py` asks of one data set: which tests reject, which intervals hold the truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from dependent_data import (
    EQUAL,
    Array,
    Cohort,
    Curve,
    Generator,
    Kind,
    latent_labels,
    true_errors,
    uniform,
)  # fmt: skip  # names stand in rows
from scipy.special import bdtr, expit, fdtrc, logit, ndtri, stdtr

import calibviz as cv
from calibviz.context.lens_names import lens
from calibviz.decisions.acceptance import ends, fewest
from calibviz.decisions.by_segment.cluster_walks import ClusterWalks
from calibviz.engine.chances import Chances
from calibviz.engine.clustered import Clusters
from calibviz.uncertainty.intervals.bin_intervals import mean_interval
from calibviz.uncertainty.intervals.error_intervals import FEWEST_CLUSTERS, several_ends
from calibviz.uncertainty.resampling.calibrated_sums import CalibratedSums

Measured = Mapping[str, float]
LEVEL = 0.05
of_class = lens("class 1")


def holds(found: object, truth: float) -> float:
    """Whether an interval holds the truth; nan where there is none."""
    lower, upper = found.lower, found.upper  # type: ignore[attr-defined]
    return float(lower <= truth <= upper) if np.isfinite([lower, upper]).any() else np.nan


def of_clusters(kinds: Mapping[str, Kind], counts: tuple[int, ...] = (8, 20, 50, 200)) -> dict[str, tuple[Kind, int]]:
    """Cells of some kinds with some numbers of clusters."""
    return {f"{name}; {count} clusters": (kind, count) for name, kind in kinds.items() for count in counts}


# Tests


def tests(cell: tuple[Kind, int], rng: Generator) -> Measured:
    """Which tests reject one calibrated data set: Q alone by the draws of `calibration_test`."""
    kind, clusters = cell
    problem = of_class(kind.predictions(rng, clusters))
    sums = CalibratedSums(Chances.of(problem), 999)
    own, drawn = sums.statistics(sums.observed[None]).smooth[0], sums.drawn(999, 0, False)
    p_values = {
        "KS": cv.ks_test(problem).p_value,
        "Kuiper": cv.kuiper_test(problem).p_value,
        "Q": max((1 + (each.smooth >= own * (1 - 1e-9)).sum()) / (1 + len(each.smooth)) for each in drawn),
        "joint": cv.calibration_test(problem, progress=False).p_value,
        "ECE": cv.consistency(problem, error=cv.calibration_error, replicates=99, rng=0, progress=False).p_value,
    }
    return {name: float(p <= LEVEL) for name, p in p_values.items()}


# Estimates


def estimates(cell: tuple[Kind, int], rng: Generator) -> Measured:
    """Which intervals of one calibrated data set hold the truth."""
    kind, clusters = cell
    problem = of_class(kind.predictions(rng, clusters))
    out = {
        "O:E": holds(cv.observed_expected(problem), 1.0),
        "intercept": holds(cv.calibration_intercept(problem), 0.0),
        "slope": holds(cv.calibration_slope(problem), 1.0),
    }
    if kind.shape != "match" and kind.scores is uniform:
        bins = cv.reliability(problem, binning=cv.Uniform(5), interval="clopper-pearson")
        lower, upper, middle = bins.lower.values, bins.upper.values, (np.arange(5) + 0.5) / 5
        known = np.isfinite(lower)
        out["bins"] = float(((lower <= middle) & (middle <= upper))[known].mean()) if known.any() else np.nan
    return out


def slope_test(cell: tuple[Kind, int], rng: Generator) -> Measured:
    """Whether the joint test of intercept and slope rejects one calibrated data set, and the former F test."""
    kind, clusters = cell
    p = kind.predictions(rng, clusters)
    found, freedom = cv.calibration_slope(p, of_class), p.effective_clusters - 1
    if not np.isfinite(found.p_value):
        return {}
    out = {
        "F test": float(fdtrc(2, freedom, found.statistic / 2) <= LEVEL),
        "Hotelling": float(found.p_value <= LEVEL),
        "slope beside 1": 1 - holds(found, 1.0),
    }
    return out if found.note else out | {f"{name}, level claimed": value for name, value in out.items()}


def means(cell: tuple[Kind, int], rng: Generator) -> Measured:
    """Whether intervals of drawn clusters, and that of the observed share, hold the truth."""
    kind, clusters = cell
    problem = of_class(kind.predictions(rng, clusters))
    options = {"replicates": 299, "rng": 0, "progress": False}
    share = cv.reliability(problem, binning=cv.Uniform(1), interval="clopper-pearson")
    return {
        "gap": holds(cv.bootstrap(problem, error=cv.calibration_in_the_large, **options), 0.0),
        "Brier score": holds(cv.bootstrap(problem, error=cv.brier_score, **options), 1 / 6),
        "observed share": float(share.lower[0] <= 0.5 <= share.upper[0]),
    }


@cache
def truths(curve: Curve) -> Mapping[str, float]:
    """The true errors of uniform scores under a curve."""
    return dict(zip(("ECE", "KS", "Kuiper"), true_errors(curve), strict=True))


ERRORS = {"KS": cv.ks_error, "Kuiper": cv.kuiper_error, "ECE": cv.calibration_error}


def error_intervals(cell: tuple[Kind, int], rng: Generator, names: tuple[str, ...] = tuple(ERRORS)) -> Measured:
    """Which 90 % intervals hold the true error, and which lie below it; none where clusters are worth too few."""
    kind, clusters = cell
    problem = of_class(kind.predictions(rng, clusters))
    if Clusters.of(problem).worth_less(FEWEST_CLUSTERS):
        return {}
    intervals = several_ends(problem, of_class, [(ERRORS[name], None) for name in names], 0.9, 0)
    out = {}
    for name, (lower, _, upper) in zip(names, intervals, strict=True):
        truth = truths(kind.curve)[name]
        out[name], out[f"{name} above"] = float(lower <= truth <= upper), float(upper < truth)
        out[f"{name} below"] = float(lower > truth)
    return out


def walks(cell: tuple[Kind, int], rng: Generator) -> Measured:
    """The same without the ECE, which takes the most time, and how many data sets have an interval."""
    held = error_intervals(cell, rng, ("KS", "Kuiper"))
    return held | {"has one": float(bool(held))}


# Segments


@dataclass(frozen=True)
class Fields:
    """Clusters with one field that is constant in them, and two that cross them.

    Attributes
    ----------
    planted : float
        By how much a quarter of the clusters, or of the rows, have a larger chance than the curve says.
    constant : bool
        Whether the planted segment is one of clusters.
    """

    kind: Kind
    clusters: int
    planted: float = 0.0
    constant: bool = True


def segments(cell: Fields, rng: Generator) -> Measured:
    """Whether some segment is called off, or unlike the others, and whether the planted one is."""
    kind = cell.kind
    score, label, code = kind.draw(rng, cell.clusters)
    site = rng.integers(0, 4, cell.clusters)[code]
    ward, sex = rng.integers(0, 4, len(code)), rng.integers(0, 2, len(code))
    if cell.planted:
        is_off = (site if cell.constant else ward) == 0
        chance = np.clip(kind.curve(score) + cell.planted * is_off, 0.0, 1.0)
        label = latent_labels(rng, chance, code, kind.latent)
    values = {"site": ("abcd", site), "ward": ("efgh", ward), "sex": ("mf", sex)}
    names = {name: np.array(list(letters))[column] for name, (letters, column) in values.items()}
    p = cv.Predictions(score, label, cluster=code, fields=names)
    found = cv.segments(
        p, of_class, fields=["site", "ward", "sex"], depth=2, minimum=100, replicates=199, rng=0, progress=False
    )
    inside = found.n_fields.values > 0
    out = {
        "off": float((found.p_adjusted.values[inside] <= LEVEL).any()),
        "unlike": float((found.p_unlike.values[inside] <= LEVEL).any()),
    }
    if cell.planted:
        named = '"a"' if cell.constant else '"e"'
        wanted = np.array([named in text for text in found.selection.values])  # or a part of it
        out["planted off"] = float((found.p_adjusted.values[wanted & inside] <= LEVEL).any())
        out["planted unlike"] = float((found.p_unlike.values[wanted & inside] <= LEVEL).any())
    return out


RANGE = 2 * np.sqrt(np.log(2))  # root mean square of the range of a random walk, by the standard deviation of its end


def segments_of_few(cell: Fields, rng: Generator) -> Measured:
    """Whether some segment of few events is called off: without and with a floor of its unit, and with more events.

    All three have the draws of one call of `cv.segments`.
    """
    found: dict[str, float] = {}
    kept = ClusterWalks.p_values

    def recorded(walks: ClusterWalks) -> tuple[Array, Array]:
        chance, clusters, drawn = walks._chance, walks._clusters, walks._drawn
        rows = [each for test in walks._tests for each in np.split(test.rows, test.starts[1:])]
        parts = [Clusters.of_rows(clusters.code[each], None) for each in rows]
        held = np.array(
            [
                min(part.holding(chance[each]), part.holding(1 - chance[each]))
                for part, each in zip(parts, rows, strict=True)
            ]
        )
        least = RANGE * np.sqrt([(chance[each] * (1 - chance[each])).sum() for each in rows])
        is_part = np.array([len(each) < len(chance) for each in rows])
        name = "off" if walks._refits is None else "unlike"
        for rule, floor, fewest_held in (("", 0.0, 0.0), (", floor", least, 0.0), (", ten", 0.0, 10.0)):
            p_values = []
            for of_kind in drawn:
                unit = np.maximum(np.sqrt(np.square(of_kind).mean(axis=0)), floor)[held >= fewest_held]
                own, others = walks._own[held >= fewest_held] / unit, of_kind[:, held >= fewest_held] / unit
                largest = others.max(axis=1, initial=0.0)[:, None]
                p_values.append((1 + (largest >= own).sum(axis=0)) / (1 + len(of_kind)))
            p = np.ones(len(rows))
            p[held >= fewest_held] = np.max(p_values, axis=0)
            found[name + rule] = float((p[is_part] <= LEVEL).any())
        return kept(walks)

    ClusterWalks.p_values = recorded  # type: ignore[method-assign]
    try:
        segments(cell, rng)
    finally:
        ClusterWalks.p_values = kept  # type: ignore[method-assign]
    return found


# Centres, imputations


def centres(cell: tuple[int, float], rng: Generator) -> Measured:
    """Whether the averages and the intervals of a new centre hold the truth."""
    k, tau = cell
    centre = np.repeat(np.arange(k), 300)
    off = tau * rng.standard_normal(k + 1)
    score, low = rng.random(len(centre)), 0.05 + 0.2 * rng.random(len(centre))
    label = rng.random(len(centre)) < expit(logit(score) + off[centre])
    event = rng.random(len(centre)) < np.minimum(low * np.exp(off[centre]), 1.0)
    out = {}
    for name, scores, labels in (("calibration_intercept", score, label), ("observed_expected", low, event)):
        p = cv.Predictions(scores, labels.astype(int))
        found = cv.by_centre(p, centre, measures=[name]).sel(measure=name)
        middle, new = (0.0, off[-1]) if name == "calibration_intercept" else (1.0, np.exp(off[-1]))
        short = "intercept" if name == "calibration_intercept" else "O:E"
        out[f"{short}: average"] = float(found.lower <= middle <= found.upper)
        if k > 2:
            out[f"{short}: new centre"] = float(found.predicted_lower <= new <= found.predicted_upper)
    return out


def imputations(cell: tuple[int, float], rng: Generator) -> Measured:
    """Whether numbers of five imputations hold the truth, by Rubin's rules and by patients as clusters."""
    n, missing = cell
    several, shift = 5, np.array([0.8, 0.8])
    covariance = np.array([[1.0, 0.5], [0.5, 1.0]])
    label = (rng.random(n) < 0.4).astype(np.int64)
    x = rng.standard_normal((n, 2)) @ np.linalg.cholesky(covariance).T + label[:, None] * shift
    weights = np.linalg.solve(covariance, shift)
    base = np.log(0.4 / 0.6) - weights @ shift / 2
    known = rng.random(n) >= missing
    design = np.column_stack([np.ones(n), x[:, 0], label])
    inverse = np.linalg.inv(design[known].T @ design[known])
    fitted = inverse @ design[known].T @ x[known, 1]
    rest, freedom = x[known, 1] - design[known] @ fitted, known.sum() - 3
    parts = []
    for _ in range(several):
        spread = np.sqrt(rest @ rest / rng.chisquare(freedom))
        drawn = fitted + spread * np.linalg.cholesky(inverse) @ rng.standard_normal(3)
        filled = np.where(known, x[:, 1], design @ drawn + spread * rng.standard_normal(n))
        parts.append(expit(base + weights @ np.array([x[:, 0], filled])))
    score, labels = np.concatenate(parts), np.tile(label, several)
    imp, patient = np.repeat(np.arange(several), n), np.tile(np.arange(n), several)
    stacked = cv.Predictions(score, labels, fields={"imp": imp}, cluster=False)
    by_patient = of_class(cv.Predictions(score, labels, cluster=patient, weights=np.full(len(score), 1 / several)))
    return {
        "O:E": holds(cv.rubin(stacked, "observed_expected", "imp"), 1.0),
        "slope": holds(cv.rubin(stacked, "calibration_slope", "imp"), 1.0),
        "intercept": holds(cv.rubin(stacked, "calibration_intercept", "imp"), 0.0),
        "O:E, patients": holds(cv.observed_expected(by_patient), 1.0),
        "slope, patients": holds(cv.calibration_slope(by_patient), 1.0),
        "KS rejects, patients": float(cv.ks_test(by_patient).p_value <= LEVEL),
        "KS rejects, rows": float(cv.ks_test(of_class(stacked)).p_value <= LEVEL),
    }


# A horizon


def horizon(cell: tuple[Cohort, int], rng: Generator) -> Measured:
    """Which tests reject calibrated risks at a horizon, and whether O:E holds 1."""
    cohort, n = cell
    drawn = cohort.draw(rng, n)
    group = drawn.pop("group")
    p = cv.Predictions.at_horizon(**drawn, horizon=1.0)
    problem = of_class(p)
    status = cv.Predictions(drawn["risk"], (drawn["event"] == 1).astype(int))
    out = {
        "KS": float(cv.ks_test(problem).p_value <= LEVEL),
        "Kuiper": float(cv.kuiper_test(problem).p_value <= LEVEL),
        "joint": float(cv.calibration_test(problem, progress=False).p_value <= LEVEL),
        "O:E": holds(cv.observed_expected(problem), 1.0),
        "O:E of the status": holds(cv.observed_expected(status, of_class), 1.0),
    }
    if isinstance(cohort.censored, tuple):
        within = of_class(cv.Predictions.at_horizon(**drawn, horizon=1.0, by=group))
        out["KS, by"] = float(cv.ks_test(within).p_value <= LEVEL)
        out["joint, by"] = float(cv.calibration_test(within, progress=False).p_value <= LEVEL)
        out["O:E, by"] = holds(cv.observed_expected(within), 1.0)
    return out


REACH = -float(ndtri(0.025))  # of the largest value of a walk, at 90 %: half of 5 % at each side


@cache
def walk_of_risks(curve: Curve) -> float:
    """The true KS error of the risks of a cohort under a curve."""
    risk = np.sort(np.random.default_rng(0).beta(2.0, 3.0, 400_000))
    return float(np.abs(np.cumsum(risk - curve(risk))).max() / len(risk))


def horizon_error(cell: tuple[Cohort, int], rng: Generator) -> Measured:
    """Whether the KS error, and as much noise of the walk of gaps on both sides, hold the truth at 90 %."""
    cohort, n = cell
    drawn = cohort.draw(rng, n)
    del drawn["group"]
    p = cv.Predictions.at_horizon(**drawn, horizon=1.0)
    order = np.argsort(p.probs[:, 1])
    residual = (p.weights * (p.labels - p.probs[:, 1]))[order] / p.weights.sum()
    half = REACH * np.sqrt(np.square(residual).sum())
    measured, truth = float(np.abs(np.cumsum(residual)).max()), walk_of_risks(cohort.curve)
    return {
        "holds": float(measured - half <= truth <= measured + half),
        "above the upper end": float(truth > measured + half),
        "below the lower end": float(truth < measured - half),
        "half width": half,
    }


# A stream


@dataclass(frozen=True)
class Stream:
    """Samples in updates of 50; of clusters 20 rows each, and one of them in an update."""

    scores: Callable[[Generator, int], Array]
    shift: float = 0.0
    samples: int = 10_000
    changes: int = 0
    latent: float | None = None


def monitor(cell: Stream, rng: Generator) -> Measured:
    """Whether a stream raises the alarm, with restarts and without."""
    n = cell.samples
    score = cell.scores(rng, n)
    off = cell.shift * (np.arange(n) >= cell.changes)
    chance = expit(logit(np.clip(score, 1e-9, 1 - 1e-9)) + off)
    streams = {"restarts": cv.Monitor(), "plain": cv.Monitor(restarts=False)}
    if cell.latent is None:
        label, size = (rng.random(n) < chance).astype(np.int64), 50
        parts = [cv.ScalarProblem(score[i : i + size], label[i : i + size]) for i in range(0, n, size)]
        several = {"restarts": parts, "plain": parts}
    else:
        code = np.repeat(np.arange(n // 20), 20)
        label = latent_labels(rng, chance, code, cell.latent)
        edges = range(0, n, 20)
        parts = [cv.ScalarProblem(score[i : i + 20], label[i : i + 20]) for i in edges]
        groups = [slice(i, i + 100) for i in range(0, n, 100)]
        together = [cv.ScalarProblem(score[rows], label[rows], cluster=code[rows]) for rows in groups]
        streams["clusters"] = cv.Monitor(restarts=False)
        several = {"restarts": parts, "plain": parts, "clusters": together}
    out = {}
    for name, stream in streams.items():
        for part in several[name]:
            stream.update(part)
            if stream.alarm:
                break
        out[name] = float(stream.alarm)
    return out


# Promises and gates


@dataclass(frozen=True)
class Acceptable:
    """Rows that are to be accepted at a risk of 5 %: the surest rows of which a share q has 14.3 % q^2.5 wrong ones.

    Attributes
    ----------
    samples : int
        Rows, or clusters of 20 rows.
    confidence : float
    flat : float
        The risk of every row, where it does not depend on the score.
    latent : float, optional
        The correlation of errors within clusters.
    """

    samples: int
    confidence: float
    flat: float = 0.0
    latent: float | None = None
    sizes: float = EQUAL


RISK = 0.05


def promised(cell: Acceptable, rng: Generator) -> Measured:
    """Whether a threshold accepts more than the risk, and how much it accepts."""
    kind = Kind(latent=cell.latent or 0.0, sizes=cell.sizes)
    code = np.arange(cell.samples) if cell.latent is None else kind.codes(rng, cell.samples)
    share = rng.random(len(code))
    wrong = 0.5 * share**2.5
    risk = np.full(len(code), cell.flat) if cell.flat else wrong
    right = 1 - latent_labels(rng, risk, code, cell.latent or 0.0)
    rows = cv.ScalarProblem(1 - wrong, right)
    thresholds = {"rows": cv.accept_at_risk(rows, risk=RISK, confidence=cell.confidence).threshold}
    out: dict[str, float] = {}
    if cell.latent is not None:
        problem = cv.ScalarProblem(1 - wrong, right, cluster=code)
        thresholds["pair"], upper = threshold_by_pair(problem, cell.confidence)
        out["pair: upper beyond"] = float(upper > RISK) if np.isfinite(upper) else np.nan
        thresholds["bound"] = cv.accept_at_risk(problem, risk=RISK, confidence=cell.confidence).threshold
    for name, threshold in thresholds.items():
        upto = 0.0 if np.isnan(threshold) else ((1 - threshold) / 0.5) ** 0.4  # the share of all rows that is as sure
        beyond = (cell.flat or 0.5 * upto**2.5 / 3.5) if upto else 0.0
        out[f"{name}: broken"], out[f"{name}: accepted"] = float(beyond > RISK + 1e-12), upto
    return out


FEWEST_OF_PAIR = 20  # clusters that have an accepted row, for a t test of their sums


def threshold_by_pair(problem: cv.ScalarProblem, confidence: float) -> tuple[float, float]:
    """The last threshold up to which two tests reject that the share of wrong rows is the risk or more, and its bound.

    They are the binomial test of the rows, and a t test of the sum of (error - risk) over each cluster.
    """
    code, beyond = problem.cluster_codes[::-1], 1 - problem.given_target[::-1] - RISK
    threshold = upper = np.nan
    for n, errors, score, _ in zip(*ends(problem), strict=True):
        many = len(np.unique(code[:n]))
        if n < fewest(RISK, confidence) or many < FEWEST_OF_PAIR:
            continue
        own = np.bincount(code[:n], beyond[:n], code.max() + 1)
        spread = own.std(ddof=1) / np.sqrt(len(own))
        t = own.mean() / spread if spread else np.sign(own.mean()) * np.inf
        if max(bdtr(errors, n, RISK), stdtr(many - 1, t)) > 1 - confidence + 1e-12:
            break
        part = problem.taken(np.arange(len(problem) - n, len(problem)))
        threshold, upper = float(score), 1 - mean_interval(part, 2 * confidence - 1)[0]
    return threshold, upper


@dataclass(frozen=True)
class Gate:
    """Scores with a KS error that a gate of 5 points is asked of; in clusters of 20 rows where `latent` is given."""

    times: float
    samples: int
    latent: float | None = None


def gate(cell: Gate, rng: Generator) -> Measured:
    """What a gate says of scores between .1 and .9 that are too high by a part of 5 points."""
    n = cell.samples * (20 if cell.latent is not None else 1)
    code = np.repeat(np.arange(cell.samples), 20) if cell.latent is not None else None
    score = 0.15 + 0.7 * rng.random(n)
    chance = score - 0.05 * cell.times
    label = rng.random(n) < chance if code is None else latent_labels(rng, chance, code, cell.latent or 0.0)
    p = cv.Predictions(score, np.asarray(label).astype(int), cluster=False if code is None else code)
    status = cv.check(p, of_class, within=0.05, progress=False).status
    return {name: float(status == name) for name in ("pass", "fail", "cannot tell")}


@dataclass(frozen=True)
class Pair:
    """Two models of the same rows; with `worse`, the new one has that much noise in its log-odds besides."""

    samples: int
    worse: float = 0.0
    base: float = 0.0
    latent: float | None = None
    near: float = 1.0


def two_models(cell: Pair, rng: Generator, n: int) -> tuple[Array, Array, Array]:
    """The true chances, and the scores of the old and of the new model."""
    x, old, new = rng.standard_normal((3, n))
    if cell.worse:
        chance = expit(cell.base + x)
        return chance, chance, expit(cell.base + x + cell.worse * new)
    # Each sees a part of its own: they are equally good, and their errors are not the same.
    noise = 0.7 * cell.near
    return expit(cell.base + x), expit(cell.base + x + noise * old), expit(cell.base + x + noise * new)


@cache
def difference(cell: Pair) -> float:
    """How much worse the new model is in truth."""
    if not cell.worse:
        return 0.0
    chance, old, new = two_models(cell, np.random.default_rng(1), 1_000_000)
    return float(np.mean((new - chance) ** 2 - (old - chance) ** 2))


def baseline(cell: Pair, rng: Generator) -> Measured:
    """What a gate beside a baseline says, whose tolerance is what the new model is worse by."""
    clusters = cell.latent is not None
    code = np.repeat(np.arange(cell.samples), 20) if clusters else np.arange(cell.samples)
    chance, old, new = two_models(cell, rng, len(code))
    label = latent_labels(rng, chance, code, cell.latent or 0.0)
    cluster = code if clusters else False
    before, after = (cv.Predictions(score, label, cluster=cluster) for score in (old, new))
    truth = difference(cell)
    found = cv.check(after, of_class, baseline=before, tolerance=truth, progress=False).checks[0]
    return {
        "fail": float(found.lower > 0),
        "pass": float(found.upper <= truth),
        "interval": float(found.lower <= truth <= found.upper),
    }
