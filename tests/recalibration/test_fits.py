"""The arithmetic of the fits: gradients, Hessians, coordinates, penalties, minima."""

from __future__ import annotations

import re

import numpy as np
import pytest
from calibrator_samples import arrays, fitted, predictions, softmax

import calibviz as cv
from calibviz.recalibration import linear
from calibviz.recalibration.ensemble import _Mixture
from calibviz.recalibration.neural import _Network
from calibviz.recalibration.solvers import conditioning, cross_validation
from calibviz.recalibration.solvers.conditioning import Affine
from calibviz.recalibration.solvers.logit_blocks import logits_of
from calibviz.recalibration.solvers.softmax_likelihood import Penalty, SoftmaxLikelihood

KINDS = ("number", "diagonal", "matrix", "shared")
SHAPES = {"number": (), "diagonal": (4,), "matrix": (4, 4)}


def sample(labels):
    """150 samples with hard labels, with soft ones, or with weights."""
    z, hard = arrays(150)
    rng = np.random.default_rng(5)
    rows = 0.7 * np.eye(4)[hard] + 0.3 * rng.dirichlet(np.ones(4), 150)
    weights = rng.random(150) if labels == "weighted" else None
    return cv.Predictions(labels=rows if labels == "soft" else hard, logits=z, weights=weights)


def likelihood(kind, labels, penalty, monkeypatch):
    if kind == "shared":
        monkeypatch.setattr(conditioning, "MOST_BLOCK_CLASSES", 3)
        kind = "matrix"
    return SoftmaxLikelihood(sample(labels), logits_of, kind, Penalty(0.3, 0.2) if penalty else Penalty())


def some_affine(kind, rng):
    return Affine(rng.normal(size=SHAPES[kind]), rng.normal(size=4))


def differences(f, x, step=1e-6):
    return np.array([(f(x + step * e) - f(x - step * e)) / (2 * step) for e in np.eye(len(x))])


def penalised(p, affine, off, bias):
    """The loss with ODIR, entry by entry."""
    probs = softmax(affine(p.logits.astype(float)))
    rows = np.eye(4)[p.labels] if p.soft_labels is None else p.soft_labels
    weights = np.ones(len(p)) if p.weights is None else p.weights
    out = -(weights * (rows * np.log(probs)).sum(axis=1)).sum() / weights.sum()
    if affine.weight.ndim == 2:
        out += off / 12 * sum(affine.weight[i, j] ** 2 for i in range(4) for j in range(4) if i != j)
    return out + bias / 4 * sum(b**2 for b in affine.bias)


@pytest.mark.parametrize("penalty", [False, True])
@pytest.mark.parametrize("labels", ["hard", "soft", "weighted"])
@pytest.mark.parametrize("kind", KINDS)
def test_gradient_and_hessian(kind, labels, penalty, monkeypatch):
    found = likelihood(kind, labels, penalty, monkeypatch)
    rng = np.random.default_rng(0)
    found._likelihood(found.identity(), found.probs)
    found.coordinates = found._conditioned()
    assert (type(found.coordinates) is conditioning.SharedAxes) == (kind == "shared")
    affine = some_affine(found.kind, rng)
    x = found.coordinates.packed(affine)
    back = found.coordinates.unpacked(x)
    np.testing.assert_allclose(back.weight, affine.weight, atol=1e-10)
    np.testing.assert_allclose(back.bias, affine.bias, atol=1e-10)

    loss, gradient = found._loss(x)
    off, bias = (0.3, 0.2) if penalty else (0, 0)
    assert loss == pytest.approx(penalised(found.predictions, affine, off, bias), rel=1e-9)
    slopes = differences(lambda y: found._loss(y)[0], x)
    np.testing.assert_allclose(gradient, slopes, rtol=1e-5, atol=1e-7)

    direction = rng.normal(size=len(x))
    steps = 1e-4 * direction
    expected = (found._loss(x + steps)[1] - found._loss(x - steps)[1]) / 2e-4
    product = found._hessian_product(x, direction)  # at x again, not at the latest point
    np.testing.assert_allclose(product, expected, atol=1e-3 * np.abs(expected).max())


