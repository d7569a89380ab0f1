"""`evaluate`: errors under many lenses, selections, calibrators and bin counts, as one labelled cube.

The one place where results become xarray cubes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from ..context.conditions import Condition
from ..context.lenses import Lens
from ..data.dependence import say_dependence
from ..data.models import takes_arrays
from ..data.predictions import Predictions
from ..foundation import validation
from ..foundation.described import OURS, described
from ..foundation.progress import with_progress
from ..metrics.distances import Distance, TotalVariation
from ..metrics.records.own import Metric
from ..recalibration.registry import applied
from ..scale.lazy import LazyPredictions
from ..scale.summary import Summary
from .cells_in_memory import CellsInMemory
from .cells_of_sums import SumCells
from .contests import Contests
from .metrics import Measured, attributes_of, attributes_of_own
from .provenance import provenance_of
from .request import Request, judged_of, plan_of, request_of
from .sources import cells_of

QUANTILES = (0.05, 0.95)


@takes_arrays
def evaluate(
    predictions: Predictions | LazyPredictions | Summary | Mapping[str, Any] | xr.Dataset,
    lenses: Mapping[str, str | Lens] | Iterable[str | Lens] | str | Lens | None = None,
    *,
    binnings: Iterable[Any] | str | None = None,
    bins: Iterable[int] | int = (15,),
    gammas: Iterable[float] | float = (),
    selections: Mapping[str, str | Condition | None] | None = None,
    calibrators: Iterable[Any] | str = ("none",),
    calibration: Predictions | LazyPredictions | Summary | Mapping[str, Any] | xr.Dataset | float | None = None,
    folds: int | None = None,
    categories: Mapping[str, tuple[float, float]] | Iterable[float] | None = None,
    distance: Distance | None = None,
    p: float = 1.0,
    k: Iterable[int] | int = (),
    thresholds: Iterable[float] | float = (),
    metrics: Iterable[str | Metric] | str | Metric | None = None,
    replicates: int = 0,
    quantiles: Iterable[float] | float = QUANTILES,
    noise: bool = False,
    intervals: float | None = None,
    ranking: Iterable[str] | str = (),
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> xr.Dataset:
    """Calibration errors as a cube over model, selection, calibrator, lens, binning and bins.

    Parameters
    ----------
    predictions : Predictions, dict of model name to Predictions, xarray.Dataset, or probabilities (n, K) or (n,)
        What is judged. A model in a dict may be a pair (probabilities, labels). A Dataset has the variables that
        `read_predictions` describes for .nc; dimensions before `sample` and `class` (model, trial, seed) become
        dimensions of the cube. What `open_predictions` made
        (LazyPredictions) is judged by sums that one pass fills (see `Summary`); scalar calibrators are fitted to such
        sums, those of whole rows to 50,000 rows drawn in a pass before, like those that k-d trees are grown on. A
        Summary, or a dict of them, knows its own lens and selection alone.
    labels : array-like, shape (n,) or (n, K), optional
        Those of probabilities, as the second argument or by keyword; `Predictions` hold theirs.
    lenses : lenses or their names, one or several, or a dict of your names to them, optional
        By default the positive class of two, and top-1 of more; a summary knows its own. The dict tells two groupings
        apart, for example, whose groups have the same names.
    binnings : {"uniform", "equal-mass"} or binnings such as Uniform(closed="right"), one or several
        By default uniform; with the metric gce, whose 32 errors are of both, uniform and equal-mass.
    bins : int, one or several
    gammas : float, one or several, optional
        Values of gamma, for `kdtree_ece`.
    selections : dict of name to selection or its text, optional
        By default all samples, under the name "all".
    calibrators : names or calibrators
        "none", "temperature", "bias-corrected", "ensemble", "vector", "matrix", "dirichlet", "neural", "spline",
        "isotonic", "platt", "beta", "histogram", or calibrator objects, of which copies are fitted. Under a scalar
        lens a scalar calibrator is fitted to what that lens looks at; under a vector lens it is used one-vs-rest, as
        the attribute `applied_to` of the coordinate `calibrator` says. "isotonic, one-vs-rest" and so on are used
        one-vs-rest under every lens. Selections look at the recalibrated predictions; under a scalar calibrator only
        `output` changes.
    calibration : as `predictions`, or float in (0, 1)
        What calibrators are fitted to: other samples than those judged, or the share of `predictions` that is set
        aside for it at random. All methods, "none" too, are then judged on the rest.
    folds : int, at least 2, instead of `calibration`
        Cross-fitting: every sample is recalibrated by calibrators that were fitted to the other folds.
    categories : ascending cut points, or dict of name to (low, high), optional
        Likert categories, for `likert_error` and the like, as in the function `likert_error`.
    distance, p
        As in `calibration_error`; for `ece`, `mce`, `kdtree_ece` and `sweep`.
    k : int, one or several, optional
        For `top_k_accuracy`, as in `accuracy`.
    thresholds : float in [0, 1), one or several, optional
        For `net_benefit` over `decision_threshold`, as in the function of that name.
    metrics : names of the cube's variables, or `Metric` objects of your own, optional
        Only these are computed. By default ece, kdtree_ece where gammas are given, top_k_accuracy where `k` is,
        net_benefit where thresholds are, likert_error, likert_total_variation, likert_count and likert_mean_target
        where `categories` is given, ks, kuiper, sweep, sweep_bins, smooth, debiased, brier, accuracy, mean_score,
        mean_target and count. On request also mce, kde, label_binned, miscalibration, discrimination, uncertainty,
        log_loss, gce, aurc, excess_aurc, augrc, and what clinical prediction models are asked: observed_expected,
        calibration_in_the_large, calibration_intercept, calibration_slope, ici, e50, e90, emax and eci, each as in the
        function of that name; of a family of problems the mean. The GCE family looks at whole rows, so under it scalar
        calibrators are used one-vs-rest.
    replicates : int
        Number of replicates. Above 0, quantiles join every variable but the counts: `ece_quantile` and so on. For
        means of 100 samples or more, such as brier and accuracy, these are intervals that hold the truth as often as
        they say; of fewer they are too narrow, and `bootstrap` gives wider ones. For errors of calibration they are
        only the spread under resampling, since such errors are biased upwards.
    quantiles : float in [0, 1], one or several
        Of the replicates.
    noise : bool
        Join every error of calibration by what noise alone shows: `ece_noise` and so on, the 95 % quantile of 499 data
        sets whose labels are drawn from the probabilities, `ece_expected`, their mean, and `ece_p_value`, how often
        they show at least as much as the data (see `consistency`). Under a selection that looks at the truth, labels
        are drawn for all samples and selected anew; the mean is then not near 0. Means, counts and proper scores have
        no such floor.
    intervals : float in (0, 1), optional
        How often intervals of the true error shall hold it, such as 0.95: ece, sweep, ks, kuiper and debiased are
        joined by `ece_lower`, `ece_estimate`, `ece_upper` and so on (see `interval`), where there is one problem of one
        score a sample. It takes some 0.3 s for each at 5,000 samples; those of one cell share their data sets.
    ranking : "calibrator", "model", or another dimension of the models, one or several
        Along it `brier`, `log_loss` and `debiased`, those of them that are measured, are tested as by `within_noise`:
        `brier_within_noise` and so on, over `among` as well, say which labels are not shown to be worse than the best
        of theirs; all, where they were not judged on the same samples. `rank_calibrators` and `preferred` go by it.
    rng : int, numpy.random.Generator or None
        Of the share, the folds and all that is drawn: the noise, the intervals and the bootstrap, whose draws are the
        same in every cell: differences between cells are paired; of LazyPredictions under scalar lenses they are not.
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    xarray.Dataset
        `ece` and `mce` over all dimensions, `kdtree_ece` over `gamma` in place of binning and bins, `top_k_accuracy`
        over `k`, `net_benefit` over `decision_threshold`, the Likert errors over `category` as well, `gce` over
        `binning`, its four other choices and `bins`; the others have neither binning nor bins. A cell that cannot exist
        (no sample selected, equal-mass bins of a vector lens, ...) is nan, and the attribute `unavailable` of its
        variable says why; `unavailable_reasons` lists the reasons without the cells, as JSON. The attribute `notes`
        says of which cells the calibration slope and intercept leave out samples, since their score is 0 or 1, and how
        many. Every variable and coordinate has a `long_name`, `units` and a `source`, every metric its definition as
        `description`. Attributes of the cube are the `call`, the `calibviz_version`, `n_samples` (those judged; of
        several models a list, where they differ), `data_hash`, of all that was passed as predictions, and `fitted_to`.

    Raises
    ------
    TypeError, ValueError
        Where an argument is unknown, empty or given twice, or calibrators have no `calibration`. What fails in one cell
        alone is no error: the cell is nan, and `unavailable` says why.

    See Also
    --------
    rank_calibrators, preferred : Rank calibrators by a cube.
    calibration_error : One number, without a cube.
    confidences : Confidences over ranks, as a cube.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> cube = cv.evaluate(p, ["top-1", "class malignant"], bins=[10, 15])
    >>> round(cube.ece.sel(lens="top-1", bins=15).item(), 3)
    0.057
    """
    seed = validation.draws(rng, progress)
    plan = plan_of(
        binnings=binnings, bins=bins, gammas=gammas, categories=categories, distance=distance, p=p, k=k,
        thresholds=thresholds, metrics=metrics, replicates=replicates, quantiles=quantiles, noise=noise,
        intervals=intervals, seed=seed,
    )  # fmt: skip  # short entries stand in rows
    if noise or plan.replicates or ranking or intervals is not None:
        say_dependence(predictions, stacklevel=3)  # `takes_arrays` stands between
    judged = judged_of(predictions)
    request = request_of(judged, plan, lenses, selections, calibrators, calibration, folds, ranking, progress)
    return _filled(request, cells_of(request))


def _filled(request: Request, source: CellsInMemory | SumCells) -> xr.Dataset:
    """The cube, of which a source measures one cell after the other."""
    arrays = _Arrays(request)
    contests = Contests(request, source.fitted) if request.ranking and isinstance(source, CellsInMemory) else None
    lenses: list[tuple[str, Lens | None]] = list(request.lenses.items()) if request.plan.of_lenses else []
    if "gce" in request.plan.metrics:
        lenses.append(("", None))  # the GCE family brings its own lenses
    # Models and calibrators first: `Fitted` keeps what it made for one pair of them at a time.
    cells = list(itertools.product(request.judged.models, request.methods, lenses, request.conditions))
    for model, method, (label, lens), selection in with_progress(cells, "evaluate", len(cells), request.progress):
        place = {"model": model, "selection": selection, "calibrator": method[0]}
        if lens is not None:
            place["lens"] = label
        arrays.add(place, source.cell(model, method, lens, selection))
        if contests is not None and lens is not None:
            contests.add(model, method, (label, lens), selection)
    cube = arrays.dataset()
    if said := applied(request.methods):
        cube.calibrator.attrs["applied_to"] = said
    if contests is not None:
        cube = contests.joined(cube)
    return described(cube, OURS, request.said, **_provenance(request, source))


def _provenance(request: Request, source: CellsInMemory | SumCells) -> dict[str, Any]:
    given = request.judged.models
    judged: Mapping[str, Any] = given
    calibration = request.calibration
    if isinstance(source, CellsInMemory):
        judged, fit_on = source.fitted.judged, source.fitted.fit_on
    else:
        fit_on = calibration if isinstance(calibration, Mapping) else dict.fromkeys(given, calibration)
    return provenance_of(given, judged, fit_on, calibration, request.folds, request.methods)


class _Arrays:
    """The arrays of a cube while they are filled in."""

    def __init__(self, request: Request) -> None:
        self.request, self.coords, plan = request, request.coords, request.plan
        self.dims: dict[str, tuple[str, ...]] = {}
        self.joined: dict[str, tuple[str, str]] = {}  # what joins a metric: the metric and the suffix
        for metric, record in plan.metrics.items():
            dims = record.dims
            self.dims[metric] = dims
            for suffix in plan.joined(metric):
                self.joined[f"{metric}_{suffix}"] = metric, suffix
                self.dims[f"{metric}_{suffix}"] = (*dims, "quantile") if suffix == "quantile" else dims
        self.values = {
            name: np.full([len(self.coords[dim]) for dim in dims], np.nan) for name, dims in self.dims.items()
        }
        self.reasons: dict[str, list[tuple[str, str]]] = {}

    def add(self, place: Mapping[str, str], measured: Measured) -> None:
        """Put what was measured in one cell in its place."""
        values, reasons = measured
        index = tuple(self.coords[dim].index(label) for dim, label in place.items())
        for name, value in values.items():
            self.values[name][index] = value
        # The name of one of many sets tells its dimensions itself: "model=vgg, trial=1".
        of_several = len(self.request.judged.coords) > 1
        said = ", ".join(label if dim == "model" and of_several else f"{dim}={label}" for dim, label in place.items())
        for metric, several in reasons.items():
            for where, sentence in several:
                self.reasons.setdefault(metric, []).append((f"{said}{', ' if where else ''}{where}", sentence))

    def dataset(self) -> xr.Dataset:
        """The cube, in which the axis of the models is that of all dimensions they stand for."""
        judged, plan, arrays = self.request.judged, self.request.plan, {}
        for name, values in self.values.items():
            metric, suffix = self.joined.get(name, (name, ""))
            record = plan.metrics[metric]
            attrs = plan.joined(metric)[suffix].attrs(record) if suffix else record.attrs | attributes_of_own(record)
            attrs |= attributes_of(why for key in dict.fromkeys([metric, name]) for why in self.reasons.get(key, []))
            if suffix in ("lower", "upper"):
                attrs["level"] = plan.intervals
            dims = (*judged.coords, *self.dims[name][1:])
            arrays[name] = (dims, values.reshape(*judged.shape, *values.shape[1:]), attrs)
        used = {dim for dims in self.dims.values() for dim in dims} - {"model"}
        coords = judged.coords | {dim: labels for dim, labels in self.coords.items() if dim in used} | judged.others
        if "category" in used:
            for i, end in enumerate(("low", "high")):
                coords[end] = ("category", [ends[i] for ends in plan.categories.values()])
        distance = TotalVariation() if plan.distance is None else plan.distance
        called = getattr(distance, "name", None) or getattr(distance, "__name__", type(distance).__name__)
        return xr.Dataset(arrays, coords, {"call": self.request.call, "distance": called, "p": plan.p})
