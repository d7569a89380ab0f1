"""Where in a generated text the answer stands, and what its token and the likeliest others have."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ..columns.option_lists import scores_by_name

ANNOUNCED = "ANSWER:"  # what models are asked to write before their answer
NOTHING_SAID = "run it with logprobs, or ask the model for a confidence"


def token_list(logprobs: Any) -> list[dict[str, Any]] | None:
    """The tokens of a text with their log-probabilities, as OpenAI writes them now or wrote them; None of others."""
    if not isinstance(logprobs, dict):
        return None
    content = logprobs.get("content")
    if isinstance(content, list) and content and all(isinstance(entry, dict) and "token" in entry for entry in content):
        return content
    tokens, own, top = (logprobs.get(name) for name in ("tokens", "token_logprobs", "top_logprobs"))
    if isinstance(tokens, list) and isinstance(own, list) and len(tokens) == len(own):
        others = top if isinstance(top, list) and len(top) == len(tokens) else [None] * len(tokens)
        return [
            {"token": token, "logprob": value, "top_logprobs": other}
            for token, value, other in zip(tokens, own, others, strict=True)
        ]
    return None


def answer_position(content: Sequence[dict[str, Any]], answers: Collection[str]) -> dict[str, float] | None:
    """The log-probabilities at the one token that is an answer, or at that which stands after "ANSWER:".

    None where no token is an answer, or several are.
    """
    tokens = [str(entry.get("token", "")) for entry in content]
    at = [i for i, token in enumerate(tokens) if token.strip() in answers]
    if len(at) > 1:
        before = {i: "".join(tokens[:i]).rstrip(" \n*($[").upper() for i in at}
        at = [i for i in at if before[i].endswith(ANNOUNCED)]
    if len(at) != 1:
        return None
    entry = content[at[0]]
    top = entry.get("top_logprobs")
    held = top if isinstance(top, dict) else scores_by_name(top) if isinstance(top, list) and top else None
    own = entry.get("logprob")
    if held is None:
        return None
    return held if tokens[at[0]] in held or type(own) not in (int, float) else held | {tokens[at[0]]: float(str(own))}
