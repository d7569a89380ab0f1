"""Columns that say which rows belong together, in sources of all kinds."""

import json
import re

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import calibviz as cv
from calibviz.app.options import in_message, in_shell
from calibviz.data.nouns import nouns_of_field

N = 60
PROB = (np.arange(N) * 7 % N + 0.5) / N
LABEL = (np.arange(N) * 11 % N < 7 * np.arange(N) % N).astype(int)
MATCH = np.arange(N) // 5 * 3 + 2


def table(**more):
    return pd.DataFrame({"label": LABEL, "prob": PROB, **more})


@pytest.mark.parametrize("ending", [".csv", ".npz", ".jsonl", ".parquet", ".nc", "frame", "index"])
def test_a_column_names_the_clusters_in_sources_of_all_kinds(tmp_path, ending):
    frame, file = table(match_id=MATCH, age=np.arange(N) % 7), tmp_path / f"mine{ending}"
    {
        ".csv": lambda: frame.to_csv(file, index=False),
        ".npz": lambda: np.savez(file, **{key: frame[key].to_numpy() for key in frame}),
        ".jsonl": lambda: file.write_text("".join(f"{json.dumps(r)}\n" for r in frame.to_dict("records"))),
        ".parquet": lambda: frame.to_parquet(file),
        ".nc": lambda: xr.Dataset({name: ("sample", frame[name]) for name in frame}).to_netcdf(file),
        "frame": lambda: None,
        "index": lambda: None,  # which a file of such a table holds as a column
    }[ending]()
    given = {"frame": frame, "index": frame.set_index("match_id")}
    p = cv.read_predictions(given.get(ending, file), cluster="match_id", fields="age")
    assert (p.cluster, p.n_clusters) == ("match_id", 12)
    np.testing.assert_array_equal(p.cluster_codes, np.arange(N) // 5)
    assert set(p.fields) == {"age", "match_id"}
    assert "rows that share 'match_id' are taken together (12 of them)" in p.about["assumed"]
    if ending not in given:
        assert p.about["source"] == f"cv.read_predictions({str(file)!r}, fields=['age'], cluster='match_id')"


def test_an_id_that_is_no_field_becomes_the_clusters_where_it_is_named():
    frame = table(match_id=MATCH)
    assert "match_id" in cv.Predictions.from_frame(frame).notes
    p = cv.Predictions.from_frame(frame, cluster="Match_ID")
    assert p.cluster == "match_id" and "match_id" in p.fields and not p.notes
    own = cv.Predictions.from_frame(table(row_id=np.arange(N)), cluster="row_id")
    assert own.cluster_codes is None and "each row has a 'row_id' of its own" in own.about["assumed"]


def test_rows_can_be_said_to_be_independent():
    frame = table(patient_id=MATCH)
    for cluster in (False, ""):
        p = cv.read_predictions(frame, cluster=cluster)
        assert p.are_independent and p.cluster is None and p.n_clusters == N
    assert not cv.read_predictions(frame).are_independent
    assert cv.Predictions(PROB, LABEL, cluster=False).select(np.arange(3)).are_independent


@pytest.mark.parametrize(
    ("cluster", "said"),
    [
        ("label", "cluster='label': this column is the label of each row, not what rows belong to"),
        ("prob", "cluster='prob': this column is the probability of each row, not what rows belong to"),
        ("match", "cluster='match': no column has this name among 'match_id'; did you mean 'match_id'?"),
    ],
)
def test_what_names_no_clusters_is_refused(cluster, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        cv.read_predictions(table(match_id=MATCH), cluster=cluster)


def test_a_row_without_a_cluster_is_refused_by_its_line(tmp_path):
    file = tmp_path / "mine.csv"
    table(patient=[f"p{i}" if i != 7 else "" for i in MATCH // 3]).assign(
        patient=lambda t: [None if i == 7 else v for i, v in enumerate(t.patient)]
    ).to_csv(file, index=False)
    with pytest.raises(ValueError, match="line 9 has no cluster; give a row that belongs to nobody a value of its own"):
        cv.read_predictions(file, cluster="patient")
    with pytest.raises(ValueError, match="cluster: row 7 has none; give a row that belongs to nobody"):
        cv.read_predictions(pd.read_csv(file), cluster="patient")
    with pytest.raises(TypeError, match="cluster must be text, not 3"):
        cv.read_predictions(file, cluster=3)


def test_models_of_one_table_have_the_clusters_of_their_rows():
    long = pd.concat([table(model=name, match_id=MATCH) for name in "ab"])
    for p in cv.read_models(long, model="model", cluster="match_id").values():
        assert (p.cluster, p.n_clusters, len(p)) == ("match_id", 12, N)


def test_counts_in_rows_of_one_site_belong_together():
    counts = pd.DataFrame({
        "n": [10, 20, 30], "events": [1, 8, 20], "mean_predicted": [0.2, 0.5, 0.6], "site": ["a", "b", "b"]
    })  # fmt: skip  # one table
    p = cv.read_predictions(counts, cluster="site", fields=[])
    assert (p.cluster, p.n_clusters) == ("site", 2)


def test_an_estimator_and_arrays_of_xarray_take_clusters():
    class Guess:
        classes_ = (0, 1)

        def predict_proba(self, X):
            return np.column_stack([1 - PROB, PROB])

    frame = pd.DataFrame({"match": MATCH})
    for cluster in ("match", MATCH):
        assert cv.Predictions.from_estimator(Guess(), frame, LABEL, cluster=cluster).n_clusters == 12
    of = {"dims": ("time", "place"), "coords": {"time": np.arange(12)}}
    p = cv.Predictions.from_xarray(
        xr.DataArray(PROB.reshape(12, 5), **of), xr.DataArray(LABEL.reshape(12, 5), **of), cluster="time"
    )
    assert (p.cluster, p.n_clusters) == ("time", 12)
    assert "may not be independent" not in p.about["assumed"]


@pytest.mark.parametrize("ending", [".parquet", ".zarr", "dataset"])
def test_parts_keep_the_clusters_of_what_is_drawn_and_of_summaries(tmp_path, ending):
    pytest.importorskip("dask")
    frame, file = table(match_id=MATCH, age=np.arange(N) % 7), tmp_path / f"mine{ending}"
    dataset = xr.Dataset({name: ("sample", frame[name]) for name in frame})
    if ending == ".parquet":
        frame.to_parquet(file)
    if ending == ".zarr":
        dataset.to_zarr(file, zarr_format=2)
    source = dataset.chunk(sample=20) if ending == "dataset" else file
    lazy = cv.open_predictions(source, fields=["age"], cluster="match_id")
    p = lazy.sample(N, progress=False)
    assert p.cluster == "match_id" and 1 < p.n_clusters <= 12
    assert cv.summarize(lazy, progress=False).cluster_sums.clusters == 12
    with pytest.raises(ValueError, match="cluster='match_id': segments of what is read in parts do not keep which"):
        cv.segments(lazy)
    with pytest.raises(ValueError, match="cluster"):
        cv.open_predictions(source, cluster="nobody")
    assert cv.open_predictions(source, cluster=False).sample(N, progress=False).are_independent


def test_the_options_of_the_command_say_the_same():
    assert in_shell({"cluster": "patient_id"}) == "--cluster patient_id"
    assert in_shell({"cluster": False}) == "--cluster ''"
    assert in_message("cluster", "False") == "--cluster ''"
    assert in_message("cluster", "'patient_id'") == "--cluster 'patient_id'"


@pytest.mark.parametrize(
    ("name", "one", "many"),
    [
        ("patient_id", "patient", "patients"),
        ("PatientNo", "patient", "patients"),
        ("patientid", "patient", "patients"),
        ("matches", "match", "matches"),
        ("match", "match", "matches"),
        ("family", "family", "families"),
        ("person", "person", "people"),
        ("day", "day", "days"),
        ("market day", "market day", "market days"),
        ("diagnosis", "diagnosis", "diagnoses"),
        ("cluster", "cluster", "clusters"),
        ("id", "cluster", "clusters"),
        ("g1", "cluster", "clusters"),
        ("pid", "cluster", "clusters"),
    ],
)
def test_clusters_are_called_by_the_plural_of_their_field(name, one, many):
    nouns = nouns_of_field(name)
    assert (nouns.one, nouns.many) == (one, many)
