"""The log of a language model that does not exist, by a rule that the lesson on such confidences states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

DOCUMENTS, QUESTIONS, SAMPLES = 150, 8, 10


def made_log() -> pd.DataFrame:
    """Return the log of a made language model: what it answered about documents, how surely, and whether that is right.

    Returns
    -------
    pandas.DataFrame
        1,200 rows: 8 questions about each of 150 documents. `verbalised_confidence` is what the model names, a
        multiple of 5 %; `self_consistency` the share of ten further answers that are the same; `logprob_confidence`
        the probability of its tokens; `correct` whether the answer is right.

    See Also
    --------
    read_models : Reads such a table, each confidence as a model of its own.

    Notes
    -----
    The log-odds of a right answer are 0.9 + t + e, where t, normal with a standard deviation of 1.2, belongs to the
    document and e, of 1, to the question. The tokens have 1.5 times these log-odds, with a noise of 0.6; each further
    answer is the same with 0.9 times these; in words it is 90 % and 3 points for each unit of the log-odds, with a
    noise of 5 points, rounded to 5 %. It is the same table each time.

    Examples
    --------
    >>> log = cv.teaching.made_log()
    >>> models = cv.read_models(log, model=["verbalised_confidence", "self_consistency", "logprob_confidence"])
    >>> {name: round(float(p.confidence.mean()), 2) for name, p in models.items()}
    {'verbalised_confidence': 0.92, 'self_consistency': 0.66, 'logprob_confidence': 0.69}
    """
    import pandas as pd

    rng = np.random.default_rng(3)
    document = np.repeat(np.arange(DOCUMENTS), QUESTIONS)
    odds = 0.9 + rng.normal(0, 1.2, DOCUMENTS)[document] + rng.normal(0, 1, len(document))
    said = 0.9 + 0.03 * odds + rng.normal(0, 0.05, len(document))
    return pd.DataFrame(
        {
            "document": [f"document {number + 1}" for number in document],
            "question": np.tile(np.arange(QUESTIONS) + 1, DOCUMENTS),
            "verbalised_confidence": np.round(20 * np.clip(said, 0.5, 1)) / 20,
            "self_consistency": rng.binomial(SAMPLES, _probability(0.9 * odds)) / SAMPLES,
            "logprob_confidence": _probability(1.5 * odds + rng.normal(0, 0.6, len(document))).round(4),
            "correct": rng.random(len(document)) < _probability(odds),
        }
    )


def _probability(odds: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-odds))
