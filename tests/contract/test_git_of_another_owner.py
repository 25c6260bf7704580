"""A checkout that belongs to another user, as in every container job: read all the same, and nothing is configured."""

import os
import subprocess
from pathlib import Path

import pytest

from autofix.intake.local import local_pull_request
from autofix.ports.git import CommitText
from autofix.world.git_cli import GitCli
from tests.fakes.repositories import ENVIRONMENT, Repository

ANOTHER = 4242
"""A user that is not us."""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_a_checkout_of_another_user_is_read_and_committed_on_without_touching_any_configuration(tmp_path: Path):
    repository = Repository.create(tmp_path / "work")
    repository.commit({"a.py": "x = 1\n"}, "Base")
    repository.branch("feature")
    head = repository.commit({"a.py": "x = 2\n"}, "Feature")
    for folder, _, files in os.walk(repository.path):
        for name in (".", *files):
            os.lchown(Path(folder) / name, ANOTHER, ANOTHER)
    plain = subprocess.run(
        ["git", "log"], cwd=repository.path, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert "dubious ownership" in plain.stderr
    configuration = (repository.path / ".git" / "config").read_bytes()

    door = GitCli(repository.path, tmp_path / "repo.git")
    try:
        pull_request = local_pull_request(door, "main", "feature")
        made = door.commit(head, {"a.py": b"x = 3\n"}, CommitText("Fix", "", "autofix", "autofix@example.org"))
        assert pull_request.head == head
        assert door.read(made, "a.py", 100) == b"x = 3\n"
    finally:
        door.close()
    assert (repository.path / ".git" / "config").read_bytes() == configuration
