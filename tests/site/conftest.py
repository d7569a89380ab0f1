"""The site of the documentation: built as its one command builds it, with warnings as errors, and served."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from static_server import served

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "scripts"))


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, which takes two minutes."""
    try:
        for name in ("sphinx", "myst-nb", "numpydoc", "pydata-sphinx-theme", "sphinx-mathjax-offline"):
            distribution(name)
    except PackageNotFoundError as error:
        pytest.skip(f"{error.name} is not installed: pip install -e '.[docs]' brings what builds the site")
    folder = tmp_path_factory.mktemp("docs") / "site"
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "--quiet", "docs", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def site(folder: Path) -> Iterator[str]:
    """Its address, served as any static server does it."""
    with served(folder) as address:
        yield address
