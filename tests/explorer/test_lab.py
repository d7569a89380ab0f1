"""The simulation laboratory: what it shows against the engine, and every control worked as the browser would."""

from __future__ import annotations

import base64
import logging

import numpy as np
import pytest
import traitlets
from driver import screen
from efforts import now
from ipywidgets.widgets.widget import _instances

import calibviz as cv
from calibviz.explorer.lab.lab import CONTROLS, FALLS
from calibviz.explorer.lab.situation import MAP_BINS, MAP_SIZES, truth_of
from calibviz.explorer.lab.state import OWN, SAMPLES, SIMULATIONS, SimulationState
from calibviz.explorer.view.page.live import FAILED
from calibviz.foundation.written import difference, percent, points
from calibviz.simulation.drawn import PRESETS
from calibviz.simulation.estimators import ESTIMATORS

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def shared():
    made = cv.SimulationLab("densenet40_c100")
    yield made, made.state.to_dict()
    made.close()


@pytest.fixture
def lab(request, shared):
    """The laboratory as it opens: one of its own for a test that draws other numbers of data, or breaks something."""
    if "monkeypatch" in request.fixturenames:
        made = cv.SimulationLab("densenet40_c100")
        yield made
        made.close()
    else:
        made, first = shared
        made.state.forget()
        made.state.update(network="densenet40_c100", **first)
        assert screen(made).complaint == ""
        yield made


def series(lab, figure, role):
    (record,) = [one for one in lab.view.figures if one.name == figure]
    return next(one for one in record.series if one.role == role)


def label_of(name):
    return CONTROLS[name].word


def click_on_map(lab, row, column):
    screen(lab).click(screen(lab).table("bias"), row, column)


def spread_of(lab):
    """Mean and standard deviation of the estimates on screen."""
    lab.finish()
    values = lab.view.spread.value
    assert len(values) == now().simulations
    return values.mean(), values.std()


CHANGES = {
    "network": ("resnet110_c10", {"a": 2.7752, "b": 0.0478, "transform": "logflip", "b0": -0.24, "b1": 0.3}),
    "a": (3.0, {"a": 3.0}),
    "b": (0.5, {"b": 0.5}),
    "transform": ("log", {"transform": "log"}),
    "b0": (-0.5, {"b0": -0.5}),
    "b1": (1.5, {"b1": 1.5}),
    "n": (800, {"n": 800}),
    "estimator": ("equal-mass", {"estimator": "equal-mass"}),
    "bins": (30, {"bins": 30}),
    "p": (1, {"p": 1}),
    "preset": ("label noise", {"preset": "label noise", "network": OWN}),
    "reach": (0.5, {"reach": 0.5}),
    "rows": ("estimators", {"rows": "estimators"}),
}
#: What they set is no choice that a sentence is about.
OF_PICTURES = ("reach", "rows")


def test_every_control_is_worked():
    assert CHANGES.keys() == CONTROLS.keys()


@pytest.mark.parametrize("name", CONTROLS)
def test_a_control_sets_the_state_and_the_pictures_follow(lab, name):
    value, expected = CHANGES[name]
    before, words = lab.view.figures, screen(lab).words
    screen(lab).set(label_of(name), value)
    after = {choice: getattr(lab.state, choice) for choice in expected}
    assert after == expected
    assert lab.view.situation == lab.state.situation
    assert (screen(lab).words == words) == (name in OF_PICTURES)
    drawn = [(figure.alt, figure.x_range) for figure in before] != [(one.alt, one.x_range) for one in lab.view.figures]
    assert drawn or (name == "rows" and len(lab.view.table.rows) == len(ESTIMATORS))
    assert screen(lab).complaint == ""


@pytest.mark.parametrize("name", [*CHANGES, "network"])
def test_the_controls_follow_the_state(lab, name):
    lab.state.update(**{name: CHANGES[name][0]})
    assert screen(lab).controls[label_of(name)].value == CHANGES[name][0]


