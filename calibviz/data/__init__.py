"""Predictions, stacks of models, readers of files, and the embedded data sets."""
