"""Kirchenbauer, Oaks and Heim 2022, What is Your Metric Telling You?"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .item import NETWORK, Item, live, named

PAPER = "gece"


@dataclass(frozen=True, eq=False)
class StandIn:
    """Data that stand for those of the paper: how they are loaded, recalibrated and laid out."""

    load: str  # code that leaves `one`, a set of predictions, and `given`, the arguments of `evaluate` for all of them
    lay: str  # code around a cube that makes its bars one for each technique
    bars: str  # the dimension of the techniques then
    groups: str  # code of a grouping of the classes, its groups by name
    event: str  # a lens of one class
    what: str  # in words
    choices: Mapping[str, Any]  # of the Explorer
    grouped: Mapping[str, Any] = field(default_factory=dict)  # what the Explorer needs besides for a grouping


TRAINED = StandIn(
    """\
import xarray as xr

calibration, evaluation = cv.load_interventions()
processed = ["temperature", "bias-corrected", "histogram"]
given = {"predictions": evaluation, "calibration": calibration, "calibrators": ["none", *processed], "progress": False}
first = evaluation.sel(intervention="plain", trial=0)
one = cv.Predictions(logits=first.logits.values, labels=first.labels.values)


def techniques(cube):
    \"\"\"Four kinds of training, and what recalibrates the plain one, along one dimension.\"\"\"
    trained = cube.sel(calibrator="none", drop=True).rename(intervention="technique")
    moved = cube.sel(intervention="plain", calibrator=processed, drop=True).rename(calibrator="technique")
    return xr.concat([trained, moved], "technique")


""",
    "techniques", "technique", '{"round": [0, 6, 8, 9], "straight": [1, 4, 7], "open": [2, 3, 5]}', "class 8",
    "four times five networks trained here on digits, plainly, with label smoothing, mix-up or focal loss",
    {"data": "interventions"},
    {"groups": {"round": ["0", "6", "8", "9"], "straight": ["1", "4", "7"], "open": ["2", "3", "5"]}},
)  # fmt: skip  # short entries stand in rows
PHOTOS = StandIn(
    NETWORK + """\
one = network
given = {"predictions": network, "calibration": validation, "progress": False}
given["calibrators"] = ["none", "temperature", "bias-corrected", "histogram"]
""",
    "", "calibrator", "network.groups", "class cat", "the ResNet-110 on CIFAR-10, recalibrated", live(),
)  # fmt: skip  # short entries stand in rows


def _in_folds(data: str, model: str, event: str, what: str, groups: str = "") -> StandIn:
    """A model of an embedded data set, recalibrated in cross-fitting."""
    load = f"""\
one = cv.load_dataset("{data}")["{model}"]
given = {{"predictions": one, "folds": 5, "progress": False}}
given["calibrators"] = ["none", "temperature", "bias-corrected", "histogram"]
"""
    return StandIn(load, "", "calibrator", groups, event, what, {"data": data, "model": model})


MOVED = "recalibrated in cross-fitting"
FOREST = _in_folds("digits", "random forest", "class 8", f"a random forest on digits, {MOVED}", "one.groups")
NEURAL = _in_folds("digits", "neural network", "class 8", "a neural network on digits", "one.groups")
BAYES = _in_folds("digits", "naive Bayes", "class 8", f"naive Bayes on digits, {MOVED}", 'one.hierarchy["shape"]')
HEARTS = _in_folds("heart", "random forest", "class disease", f"a random forest of heart disease, {MOVED}")
TUMOURS = _in_folds("tumours", "naive Bayes", "class malignant", f"naive Bayes of tumours, {MOVED}")


def _item(
    number: int, title: str, data: StandIn, code: str, says: str, finds: str, why: str = "", **choices: Any
) -> Item:
    said = f"Other data: {data.what}, since those of the paper are not shipped. {why}".strip()
    return Item(
        PAPER, "figure", number, title, "other data", data.load + code, says, finds, said,
        choices={**data.choices, **choices},
    )  # fmt: skip  # one row


UNSURE = "The forest is less sure than it is right, so that techniques raise its largest probability."
FEW = "So few samples are in the middle here that chance takes what is observed out of it."


def _top_k(number: int, of: str, data: StandIn) -> Item:
    is_first = number == 1  # of ImageNet; the others are of CIFAR-100
    code = f"""\
