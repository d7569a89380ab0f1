"""Every public call with bad values says what it wanted: a sample of them here, all in benchmarks/bad_values.py."""

from __future__ import annotations

import json
from pathlib import Path

import api_calls
import numpy as np
import pytest
from api_calls import Call, calls, run, sample, targets, told

import calibviz as cv

pytestmark = pytest.mark.thorough


def listed(answers):
    return "\n".join(str(one) for one in answers)


@pytest.fixture(scope="module")
def answers():
    """What became of every valid call, and of a sample of those with a bad value, made by one process."""
    valid, some = [Call(target) for target in targets()], sample(700)
    made = run([*valid, *some])
    return made[: len(valid)], made[len(valid) :]


def test_valid_arguments_of_every_public_call_are_taken(answers):
    valid, _ = answers
    assert len(valid) > 250
    bad = [one for one in valid if one.kind != "fine"]
    assert not bad, listed(bad)


def test_bad_values_are_refused_by_name(answers):
    _, some = answers
    assert {(one.call.target, one.call.parameter) for one in some} == {(c.target, c.parameter) for c in calls()}
    bad = [one for one in some if one.kind in ("cryptic", "unnamed", "slow")]
    assert not bad, listed(bad)


def test_a_new_name_is_found_and_needs_a_recipe(monkeypatch):
    def added(unheard_of):
        return unheard_of

    monkeypatch.setattr(cv, "added", added, raising=False)
    monkeypatch.setattr(cv, "__all__", [*cv.__all__, "added"])
    assert targets()["added"] == ["unheard_of"]
    answer = told(Call("added"))
    assert answer.kind == "cryptic" and "no recipe for the argument 'unheard_of' of added" in answer.said


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (lambda n: [0] * n, "cryptic"),
        (lambda n: np.ones(3) if np.ones(3) else None, "cryptic"),
        (lambda n: n.nothing, "cryptic"),
        (lambda n: print(n + object()), "cryptic"),
    ],
)
def test_what_python_says_by_itself_is_cryptic(monkeypatch, function, kind):
    monkeypatch.setattr(cv, "added", function, raising=False)
    assert told(Call("added", "n", "object()")).kind == kind


def test_what_others_raise_is_cryptic(monkeypatch):
    monkeypatch.setattr(cv, "added", lambda n: json.loads("n"), raising=False)
    answer = told(Call("added", "n", "0"))
    assert answer.kind == "cryptic" and "raised in" in answer.said and "decoder.py" in answer.said


@pytest.mark.parametrize(("said", "kind"), [("n must be 1", "refused"), ("it must be 1", "unnamed")])
def test_a_refusal_has_to_name_the_argument(monkeypatch, said, kind):
    def added(n):
        raise ValueError(said)

    monkeypatch.setattr(cv, "added", added, raising=False)
    monkeypatch.setattr(api_calls, "PACKAGE", Path(__file__).parent)
    assert told(Call("added", "n", "0")).kind == kind


def test_a_call_without_end_is_ended(monkeypatch):
    def added(n):
        while True:
            pass

    monkeypatch.setattr(cv, "added", added, raising=False)
    monkeypatch.setattr(api_calls, "SECONDS", 0.05)
    assert told(Call("added", "n", "0")).kind == "slow"
