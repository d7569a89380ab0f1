"""Make the embedded networks that were trained in four ways, from the handwritten digits that scikit-learn ships.

    python scripts/make_interventions.py

Training-time interventions against over-confidence, as in Kirchenbauer, Oaks and Heim (2022), section 5, at the size of
a teaching example: each trains the same small network five times on the same third of the images, to which noise was
added; the other two thirds are for calibration and evaluation. All seeds are fixed: a run with the same libraries on
the same kind of processor gives the same bytes. Elsewhere rounding differs, and training makes that visible.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import sklearn
from make_datasets import FOLDER, Recipe, digits
from sklearn.model_selection import train_test_split

PATH = FOLDER / "stacked" / "interventions.npz"
TRIALS = 5
CLASSES = 10
TRAIN, EVALUATION = 597, 600  # samples; the other 600 of the 1,797 are for calibration
NOISE = 0.2  # standard deviation of what is added to pixels in [0, 1]
NOISE_SEED = 1000  # those of the networks are 0, 1, ...
HIDDEN = 64
EPOCHS = 300  # long after no training sample is misclassified
BATCH = 32
STEP = 1e-3
DECAY = (0.9, 0.999)  # of the two moving averages of Adam

Parameters = list[np.ndarray]  # weights (64, HIDDEN), bias (HIDDEN,), weights (HIDDEN, CLASSES), bias (CLASSES,)


@dataclass(frozen=True)
class Intervention:
    """What is done about over-confidence in training; 0 leaves a part of it out.

    `smoothing` is the share of a label that goes to all classes alike (epsilon), `mixing` the alpha of mix-up, and
    `focusing` the gamma of the focal loss, 0 or at least 1.
    """

    made: str
    smoothing: float = 0.0
    mixing: float = 0.0
    focusing: float = 0.0


INTERVENTIONS = {
    "plain": Intervention("cross-entropy"),
    "label smoothing": Intervention("cross-entropy, labels smoothed by epsilon = 0.1", smoothing=0.1),
    "mix-up": Intervention("cross-entropy, images and labels mixed in pairs with alpha = 0.2", mixing=0.2),
    "focal loss": Intervention("focal loss with gamma = 2", focusing=2.0),
}


@dataclass(frozen=True)
class Samples:
    """Some of the digits: their rows in the data set (n,), noisy pixels (n, 64), labels (n,), fields (n,) by name."""

    rows: np.ndarray
    pixels: np.ndarray
    labels: np.ndarray
    fields: dict[str, np.ndarray]


def parts(data: Recipe) -> dict[str, Samples]:
    """Three parts without overlap, each with its share of every class: "train", "calibration" and "evaluation"."""
    pixels = data.features + NOISE * np.random.default_rng(NOISE_SEED).standard_normal(data.features.shape)
    rows = np.arange(len(pixels))
    rest, train = train_test_split(rows, test_size=TRAIN, stratify=data.labels, random_state=0)
    calibration, evaluation = train_test_split(rest, test_size=EVALUATION, stratify=data.labels[rest], random_state=0)

    def samples(chosen: np.ndarray) -> Samples:
        fields = {name: column[chosen] for name, column in data.fields.items()}
        return Samples(chosen, pixels[chosen], data.labels[chosen], fields)

    named = {"train": train, "calibration": calibration, "evaluation": evaluation}
    return {name: samples(np.sort(chosen)) for name, chosen in named.items()}


def loss(logits: np.ndarray, targets: np.ndarray, focusing: float = 0.0) -> tuple[float, np.ndarray]:
    """The mean of -sum_k t_k (1 - p_k)^gamma log p_k, and its gradient with respect to the logits (n, CLASSES).

    This is the cross-entropy where gamma is 0, and the focal loss (Lin et al. 2017, equation 4) where t is one-hot.
    """
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    p = np.exp(log_p)
    value = -(targets * (1 - p) ** focusing * log_p).sum() / len(logits)
    # With respect to log p_k; at gamma = 0 the second term is left out, since 0 / (1 - p) is no number at p = 1.
    slope = -targets * (1 - p) ** focusing
    if focusing:
        slope += targets * focusing * p * (1 - p) ** (focusing - 1) * log_p
    return float(value), (slope - p * slope.sum(axis=1, keepdims=True)) / len(logits)


def forward(parameters: Parameters, pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The hidden units (n, HIDDEN) and the logits (n, CLASSES)."""
    weights, bias, out_weights, out_bias = parameters
    hidden = np.maximum(pixels @ weights + bias, 0)
    return hidden, hidden @ out_weights + out_bias


