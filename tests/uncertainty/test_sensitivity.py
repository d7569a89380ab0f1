"""How an error depends on gamma, on the number of bins and on the number of samples; the flattest window."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, strategies as st
from samples import confident
from slow import equal_mass_bins, error, one_hot, scalar_lens, uniform_bins

import calibviz as cv
from calibviz.engine.scalar import EmptyProblemError
from calibviz.foundation.written import points
from calibviz.uncertainty.sensitivity import flattest_window

DATA = Path(__file__).parents[3] / "shared" / "data"
MAKE = {"k-d tree": cv.KDTree, "uniform": cv.Uniform, "equal-mass": cv.EqualMass}


def predictions(n=120, seed=0, weights=None):
    rng = np.random.default_rng(seed)
    true = rng.dirichlet([0.6, 0.6, 0.6], n)
    probs = true**2 / (true**2).sum(axis=1, keepdims=True)
    return cv.Predictions(
        probs,
        [rng.choice(3, p=row) for row in true],
        weights=weights,
        class_names=["cat", "dog", "eel"],
        groups={"pets": ["cat", "dog"], "wild": ["eel"]},
        fields={"age": rng.integers(20, 60, n)},
    )


@pytest.mark.parametrize(
    ("lens", "kind", "settings", "choices"),
    [
        ("top-1", "uniform", [1, 2, 5, 15, 100], {}),
        ("top-1", "equal-mass", [1, 3, 10, 120, 200], {"p": 2}),
        ("top-1", "k-d tree", [0.5, 0.02], {"selection": "output > 0.5 and age < 55"}),
        ("full", "k-d tree", [0.4, 0.05, 0.2], {"distance": cv.Lp(2)}),
        ("full", "uniform", [1, 4, 2], {"selection": "age > 30"}),
        ("top-2", "k-d tree", [0.1, 0.3], {"aggregate": "max"}),
        ("grouping", "equal-mass", [2, 6], {"outcome": "wild"}),
        ("classwise", "uniform", [1, 7], {}),
        ("classwise", "k-d tree", [0.2, 0.6], {"selection": "confidence > 0.5"}),
        ("top-1 by class", "equal-mass", [4, 9], {}),
        ("classwise", "equal-mass", [5], {"outcome": "dog"}),
        ("pooled", "uniform", [3, 30], {}),
    ],
)
def test_it_is_the_direct_error_and_the_direct_bootstrap(lens, kind, settings, choices):
    p = predictions()
    found = cv.sensitivity(
        p, lens, binning=kind, settings=settings, replicates=12, level=0.8, rng=4, progress=False, **choices
    )
    dim = "gamma" if kind == "k-d tree" else "bins"
    assert found["error"].dims == (dim,)
    assert found[dim].values.tolist() == settings

    for setting in settings:
        binning = MAKE[kind](setting)

        def statistic(q, binning=binning):
            return cv.calibration_error(q, lens, binning=binning, **choices)

        at = found.sel({dim: setting})
        direct = cv.bootstrap(p, error=statistic, replicates=12, level=0.8, rng=4, progress=False)
        for name, value in (
            ("error", direct.estimate),
            ("mean", direct.mean),
            ("std", direct.std),
            ("lower", direct.lower),
            ("upper", direct.upper),
        ):
            assert at[name].item() == pytest.approx(value, abs=1e-12), (setting, name)
        if lens in ("classwise", "top-1 by class") and "outcome" not in choices:
            assert "filled" not in found
        else:
            shared = {name: choices[name] for name in ("selection", "outcome") if name in choices}
            table = cv.reliability(p, lens, binning=binning, **shared)
            count = table["count"].values[table["count"] > 0]
            assert at["filled"] == len(count)
            told = [at[f"{name}_in_bin"].item() for name in ("fewest", "median", "most")]
            assert told == [count.min(), np.median(count), count.max()]


@pytest.mark.parametrize("lens", ["full", "top-2", "top-1"])
def test_the_replicates_are_rows_that_were_drawn(lens):
    # Large nodes are split in another way than small ones: the root of so many rows is large, that of weights small.
    p, gammas = confident(1400), [2.0**-power for power in range(1, 10)]
    found = cv.sensitivity(p, lens, binning="k-d tree", settings=gammas, replicates=6, rng=3, progress=False)
    rng = np.random.default_rng(3)
    drawn = [p.select(np.sort(rng.integers(0, len(p), len(p)))) for _ in range(6)]
    direct = np.array(
        [[cv.calibration_error(rows, lens, binning=cv.KDTree(gamma)) for gamma in gammas] for rows in drawn]
    )
    np.testing.assert_allclose(found["mean"], direct.mean(axis=0), rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["std"], direct.std(axis=0), rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["lower"], np.quantile(direct, 0.025, axis=0), rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["upper"], np.quantile(direct, 0.975, axis=0), rtol=0, atol=1e-12)


@pytest.mark.parametrize(("kind", "cut"), [("uniform", uniform_bins), ("equal-mass", equal_mass_bins)])
def test_the_error_is_that_of_the_slow_loop(kind, cut):
    p = predictions()
    problem = scalar_lens("rank 2", p.probs, one_hot(p.labels, 3))
    found = cv.sensitivity(p, "rank 2", binning=kind, settings=[1, 4, 50], replicates=1, p=2, progress=False)
    for bins in (1, 4, 50):
        assert found["error"].sel(bins=bins).item() == pytest.approx(error(cut(problem, bins), 2), abs=1e-12)


@pytest.mark.parametrize("weights", ["whole", "fractional"])
def test_weights(weights):
    rng = np.random.default_rng(1)
    given_weights = rng.integers(0, 4, 120) if weights == "whole" else rng.uniform(0.1, 3, 120)
    p = predictions(weights=given_weights)
    found = cv.sensitivity(p, "class cat", binning="equal-mass", settings=[3, 8], replicates=10, progress=False)
    for bins in (3, 8):

        def statistic(q, bins=bins):
            return cv.calibration_error(q, "class cat", binning=cv.EqualMass(bins))

        direct = cv.bootstrap(p, error=statistic, replicates=10, progress=False)
        assert found["error"].sel(bins=bins).item() == pytest.approx(direct.estimate, abs=1e-12)
        assert found["mean"].sel(bins=bins).item() == pytest.approx(direct.mean, abs=1e-12)


@pytest.mark.parametrize("lens", ["top-1", "classwise"])
def test_replicates_without_a_sample_count_for_nothing(lens):
    rng = np.random.default_rng(2)
    fields = {"first": (np.arange(20) == 0).astype(int)}
    p = cv.Predictions(rng.dirichlet([1, 1, 1], 20), rng.integers(0, 3, 20), fields=fields)
    found = cv.sensitivity(p, lens, settings=[2, 5], selection="first == 1", replicates=30, progress=False)
    for bins in (2, 5):
        direct = cv.bootstrap(
            p,
            error=lambda q, bins=bins: cv.calibration_error(q, lens, binning=cv.Uniform(bins), selection="first == 1"),
            replicates=30,
            progress=False,
        )
        assert 0 < np.isnan(direct.replicates).sum() < 30
        for name in ("mean", "std", "lower", "upper"):
            assert found[name].sel(bins=bins).item() == pytest.approx(getattr(direct, name), abs=1e-12)


def test_what_it_takes_by_default():
    p = predictions(100)
    bins = cv.sensitivity(p, replicates=2, progress=False)["bins"].values
    assert (bins[0], bins[-1]) == (1, 100)
    assert (np.diff(bins) > 0).all()
    for lens in ("classwise", "rank 2"):
        assert "bins" in cv.sensitivity(p, lens, replicates=2, progress=False).dims
    gammas = cv.sensitivity(p, "full", replicates=2, progress=False)["gamma"].values
    np.testing.assert_array_equal(gammas, [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32])  # 100 / 64 is below 2
    by_class = cv.sensitivity(p, "classwise", binning="k-d tree", replicates=2, progress=False)["gamma"].values
    np.testing.assert_array_equal(by_class, gammas)
    kept = cv.sensitivity(p, "full", selection="age < 40", replicates=2, progress=False)["gamma"].values
    count = int((p.fields["age"] < 40).sum())
    np.testing.assert_array_equal(kept, [g for g in gammas if g * count >= 2])
    assert cv.sensitivity(cv.Predictions([[0.2, 0.8]], [1]), "full", replicates=2, progress=False)["gamma"].values == [
        0.5
    ]


def test_the_seed_is_all_that_is_random():
    p = predictions()
    first, again, other = (cv.sensitivity(p, settings=[5, 10], replicates=5, rng=s, progress=False) for s in (1, 1, 2))
    xr.testing.assert_identical(first, again)
    assert (first["mean"] != other["mean"]).all()
    np.testing.assert_array_equal(first["error"], other["error"])


def flat(*arguments, **options):
    """The places of the flattest window; None where even that is not flat."""
    found = flattest_window(*arguments, **options)
    return found.places if found is not None and found.is_flat else None


def test_the_suggestion_is_the_middle_of_the_flattest_window(tmp_path):
    p = cv.simulated("resnet110_c10", 2000)
    found = cv.sensitivity(p, "class right", replicates=20, progress=False)
    window = flat(found["error"], found["std"], first=range(4, 9))  # from 5 bins on
    assert window is not None
    inside = found["bins"].values[window]
    assert len(inside) == 5 and inside[0] >= 5
    told = [found.attrs[name] for name in ("window_start", "suggestion", "window_stop")]
    assert told == [inside[0], inside[2], inside[4]]
    errors, noise = found["error"].values[window], found["std"].values[window].mean()
    assert found.attrs["note"] == (
        f"flat from {inside[0]} to {inside[4]} bins: the error spans {points(np.ptp(errors))} there, no more "
        f"than its bootstrap deviation of {points(noise)}; {inside[2]} bins are in the middle"
    )
    found.to_netcdf(tmp_path / "sensitivity.nc")
    with xr.open_dataset(tmp_path / "sensitivity.nc") as again:
        xr.testing.assert_identical(again.load(), found)


def test_a_note_says_why_nothing_is_flat():
    # Calibrated data, on which an error in bins grows with their number.
    score = np.linspace(0, 1, 2000)
    p = cv.Predictions(score, np.random.default_rng(0).random(2000) < score)
    steep = cv.sensitivity(p, "class 1", settings=[10, 20, 40, 80, 160, 320, 640], replicates=20, progress=False)
    assert flat(steep["error"], steep["std"]) is None
    assert set(steep.attrs) == {"lens", "note", "suggestion", "calibviz_version"} and steep.suggestion is None
    spans = [np.ptp(steep["error"].values[i : i + 5]) for i in range(1, len(steep["bins"]) - 4)]
    i = 1 + int(np.argmin(spans))
    assert steep.attrs["note"] == (
        f"nowhere flat above 10 bins: even from {steep.bins[i]:g} to {steep.bins[i + 4]:g} bins, where it "
        f"changes least, the error spans {points(spans[i - 1])}, more than its bootstrap deviation of "
        f"{points(steep['std'].values[i : i + 5].mean())}"
    )
    few = cv.sensitivity(p, "class 1", settings=[5, 10, 15, 20], replicates=5, progress=False)
    assert few.attrs | {"calibviz_version": ""} == {
        "lens": "class 1",
        "note": "no window to be flat in: it takes 5 settings, not 4",
        "suggestion": None,
        "calibviz_version": "",
    }


@pytest.mark.parametrize("network", ["resnet110_c10", "resnet110_c100", "densenet40_c10", "resnet_wide32_c100"])
def test_a_one_sided_error_which_is_flat_from_1_bin_on_suggests_no_coarse_bins(network):
    p = cv.simulated(network, 1000)
    found = cv.sensitivity(p, "class right", replicates=20, progress=False)
    assert np.ptp(found["error"].values[:5]) < found["std"][:5].mean()  # the flattest window of all began here
    assert found.attrs["window_start"] >= 5 and found.attrs["suggestion"] >= 10
    coarse = cv.sensitivity(p, "class right", settings=[10, 12, 15, 20, 25, 30], replicates=5, progress=False)
    assert coarse.attrs["window_start"] == 12
    fine = cv.sensitivity(
        p, "full", settings=[1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64], replicates=5, progress=False
    )
    assert fine.suggestion is None or fine.attrs["window_start"] == 1 / 4


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ([1, 2, 3, 4, 5, 6, 7], "it takes 5 neighbouring settings from 5 bins on"),
        ([10, 20, 30, 40, 50], "it takes 5 neighbouring settings above 10 bins"),
        ([50, 10, 40, 30, 20], "it takes 5 neighbouring settings above 10 bins"),
    ],
)
def test_without_a_window_that_may_be_suggested_there_is_none(settings, said):
    found = cv.sensitivity(predictions(200), "top-1", settings=settings, replicates=5, progress=False)
    assert found.suggestion is None and "window_start" not in found.attrs
    assert found.note == f"no window to be flat in: {said}"
    assert found.note[1:] in cv.figures.sensitivity_figure(found).note
    gammas = cv.sensitivity(
        predictions(200), "full", settings=[0.5, 0.25, 0.2, 0.1, 0.05], replicates=5, progress=False
    )
    assert gammas.suggestion is None and gammas.note.endswith("it takes 5 neighbouring settings below γ = 1/2")


RESNET_110 = {  # full lens, gamma from 1/2 to 1/4096: in %, the error, the mean of its replicates, their deviation
    "error": [2.758, 3.573, 4.587, 4.645, 4.645, 4.645, 4.748, 4.877, 5.103, 5.364, 5.747, 6.736],
    "mean": [3.216, 3.994, 4.382, 4.486, 4.486, 4.516, 4.821, 5.080, 5.344, 5.705, 6.268, 6.786],
    "std": [0.321, 0.298, 0.262, 0.215, 0.215, 0.212, 0.113, 0.162, 0.188, 0.220, 0.185, 0.175],
}


def test_resampling_makes_a_flat_curve_rise_but_hides_no_window():
    assert flat(RESNET_110["error"], RESNET_110["std"]) == slice(2, 7)  # 1/8 to 1/128
    assert flat(RESNET_110["mean"], RESNET_110["std"]) is None


@pytest.mark.skipif(not DATA.is_dir(), reason="the data are not on this machine")
def test_the_curve_of_resnet_110_is_flat_from_an_eighth_on():
    data = np.load(DATA / "resnet110_cifar10_logits.npz")
    p = cv.Predictions(logits=data["logits_test"], labels=data["labels_test"])
    found = cv.sensitivity(p, "full", replicates=20, progress=False)
    told = [found.attrs[name] for name in ("window_start", "suggestion", "window_stop")]
    assert told == [1 / 8, 1 / 32, 1 / 128]
    assert found.attrs["note"].startswith("flat from γ = 1/8 to 1/128: the error spans 0.16 points there, no more than")
    assert found.attrs["note"].endswith("γ = 1/32 is in the middle")
    np.testing.assert_allclose(100 * found["error"], RESNET_110["error"], atol=6e-4)


# ---- the flattest window, by hand


@pytest.mark.parametrize(
    ("mean", "std", "width", "expected"),
    [
        ([9, 7, 5, 5, 5, 5, 5, 7, 9], 1, 5, slice(2, 7)),
        ([0.3, 0.1 + 0.2, 0.3, 0.3], 0, 2, slice(0, 2)),  # equal but for rounding
        ([0.1, 0.2 + 0.1, 0.1, 0.3], 1, 2, slice(0, 2)),
        ([1, 1, 1, 1, 1], 0, 5, slice(0, 5)),  # a span of 0 is not more than 0
        ([1, 1, 1, 1], 9, 5, None),  # fewer settings than the width
        ([5, 5, 5, 5, 5, 5, 5], 1, 5, slice(0, 5)),  # of equal windows the first
        ([8, 4, 3, 2, 1, 0], 4, 5, slice(1, 6)),  # a span of 4, and no more than the mean deviation
        ([8, 4, 3, 2, 1, 0], 3.9, 5, None),
        ([0, 1, 2, 3], [9, 1, 1, 0], 2, slice(0, 2)),  # chosen by the span alone
        ([0, 1, 2.5, 3], [9, 9, 0.1, 0.1], 2, None),  # the flattest, not the one that would do
        ([3, 1, 2, 1, 3, 0, 6], 3, 3, slice(1, 4)),
    ],
)
def test_windows_by_hand(mean, std, width, expected):
    deviations = np.broadcast_to(std, len(mean)).astype(float)
    assert flat(mean, deviations, width) == expected


@given(st.data(), st.integers(2, 6))
def test_windows_by_the_rule(data, width):
    mean = data.draw(st.lists(st.integers(0, 20), min_size=1, max_size=14))
    std = data.draw(st.lists(st.integers(0, 8), min_size=len(mean), max_size=len(mean)))
    spans = [max(mean[i : i + width]) - min(mean[i : i + width]) for i in range(len(mean) - width + 1)]
    expected = None
    if spans:
        start = spans.index(min(spans))
        if spans[start] <= sum(std[start : start + width]) / width:
            expected = slice(start, start + width)
    assert flat(mean, std, width) == expected


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([1, 2, 3], [1, 2]), ValueError, "error has 3 entries, but std has 2"),
        (([1, np.nan, 3], [1, 2, 3]), ValueError, r"error\[1\] is nan: every entry must be finite"),
        (([1, 2], [1, 2], 1), ValueError, "width must be at least 2, not 1"),
        (([1, 2], [1, 2], 2.0), TypeError, "width must be a whole number, not 2.0"),
        (([[1, 2]], [1, 2]), ValueError, "error must have 1 dimension, but its shape is"),
        (("flat", [1]), TypeError, "error must be an array of numbers, not 'flat'"),
    ],
)
def test_messages_of_the_window(arguments, error, message):
    with pytest.raises(error, match=message):
        flattest_window(*arguments)


# ---- sample sizes


def test_spread_by_size_are_bootstraps_of_that_size():
    p = predictions(90)
    found = cv.spread_by_size(
        p, error=cv.ks_error, fractions=[0.1, 0.25, 1.0], replicates=15, level=0.7, rng=3, progress=False
    )
    assert found["fraction"].values.tolist() == [0.1, 0.25, 1.0]
    assert found["size"].values.tolist() == [9, 22, 90]
    for fraction, size in ((0.1, 9), (0.25, 22), (1.0, 90)):
        direct = cv.bootstrap(p, error=cv.ks_error, replicates=15, size=size, level=0.7, rng=3, progress=False)
        at = found.sel(fraction=fraction)
        assert [at[name].item() for name in ("mean", "std", "lower", "upper")] == [
            direct.mean,
            direct.std,
            direct.lower,
            direct.upper,
        ]


def test_a_number_spreads_less_on_more_samples():
    p = predictions(400)
    found = cv.spread_by_size(p, error=cv.brier_score, replicates=60, progress=False)
    assert found["fraction"].values == pytest.approx(np.arange(1, 11) / 10)
    assert found["size"].values.tolist() == list(range(40, 401, 40))
    scaled = found["std"] * np.sqrt(found["size"])
    assert scaled.values == pytest.approx(np.full(10, scaled.mean().item()), rel=0.35)
    bias = cv.spread_by_size(p, error=cv.calibration_error, fractions=[0.05, 1.0], replicates=40, progress=False)[
        "mean"
    ]
    assert bias[0] > bias[1]  # an error in bins is the more biased the fewer samples there are
    problem = cv.lens("top-1")(p)
    assert (
        cv.spread_by_size(problem, error=cv.ks_error, fractions=[0.5], replicates=3, progress=False)["size"].item()
        == 200
    )
    assert cv.spread_by_size(p, error=cv.ks_error, fractions=[0.0001], replicates=3, progress=False)["size"].item() == 1


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda p: cv.sensitivity(p, replicates=0), ValueError, "replicates must be at least 1, not 0"),
        (lambda p: cv.sensitivity(p, level=0), ValueError, "level must lie strictly between 0 and 1, not be 0"),
        (lambda p: cv.sensitivity(p, settings=[]), ValueError, "settings is empty: pass values of gamma or numbers"),
        (lambda p: cv.sensitivity(p, settings=[0]), ValueError, "bins must be at least 1, not 0"),
        (lambda p: cv.sensitivity(p, settings=[0.5]), TypeError, "bins must be a whole number, not 0.5"),
        (lambda p: cv.sensitivity(p, "full", settings=[2]), ValueError, "gamma must lie between 0 and 1, not be 2"),
        (lambda p: cv.sensitivity(p, "full", settings=[0]), ValueError, "gamma must be above 0"),
        (lambda p: cv.sensitivity(p, binning="sweep"), ValueError, "binning must be one of 'k-d tree', 'uniform', 'eq"),
        (lambda p: cv.sensitivity(p, "full", binning="equal-mass"), ValueError, "equal-mass needs a scalar lens"),
        (lambda p: cv.sensitivity(cv.lens("top-1")(p)), TypeError, r"predictions must be cv\.Predictions"),
        (lambda p: cv.sensitivity(p, selection="age > 99"), EmptyProblemError, "no sample is left"),
        (
            lambda p: cv.spread_by_size(p, error=cv.ks_error, fractions=[1.5]),
            ValueError,
            "fractions must lie between 0 and 1, not be 1.5",
        ),
        (
            lambda p: cv.spread_by_size(p, error=cv.ks_error, fractions=["1"]),
            TypeError,
            "fractions must be a number, not '1'",
        ),
        (
            lambda p: cv.spread_by_size(p, error=cv.ks_error, fractions=[0.5], replicates=0),
            ValueError,
            "replicates must be at least 1, not 0",
        ),
        (
            lambda p: cv.spread_by_size(p, error="ks", fractions=[0.5]),
            TypeError,
            "error must be a function such as cv.ks_error",
        ),
    ],
)
def test_messages(call, error, message):
    with pytest.raises(error, match=message):
        call(predictions(20))
