"""What is said of everything that leaves a view: the verdict with its worst news, and what it is about."""

from __future__ import annotations

from datetime import UTC, datetime

from ..._version import __version__
from ...data.models import UNNAMED
from ...figures.captions import Caption
from ..situation.situation import Situation
from ..subject import ALL, subject
from ..verdict import verdict_of


def caption_of(situation: Situation) -> Caption:
    """The caption of pictures, tables and code of a situation; the verdict is as far as it is known by now."""
    parts = {part.name: part.text for part in subject(situation) if part.text != ALL}
    model = parts.pop("model")
    data = data_name(situation) or model
    of_model = {} if model == UNNAMED or model in data else {"model": model}
    return Caption(verdict_of(situation).lines, {"data": data, **of_model, **parts, **made()})


def made() -> dict[str, str]:
    """The facts about something that is made now: the date, and the version that makes it."""
    return {"made": f"{datetime.now(UTC):%Y-%m-%d}", "version": f"calibviz {__version__}"}


def data_name(situation: Situation) -> str:
    """The title of the data, with the name of the model where there are several; else that name, if it has one."""
    models, model = situation.engine.models, situation.spec.model
    title = str(models[model][0].about.get("title", ""))
    if not title:
        return "" if model == UNNAMED else model
    return title if model in title or len(models) == 1 else f"{title}, {model}"
