"""Agreement with values computed by an independent program; skipped where its files are absent."""

from __future__ import annotations

import json
import math
from functools import cache

import pytest
from golden_sets import NAMES, SHARED, predictions, resnet_parts

import calibviz as cv

pytestmark = pytest.mark.skipif(not (SHARED / "golden").is_dir(), reason="the golden values are not on this machine")


@cache
def golden(name: str) -> dict:
    return json.loads((SHARED / "golden" / f"{name}.json").read_text())


def lens_of(name: str, classes: int):
    if name != "grouping even/odd":
        return cv.lens(name)
    return cv.Grouping({"even": range(0, classes, 2), "odd": range(1, classes, 2)})


def error(binning, **options):
    return lambda q: cv.calibration_error(*q, binning=binning, **options)


ENTRIES = {
    "uniform 15": error(cv.Uniform(15)),
    "uniform 15, closed right": error(cv.Uniform(15, closed="right")),
    "uniform 15, maximum (MCE)": error(cv.Uniform(15), aggregate="max"),
    "uniform 15, L2": error(cv.Uniform(15), p=2),
    "uniform 100": error(cv.Uniform(100)),
    "equal-mass 15": error(cv.EqualMass(15)),
    "equal-mass 15, L2": error(cv.EqualMass(15), p=2),
    "equal-mass 15, label-binned L1": lambda q: cv.label_binned_error(*q, binning=cv.EqualMass(15)),
    "equal-mass 15, debiased L2": lambda q: cv.debiased_error(*q, binning=cv.EqualMass(15)),
    "equal-mass sweep, bins chosen": lambda q: cv.sweep_bins(*q),
    "equal-mass sweep": error(cv.Sweep()),
    "equal-mass sweep, L2": error(cv.Sweep(), p=2),
    "ks": lambda q: cv.ks_error(*q),
    "brier": lambda q: cv.brier_score(*q),
    "kd-tree 0.25": error(cv.KDTree(0.25)),
    "kd-tree 0.1": error(cv.KDTree(0.1)),
    "kd-tree 0.0625": error(cv.KDTree(0.0625)),
    "kd-tree 0.01": error(cv.KDTree(0.01)),
    "kd-tree 0.1, L2 distance": error(cv.KDTree(0.1), distance=cv.Lp(2)),
    "kd-tree 0.1, maximum": error(cv.KDTree(0.1), aggregate="max"),
}


@pytest.mark.parametrize("name", NAMES)
def test_lenses(name):
    p, expected = predictions(name), golden(name)
    for lens_name, entries in expected["lenses"].items():
        lens = lens_of(lens_name, p.n_classes)
        for entry, value in entries.items():
            assert ENTRIES[entry]((p, lens)) == pytest.approx(value, abs=1e-9), (lens_name, entry)


@pytest.mark.parametrize("name", NAMES)
def test_likert(name):
    p, expected = predictions(name), golden(name)
    entries = expected["inter-interval distance, grouping even/odd, output selection lo <= g[0] <= hi"]
    cuts = [0, 0.2, 0.4, 0.6, 0.8, 1.0]
    lens = lens_of("grouping even/odd", p.n_classes)
    table = cv.likert_error(p, lens, categories=cuts, binning=cv.Uniform(15), outcome="even")
    in_tree = cv.likert_error(p, lens, categories=cuts, binning=cv.KDTree(0.1), outcome="even")
    for i, entry in enumerate(map(dict, entries.values())):
        row = table.isel(category=i)
        assert row["count"] == entry.pop("selected")
        found = {
            "kd-tree 0.1": in_tree["error"][i].item(),
            "uniform 15": row["error"].item(),
            "uniform 15, total variation": row["total_variation"].item(),
            "mean target": row["mean_target"].item(),
        }
        assert {key: found[key] for key in entry} == pytest.approx(entry, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_label_selection(name):
    p = predictions(name)
    (entry,) = (dict(v) for k, v in golden(name).items() if k.startswith("label selection"))
    selection = cv.quantity("label").isin([0, 1])
    assert len(cv.lens("top-1")(p.select(selection.mask(p)))) == entry.pop("selected")
    for key, value in entry.items():
        assert cv.calibration_error(p, "top-1", binning=ENTRIES_BINNINGS[key], selection=selection) == pytest.approx(
            value, abs=1e-9
        )


ENTRIES_BINNINGS = {"uniform 15": cv.Uniform(15), "kd-tree 0.1": cv.KDTree(0.1)}


@pytest.mark.parametrize("name", NAMES)
def test_gce(name):
    p, entries = predictions(name), golden(name)["gce32, 15 bins"]
    assert len(entries) == 32
    for metric, entry in zip(cv.GCE.variants(), entries, strict=True):
        axes = {key: entry[key] for key in ("binning", "max_prob", "class_conditional", "threshold", "norm")}
        assert metric == cv.GCE(**axes)
        assert cv.GCE(**axes)(p) == pytest.approx(entry["value"], abs=1e-9), metric


@pytest.mark.parametrize("name", NAMES)
def test_scores(name):
    p, expected = predictions(name), golden(name)
    assert (p.n_samples, p.n_classes) == (expected["n"], expected["classes"])
    assert cv.accuracy(p) == pytest.approx(expected["accuracy"], abs=1e-9)
    assert cv.brier_score(p, "full") == pytest.approx(expected["brier, multiclass"], abs=1e-9)
    infinite = expected["nll"] is None  # a probability of 0 met what happened
    assert cv.log_loss(p) == pytest.approx(math.inf if infinite else expected["nll"], abs=1e-9)


def test_published_temperature():
    calibration, evaluation = resnet_parts()
    fitted = cv.Temperature().fit(calibration)
    assert fitted.temperature_ == pytest.approx(2.395, abs=0.001)
    scaled = fitted.transform(evaluation)
    table = {
        "top-1": (4.750, 0.916),
        "rank 2": (3.011, 0.947),
        "within-top 2": (1.805, 0.097),
    }
    for lens, (before, after) in table.items():
        assert 100 * cv.ks_error(evaluation, lens) == pytest.approx(before, abs=0.002)
        assert 100 * cv.ks_error(scaled, lens) == pytest.approx(after, abs=0.002)
    assert 100 * cv.calibration_error(evaluation, binning=cv.Uniform(25)) == pytest.approx(4.750, abs=0.002)
    assert 100 * cv.calibration_error(scaled, binning=cv.Uniform(25)) == pytest.approx(1.224, abs=0.002)
    assert 100 * cv.accuracy(evaluation) == pytest.approx(93.56)
    assert 100 * cv.accuracy(scaled) == pytest.approx(93.56)
    assert 100 * cv.calibration_error(scaled) == pytest.approx(1.13, abs=0.01)
    assert 100 * cv.calibration_error(scaled, binning=cv.Sweep()) == pytest.approx(0.91, abs=0.01)


@pytest.mark.parametrize(
    ("lens", "knots", "expected"), [("top-1", 6, 0.650), ("rank 2", 6, 0.30), ("within-top 2", 14, 0.301)]
)
def test_published_spline(lens, knots, expected):
    calibration, evaluation = resnet_parts()
    cube = cv.evaluate(evaluation, [lens], calibrators=[cv.Spline(knots)], calibration=calibration)
    assert 100 * cube.ks.item() == pytest.approx(expected, abs=0.03)


def test_published_spline_ece():
    calibration, evaluation = resnet_parts()
    cube = cv.evaluate(evaluation, bins=25, calibrators=[cv.Spline(13)], calibration=calibration)
    assert 100 * cube.ece.item() == pytest.approx(1.09, abs=0.03)
