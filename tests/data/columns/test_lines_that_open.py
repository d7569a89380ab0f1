"""Files that were refused without help, which a line of options opens now; each line is tried."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import calibviz as cv
from calibviz.data.columns.choices import Question

N = 300
RNG = np.random.default_rng(0)
SCORE = RNG.beta(1, 2, N).round(4)
Y = (RNG.random(N) < SCORE).astype(int)
PROBS = RNG.dirichlet([2] * 3, N)
CODES = np.array([RNG.choice(3, p=row) for row in PROBS])


def asked(source, said):
    with pytest.raises(Question, match=said) as refused:
        cv.read_predictions(source)
    return [(options, cv.read_predictions(source, **options)) for options, _ in refused.value.lines]


@pytest.mark.parametrize("name", ["value", "x1", "Model A", "pop"])
@pytest.mark.parametrize("decimals", [0, 1])
def test_numbers_to_100_of_any_name_that_go_with_the_truth_may_be_per_cents(name, decimals):
    percents = (100 * SCORE).round(decimals)
    table = pd.DataFrame({"outcome": Y, "age": RNG.integers(18, 90, N), name: percents})
    [(options, p)] = asked(table, f"'{name}' from 0 to 100 may be per cents, which normalize=True divides by 100")
    assert options == {"label": "outcome", "prob": name, "normalize": True}
    np.testing.assert_allclose(p.probs[:, 1], percents / 100)


def test_numbers_to_100_that_do_not_go_with_the_truth_are_not_offered():
    with pytest.raises(ValueError, match="found no probabilities") as refused:
        cv.read_predictions(pd.DataFrame({"outcome": Y, "age": RNG.integers(18, 90, N)}))
    assert not isinstance(refused.value, Question)


@pytest.mark.parametrize(("last", "what"), [(int(Y.sum()), "sum"), (N, "number"), (float(round(Y.mean(), 3)), "mean")])
def test_a_last_row_of_totals_is_left_out_by_its_label(tmp_path, last, what):
    rows = [f"C{i};{100 * p:.2f} %;{y}" for i, (p, y) in enumerate(zip(SCORE, Y, strict=True))]
    (tmp_path / "p.csv").write_text(
        "\n".join(["customer;risk;default", *rows, f"Total;{100 * SCORE.mean():.2f} %;{last}"])
    )
    [(options, p)] = asked(
        tmp_path / "p.csv",
        f"line {N + 2} of column 'default' is {last}, (the {what} of all|a fraction, but all) labels above",
    )
    assert options["ignore"] == [str(last)]
    np.testing.assert_allclose(p.probs[:, 1], SCORE, atol=1e-12)
    np.testing.assert_array_equal(p.labels, Y)


def test_a_last_label_that_sums_up_nothing_is_asked_about_as_any_other():
    labels = [*Y, 7]
    with pytest.raises(ValueError, match="7") as refused:
        cv.read_predictions(pd.DataFrame({"default": labels, "risk": [*SCORE, 0.5]}))
    assert "of all labels above" not in str(refused.value)


@pytest.mark.parametrize("names", [["home", "draw", "away"], ["H", "D", "A"]])
@pytest.mark.parametrize("margin", [1.03, 1.06])
def test_rows_with_a_margin_are_rescaled_where_that_is_asked_for(names, margin):
    implied = (PROBS * 0.9 * margin + 0.1 * margin / 3).round(4)
    columns = {f"p_{name}": implied[:, k] for k, name in enumerate(["home", "draw", "away"])}
    table = pd.DataFrame(columns | {"result": np.array(names)[CODES]})
    options, p = asked(table, r"sums to 1\.0|rows of .* add up to more than 1 by about")[0]
    assert options["normalize"] is True
    np.testing.assert_allclose(p.probs, implied / implied.sum(axis=1, keepdims=True), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(p.labels, CODES)


def test_labels_that_do_not_exclude_each_other_are_never_rescaled():
    several = {f"p_{name}": RNG.uniform(0.2, 0.6, N).round(3) for name in ("home", "draw", "away")}
    table = pd.DataFrame(several | {"result": np.array(["home", "draw", "away"])[CODES]})
    with pytest.raises(ValueError, match=r"sums to|adds up") as refused:
        cv.read_predictions(table)
    assert not any("normalize" in options for options, _ in getattr(refused.value, "lines", ()))


@pytest.mark.parametrize(("columns_from", "labels_from"), [(0, 1), (1, 0)])
def test_numbers_of_columns_and_of_labels_may_begin_at_0_and_at_1(columns_from, labels_from):
    columns = {f"p_{k + columns_from}": PROBS[:, k] for k in range(3)}
    [(options, p)] = asked(pd.DataFrame(columns | {"label": CODES + labels_from}), "classes")
    assert options["classes"] == [str(k + labels_from) for k in range(3)]
    np.testing.assert_array_equal(p.probs, PROBS)
    np.testing.assert_array_equal(p.labels, CODES)


@pytest.mark.parametrize("name", ["margin", "raw_score"])
def test_a_margin_from_0_to_1_is_no_probability_by_itself(name):
    lines = asked(pd.DataFrame({"correct": Y, name: SCORE}), f"'{name}' may hold a margin or log-odds")
    assert [next(iter(options.keys() - {"label"})) for options, _ in lines] == ["prob", "logits"]
