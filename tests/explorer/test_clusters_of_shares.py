"""Shares of whole rows have the interval of their clusters."""

import numpy as np
import pytest

import calibviz as cv
from calibviz.answers.confidence import ends_by_clusters


def test_the_interval_of_a_share_is_that_of_sums_over_clusters():
    rng = np.random.default_rng(0)
    p = cv.Predictions(rng.dirichlet(np.ones(3), 200), rng.integers(0, 3, 200), cluster=np.arange(200) // 10)
    targets = [p.target_within(k) for k in (1, 2)]
    lower, upper = ends_by_clusters(p, np.ones(200), targets)
    for i, target in enumerate(targets):
        of_each = target.reshape(20, 10).mean(axis=1)
        error = of_each.std(ddof=1) / 20**0.5
        assert (lower[i], upper[i]) == pytest.approx(
            (target.mean() - 2.093024 * error, target.mean() + 2.093024 * error)
        )
    assert ends_by_clusters(cv.Predictions(p.probs, p.labels), np.ones(200), targets) is None