cube = {data.lay}(cv.evaluate(
    lenses=["top-1", "top-2", "top-5", "full"], gammas=[1 / 16], metrics=["ece", "kdtree_ece"], **given
))
mean = cube.mean("trial") if "trial" in cube.dims else cube
mean = mean.squeeze(drop=True)
errors = [mean.ece.sel(lens="top-1"), *(mean.kdtree_ece.sel(lens=lens) for lens in ("top-5", "full"))]
usual, five, whole = (int((each[1:] < each[0]).sum()) for each in errors)
of_usual, of_five, of_whole = (1 - (each.sel({data.bars}="temperature") / each[0]).item() for each in errors)
count = mean.sizes["{data.bars}"] - 1
traditional = cube[["ece"]].sel(lens=["top-1"])
cv.plots.panels([
    cv.figures.bars_figure(traditional, "ece", "{data.bars}", None),
    cv.figures.bars_figure(cube, "kdtree_ece", "{data.bars}", "lens"),
])
"""
    says = {
        True: "All techniques but focal loss reduce the usual ECE; hardly any reduces top-k ECE from k = 5 on, or full "
        "ECE.",
        False: "All techniques reduce the usual ECE and the top-k ECE, by amounts that depend on k in different ways; "
        "label smoothing raises the full ECE.",
    }[is_first]
    why = {
        TRAINED: "Of these networks label smoothing makes some that are far less sure than they are right, which "
        "raises every ECE.",
        FOREST: UNSURE,
        PHOTOS: "Of ten classes the likeliest has nearly all of the probability, so that what mends it mends the rest.",
    }[data]
    return _item(
        number, f"Top-k ECE of all techniques, {of}", data, code, says,
        "Of {count:number} techniques {usual:number} reduce the usual ECE, {five:number} the top-5 ECE and "
        "{whole:number} the full ECE. A temperature takes {of_usual:whole_percent}, {of_five:whole_percent} and "
        "{of_whole:whole_percent} off them.",
        why, lens="full", binning="k-d tree", panels=["comparison"],
    )  # fmt: skip  # one row


def _confidences(number: int, of: str, data: StandIn) -> Item:
    is_trained = data is TRAINED
    baseline = ', baseline={"intervention": "plain"}' if is_trained else ""
    along = "intervention" if is_trained else "calibrator"
    given = "evaluation, progress=False" if is_trained else "**given"
    code = f"""\
table = cv.confidences({given}{baseline}).squeeze(drop=True)
table = table.mean("trial", keep_attrs=True) if "trial" in table.dims else table
lowered, raised = (int(each.sum()) for each in (table.relative[..., 0] < 0.9999, table.relative[..., -1] > 1.0001))
count = table.sizes["{along}"] - 1
cv.plots.confidences(table)
"""
    says = {
        True: "All techniques lower the largest probability, and differ in where they put what they take.",
        False: "Many techniques give more to unlikely classes than the baseline does.",
    }[number == 2]
    return _item(
        number, f"Mean confidence by rank, relative to the baseline, {of}", data, code, says,
        "Of {count:number} techniques {lowered:number} lower the largest probability, and {raised:number} raise the "
        "smallest.", UNSURE if data is FOREST else "", panels=["confidence"],
    )  # fmt: skip  # one row


def _groups(number: int, of: str, data: StandIn) -> Item:
    code = f"""\
