"""Errors over the temperature."""

from __future__ import annotations

from dataclasses import replace

from ... import figures
from ..look import Look
from ..measurements import TEMPERATURES, temperature_steps
from .content import NAMES, Content, at_once

MOST_CURVES = 5  # and the NLL


def temperature(look: Look) -> Content:
    """Every chosen error and the NLL over the temperature, their minima marked (gce_measuring figure 1, right)."""
    spec = replace(look.spec, metrics=look.spec.metrics[:MOST_CURVES])
    key = ("temperature", look.before.key, spec.metrics, look.kind, spec.error)
    small = at_once(look, len(TEMPERATURES) * sum(one.probs.size for one in look.trials))
    job = look.engine.jobs.get(key, "temperatures", lambda: temperature_steps(Look(look.engine, spec)), now=small)
    if job.value is None:
        return Content((), job.ended_early or "Trying temperatures …")
    errors = {
        NAMES.get(name, name): values[:, look.spec.setting(look.kind)] if values.ndim == 2 else values
        for name, values in job.value.items()
    }
    left_out = ", ".join(NAMES[name] for name in look.spec.metrics[MOST_CURVES:])
    note = f"Not drawn, for {MOST_CURVES} are enough: {left_out}." if left_out else ""
    return Content((figures.temperature_figure(TEMPERATURES, errors, 1.0),), job.ended_early or note)
