"""Lenses and distances at their limits: what a lens may leave out, and powers that nothing survives."""

from __future__ import annotations

import numpy as np
import pytest

import calibviz as cv
from calibviz.context.lenses import Top1, TopK, is_about_predicted

RNG = np.random.default_rng(5)
PREDICTIONS = cv.Predictions(
    RNG.dirichlet([1, 1, 1], 30), RNG.integers(0, 3, 30), weights=np.repeat([0.0, 1.0, 2.0], 10)
)


class Confident:
    """Looks at some samples only."""

    name = "confident"

    def __call__(self, predictions):
        kept = predictions.confidence > 0.6
        return cv.ScalarProblem(predictions.confidence[kept], predictions.top_target[kept], predictions.weights[kept])


class Doubled:
    """Looks at every sample twice."""

    name = "doubled"

    def __call__(self, predictions):
        twice = [np.tile(a, 2) for a in (predictions.confidence, predictions.top_target, predictions.weights)]
        return cv.ScalarProblem(*twice)


class Unweighted:
    """Looks at all samples, whatever their weight."""

    name = "unweighted"

    def __call__(self, predictions):
        return cv.ScalarProblem(predictions.confidence, predictions.top_target)


@pytest.mark.parametrize("lens", [Confident(), Doubled()])
def test_a_lens_looks_at_each_sample_once(lens):
    with pytest.raises(
        ValueError, match=f"lens '{lens.name}' must look at each of the 30 samples once, but it returned"
    ):
        cv.ks_error(PREDICTIONS, lens, selection="label == 1")


def test_a_lens_may_ignore_weights():
    plain = cv.Predictions(PREDICTIONS.probs, PREDICTIONS.labels)
    assert cv.ks_error(PREDICTIONS, Unweighted()) == cv.ks_error(plain)
    assert cv.ks_error(PREDICTIONS, Unweighted(), selection="label == 1") == cv.ks_error(plain, selection="label == 1")


@pytest.mark.parametrize("power", [1, 2, 3.5, 500, 1e6])
def test_powers_of_small_gaps_do_not_vanish(power):
    gap = np.array([[0.05, -0.03, -0.02], [1e-9, -1e-9, 0], [0, 0, 0]])
    found = cv.Lp(power)(np.full((3, 3), 0.2) + gap, np.full((3, 3), 0.2))
    shares = np.array([1 + 0.6**power + 0.4**power, 2.0])
    np.testing.assert_allclose(found, [*np.array([0.05, 1e-9]) * shares ** (1 / power), 0], rtol=1e-6)


def test_accuracy_wants_a_whole_number_of_classes():
    for k in (True, 1.0):
        with pytest.raises(TypeError, match="k must be a whole number"):
            cv.accuracy(PREDICTIONS, k=k)


class OwnTop(Top1):
    """The top-1 lens under a name like that of a class."""

    name = "class malignant"


@pytest.mark.parametrize(
    ("lens", "is_about"),
    [
        (cv.lens("top-1"), True),
        (cv.lens("within-top 3"), True),
        (cv.lens("rank 1"), True),
        (cv.lens("rank 2"), False),
        (TopK(1), True),
        (cv.lens("top-5"), False),
        (cv.lens("top-5: rank 1"), True),
        (cv.Outcome(cv.lens("top-5"), 0), True),
        (cv.lens("top-5: rank 2"), False),
        (cv.lens("top-5: rest"), False),
        (cv.lens("top-1 by class: cat"), True),
        (cv.lens("class top-1"), False),
        (cv.lens("full: 3"), False),
        (cv.lens("pooled"), False),
        (Doubled(), False),
        (OwnTop(), True),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_a_lens_says_itself_whether_it_is_about_the_predicted_class(lens, is_about):
    assert is_about_predicted(lens) == is_about


def test_a_report_believes_the_lens_rather_than_its_name(few_replicates):
    p = cv.load_dataset("tumours")["naive Bayes"].select(range(60))
    page = cv.report(p, lens=OwnTop(), progress=False).html.replace("&nbsp;", " ")
    assert "Over-confident: predicted 99 %, observed 92 %." in page and "Too low:" not in page
