"""How often tests of samples that belong together cry wolf, and how often their intervals hold the truth.

    python benchmarks/dependence.py                         # measures all that is not measured yet, and prints it
    python benchmarks/dependence.py --only B5 --sets 200    # one part, with fewer data sets, and keeps nothing
    python benchmarks/dependence.py --tables                # prints what was measured, as it stands in coverage.md

All data sets come from models of which the truth is known (`dependent_data.py`). Each cell is written into
`dependence.jsonl` as soon as it is measured, so that a run that was stopped goes on. All of it takes about an hour.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
import zlib
from pathlib import Path
from textwrap import fill

import numpy as np
from dependence_parts import PARTS, Part

KEPT = Path(__file__).with_name("dependence.jsonl")
PAGE = Path(__file__).with_name("coverage.md")  # ends with all tables

ABOUT = """
`python benchmarks/dependence.py`: what is claimed of samples in clusters, at a horizon, of centres, imputations and
streams, measured by the public functions on data sets of which the truth is known. A rate of 5 % is known to 1.0
points of 500 sets, to 1.5 of 200, to 2.0 of 120 and to 3.4 of 40; one of 90 % to 1.3, 2.1, 2.7 and 4.7. The line
*claimed* holds what was claimed before. "Latent" is the correlation of the normal numbers behind two outcomes of a
cluster; "skewed" clusters have lognormal sizes and are worth a quarter as many; "whole" ones are one score and one
outcome; the scores of "match" sharpen towards one outcome; and "rare" events are 4.8 %.
"""

WIDTH = 120  # of lines of words

Rates = dict[str, tuple[float, int]]  # of each column: the mean, and of how many data sets


def measured(part: Part, cell: str, sets: int) -> Rates:
    """Measure one cell: the mean of each column over data sets, without those where it is nan."""
    rows = []
    for i in range(sets):
        rng = np.random.default_rng([zlib.crc32(f"{part.name} {cell}".encode()), i])
        rows.append(part.measure(cell, rng))
    values = {name: np.array([row.get(name, np.nan) for row in rows], dtype=np.float64) for name in part.columns}
    known = {name: each[~np.isnan(each)] for name, each in values.items()}
    return {name: (round(float(each.mean()), 5), len(each)) for name, each in known.items() if len(each)}


def kept() -> dict[tuple[str, str], tuple[int, Rates]]:
    """All cells that were measured, by part and name: how many data sets, and the rates."""
    if not KEPT.exists():
        return {}
    lines = [json.loads(line) for line in KEPT.read_text(encoding="utf-8").splitlines()]
    return {
        (line["part"], line["cell"]): (line["sets"], {name: tuple(each) for name, each in line["rates"].items()})
        for line in lines
    }


def table(part: Part, known: dict[tuple[str, str], tuple[int, Rates]]) -> str:
    """The heading, the words and the table of a part."""
    lines = [f"## {part.name}: {part.title}", "", fill(part.about, WIDTH), ""]
    lines += [f"| {part.of} | {' | '.join(part.columns)} | sets |", f"|---|{'---:|' * (len(part.columns) + 1)}"]
    lines.append(f"| *claimed* | {' | '.join(f'*{claim}*' for claim in part.columns.values())} | |")
    for cell in part.cells:
        if (part.name, cell) in known:
            sets, rates = known[part.name, cell]
            shown = [f"{100 * rates[name][0]:.1f}" if name in rates else "–" for name in part.columns]
            lines.append(f"| {cell} | {' | '.join(shown)} | {sets:,} |")
    if part.verdict:
        lines += ["", fill(part.verdict, WIDTH)]
    return "\n".join([*lines, ""])


def section() -> str:
    """All that coverage.md holds of this."""
    known = kept()
    tables = [table(part, known) for part in PARTS if any(name == part.name for name, _ in known)]
    return "\n".join(["# Samples that belong together", "", ABOUT.strip(), "", *tables])


def main() -> None:
    """Read the command line, measure what is missing, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[part.name for part in PARTS], metavar="PART")
    parser.add_argument("--sets", type=int, help="data sets of each cell; what is measured so is not kept")
    parser.add_argument("--tables", action="store_true", help="measure nothing")
    args = parser.parse_args()
    if args.tables:
        print(section(), end="")
        return
    warnings.filterwarnings("ignore", message=".*followed to the horizon.*")  # few of them are a cell of their own
    start = time.perf_counter()
    for part in PARTS:
        if part.name not in args.only:
            continue
        known = kept() if args.sets is None else {}
        for cell in part.cells:
            sets = args.sets or part.sets(cell)
            if (part.name, cell) not in known:
                known[part.name, cell] = sets, measured(part, cell, sets)
                if args.sets is None:
                    line = {"part": part.name, "cell": cell, "sets": sets, "rates": known[part.name, cell][1]}
                    with KEPT.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(line, ensure_ascii=False) + "\n")
            print(f"{part.name} {cell}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
        print(table(part, known), flush=True)


if __name__ == "__main__":
    main()
