"""Names and columns that may mean something else than they are taken for: each is asked, and each line opens."""

import json

import numpy as np
import pandas as pd
import pytest

import calibviz as cv
from calibviz.data.columns.choices import Question

N = 200
RNG = np.random.default_rng(11)
PROB = RNG.random(N).round(4)
Y = (RNG.random(N) < PROB).astype(int)
NOISE = np.clip(RNG.normal(0.5, 0.15, N), 0.01, 0.99).round(4)


def lines(source, **options):
    """The question that a source is refused with, and the options of its lines, each of which opens it."""
    with pytest.raises(Question) as caught:
        cv.read_predictions(source, **options)
    for given, _ in caught.value.lines:
        (cv.read_models if "model" in given else cv.read_predictions)(source, **given)
    return str(caught.value), [given for given, _ in caught.value.lines]


@pytest.mark.parametrize("rows", [8, N])
@pytest.mark.parametrize(
    ("truth", "score"),
    [
        ("died", "survival_probability"),
        ("dead", "p_alive"),
        ("default", "p_repay"),
        ("default", "prob_nondefault"),
        ("spam", "prob_not_spam"),
        ("churn", "p_retained"),
        ("relapse", "prob_no_relapse"),
        ("win", "loss_prob"),
        ("event", "p_absent"),
        ("y", "survival_prob"),
        ("not_churned", "churn_prob"),
        ("survived", "p_died"),
        ("failed", "prob_passed"),
        ("approved", "declined_prob"),
        ("anomaly", "p_normal"),
        ("normal", "abnormal_prob"),
        ("treated", "prob_control"),
    ],
)
def test_a_name_of_the_opposite_is_asked_about_whatever_the_numbers_say(truth, score, rows):
    table = pd.DataFrame({truth: Y, score: NOISE})[:rows]
    said, ways = lines(table, label=truth, prob=score)  # of few rows a name such as p_alive tells nothing
    assert f"the name of {score!r} may say that it is of the class '0'" in said
    assert [way["positive"] for way in ways] == ["0", "1"]
    assert cv.read_predictions(table, label=truth, prob=score, positive="1").n_samples == rows


@pytest.mark.parametrize(
    ("truth", "score"),
    [
        ("died", "mortality_risk"),
        ("survived", "survival_probability"),
        ("no_show", "no_show_prob"),
        ("default", "pd"),
        ("win", "win_probability"),
        ("readmitted", "readmission_risk"),
        ("disease_free", "disease_free_prob"),
        ("converted", "conversion_prob"),
        ("fraud", "fraud_score"),
        ("passed", "pass_probability"),
        ("approved", "prob_approval"),
        ("attack", "p_anomaly"),
    ],
)
def test_a_name_of_the_same_is_read(truth, score):
    assert (
        cv.read_predictions(pd.DataFrame({truth: Y, score: PROB})).about["assumed"].startswith(f"P(1) from {score!r}")
    )


def shares(*names):
    return dict(zip(names, RNG.dirichlet(np.ones(len(names)), N).round(6).T, strict=True))


@pytest.mark.parametrize("single", ["churn_prob", "risk", "pred"])
@pytest.mark.parametrize(
    "names", [[f"cluster_{i}" for i in range(5)], ["share_young", "share_old"], ["weight_0", "weight_1"]]
)
def test_shares_that_add_up_to_one_beside_a_probability_are_asked_about(names, single):
    said, ways = lines(pd.DataFrame(shares(*names) | {"churned": Y, single: PROB}))
    assert "add up to 1, but may be shares of something else" in said
    assert ways[0]["prob"] == single


def test_more_shares_than_classes_are_asked_about():
    table = pd.DataFrame(shares(*(f"topic_{i}" for i in range(4))) | {"clicked": Y})
    assert "the labels of 'clicked' are only 0 and 1" in lines(table)[0]
    three = pd.DataFrame(shares("c_0", "c_1", "c_2") | {"label": RNG.integers(0, 3, N)})
    assert cv.read_predictions(three).n_classes == 3


@pytest.mark.parametrize("mark", ["9", "-9", "99", "-99", "999"])
def test_codes_of_missing_labels_come_with_ignore(mark):
    label = np.where(np.arange(N) % 20 == 0, mark, Y.astype(str))
    said, ways = lines(pd.DataFrame({"label": label, "prob": PROB}))
    assert f"ignore=[{mark!r}] leaves 10 rows out" in said
    assert ways == [{"label": "label", "prob": "prob", "ignore": [mark]}]
    probs = RNG.dirichlet(np.ones(3), N).round(6)
    probs[:, 2] = 1 - probs[:, :2].sum(axis=1)
    label = np.where(np.arange(N) % 20 == 0, mark, RNG.integers(0, 3, N).astype(str))
    said, ways = lines(pd.DataFrame({"label": label, "p_0": probs[:, 0], "p_1": probs[:, 1], "p_2": probs[:, 2]}))
    assert ways[0]["ignore"] == [mark]


@pytest.mark.parametrize("shape", [(N, 1), (N,)])
@pytest.mark.parametrize("of_labels", [(N, 1), (N,)])
@pytest.mark.parametrize(
    ("name", "values"), [("y_pred", PROB), ("y_prob", PROB), ("logits", np.log(NOISE / (1 - NOISE)))]
)
def test_one_output_of_keras_is_one_column(tmp_path, name, values, shape, of_labels):
    np.savez(tmp_path / "keras.npz", **{name: values.reshape(shape), "y_true": Y.reshape(of_labels)})
    read = cv.read_predictions(tmp_path / "keras.npz")
    assert read.labels.tolist() == Y.tolist()
    expected = 1 / (1 + np.exp(-values)) if name == "logits" else values
    np.testing.assert_allclose(read.probs[:, 1], expected, atol=1e-12)


