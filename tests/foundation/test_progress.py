"""Progress bars in a notebook: one that was shown is hidden, not taken away; one that never was leaves nothing."""

from __future__ import annotations

import contextvars
from types import SimpleNamespace

import pytest
import tqdm.auto

from calibviz.foundation.progress import with_progress


class NotebookBar:
    """What tqdm shows in a notebook: a container of widgets that is closed once the work is done."""

    def __init__(self, items, displayed):
        self.items, self.displayed = items, displayed
        self.is_closed = False
        self.container = SimpleNamespace(close=self.close, layout=SimpleNamespace(display=None))

    def close(self):
        self.is_closed = True

    def __iter__(self):
        yield from self.items
        self.container.close()


@pytest.mark.parametrize("displayed", [True, False])
def test_a_bar_that_was_shown_is_hidden_at_the_end(monkeypatch, displayed):
    bars = []

    class Bar(NotebookBar):
        def __init__(self, items, **_):
            super().__init__(items, displayed)
            bars.append(self)

    monkeypatch.setattr(tqdm.auto, "tqdm", Bar)
    assert list(with_progress([3, 1], "work", 2)) == [3, 1]
    (bar,) = bars
    assert bar.is_closed != displayed
    assert bar.container.layout.display == ("none" if displayed else None)


def test_another_thread_goes_on_with_the_work():
    steps = with_progress(range(3), "work", 3)
    assert [contextvars.Context().run(next, steps) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(StopIteration):
        contextvars.Context().run(next, steps)
