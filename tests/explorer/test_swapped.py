"""The box that keeps a view on screen until the next one is drawn."""

from __future__ import annotations

from collections.abc import Iterator

import ipywidgets
import pytest

import calibviz as cv
from calibviz.explorer.view.page.swapped import SwappedView


@pytest.fixture
def swapped() -> Iterator[SwappedView]:
    swapped = SwappedView()
    yield swapped
    swapped.view.close()


def explorer(is_on_a_page: bool) -> cv.Explorer:
    made = cv.Explorer(cv.load_dataset("tumours")["naive Bayes"])
    if is_on_a_page:
        made._transport._handle_custom_msg({"ready": True}, [])
    return made


def shown(swapped: SwappedView) -> list[tuple[ipywidgets.Widget, bool]]:
    """The views in the box, and whether each is still coming."""
    places = [place for place in swapped.children if isinstance(place, ipywidgets.VBox)]
    return [(view, "is-coming" in place._dom_classes) for place in places for view in place.children]


def drawn(swapped: SwappedView, turn: int) -> None:
    swapped.children[-1]._handle_custom_msg({"drawn": turn}, [])


def test_without_a_page_a_view_follows_at_once(swapped: SwappedView) -> None:
    first, second = explorer(False), explorer(False)
    swapped.show(first)
    swapped.show(second)
    assert shown(swapped) == [(second, False)] and first.comm is None and swapped.view is second


def test_on_a_page_the_one_before_stays_until_the_next_is_drawn(swapped: SwappedView) -> None:
    first, second = explorer(True), explorer(False)
    swapped.show(first)
    swapped.show(second)
    assert set(shown(swapped)) == {(first, False), (second, True)} and swapped.view is second
    drawn(swapped, 0)  # of another view
    assert first.comm is not None
    drawn(swapped, 1)
    assert shown(swapped) == [(second, False)] and first.comm is None and second.comm is not None
    drawn(swapped, 1)
    assert shown(swapped) == [(second, False)]


def test_a_view_that_is_not_wanted_any_more_never_comes(swapped: SwappedView) -> None:
    first, second, third = explorer(True), explorer(False), explorer(False)
    for view in (first, second, third):
        swapped.show(view)
    assert second.comm is None and set(shown(swapped)) == {(first, False), (third, True)}
    drawn(swapped, 1)
    assert first.comm is not None
    drawn(swapped, 2)
    assert shown(swapped) == [(third, False)] and first.comm is None


def test_what_has_no_pictures_comes_at_once(swapped: SwappedView) -> None:
    first, text = explorer(True), ipywidgets.HTML("a place for a file")
    swapped.show(first)
    heard: list[ipywidgets.Widget] = []
    swapped.on_view(heard.append)
    swapped.show(text)
    assert shown(swapped) == [(text, False)] and first.comm is None and heard == [first, text]


def test_a_view_that_was_drawn_stays_though_its_page_does_not_listen_yet(swapped: SwappedView) -> None:
    first, second, third = explorer(True), explorer(False), explorer(False)
    swapped.show(first)
    swapped.show(second)
    drawn(swapped, 1)
    swapped.show(third)
    assert set(shown(swapped)) == {(second, False), (third, True)}
    drawn(swapped, 2)
    swapped.show(ipywidgets.HTML("a place for a file"))
    fourth = explorer(False)
    swapped.show(fourth)  # in place of what no page tells of
    assert shown(swapped) == [(fourth, False)]
