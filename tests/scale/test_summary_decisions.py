"""Decisions, clinical measures and selective prediction of summaries, against the samples they were made of."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logit

import calibviz as cv

COARSE = cv.ScoreGrid(16, 3)
WEIGHTS = {"plain": None, "whole": lambda i: 1 + i % 3, "parts": lambda i: (2 + i % 5) / 4}


def numbers_of(found) -> dict[str, float]:
    return {name: value for name, value in vars(found).items() if value is not None}


def drawn(weights, n=1500):
    rng = np.random.default_rng(3)
    score = rng.beta(1, 2, n)
    weight = None if WEIGHTS[weights] is None else WEIGHTS[weights](np.arange(n))
    return cv.Predictions(score, (rng.random(n) < score**1.3).astype(int), weights=weight)


@pytest.fixture(params=WEIGHTS)
def both(request):
    p = drawn(request.param)
    return p, cv.summarize(p, "class 1", grid=COARSE)


def cell_of(summary, threshold):
    """The shares of a cell that a threshold cuts: of targets of 1, and of 0."""
    cell = np.searchsorted(summary.grid.left, threshold, "right") - 1
    return summary.right[cell] / summary.weight.sum(), summary.wrong[cell] / summary.weight.sum()


def test_net_benefit_is_exact_at_the_edges_of_cells(both):
    p, summary = both
    at = np.unique(np.append(summary.grid.left[1:-1:3], 1 / 3))
    exact, found = (cv.decision_curve(*one, thresholds=at) for one in ((p, "class 1"), (summary,)))
    for name in ("net_benefit", "standardized_net_benefit", "interventions_avoided", "treated", "true_positive"):
        np.testing.assert_allclose(found[name], exact[name], atol=1e-12)
    for options in ({"prevalence": 0.2}, {"strategy": "treat all"}, {"standardized": True}):
        wanted = cv.net_benefit(p, "class 1", threshold=at[4], **options)
        assert cv.net_benefit(summary, threshold=at[4], **options) == pytest.approx(wanted, abs=1e-12)


def test_within_a_cell_net_benefit_is_off_by_that_cell_at_most(both):
    p, summary = both
    off = []
    for threshold in np.linspace(0.011, 0.987, 60):
        right, wrong = cell_of(summary, threshold)
        exact, found = cv.net_benefit(p, "class 1", threshold=threshold), cv.net_benefit(summary, threshold=threshold)
        assert abs(found - exact) <= max(right, wrong * threshold / (1 - threshold)) + 1e-12
        off.append(abs(found - exact))
    assert max(off) > 1e-4  # thresholds fell inside of cells


def test_who_is_near_a_threshold(both):
    p, summary = both
    asked = {"thresholds": 0.5, "width": 1 / 6}  # from edge to edge
    exact, found = cv.local_calibration(p, "class 1", **asked), cv.local_calibration(summary, **asked)
    for name in ("count", "weight", "score", "target", "lower", "upper"):
        np.testing.assert_allclose(found[name], exact[name], atol=1e-9)
    inside = {"thresholds": [0.21, 0.47], "width": 0.07}
    exact, found = cv.local_calibration(p, "class 1", **inside), cv.local_calibration(summary, **inside)
    for at, off in zip(inside["thresholds"], abs(found.weight - exact.weight).values, strict=True):
        ends = [sum(cell_of(summary, at + side * inside["width"])) for side in (-1, 1)]
        assert off <= sum(ends) * summary.weight.sum() + 1e-9


def test_sums_give_the_means_exactly(both):
    p, summary = both
    assert numbers_of(cv.observed_expected(summary)) == pytest.approx(
        numbers_of(cv.observed_expected(p, "class 1")), abs=1e-12
    )
    large = cv.calibration_in_the_large(p, "class 1")
    assert cv.calibration_in_the_large(summary) == pytest.approx(large, abs=1e-12)


def test_the_intercept_moves_by_the_width_of_a_cell_at_most(both):
    p, summary = both
    filled = summary.weight > 0
    width = np.max(logit(summary.highest[filled]) - logit(summary.lowest[filled]))
    exact, found = (cv.calibration_intercept(*one).estimate for one in ((p, "class 1"), (summary,)))
    assert 0 < abs(found - exact) <= width


def test_points_of_the_risk_are_on_the_curve_of_the_samples(both):
    p, summary = both
    exact, found = cv.risk_coverage(p, "class 1"), cv.risk_coverage(summary)
    place = np.abs(exact.coverage.values[:, None] - found.coverage.values).argmin(axis=0)
    for name in ("coverage", "risk", "generalized_risk"):
        np.testing.assert_allclose(found[name], exact[name][place], atol=1e-12)
    lost = summary.wrong / summary.weight.sum()
    most = (summary.weight / summary.weight.sum()) @ lost / 2
    assert 0 < abs(cv.augrc(summary) - cv.augrc(p, "class 1")) <= most
    for risk in (0.1, 0.2, 0.3, 0.5):
        safe = cv.coverage_at_risk(summary, risk=risk).coverage
        assert safe <= cv.coverage_at_risk(p, "class 1", risk=risk).coverage + 1e-12
    for coverage in (0.1, 0.5, 0.9):
        risk = cv.risk_at_coverage(summary, coverage=coverage)
        least, most = (cv.risk_at_coverage(p, "class 1", coverage=c) for c in (coverage, 1.0))
        assert least - 1e-12 <= risk <= most + 1e-12


@pytest.mark.parametrize("name", ["naive Bayes", "random forest", "logistic regression"])
def test_on_the_default_grid_all_is_nearly_that_of_the_samples(name):
    p = cv.load_dataset("tumours")[name]
    for lens in ("class malignant", "top-1"):
        summary = cv.summarize(p, lens)
        for measure in (cv.aurc, cv.excess_aurc, cv.augrc, cv.ici):
            assert measure(summary) == pytest.approx(measure(p, lens), abs=2e-4)
        indices = (vars(cv.calibration_indices(*one)) for one in ((summary,), (p, lens)))
        assert next(indices) == pytest.approx(next(indices), abs=2e-4)
        assert numbers_of(cv.observed_expected(summary)) == pytest.approx(
            numbers_of(cv.observed_expected(p, lens)), rel=1e-5
        )
        for measure in (cv.calibration_intercept, cv.calibration_slope):
            clipped = (numbers_of(measure(*one, clip=1e-12)) for one in ((summary,), (p, lens)))
            assert next(clipped) == pytest.approx(next(clipped), rel=1e-5)
            found, exact = measure(summary), measure(p, lens)  # scores of a cell at an end differ by hundreds of logits
            assert abs(found.estimate - exact.estimate) <= 0.01 * (exact.upper - exact.lower)
            assert found.without == exact.without
        assert vars(cv.coverage_at_risk(summary, risk=0.05)) == pytest.approx(
            vars(cv.coverage_at_risk(p, lens, risk=0.05)), abs=1e-5, nan_ok=True
        )
        wanted = cv.risk_at_coverage(p, lens, coverage=0.9)
        assert cv.risk_at_coverage(summary, coverage=0.9) == pytest.approx(wanted, abs=1e-12)


def test_a_cube_of_a_summary_holds_them():
    p = drawn("whole")
    summary = cv.summarize(p, "class 1", grid=COARSE)
    names = ["aurc", "excess_aurc", "augrc", "net_benefit", "calibration_slope"]
    cube = cv.evaluate(summary, metrics=names, thresholds=[0.2, 0.37], replicates=20, progress=False)
    for name in ("aurc", "excess_aurc", "augrc"):
        assert cube[name].item() == pytest.approx(getattr(cv, name)(summary), rel=1e-12)
        low, high = cube[f"{name}_quantile"].values.ravel()
        assert low < cube[name].item() < high
    wanted = [cv.net_benefit(summary, threshold=at) for at in (0.2, 0.37)]
    assert cube.net_benefit.values.ravel() == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda s: cv.expected_cost(s, costs=[[0, 1], [1, 0]]), "costs are paid for rows"),
        (cv.segments, "segments are made of the fields of rows"),
        (cv.multicalibration_error, "segments are made of the fields of rows"),
    ],
)
def test_what_needs_rows_refuses_a_summary(call, why):
    with pytest.raises(TypeError, match=rf"not Summary: {why}, which sums have lost"):
        call(cv.summarize(drawn("plain"), "class 1"))
