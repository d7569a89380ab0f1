"""Pages of the site that nobody writes: of every public name, of every answer, and of files beside docs/.

They are written to docs/made when the site is built. A page of the repository, such as the README, links to others as
GitHub wants it; on the site the link leads to the page there, or else to the repository.
"""

from __future__ import annotations

import importlib
import inspect
import io
import itertools
import json
import posixpath
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

import calibviz as cv
from calibviz.answers.registry import ANSWERS
from calibviz.figures.markup import joined, tag
from calibviz.papers.catalogue import ITEMS, PAPERS
from calibviz.papers.item import made as made_of
from calibviz.papers.writing import shown
from calibviz.reports.writing.page import colours, page_script, picture_style
from calibviz.reports.writing.parts import table

sys.path += [str(Path(__file__).parents[1] / folder) for folder in ("tests", "scripts")]

from landing import figures_of_papers, hero
from lite_site import OWN_FILE, address
from public import documented, results

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
FOLDER = DOCS / "made"
REPOSITORY = "https://github.com/calibviz/calibviz"
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
#: Files outside of docs/ that are pages of the site, and where they stand there.
PAGES = {
    "README.md": "docs/made/start.md",
    "CHANGELOG.md": "docs/made/changelog.md",
    "CONTRIBUTING.md": "docs/made/contributing.md",
    "SECURITY.md": "docs/made/security.md",
    **{f"notebooks/{path.name}": f"docs/made/notebooks/{path.name}" for path in NOTEBOOKS},
}
#: What stands in the line above every page: its title, a sentence, and the pages below it.
SECTIONS = {
    "learn": (
        "Learn", "From the first command to what a paper says.",
        [
            "made/start", "guide", "decisions", "explorer", "playground", "hosts", "made/answers", "papers",
            "notebooks", "instructors", "reviewers",
        ],
    ),
    "measure": (
        "Measure", "What is looked at, what is measured, and what is done about it.",
        ["lenses", "metrics", "recalibration", "clusters", "censoring", "scale"],
    ),
    "files": (
        "Files and pages", "What is read, what is written, and what keeps both safe.",
        ["data", "reports", "checks", "made/security"],
    ),
    "reference": (
        "Reference", "Every name, formula and word.",
        ["made/api/index", "formulas", "choices", "glossary", "names", "comparison", "scope", "conventions"],
    ),
    "project": (
        "Project", "How it is built, how to change it, and what was changed.",
        ["architecture", "made/contributing", "made/changelog"],
    ),
}  # fmt: skip  # short entries stand in rows
CODE = r"^```.*?^```|(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)"
LINK = re.compile(rf"(?P<code>{CODE})|\]\((?P<target>[^)\s#]*)(?P<anchor>#[^)\s]*)?\)", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(
    r'<picture>\s*<source [^>]*srcset="(?P<dark>[^"]+)">\s*'
    r'<img alt="(?P<alt>[^"]*)" src="(?P<light>[^"]+)"(?: width="(?P<width>\d+)")?>\s*</picture>'
)


def write() -> None:
    """Write all of them; a page that is what it was is left as it is, so that Sphinx does not read it again."""
    made = dict(pages())
    for last, folder, write_anew in (
        ("answers.md", "answers", answers), (PAPERS_DONE, "papers", papers), (LANDING_DONE, "landing", landing),
    ):  # fmt: skip  # short entries stand in rows
        page = FOLDER / last
        if page.is_file() and page.stat().st_mtime > _newest():  # or each build would compute them
            kept = [page, *(path for path in FOLDER.glob(f"{folder}/*") if path != page)]
            made |= {path.relative_to(FOLDER).as_posix(): path.read_bytes() for path in kept}
        else:
            page.unlink(missing_ok=True)
            made |= dict(write_anew())
    for name, content in made.items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_bytes() != content:
            path.write_bytes(content)
    for path in FOLDER.rglob("*"):
        if path.is_file() and path.relative_to(FOLDER).as_posix() not in made:
            path.unlink()


def pages() -> Iterator[tuple[str, bytes]]:
    for file, page in PAGES.items():
        text = (ROOT / file).read_text(encoding="utf-8")
        if file == "README.md":  # the landing page has what stands before
            text = "# First steps\n\n" + text[text.index("## Start\n") :]
        made = of_notebook(text, file, page) if file.endswith(".ipynb") else for_the_site(text, file, page)
        yield Path(page).relative_to("docs/made").as_posix(), made.encode()
    for name, (title, about, names) in SECTIONS.items():
        yield f"{name}.md", f"# {title}\n\n{about}\n{toctree((f'/{one}' for one in names), hidden=False)}".encode()
    for name, text in api():
        yield f"api/{name}.md", text.encode()


def _newest() -> float:
    """When what answers are made of was last changed."""
    sources = (path for path in (ROOT / "calibviz").rglob("*.*") if "__pycache__" not in path.parts)
    return max(path.stat().st_mtime for path in (*DOCS.glob("*.py"), *sources))


# Pages of the repository


def for_the_site(text: str, file: str, page: str) -> str:
    """What a file says, with links and pictures that fit to the page that it becomes."""

    def place(target: str) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(file), target))
        path = PAGES.get(path, path)
        if path.startswith("docs/"):
            return posixpath.relpath(path, posixpath.dirname(page))
        return f"{REPOSITORY}/blob/HEAD/{path}"

    def link(found: re.Match[str]) -> str:
        target, anchor = found["target"], found["anchor"] or ""
        if found["code"] or not target or ":" in target:
            return found[0]
        return f"]({place(target)}{anchor})"

    def picture(found: re.Match[str]) -> str:
        of = {"alt": found["alt"], "width": found["width"] and f"{found['width']}px"}
        return "\n".join(image(place(found[ground]), {"class": f"only-{ground}"} | of) for ground in ("light", "dark"))

    return PICTURE.sub(picture, LINK.sub(link, text))