@pytest.mark.parametrize("kind", ["number", "diagonal", "matrix"])
def test_what_the_penalty_adds(kind):
    affine = some_affine(kind, np.random.default_rng(1))
    value, gradient = Penalty(0.7, 0.4)(affine)
    none = cv.Predictions(labels=[0], logits=np.zeros((1, 4)))
    assert value == pytest.approx(penalised(none, affine, 0.7, 0.4) - penalised(none, affine, 0, 0))
    flat = np.append(affine.weight.ravel(), affine.bias)

    def at(x):
        return Penalty(0.7, 0.4)(Affine(x[:-4].reshape(affine.weight.shape), x[-4:]))[0]

    slopes = differences(at, flat)
    np.testing.assert_allclose(np.append(gradient.weight.ravel(), gradient.bias), slopes, atol=1e-8)


@pytest.mark.parametrize("labels", ["hard", "soft", "weighted"])
@pytest.mark.parametrize(
    "calibrator",
    [
        *(cv.BiasCorrectedTemperature(), cv.VectorScaling(), cv.MatrixScaling()),
        *(cv.MatrixScaling(0.5), cv.MatrixScaling(0.5, bias_penalty=0), cv.MatrixScaling(0, bias_penalty=0.2)),
    ],
    ids=repr,
)
def test_nothing_near_the_fit_is_better(calibrator, labels):
    p = sample(labels)
    found = fitted(calibrator, p)
    off = getattr(found, "penalty_", 0.0)
    bias = off if getattr(found, "bias_penalty", None) is None else found.bias_penalty
    best = Affine(np.asarray(found.weight_), found.bias_)
    least = penalised(p, best, off, bias)
    assert found.gradient_norm_ < 1e-3
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 0.1, 1):
        for _ in range(20):
            move = some_affine({0: "number", 1: "diagonal", 2: "matrix"}[best.weight.ndim], rng)
            other = Affine(best.weight + size * move.weight, best.bias + size * move.bias)
            assert penalised(p, other, off, bias) > least - 1e-9


def test_the_dirichlet_reads_log_probabilities():
    p = predictions(300)
    found = cv.Dirichlet(0.1).fit(p)
    without = cv.Predictions(p.probs, p.labels)
    same = cv.MatrixScaling(0.1).fit(without)
    np.testing.assert_array_equal(found.weight_, same.weight_)
    np.testing.assert_array_equal(found.transform(p).probs, same.transform(without).probs)


def test_a_strong_penalty_leaves_the_diagonal():
    p = predictions(300)
    found = cv.MatrixScaling(1e6, bias_penalty=1e6).fit(p)
    assert np.abs(found.weight_ - np.diag(np.diag(found.weight_))).max() < 1e-4
    assert np.abs(found.bias_).max() < 1e-4
    free_bias = cv.MatrixScaling(1e6, bias_penalty=0).fit(p)
    assert np.abs(free_bias.bias_).max() > 0.1
    vector = cv.VectorScaling().fit(p)
    np.testing.assert_allclose(free_bias.transform(p).probs, vector.transform(p).probs, atol=1e-3)


# ---- the other two losses


@pytest.mark.parametrize("labels", ["hard", "soft", "weighted"])
def test_gradient_of_the_network(labels):
    network = _Network(sample(labels), 3, 0.2)
    rng = np.random.default_rng(0)
    x, along = rng.normal(size=(2, len(network.start())))
    loss, gradient = network.loss(x)
    np.testing.assert_allclose(gradient, differences(lambda y: network.loss(y)[0], x), rtol=1e-5, atol=1e-7)
    ahead, behind = (network.loss(x + step * along)[1] for step in (1e-5, -1e-5))
    for _ in range(2):  # from what is kept of the latest point, and without it
        product = network.hessian_product(x, along)
        np.testing.assert_allclose(product, (ahead - behind) / 2e-5, rtol=1e-5, atol=1e-7)
        network.loss(x)
    start = network.start()
    inner = network.parts(start)[3]
    nothing = penalised(sample(labels), Affine(np.ones(()), np.zeros(4)), 0, 0)
    assert network.loss(start)[0] == pytest.approx(nothing + 0.2 * (inner**2).mean(), rel=1e-9)
    assert loss > 0


