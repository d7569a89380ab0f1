"""How many actions lead a newcomer from a file to its first right picture: to drop it is one, each click is one."""

from __future__ import annotations

import pytest
from cases_of_people import CASES, FILES, judge

import calibviz as cv
from calibviz.app.opening import FileChooser

MOST = 2
#: The files that come with another one, which holds their labels.
TRUTHS = {"sub_submission.csv": "sub_solution.csv", "pair_y_prob.npy": "pair_y_true.npy"}
#: What is meant, where a file has several readings or its only one is in doubt.
MEANT = {
    "survival_prob.csv": "P(0) from 'surv_prob_5y'",
    "survival_times.csv": "rows with status 0 may be censored: 'time' stands beside it",
    "truth_is_argmax.csv": "right 100 %; truth from 'label'",
    "two_truths.csv": "right 56 %; truth from 'gold'",
    "pairs_outcome.csv": "P(1) from 'win_division': mean 28 %, observed 35 %; truth from 'win_division_outcome'",
    "two_models_long.csv": "2 models, of which 'Preprocessor1_Model1' has P(Class2)",
    "two_families.csv": "P(1) from 'cal_p1': mean 40 %, observed 48 %",
    "score100.csv": "mean 33 %, observed 48 %; truth from 'Outcome'",
    "margin.csv": "P(1) from 'decision_function': mean 28 %, observed 48 %; truth from 'y_test'",
    "market_resolutions.csv": "5 rows with the label 'MKT' or 'CANCEL' left out",
    "missing_labels.csv": "9 rows without a label left out",
    "confidence_sources.jsonl": "all 3 side by side",
    "confidence_sources_long.csv": "3 models, of which 'verbalised' has ",
    "ignored.npz": "4 rows with the label '-100' left out",
}
#: How its button begins, where that differs.
LED_BY = {"two_truths.csv": "Truth from 'gold': "}
#: The models of files that hold several.
MODELS = {
    "two_models_long.csv": ["Preprocessor1_Model1", "Preprocessor1_Model2"],
    "confidence_sources.jsonl": ["verbalised_confidence", "self_consistency", "logprob_confidence"],
    "confidence_sources_long.csv": ["verbalised", "sampled", "logprob"],
}
#: What holds no probabilities, or several predictions that are none of one another, and says what to do.
WITHOUT = {
    "classes_only.csv": "found no probabilities",
    "odds.csv": "write p = odds / (1 + odds)",
    "multilabel.npz": "the labels are multi-label",
    "model.pkl": "a pickle runs code",
}


def actions_to(name: str) -> tuple[int, cv.Predictions | dict[str, cv.Predictions] | str]:
    """The number of actions, and the predictions that are explored then; or what is said where there are none."""
    explored: list[cv.Predictions | dict[str, cv.Predictions]] = []
    chooser = FileChooser(explored.append)
    try:
        chooser._take(*(FILES / file for file in (name, TRUTHS.get(name)) if file is not None))
        meant = [
            way
            for way in chooser.ways.children
            if LED_BY.get(name, MEANT.get(name, "?")) in way.description.replace("\u00a0", " ").replace("\n", " ")
        ]
        for button in [chooser.explore] if not chooser.explore.disabled else meant:
            button.click()
        return 1 + len(explored), explored[0] if explored else chooser.said.value
    finally:
        chooser.drop.close()


@pytest.mark.parametrize("name", dict.fromkeys(case["file"] for case in CASES.values()))
def test_a_file_opens_in_two_actions_or_says_what_to_do(name: str) -> None:
    pytest.importorskip(CASES[name].get("unless", "numpy"))
    actions, found = actions_to(name)
    assert actions <= MOST
    if isinstance(found, str):
        assert WITHOUT[name] in found
    elif name in MEANT and isinstance(found, dict):
        assert list(found) == MODELS[name]
    elif name in MEANT:
        assert MEANT[name] in found.about["assumed"]
    else:
        of_truth = {case["file"]: case for case in CASES.values() if "truth" in (case["options"] or {})}
        judge(found, of_truth.get(name, CASES[name]))
