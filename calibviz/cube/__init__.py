"""Errors under many choices as one labelled cube: where its cells come from, metrics, fitting and ranks."""
