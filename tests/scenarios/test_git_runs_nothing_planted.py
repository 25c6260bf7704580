"""G20: no program chosen by a repository or a sandbox runs through the harness's git.

Every place where git is known to start a program is planted, in the user's repository and in the work tree's `.git`
after the sandbox had it. Each plant leaves a marker. Plain git leaves many; the whole life of a run leaves none.
"""

import os
import shutil
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from autofix.delivery.patch import Patch, patch_of
from autofix.harness.scope import scope_of
from autofix.intake.local import local_pull_request
from autofix.ports.git import CommitText
from autofix.world.disk_trees import DiskTrees
from autofix.world.git_cli import GitCli
from autofix.world.local_forge import LocalForge
from tests.fakes.repositories import Repository, bare_remote, git, remote_head

HOOKS = (
    "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout", "post-merge", "pre-push",
    "post-index-change", "reference-transaction",
)  # fmt: skip
ATTRIBUTES = "* filter=planted diff=planted merge=planted\n"
TEXT = CommitText("Fix", "Autofix-Run: r1", "autofix", "autofix@example.org")


class Plants:
    """Programs that leave a marker each, and a configuration that names them all."""

    def __init__(self, directory):
        self.markers = directory / "markers"
        self.programs = directory / "programs"
        self.hooks = directory / "hooks"
        for made in (self.markers, self.programs, self.hooks):
            made.mkdir(parents=True)
        for hook in HOOKS:
            self._program(self.hooks / hook, f"hook-{hook}")

    def _program(self, path, marker):
        path.write_text(f"#!/bin/sh\necho ran >> '{self.markers}/{marker}'\nexit 0\n")
        path.chmod(0o755)
        return str(path)

    def program(self, name):
        return self._program(self.programs / name, name)

    def into(self, git_dir):
        """Plant everything into a git directory."""
        settings = {
            "core.hooksPath": str(self.hooks),
            "core.fsmonitor": self.program("fsmonitor"),
            "core.sshCommand": self.program("ssh"),
            "core.pager": self.program("pager"),
            "core.editor": self.program("editor"),
            "core.askPass": self.program("askpass"),
            "core.alternateRefsCommand": self.program("alternate-refs"),
            "credential.helper": f"!{self.program('credential')}",
            "filter.planted.clean": self.program("clean"),
            "filter.planted.smudge": self.program("smudge"),
            "filter.planted.required": "false",
            "diff.planted.textconv": self.program("textconv"),
            "diff.planted.command": self.program("diff-command"),
            "diff.external": self.program("external-diff"),
            "merge.planted.driver": self.program("merge-driver"),
            "commit.gpgSign": "true",
            "push.gpgSign": "if-asked",
            "gpg.program": self.program("gpg"),
            "remote.origin.receivepack": self.program("receive-pack"),
            "remote.origin.uploadpack": self.program("upload-pack"),
            "protocol.ext.allow": "always",
            "alias.push": f"!{self.program('alias')}",
            "pager.diff": self.program("pager-diff"),
        }
        for key, value in settings.items():
            git(git_dir.parent, "config", "--file", str(git_dir / "config"), key, value)
        (git_dir / "info").mkdir(exist_ok=True)
        (git_dir / "info" / "attributes").write_text(ATTRIBUTES)
        (git_dir / "hooks").mkdir(exist_ok=True)
        for hook in HOOKS:
            self._program(git_dir / "hooks" / hook, f"hook-{hook}")

    def found(self):
        return sorted(marker.name for marker in self.markers.iterdir())


@pytest.fixture
def plants(tmp_path):
    return Plants(tmp_path / "planted")


@pytest.fixture
def repository(tmp_path):
    repository = Repository.create(tmp_path / "work")
    repository.commit({".gitattributes": ATTRIBUTES, "src/a.py": "x = 1\n", "README": "r\n"}, "Base")
    repository.branch("feature")
    repository.commit({"src/a.py": "x = 2\n"}, "Feature")
    return repository


def open_run(repository, tmp_path):
    door = GitCli(repository.path, tmp_path / "run" / "repo.git")
    pull_request = local_pull_request(door, "main", "HEAD")
    return door, pull_request, DiskTrees(door, tmp_path / "run" / "trees", pull_request)


