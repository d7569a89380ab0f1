"""What is drawn for comparisons, of which the tests of the Explorer need few."""

import pytest

from calibviz.uncertainty import contenders

USUAL = contenders.NULLS


@pytest.fixture(scope="module", autouse=True)
def few_in_contests():
    """Have contests of calibrators draw few data sets."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contenders, "NULLS", 19)
        yield


@pytest.fixture
def of_rankings(of_rankings, monkeypatch):
    """Contests as well draw as many as for a person."""
    monkeypatch.setattr(contenders, "NULLS", USUAL)
