"""A place in a page where a file is chosen or dropped, or two at once, which Python then has as files of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import ipywidgets
import traitlets

from ....foundation.folders import OwnFolder
from ...transport.scripted import Scripted
from ..elements import page_script, page_style

#: Bytes of a message, since the server of a page takes no large ones.
PIECE = 2**19
#: Bytes of a file that a page takes; the kernel needs several times as much.
LARGEST_FILE = 200_000_000
MOST_FILES = 2  # at once


class FileDrop(Scripted):
    """Takes a file that somebody chooses or drops, or two at once; the latest replace those before.

    The browser's half is ``file_drop.js``. It sends a file in pieces, each when Python asks for it, and then the next.
    Files are kept in a folder that only this user can open, until others come, or the widget or its process ends.
    """

    _esm = page_script(__file__)
    _css = page_style(__file__)

    hint = traitlets.Unicode(help="What files are taken, below the place").tag(sync=True)
    accept = traitlets.Unicode(help="Endings of files, such as '.csv,.npz'").tag(sync=True)

    def __init__(self, folder: Path | None = None, limit: int = LARGEST_FILE, **kwargs: Any) -> None:
        self.limit = limit
        self._place = folder
        self._folder: OwnFolder | None = None
        self._file: Path | None = None
        self._whole: list[Path] = []  # of those that come together
        self._turn, self._size, self._next = 0, 0, 0
        self._came = ipywidgets.CallbackDispatcher()
        self._failed = ipywidgets.CallbackDispatcher()
        super().__init__(**kwargs)
        self.on_msg(FileDrop._answer)

    def on_file(self, callback: Callable[..., None]) -> None:
        """Call `callback` with the path of a file once it is there, or with those of two that came together."""
        self._came.register_callback(callback)

    def on_failure(self, callback: Callable[[str], None]) -> None:
        """Call `callback` with a sentence where a file does not come; the one before is gone then."""
        self._failed.register_callback(callback)

    def close(self) -> None:
        """Remove the file, too."""
        self._forget()
        super().close()

    def _forget(self) -> None:
        self._file, self._whole = None, []
        if self._folder is not None:
            self._folder.remove()
            self._folder = None

    def _answer(self, message: Any, buffers: list[memoryview]) -> None:
        try:
            self._receive(message, buffers)
        except OSError as error:
            self._lose(f"it cannot be stored: {error.strerror or error}")

    def _receive(self, message: Any, buffers: list[memoryview]) -> None:
        match message:
            case {"name": str(name), "size": int(size), "turn": int(turn), **more} if size >= 0:
                match more.get("place", 0), more.get("of", 1):
                    case int(place), int(of) if place in (0, len(self._whole)):
                        self._begin(name, size, turn, (place, of))
            case {"turn": int(turn), "failed": str(reason)} if turn == self._turn and self._file is not None:
                self._lose(f"the browser cannot read it: {reason}")
            case {"turn": int(turn)} if turn == self._turn and self._file is not None and len(buffers) == 1:
                with self._file.open("ab") as stream:
                    stream.write(buffers[0])
                self._go_on()

    def _begin(self, name: str, size: int, turn: int, place_of: tuple[int, int]) -> None:
        """Ask for the first piece of a file, which has a place, from 0, among several that come together."""
        place, of = place_of
        if place == 0:
            self._forget()
        self._turn, self._size, self._next = turn, size, (place + 1) % max(of, 1)
        if of > MOST_FILES:
            said = "drop one file, or two: the predictions, and the file that holds their labels"
            self._refuse(f"{of:,} files came at once: {said}")
            return
        # A browser may send a path of either system.
        name = PureWindowsPath(PurePosixPath(name).name).name.replace("\0", "")
        if name in ("", ".", ".."):
            name = "file"
        if size > self.limit:
            has = f"{name!r} has {size / 1e6:,.1f} MB, and a page takes {self.limit / 1e6:,.0f} MB at most"
            self._refuse(f"{has}. The command `calibviz explore {name}` reads larger files.")
            return
        self._folder = self._folder or OwnFolder(self._place)
        folder = self._folder.path / str(place) if place else self._folder.path  # two may have the same name
        folder.mkdir(exist_ok=True)
        self._file = folder / name
        self._file.touch()
        self._go_on()

    def _go_on(self) -> None:
        """Ask for the next piece of the file, or hand it over."""
        assert self._file is not None
        there = self._file.stat().st_size
        if there < self._size:
            self.send({"turn": self._turn, "from": there, "to": min(there + PIECE, self._size)})
        elif there > self._size:
            self._lose("more came than was announced")
        else:
            self._whole.append(self._file)
            self.send({"turn": self._turn, "done": True} | ({"next": self._next} if self._next else {}))
            if not self._next:
                self._came(*self._whole)

    def _lose(self, reason: str) -> None:
        name = "the file" if self._file is None else repr(self._file.name)
        self._refuse(f"{name} could not be opened: {reason}")

    def _refuse(self, why: str) -> None:
        """Keep nothing of a file, and say why."""
        self._forget()
        self.send({"turn": self._turn, "done": True})
        self._failed(why)
