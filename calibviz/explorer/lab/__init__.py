"""The laboratory of simulations."""
