"""The answer on centres: the table of by_centre on page and report, and what is said where there is none."""

import numpy as np
import pytest
from driver import content_of
from report_pages import page

import calibviz as cv
from calibviz.app.cli import main
from calibviz.figures import centres_sentence

HEART = cv.load_dataset("heart")["logistic regression"]


@pytest.fixture
def explorer():
    made = cv.Explorer(HEART, lens="class disease", panels=("centres",))
    yield made
    made.close()


def test_the_first_field_of_places_tells_the_centres(explorer):
    content, table = content_of(explorer, "centres"), cv.by_centre(HEART, "site", "class disease")
    assert content.answer == f"By site: {centres_sentence(table)}"
    (record,) = content.records
    assert record.rows[0][2].text == "0.89 (0.77 to 1.04)"
    assert "cv.by_centre(predictions, 'site', 'class disease', selection=None)" in explorer.code()


def test_another_field_may_be_chosen_and_a_selection_applies(explorer):
    explorer.state.update(centre="chest_pain", selection="sex == 'male'")
    table = cv.by_centre(HEART, "chest_pain", "class disease", selection="sex == 'male'")
    assert content_of(explorer, "centres").answer == f"By chest_pain: {centres_sentence(table)}"


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"centre": "ward"}, "There is no field 'ward'."),
        ({"centre": "cholesterol"}, "cholesterol has 216 values, of which 60 at most are shown: choose another field."),
        ({"selection": "site == 'Budapest'"}, "Centre: 1 centre with at least 1 sample, but an average takes two."),
        ({"lens": "pooled"}, "All classes of a sample at once are no one outcome: choose a class."),
    ],
)
def test_where_there_are_no_centres_a_sentence_says_why(explorer, choices, said):
    explorer.state.update(**choices)
    assert content_of(explorer, "centres").note == said


def test_without_fields_the_panel_says_so():
    explorer = cv.Explorer(cv.Predictions([0.2, 0.7, 0.4], [0, 1, 1]), panels=("reliability", "centres"))
    assert content_of(explorer, "centres").note.startswith("No field of texts is named after places")
    explorer.close()


@pytest.mark.thorough
def test_a_report_pools_the_centres_that_are_named(tmp_path, few_replicates):
    assert "By site: observed by expected (O:E) 1.06" in page(HEART).text
    assert "By sex: observed by expected (O:E)" in page(HEART.select(np.arange(0, 920, 4)), centre="sex").text
    with pytest.raises(ValueError, match="centre must be one of"):
        cv.report(HEART, centre="ward", progress=False)
    rng = np.random.default_rng(0)
    score = rng.uniform(0.1, 0.9, 300)
    lines = [f"{s:.3f},{int(rng.random() < s)},{'abc'[i % 3]}" for i, s in enumerate(score)]
    (tmp_path / "p.csv").write_text("\n".join(["prob,label,doctor", *lines]))
    main(["report", str(tmp_path / "p.csv"), "--centre", "doctor"])
    assert "By doctor: observed by expected (O:E)" in (tmp_path / "p.report.html").read_text()
