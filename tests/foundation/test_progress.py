"""Progress bars in a notebook: one that was shown is hidden, not taken away; one that never was leaves nothing."""

from __future__ import annotations

import contextvars
import gc
from types import SimpleNamespace

import pytest
import tqdm.auto

import calibviz as cv
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


def test_bars_are_shown_after_an_error_that_ends_the_outer_work_first(monkeypatch):
    shown = []
    monkeypatch.setattr("calibviz.foundation.progress._bar", lambda items, disable, **_: shown.append(disable) or items)

    def fail(steps):  # the error holds this argument, and it is closed last
        for _ in steps:
            raise ValueError("of the user")

    with pytest.raises(ValueError, match="of the user"):
        for _ in with_progress(range(2), "outer", 2):
            fail(with_progress(range(2), "inner", 2))
    gc.collect()
    assert list(with_progress([3], "next", 1)) == [3]
    assert shown == [False, True, False]


@pytest.mark.parametrize("progress", [True, False])
@pytest.mark.parametrize(
    "curve", [cv.decision_curve, cv.murphy_curve, lambda p, **more: cv.coverage_at_risk(p, risk=0.1, **more)]
)
def test_draws_of_what_acting_is_worth_show_a_bar(monkeypatch, curve, progress):
    shown = []

    class Bar(NotebookBar):
        def __init__(self, items, total, disable, **_):
            super().__init__(items, displayed=False)
            shown.append((total, not disable))

    monkeypatch.setattr(tqdm.auto, "tqdm", Bar)
    curve(cv.load_dataset("tumours")["naive Bayes"], replicates=3, progress=progress)
    assert shown == [(3, progress)]
