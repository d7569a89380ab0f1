"""Predictions that are confidences in a predicted class: what they are is never forgotten, and nothing folds them."""

from __future__ import annotations

import inspect
import pickle
from dataclasses import fields, is_dataclass
from functools import partial

import numpy as np
import pytest
import xarray as xr
from driver import screen
from hypothesis import given, settings, strategies as st
from report_pages import page

import calibviz as cv
from calibviz.answers.subject import subject
from calibviz.engine.scalar import MapOfSamples
from calibviz.metrics.gce import gce_values

RIGHT = "class right"
#: What calls need beside predictions and lens.
NEEDED = {
    "cross_fitted": {"calibrator": cv.Platt()},
    "bootstrap": {"error": cv.calibration_error, "replicates": 3, "progress": False},
    "changed_sides": {"calibrator": cv.Platt().fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1]), "thresholds": [0.3]},
    "consistency": {"error": cv.ks_error, "replicates": 20, "progress": False},
    "coverage_at_risk": {"risk": 0.4},
    "interval": {"error": cv.ks_error},
    "likert_error": {"categories": [0, 0.3, 1]},
    "local_calibration": {"thresholds": 0.3},
    "net_benefit": {"threshold": 0.3},
    "risk_at_coverage": {"coverage": 0.5},
    "sample_size": {"precision": 0.1, "n": [50, 100], "replicates": 5},
    "by_centre": {"centre": "kind"},
    "rubin": {"number": "observed_expected", "imputation": [0, 1] * 200},
    "segments": {"replicates": 20, "progress": False},
    "sensitivity": {"replicates": 3, "progress": False},
    "summarize": {"progress": False},
    "trust": {"replicates": 20, "progress": False},
    "windows": {"field": "time", "width": "21D", "progress": False},
}
#: Of those without a parameter `lens`, and of whole pages and cubes, other tests see.
ELSEWHERE = {
    "accept_at_risk", "monitor_windows",  # which take no whole weights
    "kernel_error",  # of whole rows, which confidences have not
    "accuracy", "bootstrap", "confidences", "expected_cost", "report", "spread_by_size",
    "subsamples",
}  # fmt: skip  # short entries stand in rows


