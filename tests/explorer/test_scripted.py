"""Widgets with scripts of their own: each of them hears Python also where its page was slow to begin."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import anywidget
import pytest

import calibviz.explorer
from calibviz.explorer.transport.scripted import Scripted
from calibviz.explorer.view.elements import OwnControl


def below(kind: type) -> Iterator[type]:
    for one in kind.__subclasses__():
        yield one
        yield from below(one)


for module in pkgutil.walk_packages(calibviz.explorer.__path__, "calibviz.explorer."):
    importlib.import_module(module.name)
OURS = [kind for kind in below(anywidget.AnyWidget) if kind.__module__.startswith("calibviz.")]
SCRIPTS = [kind for kind in OURS if kind not in (Scripted, OwnControl)]
assert len(SCRIPTS) > 8


@pytest.mark.parametrize("kind", SCRIPTS)
def test_every_script_of_ours_hears_python_on_a_slow_page(kind: type[Scripted]) -> None:
    assert issubclass(kind, Scripted)
    assert kind._esm.count("export default heard({") == kind._esm.count("export default ") == 1
    assert kind._esm.count("function heard(") == 1


def test_a_widget_tells_its_page_its_id() -> None:
    widget = Scripted()
    assert widget.me == widget.model_id == widget.get_state()["me"]
    widget.close()
