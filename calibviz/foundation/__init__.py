"""What everything stands on: validation, arrays, caches, progress, warnings of fits."""
