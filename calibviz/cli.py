"""The command ``calibviz``: the Explorer in a browser, without a notebook."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from calibviz.predictions import Predictions

DEMO = ["from calibviz.explorer.demo import demo\n\ndemo()"]

#: What a command ends with when it was asked for something that cannot be done.
REFUSED = 2
INTERRUPTED = 130


class Refusal(Exception):
    """What was asked for cannot be done; the message says why in one sentence."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments
        What follows the name of the command; by default what the process was called with.

    Returns
    -------
    int
        The exit code: 0, or 2 if what was asked for cannot be done, or 130 if interrupted before it began to serve.
    """
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except Refusal as refusal:
        print(f"calibviz: {refusal}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


def _demo(options: argparse.Namespace) -> None:
    _show(DEMO, options)


def _explore(options: argparse.Namespace) -> None:
    from calibviz.io import read_predictions

    # Read here first: a file that cannot be read is told in the terminal at once, not in a web page some seconds later.
    try:
        predictions = read_predictions(options.file, normalize=options.normalize)
        _first_view(predictions)
    except (OSError, ValueError, TypeError, ImportError) as error:
        why = _sentence(error).replace("normalize=True to cv.Predictions", "--normalize")
        raise Refusal(f"cannot read {str(options.file)!r}: {why}") from error
    path = str(options.file.resolve())
    rescaled = ", normalize=True" if options.normalize else ""
    read = f"cv.read_predictions({path!r}{rescaled})"
    _show([f"import calibviz as cv\nfrom calibviz.explorer.demo import explored\n\nexplored({read})"], options)


def _first_view(predictions: Predictions) -> None:
    """Make what the page will show first, so that what cannot be shown is told in the terminal too."""
    from calibviz.explorer.contents.headline import headline
    from calibviz.explorer.engine import Engine
    from calibviz.explorer.look import Look
    from calibviz.explorer.state import ExplorerState

    headline(Look(Engine(predictions), ExplorerState(["model"]).spec))


def _show(cells: Sequence[str], options: argparse.Namespace) -> None:
    if importlib.util.find_spec("voila") is None:
        raise Refusal("the web page needs Voila, which is not installed: pip install 'calibviz[app]'")
    from calibviz.server import serve

    try:
        serve(cells, port=options.port, theme=options.theme, browser=options.browser)
    except OSError as error:
        where = f" on port {options.port}" if options.port else ""
        raise Refusal(f"cannot serve{where}: {_sentence(error)}") from error


def _sentence(error: Exception) -> str:
    """Return the message of an error in one line."""
    reason = error.strerror if isinstance(error, OSError) else None
    return " ".join(str(reason or error or type(error).__name__).split())


def _parser() -> argparse.ArgumentParser:
    from calibviz import __version__

    parser = argparse.ArgumentParser(
        prog="calibviz",
        description="Can I act on these probabilities, in my context? Look at the calibration of a classifier.",
    )
    parser.add_argument("--version", action="version", version=f"calibviz {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    page = argparse.ArgumentParser(add_help=False)
    page.add_argument(
        "--no-browser", dest="browser", action="store_false", help="only print the address, do not open it"
    )
    page.add_argument("--port", type=_port, default=0, metavar="N", help="port on this machine (default: a free one)")
    page.add_argument("--theme", choices=["light", "dark"], default="light", help="colours (default: %(default)s)")

    demo = commands.add_parser(
        "demo",
        parents=[page],
        help="explore the data sets that come with calibviz",
        description="Open the Explorer on the data sets that come with calibviz. Ctrl-C ends it.",
    )
    demo.set_defaults(run=_demo)

    explore = commands.add_parser(
        "explore",
        parents=[page],
        help="explore the predictions in a file of yours",
        description="Open the Explorer on the predictions in a file. The file stays on this machine. Ctrl-C ends it.",
    )
    explore.add_argument("file", type=Path, metavar="FILE", help="predictions and labels: .npz, .csv, .parquet or .nc")
    explore.add_argument(
        "--normalize",
        action="store_true",
        help="rescale rows of probabilities that do not sum to 1, such as rounded ones",
    )
    explore.set_defaults(run=_explore)
    return parser


def _port(text: str) -> int:
    try:
        port = int(text)
    except ValueError:
        port = -1
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: a whole number from 0 to 65535")
    return port


if __name__ == "__main__":
    sys.exit(main())
