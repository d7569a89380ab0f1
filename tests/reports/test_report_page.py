"""Reports: what cannot be computed is said, names are text whatever they hold, pictures show what the records say."""

from __future__ import annotations

import math
import platform
import re
from base64 import b64encode
from hashlib import sha256

import numpy as np
import pytest
import scipy
from report_pages import Page, page, recalibrated, some

import calibviz as cv
from calibviz import figures
from calibviz.answers.asked import effort
from calibviz.figures.markup import escaped, joined, tag
from calibviz.figures.svg.picture import drawn, plain_ticks

RNG = np.random.default_rng(7)

pytestmark = pytest.mark.usefixtures("few_replicates", "few_states")


def test_the_picture_of_the_bins_says_where_the_error_is_flat():
    predictions = some()
    html = _html_of(predictions)
    (said,) = re.findall(r'<p class="lead">((?:Flat from|No part|Nowhere flat).*?)</p>', html)
    assert html.count(f"{said}</") == 1  # not below the picture once more
    assert "<figcaption>How much the error depends on how many bins one takes." in html


def _html_of(predictions):
    return cv.report(predictions, progress=False).html


def test_the_first_page_names_data_date_and_version_and_the_first_segments():
    p = cv.load_dataset("heart")["logistic regression"]
    made = cv.report(p, progress=False)
    found = Page(made.html)
    assert re.search(
        rf"Calibration report\d{{4}}-\d\d-\d\d, calibviz {re.escape(cv.__version__)}Heart disease", found.text
    )
    assert "judged920 people" in found.text
    table = cv.segments(p)
    (first,) = [one for one in made.verdict.segments if one is made.verdict.segment]
    _, *names = found.headings["segments in short"]
    assert names[0].startswith("Zurich and Basel")
    assert found.number("segments in short", "Zurich and Basel", "observed") == first.observed
    assert len(names) == 5 < table.sizes["segment"]
    assert '<span class="bold vermilion-text">93</span>' in made.html


# What cannot be computed


CASES = {
    "binary": (some(classes=2), {"categories": [0, 0.5, 1]}),
    "a class without samples": (cv.Predictions(some(classes=4).probs, some(classes=3).labels), {}),
    "three samples": (some(n=3), {}),
    "constant scores": (cv.Predictions(np.full((60, 4), 0.25), np.arange(60) % 4), {}),
    "scores of 0 and 1": (cv.Predictions(np.eye(3)[np.arange(60) % 3], np.arange(60) % 2), {}),
    "weights": (some(weights=RNG.uniform(0, 2, 240)), {"categories": [0, 0.5, 1]}),
    "repetitions": (some(weights=RNG.integers(0, 3, 240)), {}),
    "soft labels": (cv.Predictions(some().probs, RNG.dirichlet(np.ones(3), 240)), {}),
    "logits": (cv.Predictions(None, np.arange(60) % 3, logits=RNG.normal(size=(60, 3))), {}),
    "few selected": (some(fields={"i": np.arange(240)}), {"selection": "i < 2"}),
    "selected by output": (some(), {"selection": "output > 0.6", "categories": [0, 0.7, 1]}),
    "empty category": (some(), {"categories": {"never": (0, 0.1), "rest": (0.1, 1)}}),
}


@pytest.mark.parametrize("case", CASES)
def test_there_is_a_page_for(case):
    predictions, choices = CASES[case]
    text = cv.report(predictions, progress=False, **choices).html
    found = Page(text)
    sections = {one for one in found.ids if any(n == "section" and a.get("id") == one for n, a in found.tags)}
    assert sections == {
        "numbers",
        "reliability",
        "cumulative",
        "recalibration",
        "changes",
        "comparison",
        "temperature",
        "sensitivity",
        "data",
        "made",
        *(["segments"] if predictions.fields or predictions.n_classes > 2 else []),  # of the likeliest class
        *(["likert"] if "categories" in choices else []),
        *(["risk", "confidence", "classes"] if predictions.n_classes > 2 else []),  # two are each other's mirror
    }
    shown = re.sub(r"<style>.*?</style>|<script>.*?</script>", "", text, flags=re.DOTALL)
    assert not re.search(r"\bnan\b|Traceback|\binf\b(?!\")", re.sub(r'value="-?inf"', "", shown))
    assert len(found.ids) == len(set(found.ids))


