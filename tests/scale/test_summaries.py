"""Summaries against the samples that they were made of."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from golden_sets import NAMES, SHARED, predictions
from hypothesis import given, settings, strategies as st
from summary_cases import CASES, COARSE, SCORES, rng

import calibviz as cv
from calibviz.context.lenses import ClassConditional
from calibviz.engine.scalar import EmptyProblemError
from calibviz.engine.sorted_scores import segment_sums
from calibviz.scale.score_grid import cells_of

UNIFORM = [cv.Uniform(1), cv.Uniform(3), cv.Uniform(15), cv.Uniform(100), cv.Uniform(15, closed="right")]
MEASURES = ["ks", "kuiper", "smooth", "debiased", *(cv.EqualMass(b) for b in (1, 7, 15, 100)), cv.Sweep()]


def measured(measure, judged, lens=None, **options):
    if measure == "ks":
        return cv.ks_error(judged, lens)
    if measure == "kuiper":
        return cv.kuiper_error(judged, lens)
    if measure == "smooth":
        return cv.smooth_error(judged, lens)
    if measure == "debiased":
        return cv.debiased_error(judged, lens)
    return cv.calibration_error(judged, lens, binning=measure, **options)


def check(p, lens="top-1", grids=(None, COARSE)):
    """Uniform bins are exact, all else is between its ends, and the summary's own number with it."""
    for grid in grids:
        summary = cv.summarize(p, lens, grid=grid)
        for binning in UNIFORM:
            if binning.bins <= summary.grid.bins:
                for options in ({}, {"p": 2}, {"aggregate": "max"}):
                    exact = measured(binning, p, lens, **options)
                    assert measured(binning, summary, **options) == pytest.approx(exact, rel=0, abs=1e-12)
                    low, high = cv.error_bounds(summary, error=binning, **options)
                    assert low <= exact <= high <= low + 1e-10
        for measure in MEASURES:
            exact = measured(measure, p, lens)
            low, high = cv.error_bounds(summary, error=measure)
            assert low <= exact <= high, (measure, low, exact, high)
            assert low <= measured(measure, summary) <= high
        for binning in (cv.EqualMass(9), cv.Sweep()):
            for options in ({"p": 3}, {"aggregate": "max"}):
                low, high = cv.error_bounds(summary, error=binning, **options)
                assert low <= measured(binning, p, lens, **options) <= high
    return summary


@pytest.mark.thorough
@pytest.mark.skipif(not (SHARED / "golden").is_dir(), reason="the real predictions are not on this machine")
@pytest.mark.parametrize("name", NAMES)
def test_real_predictions(name):
    p = predictions(name)
    for lens in ("top-1", "class 1"):
        check(p, lens)
        summary = cv.summarize(p, lens)
        low, high = cv.error_bounds(summary, error="ks")
        assert high - low < 1e-3  # a bound that says something
        assert cv.smooth_error(summary) == pytest.approx(cv.smooth_error(p, lens), abs=1e-4)
        assert cv.debiased_error(summary) == pytest.approx(cv.debiased_error(p, lens), abs=1e-3)


@pytest.mark.parametrize("name", CASES)
def test_hard_cases(name):
    scores, labels, weights = CASES[name]
    p = cv.Predictions(scores, np.asarray(labels).astype(int), weights=weights)
    summary = check(p, "class 1")
    assert summary.problem.total == pytest.approx(cv.lens("class 1")(p).total, rel=1e-12)
    assert summary.problem.effective_size == pytest.approx(cv.lens("class 1")(p).effective_size, rel=1e-9)
    assert summary.problem.is_binary


def test_scores_outside_of_0_to_1():
    """Sums of probabilities, of rows that do not sum to 1."""
    for rows in ([0.6, 0.4005, 0.0], [0.6, 0.3995, 0.0]):
        probs = np.tile(rows, (1500, 1))
        probs[::3] = [0.5, 0.2, 0.3]
        check(cv.Predictions(probs, rng.integers(0, 3, 1500)), "within-top 2")


