"""`Predictions`: class probabilities and labels, checked once, that all other functions take."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..foundation import arrays, validation
from ..foundation.cache import Cache
from ..foundation.clusters import cluster_numbers, clusters_taken, of_several
from ..foundation.fit_warnings import TRAINED_WITHOUT_SHIFT, notice_unmoved
from ..foundation.sources import Source
from ..foundation.validation import RowError
from ..foundation.written import chosen_percent, counted
from . import pictures
from .columns.choices import Account, Question, ReadingOptions, Unclear
from .columns.follow_up import NO
from .columns.line import what_was_taken
from .columns.percents import as_probabilities, ways_to_probabilities
from .columns.questions import asked
from .columns.recognition.clusters import likeliest_cluster_of, named_cluster, without_question
from .columns.recognition.doubts import arrays_of, refuse_doubts
from .frames import column_names, estimator_arguments, frame_arguments, frame_fields, is_frame, refuse_other_order
from .labelled_arrays import array_arguments, placed_in
from .nouns import CLUSTER, SAMPLES, Nouns, count_of_clusters, nouns, nouns_of_clusters
from .reweighting import few_of, label_mass, notice_following
from .rows import refuse_other_rows, row_numbers
from .safeguards import charge_anew, charge_arguments
from .sample_fields import named_column, sample_fields
from .survival import EVENT, AllFollowed, Horizon, codes_of_events, followed, horizon_of, said_of, times_of, unsure_of
from .top_classes import RANKS_AT_ONCE, WRONG_RIGHT, largest, top

MOST_RANKS_KEPT = 20
#: The attributes with one entry for each sample, each an array or None.
BY_SAMPLE = (
    "probs",
    "logits",
    "labels",
    "soft_labels",
    "weights",
    "squared_weights",
    "images",
    "row_sums",
    "dealt",
    "cluster_codes",
    "cluster_names",
)

#: What probabilities are of, in words, by `of_confidence`.
KINDS = {False: "probabilities of classes", True: "confidences in a predicted class"}
MOST_NAMED = 12  # fields in the text of predictions


class Predictions:
    """Class probabilities with the true labels of the same samples.

    Parameters
    ----------
    probs : array-like, shape (n, K) or (n,), values in [0, 1]
        Rows sum to 1 within 1e-3. Shape (n,) holds the probability of the second of two classes. float16, float32 and
        float64 are kept as they are and not copied, so do not change the array afterwards; all computation is done
        in float64. None where `logits` are given: then the softmax is taken in float64. Like all arrays here, it may
        be one of torch, jax, polars, Arrow or another library that offers `__array__` or DLPack.
    labels : array-like, shape (n,) or (n, K)
        Class numbers 0..K-1, class names, one-hot rows, or rows of label frequencies (soft labels).
    logits : array-like, shape (n, K) or (n,), optional
        Finite scores before the softmax; temperature scaling uses them. Shape (n,) means [0, z]. Like `probs` they
        are not copied.
    weights : array-like, shape (n,), optional
        Weights of the samples, at least 0. A whole-number weight counts like so many equal rows. Tests take weights to
        be unrelated to the labels, so those that follow them get a warning: see `at_prevalence`.
    class_names : list of K names, optional
        By default the names of the columns where the probabilities are a DataFrame, else the class numbers. Where
        these are numbers, as those of `classes_`, labels that may be names or places of classes are refused.
    groups : dict of name to classes, optional
        A partition of the classes, the default of the `grouping` lens.
    hierarchy : dict of level name to such a partition, optional
        Levels of a class hierarchy, such as family, genus and species.
    fields : dict of name to array-like of shape (n,), or DataFrame, optional
        Other columns of the samples (age, site, ...), for selections. Copied, like labels and weights.
    images : array-like, shape (n, h, w) or (n, h, w, 3), optional
        Grey or red, green and blue; uint8, which is not copied, or floats in [0, 1], which are rounded to it. The
        Explorer shows them.
    normalize : bool
        Rescale the rows of `probs` to sum to 1 (in a float64 copy) instead of refusing those that do not.
    about : dict of text to text, optional
        Where the predictions come from, in words: `title`, `made`, `licence`, `source`.
    noun : str, or pair of str, optional
        What samples are called in sentences, in the plural: "people", "images"; by default "samples". A plural whose
        singular is not known is given with it, ("datum", "data").
    event_noun : str, optional
        What is said of samples of the second of two classes, after their number: "had the disease"; by default "are"
        and the name of the class.
    cluster : str, array-like of shape (n,), or False, optional
        Which samples belong together, so that their outcomes may depend on each other, such as the rows of a patient:
        the name of a field, or text, whole numbers, booleans or dates. Values that all differ are the same as none.
        Samples of different clusters are independent; each sample counts as often as without clusters. False says that
        all samples are independent, also where a field repeats an id, so that nobody asks (see `likely_clusters`).
    of_confidence : bool
        `probs` (n,) are confidences in a predicted class, whichever it was, and `labels` say whether it was right (1)
        or wrong (0). By default the classes are then named "wrong" and "right"; without it, two classes of these names
        are classes like any others.

    Attributes
    ----------
    labels : ndarray of int64, shape (n,), or None with soft labels
    soft_labels : ndarray of float64, shape (n, K), or None with hard labels
    groups : dict of name to tuple of class numbers, or None
    hierarchy : dict of level name to such a dict; empty where none was given
    images : ndarray of uint8, or None
    row_sums : ndarray of float64, shape (n,), or None
        The sums of the rows before `normalize=True` rescaled them; None without it, and of probabilities (n,).
    horizon : Horizon, or None
        What is known of outcomes that may be censored, where `at_horizon` made the predictions.
    followed : AllFollowed, or None
        All rows of these, also those that were censored before the horizon; None of some of the rows, or with other
        probabilities or weights.
    nouns : Nouns
        What samples are called in sentences; `noun` and `event_noun` are two of its words.
    made_by : Source, or None
        The call of this package that made them, as code; None where the user made them.
    base : Predictions, or None
        The predictions whose `with_weights` made these.
    squared_weights : ndarray of float64, shape (n,), or None
        Where `at_prevalence` made the weights of the labels: what their squares are worth in a variance.
    summary_of : lens, or None
        Where a `Summary` made them: the lens whose scores and targets its rows stand for. Then rows are no samples.
    cluster : str or None
        The name of the field of the clusters, or "cluster" where values were given; None without clusters.
    cluster_codes : ndarray of int64, shape (n,), or None
        The number of the cluster of each sample.
    cluster_names : ndarray, shape (n,), or None
        The value that names the cluster of each sample.
    are_independent : bool
        Whether `cluster=False` says so.
    dealt : ndarray of int64, shape (n,), or None
        Where rows stand for many samples that were dealt to folds: that of each row.
    of_confidence : bool
        Whether the probability of the second class is the confidence in a predicted class. Then that class is the
        predicted one of every row, however low its probability: the "top-1" lens looks at the confidences c and whether
        they were right, never at max(c, 1 - c), and `accuracy` is the share of what was right. There are no other
        ranks, since nothing is known of the classes that were not predicted.

    Raises
    ------
    TypeError, ValueError
        The message names the argument, the value and its place. Objects of pandas whose indices name other rows, or
        the same in another order, are refused.

    See Also
    --------
    read_predictions : Reads them from a file.
    open_predictions : Opens more samples than memory holds.
    load_dataset : Embedded examples.

    Examples
    --------
    >>> cv.Predictions([[0.9, 0.1], [0.3, 0.7]], ["cat", "dog"], class_names=["cat", "dog"])
    <Predictions 2 samples, 2 classes, float64>
    >>> answers = cv.Predictions([0.9, 0.3], [True, False], of_confidence=True)
    >>> answers.confidence
    array([0.9, 0.3])
    """

    of_confidence: bool = False
    squared_weights: NDArray[np.float64] | None = None
    summary_of: Any = None
    by_truth: Any = None
    dealt: NDArray[np.intp] | None = None
    cluster: str | None = None
    cluster_codes: NDArray[np.intp] | None = None
    dependence_is_said: bool = False  # whether somebody has been asked what rows belong to, as a warning or on a page
    cluster_names: NDArray[Any] | None = None
    are_independent: bool = False
    nouns: Nouns = SAMPLES
    horizon: Horizon | None = None
    followed: AllFollowed | None = None

    def __init__(
        self,
        probs: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        *,
        logits: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        class_names: Iterable[Any] | None = None,
        groups: Mapping[str, Iterable[Any]] | None = None,
        hierarchy: Mapping[str, Mapping[str, Iterable[Any]]] | None = None,
        fields: Mapping[str, Any] | Any = None,
        images: ArrayLike | None = None,
        normalize: bool = False,
        about: Mapping[str, str] | None = None,
        noun: str | tuple[str, str] | None = None,
        event_noun: str | None = None,
        cluster: Any = None,
        of_confidence: bool = False,
    ) -> None:
        validation.truth(normalize, "normalize")
        self.of_confidence = validation.truth(of_confidence, "of_confidence")
        if probs is None and logits is None:
            raise TypeError("probs is missing: pass probabilities of shape (n, K), or logits=...")
        if labels is None:
            hint = "; cv.read_predictions reads {} that holds both"
            of = "a table" if is_frame(probs) else "a file" if isinstance(probs, str | PathLike) else ""
            raise TypeError(
                "labels is missing: calibration compares probabilities with the labels of the same samples"
                + hint.format(of) * bool(of)
            )
        refuse_other_rows(probs=probs, logits=logits, labels=labels, weights=weights, fields=fields)
        checked_logits = None if logits is None else arrays.logits(logits)
        self.row_sums: NDArray[np.float64] | None = None
        if probs is None:
            assert checked_logits is not None
            self.probs = arrays.softmax(checked_logits)
        elif normalize:
            self.probs, self.row_sums = arrays.normalized(probs)
        else:
            self.probs = arrays.probabilities(probs)
        n, classes = self.probs.shape
        if checked_logits is not None and checked_logits.shape != self.probs.shape:
            raise ValueError(f"logits has shape {checked_logits.shape}, but probs has shape {self.probs.shape}")
        self.logits = checked_logits
        if of_confidence and classes != 2:
            raise ValueError(
                f"of_confidence is for one confidence a sample, of shape (n,), but there are the probabilities of "
                f"{classes} classes: leave it out, and the lens 'top-1' looks at the likeliest of them"
            )
        if class_names is None and of_confidence:
            class_names = WRONG_RIGHT
        argument, scores = ("logits", logits) if probs is None else ("probs", probs)
        if class_names is not None and not isinstance(class_names, str):  # a text is refused below
            class_names = validation.listing(class_names, "class_names", "names")
        are_numbers = class_names is not None and all(isinstance(name, Integral) for name in class_names)
        if class_names is None and is_frame(scores):
            class_names, are_numbers = column_names(scores), True
        self.class_names = validation.class_names(class_names, classes)
        refuse_other_order(scores, argument, self.class_names)
        refuse_other_order(labels, "labels", self.class_names)
        checked = arrays.labels(labels, n, self.class_names, are_numbers)
        self.labels: NDArray[np.intp] | None = checked if checked.ndim == 1 else None
        self.soft_labels: NDArray[np.float64] | None = checked if checked.ndim == 2 else None
        self.weights = None if weights is None else arrays.weights(weights, n)
        if self.weights is not None:
            notice_following(self.weights, checked, self.class_names)
        self.groups = None if groups is None else validation.partition(groups, self.class_names)
        self.hierarchy = validation.hierarchy(hierarchy, self.class_names)
        self._fields = sample_fields(frame_fields(fields) if is_frame(fields) else fields, n)
        self._notes: dict[str, NDArray[Any]] = {}
        if cluster is False:
            self.are_independent = True
        elif cluster is not None:
            self.cluster, self.cluster_names = named_column(cluster, "cluster", self._fields, n)
            self.cluster_codes = cluster_numbers(self.cluster_names)
        self.images = None if images is None else pictures.pixels(images, n)
        texts = validation.mapping({} if about is None else about, "about", "texts")
        self.about = {name: str(text) for name, text in texts.items()}
        self.nouns = nouns(noun, event_noun)
        self.made_by: Source | None = None
        self._freeze()

    def _freeze(self) -> None:
        # Views are frozen, so that the user's own arrays stay writeable.
        for name in BY_SAMPLE:
            if getattr(self, name) is not None:
                setattr(self, name, _read_only(getattr(self, name)))
        self._fields = {name: _read_only(column) for name, column in self._fields.items()}
        self._notes = {name: _read_only(column) for name, column in self._notes.items()}
        self.cache = Cache()
        self._ranking = np.empty((self.n_samples, 0), dtype=np.int32)
        self.base: Predictions | None = None

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        label: str | None = None,
        prob: str | Iterable[str] | None = None,
        positive: Any = None,
        logits: str | Iterable[str] | None = None,
        weight: str | None = None,
        classes: Iterable[Any] | None = None,
        missing: str = "raise",
        normalize: bool = False,
        ignore: Any = None,
        fields: str | Iterable[str] | None = None,
        cluster: str | Literal[False] | None = None,
        time: str | None = None,
        event: str | None = None,
        horizon: float | None = None,
        by: str | None = None,
        event_of: Any = None,
        censored: Any = None,
    ) -> Predictions:
        """The predictions in a DataFrame of pandas or polars, or in an Arrow table.

        Parameters
        ----------
        frame : DataFrame or table
            A sample a row, columns as `read_predictions` describes them for files; columns with other names are
            fields.
        label, prob, positive, logits, weight, classes, missing, normalize, ignore, fields, cluster
            As those of `read_predictions`.
        time, event, horizon, by, event_of, censored
            As those of `read_predictions`.

        Returns
        -------
        Predictions
            What was taken for what, and what was assumed, is in `about["assumed"]`.

        Raises
        ------
        TypeError, ValueError
            The message names the column, the row and the value, and the option that settles what is not clear.

        See Also
        --------
        from_estimator : What a fitted classifier predicts.
        read_predictions : The same for files.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"y_true": ["cat", "dog"], "p_cat": [0.9, 0.3], "p_dog": [0.1, 0.7], "age": [3, 8]})
        >>> cv.Predictions.from_frame(frame)
        <Predictions 2 samples, 2 classes, float64, with fields age>
        """
        choices = ReadingOptions.checked(
            label=label, prob=prob, positive=positive, logits=logits, weight=weight, classes=classes, missing=missing,
            normalize=normalize, ignore=ignore, fields=fields, cluster=cluster, time=time, event=event,
            horizon=horizon, by=by, event_of=event_of, censored=censored,
        )  # fmt: skip  # the options stand together
        try:
            return cls._read(frame_arguments, frame, choices)
        except Question as question:
            raise question.of("frame") from question.__cause__
        except ValueError as error:
            raise ValueError(f"frame: {error}") from error

    @classmethod
    def at_horizon(
        cls,
        risk: ArrayLike,
        *,
        time: ArrayLike,
        event: ArrayLike,
        horizon: float,
        by: str | ArrayLike | None = None,
        event_of: Any = None,
        censored: Any = None,
        weights: ArrayLike | None = None,
        cluster: Any = None,
        fields: Mapping[str, Any] | Any = None,
        class_names: Iterable[Any] = ("no", "yes"),
        noun: str | tuple[str, str] | None = None,
        event_noun: str | None = None,
    ) -> Predictions:
        """The predicted risks of an event by a horizon, with outcomes of which some are censored.

        Rows that were censored before the horizon are left out, and those that are known count for them too: by the
        inverse of the chance not to be censored before. So every mean of weighted rows estimates that of all rows, if
        censoring does not depend on the risk (within each value of `by`).

        Parameters
        ----------
        risk : array-like, shape (n,), values in [0, 1]
            The predicted probability of the event by the horizon.
        time : array-like, shape (n,)
            When the event came, or the follow-up ended; at least 0.
        event : array-like, shape (n,)
            0 where the row is censored, 1 where it had the event, other whole numbers for competing events, such as
            another cause of death; or booleans, or text with `event_of` and `censored`.
        horizon : float, above 0
            In the unit of `time`.
        by : str or array-like of shape (n,), optional
            The name of a field, or values, within each of which the chance to be censored is estimated.
        event_of, censored : optional
            The values of `event` that stand for the event and for censored rows, where these are not 1 and 0.
        weights, cluster, fields, noun, event_noun
            As those of `Predictions`, of all n rows. Without `cluster` each row is a cluster of its own.
        class_names : pair of names

        Returns
        -------
        Predictions
            Of the known rows, with `weights` and the record `horizon`. Tests and intervals draw signs of residuals, as
            for clusters, since a drawn label would need another weight.

        Raises
        ------
        TypeError, ValueError
            Where nobody was followed to the horizon, and where an argument cannot be used.

        See Also
        --------
        observed_expected : The ratio of both means.
        Predictions : Outcomes that are all known.

        Notes
        -----
        G(x) is the product over u < x of 1 - c_u / (Y_u - d_u), with Y_u the weight of rows with T >= u, d_u of those
        with any event at u, and c_u of those censored at u: events precede censorings at equal times. A known row
        counts w / G(min(T, h)). The weights of all known rows add up to the weight of all rows, and the weighted share
        of events is the estimate of Aalen and Johansen.

        References
        ----------
        Satten and Datta 2001, The Kaplan-Meier estimator as an inverse-probability-of-censoring weighted average; Gerds
        and Schumacher 2006.

        Examples
        --------
        >>> time, event = [5.0] * 12 + [1.0, 2.0], [0] * 12 + [1, 0]
        >>> p = cv.Predictions.at_horizon([0.1] * 14, time=time, event=event, horizon=3)
        >>> len(p), round(p.horizon.observed, 3), round(p.horizon.ratio, 2)
        (13, 0.071, 0.71)
        """
        horizon = horizon_of(horizon)
        shape = arrays.float_array(risk, "risk").shape
        if len(shape) != 1 or not shape[0]:
            raise ValueError(f"risk must have shape (n,), one probability of the event for each row, not {shape}")
        n = shape[0]
        times, code = times_of(time, n), codes_of_events(event, event_of, censored, n)
        whole = cls(
            risk, (times <= horizon) & (code == EVENT), weights=weights, fields=fields, cluster=cluster,
            class_names=class_names, noun=noun, event_noun=event_noun,
        )  # fmt: skip  # the arguments stand together
        group = None if by is None else named_column(by, "by", whole._fields, n)
        made = whole._followed(times, code, horizon, group)
        assert made.horizon is not None
        if (unsure := unsure_of(made.horizon)) is not None:
            warnings.warn(unsure, stacklevel=2)
        return made

    def _followed(
        self, time: NDArray[np.float64], code: NDArray[np.intp], horizon: float, by: tuple[str, NDArray[Any]] | None
    ) -> Predictions:
        """The rows of known outcomes at a horizon, with their weights; these predictions hold all rows.

        `by` are the name and the values within each of which rows may be censored at a rate of its own.
        """
        weight = np.ones(len(self)) if self.weights is None else self.weights
        risk = self.probs[:, 1].astype(np.float64)
        known, times, record = followed(risk, time, code, horizon, weight, None if by is None else by[1])
        chosen = self.select(np.flatnonzero(known))
        codes = np.arange(len(chosen)) if chosen.cluster_codes is None else chosen.cluster_codes
        made = chosen._with(weights=(weight * times)[known], cluster_codes=codes, horizon=record)
        made.followed = AllFollowed(self, time, code, horizon)
        made.about["assumed"] = said_of(record, None if by is None else by[0])
        return made

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, weights: ArrayLike | None = None, cluster: Any = None
    ) -> Predictions:
        """The probabilities that a fitted classifier gives to samples, with the labels of the samples.

        Parameters
        ----------
        estimator : object with `predict_proba` and `classes_`
            Such as a classifier or a pipeline of scikit-learn, fitted to other samples.
        X : array-like or DataFrame, n rows
            What the estimator predicts from. Columns of a DataFrame become fields, where they hold numbers, text,
            booleans or dates.
        y : array-like, shape (n,)
            The true classes, each one of `estimator.classes_`.
        weights : array-like, shape (n,), optional
            Weights of the samples.
        cluster : str, array-like of shape (n,), or False, optional
            Which samples belong together, as in `Predictions`: the name of a column of X, or values.

        Returns
        -------
        Predictions
            The classes are those of the estimator, in its order.

        Raises
        ------
        TypeError, ValueError
            The message names the argument, the value and its place.

        See Also
        --------
        from_frame : Predictions that were made before.
        Predictions : Takes arrays.

        Examples
        --------
        >>> class Guess:
        ...     classes_ = ["cat", "dog"]
        ...     def predict_proba(self, X):
        ...         return [[0.8, 0.2] for _ in X]
        >>> cv.Predictions.from_estimator(Guess(), [[1.0], [2.0]], ["cat", "dog"])
        <Predictions 2 samples, 2 classes, float64>
        """
        return cls(**estimator_arguments(estimator, X, y), weights=weights, cluster=cluster)

    @classmethod
    def from_xarray(
        cls,
        prob: Any,
        observed: Any,
        *,
        sample: str | Iterable[str] | None = None,
        member: str | None = None,
        weights: Any = None,
        missing: str = "raise",
        cluster: str | Literal[False] | None = None,
    ) -> Predictions:
        """The probabilities in an `xarray.DataArray`, such as those of an ensemble at many times and places.

        Parameters
        ----------
        prob : DataArray
            Probabilities of an event, or over a dimension `class` those of all classes, whose coordinate names them.
            With `member`, whether the event occurs in each member, such as `rain > 10`. Such a comparison makes False
            of what is missing: `.where(rain.notnull())` keeps it.
        observed : DataArray
            What was observed at the same places: 0 and 1 or booleans, or the classes.
        sample : name or list of names, optional
            The dimensions whose places are the samples, in the order in which they are stacked. By default all but
            `class` and that of the members.
        member : name, optional
            The dimension of the members of an ensemble, of which the share that say yes is the probability.
        weights : DataArray, optional
            Weights over some of the dimensions of the samples, such as the cosine of the latitude.
        missing : "raise" or "drop"
            "drop" leaves out samples without a probability or without an observation; how many is said.
        cluster : name, or False, optional
            The coordinate whose values name samples that belong together, such as `time` where places of one time
            depend on each other. False says that all samples are independent.

        Returns
        -------
        Predictions
            The coordinates along the dimensions of the samples are fields, such as `time` and `lat`.

        Raises
        ------
        TypeError, ValueError
            Where dimensions or coordinates do not match, what is missing, and arrays of dask that are not loaded. The
            message names the dimension and the place.

        See Also
        --------
        evaluate : Takes a `Dataset` of several models or trials over `sample` and `class`.
        open_predictions : Opens a `Dataset` that is larger than memory.

        Examples
        --------
        >>> import xarray as xr
        >>> rain = xr.DataArray([[[0, 12, 14], [3, 0, 20]]], dims=("time", "lat", "number"), coords={"lat": [50, 51]})
        >>> seen = xr.DataArray([[11, 4]], dims=("time", "lat"), coords={"lat": [50, 51]})
        >>> p = cv.Predictions.from_xarray(rain > 10, seen > 10, member="number")
        >>> p.probs[:, 1].round(2).tolist(), p.labels.tolist(), p.fields["lat"].tolist()
        ([0.67, 0.33], [1, 0], [50, 51])
        """
        account = Account()
        cluster = validation.cluster_name(cluster)
        arguments, stacked = array_arguments(prob, observed, sample, member, weights, missing, cluster, account)
        account.take("probability", "prob")
        account.take("label", "observed")
        try:
            predictions = cls(**arguments)
        except RowError as error:
            raise placed_in(stacked, account, error) from error
        account.taken = what_was_taken(predictions, account)
        predictions.about |= account.about
        return predictions

    @classmethod
    def _read(
        cls,
        reader: Callable[..., dict[str, Any]],
        source: Any,
        choices: Any,
        title: str | None = None,
        account: Account | None = None,
    ) -> Predictions:
        """The predictions in a source; see `data.readers`. Errors name rows as they are counted there."""

        def read(choices: Any, account: Account) -> Predictions:
            charge_anew()
            try:
                arguments = as_probabilities(reader(source, choices, account), choices, account)
                charge_arguments(arguments)
                notes, follow_up = arguments.pop("notes", {}), arguments.pop("follow_up", None)
                if choices.event is not None and follow_up is None:
                    raise ValueError("time, event and horizon are for tables: cv.Predictions.at_horizon takes arrays")
                named = named_cluster(arguments.get("fields") or {}, choices, account)
                account.take("cluster", *named)
                cluster = named[0] if named else choices.cluster
                try:
                    predictions = cls(
                        **arguments, normalize=choices.normalize and "probs" in arguments, cluster=cluster
                    )
                except RowError as error:
                    raise Unclear(error, *ways_to_probabilities(arguments, choices, account)) from error
                predictions._notes = {name: _read_only(column) for name, column in notes.items()}
                if follow_up is not None:
                    predictions = predictions._judged_at(**follow_up, account=account)
                account.is_of_one_class = arrays_of(arguments)
                refuse_doubts(predictions, account.is_of_one_class, choices, account)
            except (TypeError, ValueError) as error:
                placed = account.placed(error)
                if placed is error:
                    raise
                raise placed from error
            return predictions

        account = account or Account()
        try:
            predictions = read(choices, account)
        except Unclear as unclear:
            raise asked(unclear, choices, read) from unclear
        if title is not None:
            predictions.about["title"] = title
        account.taken = what_was_taken(predictions, account)
        if (dependence := likeliest_cluster_of(predictions)) is not None:
            account.say(dependence.question)
        predictions.about |= account.about
        return predictions

    def _judged_at(self, account: Account, time: Any, **follow_up: Any) -> Predictions:
        """The rows of known outcomes at a horizon, as a reader gives it; what is assumed of the others is noted."""
        whole = self
        if self.class_names[1] == NO:  # the column holds the probability that nothing happens
            assert self.labels is not None
            names, logits = self.class_names[::-1], None if self.logits is None else self.logits[:, ::-1]
            turned = {"probs": self.probs[:, ::-1], "logits": logits, "labels": 1 - self.labels, "class_names": names}
            whole, account.are_turned = self._with(**turned), True
        made = whole._followed(times_of(time, len(whole)), **follow_up)
        assert made.horizon is not None
        account.doubts += filter(None, [unsure_of(made.horizon)])
        account.say(made.about["assumed"])
        return made

    @property
    def n_samples(self) -> int:
        """Number of samples n."""
        return int(self.probs.shape[0])

    @property
    def n_classes(self) -> int:
        """Number of classes K; a selection never changes it."""
        return int(self.probs.shape[1])

    @property
    def cluster_values(self) -> set[Any]:
        """The values that name the clusters of the samples; empty without clusters."""
        return set() if self.cluster_names is None else set(self.cluster_names.tolist())

    @property
    def n_clusters(self) -> int:
        """Number of clusters of weight > 0; without clusters, of such samples."""
        return int(np.count_nonzero(self._cluster_weights))

    @property
    def effective_clusters(self) -> float:
        """How many clusters of equal weight the clusters are worth: W^2 / sum of W_c^2, at most `n_clusters`.

        W_c is the weight of a cluster, W that of all (Kish 1965).
        """
        return arrays.kish_size(self._cluster_weights)

    @property
    def _cluster_weights(self) -> NDArray[np.float64]:
        weights = np.ones(len(self)) if self.weights is None else self.weights
        return weights if self.cluster_codes is None else np.bincount(self.cluster_codes, weights).astype(np.float64)

    @property
    def kind(self) -> str:
        """The meaning of the probabilities, in words."""
        return KINDS[self.of_confidence]

    @property
    def fields(self) -> dict[str, NDArray[Any]]:
        """The sample fields, arrays (n,) by name; changing the dict changes nothing here."""
        return dict(self._fields)

    @property
    def notes(self) -> dict[str, NDArray[Any]]:
        """Notes on single samples, such as ids and texts that differ in each, arrays (n,) by name.

        They are shown where samples are listed; no selection, group or segment is made of them. Of more than 100,000
        samples none are kept.
        """
        return dict(self._notes)

    @property
    def noun(self) -> str:
        """The noun for samples in sentences, in the plural."""
        return self.nouns.many

    @property
    def event_noun(self) -> str | None:
        """The words for samples of the second of two classes, after their number; None where none were given."""
        return self.nouns.event or None

    def with_nouns(self, noun: str | tuple[str, str] | None = None, event_noun: str | None = None) -> Predictions:
        """Return the samples with other words for them in sentences; what is not given stays as it is.

        Parameters
        ----------
        noun, event_noun
            As those of `Predictions`.

        Raises
        ------
        TypeError, ValueError
            Where one is no text, empty, or too long to stand in a sentence.

        See Also
        --------
        read_predictions : Predictions from a file, whose samples have no noun yet.
        verdict : Sentences with the nouns.

        Examples
        --------
        >>> p = cv.Predictions([0.9, 0.3], [1, 0]).with_nouns("people", "had the disease")
        >>> p.noun, p.event_noun
        ('people', 'had the disease')
        """
        given = {name: value for name, value in (("noun", noun), ("event_noun", event_noun)) if value is not None}
        made_by, source = self.made_by, self.about.get("source")
        other = self._with(nouns=nouns(**(self.nouns.arguments | given)))
        if made_by is not None:
            other._made_by(made_by.method("with_nouns")(**given) if given else made_by)
        elif source is not None:
            other.about["source"] = source
        return other

    @property
    def nbytes(self) -> int:
        """Bytes of the probabilities and logits."""
        return self.probs.nbytes + (0 if self.logits is None else self.logits.nbytes)

    def __len__(self) -> int:
        return self.n_samples

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"cache": Cache(), "base": None}  # computed values are not pickled

    def __repr__(self) -> str:
        optional = ("logits", "weights", "groups", "soft_labels", "images")
        extras = [name for name in optional if getattr(self, name) is not None]
        extras += [f"hierarchy {', '.join(self.hierarchy)}"] if self.hierarchy else []
        extras += [f"fields {_named(list(self.fields))}"] if self.fields else []
        title = f"{self.about['title']}: " if "title" in self.about else ""
        tail = f", with {', '.join(extras)}" if extras else ""
        what = "confidences" if self.of_confidence else f"{self.n_classes} classes"
        samples = counted(self.n_samples)
        if (count := count_of_clusters(self)) is not None:
            samples += f"{' in' if count.nouns == CLUSTER else ','} {count.nouns.counted(count.number)}"
        return f"<Predictions {title}{samples}, {what}, {self.probs.dtype}{tail}>"

    def ranking(self, ranks: int) -> NDArray[np.int32]:
        """The classes of the `ranks` largest probabilities of each row, largest first, shape (n, ranks).

        Of equal probabilities the lower class index comes first. Of confidences in a predicted class it is the class
        "right" that comes first in every row.

        See Also
        --------
        lens : Lenses that look at these classes, such as "rank 2" and "top-5".
        predicted : The likeliest class alone.
        target_within : Whether the label is among them.
        """
        validation.whole_number(ranks, "ranks", 1, self.n_classes)
        if self.base is not None:
            return self.base.ranking(ranks)
        if self.of_confidence:
            return np.broadcast_to(np.array([1, 0], dtype=np.int32)[:ranks], (self.n_samples, ranks))
        if ranks == 1:
            return self._top()[0][:, None]
        if ranks > MOST_RANKS_KEPT:
            return largest(self.probs, ranks)
        ranking = self._ranking  # read once, since another thread may replace it by a narrower one
        if ranking.shape[1] < ranks:
            # After the second rank the next ones will be needed: one pass finds several.
            ranking = _read_only(largest(self.probs, min(max(ranks, RANKS_AT_ONCE), self.n_classes)))
            self._ranking = ranking
        return ranking[:, :ranks]

    @property
    def n_ranks(self) -> int:
        """Number of classes that can be ranked by their probabilities: K, and 1 of confidences in a predicted class."""
        return 1 if self.of_confidence else self.n_classes

    def ranked(self, rows: slice) -> NDArray[np.floating]:
        """The probabilities of some rows in the order of `ranking`, all K of each."""
        part = self.probs[rows]
        return (part if self.of_confidence else np.sort(part, axis=1))[:, ::-1]

    def refuse_rank(self, rank: int, what: str) -> None:
        """Raise where there are not so many ranks: as many as classes, one alone of confidences; `what` asks for it."""
        if rank <= self.n_ranks:
            return
        if self.of_confidence:
            raise ValueError(
                f"{what}, but these are {self.kind}, and nothing is known of the classes that "
                "come after it: use the lens 'top-1'"
            )
        raise ValueError(f"{what}, but there are {self.n_classes} classes")

    def _top(self) -> tuple[NDArray[np.int32], NDArray[Any]]:
        """The class of the largest probability of each row, and that probability in the dtype of `probs`."""

        def make() -> tuple[NDArray[np.int32], NDArray[Any]]:
            classes, values = top(self.probs)
            return _read_only(classes), _read_only(values)

        return self.cache.get("top", make)

    @property
    def predicted(self) -> NDArray[np.int32]:
        """The class of the largest probability of each row, shape (n,); of confidences always 1, the class "right"."""
        return self.ranking(1)[:, 0]

    @property
    def confidence(self) -> NDArray[np.floating]:
        """The probability of the predicted class of each row, shape (n,), in the dtype of `probs`: the largest one."""
        if self.of_confidence:
            return self.probs[:, 1]
        return self._top()[1] if self.base is None else self.base.confidence

    @property
    def top_target(self) -> NDArray[np.float64]:
        """The label's probability of the predicted class, shape (n,): 1 where the prediction is right."""
        if self.base is not None:
            return self.base.top_target
        return self.cache.get("top target", lambda: _read_only(self.target_of(self.predicted)))

    def target_within(self, k: int) -> NDArray[np.float64]:
        """The label's probability of the k likeliest classes, shape (n,): 1 where the label is among them."""
        if validation.whole_number(k, "k", 1) == 1:
            return self.top_target
        self.refuse_rank(k, f"k is {k}")
        if self.base is not None:
            return self.base.target_within(k)
        return self.cache.get(("targets", k), lambda: _read_only(self.target_of(self.ranking(k)).sum(axis=1)))

    def probability_of(self, classes: NDArray[Any], rows: slice = slice(None)) -> NDArray[np.floating]:
        """The probability of one class of each row, or of several: `classes` has shape (n,) or (n, m)."""
        index = classes[:, None] if classes.ndim == 1 else classes
        return np.take_along_axis(self.probs[rows], index, axis=1).reshape(classes.shape)

    def target_of(self, classes: NDArray[Any], rows: slice = slice(None)) -> NDArray[np.float64]:
        """The label's probability of one class of each row, or of several, in the shape of `classes`."""
        if self.soft_labels is not None:
            index = classes[:, None] if classes.ndim == 1 else classes
            return np.take_along_axis(self.soft_labels[rows], index, axis=1).reshape(classes.shape)
        assert self.labels is not None
        labels = self.labels[rows] if classes.ndim == 1 else self.labels[rows, None]
        return (classes == labels).astype(np.float64)

    def target_column(self, c: int) -> NDArray[np.float64]:
        """The label's probability of class `c`, shape (n,)."""
        if self.soft_labels is not None:
            return np.ascontiguousarray(self.soft_labels[:, c])
        assert self.labels is not None
        return (self.labels == c).astype(np.float64)

    def image_url(self, i: int) -> str:
        """The image of sample `i`, a PNG as a `data:` URL; enlarged by a whole factor to at least 32 pixels a side."""
        if self.images is None:
            raise ValueError("these predictions have no images: pass images=... to cv.Predictions")
        return pictures.png_url(self.images[validation.whole_number(i, "i", 0, self.n_samples - 1)])

    def select(self, rows: NDArray[Any]) -> Predictions:
        """The samples of a boolean mask (n,) or of an index array, as new `Predictions` (a copy of their rows).

        See Also
        --------
        selection : A condition in words, whose `mask` says which samples are kept.
        split : Two random parts.
        """
        rows = row_numbers(rows, self.n_samples)
        kept = {name: column[rows] for name in BY_SAMPLE if (column := getattr(self, name)) is not None}
        fields, notes = ({name: column[rows] for name, column in of.items()} for of in (self._fields, self._notes))
        return self._with(**kept, _fields=fields, _notes=notes)

    def with_probs(self, probs: NDArray[Any], logits: NDArray[Any] | None = None) -> Predictions:
        """Return the samples with other probabilities (n, K), such as those of a calibrator; they are not checked.

        See Also
        --------
        Temperature : A calibrator, whose `transform` makes such predictions.
        relabelled : Other labels in place of other probabilities.
        """
        if probs.shape != self.probs.shape:
            raise ValueError(f"probs has shape {probs.shape}, but these predictions have shape {self.probs.shape}")
        return self._with(probs=probs, logits=logits, row_sums=None)

    def reweighted(self, weights: ArrayLike) -> Predictions:
        """The samples with other weights, such as the density ratios of a covariate shift.

        Where scores and fields are distributed otherwise where a model is used, but the outcome depends on them in the
        same way, samples that count q(x) / p(x) stand for that population: q is the density there, p that of these
        samples. A classifier that tells both apart estimates the ratio, by its odds times the samples of p by those of
        q. Every weighted mean then estimates that of the other population.

        Parameters
        ----------
        weights : array-like, shape (n,), finite and at least 0, not all 0
            In place of those of the predictions: where these have weights, pass the product. Their unit does not matter
            unless all are whole numbers, which count repetitions. A sample of weight 0 stays at 0.

        Returns
        -------
        Predictions
            Arrays and sorted problems are shared with these predictions, the `base`.

        Raises
        ------
        TypeError, ValueError
            Where a weight is negative, nan or infinite, all are 0, or one is not 0 where that of the predictions is.

        Warns
        -----
        UserWarning
            Where the weights are worth less than a tenth of the samples before, or less than 100 equal samples and half
            of those before (Kish: (sum w)^2 / sum w^2; whole numbers count repetitions, and are worth their sum).

        See Also
        --------
        at_prevalence : Weights that move the classes to another prevalence (label shift).
        with_weights : The same for weights that are known to be valid.

        References
        ----------
        Shimodaira 2000, "Improving predictive inference under covariate shift by weighting the log-likelihood
        function"; Kish 1965.

        Examples
        --------
        A hospital that sees large tumours 2.5 times as often as small ones:

        >>> p = cv.load_dataset("tumours")["naive Bayes"]
        >>> there = p.reweighted(np.where(p.fields["mean_radius"] > 15, 2.5, 1))
        >>> round(cv.observed_expected(p).estimate, 3), round(cv.observed_expected(there).estimate, 3)
        (1.058, 1.042)
        """
        checked = arrays.weights(weights, len(self))
        other = self.with_weights(checked)
        if self.labels is not None:
            notice_following(checked, self.labels, self.class_names)
        if not (arrays.are_counts(checked) and self.cluster_codes is None):
            said = few_of(checked, other.effective_clusters, self.effective_clusters)
            if said is not None:
                warnings.warn(said, stacklevel=2)
        return other

    def with_weights(self, weights: NDArray[np.float64]) -> Predictions:
        """Return the samples with other weights, such as those of a bootstrap; they are not checked.

        Arrays and sorted problems are shared with these predictions, the `base`. So a sample of weight 0 stays at 0.

        See Also
        --------
        reweighted : The same for weights of yours.
        bootstrap : Draws such weights.
        """
        if self.weights is not None and (weights[self.weights == 0] > 0).any():
            raise ValueError("weights must be 0 where those of the predictions are: such samples have been left out")
        squares = self.squared_weights
        if squares is not None and self.weights is not None:
            squares = squares * (weights / np.where(self.weights > 0, self.weights, 1.0)) ** 2
        other = self._with(weights=weights, squared_weights=squares)
        other.base = self if self.base is None else self.base
        return other

    def with_cluster(self, cluster: Any) -> Predictions:
        """Return the same samples in other clusters; numbers that take samples to be independent change, others do not.

        Parameters
        ----------
        cluster : str, array-like of shape (n,), or False
            As that of `Predictions`: a field or a note, values, or False, by which each sample is independent.

        Raises
        ------
        ValueError
            Where there is no such field, or a sample has no value.

        See Also
        --------
        likely_clusters : Fields whose rows may belong together.

        Examples
        --------
        >>> p = cv.Predictions([0.2, 0.4, 0.7, 0.9] * 10, [0, 0, 1, 1] * 10, fields={"patient": list(range(20)) * 2})
        >>> p.with_cluster("patient").n_clusters
        20
        """
        name, names, codes = None, None, None
        if cluster is not False:
            name, names = named_column(cluster, "cluster", self._fields | self._notes, self.n_samples)
            codes = cluster_numbers(names)
        if codes is None and self.horizon is not None:  # weights that stand for censored outcomes
            codes = np.arange(self.n_samples)
        other = self._with(cluster=name, cluster_names=names, cluster_codes=codes, are_independent=cluster is False)
        if "assumed" in other.about:
            other.about["assumed"] = without_question(other.about["assumed"])
        if self.made_by is not None and (cluster is False or isinstance(cluster, str)):
            other._made_by(self.made_by.method("with_cluster")(cluster))
        return other

    def at_prevalence(
        self, prevalence: float | ArrayLike, shift: bool = False, *, trained_at: float | ArrayLike | None = None
    ) -> Predictions:
        """The samples reweighted to another prevalence of the classes (label shift).

        A sample of class k gets the weight w f_k / pi_k, where f_k is the wanted share of the class, and pi_k its share
        in the data. Every measure of the result estimates its value in a population of these shares, if the samples of
        each class have the same distribution there.

        Parameters
        ----------
        prevalence : float in (0, 1), or array-like of shape (K,)
            The share of the second of two classes, or the shares of all classes, which add up to 1.
        shift : bool
            Adjust the probabilities as well, to P_ik f_k / pi_k rescaled to sum to 1, as a model that knew the new
            prevalence would. Without it, the model is judged as it is.
        trained_at : float in (0, 1), or array-like of shape (K,), optional
            With `shift`, the shares of the classes that the probabilities were made for, such as 0.5 after training on
            as many samples of either class. By default they are taken to be made for the shares pi of these samples;
            a warning says where nothing is moved then, since these shares are wanted.

        Returns
        -------
        Predictions
            With the same total weight. Soft labels are adjusted too, since they are label frequencies.

        Raises
        ------
        TypeError, ValueError
            Where the shares are out of range, no sample has a class, or `trained_at` is given without `shift`.

        See Also
        --------
        reweighted : The same samples with given weights.

        Notes
        -----
        `cv.ks_test`, `cv.kuiper_test` and `cv.spiegelhalter_test` keep their level: where scores s are calibrated at
        the new prevalence, w (t - s) has the variance w^2 (f / pi) (1 - f) / (1 - pi) s (1 - s), where w is the weight
        before. (With more than two classes they take the largest f_k / pi_k for one of the two factors, and have less
        power.) Functions that draw labels refuse the result, since a drawn label would need another weight:
        `cv.consistency`, `cv.trust`, `cv.interval`, `cv.segments`, noise floors. If the weights stayed with their
        samples, a test at a level of 5 % would reject 37 % of calibrated models where a class of 3 % is reweighted to
        30 %. `cv.bootstrap` gives the spread.

        With `trained_at` the probabilities become P_ik f_k / g_k, where g_k are those shares, rescaled to sum to 1. If
        a share b of the samples of class 0 was kept for training, that is b p / (b p + 1 - p).

        References
        ----------
        Elkan 2001, theorem 2; Saerens, Latinne and Decaestecker 2002, "Adjusting the outputs of a classifier to new a
        priori probabilities".

        Examples
        --------
        >>> p = cv.load_dataset("tumours")["naive Bayes"]
        >>> round(cv.calibration_error(p, "class malignant"), 3)
        0.058
        >>> round(cv.calibration_error(p.at_prevalence(0.1), "class malignant"), 3)
        0.039

        Trained on as many malignant as benign tumours, of which 1 in 10 is malignant where the model is used:

        >>> p.at_prevalence(0.1, shift=True, trained_at=0.5).about["prevalence"]
        'benign 90 %, malignant 10 %; probabilities moved to it from benign 50 %, malignant 50 %'
        """
        shift = validation.truth(shift, "shift")
        wanted = arrays.class_shares(prevalence, self.class_names)
        made_for = None if trained_at is None else arrays.class_shares(trained_at, self.class_names, "trained_at")
        if made_for is not None and not shift:
            raise ValueError(TRAINED_WITHOUT_SHIFT)
        weights = np.ones(len(self)) if self.weights is None else self.weights
        if not 1e-100 < weights.max() < 1e100:  # of which the squares would be too large or too small
            weights = weights / weights.max()
        mass = label_mass(self, weights)
        if not mass.all():
            lacking = self.class_names[int(np.argmin(mass))]
            raise ValueError(f"prevalence: no sample of the class {lacking!r} is there to stand for others")
        present = mass / mass.sum()
        factor = wanted / present
        changed: dict[str, Any] = {}
        if self.labels is not None:
            changed["weights"] = weights * factor[self.labels]
        else:
            assert self.soft_labels is not None
            moved = self.soft_labels * factor
            total = moved.sum(axis=1, keepdims=True)
            changed |= {"weights": weights * total[:, 0], "soft_labels": moved / total}
        if shift:
            if made_for is None:
                notice_unmoved(wanted, present, stacklevel=2)
            times = wanted / (present if made_for is None else made_for)
            odds = self.probs * times
            sums = odds.sum(axis=1, keepdims=True)
            arrays.refuse_where(sums[:, 0] <= 0, sums[:, 0], "probs", 0, "nothing of the row is left at the prevalence")
            changed["probs"] = (odds / sums).astype(self.probs.dtype)
            if self.logits is not None:
                changed["logits"] = (self.logits + np.log(times)).astype(self.logits.dtype)
        squares = self.squared_weights
        if squares is None:
            squares = weights if arrays.are_counts(weights) else weights**2
        largest = factor.max() * changed["weights"] / np.where(weights, weights, 1)
        square_factor = factor.prod() if self.n_classes == 2 else largest
        moved_predictions = self._with(**changed, squared_weights=squares * square_factor)

        def named(shares: NDArray[np.float64]) -> str:
            return ", ".join(f"{name} {chosen_percent(f)}" for name, f in zip(self.class_names, shares, strict=True))

        start = "" if made_for is None else f" from {named(made_for)}"
        how = f"moved to it{start}" if shift else "as they were"
        moved_predictions.about["prevalence"] = f"{named(wanted)}; probabilities {how}"
        if self.made_by is not None:
            trained = {} if made_for is None else {"trained_at": made_for.tolist()}
            call = self.made_by.method("at_prevalence")(wanted.tolist(), shift=shift, **trained)
            moved_predictions._made_by(call)
        return moved_predictions

    def relabelled(self, labels: NDArray[np.intp], weights: NDArray[np.float64] | None) -> Predictions:
        """Return the samples with other labels (n,) and weights, which are not checked.

        See Also
        --------
        reweighted : Other weights alone.
        consistency : Draws such labels from the probabilities.
        """
        other = self._with(labels=labels, soft_labels=None, weights=weights)
        if "top" in self.cache:  # the probabilities are the same
            top = self._top()
            other.cache.get("top", lambda: top)
        other._ranking = self._ranking
        return other

    def _with(self, **changed: Any) -> Predictions:
        """A copy with some attributes replaced by values that are known to be valid."""
        other = object.__new__(Predictions)
        other.__dict__.update(self.__dict__, **changed)
        # The call in `source` gives these predictions, not the ones derived from them.
        other.about = {name: text for name, text in self.about.items() if name != "source"}
        other.made_by = None
        other.followed = None if changed.keys() & {*BY_SAMPLE} else self.followed
        other._freeze()
        return other

    def _made_by(self, source: Source) -> Predictions:
        """Return the predictions, with the code that makes them."""
        self.about["source"], self.made_by = str(source), source
        return self

    def split_mask(self, share: float, *, rng: int | np.random.Generator | None = 0) -> NDArray[np.bool_]:
        """True for the round(share * n) randomly drawn samples of the first part, shape (n,).

        Where samples lie in clusters, whole clusters are drawn until the first part has as many samples, or nearly so.

        See Also
        --------
        split : The two parts themselves.
        """
        share = validation.real_number(share, "share", 0.0, 1.0, open_ends=True)
        first = round(share * self.n_samples)
        if first in (0, self.n_samples):
            if self.n_samples == 1:
                raise ValueError("a single sample cannot be split into two parts: pass at least two samples")
            raise ValueError(
                f"share {share:g} of {counted(self.n_samples)} leaves one part empty: pass a share nearer to 0.5"
            )
        draws = np.random.default_rng(validation.rng(rng))
        if (codes := of_several(self.cluster_codes)) is not None:
            if len(np.unique(codes)) == 1:
                raise ValueError(
                    f"all {counted(self.n_samples)} are of one {nouns_of_clusters(self).one}, which cannot be split: "
                    "pass samples of two at least"
                )
            return clusters_taken(codes, first, draws)
        mask = np.zeros(self.n_samples, dtype=bool)
        mask[draws.permutation(self.n_samples)[:first]] = True
        return mask

    def split(
        self, share: float = 0.5, *, rng: int | np.random.Generator | None = 0
    ) -> tuple[Predictions, Predictions]:
        """Two random parts without overlap: the first, for calibration, has round(share * n) samples.

        Where samples lie in clusters, it has about as many: no cluster is in both parts.

        Parameters
        ----------
        share : float, in (0, 1)
        rng : int, numpy.random.Generator or None
            The same number gives the same parts.

        See Also
        --------
        split_mask : Which samples are in the first part.
        subsamples : Many random parts, side by side.
        """
        first = self.split_mask(share, rng=rng)
        return self.select(first), self.select(~first)


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


def _named(names: list[str]) -> str:
    """Names in one line, the first few of many."""
    more = f", ... ({len(names):,} in all)" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more
