"""`evaluate(..., intervals=0.95)`: beside an error stands the interval of the true one."""

from __future__ import annotations

import numpy as np
import pytest

import calibviz as cv
from calibviz.metrics.distances import InterInterval
from calibviz.uncertainty.intervals import error_inversion
from calibviz.uncertainty.intervals.error_intervals import several_ends

ENDS = ("lower", "estimate", "upper")


def predictions(n=150, seed=0):
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet([0.5, 0.7, 0.9], n)
    return cv.Predictions(probs, rng.integers(0, 3, n), weights=rng.integers(0, 3, n).astype(float))


def test_every_interval_is_that_of_the_direct_call():
    cube = cv.evaluate(
        predictions(),
        ["class 1"],
        binnings=["uniform", "equal-mass"],
        bins=[5, 15],
        intervals=0.8,
        rng=2,
        metrics=["ece", "sweep", "ks", "kuiper", "debiased", "smooth", "brier"],
        progress=False,
    )
    direct = {"ks": (cv.ks_error, None), "kuiper": (cv.kuiper_error, None), "debiased": (cv.debiased_error, None)}
    direct |= {"sweep": (cv.calibration_error, cv.Sweep())}
    found = {name: (cube.sel(lens="class 1"), name, *error) for name, error in direct.items()}
    for name, make in (("uniform", cv.Uniform), ("equal-mass", cv.EqualMass)):
        for bins in (5, 15):
            at = {"lens": "class 1", "binning": name, "bins": bins}
            found[f"{name} {bins}"] = cube.sel(at), "ece", cv.calibration_error, make(bins)
    for cell, name, error, binning in found.values():
        one = cv.interval(predictions(), error=error, lens="class 1", binning=binning, level=0.8, rng=2, progress=False)
        for end in ENDS:
            assert cell[f"{name}_{end}"].item() == getattr(one, end)
    assert set(cube.data_vars) >= {"smooth", "brier"} and "smooth_lower" not in cube and "brier_upper" not in cube
    assert cube.ece_lower.dims == cube.ece.dims
    assert "80 % interval of the true error" in cube.ks_upper.attrs["description"]
    assert "intervals=0.8, rng=2" in cube.attrs["call"]


def test_errors_of_one_problem_share_its_curve_its_draws_and_data_sets(monkeypatch):
    counts = {"curve": 0, "draws": 0, "labels": 0}

    def counting(name, function):
        def counted(*arguments):
            counts[name] += 1
            return function(*arguments)

        return counted

    monkeypatch.setattr(error_inversion, "true_curve", counting("curve", error_inversion.true_curve))
    monkeypatch.setattr(error_inversion._Draws, "_drawn", counting("draws", error_inversion._Draws._drawn))
    monkeypatch.setattr(error_inversion, "MOST_IN_BATCH", 0)  # so that every data set has its own labels
    monkeypatch.setattr(error_inversion.Labelling, "__call__", counting("labels", error_inversion.Labelling.__call__))
    problem = cv.lens("class 1")(cv.Predictions(predictions().probs, predictions().labels))
    errors = [(cv.ks_error, None), (cv.kuiper_error, None), (cv.calibration_error, cv.Uniform(5))]
    alone = [several_ends(problem, cv.lens("class 1"), [one], 0.9, 0)[0] for one in errors]
    separate, counts = dict(counts), dict.fromkeys(counts, 0)
    together = several_ends(problem, cv.lens("class 1"), errors, 0.9, 0)
    assert together == alone
    assert counts["curve"] == 1 and counts["draws"] == error_inversion.REPLICATES
    assert counts["labels"] < separate["labels"]
    assert separate["draws"] == 3 * error_inversion.REPLICATES


@pytest.mark.parametrize(
    ("lens", "arguments", "said"),
    [
        ("full", {}, "an interval needs a scalar lens"),
        ("classwise", {}, "this lens makes 3 problems"),
        ("pooled", {}, "an interval needs one score a sample: pooled entries of a sample share its label"),
        ("top-1", {"p": 2}, "the interval is of the mean distance |s - T|"),
        ("top-1", {"distance": InterInterval(0.2, 0.4)}, "leave p and distance as they are"),
    ],
)
def test_cells_without_an_interval_say_why(lens, arguments, said):
    cube = cv.evaluate(predictions(20), lens, metrics=["ece", "brier"], intervals=0.9, progress=False, **arguments)
    assert cube.ece.notnull().all() and "unavailable" not in cube.ece.attrs
    for end in ENDS:
        assert cube[f"ece_{end}"].isnull().all()
        assert said in cube[f"ece_{end}"].attrs["unavailable"]


def test_summaries_have_the_interval_of_their_sums():
    p = cv.load_dataset("tumours")["naive Bayes"]
    summary = cv.summarize(p, "class malignant")
    cube = cv.evaluate(summary, metrics="ks", intervals=0.95, progress=False)
    one = cv.interval(summary, error=cv.ks_error, progress=False)
    assert (cube.ks_lower.item(), cube.ks_upper.item()) == (one.lower, one.upper)


def test_refusals():
    with pytest.raises(ValueError, match="intervals must lie strictly between 0 and 1, not be 95"):
        cv.evaluate(predictions(5), intervals=95, progress=False)
    with pytest.raises(ValueError, match="intervals are of ece, ks, kuiper, sweep, debiased, of which metrics has no"):
        cv.evaluate(predictions(5), metrics=["brier", "smooth"], intervals=0.9, progress=False)
    with pytest.raises(ValueError, match="pooled entries of a sample share its label"):
        cv.interval(predictions(5), lens="pooled", progress=False)
