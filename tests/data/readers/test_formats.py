"""Formats that other tools write: each is read as the same table, or refused with lines that make another file."""

from __future__ import annotations

import base64
import io
import json
import pickle
import struct
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from prediction_files import refuse
from workbooks import rows_of, write_ods, write_xlsx, write_zip, xlsx_parts

import calibviz as cv
from calibviz.data.columns.choices import Question, ReadingOptions
from calibviz.data.readers import preview
from calibviz.data.readers.formats import FORMATS, LIKE
from calibviz.data.readers.refused import REFUSED

RNG = np.random.default_rng(3)
N = 60
P = RNG.random(N).round(3)
Y = (RNG.random(N) < P).astype(int)
SITE = np.where(RNG.random(N) < 0.5, "Ulm", "Genève")
PROBS = RNG.dirichlet([1, 1, 1], N)
CLASSES = np.arange(N) % 3
#: A workbook of Excel 97, as xlwt writes it: prob, label, site, date.
XLS = (
    "c-rllO=ule6vxk<dGo&VKIVNUX(bH-qsCUTf{4((8fpuL#J1vB5o?}#LT!90&mh=^{mil`bX5_g&@SAxy0I-))Lj=sL>Gb}Cc1PXf`W@S<GKGi"
    "ujbxfp#d$lyc6ck{h0Hc|DAj9naTTRv9xsNlXc5v**N*M5@jg4s!j2c=~hDG{wUJL?m5jz)U!LvGHIU3WI$K)U#IjO>iJ$Kk3LR(#h&PAK3<}O"
    "G&R?54c|tafQD(MHEdz8=mTyk&>&Qm;a`QXz+b?XpTTcM%SrexeC?9jON))EvBzZ<zu=9auRxl65iviY<q@jURlSN2zo+7B1A4Nve|q)~>ljMp"
    "=q&Ms?r61J9bGTdIm!~f$hK*6a?`eLOH}2_K1+W_!$f~{clDRUz4qJNu87<JGTT%C(w^o?wA)X438Etuy@E}$zzMpZh}Xh1*Jv}{BYT?L4tD06"
    "0nzMqvo*`rH}}uC_%t&;-|~r`oqdBV6Rl1=tFt_^LTF@#Ja$Wt{R|aRE@97vEbH1wzkfT~+|}5JmLqr*#P5rHwLFUGsE**^0(u7Fb<Y?g9)v#z"
    ">Uxyd!B=@f^LcbvO$ytO<C+ub9p(Ex3j3~c->UNcTweHf_obnQUm6c^`TUOML)G)&H_p%qKb{$m*MG-pquQw6KdtR@qkC48TYiKeyeZG5y->7A"
    "@=`3)b-lCLO7L+_KOJ?W=E<{)Yd+U}VJVCCIp1G_RfPAz(s2qD{mkC+bj{~0hZa3hJO{-?{08{s4T=X!AQTUj5ux}FijVk*EiJyG#Rp|nC<zB8"
    "f%t|+Nf=rZpo|G6a8LroKW&XDFth}qJS3E)gOWu2K1)l|(2@jYvrtkFN(%9F7A0k9NrCd1P|^-c8u5p%5v2_+X;7XJO2$FSApTuTOUBTW0cBh$"
    "SqCMH_zx{g*3gm#WkM)@4oV;5FIXe$Gqm)9vRx=S2PKF2FDxxNLrV^nokGbwD0##$T9mw@B@fD!Pznx80r5XsBPtkL3ZU!}O3^`yck^$SmZG7h"
    "2+DIp2_2LW@sULd4J{!kdxcVRP)c!rQRawBhL#d2FAJsYpp@hMqD(DiLrWQyrcf#lN+r%O7NufnsetmDP^u0}HO?>Ah^mH`Dk!fDrRJd2;{0N1"
    "sTo>optOZjcTnnaez7QZLrWc$j!^m?l>RusSR?8;wDg1WmQV&9lz}+ESXu@QEd!t&V#>Hzrcd={{004wWvOR9>)G9D3SXxr-+qLwpz}>ie%HCq"
    "$4c*KlDpRS@Hgxn&GSE%Pf?rC9eR6B>!(hE>ax@=#&mx#)b>2zy+a462^|O4yngw6L#-aqEeD4G-4<Hw{a4na^MAho-{S*S`2"
)


def frame(**more):
    return pd.DataFrame({"prob": P, "label": Y, "site": SITE} | more)


def same(path: Path, **options):
    """The predictions of a file that holds those above."""
    p = cv.read_predictions(path, **options)
    np.testing.assert_allclose(p.probs[:, 1], P, rtol=1e-14)  # old writers of .por round
    assert_array_equal(p.labels, Y)
    return p


