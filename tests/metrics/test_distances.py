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
        (lambda: cv.Lp(np.inf), "p must be finite, not inf: Lp(p=1e9) is the largest |g_k - t_k| to eight digits"),
        (lambda: cv.ClassWeighted([1, -2, 1]), "weights[1] is -2: the weight of an outcome cannot be negative"),
        (lambda: cv.Mahalanobis([[1, 0, 0], [0, 1, 0]]), "matrix must be square, but its shape is (2, 3)"),
        (
            lambda: cv.Mahalanobis([[1, 0.5], [0.25, 1]]),
            "matrix must be symmetric, but matrix[0, 1] is 0.5 and matrix[1, 0] is 0.25",
        ),
        (lambda: cv.Mahalanobis([[1, 2], [2, 1]]), "positive semi-definite, but its least eigenvalue is -1:"),
        (
            lambda: cv.calibration_error(P, "full", binning=cv.Uniform(1), distance=cv.Mahalanobis(np.eye(2))),
            "matrix is for 2 outcomes, but the lens has 3",
        ),
        (
            lambda: cv.calibration_error(P, "top-1", binning=cv.Uniform(1), distance=cv.Mahalanobis(np.eye(3))),
            "the Mahalanobis distance needs a vector lens, such as 'full' or 'grouping': this one is scalar",
        ),
    ],
)
def test_messages(make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


def test_a_large_power_takes_the_largest_difference():
    far = cv.calibration_error(P, "full", binning=cv.Uniform(1), distance=lambda g, t: np.abs(g - t).max(axis=1))
    assert cv.calibration_error(P, "full", binning=cv.Uniform(1), distance=cv.Lp(1e9)) == pytest.approx(far, rel=1e-8)


def test_a_mahalanobis_distance_of_equal_axes_is_that_of_euclid():
    for factor in (1.0, 4.0):
        found = cv.calibration_error(P, "full", binning=cv.Uniform(1), distance=cv.Mahalanobis(factor * np.eye(3)))
        expected = cv.calibration_error(P, "full", binning=cv.Uniform(1), distance=cv.Lp(2))
        assert found == pytest.approx(np.sqrt(factor) * expected)


def test_inverse_covariance_counts_in_standard_deviations():
    rng = np.random.default_rng(3)
    told = rng.beta(2, 5, 400)
    problem = cv.VectorProblem(np.column_stack([told, 1 - told]), rng.integers(0, 2, 400))
    distance = cv.Mahalanobis.inverse_covariance(problem)
    apart = distance(np.array([[0.6, 0.4]]), np.array([[0.5, 0.5]]))
    assert apart[0] == pytest.approx(0.1 / told.std())


@pytest.mark.parametrize(("digits", "dtype"), [(None, "float64"), (3, "float64"), (None, "float32"), (None, "float16")])
def test_inverse_covariance_whitens_the_scores_even_where_their_sums_are_rounded(digits, dtype):
    rng = np.random.default_rng(4)
    probs = rng.dirichlet([4, 3, 2, 1], 500)
    probs = (probs if digits is None else probs.round(digits)).astype(dtype)
    distance = cv.Mahalanobis.inverse_covariance(cv.VectorProblem(probs, rng.integers(0, 4, 500)))
    probs = probs.astype(np.float64)
    lengths = distance(probs, np.broadcast_to(probs.mean(axis=0), probs.shape))
    assert (lengths**2).mean() == pytest.approx(3, rel=1e-3)  # one for each direction in which the scores vary


@pytest.mark.parametrize("row", [[0.7, 0.2, 0.1], [1 / 3, 1 / 3, 1 / 3], [1.0, 0.0, 0.0]])
@pytest.mark.parametrize("noise", [0.0, 1e-16])
def test_the_rounding_of_scores_that_do_not_vary_is_no_distance(row, noise):
    rng = np.random.default_rng(0)
    probs = np.tile(row, (50, 1)) + noise * rng.standard_normal((50, 3))
    assert not np.any(cv.Mahalanobis.inverse_covariance(cv.VectorProblem(probs.clip(0, 1), [0] * 50)).matrix)


def test_inverse_covariance_takes_whole_weights_as_repetitions():
    rng = np.random.default_rng(5)
    probs, labels, times = rng.dirichlet([1, 2, 3], 60), rng.integers(0, 3, 60), rng.integers(0, 4, 60)
    weighted = cv.Mahalanobis.inverse_covariance(cv.VectorProblem(probs, labels, times.astype(float)))
    repeated = cv.Mahalanobis.inverse_covariance(cv.VectorProblem(probs.repeat(times, 0), labels.repeat(times)))
    np.testing.assert_allclose(weighted.matrix, repeated.matrix, rtol=1e-9)


def test_inverse_covariance_of_a_scalar_problem_is_refused():
    with pytest.raises(TypeError, match=r"problem must be a VectorProblem, such as cv.lens\('full'\)\(predictions\)"):
        cv.Mahalanobis.inverse_covariance(cv.ScalarProblem([0.1, 0.4], [0, 1]))
