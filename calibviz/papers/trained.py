"""Small classifiers of the embedded digits, trained when they are asked for: by epoch, and under label noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.special import log_softmax, softmax

from ..data.datasets import load_dataset
from ..foundation import validation
from ..foundation.arrays import Array
from ..foundation.described import described
from ..foundation.sources import Source, remember

CLASSES = 10
EPOCHS = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144)
SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
HIDDEN, BATCH, STEP = 64, 32, 1e-3
DECAY = (0.9, 0.999)  # of the two moving averages of Adam
NOISE = 0.2  # standard deviation of what is added to pixels in [0, 1], without which the digits are too easy
PENALTY = 1e-3  # of the squared weights of a softmax regression
OF_TRAINING = "Nixon et al. 2019, figures 2 and 5"
OF_NOISE = "Nixon et al. 2019, figure 3 and appendix B"


def training(epochs: Sequence[int] = EPOCHS, *, rng: int | np.random.Generator | None = 0) -> xr.Dataset:
    """Predictions of a small network after each of some epochs of its training (gce_measuring figures 2 and 5).

    The network has 64 hidden units. It is trained by Adam on half of the digits of `load_dataset`, to whose pixels
    noise was added, and predicts the other half. It takes about a second.

    Parameters
    ----------
    epochs : ascending int, each at least 1
        After how many passes over the training images it is asked.
    rng : int, numpy.random.Generator or None
        Of the halves, the noise, the first weights and the order of images.

    Returns
    -------
    xarray.Dataset
        `logits` (epoch, sample, class) and `labels` (sample), for `evaluate`, which makes `epoch` a dimension.

    Raises
    ------
    ValueError
        Where epochs is empty, or does not ascend.

    See Also
    --------
    label_noise : Classifiers trained on labels of which some were drawn at random.

    Examples
    --------
    >>> cube = cv.evaluate(cv.papers.training(), metrics=["accuracy", "ece"], progress=False)
    >>> cube.ece.squeeze().dims
    ('epoch',)
    """
    given = validation.listing(epochs, "epochs", "numbers")
    counts = [validation.whole_number(epoch, f"epochs[{i}]", 1) for i, epoch in enumerate(given)]
    if not counts or (np.diff(counts) <= 0).any():
        raise ValueError(f"epochs must be one number or more that ascend, not {counts}")
    seed = validation.rng(rng)
    rng = np.random.default_rng(seed)
    pixels, labels = _digits()
    pixels = pixels + NOISE * rng.standard_normal(pixels.shape)
    is_train = rng.permutation(len(labels)) < len(labels) // 2
    judged = pixels[~is_train]
    logits = [
        _forward(weights, judged)[1]
        for epoch, weights in enumerate(_trained(pixels[is_train], labels[is_train], counts[-1], rng), start=1)
        if epoch in counts
    ]
    return _dataset(
        {"logits": (("epoch", "sample", "class"), np.array(logits)), "labels": ("sample", labels[~is_train])},
        {"epoch": counts},
        Source("cv.papers.training")(counts, rng=seed),
        OF_TRAINING,
        "Digits by a network in training",
    )


def label_noise(shares: Sequence[float] = SHARES, *, rng: int | np.random.Generator | None = 0) -> xr.Dataset:
    """Predictions of softmax regressions that were trained, and are judged, on noisy labels (gce_measuring figure 3).

    Each is fitted to half of the digits of `load_dataset`, a share of whose labels was drawn from all ten classes
    alike, and predicts the other half, whose labels are as noisy.

    Parameters
    ----------
    shares : float in [0, 1], one or more
        Of the labels that are drawn; a label that was drawn for a share stays drawn for every larger one.
    rng : int, numpy.random.Generator or None
        Of the halves and of what is drawn.

    Returns
    -------
    xarray.Dataset
        `probs` (share, sample, class) and `labels` (share, sample), for `evaluate`, which makes `share` a dimension.

    Raises
    ------
    ValueError
        Where shares is empty, or one is not in [0, 1].

    See Also
    --------
    training : A network after each epoch of its training.

    Examples
    --------
    >>> cube = cv.evaluate(cv.papers.label_noise(), metrics="ece", progress=False)
    >>> cube.ece.squeeze().dims
    ('share',)
    """
    given = [
        validation.real_number(share, f"shares[{i}]", 0.0, 1.0)
        for i, share in enumerate(validation.listing(shares, "shares", "numbers"))
    ]
    if not given:
        raise ValueError("shares is empty: pass at least one share of labels to draw, such as 0.1")
    seed = validation.rng(rng)
    rng = np.random.default_rng(seed)
    pixels, labels = _digits()
    pixels = np.column_stack([pixels, np.ones(len(pixels))])
    is_train = rng.permutation(len(labels)) < len(labels) // 2
    luck, drawn = rng.random(len(labels)), rng.integers(0, CLASSES, len(labels))
    noisy = [np.where(luck < share, drawn, labels) for share in given]
    probs = [
        softmax(_product(pixels[~is_train], _regression(pixels[is_train], own[is_train])), axis=1) for own in noisy
    ]
    return _dataset(
        {
            "probs": (("share", "sample", "class"), np.array(probs)),
            "labels": (("share", "sample"), np.array(noisy)[:, ~is_train]),
        },
        {"share": given},
        Source("cv.papers.label_noise")(given, rng=seed),
        OF_NOISE,
        "Digits of which a share of labels was drawn at random",
    )


def _dataset(
    arrays: dict[str, object], coords: dict[str, object], source: Source, paper: str, title: str
) -> xr.Dataset:
    classes = {"class": [str(digit) for digit in range(CLASSES)]}
    made = described(xr.Dataset(arrays, coords | classes), paper, SAID)
    made.attrs |= {"title": title, "source": str(source)}
    return remember(made, source)


SAID = {
    "epoch": "passes over the training images",
    "share": "share of the labels that were drawn at random",
    "logits": "outputs before the softmax",
    "probs": "probabilities of the classes",
    "labels": "the digit",
}


def _digits() -> tuple[Array, NDArray[np.intp]]:
    """The pixels of the images (n, 64), 0 for paper and 1 for ink, and their labels (n,)."""
    p = load_dataset("digits")["naive Bayes"]
    assert p.images is not None
    return 1 - p.images.reshape(len(p), -1) / 255, np.asarray(p.labels)


def _product(rows: Array, weights: Array) -> Array:
    """The product of two matrices without BLAS, whose threads cost more than they save on matrices so small."""
    return np.einsum("np,pk->nk", rows, weights)


def _regression(pixels: Array, labels: NDArray[np.intp]) -> Array:
    """The weights (pixels, 10) of a softmax regression with an L2 penalty."""
    from scipy.optimize import minimize  # loads much more of SciPy, which nobody else here needs

    targets = np.eye(CLASSES)[labels]

    def loss(flat: Array) -> tuple[float, Array]:
        weights = flat.reshape(-1, CLASSES)
        log_probs = log_softmax(_product(pixels, weights), axis=1)
        slope = _product(pixels.T, np.exp(log_probs) - targets) / len(labels) + PENALTY * weights
        value = -(targets * log_probs).sum() / len(labels) + PENALTY / 2 * (flat**2).sum()
        return float(value), slope.ravel()

    best = minimize(loss, np.zeros(pixels.shape[1] * CLASSES), jac=True, method="L-BFGS-B", tol=1e-6)
    return np.asarray(best.x).reshape(-1, CLASSES)


def _forward(weights: list[Array], pixels: Array) -> tuple[Array, Array]:
    """The hidden units (n, HIDDEN) and the logits (n, CLASSES)."""
    hidden = np.maximum(pixels @ weights[0] + weights[1], 0)
    return hidden, hidden @ weights[2] + weights[3]


def _trained(pixels: Array, labels: NDArray[np.intp], epochs: int, rng: np.random.Generator) -> Iterator[list[Array]]:
    """The weights after each epoch of Adam (Kingma and Ba 2015) on the cross-entropy."""
    targets = np.eye(CLASSES)[labels]
    weights: list[Array] = []
    for n_in, n_out in ((pixels.shape[1], HIDDEN), (HIDDEN, CLASSES)):
        weights += [rng.standard_normal((n_in, n_out)) * np.sqrt(2 / n_in), np.zeros(n_out)]
    first, second = [np.zeros_like(each) for each in weights], [np.zeros_like(each) for each in weights]
    step = 0
    for _ in range(epochs):
        for chosen in np.array_split(rng.permutation(len(labels)), max(1, len(labels) // BATCH)):
            step += 1
            x = pixels[chosen]
            hidden, logits = _forward(weights, x)
            of_logits = (softmax(logits, axis=1) - targets[chosen]) / len(chosen)
            of_hidden = (of_logits @ weights[2].T) * (hidden > 0)
            slopes = [x.T @ of_hidden, of_hidden.sum(axis=0), hidden.T @ of_logits, of_logits.sum(axis=0)]
            for w, m, v, g in zip(weights, first, second, slopes, strict=True):
                m += (1 - DECAY[0]) * (g - m)
                v += (1 - DECAY[1]) * (g * g - v)
                w -= STEP * (m / (1 - DECAY[0] ** step)) / (np.sqrt(v / (1 - DECAY[1] ** step)) + 1e-8)
        yield weights
