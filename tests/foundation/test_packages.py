"""Tests of the messages that say how to install a package."""

from __future__ import annotations

import math

import pytest

from calibviz.foundation import packages


def test_a_package_that_is_there_is_given():
    assert packages.needed("math", "counting") is math


@pytest.mark.parametrize(
    ("in_browser", "extra", "said"),
    [
        (False, "io", "reading .x needs no_such: pip install 'calibviz[io]', or save it as .csv"),
        (False, "", "reading .x needs no_such: pip install no_such, or save it as .csv"),
        (True, "io", "reading .x needs no_such: %pip install no_such in a cell, if there is one for browsers, or save"),
    ],
)
def test_it_is_said_how_to_install_one_where_code_runs(monkeypatch, in_browser, extra, said):
    monkeypatch.setattr(packages, "IN_BROWSER", in_browser)
    with pytest.raises(ImportError) as raised:
        packages.needed("no_such", "reading .x", extra, "save it as .csv")
    assert str(raised.value).startswith(said)
