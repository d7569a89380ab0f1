"""What the transport's unit tests cannot know: that a browser puts the states in place, in Voila and in JupyterLab."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from .pages import SLOW, Pages, reload_slowly
from .stage import Stage

SET_UP = """
import bqplot, ipywidgets, numpy as np
from calibviz.explorer.transport.shared_widgets import HTML, IntSlider, Lines
from calibviz.explorer.transport.transport import Transport, assign

class Tapped:
    "A comm that remembers which kinds of messages it has sent."

    def __init__(self, comm):
        self._comm, self.sent = comm, []

    def __getattr__(self, name):
        return getattr(self._comm, name)

    def send(self, data=None, **kwargs):
        self.sent.append(data["method"])
        self._comm.send(data=data, **kwargs)

transport = Transport()
slider = IntSlider(description="steps", max=20, transport=transport)
text = HTML(transport=transport)
x = np.linspace(0, 1, 50)
scales = {"x": bqplot.LinearScale(min=0, max=1), "y": bqplot.LinearScale(min=-1, max=1)}
lines = [Lines(x=x, y=np.stack([x, -x]), scales=scales, transport=transport) for _ in range(3)]
figures = [bqplot.Figure(marks=[line], layout={"width": "400px", "height": "250px"}) for line in lines]
widgets = [transport, slider, text, *lines]
for widget in widgets:
    widget.comm = Tapped(widget.comm)

sent, ready = ipywidgets.HTML(), ipywidgets.HTML()  # these tell on the transport, so they do not use it
sent.add_class("test-sent"), ready.add_class("test-ready"), text.add_class("test-text")

def step(change):
    for widget in widgets:
        widget.comm.sent.clear()
    with transport.collect():
        for i, line in enumerate(lines):
            phase = (i + 1) * change.new * x
            assign(line, y=np.stack([np.sin(phase), np.cos(phase)]))
            transport.tell_of(figures[i], alt=f"figure {i}, step {change.new}")
        assign(text, value=f"step {change.new}")
    sent.value = ", ".join(method for widget in widgets for method in widget.comm.sent)

def listen(_, content, buffers):
    if "ready" in content:
        ready.value = f"{int(ready.value or 0) + 1}"

slider.observe(step, "value")
transport.on_msg(listen)
"""
SHOW = """
box = ipywidgets.VBox([slider, text, sent, ready, *figures])
box.add_class("calibviz-explorer")
box
"""
TO_NOBODY = """
def send_to_nobody(change):
    states = {"nobody": {"value": 1}, text.model_id: {"value": "still here"}}
    transport.send({"states": states, "buffer_paths": []})

slider.observe(send_to_nobody, "value")
"""

#: Shares of which a slider makes 34.00000000000001 and 13 per cent.
ROUNDED = """
from calibviz.explorer.transport.shared_widgets import PercentSlider

share = PercentSlider(min=0.01, max=0.99, value=0.5, transport=transport)
share.add_class("test-share")
heard = []
share.set_state = heard.append

def give(change):
    with transport.collect():
        assign(share, value={1: 0.34, 2: 0.125}.get(change.new, 0.5))
        assign(text, value=f"step {change.new}, {heard}")

slider.observe(give, "value")
"""
MAKE_LATE = """
from calibviz.explorer.transport.shared_widgets import Button

first = Button(description="first", transport=transport)
transport.begin()
answer = ipywidgets.Widget._handle_control_comm_msg.__func__

def make_and_answer(cls, message):
    with transport.collect():
        box.children = [*box.children, Button(description="late", transport=transport)]
    answer(cls, message)

