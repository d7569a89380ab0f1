"""What calibviz imports is declared in pyproject.toml, for the feature that imports it, with a floor."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from calibviz.data.readers.arrays.netcdf import ENGINES

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "calibviz"
SCRIPT = ROOT / "scripts" / "lowest_versions.py"
known_distributions = cache(packages_distributions)  # it reads the files of all that is installed
SOURCES = sorted(PACKAGE.rglob("*.py"))
#: The extras that bring what a part of calibviz imports beyond what is always there.
EXTRAS = {"app": ("app",), "data": ("io", "scale"), "scale": ("scale",)}
#: Declared, and never imported: the place where the widgets are shown, and what zarr unpacks with, for its floor.
HOSTS = {"jupyterlab", "numcodecs"}


def declared(*extras: str) -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    texts = [*project["dependencies"], *(text for extra in extras for text in project["optional-dependencies"][extra])]
    return {canonicalize_name(Requirement(text).name) for text in texts}


def imported(source: str) -> set[str]:
    """The top-level names of other people's packages that a module imports, also by `import_module` and `needed`."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "needed")):
            names |= {one.value for one in node.args[:1] if isinstance(one, ast.Constant)}
    return {name.split(".")[0] for name in names} - sys.stdlib_module_names - {"calibviz"}


def distributions(names: set[str]) -> set[str]:
    """What has to be installed for these imports."""
    return {canonicalize_name(known_distributions()[name][0]) for name in names}


def test_imports_are_found_wherever_they_stand() -> None:
    source = "import os, a.b\nfrom c.d import e\nfrom . import f\ndef g():\n    import h\n    import_module('i.j')\n"
    source += "    needed('k', 'l')"
    assert imported(source) == {"a", "c", "h", "i", "k"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_what_is_imported_is_declared(path: Path) -> None:
    part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    missing = distributions(imported(path.read_text(encoding="utf-8"))) - declared(*EXTRAS.get(part, ()))
    assert not missing, f"{path.name} imports {missing}: declare them with their floors in pyproject.toml"


def test_the_first_engine_for_netcdf_is_declared() -> None:
    assert distributions({next(iter(ENGINES.values()))}) <= declared("io")


def test_what_is_declared_is_imported() -> None:
    used = {name for path in SOURCES for name in imported(path.read_text(encoding="utf-8"))}
    used.add(next(iter(ENGINES.values())))
    assert declared("app", "io", "scale") - distributions(used) == HOSTS


# The constraints that the lowest environment is made with


def lowest(*extras: str, pyproject: str | None = None, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    script = SCRIPT
    if folder is not None and pyproject is not None:
        script = folder / "scripts" / SCRIPT.name
        script.parent.mkdir()
        script.write_bytes(SCRIPT.read_bytes())
        (folder / "pyproject.toml").write_text(pyproject, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-I", str(script), *extras], capture_output=True, text=True, check=False, timeout=240
    )


MADE_UP = """
[project]
dependencies = ["numpy>=1.26", "Net_CDF4>=1.7,<3"]
[project.optional-dependencies]
io = ["pyarrow>=15"]
scale = ["dask[array]>=2024.8", "pyarrow>=16"]
test = ["pytest"]
"""


@pytest.mark.parametrize(
    ("extras", "expected"),
    [
        ((), "numpy==1.26\nnet-cdf4==1.7\n"),
        (("io",), "numpy==1.26\nnet-cdf4==1.7\npyarrow==15\n"),
        (("io", "scale"), "numpy==1.26\nnet-cdf4==1.7\npyarrow==16\ndask==2024.8\n"),
    ],
)
def test_constraints_are_the_floors(tmp_path: Path, extras: tuple[str, ...], expected: str) -> None:
    done = lowest(*extras, pyproject=MADE_UP, folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, expected), done.stderr


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ("test", "requirement 'pytest' of pyproject.toml has no floor: write it as 'name>=version'"),
        ("all", "extra 'all' is not one of pyproject.toml's: io, scale, test"),
    ],
)
def test_what_gives_no_constraints_is_refused(tmp_path: Path, extra: str, message: str) -> None:
    done = lowest(extra, pyproject=MADE_UP, folder=tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"ValueError: {message}"


def test_every_dependency_has_a_floor() -> None:
    done = lowest("app", "io", "scale")
    assert done.returncode == 0, done.stderr
    assert {line.split("==")[0] for line in done.stdout.splitlines()} == declared("app", "io", "scale")
