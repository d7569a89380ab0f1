"""The k-d tree against its recursion, one node after the other."""

from __future__ import annotations

import numpy as np
import pytest
import slow
from hypothesis import given, settings, strategies as st
from samples import confident

import calibviz as cv
from calibviz.engine.binnings import kdtree
from calibviz.metrics.distances import InterInterval

LENSES = ["full", "top-2", "grouping", "class 1", "top-1"]
GAMMAS = [1, 0.75, 0.5, 0.3, 0.25, 0.125, 0.1, 0.07, 2**-4, 0.04, 2**-6, 1e-9]


def groups_of(classes):
    return {"last": [classes - 1], "others": list(range(classes - 1))}


def predictions(table):
    probs, labels, weights = table
    return cv.Predictions(probs, labels, weights=weights, groups=groups_of(probs.shape[1]))


def seen(table, lens):
    """Rows of scores and of targets, those of a scalar lens with one column, and the weights."""
    probs, labels, weights = table
    targets = slow.target_rows(labels, probs.shape[1])
    weights = np.ones(len(probs)) if weights is None else weights
    if lens in ("class 1", "top-1"):
        rows = slow.scalar_lens(lens, probs, targets)
        return np.array([[s] for s, _, _ in rows]), np.array([[t] for _, t, _ in rows]), weights
    scores, outcomes = slow.vector_lens(lens, probs, targets, groups_of(probs.shape[1]).values())
    return np.array(scores), np.array(outcomes), weights


def leaf_means(scores, targets, weights, **tree):
    """Count, weight, mean score and mean target of each leaf."""
    leaves = slow.tree_leaves(scores, weights, **tree)
    return [
        (
            len(leaf),
            weights[leaf].sum(),
            *(np.average(v[leaf], axis=0, weights=weights[leaf]) for v in (scores, targets)),
        )
        for leaf in leaves
    ]


def check(bins, expected):
    counts, weights, scores, targets = (np.array(column) for column in zip(*expected, strict=True))
    assert bins.count.tolist() == counts.tolist()
    np.testing.assert_allclose(bins.weight, weights, atol=1e-12)
    np.testing.assert_allclose(bins.score.reshape(scores.shape), scores, atol=1e-12)
    np.testing.assert_allclose(bins.target.reshape(targets.shape), targets, atol=1e-12)


def same_bins(one, other, atol=1e-12):
    assert one.count.tolist() == other.count.tolist()
    for name in ("weight", "score", "target"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=atol, err_msg=name)


@pytest.mark.parametrize("split", ["mean", "median"])
@pytest.mark.parametrize("lens", ["full", "class 1"])
def test_the_tree_of_other_targets_is_grown_once_and_has_the_cells_of_its_own(lens, split, monkeypatch):
    p, rng, steps, check = confident(1000), np.random.default_rng(0), [], kdtree.check  # called before each step
    problem, tree = cv.lens(lens)(p), cv.KDTree(2**-4, split=split, min_leaf=20)
    assert len(tree(problem)) > 10
    monkeypatch.setattr(kdtree, "check", lambda: (steps.append(1), check()))
    for _ in range(2):
        target = rng.random(len(problem)) < 0.3 if problem.is_scalar else rng.integers(0, p.n_classes, len(problem))
        other, alone = problem.with_target(target), problem.with_target(target)
        alone.of_scores = {}
        found, taken = tree(other), len(steps)
        same_bins(found, tree(alone))
        assert taken == 0 < len(steps)
        finer = cv.KDTree(2**-6, split=split, min_leaf=5)
        same_bins(finer(other), finer(alone))
        steps.clear()


@pytest.mark.parametrize("lens", LENSES)
@given(slow.judged(), st.sampled_from(GAMMAS))
@settings(max_examples=20)
def test_leaves_are_those_of_the_recursion(lens, table, gamma):
    bins = cv.KDTree(gamma)(cv.lens(lens)(predictions(table)))
    scores, targets, weights = seen(table, lens)
    check(bins, leaf_means(scores, targets, weights, gamma=gamma))
    assert bins.count.sum() == (weights > 0).sum()
    assert bins.weight.sum() == weights.sum()


@given(slow.judged(max_size=40), st.sampled_from(GAMMAS), st.sampled_from([0, 12, 50]))
def test_nodes_that_are_split_one_by_one_or_together(table, gamma, most):
    for lens in ("full", "class 1"):
        together = cv.KDTree(gamma)(cv.lens(lens)(predictions(table)))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("calibviz.engine.binnings.kdtree._Tree.most_together", most)
            same_bins(cv.KDTree(gamma)(cv.lens(lens)(predictions(table))), together)


