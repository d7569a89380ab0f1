"""Predictions that are read in parts: one pass gives what the whole gives, whatever the parts."""

import pickle

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings, strategies as st
from lazy_samples import LENSES, SELECTIONS, SOURCES, K, N, binary, same_sums

import calibviz as cv
from calibviz.cube import pass_plan
from calibviz.engine.binnings.kdtree import Partition
from calibviz.foundation.threads import workers
from calibviz.foundation.validation import RowError
from calibviz.scale.lazy import LazyPredictions
from calibviz.scale.passes import Part, PartError, passed
from calibviz.scale.row_randomness import BLOCK_ROWS, SAMPLE, row_uniforms


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_gives_the_sums_of_the_whole(source, data, whole, tmp_path):
    lazy = SOURCES[source](data, tmp_path)
    assert (len(lazy), lazy.n_classes, lazy.class_names) == (N, K, ("0", "1", "2", "3"))
    assert len(lazy.parts) > 2
    found = cv.summarize_all(lazy, LENSES, selections=SELECTIONS, progress=False)
    assert list(found) == [("model", selection, lens) for selection in SELECTIONS for lens in LENSES]
    for (_, selection, lens), summary in found.items():
        same_sums(summary, cv.summarize(whole, lens, selection=SELECTIONS[selection]))


@settings(max_examples=8, deadline=None)
@given(st.lists(st.integers(0, N), max_size=6), st.booleans())
def test_any_chunks_in_any_order_give_the_same(cuts, backwards):
    rng = np.random.default_rng(1)
    score, label = rng.random(N), rng.integers(0, 2, N)
    weight = rng.random(N)
    data = xr.Dataset({"prob": ("sample", score), "label": ("sample", label), "weight": ("sample", weight)})
    sizes = np.diff([0, *sorted(cuts), N])
    lazy = cv.open_predictions(data.chunk(sample=tuple(int(size) for size in sizes if size)))
    if backwards:
        lazy = LazyPredictions(lazy.parts[::-1], lazy.class_names)
    same_sums(
        cv.summarize(lazy, "class 1", progress=False),
        cv.summarize(cv.Predictions(score, label, weights=weight), "class 1"),
    )


def test_a_part_is_looked_at_in_one_thread(monkeypatch):
    monkeypatch.setenv("CALIBVIZ_NUM_THREADS", "5")
    seen = []

    def spy(part, arguments):
        seen.append(workers())
        return len(arguments["labels"])

    data = xr.Dataset({"prob": ("sample", np.full(60, 0.5)), "label": ("sample", np.arange(60) % 2)})
    lazy = cv.open_predictions(data.chunk(sample=20))
    assert passed([(lazy.parts, spy)], sum, progress=False) == [60]
    assert set(seen) == {1} and workers() == 5


def test_parts_without_weight_are_counted_but_not_refused():
    data = xr.Dataset(
        {"prob": ("sample", [0.2, 0.4, 0.6]), "label": ("sample", [0, 1, 1]), "weight": ("sample", [0.0, 1.0, 2.0])}
    )
    summary = cv.summarize(cv.open_predictions(data, rows=1), "class 1", progress=False)
    assert (summary.rows, summary.problem.samples) == (3, 3)
    assert cv.calibration_error(summary) == pytest.approx((0.6 + 2 * 0.4) / 3)


