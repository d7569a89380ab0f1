"""A file of one's own in the page: what is recognised, what is changed, what is refused."""

from __future__ import annotations

import gzip
import re
import shlex
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases_of_people import CASES as AS_EXPECTED
from driver import screen
from files_of_people import FILES

import calibviz as cv
from calibviz.app import cli, opening, page_words
from calibviz.app.demo import demo, explored
from calibviz.app.opening import NO_COLUMN, SHOWN, FileChooser
from calibviz.app.page_words import AT_HORIZON, CALLED
from calibviz.data import safeguards
from calibviz.data.columns.choices import ReadingOptions
from calibviz.explorer.view.page.file_drop import PIECE
from calibviz.foundation import folders

CASES = Path(__file__).parents[1] / "files"
ROWS = [(0.25, "no", 31), (0.75, "yes", 52), (0.5, "yes", 44), (0.625, "no", 27)] * 10
TEXT = "p_yes,label,age\n" + "".join(f"{p},{label},{age}\n" for p, label, age in ROWS)
IN_GERMAN = "modell;ausgang;alter\n" + "".join(
    f"{str(p).replace('.', ',')};{'ja' if label == 'yes' else 'nein'};{age}\n" for p, label, age in ROWS
)


class Chosen:
    """A place for a file, what went on from it, and what stands in it."""

    def __init__(self, folder: Path) -> None:
        self.gone_on: list[cv.Predictions] = []
        self.chooser = FileChooser(self.gone_on.append, folder)
        self.sent: list[dict[str, object]] = []
        self.chooser.drop.send = lambda content, buffers=None: self.sent.append(content)
        self.turn = 0

    def begin(self, name: str, size: int, place: int = 0, of: int = 1) -> None:
        self.turn += 1
        began = {"name": name, "size": size, "turn": self.turn, "place": place, "of": of}
        self.chooser.drop._handle_custom_msg(began, [])

    def piece(self, content: bytes) -> None:
        self.chooser.drop._handle_custom_msg({"turn": self.turn}, [memoryview(content)])

    def drop(self, name: str, content: bytes | str, place: int = 0, of: int = 1) -> Chosen:
        """Send a file as the browser does, piece by piece as it is asked for."""
        whole = content.encode() if isinstance(content, str) else content
        self.sent.clear()
        self.begin(name, len(whole), place, of)
        while self.sent and "from" in self.sent[-1]:
            asked = self.sent.pop()
            self.piece(whole[asked["from"] : asked["to"]])
        return self

    @property
    def said(self) -> str:
        """What stands above the table, and what the buttons below it do."""
        text = unescape(re.sub(r"<[^>]+>", " ", self.chooser.said.value)).strip()
        return "\n".join([text, *(way.tooltip for way in self.chooser.ways.children)]).replace("\u00a0", " ")

    @property
    def ways(self) -> list[str]:
        """What stands on the buttons of the readings."""
        return [way.description.replace("\u00a0", " ").replace("\n", " ") for way in self.chooser.ways.children]

    @property
    def is_refused(self) -> bool:
        return 'role="alert"' in self.chooser.said.value

    @property
    def table(self) -> list[list[str]]:
        content = self.chooser.table.content
        return [[column["text"] for column in content["columns"]]] + [
            [c["text"] for c in row] for row in content["rows"]
        ]

    def explore(self) -> None:
        self.chooser.explore.click()


@pytest.fixture
def chosen(tmp_path: Path) -> Iterator[Chosen]:
    chosen = Chosen(tmp_path)
    yield chosen
    chosen.chooser.drop.close()


def test_what_is_recognised_is_shown_before_the_user_goes_on(chosen: Chosen) -> None:
    chosen.drop("mine.csv", TEXT)
    taken = "P(yes) from 'p_yes': mean 53 %, observed 50 %; truth from 'label'; higher numbers go with yes in 75 of "
    taken += "100 pairs"
    assert chosen.said == f"mine.csv: 40 samples, 2 classes (no, yes); fields: age {taken}"
    assert chosen.table[:3] == [
        ["", "p_yes", "label", "age"],
        ["taken for", "P(yes)", "label", "field"],
        ["line 2", "0.25", "no", "31"],
    ]
    assert chosen.gone_on == [] and not chosen.chooser.explore.disabled
    chosen.explore()
    (predictions,) = chosen.gone_on
    np.testing.assert_array_equal(predictions.probs[:4, 1], [0.25, 0.75, 0.5, 0.625])
    assert predictions.about["source"] == "cv.read_predictions('mine.csv')"


def test_the_confidences_of_a_log_are_opened_one_by_one_or_all_at_once(chosen: Chosen) -> None:
    log = "stated_confidence,self_consistency,correct\n" + "0.9,0.6,1\n0.8,0.4,0\n0.7,0.8,1\n" * 20
    chosen.drop("log.csv", log)
    assert chosen.said.splitlines()[0] == "log.csv: two columns hold confidences"
    *_, every = ways = chosen.chooser.ways.children
    assert [way.description.partition(":")[0].replace("\u00a0", " ") for way in ways] == [
        "confidence from 'stated_confidence'",
        "confidence from 'self_consistency'",
        "both side by side, of which 'stated_confidence' has confidence from 'stated_confidence'",
    ]
    assert every.tooltip.startswith(
        "choose correct under “labels” and show stated_confidence, self_consistency side by side: both side by side, of"
    )
    every.click()
    (models,) = chosen.gone_on
    assert list(models) == ["stated_confidence", "self_consistency"]
    call = "cv.read_models('log.csv', label='correct', model=['stated_confidence', 'self_consistency'])"
    assert models["self_consistency"].about["source"] == f"{call}['self_consistency']"


def test_models_whose_rows_stand_in_another_order_are_not_set_side_by_side(chosen: Chosen) -> None:
    rows = [f"q{i},{{}},{(11 * i % 20 + 1) / 25},{int(i % 3 > 0)}" for i in range(20)]
    lines = [row.format("a") for row in rows] + [row.format("b") for row in reversed(rows)]
    chosen.drop("long.csv", "\n".join(["id,model,prob,label", *lines]))
    (every,) = chosen.chooser.ways.children
    assert every.description.startswith("2 models, of which 'a' has ")
    every.click()
    assert chosen.gone_on == [] and chosen.is_refused
    assert "labels of 'b' differ from those of 'a', first in row 0: compare models on the same samples" in chosen.said