def test_the_numbers_are_those_of_the_cube(lab):
    for choices in (
        {"bins": 7},
        {"estimator": "sweep"},
        {"estimator": "ks", "n": 400},
        {"p": 1, "estimator": "uniform"},
    ):
        lab.state.update(**choices)
        state = lab.state
        asked = state.network, state.estimator, state.n, state.bins, state.p
        cube = cv.simulate_errors(*asked, replicates=now().simulations).squeeze()
        mean, std = spread_of(lab)
        assert (mean, std) == pytest.approx((float(cube["mean"]), float(cube["std"])), rel=1e-12)
        assert lab.view.truth == pytest.approx(float(cube.truth), rel=1e-12)
        assert lab.view.tce == pytest.approx(float(cube.tce), rel=1e-12)


def test_the_misses_are_those_of_the_cube(lab):
    for choices in ({"bins": 8}, {"estimator": "sweep"}, {"estimator": "ks", "p": 1}):
        lab.state.update(**choices)
        lab.finish()
        state = lab.state
        names = ["equal-mass", "sweep"] if state.estimator == "sweep" else [state.estimator]
        names = ["uniform", "uniform sweep"] if state.estimator == "uniform" else names
        sets = now().simulations_of_map
        table = cv.miss_rates(state.network, names, MAP_SIZES, state.bins, state.p, replicates=sets)
        (record,) = [one for one in lab.view.figures if one.name == "misses"]
        drawn = [one for one in record.series if one.shape == "line and dots" and len(one.x)]
        assert [one.name.split(" in ")[0] for one in drawn] == names
        for one, rates in zip(drawn, table.miss_rate[:, :, 0].values, strict=True):
            np.testing.assert_allclose(one.y, 100 * rates)
            np.testing.assert_allclose(2**one.x, MAP_SIZES)
        assert "these samples" in [one.name for one in record.series if len(one.x)]


def test_misses_fall_with_the_number_of_samples():
    lab = cv.SimulationLab(cv.Network.power(1.2), estimator="sweep")
    lab.finish()
    (record,) = [one for one in lab.view.figures if one.name == "misses"]
    swept = next(one for one in record.series if one.name == "sweep")
    assert swept.y[0] > swept.y[-1] == 0
    assert "sweep notices it 4 times out of 5 from 800 samples on" in record.alt
    lab.close()


def test_the_code_makes_the_numbers(of_estimates, lab):
    lab.state.update(a=1.5, estimator="equal-mass debiased", bins=9)
    for _ in range(2):
        space = {}
        exec(lab.code().replace("cube[[", "observed = cube[[", 1), space)
        assert float(space["observed"]["mean"]) == pytest.approx(spread_of(lab)[0])
        lab.state.network = "resnet110_c100"


def test_the_map_is_that_of_the_cube(lab):
    lab.finish()
    names, sets = ["uniform", "uniform sweep"], now().simulations_of_map
    cube = cv.simulate_errors("densenet40_c100", names, MAP_SIZES, MAP_BINS, replicates=sets)
    rows = lab.view.table.rows
    assert [row[0].text for row in rows] == [*map(str, MAP_BINS), "sweep"]
    bias = 100 * cube.bias.squeeze().transpose("estimator", "bins", "n")
    expected = np.vstack([bias[0], bias[1, :1]])
    assert [[cell.text for cell in row[1:]] for row in rows] == [
        [f"{one:+.2f}".replace("-", "−") for one in row] for row in expected
    ]
    means = 100 * cube["mean"].sel(estimator="uniform", n=200).squeeze()
    np.testing.assert_allclose(series(lab, "estimates-by-bins", "bins").y, means)
    chosen = float(cube.sweep_bins.sel(estimator="uniform sweep", n=200).squeeze())
    assert series(lab, "estimates-by-bins", "cursor").x[0] == pytest.approx(np.log2(chosen))


def test_a_size_that_the_map_lacks_has_its_curve(lab):
    lab.state.n = 12800
    lab.finish()
    assert len(series(lab, "estimates-by-bins", "bins").x) == len(MAP_BINS)
    assert lab.view.table.current is None, "neither 15 bins nor 12,800 samples are in it"
    lab.state.bins = 16
    assert lab.view.table.current == (3, None)
    assert 12800 in SAMPLES


