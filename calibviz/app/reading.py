"""The files that a command names: read as its options say, asked about where that is unclear, or refused."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibviz.app.failures import RefusedInput, code_below, sentence
from calibviz.app.options import NAMING, READING, as_options, in_shell
from calibviz.app.terminal import tell
from calibviz.foundation.sources import Source

if TYPE_CHECKING:
    from calibviz.data.columns.choices import Question
    from calibviz.data.predictions import Predictions

#: What a command says where messages name something that is done in Python alone.
AS_COMMAND = {
    "trained_at says": "--trained-at says",
    "pass shift=True as well": "add --shift as well",
    "Pass trained_at=": "Add --trained-at SHARE",
    "Leave them out, and give the shares of the classes to at_prevalence(...) of the predictions": (
        "Leave them out by --weight '', and give the share of the second class by --prevalence SHARE"
    ),
}
ELSEWHERE = ("prevalence", "shift", "trained_at")  # the arguments of `at_prevalence`

#: What can be read in parts where it is too large for memory, and how much of it is drawn.
IN_PARTS = (".parquet", ".zarr")
MOST_DRAWN, MOST_ENTRIES = 1_000_000, 100_000_000


class Unanswered(RefusedInput):
    """The error of a file that is a question, and nobody at a terminal to answer it; `said` is what is unclear."""

    def __init__(self, what: str, said: str, ways: Sequence[str]) -> None:
        super().__init__(f"{what}: {said}", *ways)
        self.said = said


@dataclass(frozen=True)
class FileRead:
    """The content of a file that a command read."""

    file: Path
    content: Predictions | dict[str, Predictions]
    #: The options of `cv.read_predictions` that read it, those that were chosen in answer to a question as well.
    given: dict[str, Any]
    is_drawn: bool = False  # whether these are only some of the samples, drawn at random
    #: What samples and events are called, as arguments of `Predictions.with_nouns`, where that was given.
    nouns: dict[str, str] = field(default_factory=dict)

    @property
    def models(self) -> dict[str, Predictions] | None:
        """The predictions of each model in the file; None where it holds those of one."""
        return self.content if isinstance(self.content, dict) else None

    @property
    def predictions(self) -> Predictions:
        """The predictions of the only model."""
        if isinstance(self.content, dict):
            raise RefusedInput(f"{str(self.file)!r} holds several models: --model is for a file that stands alone")
        return self.content

    def made(self, moved: Mapping[str, Any]) -> FileRead:
        """Return this with the call that reads it again and moves it to another prevalence, as `moved` says."""
        if not self.is_drawn and self.models is None:
            call = Source("cv.read_predictions")(str(self.file.resolve()), **self.given)
            moved = dict(moved)
            prevalence = moved.pop("prevalence", None)
            call = call if prevalence is None else call.method("at_prevalence")(prevalence, **moved)
            self.predictions._made_by(self._with_nouns(call))
        elif self.models is not None:
            several = Source("cv.read_models")(str(self.file.resolve()), **self.given)
            for name, predictions in self.models.items():
                predictions._made_by(self._with_nouns(several[name]))
        return self

    def named(self) -> FileRead:
        """Return this with the words for samples and events in its predictions."""
        if not self.nouns:
            return self
        with refusing("cannot write sentences"):
            if self.models is None:
                return replace(self, content=self.predictions.with_nouns(**self.nouns))
            named = {name: predictions.with_nouns(**self.nouns) for name, predictions in self.models.items()}
            return replace(self, content=named)

    def _with_nouns(self, call: Source) -> Source:
        return call.method("with_nouns")(**self.nouns) if self.nouns else call


def given_of(options: argparse.Namespace, names: Sequence[str]) -> dict[str, Any]:
    """The options of some names that were given: of `READING`, of `NAMING`, or of `ELSEWHERE`."""
    return {name: value for name in names if (value := getattr(options, name)) not in (None, False)}


def read(file: Path, options: argparse.Namespace, asks: bool = True) -> FileRead:
    """Return the content of a file, read as the options ask.

    A question about it is asked where somebody sits at a terminal, unless `asks` is false; else it refuses the file.
    """
    asked = given_of(options, READING)
    with refusing(f"cannot read {str(file)!r}", file):
        while True:
            try:
                with telling(f"{str(file)!r}: "):
                    found = _read(file, asked)
                break
            except ValueError as error:
                asked = _answer(error, file, asks)
    for name, predictions in ({"": found.predictions} if found.models is None else found.models).items():
        _tell_of(file, name, predictions)
    found = replace(found, nouns=given_of(options, NAMING))
    if given_of(options, ELSEWHERE):
        if found.models is not None:
            raise RefusedInput("--prevalence is for files of one model each")
        found = replace(found, content=_moved(found.predictions, file, options))
    return found.named()


def read_each(files: Sequence[Path], options: argparse.Namespace, asks: bool = True) -> list[FileRead]:
    """Return the content of each of some files; predictions and their labels in two are refused."""
    try:
        return [read(file, options, asks) for file in files]
    except RefusedInput as refusal:
        if len(files) != 2 or options.truth is not None:
            raise
        ways, command = [], "explore" if hasattr(options, "browser") else "report"
        for file, truth in (files, files[::-1]):
            asked = given_of(options, READING) | {"truth": str(truth)}
            with suppress(ImportError, OSError, TypeError, ValueError):
                line = _read(file, asked).predictions.about["assumed"]
                ways.append(f"  calibviz {command} {shlex.quote(str(file))} {in_shell(asked)}    {line}")
        if not ways:
            raise
        said = f"{str(files[0])!r} and {str(files[1])!r} are no two models, but predictions and their labels: "
        raise RefusedInput(f"{said}one file and its --truth are read", *ways[:1]) from refusal


def _read(file: Path, given: dict[str, Any]) -> FileRead:
    from calibviz.data.readers import read_models, read_predictions
    from calibviz.data.safeguards import TooLargeError

    if "model" in given:
        return FileRead(file, read_models(file, **given), given)
    try:
        return FileRead(file, read_predictions(file, **given), given)
    except TooLargeError:
        is_whole = file.suffix.lower() not in IN_PARTS and not file.is_dir()
        if is_whole or given.keys() - {"normalize", "limit", "cluster"}:
            raise  # files that are read in parts take none of the other options
        return FileRead(file, _drawn(file, **given), given, is_drawn=True)


def _answer(error: ValueError, file: Path, asks: bool) -> dict[str, Any]:
    """The options that somebody at the terminal chooses in answer to a question; raises it where nobody does."""
    from calibviz.data.columns.choices import Question

    is_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    if not (isinstance(error, Question) and asks and is_terminal):
        raise error
    ways = ways_of(error)
    tell(said_of(error, file), *(f"  {i}{way}" for i, way in enumerate(ways, start=1)))
    try:
        chosen = input(f"calibviz: which one, 1 to {len(ways)} (nothing ends)? ").strip()
    except EOFError:
        chosen = ""
    if not (chosen.isdecimal() and 1 <= int(chosen) <= len(ways)):
        raise error
    return error.lines[int(chosen) - 1][0]


def ways_of(question: Question) -> list[str]:
    """The lines of a question as options of the command, and what each of them gives."""
    ways = [in_shell(given) for given, _ in question.lines]
    width = max(map(len, ways), default=0)
    return [f"  {way:<{width}}    {gives}" for way, (_, gives) in zip(ways, question.lines, strict=True)]


def said_of(error: Exception, file: Path | None = None) -> str:
    """Return the message of an error in words of the command, without the name of the file."""
    from calibviz.data.columns.choices import Question
    from calibviz.data.safeguards import BudgetError, TooLargeError

    if isinstance(error, BudgetError):
        drawn = ", and of .zarr and .parquet some are drawn" if isinstance(error, TooLargeError) else ""
        why = error.with_limit(in_shell({"limit": f"{error.gigabytes}GB"}), drawn)
    else:
        why = " ".join(error.said.split()) if isinstance(error, Question) else sentence(error)
    why = in_commands(why.removeprefix(f"{file}: "))
    return as_options(why)


def in_commands(message: str) -> str:
    """A message in which options of the command stand for what is done in Python alone."""
    for python, option in AS_COMMAND.items():
        message = message.replace(python, option)
    return message


@contextmanager
def refusing(what: str, file: Path | None = None) -> Iterator[None]:
    """Turn what the package refuses into one sentence about `what` cannot be done, which names a file once."""
    try:
        yield
    except BrokenPipeError:  # nobody reads what is printed any more
        raise
    except (OSError, ValueError, TypeError, ImportError) as error:
        from calibviz.data.columns.choices import Question

        said = said_of(error, file)
        if isinstance(error, Question):
            raise Unanswered(what, said, ways_of(error)) from error
        raise RefusedInput(f"{what}: {said}", *code_below(error)) from error


@contextmanager
def telling(of: str = "") -> Iterator[None]:
    """Tell what the package has to say meanwhile, each once."""
    from calibviz.foundation.fit_warnings import notices

    with notices() as heard:
        yield
    for said in dict.fromkeys(heard):
        tell(f"{of}{in_commands(said)}")


def _tell_of(file: Path, name: str, predictions: Predictions) -> None:
    """Say what was assumed of a file, or of one of its models."""
    of = f"{str(file)!r}{', ' if name else ''}{name}"
    predictions.dependence_is_said = True  # below, where there is something to say
    if "assumed" in predictions.about:
        tell(f"{of}: {as_options(predictions.about['assumed'])}")
    if predictions.row_sums is not None:
        from calibviz.reports.writing.data import rescaled  # with all of the reports, which take a second to load

        tell(f"{of}: {rescaled(predictions.row_sums)}")


def _moved(predictions: Predictions, file: Path, options: argparse.Namespace) -> Predictions:
    """The predictions weighted, or moved, to the prevalence that the options name."""
    if options.prevalence is None:
        if options.shift:
            raise RefusedInput("--shift moves the probabilities to another prevalence: add --prevalence as well")
        raise RefusedInput("--trained-at is for probabilities that are moved: add --prevalence and --shift as well")
    more = given_of(options, ELSEWHERE)
    with refusing(f"cannot weight {str(file)!r}"), telling(f"{str(file)!r}: "):
        return predictions.at_prevalence(more.pop("prevalence"), **more)


def _drawn(file: Path, normalize: bool = False, limit: str | None = None, cluster: str | None = None) -> Predictions:
    """Samples of a file that is too large for memory, drawn at random."""
    from calibviz.scale import open_predictions

    lazy = open_predictions(file, normalize=normalize, limit=limit, cluster=cluster)
    n = max(1, min(MOST_DRAWN, MOST_ENTRIES // lazy.n_classes, len(lazy) // 2))
    note = f"{len(lazy):,} samples are more than fit in memory: about {n:,} of them are drawn at random"
    tell(f"{str(file)!r}: {note}")
    return lazy.sample(n, progress=sys.stderr.isatty())


def model_names(files: Sequence[Path]) -> list[str]:
    """The names of the models in some files, those of the files where they differ."""
    stems = [file.stem for file in files]
    names = stems if len(set(stems)) == len(stems) else [str(file) for file in files]
    if len(set(names)) < len(names):
        raise RefusedInput(f"the file {next(name for name in names if names.count(name) > 1)!r} is there twice")
    return names
