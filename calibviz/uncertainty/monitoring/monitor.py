"""Evidence against calibration that may be looked at as often as one likes: an e-process over a stream of samples."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit, logsumexp

from ...context.condition_parser import selection as read_selection
from ...context.conditions import Condition
from ...context.induced import Judged, Summarized, scalar_problem
from ...context.lenses import Lens
from ...data.predictions import Predictions
from ...engine.by_truth import LOOKS_AT_TRUTH
from ...engine.clustered import Clusters
from ...engine.scalar import EmptyProblemError, ScalarProblem
from ...foundation import validation
from ...foundation.arrays import Array
from ...foundation.clusters import hashed
from ...foundation.files import write_whole
from ...foundation.written import counted
from ...metrics.asked import refuse_pooled

#: What is bet on: that the true log-odds are a + b z, z those of the score; (shift a, slope b).
BETS = (
    *((shift, 1.0) for shift in (-0.6, -0.3, -0.15, 0.15, 0.3, 0.6)),
    *((0.0, slope) for slope in (0.5, 0.7, 0.85, 1.2, 1.5, 2.0)),
)
CLIP, FARTHEST = 1e-12, 25.0  # of scores from 0 and 1, and of log-odds from 0
ALARM = 20.0
STATE = ("log_bets", "updates", "samples", "largest", "first", "clusters")
MOST_CLUSTERS = 1_000_000  # that are known again


class Monitor:
    """Evidence against calibration in a stream of samples, which may be looked at after every update.

    Each of twelve bets multiplies its stake by the likelihood ratio of scores that are shifted, or stretched, to the
    scores as they are. If every score is right given the past, no stake is expected to grow: the e-value, their mean,
    ever reaches 20 in at most one of 20 such streams, however often one looks. A test that is repeated says nothing of
    the kind.

    Parameters
    ----------
    lens, selection, outcome
        As in `calibration_error`; for updates by summaries these are theirs.
    alarm : float, larger than 1
        The e-value that raises the alarm: 1 / `alarm` of the streams of a calibrated model ever reach it.
    restarts : bool
        Begin anew at every update with a part of the stake, so that a change after a long time is seen soon. Without,
        the evidence is that since the first sample.

    Raises
    ------
    ValueError
        In `update`, for soft targets, weights above 1, selections that look at what is true, and the pooled lens.

    See Also
    --------
    monitor_windows : Follows a field of dates.
    over_time : Error and noise of each window by itself.

    Notes
    -----
    Samples have to be independent given the past, unless they lie in clusters: the factor of a cluster is then the mean
    of those of its samples, and a cluster has to lie in one update. One that returns is refused where `cluster` names a
    field, up to 1,000,000 clusters; beyond these, and of clusters without names, a warning says that it is not checked.

    What cannot be seen: errors that cancel within the bets, errors much finer than shift and slope, and outcomes that
    are missing selectively.

    References
    ----------
    Arnold, Henzi and Ziegel 2023, Sequentially valid tests for forecast calibration.

    Examples
    --------
    >>> drawn = cv.simulated("resnet110_c10", 4000)
    >>> stream = cv.Monitor(lens="class 1")
    >>> for part in range(4):
    ...     _ = stream.update(drawn.select(slice(1000 * part, 1000 * (part + 1))))
    >>> stream.updates, stream.samples, stream.alarm
    (4, 4000, True)
    """

    def __init__(
        self,
        lens: str | Lens | None = None,
        selection: str | Condition | None = None,
        outcome: int | str | None = None,
        *,
        alarm: float = ALARM,
        restarts: bool = True,
    ) -> None:
        refuse_pooled(lens, "a monitor")
        read_selection(selection)  # so that a mistake is refused now, not in the first update
        self.threshold = validation.real_number(alarm, "alarm", 1.0)
        if self.threshold == 1:
            raise ValueError("alarm must be larger than 1, where the evidence begins")
        self.restarts = validation.truth(restarts, "restarts")
        self._seen: dict[str, Any] = {"lens": lens, "selection": selection, "outcome": outcome}
        self._log_bets = np.full(len(BETS), -np.inf if restarts else 0.0)
        self.updates, self.samples = 0, 0
        self.largest = 0.0
        self.first: tuple[int, int] | None = None
        self._known: set[int] = set()
        self._is_unchecked = False

    def __repr__(self) -> str:
        said = "alarm" if self.alarm else "no alarm"
        size = f"{counted(self.updates, 'update')}, {counted(self.samples)}"
        return f"Monitor({size}, e-value {self.e_value:.4g}, {said})"

    @property
    def log_e(self) -> float:
        """The logarithm of the e-value now."""
        mean = float(logsumexp(self._log_bets)) - np.log(len(BETS))
        return float(np.logaddexp(mean, -np.log(self.updates + 1))) if self.restarts else float(mean)

    @property
    def e_value(self) -> float:
        """The evidence now: 1 at first, infinite where it is too large for a number."""
        with np.errstate(over="ignore"):
            return float(np.exp(self.log_e))

    @property
    def alarm(self) -> bool:
        """Whether the e-value has ever reached the alarm."""
        return bool(self.largest >= np.log(self.threshold))

    @property
    def bets(self) -> dict[tuple[float, float], float]:
        """The logarithm of each stake, by shift and slope."""
        return dict(zip(BETS, self._log_bets.tolist(), strict=True))

    def update(self, predictions: Judged) -> float:
        """Take the next samples of the stream, and return the logarithm of the e-value after them.

        Parameters
        ----------
        predictions : Predictions, a scalar problem, or a summary
            Samples of one update count all at once. Parts of the same update are added as summaries before. One without
            samples counts nothing.
        """
        try:
            problem = scalar_problem(predictions, *self._seen.values())
        except EmptyProblemError:
            return self.log_e
        if not isinstance(predictions, Summarized):
            _refuse(problem)
        if problem.clusters is not None or getattr(predictions, "cluster", None) is not None:
            self._know(names_of_clusters(predictions, problem))
        self._take(gains(problem), problem.samples)
        return self.log_e

    def _know(self, names: NDArray[Any] | None) -> None:
        """Refuse clusters that were in an update before, and keep those of this one."""
        if self._is_unchecked:
            return
        if names is None or len(self._known) + len(names) > MOST_CLUSTERS:
            self._is_unchecked = True
            why = "their names are not known" if names is None else f"they are more than {MOST_CLUSTERS:,}"
            warnings.warn(
                f"whether a cluster returns in a later update is not checked: {why}", UserWarning, stacklevel=3
            )
            return
        are_hashes = names.dtype == np.uint64
        own = {name if are_hashes else hashed(name): name for name in names.tolist()}
        if again := sorted(str(own[one]) for one in own.keys() & self._known):
            raise ValueError(
                f"cluster: {validation.listed(again)} {'was' if len(again) == 1 else 'were'} in an earlier update: all "
                "samples of a cluster have to come in one"
            )
        self._known |= own.keys()

    def _take(self, gained: Array, samples: int) -> None:
        self.updates += 1
        self.samples += samples
        if self.restarts:
            new = -np.log(self.updates) - np.log(self.updates + 1)
            self._log_bets = np.logaddexp(self._log_bets, new)
        self._log_bets = self._log_bets + gained
        self.largest = max(self.largest, self.log_e)
        if self.alarm and self.first is None:
            self.first = self.updates, self.samples

    def to_dict(self) -> dict[str, Any]:
        """All that is known, as texts and numbers, with which `from_dict` goes on.

        Raises
        ------
        TypeError
            Where the lens or the selection was given as an object: give its text.
        """
        for name, value in self._seen.items():
            if not isinstance(value, str | int | None):
                raise TypeError(f"{name} must be given as text to be stored, not as {validation.shown(value)}")
        log_bets = [None if np.isinf(one) else one for one in self._log_bets.tolist()]
        first = None if self.first is None else list(self.first)
        return {
            **self._seen, "alarm": self.threshold, "restarts": self.restarts, "log_bets": log_bets,
            "updates": self.updates, "samples": self.samples, "largest": self.largest, "first": first,
            "clusters": None if self._is_unchecked else sorted(self._known),
        }  # fmt: skip  # short entries stand in rows

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Monitor:
        """Return a monitor that goes on where another one was stored.

        Parameters
        ----------
        record : mapping
            As `to_dict` returns it.

        Raises
        ------
        ValueError
            Where something is missing or unknown.
        """
        given = validation.mapping(record, "record", "what `to_dict` stores")
        names = ("lens", "selection", "outcome", "alarm", "restarts", *STATE)
        if set(given) != set(names):
            wrong = sorted(set(given) ^ set(names))
            raise ValueError(f"record is not that of a monitor: {validation.listed(wrong)} missing or unknown")
        made = cls(*(given[name] for name in names[:3]), alarm=given["alarm"], restarts=given["restarts"])
        stored = validation.listing(given["log_bets"], "record['log_bets']", "numbers")
        if len(stored) != len(BETS):
            raise ValueError(f"record['log_bets'] must hold {len(BETS)} numbers, not {len(stored)}")
        numbers = validation.float_values([0.0 if one is None else one for one in stored], "record['log_bets']", 1)
        made._log_bets = np.where([one is None for one in stored], -np.inf, numbers)
        made.updates = validation.whole_number(given["updates"], "record['updates']", 0)
        made.samples = validation.whole_number(given["samples"], "record['samples']", 0)
        made.largest = validation.real_number(given["largest"], "record['largest']", 0.0)
        if given["first"] is not None:
            first = _counts(given["first"], "first")
            if len(first) != 2:
                raise ValueError(f"record['first'] must hold 2 numbers, not {len(first)}")
            made.first = first[0], first[1]
        made._is_unchecked = given["clusters"] is None
        made._known = set() if made._is_unchecked else set(_counts(given["clusters"], "clusters"))
        return made

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the state into a file of JSON, whole or not at all."""
        return write_whole(path, json.dumps(self.to_dict(), allow_nan=False).encode())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Monitor:
        """Return the monitor of a file that `save` wrote.

        Raises
        ------
        ValueError
            Where the file is none of a monitor.
        """
        file = validation.path(path)
        try:
            record = json.loads(file.read_text(encoding="utf-8"))
        except (ValueError, RecursionError):
            raise ValueError(f"{str(file)!r} is no file of a monitor: it holds no JSON") from None
        return cls.from_dict(record)


