"""Zarr, parquet and xarray opened in parts; what is wrong says where."""

from itertools import product

import dask.array as da
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from lazy_samples import SOURCES, N, binary, files, frame, opened, parquet, same_sums, zarr

import calibviz as cv

BAD = 4321
CENSORED = "'label' looks like an outcome that may be censored, with follow-up in 'time'"


@pytest.mark.parametrize("source", [zarr, parquet, lambda data, folder: files(data, folder / "many")])
def test_what_fits_in_memory_is_read_at_once_too(source, data, whole, tmp_path):
    found = cv.read_predictions(source(data, tmp_path))
    np.testing.assert_array_equal(found.probs, whole.probs)
    np.testing.assert_array_equal(found.labels, whole.labels)
    assert {"age", "site"} <= found.fields.keys() <= {"age", "site", "day"}


@pytest.mark.parametrize("source", SOURCES)
def test_the_first_bad_row_is_named(source, data, tmp_path):
    labels = data["label"].values.copy()
    labels[[BAD, BAD + 1, N - 1]] = 7  # no code of missing labels, as 9 is
    lazy = SOURCES[source](data.assign(label=("sample", labels)), tmp_path)
    with pytest.raises(ValueError, match=rf"labels\[{BAD}\] is 7, but the 4 classes are 0..3"):
        cv.summarize(lazy, progress=False)


def test_a_bad_probability_is_named(data, tmp_path):
    probs = data["probs"].values.copy()
    probs[BAD, 2] = 1.5
    with pytest.raises(ValueError, match=rf"preds.zarr, rows 4,000 to 4,999: probs\[{BAD}, 2\] is 1.5"):
        cv.summarize(SOURCES["zarr"](data.assign(probs=(("sample", "class"), probs)), tmp_path), progress=False)


def test_a_damaged_chunk_is_named(data, tmp_path):
    path = zarr(data, tmp_path)
    chunk = next((path / "probs").glob("6.0"), None)
    assert chunk is not None
    chunk.write_bytes(b"damaged" * 9)
    with pytest.raises(ValueError, match=r"preds.zarr, rows 3,000 to 3,999: the zarr store cannot be read"):
        cv.summarize(cv.open_predictions(path, rows=1000), progress=False)
    with pytest.raises(ValueError, match=r"rows 3,000 to 3,499: cannot be computed"):
        cv.summarize(cv.open_predictions(xr.open_zarr(tmp_path / "preds.zarr")), progress=False)


