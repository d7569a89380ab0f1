"""Columns and arrays that bear one name, too many of them, names and texts that are damaged, and silent repairs."""

from __future__ import annotations

import io
import re
import time
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xarray as xr
from damaged_files import DAMAGED, npy
from prediction_files import AGE, LABELS, NAMES, NUMBERED, PROBS, N, dataset, refuse, text_file, write_npz

import calibviz as cv
from calibviz.data import safeguards

# One name ----------------------------------------------------------------------------------------------------------


def archive(path, members) -> None:
    with zipfile.ZipFile(path, "w") as written:
        for name, content in members:
            written.writestr(name, content if isinstance(content, bytes) else stored(content))


def stored(array) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ["labels", "probs", "age"])
def test_two_members_of_one_name_are_refused(tmp_path, name):
    path = tmp_path / "p.npz"
    arrays = {"probs": PROBS, "labels": LABELS, "age": AGE}
    archive(path, [*((f"{n}.npy", a) for n, a in arrays.items()), (f"{name}.npy", arrays[name][::-1])])
    refuse(path, f"two arrays are named {name!r}: rename one of them")


@pytest.mark.parametrize("read", [cv.read_predictions, cv.open_predictions])
def test_two_columns_of_one_name_are_refused(tmp_path, read):
    columns = {**NUMBERED, "label": LABELS}
    twice = tmp_path / "p.parquet"
    content = [pa.array(column) for column in (*columns.values(), AGE, AGE)]
    pq.write_table(pa.Table.from_arrays(content, [*columns, "x", "x"]), twice)
    with pytest.raises(ValueError, match=r"p\.parquet: .* duplicate field names"):
        read(twice)
    folder = tmp_path / "many" / "site=1"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({**columns, "site": AGE.astype(np.int32)}), folder / "part.parquet")
    with pytest.raises(ValueError, match="many: two columns are named 'site'"):
        read(folder.parent)


def test_two_folders_of_one_name_are_refused(tmp_path):
    folder = tmp_path / "day=1" / "day=2"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({**NUMBERED, "label": LABELS}), folder / "part.parquet")
    for read in (cv.read_predictions, cv.open_predictions):
        with pytest.raises(ValueError, match="two folders are named 'day'"):
            read(tmp_path)


# Too many ----------------------------------------------------------------------------------------------------------


def test_more_names_than_anyone_means_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(safeguards, "MOST_NAMES", 100)
    wide = {f"p_{i}": [1 / 101] for i in range(101)} | {"label": [0]}
    text = "\n".join([",".join(wide), ",".join(str(value[0]) for value in wide.values())])
    refuse(text_file(tmp_path, text), "there are 102 columns, more than the 100 that are read")
    pq.write_table(pa.table(wide), tmp_path / "p.parquet")
    refuse(tmp_path / "p.parquet", "there are 102 columns, more than the 100 that are read")
    with pytest.raises(ValueError, match="there are 102 columns, more than the 100 that are read"):
        cv.open_predictions(tmp_path / "p.parquet")
    write_npz(tmp_path / "p.npz", **{name: np.array(value) for name, value in wide.items()})
    refuse(tmp_path / "p.npz", "there are 102 arrays, more than the 100 that are read")
    xr.Dataset({name: ("sample", value) for name, value in wide.items()}).to_netcdf(tmp_path / "p.nc")
    refuse(tmp_path / "p.nc", "there are 103 arrays, more than the 100 that are read")  # the dimension is one, too


@pytest.mark.thorough
@pytest.mark.parametrize("named", [False, True])
def test_wide_files_are_read_in_time_that_grows_with_their_width(tmp_path, named):
    """Looked up in a list, the names of the wider file would take a hundred times as long as those of the other."""

    def taken(columns):
        names = ["cat", "dog", *(f"c{i}" for i in range(columns))] if named else [f"p_{i}" for i in range(columns)]
        row = ["0.5", "0.5", *["x"] * columns] if named else [str(1 / columns)] * columns
        lines = [[*names, "label"], *([*row, label] for label in (("cat", "dog") if named else "01"))]
        path = text_file(tmp_path, "\n".join(map(",".join, lines)))
        start = time.process_time()
        assert cv.read_predictions(path).n_classes == (2 if named else columns)
        return time.process_time() - start

    taken(10)
    assert taken(30_000) < 50 * min(taken(3_000) for _ in range(3))


