"""Lenses: what part of the predictions is looked at (gece 3.2, 4.2, A.1; ks section 2).

A lens is called with `Predictions` and returns a `ScalarProblem` or a `VectorProblem`. Any callable of that
signature with a `name` serves as one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ..data.models import checked
from ..data.predictions import Predictions
from ..engine.deferred import UnsortedProblem
from ..engine.family import ProblemFamily
from ..engine.scalar import ScalarProblem
from ..engine.vector import VectorProblem
from ..foundation import arrays, validation

Problem = ScalarProblem | VectorProblem | ProblemFamily


class Lens(Protocol):
    """A lens: it makes a problem from predictions, and hands their weights on to it."""

    @property
    def name(self) -> str: ...

    def __call__(self, predictions: Predictions) -> Problem: ...


def is_about_predicted(lens: Lens) -> bool:
    """Whether a lens asks if predictions are right, so that its scores can be over-confident, not just too high.

    A lens says so by its property `about_predicted`; one that has none, such as a function, is not.
    """
    return bool(getattr(lens, "about_predicted", False))


See = TypeVar("See", bound=Callable[..., Problem])
AnyProblem = TypeVar("AnyProblem", bound=Problem)


def in_clusters(problem: AnyProblem, predictions: Predictions) -> AnyProblem:
    """The problem that a lens has made, with the clusters of its samples; of a family, each of its problems."""
    codes = predictions.cluster_codes
    if codes is not None and isinstance(problem, ProblemFamily):
        problem.outcome = partial(_outcome_in_clusters, problem.outcome, predictions)
    elif codes is not None and isinstance(problem, ScalarProblem | VectorProblem):
        problem.clusters, problem.horizon = codes, predictions.horizon
    return problem


def _outcome_in_clusters(outcome: Callable[[int], Any], predictions: Predictions, index: int) -> Any:
    return in_clusters(outcome(index), predictions)


def of_checked(see: See) -> See:
    """The call of a lens: what it sees of predictions that have been checked, and which samples belong together."""

    @wraps(see)
    def seen(lens: Lens, predictions: Predictions) -> Problem:
        checked(predictions)
        return in_clusters(see(lens, predictions), predictions)

    return cast(See, seen)


class BuiltIn:
    """A lens that is written by its name alone: `cv.lens` reads it."""

    @property
    def name(self) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"lens({self.name!r})"


@dataclass(frozen=True, repr=False)
class _OfRank(BuiltIn):
    """A lens on the r largest probabilities."""

    r: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "r", validation.whole_number(self.r, "r", 1))


class Rank(_OfRank):
    """The r-th largest probability of each row; is that class the right one? (ks equation 3, "top-r")

    Parameters
    ----------
    r : int, from 1 to K

    See Also
    --------
    WithinTop : The r largest together.
    TopK : The k largest, each as an outcome.

    Examples
    --------
    >>> p = cv.Predictions([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]], [0, 2])
    >>> cv.lens("rank 2")(p).score
    array([0.2, 0.3])
    """

    @property
    def name(self) -> str:
        return f"rank {self.r}"

    @property
    def about_predicted(self) -> bool:
        return self.r == 1

    @of_checked
    def __call__(self, predictions: Predictions) -> ScalarProblem:
        _refuse_rank(self, self.r, predictions)
        classes = predictions.ranking(self.r)[:, -1]
        return ScalarProblem(predictions.probability_of(classes), predictions.target_of(classes), predictions.weights)


@dataclass(frozen=True, repr=False)
class Top1(BuiltIn):
    """The largest probability of each row; is that class the right one?

    See Also
    --------
    Top1ByClass : The same for each predicted class.
    ClassConditional : One class, predicted or not.

    Examples
    --------
    >>> p = cv.Predictions([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]], [0, 2])
    >>> cv.lens("top-1")(p)
    <ScalarProblem 2 samples, mean score 0.6500, mean target 0.5000>
    """

    name = "top-1"
    about_predicted = True

    @of_checked
    def __call__(self, predictions: Predictions) -> ScalarProblem:
        score, target = predictions.confidence, predictions.top_target
        if predictions.weights is None and predictions.soft_labels is None:
            return UnsortedProblem(score, target.astype(bool))
        return ScalarProblem(score, target, predictions.weights)


class WithinTop(_OfRank):
    """The sum of the r largest probabilities; is one of those classes the right one? (ks equation 5)

    Parameters
    ----------
    r : int, from 1 to K

    See Also
    --------
    Rank : The r-th largest alone.
    accuracy : Its mean target, for `k=r`.

    Examples
    --------
    >>> p = cv.Predictions([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]], [0, 2])
    >>> cv.lens("within-top 2")(p).target
    array([1., 1.])
    """

    @property
    def name(self) -> str:
        return f"within-top {self.r}"

    about_predicted = True

    @of_checked
    def __call__(self, predictions: Predictions) -> ScalarProblem:
        _refuse_rank(self, self.r, predictions)
        classes = predictions.ranking(self.r)
        # Not clipped to 1, which rounding can exceed: clipping would make ties of scores that differ.
        score, target = np.empty(len(classes)), np.empty(len(classes))
        for rows in arrays.row_blocks(*classes.shape):
            score[rows] = predictions.probability_of(classes[rows], rows).sum(axis=1, dtype=np.float64)
            target[rows] = predictions.target_of(classes[rows], rows).sum(axis=1)
        return ScalarProblem(score, target, predictions.weights)


@dataclass(frozen=True, repr=False)
class ClassConditional(BuiltIn):
    """The probability of one class.

    Parameters
    ----------
    c : int or str
        A class number or name.

    See Also
    --------
    Classwise : Each class in this way.
    Grouping : Sums over groups of classes.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> cv.lens("class malignant")(p)
    <ScalarProblem 569 samples, mean score 0.3523, mean target 0.3726>
    """

    c: int | str

    def __post_init__(self) -> None:
        if isinstance(self.c, bool) or not isinstance(self.c, int | str | np.integer):
            raise ValueError(f"class {self.c!r} is unknown: pass the number or the name of a class")

    @property
    def name(self) -> str:
        return f"class {self.c}"

    @of_checked
    def __call__(self, predictions: Predictions) -> ScalarProblem:
        c = validation.class_index(self.c, predictions.class_names)
        if predictions.weights is None and predictions.labels is not None:
            return UnsortedProblem(predictions.probs[:, c], predictions.labels == c)
        return ScalarProblem(predictions.probs[:, c], predictions.target_column(c), predictions.weights)


@dataclass(frozen=True, repr=False)
class TopK(BuiltIn):
    """The k largest probabilities, largest first, and what is left of 1: k + 1 outcomes (gece 3.2).

    With k = 1 it is the top-1 lens, a scalar problem.

    Parameters
    ----------
    k : int, from 1 to K

    See Also
    --------
    Outcome : One of the outcomes as a scalar problem.
    Rank : One rank, without the others.

    Examples
    --------
    >>> p = cv.Predictions([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]], [0, 2])
    >>> cv.lens("top-2")(p).outcomes
    ('rank 1', 'rank 2', 'rest')
    """

    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", validation.whole_number(self.k, "k", 1))

    @property
    def name(self) -> str:
        return f"top-{self.k}"

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The names of the outcomes; with k = 1 there are none."""
        return () if self.k == 1 else (*(f"rank {r}" for r in range(1, self.k + 1)), "rest")

    @property
    def about_predicted(self) -> bool:
        return self.k == 1

    @of_checked
    def __call__(self, predictions: Predictions) -> Problem:
        _refuse_rank(self, self.k, predictions)
        if self.k == 1:
            return Top1()(predictions)
        classes = predictions.ranking(self.k)
        score = predictions.probability_of(classes).astype(np.float64)
        target = predictions.target_of(classes)
        return VectorProblem.known(_with_rest(score), _with_rest(target), predictions.weights, self.outcomes)


