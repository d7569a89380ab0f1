"""Decisions, selective prediction and clinical measures against values of an independent program."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import calibviz as cv

SHARED = Path(__file__).parents[3] / "shared"
FILE = SHARED / "golden" / "decisions.json"
RECORDS = json.loads(FILE.read_text())["records"] if FILE.is_file() else []
LATER = SHARED / "golden" / "conclusions.json"
CONCLUSIONS = json.loads(LATER.read_text())["records"] if LATER.is_file() else []
SLOPES, CURVES = ([r for r in CONCLUSIONS if r["call"] == f"calibration_{name}"] for name in ("slope", "curve"))
FITTED = (
    "calibration_slope",
    "calibration_intercept",
)  # records without `clip` are of clip=1e-12

RENAMED = {"statistic": "error", "n": "replicates"}  # what the records call otherwise

pytestmark = pytest.mark.skipif(not RECORDS, reason="the golden values are not on this machine")


@cache
def predictions(name: str, weights: str | None) -> cv.Predictions:
    data = np.load(SHARED / "data" / f"{name}.npz")
    if "logits_test" in data:
        p = cv.Predictions(labels=data["labels_test"], logits=data["logits_test"].astype(np.float64))
    elif "prob" in data:
        kept = np.isin(data["outcome"], [0, 1])
        fields = dates(data["date"][kept]) if "date" in data else None
        p = cv.Predictions(data["prob"][kept].astype(np.float64), data["outcome"][kept], fields=fields)
    else:
        p = cv.Predictions(data["probs"].astype(np.float64), data["labels"], normalize=True)
    if weights is None:
        return p
    i = np.arange(len(p))
    weight = 1 + i % 3 if weights == "whole" else (2 + i % 5) / 4
    return cv.Predictions(p.probs, p.labels, weights=weight, fields=p.fields)


def dates(text: np.ndarray) -> dict[str, np.ndarray]:
    day = text.astype("datetime64[D]")
    month = day.astype("datetime64[M]").astype(int) % 12
    return {"quarter": np.array([f"Q{one // 3 + 1}" for one in month]), "day": day.astype(np.float64)}


def linear(a: float, b: float):
    return lambda score: a * score + b


def flat(found: xr.Dataset, name: str, **where) -> np.ndarray:
    return found[name].sel(**where).values


def told(record: dict) -> dict:
    """What calibviz says, under the names of the record."""
    call, args = record["call"], dict(record["args"])
    if "inline" in record:
        about: tuple = (cv.ScalarProblem(**{key: value for key, value in record["inline"].items()}),)
    else:
        about = (predictions(record["set"], record.get("weights")),)
        if record.get("lens"):
            about += (record["lens"],)
    if call in FITTED:
        args = {"clip": 1e-12} | args
    if "linear" in args:
        args["calibrator"] = linear(*args.pop("linear"))
    if call == "decision_curve":
        found = cv.decision_curve(*about, **args)
        return {
            "net_benefit": flat(found, "net_benefit", strategy="model"),
            "net_benefit_all": flat(found, "net_benefit", strategy="treat all"),
            "standardized": flat(found, "standardized_net_benefit", strategy="model"),
            "avoided": flat(found, "interventions_avoided", strategy="model"),
        }
    if call == "changed_sides":
        args["thresholds"] = args.pop("threshold")
        found = cv.changed_sides(*about, **args)
        names = ("count", "weight", "score", "recalibrated", "target", "lower", "upper")
        sides = {f"{side} {name}": flat(found, name, direction=side)[0] for side in ("up", "down") for name in names}
        return sides | {f"net_benefit {when}": flat(found, "net_benefit", when=when)[0] for when in ("before", "after")}
    if call == "local_calibration":
        args["thresholds"] = args.pop("threshold")
        found = cv.local_calibration(*about, **args, smoother="spline")
        return {name: found[name].values[0] for name in found.data_vars}
    if call == "calibration_curve":
        found = cv.calibration_curve(*about, **{"smoother": "spline"} | args)
        return {name: found[name].values for name in found.data_vars} | found.attrs
    if call == "segments":
        args = {RENAMED.get(name, name): value for name, value in args.items()}
        found = cv.segments(*about, **{"replicates": 0} | args)
        top = len(record["value"].get("ratio", record["value"].get("p_adjusted")))
        return {name: found[name].values[:top] for name in found.data_vars} | {"segments": found.sizes["segment"]}
    if call == "multicalibration_error":
        scales = ("absolute", "relative", "sigma")
        return {scale: cv.multicalibration_error(*about, scale=scale, **args) for scale in scales}
    if call == "risk_coverage":
        found = cv.risk_coverage(*about)
        return {
            "points": found.sizes["point"],
            "first coverage": found.coverage[0],
            "first risk": found.risk[0],
            "last risk": found.risk[-1],
            "mean generalized risk": found.generalized_risk.mean(),
        }
    if call == "risk_at_coverage":
        return {"risk": [cv.risk_at_coverage(*about, coverage=share) for share in args["coverage"]]}
    if call == "expected_cost":
        p = about[0]
        root = np.sqrt(p.probs)
        better = cv.Predictions(root / root.sum(axis=1, keepdims=True), p.labels, weights=p.weights)
        found = cv.expected_cost(p, costs=args["costs"], reference=better)
        return {name: found[name].values for name in found.data_vars}
    if call == "ici":
        found = cv.calibration_indices(*about)
        assert found.ici == cv.ici(*about)
        return vars(found)
    found = getattr(cv, {"spiegelhalter": "spiegelhalter_test"}.get(call, call))(*about, **args)
    if isinstance(found, float):
        return {"": found}
    names = {"calibration_intercept": "intercept", "calibration_slope": "slope", "observed_expected": "ratio"}
    return vars(found) | ({names[call]: found.estimate} if call in names else {})


def number(value: object) -> np.ndarray:
    return np.asarray(value, dtype=object).astype(np.float64)  # "nan" and "inf" are text


@pytest.mark.parametrize("index", range(len(RECORDS)))
def test_value(index: int) -> None:
    record = RECORDS[index]
    if record["call"] == "observed_expected" and record.get("inline", {}).get("target") == [0, 0]:
        without_events = {"ratio": 0.0, "lower": 0.0, "upper": 2.806287}  # the interval was nan
        record |= {"value": without_events} if any(record["inline"]["score"]) else {}
    wanted = record["value"] if isinstance(record["value"], dict) else {"": record["value"]}
    found = told(record)
    for name, value in wanted.items():
        value, is_p = number(value), name.startswith("p_")
        mine = number(found[name])
        assert mine.shape == value.shape, (record["call"], name)
        scale = np.abs(value) if is_p else np.maximum(1, np.abs(np.where(np.isfinite(value), value, 0)))
        same = (mine == value) | (np.isnan(mine) & np.isnan(value))
        if name == "p_adjusted":  # both are estimates of it
            chance = np.sqrt(np.maximum(value * (1 - value), 1e-3) * (1 / 2000 + 1 / 3000))
            assert (np.abs(mine - value) <= 4 * chance).all(), (mine.tolist(), value.tolist())
            continue
        same |= np.abs(np.where(same, 0, mine) - np.where(same, 0, value)) <= 1e-6 * scale
        assert same.all(), (record, name, mine.tolist(), value.tolist())


@pytest.mark.parametrize("index", range(len(SLOPES)))
def test_slope_without_scores_of_0_and_1(index: int) -> None:
    record = SLOPES[index]
    found = vars(cv.calibration_slope(predictions(record["set"], record.get("weights")), record["lens"]))
    found["slope"] = found["estimate"]
    for name, value in record["value"].items():
        assert found[name] == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("index", range(len(CURVES)))
def test_curve_of_other_smoothers(index: int) -> None:
    record = CURVES[index]
    found = cv.calibration_curve(predictions(record["set"], record.get("weights")), record["lens"], **record["args"])
    for name in {"probability", "lower", "upper"} & set(record["value"]):
        np.testing.assert_allclose(found[name], record["value"][name], rtol=1e-6, atol=1e-6)
    if record["args"]["smoother"] == "penalised":
        assert found.attrs["roughness"] == record["value"]["roughness"]


def test_segments_alone_and_unlike_the_others() -> None:
    (record,) = [r for r in CONCLUSIONS if r["call"] == "segments"]
    found = cv.segments(predictions(record["set"], None), record["lens"], **record["args"], replicates=0)
    assert found.sizes["segment"] == record["value"].pop("segments")
    for name, value in record["value"].items():
        np.testing.assert_allclose(found[name].values[: len(value)], value, rtol=1e-5)