# Damage ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("descr", ["{'descr': ('<f8', 'fortran_order': False", "'''", "((", "{" * 300, "-" * 999])
def test_any_header_of_an_array_is_read_or_refused(tmp_path, descr):
    """NumPy tries to repair a header that it cannot read, and fails in ways of its own."""
    path = tmp_path / "p.npz"
    archive(path, [("probs.npy", npy("(40, 3)", PROBS.tobytes(), descr=descr)), ("labels.npy", LABELS)])
    refuse(path, f"{DAMAGED} ...")
    with pytest.raises(ValueError) as caught:
        cv.read_predictions(path)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("position", range(10, 128, 3))
def test_any_bit_of_a_header_may_be_wrong(tmp_path, position):
    path, whole = tmp_path / "p.npz", bytearray(stored(PROBS))
    whole[position] ^= 1 << position % 7
    archive(path, [("probs.npy", bytes(whole)), ("labels.npy", LABELS)])
    try:
        found = cv.read_predictions(path)
    except (TypeError, ValueError) as error:
        assert str(error).startswith(f"{path}: ") and "\n" not in str(error)
    else:
        np.testing.assert_array_equal(found.probs, PROBS)


def test_checksums_of_parquet_are_verified(tmp_path):
    path = tmp_path / "p.parquet"
    columns = {**NUMBERED, "label": LABELS, "age": np.arange(N)}
    pq.write_table(pa.table(columns), path, write_page_checksum=True, compression="none", use_dictionary=False)
    assert len(cv.read_predictions(path)) == len(cv.open_predictions(path).sample(10**9, progress=False)) == N
    content = bytearray(path.read_bytes())
    place = content.find(np.arange(N).tobytes())
    content[place + 8] ^= 64  # one year becomes sixty-five
    path.write_bytes(bytes(content))
    refuse(path, "the parquet file cannot be read and may be damaged: could not verify page integrity, CRC ...")
    with pytest.raises(ValueError, match=r"p\.parquet: the parquet file cannot be read .*CRC checksum"):
        cv.open_predictions(path).sample(10**9, progress=False)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"class_names": np.array([b"a", b"b\xff", b"c"])}, r"class_names[1] is b'b\xff'"),
        ({"site": np.array([b"Ulm"] * 39 + [b"\xfc"])}, r"fields['site'][39] is b'\xfc'"),
        ({"labels": np.array([b"\xfc"] * N)}, r"labels[0] is b'\xfc'"),
    ],
)
def test_bytes_that_are_no_text_name_their_array(tmp_path, arrays, message):
    path = tmp_path / "p.npz"
    write_npz(path, **{"probs": PROBS, "labels": LABELS} | arrays)
    refuse(path, f"{message}: bytes that are no UTF-8 text")


def test_bytes_that_are_text_are_text(tmp_path):
    sites = ["Zürich".encode(), b"Ulm"] * (N // 2)
    labels = np.array(NAMES).astype("S")[LABELS]
    write_npz(tmp_path / "p.npz", probs=PROBS, labels=labels, class_names=NAMES, site=sites)
    pq.write_table(pa.table({**NUMBERED, "label": LABELS, "site": sites}), tmp_path / "p.parquet")
    for ending in (".npz", ".parquet"):
        found = cv.read_predictions(tmp_path / f"p{ending}")
        assert found.fields["site"].tolist() == ["Zürich", "Ulm"] * (N // 2)
        np.testing.assert_array_equal(found.labels, LABELS)
    pq.write_table(pa.table({**NUMBERED, "label": LABELS, "site": [b"\xff"] * N}), tmp_path / "p.parquet")
    refuse(tmp_path / "p.parquet", r"row 0 of column 'site' is b'\xff': bytes that are no UTF-8 text")


# Names -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('p_0,p_1,label,"a\nb"\n0.5,0.5,0,1\n', r"fields has the name 'a\nb': a name cannot hold the sign U+000A, ..."),
        ("cat,d\u202eog,label\n1,0,cat\n0,1,d\u202eog\n", r"class_names[1] is 'd\u202eog': a name cannot hold the ..."),
    ],
)
def test_names_of_columns_hold_nothing_that_is_not_seen(tmp_path, text, message):
    refuse(text_file(tmp_path, text), message)