def test_the_likeliest_classes_and_their_probabilities():
    probs = RNG.dirichlet(np.ones(4), N)
    order = np.argsort(-probs, axis=1)
    ranks = {f"top{k + 1}": order[:, k] for k in range(2)}
    sure = {f"top{k + 1}_prob": np.take_along_axis(probs, order, axis=1)[:, k].round(4) for k in range(2)}
    truth = RNG.integers(0, 4, N)
    _, ways = lines(pd.DataFrame({"true": truth} | ranks | sure))
    assert [way.get("prob") for way in ways] == ["top1_prob", "top2_prob", None]
    read = cv.read_predictions(pd.DataFrame({"true": truth} | ranks | sure), prob="top1_prob")
    assert read.of_confidence
    assert read.labels.tolist() == (truth == ranks["top1"]).astype(int).tolist()


def test_of_many_columns_the_one_that_goes_with_the_truth_is_named_first():
    features = {f"feat_{i}": RNG.random(N).round(4) for i in range(50)}
    _, ways = lines(pd.DataFrame(features | {"target": Y, "model_out": PROB}))
    assert ways[0]["prob"] == "model_out"
    assert not any("model" in way for way in ways)


@pytest.mark.parametrize("name", ["uplift", "score"])
def test_differences_of_probabilities_are_none(name):
    table = pd.DataFrame({"treatment": RNG.integers(0, 2, N), "outcome": Y, name: (PROB - 0.4) / 2})
    with pytest.raises(ValueError, match=f"'{name}' from -1 to 1 may be differences of probabilities"):
        cv.read_predictions(table)


@pytest.mark.parametrize("line", ["yes,0.35", "img0.png,0.35", "1,0.7"])
def test_a_first_line_with_a_fraction_is_no_line_of_names(tmp_path, line):
    file = tmp_path / "a.csv"
    file.write_text(f"{line}\n" + "".join(f"{'yes' if y else 'no'},{p}\n" for y, p in zip(Y, PROB, strict=True)))
    with pytest.raises(ValueError, match="the first line holds numbers, such as "):
        cv.read_predictions(file)


ROWS = [f"{y},{p}\n" for y, p in zip(Y, PROB, strict=True)]


@pytest.mark.parametrize(
    ("header", "rows", "last", "said"),
    [
        ("y,prob\n", ROWS, "0.52,0.4736\n", "line 202 of column 'y' is 0.52, the mean of all labels above"),
        ("y,prob\n", ROWS, "0.4,0.5\n0.5,0.3\n0.3,0.2\n", "line 202 of column 'y' is 0.4, .*the last 3 rows are"),
        ("y,prob,id\n", [f"{row[:-1]},{i}\n" for i, row in enumerate(ROWS)], "1,0.99,max\n",
         "line 202 of column 'id' is 'max', but all rows above hold numbers there"),
    ],
)  # fmt: skip  # one row each
def test_a_last_row_that_sums_up_the_others_is_no_sample(tmp_path, header, rows, last, said):
    file = tmp_path / "a.csv"
    file.write_text(header + "".join(rows) + last)
    with pytest.raises(ValueError, match=said):
        cv.read_predictions(file)


