"""Samples of scalar problems, drawn by Hypothesis, and the same samples told in other ways."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import calibviz as cv


@st.composite
def samples(draw, max_size=20, levels=(8, 64, 997), least_weight=0):
    """(scores, targets, weights or None), with many ties or few, hard or soft targets, weights whole or not."""
    n = draw(st.integers(1, max_size))
    level = draw(st.sampled_from(levels))
    parts = draw(st.sampled_from([1, 1, 4]))
    score = np.array(draw(st.lists(st.integers(0, level), min_size=n, max_size=n))) / level
    target = np.array(draw(st.lists(st.integers(0, parts), min_size=n, max_size=n))) / parts
    unit = draw(st.sampled_from([None, 1, 8]))
    if unit is None:
        return score, target, None
    counts = st.lists(st.integers(least_weight, 3 * unit), min_size=n, max_size=n).filter(any)
    return score, target, np.array(draw(counts)) / unit


def others(score, target, weight):
    """The problems that say the same: in another order, and with rows repeated in place of whole weights."""
    order = np.random.default_rng(len(score)).permutation(len(score))
    yield cv.ScalarProblem(score[order], target[order], None if weight is None else weight[order])
    if weight is None:
        yield cv.ScalarProblem(score, target, np.ones(len(score)))
    elif (weight == np.floor(weight)).all():
        times = weight.astype(int)
        yield cv.ScalarProblem(np.repeat(score, times), np.repeat(target, times))


def confident(n, weighted=False):
    """Predictions of eight classes, nearly all of them very sure."""
    rng = np.random.default_rng(0)
    logits = 8 * rng.standard_normal((n, 8))
    labels = (logits + 4 * rng.gumbel(size=(n, 8))).argmax(axis=1)
    return cv.Predictions(logits=logits, labels=labels, weights=rng.integers(0, 4, n) if weighted else None)
