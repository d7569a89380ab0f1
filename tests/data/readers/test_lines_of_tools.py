"""Lines that tools write above, between and below the rows of a text, and blanks beside its separators."""

from __future__ import annotations

import csv
import io

import numpy as np
import pandas as pd
import pytest
from workbooks import write_xlsx

import calibviz as cv
from calibviz.data.columns.choices import Question

N = 40
RNG = np.random.default_rng(0)
PROB = RNG.random(N).round(4)
LABEL = (RNG.random(N) < PROB).astype(int)
AGE = np.arange(N) % 9 + 20
ROWS = [f"{p:.4f},{y},{i % 9 + 20}" for i, (p, y) in enumerate(zip(PROB, LABEL, strict=True))]


@pytest.mark.parametrize("sign", [",", ";", "|"])
def test_blanks_may_stand_on_both_sides_of_a_separator(tmp_path, sign):
    lines = ["prob,label,age", *ROWS]
    (tmp_path / "p.csv").write_text("".join(line.replace(",", f" {sign} ") + " \n" for line in lines))
    p = cv.read_predictions(tmp_path / "p.csv")
    assert p.probs[:, 1].tolist() == PROB.tolist() and p.labels.tolist() == LABEL.tolist() and set(p.fields) == {"age"}


@pytest.mark.parametrize(
    ("lines", "field"),
    [
        (["probability,-,years"], "age years"),
        (["continuous,discrete,continuous", "meta,class,meta"], "age continuous meta"),
        (['"the model\nsays",what was,"in years"'], "age in years"),
    ],
)
@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_lines_below_the_names_are_read_as_parts_of_these(tmp_path, lines, field, ending):
    path = tmp_path / f"p{ending}"
    if ending == ".csv":
        path.write_text("\n".join(["prob,label,age", *lines, *ROWS]))
    else:
        above = list(csv.reader(io.StringIO("\n".join(lines))))
        columns = zip(["prob", "label", "age"], zip(*above, strict=True), [PROB, LABEL, AGE], strict=True)
        write_xlsx(path, {"data": {name: [*said, *values.tolist()] for name, said, values in columns}})
    p = cv.read_predictions(path)
    assert p.probs[:, 1].tolist() == PROB.tolist() and p.labels.tolist() == LABEL.tolist()
    assert p.fields[field].tolist() == AGE.tolist()
    assert f"the names of the columns stand in {len(lines) + 1} lines" in p.about["assumed"]


def test_a_unit_below_a_name_says_per_cent(tmp_path):
    rows = [f"{100 * p:.2f},{y}" for p, y in zip(PROB, LABEL, strict=True)]
    (tmp_path / "p.csv").write_text("\n".join(["risk,died", "%,0/1", *rows]))
    p = cv.read_predictions(tmp_path / "p.csv")
    np.testing.assert_allclose(p.probs[:, 1], PROB)
    rows[33] = "abc,1"
    (tmp_path / "p.csv").write_text("\n".join(["risk,died", "%,0/1", *rows]))
    with pytest.raises(ValueError, match="line 36 of column 'risk %' is 'abc'"):
        cv.read_predictions(tmp_path / "p.csv", prob="risk %", label="died 0/1")


def test_two_lines_of_names_as_pandas_writes_them(tmp_path):
    probs = RNG.dirichlet([1, 1, 1], N).round(4)
    probs[:, 2] = (1 - probs[:, 0] - probs[:, 1]).round(4)
    labels = np.array([RNG.choice(["cat", "dog", "owl"], p=row / row.sum()) for row in probs])
    columns = {("truth", ""): labels} | {("proba", name): probs[:, k] for k, name in enumerate(["cat", "dog", "owl"])}
    pd.DataFrame(columns).to_csv(tmp_path / "p.csv")
    p = cv.read_predictions(tmp_path / "p.csv")
    assert p.class_names == ("cat", "dog", "owl") and np.array(p.class_names)[p.labels].tolist() == labels.tolist()
    np.testing.assert_allclose(p.probs, probs)


