"""The names by which columns and arrays are known without being named by an option, and those that bear them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from ...foundation.validation import did_you_mean, listed
from .choices import NO_WEIGHT, Account, ReadingOptions, Unclear
from .tools import TOOLS

MOST_KEPT = 20_000  # names whose words are kept, since each column is compared with others

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
LOGIT = ("logit", "logits", "log_odds")
LOG_PROBABILITIES = frozenset(("logprob", "logprobs", "logp", "logproba"))
WEIGHTS = (*NAMES["weights"], "ipw", "iptw", "ipcw", "pweight", "fweight", "aweight", "iweight")
#: Words of weights, what they stand beside in names of those of samples, and in names that may be of others.
WEIGHT_WORDS = frozenset(("weight", "weights", "wt", "wts", "wgt", "wgts", "weighting"))
OF_SAMPLES = frozenset((
    "sample", "samples", "sampling", "survey", "svy", "design", "case", "cases", "obs", "observation", "observations",
    "row", "instance", "inverse", "ip", "ipw", "iptw", "ipcw", "frequency", "freq", "analysis", "analytic",
    "importance", "nonresponse", "expansion", "poststratification", "poststrat", "raking",
))  # fmt: skip  # short entries stand in rows
OF_MANY = frozenset(("person", "population", "pop", "household", "final", "class", "probability", "selection"))
MAY_WEIGH = ("w", "wt", "wts", "wgt", "sw", "fnlwgt", "perwt", "count", "counts", "freq", "frequency")
#: Columns that hold numbers although their first rows may be whole ones.
NUMERIC_NAMES = frozenset(name for names in (*LABELS, *SCORES, LOGIT, WEIGHTS) for name in names)


@lru_cache(MOST_KEPT)
def plain(name: str) -> str:
    """A name in small letters, with "_" for blanks, signs, and the beginnings of capitals within a word."""
    apart = re.sub(r"(?<=[a-zß-öø-ÿ0-9])(?=[A-ZÀ-ÖØ-Þ])", "_", name)
    return re.sub(r"[\W_]+", "_", apart.casefold()).strip("_")


def _of_tools(role: str) -> tuple[str, ...]:
    """The names that tools give to columns of a role, in the order of the table."""
    return tuple(dict.fromkeys(plain(name) for tool in TOOLS for name in getattr(tool, role)))


#: Columns of the truth, the usual names first; `plain` names.
TRUTHS = tuple(name for name in _of_tools("truth") if name not in ("default", "bad", "x_outcome"))
#: What a model says beside the truth, and what a pipeline of transformers calls its prediction beside its `score`.
MAY_BE_SAID = ("answer", "label", "class")
#: Columns of the classes that a model predicts.
PREDICTED = tuple(name for name in _of_tools("predicted") if name != "label")
#: Names of predictions that statisticians give to the truth, too.
MAY_BE_TRUTH = ("response", "decision", "output", "choice", "completion")
#: Single columns of probabilities, beside those of `SCORES`, and words in such names.
SINGLES = _of_tools("single")
SCORE_WORDS = frozenset((
    "prob", "proba", "probability", "probs", "probas", "probabilities", "risk", "likelihood", "wahrscheinlichkeit",
    "risiko", "probabilité", "risque",
    "probabilidad", "riesgo",
))  # fmt: skip  # short entries stand in rows
#: Words of confidences, of which a log may hold several: none of their names is better than another.
CONFIDENCE_WORDS = frozenset(("confidence", "confidences", "conf"))
CONFIDENCES = frozenset(("self_consistency", "p_true"))
#: Words of names that hold other things, which lie in [0, 1], too.
NO_SCORES = frozenset((
    "hat", "cooksd", "resid", "sigma", "se", "lower", "upper", "lcl", "ucl", "iou", "threshold", "weight", "weights",
    "odds", "value", "interval", "sampling", "selection", "inclusion", "sensitivity", "specificity", "std", "stdev",
    "stddev", "sd",
))  # fmt: skip  # short entries stand in rows
#: Words of what lies in [0, 1] and is hardly ever a probability.
HARDLY_SCORES = frozenset((
    "similarity", "cosine", "distance", "overlap", "dice", "jaccard", "bleu", "rouge", "auc", "brier", "pvalue",
    "percentile", "quantile", "variance", "discount",
))  # fmt: skip  # short entries stand in rows
#: Words of the ends of intervals.
LIMIT_WORDS = frozenset(("lower", "upper", "low", "high", "lo", "hi", "lcl", "ucl", "lwr", "upr", "ci", "min", "max"))
#: Names that say of numbers from 0 to 100 that they are per cents of probability.
OF_PERCENTS = frozenset(("prob", "proba", "probability", "risk", "forecast", "confidence", "conf"))
#: Numbers that may be log-odds, or not.
MARGINS = (
    "decision_function", "xbeta", "xb", "lp", "linear_predictor", "margin", "fitted", "raw_formula_val", "raw_score",
)  # fmt: skip  # short entries stand in rows
#: Words of a truth, beside `TRUTHS`.
TRUTH_WORDS = frozenset((
    "died", "death", "dead", "mortality", "survived", "default", "defaulted", "bad", "converted", "click", "clicked",
    "churn", "churned", "fraud", "readmitted", "relapse", "recurrence", "event", "outcome", "won", "win", "label",
    "labels", "target", "targets", "truth", "true", "actual", "observed",
))  # fmt: skip  # short entries stand in rows
#: Words of the outcome in a name that begins or ends with what it is the outcome of.
OUTCOME_WORDS = frozenset((
    "outcome", "outcomes", "result", "observed", "obs", "y", "label", "labels", "true", "truth", "actual", "target",
    "targets", "gt", "resolved",
))  # fmt: skip  # short entries stand in rows
#: Whether an answer is right.
RIGHT = (
    "correct", "is_correct", "was_correct", "model_correct", "answer_correct", "response_correct", "prediction_correct",
    "pred_correct", "judged_correct", "correctness", "right", "is_right", "tp", "hit", "acc", "exact_match",
    "is_exact_match",
)  # fmt: skip  # short entries stand in rows
PREDICTED_WORDS = ("pred", "preds", "predicted", "prediction", "predictions")
#: Lists of the options of each record, beside lists of their probabilities.
OPTION_LISTS = (
    "options", "choices", "option_ids", "classes", "class_names", "labels", "candidates", "candidate_labels", "names",
)  # fmt: skip  # short entries stand in rows
#: Times to an event, or to the end of the time for which somebody was watched.
TIMES = (
    "time", "t", "tt", "ttd", "tte", "ttr", "ttp", "futime", "fu_time", "followup", "follow_up", "survivaltime",
    "survival_time", "survtime", "surv_time", "days", "months", "years", "weeks", "os", "pfs", "dfs", "duration",
    "time_to_event", "event_time", "stop", "exit", "exposure_time", "persontime", "person_time", "person_years",
)  # fmt: skip  # short entries stand in rows
TIME_WORDS = ("time", "futime", "followup", "days", "months", "survival", "duration")
#: Columns of the models in a table of several, and of the sources of confidence.
MODELS = ("model", "model_id", "model_name", "config", "wflow_id", "method", "learner", "algorithm", "system", "run",
    "engine", "classifier", "clf", "algo", "estimator", "variant", "checkpoint", "modell", "learner_id", "source",
    "confidence_source", "confidence_method", "elicitation",
)  # fmt: skip  # short entries stand in rows
IDS = frozenset((
    "id", "ids", "key", "row", "rows", "rownum", "index", "idx", "nr", "number", "mrn", "subject", "uuid",
    "guid", "uid",
))  # fmt: skip  # short entries stand in rows
#: Words of names that number or name rows wherever they stand, and what the others of `IDS` stand with in such names.
OWN_IDS = frozenset(("id", "ids", "mrn", "uuid", "guid", "uid", "idx"))
OF_ROWS = frozenset((
    "patient", "subject", "person", "user", "client", "customer", "member", "participant", "student", "case", "record",
    "question", "document", "doc", "market", "sample", "study", "visit", "stay", "admission", "encounter", "episode",
    "row", "account",
))  # fmt: skip  # short entries stand in rows
#: Words that end the name of a key of something, and what is joined to one.
KEY_WORDS = OWN_IDS | {"key", "index", "nr", "no", "number", "code", "name"}
KEY_ENDS = ("id", "nr", "no")
MOMENTS = frozenset((
    "date", "time", "datetime", "timestamp", "ts", "unix", "epoch", "year", "month", "week", "day", "hour", "minute",
    "second",
))  # fmt: skip  # short entries stand in rows
#: Words of an outcome, those beside which "status" is one, and those beside which none is: it was known beforehand.
OUTCOMES = frozenset(("outcome", "label", "target", "truth", "actual", "event", "died", "death", "relapse"))
STATUS, OF_STATUS = "status", frozenset(("vital", "survival", "final", "discharge", "patient", "os", "pfs", "dfs"))
BEFOREHAND = frozenset((
    "prior", "previous", "prev", "past", "history", "hx", "baseline", "last", "family", "familial", "parent",
    "parental", "mother", "father", "sibling", "ever", "before", "pre",
))  # fmt: skip  # short entries stand in rows

#: Words that make of an event that it does not happen, and what stands for them within a word.
NEGATIONS = frozenset((
    "no", "not", "non", "without", "never", "free", "nicht", "kein", "keine", "ohne", "sans", "senza", "minus",
    "complement",
))  # fmt: skip  # short entries stand in rows
WITHIN = ("non", "not", "no", "un", "in", "im", "dis", "ab")
NO_NEGATION = frozenset(("inpatient", "inpatients"))  # whose beginning is no negation
PERIODS = frozenset(("year", "yr", "month", "week", "wk", "day", "hour", "hr"))  # 1-year risk is no complement
#: Pairs of answers, first the one that says no, whose meaning needs no explanation.
PAIRS = (
    ("0", "1"), ("false", "true"), ("f", "t"), ("no", "yes"), ("n", "y"), ("negative", "positive"), ("neg", "pos"),
    ("-1", "1"), ("incorrect", "correct"), ("wrong", "right"), ("absent", "present"), ("lost", "won"), ("loss", "win"),
    ("survived", "died"), ("alive", "dead"), ("benign", "malignant"), ("negativ", "positiv"),
    ("nein", "ja"), ("falsch", "wahr"), ("non", "oui"), ("faux", "vrai"), ("no", "sí"), ("no", "si"), ("falso", "vero"),
    ("no", "sì"), ("nej", "ja"), ("nei", "ja"), ("falso", "verdadero"), ("não", "sim"),
    ("nee", "ja"), ("nie", "tak"), ("нет", "да"), ("✗", "✓"),
)  # fmt: skip  # short entries stand in rows
#: Words of two sides, of which one wins, is meant or happens where the other does not.
SIDES = (
    ("home", "away"), ("up", "down"), ("over", "under"), ("long", "short"), ("buy", "sell"), ("real", "fake"),
    ("human", "ai"), ("human", "machine"), ("accepted", "rejected"), ("above", "below"), ("wet", "dry"),
    ("rain", "dry"), ("human", "bot"), ("case", "control"), ("treated", "control"), ("open", "closed"),
    ("bull", "bear"), ("occupied", "vacant"), ("completed", "dropout"), ("hired", "rejected"), ("left", "right"),
    ("male", "female"),
)  # fmt: skip  # short entries stand in rows
NUMBERED = ([["1"], ["2"]], [["2"], ["1"]], [["a"], ["b"]], [["b"], ["a"]])  # sides of the same word
LEAST_SIDE = 4  # letters of that word, which no number of a question has
#: How words of good outcomes begin, and those of bad ones: a name of one is not that of the probability of the other.
GOOD = (
    "surviv", "alive", "living", "repay", "repaid", "paid", "retain", "retention", "stay", "loyal", "renew", "benign",
    "health", "normal", "absen", "ham", "legit", "genuin", "pass", "success", "cure", "remission", "recover",
    "solven", "approv", "accept", "safe", "clean", "edible", "kept", "good", "win",
    "won", "correct", "right", "überleb", "survie", "gesund",
)  # fmt: skip  # short entries stand in rows
BAD = (
    "die", "dying", "dead", "death", "mortal", "deceas", "fatal", "lethal", "default", "bad", "delinq", "charged",
    "insolv", "bankrupt", "churn", "attrit", "cancel", "malig", "diseas", "sick", "illness", "cancer", "tumo", "sepsis",
    "spam", "fraud", "phish", "fail", "relaps", "recurr", "loss", "lost", "lose", "draw", "reject", "wrong",
    "incorrect", "error", "denied", "declin", "defect", "delay", "quit", "infect", "pathogen", "poison", "toxic",
    "attack", "anomal", "event", "verstorben", "gestorben", "tod", "décès", "deces", "krank",
)  # fmt: skip  # short entries stand in rows
#: Words of the answer that says no, which tell the class of a score beside a truth that says nothing itself.
OF_NONE = frozenset(("absent", "benign", "incorrect", "wrong", "lost", "loss", "negative", "neg", "healthy"))
SURVIVAL = ("surviv", "alive", "überleb", "survie")
WHOLE_STEMS = frozenset(("ham", "win", "won", "die", "bad", "tod", "pass", "paid", "right", "good"))  # and with -ed

#: What stands before the name or the number of a class in the name of its column.
PREFIXES = ("p_", "prob_", "proba_", "probability_", "y_prob_", "y_proba_", "y_score_", "pred_proba_")
LOGIT_PREFIXES = ("logit_", "logits_")


@lru_cache(MOST_KEPT)
def words(name: str) -> tuple[str, ...]:
    """The words of a name, in small letters; a number at the end of a word is one of its own."""
    return tuple(re.findall(r"[^\W\d_]+|\d+", plain(name)))


def last_part(name: str) -> str:
    """The last name of a key within keys, such as "confidence" of "judge_response.confidence"; else nothing."""
    return plain(name.rpartition(".")[2]) if "." in name.strip(".") else ""


def says_right(name: str) -> bool:
    """Whether a name says that its column tells whether the prediction is right."""
    return plain(name) in RIGHT or last_part(name) in RIGHT


def says_confidence(name: str) -> bool:
    """Whether a name says that its column holds confidences, maybe from one of several sources."""
    own = set(words(name))  # conf.low is the end of an interval
    return bool((CONFIDENCE_WORDS & own and not own & LIMIT_WORDS) or {plain(name), last_part(name)} & CONFIDENCES)


def says_log_probability(name: str) -> bool:
    """Whether a name says that its column holds logarithms of probabilities, as `logprob` and `mean_log_prob` do."""
    own = set(words(name))
    if "value" in own or re.search(r"log_?(10|2)(\D|$)", plain(name)):  # of p-values, or to another base
        return False
    return bool(own & LOG_PROBABILITIES or ("log" in own and own & {"p", "prob", "probs", "proba", "probability"}))


def says_weights(name: str) -> bool:
    """Whether a name says that its column holds the weights of samples."""
    own = set(words(name))
    return plain(name) in WEIGHTS or last_part(name) in WEIGHTS or bool(own & WEIGHT_WORDS and own & OF_SAMPLES)


def may_say_weights(name: str) -> bool:
    """Whether a name may be that of the weights of samples, or of something else, as `w` and `final_weight` are."""
    own = set(words(name))
    return plain(name) in MAY_WEIGH or bool(own & WEIGHT_WORDS and own & OF_MANY)


def is_prediction(name: str) -> bool:
    """Whether a name says that its column holds what a model predicts."""
    said = plain(name)
    parts = said.split("_")
    if name.startswith("$"):  # of SPSS Modeler
        return True
    if name.endswith((".name", ".label")) and is_prediction(name.rpartition(".")[0]):  # {"intent_prediction": {"name":
        return True
    return said in PREDICTED or parts[0] in PREDICTED_WORDS or (parts[-1] in PREDICTED_WORDS and len(parts) > 1)


def is_time(name: str) -> bool:
    """Whether a name says that its column holds times to something."""
    said = plain(name)
    parts = said.split("_")
    return said in TIMES or parts[-1] in TIME_WORDS or parts[0] in ("futime", "followup", "tte")


def says_percent(name: str) -> bool:
    """Whether a name says that its column holds per cents."""
    return "%" in name or bool({"pct", "percent", "percents", "percentage", "prozent", "pourcent"} & set(words(name)))


def may_forbid(name: str) -> bool:
    """Whether a column of this name may speak against a reading also where it is no field: a truth, a time, ..."""
    return plain(name) in (*TRUTHS, *MODELS) or is_prediction(name) or is_time(name)


def is_key(name: str) -> bool:
    """Whether the last word of a name is `id`, maybe numbered, so that its column names its rows or groups of them."""
    said = words(name)
    return said[-1:] == ("id",) or (said[-2:-1] == ("id",) and said[-1].isdecimal())


def may_number(name: str) -> bool:
    """Whether a name is that of a number of rows, or of another key."""
    return bool(IDS & set(words(name)))


def may_name_rows(name: str) -> bool:
    """Whether a name may be that of a number or a key of rows: `may_number`, or its last word is `no`, or joined."""
    return may_number(name) or words(name)[-1:] == ("no",) or names_rows(name)


def names_rows(name: str) -> bool:
    """Whether a name is that of a key of rows or of the persons or cases that they belong to, such as `patient_no`."""
    said = set(words(name))
    joined = {word for word in said if word[:-2] in OF_ROWS and word[-2:] in KEY_ENDS}
    has_noun = bool(said & (OF_ROWS | OWN_IDS) or joined)
    return has_noun and said <= OF_ROWS | IDS | {"no"} | joined and not said <= OF_ROWS


def may_name_clusters(name: str) -> bool:
    """Whether a name is that of a key, maybe of few things: `site_id` and `key`, but not `charlson_index`."""
    said = set(words(name))
    return bool(said & OWN_IDS) or (bool(said) and said <= IDS | {"no"})


def key_of(name: str) -> str:
    """The words of a key for the thing that it names: "patient" of `patient_id` and of `PatientNo`."""
    own = [word[:-2] if word[:-2] in OF_ROWS and word[-2:] in KEY_ENDS else word for word in words(name)]
    while own and own[-1] in KEY_WORDS:
        own.pop()
    return " ".join(own)


def is_of_rows(name: str) -> bool:
    """Whether a name is that of what rows may belong to, and nothing else, such as `question`."""
    said = set(words(name))
    return bool(said) and said <= OF_ROWS


def is_moment(name: str) -> bool:
    """Whether a name says that its column holds times, of a calendar or to something."""
    return bool(MOMENTS & set(words(name))) or is_time(name)


def says_outcome(name: str) -> bool:
    """Whether a name is that of something observed, not of what was known beforehand or may be predicted."""
    said = set(words(name))
    if is_prediction(name) or plain(name) in MAY_BE_SAID:
        return False
    is_status = STATUS in said and (said == {STATUS} or bool(said & OF_STATUS))
    return (is_status or bool(said & OUTCOMES)) and not said & BEFOREHAND


def named_outcome(name: str) -> str | None:
    """The event whose outcome a column holds by its name, as `rain` and `rain_outcome` stand beside each other."""
    said = plain(name)
    return next((said.removesuffix(end) for end in ("_outcome", "_result", "_observed") if said.endswith(end)), None)


def is_of_no(name: str) -> bool:
    """Whether a column is named after the class that is none, such as p0 beside p1, `.pred_no` or `class0_prob`."""
    said = [*words(re.sub(r"(\d)\.0+$", r"\1", name))]  # of 1.0, which is 1
    while said and said[-1] in SCORE_WORDS:
        said.pop()
    return said[-1:] in (["0"], ["no"], ["false"], ["negative"], ["neg"])


def names_other(score: str, truth: str, answer: str) -> bool:
    """Whether the name of a score may say the opposite of a truth, or of its answer that says yes.

    As `p_no_relapse` does beside `relapse`, and `survival_prob` beside `died`, or beside alive and dead.
    """
    ours, theirs = set(words(score)), set(words(truth))
    is_complement = re.match(r"1\s*[-\u2212\u2013]", score) and not PERIODS & {*words(score)[1:2]}
    if bool(ours & NEGATIONS) != bool(theirs & NEGATIONS) or is_complement:
        return True
    apart = [{*pair} for pair in (*SIDES, *PAIRS) if min(map(len, pair)) > 1 and {*pair} <= ours ^ theirs]
    if any(len(pair & ours) == 1 for pair in apart):
        return True
    (side, *rest), (other, *more) = words(score) or ("",), words(truth) or ("",)
    if side == other and len(side) >= LEAST_SIDE and [rest[:1], more[:1]] in NUMBERED:
        return True  # of the other team or player
    for some, others in ((ours, theirs), (theirs, ours)):
        rests = {
            word[len(before) :][:4]
            for word in some - others - NO_NEGATION
            for before in WITHIN
            if word.startswith(before)
        }
        if rests & {word[:4] for word in others if len(word) >= 4}:
            return True
    said, of = _pole(score), _pole(answer) or _pole(truth)
    is_of_none = bool(ours - theirs & OF_NONE) or any(word.startswith(SURVIVAL) for word in ours)
    return said * of < 0 or (not of and is_of_none)


def _pole(name: str) -> int:
    """1 where words of a name say that something good happens, -1 of something bad, 0 of both or neither."""
    said = words(name)
    are_good, are_bad = (
        any(
            word in (stem, f"{stem}d", f"{stem}ed") if stem in WHOLE_STEMS else word.startswith(stem)
            for word in said
            for stem in stems
        )
        for stems in (GOOD, BAD)
    )
    return are_good - are_bad


def alike(name: str, columns: Iterable[str]) -> str:
    """A question whether another column was meant: never a prediction as a label, nor the column of no as another's."""
    fitting = [column for column in columns if not is_prediction(column) and not is_of_no(column)]
    return did_you_mean(name, fitting)


