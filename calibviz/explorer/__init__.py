"""The linked widgets, and the laboratory of simulations."""

from .app import Explorer
from .lab.lab import SimulationLab
from .panel import Panel

__all__ = ["Explorer", "Panel", "SimulationLab"]
