"""The report says what the Explorer says, in the same words and with the same numbers."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

import calibviz as cv
from calibviz.answers.registry import ANSWERS
from calibviz.reports.report_page import ORDER

#: Sentences of the Explorer's that a report gives elsewhere, or has no place for, and why.
ELSEWHERE = {
    "a control is named": r"choose “|are chosen|Choose|click",
    "after the calibrator: in the section about it": r"^After \S+: ",
    "acting after the calibrator: a report acts on the model as it is": r"^(?:Spline|Temperature) (?:adds|makes|takes)",
    "how compared calibrators are fitted: its table compares them under one lens": r"^Calibrators of single scores ",
    "fields that it has no section for": r"^No field of (?:these samples holds dates|texts is named after places)",
    "how marks are read: in the caption of its own table": r"^(?:Grey|Small pictures|≈ best)",
    "the name of the only model": r"^(?:The first picture divides by what|What is observed is that of) ",
}
LOOKS = [
    ("heart", "logistic regression", {"lens": "class disease", "selection": "age > 50", "threshold": 0.3}),
    ("tumours", "random forest", {"lens": "class malignant", "threshold": 0.5}),
    ("digits", "naive Bayes", {"lens": "top-1", "selection": "ink > 0.2", "threshold": 0.7}),
    ("digits", "random forest", {"lens": "class 3", "threshold": 0.2}),
]


class _Text(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag != "span":  # which marks words within a sentence
            self.parts.append(" ")

    def handle_data(self, data):
        self.parts.append(data)


def words(text):
    """A text with single blanks, none before a full stop."""
    return re.sub(r"\s+", " ", text)


@pytest.mark.parametrize(("name", "model", "asked"), LOOKS)
def test_each_sentence_of_the_explorer_stands_in_the_report(name, model, asked, few_replicates, few_states):
    p = cv.load_dataset(name)[model]
    page = words("".join(_Text(cv.report(p, progress=False, **asked).html).parts))
    sections = [answer for answer in ORDER if answer in ANSWERS and answer != "likert"]  # which asks for categories
    names = ["reliability", *sections]
    explorer = cv.Explorer(p, panels=names, **asked)
    explorer.finish()
    first = {answer: words(text) for answer, text in explorer.sentences.items()}  # as it opens, of the model as it is
    explorer.state.calibrator = re.search(r"After (\S+) before after change", page)[1]
    explorer.finish()
    said = {answer: words(text) for answer, text in explorer.sentences.items()} | {"verdict": first["verdict"]}
    explorer.close()
    assert len([answer for answer in said if said[answer]]) >= 8
    missing, found = [], 0
    for answer, text in [*first.items(), *said.items()]:
        for sentence in re.split(r"(?<=[.?!]) (?=[A-Z≈0-9])", text):
            if re.sub(r"^Before: m", "M", sentence) in page:  # what a calibrator sets against what is after it
                found += 1
            elif not any(re.search(pattern, sentence) for pattern in ELSEWHERE.values()):
                missing.append((answer, sentence))
    assert not missing
    assert found >= 12
