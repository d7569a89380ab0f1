"""The clinical section of a report."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...decisions.thresholds import ALL, MODEL, NONE
from ...figures.markup import Markup, joined, tag
from ..measuring.clinical import ESTIMATES, INDICES, WIDTH, Clinical
from ..measuring.findings import Findings
from ..measuring.segments import Segments
from .benefit_marks import BENEFIT_NOTE, PAIRED_NOTE, PLAIN, more_benefit
from .parts import AS_SHARE, DASH, datum, faint, missing, notes, paragraph, pictures, section, sentence, span, table

STRATEGIES = {MODEL: "by the model", ALL: "on everybody", NONE: "on nobody"}
CURVE_NOTE = (
    "The curve is a logistic regression on a restricted cubic spline of the log-odds (Harrell 2015); packages that "
    "take a loess give other numbers. Noise makes ICI, E50 and E90 too large: calibrated predictions with the same "
    "scores reach the last column in 95 of 100 cases; what is no more than that is grey."
)
NO_THRESHOLD = (
    "No threshold was named. If you act from a probability on, such as 20 %, see here what that is worth: --threshold "
    "0.2, or threshold=0.2 in Python; or name costs."
)
SOURCE = (
    "In our words, what the TRIPOD+AI statement asks that touches calibration (Collins et al. 2024, BMJ 385:e078378). "
    "The statement asks for much more: take its own list for a paper."
)


def clinical_section(findings: Findings) -> Markup | None:
    """The clinical part of the page; None if it was not asked for."""
    clinical = findings.clinical
    if clinical is None:
        return None
    if isinstance(clinical, str):
        return section("For the clinic", missing(clinical), identity="clinical")
    events = clinical.problem.mean_target
    lead = (
        f"Looked at is {clinical.asked.lens.name}: of {len(clinical.problem):,} samples, {100 * events:.1f} % came "
        f"true, and the scores say {100 * clinical.problem.mean_score:.1f} % on average."
    )
    return section(
        "For the clinic",
        paragraph(lead, class_="lead"),
        _measures(clinical),
        pictures(clinical.curve, "clinical"),
        tag("h3", "What acting on it is worth"),
        *_decision(clinical),
        *_costs(clinical),
        tag("h3", "What a reporting guideline asks of calibration"),
        table(["asked", "on this page"], _checklist(clinical, findings), "Reporting guideline", identity="checklist"),
        notes([SOURCE]),
        identity="clinical",
    )


def _measures(clinical: Clinical) -> Markup:
    """The table of estimates with their intervals, and of indices with their noise floors."""
    rows = []
    for key, (_, name, why) in ESTIMATES.items():
        estimate = clinical.estimates[key]
        ends = [datum(PLAIN, getattr(estimate, end), f"{key} {end}") for end in ("lower", "upper")]
        whole = span(*ends) if np.isfinite([estimate.lower, estimate.upper]).all() else DASH
        said = tag("small", "; ".join(filter(None, [why, getattr(estimate, "without", "")])))
        rows.append([joined([name, said]), datum(PLAIN, estimate.estimate, f"{key} value"), whole, DASH])
    for key, (name, why) in INDICES.items():
        floor, value = clinical.floors.get(key), clinical.indices[key]
        shown = datum(AS_SHARE, value, f"{key} value")
        is_noise = floor is not None and value <= floor.reaches
        reached = DASH
        if floor is not None:
            p = tag("small", "within noise, " if is_noise else "", f"p = {floor.p_value:.2g}")
            reached = joined([datum(AS_SHARE, floor.reaches, f"{key} noise"), p])
        shown = faint(shown, is_noise)
        rows.append([joined([name, tag("small", why)]), shown, DASH, reached])
    about = [CURVE_NOTE, *([f"No noise floor: {clinical.no_floor}"] if clinical.no_floor else [])]
    columns = ["", "value", "95 % interval", "calibrated predictions reach"]
    return joined([table(columns, rows, "Clinical calibration", identity="clinical-numbers"), notes(about)])


def _decision(clinical: Clinical) -> list[Markup]:
    """The net benefit at the threshold, if there is one, and the decision curve."""
    at = clinical.asked.threshold
    curve = pictures((clinical.benefit,), "benefit")
    if at is None:
        return [missing(NO_THRESHOLD), curve, notes([BENEFIT_NOTE.format(clinical.replicates)])]
    here, near, benefits = clinical.decision.sel(threshold=at), clinical.local, clinical.benefits
    assert near is not None and benefits is not None
    rows = []
    for strategy, name in STRATEGIES.items():
        row = here.sel(strategy=strategy)
        cells = [datum(PLAIN, float(row[key]), f"{key} {strategy}") for key in ("net_benefit", "lower", "upper")]
        shares = ("treated", "true_positive", "false_positive")
        acted = [datum(AS_SHARE, float(row[key]), f"{key} {strategy}") for key in shares]
        apart = DASH if strategy == ALL else more_benefit(benefits, strategy, ALL)
        rows.append([name, cells[0], span(*cells[1:]), apart, *acted])
    columns = ["act", "net benefit", "95 % interval", "more than on everybody", "acted on", "rightly", "in vain"]
    how = "was named" if clinical.asked.given else "follows from the costs (Elkan 2001)"
    said = f"The threshold of {100 * at:.3g} % {how}: a false alarm costs {at / (1 - at):.3g} of what a hit is worth."
    if near["count"].item() > 0:
        score, target, lower, upper = (
            datum(AS_SHARE, near[key].item(), f"near {key}") for key in ("score", "target", "lower", "upper")
        )
        close = paragraph(
            f"The {near['count'].item():,.0f} samples within {100 * WIDTH:g} percentage points of it were told ", score,
            " on average, and ", target, " was found (95 % interval ", lower, " to ", upper, ").",
        )  # fmt: skip  # short entries stand in rows
    else:
        close = paragraph(f"No sample lies within {100 * WIDTH:g} percentage points of it.")
    return [
        paragraph(said),
        close,
        table(columns, rows, "Net benefit", identity="net-benefit"),
        curve,
        notes([BENEFIT_NOTE.format(clinical.replicates), benefits.few or PAIRED_NOTE]),
    ]


def _costs(clinical: Clinical) -> list[Markup]:
    """The mean cost of acting at the given costs; nothing without costs."""
    if clinical.costs is None:
        return []
    promised = {"expected": "what the scores promise", "realized": "in truth", "perfect": "if the truth were known"}
    rows = [[name, datum(PLAIN, clinical.costs[key].item(), f"cost {key}"), DASH] for key, name in promised.items()]
    for action in clinical.costs.action.values:
        row = clinical.costs.sel(action=action)
        share = datum(AS_SHARE, row.share.item(), f"share {action}")
        rows.append([f"action {action} alone", datum(PLAIN, row.constant.item(), f"cost {action}"), share])
    said = (
        "Each sample gets the action that its scores say is the cheapest. Actions are the rows of the costs, from 0 on."
    )
    columns = ["", "mean cost", "how often taken"]
    return [tag("h3", "At the costs that were named"), table(columns, rows, "Costs", identity="costs"), notes([said])]


def _checklist(clinical: Clinical, findings: Findings) -> Sequence[Sequence[str]]:
    """What the guideline asks, and which facts of this page answer it."""
    n, events = len(clinical.problem), clinical.problem.mean_target
    at, where = clinical.asked.threshold, findings.segments
    fields = findings.judged.predictions.fields
    if isinstance(where, Segments):
        groups = f"{where.table.sizes['segment']} segments of {', '.join(fields)}, under “Where is it wrong?”"
    else:
        groups = sentence(where) if isinstance(where, str) else "Not known: these predictions have no fields."
    updated = "“After recalibration”: a spline, judged on samples that it was not fitted to."
    chosen = "No threshold was named." if at is None else f"{100 * at:.3g} %: why, this page cannot know."
    return [
        ["how many samples, and how many of them with the outcome", f"{n:,} samples, {100 * events:.1f} % of them."],
        [
            "measures and pictures of calibration, and why these",
            "O:E, intercept, slope, ICI, E50, E90, the curve with its band. Why these is yours to say.",
        ],
        [
            "every estimate with its uncertainty",
            "95 % intervals; beside indices that noise makes larger, what calibrated predictions reach.",
        ],
        ["how it does in groups of people that matter", groups],
        ["what using it is worth, and how thresholds were chosen", f"Net benefit above. {chosen}"],
        [
            "updates of the model, such as recalibration, and how it does then",
            "Not known: no repair could be judged." if isinstance(findings.recalibration, str) else updated,
        ],
        ["what was done about unequal classes, and recalibration after that", "Not to be seen in predictions."],
        ["how the samples differ from those of the development", "Not to be seen in predictions."],
    ]
