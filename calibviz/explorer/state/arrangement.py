"""Which panels a click leaves on screen: one answer beside the reliability diagram, several panels, or one alone."""

from __future__ import annotations

from ...answers.asked.choices import CHOICES
from ...answers.asked.spec import Spec
from ...answers.first_screen.calibrators import recommended
from ...answers.registry import answers_of
from ...answers.situation.situation import Situation

#: What an Explorer opens with, and what "side by side" shows.
FIRST_PANELS = CHOICES["panels"].default
WORKBENCH = ("reliability", "cumulative", "recalibration", "sensitivity")


def answers(panels: tuple[str, ...]) -> tuple[str, ...]:
    """The panels beside the reliability diagram."""
    return tuple(name for name in panels if name not in FIRST_PANELS)


def helping_calibrators(situation: Situation) -> tuple[str, ...]:
    """The calibrators that help, the recommended one first; this is asked only while the page says it as well."""
    panels = situation.spec.panels
    return recommended(situation) if "recalibration" in panels or not answers(panels) else ()


def is_side_by_side(panels: tuple[str, ...]) -> bool:
    """Whether panels stand together; else one answer takes the place of another beside the reliability diagram."""
    return bool(panels) and (panels[:1] != FIRST_PANELS or len(panels) > 2)


def asked(panels: tuple[str, ...], projector: bool) -> tuple[str, ...]:
    """The panel that answers a question beside the reliability diagram; none of several together, or on a projector."""
    return () if is_side_by_side(panels) or projector else answers(panels)


def on_screen(panels: tuple[str, ...], projector: bool) -> tuple[str, ...]:
    """The panels on screen: of those that are open a projector shows the last one alone."""
    return panels[-1:] if projector else panels


def with_panel(spec: Spec, name: str) -> tuple[str, ...]:
    """The panels after one was opened: whoever asks a question sees its answer at once."""
    panels = FIRST_PANELS if spec.projector else spec.panels
    others = tuple(other for other in panels if other != name)
    if name not in FIRST_PANELS and not is_side_by_side(panels):
        return (*panels[:1], name)
    offered = answers_of(spec)
    if offered[name].question:
        return (name, *others)
    names = list(offered)
    later = [other for other in names[names.index(name) :] if not offered[other].question]
    place = next((i for i, other in enumerate(others) if other in later), len(others))
    return (*others[:place], name, *others[place:])
