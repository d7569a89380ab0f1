"""The part of a page of docs/ that a script makes: written, or checked to be what the script would write."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def write_or_check(page: str, script: str, text: str, about: str | None) -> int:
    """Put a text between the marks of a page, or, with ``--check``, fail if another one stands there."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if anything would change")
    args = parser.parse_args()
    begin, end = f"<!-- begin: made by scripts/{script} -->\n", "<!-- end -->\n"
    path = ROOT / "docs" / page
    now = path.read_text(encoding="utf-8")
    wanted = f"{now.partition(begin)[0]}{begin}\n{text}\n{end}{now.partition(end)[2]}"
    if not args.check:
        path.write_text(wanted, encoding="utf-8")
    elif now != wanted:
        print(f"docs/{page}: run python scripts/{script}", file=sys.stderr)
        return 1
    return 0
