"""Questions of the lesson on what calibration means, and what it hides."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..exercises import exercise
from ..kinds import AmongTexts, Share


@exercise(
    "01.1",
    "A model never looks at the image: each time it gives every digit its share of all images. How large is its "
    "calibration error (ECE)?",
    Share(0.01, most=0.5),
    "{}. What it predicts on average is what is observed on average, and it predicts nothing else. Calibrated is not "
    "accurate.",
    ("What is the mean probability that it gives to its likeliest digit, and how often is that digit right?",),
)
def idle(cv: Any) -> float:
    """The error of shares that are predicted for everybody."""
    labels = cv.load_dataset("digits")["random forest"].labels
    shares = np.bincount(labels) / len(labels)
    p = cv.Predictions(np.tile(shares, (len(labels), 1)), labels)
    return cv.calibration_error(p, "top-1")


@exercise(
    "01.2",
    "The random forest names the right digit for 98 of 100 images. How sure is it on average, by its largest "
    "probability?",
    Share(0.05),
    "{}. It is right far more often than it predicts: each tree votes, the votes are averaged, and an average is "
    "seldom near 1.",
    ("Its mean confidence is the mean of the largest probability in each row.",
     "p.confidence has the largest probability of each row."),
)  # fmt: skip  # one hint a line
def unsure(cv: Any) -> float:
    """The mean confidence of the forest."""
    p = cv.load_dataset("digits")["random forest"]
    return p.confidence.mean()


@exercise(
    "01.3",
    "By its likeliest digit the neural network is better calibrated than naive Bayes. Now ask only: is it a zero? "
    "Which of the two has the larger error then?",
    AmongTexts(("naive Bayes", "neural network")),
    "The {}. The same rows, another question, and the order is reversed: an error belongs to a model and a lens.",
    ("The lens is class 0.", "cv.calibration_error(p, lens) measures one model through one lens."),
)
def zeros(cv: Any) -> str:
    """Return the model with the larger error for zeros."""
    models = cv.load_dataset("digits")
    errors = {name: cv.calibration_error(models[name], "class 0") for name in ("naive Bayes", "neural network")}
    return max(errors, key=errors.__getitem__)


@exercise(
    "01.4",
    "Through the lens of which single digit is the error (ECE) of naive Bayes largest?",
    AmongTexts(tuple("0123456789")),
    "The digit {}. In the widget, the list of classes has it first.",
    ("Choose the model naive Bayes, and look at the list of all classes: the largest error comes first.",
     "In code: measure cv.calibration_error(p, lens) for each of the lenses class 0 to class 9."),
)  # fmt: skip  # one hint a line
def worst_digit(cv: Any) -> str:
    """Return the digit with the largest error."""
    p = cv.load_dataset("digits")["naive Bayes"]
    errors = {name: cv.calibration_error(p, f"class {name}") for name in p.class_names}
    return max(errors, key=errors.__getitem__)


@exercise(
    "01.5",
    "450 predictions of 52 % are all wrong, and 550 of 58 % are all right. How large is the error (ECE) in ten bins of "
    "equal width?",
    Share(0.01, most=0.6),
    "{}. All thousand lie in the bin from 50 % to 60 %, whose mean score is 55.3 %, and 55 % are right. What one half "
    "claims too much and the other too little cancels.",
    ("Which bins do 52 % and 58 % lie in?", "The bin compares the mean of all scores with the share that is right."),
)
def cancelled(cv: Any) -> float:
    """The error of two groups in one bin."""
    p = cv.Predictions(np.repeat([0.52, 0.58], [450, 550]), np.repeat([0, 1], [450, 550]))
    return cv.calibration_error(p, "class 1", binning=cv.Uniform(10))


@exercise(
    "01.6",
    "The 450 now have 54 %. Which score must the 550 have, in the same bin, for an error (ECE) of exactly 0 in "
    "ten bins of equal width?",
    Share(0.0005),
    "{}. Then the mean of all scores is 55 %, which is the share that is right.",
    ("The mean of all thousand scores has to be the share that is right, 0.55.",
     "0.45 times 0.54 plus 0.55 times b has to be 0.55."),
)  # fmt: skip  # one hint a line
def fooled(cv: Any) -> float:
    """The score that hides the error."""
    return (0.55 - 0.45 * 0.54) / 0.55


@exercise(
    "01.7",
    "How large is the error of these thousand in a bin for each score (cv.Distinct())?",
    Share(0.005),
    "{}. The error of 0 in ten bins and this one are of the same predictions: the bins decided.",
    ("Make the thousand as cv.Predictions, with the score of 01.6, and measure with binning=cv.Distinct().",
     "The 450 are off by their score, the 550 by what is left to 1."),
)  # fmt: skip  # one hint a line
def uncovered(cv: Any) -> float:
    """The error that the bin hid."""
    b = (0.55 - 0.45 * 0.54) / 0.55
    p = cv.Predictions(np.repeat([0.54, b], [450, 550]), np.repeat([0, 1], [450, 550]))
    return cv.calibration_error(p, "class 1", binning=cv.Distinct())
