"""Imports point down only, folder by folder and inside a folder too; the engine needs no widgets and no plots."""

from __future__ import annotations

import ast
import graphlib
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

PACKAGE = Path(__file__).parents[2] / "calibviz"
FOLDERS = (
    "_version",
    "foundation",
    "data",
    "engine",
    "context",
    "metrics",
    "uncertainty",
    "simulation",
    "recalibration",
    "scale",
    "decisions",
    "cube",
    "figures",
    "answers",
    "reports",
    "plots",
    "explorer",
    "papers",
    "teaching",
    "app",
    "_accessor",
)
#: Folders that hold folders, from the bottom; HERE are the modules of the folder itself.
HERE = ""
INSIDE = {
    "answers": ("asked", "situation", "steps", "first_screen", "acting", "views", HERE, "exports"),
    "decisions": (HERE, "by_segment"),
    "engine": (HERE, "binnings"),
    "explorer": ("state", "transport", "view", "lab", HERE),
    "reports": ("writing", HERE),
    "uncertainty": ("resampling", "intervals", HERE, "monitoring"),
}
WIDGETS = ("ipywidgets", "bqplot", "anywidget", "matplotlib", "IPython", "traitlets")
SOURCES = sorted(PACKAGE.rglob("*.py"))


def dotted(path):
    """The name of a module below calibviz; empty for calibviz itself."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {dotted(path): path for path in SOURCES}


@cache
def read(name):
    """The imports of a module, those in functions too, each with whether only type checkers see it; its classes."""
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    found, of_checkers = [], set()
    for node in ast.walk(tree):  # from the outside in
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            of_checkers |= {id(inner) for part in node.body for inner in ast.walk(part)}
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append((node, id(node) in of_checkers))
    return found, [node.name for node in tree.body if isinstance(node, ast.ClassDef)]


def imported(name, for_checkers=True):
    """The modules of calibviz that a module imports, with the packages that hold them.

    What only type checkers import can be left out: nothing waits for it.
    """
    path = MODULES[name]
    package = [part for part in name.split(".") if part] if path.name == "__init__.py" else name.split(".")[:-1]
    targets = []
    for node in (node for node, of_checkers in read(name)[0] if for_checkers or not of_checkers):
        if isinstance(node, ast.Import):
            targets += [alias.name.split(".")[1:] for alias in node.names if alias.name.split(".")[0] == "calibviz"]
            continue
        base = package[: len(package) - node.level + 1] if node.level else []
        module = node.module.split(".") if node.module else []
        if not node.level and module[0] != "calibviz":
            continue
        base = [*base, *(module if node.level else module[1:])]
        targets += [[*base, alias.name] for alias in node.names]
    names = [".".join(target) for target in targets]
    modules = {name if name in MODULES else name.rpartition(".")[0] for name in names}
    own = set(packages(name))  # which are imported before it
    return modules | {package for module in modules for package in packages(module)} - own


def packages(name):
    """The packages below calibviz that hold a module; Python runs each of them first."""
    parts = name.split(".")
    return [".".join(parts[:i]) for i in range(1, len(parts))]


def folder_of(name):
    """The folder of a module, or its own name where it stands beside the folders."""
    return name.split(".")[0]


def test_every_folder_has_its_place():
    assert {folder_of(name) for name in MODULES if name} == set(FOLDERS)


@pytest.mark.parametrize("folder", FOLDERS)
def test_imports_point_down(folder):
    for name in (name for name in MODULES if folder_of(name) == folder):
        for target in imported(name) - {""} if folder == "app" else imported(name):
            assert target, f"{name} imports the package itself"
            assert FOLDERS.index(folder_of(target)) <= FOLDERS.index(folder), (name, target)


@pytest.mark.parametrize("folder", FOLDERS)
def test_imports_make_no_circle_inside_a_folder(folder):
    inside = [name for name in MODULES if folder_of(name) == folder]
    targets = {name: imported(name, for_checkers=False) - {name} for name in inside}
    arrows = {name: {target for target in found if folder_of(target) == folder} for name, found in targets.items()}
    graphlib.TopologicalSorter(arrows).prepare()


@pytest.mark.parametrize("folder", INSIDE)
def test_folders_inside_a_folder_point_down(folder):
    def place(module):
        part = module.split(".")[1] if "." in module else HERE
        return INSIDE[folder].index(part if part in INSIDE[folder] else HERE)

    for name in (name for name in MODULES if folder_of(name) == folder):
        for target in (target for target in imported(name) if folder_of(target) == folder):
            assert place(target) <= place(name), (name, target)


def test_no_two_classes_share_a_name():
    where: dict[str, list[str]] = {}
    for name in MODULES:
        if name == "explorer.transport.shared_widgets":  # its classes bear the names of the widgets that they share
            continue
        for own in read(name)[1]:
            where.setdefault(own, []).append(name)
    assert {name: modules for name, modules in where.items() if len(modules) > 1} == {}


def test_no_module_hides_a_public_function():
    import calibviz as cv

    for folder, public in ((cv, cv.__all__), (cv.plots, cv.plots.__all__)):
        prefix = folder.__name__.removeprefix("calibviz").removeprefix(".")
        modules = {name.rpartition(".")[2] for name in MODULES if name and name.rpartition(".")[0] == prefix}
        functions = {name for name in public if not isinstance(getattr(folder, name), ModuleType)}
        assert modules and not modules & functions


def test_only_the_explorer_knows_widgets():
    for module in MODULES:
        nodes = [node for node, _ in read(module)[0]]
        names = {a.name for n in nodes if isinstance(n, ast.Import) for a in n.names}
        names |= {n.module for n in nodes if isinstance(n, ast.ImportFrom) and n.module and not n.level}
        roots = {name.split(".")[0] for name in names}
        allowed = {
            "explorer": set(WIDGETS) - {"matplotlib"},
            "plots": {"matplotlib"},
            "app": {"traitlets", "ipywidgets"},
        }.get(folder_of(module), set())
        assert not roots & (set(WIDGETS) - allowed), module


PROGRAM = """
import sys
for name in {blocked!r}:
    sys.modules[name] = None
