"""Lenses and their names, selections, and the problem that both induce from predictions."""
