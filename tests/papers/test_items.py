"""Every figure and table of the papers: it is computed, agrees where the data are the paper's, and opens live."""

from __future__ import annotations

import ast
import itertools
import re
from functools import cache

import numpy as np
import pandas as pd
import pytest
from driver import screen

import calibviz as cv
from calibviz.app.demo import demo
from calibviz.papers.catalogue import ITEMS, PAPERS
from calibviz.papers.item import STATES, Item, made
from calibviz.plots.drawing import Picture
from calibviz.recalibration.registry import recalibrated

pytestmark = pytest.mark.thorough

NUMBERS = {
    "ks": (10, 7),
    "ece_sweep": (15, 7),
    "gce_measuring": (5, 5),
    "workshop": (2, 2),
    "gece": (31, 6),
}
RUNS: dict[str, dict[str, object]] = {}  # so that items that share their code run it once
KEYS = {item.key: item for item in ITEMS}


@pytest.fixture(scope="module", autouse=True)
def shared_work(few_in_cubes):
    """Data sets are loaded once for all items, and calibrators of rows fitted to them once, whatever is measured."""
    fitted: dict[tuple[object, ...], tuple[cv.Predictions, object]] = {}

    def recalibrated_once(method, *data):
        key = repr(method), *map(id, data)
        if key not in fitted:
            fitted[key] = recalibrated(method, *data), (method, data)  # kept, so that no other object gets their ids
        return fitted[key][0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cv, "load_dataset", cache(cv.load_dataset))
        patch.setattr("calibviz.cube.fitting.recalibrated", recalibrated_once)
        yield


def table_of(key: str) -> pd.DataFrame:
    return made(KEYS[key], RUNS).result


def test_all_figures_and_tables_of_the_five_papers_are_there():
    assert NUMBERS.keys() == PAPERS.keys() and len(ITEMS) == len(KEYS) == 90
    for paper, (figures, tables) in NUMBERS.items():
        for kind, count in (("figure", figures), ("table", tables)):
            numbers = [item.number for item in ITEMS if (item.paper, item.kind) == (paper, kind)]
            assert sorted(numbers) == list(range(1, count + 1))
    listed = cv.papers.items()
    assert len(listed) == 90 and set(listed.state) == set(STATES)


@pytest.mark.parametrize("item", ITEMS, ids=KEYS)
def test_its_code_makes_what_it_says(item: Item):
    found = made(item, RUNS)
    if item.kind == "figure":
        assert isinstance(found.result, Picture) and found.result.axes and found.result.records
    else:
        assert isinstance(found.result, pd.DataFrame) and found.result.notna().any(axis=None)
    assert found.finds.endswith(".") and not re.search(r"\d%|nan|\{", found.finds), found.finds
    assert item.says.endswith(".") and (not item.why or item.why.endswith("."))
    assert item.state == "same data" or item.why, "an item with other data says so"


@pytest.mark.parametrize("item", ITEMS, ids=KEYS)
def test_its_code_is_short_and_uses_public_names_alone(item: Item):
    nodes = list(ast.walk(ast.parse(item.code)))
    used = {node.attr for node in nodes if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "cv"}
    assert used and used <= set(cv.__all__)
    assert all(len(line) <= 120 for line in item.code.splitlines()) and item.code.count("\n") < 50


def test_every_link_is_followed():
    for link in {item.link for item in ITEMS} - {""}:
        page = demo(link)
        explorer = page.children[1].view
        assert screen(explorer).complaint == "", link
        explorer.close()


def test_what_no_demonstration_has_is_shown_by_a_notebook():
    [item] = [item for item in ITEMS if not item.link]
    explorer = cv.papers.explore(item.paper, item.name)
    assert explorer.state.bins == 10 and "(1,000 samples)" in explorer.sentences["verdict"]
    explorer.close()


@pytest.mark.parametrize(
    ("key", "off"),
    [("ks-table-1", 0.1), ("ks-table-2", 0.45), ("ks-table-4", 0.03), ("ks-table-5", 0.06), ("ks-table-6", 0.1)],
)
def test_recalibrated_errors_are_those_of_the_spline_paper(key: str, off: float):
    table = table_of(key)
    difference = (table.here - table.paper).abs()
    assert difference["uncalibrated"] < 0.002 and difference["temperature"] < 0.002
    assert difference.max() < off


def test_no_penalties_give_the_error_that_is_printed_twice():
    parts = (cv.load_dataset("resnet110", part=part)["ResNet-110"] for part in ("evaluation", "calibration"))
    judged, fitted_to = parts
    pairs = itertools.product([1000.0, 100.0, 10.0, 1.0, 0.1, 0.01], [100.0, 1.0, 0.1, 0.01])
    moved = [cv.MatrixScaling(*pair).fit(fitted_to).transform(judged) for pair in pairs]
    assert min(cv.ks_error(p, "rank 2") for p in moved) > 0.0096
    errors = [cv.ks_error(p, "top-1") for p in moved]
    assert round(min(errors), 4) >= 0.0100 and round(max(errors), 4) <= 0.0138


@pytest.mark.parametrize("number", [4, 5, 6, 7])
def test_errors_by_the_sweep_are_those_of_its_paper(number: int):
    table = table_of(f"ece_sweep-table-{number}")
    assert (table.here - table.paper).abs().max() < 0.012


def test_the_fit_of_the_sweep_paper_is_explained():
    table = table_of("ece_sweep-table-1")
    rounded = table["1 - s of 1 is 5e-23"]
    assert abs(rounded.here["alpha"] - 2.7752) < 0.002 and abs(rounded.here["beta"] - 0.0478) < 1e-4
    assert table["as scores are"].here["alpha"] == pytest.approx(4.88, abs=0.01)
    curves = table_of("ece_sweep-table-2")
    assert curves["b0, scores below 1 - 9e-7"].here["constant"] == pytest.approx(1.99, abs=0.05)


