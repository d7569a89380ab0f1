"""netCDF files that take values from elsewhere, by way of other code, or from nowhere."""

from __future__ import annotations

import zlib
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from prediction_files import refuse

import calibviz as cv
from calibviz.data.columns.choices import ReadingOptions
from calibviz.data.readers import preview

h5py = pytest.importorskip("h5py")
netCDF4 = pytest.importorskip("netCDF4")
N = 200
LABELS = np.random.default_rng(4).integers(0, 2, N).astype("i4")
PROB = np.random.default_rng(4).random(N)
AGE = np.arange(N, dtype="i4") // 2  # all different, they would be numbers of rows, which are no field


@contextmanager
def written(path: Path, **variables):
    """A file of HDF5 with predictions; the block adds to it."""
    with h5py.File(path, "w") as file:
        samples = file.create_dataset("sample", data=np.arange(N))
        samples.make_scale("sample")
        yield file
        for name, data in ({"prob": PROB, "label": LABELS} | variables).items():
            if name not in file:
                file.create_dataset(name, data=data)
        for name in file:
            link = file.get(name, getlink=True)
            if isinstance(link, h5py.HardLink) and isinstance(file[name], h5py.Dataset) and not file[name].is_scale:
                file[name].dims[0].attach_scale(samples)


def with_filters(file, *numbers: int) -> None:
    """A variable that is packed by filters, which this HDF5 need not have."""
    plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plan.set_chunk((50,))
    for number in numbers:
        plan.set_filter(number, h5py.h5z.FLAG_OPTIONAL, (1,) if number == 1 else ())
    age = h5py.h5d.create(file.id, b"age", h5py.h5t.NATIVE_INT32, h5py.h5s.create_simple((N,)), plan)
    for row in range(0, N, 50):
        age.write_direct_chunk((row,), bytes(200), 0)


# What lies elsewhere, or would run ---------------------------------------------------------------------------------


def external(file, folder):
    (folder / "secret").write_bytes(AGE.tobytes())
    file.create_dataset("age", shape=(N,), dtype="i4", external=[(str(folder / "secret"), 0, 4 * N)])


def external_link(file, folder):
    file["age"] = h5py.ExternalLink("other.nc", "age")


def link_in_a_group(file, folder):
    file.create_group("more/of")["age"] = h5py.ExternalLink("other.nc", "age")


def soft_link(file, folder):
    file["age"] = h5py.SoftLink("/sample")


def virtual(file, folder):
    with h5py.File(folder / "other.nc", "w") as other:
        other["age"] = AGE
    layout = h5py.VirtualLayout((N,), "i4")
    layout[:] = h5py.VirtualSource(folder / "other.nc", "age", (N,))
    file.create_virtual_dataset("age", layout)


def plugin(file, folder):
    with_filters(file, 2, 32015)


def packed_twice(file, folder):
    with_filters(file, 1, 1)


def compound(file, folder):
    file["age"] = np.zeros(N, [("a", "i4"), ("b", "f4")])


def lists(file, folder):
    file.create_dataset("age", shape=(N,), dtype=h5py.vlen_dtype("i4"))


def references(file, folder):
    file.create_dataset("age", data=[file["sample"].ref] * N, dtype=h5py.ref_dtype)


def opaque(file, folder):
    file["age"] = np.zeros(N, "V8")


def group_in_itself(file, folder):
    group = file.create_group("more")
    group["of"] = group


def deep_groups(file, folder):
    file.create_group("/".join("g" * 1000))


ELSEWHERE = {
    external: "'age' lies in another file, '{folder}/secret', by external storage: write its values into this one",
    external_link: "'age' lies in another file, 'other.nc', by an external link: write its values here",
    link_in_a_group: "'more/of/age' lies in another file, 'other.nc', by an external link: write its values here",
    soft_link: "'age' is a link to '/sample': write its values there",
    virtual: "'age' lies in other files, as a virtual dataset: write its values into this one",
    plugin: "'age' is packed by the filter 32015 of HDF5, a plugin, which may run code: pack it by zlib",
    packed_twice: "'age' is packed more than once, by the filters [1, 1] of HDF5: once is enough",
    compound: "'age' holds values of a composed type: expected plain numbers or text",
    lists: "'age' holds values of a composed type: expected plain numbers or text",
    references: "'age' holds values of a composed type: expected plain numbers or text",
    opaque: "'age' holds values of a composed type: expected plain numbers or text",
    group_in_itself: "the group 'more/of' holds itself, or lies 50 groups deep",
    deep_groups: "the group '" + "/".join("g" * 51) + "' holds itself, or lies 50 groups deep",
}