def chosen_column(name: str, columns: Collection[str], argument: str) -> str:
    """The column that an option names; a name that is not there is refused."""
    if name in columns:
        return name
    spelled_alike = [column for column in columns if column.casefold() == name.casefold()]
    if len(spelled_alike) == 1:
        return spelled_alike[0]
    there = listed(columns) or "(none)"
    raise ValueError(f"{argument}={name!r}: no column has this name among {there}{alike(name, columns)}")


def known_columns(columns: Sequence[str], names: Sequence[str]) -> list[str]:
    """The columns with one of some names; where none is spelled so, capitals and the keys around it do not matter."""
    exact = [name for name in names if name in columns]
    alike = exact or [name for name in columns if name.casefold().replace(" ", "_").replace("-", "_") in names]
    return alike or [name for name in columns if last_part(name) in names]


def only_one(names: Sequence[str], argument: str | None) -> str | None:
    """The name if there is one, None if there is none; two are refused, and an option chooses if there is one."""
    if len(names) > 1:
        choose = "" if argument is None else f", or choose by {argument}={names[0]!r}"
        ways = [] if argument is None else [{argument: name} for name in names]
        raise Unclear(f"found both {names[0]!r} and {names[1]!r}: keep one of them{choose}", *ways)
    return names[0] if names else None


def one_of(names: Collection[str], allowed: Iterable[str], argument: str) -> str | None:
    """The single allowed name among some names, or None; two of them are refused."""
    return only_one([name for name in allowed if name in names], argument)


def weight_column(names: Collection[str], choices: ReadingOptions, account: Account) -> str | None:
    """The column or array of the weights of samples: that of the option, else the only one whose name says so, or None.

    It is said which one that is, and what makes it a field where no option names it.
    """
    if choices.weight == NO_WEIGHT:
        return None
    if choices.weight is not None:
        known, more = chosen_column(choices.weight, names, "weight"), ""
    else:
        by_name = only_one([name for name in names if says_weights(name)], "weight" if choices.can_drop else None)
        if by_name is None:
            return None
        known, more = by_name, f", {choices.as_field}"
    account.say(f"weights of samples from {known!r}{more}")
    return known
