"""Few messages to the browser for any number of widgets.

How fast a figure follows a slider depends on the number of messages, hardly on their size. ``hold_sync`` sends all
changes of one widget in one message; a `Transport` sends all changes of all its widgets in one message::

    transport = Transport()
    line, text = Lines(transport=transport, ...), HTML(transport=transport)

    with transport.collect():
        assign(line, y=...)
        transport.send_now()  # what has changed so far is drawn ahead of the rest
        assign(text, value=...)

Until a browser says that it listens, and in a notebook that is executed without one, each widget sends its changes
itself.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary, WeakSet

import ipywidgets
import numpy as np
import traitlets
from IPython.core.getipython import get_ipython
from ipywidgets.widgets.widget import _remove_buffers

from .scripted import Scripted, read_script

#: Seconds of sleep after a message, so that the thread that sends it runs at once.
HANDOVER = 0.0003
LONGEST_QUEUE = 100_000  # messages; a view of all panels sends some 1,500 when it opens, and 900 when it closes

W = TypeVar("W", bound=ipywidgets.Widget)

#: In each thread, as ``now``: the widget whose state it takes from a page, and the parts of it that the other pages
#: have yet to be told of.
_taking = threading.local()


class Shared(ipywidgets.Widget):
    """Mixin for a widget whose state travels with its transport; the browser sees the usual widget."""

    _transport: Transport | None = None
    _part = ""

    def __init__(self, *args: Any, transport: Transport | None = None, **kwargs: Any) -> None:
        if transport is not None and transport is not self:
            for name in ("layout", "style"):
                if name not in kwargs and self.has_trait(name):
                    kwargs[name] = transport.common(getattr(type(self), name).klass)
        super().__init__(*args, **kwargs)
        if transport is not None:
            transport._widgets.add(self)
            self._transport, self._part = transport, transport._part_in_work

    def send_state(self, key: str | Iterable[str] | None = None) -> None:
        """Send the named parts of the state through the transport, if there is one.

        The whole state goes in a message of its own: a browser that rebuilds the widget asks for it, and waits for that
        kind of message.
        """
        if self._transport is None or key is None:
            super().send_state(key)
        else:
            with self._transport.collect():
                self._transport._note(self, {key} if isinstance(key, str) else set(key))

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take what a page has changed, and tell the other pages of it last.

        ipywidgets tells them first, and the picture would queue behind that message. They get the values after
        the step: Python may have corrected them, and the old ones, sent last, would undo that.
        """
        transport = self._transport
        if transport is None or not transport.is_listening:
            super().set_state(sync_data)
            return
        # Two tabs of JupyterLab are answered in two threads, and each of them waits for an echo of its own.
        outer, keys = getattr(_taking, "now", None), set[str]()
        _taking.now = self, keys
        try:
            super().set_state(sync_data)
        finally:
            _taking.now = outer
            if keys:  # none of a trait that is not echoed, and where ipywidgets is told to echo nothing
                with transport.lock:  # else what another thread has set and sent meanwhile would be taken back
                    state, paths, buffers = _remove_buffers(self.get_state(sorted(keys)))
                    super()._send({"method": "echo_update", "state": state, "buffer_paths": paths}, buffers)

    def _send(self, msg: dict[str, Any], buffers: Any = None) -> None:
        widget, keys = getattr(_taking, "now", None) or (None, set())
        if widget is self and msg["method"] == "echo_update":
            keys.update(msg["state"])
        else:
            super()._send(msg, buffers)

    def _send_alone(self, keys: set[str]) -> None:
        super().send_state(sorted(keys))

    def _take(self, keys: set[str]) -> dict[str, Any]:
        # In order, since the browser answers one by one: labels of ticks have to be known before the ticks are drawn.
        state: dict[str, Any] = self.get_state(sorted(keys))
        # As in Widget.send_state: what the browser sent last is no longer what it knows.
        self._property_lock.update((name, state[name]) for name in keys & self._property_lock.keys())
        return state

    def close(self) -> None:
        """Close the widget and remove it from its transport."""
        if self._transport is not None:
            self._transport._forget(self)
            self._transport = None
        super().close()


