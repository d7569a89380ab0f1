"""Matplotlib pictures of the figure records: static, for papers and reports."""

from .decisions import centres, changed_sides, decision_curve, local_calibration, murphy_curve, risk_coverage, segments
from .diagrams import calibration_curve, cumulative, ks, recalibration, reliability
from .display import CalibrationDisplay
from .drawing import MARKERS, Picture, draw, draw_grid, panels
from .errors import bars, drift, rank_correlation, ranks, sensitivity
from .simulations import confidences, miss_rates, sample_size, simulated_errors, spread_by_size

__all__ = [
    "MARKERS", "CalibrationDisplay", "Picture", "bars", "calibration_curve", "centres", "changed_sides", "confidences",
    "cumulative", "decision_curve", "draw", "draw_grid", "drift", "ks", "local_calibration", "miss_rates",
    "murphy_curve", "panels", "rank_correlation", "ranks", "recalibration", "reliability", "risk_coverage",
    "sample_size", "segments", "sensitivity", "simulated_errors", "spread_by_size",
]  # fmt: skip  # short entries stand in rows
