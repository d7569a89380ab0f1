"""Measures of one scalar problem beside the calibration errors: clinical indices, flexible curves and tests."""
