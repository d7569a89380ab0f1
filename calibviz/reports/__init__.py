"""One HTML file for people who run no notebook, which asks nothing of the network.

measuring/ holds what is measured, as frozen records; writing/ turns such records into HTML, section by section. Above
them, single.py and several.py put the pages together, and code.py writes the Python that gives the numbers again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..context.conditions import Condition
from ..context.lenses import Lens
from ..data.models import calibration_of, models_of, no_predictions
from ..data.predictions import Predictions
from ..foundation import validation
from ..metrics.own import Metric
from . import several, single
from .measuring.choices import Scope
from .measuring.clinical import ClinicalRequest
from .measuring.comparison import compared
from .measuring.findings import findings
from .writing.data import title_of
from .writing.markup import tag


@dataclass(frozen=True)
class Report:
    """A report, which a notebook shows.

    Attributes
    ----------
    title : str
    html : str
        The whole page, for `save` or a mail: it needs no other file and no network.

    Examples
    --------
    >>> cv.Report("mine", "<!doctype html><title>mine</title>")
    Report(title='mine')
    """

    title: str
    html: str = field(repr=False)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page as UTF-8, over a file that is there; the path that was written."""
        file = validation.path(path)
        file.write_bytes(self.html.encode("utf-8"))
        return file

    def _repr_html_(self) -> str:
        # A page of its own, lest its style sheet change the notebook.
        return tag("iframe", srcdoc=self.html, sandbox="allow-scripts", width="100%", height="720", title=self.title)


def report(
    predictions: Predictions,
    calibration: Predictions | None = None,
    *,
    lens: str | Lens = "top-1",
    selection: str | Condition | None = None,
    likert: Mapping[str, tuple[float, float]] | Iterable[float] | None = None,
    clinical: bool = False,
    threshold: float | None = None,
    costs: ArrayLike | None = None,
    metrics: Iterable[Metric] | Metric = (),
    calibrators: Iterable[Any] = (),
    path: str | PathLike[str] | None = None,
    progress: bool = True,
) -> Report:
    """A page that tells a colleague without Python how far these probabilities can be trusted.

    It holds one line in words; means with bootstrap intervals; errors beside what calibrated predictions show and an
    interval that holds the true one; reliability diagram and cumulative curves; what a
    spline does to held-out samples; ranks of repairs; the error over the number of bins; Likert categories; every
    class; the worst segments, where there are sample fields; what the data are; and the Python that gives the numbers
    again. What cannot be computed is said in its place.

    Parameters
    ----------
    predictions : Predictions
    calibration : Predictions, optional
        What calibrators are fitted to. Without it, a random half of `predictions`; the other half then judges them.
    lens : lens or its name
        With one score a sample; of several outcomes name one, such as "top-5: rest".
    selection : condition or its text, optional
    likert : ascending cut points, or dict of name to (low, high), optional
        Likert categories, as in `likert_error`.
    clinical : bool
        Add what clinical prediction models are asked: O:E, calibration intercept and slope, ICI, E50 and E90, the
        flexible curve with its band, decision curves, and what a reporting guideline asks of calibration. Of two
        classes, under the lens "top-1", this part looks at the second class.
    threshold : float, in [0, 1), optional
        With `clinical`: act from this score on; what is that worth?
    costs : array-like, shape (A, 2) or (A, K), optional
        With `clinical`: what each action costs where the outcome is not there and where it is, or under each class, as
        in `expected_cost`. Two actions and two outcomes set the threshold, unless it is given.
    metrics : Metric objects of your own, optional
        Rows that the table of repairs has beside the errors of calibviz.
    calibrators : calibrators of your own, or built-in ones with other settings, optional
        Columns that it has beside the usual repairs.
    path : str or path, optional
        Where to write the page.
    progress : bool
        Show a progress bar when it takes longer than a second.

    Raises
    ------
    OSError
        Where the page cannot be written.
    TypeError, ValueError
        Where an argument cannot be used, or the selection keeps no sample.

    Examples
    --------
    >>> page = cv.report(cv.simulated("resnet152_imagenet", 100), lens="class right", likert=[0, 0.5, 1])
    >>> page.title
    'simulated resnet152_imagenet'
    """
    validation.truth(clinical, "clinical")
    validation.truth(progress, "progress")
    file = None if path is None else validation.path_to_write(path)
    if not isinstance(predictions, Predictions):
        hint = ": cv.compare takes a dict of models" if isinstance(predictions, Mapping) else ""
        raise no_predictions(predictions, hint=hint)
    models = {"model": predictions}
    fit_on = None if calibration is None else calibration_of(models, calibration)["model"]
    _refuse_same(fit_on, predictions, "calibration")
    choices = Scope.of(lens, selection, likert, metrics, calibrators)
    asked = ClinicalRequest.of(predictions, choices, clinical, threshold, costs)
    found = findings(predictions, fit_on, choices, progress, asked)
    return _written(Report(title_of(predictions), single.page_of(found)), file)


def compare(
    models: Mapping[str, Predictions],
    calibration: Mapping[str, Predictions] | None = None,
    *,
    lens: str | Lens = "top-1",
    selection: str | Condition | None = None,
    likert: Mapping[str, tuple[float, float]] | Iterable[float] | None = None,
    metrics: Iterable[Metric] | Metric = (),
    path: str | PathLike[str] | None = None,
    progress: bool = True,
) -> Report:
    """A page that compares several models on the same samples.

    Differences to the first model have bootstrap intervals of their own, in which the same samples are drawn of every
    model.

    Parameters
    ----------
    models : dict of name to Predictions
        Of the same samples in the same order, with the same classes.
    calibration : dict of name to Predictions, optional
        What calibrators are fitted to, one for each model. Without it, a random half of the samples.
    lens, selection, likert, metrics, path, progress
        As in `report`, where metrics are rows of the table of ranks; the selection has to keep the same samples of
        every model.

    Raises
    ------
    OSError
        Where the page cannot be written.
    TypeError, ValueError
        Where an argument cannot be used, or the models were judged on different samples.

    Examples
    --------
    >>> models = cv.load_dataset("tumours")
    >>> page = cv.compare({name: models[name] for name in ("naive Bayes", "random forest")})
    >>> page.title
    'naive Bayes, random forest'
    """
    validation.truth(progress, "progress")
    file = None if path is None else validation.path_to_write(path)
    named = models_of(validation.mapping(models, "models", "cv.Predictions"), "models")
    fit_on = None if calibration is None else calibration_of(named, calibration)
    for name, one in (fit_on or {}).items():
        _refuse_same(one, named[name], f"calibration[{name!r}]")
    choices = Scope.of(lens, selection, likert, metrics)
    found = compared(named, fit_on, choices, progress)
    return _written(Report(", ".join(named), several.page_of(found)), file)


def _refuse_same(calibration: Predictions | None, predictions: Predictions, argument: str) -> None:
    """Raise where repairs would be judged on the very samples that they are fitted to."""
    if calibration is not None and np.array_equal(calibration.probs, predictions.probs):
        raise ValueError(
            f"{argument} holds the very predictions that are judged, which would make every repair look good: leave it "
            "out, and half of the samples are set aside"
        )


def _written(made: Report, file: Path | None) -> Report:
    if file is not None:
        made.save(file)
    return made