def log(n: int = 400, seed: int = 0, weights: bool = False, **more) -> cv.Predictions:
    """Confidences of which about half are below one half, and too high; a field, and a moment for each."""
    rng = np.random.default_rng(seed)
    confidence = rng.beta(1.2, 1.2, n)
    right = rng.random(n) < confidence**1.3
    columns = {
        "kind": np.where(rng.random(n) < 0.5, "a", "b"),
        "time": np.datetime64("2026-01-05") + (np.arange(n) * 63 // n).astype("timedelta64[D]"),
    }
    weight = rng.integers(1, 4, n).astype(float) if weights else None
    return cv.Predictions(confidence, right, weights=weight, fields=columns, **({"of_confidence": True} | more))


def numbers(value) -> list[float]:
    """All numbers in the result of a call, in order."""
    if isinstance(value, xr.Dataset):
        return [x for array in value.data_vars.values() if array.dtype.kind in "fiub" for x in numbers(array.values)]
    if isinstance(value, xr.DataArray):
        return numbers(value.values)
    if isinstance(value, MapOfSamples):
        return numbers(value.of_samples(value.problem))
    if isinstance(value, cv.Summary):
        return [x for name in ("count", "right", "wrong", "offset") for x in numbers(getattr(value, name))]
    if is_dataclass(value):
        return [x for part in fields(value) for x in numbers(getattr(value, part.name))]
    if isinstance(value, dict):
        return [x for part in value.values() for x in numbers(part)]
    if isinstance(value, list | tuple):
        return [x for part in value for x in numbers(part)]
    array = np.asarray(value)
    return array.astype(float).ravel().tolist() if array.dtype.kind in "fiub" else []


def calls() -> dict[str, object]:
    """Every public function of predictions with a lens that may be left out, and the diagrams."""
    found = {}
    for where, names in ((cv, cv.__all__), (cv.plots, ("reliability", "cumulative", "ks", "calibration_curve"))):
        for name in names:
            call = getattr(where, name)
            parameters = inspect.signature(call).parameters if inspect.isfunction(call) else {}
            if "predictions" in parameters and "lens" in parameters and name not in ELSEWHERE:
                found[name if where is cv else f"plots.{name}"] = partial(call, **NEEDED.get(name, {}))
    return found


@pytest.mark.parametrize("name", calls())
@pytest.mark.parametrize("weights", [False, True])
def test_without_a_lens_a_call_looks_at_the_confidence_and_whether_it_was_right(name, weights):
    call, p = calls()[name], log(weights=weights)
    if name.startswith("plots."):
        own, given = (drawn(call(p, *more)) for more in ((), (RIGHT,)))
    else:
        own, given = (numbers(call(p, **more)) for more in ({}, {"lens": RIGHT}))
    assert len(own) > 0
    np.testing.assert_allclose(own, given, rtol=1e-9, atol=1e-12)


def drawn(picture) -> list[float]:
    """The points of all lines of a picture of Matplotlib."""
    return [x for axes in picture.figure.axes for line in axes.lines for x in np.ravel(line.get_xydata()).tolist()]


def test_the_numbers_of_whole_rows():
    p, c = log(weights=True), log().probs[:, 1]
    w, t = p.weights, p.labels
    assert cv.accuracy(p) == pytest.approx(np.average(t, weights=w))
    assert cv.GCE()(p) == pytest.approx(cv.calibration_error(p, RIGHT))
    np.testing.assert_allclose(
        cv.confidences(p).confidence.values.ravel(), [np.average(x, weights=w) for x in (c, 1 - c)]
    )
    assert cv.brier_score(p) == pytest.approx(np.average((c - t) ** 2, weights=w))
    assert cv.brier_score(p, "full") == pytest.approx(2 * cv.brier_score(p))  # of both classes, right and wrong
    assert cv.log_loss(p) == pytest.approx(cv.log_loss(p, "full"))
    costs = [[0, 1], [0.3, 0.3]]
    assert cv.expected_cost(p, costs=costs).realized == pytest.approx(
        cv.expected_cost(p, costs=costs, lens=RIGHT).realized.item()
    )
    assert cv.accuracy(p, selection="confidence < 0.3") == pytest.approx(np.average(t[c < 0.3], weights=w[c < 0.3]))
    assert cv.accuracy(p, selection="correct == 0") == 0


def test_a_fold_would_hide_the_error():
    p = log(20_000)
    folded = cv.Predictions(p.probs[:, 1], p.labels)  # the same as a model of two classes
    assert cv.calibration_error(p) > 3 * cv.calibration_error(folded, "top-1")
    assert cv.accuracy(folded) > cv.accuracy(p) + 0.2


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.integers(1, 3)), min_size=1, max_size=30))
@settings(max_examples=30, deadline=None)
def test_top_1_is_the_class_right(rows):
    confidence, right, weights = map(np.array, zip(*rows, strict=True))
    p = cv.Predictions(confidence, right, weights=weights.astype(float), of_confidence=True)
    assert cv.calibration_error(p) == pytest.approx(cv.calibration_error(p, RIGHT), abs=1e-12)
    assert cv.accuracy(p) == pytest.approx(np.average(right, weights=weights))
    assert (p.confidence == p.probs[:, 1]).all() and (p.predicted == 1).all()
    cube = cv.evaluate(p, ["top-1", RIGHT, "rank 1", "within-top 1"], metrics=["ece", "ks", "brier", "accuracy"])
    for name in ("ece", "ks", "brier", "accuracy"):
        np.testing.assert_allclose(cube[name].squeeze(), cube[name].squeeze()[0], atol=1e-12)


@pytest.mark.parametrize("lens", ["rank 2", "within-top 2", "top-2", "pooled", "top-1 by class"])
def test_lenses_that_need_other_classes_refuse(lens):
    with pytest.raises(ValueError, match=r"confidences in a predicted class.*top-1"):
        cv.lens(lens)(log())
    cube = cv.evaluate(log(), lens, metrics=["brier"])
    assert np.isnan(cube.brier).all()


