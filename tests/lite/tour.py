"""A tour of calibviz that prints, as one line of JSON, what it says: the same in a browser's Python as in any other.

It is run by CPython and by Pyodide, with the path of the README and of the tests.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import calibviz as cv
from calibviz.answers.registry import ANSWERS


def readme(path: Path) -> list[tuple[str, str, str]]:
    """Each statement of the README with the value that its comment says, and that it has here."""
    from page_code import blocks, run, shown

    namespace: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        text = path.read_text(encoding="utf-8")
        said = [found for block in blocks(text, "python") for found in run(block, namespace, path.name)]
    namespace["explorer"].close()
    return [(source, number, shown(value, number)) for source, number, value in said]


def numbers() -> dict[str, float]:
    """Numbers of many samples, whose products no longer fit into 32 bits, of their sums, and of clusters."""
    rng = np.random.default_rng(0)
    score = rng.random(100_000)
    many = cv.Predictions(np.stack([1 - score, score], axis=1), (rng.random(100_000) < score**1.1).astype(int))
    hearts = cv.load_dataset("heart")["logistic regression"]
    eights = cv.Predictions(hearts.probs, hearts.labels, cluster=np.repeat(np.arange(115), 8))
    digits = cv.load_dataset("digits")["naive Bayes"]
    return {
        "auc": cv.auc(many).estimate,
        "excess": cv.excess_aurc(many),
        "walk": cv.kuiper_test(many).p_value,
        "test": cv.calibration_test(hearts).p_value,
        "sums": cv.ks_error(cv.summarize(many)),
        "clusters": cv.ks_test(eights).p_value,
        "tree": cv.calibration_error(digits, lens="full", binning=cv.KDTree(0.1)),
        "kernel": cv.kernel_error(hearts),
        "recalibrated": cv.ks_error(cv.OneVsRest(cv.Spline()).fit(digits).transform(digits)),
        "page": float(len(cv.report(many, progress=False).html) > 10_000),
    }


def panels() -> dict[str, str]:
    """The sentence of each answer on hearts, once all of its panel is computed."""
    explorer = cv.Explorer(cv.load_dataset("heart"))
    said = {}
    for name in ANSWERS:
        explorer.state.panels = (name,)
        explorer.finish()
        said |= explorer.sentences
    explorer.close()
    return said


def report() -> str:
    """The verdict as the report's page holds it."""
    page = cv.report(cv.load_dataset("heart")["logistic regression"], progress=False).html
    assert "<svg" in page
    return page.partition("<h1")[2].partition("</p>")[0]


def main() -> None:
    page = Path(sys.argv[1])
    print(json.dumps({"readme": readme(page), "numbers": numbers(), "panels": panels(), "report": report()}))


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # a browser's Python has older packages
    main()
