"""The definitions once more, as slow loops over samples and bins, for comparison; no code is shared with calibviz.

A problem is a list of (score, target, weight). Bins are lists of (score, target, share of weight).
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
from hypothesis import settings, strategies as st
from scipy.interpolate import CubicSpline

settings.register_profile("calibviz", derandomize=True, deadline=None, database=None, max_examples=40)
settings.load_profile("calibviz")


# ---- lenses


def ranking(row):
    return sorted(range(len(row)), key=lambda c: (-float(row[c]), c))


def one_hot(labels, classes):
    return [[1.0 if c == y else 0.0 for c in range(classes)] for y in labels]


def scalar_lens(name, probs, targets, weights=None):
    """(score, target, weight) of each sample under "top-1", "rank r", "within-top r" or "class c"."""
    out = []
    for i, (row, target) in enumerate(zip(probs, targets, strict=True)):
        row = [float(v) for v in row]
        order = ranking(row)
        kind, _, number = name.partition(" ")
        if kind == "top-1":
            chosen = order[:1]
        elif kind == "rank":
            chosen = order[int(number) - 1 : int(number)]
        elif kind == "within-top":
            chosen = order[: int(number)]
        else:
            chosen = [int(number)]
        out.append(
            (sum(row[c] for c in chosen), sum(target[c] for c in chosen), 1.0 if weights is None else float(weights[i]))
        )
    return out


def vector_lens(name, probs, targets, groups=None):
    """Rows of scores and rows of targets under "full", "top-k" or "grouping"."""
    scores, outcomes = [], []
    for row, target in zip(probs, targets, strict=True):
        row = [float(v) for v in row]
        if name == "full":
            scores.append(row)
            outcomes.append(list(target))
        elif name == "grouping":
            scores.append([sum(row[c] for c in members) for members in groups])
            outcomes.append([sum(target[c] for c in members) for members in groups])
        else:
            top = ranking(row)[: int(name.removeprefix("top-"))]
            scores.append([row[c] for c in top] + [1 - sum(row[c] for c in top)])
            outcomes.append([target[c] for c in top] + [1 - sum(target[c] for c in top)])
    return scores, outcomes


# ---- scalar problems and their bins


def tidy(problem):
    """Sorted by score, without weight 0, every target the mean of its tied block."""
    kept = sorted((s for s in problem if s[2] > 0), key=lambda s: s[0])
    out = []
    for score, block in itertools.groupby(kept, key=lambda s: s[0]):
        block = list(block)
        mean = sum(t * w for _, t, w in block) / sum(w for _, _, w in block)
        out += [(score, mean, w) for _, _, w in block]
    return out


def uniform_digit(score, bins, closed="left"):
    if closed == "left":
        return max(k for k in range(bins) if k == 0 or k / bins <= score)
    return min(k for k in range(bins) if k == bins - 1 or score <= (k + 1) / bins)


def uniform_bins(problem, bins, closed="left"):
    out = [[] for _ in range(bins)]
    for score, target, weight in tidy(problem):
        out[uniform_digit(score, bins, closed)].append((score, target, weight))
    return out


def equal_mass_bins(problem, bins):
    problem = tidy(problem)
    if all(w == int(w) for _, _, w in problem):
        rows = [(s, t, 1.0) for s, t, w in problem for _ in range(int(w))]
        out = [[] for _ in range(bins)]
        for i, row in enumerate(rows):
            out[i * bins // len(rows)].append(row)
        return out
    total = sum(Fraction(w) for _, _, w in problem)
    out, start = [[] for _ in range(bins)], Fraction(0)
    for score, target, weight in problem:
        end = start + Fraction(weight)
        for b in range(bins):
            share = min(end, total * (b + 1) / bins) - max(start, total * b / bins)
            if share > 0:
                out[b].append((score, target, float(share)))
        start = end
    return out


def means(bins):
    """(weight, mean score, mean target) of each bin; None for the means of an empty one."""
    out = []
    for members in bins:
        weight = sum(w for _, _, w in members)
        if weight == 0:
            out.append((0.0, None, None))
        else:
            score = sum(s * w for s, _, w in members) / weight
            out.append((weight, score, sum(t * w for _, t, w in members) / weight))
    return out


def error(bins, p=1, aggregate="mean", distance=lambda s, t: abs(s - t)):
    rows = [(w, distance(s, t)) for w, s, t in means(bins) if w > 0]
    if aggregate == "max":
        return max(d for _, d in rows)
    return (sum(w * d**p for w, d in rows) / sum(w for w, _ in rows)) ** (1 / p)


def sweep(problem, scheme="equal-mass"):
    kept = tidy(problem)
    whole = all(w == int(w) for _, _, w in kept)
    n = int(sum(w for _, _, w in kept)) if whole else len(kept)
    cut = equal_mass_bins if scheme == "equal-mass" else uniform_bins
    best = 1
    for b in range(2, n):
        heights = [t for w, _, t in means(cut(problem, b)) if w > 0]
        if any(after < before - 1e-9 for before, after in itertools.pairwise(heights)):
            break
        best = b
    return best


def cumulative_gaps(problem):
    """h - h~ at the last sample of each distinct score."""
    kept = tidy(problem)
    total = sum(w for _, _, w in kept)
    hit = said = 0.0
    out = []
    for i, (score, target, weight) in enumerate(kept):
        hit += weight * target / total
        said += weight * score / total
        if i + 1 == len(kept) or kept[i + 1][0] != score:
            out.append(hit - said)
    return out


def ks(problem):
    return max(abs(gap) for gap in cumulative_gaps(problem))


def cell_error(scores, targets, bins, weights=None, closed="left", distance=None):
    """Error over the grid cells of all coordinates but the last."""
    distance = distance or (lambda s, t: sum(abs(a - b) for a, b in zip(s, t, strict=True)) / 2)
    weights = [1.0] * len(scores) if weights is None else weights
    cells = {}
    for row, target, weight in zip(scores, targets, weights, strict=True):
        key = tuple(uniform_digit(v, bins, closed) for v in row[:-1])
        cells.setdefault(key, []).append((row, target, weight))
    total = error = 0.0
    for members in cells.values():
        weight = sum(w for _, _, w in members)
        if weight > 0:
            m = range(len(members[0][0]))
            s = [sum(row[j] * w for row, _, w in members) / weight for j in m]
            t = [sum(target[j] * w for _, target, w in members) / weight for j in m]
            error += weight * distance(s, t)
            total += weight
    return error / total


# ---- k-d trees


def tree_leaves(scores, weights=None, gamma=None, min_leaf=None):
    """The samples of each leaf, from left to right: of the mean split, or of the median split where `min_leaf` is."""
    weights = [1.0] * len(scores) if weights is None else weights
    least = round(gamma * math.fsum(weights)) if min_leaf is None else 2 * min_leaf

    def mean(rows, column):  # rounded once
        total = sum(Fraction(weights[i]) for i in rows)
        return float(sum(Fraction(weights[i]) * Fraction(column[i]) for i in rows) / total)

    def variance(rows, column):
        middle = mean(rows, column)
        return math.fsum(weights[i] * (column[i] - middle) ** 2 for i in rows) / math.fsum(weights[i] for i in rows)

    columns = [[float(v) for v in column] for column in zip(*scores, strict=True)]

    def leaves(rows):
        if math.fsum(weights[i] for i in rows) < least:
            return [rows]
        spreads = [variance(rows, column) for column in columns]
        widest = next(j for j, spread in enumerate(spreads) if spread >= max(spreads) * (1 - 1e-12))
        if min_leaf is None:
            middle = mean(rows, columns[widest])
            sides = [i for i in rows if columns[widest][i] < middle], [i for i in rows if columns[widest][i] >= middle]
        else:
            rows = sorted(rows, key=lambda i: (columns[widest][i], *(column[i] for column in columns)))
            sides = rows[: len(rows) // 2], rows[len(rows) // 2 :]
        return [leaf for side in sides for leaf in leaves(side)] if all(sides) else [rows]

    return leaves([i for i in range(len(scores)) if weights[i] > 0])


# ---- recalibration


def spline_map(problem, knots):
    """The recalibration function of the spline, from its definition: h - h~ fitted, s + derivative, ties averaged."""
    rows = [(s, t) for s, t, w in tidy(problem) for _ in range(int(w))]
    n = len(rows)
    u = np.array([(i + 1) / n for i in range(n)])
    gap = np.cumsum([t - s for s, t in rows]) / n
    places = np.linspace(0, 1, knots)
    kind = "natural" if knots > 2 else "not-a-knot"
    basis = [CubicSpline(places, row, bc_type=kind) for row in np.eye(knots)]
    values = np.linalg.lstsq(np.column_stack([f(u) for f in basis]), gap, rcond=None)[0]
    slope = CubicSpline(places, values, bc_type=kind)(u, 1)
    knot, value = [], []
    for score in sorted({s for s, _ in rows}):
        tied = [score + slope[i] for i in range(n) if rows[i][0] == score]
        knot.append(score)
        value.append(sum(tied) / len(tied))
    return lambda s: min(1.0, max(0.0, float(np.interp(s, knot, value))))


def log_loss_at(logits, targets, temperature, weights=None):
    total = 0.0
    for i, (row, target) in enumerate(zip(logits, targets, strict=True)):
        z = [float(v) / temperature for v in row]
        top = max(z)
        log_sum = top + math.log(sum(math.exp(v - top) for v in z))
        total += (1.0 if weights is None else weights[i]) * sum(
            t * (log_sum - v) for t, v in zip(target, z, strict=True)
        )
    return total


# ---- strategies


def problems(max_size=40, levels=8):
    """Scores on the grid k / levels, so ties are heavy, and hard labels."""
    sample = st.tuples(st.integers(0, levels), st.integers(0, 1))
    rows = st.lists(sample, min_size=1, max_size=max_size)
    return rows.map(lambda found: (np.array([k / levels for k, _ in found]), np.array([y for _, y in found])))


@st.composite
def tables(draw, max_size=25, classes=None, top=3):
    """(probs, labels) with heavily tied probabilities: small whole numbers divided by their sum."""
    k = draw(st.integers(2, 5)) if classes is None else classes
    row = st.lists(st.integers(0, top), min_size=k, max_size=k).filter(any)
    rows = draw(st.lists(st.tuples(row, st.integers(0, k - 1)), min_size=1, max_size=max_size))
    counts = np.array([r for r, _ in rows], dtype=float)
    return counts / counts.sum(axis=1, keepdims=True), np.array([y for _, y in rows])


def whole_weights(n):
    """Repetitions 0..3, not all 0."""
    return st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any).map(lambda w: np.array(w, dtype=float))


@st.composite
def rows_of_sixteenths(draw, n, classes):
    """Rows whose sums are exact in floating point, with many ties, exact 0 and 1, and sometimes a constant column."""
    constant = draw(st.sampled_from([None, 0, 4]))
    left = 16 if constant is None else 16 - constant
    free = classes - 1 if constant is None else classes - 2
    steps = draw(st.lists(st.lists(st.integers(0, left), min_size=free, max_size=free), min_size=n, max_size=n))
    ends = [[0, *sorted(row), left] for row in steps]
    rows = [[b - a for a, b in itertools.pairwise(row)] + ([] if constant is None else [constant]) for row in ends]
    return np.array(rows) / 16


def some_weights(n):
    """None, repetitions, or eighths: sums of them are exact, and a cut is on a sample's end or clearly off it."""
    eighths = st.lists(st.integers(0, 30), min_size=n, max_size=n).filter(any).map(lambda w: np.array(w) / 8)
    return st.one_of(st.none(), whole_weights(n), eighths)


@st.composite
def judged(draw, max_size=20, classes=None, soft=True):
    """(probs, labels, weights): sixteenths, labels hard or soft, weights or None."""
    k = draw(st.integers(2, 5)) if classes is None else classes
    n = draw(st.integers(1, max_size))
    hard = st.lists(st.integers(0, k - 1), min_size=n, max_size=n).map(np.array)
    labels = draw(st.one_of(hard, rows_of_sixteenths(n, k)) if soft else hard)
    return draw(rows_of_sixteenths(n, k)), labels, draw(some_weights(n))


def target_rows(labels, classes):
    return labels.tolist() if labels.ndim == 2 else one_hot(labels, classes)
