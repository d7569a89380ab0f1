"""Questions of the lesson on confidences of language models."""

from __future__ import annotations

from typing import Any

from ..exercises import exercise
from ..kinds import AmongTexts, Number, Share


@exercise(
    "10.1",
    "Asked in words how sure it is, the model names 92 % on average. How many of its answers are right?",
    Share(0.03),
    "{}. It is over-confident by 25 points, and still its words say something: of the answers with 100 % more are "
    "right than of those with 80 %.",
    ("The log has a column correct.",),
)
def right(cv: Any) -> float:
    """The share of right answers."""
    return cv.teaching.made_log()["correct"].mean()


@exercise(
    "10.2",
    "Only the surer half of the answers is used, the others go to a person. By which confidence should they be "
    "sorted, so that the fewest of the used ones are wrong?",
    AmongTexts(("verbalised_confidence", "self_consistency", "logprob_confidence")),
    "{}. To sort, a confidence need not be calibrated; it has to be higher for right answers than for wrong ones.",
    ("What counts is the order, not the number.", "cv.risk_at_coverage(p, coverage=0.5) measures one of the three."),
)
def sorts_best(cv: Any) -> str:
    """Return the confidence with the lowest risk at one half."""
    log = cv.teaching.made_log()
    models = cv.read_models(log, model=list(log.columns[2:5]), cluster="document")
    risks = {name: cv.risk_at_coverage(p, coverage=0.5) for name, p in models.items()}
    return min(risks, key=risks.__getitem__)


@exercise(
    "10.3",
    "How many of the answers can be left to the model, by the probability of its tokens, if one has to promise that at "
    "most 20 % of these are wrong?",
    Share(0.05),
    "{}, those from 71 % on. The samples at hand alone would allow 70 %, but a threshold that was chosen on them "
    "keeps its risk on new ones in about half of the cases only.",
    ("The widget has it in a sentence.", "cv.accept_at_risk(p, risk=0.2).coverage"),
)
def promised(cv: Any) -> float:
    """The share that can be left to the model with a promise."""
    log = cv.teaching.made_log()
    models = cv.read_models(log, model=list(log.columns[2:5]), cluster="document")
    return cv.accept_at_risk(models["logprob_confidence"], risk=0.2).coverage


@exercise(
    "10.4",
    "How many answers can be left to the model, with the same promise, by its self-consistency?",
    Share(0.01),
    "{}, those with eight or more of ten further answers that are the same. The confidence has eleven values, and the "
    "next lower one breaks the promise.",
    ("As in 10.3, of another model.", "cv.accept_at_risk(models['self_consistency'], risk=0.2).coverage"),
)
def by_consistency(cv: Any) -> float:
    """The share that can be left to the model by its self-consistency."""
    log = cv.teaching.made_log()
    models = cv.read_models(log, model=list(log.columns[2:5]), cluster="document")
    return cv.accept_at_risk(models["self_consistency"], risk=0.2).coverage


@exercise(
    "10.5",
    "The log has 1,200 answers about 150 documents. For the share of right answers, how many independent answers are "
    "they worth?",
    Number(0, 1200, within=60, step=10),
    "{}, less than half of them: where a document is hard, all of its questions are.",
    ("The variance of the mean is that of the 150 means of documents, divided by 150.",
     "Of n independent answers it would be s (1 - s) / n, with s the share of right ones. Solve for n."),
)  # fmt: skip  # one hint a line
def worth(cv: Any) -> float:
    """The number of independent answers with the same variance of the mean."""
    log = cv.teaching.made_log()
    share, means = log["correct"].mean(), log.groupby("document")["correct"].mean()
    return round(share * (1 - share) / (means.var() / len(means)))


@exercise(
    "10.6",
    "Isotonic regression is fitted to the words about one half of the documents. How large is the KS error of the "
    "other half then?",
    Share(0.005, most=0.4),
    "{}, where it was 25 % before. The order of the answers stays as it was, so for the best sorting the tokens are "
    "needed all the same.",
    ("p.split(0.5, rng=0) keeps each document in one half.",
     "cv.OneVsRest(cv.Isotonic()).fit(calibration).transform(rest) recalibrates the rest."),
)  # fmt: skip  # one hint a line
def recalibrated(cv: Any) -> float:
    """The error of words after isotonic regression."""
    log = cv.teaching.made_log()
    models = cv.read_models(log, model=list(log.columns[2:5]), cluster="document")
    calibration, rest = models["verbalised_confidence"].split(0.5, rng=0)
    return cv.ks_error(cv.OneVsRest(cv.Isotonic()).fit(calibration).transform(rest))
