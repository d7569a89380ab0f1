"""Every sentence that claims something of the data is on a list, beside the test that measures how often it errs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("answers", "explorer", "figures", "reports", "simulation")
#: What makes a text a claim, or says how one is to be read.
CLAIM = re.compile(
    r"\b(?:(?:not|is|are) shown to|shown to be|miscalibration is shown|that is shown$|"
    r"within (?:the )?noise|(?:beyond|than) (?:its )?noise|"
    r"unlike the others|helps: |makes it worse|worth (?:more|less) than|worth \{\} than acting|"
    r"is worth \{\}|is better than from|calibrated to within|no error|error shows|"
    r"could hide|unnoticed|told apart|hardly matters,|off in parts|together are off|"
    r"too (?:high|low|extreme|cautious)|refuted|(?:over|under)-confident|than (?:it|they) would|no more than|"
    r"explain this error|calibrated (?:models?|predictions) (?:with these scores )?(?:show|reach))",
    re.IGNORECASE,
)
#: How each claim begins, by the test that upholds it and by the module that makes it.
UPHELD: dict[str, dict[str, list[str]]] = {
    "cube/test_noise.py::test_calibrated_predictions_exceed_the_floor_as_often_as_it_says": {
        "answers/views/clinical.py": ["calibrated predictions reach"],
        "answers/views/comparison.py": [
            "A bar is an error, the line on it the 95 % interval, where t",
            "Grey: no more than calibrated predictions reach by noise in ",
            "Small pictures: the error with its 95 % interval, where ther",
        ],
        "answers/first_screen/headline_numbers.py": ["largest distance of the cumulative curves: an error without "],
        "answers/models.py": ["Below a mean is its 95 % interval. Below an error is what ca"],
        "answers/views/numbers.py": [
            "Both columns are of the same samples, and the same bootstrap",
            "Noise makes measured errors too large. Calibrated prediction",
            "calibrated predictions reach",
            "within noise",
        ],
        "answers/situation/noise.py": [
            "Below each error: what calibrated predictions reach by noise in 95 of 100 cases,",
            "Below each error: what calibrated predictions reach by noise in 95 of 100 cases.",
            "Below each error: what calibrated predictions with these sco",
            "Measured {}; calibrated predictions with these scores show",
            "no error beyond noise",
        ],
        "figures/bars.py": [
            "; {} of them are no more than 95 % of calibrated models show",
        ],
        "figures/pictures/classes.py": ["Of {} {}, {} are beyond noise.", "within noise"],
        "figures/pictures/cubes.py": ["; {} of {} are no more than 95 % of calibrated models show", "within noise"],
        "reports/writing/checklist.py": ["95 % intervals; beside indices that noise makes larger, what"],
    },
    "uncertainty/test_best_set.py::test_equal_models_are_seldom_called_different": {
        "answers/views/comparison.py": [
            "within noise of the best by the debiased error, at level 5 %",
            "within noise of the best, at level 5 %; ranks come after the",
        ],
        "answers/models.py": [
            "Models within noise of the best are not told apart from it b",
            "≈ best: within noise of the best, at level 5 %. Grey: no mor",
        ],
        "answers/steps/rankings.py": ["not told apart"],
    },
    "explorer/test_decision.py::test_a_repair_is_seldom_said_to_add_where_it_takes_away": {
        "answers/acting/decision.py": ["makes no difference that is shown"]
    },
    "explorer/test_decision.py::test_scores_that_know_nothing_are_rarely_called_worth_more": {
        "answers/acting/decided.py": [
            "Not shown {}: the gain over acting on {} is within noise{}.",
            "No, {}: acting on {} is worth {} ({}).",
            "Yes, {}: worth {} than acting on {} ({}).",
        ]
    },
    "explorer/test_subject.py::test_equally_good_models_are_seldom_called_better_or_worse": {
        "answers/situation/paired_change.py": ["within noise"]
    },
    "reports/test_compared_means.py::test_equally_good_models_are_seldom_in_bold": {
        "answers/models.py": [
            "A difference is that on the same samples. In bold: told apar",
            "Below a difference of means is its 95 % interval; the same b",
        ]
    },
    "explorer/test_questions.py::test_a_repair_of_calibrated_scores_is_said_to_help_in_one_case_of_twenty": {
        "answers/first_screen/calibrators.py": ["Order: what helps beyond noise first", "within noise"],
        "answers/acting/decision.py": [", which is shown to help"],
        "answers/views/recalibration.py": [
            "gain within noise",
            "No, the {} makes it worse: {}.",
            "The {} is not shown to help: {}.",
            "Yes, the {} helps: {}.",
        ],
        "answers/subject.py": ["helps: recommended"],
    },
    "explorer/test_segments_panel.py::test_calibrated_scores_are_called_wrong_in_one_search_of_twenty": {
        "answers/first_screen/segments.py": [
            "{} together are off",
            "No segment is off beyond noise {}.",
            "No segment is shown to be {} {}.",
            "The first {} of {}, those that are shown to be off first.",
            "{} is off in parts: {}, {}.{}",
        ],
        "answers/first_screen/verdict_sentences.py": ["off beyond noise", "shown to be {}", "{} is off in parts"],
        "figures/pictures/segments.py": [
            "No labels were drawn (n=0): which segments are beyond noise ",
            "off in parts",
            "predicted too low →",
            "{} segments: those that are shown to be off first, then the ",
            "← predicted too high",
        ],
    },
    "app/test_check.py::test_rates_at_and_beyond_the_limit": {
        "answers/gate.py": [
            "miscalibration is shown, at {}",
            "no miscalibration is shown, which shows no calibration: with ",
            "shown to be beyond {}",
            "shown to be no more than {} worse than the baseline",
            "shown to be within {}",
            "shown to be worse than the baseline",
        ],
    },
    "uncertainty/test_centres.py::test_the_intervals_hold_the_average_and_a_new_centre": {
        "figures/pictures/centres.py": ["predicted too low →", "← predicted too high", "← too extreme"],
    },
    "decisions/test_segments.py::test_an_overall_shift_makes_no_segment_unlike_the_others": {
        "figures/pictures/segments.py": ["unlike the others"]
    },
    "explorer/test_temperatures.py::test_of_sure_predictions_a_temperature_is_seldom_said_to_help": {
        "answers/views/temperature.py": [
            "In brackets, and as grey bars: the temperatures within noise",
            "T = 1, the model as it is, lies in it: no temperature is sho",
        ],
        "figures/pictures/temperature.py": ["within noise"],
    },
    "uncertainty/test_error_intervals.py::test_it_holds_the_truth_as_often_as_it_says": {
        "answers/first_screen/verdict_sentences.py": [
            "An error of up to {} would go unnoticed.",
            "Calibrated to within {} over all: {}; KS error at most {} ({",
            "Calibrated to within {} over all: {}{}.",
            "No error that {} could show: {}.",
            "No miscalibration is shown: {}; {} could hide a KS error of ",
        ]
    },
    "explorer/test_verdict.py::test_calibrated_scores_are_seldom_called_off": {
        "answers/first_screen/verdict_sentences.py": [
            "Over all, no error shows: {}{}.",
            "high scores are too high, low ones too low",
            "high scores are too low, low ones too high",
            "off in parts",
            "too cautious",
            "too extreme",
            "too high",
            "too low",
        ]
    },
    "uncertainty/test_truth_selections.py::test_a_calibrated_model_is_called_off_in_one_of_twenty_cases": {
        "answers/first_screen/verdict_sentences.py": ["within noise ({})", "{} than it would ({})"]
    },
    "explorer/test_verdict.py::test_acting_is_seldom_called_worth_less_where_scores_are_calibrated": {
        "answers/first_screen/verdict_sentences.py": ["{} acting on {} is better than from {} on: {}."]
    },
    "uncertainty/test_over_time.py::test_of_calibrated_models_at_most_one_in_twenty_has_a_window_beyond_chance": {
        "figures/pictures/drift.py": ["Calibration error over {}: {}{} of them larger than calibrat"],
        "figures/time_words.py": [
            "Allowance is made for having looked at all windows: in at mo",
            "{} none shows a larger {} than noise shows in a calibrated m",
            "{} {} {} than noise shows in a calibrated model: {}.",
        ],
    },
    "figures/test_reliability_words.py::test_dots_of_calibrated_scores_are_seldom_called_off": {
        "figures/pictures/reliability/words.py": ["beyond noise", "within noise"],
    },
    "simulation/test_trust.py::test_one_calibrated_model_in_twenty_exceeds_its_threshold": {
        "simulation/trust.py": [
            "Calibrated predictions with these scores show {} on average,",
            "No error of that shape, however large, is noticed 4 times ou",
        ]
    },
}
#: Texts with such words that say what a number means, not what is true of the data.
MEANINGS: dict[str, list[str]] = {
    "explorer/view/sentence.py": ["beyond noise"],  # a kind of words in a sentence, not the sentence
    "reports/writing/parts.py": ["beyond noise"],  # the same
    "answers/asked/glossary.py": [
        "are scores too extreme?",
        "no more than calibrated predictions show by noise alone",
        "within noise",
    ],
    "answers/asked/choices.py": ["How large an overall error (KS) may be and hardly matter: wh"],
    "answers/asked/presets.py": ["An error beyond its noise floor in one window of time, or in"],
    "answers/views/clinical.py": [
        "The curve is a penalised logistic regression; its band is po",
        "below 1 the scores are too extreme, above 1 too timid (Cox 1",
        "mean observed by mean predicted; above 1 the scores are too ",
        "slope held at 1; above 0 the scores are too low (Cox 1958)",
    ],
    "answers/registry.py": [
        "How the error changes over time, in windows of a field of da",
        "Where it is worst: the segments that are the furthest off, a",
    ],
    "figures/bars.py": ["No error bars: the cube holds neither trials nor intervals n"],
    "explorer/view/grid.py": ["@container calibviz-right (min-width: {}px) { {}, .calibviz-"],
    "explorer/view/panels/table.py": ["The fields of the table that is shown"],
}


def texts(path: Path) -> Iterator[str]:
    """The texts of a module but its docstrings, with {} in place of values."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    left_out = set[int]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            left_out.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            left_out |= {id(part) for part in ast.walk(node) if part is not node}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and id(node) not in left_out:
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield node.value


def claims() -> dict[str, set[str]]:
    """The texts that claim something, by the module that makes them."""
    package = ROOT / "calibviz"
    found = {}
    for path in sorted(path for folder in FOLDERS for path in (package / folder).rglob("*.py")):
        if made := {" ".join(text.split()) for text in texts(path) if " " in text and CLAIM.search(text)}:
            found[path.relative_to(package).as_posix()] = made
    return found


def test_every_claim_is_on_the_list() -> None:
    parts = [*UPHELD.values(), MEANINGS]
    listed = {(module, begins) for part in parts for module, several in part.items() for begins in several}
    made = {(module, text) for module, several in claims().items() for text in several}
    unheld = {of for of in made if not any(of[0] == module and of[1].startswith(begins) for module, begins in listed)}
    assert not unheld, "a claim needs a test that measures how often it errs"
    gone = {of for of in listed if not any(of[0] == module and text.startswith(of[1]) for module, text in made)}
    assert not gone, "nobody makes this claim any more"


@pytest.mark.parametrize("test", UPHELD)
def test_what_upholds_it_is_there(test: str) -> None:
    file, _, name = test.partition("::")
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
