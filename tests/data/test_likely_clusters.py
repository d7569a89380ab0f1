"""Fields by which rows may depend on each other, where nobody said so."""

import re

import numpy as np
import pandas as pd
import pytest

import calibviz as cv
from calibviz.answers.first_screen.headline_numbers import headline
from calibviz.answers.report_situations import opened
from calibviz.data.columns.recognition import clusters
from calibviz.data.likely_clusters import fields_of_clusters, taken_alone
from tests.report_pages import Page

N = 1000
RNG = np.random.default_rng(0)
SCORE = RNG.random(N)
LABEL = (RNG.random(N) < SCORE).astype(int)
PATIENT = np.arange(N) // 10
SAID = (
    "1,000 rows of 100 different 'patient_id': rows that share one may not be independent, and intervals and tests "
    "take them to be"
)
WAYS = "; cluster='patient_id' takes them together, and cluster=False says that they are independent"


def of(**more) -> cv.Predictions:
    return cv.Predictions(SCORE, LABEL, **more)


def test_a_name_says_what_rows_belong_to():
    fields = {"age": RNG.integers(20, 90, N), "patient_id": PATIENT}
    assert cv.likely_clusters(of(fields=fields)) == {"patient_id": SAID + WAYS}


def imputed(name, person="person", **more):
    """Five imputations of the same samples, one below the other."""
    fields = {name: np.repeat(np.arange(5), N), "ward": np.tile(PATIENT, 5), "dose": np.tile(SCORE, 5)}
    fields |= {person: np.tile(np.arange(N), 5)} if person else {}
    return cv.Predictions(np.tile(SCORE, 5), np.tile(LABEL, 5), fields=fields, **more)


@pytest.mark.parametrize("name", ["imp", ".imp", "Imputation", "m"])
def test_imputations_of_the_same_samples_are_said_with_the_way_to_pool_them(name):
    p = imputed(name)
    said = f"5 imputations of the same 1,000 samples by {name!r}: their rows are not independent"
    with pytest.warns(cv.DependenceWarning, match=f"{re.escape(said)}.*cv.rubin pools.* cluster='person' takes"):
        cv.ks_test(p)
    assert next(iter(cv.likely_clusters(p))) == name
    assert taken_alone(p).short == "5 imputations of the same 1,000 samples count as independent"
    assert taken_alone(p).field == "person" and name not in fields_of_clusters(p)[:1]
    cv.ks_test(imputed(name, cluster="person"))  # warnings are errors
    cv.rubin(imputed(name), "observed_expected", name)
    nameless = imputed(name, person="")
    assert "and cluster=, the field that names a sample, takes" in cv.likely_clusters(nameless)[name]
    assert taken_alone(nameless).field == ""


