"""Draw the folders of calibviz and what they import, and list them, in docs/architecture.md.

python scripts/make_architecture.py           # writes the table and the pictures
python scripts/make_architecture.py --check   # fails if they are not those of the imports
"""

from __future__ import annotations

import argparse
import ast
import graphlib
import re
import sys
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "calibviz"
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- begin: made by scripts/make_architecture.py -->\n", "<!-- end -->\n"
COLOURS = {"light": ("#1b1b1b", "#f2f5f8", "#0072b2"), "dark": ("#e6e6e6", "#22282f", "#56b4e9")}
WIDTH, HEIGHT, GAP = 4.6, 0.62, 0.42  # inches: of a box, and between rows


def imports() -> dict[str, set[str]]:
    """The folders of the package, and modules beside them, each with those that it imports."""
    rooms = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in PACKAGE.rglob("*.py")}
    rooms -= {"__init__", "_accessor", "_version"}
    found: dict[str, set[str]] = {room: set() for room in rooms}
    for path in PACKAGE.rglob("*.py"):
        inside = path.relative_to(PACKAGE).with_suffix("").parts
        if inside[0] not in rooms:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom):
                continue
            names = node.module.split(".") if node.module else []
            if node.level:
                base = inside[: len(inside) - node.level]
            elif names[0] == "calibviz":
                base, names = (), names[1:]
            else:
                continue
            for alias in node.names:
                found[inside[0]].add((*base, *names, alias.name)[0])
    return {room: targets & rooms - {room} for room, targets in found.items()}


def said_of(room: str) -> str:
    """The first line of a folder's docstring."""
    path = PACKAGE / room / "__init__.py" if (PACKAGE / room).is_dir() else PACKAGE / f"{room}.py"
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n")[0]


def rows_of(arrows: dict[str, set[str]]) -> list[list[str]]:
    """The folders from the ground up: each stands in the lowest row that is above all that it imports."""
    row: dict[str, int] = {}
    for room in graphlib.TopologicalSorter(arrows).static_order():
        row[room] = 1 + max((row[target] for target in arrows[room]), default=-1)
    return [sorted(room for room in row if row[room] == level) for level in range(max(row.values()) + 1)]


def direct(arrows: dict[str, set[str]]) -> dict[str, set[str]]:
    """The arrows that no way over other folders stands for."""

    def reached(room: str) -> set[str]:
        return arrows[room].union(*(reached(target) for target in arrows[room]))

    return {
        room: {one for one in targets if not any(one in reached(other) for other in targets - {one})}
        for room, targets in arrows.items()
    }


def table_of(arrows: dict[str, set[str]]) -> str:
    """The folders from the roof down, as Markdown."""
    lines = [
        f"| `{room}` | {said_of(room)} | {', '.join(sorted(arrows[room])) or 'none'} |"
        for row in reversed(rows_of(arrows))
        for room in row
    ]
    return "\n".join(["| folder | what is in it | imports |", "|---|---|---|", *lines, ""])


def picture_of(arrows: dict[str, set[str]], theme: str) -> Figure:
    """The house."""
    ink, paper, line = COLOURS[theme]
    rows = rows_of(arrows)
    widest = max(len(row) for row in rows)
    size = (widest * (WIDTH + GAP) + 2 * GAP, len(rows) * (HEIGHT + GAP) + GAP)
    figure = Figure(figsize=size)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, size[0]), ylim=(0, size[1]))
    axes.set_axis_off()
    place = {
        room: (size[0] / 2 + (i - (len(row) - 1) / 2) * (WIDTH + GAP), GAP + HEIGHT / 2 + level * (HEIGHT + GAP))
        for level, row in enumerate(rows)
        for i, room in enumerate(row)
    }
    for room, targets in sorted(direct(arrows).items()):
        x, y = place[room]
        for target in sorted(targets):  # in the same order each time, so that the same imports give the same file
            below, height = place[target]
            far = y - height > 1.5 * (HEIGHT + GAP)  # then around the boxes between them
            end = (below + WIDTH / 2, height) if far and below <= x else (below, height + HEIGHT / 2)
            axes.add_patch(
                FancyArrowPatch(
                    (x + (WIDTH / 2 if far else 0), y - (0 if far else HEIGHT / 2)),
                    end,
                    connectionstyle="arc3,rad=-0.3" if far else "arc3,rad=0",
                    arrowstyle="-|>",
                    mutation_scale=12,
                    color=line,
                    linewidth=1.1,
                    shrinkA=0,
                    shrinkB=0,
                )
            )
    for room, (x, y) in place.items():
        box = FancyBboxPatch(
            (x - WIDTH / 2, y - HEIGHT / 2),
            WIDTH,
            HEIGHT,
            boxstyle="round,pad=0,rounding_size=0.08",
            facecolor=paper,
            edgecolor=line,
            linewidth=1.2,
        )
        axes.add_patch(box)
        axes.text(x, y + 0.11, room, color=ink, ha="center", va="center", fontsize=11, fontweight="bold")
        said = re.split(r"[:;(]|, (?=each|and how|made)", said_of(room))[0].rstrip(". ")
        axes.text(x, y - 0.14, said.replace("`", ""), color=ink, ha="center", va="center", fontsize=7.5)
    return figure


def told(arrows: dict[str, set[str]]) -> str:
    """What a picture was drawn from, as the text that it carries."""
    return "; ".join(f"{room} imports {', '.join(sorted(arrows[room]))}" for room in sorted(arrows) if arrows[room])


def main() -> int:
    """Write what the imports are, or check that it stands there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if anything would change")
    args = parser.parse_args()
    arrows = imports()
    page = PAGE.read_text(encoding="utf-8")
    before, after = page.partition(BEGIN)[0], page.partition(END)[2]
    wanted = f"{before}{BEGIN}\n{table_of(arrows)}\n{END}{after}"
    pictures = {theme: ROOT / "docs" / "images" / f"architecture-{theme}.svg" for theme in COLOURS}
    if args.check:
        old = [path for path in pictures.values() if f">{told(arrows)}<" not in path.read_text(encoding="utf-8")]
        stale = [str(path.relative_to(ROOT)) for path in ([PAGE] if page != wanted else []) + old]
        if stale:
            print(f"{', '.join(stale)}: run python scripts/make_architecture.py", file=sys.stderr)
        return len(stale)
    PAGE.write_text(wanted, encoding="utf-8")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "calibviz"})
    for theme, path in pictures.items():
        told_by = {"Date": None, "Creator": None, "Description": told(arrows)}
        picture_of(arrows, theme).savefig(path, transparent=True, metadata=told_by)
    return 0


if __name__ == "__main__":
    sys.exit(main())