@pytest.mark.parametrize("most", [0, 400, 4000])
@pytest.mark.parametrize("weighted", [False, True])
def test_nodes_of_a_confident_network_that_are_split_one_by_one_or_together(most, weighted, monkeypatch):
    p = confident(2000, weighted)
    gammas = [2.0**-power for power in range(1, 11)]
    together = [cv.KDTree(gamma)(cv.lens("full")(p)) for gamma in gammas]
    monkeypatch.setattr("calibviz.engine.binnings.kdtree._Tree.most_together", most)
    problem = cv.lens("full")(p)
    for gamma, expected in zip(gammas, together, strict=True):  # the tree is grown bit by bit
        same_bins(cv.KDTree(gamma)(problem), expected)
    assert len(together[-1]) > 1000


def test_a_tree_of_thousands_of_nodes_is_grown_in_a_few_steps(monkeypatch):
    steps, grow = [], kdtree.check  # called before each
    monkeypatch.setattr(kdtree, "check", lambda: (steps.append(1), grow()))
    assert len(cv.KDTree(1 / 4096)(cv.lens("full")(confident(10_000)))) > 5000
    assert len(steps) < 200


@given(slow.tables(max_size=40), st.sampled_from(GAMMAS))
def test_leaves_of_thirds_and_sevenths(table, gamma):
    probs, labels = table
    p = cv.Predictions(probs, labels)
    for lens in ("full", "class 1"):
        expected = leaf_means(*seen((probs, labels, None), lens), gamma=gamma)
        check(cv.KDTree(gamma)(cv.lens(lens)(p)), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.sampled_from([0.3, 3.0, 40.0]), st.sampled_from(GAMMAS[5:]))
@settings(max_examples=10)
def test_leaves_of_confident_networks(dtype, seed, classes, scale, gamma):
    rng = np.random.default_rng(seed)
    odds = np.exp(-scale * rng.exponential(size=(150, classes)))  # down to 1e-90, where no sum shows what varies
    probs = (odds / odds.sum(axis=1, keepdims=True)).astype(dtype)
    labels = rng.integers(0, classes, 150)
    expected = leaf_means(*seen((probs.astype(float), labels, None), "full"), gamma=gamma)
    check(cv.KDTree(gamma)(cv.lens("full")(cv.Predictions(probs, labels))), expected)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=15), st.sampled_from([0.3, 0.1, 1 / 3]), st.integers(0, 2))
def test_leaves_of_scores_that_hardly_differ(steps, score, axis):
    # The variances of p and 1 - p differ by rounding, by more than a tie, and sums of squares would not show them.
    probs = np.array([[score + 1e-9 * step, 0.0, 1 - (score + 1e-9 * step)] for step in steps])
    probs, labels = np.roll(probs, axis, axis=1), np.arange(len(steps)) % 3
    expected = leaf_means(*seen((probs, labels, None), "full"), gamma=1e-9)
    check(cv.KDTree(1e-9)(cv.lens("full")(cv.Predictions(probs, labels))), expected)


@pytest.mark.parametrize("lens", LENSES)
@given(slow.judged(max_size=30), st.integers(1, 6))
@settings(max_examples=20)
def test_median_split_is_its_recursion(lens, table, min_leaf):
    scores = seen(table, lens)[0]
    kept = [i for i in range(len(scores)) if scores[i].tolist() not in scores[:i].tolist()]
    table = table[0][kept], table[1][kept], None
    scores, targets, weights = seen(table, lens)
    bins = cv.KDTree(split="median", min_leaf=min_leaf)(cv.lens(lens)(predictions(table)))
    check(bins, leaf_means(scores, targets, weights, min_leaf=min_leaf))
    assert bins.count.sum() == len(kept)
    assert bins.count.min() >= min(min_leaf, len(kept))


