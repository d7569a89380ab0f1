"""Tables in text: separated values, whose separator and decimal sign are found in the first rows."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import warnings
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ....foundation.arrays import LARGEST_EXACT
from ....foundation.written import counted
from ...columns.choices import Account, ReadingOptions, Unclear
from ...columns.known_names import NUMERIC_NAMES, may_number
from ...columns.name_lines import joined_names, name_lines
from ...columns.tables import GROUPED, MISSING, NAME_OF_DIGITS, NO_NUMBER, WHOLE, ColumnTable, is_grouped
from ...safeguards import charge, reading, refuse_many, text_array

if TYPE_CHECKING:
    import pandas as pd

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars", " ": "blanks"}
GZIP = b"\x1f\x8b"  # how such files begin
SAMPLE_BYTES, SAMPLE_ROWS = 2**20, 500
MOST_ABOVE, ROWS_BELOW = 20, 30  # lines that may stand above the names, and those that show that these are names
#: Bytes of memory for each byte of the first lines and of others, where they are longer than a sample; for a number,
#: for another cell, and for each different one of a field.
SAMPLE_COST, LINE_COST, NUMBER_SIZE, CELL_SIZE, VALUE_SIZE = 16, 6, 8, 40, 200
NUMBER = {sign: re.compile(rf"[-+]?(\d+|\d*{re.escape(sign)}\d+|\d+{re.escape(sign)})([eE][-+]?\d+)?") for sign in ".,"}
CALLED_NUMBER = re.compile(r"[^:]+:-?\d*\.\d+([eE][-+]?\d+)?")  # as Vowpal Wabbit writes probabilities: yes:0.7
#: Bytes that Windows-1252 lacks.
NOT_WINDOWS = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
#: Bytes that are letters in most encodings, one after the other; those with which a sign begins that is rare in
#: Windows-1252, but begins a letter of Shift-JIS, say; and signs within a word, which are Polish letters elsewhere.
LETTERS, MOST_PIECES = re.compile(rb"[\x80-\x84\x86-\x90\x98-\x9f\xa1-\xaa\xac-\xba\xbc-\xff]+"), 10_000
ODD_SIGN = re.compile(rb"[\x82\x83\x86-\x88\x98]")
ODD_INSIDE = re.compile(
    rb"[A-Za-z][\x86-\x88\xa3\xa5\xa8\xaf\xb3\xb9\xbc\xbe][a-z]{2}|(?<![\w\x80-\xff])[\xb3\xb9\xbc\xbe][a-z]{2}"
)
WIDE = 2_000  # columns of which pandas takes more memory and time for each than for its numbers
#: A line that rules a table, as psql, MySQL and Markdown print it, and the number of rows that some print below.
RULE = b" \t+|:=-\r"
COUNT_OF_ROWS = re.compile(rb"\n\(?\d+ rows?\b[^|\n]{0,40}\s*\Z")
DISTRIBUTION = re.compile(rb"^(.*,distribution)(,*)\r?$", re.MULTILINE)  # the names of columns of Weka
#: The names of columns of Weka's text, maybe with those of further attributes, and its rows.
WEKA, WEKA_ROW = (
    re.compile(
        rb"^[ \t]*(?P<number>%s)[ \t]+(?P<actual>%s)[ \t]+(?P<predicted>%s)[ \t]+(?P<error>%s)[ \t]*(?P<last>%s)"
        rb"[ \t]*(?:\((?P<attributes>.*)\))?[ \t\r]*$" % parts,
        re.MULTILINE,
    )
    for parts in (
        (b"inst#", b"actual", b"predicted", b"error", b"prediction|distribution"),
        (rb"\d+", rb"\d+:.*?", rb"\d+:.*?", rb"\+?", rb"[\d.,*]+"),
    )
)
LONGEST_ROW = 2000  # bytes, of Weka: what matches no row takes the time of its square
FASTTEXT = b"__label__"
COMMENT = re.compile(r"\A#+[ \t]*(?=[A-Za-z_])")  # as which NumPy and others write the line of names
LONGEST_NUMBER = 1000  # characters; to look at longer ones takes memory and time
FRACTION = {sign: re.compile(rf"[-+]?\d*{re.escape(sign)}\d+([eE][-+]?\d+)?\s*%?") for sign in ".,"}


@contextmanager
def opened_text(file: Path) -> Iterator[BinaryIO | gzip.GzipFile]:
    """An open file, unpacked where its name ends in .gz."""
    is_packed = file.suffix.lower() == ".gz"
    with reading("the .gz file" if is_packed else "the text", OSError, EOFError, zlib.error), file.open("rb") as stream:
        if not is_packed:
            yield stream
            return
        if (start := stream.read(len(GZIP))) and start != GZIP:
            raise ValueError("the file is not packed, though its name ends in .gz: rename it")
        stream.seek(0)
        with gzip.open(stream) as packed:
            yield packed


def read_bytes(file: Path) -> bytes:
    """The content of a file, unpacked where its name ends in .gz."""
    if file.suffix.lower() != ".gz":
        charge(file.stat().st_size)
        return file.read_bytes()
    content = io.BytesIO()
    with opened_text(file) as packed:
        while block := packed.read(SAMPLE_BYTES):
            charge(len(block))
            content.write(block)
    return content.getvalue()


def as_utf8(content: bytes, account: Account) -> bytes:
    """A text in UTF-8 without a mark at its beginning; it may be in the encodings that Excel writes."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        with reading("the UTF-16 text", UnicodeDecodeError):
            content = _encoded(_decoded(content, "utf-16"))
    content = content.removeprefix(codecs.BOM_UTF8)
    if b"\0" in content:
        raise ValueError("the file is no text: it holds bytes that are 0; save it as text in UTF-8")
    if content.isascii():
        return content
    try:
        for _ in _decoded(content, "utf-8"):
            pass
    except UnicodeDecodeError:
        _refuse_other_encodings(content)
        content = _encoded(_decoded(content, "cp1252"))
        account.say("text in Windows-1252, since it is not in UTF-8")
    return content


