"""Questions of the lesson on decisions."""

from __future__ import annotations

from typing import Any

from ..exercises import exercise
from ..kinds import AmongTexts, Number, Share


@exercise(
    "05.1",
    "From which probability of malignant on is a biopsy the cheaper action?",
    Share(0.005, most=0.9),
    "{}: 1 / (1 + 9). Nine needless biopsies for one malignant tumour that is not missed cost as much as the miss.",
    ("At the threshold both actions cost the same.", "Solve (1 - p) * 1 = p * 9."),
)
def threshold(cv: Any) -> float:
    """The probability at which both actions cost the same."""
    needless, missed = 1, 9
    return needless / (needless + missed)


@exercise(
    "05.2",
    "What does it cost in truth, in needless biopsies per tumour, to act on naive Bayes?",
    Number(0, 1, within=0.05, step=0.01),
    "{}, more than twenty times what was promised. It sends tumours home as nearly certainly benign, and one in 17 of "
    "them is malignant. Acting on the logistic regression costs a third of that.",
    ("Some of those whom it sends home are malignant, and each costs 9.",
     "cv.expected_cost(tumours['naive Bayes'], costs=[[0, 9], [1, 0]]).realized"),
)  # fmt: skip  # one hint a line
def paid(cv: Any) -> float:
    """The cost of acting on naive Bayes."""
    p = cv.load_dataset("tumours")["naive Bayes"]
    return cv.expected_cost(p, costs=[[0, 9], [1, 0]]).realized.item()


@exercise(
    "05.3",
    "What does acting on naive Bayes cost per tumour after Platt scaling that was fitted to the other half?",
    Number(0, 1, within=0.005, step=0.01),
    "{}, less than half of what the same half costs before, 0.309. Nothing was learned of the tumours, only what the "
    "scores mean.",
    ("Fit to one half, judge on the other: costs are paid on the part that split returns second.",
     "cv.expected_cost(recalibrated, costs=costs).realized.item()"),
)  # fmt: skip  # one hint a line
def paid_after(cv: Any) -> float:
    """The cost of acting on naive Bayes after recalibration."""
    calibration, rest = cv.load_dataset("tumours")["naive Bayes"].split(0.5, rng=0)
    recalibrated = cv.OneVsRest(cv.Platt()).fit(calibration).transform(rest)
    return cv.expected_cost(recalibrated, costs=[[0, 9], [1, 0]]).realized.item()


@exercise(
    "05.4",
    "Gradient boosting is recalibrated, the logistic regression is left as it is. Which of the two has the lower Brier "
    "score then?",
    AmongTexts(("gradient boosting, recalibrated", "logistic regression, as it is")),
    "The {}. Recalibration takes gradient boosting from 0.179 to 0.167; what is left is discrimination, and that no "
    "map of scores can add.",
    ("How much of the 0.179 is miscalibration?",
     "cv.evaluate(hearts, calibrators=['none', 'isotonic'], folds=5, metrics='brier')"),
)  # fmt: skip  # one hint a line
def lower_score(cv: Any) -> str:
    """The better of a recalibrated and a well-discriminating model."""
    hearts = cv.load_dataset("heart")
    cube = cv.evaluate(hearts, calibrators=["none", "isotonic"], folds=5, metrics="brier", progress=False)
    brier = cube.brier.squeeze(drop=True)
    recalibrated = brier.sel(model="gradient boosting", calibrator="isotonic")
    as_it_is = brier.sel(model="logistic regression", calibrator="none")
    return "gradient boosting, recalibrated" if recalibrated < as_it_is else "logistic regression, as it is"


@exercise(
    "05.5",
    "In the practice 10 % are ill. Of the people for whom the model predicts 50 % or more, 76 % on average: which "
    "share is ill?",
    Share(0.04),
    "{}. Most people there are healthy, and even a few in a hundred of them with a high score outnumber the ill.",
    ("For each ill person there are nine healthy ones now, in place of fewer than one.",
     "cv.reliability(patients.at_prevalence(0.1), binning=cv.Uniform(2)).target"),
)  # fmt: skip  # one hint a line
def elsewhere(cv: Any) -> float:
    """The observed share of high scores at another prevalence."""
    p = cv.load_dataset("heart")["logistic regression"]
    return cv.reliability(p.at_prevalence(0.1), binning=cv.Uniform(2)).target[1].item()


@exercise(
    "05.6",
    "What is the net benefit in the practice, acting from 20 % on, once the scores are shifted to its prevalence?",
    Number(-1, 1, within=0.001, step=0.01),
    "{}: as good as four ill people in a hundred acted on, and nobody needlessly.",
    ("Pass prevalence=0.1 and shift=True.",
     "cv.net_benefit(patients, threshold=0.2, prevalence=0.1, shift=True)"),
)  # fmt: skip  # one hint a line
def shifted(cv: Any) -> float:
    """The net benefit of shifted scores at another prevalence."""
    patients = cv.load_dataset("heart")["logistic regression"]
    return cv.net_benefit(patients, threshold=0.2, prevalence=0.1, shift=True)


@exercise(
    "05.7",
    "By the 95 % interval of a new centre, how many times as many ill patients as expected may be observed at a fifth "
    "hospital, at most?",
    Number(0, 5, within=0.05, step=0.1),
    "{} times, and at least about half as many. Four hospitals say so little about a fifth.",
    ("by_centre has the ends of that interval as predicted_lower and predicted_upper.",
     "centres.predicted_upper.item()"),
)  # fmt: skip  # one hint a line
def fifth_hospital(cv: Any) -> float:
    """The upper end of the interval of a new hospital."""
    patients = cv.load_dataset("heart")["logistic regression"]
    return cv.by_centre(patients, "site").sel(measure="observed_expected").predicted_upper.item()
