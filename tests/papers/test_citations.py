"""Equations and sections of the papers stand beside what they define."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import calibviz

#: What an equation of a paper defines, in words that stand near each place that cites it.
EQUATIONS = {
    ("Roelofs", 1): "tce|truth|true error|true calibration error|true_calibration_error",
    ("Roelofs", 3): "[Ll]abel.binned|label_binned|mean target of its bin",
    ("Roelofs", 4): "ECE_BIN",
    ("Roelofs", 7): "simulat|estimator",
    ("Roelofs", 8): "fit",
    ("Roelofs", 9): "curve",
    ("Gupta", 3): "r-th largest|rank",
    ("Gupta", 5): "sum of the r largest",
    ("Gupta", 8): "expected calibration error",
    ("Gupta", 11): "(?i)\\bks|cumulative",
    ("Gupta", 14): "derivative|cumulative",
    ("Kirchenbauer", 1): "full",
    ("Kirchenbauer", 3): "ece|binned|error",
    ("Kirchenbauer", 7): "Likert|inter-interval",
    ("Kirchenbauer", 9): "class-weighted|ClassWeighted|weigh|distance",
    ("Kirchenbauer", 11): "Mahalanobis",
}
SHORT = {"ece_sweep": "Roelofs", "ks": "Gupta", "gece": "Kirchenbauer"}
CITED = re.compile(
    r"(Roelofs|Gupta|Kirchenbauer|\bks|\bece_sweep|\bgece)(?:, Oaks and Heim| et al\.)?,? ?\(?(?:2020|2022)?\)?,?\s+"
    r"(?:eq\.|equations?)\s+(\d+)"
)
PACKAGE = Path(calibviz.__file__).parent
TEXTS = [*PACKAGE.rglob("*.py"), *(PACKAGE.parent / "docs").glob("*.md")]


def _citations() -> list[tuple[str, str, int, str]]:
    found = []
    for path in TEXTS:
        text = path.read_text(encoding="utf-8")
        for match in CITED.finditer(text):
            near = text[max(0, match.start() - 500) : match.end() + 60]
            found.append((path.name, SHORT.get(match[1], match[1]), int(match[2]), near))
    return found


def test_each_cited_equation_is_the_one_that_defines_what_stands_there() -> None:
    cited = _citations()
    assert len(cited) > 30
    for name, paper, number, near in cited:
        assert (paper, number) in EQUATIONS, f"{name} cites equation {number} of {paper}"
        assert re.search(EQUATIONS[paper, number], near), (name, paper, number, near)


@pytest.mark.parametrize(
    ("words", "section"), [("Gupta et al. 2020", "2"), ("Kumar et al. 2019", "5"), ("Guo et al. 2017", "4.2")]
)
def test_lenses_and_estimators_cite_the_section_that_defines_them(words: str, section: str) -> None:
    sections = {
        match[1]
        for path in (PACKAGE / "context", PACKAGE / "metrics", PACKAGE / "recalibration" / "linear.py")
        for file in ([path] if path.is_file() else path.rglob("*.py"))
        for match in re.finditer(re.escape(words) + r", section (\d+(?:\.\d+)?)", file.read_text(encoding="utf-8"))
    }
    assert sections == {section}
