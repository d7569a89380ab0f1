"""A sentence of the panel Decision: how much can be left to the model with a guarantee."""

from __future__ import annotations

import numpy as np

from ...decisions.acceptance import CONFIDENCE, accepted_at_risk, can_reject, ends, needed, why_no_guarantee
from ...engine.clustered import Clusters
from ...foundation.marked import aside, strong
from ...foundation.written import chosen_percent
from ..asked.spec import OF_SAMPLES
from ..situation.as_code import selected
from ..situation.reading import reads
from ..situation.situation import Situation


@reads(*OF_SAMPLES, "risk")
def acceptance(situation: Situation) -> str:
    """A marked sentence on the threshold that keeps the risk with 95 % confidence, or on why there is none.

    Where the score is not how sure the model is to be right, those with the highest are acted on, and acting is
    needless where it is on no event.
    """
    risk, nouns, problem = situation.spec.risk, situation.nouns, situation.before.problems[0]
    most = chosen_percent(risk)
    wrong, accept, surest = (
        ("wrong", "Accept", "that are surest")
        if situation.says_how_sure
        else ("acted on needlessly", "Act on", "with the highest scores")
    )
    no = f"No threshold can promise at most {most} {wrong}"
    if why := _why_none(situation):
        return f"{no}: {why}."
    tried = situation.engine.tried("risk", (risk, situation.lens.name, situation.spec.selection))
    found = accepted_at_risk(problem, risk, CONFIDENCE)
    if found.accepted:
        part = "all" if found.coverage == 1 else f"the {chosen_percent(found.coverage, 3)} {surest}"
        start = f"{strong(f'{accept} {part}')}, from {chosen_percent(found.threshold)} on"
        here = aside(f"(here {found.errors:,} of {found.accepted:,}; {_of_settings(tried)})")
        about = "" if found.guarantee == "exact" else "about "
        return f"{start}: with {about}95 % confidence at most {most} are {wrong} {here}."
    of, least = ends(problem), needed(problem, risk, CONFIDENCE)
    able = can_reject(problem, of.accepted, risk, CONFIDENCE)
    clusters = Clusters.of(problem)
    if not able.any() and clusters is not None:
        worth = f"clusters worth at least {least:,} of equal size, and all are worth {int(clusters.worth):,}"
        return f"{no}: that takes accepted {nouns.many} of {worth}."
    if not able.any():
        return f"{no}: that takes at least {least:,} {nouns.many}, and here are {len(problem):,}."
    accepted, errors = (each[np.argmax(able)] for each in (of.accepted, of.errors))
    first = f"{errors:,} of the {accepted:,} {surest}"
    return f"{no}: {first} {'is' if errors == 1 else 'are'} wrong, too many to be sure."


def _of_settings(tried: int) -> str:
    """The words on how many settings were looked at, of which the promise holds for one."""
    if tried == 1:
        return "promised for one setting, fixed beforehand"
    return f"{tried:,} settings were looked at: the promise holds for one of them"


def code(situation: Situation) -> tuple[str, ...]:
    """Code that prints the threshold."""
    if _why_none(situation):
        return ()
    return (f"print(cv.accept_at_risk(predictions, {selected(situation)}, risk={situation.spec.risk!r}))",)


def _why_none(situation: Situation) -> str:
    if situation.of_summary:
        return f"a summary holds no single {situation.nouns.many}"
    return why_no_guarantee(situation.before.problems[0])