groups = {data.groups}
selections = {{"all": None}} | {{name: cv.quantity("label").isin(list(of)) for name, of in groups.items()}}
grouping = cv.Grouping({data.groups})
cube = {data.lay}(cv.evaluate(
    lenses=grouping, gammas=[1 / 16], selections=selections, metrics="kdtree_ece", **given
))
mean = cube.mean("trial") if "trial" in cube.dims else cube
errors = mean.kdtree_ece.squeeze(drop=True).transpose("{data.bars}", "selection")
whole, worst = errors[0, 0].item(), errors[0, 1:].max().item()
above = errors[1:] > errors[0]
count, raised = len(above), int(above[:, 0].sum())
alone = int(above[:, 1:].any("selection").sum())
cv.plots.bars(cube, "kdtree_ece", "{data.bars}", "selection")
"""
    says = {
        True: "All techniques reduce the error of groups, and most raise it among the samples of each group alone.",
        False: "All techniques reduce the usual ECE, some raise the error of groups; of the samples of two groups "
        "alone it is much larger.",
    }[data is BAYES]
    return _item(
        number, f"Group-wise ECE, {of}", data, code, says,
        "The error of the baseline is {whole:percent}, and up to {worst:percent} among the samples of one group alone. "
        "Of {count:number} techniques {raised:number} raise the first, and {alone:number} that of a group alone.",
        UNSURE if data is FOREST else "", lens="grouping", panels=["classes", "comparison"], **data.grouped,
    )  # fmt: skip  # one row


def _family(number: int, of: str, data: StandIn) -> Item:
    if data is TRAINED:
        rows = """\
kinds = {kind: evaluation.sel(intervention=kind) for kind in evaluation.intervention.values}
values = {
    kind: [[p.probs[kept][:, list(of)].sum(axis=1).mean() for of in groups.values()]
           for logits in several.logits.values
           for p in [cv.Predictions(logits=logits, labels=several.labels.values)]
           for kept in [np.isin(p.labels, list(groups[name]))]]
    for kind, several in kinds.items()
}
"""
    else:
        fitted = (
            "each.fit(validation).transform(one)"
            if data is PHOTOS
            else "cv.cross_fitted(one, calibrator=each, folds=5).transform(one)"
        )
        rows = f"""\
calibrators = {{"temperature": cv.Temperature(), "bias-corrected": cv.BiasCorrectedTemperature()}}
moved = {{"none": one.probs}}
moved |= {{key: {fitted}.probs for key, each in calibrators.items()}}
kept = np.isin(one.labels, list(groups[name]))
values = {{key: [[p[kept][:, list(of)].sum(axis=1).mean() for of in groups.values()]] for key, p in moved.items()}}
"""
    code = f"""\
groups = {data.groups}
name = list(groups)[-1]
{rows}means = np.array([np.mean(of, axis=0) for of in values.values()])
right = means[0, -1]
count, lower = len(means) - 1, int((means[1:, -1] < right).sum())
next_to, others = list(groups)[means[0, :-1].argmax()], means[:, means[0, :-1].argmax()]
low, high = others.min(), others.max()
cv.plots.panels([cv.figures.groups_figure(list(groups), values)])
"""
    says = {
        True: "Techniques of like error put what they take on other groups: focal loss more of it on benign ones than "
        "the temperature with bias.",
        False: "Many techniques lower the confidence in the right group; all models give much of it to a group that is "
        "closely related.",
    }[data is BAYES]
    return _item(
        number, f"Mean probability of each group, of the samples of one, {of}", data, code, says,
        "Of the samples of “{name}” the baseline gives this group {right:percent}, and {lower:number} of "
        "{count:number} techniques give it less. Most of the rest goes to “{next_to}”: {low:percent} to "
        "{high:percent}.",
        UNSURE if data is FOREST else "", lens="grouping", panels=["confidence", "classes"], **data.grouped,
    )  # fmt: skip  # one row


LIKERT = '{"low": (0, 0.33), "medium": (0.33, 0.66), "high": (0.66, 1)}'
SURE = '{"not very high": (0, 0.8), "very high": (0.9, 1)}'


def _likert(number: int, metric: str, of: str, data: StandIn, categories: str = LIKERT) -> Item:
    title = {
        "likert_error": "Error of each category of confidence", "likert_total_variation": "ECE of each category",
        "likert_count": "Test samples in each category",
    }[metric]  # fmt: skip  # short entries stand in rows
    says = {
        "likert_error": "No model has an error in the medium category, and some techniques have none in any.",
        "likert_total_variation": "By total variation all models have an error in the medium category, where what is "
        "observed stays within it.",
        "likert_count": "All models output the middle least often; techniques move samples there.",
    }[metric]
    if categories == SURE:
        says = {
            "likert_error": "The baseline has no error, while all techniques have one.",
            "likert_count": "All techniques move samples out of the very high category, to those that are not very "
            "high.",
        }[metric]
    measured, finds = {
        "likert_count": (
            """\
