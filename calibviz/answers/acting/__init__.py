"""Answers for those who act on the scores: at a threshold, in categories, or only where the model is sure."""
