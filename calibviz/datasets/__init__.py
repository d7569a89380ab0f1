"""The embedded data sets: out-of-sample predictions of several models, a few hundred kilobytes in all.

Each `.npz` file beside this one is a data set, written by `scripts/make_datasets.py`. Its members are `labels`,
`fields/NAME`, `probs/MODEL` or `logits/MODEL` for every model, and `about`, one text of JSON.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import numpy as np

from .. import validation
from ..predictions import Predictions


def dataset_names() -> list[str]:
    """The names that `load_dataset` knows, in alphabetical order."""
    files = (entry.name for entry in resources.files(__name__).iterdir())
    return sorted(name.removesuffix(".npz") for name in files if name.endswith(".npz"))


def load_dataset(name: str) -> dict[str, Predictions]:
    """The predictions of every model of an embedded data set.

    Parameters
    ----------
    name : str
        One of `dataset_names()`: "digits" (ten classes) or "tumours" (binary).

    Returns
    -------
    dict of model name to Predictions
        All of the same samples in the same order. `about` says what they are (`title`), how they were made (`made`),
        under which licence and from whom (`licence`), and which code loads them (`source`).

    Raises
    ------
    ValueError
        For an unknown name; the message lists the known ones.
    """
    validation.choice(name, "name", dataset_names())
    with (
        resources.files(__name__).joinpath(f"{name}.npz").open("rb") as file,
        np.load(file, allow_pickle=False) as archive,
    ):
        members = {key: archive[key] for key in archive.files}
    about = json.loads(members["about"].item())
    return {model: _predictions(name, model, members, about) for model in about["made"]}


def _predictions(name: str, model: str, members: dict[str, Any], about: dict[str, Any]) -> Predictions:
    return Predictions(
        members.get(f"probs/{model}"),
        members["labels"],
        logits=members.get(f"logits/{model}"),
        class_names=about["class_names"],
        groups=about["groups"],
        fields={key.removeprefix("fields/"): column for key, column in members.items() if key.startswith("fields/")},
        about={
            "title": f"{about['title']}: {model}",
            "made": about["made"][model],
            "licence": about["licence"],
            "source": f"cv.load_dataset({name!r})[{model!r}]",
        },
    )
