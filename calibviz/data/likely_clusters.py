"""Fields by which rows may depend on each other, where nobody said so."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..foundation.arrays import missing_in
from .columns.choices import MAY_BE_CENSORED
from .columns.recognition.clusters import MOST_ROWS, likeliest_cluster_of, likely_clusters_of, without_ways_out
from .models import checked, takes_arrays
from .predictions import Predictions


@takes_arrays
def likely_clusters(predictions: Predictions) -> dict[str, str]:
    """Return the fields whose rows may belong together, the likeliest first, where no cluster is named.

    A field of text, whole numbers or booleans, or such a note, is one if rows share its values, 5 % of them at least,
    and the values are fewer than rows by 5 %, and if

    - a word of its name is that of something that rows belong to, such as `id`, `patient`, `question` or `match`, and
      it has at least 10 values; or
    - it has at least 20 values, and outcomes agree within them: by more than 4 standard errors of the sum of
      r_i r_j over pairs of rows of one value, where r = t - q, and q is the mean target of the rows of such scores,
      in 20 groups of equal size. That is no proof: a field that is wrong where others are right gives the same. A
      field that tells what was observed is none.

    Whole per cents of the score are none either. A field named imp, imputation or m whose values hold the same labels
    in the same order stands first: its rows are imputations of the same samples, of which `rubin` pools numbers.

    At most the first 65,536 rows are looked at.

    Parameters
    ----------
    predictions : Predictions, or probabilities of shape (n, K) or (n,)
    labels : array-like, shape (n,) or (n, K), optional
        Those of probabilities, as the second argument or by keyword; `Predictions` hold theirs.

    Returns
    -------
    dict of str to str
        Why, by the name of the field, with the two ways out; fields of such names come first. Empty where a cluster is
        named, and with `cluster=False`. The lens is class 1 of two classes, top-1 of more.

    Raises
    ------
    TypeError
        Where something else is passed.

    See Also
    --------
    Predictions : Takes the cluster.
    read_predictions : Says the first of these where a file has one.
    rubin : Pools a number over imputations.

    Examples
    --------
    >>> p = cv.Predictions([0.2, 0.4, 0.7, 0.9] * 10, [0, 0, 1, 1] * 10, fields={"patient": list(range(20)) * 2})
    >>> print(cv.likely_clusters(p)["patient"].split(":")[0])
    40 rows of 20 different 'patient'
    >>> cv.likely_clusters(cv.Predictions(p.probs, p.labels, fields=p.fields, cluster="patient"))
    {}
    """
    return {name: each.question for name, each in likely_clusters_of(checked(predictions)).items()}


class Caution(NamedTuple):
    """A caution about rows: in short, all that is said of it, and the field by which they may belong together."""

    short: str
    said: str
    field: str = ""


def taken_alone(predictions: Predictions) -> Caution | None:
    """Return what is said of the likeliest clusters, where nobody has said whether their rows are independent."""
    likeliest = likeliest_cluster_of(predictions)
    if likeliest is None:
        return None
    return Caution(f"{likeliest.numbers} count as independent", likeliest.said, likeliest.cluster)


def fields_of_clusters(predictions: Predictions) -> tuple[str, ...]:
    """Return the names of fields and notes that can name clusters: the likeliest first, then others that repeat.

    Their values are texts, whole numbers, booleans or dates, and no sample lacks one. The first 65,536 rows decide.
    """
    return predictions.cache.get("fields of clusters", lambda: _fields_of_clusters(predictions))


def _fields_of_clusters(predictions: Predictions) -> tuple[str, ...]:
    columns = {name: column[:MOST_ROWS] for name, column in (predictions.fields | predictions.notes).items()}
    repeat = (name for name, column in columns.items() if column.dtype.kind in "biuUM" and _repeats(column))
    likely = (each.cluster for each in likely_clusters_of(predictions).values() if each.cluster)
    return tuple(dict.fromkeys((*likely, *repeat)))


def _repeats(column: NDArray[Any]) -> bool:
    return not missing_in(column).any() and 1 < len(np.unique(column)) < len(column)


def may_be_censored(predictions: Predictions) -> Caution | None:
    """Return which rows were read as labels though they may be censored, and all that is said."""
    said = predictions.about.get("censoring")
    if said is None:
        return None
    return Caution(f"{said.partition(MAY_BE_CENSORED)[0]}{MAY_BE_CENSORED}", without_ways_out(said))


def assumed_when_read(predictions: Predictions) -> str | None:
    """Return what was taken for what, and assumed, when predictions were read, as a page says it; None of nothing."""
    said = predictions.about.get("assumed")
    return None if said is None else without_ways_out(said)


def unsaid_clusters(predictions: Predictions) -> str | None:
    """Return what is to be said of the likeliest clusters, unless the line of what was taken says it."""
    likeliest = likeliest_cluster_of(predictions)
    return None if likeliest is None or likeliest.said in predictions.about.get("assumed", "") else likeliest.said
