"""A panel of the Explorer by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import ipywidgets

from ..answers.content import Content
from ..answers.registry import ANSWERS
from ..answers.situation.situation import Situation
from ..foundation.validation import choice
from .linked import Linked
from .state.state import ExplorerState
from .view.grid import grid_classes


class Panel(Linked):
    """One panel of the Explorer by itself.

    Parameters
    ----------
    name : str
        That of the panel, as in `Explorer(..., panels=[...])`: "reliability", "cumulative", "recalibration",
        "sensitivity", "comparison", "likert", "confidence", "instances", "classes", "temperature", "decision",
        "segments" or "time".
    predictions, labels, calibration, state, **choices
        As in `Explorer`. Pass the `state` of another panel, or of an Explorer, to link the two.

    Attributes
    ----------
    state, selected, sentences
        As in `Explorer`.

    Raises
    ------
    TypeError, ValueError
        If there is no panel of that name; else as `Explorer`.

    See Also
    --------
    Explorer : All panels, with their controls.
    plots : Pictures of the same for papers, by Matplotlib.

    Examples
    --------
    >>> panel = cv.Panel("segments", cv.load_dataset("heart")["random forest"], depth=1)
    >>> panel.state.depth
    1
    >>> panel.close()
    """

    def __init__(
        self,
        name: str,
        predictions: Any,
        calibration: Any = None,
        state: ExplorerState | None = None,
        **choices: Any,
    ) -> None:
        self._name = choice(name, "name", tuple(ANSWERS))
        self._named_first = (repr(name),)
        super().__init__(predictions, calibration, state=state, **choices)

    def _build(self) -> Sequence[ipywidgets.Widget]:
        panel = self._panel(self._name, ()).widget
        return [self._notice, ipywidgets.Box([panel], _dom_classes=grid_classes((self._name,)))]

    def _visible(self, look: Situation) -> tuple[str, ...]:
        return (self._name,)

    def _draw(self, look: Situation, contents: Mapping[str, Content]) -> None:
        for name, content in contents.items():
            self._panels[name].draw(look, content)
