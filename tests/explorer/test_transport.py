"""The transport without a browser: what is sent, and when."""

from __future__ import annotations

import gc
import json
import weakref
from collections.abc import Iterator
from itertools import count
from threading import Event, Thread
from typing import Any

import bqplot
import comm
import ipywidgets
import numpy as np
import pytest

from calibviz.explorer.transport import shared_widgets
from calibviz.explorer.transport.shared_widgets import (
    HTML,
    Axis,
    Figure,
    IntSlider,
    Layout,
    LinearScale,
    Lines,
    UrgentHTML,
)
from calibviz.explorer.transport.transport import Shared, Transport, Urgent, assign

OURS = [c for c in vars(shared_widgets).values() if isinstance(c, type) and issubclass(c, Shared)]
SHARED = [c for c in OURS if c not in (Shared, Transport) and not issubclass(c, Urgent)]
assert len(SHARED) > 10

Message = tuple[str, dict[str, Any], list[Any]]


class Wire:
    """A comm in a kernel that has a front end, which notes what is sent as (comm_id, data, buffers)."""

    kernel = object()
    ids = count()

    def __init__(self, messages: list[Message]) -> None:
        self.comm_id = f"comm-{next(self.ids)}"
        self.messages = messages

    def send(self, data: dict[str, Any], buffers: list[Any]) -> None:
        self.messages.append((self.comm_id, data, buffers or []))

    def on_msg(self, callback: Any) -> None: ...

    def close(self) -> None: ...


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Message]]:
    """Return the messages that widgets made in this test send after they were made."""
    messages: list[Message] = []
    monkeypatch.setattr(comm, "create_comm", lambda **_: Wire(messages))
    yield messages
    for widget in list(ipywidgets.widget._instances.values()):
        if isinstance(widget.comm, Wire):
            widget.close()


def say(transport: Transport, **content: Any) -> None:
    """Let a page say something to the transport."""
    transport._handle_custom_msg(content, [])


@pytest.fixture
def transport(wire: list[Message]) -> Transport:
    """Return a transport that a page listens to."""
    transport = Transport()
    say(transport, hello="page")
    say(transport, ready="page")
    wire.clear()
    return transport


def make_lines(transport: Transport | None) -> Lines:
    scales = {"x": bqplot.LinearScale(), "y": bqplot.LinearScale()}
    return Lines(transport=transport, x=np.zeros(2), y=np.zeros(2), scales=scales)


def test_all_changes_are_one_message(wire: list[Message], transport: Transport) -> None:
    text, lines, untouched = HTML(transport=transport), make_lines(transport), HTML(transport=transport)
    with transport.collect():
        text.value = "overwritten"
        assign(lines, x=np.array([1.0, 2.0]), y=np.array([3.0, 4.0]))
        with transport.collect():
            text.value = "final"
        text.placeholder = "…"
        assert not wire
    [(comm_id, data, buffers)] = wire
    assert (comm_id, data["method"]) == (transport.model_id, "custom")
    states, paths = data["content"]["states"], data["content"]["buffer_paths"]
    assert set(states) == {text.model_id, lines.model_id}
    assert untouched.model_id not in states
    assert states[text.model_id] == {"value": "final", "placeholder": "…"}
    assert states[lines.model_id]["y"] == {"dtype": "float32", "shape": (2,), "type": None}
    sent = {tuple(path): np.frombuffer(raw, np.float32).tolist() for path, raw in zip(paths, buffers, strict=True)}
    assert sent == {(lines.model_id, "x", "value"): [1, 2], (lines.model_id, "y", "value"): [3, 4]}


def test_arrays_of_every_widget_travel_as_bytes(wire: list[Message], transport: Transport) -> None:
    lines, axis = make_lines(transport), Axis(transport=transport, scale=LinearScale(transport=transport))
    with transport.collect():
        assign(axis, tick_values=np.array([0.0, 0.5]), tick_labels={"0": "none"})
        assign(lines, x=np.array([1.0, 2.0]), labels=["a"])
    [(_, data, buffers)] = wire
    json.dumps(data)  # nothing is left in it that is no JSON
    assert {tuple(path) for path in data["content"]["buffer_paths"]} == {
        (axis.model_id, "tick_values", "value"),
        (lines.model_id, "x", "value"),
    }
    assert len(buffers) == 2


