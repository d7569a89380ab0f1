"""What Binder makes of `binder/`, after the rules of repo2docker, the program that builds its images.

repo2docker looks for its files in `binder/` alone where there is that folder, takes the first kind of environment that
it finds there, in a fixed order, installs it from the root of the repository, and then runs `postBuild`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.parse
import urllib.request
from datetime import date
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from browser.jupyter_servers import LAB, NO_PAGE, JupyterServer, until
from jupyter_client.blocking.client import BlockingKernelClient
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
BINDER = ROOT / "binder"
SETTINGS = BINDER / "jupyter_server_config.py"
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
    assert {file.name for file in BINDER.iterdir()} == {
        "requirements.txt",
        "constraints.txt",
        "runtime.txt",
        "postBuild",
        "jupyter_server_config.py",
    }
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


# The versions


def versions() -> tuple[str, dict[str, str]]:
    """The month of the constraints, and the version of each package."""
    first, *lines = (BINDER / "constraints.txt").read_text(encoding="utf-8").splitlines()
    month = re.fullmatch(r"# (\d{4}-\d{2}), made by scripts/binder_versions.py", first)
    assert month and all(re.fullmatch(r"[a-z0-9-]+==[\w.+!]+", line) for line in lines)
    return month[1], dict(line.split("==") for line in lines)


def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    return import_module("binder_versions")


def test_every_version_is_pinned_and_one_that_is_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    month, pinned = versions()
    assert "2026-11" <= month <= f"{date.today():%Y-%m}"
    requirements = (BINDER / "requirements.txt").read_text(encoding="utf-8")
    assert requirements.startswith("-c constraints.txt\n")
    needed = [Requirement(text) for text in script(monkeypatch).required(requirements, project())]
    names = {one.name for one in needed}
    assert {"numpy", "jupyterlab", "voila", "zarr", "psutil"} <= names
    wrong = {one.name: pinned.get(canonicalize_name(one.name)) for one in needed if not is_fit(one, pinned)}
    assert not wrong, "run scripts/binder_versions.py"


def is_fit(requirement: Requirement, pinned: dict[str, str]) -> bool:
    name = canonicalize_name(requirement.name)
    return name in pinned and requirement.specifier.contains(pinned[name])


def test_what_pip_would_install_becomes_the_constraints(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = [{"name": "Jupyter_Core", "version": "5.9.1"}, {"name": "anyio", "version": "4.0"}]
    text = script(monkeypatch).constraints({"install": [{"metadata": one} for one in installed]}, "2030-01")
    assert text == "# 2030-01, made by scripts/binder_versions.py\nanyio==4.0\njupyter-core==5.9.1\n"


def test_the_versions_are_those_for_the_python_of_the_image(monkeypatch: pytest.MonkeyPatch) -> None:
    made = script(monkeypatch)
    monkeypatch.setattr(made.sys, "version_info", SimpleNamespace(major=3, minor=9))
    with pytest.raises(SystemExit, match=r"runtime.txt says python-3\.12, and this is python-3\.9"):
        made.main()


# The memory


@pytest.mark.thorough
def test_a_kernel_ends_where_memory_is_short_if_another_was_used_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEM_LIMIT", "2")  # bytes: all that runs is too much
    server = JupyterServer([*LAB, NO_PAGE, f"--config={SETTINGS}"], tmp_path)
    try:
        busy = server.open_kernel(server.add_notebook([]))
        # A server that has just begun to listen to a kernel may have missed its work: it works until that is seen.
        until(lambda: works(busy) and states(server) == ["idle"], "the first kernel to be known")
        busy.execute("import time; time.sleep(600)")
        until(lambda: states(server) == ["busy"], "the first kernel to work")
        resting = server.open_kernel(server.add_notebook([]))
        until(lambda: works(resting) and states(server) == ["busy", "idle"], "the second kernel to be known")
        last = server.open_kernel(server.add_notebook([]))
        until(lambda: works(last) and states(server) == ["busy", "idle"], "the second kernel to end")
        assert works(last)
        for client in (busy, resting, last):
            client.stop_channels()
    finally:
        server.stop()


def works(client: BlockingKernelClient) -> bool:
    answer: str = client.execute("6 * 7", reply=True, timeout=60)["content"]["status"]
    return answer == "ok"


def states(server: JupyterServer) -> list[str]:
    """What the kernels do, in any order."""
    with urllib.request.urlopen(f"{server.url}/api/kernels") as answer:
        return sorted(kernel["execution_state"] for kernel in json.load(answer))


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
    assert (environment / "etc" / "jupyter" / "jupyter_server_config.py").read_bytes() == SETTINGS.read_bytes()
    assert re.search(r"voila\S* enabled", re.sub(r"\x1b\[\d+m", "", done("jupyter", "server", "extension", "list")))
    notebook = "notebooks/00_quickstart.ipynb"
    done("jupyter", "nbconvert", "--to", "notebook", "--execute", "--output-dir", str(tmp_path / "out"), notebook)
    assert (tmp_path / "out" / Path(notebook).name).is_file()
