"""Roelofs et al. 2022, Mitigating Bias in Calibration Error Estimation."""

from __future__ import annotations

from .item import NETWORK, Item, live

PAPER = "ece_sweep"
SIZES = "[200, 400, 800, 1600, 3200, 6400]"
COUNTS = "[2, 4, 8, 16, 32, 64]"
#: The networks of figures 9 to 14.
THREE = {"resnet110_c10": "CIFAR-10 ResNet-110", "resnet_wide32_c100": "CIFAR-100 Wide ResNet-32",
         "resnet152_imagenet": "ImageNet ResNet-152"}  # fmt: skip  # short entries stand in rows
ONE_OF_TEN = "Of the ten networks the logits of this one come with calibviz."
FEWER = "200 simulations, where the paper has 1,000; the networks are those of its tables 1 and 2."
ROUNDING = (
    "The paper's Beta has the mean of ln s of the logits, so the scores are the same. It implies a mean of ln(1 - s) "
    "of −22.3, the logits give −12.9: in single precision 2,878 of the 10,000 scores are 1, of which 1 - s must be "
    "replaced by something. With 5e-23 in its place the likeliest Beta is that of the paper; here such scores count "
    "with the probability of being rounded to 1."
)
#: Figure 5 and table 3: the errors of the data, and of samples from both fits.
DRAWN = (
    NETWORK
    + """\
fit = cv.fit_network(network, name="fitted here", progress=False).network
published = cv.Network.published()
real = cv.calibration_error(validation, p=2)
both = [published["resnet110_c10"], fit]
drawn = cv.simulate_errors(both, "uniform", len(validation), replicates=400, progress=False)
of_paper, of_fit = drawn["mean"].values.ravel()
"""
)
DRAWN_WHY = (
    "The paper's numbers are of the 5,000 photographs of the calibration set, and of as many samples of its fit: all "
    "10,000 of the test set have an ECE of 6.65 %, and 10,000 samples one of 8.28 %. "
)


def _by_bins(number: int, network: str, of: str, kind: str) -> Item:
    """The bias or the spread of eight estimators over the numbers of samples and bins."""
    what = {"bias": "Bias", "std": "Spread"}[kind]
    said = {
        "bias": "Which number of bins is biased least depends on the number of samples; bins of equal mass are mostly "
        "biased less than even ones.",
        "std": "The spread falls with the number of samples, and depends on the number of bins in no clear way.",
    }[kind]
    finds = {
        "bias": "In even bins {least} of them are biased least at {sizes[0]:number}, 800 and {sizes[5]:number} "
        "samples; mean size of the bias at 16 bins: {even:points}, in bins of equal mass {mass:points}.",
        "std": "In bins of fixed numbers it falls from {few:points} at {sizes[0]:number} samples to {many:points} at "
        "{sizes[5]:number}; by the number of bins it is {low:points} to {high:points}.",
    }[kind]
    measured = {
        "bias": """\
fixed = np.abs(values.sel(estimator=["uniform", "equal-mass"]))
even, mass = fixed.sel(bins=16).mean("n").values
least = ", ".join(f"{b:.0f}" for b in fixed.sel(estimator="uniform", n=[200, 800, 6400]).idxmin("bins").values)
""",
        "std": """\
fixed = values.sel(estimator=["uniform", "equal-mass"])
few, *_, many = fixed.mean(["estimator", "bins"]).values
of_bins = fixed.mean(["estimator", "n"]).values
low, high = of_bins.min(), of_bins.max()
""",
    }[kind]
    code = f"""\
sizes, counts = {SIZES}, [4, 8, 16, 32, 64]
kinds = ["uniform", "uniform label-binned", "uniform debiased", "uniform sweep"]
kinds += ["equal-mass", "equal-mass label-binned", "equal-mass debiased", "sweep"]
cube = cv.simulate_errors("{network}", kinds, sizes, counts, replicates=200, progress=False)
values = cube["{kind}"].squeeze("network")
{measured}

def lines(kind):
    \"\"\"The curve of each number of bins; a sweep takes none.\"\"\"
    of = values.sel(estimator=kind)
    several = {{"chosen": of.sel(bins=4)}} if "sweep" in kind else {{f"{{b}} bins": of.sel(bins=b) for b in counts}}
    return cv.figures.curves_figure(kind, sizes, several, "samples", "{what.lower()}", ticks=True, y_in_percent=True)


cv.plots.panels(list(map(lines, kinds)), columns=4)
"""
    return Item(
        PAPER, "figure", number, f"{what} of eight estimators over samples and bins, {of}", "same data", code, said,
        finds, FEWER, choices={"data": "simulated networks"},
    )  # fmt: skip  # one row


