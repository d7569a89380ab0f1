"""Predictions, stacks of models, files that hold them, and embedded data sets."""
