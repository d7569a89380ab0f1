"""The pages of docs/: their code runs, what they name exists, their tables hold, and they are complete."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import inspect
import math
import operator
import re
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from page_code import blocks, run, shown
from public import documented as public_names

import calibviz as cv
from calibviz.context.lens_names import LENS_KINDS
from calibviz.recalibration.registry import CALIBRATORS

Check = Callable[[str], tuple[Any, str]]
ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
FORMULAS, NAMES, GUIDE = (ROOT / "docs" / f"{name}.md" for name in ("formulas", "names", "guide"))
LENSES = ROOT / "docs" / "lenses.md"
TABLES = [FORMULAS, NAMES]  # pages of nothing but definitions
LONG = {"formulas.md", "papers.md", "reviewers.md"}
PARTS = (  # of the package, whose public names have formulas
    "cube",
    "context",
    "decisions",
    "engine",
    "metrics",
    "recalibration",
    "scale",
    "simulation",
    "uncertainty",
)
# What still lacks a section See Also: widgets and reports, and a few functions and records.
# What computes nothing of its own.
READERS = {"drift", "lens", "summarize_all", "windows"}


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def spans(page: Path) -> list[str]:
    """The code spans outside fenced blocks."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", read(page), flags=re.DOTALL | re.MULTILINE))


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def test_the_pages_are_there_and_the_guide_leads_to_each() -> None:
    assert {FORMULAS, NAMES, GUIDE} <= set(PAGES)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pages = [page for page in PAGES if page.name != "index.md"]  # which the site begins with
    assert {f"docs/{page.name}" for page in pages} <= set(re.findall(r"\]\(([^)\s#]+)", readme))
    assert {page.name for page in pages if page != GUIDE} <= set(re.findall(r"\]\(([^)\s#]+)", read(GUIDE)))


