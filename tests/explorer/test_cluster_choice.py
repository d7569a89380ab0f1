"""What samples belong to, chosen on the page: it is as if the predictions had been made so."""

from __future__ import annotations

import numpy as np
import pytest
from driver import screen

import calibviz as cv
from calibviz.answers.first_screen.enough_samples import enough_samples
from calibviz.answers.first_screen.headline_numbers import headline
from calibviz.explorer import Explorer
from calibviz.explorer.state.state import ExplorerState

CHOICE, TERM = "samples that belong together", "cluster"
BUTTON = "Take each patient together"


def made(cluster=None, seed=0):
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(60), 5)
    score = rng.beta(1.5, 1.5, 300)
    target = rng.random(300) < np.clip(score + 0.3 * (patient % 2) - 0.15, 0, 1)
    fields = {"age": rng.normal(60, 9, 300), "patient": patient, "site": rng.choice(list("ab"), 300)}
    return cv.Predictions(score, target.astype(int), fields=fields, cluster=cluster, about={"title": "a trial"})


@pytest.fixture
def opened():
    explorers = []

    def opened(*given, **choices):
        explorers.append(Explorer(*given, **{"panels": ("reliability", "segments"), **choices}))
        explorers[-1].finish()
        return explorers[-1]

    yield opened
    for explorer in explorers:
        explorer.close()


def told(explorer):
    explorer.finish()
    return explorer.sentences, headline(explorer.situation)


def test_a_chosen_field_is_as_if_it_had_been_named(opened):
    chosen, named = opened(made(), cluster="patient"), opened(made("patient"))
    assert told(chosen) == told(named)
    assert "60 patients, 300 rows" in chosen.situation.counted(chosen.situation.before.problems[0])
    assert chosen.cube().identical(named.cube())


def test_independent_samples_are_as_if_they_had_been_said_to_be(opened):
    chosen, said = opened(made("patient"), cluster=False), opened(made(False))
    assert told(chosen) == told(said)


def test_calibrators_are_judged_by_folds_of_whole_clusters(opened):
    choices = {"calibrator": "platt", "panels": ("recalibration", "comparison")}
    assert told(opened(made(), cluster="patient", **choices)) == told(opened(made("patient"), **choices))


def test_a_calibration_set_is_clustered_where_it_has_the_field(opened):
    without = cv.Predictions(made(seed=1).probs, made(seed=1).labels)
    for fit_on, clusters in ((made(seed=1), 60), (without, 300)):
        explorer = opened(made(), calibration=fit_on, cluster="patient", panels=())
        assert explorer.situation.engine.fitted_to("model")[0].n_clusters == clusters


def test_the_line_on_the_first_screen_offers_it_and_undo_takes_it_back(opened):
    explorer = opened(made(), panels=("reliability",))
    page = screen(explorer)
    before = told(explorer)
    assert "300 rows of 60 different 'patient' count as independent" in page.evidence
    page.press(BUTTON)
    assert explorer.state.cluster == "patient" and "count as independent" not in page.evidence
    assert page.steps[0] == [f"{CHOICE}: as in the data → patient"]
    assert BUTTON not in page.buttons
    page.ask("undo")
    assert explorer.state.cluster == "" and told(explorer) == before


def test_the_menu_offers_the_fields_that_repeat_the_likeliest_first(opened):
    page = screen(opened(made()))
    page.open_drawer()
    options = dict(page.controls[TERM].options)
    assert list(options) == [
        "as in the data: all are independent", "patient", "site", "none: all are independent",
    ]  # fmt: skip  # one list in a row
    page.set(TERM, False)
    assert "count as independent" not in page.evidence and f"{CHOICE}." in page.differing
    named = screen(opened(made("patient")))
    named.open_drawer()
    assert named.controls[TERM].options[0] == ("as in the data: patient", "")


def test_a_link_brings_it_back():
    for cluster in ("patient", False):
        other = ExplorerState(["model"])
        other.from_link(ExplorerState(["model"], cluster=cluster).to_link())
        assert other.cluster == cluster


@pytest.mark.parametrize(
    ("field", "why"),
    [
        (
            "ward",
            "Samples cannot belong together by 'ward': there is no field 'ward': the fields are 'age'",
        ),
        ("age", "Samples cannot belong together by 'age': row 0 is "),
    ],
)
def test_what_cannot_be_is_said_and_the_screen_stays(opened, field, why):
    explorer = opened(made(), cluster="patient")
    before = explorer.sentences
    with pytest.raises(ValueError, match="cannot belong together"):
        Explorer(made(), cluster=field)
    explorer.state.cluster = field
    assert why in screen(explorer).complaint
    assert explorer.situation.spec.cluster == "patient"
    screen(explorer).press("Take it back")
    assert screen(explorer).complaint == "" and explorer.sentences == before


def test_how_many_are_enough_is_not_known_where_they_belong_together(opened):
    explorer = opened(made("patient"), panels=())
    assert enough_samples(explorer.situation) == "That is not known where samples belong together."


def test_kept_states_differ_by_it(opened):
    explorer = opened(made(), panels=("reliability",))
    explorer.state.keep("A")
    explorer.state.cluster = "patient"
    explorer.state.keep("B")
    explorer.finish()
    assert "60 patients, 300 rows" in screen(explorer).told_of_kept


@pytest.mark.parametrize("cluster", ["patient", False])
def test_the_code_takes_them_together_too(opened, cluster):
    explorer = opened({"model": made()}, cluster=cluster, panels=("segments",))
    names = {"models": {"model": made()}, "predictions": made()}
    code = explorer.code()
    assert f"predictions = predictions.with_cluster({cluster!r})" in code and f"cluster={cluster!r}," in code
    exec(code, names)
    again = names["explorer"]
    assert told(again) == told(explorer) and names["predictions"].n_clusters == (60 if cluster else 300)
    again.close()


def test_code_of_known_data_names_it_in_the_call(opened):
    explorer = opened(cv.load_dataset("heart"), cluster="sex", panels=())
    assert ".with_cluster('sex')" in explorer.code()


def test_what_was_asked_when_read_is_answered():
    rows = "label,prob,patient\n" + "".join(f"{i % 2},{0.2 + 0.1 * (i % 6)},{i // 4}\n" for i in range(80))
    frame = __import__("io").StringIO(rows)
    pandas = pytest.importorskip("pandas")
    p = cv.Predictions.from_frame(pandas.read_csv(frame))
    assert "different 'patient'" in p.about["assumed"] and "cluster='patient'" in p.about["assumed"]
    for cluster in ("patient", False):
        assert "patient" not in p.with_cluster(cluster).about["assumed"].replace("fields patient", "")
    assert str(p.with_cluster("patient").made_by or "") == ""