def test_a_click_on_the_map_looks_there(lab):
    click_on_map(lab, 4, 2)
    assert (lab.state.bins, lab.state.n, lab.state.estimator) == (32, 400, "uniform")
    assert lab.view.table.current == (4, 2)
    click_on_map(lab, 6, 3)
    assert (lab.state.n, lab.state.estimator) == (800, "uniform sweep")
    assert lab.view.table.current == (6, 3)
    click_on_map(lab, 0, 1)
    assert (lab.state.bins, lab.state.estimator) == (2, "uniform")
    lab.state.estimator = "ks"
    assert [row[0].text for row in lab.view.table.rows] == ["any"]
    click_on_map(lab, 0, 6)
    assert (lab.state.n, lab.state.estimator) == (6400, "ks")


def test_another_sample_is_another_one(lab):
    first = lab.view.sample.score
    assert len(first) == 200
    lab.state.sample = 1
    assert not np.array_equal(lab.view.sample.score, first)
    lab.state.sample = 0
    np.testing.assert_array_equal(lab.view.sample.score, first)


def test_samples_fall_one_by_one_and_the_histogram_has_their_estimates(of_estimates, lab):
    lab.state.estimator = "ks"
    lab.finish()
    every = {row.name: row.estimates for row in lab.view.estimator_rows}
    for label, sets in (("draw one", 1), ("draw one", 2), ("draw 100", 102), ("all 1,000", 1000), ("draw 100", 100)):
        screen(lab).press(label)
        assert (lab.state.sets, lab.state.sample) == (sets, sets - 1)
        for row in lab.view.estimator_rows:
            np.testing.assert_array_equal(row.estimates, every[row.name][:sets])
            if sets <= len(every[row.name]):
                assert row.current == pytest.approx(row.estimates[-1], rel=1e-12), row.name
        assert lab.view.figures[2].title.startswith(f"Estimates of {sets:,} data sets")
        lab.finish()
    screen(lab).press("all 1,000")
    lab._play.value = 0
    assert lab.state.sets == 1
    lab._play.value = len(FALLS) - 1
    assert lab.state.sets == SIMULATIONS
    lab.state.sets = 12
    assert FALLS[lab._play.value] >= 12 > FALLS[lab._play.value - 1]


def test_every_estimator_is_measured_on_the_same_samples(lab):
    lab.finish()
    names = [name for name, estimator in ESTIMATORS.items() if not estimator.one_by_one]
    sets = now().simulations
    cube = cv.simulate_errors("densenet40_c100", names, 200, 15, replicates=sets, progress=False).squeeze()
    rows = {row.name: row for row in lab.view.estimator_rows}
    assert list(rows) == list(ESTIMATORS)
    for name in names:
        mean, std = rows[name].moments
        expected = cube.sel(estimator=name)
        assert (mean, std) == pytest.approx((float(expected["mean"]), float(expected["std"])), rel=1e-12)
        assert rows[name].truth == pytest.approx(float(expected.truth), rel=1e-9)
    assert len(rows["kde"].estimates) == len(rows["smooth"].estimates) == now().slow_simulations
    assert lab.view.separation == "True probabilities: 76.73 % on average, spread by 25.43 points."


def test_the_map_of_estimators_is_that_of_the_cube(lab):
    lab.state.update(rows="estimators", bins=8)
    lab.finish()
    names, sets = ["uniform", "sweep", "equal-mass debiased", "ks"], now().simulations_of_map
    cube = cv.simulate_errors("densenet40_c100", names, MAP_SIZES, 8, replicates=sets, progress=False)
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in lab.view.table.rows}
    assert list(rows) == list(ESTIMATORS)
    for name in names:
        assert rows[name] == [difference(bias, "%") for bias in cube.bias.squeeze().sel(estimator=name).values]
    click_on_map(lab, list(ESTIMATORS).index("ks"), 3)
    assert (lab.state.estimator, lab.state.n) == ("ks", 800)
    assert f"in 8 bins: mean of {sets} estimates" in lab.view.table.note


def drop(lab, figure, place, y):
    """Drop a handle of a picture at a height, as the browser tells of it."""
    dots = lab._plots[figure]._mark_of("handle")
    dots._handle_custom_msgs(dots, {"event": "drag_end", "index": place, "point": {"x": 0.4, "y": y}})
    return dots


