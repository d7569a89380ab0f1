"""The two kept states: a table of both, and buttons that show one, lay B over A, or let both go."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import ipywidgets

from ...figures.tables import Table
from ..model.contents.kept import kept, overlays_of
from ..model.situation import Situation
from ..transport.shared_widgets import Button, Layout
from ..transport.transport import Transport, assign
from .sentence import Sentence, as_html
from .table import TableView

BUTTONS = {
    "show A": "Show what is kept as A",
    "show B": "Show what is kept as B",
    "B over A": "Show A, and draw the model or the calibrators of both in the reliability diagram",
    "code of both": "Show the Python that makes the numbers of A and B",
    "let go": "Keep neither A nor B any longer",
}


class KeptStates:
    """What is kept as A and as B, out of sight while nothing is kept.

    Parameters
    ----------
    transport : Transport
    press : callable
        Called with the name of a pressed button of `BUTTONS`.
    """

    def __init__(self, transport: Transport, press: Callable[[str], None]) -> None:
        self._transport = transport
        self._looks: Mapping[str, Situation] = {}  # they hold what has been computed for them
        self._buttons = {name: self._button(name, press) for name in BUTTONS}
        self._table = TableView(transport=transport, layout=Layout(transport=transport))
        self._note = Sentence(transport=transport, _dom_classes=("calibviz-note",))
        row = ipywidgets.Box(list(self._buttons.values()), _dom_classes=("calibviz-kept-buttons",))
        self.widget = ipywidgets.VBox(
            [self._table, row, self._note],
            layout=Layout(display="none", transport=transport),
            _dom_classes=("calibviz-panel", "calibviz-kept"),
        )

    def _button(self, name: str, press: Callable[[str], None]) -> Button:
        button = Button(
            description=name,
            tooltip=BUTTONS[name],
            layout=Layout(width="auto", transport=self._transport),
            transport=self._transport,
        )
        button.on_click(lambda _: press(name))
        return button

    @property
    def overlays(self) -> tuple[str, ...]:
        """What to draw over A to see B too."""
        return overlays_of(self._looks)

    def show(self, look: Situation) -> None:
        """Show what is kept, as far as it is known by now."""
        looks = {name: Situation(look.engine, spec) for name, spec in look.spec.of_kept().items()}
        content = kept(looks)
        self._looks = looks
        for record in content.records:
            assert isinstance(record, Table)
            self._table.show(record)
        assign(self._note, value=as_html(content.note))
        for name in ("A", "B"):
            assign(self._buttons[f"show {name}"].layout, display=None if name in looks else "none")
        assign(self._buttons["B over A"].layout, display=None if overlays_of(looks) else "none")
        assign(self.widget.layout, display=None if looks else "none")
