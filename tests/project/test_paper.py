"""The paper cites what its bibliography holds, and the bibliography agrees with what is to be cited."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAPER = (ROOT / "paper.md").read_text(encoding="utf-8")
BIBLIOGRAPHY = (ROOT / "paper.bib").read_text(encoding="utf-8")


def test_each_work_is_cited_and_each_citation_is_known():
    cited = set(re.findall(r"@(\w+)", PAPER))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", BIBLIOGRAPHY, re.MULTILINE))


def test_papers_have_the_same_titles_as_in_what_is_to_be_cited():
    known = " ".join((ROOT / "CITATION.cff").read_text(encoding="utf-8").split())
    for key in ("kirchenbauer2022", "gupta2020", "roelofs2022", "nixon2019"):
        entry = BIBLIOGRAPHY.split(f"{{{key},")[1].split("\n}")[0]
        title = re.search(r"title = \{(.*)\},", entry).group(1).replace("{", "").replace("}", "")
        assert title in known
        number = re.search(r"eprint = \{(.*)\},", entry)
        assert number is None or f"arXiv:{number.group(1)}" in known


def test_its_length_is_what_the_journal_takes():
    assert 250 < len(PAPER.split("---", 2)[2].split()) < 1000
