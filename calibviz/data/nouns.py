"""`Nouns`: what a sample is called in sentences, and what is said of one that is an event."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ..foundation import validation
from ..foundation.written import counted
from .columns.known_names import key_of, words

LONGEST = 60  # signs: a noun stands in the middle of sentences
SINGULARS = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "mice": "mouse", "geese": "goose",
    "teeth": "tooth", "feet": "foot", "lives": "life", "wives": "wife", "knives": "knife", "leaves": "leaf",
    "wolves": "wolf", "calves": "calf", "halves": "half", "shelves": "shelf", "analyses": "analysis",
    "diagnoses": "diagnosis", "biopsies": "biopsy", "movies": "movie", "cookies": "cookie", "houses": "house",
    "buses": "bus", "viruses": "virus", "potatoes": "potato", "tomatoes": "tomato", "heroes": "hero",
    "series": "series", "species": "species",
}  # fmt: skip  # short entries stand in rows
PLURALS = {one: many for many, one in SINGULARS.items()}
LEAST_LETTERS, ABBREVIATED = 3, ("pid", "mrn", "imp")  # of words of which a plural is known
#: Verbs that an event is said with, of several samples and of one.
OF_ONE = {"are": "is", "were": "was", "have": "has", "do": "does"}


@dataclass(frozen=True)
class Nouns:
    """The words for samples in sentences, and for those that are events.

    Attributes
    ----------
    one, many : str
        Such as "person" and "people".
    event : str
        What follows a number of samples, such as "had the disease"; empty where it is not said.
    kept : int or None
        How many a selection keeps, so that "all people" are not meant; None where there is none.

    See Also
    --------
    Predictions : Takes the noun, and what is said of events.

    Examples
    --------
    >>> from calibviz.data.nouns import nouns
    >>> of = nouns("people", "had the disease")
    >>> of.counted(1234), of.counted(1), of.happened(2), of.happened_short(2)
    ('1,234 people', '1 person', '2 had the disease', '2 had it')
    """

    one: str = "sample"
    many: str = "samples"
    event: str = ""
    kept: int | None = None

    @property
    def whole(self) -> str:
        """All that are looked at: "all people", under a selection "all of these 123 people"."""
        if self.kept is None:
            return f"all {self.many}"
        return f"this {self.one}" if self.kept == 1 else f"all of these {self.kept:,} {self.many}"

    def counted(self, n: float) -> str:
        """How many there are, with the noun in the singular or the plural."""
        return counted(n, self.one, self.many)

    def happened(self, n: float | str) -> str:
        """How many are events; a number that is written already is one of several."""
        return self._said(n, self.event)

    def happened_short(self, n: float | str) -> str:
        """How many are events, in few words: "2 had it", where the event is something that samples have."""
        return self._said(n, re.sub(r"^(had|have|got|get) the\b.*", r"\1 it", self.event))

    @staticmethod
    def _said(n: float | str, event: str) -> str:
        if isinstance(n, str):
            return f"{n} {event}"
        verb, _, rest = event.partition(" ")
        return f"{round(n):,} {OF_ONE.get(verb, verb) if round(n) == 1 else verb} {rest}".rstrip()

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `Predictions` that give other predictions these nouns."""
        return {"noun": (self.one, self.many), "event_noun": self.event or None}


SAMPLES = Nouns()


ROWS, CLUSTER = Nouns("row", "rows"), Nouns("cluster", "clusters")
ARE_LESS = 0.8  # of their number, below which it is said what clusters of unequal size are worth


@dataclass(frozen=True)
class ClusterCount:
    """How many clusters there are, with their noun; `worth` as many of equal weight. str() is for sentences."""

    nouns: Nouns
    number: int
    worth: float

    def __str__(self) -> str:
        less = f" (worth {self.worth:,.0f} of equal size)" if self.worth < ARE_LESS * self.number else ""
        return f"{self.nouns.counted(self.number)}{less}"

    def too_few_to(self, do: str) -> str:
        """The clause that they are too few to do something."""
        return f"{self.nouns.counted(self.number)} {'is' if self.number == 1 else 'are'} too few to {do}"


