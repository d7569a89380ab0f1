"""Roelofs et al. 2022, Mitigating Bias in Calibration Error Estimation."""

from __future__ import annotations

from .item import Item
from .resnet110 import NETWORK, live

PAPER = "ece_sweep"
SIZES = "[200, 400, 800, 1600, 3200, 6400]"
COUNTS = "[2, 4, 8, 16, 32, 64]"
#: The networks of figures 9 to 14.
THREE = {"resnet110_c10": "CIFAR-10 ResNet-110", "resnet_wide32_c100": "CIFAR-100 Wide ResNet-32",
         "resnet152_imagenet": "ImageNet ResNet-152"}  # fmt: skip  # short entries stand in rows
ONE_OF_TEN = "Of the ten networks the logits of this one come with calibviz."
FEWER = (
    "Fewer simulations, whose noise is a few hundredths of a point; the networks are those of the paper's tables 1 "
    "and 2."
)
ROUNDING = (
    "The mean of ln s is the same to its last digit, so the scores are the same. The paper's Beta implies a mean of "
    "ln(1 - s) of -22.3, the logits give -12.9: in single precision 2,878 of the 10,000 scores are 1, of which 1 - s "
    "must be replaced by something. With 5e-23 in its place the likeliest Beta is that of the paper; here such scores "
    "count with the probability of being rounded to 1."
)


def _by_bins(number: int, network: str, of: str, kind: str) -> Item:
    """The bias or the spread of eight estimators over the numbers of samples and bins."""
    what = {"bias": "Bias", "std": "Spread"}[kind]
    said = {
        "bias": "Too few bins and too many are both biased, and bins of equal mass less than even ones.",
        "std": "The spread falls with the number of samples, and hardly depends on the number of bins.",
    }[kind]
    finds = {
        "bias": "Mean size of the bias at 16 bins: {even:.2f} points in even bins, {mass:.2f} in bins of equal mass.",
        "std": "Mean spread at 16 bins: {even:.2f} points in even bins, {mass:.2f} in bins of equal mass.",
    }[kind]
    code = f"""\
sizes, counts = {SIZES}, [4, 8, 16, 32, 64]
kinds = ["uniform", "uniform label-binned", "uniform debiased", "uniform sweep"]
kinds += ["equal-mass", "equal-mass label-binned", "equal-mass debiased", "sweep"]
cube = cv.simulate_errors("{network}", kinds, sizes, counts, replicates=200, progress=False)
values = cube["{kind}"].squeeze("network")
even, mass = 100 * np.abs(values.sel(estimator=["uniform", "equal-mass"], bins=16)).mean("n").values


def lines(kind):
    \"\"\"The curve of each number of bins; a sweep takes none.\"\"\"
    of = values.sel(estimator=kind)
    several = {{"chosen": of.sel(bins=4)}} if "sweep" in kind else {{f"{{b}} bins": of.sel(bins=b) for b in counts}}
    return cv.figures.curves_figure(kind, sizes, several, "samples", "{what.lower()}", ticks=True, y_in_percent=True)


cv.plots.panels(list(map(lines, kinds)), columns=4)
"""
    return Item(
        PAPER, "figure", number, f"{what} of eight estimators over samples and bins, {of}", "same data", code, said,
        finds,
        FEWER, choices={"data": "simulated networks"},
    )  # fmt: skip  # one row


def _table(number: int, calibrator: str, named: str, even: float, sweep: float) -> Item:
    code = f"""{NETWORK}cube = cv.evaluate(
    network, calibrators=["{calibrator}"], calibration=validation, metrics=["ece", "sweep"], progress=False
)
even, swept = (100 * cube[name].item() for name in ("ece", "sweep"))
pd.DataFrame({{"resnet110_c10": {{"15 even bins": even, "sweep": swept, "difference": even - swept}}}})
"""
    return Item(
        PAPER, "table", number, f"ECE in even bins and by the sweep, {named}, in per cent", "same data in part", code,
        f"{even} % in even bins, {sweep} % by the sweep.", "{even:.2f} % in even bins, {swept:.2f} % by the sweep.",
        ONE_OF_TEN + WHY[calibrator],
        {"resnet110_c10": {"15 even bins": even, "sweep": sweep, "difference": round(even - sweep, 2)}}, "{:.2f}",
        live(calibrator=calibrator, metric="sweep", panels=["reliability", "comparison"]),
    )  # fmt: skip  # one row


