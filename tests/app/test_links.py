"""Links of pages: the query that a command opens with, and the command that opens a file elsewhere."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

import pytest
from driver import screen

import calibviz as cv
from calibviz.app.cli import _command, main
from calibviz.app.demo import explored
from calibviz.app.options import LONGEST_LINK, READING, command_of, parser, query_of
from calibviz.app.reading import FileRead, given_of

CHOICES = "lens=class+yes&bins=20&selection=age+%3E+40"


@pytest.mark.parametrize(
    ("link", "query"),
    [
        (f"?{CHOICES}", CHOICES),
        (CHOICES, CHOICES),
        (f"http://127.0.0.1:43121/9f2c/?token=secret&{CHOICES}#top", CHOICES),
        ("?data=heart&bins=9", "data=heart&bins=9"),
        ("?file=../../etc/passwd&bins=9", "bins=9"),
        ("", ""),
        ("?", ""),
        ('?bins=9"><script>', "bins=9%22%3E%3Cscript%3E"),
    ],
)
def test_a_link_is_read_as_a_query_and_written_anew(link: str, query: str) -> None:
    assert query_of(link, ("file",)) == query


@pytest.mark.parametrize("link", ["?bins", "?" + "a" * (LONGEST_LINK + 1)])
def test_what_is_no_link_is_refused(link: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["explore", "--link", link])
    assert "argument --link: " in capsys.readouterr().err


def options_of(*line: str) -> argparse.Namespace:
    commands = ("demo", "explore", "report", "compare", "check", "papers", "playground")
    return parser(dict.fromkeys(commands, print)).parse_args(line)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "given",
    [
        ["mine.csv"],
        ["my file $(x).csv", "--label", "y", "--prob", "a,b", "--sep", "tab", "--missing", "drop", "--normalize"],
        ["mine.csv", "--truth", "truth.csv", "--fields", "", "--weight", "", "--ignore=-1"],
        ["a.csv", "b.csv", "--prevalence", "0.2,0.8", "--shift", "--trained-at", "0.5,0.5", "--noun", "people"],
        ["./-x.csv"],
    ],
)
def test_the_command_for_elsewhere_reads_as_the_one_here(given: list[str]) -> None:
    here = options_of("explore", *given)
    found = [FileRead(file, {}, given_of(here, READING)) for file in here.files]
    first, *line = shlex.split(_command(found, here))
    there = options_of(*line)
    here.files = [Path(file.name) if not file.name.startswith("-") else file for file in here.files]
    assert first == "calibviz" and vars(there) == vars(here)


def test_no_folder_of_this_machine_leaves_with_a_link() -> None:
    command = command_of(["/home/somebody/private/mine.csv"], {"truth": "/home/somebody/private/truth.csv"})
    assert command == "calibviz explore mine.csv --truth truth.csv"


def page_of(link: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("QUERY_STRING", link.removeprefix("?"))
    p = cv.load_dataset("tumours")["naive Bayes"]
    p.about["title"] = "mine.csv"
    return explored(p, elsewhere="calibviz explore mine.csv --label y").children[1].view


def test_the_page_of_a_file_copies_a_command_and_names_the_file_in_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    explorer = page_of("?bins=7", monkeypatch)
    assert screen(explorer).address == "?file=mine.csv&bins=7"
    assert screen(explorer).export("link") == ['calibviz explore mine.csv --label y --link "?bins=7"']
    explorer.state.reset()
    assert screen(explorer).export("link") == ["calibviz explore mine.csv --label y"]
    explorer.close()


def test_an_address_of_another_file_asks_for_it_and_opens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    chooser = page_of("?file=/etc/passwd&bins=7", monkeypatch)
    assert "Open “/etc/passwd”, and say how to read it" in chooser.said.value
    assert chooser._predictions is None and chooser._file is None
    chooser.close()