def _refuse_other_encodings(content: bytes) -> None:
    """Refuse a text that is neither in UTF-8 nor, as it looks, in Windows-1252: its names would be garbled."""
    odd = NOT_WINDOWS.search(content) or ODD_INSIDE.search(content)
    pieces = [found[0] for found in islice(LETTERS.finditer(content), MOST_PIECES)]
    garbled = [piece for piece in pieces if len(piece) > 1 or ODD_SIGN.match(piece)]
    are_most = 2 * sum(map(len, garbled)) > sum(map(len, pieces))
    is_long = any(len(piece) > 2 or ODD_SIGN.match(piece) for piece in garbled)  # French has two in a row
    if odd is None and not (are_most and is_long):
        return
    place = odd.start() if odd is not None else content.index(garbled[0])
    line = content.count(b"\n", 0, place) + 1
    seen = content[max(content.rfind(b"\n", 0, place) + 1, place - 8) : place + 8].split(b"\n")[0]
    raise ValueError(
        f"the text is neither in UTF-8 nor, as it looks, in Windows-1252: line {line} holds the bytes {seen!r}; "
        "save it as UTF-8"
    )


def _decoded(content: bytes, encoding: str) -> Iterator[str]:
    """A text block by block: as a whole it would take up to four times as much memory."""
    decoder = codecs.getincrementaldecoder(encoding)()
    for start in range(0, len(content), SAMPLE_BYTES):
        yield decoder.decode(content[start : start + SAMPLE_BYTES], final=start + SAMPLE_BYTES >= len(content))


def _encoded(blocks: Iterator[str]) -> bytes:
    content = io.BytesIO()
    for block in blocks:
        charge(content.write(block.encode()))
    return content.getvalue()


