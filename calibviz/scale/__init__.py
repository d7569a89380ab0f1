"""Predictions that do not fit in memory, on dask: opened, summarized in one pass, and evaluated."""

from .asking import lazy_cells, lazy_models
from .lazy import LazyPredictions
from .of_summaries import lens_of, summaries_of, summary_cells
from .opening import open_predictions
from .sum_cells import SumCells
from .summarizing import summaries, summarize
from .windows import windows

__all__ = [
    "LazyPredictions", "SumCells", "lazy_cells", "lazy_models", "lens_of", "open_predictions", "summaries",
    "summaries_of", "summarize", "summary_cells", "windows",
]  # fmt: skip
