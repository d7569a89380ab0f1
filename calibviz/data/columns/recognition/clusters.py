"""Columns of what several rows belong to, such as a patient or a question: which they are, and what is said of them."""

from __future__ import annotations

from ..known_names import is_of_rows, may_name_clusters, names_rows

MOST_CLUSTERS, ROWS_OF_A_CLUSTER = 50, 20  # more values, or fewer rows of each, of a key such as site_id


def is_cluster(name: str, rows: int, different: int, is_text: bool) -> bool:
    """Whether a column of so many different values, of which some are repeated, tells what its rows belong to."""
    if not 1 < different < rows:
        return False
    are_many = different > max(2, min(MOST_CLUSTERS, rows / ROWS_OF_A_CLUSTER))
    return names_rows(name) or (are_many and (may_name_clusters(name) or (is_text and is_of_rows(name))))


def may_depend(which: str) -> str:
    """Return what is said of rows that share a value of a cluster."""
    return f"rows that share {which} may not be independent, and intervals and tests take them to be"