def _counts(stored: Any, name: str) -> list[int]:
    entries = validation.listing(stored, f"record[{name!r}]", "whole numbers")
    return [validation.whole_number(entry, f"record[{name!r}][{i}]", 0, None) for i, entry in enumerate(entries)]


def add(stream: Monitor, problem: ScalarProblem) -> None:
    """Take the samples of a problem as the next update of a stream."""
    _refuse(problem)
    if problem.cluster_codes is not None:
        stream._know(np.unique(problem.cluster_codes))
    stream._take(gains(problem), problem.samples)


def gains(problem: ScalarProblem) -> Array:
    """The logarithm of the factor by which the samples of a problem multiply each stake, shape (12,)."""
    z = np.clip(logit(np.clip(problem.score.astype(np.float64), CLIP, 1 - CLIP)), -FARTHEST, FARTHEST)
    as_it_is, weight, clusters, out = np.logaddexp(0.0, z), problem.weight, Clusters.of(problem), []
    target = problem.target if clusters is None else problem.given_target
    for shift, slope in BETS:
        eta = shift + slope * z
        gained = target * (eta - z) - (np.logaddexp(0.0, eta) - as_it_is)
        out.append(float(weight @ gained if clusters is None else _log_means(weight * gained, clusters).sum()))
    return np.array(out)


