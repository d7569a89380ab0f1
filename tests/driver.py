"""Works a view as somebody who sits before it: finds things by what is written on them, sets them, reads them."""

from __future__ import annotations

import asyncio
import html
import re
import time
from types import SimpleNamespace
from unittest.mock import patch

import ipywidgets
import numpy as np
from ipywidgets.widgets.widget import _instances

import calibviz as cv
from calibviz.answers.registry import QUESTIONS, answers_of
from calibviz.answers.situation.job import Job
from calibviz.answers.situation.jobs import Jobs
from calibviz.explorer.transport.transport import Transport
from calibviz.explorer.view.header.actions import Actions
from calibviz.explorer.view.page.download import Download
from calibviz.explorer.view.panels.table import TableView
from calibviz.figures import few_samples
from calibviz.metrics.binned import binned_error

PATIENCE = 240.0  # seconds
PANEL = "calibviz-panel-"
#: The rows of the headline numbers.
MEASURES = ("ks", "sweep", "ece", "samples", "accuracy", "predicted", "observed")


def numbers_of(situation, side):
    """The headline numbers of each trial of a side, measured apart from the table that shows them."""
    return [
        SimpleNamespace(
            count=problem.samples,
            accuracy=situation.accuracy(predictions, problem),
            mean_score=problem.mean_score,
            mean_target=problem.mean_target,
            ece=situation.error(side, trial),
            ks=cv.ks_error(problem),
            sweep=binned_error(cv.Sweep()(problem), *situation.spec.error[:2]),
            sweep_bins=len(cv.Sweep()(problem)),
        )
        for trial, (predictions, problem) in enumerate(zip(side.predictions, side.problems, strict=True))
    ]