# Tables -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".sav", ".zsav", ".por", ".xpt", ".XPT"])
def test_files_of_spss_and_sas(tmp_path, ending):
    pyreadstat = pytest.importorskip("pyreadstat")
    path, table = tmp_path / f"p{ending}", frame(site=np.where(SITE == "Ulm", "Ulm", "Bern"))
    if ending == ".por":
        pyreadstat.write_por(table, str(path))
    elif ending.lower() == ".xpt":
        pyreadstat.write_xport(table, str(path), file_format_version=5 if ending == ".xpt" else 8)
    else:
        pyreadstat.write_sav(table, str(path), compress=ending == ".zsav")
    p = same(path)
    assert set(p.fields[next(iter(p.fields))].tolist()) == {"Ulm", "Bern"}
    assert float(preview(path, ReadingOptions()).rows[0][0]) == pytest.approx(P[0])


def test_numbers_near_0_stay_what_they_are_in_a_transport_file(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    pyreadstat.write_xport(frame(x=np.zeros(N)), str(tmp_path / "p.xpt"), file_format_version=5)
    assert set(cv.read_predictions(tmp_path / "p.xpt", fields=["x"]).fields["x"]) == {0.0}


def test_value_labels_become_the_labels_where_each_value_has_its_own(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    table = frame(grade=1 + np.arange(N) % 3, side=1 + np.arange(N) % 2).assign(label=Y + 1)
    labels = {"label": {1: "No", 2: "Yes"}, "grade": {1: "low", 9: "unknown"}, "side": {1: "same", 2: "same"}}
    pyreadstat.write_sav(table, str(tmp_path / "p.sav"), variable_value_labels=labels)
    p = same(tmp_path / "p.sav")
    assert p.class_names == ("No", "Yes")
    assert (p.fields["grade"].dtype.kind, p.fields["side"].dtype.kind) == ("f", "f")


def test_labels_of_stata_become_the_labels(tmp_path):
    label = pd.Categorical(np.where(Y == 1, "yes", "no"))
    day = pd.to_datetime("2026-01-01") + pd.to_timedelta(np.arange(N), unit="D")
    frame(label=label, day=day).drop(columns="site").to_stata(tmp_path / "p.dta", write_index=False)
    p = same(tmp_path / "p.dta")
    assert p.class_names == ("no", "yes")
    assert p.fields["day"][1] == np.datetime64("2026-01-02")


def test_values_of_stata_of_which_some_have_no_label_stay_numbers(tmp_path):
    options = {"value_labels": {"grade": {1: "low"}}, "write_index": False}
    frame(grade=1 + np.arange(N) % 3).to_stata(tmp_path / "p.dta", **options, version=118)
    assert same(tmp_path / "p.dta").fields["grade"].dtype.kind in "iuf"


@pytest.mark.parametrize("writer", ["feather", "stream", "polars", "polars categories"])
def test_arrow_in_its_forms(tmp_path, writer):
    arrow, path = pytest.importorskip("pyarrow"), tmp_path / "p.arrow"
    if writer == "feather":
        frame().to_feather(path, compression="zstd")
    elif writer == "stream":
        table = arrow.Table.from_pandas(frame())
        with arrow.ipc.new_stream(path, table.schema) as stream:
            stream.write_table(table, max_chunksize=7)
    else:
        polars = pytest.importorskip("polars")
        kind = polars.Categorical if writer == "polars categories" else polars.String
        polars.from_pandas(frame()).with_columns(polars.col("site").cast(kind)).write_ipc(path, compression="lz4")
    assert_array_equal(same(path).fields["site"], SITE)


NAMED = {
    "numbered": lambda names: {f"p_{k}": PROBS[:, k] for k in range(3)},
    "listed": lambda names: {"probs": PROBS.tolist()},
    "in another order": lambda names: {f"p_{names[k]}": PROBS[:, k] for k in (2, 0, 1)},
}


@pytest.mark.parametrize("columns", NAMED.values(), ids=NAMED)
@pytest.mark.parametrize("form", [".feather", ".arrow", ".parquet", "table"])
def test_class_names_in_the_metadata_of_a_dataset_are_those_of_its_labels(tmp_path, form, columns):
    arrow, names = pytest.importorskip("pyarrow"), ["tabby cat", "dog", "barn owl"]
    of_labels = {"names": names, "_type": "ClassLabel"}
    features = {"label": of_labels, "probs": {"feature": {"dtype": "float64", "_type": "Value"}, "_type": "Sequence"}}
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    path = tmp_path / f"p{form}"

    def stored(labels):
        table = arrow.table({"label": labels, **columns(names)}).replace_schema_metadata(metadata)
        if form == ".feather":
            pytest.importorskip("pyarrow.feather").write_feather(table, path)
        elif form == ".arrow":
            with arrow.ipc.new_stream(path, table.schema) as stream:
                stream.write_table(table)
        elif form == ".parquet":
            pytest.importorskip("pyarrow.parquet").write_table(table, path, row_group_size=20)
        return table if form == "table" else path

    read = cv.read_predictions(stored(CLASSES))
    assert [read.class_names[k] for k in read.labels] == [names[k] for k in CLASSES]
    own = [read.class_names.index(name) for name in names]
    np.testing.assert_array_equal(read.probs[:, own], PROBS)
    if form == ".parquet":
        opened = cv.open_predictions(path, rows=20).sample(N, progress=False)
        assert (opened.class_names, opened.labels.tolist()) == (read.class_names, read.labels.tolist())
    with pytest.raises(Question, match="row 4 of column 'label' is missing"):
        cv.read_predictions(stored(np.where(np.arange(N) == 4, -1, CLASSES)))
    with pytest.raises(ValueError, match="row 4 of column 'label' is 3, but the metadata of the file names 3 classes"):
        cv.read_predictions(stored(np.where(np.arange(N) == 4, 3, CLASSES)))


def test_two_classes_of_a_dataset_have_its_order():
    arrow = pytest.importorskip("pyarrow")
    features = {"label": {"names": ["spam", "ham"], "_type": "ClassLabel"}}
    table = arrow.table({"label": Y, "prob": P})
    table = table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    assert same(table).class_names == ("spam", "ham")
    assert "in the order of the file's metadata" in same(table).about["assumed"]
    for damaged in (
        b"{",
        b"[]",
        b'{"info": {"features": [1]}}',
        b'{"info": {"features": {"label": {"_type": "ClassLabel"}}}}',
    ):
        assert same(table.replace_schema_metadata({"huggingface": damaged})).class_names == ("0", "1")


def test_a_column_of_records_in_an_arrow_file_is_left_out(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table({"prob": P, "label": Y, "note": [{"a": 1}] * N})
    arrow.feather = pytest.importorskip("pyarrow.feather")
    arrow.feather.write_feather(table, tmp_path / "p.feather")
    assert "not read, since each entry holds several things: note" in same(tmp_path / "p.feather").about["assumed"]


# Workbooks --------------------------------------------------------------------------------------------------------


def columns(**more):
    return {"prob": P.tolist(), "label": Y.tolist(), "site": SITE.tolist()} | more


def test_workbooks_of_each_program(tmp_path):
    pytest.importorskip("python_calamine")
    write_xlsx(tmp_path / "p.xlsx", {"S": columns()})
    write_ods(tmp_path / "p.ods", columns())
    for name in ("p.xlsx", "p.ods"):
        assert_array_equal(same(tmp_path / name).fields["site"], SITE)
        assert preview(tmp_path / name, ReadingOptions()).columns == ("prob", "label", "site")
    (tmp_path / "p.xls").write_bytes(zlib.decompress(base64.b85decode("".join(XLS))))
    p = cv.read_predictions(tmp_path / "p.xls")
    assert_array_equal(p.probs[:, 1], (0.03 + 0.04 * np.arange(24)).round(2))
    assert_array_equal(p.labels, np.arange(24) * 7 % 3 % 2)
    assert p.fields["date"][23] == np.datetime64("2026-01-24")


def test_where_no_process_starts_a_workbook_is_refused_with_the_way_out(tmp_path, monkeypatch):
    monkeypatch.setattr("calibviz.data.readers.apart.IN_BROWSER", True)
    write_xlsx(tmp_path / "p.xlsx", {"S": columns()})
    refuse(
        tmp_path / "p.xlsx",
        "the workbook cannot be read in a browser, where no process starts by itself: save the sheet as .csv",
    )


def test_the_only_sheet_with_a_table_is_read_and_of_several_one_is_chosen(tmp_path):
    pytest.importorskip("python_calamine")
    write_xlsx(tmp_path / "one.xlsx", {"notes": {"made by me": []}, "empty": {}, "T": columns()})
    assert_array_equal(same(tmp_path / "one.xlsx").labels, Y)
    other = np.r_[1 - Y[:5], Y[5:]]
    write_xlsx(tmp_path / "two.xlsx", {"first": columns(), "second": columns(label=other.tolist())})
    with pytest.raises(Question) as caught:
        cv.read_predictions(tmp_path / "two.xlsx", label="label", prob="prob")
    assert "2 sheets hold tables" in caught.value.said
    assert [given["sheet"] for given, _ in caught.value.lines] == ["first", "second"]
    for (given, _), labels in zip(caught.value.lines, (Y, other), strict=True):
        assert_array_equal(cv.read_predictions(tmp_path / "two.xlsx", **given).labels, labels)
    refuse(tmp_path / "two.xlsx", "sheet='third': no sheet has this name among 'first', 'second'", sheet="third")
    with pytest.raises(
        ValueError, match="2 sheets hold tables: 'first', 'second'; save that of the labels as a file of"
    ):
        cv.read_predictions(tmp_path / "one.xlsx", truth=tmp_path / "two.xlsx")
    write_xlsx(tmp_path / "none.xlsx", {"notes": {"made by me": []}})
    refuse(tmp_path / "none.xlsx", "no sheet holds a table, names of columns above rows, among 'notes'")


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (["A title", None, None], "the first row of the sheet 'S' holds 'A title', but must hold the names of the col"),
        ([0.5, 1, 7], "the first row of the sheet 'S' holds 0.5, but must hold the names of the columns; remove lines"),
        (["prob", "label", "prob"], "two columns are named 'prob': rename one of them"),
    ],
)
def test_the_first_row_of_a_sheet_names_its_columns(tmp_path, header, message):
    pytest.importorskip("python_calamine")
    cells = rows_of({f"c{i}": [name, 0.5, 0.25] for i, name in enumerate(header)})
    write_zip(tmp_path / "p.xlsx", xlsx_parts({"S": cells.replace('<row r="1">', "<!--").replace("</row>", "-->", 1)}))
    refuse(tmp_path / "p.xlsx", f"{message}...")


def test_a_text_that_is_called_a_workbook(tmp_path):
    (tmp_path / "p.xls").write_text("prob\tlabel\n0.5\t1\n")
    refuse(tmp_path / "p.xls", "the file is named .xls, but is text by its first bytes: rename it to p.csv")


@pytest.mark.parametrize(
    ("name", "library", "otherwise"),
    [
        (
            "p.xlsx",
            "python_calamine",
            "reading the workbook needs python_calamine: pip install 'calibviz[io]', or save",
        ),
        ("p.sav", "pyreadstat", "reading the .sav file needs pyreadstat: pip install 'calibviz[io]', or write a text"),
    ],
)
def test_a_library_that_is_not_there_is_named_with_the_extra(tmp_path, monkeypatch, name, library, otherwise):
    (tmp_path / f"{library}.py").write_text(f"raise ModuleNotFoundError('no', name={library!r})")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    write_xlsx(tmp_path / "p.xlsx", {"S": columns()})
    (tmp_path / "p.sav").write_bytes(b"$FL2")
    refuse(tmp_path / name, f"{otherwise}...", ImportError)


# Arrays -----------------------------------------------------------------------------------------------------------


def safetensors(**arrays) -> bytes:
    """Tensors as the format has them; those of 2 bytes without a sign are of bfloat16."""
    kinds = {"f8": "F64", "f4": "F32", "f2": "F16", "u2": "BF16", "i8": "I64", "u1": "U8", "b1": "BOOL"}
    head, data = {"__metadata__": {"by": "test"}}, b""
    for name, array in arrays.items():
        content = np.ascontiguousarray(array).tobytes()
        place = [len(data), len(data) + len(content)]
        head[name] = {"dtype": kinds[array.dtype.str[1:]], "shape": list(array.shape), "data_offsets": place}
        data += content
    text = json.dumps(head).encode()
    return struct.pack("<Q", len(text)) + text + data


@pytest.mark.parametrize("kind", ["f8", "f4", "f2", "u2"])
def test_safetensors_of_each_kind_of_numbers(tmp_path, kind):
    logits = np.log(PROBS)
    stored = (logits.astype("f4").view("u4") >> 16).astype("u2") if kind == "u2" else logits.astype(kind)
    (tmp_path / "p.safetensors").write_bytes(safetensors(logits=stored, labels=CLASSES))
    p = cv.read_predictions(tmp_path / "p.safetensors")
    assert np.abs(p.probs - PROBS).max() < {"f8": 1e-12, "f4": 1e-6, "f2": 2e-3, "u2": 2e-2}[kind]
    assert_array_equal(p.labels, CLASSES)
    assert preview(tmp_path / "p.safetensors", ReadingOptions()).columns == ("logits", "labels")


def test_the_labels_of_an_array_stand_in_another_file(tmp_path):
    np.save(tmp_path / "y_prob.npy", PROBS)
    np.save(tmp_path / "y_true.npy", CLASSES)
    np.savez(tmp_path / "y.npz", labels=CLASSES, other=CLASSES[::-1])
    for truth in ("y_true.npy", "y.npz"):
        p = cv.read_predictions(tmp_path / "y_prob.npy", truth=tmp_path / truth)
        assert_array_equal(p.probs, PROBS)
        assert_array_equal(p.labels, CLASSES)
    np.save(tmp_path / "short.npy", CLASSES[:-1])
    with pytest.raises(ValueError, match="59"):
        cv.read_predictions(tmp_path / "y_prob.npy", truth=tmp_path / "short.npy")
    with pytest.raises(ValueError, match="truth="):
        cv.read_predictions(tmp_path / "y_prob.npy")
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match=r"objects\.npy.*holds Python objects"):
        cv.read_predictions(tmp_path / "y_prob.npy", truth=tmp_path / "objects.npy")


