"""A disposable `.git` for a work tree: the commits of the pull request, cut off at its merge base, and nothing of ours.

Its objects are a pack of its own (no alternates: our repository stays out of sight), it has one branch, no remote and
no hook. Whatever a sandbox does to it reaches nobody: no git of ours runs on it afterwards.
"""

import hashlib
from pathlib import Path

from autofix.errors import GitError
from autofix.world.git_process import GitProcess

_CONFIG = """\
[core]
\trepositoryformatversion = {version}
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
[user]
\tname = autofix
\temail = autofix@users.noreply.github.com
[gc]
\tauto = 0
{extensions}"""


def config_text(object_format: str, *, bare: bool) -> str:
    """The whole configuration of a repository of ours."""
    if bare:
        base = "[core]\n\trepositoryformatversion = {version}\n\tfilemode = true\n\tbare = true\n{extensions}"
    else:
        base = _CONFIG
    plain = object_format == "sha1"
    extensions = "" if plain else f"[extensions]\n\tobjectformat = {object_format}\n"
    return base.format(version=0 if plain else 1, extensions=extensions)


def export_history(
    git: GitProcess, base: str, head: str, destination: Path, *, branch: str, object_format: str
) -> None:
    """Write `destination`, which must not exist."""
    boundary = _boundary(git, base, head)
    for directory in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "info"):
        (destination / directory).mkdir(parents=True)
    (destination / "config").write_text(config_text(object_format, bare=False), encoding="ascii")
    (destination / "HEAD").write_text(f"ref: refs/heads/{branch}\n", encoding="utf-8", errors="surrogateescape")
    reference = destination / "refs" / "heads" / branch
    reference.parent.mkdir(parents=True, exist_ok=True)
    reference.write_text(f"{head}\n", encoding="ascii")
    if boundary:
        (destination / "shallow").write_text("".join(f"{commit}\n" for commit in boundary), encoding="ascii")
    _pack(git, head, boundary, destination / "objects" / "pack")


def _boundary(git: GitProcess, base: str, head: str) -> list[str]:
    """Commits whose parents stay behind: the merge base, and where merged branches came from."""
    listed = git.output("rev-list", "--boundary", "--parents", head, f"^{base}").decode("ascii").splitlines()
    edge = {line.split()[0].removeprefix("-") for line in listed if line.startswith("-")}
    if head == base:
        edge.add(base)
    roots = git.output("rev-list", "--no-walk", "--parents", *sorted(edge)).decode("ascii").splitlines() if edge else []
    return sorted(line.split()[0] for line in roots if len(line.split()) > 1)


def _pack(git: GitProcess, head: str, boundary: list[str], directory: Path) -> None:
    """Everything reachable from `head` down to the boundary, as one pack.

    No delta is searched for (what is packed already is copied as it is) and what was loose is stored uncompressed:
    the pack lives for one run, so that writing it quickly matters more than its size.
    """
    wanted = "".join(f"--shallow {commit}\n" for commit in boundary) + f"{head}\n"
    target = directory / "pack"
    printed = git.output(
        "-c",
        "pack.compression=0",
        "pack-objects",
        "--quiet",
        "--revs",
        "--window=0",
        "--delta-base-offset",
        str(target),
        stdin=wanted.encode("ascii"),
    )
    name = printed.decode("ascii", "replace").split()
    if len(name) != 1 or not (directory / f"pack-{name[0]}.pack").is_file():
        raise GitError("git pack-objects left no pack for the work tree's history")


def branch_for_tree(branch: str | None) -> str:
    """The pull request's branch name where it is plain ASCII, else one that stands for it."""
    if branch and all(c.isascii() and (c.isalnum() or c in "._/-") for c in branch):
        return branch
    if branch:
        return f"work-{hashlib.sha256(branch.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"
    return "work"
