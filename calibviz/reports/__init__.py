"""Reports: one HTML file for people who run no notebook, which loads nothing from the network.

A report asks the answers and writes what they give: report_situations.py says of which samples each is asked,
report_page.py and comparison_page.py put the pages together, writing/ turns records into HTML.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..answers.first_screen.verdict import MARGIN
from ..answers.first_screen.verdict_sentences import Verdict
from ..answers.report_situations import (
    Acting,
    LensLike,
    MetricLike,
    SelectionLike,
    Situations,
    own_answers,
    refuse_other_samples,
    report_choices,
    report_lens,
)
from ..answers.situation.content import Answer
from ..data.models import calibration_of, models_of, no_predictions, takes_arrays
from ..data.predictions import Predictions
from ..foundation import validation
from ..foundation.files import path_to_write, write_whole
from . import comparison_page, report_page
from .writing.data import title_of
from .writing.page import framed


@dataclass(frozen=True)
class Report:
    """A report: a page of HTML, which a notebook shows.

    Attributes
    ----------
    title : str
    html : str
        The whole page, for `save` or a mail: it needs no other file and no network.
    verdicts : dict of name to Verdict
        What it begins with, of each model; the name of a report about one is "model".

    See Also
    --------
    report : Makes the report of one model.
    compare : Makes the report of several models.

    Examples
    --------
    >>> Report("mine", "<!doctype html><title>mine</title>")
    Report(title='mine')
    """

    title: str
    html: str = field(repr=False)
    verdicts: Mapping[str, Verdict] = field(default_factory=dict, repr=False)

    @property
    def verdict(self) -> Verdict:
        """The verdict that a report about one model begins with, as `cv.verdict` returns it.

        See Also
        --------
        Explorer.verdict : The same of the data on screen.
        """
        if len(self.verdicts) != 1:
            raise ValueError(f"there are {len(self.verdicts)} verdicts, one of each model: choose one of verdicts")
        [verdict] = self.verdicts.values()
        return verdict

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page as UTF-8, and return the path; a file of that name is replaced by the whole page, or stays."""
        return write_whole(path, self.html.encode("utf-8"))

    def _repr_html_(self) -> str:
        return framed(self.html, self.title)


@takes_arrays
def report(
    predictions: Predictions,
    lens: LensLike | None = None,
    *,
    calibration: Predictions | None = None,
    selection: SelectionLike | None = None,
    categories: Mapping[str, tuple[float, float]] | Iterable[float] | None = None,
    clinical: bool = False,
    threshold: float | None = None,
    costs: ArrayLike | None = None,
    margin: float = MARGIN,
    centre: str | None = None,
    metrics: Iterable[MetricLike] | MetricLike = (),
    calibrators: Iterable[Any] = (),
    panels: Iterable[Answer] | Answer = (),
    path: str | PathLike[str] | None = None,
    progress: bool = True,
) -> Report:
    """A page that tells a colleague without Python how far these probabilities can be trusted.

    It asks every answer of the Explorer with the same choices, runs each to its end, and writes what it gives: the
    verdict; means, scores and errors, each beside its noise; the reliability diagram and the cumulative curves; the
    segments that are off, if the samples have fields, and the error over time, if one of these holds dates; how many of
    the surest samples are wrong, if the lens asks that; what recalibration changes on unseen samples, and which
    calibrator does best; the error over the temperature and over the number of bins; categories; every class; a
    description of the data; and the Python that gives the numbers again. Where a number cannot be computed, the page
    says why.

    Parameters
    ----------
    predictions : Predictions, or probabilities of shape (n, K) or (n,)
    labels : array-like, shape (n,) or (n, K), optional
        Those of probabilities, as the second argument or by keyword; `Predictions` hold theirs.
    calibration : Predictions, optional
        What calibrators are fitted to. Without it, each sample is judged by a fit to the others, in five folds.
    lens : lens or its name, optional
        By default the positive class of two, and "top-1" of more. It must give one score a sample: if a lens has
        several outcomes, name one, such as "top-5: rest".
    selection : condition or its text, optional
    categories : ascending cut points, or dict of name to (low, high), optional
        Categories, as in `likert_error`.
    clinical : bool
        Add what reports of clinical prediction models contain: O:E, calibration intercept and slope, ICI, E50 and E90,
        the flexible curve with its band, decision curves, and what a reporting guideline asks of calibration.
    threshold : float, in [0, 1), optional
        The score from which on to act; the page says what that is worth.
    costs : array-like, shape (A, 2) or (A, K), optional
        What each action costs without and with the outcome, or under each class, as in
        `expected_cost`. Two actions and two outcomes set the threshold, unless it is given.
    margin : float, in [0.001, 0.999]
        The KS error that hardly matters: 0.02 is 2 points.
    centre : str, optional
        The field that tells the centre of each sample, such as its hospital, as in `by_centre`. By default the first
        that is named after places.
    metrics : Metric objects of your own, optional
        They become rows of the table of calibrators, beside the errors of calibviz.
    calibrators : calibrators of your own, or built-in ones with other settings, optional
        They become columns of the same table, beside the usual calibrators.
    panels : answers of your own, optional
        Each becomes a section, as it would be a panel of the Explorer: see `Answer`.
    path : str or path, optional
        Where to write the page.
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    Report
        With `html`, the page; a notebook shows it, and its method `save` writes it to a file.

    Raises
    ------
    OSError
        Where the page cannot be written.
    TypeError, ValueError
        Where an argument cannot be used, or the selection keeps no sample.

    See Also
    --------
    compare : A page about several models on the same samples.
    evaluate : The same numbers as a labelled cube.

    Examples
    --------
    >>> page = cv.report(cv.simulated("resnet152_imagenet", 100), lens="class right", categories=[0, 0.5, 1])
    >>> page.title
    'simulated resnet152_imagenet'
    """
    validation.truth(clinical, "clinical")
    validation.truth(progress, "progress")
    file = None if path is None else path_to_write(path)
    if not isinstance(predictions, Predictions):
        raise no_predictions(predictions)
    models = {"model": predictions}
    fit_on = None if calibration is None else calibration_of(models, calibration)["model"]
    _refuse_same(fit_on, predictions, "calibration")
    choices = report_choices(report_lens([predictions], lens), selection, categories, metrics, calibrators)
    acting = Acting.of(predictions, choices["lens"], clinical, threshold, costs)
    choices["margin"] = margin
    choices |= {} if centre is None else {"centre": validation.choice(centre, "centre", tuple(predictions.fields))}
    choices |= {} if acting.threshold is None else {"threshold": acting.threshold}
    situations = Situations.of_model(predictions, fit_on, {**choices, "rows": "metric"}, progress)
    page, verdict = report_page.page_of(situations, acting, own_answers(panels), progress)
    return _written(Report(title_of(predictions), page, {"model": verdict}), file)