def test_the_true_curve_is_bent_by_hand(lab):
    network = lab.state.situation.network
    before = network.true_curve(np.arange(11) / 10)
    dots = drop(lab, "sample", 4, 0.9)
    assert lab.state.curve == pytest.approx([*before[:4], 0.9, *before[5:]], abs=5e-5)
    assert dots.y[4] == np.float32(0.9)
    assert lab.state.network == OWN
    assert lab.view.situation.network.score_key == network.score_key, "the scores stay"
    assert lab.view.truth == pytest.approx(cv.true_calibration_error(lab.view.situation.network))
    dots._transport._handle_custom_msg({"moved": 0, "mark": dots.model_id, "to": 0.25}, [])
    assert lab.state.curve[0] == 0.25
    dots._transport._handle_custom_msg({"dragged": 1, "mark": dots.model_id, "to": 1.7}, [])
    assert lab.state.curve[1] == 1.0, "no further than to 1"
    screen(lab).set("b1", 0.5)
    assert lab.state.curve == ()


def test_the_density_is_drawn_by_hand(lab):
    before = lab.state.situation.network.shares_between(np.arange(21) / 20)
    drop(lab, "sample-scores", 3, 0.8)
    assert lab.state.density[3] == 0.8
    assert lab.state.density[19] == 1.0 == max(lab.state.density)
    assert lab.state.density[10] == pytest.approx(before[10] / before[19], abs=5e-5)
    for place in range(19):
        drop(lab, "sample-scores", place, 0.0)
    drop(lab, "sample-scores", 19, 0.0)
    assert "density: all heights are 0" in screen(lab).complaint
    assert lab.state.density[19] == 1.0
    screen(lab).set("a", 2.0)
    assert lab.state.density == ()


@pytest.mark.thorough
@pytest.mark.parametrize("preset", PRESETS)
def test_presets_change_the_curve_and_the_code_makes_the_numbers(of_estimates, lab_of_digits, preset):
    lab = lab_of_digits
    screen(lab).set("begin with", preset)
    assert lab.state.preset == screen(lab).controls["begin with"].value == preset
    is_base_rate = preset == "base rate"
    assert (lab.state.situation.network.score_key == lab.state.situation.of_predictions.score_key) != is_base_rate
    assert (lab.view.truth < 1e-12) == (preset in ("calibrated", "base rate"))
    lab.finish()
    assert ("for everybody" in lab.view.separation) == is_base_rate
    space = {}
    exec(lab.code().replace("cube[[", "observed = cube[[", 1), space)
    assert float(space["observed"]["mean"]) == pytest.approx(lab.view.spread.value.mean(), rel=1e-12)
    lab.state.preset = "zigzag"
    assert lab.state.density == () and not lab.state.rounded
    assert parameters_on_screen(lab) == set(), "they have no effect on the scores at hand"
    lab.state.network = "predictions"
    assert lab.state.preset is None and lab.state.curve == ()


def parameters_on_screen(lab):
    return {label_of(name) for name in SimulationState.PARAMETERS} & screen(lab).controls.keys()


def test_what_is_drawn_opens_again():
    network = cv.Network.drawn([0.5] * 11, [1.0] * 20)
    lab = cv.SimulationLab(network, n=400)
    assert lab.state.curve == network.curve and lab.state.density == network.density
    again = SimulationState(**lab.state.to_dict())
    assert again.situation == lab.state.situation
    lab.close()


def test_an_estimator_says_of_how_many_data_sets_it_is_where_others_have_more(of_slow_estimates, lab):
    lab.finish()
    shown = {label.lines[0][0].text.strip(): label.lines[0][-1].text for label in lab.view.figures[2].labels}
    for row in lab.view.estimator_rows:
        sets = now().slow_simulations if ESTIMATORS[row.name].one_by_one else SIMULATIONS
        assert len(row.estimates) == sets
        assert shown[row.name].endswith(f"({sets} sets)") == (sets < SIMULATIONS), shown[row.name]
    assert f"{SIMULATIONS:,} estimates (200 samples each): " in lab.view.words
    screen(lab).press("remember as A")
    screen(lab).press("draw 100")
    assert not any("sets)" in label.lines[0][-1].text for label in lab.view.figures[2].labels)
    assert (
        "100 estimates (200 samples each): " in lab.view.words
        and "1,000 estimates (200 samples each)" in lab.view.comparison
    )


