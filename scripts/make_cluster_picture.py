"""Make the picture of docs/clusters.md: the p-values of models that are right, from the first listing of that page.

python scripts/make_cluster_picture.py    # writes docs/images/clusters-light.png and -dark.png
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from small_pictures import write

DOCS = Path(__file__).resolve().parents[1] / "docs"
COLOURS = 48
THEMES = {  # the colours of text, alarms and other bars
    "light": ("#1f2328", "#ffffff", "#D55E00", "#9aa4ae"),
    "dark": ("#e6edf3", "#0d1117", "#F08A4B", "#59636e"),
}


def listing() -> dict[str, Any]:
    """The names that the first listing of the page makes."""
    code = re.search(r"^```python\n(.*?)^```$", (DOCS / "clusters.md").read_text(encoding="utf-8"), re.DOTALL | re.M)
    assert code is not None
    names: dict[str, Any] = {}
    exec(code[1], names)
    return names


def picture(names: dict[str, Any], theme: str) -> bytes:
    """Histograms of the p-values side by side, as PNG."""
    text, back, alarm, other = THEMES[theme]
    plain = {"text.color": text, "axes.labelcolor": text, "xtick.color": text, "ytick.color": text}
    with mpl.rc_context(plain | {"axes.edgecolor": text, "axes.facecolor": back, "font.size": 12}):
        figure = Figure(figsize=(10, 3.6), dpi=144, facecolor=back, layout="constrained")
        edges = np.linspace(0, 1, 21)
        for axes, (name, title) in zip(
            figure.subplots(1, 2, sharey=True),
            {"alone": "visits taken as independent", "together": "visits of a patient together"}.items(),
            strict=True,
        ):
            counts = np.histogram(names[name], edges)[0]
            axes.bar(edges[:-1], counts, 0.05, align="edge", color=[alarm] + [other] * 19, edgecolor=back)
            axes.axhline(len(names[name]) / 20, color=text, linestyle="--", linewidth=1)
            axes.set_title(f"{title}: {100 * np.mean(names[name] <= 0.05):g} % alarms", fontsize=13)
            axes.set_xlabel("p-value of the test of a right model")
            axes.spines[["top", "right"]].set_visible(False)
        figure.axes[0].set_ylabel("models of 200")
        file = io.BytesIO()
        figure.savefig(file, format="png")
    return file.getvalue()


if __name__ == "__main__":
    made = listing()
    for theme in THEMES:
        write(picture(made, theme), DOCS / "images" / f"clusters-{theme}.png", COLOURS)
