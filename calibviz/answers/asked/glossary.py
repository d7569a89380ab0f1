"""What every control is called: a plain word, its term in the field, what it means, and the paper it comes from."""

from __future__ import annotations

from dataclasses import dataclass

KIRCHENBAUER, GUPTA, ROELOFS = "Kirchenbauer et al. 2022", "Gupta et al. 2021", "Roelofs et al. 2022"


@dataclass(frozen=True)
class Term:
    """What a control is called: a plain word, the term of the field where that is another one, and what it means."""

    word: str
    term: str
    meaning: str

    def small(self, without_effect: str = "") -> str:
        """What stands in small below the word: the term, and when the control would have an effect."""
        return " · ".join(filter(None, (self.term, without_effect)))

    def label(self, without_effect: str = "") -> str:
        """The label of the control, as HTML."""
        small = self.small(without_effect)
        return f'{self.word} <span class="calibviz-term">{small}</span>' if small else self.word

    def holds(self, text: str) -> bool:
        """Whether its words or its meaning hold a text, whatever the case."""
        return text.casefold() in f"{self.word} {self.term} {self.meaning}".casefold()


OF_JOINT_ERROR = "It changes the joint error alone, not the scores or their pictures."

#: Every control.
TERMS: dict[str, Term] = {
    "preset": Term("start with", "", "A question to begin with: it sets the controls and says what to look for"),
    "model": Term("model", "", "Which model's predictions"),
    "kind": Term(
        "what is told",
        "lens",
        "What is looked at: the largest probability (top-1), the k largest, the r-th largest (rank), their sum "
        f"(within-top), one class, groups of classes, all at once ({KIRCHENBAUER}, 4.2; {GUPTA}, 3)",
    ),
    "number": Term("how many", "k or r", "How many of the likeliest classes, or which rank"),
    "class_": Term("which class", "class", "The class that is looked at"),
    "groups": Term(
        "which groups",
        "groups",
        "A partition of the classes, whose probabilities are summed: even: 0, 2; odd: rest. Enter applies it "
        f"({KIRCHENBAUER}, 4.2)",
    ),
    "outcome": Term("which of them", "outcome", "Which outcome of a lens of several the pictures show"),
    "labels": Term(
        "true class",
        "labels",
        f"Selection by label: keep samples of these classes; none chosen keeps all ({KIRCHENBAUER}, 4.1)",
    ),
    "confidence": Term(
        "largest probability", "confidence", "Keep samples whose largest probability lies in this range"
    ),
    "output": Term(
        "told", "output", f"Keep samples whose score under the lens lies in this range ({KIRCHENBAUER}, 4.1)"
    ),
    "selection": Term("in words", "selection", "Which samples are kept, as text; Enter applies it"),
    "examples": Term("a field", "add", "Conditions that fit these data, to add to the selection"),
    "binning": Term(
        "cut into bins",
        "binning",
        "How scores are put into bins: uniform width, equal mass, the monotone sweep, which chooses their number "
        f"({ROELOFS}, algorithm 1), or the leaves of a k-d tree ({KIRCHENBAUER}, B.1)",
    ),
    "bins": Term(
        "how many bins", "bins", "Number of bins: few hide errors, many add noise to the estimate (Guo et al. 2017)"
    ),
    "gamma": Term(
        "smallest cell",
        "gamma",
        f"A cell of the k-d tree with fewer than this share of the samples is split no more ({KIRCHENBAUER}, B.1)",
    ),
    "gamma_number": Term("smallest cell, typed", "γ", "Any from 1/4096 to 1/2, such as 0.1 or 1/20. Enter applies it"),
    "distance": Term(
        "distance in a bin",
        "distance",
        "Between mean score and mean target of a bin: total variation is half the sum of the absolute differences, "
        "L1 the sum, L2 the root of the summed squares. Class-weighted L2 and Mahalanobis weigh the outcomes of whole "
        f"rows; of one score a sample all of them are the absolute difference ({KIRCHENBAUER}, 4.3 and A.2)",
    ),
    "weights": Term(
        "how much each counts",
        "weights",
        f"Of the class-weighted distance: at least 0 for each class, group or rank. {OF_JOINT_ERROR} "
        f"({KIRCHENBAUER}, equation 9)",
    ),
    "weights_text": Term(
        "how much each counts",
        "weights",
        f"Of the class-weighted distance: cat: 2; dog: 0.5. All others count 1. {OF_JOINT_ERROR} Enter applies it "
        f"({KIRCHENBAUER}, equation 9)",
    ),
    "matrix": Term(
        "how much pairs count",
        "matrix",
        f"Of the Mahalanobis distance. {OF_JOINT_ERROR} The identity makes it L2; the inverse covariance "
        f"counts a difference by how much what is told varies in its direction ({KIRCHENBAUER}, A.2)",
    ),
    "matrix_numbers": Term(
        "numbers of the pairs",
        "matrix M",
        "The matrix of the Mahalanobis distance, a row and a column for each outcome; it has to be positive "
        "semi-definite. A number stands on both sides of the diagonal",
    ),
    "norm": Term(
        "one error from all bins",
        "norm",
        "How the distances of the bins make one error: their mean (ECE), root mean square (RMSCE) or maximum (MCE) "
        "(Naeini et al. 2015; Nixon et al. 2019)",
    ),
    "likert": Term(
        "words",
        "Likert",
        "Categories that people read: cut points (0, 0.33, 0.66, 1) or names with gaps (unlikely: 0-0.2; likely: "
        f"0.8-1). Enter applies them ({KIRCHENBAUER}, 4.3)",
    ),
    "calibrator": Term(
        "repair",
        "calibrator",
        "What recalibrates: a spline of the cumulative curve (Gupta et al. 2021), temperature and other linear maps of "
        "logits (Guo et al. 2017; Kull et al. 2019), isotonic, Platt, beta, histogram binning",
    ),
    "knots": Term(
        "flexibility", "knots", f"Knots of the recalibrating spline: more follow the data more closely ({GUPTA}, 4)"
    ),
    "spline": Term(
        "shape",
        "spline",
        "Monotone: the map never falls. Bounded: it stays within 0 and 1 while it is fitted, not only by clipping. "
        f"Cumulative: fitted to the cumulative curve itself, not to its difference ({GUPTA}, 4)",
    ),
    "temperature": Term(
        "temperature",
        "T",
        "By which the calibrator “temperature” divides the logits; empty fits it. A click on a curve sets it, Enter "
        "applies it",
    ),
    "share": Term("fitted to", "calibration", "Part of the samples that calibrators are fitted to; the rest is judged"),
    "interval": Term(
        "lines on dots",
        "bars",
        "Of each bin: the 95 % interval of its mean target (Clopper-Pearson, or bootstrap), or where a calibrated "
        "model's bins would lie (consistency; Broecker & Smith 2007)",
    ),
    "curves": Term(
        "curves",
        "",
        "Without bins: flexible, a smooth logistic curve with its 95 % band (Van Calster et al. 2016); kernel-smoothed "
        "(Blasiok & Nakkiran 2023); isotonic (CORP; Dimitriadis et al. 2021)",
    ),
    "scale": Term(
        "told axis",
        "log-odds",
        "Even, or stretched towards 0 and 1 (log-odds), for models that tell almost only 0 and 1",
    ),
    "overlays": Term("draw over", "", "Other models, or calibrators, in the same diagram; 4 at most"),
    "cumulative": Term("view", "", f"Cumulative or not, against the fractile or the score ({GUPTA}, figure 1)"),
    "samples": Term(
        "samples", "", "Those that are judged, or those that calibrators are fitted to, on which they look better"
    ),
    "rows": Term(
        "rows",
        "",
        "Compare calibrators under several lenses and selections, by several metrics, or by the 32 errors that differ "
        "in five switches (Nixon et al. 2019)",
    ),
    "switches": Term(
        "switches",
        "GCE",
        "Which errors of the GCE family are rows, by pairs: of probabilities, classes, scores, bins and norms. "
        "Choose one of a pair to see it alone; one of each pair makes one error, such as the ACE (Nixon et al. 2019)",
    ),
    "comparison": Term("as", "", "A table with intervals, or grouped bars"),
    "compared": Term(
        "rows of my own", "compared", "Models, lenses and selections that are compared beside the usual ones"
    ),
    "calibrators": Term("repairs", "calibrators", "Which calibrators are compared"),
    "metrics": Term(
        "errors", "metrics", "Which errors are compared; proper scores (Brier, log loss) reward sharpness too"
    ),
    "threshold": Term(
        "act from", "", "Somebody acts where the score reaches this threshold t (Vickers and Elkin 2006)"
    ),
    "cost_ratio": Term(
        "cost ratio",
        "",
        "The harm of acting in vain by the benefit of acting rightly, t / (1 − t): 1/19 says that one missed weighs as "
        "much as 19 acted on in vain. It says the same as the threshold",
    ),
    "prevalence": Term(
        "prevalence",
        "",
        "The share of the positive class where somebody acts; the samples are weighted to have it, the scores stay as "
        "they are. At the share of the samples it follows them",
    ),
    "bin": Term(
        "bin (0: all)", "", "The bin whose samples are listed, 0 for all; a click in the reliability diagram sets it"
    ),
    "order": Term("sorted by", "", "The column by which the samples are sorted; a click on its heading sets it"),
    "sample": Term("sample", "", "The sample whose row is open; a click on it opens and closes it"),
    "depth": Term("groups by", "", "Whether the values of one field, or of two at once, make a group"),
    "minimum": Term("at least", "", "Smaller groups are not looked at: so few samples can say nothing"),
    "zoom": Term("ranks", "", "Which ranks the picture and the table show; the largest error has rank 1"),
    "by": Term(
        "list", "", f"The error of every class, group of classes or level of a hierarchy ({KIRCHENBAUER}, figure 12)"
    ),
}