def test_a_damaged_parquet_is_named(data, tmp_path):
    folder = files(data, tmp_path / "many")
    path = folder / "day=1" / "part.parquet"
    content = bytearray(path.read_bytes())
    content[100:20_000] = b"x" * 19_900
    path.write_bytes(bytes(content))
    with pytest.raises(ValueError, match=r"day=1/part.parquet, rows 2,000 to 2,\d+: the parquet file cannot be read"):
        cv.summarize(cv.open_predictions(folder, rows=900), progress=False)
    with pytest.raises(ValueError, match=r"many: day=1/part.parquet cannot be read and may be damaged"):
        cv.read_predictions(folder)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda f: cv.open_predictions(f / "none.zarr"), FileNotFoundError, "there is no such file"),
        (lambda f: cv.open_predictions(f / "*.parquet"), FileNotFoundError, "pass the folder, of which all"),
        (lambda f: cv.open_predictions("s3://b/p.zarr"), FileNotFoundError, "s3://b/p.zarr: .* pass what xarray opens"),
        (lambda f: cv.open_predictions([f]), TypeError, r"source must be the path of a file .* not list"),
        (lambda f: cv.open_predictions(__file__), ValueError, "expected .zarr, .parquet or a folder"),
        (lambda f: cv.open_predictions(opened(f, p_0=[0.1])), ValueError, "found no labels among the columns 'p_0'"),
        (
            lambda f: cv.open_predictions(opened(f, label=[1], p_1=[0.1], p_3=[0.9])),
            ValueError,
            "the column 'p_0' is missing",
        ),
        (
            lambda f: cv.open_predictions(opened(f, label=["a"], a=[0.1], b=[0.9])),
            ValueError,
            "every label is 'a', which",
        ),
        (
            lambda f: cv.open_predictions(opened(f, label=[1], prob=[0.1], p=[0.9])),
            ValueError,
            "of the columns 'prob', 'p' could",
        ),
        (
            lambda f: cv.open_predictions(opened(f, label=["a"], a=[0.1], b=[0.9]), class_names=["a", "c"]),
            ValueError,
            "class_names: no column of scores is named 'c'",
        ),
        (
            lambda f: cv.open_predictions(opened(f, label=[1], prob=[0.1]), fields=["age"]),
            ValueError,
            "fields='age': no column has this name",
        ),
        (
            lambda f: cv.open_predictions(binary(9).expand_dims(model=["a"])),
            ValueError,
            r"the variable 'prob' has a dimension 'model': choose one .* by .isel\(model=0\)",
        ),
        (lambda f: cv.open_predictions(binary(9), fields="age"), ValueError, "fields must be"),
        (
            lambda f: cv.evaluate({"a": cv.open_predictions(binary(9)), "b": cv.simulated("resnet110_c10", 9)}),
            TypeError,
            r"predictions\['b'\] is not from cv.open_predictions",
        ),
        (lambda f: cv.evaluate(cv.open_predictions(binary(9)), folds=2), ValueError, "folds are of predictions in"),
        (
            lambda f: cv.evaluate(cv.open_predictions(binary(9)), calibrators="spline"),
            ValueError,
            "calibration is missing: .*calibration=0.5",
        ),
        (lambda f: cv.open_predictions(binary(9)).sample(0), ValueError, "n must be"),
    ],
)
def test_what_cannot_be_opened_says_why(call, kind, message, tmp_path):
    with pytest.raises(kind, match=message):
        call(tmp_path)


def test_columns_named_by_classes_and_only_the_fields_wanted(tmp_path):
    path = opened(
        tmp_path, label=["cat", "dog", "cat"], cat=[0.9, 0.2, 0.7], dog=[0.1, 0.8, 0.3], age=[1, 2, 3], x=[1, 2, 3]
    )
    lazy = cv.open_predictions(path, class_names=["cat", "dog"], fields=["age"])
    found = lazy.sample(3, progress=False)
    assert (found.class_names, list(found.fields), found.labels.tolist()) == (("cat", "dog"), ["age"], [0, 1, 0])
    assert repr(lazy) == "<LazyPredictions t.parquet: 3 samples, 2 classes, in 1 part>"


def test_names_of_classes_stay_with_one_column(tmp_path):
    named = binary(50).assign_coords({"class": ["no", "yes"]})
    named.to_zarr(tmp_path / "named.zarr", zarr_format=2)
    for source in (named.chunk(sample=20), tmp_path / "named.zarr"):
        lazy = cv.open_predictions(source)
        assert lazy.class_names == ("no", "yes")
        assert cv.summarize(lazy, "class yes", progress=False).rows == 50
    assert cv.read_predictions(tmp_path / "named.zarr").class_names == ("no", "yes")


def test_variables_of_different_chunks(data, whole):
    different = data.assign(label=data["label"].chunk(sample=700), probs=data["probs"].chunk(sample=450))
    same_sums(cv.summarize(cv.open_predictions(different), progress=False), cv.summarize(whole))


# NumPy 1 has no dtype "T".
@pytest.mark.parametrize("kind", ["T", "pandas"] if hasattr(np.dtypes, "StringDType") else ["pandas"])
def test_text_of_any_length_is_text(tmp_path, kind):
    texts = ["a", "bbb", "cc"]
    site = np.array(texts, dtype=np.dtypes.StringDType()) if kind == "T" else pd.array(texts, dtype="str")
    rows = {"prob": ("sample", [0.1, 0.9, 0.4]), "label": ("sample", [0, 1, 1])}
    rows["site"] = ("sample", site)
    lazy = cv.open_predictions(xr.Dataset(rows), rows=2)
    assert cv.summarize(lazy, "class 1", selection="site == 'bbb'", progress=False).count.sum() == 1
    whole = cv.Predictions([0.1, 0.9, 0.4], [0, 1, 1], fields={"site": np.asarray(site)})
    assert whole.fields["site"].tolist() == texts


