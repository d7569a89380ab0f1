"""Errors of the scores themselves, without bins: smooth, by kernel densities, and by isotonic regression."""