def word_of(choice: str) -> str:
    """What a choice is called on screen."""
    return TERMS[{"lens": "kind"}.get(choice, choice)].word.partition(" (")[0]


#: What the Explorer's panels show, for the buttons that open them.
PANELS: dict[str, str] = {
    "reliability": "What is found against what the model tells, bin by bin (reliability diagram)",
    "cumulative": f"Cumulative score and truth: errors without bins ({GUPTA}, figure 1)",
    "recalibration": "The curve that repairs the scores, and what it does to held-out samples",
    "sensitivity": "How much the error depends on the numbers of bins and of samples (sensitivity; "
    f"{KIRCHENBAUER}, figures 7 to 9)",
    "comparison": "Errors by lens or metric and calibrator",
    "likert": f"Errors that matter to readers of words (Likert categories; {KIRCHENBAUER}, figures 5, 6 and 13)",
    "confidence": f"Where the probability goes, rank by rank (confidence; {KIRCHENBAUER}, figures 2 and 4)",
    "instances": "The samples of a bin (instances), the most miscalibrated first",
    "classes": "The error of every class (Nixon et al. 2019, figure 1, left)",
    "decision": "What acting at a threshold is worth, who changes sides, and what is found near it",
    "segments": "Where it is worst: the groups of samples that are the furthest off, and whether chance explains it",
    "time": "How the error changes over time, in windows of a field of dates, and whether chance explains it",
    "temperature": "Errors against the temperature: their minima differ (Nixon et al. 2019, figure 1, right)",
}
