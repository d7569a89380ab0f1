"""The page about several models on the same samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..answers.acting.likert import likert
from ..answers.exports.report_code import code_of_comparison
from ..answers.first_screen.reliability import reliability
from ..answers.first_screen.tested import USUAL
from ..answers.first_screen.verdict import verdict_of
from ..answers.first_screen.verdict_sentences import Verdict
from ..answers.models import acting, best_after, best_model, cumulative_of_models, models, of_models
from ..answers.report_situations import facts_of, opened
from ..answers.situation.content import completed
from ..answers.situation.situation import Situation
from ..data.predictions import Predictions
from ..figures import MOST_OVERLAYS
from ..figures.markup import Markup, tag
from ..foundation.progress import with_progress
from ..foundation.written import chosen_percent
from .writing.data import data_section
from .writing.page import header, listed_facts, page
from .writing.parts import given, made, notes, section


def page_of(
    several: Mapping[str, Predictions],
    calibration: Mapping[str, Predictions] | None,
    threshold: float | None,
    choices: Mapping[str, Any],
    progress: bool,
) -> tuple[str, dict[str, Verdict]]:
    """The page as one HTML document, and the verdict of each model."""
    title = ", ".join(several)
    first, *others = several
    drawn = {"overlays": tuple(f"model: {name}" for name in others[:MOST_OVERLAYS])}
    more = drawn if threshold is None else {**drawn, "threshold": threshold}
    situation = opened(several, several, **{**choices, **more})
    parts = opened(several, calibration, **choices)
    situations = of_models(situation)
    sections: dict[str, tuple[str, Callable[[], Markup]]] = {
        "numbers": ("Side by side", lambda: given(situation, models)),
        "pictures": ("In pictures", lambda: _pictures(situation, others[MOST_OVERLAYS:])),
        "models": ("Which model?", lambda: given(situation, best_model)),
        "recalibration": ("After recalibration", lambda: given(parts, best_after)),
    }
    if threshold is not None:
        sections["acting"] = (f"Acting from {chosen_percent(threshold)} on", lambda: given(situation, acting))
    if situation.spec.likert:
        sections["likert"] = ("Categories", lambda: _categories(situations))
    verdicts = {
        name: completed(each, lambda seen: verdict_of(seen, USUAL, True, threshold is not None))
        for name, each in with_progress(list(situations.items()), "compare", len(situations), progress)
    }
    said = [
        tag("div", tag("dt", name), *(tag("dd", line) for line in verdict.lines)) for name, verdict in verdicts.items()
    ]
    written = [
        section(heading, write(), identity=name)
        for name, (heading, write) in with_progress(list(sections.items()), "compare", len(sections), progress)
    ]
    html = page(
        f"Calibration of {title}",
        header(
            "Calibration of several models",
            title,
            listed_facts(facts_of(situation)),
            tag("dl", *said, class_="readings"),
        ),
        *written,
        data_section(several[first], of_several=True),
        made(code_of_comparison(situation, parts, threshold)),
    )
    return html, verdicts


def _pictures(situation: Situation, left_out: list[str]) -> Markup:
    said = f"The reliability diagram leaves out {', '.join(left_out)}" if left_out else ""
    shown = tag(
        "div", given(situation, reliability, "reliability"), given(situation, cumulative_of_models, "cumulative")
    )
    return tag("div", shown, notes([said]))


def _categories(situations: Mapping[str, Situation]) -> Markup:
    tables = [
        tag("div", tag("h3", name), given(each, likert, f"likert-{i}"))
        for i, (name, each) in enumerate(situations.items())
    ]
    return tag("div", *tables)
