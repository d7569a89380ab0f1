"""What acting on probabilities brings and costs: thresholds, costs of actions, selective prediction."""