class Urgent(Shared):
    """Mixin for a widget of a transport whose changes are sent at once, by themselves, while those of others wait.

    Signs of work are shown that way. No lock is taken: the work that they are signs of may hold it.
    """

    def send_state(self, key: str | Iterable[str] | None = None) -> None:
        """Send the named parts of the state now; a page that does not hear yet is sent them again once it does."""
        keys = {key} if isinstance(key, str) else set(key or ())
        if keys and self._transport is not None and not self._transport.is_listening:
            self._transport._sent_alone.setdefault(self, set()).update(keys)
        ipywidgets.Widget.send_state(self, key)


#: The browser's half, one module.
SCRIPTS = (
    "enlarged.js", "pointing.js", "bars.js", "dots.js", "handles.js", "labels.js", "legends.js", "ticks.js", "typed.js",
    "transport.js",
)  # fmt: skip  # short entries stand in rows


class Transport(Shared, Scripted):
    """Carries the states of many widgets in one message, and gives screen readers a text for each figure.

    It need not be displayed. The browser's half is ``transport.js``. A page that has loaded it says hello, is greeted
    back, and says that it is ready: only then is it certain that the page hears this side. Until then, and in a page
    that never gets that far, each widget sends messages of its own.
    """

    _esm = read_script(*(Path(__file__).with_name(name) for name in SCRIPTS))

    alt = traitlets.Dict(help="The text that is read out for a figure, by its model id").tag(sync=True)

    scores = traitlets.Dict(help="The scores along the x axis of a figure, by its model id").tag(sync=True)
    labels = traitlets.Dict(help="The words over a figure, as HTML, by its model id").tag(sync=True)
    handles = traitlets.Dict(help="The names and values of the dots of a mark that keys move, by its model id").tag(
        sync=True
    )

    dots = traitlets.Dict(help="The look of the dots of a line, by the model id of its mark").tag(sync=True)

    hints = traitlets.Dict(help="The tooltip of a control, by its model id").tag(sync=True)

    def __init__(self, **kwargs: Any) -> None:
        self._widgets: WeakSet[Shared] = WeakSet()
        self._noted: dict[Shared, set[str]] = {}
        self.lock = threading.RLock()
        self._depth = 0
        self.is_listening = False  # whether a page shows the widgets, or has shown them last
        self._has_carried = False
        self._sent_alone: WeakKeyDictionary[Shared, set[str]] = WeakKeyDictionary()
        self._part_in_work = ""
        self._hints: dict[str, Callable[[int], str]] = {}
        self._clicked: dict[str, Callable[[int], None]] = {}
        self._hearers: dict[str, Mapping[str, Callable[..., None]]] = {}
        self._common: dict[Any, ipywidgets.Widget] = {}
        self._all_common: list[ipywidgets.Widget] = []
        self._has_begun = False
        self._when_ready: list[Callable[[], None]] = []
        lengthen_message_queue()
        super().__init__(transport=self, **kwargs)
        self.on_msg(Transport._answer)

    @contextmanager
    def collect(self) -> Iterator[None]:
        """Hold the changes that any widget of this transport makes inside, and send them as one message at the end.

        Other threads wait with their changes, since JupyterLab answers controls in another thread than cells.
        """
        with self.lock:
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if not self._depth:
                    self._flush()

    def send_now(self) -> None:
        """Send what has changed so far, inside of `collect`: the page draws it a frame ahead of what follows."""
        with self.lock:
            if self.is_listening:
                self._flush(ahead=True)

    @property
    def widgets(self) -> list[ipywidgets.Widget]:
        """All widgets that share its messages, itself included, and the layouts and styles that they share."""
        return [*self._widgets, *self._all_common]

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Mark the widgets that are made inside as parts of the element of class ``calibviz-panel-NAME``.

        While that element is out of sight, the browser draws them a frame later than those in sight.
        """
        before, self._part_in_work = self._part_in_work, name
        try:
            yield
        finally:
            self._part_in_work = before

    def common(self, kind: type[W], **traits: Any) -> W:
        """The layout or style of all widgets with these traits that are made together: at first, or in a later step.

        A page opens sooner with one for all than with one for each. But a page that is loading may hear of a new widget
        before it knows the older ones, and cannot build what refers to them. Setting a trait of it raises an
        AttributeError: a widget that changes its layout needs one of its own.
        """
        key = kind, tuple(traits.items())
        if key not in self._common:
            self._common[key] = kind(**traits)
            self._common[key]._register_validator(_refuse_change, list(kind.class_traits(sync=True)))
            self._all_common.append(self._common[key])
        found = self._common[key]
        assert isinstance(found, kind)
        return found

    def tell_of(self, widget: ipywidgets.Widget, **values: Any) -> None:
        """Tell the browser something of one widget by the name of its trait here, unless it knows that already.

        A control has `hints`, its tooltip, since lists and texts of ipywidgets show none; a figure has `alt`, which
        screen readers read, `labels`, words that are laid over it as HTML, and `scores`, to mark the one that is
        pointed at elsewhere: those at places that are evenly spread from its `low` to its `high` x, ascending.
        The dots of a mark have `handles`, so that they are dragged and moved by keys, to the left and right or
        `upward`: their `names`, their `values` in [0, 1], and as `role` the class of the numbers that lie over them.
        """
        for trait, value in values.items():
            known = getattr(self, trait)
            if known.get(widget.model_id) != value:
                setattr(self, trait, {**known, widget.model_id: value})

    def show_dots(self, line: ipywidgets.Widget, look: dict[str, Any], hint: Callable[[int], str]) -> None:
        """Draw dots on the vertices of a line.

        Their `look` has a ``marker``, a ``size`` in square pixels and a ``colour``, and whether they are ``filled``.
        Where ``bars`` is true instead, the line draws bars, and nothing is drawn on its vertices. `hint` returns the
        hint of the dot at a place on the line, for a reader who points at it.
        """
        self.tell_of(line, dots=look)
        self._hints[line.model_id] = hint

    def on_dot(self, line: ipywidgets.Widget, callback: Callable[[int], None]) -> None:
        """Call `callback` with the place of a clicked dot on the line."""
        self._clicked[line.model_id] = callback

    def on_handle(
        self,
        dots: ipywidgets.Widget,
        moved: Callable[[int, float], None],
        dragged: Callable[[int, float], None],
        jumped: Callable[[int], None],
    ) -> None:
        """Call these with what people do with the dots of a mark that have `handles`.

        `moved` takes the place of a dot and the value to which keys, or a number that was typed, move it; `dragged` its
        place and its x in the picture, or its y where it goes up and down, while it is dragged; `jumped` takes -1 or 1,
        where it goes to the nearest place of note below or above.
        """
        self._hearers[dots.model_id] = {"moved": moved, "dragged": dragged, "jumped": jumped}

    def close(self) -> None:
        """Close the transport. Its widgets stay, and send messages of their own again."""
        self._flush()
        for widget in list(self._widgets):
            widget._transport = None
        self._widgets.clear()
        super().close()

    def on_ready(self, callback: Callable[[], None]) -> None:
        """Call `callback` whenever a page is ready."""
        self._when_ready.append(callback)

    def begin(self) -> None:
        """Take what the widgets have now as what every page sees first.

        A page asks for all states, and is deaf until it has built its widgets. So what changes from now on, and before
        a page is ready, is sent once more to that page.
        """
        with self.lock:
            self._has_begun = True
            self._flush()
            self._sent_alone = WeakKeyDictionary()

    def _note(self, widget: Shared, keys: set[str]) -> None:
        self._noted.setdefault(widget, set()).update(keys)

    def _forget(self, widget: Shared) -> None:
        self._widgets.discard(widget)
        self._noted.pop(widget, None)
        self._sent_alone.pop(widget, None)

    def _flush(self, ahead: bool = False) -> None:
        if self._has_begun:
            self._common = {}
        noted, self._noted = {widget: keys for widget, keys in self._noted.items() if keys}, {}
        if not self.is_listening:
            for widget, keys in noted.items():
                widget._send_alone(keys)
                self._sent_alone.setdefault(widget, set()).update(keys)
        elif noted:
            states = {widget.model_id: widget._take(keys) for widget, keys in noted.items()}
            # Only states with arrays are searched for buffers: to search a whole table takes as long as to send it.
            drawn = {model_id: state for model_id, state in states.items() if any(map(_is_array, state.values()))}
            drawn, paths, buffers = _remove_buffers(drawn)
            states |= drawn
            parts = {widget.model_id: widget._part for widget in noted if widget._part}
            content = {"states": states, "buffer_paths": paths, "parts": parts, "ahead": ahead}
            self.send(content, buffers)
            self._has_carried = True
            time.sleep(HANDOVER)

    def _answer(self, content: dict[str, Any], _buffers: list[memoryview]) -> None:
        with self.lock:
            if "hello" in content:
                lengthen_message_queue()  # this page may have come by a connection of its own
                self.is_listening = False
                if self._has_carried:  # the new page may have missed an earlier message
                    for widget in list(self._widgets):
                        widget.send_state()
                self.send(content)
            elif "ready" in content:
                self.is_listening = True
                missed, self._sent_alone = self._sent_alone, WeakKeyDictionary()
                with self.collect():
                    for widget, keys in list(missed.items()):
                        widget.send_state(keys)
                for call in self._when_ready:
                    call()
            elif (mark := content["mark"]) in self._hints and "pointed" in content:
                hint = self._hints[mark](content["pointed"])
                self.send({**content, "hint": hint, "clickable": mark in self._clicked})
            elif heard := self._hearers.get(mark, {}).keys() & content.keys():
                [what] = heard
                self._hearers[mark][what](int(content[what]), *([float(content["to"])] if "to" in content else []))
                if what == "dragged":
                    self.send({"answered": mark})
            elif mark in self._clicked:
                self._clicked[mark](content["clicked"])


def lengthen_message_queue() -> None:
    """Let the kernel keep more messages for a browser that is slow to take them.

    ZeroMQ holds 1,000 messages by default, and drops what comes after them without a word: pictures that never come,
    and widgets that stay on screen when they are closed. A new limit holds for the connections that exist by then, so
    this is called again for each page. Outside of a Jupyter kernel that sends in a thread, nothing is done.
    """
    sender: Any = getattr(getattr(get_ipython(), "kernel", None), "iopub_thread", None)
    if sender is None:
        return

    def lengthen() -> None:
        sender.socket.sndhwm = max(sender.socket.sndhwm, LONGEST_QUEUE)

    sender.schedule(lengthen)  # a socket belongs to its thread


def _refuse_change(owner: ipywidgets.Widget, proposal: Any) -> Any:
    """The value of a trait as it is; an AttributeError for any other."""
    name = proposal.trait.name
    if proposal.value != getattr(owner, name):
        raise AttributeError(f"{name} of a {type(owner).__name__} that many widgets share cannot be set")
    return proposal.value


def assign(widget: ipywidgets.Widget, **traits: Any) -> None:
    """Set several traits of a widget in one message, without those that have the value already.

    Arrays that hold NaN in the same places are equal here (to bqplot they are not, and it sends them again), and
    float64 becomes float32: half the bytes, and far finer than a pixel.
    """
    changed = {}
    for name, value in traits.items():
        old = getattr(widget, name)
        if isinstance(value, np.ndarray) or isinstance(old, np.ndarray):
            value = on_the_wire(value)
            is_same = old is value or _is_same(old, value)
        else:
            is_same = old is value or old == value
        if not is_same:
            changed[name] = value
    if not changed:
        return
    with ExitStack() as held:
        if len(changed) > 1:  # to hold one alone takes longer than to set it
            held.enter_context(widget.hold_sync())
            held.enter_context(widget.hold_trait_notifications())
        for name, value in changed.items():
            setattr(widget, name, value)


class Following:
    """Mixin for what has controls that follow choices: what these change while they are set, nobody has chosen."""

    _following = False

    @contextmanager
    def _follows(self) -> Iterator[None]:
        before, self._following = self._following, True
        try:
            yield
        finally:
            self._following = before


def _is_array(value: Any) -> bool:
    """Whether a serialised value is an array of bqplot."""
    return isinstance(value, dict) and isinstance(value.get("value"), memoryview)


def on_the_wire(value: Any) -> Any:
    """A value as it is sent: float64 becomes float32."""
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        return value.astype(np.float32)
    return value


def _is_same(old: Any, new: Any) -> bool:
    """Whether arrays are the same, or both are none."""
    if old is None or new is None:
        return False
    old, new = np.squeeze(old), np.squeeze(new)  # bqplot squeezes what it is given
    # Bytes are compared: a comparison of values that treats nan as equal takes ten times as long.
    return old.dtype == new.dtype and old.shape == new.shape and old.tobytes() == new.tobytes()