def test_a_file_that_is_refused_can_be_read_once_its_columns_are_named(chosen: Chosen) -> None:
    chosen.drop("klinik.csv", IN_GERMAN)
    assert chosen.is_refused and chosen.chooser.explore.disabled
    assert chosen.said.startswith("klinik.csv: nothing but its two answers says that 'ausgang' holds the truth\n")
    assert "choose ausgang under “labels” and choose modell under “probabilities”: mean 53 %" in chosen.said
    assert chosen.table[:3] == [
        ["", "ausgang", "modell", "alter"],
        ["taken for", "label?", "P(ja)?", "field"],
        ["line 2", "nein", "0.25", "31"],
    ]
    chosen.explore()
    assert chosen.gone_on == []
    chooser = chosen.chooser
    assert (chooser.label.value, chooser.prob.value, chooser.positive.value) == ("ausgang", ("modell",), "")
    chooser.positive.value = "nein"
    assert not chosen.is_refused
    chosen.explore()
    (predictions,) = chosen.gone_on
    assert predictions.class_names == ("ja", "nein")
    expected = "cv.read_predictions('klinik.csv', label='ausgang', prob='modell', positive='nein')"
    assert predictions.about["source"] == expected


@pytest.mark.parametrize(
    ("control", "value", "options"),
    [
        ("label", "x", {"label": "x"}),
        ("weight", "x", {"weight": "x"}),
        ("weight", NO_COLUMN, {"weight": ""}),
        ("cluster", "y", {"cluster": "y"}),
        ("cluster", NO_COLUMN, {"cluster": False}),
        ("positive", " yes ", {"positive": "yes"}),
        ("classes", ("a", " b", "c", "a"), {"classes": ["a", "b", "c"]}),
        ("model", "x", {"model": "x"}),
        ("sheet", "b", {"sheet": "b"}),
        ("sep", ";", {"sep": ";"}),
        ("decimal", ",", {"decimal": ","}),
        ("missing", True, {"missing": "drop"}),
        ("normalize", True, {"normalize": True}),
        ("prob", ("x", "y"), {"prob": ["x", "y"]}),
    ],
)
def test_each_control_is_an_option(chosen: Chosen, control: str, value: object, options: dict[str, object]) -> None:
    chosen.drop("a.csv", "x,y,label\n0.5,0.5,0\n0.25,0.75,1\n")
    chosen.chooser.controls[control].value = value
    assert ReadingOptions.checked(**chosen.chooser._asked()).given == options
    of_command = {"limit", "truth"}  # memory is the command's, another file is dropped with the first
    assert {*CALLED} | of_command == set(vars(ReadingOptions()))


def test_a_column_can_say_which_rows_belong_together(chosen: Chosen) -> None:
    rows = "".join(f"{p},{i % 2},{i // 4}\n" for i, p in enumerate([0.2, 0.9, 0.4, 0.7] * 6))
    chosen.drop("a.csv", f"prob,label,patient_id\n{rows}")
    opened = chosen.chooser

    def meaning() -> str:
        return opened._explained["cluster"].children[1].value

    assert "no column: all independent" in meaning()
    opened.table._handle_custom_msg({"choose": [0, chosen.table[0].index("patient_id"), "belongs together"]}, [])
    assert opened.cluster.value == "patient_id" and not chosen.is_refused
    assert "rows that share 'patient_id' are taken together (6 of them)" in chosen.said
    assert "24 rows of 6 patients: rows of one patient may depend on each other" in meaning()
    assert dict(zip(*chosen.table[:2], strict=True))["patient_id"] == "cluster"
    assert opened.command.endswith("--cluster patient_id")
    chosen.explore()
    (predictions,) = chosen.gone_on
    assert predictions.n_clusters == 6
    assert predictions.about["source"].endswith("prob='prob', cluster='patient_id')")
    opened.cluster.value = NO_COLUMN
    assert opened.command.endswith("--cluster ''") and "no column: all independent" in meaning()


def test_times_and_events_open_a_file_at_a_horizon(chosen: Chosen) -> None:
    rows = "".join(f"{0.1 + i % 7 / 10:.2f},{1 + i * 37 % 100 / 10},{i % 3 % 2}\n" for i in range(120))
    chosen.drop("a.csv", f"risk,time,status\n{rows}")
    opened = chosen.chooser
    assert (
        "looks like an outcome that may be censored, with follow-up in 'time': choose 'time' under “time of"
        in chosen.said
    )
    (way,) = chosen.ways
    assert (
        "rows with status 0 may be censored: 'time' stands beside it; at a horizon: “time of follow-up” (time)" in way
    )
    shown = {name: opened._explained[name].layout.display for name in AT_HORIZON}
    assert set(shown.values()) == {"none"}
    for column, role in (("time", "time of follow-up"), ("status", "event or censored")):
        opened.table._handle_custom_msg({"choose": [0, chosen.table[0].index(column), role]}, [])
    assert opened.label.value == "" and opened._explained["horizon"].layout.display == SHOWN
    assert "horizon is missing" in chosen.said and "59 % to 5, 10 % to 10" in chosen.said
    opened.horizon.value = "five"
    assert "“horizon” is 'five', no number" in chosen.said
    opened.horizon.value = "5"
    assert not chosen.is_refused and "'1' is the event, '0' is censored" in chosen.said
    assert dict(zip(*chosen.table[:2], strict=True))["status"] == "event"
    assert opened.command.endswith("a.csv --prob risk --time time --event status --horizon 5")
    chosen.explore()
    (predictions,) = chosen.gone_on
    assert predictions.horizon is not None and predictions.horizon.at == 5


def test_more_memory_is_allowed_by_the_command(chosen: Chosen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safeguards, "SMALL_SIZE", 100)
    monkeypatch.setattr(safeguards, "LARGEST_RATIO", 0)
    chosen.drop("a.csv", TEXT)
    assert chosen.is_refused
    assert chosen.said.endswith("where nothing is wrong with it, “calibviz explore FILE --limit 1GB” allows more")
    monkeypatch.setattr(safeguards, "LARGEST_SIZE", 100)
    chosen.drop("b.csv", TEXT)
    assert chosen.said.endswith("are read at once: “calibviz explore FILE --limit 1GB” allows more")


def test_a_column_that_was_taken_for_weights_can_be_a_field(chosen: Chosen) -> None:
    chosen.drop("bodies.csv", "label,prob,weight\n0,0.2,70.5\n1,0.7,81\n")
    assert "weights of samples from 'weight', which “no column” under “weights” makes a field" in chosen.said
    chosen.chooser.weight.value = NO_COLUMN
    assert not chosen.is_refused and "fields: weight" in chosen.said
    chosen.drop("bodies.csv", "label,prob,weight\n0,0.2,70.5\n1,0.7,81\n1,0.9,92\n")  # the same, and more rows
    assert chosen.chooser.weight.value == NO_COLUMN
    chosen.explore()
    assert chosen.gone_on[0].about["source"] == "cv.read_predictions('bodies.csv', weight='')"


def test_logits_are_read_as_such(chosen: Chosen) -> None:
    chosen.drop("a.csv", "x,y,label\n1.5,0.5,0\n0,0.75,1\n")
    chosen.chooser.logits.value = True
    assert chosen.said.endswith("“these are logits” is about columns: choose them under “probabilities” first")
    chosen.chooser.prob.value = ("x", "y")
    chosen.explore()
    expected = 1 / (1 + np.exp([1.0, -0.75]))
    np.testing.assert_allclose(chosen.gone_on[0].probs[:, 1], expected, rtol=1e-12)


