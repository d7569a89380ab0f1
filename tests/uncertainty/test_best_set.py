"""Which models are within noise of the best: the test, its level, and what cubes and rankings make of it."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from scipy.stats import binom

import calibviz as cv
from calibviz.context.induced import induced_problem
from calibviz.uncertainty.best_set import p_values_of
from calibviz.uncertainty.resampling.bootstrap import drawn_weights
from calibviz.uncertainty.resampling.contenders import CRITERIA, contender_of

DIGITS = cv.load_dataset("digits")
SOME = {name: p.select(np.arange(0, 1797, 3)) for name, p in DIGITS.items()}
METHODS = ["none", "temperature", "isotonic", "histogram"]


def apart(*gaps, n=5000, seed=0):
    """Models of the same samples that say so much too little."""
    rng = np.random.default_rng(seed)
    truth = rng.uniform(0.85, 0.99, n)
    labels = (rng.random(n) < truth).astype(int)
    return {f"{gap} {i}": cv.Predictions(np.clip(truth - gap, 0, 1), labels) for i, gap in enumerate(gaps)}


@pytest.fixture(scope="module")
def cube():
    return cv.evaluate(
        SOME,
        ["top-1", "full"],
        calibrators=METHODS[:2],
        folds=3,
        metrics=["brier", "debiased", "ks"],
        ranking=["calibrator", "model"],
        progress=False,
        replicates=0,
        selections={"all": None, "sure": "confidence > 0.9"},
    )


# The test


@pytest.mark.parametrize("error", [cv.brier_score, cv.log_loss, cv.debiased_error])
def test_a_clearly_worse_model_is_told_apart_and_one_that_is_the_same_is_not(error):
    models = apart(0.02, 0.12, n=2000)
    (good, one), (bad, two) = models.items()
    found = cv.within_noise({bad: two, good: one, "again": one}, error=error, lens="class 1", replicates=200)
    assert found.within == (good, "again")
    assert found.p_values[good] == found.p_values["again"] == 1
    assert found.errors[bad] == error(two, "class 1")
    assert repr(found) == f"<BestSet {good!r}, 'again'; worse: {bad!r}>"


def test_two_hundredths_are_told_from_four_on_five_thousand_samples():
    models = apart(0.02, 0.04)
    assert cv.within_noise(models, lens="class 1").within == ("0.02 0",)


def test_the_order_of_models_changes_nothing_and_that_of_samples_only_the_draws():
    models = {name: p.select(np.arange(600)) for name, p in DIGITS.items()}
    found = cv.within_noise(models)
    assert cv.within_noise(dict(reversed(models.items()))).p_values == found.p_values
    order = np.random.default_rng(0).permutation(600)
    moved = cv.within_noise({name: p.select(order) for name, p in models.items()})
    assert moved.within == found.within
    for name in models:
        assert moved.p_values[name] == pytest.approx(found.p_values[name], abs=0.1)
        assert moved.errors[name] == pytest.approx(found.errors[name], abs=1e-12)


@pytest.mark.parametrize("error", [cv.brier_score, cv.log_loss, cv.debiased_error])
@pytest.mark.parametrize("lens", ["top-1", "class 3", "pooled", "full", "classwise"])
def test_replicates_are_the_numbers_of_repeated_rows(lens, error):
    """Each replicate is the number on rows that are repeated as often as they were drawn."""
    p, condition = DIGITS["random forest"].select(np.arange(0, 1797, 9)), cv.selection("label > 2")
    (name,) = (key for key, one in CRITERIA.items() if one.error is error)
    if (lens, name) == ("full", "debiased"):
        with pytest.raises(ValueError, match="the debiased error needs a scalar lens"):
            cv.within_noise({"a": p, "b": p}, error=error, lens=lens)
        return
    problem = cv.lens(lens)(p.select(condition.mask(p)))
    kept = np.flatnonzero(condition.mask(p))
    found = contender_of(p, induced_problem(p, lens, condition), cv.lens(lens), condition, [name], 2, 5).of[name]
    assert found.value == pytest.approx(CRITERIA[name].measure(problem), abs=1e-12)
    for weights, value in zip(drawn_weights(len(kept), None, 2, None, 5), found.replicates, strict=True):
        rows = p.select(np.repeat(kept, weights.astype(int)))
        assert value == pytest.approx(CRITERIA[name].measure(cv.lens(lens)(rows)), abs=1e-12)


def test_weights_count_repetitions():
    p = DIGITS["random forest"].select(np.arange(0, 1797, 9))
    times = np.arange(len(p)) % 3
    models = {"a": p, "b": DIGITS["naive Bayes"].select(np.arange(0, 1797, 9))}
    weighted = cv.within_noise({name: one.reweighted(times.astype(float)) for name, one in models.items()})
    rows = np.repeat(np.arange(len(p)), times)
    repeated = cv.within_noise({name: one.select(rows) for name, one in models.items()})
    assert weighted.errors == pytest.approx(repeated.errors)
    assert weighted.p_values["b"] == pytest.approx(repeated.p_values["b"], abs=0.06)


def test_where_none_shows_more_than_calibrated_predictions_do_none_is_worse():
    rng = np.random.default_rng(0)
    shift = rng.normal(0, 0.03, (40, 2))
    truth = rng.uniform(0.2, 0.8, 400)
    labels = (rng.random(400) < truth).astype(int)
    for one, two in shift:
        models = {"a": cv.Predictions(truth + one, labels), "b": cv.Predictions(truth + two, labels)}
        floors = {
            name: cv.consistency(p, error=cv.debiased_error, lens="class 1", replicates=200).replicates
            for name, p in models.items()
        }
        found = cv.within_noise(
            models, error=cv.debiased_error, lens="class 1", replicates=20
        )  # of which a pair is easily called apart
        if all(found.errors[name] < np.quantile(floors[name], 0.95) - 0.003 for name in models):
            assert found.p_values == {"a": 1.0, "b": 1.0}
            break
    else:
        raise AssertionError("no pair is within noise")


def test_infinite_losses_are_worse_than_finite_ones_and_alike():
    sure = cv.Predictions([1.0, 0.0, 0.4], [0, 1, 1])
    fair = cv.Predictions([0.5, 0.6, 0.4], [0, 1, 1])
    found = cv.within_noise(
        {"sure": sure, "fair": fair, "even": fair}, error=cv.log_loss, lens="class 1", replicates=50
    )
    assert found.within == ("fair", "even") and found.errors["sure"] == np.inf
    assert cv.within_noise({"a": sure, "b": sure}, error=cv.log_loss, lens="class 1", replicates=50).within == (
        "a",
        "b",
    )


def test_p_values_are_those_of_a_normal_pair():
    rng = np.random.default_rng(0)
    replicates = rng.normal(size=(100_000, 2)) * [1, 0]
    assert p_values_of(np.array([1.96, 0.0]), replicates) == pytest.approx([0.05, 1], abs=0.003)


def test_refusals():
    p, other = DIGITS["random forest"], DIGITS["naive Bayes"]
    with pytest.raises(
        ValueError, match=r"error must be one of cv\.brier_score, .* its bias, too; cv\.interval of each"
    ):
        cv.within_noise({"a": p, "b": other}, error=cv.ks_error)
    with pytest.raises(TypeError, match=r"models must be a dict of names to cv\.Predictions, not Predictions"):
        cv.within_noise(p)
    with pytest.raises(ValueError, match="models must be several, to be compared, not 1"):
        cv.within_noise({"a": p})
    with pytest.raises(TypeError, match=r"models\['b'\] must be cv\.Predictions"):
        cv.within_noise({"a": p, "b": 3})
    for one in (other.select(np.arange(1000)), other.select(np.arange(1797)[::-1])):
        with pytest.raises(ValueError, match="'a' and 'b' were not judged on the same samples, in the same order"):
            cv.within_noise({"a": p, "b": one}, replicates=2)
    with pytest.raises(ValueError, match="were not judged on the same samples"):
        cv.within_noise({"a": p, "b": other}, selection="output > 0.9", replicates=2)
    with pytest.raises(ValueError, match="what a summary holds cannot be compared"):
        halves = cv.Summary("class 1")
        halves.update(cv.Predictions([0.2, 0.4, 0.9], [0, 1, 1], weights=[0.5, 0.7, 0.9]))
        cv.within_noise({"a": halves.problem, "b": halves.problem})


# Its level, and what it finds


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("said", "name", "data_sets"),
    [
        ("four calibrated", "Brier", 100),
        ("four errors of .04", "Brier", 100),
        ("four calibrated, one of five scores", "debiased", 20),
    ],
)
def test_equal_models_are_seldom_called_different(ranking_benchmark, said, name, data_sets):
    """At most 7 % at level 5 %: no more than what that gives by chance in 99 % of such tests."""
    case = ranking_benchmark.CASES[said]
    called = sum(bool(one) for one in ranking_benchmark.worse(case, name, 500, data_sets, 11, 99))
    assert called <= binom.ppf(0.99, data_sets, 0.07)


# In cubes


def test_a_cube_holds_the_tests_of_its_cells(cube):
    assert cube.brier_within_noise.dims == ("among", "model", "selection", "calibrator", "lens")
    assert cube.brier_within_noise.dtype == bool and cube.among.values.tolist() == ["calibrator", "model"]
    assert "ranking=['calibrator', 'model']" in cube.attrs["call"]
    for name, error in (("brier", cv.brier_score), ("debiased", cv.debiased_error)):
        found = cv.within_noise(SOME, error=error, selection="label >= 0")  # which keeps all
        stored = cube[f"{name}_within_noise"].sel(among="model", calibrator="none", lens="top-1", selection="all")
        assert [str(one) for one in cube.model.values[stored.values]] == list(found.within)
    found = cv.within_noise(SOME, lens="full")
    stored = cube.brier_within_noise.sel(among="model", calibrator="none", lens="full", selection="all")
    assert [str(one) for one in cube.model.values[stored.values]] == list(found.within)
    assert not cube.debiased_within_noise.sel(lens="full").any()  # which has no such error


def test_cells_of_other_samples_are_not_told_apart_and_the_cube_says_why(cube):
    assert cube.brier_within_noise.sel(selection="sure", among="model").all()
    assert "[selection=sure, calibrator=none, lens=top-1]: the models" in cube.brier_within_noise.unavailable
    assert "not judged on the same samples" in cube.brier_within_noise.unavailable


def test_dimensions_of_models_are_tested_as_well():
    trials = cv.evaluate(cv.subsamples(SOME, share=0.5, replicates=1), metrics="brier", ranking="model", progress=False)
    within = trials.brier_within_noise.sel(among="model").squeeze()
    assert within.dims == ("model", "subsample")
    whole = cv.within_noise(SOME).within
    assert [str(one) for one in trials.model.values[within.sel(subsample="whole")]] == list(whole)


def test_ranks_of_those_within_noise_are_tied_and_no_winner_is_named(cube):
    ranks, best = cv.rank_calibrators(cube, "model"), cv.preferred(cube, "model")
    assert set(ranks.data_vars) == set(best.data_vars) == {"brier", "debiased"}
    for name in ranks.data_vars:
        for calibrator in METHODS[:2]:
            at = {"calibrator": calibrator, "lens": "top-1", "selection": "all"}
            within = cube[f"{name}_within_noise"].sel(at | {"among": "model"}).values
            found, errors = ranks[name].sel(at).values, cube[name].sel(at).values
            assert (found[within] == (1 + within.sum()) / 2).all()
            assert (np.argsort(found[~within]) == np.argsort(errors[~within])).all()
            assert (found[~within] > within.sum()).all()
            label = str(cube.model.values[within.argmax()]) if within.sum() == 1 else "within noise"
            assert best[name].sel(at).item() == label
    assert np.isnan(ranks.debiased.sel(lens="full")).all() and (best.debiased.sel(lens="full") == "").all()
    assert (best.brier.sel(selection="sure") == "within noise").all()


def test_a_clear_winner_is_named():
    models = apart(0.02, 0.12, n=2000)
    cube = cv.evaluate(models, "class 1", metrics=["brier", "ks"], ranking="model", progress=False)
    assert cv.preferred(cube, "model").brier.item() == "0.02 0"
    assert cv.rank_calibrators(cube, "model").brier.values.ravel().tolist() == [1, 2]
    assert "ks" not in cv.rank_calibrators(cube, "model")


def test_pictures_of_ranks_name_who_is_best_alone(cube):
    grid = cv.figures.ranks_figure(cube.sel(lens="top-1", selection="all", model=["random forest"]))
    assert grid.rows == ("brier", "debiased")
    with pytest.raises(ValueError, match=r"evaluate\(\.\.\., ranking='calibrator'\)"):
        cv.figures.ranks_figure(cube.drop_vars(["brier_within_noise", "debiased_within_noise"]))


def test_no_ranking_without_the_test():
    cube = cv.evaluate(SOME, metrics=["ks", "brier"], progress=False)
    said = r"cube does not say which models are within noise of the best: make it by cv\.evaluate\(\.\.\., ranking='mod"
    for function in (cv.rank_calibrators, cv.preferred):
        with pytest.raises(ValueError, match=said):
            function(cube, "model")
        assert set(function(cube, "model", untested=True).data_vars) == {"ks", "brier"}
        with pytest.raises(TypeError, match="untested must be True or False"):
            function(cube, "model", untested=1)


def test_what_ranking_refuses():
    p = DIGITS["random forest"]
    with pytest.raises(ValueError, match="ranking must be one of 'calibrator', 'model', not 'lens'"):
        cv.evaluate(p, ranking="lens")
    with pytest.raises(ValueError, match="ranking is 'model', but there is only one model, 'model': pass several"):
        cv.evaluate(p, ranking="model")
    with pytest.raises(ValueError, match="ranking tests brier, log_loss, debiased, but metrics has none of them"):
        cv.evaluate(DIGITS, metrics="ks", ranking="model")
    summaries = {name: cv.summarize(one) for name, one in DIGITS.items()}
    with pytest.raises(ValueError, match="ranking compares models sample by sample, and sums have no samples"):
        cv.evaluate(summaries, metrics="brier", ranking="model")


def test_tests_survive_netcdf(cube, tmp_path):
    pytest.importorskip("netCDF4")
    cube.to_netcdf(tmp_path / "cube.nc")
    with xr.open_dataset(tmp_path / "cube.nc") as read:
        xr.testing.assert_equal(cv.rank_calibrators(read, "model"), cv.rank_calibrators(cube, "model"))
