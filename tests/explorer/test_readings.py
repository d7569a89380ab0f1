"""Answers are made again only where a choice that they read, or a job that they asked for, has changed."""

from __future__ import annotations

import os
import sys

import pytest
from driver import screen

import calibviz as cv
from calibviz import Explorer
from calibviz.answers.asked.spec import ALWAYS, Spec, Undeclared
from calibviz.answers.first_screen.verdict import verdict_of
from calibviz.answers.registry import ANSWERS
from calibviz.answers.situation.reading import KEPT_STEPS, reads, slow
from calibviz.answers.situation.situation import Situation
from calibviz.explorer.state.state import ExplorerState

#: Another value of every choice that has one for any data.
OTHERS = {
    "model": "random forest",
    "overlays": ("calibrator: spline",),
    "lens": "top-1",
    "selection": "age > 50",
    "cluster": "chest_pain",
    "binning": "equal-mass",
    "bins": 7,
    "gamma": 0.25,
    "distance": "L2",
    "weights": {"disease": 2.0},
    "matrix": ((1.0, 0.0), (0.0, 1.0)),
    "norm": "maximum",
    "interval": "none",
    "curves": (),
    "scale": "stretched ends",
    "cumulative": "score",
    "samples": "calibration",
    "title": "Two clinics",
    "noun": "patients",
    "event_noun": "fell ill",
    "likert": (0.0, 0.3, 1.0),
    "calibrator": "platt",
    "calibrators": ("isotonic",),
    "knots": 3,
    "spline": ("monotone",),
    "temperature": 2.0,
    "metrics": ("brier",),
    "rows": "metric",
    "switches": ("max prob",),
    "comparison": "bars",
    "by": "group",
    "zoom": (1, 2),
    "bin": 3,
    "order": "label",
    "sample": 3,
    "threshold": 0.3,
    "prevalence": 0.2,
    "risk": 0.2,
    "depth": 2,
    "minimum": 60,
    "centre": "sex",
    "margin": 0.05,
    "projector": True,
}


@pytest.fixture(scope="module")
def hearts():
    explorer = Explorer(cv.load_dataset("heart"), panels=("reliability",))
    explorer.finish()
    yield explorer
    explorer.close()


def made_of(explorer, **choices):
    """The situation of these choices; those that the state takes as other types become what a `Spec` has."""
    other = ExplorerState(explorer.state.models)
    other._offer(explorer.situation.engine.by_field)
    other.update(**{**explorer.state.to_dict(), **choices})
    return Situation(explorer.situation.engine, other.spec)


def test_every_choice_has_another_value_here(hearts):
    apart = {"panels", "kept", "groups", "outcome", "compared"}
    assert set(OTHERS) | apart == set(hearts.state.CHOICES)
    here, others = hearts.state.spec, {name: made_of(hearts, **{name: value}).spec for name, value in OTHERS.items()}
    assert [name for name, other in others.items() if getattr(other, name) == getattr(here, name)] == []


@pytest.mark.parametrize("name", ANSWERS)
def test_what_an_answer_does_not_read_leaves_it_as_it_is(hearts, name):
    answer = ANSWERS[name]
    hearts.finish()
    before = answer.content(hearts.situation), answer.short and answer.short(hearts.situation)
    for choice, value in OTHERS.items():
        if choice not in answer.reads:
            situation = made_of(hearts, **{choice: value})
            after = answer.content(situation), answer.short and answer.short(situation)
            assert after[0] is before[0] and after[1] is before[1], choice


def test_every_choice_is_read_by_an_answer_or_by_none_alone(hearts):
    read = verdict_of.reads.union(*(answer.reads for answer in ANSWERS.values()))
    assert set(hearts.state.CHOICES) - read == {"kept", "title", "projector"}  # these are of the whole page