def test_the_plants_do_run_under_plain_git(repository, plants, tmp_path):
    """Without this, a plant that could never run would prove nothing."""
    bare_remote(repository, tmp_path / "remote.git", "main")
    repository.git("branch", "other")
    plants.into(repository.path / ".git")
    repository.write({"src/a.py": "x = 3\n"})
    plain = ("-c", "commit.gpgSign=false", "-c", "filter.planted.clean=cat")
    for arguments in (
        ("status",),
        ("diff",),
        ("add", "-A"),
        ("commit", "-m", "signed"),
        (*plain, "commit", "-m", "unsigned"),
        ("log", "-p"),
        ("checkout", "-q", "-f", "other"),
        (*plain, "merge", "-q", "-s", "ours", "--no-edit", "--no-ff", "feature"),
        (*plain, "push", "--receive-pack=git-receive-pack", "origin", "feature"),
        ("ls-remote", "ssh://127.0.0.1:1/x.git"),
        ("credential", "fill"),
    ):
        with suppress(AssertionError):  # what the planted program answers need not please git: that it ran is the point
            asked = b"protocol=https\nhost=127.0.0.1\n\n"
            repository.git(*arguments, stdin=asked, GIT_ALLOW_PROTOCOL="file:ssh")
    hooks = {f"hook-{hook}" for hook in HOOKS}
    others = {"fsmonitor", "clean", "textconv", "diff-command", "gpg", "ssh", "credential"}
    assert len(hooks | others) == 16
    assert (hooks | others) <= set(plants.found())


def test_the_whole_life_of_a_run_leaves_no_marker(repository, plants, tmp_path):
    remote = bare_remote(repository, tmp_path / "remote.git")
    plants.into(repository.path / ".git")
    door, pull_request, trees = open_run(repository, tmp_path)
    assert door.branch_of("HEAD") == "feature"
    scope = scope_of(pull_request)
    assert b"x = 2" in door.diff(pull_request.merge_base, pull_request.head, sorted(scope.paths), 10_000)
    assert door.read(pull_request.head, "src/a.py", 100) == b"x = 2\n"

    tree = trees.open(pull_request.head, "attempt")
    plants.into(tree.path / ".git")
    for name in ("a.py", "new.py"):
        (tree.path / "src" / name).write_text("x = 3\n")
    (tree.path / "README").write_text("changed\n")
    changes = tree.compare()
    assert changes.modified == ("README", "src/a.py")
    tree.restore(["README"])
    tree.remove(["src/new.py"])
    patch = patch_of(door, tree, scope)
    assert isinstance(patch, Patch)
    verified = trees.open(pull_request.head, "verify", dict(patch.files))
    assert verified.compare().modified == ("src/a.py",)

    commit = door.commit(pull_request.head, patch.files, TEXT)
    forge = LocalForge(door, pull_request, comments=tmp_path / "comments")
    assert forge.head() == pull_request.head
    forge.push(commit, pull_request.head)
    trees.close()
    door.close()
    assert remote_head(remote, "feature") == commit
    assert plants.found() == []


def test_an_ssh_remote_does_not_start_the_configured_ssh(repository, plants, tmp_path):
    repository.git("remote", "add", "origin", "ssh://127.0.0.1:1/x.git")
    plants.into(repository.path / ".git")
    door, pull_request, trees = open_run(repository, tmp_path)
    forge = LocalForge(door, pull_request, comments=tmp_path / "comments")
    assert forge.target() is None
    assert "cannot be reached" in forge.why_not()
    trees.close()
    door.close()
    assert plants.found() == []


class _AsksForPassword(BaseHTTPRequestHandler):
    seen: list[str]

    def do_GET(self):
        self.server.seen.append(self.headers.get("Authorization", ""))
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.end_headers()

    def log_message(self, *arguments):
        pass


