"""Several models of the same samples side by side: their numbers, how these differ, and which model is the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from .. import figures
from ..cube.contests import within_in
from ..cube.evaluate import evaluate
from ..cube.metrics import reasons_in
from ..cube.ranks import rank_calibrators
from ..data.nouns import Nouns
from ..decisions.acting_draws import DecisionDraws, decision_steps, too_few
from ..decisions.thresholds import ALL, NONE
from ..engine.clustered import Clusters
from ..figures.tables import Cell, Column, Table
from ..foundation.fit_warnings import notices
from ..foundation.written import UNKNOWN, chosen_percent, difference, in_unit, interval, number
from ..metrics.records.record import MetricRecord
from ..metrics.records.registry import METRICS
from ..recalibration.registry import AS_IT_IS
from ..recalibration.solvers.cross_validation import FOLDS
from .asked.spec import OF_BINS, OF_ERROR, OF_SAMPLES, OF_SCORES
from .situation.content import Content
from .situation.job import Steps
from .situation.noise import beside_error, missing
from .situation.paired_change import losses_of, paired_brier_change, told_apart
from .situation.reading import reads, slow
from .situation.situation import Situation
from .views import numbers

RANKED = ("ece", "sweep", "debiased", "ks", "brier", "log_loss")
OF_FITS = ("bins", "metrics", "knots", "spline", "temperature")
AFTER = ("temperature", "spline")  # the calibrators of each model
MOST_FLOORED = 200_000  # samples; of more, errors after recalibration have no noise floor: it would take too long
SIDE_BY_SIDE = (
    "Below a mean is its 95 % interval. Below an error is what calibrated predictions reach by noise in 95 of 100 "
    "cases; grey is what is no more."
)
DIFFERENCES = (
    "Below a difference of means is its 95 % interval; the same bootstrap samples are drawn of every model. "
    "Differences of percentages are in percentage points. In bold: told apart at 5 % for all differences on this page "
    "together; a grey mean is not. The mean target, what is observed, is not tested. Differences of ECE, sweep and KS "
    "have no test, since noise makes these errors larger, and more so those of one model than of another; the debiased "
    "error has one by itself, at 5 %, and is grey where that shows no difference."
)
RANKS = (
    "Ranked is what a test on the same samples tells apart, at level 5 %: by the Brier score, the log loss and the "
    "debiased error. Those that it cannot tell from the best are marked “≈ best”. The other errors have no such test."
)
BENEFIT = (
    "Net benefit: the share of samples acted on rightly, minus those acted on needlessly, at the price that the "
    "threshold sets (Vickers and Elkin 2006). The intervals are the 2.5 % and 97.5 % quantiles over {} bootstrap "
    "samples, the same in all rows: they may overlap though one row is better in nearly all of them."
)
PAIRED = (
    "A difference is that on the same samples. In bold: told apart at 5 % for all differences on this page together; a "
    "grey one between models is not. What is more than on all is grey where its 95 % interval holds 0."
)
TOGETHER = ("accuracy", "mean_score", "brier", "log_loss", "net_benefit")  # which are told apart together


def of_models(situation: Situation) -> dict[str, Situation]:
    """The situation of each model."""
    return {model: situation.but(model=model) for model in situation.engine.models}


@reads(*OF_SAMPLES, *OF_BINS, *OF_ERROR, "threshold")
def models(situation: Situation) -> Content:
    """Every number of every model, and how it differs from that of the first."""
    situations = of_models(situation)
    first, *others = situations
    values, draws = _values(situations), _draws(situations)
    apart_from_first = changes_of_models(situation)
    besides: list[tuple[str, Any]] = []
    rows, differences = [], []
    for name in (*numbers.MEANS, *numbers.ERRORS):
        if not all(name in of_model for of_model, _ in values.values()):
            continue
        cells, apart = [], []
        for model, each in situations.items():
            value = values[model][0][name]
            beside = beside_error(each, each.before, name, has_interval=False) if name in numbers.ERRORS else None
            besides += [] if beside is None else [(f"{METRICS[name].term} of {model}", beside)]
            cells.append(numbers.number_above_floor(each, name, value, beside, draws[model]))
            if model != first:
                apart.append(apart_from_first[model][name].cell(name))
        rows.append((numbers.number_name(situation, name), *cells))
        differences.append((numbers.number_name(situation, name), *apart))
    said = [
        f"{model}: {METRICS[name].term}: {why}."
        for model, (_, why_not) in values.items()
        for name, why in why_not.items()
    ]
    return Content(
        (
            Table(
                "numbers",
                "",
                (Column(""), *map(Column, situations)),
                tuple(rows),
                "Numbers of each model.",
                SIDE_BY_SIDE,
            ),
            Table(
                "differences",
                f"Differences to {first}",
                (Column(""), *map(Column, others)),
                tuple(differences),
                f"How the numbers of each model differ from those of {first}.",
                DIFFERENCES,
            ),
        ),
        " ".join(filter(None, [*said, missing(besides)])),
    )


@reads(*OF_SAMPLES, *OF_BINS, *OF_ERROR, "threshold")
def changes_of_models(situation: Situation) -> dict[str, dict[str, numbers.Change]]:
    """How each number of a model differs from that of the first, by the names of the model and of the number."""
    situations = of_models(situation)
    (first, one), *others = situations.items()
    values, draws, together = _values(situations), _draws(situations), apart_together(situation)
    changes: dict[str, dict[str, numbers.Change]] = {}
    for model, two in others:
        apart = numbers.is_told_apart(situation, one.before, two.before, label="test of the debiased error").value
        mine, theirs = values[first][0], values[model][0]
        changes[model] = {}
        brier = paired_brier_change(one.before.problems[0], two.before.problems[0])  # what stands beside their curves
        for name in mine.keys() & theirs.keys():
            known = (brier.low, brier.high) if name == "brier" and brier is not None else None
            change = numbers.Change.of(
                one, name, (mine[name], theirs[name]), (draws[first], draws[model]), apart, known
            )
            in_family = None if name in numbers.ERRORS else together.get((first, model, name))
            if in_family is not None:
                change = replace(change, is_shown=in_family, is_of_family=True)
            changes[model][name] = change
    return changes


@reads(*OF_SAMPLES, "threshold")
def apart_together(situation: Situation) -> dict[tuple[str, str, str], bool]:
    """Whether two models are told apart by a mean, by the names of the three, at 5 % for all on the page together.

    It is empty where the models have several scores of a sample, or not the same samples.
    """
    situations = of_models(situation)
    problems = [each.before.problems[0] for each in situations.values()]
    samples = np.sort(problems[0].order)
    if situation.scores_per_sample > 1 or any(not np.array_equal(np.sort(other.order), samples) for other in problems):
        return {}
    values = [
        losses_of(
            problem,
            each.before.predictions[0].target_within(1) if each.knows_accuracy else None,
            situation.spec.threshold,
        )
        for each, problem in zip(situations.values(), problems, strict=True)
    ]
    by_sample = np.argsort(problems[0].order)
    weight, codes = problems[0].weight[by_sample], problems[0].cluster_codes
    clusters = None if codes is None else Clusters.of_rows(codes[by_sample], weight)
    are_apart = told_apart(values, weight, problems[0].effective_size, numbers.SEED, clusters)
    places = dict(enumerate(situations))
    return {
        (places[i], places[j], name): bool(are_apart[i, j, k])
        for i in places
        for j in places
        for k, name in enumerate(TOGETHER)
    }


def _values(situations: Mapping[str, Situation]) -> dict[str, tuple[dict[str, float], dict[str, str]]]:
    return {model: numbers.values_of(situation, situation.before) for model, situation in situations.items()}


def _draws(situations: Mapping[str, Situation]) -> dict[str, Any]:
    first = next(iter(situations.values()))
    return {
        model: numbers.draws_of_means(situation, situation.before, first.bootstraps, label=numbers.OF_DRAWS).value
        for model, situation in situations.items()
    }


@reads(*OF_SAMPLES)
def cumulative_of_models(situation: Situation) -> Content:
    """The cumulative difference of each model, all to one scale."""
    drawn = [figures.cumulative_figures(each.before.problems, model)[2] for model, each in of_models(situation).items()]
    half = max(figure.y_range[1] for figure in drawn)
    return Content(tuple(replace(figure, y_range=(-half, half)) for figure in drawn))


@reads(*OF_SAMPLES, *OF_FITS)
def best_model(situation: Situation) -> Content:
    """The errors of each model as it is, with the ranks that a test can tell."""
    job = _ranked(situation, (), label="ranks of the models")
    if job.value is None:
        return Content((), job.ended_early or "Judging the models …")
    cube, heard = job.value
    names = (*RANKED, *(name for name in situation.spec.metrics if name not in METRICS))
    said = "Models within noise of the best are not told apart from it by these samples."
    table = _ranks(situation, cube, names, AS_IT_IS, "ranks", "", said)
    return Content((replace(table, note=RANKS),), _notes(cube, names, heard), marked=said)


@reads(*OF_SAMPLES, *OF_FITS)
def best_after(situation: Situation) -> Content:
    """The errors of each model after it was recalibrated, of samples that the calibrators were not fitted to."""
    job = _ranked(situation, AFTER, label="ranks of the recalibrated models")
    if job.value is None:
        return Content((), job.ended_early or "Recalibrating the models …")
    cube, heard = job.value
    tables = tuple(
        _ranks(
            situation,
            cube,
            ("ks", "brier"),
            name,
            f"ranks-{name}",
            "as it is" if name == AS_IT_IS else f"After {name}",
            "",
        )
        for name in (AS_IT_IS, *AFTER)
    )
    last = replace(tables[-1], note="≈ best: within noise of the best, at level 5 %. Grey: no more than noise.")
    return Content((*tables[:-1], last), _notes(cube, ("ks", "brier"), heard))


@slow(*OF_SCORES, *OF_FITS)
def _ranked(situation: Situation, calibrators: tuple[str, ...]) -> Steps:
    """A cube of the errors of all models, which knows who is within noise of the best, and what the fits had to say."""
    spec, engine = situation.spec, situation.engine
    judged = {model: trials[0] for model, trials in engine.models.items()}
    own = [record.own for record in map(spec.metric, spec.metrics) if record.own is not None]
    more: dict[str, Any] = {"metrics": [*RANKED, *own]}
    if calibrators:
        fitted: dict[str, Any] = {"folds": FOLDS}
        if engine.calibration is not None:
            fitted = {"calibration": {model: trials[0] for model, trials in engine.calibration.items()}}
        floored = max(map(len, judged.values())) <= MOST_FLOORED
        methods = [AS_IT_IS, *(spec.make_calibrator(name) for name in calibrators)]
        more = {"metrics": ["ks", "brier"], "calibrators": methods, "noise": floored, **fitted}
    with notices() as heard:
        cube = evaluate(
            judged,
            [situation.lens],
            bins=spec.bins,
            selections={"shown": spec.chosen_selection},
            rng=numbers.SEED,
            ranking="model",
            progress=False,
            **more,
        )
    yield 1.0, (cube, tuple(heard))


def _ranks(
    situation: Situation, cube: xr.Dataset, names: Sequence[str], calibrator: str, table: str, title: str, alt: str
) -> Table:
    """A table of errors, a column a model, with their ranks where a test can tell them apart."""
    part = cube.sel(calibrator=calibrator) if "calibrator" in cube.dims else cube
    models = tuple(map(str, cube.model.values))
    ranks = rank_calibrators(part, "model")
    rows = []
    for name in names:
        values: NDArray[np.float64] = part[name].values.reshape(len(models))
        floors = part[f"{name}_noise"].values.reshape(len(models)) if f"{name}_noise" in part else values * np.nan
        within = np.zeros(len(models), dtype=bool)
        if name in ranks:
            within = cast(xr.DataArray, within_in(part, name, "model")).values.reshape(len(models))
        record = situation.spec.metric(name) if name not in METRICS else METRICS[name]
        cells = []
        for i, value in enumerate(values.tolist()):
            rank = float(ranks[name].values.reshape(len(models))[i]) if name in ranks else np.nan
            place = "" if np.isnan(rank) else "≈ best" if within[i] and within.sum() > 1 else f"rank {rank:g}"
            cells.append(_ranked_cell(name, record, value, float(floors[i]), place, rank))
        rows.append((Cell(record.term or record.title), *cells))
    heads = (Column(""), *map(Column, models))
    return Table(table, title, heads, tuple(rows), alt or f"Errors of the models, {title}.")


def _ranked_cell(name: str, record: MetricRecord, value: float, floor: float, place: str, rank: float) -> Cell:
    if np.isnan(value):
        return Cell(UNKNOWN)
    is_noise = value <= floor
    noise = "" if np.isnan(floor) else f"{'within noise' if is_noise else 'noise'}: {in_unit(floor, record.unit)}"
    numbers = [(name, value), ("rank", rank), ("noise", floor)]
    return Cell(
        in_unit(value, record.unit),
        below="\n".join(filter(None, [place, noise])),
        faint=is_noise,
        numbers=tuple((what, known) for what, known in numbers if not np.isnan(known)),
    )


def _notes(cube: xr.Dataset, names: Sequence[str], heard: Sequence[str]) -> str:
    """Why errors are missing, a sentence for each reason, and the warnings of the fits."""
    said = [
        f"No {METRICS[name].term if name in METRICS else name}: {why}."
        for name in names
        for why in reasons_in(cube[name])
    ]
    return " ".join(dict.fromkeys([*(f"{notice}." for notice in heard), *said]))


@reads(*OF_SAMPLES, "threshold")
def acting(situation: Situation) -> Content:
    """The net benefit of each model at the threshold, and how much more it is than that of others."""
    at, situations = situation.spec.threshold, of_models(situation)
    first, *_ = situations
    draws: DecisionDraws | None = _benefits(situation, at, label="net benefit").value
    if draws is None or not draws.replicates:
        return Content((), "Computing the net benefit …")
    together = apart_together(situation)
    nouns, table = situations[first].nouns, draws.table(None).isel(threshold=0)
    few = too_few(situations[first].before.problems[0], nouns, situations[first].cluster_nouns)
    rows = []
    names: Mapping[str, str] = {**{model: model for model in situations}, ALL: "on all", NONE: "on nobody"}
    for name, shown in names.items():
        row = table.sel(strategy=name)
        value, low, high = (float(row[key]) for key in ("net_benefit", "lower", "upper"))
        apart = [
            _more(
                draws,
                name,
                other,
                at,
                few,
                together.get((first, name, "net_benefit")) if other == first else None,
                nouns,
            )
            if name != other
            else Cell(UNKNOWN)
            for other in (first, ALL)
        ]
        ends = Cell(interval(low, high, ""), numbers=(("lower", low), ("upper", high)))
        rows.append((Cell(shown), Cell(number(value), numbers=(("net_benefit", value),)), ends, *apart))
    heads = ("act", "net benefit", "95 % interval", f"more than {first}", "more than on all")
    alt = f"Acting from {chosen_percent(at)} on."
    note = f"{BENEFIT.format(draws.replicates)} {few or PAIRED}"
    return Content((Table("net-benefit", "", tuple(map(Column, heads)), tuple(rows), alt, note),))


@slow(*OF_SCORES)
def _benefits(situation: Situation, threshold: float) -> Steps:
    problems = {model: each.before.problems[0] for model, each in of_models(situation).items()}
    if taken := {ALL, NONE} & problems.keys():
        raise ValueError(f"a model cannot be called {taken.pop()!r} where a threshold is named: call it otherwise")
    n = situation.spec.effort.means_for(len(next(iter(problems.values()))))
    yield from decision_steps(problems, np.array([threshold]), n, numbers.SEED)


def _more(
    draws: DecisionDraws, name: str, other: str, at: float, few: str, in_family: bool | None, nouns: Nouns
) -> Cell:
    """How much more net benefit one way to act has than another, with its interval below.

    Of two models, `in_family` says whether they are told apart for all differences on the page together.
    """
    apart = draws.difference(name, other, at, None)
    assert apart is not None
    is_shown = not few and not apart.is_of_few and (apart.is_more or apart.is_less if in_family is None else in_family)
    below = interval(apart.lower, apart.upper, "", signed=True)
    if apart.is_of_few:
        below = f"{apart.counted(nouns)} acted on otherwise: too few to say"
    numbers = (("value", apart.value), ("lower", apart.lower), ("upper", apart.upper))
    is_bold = is_shown and in_family is not None
    return Cell(difference(apart.value), below=below, faint=not is_shown, bold=is_bold, numbers=numbers)