@pytest.mark.parametrize(
    ("predictions", "choices", "sentence"),
    [
        (some(n=1), {}, "There is one sample: no sample can be judged by a fit to others."),
        (CASES["soft labels"][0], {}, "Debiased L2 error: the debiased error needs targets of 0 or 1, but the labels"),
        (CASES["scores of 0 and 1"][0], {}, "The log loss is infinite, since something of probability 0 was observed."),
        (
            cv.load_dataset("digits")["naive Bayes"],
            {"lens": "class 3"},
            "The log loss is infinite after spline, since something of probability 0 was observed.",
        ),
        (*CASES["selected by output"], "of which every class has its own: select by confidence."),
    ],
)
def test_a_sentence_stands_for_what_is_missing(predictions, choices, sentence):
    assert sentence in cv.report(predictions, progress=False, **choices).html


def test_what_is_missing_can_be_traced(caplog, monkeypatch):
    """The sentence on the page does not say where it comes from; the log does."""

    def refused(*_):
        raise ValueError("this cannot be measured")

    monkeypatch.setattr("calibviz.answers.views.numbers.values_of", refused)
    with caplog.at_level("DEBUG", logger="calibviz.reports"):
        text = cv.report(some(), progress=False).html
    assert "This cannot be measured." in text
    assert any(str(record.exc_info[1]) == "this cannot be measured" for record in caplog.records)


def test_a_selection_by_output_may_keep_more_samples_after_than_before(monkeypatch):
    monkeypatch.setattr(effort, "FOR_MEANS", 40 * 300)  # so that how many are drawn depends on how many are kept
    p = some(n=400, classes=2)
    before = cv.lens("top-1")(p)
    after = cv.lens("top-1")(recalibrated(p))
    kept = [one.subset(one.score > 0.8) for one in (before, after)]
    assert len({effort.usual().means_for(len(one)) for one in kept}) == 2
    found = page(p, lens="top-1", selection="output > 0.8")
    assert found.number("changes", "predicted", "before") == pytest.approx(kept[0].mean_score, abs=1e-12)
    assert found.number("changes", "predicted", "after") == pytest.approx(kept[1].mean_score, abs=1e-12)
    assert np.isfinite(found.number("changes", "log loss", "95 % interval"))


@pytest.mark.parametrize(
    ("choices", "error", "why"),
    [
        ({"lens": "full"}, ValueError, "lens 'full' has several outcomes, a report shows one: choose 'full: 0', "),
        ({"lens": "heart"}, ValueError, "lens 'heart' is unknown"),
        ({"selection": "confidence > 2"}, ValueError, "The selection keeps none of the samples: confidence > 2"),
        ({"categories": [0.5]}, ValueError, "categories needs two cut points"),
        ({"calibration": some(classes=4)}, ValueError, r"calibration\['model'\] has 4 classes"),
    ],
)
def test_what_cannot_be_reported_on_is_refused(choices, error, why):
    with pytest.raises(error, match=why):
        cv.report(some(), **choices)


def test_an_answer_of_one_s_own_is_a_section():
    def gap(problem, recalibrated):
        return f"The mean score is {problem.mean_score:.4f}, after recalibration {recalibrated.mean_score:.4f}."

    p = some()
    found = page(p, panels=cv.Answer("gap", "Mean gap", gap))
    before = cv.lens("top-1")(p)
    assert found.texts["gap"] == "Mean gap" + gap(before, cv.lens("top-1")(recalibrated(p)))
    with pytest.raises(TypeError, match=r"panels must be cv\.Answer objects"):
        cv.report(p, panels=gap)
    with pytest.raises(ValueError, match="the panel 'segments' is built in"):
        cv.report(p, panels=cv.Answer("segments", "Mine", gap))


def test_many_models_are_for_compare():
    with pytest.raises(TypeError, match=r"not dict: choose one of its models, .*; cv\.compare and"):
        cv.report({"a": some()})


# The page


def test_it_is_saved_and_shown(tmp_path):
    made = cv.report(some(about={"title": "my model"}), path=tmp_path / "page.html", progress=False)
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == made.html
    assert made.save(str(tmp_path / "again.html")) == tmp_path / "again.html"
    assert repr(made) == "Report(title='my model')"
    (frame,) = Page(made._repr_html_()).tags
    assert type(made._repr_html_()) is str  # marimo writes any other class as an empty object, and its page breaks
    assert frame[0] == "iframe" and frame[1]["srcdoc"] == made.html and frame[1]["sandbox"] == "allow-scripts"
    with pytest.raises(OSError, match="nowhere"):
        made.save(tmp_path / "nowhere" / "page.html")


def scripts_of(found):
    """How many scripts a browser would run: what is recorded is a text."""
    return sum(name == "script" and attributes.get("type") != "text/plain" for name, attributes in found.tags)


