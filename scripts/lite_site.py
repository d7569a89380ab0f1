"""Builds a folder that opens the Explorer in a browser tab, by JupyterLite: no server of ours, no installation.

    python scripts/lite_site.py FOLDER [--pyodide FOLDER]

Any static server can serve it; `explorer.ipynb` is the notebook to open, and `notebooks/` has the lessons. All packages
that are pure Python come from this environment; NumPy, SciPy, pandas and Matplotlib come from Pyodide, which the page
loads from its own address where no folder has it. Needs the extra `lite`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from compileall import compile_dir
from importlib.metadata import distribution
from pathlib import Path
from py_compile import PycInvalidationMode
from tempfile import TemporaryDirectory
from urllib.parse import urlencode
from zipfile import ZIP_DEFLATED, ZipFile

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

ROOT = Path(__file__).parents[1]
CELLS = (
    "%pip install -q calibviz",
    'import calibviz as cv\n\nexplorer = cv.Explorer(cv.load_dataset("heart"))\nexplorer',
)
#: A place for a file, from which the Explorer opens.
OWN_FILE = "from calibviz.app.demo import explored\n\nexplored()"
KERNELSPEC = {"name": "python", "display_name": "Python (Pyodide)", "language": "python"}
NOT_IN_A_BROWSER = ("import dask", "from dask")
#: What calibviz needs and Pyodide does not have.
PURE = (
    "anywidget", "bqplot", "bqscales", "comm", "ipywidgets", "jupyterlab_widgets", "psygnal", "threadpoolctl", "tqdm",
    "traittypes", "typing_extensions", "xarray",
)  # fmt: skip  # short entries stand in rows
#: The scripts of widgets, and of the kernel.
FRONT_ENDS = (
    "@jupyter-widgets/jupyterlab-manager", "@jupyterlite/pyodide-kernel-extension", "anywidget", "bqplot", "bqscales",
)  # fmt: skip  # short entries stand in rows
#: Folders, files and kinds of files that no page needs; what lies in ".." is for other hosts.
LEFT_OUT = {"..", "tests", "INSTALLER", "REQUESTED", "direct_url.json", ".pyc", ".so", ".pyd"}
#: Pyodide's Python, which takes byte code of no other: where the site is built with another one, it has none.
PYTHON = (3, 12)
EXTENSIONS = Path(sys.prefix) / "share" / "jupyter" / "labextensions"
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"


def address(shown: str = CELLS[-1]) -> str:
    """Where the site runs code, by default what opens the Explorer, and shows nothing else, relative to its folder."""
    options = [("kernel", "python"), ("showBanner", "0"), ("promptCellPosition", "bottom")]
    return "repl/index.html?" + urlencode([*options, *(("code", source) for source in (*CELLS[:-1], shown))])


def wheels(folder: Path) -> list[Path]:
    """Wheels of calibviz and of what it needs that is pure Python, written to a folder."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    made = [*folder.glob("calibviz-*.whl"), *(_wheel_of(name, folder) for name in PURE)]
    if sys.version_info[:2] == PYTHON:
        for wheel in made:
            _compile(wheel)
    return made


def _wheel_of(name: str, folder: Path) -> Path:
    """An installed distribution packed again, without tests and what was compiled for this machine."""
    installed = distribution(name)
    wheel = folder / f"{name}-{installed.version}-py3-none-any.whl"
    with ZipFile(wheel, "w", ZIP_DEFLATED) as archive:
        for file in installed.files or ():
            names = {*file.parts, file.suffix}
            if not names & LEFT_OUT:
                archive.write(str(file.locate()), str(file))
    return wheel


def _compile(wheel: Path) -> None:
    """Add byte code to a wheel: to compile all that the Explorer imports takes a page 3 s, before its first picture."""
    with TemporaryDirectory() as folder, ZipFile(wheel, "a", ZIP_DEFLATED) as archive:
        archive.extractall(folder)
        compile_dir(folder, quiet=1, stripdir=folder, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
        for file in Path(folder).rglob("*.pyc"):
            archive.write(file, file.relative_to(folder))


def build(folder: Path, pyodide: Path | None = None) -> None:
    """Write the site, with Pyodide where it is given."""
    with TemporaryDirectory() as temporary:
        work = Path(temporary)
        contents = work / "contents"
        contents.mkdir()
        cells = [new_code_cell(source) for source in CELLS]
        notebook = new_notebook(cells=cells, metadata={"kernelspec": KERNELSPEC})
        nbformat.write(notebook, contents / "explorer.ipynb")
        _write_lessons(contents)
        options = {
            "LiteBuildConfig": {
                "contents": [str(contents)], "output_dir": str(folder.resolve()), "no_sourcemaps": True,
                "ignore_sys_prefix": ["federated_extensions"],  # others may not fit to this JupyterLab
                "federated_extensions": [str(EXTENSIONS / name) for name in FRONT_ENDS],
            },
            "PipliteAddon": {"piplite_urls": [str(wheel) for wheel in wheels(work)]},
        }  # fmt: skip  # short entries stand in rows
        (work / "jupyter_lite_config.json").write_text(json.dumps(options), encoding="utf-8")
        command = [sys.executable, "-m", "jupyterlite_core.app", "build", "--lite-dir", temporary]
        subprocess.run(command, cwd=work, check=True, capture_output=True)
    if pyodide is not None:
        shutil.copytree(pyodide, folder / "static" / "pyodide")
        config = folder / "jupyter-lite.json"
        content = json.loads(config.read_text(encoding="utf-8"))
        settings = content["jupyter-config-data"].setdefault("litePluginSettings", {})
        settings.setdefault(KERNEL, {})["pyodideUrl"] = "./static/pyodide/pyodide.js"
        config.write_text(json.dumps(content, indent=2), encoding="utf-8")


def _write_lessons(contents: Path) -> None:
    """Write the lessons, each of which first fetches calibviz, and the page that explains their terms beside them."""
    (contents / "notebooks").mkdir()
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        if any(name in cell.source for cell in notebook.cells for name in NOT_IN_A_BROWSER):
            continue
        notebook.cells.insert(0, new_code_cell(CELLS[0]))
        notebook.metadata.kernelspec = KERNELSPEC
        nbformat.write(notebook, contents / "notebooks" / path.name)
    (contents / "docs").mkdir()
    shutil.copy(ROOT / "docs" / "glossary.md", contents / "docs")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pyodide", type=Path)
    given = parser.parse_args()
    build(given.folder, given.pyodide)


if __name__ == "__main__":
    main()