def gradient(parameters: Parameters, pixels: np.ndarray, targets: np.ndarray, focusing: float) -> Parameters:
    """The gradient of the loss with respect to each of the parameters."""
    hidden, logits = forward(parameters, pixels)
    of_logits = loss(logits, targets, focusing)[1]
    of_hidden = (of_logits @ parameters[2].T) * (hidden > 0)
    return [pixels.T @ of_hidden, of_hidden.sum(axis=0), hidden.T @ of_logits, of_logits.sum(axis=0)]


def batches(
    samples: Samples, intervention: Intervention, epochs: int, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Pixels (b, 64) and targets (b, CLASSES) of one mini-batch after the other, mixed and smoothed."""
    targets = np.eye(CLASSES)[samples.labels]
    targets = (1 - intervention.smoothing) * targets + intervention.smoothing / CLASSES
    for _ in range(epochs):
        order = rng.permutation(len(targets))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            x, t = samples.pixels[chosen], targets[chosen]
            if intervention.mixing:
                share = rng.beta(intervention.mixing, intervention.mixing, (len(chosen), 1))
                partner = rng.permutation(len(chosen))
                x, t = share * x + (1 - share) * x[partner], share * t + (1 - share) * t[partner]
            yield x, t


def trained(samples: Samples, intervention: Intervention, trial: int, epochs: int = EPOCHS) -> Parameters:
    """A network trained by Adam (Kingma and Ba 2015); those of the same trial start from the same weights."""
    rng = np.random.default_rng(trial)
    parameters: Parameters = []
    for n_in, n_out in ((samples.pixels.shape[1], HIDDEN), (HIDDEN, CLASSES)):
        parameters += [rng.standard_normal((n_in, n_out)) * np.sqrt(2 / n_in), np.zeros(n_out)]
    first, second = [np.zeros_like(p) for p in parameters], [np.zeros_like(p) for p in parameters]
    for step, (x, t) in enumerate(batches(samples, intervention, epochs, rng), start=1):
        slopes = gradient(parameters, x, t, intervention.focusing)
        for p, m, v, g in zip(parameters, first, second, slopes, strict=True):
            m += (1 - DECAY[0]) * (g - m)
            v += (1 - DECAY[1]) * (g * g - v)
            p -= STEP * (m / (1 - DECAY[0] ** step)) / (np.sqrt(v / (1 - DECAY[1] ** step)) + 1e-8)
    return parameters


def arrays() -> dict[str, np.ndarray]:
    """The members of the .npz file: logits (intervention, trial, sample, class), labels and fields of the two parts."""
    data = digits()
    samples = parts(data)
    common = (
        f"{HIDDEN} hidden ReLU units, {EPOCHS} epochs of Adam (step {STEP}, batches of {BATCH}) on the same {TRAIN} "
        f"images; outputs before the softmax for other images; Gaussian noise of standard deviation {NOISE} on the "
        "pixels, which are in [0, 1], of all of them, in training and after; fields are of the images without noise; "
        f"NumPy {np.__version__}, scikit-learn {sklearn.__version__}"
    )
    about = {
        "title": f"{data.title}, with noise: networks trained in four ways",
        "made": {name: f"{intervention.made}; {common}" for name, intervention in INTERVENTIONS.items()},
        "licence": data.licence,
        "class_names": data.class_names,
        "groups": data.groups,
    }
    networks = [[trained(samples["train"], one, trial) for trial in range(TRIALS)] for one in INTERVENTIONS.values()]
    out = {"about": np.array(json.dumps(about))}
    for part in ("calibration", "evaluation"):
        held = samples[part]
        logits = np.array([[forward(network, held.pixels)[1] for network in trials] for trials in networks])
        out[f"{part}/logits"] = logits.astype(np.float32)
        out[f"{part}/labels"] = held.labels.astype(np.int16)
        out[f"{part}/sample"] = held.rows.astype(np.int16)
        for name, column in held.fields.items():
            out[f"{part}/fields/{name}"] = column.astype(np.float32)
    return out


def main() -> None:
    """Write the data set."""
    np.savez_compressed(PATH, **arrays())
    print(f"{PATH.name}: {PATH.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