def test_rows_of_a_table_that_describe_its_columns_are_refused():
    columns = {"prob": ["%", *PROB], "label": ["-", *LABEL], "age": ["years", *AGE]}
    with pytest.raises(ValueError, match="row 0 of column 'prob' is '%', but numbers follow, as in other columns"):
        cv.read_predictions(pd.DataFrame(columns))


@pytest.mark.parametrize(
    ("above", "rule", "row", "below"),
    [
        ("", "-------+-------+-----", " {} | {} | {}", "(40 rows)\n"),
        (
            "+------+-------+-----+\n",
            "+------+-------+-----+",
            "| {} | {} | {} |",
            "+---+---+---+\n40 rows in set (0.01 sec)\n",
        ),
        ("", "|:---|:---:|---|", "| {} | {} | {} |", ""),
    ],
)
def test_tables_as_databases_print_them(tmp_path, above, rule, row, below):
    rows = [row.format(*values) for values in zip(PROB, LABEL, AGE, strict=True)]
    (tmp_path / "p.txt").write_text(above + "\n".join([row.format("prob", "label", "age"), rule, *rows, below]))
    p = cv.read_predictions(tmp_path / "p.txt")
    assert p.probs[:, 1].tolist() == PROB.tolist() and p.labels.tolist() == LABEL.tolist() and set(p.fields) == {"age"}
    rows[7] = row.format("abc", 1, 20)
    (tmp_path / "p.txt").write_text(above + "\n".join([row.format("prob", "label", "age"), rule, *rows, below]))
    with pytest.raises(ValueError, match=f"line {10 + bool(above)} of column 'prob' is 'abc ?'"):
        cv.read_predictions(tmp_path / "p.txt", prob="prob", label="label")


@pytest.mark.parametrize("above", ["", "# of the third run\n"])
def test_a_sign_of_a_comment_may_stand_before_the_names(tmp_path, above):
    (tmp_path / "p.txt").write_text(above + "\n".join(["# prob label age", *(row.replace(",", " ") for row in ROWS)]))
    p = cv.read_predictions(tmp_path / "p.txt")
    assert p.probs[:, 1].tolist() == PROB.tolist() and set(p.fields) == {"age"}


@pytest.mark.parametrize("form", ["tensor({})", "tensor({}, device='cuda:0')", "np.float64({})", "Decimal('{}')"])
def test_numbers_as_python_prints_them(tmp_path, form):
    pd.DataFrame({"prob": [form.format(p) for p in PROB], "label": [form.format(y) for y in LABEL]}).to_csv(
        tmp_path / "p.csv"
    )
    p = cv.read_predictions(tmp_path / "p.csv")
    assert p.probs[:, 1].tolist() == PROB.tolist() and p.labels.tolist() == LABEL.tolist()


@pytest.mark.parametrize(
    ("form", "number"),
    [("[{}, {}]", "np.float64({})"), ("tensor([{}, {}])", "{}"), ("array([{}, {}], dtype=float32)", "{}")],
)
def test_lists_of_numbers_as_python_prints_them(tmp_path, form, number):
    texts = [form.format(number.format(1 - p), number.format(p)) for p in PROB]
    pd.DataFrame({"label": LABEL, "probs": texts}).to_csv(tmp_path / "p.csv")
    assert cv.read_predictions(tmp_path / "p.csv").probs[:, 1].tolist() == PROB.tolist()


@pytest.mark.parametrize("number", ["{}", "np.float64({})"])
def test_probabilities_by_class_as_python_prints_them(tmp_path, number):
    texts = [f"{{'no': {number.format(1 - p)}, 'yes': {number.format(p)}}}" for p in PROB]
    columns = {"gold": np.array(["no", "yes"])[LABEL], "probs": texts, "meta": "{'a': 1, 'b': 2}"}
    pd.DataFrame(columns).to_csv(tmp_path / "p.csv")
    p = cv.read_predictions(tmp_path / "p.csv")
    assert p.class_names == ("no", "yes") and p.labels.tolist() == LABEL.tolist()
    np.testing.assert_allclose(p.probs[:, 1], PROB)


