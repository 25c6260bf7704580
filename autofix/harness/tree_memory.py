"""What an attempt's tree holds besides its commit, kept call by call, so that a run can go on without the tree.

A resumed run gets a fresh checkout; the calls it took are told to it again, and each lays what it had changed over the
checkout. Ignored build output is not kept: the checks make it again. Nor is what exceeds the limits below: it is gone
after a resumption, and what the pull request changes comes first.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from autofix.errors import JournalDamaged, TreeError
from autofix.harness.tools.file_text import EDITABLE_BYTES
from autofix.harness.tools.tool import Artifacts
from autofix.ports.model import JsonValue
from autofix.ports.tree import WorkTree

MOST_FILES = 500
"""Files kept of one call; a program that leaves more made build output that is not ignored."""
MOST_BYTES = 32 * 1024 * 1024
"""Of all kept files of an attempt."""


@dataclass(slots=True)
class TreeMemory:
    """Keeps files in `store`, and remembers what of the tree is kept already: path -> the file's token."""

    tree: WorkTree
    store: Artifacts
    _kept: dict[str, str] = field(default_factory=dict)
    _bytes: int = 0

    def written(self, paths: Iterable[str]) -> dict[str, JsonValue]:
        """Keep what a call wrote; path -> name in the store."""
        return {path: name for path in paths if (name := self._keep(path))}

    def present(self, paths: Sequence[str]) -> dict[str, JsonValue]:
        """Keep what differs from the commit now, the most important first.

        Returns path -> name of what is new, None where it is as committed again.
        """
        gone = sorted(self._kept.keys() - set(paths))
        for path in gone:
            del self._kept[path]
        return {**self.written(paths[:MOST_FILES]), **dict.fromkeys(gone)}

    def lay(self, files: Mapping[str, JsonValue]) -> None:
        """Do to the tree what a call did.

        Raises:
            JournalDamaged: a kept file is not what was kept.
        """
        for path, name in files.items():
            if isinstance(name, str):
                content = self.store.read(name)
                if content is None:
                    raise JournalDamaged(f"{name} ({path} as the run had changed it) was not kept whole")
                self._kept[path] = self._put(path, content)
            else:
                self._as_committed(path)
                self._kept.pop(path, None)

    def _keep(self, path: str) -> str | None:
        """The name of what is kept, where it is not what was kept before."""
        try:
            state = self.tree.read(path, EDITABLE_BYTES)
        except TreeError:
            return None  # a link, gone again, or too large to leave by any patch
        if self._kept.get(path) == state.token or self._bytes + len(state.content) > MOST_BYTES:
            return None
        self._bytes += len(state.content)
        self._kept[path] = state.token
        return self.store.keep("file", state.content)

    def _put(self, path: str, content: bytes) -> str:
        try:
            expected = self.tree.read(path, EDITABLE_BYTES).token
        except TreeError:
            expected = None
        self.tree.write(path, content, expected=expected)
        return self.tree.read(path, EDITABLE_BYTES).token

    def _as_committed(self, path: str) -> None:
        try:
            self.tree.restore([path])
        except TreeError:  # no file of the commit
            with suppress(TreeError):
                self.tree.remove([path])
