"""A box that keeps a view on screen until the next one is drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets
import traitlets

from ...transport.scripted import Scripted, read_script
from ..elements import page_style
from .live import Live, close_all


class Curtain(Scripted):
    """Tells when the view that is coming is drawn; meanwhile nobody can use the one before.

    The browser's half is ``swapped.js``.
    """

    _esm = read_script(__file__)
    _css = page_style(__file__)

    turn = traitlets.Int(0, help="Counts the views that are coming").tag(sync=True)


class SwappedView(ipywidgets.VBox):
    """Shows one view at a time; an Explorer stays until the one that follows it is drawn."""

    def __init__(self) -> None:
        # Two places, since a box makes the views anew of all children behind one that changes.
        self._places = [ipywidgets.VBox(), ipywidgets.VBox()]
        self._curtain = Curtain()
        self._told: list[Callable[[ipywidgets.Widget], None]] = []
        self._was_drawn = False  # whether a page has told so of the view on screen, which may not listen yet
        super().__init__([*self._places, self._curtain], _dom_classes=("calibviz-swapped",))
        self._curtain.on_msg(self._answer)

    @property
    def view(self) -> ipywidgets.Widget:
        """The view that is shown last: on screen, or still coming."""
        here, there = self._places
        return (there.children or here.children)[0]

    def on_view(self, callback: Callable[[ipywidgets.Widget], None]) -> None:
        """Call `callback` with the view that is shown now, and with each that follows."""
        self._told.append(callback)
        callback(self.view)

    def show(self, view: ipywidgets.Widget) -> None:
        """Show a view, and close the one before once it has gone."""
        here, there = self._places
        close_all(there.children)  # which was coming, and is not wanted any more
        is_seen = any(isinstance(before, Live) and before._transport.is_listening for before in here.children)
        waits = isinstance(view, Live) and (self._was_drawn or is_seen)  # a page tells when the next view is drawn
        if waits:
            there.add_class("is-coming")  # first, or it would be seen for a moment
        there.children = (view,)
        for tell in self._told:
            tell(view)
        if waits:
            self._curtain.turn += 1
        else:
            self._was_drawn = False
            self._swap()

    def _answer(self, _curtain: Curtain, content: Any, _buffers: list[memoryview]) -> None:
        if content == {"drawn": self._curtain.turn}:
            self._was_drawn = True
            self._swap()

    def _swap(self) -> None:
        """Let the view that is coming take the place of the one before."""
        here, there = self._places
        if there.children:
            self._places = [there, here]
            there.remove_class("is-coming")
            before, here.children = here.children, ()
            close_all(before)
