"""The user's repository, asked for what it has and never changed: where its objects lie, its refs, its remotes.

Where things lie is read from files (`.git` file, `commondir`, `objects`); refs and configuration are asked of git
plumbing that reads them and nothing else. Names that come from outside pass an allow-list first.
"""

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from autofix.errors import GitError, UsageError
from autofix.world.git_process import GitProcess

_NAME_LIMIT = 240  # bytes; git's own limit is the file system's 255 minus `.lock`
_PUNCTUATION = frozenset("._/+-#@=%,!&()'")
_ANCESTRY = re.compile(r"(?:~[0-9]{0,6}|\^[0-9]{0,2})*\Z")
_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_ABBREVIATED = re.compile(r"[0-9a-f]{4,64}\Z")
_SMALL_FILE = 64 * 1024  # bytes; a `.git` file or commondir is one path


def checked_name(name: str, what: str = "branch") -> str:
    """The name, if it can only be a ref's name: never an option, a range, a reflog entry or another repository.

    Raises:
        UsageError: it is refused; the message shows it escaped.
    """
    parts = name.split("/")
    fine = (
        name
        and len(name.encode("utf-8", "surrogateescape")) <= _NAME_LIMIT
        and all(c in _PUNCTUATION or unicodedata.category(c)[0] in "LMN" for c in name)
        and not name.startswith("-")
        and ".." not in name
        and "@{" not in name
        and name != "@"
        and all(part and not part.startswith((".", "-")) and not part.endswith((".", ".lock")) for part in parts)
    )
    if not fine:
        raise UsageError(
            f"{name[:_NAME_LIMIT]!a} cannot be the name of a {what}: name a plain branch, tag or commit id"
        )
    return name


@dataclass(frozen=True, slots=True)
class Source:
    """Where the user's repository keeps what we read.

    Attributes:
        checkout: the directory relative paths of its configuration are meant from.
        git_dir: of this checkout (a linked work tree has one of its own).
        common: where objects, refs and configuration are.
    """

    checkout: Path
    git_dir: Path
    common: Path

    @classmethod
    def find(cls, path: Path) -> "Source":
        """The repository `path` is or lies in.

        Raises:
            UsageError: there is none.
        """
        start = path.absolute()
        for directory in (start, *start.parents):
            inside = directory / ".git"
            if inside.is_dir():
                return cls._at(directory, inside)
            if inside.is_file():
                return cls._at(directory, directory / _pointer(inside, "gitdir: "))
            if (directory / "objects").is_dir() and (directory / "refs").is_dir() and (directory / "HEAD").is_file():
                return cls._at(directory, directory)
        raise UsageError(f"{path} is not in a git repository")

    @classmethod
    def empty(cls, directory: Path) -> "Source":
        """A repository without a commit, made at `directory`: for a run that fetches all it needs."""
        for inside in ("objects", "refs"):
            (directory / inside).mkdir(parents=True, exist_ok=True)
        (directory / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
        return cls._at(directory, directory)

    @classmethod
    def _at(cls, checkout: Path, git_dir: Path) -> "Source":
        common = git_dir
        if (git_dir / "commondir").is_file():
            common = git_dir / _pointer(git_dir / "commondir", "")
        if not (common / "objects").is_dir():
            raise UsageError(f"{checkout}: its git directory {common} holds no objects")
        return cls(checkout, git_dir.resolve(), common.resolve())

    @property
    def objects(self) -> Path:
        return self.common / "objects"

    def shallow(self) -> bytes | None:
        """The boundary of a shallow clone, without which its history cannot be walked."""
        try:
            return (self.common / "shallow").read_bytes()
        except FileNotFoundError:
            return None

    def setting(self, key: str) -> str | None:
        """The last value of a key in the repository's own configuration; includes are not followed.

        The key may hold outside text (a branch's or remote's name) in its middle; it is an argument, never an option.
        """
        git = GitProcess(self.common)
        result = git.run("config", "--file", str(self.common / "config"), "--null", "--get", key)
        if result.exit_code:
            return None
        return result.stdout.decode("utf-8", "surrogateescape").split("\0")[0]

    def remotes(self) -> tuple[str, ...]:
        git = GitProcess(self.common)
        pattern = r"^remote\..*\.url$"
        result = git.run(
            "config", "--file", str(self.common / "config"), "--null", "--name-only", "--get-regexp", pattern
        )
        keys = result.stdout.decode("utf-8", "surrogateescape").split("\0")
        return tuple(dict.fromkeys(key.removeprefix("remote.").removesuffix(".url") for key in keys if key))

    def object_format(self) -> str:
        return self.setting("extensions.objectformat") or "sha1"

    def current_branch(self) -> str | None:
        """The checked-out branch; None where HEAD is detached."""
        result = GitProcess(self.git_dir).run("symbolic-ref", "--quiet", "HEAD")
        name = result.stdout.decode("utf-8", "surrogateescape").rstrip("\n")
        return name.removeprefix("refs/heads/") if name.startswith("refs/heads/") else None

    def find_ref(self, name: str) -> tuple[str, str] | None:
        """The full name of the ref that `name` means and the object it is at; branches before tags.

        Raises:
            UsageError: the name is refused.
        """
        if name == "HEAD":
            return self._head()
        wanted = [name] if name.startswith("refs/") else [f"refs/{kind}/{name}" for kind in _KINDS]
        checked_name(name, "ref")
        listed = GitProcess(self.git_dir).output("for-each-ref", "--format=%(objectname) %(refname)", *wanted)
        lines = (line.split(" ", 1) for line in listed.decode("utf-8", "surrogateescape").splitlines())
        found = {full: object_id for object_id, full in lines}
        return next(((full, found[full]) for full in wanted if full in found), None)

    def _head(self) -> tuple[str, str]:
        shown = GitProcess(self.git_dir).run("rev-parse", "--verify", "--quiet", "HEAD")
        commit = shown.stdout.decode("ascii", "replace").strip()
        if shown.exit_code or not is_object_id(commit):
            raise GitError("HEAD names no commit yet: commit something first")
        return "HEAD", commit


_KINDS = ("heads", "tags", "remotes")


def split_ancestry(ref: str) -> tuple[str, str]:
    """`HEAD~2` -> (`HEAD`, `~2`): what git can only read as steps to an ancestor."""
    for at, character in enumerate(ref):
        if character in "~^" and _ANCESTRY.fullmatch(ref, at):
            return ref[:at], ref[at:]
    return ref, ""


def is_object_id(text: str) -> bool:
    return bool(_OBJECT_ID.fullmatch(text))


def may_be_abbreviated(text: str) -> bool:
    return bool(_ABBREVIATED.fullmatch(text))


def _pointer(file: Path, prefix: str) -> str:
    with file.open("rb") as stream:
        text = stream.read(_SMALL_FILE).decode("utf-8", "surrogateescape").rstrip("\n")
    if not text.startswith(prefix) or "\0" in text:
        raise UsageError(f"{file} does not say where its git directory is")
    return text.removeprefix(prefix)