def compare(
    models: Mapping[str, Predictions],
    lens: LensLike | None = None,
    *,
    calibration: Mapping[str, Predictions] | None = None,
    selection: SelectionLike | None = None,
    categories: Mapping[str, tuple[float, float]] | Iterable[float] | None = None,
    threshold: float | None = None,
    margin: float = MARGIN,
    metrics: Iterable[MetricLike] | MetricLike = (),
    path: str | PathLike[str] | None = None,
    progress: bool = True,
) -> Report:
    """A page that compares several models on the same samples.

    Differences to the first model have bootstrap intervals of their own: each replicate draws the same samples for
    every model.

    Parameters
    ----------
    models : dict of name to Predictions, or to (probabilities, labels)
        All of the same samples in the same order, with the same classes.
    calibration : dict of name to Predictions, optional
        What the calibrators of each model are fitted to. Without it, five folds, as in `report`.
    threshold : float, in [0, 1), optional
        The score from which on to act; the page says what that is worth under each model.
    lens, selection, categories, margin, metrics, path, progress
        As in `report`, where metrics are rows of the table of ranks; the selection has to keep the same samples of
        every model.

    Returns
    -------
    Report
        With `html`, the page; a notebook shows it, and its method `save` writes it to a file.

    Raises
    ------
    OSError
        Where the page cannot be written.
    TypeError, ValueError
        Where an argument cannot be used, or the models were judged on different samples.

    See Also
    --------
    report : A page about one model.

    Examples
    --------
    >>> models = cv.load_dataset("tumours")
    >>> page = cv.compare({name: models[name] for name in ("naive Bayes", "random forest")})
    >>> page.title
    'naive Bayes, random forest'
    """
    validation.truth(progress, "progress")
    file = None if path is None else path_to_write(path)
    named = models_of(validation.mapping(models, "models", "cv.Predictions"), "models")
    fit_on = None if calibration is None else calibration_of(named, calibration)
    for name, fitted_on in (fit_on or {}).items():
        _refuse_same(fitted_on, named[name], f"calibration[{name!r}]")
    choices = report_choices(report_lens(named.values(), lens), selection, categories, metrics)
    choices["margin"] = margin
    refuse_other_samples(named, choices["selection"])
    first = next(iter(named.values()))
    acting = Acting.of(first, choices["lens"], clinical=False, threshold=threshold, costs=None)
    page, verdicts = comparison_page.page_of(named, fit_on, acting.threshold, choices, progress)
    return _written(Report(", ".join(named), page, verdicts), file)


def _refuse_same(calibration: Predictions | None, predictions: Predictions, argument: str) -> None:
    """Raise where calibrators would be judged on the very samples that they are fitted to."""
    if calibration is not None and np.array_equal(calibration.probs, predictions.probs):
        raise ValueError(
            f"{argument} holds the very predictions that are judged, which would make every calibrator look good: "
            "leave it out, and each sample is judged by a fit to the others"
        )


def _written(made: Report, file: Path | None) -> Report:
    """The report, saved if a path was given."""
    if file is not None:
        made.save(file)
    return made
