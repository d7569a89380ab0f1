"""Scalar problems of samples in clusters, and the golden values of such."""

from __future__ import annotations

import json
from typing import Any

import golden_sets
import numpy as np
from scipy.special import ndtr

import calibviz as cv

FILE = golden_sets.SHARED / "golden" / "dependence.json"
RECORDS = json.loads(FILE.read_text())["records"] if FILE.is_file() else []


def judged_of(record: dict[str, Any]) -> cv.ScalarProblem:
    """The problem of a record, with its clusters."""
    if "inline" in record:
        given = {name: np.array(values) for name, values in record["inline"].items()}
        return cv.ScalarProblem(given["score"], given["target"], given.get("weight"), cluster=given["cluster"])
    data = np.load(golden_sets.SHARED / "data" / f"{record['set']}.npz")
    kept = np.isin(data["outcome"], [0, 1])
    return cv.ScalarProblem(data["prob"][kept], data["outcome"][kept], cluster=data[record["cluster"]][kept])


def clustered(
    clusters: int, rows: int, seed: int = 0, *, latent: float = 0.3, weighted: bool = False, ties: bool = False
) -> cv.ScalarProblem:
    """A calibrated problem of so many rows a cluster, whose outcomes share a latent normal variable."""
    rng = np.random.default_rng(seed)
    code = np.repeat(np.arange(clusters), rows)
    score = rng.uniform(0.05, 0.95, len(code))
    if ties:
        score = np.round(score, 1)
    shared = np.sqrt(latent) * rng.normal(size=clusters)[code] + np.sqrt(1 - latent) * rng.normal(size=len(code))
    weight = rng.uniform(0.2, 3.0, len(code)) if weighted else None
    return cv.ScalarProblem(score, ndtr(shared) < score, weight, cluster=code)