def test_classes_may_come_before_samples(data, whole):
    turned = data.transpose("class", "sample").chunk({"sample": 900, "class": 3})
    same_sums(cv.summarize(cv.open_predictions(turned), progress=False), cv.summarize(whole))


def test_what_variables_share_is_made_once():
    calls = []

    def made(block):
        calls.append(len(block))
        return block

    both = da.arange(100, chunks=25, dtype=float).map_blocks(made, dtype=float, meta=np.empty(0))
    lazy = cv.open_predictions(
        xr.Dataset({"prob": ("sample", both / 100), "label": ("sample", (both > 50).astype(int))})
    )
    assert cv.summarize(lazy, progress=False).rows == 100
    assert calls == [25] * 4


def test_whole_number_labels_are_names_where_names_are_given(tmp_path):
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.ones(3), 60)
    labels = rng.integers(0, 3, 60)
    path = opened(tmp_path, label=labels, **{name: probs[:, k] for k, name in enumerate("021")})
    lazy = cv.open_predictions(path, class_names=["0", "2", "1"])
    same_sums(cv.summarize(lazy, progress=False), cv.summarize(cv.read_predictions(path)))


@pytest.mark.parametrize(
    ("names", "assumed"),
    [
        (("label", "weight", "p_{}"), "weights of samples from 'weight'"),
        (("y_true", "sample_weight", "p_{}"), "weights of samples from 'sample_weight'"),
        (("Target", "weights", "prob_{}"), "weights of samples from 'weights'"),
        (("outcome", "weight", "y_proba_{}"), "weights of samples from 'weight'"),
    ],
)
def test_numbered_columns_have_the_names_that_are_read_at_once(names, assumed, tmp_path):
    rng = np.random.default_rng(0)
    label, weight, prob = names
    probs = {prob.format(k): column for k, column in enumerate(rng.dirichlet(np.ones(3), 60).T)}
    own = {label: rng.integers(0, 3, 60), weight: rng.integers(1, 3, 60), "dose": rng.random(60)}
    path = opened(tmp_path, **own, **probs)
    lazy, whole = cv.open_predictions(path), cv.read_predictions(path)
    same_sums(cv.summarize(lazy, progress=False), cv.summarize(whole))
    taken = lazy.about["assumed"].split("; weights")[0]
    assert lazy.about["assumed"] == f"{taken}; {assumed}, which under another name is a field"
    assert whole.about["assumed"] == f"{taken}; {assumed}, which weight='' makes a field"
    assert list(lazy.sample(9, progress=False).fields) == list(whole.fields) == ["dose"]


@pytest.mark.parametrize("name", ["prob", "p", "y_prob", "Probability", "y_score"])
def test_a_single_column_has_a_name_that_is_read_at_once(name, tmp_path):
    rng = np.random.default_rng(0)
    score = rng.random(60)
    path = opened(tmp_path, truth=(score > rng.random(60)).astype(int), score=score, **{name: score})
    lazy, whole = cv.open_predictions(path), cv.read_predictions(path)
    same_sums(cv.summarize(lazy, "class 1", progress=False), cv.summarize(whole, "class 1"))
    assert lazy.about["assumed"] == whole.about["assumed"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"y": [1], "target": [1], "prob": [0.5]},
            "two columns may hold the truth: 'y', 'target'; .* a file of its own$",
        ),
        ({"y": [1], "prediction": [1]}, "the column 'prediction' holds only 0 and 1, which are decisions"),
        ({"y": [1], "prob_0": [0.5], "prob_1": [0.5], "proba_0": [1.0]}, "the column 'proba_1' is missing"),
        ({"y": [1], "prob_0": [0.5], "prob_2": [0.5]}, "the column 'prob_1' is missing: found 'prob_0', 'prob_2'"),
    ],
)
def test_columns_that_are_not_clear_are_refused(tmp_path, columns, message):
    with pytest.raises(ValueError, match=message):
        cv.open_predictions(opened(tmp_path, **columns))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"label": [True, None, False], "prob": [0.1, 0.2, 0.3]}, "row 1 of column 'label' is missing"),
        ({"label": ["1", None, "0"], "prob": [0.1, 0.2, 0.3]}, "row 1 of column 'label' is missing"),
        ({"label": [1, None, 0], "prob": [0.1, 0.2, 0.3]}, "row 1 of column 'label' is missing"),
        ({"label": [1, 1, 0], "prob": [0.1, 0.2, None]}, "row 2 of column 'prob' is missing"),
        (
            {"label": [1, 1, 0], "prob": [0.1, 0.2, 0.5], "ok": [True, None, False]},
            "column 'ok', .* is missing",
        ),
        ({"label": [1], "p_0": [0.5]}, "the column 'p_1' is missing"),
        ({"label": [1], "p_7": [0.5]}, "the column 'p_0' is missing"),
    ],
)
def test_what_columns_lack(tmp_path, columns, message):
    with pytest.raises(ValueError, match=message):
        cv.summarize(cv.open_predictions(opened(tmp_path, **columns)), progress=False)