def image(address: str, options: Mapping[str, str | None]) -> str:
    """Say to Sphinx which picture to show, and how."""
    said = "".join(f":{name}: {value}\n" for name, value in options.items() if value)
    return f"```{{image}} {address}\n{said}```\n"


def of_notebook(text: str, file: str, page: str) -> str:
    notebook = json.loads(text)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = for_the_site("".join(cell["source"]), file, page)
    return json.dumps(notebook, ensure_ascii=False, indent=1)


# Public names


def api() -> Iterator[tuple[str, str]]:
    """A page of each public name and of each kind of result, and the list of them."""
    groups: dict[str, list[str]] = {}
    for name, value in documented().items():
        groups.setdefault(_module(value).split(".")[1], []).append(name)
        yield name, _page(name, value)
    lines = ["# Public names", "", "Every name, by the folder of the code that it comes from. Examples begin after", ""]
    lines += ["`import calibviz as cv`. What functions return is described here, too, and needs no import.", ""]
    for folder in [folder for folder in _folders() if folder in groups]:
        about = (inspect.getdoc(importlib.import_module(f"calibviz.{folder}")) or "").partition("\n")[0]
        lines += [f"## {folder}", "", about, "", "| name | what it is |", "|---|---|"]
        for name in sorted(groups[folder], key=str.lower):
            said = " ".join((inspect.getdoc(documented()[name]) or "").partition("\n\n")[0].split())
            lines.append(f"| [`{name}`]({name}.md) | {said.replace('|', BAR)} |")
        lines.append("")
    yield "index", "\n".join(lines) + toctree(sorted(documented(), key=str.lower))


BAR = r"\|"  # in a table


def toctree(names: Iterable[str], hidden: bool = True) -> str:
    """Say to Sphinx which pages come below this one."""
    return "\n".join(["", "```{toctree}", ":maxdepth: 1", *([":hidden:"] if hidden else []), "", *names, "```", ""])


def _module(value: Any) -> str:
    """The module of a public name; of a package that is public itself, its name."""
    return value.__name__ if inspect.ismodule(value) else value.__module__


def _folders() -> list[str]:
    """The folders from the top down, as the table of the architecture has them."""
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)


