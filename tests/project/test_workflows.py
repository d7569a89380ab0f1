"""The workflows run actions at fixed commits: a tag or a branch can be moved to other code, a commit cannot."""

import re
from pathlib import Path

import pytest

GITHUB = Path(__file__).parents[2] / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.y*ml"))
#: An action of another repository at a commit, and the version that this commit was released as.
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_is_pinned_by_its_commit(workflow):
    used = re.findall(r"^\s*(?:- )?uses:\s*(.+?)\s*$", workflow.read_text(encoding="utf-8"), re.MULTILINE)
    assert used
    assert [action for action in used if not PINNED.fullmatch(action)] == []


def test_an_action_has_one_commit_in_all_workflows():
    commits = {}
    for workflow in WORKFLOWS:
        for name, commit in re.findall(r"uses: (\S+)@(\w+)", workflow.read_text(encoding="utf-8")):
            commits.setdefault(name, set()).add(commit)
    assert {name: found for name, found in commits.items() if len(found) > 1} == {}


def test_dependabot_keeps_the_pins():
    assert "package-ecosystem: github-actions" in (GITHUB / "dependabot.yml").read_text(encoding="utf-8")