plain, *others = (round(count) for count in values.sel(category=middle).values)
low, high, count = min(others), max(others), len(others)
more = sum(other > plain for other in others)
""",
            "In “{middle}”: {plain:counted} of the baseline, {low:number} to {high:number} of techniques, of which "
            "{more:number} of {count:number} have more.",
        ),
        "likert_error": (
            """\
beyond = cube.likert_error_p_value <= 0.05
cells, count, of_first = beyond.size, int(beyond.sum()), int(beyond.isel(BARS=0).sum())
largest = values.max().item()
""",
            "Of {cells:number} errors {count:number} are more than noise at level 5 %, {of_first:number} of them of "
            "the baseline. The largest is {largest:percent}.",
        ),
        "likert_total_variation": (
            "low, high = (end.item() for end in (values.sel(category=middle).min(), "
            "values.sel(category=middle).max()))\n",
            "In “{middle}” from {low:number} to {high:number}.",
        ),
    }[metric]
    noise = ", noise=True" if metric == "likert_error" else ""
    code = f"""\
categories = {categories}
cube = {data.lay}(cv.evaluate(
    lenses="{data.event}", categories=categories, metrics="{metric}"{noise}, **given
))
mean = cube.mean("trial") if "trial" in cube.dims else cube
values = mean.{metric}.squeeze(drop=True)
middle = list(categories)[1 if len(categories) > 2 else 0]
{measured.replace("BARS", data.bars)}cv.plots.bars(cube, "{metric}", "{data.bars}", "category")
"""
    few = FEW if noise else ""
    why = {
        TRAINED: few,
        TUMOURS: few
        if categories == LIKERT
        else "Naive Bayes is sure of nearly all tumours, with techniques and without.",
        HEARTS: "" if noise else "The forest is often unsure of patients, so that many are in the middle.",
    }[data]
    return _item(
        number, f"{title}, {of}", data, code, says, finds, why, lens=data.event, panels=["likert"],
        likert=ast.literal_eval(categories),
    )  # fmt: skip  # one row


MODELS = ("plain", "focal loss", "mix-up", "label smoothing", "temperature", "bias-corrected", "histogram")


def _accuracy(number: int, of: str, means: tuple[float, ...]) -> Item:
    code = """\
cube = techniques(cv.evaluate(metrics=["accuracy"], **given)).accuracy.squeeze(drop=True)
table = pd.DataFrame({"accuracy": cube.mean("trial").to_series(), "std of trials": cube.std("trial").to_series()})
table = table.loc[["plain", "focal loss", "mix-up", "label smoothing", *processed]]
low, high = table.accuracy.min(), table.accuracy.max()
table
"""
    return Item(
        PAPER, "table", number, f"Accuracy of all techniques, {of}", "other data", TRAINED.load + code,
        f"From {min(means):.3f} to {max(means):.3f} (ResNet-50).", "From {low:number} to {high:number}.",
        f"Other data: {TRAINED.what}. A temperature changes no likeliest class, so its accuracy is that of the plain "
        "network, in the paper as here. Histogram binning here is of the confidence alone, which changes none either.",
        {"accuracy": named(MODELS, means)}, "{:.4f}", TRAINED.choices,
    )  # fmt: skip  # one row


IMAGENET, CIFAR, ETHEC, CRISIS = "ImageNet", "CIFAR-100", "ETHEC", "CrisisMMD"
ITEMS = (
    _top_k(1, f"ResNet-50, {IMAGENET}", TRAINED),
    _confidences(2, f"ResNet-50, {IMAGENET}", TRAINED),
    _groups(3, f"ResNet-50, {ETHEC}", TRAINED),
    _family(4, f"ResNet-50, {ETHEC}", TRAINED),
    _likert(5, "likert_error", f"ResNet-50, {CRISIS}", TRAINED),
    _likert(6, "likert_count", f"ResNet-50, {CRISIS}", TRAINED),
    _item(
        7, "Full ECE over the adaptive fraction gamma", PHOTOS, """\
