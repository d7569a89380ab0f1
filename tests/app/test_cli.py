"""The command: what it says, what it refuses, what it opens."""

from __future__ import annotations

import io
import re
import socket
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pandas as pd
import pytest
from commands import COMMAND, ERROR, WIDGET, User, get, until
from hypothesis import given, strategies as st

import calibviz as cv
from calibviz.app import cli, options
from calibviz.app.cli import main
from calibviz.data.columns.choices import ReadingOptions
from calibviz.data.readers.formats import FORMATS, LIKE

ROOT = Path(__file__).parents[2]
WITHOUT_GRAMMAR = (
    "import sys; from calibviz.app.cli import main; code = main(sys.argv[1:])\n"
    "assert 'lark' not in sys.modules, 'the page waits until a grammar is compiled that it does not need'\n"
    "sys.exit(code)"
)


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


@pytest.fixture
def predictions(user: User) -> Path:
    """A file of predictions, under a name that must be quoted wherever it goes."""
    rng = np.random.default_rng(0)
    path = user.home / 'it\'s "mine" {0}.npz'
    np.savez(path, probs=rng.dirichlet(np.ones(3), size=50), labels=rng.integers(3, size=50))
    return path


# What it says


def test_help_names_the_commands(user: User) -> None:
    done = user.run("--help")
    assert done.returncode == 0
    for command in ("demo", "explore", "report", "compare"):
        assert re.search(rf"^\s+{command}\s+\w", done.stdout, re.M)


@pytest.mark.parametrize("command", ["demo", "explore"])
def test_help_of_a_command_names_its_options(capsys: pytest.CaptureFixture[str], command: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert {"--no-browser", "--port", "--theme"} <= set(re.findall(r"--[a-z-]+", capsys.readouterr().out))


def test_version_is_the_same_everywhere(user: User) -> None:
    done = user.run("--version")
    assert (done.returncode, done.stdout) == (0, f"calibviz {cv.__version__}\n")
    assert f"\nversion: {cv.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["version"]
    built = (ROOT / settings.pop("path")).read_text(encoding="utf-8")  # in which hatch looks for the assignment
    assert re.findall(r"^__version__ = \"(.+)\"$", built, re.MULTILINE) == [cv.__version__] and not settings


# What it refuses: one line, exit code 2


def write_garbage(path: Path) -> None:
    path.write_bytes(b"\x00not a table,\xff\n" * 3)


def write_pickle(path: Path) -> None:
    np.savez(path, probs=np.array([{"a": 1}, None], dtype=object), labels=np.array([0, 1]))


def write_wrong_rows(path: Path) -> None:
    np.savez(path, probs=np.array([[0.5, 0.9]]), labels=np.array([0]))


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("missing.npz", lambda path: None),
        ("folder.npz", Path.mkdir),
        ("empty.csv", Path.touch),
        ("garbage.npz", write_garbage),
        ("garbage.csv", write_garbage),
        ("garbage.parquet", write_garbage),
        ("garbage.nc", write_garbage),
        ("what.docx", write_garbage),
        ("pickle.npz", write_pickle),
        ("wrong.npz", write_wrong_rows),
    ],
)
def test_unreadable_file_is_refused_in_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    name: str,
    write: Callable[[Path], Any],
) -> None:
    write(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    assert main(["explore", name, "--no-browser"]) == 2
    out, err = capfd.readouterr()
    assert out == "" and re.fullmatch(rf"calibviz: cannot read '{name}': (?!{name})\S[^\n]*\n", err)


def test_a_refusal_is_all_that_a_process_says(user: User) -> None:
    done = user.run("explore", "missing.npz", "--no-browser")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"calibviz: cannot read 'missing.npz': \S[^\n]*\n", done.stderr)


def test_without_voila_it_says_how_to_get_it(user: User) -> None:
    without = "import sys; sys.modules['voila'] = None; from calibviz.app.cli import main; sys.exit(main(sys.argv[1:]))"
    done = user.run("demo", "--no-browser", command=[sys.executable, "-c", without])
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"calibviz: [^\n]*pip install 'calibviz\[app\]'\n", done.stderr)


