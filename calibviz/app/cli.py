"""The command ``calibviz``: the Explorer in a browser, without a notebook, and reports that need not even that."""

from __future__ import annotations

import argparse
import importlib.util
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibviz.app.early import EarlyKernel
from calibviz.app.failures import EXIT_REFUSED, asked_to_report, quiet, sentence, with_options, without_python
from calibviz.app.links import command_of, in_shell, query_of
from calibviz.app.options import NAMING, READING, parser
from calibviz.app.terminal import INTERRUPTED, is_printed_to, say, tell, tidy_interrupts
from calibviz.foundation.sources import Source

if TYPE_CHECKING:
    from calibviz.data.predictions import Predictions
    from calibviz.reports import Report

#: What a command says where messages name something that is done in Python alone.
AS_COMMAND = {
    "cv.open_predictions reads .zarr and .parquet in parts": "of .zarr and .parquet some are drawn",
    "trained_at says": "--trained-at says",
    "pass shift=True as well": "add --shift as well",
    "Pass trained_at=": "Add --trained-at SHARE",
}
ELSEWHERE = ("prevalence", "shift", "trained_at")  # the arguments of `at_prevalence`

#: What can be read in parts where it is too large for memory, and how much of it is drawn.
IN_PARTS = (".parquet", ".zarr")
MOST_DRAWN, MOST_ENTRIES = 1_000_000, 100_000_000

#: The name of the file by which a page takes over what was read.
READ = "read"


