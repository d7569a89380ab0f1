"""Gupta et al. 2020, Calibration of Neural Networks using Splines."""

from __future__ import annotations

from .item import NETWORK, Item, live, named

PAPER = "ks"
NET = "ResNet-110, where the paper draws DenseNet-40, whose logits are not shipped"
CALIBRATORS = """\
calibrators = {
    "uncalibrated": "none",
    "temperature": "temperature",
    "vector": "vector",
    "MS-ODIR": cv.MatrixScaling("cv", "cv"),
    "Dir-ODIR": cv.Dirichlet("cv", "cv"),
    "spline": cv.Spline(KNOTS),
}
"""
ROWS = ("uncalibrated", "temperature", "vector", "MS-ODIR", "Dir-ODIR", "spline")
WITHOUT_VECTOR = tuple(row for row in ROWS if row != "vector")
WHY = (
    "The logits are the paper's, and so is what is computed of them as they are. Calibrators are fitted to the same "
    "photographs by other solvers: here to the end of a convex problem, there by steps that end before. The penalties "
    "of MS-ODIR and Dir-ODIR come from cross-validation of other folds."
)


def _figures(number: int, lens: str, what: str, error: float, knots: int) -> tuple[Item, Item]:
    """The graphs of one lens, of the network as it is and after the spline."""
    before = Item(
        PAPER, "figure", number, f"Cumulative curves and slopes, {what}, before recalibration", "other data",
        f'{NETWORK}ks = cv.ks_error(network, "{lens}")\ncv.plots.ks(network, "{lens}")\n',
        f"KS error {error} % (DenseNet-40 on CIFAR-10).", "KS error {ks:percent} (ResNet-110 on CIFAR-10).",
        f"Another network: {NET}.", choices=live(lens=lens, cumulative="all four", panels=["cumulative"]),
    )  # fmt: skip  # one row
    after = Item(
        PAPER, "figure", number + 1, f"Cumulative curves and slopes, {what}, after the spline", "other data",
        f"""{NETWORK}spline = cv.Spline({knots}).fit(cv.lens("{lens}")(validation))
before = cv.ks_error(network, "{lens}")
fitted, judged = (cv.ks_error(cv.lens("{lens}")(p).mapped(spline)) for p in (validation, network))
cv.plots.ks(network, "{lens}", calibrator=spline, calibration=validation)
""",
        "Almost perfect on the photographs that it was fitted to; on the others not perfect, but much better than "
        "before.",
        "KS error {fitted:percent} on the photographs that it was fitted to; on the others {judged:percent}, where it "
        "was {before:percent}.", f"Another network: {NET}.",
        choices=live(lens=lens, calibrator="spline", cumulative="all four", panels=["cumulative", "recalibration"]),
    )  # fmt: skip  # one row
    return before, after


def _table(number: int, lens: str, knots: int, numbers: tuple[float, ...], why: str = WHY) -> Item:
    code = f"""{NETWORK}{CALIBRATORS.replace("KNOTS", str(knots))}cube = cv.evaluate(
    network, "{lens}", calibrators=calibrators.values(), calibration=validation, metrics="ks", progress=False
)
table = pd.DataFrame({{"ResNet-110": 100 * cube.ks.values.ravel()}}, list(calibrators))
least = table["ResNet-110"].idxmin()
draws = cv.consistency(network, "{lens}", error=cv.ks_error, replicates=99, progress=False)
noise = draws.upper
table
"""
    best = min(zip(numbers, ROWS, strict=True))[1]
    return Item(
        PAPER, "table", number, f"KS error under {lens}, in per cent", "same data in part", code,
        f"Least by {best}, of the ResNet-110 on CIFAR-10.",
        "Least by {least}; 95 of 100 calibrated networks stay below {noise:percent}.",
        why, {"ResNet-110": named(ROWS, numbers)},
        choices=live(lens=lens, metric="ks", panels=["comparison"]),
    )  # fmt: skip  # one row