def test_what_is_sent_now_goes_ahead_of_the_rest(wire: list[Message], transport: Transport) -> None:
    first, second = HTML(transport=transport), HTML(transport=transport)
    with transport.collect():
        transport.send_now()
        assert not wire, "nothing has changed"
        first.value = "first"
        transport.send_now()
        assert len(wire) == 1
        second.value = "second"
    sent = [(set(data["content"]["states"]), data["content"]["ahead"]) for _, data, _ in wire]
    assert sent == [({first.model_id}, True), ({second.model_id}, False)]


def test_a_sign_of_work_waits_for_no_other_widget(wire: list[Message], transport: Transport) -> None:
    sign, text = UrgentHTML(transport=transport), HTML(transport=transport)
    with transport.collect():
        text.value = "later"
        sign.value = "working"
        assert [(comm_id, data["state"]) for comm_id, data, _ in wire] == [(sign.model_id, {"value": "working"})]


def test_a_sign_of_work_that_a_page_could_not_hear_yet_is_sent_again(wire: list[Message]) -> None:
    transport = Transport()
    sign = UrgentHTML(transport=transport)
    transport.begin()
    sign.value = "working"
    sign.value = ""
    say(transport, hello="page")
    wire.clear()
    say(transport, ready="page")
    assert [(comm_id, data["state"]) for comm_id, data, _ in wire] == [(sign.model_id, {"value": ""})]
    wire.clear()
    say(transport, hello="page")
    say(transport, ready="page")
    assert not [comm_id for comm_id, _, _ in wire if comm_id == sign.model_id]


def test_nothing_goes_ahead_where_no_page_listens(wire: list[Message]) -> None:
    transport = Transport()
    text = HTML(transport=transport)
    wire.clear()
    with transport.collect():
        text.value = "set"
        transport.send_now()
        assert not wire


def test_a_change_outside_takes_the_same_way(wire: list[Message], transport: Transport) -> None:
    """Else it could overtake what was collected before it."""
    text = HTML(transport=transport)
    text.value = "alone"
    [(comm_id, data, _)] = wire
    assert comm_id == transport.model_id
    assert data["content"]["states"] == {text.model_id: {"value": "alone"}}


def test_no_change_is_no_message(wire: list[Message], transport: Transport) -> None:
    text = HTML("same", transport=transport)
    with transport.collect():
        assign(text, value="same")
    assert not wire


def test_what_changed_is_sent_even_after_an_error(wire: list[Message], transport: Transport) -> None:
    text = HTML(transport=transport)
    with pytest.raises(RuntimeError, match="half-way"), transport.collect():
        text.value = "changed"
        raise RuntimeError("half-way")
    assert len(wire) == 1
    text.value = "again"
    assert len(wire) == 2


def test_without_a_page_each_widget_sends_its_changes_itself(wire: list[Message]) -> None:
    transport = Transport()
    text, lines = HTML(transport=transport), make_lines(transport)
    with transport.collect():
        text.value = "overwritten"
        text.value = "final"
        lines.y = np.ones(2)
    assert [(comm_id, data["method"]) for comm_id, data, _ in wire] == [
        (text.model_id, "update"),
        (lines.model_id, "update"),
    ]
    assert wire[0][1]["state"] == {"value": "final"}


def test_a_page_is_trusted_when_it_has_answered(wire: list[Message]) -> None:
    transport = Transport()
    text = HTML(transport=transport)
    say(transport, hello="page")
    [(_, greeting, _)] = wire
    assert greeting == {"method": "custom", "content": {"hello": "page"}}
    text.value = "in a message of its own"
    assert wire[-1][:1] == (text.model_id,)
    say(transport, ready="page")
    assert wire[-1][:1] == (transport.model_id,)
    text.value = "through the transport"
    assert wire[-1][:1] == (transport.model_id,)
    assert len(wire) == 4


