"""Summaries of all that is asked for, in one pass over predictions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..context.condition_parser import named_selections, selection as read_selection
from ..context.conditions import Condition
from ..context.lens_names import default_lens, lens as read_lens, lens_for
from ..context.lenses import Lens
from ..data.models import no_models, of_arrays, takes_arrays
from ..data.predictions import Predictions
from ..foundation import validation
from .lazy import LazyPredictions, predictions_of
from .passes import Part, passed
from .row_randomness import on_side
from .score_grid import ScoreGrid
from .summary import Summary
from .sums import ARRAYS

Source = Predictions | LazyPredictions
MOST_BYTES = 1.5e9  # of the sums of a part
Key = tuple[str, str, str]


@dataclass(frozen=True)
class SummaryRequest:
    """A request for a summary: a lens, a selection, and on which side of a random split of the rows."""

    lens: Lens
    condition: Condition | None = None
    outcome: int | str | None = None
    grid: ScoreGrid | None = None
    low: float = 0.0  # rows whose random numbers lie in [low, high)
    high: float = 1.0
    calibrator: Any = None  # a fitted one, through which rows are looked at

    @property
    def nbytes(self) -> int:
        """Bytes of the summary of a part."""
        return 8 * len(ARRAYS) * len(ScoreGrid() if self.grid is None else self.grid)

    def empty(self, class_names: Sequence[str] | None = None) -> Summary:
        """A summary of nothing yet."""
        return Summary(
            self.lens, selection=self.condition, outcome=self.outcome, class_names=class_names, grid=self.grid
        )

    def add(self, sums: Summary, predictions: Predictions, numbers: NDArray[np.intp]) -> None:
        """Add samples to the summary."""
        sums.update(predictions)


@dataclass(frozen=True)
class Unseen:
    """Why there are no sums: a calibrator could not transform the rows."""

    why: str


@dataclass(frozen=True)
class _Summarizer:
    """Fills sums for each look with the rows of a part."""

    looks: tuple[Any, ...]
    class_names: tuple[str, ...]
    normalize: bool
    seed: int
    cluster: str | Literal[False] | None = None

    def __call__(self, part: Part, arguments: dict[str, Any]) -> list[Any]:
        predictions = predictions_of(part, arguments, self.normalize, self.cluster)
        sums = [look.empty(self.class_names) for look in self.looks]
        # Looks at the same rows, by calibrator. Looks that were pickled together still share one object.
        alike: dict[tuple[float, float], dict[int, list[int]]] = {}
        for i, look in enumerate(self.looks):
            alike.setdefault((look.low, look.high), {}).setdefault(id(look.calibrator), []).append(i)
        for ends, by_calibrator in alike.items():
            rows = np.flatnonzero(on_side(part.start, part.rows, self.seed, *ends))
            if not len(rows):
                continue
            side = predictions if len(rows) == part.rows else predictions.select(rows)
            for several in by_calibrator.values():  # one at a time, as each makes a copy of the rows
                calibrator = self.looks[several[0]].calibrator
                try:
                    seen = side if calibrator is None else calibrator.transform(side)
                except ValueError as error:
                    for i in several:
                        sums[i] = Unseen(part.place + str(error))
                    continue
                for i in several:
                    self.looks[i].add(sums[i], seen, part.start + rows)
        return sums


def _added(several: Sequence[Sequence[Any]]) -> list[Any]:
    return [_sum(parts) for parts in zip(*several, strict=True)]


def _sum(parts: Sequence[Any]) -> Any:
    unseen = next((part for part in parts if isinstance(part, Unseen)), None)
    return unseen or sum(parts[1:], start=parts[0])


def looked_through(
    models: Mapping[str, LazyPredictions], looks: Mapping[str, Sequence[Any]], seed: int, progress: bool
) -> dict[str, list[Any]]:
    """The sums of every look at each model: summaries, or leaf sums, which keep no clusters."""
    size = max((sum(look.nbytes for look in several) for several in looks.values()), default=0)
    if size > MOST_BYTES:
        raise ValueError(
            f"the sums of each part would take {size / 1e9:.1f} GB: ask for fewer lenses, selections and calibrators "
            "at a time, or for summaries on a coarser grid=cv.ScoreGrid(cells=4096)"
        )
    asked = {name: model for name, model in models.items() if looks[name]}
    several = [
        (model.parts, _Summarizer(tuple(looks[name]), model.class_names, model.normalize, seed, model.cluster))
        for name, model in asked.items()
    ]
    sums = dict(zip(asked, passed(several, _added, progress), strict=True)) if asked else {}
    return {name: sums.get(name, []) for name in models}


def refuse_other(predictions: Any) -> None:
    """Raise where something else is passed than predictions."""
    if not isinstance(predictions, Predictions | LazyPredictions):
        raise TypeError(
            f"predictions must be cv.Predictions(probs, labels) or from cv.open_predictions, "
            f"not {type(predictions).__name__}"
        )


@takes_arrays
def summarize(
    predictions: Source,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    grid: ScoreGrid | None = None,
    progress: bool = True,
) -> Summary:
    """The summary of predictions seen through a lens: what `Summary` describes.

    See Also
    --------
    summarize_all : Several lenses, selections and models in one pass.
    error_bounds, curve_bounds : How far numbers of a summary can be off.

    Examples
    --------
    >>> cv.summarize(cv.simulated("resnet110_c10", 1000), "class right")
    <Summary class right: 1,000 of 1,000 samples, 69,547 cells>
    """
    validation.truth(progress, "progress")
    refuse_other(predictions)
    look = SummaryRequest(lens_for([predictions], lens), read_selection(selection), outcome, grid)
    if isinstance(predictions, LazyPredictions):
        return looked_through({"model": predictions}, {"model": [look]}, 0, progress)["model"][0]
    summary = look.empty()
    summary.update(predictions)
    return summary


@takes_arrays
def summarize_all(
    predictions: Source | Mapping[str, Source],
    lenses: Iterable[str | Lens] | str | Lens | None = None,
    *,
    selections: Mapping[str, str | Condition | None] | None = None,
    grid: ScoreGrid | None = None,
    progress: bool = True,
) -> dict[Key, Summary]:
    """Summaries of several models, lenses and selections, in one pass over predictions that are read in parts.

    Each takes 4.5 MB a part at a time with the default grid: choose a coarser one for hundreds of them.

    Parameters
    ----------
    predictions : Predictions, LazyPredictions, dict of model name to them, or probabilities of shape (n, K) or (n,)
    labels : array-like, shape (n,) or (n, K), optional
        Those of probabilities, as the second argument or by keyword; `Predictions` hold theirs.
    lenses : scalar lenses or their names, optional
        By default the positive class of two, and top-1 of more.
    selections : dict of name to selection or its text, optional
        By default all samples, under the name "all".
    grid : ScoreGrid, optional
    progress : bool
        Show dask's progress bar when it takes longer than a second; a distributed client has its dashboard, too.

    Returns
    -------
    dict of (model, selection, lens) to Summary
        A single model has the name "model".

    Raises
    ------
    TypeError, ValueError
        As `summarize`; of rows that are refused, for the first, with its number.

    See Also
    --------
    summarize : A single one.
    windows : One for each window of time.
    evaluate : A cube of all metrics, in one pass.

    Examples
    --------
    >>> p = cv.load_dataset("digits")["random forest"]
    >>> found = cv.summarize_all(p, ["top-1", "class 3"], selections={"all": None, "sure": "confidence > 0.5"})
    >>> found["model", "sure", "class 3"]
    <Summary class 3, confidence > 0.5: 1,621 of 1,797 samples, 69,547 cells>
    """
    validation.truth(progress, "progress")
    given = predictions if isinstance(predictions, Mapping) else {"model": predictions}
    if not given:
        raise no_models("predictions")
    models = {name: of_arrays(model) for name, model in given.items()}
    for model in models.values():
        refuse_other(model)
    looks = {
        (name, lens.name): SummaryRequest(lens, condition, None, grid)
        for name, condition in named_selections(selections).items()
        for lens in ([default_lens(models.values())] if lenses is None else map(read_lens, validation.several(lenses)))
    }
    lazy = {name: model for name, model in models.items() if isinstance(model, LazyPredictions)}
    read = looked_through(lazy, {name: list(looks.values()) for name in lazy}, 0, progress) if lazy else {}
    made: dict[Key, Summary] = {}
    for name, model in models.items():
        filled = read.get(name) or [
            summarize(model, look.lens, selection=look.condition, grid=grid) for look in looks.values()
        ]
        made |= {(str(name), *key): summary for key, summary in zip(looks, filled, strict=True)}
    return made
