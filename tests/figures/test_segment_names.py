"""The names of segments: a value of any length is said in one line."""

from __future__ import annotations

import numpy as np
import pytest

from calibviz.figures.segment_names import LONGEST, SegmentName


@pytest.mark.parametrize("field", ["site", "drug_name"])
@pytest.mark.parametrize("length", [5, LONGEST, LONGEST + 1, 200])
def test_a_long_value_ends_in_an_ellipsis(field, length):
    value = "".join(np.random.default_rng(length).choice(list("abc "), length - 2)) + "zz"
    name = SegmentName.of(f"{field} = {value}", f'{field} == "{value}"', 1)
    if length <= LONGEST:
        assert name.name == value
    else:
        assert name.name == f"{value[: LONGEST - 1]}…"
    assert name.words == f"{field} = {name.name}"
    start = len("drug name = ")
    assert all(len(said) <= LONGEST + start + 4 for said in (name.sentence, name.heading, name.short, name.where))
