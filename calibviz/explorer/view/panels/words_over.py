"""The words that lie over a picture in the page, as HTML that CSS keeps in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from ....figures import Figure, Label, Run
from ....figures.markup import Markup, joined, tag
from ....figures.styles import tone
from ....foundation.written import chosen_percent

HALF_A_NUMBER = 24  # pixels of one that a reader drags, on either side of its edge
#: What a reader drags, by its role: numbers of that class lie over it.
DRAGGED = ("handle", "threshold")


def words_over(record: Figure, margin: Mapping[str, int], spans: Mapping[str, Mapping[str, float]]) -> str:
    """The words over a picture, empty where it has none; `spans` are the ranges of its scales."""

    def placed(x: float, y: float, above: float = 0.0) -> str:
        across, up = _share(spans["x"], x), _share(spans["y"], y)
        return (
            f"left:calc({margin['left']}px + (100% - {margin['left'] + margin['right']}px)*{across:.4f});"
            f"--at:{across:.4f};--sides:{margin['left'] + margin['right']}px;"
            f"top:calc({margin['top'] - above:g}px + (100% - {margin['top'] + margin['bottom']}px)*{1 - up:.4f})"
        )

    def ending(label: Label) -> str:
        """Where its area ends: a number that a reader drags lies over that edge, unless the axis ends there too."""
        if label.until is None:
            return ""
        covered = HALF_A_NUMBER if record.score_of(label.until) < 1 else 0
        return f";--to:{_share(spans['x'], label.until):.4f};--covered:{covered}px"

    return joined(
        [
            *([tag("div", record.y_label, class_="name")] if record.has_level_names else []),
            *(_label(label, placed(label.x, label.y, label.above) + ending(label)) for label in record.labels),
            *_numbers(record, placed),
        ]
    )


def _share(span: Mapping[str, float], value: float) -> float:
    return (value - span["min"]) / (span["max"] - span["min"])


@lru_cache(maxsize=1000)  # most labels stay while the bins change
def _label(label: Label, style: str) -> Markup:
    apart = f";--apart:{label.apart:g}px"
    name = f"{label.side} bare" if label.is_on_area else label.side
    return tag("div", *(tag("div", *map(_run, line)) for line in label.lines), class_=name, style=style + apart)


def _run(run: Run) -> Markup:
    style = f"color:{tone(run.colour)}" if run.colour else None
    return tag("b" if run.is_strong else "span", run.text, class_="detail" if run.is_detail else None, style=style)


def _numbers(record: Figure, placed: Callable[[float, float], str]) -> Iterator[Markup]:
    """The scores of the edges that a reader can drag, on a ground that hides their marks."""
    for series in record.series:
        if series.role in DRAGGED and record.has_level_names:
            for x, y in zip(series.x.tolist(), series.y.tolist(), strict=True):
                if 0 < record.score_of(x) < 1:
                    number = chosen_percent(record.score_of(x))
                    yield tag("div", number, class_=f"middle pill {series.role}", style=placed(x, y))