class ExplorerDriver:
    """The screen of an Explorer, of a panel by itself, or of the laboratory.

    A control bears the term on its label, or its plain word where there is no other term; a panel its name in
    `ExplorerState.panels`. What is not on screen cannot be set and cannot be read: that is a KeyError. The drawer of
    settings is opened by whoever reaches into it.
    """

    def __init__(self, view):
        self.view = view

    # What there is

    @property
    def controls(self):
        """The controls on screen, by their labels; a laboratory's slider may have its value after an equals sign."""
        self.open_drawer()
        labelled = [widget for widget in below(self.view) if getattr(widget, "description", "") and is_control(widget)]
        return {label_of(widget): widget for widget in labelled}

    @property
    def buttons(self):
        """The buttons on screen, by what is written on them; of several, the last."""
        return {widget.description: widget for widget in below(self.view) if isinstance(widget, ipywidgets.Button)}

    @property
    def chips(self):
        """What the buttons that take a condition away are called."""
        self.open_drawer()
        return [button.description for button in below(self._classed("calibviz-chips"))[1:]]

    @property
    def chips_made(self):
        """How many of these buttons there are, those that are out of sight for now included."""
        self.open_drawer()
        return len(self._classed("calibviz-chips").children)

    @property
    def panels(self):
        """The names of the panels on screen, from top to bottom."""
        return tuple(name.removeprefix(PANEL) for widget in below(self.view) for name in classes(widget, PANEL))

    # What a person does

    def open_drawer(self):
        """Show all settings, if there is a drawer and it is closed."""
        for switch in self._switches():
            if switch.description == "Advanced":
                switch.value = True

    def open_numbers(self):
        """Show the headline numbers, and wait for them unless something is worked on already."""
        switch = self._switch("How is this measured?")
        if not switch.value:
            is_idle = self.is_idle
            switch.value = True
            if is_idle:
                self.view.finish()

    def set(self, label, value):
        self.controls[label].value = value

    def press(self, label):
        self.buttons[label].click()

    def open(self, panel):
        self._toggle(panel).value = True

    def close(self, panel):
        self._toggle(panel).value = False

    def switch(self, label, value):
        """Press a button that stays pressed, or let it go."""
        self._switch(label).value = value

    def click(self, table, row, column=0):
        """Click a cell of a table, or a row that is one button."""
        table._handle_custom_msg({"click": [row, column]}, [])

    def act(self, table, row, which):
        """Press a button of an open row of a table."""
        table._handle_custom_msg({"action": [row, which]}, [])

    def sort(self, panel, column):
        """Click the heading of a column."""
        self.table(panel)._handle_custom_msg({"sort": column}, [])

    def click_dot(self, panel, figure, place, role="bins"):
        if (figure, role) == ("reliability", "bins"):  # bins of few samples are dots of another mark
            situation = self.view.situation
            bins = situation.bins(situation.before)
            few = few_samples(situation.before.problems, bins)[bins[0].weight > 0]
            is_few = place < len(few) and few[place]
            place -= int((few[:place] != is_few).sum())
            role = "few" if is_few else "bins"
        mark = self.mark(panel, figure, role)
        carrier_of(mark)._handle_custom_msg({"mark": mark.model_id, "clicked": place}, [])

    def hint(self, panel, figure, place, role):
        """What is predicted of a dot that is pointed at."""
        mark = self.mark(panel, figure, role)
        transport = carrier_of(mark)
        with patch.object(transport, "send") as send:
            transport._handle_custom_msg({"mark": mark.model_id, "pointed": place}, [])
        return send.call_args.args[0]["hint"].replace("\u00a0", " ")

    def drag_edge(self, place, x):
        """Drop an edge of the categories, in the reliability diagram, at x; where the edges stand then."""
        handles = self.mark("reliability", "reliability", "handle")
        if place < len(handles.x):
            moved = handles.x.copy()
            moved[place] = x
            handles.x = moved
        handles._handle_custom_msgs(handles, {"event": "drag_end", "index": place, "point": {"x": x, "y": 0.2}})
        return handles.x.tolist()

    def press_handle(self, figure, role, place, to):
        """Move a handle of a picture by keys, as the browser tells of it."""
        self._tell_of_handle(figure, role, moved=place, to=to)

    def jump_handle(self, figure, role, towards):
        """Press Home (-1) or End (1) on a handle of a picture."""
        self._tell_of_handle(figure, role, jumped=towards)

    def drag_on(self, figure, role, place, way):
        """Drag a handle of a picture along these places, and hold it; how often the browser is answered."""
        with patch.object(Transport, "send") as sent:
            for x in way:
                self._tell_of_handle(figure, role, dragged=place, to=x)
        return sum("answered" in call.args[0] for call in sent.call_args_list)

    def _tell_of_handle(self, figure, role, **told):
        mark = self.mark({"decision-curve": "decision"}.get(figure, figure), figure, role)
        mark._transport._handle_custom_msg({**told, "mark": mark.model_id}, [])

    def brush(self, ends, panel="reliability", figure="histogram"):
        """Brush a range of the histogram's scores, or of another picture; None takes it away. The selection halfway."""
        selector = self.figure(panel, figure).interaction
        if ends is None:
            selector.selected = None
            return self.view.state.selection
        selector.brushing = True
        selector.selected = np.array(ends)
        halfway = self.view.state.selection
        selector.brushing = False
        return halfway

    def export(self, label):
        """Press a button below the numbers; what the browser is told to save (name, data, kind) or to copy."""
        download = self._of_kind(Download)
        with patch.object(download, "send") as send:
            self.press(label)
            if label == "page":  # which is made beside
                self.view.finish()
        sent = []
        for message, *buffers in (call.args for call in send.call_args_list):
            sent.append(message.get("copy") or (message["offer"], bytes(buffers[0][0]), message["kind"]))
        return sent

    def ask(self, action):
        """Press undo, redo or reset, at the right of the header."""
        self._of_kind(Actions)._handle_custom_msg({"ask": action}, [])

    def go(self, place):
        """Click a step in the list of steps; 0 is the start."""
        self._of_kind(Actions)._handle_custom_msg({"go": place}, [])

    def keep(self, name):
        """Press "keep A" or "keep B"."""
        self._of_kind(Actions)._handle_custom_msg({"keep": name}, [])

    def answer_copied(self, is_copied, text):
        """Say what the browser says once it has, or has not, put a text on the clipboard."""
        self._of_kind(Download)._handle_custom_msg({"copied": is_copied, "text": text}, [])

    # What a person reads

    @property
    def complaint(self):
        """Why the choices cannot be shown; empty where they are."""
        return text_of(self._classed("calibviz-status"))

    @property
    def refusal(self):
        """Why numbers that were typed in the drawer are refused; empty where they are not."""
        return text_of(self._classed("calibviz-refusal"))

    @property
    def words(self):
        return text_of(self._classed("calibviz-words"))

    @property
    def evidence(self):
        """The line of numbers below the words."""
        return text_of(self._classed("calibviz-evidence"))

    def card(self, question):
        """What the card of a question says."""
        cards = [widget for widget in below(self.view) if "calibviz-question" in classes(widget)]
        return text_of(cards[QUESTIONS.index(question)].children[1])

    @property
    def measured(self):
        """What is said above the other measures."""
        return text_of(self._classed("calibviz-answer", self._classed("calibviz-numbers")))

    @property
    def meanings(self):
        """What the drawer says of the words that are sought in it."""
        return text_of(self._classed("calibviz-meanings"))

    @property
    def differing(self):
        """What the drawer says of the settings that are no longer as at the start."""
        self.open_drawer()
        return text_of(self._classed("calibviz-differs"))

    @property
    def steps(self):
        """The list of steps: those that are done, and those that are undone."""
        content = self._of_kind(Actions).content
        return content["steps"][: content["place"]], content["steps"][content["place"] :]

    @property
    def notice(self):
        """What has changed by itself with the last step."""
        return text_of(self._classed("calibviz-notice"))

    @property
    def advice(self):
        return text_of(self._classed("calibviz-advice"))

    @property
    def footnote(self):
        """What stands below the words of the laboratory."""
        return text_of(self._classed("calibviz-note"))

    @property
    def working(self):
        """What is being worked on, or was cancelled."""
        return text_of(self._classed("calibviz-working"))

    @property
    def has_progress_bar(self):
        return "<progress" in self._classed("calibviz-working").value

    @property
    def exported(self):
        """The text below the buttons that export: code, or a link."""
        return text_of(self._classed("calibviz-code"))

    @property
    def address(self):
        """The query that the browser is told to show in the address; empty where it must not."""
        return self._of_kind(Download).address

    @property
    def kept(self):
        """The rows of the table of what is kept; a KeyError where nothing is."""
        return self._of_kind(TableView, self._classed("calibviz-kept")).content["rows"]

    @property
    def told_of_kept(self):
        """The words above the table of what is kept."""
        return text_of(self._classed("calibviz-answer", self._classed("calibviz-kept")))

    @property
    def numbers(self):
        """The table of the headline numbers, as it is sent to the browser."""
        self.open_numbers()
        return self._of_kind(TableView, self._classed("calibviz-numbers")).content

    @property
    def promises(self):
        """The table of what each category promises, as it is sent to the browser."""
        return self._of_kind(TableView, self._classed("calibviz-promises")).content

    @property
    def sides(self):
        """The cells of each column of the headline numbers, by what they measure; before recalibration, and after."""
        _, *sides = zip(*self.numbers["rows"], strict=True)
        return [dict(zip(MEASURES, cells, strict=True)) for cells in sides]

    def watch_numbers(self, callback):
        """Call `callback` with each change of the headline numbers that the browser is told of."""
        self.open_numbers()
        self._of_kind(TableView, self._classed("calibviz-numbers")).observe(callback, "content")

    @property
    def offered(self):
        """The button beside what is being worked on; None where there is none."""
        return next((widget for widget in walk(self.view) if "calibviz-cancel" in classes(widget)), None)

    def offers(self, label):
        return self.offered is not None and self.offered.description == label

    def note(self, panel):
        """The sentences below a panel."""
        return text_of(self._classed("calibviz-note", self._classed(PANEL + panel)))

    def answer(self, panel):
        """The sentences above the pictures of a panel."""
        return text_of(self._classed("calibviz-answer", self._classed(PANEL + panel)))

    def table(self, panel):
        return self._of_kind(TableView, self._classed(PANEL + panel))

    def cells(self, panel):
        """The rows of a panel's table."""
        return self.table(panel).content["rows"]

    def figures(self, panel):
        """The figures of a panel that are on screen."""
        return [widget for widget in below(self._classed(PANEL + panel)) if hasattr(widget, "marks")]

    def figure(self, panel, name):
        return next(figure for figure in self.figures(panel) if f"calibviz-{name}" in classes(figure))

    def legends(self, panel):
        """The legends that stand above pictures of a panel, with their titles if they have any, but not its heading."""
        texts = [getattr(widget, "value", None) for widget in below(self._classed(PANEL + panel))]
        return [
            text for text in texts if isinstance(text, str) and text.startswith(('<div class="calibviz-legend"', "<b>"))
        ]

    def mark(self, panel, figure, role):
        """The mark of a series; its dots, where it has lines as well."""
        series = self.record(panel, figure).series
        own = [place for place, one in enumerate(series) if one.role == role]
        return self.figure(panel, figure).marks[min(own, key=lambda place: "dots" not in series[place].shape)]

    def axis(self, panel, figure, side):
        return next(axis for axis in self.figure(panel, figure).axes if axis.side == side)

    def records(self, panel):
        """The pictures and tables that a panel has drawn, as records."""
        return self.view._contents[panel].records

    def record(self, panel, name):
        return next(record for record in self.records(panel) if record.name == name)

    # Slow work

    @property
    def jobs(self) -> Jobs:
        return self.view._jobs

    def job(self, label) -> Job:
        """The job of such a label that was asked for last."""
        return self.jobs_of(label)[-1]

    def jobs_of(self, label):
        """The jobs whose label begins so, which the sign of work shows."""
        return [job for job in kept(self.jobs) if job.label.startswith(label)]

    @property
    def is_idle(self):
        return self.working == "" and not threads(self.jobs)

    def finish(self):
        """Wait for all that stands on the panels; not for what stands aside, such as the answers on the cards."""
        self.view._complete(aside=False)

    def refresh(self):
        """As when slow work has something to show."""
        self.view._refresh()

    # Finding

    def _toggle(self, panel):
        return self._switch(answers_of(self.view.state.spec)[panel].button)

    def _switch(self, label):
        return next(switch for switch in self._switches() if switch.description == label)

    def _switches(self):
        return [widget for widget in below(self.view) if isinstance(widget, ipywidgets.ToggleButton)]

    def _classed(self, name, inside=None):
        for widget in walk(inside or self.view):
            if name in classes(widget):
                return widget
        raise KeyError(f"nothing of class {name} is on screen")

    def _of_kind(self, kind, inside=None):
        for widget in walk(inside or self.view):
            if isinstance(widget, kind):
                return widget
        raise KeyError(f"no {kind.__name__} is on screen")


