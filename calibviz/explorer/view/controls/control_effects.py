"""Which controls have no effect on what is looked at, and when they would have one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ....answers.asked.spec import MAHALANOBIS, OF_SCORES, SPLINES, WEIGHTED
from ....answers.registry import answers_of
from ....answers.situation.reading import reads
from ....answers.situation.situation import Situation

T = TypeVar("T")


def lacking(situation: Situation) -> dict[str, str]:
    """Return what each control lacks to have an effect, in the words of its label; empty where it has one."""
    spec = situation.spec
    panels = (answer for name, answer in answers_of(spec).items() if name in spec.panels)
    used = {choice for answer in panels for choice in answer.uses(spec)}  # whatever lens and binning are looked at
    has_outcomes = bool(if_possible(lambda: situation.outcomes, tuple[str, ...]()))
    needed = {
        "bins": (not spec.kind.chooses or "bins" in used, "not with the sweep or the k-d tree"),
        "metrics": ("metrics" in used, "only with rows of metrics"),
        "distance": (has_outcomes or spec.own_of("distance") or "distance" in used, "alike for one score a sample"),
        **dict.fromkeys(("gamma", "gamma_number"), (spec.kind.takes == "gamma", "only with the k-d tree")),
        "switches": (spec.rows == "gce", "only with the GCE family"),
        "interval": (len(situation.trials) == 1, "trials show a spread"),
        "prevalence": (has_both_outcomes(situation) or spec.prevalence is not None, "only with both outcomes"),
        "samples": (spec.is_recalibrated or situation.engine.calibration is not None, "only with a recalibration"),
        **dict.fromkeys(("knots", "spline"), (spec.calibrator in SPLINES, "only with the spline")),
    }
    return {name: "" if has_effect else otherwise for name, (has_effect, otherwise) in needed.items()} | (
        _lacking_of_weights(situation, "weights" in used)
    )


def _lacking_of_weights(situation: Situation, is_elsewhere: bool) -> dict[str, str]:
    """Return what the controls of weights and of the matrix lack; `is_elsewhere`: whether other lenses use them."""
    is_weighted, is_mahalanobis = situation.spec.distance == WEIGHTED, situation.spec.distance == MAHALANOBIS
    weighs = if_possible(lambda: situation.weighs_outcomes, False) or (is_weighted and is_elsewhere)
    weighs_pairs = if_possible(lambda: situation.weighs_pairs, False)
    weights = "only with lenses of several" if is_weighted else "only with class-weighted L2"
    matrix = "only with bins of whole rows" if is_mahalanobis else "only with Mahalanobis"
    return {
        **dict.fromkeys(("weights", "weights_text"), "" if weighs else weights),
        "matrix": "" if weighs_pairs or (is_mahalanobis and is_elsewhere) else matrix,
        "matrix_numbers": "" if weighs_pairs else matrix,  # rows of the lens that is looked at, and of no other
    }


@reads(*OF_SCORES)
def has_both_outcomes(situation: Situation) -> bool:
    """Whether some of the samples are events and some are none, so that weights can bring them to a prevalence."""
    return 0 < if_possible(lambda: situation.before.problems[0].mean_target, 0.5) < 1


def if_possible(make: Callable[[], T], otherwise: T) -> T:
    """The result of `make`, or `otherwise` where nothing can be shown; the status line says why.

    A lens may have no groups yet, for example.
    """
    try:
        return make()
    except ValueError:
        return otherwise
