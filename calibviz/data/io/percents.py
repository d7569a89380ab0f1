"""Numbers from 0 to 100 in place of probabilities."""

from __future__ import annotations

import numpy as np

from ...foundation.arrays import OVERSHOOT_TOLERANCE, row_error
from .choices import Account, ReadingOptions
from .common import Arguments


def as_probabilities(arguments: Arguments, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions`, per cents of one class as probabilities where they are to be rescaled."""
    values = arguments.get("probs")
    if values is None or np.ndim(values) != 1 or np.asarray(values).dtype.kind not in "iuf" or not len(values):
        return arguments
    above = np.asarray(values) > 1 + OVERSHOOT_TOLERANCE
    if not above.any() or np.min(values) < 0 or np.max(values) > 100:
        return arguments
    if choices.normalize:
        account.say("probabilities in per cent")
        return arguments | {"probs": np.asarray(values, dtype=np.float64) / 100}
    row = int(np.argmax(above))
    raise row_error(
        "probs",
        [row],
        f" is {values[row]:g}: a probability lies between 0 and 1; pass normalize=True if these are per cents, or "
        "logits=... if they are logits",
    )
