"""One word for one thing, in all that a person reads: the field's words, and none that stood here before."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: Pages of what was, and of others' words.
LEFT_OUT = {"CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "LICENSE"}
SCORES = r"(?:scores?|models?|probabilit\w+|predictions?|classifiers?|forests?|Bayes|bins?|half|halves)"
#: What is never written, by what is written instead. Only whole words count, in either case.
NEVER = {
    "predicted": [
        r"told(?! apart)", rf"{SCORES} (?:say|says|said)(?! the same)", r"says? (?:{}|[0-9.]+) ?%",
    ],
    "observed": [
        r"found (?:less|near|after|never|interval|by rank|[0-9.]+ ?%|{} ?%)", r"(?:what is|share) found(?! row)",
        r"found, (?:±|{} ?%|[0-9.]+ ?%)", r"(?:come|comes|came|coming) true",
        r"what (?:happens|happened) (?:to|of) (?:it|them)",
        r"happens? (?:{}|[0-9.]+) ?%", r"(?:how often|outcome that|event) (?:it )?happen(?:s|ed)",
    ],
    "recalibration, calibrator": [r"repair(?:s|ed|ing)?"],
    "segment": [
        r"groups? of (?:the )?(?:samples|patients|people)", r"(?:worst|off|furthest) groups?",
        r"groups? (?:is|are) off",
    ],
    "within noise, beyond noise": [
        r"(?:within|beyond|than|against|by) chance", r"chance (?:alone|explains?|shows?|does not explain)",
    ],
    "no ... is shown": [
        r"consistent with (?:a )?calibrated", r"fits (?:overall|on the whole)", r"leaves? no error",
        r"in bins may be chance", r"perhaps [^.]*, if not",
    ],
    "what so many samples could hide": [r"too few to tell"],
    "with which probability they would show it": [r"would show it(?! with (?:{}|[0-9.]+) % probability)"],
    "no level of an interval of the ECE": [
        r"intervals?[^.,:;]{0,30} holds? the true error", r"holds? the true error (?:in )?[0-9]",
    ],
    "segments that are off, the largest gap shown": [r"worst (?:segments?|parts?|sources?)"],
    "categories": [r"likert words?", r"words \(likert\)"],
    "error bars": [r"lines? on dots"],
    "leaf size": [r"smallest cell"],
    "samples": [r"held-out (?:samples?|bins?)"],
}  # fmt: skip  # short entries stand in rows
#: Where such words mean something else: a part of the path, and the phrase.
MEANT_OTHERWISE = {
    ("data/columns/", r"the name of .* may say"),
    ("docs/names.md", r"unless told otherwise"),
    ("benchmarks/coverage.md", r"are found in [0-9]+ %"),
    ("answers/first_screen/verdict_sentences.py", r"every score is 0 or 1, and all came true"),
}


def strings(path: Path) -> Iterator[str]:
    """The texts of a module: literals, docstrings, and the parts of f-strings with {} in place of values."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def texts(path: Path) -> Iterator[str]:
    """The texts of a file that a person reads; of a notebook those of cells, of a script all but its code."""
    if path.suffix == ".py":
        yield from strings(path)
    elif path.suffix == ".ipynb":
        yield from ("".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"])
    elif path.suffix == ".js":
        content = path.read_text(encoding="utf-8")
        yield from re.findall(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`]*`|//[^\n]*", content)
    else:
        yield path.read_text(encoding="utf-8")


def files() -> list[Path]:
    found = [*(ROOT / "calibviz").rglob("*.py"), *(ROOT / "calibviz").rglob("*.js"), *ROOT.glob("*.md")]
    found += [
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "notebooks").glob("*.ipynb"),
        *(ROOT / "benchmarks").glob("*.md"),
    ]
    names = ((path, path.relative_to(ROOT).as_posix()) for path in found)
    return sorted(path for path, name in names if name not in LEFT_OUT)


def wrong(text: str, place: str) -> list[str]:
    """What a text has of the words that are never written, each with what to write."""
    joined = " ".join(text.split())
    return [
        f"{place}: “…{joined[max(0, match.start() - 40) : match.end() + 40]}…”: write {instead}"
        for instead, patterns in NEVER.items()
        for pattern in patterns
        for match in re.finditer(rf"(?<![\w-])(?:{pattern})(?![\w-])", joined, re.IGNORECASE)
        if not any(
            part in place and re.search(meant, joined[max(0, match.start() - 80) : match.end() + 80])
            for part, meant in MEANT_OTHERWISE
        )
    ]


def names(path: Path) -> Iterator[str]:
    """The names that a module defines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def test_no_name_has_a_word_of_old() -> None:
    old = re.compile(
        r"(^|_)(told(?!_apart)|repair\w*|groups_beyond_chance|beyond_chance|within_chance)($|_)", re.IGNORECASE
    )
    modules = [path for path in files() if path.suffix == ".py"]
    assert not [(path.name, name) for path in modules for name in names(path) if old.search(name)]


def first_lines(path: Path) -> Iterator[str]:
    """The first line of each docstring of a module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (text := ast.get_docstring(node)):
            yield text.splitlines()[0]


def test_the_first_line_of_a_docstring_names_the_thing() -> None:
    riddle = re.compile(r"(What|The same|The other|The one|As many|Who|Of|That|Those|Between which|In the place)\b")
    modules = [path for path in files() if path.suffix == ".py"]
    assert not [(path.name, line) for path in modules for line in first_lines(path) if riddle.match(line)]


def test_no_text_has_a_word_of_old() -> None:
    read = files()
    assert len(read) > 300
    places = [(text, path.relative_to(ROOT).as_posix()) for path in read for text in texts(path)]
    assert not (lines := [line for text, place in places for line in wrong(text, place)]), "\n".join(lines)


@pytest.mark.parametrize(
    "text",
    [
        "told 70 %, found 94 %",
        "The model says 94 % on average",
        "high scores come true less often",
        "what came\ntrue",
        "Would a repair help?",
        "2 groups are off beyond chance",
        "the worst group of all",
        "Consistent with calibrated (54 %)",
        "Fits overall, but not in parts",
        "460 held-out samples",
        "the smallest cell of a tree",
        "found near 20 %",
        "found, 95 % interval",
        "larger than chance explains",
        "predicted 1 %, observed 100 % of 29: too few to tell",
        "Perhaps too high, if not by chance",
        "too high, which in bins may be chance",
        "isotonic leaves no error that these samples could show",
        "some 2,000 samples would show it",
        "The interval holds the true error 95 times in 100.",
        "intervals that hold the true\nerror",
        "the gaps of the worst segments",
        "of all samples and of the worst part",
        "one source among the worst groups",
    ],
)
def test_an_old_word_is_seen(text: str) -> None:
    assert wrong(text, "docs/page.md")


@pytest.mark.parametrize(
    "text",
    [
        "predicted 70 %, observed 94 %",
        "found no labels among the columns",
        "four classes that cannot be told apart",
        "a group of classes under the grouping lens",
        "the option --decimal says how numbers are written",
        "Temperature fits one number to all classes",
        "labels are drawn by chances of 1 in 20",
        "Where is it worst?",
        "No error is shown after it; 460 samples could hide 4.1 %",
        "some 2,000 samples would show it with 80 % probability",
        "the 95 % interval of the true error",
        "the worst class of 100, by its error",
    ],
)
def test_a_word_that_is_meant_otherwise_stays(text: str) -> None:
    assert not wrong(text, "docs/page.md")