@pytest.fixture
def password_server():
    server = ThreadingHTTPServer(("127.0.0.1", 0), _AsksForPassword)
    server.seen = []
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_server_that_asks_for_a_password_starts_no_credential_helper(repository, plants, tmp_path, password_server):
    repository.git("remote", "add", "origin", f"http://127.0.0.1:{password_server.server_port}/x.git")
    plants.into(repository.path / ".git")
    door, pull_request, trees = open_run(repository, tmp_path)
    forge = LocalForge(door, pull_request, comments=tmp_path / "comments")
    assert forge.target() is None
    trees.close()
    door.close()
    assert password_server.seen == [""]
    assert plants.found() == []


def test_credentials_in_a_url_travel_in_no_argument(repository, tmp_path, password_server):
    repository.git("remote", "add", "origin", f"http://user:s3cret@127.0.0.1:{password_server.server_port}/x.git")
    door, pull_request, trees = open_run(repository, tmp_path)
    forge = LocalForge(door, pull_request, comments=tmp_path / "comments")
    assert "s3cret" not in forge.why_not()
    trees.close()
    door.close()
    assert password_server.seen[0] == "Basic dXNlcjpzM2NyZXQ="


@pytest.mark.parametrize(
    "url", ["ext::sh -c {marker}", "--upload-pack={marker}", "helper::x", "ftp://127.0.0.1/x", "git://127.0.0.1/x"]
)
def test_a_url_that_names_a_program_is_refused(repository, plants, tmp_path, url):
    plants.into(repository.path / ".git")
    config = str(repository.path / ".git" / "config")
    git(tmp_path, "config", "--file", config, "remote.origin.url", url.format(marker=plants.program("url")))
    door, pull_request, trees = open_run(repository, tmp_path)
    forge = LocalForge(door, pull_request, comments=tmp_path / "comments")
    assert forge.target() is None
    assert forge.why_not().startswith("remote origin: its ")
    trees.close()
    door.close()
    assert plants.found() == []


def test_nothing_of_the_callers_git_environment_is_inherited(repository, plants, tmp_path, monkeypatch):
    for name in ("GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_PAGER", "GIT_EDITOR"):
        monkeypatch.setenv(name, plants.program(name))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "diff.external")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", plants.program("counted"))
    door, pull_request, trees = open_run(repository, tmp_path)
    door.diff(pull_request.merge_base, pull_request.head, ["src/a.py"], 1000)
    door.commit(pull_request.head, {"src/a.py": b"x = 3\n"}, TEXT)
    trees.close()
    door.close()
    assert plants.found() == []


def _everything(directory):
    """Path -> what is there: type, mode, owner, times of change, content."""
    found = {}
    for at, directories, names in os.walk(directory):
        for name in (*directories, *names, "."):
            path = os.path.join(at, name)  # noqa: PTH118 - compared as the text it is
            status = os.lstat(path)
            content = os.readlink(path) if os.path.islink(path) else None  # noqa: PTH114, PTH115 - the same
            if os.path.isfile(path) and content is None:  # noqa: PTH113 - the same
                with open(path, "rb") as stream:  # noqa: PTH123 - the same
                    content = stream.read()
            found[path] = (
                status.st_mode,
                status.st_uid,
                status.st_ino,
                status.st_mtime_ns,
                status.st_ctime_ns,
                content,
            )
    return found


def test_the_users_checkout_stays_byte_for_byte_as_it_was(repository, tmp_path):
    """Uncommitted work, staged work, the index's times, refs and configuration: all of it, also after a push."""
    bare_remote(repository, tmp_path / "remote.git")
    repository.write({"src/a.py": "x = 99 # uncommitted\n", "untracked": "u\n", "staged.py": "s\n"})
    repository.git("add", "staged.py")
    (repository.path / "README").touch()  # a stale index entry, which a careless git would refresh
    before = _everything(repository.path)

    door, pull_request, trees = open_run(repository, tmp_path)
    tree = trees.open(pull_request.head, "attempt")
    tree.write("src/a.py", b"x = 3\n", expected=tree.read("src/a.py", 100).token)
    patch = patch_of(door, tree, scope_of(pull_request))
    commit = door.commit(pull_request.head, patch.files, TEXT)
    LocalForge(door, pull_request, comments=tmp_path / "comments").push(commit, pull_request.head)
    shutil.rmtree(tree.path)
    trees.close()
    door.close()
    assert _everything(repository.path) == before
