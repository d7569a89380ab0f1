"""The linked widgets, and the laboratory of simulations."""

from .app import (
    ClassesPanel,
    ComparisonPanel,
    ConfidencePanel,
    CumulativePanel,
    DecisionPanel,
    Explorer,
    InstancesPanel,
    LikertPanel,
    RecalibrationPanel,
    ReliabilityPanel,
    SegmentsPanel,
    SensitivityPanel,
    TemperaturePanel,
    TimePanel,
)
from .lab.lab import SimulationLab
from .lab.state import SimulationState
from .state.state import ExplorerState

__all__ = [
    "ClassesPanel",
    "ComparisonPanel",
    "ConfidencePanel",
    "CumulativePanel",
    "DecisionPanel",
    "Explorer",
    "ExplorerState",
    "InstancesPanel",
    "LikertPanel",
    "RecalibrationPanel",
    "ReliabilityPanel",
    "SegmentsPanel",
    "SensitivityPanel",
    "SimulationLab",
    "SimulationState",
    "TemperaturePanel",
    "TimePanel",
]
