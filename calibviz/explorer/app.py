"""The Explorer: state, controls and panels put together."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from html import escape
from io import BytesIO
from operator import is_
from typing import Any
from urllib.parse import quote, urlencode

import ipywidgets

from ..answers.acting.likert import promises
from ..answers.asked.choices import NAMES
from ..answers.exports.caption import data_name
from ..answers.exports.numbers_code import code_of_kept
from ..answers.exports.recorded import FEW
from ..answers.first_screen.calibrators import BrierMoved, brier_moved
from ..answers.first_screen.enough_samples import ENOUGH, enough_samples
from ..answers.first_screen.headline_numbers import evidence, headline
from ..answers.first_screen.verdict import verdict_after
from ..answers.first_screen.verdict_sentences import Verdict
from ..answers.registry import ANSWERS, QUESTIONS, why_nothing
from ..answers.situation.content import Answer, Content, Header, ShortAnswer
from ..answers.situation.job import Job, Steps
from ..answers.situation.situation import Situation
from ..answers.subject import SubjectPart, subject, title
from ..data.likely_clusters import Caution
from ..figures.tables import Table
from ..foundation.marked import runs, strong
from ..uncertainty.noise_floors import Beside
from .linked import Linked
from .state.arrangement import (
    FIRST_PANELS,
    WORKBENCH,
    answers,
    asked,
    helping_calibrators,
    is_side_by_side,
    on_screen,
    with_panel,
)
from .transport.shared_widgets import HTML, Box, Layout, ToggleButton, VBox, boxed, push_button
from .transport.transport import assign
from .view.controls.controls import Controls
from .view.grid import grid_classes
from .view.header.actions import Actions
from .view.header.evidence import evidence as evidence_line, evidence_after, evidence_of
from .view.header.kept_states import KeptStates
from .view.header.projector import Projector
from .view.header.subject_line import SubjectLine
from .view.page.download import Download, csv_of
from .view.panels.table import TableView
from .view.panels.views import layout_of
from .view.sentence import Sentence, as_html, in_tags

LONGEST_FILE_NAME = 80  # characters
PAGE = "recorded page"  # the job that makes it
NO_ANSWER = ShortAnswer()
FAINT = ("is-faint",)  # the class of a button of a view that says nothing of these data
PICTURES = {"PNG": "image/png", "SVG": "image/svg+xml", "PDF": "application/pdf"}  # files of pictures, and their kinds
OF_ADDRESS = (
    "It opens this view in this browser, as long as this server runs. Elsewhere “calibviz demo --link” does, with this "
    "address behind it in quotation marks."
)
OF_COMMAND = "Type it where the file is, on any machine: it opens the file with these choices. It holds no data."
#: The views that stand in the row below the questions; the others are under "More".
VIEWS = ("instances", "likert", "cumulative", "comparison", "sensitivity")
EXPORTS = {
    "PNG": "Save the pictures on screen as PNG",
    "SVG": "Save the pictures on screen as SVG, whose texts stay texts",
    "PDF": "Save the pictures on screen as PDF",
    "page": "Save a page to mail, which moves without Python; you can go on while it is recorded",
    "CSV": "Save the table of numbers (the cube) as CSV",
    "code": "Show the Python that makes these numbers and opens this view again",
    "link": "Copy what brings these choices back: a command where this page shows a file, an address where it shows "
    "embedded data, else a line of Python",
}


class Explorer(Linked):
    """Linked widgets: all panels, controls for all choices, the headline numbers and a reading of them in words.

    Parameters
    ----------
    predictions : Predictions, dict of model name to Predictions, xarray.Dataset, or probabilities (n, K) or (n,)
        As in `evaluate`. A dimension "trial" of a Dataset is shown as mean and spread. A `Summary`, or a dict of
        summaries, is shown as predictions of two classes: "yes" is the outcome that its lens looks at.
    labels : array-like, shape (n,) or (n, K), optional
        Those of probabilities, as the second argument or by keyword; `Predictions` hold theirs.
    calibration : the same, optional
        What calibrators are fitted to. Without it, each sample is recalibrated by a fit to the others, in five folds.
    state : ExplorerState, optional
        The state of another Explorer or panel of the same models, to link the two.
    **choices
        The first choices, such as lens="rank 2", bins=20; see `help(explorer.state)`.

    Attributes
    ----------
    state : ExplorerState
        Set its attributes to steer the Explorer from code.
    selected : list of int
        The indices of the samples of the chosen bin.
    sentences : dict of str to str
        The texts of the answers on screen, by their names; "verdict" is always there.

    Raises
    ------
    TypeError, ValueError
        If these are not predictions, or nothing can be shown of them.
    traitlets.TraitError
        If a choice is not allowed.

    See Also
    --------
    Panel : One panel by itself.
    report : A page of the same findings that needs no Python.
    """

    _query: str | None = None  # the beginning of the page's query, where this is a page of its own
    _elsewhere = ""  # the command that opens the file of that page on another machine
    _wanted_page: tuple[str, Callable[[], Job]] | None = None  # the name of its file, and what asks for it
    _page: Job | None = None

    def _build(self) -> Sequence[ipywidgets.Widget]:
        transport = self._transport
        row, column = partial(boxed, Box, transport), partial(boxed, VBox, transport)
        self._filled: dict[str, tuple[Any, ...]] = {}
        self._subject = SubjectLine(self._choose, transport=transport)
        self._words = HTML(transport=transport, _dom_classes=("calibviz-words",))
        self._evidence = HTML(transport=transport, _dom_classes=("calibviz-evidence",))
        self._actions = Actions(
            lambda action: self._step(getattr(self.state, action)),
            lambda place: self._step(self.state._go, place),
            lambda name: self._step(self.state.keep, name),
            transport=transport,
        )
        self._kept = KeptStates(
            transport,
            lambda name: self._step(self.state.recall, name),
            lambda: self._choose(**dict(dict(self.state.kept)["A"]) | {"overlays": self._kept.overlays}),
            lambda: self._step(lambda: self._hand_over(code_of_kept(self._seen(), self._public_name))),
            lambda: self._choose(kept=()),
        )
        self._controls = Controls(self.state, self.situation, transport, self._choose, self._say, self._advise)
        self._title = push_button(transport, "", "", self._name, "calibviz-title")
        self._count = HTML(transport=transport, _dom_classes=("calibviz-count",))
        self._projector = Projector(transport, self._open, lambda: self._choose(projector=False))
        self._advanced = self._drawer_button()
        self._refusal.add_class("is-below-title")
        looked_at = row("calibviz-looked-at", self._title, self._count, self._subject)
        pressed = (self._projector.widget, self._actions, self._share(), self._advanced)
        top = row("calibviz-header-row", looked_at, *pressed)
        self._how, self._together = self._how_button(), self._together_button()
        signs = (self._evidence, self._together, self._how, self._signs)
        below = row("calibviz-header-row calibviz-evidence-row", *signs)
        header = column("calibviz-header", top, self._words, self._notice, below)
        self._advice = Sentence(transport=transport, _dom_classes=("calibviz-advice",))
        self._numbers = TableView(transport=transport, layout=Layout(transport=transport))
        self._measured = Sentence(transport=transport, _dom_classes=("calibviz-answer",))
        asked = HTML("<h3>How is this measured?</h3>")
        numbers = column("calibviz-panel calibviz-numbers", asked, self._measured, self._numbers)
        self._toggles = {name: self._panel_button(answer) for name, answer in self._offered(self.situation).items()}
        self._answers = {name: Sentence(transport=transport, _dom_classes=("calibviz-answer",)) for name in QUESTIONS}
        cards = [column("calibviz-question", self._toggles[name], self._answers[name]) for name in QUESTIONS]
        about = "Close the answer, and show all three questions again"
        back = push_button(transport, "✕ close", about, lambda: self._choose(panels=FIRST_PANELS), "calibviz-back")
        questions = row("calibviz-questions", *cards, back)
        self._side_by_side, self._projecting = self._workbench_button(), self._project_button()
        others = (toggle for name, toggle in self._toggles.items() if name not in (*QUESTIONS, *VIEWS))
        self._more = row("calibviz-chooser calibviz-more", self._side_by_side, self._projecting, *others)
        more = self._toggle_button("More", "More views", lambda is_open: self._mark("calibviz-more-open", is_open))
        views = (self._toggles[name] for name in VIEWS if name in self._toggles)
        self._chooser = row("calibviz-chooser", HTML("Look at"), *views, more)
        self._download = Download(transport=transport)
        self._download.on_copied(self._say_copied)
        self._handed_over = self._about = ""
        self._offered_cluster = ""
        self._text = Sentence(transport=transport, _dom_classes=("calibviz-code",))
        bar = column("calibviz-bar", self._chooser, self._more)
        self._grid = VBox(transport=transport)
        self._promises = TableView(transport=transport, layout=Layout(transport=transport))
        self._promises.add_class("calibviz-promises")
        parts = [
            header, self._controls.widget, self._advice, self._kept.widget, questions, bar, self._text, self._promises,
        ]  # fmt: skip  # short entries stand in rows
        start = tuple(name for name, holds in _modes(self.state.panels, self.state.projector).items() if holds)
        self._desk = Box(
            [*parts, self._grid, numbers, self._download], transport=transport, _dom_classes=("calibviz-desk", *start)
        )
        return [self._desk]

    def _share(self) -> ipywidgets.Box:
        """The button that opens the list of what can be taken away, and that list."""
        leave = boxed(Box, self._transport, "calibviz-leave", *map(self._leave_button, EXPORTS))
        about = "Take the picture, the numbers, the code or a link away"
        self._sharing = self._toggle_button(
            "Share", about, lambda is_open: self._mark("calibviz-sharing", is_open), "calibviz-icon", icon="share-alt"
        )
        return boxed(Box, self._transport, "calibviz-share", self._sharing, leave)

    def _how_button(self) -> ipywidgets.ToggleButton:
        """The button that shows the other measures, over the picture."""

        def toggled(is_open: bool) -> None:
            self._mark("calibviz-how-open", is_open)
            self._refresh()  # only while it is open, its numbers are computed

        about = "Show the errors, each beside its noise, how they are measured, and how many samples it takes"
        return self._toggle_button("How is this measured?", about, toggled, "calibviz-how")

    def _together_button(self) -> ipywidgets.Button:
        """The button that takes samples together that share a value of a field, where nobody said whether to."""
        about = "Count them as not independent, in all noise and intervals; Undo and Advanced take it back"
        return push_button(
            self._transport, "", about, lambda: self._choose(cluster=self._offered_cluster), "calibviz-together",
            comes_and_goes=True,
        )  # fmt: skip  # short entries stand in rows

    def _mark(self, name: str, holds: bool) -> None:
        """Let the style sheet know what is open."""
        (self._desk.add_class if holds else self._desk.remove_class)(name)

    def _drawer_button(self) -> ipywidgets.ToggleButton:
        """The button that opens and closes the drawer of all controls."""

        def toggled(is_open: bool) -> None:
            (self._controls.open if is_open else self._controls.close)()
            self._mark("calibviz-open", is_open)

        about = "Show or hide all settings: the lens, which samples, bins, distances, calibrators, drawing"
        return self._toggle_button("Advanced", about, toggled, "calibviz-advanced", "calibviz-icon", icon="sliders")

    def _workbench_button(self) -> ipywidgets.ToggleButton:
        """The button that shows the usual panels side by side, or the reliability diagram alone."""

        def toggled(has_several: bool) -> None:
            if has_several != is_side_by_side(self.state.panels):
                self._choose(panels=WORKBENCH if has_several else FIRST_PANELS)

        about = "Show several panels together; off, one answer at a time stands beside the reliability diagram"
        return self._toggle_button("side by side", about, toggled, holds=lambda: is_side_by_side(self.state.panels))

    def _project_button(self) -> ipywidgets.ToggleButton:
        """The button that shows one panel alone, in large type."""
        about = "Show one panel alone, in large type, for a lecture hall (P); Escape leads back"
        return self._toggle_button(
            "projector", about, lambda is_on: self._choose(projector=is_on), "calibviz-project",
            holds=lambda: self.state.projector,
        )  # fmt: skip  # short entries stand in rows

    def _open(self, name: str) -> None:
        self._choose(panels=with_panel(self.state.spec, name))

    def _panel_button(self, answer: Answer) -> ipywidgets.ToggleButton:
        """The button that opens and closes a panel."""
        name = answer.name

        def toggled(is_open: bool) -> None:
            panels = self.state.panels
            if is_open and name not in panels:
                assign(self._advanced, value=False)  # the settings lie over answers
                self._open(name)
            elif not is_open and name in panels:
                self._choose(panels=tuple(other for other in panels if other != name))

        about = answer.about or answer.title
        return self._toggle_button(answer.button, about, toggled, holds=lambda: name in self.state.panels)

    def _toggle_button(
        self,
        text: str,
        about: str,
        toggled: Callable[[bool], None],
        *dom_classes: str,
        icon: str = "",
        holds: Callable[[], bool] | None = None,
    ) -> ipywidgets.ToggleButton:
        """A button that stays down; `toggled` hears whether it is, and `holds` says whether it stays so."""
        button = ToggleButton(
            description=text,
            icon=icon,
            tooltip=about,
            layout=self._transport.common(Layout, width="auto"),
            transport=self._transport,
            _dom_classes=dom_classes,
        )

        def changed(change: Any) -> None:
            toggled(change.new)
            if holds is not None:
                assign(button, value=holds())  # as before, where the choice was refused

        button.observe(changed, "value")
        return button

    def _leave_button(self, name: str) -> ipywidgets.Button:
        def press() -> None:
            assign(self._sharing, value=False)
            self._step(self._leave, name)

        return push_button(self._transport, name, EXPORTS[name], press)

    def _leave(self, name: str) -> None:
        if name in PICTURES:
            file = BytesIO()
            self._write(file, name.lower())
            self._download.offer(f"{self._file_name()}.{name.lower()}", file.getvalue(), PICTURES[name])
        elif name == "page":
            self._record()
        elif name == "CSV":
            self._seen()
            self._complete(aside=False)
            self._download.offer(f"{self._file_name()}.csv", csv_of(self.cube(), self._caption()), "text/csv")
        elif name == "code":
            self._hand_over(self.code())
        elif self._query is None:
            link = self.state.to_link()
            self._hand_over(f"explorer.state.from_link({link!r})  # explorer is what you call this view")
        elif self._elsewhere:
            self._hand_over(self._command(), OF_COMMAND)
        else:
            self._hand_over(self._link(), OF_ADDRESS, is_query=True)

    def _record(self) -> None:
        """Begin a page of what is on screen now, beside the view; the browser saves it once it is there."""
        name, situation = f"{self._file_name()}.html", self._seen()

        def steps() -> Steps:
            page = yield from self._recording(situation, FEW, progress=False)
            yield 1.0, page.encode()

        self._jobs.forget(PAGE)
        self._wanted_page = name, partial(self._jobs.get, PAGE, PAGE, steps, is_aside=True)
        self._refresh()

    def _offer_page(self) -> None:
        """Go on with the page that was asked for, whatever is on screen by now; offer it once it is there."""
        if self._wanted_page is None:
            return
        name, ask = self._wanted_page
        self._page = page = ask()
        if page.done:
            self._jobs.forget(PAGE)
            self._wanted_page = self._page = None
            if page.failed:
                self._note(page.failed)
            elif not page.cancelled:
                self._download.offer(name, page.value, "text/html")

    def _current(self) -> Job | None:
        return super()._current() if self._page is None else self._page

    def _file_name(self) -> str:
        """The name of a file to save, without its ending: what is plain in the name of the data."""
        words = re.findall(r"[^\W_]+", data_name(self.situation).lower())
        return "-".join(["calibviz", *words])[:LONGEST_FILE_NAME].rstrip("-")

    def _hand_over(self, text: str, about: str = "", is_query: bool = False) -> None:
        """Put a text, or the whole address of a query, on the clipboard; show it, or hide what is shown already."""
        self._download.copy(text, is_query)
        is_shown = self._text.value and text == self._handed_over
        self._handed_over, self._about = text, about
        assign(self._text, value="" if is_shown else f"<pre>{escape(text)}</pre>")

    def _say_copied(self, copied: bool, text: str) -> None:
        said = "Copied to the clipboard." if copied else "Select the text and copy it: this browser forbids to copy it."
        said = " ".join(filter(None, (said, self._about)))
        if self._text.value:
            assign(self._text, value=f"<pre>{escape(text)}</pre><small>{escape(said)}</small>")

    def _link(self) -> str:
        """The query of the address that brings the choices back."""
        return f"?{'&'.join(filter(None, (self._query, self.state.to_link().removeprefix('?'))))}"

    def _command(self) -> str:
        """The command that opens the file of the page with these choices, wherever the file is."""
        link = self.state.to_link()
        return f'{self._elsewhere} --link "{link}"' if link else self._elsewhere

    def _own_page(self, elsewhere: str = "", **query: str) -> None:
        """Let the address of the page follow the choices; it begins with `query`, such as data="heart".

        `elsewhere` is the command that opens the same file on another machine, which the address does not hold.
        """
        self._elsewhere = elsewhere
        self._query = urlencode(query, quote_via=quote, errors="replace")
        self._show_address()

    def _show_address(self) -> None:
        if self._query is not None:
            with suppress(ValueError):  # of a link that would be too long; the button says so
                assign(self._download, address=self._link())

    def _advise(self, text: str) -> None:
        assign(self._advice, value=as_html(text))

    def _draw(self, situation: Situation, contents: Mapping[str, Content]) -> None:
        said = verdict_after(situation)
        parts = subject(situation, helping_calibrators(situation))
        answers, offered = self._short_answers(situation), self._offered(situation)
        seen = evidence(situation)
        arranged = situation.spec.panels, situation.spec.projector
        of_answer = next((offered[name].header(situation) for name in asked(*arranged)), None)
        for name, content in contents.items():
            controls = layout_of(offered[name]).controls
            self._panel(offered[name], [self._controls[control] for control in controls]).draw(situation, content)
        self._fill("panels", partial(self._show_panels, offered), *arranged, situation.spec.own)
        self._fill("subject", partial(self._show_subject, situation), parts)
        self._fill("promises", self._show_promises, promises(situation))
        self._fill("title", self._show_title, title(situation))
        if self._how.value:
            self._fill("numbers", self._numbers.show, headline(situation))
        self._kept.show(situation)
        self._fill("words", self._show_words, said, of_answer)
        self._fill("measured", self._show_measured, said, enough_samples(situation) if self._how.value else "")
        self._fill("evidence", self._show_evidence, seen, brier_moved(situation), of_answer)
        self._fill("answers", self._show_answers, *answers.values())
        self._offer_page()

    def _want_again(self) -> None:
        super()._want_again()
        self._offer_page()

    def _show_subject(self, situation: Situation, parts: tuple[SubjectPart, ...]) -> None:
        self._subject.show(parts)
        self._controls.show_value("calibrator", situation)  # its menu has the same order

    def _fill(self, place: str, show: Callable[..., None], *values: Any) -> None:
        """Show values in their place, unless these very ones stand there already."""
        shown = self._filled.get(place, ())
        if len(shown) != len(values) or not all(map(is_, shown, values)):
            show(*values)
            self._filled[place] = values

    def _show_words(self, verdict: Verdict, of_answer: Header | None) -> None:
        """Show the verdict; the lines of an open question stand in the place of its first ones."""
        said = () if of_answer is None else tuple(map(runs, of_answer.lines))
        lines = said + verdict.marked[len(said) :]
        assign(self._words, value="<br>".join(map(in_tags, lines)))

    def _show_measured(self, verdict: Verdict, enough: str) -> None:
        lines = [verdict.sentence, *([f"{strong(ENOUGH)} {enough}"] if enough else [])]
        assign(self._measured, value=as_html("\n".join(lines)))

    def _show_promises(self, table: Table | None) -> None:
        assign(self._promises.layout, display="none" if table is None else None)
        if table is not None:
            self._promises.show(table)

    def _show_title(self, named: tuple[str, str]) -> None:
        name, count = named
        shown = name or "Name these data"
        about = f"{shown}: change this name, and what sentences call samples and events"  # whole where it is cut
        assign(self._title, description=shown, tooltip=about)
        assign(self._count, value=as_html(count))

    def _name(self) -> None:
        """Open the settings where the data and their samples are named."""
        assign(self._advanced, value=True)
        self._controls.find(NAMES)

    def _show_evidence(
        self,
        seen: tuple[str, float, Beside, float | None, Caution | None],
        moved: BrierMoved | None,
        of_answer: Header | None,
    ) -> None:
        self._offered_cluster = field = "" if seen[-1] is None else seen[-1].field
        if field:
            assign(self._together, description=f"Take each {field} together")
        assign(self._together.layout, display=None if field else "none")
        if of_answer is not None:
            line = evidence_of(of_answer)
        else:
            line = evidence_line(*seen) if moved is None else evidence_after(moved)
        assign(self._evidence, value=line)

    def _show_answers(self, *answers: ShortAnswer) -> None:
        for name, answer in zip(QUESTIONS, answers, strict=True):
            text, about = as_html(answer.marked), ""
            if answer.place is not None:
                known = {name: value for name, value in vars(answer.place).items() if value is not None}
                about = f' data-point="{escape(json.dumps(known))}"'
            assign(self._answers[name], value=f"<p{about}>{text}</p>{answer.picture}" if answer.picture else text)

    def _short_answers(self, situation: Situation) -> dict[str, ShortAnswer]:
        """Return the texts of the cards of the questions: answers, as long as these are on screen."""
        if answers(situation.spec.panels) or situation.spec.projector:
            return dict.fromkeys(QUESTIONS, NO_ANSWER)
        makers = {name: ANSWERS[name].short for name in QUESTIONS}
        return {name: make(situation) for name, make in makers.items() if make is not None}

    def _show_panels(
        self, offered: Mapping[str, Answer], panels: tuple[str, ...], projector: bool, _own: tuple[Any, ...]
    ) -> None:
        """Show panels, and let the questions stand beside the first picture, or above the panels that answer them."""
        visible = on_screen(panels, projector)
        shown = tuple(self._panels[name].widget for name in visible)
        assign(self._grid, children=shown, _dom_classes=grid_classes([layout_of(offered[name]) for name in visible]))
        for name, holds in _modes(panels, projector).items():
            self._mark(name, holds)
        (self.add_class if projector else self.remove_class)("calibviz-projecting")

    def _show_choices(self, situation: Situation) -> None:
        self._controls.follow(situation)
        self._actions.show(self.state._history)
        self._show_address()
        self._offer_own(situation)
        show = partial(self._show_toggles, self._offered(situation))
        self._fill("toggles", show, situation.spec.panels, situation.spec.projector, why_nothing(situation))

    def _show_toggles(
        self, offered: Mapping[str, Answer], panels: tuple[str, ...], projector: bool, why: Mapping[str, str]
    ) -> None:
        visible = on_screen(panels, projector)
        assign(self._side_by_side, value=is_side_by_side(panels))
        assign(self._projecting, value=projector)
        telling = {name: answer.button for name, answer in offered.items() if name in visible or not why[name]}
        self._projector.show(telling, "".join(visible) if projector else "", projector)
        for name, button in self._toggles.items():
            assign(button, value=name in panels, **_worth(offered[name], why[name]))

    def _offer_own(self, situation: Situation) -> None:
        """Add the buttons of answers of the user's own that the choices have come to know."""
        new = [answer for name, answer in self._offered(situation).items() if name not in self._toggles]
        for answer in new:
            self._toggles[answer.name] = self._panel_button(answer)
        if new:
            self._more.children = [*self._more.children, *(self._toggles[answer.name] for answer in new)]


def _modes(panels: tuple[str, ...], projector: bool) -> dict[str, bool]:
    """The classes of the desk: the picture beside the questions, or beside one answer; neither of others, or of one."""
    return {
        "calibviz-start": not answers(panels) and not projector,
        "calibviz-asked": bool(asked(panels, projector)),
    }


def _worth(answer: Answer, why: str) -> dict[str, Any]:
    """How the button of an answer looks: faint where that says nothing of these data, and why in its tooltip."""
    if answer.question:
        return {}
    about = answer.about or answer.title
    return {"tooltip": f"{about}. Here it says nothing: {why}" if why else about, "_dom_classes": FAINT if why else ()}
