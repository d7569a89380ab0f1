"""Where rows may belong together and nobody said so, the first test or interval asks, once."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from driver import screen

import calibviz as cv

N = 240


def made(cluster=None, name="patient"):
    rng = np.random.default_rng(0)
    score = rng.random(N)
    return cv.Predictions(score, rng.random(N) < score, fields={name: np.repeat(np.arange(60), 4)}, cluster=cluster)


#: Some of the functions that say it; tests/project/test_clusters_everywhere.py goes through all.
ASKS = {
    "bootstrap": lambda p: cv.bootstrap(p, error=cv.ks_error, replicates=5, progress=False),
    "corp": lambda p: cv.corp(p, replicates=5, progress=False),
    "murphy_curve": lambda p: cv.murphy_curve(p, replicates=5),
    "evaluate": lambda p: cv.evaluate(p, metrics=["ks"], noise=True, progress=False),
    "interval": lambda p: cv.interval(p, error=cv.ks_error, progress=False),
    "ks_test": lambda p: cv.ks_test(p),
    "ks_test, by keyword": lambda p: cv.ks_test(predictions=p),
    "observed_expected": cv.observed_expected,
    "reliability": cv.reliability,
    "verdict": lambda p: cv.verdict(p, progress=False),
    "within_noise": lambda p: cv.within_noise(
        {"a": p, "b": p.with_probs(p.probs)}, error=cv.brier_score, progress=False
    ),
}


@pytest.mark.parametrize("name", ASKS)
def test_it_is_said_once_with_both_ways_out(name):
    p = made()
    said = r"240 rows of 60 different 'patient': .*; cluster='patient' takes them together, and cluster=False says"
    with pytest.warns(cv.DependenceWarning, match=said) as heard:
        ASKS[name](p)
    assert [one.filename for one in heard] == [__file__]
    ASKS[name](p)  # warnings are errors
    ASKS[name](p.select(np.arange(N - 4)))


@pytest.mark.parametrize("p", [made("patient"), made(False), made(name="age"), made().with_cluster(False)])
def test_an_answer_silences_it(p):
    for ask in ASKS.values():
        ask(p)


def test_numbers_without_noise_say_nothing():
    p = made()
    cv.corp(p), cv.ks_error(p), cv.calibration_error(p), cv.accuracy(p), cv.evaluate(p, metrics=["ks"], progress=False)
    with pytest.warns(cv.DependenceWarning):
        cv.auc(p)


def test_a_page_says_it_itself():
    explorer = cv.Explorer(made(), panels=())
    assert "count as independent" in screen(explorer).evidence
    explorer.close()


def test_it_can_be_ignored():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cv.DependenceWarning)
        cv.ks_test(made())