def test_labels_that_are_words_for_truth(tmp_path):
    lazy = cv.open_predictions(opened(tmp_path, label=["true", "false"], prob=[0.9, 0.2]))
    assert lazy.sample(2, progress=False).labels.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("columns", "answers"), [(1, (-1, 1)), *product([1, 2], [("no", "yes"), ("benign", "malignant"), ("No", "YES")])]
)
def test_two_answers_are_labels_as_they_are_where_all_is_read_at_once(tmp_path, answers, columns):
    rng = np.random.default_rng(0)
    prob = np.round(rng.random(200), 4)
    is_event = rng.random(200) < prob
    is_event[:50] = False  # a part with one answer alone
    prob_columns = {"prob": prob} if columns == 1 else {"p_0": 1 - prob, "p_1": prob}
    path = tmp_path / "answers.parquet"
    pd.DataFrame({"label": np.where(is_event, *answers[::-1]), **prob_columns}).to_parquet(path, row_group_size=50)
    lazy, read = cv.open_predictions(path, rows=50), cv.read_predictions(path)
    assert len(lazy.parts) == 4
    if columns == 1:
        assert lazy.class_names == read.class_names == tuple(map(str, answers))
    assert cv.brier_score(cv.summarize(lazy, progress=False)) == pytest.approx(cv.brier_score(read), abs=1e-9)
    np.testing.assert_array_equal(lazy.sample(200, progress=False).labels, is_event)


SCORE = np.round(np.random.default_rng(3).random(N), 4)
IS_EVENT = np.random.default_rng(4).random(N) < SCORE
CLASSES = np.array(["cat", "dog", "owl"])
PROBS = np.random.default_rng(5).dirichlet(np.ones(3), N)
NAMED = CLASSES[(PROBS.cumsum(axis=1) < np.random.default_rng(6).random((N, 1))).sum(axis=1)]


@pytest.mark.parametrize(
    "columns",
    [
        {"label": NAMED, **dict(zip(CLASSES, PROBS.T, strict=True)), "age": np.arange(N) % 80},
        {"truth": np.char.upper(NAMED), **{f".pred_{name}": PROBS[:, k] for k, name in enumerate(CLASSES)}},
        {"label": 1 + (NAMED == "dog") + 2 * (NAMED == "owl"), **{f"p_{k + 1}": PROBS[:, k] for k in range(3)}},
        {"label": IS_EVENT, "score": SCORE},
        {"died_30d": IS_EVENT, "risk": SCORE, "patient_id": np.arange(N)},
        {"label": np.where(IS_EVENT, "bad", "good"), "pd": SCORE},
        {"confidence": SCORE, "correct": IS_EVENT},
    ],
)
def test_columns_are_opened_as_they_are_read_at_once(tmp_path, columns):
    path = tmp_path / "t.parquet"
    pd.DataFrame(columns).to_parquet(path, row_group_size=1500)
    lazy, whole = cv.open_predictions(path, rows=1500), cv.read_predictions(path)
    opened = lazy.sample(N, progress=False)
    np.testing.assert_array_equal(opened.probs, whole.probs)
    np.testing.assert_array_equal(opened.labels, whole.labels)
    assert (opened.class_names, lazy.of_confidence) == (whole.class_names, whole.of_confidence)
    assert opened.fields.keys() == whole.fields.keys()
    assert lazy.about["assumed"] == whole.about["assumed"]


