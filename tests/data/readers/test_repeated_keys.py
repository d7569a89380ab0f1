"""JSON in which an object has a key twice, of which Python takes the last: wherever it is read, it is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st
from prediction_files import refuse, text_file

from calibviz.data.columns.choices import ReadingOptions
from calibviz.data.readers import preview
from calibviz.data.safeguards import json_value

GOOD = '{"prob": 0.7, "label": 1}\n'


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('{"prob": 0.7, "label": 1, "label": 0}', "label"),
        ('{"prob": 0.7, "prob": 0.2, "label": 1}', "prob"),
        ('{"prob": 0.7, "label": 1, "l\\u0061bel": 1}', "label"),
        ('{"probs": {"A": 0.3, "B": 0.7, "A": 0.7}, "label": "B"}', "A"),
        ('{"prob": 0.7, "label": 1, "note": [{"x": 1, "x": 1}]}', "x"),
    ],
)
def test_a_record_with_a_key_twice_is_refused(tmp_path, line, key):
    path = text_file(tmp_path, GOOD + line, "p.jsonl")
    refuse(path, f"line 2 cannot be read and may be damaged: two keys are named {key!r}: rename one of them")
    assert preview(path, ReadingOptions()).columns == ()  # the page shows the lines as they stand


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(JSON)
def test_all_else_is_read_as_it_was_written(value):
    assert json_value(json.dumps(value)) == json_value(json.dumps(value).encode()) == value
