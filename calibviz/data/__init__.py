"""Predictions, stacks of models, files that hold them, and the data sets that come with calibviz."""
