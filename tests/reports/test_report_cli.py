"""The commands that write reports: what they write and where, and what they refuse in one line."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lazy_samples
import numpy as np
import pytest
from commands import User
from report_pages import Page

import calibviz as cv
from calibviz.answers.first_screen.headline_numbers import headline
from calibviz.answers.situation.engine import Engine
from calibviz.answers.situation.situation import Situation
from calibviz.app import cli, demo, reading
from calibviz.app.cli import main
from calibviz.data import safeguards
from calibviz.explorer.state.state import ExplorerState

Command = Callable[..., tuple[int, str, str]]  # its exit code, and what it writes on both streams

pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("few_replicates", "few_states")]


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command in this process, where reports draw few samples: its exit code, and what it writes."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str) -> tuple[int, str, str]:
        return main(list(arguments)), *capsys.readouterr()

    return command


def write(path: Path, seed: int = 0, n: int = 60) -> Path:
    """Predictions of the same labels, whatever the seed."""
    rng = np.random.default_rng(seed)
    np.savez(path, probs=rng.dirichlet(np.ones(3), size=n), labels=np.arange(n) % 3, age=np.arange(n) + 0.5)
    return path


# What they write


def test_report_is_written_beside_the_file(user: User) -> None:
    folder = user.home / "it's"
    folder.mkdir()
    file = write(folder / 'my "model".v2.npz')
    done = user.run("report", str(file.relative_to(user.home)))
    page = folder / 'my "model".v2.report.html'
    p = cv.read_predictions(file)
    told = f"{cv.verdict(p)}\nwritten to {str(page.relative_to(user.home))!r}\n"
    assert (done.returncode, done.stdout) == (0, told)
    found = Page(page.read_text(encoding="utf-8"))
    assert found.number("errors", "KS", "measured") == pytest.approx(cv.ks_error(p), abs=1e-12)
    assert f"predictions = cv.read_predictions({str(file.relative_to(user.home))!r})" in found.texts["code"]
    assert sorted(one.name for one in folder.iterdir()) == [file.name, page.name]


def besides(told: str) -> str:
    """What is told but for the lines that say what was taken for what."""
    return "".join(line for line in told.splitlines(keepends=True) if "truth from 'label" not in line)


@pytest.mark.parametrize("ending", [".zarr", ".parquet", " folder"])
def test_what_does_not_fit_in_memory_is_drawn_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    data = lazy_samples.made()
    write_data = {".zarr": lazy_samples.zarr, ".parquet": lazy_samples.parquet}.get(ending)
    file = write_data(data, tmp_path) if write_data else lazy_samples.files(data, tmp_path / "preds")
    monkeypatch.setattr(safeguards, "LARGEST_SIZE", 100_000)
    monkeypatch.setattr(reading, "MOST_DRAWN", 500)
    assert main(["report", str(file), "-o", str(tmp_path / "page.html")]) == 0
    said = (
        f"calibviz: {str(file)!r}: 6,000 samples are more than fit in memory: about 500 of them are drawn at random\n"
    )
    assert besides(capsys.readouterr().err) == said
    p = cv.open_predictions(file).sample(500, progress=False)
    found = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert found.number("errors", "KS", "measured") == pytest.approx(cv.ks_error(p), abs=1e-12)
    assert f"{len(p):,} of 6,000 samples, drawn at random" in found.texts["data"]
    assert f"predictions = cv.open_predictions({str(file)!r}).sample(500, rng=0)" in found.texts["code"]

    cells: list[str] = []
    (tmp_path / "served").mkdir()

    def show(made: list[str], options: Any, prepare: Callable[[Path], object], **_: Any) -> None:
        prepare(tmp_path / "served")
        monkeypatch.chdir(tmp_path / "served")
        cells.extend(made)
        exec(made[0], {})

    monkeypatch.setattr(cli, "_show", show)
    monkeypatch.setattr(demo, "explored", lambda predictions, **_: cells.append(predictions.about["drawn"]))
    assert main(["explore", str(file)]) == 0
    assert cells[1:] == [p.about["drawn"]]


def test_a_text_that_is_larger_than_memory_needs_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    (tmp_path / "p.csv").write_text("label,prob\n" + "1,0.7\n0,0.2\n" * 50)
    monkeypatch.setattr(safeguards, "SMALL_SIZE", 100)
    monkeypatch.setattr(safeguards, "LARGEST_SIZE", 100)
    code, _, err = run("report", "p.csv")
    said = "are read at once: --limit 1GB allows more, and of .zarr and .parquet some are drawn\n"
    assert (code, err.endswith(said)) == (2, True) and "open_predictions" not in err and err.count("p.csv") == 1


def test_a_small_file_of_large_content_needs_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    """It is not drawn from, as a file that is larger than memory is: that would read all of it."""
    lazy_samples.parquet(lazy_samples.made(), tmp_path).rename(tmp_path / "p.parquet")
    monkeypatch.setattr(safeguards, "SMALL_SIZE", 1000)
    monkeypatch.setattr(safeguards, "LARGEST_RATIO", 0)
    code, out, err = run("report", "p.parquet")
    assert (code, out) == (2, "")
    assert re.fullmatch(
        r"calibviz: cannot read 'p.parquet': the content takes at least \d+ bytes of memory, which is much "
        r"for \d+ bytes on disk; where nothing is wrong with it, --limit 1GB allows more\n",
        err,
    )
    assert run("report", "p.parquet", "--limit", "1GB")[0] == 0
    found = Page((tmp_path / "p.report.html").read_text(encoding="utf-8"))
    assert "predictions = cv.read_predictions('p.parquet', limit='1GB')" in found.texts["code"]
    code, _, err = run("report", "p.parquet", "--limit", "much")
    said = "limit must be an amount of memory such as '8 GB' or '500 MB', not 'much'"
    assert (code, err) == (2, f"calibviz: cannot read 'p.parquet': {said}\n")


def test_report_goes_where_and_looks_as_it_is_told(tmp_path: Path, run: Command) -> None:
    write(tmp_path / "p.npz")
    write(tmp_path / "other.npz", seed=1)
    (tmp_path / "old.html").write_text("old", encoding="utf-8")
    options = ["--lens", "class 1", "--selection", "age < 50", "--categories", "0,0.5,1", "--calibration", "other.npz"]
    done = run("report", "p.npz", *options, "-o", "old.html")
    text = (tmp_path / "old.html").read_text(encoding="utf-8")
    p, other = (cv.read_predictions(tmp_path / name) for name in ("p.npz", "other.npz"))
    expected = cv.report(
        p, calibration=other, lens="class 1", selection="age < 50", categories=[0, 0.5, 1], progress=False
    )
    assert done[:2] == (0, f"{expected.verdict}\nwritten to 'old.html'\n")
    assert Page(text).tables == Page(expected.html).tables
    assert "Calibrators were fitted to 60 samples of a calibration set; 50 others judge them." in text


def test_rows_are_rescaled_only_where_asked(tmp_path: Path, run: Command) -> None:
    np.savez(tmp_path / "p.npz", probs=np.full((20, 3), 33.3), labels=np.arange(20) % 3)
    code, out, err = run("report", "p.npz")
    assert (code, out) == (2, "")
    asked, *ways = err.splitlines()
    assert asked.startswith("calibviz: cannot read 'p.npz': probs[0, 0] is 33.3: ")
    assert ways == ["  --label labels --prob probs --normalize    mean confidence 33 %, right 35 %"]
    code, out, err = run("report", "p.npz", "--normalize")
    said = "20 of 20 rows rescaled to sum to 1, as was asked for; off by 98.9 at most"
    assert (code, besides(err)) == (0, f"calibviz: 'p.npz': {said}\n")
    assert said in (tmp_path / "p.report.html").read_text(encoding="utf-8")


def test_samples_are_weighted_to_another_prevalence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, page = write(tmp_path / "p.npz"), tmp_path / "p.report.html"
    assert main(["report", str(file), "--prevalence", "0.2,0.3,0.5"]) == 0
    text = page.read_text(encoding="utf-8")
    assert "weighted to 0 20 %, 1 30 %, 2 50 %; probabilities as they were" in Page(text).text
    expected = cv.read_predictions(file).at_prevalence([0.2, 0.3, 0.5])
    assert Page(text).tables == Page(cv.report(expected, progress=False).html).tables
    served: list[str] = []
    monkeypatch.setattr(cli, "_show_read", lambda shown, *_: served.append(shown.about["source"]))
    assert main(["explore", str(file), "--prevalence", "0.2,0.3,0.5"]) == 0
    assert f"cv.read_predictions({str(file)!r}).at_prevalence([0.2, 0.3, 0.5])" in served[0]
    situation = Situation(Engine(expected), ExplorerState(["model"]).spec)
    assert "Weighted to 0 20 %, 1 30 %, 2 50 %; probabilities as they were." in headline(situation).note


def test_probabilities_are_moved_to_another_prevalence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path / "p.npz")
    assert main(["report", str(file), "--prevalence", "0.2,0.3,0.5", "--shift"]) == 0
    text = (tmp_path / "p.report.html").read_text(encoding="utf-8")
    expected = cv.read_predictions(file).at_prevalence([0.2, 0.3, 0.5], shift=True)
    assert "probabilities moved to it" in text
    assert Page(text).tables == Page(cv.report(expected, progress=False).html).tables
    served: list[str] = []
    monkeypatch.setattr(cli, "_show_read", lambda shown, *_: served.append(shown.about["source"]))
    assert main(["explore", str(file), "--prevalence", "0.2,0.3,0.5", "--shift"]) == 0
    assert ".at_prevalence([0.2, 0.3, 0.5], shift=True)" in served[0]
    assert main(["report", str(file), "--shift"]) == 2
    assert "add --prevalence as well" in capsys.readouterr().err


def test_weights_that_follow_the_labels_are_said_with_the_options_that_settle_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, draws = tmp_path / "p.csv", np.random.default_rng(0)
    score = draws.random(200)
    rows = [f"{s:.3f},{int(u < s)},{1 if u < s else 9}" for s, u in zip(score, draws.random(200), strict=True)]
    file.write_text("\n".join(["prob,label,weight", *rows]), encoding="utf-8")
    main(["check", str(file), "--within", "5"])
    said = capsys.readouterr().err
    assert said.startswith(f"calibviz: {str(file)!r}: the weights follow the labels ('0': 9, '1': 1)")
    assert "Leave them out by --weight '', and give the share of the second class by --prevalence SHARE\n" in said
    main(["check", str(file), "--within", "5", "--weight", ""])
    assert "follow the labels" not in capsys.readouterr().err


def test_probabilities_are_moved_from_the_shares_of_the_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    served: list[str] = []
    monkeypatch.setattr(cli, "_show_read", lambda shown, *_: served.append(shown.about["source"]))
    file = tmp_path / "p.csv"
    file.write_text("label,prob\n" + "0,0.3\n1,0.8\n0,0.1\n0,0.9\n" * 10, encoding="utf-8")
    elsewhere = ["--prevalence", "0.25", "--shift"]
    assert main(["explore", str(file), *elsewhere]) == 0
    said = "the samples already have these shares: this moves nothing. Were the probabilities made for other shares? "
    assert f"calibviz: {str(file)!r}: {said}Add --trained-at SHARE\n" in capsys.readouterr().err
    assert main(["explore", str(file), *elsewhere, "--trained-at", "0.5"]) == 0
    assert "moves nothing" not in capsys.readouterr().err
    assert ".at_prevalence(0.25, shift=True, trained_at=0.5)" in served[1]
    assert main(["report", str(file), *elsewhere, "--trained-at", "0.5"]) == 0
    text = (tmp_path / "p.report.html").read_text(encoding="utf-8")
    assert "probabilities moved to it from 0 50 %, 1 50 %" in Page(text).text
    expected = cv.read_predictions(file).at_prevalence(0.25, shift=True, trained_at=0.5)
    assert Page(text).tables == Page(cv.report(expected, progress=False).html).tables
    for options, why in (
        (["--trained-at", "0.5"], "add --prevalence and --shift as well"),
        (["--prevalence", "0.25", "--trained-at", "0.5"], "--trained-at says which shares .*: add --shift as well"),
    ):
        assert main(["report", str(file), *options]) == 2
        assert re.search(why, capsys.readouterr().err)
    assert main(["explore", "--trained-at", "0.5"]) == 2
    assert "--trained-at says how to read a file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("shares", "said"),
    [("0.1", "cannot weight .*: prevalence must have shape"), ("0.5,0.6,0.2", "prevalence adds up to 1.3, not to 1")],
)
def test_a_prevalence_that_cannot_be_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], shares: str, said: str
) -> None:
    assert main(["report", str(write(tmp_path / "p.npz")), "--prevalence", shares]) == 2
    assert re.search(said, capsys.readouterr().err)


def test_explore_tells_what_was_rescaled_before_it_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "p.npz"
    np.savez(file, probs=[[0.5, 0.5], [0.2, 0.7]] * 10, labels=[0, 1] * 10)
    told: list[str] = []
    monkeypatch.setattr(cli, "_show", lambda *_, **__: told.append(capsys.readouterr().err))
    assert main(["explore", str(file), "--normalize"]) == 0
    (said,) = told
    assert said.endswith(": 10 of 20 rows rescaled to sum to 1, as was asked for; off by 0.1 at most\n")
    np.savez(file, probs=[[0.5, 0.5], [0.2, 0.8]] * 10, labels=[0, 1] * 10)
    assert main(["explore", str(file)]) == 0
    assert "P(1) from 'probs'" in told[1] and besides(told[1]) == ""


def test_compare_names_models_by_their_files(tmp_path: Path, run: Command) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
    for i, name in enumerate(("x/a.npz", "x/b.npz", "y/a.npz", "y/c.npz")):
        write(tmp_path / name, seed=i)
    done = run("compare", "x/a.npz", "x/b.npz", "--calibration", "y/a.npz", "y/c.npz")
    found = Page((tmp_path / "x/compare.report.html").read_text(encoding="utf-8"))
    files = ("x/a.npz", "x/b.npz", "y/a.npz", "y/c.npz")
    a, b, fit_a, fit_b = (cv.read_predictions(tmp_path / name) for name in files)
    expected = cv.compare({"a": a, "b": b}, calibration={"a": fit_a, "b": fit_b}, progress=False)
    said = [f"{name}: {line}\n" for name, verdict in expected.verdicts.items() for line in verdict.lines]
    assert done[:2] == (0, "".join(said) + "written to 'x/compare.report.html'\n")
    assert found.tables == Page(expected.html).tables
    assert run("compare", "x/a.npz", "y/a.npz", "-o", "two.html")[0] == 0
    assert "<h1>x/a.npz, y/a.npz</h1>" in (tmp_path / "two.html").read_text(encoding="utf-8")


# What they refuse: one line, exit code 2, and nothing written


def damaged(path: Path) -> None:
    path.write_bytes(b"\x00not a table,\xff\n" * 3)


def plain(path: Path) -> None:
    write(path)


@pytest.mark.parametrize(
    ("prepare", "arguments", "said"),
    [
        (damaged, ["report", "p.npz"], r"cannot read 'p\.npz': \S.*"),
        (damaged, ["compare", "p.npz", "q.npz"], r"cannot read 'p\.npz': \S.*"),
        (Path.mkdir, ["report", "p.npz"], r"cannot read 'p\.npz': .*a directory"),
        (plain, ["report", "missing.csv"], r"cannot read 'missing\.csv': .*there is no such file"),
        (plain, ["report", "."], r"cannot read '\.': .*a directory"),
        (plain, ["report", "p.npz", "--lens", "heart"], r"cannot report on 'p\.npz': lens 'heart' is unknown: .*"),
        (plain, ["report", "p.npz", "--lens", "full"], r"cannot report on .*: lens 'full' has several outcomes, .*"),
        (plain, ["report", "p.npz", "--selection", "age >"], r"cannot report on 'p\.npz': selection 'age >', at .*"),
        (plain, ["report", "p.npz", "--selection", "age > 99"], r"cannot report on .*: The selection keeps none of .*"),
        (
            plain,
            ["report", "p.npz", "--categories", "0,2"],
            r"cannot report on 'p\.npz': categories\[1\] must lie between .*",
        ),
        (plain, ["report", "p.npz", "-o", "no/where.html"], r"cannot write .*: there is no directory 'no'"),
        (plain, ["report", "p.npz", "-o", "."], r"cannot write '\.': it is a directory"),
        (plain, ["report", "p.npz", "-o", "./p.npz"], r"cannot write 'p\.npz': it is a file to read"),
        (plain, ["report", "p.npz", "-o", "linked.npz"], r"cannot write 'linked\.npz': it is a file to read"),
        (plain, ["report", "q.npz", "--calibration", "p.npz", "-o", "p.npz"], r"cannot write .*: it is a file to read"),
        (plain, ["compare", "q.npz", "p.npz", "-o", "p.npz"], r"cannot write 'p\.npz': it is a file to read"),
        (plain, ["compare", "p.npz"], r"cannot compare these files: a comparison needs two models at least.*"),
        (plain, ["compare", "p.npz", "p.npz"], r"the file 'p\.npz' is there twice"),
        (plain, ["compare", "p.npz", "few.npz"], r"cannot compare .*: 'few' has 30 samples, but 'p' has 60: .*"),
        (plain, ["compare", "p.npz", "q.npz", "--calibration", "q.npz"], r"--calibration needs a file for each .* 1"),
    ],
)
def test_refusal(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    prepare: Callable[[Path], Any],
    arguments: list[str],
    said: str,
) -> None:
    prepare(tmp_path / "p.npz")
    write(tmp_path / "q.npz", seed=1)
    write(tmp_path / "few.npz", n=30)
    if (tmp_path / "p.npz").is_file():
        (tmp_path / "linked.npz").hardlink_to(tmp_path / "p.npz")
    monkeypatch.chdir(tmp_path)
    before = {one: one.read_bytes() for one in tmp_path.iterdir() if one.is_file()}
    assert main(arguments) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert re.fullmatch(rf"calibviz: {said}\n", besides(written.err)), written.err
    assert {one: one.read_bytes() for one in tmp_path.iterdir() if one.is_file()} == before


def test_a_full_disk_is_told_in_one_line(tmp_path: Path, run: Command) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    write(tmp_path / "p.npz")
    code, out, err = run("report", "p.npz", "-o", "/dev/full")
    assert (code, out) == (2, "")
    assert re.fullmatch(r"calibviz: cannot write '/dev/full': [^\n]+\n", besides(err))


def test_what_is_no_list_of_numbers_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["report", "p.npz", "--categories", "low"])
    assert "argument --categories: 'low' is no list of numbers such as 0,0.1,0.5,1" in capsys.readouterr().err


# Samples that belong together


def test_times_and_events_lead_to_a_horizon(run: Command, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    risk = rng.uniform(0.1, 0.8, 300).round(3)
    happens, ends = rng.exponential(-1 / np.log1p(-risk)), rng.uniform(0.2, 3, 300)
    rows = np.c_[risk, np.minimum(happens, ends).round(4), happens <= ends, np.arange(300) % 2]
    np.savetxt(tmp_path / "mine.csv", rows, delimiter=",", header="risk,time,status,site", comments="", fmt="%g")
    code, said, told = run("check", "mine.csv")
    ways = "pass --time 'time' --event 'status' --horizon ..., or --label 'status' if nobody was lost"
    assert code == 2 and ways in told
    assert run("report", "mine.csv", "--time", "time", "--event", "status")[0] == 2
    options = ("--time", "time", "--event", "status", "--horizon", "1", "--by", "site")
    assert run("check", "mine.csv", *options)[0] == 3
    code, said, told = run("report", "mine.csv", *options)
    p = cv.read_predictions(tmp_path / "mine.csv", time="time", event="status", horizon=1, by="site")
    assert code == 0 and f"{len(p)} samples" in said and "independent of the risk within site" in told
    page = Page((tmp_path / "mine.report.html").read_text())
    assert "time='time', event='status', horizon=1, by='site'" in page.text and "Kaplan-Meier" in page.text
    write_other = rows * [0.9, 1, 1, 1]
    np.savetxt(
        tmp_path / "other.csv", write_other, delimiter=",", header="risk,time,status,site", comments="", fmt="%g"
    )
    assert run("compare", "mine.csv", "other.csv", *options)[0] == 0
    code, said, told = run("report", "mine.csv", "--label", "status")
    assert "rows with status 0 may be censored: 'time' stands beside it; at a horizon: --time 'time' --event" in told
    page = Page((tmp_path / "mine.report.html").read_text())
    assert "may be censored: 'time' stands beside it" in page.text and "at a horizon:" not in page.texts["data"]


def test_rows_of_a_patient_are_counted_and_an_id_that_repeats_is_asked_about(run: Command, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for name, first in (("mine", 0), ("other", 20)):
        score = rng.random(160)
        patient = first + np.arange(160) // 4
        np.savez(tmp_path / f"{name}.npz", prob=score, label=rng.random(160) < score, patient_id=patient)
    code, said, told = run("report", "mine.npz")
    assert code == 0 and "patients" not in said
    ways = "--cluster 'patient_id' takes them together, and --cluster '' says that they are independent"
    assert told.count("may not be independent") == told.count(ways) == 1
    code, said, told = run("report", "mine.npz", "--cluster", "")
    assert code == 0 and "may not be" not in told
    code, said, told = run("report", "mine.npz", "--cluster", "patient_id", "--calibration", "other.npz")
    assert code == 0 and "(40 patients, 160 rows)" in said
    assert "rows that share 'patient_id' are taken together (40 of them)" in told and "may not be" not in told
    both = "calibviz: calibration and predictions: 20 patients are in both, so that calibrators have seen outcomes that"
    assert told.count(both) == 1
    page = Page((tmp_path / "mine.report.html").read_text())
    seen = "others judge them: 20 patients are in both, so that calibrators have seen outcomes that those"
    assert seen in page.text
    assert "cluster='patient_id'" in page.text and "40 patients, 160 rows" in page.texts["data"]
