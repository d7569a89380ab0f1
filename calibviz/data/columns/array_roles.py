"""Arrays of predictions by role, settled by what the user says of their labels and classes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...foundation import arrays as checked
from ...foundation.arrays import row_error
from ...foundation.validation import RowError, listed
from .choices import Account, Arguments, ReadingOptions, Unclear
from .classes import Labels, binary_labels, class_labels, class_numbers
from .known_names import LABELS, LOGIT, NAMES, SCORES, chosen_column, one_of, plain, weight_column
from .missing_rows import Rows, keep_known, keep_labelled
from .recognition.clusters import named_cluster
from .recognition.content import is_likeliest, is_unit, only, rows_add_up, same_partition, tolerance
from .recognition.no_scores import refuse_regression
from .recognition.other_columns import field_columns, refuse_times
from .recognition.pairs import own_outcomes
from .recognition.repeated_rows import refuse_models
from .recognition.truth import named_truths, two_truths
from .tables import MISSING, ArrayTable, FirstRows, incomplete

ARGUMENTS = {"probs": "prob", "logits": "logits", "labels": "label"}
"""The option of `read_predictions` that names the array of each argument of `Predictions`."""

WORDS = {"probs": "probability", "logits": "logit", "labels": "label", "weights": "weight"}
"""What the array of each argument of `Predictions` holds."""

#: Other names of arrays of probabilities or logits, and of the names of the classes.
ARRAYS_OF_SCORES = (
    *(name for names in SCORES for name in names), "y_pred", "y_hat", "preds", "pred", "predictions", "softmax",
    "outputs", "output", "scores", "predict", "predicted",
)  # fmt: skip  # short entries stand in rows
CLASS_NAMES = ("class_names", "classes", "target_names", "label_names")

SOFTMAX_TOLERANCE = 0.01  # within which probabilities, as they may be rounded, are those of logits
SOFTMAX_SIZE = 2**20  # numbers whose softmax is taken at once
BY_SAMPLE = ("probs", "logits", "labels", "weights", "images")


class Arrays(Protocol):
    """Arrays by name, with the shape and the kind of each, which are known before it is loaded."""

    headers: Mapping[str, tuple[tuple[int, ...], np.dtype[Any]]]

    def __getitem__(self, name: str) -> NDArray[Any]: ...


def roles(
    names: Collection[str], choices: ReadingOptions, account: Account, arrays: Arrays | None = None
) -> dict[str, str]:
    """The name of the array for each argument of `Predictions`, such as `probs` and `labels`.

    Where `arrays` are given, other names that tools use are known too, and what arrays hold, if no name tells.
    """
    chosen = {"probs": choices.prob, "logits": choices.logits, "labels": choices.label}
    others = {"probs": (*SCORES[0], *SCORES[1]), "logits": LOGIT, "labels": LABELS[1]}
    out, free = {}, [name for name in names if name not in chosen.values()]
    for role, name in chosen.items():
        argument = ARGUMENTS[role]
        if isinstance(name, tuple):
            raise ValueError(f"{argument}={list(name)!r}: name the one array that holds all classes")
        if name is not None:
            out[role] = chosen_column(name, names, argument)
        elif role in ("probs", "logits") and (choices.prob or choices.logits):
            continue
        elif (known := one_of(free, NAMES[role], argument)) is not None:
            out[role] = known
        elif (known := one_of(free, others[role], argument)) is not None:
            out[role] = known
            account.recognised.append(f"{role} from {known!r}")
    if (weight := weight_column(names, choices, account)) is not None:
        out["weights"] = weight
    if arrays is not None:
        out |= _found(arrays, out, choices, account)
    for role, name in out.items():
        account.take(WORDS.get(role, role), name)
    if "labels" not in out or not out.keys() & {"probs", "logits"}:
        lacking = "labels" if "labels" not in out else "probabilities"
        option = "label" if lacking == "labels" else "prob"
        elsewhere = "; truth='...' names a file that holds them" if lacking == "labels" and arrays is not None else ""
        raise ValueError(
            f"found no {lacking} among the arrays {listed(free) or '(none)'}: expected `probs`, `prob` or `logits`, "
            f"and `labels`, `label` or `outcome`; {option}='...' names another{elsewhere}"
        )
    return out


def named_labels(names: Collection[str]) -> list[str]:
    """The arrays that are called like labels, the best name alone where there are several."""
    return [name for name in LABELS[0] if name in names][:1] or named_truths(list(names))


def _found(arrays: Arrays, known: dict[str, str], choices: ReadingOptions, account: Account) -> dict[str, str]:
    """The arrays of those roles that are not known yet, by the names that tools use, or by what they hold."""
    shapes = {name: shape[:1] if shape[1:] == (1,) else shape for name, (shape, _) in arrays.headers.items()}
    left = {name: shape for name, shape in shapes.items() if name not in known.values()}
    out = _class_names(arrays, left, account)
    scores = known.get("probs", known.get("logits"))
    if scores is None and (scores := _scores(arrays, left, choices)) is not None:
        alike = [name for name, shape in shapes.items() if shape == left[scores] and len(shape) == 1]
        beside = FirstRows(ArrayTable({name: one_column(arrays[name]) for name in alike}))
        refuse_regression(named_truths(alike), alike, choices, beside)
        out[_role_of(one_column(arrays[scores]), scores, account)] = scores
    if "labels" not in known and scores is not None:
        left = {name: shape for name, shape in left.items() if name not in out.values()}
        if (label := _labels(arrays, left, scores, shapes[scores])) is not None:
            out["labels"] = label
            account.recognised.append(f"labels from {label!r}")
    return out


def _class_names(arrays: Arrays, left: Mapping[str, tuple[int, ...]], account: Account) -> dict[str, str]:
    """The array of the names of the classes."""
    texts = [name for name, shape in left.items() if len(shape) == 1 and arrays.headers[name][1].kind in "US"]
    named = [name for name in texts if plain(name) in CLASS_NAMES]
    named = [CLASS_NAMES[0]] if CLASS_NAMES[0] in left else named
    if len(named) != 1:
        return {}
    if named[0] != CLASS_NAMES[0]:
        account.say(f"classes from {named[0]!r}")
    return {"class_names": named[0]}


def _scores(arrays: Arrays, left: Mapping[str, tuple[int, ...]], choices: ReadingOptions) -> str | None:
    """The only array of probabilities or logits; of some that are named so, those of all classes outrank others."""
    floats = [name for name, shape in left.items() if len(shape) in (1, 2, 3) and arrays.headers[name][1].kind == "f"]
    called = [name for name in floats if plain(name) in (*ARRAYS_OF_SCORES, *LOGIT)]
    several = [name for name in called if len(left[name]) > 1] or called
    several = several or [name for name in floats if _are_probabilities(one_column(arrays[name]))]
    if choices.truth is not None and not several and [len(left[name]) for name in floats] == [1]:
        several = floats  # which may be margins: it is asked
    if len(several) > 1:
        own = [] if choices.label is not None else own_outcomes(several, arrays.headers)
        ways = [[{"prob": name, "label": label} for scores, label in own if scores == name] for name in several]
        raise Unclear(
            f"two arrays may hold the probabilities, {several[0]!r} and {several[1]!r}",
            *(way for name, its in zip(several, ways, strict=True) for way in its or [{"prob": name}]),
            otherwise=f": prob={several[0]!r} or prob={several[1]!r} chooses",
        )
    return several[0] if several else None


def _labels(arrays: Arrays, left: Mapping[str, tuple[int, ...]], scores: str, shape: tuple[int, ...]) -> str | None:
    """The only array of labels of scores of a shape; what the model predicts is no truth."""
    rows, classes = (shape[:-1], shape[-1]) if len(shape) > 1 else (shape, 2)
    fitting = [name for name in left if left[name] in (rows, shape)]
    is_turned = not fitting and len(shape) == 2  # (classes, samples)
    if is_turned:
        fitting, classes = [name for name in left if left[name] == shape[1:]], shape[0]
    several = [name for name in fitting if name in named_truths(fitting)]
    several = several or [name for name in fitting if _are_class_numbers(one_column(arrays[name]), classes)]
    if len(several) > 1 and len(shape) == 2:
        probs = arrays[scores].T if is_turned else arrays[scores]
        said = [name for name in several if is_likeliest(_whole(one_column(arrays[name])), probs)]
        several = [name for name in several if name not in said] or several
    if len(several) > 1:
        raise two_truths(several)
    return several[0] if several else None


def one_column(values: NDArray[Any]) -> NDArray[Any]:
    """An array (n, 1), as that of a single output of Keras, as one of shape (n,); any other as it is."""
    return values[:, 0] if values.shape[1:] == (1,) else values


def _role_of(values: NDArray[Any], name: str, account: Account) -> str:
    """Whether an array holds probabilities or logits, by its name and by whether it leaves [0, 1]."""
    known = values[~np.isnan(values)]
    if plain(name) not in LOGIT and (not known.size or (known.min() >= 0 and known.max() <= 1)):
        account.recognised.append(f"probs from {name!r}")
        return "probs"
    if values.ndim == 1 and plain(name) not in LOGIT:
        raise Unclear(
            f"the array {name!r} holds numbers outside [0, 1], which may be log-odds or the margin of an SVM",
            {"logits": name},
            otherwise=f"; logits={name!r} takes their sigmoid, which is right for log-odds alone",
        )
    account.say(_of_logits(values.ndim, name))
    return "logits"


def _of_logits(dimensions: int, name: str) -> str:
    return f"{'softmax' if dimensions > 1 else 'sigmoid'} of the logits in {name!r}"


def _are_probabilities(values: NDArray[Any]) -> bool:
    """Whether an array of unknown name holds probabilities of all classes, or their logarithms, or those of one."""
    if values.ndim == 1:
        return is_unit(values.astype(np.float64, copy=False))
    if values.ndim == 2 and bool((values <= 0).all()):
        values = np.exp(values)  # of log-probabilities
    is_turned = values.ndim == 2 and len(values) < values.shape[1]  # (classes, samples)
    return len(values) > 1 and (rows_add_up(values) or (is_turned and rows_add_up(values.T)))


def _whole(values: NDArray[Any]) -> NDArray[np.int64]:
    """Class numbers; none of anything else."""
    is_number = values.ndim == 1 and values.dtype.kind in "biuf" and bool(np.isfinite(values).all())
    return values.astype(np.int64) if is_number else np.zeros(0, dtype=np.int64)


def _are_class_numbers(values: NDArray[Any], classes: int) -> bool:
    """Whether an array of unknown name holds the numbers of classes, or words that are few; several of each."""
    if values.ndim != 1 or len(values) < 2:
        return False
    if values.dtype.kind in "US":
        return 1 < len(np.unique(values)) <= classes
    if values.dtype.kind not in "biuf" or not np.isfinite(values).all() or (values != np.floor(values)).any():
        return False
    return bool(values.min() >= 0 and values.max() < classes)


def settled(arguments: Arguments, choices: ReadingOptions, account: Account, label: str) -> Arguments:
    """The arguments of `Predictions` with labels as class numbers, where names, options or missing ones need it.

    What `Predictions` itself reads stays as it is.
    """
    arrays = _Settled(arguments, choices, account, label)
    values, scores = arrays.values, arrays.scores
    if values.ndim not in (1, 2) or scores.ndim not in (1, 2) or len(values) != len(scores):
        return arrays.arguments
    if choices.can_drop:
        arrays.compare_logits()
        arrays.keep_fields()
    _refuse_several(values, scores, label)
    return arrays.coded() if arrays.need_codes else arrays.arguments


class _Settled:
    """Arguments of `Predictions` in arrays, of which labels become class numbers, and incomplete rows are left out."""

    def __init__(self, arguments: Arguments, choices: ReadingOptions, account: Account, label: str) -> None:
        self.choices, self.account, self.label = choices, account, label
        self.role, self.word = ("probs", "probability") if "probs" in arguments else ("logits", "logit")
        self.values, scores = (one_column(np.asarray(arguments[name])) for name in ("labels", self.role))
        if self.values.ndim == 1 and scores.ndim == 2 and scores.shape[0] != len(self.values) == scores.shape[1]:
            scores = scores.T
            account.say(f"{listed(account.named(self.word))} turned from (classes, samples) to {scores.shape}")
        self.scores, self.width = scores, scores.shape[1] if scores.ndim == 2 else 1
        self.arguments = arguments | {"labels": self.values, self.role: scores}
        self.names = arguments.get("class_names")

    def compare_logits(self) -> None:
        """Say what is done with logits; those beside probabilities have to give these, if they have their shape."""
        account, logits = self.account, self.account.named("logit")
        if self.role == "logits":
            account.say(_of_logits(self.scores.ndim, "".join(logits[:1])))
        elif logits and (beside := one_column(np.asarray(self.arguments["logits"]))).shape == self.scores.shape:
            refuse_contradiction(self.scores, beside, account.named("probability")[0], logits[0])
            account.roles.pop(logits[0])
            account.say(f"{logits[0]!r} gives the same probabilities")

    def keep_fields(self) -> None:
        """Leave out all other arrays that are no fields; one that may hold the truth is asked about."""
        fields, choices, account = self.arguments["fields"], self.choices, self.account
        scores = account.named("probability", "logit")[:1] if self.scores.ndim == 1 else []
        first = FirstRows(ArrayTable(fields | {self.label: self.values} | dict.fromkeys(scores, self.scores)))
        if self.values.ndim == 2:
            named = fields if choices.fields is None else (*choices.fields, *named_cluster(fields, choices, account))
            kept = [chosen_column(name, fields, "fields") for name in named]
        else:
            labels = first.held(self.label) or Labels(np.zeros(0, dtype=np.int64), [], self.label)
            account.rivals = named_truths(list(fields))
            for name in account.rivals if choices.label is None else ():
                held = first.held(name)
                is_like = held is not None and len(held.present) > 1 and set(held.present) <= set(labels.present)
                if held is not None and is_like and not same_partition(held.codes, labels.codes):
                    raise two_truths([self.label, name])
            refuse_models(list(fields), labels, choices, first, scores)
            refuse_times(list(fields), labels, choices, account, first)
            kept = field_columns(list(fields), (labels, scores), choices, account, first)
        self.arguments["fields"] = {name: fields[name] for name in kept}

    @property
    def need_codes(self) -> bool:
        """Whether options, names or missing entries ask for more than `Predictions` itself reads."""
        values, choices = self.values, self.choices
        is_of_numbers = self.width > 1 and values.ndim == 1 and values.dtype.kind in "iuf" and len(values) > 0
        are_others = choices.can_drop and is_of_numbers and not 0 <= values.min() <= values.max() < self.width
        has_words = self.names is None and values.dtype.kind in "OUST"
        gaps = _has_nan(values) or (values.dtype.kind == "U" and bool((values == "").any()))
        asked = choices.positive, choices.classes, choices.ignore, choices.missing == "drop"
        return has_words or are_others or gaps or _has_nan(self.scores) or any(asked)

    def coded(self) -> Arguments:
        """The arguments with labels as class numbers, without the rows that may be left out."""
        choices, account, width, names = self.choices, self.account, self.width, self.names
        self.kept = self.arguments | {}
        classes = choices.classes or (None if names is None else tuple(names))
        if width > 1 and choices.positive is not None:
            raise ValueError(f"positive={choices.positive!r} is for probabilities of shape (n,), not (n, {width})")
        if width > 1 and classes is not None and len(classes) != width:
            raise ValueError(f"classes names {len(classes)} classes, but there are probabilities of {width}")
        if self.values.ndim == 2:  # soft labels
            if _has_nan(self.values) and incomplete(self.values).all():
                raise ValueError(f"no row of {self.label!r} has a label of every class")
            self._keep_complete("labels", "label")
            self._keep_complete(self.role, self.word)
            return self.kept | ({} if classes is None else {"class_names": list(classes)})
        labels = ArrayTable({self.label: self.values}).labels(self.label, ("labels[", "]"))
        labels = labels.without([name for name in MISSING if name not in (*(choices.classes or ()), *(names or ()))])
        labels = keep_labelled(labels, choices, account, self._keep)
        labels = labels.only(self._keep_complete(self.role, self.word))
        if width == 1:
            named = choices if names is None or choices.classes else choices.changed(classes=list(names))
            return self.kept | binary_labels(labels, named, account)
        if classes is None:
            return self.kept | {"labels": class_numbers(labels, account, width)}
        return self.kept | class_labels(labels, classes, account)

    def _keep(self, rows: Any) -> None:
        """Keep some rows, by their numbers in the arrays."""
        whole = self.arguments
        self.kept.update({role: np.asarray(whole[role])[rows] for role in BY_SAMPLE if role in self.kept})
        self.kept["fields"] = {name: np.asarray(column)[rows] for name, column in whole["fields"].items()}

    def _keep_complete(self, role: str, word: str) -> Rows:
        """Keep the rows in which an array has no gap, if it has one."""
        there = np.asarray(self.kept[role])
        if not _has_nan(there):
            return slice(None)

        def lacking(row: int, said: str) -> RowError:
            place = [row] if there.ndim == 1 else [row, int(np.argmax(np.isnan(there[row])))]
            return row_error(role, place, f" {said}")

        complete = ~incomplete(there.reshape(len(there), -1))
        return keep_known(complete, word, lacking, self.choices, self.account, self._keep)


def refuse_contradiction(probs: NDArray[Any], logits: NDArray[Any], name: str, of_logits: str) -> None:
    """Refuse logits of other probabilities than those beside them, such as raw ones beside calibrated probabilities."""
    step, within = max(1, SOFTMAX_SIZE // max(1, probs[:1].size)), SOFTMAX_TOLERANCE + tolerance(probs.ravel())
    for start in range(0, len(probs), step):
        part = slice(start, start + step)
        if not np.isfinite(logits[part]).all():
            continue
        taken = checked.softmax(checked.logits(logits[part]))
        far = np.abs((taken[:, 1] if probs.ndim == 1 else taken) - probs[part]) > within
        if far.any():
            row = start + int(np.argmax(far.reshape(len(far), -1).any(axis=1)))
            said = f" of {of_logits!r} gives other probabilities than {name!r} holds there: which of them is meant?"
            raise Unclear(RowError("row ", row, said), {"prob": name}, {"logits": of_logits})


def _refuse_several(values: NDArray[Any], scores: NDArray[Any], label: str) -> None:
    """Refuse labels that do not exclude each other, so that rows of probabilities need not add up to 1."""
    if values.ndim != 2 or values.shape != scores.shape or values.dtype.kind not in "biuf":
        return
    if not only(values.ravel().astype(np.float64), 0, 1):
        return
    total = values.sum(axis=1)
    if (total != 1).any():
        row = int(np.argmax(total != 1))
        how = "none" if total[row] == 0 else f"{int(total[row])} of the {values.shape[1]} labels"
        raise ValueError(
            f"the labels are multi-label: in row {row} of {label!r} {how} are true, so they do not exclude each other. "
            "Each label is a question of its own: write its column of probabilities and of labels to a file:\n"
            "  np.savez('label_0.npz', prob=probs[:, 0], label=labels[:, 0])"
        )


def _has_nan(array: NDArray[Any]) -> bool:
    return array.dtype.kind == "f" and array.size > 0 and bool(np.isnan(array.min()))  # which takes no memory
