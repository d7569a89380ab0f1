"""Code that is handed out calls what it means to call, whatever names and texts come from outside."""

from __future__ import annotations

import ast
import html
import itertools
import pickle
import re

import numpy as np
import pytest
import xarray as xr
from driver import screen

import calibviz as cv
from calibviz.explorer import Explorer, SimulationLab
from calibviz.foundation.sources import Source, source_of

pytestmark = pytest.mark.usefixtures("few_replicates")

HOSTILE = [
    "__import__('os').system('true')  #",
    "ERA5 reanalysis",
    "a'); __import__('os').system('true'); print('",
    'a"); __import__("os").system("true"); print("',
    "x\n__import__('os').system('true')",
    "x\r__import__('os').system('true')",
    "x\u2028__import__('os').system('true')",
    '"""\nexec("1")\n"""',
    "'''\nexec('1')\n'''",
    "\\'); exec('1') #",
    "{__import__('os')}",
    "half\udc80",
    "nul\x00",
    "# -*- coding: utf-7 -*-",
]
CLASSES = [text for text in HOSTILE if text == text.strip() and text.isprintable()]  # what a class can be called

CALLED = {f"cv.{name}" for name in cv.__all__} | {"print", "cv.plots.ks"}
METHODS = {
    "predictions",
    "split",
    "squeeze",
    "to_pandas",
    "to_dataframe",
    "to_string",
    "fit",
    "transform",
    "sel",
    "sample",
    "values",
}
NAMES = {
    "cv",
    "np",
    "print",
    "show",
    "dict",
    "list",
    "ks",
    "brier",
    "predictions",
    "calibration",
    "evaluation",
    "shown",
    "numbers",
    "joint",
    "mean_over_classes",
    "fitted",
    "picture",
    "segments",
    "windows",
    "share",
    "after",
    "metrics",
    "selection",
    "cube",
    "name",
    "both",
    "ranked",
    "recalibrated",
    "models",
    "model",
    "lens",
    "first",
    "others",
    "other",
    "one",
    "two",
    "difference",
    "q",
    "summary",
    "fitted_to",
    "explorer",
}


