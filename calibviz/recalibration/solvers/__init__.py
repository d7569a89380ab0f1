"""Numerical methods that fit calibrators: likelihoods, conditioning, cross-validation, splines."""