class RefusedInput(Exception):
    """The error of a command that cannot be done; the message says why in a sentence, and may list ways out below."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments
        What follows the name of the command; by default what the process was called with.

    Returns
    -------
    int
        The exit code: 0, or 2 if what was asked for cannot be done, or 130 if interrupted before it began to serve, or
        141 if nobody reads what it prints, or 70 where calibviz itself went wrong.
    """
    return quiet(lambda: _run(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: Sequence[str]) -> int:
    commands = {"demo": _demo, "explore": _explore, "report": _report, "compare": _compare}
    options = parser(commands).parse_args(arguments)
    options.command = shlex.join(["calibviz", *arguments])
    try:
        try:
            options.run(options)
        except _ModelsChosen as chosen:  # in answer to a question of the file
            vars(options).update(chosen.given)
            options.run(options)
    except RefusedInput as refusal:
        tell(*refusal.args)
        return EXIT_REFUSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except Exception as error:
        return asked_to_report(error, options.debug)
    return 0


class _ModelsChosen(Exception):
    """The choice of several models in answer to a question: the reading of the file as that of one ends with it."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__(given)
        self.given = given


def _command(options: argparse.Namespace) -> str:
    """The command that explores the same files elsewhere, read by the same options."""
    asked = {name: value for name in ELSEWHERE if (value := getattr(options, name)) not in (None, False)}
    return command_of([str(file) for file in options.files], _asked(options) | asked | _nouns(options))


def _demo(options: argparse.Namespace) -> None:
    _show([f"from calibviz.app.demo import demo\n\ndemo(command={options.command!r})"], options)


def _explore(options: argparse.Namespace) -> None:
    if not options.files:
        given = [name for name in (*READING, *NAMING, *ELSEWHERE) if getattr(options, name) not in (None, False)]
        if given:
            raise RefusedInput(
                f"--{given[0].replace('_', '-')} says how to read a file, but no FILE is named: name one"
            )
        _show([f"from calibviz.app.demo import explored\n\nexplored(command={options.command!r})"], options)
        return
    with EarlyKernel() as early:
        _explore_files(options, early)


def _explore_files(options: argparse.Namespace, early: EarlyKernel) -> None:
    # Read here first: a file that cannot be read is told in the terminal at once, not in a web page some seconds later.
    names = _model_names(options.files)
    if options.model is not None:
        _explore_models(options, early)
        return
    try:
        read = {name: _read_or_drawn(file, options) for name, file in zip(names, options.files, strict=True)}
    except RefusedInput as refusal:
        # The page would read the file without the words for its samples, so with these the answer is an option.
        if _nouns(options) or not (options.browser and len(names) == 1 and _is_question(refusal)):
            raise
        tell(*refusal.args, "the page asks which of these is meant")
        page = f"explored(command={options.command!r}, asked={(str(options.files[0].resolve()), _asked(options))!r})"
        _show([f"from calibviz.app.demo import explored\n\n{page}"], options, early=early)
        return
    models = {name: predictions for name, (predictions, _) in read.items()}
    for (name, (predictions, is_drawn)), file in zip(read.items(), options.files, strict=True):
        read_again = predictions if is_drawn else predictions._made_by(_reading_call(file, options))
        models[name] = _named(read_again, options)
    if len(models) > 1:
        with _refusing("cannot show these files together"):
            _refuse_other_samples(models)
    _show_read(models if len(models) > 1 else models[names[0]], options, early)


def _is_question(refusal: RefusedInput) -> bool:
    from calibviz.data.columns.choices import Question

    return isinstance(refusal.__cause__, Question)


def _explore_models(options: argparse.Namespace, early: EarlyKernel) -> None:
    """Open the Explorer on the models that one file holds."""
    models = _read_models(options.files, options)
    with _refusing(f"cannot show the models of {str(options.files[0])!r} together"):
        _refuse_other_samples(models)
    call = Source("cv.read_models")(str(options.files[0].resolve()), **_asked(options))
    for name, predictions in models.items():
        models[name] = _named(predictions._made_by(call[name]), options)
    _show_read(models, options, early)


def _read_models(files: Sequence[Path], options: argparse.Namespace) -> dict[str, Predictions]:
    """The predictions of each model in a file that holds several."""
    from calibviz.data.readers import read_models

    if len(files) > 1:
        raise RefusedInput(f"--model is for one file that holds several models, not for {len(files)} files")
    if options.prevalence is not None:
        raise RefusedInput("--prevalence is for files of one model each")
    file = files[0]
    with _refusing(f"cannot read {str(file)!r}", file):
        models = read_models(file, **_asked(options))
    for name, predictions in models.items():
        tell(f"{str(file)!r}, {name}: {with_options(predictions.about['assumed'], READING, _as_option)}")
    return {name: _named(predictions, options) for name, predictions in models.items()}


def _refuse_other_samples(models: Mapping[str, Predictions]) -> None:
    from calibviz.answers.report_situations import refuse_other_samples

    refuse_other_samples(models, None)


def _reading_call(file: Path, options: argparse.Namespace) -> Source:
    """The call that reads a file as the options ask."""
    call = Source("cv.read_predictions")(str(file.resolve()), **_asked(options))
    if options.prevalence is None:
        return call
    return call.method("at_prevalence")(options.prevalence, **_moved(options))


def _moved(options: argparse.Namespace) -> dict[str, Any]:
    """The options of `at_prevalence` that were given, beside the prevalence."""
    return {name: value for name in ELSEWHERE[1:] if (value := getattr(options, name)) not in (None, False)}


def _asked(options: argparse.Namespace) -> dict[str, Any]:
    """The options of `cv.read_predictions` that were given."""
    return {name: value for name in READING if (value := getattr(options, name)) not in (None, False)}


def _nouns(options: argparse.Namespace) -> dict[str, str]:
    """The words for samples and events that were given, as arguments of `with_nouns`."""
    return {name: value for name in NAMING if (value := getattr(options, name)) is not None}


def _named(predictions: Predictions, options: argparse.Namespace) -> Predictions:
    """The predictions with what their samples are called, where that was given."""
    given = _nouns(options)
    with _refusing("cannot write sentences"):
        return predictions.with_nouns(**given) if given else predictions


def _model_names(files: Sequence[Path]) -> list[str]:
    """The names of the models in some files, those of the files where they differ."""
    stems = [file.stem for file in files]
    names = stems if len(set(stems)) == len(stems) else [str(file) for file in files]
    if len(set(names)) < len(names):
        raise RefusedInput(f"the file {next(name for name in names if names.count(name) > 1)!r} is there twice")
    return names


def _report(options: argparse.Namespace) -> None:
    from calibviz.reports import report

    path = options.output or options.file.parent / f"{options.file.stem}.report.html"
    _refuse_output(path, [options.file, *options.calibration])
    if options.model is not None:
        from calibviz.reports import compare

        if options.calibration or options.clinical or options.costs is not None:
            raise RefusedInput("--model compares the models of a file: leave --calibration, --clinical and --costs out")
        models = _read_models([options.file], options)
        with _refusing(f"cannot compare the models of {str(options.file)!r}"):
            _write(compare(models, threshold=options.threshold, **_looked_at(options)), path)
        return
    predictions = _read(options.file, options)
    fit_on = next((_read(file, options) for file in options.calibration), None)
    with _refusing(f"cannot report on {str(options.file)!r}", options.file):
        asked: dict[str, Any] = {"clinical": options.clinical, "threshold": options.threshold, "costs": options.costs}
        made = report(predictions, calibration=fit_on, **(asked | _looked_at(options)))
    _write(made, path)


def _compare(options: argparse.Namespace) -> None:
    from calibviz.reports import compare

    path = options.output or options.files[0].parent / "compare.report.html"
    _refuse_output(path, [*options.files, *options.calibration])
    if options.calibration and len(options.calibration) != len(options.files):
        given = len(options.calibration)
        raise RefusedInput(f"--calibration needs a file for each of the {len(options.files)} models, not {given}")
    if options.model is not None:
        if options.calibration:
            raise RefusedInput("--model compares the models of a file: leave --calibration out")
        models = _read_models(options.files, options)
        with _refusing("cannot compare these models"):
            made = compare(models, threshold=options.threshold, **_looked_at(options))
        _write(made, path)
        return
    names = _model_names(options.files)
    models = {name: _read(file, options) for name, file in zip(names, options.files, strict=True)}
    fit_on = [_read(file, options) for file in options.calibration]
    calibration = dict(zip(names, fit_on, strict=True)) if fit_on else None
    with _refusing("cannot compare these files"):
        made = compare(models, calibration=calibration, threshold=options.threshold, **_looked_at(options))
    _write(made, path)


def _read(file: Path, options: argparse.Namespace) -> Predictions:
    return _named(_read_or_drawn(file, options)[0], options)


def _read_or_drawn(file: Path, options: argparse.Namespace) -> tuple[Predictions, bool]:
    """The predictions of a file, and whether they are only some of them, drawn at random."""
    from calibviz.data.readers import read_predictions
    from calibviz.data.safeguards import TooLargeError
    from calibviz.foundation.fit_warnings import notices

    is_drawn = False
    with _refusing(f"cannot read {str(file)!r}", file):
        try:
            predictions = _answered(lambda more: read_predictions(file, **(_asked(options) | more)), options)
        except TooLargeError:
            is_whole = file.suffix.lower() not in IN_PARTS and not file.is_dir()
            if is_whole or _asked(options).keys() - {"normalize", "limit"}:
                raise  # files that are read in parts take none of the other options
            predictions, is_drawn = _drawn(file, options.normalize, options.limit), True
    if "assumed" in predictions.about:
        assumed = with_options(predictions.about["assumed"], READING, _as_option)
        tell(f"{str(file)!r}: {assumed}")
    if predictions.row_sums is not None:
        from calibviz.reports.writing.data import rescaled  # with all of the reports, which take a second to load

        tell(f"{str(file)!r}: {rescaled(predictions.row_sums)}")
    if options.prevalence is None:
        if options.shift:
            raise RefusedInput("--shift moves the probabilities to another prevalence: add --prevalence as well")
        if options.trained_at is not None:
            raise RefusedInput("--trained-at is for probabilities that are moved: add --prevalence and --shift as well")
        return predictions, is_drawn
    with _refusing(f"cannot weight {str(file)!r}"), notices() as heard:
        moved = predictions.at_prevalence(options.prevalence, **_moved(options))
    for said in heard:
        tell(f"{str(file)!r}: {_in_commands(said)}")
    return moved, is_drawn


def _answered(read: Callable[[dict[str, Any]], Predictions], options: argparse.Namespace) -> Predictions:
    """The predictions of a file; where that is a question and somebody sits at the terminal, it is asked there.

    What a page shows, the page asks.
    """
    from calibviz.data.columns.choices import Question

    try:
        return read({})
    except Question as question:
        is_asked = (
            not hasattr(options, "browser") and sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
        )
        if not is_asked:
            raise
        ways = [f"  {i}  {in_shell(given)}    {gives}" for i, (given, gives) in enumerate(question.lines, start=1)]
        tell(question.said, *ways)
        try:
            chosen = input(f"calibviz: which one, 1 to {len(ways)} (nothing ends)? ").strip()
        except EOFError:
            chosen = ""
        if not (chosen.isdecimal() and 1 <= int(chosen) <= len(ways)):
            raise
        given, _ = question.lines[int(chosen) - 1]
        if "model" in given:
            raise _ModelsChosen(given) from None
        return read(given)


def _drawn(file: Path, normalize: bool, limit: str | None) -> Predictions:
    """Samples of a file that is too large for memory, drawn at random."""
    from calibviz.scale import open_predictions

    lazy = open_predictions(file, normalize=normalize, limit=limit)
    n = max(1, min(MOST_DRAWN, MOST_ENTRIES // lazy.n_classes, len(lazy) // 2))
    note = f"{len(lazy):,} samples are more than fit in memory: about {n:,} of them are drawn at random"
    tell(f"{str(file)!r}: {note}")
    return lazy.sample(n, progress=sys.stderr.isatty())


def _looked_at(options: argparse.Namespace) -> dict[str, Any]:
    chosen = {name: getattr(options, name) for name in ("lens", "selection", "categories", "margin")}
    return {**chosen, "progress": sys.stderr.isatty()}  # elsewhere a bar is many lines


def _refuse_output(path: Path, inputs: Sequence[Path]) -> None:
    """Raise before the work where it would be in vain, or would destroy what it is made of."""
    for file in inputs:
        if path == file or (path.exists() and file.exists() and path.samefile(file)):
            raise RefusedInput(f"cannot write {str(path)!r}: it is a file to read")
    from calibviz.foundation.files import path_to_write  # late, since it takes NumPy along

    with _refusing(f"cannot write {str(path)!r}"):
        path_to_write(path)


def _write(made: Report, path: Path) -> None:
    with _refusing(f"cannot write {str(path)!r}"), tidy_interrupts():
        made.save(path)
    if is_printed_to(path):
        return
    several = made.verdicts.items()
    said = [f"{name}: {line}" if len(several) > 1 else line for name, of in several for line in of.lines]
    say(*said, f"written to {str(path)!r}")


@contextmanager
def _refusing(what: str, file: Path | None = None) -> Iterator[None]:
    """Turn what the package refuses into one sentence about `what` cannot be done, which names a file once."""
    try:
        yield
    except BrokenPipeError:  # nobody reads what is printed any more
        raise
    except (OSError, ValueError, TypeError, ImportError) as error:
        from calibviz.data.columns.choices import Question

        lines = error.lines if isinstance(error, Question) else []
        why = without_python(" ".join(error.said.split()) if isinstance(error, Question) else sentence(error))
        why = with_options(_in_commands(why.removeprefix(f"{file}: ")), READING, _as_option)
        raise RefusedInput(f"{what}: {why}", *(f"  {in_shell(given)}    {gives}" for given, gives in lines)) from error


def _in_commands(message: str) -> str:
    for python, option in AS_COMMAND.items():
        message = message.replace(python, option)
    return message


def _as_option(name: str, value: str) -> str:
    """An option of `cv.read_predictions` as that of the command: `classes=['a', 'b']` is `--classes a,b`."""
    if value == "True":
        return f"--{name}"
    if value.startswith("["):
        value = "A,B,..." if value == "[...]" else shlex.quote(",".join(re.findall(r"'([^']*)'", value)))
    if name == "limit":
        value = value.strip("'").replace(" ", "")
    return f"--{name} {value}"


def _show_read(shown: Predictions | dict[str, Predictions], options: argparse.Namespace, early: EarlyKernel) -> None:
    """Open the Explorer on what was read, which no page reads again: it shows what the terminal said."""
    from calibviz.foundation.handing_over import hand_over

    cell = (
        "from pathlib import Path\n\nfrom calibviz.app.demo import explored\n"
        "from calibviz.foundation.handing_over import taken_over\n\n"
        f"explored(taken_over(Path({READ!r})), command={options.command!r}, elsewhere={_command(options)!r})"
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