def test_the_cube_is_that_of_the_whole(data, whole):
    metrics = [
        "ece",
        "mce",
        "ks",
        "kuiper",
        "sweep",
        "smooth",
        "brier",
        "log_loss",
        "accuracy",
        "mean_score",
        "mean_target",
        "count",
        "top_k_accuracy",
        "likert_error",
        "likert_count",
    ]
    asked = {
        "k": [1, 2],
        "lenses": [*LENSES, "classwise"],
        "binnings": ["uniform", "equal-mass"],
        "bins": [10, 15],
        "selections": SELECTIONS | {"nobody": "age > 200"},
        "categories": [0, 0.3, 0.7, 1],
        "metrics": metrics,
        "progress": False,
    }
    exact = cv.evaluate(whole, **asked)
    found = cv.evaluate(cv.open_predictions(data.chunk(sample=1700)), **asked)
    assert found.ece.dims == exact.ece.dims
    for metric in metrics:
        known = ~np.isnan(found[metric])
        assert not (known & np.isnan(exact[metric])).any()
        np.testing.assert_allclose(found[metric].where(known), exact[metric].where(known), atol=4e-3)
        if metric in ("mean_score", "mean_target", "count", "accuracy", "top_k_accuracy", "likert_count"):
            np.testing.assert_allclose(found[metric].where(known), exact[metric].where(known), rtol=1e-12)
    uniform = {"binning": "uniform", "lens": LENSES}
    scalar = found.ece.sel(uniform)
    np.testing.assert_allclose(scalar, exact.ece.sel(uniform), atol=1e-12)
    assert not np.isnan(scalar.sel(selection=list(SELECTIONS))).any()
    assert "which samples are right is not known" in found.accuracy.attrs["unavailable"]


def test_a_tree_grown_on_all_samples_is_that_of_the_whole(data, whole):
    metrics = ["kdtree_ece", "brier", "log_loss", "accuracy", "count"]
    asked = {
        "lenses": ["full", "top-2", cv.Grouping({"low": [0, 1], "high": [2, 3]})],
        "gammas": [0.1, 0.02, 0.005],
        "selections": SELECTIONS | {"nobody": "age > 200"},
        "metrics": metrics,
        "progress": False,
    }
    exact = cv.evaluate(whole, **asked)
    for rows in (N, 999):
        xr.testing.assert_allclose(cv.evaluate(cv.open_predictions(data, rows=rows), **asked), exact, rtol=1e-10)


def test_leaf_sums_are_exact_on_a_tree_of_some_samples(data, whole, monkeypatch):
    monkeypatch.setattr(pass_plan, "TREE_ROWS", 600)
    lazy = cv.open_predictions(data, rows=1100)
    asked = {"gammas": 0.05, "metrics": ["kdtree_ece", "brier"], "progress": False}
    found = cv.evaluate(lazy, "full", **asked)
    exact = cv.evaluate(whole, "full", **asked)
    assert found.brier.item() == pytest.approx(exact.brier.item(), rel=1e-12)
    assert found.kdtree_ece.item() == pytest.approx(exact.kdtree_ece.item(), abs=0.01)
    # By hand: every sample in the leaf where it belongs, leaves that are too light joined.
    some = lazy.sample(600, progress=False)
    partition = Partition.of(cv.lens("full")(some), 0.025)
    leaf = partition.leaf_of(whole.probs)
    gap = np.zeros((len(partition), K))
    np.add.at(gap, leaf, whole.probs - np.eye(K)[whole.labels])
    weight = np.bincount(leaf, minlength=len(partition)).astype(float)
    for node in reversed(range(len(partition))):
        if (child := partition.child[node]) >= 0:
            gap[node], weight[node] = gap[child] + gap[child + 1], weight[child] + weight[child + 1]
    error, waiting = 0.0, [0]
    while waiting:
        node = waiting.pop()
        if partition.child[node] < 0 or weight[node] < 0.05 * N:
            error += np.abs(gap[node]).sum() / 2 / N
        else:
            waiting += [partition.child[node], partition.child[node] + 1]
    assert found.kdtree_ece.item() == pytest.approx(error, rel=1e-10)


def test_the_bootstrap_in_the_pass_is_that_of_samples(data, whole):
    asked = {"gammas": 0.1, "metrics": ["kdtree_ece", "brier", "accuracy"], "replicates": 200, "progress": False}
    exact = cv.evaluate(whole, "full", **asked)
    found, again = (cv.evaluate(cv.open_predictions(data, rows=rows), "full", **asked) for rows in (700, 4000))
    xr.testing.assert_allclose(found, again, rtol=1e-9)
    for metric in asked["metrics"]:
        name = f"{metric}_quantile"
        width = float(np.ptp(exact[name].values))
        np.testing.assert_allclose(found[name], exact[name], atol=0.4 * width)


