"""One rule for each kind of argument: counts, numbers, paths, lists, rows. test_api_matrix.py tries them all."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import calibviz as cv
from calibviz.foundation import validation
from calibviz.reports import Report


@pytest.mark.parametrize("bad", [2**70, 10**400, 10**5000], ids=["2**70", "10**400", "10**5000"])
@pytest.mark.parametrize(
    "call",
    [
        lambda n: cv.simulated("resnet110_c10", n),
        lambda n: cv.bootstrap(cv.simulated("resnet110_c10", 50), error=cv.ks_error, replicates=n, progress=False),
        lambda n: cv.consistency(cv.simulated("resnet110_c10", 50), error=cv.ks_error, replicates=n, progress=False),
        lambda n: cv.GCE()(cv.simulated("resnet110_c10", 50), bins=n),
        lambda n: cv.Uniform(n),
        lambda n: cv.miss_rates("resnet110_c10", replicates=n, progress=False),
    ],
)
def test_counts_beyond_all_measure_are_refused_at_once(call, bad):
    with pytest.raises(ValueError, match=r"^(n|bins|replicates) must be between \d+ and 1000000000, not "):
        call(bad)


def test_seeds_may_be_large():
    assert len(cv.simulated("resnet110_c10", 5, rng=2**100)) == 5
    large = {"n": 50, "replicates": 2, "progress": False}
    assert cv.simulate_errors("resnet110_c10", "uniform", rng=2**70, **large).bias.size


@pytest.mark.parametrize("bad", [10**400, -(10**400)], ids=["above", "below"])
def test_whole_numbers_that_no_float_holds_are_out_of_range(bad):
    with pytest.raises(ValueError, match="level must lie strictly between 0 and 1, not be "):
        cv.bootstrap(cv.simulated("resnet110_c10", 50), error=cv.ks_error, level=bad)
    with pytest.raises(ValueError, match="score holds a whole number that is too large for a float"):
        cv.ScalarProblem([bad], [1])


@pytest.mark.parametrize(
    "call",
    [Report("mine", "<p>").save, cv.Summary("top-1").save, cv.Summary.load],
)
def test_paths(call, tmp_path):
    for bad in (None, 3, True, 1.5, [], b"abc", np.array(["a"])):
        with pytest.raises(TypeError, match=r"^path must be a path, as text or pathlib\.Path, not "):
            call(bad)
    for bad in ("", "a\0b"):
        with pytest.raises(ValueError, match="is no path of a file"):
            call(bad)


def test_sources_of_predictions():
    for bad in (None, 3, True, 1.5, [], b"abc", np.array(["a"])):
        with pytest.raises(TypeError, match=r"^source must be the path of a file, an open file, a DataFrame or"):
            cv.read_predictions(bad)
    lazy = pl.DataFrame({"prob": [0.4], "label": [0]}).lazy()  # whose columns cannot be asked for without a warning
    with pytest.raises(TypeError, match=r"not LazyFrame: call its collect\(\) first$"):
        cv.read_predictions(lazy)
    for bad in ("", "a\0b"):
        with pytest.raises(ValueError, match="is no path of a file"):
            cv.read_predictions(bad)


def test_views_are_linked_by_a_state_and_nothing_else():
    p = cv.simulated("resnet110_c10", 200)
    for bad in (3, "state", {}, cv.Explorer):
        with pytest.raises(TypeError, match=r"^state must be that of another view, such as explorer.state, not "):
            cv.Panel("reliability", p, state=bad)


def test_rows_of_predictions():
    p = cv.simulated("resnet110_c10", 20)
    kept = [p.select(rows).n_samples for rows in (range(5), [0, -1], np.arange(20) < 7, slice(3), np.array([2, 2]))]
    assert kept == [5, 2, 7, 3, 2]
    for bad in (1.5, "abc", [0.5], np.arange(20) / 2, np.ones(19, bool), np.zeros((2, 2), int), None):
        with pytest.raises(TypeError, match=r"^rows must be "):
            p.select(bad)
    for bad in ([20], [-21]):
        with pytest.raises(ValueError, match=r"rows holds -?\d+, but the 20 rows are 0..19"):
            p.select(bad)


def test_lenses_look_at_predictions_and_binnings_at_problems():
    lenses = ["top-1", "rank 2", "within-top 2", "class 1", "top-2", "full", "classwise", "top-1 by class", "pooled"]
    for one in [*map(cv.lens, lenses), cv.Grouping({"a": [0], "b": [1]})]:
        with pytest.raises(TypeError, match=r"^predictions must be cv\.Predictions\(probs, labels\), not list"):
            one([1, 2])
    for binning in (cv.Uniform(), cv.EqualMass(), cv.Sweep(), cv.Distinct(), cv.KDTree()):
        with pytest.raises(TypeError, match=r"^problem must be what a lens makes of predictions.* not Predictions"):
            binning(cv.simulated("resnet110_c10", 20))


def test_values_are_shown_in_one_line_and_cut():
    assert validation.shown("a\nb") == "'a\\nb'"
    assert validation.shown(np.zeros((2, 2))) == "array([[0., 0.], [0., 0.]])"
    assert len(validation.shown("x" * 10_000)) < 400
    assert validation.shown(10**5000) == "int with too many digits to be written"


def test_groups_of_one_name_are_not_lost():
    with pytest.raises(ValueError, match="groups has a name twice: 'a', 'a'"):
        cv.Grouping((("a", (0,)), ("a", (1,))))


def test_names_that_are_stored_as_bytes_are_text():
    probs, labels = [[0.7, 0.3], [0.4, 0.6]], np.array([b"cat", b"dog"], dtype=object)
    p = cv.Predictions(probs, labels, class_names=[b"cat", "dog"], fields={b"age": [1, 2]})
    assert (p.class_names, p.labels.tolist(), list(p.fields)) == (("cat", "dog"), [0, 1], ["age"])
    with pytest.raises(ValueError, match=r"labels\[1\] is b'\\xff': bytes that are no UTF-8 text"):
        cv.Predictions(probs, np.array([b"cat", b"\xff"], dtype=object), class_names=["cat", "dog"])


def test_what_an_array_says_of_itself_is_told():
    class Closed:
        def __array__(self, *_args, **_named):
            raise ValueError("the file is closed")

    with pytest.raises(ValueError, match="probs cannot be read as an array: the file is closed"):
        cv.Predictions(Closed(), [0])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda p: cv.Predictions.at_horizon(0.5, time=[1.0], event=[1], horizon=1), r"^risk must have shape \(n,\)"),
        (lambda p: cv.Predictions.at_horizon([], time=[], event=[], horizon=1), r"^risk must have shape \(n,\)"),
        (lambda p: cv.by_centre(p, "site", measures=[]), "^measures is empty"),
        (lambda p: cv.summarize_all({}), "^predictions is empty"),
        (lambda p: cv.rubin(p, int, "site"), "^number must be a name or a function of predictions, not <class 'int'>"),
        (lambda p: cv.evaluate(p, noise=np.ones(2)), "^noise must be True or False"),
        (lambda p: cv.evaluate(p, replicates=np.ones(2)), "^replicates must be a whole number"),
        (lambda p: cv.evaluate(p, metrics=np.ones((2, 2))), "^metrics"),
        (lambda p: cv.expected_cost(p, costs=[[0, 1], [1, 0]], reference=int), "^reference must be cv.Predictions"),
    ],
)
def test_what_is_none_of_the_values_is_refused_by_its_name(call, said):
    with pytest.raises((TypeError, ValueError), match=said):
        call(cv.load_dataset("heart")["logistic regression"])