@dataclass(frozen=True)
class Grouping:
    """Sums over the groups of a partition of the classes (gece 4.2).

    Parameters
    ----------
    groups : dict of name to list of classes, optional
        Every class in exactly one group. By default the `groups` of the predictions.

    See Also
    --------
    lens : Lenses by name; "full" has every class as a group of its own.

    Examples
    --------
    >>> p = cv.load_dataset("digits")["random forest"]
    >>> round(cv.calibration_error(p, cv.Grouping({"even": [0, 2, 4, 6, 8], "odd": [1, 3, 5, 7, 9]})), 3)
    0.105
    """

    groups: Mapping[str, Iterable[int | str]] | tuple[tuple[str, tuple[int | str, ...]], ...] | None = None

    def __post_init__(self) -> None:
        if self.groups is not None:
            pairs = self.groups if isinstance(self.groups, tuple) else ()
            are_pairs = pairs != () and all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs)
            if are_pairs and len(dict(pairs)) < len(pairs):
                raise ValueError(f"groups has a name twice: {validation.listed(name for name, _ in pairs)}")
            named = validation.mapping(dict(pairs) if are_pairs else self.groups, "groups", "lists of classes")
            frozen = tuple((name, validation.class_list(members, name)) for name, members in named.items())
            object.__setattr__(self, "groups", frozen)

    def __repr__(self) -> str:
        if self.groups is None:
            return "Grouping()"
        return f"Grouping({ {name: list(members) for name, members in dict(self.groups).items()} })"

    @property
    def name(self) -> str:
        return "grouping" if self.groups is None else f"grouping {'/'.join(dict(self.groups))}"

    @of_checked
    def __call__(self, predictions: Predictions) -> VectorProblem:
        given = predictions.groups if self.groups is None else dict(self.groups)
        if given is None:
            raise ValueError(
                "the grouping lens needs groups: cv.Grouping({'name': [classes], ...}), or Predictions(groups=...)"
            )
        groups = validation.partition(given, predictions.class_names)
        score = np.empty((predictions.n_samples, len(groups)))
        for block in arrays.row_blocks(*predictions.probs.shape):
            part = predictions.probs[block].astype(np.float64)
            for g, members in enumerate(groups.values()):
                score[block, g] = part[:, list(members)].sum(axis=1)
        if predictions.soft_labels is not None:
            soft = predictions.soft_labels
            target = np.column_stack([soft[:, list(members)].sum(axis=1) for members in groups.values()])
            return VectorProblem.known(score, target, predictions.weights, tuple(groups))
        assert predictions.labels is not None
        group_of = np.empty(predictions.n_classes, dtype=np.intp)
        for g, members in enumerate(groups.values()):
            group_of[list(members)] = g
        return VectorProblem.known(score, group_of[predictions.labels], predictions.weights, tuple(groups))


