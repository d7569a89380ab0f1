"""Make slides of the lessons: one HTML file of each, which loads nothing.

    python scripts/make_slides.py slides         # all lessons that store their outputs
    python scripts/make_slides.py slides 01 03   # only some

A slide begins at each heading, guess, answer, exercise and widget, so nothing has to be marked in a notebook. A widget
is its still picture, with the command that opens the Explorer in the same state; a guess is made on the slide.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlencode

import nbformat
from nbconvert.filters import markdown2html
from nbformat import NotebookNode
from run_notebooks import NOTEBOOKS, VIEW, is_widget

import calibviz as cv
from calibviz.explorer.demo_data import DEMO_NAMES, demo_data
from calibviz.figures.markup import Markup, joined, tag
from calibviz.figures.styles import tones

STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
#: Cells that no student sees.
HIDDEN = "remove-cell"
ASKED = re.compile(r"cv\.teaching\.(guess|answer|check)\(")
TO_A_FILE = re.compile(r"\[([^\]]+)\]\((?![a-z]+:)[^)\s]+\)")  # a link; a slide stands alone


def lessons() -> list[Path]:
    """The notebooks that store what they show."""
    return [path for path in NOTEBOOKS if '"image/png"' in path.read_text(encoding="utf-8")]


def slides(notebook: NotebookNode) -> list[Markup]:
    """The slides of a lesson, each with its parts."""
    found: list[list[Markup]] = []
    for begins, part in _parts(notebook):
        if begins or not found:
            found.append([])
        found[-1].append(part)
    return [joined(parts) for parts in found]


def _parts(notebook: NotebookNode) -> Iterator[tuple[bool, Markup]]:
    """The parts of slides, each with whether a slide begins with it."""
    for cell in notebook.cells:
        if HIDDEN in cell.metadata.get("tags", ()):
            continue
        if cell.cell_type == "markdown":
            for text in re.split(r"^(?=#+ )", cell.source, flags=re.MULTILINE):
                if text.strip():
                    html = markdown2html(TO_A_FILE.sub(r"\1", text))
                    yield text.startswith("#") or "**Three moves**" in text[:20], Markup(html)
        elif is_widget(cell):
            yield True, joined([*_shown(cell), _way_to(notebook, cell)])
        else:
            is_asked = bool(ASKED.match(cell.source))
            code = None if is_asked else tag("details", tag("summary", "code"), tag("pre", cell.source))
            yield is_asked, joined([*_shown(cell), code])


def _shown(cell: NotebookNode) -> Iterator[Markup]:
    """What a cell shows: a still picture stands for a view."""
    for output in cell.outputs:
        data = output.get("data", {})
        if "image/png" in data:
            yield tag("img", src=f"data:image/png;base64,{data['image/png']}", alt=_alternative(cell))
        elif VIEW in data or (is_widget(cell) and "text/html" in data):  # which says that a picture follows
            continue
        elif "text/html" in data:
            yield Markup(data["text/html"])
        else:
            yield tag("pre", output.get("text", data.get("text/plain", "")))


def _alternative(cell: NotebookNode) -> str:
    """The words for a picture: the call that makes it."""
    return " ".join(cell.source.splitlines()[-1].split())


def _way_to(notebook: NotebookNode, cell: NotebookNode) -> Markup:
    """How to come to the live view of a still picture."""
    link = link_of(notebook, cell)
    if not link:
        return tag("p", "Live: run the notebook, whose data this is.", class_="live")
    return tag("p", "Live: ", tag("code", f'calibviz demo --link "{link}"'), " · P enlarges", class_="live")


def link_of(notebook: NotebookNode, cell: NotebookNode) -> str:
    """The end of an address that opens the state of a cell's Explorer; empty where the notebook makes its data."""
    shown = (other.source for other in notebook.cells if other.cell_type == "code" and not is_widget(other))
    known = _assigned(ast.parse("\n".join([*shown, cell.source])))
    call = next((node for node in ast.walk(ast.parse(cell.source)) if _is_call(node, "Explorer")), None)
    if call is None or not call.args or not (data := _data_of(call.args[0], known)):
        return ""
    name, model = data
    predictions, calibration = demo_data(name)
    if len(call.args) != (1 if calibration is None else 2):
        return ""
    try:
        choices = {str(each.arg): ast.literal_eval(_value(each.value, known)) for each in call.keywords}
    except ValueError:  # of the user's own
        return ""
    explorer = cv.Explorer(predictions, calibration, **({"model": model} if model else {}) | choices)
    link = explorer.state.to_link()
    explorer.close()
    return "&".join(filter(None, (f"?{urlencode({'data': name})}", link.removeprefix("?"))))


def _is_call(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name


def _assigned(tree: ast.Module) -> dict[str, ast.expr]:
    """What stands for a name that is given a value once."""
    pairs: list[tuple[ast.expr, ast.expr]] = []
    for node in ast.walk(tree):
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs += zip(target.elts, node.value.elts, strict=False)
            else:
                pairs.append((target, node.value))
    names = [target.id for target, _ in pairs if isinstance(target, ast.Name)]
    return {one.id: value for one, value in pairs if isinstance(one, ast.Name) and names.count(one.id) == 1}


def _value(node: ast.expr, known: Mapping[str, ast.expr]) -> ast.expr:
    """What an expression stands for, if it is the name of that."""
    return known.get(node.id, node) if isinstance(node, ast.Name) else node


def _data_of(node: ast.expr, known: Mapping[str, ast.expr]) -> tuple[str, str] | None:
    """The name of the embedded data that an expression stands for, and of one model of them; none for other data."""
    node = _value(node, known)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        whole = _data_of(_value(node.value, known), {})
        return (whole[0], str(node.slice.value)) if whole else None
    if isinstance(node, ast.Call) and _is_call(node, "load_dataset") and isinstance(node.args[0], ast.Constant):
        name = str(node.args[0].value)
        return (name, "") if name in DEMO_NAMES and not node.keywords else None
    return None


def page(notebook: NotebookNode) -> str:
    """All slides of a lesson in one HTML file."""
    parts = slides(notebook)
    sections = [tag("section", each, id=str(number)) for number, each in enumerate(parts, start=1)]
    dark = f"@media (prefers-color-scheme: dark) {{ :root {{ {tones('--calibviz-', dark=True)} }} }}"
    look = f":root {{ {tones('--calibviz-')} }}\n{dark}"
    head = joined([
        tag("meta", charset="utf-8"), tag("meta", name="viewport", content="width=device-width"),
        tag("title", notebook.metadata.title), Markup(f"<style>{look}\n{STYLE}</style>"),
    ])  # fmt: skip  # short entries stand in rows
    body = joined([tag("main", *sections), Markup(f"<script>{SCRIPT}</script>")])
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def main() -> None:
    """Read the command line, and write the slides into a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("numbers", nargs="*", metavar="NUMBER", help="of lessons, such as 04 (default: all)")
    given = parser.parse_args()
    unknown = [number for number in given.numbers if not any(path.name.startswith(f"{number}_") for path in lessons())]
    if unknown:
        parser.error(f"there is no lesson {unknown[0]!r} that stores its outputs")
    given.folder.mkdir(parents=True, exist_ok=True)
    for path in lessons():
        if not given.numbers or path.name[:2] in given.numbers:
            file = given.folder / f"{path.stem}.html"
            file.write_text(page(nbformat.read(path, as_version=4)), encoding="utf-8")
            print(file)


if __name__ == "__main__":
    main()
