"""The line of words above everything: what is looked at, and what each of its parts can become."""

from __future__ import annotations

import numpy as np
import pytest
from driver import screen
from scipy.stats import binom

import calibviz as cv
from calibviz.answers.asked.selection_edits import with_value
from calibviz.answers.exports.caption import caption_of
from calibviz.answers.first_screen.calibrators import recommended
from calibviz.answers.kept import subject_words
from calibviz.answers.situation.paired_change import paired_brier_change
from calibviz.answers.subject import subject, title
from calibviz.engine.scalar import ScalarProblem
from calibviz.explorer import Explorer
from calibviz.recalibration.registry import numbers_of


@pytest.fixture
def explorer():
    made = Explorer(cv.load_dataset("heart"), panels=())
    yield made
    made.close()


def parts(explorer):
    return {part.name: part for part in subject(explorer.situation)}


def choose(explorer, name, text):
    explorer._subject._handle_custom_msg({"choose": [name, text]}, [])


def test_the_line_says_what_is_looked_at(explorer):
    said = [part.text for part in subject(explorer.situation)]
    assert said == ["logistic regression", "class disease", "all people", "no recalibration"]
    assert title(explorer.situation) == ("Heart disease at four hospitals", "920 people")
    explorer.state.update(selection='site == "Budapest" and age > 50', lens="top-1", calibrator="beta")
    said = [part.text for part in subject(explorer.situation)]
    assert said[1:3] == ["the likeliest class", "Budapest (site) and age above 50"]
    assert title(explorer.situation)[1].endswith(" of 920 people") and said[3] == "recalibrated with beta"


@pytest.mark.parametrize(
    ("name", "text", "choice", "value"),
    [
        ("model", "random forest", "model", "random forest"),
        ("lens", "class no disease", "lens", "class no disease"),
        ("lens", "the likeliest class", "lens", "top-1"),
        ("selection", "Zurich and Basel (site)", "selection", 'site == "Zurich and Basel"'),
        ("recalibration", "isotonic", "calibrator", "isotonic"),
    ],
)
def test_each_part_can_be_changed(explorer, name, text, choice, value):
    choose(explorer, name, text)
    assert getattr(explorer.state, choice) == value and screen(explorer).complaint == ""
    part = parts(explorer)[name]
    assert [offer.text for offer in part.offers if offer.current] == [text]
    assert explorer._subject.content == [
        {
            "name": part.name,
            "text": part.text,
            "field": part.field,
            "code": part.code,
            "few": part.few,
            "offers": [{"text": offer.text, "current": offer.current, "note": offer.note} for offer in part.offers],
        }
        for part in subject(explorer.situation)
    ]


def test_a_segment_is_called_by_its_name_and_the_code_is_beside(explorer):
    """In the line, its caption and the table of kept states; the code is a tooltip, and stands in Share > code."""
    code = 'site == "Zurich and Basel"'
    explorer.state.selection = code
    part = parts(explorer)["selection"]
    assert (part.text, part.field, part.code) == ("Zurich and Basel", "site", code)
    assert part.words == "Zurich and Basel (site)"
    assert caption_of(explorer.situation).facts["selection"] == part.words
    assert subject_words(explorer.situation).endswith(" · Zurich and Basel (site)")
    assert code in explorer.code()
    explorer.state.selection = "1 <= st_depression <= 2 and sex == 'male'"
    assert parts(explorer)["selection"].text == "st depression 1 to 2 and male (sex)"
    for code, words in (
        ('not (site == "Budapest")', "all but Budapest (site)"),
        ('not (site == "Budapest" and sex == "male")', "all but (Budapest (site) and male (sex))"),
        ('site == "Budapest" or site == "Cleveland"', "Budapest (site) or Cleveland (site)"),
        ('age > 50 and (site == "Budapest" or sex == "male")', "age above 50 and (Budapest (site) or male (sex))"),
    ):
        explorer.state.selection = code
        assert (parts(explorer)["selection"].text, parts(explorer)["selection"].code) == (words, code)


def test_sentences_on_the_whole_are_of_those_that_are_kept(explorer):
    """Under a selection nothing speaks of all people."""
    explorer.state.selection = 'site == "Zurich and Basel"'
    explorer.finish()
    assert explorer.verdict.nouns.whole == "all of these 123 people"
    said = explorer.sentences
    assert said["segments"].startswith("All of these 123 people together are off: predicted 70, observed 93 of 100.")
    assert said["recalibration"].startswith("One for all of these 123 people: ")
    assert "all people" not in " ".join(said.values()).lower()


def test_a_condition_takes_the_place_of_those_on_the_same_field(explorer):
    choose(explorer, "selection", "Budapest (site)")
    choose(explorer, "selection", "male (sex)")
    choose(explorer, "selection", "Cleveland (site)")
    assert explorer.state.selection == 'sex == "male" and site == "Cleveland"'
    choose(explorer, "selection", "without male (sex)")
    assert explorer.state.selection == 'site == "Cleveland"'
    choose(explorer, "selection", "all people")
    assert explorer.state.selection == ""
    assert with_value("label in [1] and age > 3", "age <= 5") == "label in [1] and age <= 5"