def test_large_powers():
    p = cv.simulated("resnet110_c10", 2000)
    summary = cv.summarize(p, "class right")
    for binning in (cv.Uniform(15), cv.EqualMass(9), cv.Sweep()):
        low, high = cv.error_bounds(summary, error=binning, p=400)
        assert low <= cv.calibration_error(p, "class right", binning=binning, p=400) <= high < 1


def test_bins_closed_on_the_right_need_cells_of_their_own():
    scores = np.concatenate([np.arange(129) / 128, np.arange(128) / 128 + 1e-6])
    p = cv.Predictions(scores, np.repeat([1, 0], [129, 128]))
    with pytest.raises(ValueError, match="does not have the edges of 128 uniform bins"):
        cv.error_bounds(cv.summarize(p, "class 1"), error=cv.Uniform(128, "right"))
    low, high = cv.error_bounds(cv.summarize(p, "class 1"), error=cv.Uniform(128))
    assert low <= cv.calibration_error(p, "class 1", binning=cv.Uniform(128)) <= high


@settings(deadline=None, max_examples=60)
@given(scores=SCORES, seed=st.integers(0, 2**16), weighted=st.booleans())
def test_bounds_hold_whatever_the_scores(scores, seed, weighted):
    draw = np.random.default_rng(seed)
    n = len(scores)
    weights = draw.integers(1, 9, n) / draw.choice([1, 3]) if weighted else None
    check(cv.Predictions(np.array(scores), draw.integers(0, 2, n), weights=weights), "class 1", (COARSE,))


def test_any_batches_in_any_order():
    p = cv.simulated("resnet110_c10", 3000)
    weighted = cv.Predictions(p.probs, p.labels, weights=rng.uniform(0.1, 9, len(p)), class_names=p.class_names)
    for whole in (p, weighted):
        expected = cv.summarize(whole, "class right")
        for seed in range(5):
            draw = np.random.default_rng(seed)
            order = draw.permutation(len(whole))
            parts = np.split(order, np.sort(draw.integers(0, len(whole), 12)))
            streamed = cv.Summary("class right", class_names=whole.class_names)
            each = []
            for part in parts:
                if len(part):
                    streamed.update(whole.select(part))
                    each.append(cv.summarize(whole.select(part), "class right"))
            for other in (streamed, sum(each), each[-1] + sum(each[:-1])):
                assert other.rows == len(whole)
                np.testing.assert_array_equal(other.count, expected.count)
                np.testing.assert_array_equal(other.lowest, expected.lowest)
                np.testing.assert_allclose(other.right, expected.right, rtol=1e-12)
                for measure in (*UNIFORM, *MEASURES):
                    assert measured(measure, other) == pytest.approx(measured(measure, expected), abs=1e-12)
                assert other.problem.effective_size == pytest.approx(expected.problem.effective_size, rel=1e-12)


def test_a_service_logs_batches():
    p = cv.load_dataset("digits")["random forest"]
    summary = cv.Summary("top-1", selection="label in [1, 2, 3]", class_names=p.class_names)
    for start in range(0, len(p), 100):
        part = slice(start, start + 100)
        summary.update(p.probs[part], p.labels[part])
    assert summary.rows == len(p)
    exact = cv.calibration_error(p, selection="label in [1, 2, 3]")
    assert cv.calibration_error(summary) == pytest.approx(exact, abs=1e-12)
    before = summary.count.copy()
    with pytest.raises(ValueError, match=r"labels\[1\] is 11"):
        summary.update(p.probs[:2], [0, 11])
    with pytest.raises(TypeError, match="pass the predictions alone"):
        summary.update(p, p.labels)
    np.testing.assert_array_equal(summary.count, before)
    summary.update(p.probs[:1], [0])  # of which the selection keeps nothing
    assert summary.rows == len(p) + 1
    np.testing.assert_array_equal(summary.count, before)


