"""Predictions that do not fit in memory, on dask: opened, summarized in one pass, and evaluated."""

from .lazy import LazyPredictions
from .opening import open_predictions
from .summarize import summarize, summarize_all
from .windows import windows

__all__ = ["LazyPredictions", "open_predictions", "summarize", "summarize_all", "windows"]