@pytest.mark.parametrize("lens", LENSES)
@given(slow.judged(), st.integers(1, 6))
@settings(max_examples=20)
def test_median_split_shares_the_targets_of_equal_rows(lens, table, min_leaf):
    probs, labels, weights = table
    times = np.ones(len(probs), dtype=int) if weights is None else np.ceil(weights).astype(int)
    scores, targets, _ = seen((np.repeat(probs, times, axis=0), np.repeat(labels, times, axis=0), None), lens)
    targets = np.array([targets[(scores == row).all(axis=1)].mean(axis=0) for row in scores])
    p = predictions((probs, labels, None if weights is None else times.astype(float)))
    bins = cv.KDTree(split="median", min_leaf=min_leaf)(cv.lens(lens)(p))
    check(bins, leaf_means(scores, targets, np.ones(len(scores)), min_leaf=min_leaf))


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(1, 30))
@settings(max_examples=15)
def test_median_split_without_ties(seed, classes, min_leaf):
    rng = np.random.default_rng(seed)
    table = rng.dirichlet(np.ones(classes), 80), rng.integers(0, classes, 80), None
    for lens in ("full", "top-2", "class 1"):
        expected = leaf_means(*seen(table, lens), min_leaf=min_leaf)
        check(cv.KDTree(split="median", min_leaf=min_leaf)(cv.lens(lens)(predictions(table))), expected)


@pytest.mark.parametrize("lens", LENSES)
@given(slow.judged(), st.lists(st.sampled_from(GAMMAS), min_size=2, max_size=6), st.lists(st.integers(1, 9)))
@settings(max_examples=20)
def test_a_tree_cut_is_the_tree_that_is_built(lens, table, gammas, leaves):
    if table[2] is not None:
        table = (*table[:2], np.ceil(table[2]))
    p, look = predictions(table), cv.lens(lens)
    problem = look(p)  # keeps its trees
    for binning in [*map(cv.KDTree, gammas), *(cv.KDTree(split="median", min_leaf=m) for m in leaves)]:
        same_bins(binning(problem), binning(look(p)))
    coarse = [len(cv.KDTree(gamma)(problem)) for gamma in sorted(gammas)]
    assert coarse == sorted(coarse, reverse=True)


@pytest.mark.parametrize("lens", LENSES)
@given(slow.judged(), st.sampled_from(GAMMAS), st.integers(1, 4), st.randoms(use_true_random=False))
@settings(max_examples=20)
def test_order_of_samples_is_nothing(lens, table, gamma, min_leaf, random):
    order = list(range(len(table[0])))
    random.shuffle(order)
    if table[2] is not None:
        table = (*table[:2], np.ceil(table[2]))
    shuffled = tuple(None if part is None else part[order] for part in table)
    one, other = (cv.lens(lens)(predictions(t)) for t in (table, shuffled))
    for binning in (cv.KDTree(gamma), cv.KDTree(split="median", min_leaf=min_leaf)):
        same_bins(binning(one), binning(other))


@pytest.mark.parametrize("lens", LENSES)
@given(slow.judged(), st.sampled_from(GAMMAS), st.integers(1, 4))
@settings(max_examples=20)
def test_whole_weights_are_repeated_rows(lens, table, gamma, min_leaf):
    probs, labels, weights = table
    weights = np.ones(len(probs)) if weights is None else np.ceil(weights)
    times = weights.astype(int)
    weighted = cv.lens(lens)(predictions((probs, labels, weights)))
    repeated = cv.lens(lens)(predictions((np.repeat(probs, times, axis=0), np.repeat(labels, times, axis=0), None)))
    one, other = cv.KDTree(gamma)(weighted), cv.KDTree(gamma)(repeated)
    assert len(one) == len(other)
    for name in ("weight", "score", "target"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-12, err_msg=name)
    median = cv.KDTree(split="median", min_leaf=min_leaf)
    same_bins(median(weighted), median(repeated))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@given(st.integers(0, 2**32 - 1), st.integers(2, 7), st.sampled_from(GAMMAS), st.integers(1, 20))
@settings(max_examples=12)
def test_small_floats_are_their_float64(dtype, seed, classes, gamma, min_leaf):
    rng = np.random.default_rng(seed)
    small = rng.dirichlet(np.ones(classes), 60).astype(dtype)
    small[:10] = np.eye(classes)[rng.integers(0, classes, 10)]
    labels = rng.integers(0, classes, 60)
    one, other = (predictions((probs, labels, None)) for probs in (small, small.astype(np.float64)))
    for lens in LENSES:
        for binning in (cv.KDTree(gamma), cv.KDTree(split="median", min_leaf=min_leaf)):
            same_bins(binning(cv.lens(lens)(one)), binning(cv.lens(lens)(other)), atol=0)


