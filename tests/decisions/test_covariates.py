"""Fields that are no covariates are left out of segments and named, unless they are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings, strategies as st

import calibviz as cv

N = 400
RNG = np.random.default_rng(0)
SCORE = RNG.beta(2, 3, N)
TRUTH = RNG.random(N) < SCORE
ONE_A_ROW, OBSERVED = "one value a row, so no group", "tells what was observed"


def made(fields: dict[str, Any], n: int = N, **settings: Any) -> cv.Predictions:
    return cv.Predictions(SCORE[:n], TRUTH[:n].astype(int), fields=fields, **{"cluster": False, **settings})


def skipped(p: Any, lens: str | None = None, **settings: Any) -> dict[str, str]:
    table = cv.segments(p, lens, depth=1, replicates=0, minimum=10, progress=False, **settings)
    left: dict[str, str] = table.attrs["skipped_fields"]
    for name in left:
        assert not any(segment.startswith((f"{name} ", f"{name}=")) for segment in table.segment.values)
    return left


PEOPLE = RNG.integers(0, N // 4, N)
SHARED = "rows that share {} may not be independent, and intervals and tests take them to be"
NONE = {
    "p_yes": (SCORE, "the score itself"),
    "p_no": (1 - SCORE, "1 - score"),
    "risk": (np.round(SCORE, 2), "the score itself"),
    "risk_pct": (np.round(100 * SCORE), "the score in per cent"),
    "log_odds": (np.log(SCORE / (1 - SCORE)), "orders the samples as the score does"),
    "rank": (np.argsort(np.argsort(-SCORE)), "orders the samples as the score does, backwards"),
    "copy": (TRUTH, OBSERVED),
    "cause": (np.where(TRUTH, RNG.integers(5, 9, N), RNG.integers(0, 5, N)), OBSERVED),
    "days_to_it": (np.where(TRUTH, RNG.random(N), np.nan), f"{OBSERVED} by where it is missing"),
    "x_outcome": (RNG.choice(["no", "yes"], N), OBSERVED),
    "vital_status": (RNG.integers(0, 2, N), OBSERVED),
    "patientid": (np.arange(N) + 1, ONE_A_ROW),
    "shuffled": (RNG.permutation(N), ONE_A_ROW),
    "given in turn": (np.cumsum(RNG.integers(1, 5000, N)), ONE_A_ROW),
    "invoice_no": (RNG.choice(10**9, N, replace=False), ONE_A_ROW),
    "code": ([f"c{i}" for i in range(N)], ONE_A_ROW),
    "patient_id": (PEOPLE, SHARED.format("patient_id")),
    "caseNo": (PEOPLE % 8, SHARED.format("caseNo")),
    "shop_id": (PEOPLE, SHARED.format("shop_id")),
    "ward": ([f"w{i}" for i in PEOPLE], "text with more than 50 values"),
}


@pytest.mark.parametrize("name", NONE)
def test_what_is_no_covariate_is_left_out_and_said(name: str) -> None:
    column, reason = NONE[name]
    p = made({name: column, "sex": np.arange(N) % 3})
    assert skipped(p) == {name: reason}
    table = cv.segments(p, fields=[name], depth=1, replicates=0, minimum=1, progress=False)
    assert table.sizes["segment"] > 1 and table.attrs["skipped_fields"] == {}


def test_no_segment_is_of_what_was_observed() -> None:
    p, plain = made({"death": TRUTH, "sex": np.arange(N) % 3}), made({"sex": np.arange(N) % 3})
    assert cv.multicalibration_error(p) == cv.multicalibration_error(plain)
    assert cv.multicalibration_error(p, fields=["death", "sex"]) > 3 * cv.multicalibration_error(p)
    assert cv.segments(p, replicates=0).equals(cv.segments(plain, replicates=0))


REAL = {
    "age": np.floor(RNG.normal(60, 12, N)),
    "age_in_days": np.floor(365.25 * RNG.normal(60, 12, N)),
    "platelets": np.floor(RNG.normal(250, 70, N)),
    "income, sorted": np.sort(np.floor(np.exp(RNG.normal(10.3, 0.6, N)))),
    "time in seconds": 1_700_000_000 + np.cumsum(RNG.integers(1, 9000, N)),
    "day": np.datetime64("2024-01-01") + np.arange(N),
    "marker": np.where(RNG.random(N) < 0.03, ~TRUTH, TRUTH),
    "near the score": SCORE + 0.02 * RNG.standard_normal(N),
    "huge": np.sort(10.0 ** RNG.uniform(290, 300, N)),
    "infinite": np.where(np.arange(N) % 7 == 0, np.inf, RNG.random(N)),
    "constant": np.zeros(N),
    "flag": np.arange(N) % 50 == 0,
    "smoking_status": RNG.choice(["no", "yes"], N),
    "family_death": RNG.integers(0, 2, N),
    "predicted_label": RNG.integers(0, 2, N),
    "label": RNG.integers(0, 2, N),  # may be what a model says
    "site_id": RNG.integers(0, 6, N),
    "charlson_index": RNG.poisson(2, N),
    "no_of_children": RNG.poisson(1.5, N),
}


@pytest.mark.parametrize("name", REAL)
def test_what_may_be_a_covariate_is_looked_at(name: str) -> None:
    assert skipped(made({name: REAL[name]})) == {}


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(40, N), st.floats(1, 40))
def test_drawn_whole_numbers_are_seldom_left_out(seed: int, n: int, times: float) -> None:
    """At most one column of a hundred is: two or more of six in one set of 700."""
    rng = np.random.default_rng(seed)
    fields = {f"x{i}": rng.integers(0, int(times * n), n) for i in range(6)}
    assert len(skipped(made(fields, n))) < 3


def test_classes_and_confidences_are_no_covariates_either() -> None:
    p = cv.load_dataset("digits")["naive Bayes"]
    truth = np.array([f"digit {k}" for k in np.asarray(p.labels)])
    right = p.labels == p.predicted
    fields = {"p3": p.probs[:, 3], "sure": p.probs.max(axis=1), "digit": truth, "hit": right, "ink": p.fields["ink"]}
    of_all = cv.Predictions(p.probs, p.labels, fields=fields)
    expected = {"p3": "the probability of 3 itself", "digit": OBSERVED, "hit": OBSERVED}
    assert skipped(of_all, "top-1") == expected | {"sure": "the score itself"}
    assert skipped(of_all, "class 3") == expected | {"p3": "the score itself", "sure": "the confidence itself"}


def test_weights_are_no_covariate() -> None:
    weights = RNG.random(N) + 0.5
    p = made({"weight": weights, "dose": RNG.random(N)}, weights=weights)
    assert skipped(p) == {"weight": "the weights"}
    assert skipped(made({"weight": weights})) == {}


def test_it_is_judged_on_the_selected_rows_that_are_known() -> None:
    half = np.arange(N) < N // 2
    fields = {
        "late": np.where(half, TRUTH, RNG.integers(0, 2, N)),
        "gaps": np.where(RNG.random(N) < 0.4, "", np.where(TRUTH, "ill", "well")),
        "half": half,
    }
    p = made(fields)
    assert skipped(p) == {"gaps": OBSERVED}
    assert skipped(p, selection="half == True") == dict.fromkeys(("late", "gaps"), OBSERVED)
    assert skipped(made({"row": np.arange(19)}, 19), fields=None) == {}  # too few rows to tell


def test_a_selection_by_truth_does_not_make_a_field_the_truth() -> None:
    p = made({"copy": TRUTH, "site": np.arange(N) % 4})
    assert skipped(p, selection="label == 1") == {"copy": OBSERVED}


@pytest.mark.parametrize("rows", [97, N])
@pytest.mark.parametrize("most", [2**16, 150])
def test_predictions_that_are_read_in_parts_are_judged_alike(
    rows: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("calibviz.decisions.by_segment.covariates.MOST_ROWS", most)
    columns = {name: np.asarray(column) for name, (column, _) in NONE.items()}
    data = {"probs": ("sample", SCORE), "label": ("sample", TRUTH.astype(int))}
    data |= {name: ("sample", column) for name, column in columns.items()}
    lazy = cv.open_predictions(xr.Dataset(data).chunk(sample=rows))
    there = made(columns)
    left = skipped(lazy, selection="output > 0.1")
    by_rows = skipped(there, selection="output > 0.1")
    by_rows.pop("log_odds", None)  # what is opened has no field that is the logit of its probability
    assert left == by_rows
    if most > N:
        assert set(left) == there.fields.keys() - {"log_odds"}