@pytest.mark.parametrize(
    "columns",
    [
        {"label": IS_EVENT, "logit": np.log((SCORE + 0.01) / (1.01 - SCORE))},
        {"label": NAMED, "pred": CLASSES[PROBS.argmax(axis=1)], "confidence": PROBS.max(axis=1)},
        {
            "id": np.repeat(np.arange(N), 3),
            "class": np.tile(CLASSES, N),
            "prob": PROBS.ravel(),
            "label": np.repeat(NAMED, 3),
        },
        {"n": 9 + np.arange(N) % 9, "events": np.round(8 * SCORE).astype(int), "mean_risk": SCORE},
    ],
)
def test_what_parts_cannot_repeat_is_refused(tmp_path, columns):
    pd.DataFrame(columns).to_parquet(path := tmp_path / "t.parquet")
    assert len(cv.read_predictions(path))
    with pytest.raises(ValueError, match="these columns hold what is not read in parts"):
        cv.open_predictions(path)


def test_pictures_that_are_no_fields_are_not_looked_at(tmp_path):
    pictures = [np.random.default_rng(i).bytes(200_000) for i in range(200)]
    path = opened(tmp_path, label=IS_EVENT[:200], prob=SCORE[:200], picture=pictures, age=np.arange(200) % 80)
    lazy = cv.open_predictions(path, fields=["age"], limit="20 MB")
    assert list(lazy.sample(200, progress=False).fields) == ["age"]
    with pytest.raises(ValueError, match="20 MB"):
        cv.open_predictions(path, limit="20 MB")


def test_numbers_among_later_names_are_no_classes(tmp_path):
    label = np.tile(NAMED, 3)
    label[12_000:] = "1"
    probs = dict(zip(CLASSES, np.tile(PROBS, (3, 1)).T, strict=True))
    lazy = cv.open_predictions(opened(tmp_path, label=label, **probs))
    with pytest.raises(ValueError, match="row 12000 of column 'label' is '1', but the classes are 'cat', 'dog', 'owl'"):
        cv.summarize(lazy, progress=False)


def test_an_answer_of_a_later_part_is_known_by_its_letters_or_refused(tmp_path):
    label = np.tile(["no", "yes"], 6_000).astype(object)
    label[11_000:11_002] = ["NO", "Yes"]
    prob = np.round(np.random.default_rng(0).random(12_000), 3)
    lazy = cv.open_predictions(opened(tmp_path, label=label, prob=prob))
    assert lazy.sample(12_000, progress=False).labels.sum() == 6_000
    label[11_500] = "maybe"
    lazy = cv.open_predictions(opened(tmp_path, label=label, prob=prob))
    with pytest.raises(ValueError, match="row 11500 of column 'label' is 'maybe', but the classes are 'no', 'yes'"):
        cv.summarize(lazy, progress=False)


@pytest.mark.parametrize("names", ["ab", ["a"], [], ["a", "a"]])
def test_names_of_classes_are_two_different_ones_at_least(tmp_path, names):
    with pytest.raises((TypeError, ValueError), match="class_names"):
        cv.open_predictions(opened(tmp_path, label=["a", "b"], a=[0.1, 0.4], b=[0.9, 0.6]), class_names=names)


def test_folders_of_parquet_are_whole_or_refused(data, tmp_path):
    folder = files(data, tmp_path / "many")
    (folder / "notes.txt").write_text("not a table")
    frame(data).iloc[:0].astype(object).to_parquet(folder / "a.parquet")
    assert len(cv.open_predictions(folder)) == len(cv.read_predictions(folder)) == N
    frame(data).drop(columns="age").to_parquet(folder / "day=1" / "z.parquet")
    for read in (cv.open_predictions, cv.read_predictions):
        with pytest.raises(ValueError, match=r"z.parquet has not the columns of .*: they differ in 'age'"):
            read(folder)