@given(slow.judged(), st.sampled_from(GAMMAS), st.sampled_from([1, 2, 3.5]), st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_errors_are_sums_over_the_leaves(table, gamma, power, seed):
    rng = np.random.default_rng(seed)
    p, binning = predictions(table), cv.KDTree(gamma)
    for lens in LENSES:
        rows = seen(table, lens)
        leaves = leaf_means(*rows, gamma=gamma)
        m = rows[0].shape[1]
        weights, root = rng.integers(0, 5, m) / 4 + (np.arange(m) == 0), rng.integers(-2, 3, (m, m))
        matrix = (root @ root.T).astype(float)
        distances = {
            cv.TotalVariation(): lambda g: sum(map(abs, g)) / 2,
            cv.Lp(1): lambda g: sum(map(abs, g)),
            cv.Lp(): lambda g: sum(v * v for v in g) ** 0.5,
            cv.Lp(3.5): lambda g: sum(abs(v) ** 3.5 for v in g) ** (1 / 3.5),
            cv.ClassWeighted(weights): lambda g, v=weights: sum(v * g * g) ** 0.5,
            cv.Mahalanobis(matrix): lambda g, m=matrix: max(0.0, g @ m @ g) ** 0.5,
        }
        if m == 1:
            distances = {cv.TotalVariation(): lambda g: abs(g[0]), cv.Lp(3.5): lambda g: abs(g[0])}
        for distance, length in distances.items():
            lengths = [(w, length(score - target)) for _, w, score, target in leaves]
            mean = (sum(w * d**power for w, d in lengths) / sum(w for w, _ in lengths)) ** (1 / power)
            found = cv.calibration_error(p, lens, binning=binning, distance=distance, p=power)
            assert found == pytest.approx(mean, abs=1e-7 if isinstance(distance, cv.Mahalanobis) else 1e-10)
            largest = cv.calibration_error(p, lens, binning=binning, distance=distance, aggregate="max")
            assert largest == pytest.approx(max(d for _, d in lengths), abs=1e-7)


@given(slow.judged(), st.sampled_from(GAMMAS), st.integers(0, 16), st.integers(0, 16))
def test_inter_interval_over_the_leaves(table, gamma, low, high):
    low, high = min(low, high) / 16, max(low, high) / 16
    leaves = leaf_means(*seen(table, "class 1"), gamma=gamma)
    gaps = [(w, max(0.0, low - float(target[0]), float(target[0]) - high)) for _, w, _, target in leaves]
    expected = sum(w * gap for w, gap in gaps) / sum(w for w, _ in gaps)
    distance = InterInterval(low, high)
    found = cv.calibration_error(predictions(table), "class 1", binning=cv.KDTree(gamma), distance=distance)
    assert found == pytest.approx(expected, abs=1e-12)


def test_a_selection_counts_its_own_samples():
    rng = np.random.default_rng(0)
    probs, labels = rng.dirichlet(np.ones(3), 100), rng.integers(0, 3, 100)
    condition = cv.quantity("label") != 2
    part = cv.Predictions(probs[labels != 2], labels[labels != 2])
    for gamma in (0.3, 0.1):  # of the 100 samples, other leaves would be split
        found = cv.calibration_error(
            cv.Predictions(probs, labels), "full", binning=cv.KDTree(gamma), selection=condition
        )
        assert found == pytest.approx(cv.calibration_error(part, "full", binning=cv.KDTree(gamma)), abs=1e-12)
    leaves = cv.reliability(part, "full", binning=cv.KDTree(0.3))
    assert dict(leaves.sizes) == {"bin": len(cv.KDTree(0.3)(cv.lens("full")(part))), "outcome": 3}


def test_rounding_is_half_to_even():
    score = np.arange(1, 6) / 8  # 0.5 n is 2.5, hence 2: pairs are split; 0.7 n is 3.5, hence 4: threes are not
    problem = cv.lens("class 1")(cv.Predictions(score, [0, 1, 0, 1, 0]))
    assert cv.KDTree(0.5)(problem).count.tolist() == [1, 1, 1, 1, 1]
    assert cv.KDTree(0.7)(problem).count.tolist() == [2, 3]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"gamma": 0}, ValueError, "gamma must be above 0: a cell of fewer than gamma"),
        ({"gamma": 2}, ValueError, "gamma must lie between 0 and 1, not be 2"),
        ({"gamma": -0.1}, ValueError, "gamma must lie between 0 and 1, not be -0.1"),
        ({"gamma": float("nan")}, ValueError, "gamma must lie between 0 and 1, not be nan"),
        ({"gamma": "x"}, TypeError, "gamma must be a number, not 'x'"),
        ({"split": "widest"}, ValueError, "split must be one of 'mean', 'median', not 'widest'"),
        ({"split": "median", "min_leaf": 0}, ValueError, "min_leaf must be at least 1, not 0"),
        ({"split": "median", "min_leaf": 2.5}, TypeError, "min_leaf must be a whole number, not 2.5"),
    ],
)
def test_messages(arguments, error, message):
    with pytest.raises(error, match=message):
        cv.KDTree(**arguments)