@pytest.mark.parametrize("hidden", [2, 16])
def test_the_network_depends_on_nothing_but_the_samples(hidden):
    p, new = predictions(400), predictions(100, seed=8)
    found = cv.NeuralScaling(hidden).fit(p)
    assert found.gradient_norm_ < 1e-7
    moved = np.array([2, 0, 3, 1])
    other, others = (cv.Predictions(labels=np.argsort(moved)[q.labels], logits=q.logits[:, moved]) for q in (p, new))
    of_other = cv.NeuralScaling(hidden).fit(other).transform(others)
    np.testing.assert_allclose(of_other.probs, found.transform(new).probs[:, moved], atol=1e-6)
    times = np.random.default_rng(3).integers(0, 4, 400)
    weighted = cv.Predictions(labels=p.labels, logits=p.logits, weights=times.astype(float))
    repeated = p.select(np.repeat(np.arange(400), times))
    out = [cv.NeuralScaling(hidden).fit(q).transform(new).probs for q in (weighted, repeated)]
    np.testing.assert_allclose(*out, atol=1e-6)


def test_a_network_that_takes_too_long_says_so(monkeypatch):
    p = predictions(400)
    monkeypatch.setattr("calibviz.recalibration.neural.MOST_WORK", 100 * p.probs.size)
    with pytest.warns(RuntimeWarning, match="has not converged: after .* a larger penalty, or fewer hidden units or"):
        found = cv.NeuralScaling().fit(p)
    assert found.gradient_norm_ > 1e-4
    assert cv.log_loss(found.transform(p)) < cv.log_loss(p)


def test_the_network_keeps_its_word():
    p = predictions(200)
    found = fitted(cv.NeuralScaling(3), p)
    z = p.logits
    new = found.scale_ * z + np.tanh(z @ found.inner_.T + found.offset_) @ found.outer_.T + found.shift_
    np.testing.assert_allclose(found.transform(p).probs, softmax(new), atol=1e-12)
    assert found.inner_.shape == (3, 4)
    assert found.outer_.shape == (4, 3)


@pytest.mark.parametrize("labels", ["hard", "soft", "weighted"])
def test_gradient_of_the_mixture(labels):
    p = sample(labels)
    mixture = _Mixture(p)
    x = np.array([0.3, 0.5, 0.3, 0.2])
    loss, gradient = mixture.loss(x)
    np.testing.assert_allclose(gradient, differences(lambda y: mixture.loss(y)[0], x), rtol=1e-6, atol=1e-8)
    rows = np.eye(4)[p.labels] if p.soft_labels is None else p.soft_labels
    mixed = 0.5 * softmax(p.logits * np.exp(0.3)) + 0.3 * softmax(p.logits) + 0.05
    weights = np.ones(len(p)) if p.weights is None else p.weights
    assert loss == pytest.approx(-(weights @ (rows * np.log(mixed)).sum(axis=1)) / weights.sum())


def test_no_mixture_near_the_fit_is_better():
    p = sample("hard")
    found, mixture = cv.EnsembleTemperature().fit(p), _Mixture(p)
    best = np.append(np.log(1 / found.temperature_), found.weights_)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 0.1):
        for _ in range(20):
            w = np.abs(best[1:] + size * rng.normal(size=3))
            other = np.append(best[0] + size * rng.normal(), w / w.sum())
            assert mixture.loss(other)[0] > mixture.loss(best)[0] - 1e-8


def test_a_mixture_far_colder_than_temperature_scaling_is_seen():
    # Three in five are right, however sure: the best says so of the largest logit, whatever its size.
    sizes = np.repeat([0.1, 0.1, 0.1, 50.0], 5)
    labels = np.tile([0, 0, 0, 1, 2], 4)
    p = cv.Predictions(labels=labels, logits=sizes[:, None] * [1.0, 0.0, 0.0])
    assert cv.Temperature().fit(p).temperature_ > 40
    mixed = cv.EnsembleTemperature().fit(p).transform(p)
    assert cv.log_loss(mixed) < -0.6 * np.log(0.6) - 0.4 * np.log(0.2) + 1e-3