@pytest.mark.usefixtures("of_intervals")
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.thorough] * (page.name in LONG)) for page in PAGES],
    ids=lambda page: page.name,
)
def test_code_runs_and_gives_the_numbers_it_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {}
    said = [found for block in blocks(read(page), "python") for found in run(block, namespace, page.name)]
    for name in {"explorer", "lab"} & set(namespace):
        namespace[name].close()
    assert len(said) >= 10 or page not in TABLES
    for source, number, value in said:
        assert shown(value, number) == number, source


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_names_in_code_spans_exist(page: Path) -> None:
    named = {name.rstrip(".") for span in spans(page) for name in re.findall(r"\bcv\.([\w.]+)", span)}
    assert len(named) >= (20 if page in TABLES else 0)
    for name in named:
        found: Any = cv
        for part in name.split("."):
            assert hasattr(found, part), f"cv.{name}"
            found = getattr(found, part)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_calls_in_code_spans_have_the_arguments_of_their_signatures(page: Path) -> None:
    calls = 0
    for span in spans(page):
        try:
            tree = ast.parse(span, mode="eval")
        except SyntaxError:  # of a formula, of another language
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and re.fullmatch(r"cv\.\w+", ast.unparse(node.func)):
                signature = inspect.signature(getattr(cv, ast.unparse(node.func).removeprefix("cv.")))
                signature.bind_partial(*node.args, **{k.arg: k.value for k in node.keywords if k.arg})
                calls += 1
    assert calls >= (10 if page in TABLES else 0)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`|\$[^$]*\$", "", read(page))):
        if link.startswith(("http://", "https://")):
            continue
        file, _, anchor = link.partition("#")
        target = page.parent / file if file else page
        assert target.is_file(), link
        if anchor:
            assert anchor in {slug(heading) for heading in re.findall(r"^#+ (.+)$", read(target), re.MULTILINE)}, link


def test_lenses_of_the_table_have_their_names_and_print_the_call_that_makes_them() -> None:
    names = re.findall(r"^\| `([^`]+)` \| ", read(LENSES), re.MULTILINE)
    assert len(names) == len(LENS_KINDS)
    for name in names:
        made = cv.lens(name)
        assert made.name == name and eval(f"cv.{made!r}", {"cv": cv}) == made


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Check:
    """Runs a script with --check; its exit code, and what it complains of."""
    scripts = ROOT / "scripts"
    monkeypatch.syspath_prepend(scripts)  # as Python does

    def run_it(script: str) -> tuple[Any, str]:
        monkeypatch.setattr(sys, "argv", [script, "--check"])
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(scripts / script), run_name="__main__")
        return ended.value.code, capsys.readouterr().err

    return run_it


@pytest.mark.thorough
def test_the_picture_of_the_folders_is_that_of_the_imports(check: Check) -> None:
    assert check("make_architecture.py") == (0, "")


def documented(name: str) -> Iterator[tuple[str, Any]]:
    """What a public name is called and is, and, of a class, its public methods and properties."""
    public = public_names()[name]
    yield name, public
    for member in vars(public) if inspect.isclass(public) else ():
        if not member.startswith("_"):
            yield f"{name}.{member}", inspect.getattr_static(public, member)


def see_also(value: Any) -> list[str]:
    """The entries in the section See Also of a docstring."""
    _, _, section = (inspect.getdoc(value) or "").partition("See Also\n--------\n")
    return section.partition("\n\n")[0].splitlines()


def exists(name: str, owners: tuple[object, ...]) -> bool:
    for owner in owners:
        with contextlib.suppress(AttributeError):
            operator.attrgetter(name)(owner)
            return True
    return False


@pytest.mark.parametrize("name", public_names())
def test_see_also_names_what_is_public(name: str) -> None:
    for documented_name, value in documented(name):
        for entry in see_also(value):
            others, colon, said = entry.partition(" : ")
            assert colon and said.endswith("."), f"{documented_name}: {entry}"
            for other in others.split(", "):
                assert other != documented_name.rpartition(".")[2], f"{documented_name} refers to itself"
                assert exists(other, (cv, public_names()[name])), f"{documented_name}: {other} is no public name"


@pytest.mark.parametrize(
    "name", [name for name, value in public_names().items() if inspect.isclass(value) or inspect.isfunction(value)]
)
def test_functions_and_classes_say_what_to_see_also(name: str) -> None:
    assert see_also(public_names()[name])


@pytest.mark.parametrize(
    "script",
    ["make_metrics.py", "make_choices.py", "make_tools.py", "make_glossary.py", "make_papers.py", "make_plan.py"],
)
def test_the_table_is_that_of_the_registry(script: str, check: Check) -> None:
    assert check(script) == (0, "")


def test_calibrators_have_the_sources_that_the_registry_says() -> None:
    for line in read(ROOT / "docs" / "recalibration.md").splitlines():
        for name in re.findall(r', "([a-z-]+)"', line) if line.startswith("| `") else []:
            assert all(source in line for source in CALIBRATORS[name].source.split("; ")), name


def test_every_public_name_that_has_a_formula_has_it_on_the_page() -> None:
    kinds = {name: getattr(getattr(cv, name), "__module__", "").split(".") for name in cv.__all__}
    public = {name for name, module in kinds.items() if len(module) > 1 and module[1] in PARTS} - READERS
    public = {name for name in public if callable(getattr(cv, name))}
    assert len(public) >= 50
    named = {name for span in spans(FORMULAS) for name in re.findall(r"\bcv\.(\w+)", span)}
    assert public <= named, sorted(public - named)


def peers(monkeypatch: pytest.MonkeyPatch) -> Any:
    """benchmarks/peers/names.py, which needs the other packages only when it is run."""
    spec = importlib.util.spec_from_file_location("peer_names", ROOT / "benchmarks" / "peers" / "names.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "peer_names", module)  # where its dataclasses look for their annotations
    spec.loader.exec_module(module)
    return module


def test_tables_of_peers_are_what_the_script_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    module = peers(monkeypatch)
    given, lines = module.arrays(), set(read(NAMES).splitlines())
    for row in (*module.ROWS, *module.EDGES):
        ours = module.evaluated(row, given)
        pattern = re.escape(module.line(row, "THEIRS", ours)).replace("THEIRS", r"(\S+)").replace("fails", r"(\S+)")
        found = [match for match in (re.fullmatch(pattern, line) for line in lines) if match]
        assert len(found) == 1, f"{row.package}, {row.theirs}: run benchmarks/peers/names.py"
        theirs, difference = float(found[0][1]), found[0][2]
        if difference == "none":
            assert theirs == pytest.approx(ours, abs=1e-5)
        else:
            assert math.isinf(ours) or float(difference) == pytest.approx(theirs - ours, abs=2e-5)
