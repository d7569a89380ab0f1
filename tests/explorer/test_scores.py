"""The answer on proper scores: the parts of `corp`, the curves of `murphy_curve`, and what is said without them."""

from dataclasses import replace

import numpy as np
import pytest
from driver import content_of
from report_pages import page

import calibviz as cv
from calibviz.answers.acting.scores import PARTS, _said
from calibviz.foundation.marked import plain
from calibviz.metrics.clinical.estimates import Estimate

HEART = cv.load_dataset("heart")["logistic regression"]
LENS = "class disease"


@pytest.fixture
def explorer():
    made = cv.Explorer(HEART, lens=LENS, panels=("scores",))
    yield made
    made.close()


def numbers_of(row):
    """The numbers of a row by the heading of their column."""
    return {cell.numbers[0][0]: dict(cell.numbers) for cell in row[1:]}


@pytest.mark.parametrize(("row", "error"), [(0, cv.brier_score), (1, cv.log_loss)])
def test_the_table_is_that_of_corp(explorer, row, error):
    _, table = content_of(explorer, "scores").records
    numbers, parts = numbers_of(table.rows[row]), cv.corp(HEART, LENS, error=error, replicates=200)
    assert numbers["score"]["score"] == parts.whole == pytest.approx(error(HEART, LENS), rel=1e-12)
    for name in PARTS:
        found = parts.intervals[name]
        assert numbers[name] == {name: found.estimate, "lower": found.lower, "upper": found.upper}
    assert numbers["skill"]["skill"] == pytest.approx(1 - parts.whole / parts.uncertainty)


def test_the_skill_of_the_brier_score_is_the_metric(explorer):
    _, table = content_of(explorer, "scores").records
    cube = cv.evaluate(HEART, LENS, metrics=["brier_skill"])
    assert numbers_of(table.rows[0])["skill"]["skill"] == pytest.approx(cube.brier_skill.item(), rel=1e-9)


def test_after_a_calibrator_its_samples_have_rows_and_a_curve(explorer):
    explorer.state.calibrator = "platt"
    content = content_of(explorer, "scores")
    figure, table = content.records
    names = [row[0].text for row in table.rows]
    assert names == ["Brier score", "log loss", "Brier score after platt", "log loss after platt"]
    after = explorer.situation.after.problems[0]
    assert numbers_of(table.rows[2])["score"]["score"] == pytest.approx(cv.brier_score(after), rel=1e-12)
    fitted = cv.cross_fitted(HEART, LENS, calibrator=cv.Platt())
    curves = cv.murphy_curve(HEART, LENS, calibrator=fitted, replicates=200)
    for role, strategy in (("before", "model"), ("after", "recalibrated")):
        (line,) = (series for series in figure.series if series.role == role and series.shape == "line")
        np.testing.assert_allclose(line.y, curves.elementary_score.sel(strategy=strategy), rtol=1e-9)
    assert "calibrator=fitted, replicates=200" in explorer.code()


def test_a_selection_applies(explorer):
    explorer.state.selection = "sex == 'male'"
    _, table = content_of(explorer, "scores").records
    whole = cv.brier_score(HEART, LENS, selection="sex == 'male'")
    assert numbers_of(table.rows[0])["score"]["score"] == pytest.approx(whole, rel=1e-12)


def test_the_sentence_says_what_of_the_score_may_be_miscalibration(explorer):
    upper = cv.corp(HEART, LENS, replicates=200).intervals["miscalibration"].upper
    assert content_of(explorer, "scores").answer == (
        f"The Brier score is 0.1410, of which up to {upper:.4f} may be miscalibration (upper end of a 95 % interval). "
        "Predicting 55 % for all would score 0.2472."
    )
    off = cv.Predictions(HEART.probs[:, 1] ** 3, HEART.labels)
    other = cv.Explorer(off, lens="class 1", panels=("scores",))
    found = cv.corp(off, "class 1", replicates=200).intervals["miscalibration"]
    said = f"about {found.estimate:.4f} is miscalibration (95 % interval {found.lower:.4f} to {found.upper:.4f})"
    assert found.lower > 0 and said in content_of(other, "scores").answer
    other.close()


def test_where_something_of_probability_0_was_observed_the_log_loss_is_infinite():
    probs, labels = np.r_[HEART.probs[:, 1], 0.0], np.r_[HEART.labels, 1]
    explorer = cv.Explorer(cv.Predictions(probs, labels), lens="class 1", panels=("scores",))
    _, table = content_of(explorer, "scores").records
    assert "something of probability 0 was observed" in table.rows[1][2].below
    explorer.close()


def test_all_classes_at_once_have_no_score(explorer):
    explorer.state.lens = "pooled"
    assert content_of(explorer, "scores").note == "All classes of a sample at once are no one outcome: choose a class."


@pytest.mark.thorough
def test_a_report_of_acting_has_the_section_and_another_has_not(few_replicates):
    few = HEART.select(np.arange(0, len(HEART), 4))
    acting, plain = (page(few, lens=LENS, threshold=at).texts for at in (0.2, None))
    assert "of which up to" in acting["scores"] and "scores" not in plain


def test_an_interval_that_ends_at_0_is_no_share_of_the_score():
    parts = replace(cv.corp(HEART, LENS), intervals={"miscalibration": Estimate(0.0, 0.0, 0.0)})
    problem = cv.lens(LENS)(HEART)
    assert plain(_said(parts, problem)) == (
        "The Brier score is 0.1410, none of which shows as miscalibration. Predicting 55 % for all would score 0.2472."
    )


def test_a_score_that_discriminates_little_has_intervals_of_what_can_be():
    weight = np.random.default_rng(1).exponential(size=60)
    flat = cv.Predictions(np.tile([0.9, 0.5, 0.1], 20), np.arange(60) % 4 // 2, weights=np.repeat(weight[:30], 2))
    made = cv.Explorer(flat, lens="class 1", panels=("scores",))
    _, table = content_of(made, "scores").records
    for row in table.rows[:2]:
        found = numbers_of(row)
        assert found["discrimination"]["upper"] <= found["uncertainty"]["upper"]
    made.close()
