"""How panels stand side by side: wide and small ones in one, two or three columns, without voids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOST = 40  # panels of one view whose places have rules of their own
TWO, THREE = 608, 916  # pixels from which on there are so many columns of 300 pixels or more, with gaps of 8
#: The widths of panels of two columns: always, or where there are more than two panels.
WIDE, WIDE_AMONG_MANY = "is-wide", "is-wide-among-many"
LIST = "has-list"  # of a panel that ends in a list, which may be long
QUESTION = "is-question"  # of a panel that answers one: beside the picture, the tab above it is its heading


@dataclass(frozen=True)
class PanelLayout:
    """How a panel stands among others, and what stands in it."""

    width: str = ""  # WIDE, WIDE_AMONG_MANY, or empty for one column
    is_first: bool = False  # whether it is the picture beside which one answer stands
    is_tall: bool = False  # whether that picture, which is lower, stays in sight while it is read
    has_list: bool = False  # whether it ends in a list, which may be long
    is_question: bool = False  # whether it answers a question; beside the picture alone it takes one column
    controls: tuple[str, ...] = ()  # the names of those that stand in it
    # Whether the answer stands above its pictures in sentences, which a table may say row by row.
    says_answer: bool = True
    waits: tuple[str, ...] = ()  # the names of the pictures and tables that can wait: they stand below the sentences
    # Whether its pictures stand side by side where there is room, each below its title and legend.
    is_side_by_side: bool = False

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes of the panel, from which the style sheet takes this."""
        kinds = {LIST: self.has_list, QUESTION: self.is_question}
        return tuple(filter(None, (self.width, *(name for name, holds in kinds.items() if holds))))


def grid_classes(panels: Sequence[PanelLayout]) -> tuple[str, ...]:
    """The classes of a grid of panels, from which the style sheet takes how to lay out so many.

    A rule with `:has()` inside of a view would make the browser look at its styles anew with every step of a slider.
    """
    count, has_first = len(panels), any(panel.is_first for panel in panels)
    small = [place for place, panel in enumerate(panels) if not panel.width]
    layouts = {
        "are-two": count == 2,
        "has-answer": count == 2 and (has_first or all(panel.width or panel.is_question for panel in panels)),
        "has-tall-answer": count == 2 and has_first and any(panel.is_tall for panel in panels),
        "are-many": count > 2,  # side by side
        "are-four-small": count == 4 and not any(panel.width == WIDE for panel in panels),
        "are-above-four": count > 4,
    }
    names = ["calibviz-panels", *(name for name, applies in layouts.items() if applies)]
    if count > 2 and not layouts["are-four-small"]:
        names += [f"wider-of-two-{place + 1}" for place in small[len(small) - len(small) % 2 :][:1]]
        names += [f"{how}-of-three-{place + 1}" for place, how in _wider_of_three(panels, small).items()]
    return tuple(names)


def _wider_of_three(panels: Sequence[PanelLayout], small: Sequence[int]) -> dict[int, str]:
    """The places of panels that take more of three columns, so that no row has a void, and how much more.

    Each wide panel has a small one beside it, and further small ones stand three in a row.
    """
    wide = [place for place, panel in enumerate(panels) if panel.width]
    if len(wide) > len(small):
        return dict.fromkeys(wide[len(small) :], "alone")
    left = (len(small) - len(wide)) % 3
    return {small[-1]: {1: "alone", 2: "wider"}[left]} if left else {}


def _each(how: str, column: str) -> str:
    """The rules of the panels that `grid_classes` calls wider."""
    rules = (f".calibviz-panels.are-many.{how}-{place} > :nth-child({place})" for place in range(1, MOST + 1))
    return f"{', '.join(rules)} {{ grid-column: {column}; }}"


_WIDE = f":is(.calibviz-panel.{WIDE}, .are-many > .{WIDE_AMONG_MANY})"
_BESIDE = ":is(.are-two, .are-many)"  # grids in which a panel may stand beside another
_LISTS = f".{LIST}"

#: The rules of places and kinds of panels; all others stand in `theme.css`, `desk.css` and `answers.css`.
RULES = f"""
@container calibviz-right (min-width: {TWO}px) {{
  {_WIDE}, .calibviz-panel-bias {{ grid-column: span 2; }}
  .are-four-small > .calibviz-panel {{ grid-column: auto; }}
  /* Beside a higher panel a long table takes the room that there is; by itself it asks for no more than before. */
  {_BESIDE} > {_LISTS} > .calibviz-below {{ flex: 1 1 auto; display: flex; flex-direction: column; }}
  {_BESIDE} > {_LISTS} .calibviz-table.is-long {{ flex: 1 1 auto; display: flex; flex-direction: column; }}
  {_BESIDE} > {_LISTS} .calibviz-table.is-long > div {{ flex: 1 0 var(--room); max-height: none; }}
}}
@container calibviz-right (min-width: {TWO}px) and (max-width: {THREE - 0.1}px) {{
  {_each("wider-of-two", "span 2")}
}}
@container calibviz-right (min-width: {THREE}px) {{ /* three columns: wide panels on the right, others beside them */
  .are-above-four > {_WIDE} {{ grid-column: 2 / span 2; order: -1; }}
  {_each("wider-of-three", "span 2")}
  {_each("alone-of-three", "1 / -1")}
}}
"""