@pytest.mark.parametrize("between", [" ", "\t", ","])
def test_bare_numbers_are_arrays(tmp_path, between):
    (pred := tmp_path / "pred.txt").write_text("\n".join(between.join(map(repr, row)) for row in PROBS.tolist()))
    (single := tmp_path / "single.csv").write_text("\n".join(map(str, P)) + "\n")
    (truth := tmp_path / "y_test.txt").write_text("\n".join(map(str, CLASSES)))
    (answers := tmp_path / "answers.tsv").write_text("\n".join(map(str, Y)))
    np.save(tmp_path / "y.npy", CLASSES)
    for labels in (truth, tmp_path / "y.npy"):
        p = cv.read_predictions(pred, truth=labels)
        assert_array_equal(p.probs, PROBS)
        assert_array_equal(p.labels, CLASSES)
    p = cv.read_predictions(single, truth=answers)
    assert_array_equal(p.probs[:, 1], P)
    assert_array_equal(p.labels, Y)
    with pytest.raises(ValueError, match=r"found no labels among the arrays 'pred'.*truth='...' names a file"):
        cv.read_predictions(pred)
    answers.write_text("\n".join(map(str, Y[:-1])))
    with pytest.raises(ValueError, match=f"labels has {N - 1} entries, but there are {N} rows"):
        cv.read_predictions(single, truth=answers)


