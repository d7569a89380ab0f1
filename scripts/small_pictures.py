"""Pictures with a small palette of their own, for the scripts beside this file."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image

RARE_ONES_TOO = {"method": Image.Quantize.MAXCOVERAGE, "kmeans": 3, "dither": Image.Dither.NONE}
MOST = 2**32 // 255


def write(png: bytes, path: Path, colours: int) -> None:
    """Write a picture in so many colours: of flat areas and thin lines, they show as much in a third of the bytes."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    # Pillow adds up the values of all pixels in 32 bits: of a larger picture every fourth pixel chooses the colours.
    few = image.resize((image.width // 2, image.height // 2), Image.Resampling.NEAREST)
    sample = image if image.width * image.height < MOST else few
    palette = sample.quantize(colours, **RARE_ONES_TOO)
    image.quantize(palette=palette, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path.name}: {image.width} x {image.height}, {path.stat().st_size / 1000:.0f} kB", flush=True)
