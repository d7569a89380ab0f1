"""The metrics that the Explorer offers."""

from __future__ import annotations

from calibviz.metrics.records.registry import METRICS


def test_each_metric_of_the_menu_has_a_name_of_its_own_in_a_table():
    titles = [record.title for record in METRICS.values() if record.in_menu]
    assert all(titles) and len(set(titles)) == len(titles) >= 13
