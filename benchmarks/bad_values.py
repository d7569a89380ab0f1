"""Makes every public call with every bad value, one argument at a time, and prints how many were answered badly.

A call may succeed, or be refused within two seconds of processor time by a message that names the argument. Cryptic is
what Python or NumPy say by themselves, unnamed what does not name the argument.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from api_calls import Told, calls, run, targets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="?", default="", help="a regular expression: calls such as 'evaluate(p=nan)'")
    wanted = re.compile(parser.parse_args().only)
    some = [call for call in calls() if wanted.search(str(call))]
    start = time.monotonic()

    def say(answer: Told) -> None:
        if answer.kind in ("cryptic", "unnamed", "slow"):
            print(answer, flush=True)

    kinds = Counter(answer.kind for answer in run(some, say))
    print(f"{len(some)} calls of {len(targets())} names in {time.monotonic() - start:.0f} s: ", end="")
    print(", ".join(f"{kinds[kind]} {kind}" for kind in ("fine", "refused", "unnamed", "cryptic", "slow")))


if __name__ == "__main__":
    main()
