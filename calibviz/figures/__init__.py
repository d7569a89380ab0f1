"""Records of pictures, tables and sentences, which any plotting library can draw.

A `Figure` is a few `Series` on two axes. Their `role` decides colour and marker, so a series looks the same in every
picture. Most functions take several trials.
"""

from ..foundation.written import percent, spread
from .bars import bars_figure
from .log_odds import log_odds, stretched
from .pictures.centres import centres_sentence, centres_table
from .pictures.classes import classes_figure, worst_first
from .pictures.confidence import ObservedShares, confidence_figure, groups_figure
from .pictures.cubes import cube_figures
from .pictures.cumulative import cumulative_figures, slopes_figure
from .pictures.curves import curves_figure
from .pictures.decisions import (
    acted_on_figure,
    changed_sides_figures,
    decision_curve_figure,
    local_calibration_figure,
    murphy_figure,
    risk_coverage_figure,
)
from .pictures.drift import drift_figure
from .pictures.grids import grid_figure, rank_correlation_figure, ranks_figure
from .pictures.likert import likert_figures
from .pictures.recalibration import map_figure, with_bins
from .pictures.reliability.calibration_curve import calibration_curve_figures
from .pictures.reliability.curves import has_flexible_curve
from .pictures.reliability.diagram import BANDS, few_samples, reliability_figure
from .pictures.reliability.histogram import histogram_figure
from .pictures.reliability.words import Wording, WorstSegment, axis_names
from .pictures.segments import MOST_SEGMENTS, segments_table
from .pictures.sensitivity import marked, points_per_bin_figure, sensitivity_figure
from .pictures.simulation import (
    EstimatorRow,
    estimates_by_bins_figure,
    estimates_figure,
    misses_by_size_figure,
    sample_figures,
)
from .pictures.studies import (
    confidences_figures,
    miss_rates_figures,
    misses_by_error_figure,
    sample_size_figure,
    simulated_errors_figures,
    spread_by_size_figure,
)
from .pictures.temperature import TEMPERATURE_DOTS, temperature_figure
from .pictures.top_k import top_k_figure
from .records import BARS, MOST_OVERLAYS, OVERLAY_ROLES, Figure, Grid, Label, Overlay, Role, Run, Series, Shape
from .shapes import MOST_POINTS

__all__ = [
    "BANDS", "BARS", "MOST_OVERLAYS", "MOST_POINTS", "MOST_SEGMENTS", "OVERLAY_ROLES", "TEMPERATURE_DOTS",
    "EstimatorRow", "Figure", "Grid", "Label", "ObservedShares", "Overlay", "Role", "Run", "Series", "Shape", "Wording",
    "WorstSegment", "acted_on_figure", "axis_names", "bars_figure", "calibration_curve_figures", "centres_sentence",
    "centres_table", "changed_sides_figures", "classes_figure", "confidence_figure", "confidences_figures",
    "cube_figures", "cumulative_figures", "curves_figure", "decision_curve_figure", "drift_figure",
    "estimates_by_bins_figure", "estimates_figure", "few_samples", "grid_figure", "groups_figure", "has_flexible_curve",
    "histogram_figure", "likert_figures", "local_calibration_figure", "log_odds", "map_figure", "marked",
    "miss_rates_figures", "misses_by_error_figure", "misses_by_size_figure", "murphy_figure", "percent",
    "points_per_bin_figure", "rank_correlation_figure", "ranks_figure", "reliability_figure", "risk_coverage_figure",
    "sample_figures", "sample_size_figure", "segments_table", "sensitivity_figure", "simulated_errors_figures",
    "slopes_figure", "spread", "spread_by_size_figure", "stretched", "temperature_figure", "top_k_figure", "with_bins",
    "worst_first",
]  # fmt: skip  # short entries stand in rows
