"""The mean cost of acting on the scores, each sample by the action of the least expected cost."""

from __future__ import annotations

from ...decisions.costs import expected_cost
from ...figures.tables import Cell, Column, Table
from ...foundation.written import percent
from ..asked.spec import OF_SAMPLES
from ..situation.content import Content
from ..situation.reading import reads
from ..situation.situation import Situation

PROMISED = {"expected": "what the scores promise", "realized": "observed", "perfect": "if the truth were known"}
NOTE = "Each sample gets the action that is the cheapest by its scores. Actions are the rows of the costs, from 0 on."
COLUMNS = tuple(map(Column, ("", "mean cost", "how often taken")))


@reads(*OF_SAMPLES)
def costs(situation: Situation, price: tuple[tuple[float, ...], ...]) -> Content:
    """The mean cost of acting on the scores, and of each action alone, at a price for each action and outcome."""
    side, of_classes = situation.before, len(price[0]) > 2
    table = expected_cost(
        side.predictions[0], costs=price, lens="full" if of_classes else situation.lens, selection=side.selection
    )
    rows = [(Cell(name), _cost(key, table[key].item()), Cell("–")) for key, name in PROMISED.items()]
    for action in table.action.values:
        row = table.sel(action=action)
        share = Cell(percent(row.share.item()), numbers=(("share", row.share.item()),))
        rows.append((Cell(f"action {action} alone"), _cost("constant", row.constant.item()), share))
    return Content((Table("costs", "", COLUMNS, tuple(rows), "What acting costs.", NOTE),))


def _cost(name: str, value: float) -> Cell:
    return Cell(f"{value:.4f}".replace("-", "−"), numbers=((name, value),))
