"""Where it is wrong: segments, what they add up to, what they find, and how often they cry wolf."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

import calibviz as cv
from calibviz.context.induced import induced_problem
from calibviz.decisions.by_segment.flagged_segments import flagged_segments


def sites(n: int, seed: int, wrong: float = 0.0) -> cv.Predictions:
    """Calibrated scores of six sites; at the last one the truth is lower by `wrong`."""
    rng = np.random.default_rng(seed)
    score = rng.beta(2, 3, n)
    site = rng.choice(6, n)
    truth = np.clip(score - wrong * (site == 5), 0, 1)
    fields = {
        "site": np.array([f"S{one}" for one in site]),
        "age": rng.integers(20, 90, n),
        "marker": np.where(rng.random(n) < 0.05, np.nan, rng.standard_normal(n)),
    }
    return cv.Predictions(score, (rng.random(n) < truth).astype(int), fields=fields)


def test_the_segments_of_a_field_add_up():
    p = sites(2000, 0)
    table = cv.segments(p, fields=["site", "marker"], depth=1, replicates=0, minimum=1)
    whole = table.sel(segment="all samples")
    for field in ("site", "marker"):
        parts = table.sel(segment=[name for name in table.segment.values if field in name])
        assert parts["count"].sum() == 2000
        gap = (parts.gap * parts.weight).sum() / whole.weight
        assert gap.item() == pytest.approx(whole.gap.item(), abs=1e-12)
    assert "marker is missing" in table.segment.values


def test_each_segment_is_a_selection():
    p = sites(2000, 0)
    table = cv.segments(p, fields=["site", "age"], depth=2, replicates=0, minimum=50)
    names = [name for name in table.segment.values if name.startswith("site = S3, ")]
    assert len(names) == 4
    for name in names:
        low, high = name.removeprefix("site = S3, ").replace("<=", "<").split(" < age < ")
        first = f"{low} <= age" in name
        chosen = (cv.field("site") == "S3") & (cv.field("age") <= float(high))
        chosen &= (cv.field("age") >= float(low)) if first else (cv.field("age") > float(low))
        row = table.sel(segment=name)
        test = cv.kuiper_test(p, "class 1", selection=chosen)
        assert row["statistic"].item() == pytest.approx(test.statistic, abs=1e-12)
        assert row.ratio.item() == pytest.approx(test.ratio, abs=1e-9)
        assert row.p_value.item() == pytest.approx(test.p_value, rel=1e-6)
        assert cv.ks_test(p, "class 1", selection=chosen).ratio <= test.ratio + 1e-12


def test_a_planted_segment_is_found():
    p = sites(2000, 3, wrong=0.13)
    assert cv.ks_test(p).p_value > 0.01  # hardly seen on the whole
    table = cv.segments(p, fields=["site", "age"], progress=False)
    worst = table.isel(segment=0)
    assert str(worst.segment.item()).startswith("site = S5")
    assert worst.p_adjusted.item() <= 0.01
    assert worst.gap.item() < -0.08
    for statistic in ("kuiper", "ks"):
        assert "S5" in str(cv.segments(p, fields="site", replicates=0, error=statistic).segment[0].item())


@pytest.mark.thorough
def test_calibrated_scores_are_seldom_called_wrong():
    rate = np.mean(
        [
            cv.segments(sites(600, i), replicates=99, minimum=30, progress=False).p_adjusted.min().item() <= 0.05
            for i in range(60)
        ]
    )
    assert rate <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 60)


@pytest.mark.thorough
def test_calibrated_scores_are_seldom_called_wrong_where_the_weights_of_one_segment_happen_to_be_whole():
    def worst(seed):
        p = sites(600, seed)
        weights = np.where(p.fields["site"] == "S1", 4.0, 4.5)  # of rows that each stand for one label
        return cv.segments(p.reweighted(weights), replicates=99, minimum=30, progress=False).p_adjusted.min().item()

    rate = np.mean([worst(i) <= 0.05 for i in range(60)])
    assert rate <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 60)


def test_a_weight_in_another_segment_leaves_the_p_value_of_a_segment_as_it_is():
    rng = np.random.default_rng(0)
    score, group = rng.random(2000), rng.choice(["a", "b"], 2000)
    truth = np.clip(score + 0.15 * np.sign(score - 0.5) * (group == "a"), 0, 1)  # too cautious, and right on the whole
    p = cv.Predictions(score, (rng.random(2000) < truth).astype(int), fields={"group": group})

    def own(largest):
        weights = np.full(2000, 1.5)
        weights[np.argmax(group == "b")] = largest
        return cv.segments(p.reweighted(weights), replicates=99, progress=False).sel(segment="group = a")

    alike, apart = own(1.5), own(40.0)
    assert apart.p_value.item() == pytest.approx(alike.p_value.item(), rel=1e-6) and apart.p_value < 1e-5
    assert apart.p_adjusted <= 0.05
    alone = p.select(group == "a")
    assert cv.kuiper_test(alone.reweighted(np.full(len(alone), 1.5))).p_value == pytest.approx(apart.p_value.item())


def test_chance_is_that_of_the_estimators():
    """The walks of all segments at once are those of the test, one by one."""
    from calibviz.decisions.by_segment.divisions import Division
    from calibviz.decisions.by_segment.segment_tests import SegmentWalks, gaps_of

    rng = np.random.default_rng(0)
    score = np.round(rng.random(300), 1)  # ties
    weight = rng.integers(1, 4, 300).astype(float)
    rows = np.argsort(rng.integers(0, 3, 300), kind="stable")
    for given in (None, weight, weight + 0.5):
        problem = cv.ScalarProblem(score, rng.random(300) < score, given)
        division = Division(("a", "b"), ("a", "b"), ((), ()), rows, np.array([0, 140]))
        gaps = gaps_of(problem, problem.given_target[None], problem.score)
        for statistic, test in (("ks", cv.ks_test), ("kuiper", cv.kuiper_test)):
            parts = [problem.taken(np.sort(part)) for _, part in division.segments()]
            sorted_rows = np.concatenate([np.sort(part) for _, part in division.segments()])
            walks = SegmentWalks(problem, replace(division, rows=sorted_rows), statistic, problem.score)
            (ratio,), (total,) = walks.reached(gaps)
            assert ratio == pytest.approx([test(part).ratio for part in parts], abs=1e-9)
            found = [test(part).p_value for part in parts]
            assert walks.p_values(ratio, total) == pytest.approx(found, rel=1e-9)
            assert walks.least(ratio[None], total[None])[0] == pytest.approx(min(found), rel=1e-9)


def test_small_segments_are_named():
    p = sites(300, 0)
    table = cv.segments(p, fields="site", replicates=0, minimum=52)
    small = table.attrs["too_small"]
    assert small and all(count < 52 for count in small.values())
    assert len(small) + table.sizes["segment"] == 7
    assert table.attrs["too_small_words"] == list(small)  # a category is called the same in words
    ages = cv.segments(p, fields="age", replicates=0, minimum=80)
    assert next(iter(ages.attrs["too_small"])).startswith("20 <= age <= ")
    assert ages.attrs["too_small_words"][0].startswith("age 20 to ")
    with pytest.raises(ValueError, match=r"^1 sample in all, fewer than minimum=30: pass a smaller minimum$"):
        cv.segments(cv.Predictions([0.4], [1]), progress=False)
    with pytest.raises(ValueError, match="fewer than minimum=1000"):
        cv.segments(p, minimum=1000)


def test_the_same_samples_are_one_segment():
    p = sites(500, 0)
    doubled = cv.Predictions(p.probs, p.labels, fields={"site": p.fields["site"], "copy": p.fields["site"]})
    table = cv.segments(doubled, replicates=0, minimum=1)
    assert not any("copy" in name for name in table.segment.values)


def test_fields_by_default():
    p = cv.load_dataset("digits")["random forest"]
    table = cv.segments(p, replicates=0, minimum=50)
    assert "predicted = 3" in table.segment.values
    many = cv.Predictions([0.1, 0.9] * 60, [0, 1] * 60, fields={"name": [f"n{i}" for i in range(120)]})
    assert cv.segments(many, replicates=0, minimum=1).segment.values.tolist() == ["all samples"]
    assert cv.segments(many, replicates=0, minimum=1, fields="name").sizes["segment"] == 121


def test_dates_are_cut():
    day = np.array("2024-01-01", dtype="datetime64[D]") + np.arange(200)
    p = cv.Predictions([0.2, 0.8] * 100, [0, 1] * 100, fields={"day": day})
    names = cv.segments(p, replicates=0, minimum=10).segment.values
    assert "2024-01-01 <= day <= 2024-02-19" in names
    fine = {"day": day.astype("datetime64[ns]"), "month": day.astype("datetime64[M]")}
    table = cv.segments(cv.Predictions(p.probs, p.labels, fields=fine), replicates=0, minimum=10, depth=1)
    assert {"2024-01-01 <= day <= 2024-02-19", "2024-01 <= month <= 2024-02"} <= set(table.segment.values)
    assert 'day <= "2024-02-19"' in table.selection
    months = cv.Predictions(p.probs, p.labels, fields={"month": np.repeat(fine["month"][[0, 40]], 100)})
    few = cv.segments(months, replicates=0, minimum=10)
    assert {"month = 2024-01", "month = 2024-02"} <= set(few.segment.values)


def test_selections_tell_times_apart_by_nanoseconds():
    rng = np.random.default_rng(0)
    times = np.datetime64("2024-05-31T00:00:00.000000000") + rng.integers(0, 5000, 1000)
    p = cv.Predictions(rng.random(1000), rng.integers(0, 2, 1000), fields={"time": times})
    table = cv.segments(p, replicates=0, minimum=1, depth=1)
    kept = [cv.selection(text).mask(p).sum() if text else 1000 for text in table.selection.values.tolist()]
    assert kept == table["count"].values.tolist()
    for zone in ("", "Z", "+00:00"):
        late = cv.selection(f'time > "2024-05-31T00:00:00.0000025{zone}"').mask(p)
        np.testing.assert_array_equal(late, times > np.datetime64("2024-05-31T00:00:00.000002500"))


def test_multicalibration_error_is_the_worst_ratio():
    p = sites(1000, 1, wrong=0.2)
    table = cv.segments(p, replicates=0)
    assert cv.multicalibration_error(p, scale="sigma") == table.ratio.max().item()
    whole = cv.kuiper_test(p)
    absolute = cv.multicalibration_error(p)
    assert absolute == pytest.approx(table.ratio.max().item() * whole.statistic / whole.ratio)
    share = min(p.labels.mean(), 1 - p.labels.mean())
    assert cv.multicalibration_error(p, scale="relative") == pytest.approx(100 * absolute / share)


def test_under_a_calibrator():
    p = sites(1000, 1, wrong=0.2)
    spline = cv.Spline().fit(cv.lens("class 1")(p))
    table = cv.segments(p, fields="site", replicates=0, calibrator=spline)
    whole = table.sel(segment="all samples")
    assert whole.score.item() == pytest.approx(cv.lens("class 1")(p).mapped(spline).mean_score)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"fields": "town"}, "fields names 'town'"),
        ({"lens": "pooled"}, "lens must not be 'pooled'"),
        ({"lens": "full"}, "outcome=..."),
        ({"depth": 4}, "depth"),
        ({"error": "ece"}, "error"),
    ],
)
def test_messages(settings, message):
    with pytest.raises(ValueError, match=message):
        cv.segments(sites(200, 0), **settings)


def test_soft_labels_and_problems_are_refused():
    with pytest.raises(ValueError, match="these labels are soft"):
        cv.segments(cv.Predictions([0.2, 0.8], [[0.5, 0.5], [0, 1]]), minimum=1)
    with pytest.raises(TypeError, match="Predictions"):
        cv.segments(cv.ScalarProblem([0.2], [1]))


def test_names_tell_segments_apart():
    moments = 1.6e9 + np.arange(400.0)
    p = cv.Predictions([0.2, 0.8] * 200, [0, 1] * 200, fields={"unix": moments})
    names = cv.segments(p, replicates=0, minimum=10).segment.values
    assert len(set(names)) == len(names) == 5


def test_pairs_of_fields_with_many_values_are_no_burden():
    names = [f"n{i}" for i in range(3000)]
    p = cv.Predictions([0.2, 0.8] * 1500, [0, 1] * 1500, fields={"a": names, "b": names[::-1], "c": names})
    table = cv.segments(p, fields=["a", "b", "c"], depth=3, replicates=0, minimum=2)
    assert table.segment.values.tolist() == ["all samples"]
    assert len(table.attrs["too_small"]) == 3000 * 7


def test_equal_ratios_of_the_draws_count():
    """Of 120 scores of 0.01 without a positive: 30 % of the draws are the same, and 12 % are further off."""
    p = cv.Predictions([0.01] * 120, [0] * 120)
    assert cv.segments(p, replicates=999, fields=[]).p_adjusted[0].item() == pytest.approx(0.42, abs=0.06)


def test_the_selection_of_a_segment_keeps_just_its_samples() -> None:
    rng = np.random.default_rng(0)
    n = 1500
    days = np.datetime64("1969-12-20") + rng.integers(0, 30, n)
    fields = {
        "text": rng.choice(['a "quoted" name', "b", ""], n),
        "and": rng.choice([False, True], n),
        "few": rng.choice([np.nan, 0.1, 2.5], n),
        "whole": rng.integers(-500, 500, n),
        "single": rng.normal(size=n).astype(np.float32),
        "double": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
        "tied": rng.integers(0, 6, n) / 3,
        "day": days,
        "wait": (rng.integers(0, 40, n)).astype("m8[h]"),
        "lost": np.where(rng.random(n) < 0.2, np.datetime64("NaT"), days),
    }
    probs = rng.dirichlet(np.ones(3), n)
    labels = (rng.random(n)[:, None] > probs.cumsum(axis=1)[:, :-1]).sum(axis=1)
    p = cv.Predictions(probs, labels, class_names=["cat", "dog", "cow"], fields=fields)
    for selection in (None, "confidence > 0.5 or few == 0.1", "output <= 0.7"):
        table = cv.segments(p, "class cat", selection=selection, depth=2, minimum=20, replicates=0)
        for segment, text, count in zip(
            table.segment.values, table.selection.values, table["count"].values, strict=True
        ):
            assert len(induced_problem(p, "class cat", str(text) or None)) == count, (segment, text)
        assert len(set(table.selection.values.tolist())) == table.sizes["segment"] > 100
    assert 'predicted == "cat"' in cv.segments(p, minimum=20, replicates=0).selection


def test_names_in_words_have_few_digits_and_selections_keep_the_very_samples():
    p = cv.load_dataset("digits")["naive Bayes"]
    table = cv.segments(p, "top-1", depth=1, replicates=0, fields=["aspect", "slant"], progress=False)
    words = dict(zip(table.segment.values.tolist(), table.words.values.tolist(), strict=True))
    assert words["all samples"] == "all samples" and words["1.14286 <= aspect <= 1.33333"] == "aspect up to 1.4"
    assert words["-19.3115 <= slant <= -7.09649"] == "slant up to −7.096"
    assert len(set(words.values())) == len(words) and not any("<" in text or "-" in text for text in words.values())
    for text, count in zip(table.selection.values, table["count"].values, strict=True):
        assert text == "" or cv.selection(str(text)).mask(p).sum() == count


def test_edges_in_words_are_told_apart_and_keep_all_digits_before_the_point():
    rng = np.random.default_rng(0)
    pay, near = np.sort(rng.integers(12345, 99999, 400)), 1000 + rng.random(400) / 1000
    p = cv.Predictions(rng.random(400), rng.integers(0, 2, 400), fields={"pay": pay, "near": near})
    words = cv.segments(p, depth=1, minimum=10, replicates=0, progress=False).words.values.tolist()
    assert len(set(words)) == len(words) == 9
    assert any(re.fullmatch(rf"pay {pay[0]} to \d{{5}}", text) for text in words)


def test_words_hold_for_the_very_samples_of_a_group_and_for_no_others():
    """Groups of whole numbers and dates are named by what they hold; those of other numbers by their own ends."""
    rng = np.random.default_rng(1)
    n = 900
    day = np.datetime64("1969-12-20") + rng.integers(0, 25, n)
    fields = {
        "age": rng.permutation(np.repeat([10, 11, 12, 13, 14, 40], [200, 260, 300, 50, 50, 40])),
        "visits": np.where(rng.random(n) < 0.1, np.nan, rng.integers(-3, 9, n)),
        "dose": rng.integers(0, 9, n) / 3,
        "reach": rng.normal(size=n),
        "day": day,
        "seen": day.astype("datetime64[s]") + rng.integers(0, 86400, n),
    }
    p = cv.Predictions(rng.random(n), rng.integers(0, 2, n), fields=fields)
    table = cv.segments(p, fields=list(fields), depth=1, minimum=1, replicates=0, progress=False)
    said = dict(zip(table.words.values.tolist(), table.selection.values.tolist(), strict=True))
    assert {"age 10 to 11", "age 12", "age 13 to 40"} <= set(said)
    for text, selection in said.items():
        if not selection or "missing" in text:
            continue
        name, rest = text.split(" ", 1)
        column, kept = fields[name], cv.selection(selection).mask(p)
        read = (lambda s: np.datetime64(s)) if column.dtype.kind == "M" else (lambda s: float(s.replace("−", "-")))
        if name in ("dose", "reach"):
            ends = re.fullmatch(r"(?:above (\S+))? ?(?:up to (\S+))?", rest).groups()
            above, up_to = (None if end is None else read(end) for end in ends)
            true = np.ones(n, dtype=bool) if above is None else column > above
            np.testing.assert_array_equal(kept, true if up_to is None else true & (column <= up_to))
        else:
            least, largest = (read(end) for end in (rest.split(" to ") * 2)[:2])
            assert (column[kept].min(), column[kept].max()) == (least, largest if " to " in rest else least), text


@pytest.mark.parametrize("step", [1, 0.37])
def test_the_least_value_is_a_group_by_itself_where_a_quarter_have_it(step):
    rng = np.random.default_rng(0)
    doses = np.where(np.arange(2000) % 3 == 0, 0, step * rng.integers(1, 500, 2000))
    p = cv.Predictions(np.full(2000, 0.5), rng.integers(0, 2, 2000), fields={"dose": doses})
    table = cv.segments(p, fields="dose", replicates=0, minimum=1).sel(segment="dose = 0")
    assert (table["count"], table.words, table.selection) == ((doses == 0).sum(), "dose 0", "dose <= 0")
    assert (
        cv.segments(p, fields="dose", replicates=0, minimum=1)["count"].sum() == 2 * 2000
    )  # of all samples, and of each part
    lazy = cv.open_predictions(
        xr.Dataset({
            "prob": ("sample", np.full(2000, 0.5)),
            "label": ("sample", p.labels),
            "dose": ("sample", doses),
        }).chunk(sample=300)
    )  # fmt: skip  # short entries stand in rows
    assert (
        cv.segments(lazy, fields="dose", replicates=0, minimum=1).sel(segment="dose = 0")["count"] == (doses == 0).sum()
    )


@pytest.mark.parametrize("step", [1, 0.37])
def test_the_largest_value_is_a_group_by_itself_where_a_quarter_have_it(step):
    rng = np.random.default_rng(0)
    doses = step * np.where(np.arange(2000) % 3 == 0, 500, rng.integers(1, 500, 2000))
    full, name = doses == doses.max(), f"dose = {500 * step:g}"
    p = cv.Predictions(np.full(2000, 0.5), rng.integers(0, 2, 2000), fields={"dose": doses})
    table = cv.segments(p, fields="dose", replicates=0, minimum=1)
    one = table.sel(segment=name)
    assert (one["count"], one.words) == (full.sum(), name.replace(" =", ""))
    np.testing.assert_array_equal(cv.selection(one.selection.item()).mask(p), full)
    assert table["count"].sum() == 2 * 2000 and table.sizes["segment"] == 5  # all samples, and four parts
    data = {"prob": ("sample", np.full(2000, 0.5)), "label": ("sample", p.labels), "dose": ("sample", doses)}
    lazy = cv.open_predictions(xr.Dataset(data).chunk(sample=300))
    xr.testing.assert_identical(cv.segments(lazy, fields="dose", replicates=0, minimum=1)["count"], table["count"])


def test_of_two_values_that_nearly_all_have_each_is_a_group():
    count = [700, 40, 40, 40, 40, 700]
    doses = np.repeat([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], count)
    p = cv.Predictions(np.full(len(doses), 0.5), np.arange(len(doses)) % 2, fields={"dose": doses})
    table = cv.segments(p, fields="dose", replicates=0, minimum=1)
    sizes = dict(zip(table.words.values.tolist(), table["count"].values.tolist(), strict=True))
    assert (sizes["dose 0"], sizes["dose 5"]) == (700, 700) and sum(sizes.values()) == 2 * len(doses)


def test_times_that_differ_by_less_than_a_float_tells_are_cut():
    times = np.datetime64("2024-05-31T00:00:00.000000000") + np.arange(900) // 100
    p = cv.Predictions([0.2, 0.8] * 450, [0, 1] * 450, fields={"time": times})
    assert cv.segments(p, replicates=0, depth=1)["count"].values.tolist()[0] == 900


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_infinite_values_belong_to_the_outermost_groups(dtype):
    rng = np.random.default_rng(0)
    n = 600
    lab = rng.normal(size=n).astype(dtype)
    lab[:30], lab[30:50], lab[50:70] = np.inf, -np.inf, np.nan
    few = rng.choice(np.array([np.inf, -np.inf, 2.0], dtype=dtype), n)
    one = np.where(np.arange(n) < 580, 1 / 3, np.linspace(1, 9, n)).astype(dtype)
    one[:3], one[3:5] = np.nan, np.inf
    p = cv.Predictions(rng.random(n), rng.integers(0, 2, n), fields={"lab": lab, "few": few, "one": one})
    table = cv.segments(p, depth=1, minimum=1, replicates=0, progress=False)
    sizes = dict(zip(table.segment.values.tolist(), table["count"].values.tolist(), strict=True))
    lowest, *_, highest = sorted((name for name in sizes if " lab <=" in name), key=lambda name: float(name.split()[0]))
    assert lowest.startswith("-inf <= lab") and highest.endswith("lab <= inf")
    assert {"few = inf", "few = -inf", "few = 2", "lab is missing", "0.333333 < one <= inf"} <= sizes.keys()
    assert sizes["one = 0.333333"] == 575
    assert sum(size for name, size in sizes.items() if "lab" in name) == n
    assert sum(size for name, size in sizes.items() if "few" in name) == n
    for text, count in zip(table.selection.values, table["count"].values, strict=True):
        assert text == "" or cv.selection(str(text)).mask(p).sum() == count
    assert cv.multicalibration_error(p, minimum=1) > 0
    top = cv.segments(cv.Predictions(p.probs, p.labels, fields={"top": -one}), depth=1, minimum=1, replicates=0)
    sizes = dict(zip(top.segment.values.tolist(), top["count"].values.tolist(), strict=True))
    assert sizes == {"all samples": 600, "top = -0.333333": 575, "-inf <= top <= -8.74624": 22, "top is missing": 3}


def in_groups(group, score, target, **more):
    return cv.Predictions(np.stack([1 - score, score], axis=1), target, fields={"group": group}, **more)


def test_no_quiet_segment_drowns_one_that_is_off():
    """An event in a segment that expects 0.005 has a large ratio; the p-value of 0 of 232 is less all the same."""
    rng = np.random.default_rng(1)
    group = np.repeat([f"g{i:02}" for i in range(25)], [232] + [100] * 24)
    score = np.where(group == "g00", 0.3, 5e-5)
    target = (rng.random(len(score)) < score) & (group != "g00")
    table = cv.segments(in_groups(group, score, target.astype(int)), replicates=499, progress=False)
    assert table.p_adjusted.sel(segment="group = g00") == 1 / 500
    assert table.segment[0] == "group = g00"


@pytest.mark.parametrize("times", [None, [1, 2, 1, 3, 1]])
def test_small_segments_have_exact_p_values(times):
    rng = np.random.default_rng(2)
    score = rng.uniform(0.05, 0.4, 60)
    target, group = (rng.random(60) < 0.6).astype(int), np.repeat(["a", "b"], [20, 40])
    weights = None if times is None else np.resize(times, 60).astype(float)
    p = in_groups(group, score, target, weights=weights)
    table = cv.segments(p, minimum=5, replicates=0, progress=False)
    for name in "ab":
        mine = group == name
        repeats = np.ones(60, dtype=int) if weights is None else weights.astype(int)
        mass = np.ones(1)
        for s in np.repeat(score[mine], repeats[mine]):
            mass = np.convolve(mass, [1 - s, s])
        k = int((repeats * target)[mine].sum())
        exact = min(1.0, 2 * min(mass[: k + 1].sum(), mass[k:].sum()))
        assert table.p_value.sel(segment=f"group = {name}").item() == pytest.approx(max(exact, 1e-15), rel=1e-6)


def test_small_p_values_of_many_sure_samples_are_exact():
    """Nearly all of 5,000 events are all but certain: a sum of their logarithms loses the digits of a small p."""
    score = np.append(np.random.default_rng(7).beta(9, 0.004, 5000), np.full(100, 0.5))
    mass = np.ones(1)
    for s in score[:5000]:
        mass = np.convolve(mass, [1 - s, s])
    below = 2 * np.cumsum(mass)
    k = int(np.searchsorted(below, 1e-9))
    target, order = np.zeros(5100, dtype=int), np.argsort(-score[:5000], kind="stable")
    target[order[:k]] = 1
    group = np.repeat(["sure", "rest"], [5000, 100])
    table = cv.segments(in_groups(group, score, target), minimum=5, replicates=0, progress=False)
    assert 1e-12 < below[k] < 1e-6
    assert table.p_value.sel(segment="group = sure").item() == pytest.approx(below[k], rel=1e-2)


def test_an_overall_shift_makes_no_segment_unlike_the_others():
    flagged = {"shift": 0, "one": 0}
    for seed in range(12):
        rng = np.random.default_rng(seed)
        score, group = rng.beta(2, 3, 900), rng.choice(list("abcdef"), 900)
        odds = score / (1 - score) * np.exp(-0.6)
        truth = odds / (1 + odds)
        for name, gap in (("shift", 0.0), ("one", 0.25)):
            target = (rng.random(900) < np.clip(truth + gap * (group == "f"), 0, 1)).astype(int)
            table = cv.segments(in_groups(group, score, target), replicates=99, progress=False)
            assert table.p_adjusted.min() <= 0.05
            found = table.segment.values[table.p_unlike.values <= 0.05]
            flagged[name] += "group = f" in found if gap else len(found) > 0
    assert flagged["shift"] <= 3 and flagged["one"] >= 9


@pytest.mark.thorough
@pytest.mark.parametrize("is_rare", [True, False])
def test_a_segment_of_rare_events_is_found_to_be_unlike_the_others(is_rare):
    """Draws of a curve of their own may leave fewer than no event, or more than all: these are no smaller chances."""
    found, false = 0, 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        score, site = rng.beta(0.5, 20, 3000), rng.choice(list("abcdefghij"), 3000)
        truth = np.where(site == "a", np.minimum(4 * score, 1), score)
        fields = {"site": site, "ward": rng.choice(list("xyz"), 3000)}
        for chance, is_found in ((truth, True), (score, False)):
            label = rng.random(3000) < chance
            p = cv.Predictions(*((score, label) if is_rare else (1 - score, ~label)), fields=fields)
            table = cv.segments(p, minimum=20, replicates=59, rng=seed, progress=False)
            if is_found:
                found += table.p_unlike.sel(segment="site = a").item() <= 0.05
            else:
                false += table.p_unlike.min().item() <= 0.05
    assert found >= 5
    assert false <= 2


def test_segments_that_are_shown_come_first_by_the_gap_that_is_sure():
    table = cv.segments(sites(3000, 0, 0.15), replicates=199, progress=False)
    flagged = ((table.p_adjusted <= 0.05) | (table.p_unlike <= 0.05)).values
    sure = np.maximum(0, np.maximum(table.lower - table.score, table.score - table.upper)).values
    count = int(flagged.sum())
    assert 0 < count < len(flagged) and flagged[:count].all()
    assert (np.diff(sure[:count]) <= 0).all() and (np.diff(table.p_value.values[count:]) >= 0).all()
    alone = cv.segments(sites(3000, 0, 0.15), replicates=0, progress=False)
    assert (np.diff(alone.p_value.values) >= 0).all() and np.isnan(alone.p_unlike).all()


def test_a_fitted_calibrator_is_named_beside_its_p_values():
    p = sites(600, 0)
    spline = cv.Spline().fit(cv.lens("class 1")(p))
    settings = {"replicates": 9, "progress": False}
    assert "fitted calibrator" in cv.segments(p, calibrator=spline, **settings).p_adjusted.attrs["note"]
    assert "note" not in cv.segments(p, **settings).p_adjusted.attrs


HEART_ROWS = ("count", "score", "target", "lower", "upper")


@pytest.fixture(scope="module")
def hearts():
    p = cv.load_dataset("heart")["logistic regression"]
    return p, cv.segments(p, depth=2, minimum=100, progress=False)


def test_a_segment_that_is_mostly_in_one_above_is_judged_on_the_rest(hearts):
    """Who has no cholesterol on record is mostly who was treated in Zurich or Basel; the others are within noise."""
    p, table = hearts
    row = table.sel(segment="cholesterol is missing")
    assert (row["count"], row.shared, row.shared_with) == (202, 123, "site = Zurich and Basel")
    rest = cv.selection(str(row.selection.item())) & ~(cv.field("site") == "Zurich and Basel")
    assert rest.mask(p).sum() == 202 - 123
    problem = induced_problem(p, "class disease", rest)
    assert row.rest_score.item() == pytest.approx(problem.mean_score, abs=1e-12)
    assert row.rest_target.item() == pytest.approx(problem.mean_target, abs=1e-12)
    assert (round(row.rest_lower.item(), 2), round(row.rest_upper.item(), 2)) == (0.49, 0.72)
    assert row.p_adjusted <= 0.05 < row.rest_p_adjusted and row.p_unlike <= 0.05 < row.rest_p_unlike


def test_what_is_shared_is_the_samples_that_both_selections_keep(hearts):
    p, table = hearts
    masks = [cv.selection(text).mask(p) if text else np.ones(len(p), dtype=bool) for text in table.selection.values]
    shown = (table.p_adjusted <= 0.05) & (table.n_fields > 0)
    assert (table.shared_with != "").sum() > 3
    for i in range(len(masks)):
        row = table.isel(segment=i)
        above = [
            j
            for j in range(i)
            if shown[i]
            and shown[j]
            and (masks[i] & masks[j]).sum() >= masks[i].sum() / 2
            and not (row.lower > row.score and table.upper[j] < table.score[j])
            and not (row.upper < row.score and table.lower[j] > table.score[j])
        ]
        assert row.shared_with == (table.segment.values[above[0]] if above else "")
        assert row.shared == ((masks[i] & masks[above[0]]).sum() if above else 0)
        assert np.isnan(row.rest_score) == (not above or row.shared == row["count"])


def test_one_wrong_segment_is_one_piece_of_news(hearts):
    p, table = hearts
    assert cv.calibration_test(p).shown is table.attrs["all_samples_off"] is False
    flagged = flagged_segments(table)
    assert len(flagged) == (table.p_adjusted <= 0.05).sum() > 4
    assert [each.words for each in flagged if each.is_news] == ["site = Zurich and Basel"]
    first = flagged[0]
    row = table.isel(segment=0)
    assert (first.count, first.predicted, first.observed, first.lower, first.upper) == tuple(
        row[name].item() for name in HEART_ROWS
    )
    assert first.by_curve is None and first.rest is None and not first.cancels
    inside = next(each for each in flagged if each.words == "cholesterol is missing")
    assert (inside.shared, inside.rest.count, inside.shared_with) == (123, 79, "site = Zurich and Basel")


def test_where_all_samples_are_off_those_are_news_that_are_unlike_the_others():
    rng = np.random.default_rng(3)
    score, group = rng.beta(2, 3, 3000), rng.choice(list("abcdefgh"), 3000)
    truth = np.clip(score - 0.15 + 0.15 * (group == "f"), 0, 1)
    p = cv.Predictions(score, (rng.random(3000) < truth).astype(int), fields={"group": group})
    table = cv.segments(p, replicates=199, progress=False)
    assert table.attrs["all_samples_off"] and (table.p_adjusted <= 0.05).sum() > 5
    [one] = flagged_segments(table)
    row = table.sel(segment="group = f")
    assert (one.words, one.by_curve, one.is_news) == ("group = f", row.unlike_score.item(), True)
    first = table.segment.values[0]
    assert first != one.segment  # of which the gap is not the largest, but the gap from the curve
    fitted = cv.segments(p, calibrator=cv.Platt().fit(cv.lens("class 1")(p)), replicates=99, progress=False)
    assert [each.words for each in flagged_segments(fitted)] == ["group = f"]


def test_two_wrong_segments_that_overlap_a_little_are_both_news():
    rng = np.random.default_rng(5)
    score, a, b = rng.beta(2, 3, 4000), rng.choice(list("stuvwxyz"), 4000), rng.choice(list("klmnopqr"), 4000)
    truth = np.clip(score + 0.15 * (a == "u") - 0.15 * (b == "k"), 0, 1)
    p = cv.Predictions(score, (rng.random(4000) < truth).astype(int), fields={"a": a, "b": b})
    table = cv.segments(p, replicates=199, depth=1, progress=False)
    assert {each.words for each in flagged_segments(table) if each.is_news} == {"a = u", "b = k"}


def test_the_rest_is_weighted_as_the_samples_are():
    rng = np.random.default_rng(0)
    times = rng.integers(1, 4, 900)
    score, site = rng.beta(2, 3, 900), rng.choice(list("ab"), 900)
    near = np.where(site == "a", rng.random(900) < 0.9, rng.random(900) < 0.3)
    target = (rng.random(900) < np.clip(score + 0.3 * (site == "a"), 0, 1)).astype(int)
    fields = {"site": site, "near": np.where(near, "yes", "no")}
    weighted = cv.segments(cv.Predictions(score, target, fields=fields, weights=times), replicates=49, depth=1)
    rows = np.repeat(np.arange(900), times)
    repeated = cv.Predictions(score[rows], target[rows], fields={name: each[rows] for name, each in fields.items()})
    repeated = cv.segments(repeated, replicates=49, depth=1)
    for name in ("shared", "rest_score", "rest_target", "rest_lower", "rest_upper"):
        np.testing.assert_allclose(weighted[name], repeated[name], atol=1e-12)
    assert weighted.shared.sel(segment="near = yes") == (times * (near & (site == "a"))).sum() > 0


def test_the_page_and_the_function_look_through_the_same_segments(hearts):
    p, _ = hearts
    state = cv.Explorer(p).state
    table = cv.segments(p, replicates=0, progress=False)
    asked = cv.segments(p, depth=state.depth, minimum=state.minimum, replicates=0, progress=False)
    xr.testing.assert_identical(table, asked)
