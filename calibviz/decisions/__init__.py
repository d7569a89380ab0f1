"""What acting on probabilities costs: thresholds, costs, selective prediction, segments."""
