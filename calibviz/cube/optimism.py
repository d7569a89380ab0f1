"""The optimism of a model on the samples that it was fitted to, by refits to bootstrap samples."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from ..context.lenses import Lens
from ..data.dependence import say_dependence
from ..data.frames import labels_of
from ..data.predictions import Predictions
from ..foundation import validation
from ..foundation.arrays import Array
from ..foundation.described import Described, described
from ..foundation.fit_warnings import notices
from ..foundation.progress import with_progress
from ..foundation.written import counted
from ..metrics.records.own import Metric, built_in
from ..uncertainty.resampling.bootstrap import drawn_weights
from .evaluate import evaluate
from .metrics import notes_in, reasons_in

REPLICATES = 200
BY_DEFAULT = ("brier", "auc", "calibration_slope")
_HARRELL = "Harrell, Lee and Mark 1996"
SAID = {
    "apparent": Described("on the samples that were fitted to"),
    "optimism": Described("mean of refits on their own draw less on all samples"),
    "corrected": Described("apparent less optimism"),
    "monte_carlo_error": Described("standard error of the optimism over the draws"),
    "draws": Described("number of refits with a value", "refits"),
}


def optimism(
    estimator: Any,
    X: Any,
    y: Any,
    lens: str | Lens | None = None,
    *,
    metrics: Iterable[str | Metric] | str | Metric = BY_DEFAULT,
    cluster: Any = None,
    replicates: int = REPLICATES,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> xr.Dataset:
    """How much better a model looks on the samples it was fitted to than on new ones, and its metrics without that.

    The whole procedure that makes the model is repeated on bootstrap samples. So what was chosen by these samples, such
    as variables or the strength of a penalty, has to be chosen inside the estimator, by a pipeline or a search.

    Parameters
    ----------
    estimator : classifier with `fit` and `predict_proba`
        Such as a pipeline of scikit-learn, fitted or not. Copies of it are fitted, with its parameters alone.
    X : array-like or DataFrame, n rows
        What it is fitted to, and predicts from.
    y : array-like, shape (n,)
        The true classes.
    lens : lens or its name, optional
        As in `calibration_error`.
    metrics : metric or its name, or several
        Those of `evaluate` that have one value: "ece", for example, depends on bins, so it takes a `Metric` that says
        which.
    cluster : str, array-like of shape (n,), or False, optional
        Which samples belong together, as in `Predictions`: they are drawn as a whole.
    replicates : int, at least 2
        How often samples are drawn, and the estimator is fitted to them.
    rng : int, numpy.random.Generator or None
        Of the draws; the estimator has its own, such as `random_state`.
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    xarray.Dataset
        Over `metric`: `apparent`, `optimism`, `corrected` = apparent - optimism, `monte_carlo_error`, by which the
        optimism would differ with other draws, and `draws`, how many of them had a value. The attribute `left_out` is
        the number of draws without a sample of some class, to which nothing was fitted; `unavailable` says why a
        metric has no value, in all draws or in some.

    Raises
    ------
    TypeError, ValueError
        For an estimator that cannot be fitted or gives no probabilities, metrics of several values, and where every
        draw lacks a class.

    See Also
    --------
    Predictions.from_estimator : Predictions of a model for samples that it was not fitted to.
    cross_fitted : Calibrators that are judged on the samples they are fitted to.
    evaluate : The metrics.

    Notes
    -----
    With M(f, d) a metric of a model f on samples d, D all samples, D_b a draw and f_b the fit to it:
    optimism = mean over b of M(f_b, D_b) - M(f_b, D), corrected = M(f, D) - optimism.

    No interval is claimed. The spread over draws tells how well this mean is known, which `monte_carlo_error` says, and
    not how far the model would be from it on other samples: for that the fits to all samples would have to be drawn
    anew, too.

    References
    ----------
    Harrell, Lee and Mark 1996, Multivariable prognostic models; Steyerberg 2019, Clinical prediction models, chapter 5.

    Examples
    --------
    >>> import numpy as np
    >>> class Nearest:
    ...     classes_ = [0, 1]
    ...     def fit(self, X, y):
    ...         self.X, self.y = np.asarray(X), np.asarray(y)
    ...         return self
    ...     def predict_proba(self, X):
    ...         nearest = np.abs(np.asarray(X) - self.X[:, 0]).argmin(axis=1)
    ...         return np.eye(2)[self.y[nearest]] * 0.8 + 0.1
    >>> x = np.random.default_rng(0).normal(size=(60, 1))
    >>> found = cv.optimism(Nearest(), x, (x[:, 0] + np.arange(60) % 3 > 1).astype(int), metrics="auc", replicates=20)
    >>> found.apparent.item(), round(found.corrected.item(), 1)
    (1.0, 0.9)
    """
    for method in ("fit", "predict_proba"):
        if not callable(getattr(estimator, method, None)) or isinstance(estimator, type):
            raise TypeError(f"estimator must have {method}, as an object, but {validation.shown(estimator)} has none")
    wanted = [_checked(metric) for metric in validation.several(metrics)]
    names = [metric if isinstance(metric, str) else metric.name for metric in wanted]
    validation.refuse_repeats("metric", names)
    if not names:
        raise ValueError("metrics is empty: name one, such as 'auc'")
    seed = validation.draws(rng, progress, replicates, fewest=2)

    why_not: dict[str, str] = {}

    def measured(judged: Predictions) -> Array:
        cube = evaluate(judged, None if lens is None else [lens], metrics=wanted, progress=False)
        values = np.array([cube[name].item() for name in names])
        for name in np.array(names)[np.isnan(values)].tolist():
            why_not[name] = "; ".join(reasons_in(cube[name]) or notes_in(cube[name]))
        return values

    def fitted(rows: NDArray[np.intp]) -> Predictions:
        model = _copied(estimator)
        model = model.fit(_taken(X, rows), _taken(y, rows)) or model
        return Predictions.from_estimator(model, X, y, cluster=cluster)

    labels = labels_of(X, y)
    original = fitted(np.arange(len(labels)))
    say_dependence(original, stacklevel=2)
    apparent = measured(original)
    codes, classes = original.cluster_codes, len(np.unique(labels))
    gained = []
    with notices():  # each fit may say the same
        for times in with_progress(
            drawn_weights(len(labels), None, replicates, None, seed, codes), "optimism", replicates, progress
        ):
            rows = np.repeat(np.arange(len(labels)), times.astype(np.intp))
            if len(np.unique(labels[rows])) < classes:
                continue
            judged = fitted(rows)
            with np.errstate(invalid="ignore"):  # both infinite
                gained.append(measured(judged.with_weights(times)) - measured(judged))
    if not gained:
        raise ValueError(f"each of {counted(replicates, 'draw')} lacks a class: there are too few samples of it")
    differences = np.array(gained)
    known = ~np.isnan(differences)
    draws = known.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, differences, 0.0).sum(axis=0) / draws
        spread = np.sqrt(np.where(known, (differences - mean) ** 2, 0.0).sum(axis=0) / (draws - 1))
        columns = (apparent, mean, apparent - mean, spread / np.sqrt(draws), draws)
    table = xr.Dataset(
        {name: ("metric", values) for name, values in zip(SAID, columns, strict=True)}, {"metric": names}
    )
    said = "; ".join(f"{name}: {reason}" for name, reason in why_not.items())
    return described(table, _HARRELL, SAID, left_out=replicates - len(gained), unavailable=said)


def _checked(metric: Any) -> str | Metric:
    """A metric of one value."""
    if isinstance(metric, Metric):
        return metric
    record = built_in(metric)
    if record.own_dims:
        raise ValueError(
            f"metrics: {metric!r} has values for each of {validation.listed(record.own_dims)}: pass a cv.Metric that "
            "says which, such as cv.Metric('ece_15', lambda q: cv.calibration_error(q, binning=cv.Uniform(15)))"
        )
    return record.name


def _copied(estimator: Any) -> Any:
    """A copy that is not fitted, as scikit-learn makes it; of others with all that they hold, which `fit` replaces."""
    make = getattr(estimator, "__sklearn_clone__", None)
    return copy.deepcopy(estimator) if make is None else make()


def _taken(values: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows of an array, a table or a list."""
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    return [values[i] for i in rows.tolist()] if isinstance(values, list | tuple) else values[rows]