@pytest.mark.parametrize("damage", [b"", b"{", b"not a table at all"])
def test_what_is_damaged_at_opening_is_told_in_a_sentence(data, tmp_path, damage):
    (path := tmp_path / "p.parquet").write_bytes(damage)
    store = zarr(data, tmp_path)
    (store / ".zmetadata").write_bytes(damage)
    (tmp_path / "empty.zarr").mkdir()
    for place in (path, store, tmp_path / "empty.zarr"):
        for read in (cv.open_predictions, cv.read_predictions):
            with pytest.raises(ValueError, match=r"cannot be read and may be damaged|by its first bytes") as found:
                read(place)
            assert type(found.value) is ValueError


@pytest.mark.parametrize("classes", [2, 3])
def test_a_column_that_lists_the_probabilities_of_all_classes(tmp_path, classes):
    rng = np.random.default_rng(4)
    probs = rng.dirichlet(np.ones(classes), 200)
    labels = (probs.cumsum(axis=1) < rng.random(200)[:, None]).sum(axis=1)
    file = tmp_path / "lists.parquet"
    pd.DataFrame({"probability": list(probs), "label": labels}).to_parquet(file, row_group_size=50)
    opened = cv.open_predictions(file).sample(200, progress=False)
    np.testing.assert_allclose(opened.probs, cv.read_predictions(file).probs)
    assert np.array_equal(opened.labels, labels)


@pytest.mark.parametrize(
    ("beside", "said"),
    [
        ({"true_label": lambda rng, label: np.where(rng.random(400) < 0.2, 1 - label, label)}, "two columns may hold"),
        ({"time": lambda rng, label: rng.exponential(5, 400)}, CENSORED),
        ({"model": lambda rng, label: np.repeat(["a", "b"], 200)}, "'model' names 2 models"),
    ],
)
def test_columns_that_are_no_fields_speak_against_a_reading_too(tmp_path, beside, said):
    rng = np.random.default_rng(4)
    prob = rng.random(400)
    label = np.tile(rng.random(200) < prob[:200], 2).astype(int)
    file = tmp_path / "predictions.parquet"
    columns = {name: make(rng, label) for name, make in beside.items()}
    pd.DataFrame({"label": label, "prob": np.round(prob, 4), **columns}).to_parquet(file)
    for fields in (None, []):
        with pytest.raises(ValueError, match=said):
            cv.open_predictions(file, fields=fields)
        with pytest.raises(ValueError, match=said):
            cv.read_predictions(file, fields=fields)


@pytest.mark.parametrize(("beside", "said"), [("true_label", "two columns may hold the truth"), ("time", CENSORED)])
def test_stored_arrays_that_are_no_fields_speak_against_a_reading_too(tmp_path, beside, said):
    rng = np.random.default_rng(4)
    prob = rng.random(400)
    label = (rng.random(400) < prob).astype(int)
    other = np.where(rng.random(400) < 0.2, 1 - label, label) if beside == "true_label" else rng.exponential(5, 400)
    arrays = {"prob": prob, "label": label, beside: other, "patient_id": np.arange(400)}
    store = xr.Dataset({name: ("sample", values) for name, values in arrays.items()})
    store.chunk(sample=100).to_zarr(tmp_path / "a.zarr", consolidated=False)
    store.to_netcdf(tmp_path / "a.nc")
    np.savez(tmp_path / "a.npz", **arrays)
    for fields in (None, []):
        for read, name in (
            (cv.open_predictions, "a.zarr"),
            *((cv.read_predictions, f"a.{ending}") for ending in ("zarr", "nc", "npz")),
        ):
            with pytest.raises(ValueError, match=said):
                read(tmp_path / name, fields=fields)
    store.drop_vars(beside).chunk(sample=100).to_zarr(tmp_path / "b.zarr", consolidated=False)
    opened = cv.open_predictions(tmp_path / "b.zarr")
    assert opened.about["assumed"].endswith("; not fields: patient_id")
    assert not opened.sample(400, progress=False).fields
