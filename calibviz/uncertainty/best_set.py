"""The set of models that are within noise of the best: a test of all differences, on the same samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..context.condition_parser import selection as read_selection
from ..context.conditions import Condition
from ..context.induced import induced_problem, lens_of
from ..context.lens_names import default_lens
from ..context.lenses import Lens, Problem
from ..data.dependence import assumes_independence
from ..data.models import no_predictions, of_arrays
from ..data.predictions import Predictions
from ..foundation import validation
from ..foundation.arrays import Array
from ..foundation.chance import EQUAL
from ..foundation.progress import with_progress
from ..metrics.binned import debiased_error
from ..metrics.scores import brier_score
from .resampling.contenders import CRITERIA, REPLICATES, Contender, Sampled, contender_of

LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class BestSet:
    """The models that are within noise of the best, and those that are worse; see `within_noise`.

    Attributes
    ----------
    errors : dict of model name to float
    p_values : dict of model name to float, in (0, 1]
        The probability that noise alone sets any two models as far apart as this one and the best; 1 for the best.
    level : float, in (0, 1)

    See Also
    --------
    within_noise : Makes it.

    Examples
    --------
    >>> models = {name: cv.load_dataset("tumours")[name] for name in ("naive Bayes", "random forest")}
    >>> cv.within_noise(models)
    <BestSet 'random forest'; worse: 'naive Bayes'>
    """

    errors: Mapping[str, float]
    p_values: Mapping[str, float]
    level: float

    def __repr__(self) -> str:
        worse = ", ".join(repr(name) for name in self.errors if name not in self.within)
        return f"<BestSet {', '.join(map(repr, self.within))}{f'; worse: {worse}' if worse else ''}>"

    @property
    def within(self) -> tuple[str, ...]:
        """The models that the test does not show to be worse than the best.

        See Also
        --------
        within_noise : What makes the record.
        rank_calibrators : Ranks that count those within noise as equal.
        """
        return tuple(name for name, p_value in self.p_values.items() if is_within(p_value, self.level))


def is_within(p_value: float, level: float) -> bool:
    """Whether a test at a level does not show a model to be worse than the best."""
    return p_value > 1 - level + EQUAL


@assumes_independence
def within_noise(
    models: Mapping[str, Predictions | Problem],
    lens: str | Lens | None = None,
    *,
    error: Callable[..., float] = brier_score,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    replicates: int = REPLICATES,
    level: float = LEVEL,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> BestSet:
    """The models that a test does not show to be worse than the best of them, on the same samples.

    It is a model confidence set (Hansen, Lunde and Nason 2011), computed in one step: in a share `level` of all data
    sets no model is called worse than one that is equally good.

    Parameters
    ----------
    models : dict of name to Predictions, to problem, or to (probabilities, labels)
        At least two, of the same samples in the same order.
    error : function
        `brier_score`, `log_loss` or `debiased_error`. Other calibration errors have a bias that differs by model, so
        resampling does not show which model has the larger error.
    lens, selection, outcome
        As in `calibration_error`. The selection has to keep the same samples of every model.
    replicates : int, at least 1
        Number of bootstrap replicates; the same samples are drawn of all models.
    level : float, in (0, 1)
    rng : int, numpy.random.Generator or None
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    BestSet
        Errors, p_values and within.

    Raises
    ------
    ValueError
        For another error, fewer than two models, and models that were not judged on the same samples.

    See Also
    --------
    evaluate : With `ranking`, this test in every cell of a cube.
    consistency : The error of calibrated predictions, which is noise alone.

    Notes
    -----
    The difference of two models has the standard deviation s over the replicates. Its replicates, less their mean and
    divided by s, show noise alone; c is the `level` quantile of their largest absolute value over all pairs. A model
    is worse where its distance to the best exceeds c s. For injective maps of one score, differences of the Brier score
    are differences of the squared calibration error. Where the debiased errors of all models lie below their noise
    floors, no model is worse. `benchmarks/ranking.py` measures how often equal models are called different.

    References
    ----------
    Hansen, Lunde and Nason 2011, The model confidence set.

    Examples
    --------
    >>> best = cv.within_noise(cv.load_dataset("tumours"), error=cv.debiased_error, replicates=200)
    >>> best.within
    ('logistic regression', 'naive Bayes', 'random forest', 'gradient boosting')
    """
    seed = validation.draws(rng, progress, replicates, level)
    named = [name for name, criterion in CRITERIA.items() if criterion.error is error]
    if not named:
        known = ", ".join(f"cv.{criterion.error.__name__}" for criterion in CRITERIA.values())
        raise ValueError(
            f"error must be one of {known}, of which differences are tested, not {error!r}: that of two models differs "
            "by its bias, too; cv.interval of each says how large it is"
        )
    contenders = {}
    models_by_name = _check_models(models)
    seen = lens
    if lens is None and all(isinstance(model, Predictions) for model in models_by_name.values()):
        seen = default_lens(models_by_name.values())  # one lens for all
    for name, model in with_progress(list(models_by_name.items()), "within_noise", len(models_by_name), progress):
        problem = induced_problem(model, seen, selection, outcome)
        source = model if isinstance(model, Predictions) else None
        look = source, problem, lens_of(model, seen), read_selection(selection)
        contenders[name] = contender_of(*look, named, replicates, seed)
        if contenders[name].why_not:
            raise ValueError(contenders[name].why_not[named[0]])
    refuse_other_samples(contenders)
    errors, p_values = tested({name: contender.of[named[0]] for name, contender in contenders.items()})
    if error is debiased_error:  # its square is what is tested
        errors = {name: float(np.sqrt(max(0.0, square))) for name, square in errors.items()}
    return BestSet(errors, p_values, level)


def _check_models(models: Any) -> Mapping[str, Predictions | Problem]:
    if not isinstance(models, Mapping):
        raise TypeError(f"models must be a dict of names to cv.Predictions, not {type(models).__name__}")
    if len(models) < 2:
        raise ValueError(f"models must be several, to be compared, not {len(models)}")
    given = {str(name): of_arrays(model) for name, model in models.items()}
    for name, model in given.items():
        if not isinstance(model, Predictions | Problem):
            raise no_predictions(model, f"models[{name!r}]")
    return given


def refuse_other_samples(contenders: Mapping[str, Contender]) -> None:
    """Raise unless all contenders were judged on the same samples."""
    (first, contender), *others = contenders.items()
    for name, other in others:
        if other.samples != contender.samples:
            raise ValueError(
                f"the models {first!r} and {name!r} were not judged on the same samples, in the same order: "
                "differences cannot be tested"
            )


def tested(numbers: Mapping[str, Sampled]) -> tuple[dict[str, float], dict[str, float]]:
    """The numbers on the data, and their p-values by `p_values_of`, by the names of the models."""
    names = list(numbers)
    values = np.array([sampled.value for sampled in numbers.values()])
    p_values = p_values_of(values, np.stack([sampled.replicates for sampled in numbers.values()], axis=1))
    if all(sampled.value <= sampled.floor for sampled in numbers.values()):
        p_values[:] = 1.0
    return dict(zip(names, values.tolist(), strict=True)), dict(zip(names, p_values.tolist(), strict=True))


def p_values_of(values: Array, replicates: Array) -> Array:
    """The probability that noise alone sets any two of m numbers as far apart as each and the least, shape (m,).

    `replicates`, shape (n, m), are of all numbers on the same draws.
    """
    finite = np.isfinite(values)
    out = np.ones(len(values))
    if not finite.all():  # an infinite log loss stays infinite, however many samples there are
        if finite.any():
            out[finite] = p_values_of(values[finite], replicates[:, finite])
            out[~finite] = 1 / (1 + len(replicates))
        return out
    kept = replicates[np.isfinite(replicates).all(axis=1)]
    if len(kept) < 2:
        return out
    first, second = np.triu_indices(len(values), 1)
    apart = kept[:, first] - kept[:, second]
    spread = np.maximum(apart.std(axis=0), EQUAL)  # of one or two samples all draws may be equal
    largest = (np.abs(apart - apart.mean(axis=0)) / spread).max(axis=1, initial=0.0)
    best = int(np.argmin(values))
    for i in range(len(values)):
        distance = values[i] - values[best]
        pair = np.flatnonzero((first == min(i, best)) & (second == max(i, best)))
        if distance > EQUAL and spread[pair] > EQUAL:
            out[i] = (1 + (largest >= distance / spread[pair]).sum()) / (1 + len(kept))
    return out