@pytest.mark.parametrize("lens", ["class 1", "full"])
def test_weights_count_repetitions_in_parts_too(lens):
    rng = np.random.default_rng(2)
    data = binary(400).assign(weight=("sample", rng.integers(0, 4, 400).astype(float)))
    times = data["weight"].values.astype(int)
    repeated = data[["prob", "label"]].isel(sample=np.repeat(np.arange(400), times))
    asked = {"gammas": 0.1, "metrics": ["kdtree_ece", "brier", "accuracy", "mean_target"], "progress": False}
    one, other = (cv.evaluate(cv.open_predictions(p, rows=90), lens, **asked) for p in (data, repeated))
    xr.testing.assert_allclose(one, other, rtol=1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize("weight", [None, np.random.default_rng(3).uniform(0.1, 2, N)], ids=["", "weighted"])
def test_the_bootstrap_of_sums_is_that_of_samples(data, whole, weight):
    asked = {
        "lenses": ["top-1", "full"],
        "metrics": ["ks", "mean_target", "accuracy", "brier"],
        "replicates": 300,
        "progress": False,
    }
    if weight is not None:
        data, whole = data.assign(weight=("sample", weight)), whole.reweighted(weight)
    exact, found = cv.evaluate(whole, **asked), cv.evaluate(cv.open_predictions(data, rows=999), **asked)
    for name, lens in [("ks", "top-1"), ("mean_target", "top-1"), ("accuracy", "top-1"), ("brier", "full")]:
        one, other = (cube[f"{name}_quantile"].sel(lens=lens) for cube in (found, exact))
        np.testing.assert_allclose(one, other, atol=0.3 * float(np.ptp(other.values)))
    again = cv.evaluate(cv.open_predictions(data, rows=4000), **asked)
    xr.testing.assert_allclose(found, again, rtol=1e-9)


def test_what_a_lens_does_not_find_is_no_bad_row(data):
    lazy = cv.open_predictions(data, rows=1000)
    with pytest.raises(ValueError, match=r"^class 'dog' is unknown"):
        cv.summarize(lazy, "class dog", progress=False)
    with pytest.raises(ValueError, match=r"^a summary needs one score a sample"):
        cv.summarize(lazy, "full", progress=False)
    found = cv.evaluate(lazy, ["class dog", "full", "pooled", "top-1"], metrics="ks", progress=False)
    assert np.isnan(found.ks.sel(lens=["class dog", "full", "pooled"])).all()
    assert "class 'dog' is unknown" in found.ks.attrs["unavailable"]
    assert "of a lens with several outcomes, one pass finds kdtree_ece, brier" in found.ks.attrs["unavailable"]
    assert "no independent samples: draw rows with predictions.sample()" in found.ks.attrs["unavailable"]


def test_a_sample_is_the_same_whatever_the_parts(data, whole):
    one, other = (cv.open_predictions(data, rows=rows).sample(500, rng=3, progress=False) for rows in (700, 5000))
    np.testing.assert_array_equal(one.probs, other.probs)
    assert 400 < len(one) < 600
    rows = np.flatnonzero(row_uniforms(0, N, 3, SAMPLE) < 500 / N)
    np.testing.assert_array_equal(one.probs, whole.probs[rows])
    np.testing.assert_array_equal(one.fields["site"], whole.fields["site"][rows])


@given(st.integers(0, 3 * BLOCK_ROWS), st.integers(1, 2 * BLOCK_ROWS), st.integers(0, 2**31))
@settings(max_examples=20, deadline=None)
def test_the_numbers_of_rows_do_not_depend_on_where_parts_begin(start, rows, seed):
    whole = row_uniforms(0, start + rows, seed, 1)
    np.testing.assert_array_equal(row_uniforms(start, rows, seed, 1), whole[start:])


@pytest.mark.parametrize("rows", [1, 3, 50, 1000])
def test_rows_without_weight_count_the_same_in_any_parts(rows):
    n = 60
    data = binary(n).assign(weight=("sample", np.repeat([1.0, 0.0, 2.0], 20)), day=("sample", np.arange(n) // 10))
    lazy, once = cv.open_predictions(data, rows=rows), cv.open_predictions(data, rows=n)
    same_sums(cv.summarize(lazy, progress=False), cv.summarize(once, progress=False))
    days, whole_days = (cv.windows(p, field="day", lens="class 1", progress=False) for p in (lazy, once))
    assert {day: one.rows for day, one in days.items()} == {day: 10 for day in range(6)}
    for day, one in days.items():
        same_sums(one, whole_days[day])
    one, other = (p.sample(30, progress=False) for p in (lazy, once))
    np.testing.assert_array_equal(one.probs, other.probs)
    data["prob"][25] = np.nan  # of weight 0
    with pytest.raises(ValueError, match=r"probs\[25\] is missing$"):
        cv.summarize(cv.open_predictions(data, rows=rows), progress=False)


def test_the_sum_of_all_weights_may_be_too_much():
    data = binary(100).assign(weight=("sample", np.full(100, 3e306)))
    lazy = cv.open_predictions(data, rows=10)
    with pytest.raises(ValueError, match="the weights add up to more than a number can hold"):
        cv.summarize(lazy, progress=False)
    found = cv.evaluate(lazy, "full", metrics="brier", progress=False)
    assert "more than a number can hold" in found.brier.attrs["unavailable"]
    tiny = cv.Predictions(binary(9)["prob"].values, binary(9)["label"].values, weights=np.full(9, 1e-280))
    assert cv.ks_error(cv.summarize(tiny)) == pytest.approx(cv.ks_error(tiny), abs=1e-4)


def test_an_infinite_log_loss_is_in_the_draws_that_it_is_in(data):
    probs, labels = data["probs"].values[:200].copy(), data["label"].values[:200].copy()
    probs[7], labels[7] = [0, 1, 0, 0], 0
    some = xr.Dataset({"probs": (("sample", "class"), probs), "label": ("sample", labels)})
    asked = {"metrics": "log_loss", "replicates": 40, "progress": False}
    found = cv.evaluate(cv.open_predictions(some, rows=60), "full", **asked)
    exact = cv.evaluate(cv.Predictions(probs, labels), "full", **asked)
    assert np.isinf(found.log_loss.item())
    assert np.isinf(found.log_loss_quantile.values.ravel()).tolist() == [False, True]
    assert found.log_loss_quantile.values.min() == pytest.approx(exact.log_loss_quantile.values.min(), rel=0.1)


def test_a_draw_of_nothing_has_no_number(data):
    few = data.isel(sample=slice(40)).assign_coords(age=("sample", np.arange(40)))
    asked = {"gammas": 0.1, "metrics": ["kdtree_ece", "accuracy"], "replicates": 60, "progress": False}
    found = cv.evaluate(cv.open_predictions(few, rows=9), "full", selections={"two": "age < 2"}, **asked)
    assert np.isfinite(found.accuracy_quantile).all()


@pytest.mark.parametrize("weight", [9.0, 0.3])
def test_the_bootstrap_of_weights_says_why_it_is_not_there(data, weight):
    weighted = data.assign(weight=("sample", np.full(N, weight)))
    asked = {"gammas": 0.1, "metrics": ["kdtree_ece", "ks", "brier", "likert_count"], "categories": [0, 0.5, 1]}
    found = cv.evaluate(
        cv.open_predictions(weighted, rows=999), ["full", "top-1", "classwise"], replicates=5, **asked, progress=False
    )
    assert np.isfinite(found.brier).all()  # the estimates stay
    assert np.isfinite(found.brier_quantile.sel(lens="top-1")).all()
    assert np.isfinite(found.brier_quantile.sel(lens="full")).all() == (weight == 0.3)
    assert ("not where weights count repetitions" in found.brier.attrs["unavailable"]) == (weight == 9.0)
    assert "samples cannot be drawn from these sums" in found.brier.attrs["unavailable"]  # of several problems
    assert found.likert_count.sel(lens="top-1").sum() == (N if weight == 0.3 else 9 * N)


def test_a_tree_of_too_few_samples_is_no_tree(data, whole, monkeypatch):
    monkeypatch.setattr(pass_plan, "TREE_ROWS", 600)
    asked = {"gammas": [0.5, 0.01], "metrics": "kdtree_ece", "selections": {"old": "age > 84"}, "progress": False}
    found = cv.evaluate(cv.open_predictions(data, rows=999), "full", **asked)
    assert np.isnan(found.kdtree_ece.values.ravel()).tolist() == [False, True]
    assert "gamma=0.01]: too few of the selected samples" in found.kdtree_ece.attrs["unavailable"]
    same = data.assign(probs=(("sample", "class"), np.full((N, K), 0.25)))
    found = cv.evaluate(cv.open_predictions(same, rows=999), "full", **asked | {"selections": None})
    assert np.isfinite(found.kdtree_ece).all()  # samples that do not differ need no cuts


def test_soft_labels_say_that_they_are_not_summed(data):
    soft = np.eye(K)[data["label"].values]
    soft[3000:] = 0.9 * soft[3000:] + 0.1 / K
    softened = data.assign(label=(("sample", "class"), soft))
    assert cv.open_predictions(softened, rows=1000).sample(99, progress=False).soft_labels.shape[1] == K
    mixed = cv.open_predictions(softened.isel(sample=slice(None, None, -1)), rows=1000)
    found = cv.evaluate(mixed, ["top-1", "full"], metrics="brier", progress=False)
    assert np.isnan(found.brier).all()
    assert "but the labels are soft: draw rows" in found.brier.attrs["unavailable"]


def test_calibration_is_of_the_same_classes(data):
    other = cv.open_predictions(binary(50))
    with pytest.raises(ValueError, match=r"calibration\['model'\] has the classes \('0', '1'\), but"):
        cv.evaluate(cv.open_predictions(data), calibrators="spline", calibration=other, progress=False)


@pytest.mark.parametrize(("unit", "count"), [(1.0, 1.5 * N), (0.3, 0.75 * N)])
def test_whole_weights_count_repetitions_others_rows_of_positive_weight(data, unit, count):
    weighted = data.assign(weight=("sample", unit * (np.arange(N) % 4)))
    lazy = cv.open_predictions(weighted, rows=999)
    lenses = ["top-1", "full", "classwise", "top-1 by class"]
    for source in (lazy, lazy.sample(10 * N, progress=False)):
        found = cv.evaluate(source, lenses, calibrators=["none"], metrics="count", progress=False)
        assert found["count"].values.ravel().tolist() == [count] * 4


def test_no_seed_is_another_seed_each_time(data):
    lazy = cv.open_predictions(data, rows=2000)
    one, other = (lazy.sample(500, rng=None, progress=False).probs for _ in range(2))
    assert one.shape != other.shape or (one != other).any()


def test_too_many_sums_at_a_time_are_refused(data):
    with pytest.raises(ValueError, match=r"the sums of each part would take .* GB: ask for fewer lenses"):
        cv.summarize_all(
            cv.open_predictions(data),
            [f"class {k}" for k in range(K)],
            selections={str(i): f"age > {i}" for i in range(200)},
        )


def test_rows_of_a_part_are_counted_from_the_first_of_all():
    part = Part(1000, 500, "preds: ", None)
    error = pickle.loads(pickle.dumps(RowError("labels[", 2, "] is 7")))  # as it comes from a worker
    assert str(PartError.of(part, error)) == "preds: labels[1002] is 7"
    assert str(PartError.of(part, ValueError("row 2 of the header is bad"))) == "preds: row 2 of the header is bad"