def test_calls_that_print_no_number_stay_text(tmp_path):
    words = np.where(LABEL == 1, "f(x)", "array(")
    pd.DataFrame({"label": words, "prob": PROB}).to_csv(tmp_path / "p.csv")
    assert cv.read_predictions(tmp_path / "p.csv", positive="f(x)").class_names == ("array(", "f(x)")


@pytest.mark.parametrize("name", ["logprob", "log_p", "mean_log_prob", "LogProbability"])
@pytest.mark.parametrize("ending", [".csv", ".npz"])
def test_logarithms_of_one_probability_are_read_by_their_name(tmp_path, name, ending):
    logs, path = np.log(PROB.clip(0.001)), tmp_path / f"p{ending}"
    if ending == ".npz":
        np.savez(path, **{name: logs, "label": LABEL})
    else:
        pd.DataFrame({name: logs, "label": LABEL}).to_csv(path)
    p = cv.read_predictions(path)
    np.testing.assert_allclose(p.probs[:, 1], PROB.clip(0.001))
    assert f"probabilities are exp of the log-probabilities in {name!r}" in p.about["assumed"]


@pytest.mark.parametrize(
    ("name", "sign"), [("log10_prob", 1), ("log10prob", 1), ("log2prob", 1), ("log_p_value", 1), ("logprob", -1)]
)
def test_other_logarithms_are_not_read(tmp_path, name, sign):
    pd.DataFrame({name: sign * np.log(PROB.clip(0.001)), "label": LABEL}).to_csv(tmp_path / "p.csv")
    with pytest.raises(ValueError, match=r"found no probabilities|a probability lies between"):
        cv.read_predictions(tmp_path / "p.csv")


def test_a_word_that_begins_one_column_is_none(tmp_path):
    (tmp_path / "p.csv").write_text("\n".join(["prob,label,age", "0.5,1,unknown", *ROWS]))
    assert len(cv.read_predictions(tmp_path / "p.csv")) == N + 1


def test_a_line_below_the_rows_is_placed(tmp_path):
    (tmp_path / "p.csv").write_text("\n".join(["prob,label,age", *ROWS, "(40 rows affected)"]))
    with pytest.raises(ValueError, match="line 42 has 1 value, but the header has 3 names"):
        cv.read_predictions(tmp_path / "p.csv")


@pytest.mark.parametrize("names", [["no", "yes"], ["yes", "no"], ["Iris-setosa", "a", "m"]])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("has_all_names", [True, False])
def test_the_distribution_of_weka_has_one_name(tmp_path, names, end, has_all_names):
    k = len(names)
    probs = RNG.dirichlet([1] * k, 200).round(3)
    probs[:, -1] = (1 - probs[:, :-1].sum(axis=1)).round(3)
    labels = (RNG.random(200)[:, None] > probs.cumsum(axis=1)).sum(axis=1).clip(max=k - 1)
    lines = ["inst#,actual,predicted,error,distribution" + "," * (k - 1) * has_all_names]
    for i, (row, label) in enumerate(zip(probs, labels, strict=True)):
        said = int(row.argmax())
        values = ",".join(f"{'*' if j == said else ''}{value:g}" for j, value in enumerate(row))
        lines.append(
            f"{i + 1},{label + 1}:{names[label]},{said + 1}:{names[said]},{'+' if said != label else ''},{values}"
        )
    (tmp_path / "p.csv").write_bytes(end.join([*lines, ""]).encode())
    p = cv.read_predictions(tmp_path / "p.csv")
    order = [names.index(name) for name in p.class_names]
    np.testing.assert_allclose(p.probs, probs[:, order], atol=1e-12)
    np.testing.assert_array_equal(np.array(order)[p.labels], labels)


