"""Lenses, problems and bins against slow loops, sample by sample."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import slow
from hypothesis import given, strategies as st
from samples import samples
from scipy.stats import rankdata

import calibviz as cv
from calibviz.context.lenses import ClassConditional, Rank
from calibviz.engine.deferred import UnsortedProblem, digits, exceeds
from calibviz.engine.scalar import EmptyProblemError
from calibviz.engine.sorted_scores import mid_ranks, with_hits
from calibviz.metrics.distances import InterInterval, Lp, TotalVariation

SCALAR_LENSES = ["top-1", "rank 1", "rank 2", "rank 3", "within-top 2", "within-top 3", "class 0", "class 2"]


def random_table(n=60, classes=5, seed=0):
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet(np.ones(classes), n)
    return probs, rng.integers(0, classes, n)


def soft(labels, classes, seed=1):
    rng = np.random.default_rng(seed)
    return 0.7 * np.eye(classes)[labels] + 0.3 * rng.dirichlet(np.ones(classes), len(labels))


def triples(problem):
    weight = problem.weight
    return sorted(zip(problem.score.tolist(), problem.target.tolist(), weight.tolist(), strict=True))


@pytest.mark.parametrize("soft_labels", [False, True])
@pytest.mark.parametrize("lens", SCALAR_LENSES)
def test_scalar_lens_is_its_definition(lens, soft_labels):
    probs, labels = random_table()
    targets = soft(labels, 5) if soft_labels else np.eye(5)[labels]
    weights = np.random.default_rng(2).random(60)
    problem = cv.lens(lens)(cv.Predictions(probs, targets, weights=weights))
    expected = slow.tidy(slow.scalar_lens(lens, probs, targets, weights))
    np.testing.assert_allclose(triples(problem), expected, atol=1e-15)
    assert problem.is_scalar
    assert problem.total == pytest.approx(weights.sum())


@pytest.mark.parametrize("soft_labels", [False, True])
@pytest.mark.parametrize("lens", ["full", "top-2", "top-5", "grouping"])
def test_vector_lens_is_its_definition(lens, soft_labels):
    probs, labels = random_table()
    targets = soft(labels, 5) if soft_labels else np.eye(5)[labels]
    groups = {"even": [0, 2, 4], "odd": [1, 3]}
    p = cv.Predictions(probs, targets, groups=groups)
    scores, outcomes = slow.vector_lens(lens, probs, targets, groups.values())
    problem = cv.lens(lens)(p)
    assert not problem.is_scalar
    np.testing.assert_allclose(problem.score, scores, atol=1e-15)
    for j in range(len(scores[0])):
        column = [(s[j], t[j], 1.0) for s, t in zip(scores, outcomes, strict=True)]
        np.testing.assert_allclose(triples(problem.outcome(j)), slow.tidy(column), atol=1e-15)


def test_lower_class_index_wins_a_tie():
    p = cv.Predictions([[0.25, 0.375, 0.375], [0.25, 0.5, 0.25]], [1, 2])
    assert p.predicted.tolist() == [1, 1]
    assert p.ranking(3).tolist() == [[1, 2, 0], [1, 0, 2]]
    many = cv.Predictions(np.full((2, 8), 0.125), [0, 7])
    assert many.ranking(8).tolist() == [list(range(8))] * 2
    assert many.ranking(3).tolist() == [[0, 1, 2]] * 2


@given(slow.tables(), st.data())
def test_ranking_with_ties(table, data):
    probs, labels = table
    ranks = data.draw(st.integers(1, probs.shape[1]))
    found = cv.Predictions(probs, labels).ranking(ranks)
    assert found.tolist() == [slow.ranking(row)[:ranks] for row in probs]


@given(slow.problems())
def test_problem_is_sorted_and_sums_up(problem):
    score, target = problem
    found = cv.ScalarProblem(score, target)
    expected = slow.tidy([(s, t, 1.0) for s, t in zip(score, target, strict=True)])
    assert found.score.tolist() == [s for s, _, _ in expected]
    np.testing.assert_allclose(found.target, [t for _, t, _ in expected], atol=1e-15)
    assert found.score.tolist() == score[found.order].tolist()
    assert found.given_target.tolist() == target[found.order].tolist()
    np.testing.assert_allclose(found.cumulative_score, [0, *np.cumsum(found.score)], atol=1e-12)
    np.testing.assert_allclose(found.cumulative_target, [0, *np.cumsum([t for _, t, _ in expected])], atol=1e-12)
    assert found.cumulative_weight.tolist() == list(range(len(score) + 1))
    ends = [i + 1 for i in range(len(score)) if i + 1 == len(score) or found.score[i + 1] != found.score[i]]
    assert found.block_ends.tolist() == ends


@given(slow.problems(), st.data())
def test_subset_is_the_problem_of_the_subset(problem, data):
    score, target = problem
    weight = data.draw(slow.whole_weights(len(score)))
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=len(score), max_size=len(score))))
    whole = cv.ScalarProblem(score, target, weight)
    if not (keep & (weight > 0)).any():
        with pytest.raises(EmptyProblemError, match="no sample is left"):
            whole.subset(keep[whole.order])
        return
    part = whole.subset(keep[whole.order])
    direct = cv.ScalarProblem(score[keep], target[keep], weight[keep])
    np.testing.assert_allclose(triples(part), triples(direct), atol=1e-15)
    assert part.order.tolist() == np.flatnonzero(keep)[direct.order].tolist()


def test_mapped_keeps_samples_together():
    score, target = np.array([0.1, 0.2, 0.2, 0.9]), np.array([1.0, 0.0, 1.0, 0.0])
    flipped = cv.ScalarProblem(score, target).mapped(lambda s: 1 - s)
    direct = cv.ScalarProblem(1 - score, target)
    assert triples(flipped) == triples(direct)
    np.testing.assert_array_equal((1 - score)[flipped.order], flipped.score)
    merged = cv.ScalarProblem(score, target).mapped(lambda s: np.where(s < 0.5, 2.0, -1.0))
    assert merged.score.tolist() == [0, 1, 1, 1]
    assert merged.target.tolist() == pytest.approx([0, 2 / 3, 2 / 3, 2 / 3])


def test_samples_without_weight_are_left_out():
    problem = cv.ScalarProblem(np.array([0.3, 0.1, 0.2]), np.array([1, 0, 1]), np.array([0.0, 2.0, 1.0]))
    assert problem.order.tolist() == [1, 2]
    assert len(problem) == 2
    with pytest.raises(EmptyProblemError):
        cv.ScalarProblem(np.array([0.3]), np.array([1]), np.array([0.0]))
    p = cv.Predictions([[0.2, 0.8], [0.3, 0.7], [0.6, 0.4]], [0, 1, 1], weights=[0, 1, 2])
    for lens in ("full", "top-2", cv.Grouping({"a": [0], "b": [1]})):
        assert len(cv.lens(lens)(p)) == 2
        assert cv.reliability(p, lens, binning=cv.Uniform(2))["count"].sum() == 3  # one of them is there twice


# ---- bins


@pytest.mark.parametrize("closed", ["left", "right"])
@pytest.mark.parametrize("bins", [*range(1, 201)])
def test_uniform_bins_are_the_bins(bins, closed):
    edges = [k / bins for k in range(bins + 1)]
    score = np.array([*edges, *np.nextafter(edges[1:], 0), *np.nextafter(edges[:-1], 1)])
    found = cv.Uniform(bins, closed)(cv.ScalarProblem(score, np.zeros(len(score))))
    assert len(found) == bins
    assert found.left.tolist() == edges[:-1]
    assert found.right.tolist() == edges[1:]
    expected = [0] * bins
    for k in range(bins + 1):  # where the scores on the edges go
        expected[min(k, bins - 1) if closed == "left" else max(k - 1, 0)] += 1
    assert found.count.tolist() == [count + 2 for count in expected]
    assert found.count.sum() == found.weight.sum() == len(score)


@given(samples(levels=(8, 20)), st.integers(1, 20), st.sampled_from(["left", "right"]))
def test_bins_are_the_same_whatever_the_problem_has_added_up_before(sample, bins, closed):
    fresh, used = cv.ScalarProblem(*sample), cv.ScalarProblem(*sample)
    assert used.mean_target == used.cumulative_target[-1] / used.total
    first, second = (cv.Uniform(bins, closed)(problem) for problem in (fresh, used))
    for name in ("weight", "score", "target", "count"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


@pytest.mark.parametrize("bins", [*range(1, 201)])
def test_equal_mass_bins_differ_by_one_at_most(bins):
    rng = np.random.default_rng(bins)
    for n in (1, 7, 113, 500):
        score = rng.random(n)
        found = cv.EqualMass(bins)(cv.ScalarProblem(score, np.zeros(n)))
        assert len(found) == bins
        assert found.count.sum() == n
        assert found.count.max() - found.count.min() <= 1
        assert found.count.tolist() == [sum(i * bins // n == b for i in range(n)) for b in range(bins)]
        assert np.isnan(found.score[found.count == 0]).all()
        members = np.split(np.sort(score), np.cumsum(found.count)[:-1])
        assert [m[0] for m in members if len(m)] == found.left[found.count > 0].tolist()
        assert [m[-1] for m in members if len(m)] == found.right[found.count > 0].tolist()


def test_sample_across_a_cut_counts_where_it_begins():
    problem = cv.ScalarProblem(np.array([0.2, 0.6]), np.array([0, 1]), np.array([3.0, 1.0]))
    found = cv.EqualMass(2)(problem)
    assert found.weight.tolist() == [2, 2]
    assert found.count.tolist() == [1, 1]
    assert found.left.tolist() == [0.2, 0.2]
    assert found.right.tolist() == [0.2, 0.6]


@pytest.mark.parametrize("bins", [1, 2, 7, 15, 49, 98, 103])
@pytest.mark.parametrize("weight", [[0.5, 0.5], [0.1, 0.2, 0.7], [0.3] * 10, [1e-9, 1e9, 0.5]])
def test_no_weight_is_lost(weight, bins):
    n = len(weight)
    found = cv.EqualMass(bins)(cv.ScalarProblem(np.arange(n) / n, np.arange(n) % 2, np.array(weight)))
    assert found.weight.sum() == pytest.approx(sum(weight), rel=1e-12)
    assert found.count.sum() == n


@pytest.mark.parametrize("size", [1e18, 1e20, 2.0**60])
def test_large_whole_weights_are_equal_weights(size):
    rng = np.random.default_rng(0)
    score, target = rng.random(9), rng.integers(0, 2, 9)
    heavy, plain = cv.ScalarProblem(score, target, np.full(9, size)), cv.ScalarProblem(score, target)
    np.testing.assert_allclose(cv.EqualMass(3)(heavy).target, cv.EqualMass(3)(plain).target)
    assert np.nanmax(cv.EqualMass(15)(heavy).score) <= score.max() + 1e-12


# ---- distances


def test_distances_against_their_formulas():
    s, t = np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]]), np.array([[0.1, 0.6, 0.3], [0.0, 0.5, 0.5]])
    np.testing.assert_allclose(TotalVariation()(s, t), [0.3, 1.0])
    np.testing.assert_allclose(Lp(2)(s, t), [np.sqrt(0.14), np.sqrt(1.5)])
    np.testing.assert_allclose(Lp(1)(s, t), [0.6, 2.0])
    np.testing.assert_allclose(Lp(3)(s, t), [(0.1**3 + 0.3**3 + 0.2**3) ** (1 / 3), (1 + 0.125 + 0.125) ** (1 / 3)])
    for distance in (TotalVariation(), Lp(1), Lp(2), Lp(7.5)):
        np.testing.assert_allclose(distance(s[0], t[0]), [0.1, 0.3, 0.2])
    np.testing.assert_allclose(InterInterval(0.2, 0.5)(s[0], np.array([0.1, 0.3, 0.9])), [0.1, 0, 0.4])
    with pytest.raises(ValueError, match="inter-interval distance needs a scalar problem"):
        InterInterval(0, 0.5)(s, t)
    with pytest.raises(ValueError, match=r"p must be finite and at least 1, not"):
        Lp(0.5)
    with pytest.raises(ValueError, match=r"has its low end 0\.8 above its high end 0\.2"):
        InterInterval(0.8, 0.2)


# ---- names


@pytest.mark.parametrize("name", [*SCALAR_LENSES, "top-2", "full", "grouping", "class a cat"])
def test_lens_reads_the_name_it_prints(name):
    assert cv.lens(name).name == name
    assert cv.lens(cv.lens(name)) is not None
    assert cv.lens(name) == cv.lens(name)


@pytest.mark.parametrize(
    ("lens", "message"),
    [
        ("top", "lens 'top' is unknown: use 'top-1'"),
        (" cat", r".* or 'pooled'; a class of that name has the lens 'class cat'"),
        ("", "lens '' is unknown"),
        ("rank 0", "r must be at least 1, not 0"),
        ("top-0", "k must be at least 1, not 0"),
        ("rank 6", "the lens 'rank 6' needs at least 6 classes, but there are 5"),
        ("within-top 6", "the lens 'within-top 6' needs at least 6 classes"),
        ("top-6", "the lens 'top-6' needs at least 6 classes"),
        ("class 5", "class '5' is unknown: the classes are '0', '1', '2', '3', '4'"),
        ("grouping", "the grouping lens needs groups"),
    ],
)
def test_lens_messages(lens, message):
    p = cv.Predictions(*random_table())
    with pytest.raises(ValueError, match=message):
        cv.calibration_error(p, lens)


def test_lens_type_messages():
    p = cv.Predictions(*random_table())
    for wrong in (3, len):
        with pytest.raises(TypeError, match="lens must be a lens or the name of one"):
            cv.calibration_error(p, wrong)
    with pytest.raises(TypeError, match=r"r must be a whole number, not 1\.5"):
        Rank(1.5)
    with pytest.raises(TypeError, match="bins must be a whole number, not True"):
        cv.Uniform(True)
    with pytest.raises(ValueError, match="bins must be at least 1, not 0"):
        cv.EqualMass(0)
    with pytest.raises(ValueError, match="closed must be one of 'left', 'right', not 'both'"):
        cv.Uniform(3, "both")
    with pytest.raises(ValueError, match="scheme must be one of"):
        cv.Sweep("equal")


def test_class_lens_takes_names_before_numbers():
    p = cv.Predictions(*random_table(classes=3), class_names=["2", "cat", "0"])
    for lens, column in (("class 2", 0), ("class cat", 1), ("class 0", 2), ("class 1", 1), (ClassConditional(2), 2)):
        np.testing.assert_array_equal(cv.lens(lens)(p).score, np.sort(p.probs[:, column]))


@pytest.mark.parametrize(
    "thing",
    [
        cv.Uniform(7, "right"),
        cv.EqualMass(3),
        cv.Sweep("uniform"),
        cv.lens("top-1"),
        cv.lens("rank 2"),
        cv.lens("top-4"),
        cv.lens("within-top 3"),
        cv.lens("class cat"),
        cv.lens("full"),
        cv.Grouping({"a": [0, "x"], "b": [1]}),
        cv.Lp(3),
        cv.TotalVariation(),
        InterInterval(0.2, 0.5),
    ],
)
def test_records_print_the_call_that_makes_them(thing):
    again = eval(repr(thing), vars(cv) | {"InterInterval": InterInterval})
    assert again == thing
    assert hash(again) == hash(thing)
    assert isinstance(thing.name, str)


LOOKS_AT_ONE = (
    cv.cumulative,
    cv.likert_error,
    cv.corp,
    cv.ks_error,
    cv.interval,
    cv.plots.reliability,
    cv.plots.cumulative,
    lambda p, lens: cv.plots.recalibration(p, calibration=p, lens=lens),
)


@pytest.mark.parametrize("lens", ["full", "top-2", "grouping"])
@pytest.mark.parametrize("look", LOOKS_AT_ONE)
def test_no_outcome_of_several_is_taken_silently(look, lens):
    p = cv.Predictions([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]], [0, 2])
    chosen = cv.Grouping({"a": [0, 1], "b": [2]}) if lens == "grouping" else lens
    with pytest.raises(ValueError, match=r"outcome=\.\.\."):
        look(p, lens=chosen)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_scores_are_sorted_with_their_hits_as_by_their_order(dtype):
    rng = np.random.default_rng(0)
    score = np.append(rng.uniform(0.01, 1, 3000), [0.0, -0.0, 0.25, 0.5, 1.0, 1.0, 0.0]).round(2).astype(np.float32)
    hits = rng.random(len(score)) < score
    score = score.astype(dtype)
    assert with_hits(score, hits) is not None
    order = np.argsort(score, kind="stable")
    for problem in (cv.ScalarProblem(score, hits), UnsortedProblem(score, hits)):
        np.testing.assert_array_equal(problem.score, score[order].astype(np.float64))
        sums = problem.cumulative_target[problem.block_ends]
        np.testing.assert_array_equal(problem.cumulative_score[1:], np.cumsum(problem.score))
        np.testing.assert_array_equal(sums, np.cumsum(hits[order])[problem.block_ends - 1])
        means = {value: hits[score == value].mean() for value in np.unique(score)}
        np.testing.assert_array_equal(problem.target, [means[value] for value in score[order]])
        assert problem.is_binary and "order" not in vars(problem)  # which none of these needs
        again = pickle.loads(pickle.dumps(problem))
        for each in (problem, again):
            np.testing.assert_array_equal(each.order, order)
            np.testing.assert_array_equal(each.given_target, hits[order])


@pytest.mark.parametrize(
    ("score", "target"),
    [([0.1, 0.5], [0, 1]), ([0.25, -0.0005], [0, 1]), ([0.25, 0.5], [0.5, 1.0]), ([0.25, 1e-50], [0, 1])],
    ids=["no float32", "below 0", "soft", "too small"],
)
def test_other_scores_are_sorted_by_their_order(score, target):
    assert with_hits(np.array(score), np.array(target)) is None
    problem = cv.ScalarProblem(score, target)
    assert problem.order.tolist() == np.argsort(score).tolist()
    assert problem.given_target.tolist() == np.take(target, problem.order).tolist()


def test_targets_stay_where_they_are_when_samples_are_called_by_other_numbers():
    problem = cv.ScalarProblem([0.75, 0.25, 0.5], [1, 0, 1])
    problem.order = 10 * problem.order  # as where several scores belong to one sample
    assert problem.given_target.tolist() == [0, 1, 1]
    assert problem.subset(problem.score > 0.3).order.tolist() == [20, 0]


def test_a_problem_keeps_what_it_was_made_of():
    score, hits = np.array([0.75, 0.25, 0.5]), np.array([True, False, True])
    problem = cv.ScalarProblem(score, hits)
    score[:], hits[:] = 0.0, False
    assert problem.order.tolist() == [1, 2, 0] and problem.given_target.tolist() == [0, 1, 1]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.sampled_from(["float16", "float32", "float64"]))
def test_thresholds_tell_what_exceeds_an_edge(edges, dtype):
    edges = np.sort(edges)
    near = np.concatenate([edges, np.nextafter(edges, 2), np.nextafter(edges, -1)]).astype(dtype)
    for side, exceed in (("left", np.greater_equal), ("right", np.greater)):
        expected = exceed(near.astype(np.float64)[:, None], edges)
        np.testing.assert_array_equal(digits(near, edges, side), expected.sum(axis=1))
        np.testing.assert_array_equal(exceeds(near, edges[0], side), expected[:, 0])


@given(st.lists(st.sampled_from([np.nan, -np.inf, 0, 1, 2.5])))
def test_ranks_are_those_of_scipy(values):
    np.testing.assert_array_equal(mid_ranks(np.array(values, float)), rankdata(values, nan_policy="omit"))
