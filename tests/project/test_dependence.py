"""What benchmarks/dependence.py measured stands in coverage.md, and it can be measured again."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
NAMES = ("dependence", "dependence_parts", "dependence_measures", "dependent_data")


@pytest.fixture(scope="module")
def benchmark():
    sys.path.insert(0, str(BENCHMARKS))
    yield importlib.import_module("dependence")
    sys.path.remove(str(BENCHMARKS))
    for name in NAMES:
        sys.modules.pop(name, None)


def test_the_page_holds_the_tables(benchmark):
    assert benchmark.section() in benchmark.PAGE.read_text(encoding="utf-8")


def test_all_cells_of_all_tables_are_measured(benchmark):
    wanted = {(part.name, cell): part.sets(cell) for part in benchmark.PARTS for cell in part.cells}
    assert {key: sets for key, (sets, _) in benchmark.kept().items()} == wanted


def test_each_table_can_be_measured_again(benchmark):
    for part in benchmark.PARTS:
        rates = benchmark.measured(part, next(iter(part.cells)), 1)
        assert rates, part.name
        assert set(rates) <= set(part.columns), part.name
        assert all(0 <= mean <= 1 and sets == 1 for mean, sets in rates.values()), part.name