def test_a_setting_is_kept_behind_another(lab):
    assert {"swap with A", "forget A"}.isdisjoint(screen(lab).buttons)
    first = lab.state.situation
    screen(lab).press("remember as A")
    assert lab.state.kept == first
    lab.state.update(preset="zigzag", n=800, estimator="sweep")
    second = lab.state.situation
    (curve,) = (one for one in lab.view.figures[0].series if one.name == "A")
    np.testing.assert_allclose(curve.y, first.network.true_curve(curve.x))
    assert lab.view.comparison.startswith("A: True error 23.36 %. ")
    lab.finish()
    behind = series(lab, "estimates", "limit")
    assert np.isnan(behind.x).sum() == len(ESTIMATORS) - 1, "a histogram for each"
    screen(lab).press("swap with A")
    assert (lab.state.situation.network, lab.state.n, lab.state.estimator) == (first.network, 200, "uniform")
    assert lab.state.kept.network == second.network
    screen(lab).press("swap with A")
    assert lab.state.preset == "zigzag"
    screen(lab).press("forget A")
    assert lab.state.kept is None and lab.view.comparison == ""
    with pytest.raises(ValueError, match=r"^nothing is kept: call keep\(\) first$"):
        lab.state.swap()


def test_a_setting_of_another_network_comes_back(lab_of_digits):
    lab = lab_of_digits
    lab.state.keep()
    lab.state.update(network="resnet110_c10", n=200)
    lab.state.swap()
    assert lab.state.network == "predictions"
    lab.state.swap()
    assert (lab.state.network, lab.state.n) == ("resnet110_c10", 200)


def test_the_axis_of_estimates_stays_until_it_is_moved(lab):
    reach = lab.state.reach
    lab.state.preset = "calibrated"
    lab.finish()
    assert np.nanmax(series(lab, "estimates", "truth").x) < 1e-9
    assert lab.view.figures[2].x_range[1] == 100 * reach
    screen(lab).press("fit")
    assert lab.state.reach < reach
    assert lab.view.figures[2].x_range[1] == 100 * lab.state.reach
    lab.state.reach = 0.02
    assert any("beyond" in label.lines[0][0].text for label in lab.view.figures[2].labels)


def test_a_click_on_a_mean_looks_at_its_estimator(lab):
    lab.finish()
    means = lab._plots["estimates"]._mark_of("bins")
    places = [row.name for row in lab.view.estimator_rows if row.has_mean(lab.state.reach)]
    means._transport._handle_custom_msg({"mark": means.model_id, "clicked": places.index("sweep")}, [])
    assert lab.state.estimator == "sweep"


def test_an_estimator_that_cannot_measure_stands_empty(lab):
    lab.state.update(preset="base rate", rows="estimators", n=100)
    lab.finish()
    rows = {row.name: row for row in lab.view.estimator_rows}
    assert len(rows["kde"].estimates) == 0 and np.isnan(rows["kde"].current)
    assert len(rows["smooth"].estimates) == now().slow_simulations
    cells = {row[0].text: {cell.text for cell in row[1:]} for row in lab.view.table.rows}
    assert cells["kde"] == {"–"}
    assert screen(lab).complaint == ""


def test_the_sample_is_measured_as_the_engine_does(lab):
    for name, binning in (("uniform", cv.Uniform(15)), ("equal-mass", cv.EqualMass(15)), ("sweep", cv.Sweep())):
        lab.state.estimator = name
        expected = cv.calibration_error(lab.view.sample, binning=binning, p=2)
        assert lab.view.current == pytest.approx(expected)
        bins = binning(lab.view.sample)
        np.testing.assert_allclose(series(lab, "sample", "bins").y, bins.target[bins.weight > 0])


def test_own_parameters_are_a_network_of_ones_own(lab):
    lab.state.b1 = 0.5
    assert lab.state.network == OWN == screen(lab).controls["network"].value
    screen(lab).set("network", "resnet152_imagenet")
    assert (lab.state.a, lab.state.network) == (1.1359, "resnet152_imagenet")
    screen(lab).set("network", OWN)
    assert lab.state.network == screen(lab).controls["network"].value == "resnet152_imagenet", "there is nothing to set"


def test_what_a_slider_makes_of_a_value_is_no_choice(lab):
    """A slider that knows whole steps only tells the nearest of them, once it is shown."""
    screen(lab).set("a", 10**0.03)
    screen(lab).set("b0", -0.9700000000000006)
    assert lab.state.network == "densenet40_c100"
    screen(lab).set("a", 10**0.04)
    assert lab.state.a == 10**0.04


