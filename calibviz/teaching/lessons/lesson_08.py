"""Questions of the lesson on gamma and the full lens."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..exercises import exercise
from ..kinds import AmongTexts, Number, Share


@exercise(
    "08.1",
    "A thousand times the same prediction, 0.6, 0.3 and 0.1. The classes are observed 600, 100 and 300 times. How "
    "large is the error of the whole row, half the sum of the absolute differences?",
    Share(0.005, most=0.6),
    "{}, though that of the likeliest class is 0. Calibrated in the likeliest class means nothing for the others.",
    ("The observed shares are 0.6, 0.1 and 0.3.", "(0 + 0.2 + 0.2) / 2"),
)
def swapped(cv: Any) -> float:
    """The error of rows under the full lens."""
    rows = np.tile([0.6, 0.3, 0.1], (1000, 1))
    return cv.calibration_error(cv.Predictions(rows, np.repeat([0, 1, 2], [600, 100, 300])), "full")


@exercise(
    "08.2",
    "A k-d tree puts the 1,797 rows of the random forest into bins, and splits none with fewer than an eighth of "
    "them. It knows no classes. How many bins are there?",
    Number(1, 100),
    "{}, one for each digit: the tree follows where rows lie, and they lie in heaps around the digits.",
    ("cv.reliability(p, 'full', binning=cv.KDTree(1 / 8)) has a row for each bin.",),
)
def leaves(cv: Any) -> int:
    """The number of leaves."""
    p = cv.load_dataset("digits")["random forest"]
    return cv.reliability(p, "full", binning=cv.KDTree(1 / 8)).sizes["bin"]


@exercise(
    "08.3",
    "The error of the forest under the full lens grows as γ gets smaller. At 1/512, is it larger or smaller than that "
    "of labels that are drawn from its own rows, for which it is calibrated?",
    AmongTexts(("larger", "smaller")),
    "It is {}: in leaves of a sample or two the target is far from any row, whatever is predicted. Such an error says "
    "nothing of the model.",
    ("Which part of the error in a leaf of two samples is noise?",),
)
def against_noise(cv: Any) -> str:
    """Say on which side of the error of drawn labels that of the forest is."""
    p, binning = cv.load_dataset("digits")["random forest"], cv.KDTree(1 / 512)
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(5):
        labels = np.minimum((p.probs.cumsum(axis=1) < rng.random((len(p), 1))).sum(axis=1), p.n_classes - 1)
        drawn.append(cv.calibration_error(cv.Predictions(p.probs, labels), "full", binning=binning))
    return "larger" if cv.calibration_error(p, "full", binning=binning) > np.mean(drawn) else "smaller"


@exercise(
    "08.4",
    "Recalibrate the neural network with a temperature that is fitted to one half. What is the error of the rows of "
    "the other half (full, γ = 1/8), after it?",
    Share(0.005),
    "{}, more than the 2.9 % before. But noise alone gives more as well, since the rows are less sure: compare errors "
    "in bins only with their noise beside them.",
    ("calibration, evaluation = models['neural network'].split(0.5, rng=0)",
     "cv.calibration_error(warmer, 'full', binning=cv.KDTree(1 / 8))"),
)  # fmt: skip  # one hint a line
def warmer(cv: Any) -> float:
    """The error of the rows after a temperature."""
    calibration, evaluation = cv.load_dataset("digits")["neural network"].split(0.5, rng=0)
    recalibrated = cv.Temperature().fit(calibration).transform(evaluation)
    return cv.calibration_error(recalibrated, "full", binning=cv.KDTree(1 / 8))


@exercise(
    "08.5",
    "After a temperature, no error of the likeliest class of naive Bayes is shown. How large is p for its whole rows "
    "(full, γ = 1/8, 49 draws of labels)?",
    Share(0.005),
    "{}, the smallest that 49 draws can give: the error of the rows is beyond noise, and a look at the likeliest "
    "class would not have shown it.",
    ("cv.consistency(warmer, error=error, lens='full', replicates=49).p_value, with the error of the cell above",
     "49 draws cannot give less than 1/50."),
)  # fmt: skip  # one hint a line
def of_rows(cv: Any) -> float:
    """The p of the rows of naive Bayes after a temperature."""

    def error(problem: Any) -> Any:
        return cv.calibration_error(problem, binning=cv.KDTree(1 / 8))

    calibration, evaluation = cv.load_dataset("digits")["naive Bayes"].split(0.5, rng=0)
    recalibrated = cv.Temperature().fit(calibration).transform(evaluation)
    return cv.consistency(recalibrated, error=error, lens="full", replicates=49, progress=False).p_value
