"""The label and tooltip of every control: what its term means, and the paper that the term comes from."""

from __future__ import annotations

KIRCHENBAUER, GUPTA, ROELOFS = "Kirchenbauer et al. 2022", "Gupta et al. 2021", "Roelofs et al. 2022"

#: Label and tooltip of each control.
TERMS: dict[str, tuple[str, str]] = {
    "preset": ("start with", "A question to begin with: it sets the controls and says what to look for"),
    "model": ("model", "Which model's predictions"),
    "kind": (
        "lens",
        "What is looked at: the largest probability (top-1), the k largest, the r-th largest (rank), their sum "
        f"(within-top), one class, groups of classes, all at once ({KIRCHENBAUER}, 4.2; {GUPTA}, 3)",
    ),
    "number": ("k or r", "How many of the likeliest classes, or which rank"),
    "class_": ("class", "The class that is looked at"),
    "groups": (
        "groups",
        "A partition of the classes, whose probabilities are summed: even: 0, 2; odd: rest. Enter applies it "
        f"({KIRCHENBAUER}, 4.2)",
    ),
    "outcome": ("outcome", "Which outcome of a lens of several the pictures show"),
    "labels": (
        "labels",
        f"Selection by label: keep samples of these classes; none chosen keeps all ({KIRCHENBAUER}, 4.1)",
    ),
    "confidence": ("confidence", "Keep samples whose largest probability lies in this range"),
    "output": ("output", f"Keep samples whose score under the lens lies in this range ({KIRCHENBAUER}, 4.1)"),
    "selection": ("selection", "Which samples are kept, as text; Enter applies it"),
    "examples": ("add", "Conditions that fit these data, to add to the selection"),
    "binning": (
        "binning",
        "How scores are put into bins: uniform width, equal mass, the monotone sweep, which chooses their number "
        f"({ROELOFS}, algorithm 1), or the leaves of a k-d tree ({KIRCHENBAUER}, B.1)",
    ),
    "bins": ("bins", "Number of bins: few hide errors, many add noise to the estimate (Guo et al. 2017)"),
    "gamma": (
        "gamma",
        f"A cell of the k-d tree with fewer than this share of the samples is split no more ({KIRCHENBAUER}, B.1)",
    ),
    "distance": (
        "distance",
        "Between mean score and mean target of a bin: total variation is half the sum of the absolute differences, "
        f"L1 the sum, L2 the root of the summed squares ({KIRCHENBAUER}, 4.3)",
    ),
    "norm": (
        "norm",
        "How the distances of the bins make one error: their mean (ECE), root mean square (RMSCE) or maximum (MCE) "
        "(Naeini et al. 2015; Nixon et al. 2019)",
    ),
    "likert": (
        "Likert",
        "Categories that people read: cut points (0, 0.33, 0.66, 1) or names with gaps (unlikely: 0-0.2; likely: "
        f"0.8-1). Enter applies them ({KIRCHENBAUER}, 4.3)",
    ),
    "calibrator": (
        "calibrator",
        "What recalibrates: a spline of the cumulative curve (Gupta et al. 2021), temperature and other linear maps of "
        "logits (Guo et al. 2017; Kull et al. 2019), isotonic, Platt, beta, histogram binning",
    ),
    "knots": ("knots", f"Knots of the recalibrating spline: more follow the data more closely ({GUPTA}, 4)"),
    "share": ("calibration", "Part of the samples that calibrators are fitted to; the rest is judged"),
    "interval": (
        "bars",
        "Of each bin: the 95 % interval of its mean target (Clopper-Pearson, or bootstrap), or where a calibrated "
        "model's bins would lie (consistency; Broecker & Smith 2007)",
    ),
    "curves": (
        "curves",
        "Without bins: kernel-smoothed (Blasiok & Nakkiran 2023), isotonic (CORP; Dimitriadis et al. 2021)",
    ),
    "overlays": ("draw over", "Other models, or calibrators, in the same diagram; 4 at most"),
    "cumulative": ("view", f"Cumulative or not, against the fractile or the score ({GUPTA}, figure 1)"),
    "rows": ("rows", "Compare calibrators under several lenses, or by several metrics"),
    "calibrators": ("calibrators", "Which calibrators are compared"),
    "metrics": ("metrics", "Which errors are compared; proper scores (Brier, log loss) reward sharpness too"),
    "threshold": ("act from", "Somebody acts where the score reaches this threshold t (Vickers and Elkin 2006)"),
    "cost_ratio": (
        "cost ratio",
        "The harm of acting in vain by the benefit of acting rightly: t / (1 − t). It says the same as the threshold",
    ),
    "prevalence": (
        "prevalence",
        "The share of the positive class where somebody acts; the samples are weighted to have it, the scores stay as "
        "they are. At the share of the samples it follows them",
    ),
    "bin": ("bin (0: all)", "The bin whose samples are listed, 0 for all; a click in the reliability diagram sets it"),
    "depth": ("groups by", "Whether the values of one field, or of two at once, make a group"),
    "minimum": ("at least", "Smaller groups are not looked at: so few samples can say nothing"),
    "by": ("list", f"The error of every class, group of classes or level of a hierarchy ({KIRCHENBAUER}, figure 12)"),
}

#: What the Explorer's panels show, for the buttons that open them.
PANELS: dict[str, str] = {
    "reliability": "What is true against what the model says, bin by bin",
    "cumulative": f"Cumulative score and truth: errors without bins ({GUPTA}, figure 1)",
    "recalibration": "The curve that repairs the scores, and what it does to held-out samples",
    "sensitivity": f"How much the error depends on the number of bins ({KIRCHENBAUER}, figures 7 and 8)",
    "comparison": "Errors by lens or metric and calibrator",
    "likert": f"Errors that matter to readers of categories ({KIRCHENBAUER}, figures 5, 6 and 13)",
    "confidence": f"Where the probability goes, rank by rank ({KIRCHENBAUER}, figures 2 and 4)",
    "instances": "The samples of a bin, the most miscalibrated first",
    "classes": "The error of every class (Nixon et al. 2019, figure 1, left)",
    "decision": "What acting at a threshold is worth, who changes sides, and what is found near it",
    "segments": "Where it is worst: the groups of samples that are the furthest off, and whether chance explains it",
    "temperature": "Errors against the temperature: their minima differ (Nixon et al. 2019, figure 1, right)",
}