ipywidgets.Widget._handle_control_comm_msg = classmethod(make_and_answer)
"""


def when_ready(page: Page, times: int = 1) -> None:
    """Wait until everything is drawn, and a page has told Python so many times that it listens."""
    expect(page.locator("path.line[d]")).to_have_count(6)
    expect(page.locator(".test-ready .widget-html-content")).to_have_text(str(times))


def curves(page: Page) -> list[str | None]:
    return [path.get_attribute("d") for path in page.locator("path.line").all()]


def press(page: Page, key: str, step: int) -> list[str | None]:
    """Move the slider to `step` with the keyboard, and return the curves then."""
    before = curves(page)
    page.locator(".noUi-handle").press(key)
    expect(page.locator(".test-text .widget-html-content")).to_have_text(f"step {step}")
    for path, old in zip(page.locator("path.line").all(), before, strict=True):
        expect(path).not_to_have_attribute("d", str(old))
    return curves(page)


def test_a_step_is_one_message_that_changes_everything(stage: Stage) -> None:
    page = stage([SET_UP, SHOW])
    when_ready(page)
    for step in (1, 2, 3):
        press(page, "ArrowRight", step)
        expect(page.locator(".test-sent .widget-html-content")).to_have_text("custom")


def test_handles_and_figures_are_named(stage: Stage) -> None:
    page = stage([SET_UP, SHOW])
    when_ready(page)
    press(page, "ArrowRight", 1)
    expect(page.get_by_role("slider", name="steps", exact=True)).to_have_count(1)
    expect(page.get_by_role("img", name="figure 2, step 1", exact=True)).to_have_count(1)


def test_messages_keep_their_order(stage: Stage) -> None:
    page = stage([SET_UP, SHOW])
    when_ready(page)
    *_, step_5, step_6 = [press(page, "ArrowRight", step) for step in range(1, 7)]
    assert press(page, "ArrowLeft", 5) == step_5
    for key in ["ArrowLeft"] * 5 + ["ArrowRight"] * 6:  # only the last of them leads to step 6
        page.locator(".noUi-handle").press(key)
    for path, d in zip(page.locator("path.line").all(), step_6, strict=True):
        expect(path).to_have_attribute("d", str(d))
    assert press(page, "ArrowLeft", 5) == step_5  # and nothing came after it


def test_a_widget_that_has_gone_does_not_hold_up_the_others(stage: Stage) -> None:
    page = stage([SET_UP, TO_NOBODY, SHOW])
    when_ready(page)
    page.locator(".noUi-handle").press("ArrowRight")
    expect(page.locator(".test-text .widget-html-content")).to_have_text("still here")


def test_a_slider_does_not_send_back_what_it_is_given(stage: Stage) -> None:
    page = stage([SET_UP, ROUNDED, SHOW.replace("[slider,", "[slider, share,")])
    when_ready(page)
    for step, shown in ((1, "34.00"), (2, "13.00"), (3, "50.00")):
        page.locator(".noUi-handle").first.press("ArrowRight")
        expect(page.locator(".test-text .widget-html-content")).to_have_text(f"step {step}, []")
        expect(page.locator(".test-share .widget-readout")).to_have_text(shown)
    page.locator(".test-share .noUi-handle").press("ArrowRight")
    page.locator(".noUi-handle").first.press("ArrowRight")
    expect(page.locator(".test-text .widget-html-content")).to_contain_text("'value': 51")


def test_voila_reloaded_starts_afresh(voila: Pages) -> None:
    page = voila([SET_UP, SHOW])
    when_ready(page)
    press(page, "ArrowRight", 1)
    page.reload()
    when_ready(page)
    press(page, "ArrowRight", 1)
    expect(page.locator(".test-sent .widget-html-content")).to_have_text("custom")


def test_lab_reloaded_shows_what_it_showed(lab: Pages) -> None:
    page = lab([SET_UP, SHOW])
    when_ready(page)
    press(page, "ArrowRight", 1)
    shown = press(page, "ArrowRight", 2)
    page.reload()
    when_ready(page, times=2)
    assert curves(page) == shown
    press(page, "ArrowRight", 3)
    expect(page.locator(".test-sent .widget-html-content")).to_have_text("custom")


def test_two_tabs_show_the_same(lab: Pages) -> None:
    page = lab([SET_UP, SHOW])
    when_ready(page)
    press(page, "ArrowRight", 1)
    other = page.context.new_page()
    other.goto(page.url)
    when_ready(other, times=2)
    shown = press(other, "ArrowRight", 2)
    expect(page.locator(".test-text .widget-html-content")).to_have_text("step 2")
    expect(page.locator(".noUi-handle")).to_have_attribute("aria-valuenow", re.compile(r"^2(\.0)?$"))
    for path, d in zip(page.locator("path.line").all(), shown, strict=True):
        expect(path).to_have_attribute("d", str(d))


# What refuses a value puts the old one back after the picture that goes ahead.
REFUSE = """
def refuse(change):
    with transport.collect():
        text.value = f"asked for {change.new}"
        transport.send_now()
        if change.new > 10:
            slider.value = 0

