"""Places that may hold a credential, or lead to the runner: never read, whatever the route.

A path is relative where it lies in the work tree, absolute elsewhere. Where a part of it cannot be known (a glob, a
variable), it is refused if it could name one of the places listed here.
"""

import re

from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import ANY, OPAQUE, first_named, has_glob, known
from autofix.harness.paths import loosely

_IN_HOME = listed(
    ".netrc _netrc .git-credentials .gitconfig .ssh .aws .azure .kube .docker .gnupg .npmrc .pypirc .pgpass "
    ".my.cnf .boto .s3cfg .vault-token .password-store .bash_history .python_history .zsh_history .yarnrc.yml "
    ".terraform.d .config/gcloud .config/gh .config/git .config/hub .config/anthropic .config/pip "
    ".cargo/credentials .cargo/credentials.toml .m2/settings.xml .gem/credentials .local/share/keyrings .claude "
    ".claude.json"
)
"""Below any home directory: what clients of registries, clouds, forges and shells keep there."""

_RUNNER = re.compile(
    r"/github/(file_commands|workflow)(/.*)?|.*/_runner_file_commands(/.*)?|(/var)?/run/(docker|podman/podman|containerd/"
    r"containerd)\.sock|/home/runner/.*/_temp/.*|/var/lib/docker(/.*)?"
)
"""Files by which a step talks to the runner, and sockets that are the runner."""

_SECRET = re.compile(
    r"(.*/)?\.git/(modules/.+/|worktrees/.+/)?(config|config\.worktree|credentials)"
    r"|/proc/(?:[^/]+/)+(environ|mem|auxv)|/proc/[0-9]+/cmdline|/proc/(?:[^/]+/)+(root|cwd|fd|map_files)(/.*)?|/proc/k(core|msg)|/dev/k?mem"
    r"|(/var)?/run/(secrets|credentials)(/.*)?|/github/home(/.*)?|/etc/(g?shadow-?|sudoers|gitconfig|sudoers\.d/.*|ssh/ssh_host.*)"
    r"|/(?!tmp/|usr/|opt/|etc/).*(?<=/)(" + "|".join(map(re.escape, _IN_HOME)) + r")(/.*)?"
)
_PROC_DESCRIPTOR = re.compile(r"/proc/self/fd(/[0-9]*)?|/dev/fd(/[0-9]*)?")

_LONGEST_PATTERN = 512
"""Characters; a pattern for names of files that is longer wants to hide something."""

_SAMPLES = "\n".join(
    (
        ".git/config",
        ".git/config.worktree",
        ".git/modules/lib/config",
        ".git/credentials",
        "/proc/1/environ",
        "/proc/self/environ",
        "/proc/thread-self/environ",
        "/proc/self/task/1/environ",
        "/proc/1/mem",
        "/proc/self/mem",
        "/etc/shadow",
        "/run/secrets/token",
        "/var/run/secrets/token",
        "/run/docker.sock",
        "/var/run/docker.sock",
        "/github/file_commands/set_env_1",
        "/github/workflow/event.json",
        "/github/home/.netrc",
        "/home/runner/work/_temp/_runner_file_commands/set_env_1",
        *(f"{home}/{name}{below}" for home in ("/root", "/home/runner") for name in _IN_HOME for below in ("", "/x")),
        *(
            f"{home}/{name}"
            for home in ("/root", "/home/runner")
            for name in listed(".ssh/id_rsa .aws/credentials .docker/config.json .config/gh/hosts.yml .kube/config")
        ),
    )
)
"""One path per place and line, to try a pattern on."""
_HOLDING_SAMPLES = "\n".join(listed("/proc /proc/1 /proc/self /root /home /home/runner /github /run .git"))

_HOLDERS = re.compile(
    r"/|/proc|/proc/[^/]+|/root|/home|/home/[^/]+|/github|(/var)?/run|(.*/)?\.git|(.*/)?\.git/modules(/.*)?"
)
"""Directories that hold such places: refused to whoever reads everything below."""


def in_git(path: str) -> bool:
    """The path names git's own directory or something in it."""
    return any(part == ".git" or part.startswith("git~") for part in loosely(path).split("/"))


def refusal(path: str, *, below: bool = False) -> str | None:
    """The class of the policy by which reading `path` is refused; None where it is not."""
    if not known(path) or has_glob(path):
        return _refusal_of_pattern(path, below=below)
    plain = loosely(path)
    if _PROC_DESCRIPTOR.fullmatch(plain):
        return None
    if _RUNNER.fullmatch(plain):
        return "runner-channel"
    if _SECRET.fullmatch(plain) or (below and _HOLDERS.fullmatch(plain or ".")):
        return "secrets"
    return None


def _refusal_of_pattern(path: str, *, below: bool) -> str | None:
    if OPAQUE in path or len(path) > _LONGEST_PATTERN or "\n" in path:
        return "opaque-exec"
    if path.strip(ANY + "/*") == "":  # some file of a listing, or all that is here: a recursive reader reads it as well
        return None
    hit = first_named(path, _SAMPLES)
    if hit is None:
        return "secrets" if below and first_named(path, _HOLDING_SAMPLES) else None
    return "runner-channel" if _RUNNER.fullmatch(hit) else "secrets"
