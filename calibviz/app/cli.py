"""The command ``calibviz``: the Explorer in a browser, without a notebook, and reports that need not even that."""

from __future__ import annotations

import argparse
import importlib.util
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibviz.app.early import EarlyKernel
from calibviz.app.failures import EXIT_REFUSED, RefusedInput, asked_to_report, quiet, sentence
from calibviz.app.options import NAMING, READING, command_of, parser, query_of
from calibviz.app.reading import (
    ELSEWHERE,
    FileRead,
    Unanswered,
    given_of,
    model_names,
    read,
    read_each,
    refusing,
    telling,
)
from calibviz.app.terminal import INTERRUPTED, is_printed_to, say, tell, tidy_interrupts

if TYPE_CHECKING:
    from calibviz.data.predictions import Predictions
    from calibviz.reports import Report

#: The name of the file by which a page takes over what was read.
READ = "read"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with what follows its name, by default in the call of the process, and return its exit code.

    It is 0, 1 or 3 of a check that fails or cannot tell, 2 if what was asked for cannot be done, 130 if interrupted
    before it began to serve, 141 if nobody reads what it prints, 70 where calibviz itself went wrong.
    """
    return quiet(lambda: _run(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: Sequence[str]) -> int:
    commands = {
        "demo": _demo, "explore": _explore, "report": _report, "compare": _compare, "check": _check, "papers": _papers,
        "playground": _playground,
    }  # fmt: skip  # short entries stand in rows
    options = parser(commands).parse_args(arguments)
    options.command = shlex.join(["calibviz", *arguments])
    try:
        return options.run(options) or 0
    except RefusedInput as refusal:
        tell(*refusal.args)
        return EXIT_REFUSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except Exception as error:
        return asked_to_report(error, options.debug)


def _command(found: Sequence[FileRead], options: argparse.Namespace) -> str:
    """The command that explores the same files elsewhere, read by the same options."""
    asked = found[0].given if len(found) == 1 else given_of(options, READING)
    return command_of([each.file.name for each in found], asked | given_of(options, (*ELSEWHERE, *NAMING)))


def _demo(options: argparse.Namespace) -> None:
    _show([f"from calibviz.app.demo import demo\n\ndemo(command={options.command!r})"], options)


def _explore(options: argparse.Namespace) -> None:
    if not options.files:
        for name in given_of(options, (*READING, *ELSEWHERE)):
            raise RefusedInput(f"--{name.replace('_', '-')} says how to read a file, but no FILE is named: name one")
        _show([f"from calibviz.app.demo import explored\n\nexplored(command={options.command!r})"], options)
        return
    with EarlyKernel() as early:
        _explore_files(options, early)


def _explore_files(options: argparse.Namespace, early: EarlyKernel) -> None:
    # Read here first: a file that cannot be read is told in the terminal at once, not in a web page some seconds later.
    names = model_names(options.files)
    is_alone, moved = len(names) == 1, given_of(options, ELSEWHERE)
    _refuse_model_of_several(options)
    # The page would read the file without the words for its samples, so with these the terminal asks.
    page_asks = options.browser and is_alone and not moved and not given_of(options, NAMING)
    try:
        found = read_each(options.files, options, asks=options.browser and not page_asks)
    except Unanswered as unanswered:
        if not page_asks:
            raise
        [file] = options.files
        tell(f"{str(file)!r}: {unanswered.said}: the page asks which is meant")
        page = f"explored(command={options.command!r}, asked={(str(file.resolve()), given_of(options, READING))!r})"
        _show([f"from calibviz.app.demo import explored\n\n{page}"], options, early=early)
        return
    for each in found:
        each.made(moved)
    models = found[0].models if is_alone else {name: each.predictions for name, each in zip(names, found, strict=True)}
    if models is not None:
        from calibviz.answers.report_situations import refuse_other_samples

        which = f"the models of {str(options.files[0])!r}" if is_alone else "these files"
        with refusing(f"cannot show {which} together"):
            refuse_other_samples(models, None)
    _show_read(found[0].predictions if models is None else models, _command(found, options), options, early)


def _refuse_model_of_several(options: argparse.Namespace) -> None:
    """Refuse a column of models in several files."""
    if options.model is not None and len(options.files) > 1:
        said = f"--model is for one file that holds several models, not for {len(options.files)} files"
        raise RefusedInput(said)


def _report(options: argparse.Namespace) -> None:
    from calibviz.reports import compare, report

    path = options.output or options.file.parent / f"{options.file.stem}.report.html"
    _refuse_output(path, [options.file, *options.calibration])
    found = read(options.file, options)
    if found.models is not None:
        if options.calibration or options.clinical or options.costs is not None:
            raise RefusedInput("--model compares the models of a file: leave --calibration, --clinical and --costs out")
        with refusing(f"cannot compare the models of {str(options.file)!r}"):
            _write_report(compare(found.models, threshold=options.threshold, **_looked_at(options)), path)
        return
    fit_on = next((read(file, options).predictions for file in options.calibration), None)
    with refusing(f"cannot report on {str(options.file)!r}", options.file), telling():
        more: dict[str, Any] = {name: getattr(options, name) for name in ("clinical", "threshold", "costs", "centre")}
        made = report(found.predictions, calibration=fit_on, **(more | _looked_at(options)))
    _write_report(made, path)


def _compare(options: argparse.Namespace) -> None:
    from calibviz.reports import compare

    path = options.output or options.files[0].parent / "compare.report.html"
    _refuse_output(path, [*options.files, *options.calibration])
    if options.calibration and len(options.calibration) != len(options.files):
        several = f"{len(options.files)} models, not {len(options.calibration)}"
        raise RefusedInput(f"--calibration needs a file for each of the {several}")
    _refuse_model_of_several(options)
    names = model_names(options.files)
    found = read_each(options.files, options)
    models = found[0].models if len(found) == 1 else None
    if models is not None and options.calibration:
        raise RefusedInput("--model compares the models of a file: leave --calibration out")
    if models is None:
        models = {name: each.predictions for name, each in zip(names, found, strict=True)}
    fit_on = [read(file, options).predictions for file in options.calibration]
    calibration = dict(zip(names, fit_on, strict=True)) if fit_on else None
    with refusing("cannot compare these files"), telling():
        made = compare(models, calibration=calibration, threshold=options.threshold, **_looked_at(options))
    _write_report(made, path)


def _playground(options: argparse.Namespace) -> None:
    from calibviz.app.playground.page import playground_page
    from calibviz.foundation.files import write_whole

    _refuse_output(options.output, [])
    _write(lambda path: write_whole(path, playground_page().encode("utf-8")), options.output)


def _check(options: argparse.Namespace) -> int:
    from calibviz.answers.gate import check
    from calibviz.app import gate

    for path in (options.junit, options.json):
        if path not in (None, "-"):
            _refuse_output(Path(path), [options.file, *filter(None, [options.baseline])])
    asked = ((options.measure, options.within), ("ks", options.max_ks), ("ece", options.max_ece))
    limits = [(measure, limit) for measure, limit in asked if limit is not None]
    if len(limits) > len(dict(limits)):
        raise RefusedInput(f"--within and --max-{options.measure} limit the same error: leave one out")
    found = _alone(options.file, options)
    baseline = None if options.baseline is None else _alone(options.baseline, options)
    looked_at = {name: getattr(options, name) for name in ("lens", "selection", "tolerance", "level")}
    with refusing(f"cannot check {str(options.file)!r}", options.file):
        made = check(found, within=dict(limits) or None, baseline=baseline, progress=sys.stderr.isatty(), **looked_at)
    return gate.given(made, options)


def _papers(options: argparse.Namespace) -> None:
    _refuse_output(options.output, [])
    from calibviz.papers import gallery

    _write(lambda path: gallery(path, progress=sys.stderr.isatty()), options.output)


def _alone(file: Path, options: argparse.Namespace) -> Predictions:
    """The predictions of one model in a file."""
    found = read(file, options)
    if found.models is not None:
        raise RefusedInput(f"check judges one model, but --model names several in {str(file)!r}")
    return found.predictions


def _looked_at(options: argparse.Namespace) -> dict[str, Any]:
    chosen = {name: getattr(options, name) for name in ("lens", "selection", "categories", "margin")}
    return {**chosen, "progress": sys.stderr.isatty()}  # elsewhere a bar is many lines


def _refuse_output(path: Path, inputs: Sequence[Path]) -> None:
    """Raise before the work where it would be in vain, or would destroy what it is made of."""
    for file in inputs:
        if path == file or (path.exists() and file.exists() and path.samefile(file)):
            raise RefusedInput(f"cannot write {str(path)!r}: it is a file to read")
    from calibviz.foundation.files import path_to_write  # late, since it takes NumPy along

    with refusing(f"cannot write {str(path)!r}"):
        path_to_write(path)


def _write_report(made: Report, path: Path) -> None:
    several = made.verdicts.items()
    said = [f"{name}: {line}" if len(several) > 1 else line for name, of in several for line in of.lines]
    _write(made.save, path, *said)


def _write(save: Callable[[Path], object], path: Path, *said: str) -> None:
    """Save into a file, and say so after what else is to be said, unless the file is what is printed to."""
    with refusing(f"cannot write {str(path)!r}"), tidy_interrupts():
        save(path)
    if not is_printed_to(path):
        say(*said, f"written to {str(path)!r}")


def _show_read(
    shown: Predictions | dict[str, Predictions], elsewhere: str, options: argparse.Namespace, early: EarlyKernel
) -> None:
    """Open the Explorer on what was read, which no page reads again: it shows what the terminal said."""
    from calibviz.foundation.handing_over import hand_over

    cell = (
        "from pathlib import Path\n\nfrom calibviz.app.demo import explored\n"
        "from calibviz.foundation.handing_over import taken_over\n\n"
        f"explored(taken_over(Path({READ!r})), command={options.command!r}, elsewhere={elsewhere!r})"
    )
    _show([cell], options, prepare=lambda folder: hand_over(shown, folder / READ), early=early)


def _show(cells: Sequence[str], options: argparse.Namespace, **more: Any) -> None:
    if importlib.util.find_spec("voila") is None:
        raise RefusedInput("the web page needs Voila, which is not installed: pip install 'calibviz[app]'")
    # What validates notebooks compiles a grammar of addresses, for more than a second, where it finds this package.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    from calibviz.app.server import serve

    is_of_files = bool(getattr(options, "files", ()))  # the command names them, whatever they are called in the link
    query = query_of(options.link, ("file",) if is_of_files else ())
    try:
        serve(cells, port=options.port, theme=options.theme, browser=options.browser, query=query, **more)
    except OSError as error:
        where = f" on port {options.port}" if options.port else ""
        raise RefusedInput(f"cannot serve{where}: {sentence(error)}") from error
