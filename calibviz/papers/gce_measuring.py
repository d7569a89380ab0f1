"""Nixon et al. 2019, Measuring Calibration in Deep Learning."""

from __future__ import annotations

from ..metrics.gce import GCE
from .item import NETWORK, Item, live, named

PAPER = "gce_measuring"
#: Ranges of the adaptive errors in the course of training, of which figures 2 and 5 draw the lower bounds.
RANGES = """\
training = cv.papers.training()
epochs, labels = training.epoch.values, training.labels.values
by_epoch = [cv.Predictions(logits=training.logits.sel(epoch=epoch).values, labels=labels) for epoch in epochs]


def bounds(threshold, ranges, shown):
    \"\"\"The lower bounds of some of the ranges of equal mass, over all probabilities above a threshold.\"\"\"
    probs = [np.sort(p.probs[p.probs > threshold]) for p in by_epoch]
    starts = {f"range {i} of {ranges}": [each[len(each) * (i - 1) // ranges] for each in probs] for i in shown}
    return cv.figures.curves_figure(f"probabilities above {threshold:g}", epochs, starts, "epoch", "lower bound")


"""
OTHER_TRAINING = (
    "A network of 64 hidden units on digits with noise, trained here in a second, in place of networks on "
    "Fashion-MNIST and MNIST, whose predictions are not shipped."
)
NOISE = """\
stack = cv.papers.label_noise(np.linspace(0, 0.5, 6))
shares = stack.share.values
by_share = [cv.Predictions(stack.probs.sel(share=s).values, stack.labels.sel(share=s).values) for s in shares]
"""
PROPERTIES = """\
named = {
    "even": lambda m: m.binning == "uniform", "adaptive": lambda m: m.binning == "equal-mass",
    "max prob": lambda m: m.max_prob, "all probs": lambda m: not m.max_prob,
    "class conditional": lambda m: m.class_conditional, "class unconditional": lambda m: not m.class_conditional,
    "thresholded": lambda m: m.threshold > 0, "unthresholded": lambda m: m.threshold == 0,
    "L1": lambda m: m.norm == "l1", "L2": lambda m: m.norm == "l2",
}
"""
KINDS = ("even", "adaptive", "max prob", "all probs", "class conditional", "class unconditional", "thresholded",
         "unthresholded", "L1", "L2")  # fmt: skip  # short entries stand in rows


def _by_property(*numbers: float) -> dict[str, float]:
    return named(KINDS, numbers)


def _histogram(number: int, what: str, numbers: tuple[tuple[float, ...], tuple[float, ...]], why: str) -> Item:
    rows = ("uncalibrated", "histogram binning", "class-conditional histogram binning")
    return Item(
        PAPER, "table", number, f"ECE and class-conditional ECE after histogram binning, {what}", "other data",
        NETWORK + """\
calibrators = {
    "uncalibrated": None,
    "histogram binning": cv.OneVsRest(cv.HistogramBinning(), shared=True),
    "class-conditional histogram binning": cv.OneVsRest(cv.HistogramBinning()),
}
judged = {
    name: network if each is None else each.fit(validation).transform(network) for name, each in calibrators.items()
}
table = pd.DataFrame({
    name: {row: cv.GCE.named(name)(p) for row, p in judged.items()} for name in ("ECE", "class-conditional ECE")
})
ratio = table.loc["histogram binning"]
table
""",
        f"After histogram binning the ECE is {numbers[0][1]:.4f} of {numbers[1][1]:.4f} by class.",
        "It is {ratio[ECE]:number} of {ratio[class-conditional ECE]:number}.", why,
        {"ECE": named(rows, numbers[0]), "class-conditional ECE": named(rows, numbers[1])},
        "{:.4f}", live(calibrator="histogram, one-vs-rest", lens="top-1 by class", panels=["comparison"]),
    )  # fmt: skip  # one row


#: The techniques of table 5 in the order of their numbers in the paper, and what each metric puts first to last.
_TECHNIQUES = ("histogram by class", "histogram", "isotonic", "temperature", "temperature of least ECE", "vector",
               "matrix", "neural")  # fmt: skip  # short entries stand in rows