class CsvTable(ColumnTable):
    """The columns of a text of separated values, in a file or in memory."""

    def __init__(self, source: Path | bytes, choices: ReadingOptions, account: Account) -> None:
        given = read_bytes(source) if isinstance(source, Path) else source
        content = as_utf8(given, account)
        self._lines_before = 0
        marked = re.match(rb'"?sep=(.)"?\r?\n', content)  # as Excel writes and reads it
        if marked:
            content, self._lines_before = content[marked.end() :], 1
        content, above_weka = _of_weka(content, account)
        self._lines_before += above_weka
        if content.startswith(FASTTEXT):
            raise ValueError(
                "lines that begin with __label__ are of fastText, whose predictions hold no truth: write this, the "
                "predicted class and its probability into columns label, predicted and confidence"
            )
        content = _without_empty_end(_with_distributions(_without_rules(content, account)))
        above = _lines_above(_first_lines(content), choices.sep)
        if above:
            content, self._lines_before = content[len("".join(above).encode()) :], self._lines_before + len(above)
            account.say(f"{counted(len(above), 'line')} above the names of the columns left out")
        if mark := COMMENT.match(content[:SAMPLE_BYTES].decode(errors="ignore")):
            content = content[mark.end() :]
        # Pandas reads a file in half the time, and the text need not be in memory meanwhile.
        file = source if isinstance(source, Path) and source.suffix.lower() != ".gz" and content == given else None
        self._source = content if file is None else file.absolute()  # pandas would take "~" for somebody's home
        sample = _first_lines(content)
        self._sep = choices.sep or (marked[1].decode() if marked else _find_separator(sample))
        rows = list(islice(self._rows(io.StringIO(sample, newline=""), strict=False), SAMPLE_ROWS + 1))
        header = [name.strip() for name in rows[0]] if rows else []
        if not header:
            raise ValueError("the file is empty")
        refuse_many(len(header), "columns")
        body = rows[1:]
        if lines := name_lines(body):
            below = self._lines_of(sample, lines)
            content, self._lines_before = content[len(below.encode()) :], self._lines_before + below.count("\n")
            file, self._source = None, content
            header, body = joined_names(header, body[:lines], account), body[lines:]
        are_longer = all(len(row) == len(header) + 1 for row in body) and any(row[-1] for row in body)
        counts_rows = [row[0] for row in body] == [str(i + 1) for i in range(len(body))]
        self._lacks_name = are_longer and (self._sep in " \t" or (counts_rows and not any(map(may_number, header))))
        if self._lacks_name:
            header = ["", *header]  # R leaves out the name of the column that numbers the rows
        self._named = max((place for place, name in enumerate(header, start=1) if name), default=0)
        are_called = all(map(CALLED_NUMBER.fullmatch, header))
        numbers = [name for name in header if are_called or NUMBER["."].fullmatch(name)]
        are_all = len(numbers) == len(header) and header != [str(place) for place in range(len(header))]  # of pandas
        fractions = [name for name in numbers if not WHOLE.fullmatch(name)]  # whole ones may be names of classes
        if are_all or fractions:
            numbers = numbers if are_all else fractions
            raise ValueError(
                f"the first line holds numbers, such as {numbers[0]}, but must hold the names of the columns"
            )
        self._width = len(header)
        # To skip blanks takes time, so it is done where there are any.
        self._separators, self._has_blanks = sum(_counts(content, self._sep)), b" " in content
        self._ends_line = content.endswith((b"\n", b"\r"))
        ends = list(map(max, _counts(content, "\n"), _counts(content, "\r")))  # of lines
        charge(LINE_COST * SAMPLE_BYTES * ends[:-1].count(0))
        if file is not None:
            charge(-len(content))
        del content, given  # before pandas takes as much memory again
        self.columns = [name for name in header if name and name != "Unnamed: 0"]
        self.has_names = header.count("") < 2 and not any(NUMBER["."].fullmatch(name) for name in header)
        self._places = {name: place for place, name in enumerate(header)}
        found, self._is_clear = _find_decimal(body, header, self._sep, choices.decimal)
        self.decimal, self._account = choices.decimal or found, account
        if self._sep != "," and choices.sep is None and len(header) > 1:
            account.say(f"separated by {SEPARATORS.get(self._sep, repr(self._sep))}")
        if self.decimal == "," and choices.decimal is None:
            account.say("decimal commas")
        account.line = self.line
        self._frame = self._read(header, body, sum(ends) + 1)

    def _rows(self, text: Any, strict: bool = True) -> Iterator[list[str]]:
        """The rows of a text; blank lines are skipped."""
        with reading("the text", csv.Error):
            yield from filter(None, csv.reader(text, delimiter=self._sep, strict=strict, skipinitialspace=True))

    def _lines_of(self, sample: str, rows: int) -> str:
        """The lines of the first rows of a text."""
        lines = sample.splitlines(keepends=True)
        read = csv.reader(lines, delimiter=self._sep, skipinitialspace=True)
        list(islice(filter(None, read), rows))
        return "".join(lines[: read.line_num])

    def _whole(self) -> io.TextIOWrapper:
        content = read_bytes(self._source) if isinstance(self._source, Path) else self._source
        return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="")

    def line(self, row: int) -> int | None:
        """The line, counted from 1, at which a row of samples, counted from 0, ends; None where there is none."""
        rows = csv.reader(self._whole(), delimiter=self._sep, skipinitialspace=True)
        values = next(islice(filter(None, rows), row + 1, None), None)
        return None if values is None else rows.line_num + self._lines_before

    def _read(self, header: list[str], body: list[list[str]], most_rows: int) -> pd.DataFrame | dict[int, NDArray[Any]]:
        """The columns by place: those that look like numbers as floats, all others as text."""
        import pandas as pd  # late, since most programs read no text

        numeric = {j for j in range(self._width) if self._is_numeric(header[j], [row[j : j + 1] for row in body])}
        kinds: dict[int, type] = {j: float if j in numeric else str for j in range(self._width)}
        charge(most_rows * (NUMBER_SIZE * len(numeric) + CELL_SIZE * (self._width - len(numeric))))
        try:
            frame: Any = self._parsed(kinds) if self._width < WIDE else self._row_by_row(numeric)
        except (ValueError, OverflowError):
            self._refuse_ragged()
            try:
                frame = self._parsed(dict.fromkeys(kinds, str))
            except pd.errors.ParserError:  # a row ends with a separator, and the first ones do not
                frame = self._row_by_row(set())
        last = frame[self._width - 1]
        ends_empty = (np.isnan(last) if last.dtype.kind == "f" else last == "").any()
        # A row that is too short has an empty end; one that is too long has a separator too many.
        if ends_empty or self._separators != (len(last) + 1) * (self._width - 1) - self._lacks_name:
            self._refuse_ragged()
        return frame

    def _is_numeric(self, name: str, cells: list[list[str]]) -> bool:
        """Whether a column is read as floats at once: text is kept where a float would lose what is written."""
        values = [value.strip() for cell in cells for value in cell]
        known = [value for value in values if value not in MISSING]
        if not known or not all(NUMBER[self.decimal].fullmatch(value) for value in known):
            return False
        if any(NAME_OF_DIGITS.match(value) for value in known):
            return False
        if not self._is_clear and is_grouped(known, self.decimal):
            return False
        return name.casefold() in NUMERIC_NAMES or not all(value.lstrip("+-").isdecimal() for value in known)

    def _parsed(self, kinds: dict[int, type]) -> pd.DataFrame:
        import pandas as pd

        # Versions before 3.1 are exact only where asked; later ones always are, and warn.
        version = tuple(map(int, pd.__version__.split(".")[:2]))
        exact = {} if version >= (3, 1) else {"float_precision": "round_trip"}
        missing = {place: list(MISSING) for place, kind in kinds.items() if kind is float}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pd.errors.ParserWarning)  # about rows of other lengths, which are refused
            source = io.BytesIO(self._source) if isinstance(self._source, bytes) else self._source
            return pd.read_csv(
                source, sep=self._sep, decimal=self.decimal, names=list(kinds), header=0,
                dtype=kinds, index_col=False, keep_default_na=False, na_values=missing,
                skipinitialspace=self._has_blanks, encoding="utf-8", **exact,
            )  # fmt: skip  # the options stand together

    def _row_by_row(self, numeric: set[int]) -> dict[int, NDArray[Any]]:
        """The columns by place of a text with so many that pandas is slow; an error where one is not as it looks."""
        rows = self._rows(self._whole(), strict=False)
        next(rows)
        places = sorted(numeric)
        others = [place for place in range(self._width) if place not in numeric]
        numbers, texts = [], []
        for row in rows:
            row += [""] * (self._width - len(row))
            values = [row[place].strip() for place in places]
            if any("_" in value for value in values):  # Python reads 1_2 as 12
                raise ValueError("no number")
            numbers.append(np.array([_nan_or_number(value, self.decimal) for value in values]))
            texts.append([row[place] for place in others])
        of_numbers = dict(zip(places, np.array(numbers).reshape(len(numbers), len(places)).T.copy(), strict=True))
        of_texts = dict(zip(others, np.array(texts, dtype=object).reshape(len(texts), len(others)).T, strict=True))
        return of_numbers | of_texts

    def _refuse_ragged(self) -> None:
        """Refuse a text whose rows lack values, or have more than empty ones beyond, or that has an open quote.

        A row may lack what is empty at the end of others: Excel leaves out the separators of sixteen rows that are
        empty there. Not so a last row without an end of line, which may have been cut.
        """
        rows = csv.reader(self._whole(), delimiter=self._sep, strict=True, skipinitialspace=True)
        lacking, empty, wrong = set[int](), set[int](), None
        with reading("the text", csv.Error):
            body = filter(None, rows)
            next(body)
            for row in body:
                beyond = any(row[self._width :])
                if beyond or len(row) < self._named:
                    wrong = wrong or (len(row), rows.line_num)
                    lacking.update([-1] if beyond else range(len(row), self._named))
                elif not all(row):
                    empty.update(place for place, value in enumerate(row) if not value)
        if wrong is not None and (not lacking <= empty or (wrong[1] == rows.line_num and not self._ends_line)):
            held, names = (counted(number, what) for number, what in ((wrong[0], "value"), (self._named, "name")))
            above = "; if lines stand above the names of the columns, remove them" * (self._named == 1)
            raise ValueError(f"line {wrong[1] + self._lines_before} has {held}, but the header has {names}{above}")

    def _stored(self, name: str) -> Any:
        return np.asarray(self._frame[self._places[name]])

    def beginning(self, name: str, rows: int) -> Any:
        column = self._frame[self._places[name]]
        return np.asarray(column[:rows] if self._kept is None else column[self._kept[:rows]])

    def _factorized(self, name: str) -> tuple[NDArray[np.int64], list[str]]:
        import pandas as pd

        column = self._frame[self._places[name]]
        codes, values = pd.factorize(column if self._kept is None else column[self._kept])
        charge(VALUE_SIZE * len(values))
        return codes, [str(value).strip() for value in values]

    def fields(self, names: Collection[str]) -> dict[str, NDArray[Any]]:
        out = {}
        for name in names:
            if self._frame[self._places[name]].dtype.kind == "f":
                out[name] = self.column(name)
            else:
                codes, values = self._factorized(name)
                values = self._ungrouped(name, values)
                converted = _convert(values, self.decimal)
                charge(converted.itemsize * len(codes))
                out[name] = converted[codes]
        return out

    def _ungrouped(self, name: str, values: list[str]) -> list[str]:
        """The different values of a column, whole numbers without the signs of their thousands."""
        sign = next((sign for sign in GROUPED if is_grouped(values, sign)), None)
        if sign is None:
            return values
        if sign in ",." and (sign == self.decimal or not self._is_clear):
            self._account.say(f"{name!r} stays text, since nothing says whether {sign!r} in it stands before thousands")
            return values
        self._account.say(f"thousands in {name!r}")
        return [value.replace(sign, "") for value in values]