def test_another_file_begins_anew(chosen: Chosen) -> None:
    chosen.drop("klinik.csv", IN_GERMAN)
    chosen.chooser.label.value = "ausgang"
    chosen.chooser.missing.value = True
    chosen.drop("mine.csv", TEXT)
    assert (chosen.chooser.label.value, chosen.chooser.missing.value) == ("", False)
    assert chosen.said.startswith("mine.csv: 40 samples")
    assert chosen.chooser.prob.options == ("p_yes", "label", "age")


def test_choices_stay_when_the_file_is_dropped_once_more(chosen: Chosen) -> None:
    """As somebody does who has corrected it."""
    chosen.drop("klinik.csv", IN_GERMAN)
    chooser = chosen.chooser
    chooser.label.value, chooser.prob.value, chooser.positive.value = "ausgang", ("modell",), "nein"
    chooser.missing.value = True
    chosen.drop("klinik 2.csv", IN_GERMAN.replace("alter", "jahre").replace("0,625;", ";"))
    assert (chooser.label.value, chooser.prob.value, chooser.positive.value) == ("ausgang", ("modell",), "nein")
    assert chosen.said.startswith("klinik 2.csv: 30 samples, 2 classes (ja, nein); fields: jahre")
    assert "10 rows without a probability left out" in chosen.said
    chosen.drop("other.csv", IN_GERMAN.replace("modell", "p"))
    assert (chooser.label.value, chooser.prob.value, chooser.positive.value, chooser.missing.value) == (
        "ausgang",  # its own question fills the form
        ("p",),
        "",
        False,
    )


def test_choices_that_name_no_column_stay_with_the_same_columns(chosen: Chosen) -> None:
    percents = "prob,label\n50,1\n20,0\n"
    chosen.drop("a.csv", percents).chooser.ways.children[0].click()
    chosen.drop("a.csv", percents + "30,1\n")
    assert chosen.chooser.normalize.value and chosen.said.startswith("a.csv: 3 samples")
    chosen.drop("b.csv", percents.replace("label", "y"))
    assert chosen.is_refused and chosen.chooser.ways.children


def test_files_of_every_kind_show_what_they_begin_with(chosen: Chosen, tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"p_no": [0.75, 0.5], "p_yes": [0.25, 0.5], "label": ["no", "yes"]})
    frame.to_parquet(tmp_path / "a.parquet")
    np.savez(tmp_path / "a.npz", probs=frame[["p_no", "p_yes"]], labels=[0, 1], age=[30, 40])
    xr = pytest.importorskip("xarray")
    xr.Dataset(
        {"probs": (("sample", "class"), frame[["p_no", "p_yes"]].to_numpy()), "labels": ("sample", [0, 1])}
    ).to_netcdf(tmp_path / "a.nc", engine="netcdf4")
    log = '{"probs": {"no": 0.75, "yes": 0.25}, "label": "yes", "task": {"name": "x"}}\n\n' * 7
    texts = {
        "a.csv.gz": gzip.compress(TEXT.encode()),
        "a.tsv": TEXT.replace(",", "\t").encode(),
        "a.jsonl": log.encode(),
    }
    stored = {name: (tmp_path / name).read_bytes() for name in ("a.parquet", "a.npz", "a.nc")}
    tables = {}
    for name, content in (texts | stored).items():
        chosen.drop(name, content)
        assert not chosen.is_refused, chosen.said
        tables[name] = chosen.table
    assert tables["a.csv.gz"][2] == tables["a.tsv"][2] == ["line 2", "0.25", "no", "31"]
    assert tables["a.parquet"][1:3] == [
        ["taken for", "P(no)", "P(yes)", "label"],
        ["row 0", "0.75", "0.25", "no"],
    ]
    assert tables["a.npz"] == [
        ["", "probs", "labels", "age"],
        ["taken for", "probability", "label", "field"],
        ["shape", "2 × 2", "2", "2"],
    ]
    assert tables["a.nc"][0][1:] == ["probs", "labels"] and tables["a.nc"][2] == ["shape", "2 × 2", "2"]
    assert len(tables["a.jsonl"]) == 2 + 5
    assert [row[0] for row in tables["a.jsonl"][2:]] == ["line 1", "line 3", "line 5", "line 7", "line 9"]
    assert tables["a.jsonl"][2][1:] == ['{"no": 0.75, "yes": 0.25}', "yes", "x"]


@pytest.mark.parametrize("name", FILES)
def test_a_file_as_people_have_it_is_opened_in_the_page(chosen: Chosen, name: str) -> None:
    """At once, or by the control that stands for each option."""
    content, options, probs, classes = FILES[name]
    chosen.drop(name, content)
    for option, value in options.items():
        control = chosen.chooser.controls[option]
        wanted = tuple(value) if option == "classes" else (value,) if option == "prob" else value
        if control.value == wanted and chosen.chooser.ways.children:  # as its question filled the form
            chosen.chooser.ways.children[0].click()
            chosen.gone_on.clear()
        control.value = wanted
    assert not chosen.is_refused, chosen.said
    chosen.chooser._leave()
    (predictions,) = chosen.gone_on
    np.testing.assert_allclose(predictions.probs, probs, rtol=0, atol=1e-12)
    assert predictions.class_names == classes
    roles = "".join(chosen.table[1])
    assert "label" in roles and re.search(r"P\(|probability|logit", roles)


def test_a_role_is_said_above_the_values_of_a_column(chosen: Chosen) -> None:
    chosen.drop(
        "a.csv", "a,b,c,truth\n" + "".join(f"{p},{1 - p},{i % 3},{i % 2}\n" for i, p in enumerate([0.25, 0.5] * 9))
    )
    opened = chosen.chooser

    def say(column: str, role: str) -> None:
        place = chosen.table[0].index(column)
        opened.table._handle_custom_msg({"choose": [0, place, role]}, [])

    say("truth", "label: the outcome")
    say("b", "probability")
    assert (opened.label.value, opened.prob.value) == ("truth", ("b",)) and not chosen.is_refused, chosen.said
    assert dict(zip(*chosen.table[:2], strict=True))["b"].startswith("P(")
    assert "--label truth --prob b" in opened.command
    say("c", "weight")
    assert (opened.weight.value, opened.prob.value) == ("c", ("b",))
    say("c", "as recognised")
    assert opened.weight.value == ""
    say("b", "label: the outcome")  # it is one thing at a time
    assert (opened.label.value, opened.prob.value) == ("b", ())
    content = opened.table.content["rows"]
    assert content[0][1]["why"] == f"What {chosen.table[0][1]!r} is taken for" and content[1][1]["choices"] == ()
    before = opened.command
    opened.table._handle_custom_msg({"choose": [1, 1, "weight"]}, [])  # no menu stands there
    opened.table._handle_custom_msg({"choose": [0, 99, "weight"]}, [])
    assert opened.command == before


