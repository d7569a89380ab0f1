"""Chooses which of many ranks a picture shows: a slider of two handles below it, and a button back to all."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ipywidgets

from ....answers.asked.choices import CHOICES
from ...transport.shared_widgets import Box, IntRangeSlider, Layout, boxed, push_button
from ...transport.transport import Following, Transport, assign

FEWEST = 20  # names that an axis shows one by one: so many need no closer look


class Zoom(Following):
    """A range of ranks from 1, below a picture of many.

    `choose` is called with the first and the last rank, or with nothing for all.
    """

    def __init__(self, transport: Transport, choose: Callable[[tuple[int, ...]], None]) -> None:
        self._transport, self._choose = transport, choose
        # One for each number of ranks: a slider whose ends change tells those of before, as if somebody had moved it.
        self._sliders: dict[int, ipywidgets.IntRangeSlider] = {}
        self._count = 0
        self._all = push_button(transport, "all", "Show all ranks again", lambda: choose(()))
        self.widget = boxed(Box, transport, "calibviz-zoom", self._all, layout=Layout(transport=transport))

    def _make_slider(self, count: int) -> ipywidgets.IntRangeSlider:
        slider = IntRangeSlider(
            min=1,
            max=count,
            value=(1, count),
            description=CHOICES["zoom"].word,
            tooltip=CHOICES["zoom"].meaning,
            layout=self._transport.common(Layout, width="auto"),
            transport=self._transport,
        )
        slider.observe(self._moved, "value")
        return slider

    def show(self, ranks: tuple[int, int], count: int) -> bool:
        """Show which ranks are in sight of so many; return whether there are enough to choose from."""
        is_needed = count > FEWEST or ranks != (1, count)
        if is_needed and count not in self._sliders:
            self._sliders[count] = self._make_slider(count)
        if is_needed:
            assign(self.widget, children=(self._sliders[count], self._all))
            with self._follows():
                assign(self._sliders[count], value=ranks)
        self._count = count
        assign(self._all, disabled=ranks == (1, count))
        assign(self.widget.layout, display=None if is_needed else "none")
        return is_needed

    def brush(self, low: float, high: float) -> None:
        """Choose the ranks whose dots lie in a range that was brushed in the picture."""
        first, last = max(1, math.ceil(low)), min(self._count, math.floor(high))
        if first <= last and high > low:
            self._choose_ranks((first, last))

    def _moved(self, change: Any) -> None:
        if not self._following:
            self._choose_ranks(change.new)

    def _choose_ranks(self, ranks: tuple[int, int]) -> None:
        self._choose(() if ranks == (1, self._count) else ranks)
