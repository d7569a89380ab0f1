"""What Binder makes of `binder/`, after the rules of repo2docker, the program that builds its images.

repo2docker looks for its files in `binder/` alone where there is that folder, takes the first kind of environment that
it finds there, in a fixed order, installs it from the root of the repository, and then runs `postBuild`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.parse
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BINDER = ROOT / "binder"
SECONDS = 900
#: Each of these, if it were there, would be taken in place of requirements.txt and runtime.txt, or beside them.
OTHERS = (
    "Dockerfile",
    "JuliaProject.toml",
    "Project.toml",
    "REQUIRE",
    "default.nix",
    "install.R",
    "DESCRIPTION",
    "environment.yml",
    "environment.yaml",
    "Pipfile",
    "Pipfile.lock",
    "poetry.lock",
    "pyproject.toml",
    "setup.py",
)
LEFT_OUT = shutil.ignore_patterns(".git", ".venv*", ".*_cache", "__pycache__", "*.egg-info", "build", "dist")

pytestmark = pytest.mark.skipif(not BINDER.is_dir(), reason="not a checkout of the repository")


def project() -> dict[str, object]:
    held: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return held


def test_the_files_are_those_that_are_read() -> None:
    assert not (ROOT / ".binder").exists()  # two such folders are an error
    assert [name for name in OTHERS if (BINDER / name).exists()] == []
    assert {file.name for file in BINDER.iterdir()} == {"requirements.txt", "runtime.txt", "postBuild"}
    assert (BINDER / "postBuild").read_text(encoding="utf-8").startswith("#!")


def test_the_python_is_one_that_is_supported() -> None:
    found = re.fullmatch(r"python-(3\.\d+)", (BINDER / "runtime.txt").read_text(encoding="utf-8").strip())
    assert found
    assert f"Programming Language :: Python :: {found[1]}" in project()["classifiers"]  # type: ignore[operator]


def test_badges_open_what_is_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    opened = [urllib.parse.unquote(path) for path in re.findall(r"mybinder\.org/v2/\S+?\?urlpath=([^)\s]+)\)", text)]
    hosts = {path.rpartition("notebooks/")[0]: ROOT / "notebooks" / path.rpartition("/")[2] for path in opened}
    assert hosts.keys() == {"lab/tree/", "voila/render/"}
    assert all(path.is_file() for path in hosts.values())


@pytest.mark.skipif("BUILD_IMAGE" not in os.environ, reason="BUILD_IMAGE is not set: the workflow on GitHub sets it")
def test_the_image_builds_and_its_first_notebook_runs(tmp_path: Path) -> None:
    """With the Python at hand, in an environment of its own; about a minute, most of it for pip."""
    copy, environment, home = tmp_path / "repository", tmp_path / "environment", tmp_path / "home"
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
    home.mkdir()
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("JUPYTER_", "PYTHON", "IPYTHON"))}
    # Of the user's home only pip's settings and cache are taken: where packages come from.
    for name in (".config/pip", ".pip", ".cache/pip"):
        if (Path.home() / name).is_dir():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).symlink_to(Path.home() / name)
    path = os.pathsep.join([str(environment / "bin"), os.environ["PATH"]])
    # Compiled is what is used, as it is used: of all that is installed that is little.
    variables = {**kept, "HOME": str(home), "PATH": path, "VIRTUAL_ENV": str(environment), "PIP_NO_COMPILE": "1"}

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=copy,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
        )

    def done(*command: str) -> str:
        finished = run(*command)
        assert finished.returncode == 0, f"{' '.join(command)}\n{finished.stdout}"
        return finished.stdout

    done(sys.executable, "-m", "venv", str(environment))
    backend = run("pip", "install", "--quiet", "--disable-pip-version-check", "hatchling")
    if backend.returncode:  # not even what builds the package: there is no registry, which is no fault of binder/
        pytest.skip(f"pip cannot reach a package registry: {backend.stdout.strip().splitlines()[-1]}")
    done("pip", "install", "--quiet", "--disable-pip-version-check", "-r", "binder/requirements.txt")
    (copy / "binder" / "postBuild").chmod(0o755)
    done("binder/postBuild")
    where = done("python", "-c", "import calibviz; print(calibviz.__file__)").strip()
    assert Path(where) == copy / "calibviz" / "__init__.py"
    assert re.search(r"voila\S* enabled", re.sub(r"\x1b\[\d+m", "", done("jupyter", "server", "extension", "list")))
    notebook = "notebooks/01_quickstart.ipynb"
    done("jupyter", "nbconvert", "--to", "notebook", "--execute", "--output-dir", str(tmp_path / "out"), notebook)
    assert (tmp_path / "out" / Path(notebook).name).is_file()