def _without_rules(content: bytes, account: Account) -> bytes:
    """A text without the lines that rule a table where a database prints one, and without its count of the rows."""
    if not any(map(_is_rule, content[:SAMPLE_BYTES].split(b"\n", 3)[:3])):
        return content
    account.say("lines of signs, as around the names of the columns, left out")
    charge(CELL_SIZE * content.count(b"\n"))
    lines = [b"" if _is_rule(line) else line for line in content.split(b"\n")]
    return COUNT_OF_ROWS.sub(b"\n", b"\n".join(lines))


def _of_weka(content: bytes, account: Account) -> tuple[bytes, int]:
    """The predictions in a text of Weka as a table, and how many lines stand above them; another text as it is."""
    header = WEKA.search(content[:SAMPLE_BYTES])
    if header is None:
        return content, 0
    account.say("predictions of Weka, without the lines around them")
    charge(CELL_SIZE * content.count(b"\n"))
    form = b'%(number)s,"%(actual)s","%(predicted)s",%(error)s,%(last)s'
    form = b"%(attributes)s," * bool(header["attributes"]) + form
    lines = takewhile(bytes.strip, content[header.end() + 1 :].split(b"\n"))
    rows = [(line, WEKA_ROW.fullmatch(line) if len(line) <= LONGEST_ROW else None) for line in lines]
    written = [  # what is no row is refused as one of other length
        line if row is None else form % {key.encode(): value for key, value in row.groupdict(b"").items()}
        for line, row in ((b"", header), *rows)
    ]
    return b"\n".join(written), content.count(b"\n", 0, header.start())