# Silent repairs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["p_0", "weight"])
def test_no_number_is_written_with_an_underscore(tmp_path, column):
    """Python reads 0.2_5 as 0.25, and 1_0 as 10."""
    row = {"p_0": "0.25", "p_1": "0.75", "label": "1", "weight": "10"}
    wrong = row | {column: {"p_0": "0.2_5", "weight": "1_0"}[column]}
    lines = [",".join(row), *(",".join(one.values()) for one in (row, wrong))]
    more = {"p_0": "", "weight": ": where it ..."}[column]
    refuse(
        text_file(tmp_path, "\n".join(lines)),
        f"line 3 of column {column!r} is {wrong[column]!r}, not a number{more}",
    )


def test_whole_numbers_that_are_too_large_stay_what_they_are(tmp_path):
    """As numbers with a fraction, neighbours would be equal."""
    numbers = ["123456789012345678901", "123456789012345678902"]
    text = "\n".join(["p_0,p_1,label,patient,visit", *(f"0.5,0.5,{i},{numbers[i]},{2**62 + i}" for i in (0, 1))])
    found = cv.read_predictions(text_file(tmp_path, text))
    assert found.fields["patient"].tolist() == numbers
    assert found.fields["visit"].tolist() == [2**62, 2**62 + 1]
    text = text.replace(str(2**62 + 1), "NA")
    assert cv.read_predictions(text_file(tmp_path, text)).fields["visit"].tolist() == [str(2**62), "NA"]
    columns = {"p_0": [0.5] * 3, "p_1": [0.5] * 3, "label": [0, 1, 1], "visit": [2**62, 2**62 + 1, None]}
    pq.write_table(pa.table(columns), tmp_path / "p.parquet")
    found = cv.read_predictions(tmp_path / "p.parquet").fields["visit"]
    assert found.tolist() == [str(2**62), str(2**62 + 1), ""]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.array([2**64 - 1] + [0] * 39, dtype=np.uint64), "labels[0] is 1.84467e+19, but the 3 classes are 0..2"),
        (np.array([-1] + [0] * 39, dtype=np.int8), "labels[0] is '-1', but the 3 classes are 0..2: correct it, or ..."),
        (np.array([1.5] + [0] * 39, dtype=">f4"), "labels[0] is 1.5: a label is the whole number of a class, ..."),
        (np.array(["NaT"] * 40, dtype="datetime64[D]"), "labels must be whole numbers, class names or rows, not ..."),
    ],
)
def test_labels_do_not_wrap_around(tmp_path, labels, message):
    path = tmp_path / "p.npz"
    write_npz(path, probs=PROBS, labels=labels)
    refuse(path, message, TypeError if labels.dtype.kind == "M" else ValueError)


def test_the_order_of_bytes_is_that_of_the_file(tmp_path):
    path = tmp_path / "p.npz"
    big = {"probs": PROBS.astype(">f8"), "labels": LABELS.astype(">i2"), "weights": AGE.astype(">f4")}
    write_npz(path, **big, age=np.arange(N).astype(">i8"))
    found = cv.read_predictions(path, fields=["age"])  # which numbers the rows
    np.testing.assert_array_equal(found.probs, PROBS)
    np.testing.assert_array_equal(found.labels, LABELS)
    np.testing.assert_array_equal(found.weights, AGE.astype(np.float32))
    assert cv.selection("age >= 30").mask(found).sum() == N - 30


def test_a_coordinate_of_classes_that_is_one_value_is_refused(tmp_path):
    path = tmp_path / "p.nc"
    one = xr.Dataset({"prob": ("sample", PROBS[:, 0]), "label": ("sample", LABELS % 2)}, coords={"class": 1})
    one.to_netcdf(path)
    refuse(path, "the coordinate 'class' must have a name for each class, but has dimensions ()")
    with pytest.raises(ValueError, match=re.escape("the coordinate 'class' must have a name for each class")):
        cv.open_predictions(one)
    dataset().to_netcdf(path)
    assert cv.read_predictions(path).class_names == tuple(NAMES)
