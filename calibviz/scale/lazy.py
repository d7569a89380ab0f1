"""Predictions that need not fit in memory: each part is read when it is looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..data.predictions import Predictions
from ..foundation import validation
from ..foundation.sources import Source
from ..foundation.written import counted
from .passes import Part, PartError, passed
from .row_randomness import SAMPLE, on_side, row_uniforms


class LazyPredictions:
    """Predictions that are read in parts. One pass answers all that is asked; `open_predictions` makes them.

    `summarize`, `summarize_all`, `windows` and `evaluate` take them.

    Attributes
    ----------
    n_samples, n_classes : int
    class_names : tuple of str
    of_confidence : bool
        Whether the probabilities are confidences in a predicted class, as in `Predictions`.
    parts : tuple
        Rows that are read and judged together.
    about : dict of text to text
    made_by : Source, or None
        The call that opened them, as code.
    cluster : str, False or None
        The field whose values name what a sample belongs to, for summaries and for those that `sample` draws.

    See Also
    --------
    open_predictions : What makes them.
    summarize, summarize_all, windows : What they are summarized by, in one pass.
    Predictions : Those that fit in memory.

    Examples
    --------
    >>> import xarray as xr
    >>> data = xr.Dataset({"probs": ("sample", [0.9, 0.2, 0.6]), "label": ("sample", [1, 0, 0])}).chunk(sample=2)
    >>> cv.open_predictions(data)
    <LazyPredictions 3 samples, 2 classes, in 2 parts>
    """

    def __init__(
        self,
        parts: Sequence[Part],
        class_names: Sequence[str],
        normalize: bool = False,
        about: Mapping[str, str] | None = None,
        made_by: Source | None = None,
        cluster: str | Literal[False] | None = None,
    ) -> None:
        self.normalize = validation.truth(normalize, "normalize")
        self.parts, self.class_names = tuple(parts), tuple(class_names)
        self.about = dict(about or {}) | ({} if made_by is None else {"source": str(made_by)})
        self.made_by, self.cluster = made_by, cluster
        self.of_confidence = any(part.of_confidence for part in self.parts)
        self.n_samples = sum(part.rows for part in self.parts)
        if not self.n_samples:
            raise ValueError("there is no sample: at least one is needed")

    @property
    def n_classes(self) -> int:
        """Number of classes K."""
        return len(self.class_names)

    def __len__(self) -> int:
        return self.n_samples

    def __repr__(self) -> str:
        title = f"{self.about['title']}: " if "title" in self.about else ""
        what = "confidences" if self.of_confidence else f"{self.n_classes} classes"
        return f"<LazyPredictions {title}{counted(self.n_samples)}, {what}, in {counted(len(self.parts), 'part')}>"

    def refuse_clusters(self) -> None:
        """Raise where samples belong together, which the sums of segments do not keep."""
        if isinstance(self.cluster, str):
            raise ValueError(
                f"cluster={self.cluster!r}: segments of what is read in parts do not keep which rows belong together; "
                "cv.summarize and cv.evaluate do, sample() draws some with their clusters, and without cluster all are "
                "independent"
            )

    def sample(
        self, n: int = 50_000, *, rng: int | np.random.Generator | None = 0, progress: bool = True
    ) -> Predictions:
        """About `n` of the samples, drawn at random in a pass over all parts, for what needs them in memory.

        Parameters
        ----------
        n : int, at least 1
            Each sample is drawn with probability n / n_samples.
        rng : int, numpy.random.Generator or None
            The same number draws the same samples, whatever the parts.
        progress : bool

        Raises
        ------
        ValueError
            Where no sample was drawn.

        See Also
        --------
        summarize : All samples, in one pass.
        Predictions : What it returns.
        """
        n, seed = validation.whole_number(n, "n", 1), validation.draws(rng, progress)
        sample = drawn(self, n, seed, progress)
        sample.about["drawn"] = f"{len(sample):,} of {len(self):,} samples, drawn at random"
        return sample if self.made_by is None else sample._made_by(self.made_by.method("sample")(n, rng=seed))


def drawn(model: LazyPredictions, n: int, seed: int, progress: bool, high: float = 1.0) -> Predictions:
    """About `n` random samples of the rows whose random numbers lie in [0, high)."""
    share = n / (model.n_samples * high)
    [parts] = passed([(model.parts, partial(_sampled, model.normalize, share, seed, high))], _joined, progress)
    if not parts:
        raise ValueError(f"of {model.n_samples:,} samples none was drawn: ask for more, or choose another seed")
    soft = any(part.soft_labels is not None for part in parts)  # though some parts may be one-hot
    arguments: dict[str, Any] = {
        "probs": np.concatenate([part.probs for part in parts]),
        "labels": np.concatenate([_label_rows(part) if soft else part.labels for part in parts]),
        "fields": {name: np.concatenate([part.fields[name] for part in parts]) for name in parts[0].fields},
    }
    for name in ("logits", "weights"):
        if getattr(parts[0], name) is not None:
            arguments[name] = np.concatenate([getattr(part, name) for part in parts])
    joined = Predictions(
        **arguments,
        class_names=model.class_names,
        about=model.about,
        of_confidence=model.of_confidence,
        cluster=model.cluster,
    )
    if parts[0].row_sums is not None:  # of rows that were rescaled already
        joined.row_sums = np.concatenate([part.row_sums for part in parts if part.row_sums is not None])
    return joined


def _label_rows(predictions: Predictions) -> NDArray[np.float64]:
    if predictions.soft_labels is not None:
        return predictions.soft_labels
    return np.eye(predictions.n_classes)[predictions.labels]


def _sampled(
    normalize: bool, share: float, seed: int, high: float, part: Part, arguments: dict[str, Any]
) -> list[Predictions]:
    """The drawn rows of a part, in a list."""
    predictions = predictions_of(part, arguments, normalize)
    chosen = row_uniforms(part.start, part.rows, seed, SAMPLE) < share
    rows = np.flatnonzero(chosen & on_side(part.start, part.rows, seed, 0.0, high))
    return [predictions.select(rows)] if len(rows) else []


def _joined(several: Sequence[list[Predictions]]) -> list[Predictions]:
    return [part for some in several for part in some]


def predictions_of(
    part: Part, arguments: dict[str, Any], normalize: bool, cluster: str | Literal[False] | None = None
) -> Predictions:
    """The predictions of a part. Messages count rows from the first of all parts."""
    weights = arguments.get("weights")
    nothing = weights is not None and not np.any(weights)  # all weights of a part may be 0, those of the whole not
    given = arguments | ({"weights": None} if nothing else {})
    try:
        predictions = Predictions(**given, normalize=normalize, of_confidence=part.of_confidence, cluster=cluster)
    except (TypeError, ValueError) as error:
        raise PartError.of(part, error) from error
    return predictions.with_weights(np.zeros(len(predictions))) if nothing else predictions