ITEMS = (
    *_figures(1, "top-1", "top-1", 5.5, 6),
    *_figures(3, "rank 2", "top-2", 3.343, 6),
    *_figures(5, "rank 3", "top-3", 1.277, 6),
    *_figures(7, "within-top 2", "within top 2", 2.256, 14),
    *_figures(9, "within-top 3", "within top 3", 0.983, 14),
    _table(1, "top-1", 6, (4.750, 0.916, 0.996, 0.977, 1.060, 0.643)),
    _table(2, "rank 2", 6, (3.011, 0.947, 0.948, 0.598, 0.953, 0.347),
           WHY + " No pair of penalties brings MS-ODIR below 0.96 %. The paper prints 0.598, as it does for "
           "DenseNet-40 two lines below."),
    Item(
        PAPER, "table", 3, "Sizes of the calibration and test sets", "same data in part",
        NETWORK + """\
classes, fitted, judged = network.n_classes, len(validation), len(network)
pd.DataFrame({"CIFAR-10": {"classes": classes, "calibration set": fitted, "test set": judged}})
""",
        "CIFAR-10: 10 classes, 5,000 and 10,000 photographs.",
        "{classes:number} classes, {fitted:number} and {judged:number} photographs.",
        "Of the paper's four data sets this one comes with calibviz.",
        printed={"CIFAR-10": {"classes": 10, "calibration set": 5000, "test set": 10000}}, form="{:,.0f}",
        choices=live(),
    ),
    _table(4, "within-top 2", 14, (1.805, 0.097, 0.176, 0.140, 0.195, 0.277)),
    Item(
        PAPER, "table", 5, "Accuracy after recalibration, in per cent", "same data in part",
        f"""{NETWORK}calibrators = {{
    "temperature": cv.Temperature(),
    "vector": cv.VectorScaling(),
    "MS-ODIR": cv.MatrixScaling("cv", "cv"),
    "Dir-ODIR": cv.Dirichlet("cv", "cv"),
    "spline": cv.ByRank(cv.Spline()),
}}
accuracy = {{name: cv.accuracy(each.fit(validation).transform(network)) for name, each in calibrators.items()}}
accuracy = {{"uncalibrated": cv.accuracy(network)}} | accuracy
100 * pd.DataFrame({{"ResNet-110": accuracy}})
""",
        "A spline for every rank hardly changes the likeliest class.",
        "The spline leaves it at {accuracy[spline]:percent}.",
        "Here a spline for every rank keeps the ranks in their order, so that no likeliest class changes; in the paper "
        "a few do.",
        {"ResNet-110": named(ROWS, (93.56, 93.56, 93.50, 93.53, 93.52, 93.55))}, "{:.2f}",
        live(panels=["recalibration"], calibrator="spline"),
    ),
    Item(
        PAPER, "table", 6, "ECE of top-1 in 25 bins, in per cent", "same data in part",
        f"""{NETWORK}{CALIBRATORS.replace("KNOTS", "13")}cube = cv.evaluate(
    network, bins=25, calibrators=list(calibrators.values()), calibration=validation, metrics="ece", progress=False
)
table = pd.DataFrame({{"ResNet-110": 100 * cube.ece.values.ravel()}}, list(calibrators))
least = table["ResNet-110"].idxmin()
table
""",
        "Least by spline, of the ResNet-110 on CIFAR-10.", "Least by {least}.", WHY,
        {"ResNet-110": named(ROWS, (4.750, 1.224, 1.092, 1.276, 1.240, 1.011))},
        choices=live(bins=25, panels=["comparison"]),
    ),
    Item(
        PAPER, "table", 7, "KDE-ECE, MCE and Brier score of top-1", "other data",
        f"""{NETWORK}{CALIBRATORS.replace("KNOTS", "6")}cube = cv.evaluate(
    network, calibrators=list(calibrators.values()), calibration=validation, metrics=["kde", "mce", "brier"],
    progress=False,
)
names = {{"kde": "KDE-ECE", "mce": "MCE", "brier": "Brier score"}}
table = pd.DataFrame({{name: cube[metric].values.ravel() for metric, name in names.items()}}, list(calibrators))
least = ", ".join(f"{{name}} by {{table[name].idxmin()}}" for name in table)
table
""",
        "On ImageNet (DenseNet-161) the spline has the least KDE-ECE and Brier score, temperature the least MCE.",
        "Least {least}.",
        "Logits of ImageNet are not shipped: these are of the ResNet-110 on CIFAR-10. The MCE is that of one bin, "
        "often of a few photographs.",
        {
            "KDE-ECE": named(WITHOUT_VECTOR, (0.03786, 0.01501, 0.02874, 0.02979, 0.00637)),
            "MCE": named(WITHOUT_VECTOR, (0.13123, 0.05442, 0.09077, 0.09653, 0.06289)),
            "Brier score": named(WITHOUT_VECTOR, (0.12172, 0.11852, 0.11982, 0.11978, 0.11734)),
        },
        "{:.5f}", live(panels=["comparison"]),
    ),
)  # fmt: skip  # a row of the paper's table each