def test_a_page_gets_what_changed_while_it_built_its_widgets(wire: list[Message]) -> None:
    transport = Transport()
    text, lines, gone = HTML(transport=transport), make_lines(transport), HTML(transport=transport)
    text.value = "part of what the page asks for"
    transport.begin()
    text.value = gone.value = "the page may be deaf yet"
    lines.y = np.ones(2)
    gone.close()
    say(transport, hello="page")
    text.value = "the page is not ready"
    wire.clear()
    say(transport, ready="page")
    [(comm_id, data, buffers)] = wire
    states = data["content"]["states"]
    assert comm_id == transport.model_id and states.keys() == {text.model_id, lines.model_id}
    assert states[text.model_id] == {"value": "the page is not ready"}
    assert len(buffers) == 1 and np.frombuffer(buffers[0]).tolist() == [1, 1]
    wire.clear()
    say(transport, ready="page")
    assert wire == []


def test_a_page_is_not_sent_again_what_it_asks_for(wire: list[Message]) -> None:
    transport = Transport()
    HTML(transport=transport).value = "made so"
    transport.begin()
    say(transport, hello="page")
    wire.clear()
    say(transport, ready="page")
    assert wire == []


def test_a_further_page_gets_the_state_that_it_may_have_missed(wire: list[Message], transport: Transport) -> None:
    text = HTML(transport=transport)
    say(transport, hello="second page")
    assert [data["method"] for _, data, _ in wire] == ["custom"]  # nothing was missed: just the greeting
    say(transport, ready="second page")
    text.value = "missed by a third page"
    wire.clear()
    say(transport, hello="third page")
    assert [data["method"] for _, data, _ in wire] == ["update", "update", "custom"]
    states = {comm_id: data["state"] for comm_id, data, _ in wire[:-1]}
    assert states.keys() == {transport.model_id, text.model_id}
    assert states[text.model_id]["value"] == "missed by a third page"
    text.value = "until it is ready"
    assert wire[-1][0] == text.model_id


def test_a_page_that_rebuilds_a_widget_gets_all_of_its_state_directly(
    wire: list[Message], transport: Transport
) -> None:
    text = HTML("all", transport=transport)
    text._handle_msg({"content": {"data": {"method": "request_state"}}, "buffers": []})
    [(comm_id, data, _)] = wire
    assert (comm_id, data["method"]) == (text.model_id, "update")
    assert data["state"].keys() == set(text.keys)


def move(slider: IntSlider, value: int) -> None:
    """Do what happens when the page moves a slider."""
    slider._handle_msg({"content": {"data": {"method": "update", "state": {"value": value}}}, "buffers": []})


def test_a_control_is_not_sent_what_its_page_has_sent(wire: list[Message], transport: Transport) -> None:
    slider = IntSlider(transport=transport)
    move(slider, 3)
    assert [data["method"] for _, data, _ in wire] == ["echo_update"]


def test_other_pages_are_told_of_a_control_after_the_picture_and_as_it_is_then(
    wire: list[Message], transport: Transport
) -> None:
    slider, text = IntSlider(transport=transport), HTML(transport=transport)

    def follow(change: dict[str, int]) -> None:
        with transport.collect():
            text.value = f"step {change['new']}"
            transport.send_now()
            slider.value = min(change["new"], 3)

    slider.observe(follow, "value")
    move(slider, 4)
    first, then, last = (data for _, data, _ in wire)
    assert first["content"]["states"] == {text.model_id: {"value": "step 4"}}
    assert then["content"]["states"] == {slider.model_id: {"value": 3}, text.model_id: {"value": "step 3"}}
    assert (last["method"], last["state"]) == ("echo_update", {"value": 3})


def test_other_pages_are_told_of_all_that_a_change_within_a_change_sets(
    wire: list[Message], transport: Transport
) -> None:
    slider = IntSlider(transport=transport)
    slider.observe(lambda _: slider.set_state({"max": 50}), "value")
    move(slider, 4)
    assert [data["state"] for _, data, _ in wire] == [{"max": 50}, {"value": 4}]


def test_other_pages_are_told_of_a_control_whose_step_went_wrong(wire: list[Message], transport: Transport) -> None:
    slider = IntSlider(transport=transport)

    def fail(_: dict[str, int]) -> None:
        raise RuntimeError("as it happens")

    slider.observe(fail, "value")
    with pytest.raises(RuntimeError, match="as it happens"):
        slider.set_state({"value": 4})
    assert [(data["method"], data["state"]) for _, data, _ in wire] == [("echo_update", {"value": 4})]


