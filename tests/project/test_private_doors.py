"""What calibviz uses of other packages that they do not promise: each in one file, which a new version may break.

Where a test fails, a version has moved what it names: mend the file, and write down the version it was tried with.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from inspect import getattr_static, signature
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "calibviz"


@dataclass(frozen=True)
class Door:
    """A thing that a file uses: where it lies, what it takes, and the version that it was tried with last."""

    file: str
    package: str
    tried: str
    module: str
    name: str
    takes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


TRANSPORT, HANDLERS, LAUNCHER = "explorer/transport/transport.py", "app/server/handlers.py", "app/server/launcher.py"
WIDGETS = ("ipywidgets", "8.1.9", "ipywidgets.widgets.widget")
VOILA, KERNEL = ("voila", "0.5.13"), ("ipykernel", "7.4.0")
DOORS = [
    Door(TRANSPORT, *WIDGETS, "_remove_buffers", ("state",)),
    Door(TRANSPORT, *WIDGETS, "Widget._send", ("self", "msg", "buffers")),
    Door(TRANSPORT, *WIDGETS, "Widget._property_lock"),
    Door(HANDLERS, *VOILA, "voila.handler", "BaseVoilaHandler.initialize", ("self", "kwargs")),
    Door(HANDLERS, *VOILA, "voila.notebook_renderer", "NotebookRenderer"),
    Door(HANDLERS, *VOILA, "voila.shutdown_kernel_handler", "VoilaShutdownKernelHandler.post", ("self", "kernel_id")),
    Door(HANDLERS, *VOILA, "voila.static_file_handler", "MultiStaticFileHandler"),
    Door(HANDLERS, *VOILA, "voila.static_file_handler", "TemplateStaticFileHandler.parse_url_path", ("self", "path")),
    Door(HANDLERS, *VOILA, "voila.tornado.handler", "TornadoVoilaHandler"),
    Door(HANDLERS, *VOILA, "voila.tornado.kernel_websocket_handler", "VoilaKernelWebsocketHandler.on_close", ("self",)),
    Door(HANDLERS, *VOILA, "voila.utils", "get_page_config", ("base_url", "settings", "log", "voila_configuration")),
    Door(LAUNCHER, *KERNEL, "ipykernel.kernelapp", "IOPubThread"),
    Door(LAUNCHER, *KERNEL, "ipykernel.iostream", "IOPubThread.__init__", ("self", "socket", "pipe")),
    Door("app/server/kernels.py", *KERNEL, "ipykernel.kernelspec", "RESOURCES"),
    Door("app/server/kernels.py", *KERNEL, "ipykernel.kernelspec", "get_kernel_dict"),
]


def missing(door: Door) -> str:
    """Why a thing cannot be used as the file uses it; empty where it can."""
    now = f"{door.package} {version(door.package)} (calibviz/{door.file} was last tried with {door.tried})"
    try:
        thing = import_module(door.module)
        for name in door.name.split("."):
            thing = getattr_static(thing, name)
    except (ImportError, AttributeError):
        return f"{door} is not in {now}"
    taken = set(signature(thing).parameters) if door.takes else set()
    return f"{door} does not take {set(door.takes) - taken} in {now}" if set(door.takes) - taken else ""


@pytest.mark.parametrize("door", DOORS, ids=str)
def test_it_is_there(door: Door) -> None:
    assert missing(door) == ""


def test_what_has_moved_is_named_in_words() -> None:
    gone = Door(TRANSPORT, *WIDGETS, "Widget._gone")
    assert missing(gone).startswith("ipywidgets.widgets.widget.Widget._gone is not in ipywidgets ")
    assert missing(gone).endswith(f"(calibviz/{TRANSPORT} was last tried with 8.1.9)")
    other = Door(TRANSPORT, *WIDGETS, "Widget._send", ("self", "letter"))
    assert "does not take {'letter'} in ipywidgets" in missing(other)


def imported(path: Path) -> list[tuple[str, str]]:
    """The modules and names that a file imports from elsewhere, functions included."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [
        (node.module or "", alias.name)
        for node in nodes
        if isinstance(node, ast.ImportFrom) and not node.level
        for alias in node.names
    ]


def test_no_other_file_uses_them() -> None:
    """Private names of any package, and all that comes from those whose insides are used."""
    found = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        file = path.relative_to(PACKAGE).as_posix()
        for module, name in imported(path):
            is_private = name.startswith("_") and not module.startswith(("calibviz", "__future__"))
            if is_private or module.partition(".")[0] in ("voila", "ipykernel"):
                found.add((file, f"{module}.{name}"))
    named = {(door.file, f"{door.module}.{door.name.partition('.')[0]}") for door in DOORS}
    # The class of the whole server, which is its public door; and the module in which the launcher replaces a name.
    named |= {("app/server/__init__.py", "voila.app.Voila"), (LAUNCHER, "ipykernel.kernelapp")}
    assert found <= named
