"""Questions of the lesson on bias and chance."""

from __future__ import annotations

from typing import Any

from ..exercises import exercise
from ..kinds import AmongTexts, Number, Share


@exercise(
    "03.1",
    "A network is calibrated: its true error is exactly 0, and its scores are spread evenly. What ECE do 200 samples "
    "show on average, in 15 bins?",
    Share(0.01, most=0.2),
    "{}. In a bin of some 13 samples the observed share is off by noise alone, by 11 points on average in the middle, "
    "and a distance is never negative: noise adds up, whatever its sign.",
    ("It is more than 0: can a bin of 13 samples show just the share that its scores promise?",
     "cv.simulate_errors(network.calibrated, n=200, bins=15, p=1) draws many data sets; take its mean."),
)  # fmt: skip  # one hint a line
def measured_of_nothing(cv: Any) -> float:
    """The mean error of a calibrated network."""
    network = cv.Network("too extreme", a=1, b=1, transform="logistic", b0=-2.5, b1=5)
    cube = cv.simulate_errors(network.calibrated, "uniform", n=200, bins=15, p=1, replicates=500, progress=False)
    return cube["mean"].item()


@exercise(
    "03.2",
    "Now the scores are too extreme: the true error is 2.4 %. Is the mean estimate of 1,600 samples in only two bins "
    "too small, about right or too large?",
    AmongTexts(("too small", "about right", "too large")),
    "It is {}. In the bin from 50 % on, scores just above 50 % are nearly right and those near 100 % are too high; in "
    "the mean of a bin only their average is left, and noise is small with 800 samples.",
    ("Do errors within a bin cancel or add up?", "Look at the bias of cv.simulate_errors(..., n=1600, bins=2, p=1)."),
)
def few_bins(cv: Any) -> str:
    """The side to which two bins err."""
    network = cv.Network("too extreme", a=1, b=1, transform="logistic", b0=-2.5, b1=5)
    bias = cv.simulate_errors(network, "uniform", n=1600, bins=2, p=1, replicates=500, progress=False).bias.item()
    return "about right" if abs(bias) < 0.002 else "too small" if bias < 0 else "too large"


@exercise(
    "03.3",
    "16 bins are nearly right for 200 samples of the ResNet-110. Which number is the least biased for 6,400, 32 times "
    "as many: 16, 64 or 512 bins?",
    AmongTexts(("16", "64", "512")),
    "{}: 32 times as many samples allow four times as many bins. The cells near 0 run across the map, so no number of "
    "bins is right for all sizes.",
    ("More samples allow more bins, but the noise of a bin shrinks with the root of its samples.",
     "Look at the bias of cv.simulate_errors('resnet110_c10', 'uniform', n=6400, bins=[16, 64, 512])."),
)  # fmt: skip  # one hint a line
def across_the_map(cv: Any) -> str:
    """The number of bins that so many samples allow."""
    cube = cv.simulate_errors("resnet110_c10", "uniform", 6400, [16, 64, 512], replicates=300, progress=False)
    return str(int(abs(cube.bias.squeeze()).idxmin("bins").item()))


@exercise(
    "03.4",
    "Of 2, 4, 8, 16, 32 and 64 bins of equal width, which number is the least biased for 6,400 samples of the network "
    "that is too extreme?",
    Number(2, 64),
    "With {} bins the bias is nearly 0. For 400 samples it is two bins, for 1,600 it is four.",
    ("Read the column of 6,400 samples: where is the bias nearest to 0?", "It is between 4 and 16."),
)
def least_biased(cv: Any) -> float:
    """The number of bins whose bias is nearest to 0."""
    network = cv.Network("too extreme", a=1, b=1, transform="logistic", b0=-2.5, b1=5)
    counts = [2, 4, 8, 16, 32, 64]
    cube = cv.simulate_errors(network, "uniform", n=6400, bins=counts, p=1, replicates=300, progress=False)
    return abs(cube.bias.squeeze()).idxmin("bins").item()


@exercise(
    "03.5",
    "The logistic regression measures an ECE of 1.7 % on 569 tumours. What would a calibrated model with its scores "
    "show on average?",
    Share(0.005, most=0.1),
    "{}, which is more than was measured. Noise alone explains the 1.7 %, and nothing is shown.",
    ("It is the mean of consistency resampling.", "cv.consistency(p, error=cv.calibration_error) has it as its mean."),
)
def explained_by_noise(cv: Any) -> float:
    """The mean error of a calibrated model with these scores."""
    p = cv.load_dataset("tumours")["logistic regression"]
    return cv.consistency(p, error=cv.calibration_error, replicates=999, progress=False).mean


@exercise(
    "03.6",
    "How large is the true error of naive Bayes at least, by its 95 % interval?",
    Share(0.002),
    "{}. The interval does not reach 0, so an error is shown; it may be less than half of the measured 5.8 %.",
    ("Read the table: it is an end of the interval of the true error.", "cv.interval(p).lower"),
)
def at_least(cv: Any) -> float:
    """The lower end of the interval of the true error."""
    return cv.interval(cv.load_dataset("tumours")["naive Bayes"], progress=False).lower


@exercise(
    "03.7",
    "From which true error on would these 569 tumours show it for the logistic regression, four times out of five?",
    Share(0.003),
    "{}. That is nearly twice the measured 1.7 %: a smaller error could hide among so few tumours.",
    ("The last sentence of the paragraph has it.", "cv.trust(p).detectable"),
)
def could_hide(cv: Any) -> float:
    """The least error that is noticed four times out of five."""
    return cv.trust(cv.load_dataset("tumours")["logistic regression"], progress=False).detectable
