"""The likeliest tokens of a language model as options: those alone that are answers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ...foundation.validation import RowError, listed
from ...foundation.written import whole_percent
from .choices import Account, ReadingOptions
from .tables import shortened

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_ANSWERS = 30
LEAST_SAID = 0.0005  # of a share
Record = dict[str, Any]


def stripped(tokens: Any) -> Any:
    """The numbers of tokens without the blanks around them; tokens that are then the same are one, with their sum."""
    if not isinstance(tokens, Mapping):
        return tokens
    out: dict[str, float] = {}
    are_log = all(type(value) in (int, float) and value <= 0 for value in tokens.values())
    for token, value in tokens.items():
        name = str(token).strip().lstrip("▁Ġ").strip()  # as tokenizers write a blank
        if name in out and type(value) in (int, float):
            before = out[name]
            high, low = max(before, value), min(before, value)
            value = high + math.log1p(math.exp(low - high)) if are_log else before + value
        out[name] = value
    return out


def only_answers(
    records: list[Record], keys: tuple[str, str | None, str], choices: ReadingOptions, account: Account
) -> list[Record]:
    """Records in which the probabilities of tokens that are answers are rescaled to add up to 1.

    `keys` are those of the tokens, of the list of options whose letters the tokens are, and of the answer that is
    right. What other tokens hold is said, and how many answers are not among the tokens.
    """
    scores, options, answer = keys
    named = None if choices.classes is None else list(choices.classes)
    letters = [_letters(record, scores, options) for record in records]
    by_letter = named is None and options is not None and all(letters)
    if by_letter:
        records = [
            record | {answer: _letter_of(i, record, answer, list(map(str, record[str(options)])))}
            for i, record in enumerate(records)
        ]
        account.say(f"tokens are the letters of {options!r}")
    else:
        records = [
            record | {answer: record[answer].strip()} if isinstance(record.get(answer), str) else record
            for record in records
        ]
    every = named or ([] if by_letter else _answers(records, scores, answer))
    other_mass, lacking = [], 0
    out = []
    for record, own in zip(records, letters, strict=True):
        wanted = list(own) if by_letter else every
        tokens = record.get(scores)
        known = _known(tokens, wanted) if isinstance(tokens, Mapping) else {}
        total = sum(known.values())
        if not total:
            out.append(record | {scores: None})
            continue
        lacking += len(wanted) - len(known)
        other_mass.append(max(0.0, 1 - total))
        out.append(record | {scores: {name: known.get(name, 0.0) / total for name in wanted}})
    if not other_mass:
        raise ValueError(
            f"no token in {scores!r} is one of the answers {listed(every or letters[0])} of {answer!r}: classes=[...] "
            "names the tokens that are"
        )
    rest = sum(other_mass) / len(other_mass)
    of = "their letters" if by_letter else f"the answers {', '.join(map(str, every))}"
    account.say(f"softmax of {scores!r} over {of}")
    if rest >= LEAST_SAID:
        account.say(f"other tokens hold {whole_percent(rest)} on average")
    if lacking:
        account.say(f"{lacking:,} answers are not among the tokens and get 0")
    return out


def _known(tokens: Mapping[str, Any], wanted: list[str]) -> dict[str, float]:
    """The probabilities of those tokens that are answers; capitals do not matter in answers of several letters."""
    numbers = [value for value in tokens.values() if type(value) in (int, float)]
    are_log = bool(numbers) and all(value <= 0 for value in numbers)
    spelled = {name: name for name in wanted}
    folded = {name.casefold(): name for name in wanted if len(name) > 1}
    if len(folded) == sum(len(name) > 1 for name in wanted):
        spelled = folded | spelled
    out: dict[str, float] = {}
    for token, value in tokens.items():
        name = spelled.get(token) or spelled.get(token.casefold() if len(token) > 1 else token)
        if name is not None and type(value) in (int, float) and not math.isnan(value):
            out[name] = out.get(name, 0.0) + (math.exp(value) if are_log else value)
    return out


def _letters(record: Record, scores: str, options: str | None) -> str:
    """The letters of a record's list of options where its tokens hold some and none of the options themselves."""
    names, tokens = record.get(options or ""), record.get(scores)
    if not isinstance(names, list) or not 1 < len(names) <= len(LETTERS) or not isinstance(tokens, Mapping):
        return ""
    letters = LETTERS[: len(names)]
    held = set(map(str, names)) & set(tokens)
    return letters if set(tokens) & set(letters) and held <= set(letters) else ""


def _letter_of(i: int, record: Record, answer: str, names: list[str]) -> Any:
    """The letter of the option that is right, which an answer names by its letter, its text or its place from 0."""
    given = record.get(answer)
    if given is None:
        return None
    letters = LETTERS[: len(names)]
    text = str(given).strip()
    meant = {letter for letter in letters if letter == text}
    meant |= {letters[k] for k, name in enumerate(names) if name.strip() == text}
    if type(given) is int and 0 <= given < len(names):
        meant.add(letters[given])
    if len(meant) != 1:
        said = "none" if not meant else "more than one"
        raise RowError("row ", i, f" of {answer!r} is {shortened(given)}, {said} of the options {listed(names)}")
    return meant.pop()


def _answers(records: list[Record], scores: str, answer: str) -> list[str]:
    """The different answers; of letters those between too that are among the tokens of half of the records."""
    every = {str(record[answer]).strip() for record in records if record.get(answer) is not None}
    if every and every <= set(LETTERS):
        tokens = [record[scores] for record in records if isinstance(record.get(scores), Mapping)]
        common = {letter for letter in LETTERS if 2 * sum(letter in token for token in tokens) >= len(tokens) > 0}
        last = max(LETTERS.index(letter) for letter in every)
        while LETTERS[last + 1 : last + 2] in common and last + 1 < len(LETTERS):
            last += 1
        return [letter for letter in LETTERS[: last + 1] if letter in every | common]
    if not 1 < len(every) <= MOST_ANSWERS:
        held = "one answer" if len(every) == 1 else f"{len(every):,} different answers" if every else "no answer"
        raise ValueError(
            f"the key {answer!r} holds {held}, so it is not known which of the tokens in {scores!r} are answers: "
            "classes=[...] names them, or the probabilities of the options in a key `probabilities` tell them"
        )
    return sorted(every)
