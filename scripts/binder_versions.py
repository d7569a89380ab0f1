"""Writes binder/constraints.txt: the version of every package of Binder's image, the newest that fit today.

    python3.12 scripts/binder_versions.py

Nothing is installed: pip is asked what it would install. What fits depends on the Python, so this has to run with that
of `binder/runtime.txt`. A workflow does it each month, and proposes what has changed.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parents[1]
BINDER = ROOT / "binder"
CONSTRAINTS = BINDER / "constraints.txt"


def required(requirements: str, project: dict) -> list[str]:
    """What an image of these requirements needs directly, without the project itself."""
    needed = list[str]()
    for line in requirements.splitlines():
        extras = re.fullmatch(r"-e \.\[([\w,]+)\]", line)
        if extras:
            needed += project["dependencies"]
            needed += [one for extra in extras[1].split(",") for one in project["optional-dependencies"][extra]]
        elif not line.startswith("-c "):
            needed.append(line)
    return needed


def constraints(report: dict, month: str) -> str:
    """The file, of what pip says it would install."""
    packages = [one["metadata"] for one in report["install"]]
    pinned = sorted(f"{re.sub('[-_.]+', '-', one['name']).lower()}=={one['version']}" for one in packages)
    return "\n".join([f"# {month}, made by scripts/binder_versions.py", *pinned, ""])


def asked(requirements: Iterable[str]) -> dict:
    """The report of a pip that has nothing installed yet."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-"]
    return json.loads(subprocess.run([*command, *requirements], check=True, stdout=subprocess.PIPE).stdout)


def main() -> None:
    """Write the file."""
    wanted = (BINDER / "runtime.txt").read_text(encoding="utf-8").strip()
    here = f"python-{sys.version_info.major}.{sys.version_info.minor}"
    if here != wanted:
        sys.exit(f"binder/runtime.txt says {wanted}, and this is {here}: run the script with that version")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    report = asked(required((BINDER / "requirements.txt").read_text(encoding="utf-8"), project))
    CONSTRAINTS.write_text(constraints(report, date.today().strftime("%Y-%m")), encoding="utf-8")


if __name__ == "__main__":
    main()
