"""The controls of a projector: which panel fills the page, the one before it, the next, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import ipywidgets

from ...transport.shared_widgets import Box, Dropdown, Layout, boxed, push_button
from ...transport.transport import Following, Transport, assign


class Projector(Following):
    """A row of controls, which is there while one panel stands alone, in large type.

    `show_panel` shows the panel of a name, and `leave` the page as it was.
    """

    def __init__(self, transport: Transport, show_panel: Callable[[str], None], leave: Callable[[], None]) -> None:
        self._show_panel, self._shown = show_panel, ""
        self._menu = Dropdown(description="panel", layout=transport.common(Layout, width="auto"), transport=transport)
        self._menu.observe(self._chosen, "value")
        self.widget = boxed(
            Box,
            transport,
            "calibviz-projector",
            push_button(transport, "‹", "The panel before (Page Up)", lambda: self._turn(-1), "calibviz-previous"),
            self._menu,
            push_button(transport, "›", "The next panel (Page Down)", lambda: self._turn(1), "calibviz-next"),
            push_button(transport, "✕ leave", "Leave the projector (Escape)", leave, "calibviz-leave-projector"),
            layout=Layout(display="none", transport=transport),
        )

    def show(self, names: Mapping[str, str], shown: str, is_on: bool) -> None:
        """Offer the panels of these names, each with its word on screen; `shown` is the one that stands alone."""
        assign(self.widget.layout, display=None if is_on else "none")
        self._shown, options = shown, tuple((word, name) for name, word in names.items())
        with self._follows():
            if self._menu.options != options:
                assign(self._menu, options=options)
            assign(self._menu, value=shown or None)

    def _turn(self, by: int) -> None:
        """Show the panel so many places behind the one that is shown; the first one follows the last."""
        names = [name for _, name in self._menu.options]
        self._show_panel(names[(names.index(self._shown) + by) % len(names)] if self._shown else names[0])

    def _chosen(self, change: ipywidgets.Widget) -> None:
        if not self._following and change.new is not None:
            self._show_panel(change.new)