@pytest.mark.parametrize("made", ELSEWHERE, ids=lambda made: made.__name__)
def test_what_is_not_held_by_the_file_is_refused_before_it_is_opened(tmp_path, monkeypatch, made):
    path = tmp_path / "p.nc"
    with written(path) as file:
        made(file, tmp_path)
    monkeypatch.setattr(xr, "open_dataset", lambda *args, **options: pytest.fail("the netCDF library was asked"))
    message = ELSEWHERE[made].replace("{folder}", str(tmp_path))
    refuse(path, message)
    with pytest.raises(ValueError) as caught:
        preview(path, ReadingOptions())
    assert str(caught.value) == message


def test_a_chunk_that_is_larger_packed_than_unpacked_is_refused(tmp_path):
    """A small file could ask for any memory."""
    with written(path := tmp_path / "p.nc") as file:
        age = file.create_dataset("age", shape=(N,), chunks=(N,), dtype="i4", compression="gzip")
        age.id.write_direct_chunk((0,), packed := zlib.compress(bytes(10**8)), 0)
    refuse(path, f"'age' takes {len(packed)} bytes, but has values of at most 800 bytes")


@pytest.mark.parametrize("fletcher32", [False, True])
def test_a_chunk_that_unpacks_to_more_than_it_holds_is_refused(tmp_path, monkeypatch, fletcher32):
    """It takes no more bytes than its entries, and HDF5 would unpack all of it before it looks."""
    path, rows, packer, rng = tmp_path / "p.nc", 150_000, zlib.compressobj(9), np.random.default_rng(5)
    data = xr.Dataset({"prob": ("sample", rng.random(rows)), "label": ("sample", rng.integers(0, 2, rows))})
    packing = {"zlib": True, "shuffle": False, "fletcher32": fletcher32, "chunksizes": (rows,)}
    data.to_netcdf(path, engine="netcdf4", encoding={"prob": packing})
    np.testing.assert_array_equal(cv.read_predictions(path).probs[:, 1], data["prob"])
    with h5py.File(path, "r+") as file:
        content = packer.compress(data["prob"].values.tobytes()[:500_000])
        content += b"".join(packer.compress(bytes(2**20)) for _ in range(40)) + packer.flush()
        file["prob"].id.write_direct_chunk((0,), content)
    monkeypatch.setattr(xr, "open_dataset", lambda *args, **options: pytest.fail("opened by xarray"))
    refuse(path, "a chunk of 'prob' unpacks to more than the 1.2 MB that it holds")


