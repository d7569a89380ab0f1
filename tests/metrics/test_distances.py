"""Distances between vectors: what they refuse, by the message, and where two of them are one."""

from __future__ import annotations

import re

import numpy as np
import pytest

import calibviz as cv

P = cv.Predictions([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8]], [0, 1, 1])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cv.ClassWeighted([1, -2, 1]), "weights[1] is -2: the weight of an outcome cannot be negative"),
        (lambda: cv.Mahalanobis([[1, 0, 0], [0, 1, 0]]), "matrix must be square, but its shape is (2, 3)"),
        (
            lambda: cv.Mahalanobis([[1, 0.5], [0.25, 1]]),
            "matrix must be symmetric, but matrix[0, 1] is 0.5 and matrix[1, 0] is 0.25",
        ),
        (lambda: cv.Mahalanobis([[1, 2], [2, 1]]), "positive semi-definite, but its least eigenvalue is -1:"),
        (
            lambda: cv.calibration_error(P, "full", cv.Uniform(1), distance=cv.Mahalanobis(np.eye(2))),
            "matrix is for 2 outcomes, but the lens has 3",
        ),
        (
            lambda: cv.calibration_error(P, "top-1", cv.Uniform(1), distance=cv.Mahalanobis(np.eye(3))),
            "the Mahalanobis distance needs a vector lens, such as 'full' or 'grouping': this one is scalar",
        ),
    ],
)
def test_messages(make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


def test_a_mahalanobis_distance_of_equal_axes_is_that_of_euclid():
    for factor in (1.0, 4.0):
        found = cv.calibration_error(P, "full", cv.Uniform(1), distance=cv.Mahalanobis(factor * np.eye(3)))
        expected = cv.calibration_error(P, "full", cv.Uniform(1), distance=cv.Lp(2))
        assert found == pytest.approx(np.sqrt(factor) * expected)