def test_port_in_use_is_refused_in_one_line(user: User) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = user.run("demo", "--no-browser", "--port", str(port), command=[sys.executable, "-c", WITHOUT_GRAMMAR])
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(rf"calibviz: cannot serve on port {port}: [^\n]+\n", done.stderr)
    assert list(user.temporary.iterdir()) == []


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_what_is_not_a_port_is_refused(capsys: pytest.CaptureFixture[str], port: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["demo", f"--port={port}"])
    assert ended.value.code == 2
    assert f"'{port}' is not a port" in capsys.readouterr().err


def test_shares_may_be_written_in_per_cent(capsys: pytest.CaptureFixture[str]) -> None:
    commands = options.parser(defaultdict(lambda: print))
    typed = ["report", "p.csv", "--threshold", "20%", "--categories", "0,5%,0.5,100 %", "--prevalence", "2.5%"]
    read = commands.parse_args(typed)
    assert (read.threshold, read.categories, read.prevalence) == (0.2, [0.0, 0.05, 0.5, 1.0], 0.025)
    with pytest.raises(SystemExit):
        commands.parse_args(["report", "p.csv", "--threshold", "a fifth"])
    assert "'a fifth' is no number such as 0.2 or 20%" in capsys.readouterr().err


# What it says of files


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            [],
            "--prob p --positive spam    mean 35 %, observed 50 %\n  --label y --prob p --positive ham     mean",
        ),
        (
            ["--positive", "spm"],
            "--positive 'spm' is none of the labels, which are 'spam', 'ham'; did you mean 'spam'?\n",
        ),
        (["--positive", "spam", "--label", "truth"], "--label 'truth': no column has this name among 'y', 'p', 'p2'\n"),
        (
            ["--positive", "spam", "--prob", "p2"],
            "pass --normalize if these are per cents, or --logits ... if they are ",
        ),
    ],
)
def test_a_refusal_names_the_option_that_settles_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("y;p;p2\nspam;0,5;50\nham;0,2;20\n")
    assert main(["report", str(file), *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_question_has_a_line_for_each_reading_that_is_quoted_for_the_shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    file = tmp_path / "mine.csv"
    rows = "".join(f"{rng.integers(2)},{rng.integers(2)},{rng.random():.3f}\n" for _ in range(60))
    file.write_text(f"label,true class,my prob\n{rows}".replace("my prob", "prob"), encoding="utf-8")
    assert main(["report", str(file)]) == 2
    said = capsys.readouterr().err
    assert "two columns may hold the truth\n  --label label --prob prob           mean " in said
    assert "\n  --label 'true class' --prob prob    mean " in said
    page = str(tmp_path / "page.html")
    assert main(["report", str(file), "--label", "true class", "--fields", "", "-o", page]) == 0
    assert main(["report", str(file), "--label", "label", "--ignore", "2"]) == 2
    assert "--ignore 2 is none of the labels" in capsys.readouterr().err


NAMES = ["p, one", 'p "two"', "-p three", "p=four", " five ", "it's $HOME"]


@pytest.mark.thorough
def test_lines_of_odd_names_are_pasted_into_a_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rng, file = np.random.default_rng(0), "odd, names.csv"
    columns = {"y": rng.integers(2, size=60)} | {name: rng.random(60).round(3) for name in NAMES}
    pd.DataFrame(columns).to_csv(tmp_path / file, index=False)
    monkeypatch.chdir(tmp_path)
    assert main(["report", file]) == 2
    _, *ways = [line.split("    ")[0] for line in capsys.readouterr().err.splitlines()]
    assert len(ways) == 6
    for way, name in ((ways[0], NAMES[0]), (ways[2], NAMES[2]), (ways[-1], NAMES[-1])):
        shell = ["sh", "-c", f"""printf '%s\\0' "$@" {way}""", "calibviz", "report", file]
        given = subprocess.run(shell, capture_output=True, text=True, check=True).stdout
        assert main(given.split("\0")[:-1]) == 0
        said = capsys.readouterr().err
        assert repr(name) in said and "mean" in said
    assert (tmp_path / "odd, names.report.html").exists()


@given(st.lists(st.text(), min_size=1))
def test_the_values_of_an_option_are_what_was_joined(names: list[str]) -> None:
    assert options.split(options.joined(names)) == names


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("ignore", "-100", "--ignore=-100"),
        ("ignore", "['a, b', '9']", """--ignore '"a, b",9'"""),
        ("classes", "[...]", "--classes A,B,..."),
        ("prob", "'...'", "--prob ..."),
        ("label", "'true class'", "--label 'true class'"),
        ("normalize", "True", "--normalize"),
        ("truth", "FILE", "--truth FILE"),
        ("weight", "''", "--weight ''"),
        ("prob", "'it\\'", "--prob 'it\\'"),
    ],
)
def test_an_option_in_a_message_is_that_of_the_command(name: str, value: str, said: str) -> None:
    assert options.in_message(name, value) == said


