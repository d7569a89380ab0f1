"""Objects that one process hands over to others, by a file that only this account can write: see `OwnFolder`.

Their arrays are not copied into memory: all who take the object over read the same pages of the file.
"""

from __future__ import annotations

import mmap
import pickle
from pathlib import Path
from typing import Any

ALIGNED = 64  # bytes: an array begins at a multiple of this, as where NumPy makes one


def hand_over(value: Any, file: Path) -> None:
    """Write an object into a file, its arrays after all else."""
    arrays: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(value, protocol=5, buffer_callback=arrays.append)
    parts = [array.raw() for array in arrays]
    with file.open("wb") as out:
        pickle.dump((rest, [part.nbytes for part in parts]), out)
        for part in parts:
            out.write(bytes(-out.tell() % ALIGNED))
            out.write(part)


def taken_over(file: Path) -> Any:
    """The object in a file; its arrays can only be read."""
    with file.open("rb") as given:
        rest, sizes = pickle.load(given)
        start = given.tell()
        pages = memoryview(mmap.mmap(given.fileno(), 0, access=mmap.ACCESS_READ))
    arrays = []
    for size in sizes:
        start += -start % ALIGNED
        arrays.append(pages[start : start + size])
        start += size
    return pickle.loads(rest, buffers=arrays)
