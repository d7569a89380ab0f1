"""Imports point down only, and the engine needs no widgets and no plots."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "calibviz"
LAYERS = [
    {"cancellation"},
    {"validation", "cache", "styles", "ties", "notices", "sources"},
    {"arrays", "progress", "chance", "newton"},
    {"ranking", "pictures", "score_grid", "row_numbers", "sample_fields"},
    {"predictions"},
    {"io", "datasets", "simulation", "models"},
    {"demo_data"},
    {"problems"},
    {"vector_problems"},
    {"families", "shortcuts", "relabelled", "bins"},
    {"summarized_problems", "moments", "kernel_density", "smooth", "corp"},
    {"distances", "cells", "tree_nodes"},
    {"binning", "kdtree", "lenses"},
    {"class_lenses", "selections", "simulated_sets"},
    {"lens_text", "quantities", "selection_text"},
    {"looking"},
    {"estimators", "summary"},
    {"curves", "metrics", "gce", "resampling", "scores", "summary_bounds"},
    {"consistency_resampling", "true_curves", "network_fits", "sensitivity", "simulated_errors"},
    {"inversion"},
    {"intervals", "error_intervals", "contenders", "simulation_cubes", "trust", "drift"},
    {"tables", "best_set", "noise_floors"},
    {"recalibration"},
    {"measures", "stacks", "curve_bounds"},
    {"fitted"},
    {"judging", "contests"},
    {"scale"},
    {"cube", "confidences", "ranks", "decisions"},
    {"reading"},
    {"figures", "table_records"},
    {"plots", "reports"},
    {"explorer", "cli", "failures", "server"},
]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
WIDGETS = ("ipywidgets", "bqplot", "anywidget", "matplotlib", "IPython", "traitlets")
SOURCES = sorted(PACKAGE.rglob("*.py"))


def part_of(path):
    """The layer's name of a file; the parts of validation are validation."""
    name = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return "validation" if name.startswith("validation") else name


def imported_parts(path):
    """The parts of calibviz that a file imports anywhere, functions included; "calibviz" is the package itself."""
    package = ["calibviz", *path.relative_to(PACKAGE).parts[:-1]]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        targets = []
        if isinstance(node, ast.Import):
            targets = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = base + (node.module.split(".") if node.module else [])
            targets = [[*base, alias.name] for alias in node.names]
        for target in targets:
            if target[0] == "calibviz":
                name = target[1] if len(target) > 1 else ""
                is_part = (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()
                found.add(("validation" if name.startswith("validation") else name) if name and is_part else "calibviz")
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_down(path):
    part = part_of(path)
    if part == "__init__":
        return
    assert part in RANK, f"{part} has no place among the layers"
    for target in imported_parts(path) - {part}:
        if part in LAYERS[-1]:
            continue
        assert target != "calibviz", f"{part} imports the package itself"
        assert target in RANK, f"{target} has no place among the layers"
        assert RANK[target] < RANK[part], f"{part} imports {target}, which is not below it"
        if part in ("io", "datasets", "simulation"):
            assert target in ("predictions", "arrays", "validation", "sources")


def test_only_the_explorer_knows_widgets():
    for path in SOURCES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
        names |= {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module and not n.level}
        roots = {name.split(".")[0] for name in names}
        allowed = {
            "explorer": set(WIDGETS) - {"matplotlib"},
            "plots": {"matplotlib"},
            "server": {"traitlets"},
        }.get(part_of(path), set())
        assert not roots & (set(WIDGETS) - allowed), path.name


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


def test_every_exported_name_exists():
    import calibviz as cv

    assert len(set(cv.__all__)) == len(cv.__all__)
    engine = [name for name in cv.__all__ if name not in cv._LAZY]
    assert all(hasattr(cv, name) for name in engine)
    assert set(cv.__all__) <= set(dir(cv))
    with pytest.raises(AttributeError, match="module 'calibviz' has no attribute 'nothing'"):
        cv.nothing  # noqa: B018


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_file_holds_two_ideas(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 500