_ORDERS = (
    "01342756 72346510 01342756 72346510 31462075 34172605 31462075 34172605 01437652 43760152 07126435 72643510 "
    "43107652 43170652 26317405 43721605 10257436 27634501 10257436 27634501 12763045 16273450 12763405 16273450 "
    "01347652 06713452 01276435 76243051 17063452 17602345 12760435 12764305"
)
_RANKS = {
    name: {m.name: order.index(str(i)) + 1 for m, order in zip(GCE.variants(), _ORDERS.split(), strict=True)}
    for i, name in enumerate(_TECHNIQUES)
}

ITEMS = (
    Item(
        PAPER, "figure", 1, "The error of every class; errors over the temperature", "other data",
        NETWORK + """\
classes = [f"class {name}" for name in network.class_names]
cube = cv.evaluate(network, classes, binnings="equal-mass", metrics="ece", progress=False)
of_class = cube.ece.squeeze(drop=True)
low, high = of_class.min().item(), of_class.max().item()
temperatures = np.linspace(1, 4, 61)
warmed = {f"{t:.3f}": cv.Predictions(logits=network.logits / t, labels=network.labels) for t in temperatures}
errors = cv.evaluate(warmed, metrics=["ece", "log_loss"], progress=False).squeeze(drop=True)
by_temperature = {"ECE": errors.ece.values, "ACE": [cv.GCE.named("ACE")(p) for p in warmed.values()]}
least = [*by_temperature.values(), errors.log_loss.values]
of_ece, of_ace, of_loss = (temperatures[np.argmin(of)].round(2) for of in least)
cv.plots.panels([
    cv.figures.classes_figure(network.class_names, of_class.values),
    cv.figures.curves_figure("temperature", temperatures, by_temperature, "temperature", "error", y_in_percent=True),
    cv.figures.curves_figure(
        "the loss that is fitted", temperatures, {"log loss": errors.log_loss.values}, "temperature", "log loss"
    ),
])
""",
        "The error is uneven across classes, and least at another temperature than the cross-entropy.",
        "The error of a class is {low:percent} to {high:percent}; ECE is least at a temperature of {of_ece}, ACE at "
        "{of_ace}, log loss at {of_loss}.",
        "ResNet-110 on CIFAR-10; the paper's is on CIFAR-100, whose logits are not shipped.",
        choices=live(panels=["classes", "temperature"], binning="equal-mass"),
    ),
    Item(
        PAPER, "figure", 2, "Ranges of the adaptive error in the course of training", "other data",
        RANGES + """\
errors = {name: [cv.GCE.named(name)(p, bins) for p in by_epoch] for name, bins in (("ACE", 100), ("TACE", 50))}
smallest = np.mean(by_epoch[-1].probs < 0.01)
cv.plots.panels([
    bounds(0, 100, (25, 50, 75, 90, 99)), bounds(0.01, 50, (1, 10, 25, 40, 49)),
    *(cv.figures.curves_figure(name, epochs, {name: of}, "epoch", "error") for name, of in errors.items()),
])
""",
        "Almost all ranges lie at tiny probabilities, which motivates a threshold.",
        "After the last epoch {smallest:whole_percent} of all probabilities are below 0.01.", OTHER_TRAINING,
        choices={"data": "interventions", "lens": "classwise", "binning": "equal-mass", "bins": 100},
    ),
    Item(
        PAPER, "figure", 3, "Three errors under label noise, and what ECE leaves out", "other data",
        NOISE + """\
errors = {name: [cv.GCE.named(name)(p) for p in by_share] for name in ("ECE", "SCE", "ACE", "TACE")}
left_out = [1 - (p.confidence > 0.1).sum() / (p.probs > 0.1).sum() for p in by_share]
sure = {"mean confidence": [p.confidence.mean() for p in by_share], "accuracy": [cv.accuracy(p) for p in by_share]}
percents = {"x_in_percent": True, "y_in_percent": True}
first, last = left_out[0], left_out[-1]
cv.plots.panels([
    cv.figures.curves_figure("errors", shares, errors, "labels drawn at random", "error", **percents),
    cv.figures.curves_figure(
        "left out by ECE", shares, {"of probabilities above 0.1": left_out}, "labels drawn at random", "share",
        **percents,
    ),
    cv.figures.curves_figure("how sure, how right", shares, sure, "labels drawn at random", "share", **percents),
])
""",
        "The more noise, the more of the probabilities above 0.1 the ECE leaves out, and the less it follows ACE and "
        "SCE.",
        "Without noise it leaves out {first:whole_percent} of them, at half of the labels {last:whole_percent}.",
        "Softmax regressions, as in the paper, of 8 x 8 digits in place of MNIST; at 6 levels of noise up to 50 %, "
        "where its appendix B has 40 up to 5 %.",
        choices={"data": "digits", "model": "neural network", "lens": "classwise"},
    ),
    Item(
        PAPER, "figure", 4, "Errors that cancel in a bin", "same data",
        """\
p = cv.papers.cancelling()
ece = cv.calibration_error(p, binning=cv.Uniform(10))
errors = {
    "10 even bins": ece, "15 even bins": cv.calibration_error(p),
    "10 bins of equal mass": cv.calibration_error(p, binning=cv.EqualMass(10)), "KS": cv.ks_error(p),
    "a bin for each score": cv.calibration_error(p, binning=cv.Distinct()),
}
rest = min(error for name, error in errors.items() if name != "10 even bins")
problem = cv.lens("class right")(p)
cv.plots.panels([
    cv.figures.reliability_figure([problem], [cv.Uniform(10)(problem)], "10 even bins"),
    cv.figures.grid_figure("error", "the same predictions", list(errors), ["error"],
                           100 * np.array(list(errors.values()))[:, None], "error in per cent"),
])
""",
        "450 predictions of 0.52, all wrong, and 550 of 0.58, all right, have an ECE of 0.003.",
        "{ece:number} in ten even bins; all other measures see {rest:number} or more.",
        choices={"data": "cancelling", "lens": "class right", "bins": 10, "panels": ["reliability", "cumulative"]},
    ),
    Item(
        PAPER, "figure", 5, "How sharp predictions are, and the ranges that follow them", "other data",
        RANGES + """\
class_8 = cv.lens("class 8")(by_epoch[-1])
ends = np.mean((class_8.score < 0.05) | (class_8.score > 0.95))
counts, edges = np.histogram(class_8.score, 20, (0, 1))
cv.plots.panels([
    cv.figures.curves_figure(
        "class 8, after the last epoch", (edges[1:] + edges[:-1]) / 2, {"samples": counts}, "score", "samples in a bin"
    ),
    bounds(0, 100, (60, 80, 90, 95, 99)),
])
""",
        "The vast majority of scores is near 0 or 1, and ranges of equal mass follow them.",
        "{ends:whole_percent} of the scores of class 8 are within 0.05 of 0 or 1.", OTHER_TRAINING,
        choices={"data": "digits", "model": "neural network", "lens": "class 8", "binning": "equal-mass"},
    ),
    _histogram(1, "CIFAR-10", ((0.02447, 0.0070, 0.0132), (0.03011, 0.0212, 0.0189)),
               "A ResNet-110 on CIFAR-10, where the paper has a Wide ResNet of its own."),
    _histogram(2, "ImageNet", ((0.0669, 0.0147, 0.0831), (0.2237, 0.1810, 0.1561)),
               "Logits of ImageNet are not shipped: this is CIFAR-10. With fewer classes less is lost."),
    Item(
        PAPER, "table", 3, "Mean ECE where the temperature is chosen by other metrics", "other data",
        NETWORK + PROPERTIES + """\
judged = {m: cv.MetricTemperature(m).fit(validation).transform(network) for m in cv.GCE.variants()}
found = {"ECE": {m: cv.GCE()(p) for m, p in judged.items()},
         "control (RMSCE)": {m: cv.GCE.named("RMSCE")(p) for m, p in judged.items()}}
table = pd.DataFrame({
    name: {kind: np.mean([e for m, e in of.items() if has(m)]) for kind, has in named.items()}
    for name, of in found.items()
})
pairs = zip(table.index[::2], table.index[1::2])
less = ", ".join(one if table.ECE[one] < table.ECE[other] else other for one, other in pairs)
table
""",
        "Less by even, max prob, class unconditional, thresholded, L1.", "Less by {less}.",
        "The paper trained a Wide ResNet of its own, which was not published. Its order holds for the ResNet-110 too, "
        "but for the norm; the size of the ECE is another network's. Temperatures are searched here over the whole "
        "range, there by a downhill simplex from one start, which may end in a dip between two bins. The control "
        "cannot be compared: in the same bins a root of a mean square is never below the ECE, and the paper's is "
        "less than half of it, so it is of other bins, which the paper does not name.",
        {"ECE": _by_property(0.0097, 0.0175, 0.0129, 0.0143, 0.0145, 0.0126, 0.0126, 0.0146, 0.0117, 0.0155),
         "control (RMSCE)": _by_property(0.0035, 0.0034, 0.0035, 0.0034, 0.0037, 0.0033, 0.0035, 0.0034, 0.0036,
                                         0.0033)},
        "{:.4f}", live(panels=["temperature"]),
    ),
    Item(
        PAPER, "table", 4, "How far metrics agree in the order of ten networks", "other data",
        PROPERTIES + """\
calibration, evaluation = cv.load_interventions()
models = {
    f"{kind} {trial}": cv.Predictions(logits=one.logits.values, labels=one.labels.values)
    for kind in evaluation.intervention.values for trial in evaluation.trial.values
    for one in [evaluation.sel(intervention=kind, trial=trial)]
}
values = {m: [m(p) for p in models.values()] for m in cv.GCE.variants()}


def agreement(chosen):
    \"\"\"The mean rank correlation between any two of some metrics.\"\"\"
    rho = pd.DataFrame({m.name: values[m] for m in chosen}).corr("spearman").values
    return rho[np.triu_indices_from(rho, 1)].mean()


table = pd.DataFrame({"digits": {kind: agreement([m for m in values if has(m)]) for kind, has in named.items()}})
low, high = table.digits.min(), table.digits.max()
table
""",
        "Of ten networks of MNIST from 0.1059 to 0.3475; of CIFAR-10 from 0.4307 to 0.6156.",
        "Of twenty networks of 8 x 8 digits from {low:number} to {high:number}.",
        "The column has the paper's numbers of MNIST, which is of digits, too. Agreement is a matter of the networks: "
        "between all 32 metrics it is 0.37 for five networks that were trained here with mix-up, and 0.90 for five "
        "with label smoothing.",
        {"digits": _by_property(0.1569, 0.1156, 0.1652, 0.1059, 0.1941, 0.1229, 0.1310, 0.1093, 0.3475, 0.1944)},
        "{:.4f}", {"data": "interventions", "panels": ["comparison"], "rows": "gce"},
    ),
    Item(
        PAPER, "table", 5, "Which recalibration is best by each of 32 metrics", "other data",
        NETWORK + """\
from scipy.stats import rankdata

calibrators = {
    "histogram by class": cv.OneVsRest(cv.HistogramBinning()),
    "histogram": cv.OneVsRest(cv.HistogramBinning(), shared=True),
    "isotonic": cv.OneVsRest(cv.Isotonic()),
    "temperature": "temperature",
    "temperature of least ECE": cv.MetricTemperature(),
    "vector": "vector",
    "matrix": "matrix",
    "neural": "neural",
}
cube = cv.evaluate(
    network, calibrators=list(calibrators.values()), calibration=validation, metrics="gce", progress=False
)
choices = ("binning", "max_prob", "class_conditional", "threshold", "norm")
values = cube.gce.squeeze(drop=True).stack(metric=choices).transpose("metric", "calibrator")
ranks = rankdata(values, axis=1, method="min").astype(int)
table = pd.DataFrame(ranks, [m.name for m in cv.GCE.variants()], list(calibrators))
first = table.idxmin(axis=1)
won = first.value_counts()
most = int(won.iloc[0])
named = ", ".join(f"{first[name]} by {name}" for name in ("ECE", "class-conditional ECE", "SCE", "ACE", "RMSCE"))
table
""",
        "Metrics put eight techniques in dramatically different orders. Six are first by some: histogram binning by 10 "
        "of 32 metrics. First are temperature by ECE, histogram by class by class-conditional ECE, SCE and ACE, and "
        "histogram by RMSCE.",
        "{won.size:number} are first by some: {won.index[0]} by {most:number} of 32. First are {named}.",
        "The paper's is a Wide ResNet of its own, which was not published; this is the ResNet-110. Ranks are of one "
        "network, without a test. The paper draws a bootstrap for histogram binning; these bins are of equal mass.",
        _RANKS, "{:.0f}", live(panels=["comparison"]),
    ),
)  # fmt: skip  # a row of the gallery each
