"""The commands of a terminal with their options, and how the values of these are read."""

from __future__ import annotations

import argparse
import ast
import csv
import re
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, NoReturn
from urllib.parse import parse_qsl, urlencode

from .failures import with_options
from .terminal import printable

FILES = (
    "predictions and labels: .npz, .csv, .parquet, .nc, .zarr, .jsonl, .json, .xlsx, .dta, .sav, .feather, .npy, "
    ".safetensors or .eval (or .tsv, .txt, .ndjson, .xls, .xlsb, .ods, .zsav, .por, .sas7bdat, .xpt, .arrow, .ipc)"
)

#: The options of `cv.read_predictions` that the command has too.
READING = (
    "label", "prob", "positive", "logits", "weight", "classes", "sep", "decimal", "missing", "normalize", "ignore",
    "fields", "cluster", "time", "event", "horizon", "by", "event_of", "censored", "truth", "model", "sheet", "limit",
)  # fmt: skip  # short entries stand in rows
#: Those that say what samples are called: the arguments of `with_nouns`.
NAMING = ("noun", "event_noun")
#: Those of them that take several values, which commas separate.
SEVERAL = ("prob", "logits", "classes", "ignore", "fields", "model")
OPEN = {"...": "...", "[...]": "A,B,...", "FILE": "FILE"}  # in place of values in messages
QUOTE, NEEDS_QUOTES = '"', re.compile(r'[",\r\n]|^$')
# What stands between the arguments of a call, but not between options of a command; a comma of the sentence stays.
BETWEEN = re.compile(r"(--\w[\w-]*(?: (?:'[^']*'|\S+))?), (?=--\w)")
LONGEST_LINK = 8000  # characters: more than a link and the name of its file have
SIGNS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "point": ".", "space": " "}  # --sep tab

Run = Callable[[argparse.Namespace], int | None]  # the exit code, where it may not be 0
Add = Callable[..., Any]  # what adds an argument to a command
#: What each command is for: in the list of all, and in the help of its own.
COMMANDS = {
    "demo": (
        "explore the data sets that come with calibviz",
        "Open the Explorer on the data sets that come with calibviz. Ctrl-C ends it.",
    ),
    "explore": (
        "explore the predictions in files of yours",
        "Open the Explorer on the predictions in a file, or on models over each other, a file for each. "
        "Without a FILE, the page asks for one. The files stay on this machine. Ctrl-C ends it.",
    ),
    "report": (
        "write a page about the predictions in a file, to read without Python",
        "Write one HTML file about the calibration of the predictions in a file. It needs no network.",
    ),
    "compare": (
        "write a page that compares models on the same samples",
        "Write one HTML file that compares models, each a file of predictions of the same samples.",
    ),
    "check": (
        "pass or fail a model, for a pipeline: exit status 0 pass, 1 fail, 3 cannot tell",
        "Is the error of the predictions in a file shown to be within a limit (exit status 0), shown to be "
        "beyond it (1), or can so many samples not tell (3)? 2 says that an option or the file cannot be used. Without "
        "a limit and a baseline a test decides, which can fail a model but never pass it.",
    ),
    "papers": (
        "write a page with the figures and tables of five papers, computed now",
        "Write one HTML file with all figures and tables of five papers on calibration, each computed now: "
        "what the paper says, what is computed here, and the code. It takes a minute and needs no network.",
    ),
    "playground": (
        "write a page in which estimators are tried on networks that are drawn by hand",
        "Write one HTML file in which a true curve is bent by hand, samples fall, and estimates grow "
        "beside the true error. It needs no Python, and loads nothing.",
    ),
}


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, whatever was typed."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def parser(run: Mapping[str, Run]) -> Parser:
    """The parser of the whole command line, whose `run` is that of the command that was called."""
    from calibviz import __version__

    whole = Parser(
        prog="calibviz",
        description="Can I act on these probabilities, in my context? Look at the calibration of a classifier.",
    )
    whole.add_argument("--version", action="version", version=f"calibviz {__version__}")
    debugging: dict[str, Any] = {"action": "store_true", "help": "show the traceback where calibviz itself goes wrong"}
    whole.add_argument("--debug", **debugging)
    after = argparse.ArgumentParser(add_help=False)  # the same after the command; left out there, it takes nothing back
    after.add_argument("--debug", default=argparse.SUPPRESS, **debugging)
    commands: Any = whole.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(name: str, *parents: argparse.ArgumentParser) -> Add:
        """A command; what adds an argument to it."""
        about, description = COMMANDS[name]
        made = commands.add_parser(name, parents=list(parents), help=about, description=description)
        made.set_defaults(run=run[name])
        add: Add = made.add_argument
        return add

    page, reading, drawn = _of_pages(), _of_files(), _of_reports()
    of_file = reading, after, _of_looks()
    command("demo", page, after)
    command("explore", page, reading, after)("files", type=Path, nargs="*", metavar="FILE", help=FILES)
    _add_report(command("report", *of_file, drawn))
    _add_compare(command("compare", *of_file, drawn))
    _add_check(command("check", *of_file))
    for name in ("papers", "playground"):  # pages of their own, which are called like the command
        command(name, after)(
            "output", type=_page, nargs="?", default=Path(f"{name}.html"), metavar="OUT",
            help="default: %(default)s; - prints it",
        )  # fmt: skip  # short entries stand in rows
    return whole


