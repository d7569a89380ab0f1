"""Which calibrator is best by which metric, and how well metrics agree."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from ..engine.sorted_scores import mid_ranks
from ..foundation import validation
from ..foundation.arrays import Array
from ..foundation.described import QUANTITIES, Described, described
from ..metrics.gce import BINNINGS, GCE
from ..metrics.records.registry import GCE_DIMS, METRICS
from ..uncertainty.resampling.contenders import CRITERIA
from .contests import within_in
from .metrics import metrics_in

DECIMALS = 12  # errors that differ by less are equal but for rounding
WITHIN_NOISE = "within noise"  # in place of a label, where several are not told apart


def rank_calibrators(cube: xr.Dataset, of: str = "calibrator", *, untested: bool = False) -> xr.Dataset:
    """The rank of every calibrator under the errors of a cube, where those within noise of the best share one rank.

    Parameters
    ----------
    cube : what `evaluate` makes
        With `ranking="calibrator"`, so that it knows who is within noise of the best.
    of : str
        What is ranked: "calibrator", or another dimension such as "model".
    untested : bool
        Rank all errors as they are, in which case noise decides between close ones (gce_measuring table 5).

    Returns
    -------
    xarray.Dataset
        Ranks in place of errors, in the same dimensions, 1 for the smallest error; nan stays nan. It holds the errors
        that the cube tests (`brier`, `log_loss`, `debiased`): those within noise of the best share the mean of the
        first ranks, and the others follow in the order of their errors. With `untested` it holds every error, and
        equal errors share the mean of their ranks.

    Raises
    ------
    ValueError
        Where the cube has no such dimension, or fewer than two labels in it, or does not know who is within noise.

    See Also
    --------
    within_noise : The test.

    Examples
    --------
    >>> calibration, evaluation = cv.load_dataset("digits")["neural network"].split(0.5)
    >>> cube = cv.evaluate(
    ...     evaluation, calibrators=["none", "temperature"], calibration=calibration, ranking="calibrator"
    ... )
    >>> cv.rank_calibrators(cube).brier.squeeze().values.tolist()
    [1.5, 1.5]
    """
    errors, within = _ranked(cube, of, untested)
    ranks, metrics = xr.Dataset(), metrics_in(cube)
    for name in errors.data_vars:
        ranked = xr.apply_ufunc(
            tied_ranks,
            errors[name],
            within[str(name)],
            input_core_dims=[[of], [of]],
            output_core_dims=[[of]],
            keep_attrs=False,
        )
        ranks[name] = ranked.transpose(*errors[name].dims)
        by = metrics[str(name)]
        what = f"rank among the {of}s by {by.definition}; 1 is the least"
        ranks[name].attrs = {"long_name": f"rank by {by.long_name}", "units": "1", "description": what}
    return described(ranks.drop_attrs(deep=False), "Nixon et al. 2019, section 5.3")


def rank_correlation(cube: xr.Dataset, dim: str, of: str = "calibrator") -> xr.Dataset:
    """How well rankings agree: Spearman's rho between every two labels of a dimension.

    Parameters
    ----------
    cube : what `evaluate` makes
    dim : str
        "metric" for the agreement of the errors in the cube, each with all its settings, among the 32 of the GCE
        family; or a dimension of the cube: "bins", "trial", "lens", ...
    of : str
        What is ranked: "calibrator", or another dimension such as "model" (gce_measuring table 4).

    Returns
    -------
    xarray.Dataset
        With a dimension: for each error that has it, rho over `dim` and `dim`_other, 1 where both rank alike, -1
        where they rank in reverse, nan where one ranks all equal or any is nan; and the mean over all pairs of
        different labels under the name of the error and "_mean". For "metric" one variable, `correlation`, over
        `metric` and `metric_other`, and `correlation_mean`.

    See Also
    --------
    rank_calibrators : The ranks that are compared.
    preferred : How often each is the best.

    References
    ----------
    Nixon et al. 2019 (gce_measuring), sections 5.3 and 5.4; the formula printed there lacks a square.

    Examples
    --------
    >>> calibration, evaluation = cv.load_dataset("digits")["neural network"].split(0.5)
    >>> methods = ["none", "temperature", "isotonic", "beta"]
    >>> cube = cv.evaluate(evaluation, calibrators=methods, calibration=calibration, metrics=["ece", "ks", "brier"])
    >>> round(cv.rank_correlation(cube, "metric").correlation_mean.item(), 2)
    0.07
    """
    validation.text(dim, "dim")
    errors = _errors(cube, of)
    if dim == "metric":
        errors = xr.Dataset({"correlation": by_metric(errors)})
        if errors.sizes["metric"] < 2:
            raise ValueError("cube has only one error: name several in cv.evaluate(..., metrics=[...])")
    known = [name for name in errors.data_vars if dim in errors[name].dims]
    if not known or dim == of:
        dimensions = sorted({str(d) for name in errors.data_vars for d in errors[name].dims} - {of})
        raise ValueError(f"dim must be 'metric' or a dimension of the errors, {', '.join(dimensions)}, not {dim!r}")
    if errors.sizes[dim] < 2:
        raise ValueError(f"cube has only one of the {dim}, {errors[dim].item()!r}: there is nothing to correlate")
    out = {}
    for name in known:
        other = f"{dim}_other"
        rho = xr.apply_ufunc(
            _correlations, errors[name], input_core_dims=[[dim, of]], output_core_dims=[[dim, other]], keep_attrs=False
        ).assign_coords({other: errors[dim].values})
        rho.attrs = {"long_name": f"Spearman's rho between rankings of the {of}s"}
        pairs = rho.where(xr.DataArray(~np.eye(rho.sizes[dim], dtype=bool), dims=(dim, other)))
        out[name] = rho
        out[f"{name}_mean"] = pairs.mean((dim, other)).assign_attrs(long_name="mean over all pairs of different labels")
    said = {f"{dim}_other": QUANTITIES.get(dim, Described(dim))}
    return described(xr.Dataset(out), "Nixon et al. 2019, sections 5.3 and 5.4", said)


def preferred(cube: xr.Dataset, of: str = "calibrator", *, untested: bool = False) -> xr.Dataset:
    """The calibrator that is better than all others under the errors of a cube, where there is such a one.

    Parameters
    ----------
    cube : what `evaluate` makes
        With `ranking="calibrator"`, so that it knows who is within noise of the best.
    of : str
        What is chosen from: "calibrator", or another dimension such as "model".
    untested : bool
        Name the smallest of every error, be it by noise. Of a cube of `subsamples(...)` that tells how often noise
        prefers what (ece_sweep figure 2): `(preferred(cube, untested=True).ece == "isotonic").mean("subsample")`.

    Returns
    -------
    xarray.Dataset
        Of labels, without that dimension: "within noise" where several are within noise of the best, and "" where all
        are nan. It holds the errors that the cube tests; with `untested` every error, and of equal ones the first wins.

    Raises
    ------
    ValueError
        As `rank_calibrators`.

    See Also
    --------
    rank_calibrators : All ranks, not only the first.
    within_noise : Which are not shown to be worse than the best.

    Examples
    --------
    >>> calibration, evaluation = cv.load_dataset("digits")["neural network"].split(0.5)
    >>> methods = ["none", "temperature"]
    >>> cube = cv.evaluate(evaluation, calibrators=methods, calibration=calibration, ranking="calibrator")
    >>> cv.preferred(cube).brier.item()
    'within noise'
    """
    errors, within = _ranked(cube, of, untested)
    labels = cube[of].values.astype(str)

    def first(values: Array, left: NDArray[np.bool_]) -> NDArray[np.str_]:
        if untested:
            least = np.minimum(values, np.finfo(np.float64).max)  # inf is better than nan
            best = labels[np.where(np.isnan(values), np.inf, least).argmin(axis=-1)]
        else:
            best = np.where(left.sum(axis=-1) == 1, labels[left.argmax(axis=-1)], WITHIN_NOISE)
        return np.where(np.isnan(values).all(axis=-1), "", best)

    out, metrics = xr.Dataset(), metrics_in(cube)
    for name in errors.data_vars:
        out[name] = xr.apply_ufunc(first, errors[name], within[str(name)], input_core_dims=[[of], [of]])
        by = metrics[str(name)]
        what = f"{of} of the smallest {by.definition}"
        out[name].attrs = {"long_name": f"best {of} by {by.long_name}", "units": "1", "description": what}
    return described(out.drop_attrs(deep=False), "Roelofs et al. 2022, figure 2")


def tied_ranks(errors: Array, within: NDArray[np.bool_]) -> Array:
    """Ranks along the last axis: first those within noise of the best, who share theirs; nan stays nan."""
    return mid_ranks(np.where(within & ~np.isnan(errors), -np.inf, errors))


def _ranked(cube: xr.Dataset, of: str, untested: bool) -> tuple[xr.Dataset, dict[str, xr.DataArray]]:
    """The errors to rank, and who is within noise of the best by each: no one where that is not asked."""
    validation.truth(untested, "untested")
    errors = _errors(cube, of)
    if untested:
        return errors, {str(name): xr.zeros_like(errors[name], dtype=bool) for name in errors.data_vars}
    said = {str(name): within_in(cube, str(name), of) for name in errors.data_vars}
    within = {name: winners for name, winners in said.items() if winners is not None}
    if not within:
        raise ValueError(
            f"cube does not say which {of}s are within noise of the best: make it by "
            f"cv.evaluate(..., ranking={of!r}) with one of the metrics {', '.join(CRITERIA)}, "
            "or pass untested=True to let noise rank close ones"
        )
    return errors[list(within)], within


def _errors(cube: xr.Dataset, dim: str) -> xr.Dataset:
    """The errors of a cube that have a dimension, rounded so that equal ones are equal."""
    if not isinstance(cube, xr.Dataset):
        raise TypeError(f"cube must be the xarray.Dataset that cv.evaluate makes, not {type(cube).__name__}")
    validation.text(dim, "of")
    metrics = metrics_in(cube)
    names = [name for name, record in metrics.items() if record.better == "smaller" and dim in cube[name].dims]
    if not names:
        raise ValueError(f"cube has no error with a dimension {dim!r}: name several in cv.evaluate(...) first")
    if cube.sizes[dim] < 2:
        hint = "; of='model' ranks its models" if dim != "model" and cube.sizes.get("model", 1) > 1 else ""
        raise ValueError(f"cube has only one {dim}, {cube[dim].item()!r}: there is nothing to rank{hint}")
    return cube[names].round(DECIMALS)


def _correlations(errors: Array) -> Array:
    """Spearman's rho between the rows of the last two axes."""
    ranks = mid_ranks(errors)
    ranks = ranks - ranks.mean(axis=-1, keepdims=True)
    size = np.sqrt((ranks**2).sum(axis=-1, keepdims=True))
    ranks = np.divide(ranks, size, out=np.full_like(ranks, np.nan), where=size > 0)
    return np.clip(ranks @ np.swapaxes(ranks, -1, -2), -1.0, 1.0)