def test_names_that_stand_in_the_middle_once_more_are_told_by_their_line(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("y,prob\n" + "".join(ROWS[:5]) + "y,prob\n" + "".join(ROWS[5:]))
    with pytest.raises(ValueError, match="line 7 holds the names of the columns once more: remove it"):
        cv.read_predictions(file)


def test_a_last_label_that_is_a_number_among_words_is_no_sample():
    label = np.where(Y, "cat", "dog").astype(object)
    label[-1] = "0.52"
    with pytest.raises(ValueError, match=r"row 199 of column 'label' is '0\.52', but all labels above are words"):
        cv.read_predictions(pd.DataFrame({"label": label, "predicted": np.where(Y, "dog", "cat"), "confidence": PROB}))


def test_a_coin_beside_labels_with_ties_is_no_predicted_class():
    ties = np.where(np.arange(N) % 50 == 0, 0.5, Y)
    table = pd.DataFrame({"coin": RNG.integers(0, 2, N).astype(str), "label": ties, "prob": PROB})
    assert "4 ties of 0.5 are soft labels" in cv.read_predictions(table).about["assumed"]


def test_one_tie_is_said_as_one():
    table = pd.DataFrame({"label": np.where(np.arange(N) == 7, 0.5, Y), "prob": PROB})
    assert "1 tie of 0.5 is a soft label" in cv.read_predictions(table).about["assumed"]


@pytest.mark.parametrize("name", ["exact_match", "acc", "metrics.exact_match"])
def test_an_exact_match_tells_whether_the_answer_is_right(name):
    read = cv.read_predictions(pd.DataFrame({name: Y, "confidence": PROB}))
    assert read.of_confidence
    assert read.class_names == ("wrong", "right")
    assert f"right from {name!r}" in read.about["assumed"]


@pytest.mark.parametrize("code", [-9, 999])
def test_a_code_of_missing_probabilities_says_how_to_leave_it_out(code):
    table = pd.DataFrame({"label": Y, "prob": np.where(np.arange(N) % 50 == 3, code, PROB)})
    with pytest.raises(
        ValueError, match=rf"probs\[3\] is {code}, no probability, which stands in 4 entries; where it marks"
    ):
        cv.read_predictions(table)
    left = cv.read_predictions(table.replace({"prob": {code: np.nan}}), missing="drop")
    assert left.n_samples == N - 4


@pytest.mark.parametrize("names", [("probs", "labels"), ("y_proba", "y"), ("arr_0", "arr_1")])
def test_an_array_of_classes_and_samples_is_turned(tmp_path, names):
    probs = RNG.dirichlet(np.ones(3), N)
    labels = np.array([RNG.choice(3, p=row) for row in probs])
    np.savez(tmp_path / "turned.npz", **{names[0]: probs.T, names[1]: labels})
    read = cv.read_predictions(tmp_path / "turned.npz")
    np.testing.assert_allclose(read.probs, probs, atol=1e-12)
    assert read.labels.tolist() == labels.tolist()
    assert f"{names[0]!r} turned from (classes, samples) to ({N}, 3)" in read.about["assumed"]


def drawn_of_three():
    probs = RNG.dirichlet(np.ones(3), N).round(6)
    return probs, np.array([RNG.choice(3, p=row / row.sum()) for row in probs])


def test_columns_that_hold_the_name_of_the_truth_are_of_its_classes():
    table = pd.DataFrame(  # as SAS Viya writes it
        {"BAD": Y, "P_BAD1": PROB, "P_BAD0": (1 - PROB).round(4), "I_BAD": (PROB > 0.5).astype(int)}
        | {"EM_EVENTPROBABILITY": PROB, "EM_PROBABILITY": np.maximum(PROB, 1 - PROB)}
    )
    read = cv.read_predictions(table)
    assert read.about["assumed"].startswith("P(1) from 'P_BAD1'")
    assert "truth from 'BAD'" in read.about["assumed"]


def test_a_list_whose_numbers_add_up_to_one_holds_the_probabilities():
    probs, labels = drawn_of_three()
    table = pd.DataFrame({"label": labels, "prediction": probs.argmax(1)})
    table["outputs"] = probs.tolist()
    np.testing.assert_allclose(cv.read_predictions(table).probs, probs, atol=1e-6)


def test_two_options_come_out_as_no_and_yes(tmp_path):
    file = tmp_path / "of_bigquery.jsonl"
    answers = zip(PROB.tolist(), np.where(Y, "yes", "no").tolist(), strict=True)
    records = [
        {"predicted_label_probs": [{"label": "yes", "prob": p}, {"label": "no", "prob": 1 - p}], "label": y}
        for p, y in answers
    ]
    file.write_text("\n".join(map(json.dumps, records)))
    read = cv.read_predictions(file)
    assert read.class_names == ("no", "yes")
    np.testing.assert_allclose(read.probs[:, 1], PROB, atol=1e-12)


def test_a_score_whose_name_says_per_cent_is_read_as_that():
    table = pd.DataFrame({"Sepsis": np.where(Y, "Y", "N"), "Sepsis Score (%)": (100 * PROB).round(1)})
    read = cv.read_predictions(table)
    np.testing.assert_allclose(read.probs[:, 1], (100 * PROB).round(1) / 100, atol=1e-12)
    assert "probabilities in per cent" in read.about["assumed"]


def test_a_column_of_other_words_than_the_classes_is_asked_about_by_its_first_letters():
    probs, labels = drawn_of_three()
    columns = dict(zip(("p_home", "p_draw", "p_away"), probs.T, strict=True))
    table = pd.DataFrame(columns | {"FTR": np.array([*"HDA"])[labels]})
    said, ways = lines(table)
    assert "found no labels" in said
    assert ways == [{"label": "FTR", "prob": ["p_home", "p_draw", "p_away"], "classes": ["H", "D", "A"]}]


def test_the_probabilities_of_a_market_and_of_a_model_are_both_asked_about_beside_odds():
    probs, labels = drawn_of_three()
    model = dict(zip(("model_p_home", "model_p_draw", "model_p_away"), probs.T, strict=True))
    market = dict(zip(("p_home", "p_draw", "p_away"), np.roll(probs, 1, axis=0).T, strict=True))
    odds = {f"odds_{name[2:]}": 0.95 / np.maximum(values, 0.01) for name, values in market.items()}
    said, ways = lines(pd.DataFrame(odds | market | model | {"result": np.array([*"HDA"])[labels]}))
    assert "nothing says which of 'p_home', 'p_draw', 'p_away' is of which class" in said
    assert [way["prob"] for way in ways] == [[*model], [*market]]
    assert all(way["classes"] == ["H", "D", "A"] for way in ways)


@pytest.mark.parametrize("rows", [N, N - 7])
def test_models_that_answer_the_same_questions_are_asked_about_whatever_names_these(rows):
    half = N // 2
    questions = [f"Which is larger, {i} or {i + 1}?" for i in range(half)]
    table = pd.DataFrame(
        {"model": np.repeat(["a", "b"], half), "prompt": [*questions, *questions], "confidence": PROB, "correct": Y}
    )[:rows]
    said, ways = lines(table)
    assert "'model' names 2 models, 'a', 'b', that predict the same rows" in said
    assert ways[0]["model"] == "model"


def test_grades_say_whether_answers_that_all_differ_are_right():
    answers = {"answer": [f"answer {i}" for i in range(N)], "confidence": (100 * PROB).round()}
    read = cv.read_predictions(pd.DataFrame(answers | {"grade": np.where(Y, "CORRECT", "INCORRECT")}))
    assert "right from 'grade'" in read.about["assumed"]
    assert read.labels.tolist() == Y.tolist()
    grades = np.where(np.arange(N) % 9, np.where(Y, "CORRECT", "INCORRECT"), "NOT_ATTEMPTED")
    said, ways = lines(pd.DataFrame(answers | {"grade": grades}))
    assert "'NOT_ATTEMPTED', neither 'INCORRECT' nor 'CORRECT'" in said
    assert ways == [{"label": "grade", "prob": "confidence", "ignore": ["NOT_ATTEMPTED"]}]


def test_letters_that_may_grade_answers_are_asked_about():
    letters = np.where(np.arange(N) % 9, np.where(Y, "A", "B"), "C")
    table = pd.DataFrame({"answer": [f"answer {i}" for i in range(N)], "grade": letters, "confidence": PROB})
    said, ways = lines(table)
    assert "the letters in 'grade' may be grades of answers: A correct, B incorrect, C not attempted" in said
    right = {"label": "grade", "prob": "confidence", "positive": "A"}
    assert ways == [right | {"ignore": ["C"]}, right]
    read = cv.read_predictions(table, **ways[0])
    assert read.labels.tolist() == Y[letters != "C"].tolist()
    assert cv.read_predictions(table.assign(correct=Y)).labels.tolist() == Y.tolist()


def test_letters_in_two_columns_are_answers_and_no_grades():
    probs, labels = drawn_of_three()
    letters, likeliest = np.array(list("ABC")), probs.argmax(axis=1)
    table = {"answer": letters[labels], "graded_answer": letters[likeliest], "confidence": probs.max(axis=1)}
    read = cv.read_predictions(pd.DataFrame(table))
    assert "in the class of 'graded_answer'" in read.about["assumed"]
    assert read.labels.tolist() == (likeliest == labels).tolist()


@pytest.mark.parametrize("truth", ["true_species", "actual_species", "species_true", "species"])
@pytest.mark.parametrize("predicted", ["pred_species", "predicted_species"])
@pytest.mark.parametrize("names", [np.array(["ape", "bee", "cow"]), np.arange(3)])
def test_the_truth_is_known_by_a_word_beside_a_prediction_of_the_same_classes(truth, predicted, names):
    probs, labels = drawn_of_three()
    likeliest = probs.argmax(axis=1)
    columns = {truth: names[labels], predicted: names[likeliest], "confidence": probs.max(axis=1).round(3)}
    read = cv.read_predictions(pd.DataFrame(columns | {"site": np.array(["x", "y", "z"])[RNG.integers(0, 3, N)]}))
    assert (
        f"in the class of {predicted!r}" in read.about["assumed"] and f"truth from {truth!r}" in read.about["assumed"]
    )
    assert read.labels.tolist() == (likeliest == labels).tolist()


def test_the_ends_of_an_interval_are_no_confidences():
    ends = {"conf.low": (0.9 * PROB).round(4), "conf.high": np.minimum(1, 1.1 * PROB).round(4)}
    read = cv.read_predictions(pd.DataFrame({"y": Y, ".fitted": PROB} | ends))  # as broom writes them
    assert read.about["assumed"].startswith("P(1) from '.fitted'")
    assert not read.fields


def test_a_score_from_0_to_100_that_no_name_calls_per_cent_is_asked_about():
    _, ways = lines(pd.DataFrame({"Biopsy": np.where(Y, "malignant", "benign"), "AI score": (100 * PROB).round()}))
    assert ways == [{"label": "Biopsy", "prob": "AI score", "normalize": True}]


def test_labels_beyond_the_classes_are_asked_about_beside_another_truth(tmp_path):
    probs = RNG.dirichlet(np.ones(2), N)
    labels = RNG.integers(2, size=N)
    arrays = {"probs": probs, "targets": labels + 1, "gold": 1 - labels, "images": np.zeros((N, 2, 2), np.uint8)}
    np.savez(tmp_path / "p.npz", **arrays)
    said, ways = lines(tmp_path / "p.npz")
    assert "two columns may hold the truth" in said
    assert ways == [{"label": "targets", "prob": "probs", "classes": ["1", "2"]}, {"label": "gold", "prob": "probs"}]


def test_what_is_likeliest_stands_last_in_an_array_of_classes_and_samples_too(tmp_path):
    probs, labels = drawn_of_three()
    for form in (probs, probs.T):
        np.savez(tmp_path / "p.npz", probs=form, targets=probs.argmax(axis=1), gold=labels)
        _, ways = lines(tmp_path / "p.npz")
        assert ways == [{"label": "gold", "prob": "probs"}, {"label": "targets", "prob": "probs"}]


def test_an_array_that_is_named_as_labels_holds_no_probabilities(tmp_path):
    probs, _ = drawn_of_three()
    np.savez(tmp_path / "p.npz", probs=probs, logits=np.log(probs[:, ::-1]))
    read = cv.read_predictions(tmp_path / "p.npz", label="probs")
    np.testing.assert_allclose(read.probs, probs[:, ::-1], atol=1e-5)
    np.testing.assert_allclose(read.soft_labels, probs, atol=1e-5)
    np.savez(tmp_path / "p.npz", probs=probs, age=np.ones(N))
    with pytest.raises(ValueError, match="found no probabilities among the arrays 'age': expected"):
        cv.read_predictions(tmp_path / "p.npz", label="probs")


OBJECTS = [json.dumps({"no": round(1 - p, 4), "yes": p}) for p in PROB.tolist()]
ANSWERS = np.where(Y, "yes", "no")


@pytest.mark.parametrize(
    ("names", "labels"),
    [(("no", "yes"), ANSWERS), (("0", "1"), Y), (("0", "1"), Y.astype(float))],
)
@pytest.mark.parametrize("column", ["PROBABILITIES", "SCORED"])
@pytest.mark.parametrize("truth", ["label", "CHURNED"])
@pytest.mark.parametrize("is_within", [False, True])
def test_objects_in_cells_give_each_class_its_probability(tmp_path, names, labels, column, truth, is_within):
    cells = [dict(zip(names, (round(1 - p, 4), p), strict=True)) for p in PROB.tolist()]
    if is_within:  # as Snowflake predicts
        cells = [{"class": max(cell, key=cell.get), "logs": None, "probability": cell} for cell in cells]
    table = pd.DataFrame({"ID": np.arange(N) + 7, truth: labels, column: list(map(json.dumps, cells))})
    table.to_csv(path := tmp_path / "p.csv", index=False)
    for source in (path, table):
        read = cv.read_predictions(source)
        assert (read.class_names, list(read.fields), read.labels.tolist()) == (names, [], Y.tolist())
        np.testing.assert_array_equal(read.probs[:, 1], PROB)


def test_what_names_the_options_of_objects_without_a_word_of_truth_is_asked_about():
    _, ways = lines(pd.DataFrame({"group": np.char.title(ANSWERS), "other": ANSWERS[::-1], "probs": OBJECTS}))
    assert ways == [{"label": name, "prob": "probs"} for name in ("group", "other")]
    read = cv.read_predictions(pd.DataFrame({"churned": ANSWERS, "previous_churn": ANSWERS[::-1], "probs": OBJECTS}))
    assert "truth from 'churned'" in read.about["assumed"]
    likeliest = np.where(PROB > 0.5, "yes", "no")
    said, _ = lines(pd.DataFrame({"churned": likeliest, "probs": OBJECTS}))
    assert "every label of 'churned' is the likeliest class" in said


def test_options_that_are_numbers_may_be_named_by_a_column_of_any_name(tmp_path):
    records = [
        {"option_ids": [7, 9], "probs": [round(1 - p, 4), p], "chosen_by": 9 if y else 7, "letter": "B" if y else "A"}
        for p, y in zip(PROB.tolist(), Y, strict=True)
    ]
    (path := tmp_path / "p.jsonl").write_text("\n".join(map(json.dumps, records)))
    said, ways = lines(path)
    assert "found no answers among the keys" in said
    assert ways == [{"label": "chosen_by", "prob": "probs"}]


def test_an_object_that_names_a_class_twice_is_refused():
    twice = [f'{cell[:-1]}, "yes": 0.5}}' for cell in OBJECTS]
    with pytest.raises(ValueError, match="row 0 of column 'probs' is "):
        cv.read_predictions(pd.DataFrame({"label": ANSWERS, "probs": twice}))


CLOUDS = {
    "Vertex AI": lambda p, y: {
        "instance": {"age": "40", "churned": y}, "prediction": {"classes": ["no", "yes"], "scores": [1 - p, p]},
    },
    "Comprehend": lambda p, y: {
        "Line": 0, "Label": y, "Classes": [{"Name": "yes", "Score": p}, {"Name": "no", "Score": 1 - p}],
    },
    "Custom Vision": lambda p, y: {
        "truth": y, "predictions": [{"tagName": "no", "probability": 1 - p}, {"tagName": "yes", "probability": p}],
    },
    "BigQuery": lambda p, y: {
        "predicted_churn": "yes" if p > 0.5 else "no", "churn": y,
        "predicted_churn_probs": [{"label": "yes", "prob": f"{p}"}, {"label": "no", "prob": f"{1 - p}"}],
    },
    "Autopilot": lambda p, y: {
        "predicted_label": "yes" if p > 0.5 else "no", "probability": max(p, 1 - p),
        "probabilities": f"[{1 - p}, {p}]", "labels": "['no', 'yes']", "Churn?": y,
    },
}  # fmt: skip  # a record of each in a few lines


@pytest.mark.parametrize("write", CLOUDS.values(), ids=CLOUDS)
def test_predictions_of_services_are_read(tmp_path, write):
    records = [write(p, y) for p, y in zip(PROB.tolist(), ANSWERS.tolist(), strict=True)]
    if isinstance(records[0].get("labels"), str):
        pd.DataFrame(records).to_csv(path := tmp_path / "p.csv", index=False)
    else:
        (path := tmp_path / "p.jsonl").write_text("\n".join(map(json.dumps, records)))
    read = cv.read_predictions(path)
    assert (read.class_names, read.labels.tolist()) == (("no", "yes"), Y.tolist())
    np.testing.assert_allclose(read.probs[:, 1], PROB, atol=1e-12)


def test_classes_are_known_by_the_list_that_the_truth_names(tmp_path):
    names = {"ids": ["11", "12"], "displayNames": ["no", "yes"]}
    records = [
        {"instance": {"churn": y}, "prediction": names | {"confidences": [1 - p, p]}}
        for p, y in zip(PROB.tolist(), ANSWERS.tolist(), strict=True)
    ]
    (tmp_path / "p.jsonl").write_text("\n".join(map(json.dumps, records)))
    read = cv.read_predictions(tmp_path / "p.jsonl")
    assert (read.class_names, read.labels.tolist()) == (("no", "yes"), Y.tolist())


def test_a_numbered_id_of_groups_of_rows_is_no_truth():
    classes = np.array(["ant", "bee", "fly"])
    family = {f".pred_{name}": part for name, part in zip(classes, (PROB / 2, PROB / 2, 1 - PROB), strict=True)}
    repeats, kinds = np.resize(["Repeat1", "Repeat2"], N), np.where(Y == 1, np.resize(classes[:2], N), "fly")
    p = cv.read_predictions(pd.DataFrame(family | {"id": "Fold1", "id2": repeats, "kind": kinds}))
    assert p.about["assumed"].startswith("P(ant), P(bee), P(fly)") and "truth from 'kind'" in p.about["assumed"]


def test_the_classes_that_a_model_predicts_are_no_probabilities():
    table = pd.DataFrame({"truth": ["ant", "bee", "fly"] * 9, "prediction": ["ant", "bee", "bee"] * 9})
    for prediction in (table["prediction"], ["ant"] * 27):
        with pytest.raises(ValueError, match="'prediction' may hold predicted classes, which are no probabilities"):
            cv.read_predictions(table.assign(prediction=prediction))


def test_the_name_of_the_probabilities_may_tell_a_class_that_no_label_has():
    said, ways = lines(pd.DataFrame({"label": ["ham"] * 4, "prob_spam": [0.1, 0.3, 0.8, 0.2]}))
    assert "since every label is this one" in said
    given = {"label": "label", "prob": "prob_spam"}
    assert ways == [given | {"classes": ["ham", "spam"]}, given | {"positive": "ham"}]
    _, ways = lines(pd.DataFrame({"label": ["ham"] * 4, "predicted_probability": [0.1, 0.3, 0.8, 0.2]}))
    assert [way["positive"] for way in ways] == ["ham"]


def test_names_and_dates_of_an_outcome_are_no_truth_in_few_rows():
    days = ["2024-01-01", "2024-01-02", "2024-01-02"]
    table = pd.DataFrame({"target_name": ["cup", "cup", "final"], "outcome_date": days, "yes_prob": [0.7, 0.4, 0.2]})
    with pytest.raises(ValueError, match="found no labels among the columns"):
        cv.read_predictions(table)
    p = cv.read_predictions(table.assign(outcome_type=["yes", "no", "no"]))
    assert "truth from 'outcome_type'" in p.about["assumed"]


def test_points_of_a_curve_are_none_beside_a_column_of_two_answers():
    rates = np.linspace(0, 1, 24)
    table = pd.DataFrame({"method": ["graph", "tree"] * 12, "threshold": 1 - rates, "tpr": rates**0.5, "fpr": rates})
    with pytest.raises(ValueError, match="'tpr', 'fpr' are points of a curve, not predictions"):
        cv.read_predictions(table)


def test_probabilities_that_do_not_add_up_are_those_of_models():
    said, ways = lines(
        pd.DataFrame({"p_ours": [0.34, 0.58, 0.62], "p_market": [0.41, 0.52, 0.55], "outcome": [0, 1, 1]})
    )
    assert "'p_ours', 'p_market' do not add up to 1: each may hold the probabilities" in said
    assert [way["prob"] for way in ways] == ["p_ours", "p_market"]


def test_numbers_little_above_one_are_no_per_cents():
    with pytest.raises(ValueError, match="a probability lies between 0 and 1; pass normalize=True if these") as caught:
        cv.read_predictions(pd.DataFrame({"label": [0, 1] * 11, "score": np.linspace(0.3, 2.2, 22)}))
    assert not isinstance(caught.value, Question)  # with a line that divides 2.2 by 100


@pytest.mark.parametrize(
    "column",
    [
        {"correct": lambda y, p, said: y == said},
        {"wrong": lambda y, p, said: np.where(y == said, "", "x")},
        {"error_type": lambda y, p, said: np.select([y * said == 1, y == 1, said == 1], ["TP", "FN", "FP"], "TN")},
        {"kind": lambda y, p, said: np.select([y == said, y == 1], ["none", "missed"], "false alarm")},
        {"residual": lambda y, p, said: y - p},
        {"brier": lambda y, p, said: ((y - p) ** 2).round(6)},
        {"loss": lambda y, p, said: -np.log(np.where(y == 1, p, 1 - p).clip(1e-4))},
        {"iou": lambda y, p, said: (y + p) / 2},  # of which the truth is whether it is above 1/2
    ],
    ids=lambda column: next(iter(column)),
)
def test_what_is_computed_from_the_truth_is_no_field(column):
    [(name, of)] = column.items()
    said = (PROB > 0.4).astype(int)
    table = pd.DataFrame(
        {"y_true": Y, "y_prob": PROB, "y_pred": said, "site": np.arange(N) % 3, name: of(Y, PROB, said)}
    )
    p = cv.read_predictions(table)
    assert list(p.fields) == ["y_pred", "site"] and f"not fields: {name}" in p.about["assumed"]
    assert list(cv.read_predictions(table, fields=[name]).fields) == [name]


@pytest.mark.parametrize(("others", "is_said"), [("test", True), ("VALIDATION", True), ("bus", False)])
def test_rows_that_a_model_was_fitted_to_are_said_to_count(others, is_said):
    table = pd.DataFrame({"label": Y, "prob": PROB, "split": np.resize(["Train", others], N)})
    said = "rows of 'Train' in 'split' count, too: a model looks better on those it was fitted to"
    p = cv.read_predictions(table)
    assert list(p.fields) == ["split"] and (said in p.about["assumed"]) == is_said


@pytest.mark.parametrize("events", [4, 5])
def test_a_number_above_few_others_is_not_computed_from_the_truth(events):
    table = pd.DataFrame({"y_true": np.arange(N) >= N - events, "y_prob": PROB, "age": np.arange(N) + 0.5})
    assert ("age" in cv.read_predictions(table, positive="True").fields) == (events < 5)


BINS = pd.DataFrame({"n": [4000, 500, 90, 60, 40, 30], "avg_mid": [0.02, 0.07, 0.35, 0.52, 0.7, 0.95]})
WINS = np.array([70, 40, 30, 33, 29, 29])


def test_counts_whose_mean_has_no_known_name_are_asked_about():
    for events in ({"home_wins": WINS}, {"actual": WINS / BINS["n"]}):
        said, ways = lines(BINS.assign(**events))
        [name] = events
        assert "only its numbers say that 'avg_mid' may be the mean probability of 'n' samples a row" in said
        assert ways == [{"label": name, "prob": "avg_mid"}]
        p = cv.read_predictions(BINS.assign(**events), **ways[0])
        assert p.weights.sum() == BINS["n"].sum()
        np.testing.assert_allclose(p.weights[p.labels == 1], WINS)


def test_an_event_in_words_beside_a_number_is_that_of_a_sample():
    table = pd.DataFrame({"n": np.arange(N) % 5 + 2, "event": np.where(Y, "yes", "no"), "risk": PROB})
    assert cv.read_predictions(table).about["assumed"].startswith("P(yes) from 'risk'")
    table = pd.DataFrame({"n": np.arange(N) % 5 + 2, "heart_event": Y, "risk": PROB})
    assert cv.read_predictions(table).weights is None


@pytest.mark.parametrize("rows", [6, N])
def test_measurements_are_no_classes_in_few_rows_too(rows):
    table = pd.DataFrame({"True": (PROB * 70 + 3)[:rows], "Predicted": (NOISE * 70)[:rows]})
    with pytest.raises(ValueError, match=r"'True' has \d+ different numbers: no classes"):
        cv.read_predictions(table)


def test_outcomes_that_add_up_to_a_little_less_than_one_are_asked_about():
    rng = np.random.default_rng(3)
    every = rng.dirichlet([4, 2, 3], N)
    results = np.array(["win", "draw", "lose"])[(rng.random((N, 1)) > every.cumsum(axis=1)).sum(axis=1)]
    probs = (every * rng.uniform(0.85, 1, (N, 1))).round(4)
    table = pd.DataFrame(probs, columns=["p_home_win", "p_draw", "p_away_win"]).assign(outcome=results)
    said, ways = lines(table)
    assert "add up to 1 or a little less, as where rare outcomes are left out: normalize=True rescales them" in said
    assert [way["classes"] for way in ways] == [["lose", "draw", "win"], ["win", "draw", "lose"]]
    p = cv.read_predictions(table, **ways[1])
    np.testing.assert_allclose(p.probs, probs / probs.sum(axis=1, keepdims=True))


def test_both_sides_of_each_game_are_said():
    sides = np.column_stack([PROB, (1 - PROB).round(4)]).ravel()
    table = pd.DataFrame({"p": sides, "won": np.column_stack([Y, 1 - Y]).ravel(), "order": np.arange(2 * N) % 7})
    said = "every second row is the one above from the other side: half of the rows are independent"
    for options in ({}, {"label": "won", "prob": "p"}):
        assert said in cv.read_predictions(table, **options).about["assumed"]
    assert said not in cv.read_predictions(table.sort_values("order")).about["assumed"]


def test_the_other_column_of_a_file_of_the_truth_is_the_truth(tmp_path):
    words = [f"text {i}" for i in range(10)]
    predictions = pd.DataFrame({"text": words, "prediction": ["spam", "ham"] * 5, "spam_probability": [0.9, 0.2] * 5})
    predictions.to_csv(tmp_path / "p.csv", index=False)
    truth = pd.DataFrame({"text": words[::-1], "category": ["ham"] * 4 + ["spam"] * 6})
    truth.to_csv(tmp_path / "t.csv", index=False)
    p = cv.read_predictions(tmp_path / "p.csv", truth=tmp_path / "t.csv")
    assert "truth from 'category'" in p.about["assumed"] and p.labels.tolist() == [1] * 6 + [0] * 4
    truth.assign(category=np.linspace(0.05, 0.95, 10)).to_csv(tmp_path / "t.csv", index=False)  # probabilities
    with pytest.raises(ValueError, match="found no labels among the columns"):
        cv.read_predictions(tmp_path / "p.csv", truth=tmp_path / "t.csv")


def games():
    """The two teams of each game, and the one that won it."""
    rng = np.random.default_rng(4)
    teams = np.array([f"team {i}" for i in range(12)])
    home = rng.integers(0, 12, N)
    sides = teams[home], teams[(home + rng.integers(1, 12, N)) % 12]
    return pd.DataFrame({"home_team": sides[0], "away_team": sides[1]}), np.where(Y, *sides)


def test_the_winner_may_be_named_by_what_stands_in_two_other_columns():
    table, winner = games()
    table = table.assign(actual_winner=winner, home_win_prob=PROB, favorite=np.where(PROB > 0.5, *table.to_numpy().T))
    p = cv.read_predictions(table)
    assert (
        "'actual_winner' is of the class home or away, as it stands in 'home_team', 'away_team'" in p.about["assumed"]
    )
    assert p.class_names == ("away", "home")
    np.testing.assert_array_equal(p.labels, Y)
    np.testing.assert_array_equal(p.probs[:, 1], PROB)
    table = table.assign(pick_correct=(PROB > 0.5) == Y, confidence=np.abs(2 * PROB - 1).round(4))
    open_games = table.assign(actual_winner=[None, None, *winner[2:]])
    _, ways = lines(open_games, prob="home_win_prob")
    assert ways == [{"label": "actual_winner", "prob": "home_win_prob", "missing": "drop"}]
    p = cv.read_predictions(open_games, **ways[0])
    assert len(p) == N - 2 and {"pick_correct"} < {*table.columns} - {*p.fields} and "confidence" in p.fields
    with pytest.raises(ValueError, match="found no labels among the columns"):  # no name says that somebody won
        cv.read_predictions(table.drop(columns=["actual_winner", "pick_correct", "confidence"]))
    assert (
        cv.read_predictions(table.rename(columns={"actual_winner": "who"}), label="who", prob="home_win_prob").n_classes
        == 2
    )


def test_a_draw_is_a_class_of_its_own_beside_the_winners():
    table, winner = games()
    table = table.assign(
        winner=np.where(NOISE > 0.6, "Draw", winner), p_home=0.5 * PROB, p_draw=0.5, p_away=0.5 - 0.5 * PROB
    )
    p = cv.read_predictions(table.round(4).assign(p_draw=lambda t: 1 - t["p_home"] - t["p_away"]))
    assert p.class_names == ("home", "draw", "away") and np.bincount(p.labels)[1] == (NOISE > 0.6).sum()


def test_the_answer_of_two_annotators_is_no_winner_of_them():
    no, yes = "no", "yes"
    table = pd.DataFrame(
        {"rater_1": np.where(Y * (NOISE > 0.5), yes, no), "rater_2": np.where(Y * (NOISE <= 0.5), yes, no)}
    )
    p = cv.read_predictions(table.assign(truth=np.where(Y, yes, no), prob=PROB), label="truth", prob="prob")
    assert p.class_names == (no, yes)


@pytest.mark.parametrize("rows", [2, 3, 4])
def test_few_answers_beside_the_right_ones_are_those_of_the_model(rows):
    answers, gold = ["owl", "owl", "cat", "owl"][:rows], ["dog", "owl", "cat", "owl"][:rows]
    p = cv.read_predictions(pd.DataFrame({"answer": answers, "gold": gold, "confidence": [0.6, 0.4, 0.7, 0.9][:rows]}))
    assert p.about["assumed"].startswith("confidence from 'confidence' in the class of 'answer'")
    assert p.labels.tolist() == [0, 1, 1, 1][:rows]


@pytest.mark.parametrize(
    ("truth", "no", "yes"),
    [
        ("active", "p_inactive", "p_active"),
        ("label", "prob_no_rust", "prob_rust"),
        ("y", "p_benign", "p_malignant"),
        ("died", "p_survived", "p_died"),
    ],
)
@pytest.mark.parametrize("answers", [("0", "1"), ("no", "yes")])
def test_of_two_names_that_of_the_opposite_is_of_the_answer_no(truth, no, yes, answers):
    labels = np.array(answers)[Y]
    for family in ({no: 1 - PROB, yes: PROB}, {yes: PROB, no: 1 - PROB}):
        p = cv.read_predictions(pd.DataFrame({truth: labels} | family))
        assert p.about["assumed"].startswith(f"P({answers[1]}) from {yes!r}")
        np.testing.assert_allclose(p.probs[:, 1], PROB)
    given, _ = lines(pd.DataFrame({truth: labels, "prob_fake": PROB, "prob_real": 1 - PROB}))
    assert "nothing says which of 'prob_fake', 'prob_real' is of which class" in given


@pytest.mark.parametrize(
    ("truth", "no", "yes"),
    [("survived", "p_died", "p_survived"), ("absent", "present", "absent"), ("lost", "prob_won", "prob_lost")],
)
@pytest.mark.parametrize("rows", [24, N])
def test_names_of_answers_that_speak_against_that_of_the_truth_are_asked_about(truth, no, yes, rows):
    table = pd.DataFrame({truth.title(): Y, no: 1 - PROB, yes: PROB})[:rows]
    _, ways = lines(table)
    assert [way["classes"] for way in ways] in ([["0", "1"], ["1", "0"]], [["1", "0"], ["0", "1"]])
    for way in ways:
        p = cv.read_predictions(table, **way)
        np.testing.assert_allclose(p.probs[:, p.class_names.index(way["classes"][1])], PROB[:rows])


@pytest.mark.parametrize("other", ["score", "prob", "confidence", "ocr_confidence", "risk"])
@pytest.mark.parametrize(("truth", "after"), [("churn", "churn_prob"), ("is_fraud", "fraud_score")])
def test_a_probability_named_after_the_truth_is_asked_about_beside_a_usual_name(truth, after, other):
    _, ways = lines(pd.DataFrame({truth: Y, other: NOISE, after: PROB}))
    assert {other, after} <= {way["prob"] for way in ways if "prob" in way}


@pytest.mark.parametrize("usual", ["score", "risk", "forecast"])
def test_a_score_is_asked_about_beside_what_its_name_calls_a_probability(usual):
    said, ways = lines(pd.DataFrame({"label": Y, usual: NOISE, "model_prob": PROB}))
    assert said.startswith("two columns may hold the probabilities")
    assert [way["prob"] for way in ways if "prob" in way] == [usual, "model_prob"]
    assert list(cv.read_predictions(pd.DataFrame({"label": Y, "prob": PROB, "rain_prob": NOISE})).fields) == [
        "rain_prob"
    ]


@pytest.mark.parametrize("truth", ["died", "diagnosis"])
@pytest.mark.parametrize("threshold", [0.5, 0.3])
def test_whether_a_threshold_was_right_about_the_truth_is_no_truth(truth, threshold):
    right = np.equal(threshold < PROB, Y)
    p = cv.read_predictions(pd.DataFrame({"prob": PROB, "correct": right, truth: Y}))
    assert p.about["assumed"].startswith("P(1) from 'prob'") and f"truth from '{truth}'" in p.about["assumed"]


def test_what_is_right_is_asked_about_beside_a_named_outcome_that_does_not_explain_it():
    table = pd.DataFrame({"prob": PROB, "correct": np.random.default_rng(0).permutation(Y), "churn": Y})
    said, ways = lines(table)
    assert said.startswith("two columns may hold the truth") and {way["label"] for way in ways} == {"churn", "correct"}
    sure = pd.DataFrame({"confidence": PROB, "correct": Y, "default_prompt": np.resize([0, 1], N)})
    assert cv.read_predictions(sure).of_confidence


def test_a_true_positive_is_no_better_truth_than_another_column():
    _, ways = lines(pd.DataFrame({"prob": PROB, "diagnosis": Y, "true_positive": Y * (PROB > 0.5)}))
    assert [way["label"] for way in ways] == ["diagnosis", "true_positive"]


def test_classes_that_do_not_go_with_their_probabilities_are_not_called_two_answers():
    family = {"p_ant": PROB / 2, "p_bee": PROB / 2, "p_fly": 1 - PROB}
    said, ways = lines(pd.DataFrame(family | {"species": RNG.permutation(np.resize(["ant", "bee", "fly"], N))}))
    assert said.startswith("nothing but its classes says that 'species' holds the truth")
    assert ways == [{"label": "species", "prob": [*family]}]
