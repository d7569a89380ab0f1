"""Parts and folds of samples in clusters: no cluster is in two of them."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import calibviz as cv
from calibviz.data.models import calibration_of
from calibviz.foundation.clusters import clusters_taken, dealt_clusters
from calibviz.recalibration import folds_of
from calibviz.recalibration.solvers.cross_validation import best_penalty

SIZES = st.lists(st.integers(1, 30), min_size=2, max_size=40)


def patients(sizes, seed: int = 0, classes: int = 3, **more) -> cv.Predictions:
    rng = np.random.default_rng(seed)
    patient = rng.permutation(np.repeat([f"p{i}" for i in range(len(sizes))], sizes))
    probs = rng.dirichlet(np.ones(classes), len(patient))
    labels = (probs.cumsum(axis=1) < rng.random(len(patient))[:, None]).sum(axis=1)
    return cv.Predictions(probs, labels, fields={"patient": patient}, cluster="patient", **more)


def in_words(codes, wanted, seed):
    """The clusters of the first part, by the rule step by step."""
    names = list(dict.fromkeys(codes.tolist()))
    taken, rows = [], 0
    for i in np.random.default_rng(seed).permutation(len(names)):
        more = rows + int((codes == names[i]).sum())
        if taken and abs(more - wanted) > abs(rows - wanted):
            break
        taken, rows = [*taken, names[i]], more
    return set(taken if len(taken) < len(names) else taken[:-1])


@given(SIZES, st.integers(0, 5), st.sampled_from([0.1, 0.5, 0.8]))
def test_a_split_takes_clusters_until_the_next_would_lead_further_away(sizes, seed, share):
    codes = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    wanted = round(share * len(codes))
    part = clusters_taken(codes, wanted, np.random.default_rng(seed))
    assert set(codes[part]) == in_words(codes, wanted, seed)
    assert not set(codes[part]) & set(codes[~part])


def test_the_parts_of_a_split_share_no_cluster():
    p = patients([4] * 50)
    first, second = p.split(0.3, rng=1)
    assert len(first) == 60 and len(first) + len(second) == len(p)
    assert not first.cluster_values & second.cluster_values
    assert first.n_clusters == 15
    plain, independent = (cv.Predictions(p.probs, p.labels, cluster=cluster) for cluster in (None, False))
    np.testing.assert_array_equal(plain.split_mask(0.3), independent.split_mask(0.3))


def test_subsamples_and_a_share_for_calibration_are_of_whole_clusters():
    p = patients([5] * 40)
    for part in cv.subsamples(p, share=0.5, replicates=3).models.values():
        assert {*np.bincount(part.cluster_codes)} <= {0, 5}
    cube = cv.evaluate(p, metrics="ks", calibrators=["none", "temperature"], calibration=0.5)
    assert np.isfinite(cube["ks"].values).all()


def test_one_cluster_cannot_be_split():
    p = patients([10, 3]).select(np.arange(13))
    one = p.select(p.cluster_codes == 0)
    with pytest.raises(ValueError, match="all 10 samples are of one patient, which cannot be split: pass"):
        one.split()


@given(SIZES, st.integers(2, 5), st.integers(0, 5))
def test_each_cluster_goes_to_the_fold_with_the_fewest_samples(sizes, folds, seed):
    codes = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    fold = dealt_clusters(codes, folds, np.random.default_rng(seed))
    names = list(dict.fromkeys(codes.tolist()))
    order = [names[i] for i in np.random.default_rng(seed).permutation(len(names))]
    held = [0] * folds
    for name in sorted(order, key=lambda name: -sizes[name]):
        assert set(fold[codes == name]) == {held.index(min(held))}
        held[held.index(min(held))] += sizes[name]


def test_cross_fitting_judges_no_sample_by_a_fit_to_its_cluster():
    p = patients([6] * 30)
    fold = folds_of(p, 5)
    assert {*np.bincount(fold)} == {36}
    for code in range(30):
        assert len(set(fold[p.cluster_codes == code])) == 1
    crossed = cv.cross_fitted(p, calibrator="temperature").transform(p)
    k = int(fold[0])
    by_hand = cv.Temperature().fit(p.select(fold != k)).transform(p.select(fold == k))
    np.testing.assert_allclose(crossed.probs[fold == k], by_hand.probs)


def test_fewer_clusters_than_folds_are_refused():
    few = patients([10] * 4)
    with pytest.raises(ValueError, match="5 folds of whole clusters need 5 of them at least, not 4 patients"):
        cv.cross_fitted(few, calibrator="temperature")
    with pytest.raises(ValueError, match="penalty 'cv' needs 5 clusters at least, not 4 patients"):
        cv.MatrixScaling(penalty="cv").fit(few)
    with pytest.raises(ValueError, match="penalty 'cv' needs 5 clusters at least, not 1 patient: pass a number"):
        cv.MatrixScaling(penalty="cv").fit(patients([20]))
    assert cv.cross_fitted(few, calibrator="temperature", folds=4)


def test_the_context_is_judged_on_whole_clusters():
    p = patients([8] * 25, seed=3)
    fitted = cv.InContext(cv.Temperature(), lens="top-1", selection="confidence > 0.5").fit(p)
    assert np.isfinite([fitted.gain_, fitted.noise_]).all()
    few = patients([30] * 4)
    with pytest.warns(RuntimeWarning, match="the context holds 4 patients of the calibration set, too few for 5 folds"):
        cv.InContext(cv.Temperature(), lens="top-1", selection="confidence > 0.1").fit(few)


def test_clusters_in_both_sets_are_warned_of():
    p = patients([6] * 30)
    first, second = p.split(0.5)
    assert calibration_of({"model": second}, {"model": first})
    other = first.select(np.arange(20))
    shared = len(other.cluster_values)
    said = f"calibration and predictions: {shared} patients are in both, so that calibrators have seen outcomes that"
    with pytest.warns(UserWarning, match=said):
        cv.evaluate(first, metrics="ks", calibrators="temperature", calibration=other)
    assert calibration_of({"model": first}, {"model": other})  # which it has said
    assert calibration_of({"model": p}, {"model": p})  # the very samples, as where nothing is fitted
    given_by_values = [cv.Predictions(q.probs, q.labels, cluster=q.fields["patient"]) for q in (first, other)]
    with pytest.warns(UserWarning, match=f"{shared} clusters are in both"):
        calibration_of({"model": given_by_values[0]}, {"model": given_by_values[1]})


def test_rows_keep_the_names_of_their_clusters():
    names = np.array(["d", "b", "a", "c"])  # all differ: no sample shares a cluster
    p = cv.Predictions([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1], cluster=names)
    assert p.cluster_codes is None
    assert p.select(np.array([0, 2])).cluster_values == {"d", "a"}
    first, second = p.split(0.5)
    assert not first.cluster_values & second.cluster_values
    assert calibration_of({"model": second}, {"model": first})  # and no warning
    n, time = 60, np.r_[1.0, 5.0, 1.5, np.full(57, 6.0)]
    followed = cv.Predictions.at_horizon(
        np.full(n, 0.2), time=time, event=np.r_[0, 1, np.zeros(58)], horizon=3, cluster=np.arange(n)[::-1]
    )
    assert followed.cluster_values == set(range(n)) - {59, 57}


def test_very_many_samples_in_clusters_are_not_judged_by_cells(monkeypatch):
    from calibviz.scale import cell_rows

    monkeypatch.setattr(cell_rows, "MOST_DRAWN_SINGLY", 100)
    p = patients([6] * 30, classes=2)
    lens = cv.lens("class 1")
    assert not cell_rows.are_drawn_in_cells(p, lens)
    assert cell_rows.are_drawn_in_cells(cv.Predictions(p.probs, p.labels), lens)


def test_a_penalty_is_chosen_on_whole_clusters(monkeypatch):
    from calibviz.recalibration.solvers import cross_validation

    p, dealt = patients([6] * 30), []
    in_folds = cross_validation.in_folds
    monkeypatch.setattr(cross_validation, "in_folds", lambda *given: dealt.append(in_folds(*given)) or dealt[-1])
    cv.MatrixScaling(penalty="cv").fit(p)
    assert all(len(set(dealt[0][p.cluster_codes == code])) == 1 for code in range(30))
    assert best_penalty is cross_validation.best_penalty


def test_samples_that_are_clusters_of_their_own_are_dealt_as_samples():
    p = patients([6] * 10).select(np.arange(60))
    single = p._with(cluster=None, cluster_codes=np.arange(60))
    plain = cv.Predictions(p.probs, p.labels)
    np.testing.assert_array_equal(folds_of(single), folds_of(plain))
    np.testing.assert_array_equal(single.split_mask(0.3), plain.split_mask(0.3))
