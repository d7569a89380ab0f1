"""Run the lessons and store their outputs, so that they can be read where nothing runs.

    python scripts/run_notebooks.py              # all of them
    python scripts/run_notebooks.py 01 03        # only some

A widget is stored as Jupyter saves it: a sentence that says so, the view, which no page can show without a kernel, and
a still picture, here with all that takes a while.
"""

from __future__ import annotations

import argparse
import io
import re
import time
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from html import unescape
from pathlib import Path

import nbformat
from jupyter_client import KernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from PIL import Image
from small_pictures import RARE_ONES_TOO

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
VIEW = "application/vnd.jupyter.widget-view+json"
COLOURS = 48
#: What is run below a widget: its picture, and then its sentence, once all that takes a while is done.
COMPLETE = ("_view = _\n_view.figure()", 'print(_view._repr_mimebundle_()["text/plain"])')
#: What is run before another notebook in the same kernel: no view works on, and no name is known, but one that is asked
#: for when a cluster starts its processes.
AFRESH = "import ipywidgets\nipywidgets.Widget.close_all()\nget_ipython().reset()\n__spec__ = None"
MARKUP = re.compile(r"<(style|script)\b.*?</\1>|<[^>]*>", re.DOTALL)
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")


def is_widget(cell: NotebookNode) -> bool:
    """Whether a cell shows a live view: its name says so."""
    return bool(re.fullmatch(r"widget(-\w+)?", cell.id))


@contextmanager
def one_kernel() -> Iterator[KernelManager]:
    """A kernel for several runs, which all begin without names and views; what they import is loaded once."""
    kernel = KernelManager()
    kernel.start_kernel(cwd=str(NOTEBOOKS[0].parent))
    try:
        yield kernel
    finally:
        kernel.shutdown_kernel(now=True)


def run(path: Path, complete: bool = True, kernel: KernelManager | None = None) -> tuple[NotebookNode, float]:
    """A notebook with the outputs of a run, and the seconds from its first cell to its last.

    A view that is not to be `complete` is left as Jupyter shows it at once, which takes half the time of all. Without a
    kernel the run has one of its own.
    """
    notebook = nbformat.read(path, as_version=4)
    stills, cells = {}, []
    for cell in notebook.cells:
        cells.append(cell)
        if complete and is_widget(cell):
            stills[cell.id] = [new_code_cell(source) for source in COMPLETE]
            cells += stills[cell.id]
    whole = nbformat.v4.new_notebook(cells=cells, metadata=notebook.metadata)
    folder = {"metadata": {"path": str(path.parent)}}
    client = NotebookClient(whole, kernel, timeout=600, resources=folder, store_widget_state=False, record_timing=False)
    seconds, added = 0.0, [cell for both in stills.values() for cell in both]
    with client.setup_kernel(cleanup_kc=kernel is None), ExitStack() as at_the_end:
        if kernel is not None:
            at_the_end.callback(client.kc.stop_channels)
            client.execute_cell(new_code_cell(AFRESH), 0)
        for index, cell in enumerate(cells):
            start = time.monotonic()
            client.execute_cell(cell, index)
            seconds += (time.monotonic() - start) * (cell not in added)
    for count, cell in enumerate((cell for cell in notebook.cells if cell.cell_type == "code"), start=1):
        cell.execution_count = count
        cell.outputs = [_stored(output, cell.id, count) for output in _joined(cell.outputs)]
        if cell.id in stills:
            picture, words = (one.outputs[0] for one in stills[cell.id])
            cell.outputs[1].data["text/plain"] = words.text.rstrip()
            cell.outputs[2].data = {"image/png": _small(picture.data["image/png"])}
    return notebook, seconds


def _joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """The outputs of a cell; printed lines come in one piece or in several, as time would have it."""
    joined: list[NotebookNode] = []
    for output in outputs:
        if joined and output.output_type == "stream" and output.get("name") == joined[-1].get("name"):
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def _stored(output: NotebookNode, name: str, count: int) -> NotebookNode:
    """An output without what differs between two runs."""
    if "execution_count" in output:
        output.execution_count = count
    if VIEW in output.get("data", {}):
        output.data[VIEW].model_id = name
    elif "image/png" in output.get("data", {}):
        output.data["image/png"] = _small(output.data["image/png"])
    return output


def _small(png: str) -> str:
    """A picture with few colours, in base 64."""
    image = Image.open(io.BytesIO(b64decode(png))).convert("RGB")
    file = io.BytesIO()
    image.quantize(COLOURS, **RARE_ONES_TOO).save(file, "PNG", optimize=True)
    return b64encode(file.getvalue()).decode()


def written(cell: NotebookNode) -> str:
    """All words that the outputs of a cell show, but those of a view, which follow what is computed meanwhile."""
    texts = []
    for output in cell.outputs:
        data = output.get("data", {})
        if VIEW not in data:
            html = MARKUP.sub(" ", data.get("text/html", ""))
            texts.append(unescape(html) if html else output.get("text", data.get("text/plain", "")))
    return " ".join(" ".join(texts).split())


def differences(one: NotebookNode, other: NotebookNode, share: float = 0.02) -> list[str]:
    """The cells whose outputs do not say the same; numbers may differ by a share, or by one in their last place."""
    found = []
    for first, second in zip(one.cells, other.cells, strict=True):
        if first.cell_type == "code":
            shown = [[sorted(output.get("data", {})) for output in cell.outputs] for cell in (first, second)]
            texts = [written(cell) for cell in (first, second)]
            words = [NUMBER.sub("0", text) for text in texts]
            numbers = [NUMBER.findall(text) for text in texts]
            if shown[0] != shown[1] or words[0] != words[1] or not all(map(_near, *numbers, [share] * len(numbers[0]))):
                found.append(f"{first.id}: stored {texts[0]!r}, now {texts[1]!r}")
    return found


def _near(one: str, other: str, share: float) -> bool:
    values = [float(text.replace(",", "")) for text in (one, other)]
    places = min(len(text.partition(".")[2]) for text in (one, other))
    last = 1.01 * 10.0**-places if places and "e" not in one + other else 0.0
    return abs(values[0] - values[1]) <= max(share * max(map(abs, values)), last)


def main() -> None:
    """Read the command line, run the notebooks and store what they show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("numbers", nargs="*", metavar="NUMBER", help="of notebooks, such as 04 (default: all)")
    numbers = parser.parse_args().numbers
    unknown = [number for number in numbers if not any(path.name.startswith(f"{number}_") for path in NOTEBOOKS)]
    if unknown:
        parser.error(f"there is no notebook {unknown[0]!r}")
    for path in NOTEBOOKS:
        if not numbers or path.name[:2] in numbers:
            notebook, seconds = run(path)
            path.write_text(nbformat.writes(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
            print(f"{path.stem}: {seconds:.0f} s, {path.stat().st_size / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main()