def test_it_asks_nothing_of_the_network():
    one, several = cv.report(some(), progress=False), cv.compare(cv.load_dataset("tumours"), progress=False)
    for made in (one, several):
        found = Page(made.html)
        for name, attributes in found.tags:
            assert name not in ("img", "link", "iframe", "object", "embed", "base", "form")
            assert not {"src", "href", "srcset", "action", "style"} & attributes.keys()
            assert not any(key.startswith("on") for key in attributes)
        assert scripts_of(found) == found.count("style") == 1
        assert all(a.get("aria-label") for n, a in found.tags if n == "svg" and a.get("role") == "img")


def test_it_tells_its_versions():
    text = cv.report(some(), progress=False).html
    versions = f"by calibviz {cv.__version__} with NumPy {np.__version__}, SciPy {scipy.__version__} and Python "
    assert re.search(
        rf"Made on \d{{4}}-\d\d-\d\d \d\d:\d\d UTC {re.escape(versions + platform.python_version())}\.", text
    )


def test_no_line_ends_between_a_number_and_its_per_cent_sign():
    html = cv.report(some(), progress=False).html
    text = re.sub("<pre>.*?</pre>|<script>.*?</script>|<style>.*?</style>|<[^>]*>", "", html, flags=re.DOTALL)
    assert " %" not in text and "&nbsp;%" in text


def test_data_are_told():
    fields = {"age": np.arange(240), "site": np.array(["Ulm", "Bern", "Bern"] * 80), "x": np.full(240, np.nan)}
    p = some(fields=fields, weights=np.arange(240) % 3)
    text = cv.report(p, progress=False).html
    for said in (
        "240, 80 of them of weight 0",
        "from 0 to 239",
        "Bern (160), Ulm (80)",
        "none known, 240 missing",
        "float64; rows sum to 1<",
        "from 0 to 2",
    ):
        assert said in text
    assert (
        "rows sum to 1 within 0.0005"
        in cv.report(cv.Predictions([[0.7, 0.2995], [0.2, 0.8]] * 9, [0, 1] * 9), progress=False).html
    )


def test_rows_that_were_rescaled_are_told_and_no_others():
    """Wherever they come from, and whatever their file is called."""
    rows = np.array([[0.7, 0.3], [0.4, 0.4], [0.25, 0.25]] * 9)
    p = cv.Predictions(rows, [0, 1, 1] * 9, normalize=True)
    said = "float64; {} rows rescaled to sum to 1, as was asked for; off by {} at most<"
    assert said.format("18 of 27", 0.5) in cv.report(p, progress=False).html
    assert said.format("9 of 18", 0.2) in cv.report(p.select(np.arange(27) % 3 < 2), progress=False).html
    exact = cv.Predictions(p.probs, p.labels, normalize=True)
    assert "rows sum to 1: none had to be rescaled<" in cv.report(exact, progress=False).html
    title = "normalize=True.csv"
    named = some(about={"title": title, "source": f"cv.read_predictions({title!r})"})
    assert "rescaled" not in cv.report(named, progress=False).html


NASTY = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script>",
    "</style>",
    "</title><b>",
    "a&amp;b",
    "'};alert(1)//",
    "{{7*7}}",
    "--><svg onload=alert(1)>",
    "javascript:alert(1)",
]
UNSEEN = ["line\u2028separator", "para\u2029graph", "right\u202eleft", "nul\x00", "bell\x07", "half\udc80"]


def nasty():
    classes = NASTY[:4]
    p = some(classes=4)
    fields = {name: np.array([name, UNSEEN[0], UNSEEN[1]] * 80) for name in NASTY}
    groups = {NASTY[1]: classes[:2], NASTY[4]: classes[2:]}
    about = {"title": NASTY[0] + UNSEEN[0] + UNSEEN[5], "made": NASTY[1], "source": "'</script><script>alert(1)'"}
    return cv.Predictions(p.probs, p.labels, class_names=classes, fields=fields, groups=groups, about=about)


@pytest.fixture
def nasty_pages():
    p = nasty()
    condition = cv.field(NASTY[2]) == NASTY[2]
    one = cv.report(p, lens=f"class {NASTY[0]}", selection=condition, categories={NASTY[3]: (0, 1)}, progress=False)
    models = {name: p.with_probs(p.probs[:, ::-1].copy()) for name in (*NASTY[:3], UNSEEN[0], UNSEEN[5])}
    return one.html, cv.compare(models, categories={NASTY[3]: (0, 1)}, progress=False).html


@pytest.mark.thorough
def test_names_are_text_whatever_they_hold(nasty_pages):
    plain = cv.report(some(classes=4), progress=False).html
    for text in nasty_pages:
        found = Page(text)
        assert {name for name, _ in found.tags} <= {name for name, _ in Page(plain).tags} | {"strong"}
        assert scripts_of(found) == found.count("style") == found.count("title") - text.count("<title>") + 1
        assert all(not key.startswith("on") for _, attributes in found.tags for key in attributes)
        text.encode("utf-8")  # a half of a surrogate pair cannot be
        assert not re.search("[\u2028\u2029\u202e\x00\x07]", text)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;line\\u2028separatorhalf\\udc80</h1>" in nasty_pages[0]


