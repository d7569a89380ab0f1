"""Whether scores run backwards by more than chance: by all orders of few samples, by the z of many."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import norm

from calibviz.foundation.chance import CHANCE_OF_BACKWARDS, mann_whitney, orders_backwards


def share_of_orders(pairs, events, others):
    """The share of all orders of the samples in which events win at most so many pairs."""
    orders = itertools.combinations(range(events + others), events)
    wins = [sum(places) - events * (events - 1) // 2 for places in orders]
    return np.mean(np.array(wins) <= pairs)


@given(st.integers(1, 9), st.integers(1, 7), st.data())
def test_few_samples_are_judged_by_all_of_their_orders(events, others, data):
    pairs = data.draw(st.integers(0, events * others // 2))
    is_rare = share_of_orders(pairs, events, others) < CHANCE_OF_BACKWARDS
    assert orders_backwards(pairs / (events * others), events, others) == is_rare
    assert orders_backwards(pairs / (events * others), others, events) == is_rare


def test_many_samples_are_judged_by_the_z():
    assert pytest.approx(norm.cdf(-3)) == CHANCE_OF_BACKWARDS
    for events, others in ((10, 10), (40, 1_000)):
        edge = 0.5 - 3 * math.sqrt((events + others + 1) / (12 * events * others))
        assert mann_whitney(edge, events, others) == pytest.approx(-3)
        assert orders_backwards(edge - 1e-9, events, others) and not orders_backwards(edge + 1e-9, events, others)


@pytest.mark.parametrize(
    ("area", "events", "others", "expected"),
    [
        (0.0, 5, 5, False),  # one of 252 orders
        (0.0, 6, 6, True),  # one of 924
        (0.0, 3, 2_000, True),  # whose z is above -3
        (0.5, 3, 2_000, False),
        (1.0, 3, 2_000, False),
        (0.0, 0, 50, False),
        (0.0, 5.7, 5.2, False),  # weights that are worth so many samples
        (0.49, 9, 10**9, False),
    ],
)
def test_so_many_samples_run_backwards(area, events, others, expected):
    assert orders_backwards(area, events, others) is expected
