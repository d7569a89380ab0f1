"""A file that is replaced or changed while it is read, or that is no file at all."""

from __future__ import annotations

import os
import re
import socket
from dataclasses import replace
from pathlib import Path

import pytest
import xarray as xr
from lazy_samples import files, made, parquet, zarr
from prediction_files import refuse, text_file, write_everything

import calibviz as cv
from calibviz.data.readers import steady
from calibviz.data.readers.formats import FORMATS
from calibviz.data.readers.tables import text_tables

CHANGED = "changed while it was read: read it again when nothing writes to it any more"
ENDINGS = [".npz", ".csv", ".parquet", ".nc"]


def replaced(path: Path, in_place: bool) -> None:
    """As if another program had written other predictions of the same size."""
    content = path.read_bytes()
    if not in_place:
        path.unlink()
    path.write_bytes(content[::-1])


def after(monkeypatch, owner, name, change):
    """Have a change happen after each call of a function."""
    function = getattr(owner, name)

    def called(*arguments, **named):
        found = function(*arguments, **named)
        change()
        return found

    monkeypatch.setattr(owner, name, called)


@pytest.mark.parametrize("in_place", [True, False])
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch, ending, in_place):
    path = tmp_path / f"p{ending}"
    write_everything(path)
    reader = FORMATS[ending].read

    def read(file, choices, account):
        found = reader(file, choices, account)
        replaced(path, in_place)
        return found

    monkeypatch.setitem(FORMATS, ending, replace(FORMATS[ending], read=read))
    refuse(path, f"the file {CHANGED}")


def test_a_csv_is_of_one_file_in_all_its_passes(tmp_path, monkeypatch):
    """Labels and probabilities are read one after the other."""
    path = text_file(tmp_path, "p_0,p_1,label\n0.9,0.1,0\n0.8,0.2,0\n")

    def change():
        path.unlink(missing_ok=True)
        path.write_text("p_0,p_1,label\n0.1,0.9,1\n0.2,0.8,1\n")

    after(monkeypatch, text_tables.CsvTable, "labels", change)
    refuse(path, f"the file {CHANGED}")


def test_a_csv_that_becomes_unreadable_has_changed(tmp_path, monkeypatch):
    path = text_file(tmp_path, "p_0,p_1,label\n0.9,0.1,0\n0.8,0.2,0\n")
    after(monkeypatch, text_tables.CsvTable, "labels", lambda: path.write_text("p_0,p_1,label\n0.1,x,1\n0.2,0.8,1\n"))
    refuse(path, f"the file {CHANGED}")


def test_no_line_of_another_file_is_named(tmp_path, monkeypatch):
    path = text_file(tmp_path, "p_0,p_1,label\n0.9,0.1,0\n0.8,1.2,0\n")
    after(
        monkeypatch, text_tables.CsvTable, "line", lambda: path.write_text("\n\np_0,p_1,label\n0.9,0.1,0\n0.8,1.2,0\n")
    )
    refuse(path, f"the file {CHANGED}")


def test_a_change_within_the_tick_of_a_clock_is_waited_for(tmp_path, monkeypatch):
    """A file that was written a moment ago could be written again without a later time."""
    path, waited = text_file(tmp_path, "p_0,p_1,label\n0.9,0.1,0\n"), []
    monkeypatch.setattr(steady.time, "sleep", waited.append)
    monkeypatch.setattr(steady.time, "time_ns", lambda: path.stat().st_mtime_ns + 5_000_000)
    cv.read_predictions(path)
    assert waited == [0.015]
    monkeypatch.setattr(steady.time, "time_ns", lambda: path.stat().st_mtime_ns + 50_000_000)
    cv.read_predictions(path)
    assert waited == [0.015]


@pytest.mark.parametrize("source", [parquet, zarr])
def test_what_changes_while_parts_are_read_is_refused(tmp_path, monkeypatch, source):
    path = source(made(), tmp_path)
    lazy, target = cv.open_predictions(path, rows=1000), path / "label" / "0" if path.is_dir() else path
    name = "zarr store" if path.is_dir() else "parquet file"
    seen = target.stat()
    os.utime(target, ns=(seen.st_atime_ns, seen.st_mtime_ns + 1))
    place = rf"{path.name}, rows 0 to \d+: the {name} changed after it was opened: open it again"
    with pytest.raises(ValueError, match=place):
        cv.summarize(lazy, progress=False)
    again = cv.open_predictions(path, rows=1000)
    assert cv.summarize(again, progress=False).rows == len(again)


def test_a_file_of_a_folder_that_changes_is_named(tmp_path, monkeypatch):
    folder = files(made(), tmp_path / "many")
    changed = folder / "day=1" / "part.parquet"
    pq = pytest.importorskip("pyarrow.parquet")
    after(monkeypatch, pq.ParquetFile, "read_row_groups", lambda: os.utime(changed, ns=(0, 0)))
    refuse(folder, "day=1/part.parquet changed after it was opened: open it again")


def test_a_zarr_store_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch):
    path = zarr(made(), tmp_path)
    after(monkeypatch, xr.Dataset, "load", lambda: (path / "label" / "3").write_bytes(b"other"))
    refuse(path, f"the zarr store {CHANGED}")


@pytest.mark.parametrize("ending", [*ENDINGS, ".zarr", ""])
def test_a_pipe_is_refused_before_it_is_opened(tmp_path, ending):
    path = tmp_path / f"p{ending}"
    os.mkfifo(path)
    refuse(path, "this is a pipe, not a file: write what it gives to a file, and read that")
    with pytest.raises(ValueError, match=re.escape(f"{path}: this is a pipe, not a file")):
        cv.open_predictions(path)


def test_devices_and_sockets_are_refused(tmp_path):
    link = tmp_path / "p.csv"
    link.symlink_to("/dev/zero")
    refuse(link, "this is a device, not a file: ...")
    with socket.socket(socket.AF_UNIX) as server:
        place = os.getcwd()
        os.chdir(tmp_path)  # the name of a socket has to be short
        try:
            server.bind("p.npz")
        finally:
            os.chdir(place)
        refuse(tmp_path / "p.npz", "this is a socket, not a file: ...")


@pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="the system has none")
def test_standard_input_is_refused(monkeypatch):
    reading, writing = os.pipe()
    try:
        refuse(Path(f"/dev/fd/{reading}"), "this is a pipe, not a file: ...")
    finally:
        os.close(reading)
        os.close(writing)


def test_a_pipe_in_a_folder_of_parquet_is_refused(tmp_path):
    folder = files(made(), tmp_path / "many")
    os.mkfifo(folder / "day=1" / "more.parquet")
    refuse(folder, "day=1/more.parquet is a pipe, not a file: ...")
    with pytest.raises(ValueError, match=r"many: day=1/more.parquet is a pipe, not a file"):
        cv.open_predictions(folder)


@pytest.mark.parametrize("place", ["day=1", "day=1/part.parquet"])
def test_a_link_in_a_folder_of_parquet_is_refused(tmp_path, place):
    folder = files(made(), tmp_path / "many")
    moved = (folder / place).rename(tmp_path / "elsewhere")
    (folder / place).symlink_to(moved)
    message = f"{place!r} of the folder is a link to '{moved}': what is read must not lie elsewhere"
    refuse(folder, message)
    with pytest.raises(ValueError, match=re.escape(message)):
        cv.open_predictions(folder)


def test_a_folder_may_be_named_like_a_file(tmp_path):
    folder = files(made(), tmp_path / "many.parquet" / "part.parquet").parent
    assert len(cv.read_predictions(folder)) == len(cv.open_predictions(folder)) == made().sizes["sample"]