def _of_pages() -> argparse.ArgumentParser:
    """The options of the commands that serve a page."""
    options = argparse.ArgumentParser(add_help=False)
    add = options.add_argument
    add("--no-browser", dest="browser", action="store_false", help="only print the address, do not open it")
    add("--port", type=_port, default=0, metavar="N", help="port on this machine (default: a free one)")
    add("--link", type=_link, default="", metavar="LINK", help="open with the choices that the button “link” copied")
    add("--theme", choices=["system", "light", "dark"], default="system", help="colours (default: %(default)s)")
    return options


def _of_files() -> argparse.ArgumentParser:
    """The options of the commands that read files: those of `cv.read_predictions`, and the prevalence."""
    options = argparse.ArgumentParser(add_help=False)
    add = options.add_argument
    add("--label", metavar="NAME", help="the column of the labels (default: label, y_true, target, ...)")
    add(
        "--prob",
        type=_names,
        metavar="NAMES",
        help='the column of the probabilities, or of each class, such as a,b,c; a name with a comma is "in quotes"',
    )
    add(
        "--positive",
        metavar="CLASS",
        help="the class whose probabilities a single column holds, such as yes, or the column of predicted classes",
    )
    add("--logits", type=_names, metavar="NAMES", help="columns of logits in place of probabilities")
    add("--weight", metavar="NAME", help="the column of weights, '' for none (default: weight, ...)")
    add("--classes", type=split, metavar="NAMES", help="the classes in their order, such as a,b,c")
    add("--sep", type=_sign, metavar="SIGN", help="what separates values, such as ';' or tab")
    add("--decimal", type=_sign, metavar="SIGN", help="what stands before a fraction: . or ,")
    add(
        "--missing",
        choices=["raise", "drop"],
        help="drop: leave out rows without a label or probability (default: raise)",
    )
    add(
        "--normalize",
        action="store_true",
        help="rescale rows of probabilities that do not sum to 1, such as rounded ones, and a column of per cents",
    )
    add("--ignore", type=_names, metavar="VALUES", help="labels that are no classes: their rows are left out")
    add(
        "--fields",
        type=split,
        metavar="NAMES",
        help="the only columns that are fields, '' for none (default: all others but ids, complements, ...)",
    )
    add(
        "--cluster",
        metavar="NAME",
        help="the column of what a row belongs to, such as a patient of several rows; '' where rows are independent",
    )
    add("--time", metavar="NAME", help="in place of --label: the column of when the event came, or follow-up ended")
    add("--event", metavar="NAME", help="the column of which of them it was: 0 censored, 1 the event")
    add("--horizon", type=_number, metavar="TIME", help="by when the event counts, in the unit of --time")
    add("--by", metavar="NAME", help="the column within whose values censoring is estimated (default: in all rows)")
    add("--event-of", metavar="VALUE", help="the value of --event that is the event (default: 1; others compete)")
    add("--censored", metavar="VALUE", help="the value of --event of censored rows, '' for none (default: 0)")
    add("--truth", metavar="FILE", help="where the labels stand, joined by the id that both files have")
    add(
        "--model",
        type=_names,
        metavar="NAMES",
        help="the column of the models, or those of the probabilities of each, where one file holds several",
    )
    add("--sheet", metavar="NAME", help="the sheet of a workbook")
    add("--noun", metavar="NOUN", help="what samples are called, in the plural, such as people")
    add(
        "--event-noun",
        metavar="WORDS",
        help='what is said of those of the second of two classes, such as "had a stroke"',
    )
    add(
        "--limit",
        metavar="SIZE",
        help="how much memory the content of a file may take, such as 8GB (default: 32 times its size, 0.25 to 4.3 GB)",
    )
    add(
        "--prevalence",
        type=_shares,
        metavar="SHARES",
        help="weight the samples to other shares of the classes, such as 0.2,0.3,0.5, or that of the second of two",
    )
    add(
        "--shift",
        action="store_true",
        help="with --prevalence: move the probabilities there as well, as a model that knew of it would",
    )
    add(
        "--trained-at",
        type=_shares,
        metavar="SHARES",
        help="with --shift: the shares that the probabilities were made for (default: those of the samples)",
    )
    return options