def test_many_columns_are_shown_in_part_those_with_a_role_first(chosen: Chosen) -> None:
    names = [f"field{i}" for i in range(30)]
    chosen.drop("wide.csv", ",".join([*names, "label", "prob"]) + "\n" + ",".join(["1"] * 30 + ["1", "0.5"]) + "\n")
    assert chosen.table[0][:3] == ["", "label", "prob"] and len(chosen.table[0]) == 1 + 12
    assert chosen.chooser.table.content["note"] == "20 more without a role are not shown."


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.pdf", b"%PDF", "a.pdf: expected a file ending in .npz, .csv"),
        ("a.npz", b"PK\3\4 no", "a.npz: the .npz archive cannot be read and may be damaged"),
        ("a.csv", b"", "a.csv: the file is empty"),
        ("a.csv", b"\0\1\2", "a.csv: the file is no text"),
        ("a.jsonl", b"[1]\n", "a.jsonl: line 1 is [1], not a record"),
        (
            "a.csv",
            b"prob,label\n0.5,1\n0.5,\n",
            "“leave out rows without label or probability” leaves out the only row without a label",
        ),
        (
            "a.csv",
            b"prob,label\n0.5,1\n,0\n,1\n",
            "line 3 of column 'prob' is missing; “leave out rows without label or",
        ),
        (
            "a.csv",
            b"prob,label\n50,1\n20,0\n",
            "tick “rescale rows and per cents” if these are per cents, or “these are ",
        ),
        (
            "a.csv",
            b"p_0,p_1,label\n0.5,0.3,1\n",
            "; tick “rescale rows and per cents” to rescale the rows, or “these are",
        ),
        ("a.csv", b"cat,label\n0.5,cat\n", "fill in “classes in order”, the names of all classes"),
        ("a.csv", b"y_prob,y_score,label\n0.5,0.5,1\n", "and choose y_score under “probabilities”: mean 50 %"),
        ("a.csv", b"p;label;x\n0,5;1;0.5\n", "choose comma or point under “decimal sign”"),
        ("a.csv", b"p#label\n0.5#1\n", "say how by “separator” (semicolon)"),
        ("a.csv", b"prob,label\n0.5,cat\n0.3,dog\n", "and write cat into “positive class”: mean 40 %"),
    ],
)
def test_what_cannot_be_read_is_said(chosen: Chosen, name: str, content: bytes, said: str) -> None:
    chosen.drop(name, content)
    assert chosen.is_refused and said in chosen.said, chosen.said
    assert chosen.chooser.explore.disabled
    assert not re.search(rf"\b({'|'.join(CALLED)})=", chosen.said)


def test_lines_are_shown_where_columns_cannot_be_told(chosen: Chosen) -> None:
    chosen.drop("a.jsonl", b"one\n\ntwo\n")
    assert chosen.table == [["", "as it stands in the file"], ["line 1", "one"], ["line 3", "two"]]


def test_what_nobody_expected_is_no_traceback(chosen: Chosen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "read_file", lambda *_, **__: 1 / 0)
    with pytest.MonkeyPatch.context() as patch:
        logged: list[str] = []
        patch.setattr(opening.log, "exception", lambda text, *rest: logged.append(text % rest))
        chosen.drop("mine.csv", TEXT)
    assert chosen.said == "'mine.csv' cannot be read (ZeroDivisionError): the terminal says more."
    assert logged == ["cannot read 'mine.csv'"]


# How a file comes


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and path.name != folders.MARK)