def test_what_bare_numbers_may_be_is_asked(tmp_path):
    (margins := tmp_path / "margins.txt").write_text("\n".join(map(str, np.log(P.clip(0.01, 0.99) / (1.01 - P)))))
    (truth := tmp_path / "y_test.txt").write_text("\n".join(map(str, Y)))
    with pytest.raises(Question, match="may be log-odds or the margin of an SVM") as caught:
        cv.read_predictions(margins, truth=truth)
    [(options, _)] = caught.value.lines
    assert options["logits"] == "margins"
    others = {"pairs": "0.7,1\n0.2,0\n", "words": "0.5\nhigh\n"}
    for name, text in others.items():
        (file := tmp_path / f"{name}.csv").write_text(text)
        with pytest.raises(ValueError, match=r"the first line holds numbers, such as 0\.\d, but must hold the names"):
            cv.read_predictions(file, truth=truth)


@pytest.mark.parametrize("index", [False, True])
@pytest.mark.parametrize(("score", "label"), [(None, None), ("p", "y_test"), (None, "y_test"), ("p", None)])
def test_a_series_of_pandas_below_its_name_is_an_array(tmp_path, score, label, index):
    pd.Series(P, name=score).to_csv(scores := tmp_path / "scores.csv", index=index)
    pd.Series(Y, name=label).to_csv(truth := tmp_path / "truth.csv", index=index)
    read = same(scores, truth=truth)
    assert f"truth from '{label or 'truth'}'" in read.about["assumed"]
    assert ("the first line of 'truth.csv', 0, is the name" in read.about["assumed"]) == (label is None and not index)
    np.save(tmp_path / "scores.npy", P)
    same(tmp_path / "scores.npy", truth=truth)
    assert_array_equal(same(scores, truth=truth).labels, Y)
    if index:
        pd.Series(Y, name=label, index=np.arange(N)[::-1]).to_csv(truth)
        with pytest.raises(ValueError, match=f"row 0 has the number {N - 1} there, but 0 beside the probabilities"):
            cv.read_predictions(scores, truth=truth)