def _table(number: int, calibrator: str, named: str, even: float, sweep: float, difference: float) -> Item:
    code = f"""{NETWORK}cube = cv.evaluate(
    network, calibrators=["{calibrator}"], calibration=validation, metrics=["ece", "sweep"], progress=False
)
even, swept = (cube[name].item() for name in ("ece", "sweep"))
100 * pd.DataFrame({{"resnet110_c10": {{"15 even bins": even, "sweep": swept, "difference": even - swept}}}})
"""
    return Item(
        PAPER, "table", number, f"ECE in even bins and by the sweep, {named}, in per cent", "same data in part", code,
        f"{even} % in even bins, {sweep} % by the sweep.", "{even:percent} in even bins, {swept:percent} by the sweep.",
        ONE_OF_TEN + WHY.get(calibrator, ""),
        {"resnet110_c10": {"15 even bins": even, "sweep": sweep, "difference": difference}}, "{:.2f}",
        live(calibrator=calibrator, metric="sweep", panels=["reliability", "comparison"]),
    )  # fmt: skip  # one row


WHY = {
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
        "Even a perfectly calibrated network shows large errors, again and again.",
        "{mean:percent} on average, and never below {least:percent}.",
        "500 simulations, where the paper has a million.",
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
        "The two prefer another one for 3 of 10 networks, and in 22 % of the cases with a tenth of the photographs.",
        "On all photographs {whole[ece]} by ECE and {whole[sweep]} by the sweep; another one on {differ:whole_percent} "
        "of 20 tenths.",
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
        "Scores from Beta(2.8, 0.05), of which c is right with probability c squared.",
        "The true error is {tce:percent}.",
        choices={"data": "simulated networks"},
    ),
    Item(
        PAPER, "figure", 4, "Bias in even bins, by samples and bins", "same data",
        f"""\
sizes, counts = {SIZES}, {COUNTS}
cube = cv.simulate_errors("resnet110_c10", "uniform", sizes, counts, replicates=1000, progress=False)
bias = cube.bias.squeeze(drop=True).transpose("bins", "n").values
paper = np.array([
    [-4.34, -4.52, -4.65, -4.72, -4.78, -4.82], [-3.28, -3.71, -4.02, -4.21, -4.34, -4.42],
    [-1.43, -2.14, -2.69, -3.04, -3.26, -3.40], [0.62, -0.37, -1.12, -1.67, -2.01, -2.24],
    [2.66, 1.50, 0.52, -0.26, -0.83, -1.22], [4.54, 3.32, 2.14, 1.13, 0.30, -0.30],
])
off, (first, last) = np.abs(bias - paper / 100).max(), (bias[0, 5], bias[5, 0])
noise = (2 / 1000) ** 0.5 * cube["std"].max().item()  # of a difference of two means of a thousand
rows, columns = [f"{{b}} bins" for b in counts], [f"{{n:,}} samples" for n in sizes]
cv.plots.panels([cv.figures.grid_figure("bias", "even bins", rows, columns, 100 * bias, "bias in points")])
""",
        "From −4.82 points (2 bins, 6,400 samples) to 4.54 (64 bins, 200 samples).",
        "From {first:points} to {last:points}; no cell is further than {off:points} from the paper's.",
        "Both are means of a thousand simulations. Where samples are few, the standard error of their difference is "
        "0.13 points; the cells of a column are of the same samples, and are off together.",
        choices={"data": "simulated networks"},
    ),
    Item(
        PAPER, "figure", 5, "Beta distributions and curves that were fitted", "same data in part",
        DRAWN + """\
shown = [*both, published["resnet110_c100"], published["resnet152_imagenet"]]
score = np.linspace(0, 1, 101)
below = {one.name: np.append(0, np.cumsum(one.shares_between(score))) for one in shown}
curves = {one.name: one.true_curve(score[1:-1]) for one in shown}
cv.plots.panels([
    cv.figures.curves_figure("scores", score, below, "score", "share of scores below", y_in_percent=True),
    cv.figures.curves_figure("true curves", score[1:-1], curves, "score", "probability of being right"),
])
""",
        "ECE of the ResNet-110 on CIFAR-10: 6.67 %, and 8.42 % of samples drawn from its fit.",
        "{real:percent}; {of_paper:percent} of samples from the paper's fit, {of_fit:percent} of samples from the fit "
        "made here.",
        DRAWN_WHY + ROUNDING, choices=live(panels=["reliability", "confidence"]),
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
least, most = size.idxmin(), size.idxmax()
cv.plots.panels([
    cv.figures.curves_figure(name, sizes, {kind: bias.sel(network=name, estimator=kind) for kind in part},
                             "samples", "bias", truth=0.0, ticks=True, y_in_percent=True)
    for part in (kinds[:3], kinds[3:]) for name in bias.network.values
], columns=3)
""",
        "The sweep in bins of equal mass is biased least where samples are few; the kernel estimator most.",
        "At 200 samples {least} is biased least, by {size[sweep]:points} on average; {most} most, by "
        "{size[kde]:points}.",
        "All errors here are of the second power, as the true one is. Kernel errors are mostly of the first, which is "
        "5.2 points from this true error: then the kernel estimator is the most biased. 40 simulations of each "
        "network, where the paper has 1,000; lines are means over the networks of a data set.",
        choices={"data": "simulated networks"},
    ),
    Item(
        PAPER, "figure", 7, "Mean estimates over the true error", "same data",
        """\
pictures, read = [], []
for a, b in ((1, 1), (1.1, 0.1), (1.0611, 0.065)):
    networks = [cv.Network.power(d, a, b) for d in (1, 1.05, 1.1, 1.2, 1.3, 1.4, 1.5, 1.7, 2, 2.5, 3)]
    cube = cv.simulate_errors(networks, ["uniform", "sweep"], [200, 5000], replicates=500, progress=False)
    means = cube["mean"].squeeze("bins", drop=True)
    lines = {"true error": cube.tce.values}
    lines |= {f"{e}, {n:,} samples": means.sel(estimator=e, n=n) for e in ("uniform", "sweep") for n in (200, 5000)}
    read.append(np.interp(0.12, means.sel(estimator="uniform", n=200), cube.tce))
    pictures.append(cv.figures.curves_figure(
        f"scores from Beta({a}, {b})", cube.tce, lines, "true error", "mean estimate", x_in_percent=True,
        y_in_percent=True,
    ))
cv.plots.panels(pictures)
""",
        "An ECE of 12 % at 200 samples stands for a true error of 5 or of 8 %, by the scores.",
        "It stands for {read[0]:percent} where scores are spread evenly, for {read[1]:percent} under Beta(1.1, 0.1), "
        "and for {read[2]:percent} under Beta(1.0611, 0.065).",
        "The paper's Beta(1.1, 0.1) is that of the Wide ResNet-32 on CIFAR-100, rounded: it is Beta(1.0611, 0.0650) in "
        "its table 1, under which the 8 % come out.",
        choices={"data": "simulated networks"},
    ),
    Item(
        PAPER, "figure", 8, "How often miscalibration is missed", "same data",
        """\
networks = [cv.Network.power(d) for d in (1.02, 1.05, 1.1, 1.15, 1.2, 1.3, 1.5, 1.75)]
table = cv.miss_rates(networks, ["uniform", "sweep"], [200, 500, 10_000], replicates=500, progress=False)
missed = table.miss_rate.sel(n=500)
uniform, swept = missed.mean("network").values
between = table.tce.sel(network="c^1.3").item()
uniform_between, swept_between = missed.sel(network="c^1.3").values
cv.plots.miss_rates(table)
""",
        "The sweep misses far less often; with fewer than 500 samples only errors above 10 % are noticed reliably.",
        "At 500 samples an error of {between:percent} is missed by the sweep in {swept_between:whole_percent} of the "
        "cases, by even bins in {uniform_between:whole_percent}; over all eight networks in {swept:whole_percent} and "
        "{uniform:whole_percent}.",
        "The mean over networks hides the difference: at 500 samples both nearly always miss errors below 2 % and "
        "notice those above 10 %, so that only networks in between tell them apart.",
        choices={"data": "simulated networks"},
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
        "alpha 2.7752, beta 0.0478.", "alpha {fit.a:number}, beta {fit.b:number}; with 5e-23 for the {ones:number} "
        "scores of 1, alpha {a:number} and beta {b:number}.", ROUNDING,
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
best, logflip = whole.aic.idxmin(), whole.loc["logflip"]
first = whole.loc[best]
pd.concat({"all": whole, "scores below 1 - 9e-7": part}, axis=1).pipe(
    lambda table: table.set_axis([f"{name}, {of}" for of, name in table.columns], axis=1)
)
""",
        "Best is logflip: b0 −0.24, b1 0.30, AIC 2779.22.",
        "Best is {best}: b0 {first.b0:number}, b1 {first.b1:number}, AIC {first.aic:number}; logflip has "
        "{logflip.b0:number}, {logflip.b1:number}, {logflip.aic:number}.",
        "The paper's curves are not of all 10,000 photographs: its four constants say that 88 % are right, with AIC "
        "3800 to 3868, as of some 5,200 photographs, where 93.6 % of all are, with AIC 4780. Left without the scores "
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
        DRAWN + """\
100 * pd.DataFrame({"resnet110_c10": {"data": real, "simulated": of_paper, "simulated, fit made here": of_fit}})
""",
        "6.67 % of the data, 8.42 % simulated.",
        "{real:percent}, {of_paper:percent} simulated; {of_fit:percent} from the fit made here.",
        DRAWN_WHY + ROUNDING,
        {"resnet110_c10": {"data": 6.67, "simulated": 8.42}}, "{:.2f}", live(panels=["reliability"]),
    ),
    _table(4, "none", "before recalibration", 4.75, 4.75, 0.0),
    _table(5, "temperature", "temperature scaling", 1.13, 0.91, 0.23),
    _table(6, "isotonic, one-vs-rest", "isotonic regression", 1.47, 0.93, 0.55),
    _table(7, "histogram", "histogram binning", 0.84, 0.67, 0.17),
)  # fmt: skip  # a row of the gallery each