def test_an_empty_summary_has_no_error():
    with pytest.raises(EmptyProblemError):
        cv.calibration_error(cv.Summary("top-1"))
    with pytest.raises(EmptyProblemError):
        cv.error_bounds(cv.Summary("top-1"), error="ks")


def test_what_is_saved_is_loaded(tmp_path):
    p = cv.load_dataset("digits")["random forest"]
    kept = cv.summarize(p, "within-top 2", selection="confidence > 0.3", grid=cv.ScoreGrid(64, 10))
    kept.save(tmp_path / "kept.npz")
    loaded = cv.Summary.load(tmp_path / "kept.npz")
    assert repr(loaded) == repr(kept)
    assert cv.ks_error(loaded) == cv.ks_error(kept)
    assert cv.error_bounds(loaded, error=cv.Sweep()) == cv.error_bounds(kept, error=cv.Sweep())
    both = loaded + kept
    assert both.rows == 2 * kept.rows
    loaded.update(p)
    np.testing.assert_array_equal(loaded.count, both.count)
    assert [path.name for path in tmp_path.iterdir()] == ["kept.npz"]


def test_nothing_half_written_is_left(tmp_path, monkeypatch):
    path = tmp_path / "kept.npz"
    cv.Summary("top-1").save(path)
    before = path.read_bytes()

    def fails(file, **_):
        file.write(b"half")
        raise OSError("the disk is full")

    monkeypatch.setattr(np, "savez_compressed", fails)
    with pytest.raises(OSError, match="the disk is full"):
        cv.Summary("top-1").save(path)
    assert path.read_bytes() == before and [one.name for one in tmp_path.iterdir()] == ["kept.npz"]


@pytest.mark.parametrize("content", [b"", b"no zip", "other", "short"])
def test_a_file_that_holds_something_else(tmp_path, content):
    path = tmp_path / "x.npz"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        cv.Summary("top-1").save(path)
        with np.load(path) as file:
            arrays = dict(file)
        arrays["about" if content == "other" else "right"] = np.array("{}") if content == "other" else np.zeros(3)
        np.savez(path, **arrays)
    with pytest.raises(ValueError, match=r"x\.npz holds no summary"):
        cv.Summary.load(path)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("right", lambda sums: -sums - 1, r"its right\[0\] is -1"),
        ("wrong", lambda sums: sums * np.nan, r"its wrong\[0\] is nan"),
        ("count", lambda sums: sums.astype(str), "its count has the shape .* and the kind <U"),
        ("lowest", lambda sums: np.full(sums.shape, -np.inf), "its lowest.* is -inf"),
        ("cluster_cell", lambda sums: sums + 10**9, "its cluster_cell names cells that the grid does not have"),
        ("cluster_count", lambda sums: sums[1:], "its cluster_count has the shape"),
        ("about", lambda text: np.array("[" * 100_000), "recursion"),
        ("about", lambda text: np.array("x").astype("U70000000"), "longer than 268,435,456 bytes"),
    ],
)
def test_a_file_of_what_are_no_sums(tmp_path, name, change, message):
    path = tmp_path / "x.npz"
    p = cv.Predictions([0.2, 0.3, 0.8, 0.9], [0, 1, 1, 1], cluster=[0, 0, 1, 1])
    cv.summarize(p).save(path)
    with np.load(path) as file:
        arrays = dict(file)
    np.savez_compressed(path, **{**arrays, name: change(arrays[name])})
    with pytest.raises(ValueError, match=rf"x\.npz holds no summary: .*{message}"):
        cv.Summary.load(path)