import calibviz as cv
import numpy as np

probs = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8], [0.2, 0.6, 0.2], [0.4, 0.3, 0.3]])
p = cv.Predictions(probs, [0, 2, 1, 1], fields={{"age": [1, 2, 3, 4]}})
cube = cv.evaluate(p, ["top-1", "full"], calibrators=["none", "temperature", "spline"], calibration=p)
cv.likert_error(p), cv.cumulative(p), cv.reliability(p, selection="age > 1"), cube.to_dataframe()
loaded = [name for name in {names!r} if sys.modules.get(name) is not None]
assert not loaded, loaded
"""


@pytest.mark.parametrize("blocked", [(), WIDGETS], ids=["present", "absent"])
def test_engine_runs_without_widgets_and_plots(blocked):
    names = ("ipywidgets", "bqplot", "anywidget", "matplotlib")
    program = PROGRAM.format(blocked=blocked, names=names)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], cwd=PACKAGE.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_answers_need_no_widgets_and_no_plotting_library():
    program = "import sys\n" + "".join(f"sys.modules[{name!r}] = None\n" for name in WIDGETS)
    program += "".join(f"import calibviz.{name}\n" for name in sorted(MODULES) if folder_of(name) == "answers")
    assert program.count("import calibviz.answers") > 30
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], cwd=PACKAGE.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_reports_only_write_what_answers_say():
    """A report measures nothing of its own."""
    allowed = {"answers", "data", "figures", "foundation", "reports"}
    for path in sorted((PACKAGE / "reports").rglob("*.py")):
        for node, _ in read(dotted(path))[0]:
            if isinstance(node, ast.ImportFrom) and node.level:
                above = path.relative_to(PACKAGE).parts[: -node.level]
                folder = [*above, *(node.module or "").split(".")][0] or "reports"
                assert folder in allowed or folder == "_version", (path, node.lineno, folder)


def test_every_exported_name_exists():
    import calibviz as cv

    assert len(set(cv.__all__)) == len(cv.__all__)
    assert all(hasattr(cv, name) for name in cv.__all__)
    assert set(cv.__all__) <= set(dir(cv))
    with pytest.raises(AttributeError, match="module 'calibviz' has no attribute 'nothing'"):
        cv.nothing  # noqa: B018