@pytest.mark.parametrize(
    ("name", "column", "labels"),
    [
        ("imp", np.repeat(np.arange(5), N // 5), LABEL),  # other labels in each
        ("imp", np.arange(N) % 2, np.repeat(LABEL[::2], 2)[::-1][:N] ^ (np.arange(N) % 2)),  # in another order
        ("imp", (np.arange(N) > 300).astype(int), np.zeros(N, int)),  # of unequal size
        ("arm", np.repeat(np.arange(5), N // 5), np.tile(LABEL[: N // 5], 5)),  # of another name
        ("imp", np.zeros(N, int), LABEL),  # one alone
    ],
)
def test_what_is_no_imputation_is_not_said_to_be_one(name, column, labels):
    p = cv.Predictions(SCORE, labels, fields={name: column})
    assert not any("imputations" in said for said in cv.likely_clusters(p).values())


@pytest.mark.parametrize("name", ["patientid", "Question", "match", "imp", "MatchId", "customer no"])
def test_names_of_what_rows_may_belong_to(name):
    assert name in cv.likely_clusters(of(fields={name: [f"n{i}" for i in PATIENT]}))


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("ward", PATIENT),  # a name of nothing that rows belong to
        ("patient", np.arange(N)),  # each row its own
        ("patient", np.arange(N) // 100 % 9),  # so few are groups
        ("patient", np.where(np.arange(N) < 40, 0, np.arange(N))),  # of which hardly one repeats
        ("patient", PATIENT / 2 + 0.25),  # numbers with fractions name nobody
        ("match_pct", np.round(100 * SCORE).astype(int)),  # the score once more
    ],
)
def test_fields_that_are_no_clusters(name, column):
    assert cv.likely_clusters(of(fields={name: column})) == {}


def test_nobody_is_asked_who_has_answered():
    fields = {"patient_id": PATIENT}
    for cluster in ("patient_id", np.arange(N) // 2, False):
        assert cv.likely_clusters(of(fields=fields, cluster=cluster)) == {}


def clustered(seed: int, clusters: int = 50, size: int = 20, agreeing: float = 0.3) -> cv.Predictions:
    """Calibrated scores whose outcomes go together within clusters, by a latent normal variable."""
    from scipy.stats import norm

    rng = np.random.default_rng(seed)
    ward = np.repeat(np.arange(clusters), size)
    score = rng.random(len(ward))
    latent = np.sqrt(agreeing) * rng.normal(size=clusters)[ward] + np.sqrt(1 - agreeing) * rng.normal(size=len(ward))
    return cv.Predictions(score, norm.cdf(latent) < score, fields={"ward": ward})


def test_outcomes_that_agree_within_a_field_are_seen_and_chance_is_not():
    seen = [cv.likely_clusters(clustered(seed)) for seed in range(20)]
    assert all(seen)
    assert "'ward', within which outcomes agree beyond noise: rows that share one" in seen[0]["ward"]
    assert not any(cv.likely_clusters(clustered(seed, agreeing=0.0)) for seed in range(60))


def test_the_agreement_is_the_sum_over_pairs():
    p = clustered(3, clusters=20, size=4)
    alike = np.argsort(np.argsort(p.probs[:, 1])) // 20  # four groups of 80 rows
    expected = np.array([p.labels[alike == group].mean() for group in alike])
    residual, variance = p.labels - expected, expected * (1 - expected)
    pairs = [(i, j) for i in range(80) for j in range(i) if i // 4 == j // 4]
    z = sum(residual[i] * residual[j] for i, j in pairs) / np.sqrt(sum(variance[i] * variance[j] for i, j in pairs))
    score, target = p.probs[:, 1], p.labels.astype(float)
    rows = clusters._Belonging.of(p.fields["ward"], score, target, clusters._mean_of_alike(score, target))
    assert rows is not None and rows.agreement == pytest.approx(z)


def test_scores_that_are_wrong_everywhere_make_no_field_one():
    code = np.where(LABEL, RNG.integers(0, 30, N), RNG.integers(30, 60, N))
    step = np.argsort(np.argsort(SCORE)) // 20
    wrong = cv.Predictions(SCORE**3, LABEL, fields={"code": code, "step": step, "ward": PATIENT})
    assert cv.likely_clusters(wrong) == {}


def test_names_come_first_and_then_the_strongest():
    p = clustered(0)
    fields = {"ward": p.fields["ward"], "floor": p.fields["ward"] // 2, "visit_id": np.arange(1000) // 3}
    first, *others = cv.likely_clusters(cv.Predictions(p.probs, p.labels, fields=fields))
    assert first == "visit_id" and set(others) == {"ward", "floor"}


def test_notes_of_a_file_are_looked_at_too():
    frame = pd.DataFrame({"prob": SCORE, "label": LABEL, "match_id": PATIENT})
    p = cv.read_predictions(frame)
    assert "match_id" in p.notes
    assert p.about["assumed"].endswith(cv.likely_clusters(p)["match_id"])
    assert "may not be independent" not in cv.read_predictions(frame, cluster="match_id").about["assumed"]


def test_page_and_report_say_it_once():
    p = of(fields={"patient_id": PATIENT})
    note = headline(opened(p, None, cv.lens("class 1"))).note
    assert note.count(SAID) == 1
    frame = pd.DataFrame({"prob": SCORE, "label": LABEL, "patient_id": PATIENT})
    read = cv.read_predictions(frame)
    assert read.about["assumed"].endswith(SAID + WAYS)
    noted = headline(opened(read, None, cv.lens("class 1"))).note
    assert noted.count("may not be") == noted.count(f"{SAID}.") == 1
    for each in (p, read):
        text = Page(cv.report(each, "class 1", progress=False).html).text
        assert text.count(SAID) == 1
        assert "cluster=" not in text + note + noted  # of the arguments of functions a page says nothing
