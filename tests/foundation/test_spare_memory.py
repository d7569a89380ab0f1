"""What was freed between objects that stay goes back to the system."""

from __future__ import annotations

import platform

import psutil
import pytest

from calibviz.foundation.spare_memory import give_back


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps what is free")
def test_the_process_holds_less() -> None:
    here, pieces = psutil.Process(), [bytearray(4000) for _ in range(20_000)]
    kept = pieces[::100]  # or glibc would give the whole back by itself
    del pieces
    before = here.memory_info().rss
    give_back()
    assert before - here.memory_info().rss > 0.8 * 80e6
    assert len(kept) == 200


def test_it_does_no_harm_where_there_is_nothing() -> None:
    give_back()
    give_back()
