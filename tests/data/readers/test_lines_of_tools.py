"""Lines that tools write above, between and below the rows of a text, and blanks beside its separators."""

from __future__ import annotations

import numpy as np
import pytest

import calibviz as cv

N = 40
RNG = np.random.default_rng(0)
PROB = RNG.random(N).round(4)
LABEL = (RNG.random(N) < PROB).astype(int)
ROWS = [f"{p:.4f},{y},{i % 9 + 20}" for i, (p, y) in enumerate(zip(PROB, LABEL, strict=True))]


@pytest.mark.parametrize("sign", [",", ";", "|"])
def test_blanks_may_stand_on_both_sides_of_a_separator(tmp_path, sign):
    lines = ["prob,label,age", *ROWS]
    (tmp_path / "p.csv").write_text("".join(line.replace(",", f" {sign} ") + " \n" for line in lines))
    p = cv.read_predictions(tmp_path / "p.csv")
    assert p.probs[:, 1].tolist() == PROB.tolist() and p.labels.tolist() == LABEL.tolist() and set(p.fields) == {"age"}


@pytest.mark.parametrize("lines", [["%,-,years"], ["continuous,discrete,continuous", "meta,class,meta"]])
def test_rows_that_describe_the_columns_are_refused(tmp_path, lines):
    (tmp_path / "p.csv").write_text("\n".join(["prob,label,age", *lines, *ROWS]))
    with pytest.raises(
        ValueError, match=r"line 2 of column 'prob' is '.*', but numbers follow, as in '\w+': where the"
    ):
        cv.read_predictions(tmp_path / "p.csv")


def test_a_word_that_begins_one_column_is_none(tmp_path):
    (tmp_path / "p.csv").write_text("\n".join(["prob,label,age", "0.5,1,unknown", *ROWS]))
    assert len(cv.read_predictions(tmp_path / "p.csv")) == N + 1


def test_a_line_below_the_rows_is_placed(tmp_path):
    (tmp_path / "p.csv").write_text("\n".join(["prob,label,age", *ROWS, "(40 rows affected)"]))
    with pytest.raises(ValueError, match="line 42 has 1 value, but the header has 3 names"):
        cv.read_predictions(tmp_path / "p.csv")
