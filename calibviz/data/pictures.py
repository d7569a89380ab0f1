"""Images of the samples: their check, and PNG files of them for a browser."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..foundation.arrays import OVERSHOOT_TOLERANCE, plain_array, refuse_where, row_blocks

Pixels = NDArray[np.uint8]

LEAST_SIDE = 32  # pixels; a smaller image is enlarged


def pixels(value: Any, n: int) -> Pixels:
    """Images (n, h, w) or (n, h, w, 3) as uint8, which is not copied; floats in [0, 1] are rounded to 256 levels."""
    array = plain_array(value, "images")
    if array.dtype != np.uint8 and array.dtype.kind != "f":
        raise TypeError(f"images must be uint8, or floats in [0, 1], not {array.dtype}")
    if array.ndim < 3 or array.shape[3:] not in ((), (3,)) or array.size == 0:
        raise ValueError(f"images must have shape (n, h, w) or (n, h, w, 3); it has shape {array.shape}")
    if len(array) != n:
        raise ValueError(f"images has {len(array)} entries, but there are {n} rows of probabilities")
    if array.dtype == np.uint8:
        return array
    out = np.empty(array.shape, np.uint8)
    for block in row_blocks(n, array[0].size):
        part = array[block].astype(np.float64)
        outside = ~((part >= -OVERSHOOT_TOLERANCE) & (part <= 1 + OVERSHOOT_TOLERANCE))
        refuse_where(outside, part, "images", block.start, "a pixel lies between 0 and 1, or is uint8")
        out[block] = np.rint(255 * np.clip(part, 0, 1))
    return out


def png_url(image: Pixels) -> str:
    """One image as a `data:` URL, enlarged by a whole factor to at least `LEAST_SIDE` pixels a side."""
    factor = -(-LEAST_SIDE // min(image.shape[:2]))
    image = image.repeat(factor, axis=0).repeat(factor, axis=1)
    height, width = image.shape[:2]
    lines = np.pad(image.reshape(height, -1), ((0, 0), (1, 0)))  # a 0 before each line says: not filtered
    colours = 0 if image.ndim == 2 else 2  # grey; red, green and blue
    header = struct.pack(">2I5B", width, height, 8, colours, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n"
    for kind, data in ((b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes())), (b"IEND", b"")):
        png += struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return "data:image/png;base64," + b64encode(png).decode()
