"""Places that may hold a credential are recognised under every name, and patterns by what they could name."""

import pytest

from autofix.harness.bash.values import ANY, NAME, OPAQUE
from autofix.harness.secret_places import in_git, refusal


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        (".git/config", "secrets"),
        (".GIT/CONFIG", "secrets"),
        ("lib/.git/config.worktree", "secrets"),
        (".git/modules/lib/config", "secrets"),
        ("/proc/1/environ", "secrets"),
        ("/proc/self/task/7/environ", "secrets"),
        ("/proc/self/root/etc/passwd", "secrets"),
        ("/root/.netrc", "secrets"),
        ("/home/someone/.ssh/id_ed25519", "secrets"),
        ("/root/.config/gh/hosts.yml", "secrets"),
        ("/run/secrets/token", "secrets"),
        ("/etc/shadow", "secrets"),
        ("/github/home/x", "secrets"),
        ("/github/file_commands/set_env_1", "runner-channel"),
        ("/var/run/docker.sock", "runner-channel"),
        (".git/HEAD", None),
        (".git/hooks", None),
        ("config/settings.json", None),
        (".npmrc", None),
        ("/proc/cpuinfo", None),
        ("/proc/self/status", None),
        ("/dev/fd/63", None),
        ("/etc/hosts", None),
        ("/usr/share/doc/.netrc", None),
    ],
)
def test_a_place_is_known_by_its_name(path, rule):
    assert refusal(path) == rule


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        (".git/conf*", "secrets"),
        (".g?t/config", "secrets"),
        (".[g]it/config", "secrets"),
        (f"{ANY}/config", "secrets"),
        (f"/proc/{NAME}/environ", "secrets"),
        ("/github/file_*/x", None),
        ("/github/file_commands/*", "runner-channel"),
        ("*", None),
        (ANY, None),
        (f"src/{ANY}", None),
        ("src/*.py", None),
        ("[!a-z]*/[[:alpha:]]x", None),
        (OPAQUE, "opaque-exec"),
        ("a*" * 400, "opaque-exec"),
    ],
)
def test_a_pattern_is_refused_for_what_it_could_name(path, rule):
    assert refusal(path) == rule


@pytest.mark.parametrize("path", ["/", "/proc", "/pro?", "/root", "/ro*", "/home/runner", ".git", ".g[i]t", "/github"])
def test_who_reads_everything_below_reads_the_secrets_below(path):
    assert refusal(path) is None
    assert refusal(path, below=True) == "secrets"


@pytest.mark.parametrize("path", [".git", ".git/x", "a/.GIT/x", ".git./x", ".g\u200bit/x", "git~1/x"])
def test_gits_directory_is_recognised_in_disguise(path):
    assert in_git(path)


@pytest.mark.parametrize("path", [".github/x", "git/x", "a.git/x", ".gitignore"])
def test_what_is_not_gits_directory(path):
    assert not in_git(path)
