"""The network of several papers whose logits come with calibviz: how its code begins, and what shows it live."""

from __future__ import annotations

from typing import Any

NETWORK = """\
network = cv.load_dataset("resnet110")["ResNet-110"]
validation = cv.load_dataset("resnet110", part="calibration")["ResNet-110"]
"""


def live(**choices: Any) -> dict[str, Any]:
    """The choices of the Explorer that show it."""
    return {"data": "resnet110", **choices}