screen = ExplorerDriver


def content_of(explorer, name):
    """The content of an answer once all work is done, of a view that complains of nothing."""
    explorer.finish()
    assert screen(explorer).complaint == ""
    return answers_of(explorer.situation.spec)[name].content(explorer.situation)


def walk(widget):
    """A widget and what it holds, from top to bottom, as far as it is on screen."""
    layout = getattr(widget, "layout", None)
    if layout is None or layout.display != "none":
        yield widget
        for child in getattr(widget, "children", ()):
            yield from walk(child)


def below(widget):
    return list(walk(widget))


def classes(widget, prefix=""):
    return [name for name in getattr(widget, "_dom_classes", ()) if name.startswith(prefix)]


def is_control(widget):
    return hasattr(widget, "value") and not isinstance(widget, ipywidgets.ToggleButton | ipywidgets.HTML)


def label_of(widget):
    """The term on the label of a control, or its word."""
    word, _, term = widget.description.partition('<span class="calibviz-term">')
    term = term.removesuffix("</span>").partition(" · ")[0]
    return term or word.partition(" = ")[0].strip()


def text_of(widget):
    """What is read where HTML is shown, whether or not a line may end at a space or within a date."""
    words = re.sub("<svg.*?</svg>", "", widget.value, flags=re.DOTALL)  # readers of screens do not hear it
    words = re.sub("<[^>]*>", " ", re.sub(r"</?(time|b|span)(\s[^>]*)?>", "", words))
    return re.sub(" +", " ", html.unescape(words).strip().replace("\u00a0", " "))


def carrier_of(mark):
    """The transport that draws the dots of a mark, and hears of them."""
    transports = [widget for widget in _instances.values() if isinstance(widget, Transport)]
    return next(transport for transport in transports if mark.model_id in transport.dots)


def kept(jobs):
    """The jobs that are kept, the one that was asked for last at the end."""
    return list(jobs._jobs.values())


def wanted(jobs):
    """The jobs that somebody looks at."""
    return list(jobs._wanted)


def threads(jobs):
    """The threads that work on jobs."""
    return set(jobs._threads)


async def until(condition):
    """Let the event loop run until something holds."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < PATIENCE, "it never came"
        await asyncio.sleep(0.005)