def test_the_errors_of_the_fits_are_those_of_five_thousand_photographs():
    """The 10,000 of the test set have another error than the paper prints, as have as many samples of its fit."""
    table = table_of("ece_sweep-table-3")
    assert (table.here - table.paper).abs().max() < 0.06
    judged = cv.load_dataset("resnet110")["ResNet-110"]
    assert 100 * cv.calibration_error(judged, p=2) == pytest.approx(6.65, abs=0.005)
    drawn = cv.simulate_errors("resnet110_c10", "uniform", [5000, 10_000], replicates=400, progress=False)["mean"]
    assert (100 * drawn.values.ravel()).round(1).tolist() == [8.4, 8.3]


def test_an_error_of_eight_per_cent_is_that_of_the_fit_and_not_of_its_rounded_form():
    read = re.findall(r"[\d.]+(?= %)", made(KEYS["ece_sweep-figure-7"], RUNS).finds)
    assert [round(float(error)) for error in read] == pytest.approx([5, 7, 8], abs=1)
    assert 8.0 < float(read[2]) < 8.9 and float(read[1]) < 7.9


def test_the_sweep_misses_far_less_between_errors_that_all_and_that_none_notice():
    networks = [cv.Network.power(d) for d in (1.05, 1.3, 1.75)]
    missed = cv.miss_rates(networks, ["uniform", "sweep"], 500, replicates=300, progress=False).miss_rate.values[:, 0]
    (uniform, swept) = missed
    assert min(uniform[0], swept[0]) > 0.9 and max(uniform[2], swept[2]) < 0.05
    assert swept[1] < 0.25 and uniform[1] > 0.33


def test_the_kernel_estimator_is_most_biased_where_its_power_is_the_first():
    given = {"n": 200, "replicates": 20, "progress": False}
    of_two = cv.simulate_errors(estimators=["uniform sweep", "kde"], **given)
    of_one = cv.simulate_errors(estimators="kde", p=1, **given)["mean"].squeeze(drop=True)
    sweep, kde = abs(of_two.bias).mean("network").values.ravel()
    assert kde < sweep < abs(of_one - of_two.tce).mean() and abs(of_one - of_two.tce).mean() == pytest.approx(
        0.052, abs=0.004
    )


def test_ranks_of_the_paper_are_orders_of_eight():
    printed = pd.DataFrame(KEYS["gce_measuring-table-5"].printed)
    assert printed.shape == (32, 8) and (printed.sum(axis=1) == 36).all()
    first = printed.idxmin(axis=1)
    assert first.value_counts().to_dict() == {
        "histogram": 10, "histogram by class": 7, "temperature": 4, "temperature of least ECE": 4, "neural": 4,
        "isotonic": 3,
    }  # fmt: skip  # short entries stand in rows
    assert first["ECE"] == "temperature" and first["RMSCE"] == "histogram" and first["SCE"] == "histogram by class"


def test_metrics_agree_by_the_networks():
    _, evaluation = cv.load_interventions()
    agree = {}
    for kind in ("mix-up", "label smoothing"):
        models = [
            cv.Predictions(logits=one.logits.values, labels=one.labels.values)
            for trial in evaluation.trial.values
            for one in [evaluation.sel(intervention=kind, trial=trial)]
        ]
        rho = pd.DataFrame({m.name: [m(p) for p in models] for m in cv.GCE.variants()}).corr("spearman").values
        agree[kind] = round(rho[np.triu_indices_from(rho, 1)].mean(), 2)
    assert agree == {"mix-up": 0.37, "label smoothing": 0.9}


def test_the_bias_is_that_of_the_sweep_paper():
    assert re.search(r"no cell is further than 0\.[012]\d points", made(KEYS["ece_sweep-figure-4"], RUNS).finds)


def test_the_order_of_optimized_metrics_is_that_of_the_paper_but_for_the_norm():
    ece = table_of("gce_measuring-table-3").ECE
    pairs = [(one, other) for one, other in zip(ece.index[::2], ece.index[1::2], strict=True)]
    agree = [(ece.here[a] < ece.here[b]) == (ece.paper[a] < ece.paper[b]) for a, b in pairs]
    assert agree == [True, True, True, True, False]


def test_numbers_that_a_paper_does_not_print_are_missing():
    table = table_of("ks-table-7")
    assert table.columns.tolist()[:2] == [("KDE-ECE", "paper"), ("KDE-ECE", "here")]
    assert table["KDE-ECE"].paper.isna().tolist() == [False, False, True, False, False, False]


def test_one_call_gives_one_of_them():
    picture = cv.papers.figure("gece", 10)
    assert isinstance(picture, Picture) and picture is not cv.papers.figure("gece", 10)
    assert cv.papers.table("ks", 3).here.tolist() == [10, 5000, 10000]
    explorer = cv.papers.explore("gece", "figure 3")
    assert explorer.state.lens == "grouping" and dict(explorer.state.groups)["straight"] == ("1", "4", "7")
    explorer.close()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: cv.papers.figure("guo", 1),
            "paper must be one of 'ks', 'ece_sweep', 'gce_measuring', 'workshop', 'gece'",
        ),
        (lambda: cv.papers.figure("gece", 32), "number must be one of the figures of 'gece', 1 to 31, not 32"),
        (lambda: cv.papers.table("ks", 0), "number must be"),
        (lambda: cv.papers.explore("ks", "figure 11"), "name must be one of 'figure 1'"),
    ],
)
def test_what_no_paper_has_is_refused(call, sentence: str):
    with pytest.raises(ValueError, match=sentence):
        call()
