"""The pictures of decisions, selective prediction, clinical calibration and segments draw what the tables hold."""

from __future__ import annotations

import matplotlib.style
import numpy as np
import pytest
from figure_checks import check

import calibviz as cv
from calibviz import figures

HEART = cv.load_dataset("heart")
FOREST = HEART["random forest"]
TUMOURS = cv.load_dataset("tumours")
BAYES = TUMOURS["naive Bayes"]
DIGITS = cv.load_dataset("digits")


def drawn(ax, label):
    (line,) = (line for line in ax.get_lines() if line.get_label() == label)
    return line.get_xydata()


def texts(legends):
    return [text.get_text() for legend in legends for text in legend.get_texts()]


def recalibrated():
    calibration, judged = FOREST.split(0.5)
    return judged, cv.Spline().fit(cv.lens("class disease")(calibration))


def test_a_decision_curve_is_that_of_the_table_with_its_band():
    judged, spline = recalibrated()
    table = cv.decision_curve(judged, thresholds=np.arange(0, 0.9, 0.02), calibrator=spline, replicates=20, level=0.9)
    picture = cv.plots.decision_curve(table)
    (ax,) = picture.axes
    for label, strategy in (("model",) * 2, ("recalibrated",) * 2, ("act on all", "treat all")):
        expected = np.column_stack([table.threshold, table.net_benefit.sel(strategy=strategy)])
        np.testing.assert_array_equal(drawn(ax, label), expected)
    np.testing.assert_array_equal(drawn(ax, "act on nobody")[:, 1], 0)
    band = ax.patches[0].get_xy()[: len(table.threshold)]
    np.testing.assert_array_equal(band[:, 1], table.lower.sel(strategy="model"))
    assert len(ax.patches) == 2 and "90 % interval" in texts(picture.legends)
    prevalence, top = table.attrs["prevalence"], float(table.upper.sel(strategy=["model", "recalibrated"]).max())
    low, high = ax.get_ylim()
    assert -0.2 * prevalence < low < 0 and prevalence < top < high < 1.1 * top  # no band is cut off
    assert ax.xaxis.get_major_formatter()(0.2) == "20 %"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("threshold", "net benefit, of all samples")
    assert len(cv.plots.decision_curve(cv.decision_curve(FOREST)).axes[0].patches) == 0  # no bootstrap, no band


def test_a_decision_curve_of_one_outcome_goes_up_to_its_own_prevalence():
    table = cv.decision_curve(DIGITS["naive Bayes"], "classwise").sel(outcome="1")
    prevalence = np.mean(DIGITS["naive Bayes"].labels == 1)
    np.testing.assert_allclose(figures.decision_curve_figure(table).y_range[1], 1.05 * prevalence)


def test_decision_curves_of_models_are_overlaid():
    tables = {name: cv.decision_curve(p) for name, p in HEART.items()}
    (ax,) = cv.plots.decision_curve(tables).axes
    for name, table in tables.items():
        np.testing.assert_array_equal(drawn(ax, name)[:, 1], table.net_benefit.sel(strategy="model"))
    record = check(figures.decision_curve_figure(tables))
    best = np.maximum(tables["random forest"].net_benefit.sel(strategy="treat all"), 0)
    won = int((tables["random forest"].net_benefit.sel(strategy="model") > best).sum())
    assert f"random forest does better than both at {won} of 99 thresholds" in record.alt


def test_those_who_change_sides():
    judged, spline = recalibrated()
    table = cv.changed_sides(judged, calibrator=spline, thresholds=[0.1, 0.3, 0.7])
    up, down, number, worth = cv.plots.changed_sides(table).axes
    rows = {"predicted before": "score", "predicted after": "recalibrated", "observed": "target"}
    for label, name in rows.items():
        expected = np.column_stack([table.threshold, table[name].sel(direction="up")])
        np.testing.assert_array_equal(drawn(up, label), expected)
    bars = drawn(up, "95 % interval")
    np.testing.assert_array_equal(bars[::3, 1], table.lower.sel(direction="up"))
    np.testing.assert_array_equal(drawn(number, "up: acted on only after")[:, 1], table["count"].sel(direction="up"))
    np.testing.assert_array_equal(drawn(worth, "after")[:, 1], table.net_benefit.sel(when="after"))
    assert not table["count"].sel(direction="down").any() and down.get_title() == "Acted on no more: nobody"
    for record in figures.changed_sides_figures(table):
        check(record)


def test_predicted_and_observed_near_the_threshold():
    table = cv.local_calibration(FOREST, thresholds=[0.1, 0.5, 0.9])
    (ax,) = cv.plots.local_calibration(table).axes
    np.testing.assert_array_equal(drawn(ax, "predicted"), np.column_stack([table.threshold, table.score]))
    np.testing.assert_array_equal(drawn(ax, "observed"), np.column_stack([table.threshold, table.target]))
    np.testing.assert_array_equal(drawn(ax, "95 % interval")[1::3, 1], table.upper)
    np.testing.assert_array_equal(drawn(ax, "flexible curve")[:, 1], table.curve)
    worst = np.abs(table.gap).max().item()
    assert f"the largest gap is {100 * worst:.2f} %" in check(figures.local_calibration_figure(table)).alt


