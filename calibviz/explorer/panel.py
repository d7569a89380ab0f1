"""A panel of the Explorer by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import ipywidgets

from ..answers.registry import ANSWERS
from ..answers.situation.content import Answer, Content
from ..answers.situation.situation import Situation
from ..foundation.validation import choice
from .linked import Linked
from .state.state import ExplorerState
from .view.grid import grid_classes
from .view.panels.views import layout_of


class Panel(Linked):
    """One panel of the Explorer by itself.

    Parameters
    ----------
    name : str or Answer
        That of the panel, as in `Explorer(..., panels=[...])`: {names}.
        Or an answer of your own.
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
        name: str | Answer,
        predictions: Any,
        calibration: Any = None,
        state: ExplorerState | None = None,
        **choices: Any,
    ) -> None:
        if isinstance(name, Answer):
            if name.name in ANSWERS:
                raise ValueError(f"name {name.name!r} is that of a built-in panel: choose another one for your own")
            self._answer = name
            self._named_first = {"panel": f"# panel is the one named {name.name!r} that was passed to cv.Panel"}
        else:
            self._answer = ANSWERS[choice(name, "name", tuple(ANSWERS))]
            self._named_first = {repr(name): ""}
        super().__init__(predictions, calibration, state=state, **choices)

    def _offered(self, situation: Situation) -> Mapping[str, Answer]:
        return {self._answer.name: self._answer}

    def _build(self) -> Sequence[ipywidgets.Widget]:
        panel = self._panel(self._answer, ()).widget
        return [self._notice, ipywidgets.Box([panel], _dom_classes=grid_classes([layout_of(self._answer)]))]

    def _visible(self, situation: Situation) -> tuple[str, ...]:
        return (self._answer.name,)

    def _draw(self, situation: Situation, contents: Mapping[str, Content]) -> None:
        for name, content in contents.items():
            self._panels[name].draw(situation, content)


Panel.__doc__ = str(Panel.__doc__).replace("{names}", ", ".join(f'"{name}"' for name in ANSWERS))
