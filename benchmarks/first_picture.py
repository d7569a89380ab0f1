"""How soon `calibviz explore FILE` shows the first reliability diagram of a large file.

    python benchmarks/first_picture.py
    python benchmarks/first_picture.py --only binary.csv

The files hold 2,000,000 binary rows with two fields, and 20,000 rows of 1,000 classes. First the parts, each in seconds
of the processor in one fresh process: the import of what the command needs, the file as columns, the recognition of
their roles, the checks of `Predictions`, the hand-over to the page; and in another process, which begins with that, the
import of what a page needs, and the Explorer. Then the whole, with Chromium open: seconds from the command to the
address, and to the picture, with those of the processor in all processes of the command (the browser's are not
counted). A picture that comes later than 5 s is marked `MISSED`: on a machine with other work, compare the processor.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
import psutil
from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser.pages import find_browser, launch

ROOT = Path(__file__).parents[1]
LIMIT = 5.0  # seconds
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled once, not at each start
READING = r"""
import sys, time
from importlib import import_module
from pathlib import Path
spent, began = {}, time.process_time()
import calibviz.app.cli
from calibviz.data import predictions
from calibviz.data.readers import read_predictions
from calibviz.foundation.handing_over import hand_over
spent["import"] = time.process_time() - began

def timed(holder, name, part):
    function = getattr(holder, name)
    def measured(*arguments, **options):
        began = time.process_time()
        try:
            return function(*arguments, **options)
        finally:
            spent[part] = spent.get(part, 0.0) + time.process_time() - began
    setattr(holder, name, measured)

timed(predictions.Predictions, "__init__", "Predictions")
for name, function in (
    ("array_files", "array_arguments"), ("parquet_files", "table_arguments"), ("text_tables", "table_arguments")
):
    timed(import_module(f"calibviz.data.readers.{name}"), function, "recognise")
began = time.process_time()
read = read_predictions(sys.argv[1])
whole = time.process_time() - began
spent["read"] = whole - spent["Predictions"] - spent.get("recognise", 0.0)
began = time.process_time()
hand_over(read, Path(sys.argv[2]))
spent["hand over"] = time.process_time() - began
print(spent)
"""
SHOWING = r"""
import asyncio, os, sys, time
from pathlib import Path
spent, began = {}, time.process_time()
from calibviz.app.demo import explored
from calibviz.foundation.handing_over import taken_over
spent["page's import"] = time.process_time() - began

async def main():
    began = time.process_time()
    explored(taken_over(Path(sys.argv[1])))
    spent["Explorer"] = time.process_time() - began

asyncio.run(main())
print(spent, flush=True)
os._exit(0)  # slow work has begun
"""
PARTS = ("import", "read", "recognise", "Predictions", "hand over", "page's import", "Explorer")


def binary(rows: int) -> pd.DataFrame:
    """Probabilities of an event, labels, and fields of a text and of a number."""
    rng = np.random.default_rng(0)
    prob = rng.beta(0.7, 1.5, rows)
    label = (rng.random(rows) < prob**1.2).astype(int)
    site = rng.choice(["north", "south", "east", "west"], rows)
    return pd.DataFrame({"prob": prob, "label": label, "site": site, "age": rng.integers(18, 95, rows)})


def classes(rows: int, several: int) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of classes in float32, and labels drawn from them."""
    rng = np.random.default_rng(0)
    probs = np.exp(2 * rng.standard_normal((rows, several), dtype=np.float32))
    probs /= probs.sum(axis=1, keepdims=True)
    upto = probs.cumsum(axis=1)
    return probs, (upto > upto[:, -1:] * rng.random((rows, 1))).argmax(axis=1)


def written(folder: Path, rows: int, several: int, only: list[str]) -> list[Path]:
    """The files that are asked for."""
    frame = binary(rows)
    probs, labels = classes(rows // 100, several)
    wide = pd.DataFrame(probs, columns=[f"p_{k}" for k in range(several)]).assign(label=labels)
    arrays = {name: column.to_numpy(str if column.dtype.kind not in "if" else None) for name, column in frame.items()}
    writers: dict[str, Callable[[Path], object]] = {
        "binary.csv": lambda file: frame.to_csv(file, index=False),
        "binary.parquet": frame.to_parquet,
        "binary.npz": lambda file: np.savez(file, **arrays),
        "classes.npz": lambda file: np.savez(file, probs=probs, labels=labels),
        "classes.parquet": wide.to_parquet,
        "classes.csv": lambda file: wide.to_csv(file, index=False),
    }
    chosen = [name for name in writers if not only or name in only]
    for name in chosen:
        writers[name](folder / name)
    return [folder / name for name in chosen]


def parts(file: Path, folder: Path) -> dict[str, float]:
    """Seconds of the processor for each part, without a server and without a browser."""
    handed = folder / "handed"
    spent: dict[str, float] = {}
    for program, arguments in ((READING, [file, handed]), (SHOWING, [handed])):
        command = [sys.executable, "-c", program, *map(str, arguments)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
        spent |= eval(done.stdout)
    return spent


def whole(file: Path, browser: Browser) -> tuple[float, float, float, float]:
    """Seconds to the address and to the picture, and those of the processor until then."""
    command = [sys.executable, "-m", "calibviz.app", "explore", str(file), "--no-browser"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    start = time.perf_counter()
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        own = psutil.Process(process.pid)

        def spent() -> float:
            return sum(sum(each.cpu_times()[:2]) for each in (own, *own.children(recursive=True)))

        said = (re.search(r"http://127\.0\.0\.1:\d+/\S*", line) for line in process.stdout)
        url = next(filter(None, said))[0]
        address, until_address = time.perf_counter() - start, spent()
        with browser.new_page() as page:
            page.goto(url, wait_until="commit")
            page.wait_for_selector("svg path.line[d]", state="attached", timeout=300_000)
            picture, until_picture = time.perf_counter() - start, spent()
        process.terminate()
    return address, picture, until_address, until_picture


def main() -> None:
    """Print the two tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--classes", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=[], help="names of files, such as binary.csv")
    options = parser.parse_args()
    path = find_browser()
    if path is None:
        sys.exit("the pages need Chromium or Chrome, and there is none")
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        files = written(folder := Path(place), options.rows, options.classes, options.only)
        print(f"| file | {' | '.join(PARTS)} |\n|{'---|' * (1 + len(PARTS))}")
        for file in files:
            rounds = [parts(file, folder) for _ in range(options.rounds)]
            best = [min(spent.get(part, 0.0) for spent in rounds) for part in PARTS]
            print(f"| {file.name} | {' | '.join(f'{seconds:.2f}' for seconds in best)} |", flush=True)
        print("\n| file | address | picture | processor until the address | until the picture |\n|---|---|---|---|---|")
        browser = launch(playwright, path)
        whole(files[0], browser)  # the first fills the browser's and the system's caches
        for file in files:
            *times, spent, until = map(median, zip(*(whole(file, browser) for _ in range(options.rounds)), strict=True))
            address, picture = times
            missed = " MISSED" if picture > LIMIT else ""
            print(f"| {file.name} | {address:.1f} | {picture:.1f}{missed} | {spent:.1f} | {until:.1f} |", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