def test_each_of_two_pages_gets_an_echo_of_its_own(wire: list[Message], transport: Transport) -> None:
    """JupyterLab answers each tab in a thread of its own; a tab without its echo hears of no later change."""
    slider, has_begun, may_end = IntSlider(transport=transport), Event(), Event()

    def follow(change: dict[str, int]) -> None:
        if change["new"] == 1:
            has_begun.set()
            may_end.wait(60)

    slider.observe(follow, "value")
    first = Thread(target=move, args=(slider, 1))
    first.start()
    has_begun.wait(60)
    move(slider, 2)
    may_end.set()
    first.join()
    assert [(data["method"], data["state"]) for _, data, _ in wire] == [("echo_update", {"value": 2})] * 2


def test_an_echo_takes_nothing_back_that_another_thread_has_set(wire: list[Message], transport: Transport) -> None:
    slider = IntSlider(transport=transport)
    read, has_set = slider.get_state, Event()

    def set_meanwhile(*_: Any) -> None:
        slider.value = 7
        has_set.set()

    def read_slowly(key: Any = None) -> dict[str, Any]:
        state: dict[str, Any] = read(key)
        if not has_set.is_set() and not others:
            others.append(Thread(target=set_meanwhile))
            others[0].start()
            has_set.wait(0.2)  # it must not be sent in between
        return state

    others: list[Thread] = []
    slider.get_state = read_slowly
    move(slider, 3)
    others[0].join()
    *_, (comm_id, last, _) = wire
    assert comm_id == transport.model_id and last["content"]["states"] == {slider.model_id: {"value": 7}}


def test_a_control_of_another_transport_is_echoed_within_a_step(wire: list[Message], transport: Transport) -> None:
    slider, other = IntSlider(transport=transport), IntSlider(transport=Transport())
    slider.observe(lambda change: move(other, change["new"]), "value")
    wire.clear()
    move(slider, 3)
    assert [comm_id for comm_id, data, _ in wire if data["method"] == "echo_update"] == [
        other.model_id,
        slider.model_id,
    ]


def test_a_control_that_is_corrected_to_and_fro_ends_right(wire: list[Message], transport: Transport) -> None:
    slider = IntSlider(transport=transport)

    def correct(change: dict[str, int]) -> None:
        slider.unobserve(correct, "value")
        slider.value = 5
        slider.value = change["new"]

    slider.observe(correct, "value")
    move(slider, 3)
    sent = [data["content"]["states"][slider.model_id]["value"] for _, data, _ in wire if data["method"] == "custom"]
    assert sent == [5, 3]


def test_a_figure_is_described_in_the_same_message(wire: list[Message], transport: Transport) -> None:
    figure = Figure(transport=transport)
    with transport.collect():
        figure.title = "Reliability"
        transport.tell_of(figure, alt="as it should be")
    [(_, data, _)] = wire
    assert data["content"]["states"][transport.model_id] == {"alt": {figure.model_id: "as it should be"}}


def test_dots_are_told_of_and_clicked(wire: list[Message], transport: Transport) -> None:
    line, plain = (Lines(x=[0.0, 1.0], y=[0.0, 1.0], transport=transport) for _ in range(2))
    situation = {"marker": "circle", "size": 36.0, "colour": "#0072B2", "filled": True}
    clicked: list[int] = []
    transport.show_dots(line, situation, lambda place: f"dot {place}")
    transport.show_dots(plain, situation, str)
    transport.on_dot(line, clicked.append)
    assert transport.dots == {line.model_id: situation, plain.model_id: situation}
    wire.clear()
    say(transport, mark=line.model_id, pointed=1)
    say(transport, mark=plain.model_id, pointed=0)
    told = [data["content"] for _, data, _ in wire]
    assert [(one["hint"], one["clickable"]) for one in told] == [("dot 1", True), ("0", False)]
    say(transport, mark=line.model_id, clicked=1)
    say(transport, mark=plain.model_id, clicked=0)
    say(transport, mark="of a page of long ago", pointed=0)
    assert clicked == [1] and len(wire) == 2