WHY = {
    "none": "",
    "temperature": "",
    "isotonic, one-vs-rest": " The map is of every class, with rows rescaled; one of the confidence errs less.",
    "histogram": " The map is that of the confidence, in bins of equal mass, as these numbers show.",
}

ITEMS = (
    Item(
        PAPER, "figure", 1, "ECE of a calibrated network on 200 samples", "same data",
        """\
network, even = cv.Network.published()["resnet110_c10"].calibrated, cv.Uniform(15)
drawn = [cv.lens("class right")(cv.simulated(network, 200, rng=seed)) for seed in range(500)]
errors = np.array([cv.calibration_error(problem, binning=even, p=2) for problem in drawn])
least, mean = errors.min(), errors.mean()
diagram = cv.figures.reliability_figure(drawn[:1], [even(drawn[0])], "200 samples")
row = cv.figures.EstimatorRow("ECE", errors, 0.0, errors[0])
cv.plots.panels([diagram, cv.figures.estimates_figure([row], "ECE", errors.max(), len(errors))])
""",
        "A calibrated network shows large errors, never 0.",
        "{mean:.1%} on average, and never below {least:.1%}.", "500 simulations, where the paper has a million.",
        choices={"data": "simulated networks", "model": "resnet110_c10", "lens": "class right"},
    ),
    Item(
        PAPER, "figure", 2, "Which recalibration is preferred, by two measures", "same data in part",
        NETWORK + """\
tenths = {"share": 0.1, "replicates": 20}
cube = cv.evaluate(
    cv.subsamples(network, **tenths), calibration=cv.subsamples(validation, **tenths),
    calibrators=["histogram", "temperature", "isotonic"], metrics=["ece", "sweep"], progress=False,
)
first = cv.preferred(cube, untested=True).squeeze(drop=True)
whole = {name: first[name].sel(subsample="whole").item() for name in ("ece", "sweep")}
parts = first.drop_sel(subsample="whole")
differ = (parts.ece != parts.sweep).mean().item()
rows = cube.calibrator.values.tolist()
shares = [[(parts[name] == row).mean().item() for name in ("ece", "sweep")] for row in rows]
grid = cv.figures.grid_figure("preferred", "preferred by", rows, ["ece", "sweep"], np.array(shares), "share")
cv.plots.panels([grid])
""",
        "The two prefer another one for 3 of 10 networks, and on 22 % of random tenths.",
        "On all photographs {whole[ece]} by ECE and {whole[sweep]} by the sweep; another one on {differ:.0%} of 20 "
        "tenths.",
        ONE_OF_TEN + " The difference of errors so small is mostly noise, as `cv.preferred` says unless untested=True.",
        choices=live(panels=["comparison"]),
    ),
    Item(
        PAPER, "figure", 3, "What controls the true error: scores and the true curve", "same data",
        """\
network = cv.Network.power(2, 2.8, 0.05)
tce = cv.true_calibration_error(network)
problem = cv.lens("class right")(cv.simulated(network, 5000))
cv.plots.panels(cv.figures.sample_figures(network, problem, cv.EqualMass(15)(problem)))
""",
        "Scores from Beta(2.8, 0.05), of which c is right with probability c squared.", "The true error is {tce:.2%}.",
        choices={"data": "simulated networks"},
    ),
    Item(
        PAPER, "figure", 4, "Bias in even bins, by samples and bins", "same data",
        f"""\
sizes, counts = {SIZES}, {COUNTS}
cube = cv.simulate_errors("resnet110_c10", "uniform", sizes, counts, replicates=1000, progress=False)
bias = 100 * cube.bias.squeeze(drop=True).transpose("bins", "n").values
paper = np.array([
    [-4.34, -4.52, -4.65, -4.72, -4.78, -4.82], [-3.28, -3.71, -4.02, -4.21, -4.34, -4.42],
    [-1.43, -2.14, -2.69, -3.04, -3.26, -3.40], [0.62, -0.37, -1.12, -1.67, -2.01, -2.24],
    [2.66, 1.50, 0.52, -0.26, -0.83, -1.22], [4.54, 3.32, 2.14, 1.13, 0.30, -0.30],
])
off = np.abs(bias - paper).max()
rows, columns = [f"{{b}} bins" for b in counts], [f"{{n:,}} samples" for n in sizes]
cv.plots.panels([cv.figures.grid_figure("bias", "even bins", rows, columns, bias.round(2), "bias in points")])
""",
        "From -4.82 points (2 bins, 6,400 samples) to 4.54 (64 bins, 200 samples).",
        "From {bias[0][5]:.2f} to {bias[5][0]:.2f}; no cell is further than {off:.2f} points from the paper's.",
        "A thousand simulations leave noise of a few hundredths.", choices={"data": "simulated networks"},
    ),
    Item(
        PAPER, "figure", 5, "Beta distributions and curves that were fitted", "same data in part",
        NETWORK + """\
fit = cv.fit_network(network, name="fitted here", progress=False).network
published = cv.Network.published()
shown = [published[name] for name in ("resnet110_c10", "resnet110_c100", "resnet152_imagenet")] + [fit]
score = np.linspace(0, 1, 101)
below = {one.name: np.append(0, np.cumsum(one.shares_between(score))) for one in shown}
curves = {one.name: one.true_curve(score[1:-1]) for one in shown}
real = 100 * cv.calibration_error(network, p=2)
drawn = cv.simulate_errors([shown[0], fit], "uniform", 10_000, replicates=200, progress=False)["mean"].values.ravel()
of_paper, of_fit = 100 * drawn
cv.plots.panels([
    cv.figures.curves_figure("scores", score, below, "score", "share of scores below", y_in_percent=True),
    cv.figures.curves_figure("true curves", score[1:-1], curves, "score", "probability of being right"),
])
""",
        "ECE of the ResNet-110 on CIFAR-10: 6.67 %, and 8.42 % of samples drawn from its fit.",
        "{real:.2f} %; {of_paper:.2f} % of samples from the paper's fit, {of_fit:.2f} % of samples from the fit made "
        "here.",
        ROUNDING, choices=live(panels=["reliability", "confidence"]),
    ),
    Item(
        PAPER, "figure", 6, "Bias of estimators by the number of samples, ten networks", "same data",
        """\
sizes = [200, 400, 800, 1600, 3200, 6400]
kinds = ["uniform", "equal-mass", "equal-mass debiased", "kde", "uniform sweep", "sweep"]
cube = cv.simulate_errors(estimators=kinds, n=sizes, replicates=40, progress=False)
of = [name.rpartition("_")[2] for name in cube.network.values]
bias = cube.bias.squeeze("bins", drop=True).assign_coords(network=of).groupby("network").mean()
size = np.abs(cube.bias.sel(n=200)).mean(["network", "bins"]).to_series()
least = size.idxmin()
cv.plots.panels([
    cv.figures.curves_figure(name, sizes, {kind: bias.sel(network=name, estimator=kind) for kind in part},
                             "samples", "bias", truth=0.0, ticks=True, y_in_percent=True)
    for part in (kinds[:3], kinds[3:]) for name in bias.network.values
], columns=3)
""",
        "The sweep in bins of equal mass is biased least where samples are few; the kernel estimator most.",
        "At 200 samples {least} is biased least, by {size[sweep]:.1%} on average; kde by {size[kde]:.1%}.",
        "40 simulations of each network, where the paper has 1,000; lines are means over the networks of a data set.",
        choices={"data": "simulated networks"},
    ),
    Item(
        PAPER, "figure", 7, "Mean estimates over the true error", "same data",
        """\
pictures, read = [], []
for name, scores in {"evenly spread scores": (1.0, 1.0), "scores from Beta(1.1, 0.1)": (1.1, 0.1)}.items():
    networks = [cv.Network.power(d, *scores) for d in (1, 1.05, 1.1, 1.2, 1.3, 1.4, 1.5, 1.7, 2, 2.5, 3)]
    cube = cv.simulate_errors(networks, ["uniform", "sweep"], [200, 5000], replicates=200, progress=False)
    means = cube["mean"].squeeze("bins", drop=True)
    lines = {"true error": cube.tce.values}
    lines |= {f"{e}, {n:,} samples": means.sel(estimator=e, n=n) for e in ("uniform", "sweep") for n in (200, 5000)}
    read.append(np.interp(0.12, means.sel(estimator="uniform", n=200), cube.tce))
    pictures.append(cv.figures.curves_figure(
        name, cube.tce, lines, "true error", "mean estimate", x_in_percent=True, y_in_percent=True
    ))
cv.plots.panels(pictures)
""",
        "An ECE of 12 % at 200 samples stands for a true error of 5 or of 8 %, by the scores.",
        "It stands for {read[0]:.1%} or {read[1]:.1%}.", "200 simulations, where the paper has 1,000.",
        choices={"data": "simulated networks"},
    ),
    Item(
        PAPER, "figure", 8, "How often miscalibration is missed", "same data",
        """\
networks = [cv.Network.power(d) for d in (1.02, 1.05, 1.1, 1.15, 1.2, 1.3, 1.5, 1.75)]
table = cv.miss_rates(networks, ["uniform", "sweep"], [200, 500, 10_000], replicates=150, progress=False)
uniform, swept = table.miss_rate.sel(n=500).mean("network").values
cv.plots.miss_rates(table)
""",
        "The sweep misses far less often; with fewer than 500 samples only errors above 10 % are noticed.",
        "At 500 samples the sweep misses {swept:.0%} of these networks, even bins {uniform:.0%}.",
        "150 simulations of each network.", choices={"data": "simulated networks"},
    ),
    *(_by_bins(9 + i, name, of, "bias") for i, (name, of) in enumerate(THREE.items())),
    *(_by_bins(12 + i, name, of, "std") for i, (name, of) in enumerate(THREE.items())),
    Item(
        PAPER, "figure", 15, "The number of bins that the sweep chooses", "same data",
        """\
off = cv.Network("far off", a=1, b=1, transform="logistic", b0=-5, b1=10)
sizes, counts = [200, 800, 3200], [1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 26, 32, 48, 64]
cubes = [
    cv.simulate_errors(one, ["equal-mass", "sweep"], sizes, counts, replicates=200, progress=False)
    for one in (off, off.calibrated)
]
chosen = [cube.sweep_bins.sel(estimator="sweep").values.ravel() for cube in cubes]
best = [np.abs(cube.bias.sel(estimator="equal-mass")).idxmin("bins").values.ravel() for cube in cubes]
off_chosen, right_chosen, off_best, right_best = (
    ", ".join(f"{count:.0f}" for count in row) for row in (*chosen, *best)
)
cv.plots.panels([
    cv.figures.estimates_by_bins_figure(
        counts, *(cube[kind].sel(estimator="equal-mass", n=n).values.ravel() for kind in ("mean", "std")),
        cube.tce.item(), n, cube.sweep_bins.sel(estimator="sweep", n=n).item(), None,
    )
    for cube in cubes for n in sizes
], columns=3)
""",
        "Close to the best number where the network is off; more than the best, 4 or fewer, where it is calibrated.",
        "At 200, 800 and 3,200 samples it chooses {off_chosen} bins, where {off_best} are best; of the calibrated "
        "network {right_chosen}, where {right_best} are.",
        "200 simulations.", choices={"data": "simulated networks"},
    ),
    Item(
        PAPER, "table", 1, "Beta distributions fitted to the scores", "same data in part",
        NETWORK + """\
from scipy.optimize import root
from scipy.special import digamma, softmax

fit = cv.fit_network(network, progress=False).network
score = softmax(network.logits, axis=1).max(axis=1).astype(float)  # in single precision, where many are 1
logs = np.log(score).mean(), np.log(np.where(score < 1, 1 - score, 5e-23)).mean()
a, b = np.exp(root(lambda ab: digamma(np.exp(ab)) - digamma(np.exp(ab).sum()) - logs, np.log([2, 0.05])).x)
ones = int((score == 1).sum())
pd.DataFrame({"as scores are": [fit.a, fit.b], "1 - s of 1 is 5e-23": [a, b]}, ["alpha", "beta"])
""",
        "alpha 2.7752, beta 0.0478.", "alpha {fit.a:.4f}, beta {fit.b:.4f}; with 5e-23 for the {ones:,} scores of 1, "
        "alpha {a:.4f} and beta {b:.4f}.", ROUNDING,
        {"as scores are": {"alpha": 2.7752, "beta": 0.0478}, "1 - s of 1 is 5e-23": {"alpha": 2.7752, "beta": 0.0478}},
        "{:.4f}", live(panels=["confidence"]),
    ),
    Item(
        PAPER, "table", 2, "Curves fitted to the scores, by the Akaike criterion", "same data in part",
        NETWORK + """\
def curves(**chosen):
    table = cv.fit_network(network, progress=False, **chosen).curves.to_dataframe()
    return table.loc[["logflip", "logit-logflip", "logit", "log", "constant"]]

whole, part = curves(), curves(selection=cv.quantity("output") < 1 - 9e-7)
best, kept = whole.aic.idxmin(), cv.calibration_error(network, selection=cv.quantity("output") < 1 - 9e-7)
pd.concat({"all": whole, "scores below 1 - 9e-7": part}, axis=1).pipe(
    lambda table: table.set_axis([f"{name}, {of}" for of, name in table.columns], axis=1)
)
""",
        "Best is logflip: b0 -0.24, b1 0.30, AIC 2779.",
        "Best is {best}: b0 {whole.b0[logit-logflip]:.2f}, b1 {whole.b1[logit-logflip]:.2f}, AIC "
        "{whole.aic[logit-logflip]:.0f}; logflip has {whole.b0[logflip]:.2f}, {whole.b1[logflip]:.2f}, "
        "{whole.aic[logflip]:.0f}.",
        "The paper's curves are not of all 10,000 photographs: its constants, 1.95 to 2.13 in log-odds with AIC 3800 "
        "to 3868, are those of some 5,200 with 12 % errors, where all have 6.4 % and AIC 4780. Left without the scores "
        "above 1 - 9e-7, as if rounded to 1, the constant is the paper's; which of three curves so alike has the least "
        "AIC hangs on what is left out.",
        {
            "b0, all": {"logflip": -0.24, "logit-logflip": -0.55, "logit": -0.38, "log": -0.06, "constant": 1.99},
            "b1, all": {"logflip": 0.30, "logit-logflip": -0.38, "logit": 0.36, "log": 2.53},
            "aic, all": {"logflip": 2779.22, "logit-logflip": 2790.40, "logit": 2840.70, "log": 3221.72,
                         "constant": 3799.63},
        },
        "{:.2f}", live(panels=["recalibration"]),
    ),
    Item(
        PAPER, "table", 3, "ECE of the data, and of samples from the fits, in per cent", "same data in part",
        NETWORK + """\
fit = cv.fit_network(network, progress=False).network
real = 100 * cv.calibration_error(network, p=2)
cube = cv.simulate_errors(["resnet110_c10", fit], "uniform", 10_000, replicates=200, progress=False)
of_paper, of_fit = 100 * cube["mean"].values.ravel()
pd.DataFrame({"resnet110_c10": {"data": real, "simulated": of_paper, "simulated, fit made here": of_fit}})
""",
        "6.67 % of the data, 8.42 % simulated.",
        "{real:.2f} %, {of_paper:.2f} % simulated; {of_fit:.2f} % from the fit made here.",
        "A score on an edge of the even bins may lie in the other one. " + ROUNDING,
        {"resnet110_c10": {"data": 6.67, "simulated": 8.42}}, "{:.2f}", live(panels=["reliability"]),
    ),
    _table(4, "none", "before recalibration", 4.75, 4.75),
    _table(5, "temperature", "temperature scaling", 1.13, 0.91),
    _table(6, "isotonic, one-vs-rest", "isotonic regression", 1.47, 0.93),
    _table(7, "histogram", "histogram binning", 0.84, 0.67),
)  # fmt: skip  # a row of the gallery each
