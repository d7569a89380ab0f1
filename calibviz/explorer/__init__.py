"""The linked widgets."""

from .app import (
    ClassesPanel,
    ComparisonPanel,
    ConfidencePanel,
    CumulativePanel,
    Explorer,
    InstancesPanel,
    LikertPanel,
    RecalibrationPanel,
    ReliabilityPanel,
    SensitivityPanel,
    TemperaturePanel,
)
from .state import ExplorerState

__all__ = [
    "ClassesPanel",
    "ComparisonPanel",
    "ConfidencePanel",
    "CumulativePanel",
    "Explorer",
    "ExplorerState",
    "InstancesPanel",
    "LikertPanel",
    "RecalibrationPanel",
    "ReliabilityPanel",
    "SensitivityPanel",
    "TemperaturePanel",
]
