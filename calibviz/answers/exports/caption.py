"""The caption of everything that leaves a view: the verdict with its worst news, and the facts about the view."""

from __future__ import annotations

from datetime import UTC, datetime

from ..._version import __version__
from ...data.models import UNNAMED
from ...figures.captions import Caption
from ..first_screen.verdict import verdict_after
from ..situation.situation import Situation
from ..subject import subject, title


def caption_of(situation: Situation) -> Caption:
    """The caption of pictures, tables and code of a situation; the verdict is as far as it is known by now."""
    left_out = {"model"} if situation.spec.model == UNNAMED else set()
    left_out |= set() if situation.spec.selection else {"selection"}
    parts = {part.name: part.words for part in subject(situation) if part.name not in left_out}
    data, samples = title(situation)
    return Caption(verdict_after(situation).marked, {"data": data, **parts, "samples": samples, **made()})


def made() -> dict[str, str]:
    """The facts about something that is made now: the date, and the version that makes it."""
    return {"made": f"{datetime.now(UTC):%Y-%m-%d}", "version": f"calibviz {__version__}"}


def data_name(situation: Situation) -> str:
    """The name of the data, and that of the model where it has one, for the names of files."""
    (data, _), model = title(situation), situation.spec.model
    return " ".join(filter(None, (data, "" if model == UNNAMED or model in data else model)))