def _with_distributions(content: bytes) -> bytes:
    """A text in which the last values of Weka's lines, the probabilities of all classes, are a list in each."""
    header = DISTRIBUTION.search(content[:SAMPLE_BYTES])
    if header is None:
        return content
    charge(CELL_SIZE * content.count(b"\n"))
    lines = content[header.end() :].split(b"\n")
    longest = max(line.count(b",") for line in lines[:SAMPLE_ROWS])
    classes = 1 + (len(header[2]) or longest - header[1].count(b","))

    def with_list(line: bytes) -> bytes:
        cells = line.rstrip(b"\r").rsplit(b",", classes)
        return line if len(cells) <= classes else cells[0] + b',"[' + b",".join(cells[1:]).replace(b"*", b"") + b']"'

    return content if classes < 2 else content[: header.end(1)] + b"\n".join(map(with_list, lines))


def _without_empty_end(content: bytes) -> bytes:
    """A text without the lines at its end that hold separators alone, as spreadsheets write them."""
    tail = content[-SAMPLE_BYTES:]
    end = tail.find(b"\n", len(tail.rstrip(b",;\t| \r\n")))
    return content if end < 0 or not tail[end:].strip(b"\r\n") else content[: len(content) - len(tail) + end + 1]


def _is_rule(line: bytes) -> bool:
    return b"---" in line and not line.translate(None, RULE)


