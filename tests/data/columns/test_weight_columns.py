"""Columns of weights of samples: known by what their names say, asked about where these may say something else."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import calibviz as cv

N = 60
PROB = (np.arange(N) * 7 % N + 0.5) / N
LABEL = (np.arange(N) * 11 % N < 7 * np.arange(N) % N).astype(int)
WEIGHTS = 1.5 + np.arange(N) * 13 % 17


def table(**more):
    return pd.DataFrame({"label": LABEL, "prob": PROB, **more})


@pytest.mark.parametrize(
    "name", ["sample_weight", "survey_weight", "sampling weight", "Case Weights", "surveyWeight", "svy_wt", "iptw"]
)
@pytest.mark.parametrize("ending", [".csv", ".npz", ".jsonl", "frame"])
def test_a_name_says_that_a_column_holds_weights_of_samples(tmp_path, name, ending):
    frame, file = table(**{name: WEIGHTS}), tmp_path / f"mine{ending}"
    records = [
        {"answer": a, "options": ["no", "yes"], "probs": [1 - p, p], name: w}
        for a, p, w in zip(np.where(LABEL, "yes", "no").tolist(), PROB.tolist(), WEIGHTS.tolist(), strict=True)
    ]
    {
        ".csv": lambda: frame.to_csv(file, index=False),
        ".npz": lambda: np.savez(file, **{key: frame[key].to_numpy() for key in frame}),
        ".jsonl": lambda: file.write_text("".join(f"{json.dumps(record)}\n" for record in records)),
        "frame": lambda: None,
    }[ending]()
    source = frame if ending == "frame" else file
    p = cv.read_predictions(source)
    assert p.weights.tolist() == WEIGHTS.tolist() and name not in p.fields
    assert f"weights of samples from {name!r}, which weight='' makes a field" in p.about["assumed"]
    p = cv.read_predictions(source, weight="")
    assert p.weights is None and p.fields[name].tolist() == WEIGHTS.tolist()


def test_weights_that_an_option_names_are_said():
    p = cv.read_predictions(table(heavy=WEIGHTS), weight="heavy")
    assert p.weights.tolist() == WEIGHTS.tolist()
    assert p.about["assumed"].endswith("; weights of samples from 'heavy'")


@pytest.mark.parametrize("name", ["w", "wt", "fnlwgt", "final_weight", "class weight", "count", "Freq"])
def test_a_name_that_may_be_that_of_weights_is_asked_about(name):
    frame = table(**{name: WEIGHTS})
    with pytest.raises(ValueError, match=f"^'{name}' may hold the weights of samples, or be a field\n") as raised:
        cv.read_predictions(frame)
    (of_weights, _), (of_field, _) = raised.value.lines
    p = cv.read_predictions(frame, **of_weights)
    assert p.weights.tolist() == WEIGHTS.tolist() and name not in p.fields
    p = cv.read_predictions(frame, **of_field)
    assert p.weights is None and name in p.fields
    assert name in cv.read_predictions(frame, fields=[name]).fields  # whoever names the fields has answered


@pytest.mark.parametrize(
    "column",
    [
        {"body_weight": WEIGHTS},
        {"weight_kg": WEIGHTS},
        {"w": LABEL},  # an outcome, such as won
        {"w": np.where(WEIGHTS > 5, WEIGHTS, np.nan)},
        {"w": WEIGHTS - 10},
    ],
)
def test_what_holds_no_weights_of_samples_is_a_field(column):
    p = cv.read_predictions(table(**column))
    assert p.weights is None


def test_of_two_columns_of_weights_an_option_chooses():
    frame = table(weight=WEIGHTS, survey_weight=WEIGHTS[::-1])
    with pytest.raises(ValueError, match=r"^found both 'weight' and 'survey_weight': keep one of them, ") as raised:
        cv.read_predictions(frame)
    assert [options["weight"] for options, _ in raised.value.lines] == ["weight", "survey_weight"]


@pytest.mark.parametrize("name", ["specificity_prob", "sampling_prob", "inclusion_probability", "selection_prob"])
def test_a_probability_of_being_drawn_is_none_of_a_class(name):
    with pytest.raises(ValueError, match=f"found no probabilities among the columns '{name}'"):
        cv.read_predictions(pd.DataFrame({"label": LABEL, name: PROB}))
