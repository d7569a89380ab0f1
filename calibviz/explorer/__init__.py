"""The Explorer: linked widgets on ipywidgets and bqplot."""

from .app import Explorer
from .state import ExplorerState

__all__ = ["Explorer", "ExplorerState"]