@pytest.mark.parametrize("data", ["heart", "digits"])
def test_the_menu_of_the_settings_has_the_order_of_the_page(data):
    """No calibrator, those that help, the compared ones by their numbers, and the others, which stand under more."""
    explorer = cv.Explorer(next(iter(cv.load_dataset(data).values())), calibrators=("isotonic", "temperature"))
    explorer.finish()
    helping = recommended(explorer.situation)
    part = next(part for part in subject(explorer.situation, helping) if part.name == "recalibration")
    names = [offer.choices["calibrator"] for offer in part.offers]
    menu = explorer._controls["calibrator"]
    explorer._controls.follow(explorer.situation)
    assert [value for _, value in menu.options] == names
    assert len(names) == len({*names}) > part.few
    assert names[: 1 + len(helping)] == ["none", *helping]
    in_sight = {"none", *helping, *explorer.state.calibrators, *explorer.situation.spec.own_of("field")}
    assert {*names[: part.few]} == in_sight
    for rest in (names[1 + len(helping) : part.few], names[part.few :]):
        assert [numbers_of(name) for name in rest] == sorted(map(numbers_of, rest))
    explorer.close()


def test_offers_are_said_as_a_person_says_them(explorer):
    offers = [offer.text for offer in parts(explorer)["selection"].offers]
    assert not [text for text in offers if "_" in text or "==" in text or '"' in text]
    said = "Zurich and Basel (site)", "st depression above 0.5", "true class no disease", "predicted wrongly"
    assert {*said} <= {*offers}
    calibrators, menu = explorer._controls["calibrators"], explorer._controls["calibrator"]
    explorer._controls.follow(explorer.situation)
    name = "platt by chest_pain"
    assert calibrators.labels[calibrators.options.index(name)] == "platt by chest pain"
    assert ("platt by chest pain", name) in menu.options
    overlays = explorer._controls["overlays"]
    explorer._controls.follow(explorer.situation)
    assert f"calibrator: {name}" in overlays.options and "calibrator: platt by chest pain" in overlays.labels


def test_every_offer_can_be_shown(explorer):
    for part in subject(explorer.situation):
        for offer in part.offers:
            choose(explorer, part.name, offer.text)
            assert screen(explorer).complaint == "", offer.text
            explorer.state.from_dict({"panels": ()})


@pytest.mark.parametrize(
    "message", [{"choose": ["model", "gone"]}, {"choose": ["nobody", "x"]}, {"choose": 3}, {}, "x"]
)
def test_what_the_line_does_not_offer_changes_nothing(explorer, message):
    before = explorer.state.to_dict()
    explorer._subject._handle_custom_msg(message, [])
    assert explorer.state.to_dict() == before


def test_the_chosen_bin_stands_in_the_line_until_it_is_taken_back(explorer):
    assert "bin" not in parts(explorer)
    explorer.state.bin = 9
    assert parts(explorer)["bin"].text == "predicted 60 to 67 %"  # the tenth of fifteen
    explorer.state.bins = 10
    assert parts(explorer)["bin"].text == "predicted 90 to 100 %"
    choose(explorer, "bin", "samples of all bins")
    assert explorer.state.bin is None and "bin" not in parts(explorer)
    explorer.state.update(bin=70)  # there is no such bin
    assert "bin" not in parts(explorer) and screen(explorer).complaint == ""


def test_one_model_and_a_summary_offer_nothing_else():
    hearts = next(iter(cv.load_dataset("heart").values()))
    explorer = Explorer(hearts, panels=())
    assert parts(explorer)["model"].offers == ()
    explorer.close()
    explorer = Explorer(cv.summarize(hearts, "class disease"), panels=())
    assert parts(explorer)["lens"].offers == ()
    explorer.close()


def test_another_model_is_drawn_over_and_taken_away(explorer):
    choose(explorer, "model", "with random forest drawn over it")
    assert explorer.state.overlays == ("model: random forest",)
    choose(explorer, "model", "without random forest drawn over it")
    assert explorer.state.overlays == ()
    choose(explorer, "model", "random forest")
    assert "with random forest drawn over it" not in [offer.text for offer in parts(explorer)["model"].offers]


def test_a_model_that_is_drawn_over_is_told_apart_with_the_interval(explorer):
    explorer.state.update(panels=("reliability",), overlays=("model: random forest",))
    models = cv.load_dataset("heart")
    first, second = (models[name] for name in ("logistic regression", "random forest"))
    change = cv.brier_score(second, lens="class disease") - cv.brier_score(first, lens="class disease")
    said = screen(explorer).answer("reliability")
    assert said.startswith(f"random forest: worse, Brier score +{change:.4f} (95 % interval +0.0101 to +0.0267)")


def test_equally_good_models_are_seldom_called_better_or_worse():
    rng, called = np.random.default_rng(0), 0
    for _ in range(400):
        truth = rng.uniform(0.05, 0.95, 150)
        labels = rng.random(150) < truth
        scores = (1 / (1 + np.exp(-(np.log(truth / (1 - truth)) + rng.normal(0, 0.5, 150)))) for _ in "AB")
        change = paired_brier_change(*(ScalarProblem(score, labels.astype(float)) for score in scores))
        called += not change.is_noise
    assert called <= binom.ppf(0.999, 400, 0.05)


@pytest.mark.parametrize(
    ("selection", "said"),
    [
        ("", "all people"),
        ("0.1 <= output <= 0.905", "predicted 10 to 90.5 %"),
        ("0.5 <= confidence <= 1", "largest probability 50 to 100 %"),
        ("-2.5 <= st_depression <= 1.33333 and age > 50", "st depression −2.5 to 1.333 and age above 50"),
    ],
)
def test_ranges_are_said_plainly_and_chosen_exactly(selection, said):
    explorer = cv.Explorer(cv.load_dataset("heart")["logistic regression"], panels=(), selection=selection)
    parts = {part.name: part.text for part in subject(explorer.situation)}
    assert parts["selection"] == said and explorer.state.selection == selection
    explorer.close()


def test_a_stack_has_the_title_of_its_dataset():
    made = cv.Explorer(cv.load_interventions()[1].isel(trial=[0]))
    assert made._caption().facts["data"].startswith("Handwritten digits")
    made.close()
