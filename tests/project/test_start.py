"""What the start of calibviz loads, and that names which are imported on first use behave like all others."""

from __future__ import annotations

import ast
import pickle
import pydoc
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import calibviz as cv

SLOW = (
    "scipy.stats", "scipy.optimize", "scipy.integrate", "scipy.fft", "xarray", "pandas", "matplotlib", "ipywidgets",
    "bqplot", "IPython", "tqdm",
)  # fmt: skip  # names stand in rows
BQSCALES = "ignore:metadata:DeprecationWarning"  # at import: see pyproject.toml
PREDICTIONS = "cv.Predictions([[0.3, 0.7], [0.6, 0.4]], [1, 0])"


def run(program: str) -> subprocess.CompletedProcess[str]:
    """A program in a process of its own, where nothing is loaded yet."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-W", BQSCALES, "-c", f"import sys, calibviz as cv\n{program}"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("program", "slow"),
    [
        ("", SLOW),
        ("dir(cv), cv.__all__, cv.__version__", SLOW),
        (f"cv.calibration_error({PREDICTIONS})", SLOW),
        (f"cv.evaluate({PREDICTIONS}, metrics=['ece'])", ("scipy.stats", "scipy.optimize", "matplotlib", "bqplot")),
        (
            "cv.Explorer, cv.SimulationLab",
            ("scipy.stats", "scipy.optimize", "scipy.integrate", "scipy.fft", "matplotlib"),
        ),
        ("cv.Explorer(cv.load_dataset('heart')).close()", ("scipy.stats", "scipy.integrate", "matplotlib")),
    ],
    ids=["import", "names", "calibration_error", "evaluate", "the Explorer's module", "Explorer"],
)
def test_nothing_slow_is_loaded_before_it_is_used(program: str, slow: tuple[str, ...]) -> None:
    done = run(f"{program}\nprint([name for name in {slow!r} if name in sys.modules])")
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_type_checkers_are_told_what_the_table_says() -> None:
    assert cv.__file__ is not None
    [block] = [node for node in ast.parse(Path(cv.__file__).read_text(encoding="utf-8")).body if is_for_checkers(node)]
    told = {}
    for node in block.body:
        assert isinstance(node, ast.ImportFrom) and node.level == 1
        for alias in node.names:
            assert alias.asname == alias.name, "a name is public to type checkers if it is imported as itself"
            told[alias.name] = f".{node.module or alias.name}"
    assert told == cv._MODULES


def is_for_checkers(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def test_no_name_stands_twice_in_the_table() -> None:
    assert len(cv._MODULES) == sum(map(len, cv._NAMES_BY_MODULE.values()))


@pytest.mark.parametrize("name", cv.__all__)
def test_a_public_name_is_what_its_module_holds(name: str) -> None:
    module = import_module(cv._MODULES[name], "calibviz")
    value = getattr(cv, name)
    assert value is (module if name in ("figures", "papers", "plots", "teaching") else getattr(module, name))
    assert vars(cv)[name] is value, "from the second time on, it is found at once"
    if isinstance(value, type) or callable(value):
        assert pickle.loads(pickle.dumps(value)) is value


def test_a_star_imports_all_names() -> None:
    names: dict[str, object] = {}
    exec("from calibviz import *", names)
    assert set(names) - {"__builtins__"} == set(cv.__all__) == set(dir(cv))


def test_help_shows_every_name() -> None:
    page = pydoc.plain(pydoc.render_doc(cv))
    assert [name for name in cv.__all__ if name not in page] == []
    assert "    calibration_error(" in page and "    class Predictions(" in page


def test_a_misspelt_name_is_refused_with_the_right_one() -> None:
    done = run("cv.calibration_eror")
    assert done.stderr.endswith(
        "AttributeError: module 'calibviz' has no attribute 'calibration_eror'. Did you mean: 'calibration_error'?\n"
    )
