"""The code and the cube that an Explorer hands out: both hold the numbers on screen."""

from __future__ import annotations

import contextlib
import io
from unittest.mock import patch

import numpy as np
import pytest
from driver import numbers_of, screen
from efforts import spend
from figure_checks import ks_mark

import calibviz as cv
from calibviz.answers.views.recalibration import in_numbers
from calibviz.explorer import Explorer
from calibviz.recalibration.registry import CALIBRATORS

NUMBERS = ("count", "accuracy", "mean_score", "mean_target", "ks", "sweep", "sweep_bins")


@pytest.fixture(scope="module", autouse=True)
def hardly_any_noise():
    """No number here is of noise."""
    with pytest.MonkeyPatch.context() as patched:
        spend(patched, floors=3, floors_of_cells=3, floors_of_contests=3)
        yield


@pytest.fixture(scope="module")
def shared():
    made = Explorer(cv.load_dataset("digits"), panels=())
    yield made
    made.close()


def ran(explorer, **names):
    """What the code makes, with the choices of the view in place of it, and what it prints."""
    with patch.object(cv, "Explorer", lambda *_, **choices: choices):
        return ran_and_open(explorer, **names)


def ran_and_open(explorer, **names):
    """What the code makes, and what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(explorer.code(), names)
    return names, printed.getvalue()


def compare(explorer, names):
    """Every number on screen with those of the code."""
    assert screen(explorer).complaint == ""
    situation = explorer.situation
    sides = sides_of(situation)
    table = rows_of(names["numbers"], len(sides))
    for row, side in zip(table.index, sides, strict=True):
        (here,) = numbers_of(situation, side)
        for name in NUMBERS:
            shown = np.nan if getattr(here, name) is None else getattr(here, name)
            assert table.loc[row, name] == pytest.approx(shown, abs=1e-9, nan_ok=True), (row, name)
        whole = [name for name in ("joint", "mean_over_classes") if name in names]
        if here.ece is None:
            assert not whole and not situation.joint_ended_early
        else:
            assert whole == (
                [] if not situation.outcomes else ["mean_over_classes" if situation.is_family else "joint"]
            )
            shown = rows_of(names[whole[0]], len(sides)) if whole else table
            assert shown.loc[row, error_of(situation)] == pytest.approx(here.ece, abs=1e-9), row


def sides_of(situation):
    """Before recalibration, and after it where there is a calibrator."""
    sides = [situation.before] if situation.after is None else [situation.before, situation.after]
    assert len(sides) == 1 + (situation.spec.calibrator != "none")
    return sides


def rows_of(table, sides):
    """A table with a row for each side: one side alone is a series."""
    return table.to_frame("none").T if sides == 1 else table


def error_of(situation):
    if situation.spec.norm == "maximum":
        return "mce"
    return {"k-d tree": "kdtree_ece", "sweep": "sweep"}.get(situation.spec.binning, "ece")


def tables_of(printed):
    """The tables that the code prints: in each, numbers by their names, before and after."""
    found = []
    for line in printed.splitlines():
        name, *cells = line.split()
        if name == "calibrator":
            found.append({})
        with contextlib.suppress(ValueError):
            found[-1][name] = [float(cell) for cell in cells]
    return found


RANDOM = {
    "lens": (
        "top-1",
        "rank 2",
        "within-top 2",
        "class b",
        "top-2",
        "grouping",
        "full",
        "classwise",
        "top-1 by class",
        "pooled",
    ),
    "groups": ((), {"u": ["a", "b"], "v": ["c", "d"]}, {"one": ["b"], "rest": ["a", "c", "d"]}),
    "selection": ("", "", "confidence > 0.5", "age > 30", 'label in ["a", "b"]', "output > 0.3"),
    "binning": ("uniform", "equal-mass", "sweep", "k-d tree"),
    "bins": (1, 4, 15, 40),
    "gamma": (1 / 2, 1 / 8, 1 / 32),
    "distance": ("total variation", "L1", "L2", "class-weighted L2", "Mahalanobis"),
    "weights": ((), {"a": 3, "c": 0.5, "early": 2, "rest": 0}),
    "matrix": ("identity", "inverse covariance", ((2, 1), (1, 1)), np.diag([1, 2, 0, 1])),
    "norm": ("mean", "root mean square", "maximum"),
    "calibrator": ("temperature", "bias-corrected", "vector", "spline", "isotonic", "platt", "beta", "histogram"),
    "knots": (4, 6),
}


@pytest.fixture(scope="module")
def small():
    rng = np.random.default_rng(5)
    logits = 2 * rng.standard_normal((160, 4))
    p = cv.Predictions(
        logits=logits,
        labels=(logits / 2 + rng.gumbel(size=(160, 4))).argmax(axis=1),
        class_names=list("abcd"),
        groups={"early": ["a", "b"], "late": ["c", "d"]},
        fields={"age": rng.integers(20, 60, 160)},
    )
    made = Explorer(p, panels=())
    yield made, p
    made.close()


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:.*the fit has not converged")
@pytest.mark.parametrize("part", range(4))
def test_code_of_random_choices_prints_every_number_on_screen(small, part):
    explorer, predictions = small
    rng, tried = np.random.default_rng(part), 0
    while tried < 20:
        choices = {name: values[rng.integers(len(values))] for name, values in RANDOM.items()}
        explorer.state.from_dict({"panels": (), **choices})
        if screen(explorer).complaint:  # a selection by output, of several outputs
            continue
        situation = explorer.situation
        if situation.outcomes:
            explorer.state.outcome = situation.outcomes[rng.integers(len(situation.outcomes))]
        if screen(explorer).complaint:
            continue
        tried += 1
        screen(explorer).finish()
        situation, (names, printed) = explorer.situation, ran(explorer, predictions=predictions)
        try:
            compare(explorer, names)
            chosen = explorer.state.to_dict()
            explorer.state.from_dict(names["explorer"])
            assert explorer.state.to_dict() == chosen
            first, *others = tables_of(printed)
            sides = [numbers_of(situation, side)[0] for side in (situation.before, situation.after) if side is not None]
            shown = {name: [getattr(side, name) for side in sides] for name in (*NUMBERS, "ece")}
            assert len(others) == (len(situation.outcomes) > 0 and None not in shown["ece"])
            for name in NUMBERS:
                if None not in shown[name]:
                    np.testing.assert_allclose(first[name], shown[name], atol=2e-6)
            if None not in shown["ece"]:
                np.testing.assert_allclose((others or [first])[0][error_of(situation)], shown["ece"], atol=2e-6)
        except Exception as error:
            raise AssertionError(f"{choices}, outcome {explorer.state.outcome!r}\n{explorer.code()}") from error


@pytest.mark.parametrize("binning", ["sweep", "k-d tree"])
@pytest.mark.parametrize("lens", ["top-1", "grouping", "classwise", "top-1 by class"])
def test_code_of_the_largest_distance(explorer, binning, lens):
    explorer.state.from_dict(
        {"norm": "maximum", "binning": binning, "lens": lens, "selection": "ink > 0.2", "calibrator": "spline"}
    )
    compare(explorer, ran(explorer)[0])


@pytest.mark.parametrize(
    "choices",
    [
        {"binning": "k-d tree", "gamma": 1 / 16},
        {"binning": "k-d tree", "gamma": 0.1, "lens": "full"},
        {"binning": "k-d tree", "lens": "grouping", "outcome": "odd", "norm": "root mean square"},
        {"binning": "equal-mass", "norm": "root mean square", "distance": "L2", "bins": 8},
        {"norm": "maximum", "lens": "class 3", "distance": "L1"},
        {"lens": "grouping", "groups": {"small": list("012"), "large": list("3456789")}, "outcome": "large"},
        {"lens": "classwise", "bins": 7, "outcome": "4"},
        {"lens": "top-1 by class", "binning": "equal-mass"},
        {"lens": "pooled", "binning": "equal-mass"},
        {"model": "random forest", "selection": "ink > 0.3 and label in [1, 2, 3]", "binning": "sweep"},
        {"lens": "classwise", "distance": "class-weighted L2", "weights": {"3": 5, "7": 0}},
        {"lens": "full", "binning": "k-d tree", "distance": "class-weighted L2", "weights": {"3": 5}, "outcome": "3"},
        {"lens": "full", "binning": "k-d tree", "distance": "Mahalanobis", "matrix": "inverse covariance"},
        {
            "lens": "grouping",
            "groups": {"small": list("012"), "large": list("3456789")},
            "binning": "k-d tree",
            "distance": "Mahalanobis",
            "matrix": "inverse covariance",
            "selection": "ink > 0.3",
        },
        {"lens": "top-3", "outcome": "rest", "binning": "sweep", "calibrator": "temperature"},
        {"calibrator": "none"},
        {"calibrator": "none", "lens": "classwise", "bins": 7, "outcome": "4"},
        {"calibrator": "none", "lens": "full", "binning": "k-d tree", "gamma": 0.1},
    ],
    ids=str,
)
def test_code_reproduces_the_numbers(explorer, choices):
    explorer.state.update(**{"calibrator": "spline", **choices})
    compare(explorer, ran(explorer)[0])


def test_the_words_say_which_of_two_isotonic_maps_it_was(explorer):
    explorer.state.update(calibrator="isotonic", lens="class 3")
    plain = in_numbers(explorer.situation)
    explorer.state.calibrator = "isotonic, one-vs-rest"
    assert "the isotonic regression" in plain.lower() and "of every class" not in plain
    assert "the isotonic regression of every class" in in_numbers(explorer.situation).lower()


@pytest.mark.filterwarnings("ignore:.*the fit has not converged")
@pytest.mark.parametrize("calibrator", CALIBRATORS)
@pytest.mark.parametrize("lens", ["rank 2", "grouping"])
def test_code_of_every_calibrator(small, calibrator, lens):
    explorer, predictions = small
    explorer.state.from_dict({"panels": (), "lens": lens, "binning": "k-d tree", "knots": 5})
    explorer.state.calibrator = calibrator
    compare(explorer, ran(explorer, predictions=predictions)[0])


@pytest.mark.parametrize("calibrator", ["spline", "temperature", "isotonic, one-vs-rest"])
@pytest.mark.parametrize("lens", ["class 3", "grouping"])
@pytest.mark.parametrize("binning", ["uniform", "sweep", "k-d tree"])
def test_code_of_likert_categories(explorer, calibrator, lens, binning):
    categories = {"hardly": (0, 0.2), 'the "rest"': (0.5, 1)}
    explorer.state.update(calibrator=calibrator, lens=lens, likert=categories, selection="ink > 0.2", binning=binning)
    explorer.state.panels = ("likert",)
    names, printed = ran(explorer)
    compare(explorer, names)
    errors = screen(explorer).record("likert", "likert-errors")
    for role in ("before", "after"):
        for value in next(series.y for series in errors.series if series.role == role):
            assert f"{value:.6f}" in printed or any(
                np.isclose(float(word), value, atol=1e-6) for word in numbers(printed)
            )


def numbers(text):
    for word in text.split():
        with contextlib.suppress(ValueError):
            yield float(word)


def test_code_of_a_calibration_set_of_one_s_own(explorer):
    calibration, evaluation = cv.simulated("resnet110_c10", 2000, rng=1).split(0.5)
    made = Explorer(evaluation, calibration, panels=(), calibrator="isotonic", likert=(0, 0.5, 1), lens="class wrong")
    compare(made, ran(made, predictions=evaluation, calibration=calibration)[0])
    made.close()


def test_code_of_several_models_of_one_s_own():
    models = cv.load_dataset("tumours")
    made = Explorer(models, panels=(), model=list(models)[1], lens="class malignant", calibrator="spline")
    compare(made, ran(made)[0])
    made.close()


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"lens": "rank 2", "binning": "equal-mass", "bins": 8, "distance": "L2", "norm": "root mean square"},
        {"lens": "class 3", "binning": "k-d tree", "gamma": 0.1},
        {"lens": "grouping", "binning": "k-d tree", "groups": {"a": list("01234"), "b": list("56789")}},
        {"norm": "maximum", "selection": "ink > 0.2"},
        {"lens": "full", "binning": "k-d tree", "calibrator": "isotonic"},
        {"calibrator": "none"},
    ],
    ids=str,
)
def test_the_cube_holds_the_numbers(explorer, choices):
    explorer.state.update(**{"calibrators": ("temperature", "platt"), "calibrator": "spline", **choices})
    spec, situation, cube = explorer.state.spec, explorer.situation, explorer.cube()
    assert list(cube.model.values) == list(explorer.state.models)
    assert cube.selection.values.tolist() == ["shown"] and cube.lens.values.tolist() == [spec.make_lens().name]
    labels = [str(label) for label in cube.calibrator.values]
    assert [label.partition(",")[0] for label in labels] == list(
        dict.fromkeys(("none", spec.calibrator, "temperature", "platt"))
    )
    for calibrator, side in zip(labels, sides_of(situation), strict=False):  # and then those compared
        cell = cube.sel(model=spec.model, calibrator=calibrator).squeeze()
        (here,) = numbers_of(situation, side)
        if not situation.outcomes:
            for name in NUMBERS:
                assert float(cell[name]) == pytest.approx(getattr(here, name), abs=1e-9), (calibrator, name)
        error = error_of(situation)
        assert float(cell[error]) == pytest.approx(here.ece, abs=1e-9)


def test_the_cube_counts_likert_categories(explorer):
    explorer.state.update(likert={"low": (0, 0.4), "high": (0.6, 1)}, lens="class 3", calibrators=())
    cube = explorer.cube().sel(model="naive Bayes", calibrator="none").squeeze()
    table = cv.likert_error(
        cv.load_dataset("digits")["naive Bayes"],
        "class 3",
        categories={"low": (0, 0.4), "high": (0.6, 1)},
        binning=cv.Uniform(15),
    )
    np.testing.assert_allclose(cube.likert_error, table.error, atol=1e-12)
    np.testing.assert_array_equal(cube.likert_count, table["count"])


@pytest.mark.parametrize("binning", ["uniform", "equal-mass", "k-d tree"])
@pytest.mark.parametrize("rows", ["lens", "metric", "gce"])
def test_the_code_prints_the_comparison(explorer, rows, binning):
    compared = (
        ("random forest", "class 3", ""),
        ("naive Bayes", "grouping", "ink > 0.2"),
        ("random forest", "top-1", ""),
    )
    metrics = ("ece", "mce", "ks", "log_loss", "label_binned", "accuracy", "aurc")
    choices = {"rows": rows, "metrics": metrics, "selection": "ink > 0.1", "binning": binning, "lens": "rank 2"}
    explorer.state.from_dict(
        {"panels": ("comparison",), "compared": compared, "calibrators": ("temperature", "beta"), **choices}
    )
    screen(explorer).finish()
    [grid] = screen(explorer).records("comparison")
    printed = [value for value in numbers(ran(explorer)[1])]
    explorer.state.calibrators = ()
    alone = list(numbers(ran(explorer)[1]))
    assert np.isfinite(grid.values).all()
    for row, unit in zip(grid.values[:, 0], grid.units, strict=True):
        assert np.isclose(alone, row / (100 if unit == "%" else 1), rtol=1e-4, atol=1e-6).any()
    for row, unit in zip(grid.values, grid.units, strict=True):
        for value in row / (100 if unit == "%" else 1):
            assert np.isclose(printed, value, rtol=1e-4, atol=1e-6).any(), value


@pytest.mark.parametrize(
    "distance",
    [
        {"distance": "class-weighted L2", "weights": {"3": 9, "odd": 0.5}},
        {"distance": "Mahalanobis", "matrix": "inverse covariance"},
    ],
    ids=["weights", "matrix"],
)
def test_the_code_prints_rows_of_the_comparison_that_weigh_their_own_outcomes(explorer, distance):
    rows = (("random forest", "full", ""), ("naive Bayes", "grouping", "ink > 0.2"), ("naive Bayes", "classwise", ""))
    explorer.state.from_dict(
        {"panels": ("comparison",), "compared": rows, "calibrators": (), "binning": "k-d tree", "lens": "top-1"}
        | distance
    )
    screen(explorer).finish()
    [grid] = screen(explorer).records("comparison")
    printed = list(numbers(ran(explorer)[1]))
    assert np.isfinite(grid.values).all()
    for value in grid.values.ravel():
        assert np.isclose(printed, value / 100, rtol=1e-4, atol=1e-6).any(), value


@pytest.mark.parametrize("calibrators", [(), ("temperature",)])
@pytest.mark.parametrize(
    "switches",
    [("l2",), ("all probs", "class-conditional", "all scores", "uniform bins", "l1")],
    ids=["half", "one"],
)
def test_the_code_prints_the_chosen_errors_of_the_family(explorer, calibrators, switches):
    explorer.state.from_dict(
        {"panels": ("comparison",), "rows": "gce", "calibrators": calibrators, "switches": switches, "bins": 10}
    )
    screen(explorer).finish()
    [grid] = screen(explorer).records("comparison")
    printed = list(numbers(ran(explorer)[1].rpartition("norm")[2]))
    for value in grid.values.ravel():
        assert np.isclose(printed, value / 100, rtol=1e-4, atol=1e-6).any(), value
    assert len(grid.rows) == (16 if switches == ("l2",) else 1)


@pytest.mark.parametrize("calibrator", ["beta", "temperature"])
@pytest.mark.parametrize("lens", ["class 3", "grouping"])
def test_the_code_draws_the_cumulative_pictures_and_judges_what_was_fitted_to(explorer, calibrator, lens):
    choices = {"panels": ("cumulative",), "samples": "calibration", "selection": "ink > 0.2"}
    explorer.state.from_dict({**choices, "calibrator": calibrator, "lens": lens})
    screen(explorer).finish()
    names, text = ran(explorer)
    titles = [ax.get_title() for ax in names["picture"].axes]
    assert [title.partition(":")[0] for title in titles[::4]] == ["judged, before", "judged, after"]
    line = next(line for line in text.splitlines()[::-1] if line.startswith("ks"))
    for record, title, ks in zip(screen(explorer).records("cumulative"), titles[::4], line.split()[1:], strict=True):
        gap = abs(ks_mark(record)[0].y[1])
        assert gap == pytest.approx(float(ks), abs=1e-6) and f"KS {100 * gap:.2f} %" in title


@pytest.mark.thorough
@pytest.mark.parametrize("calibrator", ["beta", "temperature", "none"])
def test_the_code_says_where_it_is_worst_and_what_acting_is_worth(calibrator):
    explorer = Explorer(
        cv.load_dataset("heart"), panels=("segments", "decision", "recalibration"), calibrator=calibrator, threshold=0.2
    )
    screen(explorer).finish()
    names, printed = ran(explorer)
    worst = names["segments"].isel(segment=0)
    assert worst.segment == "site = Zurich and Basel"
    [listed] = screen(explorer).records("segments")
    named = [words for words in names["segments"].words.values.tolist() if words != "all samples"]
    assert all(
        row[0].text.split(", ")[0] in words.replace("_", " ") for row, words in zip(listed.rows, named, strict=False)
    )
    table = next(record for record in screen(explorer).records("decision") if record.name == "decision")
    after = "platt by site" if calibrator == "none" else calibrator  # the one that is shown to help
    assert [row[0].text for row in table.rows[:2]] == ["logistic regression", f"after {after}"]
    benefits = [row[1].text for row in table.rows[:2]]
    line = next(line for line in printed.splitlines() if line.startswith("net_benefit"))
    assert [f"{100 * float(value):.1f}" for value in line.split()[1:3]] == benefits
    explorer.close()


#: What may be on screen of the three models of hearts, each after the one before it.
VIEWS = [
    {},
    {"overlays": ("model: random forest", "calibrator: beta"), "bins": 20, "interval": "consistency"},
    {"model": "random forest", "calibrator": "temperature", "temperature": 1.7},
    {"calibrator": "spline, one-vs-rest", "knots": 8, "spline": ("monotone", "bounded"), "calibrators": ("platt",)},
    {"selection": 'age > 50 and sex == "female"', "panels": ("reliability", "segments"), "depth": 2, "minimum": 40},
    {"panels": ("reliability", "decision"), "threshold": 0.17, "prevalence": 0.2},
    {"lens": "top-1", "scale": "stretched ends", "curves": ("flexible", "smooth"), "cumulative": "all four"},
    {"lens": "full", "outcome": "no disease", "binning": "k-d tree", "gamma": 0.1},
    {"lens": "full", "distance": "class-weighted L2", "weights": {"disease": 3}, "norm": "root mean square"},
    {"lens": "grouping", "groups": {"u": ["disease"], "v": ["no disease"]}, "outcome": "v"},
    {"likert": (0, 0.33, 0.66, 1), "panels": ("likert", "reliability", "instances")},
    {"likert": {"hardly": (0, 0.2), 'the "rest"': (0.5, 1)}, "binning": "equal-mass", "bins": 6},
    {"bin": 3, "order": "age", "sample": 2, "panels": ("instances", "reliability")},
    {
        "panels": ("comparison",),
        "rows": "gce",
        "switches": ("l2", "all probs"),
        "comparison": "bars",
        "compared": (("gradient boosting", "top-1", "age > 40"), ("random forest", "class 1", "")),
    },
    {"metrics": ("brier", "ks"), "panels": ("temperature", "cumulative"), "samples": "calibration"},
]


@pytest.fixture(scope="module")
def hearts():
    made = Explorer(cv.load_dataset("heart"), panels=())
    yield made
    made.close()


@pytest.mark.thorough
@pytest.mark.parametrize("number", range(len(VIEWS)))
def test_the_code_opens_the_same_view_again(hearts, number):
    hearts.state.from_dict(VIEWS[number])
    hearts.state.keep("A")
    hearts.state.update(**VIEWS[(number + 1) % len(VIEWS)])
    assert screen(hearts).complaint == ""
    space, _ = ran_and_open(hearts)
    assert screen(space["explorer"]).complaint == ""
    assert space["explorer"].state.to_dict() == hearts.state.to_dict()
    assert space["explorer"].state.spec == hearts.state.spec
    space["explorer"].close()


def test_the_code_opens_a_view_with_things_of_the_user_s_own():
    class Mine(cv.Platt):
        name = "mine"

    class Other(cv.Platt):
        name = "other"

    bias = cv.Metric("bias", lambda problem: float(np.mean(problem.score - problem.target)))
    given = {"calibrator": Mine(), "calibrator_1": Other(), "metric_1": bias}
    choices = {"calibrator": given["calibrator"], "calibrators": ["beta", given["calibrator_1"], given["calibrator"]]}
    overlays = ("model: forest", "calibrator: other")
    models = {
        "forest": cv.load_dataset("heart")["random forest"],
        "own": cv.load_dataset("heart")["logistic regression"].at_prevalence(0.4),
    }
    plain = {name: cv.Predictions(p.probs, p.labels, class_names=p.class_names) for name, p in models.items()}
    made = Explorer(plain, calibration=plain, **choices, metrics=["ece", bias], overlays=overlays, threshold=0.3)
    screen(made).finish()
    text = made.code()
    assert "# models is what was passed to cv.Explorer\npredictions = models['forest']\n" in text
    assert "# metric_1 is the one named 'bias' that was passed to cv.Explorer\n" in text
    names, _ = ran_and_open(made, models=plain, calibrations=plain, **given)
    assert screen(names["explorer"]).complaint == "" and names["explorer"].state.to_dict() == made.state.to_dict()
    names["explorer"].close()
    made.close()


def test_the_code_of_a_panel_opens_that_panel():
    p = cv.load_dataset("heart")["random forest"]
    made = cv.Panel(
        "reliability", {"one": p, "two": cv.load_dataset("heart")["logistic regression"]}, bins=9, model="two"
    )
    names, _ = ran_and_open(made)
    assert type(names["explorer"]) is cv.Panel
    assert names["explorer"].state.to_dict() == made.state.to_dict()
    names["explorer"].close()
    made.close()


@pytest.mark.parametrize("calibration", [False, True])
def test_the_code_of_a_panel_says_what_was_passed_to_that_panel(calibration):
    p = cv.load_dataset("heart")["random forest"]
    models = {name: cv.Predictions(p.probs, p.labels) for name in ("one", "two")}
    given = {"calibration": models} if calibration else {}
    made = cv.Panel("comparison", models, compared=[("two", "top-1", "")], **given)
    screen(made).finish()
    assert "# models is what was passed to cv.Panel\n" in made.code() and "cv.Explorer" not in made.code()
    assert ("# calibrations is the calibration that was passed to cv.Panel" in made.code()) == calibration
    made.close()

    class Mine(cv.Platt):
        name = "mine"

    alone = cv.Panel("reliability", models["one"], calibrator=Mine())
    assert "# calibrator is the one named 'mine' that was passed to cv.Panel\n" in alone.code()
    assert "# predictions is what was passed to cv.Panel\n" in alone.code()
    alone.close()
