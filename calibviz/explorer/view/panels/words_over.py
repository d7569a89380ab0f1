"""The words that lie over a picture in the page, as HTML that CSS keeps in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import chain

from ....figures import Figure, Label, Run
from ....figures.markup import Markup, joined, tag
from ....figures.styles import tone
from ....foundation.written import chosen_percent

#: What a reader drags, by its role, a dot of bqplot with an element of its own: numbers of that class lie over it.
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
        covered = "var(--pill)" if label.until < record.x_range[1] else "0px"
        return f";--to:{_share(spans['x'], label.until):.4f};--covered:{covered}"

    words = [tag("div", record.y_label, class_="name")] if record.has_level_names else []
    lines = []
    for label, kind in _kinds(record):
        words.append(_label(label, placed(label.x, label.y, label.above) + ending(label), kind))
        if label.about is not None:
            lines.append(_line(label, kind, margin, spans))
    return joined([*words, *lines, *_numbers(record, placed)])


def _kinds(record: Figure) -> list[tuple[Label, str]]:
    """All labels, each with the classes of the plots that it is not in."""
    plots = {"large": record.large, "wide": record.labels, "narrow": record.narrow}
    known = {name: labels for name, labels in plots.items() if labels}
    return [
        (label, " ".join([f"not-{name}" for name, labels in known.items() if label not in labels]))
        for label in dict.fromkeys(chain(*known.values()))
    ]


def _share(span: Mapping[str, float], value: float) -> float:
    return (value - span["min"]) / (span["max"] - span["min"])


@lru_cache(maxsize=1000)  # most labels stay while the bins change
def _label(label: Label, style: str, kind: str) -> Markup:
    apart = f";--apart:{label.apart:g}px"
    name = " ".join(filter(None, (label.side, "bare" if label.is_on_area else "", kind)))
    return tag("div", *(tag("div", *map(_run, line)) for line in label.lines), class_=name, style=style + apart)


def _line(label: Label, kind: str, margin: Mapping[str, int], spans: Mapping[str, Mapping[str, float]]) -> Markup:
    """The line from words to what they are about, over the plot."""
    assert label.about is not None
    x1, x2 = [f"{100 * _share(spans['x'], x):.2f}%" for x in (label.x, label.about[0])]
    y1, y2 = [f"{100 - 100 * _share(spans['y'], y):.2f}%" for y in (label.y, label.about[1])]
    style = ";".join([f"{side}:{pixels}px" for side, pixels in margin.items()])
    return tag("div", tag("svg", tag("line", x1=x1, x2=x2, y1=y1, y2=y2)), class_=f"leads {kind}", style=style)


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
