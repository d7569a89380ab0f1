"""Tables of counts: in each row how many samples of one probability there are, and how many of them are events."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .choices import NO_WEIGHT, Account, Arguments, ReadingOptions, Unclear
from .known_names import chosen_column, is_prediction, plain, says_weights, words
from .recognition.clusters import named_cluster
from .recognition.content import MANY, only
from .recognition.scores import CONTENT, score_level
from .tables import ColumnTable, FirstRows

SIZES = (
    "n", "count", "counts", "total", "n_total", "n_obs", "nobs", "obs_count", "number", "size", "bin_count",
    "n_samples", "samples", "cases", "patients", "borrowers", "obligors", "loans", "trials", "weight", "weights",
    "n_borrowers",
)  # fmt: skip  # short entries stand in rows
EVENTS = (
    "events", "event", "n_events", "defaults", "n_defaults", "deaths", "n_deaths", "positives", "n_positive", "hits",
    "successes", "failures", "bads", "n_bad", "cases_observed", "observed_events", "responders", "conversions",
    "clicks", "outcomes", "wins",
)  # fmt: skip  # short entries stand in rows
SHARES = (
    "event_rate", "observed_rate", "observed_frequency", "observed_freq", "fraction_of_positives", "default_rate",
    "mortality_rate", "observed_share", "observed", "obs", "obs_rate", "prob_true", "bad_rate", "rate", "odr",
    "accuracy", "acc", "avg_accuracy", "mean_accuracy", "bin_accuracy", "frac_pos", "fraction_positive",
    "observed_proportion", "observed_prob", "actual_rate", "empirical_rate",
)  # fmt: skip  # short entries stand in rows
MEANS = (
    "mean_predicted", "mean_predicted_value", "mean_risk", "mean_prob", "mean_probability",
    "mean_predicted_probability", "predicted", "expected", "prob_pred", "mean_confidence", "confidence", "avg_pd",
    "mean_pd", "forecast", "mean_forecast", "predicted_risk", "average_confidence", "avg_confidence", "mean_conf",
    "bin_confidence", "mean_pred", "avg_pred", "pred_mean", "predicted_mean", "avg_predicted", "mean_score",
)  # fmt: skip  # short entries stand in rows
TOLERANCE = 0.02  # of a number of events that is a rounded share times a number of samples
EDGES = ("thresh", "lower", "upper", "edge", "min", "max", "left", "right", "bin")


def count_arguments(table: ColumnTable, choices: ReadingOptions, account: Account) -> Arguments | None:
    """The arguments of `Predictions` in a table of counts, two weighted rows for each of its own; None in others."""
    others = choices.positive, choices.logits, choices.classes, choices.weight, choices.ignore
    if any(given is not None for given in others) or isinstance(choices.prob, tuple):
        return None
    first = FirstRows(table)
    size = _named(table.columns, SIZES)
    if size is None or not _are_sizes(size, first):
        return None
    known = _named(table.columns, EVENTS)
    of_events = known or _only([name for name in table.columns if {*words(name)[-1:]} & {*EVENTS}])
    known = known or (None if of_events else _named(table.columns, SHARES))
    events = known or of_events or _named(table.columns, ("actual",))
    if events is None or choices.label not in (None, events) or first.number(events) is None:
        return None
    free = [name for name in table.columns if name not in (size, events)]
    scores = _means(free, first) if choices.prob is None else [chosen_column(choices.prob, free, "prob")]
    alone = [] if scores else list(first.units(name for name in free if not _is_edge(name)))
    if len(scores or alone) != 1:
        return None
    [mean] = scores or alone
    totals, given, means = (table.numbers([name])[:, 0] for name in (size, events, mean))
    is_share = of_events is None
    occurred = given * totals if is_share else given
    within = np.maximum(TOLERANCE, totals * 5e-5) if is_share else np.zeros(len(totals))
    if (np.abs(occurred - np.round(occurred)) > within).any() or (occurred < 0).any() or (occurred > totals).any():
        return None
    occurred = np.round(occurred)
    if is_share and totals.max() * 5e-5 > 0.5:
        return None
    if only(given, 0, 1) and (alone or known is None):
        return None
    if only(given, 0, 1) and len(given) >= MANY:  # whether it occurred in a sample, beside a number of its own
        if says_weights(size):
            return None
        _refuse_samples(choices, size, events, mean)
    if alone:
        said = f"only its numbers say that {mean!r} may be the mean probability of {size!r} samples a row"
        raise Unclear(f"{said}, beside their {events!r}", {"label": events, "prob": mean})
    account.take("label", events)
    account.take("probability", mean)
    account.take("weight", size)
    account.say(f"{size!r} samples a row, of which {events!r} {'is the share of' if is_share else 'are'} events")
    weights = np.concatenate([totals - occurred, occurred])
    kept = weights > 0
    fields = table.fields([name for name in free if name != mean and not _is_edge(name)])
    fields = {name: np.tile(column, 2)[kept] for name, column in fields.items() if column.ndim == 1}
    if choices.fields is not None:
        named = (*choices.fields, *named_cluster(fields, choices, account))
        fields = {name: fields[name] for name in named if name in fields}
    return {
        "probs": np.tile(means, 2)[kept],
        "labels": np.repeat([0, 1], len(means))[kept],
        "weights": weights[kept],
        "fields": fields,
    }


def _refuse_samples(choices: ReadingOptions, size: str, events: str, mean: str) -> None:
    """Ask whether rows of one event at most are samples or counts of them, unless options name the columns."""
    if choices.label is None or choices.prob is None:
        counts = {"label": events, "prob": mean}
        raise Unclear(
            f"{events!r} is only 0 and 1: each row may be a sample, or {size!r} of them with one event at most",
            *({**counts, "weight": weight} for weight in (NO_WEIGHT, size)),
            counts,
        )


def _means(columns: Sequence[str], first: FirstRows) -> list[str]:
    """The columns that may hold mean probabilities: by their names, and never the edges of bins."""
    named = [name for name in columns if plain(name) in MEANS or score_level(name) > CONTENT]
    return list(first.units(name for name in named if not _is_edge(name)))


def _is_edge(name: str) -> bool:
    return bool(set(EDGES) & set(words(name))) and not is_prediction(name)


def _named(columns: Sequence[str], names: Sequence[str]) -> str | None:
    return _only([name for name in columns if plain(name) in names])


def _only(names: Sequence[str]) -> str | None:
    return names[0] if len(names) == 1 else None


def _are_sizes(name: str, first: FirstRows) -> bool:
    values = first.number(name)
    if values is None or not len(values) or not np.isfinite(values).all():
        return False
    return bool((values == np.floor(values)).all() and values.min() >= 1 and values.max() > 1)