def test_a_large_file_comes_in_pieces_and_is_kept_until_the_next(chosen: Chosen, tmp_path: Path) -> None:
    long = TEXT + "0.5,yes,40\n" * (2 * PIECE // 11)
    asked = []
    chosen.begin("long.csv", len(long))
    while "from" in chosen.sent[-1]:
        asked.append((chosen.sent[-1]["from"], chosen.sent[-1]["to"]))
        chosen.piece(long.encode()[slice(*asked[-1])])
    assert [end - start for start, end in asked] == [PIECE, PIECE, len(long) - 2 * PIECE]
    assert files_in(tmp_path) == ["long.csv"] and (next(tmp_path.rglob("long.csv"))).read_text() == long
    chosen.drop("mine.csv", TEXT)
    assert files_in(tmp_path) == ["mine.csv"]
    chosen.chooser.drop.close()
    assert files_in(tmp_path) == []


def test_two_files_that_come_together_are_the_predictions_and_their_labels(chosen: Chosen, tmp_path: Path) -> None:
    scores = "id,prob\n" + "".join(f"{i},{p}\n" for i, (p, _, _) in enumerate(ROWS))
    labels = "id,label\n" + "".join(f"{i},{label}\n" for i, (_, label, _) in enumerate(ROWS))
    for names in (("mine.csv", "truth.csv"), ("same.csv", "same.csv")):
        for first, second in ((scores, labels), (labels, scores)):
            chosen.drop(names[first is labels], first, 0, 2)
            assert chosen.sent == [{"turn": chosen.turn, "done": True, "next": 1}]
            chosen.drop(names[second is labels], second, 1, 2)
            assert not chosen.is_refused and "joined by 'id'" in chosen.said
            chosen.explore()
            call = f"cv.read_predictions({names[0]!r}, truth={names[1]!r})"
            assert chosen.gone_on.pop().about["source"] == call
    assert files_in(tmp_path) == ["same.csv", "same.csv"]
    chosen.drop("mine.csv", scores, 0, 2).drop("truth.csv", labels.replace("id", "nr"), 1, 2)
    assert chosen.is_refused and "share no column whose values are all different" in chosen.said
    assert str(tmp_path) not in chosen.said
    chosen.drop("mine.csv", TEXT)
    assert chosen.said.startswith("mine.csv: 40 samples") and files_in(tmp_path) == ["mine.csv"]


def test_of_two_files_that_both_may_hold_the_labels_one_is_chosen(chosen: Chosen) -> None:
    first = "id,prob,label\n" + "".join(f"{i},{p},{label}\n" for i, (p, label, _) in enumerate(ROWS))
    second = "id,score,outcome\n" + "".join(f"{i},{1 - p},{label}\n" for i, (p, label, _) in enumerate(ROWS))
    chosen.drop("a.csv", first, 0, 2).drop("b.csv", second, 1, 2)
    assert chosen.is_refused and chosen.chooser.explore.disabled
    for k in range(len(chosen.ways)):
        chosen.chooser.ways.children[k].click()
        chosen.drop("a.csv", first, 0, 2).drop("b.csv", second, 1, 2)


def test_more_than_two_files_at_once_are_refused(chosen: Chosen, tmp_path: Path) -> None:
    chosen.drop("mine.csv", TEXT, 0, 3)
    assert chosen.said == (
        "3 files came at once: drop one file, or two: the predictions, and the file that holds their labels"
    )
    assert files_in(tmp_path) == [] and chosen.sent == [{"turn": 1, "done": True}]


def test_models_of_one_file_are_explored_together(chosen: Chosen) -> None:
    chosen.drop("models.csv", (CASES / "two_models_long.csv").read_text())
    assert chosen.ways[0].startswith(
        "2 models, of which 'Preprocessor1_Model1' has P(Class2) from '.pred_Class2': mean "
    )
    assert chosen.chooser.model.value == ".config"
    chosen.chooser.ways.children[0].click()
    models = chosen.gone_on.pop()
    assert list(models) == ["Preprocessor1_Model1", "Preprocessor1_Model2"]
    source = models["Preprocessor1_Model2"].about["source"]
    assert source.startswith("cv.read_models('models.csv', ") and source.endswith("['Preprocessor1_Model2']")


def test_classes_without_names_are_put_in_order_by_hand(chosen: Chosen, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    probs = rng.dirichlet(np.ones(4), 60)
    np.savez(tmp_path / "a.npz", probs=probs, labels=np.array(["low", "mid", "high", "top"])[probs.argmax(axis=1)])
    chosen.drop("a.npz", (tmp_path / "a.npz").read_bytes())
    assert chosen.chooser.classes.value == ("high", "low", "mid", "top") and len(chosen.ways) == 2
    chosen.chooser.classes.value = ("low", "mid", "high", "top")
    assert "right 100 %" in chosen.said and not chosen.is_refused


def test_columns_that_are_ticked_have_the_order_of_the_reading_that_filled_the_form(chosen: Chosen) -> None:
    probs = np.random.default_rng(3).dirichlet(np.ones(3), 60)
    rows = "".join(f"{p[2]},{'abc'[p.argmax()]},{p[0]},{p[1]}\n" for p in probs)
    chosen.drop("a.csv", f"2,label,0,1\n{rows}")
    assert chosen.chooser.prob.value == chosen.chooser.prob.options[1:4]
    asked = chosen.chooser._asked_of()
    chosen.chooser.missing.value = True
    assert chosen.chooser._asked_of() == asked | {"missing": "drop"}
    meaning = [way for way in chosen.ways if "mean" in way]
    assert meaning == [] and "mean confidence" in chosen.said


def test_a_column_of_predicted_classes_says_whose_probability_each_row_has(chosen: Chosen) -> None:
    rng = np.random.default_rng(2)
    rows = [(rng.integers(2), rng.integers(2), round(rng.random(), 3)) for _ in range(80)]  # no threshold explains them
    chosen.drop("a.csv", "y_true,y_pred,prob\n" + "".join(f"{y},{said},{p}\n" for y, said, p in rows))
    of_class, of_prediction = chosen.ways
    assert of_class.startswith("P(1) from 'prob'")
    assert of_prediction.startswith("confidence from 'prob' in the class of 'y_pred'")
    assert chosen.chooser.positive.value == "1" and chosen.chooser.positive.options == ("0", "1", "y_pred")
    chosen.chooser.ways.children[1].click()
    assert chosen.gone_on[0].of_confidence and chosen.chooser.positive.value == "y_pred"
    assert chosen.chooser.command == "calibviz explore a.csv --label y_true --prob prob --positive y_pred"


def test_a_melted_table_shows_what_its_columns_are(chosen: Chosen) -> None:
    probs = np.random.default_rng(3).dirichlet(np.ones(3), 40).round(3)
    probs[:, 2] = (1 - probs[:, 0] - probs[:, 1]).round(3)
    rows = [f"{i},{'abc'[k]},{probs[i, k]},{int(k == i % 3)}\n" for i in range(40) for k in range(3)]
    chosen.drop("a.csv", "id,class,p,label\n" + "".join(rows))
    assert "3 rows of each 'id' are one sample, whose classes 'class' names" in chosen.said
    assert {"class of each row", "probability of each class"} <= {text for row in chosen.table for text in row}
    chosen.chooser.missing.value = True
    chosen.explore()
    assert len(chosen.gone_on[0]) == 40 and chosen.gone_on[0].class_names == ("a", "b", "c")


def test_what_a_question_filled_in_is_no_choice_for_the_next_file(chosen: Chosen) -> None:
    rows = "".join(f"{i % 2},{i % 3 % 2},{(7 * i % 40) / 40}\n" for i in range(40))
    for _ in range(2):
        chosen.drop("mine.csv", f"label,gold,prob\n{rows}")
        assert chosen.is_refused and len(chosen.ways) == 2


def test_the_options_of_a_command_stay_where_the_page_has_no_control_for_them(chosen: Chosen, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,prob\n" + "".join(f"{i},{p}\n" for i, (p, _, _) in enumerate(ROWS)))
    (tmp_path / "b.csv").write_text("id,label,gold\n" + "".join(f"{i},{i % 5 % 2},{i % 7 % 2}\n" for i in range(40)))
    chosen.chooser.ask_about(tmp_path / "a.csv", truth=str(tmp_path / "b.csv"))
    assert len(chosen.ways) == 2
    chosen.chooser.ways.children[1].click()
    assert chosen.gone_on[0].about["source"] == (
        "cv.read_predictions('a.csv', label='gold', prob='prob', truth='b.csv')"
    )


def test_each_control_says_what_it_means(chosen: Chosen) -> None:
    for control in chosen.chooser.choices.children:
        assert control.children[1].value == f"<small>{control.children[0].tooltip}</small>"
    assert page_words.MEANS.keys() == CALLED.keys()


def test_whole_numbers_are_shown_without_a_fraction(chosen: Chosen, tmp_path: Path) -> None:
    import pandas as pd

    pd.DataFrame({"prob": [0.25, 1.0], "label": [0.0, 1.0]}).to_parquet(tmp_path / "a.parquet")
    chosen.drop("a.parquet", (tmp_path / "a.parquet").read_bytes())
    assert chosen.table[1:] == [["taken for", "P(1)", "label"], ["row 0", "0.25", "0"], ["row 1", "1", "1"]]


def test_a_file_that_is_too_large_does_not_come_at_all(chosen: Chosen, tmp_path: Path) -> None:
    chosen.begin("huge.parquet", chosen.chooser.drop.limit + 1)
    assert chosen.said == (
        "'huge.parquet' has 200.0 MB, and a page takes 200 MB at most. "
        "The command `calibviz explore huge.parquet` reads larger files."
    )
    assert chosen.sent == [{"turn": 1, "done": True}] and files_in(tmp_path) == []


def test_of_a_file_that_another_replaced_in_vain_nothing_is_left(chosen: Chosen) -> None:
    chosen.drop("mine.csv", TEXT)
    chosen.begin("huge.parquet", chosen.chooser.drop.limit + 1)
    said = chosen.said
    chosen.chooser.missing.value = True
    chosen.explore()
    assert (chosen.said, chosen.gone_on, chosen.chooser._below.layout.display) == (said, [], "none")
    chosen.drop("mine.csv", TEXT)
    assert chosen.chooser._below.layout.display == SHOWN and chosen.said.startswith("mine.csv: 40 samples")


def test_more_than_was_announced_is_refused(chosen: Chosen, tmp_path: Path) -> None:
    chosen.begin("a.csv", 4)
    chosen.piece(b"12345")
    assert chosen.said == "'a.csv' could not be opened: more came than was announced" and files_in(tmp_path) == []
    chosen.piece(b"12345")
    assert files_in(tmp_path) == []


def test_a_file_that_the_browser_cannot_read_is_said(chosen: Chosen, tmp_path: Path) -> None:
    chosen.begin("a.csv", 4)
    chosen.chooser.drop._handle_custom_msg({"turn": 1, "failed": "it has changed"}, [])
    assert chosen.said == "'a.csv' could not be opened: the browser cannot read it: it has changed"
    assert files_in(tmp_path) == []


def test_pieces_of_a_file_that_was_replaced_are_left_out(chosen: Chosen) -> None:
    chosen.begin("old.csv", 100)
    chosen.drop("mine.csv", TEXT)
    chosen.chooser.drop._handle_custom_msg({"turn": 1}, [memoryview(b"old")])
    assert chosen.said.startswith("mine.csv: 40 samples")


@pytest.mark.parametrize(
    "message", [{}, {"name": 1, "size": 2, "turn": 3}, {"name": "a", "size": -1, "turn": 3}, [], "x"]
)
def test_messages_of_strangers_do_nothing(chosen: Chosen, tmp_path: Path, message: object) -> None:
    chosen.chooser.drop._handle_custom_msg(message, [memoryview(b"1234")])
    assert (chosen.sent, files_in(tmp_path), chosen.said) == ([], [], "")


@pytest.mark.parametrize("name", ["../../a.csv", "..\\..\\a.csv", "/etc/a.csv", "C:\\a.csv"])
def test_a_name_leads_nowhere_else(chosen: Chosen, tmp_path: Path, name: str) -> None:
    chosen.drop(name, TEXT)
    assert files_in(tmp_path) == ["a.csv"] and chosen.said.startswith("a.csv: 40 samples")


@pytest.mark.parametrize("name", ["", ".", "..", "/", "\0"])
def test_a_file_without_a_name_is_what_it_begins_as(chosen: Chosen, tmp_path: Path, name: str) -> None:
    chosen.drop(name, TEXT)
    assert files_in(tmp_path) == ["file"] and chosen.said.startswith("file: 40 samples")
    chosen.drop(name, b"\0\1\2")
    assert files_in(tmp_path) == ["file"] and "expected a file ending in" in chosen.said


def test_a_disk_that_is_full_is_said(chosen: Chosen, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkdtemp", full)
    chosen.drop("mine.csv", TEXT)
    assert chosen.said == "the file could not be opened: it cannot be stored: No space left on device"


# The pages


def chooser_of(page: object) -> FileChooser:
    chooser = page.children[1].view  # type: ignore[attr-defined]
    assert isinstance(chooser, FileChooser)
    return chooser


def drop_into(page: object, name: str, content: str) -> None:
    drop = chooser_of(page).drop
    drop._handle_custom_msg({"name": name, "size": len(content), "turn": 1}, [])
    drop._handle_custom_msg({"turn": 1}, [memoryview(content.encode())])
    chooser_of(page).explore.click()


def of_demo() -> object:
    page = demo("")
    page.children[0].children[0].click()
    assert page.children[0].children[1].value is None
    return page


def of_explored() -> object:
    page = explored(cv.load_dataset("tumours")["naive Bayes"], "")
    page.children[0].children[0].click()
    return page


@pytest.mark.parametrize("made", [lambda: explored(link=""), of_demo, of_explored])
def test_each_page_opens_a_file(made: Callable[[], object]) -> None:
    page = made()
    opener = page.children[0].children[0]  # type: ignore[attr-defined]
    assert opener.layout.display == "none"
    chooser = chooser_of(page)
    drop_into(page, "mine.csv", TEXT)
    explorer = page.children[1].view  # type: ignore[attr-defined]
    assert isinstance(explorer, cv.Explorer)
    assert screen(explorer).complaint == "" and explorer.code().count("cv.read_predictions('mine.csv')") == 1
    assert explorer.state.models == ("mine",)  # as the file is called, which names none
    assert chooser.comm is None and chooser.drop.comm is None and opener.layout.display == SHOWN
    opener.click()
    assert isinstance(chooser_of(page), FileChooser) and explorer.comm is None
    chooser_of(page).close()


def test_the_demonstration_comes_back_from_a_file() -> None:
    page = demo("?data=file")
    opener, chooser = page.children[0].children
    assert chooser.value is None and isinstance(chooser_of(page), FileChooser) and opener.button_style == "primary"
    chooser.value = "tumours"
    explorer = page.children[1].view
    assert isinstance(explorer, cv.Explorer)
    explorer.close()


def test_a_link_is_followed_once_its_file_is_there() -> None:
    page = explored(link="?bins=7")
    drop_into(page, "mine.csv", TEXT)
    explorer = page.children[1].view
    assert explorer.state.bins == 7
    page.children[0].children[0].click()
    drop_into(page, "mine.csv", TEXT)
    assert page.children[1].view.state.bins == 15
    page.children[1].view.close()


@pytest.mark.thorough
@pytest.mark.parametrize("made", [demo, explored, lambda link: explored(cv.load_dataset("digits"), link)])
def test_a_page_that_is_loaded_again_names_the_file_to_open_and_brings_the_choices_back(
    monkeypatch: pytest.MonkeyPatch, made: Callable[..., object]
) -> None:
    monkeypatch.setenv("QUERY_STRING", "data=file" if made is demo else "")
    page = made(link="")
    if not isinstance(page.children[1].view, FileChooser):
        page.children[0].children[0].click()
    assert chooser_of(page).said.value == ""
    drop_into(page, "Rückfall & <b>.csv", TEXT)
    explorer = page.children[1].view
    explorer.state.update(bins=7, selection="age > 30", panels=("reliability", "cumulative"))
    address, spec = screen(explorer).address, explorer.state.spec
    assert "R%C3%BCckfall%20%26%20%3Cb%3E.csv" in address
    (command,) = screen(explorer).export("link")
    line = shlex.split(command)
    assert line[:4] == ["calibviz", "explore", "Rückfall & <b>.csv", "--link"]
    assert line[4:] == [explorer.state.to_link()] and "bins=7" in line[4]
    screen(explorer).answer_copied(True, command)
    assert "Type it where the file is" in screen(explorer).exported
    screen(explorer).export("code")
    screen(explorer).answer_copied(True, "code")
    assert "where the file is" not in screen(explorer).exported
    explorer.close()

    for name, expected in (("Rückfall & <b>.csv", spec), ("other.csv", None)):
        page = made(link=address)
        assert "Open “Rückfall &amp; &lt;b&gt;.csv”, and say how to read it" in chooser_of(page).said.value
        drop_into(page, name, TEXT)
        explorer = page.children[1].view
        assert (explorer.state.spec == spec) == (expected == spec) and screen(explorer).complaint == ""
        assert (screen(explorer).address == address) == (expected == spec)
        page.children[0].children[0].click()
        assert chooser_of(page).said.value == ""  # an address is followed once
        chooser_of(page).close()


def test_the_name_of_a_file_in_an_address_is_only_shown(tmp_path: Path) -> None:
    """Whatever stands there: nothing of this machine is read."""
    (tmp_path / "mine.csv").write_text(TEXT, encoding="utf-8")
    page = explored(link=f"?file={tmp_path / 'mine.csv'}&bins=7")
    assert f"Open “{tmp_path / 'mine.csv'}”, and say how to read it" in chooser_of(page).said.value
    assert chooser_of(page)._predictions is None
    page = explored(link="?file=%E2%80%AE" + "x" * 300)
    assert f"“�{'x' * 99}”" in chooser_of(page).said.value


def test_the_file_of_the_command_is_not_asked_for(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(TEXT, encoding="utf-8")
    explorer = explored(cv.read_predictions(tmp_path / "mine.csv"), "?file=mine.csv&bins=7").children[1].view
    assert (explorer.state.models, explorer.state.bins) == (("mine",), 7)
    explorer.close()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("there is none for that"), "These predictions cannot be explored: there is none for that"),
        (ZeroDivisionError(), "These predictions cannot be explored (ZeroDivisionError): the terminal says more."),
    ],
)
def test_predictions_that_cannot_be_explored_are_refused(
    chosen: Chosen, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    def refuse(_predictions: object) -> None:
        raise error

    monkeypatch.setattr(chosen.chooser, "_go_on", refuse)
    monkeypatch.setattr(opening.log, "exception", lambda *_: None)
    chosen.drop("mine.csv", TEXT).explore()
    assert chosen.said == said


def test_each_reading_shows_what_it_gives_on_average_on_one_line(chosen: Chosen) -> None:
    rows = "".join(f"{i % 2},{i % 3 % 2},{(7 * i % 40) / 40}\n" for i in range(40))
    chosen.drop("mine.csv", f"label,gold,prob\n{rows}")
    pictures = [picture.value for picture in chosen.chooser.means.children]
    assert len(pictures) == len(chosen.ways) == 2
    for picture, observed in zip(pictures, (0.5, 0.325), strict=True):
        (at,) = map(float, re.findall(r'<circle cx="([\d.]+)"', picture))
        (mark,) = map(float, re.findall(r'<path d="M([\d.]+) ', picture))
        start, stop = (float(end) for end in re.search(r'<line x1="([\d.]+)" x2="([\d.]+)"', picture).groups())
        assert (at - start) / (stop - start) == pytest.approx(0.4875, abs=1e-3)
        assert (mark - start) / (stop - start) == pytest.approx(observed, abs=1e-3)
        assert 'aria-hidden="true"' in picture  # the button has them in words
    assert "predicted on average" in chosen.chooser.which.value
    chosen.chooser.ways.children[0].click()
    assert not chosen.chooser.means.children and not chosen.chooser.which.value


def test_a_reading_that_leaves_something_open_has_no_averages(chosen: Chosen) -> None:
    rng = np.random.default_rng(0)
    raters = [np.where(rng.random(60) < 0.4, "M", "B") for _ in range(4)]
    rows = "".join(",".join([*each, f"{prob:.3f}\n"]) for *each, prob in zip(*raters, rng.random(60), strict=True))
    chosen.drop("raters.csv", f"rater_0,rater_1,rater_2,rater_3,prob\n{rows}")
    is_open = [not picture.value for picture in chosen.chooser.means.children]
    assert is_open == ["asked next" in way for way in chosen.ways] and 0 < sum(is_open) < len(is_open)


def test_a_single_sample_is_explored(chosen: Chosen, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen.drop("one.csv", "label,prob\n1,0.4\n")
    monkeypatch.setattr(chosen.chooser, "_go_on", lambda predictions: cv.Explorer(predictions))
    chosen.explore()
    assert not chosen.is_refused


def test_a_question_names_the_controls_that_settle_it(chosen: Chosen) -> None:
    rows = "".join(f"{i % 2},{i % 3 % 2},{(7 * i % 40) / 40}\n" for i in range(40))
    chosen.drop("mine.csv", f"label,gold,prob\n{rows}")
    assert chosen.said.split("\n")[0] == "mine.csv: two columns may hold the truth" and chosen.is_refused
    ways = chosen.chooser.ways.children
    assert len(ways) == 2 and chosen.chooser.label.value == "label"  # the likeliest fills the form
    assert ways[1].tooltip.startswith("choose gold under “labels” and choose prob under “probabilities”: mean ")
    meaning = "P(1) from 'prob': mean 49 %, observed 32 %; truth from 'gold'; predicted class from 'label'"
    led = meaning.replace("; truth from 'gold'", "")
    assert chosen.ways[1] == f"Truth from 'gold': {led}; higher numbers go with 1 in 60 of 100 pairs"
    assert chosen.table[:2] == [["", "label", "prob", "gold"], ["taken for", "label?", "P(1)?", "label?"]]
    chosen.explore()
    assert not chosen.gone_on  # nothing is judged before one is chosen
    ways[1].click()
    assert chosen.gone_on.pop().about["assumed"] == meaning and not chosen.chooser.ways.children
    assert (chosen.chooser.label.value, chosen.chooser.prob.value) == ("gold", ("prob",))
    chosen.chooser.label.value = "label"
    assert "truth from 'label'" in chosen.said
    chosen.drop("classes.csv", "label,.pred_yes,.pred_no\n" + "yes,0.75,0.25\nno,0.5,0.5\nno,0.25,0.75\n" * 3)
    chosen.chooser.prob.value = (".pred_yes", ".pred_no")
    chosen.explore()
    np.testing.assert_array_equal(chosen.gone_on[0].probs[:2], [[0.25, 0.75], [0.5, 0.5]])
    assert chosen.gone_on[0].class_names == ("no", "yes")


def test_each_way_of_a_file_of_people_opens_in_one_click(chosen: Chosen) -> None:
    """From the file to the first picture: the file is dropped, and where it has several readings one is clicked."""
    opened = 0
    for name in ("two_truths.csv", "two_families.csv", "margin.csv", "score100.csv", "few_levels.csv", "odds.csv"):
        path = CASES / name
        if not path.exists():
            continue
        chosen.drop(name, path.read_text())
        for k in range(len(chosen.chooser.ways.children)):
            chosen.chooser._set({})
            chosen.drop(name, path.read_text())
            meaning = chosen.ways[k]
            chosen.chooser.ways.children[k].click()
            assert not chosen.is_refused, (name, meaning, chosen.said)
            clauses = meaning.partition("; higher numbers go with ")[0].replace("Truth from", "truth from")
            assumed = chosen.gone_on.pop().about["assumed"]
            assert all(clause in assumed for clause in re.split("; |: ", clauses)), (meaning, assumed)
            opened += 1
    assert opened >= 6


def test_a_command_opens_the_page_on_a_file_with_a_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("y,p\n" + "spam,0.5\nham,0.25\n" * 20)
    shown: list[str] = []
    monkeypatch.setattr(cli, "_show", lambda cells, *_, **__: shown.extend(cells))
    assert cli.main(["explore", str(file), "--no-browser"]) == 2 and not shown
    assert cli.main(["explore", str(file), "--label", "y"]) == 0
    names: dict[str, Any] = {}
    *lines, last = shown[0].split("\n")
    exec("\n".join(lines), names)
    page = eval(last, names)
    chooser = page.children[1].view
    assert chooser.label.value == "y" and chooser.explore.disabled
    chooser.ways.children[0].click()
    explorer = page.children[1].view
    assert isinstance(explorer, cv.Explorer) and explorer.state.models == ("mine",)
    explorer.close()


def test_a_question_without_a_way_names_what_to_choose(chosen: Chosen) -> None:
    rows = "".join(f"{'YES' if i % 2 else 'NO'},{'YES' if i % 3 else 'NO'},{7 * i % 40 + 200}\n" for i in range(40))
    said = chosen.drop("bets.csv", f"outcome,status,amount\n{rows}").said
    assert "'outcome', 'status'; choose 'outcome' or 'status' under “labels”" in said
    assert said.endswith("where no usual name tells the probabilities, choose it below, under “probabilities”")


def test_a_column_that_is_left_out_is_not_called_a_field(chosen: Chosen) -> None:
    rows = "".join(f"{i},{i % 3},{i % 2},{i % 3 % 2},{(7 * i % 40) / 40}\n" for i in range(40))
    chosen.drop("mine.csv", f"patient_id,site,label,seen,prob\n{rows}")
    assert dict(zip(*chosen.table[:2], strict=True))["patient_id"] == "not used"
    chosen.drop("mine.csv", f"patient_id,site,label,gold,prob\n{rows}")
    assert len(chosen.ways) == 2 and all("not fields: patient_id" in way for way in chosen.ways)
    assert dict(zip(*chosen.table[:2], strict=True))["patient_id"] == "not used"
    assert dict(zip(*chosen.table[:2], strict=True))["site"] == "field"


def test_the_commands_that_do_the_same_are_shown(chosen: Chosen) -> None:
    def commands() -> list[str]:
        return [unescape(line) for line in re.findall("<code>(.*?)</code>", chosen.chooser.commands.value)]

    rows = "".join(f"{i % 2},{i % 3 % 2},{(7 * i % 40) / 40}\n" for i in range(40))
    chosen.drop("my own.csv", f"label,gold,my prob\n{rows}")
    assert commands() == [
        f"calibviz explore 'my own.csv' --label {name} --prob 'my prob'" for name in ("label", "gold")
    ]
    chosen.drop("mine.csv", TEXT)
    assert commands() == ["calibviz explore mine.csv"]
    chosen.drop("none.csv", "a,b\nx,y\n")
    assert chosen.is_refused and commands() == []


def test_confidences_have_no_classes_to_order(chosen: Chosen) -> None:
    rows = "".join(f"{'abc'[i % 3]},{'abc'[i % 4 % 3]},{'abc'[i % 5 % 3]},{(7 * i % 40) / 40}\n" for i in range(40))
    chosen.drop("mine.csv", f"label,gold,predicted,confidence\n{rows}")
    assert len(chosen.ways) > 1 and all("in the class of 'predicted'" in way for way in chosen.ways)
    assert chosen.chooser.classes.names == () and chosen.chooser.positive.options == ()
    chosen.chooser.ways.children[0].click()
    assert chosen.gone_on.pop().of_confidence and chosen.chooser.classes.names == ()


def test_whole_labels_have_no_fraction(chosen: Chosen) -> None:
    rows = "".join(f"{float(i % 2)},{float(i % 3 % 2)},{1 - (7 * i % 40) / 40}\n" for i in range(40))
    chosen.drop("mine.csv", f"label,gold,prob\n{rows}")
    shown = [
        *chosen.chooser.positive.options,
        *chosen.chooser.classes.names,
        chosen.chooser.positive.value,
        *chosen.ways,
    ]
    assert "1" in shown and "0" in shown
    assert not [text for text in shown if re.search(r"\b[01]\.0\b", text)]


ARGUMENTS = re.compile(
    rf"\b({'|'.join([*CALLED, 'truth', 'limit', 'class_names', 'shift', 'trained_at'])})=|\bcv\.|=True"
)


@pytest.mark.parametrize("name", sorted({case["file"] for case in AS_EXPECTED.values()}))
def test_no_text_of_the_page_holds_words_of_python(chosen: Chosen, name: str) -> None:
    """Each question of each file, and what each of its buttons leads to."""
    texts = []

    def look() -> int:
        ways = chosen.chooser.ways.children
        texts.extend([chosen.said, *(text for way in ways for text in (way.description, way.tooltip))])
        return len(ways)

    content = (CASES / name).read_bytes()
    chosen.drop(name, content)
    for k in range(look()):
        chosen.chooser._set({})
        chosen.drop(name, content)
        chosen.chooser.ways.children[k].click()
        look()
    lines = [line for text in texts for line in (text or "").split("\n") if not line.startswith("  ")]
    assert [line for line in lines if ARGUMENTS.search(line)] == []


def test_a_workbook_is_refused_in_words_of_the_page(chosen: Chosen) -> None:
    said = chosen.drop("a.xlsx", b"PK\x03\x04").said
    assert said == "a.xlsx: the workbook cannot be read and may be damaged: File is not a zip file"


def test_readings_that_differ_in_the_truth_alone_begin_with_it(chosen: Chosen) -> None:
    chosen.drop("two.csv", (CASES / "two_truths.csv").read_text())
    heads = [way.description.replace("\u00a0", " ").partition("\n")[0] for way in chosen.chooser.ways.children]
    assert heads == ["Truth from 'label':", "Truth from 'gold':"]
    assert all("from 'p_cat', 'p_dog', 'p_owl': mean confidence 65 %" in way for way in chosen.ways)
