"""Measures of one problem: errors in bins and without, proper scores, clinical indices, tests."""
