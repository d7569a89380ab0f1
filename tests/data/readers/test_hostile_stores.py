"""Zarr stores made to mislead: codecs that run code, links to elsewhere, metadata that contradict each other."""

from __future__ import annotations

import json
import pickle
import shutil
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from prediction_files import refuse

import calibviz as cv
from calibviz.data.readers.arrays.zarr_metadata import PACKERS

numcodecs = pytest.importorskip("numcodecs")
pytestmark = pytest.mark.filterwarnings("ignore:Consolidated metadata is currently not part")  # when they are written
N = 200
LABELS = np.random.default_rng(2).integers(0, 2, N)
PROBS = np.random.default_rng(2).dirichlet([1, 1], N)


def predictions(n: int = N) -> xr.Dataset:
    return xr.Dataset({"probs": (("sample", "class"), PROBS[:n]), "label": ("sample", LABELS[:n])})


def written(folder: Path, zarr_format: int = 2, consolidated: bool = False, data: xr.Dataset | None = None, **encoding):
    path = folder / "p.zarr"
    data = (predictions() if data is None else data).chunk(sample=50)
    data.to_zarr(path, zarr_format=zarr_format, consolidated=consolidated, encoding=encoding)
    return path


def edited(file: Path, **changed) -> None:
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | changed), encoding="utf-8")


def refused(path: Path, message: str) -> None:
    """Both ways to read a store refuse it with a message that begins so."""
    refuse(path, f"{message}...")
    with pytest.raises(ValueError) as caught:
        cv.open_predictions(path)
    assert str(caught.value).startswith(f"{path}: {message}")


# Codecs and types --------------------------------------------------------------------------------------------------


