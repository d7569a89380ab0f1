"""The figures and tables of five papers on calibration, live: each by its paper and number, and all in one page.

Papers have the short names of the docstrings: "ks", "ece_sweep", "gce_measuring" and "gece", and "workshop" for the
four pages of gce_measuring at a workshop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..explorer.app import Explorer
from ..explorer.demo_data import demo_data
from ..foundation import validation
from .catalogue import ITEMS, PAPERS, item, items
from .item import MADE, made
from .pathologies import base_rate, cancelling
from .trained import label_noise, training
from .writing import gallery

if TYPE_CHECKING:
    from ..plots.drawing import Picture

__all__ = ["base_rate", "cancelling", "explore", "figure", "gallery", "items", "label_noise", "table", "training"]


def figure(paper: str, number: int) -> Picture:
    """A figure of a paper, computed now.

    Parameters
    ----------
    paper : {"ks", "ece_sweep", "gce_measuring", "workshop", "gece"}
    number : int
        As in the paper.

    Returns
    -------
    Picture
        A figure of Matplotlib, which a notebook shows and `savefig` writes.

    Raises
    ------
    ValueError
        For an unknown paper, or a figure that it does not have.

    See Also
    --------
    items : All of them, and whether the data are the paper's.
    table : A table.
    explore : The Explorer with the same choices.

    Examples
    --------
    >>> picture = cv.papers.figure("ks", 1)
    """
    return made(item(paper, "figure", number)).result


def table(paper: str, number: int) -> pd.DataFrame:
    """A table of a paper, its printed numbers beside those computed now; the arguments are those of `figure`.

    Of several columns each has "paper" and "here" below it; else these two are the columns. A number that the paper
    does not print is nan; where it prints none that compare, there are only those computed.

    Raises
    ------
    ValueError
        For an unknown paper, or a table that it does not have.

    See Also
    --------
    figure : A figure.
    items : All of them, and whether the data are the paper's.

    Examples
    --------
    >>> cv.papers.table("ks", 3).loc["test set"].tolist()
    [10000, 10000]
    """
    return made(item(paper, "table", number)).result


def explore(paper: str, name: str) -> Explorer:
    """The Explorer with the data and the choices of a figure or a table.

    Parameters
    ----------
    paper : {"ks", "ece_sweep", "gce_measuring", "workshop", "gece"}
    name : str
        Such as "figure 3" or "table 1".

    Raises
    ------
    ValueError
        For an unknown paper, or a name that it does not have; the message lists those that it has.

    See Also
    --------
    figure, table : The same as a picture, or as numbers.

    Examples
    --------
    >>> explorer = cv.papers.explore("ks", "figure 3")
    >>> explorer.state.lens
    'rank 2'
    """
    validation.choice(paper, "paper", tuple(PAPERS))
    known = {one.name: one for one in ITEMS if one.paper == paper}
    choices = dict(known[validation.choice(name, "name", tuple(known))].choices)
    data = choices.pop("data")
    predictions, calibration = (MADE[data](), None) if data in MADE else demo_data(data)
    return Explorer(predictions, calibration, **choices)
