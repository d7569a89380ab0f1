"""Questions of the quick start."""

from __future__ import annotations

from typing import Any

from ..exercises import exercise
from ..kinds import AmongTexts, Share

MODELS = ("naive Bayes", "random forest", "neural network")


@exercise(
    "00.1",
    "Which of the three has the probabilities that are the furthest off, by ECE?",
    AmongTexts(MODELS),
    "The {}. It is right in 98 of 100 cases and predicts 78 % on average, much too little. The other two predict "
    "too much, and are less far off.",
    ("A model that is often right can still predict too little.",),
)
def furthest_off(cv: Any) -> str:
    """The model with the largest ECE."""
    models = cv.load_dataset("digits")
    return max(models, key=lambda name: cv.calibration_error(models[name]))


@exercise(
    "00.2",
    "The neural network has an ECE of 3.4 % in 15 bins. Its predictions stay as they are, and 50 bins are taken. Does "
    "the ECE fall, stay or grow?",
    AmongTexts(("fall", "stay", "grow")),
    "It would {}: each bin has fewer samples, so that noise moves its two means further apart. KS has no bins, and "
    "stays.",
    ("The fewer samples a bin has, the larger is the noise of what is observed in it.",),
)
def more_bins(cv: Any) -> str:
    """The effect of more bins on the error of the network."""
    p = cv.load_dataset("digits")["neural network"]
    few, many = (cv.calibration_error(p, binning=cv.Uniform(bins)) for bins in (15, 50))
    return "grow" if many > few else "fall" if many < few else "stay"


@exercise(
    "00.3",
    "Of the tumours that naive Bayes sends home, at less than 10 %, which share is malignant?",
    Share(0.005, most=0.3),
    "{}. That is within the promise of at most 10 %.",
    ("Ask for the mean target of the category 'send home'.",
     "cv.likert_error(p, 'class malignant', categories={'send home': (0, 0.1), 'look again': (0.1, 0.5), "
     "'biopsy': (0.5, 1)}).mean_target"),
)  # fmt: skip  # one hint a line
def sent_home(cv: Any) -> float:
    """The share of malignant tumours among those that are sent home."""
    p = cv.load_dataset("tumours")["naive Bayes"]
    categories = {"send home": (0, 0.1), "look again": (0.1, 0.5), "biopsy": (0.5, 1)}
    found = cv.likert_error(p, "class malignant", categories=categories)
    return found.mean_target.sel(category="send home").item()


@exercise(
    "00.4",
    "And of those with a mean radius from 12 to 16 that are sent home?",
    Share(0.005, most=0.3),
    "{}, nearly twice as many. There the promise hardly holds.",
    ("The same with a selection.", "selection='12 <= mean_radius <= 16'"),
)
def sent_home_of_middle_size(cv: Any) -> float:
    """The share of malignant tumours among those of middle size that are sent home."""
    p = cv.load_dataset("tumours")["naive Bayes"]
    categories = {"send home": (0, 0.1), "look again": (0.1, 0.5), "biopsy": (0.5, 1)}
    found = cv.likert_error(p, "class malignant", categories=categories, selection="12 <= mean_radius <= 16")
    return found.mean_target.sel(category="send home").item()