class Bomb:
    """Unpickling this makes a file."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self):
        return (Path.touch, (self.file,))


class OldPickle(numcodecs.abc.Codec):
    """The codec that numcodecs had up to 0.16.5."""

    codec_id = "pickle"

    def __init__(self, protocol: int = 5) -> None:
        self.protocol = protocol

    def encode(self, buf):
        return pickle.dumps(buf)

    def decode(self, buf, out=None):
        return pickle.loads(bytes(buf))


@pytest.mark.parametrize("registered", [False, True])
@pytest.mark.parametrize("name", ["label", "class", "unread"])
def test_a_pickle_in_a_store_never_runs(tmp_path, monkeypatch, registered, name):
    """Also of a coordinate, which xarray reads at once, and where an old codec is registered."""
    if registered:
        monkeypatch.setitem(numcodecs.registry.codec_registry, "pickle", OldPickle)
    data = predictions().assign_coords({"class": ["a", "b"]}).assign(unread=("other", np.arange(3)))
    path, mark = written(tmp_path, data=data), tmp_path / "ran"
    filters = [{"id": "vlen-utf8"}, {"id": "pickle", "protocol": 5}]
    edited(path / name / ".zarray", dtype="|O", filters=filters, compressor=None, fill_value=None)
    for chunk in (path / name).glob("[0-9]*"):
        chunk.write_bytes(pickle.dumps(Bomb(mark)))
    refused(path, f"the array {name!r} is packed by the codec 'pickle', which may run code: write the store again with")
    assert not mark.exists()
    with suppress(Exception):  # xarray alone unpickles what it is asked for
        xr.open_zarr(path, consolidated=False)[name].load()
    assert mark.exists() == registered


@pytest.mark.parametrize(
    "codec", ["json2", "msgpack2", "categorize", "python", "zfpy", "imagecodecs_jpeg", "vlen-array"]
)
def test_codecs_that_are_not_known_are_refused_by_name(tmp_path, codec):
    path = written(tmp_path)
    edited(path / "label" / ".zarray", filters=[{"id": codec}])
    refused(path, f"the array 'label' is packed by the codec {codec!r}, which may run code")
    shutil.rmtree(path)
    path = written(tmp_path, 3)
    edited(
        path / "label" / "zarr.json", codecs=[{"name": "bytes"}, {"name": f"numcodecs.{codec}", "configuration": {}}]
    )
    refused(path, f"the array 'label' is packed by the codec {codec!r}, which may run code")


def test_codecs_inside_of_shards_are_checked(tmp_path):
    path = written(tmp_path, 3, label={"chunks": (10,), "shards": (50,)})
    assert cv.read_predictions(path).labels.tolist() == LABELS.tolist()
    file = path / "label" / "zarr.json"
    [sharding] = json.loads(file.read_text(encoding="utf-8"))["codecs"]
    sharding["configuration"]["codecs"][0] = {"name": "evil"}
    edited(file, codecs=[sharding])
    refused(path, "the array 'label' is packed by the codec 'evil'")
    sharding["configuration"]["index_codecs"].append({"name": "evil"})
    sharding["configuration"]["codecs"][0] = {"name": "bytes"}
    edited(file, codecs=[sharding])
    refused(path, "the array 'label' has shards whose index is not plain")


@pytest.mark.parametrize("codec", sorted(PACKERS))
def test_what_is_packed_by_known_codecs_is_read(tmp_path, codec):
    filters = [numcodecs.Delta("<i8"), numcodecs.Shuffle(8)]
    encoding = {"compressors": (numcodecs.get_codec({"id": codec}),), "filters": filters}
    path = written(tmp_path, data=predictions().assign(site=("sample", np.array(["a", "bb"] * 100))), label=encoding)
    assert cv.read_predictions(path).labels.tolist() == LABELS.tolist()
    assert cv.read_predictions(path).fields["site"][1] == "bb"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"dtype": "|O"}, "the array 'label' is of the type '|O': expected plain numbers or text"),
        ({"dtype": [["a", "<i4"], ["b", "<i4"]]}, "the array 'label' is of the type [['a', '<i4'], ['b', '<i4']]: ex"),
        ({"dtype": "|V8"}, "the array 'label' is of the type '|V8': expected plain numbers or text"),
        ({"filters": [{"id": "delta", "dtype": "|O"}]}, "the array 'label' is packed by way of the type '|O'"),
        ({"filters": [{"id": "zlib"}]}, "the array 'label' is packed more than once, by zlib, blosc: once is enough"),
        ({"filters": [{}]}, "the metadata of the array 'label' cannot be read and may be damaged: 'name'"),
        ({"chunks": [-50]}, "the array 'label' claims shape [200] and chunks [-50]: these are no sizes"),
        ({"chunks": [50, 1]}, "the array 'label' claims shape [200], but chunks [50, 1]"),
        ({"shape": [1e3]}, "the array 'label' claims shape [1000.0] and chunks [50]: these are no sizes"),
    ],
)
def test_what_is_no_plain_grid_of_numbers_is_refused(tmp_path, changed, message):
    path = written(tmp_path)
    edited(path / "label" / ".zarray", **changed)
    refused(path, message)


def test_a_chunk_that_claims_any_size_is_not_unpacked(tmp_path):
    path = written(tmp_path)
    edited(path / "label" / ".zarray", chunks=[10**10])
    refuse(path, "the content takes at least 80 GB of memory, which is much for ...")
    with pytest.raises(ValueError, match="the content takes at least 80 GB of memory, which is much for "):
        cv.open_predictions(path)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"data_type": {"name": "structured", "configuration": {}}}, "the array 'label' is of the type {'name': 'str"),
        ({"chunk_grid": {"name": "rectilinear"}}, "the array 'label' is stored in another way than as a regular grid"),
        ({"chunk_key_encoding": {"name": "evil"}}, "the array 'label' is stored in another way than as a regular grid"),
        ({"storage_transformers": [{"name": "evil"}]}, "the array 'label' is stored in another way than as a regular"),
    ],
)
def test_what_is_no_plain_grid_of_format_3_is_refused(tmp_path, changed, message):
    path = written(tmp_path, 3)
    edited(path / "label" / "zarr.json", **changed)
    refused(path, message)


def test_nothing_is_read_when_a_store_is_opened(tmp_path):
    """A coordinate of a tiny store may claim any size."""
    data = predictions().drop_vars("probs").assign(prob=("sample", PROBS[:, 1]))
    path = written(tmp_path, data=data.assign_coords({"class": [0, 1]}))
    edited(path / "class" / ".zarray", shape=[10**9], chunks=[10**8])
    refuse(path, "the content takes at least 800 MB of memory, which is much for ...")


BOMB = np.zeros(3 * 10**6, dtype="i8")


@cache
def packed_bomb(codec: str) -> bytes:
    return bytes(numcodecs.get_codec({"id": codec}).encode(BOMB))


@pytest.mark.parametrize(
    ("codec", "sharded"),
    [*((codec, False) for codec in sorted(PACKERS)), *((codec, True) for codec in ("blosc", "gzip", "zstd"))],
)
def test_a_chunk_that_unpacks_to_more_than_its_entries_is_refused(tmp_path, monkeypatch, codec, sharded):
    """A small store could ask for any memory."""
    packed = packed_bomb(codec)
    if sharded:
        v3 = {"name": codec, "configuration": {}}
        path = written(tmp_path, 3, label={"chunks": (50,), "shards": (50,)})
        file, key = path / "label" / "zarr.json", "c/1"
        [sharding] = json.loads(file.read_text(encoding="utf-8"))["codecs"]
        sharding["configuration"] |= {"codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, v3]}
        sharding["configuration"] |= {"index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}
        edited(file, codecs=[sharding])
        index = np.array([0, len(packed)], dtype="<u8").tobytes()
    else:
        path, key, index = written(tmp_path), "1", b""
        edited(path / "label" / ".zarray", compressor={"id": codec})
    for place in range(4):
        other = numcodecs.get_codec({"id": codec}).encode(LABELS[:50])
        end = np.array([0, len(other)], dtype="<u8").tobytes() if sharded else b""
        (path / "label" / key.replace("1", str(place))).write_bytes(bytes(other) + end)
    monkeypatch.setattr(xr.Dataset, "load", lambda *args: pytest.fail("zarr was asked"))
    (path / "label" / key).write_bytes(packed + index)
    refuse(path, f"the zarr store cannot be read and may be damaged: {key!r} of the array 'label' unpacks to ...")


@pytest.mark.parametrize("codec", ["bz2", "gzip", "lzma", "zlib", "zstd"])
@pytest.mark.parametrize("parts", [1, 2])
def test_a_chunk_is_packed_as_a_whole(tmp_path, monkeypatch, codec, parts):
    """The libraries unpack all parts of a chunk, of which the first may be small."""
    packer = numcodecs.get_codec({"id": codec})
    path = written(tmp_path)
    edited(path / "label" / ".zarray", compressor={"id": codec})
    for place in range(4):
        (path / "label" / str(place)).write_bytes(packer.encode(LABELS[50 * place : 50 * place + 50]))
    assert (cv.read_predictions(path).labels == LABELS).all()
    monkeypatch.setattr(xr.Dataset, "load", lambda *args: pytest.fail("zarr was asked"))
    with (path / "label" / "1").open("ab") as stream:
        for _ in range(parts):
            stream.write(packed_bomb(codec))
    refuse(path, "the zarr store cannot be read and may be damaged: '1' of the array 'label' is packed in several ...")


def test_a_chunk_of_zstd_that_leaves_out_its_size(tmp_path, monkeypatch):
    """Zarr unpacks it nevertheless, block by block."""
    arrow = pytest.importorskip("pyarrow")
    path = written(tmp_path)
    edited(path / "label" / ".zarray", compressor={"id": "zstd"})

    def write(place: int, content: bytes) -> None:
        packed = arrow.BufferOutputStream()
        with arrow.CompressedOutputStream(packed, "zstd") as stream:
            stream.write(content)
        (path / "label" / str(place)).write_bytes(packed.getvalue().to_pybytes())

    for place in range(4):
        write(place, LABELS[50 * place : 50 * place + 50].tobytes())
    assert (cv.read_predictions(path).labels == LABELS).all()
    monkeypatch.setattr(xr.Dataset, "load", lambda *args: pytest.fail("zarr was asked"))
    write(1, BOMB.tobytes())
    refuse(path, "the zarr store cannot be read and may be damaged: '1' of the array 'label' unpacks to ...")


@pytest.mark.parametrize("changed", [[{"id": "shuffle"}], [{"id": "fletcher32"}]])
def test_what_shrinks_bytes_comes_last(tmp_path, changed):
    path = written(tmp_path)
    edited(path / "label" / ".zarray", filters=[{"id": "zlib"}], compressor=changed[0])
    refused(path, f"the array 'label' is packed by zlib before {changed[0]['id']}: pack it last")
    edited(path / "label" / ".zarray", filters=None, compressor={"id": "crc32", "location": "start"})
    refused(path, "the array 'label' has a checksum before its bytes, not behind them")


def test_a_file_is_no_store(tmp_path):
    (tmp_path / "p.zarr").write_bytes(b"PK")
    refused(tmp_path / "p.zarr", "a zarr store is a folder; this is a file: unpack it")


# Links -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["label", "label/zarr.json", "label/c", "label/c/1", "probs/c/0", "zarr.json"])
def test_what_is_a_link_is_refused(tmp_path, place):
    """Whatever lies elsewhere would be read as if it were part of the store."""
    path = written(tmp_path, 3)
    moved = (path / place).rename(tmp_path / "elsewhere")
    (path / place).symlink_to(moved)
    shown = {
        "zarr.json": "zarr.json of the zarr store",
        "label": "'label' of the zarr store",
        "label/zarr.json": "label/zarr.json of the zarr store",
    }
    name, _, key = place.partition("/")
    shown.setdefault(place, f"{key!r} of the array {name!r}")
    refused(path, f"{shown[place]} is a link to '{moved}': what is read must not lie elsewhere")


def test_a_link_that_the_user_names_is_followed(tmp_path):
    path = written(tmp_path)
    (tmp_path / "latest.zarr").symlink_to(path)
    assert np.array_equal(cv.read_predictions(tmp_path / "latest.zarr").probs, cv.read_predictions(path).probs)


# Metadata that contradict each other -------------------------------------------------------------------------------


def with_copies(path: Path, change) -> None:
    """Changes the consolidated metadata alone."""
    old = (path / ".zmetadata").exists()
    file = path / (".zmetadata" if old else "zarr.json")
    content = json.loads(file.read_text(encoding="utf-8"))
    change((content if old else content["consolidated_metadata"])["metadata"])
    file.write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_consolidated_metadata_that_are_too_old_are_refused(tmp_path, zarr_format):
    """Those of 100 rows would hide the other 100."""
    path = written(tmp_path, zarr_format, True, predictions(100))
    held = {}
    with_copies(path, held.update)
    more = predictions().isel(sample=slice(100, None))
    more.to_zarr(path, append_dim="sample", zarr_format=zarr_format, consolidated=True)
    assert cv.read_predictions(path).labels.tolist() == LABELS.tolist()
    with_copies(path, lambda metadata: metadata.update(held))
    refused(
        path,
        "the consolidated metadata are not those of the array 'label': 'shape' is [200] there, but [100] in them; "
        "where the arrays are right, zarr.consolidate_metadata(...) writes them anew",
    )


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_consolidated_metadata_that_flip_the_labels_are_refused(tmp_path, zarr_format):
    path = written(tmp_path, zarr_format, True)

    def flip(metadata):
        attributes = metadata["label/.zattrs"] if zarr_format == 2 else metadata["label"]["attributes"]
        attributes |= {"scale_factor": -1, "add_offset": 1}

    with_copies(path, flip)
    refused(
        path, "the consolidated metadata are not those of the array 'label': 'add_offset' is missing there, but 1 in"
    )


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_consolidated_metadata_list_the_arrays_of_the_store(tmp_path, zarr_format):
    path = written(tmp_path, zarr_format, True)
    shutil.copytree(path / "label", path / "weight")
    refused(path, "the consolidated metadata do not list the array 'weight' of the store; where the arrays are right")
    shutil.rmtree(path / "weight")
    shutil.rmtree(path / "probs")
    refused(path, "the consolidated metadata list an array 'probs' that is not in the store; where the arrays are")


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("consolidated", [False, True])
def test_consolidated_metadata_change_nothing(tmp_path, zarr_format, consolidated):
    """Neither what is read nor, with attributes that are nan or nested, whether; groups inside are not read."""
    data = predictions()
    nan = float("nan") if zarr_format == 3 else None  # which old releases do not write into format 2
    data["label"].attrs |= {"limits": [0.0, nan], "by": {"name": "café"}}
    path = written(tmp_path, zarr_format, consolidated, data)
    predictions(50).to_zarr(path, group="inner", zarr_format=zarr_format, consolidated=False)
    assert cv.read_predictions(path).labels.tolist() == LABELS.tolist()


def test_metadata_of_two_formats_are_refused(tmp_path):
    path, other = written(tmp_path), tmp_path / "other"
    other.mkdir()
    newer = written(other, 3) / "label" / "zarr.json"
    shutil.copy(newer, path / "label")
    refused(path, "label/ of the zarr store has metadata of two formats, zarr.json, .zarray, .zattrs")
    for name in (".zarray", ".zattrs"):
        (path / "label" / name).unlink()
    refused(path, "the array 'label' has metadata of format 3 in a store of format 2")


def test_a_key_that_stands_twice_in_metadata_is_refused(tmp_path):
    file = (path := written(tmp_path)) / "label" / ".zarray"
    file.write_text(file.read_text(encoding="utf-8").replace('"shape"', '"shape": [100], "shape"', 1), encoding="utf-8")
    refused(path, "label/.zarray of the zarr store cannot be read and may be damaged: two keys are named 'shape'")


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_own_metadata_that_are_too_old_are_refused(tmp_path, zarr_format):
    path = written(tmp_path, zarr_format)
    for name in ("label", "probs"):
        file = path / name / (".zarray" if zarr_format == 2 else "zarr.json")
        edited(file, shape=[100, *json.loads(file.read_text(encoding="utf-8"))["shape"][1:]])
    for read in (cv.read_predictions, cv.open_predictions):
        with pytest.raises(ValueError, match=r"the array '\w+' has 100 rows, but a chunk of more, '(c/)?2"):
            read(path)


# Chunks that were never written ------------------------------------------------------------------------------------


@pytest.mark.parametrize("index_location", ["start", "end"])
def test_a_chunk_that_a_shard_lacks_is_refused(tmp_path, index_location):
    zarr = pytest.importorskip("zarr")
    path = written(tmp_path, 3)
    shutil.rmtree(path / "label")
    array = zarr.create_array(
        str(path / "label"), shape=(N,), dtype="i8", dimension_names=["sample"], fill_value=0,
        chunks=(20,),
        shards={"shape": (120,), "index_location": index_location},
        config={"write_empty_chunks": True},
    )  # fmt: skip  # the options stand together
    array[:40], array[60:] = LABELS[:40], LABELS[60:]
    message = (
        "a chunk in the shard 'c/0' of the array 'label', rows 40 to 59, is missing: it is lost, or zarr left it out"
    )
    refuse(path, f"{message}...")
    with pytest.raises(ValueError, match=message):
        cv.open_predictions(path)
    array[40:60] = LABELS[40:60]
    assert cv.read_predictions(path).labels.tolist() == LABELS.tolist()