def test_what_the_file_holds_is_read(tmp_path):
    path = tmp_path / "p.nc"
    site = np.array(["Ulm", "Bern"] * (N // 2), dtype=object)
    with written(path, right=PROB > 0.5) as file:
        file.create_dataset("site", data=site, dtype=h5py.string_dtype())
        file.create_dataset("age", data=AGE, chunks=(64,), compression="gzip", shuffle=True, fletcher32=True)
        file.create_group("more")["age"] = AGE
    read = cv.read_predictions(path)
    np.testing.assert_array_equal(read.labels, LABELS)
    np.testing.assert_array_equal(read.probs[:, 1], PROB)
    np.testing.assert_array_equal(read.fields["age"], AGE)
    np.testing.assert_array_equal(read.fields["site"], site.astype(str))
    np.testing.assert_array_equal(read.fields["right"], PROB > 0.5)


@pytest.mark.parametrize("unlimited", [(), ("sample",)])
@pytest.mark.parametrize("engine", ["netcdf4", "scipy"])
def test_what_xarray_writes_is_read(tmp_path, engine, unlimited):
    """Text by letters and at once, times, coordinates, and a label named like the dimension that it does not index."""
    variables = {
        "prob": ("sample", PROB),
        "label": ("sample", LABELS),
        "letters": ("sample", np.array(["a", "bcd"] * (N // 2))),
        "day": ("sample", np.arange(N).astype("datetime64[D]").astype("datetime64[ns]")),
        "right": ("sample", PROB > 0.5),
    }
    data = xr.Dataset(variables, coords={"class": ["no", "yes"], "sample": AGE})
    encoding = {"letters": {"dtype": "S1"}}
    data.to_netcdf(path := tmp_path / "p.nc", engine=engine, encoding=encoding, unlimited_dims=unlimited)
    read = cv.read_predictions(path)
    assert read.class_names == ("no", "yes")
    np.testing.assert_array_equal(read.labels, LABELS)
    for name in ("letters", "day", "right", "sample"):
        np.testing.assert_array_equal(read.fields[name], data[name].values)


def test_a_variable_named_like_another_dimension_is_read(tmp_path):
    with netCDF4.Dataset(path := tmp_path / "p.nc", "w") as file:
        for name in ("sample", "age"):
            file.createDimension(name, N)
        for name, data in {"prob": PROB, "label": LABELS, "age": AGE}.items():
            file.createVariable(name, data.dtype, ("sample",))[:] = data
    np.testing.assert_array_equal(cv.read_predictions(path).fields["age"], AGE)
    with h5py.File(path, "a") as file:
        file["_nc4_non_coord_label"] = 1 - LABELS
        file["_nc4_non_coord_label"].dims[0].attach_scale(file["sample"])
    refuse(path, "two arrays are named 'label': rename one of them")


# What was never written --------------------------------------------------------------------------------------------


def test_chunks_that_were_never_written_are_refused(tmp_path):
    """HDF5 would read them as the fill value, so that the label would be class 0."""
    path = tmp_path / "p.nc"
    with written(path) as file:
        label = file.create_dataset("label", shape=(N,), chunks=(30,), dtype="i4")
        label[:60], label[90:120], label[150:] = LABELS[:60], LABELS[90:120], LABELS[150:]
    refuse(
        path,
        "2 of the 7 chunks of 'label' were never written, the first with rows 60 to 89: they would be read as its fill "
        "value",
    )
    with h5py.File(path, "a") as file:
        file["label"][...] = LABELS
    np.testing.assert_array_equal(cv.read_predictions(path).labels, LABELS)


def test_a_variable_that_was_never_written_is_refused(tmp_path):
    with written(path := tmp_path / "p.nc") as file:
        file.create_dataset("label", shape=(N,), dtype="i4")
    refuse(path, "'label' was never written: it would be read as its fill value")


def test_a_variable_that_ends_before_its_dimension_is_refused(tmp_path):
    """The netCDF library would fill it up."""
    with netCDF4.Dataset(path := tmp_path / "p.nc", "w") as file:
        file.createDimension("sample", None)
        for name, data in {"prob": PROB, "label": LABELS, "age": AGE[:120]}.items():
            file.createVariable(name, data.dtype, ("sample",))[: len(data)] = data
    refuse(path, "'age' holds 120 values along 'sample', which has 200")


def test_what_is_not_read_need_not_be_written(tmp_path):
    with written(path := tmp_path / "p.nc") as file:
        file.create_dataset("embedding", shape=(N, 5), chunks=(50, 5), dtype="f4")
        file["of"] = np.arange(5)
        file["of"].make_scale("of")
        file["embedding"].dims[1].attach_scale(file["of"])
    assert list(cv.read_predictions(path).fields) == []  # the coordinate numbers the rows


# The classic formats -----------------------------------------------------------------------------------------------


def classic(path: Path, kind: str, unlimited: bool) -> bytes:
    with netCDF4.Dataset(path, "w", format=kind) as file:
        file.title = "odd"
        file.createDimension("sample", None if unlimited else N)
        for name, data in {"prob": PROB, "weight": 1 + LABELS[::-1], "label": LABELS.astype("i2")}.items():
            file.createVariable(name, data.dtype, ("sample",))[:] = data
    return path.read_bytes()


KINDS = ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("unlimited", [False, True])
def test_a_classic_file_that_is_cut_short_is_refused(tmp_path, kind, unlimited):
    """The netCDF library reads what lies behind the end as zeros, so that the label would be class 0."""
    content = classic(path := tmp_path / "p.nc", kind, unlimited)
    np.testing.assert_array_equal(cv.read_predictions(path).labels, LABELS)
    needed = len(content) - 2 * unlimited  # the label of the last record is padded
    for kept in (needed - 1, needed - 20, needed // 2):
        path.write_bytes(content[:kept])
        refuse(path, f"the netCDF file is cut short: it has {kept} bytes of {needed} bytes")
    path.write_bytes(content[:50])
    refuse(path, "the netCDF file cannot be read and may be damaged: its head is cut short")


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_that_stands_twice_in_a_classic_file_is_refused(tmp_path, kind):
    content = classic(path := tmp_path / "p.nc", kind, False)
    assert b"\0\6weight\0\0" in content
    path.write_bytes(content.replace(b"\0\6weight\0\0", b"\0\5label\0\0\0"))
    refuse(path, "two arrays are named 'label': rename one of them")


@pytest.mark.parametrize("kind", KINDS)
def test_records_that_a_classic_file_does_not_count_are_refused(tmp_path, kind):
    """Of 200 records 100 would be read, or 300."""
    content = classic(path := tmp_path / "p.nc", kind, True)
    width = 8 if kind.endswith("DATA") else 4
    for counted, message in (
        (100, "the netCDF file counts 100 records, but holds 200"),
        (300, "the netCDF file is cut..."),
    ):
        path.write_bytes(content[:4] + counted.to_bytes(width, "big") + content[4 + width :])
        refuse(path, message)
