"""Over time: the windows of the panel are those of the engine, and what cannot be told is a sentence."""

from __future__ import annotations

import contextlib
import io

import numpy as np
import pytest
from decision_log import decision_log
from driver import screen

import calibviz as cv
from calibviz.answers.asked.presets import PRESETS
from calibviz.answers.views.time import time
from calibviz.explorer.view.sentence import as_html
from calibviz.figures.time_words import evidence_over_time, sentence_over_time

LENS = "class right"


def error_of(explorer):
    explorer.finish()
    assert screen(explorer).complaint == ""
    return next(series.y for series in screen(explorer).record("time", "drift").series if series.name == "error")


def test_windows_are_those_of_the_engine():
    explorer, judged = cv.Explorer(decision_log(1800), panels=("time",)), decision_log(1800)
    table = cv.over_time(judged, lens=LENS, progress=False)
    np.testing.assert_allclose(error_of(explorer), table.error.values)
    (chance,) = (s for s in screen(explorer).record("time", "drift").series if "in all windows" in s.name)
    assert chance.y.max() == pytest.approx(table.noise.values.max())
    said = time(explorer.situation).answer
    assert said == f"{sentence_over_time(table.assign_attrs(statistic='KS error'))} {evidence_over_time(table)}"
    assert "1 shows a larger KS error than noise shows in a calibrated model: 2026-02-02. As one stream: " in said
    assert "A window is named by its beginning." in screen(explorer).note("time")
    explorer.state.selection = "confidence > 0.6"
    few = cv.over_time(judged, lens=LENS, selection="confidence > 0.6", progress=False)
    np.testing.assert_allclose(error_of(explorer), few.error.values)
    explorer.close()


@pytest.mark.parametrize(
    ("predictions", "choices", "said"),
    [
        (
            cv.load_dataset("tumours")["naive Bayes"],
            {},
            "No field of these samples holds dates; write them as 2024-05-31 or",
        ),
        (
            cv.Predictions(decision_log().probs, decision_log().labels, fields=decision_log().fields),
            {"lens": "pooled"},
            "All classes of a sample at once are no one score: choose a class, or the like",
        ),
        (
            decision_log(),
            {"selection": "correct == 1"},
            "There is no noise floor over time: the selection looks at what is",
        ),
        (
            decision_log(120),
            {},
            "The field 'time' does not split these samples into 3 to 30 windows of 100 samples on average; keep more",
        ),
    ],
)
def test_what_cannot_be_told_is_a_sentence(predictions, choices, said):
    explorer = cv.Explorer(predictions, panels=("time",), **choices)
    explorer.finish()
    assert screen(explorer).records("time") == () and screen(explorer).note("time").startswith(said)
    assert "over_time" not in explorer.code()
    explorer.close()


def test_a_summary_has_no_dates():
    explorer = cv.Explorer(cv.summarize(decision_log(), LENS), panels=("time",))
    explorer.finish()
    assert screen(explorer).note("time") == "A summary knows the sums of its samples, not their fields."
    explorer.close()


def test_a_log_of_decisions_has_a_question_to_begin_with():
    explorer = cv.Explorer(decision_log())
    screen(explorer).set("start with", "A log of decisions")
    assert explorer.state.panels == ("reliability", "time", "decision", "segments") and explorer.state.lens == "top-1"
    shown = error_of(explorer)
    assert PRESETS["A log of decisions"].choices(cv.load_dataset("digits")["random forest"])["lens"] == "top-1"
    names = {"predictions": decision_log()}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(explorer.code(), names)
    np.testing.assert_allclose(names["windows"].error.values, shown)
    explorer.close()


def test_no_line_ends_within_a_date_or_before_a_per_cent_sign():
    said = as_html("<b> from 2026-01-05 to 2026-02, of 2026-1: 5 %")
    dates = [f'<time style="white-space: nowrap">{date}</time>' for date in ("2026-01-05", "2026-02")]
    assert said == f"&lt;b&gt; from {dates[0]} to {dates[1]}, of 2026-1: 5\u00a0%"