def test_r_leaves_out_the_name_of_the_numbers_of_rows_beside_any_separator(tmp_path):
    rows = [f'"{i + 1}","{y}",{p}' for i, (p, y) in enumerate(zip(PROB, LABEL, strict=True))]
    (tmp_path / "p.csv").write_text("\n".join(['"y","p"', *rows]))
    np.testing.assert_array_equal(cv.read_predictions(tmp_path / "p.csv").probs[:, 1], PROB)
    for names in ("id,y", "p,y"):
        others = [
            f"{p},{y},{i % 9}" if names == "p,y" else f"{i + 1},{y},{p}"
            for i, (p, y) in enumerate(zip(PROB, LABEL, strict=True))
        ]
        (tmp_path / "p.csv").write_text("\n".join([names, *others]))
        with pytest.raises(ValueError, match="line 2 has 3 values, but the header has 2 names"):
            cv.read_predictions(tmp_path / "p.csv")


@pytest.mark.parametrize("mark", ["\\N", "(null)", "#DIV/0!", "#NAME?", "."])
def test_marks_of_tools_are_missing_numbers(tmp_path, mark):
    ages = [mark if i % 7 == 0 else str(value) for i, value in enumerate(AGE)]
    rows = [f"{p},{y},{age}" for p, y, age in zip(PROB, LABEL, ages, strict=True)]
    (tmp_path / "p.csv").write_text("\n".join(["prob,label,age", *rows]))
    age = cv.read_predictions(tmp_path / "p.csv").fields["age"]
    np.testing.assert_array_equal(age, np.where(np.arange(N) % 7 == 0, np.nan, AGE))


@pytest.mark.parametrize("form", ["{:,}", "{:,.2f}"])
@pytest.mark.parametrize(
    ("sign", "point"), [("'", "."), ("’", "."), ("\xa0", ","), ("\u202f", ","), (".", ","), (",", ".")]
)
def test_thousands_are_set_apart_in_many_ways(tmp_path, form, sign, point):
    values = AGE * 1234 + (0.25 if "f" in form else 0)
    texts = [form.format(value).replace(".", "p").replace(",", sign).replace("p", point) for value in values.tolist()]
    rows = [f"{str(p).replace('.', point)};{y};{text}" for p, y, text in zip(PROB, LABEL, texts, strict=True)]
    (tmp_path / "p.csv").write_text("\n".join(["prob;label;amount", *rows]), encoding="utf-8")
    p = cv.read_predictions(tmp_path / "p.csv")
    np.testing.assert_allclose(p.fields["amount"], values)
    assert "thousands in 'amount'" in p.about["assumed"]


def test_the_minus_of_typesetting_is_one(tmp_path):
    logits = np.log(PROB.clip(0.01, 0.99) / (1 - PROB.clip(0.01, 0.99))).round(3)
    rows = [f"{y},{logit}".replace("-", "\u2212") for y, logit in zip(LABEL, logits, strict=True)]
    (tmp_path / "p.csv").write_text("\n".join(["label,logit", *rows]), encoding="utf-8")
    np.testing.assert_allclose(cv.read_predictions(tmp_path / "p.csv").probs[:, 1], 1 / (1 + np.exp(-logits)))


@pytest.mark.parametrize("pair", [("no", "sì"), ("nej", "ja"), ("nei", "ja")])
def test_answers_in_other_languages(pair):
    p = cv.read_predictions(pd.DataFrame({"outcome": np.array(pair)[LABEL], "prob": PROB}))
    assert p.class_names == pair
    np.testing.assert_array_equal(p.probs[:, 1], PROB)


def test_utf_32_is_no_text(tmp_path):
    (tmp_path / "p.csv").write_text("\n".join(["prob,label,age", *ROWS]), encoding="utf-32")
    with pytest.raises(ValueError, match=r"the file is no text: it holds bytes that are 0; save it as text in UTF-8$"):
        cv.read_predictions(tmp_path / "p.csv")


WEKA_ROWS = [("1:no", "1:no", "", 0.7), ("2:not ok", "1:no", "+", 0.9), ("2:not ok", "2:not ok", "", 0.6)] * 8


def text_of_weka(form, last, title="=== Predictions on test data ==="):
    rows = [f"{i + 1:6} {a:>10} {p:>10} {e:^6} {form(c, p)} (k{i})" for i, (a, p, e, c) in enumerate(WEKA_ROWS)]
    return "\n".join([title, "", f" inst#     actual  predicted error {last} (key)", *rows, "", "=== Summary ===", ""])


