"""The lowest layer: checks of input, arrays, caches, progress, cancellation, and warnings of fits."""
