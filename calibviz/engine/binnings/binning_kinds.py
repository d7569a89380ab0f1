"""Every kind of binning that has a name: what makes one, what it is made of, and what it can cut."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from ...foundation.cache import lazy_property
from .binning import Binning, EqualMass, Sweep, Uniform
from .kdtree import KDTree


@dataclass(frozen=True)
class BinningKind:
    """A kind of binnings: its name in menus, and how one is made."""

    make: Callable[..., Binning]  # of its number of bins or its gamma where it takes one of them
    takes: Literal["", "bins", "gamma"] = ""  # nothing where it chooses its bins itself
    cuts_rows: bool = False  # whether it cuts whole rows of scores, of a vector lens, as well as one score a sample
    metric: str = "ece"  # the error in such bins
    title: str = ""  # what a sentence calls it; by default its name

    @lazy_property
    def name(self) -> str:
        """The name of each binning of the kind, which menus show."""
        return self.make().name

    @property
    def chooses(self) -> bool:
        """Whether it chooses how many bins there are, of which another number cannot be asked for."""
        return self.takes != "bins"

    def of(self, bins: int, gamma: float) -> Binning:
        """One of it, of what it takes."""
        chosen: dict[str, tuple[Any, ...]] = {"bins": (bins,), "gamma": (gamma,)}
        return self.make(*chosen.get(self.takes, ()))


UNIFORM = BinningKind(Uniform, "bins", cuts_rows=True)
EQUAL_MASS = BinningKind(EqualMass, "bins")
TREE = BinningKind(KDTree, "gamma", cuts_rows=True, metric="kdtree_ece")
#: All kinds by name, in the order in which a menu offers them.
BINNINGS = {
    kind.name: kind
    for kind in (
        UNIFORM,
        EQUAL_MASS,
        BinningKind(Sweep, metric="sweep", title="monotone sweep"),
        BinningKind(lambda: Sweep("uniform")),
        TREE,
    )
}


#: The binnings that choose their bins and have a metric of their own, by its name.
OF_METRICS = {
    kind.metric: kind.make() for kind in BINNINGS.values() if not kind.takes and kind.metric != UNIFORM.metric
}


def kind_of(binning: str, own: dict[str, Binning]) -> BinningKind:
    """The kind of a name; each binning of the user's own is a kind of its own."""
    return BinningKind(lambda: own[binning]) if binning in own else BINNINGS[binning]
