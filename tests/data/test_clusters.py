"""Clusters: which samples belong together, kept by all that is made of predictions."""

import pickle

import numpy as np
import pytest

import calibviz as cv
from calibviz.context.induced import induced_problem
from calibviz.engine.family import ProblemFamily


def patients(weights: np.ndarray | None = None) -> cv.Predictions:
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.ones(3), 12)
    return cv.Predictions(
        probs, rng.integers(0, 3, 12), weights=weights, fields={"patient": list("aabbbccccdef")}, cluster="patient"
    )


def test_a_field_or_values_name_the_clusters():
    p = patients()
    given = cv.Predictions(p.probs, p.labels, cluster=p.fields["patient"])
    assert (p.cluster, given.cluster) == ("patient", "cluster")
    assert p.cluster_codes.tolist() == given.cluster_codes.tolist() == [0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 4, 5]
    assert p.n_clusters == 6
    assert p.effective_clusters == pytest.approx(12**2 / (4 + 9 + 16 + 3))


def test_clusters_of_weight_0_do_not_count():
    p = patients(np.array([1.0] * 9 + [0.0] * 3))
    assert p.n_clusters == 3
    assert p.effective_clusters == pytest.approx(9**2 / (4 + 9 + 16))


def test_values_that_all_differ_are_the_same_as_none():
    p = cv.Predictions([0.2, 0.3], [0, 1], cluster=[7, 5])
    assert p.cluster_codes is None
    assert p.n_clusters == 2


@pytest.mark.parametrize("lens", ["top-1", "class 1", "full", "classwise", "pooled", "top-1 by class", "rank 2"])
@pytest.mark.parametrize("selection", [None, "confidence > 0.5"])
def test_a_problem_of_any_lens_knows_the_cluster_of_each_row(lens, selection):
    p = patients()
    problem = induced_problem(p, lens, selection)
    for part in problem if isinstance(problem, ProblemFamily) else [problem]:
        clusters = p.cluster_codes
        if selection is not None and isinstance(problem, ProblemFamily):
            clusters = p.select(cv.selection(selection).mask(p)).cluster_codes
        np.testing.assert_array_equal(part.cluster_codes, clusters[part.order])


def test_a_family_of_problems_in_clusters_can_be_pickled():
    family = cv.lens("classwise")(patients())
    again = pickle.loads(pickle.dumps(family))
    assert [part.cluster_codes.tolist() for part in again] == [part.cluster_codes.tolist() for part in family]


def test_derived_predictions_and_problems_keep_the_clusters():
    p = patients()
    rows = np.array([5, 6, 9])
    assert p.select(rows).cluster_codes.tolist() == [2, 2, 3]
    for other in (p.with_probs(p.probs), p.reweighted(np.full(12, 2.0)), p.at_prevalence([0.2, 0.3, 0.5])):
        assert other.cluster == "patient"
        np.testing.assert_array_equal(other.cluster_codes, p.cluster_codes)
    problem = cv.lens("top-1")(p)
    assert problem.clusters is p.cluster_codes
    for other in (problem.with_target(problem.given_target), problem.mapped(lambda s: 1 - s)):
        np.testing.assert_array_equal(other.cluster_codes, p.cluster_codes[other.order])
    np.testing.assert_array_equal(problem.above(0.6).cluster_codes, problem.cluster_codes[problem.score > 0.6])


def test_a_scalar_problem_takes_clusters():
    problem = cv.ScalarProblem([0.9, 0.1, 0.6], [1, 0, 1], cluster=["b", "a", "b"])
    assert problem.cluster_codes.tolist() == [0, 1, 1]
    with pytest.raises(ValueError, match=r"cluster must have shape \(3,\), one for each sample, not \(2,\)"):
        cv.ScalarProblem([0.9, 0.1, 0.6], [1, 0, 1], cluster=["b", "a"])


@pytest.mark.parametrize(
    ("cluster", "said"),
    [
        ("patent", "there is no field 'patent': the fields are 'patient'"),
        (["a", None, "b"], "row 1 has none; give a row that belongs to nobody a value of its own"),
        ([1.0, 1.0, 0.5], r"row 2 is 0\.5; text, a whole number or a date names a cluster"),
        ([1.0, np.nan, 2.0], "row 1 has none"),
    ],
)
def test_what_cannot_name_clusters_is_refused(cluster, said):
    with pytest.raises(ValueError, match=f"cluster: {said}"):
        cv.Predictions([0.2, 0.3, 0.4], [0, 1, 0], fields={"patient": [1, 1, 2]}, cluster=cluster)
