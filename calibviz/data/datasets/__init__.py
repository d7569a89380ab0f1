"""The embedded data sets: out-of-sample predictions of several models, about a megabyte in all.

Each `.npz` file beside this one is a data set, written by `scripts/make_datasets.py` or `make_resnet110.py`. Its
members are `labels`, `fields/NAME`, perhaps `images`, `probs/MODEL` or `logits/MODEL` for every model, and `about`, one
text of JSON. Of a set with a calibration part, `calibration/` begins the names of that part's members.

`stacked/interventions.npz`, written by `scripts/make_interventions.py`, holds many networks in one array for each of
two parts: `PART/logits` (intervention, trial, sample, class), `PART/labels`, `PART/sample`, `PART/fields/NAME`; and
`about`.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import numpy as np
import xarray as xr

from ...foundation import validation
from ...foundation.sources import Source, remember
from ..predictions import Predictions

PARTS = ("calibration", "evaluation")  # in the order of Predictions.split


def dataset_names() -> list[str]:
    """The names that `load_dataset` knows, in alphabetical order.

    See Also
    --------
    load_dataset : Loads one of them.

    Examples
    --------
    >>> cv.dataset_names()
    ['digits', 'heart', 'resnet110', 'tumours']
    """
    files = (entry.name for entry in resources.files(__name__).iterdir())
    return sorted(name.removesuffix(".npz") for name in files if name.endswith(".npz"))


def load_dataset(name: str, *, part: str = "evaluation") -> dict[str, Predictions]:
    """The predictions of every model of an embedded data set.

    Parameters
    ----------
    name : str
        One of `dataset_names()`: "digits" (ten classes, with images and a hierarchy), "heart" (binary: models of one
        hospital, and patients of four), "resnet110" (ten classes: the network whose logits on CIFAR-10 Gupta et al.
        2020 and Roelofs et al. 2022 recalibrate) or "tumours" (binary).
    part : {"evaluation", "calibration"}
        Of "resnet110" the 10,000 test photographs, or the 5,000 of validation, to which calibrators are fitted. The
        other sets have no part of their own for calibration: `evaluate(..., calibration=0.5)` splits them.

    Returns
    -------
    dict of model name to Predictions
        All of the same samples in the same order. `about` says what they are (`title`), how they were made (`made`),
        under which licence and from whom (`licence`), and which code loads them (`source`).

    Raises
    ------
    ValueError
        For an unknown name or part; the message lists the known ones.

    See Also
    --------
    dataset_names : The names.
    load_interventions : Networks trained in four ways.

    Examples
    --------
    >>> list(cv.load_dataset("digits"))
    ['naive Bayes', 'random forest', 'neural network']
    >>> len(cv.load_dataset("resnet110", part="calibration")["ResNet-110"])
    5000
    """
    if isinstance(name, str) and name == "interventions":
        raise ValueError(
            "'interventions' are two xarray.Datasets, not a dict of Predictions: call load_interventions()"
        )
    validation.choice(name, "name", dataset_names())
    validation.choice(part, "part", PARTS)
    members, about = _read(f"{name}.npz")
    source = Source("cv.load_dataset")(name)
    if part == "calibration":
        members, source = _of_part(part, members), Source("cv.load_dataset")(name, part=part)
        if not members:
            raise ValueError(
                f"part must be 'evaluation' for {name!r}, not 'calibration': its samples are one part, which "
                "evaluate(..., calibration=0.5) or Predictions.split() divides"
            )
        about["title"] += ", calibration part"
    return {model: _make_predictions(model, members, about, source) for model in about["made"]}


def load_interventions() -> tuple[xr.Dataset, xr.Dataset]:
    """Predictions of networks trained in four ways that differ in over-confidence, five times each (gece section 5).

    The four are plain cross-entropy, label smoothing (Szegedy et al. 2016), mix-up (Zhang et al. 2018) and the focal
    loss (Lin et al. 2017). All were trained on the same third of the handwritten digits of `load_dataset("digits")`,
    with noise added to their pixels, and predict the other two thirds. `evaluate` takes both parts as they are.

    Returns
    -------
    calibration, evaluation : xarray.Dataset
        Two parts without overlap, of 600 samples each, in the order of `Predictions.split`:

        - `logits` (intervention, trial, sample, class): float32, shape (4, 5, 600, 10).
        - `labels` (sample): int, in 0..9.
        - `ink`, `slant`, `aspect` (sample): fields of the image without noise.

        The coordinates `intervention` and `class` are names, `trial` is 0..4, and `sample` the row of the sample in
        `load_dataset("digits")`. The attributes `title`, `made` (a line for each intervention), `licence` and `source`
        name their origin.

    See Also
    --------
    load_dataset : Predictions of several models of the same samples.

    Examples
    --------
    >>> calibration, evaluation = cv.load_interventions()
    >>> dict(evaluation.logits.sizes)
    {'intervention': 4, 'trial': 5, 'sample': 600, 'class': 10}
    """
    members, about = _read("stacked/interventions.npz")
    calibration, evaluation = (_make_part(i, part, members, about) for i, part in enumerate(PARTS))
    return calibration, evaluation


def _read(file: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arrays of an embedded file, and what its JSON says."""
    with resources.files(__name__).joinpath(file).open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
        members = {key: archive[key] for key in archive.files}
    return members, json.loads(members.pop("about").item())


def _of_part(part: str, members: dict[str, Any]) -> dict[str, Any]:
    """The members of one part, under the names that they have in it."""
    return {key.removeprefix(f"{part}/"): array for key, array in members.items() if key.startswith(f"{part}/")}


def _make_predictions(model: str, members: dict[str, Any], about: dict[str, Any], source: Source) -> Predictions:
    return Predictions(
        members.get(f"probs/{model}"),
        members["labels"],
        logits=members.get(f"logits/{model}"),
        class_names=about["class_names"],
        groups=about["groups"],
        hierarchy=about["hierarchy"],
        fields={key.removeprefix("fields/"): column for key, column in members.items() if key.startswith("fields/")},
        images=members.get("images"),
        about={
            "title": f"{about['title']}: {model}",
            "made": about["made"][model],
            "licence": about["licence"],
        },
        noun=about["noun"],
        event_noun=about["event_noun"],
    )._made_by(source[model])


def _make_part(i: int, part: str, members: dict[str, Any], about: dict[str, Any]) -> xr.Dataset:
    own = _of_part(part, members)
    fields = {key.removeprefix("fields/"): ("sample", own[key]) for key in own if key.startswith("fields/")}
    logits = ("intervention", "trial", "sample", "class"), own["logits"]
    source = Source("cv.load_interventions")()[i]
    dataset = xr.Dataset(
        {"logits": logits, "labels": ("sample", own["labels"]), **fields},
        {
            "intervention": list(about["made"]),
            "trial": np.arange(own["logits"].shape[1]),
            "sample": own["sample"],
            "class": about["class_names"],
        },
        {
            "title": f"{about['title']}: {part} part",
            "made": "\n".join(f"{name}: {training}" for name, training in about["made"].items()),
            "licence": about["licence"],
            "source": str(source),
        },
    )
    return remember(dataset, source)