curve = cv.sensitivity(one, "full", settings=[2.0**-power for power in range(1, 9)], replicates=50, progress=False)
low, high = curve.error.min().item(), curve.error.max().item()
flat = curve.error.sel(gamma=slice(curve.window_start, curve.window_stop))
start, stop = (round(1 / gamma) for gamma in flat.gamma.values[[0, -1]])
span = (flat.max() - flat.min()).item()
cv.plots.sensitivity(curve)
""",
        "The error is stable about gamma = 1/16, between bins too coarse and bins too small.",
        "From {low:percent} to {high:percent} over gamma from 1/2 to 1/256; flat from 1/{start:number} to "
        "1/{stop:number}, where it changes by {span:points}.",
        "50 resamples, where the paper has 1,000.", lens="full", binning="k-d tree", panels=["sensitivity"],
    ),
    _item(
        8, "Samples in the bins over gamma", PHOTOS, """\
curve = cv.sensitivity(one, "full", settings=[2.0**-power for power in range(1, 9)], replicates=2, progress=False)
coarse, fine = (round(count) for count in curve.median_in_bin.values[[0, -1]])
cv.plots.panels([cv.figures.points_per_bin_figure(curve)])
""",
        "The fewest, the median and the most samples in a bin fall with gamma.",
        "The median falls from {coarse:counted} at gamma = 1/2 to {fine:number} at 1/256.",
        lens="full", binning="k-d tree", panels=["sensitivity"],
    ),
    _item(
        9, "Spread of ECE by the number of samples", NEURAL, """\
def error(lens):
    return lambda q: cv.calibration_error(q, lens, binning=cv.KDTree(1 / 16))


fractions = [0.05, 0.1, 0.25, 0.5, 1]
spread = {
    lens: cv.spread_by_size(one, error=error(lens), fractions=fractions, replicates=40, progress=False)
    for lens in ("top-1", "full")
}
lines = {lens: table["std"].values for lens, table in spread.items()}
(few, *_, whole), (full_few, *_, full_whole) = lines["top-1"], lines["full"]
cv.plots.panels([cv.figures.curves_figure(
    "spread on bootstrap samples", fractions, lines, "share of the samples", "standard deviation", x_in_percent=True,
    y_in_percent=True,
)])
""",
        "It is larger where samples are few, and then seems to be larger of top-1 than of the full vector.",
        "That of top-1 falls from {few:points} on a twentieth of the samples to {whole:points} on all, that of full "
        "from {full_few:points} to {full_whole:points}.",
        "Of ten classes the likeliest has nearly all of the probability, so that the full vector spreads as top-1 "
        "does. 40 resamples of five shares from a twentieth on, where the paper has 1,000 of ten from a tenth on.",
        panels=["sensitivity"],
    ),
    _item(
        10, f"Top-k accuracy over k, ResNet-50, {IMAGENET}", TRAINED, """\
cube = cv.evaluate(**(given | {"calibrators": "none"}), metrics="top_k_accuracy", k=range(1, 6))
mean = cube.top_k_accuracy.mean("trial").squeeze(drop=True)
lines = {kind: mean.sel(intervention=kind).values for kind in mean.intervention.values}
first, fifth = mean.sel(k=1).max().item(), mean.sel(k=5).min().item()
cv.plots.panels([cv.figures.curves_figure("top-k accuracy", mean.k.values, lines, "k", "accuracy", y_in_percent=True)])
""",
        "The right class is almost always among the 100 likeliest of 1,000.",
        "It is among the five likeliest of ten in {fifth:percent} or more; the likeliest in {first:percent} or less.",
        panels=["confidence"],
    ),
    _item(
        11, f"Mean entropy of the outputs, ResNet-50, {IMAGENET}", TRAINED, """\
