"""Few clusters on a page: no verdict is given that they cannot carry, and it is said why."""

import numpy as np
import pytest
from driver import ExplorerDriver

import calibviz as cv
from calibviz.foundation.validation import clause_of
from calibviz.uncertainty import noise_floors


def made(clusters: int) -> cv.Predictions:
    rng = np.random.default_rng(0)
    score = rng.beta(1.5, 2, 300)
    fields = {"site": rng.choice(list("abc"), 300), "patient": np.arange(300) % clusters}
    return cv.Predictions(score, (rng.random(300) < score).astype(int), fields=fields, cluster="patient")


def test_fewer_than_six_clusters_have_no_test():
    said = str(cv.verdict(made(5)))
    assert said.endswith(": 5 patients are too few to tell.") and "no error shows" not in said


def test_no_segment_is_looked_at_in_few_clusters():
    assert "none lies in 10 clusters or more" in str(cv.verdict(made(8)))


def test_without_another_field_than_the_clusters_no_segment_is_waited_for():
    score = np.linspace(0.05, 0.95, 200)
    alone = cv.Predictions(score, np.arange(200) % 2, fields={"patient": np.arange(200) % 5}, cluster="patient")
    explorer = cv.Explorer(alone, panels=("segments",))
    explorer.finish()
    assert explorer.sentences["segments"] == (
        "Segments were not looked at: no field is left that tells them. "
        "Fields that are left out: patient (the cluster of each sample)."
    )
    explorer.close()


def test_the_decision_says_that_clusters_are_too_few():
    explorer = cv.Explorer(made(4), panels=("decision",))
    explorer.finish()
    said = explorer.sentences["decision"]
    assert said.startswith("4 patients are too few to say what acting is worth.") and "nan" not in said
    table = next(record for record in ExplorerDriver(explorer).records("decision") if record.name == "decision")
    assert not [cell for row in table.rows for cell in row if "nan" in f"{cell.text}{cell.below}"]
    explorer.close()


def test_nobody_is_said_to_help_where_no_change_is_known():
    explorer = cv.Explorer(made(5))
    explorer.finish()
    assert "recalibration" not in explorer.sentences  # and no blank stands for a sentence
    explorer.close()


def test_no_threshold_is_promised_of_few_clusters():
    p = cv.Predictions(np.full(400, 0.99), np.arange(400) % 8 > 0, cluster=np.arange(400) % 10, of_confidence=True)
    explorer = cv.Explorer(p, panels=("decision",))
    explorer.finish()
    needed = "takes accepted samples of clusters worth at least 59 of equal size, and all are worth 10."
    assert needed in explorer.sentences["decision"]
    explorer.close()


def test_acting_in_a_segment_of_clusters_is_not_called_worth_less():
    """A tail of independent rows would be wrong in most sets where each cluster has one outcome."""
    found = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        patient = np.repeat(np.arange(40), 30)
        target = (rng.random(40) < 0.25)[patient]
        score = np.where(rng.random(1200) < 0.5, 0.2, 0.3)
        p = cv.Predictions(score, target, fields={"ward": np.array(["a", "b"])[patient % 2]}, cluster=patient)
        found += cv.verdict(p, threshold=0.25, progress=False).worth_less is not None
    assert found == 0


def test_a_page_gives_reasons_without_code():
    rng = np.random.default_rng(2)
    code = np.arange(300) // 6
    target = (rng.random(50) < 0.5)[code].astype(int)
    p = cv.Predictions(rng.beta(2, 2, 300), target, cluster=code)
    no_interval = (
        "the samples of each cluster share its outcome, but have several scores: there is no interval of an error"
    )
    assert noise_floors.interval_or_why(cv.lens("class 1")(p), cv.ks_error, None, 300) == (None, no_interval)
    with pytest.raises(ValueError, match=f"^{no_interval}; cv.calibration_test tests$"):
        cv.interval(p, error=cv.ks_error, progress=False)
    independent = "would take all samples to be independent, but these lie in clusters"
    assert cv.auc(p).note == f"DeLong's interval of an AUC {independent}"
    with pytest.raises(ValueError, match=r"cluster=False$") as refused:
        cv.hosmer_lemeshow(p)
    assert clause_of(refused.value) == f"the test of Hosmer and Lemeshow {independent}"
    with pytest.raises(ValueError, match=r"see cv\.consistency, cv\.ks_test and cv\.calibration_test$") as refused:
        cv.trust(p, progress=False)
    assert "cv." not in clause_of(refused.value)


def test_a_page_says_that_clusters_are_in_both_sets():
    p = made(60)
    first, second = p.split(0.5)
    said = "patients are in both, so that calibrators have seen outcomes that those judged may depend on."
    both = first.select(np.arange(20))
    with pytest.warns(UserWarning, match="patients are in both"):
        explorer = cv.Explorer(first, calibration=both, calibrator="platt", panels=["recalibration"])
    explorer.finish()
    assert f": {len(both.cluster_values)} {said}" in explorer.sentences["recalibration"]
    explorer.close()
    apart = cv.Explorer(first, calibration=second, calibrator="platt", panels=["recalibration"])
    apart.finish()
    assert "in both" not in apart.sentences["recalibration"]
    apart.close()