def _first_lines(content: bytes) -> str:
    """The first lines of a text, the header and one more at least."""
    second = content.find(b"\n", content.find(b"\n") + 1)
    end = max(SAMPLE_BYTES, second + 1)
    charge(SAMPLE_COST * (end - SAMPLE_BYTES))
    text = content[:end].decode(errors="ignore")
    return text if end >= len(content) else text[: text.rfind("\n") + 1]


def _counts(content: bytes, sign: str) -> list[int]:
    """How often a sign stands in each block of a text."""
    codes = np.frombuffer(content, dtype=np.uint8)
    blocks = range(0, len(codes), SAMPLE_BYTES)  # that fit into a processor's cache
    return [int(np.count_nonzero(codes[i : i + SAMPLE_BYTES] == ord(sign))) for i in blocks]


def _lines_above(sample: str, sep: str | None) -> list[str]:
    """The lines before the names of the columns, such as a title: those with fewer values than all that follow."""
    lines = list(islice(io.StringIO(sample, newline=""), MOST_ABOVE + ROWS_BELOW))
    for k in range(min(MOST_ABOVE, len(lines))):
        rest = COMMENT.sub("", "".join(lines[k:]))
        sign = sep or _find_separator(rest)
        with suppress(csv.Error):
            rows = [
                list(map(str.strip, row))
                for row in csv.reader(io.StringIO(rest, newline=""), delimiter=sign, skipinitialspace=True)
                if row
            ]
            are_names = bool(rows) and all(rows[0]) and not any(re.match(r"[-+.]?\d", name) for name in rows[0])
            if not are_names or len(rows[0]) < 2 or len({len(row) for row in rows[:ROWS_BELOW]}) > 1:
                continue
            others = (line for line in lines[:k] if not COMMENT.match(line))
            before = csv.reader(io.StringIO("".join(others), newline=""), delimiter=sign)
            is_less = max((sum(map(bool, row)) for row in before), default=0) < len(rows[0])
            return lines[:k] if is_less and len(rows) > 2 else []
    return []


