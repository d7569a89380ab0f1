"""Make the stills of the notebooks' widgets, for those who read them where nothing runs.

    python scripts/make_notebook_pictures.py              # all of them, into docs/images/notebooks
    python scripts/make_notebook_pictures.py 04 05        # only some

Each notebook is run from top to bottom. The still is the `figure()` of what its cell `widget` shows.
"""

from __future__ import annotations

import argparse
from base64 import b64decode
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from small_pictures import write

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
FOLDER = ROOT / "docs" / "images" / "notebooks"
COLOURS = 48


def still(path: Path) -> bytes:
    """The picture of the widget, as PNG."""
    notebook = nbformat.read(path, as_version=4)
    place = [cell.id for cell in notebook.cells].index("widget") + 1
    # The value of the cell before; its figure is complete, while a view fills in as one looks.
    notebook.cells.insert(place, cell := nbformat.v4.new_code_cell("_.figure()"))
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(path.parent)}}).execute()
    (output,) = cell.outputs
    return b64decode(output.data["image/png"])


def main() -> None:
    """Read the command line and make the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("numbers", nargs="*", metavar="NUMBER", help="of notebooks, such as 04 (default: all)")
    numbers = parser.parse_args().numbers
    unknown = [number for number in numbers if not any(path.name.startswith(f"{number}_") for path in NOTEBOOKS)]
    if unknown:
        parser.error(f"there is no notebook {unknown[0]!r}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in NOTEBOOKS:
        if not numbers or path.name[:2] in numbers:
            write(still(path), FOLDER / f"{path.stem}.png", COLOURS)


if __name__ == "__main__":
    main()
