"""The Explorer: state, controls and panels put together; and every panel by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from io import BytesIO
from typing import Any
from urllib.parse import quote

import ipywidgets

from .linked import Linked
from .model.contents.content import Content
from .model.contents.headline import headline, words
from .model.situation import Situation
from .model.subject import subject
from .state.glossary import PANELS as ABOUT
from .state.spec import PANELS
from .transport.shared_widgets import HTML, Button, Layout, ToggleButton, VBox
from .transport.transport import assign
from .view.controls import Controls
from .view.download import Download, csv_of
from .view.panels import KINDS, QUESTIONS
from .view.subject_line import SubjectLine
from .view.table import TableView

EXPORTS = {
    "PNG": "Save the pictures on screen as PNG",
    "SVG": "Save the pictures on screen as SVG",
    "CSV": "Save the table of numbers (the cube) as CSV",
    "code": "Show the Python that makes these numbers",
    "link": "Copy the choices, as the end of a link to the demo",
}


class Explorer(Linked):
    """Linked widgets: all panels, controls for all choices, the headline numbers and a reading of them in words.

    Parameters
    ----------
    predictions : Predictions, dict of model name to Predictions, or xarray.Dataset
        As in `evaluate`. A dimension "trial" of a Dataset is shown as mean and spread. A `Summary`, or a dict of
        summaries, is shown as predictions of two classes: "yes" is the outcome that its lens looks at.
    calibration : the same, optional
        What calibrators are fitted to. Without it, a random share of the samples is set aside for that, and
        everything shown is measured on the rest.
    state : ExplorerState, optional
        The state of another Explorer or panel of the same models, to link the two.
    **choices
        The first choices, such as lens="rank 2", bins=20; see `ExplorerState`.

    Attributes
    ----------
    state : ExplorerState
        Set its attributes to steer the Explorer from code.
    selected : list of int
        The indices of the samples of the chosen bin.

    Raises
    ------
    TypeError, ValueError
        If these are not predictions, or nothing can be shown of them.
    traitlets.TraitError
        If a choice is not allowed.

    See Also
    --------
    ExplorerState : All choices.
    report : A page of the same findings that needs no Python.
    """

    data: str | None = None  # the name of the predictions in the demonstration

    def _build(self) -> Sequence[ipywidgets.Widget]:
        transport = self._transport
        self._subject = SubjectLine(transport=transport)
        self._subject.on_choose(lambda choices: self._choose(**choices))
        self._words = HTML(transport=transport).add_class("calibviz-words")
        header = ipywidgets.VBox([self._subject, self._words]).add_class("calibviz-header")
        self._advice = HTML(transport=transport).add_class("calibviz-advice")
        self._controls = Controls(self.state, self.look, transport, self._choose, self._say, self._advise)
        self._numbers = TableView(transport=transport, layout=Layout(transport=transport))
        numbers = ipywidgets.VBox([self._numbers]).add_class("calibviz-panel").add_class("calibviz-numbers")
        self._toggles = {name: self._toggle(name) for name in PANELS}
        questions = ipywidgets.Box([self._toggles[name] for name in QUESTIONS]).add_class("calibviz-questions")
        others = [toggle for name, toggle in self._toggles.items() if name not in QUESTIONS]
        chooser = ipywidgets.Box(others).add_class("calibviz-chooser")
        self._download = Download()
        self._download.on_copied(self._say_copied)
        self._text = HTML(transport=transport).add_class("calibviz-code")
        leave = ipywidgets.Box([self._leave_button(name) for name in EXPORTS]).add_class("calibviz-leave")
        bar = ipywidgets.Box([chooser, leave]).add_class("calibviz-bar")
        self._grid = VBox(transport=transport).add_class("calibviz-panels")
        right = [header, self._advice, questions, numbers, bar, self._text, self._grid, self._download]
        children = [self._controls.widget, ipywidgets.VBox(right).add_class("calibviz-right")]
        return [ipywidgets.Box(children).add_class("calibviz-body")]

    def _toggle(self, name: str) -> ToggleButton:
        button = ToggleButton(
            description=KINDS[name].button,
            tooltip=ABOUT[name],
            layout=Layout(width="auto", transport=self._transport),
            transport=self._transport,
        )

        def toggled(change: Any) -> None:
            if change.new == (name in self.state.panels):
                return
            others = tuple(other for other in self.state.panels if other != name)
            if not change.new:
                self._choose(panels=others)
            elif name in QUESTIONS:  # whoever asks sees the answer at once
                self._choose(panels=(name, *others))
            else:
                later = [other for other in PANELS[PANELS.index(name) :] if other not in QUESTIONS]
                place = next((i for i, other in enumerate(others) if other in later), len(others))
                self._choose(panels=(*others[:place], name, *others[place:]))

        button.observe(toggled, "value")
        return button

    def _leave_button(self, name: str) -> Button:
        button = Button(
            description=name,
            tooltip=EXPORTS[name],
            layout=Layout(width="auto", transport=self._transport),
            transport=self._transport,
        )
        button.on_click(lambda _: self._say(self._tried(self._leave, name) or self._refused))
        return button

    def _leave(self, name: str) -> None:
        if name in ("PNG", "SVG"):
            file = BytesIO()
            self.figure().savefig(file, format=name.lower(), dpi=200)
            self._download.offer(
                f"calibviz.{name.lower()}", file.getvalue(), {"PNG": "image/png"}.get(name, "image/svg+xml")
            )
        elif name == "CSV":
            self._download.offer("calibviz.csv", csv_of(self.cube()), "text/csv")
        else:
            text = self.code() if name == "code" else self._link()
            self._download.copy(text)
            shown = f"<pre>{escape(text)}</pre>"
            assign(self._text, value="" if self._text.value.startswith(shown) else shown)

    def _say_copied(self, copied: bool) -> None:
        said = "Copied to the clipboard." if copied else "Select the text and copy it: this browser forbids to copy it."
        if self._text.value:
            assign(self._text, value=f"{self._text.value.partition('</pre>')[0]}</pre><small>{said}</small>")

    def _link(self) -> str:
        """The choices as the end of an address; in the demonstration with the name of the data."""
        link = self.state.to_link() or "?"
        return link if self.data is None else f"?data={quote(self.data)}" + link.replace("?", "&", 1)

    def _advise(self, text: str) -> None:
        assign(self._advice, value=escape(text))

    def _draw(self, look: Situation, contents: Mapping[str, Content]) -> None:
        head, said, parts = headline(look), words(look), subject(look)
        for name, content in contents.items():
            panel = self._panel(name, [self._controls[control] for control in KINDS[name].controls])
            panel.draw(look, content)
        shown = [self._panels[name].widget for name in look.spec.panels]
        if list(self._grid.children) != shown:
            self._grid.children = shown
        self._subject.show(parts)
        self._numbers.show(head)
        assign(self._words, value=escape(said))

    def _show_choices(self, look: Situation) -> None:
        self._controls.follow(look)
        for name, button in self._toggles.items():
            assign(button, value=name in look.spec.panels)


class _Alone(Linked):
    """One panel by itself; see `Explorer` for the parameters."""

    panel: str

    def _build(self) -> Sequence[ipywidgets.Widget]:
        return [ipywidgets.Box([self._panel(self.panel, ()).widget]).add_class("calibviz-panels")]

    def _visible(self, look: Situation) -> tuple[str, ...]:
        return (self.panel,)

    def _draw(self, look: Situation, contents: Mapping[str, Content]) -> None:
        self._panels[self.panel].draw(look, contents[self.panel])


def _alone(name: str) -> type[_Alone]:
    title = KINDS[name].title
    doc = (
        f"The panel “{title}” of the Explorer by itself: {ABOUT[name][0].lower()}{ABOUT[name][1:]}.\n\n"
        "    Parameters are those of `Explorer`. Pass the `state` of another panel to link the two.\n\n"
        "    See Also\n    --------\n    Explorer : All panels, with their controls.\n    "
    )
    return type(f"{name.capitalize()}Panel", (_Alone,), {"panel": name, "__doc__": doc, "__module__": __name__})


ReliabilityPanel = _alone("reliability")
CumulativePanel = _alone("cumulative")
RecalibrationPanel = _alone("recalibration")
SensitivityPanel = _alone("sensitivity")
ComparisonPanel = _alone("comparison")
LikertPanel = _alone("likert")
ConfidencePanel = _alone("confidence")
InstancesPanel = _alone("instances")
ClassesPanel = _alone("classes")
TemperaturePanel = _alone("temperature")
DecisionPanel = _alone("decision")
SegmentsPanel = _alone("segments")
