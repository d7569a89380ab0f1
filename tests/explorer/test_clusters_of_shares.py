"""Shares of whole rows have the interval of their clusters."""

import numpy as np
import pytest

import calibviz as cv
from calibviz.answers.views.confidence import ends_by_clusters


def test_the_interval_of_a_share_is_that_of_the_mean_target_of_the_lens():
    rng = np.random.default_rng(0)
    p = cv.Predictions(rng.dirichlet(np.ones(3), 200), rng.integers(0, 3, 200), cluster=np.arange(200) // 10)
    targets = [p.target_within(k) for k in (1, 2)]
    lower, upper = ends_by_clusters(p, np.ones(200), targets)
    for i, lens in enumerate(("top-1", "within-top 2")):
        of_one_bin = cv.reliability(p, lens, binning=cv.Uniform(1))
        assert (lower[i], upper[i]) == pytest.approx((of_one_bin.lower.item(), of_one_bin.upper.item()))
    assert ends_by_clusters(cv.Predictions(p.probs, p.labels), np.ones(200), targets) is None


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_share_of_0_or_1_is_not_sure(share):
    p = cv.Predictions(np.full((60, 3), [0.6, 0.3, 0.1]), np.full(60, 0 if share else 2), cluster=np.arange(60) // 3)
    lower, upper = ends_by_clusters(p, np.ones(60), [p.target_within(1)])
    ends = (0.025 ** (1 / 20), 1.0) if share else (0.0, 1 - 0.025 ** (1 / 20))  # Clopper and Pearson, of 20 clusters
    assert (lower[0], upper[0]) == pytest.approx(ends)
