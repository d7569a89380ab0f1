"""The public names are few, none is mistaken for another, and nothing that people read uses what is private."""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_type_hints

import pytest
from page_code import blocks
from public import functions, reached, results, returned

import calibviz as cv
from calibviz.explorer.state.state import ExplorerState

ROOT = Path(__file__).resolve().parents[2]
MOST = 141
#: The packages whose contents are public, too: `calibviz/__init__.py` names them where type checkers see them.
PACKAGES = ("figures", "papers", "plots", "teaching")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def plain(name: str) -> str:
    """A name without what is easily mistaken: capitals, underscores and the plural."""
    bare = name.lower().replace("_", "")
    return re.sub("(ies|ie|y)$", "i", bare.removesuffix("s"))


def test_the_names_are_few() -> None:
    assert len(cv.__all__) <= MOST


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="there, wraps may not pass on annotations that are texts")
def test_tools_can_read_the_types_of_every_public_function() -> None:
    for name in cv.__all__:
        if inspect.isfunction(function := getattr(cv, name)):
            assert get_type_hints(function), name


@pytest.mark.parametrize("package", [cv, cv.figures, cv.papers, cv.plots, cv.teaching], ids=["calibviz", *PACKAGES])
def test_no_two_names_differ_by_a_capital_or_an_s(package) -> None:
    alike: dict[str, list[str]] = {}
    for name in package.__all__:
        alike.setdefault(plain(name), []).append(name)
    assert [names for names in alike.values() if len(names) > 1] == []


def test_the_rule_sees_such_names() -> None:
    pairs = [("Trust", "trust"), ("summaries", "Summary"), ("sample_size", "sample_sizes"), ("NETWORKS", "Network")]
    assert all(plain(one) == plain(other) for one, other in pairs)
    assert plain("BrierSplit") == plain("brier_split") and plain("segments") != plain("segment_of")


def test_what_a_function_returns_is_described_where_it_is_returned() -> None:
    seen = set()
    for name in cv.__all__:
        for where, function in functions(name):
            if not inspect.isfunction(inspect.unwrap(function)) or inspect.isclass(getattr(cv, name)):
                continue
            for result in returned(function).keys() & results().keys():
                section = (inspect.getdoc(function) or "").partition("Returns\n-------\n")[2].partition("\n\n")[0]
                assert result in section, f"{where} returns {result}, which its section Returns does not name"
                seen.add(result)
    assert len(seen) >= 15


SECTION = re.compile(r"^\w[\w ]*\n-{3,}$", re.MULTILINE)
RETURNS_A_TYPE = re.compile(r"^Returns\n-------\n[\w.]+(\n\n|\Z)", re.MULTILINE)


def test_sections_stand_in_docstrings_of_what_users_call_or_get_alone() -> None:
    sectioned = {place for place, docstring in all_docstrings() if SECTION.search(docstring)}
    assert len(sectioned) > 300 and sectioned <= reached(), sorted(sectioned - reached())


def test_no_section_repeats_what_the_signature_says_comes_back() -> None:
    assert not [place for place, docstring in all_docstrings() if RETURNS_A_TYPE.search(docstring)]


def all_docstrings() -> Iterator[tuple[tuple[str, str], str]]:
    """The docstrings of the library by their modules and names."""
    for path in (ROOT / "calibviz").rglob("*.py"):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for name, docstring in docstrings(ast.parse(path.read_text(encoding="utf-8"))):
            yield (module, name), docstring


def docstrings(node: ast.AST, within: str = "") -> Iterator[tuple[str, str]]:
    """The docstrings of functions and classes, by their qualified names."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            yield f"{within}{child.name}", ast.get_docstring(child) or ""
            yield from docstrings(child, f"{within}{child.name}.")


def test_a_result_is_no_public_name() -> None:
    assert not hasattr(cv, "Bootstrap") and not hasattr(cv, "ExplorerState")
    found = cv.bootstrap(cv.simulated("resnet110_c10", 50), error=cv.ks_error, replicates=5, progress=False)
    assert type(found) is results()["Bootstrap"]
    panel = cv.Panel("reliability", cv.simulated("resnet110_c10", 50))
    assert type(panel.state) is results()["ExplorerState"] is ExplorerState
    panel.close()


def codes(path: Path) -> Iterator[str]:
    """The Python in a page or a notebook."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield from blocks(text, "python")
        return
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "code":
            yield "".join(line for line in cell["source"] if not line.startswith("%"))


def used(code: str) -> Iterator[str]:
    """The names of calibviz that a program uses: those of `cv`, and what it imports from a package."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "cv":
            yield node.attr
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "calibviz":
            yield from [node.module.split(".")[1]] if "." in node.module else [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("calibviz."))


@pytest.mark.parametrize("path", [*PAGES, *NOTEBOOKS], ids=lambda path: path.name)
def test_what_people_read_uses_public_names_alone(path: Path) -> None:
    assert {name for code in codes(path) for name in used(code)} <= {*cv.__all__, "__version__"}


def test_private_packages_are_those_that_type_checkers_do_not_see() -> None:
    folders = {path.name for path in (ROOT / "calibviz").iterdir() if (path / "__init__.py").is_file()}
    assert set(PACKAGES) == folders & set(cv.__all__) and len(folders) > 15
    [seen] = [node for node in ast.parse(Path(cv.__file__).read_text(encoding="utf-8")).body if isinstance(node, ast.If)
              and ast.unparse(node.test) == "TYPE_CHECKING"]  # fmt: skip  # one condition
    imported = [alias.name for node in seen.body if isinstance(node, ast.ImportFrom) and not node.module
                for alias in node.names]  # fmt: skip  # one list
    assert sorted(imported) == sorted(PACKAGES)
    assert not set(dir(cv)) & (folders - set(PACKAGES))


def test_the_rule_for_pages_sees_what_is_private() -> None:
    found = set(
        used("import calibviz.metrics\nfrom calibviz.data.stack import Stack\nfrom calibviz import lens\ncv.Top1()")
    )
    assert found == {"metrics", "data", "lens", "Top1"}