def test_script_and_style_are_named_by_their_hashes(nasty_pages):
    for text in nasty_pages:
        policy = next(a["content"] for n, a in Page(text).tags if a.get("http-equiv") == "Content-Security-Policy")
        for kind in ("style", "script"):
            (content,) = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
            digest = b64encode(sha256(content.encode()).digest()).decode()
            assert f"{kind}-src 'sha256-{digest}'" in policy
        assert policy.startswith("default-src 'none'; style-src") and "unsafe" not in policy and "img-src" not in policy


# Markup and pictures


def test_text_is_escaped_and_markup_is_not():
    assert tag("p", "a < b", tag("b", "&"), None, class_='"', hidden=True, title=None) == (
        '<p class="&quot;" hidden>a &lt; b<b>&amp;</b></p>'
    )
    assert joined(["<", tag("meta")]) == "&lt;<meta>"
    assert escaped("a\nb\tc\u2028") == "a\nb\\u0009c\\u2028"


def test_a_picture_has_a_group_for_each_series_and_a_title_for_each_dot():
    problem = cv.lens("top-1")(some())
    figure = figures.reliability_figure([problem], [cv.Uniform(15)(problem)])
    text = drawn(figure, "one")
    series = [one for one in figure.series if len(one.x)]
    assert text.count("<g ") == len(series)
    hints = [hint for one in series for hint in one.hints]
    assert any("too few to judge" in hint for hint in hints)
    assert re.findall("<title>(.*?)</title>", text) == [str(escaped(hint)) for hint in hints]
    assert not re.search("nan|inf[^o]", re.sub('aria-label="[^"]*"', "", text))


def test_dots_stand_where_the_record_says():
    """A straight line of dots: equal steps in the record are equal steps in the picture, upwards and to the right."""
    x = np.array([0.0, 0.25, 0.5, 1.0])
    one = figures.Series("dots", "after", "dots", x, x / 2)
    other = figures.Series("round", "before", "dots", x, x)
    figure = figures.Figure("any", "", "x", "y", (one, other), "alt", (0.0, 1.0), (0.0, 1.0))
    text = drawn(figure, "one")
    places = np.array([[float(v) for v in pair] for pair in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', text)])
    steps = np.diff(places, axis=0) / np.diff(x)[:, None]
    np.testing.assert_allclose(steps, np.broadcast_to(steps[0], steps.shape), atol=1)
    assert steps[0, 0] > 0 > steps[0, 1]
    assert "round: x 0.25, y 0.25" in text


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 1e-9), (-0.034, 0.034), (0, 1234), (0.19, 0.2), (-0.5, 9.5)])
def test_ticks_are_round_few_and_inside(low, high):
    ticks = plain_ticks(low, high)
    places = [place for place, _ in ticks]
    step = places[1] - places[0]
    assert 2 <= len(ticks) <= 7
    assert min(places) >= low - 1e-9 * (high - low) and max(places) <= high + 1e-9 * (high - low)
    assert np.isclose(step / 10.0 ** math.floor(math.log10(step * (1 + 1e-9))), [1, 2, 5]).any()
    for place, text in ticks:
        assert float(text.replace("−", "-")) == pytest.approx(place, abs=1e-6 * step)


def test_the_caption_of_the_first_picture_parts_it_from_no_histogram():
    html = _html_of(cv.load_dataset("heart")["logistic regression"])
    first = html[html.index('id="reliability"') : html.index("Each dot is a bin of samples.")]
    assert 'data-figure="reliability"' in first and 'data-figure="histogram"' in first


def test_centres_say_each_measure_once_and_fields_how_many_are_missing():
    html = _html_of(cv.load_dataset("heart")["logistic regression"])
    (head,) = re.findall(r'data-table="centres"><thead>(.*?)</thead>', html)
    assert re.findall(r"<th[^>]*>(.*?)</th>", head) == ["centre", "O:E", "intercept", "slope", "people"]
    assert "no (528), yes (337), 55 missing" in html


def test_what_is_pointed_at_on_the_curve_does_not_cut_it():
    html = _html_of(cv.load_dataset("heart")["logistic regression"])
    on_curve = re.findall(r'<circle class="([^"]*)"[^>]*><title>of 100 predicted about', html)
    assert len(on_curve) > 10 and set(on_curve) == {"dot unseen"}
    assert ".dot.unseen { stroke: none; }" in html
