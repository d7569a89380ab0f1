"""Predictions whose calibration error is 0, or nearly so, and that are of no use, or wrong."""

from __future__ import annotations

import numpy as np

from ..data.models import takes_arrays
from ..data.predictions import Predictions
from ..foundation import validation
from ..foundation.sources import Source


@takes_arrays
def base_rate(predictions: Predictions) -> Predictions:
    """Predictions that give every sample the share of each class: calibrated, and of no use (ks section 2).

    Parameters
    ----------
    predictions : Predictions, or probabilities with their labels
        With class indices as labels; weights count.

    Returns
    -------
    Predictions
        Of the same samples, with all else that they have.

    Raises
    ------
    ValueError
        For labels that are probabilities, or confidences in a predicted class.

    See Also
    --------
    cancelling : Predictions that are wrong at every score, and whose ECE in uniform bins is small.

    Examples
    --------
    >>> idle = cv.papers.base_rate(cv.load_dataset("heart")["random forest"])
    >>> round(cv.calibration_error(idle), 6), round(cv.auc(idle).estimate, 6)
    (0.0, 0.5)
    """
    labels = predictions.labels
    if predictions.of_confidence or labels is None:
        raise ValueError("predictions must hold the probabilities of classes and one label for each sample")
    weight = np.ones(len(predictions)) if predictions.weights is None else predictions.weights
    share = np.bincount(labels, weight, minlength=predictions.n_classes) / weight.sum()
    idle = predictions.with_probs(np.tile(share, (len(predictions), 1)))
    idle.about = {"title": "the share of every class"}  # what made the model, and its licence, are not of these
    return idle


def cancelling(n: int = 1000, *, low: float = 0.52, high: float = 0.58, share: float = 0.45) -> Predictions:
    """Predictions that are wrong at both of their scores, whose errors cancel in one bin (gce_measuring figure 4).

    Parameters
    ----------
    n : int, at least 2
    low, high : float in [0, 1]
        The two scores: whatever is predicted with `low` is wrong, whatever is predicted with `high` is right.
    share : float in [0, 1]
        Of the samples that are predicted with `low`, rounded to whole samples.

    Returns
    -------
    Predictions
        Binary, of the classes "wrong" and "right".

    Raises
    ------
    ValueError
        For fewer than two samples, and for a score or a share that is not in [0, 1].

    See Also
    --------
    base_rate : Predictions that are calibrated, and of no use.

    Examples
    --------
    >>> p = cv.papers.cancelling()
    >>> round(cv.calibration_error(p, binning=cv.Uniform(10)), 3), round(cv.ks_error(p), 3)
    (0.003, 0.234)
    """
    n = validation.whole_number(n, "n", 2)
    scores = [validation.real_number(value, name, 0.0, 1.0) for name, value in (("low", low), ("high", high))]
    share = validation.real_number(share, "share", 0.0, 1.0)
    of_low = round(n * share)
    right = np.repeat([0, 1], [of_low, n - of_low])
    made = Predictions(
        np.repeat(scores, [of_low, n - of_low]),
        right,
        class_names=["wrong", "right"],
        about={"title": "errors that cancel in a bin"},
    )
    return made._made_by(Source("cv.papers.cancelling")(n, low=low, high=high, share=share))
