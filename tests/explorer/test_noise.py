"""Beside every error on screen: what calibrated predictions would show, and where the true error lies."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from driver import screen
from efforts import FEW, USUAL
from figure_checks import by_role

import calibviz as cv
from calibviz import plots
from calibviz.answers.asked import effort
from calibviz.answers.first_screen.headline_numbers import evidence
from calibviz.answers.situation.noise import lines_of, sentence_of
from calibviz.context.induced import induced_problem
from calibviz.data.columns.recognition.clusters import likely_clusters_of
from calibviz.explorer import Explorer
from calibviz.figures.svg.picture import drawn
from calibviz.foundation import written
from calibviz.foundation.written import estimated, interval, p_value
from calibviz.metrics.calibration_tests import ks_limit
from calibviz.metrics.likert import problem_likert
from calibviz.uncertainty import noise_floors
from calibviz.uncertainty.intervals.bin_intervals import mean_interval
from calibviz.uncertainty.intervals.error_intervals import ErrorInterval
from calibviz.uncertainty.noise_floors import Beside, NoiseFloor


def reached(found):
    """What 95 of 100 calibrated models stay below: above it the p-value is at most 5 %."""
    return float(np.sort(found.replicates)[-((len(found.replicates) + 1) // 20)])


@pytest.fixture(scope="module")
def digits():
    return cv.load_dataset("digits")["naive Bayes"]


@pytest.fixture
def shown(request):
    """Explorers that are closed after the test."""
    made: list[Explorer] = []

    def show(*data, **choices):
        made.append(Explorer(*data, **{"panels": (), **choices}))
        return made[-1]

    yield show
    for one in made:
        one.close()


def cells(explorer, row):
    """The cells of the errors in a row of the headline, by name."""
    return {name: screen(explorer).sides[row][name] for name in ("ece", "sweep", "ks")}


def percent(share):
    return f"{100 * share:.2f}"


@pytest.mark.thorough
def test_the_headline_shows_what_interval_says(of_intervals, shown, digits):
    explorer = shown(digits.select(np.arange(400)), calibrator="spline")
    for row in (0, 1):
        both = cells(explorer, row).values()
        assert all(cell["below"] == "noise: …\nprobably: …" and not cell["faint"] for cell in both)
    explorer.finish()
    situation = explorer.situation
    for row, side in enumerate((situation.before, situation.after)):
        (problem,) = side.problems
        for name, error, binning in (
            ("ece", cv.calibration_error, cv.Uniform(15)),
            ("ks", cv.ks_error, None),
            ("sweep", cv.calibration_error, cv.Sweep()),
        ):
            if (row, name) == (1, "sweep"):  # the slowest, and once is enough
                continue
            found, cell = cv.interval(problem, error=error, binning=binning), cells(explorer, row)[name]
            is_noise, p = found.raw <= found.noise, p_value(found.p_value, "p", found.draws)
            assert cell["text"].startswith(f"{percent(found.raw)} %")
            assert cell["below"] == (
                f"{'within noise' if is_noise else 'noise'}: {percent(found.noise)} %, {p}\n"
                f"probably: {estimated(found.estimate, found.lower, found.upper)}"
            )
            assert cell["faint"] == is_noise == (row == 1)
            measured = f"Measured {percent(found.raw)} %"
            assert f"{measured}; calibrated predictions with these scores show up to" in cell["why"]


@pytest.mark.thorough
@pytest.mark.parametrize(("calibrator", "row"), [("none", 0), ("spline", 1)])
def test_a_picture_waits_for_no_interval_but_that_of_the_verdict(of_intervals, shown, digits, calibrator, row):
    """The verdict is about what recalibration makes of the scores, where there is any."""
    explorer = shown(digits.select(np.arange(200)), panels=("cumulative",), calibrator=calibrator)
    rows = range(row + 1)
    screen(explorer).switch("How is this measured?", True)
    explorer.figure()  # no answer to a question stands in it, which would wait for more
    below = {(at, name): cell["below"] for at in rows for name, cell in cells(explorer, at).items()}
    assert [at for at, text in below.items() if not text.endswith("\nprobably: …")] == [(row, "ks")]
    assert not any("noise: …" in text for text in below.values())
    assert screen(explorer).jobs.current.label.startswith("interval of")


def test_only_what_changed_is_measured_again(shown, digits):
    explorer = shown(digits, calibrator="isotonic")
    screen(explorer).switch("How is this measured?", True)
    explorer.finish()
    known = {job.key: job for job in screen(explorer).jobs_of("noise of")}
    assert len(known) == 6
    explorer.state.bins = 16
    assert {name: cell["below"].startswith("noise: …") for name, cell in cells(explorer, 0).items()} == {
        "ece": True,
        "sweep": False,
        "ks": False,
    }
    explorer.finish()
    now = {job.key: job for job in screen(explorer).jobs_of("noise of")}
    assert len(now) == 8 and all(now[key] is job for key, job in known.items())
    explorer.state.update(bins=15, panels=("cumulative",), curves=("smooth",), interval="none")
    assert all("…" not in cell["below"] for row in (0, 1) for cell in cells(explorer, row).values())
    assert "calibrated predictions with these scores show up to" in screen(explorer).note("cumulative")
    assert len(screen(explorer).jobs_of("noise of")) == 8


@pytest.mark.parametrize("lens", ["full", "classwise"])
def test_the_joint_error_has_the_floor_of_the_joint_problem(shown, digits, lens):
    few = digits.select(np.arange(300))
    explorer = shown(few, lens=lens, binning="uniform", bins=3, calibrator="temperature")
    explorer.finish()
    found = cv.consistency(
        few,
        error=lambda q: cv.calibration_error(q, binning=cv.Uniform(3)),
        lens=lens,
        replicates=FEW.floors,
        level=0.9,
        progress=False,
    )
    cell = cells(explorer, 0)["ece"]
    assert cell["text"] == f"{percent(found.estimate)} %"
    assert (
        cell["below"].removeprefix("within ")
        == f"noise: {percent(reached(found))} %, {p_value(found.p_value, 'p', len(found.replicates))}"
    )
    assert "No interval of ECE: a lens of several outcomes has none." in screen(explorer).numbers["note"]


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"selection": "correct == 1"}, "No interval of ECE, ECE (sweep), KS: the selection looks at what is true"),
        ({"selection": "label in [1, 2]"}, "No interval of ECE, ECE (sweep), KS: the selection looks at"),
        (
            {"selection": "label == 1", "calibrator": "isotonic"},
            "the selection looks at what is true, and a calibrator of",
        ),
        ({"lens": "pooled", "calibrator": "isotonic"}, "moves the entries of a row one by one"),
        ({"lens": "pooled", "calibrator": "temperature"}, "No interval of ECE, ECE (sweep), KS: the scores of a"),
        ({"norm": "maximum"}, "No interval of MCE: there is one of the mean absolute distance alone."),
        ({"lens": "rank 2"}, "300 samples are more than the 0 of which a page computes one"),
    ],
    ids=str,
)
def test_what_has_no_floor_or_interval_says_why(shown, digits, choices, said):
    explorer = shown(digits.select(np.arange(300)), **{"calibrator": "spline", **choices})
    explorer.finish()
    assert said in screen(explorer).numbers["note"]
    assert not any("…" in cell["below"] for row in (0, 1) for cell in cells(explorer, row).values())


def test_soft_labels_have_no_floor(shown, digits):
    rng = np.random.default_rng(0)
    soft = cv.Predictions(digits.probs, rng.dirichlet(np.ones(10), len(digits)))
    explorer = shown(soft)
    explorer.finish()
    assert all(cell["below"] == "no noise floor" for cell in cells(explorer, 0).values())
    assert "labels are soft" in screen(explorer).numbers["note"]


def test_too_many_samples_are_told(of_intervals, shown, monkeypatch):
    monkeypatch.setattr(effort, "MOST_SCORES", 500)
    explorer = shown(cv.simulated("resnet110_c10", 1200), lens="class 1")
    explorer.finish()
    assert "No noise floor of ECE, ECE (sweep), KS: 1,200 scores are too many" in screen(explorer).numbers["note"]


def test_many_scores_are_drawn_less_often():
    assert USUAL.least_floors == USUAL.floors_for(1_000_000) < USUAL.floors_for(10_000) == USUAL.floors
    assert USUAL.floors_for(100_000, of_many=10) == USUAL.floors_for(1_000_000)
    assert USUAL.least_means == USUAL.means_for(1_000_000) < USUAL.means_for(1000) == USUAL.means


def test_trials_show_the_mean_of_their_floors(shown):
    calibration, evaluation = (part.isel(intervention=0, trial=slice(2)) for part in cv.load_interventions())
    explorer = shown(evaluation, calibration, calibrator="temperature")
    explorer.finish()
    problems = explorer.situation.before.problems
    found = [cv.consistency(one, error=cv.ks_error, replicates=FEW.floors, progress=False) for one in problems]
    cell = cells(explorer, 0)["ks"]
    mean, floor = np.mean([one.estimate for one in found]), np.mean([reached(one) for one in found])
    assert len(found) == 2 and cell["text"].startswith(f"{percent(mean)} ±")
    assert cell["below"].removeprefix("within ") == f"noise: {percent(floor)} %"
    assert cell["faint"] == (mean <= floor)
    assert "on average over the trials" in screen(explorer).numbers["note"]


def test_floors_of_categories_and_classes(shown, digits):
    explorer = shown(
        digits, panels=("likert", "classes"), likert=(0, 0.3, 1), lens="class 8", bins=5, calibrator="temperature"
    )
    [likert] = [one for one in screen(explorer).records("likert") if one.name == "categories"]
    errors = [column.text for column in likert.columns].index("error bin by bin")
    assert likert.rows[0][errors].below == "noise: …"
    explorer.finish()
    [likert] = [one for one in screen(explorer).records("likert") if one.name == "categories"]
    picture, worst = screen(explorer).records("classes")
    tops = np.append(by_role(picture, "noise").y, np.nan).reshape(-1, 6)[:, 2]  # outlines: (0, 0, top, top, 0, nan)
    beyond = sum(not cell.faint for _, cell in worst.rows)
    assert picture.alt.endswith(f"Of the 10, {beyond} are beyond noise.")
    evaluation = digits
    table = cv.likert_error(evaluation, "class 8", categories=[0, 0.3, 1], binning=cv.Uniform(5))
    for what, statistic in (("error", "error bin by bin"), ("one_bin_error", "error as one bin")):
        place = [column.text for column in likert.columns].index(statistic)
        found = cv.consistency(
            evaluation,
            error=lambda q, what=what: float(problem_likert(q, 0.3, 1.0, cv.Uniform(5))[what]),
            lens="class 8",
            replicates=FEW.floors,
            level=0.9,
            progress=False,
        )
        (row,) = (row for row in likert.rows if (row[0].text, row[0].below) == ("30 to 100 %", "before"))
        assert row[place].text == f"{percent(table[what].values[1])} %"
        noise = f"noise: {percent(reached(found))} %" if found.estimate or reached(found) else "no error beyond noise"
        assert row[place].below.removeprefix("within ").startswith(noise)
        assert row[place].faint == (found.estimate <= reached(found))
    for (name, cell), top in zip(worst.rows, tops, strict=True):
        problem = induced_problem(digits, f"class {name.text}", explorer.situation.before.selection)
        found = cv.consistency(
            problem,
            error=lambda q: cv.calibration_error(q, binning=cv.Uniform(5)),
            replicates=FEW.floors,
            level=0.9,
            progress=False,
        )
        assert top == pytest.approx(reached(found), abs=1e-12)
        assert (
            cell.below.removeprefix("within ")
            == f"noise: {percent(reached(found))} %, {p_value(found.p_value, 'p', len(found.replicates))}"
        )
        assert cell.faint == (found.estimate <= reached(found))


def test_accuracy_and_mean_target_stand_above_their_intervals():
    p = cv.load_dataset("tumours")["naive Bayes"]
    made = Explorer(p, panels=(), lens="top-1")
    accuracy, target = (screen(made).sides[0][name] for name in ("accuracy", "observed"))
    low, high = mean_interval(made.situation.before.problems[0])
    assert accuracy["below"] == target["below"] == interval(low, high)
    made.close()


def test_an_estimate_is_left_out_where_its_interval_says_next_to_nothing():
    floor = NoiseFloor(0.1, 0.2)
    wide, narrow = (ErrorInterval(0.41, 0.0, upper, 0.3, 0.1, 0.2, 0.95) for upper in (0.58, 0.2))
    assert "too few samples to say (0 to 58 %)" in lines_of(0.3, Beside(floor, wide))
    assert "too few samples to say" in sentence_of(0.3, Beside(floor, wide))
    some = replace(narrow, note="approximate, since 40 clusters are fewer than 50")
    assert sentence_of(0.3, Beside(floor, some)).endswith(", approximate, since 40 clusters are fewer than 50.")
    assert "too few" not in lines_of(0.3, Beside(floor, narrow)) + sentence_of(0.3, Beside(floor, narrow))


# One unit


def test_errors_read_as_percentages_on_every_axis(shown, digits):
    explorer = shown(digits, panels=("classes", "cumulative"), cumulative="difference", by="class")
    for name, kind in (("classes", "classes"), ("cumulative", "difference")):
        record = screen(explorer).record(name, kind)
        names = screen(explorer).axis(name, kind, "left").tick_labels.values()
        assert record.y_in_percent and len(names) > 2 and all(text.endswith("\u00a0%") for text in names)
        svg = drawn(record, "x")
        ticks = re.findall(r'class="tick left"[^>]*>([^<]*)<', svg)
        assert len(ticks) > 2 and all(text.endswith(" %") for text in ticks)
        ax = plots.draw(record)
        ax.figure.canvas.draw()
        assert all(text.get_text().endswith(" %") for text in ax.get_yticklabels())
    hint = screen(explorer).hint("cumulative", "difference", 1, role="gap")
    assert hint.endswith(written.percent(by_role(record, "gap").y[1]))
    explorer.state.cumulative = "fractile"
    for side in ("left", "bottom"):
        assert "20\u00a0%" in screen(explorer).axis("cumulative", "cumulative", side).tick_labels.values()


# The line in words


def test_the_line_and_the_numbers_below_it_tell_one_largest_error(of_intervals, shown):
    explorer = shown(cv.load_dataset("heart")["logistic regression"])
    explorer.finish()
    (problem,) = explorer.situation.before.problems
    _, error, beside, *_ = evidence(explorer.situation)
    assert error <= ks_limit(problem)
    upper = beside.interval.upper
    assert upper >= error + ks_limit(problem)
    assert beside.interval == cv.interval(problem, error=cv.ks_error, progress=False)
    assert explorer.verdict.size == beside.interval and explorer.verdict.could_hide == upper
    assert f"could hide a KS error of up to {100 * upper:.1f} %" in explorer.verdict.sentence
    assert screen(explorer).evidence.startswith(f"overall error {100 * error:.1f} points within noise")
    assert f"to {100 * upper:.1f})" in screen(explorer).sides[0]["ks"]["below"]


def test_an_error_beyond_chance_keeps_the_interval_of_the_inverted_test(of_intervals, shown):
    explorer = shown(cv.load_dataset("tumours")["naive Bayes"])
    explorer.finish()
    (problem,) = explorer.situation.before.problems
    _, error, beside, *_ = evidence(explorer.situation)
    assert error > ks_limit(problem)
    assert beside.interval.upper == cv.interval(problem, error=cv.ks_error, progress=False).upper


def test_the_line_names_the_test_where_the_error_alone_would_say_otherwise(shown):
    """Scores that are a little too extreme: the curve shows it, the overall error is within noise."""
    rng = np.random.default_rng(5)
    z = rng.normal(0, 1.5, 800)
    target = rng.random(800) < 1 / (1 + np.exp(-0.8 * z))
    explorer = shown(cv.Predictions(1 / (1 + np.exp(-z)), target.astype(int)))
    explorer.finish()
    _, error, beside, decides, _ = evidence(explorer.situation)
    assert beside.is_noise(error) and explorer.verdict.shown and decides == explorer.verdict.test.p_value
    assert "Too extreme" in screen(explorer).words
    line = screen(explorer).evidence
    assert "within noise by itself" in line
    assert line.endswith(f"the test of errors of any shape decides: {p_value(decides, 'p')}")
    agreeing = shown(cv.load_dataset("heart")["logistic regression"])
    agreeing.finish()
    assert evidence(agreeing.situation)[3] is None and "decides" not in screen(agreeing).evidence


def test_an_error_that_some_draws_do_not_have_has_no_floor():
    """A selection that looks at the truth may leave a category without samples in a draw."""
    draws = [{"all": 0.1, "rare": 0.4}, {"all": 0.2}, {"all": 0.3}]
    floors = noise_floors.noise_floors(iter(draws), dict, {"all": 0.2, "rare": 0.5}, 3)
    assert {name: floor.draws for name, floor in floors.items()} == {"all": 3}


def test_rows_that_may_belong_together_are_said_to_count_as_independent():
    rng = np.random.default_rng(0)
    score, patient = rng.random(240), np.repeat(np.arange(60), 4)
    for cluster, said in ((None, "240 rows of 60 different 'patient' count as independent"), ("patient", None)):
        p = cv.Predictions(score, rng.random(240) < score, fields={"patient": patient}, cluster=cluster)
        explorer = cv.Explorer(p, panels=("reliability",))
        explorer.finish()
        assert evidence(explorer.situation)[4] == (said and (said, likely_clusters_of(p)["patient"].said, "patient"))
        assert ("count as independent" in screen(explorer).evidence) == (cluster is None)
        explorer.close()
