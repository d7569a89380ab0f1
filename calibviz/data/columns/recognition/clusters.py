"""Columns of what several rows belong to, such as a patient or a question: which they are, and what is said of them."""

from __future__ import annotations

from collections.abc import Collection

from ..choices import Account, ReadingOptions
from ..known_names import chosen_column, is_of_rows, may_name_clusters, names_rows

MOST_CLUSTERS, ROWS_OF_A_CLUSTER = 50, 20  # more values, or fewer rows of each, of a key such as site_id


def is_cluster(name: str, rows: int, different: int, is_text: bool) -> bool:
    """Whether a column of so many different values, of which some are repeated, tells what its rows belong to."""
    if not 1 < different < rows:
        return False
    are_many = different > max(2, min(MOST_CLUSTERS, rows / ROWS_OF_A_CLUSTER))
    return names_rows(name) or (are_many and (may_name_clusters(name) or (is_text and is_of_rows(name))))


def named_cluster(columns: Collection[str], choices: ReadingOptions, account: Account) -> list[str]:
    """The column that the option `cluster` names, alone in a list; none where it names none. It is a field, too."""
    if not isinstance(choices.cluster, str):
        return []
    if (role := account.roles.get(choices.cluster)) in ("label", "weight", "probability", "logit", "confidence"):
        raise ValueError(f"cluster={choices.cluster!r}: this column is the {role} of each row, not what rows belong to")
    return [chosen_column(choices.cluster, columns, "cluster")]


def may_depend(which: str) -> str:
    """Return what is said of rows that share a value of a cluster."""
    return f"rows that share {which} may not be independent, and intervals and tests take them to be"
