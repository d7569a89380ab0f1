"""The words that lie over a picture in the page, as HTML that CSS keeps in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ....figures import Figure, Label, Run
from ....figures.markup import Markup, joined, tag
from ....figures.styles import tone
from ....foundation.written import chosen_percent

HANDLE = "handle"  # the role of what a reader drags, whose numbers are written on it


def words_over(record: Figure, margin: Mapping[str, int], spans: Mapping[str, Mapping[str, float]]) -> str:
    """The words over a picture, empty where it has none; `spans` are the ranges of its scales."""

    def placed(x: float, y: float, above: float = 0.0) -> str:
        across, up = (
            (value - spans[side]["min"]) / (spans[side]["max"] - spans[side]["min"]) for side, value in zip("xy", (x, y), strict=True)
        )
        return (
            f"left:calc({margin['left']}px + (100% - {margin['left'] + margin['right']}px)*{across:.4f});"
            f"top:calc({margin['top'] - above:g}px + (100% - {margin['top'] + margin['bottom']}px)*{1 - up:.4f})"
        )

    return joined(
        [
            *([tag("div", record.y_label, class_="name")] if record.has_level_names else []),
            *(_label(label, placed(label.x, label.y, label.above)) for label in record.labels),
            *_numbers(record, placed),
        ]
    )


def _label(label: Label, style: str) -> Markup:
    apart = f";--apart:{label.apart:g}px"
    return tag("div", *(tag("div", *map(_run, line)) for line in label.lines), class_=f"{label.side} bare" if label.is_on_area else label.side, style=style + apart)


def _run(run: Run) -> Markup:
    style = f"color:{tone(run.colour)}" if run.colour else None
    return tag("b" if run.is_strong else "span", run.text, class_="detail" if run.is_detail else None, style=style)


def _numbers(record: Figure, placed: Callable[[float, float], str]) -> Iterator[Markup]:
    """The scores of the edges that a reader can drag, on a ground that hides their marks."""
    for series in record.series:
        if series.role == HANDLE and record.has_level_names:
            for x, y in zip(series.x.tolist(), series.y.tolist(), strict=True):
                if 0 < record.score_of(x) < 1:
                    yield tag("div", chosen_percent(record.score_of(x)), class_="middle pill", style=placed(x, y))