def test_the_predictions_in_a_text_of_weka_are_read(tmp_path):
    (tmp_path / "p.txt").write_text(text_of_weka(lambda c, p: f"{c:g}", "prediction"))
    with pytest.raises(Question) as caught:  # a threshold explains the predictions in both readings
        cv.read_predictions(tmp_path / "p.txt")
    assert [given["positive"] for given, _ in caught.value.lines] == ["predicted", "not ok", "no"]
    p = cv.read_predictions(tmp_path / "p.txt", **caught.value.lines[0][0])
    assert p.of_confidence and p.labels.tolist() == [1, 0, 1] * 8
    np.testing.assert_array_equal(p.probs[:, 1], [row[3] for row in WEKA_ROWS])
    assert "predictions of Weka, without the lines around them" in p.about["assumed"]
    broken = text_of_weka(lambda c, p: f"{c:g}", "prediction").replace("2:not ok", "1:?")
    (tmp_path / "p.txt").write_text(broken)
    with pytest.raises(ValueError, match=r"line 5 of column 'actual' is missing"):
        cv.read_predictions(tmp_path / "p.txt")


def test_the_distributions_in_a_text_of_weka_are_read(tmp_path):
    def of_both(c, said):
        return f"*{c:g},{1 - c:.1f}" if said == "1:no" else f"{1 - c:.1f},*{c:g}"

    (tmp_path / "p.out").write_text(text_of_weka(of_both, "distribution"))
    p = cv.read_predictions(tmp_path / "p.out")
    assert p.class_names == ("no", "not ok") and p.labels.tolist() == [0, 1, 1] * 8
    np.testing.assert_allclose(p.probs[:, 1], [0.3, 0.1, 0.6] * 8)


def test_a_class_that_weka_does_not_know_is_missing(tmp_path):
    (tmp_path / "p.csv").write_text("inst#,actual,predicted,error,prediction\n1,1:?,1:no,,0.8\n2,1:?,2:yes,,0.6\n")
    with pytest.raises(ValueError, match="the column 'actual' has no label in any row"):
        cv.read_predictions(tmp_path / "p.csv")


def test_lines_of_fasttext_lack_the_truth(tmp_path):
    (tmp_path / "p.txt").write_text("__label__no 0.93\n__label__yes 0.71\n")
    with pytest.raises(ValueError, match="are of fastText, whose predictions hold no truth: write this, the predicted"):
        cv.read_predictions(tmp_path / "p.txt")


def test_comments_may_stand_above_names_that_blanks_align(tmp_path):
    rows = [f"{i % 7:<8}{p:<10.4f}{y}" for i, (p, y) in enumerate(zip(PROB, LABEL, strict=True))]
    (tmp_path / "p.txt").write_text("\n".join(["# variable: rain", "# x0: 0", "hour    prob      obs", *rows]))
    p = cv.read_predictions(tmp_path / "p.txt")
    np.testing.assert_array_equal(p.labels, LABEL)
    assert "2 lines above the names of the columns left out" in p.about["assumed"]


@pytest.mark.parametrize("line", ["1 " + "1: " * 40_000, "2 1:no"], ids=["long", "short"])
def test_what_is_no_row_in_a_text_of_weka_is_refused(tmp_path, line):
    text = text_of_weka(lambda c, p: f"{c:g}", "prediction").splitlines()
    (tmp_path / "p.txt").write_text("\n".join([*text[:9], line, *text[9:]]))
    with pytest.raises(ValueError, match="line 10 has 1 value, but the header has 6 names"):
        cv.read_predictions(tmp_path / "p.txt")


def test_rows_that_share_a_value_with_the_first_line_hold_no_names(tmp_path):
    rows = [f"2024-01-01 INFO model={'ab'[i % 2]} prob=0.{i + 1}" for i in range(60)]
    (tmp_path / "p.log").write_text("\n".join(rows))
    with pytest.raises(ValueError, match=r"not a number|found no") as caught:
        cv.read_predictions(tmp_path / "p.log")
    assert "once more" not in str(caught.value)
