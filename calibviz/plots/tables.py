"""Tables in pictures of Matplotlib, as the page draws them: words, colours and strips, sentences below rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from ..figures.styles import BLUE, GREEN_TEXT, GREY, VERMILION_TEXT
from ..figures.svg.small import STRIP_COLOURS
from ..figures.tables import Cell, Column, Strip, Table
from ..foundation.marked import Kind, Run, runs
from ..foundation.written import counted
from .looks import SECOND, broken, coloured, has_dark_ground, plain

MOST_ROWS = 12  # that are drawn of a table that does not say how many
SIZE, SMALL, TITLE = 9.0, 7.5, 11.0  # points of letters: of cells, of what is small in them, and of the title
LINE = 1.3  # of a line, in sizes of its letters
PAD, GAP, BESIDE = 4.0, 6.0, 12.0  # points above and below a row, beside a cell, and at the right of a table
AXIS, STRIP = 150.0, 72.0  # points of a column whose strips share an axis, at least, and of a strip alone
HEADING = 80.0  # points of a heading in several lines, at least
BLANK = 0.32  # of a size
HINTED = 1.02  # how much wider letters on pixels may be
BUTTONS = ("button", "pressed")
BOLD = ("strong", "off", "after")  # looks
#: The look of each kind of words in a marked text.
LOOKS: dict[Kind, str] = {
    "": "", "strong": "strong", "beyond noise": "off", "count": "faint", "recalibrated": "after",
}  # fmt: skip  # short entries stand in rows
DIAMOND, DOT = 9.0, 6.5  # points of marks


@dataclass(frozen=True)
class _Text:
    """A line of words in one look: "", "strong", "faint", or a colour of `marked` or of a cell."""

    words: str
    look: str = ""
    size: float = SIZE

    @property
    def wide(self) -> float:
        inner = self.words.strip(" ")
        blanks = BLANK * self.size * (len(self.words) - len(inner))
        return blanks + _width(inner, self.size, self.look in BOLD)


@lru_cache(maxsize=5000)
def _width(words: str, size: float, is_bold: bool = False) -> float:
    """The width of words in points."""
    font = FontProperties(size=size, weight="bold" if is_bold else "normal")
    width: float = text_to_path.get_text_width_height_descent(words, font, False)[0]
    return HINTED * width


def _characters(points: float, size: float) -> int:
    """How many letters have room."""
    return max(10, int(points / _width("e", size)))


def _lines(cell: Cell, column: Column) -> list[list[_Text]]:
    """The lines of a cell, each in pieces; of a strip on an axis there are no words."""
    if column.ticks and cell.strip is not None:
        return []
    look = cell.look or ("strong" if cell.bold else "faint" if cell.faint else "")
    first = [_Text(cell.text, look)] if cell.text else []
    if cell.aside:
        first.append(_Text(f" {cell.aside}", "faint", SMALL))
    small = [[_Text(line, "faint", SMALL)] for line in cell.below.split("\n") if line]
    return [*([first] if first else []), *small]


def _tall(lines: Sequence[Sequence[_Text]]) -> float:
    return sum(LINE * max(text.size for text in line) for line in lines)


class Layout:
    """Where everything of a table stands, in points from its upper left corner."""

    def __init__(self, table: Table, width: float = 0.0) -> None:
        kept = [j for j in range(len(table.columns)) if not any(row[j].look in BUTTONS for row in table.rows)]
        self.columns = [table.columns[j] for j in kept]
        most = table.at_once or MOST_ROWS
        self.rows = [_without_buttons(row, kept) for row in table.rows[:most]]
        self.details = [runs(each.detail) for each in table.opened[:most]] or [()] * len(self.rows)
        self.current = table.current[0] if table.current else None
        needed = [self._needs(j) for j in range(len(kept))]
        self.needs = sum(needed)
        self.scale = min(1.0, width / self.needs) if width else 1.0
        self.width = (width or self.needs) / self.scale
        wide = [j for j, column in enumerate(self.columns) if column.ticks] or [0]
        for j in wide:
            needed[j] += max(0.0, self.width - self.needs) / len(wide)
        self.ends = [sum(needed[: j + 1]) for j in range(len(needed))]
        self.starts = [0.0, *self.ends[:-1]]
        more = len(table.rows) - len(self.rows)
        note = f"The first {most} of {counted(len(table.rows), 'row')}. " if more else ""
        self.title = self._broken(table.title or table.alt, TITLE)
        self.note = self._broken(note + table.note, SMALL)

    def _needs(self, j: int) -> float:
        """The width that a column needs."""
        cells = [row[j] for row in self.rows]
        widths = [sum(text.wide for text in line) for cell in cells for line in _lines(cell, self.columns[j])]
        if self.columns[j].ticks:
            left, right = (_width(words, SMALL) for words in self.columns[j].sides)
            widths.append(max(AXIS, left + right + 6 * GAP))
        elif any(cell.strip for cell in cells):
            widths.append(STRIP)
        widths.append(min(HEADING, _width(self.columns[j].text, SMALL)))
        return max(widths) + 2 * GAP

    def _broken(self, text: str, size: float) -> list[str]:
        return ["".join(words for words, _ in line) for line in self.parts(((text, ""),), size)]

    def parts(self, text: Sequence[Run], size: float) -> list[list[Run]]:
        """The lines of a text in parts, as wide as the table."""
        return list(broken(text, _characters(self.width - 2 * GAP, size)))

    def heading(self, j: int) -> list[str]:
        """The lines of a heading."""
        room = self.ends[j] - self.starts[j] - 2 * GAP
        lines = broken(((self.columns[j].text, ""),), _characters(room, SMALL))
        return [] if self.columns[j].ticks else ["".join(words for words, _ in line) for line in lines]

    @property
    def head(self) -> float:
        """The height of the headings."""
        lines = max([2 * any(column.ticks for column in self.columns), *map(len, map(self.heading, self.all))])
        return LINE * SMALL * lines + PAD

    @property
    def all(self) -> range:
        """The places of the columns."""
        return range(len(self.columns))

    def row(self, i: int) -> float:
        """The height of a row without the sentences below it."""
        return 2 * PAD + max(_cell_height(cell, self.columns[j]) for j, cell in enumerate(self.rows[i]))

    def below(self, i: int) -> list[list[Run]]:
        """The lines of the sentences below a row."""
        return self.parts(self.details[i], SMALL) if self.details[i] else []

    @property
    def above(self) -> float:
        """The height of the title."""
        return LINE * TITLE * len(self.title) + PAD

    @property
    def height(self) -> float:
        """The height of everything."""
        rows = sum(self.row(i) + LINE * SMALL * len(self.below(i)) for i in range(len(self.rows)))
        return self.scale * (self.above + self.head + rows + LINE * SMALL * len(self.note) + 3 * PAD)


def _without_buttons(row: Sequence[Cell], kept: Sequence[int]) -> list[Cell]:
    """The cells of a row but its buttons; what is pressed stands behind its name, since nobody can press it here."""
    pressed = [cell.text for cell in row if cell.look == "pressed"]
    first, *others = (row[j] for j in kept)
    if pressed:
        first = Cell(first.text, below=first.below, bold=first.bold, aside=pressed[0])
    return [first, *others]


def _cell_height(cell: Cell, column: Column) -> float:
    alone = 1.6 * SIZE if cell.strip is not None and not column.ticks else 0.0
    return max(_tall(_lines(cell, column)) + alone, LINE * SIZE)


def room_for(table: Table, width: float = 0.0) -> tuple[float, float]:
    """The width and the height, in inches, that a table needs; the height for a width in inches, where one is given."""
    layout = Layout(table, max(0.0, 72 * width - BESIDE))
    return (width or (layout.needs + BESIDE) / 72), layout.height / 72


def draw_table(table: Table, ax: Axes) -> None:
    """Draw the first rows of a table into axes, over all of the figure that these have for themselves."""
    box = ax.figure.bbox
    layout = Layout(table, 72 * box.width / ax.figure.dpi - BESIDE)
    _Drawing(layout, ax, 72 * box.height / ax.figure.dpi / layout.scale).draw()


class _Drawing:
    """A table that is being drawn, from top to bottom."""

    def __init__(self, layout: Layout, ax: Axes, height: float) -> None:
        self.layout, self.ax, self.y = layout, ax, PAD
        ax.set_axis_off()
        ax.set_position((0.0, 0.0, 1.0, 1.0))
        ax.set(xlim=(0.0, layout.width + BESIDE / layout.scale), ylim=(height, 0.0))
        self.ground = ax.figure.figure.get_facecolor()
        self.is_dark = has_dark_ground(self.ground)

    def draw(self) -> None:
        layout = self.layout
        for line in layout.title:
            self._write([_Text(line, "strong", TITLE)], 0.0, self.y)
            self.y += LINE * TITLE
        self.y += PAD
        self._head()
        top = self.y
        for i in range(len(layout.rows)):
            self._row(i)
        for j, column in enumerate(layout.columns):
            for place, _ in column.ticks:
                self._line([self._place(j, place)] * 2, [top, self.y], GREY, 0.4, behind=True)
        self.y += PAD
        for line in layout.note:
            self._write([_Text(line, "faint", SMALL)], 0.0, self.y)
            self.y += LINE * SMALL

    def _head(self) -> None:
        layout, bottom = self.layout, self.y + self.layout.head
        for j, column in enumerate(layout.columns):
            lines = layout.heading(j)
            for k, words in enumerate(lines):
                self._beside(j, [_Text(words, "faint", SMALL)], bottom - PAD - LINE * SMALL * (len(lines) - k))
            if column.ticks:
                self._axis(j, column, bottom)
        self.y = bottom
        self._rule()

    def _axis(self, j: int, column: Column, bottom: float) -> None:
        """The words on either side of the mark, and below these the ticks."""
        strips = [row[j].strip for row in self.layout.rows]
        middle = self._place(j, next((strip.middle for strip in strips if strip is not None), 0.5))
        start, stop = self.layout.starts[j], self.layout.ends[j]
        left, right = (_Text(words, "faint", SMALL) for words in column.sides)
        top = bottom - PAD - 2 * LINE * SMALL
        across = max(start + left.wide + GAP, min(middle, stop - right.wide - GAP))  # each has room for its words
        self._write([left], across - GAP - left.wide, top)
        self._write([right], across + GAP, top)
        for place, words in column.ticks:
            tick = _Text(words, "faint", SMALL)
            at = max(start + tick.wide / 2, min(self._place(j, place), stop - tick.wide / 2))
            self._write([tick], at - tick.wide / 2, top + LINE * SMALL)

    def _row(self, i: int) -> None:
        layout, top = self.layout, self.y
        height, below = layout.row(i), layout.below(i)
        whole = height + LINE * SMALL * len(below)
        if i == layout.current:
            self.ax.fill_between([0.0, layout.width], top, top + whole, color=coloured(BLUE, self.is_dark), alpha=0.1)
        for j, cell in enumerate(layout.rows[i]):
            column, strip = layout.columns[j], cell.strip
            y = top + (height - _cell_height(cell, column)) / 2
            for line in _lines(cell, column):
                self._beside(j, line, y)
                y += _tall([line])
            if strip is not None and column.ticks:
                self._strip(strip, (layout.starts[j], layout.ends[j]), top, top + height)
            elif strip is not None:
                end = layout.ends[j] - GAP
                self._strip(strip, (end - STRIP, end), y + 0.2 * SIZE, y + 1.5 * SIZE)
        self.y += height
        for parts in below:
            self._write([_Text(words, LOOKS[kind], SMALL) for words, kind in parts], GAP, self.y - PAD / 2)
            self.y += LINE * SMALL
        self._rule()

    def _strip(self, strip: Strip, ends: tuple[float, float], top: float, bottom: float) -> None:
        """An interval between two places, with its mark."""

        def at(place: float) -> float:
            return ends[0] + place * (ends[1] - ends[0])

        colour, grey = (coloured(each, self.is_dark) for each in (STRIP_COLOURS[strip.of], GREY))
        middle = (top + bottom) / 2
        if strip.origin is not None:
            span = [at(strip.origin), at(strip.middle)]
            self.ax.fill_between(span, top + 1, bottom - 1, color=grey, alpha=0.4, linewidth=0)
        self._line([at(strip.middle)] * 2, [top, bottom], grey, 0.9)
        if strip.outer is not None:
            self._line([at(place) for place in strip.outer], [middle] * 2, colour, 1.2)
        self._line([at(strip.low), at(strip.high)], [middle] * 2, colour, 3.0)
        marker = "D" if strip.is_first else "s" if strip.of == "after" else "o"
        size = self.layout.scale * (0.8 * DIAMOND if strip.is_first else DOT)
        face = self.ground if strip.hollow else colour
        self.ax.plot(
            [at(strip.value)], [middle], marker, color=colour, markersize=size, markerfacecolor=face, zorder=4.0
        )

    def _place(self, j: int, share: float) -> float:
        return self.layout.starts[j] + share * (self.layout.ends[j] - self.layout.starts[j])

    def _line(self, x: list[float], y: list[float], colour: str, width: float, behind: bool = False) -> None:
        order = 0.5 if behind else 3.0
        self.ax.plot(
            x, y, color=colour, linewidth=self.layout.scale * width, solid_capstyle="butt", zorder=order, marker=""
        )

    def _rule(self) -> None:
        self._line([0.0, self.layout.width], [self.y] * 2, GREY, 0.5)

    def _beside(self, j: int, line: Sequence[_Text], y: float) -> None:
        """A line in its column: at the left of the first one, at the right of others."""
        wide = sum(text.wide for text in line)
        self._write(line, GAP if not j else self.layout.ends[j] - GAP - wide, y)

    def _write(self, line: Sequence[_Text], x: float, y: float) -> None:
        for text in line:
            if not text.words:
                continue
            size, weight = self.layout.scale * text.size, "bold" if text.look in BOLD else "normal"
            base, inner = y + max(each.size for each in line), text.words.lstrip(" ")  # whose blanks take no room
            indent = BLANK * text.size * (len(text.words) - len(inner))
            self.ax.text(x + indent, base, plain(inner), size=size, color=self._colour(text.look), weight=weight)
            x += text.wide

    def _colour(self, look: str) -> str:
        if look in ("off", "after"):
            return coloured(VERMILION_TEXT if look == "off" else GREEN_TEXT, self.is_dark)
        return SECOND[self.is_dark] if look == "faint" else str(rcParams["text.color"])