@pytest.fixture
def digits():
    return cv.load_dataset("digits")["neural network"]


@pytest.fixture
def lab_of_digits(digits):
    made = cv.SimulationLab(digits)
    yield made
    made.close()


@pytest.mark.parametrize("name", ["digits", "heart", "tumours"])
def test_it_opens_on_the_scores_at_hand_and_the_curve_of_trust(name):
    for predictions in cv.load_dataset(name).values():
        lab = cv.SimulationLab(predictions)
        curve_error = cv.trust(predictions, replicates=19, progress=False).curve_error
        assert lab.view.truth == pytest.approx(curve_error, rel=1e-12)
        assert screen(lab).words.startswith(f"True error {percent(curve_error)}")
        assert np.isin(lab.view.sample.score, cv.Network.empirical(predictions).problem.score).all()
        lab.close()


def test_it_says_where_the_scores_come_from(lab_of_digits, digits):
    lab = lab_of_digits
    assert (lab.state.n, lab.state.p) == (1600, 1), "about as many as the 1,797, and the ECE"
    assert lab.state.network == screen(lab).controls["network"].value == "predictions"
    assert screen(lab).footnote == (
        "Simulated: the scores of 1,797 predictions (top-1), with the true curve that cv.trust fits to them. The true "
        "error is that of this curve; cv.interval says between which errors that of the predictions lies."
    )
    assert [one.name for one in lab.view.figures[1].series] == ["scores", "all of the predictions", ""]
    (drawn,) = (one for one in lab.view.figures[0].series if one.name == "truth")
    scores = cv.Network.empirical(digits).problem.score
    assert (drawn.x[0], drawn.x[-1]) == (scores[0], scores[-1]), "no curve where no score is"
    again = cv.SimulationLab(digits, n=400, p=2)
    assert again.state.to_dict().items() >= {"n": 400, "p": 2, "network": "predictions"}.items()
    lab.state.update(**again.state.to_dict())
    assert lab.state.situation.n == 400
    again.close()


def test_the_fitted_beta_says_how_far_off_it_is(lab_of_digits, digits):
    lab, fitted = lab_of_digits, cv.fit_network(digits).network
    own = lab.view.truth
    assert [label for label, _ in screen(lab).controls["network"].options][:2] == [
        "your predictions",
        "a Beta fitted to them",
    ]
    assert screen(lab).controls["network"].tooltip.startswith("Your predictions' scores and the curve that cv.trust")
    parameters = {label_of(name) for name in SimulationState.PARAMETERS}
    assert parameters.isdisjoint(screen(lab).controls), "they have no effect on the scores at hand"
    screen(lab).set("network", "fitted")
    assert (lab.state.a, lab.state.b, lab.state.transform) == (fitted.a, fitted.b, fitted.transform)
    assert lab.state.network == screen(lab).controls["network"].value == "fitted"
    assert screen(lab).controls["a"].description == f"a = {fitted.a:.4g}"
    assert parameters <= screen(lab).controls.keys()
    theirs = cv.true_calibration_error(fitted, 1)
    assert screen(lab).words.startswith(f"True error {percent(theirs)}")
    assert screen(lab).footnote == (
        "Fitted to the scores of 1,797 predictions (top-1). With the scores of the predictions and the true curve that "
        f"cv.trust fits to them, the true error is {percent(own)}, {points(theirs - own)} less; the share of scores "
        f"below any value differs by at most {points(cv.Network.empirical(digits).share_apart(fitted))}."
    )
    screen(lab).set("b1", 0.1)
    assert lab.state.network == OWN
    assert f"the true error is {percent(own)}, {points(abs(lab.view.truth - own))} " in screen(lab).footnote
    screen(lab).set("network", "predictions")
    assert lab.view.truth == own


def test_the_numbers_of_the_scores_at_hand_are_those_of_the_cube(of_estimates, lab_of_digits):
    lab = lab_of_digits
    for network in ("predictions", "fitted"):
        lab.state.update(network=network, estimator="equal-mass", n=200)
        space = {}
        exec(lab.code().replace("cube[[", "observed = cube[[", 1), space)
        assert float(space["observed"]["mean"]) == pytest.approx(spread_of(lab)[0], rel=1e-12)
        assert float(space["observed"]["truth"]) == pytest.approx(lab.view.truth, rel=1e-12)
        sets = now().simulations_of_map
        table = cv.miss_rates(
            lab.view.situation.network, "equal-mass", MAP_SIZES, 15, 1, replicates=sets, progress=False
        )
        (record,) = [one for one in lab.view.figures if one.name == "misses"]
        drawn = next(one for one in record.series if one.shape == "line and dots" and len(one.x))
        np.testing.assert_allclose(drawn.y, 100 * table.miss_rate.squeeze())