def test_a_series_of_words_names_classes_and_no_other_table_is_an_array(tmp_path):
    np.save(scores := tmp_path / "scores.npy", PROBS)
    names = np.array(["ape", "bee", "cow"])
    pd.Series(names[CLASSES], name="animal").to_csv(truth := tmp_path / "truth.csv", index=False)
    assert_array_equal(cv.read_predictions(scores, truth=truth, classes=names).labels, CLASSES)
    (first := tmp_path / "first.txt").write_text("\n".join(map(str, [0, *CLASSES[1:]])))
    assert cv.read_predictions(scores, truth=first).labels[0] == 0  # where none is too many
    frame().to_csv(truth)
    with pytest.raises(ValueError, match=r"must stand in arrays, .* or in a text of one column, of as many rows"):
        cv.read_predictions(scores, truth=truth)
    with pytest.raises(ValueError, match="truth: the labels of arrays must stand in a file"):
        cv.read_predictions(scores, truth=frame())


def test_a_single_column_of_per_cent_beside_its_labels(tmp_path):
    (scores := tmp_path / "risk.csv").write_text("risk\n" + "\n".join(f"{100 * p:.6f} %" for p in P))
    np.savetxt(truth := tmp_path / "y.txt", Y, fmt="%d")
    p = cv.read_predictions(scores, truth=truth)
    np.testing.assert_allclose(p.probs[:, 1], P, atol=1e-8)
    assert_array_equal(p.labels, Y)