def test_a_quote_that_is_not_closed_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["report", "p.csv", "--prob", '"a,b'])
    assert "has a quote that is not closed" in capsys.readouterr().err


def test_a_column_that_is_taken_for_weights_is_said_with_the_option_that_makes_it_a_field(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, page = tmp_path / "bodies.csv", tmp_path / "page.html"
    file.write_text("label,prob,weight\n" + "".join(f"{i % 2},{i / 60:g},{60.5 + i % 9}\n" for i in range(60)))
    assert main(["report", str(file), "-o", str(page)]) == 0
    assert "weights of samples from 'weight', which --weight '' makes a field\n" in capsys.readouterr().err
    assert main(["report", str(file), "-o", str(page), "--weight", ""]) == 0
    assert "weights" not in capsys.readouterr().err


def test_options_of_reading_are_passed_on_and_what_was_assumed_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, page = tmp_path / "mine.txt", tmp_path / "page.html"
    rows = "".join(
        f"{'spam' if i % 3 else ''}{'' if i % 2 else 'ham' if i % 3 == 0 else ''};{i / 50:g};{i}\n" for i in range(50)
    )
    file.write_text("verdict;p;age\n" + rows.replace(".", ","))
    options = [
        "--label",
        "verdict",
        "--positive",
        "spam",
        "--missing",
        "drop",
        "--sep",
        "semicolon",
        "--decimal",
        "comma",
    ]
    assert main(["report", str(file), "-o", str(page), *options]) == 0
    said = "P(spam) from 'p': mean 49 %, observed 79 %; truth from 'verdict'; 8 rows without a label left out"
    assert capsys.readouterr().err.startswith(f"calibviz: {str(file)!r}: {said}\n")
    assert "8 rows without a label left out" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            "label,prob\n1,2.5\n0,-3\n",
            "is 2.5: a probability lies between 0 and 1; pass --logits ... if these are logits",
        ),
        (
            "label,prob\n1,25\n0,3\n",
            "is 25: a probability lies between 0 and 1; pass --normalize if these are per cents",
        ),
        (
            "y,p_a,p_b\na,0.5,0.6\n",
            "sums to 1.1, not to 1 within 0.001; pass --normalize to rescale the rows, or --logits",
        ),
    ],
)
def test_numbers_that_are_no_probabilities_are_refused_with_the_option_that_reads_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, said: str
) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(content)
    assert main(["report", str(file)]) == 2
    assert said in capsys.readouterr().err


# What it opens


def a_browser(user: User) -> Path:
    """A command that keeps the mode and the content of the page that it is given.

    The token is in that, since arguments can be read by everybody on the machine.
    """
    browser = user.home / "browser"
    browser.write_text('#!/bin/sh\nstat -c %a "${1#file://}" >"$HOME/mode"\ncat "${1#file://}" >"$HOME/opened"\n')
    browser.chmod(0o755)
    return browser