def test_other_ranks_and_predicted_classes_are_refused():
    p = log()
    with pytest.raises(ValueError, match=r"within-top 2.* but these are confidences in a predicted class"):
        cv.accuracy(p, k=2)
    with pytest.raises(ValueError, match="confidences in a predicted class that is not known"):
        cv.accuracy(p, selection="predicted == 1")
    with pytest.raises(ValueError, match="fields names 'predicted'"):
        cv.segments(p, fields=["predicted"], replicates=9, progress=False)
    values = gce_values(p)  # in which the metrics by predicted class, and of all entries in one, have no value
    assert not np.isnan(values[:, [0, 1], [1, 0]]).any()
    assert np.isnan(values[:, 0, 0]).all() and np.isnan(values[:, 1, 1]).all()
    with pytest.raises(ValueError, match="pooled"):
        cv.GCE(max_prob=False)(p)


def test_classes_of_these_names_without_the_mark_are_classes_like_any_others():
    p = log(of_confidence=False, class_names=["wrong", "right"])
    assert not p.of_confidence and cv.accuracy(p) > cv.accuracy(log())
    assert (p.confidence >= 0.5).all()


@pytest.mark.parametrize(
    "moved",
    [
        lambda p: p.select(np.arange(50)),
        lambda p: p.split(0.5)[1],
        lambda p: p.reweighted(np.ones(len(p))),
        lambda p: p.at_prevalence(0.4),
        lambda p: p.relabelled(1 - p.labels, None),
        lambda p: pickle.loads(pickle.dumps(p)),
        lambda p: cv.summarize(p).predictions(),
        lambda p: cv.summarize(p, RIGHT).predictions(),
        *(
            lambda p, calibrator=calibrator: calibrator.fit(p).transform(p)
            for calibrator in (
                cv.Temperature(),
                cv.OneVsRest(cv.Platt()),
                cv.OneVsRest(cv.Isotonic()),
                cv.ByRank(cv.Spline()),
                cv.VectorScaling(),
            )
        ),
    ],
)  # fmt: skip  # short entries stand in rows
def test_the_mark_is_kept(moved):
    p = moved(log())
    assert p.of_confidence and p.class_names[1] == "right"
    assert cv.accuracy(p) == pytest.approx(cv.lens(RIGHT)(p).mean_target)
    assert cv.calibration_error(p) == pytest.approx(cv.calibration_error(p, RIGHT))


def test_by_rank_maps_the_confidence():
    p = log(2_000)
    by_rank = cv.ByRank(cv.Isotonic()).fit(p).transform(p)
    alone = cv.Isotonic().fit(cv.lens(RIGHT)(p))
    np.testing.assert_allclose(by_rank.confidence, alone(p.confidence), atol=1e-9)


def test_summaries_know_the_kind(tmp_path):
    p, classes = log(), log(of_confidence=False, class_names=["wrong", "right"])
    whole = cv.summarize(p.select(range(100)), RIGHT) + cv.summarize(p.select(range(100, 400)), RIGHT)
    whole.save(tmp_path / "s.npz")
    read = cv.Summary.load(tmp_path / "s.npz")
    assert read.of_confidence and read.predictions().of_confidence
    for summary in (cv.summarize(classes, RIGHT), cv.summarize(classes)):
        assert summary.of_confidence is False
    with pytest.raises(ValueError, match="summaries add only where they are of one kind"):
        _ = read + cv.summarize(classes, RIGHT)
    with pytest.raises(ValueError, match="the summary is of confidences in a predicted class, not of probabilities"):
        read.update(classes)
    read.update(p)
    assert read.rows == 800
    assert cv.calibration_error(cv.summarize(p)) == pytest.approx(cv.calibration_error(p))