def test_an_empty_line_among_bare_numbers_is_refused(tmp_path):
    """A number is missing there, so those below it may belong to other rows."""
    lines, labels = [f"{p:.6f}" for p in P], "\n".join(map(str, Y))
    (truth := tmp_path / "y.txt").write_text(labels)
    (scores := tmp_path / "p.txt").write_text("\n".join([*lines, "", ""]))
    assert len(cv.read_predictions(scores, truth=truth)) == N  # at the end there is no number below
    scores.write_text("\n".join([*lines[:3], " ", *lines[3:]]))
    with pytest.raises(
        ValueError, match="line 4 is empty, so the numbers below it may belong to other rows: write nan"
    ):
        cv.read_predictions(scores, truth=truth)


def test_an_array_of_records_is_a_table(tmp_path):
    records = np.zeros(N, dtype=[("prob", "f8"), ("label", "i4"), ("site", "U6")])
    records["prob"], records["label"], records["site"] = P, Y, SITE
    np.save(tmp_path / "p.npy", records)
    assert_array_equal(same(tmp_path / "p.npy").fields["site"], SITE)


@pytest.mark.parametrize(
    ("arrays", "taken"),
    [
        ({"arr_0": PROBS, "arr_1": CLASSES}, ("arr_0", "arr_1")),
        ({"x": CLASSES.astype(float), "y_hat": PROBS}, ("y_hat", "x")),
        ({"predictions": np.log(PROBS), "label_ids": CLASSES}, ("predictions", "label_ids")),
        ({"outputs": PROBS, "targets": CLASSES, "preds": PROBS.argmax(1)}, ("outputs", "targets")),
        ({"softmax": PROBS, "a": CLASSES, "b": PROBS.argmax(1)}, ("softmax", "a")),
    ],
)
def test_arrays_of_other_names(tmp_path, arrays, taken):
    np.savez(tmp_path / "p.npz", **arrays)
    p = cv.read_predictions(tmp_path / "p.npz")
    np.testing.assert_allclose(p.probs, PROBS, atol=1e-9)
    assert_array_equal(p.labels, CLASSES)
    assert all(repr(name) in p.about["assumed"] for name in taken)


@pytest.mark.parametrize(
    ("arrays", "ways"),
    [
        ({"a": PROBS, "b": PROBS[::-1], "labels": CLASSES}, ["prob", "prob"]),
        ({"probs": PROBS, "a": CLASSES, "b": CLASSES[::-1]}, ["label", "label"]),
    ],
)
def test_of_two_arrays_that_may_be_the_same_one_is_chosen(tmp_path, arrays, ways):
    np.savez(tmp_path / "p.npz", **arrays)
    with pytest.raises(Question) as caught:
        cv.read_predictions(tmp_path / "p.npz")
    assert [
        next(name for name in ("prob", "label") if given.get(name) in "ab") for given, _ in caught.value.lines
    ] == ways
    for given, _ in caught.value.lines:
        cv.read_predictions(tmp_path / "p.npz", **given)


def test_tokens_of_a_trainer_are_rows_of_which_marked_ones_are_left_out(tmp_path):
    logits = RNG.normal(size=(12, 5, 3))
    labels = (logits + RNG.gumbel(size=logits.shape)).argmax(axis=2)
    labels[:, 3:] = -100
    np.savez(tmp_path / "p.npz", predictions=logits, label_ids=labels)
    said = "correct it, or ignore=['-100'] leaves 24 rows out"
    refuse(tmp_path / "p.npz", f"labels[3] is '-100', but the 3 classes are 0..2: {said}")
    p = cv.read_predictions(tmp_path / "p.npz", ignore=-100)
    np.testing.assert_allclose(p.logits, logits[:, :3].reshape(-1, 3))
    assert_array_equal(p.fields["sample"], np.repeat(np.arange(12), 3))


