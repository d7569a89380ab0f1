"""The papers that words come from, and what the panels show."""

from __future__ import annotations

KIRCHENBAUER, GUPTA, ROELOFS = "Kirchenbauer et al. 2022", "Gupta et al. 2021", "Roelofs et al. 2022"

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
