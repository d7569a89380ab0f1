"""How parameters of calibrators are found: likelihoods, conditioning, cross-validation, splines."""
