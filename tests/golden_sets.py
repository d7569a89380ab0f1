"""Real predictions beside the repository, of which golden values are known; tests skip where they are absent."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

import calibviz as cv

SHARED = Path(__file__).parents[2] / "shared"


NAMES = ("resnet110_cifar10", "newsgroups20", "imdb", "nba_forecasts", "adult_randomforest", "wrn16_cifar100")


def load(name: str) -> cv.Predictions:
    (path,) = (SHARED / "data").glob(f"{name}*.npz")
    data = np.load(path)
    if "logits_test" in data:
        return cv.Predictions(labels=data["labels_test"], logits=data["logits_test"])
    if "prob" in data:
        kept = np.isin(data["outcome"], [0, 1])
        return cv.Predictions(data["prob"][kept], data["outcome"][kept])
    return cv.Predictions(data["probs"].astype(np.float64), data["labels"], normalize=True)


@cache
def predictions(name: str) -> cv.Predictions:
    return load(name)


@cache
def resnet_parts() -> tuple[cv.Predictions, cv.Predictions]:
    data = np.load(SHARED / "data" / "resnet110_cifar10_logits.npz")
    return (
        cv.Predictions(labels=data["labels_val"], logits=data["logits_val"]),
        cv.Predictions(labels=data["labels_test"], logits=data["logits_test"]),
    )