@pytest.mark.thorough
def test_explore_opens_a_file(user: User, predictions: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [*COMMAND, "explore", predictions.name, "--no-browser", "--theme", "dark", "--port", str(port)]
    with user.start(*command, BROWSER=f"{a_browser(user)} %s") as running:
        assert running.url.startswith(f"http://127.0.0.1:{port}/?token=")
        page = get(running.url)
        assert WIDGET in page and ERROR not in page
        assert 'data-jp-theme-light="false"' in page
        code, said = running.end()
    assert code == 0 and "P(0), P(1), P(2) from 'probs': mean confidence 59 %, right 42 %; truth from 'labels'" in said
    assert not (user.home / "opened").exists()


@pytest.mark.thorough
def test_explore_shows_several_files_over_each_other(user: User) -> None:
    for name, low in (("first", 0.1), ("second", 0.3)):
        rows = "".join(f"{low + i / 100};{'yes' if i % 2 else 'no'}\n" for i in range(40))
        (user.home / f"{name}.csv").write_text(f"y_prob;y_true\n{rows}")
    with user.start(*COMMAND, "explore", "first.csv", "second.csv", "--no-browser") as running:
        page = get(running.url)
        assert WIDGET in page and ERROR not in page
        code, said = running.end()
    assert code == 0 and "second.csv': P(yes) from 'y_prob': mean 50 %" in said and "separated by semicolons" in said


def test_files_that_do_not_belong_together_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, rows in (("a", 20), ("b", 30)):
        np.savez(tmp_path / f"{name}.npz", prob=np.full(rows, 0.5), label=np.arange(rows) % 2)
    assert main(["explore", str(tmp_path / "a.npz"), str(tmp_path / "b.npz"), "--no-browser"]) == 2
    assert "cannot show these files together" in capsys.readouterr().err
    assert main(["explore", str(tmp_path / "a.npz"), str(tmp_path / "a.npz"), "--no-browser"]) == 2
    assert "is there twice" in capsys.readouterr().err


def test_browser_is_opened(user: User, predictions: Path) -> None:
    opened = user.home / "opened"
    with user.start(*COMMAND, "explore", predictions.name, BROWSER=f"{a_browser(user)} %s") as running:
        until(lambda: opened.exists() and f'content="0; url={running.url}"' in opened.read_text(encoding="utf-8"))
        assert (user.home / "mode").read_text() == "600\n"


@pytest.mark.thorough
def test_a_browser_in_a_snap_is_given_a_file_that_it_sees(user: User) -> None:
    browser, told = user.home / "browser", user.home / "told"
    browser.write_text('#!/bin/sh\necho "$1" >"$HOME/told"\n', encoding="utf-8")
    browser.chmod(0o755)
    serve = "from calibviz.app import server; server.SNAPS = server.HERE; server.serve(['1'])"
    with user.start(sys.executable, "-c", serve, BROWSER=f"{browser} %s") as running:
        until(lambda: told.exists() and told.read_text(encoding="utf-8"))
        file = Path(urlsplit(told.read_text(encoding="utf-8").strip()).path)
        assert file.parent.parent == user.home and not file.parent.name.startswith(".")
        assert file.parent.stat().st_mode & 0o077 == 0
        assert running.end() == (0, "")
    assert not file.parent.exists()


@pytest.mark.thorough
def test_explore_without_a_file_asks_for_one_in_the_page(user: User) -> None:
    with user.start(*COMMAND, "explore", "--no-browser") as running:
        assert get(running.url).count(WIDGET) == 1
        assert running.end() == (0, "")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("answer", "code"), [("2\n", 0), ("\n", 2), ("7\n", 2), ("", 2)])
def test_a_question_is_asked_in_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    file, page = tmp_path / "mine.csv", tmp_path / "page.html"
    file.write_text("y,p\n" + "spam,0.5\nham,0.25\n" * 20)
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert main(["report", str(file), "-o", str(page)]) == code
    said = capsys.readouterr()
    assert "  2  --label y --prob p --positive ham" in said.err and "which one, 1 to 2" in said.out
    assert page.exists() == (code == 0)


def test_all_confidences_of_a_log_may_be_the_answer_in_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, page = tmp_path / "log.csv", tmp_path / "page.html"
    file.write_text("stated_confidence,self_consistency,correct\n" + "0.9,0.6,1\n0.8,0.4,0\n0.7,0.8,1\n" * 20)
    models = "--model stated_confidence,self_consistency"
    monkeypatch.setattr(sys, "stdin", Terminal("3\n"))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert main(["report", str(file), "-o", str(page)]) == 0
    said = capsys.readouterr().err
    assert f"  3  --label correct {models}    both side by side, of which 'stated_confidence' has" in said
    assert f"{str(file)!r}, self_consistency: confidence from 'self_consistency'" in said
    assert page.read_text().count("self_consistency") > 2
    assert main(["compare", str(file), *models.split(), "-o", str(page)]) == 0


