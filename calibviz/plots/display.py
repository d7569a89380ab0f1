"""The reliability diagram as displays of scikit-learn are made: from an estimator or from arrays, into any axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure
from numpy.typing import ArrayLike, NDArray

from .. import figures
from ..context.conditions import Condition
from ..context.induced import look_named, scalar_problem
from ..context.lenses import Lens
from ..data.frames import binary_arguments
from ..data.models import takes_arrays
from ..data.predictions import Predictions
from ..decisions.pairs import recalibrated_problem
from ..engine.binnings.binning import Binning, Uniform, bins_of
from ..engine.binnings.bins import Bins
from ..engine.scalar import ScalarProblem
from ..figures.records import Overlay
from ..foundation import validation
from ..foundation.written import chosen_percent
from ..uncertainty.intervals.bin_intervals import INTERVAL_LEVEL, interval_of
from .drawing import Picture, draw, over_histogram

#: What scikit-learn calls otherwise, or what is always done here.
THEIR_WORDS = {
    "n_bins": "binning=cv.Uniform({})",
    "strategy": "binning=cv.EqualMass(10) for 'quantile', or cv.Uniform(10)",
    "pos_label": "positive={!r} beside arrays, or lens='class {}'",
    "sample_weight": "weights=...",
    "ref_line": "nothing: the diagonal is always drawn",
}


class CalibrationDisplay:
    """A reliability diagram that is drawn into any axes, with the interval of each bin; several models over each other.

    `from_estimator` and `from_predictions` make and draw one in a call, as those of scikit-learn's class of this name.
    What they draw is the picture of `cv.plots.reliability`. Of scikit-learn's words `name` and `ax` are these; `n_bins`
    and `strategy` are said by `binning`, `pos_label` by `positive` or by the lens "class NAME", `sample_weight` by
    `weights`; `ref_line` is always drawn. Colours and markers have a meaning, so none are taken.

    Parameters
    ----------
    predictions : Predictions
    lens : lens or its name, optional
    binning : binning, optional
        By default 15 uniform bins.
    calibrator : fitted calibrator, or function of scores, optional
        What is recalibrated is drawn over the model as it is.
    selection, outcome
        As in `calibviz.calibration_error`.
    categories : dict of name to (low, high), optional
        Likert categories to mark.
    interval : {"clopper-pearson", "bootstrap", "consistency"}
        What the bars of the bins are, as in `calibviz.reliability`.
    level : float, in (0, 1)
    name : str
        What the legend calls the model.

    Attributes
    ----------
    prob_pred, prob_true : ndarray, shape (bins with samples,)
        Mean score and mean target of each bin that holds samples, by their names in scikit-learn.
    ax_ : Axes, or None before `plot`
    figure_ : Figure, or None before `plot`

    See Also
    --------
    reliability : The picture alone.

    Examples
    --------
    >>> display = cv.plots.CalibrationDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.7, 0.9, 0.4], name="mine")
    >>> display.prob_pred.round(2).tolist(), display.ax_.get_ylabel()
    ([0.2, 0.4, 0.7, 0.9], 'observed (mean target)')
    """

    ax_: Axes | None = None
    figure_: MatplotlibFigure | None = None

    @takes_arrays
    def __init__(
        self,
        predictions: Predictions,
        lens: str | Lens | None = None,
        *,
        binning: Binning | None = None,
        calibrator: Any = None,
        selection: str | Condition | None = None,
        outcome: int | str | None = None,
        categories: Mapping[str, tuple[float, float]] | None = None,
        interval: str = "clopper-pearson",
        level: float = INTERVAL_LEVEL,
        name: str = "",
    ) -> None:
        self.name = validation.text(name, "name")
        binning = Uniform() if binning is None else binning
        self._problem = scalar_problem(predictions, lens, selection, outcome)
        self._bins = bins_of(self._problem, binning)
        self._categories = None if categories is None else validation.intervals(categories, "categories")
        self._bars = interval_of(interval, self._problem, binning, self._bins, level)
        self._bars_name = f"{chosen_percent(level)} {'consistency bars' if interval == 'consistency' else 'interval'}"
        self._what = look_named(predictions, lens, outcome)
        self._after: tuple[str, ScalarProblem, Bins] | None = None
        if calibrator is not None:
            after = recalibrated_problem(self._problem, calibrator, predictions, lens, outcome)
            called = getattr(calibrator, "name", getattr(calibrator, "short_name", ""))
            self._after = f"after {called or 'recalibration'}", after, bins_of(after, binning)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, weights: ArrayLike | None = None, ax: Axes | None = None, **options: Any
    ) -> CalibrationDisplay:
        """Draw what a fitted classifier predicts against what was observed.

        Parameters
        ----------
        estimator, X, y, weights
            As in `Predictions.from_estimator`. The class is `estimator.classes_[1]` of two; `lens` chooses another.
        ax : Axes, optional
            Axes to draw into, over what displays have drawn there; by default those of a new figure.
        **options
            Those of the class. By default `name` is that of the class of the estimator.
        """
        _refuse_their_words(options)
        predictions = Predictions.from_estimator(estimator, X, y, weights=weights)
        return cls(predictions, **{"name": type(estimator).__name__} | options).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: ArrayLike,
        *,
        positive: Any = None,
        weights: ArrayLike | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> CalibrationDisplay:
        """Draw probabilities against labels, which come first here, as everywhere in scikit-learn.

        Parameters
        ----------
        y_true : array-like, shape (n,)
            Labels: 0 and 1, two answers such as no and yes, or with `positive` any others.
        y_prob : array-like, shape (n,) or (n, K)
            Probabilities of the class `positive`, or of all classes, which `y_true` then numbers.
        positive : label, optional
            The class that probabilities (n,) are about, against all others.
        weights, ax
            As in `from_estimator`.
        **options
            Those of the class.
        """
        _refuse_their_words(options)
        return cls(Predictions(**binary_arguments(y_true, y_prob, positive), weights=weights), **options).plot(ax=ax)

    @property
    def prob_pred(self) -> NDArray[np.float64]:
        """The mean score of each bin that holds samples."""
        return self._bins.score[self._bins.count > 0]

    @property
    def prob_true(self) -> NDArray[np.float64]:
        """The mean target of each bin that holds samples."""
        return self._bins.target[self._bins.count > 0]

    def plot(self, ax: Axes | None = None) -> CalibrationDisplay:
        """Draw the diagram into axes, over what displays have drawn there, or above its histogram in a new figure.

        Parameters
        ----------
        ax : Axes, optional
            At most five models are drawn into one; the intervals are those of the first.

        Returns
        -------
        CalibrationDisplay
            Itself, with `ax_` and `figure_`.
        """
        if ax is None:
            picture = over_histogram(_figure_of([self]), figures.histogram_figure([self._problem], self._what))
            self.ax_, self.figure_ = picture.axes[0], picture
            drawn = [*self.ax_.lines, *self.ax_.collections, *self.ax_.patches, *self.ax_.texts, self.ax_.get_legend()]
            _DRAWN[self.ax_] = [self], [artist for artist in drawn if artist is not None]
            return self
        validation.kind(ax, "ax", Axes, "axes of Matplotlib")
        earlier, artists = _DRAWN.get(ax, ([], []))
        there = [artist for artist in artists if artist in ax.get_children()]
        shown = [*(earlier if there else []), self]
        record = _figure_of(shown)
        for artist in there:
            artist.remove()
        before = ax.get_children()
        draw(record, ax)
        _DRAWN[ax] = shown, [artist for artist in ax.get_children() if artist not in before]
        self.ax_, self.figure_ = ax, ax.figure.figure
        return self

    def _repr_png_(self) -> bytes | None:
        return self.figure_._repr_png_() if isinstance(self.figure_, Picture) else None

    def __repr__(self) -> str:
        return (
            f"<CalibrationDisplay {self.name or 'of a model'}: {self._what}, {len(self.prob_pred)} bins with samples>"
        )


#: What displays have drawn into axes of the user, and with which artists.
_DRAWN: WeakKeyDictionary[Axes, tuple[list[CalibrationDisplay], list[Any]]] = WeakKeyDictionary()


def _figure_of(displays: Sequence[CalibrationDisplay]) -> figures.Figure:
    """The diagram of one display, with others over it."""
    first, *others = displays
    overlays = []
    for k, display in enumerate(displays):
        name = display.name or f"model {k + 1}"
        if k:
            overlays.append(Overlay(name, [display._problem], [display._bins]))
        if display._after is not None:
            called, problem, bins = display._after
            overlays.append(Overlay(f"{name} {called}" if others else called, [problem], [bins], is_recalibrated=not k))
    return figures.reliability_figure(
        [first._problem],
        [first._bins],
        ", ".join(dict.fromkeys(display._what for display in displays)),
        categories=first._categories,
        bars=first._bars,
        bars_name=first._bars_name,
        overlays=overlays,
        model=first.name or ("model 1" if others else ""),
    )


def _refuse_their_words(options: Mapping[str, Any]) -> None:
    for name, value in options.items():
        if name in THEIR_WORDS:
            ours = THEIR_WORDS[name].format(value, value)
            raise TypeError(f"{name} is scikit-learn's word: pass {ours}")