# ---- cross-validation


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", [cv.MatrixScaling, cv.Dirichlet])
def test_the_penalty_of_least_loss_is_taken(kind, weighted, monkeypatch):
    monkeypatch.setattr(cross_validation, "PATIENCE", 10)  # so that all of them are tried
    monkeypatch.setattr(linear, "PENALTIES", (10.0, 1.0, 0.1))
    weights = np.random.default_rng(0).integers(0, 3, 60).astype(float) if weighted else None
    p = predictions(60, 3, 2, weights=weights)
    found = fitted(kind("cv"), p)
    kept = p if weights is None else p.select(weights > 0)
    fold = cross_validation.dealt_evenly(kept.labels, len(kept), 5)
    assert np.bincount(fold).max() - np.bincount(fold).min() <= 1
    losses = []
    for penalty in (10.0, 1.0, 0.1):
        total = 0.0
        for k in range(5):
            held_out = kept.select(fold == k)
            out = fitted(kind(penalty), kept.select(fold != k)).transform(held_out)
            total += cv.log_loss(out) * (len(held_out) if weights is None else held_out.weights.sum())
        losses.append(total)
    assert found.penalty_ == (10.0, 1.0, 0.1)[int(np.argmin(losses))]
    np.testing.assert_array_equal(found.weight_, fitted(kind(found.penalty_), p).weight_)


def test_a_penalty_of_the_list_is_taken():
    found = fitted(cv.MatrixScaling("cv"), predictions(200, 3))
    assert found.penalty_ in linear.PENALTIES
    assert found.penalty == "cv"


@pytest.mark.parametrize("penalty", [1.0, "cv"])
def test_both_penalties_are_chosen_each_for_itself(penalty, monkeypatch):
    monkeypatch.setattr(cross_validation, "PATIENCE", 10)
    penalties = (100.0, 1.0, 0.01)
    monkeypatch.setattr(linear, "PENALTIES", penalties)
    p = predictions(80, 3, 2)
    fold = cross_validation.dealt_evenly(p.labels, len(p), 5)

    def loss(off, bias):
        kinds = [cv.MatrixScaling(off, bias).fit(p.select(fold != k)) for k in range(5)]
        return sum(cv.log_loss(kind.transform(rest)) for kind, rest in zip(kinds, map(held_out, range(5)), strict=True))

    def held_out(k):
        return p.select(fold == k)

    off = min(penalties, key=lambda v: loss(v, v)) if penalty == "cv" else penalty
    bias = min(penalties, key=lambda v: loss(off, v))
    off = min(penalties, key=lambda v: loss(v, bias)) if penalty == "cv" else penalty
    found = cv.MatrixScaling(penalty, "cv").fit(p)
    assert (found.penalty_, found.bias_penalty_) == (off, bias)
    np.testing.assert_array_equal(found.weight_, cv.MatrixScaling(off, bias).fit(p).weight_)
    assert cv.MatrixScaling(0.5).fit(p).bias_penalty_ == 0.5
    with pytest.raises(ValueError, match="bias_penalty must be one of 'cv', not 'odir'"):
        cv.MatrixScaling(1.0, "odir")


@pytest.mark.parametrize("least", [3, 12])
def test_a_fit_that_takes_too_long_ends_with_the_best_so_far(least, monkeypatch):
    p = predictions(300, 5)
    one_look = 300 * 5 * 20 + 2 * 25 * 305
    monkeypatch.setattr("calibviz.recalibration.solvers.softmax_likelihood.MOST_WORK", least * one_look)
    message = r"ended after \d+ steps, as 300 samples of 5 classes take long: the norm of the gradient"
    with pytest.warns(RuntimeWarning, match=message) as said:
        found = cv.MatrixScaling(0.1).fit(p)
    assert said[0].filename == __file__ and "cv.VectorScaling() or cv.Temperature(), or fewer" in str(said[0].message)
    assert found.gradient_norm_ > 1e-4
    assert cv.log_loss(found.transform(p)) < cv.log_loss(p)