@pytest.mark.parametrize("labels", [[[1, 1, 0], [0, 0, 1]], [[0, 0, 0], [0, 1, 0]]])
def test_labels_that_do_not_exclude_each_other_are_a_question_each(tmp_path, labels):
    np.savez(tmp_path / "p.npz", probs=PROBS[:2], labels=labels)
    with pytest.raises(ValueError, match="the labels are multi-label: in row 0 of 'labels'") as caught:
        cv.read_predictions(tmp_path / "p.npz")
    assert "normalize" not in str(caught.value)


# Documents of JSON ------------------------------------------------------------------------------------------------

RECORDS = [{"prob": p, "label": y, "site": s} for p, y, s in zip(P.tolist(), Y.tolist(), SITE.tolist(), strict=True)]
LISTS = {"prob": P.tolist(), "label": Y.tolist(), "site": SITE.tolist()}
DOCUMENTS = {
    "records": RECORDS,
    "lists": LISTS,
    "lists beside others": LISTS | {"model": "m"},
    "split": {"columns": list(LISTS), "index": list(range(N)), "data": [list(record.values()) for record in RECORDS]},
    "a table of W&B": {
        "_type": "table",
        "columns": list(LISTS),
        "data": [list(r.values()) for r in RECORDS],
        "nrows": N,
    },
    "by id": {f"q{i}": record for i, record in enumerate(RECORDS)},
    "by number": {str(i): record for i, record in enumerate(RECORDS)},
    "by column": {name: {str(i): value for i, value in enumerate(values)} for name, values in LISTS.items()},
    "under a key": {"model": "m", "results": RECORDS},
    "under a key, by id": {"model": "m", "results": {f"q{i}": record for i, record in enumerate(RECORDS)}},
    "a schema": {"schema": {"fields": [{"name": "prob"}]}, "data": RECORDS},
}


@pytest.mark.parametrize("form", DOCUMENTS)
def test_documents_of_json_in_their_forms(tmp_path, form):
    (tmp_path / "p.json").write_text(json.dumps(DOCUMENTS[form]))
    assert_array_equal(same(tmp_path / "p.json").fields["site"], SITE)
    assert {"prob", "label", "site"} <= set(preview(tmp_path / "p.json", ReadingOptions()).columns)


def test_a_log_may_be_called_a_document(tmp_path):
    (tmp_path / "p.json").write_text("".join(f"{json.dumps(record)}\n" for record in RECORDS))
    same(tmp_path / "p.json")


def test_lists_by_name_may_name_the_classes(tmp_path):
    document = {"probs": PROBS.tolist(), "labels": CLASSES.tolist(), "class_names": ["a", "b", "c"]}
    (tmp_path / "p.json").write_text(json.dumps(document))
    p = cv.read_predictions(tmp_path / "p.json")
    assert p.class_names == ("a", "b", "c")
    assert_array_equal(p.labels, CLASSES)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "the file is empty"),
        (3, "the file holds 3: expected a list of records..."),
        ({}, "the file holds {}: expected a list of records..."),
        ([1, 2], "entry 0 is 1, not a record: expected a list of records..."),
        ({"a": 1}, "the file holds the keys 'a': expected a list of records..."),
        ({"prob": [0.1, 0.2], "label": [1]}, "the list 'label' holds 1 entries, but 'prob' holds 2"),
        ({"columns": ["prob", "label"], "data": [[0.1]]}, "row 0 of 'data' holds 1 values, but 'columns' names 2"),
        (
            {"results": RECORDS, "samples": RECORDS},
            "the file holds several lists of records, 'results', 'samples': wri...",
        ),
    ],
)
def test_documents_that_hold_no_records(tmp_path, document, message):
    (tmp_path / "p.json").write_text(json.dumps(document))
    refuse(tmp_path / "p.json", message)


# Names that do not tell -------------------------------------------------------------------------------------------


def test_a_file_without_a_known_ending_is_what_it_begins_as(tmp_path):
    arrays = io.BytesIO()
    np.savez(arrays, prob=P, label=Y)
    array = io.BytesIO()
    np.save(array, np.rec.fromarrays([P, Y], names="prob,label"))
    stata = io.BytesIO()
    frame().drop(columns="site").to_stata(stata, write_index=False, version=114)
    contents = {
        "text": frame().to_csv(index=False).encode(),
        "json": json.dumps(RECORDS).encode(),
        "jsonl": "".join(f"{json.dumps(record)}\n" for record in RECORDS).encode(),
        "npz": arrays.getvalue(),
        "npy": array.getvalue(),
        "tensors": safetensors(prob=P, label=Y),
        "stata": stata.getvalue(),
    }
    for name, content in contents.items():
        for ending in ("", ".data", ".log", ".out"):
            (tmp_path / f"{name}{ending}").write_bytes(content)
            same(tmp_path / f"{name}{ending}")
        with (tmp_path / name).open("rb") as stream:
            assert len(cv.read_predictions(stream)) == N


