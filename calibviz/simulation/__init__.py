"""Simulated networks of which the truth is known: batches, estimators, cubes, and trust in an error."""
