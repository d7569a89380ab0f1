"""Questions of the lesson on metrics and calibrators."""

from __future__ import annotations

from typing import Any

from ..exercises import exercise
from ..kinds import Number


@exercise(
    "07.1",
    "Ten ways to treat the neural network are compared: nine calibrators, and doing nothing. Of how many is it not "
    "shown that they are worse than the best, by the Brier score?",
    Number(1, 10),
    "{}, all of them, doing nothing included. The smallest of ten numbers is smallest by noise as well.",
    ("cube.brier_within_noise of an evaluation with ranking='calibrator' marks them.",),
)
def within_noise(cv: Any) -> int:
    """The number of treatments that may be the best."""
    methods = ["none", "temperature", "ensemble", "vector", "dirichlet", "isotonic", "beta", "histogram", "spline"]
    shared = cv.OneVsRest(cv.HistogramBinning(), shared=True)
    p = cv.load_dataset("digits")["neural network"]
    cube = cv.evaluate(
        p, calibrators=[*methods, shared], folds=5, metrics=["brier"], ranking="calibrator", progress=False
    )
    return int(cube.brier_within_noise.sum())


@exercise(
    "07.2",
    "Nixon et al. vary the ECE by five switches, which makes 32 metrics. How many of the ten ways come first by at "
    "least one of them?",
    Number(1, 10),
    "{}. With a metric that is chosen afterwards, nearly everything is the best.",
    ("cv.preferred(cube, untested=True).gce names the first by each metric.",),
)
def come_first(cv: Any) -> int:
    """The number of treatments that come first by some metric."""
    methods = ["none", "temperature", "ensemble", "vector", "dirichlet", "isotonic", "beta", "histogram", "spline"]
    shared = cv.OneVsRest(cv.HistogramBinning(), shared=True)
    p = cv.load_dataset("digits")["neural network"]
    cube = cv.evaluate(p, bins=[20], calibrators=[*methods, shared], folds=5, metrics=["gce"], progress=False)
    return cv.preferred(cube, untested=True).gce.to_series().nunique()


@exercise(
    "07.3",
    "The rank correlation of two metrics is 1 where they order all ten alike, and 0 where the orders have nothing to "
    "do with each other. How large is it of two of the 32, in the mean?",
    Number(-1, 1, within=0.05, step=0.05),
    "{}: metrics of one family, for one model in 20 bins, hardly agree on the order.",
    ("cv.rank_correlation(gce, 'metric') has it.", "cv.rank_correlation(gce, 'metric').correlation_mean.item()"),
)
def agreement(cv: Any) -> float:
    """The mean correlation between the metrics."""
    methods = ["none", "temperature", "ensemble", "vector", "dirichlet", "isotonic", "beta", "histogram", "spline"]
    shared = cv.OneVsRest(cv.HistogramBinning(), shared=True)
    p = cv.load_dataset("digits")["neural network"]
    cube = cv.evaluate(p, bins=[20], calibrators=[*methods, shared], folds=5, metrics=["gce"], progress=False)
    return cv.rank_correlation(cube, "metric").correlation_mean.item()


@exercise(
    "07.4",
    "All that matters is the second guess of the random forest (the lens rank 2). How many of the nine, doing nothing "
    "included and without the shared histogram, are within noise of the best by the Brier score?",
    Number(1, 9),
    "{}: all but doing nothing, which is shown to be worse than the best. So recalibrate, and choose among them by "
    "something else, such as how few numbers are fitted.",
    ("cv.evaluate(p, 'rank 2', calibrators=methods, folds=5, metrics=['brier'], ranking='calibrator')",
     "The sum of brier_within_noise of that cube."),
)  # fmt: skip  # one hint a line
def of_the_second_guess(cv: Any) -> int:
    """The number of treatments of the second guess that may be the best."""
    methods = ["none", "temperature", "ensemble", "vector", "dirichlet", "isotonic", "beta", "histogram", "spline"]
    p = cv.load_dataset("digits")["random forest"]
    cube = cv.evaluate(
        p, "rank 2", calibrators=methods, folds=5, metrics=["brier"], ranking="calibrator", progress=False
    )
    return int(cube.brier_within_noise.sum())
