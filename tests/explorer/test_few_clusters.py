"""Few clusters on a page: no verdict is given that they cannot carry, and it is said why."""

import numpy as np

import calibviz as cv


def made(clusters: int) -> cv.Predictions:
    rng = np.random.default_rng(0)
    score = rng.beta(1.5, 2, 300)
    fields = {"site": rng.choice(list("abc"), 300), "patient": np.arange(300) % clusters}
    return cv.Predictions(score, (rng.random(300) < score).astype(int), fields=fields, cluster="patient")


def test_fewer_than_six_clusters_have_no_test():
    said = str(cv.verdict(made(5)))
    assert "5 clusters are fewer than 6" in said and "no error shows" not in said


def test_no_segment_is_looked_at_in_few_clusters():
    assert "none lies in 10 clusters or more" in str(cv.verdict(made(8)))