table = techniques(cv.confidences(**given).squeeze(drop=True)).entropy.mean("trial")
names, plain = table.technique.values, table.sel(technique="plain").item()
above = ", ".join(names[table.values > plain])
most, high = table.idxmax().item(), table.max().item()
cv.plots.panels([cv.figures.grid_figure(
    "entropy", "mean entropy", [str(name) for name in names], ["nats"], table.values[:, None].round(3), "nats"
)])
""",
        "All techniques but histogram binning raise it.",
        "From {plain:number} nats of the baseline it is raised by {above}; {most} has most, {high:number}.",
        "Histogram binning here spreads what it takes from the likeliest class over all others.", panels=["confidence"],
    ),
    _item(
        12, f"Group-wise ECE under several groupings, ResNet-50, {ETHEC}", TRAINED, """\
shapes = {"round": [0, 6, 8, 9], "straight": [1, 4, 7], "open": [2, 3, 5]}
groupings = {
    "parity": cv.Grouping({"even": [0, 2, 4, 6, 8], "odd": [1, 3, 5, 7, 9]}), "shape": cv.Grouping(shapes),
    "digit": "full",
}
cube = techniques(cv.evaluate(lenses=groupings, gammas=[1 / 16], metrics=["ece", "kdtree_ece"], **given))
mean = cube.kdtree_ece.mean("trial").squeeze(drop=True)
plain = mean.sel(technique="plain")
coarse, shaped, fine = plain.sel(lens=list(groupings)).values
cv.plots.bars(cube, "kdtree_ece", "technique", "lens")
""",
        "The finer the groups, the larger the error.",
        "Of plain training {coarse:percent} by parity, {shaped:percent} by shape, {fine:percent} by digit.",
        panels=["classes"], by="level",
    ),
    _likert(13, "likert_total_variation", f"ResNet-50, {CRISIS}", TRAINED),
    _top_k(14, f"ResNet-50, {CIFAR}", PHOTOS),
    _top_k(15, f"MobileNetV2, {CIFAR}", FOREST),
    _top_k(16, f"DenseNet-100, {CIFAR}", TRAINED),
    _confidences(17, f"ResNet-50, {CIFAR}", PHOTOS),
    _confidences(18, f"MobileNetV2, {CIFAR}", FOREST),
    _confidences(19, f"DenseNet-100, {CIFAR}", TRAINED),
    _groups(20, f"MobileNetV2, {ETHEC}", PHOTOS),
    _groups(21, f"DenseNet-201, {ETHEC}", FOREST),
    _family(22, f"MobileNetV2, {ETHEC}", PHOTOS),
    _family(23, f"DenseNet-201, {ETHEC}", FOREST),
    _likert(24, "likert_error", f"MobileNetV2, {CRISIS}", HEARTS),
    _likert(25, "likert_error", f"DenseNet-201, {CRISIS}", TUMOURS),
    _likert(26, "likert_count", f"MobileNetV2, {CRISIS}", HEARTS),
    _likert(27, "likert_count", f"DenseNet-100, {CRISIS}", TUMOURS),
    _groups(28, "ResNet-50, CBIS-DDSM", BAYES),
    _family(29, "ResNet-50, CBIS-DDSM", BAYES),
    _likert(30, "likert_error", "ResNet-50, COVIDX-CXR-2", TUMOURS, SURE),
    _likert(31, "likert_count", "ResNet-50, COVIDX-CXR-2", TUMOURS, SURE),
    _accuracy(1, CIFAR, (0.739, 0.764, 0.757, 0.744, 0.739, 0.735, 0.731)),
    _accuracy(2, IMAGENET, (0.761, 0.742, 0.768, 0.766, 0.761, 0.765, 0.760)),
    _accuracy(3, "CBIS-DDSM", (0.694, 0.663, 0.707, 0.689, 0.694, 0.696, 0.683)),
    _accuracy(4, ETHEC, (0.844, 0.842, 0.858, 0.858, 0.844, 0.848, 0.815)),
    _accuracy(5, "COVIDX-CXR-2", (0.945, 0.930, 0.945, 0.939, 0.945, 0.939, 0.945)),
    _accuracy(6, CRISIS, (0.825, 0.823, 0.828, 0.819, 0.825, 0.826, 0.806)),
)  # fmt: skip  # a row of the gallery each