def test_files_of_libraries_without_a_known_ending(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    pytest.importorskip("python_calamine")
    table = frame().drop(columns="site")
    pyreadstat.write_sav(table, str(tmp_path / "a"))
    pyreadstat.write_por(table, str(tmp_path / "b"))
    pyreadstat.write_xport(table, str(tmp_path / "c"), file_format_version=5)
    write_xlsx(tmp_path / "d", {"S": columns()})
    write_ods(tmp_path / "e", columns())
    table.to_feather(tmp_path / "f")
    for name in "abcdef":
        same(tmp_path / name)


# What is never opened ---------------------------------------------------------------------------------------------


class Trap:
    """Ends the test where it is unpickled."""

    def __reduce__(self):
        return (pytest.fail, ("a pickle was loaded",))


@pytest.mark.parametrize("name", ["p.pkl", "p.pickle", "p.joblib", "p.bin", "p.pt", "p.ckpt", "p", "p.data", "p.model"])
def test_pickles_are_refused_with_lines_that_make_a_file(tmp_path, name):
    (tmp_path / name).write_bytes(pickle.dumps([Trap(), PROBS]))
    with pytest.raises(ValueError) as caught:
        cv.read_predictions(tmp_path / name)
    assert "runs code when it is loaded" in str(caught.value) or "may run code when it is loaded" in str(caught.value)
    assert "np.savez('predictions.npz'" in str(caught.value)


@pytest.mark.parametrize("ending", REFUSED)
def test_other_formats_are_refused_with_lines_that_make_a_file(tmp_path, ending):
    (tmp_path / f"p{ending}").write_bytes(b"anything")
    with pytest.raises(ValueError) as caught:
        cv.read_predictions(tmp_path / f"p{ending}")
    first, *lines = str(caught.value).splitlines()
    assert first.endswith("; this makes a file that is read:")
    assert any("predictions.csv" in line or "predictions.npz" in line for line in lines)
    assert ending not in FORMATS and ending not in LIKE


def test_what_is_of_no_known_kind_is_refused(tmp_path):
    (tmp_path / "p.data").write_bytes(b"\0\1\2\3")
    refuse(tmp_path / "p.data", "expected a file ending in .npz, .csv, ...")
    (tmp_path / "r.data").write_bytes(b"PK\3\4")  # which tells no more than a name of .zip, one of those above
    with pytest.raises(ValueError, match=r"r\.data: calibviz unpacks \.gz alone; this makes a file that is read:\n"):
        cv.read_predictions(tmp_path / "r.data")
    (tmp_path / "q.data").write_bytes(b"\x1f\x8b")
    refuse(tmp_path / "q.data", "the file is packed: rename it to what it holds, such as q.csv.gz")


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("shape", [(-1,), (-1, 1)])
def test_arrays_of_an_entry_a_sample_are_read_as_the_columns_of_a_table(tmp_path, classes, shape):
    probs = RNG.dirichlet([0.6] * classes, 200)
    labels = np.array([RNG.choice(classes, p=row) for row in probs])
    arrays = {
        "preds": probs.argmax(axis=1),
        "labels": labels,
        "confidences": probs.max(axis=1),
        "age": np.arange(200) % 7,
    }
    np.savez(tmp_path / "p.npz", **{name: values.reshape(shape) for name, values in arrays.items()})
    p = cv.read_predictions(tmp_path / "p.npz")
    assert p.of_confidence and "confidence from 'confidences' in the class of 'preds'" in p.about["assumed"]
    assert_array_equal(p.probs[:, 1], arrays["confidences"])
    assert_array_equal(p.labels, arrays["preds"] == labels)
    same = cv.read_predictions(pd.DataFrame(arrays))
    assert p.about["assumed"] == same.about["assumed"] and set(p.fields) == set(same.fields)


def test_arrays_of_several_models_are_offered_side_by_side(tmp_path):
    labels, score = RNG.integers(0, 2, 200), RNG.random((2, 200))
    np.savez(tmp_path / "p.npz", prob_a=score[0], prob_b=score[1], labels=labels)
    with pytest.raises(ValueError, match="two columns may hold the probabilities") as refused:
        cv.read_predictions(tmp_path / "p.npz")
    assert {"label": "labels", "model": ["prob_a", "prob_b"]} in [options for options, _ in refused.value.lines]
    assert list(cv.read_models(tmp_path / "p.npz", label="labels", model=["prob_a", "prob_b"])) == ["prob_a", "prob_b"]
