"""Questions of the lesson on splines and KS."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..exercises import exercise
from ..kinds import AmongTexts, Share


@exercise(
    "06.1",
    "Naive Bayes has a mean confidence of 98.1 %, and an accuracy of 92.2 %. How far are its cumulative curves apart "
    "at most?",
    Share(0.005, most=0.3),
    "{}, the difference of the two. It predicts too much at almost every score, so the distance grows to the very "
    "end. Then KS is the expected calibration error itself (equation 8), with nothing lost and nothing added by bins.",
    ("Where do the two curves end, and can they be further apart before?",),
)
def one_sided(cv: Any) -> float:
    """The KS error of naive Bayes."""
    return cv.ks_error(cv.load_dataset("digits")["naive Bayes"])


@exercise(
    "06.2",
    "Half of the samples have 0.3 and are right in 20 % of the cases, half have 0.7 and are right in 90 %. How large "
    "is the KS error?",
    Share(0.001),
    "{}: of the lower half 0.1 / 2 too much, and then of the upper half 0.2 / 2 too little, which ends at 0.05 on the "
    "other side. Kuiper, the span, is 0.1, and the ECE in two bins 0.15.",
    ("Half of all samples are 0.1 too high: how far does the signed distance go down?",
     "From there it goes up by 0.2 / 2. KS is the largest distance from 0 on the way."),
)  # fmt: skip  # one hint a line
def both_sides(cv: Any) -> float:
    """The largest distance on the way."""
    right = np.repeat([1, 0, 1, 0], [20, 80, 90, 10])
    return cv.ks_error(cv.ScalarProblem(np.repeat([0.3, 0.7], 100), right))


@exercise(
    "06.3",
    "A softmax regression of the digits is trained on labels of which half are random, and judged on such labels. Is "
    "the KS error of its likeliest class smaller than without that noise, about the same (within a point), or larger?",
    AmongTexts(("smaller", "about the same", "larger")),
    "It is {}, 5.1 % in place of 8.0 %: the model is 44 % sure and right in 46 %. It knows little, and says so. With "
    "a fifth of random labels the error is larger, 12.1 %.",
    ("Can a model that is hardly ever sure be far too sure?",
     "cv.evaluate(cv.papers.label_noise([0, 0.5]), metrics=['ks']) has both."),
)  # fmt: skip  # one hint a line
def of_noisy_labels(cv: Any) -> str:
    """The side to which half of random labels move the error."""
    ks = cv.evaluate(cv.papers.label_noise([0, 0.5]), metrics=["ks"], progress=False).ks.squeeze()
    more = float(ks.diff("share").item())
    return "about the same" if abs(more) < 0.01 else "smaller" if more < 0 else "larger"


@exercise(
    "06.4",
    "From a fifth of random labels to a half, the KS error of the likeliest class falls. Does the mean error of the "
    "ten classes (the lens classwise) fall, or rise?",
    AmongTexts(("fall", "rise")),
    "It does {}, from 1.5 % to 2.2 %: with more noise more classes are plausible, and the likeliest is less of what is "
    "predicted.",
    ("cv.evaluate(noisy, 'classwise', metrics=['ks']).ks.squeeze() has it for each share.",),
)
def of_all_classes(cv: Any) -> str:
    """Return whether the error of all classes falls with that of the likeliest."""
    cube = cv.evaluate(cv.papers.label_noise([0.2, 0.5]), "classwise", metrics=["ks"], progress=False)
    return "rise" if cube.ks.squeeze().diff("share").item() > 0 else "fall"


@exercise(
    "06.5",
    "The random forest is recalibrated in five folds, once by a temperature and once by a spline. Which leaves the "
    "smaller KS error of samples that it has not seen?",
    AmongTexts(("temperature", "spline")),
    "The {}. More flexible is not better by itself: the forest is off in just the way that the one parameter corrects.",
    ("cv.evaluate(p, calibrators=['temperature', 'spline'], folds=5, metrics=['ks']) measures both.",),
)
def better_for_the_forest(cv: Any) -> str:
    """Return the calibrator with the smaller error."""
    p = cv.load_dataset("digits")["random forest"]
    cube = cv.evaluate(p, calibrators=["temperature", "spline"], folds=5, metrics=["ks"], progress=False)
    return str(cube.ks.squeeze().idxmin("calibrator").item())


@exercise(
    "06.6",
    "Only a twentieth of the images is there to calibrate the random forest with. Which leaves the smaller KS error "
    "of the others, in the mean over the splits with rng 0 to 9?",
    AmongTexts(("temperature", "spline")),
    "The {}: one right parameter is learned from a handful of samples.",
    ("fitted, rest = p.split(0.05, rng=seed), for the seeds 0 to 9",
     "cv.Spline().fit(cv.lens('top-1')(fitted)) is used by cv.lens('top-1')(rest).mapped(spline)."),
)  # fmt: skip  # one hint a line
def of_few(cv: Any) -> str:
    """Return the calibrator with the smaller mean error."""
    p, top = cv.load_dataset("digits")["random forest"], cv.lens("top-1")
    errors: dict[str, list[float]] = {"temperature": [], "spline": []}
    for seed in range(10):
        fitted, rest = p.split(0.05, rng=seed)
        errors["temperature"].append(cv.ks_error(cv.Temperature().fit(fitted).transform(rest)))
        errors["spline"].append(cv.ks_error(top(rest).mapped(cv.Spline().fit(top(fitted)))))
    return min(errors, key=lambda name: np.mean(errors[name]))
