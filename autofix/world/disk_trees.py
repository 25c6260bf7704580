"""`ports.tree.WorkTrees` on a disk: opens the work trees of one run, each with a disposable `.git` of its own."""

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from autofix.errors import TreeError
from autofix.intake.pull_request import PullRequest
from autofix.ports.git import Git, TreeEntry
from autofix.ports.tree import WorkTree
from autofix.world.blob_cache import BlobCache
from autofix.world.checkout import Checkout, Owner, can_be_written
from autofix.world.disk_tree import DiskTree, remove_directory
from autofix.world.git_history import branch_for_tree
from autofix.world.git_index import write_index
from autofix.world.leftovers import copy_leftovers
from autofix.world.spare_tree import Spare
from autofix.world.tree_index import Tracked

_HISTORY = ".history"
_MAKING = ".making-"
_SPARE = ".spare"
_SHA1 = 40  # hexadecimal digits of a SHA-1; a longer id is SHA-256


@dataclass(frozen=True, slots=True)
class _Made:
    """A checkout that has no name yet."""

    path: Path
    tracked: Sequence[Tracked]


class DiskTrees:
    """Opens work trees below `directory`.

    Args:
        git: where commits and blobs come from.
        directory: `<run>/trees`; nothing else may be kept there.
        pull_request: its merge base is where the history a tree shows begins, its branch is what a tree is on.
        owner: user and group the files are made for (the sandbox's); None leaves them ours.
    """

    def __init__(self, git: Git, directory: Path, pull_request: PullRequest, *, owner: Owner | None = None) -> None:
        self._git = git
        self._directory = directory.absolute()
        self._directory.mkdir(parents=True, exist_ok=True)
        self._base = pull_request.merge_base
        self._branch = branch_for_tree(pull_request.branch)
        self._owner = owner
        self._cache = BlobCache(self._directory / ".blobs")
        self._checkout = Checkout(git, self._cache, owner)
        self._histories: dict[str, Path] = {}
        self._open: list[DiskTree] = []
        spare = self._directory / _SPARE
        self._spare = Spare(lambda commit, stop: self._make(commit, spare, stop), lambda: remove_directory(spare))

    def open(
        self,
        commit: str,
        name: str,
        files: Mapping[str, bytes | None] | None = None,
        *,
        leftovers_of: WorkTree | None = None,
    ) -> DiskTree:
        """As `WorkTrees.open`; what an earlier run left under the name is removed first.

        Raises:
            TreeError: the name is no plain file name, or the disk does not take the tree.
        """
        if not name or name.startswith(".") or "/" in name or "\0" in name:
            raise TreeError(f"{name!a} cannot be the name of a work tree")
        made = self._spare.take(commit)
        if made is None:
            made = self._make(commit, self._directory / f"{_MAKING}{name}", Event())
        path = self._directory / name
        remove_directory(path)
        made.path.rename(path)
        tree = DiskTree(self._git, path, commit, made.tracked)
        self._open.append(tree)
        if leftovers_of is not None:
            tracked_there = (entry.path for entry in self._git.entries(leftovers_of.commit))
            copy_leftovers(leftovers_of.path, path, tracked_there, self._owner)
        tree.overlay(files or {})
        self._spare.begin(commit)
        return tree

    def drop_all(self) -> None:
        self._spare.drop()
        while self._open:
            self._open.pop().drop()
        for leftover in self._directory.iterdir():
            remove_directory(leftover)
        self._histories.clear()

    def close(self) -> None:
        """Drop every tree and the bytes kept for the next; nothing can be opened afterwards."""
        self.drop_all()
        self._cache.close()

    def _make(self, commit: str, path: Path, stop: Event) -> "_Made":
        """A whole checkout under a name nobody asked for, so that what has its name is never half a tree."""
        remove_directory(path)
        path.mkdir()
        path.chmod(0o755)
        if self._owner is not None:
            os.chown(path, *self._owner)
        entries = [entry for entry in self._git.entries(commit) if can_be_written(entry)]
        tracked, found = self._checkout.fill(path, entries, stop)
        self._place_history(commit, path / ".git", list(zip(entries, found, strict=True)))
        return _Made(path, tracked)

    def _place_history(self, commit: str, destination: Path, entries: list[tuple[TreeEntry, os.stat_result]]) -> None:
        """A `.git` of the tree's own: a copy, so that what one sandbox does to it reaches no other tree."""
        shutil.copytree(self._history(commit), destination)
        (destination / "refs" / "heads" / self._branch).write_text(f"{commit}\n", encoding="ascii")
        write_index(destination / "index", entries, object_format="sha1" if len(commit) == _SHA1 else "sha256")
        if self._owner is not None:
            for directory, _, names in os.walk(destination):
                for name in (".", *names):
                    os.chown(Path(directory) / name, *self._owner)

    def _history(self, commit: str) -> Path:
        """The template for a commit's `.git`; the one of the head also has the base."""
        known = self._histories.get(commit)
        if known is None:
            known = self._directory / f"{_HISTORY}-{len(self._histories)}"
            remove_directory(known)
            self._git.export_history(self._base, commit, known, self._branch)
            self._histories[commit] = known
            self._histories.setdefault(self._base, known)
        return known
