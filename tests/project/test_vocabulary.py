"""One word for one argument, in every public signature: nobody has to remember how a function calls it."""

from __future__ import annotations

import inspect
import types
from typing import Any

import api_calls
import numpy as np
import pytest
from public import documented

import calibviz as cv
from calibviz.data.models import OTHER_NAMES

#: What an argument is never called, and what it is called instead. n stands for a number of samples alone.
NEVER = {
    "statistic": "error",
    "measure": "error",
    "simulations": "replicates",
    "bootstrap": "replicates",
    "draws": "replicates",
    "likert": "categories",
    "seed": "rng",
    "random_state": "rng",
}
OF_SAMPLES = {"LazyPredictions.sample", "simulated", "simulate_errors", "miss_rates", "sample_size"}
BY_KEYWORD = {"error", "replicates", "level", "categories", "rng"}
#: Views have choices of their own, which are the state's; a dataclass is written by its fields.
VIEWS = {"Explorer", "Panel", "SimulationLab", "ExplorerState", "SimulationState"}
KINDS = inspect.Parameter


def signatures() -> dict[str, inspect.Signature]:
    found = {}
    for target in api_calls.targets():
        owner, _, name = target.rpartition(".")
        if owner in ("compared", "condition") or target.split(".")[0] in VIEWS:
            continue
        base = documented()[owner] if owner else cv
        if not isinstance(base, types.ModuleType | type):
            base = type(base)
        found[target] = inspect.signature(documented().get(target) or getattr(base, name))
    return found


ALL = signatures()


def test_no_argument_has_another_name():
    wrong = {(name, one) for name, signature in ALL.items() for one in signature.parameters if one in NEVER}
    wrong -= {("check", "measure")}  # a name, as in the command, of which one is no error
    assert not wrong, [f"{name}({one}=) is {NEVER[one]}=" for name, one in sorted(wrong)]
    counted = {name for name, signature in ALL.items() if "n" in signature.parameters}
    assert counted == OF_SAMPLES


def test_levels_are_95_percent_and_random_numbers_0_where_nothing_is_said():
    levels = {name: one.parameters["level"].default for name, one in ALL.items() if "level" in one.parameters}
    assert len(levels) > 15 and set(levels.values()) == {0.95}
    draws = {name: one.parameters["rng"].default for name, one in ALL.items() if "rng" in one.parameters}
    assert len(draws) > 15 and set(draws.values()) == {0}


def test_what_follows_predictions_and_lens_goes_by_keyword():
    for name, signature in ALL.items():
        is_function = inspect.isfunction(getattr(cv, name, None)) or name.startswith("plots.")
        positional = [one.name for one in signature.parameters.values() if one.kind is not KINDS.KEYWORD_ONLY]
        if is_function and positional[:1] in (["predictions"], ["models"], ["summary"], ["windows"]):
            assert positional[1:] in (
                [],
                ["lens"],
                ["lenses"],
                ["curve", "at"],
                ["centre", "lens"],
                ["number", "imputation", "lens"],
            ), name
        if is_function:
            assert not BY_KEYWORD & set(positional), name


def test_an_old_name_is_unknown_to_python():
    p = cv.simulated("resnet110_c10", 50)
    for call in (
        lambda: cv.bootstrap(p, statistic=cv.ks_error),
        lambda: cv.evaluate(p, likert=[0, 0.5, 1]),
        lambda: cv.sensitivity(p, n=3),
        lambda: cv.simulated("resnet110_c10", 50, seed=1),
    ):
        with pytest.raises(TypeError, match="got an unexpected keyword argument"):
            call()


@pytest.mark.parametrize(
    ("function", "keyword", "advice"),
    [
        (cv.calibration_error, "n_bins", r"; pass binning=cv.Uniform\(10\)$"),
        (cv.reliability, "strategy", r"; pass binning=cv.EqualMass\(10\)$"),
        (cv.bootstrap, "random_state", "; pass rng=0$"),
        (cv.ks_error, "n_bins", "'n_bins'$"),  # it has none
        (cv.ks_error, "slection", r"; did you mean 'selection'\?$"),
        (cv.brier_score, "sample_weight", r"; pass cv.Predictions\(probs, labels, weights=\.\.\.\)$"),
        (cv.brier_score, "fields", r"; pass cv.Predictions\(probs, labels, fields=\.\.\.\)$"),
        (cv.log_loss, "y_true", r"; pass labels=\.\.\.$"),
    ],
)
def test_a_keyword_of_another_package_is_answered_with_that_of_this_one(function, keyword, advice):
    with pytest.raises(TypeError, match=advice):
        function([0.2, 0.7, 0.4], [0, 1, 1], **{keyword: 1})


def test_each_advice_is_a_keyword_that_some_function_takes():
    named = {advice.partition("=")[0] for advice in OTHER_NAMES.values()}
    known = {
        name
        for function in map(cv.__dict__.get, cv.__all__)
        if inspect.isfunction(function)
        for name in inspect.signature(function).parameters
    }
    assert named <= known


def drawn(rng: Any) -> list[Any]:
    """What a number of functions draw, each once."""
    p = cv.simulated("resnet110_c10", 60, rng=rng)
    quick = {"rng": rng, "progress": False}
    return [
        p.confidence.tolist(),
        p.split(0.5, rng=rng)[0].confidence.tolist(),
        cv.bootstrap(p, error=cv.ks_error, replicates=9, **quick).replicates.tolist(),
        cv.consistency(p, error=cv.ks_error, replicates=9, **quick).replicates.tolist(),
        cv.sensitivity(p, settings=[5], replicates=9, **quick)["std"].values.tolist(),
        cv.evaluate(p, metrics="brier", replicates=9, **quick).brier_quantile.values.tolist(),
        cv.HistogramBinning(replicates=9, rng=rng).fit(p.confidence, p.top_target)([0.2, 0.9]).tolist(),
    ]


def test_a_generator_draws_on_a_number_repeats_and_none_differs():
    assert drawn(7) == drawn(7) == drawn(np.int64(7)) != drawn(8)
    assert drawn(np.random.default_rng(7)) == drawn(np.random.default_rng(7))
    one = np.random.default_rng(7)
    first, second = drawn(one), drawn(one)
    assert all(a != b for a, b in zip(first[:3], second[:3], strict=True))
    assert drawn(None) != drawn(None)
    for bad in (-1, 1.5, True, "x", np.random.RandomState(0)):
        with pytest.raises((TypeError, ValueError), match=r"^rng must be"):
            cv.simulated("resnet110_c10", 5, rng=bad)


def test_a_binning_is_taken_after_the_lens_and_nothing_else_is():
    p = cv.simulated("resnet110_c10", 60)
    by_keyword = cv.calibration_error(p, "top-1", binning=cv.Uniform(5))
    assert cv.calibration_error(p, "top-1", cv.Uniform(5)) == by_keyword
    assert cv.calibration_error(p.probs, p.labels, "top-1", cv.Uniform(5)) == by_keyword
    with pytest.raises(TypeError, match="binning must be"):
        cv.calibration_error(p, "top-1", "confidence > 0.5")
    with pytest.raises(TypeError, match="positional arguments"):
        cv.calibration_error(p, "top-1", cv.Uniform(5), "confidence > 0.5")
    with pytest.raises(TypeError, match="positional arguments"):
        cv.ks_error(p, "top-1", cv.Uniform(5))