@pytest.mark.parametrize("penalty", [1e-4, 1e-3])
def test_under_a_tiny_penalty_no_loss_is_left(penalty, monkeypatch):
    p = cv.load_dataset("digits")["neural network"].split(0.5)[0]
    found = cv.MatrixScaling(penalty).fit(p)
    off = found.weight_ - np.diag(np.diag(found.weight_))
    np.testing.assert_allclose(off.sum(axis=0), 0, atol=1e-12)  # shifts of all rows alike are paid for in vain
    assert found.bias_.mean() == pytest.approx(0, abs=1e-12)
    for name, value in (("GRADIENT_TOLERANCE", 1e-9), ("LEAST_GAIN", 1e-13)):
        monkeypatch.setattr(f"calibviz.recalibration.solvers.softmax_likelihood.{name}", value)
    exact = cv.MatrixScaling(penalty).fit(p)
    losses = [
        one._likelihood(p, Penalty(penalty, penalty))._penalised(Affine(one.weight_, one.bias_))[0]
        for one in (found, exact)
    ]
    assert losses[0] - losses[1] < 1e-10


def test_a_fit_says_how_far_it_is(monkeypatch):
    said = []
    monkeypatch.setattr("tqdm.std.tqdm.set_postfix_str", lambda self, text, refresh: said.append(text))
    cv.MatrixScaling(0.1).fit(predictions(300, 5))
    assert re.fullmatch(r"gradient \d\.\de-\d\d, to be 1e-05", said[-1]) and len(said) > 2
    cv.NeuralScaling(2).fit(predictions(300, 5))
    assert said[-1].endswith("to be 1e-08")


def test_cross_validation_needs_samples():
    message = r"penalty 'cv' needs 5 samples at least, not 4: pass a number"
    with pytest.raises(ValueError, match=message):
        cv.MatrixScaling("cv").fit(predictions(4, 2))
    with pytest.raises(ValueError, match=message):
        cv.Dirichlet("cv").fit(predictions(8, 2, weights=[1, 0] * 4))


@pytest.mark.filterwarnings("ignore:no sample of the calibration set has")
@pytest.mark.parametrize("labels", ["hard", "soft", "weighted"])
def test_vector_scaling_looks_at_the_classes_that_have_samples_and_one_for_all_others(labels, monkeypatch):
    """Five of forty classes have samples; those of the first, an absent one, weigh nothing."""
    rng = np.random.default_rng(1)
    z, hard = 2 * rng.normal(size=(400, 40)), 3 * rng.integers(1, 6, 400)
    z[np.arange(400), hard] += 1
    weights = rng.random(400) if labels == "weighted" else None
    if weights is not None:
        hard[:9], weights[:9] = 0, 0.0
    rows = 0.8 * np.eye(40)[hard] + 0.2 * np.eye(40)[np.roll(hard, 1)]
    p = cv.Predictions(logits=z, labels=rows if labels == "soft" else hard, weights=weights)
    whole = SoftmaxLikelihood(p, logits_of, "diagonal", Penalty())
    expected, _ = whole.fit()

    fitted = []
    monkeypatch.setattr(
        SoftmaxLikelihood, "fit", lambda self, fit=SoftmaxLikelihood.fit: fitted.append(self) or fit(self)
    )
    repair = cv.VectorScaling().fit(p)
    assert [of.predictions.n_classes for of in fitted] == [6]
    probs = softmax(expected(z))  # the shifts of all five can grow together without end, by which nothing changes
    np.testing.assert_allclose(repair.transform(p).probs, probs, atol=1e-4)
    assert whole.loss(Affine(repair.weight_, repair.bias_)) == pytest.approx(whole.loss(expected), abs=1e-5)
    present = np.isin(np.arange(40), 3 * np.arange(1, 6))
    assert (repair.weight_[~present] == 1).all() and (repair.bias_[~present] == 0).all()
