"""One quantity has one unit wherever the Explorer shows it: pictures, tables and sentences agree on their numbers."""

from __future__ import annotations

import re

import numpy as np
import pytest
from driver import below, screen

import calibviz as cv
from calibviz.answers.first_screen.headline_numbers import headline
from calibviz.answers.kept import kept
from calibviz.answers.registry import ANSWERS
from calibviz.explorer.transport.shared_widgets import HTML
from calibviz.explorer.view.page.download import csv_of
from calibviz.figures import Figure
from calibviz.figures.tables import Table
from calibviz.metrics.scores import brier_score


@pytest.fixture(scope="module")
def explorer():
    made = cv.Explorer(cv.load_dataset("digits"), metrics=("ece", "ks", "brier", "log_loss"))
    yield made
    made.close()


def content(explorer, panel, **choices):
    explorer.state.update(panels=(panel,), **choices)
    explorer.finish()
    return ANSWERS[panel].content(explorer.situation)


def column(records, heading):
    """The texts of the column of a table."""
    (table,) = (record for record in records if isinstance(record, Table))
    place = [column.text for column in table.columns].index(heading)
    return [row[place].text for row in table.rows]


def test_the_brier_score_is_a_plain_number_everywhere(explorer):
    over = content(explorer, "reliability", overlays=("model: random forest",))
    current = f"{brier_score(explorer.situation.before.problems[0]):.4f}"
    assert column(over.records, "Brier")[0] == current
    explorer.state.update(overlays=())
    assert column(kept({"A": explorer.situation}).records, "Brier")[0] == current
    (grid,) = content(explorer, "comparison", rows="metric").records
    row = grid.rows.index("Brier")
    assert (grid.units[row], f"{grid.values[row, 0]:.4f}") == ("", current)
    explorer.state.update(rows="lens")
    (figure,) = content(explorer, "temperature").records
    least = [at.group(1) for series in figure.series if (at := re.search(r"at T = ([0-9.]+)", series.name))]
    assert least and all(len(at.lstrip("0.").replace(".", "")) == 3 for at in least)  # digits
    (legend,) = (series.name for series in figure.series if series.name.startswith("Brier"))
    assert re.match(r"Brier: 0\.\d{4} at T = ", legend)
    answer = content(explorer, "recalibration").answer
    assert re.search(
        r"changes the Brier score by [−+]0\.\d{4} to [−+]0\.\d{4} \(90 %\), judged on images",
        answer,
    )


def test_errors_are_in_per_cent_in_every_picture_and_table(explorer):
    axes = {}
    for panel in ANSWERS:
        records = content(explorer, panel, likert=(0, 0.33, 0.66, 1)).records
        axes |= {
            record.y_label: record.y_in_percent
            for record in records
            if isinstance(record, Figure) and re.search("error|benefit|wrong|observed − predicted", record.y_label)
        }
    net_benefit = f"What acting is worth, per 100 {explorer.situation.nouns.many}: net benefit"
    assert {"calibration error", net_benefit, "observed − predicted, added up"} <= set(axes)
    assert all(axes.values()), axes
    errors = [row for row in headline(explorer.situation).rows if row[0].text.startswith(("KS", "ECE"))]
    assert len(errors) == 3
    assert all(cell.text.partition(" in ")[0].endswith(" %") for row in errors for cell in row[1:])


def test_the_decision_curve_and_its_table_agree(explorer):
    records = content(explorer, "decision", threshold=0.5).records
    curve = next(record for record in records if record.name == "decision-curve")
    line = next(series for series in curve.series if series.role == "before" and series.shape != "area")
    there = curve.y_text(line.y[np.abs(line.x - 0.5).argmin()])
    assert there.endswith(" %")
    assert float(there[:-2]) == pytest.approx(float(column(records, "net benefit")[0]), abs=0.06)


def test_probabilities_are_in_per_cent_on_every_axis(explorer):
    shares = re.compile("[Pp]redicted|[Oo]bserved|probability|threshold|share of")
    axes = {}
    for panel in ANSWERS:
        for record in content(explorer, panel, likert=(0, 0.33, 0.66, 1)).records:
            if isinstance(record, Figure):
                axes |= {record.x_label: record.x_in_percent, record.y_label: record.y_in_percent}
    axes = {label: in_percent for label, in_percent in axes.items() if shares.search(label)}
    assert {
        "Predicted: the model's confidence →",
        "↑ Observed: of 100 images, this many are right",
        "mean probability",
        "act from this probability on",
    } <= set(axes)
    assert all(axes.values()), axes


def test_a_stretched_axis_says_per_cent_too(explorer):
    explorer.state.update(panels=("reliability",), scale="stretched ends", bins=5, likert=())
    record = screen(explorer).record("reliability", "reliability")
    assert [text for _, text in record.x_ticks][:2] == ["0.1 %", "1 %"]
    assert (record.x_text(0.0), record.y_text(0.25)) == ("50.00 %", "25.00 %")
    explorer.state.scale = "even"


@pytest.mark.parametrize(
    ("label", "share", "percent"), [("threshold", 0.29, 29.0), ("output", (0.125, 0.7), [12.5, 70.0])]
)
def test_a_slider_of_shares_is_read_and_typed_in_per_cent(explorer, label, share, percent):
    explorer.state.update(panels=("reliability", "decision"), selection="")
    slider = screen(explorer).controls[label]
    assert "calibviz-percent" in slider._dom_classes
    slider.value = share
    assert slider.get_state("value")["value"] == percent
    assert (slider.get_state("min")["min"], slider.get_state("step")["step"]) in ((0.0, 1.0), (1.0, 1.0))
    slider.set_state({"value": [20, 60] if isinstance(percent, list) else 58})
    assert slider.value == ((0.2, 0.6) if isinstance(percent, list) else 0.58)
    if label == "output":
        assert explorer.state.selection == "0.2 <= output <= 0.6"
    else:
        assert explorer.state.threshold == 0.58
    explorer.state.update(selection="", threshold=0.5)


def test_a_line_never_ends_before_a_per_cent_sign_and_code_has_plain_spaces(explorer):
    explorer.state.update(panels=("reliability", "segments"), selection="0.2 <= output <= 0.6")
    explorer.finish()
    shown = [widget.value for widget in below(explorer) if isinstance(widget, HTML)]
    assert any("\u00a0%" in text for text in shown) and not any(" %" in text for text in shown)
    copied = [explorer.code(), explorer.state.to_link(), csv_of(explorer.cube()), explorer.state.selection]
    assert not any("\u00a0" in str(text) for text in copied)
    explorer.state.selection = ""