def test_what_does_not_add():
    p = cv.load_dataset("digits")["random forest"]
    one = cv.summarize(p)
    for other, name in (
        (cv.summarize(p, "rank 2"), "lens is"),
        (cv.summarize(p, "full", outcome=1), "lens is"),
        (cv.summarize(p, selection="confidence > 0.5"), "selection is"),
        (cv.summarize(p, grid=COARSE), "grid is"),
        (cv.summarize(cv.Predictions(p.probs, p.labels, class_names=list("abcdefghij"))), "classes are"),
    ):
        with pytest.raises(ValueError, match=f"summaries add only where the {name} the same"):
            one + other
    others = cv.Predictions(p.probs, p.labels, class_names=list("abcdefghij"))
    with pytest.raises(ValueError, match="the summary is of the classes"):
        one.update(others)
    halves = [cv.Predictions(p.probs, p.labels, groups={"a": range(k), "b": range(k, 10)}) for k in (5, 6)]
    made = [cv.summarize(half, "grouping", outcome="a") for half in halves]
    with pytest.raises(ValueError, match="summaries add only where the lens is the same"):
        made[0] + made[1]
    assert (cv.Summary("top-1") + one).class_names == one.class_names
    with pytest.raises(TypeError):
        one + 1


def test_a_sum_shares_nothing_with_its_parts():
    p = cv.load_dataset("digits")["random forest"]
    one = cv.summarize(p)
    total, copied = sum([one]), copy.copy(one)
    for other in (total, copied):
        other.update(p)
        assert other.rows == other.count.sum() == 2 * len(p)
    assert one.rows == one.count.sum() == len(p)


