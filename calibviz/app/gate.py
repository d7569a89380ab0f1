"""A check for pipelines: its exit status, a line of JSON, and JUnit XML."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from calibviz._version import __version__
from calibviz.app.reading import refusing
from calibviz.app.terminal import say
from calibviz.foundation.files import write_whole

if TYPE_CHECKING:
    from calibviz.answers.gate import Check

EXITS: Mapping[str, int] = {"pass": 0, "fail": 1, "cannot tell": 3}
ALLOWED = "cannot tell, which --allow-cannot-tell lets pass"


def given(check: Check, options: argparse.Namespace) -> int:
    """Print and write what a check says; its exit status."""
    is_allowed = options.allow_cannot_tell and check.status == "cannot tell"
    if options.junit is not None:
        with refusing(f"cannot write {str(options.junit)!r}"):
            write_whole(options.junit, as_junit(check, options.file, options.allow_cannot_tell).encode())
    line = as_json(check, options.file)
    if options.json not in (None, "-"):
        with refusing(f"cannot write {options.json!r}"):
            write_whole(options.json, f"{line}\n".encode())
    said = [ALLOWED if is_allowed else check.status, *(each.sentence for each in check.checks)]
    say(*said, *([line] if options.json == "-" else []))
    return 0 if is_allowed else EXITS[check.status]


def as_json(check: Check, file: Path) -> str:
    """One line of JSON; numbers that are not known are null."""
    about = {"calibviz": __version__, "file": str(file), "status": check.status}
    many = {"n": check.samples, "clusters": check.clusters}
    checks = [{key: None if value != value else value for key, value in asdict(each).items()} for each in check.checks]
    return json.dumps({**about, **many, "checks": checks}, ensure_ascii=False)


def as_junit(check: Check, file: Path, allows: bool) -> str:
    """A test suite of which each hypothesis is a case: one that cannot tell is an error, or skipped where allowed."""
    statuses = [each.status for each in check.checks]
    counts = {
        "tests": len(statuses),
        "failures": statuses.count("fail"),
        "errors": 0 if allows else statuses.count("cannot tell"),
        "skipped": statuses.count("cannot tell") if allows else 0,
    }
    suite = ElementTree.Element(
        "testsuite", {"name": "calibviz"} | {name: str(count) for name, count in counts.items()}
    )
    untold = ("skipped", {}) if allows else ("error", {"type": "cannot tell"})
    outcomes: dict[str, tuple[str, dict[str, str]]] = {"fail": ("failure", {}), "cannot tell": untold}
    for each in check.checks:
        case = ElementTree.SubElement(suite, "testcase", classname=_plain(file.name), name=each.measure)
        if each.status in outcomes:
            name, more = outcomes[each.status]
            ElementTree.SubElement(case, name, more, message=each.sentence)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)


def _plain(text: str) -> str:
    """A text without signs that XML cannot hold."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)