def _page(name: str, value: Any) -> str:
    module = "calibviz" if name in cv.__all__ else _module(value)
    lines = _described(f"{module}.{name}", value)
    text = f"# {name}\n\n```{{eval-rst}}\n.. py:currentmodule:: {module}\n\n" + "\n".join(lines) + "\n```\n"
    if formulas := list(_formulas(name)):
        text += "\n**Formulas**: " + ", ".join(formulas) + "\n"
    if elsewhere := [link for page in sorted(DOCS.glob("*.md")) if (link := _used_on(page, name))]:
        text += "\n**On other pages**: " + ", ".join(elsewhere) + "\n"
    return text


def _described(name: str, value: Any) -> list[str]:
    """Say to Sphinx what to describe."""
    if inspect.ismodule(value):
        parts = [_described(f"{value.__name__}.{each}", getattr(value, each)) for each in value.__all__]
        return [f".. automodule:: {value.__name__}", "", *(line for part in parts for line in part)]
    if inspect.isclass(value):
        members = ", ".join(_members(value))
        return [f".. autoclass:: {name}", *([f"   :members: {members}"] if members else []), ""]
    return [f".. auto{'function' if inspect.isroutine(value) else 'data'}:: {name}", ""]


def _members(kind: type) -> list[str]:
    """The public methods and properties that calibviz defines, in its own classes, and describes."""
    found: dict[str, None] = {}
    for one in kind.__mro__:
        for name, value in vars(one).items() if one.__module__.startswith("calibviz.") else ():
            if name.startswith("_") or not (isinstance(value, MADE_OF_FUNCTIONS) or inspect.isfunction(value)):
                continue
            described = getattr(value, "__func__", value)
            if inspect.getdoc(described) and getattr(described, "__module__", one.__module__) == one.__module__:
                found[name] = None
    return list(found)


MADE_OF_FUNCTIONS = (property, classmethod, staticmethod, cached_property)


def _formulas(name: str) -> Iterator[str]:
    """Links to the sections of the formulas that name it."""
    text = (DOCS / "formulas.md").read_text(encoding="utf-8")
    for section in re.split(r"^(?=#{2,4} )", text, flags=re.MULTILINE)[1:]:
        heading, _, said = section.partition("\n")
        if re.search(rf"\bcv\.{name}\b", re.sub(r"^```.*?^```", "", said, flags=re.MULTILINE | re.DOTALL)):
            title = heading.lstrip("# ")
            yield f"[{title}](../../formulas.md#{slug(title)})"


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def _used_on(page: Path, name: str) -> str:
    text = page.read_text(encoding="utf-8")
    if page.stem == "formulas" or not re.search(rf"\bcv\.{name}\b", text):
        return ""
    return f"[{text.partition(chr(10))[0].lstrip('# ')}](../../{page.name})"


def public_name(app: Any, env: Any, node: Any, shown: Any) -> Any:
    """Where a docstring that stands elsewhere in the package refers to: a public name, or a kind of result."""
    from sphinx.util.nodes import make_refnode

    objects = env.domains["py"].objects
    for home in ("calibviz", *{_module(value) for value in results().values()}):
        if (found := objects.get(f"{home}.{node.get('reftarget')}")) and node.get("refdomain") == "py":
            return make_refnode(app.builder, node["refdoc"], found.docname, found.node_id, shown, found.objtype)
    return None


# Answers


def answers() -> Iterator[tuple[str, bytes]]:
    """A page of what the Explorer answers, each with its picture."""
    text = ["# Answers", "", ABOUT_ANSWERS, ""]
    shown: dict[str, cv.Explorer] = {}
    for name, answer in ANSWERS.items():
        kind = SHOWN.get(name, "heart")
        if kind not in shown:
            shown[kind] = EXPLORERS[kind]()
        explorer = shown[kind]
        explorer.state.update(panels=(name,))
        explorer.finish()
        text += [f"## {answer.button}", "", f"`{name}`: {answer.about}.", ""]
        picture = io.BytesIO()
        try:
            explorer.save(picture)
        except ValueError:  # a table alone
            text += [_first_rows(answer, explorer), ""]
            continue
        yield f"answers/{name}.png", picture.getvalue()
        text.append(image(f"answers/{name}.png", {"alt": _in_words(answer, explorer)}))
    for explorer in shown.values():
        explorer.close()
    yield "answers.md", "\n".join(text).encode()


