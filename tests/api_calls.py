"""Every public call with one bad argument: found by itself, made in a process of its own, judged by what it says.

`calls()` lists them. A new public name is found without being told; one whose required arguments have no recipe in
api_values.py is an error. `run` makes calls in a worker process, which is ended where a call hangs.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import resource
import selectors
import signal
import subprocess
import sys
import tempfile
import traceback
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import efforts
import pytest
import traitlets
from api_values import BAD, INSTANCES, MODULES, OPERATORS, RETURNED, SHORT, VALID, VOUCHED, instance, recipe
from public import documented
from report_pages import draw_few, record_few

import calibviz as cv

PACKAGE = Path(cv.__file__).parent
SECONDS = 15.0  # of the processor, many times what any valid call takes: one that takes more may have no end
PATIENCE = 240.0  # until the worker is ended, where not even a signal gets through
MEMORY = 12 * 2**30  # of addresses: what asks for more fails

#: What Python, NumPy and others say of values that nobody has looked at.
CRYPTIC = re.compile(
    "|".join(
        (
            "truth value",
            "object is not",
            "has no attribute",
            "not supported between",
            "unhashable",
            "cannot convert",
            r"takes \d+ positional",
            r"takes from \d",
            r"takes no ",
            "required positional",
            "unexpected keyword",
            "must be real number",
            "bad operand",
            "unsupported operand",
            "could not convert",
            "ufunc",
            "axis",
            "Axis",
            "setting an array",
            "inhomogeneous",
            "broadcast",
            "index out of",
            "out of bounds",
            "indices must",
            "invalid literal",
            "too large to",
            "not iterable",
            "not callable",
            "not subscriptable",
            "expected str, bytes",
            "embedded null",
            r"int\(\) argument",
            r"float\(\) argument",
            "only length-1",
            "only integer",
            "zero-size",
            "has no len",
            "expected a sequence",
            "values to unpack",
            "astype",
            "cannot be interpreted",
            r"dtype\('",
            "cannot reshape",
            "must be str,",
            "can only concatenate",
            "object cannot be",
            "Maximum allowed",
            "array is too big",
            "Unable to allocate",
            "buffer",
            "Can't ",
            "First argument",
            "can't multiply",
            "bytes-like",
            "iteration over",
            "len\\(\\) of",
            "only 0-dimensional",
            "array scalars",
        )
    )
)
#: What a parameter is called where a message calls it otherwise.
CALLED = {
    "c": r"class|\bc\b",
    "calibration": "calibration|fitted to",
    "calibrators": "calibrator",
    "choices": "choice",
    "dim": "dim",
    "estimators": "estimator",
    "gammas": "gamma",
    "binnings": "binning",
    "high": "high|compared",
    "judged": "judged|predictions|transforms",
    "k": r"\bk\b|top",
    "labels": "labels|fitted to",
    "lenses": "lens",
    "low": "low|compared",
    "metrics": "metric",
    "name": "name|lens|network|field",
    "networks": "network",
    "of": r"\bof\b|dimension",
    "other": "combined|selection",
    "params": "parameter",
    "path": "path|file|director",
    "predictions": "predictions|transforms|fitted to|probs",
    "problem": "problem|scores|predictions",
    "quantiles": "quantile",
    "r": r"\br\b|rank",
    "selections": "selection",
    "settings": "settings|bins|gamma",
    "source": "source|file|such",
    "text": "link|selection",
    "value": "selection|compared|combined",
    "values": "isin|compared",
}


@dataclass(frozen=True)
class Call:
    """A call, with one bad argument unless the parameter is empty."""

    target: str
    parameter: str = ""
    bad: str = ""

    def __str__(self) -> str:
        return f"{self.target}({self.parameter}={self.bad})" if self.parameter else f"{self.target}()"


@dataclass(frozen=True)
class Told:
    """What became of a call."""

    call: Call
    kind: str  # "fine", "refused", "unnamed", "cryptic", "slow"
    said: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.call}: {self.said}"


# What there is to call


def targets() -> dict[str, list[str]]:
    """The parameters of everything public that is called, by "function", "Class" or "Class.method"."""
    found: dict[str, list[str]] = {}
    seen: set[type] = set()
    for name, value in documented().items():
        if isinstance(value, types.ModuleType):
            if name in MODULES:
                functions = [public for public in value.__all__ if inspect.isfunction(getattr(value, public))]
                found |= {f"{name}.{function}": parameters(getattr(value, function)) for function in functions}
        elif inspect.isclass(value):
            if name not in RETURNED:
                found[name] = parameters(value)
            if name not in RETURNED or name in INSTANCES:
                found |= methods(name, value)
        elif callable(value):
            found[name] = parameters(value)
        elif not isinstance(value, dict) and type(value) not in seen:
            seen.add(type(value))
            found |= methods(name, type(value))
    quantity = cv.quantity("confidence")
    found |= methods("compared", type(quantity)) | methods("condition", type(quantity > 0.5))
    return {name: given for name, given in found.items() if given}


def methods(name: str, owner: type) -> dict[str, list[str]]:
    members = {}
    for one in reversed([kind for kind in owner.__mro__ if kind.__module__.startswith("calibviz")]):
        members |= vars(one)
    return {
        f"{name}.{method}": parameters(getattr(owner, method), bound=not isinstance(member, classmethod | staticmethod))
        for method, member in members.items()
        if (not method.startswith("_") or method in OPERATORS)
        and isinstance(member, types.FunctionType | classmethod | staticmethod)
        and method not in VOUCHED.get(name, ())
        and (method, parameters(getattr(owner, method), bound=True)) not in DEFAULT_EQUALITY
    }


DEFAULT_EQUALITY = [("__eq__", ["other"])]  # that of frozen dataclasses


def parameters(function: Any, bound: bool = False) -> list[str]:
    found = list(inspect.signature(function).parameters.values())[bound and not inspect.isclass(function) :]
    return [("**" if one.kind is one.VAR_KEYWORD else "") + one.name for one in found]


def keywords(target: str) -> list[str]:
    """The names that a target with `**` takes."""
    owner = target.partition(".")[0]
    if owner in ("ExplorerState", "SimulationState"):
        return [*documented()[owner].NAMES, "unknown"]
    if target.endswith("set_params"):
        return [*instance(owner, "").get_params(), "unknown"]
    return ["lens", "unknown"]


def calls() -> Iterator[Call]:
    for target, names in targets().items():
        for name in names:
            for one in keywords(target) if name.startswith("**") else [name]:
                yield from (Call(target, one, bad) for bad in BAD)


def sample(least: int) -> list[Call]:
    """So many calls at least, always the same: of each argument some bad values, by turns."""
    pairs = list(dict.fromkeys((call.target, call.parameter) for call in calls()))
    bad = list(BAD)
    each = -(-least // len(pairs))
    step = len(bad) // 2 + 1  # which shares no factor with the number of bad values
    return [Call(*pair, bad[(each * i + j) * step % len(bad)]) for i, pair in enumerate(pairs) for j in range(each)]


# How it is called


def arguments(target: str, function: Any) -> dict[str, Any]:
    """Valid values of the required arguments, and of some that make the call short."""
    given = {}
    for name, one in inspect.signature(function).parameters.items():
        if one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL):
            continue
        own = recipe(target, name)
        if own is not None:
            given[name] = own()
        elif one.default is not one.empty:
            if name in SHORT:
                given[name] = SHORT[name]
        elif name in VALID:
            given[name] = VALID[name]()
        else:
            raise KeyError(f"no recipe for the argument {name!r} of {target}")
    return given


def called(call: Call) -> Any:
    owner, _, method = call.target.partition(".")
    if method and owner not in MODULES:
        whole = documented().get(owner)
        is_object = whole is not None and not inspect.isclass(whole)
        of_class = method == "from_dict" and owner != "ExplorerState"
        function = getattr(whole if is_object or of_class else instance(owner, method), method)
    else:
        function = getattr(getattr(cv, owner), method) if method else getattr(cv, owner, None) or documented()[owner]
    given = arguments(call.target, function)
    if call.parameter:
        given[call.parameter] = BAD[call.bad]()
    if method in OPERATORS and method != "__call__":
        return function(*given.values())
    found = function(**given)
    if isinstance(found, types.GeneratorType):
        list(found)
    return found


def raised_in(error: Exception) -> Path:
    """The file that raised an error; what traitlets, by its own words, refuses counts as ours."""
    files = [Path(frame.filename) for frame in traceback.extract_tb(error.__traceback__)]
    own = [file for file in files if not isinstance(error, traitlets.TraitError) or file.is_relative_to(PACKAGE)]
    return own[-1] if own else PACKAGE


class Slow(BaseException):
    """Not an Exception, so that nothing that handles those lets the call go on."""


def refuse_slow(*_: Any) -> None:
    raise Slow


def told(call: Call) -> Told:
    """Make a call and judge it."""
    before = signal.signal(signal.SIGPROF, refuse_slow)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        found = called(call)
        if hasattr(found, "close"):
            found.close()
        return Told(call, "fine")
    except Slow:
        return Told(call, "slow", f"more than {SECONDS:g} s")
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        if call.bad == "lambda" and "<lambda>" in str(error) and "positional" in str(error):
            return Told(call, "refused", said)  # a function of the user's own says itself what it cannot be called with
        allowed = isinstance(error, ValueError | TypeError | OSError | ImportError | traitlets.TraitError)
        if not allowed or isinstance(error, UnicodeError) or CRYPTIC.search(str(error)) or len(str(error)) > 2000:
            return Told(call, "cryptic", said)
        if not (isinstance(error, OSError) or raised_in(error).is_relative_to(PACKAGE)):
            return Told(call, "cryptic", f"{said} (raised in {raised_in(error)})")
        own = call.parameter.rpartition("__")[2] or call.parameter  # of a calibrator inside another one
        named = CALLED.get(call.parameter, re.escape(own.rstrip("_")))
        return Told(call, "refused" if re.search(named, str(error), re.IGNORECASE) else "unnamed", said)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def work() -> None:
    """The worker: reads calls, writes what became of each."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    patch = pytest.MonkeyPatch()  # views and reports take less time
    patch.setattr(efforts.effort, "USUAL", efforts.FEW)
    draw_few(patch)
    record_few(patch)
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        answers.write(json.dumps(asdict(told(Call(**json.loads(line))))) + "\n")
        answers.flush()


def run(some: Sequence[Call], say: Callable[[Told], None] = lambda _: None) -> list[Told]:
    """Make calls in workers, each until it hangs."""
    made: list[Told] = []
    tested = str(Path(cv.__file__).parents[1])
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([tested, str(Path(__file__).parent)]),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    while len(made) < len(some):
        with (
            tempfile.TemporaryDirectory() as folder,
            subprocess.Popen(
                [sys.executable, os.path.abspath(__file__)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=environment | {"TMPDIR": folder},
                cwd=folder,
            ) as worker,
            selectors.DefaultSelector() as waiting,
        ):
            assert worker.stdin is not None and worker.stdout is not None
            waiting.register(worker.stdout, selectors.EVENT_READ)
            for call in some[len(made) :]:
                worker.stdin.write(json.dumps(asdict(call)) + "\n")
                worker.stdin.flush()
                line = worker.stdout.readline() if waiting.select(PATIENCE) else ""
                if line:
                    answer = json.loads(line)
                    made.append(Told(Call(**answer["call"]), answer["kind"], answer["said"]))
                else:
                    made.append(Told(call, "slow", "it had to be ended"))
                say(made[-1])
                if not line:
                    worker.kill()
                    break
    return made


if __name__ == "__main__":
    work()