def by_metric(errors: xr.Dataset) -> xr.DataArray:
    """All errors along one dimension `metric`, with a label for each of their settings, which stay coordinates."""
    settled: list[xr.DataArray] = []
    every: list[dict[str, Any]] = []
    for name in errors.data_vars:
        own_dims = METRICS[str(name)].own_dims if name in METRICS else ()
        own = [dim for dim in own_dims if dim in errors[name].dims]
        for place in itertools.product(*(errors[dim].values.tolist() for dim in own)):
            settings = dict(zip(own, place, strict=True))
            every.append(settings)
            chosen = errors[name].sel(settings).drop_vars(own, errors="ignore")
            settled.append(chosen.expand_dims(metric=[_label(str(name), settings)]))
    # What the GCE family lacks, a lens, is the same for all.
    both = xr.concat(xr.broadcast(*settled, exclude=("metric",)), "metric", coords="minimal", compat="override")
    dims = dict.fromkeys(itertools.chain(*every))
    kept: dict[str, Any] = {dim: ("metric", _column([settings.get(dim) for settings in every])) for dim in dims}
    return both.assign_coords(kept | {"metric": both.metric.values.astype(str)})


def _column(values: list[Any]) -> NDArray[Any]:
    """A setting of every metric; "" or nan where a metric has none."""
    if any(isinstance(value, str) for value in values):
        return np.array(["" if value is None else value for value in values])
    return np.array(values, dtype=np.float64) if None in values else np.array(values)


def _label(name: str, settings: Mapping[str, Any]) -> str:
    if name == "gce":
        choices, bins = {dim: settings[dim] for dim in GCE_DIMS if dim in settings}, settings.get("bins")
        label = GCE(**choices).name if choices.get("binning", GCE.binning) in BINNINGS else f"GCE {choices}"
        return label if bins is None else f"{label}, {bins} bins"
    return ", ".join([name, *(f"{value} bins" if dim == "bins" else str(value) for dim, value in settings.items())])