def test_each_of_several_files_is_asked_about_in_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page asks about one file; a second question follows the answer to the first."""
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("y,p\n" + "spam,0.5\nham,0.25\n" * 20)
    files, shown = [str(tmp_path / f"{name}.csv") for name in ("a", "b")], []
    monkeypatch.setattr(cli, "_show_read", lambda read, *_: shown.append(read))
    assert main(["explore", *files]) == 2  # nobody there
    assert "nothing says of which class" in capsys.readouterr().err and not shown
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stdin", Terminal("1\n1\n"))
    assert main(["explore", *files, "--no-browser"]) == 2 and not shown
    assert main(["explore", *files]) == 0
    [models] = shown
    assert [p.class_names for p in models.values()] == [("ham", "spam")] * 2
    assert f"cv.read_predictions({files[1]!r}, label='y', prob='p', positive='spam')" in str(models["b"].made_by)


@pytest.mark.parametrize("command", ["explore", "compare"])
@pytest.mark.parametrize("names", [("submission.csv", "solution.csv"), ("solution.csv", "submission.csv")])
def test_predictions_and_their_labels_are_no_two_models(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
    names: tuple[str, str],
) -> None:
    rng = np.random.default_rng(0)
    ids = rng.permutation(60)
    pd.DataFrame({"id": np.arange(60), "target": rng.random(60)}).to_csv(tmp_path / "submission.csv", index=False)
    pd.DataFrame({"id": ids, "target": ids % 2}).to_csv(tmp_path / "solution.csv", index=False)
    monkeypatch.chdir(tmp_path)
    assert main([command, *names]) == 2
    said, line = capsys.readouterr().err.splitlines()
    assert said.endswith("predictions and their labels: one file and its --truth are read")
    typed, gives = line.split("    ")
    assert typed.split()[2:] == ["submission.csv", "--truth", "solution.csv"] and gives.startswith("P(1) from 'target_")
    if command == "compare":
        assert main(typed.split()[1:]) == 0
    capsys.readouterr()
    assert main(["report", "submission.csv"]) == 2
    alone = capsys.readouterr().err
    assert "('target' holds what may be probabilities)" in alone and "joined by an id such as 'id'" in alone


def test_an_answer_that_leaves_something_open_is_followed_by_a_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    raters = {f"rater_{k}": np.where(rng.random(60) < 0.4, "M", "B") for k in range(4)}
    pd.DataFrame(raters | {"prob": rng.random(60)}).to_csv(tmp_path / "a.csv", index=False)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stdin", Terminal("6\n2\n"))
    assert main(["report", str(tmp_path / "a.csv"), "-o", str(tmp_path / "page.html")]) == 0
    said = capsys.readouterr().err
    assert "--label rater_3 --prob prob " in said and "2 ways to read it, asked next" in said
    assert "truth from 'rater_3'" in said


def test_what_the_page_cannot_ask_is_asked_in_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, shown = tmp_path / "a.csv", []
    file.write_text("y,p\n" + "spam,0.5\nham,0.25\n" * 20)
    monkeypatch.setattr(cli, "_show", lambda cells, *_, **more: shown.append(cells[0]))
    assert main(["explore", str(file), "--prevalence", "0.1"]) == 2 and not shown
    capsys.readouterr()
    assert main(["explore", str(file)]) == 0
    said = capsys.readouterr().err
    assert (
        said.endswith("of which class the probabilities are: the page asks which is meant\n") and said.count("\n") == 1
    )
    assert "cannot read" not in said and "asked=" in shown[0]


@pytest.mark.parametrize(
    ("options", "named"),
    [(["--label", "y"], "--label"), (["--normalize"], "--normalize"), (["--prevalence", "0.1"], "--prevalence")],
)
def test_options_of_reading_need_a_file(capsys: pytest.CaptureFixture[str], options: list[str], named: str) -> None:
    assert main(["explore", *options]) == 2
    assert capsys.readouterr().err == f"calibviz: {named} says how to read a file, but no FILE is named: name one\n"


def test_the_options_and_the_endings_of_files_are_those_of_read_predictions() -> None:
    assert set(options.READING) == set(vars(ReadingOptions()))
    assert set(re.findall(r"\.\w+", options.FILES)) == {*FORMATS, *LIKE}
