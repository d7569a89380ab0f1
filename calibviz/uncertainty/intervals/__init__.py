"""Intervals of shares, errors, scores and risks."""
