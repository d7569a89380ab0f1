"""Costs of acting on probabilities: thresholds, actions, selective prediction, segments."""