def test_what_saw_a_job_before_and_after_a_step_is_made_again(hearts):
    """As where a job goes on beside: the first picture has no segment yet, and the second one does."""

    @slow("model")
    def growing(situation):
        yield 0.5, "half"
        yield 1.0, "all"

    @reads("model")
    def pictures(situation):
        job = growing(situation, label="growing")
        first = job.value
        while job.value != "all":
            job.step()
        return first, growing(situation, label="growing").value

    assert pictures(hearts.situation) == (None, "all")
    assert pictures(hearts.situation) == ("all", "all")
    assert pictures(hearts.situation) is pictures(hearts.situation)  # nothing is new any more


def test_a_choice_that_is_not_named_cannot_be_read(hearts):
    @reads("model", "bins")
    def careless(situation):
        return situation.spec.bins, situation.spec.gamma

    with pytest.raises(Undeclared, match="the choice 'gamma' is read, but not named by `reads`"):
        careless(hearts.situation)


def test_to_read_less_is_to_hold_less(hearts):
    narrow = hearts.state.spec.narrowed(["bins", "lens"])
    assert (narrow.bins, narrow.lens) == (hearts.state.bins, hearts.state.lens)
    assert narrow.but(bins=3).bins == 3 and narrow.narrowed(["bins"]).bins == narrow.bins
    for name in set(Spec.__dataclass_fields__) - {"bins", "lens"}:
        if name not in ALWAYS:
            with pytest.raises(Undeclared):
                getattr(narrow, name)
    with pytest.raises(Undeclared):
        narrow.narrowed(["bins", "gamma"])


def test_what_is_made_is_kept_for_some_steps(hearts):
    made = []

    @reads("model", "bins")
    def counted(situation, what):
        made.append((situation.spec.bins, what))
        return object()

    first = counted(hearts.situation, "a")
    assert counted(hearts.situation, "a") is first and counted(hearts.situation, "b") is not first
    assert counted(made_of(hearts, bins=7), "a") is not first and counted(hearts.situation, "a") is first
    assert made == [(15, "a"), (15, "b"), (7, "a")]
    for _ in range(KEPT_STEPS + 1):
        hearts.situation.engine.readings.step()
    assert counted(hearts.situation, "a") is not first


def test_what_a_job_has_come_to_is_read_again(hearts):
    jobs = hearts.situation.engine.jobs

    def steps():
        yield 0.5, "half"
        yield 1.0, "all"

    @reads("model")
    def slow(situation):
        return [situation.engine.jobs.get("of this test", "slow", steps).value]

    @reads("model", "bins")
    def of_slow(situation):
        return [*slow(situation), "and more"]

    jobs.begin()
    first = of_slow(hearts.situation)
    assert first == [None, "and more"] and of_slow(hearts.situation) is first
    (job,) = (job for job in jobs._wanted if job.key == "of this test")
    job.step()
    assert of_slow(hearts.situation) == ["half", "and more"]
    jobs.begin()  # somebody looks again, and finds it as it was
    again = of_slow(hearts.situation)
    assert again == ["half", "and more"] and job in jobs._wanted
    jobs.cancel(job)
    assert of_slow(hearts.situation) is not again
    jobs.forget("of this test")
    assert of_slow(hearts.situation) == [None, "and more"]
    jobs.begin()


def calls_of(action):
    """How many functions of calibviz an action calls."""
    package, count = os.path.dirname(cv.__file__), [0]

    def heard(frame, event, _):
        count[0] += event == "call" and frame.f_code.co_filename.startswith(package)

    sys.setprofile(heard)
    try:
        action()
    finally:
        sys.setprofile(None)
    return count[0]


@pytest.mark.parametrize(
    ("calibrator", "most"),
    [("none", 700), ("spline", 1320)],  # a curve more with its mean, the words of a dot that are laid out, and a step
)
def test_a_step_of_bins_calls_little(hearts, calibrator, most):
    hearts.state.update(bins=20, calibrator=calibrator)
    hearts.finish()
    hearts.state.bins = 19
    hearts.finish()
    assert calls_of(lambda: setattr(hearts.state, "bins", 18)) <= most  # of what does not read the bins nothing is made
    assert screen(hearts).complaint == ""
    hearts.finish()
    hearts.state.bins = 15
    hearts.finish()
