"""Words for how many samples there are, where they lie in clusters."""

from dataclasses import replace

import numpy as np
import pytest

import calibviz as cv
from calibviz.answers.report_situations import facts_of, opened
from calibviz.answers.subject import title
from calibviz.data.nouns import SAMPLES, ClusterCount, counted_in, nouns, nouns_of_field
from calibviz.reports.writing.data import data_section

N = 200
SCORE = (np.arange(N) + 0.5) / N
LABEL = (np.arange(N) * 7 % N < np.arange(N)).astype(int)
PATIENT = np.arange(N) // 5
PATIENTS = nouns_of_field("patient_id")


def patients(**more) -> cv.Predictions:
    return cv.Predictions(SCORE, LABEL, fields={"patient_id": PATIENT}, cluster="patient_id", **more)


def situation(p: cv.Predictions, **choices):
    return opened(p, None, cv.lens("class 1"), **choices)


@pytest.mark.parametrize(
    ("count", "n", "of", "words"),
    [
        (None, 1200, None, "1,200 samples"),
        (ClusterCount(PATIENTS, 50, 45.0), 1200, None, "50 patients, 1,200 rows"),
        (ClusterCount(PATIENTS, 50, 40.0), 900, 1200, "50 patients, 900 of 1,200 rows"),
        (ClusterCount(PATIENTS, 50, 39.9), 1200, 1200, "50 patients (worth 40 of equal size), 1,200 rows"),
        (ClusterCount(PATIENTS, 1, 1.0), 1, None, "1 patient, 1 row"),
    ],
)
def test_clusters_come_first_and_samples_are_their_rows(count, n, of, words):
    assert counted_in(SAMPLES, n, count, of) == words


def test_samples_that_have_a_noun_keep_it():
    count = ClusterCount(PATIENTS, 50, 50.0)
    assert counted_in(nouns("visits"), 1200, count) == "50 patients, 1,200 visits"


def test_the_text_of_predictions_counts_clusters():
    assert "200 samples, 40 patients, 2 classes" in repr(patients())
    assert "200 samples in 40 clusters, 2 classes" in repr(cv.Predictions(SCORE, LABEL, cluster=PATIENT))
    assert "200 samples, 2 classes" in repr(cv.Predictions(SCORE, LABEL))


def test_the_page_and_the_report_count_those_of_the_selection():
    p = patients()
    assert title(situation(p))[1] == facts_of(situation(p))["judged"] == "40 patients, 200 rows"
    part = situation(p, selection="patient_id < 7")
    assert title(part)[1] == facts_of(part)["judged"] == "7 patients, 35 of 200 rows"
    plain = situation(cv.Predictions(SCORE, LABEL))
    assert title(plain)[1] == facts_of(plain)["judged"] == "200 samples"
    assert "<dd>40 patients, 200 rows</dd>" in str(data_section(p))
    assert "<dd>200</dd>" in str(data_section(cv.Predictions(SCORE, LABEL)))


def test_the_verdict_counts_clusters_in_place_of_what_weights_are_worth():
    weights = np.where(np.arange(N) % 2, 1.5, 0.5)
    said = cv.verdict(cv.Predictions(SCORE, LABEL, weights=weights), "class 1")
    assert "200 samples, worth 160 by their weights," in said.sentence
    in_clusters = replace(said, in_clusters="40 patients, 200 rows").sentence
    assert "40 patients, 200 rows" in in_clusters and "worth" not in in_clusters
