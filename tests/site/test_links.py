"""Links and pictures of the repository's pages lead on the site to its own pages, or else to the repository."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "docs"))

import made_pages

DOCS = made_pages.DOCS


@pytest.mark.parametrize(
    ("text", "file", "page", "expected"),
    [
        ("[a](decisions.md#risk)", "docs/guide.md", "docs/guide.md", "[a](decisions.md#risk)"),
        ("[a](../README.md)", "docs/guide.md", "docs/guide.md", "[a](made/start.md)"),
        ("[a](docs/guide.md)", "README.md", "docs/made/start.md", "[a](../guide.md)"),
        ("[a](SECURITY.md#files)", "README.md", "docs/index.md", "[a](made/security.md#files)"),
        ("[a](02_b.ipynb)", "notebooks/01_a.ipynb", "docs/made/notebooks/01_a.ipynb",
         f"[a]({made_pages.REPOSITORY}/blob/HEAD/notebooks/02_b.ipynb)"),
        ("[a](03_bias_and_chance.ipynb)", "notebooks/01_a.ipynb", "docs/made/notebooks/01_a.ipynb",
         "[a](03_bias_and_chance.ipynb)"),
        ("[a](../CITATION.cff)", "docs/guide.md", "docs/guide.md",
         f"[a]({made_pages.REPOSITORY}/blob/HEAD/CITATION.cff)"),
        ("[a](#here) [b](https://example.org/a)", "docs/a.md", "docs/a.md", "[a](#here) [b](https://example.org/a)"),
        ("`x[1](../README.md)`", "docs/a.md", "docs/a.md", "`x[1](../README.md)`"),
        ("```\n[a](../README.md)\n```", "docs/a.md", "docs/a.md", "```\n[a](../README.md)\n```"),
    ],
)  # fmt: skip  # a text and what becomes of it
def test_a_link_leads_to_the_page_of_the_site(text: str, file: str, page: str, expected: str) -> None:
    assert made_pages.for_the_site(text, file, page) == expected


def test_a_picture_of_two_grounds_becomes_two() -> None:
    dark, light = '<source media="x" srcset="docs/images/a-dark.png">', '<img alt="an A" src="docs/images/a-light.png">'
    text = f"<picture>\n  {dark}\n  {light}\n</picture>"
    made = made_pages.for_the_site(text, "README.md", "docs/index.md")
    for ground in ("light", "dark"):
        assert f"```{{image}} images/a-{ground}.png\n:class: only-{ground}\n:alt: an A\n```" in made


def test_every_page_has_its_place_in_one_section() -> None:
    placed = [name for _, _, names in made_pages.SECTIONS.values() for name in names]
    assert len(placed) == len(set(placed))
    assert {path.stem for path in DOCS.glob("*.md")} - {"index"} == {name for name in placed if "/" not in name}
