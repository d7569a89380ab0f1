"""Print the lowest versions that pyproject.toml promises to work with, as constraints for pip.

    python scripts/lowest_versions.py app io scale > lowest.txt
    pip install '.[app,io,scale]' --constraint lowest.txt

Each argument is an extra; without any, only what calibviz always needs is printed. What these packages need in turn is
not bounded: pip takes the newest of it that fits, as it does for users. Where something newer breaks an old release
that we allow, our own floor is too low.

The extra `test` is left out on purpose. It makes no promise to users, its tools depend on each other in ways that are
not ours to solve, and old test tools would find other errors than today's.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def lowest_versions(extras: Iterable[str], pyproject: Path = PYPROJECT) -> dict[str, Version]:
    """Return the floor of each direct dependency by its name; of several floors, the highest."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    required = [*project["dependencies"]]
    for extra in extras:
        optional = project["optional-dependencies"]
        if extra not in optional:
            raise ValueError(f"extra {extra!r} is not one of pyproject.toml's: {', '.join(optional)}")
        required += optional[extra]
    lowest: dict[str, Version] = {}
    for text in required:
        requirement = Requirement(text)
        floors = [Version(one.version) for one in requirement.specifier if one.operator == ">="]
        if len(floors) != 1:
            raise ValueError(f"requirement {text!r} of pyproject.toml has no floor: write it as 'name>=version'")
        name = canonicalize_name(requirement.name)
        lowest[name] = max(floors[0], lowest.get(name, floors[0]))
    return lowest


if __name__ == "__main__":
    for name, version in lowest_versions(sys.argv[1:]).items():
        print(f"{name}=={version}")