slider.unobserve_all("value")
slider.observe(refuse, "value")
"""
NO_FRAMES = """() => {
    const [timer, held] = [window.setTimeout, []];
    window.requestAnimationFrame = () => 0;
    window.setTimeout = (call, ms, ...given) => (ms === 100 ? held.push(call) : timer(call, ms, ...given));
    window.release = () => { window.setTimeout = timer; held.forEach((call) => call()); };
}"""


def test_a_tab_in_the_background_ends_with_the_last_value(lab: Pages) -> None:
    page = lab([SET_UP, REFUSE, SHOW])
    when_ready(page)
    other = page.context.new_page()
    other.goto(page.url)
    when_ready(other, times=2)
    other.evaluate(NO_FRAMES)
    handle, value = page.locator(".noUi-handle"), "aria-valuenow"
    handle.press("End")
    expect(handle).to_have_attribute(value, "0.0")
    handle.press("ArrowRight")
    expect(handle).to_have_attribute(value, "1.0")
    expect(page.locator(".test-text .widget-html-content")).to_have_text("asked for 1")
    other.evaluate("window.release()")
    expect(other.locator(".test-text .widget-html-content")).to_have_text("asked for 1")
    expect(other.locator(".noUi-handle")).to_have_attribute(value, "1.0")


@pytest.mark.parametrize(("pages", "times"), [("voila", 1), ("lab", 2)])
def test_a_page_that_is_slow_to_begin_hears_us(pages: str, times: int, request: pytest.FixtureRequest) -> None:
    """Anywidget drops every message to a widget whose start took more than two seconds."""
    host: Pages = request.getfixturevalue(pages)
    page = host([SET_UP, SHOW])
    when_ready(page)
    slow: list[str] = []
    page.on("pageerror", lambda error: slow.append(str(error)))
    reload_slowly(page)
    when_ready(page, times)
    press(page, "ArrowRight", 1)
    expect(page.locator(".test-sent .widget-html-content")).to_have_text("custom")
    assert any(SLOW in error for error in slow)


OPENS = """
import asyncio, ipywidgets
from calibviz.explorer.transport.shared_widgets import HTML, UrgentHTML
from calibviz.explorer.transport.transport import Transport
transport = Transport()
texts = [(HTML, UrgentHTML)[i % 2]("old", transport=transport).add_class("test-text") for i in range(600)]
transport.begin()

async def work():
    for text in texts:
        text.value = "new"
        await asyncio.sleep(0.01)

task = asyncio.get_event_loop().create_task(work())
ipywidgets.VBox([transport, *texts])
"""


@pytest.mark.parametrize("slow", [False, True])
def test_what_changes_while_a_page_opens_is_shown(voila: Pages, slow: bool) -> None:
    page = voila([OPENS])
    if slow:
        reload_slowly(page)
    texts = page.locator(".test-text")
    expect(texts).to_have_count(600)
    expect(texts.filter(has_text="new")).to_have_count(600)


def test_a_widget_is_built_that_comes_before_the_page_knows_the_others(voila: Pages) -> None:
    """What was made for the first page and is shared by its widgets comes to a page after the late widget."""
    page = voila([SET_UP, MAKE_LATE, SHOW])
    when_ready(page)
    expect(page.get_by_role("button", name="late", exact=True)).to_have_count(1)
