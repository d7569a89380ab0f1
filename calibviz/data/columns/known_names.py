"""The names by which columns and arrays are known without being named by an option, and those that bear them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from ...foundation.validation import did_you_mean, listed
from .choices import Account

#: Arrays of the arguments of `Predictions`, in files that hold them under these names.
NAMES = {
    "probs": ("probs", "prob"),
    "logits": ("logits",),
    "labels": ("labels", "label", "outcome"),
    "weights": ("weights", "weight"),
}

#: Names of columns and arrays by role; a later group counts where no name of an earlier one is there.
LABELS = (NAMES["labels"], ("y", "y_true", "y_test", "true", "true_label", "target", "actual", "truth", "class"))
SCORES = (
    ("prob", "p"),
    (
        "probs", "proba", "probability", "probabilities", "y_prob", "y_proba", "y_score", "pred_prob", "pred_proba",
    ),
    ("score", "prediction", "confidence"),
)  # fmt: skip  # short entries stand in rows
LOGIT = ("logit", "logits")
WEIGHTS = (NAMES["weights"], ("sample_weight", "sample_weights"))
#: Columns that hold numbers although their first rows may be whole ones.
NUMERIC_NAMES = frozenset(name for names in (*LABELS, *SCORES, LOGIT, *WEIGHTS) for name in names)
#: Columns of the classes that a model predicts.
PREDICTED = (
    "predicted", "prediction", "pred", "y_pred", "predicted_class", "predicted_label", "pred_class", "pred_label",
    "y_hat", "yhat",
)  # fmt: skip  # short entries stand in rows

#: What stands before the name or the number of a class in the name of its column.
PREFIXES = ("p_", "prob_", "proba_", "probability_", "y_prob_", "y_proba_", "y_score_", "pred_proba_")
LOGIT_PREFIXES = ("logit_", "logits_")


def chosen_column(name: str, columns: Collection[str], argument: str) -> str:
    """The column that an option names; a name that is not there is refused."""
    if name in columns:
        return name
    alike = [column for column in columns if column.casefold() == name.casefold()]
    if len(alike) == 1:
        return alike[0]
    there = listed(columns) or "(none)"
    raise ValueError(f"{argument}={name!r}: no column has this name among {there}{did_you_mean(name, columns)}")


def known_columns(columns: Sequence[str], names: Sequence[str]) -> list[str]:
    """The columns with one of some names; where none is spelled so, capitals, blanks and hyphens do not matter."""
    exact = [name for name in names if name in columns]
    return exact or [name for name in columns if name.casefold().replace(" ", "_").replace("-", "_") in names]


def only_one(names: Sequence[str], argument: str | None) -> str | None:
    """The name if there is one, None if there is none; two are refused, and an option chooses if there is one."""
    if len(names) > 1:
        choose = "" if argument is None else f", or choose by {argument}={names[0]!r}"
        raise ValueError(f"found both {names[0]!r} and {names[1]!r}: keep one of them{choose}")
    return names[0] if names else None


def one_of(names: Collection[str], allowed: Iterable[str], argument: str | None = None) -> str | None:
    """The single allowed name among some names, or None; two of them are refused."""
    return only_one([name for name in allowed if name in names], argument)


def known_column(
    columns: Sequence[str],
    tiers: Sequence[Sequence[str]],
    role: str,
    account: Account,
    argument: str | None = None,
    otherwise: str = "",
) -> str | None:
    """The only column with a known name of a role, such as "labels"; of two, an option chooses if there is one.

    It is said which one that is, unless its name is a usual one; with what makes it something else, always.
    """
    for names in tiers:
        known = only_one(known_columns(columns, names), argument)
        if known is not None:
            if otherwise or names is not tiers[0] or known not in names:
                account.say(f"{role} from {known!r}{f', {otherwise}' if otherwise else ''}")
            return known
    return None


def numbered_columns(columns: Sequence[str], prefixes: Sequence[str]) -> dict[str, list[str]]:
    """The columns that have a known prefix and a number, such as p_0 and p_1, by the prefix as it is written."""
    families: dict[str, list[str]] = {}
    for name in columns:
        parts = re.fullmatch(r"(.*?)(\d+)", name)
        if parts and parts[1].casefold() in prefixes:
            families.setdefault(parts[1], []).append(name)
    return families
