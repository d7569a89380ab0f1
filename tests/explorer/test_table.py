"""Tables and downloads without a browser: what is sent, and what is made of what comes back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from calibviz.explorer.transport.shared_widgets import HTML
from calibviz.explorer.transport.transport import Transport, assign
from calibviz.explorer.view.page.download import Download
from calibviz.explorer.view.panels.table import TableView
from calibviz.figures.tables import Cell, Column, Table

TABLE = Table(
    name="classes",
    title="Classes",
    columns=(Column("class"), Column("ECE", "mean distance"), Column("KS")),
    rows=((Cell("cat"), Cell("1.2 %", shade=0.0), Cell("3")), (Cell("dog"), Cell("0.4 %", bar=0.5), Cell("4"))),
    alt="Errors of two classes",
    current=(0, None),
    clickable="cells",
)


class Wire:
    """A comm in a kernel that has a front end, which notes what is sent."""

    kernel = object()

    def __init__(self, comm_id: str, sent: list[tuple[dict[str, Any], list[Any]]]) -> None:
        self.comm_id, self.sent = comm_id, sent

    def send(self, data: dict[str, Any], buffers: list[Any]) -> None:
        self.sent.append((data, buffers))

    def on_msg(self, callback: Any) -> None: ...

    def close(self) -> None: ...


@pytest.fixture
def sent() -> list[tuple[dict[str, Any], list[Any]]]:
    return []


@pytest.fixture
def view(sent: list) -> Iterator[TableView]:
    transport = Transport()
    view = TableView(transport=transport)
    view.comm, transport.comm = Wire("view", sent), Wire("transport", sent)
    yield view
    for widget in (view.layout, view, transport.layout, transport):
        widget.close()


def tell(widget: Any, content: Any) -> list[tuple[int, int]]:
    """Let the page say something to the widget; return the clicks that this led to."""
    clicks: list[tuple[int, int]] = []

    def note(row: int, column: int) -> None:
        clicks.append((row, column))

    widget.on("click", note)
    widget._handle_custom_msg(content, [])
    widget.on("click", note, remove=True)
    return clicks


def test_a_table_is_one_message(view, sent):
    view.show(TABLE)
    [(data, _)] = sent
    assert data["method"] == "update"
    content = data["state"]["content"]
    assert content["columns"][1] == {
        "text": "ECE",
        "why": "mean distance",
        "sort": "",
        "ticks": (),
        "sides": ("", ""),
    }
    assert content["rows"][0][1] == {
        "text": "1.2 %",
        "shade": 0.0,
        "bar": None,
        "strip": None,
        "picture": "",
        "below": "",
        "faint": False,
        "bold": False,
        "aside": "",
        "look": "",
        "why": "",
        "choices": (),
        "numbers": (),  # these are for programs that read a report, not for the page
    }
    assert content["current"] == (0, None)


def test_an_equal_table_sends_nothing(view, sent):
    view.show(TABLE)
    sent.clear()
    view.show(replace(TABLE))
    assert sent == []
    view.show(replace(TABLE, note="new"))
    assert len(sent) == 1


def test_it_travels_with_the_transport(view, sent):
    transport = view._transport
    text = HTML(transport=transport)
    for word in ("hello", "ready"):
        transport._handle_custom_msg({word: "page"}, [])
    sent.clear()
    with transport.collect():
        view.show(TABLE)
        assign(text, value="too")
    [(data, _)] = sent
    assert data["content"]["states"].keys() == {"view", text.model_id}
    for widget in (text.layout, text.style, text):
        widget.close()


def test_a_click_is_told(view):
    view.show(TABLE)
    assert tell(view, {"click": [1, 2]}) == [(1, 2)]
    view.show(replace(TABLE, clickable="rows"))
    assert tell(view, {"click": [1, 0]}) == [(1, 0)]


@pytest.mark.parametrize(
    "content",
    [
        {"click": [2, 1]},
        {"click": [-1, 1]},
        {"click": [0, 3]},
        {"click": [0, 0]},  # the heading of a row
        {"click": [0.0, 1]},
        {"click": [True, 1]},
        {"click": ["0", "1"]},
        {"click": [None, None]},
        {"click": [0]},
        {"click": "01"},
        {"click": {"row": 0}},
        {"knock": [0, 1]},
        {},
        "click",
        None,
    ],
    ids=str,
)
def test_what_is_no_click_is_ignored(view, content):
    view.show(TABLE)
    assert tell(view, content) == []


def test_what_cannot_be_clicked_is_not_told(view):
    assert tell(view, {"click": [0, 1]}) == []
    view.show(replace(TABLE, clickable="rows"))
    assert tell(view, {"click": [0, 1]}) == []
    view.show(replace(TABLE, clickable=""))
    assert tell(view, {"click": [0, 0]}) == []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Cell("a", shade=1.1), r"shade of the cell 'a' must be between 0 and 1, got 1\.1"),
        (lambda: Cell("a", bar=float("nan")), "bar of the cell 'a' must be between 0 and 1, got nan"),
        (
            lambda: Cell("a", picture="http://b/c.png"),
            "picture of the cell 'a' must start with 'data:image/', got 'http",
        ),
        (lambda: replace(TABLE, rows=((Cell("cat"),),)), r"rows\[0\] has 1 cells in a table of 3 columns"),
        (lambda: replace(TABLE, current=(2, None)), "current row 2 is outside the table, which has 2"),
        (lambda: replace(TABLE, current=(None, -1)), "current column -1 is outside the table, which has 3"),
        (lambda: replace(TABLE, clickable="columns"), "clickable must be '', 'rows' or 'cells', got 'columns'"),
    ],
)
def test_records_that_cannot_be_shown_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.fixture
def download(sent: list) -> Iterator[Download]:
    download = Download()
    download.comm = Wire("download", sent)
    yield download
    download.layout.close()
    download.close()


def test_a_file_is_one_message_with_its_bytes(download, sent):
    download.offer("a.png", b"\x00\xff", "image/png")
    assert sent == [({"method": "custom", "content": {"offer": "a.png", "kind": "image/png"}}, [b"\x00\xff"])]


def test_it_is_told_whether_text_was_copied(download, sent):
    told: list[tuple[bool, str]] = []
    download.on_copied(lambda *said: told.append(said))
    download.copy("text")
    assert sent == [({"method": "custom", "content": {"copy": "text", "isQuery": False}}, None)]
    for copied in (True, False, "yes"):
        download._handle_custom_msg({"copied": copied, "text": "text"}, [])
    for content in ({"copied": True}, {}, None):
        download._handle_custom_msg(content, [])
    assert told == [(True, "text"), (False, "text")]
