"""Consistency resampling, and the bars of reliability diagrams, which are resampled bin by bin."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest, kstest
from slow import equal_mass_bins, means, uniform_bins

import calibviz as cv
from calibviz.engine.scalar import EmptyProblemError
from calibviz.foundation.written import number, p_value
from calibviz.uncertainty.resampling.bootstrap import drawn_weights
from calibviz.uncertainty.resampling.consistency import calibrated, p_values


def predictions(n=60, *, weights=None, soft=False, seed=0, sharper=1.0):
    """Three classes, the labels as likely as the probabilities say unless these are made `sharper` than that."""
    rng = np.random.default_rng(seed)
    true = rng.dirichlet([0.7, 0.7, 0.7], n)
    labels = np.array([rng.choice(3, p=row) for row in true])
    probs = true**sharper / (true**sharper).sum(axis=1, keepdims=True)
    given = {"whole": rng.integers(0, 4, n), "fractional": rng.uniform(0.2, 2, n)}
    return cv.Predictions(
        probs,
        rng.dirichlet([1, 1, 1], n) if soft else labels,
        weights=None if weights is None else given[weights],
        class_names=["cat", "dog", "eel"],
        fields={"age": rng.integers(20, 60, n)},
    )


# ---- consistency resampling


@pytest.mark.parametrize("weights", [None, "whole", "fractional"])
def test_targets_of_a_scalar_lens_are_drawn_from_the_scores(weights):
    p = predictions(weights=weights)
    problem = cv.lens("top-1")(p)
    found = cv.consistency(p, error=lambda q: q.mean_target, replicates=1000, progress=False)
    assert found.estimate == problem.mean_target
    assert found.mean == pytest.approx(problem.mean_score, abs=4 * found.std / np.sqrt(1000))
    shares = problem.weight / problem.total if weights == "fractional" else np.full(len(problem), 1 / problem.total)
    times = problem.weight if weights == "whole" else 1  # a label is drawn for each of the repeated rows
    variance = (times * shares**2 * problem.score * (1 - problem.score)).sum()
    assert found.std == pytest.approx(np.sqrt(variance), rel=0.1)


def test_scores_stay_and_targets_are_labels():
    p = predictions()
    problem = cv.lens("top-1")(p)
    for other in calibrated(problem, 5):
        np.testing.assert_array_equal(other.score, problem.score)
        np.testing.assert_array_equal(other.order, problem.order)
        assert set(np.unique(other.given_target)) == {0, 1}
    np.testing.assert_array_equal(problem.given_target, cv.lens("top-1")(p).given_target)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_a_vector_lens_draws_one_outcome_of_each_row(dtype):
    rows = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1], [0.5, 0, 0.5], [0.125, 0.25, 0.625], [0.0005, 0.9995, 0]], dtype)
    p = cv.Predictions(rows, [1, 0, 2, 0, 2, 1])
    drawn = np.array([other.target_rows() for other in calibrated(cv.lens("full")(p), 2000)])
    assert (drawn.sum(axis=2) == 1).all()
    assert drawn.mean(axis=0) == pytest.approx(rows, abs=0.05)
    assert (drawn.mean(axis=0)[:3] == rows[:3]).all()
    assert (drawn[:, rows == 0] == 0).all()
    found = cv.consistency(
        p, error=lambda q: cv.calibration_error(q, binning=cv.KDTree(0.5)), lens="full", replicates=10, progress=False
    )
    assert found.estimate == cv.calibration_error(p, "full", binning=cv.KDTree(0.5))
    assert found.replicates.shape == (10,)


def test_the_numbers_of_the_replicates():
    p = predictions()
    found = cv.consistency(p, error=cv.ks_error, replicates=99, level=0.8, progress=False)
    above = sum(value >= found.estimate for value in found.replicates)
    assert found.p_value == (1 + above) / 100
    assert (found.lower, found.upper) == pytest.approx(tuple(np.quantile(found.replicates, [0.1, 0.9])))
    said = f"{number(found.estimate)}, {p_value(found.p_value, 'p', 99)}; if calibrated, 80 % lie between"
    assert repr(found) == f"<Consistency {said} {number(found.lower)} and {number(found.upper)}>"
    again, other = (cv.consistency(p, error=cv.ks_error, replicates=99, rng=s, progress=False) for s in (0, 1))
    np.testing.assert_array_equal(found.replicates, again.replicates)
    assert (found.replicates != other.replicates).any()
    # As large an error counts as large: every replicate of perfect predictions is the same.
    sure = cv.Predictions([[1.0, 0.0], [0.0, 1.0]], [0, 1])
    assert cv.consistency(sure, error=cv.ks_error, replicates=9, progress=False).p_value == 1


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("lens", "statistic"),
    [
        ("top-1", cv.ks_error),
        ("class dog", lambda q: cv.calibration_error(q, binning=cv.EqualMass(5))),
        ("full", lambda q: cv.calibration_error(q, binning=cv.KDTree(0.3))),
    ],
)
def test_p_values_are_uniform_where_all_is_calibrated_and_small_where_not(lens, statistic):
    values = [
        cv.consistency(predictions(seed=s), error=statistic, lens=lens, replicates=39, rng=s, progress=False).p_value
        for s in range(100)
    ]
    assert kstest(values, "uniform").pvalue > 0.01
    wrong = predictions(600, sharper=8)
    assert cv.consistency(wrong, error=statistic, lens=lens, replicates=99, progress=False).p_value == 1 / 100


@pytest.mark.parametrize("lens", ["top-1", "full", "pooled", "classwise"])
def test_whole_weights_are_repeated_rows(lens):
    p = predictions(weights="whole")
    rows = np.repeat(np.arange(len(p)), p.weights.astype(int))
    repeated = cv.Predictions(p.probs[rows], p.labels[rows])
    binning = cv.KDTree(0.2) if lens == "full" else cv.EqualMass(5)

    def statistic(q):
        return cv.calibration_error(q, binning=binning)

    found, other = (
        cv.consistency(one, error=statistic, lens=lens, replicates=200, progress=False) for one in (p, repeated)
    )
    if lens in ("top-1", "full"):
        same = cv.consistency(cv.lens(lens)(p).repeated(), error=statistic, replicates=200, progress=False)
        np.testing.assert_array_equal(found.replicates, same.replicates)
    assert found.estimate == pytest.approx(other.estimate, abs=1e-12)
    assert found.mean == pytest.approx(other.mean, abs=5 * found.std / np.sqrt(200))
    assert found.std == pytest.approx(other.std, rel=0.2)


@pytest.mark.parametrize("weights", [None, "whole", "fractional"])
def test_a_statistic_may_name_an_outcome(weights):
    p = predictions(weights=weights)
    for name in p.class_names:
        found = cv.consistency(
            p, error=lambda q, name=name: cv.ks_error(q, outcome=name), lens="full", replicates=3, progress=False
        )
        assert found.estimate == pytest.approx(cv.ks_error(p, f"class {name}"), abs=1e-12)


def test_selections_and_outcomes():
    p = predictions()
    by_text = cv.consistency(
        p, error=cv.ks_error, lens="class cat", selection="output > 0.3 and age < 50", replicates=20, progress=False
    )
    problem = cv.ScalarProblem(
        *(column[(p.probs[:, 0] > 0.3) & (p.fields["age"] < 50)] for column in (p.probs[:, 0], p.labels == 0))
    )
    np.testing.assert_array_equal(
        by_text.replicates, cv.consistency(problem, error=cv.ks_error, replicates=20, progress=False).replicates
    )
    for lens in ("full", "classwise"):
        one = cv.consistency(p, error=cv.ks_error, lens=lens, outcome="dog", replicates=20, progress=False)
        same = cv.consistency(p, error=cv.ks_error, lens="class dog", replicates=20, progress=False)
        np.testing.assert_array_equal(one.replicates, same.replicates)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"replicates": 0}, ValueError, "replicates must be at least 1, not 0"),
        ({"level": 0}, ValueError, "level must lie strictly between 0 and 1, not be 0"),
        ({"error": 3}, TypeError, "error must be a function such as cv.ks_error, not 3"),
        (
            {"predictions": cv.lens("classwise")(predictions())},
            ValueError,
            "a family of problems has no labels to draw",
        ),
        ({"lens": "pooled", "predictions": predictions(soft=True)}, ValueError, "but the labels are soft"),
        ({"error": lambda q: float("nan")}, ValueError, "the error must return a number, not nan"),
        ({"rng": -1}, ValueError, "rng must be at least 0, not -1"),
        ({"predictions": predictions(soft=True)}, ValueError, "draws one label a sample, but the labels are soft"),
        ({"selection": "age > 99"}, EmptyProblemError, "no sample is left"),
    ],
)
def test_messages(arguments, error, message):
    with pytest.raises(error, match=message):
        cv.consistency(**{"predictions": predictions(), "error": cv.ks_error, "progress": False} | arguments)


# ---- bars of a reliability diagram


def bars_by_hand(problems, cut, level):
    """Quantiles of the mean target of each bin over replicates, which are lists of (score, target, weight)."""
    targets = np.array([[np.nan if t is None else t for _, _, t in means(cut(list(one)))] for one in problems])
    out = np.full((2, targets.shape[1]), np.nan)
    for b, column in enumerate(targets.T):
        if not np.isnan(column).all():
            out[:, b] = np.quantile(column[~np.isnan(column)], [(1 - level) / 2, (1 + level) / 2])
    return out


@pytest.mark.parametrize("weights", [None, "whole"])
@pytest.mark.parametrize(
    ("binning", "cut"),
    [
        (cv.Uniform(9), lambda problem: uniform_bins(problem, 9)),
        (cv.EqualMass(4), lambda problem: equal_mass_bins(problem, 4)),
    ],
    ids=["uniform", "equal-mass"],
)
def test_bars_are_quantiles_over_replicates(binning, cut, weights):
    p = predictions(40, weights=weights)
    problem = cv.lens("class cat")(p)
    columns = problem.score, problem.given_target
    table = cv.reliability(p, "class cat", binning=binning, interval="bootstrap", level=0.8, replicates=30, rng=2)
    draws = drawn_weights(len(problem), problem.given_weight, 30, seed=2)
    lower, upper = bars_by_hand((zip(*columns, drawn, strict=True) for drawn in draws), cut, 0.8)
    np.testing.assert_allclose(table["lower"], lower, atol=1e-12)
    np.testing.assert_allclose(table["upper"], upper, atol=1e-12)
    table = cv.reliability(p, "class cat", binning=binning, interval="consistency", level=0.8, replicates=30, rng=2)
    others = (zip(one.score, one.given_target, one.weight, strict=True) for one in calibrated(problem, 30, 2))
    lower, upper = bars_by_hand(others, cut, 0.8)
    np.testing.assert_allclose(table["lower"], lower, atol=1e-12)
    np.testing.assert_allclose(table["upper"], upper, atol=1e-12)


@pytest.mark.parametrize("interval", ["clopper-pearson", "bootstrap", "consistency"])
def test_bars_of_empty_bins_are_nan_and_others_are_not(interval):
    p = cv.Predictions([0.05, 0.06, 0.07, 0.95, 0.94, 0.93], [0, 0, 1, 1, 0, 1])
    table = cv.reliability(p, "class 1", binning=cv.Uniform(10), interval=interval, replicates=50)
    empty = table["count"] == 0
    assert empty.sum() == 8
    for name in ("lower", "upper", "target"):
        np.testing.assert_array_equal(table[name].isnull(), empty)
    filled = table.isel(bin=np.flatnonzero(~empty))
    assert (filled["lower"] <= filled["upper"]).all()
    assert interval in table["lower"].attrs["long_name"]


def test_clopper_pearson_is_the_exact_interval():
    p = predictions(200)
    table = cv.reliability(p, "class eel", binning=cv.Uniform(6), level=0.9)
    for b in range(6):
        one = table.isel(bin=b)
        hits = round(float(one["target"] * one["count"]))
        ends = binomtest(hits, int(one["count"])).proportion_ci(0.9, "exact")
        assert (one["lower"].item(), one["upper"].item()) == pytest.approx((ends.low, ends.high), abs=1e-9)


def test_consistency_bars_are_where_calibrated_targets_lie():
    p = predictions(2000)
    table = cv.reliability(p, "class cat", binning=cv.EqualMass(10), interval="consistency", replicates=200)
    assert (table["lower"] <= table["score"]).all()
    assert (table["score"] <= table["upper"]).all()
    assert ((table["lower"] <= table["target"]) & (table["target"] <= table["upper"])).sum() >= 8
    wrong = cv.reliability(
        predictions(2000, sharper=4), "class cat", binning=cv.EqualMass(5), interval="consistency", replicates=200
    )
    assert ((wrong["target"] < wrong["lower"]) | (wrong["target"] > wrong["upper"])).sum() >= 3


@pytest.mark.parametrize("interval", ["bootstrap", "consistency"])
@pytest.mark.parametrize("scheme", ["equal-mass", "uniform"])
def test_the_sweep_keeps_its_number_of_bins(interval, scheme):
    p = predictions(200)
    table = cv.reliability(p, "class cat", binning=cv.Sweep(scheme), interval=interval, replicates=30)
    bins = int(cv.sweep_bins(p, "class cat", scheme=scheme))
    assert table.sizes["bin"] == bins > 2
    fixed = cv.EqualMass(bins) if scheme == "equal-mass" else cv.Uniform(bins)
    same = cv.reliability(p, "class cat", binning=fixed, interval=interval, replicates=30)
    np.testing.assert_array_equal(table["lower"], same["lower"])
    np.testing.assert_array_equal(table["upper"], same["upper"])


@pytest.mark.parametrize("interval", ["clopper-pearson", "bootstrap", "consistency"])
def test_classwise_adds_the_dimension_outcome(interval):
    p = predictions()
    table = cv.reliability(
        p, "classwise", binning=cv.Uniform(4), selection="age > 30", interval=interval, replicates=20, rng=3
    )
    assert table["lower"].dims == ("outcome", "bin")
    assert table["outcome"].values.tolist() == ["cat", "dog", "eel"]
    for name in p.class_names:
        one = cv.reliability(
            p, f"class {name}", binning=cv.Uniform(4), selection="age > 30", interval=interval, replicates=20, rng=3
        )
        for column in ("score", "target", "count", "lower", "upper"):
            np.testing.assert_allclose(table[column].sel(outcome=name), one[column], atol=1e-12)


def test_cells_and_leaves_have_consistency_bars():
    p = predictions(200)
    for binning in (cv.KDTree(0.2), cv.Uniform(3)):
        table = cv.reliability(p, "full", binning=binning, interval="consistency", replicates=100)
        assert table["lower"].dims == ("bin", "outcome")
        assert (table["lower"] <= table["upper"]).all()
        large = table.isel(bin=np.flatnonzero(table["count"] >= 20))
        assert large.sizes["bin"] >= 3
        assert (large["lower"] <= large["score"]).all()
        assert (large["score"] <= large["upper"]).all()


@pytest.mark.parametrize(("lens", "binning"), [("full", cv.KDTree(0.1)), ("top-1", cv.Distinct())])
def test_bins_that_come_and_go_have_no_bootstrap_bars(lens, binning):
    with pytest.raises(ValueError, match="interval='bootstrap' needs as many bins in every replicate"):
        cv.reliability(predictions(), lens, binning=binning, interval="bootstrap", replicates=20)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"interval": "wald"}, "interval must be one of 'clopper-pearson', 'bootstrap', 'consistency', not 'wald'"),
        ({"interval": "bootstrap", "replicates": 0}, "replicates must be at least 1, not 0"),
        ({"interval": "bootstrap", "level": 95}, "level must lie strictly between 0 and 1, not be 95"),
        ({"interval": "consistency", "predictions": predictions(soft=True)}, "but the labels are soft"),
    ],
)
def test_messages_about_bars(arguments, message):
    with pytest.raises(ValueError, match=message):
        cv.reliability(**{"predictions": predictions()} | arguments)


def test_many_repetitions_are_drawn_as_so_many_rows():
    p = cv.simulated("resnet110_c10", 400)
    scores = np.round(p.probs[:, 1], 2)
    once = cv.ScalarProblem(scores, p.labels)
    for statistic in (cv.ks_error, lambda q: q.mean_target, lambda q: cv.calibration_error(q, binning=cv.EqualMass(7))):
        rows = cv.ScalarProblem(np.repeat(scores, 300), np.repeat(p.labels, 300))
        weighted = cv.ScalarProblem(scores, p.labels, np.full(400, 300.0))
        found, exact = (
            cv.consistency(one, error=statistic, replicates=300, progress=False) for one in (weighted, rows)
        )
        assert found.estimate == pytest.approx(exact.estimate, abs=1e-12)
        assert found.mean == pytest.approx(exact.mean, abs=0.3 * exact.std)
        assert found.std == pytest.approx(exact.std, rel=0.2)
    heavy = cv.ScalarProblem(scores, p.labels, np.full(400, 1e10))
    assert cv.consistency(heavy, error=cv.ks_error, replicates=20, progress=False).upper < 1e-4 < cv.ks_error(once)


def test_errors_that_differ_by_rounding_are_equal():
    nulls = np.array([[0.1, 0.3], [0.2 - 1e-16, np.nan], [0.3, 0.3]])
    assert p_values(nulls, [0.2, 0.3]).tolist() == [0.75, 1.0]
