"""The panel Temperature: errors over the temperature."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ... import figures
from ..asked.selection_edits import classes_of_lens
from ..asked.spec import IN_BINS, OF_BINS, OF_ERROR, OF_SAMPLES, Spec
from ..situation.content import Content, at_once
from ..situation.job import Job
from ..situation.reading import reads
from ..situation.situation import Situation
from ..steps.temperatures import GRID, Temperatures, temperature_steps

FEWEST = 30  # samples of which a temperature can be said to be better than another
MOST_CURVES = 5  # besides the NLL
ALL_CLASSES = "nll", "all classes (NLL)"  # a log loss, and whose it is
NOISE = (
    "In brackets, and as grey bars: the temperatures within noise of the least, at which a calibrated model would show "
    "as much; of NLL, Brier score and log loss, a 95 % interval of the temperature at which they are least."
)


def _title(spec: Spec, name: str) -> str:
    return "NLL" if name == "nll" else spec.metric(name).title


@reads(*OF_SAMPLES, *OF_BINS, *OF_ERROR, "metrics", "temperature")
def temperature(situation: Situation) -> Content:
    """Every chosen error and the NLL over the temperature, their minima marked (Nixon et al. 2019, figure 1, right)."""
    # No accuracy, which a temperature does not change.
    chosen = [name for name in situation.spec.metrics if situation.spec.metric(name).better == "smaller"]
    here = situation.but(metrics=tuple(chosen[:MOST_CURVES]))
    spec = here.spec
    key = ("temperature", situation.before.key, spec.metrics, situation.kind, spec.measure)
    small = at_once(2 * len(GRID) * sum(trial.probs.size for trial in situation.trials), situation.kind)
    setting = spec.setting(situation.kind)
    in_bins = tuple(name for name in spec.metrics if name in IN_BINS)
    others = ("nll", *(name for name in spec.metrics if name not in IN_BINS))

    def trying(key: tuple[Any, ...], names: Sequence[str], known: Temperatures | None) -> Job:
        steps = partial(temperature_steps, here, names, setting, known, bool(small))
        return situation.engine.jobs.get(key, "temperatures", steps, now="first" if small else "")

    job = trying(key, others, None)
    if job.value is None:
        return Content((), job.ended_early or "Trying temperatures …")
    tried, is_last = job.value, not in_bins
    if job.done and not is_last and not job.ended_early:  # errors in bins have another minimum for each number of bins
        job = trying((*key, setting), in_bins, job.value)
        tried, is_last = job.value or tried, True

    def says(name: str, low: float) -> bool:
        """Whether a range, or that there is none, is known: of a score without a low end it cannot be known."""
        return not np.isnan(low) or (name != "nll" and spec.metric(name).calibration)

    figure = figures.temperature_figure(
        2.0**tried.places,
        {_title(spec, name): tried.of(name, setting) for name in tried.errors},
        spec.temperature or 1.0,
        {_title(spec, name): (2.0**low, 2.0**high) for name, (low, high) in tried.within.items() if says(name, low)},
        {_title(spec, name): "nat" if name == "nll" else spec.metric(name).unit for name in tried.errors},
    )
    left_out = ", ".join(_title(spec, name) for name in chosen[MOST_CURVES:])
    notes = [
        job.ended_early,
        "" if job.ended_early or (is_last and job.done) else "Looking more closely at the least values …",
        NOISE if tried.within else "",
        f"Not drawn, for {MOST_CURVES} are enough: {left_out}." if left_out else "",
    ]
    is_enough = len(situation.before.problems[0]) >= FEWEST
    said = answer(tried, *_loss_of(situation)) if is_enough else ""
    return Content((figure,), " ".join(filter(None, notes)), marked=said)


def _loss_of(situation: Situation) -> tuple[str, str]:
    """The log loss that the answer is about, and whose it is: of the class that is looked at, where it is drawn."""
    names = situation.predictions.class_names
    of_classes = classes_of_lens(situation.lens, names)
    if of_classes and len(names) == 2:  # what one class loses the other does
        return "nll", f"class {names[of_classes[0]]}"
    if of_classes and "log_loss" in situation.spec.metrics[:MOST_CURVES]:
        return "log_loss", f"class {names[of_classes[0]]}"
    return ALL_CLASSES


def answer(tried: Temperatures, name: str = ALL_CLASSES[0], whose: str = ALL_CLASSES[1]) -> str:
    """Whether another temperature is shown to be better than 1 for a class, or for all of them together.

    It is empty as long as the noise is not known. Of calibrated probabilities, the interval misses 1 in about one of
    twenty sets of samples.
    """
    low, high = tried.within.get(name, (np.nan, np.nan))
    if np.isnan(low):
        return ""
    at = int(np.nanargmin(tried.errors[name]))
    if not low < high or at in (0, len(tried.places) - 1):  # the least is beyond what is tried
        return ""
    least = tried.places[at]
    if low <= 0 <= high:
        said = "T = 1, the model as it is, lies in it: no temperature is shown to help."
    elif low > 0:
        said = "It lies above 1: the probabilities are surer than they should be."
    else:
        said = "It lies below 1: the probabilities are less sure than they could be."
    ends = f"{2.0**low:.2f} to {2.0**high:.2f}"
    if tried.fitted is not None:
        place = np.log2(tried.fitted)
        where = "lies in the interval" if low <= place <= high else f"is too {'high' if place > high else 'low'} here"
        said += f" Temperature scaling takes T = {tried.fitted:.2f}, which {where}."
    return f"The log loss of {whose} is least at T = {2.0**least:.2f}, with a 95 % interval of {ends}. {said}"
