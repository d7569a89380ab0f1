"""Descriptions of the variables and coordinates of tables: a name in words, a unit, and where each comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .._version import __version__

if TYPE_CHECKING:
    import xarray as xr

GIVEN = "the arguments of the call"
OURS = "calibviz, docs/formulas.md"


class Described(NamedTuple):
    """A description of a variable: its `long_name`, `units` and `source`; an empty source is the table's."""

    long_name: str
    units: str = "1"
    source: str = ""


_CLOPPER = "Clopper and Pearson 1934"
_GECE = "Kirchenbauer, Oaks and Heim 2022"
_GCE = "Nixon et al. 2019, appendix C"
_PERCENTILES = "Efron and Tibshirani 1993"
#: The words that tables share; what only one table has, it says itself.
QUANTITIES: Mapping[str, Described] = {
    # Dimensions: what was asked for.
    "model": Described("model", source=GIVEN),
    "trial": Described("trial", source=GIVEN),
    "subsample": Described("random part of the samples", source=GIVEN),
    "selection": Described("selection", source=GIVEN),
    "calibrator": Described("calibrator", source=GIVEN),
    "lens": Described("lens", source=_GECE),
    "outcome": Described("outcome of the lens", source=_GECE),
    "binning": Described("binning", source=GIVEN),
    "bins": Described("number of bins", "bins", GIVEN),
    "gamma": Described("least share of the samples in a leaf", "1", _GECE),
    "k": Described("number of the likeliest classes", "classes", GIVEN),
    "rank": Described("rank of the class by its probability", "1", _GECE),
    "decision_threshold": Described("score from which on somebody acts", "1", GIVEN),
    "category": Described("category of scores", source=_GECE),
    "low": Described("lower end of the category", "1", GIVEN),
    "high": Described("upper end of the category", "1", GIVEN),
    "max_prob": Described("largest probability of each row only", source=_GCE),
    "class_conditional": Described("mean over the classes", source=_GCE),
    "threshold": Described("threshold of the scores", "1", GIVEN),
    "norm": Described("norm", source=_GCE),
    "quantile": Described("quantile of the replicates", "1", GIVEN),
    "among": Described("dimension along which labels are compared", source=GIVEN),
    "bin": Described("bin, from the lowest scores on", "1", OURS),
    "sample": Described("sample, from the lowest score on", "1", OURS),
    "point": Described("point of the curve", "1", OURS),
    "knot": Described("knot of the spline", "1", OURS),
    "n": Described("number of samples", "samples", GIVEN),
    "fraction": Described("share of the samples that is drawn", "1", GIVEN),
    "size": Described("number of samples that are drawn", "samples", OURS),
    "estimator": Described("estimator", source="Roelofs et al. 2022"),
    "network": Described("simulated network", source="Roelofs et al. 2022, table 1"),
    "tce": Described("true calibration error", "1", "Roelofs et al. 2022, equation 1"),
    "window": Described("window", source=GIVEN),
    "segment": Described("segment", source="the fields of the samples"),
    "words": Described("segment, in words", source="the fields of the samples"),
    "n_fields": Described("number of fields of the segment", "fields", OURS),
    "strategy": Described("strategy", source="Vickers and Elkin 2006"),
    "action": Described("action", source=GIVEN),
    "direction": Described("direction in which the threshold is crossed", source=OURS),
    "when": Described("before or after recalibration", source=OURS),
    "curve": Described("curve of the network", source="Roelofs et al. 2022, equation 9"),
    "end": Described("end of the bounds", source=OURS),
    "metric": Described("metric", source=OURS),
    # Measured.
    "score": Described("mean score"),
    "target": Described("mean target"),
    "mean_score": Described("mean score"),
    "mean_target": Described("mean target"),
    "gap": Described("mean target - mean score"),
    "observed_km": Described(
        "share with the event by the horizon, of all rows of the bin, censored ones too",
        source="Aalen and Johansen 1978",
    ),
    "count": Described("number of samples", "samples"),
    "weight": Described("sum of weights"),
    "lower": Described("lower end of the interval", source=_CLOPPER),
    "upper": Described("upper end of the interval", source=_CLOPPER),
    "mean": Described("mean"),
    "std": Described("standard deviation"),
    "error": Described("error"),
    "fractile": Described("share of the samples with lower scores"),
    "p_value": Described("p-value"),
}
RESAMPLED: dict[str, Described] = {
    "mean": Described("mean over the replicates", source=_PERCENTILES),
    "std": Described("standard deviation over the replicates", source=_PERCENTILES),
    "lower": Described("lower end of the spread under resampling", source=_PERCENTILES),
    "upper": Described("upper end of the spread under resampling", source=_PERCENTILES),
}


def described(
    table: xr.Dataset,
    source: str = OURS,
    said: Mapping[str, Described] | Mapping[str, str] | Mapping[str, Described | str] | None = None,
    **provenance: Any,
) -> xr.Dataset:
    """A table of which each variable and coordinate says what it is, and which says what made it.

    What `said` has of a variable, or its long name alone, goes before `QUANTITIES`, and what the variable says already
    before both. `source` is that of measured variables without one of their own; further attributes stand beside the
    version of calibviz. Dates have no units: files of netCDF keep theirs in that place.
    """
    said = said or {}
    out = table.copy()
    for name in map(str, table.variables):
        known = said.get(name) or QUANTITIES.get(name) or name.replace("_", " ")
        if isinstance(known, str):
            known = Described(known)
        by_default = GIVEN if name in table.coords else source
        attrs = {"long_name": known.long_name, "units": known.units, "source": known.source or by_default}
        variable = out.variables[name]
        attrs |= {key: value for key, value in variable.attrs.items() if not isinstance(value, str) or value}
        if variable.dtype.kind in "mM":
            del attrs["units"]
        variable.attrs = attrs
    out.attrs |= {"calibviz_version": __version__} | provenance
    return out


def sources_of(things: Any) -> str:
    """Where several things were defined, each source once; what tells none is the user's own."""
    return "; ".join(dict.fromkeys(str(getattr(thing, "source", "") or "the user's own") for thing in things))