def _of_looks() -> argparse.ArgumentParser:
    """The options that say which scores of which samples are judged."""
    options = argparse.ArgumentParser(add_help=False)
    add = options.add_argument
    default = "the second of two classes, top-1 of more"
    add("--lens", metavar="NAME", help=f'such as "class cat" (default: {default})')
    add("--selection", metavar="TEXT", help='which samples count, such as "age >= 18"')
    return options


def _of_reports() -> argparse.ArgumentParser:
    """The options of the commands that write a page."""
    options = argparse.ArgumentParser(add_help=False)
    add = options.add_argument
    add("--categories", type=_cuts, metavar="EDGES", help="ends of categories, such as 0,0.1,0.5,1")
    add("--margin", type=_share, default=0.02, metavar="SHARE", help="a KS error that hardly matters (default: 2%%)")
    return options


def _add_report(add: Add) -> None:
    add("file", type=Path, metavar="FILE", help=FILES)
    add(
        "--calibration",
        type=Path,
        nargs=1,
        default=[],
        metavar="FILE",
        help="other predictions of the model, to fit calibrators to (default: 5-fold cross-fitting)",
    )
    add(
        "--clinical",
        action="store_true",
        help="add what clinical prediction models are asked: O:E, intercept, slope, ICI, decision curves",
    )
    add("--threshold", type=_share, metavar="T", help="act from this probability on, such as 0.2")
    add(
        "--costs",
        type=_costs,
        metavar="COSTS",
        help="what each action costs under each outcome, rows of numbers such as 0,10;1,0, or a file of such rows",
    )
    add(
        "--centre",
        metavar="COLUMN",
        help="the field of centres, such as hospitals (default: the first that is named after places)",
    )
    add("-o", "--output", type=_page, metavar="PAGE", help="default: FILE with the ending .report.html; - prints it")


def _page(text: str) -> Path:
    """The file of a page; "-" is what the command prints to."""
    return Path("/dev/stdout" if text == "-" else text)


def _add_check(add: Add) -> None:
    add("file", type=Path, metavar="FILE", help=FILES)
    add(
        "--within",
        type=_points,
        metavar="POINTS",
        help="the largest error that is allowed, in points of 100, such as 2",
    )
    add(
        "--measure",
        choices=["ks", "kuiper", "ece", "gap", "ici"],
        default="ks",
        help="what --within limits: an error, or the distance of the means (default: %(default)s)",
    )
    for name in ("ks", "ece"):
        add(f"--max-{name}", type=_share, metavar="SHARE", help=f"the same for {name.upper()} as a share, such as 0.05")
    add(
        "--baseline", type=Path, metavar="OLD", help="predictions of the same samples: the Brier score may not be worse"
    )
    add("--tolerance", type=_share, default=0.005, metavar="SHARE", help="than by this much (default: %(default)s)")
    add("--level", type=_share, default=0.95, metavar="SHARE", help="of each end (default: %(default)s)")
    add("--json", metavar="FILE", help="write one line of JSON; - prints it last")
    add("--junit", type=Path, metavar="FILE", help="write JUnit XML, which pipelines show")
    add("--allow-cannot-tell", action="store_true", help="exit with 0 where the samples cannot tell; it is said")


def _add_compare(add: Add) -> None:
    add("files", type=Path, nargs="+", metavar="FILE", help=FILES)
    add(
        "--calibration",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="for each model other predictions, to fit calibrators to (default: 5-fold cross-fitting)",
    )
    add(
        "--threshold",
        type=_share,
        metavar="T",
        help="act from this probability on, such as 0.2: say what that is worth",
    )
    add(
        "-o",
        "--output",
        type=_page,
        metavar="PAGE",
        help="default: compare.report.html beside FILE; - prints it",
    )


def query_of(link: str, without: Collection[str] = ()) -> str:
    """The query of a link, which may be a whole address, written anew; it names choices, and opens and runs nothing.

    Names that are left out are those `without`, and that of the token, which belongs to one server.
    """
    query = link.rpartition("?")[2].partition("#")[0]
    if len(query) > LONGEST_LINK:
        raise ValueError(f"it has {len(query)} characters, more than {LONGEST_LINK}")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
    except ValueError:
        raise ValueError(f"{link[:60]!r} is not a link such as '?lens=rank+2&bins=20'") from None
    return urlencode([(name, value) for name, value in pairs if name not in {"token", *without}])