def test_the_code_names_what_was_passed(digits, lab_of_digits):
    loaded = "predictions = cv.load_dataset('digits')['neural network']\nnetwork = cv.Network.empirical(predictions)\n"
    assert loaded in lab_of_digits.code()
    lab = cv.SimulationLab(cv.Predictions(digits.probs, digits.labels))
    assert "# predictions is what was passed to cv.SimulationLab\nnetwork = cv.Network.empirical(" in lab.code()
    lab.close()
    lab = cv.SimulationLab(cv.Network.empirical(digits, "class 3"))
    assert "# network is what was passed to cv.SimulationLab\ncube = cv.simulate_errors(network, " in lab.code()
    assert "the scores of 1,797 predictions (class 3)" in screen(lab).footnote
    lab.close()


def test_scores_that_no_beta_fits_open_all_the_same():
    lab = cv.SimulationLab(cv.Predictions(np.tile([0.3, 0.7], (40, 1)), np.arange(40) % 2))
    assert screen(lab).words.startswith("True error ")
    screen(lab).set("network", "fitted")
    assert screen(lab).complaint == "all scores are 0.7: no Beta distribution fits one value"
    assert lab.state.network == screen(lab).controls["network"].value == "predictions"
    screen(lab).set("network", "resnet110_c10")
    assert screen(lab).complaint == ""
    assert lab.state.network == "resnet110_c10"
    lab.close()


def test_parameters_are_refused_where_they_have_no_effect(lab, lab_of_digits):
    before = lab_of_digits.state.situation
    for choices in ({"a": 2.0}, {"n": 400, "transform": "log"}, {"network": "predictions", "b1": 0.5}):
        with pytest.raises(
            traitlets.TraitError, match="has no effect on the scores of predictions: set network to 'fi"
        ):
            lab_of_digits.state.update(**choices)
    with pytest.raises(traitlets.TraitError, match=r"^a has no effect"):
        lab_of_digits.state.a = 2.0
    assert lab_of_digits.state.situation == before
    lab_of_digits.state.update(network="fitted", a=2.0)
    assert (lab_of_digits.state.a, lab_of_digits.state.network) == (2.0, OWN)
    for name in ("predictions", "fitted"):
        message = f"^network must not be '{name}' without predictions: pass them to cv.SimulationLab$"
        with pytest.raises(traitlets.TraitError, match=message):
            lab.state.network = name


def test_a_namesake_is_a_network_of_ones_own():
    lab = cv.SimulationLab(cv.Network("resnet110_c10", np.float64(1), np.float32(1), "log", 0, 2.0))
    assert "cv.Network(name='own', a=1.0, b=1.0, transform='log', b0=0.0, b1=2.0)" in lab.code()
    lab.close()


def test_what_is_still_on_screen_goes_on_filling_in(lab, monkeypatch):
    lab.state.n = 12800
    before = lab.view.mapped
    assert not before.done
    monkeypatch.setattr("calibviz.explorer.lab.situation.sample_figures", None)
    lab.state.bins = 20
    monkeypatch.undo()
    assert "not callable" in screen(lab).complaint
    lab.finish()
    assert before.done and before.value


def test_refusals_keep_the_last_view(lab):
    words = screen(lab).words
    for choices, message in (
        ({"a": 0.0}, "a must lie strictly between 0 and inf, not be 0"),
        ({"bins": 101, "n": 400}, "bins must be between 1 and 100, not 101"),
        ({"sample": -1}, "sample must be between 0 and 999, not -1"),
        ({"sets": 0}, "sets must be between 1 and 1000, not 0"),
        ({"curve": [0.5] * 3}, "curve must have 11 numbers"),
        ({"preset": "wavy"}, "preset must be one of 'calibrated'"),
        ({"network": "vgg"}, "network must be one of 'resnet110_c10'"),
        ({"size": 3}, "'size' is not a choice: there are network, preset, a, b"),
    ):
        with pytest.raises(traitlets.TraitError, match=message):
            lab.state.update(**choices)
    screen(lab).controls["bins"].max = 200  # as a page may be made to send it
    screen(lab).set("bins", 101)
    assert "bins must be between 1 and 100, not 101" in screen(lab).complaint
    assert screen(lab).words == words
    assert lab.state.n == 200, "all or none"
    with pytest.raises(AttributeError, match="'sizes' is not a choice"):
        lab.state.sizes = 3
    lab.state.n = 400
    assert screen(lab).complaint == ""