def counted_in(nouns: Nouns, n: int, clusters: ClusterCount | None, of: int | None = None) -> str:
    """Return how many samples there are, maybe `of` so many; samples in clusters are rows, and the clusters come first.

    >>> from calibviz.data.nouns import SAMPLES, ClusterCount, counted_in, nouns_of_field
    >>> counted_in(SAMPLES, 1200, ClusterCount(nouns_of_field("patient_id"), 50, 31.0))
    '50 patients (worth 31 of equal size), 1,200 rows'
    """
    rows = ROWS if clusters is not None and nouns.many == SAMPLES.many else nouns
    count = rows.counted(n) if of is None or of == n else f"{n:,} of {rows.counted(of)}"
    return count if clusters is None else f"{clusters}, {count}"


def nouns(noun: Any = None, event_noun: Any = None) -> Nouns:
    """The nouns from what a user gave: a plural, or a singular and a plural; and what is said of an event."""
    one, many = SAMPLES.one, SAMPLES.many
    if isinstance(noun, str):
        many = words_of(noun, "noun")
        one = _singular(many)
    elif isinstance(noun, tuple | list) and len(noun) == 2:
        one, many = (words_of(each, f"noun[{i}]") for i, each in enumerate(noun))
    elif noun is not None:
        raise TypeError(
            f"noun must be the plural of what a sample is, such as 'people', or both, such as ('person', 'people'), "
            f"not {validation.shown(noun)}"
        )
    return Nouns(one, many, "" if event_noun is None else words_of(event_noun, "event_noun"))


def words_of(value: Any, argument: str) -> str:
    """Some words that may stand in a sentence."""
    words = " ".join(validation.text(value, argument).split())
    if not words:
        raise ValueError(f"{argument} is {value!r}, which says nothing: leave it out")
    if len(words) > LONGEST:
        raise ValueError(f"{argument} has {len(words)} signs, but stands in sentences: {LONGEST} at most")
    validation.refuse_invisible(words, argument)
    return words


def nouns_of_field(name: str) -> Nouns:
    """The nouns for what the values of a field name: "patients" of `patient_id`; "clusters" where none is known."""
    said = words(key_of(name))
    if not said or said[-1] in ABBREVIATED or any(len(word) < LEAST_LETTERS or word.isdecimal() for word in said):
        return CLUSTER
    *before, last = said
    one, many = (last, _plural(last)) if _singular(last) == last or last in PLURALS else (_singular(last), last)
    return Nouns(" ".join([*before, one]), " ".join([*before, many]))


def nouns_of_clusters(predictions: Any) -> Nouns:
    """The nouns for the clusters of predictions."""
    return nouns_of_field(predictions.cluster or "")


def count_of_clusters(predictions: Any) -> ClusterCount | None:
    """The number of clusters of predictions; None without clusters, and where each sample is one of its own."""
    if predictions.cluster is None or predictions.cluster_codes is None:
        return None
    return ClusterCount(nouns_of_clusters(predictions), predictions.n_clusters, predictions.effective_clusters)


def _plural(one: str) -> str:
    """The plural of an English noun in small letters."""
    if one in PLURALS:
        return PLURALS[one]
    if re.search("[^aeiou]y$", one):
        return f"{one[:-1]}ies"
    return f"{one}es" if re.search("(s|sh|ch|x|z)$", one) else f"{one}s"


def _singular(plural: str) -> str:
    """The singular of an English plural; of one that follows no rule, the plural."""
    before, space, last = plural.rpartition(" ")
    lower = last.lower()
    if lower in SINGULARS:
        one = SINGULARS[lower]
        one = one.capitalize() if last[:1].isupper() else one
    elif re.search("[^aeiou]ies$", lower):
        one = f"{last[:-3]}y"
    elif re.search("(ss|sh|ch|x|zz)es$", lower):
        one = last[:-2]
    else:
        one = last[:-1] if re.search("[^su]s$", lower) else last
    return f"{before}{space}{one}"