@dataclass(frozen=True, repr=False)
class Full(BuiltIn):
    """All K probabilities as one vector problem.

    See Also
    --------
    Classwise : The classes one by one.
    Pooled : All entries as one scalar problem.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> cv.lens("full")(p)
    <VectorProblem 569 samples, outcomes 'benign', 'malignant'>
    """

    name = "full"

    @of_checked
    def __call__(self, predictions: Predictions) -> VectorProblem:
        target = predictions.labels if predictions.soft_labels is None else predictions.soft_labels
        assert target is not None
        return VectorProblem.known(predictions.probs, target, predictions.weights, predictions.class_names)


@dataclass(frozen=True)
class Outcome:
    """One outcome of a vector lens, or one problem of a family, as a scalar problem.

    Parameters
    ----------
    lens : lens
    outcome : int or str
        Its number or name.

    See Also
    --------
    lens : Reads names such as "top-5: rest".

    Examples
    --------
    >>> p = cv.load_dataset("digits")["random forest"]
    >>> cv.Outcome(cv.lens("top-5"), "rest")(p)
    <ScalarProblem 1,797 samples, mean score 0.0351, mean target 0.0000>
    """

    lens: Lens
    outcome: int | str

    @property
    def name(self) -> str:
        return f"{self.lens.name}: {self.outcome}"

    @property
    def about_predicted(self) -> bool:
        if isinstance(self.lens, TopK):
            return self.outcome in (0, *self.lens.outcomes[:1])
        return is_about_predicted(self.lens)

    @of_checked
    def __call__(self, predictions: Predictions) -> ScalarProblem:
        return outcome_of(self.lens(predictions), self.outcome, self.lens.name)


def outcome_of(whole: Problem, outcome: int | str, name: str = "") -> ScalarProblem:
    """The scalar problem of one outcome, given by its number or name."""
    if isinstance(whole, ScalarProblem):
        named = f" {name!r}" if name else ""
        raise ValueError(f"outcome {outcome!r} was asked for, but the lens{named} is scalar: it has no outcomes")
    return whole.outcome(validation.class_index(outcome, whole.outcomes, "outcome"))


def _with_rest(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.column_stack([columns, 1.0 - columns.sum(axis=1)])


def _refuse_rank(lens: Lens, r: int, predictions: Predictions) -> None:
    predictions.refuse_rank(r, f"the lens {lens.name!r} needs at least {r} classes")