@pytest.mark.parametrize("generalized", [False, True])
def test_risk_and_coverage_with_their_areas(generalized):
    tables = {name: cv.risk_coverage(p, level=None) for name, p in DIGITS.items()}
    picture = cv.plots.risk_coverage(tables, generalized)
    (ax,) = picture.axes
    for name, p in DIGITS.items():
        label = f"{name}: AURC {cv.aurc(p):.4f}, E-AURC {cv.excess_aurc(p):.4f}"
        assert label in texts(picture.legends)
        risk = tables[name]["generalized_risk" if generalized else "risk"]
        np.testing.assert_array_equal(drawn(ax, label), np.column_stack([tables[name].coverage, risk]))
    assert ax.get_ylabel() == ("wrong and accepted, of all" if generalized else "wrong, of those accepted")


def test_a_net_benefit_far_below_zero_is_in_the_picture_where_it_is_marked():
    table = cv.decision_curve(cv.load_dataset("heart")["random forest"], "class disease", prevalence=0.02)
    here = float(table.net_benefit.sel(strategy="model").sel(threshold=0.5, method="nearest"))
    low, _ = check(figures.decision_curve_figure(table, 0.5)).y_range
    assert low < here


def test_risk_has_its_band_where_the_table_has_a_level():
    table = cv.risk_coverage(DIGITS["naive Bayes"], level=0.9)
    picture = cv.plots.risk_coverage(table)
    (ax,) = picture.axes
    band, line = check(figures.risk_coverage_figure(table)).series
    assert band.name == "90 % interval" and set(table.upper.values) <= set(band.y)
    assert line.name == f"model: AURC {table.aurc:.4f} ({table.aurc_lower:.4f} to {table.aurc_upper:.4f})"
    assert line.name in texts(picture.legends) and len(ax.collections) + len(ax.patches) > 0
    assert len(figures.risk_coverage_figure(table, True).series) == 1
    few = cv.risk_coverage(DIGITS["random forest"].select(range(50)), level=0.9)
    assert figures.risk_coverage_figure(few).series[1].name.endswith("(no interval)")


def test_the_table_of_risk_and_coverage_holds_the_areas_of_each_outcome():
    table = cv.risk_coverage(DIGITS["naive Bayes"], "classwise", level=None)
    np.testing.assert_array_equal(table.aurc, cv.aurc(DIGITS["naive Bayes"], "classwise"))
    np.testing.assert_array_equal(table.excess_aurc, cv.excess_aurc(DIGITS["naive Bayes"], "classwise"))
    alone = cv.risk_coverage(DIGITS["naive Bayes"], "class 3", level=None)
    np.testing.assert_array_equal(table.risk.sel(outcome="3").dropna("point"), alone.risk)
    shown = cv.plots.risk_coverage(table.sel(outcome="3"))
    assert texts(shown.legends) == [
        f"model: AURC {cv.aurc(DIGITS['naive Bayes'], 'class 3'):.4f}, "
        f"E-AURC {cv.excess_aurc(DIGITS['naive Bayes'], 'class 3'):.4f}"
    ]


def test_the_flexible_curve_with_its_band_and_knots():
    p = TUMOURS["logistic regression"]
    upper, lower = cv.plots.calibration_curve(p, level=0.9, smoother="spline").axes
    table = cv.calibration_curve(p, level=0.9, smoother="spline")
    np.testing.assert_array_equal(drawn(upper, "flexible curve"), np.column_stack([table.score, table.probability]))
    np.testing.assert_array_equal(drawn(upper, "knots")[:, 0], table.attrs["knots"])
    at_knots = cv.calibration_curve(p, at=table.attrs["knots"], smoother="spline").probability
    np.testing.assert_array_equal(drawn(upper, "knots")[:, 1], at_knots)
    np.testing.assert_array_equal(upper.patches[0].get_xy()[:101, 1], table.lower)
    np.testing.assert_array_equal(drawn(upper, "perfect"), [[0, 0], [1, 1]])
    assert upper.get_title() == "Calibration curve of class malignant" and lower.get_ylabel() == ""
    found = cv.calibration_indices(p)
    (record, _) = figures.calibration_curve_figures({"model": cv.lens("class malignant")(p)})
    assert f"{100 * found.ici:.2f} % from the diagonal on average (ICI), {100 * found.emax:.2f} %" in check(record).alt


def test_the_penalised_curve_has_no_knots():
    p = TUMOURS["naive Bayes"]
    upper = cv.plots.calibration_curve(p).axes[0]
    table = cv.calibration_curve(p)
    np.testing.assert_array_equal(drawn(upper, "flexible curve"), np.column_stack([table.score, table.probability]))
    assert "knots" not in upper.get_legend_handles_labels()[1]


def test_flexible_curves_of_models_are_overlaid():
    upper, lower = cv.plots.calibration_curve(HEART, selection="sex == 'male'").axes
    for name, p in HEART.items():
        table = cv.calibration_curve(p, selection="sex == 'male'")
        np.testing.assert_array_equal(drawn(upper, name)[:, 1], table.probability)
    assert len(upper.patches) == len(lower.get_lines()) == 3
    for record in figures.calibration_curve_figures({name: cv.lens("class 1")(p) for name, p in HEART.items()}):
        check(record)


