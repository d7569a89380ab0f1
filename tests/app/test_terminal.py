"""The command in any terminal: closed, full or of few letters; with names that would command it; and interrupted."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from commands import COMMAND, SECONDS, User

from calibviz.app.cli import main
from calibviz.app.reading import telling
from calibviz.app.terminal import printable
from calibviz.foundation.fit_warnings import notice

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(os.name != "posix", reason="a shell closes the streams, and names hold any byte"),
]

#: Colours, the title of the window, a line of its own, an order of letters, no letters at all.
HOSTILE = "\x1b[31m\x1b]0;mine\x07\nred\r\u202etxt.\x9b\u2028\udcff"
COMMANDING = re.compile(r"[^\n -~]")  # whatever is not plain
#: What was taken for what, which is always told beside the output.
SAID = (
    "calibviz: 'mine.npz': P(1) from 'prob': mean 57 %, observed 52 %; truth from 'label'; weights of samples from "
    "'weight', which --weight '' makes a field\n"
)
VERDICT = "Too extreme: predicted 57 of 100, observed 52 (12 samples); high scores are too high, low ones too low.\n"


@pytest.fixture
def user(tmp_path: Path) -> User:
    made = User(tmp_path)
    for name in ("mine.npz", f"{HOSTILE}.npz"):
        weight = np.linspace(1, 2, 12)  # of these no report asks how many it takes, which lasts longest
        np.savez(made.home / name, prob=np.linspace(0, 1, 12), label=np.arange(12) % 2, weight=weight)
    return made


def shell(user: User, line: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """What a line of the shell does, in which "$@" is the command with its arguments."""
    return subprocess.run(
        ["sh", "-c", line, "sh", *COMMAND, *arguments],
        cwd=user.home,
        env=user.environment(**environment),
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


@pytest.mark.parametrize(
    ("streams", "out", "err"),
    [
        ("0<&-", f"{VERDICT}written to 'mine.report.html'\n", SAID),
        ("1>&-", "", SAID),
        ("2>&-", f"{VERDICT}written to 'mine.report.html'\n", ""),
        ("0<&- 1>&- 2>&-", "", ""),
        ("2>/dev/full", f"{VERDICT}written to 'mine.report.html'\n", ""),
    ],
)
def test_closed_streams_are_survived(user: User, streams: str, out: str, err: str) -> None:
    done = shell(user, f'"$@" {streams}', "report", "mine.npz", "--positive", "1")
    assert (done.returncode, done.stdout, done.stderr) == (0, out, err)
    page = (user.home / "mine.report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>") and page.rstrip().endswith("</html>")


@pytest.mark.parametrize("streams", ["1>&-", "2>&-", "1>&- 2>&-"])
def test_refusals_keep_their_code_where_nobody_can_be_told(user: User, streams: str) -> None:
    assert shell(user, f'"$@" {streams}', "report", "missing.npz").returncode == 2
    assert shell(user, f'"$@" {streams}', "report", "--nonsense").returncode == 2


def test_output_that_nobody_reads_ends_it_without_a_word(user: User) -> None:
    done = shell(user, '{ "$@"; echo $? >code; } | head -c 0; sleep 0.1', "report", "mine.npz")
    assert done.stderr == SAID and (user.home / "code").read_text() in ("141\n", "0\n")


def test_a_full_output_is_told_beside_it(user: User) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    done = shell(user, '"$@" >/dev/full', "report", "mine.npz")
    why = f"{SAID}calibviz: {VERDICT}written to 'mine.report.html' (which cannot be printed: No space left on device)\n"
    assert (done.returncode, done.stderr) == (0, why)
    done = shell(user, '"$@" >/dev/full', "--help", PYTHONUNBUFFERED="")
    assert (done.returncode, done.stderr) == (2, "calibviz: cannot print: No space left on device\n")


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "C.UTF-8"},
    ],
)
def test_names_command_no_terminal(user: User, environment: dict[str, str]) -> None:
    done = shell(user, '"$@"', "report", f"{HOSTILE}.npz", **environment)
    assert done.returncode == 0
    assert done.stdout.startswith(VERDICT + r"written to '\x1b[31m\x1b]0;mine\x07\nred\r")
    assert not COMMANDING.search(done.stdout + done.stderr) and done.stdout.count("\n") == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["report", f"no{HOSTILE}"],
        ["report", "mine.npz", f"--{HOSTILE}"],
        ["report", "mine.npz", "-o", f"{HOSTILE}/{HOSTILE}"],
        ["report", "mine.npz", "--label", HOSTILE],
        [HOSTILE],
        ["demo", "--port", HOSTILE],
    ],
)
def test_what_was_typed_commands_no_terminal(
    user: User, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    monkeypatch.chdir(user.home)
    try:
        code = main(arguments)
    except SystemExit as ended:
        code = ended.code  # of argparse
    said = capsys.readouterr().err
    assert code == 2 and not COMMANDING.search(said) and r"\x1b[31m" in said.splitlines()[-1]


def test_the_address_and_logs_command_no_terminal(user: User) -> None:
    with user.start(*COMMAND, "explore", f"{HOSTILE}.npz", "--no-browser") as running:
        page = running.enter().get()
        assert "application/vnd.jupyter.widget-view+json" in page and "application/vnd.jupyter.error" not in page
        code, rest = running.end()
    assert code == 0 and not COMMANDING.search(running.line + rest)


def test_other_code_prints_through_the_same_place() -> None:
    program = (
        "import logging, sys, warnings\n"
        "from calibviz.app.terminal import take_over\n"
        "take_over()\n"
        "from tqdm import tqdm\n"
        f"name = {HOSTILE!r}\n"
        "logging.error(name); warnings.warn(name)\n"
        "for _ in tqdm(range(2), desc=name): pass\n"
        "sys.__stderr__.write(name); print(name)\n"
        "raise KeyError(name)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=SECONDS)
    out, err = done.stdout.decode(), done.stderr.decode()
    assert not re.search("[^\n -~]", out)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u202e]", err.replace("\r\\x1b[31m", ""))
    assert err.count(r"\x1b[31m") >= 5


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, käse, 校正, 🙂", "plain, käse, 校正, 🙂"),
        ("a\x1b[2Jb", r"a\x1b[2Jb"),
        ("a\nb\tc\rd", r"a\nb\tc\rd"),
        ("\u202eevil\u2066", r"\u202eevil\u2066"),
        ("\udc80\x9b\x7f", r"\udc80\x9b\x7f"),
    ],
)
def test_what_would_move_a_terminal_is_an_escape(text: str, shown: str) -> None:
    assert printable(text) == printable(shown) == shown
    shown.encode()


# Interrupts

#: The command from the moment on at which it handles interrupts, about which it says a word.
READY = [
    sys.executable,
    "-c",
    "import sys\n"
    "from calibviz.app.__main__ import main, take_over\n"
    "early = {'numpy', 'argparse', 'typing'} & sys.modules.keys()\n"
    "take_over()\n"
    "print('ready', *early, flush=True)\n"
    "sys.exit(main())",
]


@pytest.mark.parametrize("moment", [0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6])
def test_an_interrupt_ends_it_at_any_moment_without_a_word(user: User, moment: float) -> None:
    process = subprocess.Popen(
        [*READY, "report", "mine.npz"],
        cwd=user.home,
        env=user.environment(PYTHONPROFILEIMPORTTIME=""),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n", "what is slow is imported before an interrupt is handled"
    time.sleep(moment)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=SECONDS)
    # What is done may be interrupted as the interpreter ends, which then obeys the signal.
    is_done = process.returncode in (0, -signal.SIGINT) and out == f"{VERDICT}written to 'mine.report.html'\n"
    assert err in ("", SAID) and (is_done or (process.returncode, out) == (130, "")), (process.returncode, out, err)
    assert {file.name for file in user.home.iterdir()} <= {"tmp", "mine.npz", f"{HOSTILE}.npz", "mine.report.html"}


def test_an_interrupt_while_it_writes_leaves_what_was_there(user: User) -> None:
    page = user.home / "mine.report.html"
    page.write_text("old", encoding="utf-8")
    program = (
        "import os, signal, sys\n"
        "from calibviz.app.__main__ import main\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.exit(main())"
    )
    done = user.run("report", "mine.npz", command=[sys.executable, "-c", program])
    assert (done.returncode, done.stdout, done.stderr) == (130, "", SAID)
    assert page.read_text(encoding="utf-8") == "old"
    assert {file.name for file in user.home.iterdir()} == {"tmp", "mine.npz", f"{HOSTILE}.npz", page.name}


def test_an_interrupt_that_is_to_be_ignored_is_ignored(user: User) -> None:
    process = subprocess.Popen(
        [*READY, "--version"],
        env=user.environment(),
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=SECONDS)[0].startswith("calibviz ") and process.returncode == 0


def test_notices_of_the_package_are_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    with telling("mine.csv: "):
        for _ in range(2):
            notice("2 patients are in both. Pass trained_at=", stacklevel=1)
    assert capsys.readouterr().err == "calibviz: mine.csv: 2 patients are in both. Add --trained-at SHARE\n"