def test_an_estimator_that_cannot_measure_says_so(lab):
    lab.state.update(network="resnet110_c10", b0=5.0, n=100, estimator="kde")  # every label is 0
    lab.finish()
    assert "Estimates fail: the kernel density error has no bandwidth" in screen(lab).words
    assert "The map fails: the kernel density error" in lab.view.table.note
    assert {cell.text for cell in lab.view.table.rows[0][1:]} == {"–"}
    assert screen(lab).complaint == ""
    lab.state.update(network="resnet110_c10", estimator="uniform")
    lab.finish()
    assert "on average" in screen(lab).words


def test_a_failure_shows_a_sentence_and_is_logged(lab, monkeypatch, caplog):
    words = screen(lab).words

    def broken(*_):
        raise RuntimeError("boom")

    monkeypatch.setattr("calibviz.explorer.lab.situation.sample_figures", broken)
    with caplog.at_level(logging.ERROR):
        lab.state.bins = 20
    assert FAILED in screen(lab).complaint
    assert "boom" in caplog.text
    assert screen(lab).words == words
    with pytest.raises(ValueError, match="the choices cannot be shown"):
        lab.code()
    monkeypatch.undo()
    lab.state.bins = 21
    assert screen(lab).complaint == ""


def test_every_estimator_has_a_view():
    """Few samples, so that the slow ones take but a moment."""
    lab = cv.SimulationLab(cv.Network.power(1.5), n=100, bins=4)
    for name in ESTIMATORS:
        lab.state.estimator = name
        assert screen(lab).complaint == ""
        assert np.isfinite(lab.view.current)
        assert f"{100 * truth_of(cv.Network.power(1.5), name, 2):.2f} %" in screen(lab).words
    lab.close()


def test_it_leaves_nothing_behind():
    before = set(_instances)
    lab = cv.SimulationLab()
    lab.finish()
    lab.state.update(n=400, estimator="sweep")
    assert len(set(_instances) - before) > 50
    lab.close()
    assert set(_instances) == before
    with pytest.raises(traitlets.TraitError):
        cv.SimulationLab(bins=0)
    with pytest.raises(ValueError, match="network must be one of"):
        cv.SimulationLab("vgg")
    assert set(_instances) == before


def test_a_still_picture_and_a_sentence(lab):
    bundle = lab._repr_mimebundle_()
    assert base64.b64decode(bundle["image/png"]).startswith(PNG)
    assert bundle["text/plain"].startswith("SimulationLab: True error 23.36 %")
    assert len(lab.figure().axes) == 5


def test_words_are_true(of_estimates, lab):
    mean, std = spread_of(lab)
    off = mean - lab.view.truth
    assert f"samples each): {percent(mean)} on average, {points(abs(off))} too little" in lab.view.words
    assert f"spread by {points(std)}" in lab.view.words
    lab.state.update(a=1.0, b=1.0, transform="identity", n=6400, estimator="uniform")
    assert "True error 0.00 %." in lab.view.words
    assert "points too much" in lab.view.words


def test_choices_as_a_dictionary(lab):
    lab.state.update(n=400, p=1)
    again = SimulationState(**{key: value for key, value in lab.state.to_dict().items()})
    assert again.situation == lab.state.situation


def test_a_curve_bent_by_hand_leaves_the_scores_of_the_predictions(lab_of_digits):
    """Both are rounded otherwise, by less than what is worth a number."""
    drop(lab_of_digits, "sample", 4, 0.9)
    assert 0 < lab_of_digits.state.situation.of_predictions.share_apart(lab_of_digits.state.situation.network) < 1e-6
    assert screen(lab_of_digits).footnote.endswith("; the scores are the same.")
