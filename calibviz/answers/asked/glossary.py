"""The terms of the field in plain words, and the papers that they come from."""

from __future__ import annotations

KIRCHENBAUER, GUPTA = "Kirchenbauer et al. 2022", "Gupta et al. 2020"
ROELOFS, NIXON = "Roelofs et al. 2022", "Nixon et al. 2019"

#: In plain words, the term here, and what papers call it; names in Python stand in backticks.
GLOSSARY: tuple[tuple[str, str, str], ...] = (
    ("predicted: the probability that the model gives", "score, `score`", "confidence, output (*gece*), score (*ks*)"),
    ("observed: 1 where the event was there, else 0", "target, `target`", "label, accuracy of a bin"),
    ("predicted and observed agree, for every score", "calibrated", "reliable (*gece*)"),
    ("which event is looked at", "lens, `lens=`", "a choice of f and Y (*gece* 4.2), class-wise, top-r (*ks* 2)"),
    ("which samples are kept", "selection, `selection=`", "conditional on (*gece* 4.1)"),
    ("the likeliest class, right or wrong", "top-1 lens", "top-label, confidence calibration"),
    ("one class against the others", "class lens", "class-conditional (*gece*), one-vs-rest"),
    ("all probabilities at once", "full lens, a vector lens", "joint, canonical, multi-class calibration"),
    ("one of several events of a lens", "outcome", "output dimension"),
    (
        "categories that people read",
        "Likert categories, `likert_error`",
        "Likert scale, inter-interval distance (*gece* 4.3)",
    ),
    (
        "how far predicted and observed are apart, on average",
        "ECE, `calibration_error`",
        "expected calibration error, GECE (*gece*)",
    ),
    ("the worst bin", 'MCE, `aggregate="max"`', "maximum calibration error"),
    ("samples with like scores, taken together", "bins, `binning=`", "bins of equal width or equal mass"),
    ("bins that follow rows of probabilities", "k-d tree, `KDTree(gamma)`", "k-d tree binning, γ (*gece* B.1)"),
    ("as many bins as keep the curve rising", "sweep, `Sweep`", "monotonic sweep (*ece_sweep*)"),
    (
        "the largest gap between the sums of scores and of targets, from the lowest score on",
        "KS error, `ks_error`",
        "KS (*ks*)",
    ),
    (
        "the mean squared distance of predicted and observed, sample by sample: lower is better",
        "Brier score, `brier_score`",
        "Brier score",
    ),
    (
        "how much better than to predict the prevalence of each sample",
        "Brier skill, `brier_skill`",
        "Brier skill score, scaled Brier score",
    ),
    ("minus the logarithm of the probability of what was observed", "log loss, `log_loss`", "negative log-likelihood"),
    ("lowest on average for the true probability, so that no other claim pays", "proper score", "proper scoring rule"),
    (
        "how often a sample with the event scores higher than one without it",
        "AUC, `auc`",
        "c-statistic, concordance",
    ),
    ("numbers that softmax turns into probabilities", "logits, `logits=`", "logits"),
    ("no more than calibrated predictions show by noise alone", "within noise", "not significant"),
    ("a map that corrects scores", "calibrator, recalibration", "recalibration, post-hoc calibration"),
    ("one number that divides all logits", "temperature", "T"),
    ("a calibrator of two numbers, a slope and an intercept", "Platt scaling, `Platt`", "logistic recalibration"),
    ("a calibrator of steps that only rise", "isotonic regression, `Isotonic`", "isotonic regression (PAV)"),
    ("a calibrator that is a smooth curve of a few pieces", "spline, `Spline`", "natural cubic spline (*ks*)"),
    ("samples that belong together, as those of one patient", "cluster, `cluster=`", "–"),
    (
        "predicted against observed, in bins or as a curve",
        "reliability diagram",
        "reliability diagram, calibration curve",
    ),
    ("the error that a calibrated model would still show", "noise floor, `noise`", "consistency, null distribution"),
    ("where the true error lies", "interval, `interval`", "confidence interval"),
    ("how far a number moves when samples are drawn again", "bootstrap, `bootstrap`", "resampling"),
    (
        "draw labels from the scores",
        "consistency resampling, `consistency`",
        "consistency bars (Bröcker and Smith 2007)",
    ),
    ("too much or too little on average", "bias", "bias (*ece_sweep*)"),
    ("the error of a simulated network, known exactly", "`true_calibration_error`", "TCE (*ece_sweep*)"),
    ("how often the event is observed", "prevalence, base rate", "class prior"),
    ("what acting from a threshold on is worth", "net benefit, `net_benefit`", "net benefit (Vickers and Elkin 2006)"),
    ("deciding only where one is sure", "selective prediction", "risk and coverage (Geifman et al. 2019)"),
    ("observed cases divided by expected cases", "O:E, `observed_expected`", "observed-expected ratio"),
    ("are scores too extreme?", "calibration slope", "slope of the logistic recalibration (Cox 1958)"),
    ("a part of the samples with something in common", "segment, `segments`", "subgroup, group (multicalibration)"),
    ("sums kept in place of samples", "summary, `Summary`", "–"),
    ("an error that changes with time", "drift, `drift`, `over_time`", "–"),
)
