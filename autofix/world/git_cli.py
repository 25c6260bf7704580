"""`ports.git.Git` by git's plumbing, on a repository of the harness's own that borrows the source's objects.

The repository lies in the run's directory, outside every sandbox. It is written by hand (a configuration of six lines,
no hooks, no remote), so that nothing of the user's configuration is in force; the source's objects are reached by
`objects/info/alternates`, and new objects stay here. The source itself is only read.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from autofix.errors import GitError
from autofix.harness.names import is_plain_path
from autofix.ports.git import Change, CommitText, EntryType, TreeEntry
from autofix.world.git_diff import parse_raw, parse_tree
from autofix.world.git_history import config_text, export_history
from autofix.world.git_objects import ObjectStore
from autofix.world.git_process import GitProcess, said
from autofix.world.git_source import Source, is_object_id, may_be_abbreviated, split_ancestry

# Renames and copies are looked for among at most this many pairs (squared): enough for a person's pull request, and
# a diff of a thousand new files costs nothing. The scope does not depend on it: a rename's new name is in scope anyway.
_RENAME_LIMIT = 100
_ARGUMENTS = 500  # paths per git call: 500 names of 200 bytes stay well below the kernel's 2 MB for argv
_EXACTLY = ("--no-ext-diff", "--no-textconv", "--full-index", "-r")


def _utc_now() -> datetime:
    return datetime.now(UTC)


class GitCli:
    """The harness's repository of one run, at `directory`; made there when it is not yet."""

    def __init__(self, source: Path, directory: Path, now: Callable[[], datetime] = _utc_now) -> None:
        self.source = Source.find(source)
        self.object_format = self.source.object_format()
        self._now = now
        _make_repository(directory, self.source, self.object_format)
        self.process = GitProcess(directory)
        self._objects = ObjectStore(self.process)

    def close(self) -> None:
        """End the processes that wait for questions."""
        self._objects.close()

    def resolve(self, ref: str) -> str:
        name, steps = split_ancestry(ref)
        if is_object_id(name):
            start = name
        else:
            found = self.source.find_ref(name)
            if found is None and not may_be_abbreviated(name):
                raise GitError(f"{name!a} is no branch, tag or commit of {self.source.checkout}")
            start = found[1] if found else name
        shown = self.process.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{start}{steps}^{{commit}}")
        commit = shown.stdout.decode("ascii", "replace").strip()
        if shown.exit_code or not is_object_id(commit):
            raise GitError(f"{ref!a} names no commit of {self.source.checkout}")
        return commit

    def branch_of(self, ref: str) -> str | None:
        if ref == "HEAD":
            return self.source.current_branch()
        if split_ancestry(ref)[1]:
            return None
        found = self.source.find_ref(ref)
        return found[0].removeprefix("refs/heads/") if found and found[0].startswith("refs/heads/") else None

    def merge_base(self, one: str, other: str) -> str | None:
        result = self.process.run("merge-base", "--end-of-options", one, other)
        if result.exit_code > 1:
            raise GitError(f"no merge base of {one} and {other} can be read: is the clone shallow?")
        return result.stdout.decode("ascii").strip() or None

    def tree_of(self, commit: str) -> str:
        return self.process.output("rev-parse", "--verify", "--end-of-options", f"{commit}^{{tree}}").decode().strip()

    def is_ancestor(self, ancestor: str, commit: str) -> bool:
        return self.process.run("merge-base", "--is-ancestor", "--end-of-options", ancestor, commit).exit_code == 0

    def changes(self, base: str, head: str) -> tuple[Change, ...]:
        detect = ("-M", "-C", f"-l{_RENAME_LIMIT}")
        return parse_raw(
            self.process.output("diff-tree", "--raw", "-z", *detect, *_EXACTLY, "--end-of-options", base, head)
        )

    def diff(self, base: str, head: str, paths: Sequence[str], limit: int, *, binary: bool = False) -> bytes:
        how = ("-p", "-M", "--no-color", "--src-prefix=a/", "--dst-prefix=b/", "--diff-algorithm=histogram", *_EXACTLY)
        kind = ("--binary",) if binary else ()
        found = b""
        for at in range(0, len(paths), _ARGUMENTS):
            some = paths[at : at + _ARGUMENTS]
            arguments = ("diff-tree", *how, *kind, "--end-of-options", base, head, "--", *some)
            found += self.process.first_bytes(*arguments, limit=limit - len(found))
            if len(found) >= limit:
                break
        return found

    def entries(self, commit: str) -> tuple[TreeEntry, ...]:
        return parse_tree(self.process.output("ls-tree", "-r", "-z", "--full-tree", "--end-of-options", commit))

    def read(self, commit: str, path: str, limit: int) -> bytes | None:
        listed = self.process.output("ls-tree", "-z", "--full-tree", "--end-of-options", commit, "--", path)
        entry = next((entry for entry in parse_tree(listed) if entry.path == path), None)
        if entry is None or entry.type not in (EntryType.FILE, EntryType.EXECUTABLE):
            return None
        return self._objects.read(entry.blob, limit)

    def blobs(self, ids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        return self._objects.stream(ids)

    def commit(self, parent: str, files: Mapping[str, bytes | None], text: CommitText) -> str:
        listed = self.process.output("ls-tree", "-z", "--full-tree", "--end-of-options", parent, "--", *sorted(files))
        modes = {entry.path: entry.type.value for entry in parse_tree(listed)}
        records = [self._index_record(path, content, modes) for path, content in sorted(files.items())]
        with TemporaryDirectory(prefix="index-", dir=self.process.git_dir) as directory:
            index = {"GIT_INDEX_FILE": str(Path(directory) / "index")}
            self.process.output("read-tree", parent, environment=index)
            updated = self.process.run("update-index", "-z", "--index-info", stdin=b"".join(records), environment=index)
            if updated.exit_code or updated.stderr:  # a name git dislikes is only warned about, and left out
                raise GitError(f"the commit cannot be made: {said(updated.stderr)}")
            tree = self.process.output("write-tree", environment=index).decode("ascii").strip()
        message = f"{text.subject}\n\n{text.body}".rstrip() + "\n"
        return (
            self.process.output(
                "commit-tree",
                "--no-gpg-sign",
                "-p",
                parent,
                tree,
                stdin=message.encode("utf-8", "replace"),
                environment=self._identity(text),
            )
            .decode("ascii")
            .strip()
        )

    def export_history(self, base: str, head: str, destination: Path, branch: str = "work") -> None:
        export_history(self.process, base, head, destination, branch=branch, object_format=self.object_format)

    def _index_record(self, path: str, content: bytes | None, modes: Mapping[str, str]) -> bytes:
        if not is_plain_path(path):
            raise GitError(f"{path!a} cannot be the name of a file in a commit")
        name = path.encode("utf-8", "surrogateescape")
        if content is None:
            return b"0 " + b"0" * _id_length(self.object_format) + b"\t" + name + b"\0"
        blob = self.process.output("hash-object", "-w", "--no-filters", "--stdin", stdin=content).strip()
        mode = modes.get(path, EntryType.FILE.value)
        if mode not in (EntryType.FILE.value, EntryType.EXECUTABLE.value):
            raise GitError(f"{path!a} is a {EntryType(mode).name.lower()}; a fix holds files alone")
        return mode.encode("ascii") + b" " + blob + b"\t" + name + b"\0"

    def _identity(self, text: CommitText) -> dict[str, str]:
        date = self._now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S+00:00")
        who = {"NAME": text.author_name, "EMAIL": text.author_email, "DATE": date}
        return {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()}


def _id_length(object_format: str) -> int:
    return 40 if object_format == "sha1" else 64


def _make_repository(directory: Path, source: Source, object_format: str) -> None:
    """The skeleton git needs; written once, read again when a run resumes."""
    if (directory / "HEAD").is_file():
        return
    for inside in ("objects/info", "objects/pack", "refs/heads"):
        (directory / inside).mkdir(parents=True, exist_ok=True)
    (directory / "config").write_text(config_text(object_format, bare=True), encoding="ascii")
    (directory / "objects" / "info" / "alternates").write_bytes(_alternate(source.objects))
    boundary = source.shallow()
    if boundary is not None:
        (directory / "shallow").write_bytes(boundary)
    (directory / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")


def _alternate(objects: Path) -> bytes:
    """The path as `alternates` wants it: C-quoted, so that no character of it means anything else."""
    quoted = os.fsencode(objects).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + quoted + b'"\n'