def test_messages_about_problems():
    p = cv.Predictions([[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]], [0, 1], weights=[0.5, 1])
    for lens in ("full", "top-1"):
        with pytest.raises(ValueError, match="the median split counts samples, so weights must be whole numbers"):
            cv.calibration_error(p, lens, binning=cv.KDTree(split="median"))
    with pytest.raises(ValueError, match="this lens makes 3 problems, each with bins of its own: choose one"):
        cv.KDTree()(cv.lens("classwise")(p))
    with pytest.raises(ValueError, match="inter-interval distance needs a scalar problem"):
        cv.calibration_error(p, "full", binning=cv.KDTree(), distance=InterInterval(0, 1))


@pytest.mark.parametrize("lens", ["classwise", "top-1 by class"])
@pytest.mark.parametrize("options", [{}, {"p": 2}, {"aggregate": "max"}], ids=str)
def test_class_weights_weigh_the_errors_of_the_classes(lens, options):
    p = cv.load_dataset("digits")["random forest"]
    weights = np.arange(10.0)
    each = [cv.calibration_error(p, lens, outcome=c, **options) for c in p.class_names]
    found = cv.calibration_error(p, lens, distance=cv.ClassWeighted(weights), **options)
    assert found == pytest.approx(weights @ each / weights.sum(), rel=1e-12)
    alike = cv.calibration_error(p, lens, distance=cv.ClassWeighted([3.0] * 10), **options)
    assert alike == pytest.approx(cv.calibration_error(p, lens, **options), rel=1e-12)
    assert cv.calibration_error(p, lens, distance=cv.ClassWeighted([0.0] * 10), **options) == 0


def test_a_cube_weighs_the_classes_in_the_errors_of_a_distance_alone():
    p = cv.load_dataset("digits")["random forest"]
    asked = {"metrics": ["ece", "sweep", "ks"], "replicates": 3, "progress": False}
    plain = cv.evaluate(p, "classwise", **asked)
    found = cv.evaluate(p, "classwise", distance=cv.ClassWeighted(range(10)), **asked)
    for name, binning in (("ece", cv.Uniform()), ("sweep", cv.Sweep())):
        wanted = cv.calibration_error(p, "classwise", binning=binning, distance=cv.ClassWeighted(range(10)))
        assert found[name].item() == pytest.approx(wanted, rel=1e-12) != plain[name].item()
        drawn = cv.bootstrap(
            p,
            error=lambda q, b=binning: cv.calibration_error(
                q, "classwise", binning=b, distance=cv.ClassWeighted(range(10))
            ),
            replicates=3,
            progress=False,
        ).replicates
        assert found[f"{name}_quantile"].values.ravel() == pytest.approx(np.quantile(drawn, [0.05, 0.95]), abs=1e-12)
    assert found.ks.item() == plain.ks.item()


def test_class_weighted_errors_under_a_class_lens():
    p = cv.load_dataset("tumours")["naive Bayes"]
    weighted = cv.calibration_error(p, "class malignant", distance=cv.ClassWeighted([3, 6]))
    assert weighted == pytest.approx(3 * cv.calibration_error(p, "class malignant"), rel=1e-12)
    both = cv.calibration_error(p, "full", binning=cv.Uniform(15), distance=cv.ClassWeighted([6, 3]))
    assert both == pytest.approx(weighted, rel=0.02)  # the same pair, (1 - s, s), but for scores on an edge
    with pytest.raises(ValueError, match="weights is for 3 outcomes, but a score s of a scalar lens stands for two"):
        cv.calibration_error(p, "class malignant", distance=cv.ClassWeighted([1, 1, 1]))
    with pytest.raises(ValueError, match="pass two weights, or one for each class under 'classwise' or 'full'"):
        cv.calibration_error(p, "classwise", distance=cv.ClassWeighted([1, 1, 1]))
