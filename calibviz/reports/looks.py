"""Which samples the answers of a report are asked of: all as the model has them, or those that judge recalibration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..answers.asked.first import first_spec
from ..answers.asked.spec import OWN
from ..answers.situation.engine import Engine
from ..answers.situation.situation import Situation
from ..context.induced import scalar_problem
from ..context.lenses import Lens, Outcome
from ..data.predictions import Predictions
from ..foundation import validation
from ..scale.cell_rows import are_drawn_in_cells, in_cells

SHARE, SEED = 0.5, 0
#: Which answers look at very many samples by their cells, and which are about recalibration.
IN_CELLS = ("numbers", "sensitivity")
AFTER = ("recalibration", "changes", "comparison", "temperature")


@dataclass(frozen=True)
class Looks:
    """The situations that a report is made of.

    Attributes
    ----------
    whole : Situation
        The model as it is, of all samples.
    cells : Situation
        The same, where very many samples are drawn by their cells: see `cell_rows`.
    parts : Situation or str
        Before and after recalibration, of samples that the calibrator was not fitted to; a sentence where there are
        none.
    code : Situation
        `parts` as somebody would open them.
    is_split : bool
        Whether half of the samples were set aside to fit the calibrator to.
    """

    whole: Situation
    cells: Situation
    parts: Situation | str
    code: Situation
    is_split: bool

    @classmethod
    def of_model(cls, predictions: Predictions, calibration: Predictions | None, choices: Mapping[str, Any]) -> Looks:
        """Those of one model; choices are those of the Explorer."""
        whole = opened(predictions, predictions, calibrator="none", **choices)
        if whole.outcomes:
            named = validation.listed((f"{whole.spec.lens}: {outcome}" for outcome in whole.outcomes), most=3)
            raise ValueError(f"lens {whole.spec.lens!r} has several outcomes, a report shows one: choose {named}")
        whole.exists()
        is_split = calibration is None
        cells, parts = whole, Looks._parts(predictions, calibration)
        if _in_cells(predictions, whole):
            rows = in_cells(predictions)
            cells = opened(rows, rows, calibrator="none", **choices)
            cells.engine.of_samples = whole.engine
            if not isinstance(parts, str):
                fitted, judged = parts
                fitted = in_cells(fitted) if is_split or _in_cells(fitted, whole) else fitted
                parts = fitted, in_cells(judged)
        after: Situation | str = parts if isinstance(parts, str) else opened(parts[1], parts[0], **choices)
        return cls(whole, cells, after, opened(predictions, calibration, **choices), is_split)

    @staticmethod
    def _parts(predictions: Predictions, calibration: Predictions | None) -> tuple[Predictions, Predictions] | str:
        """The samples that calibrators are fitted to, and those that judge them."""
        if calibration is not None:
            return calibration, predictions
        if len(predictions) == 1:
            return "There is one sample: none can be set aside to fit a calibrator to."
        return predictions.split(SHARE, rng=SEED)

    def of(self, name: str) -> Situation | str:
        """What an answer is asked of, by its name."""
        if name in AFTER:
            return self.parts
        return self.cells if name in IN_CELLS else self.whole

    @property
    def is_in_cells(self) -> bool:
        """Whether some of the answers look at samples by their cells."""
        return self.cells is not self.whole

    @property
    def facts(self) -> dict[str, str | None]:
        """The facts in the head of a report: samples, classes, lens, selection."""
        p, problem, spec = self.whole.predictions, self.whole.before.problems[0], self.whole.spec
        what = "samples" if self.whole.scores_per_sample == 1 else "scores"
        of_all = f" of {len(p) * self.whole.scores_per_sample:,}" if spec.selection else ""
        drawn = f", {p.about['drawn']}" if "drawn" in p.about else ""
        weighted = f", weighted to {p.about['prevalence']}" if "prevalence" in p.about else ""
        return {
            "judged": f"{problem.samples:,}{of_all} {what}{drawn}{weighted}",
            "classes": f"{p.n_classes:,}",
            "lens": self.whole.name,
            "selection": spec.selection or None,
        }

    @property
    def how_fitted(self) -> str:
        """What calibrators were fitted to and judged by, in a sentence."""
        assert isinstance(self.parts, Situation)
        look = self.parts
        ((data, part),) = look.engine.fitted_to(look.spec, look.spec.model)
        fitted, judged = scalar_problem(data, look.lens, part).samples, look.before.problems[0].samples
        if not self.is_split:
            return f"Calibrators were fitted to {fitted:,} samples of a calibration set; {judged:,} others judge them."
        others = "the selected ones of the others" if look.spec.selection else "the others"
        return (
            f"Half of the samples, drawn at random, were set aside: calibrators were fitted to these {fitted:,}, and "
            f"{others}, {judged:,}, judge them."
        )


def _in_cells(predictions: Predictions, look: Situation) -> bool:
    own = any(getattr(look.spec, name) for name in OWN)
    return not (own or look.spec.selection) and are_drawn_in_cells(predictions, look.lens)


def opened(judged: Any, calibration: Any, lens: Lens, calibrator: str = "", **choices: Any) -> Situation:
    """The situation of a fresh view of predictions, or of several models, with these choices."""
    engine = Engine(judged, calibration)
    if isinstance(lens, Outcome):  # one score a sample, as under any other lens of one
        own: dict[str, Any] = {"lens": lens.name, "own_lenses": ((lens.name, lens),)}
        spec = first_spec(tuple(engine.models), **choices).but(**own)
    else:
        spec = first_spec(tuple(engine.models), lens=lens, **choices)
    return Situation(engine, spec.but(calibrator=calibrator) if calibrator else spec)
