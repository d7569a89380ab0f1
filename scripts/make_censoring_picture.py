"""Make the picture of docs/censoring.md, light and dark, by running the code of that page.

python scripts/make_censoring_picture.py
"""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
from small_pictures import write

DOCS = Path(__file__).resolve().parents[1] / "docs"
COLOURS = 32


def picture() -> Any:
    """The picture that the page makes."""
    code = re.findall(r"^```python\n(.*?)^```$", (DOCS / "censoring.md").read_text(encoding="utf-8"), re.DOTALL | re.M)
    names: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for block in code:
            exec(block, names)
    return names["picture"]


def main() -> None:
    """Write both."""
    for name, style in (("light", "default"), ("dark", "dark_background")):
        with plt.style.context(style):
            png = io.BytesIO()
            picture().savefig(png, dpi=150)
        write(png.getvalue(), DOCS / "images" / f"censoring-{name}.png", COLOURS)


if __name__ == "__main__":
    main()
