"""The two kept states: a table of both, and buttons that show one, lay B over A, or let both go."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import ipywidgets

from ....answers.asked.spec import KEPT_NAMES
from ....answers.kept import kept, overlays_of
from ....answers.situation.situation import Situation
from ....figures.tables import Table
from ...transport.shared_widgets import Layout, push_button
from ...transport.transport import Transport, assign
from ..panels.table import TableView
from ..sentence import Sentence, as_html


class KeptStates:
    """The states that are kept as A and as B, out of sight while none is.

    `recall` shows the one of a name, `lay_over` A with what of B can be drawn over it. `write_code` writes the Python
    of both, and `let_go` keeps neither any longer.
    """

    def __init__(
        self,
        transport: Transport,
        recall: Callable[[str], None],
        lay_over: Callable[[], None],
        write_code: Callable[[], None],
        let_go: Callable[[], None],
    ) -> None:
        self._looks: Mapping[str, Situation] = {}  # they hold what has been computed for them
        button = partial(push_button, transport, comes_and_goes=True)
        self._recalls = {
            name: button(f"show {name}", f"Show what is kept as {name}", partial(recall, name)) for name in KEPT_NAMES
        }
        about = "Show A, and draw the model or the calibrators of both in the reliability diagram"
        self._over = button("B over A", about, lay_over)
        code = push_button(transport, "code of both", "Show the Python that makes the numbers of A and B", write_code)
        drop = push_button(transport, "let go", "Keep neither A nor B any longer", let_go)
        self._table = TableView(transport=transport, layout=Layout(transport=transport))
        self._answer = Sentence(transport=transport, _dom_classes=("calibviz-answer",))
        self._note = Sentence(transport=transport, _dom_classes=("calibviz-note",))
        row = ipywidgets.Box([*self._recalls.values(), self._over, code, drop], _dom_classes=("calibviz-kept-buttons",))
        self.widget = ipywidgets.VBox(
            [self._answer, row, self._table, self._note],
            layout=Layout(display="none", transport=transport),
            _dom_classes=("calibviz-panel", "calibviz-kept"),
        )

    @property
    def overlays(self) -> tuple[str, ...]:
        """The models to draw over A to see B too."""
        return overlays_of(self._looks)

    def show(self, situation: Situation) -> None:
        """Show what is kept, as far as it is known by now."""
        if not (situation.spec.kept or self._looks):
            return
        situations = {name: Situation(situation.engine, spec) for name, spec in situation.spec.of_kept().items()}
        content = kept(situations)
        self._looks = situations
        for record in content.records:
            assert isinstance(record, Table)
            self._table.show(record)
        assign(self._answer, value=as_html(content.marked))
        assign(self._note, value=as_html(content.note))
        for name, button in self._recalls.items():
            assign(button.layout, display=None if name in situations else "none")
        assign(self._over.layout, display=None if overlays_of(situations) else "none")
        assign(self.widget.layout, display=None if situations else "none")