def check(code: str) -> ast.Module:
    """Everything that the code names and calls is what it means to."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            is_method = isinstance(node.func, ast.Attribute) and node.func.attr in METHODS
            is_lens = isinstance(node.func, ast.Call) and ast.unparse(node.func.func) == "cv.lens"
            assert called in CALLED or is_method or is_lens, called
        elif isinstance(node, ast.Name):
            assert node.id in NAMES, node.id
        elif isinstance(node, ast.Attribute):
            assert not node.attr.startswith("_"), node.attr
        elif isinstance(node, ast.Import | ast.ImportFrom):
            assert ast.unparse(node) in ("import calibviz as cv", "import numpy as np")
    return tree


def hostile(seed: int = 0, about: str = HOSTILE[0]) -> cv.Predictions:
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet(np.ones(len(CLASSES)), 120)
    halves = {CLASSES[2]: CLASSES[:3], CLASSES[4]: CLASSES[3:]}
    return cv.Predictions(
        probs,
        np.arange(120) % len(CLASSES),
        class_names=[np.str_(name) for name in CLASSES],
        groups=halves,
        hierarchy={CLASSES[5]: {"one": CLASSES[:1], CLASSES[2]: CLASSES[1:]}},
        fields={name: np.array([HOSTILE[i % len(HOSTILE)] for i in range(120)]) for name in CLASSES},
        about={"source": about, "title": about, "made": about, "licence": about},
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_a_source_that_somebody_wrote_is_no_code(text):
    p = hostile(about=text)
    stack = xr.Dataset(
        {"probs": (("run", "sample", "class"), np.full((2, 9, 2), 0.5)), "label": ("sample", [0, 1, 1] * 3)},
        attrs={"source": text},
    )
    for given in (p, {"a": p}, stack, stack.rename(run=text)):
        explorer = Explorer(given, panels=())
        code = explorer.code()
        explorer.close()
        check(code)
        assert f"# {'models' if isinstance(given, dict) else 'predictions'} is what was passed to cv.Explorer" in code


def test_names_in_the_code_of_the_explorer_are_texts():
    models = {name: hostile(i) for i, name in enumerate(HOSTILE[:4])}
    explorer = Explorer(models, panels=())
    condition = " and ".join(
        str(cv.field(name) == text) for name, text in itertools.islice(itertools.product(HOSTILE[1:3], HOSTILE[1:2]), 2)
    )
    own = {name: CLASSES[i::3] for i, name in enumerate(CLASSES[1:4])}
    numpys = {np.str_(name): [np.str_(member) for member in members] for name, members in own.items()}
    likert = {HOSTILE[0]: (0, 0.4), HOSTILE[3]: (0.6, 1)}
    for choices in (
        {},
        {"model": HOSTILE[2], "lens": f"class {CLASSES[0]}"},
        {"lens": f"class {CLASSES[3]}", "likert": likert, "norm": "maximum", "binning": "sweep"},
        {"lens": "grouping", "outcome": CLASSES[2], "binning": "k-d tree", "calibrator": "temperature"},
        {"lens": "grouping", "groups": own, "outcome": CLASSES[2], "likert": likert},
        {"lens": "grouping", "groups": numpys, "outcome": CLASSES[2], "likert": likert, "norm": "maximum"},
        {"lens": "classwise", "outcome": CLASSES[2]},
        {"selection": condition, "lens": "top-1"},
    ):
        explorer.state.from_dict(choices)
        if "selection" not in choices:  # which keeps nothing
            assert screen(explorer).complaint == ""
            check(explorer.code())
    explorer.state.from_dict({"selection": str(cv.field(HOSTILE[0]) == HOSTILE[4])})
    texts = [node.value for node in ast.walk(check(explorer.code())) if isinstance(node, ast.Constant)]
    assert explorer.state.selection in texts
    explorer.close()


@pytest.mark.thorough
def test_names_in_the_code_of_reports_are_texts():
    p, other = hostile(), hostile(1)
    likert = {HOSTILE[0]: (0, 0.4), HOSTILE[3]: (0.4, 1)}
    condition = cv.field(HOSTILE[2]) != HOSTILE[3]
    lens = cv.Outcome(cv.Grouping({np.str_(CLASSES[3]): CLASSES[:2], CLASSES[5]: CLASSES[2:]}), CLASSES[5])
    for one in (
        cv.report(p, lens=f"class {CLASSES[0]}", categories=likert, selection=condition, progress=False),
        cv.report(p, calibration=other, lens=lens, categories=likert, progress=False),
        cv.compare({HOSTILE[0]: p, HOSTILE[4]: hostile()}, categories=likert, selection=condition, progress=False),
    ):
        (code,) = re.findall(r'<code id="code">(.*?)</code>', one.html, re.DOTALL)
        check(html.unescape(code))


def test_the_code_of_the_laboratory_holds_names_as_texts():
    for name in HOSTILE:
        network = cv.Network(name, 2.0, 1.0)
        check(str(source_of(cv.simulated(network, 20))))
        assert source_of(cv.simulated(network, 20)) == Source(
            f"cv.simulated(cv.Network(name={name!r}, a=2.0, b=1.0), 20, rng=0)"
        )
    lab = SimulationLab()
    check(lab.code())
    lab.close()


def test_only_the_whole_that_was_loaded_knows_its_code(tmp_path):
    p = cv.load_dataset("tumours")["naive Bayes"]
    assert str(source_of(p)) == p.about["source"] == "cv.load_dataset('tumours')['naive Bayes']"
    assert source_of(pickle.loads(pickle.dumps(p))) == source_of(p)
    assert source_of(p.select(np.arange(9))) is None and source_of(p.split()[0]) is None
    assert source_of(p.reweighted(np.ones(len(p)))) is None and source_of(p.with_probs(p.probs)) is None
    _, evaluation = cv.load_interventions()
    assert str(source_of(evaluation)) == "cv.load_interventions()[1]"
    assert source_of(evaluation.isel(sample=slice(9))) is None and source_of(evaluation.copy()) is None
    p.made_by = HOSTILE[0]
    assert source_of(p) is None


@pytest.mark.parametrize("name", [text for text in HOSTILE if "/" not in text and "\x00" not in text])
def test_the_path_of_a_file_is_a_text(name, tmp_path):
    path = tmp_path / f"{name}.npz"
    try:
        np.savez(path, probs=[[0.2, 0.8]] * 9, labels=[0, 1, 1] * 3)
    except UnicodeEncodeError:
        pytest.skip("this file system takes no such name")
    p = cv.read_predictions(path)
    check(f"predictions = {source_of(p)}")
    assert ast.literal_eval(str(source_of(p)).removeprefix("cv.read_predictions(").removesuffix(")")) == str(path)
    explorer = Explorer(p, panels=())
    check(explorer.code())
    explorer.close()


def test_values_are_written_as_python_of_its_own():
    class Text(str):
        def __repr__(self) -> str:
            return "exec('1')"

    written = Source("f")(Text("a"), np.str_("b"), np.float32(0.5), np.int64(3), True, None, ["c"], ("d",), {"e": 1})
    assert str(written) == "f('a', 'b', 0.5, 3, True, None, ['c'], ('d',), {'e': 1})"
    with pytest.raises(TypeError, match="object cannot be written as code"):
        Source("f")(object())


def test_a_lens_of_one_s_own_is_named_and_not_printed(tmp_path):
    class Own:
        name = "own"

        def __call__(self, predictions):
            return cv.lens("top-1")(predictions)

        def __repr__(self) -> str:
            return "exec('1')"

    (code,) = re.findall(
        r'<code id="code">(.*?)</code>', cv.report(hostile(), lens=Own(), progress=False).html, re.DOTALL
    )
    assert "that was passed to cv.report" in code
    check(html.unescape(code))
