"""Parts read by a cluster, of which a worker dies; and nothing at all without dask."""

import os
import signal
import subprocess
import sys
import time

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster, get_worker
from lazy_samples import (
    SOURCES,
    N,
    binary,
    same_sums,
)

import calibviz as cv

pytestmark = pytest.mark.thorough

BAD = 4321


@pytest.fixture(scope="module")
def cluster():
    with (
        dask.config.set({"distributed.worker.daemon": False}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as made,
        Client(made),
    ):
        yield made


def test_a_cluster_gives_what_threads_give(cluster, data, whole, tmp_path):
    lazy = SOURCES["zarr"](data, tmp_path)
    same_sums(cv.summarize(lazy, "class 2", progress=False), cv.summarize(whole, "class 2"))


def test_a_killed_worker_changes_nothing(cluster, tmp_path):
    marker = tmp_path / "killed"

    def deadly(score):
        if get_worker() is not None and score[0] > 0 and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.05)
        return score

    data = binary(5000)
    data["prob"] = data["prob"].clip(0.001, 1)
    killing = data.chunk(sample=500)
    killing["prob"] = killing["prob"].copy(data=killing["prob"].data.map_blocks(deadly, dtype=float, meta=np.empty(0)))
    found = cv.summarize(cv.open_predictions(killing), "class 1", progress=False)
    assert marker.exists()
    same_sums(found, cv.summarize(cv.open_predictions(data), "class 1", progress=False))


def test_a_bad_row_is_named_by_a_cluster_too(cluster, data, tmp_path):
    labels = data["label"].values.copy()
    labels[[BAD, N - 1]] = 7  # which marks no missing label
    with pytest.raises(ValueError, match=rf"preds.zarr, rows 4,000 to 4,999: labels\[{BAD}\] is 7"):
        cv.summarize(SOURCES["zarr"](data.assign(label=("sample", labels)), tmp_path), progress=False)


def test_nothing_but_opening_needs_dask(tmp_path):
    program = """
import sys
for name in ("dask", "distributed", "zarr", "pyarrow"):
    sys.modules[name] = None
import calibviz as cv
p = cv.load_dataset("tumours")["naive Bayes"]
cv.evaluate(p, progress=False)
cv.summarize_all({"a": p}, ["top-1"])
try:
    cv.open_predictions("somewhere.zarr")
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.stderr == ""
    assert done.stdout == "reading predictions in parts needs dask: pip install 'calibviz[scale]'\n"


def test_calibviz_does_not_load_dask(tmp_path):
    program = "import sys, calibviz as cv; cv.evaluate; print({'dask', 'distributed', 'zarr'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.stdout == "set()\n"
