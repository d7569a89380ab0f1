"""The kernel calibration error: golden values, a slow twin, what it sees, and what is refused."""

import json
import pickle

import numpy as np
import pytest
from golden_sets import SHARED, load

import calibviz as cv

FILE = SHARED / "golden" / "dependence.json"


def drawn(seed: int, n: int = 60, classes: int = 3, **more) -> cv.Predictions:
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet(np.ones(classes), n)
    return cv.Predictions(probs, [rng.choice(classes, p=row) for row in probs], **more)


def by_loops(p: cv.Predictions, nu: float, of=lambda i, j: True) -> float:
    targets, weights = np.eye(p.n_classes)[p.labels], np.ones(len(p)) if p.weights is None else p.weights
    total = pairs = 0.0
    for i in range(len(p)):
        for j in range(i + 1, len(p)):
            if of(i, j):
                near = np.exp(-np.abs(p.probs[i] - p.probs[j]).sum() / 2 / nu)
                total += weights[i] * weights[j] * near * (targets[i] - p.probs[i]) @ (targets[j] - p.probs[j])
                pairs += weights[i] * weights[j]
    return total / pairs


@pytest.mark.skipif(not FILE.exists(), reason="the golden values lie beside the repository")
def test_golden_values():
    records = [each for each in json.loads(FILE.read_text())["records"] if each["call"] == "kernel_error"]
    assert records
    for record in records:
        if "set" in record:
            p = load(record["set"].removesuffix("_probs").removesuffix("_logits"))
            p = p.select(np.arange(record["args"]["rows"]))
        else:
            p = cv.Predictions(record["inline"]["probs"], record["inline"]["labels"])
        found, value = cv.kernel_error(p), record["value"]
        np.testing.assert_allclose(found.bandwidth, value["bandwidth"], rtol=1e-9)
        np.testing.assert_allclose([found.squared, found], [value["squared"], value["error"]], rtol=1e-6)


def test_it_equals_its_definition_with_weights_clusters_and_blocks():
    weights = np.random.default_rng(0).uniform(0.5, 2, 60)
    p = drawn(1, weights=weights, cluster=np.arange(60) // 4)
    found = cv.kernel_error(p)
    assert found.squared == pytest.approx(by_loops(p, found.bandwidth, lambda i, j: i // 4 != j // 4))
    q = drawn(2)
    blocks = cv.kernel_error(q, blocks=7, bandwidth=0.3)
    assert blocks.bandwidth == 0.3
    assert blocks.squared == pytest.approx(by_loops(q, 0.3, lambda i, j: i // 7 == j // 7))
    assert float(blocks) == pytest.approx(np.sqrt(max(0.0, blocks.squared)))


def test_many_rows_are_compared_in_blocks():
    p = drawn(3, 5_001, 4)
    assert cv.kernel_error(p).squared == pytest.approx(cv.kernel_error(p, blocks=2_000).squared)


def test_equal_rows_have_a_bandwidth():
    p = cv.Predictions(np.full((9, 3), 1 / 3), np.arange(9) % 3)
    assert cv.kernel_error(p).bandwidth == 1.0


@pytest.mark.thorough
def test_its_test_keeps_the_level_and_sees_a_shifted_class():
    calm = [
        cv.consistency(drawn(s, 100), "full", error=cv.kernel_error, replicates=99, progress=False).p_value
        for s in range(60)
    ]
    assert np.mean(np.array(calm) <= 0.05) <= 0.12
    seen = []
    for seed in range(10):
        p = drawn(seed, 300)
        moved = p.probs * [0.6, 1.0, 1.0]
        wrong = p.with_probs(moved / moved.sum(axis=1, keepdims=True))
        seen.append(cv.consistency(wrong, "full", error=cv.kernel_error, replicates=99, progress=False).p_value)
    assert np.mean(np.array(seen) <= 0.05) >= 0.4


def test_it_can_be_pickled():
    found = cv.kernel_error(drawn(4))
    again = pickle.loads(pickle.dumps(found))
    assert (again, again.squared, again.bandwidth) == (found, found.squared, found.bandwidth)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"lens": "top-1"}, "kernel_error compares whole rows: choose a lens with several outcomes, such as 'full'"),
        ({"bandwidth": 0}, "bandwidth must be above 0"),
        ({"blocks": 1}, "blocks must be"),
        ({"selection": "confidence > 2"}, "no sample is left"),
    ],
)
def test_what_has_no_pairs_is_refused(options, said):
    with pytest.raises(ValueError, match=said):
        cv.kernel_error(drawn(5), **options)


def test_samples_alone_and_in_one_cluster_are_refused():
    with pytest.raises(ValueError, match="there is one alone"):
        cv.kernel_error(drawn(6, 1))
    with pytest.raises(ValueError, match="there is one cluster alone"):
        cv.kernel_error(drawn(7, 5, cluster=np.zeros(5, int)))


def test_blocks_without_pairs_are_refused():
    said = "no block holds two samples of different clusters: pass larger blocks"
    with pytest.raises(ValueError, match=said):
        cv.kernel_error(drawn(7, 8, cluster=np.repeat(np.arange(4), 2)), blocks=2)
    with pytest.raises(ValueError, match="no block holds two whose weights can be multiplied: pass larger blocks"):
        cv.kernel_error(drawn(7, 3, weights=np.array([1e-200, 1e-200, 1.0])), blocks=2)