def test_samples_that_dask_holds(tmp_path):
    p = log()
    data = xr.Dataset({"prob": ("sample", p.probs[:, 1]), "label": ("sample", p.labels)})
    lazy = cv.open_predictions(data.chunk(sample=100), of_confidence=True)
    assert lazy.of_confidence and lazy.class_names == ("wrong", "right") and "confidences" in repr(lazy)
    assert cv.calibration_error(cv.summarize(lazy, progress=False)) == pytest.approx(cv.calibration_error(p))
    assert lazy.sample(progress=False).of_confidence
    cube = cv.evaluate(lazy, "top-1", metrics=["ece", "accuracy"], k=1, progress=False)
    assert cube.accuracy.item() == pytest.approx(cv.accuracy(p))
    assert cube.ece.item() == pytest.approx(cv.calibration_error(p))
    data.to_zarr(tmp_path / "p.zarr", zarr_format=2)
    stored = cv.open_predictions(tmp_path / "p.zarr", of_confidence=True)
    again = eval(str(stored.made_by), {"cv": cv})
    assert again.of_confidence and again.class_names == ("wrong", "right")
    with pytest.raises(ValueError, match="of_confidence is for one confidence a sample, but there are 3 classes"):
        three = xr.Dataset({"probs": (("sample", "class"), np.full((4, 3), 1 / 3)), "label": ("sample", [0, 1, 2, 0])})
        cv.open_predictions(three.chunk(sample=2), of_confidence=True)


@pytest.mark.parametrize("content", ["actual,predicted,confidence", "correct,confidence"])
def test_files_of_confidences_are_marked(tmp_path, content):
    p, rng = log(60), np.random.default_rng(0)
    rows = [content]
    for c, right in zip(p.confidence, p.labels, strict=True):
        truth = int(rng.integers(3))
        row = (truth, truth if right else (truth + 1) % 3, c) if "actual" in content else (right, c)
        rows.append(",".join(map(str, row)))
    (tmp_path / "p.csv").write_text("\n".join(rows) + "\n")
    read = cv.read_predictions(tmp_path / "p.csv")
    assert read.of_confidence and read.class_names == ("wrong", "right")
    assert cv.accuracy(read) == pytest.approx(p.labels.mean())
    assert cv.calibration_error(read) == pytest.approx(cv.calibration_error(p))
    assert eval(str(read.made_by), {"cv": cv}).of_confidence
    if "correct" in content:  # whose user says what the column is of
        assert not cv.read_predictions(tmp_path / "p.csv", positive="1").of_confidence


def test_one_kind_at_a_time():
    p, classes = log(), log(of_confidence=False, class_names=["wrong", "right"])
    with pytest.raises(ValueError, match=r"calibration\['model'\] holds probabilities of classes, but predictions"):
        cv.evaluate(p, calibrators=["none", "platt"], calibration=classes)
    with pytest.raises(ValueError, match="'b' holds probabilities of classes, but 'a' confidences"):
        cv.compare({"a": p, "b": classes}, progress=False)
    with pytest.raises(ValueError, match="there are the probabilities of 3 classes"):
        cv.Predictions(np.full((4, 3), 1 / 3), [0, 1, 2, 0], of_confidence=True)
    with pytest.raises((TypeError, ValueError), match="of_confidence"):
        cv.Predictions([0.3], [1], of_confidence="yes")


def test_the_explorer_looks_at_the_confidence():
    p = log(600)
    explorer = cv.Explorer(p, calibration=log(300, seed=1))
    seen = screen(explorer)
    assert explorer.state.lens == "top-1"
    accuracy, predicted, observed = (seen.sides[0][name]["text"] for name in ("accuracy", "predicted", "observed"))
    assert (
        accuracy == observed == f"{100 * p.labels.mean():.2f} %" and predicted == f"{100 * p.confidence.mean():.2f} %"
    )
    assert "onfident" in seen.words or "too extreme" in seen.words or "too cautious" in seen.words
    (lens,) = (part for part in subject(explorer.situation) if part.name == "lens")
    assert (lens.text, [offer.text for offer in lens.offers]) == ("the predicted class", ["the predicted class"])
    explorer.close_all()


@pytest.mark.thorough
def test_a_report_looks_at_the_confidence(few_replicates):
    p = log(300)
    own, given = (page(p, **more) for more in ({}, {"lens": RIGHT}))
    assert own.tables["numbers"] == given.tables["numbers"]
    assert own.number("numbers", "accuracy", "value") == pytest.approx(p.labels.mean())