def test_segments_are_drawn_as_the_page_draws_them():
    table = cv.segments(FOREST, replicates=99, progress=False)
    record = figures.segments_table(table, most=18)
    shown = table.isel(segment=table.n_fields.values > 0).isel(segment=slice(18))
    assert [row[0].why for row in record.rows] == shown.selection.values.tolist()
    gaps = [dict(row[1].numbers) for row in record.rows]
    for name, values in (
        ("gap", shown.gap),
        ("lower", shown.lower - shown.score),
        ("upper", shown.upper - shown.score),
    ):
        np.testing.assert_allclose([each[name] for each in gaps], values, atol=1e-15)
    beyond = (shown.score < shown.lower_of_all) | (shown.score > shown.upper_of_all)
    assert [not row[1].strip.hollow for row in record.rows] == beyond.values.tolist()
    assert 0 < beyond.sum() < 18
    outer = np.array([row[1].strip.outer for row in record.rows])  # no line is cut off, which would look like its end
    assert outer.min() > 0.01 and outer.max() < 0.99
    assert record.alt.startswith(f"18 of {table.sizes['segment'] - 1} segments: those that are shown to be off first")
    words = {text.get_text() for text in cv.plots.segments(table, most=18).findobj(matplotlib.text.Text)}
    assert {row[4].text for row in record.rows} <= words
    assert not any(word.startswith("The first 12") for word in words)


def test_segments_without_draws_are_not_called_noise():
    record = figures.segments_table(cv.segments(FOREST, depth=1, replicates=0, level=0.9, progress=False))
    assert "No labels were drawn (n=0)" in record.note
    assert {row[-1].text for row in record.rows} == {"–"}
    assert "the 90 % interval" in record.columns[1].why and "90 % interval" in record.rows[0][1].text


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_pictures_take_the_style_of_matplotlib(style):
    with matplotlib.style.context(style):
        picture = cv.plots.decision_curve(cv.decision_curve(FOREST))
        assert picture._repr_png_().startswith(b"\x89PNG")
    dark = picture.get_facecolor()[:3] == (0.0, 0.0, 0.0)
    assert dark == (style == "dark_background")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: cv.plots.decision_curve({}), ValueError, r"table is empty: pass what cv.decision_curve"),
        (lambda: cv.plots.decision_curve(7), TypeError, r"what cv.decision_curve\(...\) returns, not int"),
        (
            lambda: cv.plots.decision_curve({"a": cv.risk_coverage(FOREST)}),
            ValueError,
            r"table\['a'\] must be what cv.decision_curve\(...\) returns, but it holds no 'net_benefit'",
        ),
        (
            lambda: cv.plots.decision_curve({k: cv.decision_curve(p) for k, p in {"a": FOREST, "b": BAYES}.items()}),
            ValueError,
            r"table\['b'\] has the prevalence 0.3726, but table\['a'\] 0.5533: compare models on the same",
        ),
        (
            lambda: cv.plots.decision_curve(cv.decision_curve(DIGITS["naive Bayes"], "classwise")),
            ValueError,
            r"table has several of 'outcome': choose one with .sel\(outcome=...\)",
        ),
        (
            lambda: cv.plots.segments(cv.segments(FOREST, depth=1, replicates=0).isel(segment=0)),
            ValueError,
            r"table must keep the dimension 'segment' of what cv.segments\(...\) returns",
        ),
        (lambda: cv.plots.segments([1]), TypeError, "table must be what cv.segments"),
        (lambda: cv.plots.changed_sides(None), TypeError, "table must be what cv.changed_sides"),
        (lambda: cv.plots.local_calibration("x"), TypeError, "table must be what cv.local_calibration"),
        (
            lambda: cv.plots.risk_coverage(dict.fromkeys("abcdef", cv.risk_coverage(FOREST))),
            ValueError,
            "table has 6 models, but a picture tells 5 apart",
        ),
        (lambda: cv.plots.risk_coverage(cv.risk_coverage(FOREST), "yes"), TypeError, "generalized must be"),
        (lambda: cv.plots.segments(cv.segments(FOREST, depth=1, replicates=0), most=0), ValueError, "most must be"),
        (lambda: cv.plots.calibration_curve({"a": 3}), TypeError, r"predictions\['a'\] must be cv.Predictions"),
    ],
)
def test_what_is_no_such_table_is_refused_by_name(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_nobody_is_missed_without_a_minus():
    for seed in range(30):  # rounding of sums of weights goes either way
        rng = np.random.default_rng(seed)
        score, weight = rng.uniform(0.1, 1.0, (2, 40))
        p = cv.Predictions(score, rng.random(40) < score, weights=weight)
        table = cv.decision_curve(p, lens="class 1", thresholds=[0.01], prevalence=0.3, calibrator=np.sqrt)
        assert figures.acted_on_figure(table, 0.01).alt.count(" 0.00 % missed") == 2
