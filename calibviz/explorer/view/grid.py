"""How panels stand side by side: wide and small ones in one, two or three columns, without voids."""

from __future__ import annotations

from collections.abc import Sequence

from ...answers.asked.spec import PANELS, QUESTIONS

TABLE_PANELS = ("comparison", "instances", "likert")
ANSWERS = ("segments", "decision")
#: Answers beside which the picture, which is lower, stays in sight while they are read.
TALL = ("decision", "likert", "sensitivity", "confidence", "classes", "temperature")
#: Panels of two columns; a question that is answered beside the picture alone takes one.
WIDE = ("cumulative", *TABLE_PANELS, *ANSWERS)
TWO, THREE = 608, 916  # pixels from which on there are so many columns of 300 pixels or more, with gaps of 8


def grid_classes(panels: Sequence[str]) -> tuple[str, ...]:
    """The classes of a grid of panels, from which the style sheet takes how to lay out so many.

    A rule with `:has()` inside of a view would make the browser look at its styles anew with every step of a slider.
    """
    count = len(panels)
    small = [name for name in panels if name not in WIDE]
    layouts = {
        "are-two": count == 2,
        "has-answer": count == 2 and ("reliability" in panels or set(panels) <= {*WIDE, *QUESTIONS}),
        "has-tall-answer": count == 2 and "reliability" in panels and any(name in TALL for name in panels),
        "are-many": count > 2,  # side by side
        "are-four-small": count == 4 and not any(name in ("cumulative", *TABLE_PANELS) for name in panels),
        "are-above-four": count > 4,
    }
    names = ["calibviz-panels", *(name for name, applies in layouts.items() if applies)]
    if count > 2 and not layouts["are-four-small"]:
        names += [f"wider-of-two-{name}" for name in small[len(small) - len(small) % 2 :][:1]]
        names += [f"{how}-of-three-{name}" for name, how in _wider_of_three(panels, small).items()]
    return tuple(names)


def _wider_of_three(panels: Sequence[str], small: Sequence[str]) -> dict[str, str]:
    """The panels that take more of three columns, so that no row has a void, and how much more.

    Each wide panel has a small one beside it, and further small ones stand three in a row.
    """
    wide = [name for name in panels if name in WIDE]
    if len(wide) > len(small):
        return dict.fromkeys(wide[len(small) :], "alone")
    left = (len(small) - len(wide)) % 3
    return {small[-1]: {1: "alone", 2: "wider"}[left]} if left else {}


def _of(names: Sequence[str]) -> str:
    return f":is({', '.join(f'.calibviz-panel-{name}' for name in names)})"


def _each(how: str, column: str) -> str:
    """The rules of the panels that `grid_classes` calls wider."""
    rules = (f".calibviz-panels.are-many.{how}-{name} > .calibviz-panel-{name}" for name in PANELS)
    return f"{', '.join(rules)} {{ grid-column: {column}; }}"


_WIDE = f":is({_of(('cumulative', *TABLE_PANELS))}, .are-many > {_of(ANSWERS)})"
_BESIDE = ":is(.are-two, .are-many)"  # grids in which a panel may stand beside another
_LISTS = _of(("segments", "instances", "classes"))  # what ends in a list, which may be long

#: The rules that name panels; all others stand in `theme.css`.
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
