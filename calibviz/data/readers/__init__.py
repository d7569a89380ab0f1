"""Readers of prediction files, of logs, and of tables of pandas, polars and Arrow.

A reader turns a file into the arguments of `Predictions`, which checks the values. What is unpacked is
charged to a budget of memory meanwhile, and nothing that could run code is ever loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import fields as dataclass_fields
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from ...foundation import validation
from ...foundation.sources import Source
from ..columns.choices import Account, Arguments, InMemory, OfTruth, Question, ReadingOptions, SeveralModels
from ..columns.tables import ColumnTable
from ..frames import as_table, frame_arguments
from ..labelled_arrays import classes_of, names_of
from ..predictions import Predictions
from ..safeguards import Budget, BudgetError, TooLargeError, budgeted
from .arrays.netcdf import labelled_arguments, variables_of, with_classes
from .arrays.zarr_stores import StoredFiles, opened_zarr, stored_rows, with_stored_classes
from .formats import ENDINGS, disguise, ending_of, format_of
from .previews import Preview
from .steady import one_state, refuse_irregular
from .tables.parquet_files import ParquetFile, parquet_files

# A list that is not formatted one name a line; `scale` opens files that do not fit into memory with these, `app` files
# that are dropped into a page.
__all__ = [
    "ENDINGS", "ParquetFile", "Preview", "StoredFiles", "classes_of", "labelled_arguments", "models_in", "names_of",
    "opened_zarr", "parquet_files", "plain_error", "preview", "read_file", "read_models", "read_predictions",
    "refuse_irregular", "stored_rows", "variables_of", "with_classes", "with_stored_classes",
]  # fmt: skip  # short entries stand in rows

Reader = Callable[[Any, ReadingOptions, Account], Arguments]


def read_predictions(
    source: Any,
    *,
    label: str | None = None,
    prob: str | Sequence[str] | None = None,
    positive: Any = None,
    logits: str | Sequence[str] | None = None,
    weight: str | None = None,
    classes: Iterable[Any] | None = None,
    sep: str | None = None,
    decimal: str | None = None,
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
    truth: Any = None,
    model: str | Sequence[str] | None = None,
    sheet: str | None = None,
    limit: str | int | None = None,
) -> Predictions:
    """Read the predictions in a file, or in a table of pandas, polars or Arrow.

    Parameters
    ----------
    source : path, DataFrame, Arrow table or open file
        `.npz`: arrays `probs` (n, K), `prob` (n,) of the second of two classes, or `logits`; `labels`, `label` or
        `outcome`; optionally `weights` or `weight`, `class_names`, and `images` (n, h, w) or (n, h, w, 3). Every
        other array of shape (n,) becomes a field.

        `.csv`, `.tsv` and `.txt` (with a header; also packed, as `.csv.gz`), `.parquet`, DataFrames and Arrow tables:
        columns, of which what they hold decides what they are, and their names choose where that leaves a choice. The
        probabilities are columns whose rows sum to 1, and whose names tell the classes (p_cat and p_dog, `.pred_yes`,
        `P (Churn=no)`, p_0 and p_1, or the classes alone), or a single column (`prob`, `p`, `y_prob`, `risk`, `score`,
        ...) of class 1 with labels 0/1, true/false or yes/no, or columns such as `logit_cat`, or a single `logit`. The
        labels are a column of these classes, or of two answers: `label`, `y_true`, `outcome`, `target`, ..., or one
        with such a word in its name, such as `death_30d`, or a column of 0 and 1 for each class. Optionally
        there are weights of samples: `weight`, `sample_weight`, `survey_weight`, ...; such as `w` is asked about.
        `docs/data.md` lists the names by tool. Where columns are named after the classes, a class without a label could
        be mistaken for a field: where other numeric columns exist, a row that does not sum to 1 is an error. All other
        columns are fields, except ids, complements and the like, and one without a name (the index that pandas writes).

        A table of counts, with a size, a number of events and a mean probability in each row, becomes weighted rows.

        The separator, decimal commas, and per cent signs of a text are recognised in its first rows. A column of a
        text, and a key of a log, holds dates where every value is one of ISO 8601, such as 2024-05-01 or
        2024-05-01T14:30Z, or one such as 31.5.2024 (day.month.year) or 2024/05/31, or missing; anything else, such as
        01/05/2024, stays text.

        `.parquet` may also be a folder of such files, in which folders such as `day=2024-01-31` are fields.

        `.nc` and `.zarr`: variables as in `.npz`, over the dimensions `sample` and `class`. The coordinate `class`
        gives the class names; where it holds numbers other than 0..K-1, the labels are its values. Every other variable
        or coordinate over `sample` is a field.

        `.jsonl`: a log with a record in each line, such as `{"probs": {"A": 0.7, "B": 0.3}, "label": "B"}`,
        `{"options": ["A", "B"], "logprobs": [-0.4, -1.2], "answer": "B"}` or `{"confidence": 0.8, "correct": true}`;
        other keys are fields. Where the options differ from record to record, the confidence in the likeliest one and
        whether it is right are read, with the number of `options` as a field.

        `.json`: such records in a list, by their ids, or under a key; `{"columns": [...], "data": [[...]]}`; or lists
        of one length by name. `.eval`: the samples of a log of inspect_ai. Samples of lm-evaluation-harness, events of
        OpenAI's evals, the likeliest tokens of a language model and states of HELM are known by their keys; one that
        holds no probabilities is refused in these words.

        `.xlsx`, `.xls`, `.xlsb`, `.ods`, `.dta`, `.sav`, `.zsav`, `.por`, `.sas7bdat`, `.xpt`, `.feather`, `.arrow` and
        `.ipc`: columns as in `.csv`; of a workbook the only sheet that holds a table. Values become their labels where
        each value has one of its own. `.npy` and `.safetensors`: arrays as in `.npz`. Other files are known by their
        first bytes. Pickles, which run code, are never opened.

        In tables and logs a single column of probabilities beside one of predicted classes (`predicted`, `y_pred`, ...)
        is the confidence in these if there are more than two classes. Of two a threshold tells: the probability of a
        class is larger where that is predicted; a confidence c is, with 1 - c in its place where the other class is
        predicted. Where both or neither is so, the name decides, or it is asked. Of confidences the classes are "wrong"
        and "right", and the predicted class is a field; `positive` makes it the probability of one class, or the
        confidence. These predictions, and those of a log of `confidence` and `correct`, are `of_confidence`, as
        `Predictions` says.

        What columns hold outranks their names, in 20 rows or more: a column that is the likeliest class in every row is
        a prediction; columns of probabilities are of the classes in their names, such as `.pred_no` and `p0` of "no",
        wherever they stand. Where two readings are consistent, or numbers speak against the only one, the source is
        refused, with the options of each reading that open it.
    label, weight : str, optional
        The column, or the array, of the labels and of the weights of the samples. A column `weight` that holds
        something else, such as the weight of a body, is a field with `weight=""`.
    prob, logits : str or list of str, optional
        The column of the second of two classes, or the columns of all classes, in their order where the names do not
        tell the classes; of `.npz`, `.nc` and `.zarr` the array, of `.jsonl` the key.
    positive : name or number of a class, optional
        The class whose probabilities a single column holds. All other labels are the other class. Or, in tables, the
        column that names it in each row: that of the predicted classes, in which the single one is the confidence.
    classes : list of names, optional
        The classes in their order, which choose the columns named after them, or name columns that are numbered.
    sep, decimal : str, optional
        What separates the values of a text, and what stands before a fraction: "." or ",".
    missing : "raise" or "drop"
        "drop" leaves out rows without a label (a soft one: of every class), or without a probability of every class;
        how many is said.
    normalize : bool
        Rescale rows of probabilities to sum to 1, and a single column of per cents to [0, 1].
    ignore : value or list of values, optional
        Labels that are no classes, such as -100 or "VOID". Their rows are left out; how many is said.
    fields : list of names, optional
        The only columns that are fields, [] for none. By default all are that have no other role, without ids, the
        complement, the logit and the limits of the probability, and other outcomes; which were left out is noted. Ids
        and texts that differ in every row are in `notes`.
    cluster : str or False, optional
        The column, or the array, that names what a row belongs to, such as a patient of several rows, whose outcomes
        may depend on each other: see `Predictions`. It is a field then, also where it is an id. False says that rows
        are independent; "" is the same, as in a command.
    time, event : str, optional
        In place of `label`, for risks of an event by a horizon where some rows were not followed so long: the column of
        the times, and that of what ended them, as in `Predictions.at_horizon`.
    horizon : float, above 0, optional
        By when the event counts, in the unit of `time`; beside these columns it is required, and never guessed.
    by : str, optional
        The column within each value of which the chance to be censored is estimated.
    event_of, censored : value, optional
        Those of `event` that stand for the event and for rows that were censored, by default 1 and 0, or two answers
        such as "dead" and "alive"; all others are competing events. `censored=""` says that no row was censored.
    truth : path, DataFrame or Arrow table, optional
        Where the labels stand, if not beside the probabilities. Rows are joined by the column that both have and whose
        values are all different, such as an id, never by their places, unless both are arrays of as many rows.
    model : str or list of str, optional
        What tells the models apart where the source holds several of the same samples: `read_models` reads each.
    sheet : str, optional
        The sheet of a workbook that holds the table.
    limit : str or int, optional
        How much memory the content of a file may take, such as "8 GB". By default it is 32 times the size of the file,
        at least 0.25 GB and at most 4.3 GB, so that a small file that unpacks to gigabytes is refused.

    Returns
    -------
    Predictions
        With the file's name as `title` and the call that reads it as `source`. What was taken for what, with the means
        by which a wrong reading is seen, and what else was assumed is in `about["assumed"]`, one line.

    Raises
    ------
    FileNotFoundError, ImportError, TypeError, ValueError
        The message names the file and the place in it, and the option that settles what is not clear. Lines of a text
        count from 1, rows of other files from 0. A file whose content takes more memory than
        `limit` is refused while it is unpacked.

    See Also
    --------
    open_predictions : Opens files that do not fit into memory.
    read_models : Several models in one long table.
    Predictions : Takes arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     np.savez(f"{folder}/mine.npz", prob=[0.9, 0.2, 0.6], label=[1, 0, 0])
    ...     cv.read_predictions(f"{folder}/mine.npz")
    <Predictions mine.npz: 3 samples, 2 classes, float64>
    >>> import pandas as pd
    >>> cv.read_predictions(pd.DataFrame({"y_true": ["yes", "no"], "y_prob": [0.9, 0.2]})).class_names
    ('no', 'yes')
    """
    choices = ReadingOptions.checked(
        label=label, prob=prob, positive=positive, logits=logits, weight=weight, classes=classes, sep=sep,
        decimal=decimal, missing=missing, normalize=normalize, ignore=ignore, fields=fields, cluster=cluster,
        time=time, event=event, horizon=horizon, by=by, event_of=event_of, censored=censored,
        truth=truth, model=model, sheet=sheet, limit=limit,
    )  # fmt: skip  # the options stand together
    return _read(source, choices)


def read_models(source: Any, *, model: str | Sequence[str], **options: Any) -> dict[str, Predictions]:
    """Read the predictions of several models, or several sources of confidence in one answer, in one table.

    Parameters
    ----------
    source : path, DataFrame, Arrow table or open file
        As of `read_predictions`.
    model : str or list of str
        The column that names the model of each row, such as `.config` of tidymodels or `source`. Or two or more columns
        of one row, each of which holds the probabilities of a model, such as `verbalised_confidence` and
        `self_consistency`: then `missing="drop"` leaves out the rows that lack one of them, so that all models have the
        same.
    **options
        Those of `read_predictions`; `prob` and `logits` not beside a list of columns.

    Returns
    -------
    dict of Predictions by model, in the order of the table, or by column, in that of `model`

    Raises
    ------
    FileNotFoundError, ImportError, TypeError, ValueError
        As of `read_predictions`.

    See Also
    --------
    read_predictions : Files of one model.
    evaluate : Takes the dict.
    Explorer : Shows the models over each other.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"model": ["a", "a", "b", "b"], "prob": [0.9, 0.2, 0.7, 0.4], "label": [1, 0, 1, 0]})
    >>> list(cv.read_models(table, model="model"))
    ['a', 'b']
    >>> log = pd.DataFrame({"stated_confidence": [0.9, 0.8], "self_consistency": [0.7, 0.4], "correct": [True, False]})
    >>> list(cv.read_models(log, model=["stated_confidence", "self_consistency"]))
    ['stated_confidence', 'self_consistency']
    """
    for name in options.keys() - {entry.name for entry in dataclass_fields(ReadingOptions)}:
        raise TypeError(f"{name} is no option of cv.read_predictions: leave it out")
    choices = ReadingOptions.checked(**options, model=model)
    if not isinstance(source, str | PathLike) and hasattr(source, "read"):
        raise TypeError("source must be the path of a file or a table, not an open file: several models are read anew")
    read = models_in(lambda choices: _read_named(source, choices), choices)
    for name, predictions in read.items():
        if predictions.made_by is not None:
            predictions._made_by(Source("cv.read_models")(str(source), **choices.given)[name])
    return read


def models_in(read: Callable[[ReadingOptions], Predictions], choices: ReadingOptions) -> dict[str, Predictions]:
    """The predictions of each of the models that a source holds, which `read` reads as some options ask."""
    found = {}
    for name in choices.model if isinstance(choices.model, tuple) else _names_in(read, choices):
        try:
            found[name] = read(choices.of_model(name))
        except Question as question:
            raise question.of(f"model {name!r}") from question.__cause__
    return found


def _names_in(read: Callable[[ReadingOptions], Predictions], choices: ReadingOptions) -> Sequence[str]:
    """The models that the column of models names."""
    try:
        predictions = read(choices)
    except SeveralModels as several:
        return several.models
    raise _no_table(choices, predictions)


def _no_table(choices: ReadingOptions, predictions: Predictions) -> ValueError:
    """The error of a source that was read although a column of models was named: it has no columns."""
    return ValueError(f"model={choices.model!r}: {predictions.about.get('title', 'source')} is no table of columns")


def _read_named(source: Any, choices: ReadingOptions) -> Predictions:
    """As `_read`; the message of an error names the source, as it does where that is a path."""
    try:
        return _read(source, choices)
    except (SeveralModels, Question):
        raise
    except ValueError as error:
        if isinstance(source, str | PathLike):
            raise
        raise ValueError(f"source: {error}") from error


def _read(source: Any, choices: ReadingOptions) -> Predictions:
    if isinstance(choices.model, tuple):
        raise SeveralModels(choices.model, choices.model)
    if isinstance(source, str | PathLike):
        file = validation.path(source, "source")
        predictions = read_file(file, choices, file.name)
        if not isinstance(choices.truth, InMemory):  # which no code could write
            predictions._made_by(Source("cv.read_predictions")(str(source), **choices.given))
    elif hasattr(source, "read"):
        predictions = _read_open_file(source, choices)
    else:
        predictions = Predictions._read(_with_truth(frame_arguments), source, choices)
    if isinstance(choices.model, str):
        raise _no_table(choices, predictions)
    return predictions


def read_file(
    file: Path, choices: ReadingOptions, title: str, shown: str | None = None, account: Account | None = None
) -> Predictions:
    """The predictions in a file; messages call it `shown`, by default its path."""
    shown = str(file) if shown is None else shown
    if not file.exists():
        raise FileNotFoundError(f"{shown}: there is no such file")
    try:
        refuse_irregular(file)
    except ValueError as error:
        raise ValueError(f"{shown}: {error}") from None
    read = format_of(file, shown).read
    try:
        with budgeted(Budget(file, choices.limit)), nullcontext() if file.is_dir() else one_state(file):
            return Predictions._read(_with_truth(read), file, choices, title, account)
    except MemoryError as error:
        raise ValueError(f"{shown}: its content does not fit into memory") from error
    except Question as question:
        raise question.of(shown) from question.__cause__
    except SeveralModels:
        raise
    except (ImportError, TypeError, ValueError) as error:
        said = None if isinstance(error, TooLargeError) else disguise(file)
        raise plain_error(error, shown, said) from error


def _with_truth(read: Reader) -> Reader:
    """The reader of a source, which can open another one that holds the truth."""

    def reader(source: Any, choices: ReadingOptions, account: Account) -> Arguments:
        account.table_of = _table_of
        return read(source, choices, account)

    return reader


def _table_of(source: Any) -> ColumnTable:
    """Another source as a table, which may hold the truth."""
    if isinstance(source, InMemory):
        return as_table(source.table, "truth")
    file = validation.path(source, "truth")
    if not file.exists():
        raise FileNotFoundError(f"truth: there is no file {str(file)!r}")
    refuse_irregular(file)
    try:
        table = format_of(file, str(file)).read(file, OfTruth(), Account()).get("table")
    except (ImportError, TypeError, ValueError) as error:
        raise plain_error(error, f"truth: {str(file)!r}") from error
    if not isinstance(table, ColumnTable):
        raise ValueError(f"truth: {str(file)!r} holds no table whose rows could be joined by an id")
    return table


def preview(file: Path, choices: ReadingOptions) -> Preview:
    """Return the first rows of a file, also of one that is no predictions yet; for what it raises see `read_file`."""
    with budgeted(Budget(file, choices.limit)):
        return format_of(file, str(file)).preview(file, choices)


def _read_open_file(stream: Any, choices: ReadingOptions) -> Predictions:
    """The predictions in an open file, whose name or first bytes tell its format."""
    content = stream.read()
    content = content.encode() if isinstance(content, str) else bytes(content)
    name = getattr(stream, "name", None)
    title = Path(name).name if isinstance(name, str) else "the open file"
    with TemporaryDirectory() as folder:
        path = Path(folder, f"content{ending_of(title, content)}")
        path.write_bytes(content)
        return read_file(path, choices, title, shown=title)


def plain_error(error: Exception, place: str, said: str | None = None) -> Exception:
    """The error of a named source, of a plain kind, as UnicodeDecodeError takes no message; `said` replaces its own."""
    if isinstance(error, BudgetError) and said is None:
        return error.of(place)
    kinds = (ImportError, TypeError, ValueError)
    return next(kind for kind in kinds if isinstance(error, kind))(f"{place}: {error if said is None else said}")