def test_groups_are_saved_and_what_cannot_be_is_refused(tmp_path):
    p = cv.load_dataset("digits")["random forest"]
    groups = cv.Grouping({"low": range(5), "high": range(5, 10)})
    cv.summarize(p, groups, outcome=np.int64(1)).save(tmp_path / "groups.npz")
    loaded = cv.Summary.load(tmp_path / "groups.npz")
    assert loaded.lens == groups
    loaded.update(p)
    assert cv.ks_error(loaded) == pytest.approx(cv.ks_error(p, groups, outcome=1), abs=1e-12)
    for lens in (ClassConditional(1), lambda q: cv.lens("top-1")(q)):
        if not isinstance(lens, ClassConditional):
            lens.name = "mine"
        with pytest.raises(ValueError, match="cannot be saved: give a lens by its name"):
            cv.summarize(p, lens).save(tmp_path / "mine.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["groups.npz"]


def test_counts_are_of_samples():
    scores = rng.integers(0, 11, 2000) / 10
    p = cv.Predictions(scores, rng.integers(0, 2, 2000))
    summary = cv.summarize(p, "class 1")
    for table in (cv.reliability, cv.likert_error):
        np.testing.assert_array_equal(table(summary)["count"], table(p, "class 1")["count"])
    made = cv.sensitivity(summary, settings=[5, 10], replicates=5)
    np.testing.assert_array_equal(
        made.fewest_in_bin, cv.sensitivity(p, "class 1", settings=[5, 10], replicates=5).fewest_in_bin
    )
    halved = cv.likert_error(summary, calibrator=lambda s: s / 2)
    exact = cv.likert_error(p, "class 1", calibrator=lambda s: s / 2)
    np.testing.assert_allclose(halved.error, exact.error, atol=1e-12)


def test_refusals():
    p = cv.simulated("resnet110_c10", 100)
    summary = cv.summarize(p, "class right")
    with pytest.raises(ValueError, match=r"a summary needs one score a sample: choose an outcome=\.\.\. of the lens"):
        cv.summarize(p, "full")
    assert cv.ks_error(cv.summarize(p, "full", outcome="right")) == pytest.approx(cv.ks_error(summary))
    with pytest.raises(ValueError, match="does not have the edges of 101 uniform bins: choose at most 100"):
        cv.error_bounds(summary, error=cv.Uniform(101))
    with pytest.raises(ValueError, match='error must be "ks", "kuiper", "smooth", "debiased", or a b'):
        cv.error_bounds(summary, error=cv.Sweep("uniform"))
    with pytest.raises(ValueError, match="error must be"):
        cv.error_bounds(summary, error="ece")
    with pytest.raises(TypeError, match=r"summary must be a cv\.Summary, not Predictions"):
        cv.error_bounds(p, error="ks")
    with pytest.raises(ValueError, match="but the labels are soft"):
        cv.summarize(cv.Predictions([0.5], [[0.5, 0.5]]))
    with pytest.raises(ValueError, match="cannot be of the lens 'pooled'"):
        cv.summarize(p, "pooled")
    with pytest.raises(
        TypeError,
        match=r"predictions must be cv\.Predictions\(probs, labels\) or from cv\.open_predictions, not Summary",
    ):
        cv.summarize(summary)
    with pytest.raises(TypeError, match=r"not ndarray: labels is missing, as in summarize\(probs, labels\)"):
        cv.summarize(p.probs)
    with pytest.raises(TypeError, match=r"predictions must be cv\.Predictions\(probs, labels\), not Summary"):
        cv.accuracy(summary)
    with pytest.raises(TypeError, match=r"summaries add by \+: update takes samples"):
        summary.update(summary)
    with pytest.raises(TypeError, match=r"grid must be a cv\.ScoreGrid, not 100"):
        cv.Summary("top-1", grid=100)
    heavy = cv.Summary("class 1")
    heavy.update([0.5], [0], weights=[1e308])
    with pytest.raises(ValueError, match="the weights add up to more than a number can hold"):
        heavy.update([0.5], [1], weights=[1e308])
    with pytest.raises(ValueError, match="a problem or a summary has been looked at through a lens already"):
        cv.ks_error(summary, "rank 2")
    with pytest.raises(ValueError, match="cells must be between 16 and 16777216, not 3"):
        cv.ScoreGrid(3)


def test_the_bootstrap_draws_samples_not_cells():
    p = cv.simulated("resnet110_c10", 2000)
    summary = cv.summarize(p, "class right")
    spread = cv.bootstrap(summary, error=cv.ks_error, replicates=200).std
    assert spread == pytest.approx(
        cv.bootstrap(p, error=lambda q: cv.ks_error(q, "class right"), replicates=200).std, rel=0.2
    )


@pytest.mark.thorough
@pytest.mark.parametrize("weights", ["equal", "even", "heavy"])
def test_the_bootstrap_draws_weighted_samples(weights):
    p = cv.simulated("resnet110_c10", 3000)
    draw = np.random.default_rng(0)
    column = {"equal": np.full(3000, 0.3), "even": draw.uniform(0.1, 2, 3000), "heavy": draw.lognormal(0, 1.5, 3000)}
    weighted = cv.Predictions(p.probs, p.labels, weights=1e-200 * column[weights])
    summary = sum(cv.summarize(weighted.select(range(i, i + 1000)), "class 1") for i in range(0, 3000, 1000))
    problem = cv.lens("class 1")(weighted)
    assert summary.problem.effective_size == pytest.approx(problem.effective_size)
    spline = cv.Spline().fit(problem)
    for statistic in (
        cv.ks_error,
        cv.debiased_error,
        cv.kde_error,
        lambda q: q.mean_target,
        lambda q: cv.ks_error(q.mapped(spline)),
    ):
        found, exact = (
            cv.bootstrap(one, error=statistic, replicates=300, progress=False) for one in (summary.problem, problem)
        )
        assert found.std == pytest.approx(exact.std, rel=0.2)
        assert found.mean == pytest.approx(exact.mean, abs=exact.std / 2)
    sizes = [
        cv.bootstrap(one, error=lambda q: q.effective_size, replicates=30).mean for one in (summary.problem, problem)
    ]
    assert sizes[0] == pytest.approx(sizes[1], rel=0.1)
    mapped = cv.bootstrap(summary.problem.mapped(spline), error=cv.ks_error, replicates=300, progress=False)
    assert mapped.std == pytest.approx(
        cv.bootstrap(problem.mapped(spline), error=cv.ks_error, replicates=300).std, rel=0.2
    )
    half, whole = (cv.bootstrap(summary, error=cv.ks_error, replicates=200, size=size).std for size in (750, 3000))
    assert half == pytest.approx(2 * whole, rel=0.3)
    counts = [
        cv.reliability(one, "class 1", binning=cv.Uniform(4))["count"]
        if one is weighted
        else cv.reliability(one, binning=cv.Uniform(4))["count"]
        for one in (summary, weighted)
    ]
    np.testing.assert_array_equal(*counts)
    assert cv.spread_by_size(summary, error=cv.ks_error, fractions=[0.5], replicates=5)["size"].item() == 1500
    assert (cv.reliability(summary, interval="bootstrap", replicates=50).upper > 0).any()
    for chance in (
        lambda: cv.consistency(summary, error=cv.ks_error, replicates=5),
        lambda: cv.reliability(summary, interval="consistency", replicates=5),
    ):
        with pytest.raises(ValueError, match="labels cannot be drawn for a summary whose weights are not whole"):
            chance()


@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_bootstrap_of_few_weighted_samples(n):
    summary = cv.summarize(cv.Predictions([0.3] * n, [1] * n, weights=[0.5] * n), "class 1")
    assert cv.bootstrap(summary, error=cv.ks_error, replicates=200, progress=False).std == pytest.approx(0, abs=1e-12)
    assert cv.drift({0: summary}, replicates=20, progress=False)["upper"].item() == pytest.approx(0.7)


def test_bins_within_a_cell_are_bounded_by_it():
    grid = cv.ScoreGrid(cells=16, bins=1)
    summary = cv.summarize(cv.Predictions([0.51, 0.52, 0.53, 0.54], [0, 1, 0, 1]), "class 1", grid=grid)
    bounds = cv.curve_bounds(summary, cv.EqualMass(4)).score
    assert bounds.min() >= 0.51 - 1e-12 and bounds.max() <= 0.54 + 1e-12
    draw = np.random.default_rng(0)
    score = np.concatenate([0.3 + 2e-5 * draw.random(20_000), draw.random(2000)])
    p = cv.Predictions(score, draw.random(22_000) < score)
    for aggregate in ("mean", "max"):
        low, high = cv.error_bounds(cv.summarize(p, "class 1"), error=cv.EqualMass(15), aggregate=aggregate)
        assert low <= cv.calibration_error(p, "class 1", binning=cv.EqualMass(15), aggregate=aggregate) <= high <= 1


def test_a_summary_is_small_however_many_samples():
    summary = cv.Summary("class right", class_names=("wrong", "right"))
    sizes = []
    for seed in range(3):
        summary.update(cv.simulated("resnet110_c10", 100_000, rng=seed))
        arrays = (summary.count, summary.right, summary.wrong, summary.offset, summary.lowest, summary.highest)
        sizes.append(sum(array.nbytes for array in arrays))
    assert sizes == [sizes[0]] * 3 and sizes[0] < 4e6
    assert summary.rows == 300_000


def test_a_random_part_and_the_rest():
    p = cv.simulated("resnet110_c10", 20_000)
    summary = cv.summarize(p, "class right")
    part, rest = summary.split(0.3, rng=1)
    both = part + rest
    for name in ("right", "wrong"):
        np.testing.assert_array_equal(getattr(both, name), getattr(summary, name))
    np.testing.assert_allclose(both.offset, summary.offset, rtol=1e-9, atol=1e-15)
    assert part.rows == pytest.approx(6000, abs=4 * np.sqrt(20_000 * 0.21))
    assert part.problem.whole_weights and part.problem.is_binary
    assert cv.ks_error(part) == pytest.approx(cv.ks_error(summary), abs=0.02)
    np.testing.assert_array_equal(summary.split(0.3, rng=1)[0].right, part.right)
    assert (summary.split(0.3, rng=2)[0].right != part.right).any()
    with pytest.raises(ValueError, match="share must lie strictly between 0 and 1"):
        summary.split(1.0)
    weighted = cv.Predictions([0.2, 0.7], [0, 1], weights=[0.5, 1.0])
    with pytest.raises(
        ValueError, match=r"weights are not whole numbers, up to 2\^53, cannot be split: use the samples"
    ):
        cv.summarize(weighted).split()
    with pytest.raises(ValueError, match="cannot be turned into predictions: use the samples"):
        cv.summarize(weighted).predictions()
    with pytest.raises(ValueError, match=r"weigh more than 2\^53: too many to split"):
        cv.summarize(cv.Predictions([0.2, 0.2], [0, 1], weights=[2.0**53, 2.0**53])).split()


def test_a_summary_as_predictions():
    p = cv.load_dataset("digits")["random forest"]
    summary = cv.summarize(p, "rank 2")
    made = summary.predictions()
    assert made.class_names == ("no", "yes") and made.weights.sum() == len(p)
    for metric in (cv.ks_error, cv.calibration_error, cv.brier_score):
        assert metric(made, "class yes") == pytest.approx(metric(summary), abs=1e-12)


def test_the_spline_of_a_summary():
    p = cv.simulated("resnet110_c10", 30_000)
    exact = cv.Spline().fit(cv.lens("class right")(p))
    nearly = cv.Spline().fit(cv.summarize(p, "class right"))
    scores = np.linspace(0.3, 1, 50)
    np.testing.assert_allclose(nearly(scores), exact(scores), atol=2e-3)


@pytest.mark.parametrize("grid", [cv.ScoreGrid(), COARSE, cv.ScoreGrid(16, 1), cv.ScoreGrid(17, 300)])
def test_cells_are_found_from_the_bits_of_scores(grid):
    """Each score falls into the last cell that begins at it or below, also on the edges and beside them."""
    left, draw = grid.left, np.random.default_rng(0)
    score = np.concatenate(
        [
            left,
            np.nextafter(left, 2),
            np.nextafter(left, -1),
            draw.random(5000),
            draw.random(5000, dtype=np.float32),
            10.0 ** draw.uniform(-320, 0, 5000),
            1 - 10.0 ** draw.uniform(-17, 0, 5000),
            np.arange(101) / 100,
            [-0.002, -1e-300, -0.0, 1 + 1e-12, 1.002],
        ]
    )
    expected = np.maximum(np.searchsorted(left, score, "right") - 1, 0)
    np.testing.assert_array_equal(cells_of(grid, score), expected)


@pytest.mark.parametrize("scores", ["even", "sure", "rare", "one cell", "tied", "two digits"])
def test_sums_depend_on_no_order(scores):
    """Not in a single bit, however many samples share a cell, and whether the problem was sorted before."""
    draw = np.random.default_rng(0)
    n = 40_000
    score = {
        "even": draw.random(n),
        "sure": 1 - 10.0 ** draw.uniform(-12, -1, n),
        "rare": 10.0 ** draw.normal(-5, 0.01, n),
        "one cell": 0.371 + 1e-6 * draw.random(n),
        "tied": np.full(n, 0.3711),
        "two digits": np.round(draw.random(n), 2),
    }[scores]
    labels, order = (draw.random(n) < score).astype(int), draw.permutation(n)
    ascending = np.argsort(score, kind="stable")
    sums = [cv.summarize(cv.Predictions(score[rows], labels[rows]), "class 1") for rows in (order, ascending)]
    looked_at = cv.Predictions(score, labels)
    cv.ks_error(looked_at, "class 1")
    sums.append(cv.summarize(looked_at, "class 1"))
    cuts = np.append(np.searchsorted(score[ascending], sums[0].grid.left), n)
    offset = score[ascending] - np.repeat(sums[0].grid.left, np.diff(cuts))
    for summary in sums:
        np.testing.assert_array_equal(summary.offset, segment_sums(offset, cuts))
        np.testing.assert_array_equal(summary.right, segment_sums(labels[ascending], cuts))
        for name in ("count", "wrong", "lowest", "highest"):
            np.testing.assert_array_equal(getattr(summary, name), getattr(sums[0], name))
