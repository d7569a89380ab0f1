"""Situations, which answers are computed from: the models, the choices made, and the work that takes longer."""