def _first_rows(answer: cv.Answer, explorer: cv.Explorer) -> str:
    """The first rows of the table of an answer, with their small pictures, as HTML."""
    (record,) = answer.content(explorer.situation).records
    rows = record.rows[:ROWS]
    html = str(table(replace(record, rows=rows, note="")))
    for cell in itertools.chain(*rows):
        if cell.picture:
            html = html.replace(f"<span>{cell.text}</span>", f'<img alt="{cell.text}" src="{cell.picture}" width="48">')
    return html


def _in_words(answer: cv.Answer, explorer: cv.Explorer) -> str:
    said = explorer.sentences.get(answer.name, "") or answer.about
    return f"{answer.title}: {' '.join(said.split())}"


def _over_time() -> cv.Explorer:
    drawn = cv.simulated("resnet110_c10", 4000)
    day = np.repeat(np.datetime64("2024-05-01") + np.arange(8), 500)
    return cv.Explorer(cv.Predictions(drawn.probs, drawn.labels, fields={"day": day}))


# The first page


def landing() -> Iterator[tuple[str, bytes]]:
    """The parts of the first page that are computed, or written by nobody."""
    addresses = {"Open the Explorer on this page": address(), "Open your own file": address(OWN_FILE)}
    yield "landing/hero.html", f"{LOOK}{hero({said: f'lite/{each}' for said, each in addresses.items()})}".encode()
    yield LANDING_DONE, f"{figures_of_papers()}{tag('script', page_script())}".encode()


LANDING_DONE = "landing/papers.html"


# Papers


def papers() -> Iterator[tuple[str, bytes]]:
    """A page of each paper: its figures and tables with their numbers, their code, and a link that opens them live."""
    runs: dict[str, dict[str, Any]] = {}
    for short, paper in PAPERS.items():
        text = [f"# {paper}", "", str(LOOK), "", ABOUT_PAPERS, ""]
        for item in (one for one in ITEMS if one.paper == short):
            found = made_of(item, runs)
            text += [f"## {item.name.capitalize()}. {item.title}", "", f"*{item.state}*", ""]
            text += [str(shown(found)), ""]
            text += [f"- **{name.capitalize()}**: {sentence}" for name, sentence in found.readings.items()]
            live = f"../../lite/{address(f'import calibviz as cv{chr(10) * 2}{item.live}')}"
            text += ["", f'<p><a href="{escape(live)}">Open {item.name} live</a></p>', ""]
            text += [
                "<details><summary>The code</summary>",
                "",
                "```python",
                item.code.strip(),
                "```",
                "",
                "</details>",
                "",
            ]
        yield f"papers/{short}.md", "\n".join([*text, str(tag("script", page_script())), ""]).encode()


#: Written last of the pages of papers: where it is new enough, all are.
PAPERS_DONE = f"papers/{list(PAPERS)[-1]}.md"
#: How reports draw, in the colours of the theme that the reader chose.
LOOK = tag("style", joined([colours('html[data-theme="dark"]{%s}'), picture_style()]))
ABOUT_PAPERS = """\
Every picture and number was computed when this site was built, by the code below it, which begins after
`import numpy as np`, `import pandas as pd` and `import calibviz as cv`. [All papers](../../papers.md)."""

ROWS = 6  # of a table that has no other picture
ABOUT_ANSWERS = """\
The questions that the [Explorer](../explorer.md) answers, each as the picture that **Share** saves. `cv.Panel(name, p)`
is one of them alone, and `panels=(name, ...)` opens an Explorer with several."""
#: The data of the pictures: patients with heart disease, digits where images or many classes matter, days of a stream.
EXPLORERS: dict[str, Callable[[], cv.Explorer]] = {
    "heart": lambda: cv.Explorer(cv.load_dataset("heart"), likert=(0, 0.1, 0.5, 1)),
    "digits": lambda: cv.Explorer(cv.load_dataset("digits"), model="random forest", bin=10),
    "days": _over_time,
}
SHOWN = {"classes": "digits", "confidence": "digits", "instances": "digits", "time": "days"}