def _log_means(values: Array, clusters: Clusters) -> Array:
    """The logarithm of the mean of exp(value) over the samples of each cluster, of sums of values of equal samples."""
    times = np.ones(len(values)) if clusters.times is None else clusters.times
    each, largest = values / times, np.full(clusters.count, -np.inf)
    np.maximum.at(largest, clusters.code, each)
    sums = np.bincount(clusters.code, times * np.exp(each - largest[clusters.code]), clusters.count)
    return largest + np.log(sums / np.bincount(clusters.code, times, clusters.count))


def names_of_clusters(judged: Judged, problem: ScalarProblem) -> NDArray[Any] | None:
    """The names of the clusters of a problem that predictions have made; None where no field holds them.

    A summary knows the hashes of names, by which a monitor knows them, too.
    """
    if (sums := getattr(judged, "cluster_sums", None)) is not None:
        return np.unique(sums.cluster)
    if not isinstance(judged, Predictions) or judged.cluster not in judged.fields:
        return None
    return np.unique(judged.fields[judged.cluster][problem.order])


def _refuse(problem: ScalarProblem) -> None:
    """Refuse samples for which a calibrated model may gain."""
    if problem.by_truth is not None:
        raise ValueError(f"there is no bet on a stream of which {LOOKS_AT_TRUTH}")
    if not problem.is_binary:
        raise ValueError("a monitor needs samples that are events or not, no soft targets")
    if problem.given_weight is not None and problem.given_weight.max() > 1:
        raise ValueError(
            f"weights must lie in [0, 1] for a monitor, and one is {problem.given_weight.max():g}: divide them by the "
            "largest that there can be, or pass a summary, whose weights count samples"
        )