def _link(text: str) -> str:
    try:
        return query_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def command_of(files: Sequence[str], given: Mapping[str, Any]) -> str:
    """The command that explores files of these names, wherever they are, read by these options."""
    named = [name if not name.startswith("-") else f"./{name}" for name in (PurePath(file).name for file in files)]
    texts = {name.replace("_", "-"): _as_typed(name, value) for name, value in given.items()}
    return " ".join(filter(None, (shlex.join(["calibviz", "explore", *named]), in_shell(texts))))


def _as_typed(name: str, value: Any) -> Any:
    """The value of an option as somebody would type it elsewhere: a file without its folder, shares, a tab by name."""
    if name == "truth" and isinstance(value, str):
        return PurePath(value).name
    if name not in SEVERAL and isinstance(value, list):  # shares
        return ",".join(map(str, value))
    return "tab" if value == "\t" else value


def in_shell(given: Mapping[str, Any]) -> str:
    """Options of `cv.read_predictions` as those of the command, quoted for the shell."""
    return " ".join(_of_command(name, value) for name, value in given.items())


def _of_command(name: str, value: Any) -> str:
    name = name.replace("_", "-")
    if value is True:
        return f"--{name}"
    values = list(map(str, value if isinstance(value, list | tuple) else ["" if value is False else value]))
    text = joined(values) if name in SEVERAL else values[0]
    return f"--{name}{'=' if text.startswith('-') else ' '}{shlex.quote(text)}"


def as_options(message: str) -> str:
    """A message in which options of the command stand for those of `cv.read_predictions`, ready to be typed."""
    return BETWEEN.sub(r"\1 ", with_options(message, READING, in_message))


def in_message(name: str, value: str) -> str:
    """An option in a message as that of the command: `classes=['a', 'b']` is `--classes a,b`."""
    name = name.replace("_", "-")
    if value in OPEN:
        return f"--{name} {OPEN[value]}"
    try:
        given = ast.literal_eval(value)
    except (SyntaxError, ValueError):  # a name with both kinds of quotes, of which a part was found
        return f"--{name} {value}"
    return f"--{name} {value}" if isinstance(given, str) and name not in SEVERAL else _of_command(name, given)


def joined(values: Sequence[str]) -> str:
    """The values of an option as one text, as in a line of a .csv file: those that need it stand in double quotes."""
    return ",".join(f'"{value.replace(QUOTE, 2 * QUOTE)}"' if NEEDS_QUOTES.search(value) else value for value in values)


def split(text: str) -> list[str]:
    """The values of an option that `joined` put together; of no text none."""
    try:
        return next(csv.reader([text], strict=True), [])
    except csv.Error:
        raise argparse.ArgumentTypeError(f"{text!r} has a quote that is not closed; a quote in a name is two") from None


def _names(text: str) -> str | list[str]:
    names = split(text)
    return names if len(names) > 1 else "".join(names)


def _sign(text: str) -> str:
    return SIGNS.get(text.lower(), text)


def _share(text: str) -> float:
    """A number, or per cents with their sign."""
    number = text.strip()
    try:
        return float(number[:-1]) / 100 if number.endswith("%") else float(number)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number such as 0.2 or 20%") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from None


def _points(text: str) -> float:
    """Percentage points, with or without a sign, as a share."""
    try:
        points = float(text.strip().removesuffix("%"))
    except ValueError:
        points = 0.0
    if not 0 < points < 100:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of points between 0 and 100, such as 2")
    return points / 100


def _cuts(text: str) -> list[float]:
    try:
        return [_share(cut) for cut in text.split(",")]
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of numbers such as 0,0.1,0.5,1") from None


def _costs(text: str) -> list[list[float]]:
    """Rows of costs, from the text itself or from a file."""
    rows = text.split(";")
    try:
        if Path(text).is_file():
            rows = Path(text).read_text(encoding="utf-8").split("\n")
        read = [[float(cost) for cost in row.split(",")] for row in rows if row.strip()]
    except (OSError, ValueError):
        read = []
    if not read or len({len(row) for row in read}) > 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no file and no rows of as many numbers, such as 0,10;1,0")
    return read


def _shares(text: str) -> float | list[float]:
    shares = _cuts(text)
    return shares if len(shares) > 1 else shares[0]


def _port(text: str) -> int:
    try:
        port = int(text)
    except ValueError:
        port = -1
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: a whole number from 0 to 65535")
    return port
