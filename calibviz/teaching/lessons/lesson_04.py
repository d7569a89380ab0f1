"""Questions of the lesson on lenses and context."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..exercises import exercise
from ..kinds import Share


@exercise(
    "04.1",
    "The ResNet-110 has an ECE of 4.75 % by its likeliest class. How large is the ECE of the group alone, vehicle "
    "or animal?",
    Share(0.005, most=0.1),
    "{}. It seldom doubts the group, and is seldom wrong about it; most of its errors are between animals.",
    ("Which of its confusions still count?", "cv.calibration_error(photographs, 'grouping')"),
)
def group(cv: Any) -> float:
    """The error of the groups."""
    p = cv.load_dataset("resnet110")["ResNet-110"]
    return cv.calibration_error(p, "grouping")


@exercise(
    "04.2",
    "Over all patients no error is shown. At one hospital the model predicts 70 % on average. Which share of its "
    "patients has the disease?",
    Share(0.03),
    "{}, of 123 patients in Zurich and Basel. At Budapest it predicts too much, and over all patients the two "
    "cancel.",
    ("In the widget, it is the segment at the head of the list.",
     "cv.reliability(p, binning=cv.Uniform(1), selection='site == \"Zurich and Basel\"').target"),
)  # fmt: skip  # one hint a line
def hospital(cv: Any) -> float:
    """The observed share at the hospital that is the furthest off."""
    p = cv.load_dataset("heart")["logistic regression"]
    return cv.reliability(p, binning=cv.Uniform(1), selection='site == "Zurich and Basel"').target.item()


@exercise(
    "04.3",
    "The model predicts the disease for 23 % of the women, on average. Which share of them has it?",
    Share(0.005),
    "{} of 194 women, with a 95 % interval from 20 to 33 %: the 23 % that are predicted lie within it.",
    ("The selection is 'sex == \"female\"'; the share observed is the target of the one bin.",
     "cv.reliability(patients, binning=cv.Uniform(1), selection='sex == \"female\"').target.item()"),
)  # fmt: skip  # one hint a line
def women(cv: Any) -> float:
    """The observed share among women."""
    patients = cv.load_dataset("heart")["logistic regression"]
    return cv.reliability(patients, binning=cv.Uniform(1), selection='sex == "female"').target.item()


@exercise(
    "04.4",
    "These predictions are true by construction. Select only the patients who have the disease: which ECE do true "
    "predictions show there?",
    Share(0.04),
    "{}. Among those who have the disease all are observed, so the error is the mean probability of no disease. No "
    "model passes this test but one that is always certain.",
    ("What is observed among patients who all have the disease?",
     "It is 1 minus their mean probability of the disease."),
)  # fmt: skip  # one hint a line
def selected_by_label(cv: Any) -> float:
    """The error of true predictions of those who have the disease."""
    patients = cv.load_dataset("heart")["logistic regression"]
    rng = np.random.default_rng(0)
    has_disease = rng.random(len(patients)) < patients.probs[:, 1]
    true = cv.Predictions(patients.probs, has_disease.astype(int), class_names=patients.class_names)
    return cv.calibration_error(true, selection='label == "disease"')


@exercise(
    "04.5",
    "Thirty patients of Zurich and Basel are shown “medium”, a probability from 20 to 60 %. Which share of them has "
    "the disease?",
    Share(0.05),
    "{}. Who reads “medium” is misled; thirty patients are enough to show it.",
    ("At this hospital the model predicts too little.",
     "cv.likert_error(patients, categories=..., selection=...) has it as mean_target."),
)  # fmt: skip  # one hint a line
def medium(cv: Any) -> float:
    """The observed share in the middle category at one hospital."""
    patients = cv.load_dataset("heart")["logistic regression"]
    categories = {"low": (0, 0.2), "medium": (0.2, 0.6), "high": (0.6, 1)}
    errors = cv.likert_error(patients, categories=categories, selection='site == "Zurich and Basel"')
    return errors.mean_target.sel(category="medium").item()


@exercise(
    "04.6",
    "Over all patients the ordinary error within “medium” is 8.8 %. How much of it leaves the category?",
    Share(0.002),
    "{}. Most of the error stays between 20 and 60 %, and misleads nobody who reads only “medium”.",
    ("It is the error of cv.likert_error(patients, categories=categories).",
     "cv.likert_error(patients, categories=categories).error.sel(category='medium').item()"),
)  # fmt: skip  # one hint a line
def leaves_medium(cv: Any) -> float:
    """The error that leaves the middle category."""
    patients = cv.load_dataset("heart")["logistic regression"]
    categories = {"low": (0, 0.2), "medium": (0.2, 0.6), "high": (0.6, 1)}
    return cv.likert_error(patients, categories=categories).error.sel(category="medium").item()
