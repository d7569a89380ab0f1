"""What results look like where they are printed, and in a notebook."""

from __future__ import annotations

import numpy as np
import pytest
from IPython.lib.pretty import pretty

import calibviz as cv
from calibviz.foundation.written import number, p_value

HEART = cv.load_dataset("heart")["random forest"]


def test_a_slope_is_printed_with_its_interval_and_what_was_left_out() -> None:
    found = cv.calibration_slope(HEART)
    text = str(found)
    ends = f"({number(found.lower)} to {number(found.upper)})"
    assert text.startswith(f"estimate {number(found.estimate)} {ends}, ")
    assert p_value(found.p_value, "p") in text and text.endswith("dropped 24, impossible 4")
    assert repr(found.estimate) not in text and repr(found.estimate) in repr(found)


@pytest.mark.parametrize(
    ("of", "text"),
    [
        (cv.ks_test, "statistic 0.0482, p < 0.001, ratio 3.8497"),
        (cv.spiegelhalter_test, "statistic 2.6257, p = 0.009"),
        (cv.calibration_indices, "ici 0.0608, e50 0.0623, e90 0.1095, emax 0.1525, eci 0.5134"),
        (lambda p: cv.coverage_at_risk(p, risk=0.1), "coverage 0.2413, threshold 0.8100"),
        (cv.auc, "estimate 0.8450 (0.8177 to 0.8688), standard error 0.0130, events 509, others 411"),
    ],
)
def test_results_are_printed_rounded_without_what_is_not_known(of, text: str) -> None:
    assert str(of(HEART)) == text


def test_a_joint_test_is_printed_with_both_of_its_p_values() -> None:
    text = str(cv.calibration_test(HEART))
    assert text.startswith("p < 0.001, kuiper ratio 3.8497, ") and "gap p = 0.006" in text
    assert "None" not in text and "draws" not in text


def test_of_few_clusters_the_reason_is_printed() -> None:
    found = cv.observed_expected(HEART.with_cluster("site"))
    assert str(found) == f"estimate 1.0706 (–), note {found.note}"


def test_what_is_not_finite_is_printed() -> None:
    one = cv.ScalarProblem([0.2], [1])
    assert str(cv.calibration_intercept(one)) == "estimate ∞ (–), dropped 0, impossible 0"
    assert str(cv.calibration_slope(one)).startswith("estimate – (–), intercept –, statistic –, p not known")


def test_a_notebook_shows_what_is_printed() -> None:
    """IPython prefers the repr of a dataclass to what its base class says."""
    for found in (cv.auc(HEART), cv.ks_test(HEART), cv.check(HEART, within=0.1), cv.choose_update(HEART)):
        assert pretty(found) == str(found) != repr(found)


def test_a_fitted_calibrator_is_printed_with_its_values() -> None:
    digits = cv.load_dataset("digits")["random forest"]
    cold, platt = cv.Temperature().fit(digits), cv.Platt().fit(cv.lens("top-1")(digits))
    assert str(cold) == pretty(cold) == f"Temperature(): temperature {number(cold.temperature_)}"
    assert str(platt) == f"Platt(): intercept {number(platt.intercept_)}, slope {number(platt.slope_)}"
    both = cv.OneVsRest(cv.Platt()).fit(HEART)
    assert str(both) == f"OneVsRest(Platt()): calibrators ({', '.join(f'[{each}]' for each in both.calibrators_)})"
    assert str(cv.OneVsRest(cv.Platt()).fit(digits)) == "OneVsRest(Platt())"  # ten of them are too many to read
    for plain in (cv.Temperature(), cv.Isotonic().fit(cv.lens("top-1")(HEART))):
        assert str(plain) == repr(plain)
    assert repr(cold) == "Temperature()"
    cold.parts_ = [np.zeros(2), np.ones(1)]  # as a calibrator of one's own may keep them
    assert str(cold).endswith(", parts ((0.0000, 0.0000), (1.0000))")
