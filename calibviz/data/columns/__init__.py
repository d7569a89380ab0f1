"""Which column, or which array, means what: labels, weights, probabilities in one of their forms, and fields."""
