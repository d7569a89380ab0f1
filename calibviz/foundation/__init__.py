"""The lowest layer: checks of input, arrays, caches, whole files, progress, cancellation, and warnings of fits."""
