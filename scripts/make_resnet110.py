"""Make calibviz/data/datasets/resnet110.npz from logits that Kull et al. 2019 published.

    python scripts/make_resnet110.py probs_resnet110_c10_logits.p

The file is in the folder `logits` of https://github.com/markus93/NN_calibration, under the MIT licence, whose notice is
`resnet110.LICENSE.txt` beside the data set. It is a pickle, which can run code: take it from there alone.
"""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path

import numpy as np

FILE = Path(__file__).resolve().parent.parent / "calibviz" / "data" / "datasets" / "resnet110.npz"
CLASSES = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
VEHICLES = ["airplane", "automobile", "ship", "truck"]
MODEL = "ResNet-110"
ABOUT = {
    "title": "CIFAR-10 photographs",
    "licence": "MIT. Copyright (c) 2018 Markus Kängsepp, https://github.com/markus93/NN_calibration (Kull et al. 2019)",
    "noun": "photographs",
    "event_noun": None,
    "made": {
        MODEL: "residual network of 110 layers, outputs before the softmax; trained on 45,000 photographs for Kull et "
        "al. 2019; the test and the validation part are others"
    },
    "class_names": CLASSES,
    "groups": {"vehicles": VEHICLES, "animals": [name for name in CLASSES if name not in VEHICLES]},
    "hierarchy": None,
}


def main(source: str) -> None:
    """Write the data set from the published file."""
    with Path(source).open("rb") as stream:
        (logits_validation, labels_validation), (logits_test, labels_test) = pickle.load(stream)
    np.savez_compressed(
        FILE,
        **{
            "about": np.array(json.dumps(ABOUT)),
            "labels": np.ravel(labels_test).astype(np.int16),
            f"logits/{MODEL}": logits_test.astype(np.float32),
            "calibration/labels": np.ravel(labels_validation).astype(np.int16),
            f"calibration/logits/{MODEL}": logits_validation.astype(np.float32),
        },
    )
    print(f"{FILE.name}: {FILE.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main(sys.argv[1])
