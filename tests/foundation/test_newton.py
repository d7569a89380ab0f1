"""Newton's method for convex losses, where its plain steps would go astray, too."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from calibviz.foundation.cancellation import Cancelled, cancellable
from calibviz.foundation.newton import minimum


def logistic(design, target, weight):
    """The loss and the Hessian of a logistic regression."""

    def loss(x):
        z = x @ design
        return float(weight @ (np.logaddexp(0, z) - target * z)), design @ (weight * (expit(z) - target))

    def hessian(x):
        p = expit(x @ design)
        return (design * (weight * p * (1 - p))) @ design.T

    return loss, hessian


@pytest.mark.parametrize("n", [2, 3, 30])
@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("steep", [0.1, 1.0, 30.0])
def test_gradients_vanish_at_the_least(n, unit, steep):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        design = np.stack([steep * rng.normal(size=n), np.ones(n)])
        target = np.where(np.sort(design[0]) == design[0], 0.99, 0.01)  # separated now and then
        loss, hessian = logistic(design, target, np.full(n, unit / n))
        for start in (np.zeros(2), np.array([5.0, -30.0])):  # where all is certain, nothing curves
            found = minimum(loss, hessian, start, 1e-10 * unit)
            assert np.linalg.norm(loss(found)[1]) <= 1e-9 * unit * steep
            assert loss(found)[0] <= loss(start)[0]


def test_a_parabola_takes_one_step():
    steps = []

    def loss(x):
        steps.append(x)
        return float(x @ x), 2 * x

    np.testing.assert_allclose(minimum(loss, lambda x: 2 * np.eye(2), np.array([3.0, -4.0]), 1e-9), 0, atol=1e-15)
    assert len(steps) == 2


def test_what_has_no_curvature_goes_downhill():
    def loss(x):
        return float(np.logaddexp(0, x[0] - 40) + np.logaddexp(0, -x[0] - 40)), expit(x - 40) - expit(-x - 40)

    found = minimum(loss, lambda x: np.zeros((1, 1)), np.array([60.0]), 1e-6)
    assert loss(found)[0] < 1e-5


def test_it_can_be_cancelled():
    def stop(_):
        raise Cancelled

    loss, hessian = logistic(np.ones((1, 2)), np.array([0.1, 0.3]), np.ones(2))
    with pytest.raises(Cancelled), cancellable(stop):
        minimum(loss, hessian, np.zeros(1), 1e-9)
