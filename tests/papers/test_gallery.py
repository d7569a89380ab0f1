"""The page with all items, and the command that writes it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import calibviz as cv
from calibviz.app.cli import main
from calibviz.foundation import written
from calibviz.papers import writing
from calibviz.papers.catalogue import ITEMS
from calibviz.papers.item import Item, Made, SentenceFormatter

FEW = tuple(item for item in ITEMS if item.key in ("ks-figure-1", "ks-table-3", "gce_measuring-figure-4"))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calibviz.papers.writing.ITEMS", FEW)


@pytest.mark.usefixtures("few")
def test_the_page_holds_pictures_numbers_code_and_links(tmp_path: Path) -> None:
    file = cv.papers.gallery(tmp_path / "papers.html", progress=False)
    html = file.read_text(encoding="utf-8")
    assert html.count("<article ") == 3 and html.count('class="plot"') == 4 + 1
    assert "<img" not in html and "prefers-color-scheme:dark" in html
    for item in FEW:
        assert f'href="#{item.key}"' in html and f'id="{item.key}"' in html
    assert "KS error 4.75&nbsp;% (ResNet-110 on CIFAR-10)." in html
    assert ">Gupta et al. 2020, figure 1</a>" in html and ">Nixon et al. 2019, figure 4</a>" in html
    assert "cv.plots.ks(network, &quot;top-1&quot;)" in html
    assert "calibviz demo --link &quot;?data=resnet110&amp;lens=top-1" in html
    assert re.findall(r"<td[^>]*>10000</td>|10,000", html)
    assert 'data-table="error"' in html  # a grid is a table


@pytest.mark.usefixtures("few")
def test_the_page_loads_nothing(tmp_path: Path) -> None:
    html = cv.papers.gallery(tmp_path / "papers.html", progress=False).read_text(encoding="utf-8")
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    assert "default-src &#x27;none&#x27;" in policy and "img-src" not in policy
    assert not re.findall(r'(?:src|href)="(?!#)', html)


def test_a_place_that_takes_no_file_is_refused_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calibviz.papers.writing.made", lambda *given: pytest.fail("the work began"))
    with pytest.raises(FileNotFoundError, match="there is no directory"):
        cv.papers.gallery(tmp_path / "none" / "papers.html")


@pytest.mark.usefixtures("few")
def test_the_command_writes_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["papers"]) == 0
    assert capsys.readouterr().out == "written to 'papers.html'\n"
    assert (tmp_path / "papers.html").stat().st_size > 10_000
    assert main(["papers", str(tmp_path)]) == 2
    assert "cannot write" in capsys.readouterr().err


def test_a_table_is_written_in_the_digits_of_its_item() -> None:
    item = FEW[1]
    record = writing.record(item, cv.papers.table("ks", 3))
    assert [cell.text for cell in record.rows[2]] == ["test set", "10,000", "10,000"]
    assert [column.text for column in record.columns] == ["", "paper", "here"]
    negative = writing.record(replace(item, form="{:.2f}"), pd.DataFrame({"b0": [-0.24]}, ["logflip"]))
    assert negative.rows[0][1].text == "−0.24"


def test_what_is_empty_is_not_read() -> None:
    item = replace(FEW[1], says="From −4.82 points.", why="")
    assert Made(item, None, "0.38 %.").readings == {"the paper": "From −4.82 points.", "here": "0.38 %."}


def test_numbers_of_sentences_are_written_as_everywhere() -> None:
    said = "{ks:percent}, {bias:points}, {share[0]:whole_percent}, {n:counted}, {brier:number} by {name}"
    values = {"ks": 0.0475, "bias": -0.0123, "share": [0.386], "n": 1234, "brier": -0.5, "name": "spline"}
    assert SentenceFormatter().format(said, **values) == "4.75 %, −1.23 points, 39 %, 1,234 samples, −0.5000 by spline"
    with pytest.raises(AttributeError):
        SentenceFormatter().format("{ks:.3f}", ks=0.5)


@pytest.mark.parametrize("item", ITEMS, ids=[item.key for item in ITEMS])
def test_no_sentence_formats_a_number_by_hand(item: Item) -> None:
    fields = [(spec, name) for _, name, spec, _ in SentenceFormatter().parse(item.finds) if name is not None]
    assert all(not spec or callable(getattr(written, spec)) for spec, _ in fields)
    assert not re.search(r"(?<![\w.])-\d|\d%", f"{item.says} {item.finds} {item.why}"), "a minus, or a per cent"
