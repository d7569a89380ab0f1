"""Questions of the lesson on why models are off."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..exercises import exercise
from ..kinds import AmongTexts, Number, Share


@exercise(
    "02.1",
    "A test makes a disease 80 % likely. Naive Bayes gets the same test in five columns. Which probability does "
    "it give?",
    Share(0.015),
    "{}. The odds are 4 to 1, and it multiplies them five times: 4 to the power of 5 is 1,024 to 1.",
    ("80 % are odds of 4 to 1.", "Odds are multiplied once for each column."),
)
def five_copies(cv: Any) -> float:
    """The probability of evidence that is counted five times."""
    odds = (0.8 / 0.2) ** 5
    return odds / (1 + odds)


@exercise(
    "02.2",
    "Which temperature is fitted to the model that has the test five times?",
    Number(1, 10, within=0.1, step=0.1),
    "{}, about the number of copies: what multiplied the log odds is divided out again.",
    ("What were the log odds multiplied by?", "cv.Temperature().fit(copies['five times']).temperature_"),
)
def undone(cv: Any) -> float:
    """The temperature of five copies."""
    rng = np.random.default_rng(0)
    log_odds = rng.normal(0, 1.5, 4000)
    ill = (rng.random(4000) < 1 / (1 + np.exp(-log_odds))).astype(int)
    return cv.Temperature().fit(cv.Predictions(1 / (1 + np.exp(-5 * log_odds)), ill)).temperature_


@exercise(
    "02.3",
    "Naive Bayes and the neural network are both too sure. Is the average of their probabilities too sure, about right "
    "(to within a point), or too cautious?",
    AmongTexts(("too sure", "about right", "too cautious")),
    "It is {}: 94.5 % sure on average, and right in 94.7 %. It is less sure than either and right more often than "
    "either. With a third model it becomes too cautious.",
    ("Compare the mean confidence of the average with the share that is right.",
     "p.confidence.mean() and cv.accuracy(p), of p = cv.Predictions((first.probs + second.probs) / 2, "
     "first.labels)."),
)  # fmt: skip  # one hint a line
def average(cv: Any) -> str:
    """The side to which the average of two models errs."""
    digits = cv.load_dataset("digits")
    first, second = digits["naive Bayes"], digits["neural network"]
    p = cv.Predictions((first.probs + second.probs) / 2, first.labels)
    gap = p.confidence.mean() - cv.accuracy(p)
    return "about right" if abs(gap) < 0.01 else "too sure" if gap > 0 else "too cautious"


@exercise(
    "02.4",
    "The ResNet-110 names 93.6 % of the new photographs rightly. How sure is it of them on average?",
    Share(0.01),
    "{}. It is nearly five points surer than it is right, as networks are that were trained to the end.",
    ("It is surer than it is right.", "photographs.confidence.mean()"),
)
def too_sure(cv: Any) -> float:
    """The mean confidence of the network."""
    photographs = cv.load_dataset("resnet110")["ResNet-110"]
    return photographs.confidence.mean()


@exercise(
    "02.5",
    "Which temperature do the validation photographs give the ResNet-110?",
    Number(0.5, 5, within=0.02, step=0.1),
    "{}: its logits were more than twice as large as the validation photographs allow.",
    ("Fit to validation, not to photographs.", "cv.Temperature().fit(validation).temperature_"),
)
def of_validation(cv: Any) -> float:
    """The temperature that is fitted to the validation part."""
    validation = cv.load_dataset("resnet110", part="calibration")["ResNet-110"]
    return cv.Temperature().fit(validation).temperature_


@exercise(
    "02.6",
    "Without a temperature, the ECE of the new photographs is 4.75 %. How large is it with that temperature?",
    Share(0.001),
    "{}: more than three quarters of the error are gone.",
    ("Transform the photographs by the calibrator that was fitted to the validation part.",
     "cv.calibration_error(cv.Temperature().fit(validation).transform(photographs))"),
)  # fmt: skip  # one hint a line
def left_over(cv: Any) -> float:
    """The error that the temperature leaves."""
    photographs = cv.load_dataset("resnet110")["ResNet-110"]
    validation = cv.load_dataset("resnet110", part="calibration")["ResNet-110"]
    return cv.calibration_error(cv.Temperature().fit(validation).transform(photographs))