def test_a_closed_widget_is_not_sent(wire: list[Message], transport: Transport) -> None:
    text, other = HTML(transport=transport), HTML(transport=transport)
    with transport.collect():
        text.value = other.value = "changed"
        text.close()
    [(_, data, _)] = wire
    assert data["content"]["states"].keys() == {other.model_id}


def test_widgets_outlive_their_transport(wire: list[Message], transport: Transport) -> None:
    text = HTML(transport=transport)
    with transport.collect():
        text.value = "before"
        transport.close()
    text.value = "after"
    assert [data["method"] for _, data, _ in wire] == ["custom", "update"]


def test_layouts_are_shared_by_widgets_that_change_none(transport: Transport) -> None:
    first, second, own = (
        HTML(transport=transport),
        HTML(transport=transport),
        HTML(layout=Layout(), transport=transport),
    )
    assert first.layout is second.layout is not own.layout and first.style is second.style
    wide = transport.common(Layout, width="auto")
    assert wide is transport.common(Layout, width="auto") is not first.layout and wide.width == "auto"
    own.layout.display = "none"
    refusal = "display of a Layout that many widgets share cannot be set"
    with pytest.raises(AttributeError, match=refusal):
        first.layout.display = "none"
    assert second.layout.display is None and wide.width == "auto"


def test_nothing_is_kept_of_what_was_closed(wire: list[Message]) -> None:
    before = len(ipywidgets.widget._instances)
    transport = Transport()
    lines = make_lines(transport)
    lines.scales["x"].close(), lines.scales["y"].close()
    transport.layout.close()
    widget = weakref.ref(lines)
    lines.close()
    del lines
    gc.collect()
    assert widget() is None
    assert list(transport._widgets) == [transport]
    carrier = weakref.ref(transport)
    transport.close()
    del transport
    gc.collect()
    assert carrier() is None
    assert len(ipywidgets.widget._instances) == before


def test_it_is_not_needed() -> None:
    """Executed without a front end, or with no transport at all, widgets are plain widgets."""
    transport = Transport()
    text, alone = HTML(transport=transport), HTML()
    with transport.collect():
        text.value = alone.value = "set"
    assert (text.value, alone.value) == ("set", "set")
    for widget in (text, alone, transport):
        widget.layout.close()
        widget.close()


@pytest.mark.parametrize("shared", SHARED, ids=lambda c: c.__name__)
def test_the_browser_sees_the_widget_it_knows(shared: Any) -> None:
    plain = shared.__bases__[1]
    own = {"areas", "classes"} if shared.__name__ == "Lines" else set()  # what our script reads, and bqplot's does not
    assert shared.class_traits().keys() == plain.class_traits().keys() | own
    for name in ("_model_name", "_model_module", "_model_module_version", "_view_name", "_view_module"):
        assert getattr(shared, name).default_value == getattr(plain, name).default_value


def test_assign_skips_what_is_there(wire: list[Message]) -> None:
    gaps = np.array([0.1, np.nan, 0.3])
    lines = make_lines(None)
    assign(lines, x=gaps, y=gaps, labels=["a"])
    assign(lines, x=gaps, y=gaps.astype(np.float32), labels=["a"])
    assert len(wire) == 1
    assign(lines, x=gaps, y=gaps + 1, labels=["a"])
    assert wire[1][1]["state"].keys() == {"y"}


def test_assign_knows_that_bqplot_squeezes(wire: list[Message]) -> None:
    lines = make_lines(None)
    for _ in range(2):
        assign(lines, y=np.array([[1.0, 2.0]]))
    assert len(wire) == 1


def test_assign_makes_shape_and_missing_values_count(wire: list[Message]) -> None:
    lines = make_lines(None)
    for y in (np.zeros(3), np.zeros((2, 3)), np.full((2, 3), np.nan), np.arange(3)):
        wire.clear()
        assign(lines, y=y)
        assert len(wire) == 1
    for color, messages in ((np.array([1.0]), 1), (None, 1), (None, 0), ([2.0], 1)):
        wire.clear()
        assign(lines, color=color)
        assert len(wire) == messages


def test_assign_changes_limits_and_value_together(wire: list[Message]) -> None:
    slider = IntSlider(min=0, max=10, value=5)
    assign(slider, min=20, max=30, value=25)
    assert (slider.min, slider.max, slider.value) == (20, 30, 25)
    assert len(wire) == 1