def _find_separator(sample: str) -> str:
    """The sign that cuts the first rows into most values, as many in each; blanks may stand beside any other."""
    widths = {}
    for sep in SEPARATORS:
        try:
            rows = csv.reader(io.StringIO(sample, newline=""), delimiter=sep, skipinitialspace=True)
            counts = [len(row) for row in islice(filter(None, rows), 50)]
        except csv.Error:
            continue
        even = len(set(counts[1:])) <= 1 and counts and (len(counts) < 2 or counts[1] - counts[0] in (0, sep in " \t"))
        widths[sep] = (bool(even), counts[0] if counts else 0)
    split = {sep: key for sep, key in widths.items() if key[1] > 1 and (sep != " " or key[0])}
    if any(is_even for sep, (is_even, _) in split.items() if sep != " "):
        split.pop(" ", None)
    return max(split, key=lambda sep: split[sep]) if split else ","


def _find_decimal(body: list[list[str]], header: Sequence[str], sep: str, given: str | None) -> tuple[str, bool]:
    """Return the decimal sign of the numbers in the first rows, and whether they show it, beside thousands."""
    seen: dict[str, tuple[str, str]] = {}
    grouped = {}
    for place, name in enumerate(header):
        cells = [row[place].strip() for row in body if place < len(row)]
        for sign, fraction in FRACTION.items():
            value = next((cell for cell in cells if sign in cell and fraction.fullmatch(cell)), None)
            if value is None:
                continue
            if is_grouped(cells, sign):
                grouped[sign] = name
            else:
                seen.setdefault(sign, (value, name))
    if given is None and "," in seen and "." in seen and sep != ",":
        (comma, with_comma), (point, with_point) = seen[","], seen["."]
        raise Unclear(
            f"some numbers have a decimal comma, such as {comma!r} of column {with_comma!r}, and some a point, such as "
            f"{point!r} of column {with_point!r}: say which by decimal=',' or decimal='.'",
            {"decimal": ","},
            {"decimal": "."},
        )
    found = "," if "," in seen and "." not in seen else "."
    return found, given is not None or found in seen


def _nan_or_number(value: str, decimal: str) -> float:
    """The number in a text without blanks, nan where it is missing."""
    return np.nan if value in NO_NUMBER else float(value.replace(decimal, "."))


def _convert(values: Sequence[str], decimal: str) -> NDArray[Any]:
    """Different texts as whole numbers, numbers (nan where missing) or booleans, where every entry reads as one.

    Whole numbers stay text where they are too large for an integer, or large and missing in places, since floats would
    make neighbours equal.
    """
    # Python reads 1_2 as 12, and would read the name 007 as 7.
    if max(map(len, values), default=0) > LONGEST_NUMBER or any(
        "_" in value or NAME_OF_DIGITS.match(value) for value in values
    ):
        return text_array(values)
    try:
        return np.array([int(value) for value in values], dtype=np.int64)
    except (ValueError, OverflowError):
        pass
    try:
        numbers = np.array([_nan_or_number(value, decimal) for value in values])
        if (np.abs(numbers) > LARGEST_EXACT).any() and any(re.fullmatch(r"[-+]?\d{16,}", value) for value in values):
            return text_array(values)
        return numbers
    except ValueError:
        lower = np.array([value.lower() for value in values])
        return lower == "true" if np.isin(lower, ["true", "false"]).all() else text_array(values)
