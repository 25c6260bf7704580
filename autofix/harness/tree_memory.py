"""What an attempt's tree holds besides its commit, kept call by call, so that a run can go on without the tree.

A resumed run gets a fresh checkout; the calls it took are told to it again, and each lays what it had changed over the
checkout. Ignored build output is not kept: the checks make it again.
"""

import hashlib
from collections.abc import Iterable, Mapping
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
_KIND = "file"


@dataclass(slots=True)
class TreeMemory:
    """Keeps files in `store`, and remembers what of the tree is kept already."""

    tree: WorkTree
    store: Artifacts
    _kept: dict[str, str] = field(default_factory=dict)
    _bytes: int = 0

    def written(self, paths: Iterable[str]) -> dict[str, JsonValue]:
        """Keep what a call wrote; path -> name in the store."""
        return {path: name for path in paths if (name := self._keep(path))}

    def present(self, paths: Iterable[str]) -> dict[str, JsonValue]:
        """Keep what differs from the commit now; path -> name of what is new, None where it is as committed again."""
        now = sorted(paths)[:MOST_FILES]
        gone = self._kept.keys() - set(now)
        for path in gone:
            del self._kept[path]
        return {**self.written(now), **dict.fromkeys(sorted(gone))}

    def lay(self, files: Mapping[str, JsonValue]) -> None:
        """Do to the tree what a call did.

        Raises:
            JournalDamaged: a kept file is not what was kept.
        """
        for path, name in files.items():
            if isinstance(name, str):
                self._put(path, self._content(name))
                self._kept[path] = name
            else:
                self._as_committed(path)
                self._kept.pop(path, None)

    def _keep(self, path: str) -> str | None:
        """The name of what is kept, where it is not what was kept before."""
        try:
            content = self.tree.read(path, EDITABLE_BYTES).content
        except TreeError:
            return None  # a link, gone again, or too large to leave by any patch
        name = f"{_KIND}-{hashlib.sha256(content).hexdigest()[:12]}"
        if self._kept.get(path) == name or self._bytes + len(content) > MOST_BYTES:
            return None
        self._bytes += len(content)
        self._kept[path] = self.store.keep(_KIND, content)
        return self._kept[path]

    def _content(self, name: str) -> bytes:
        content = self.store.read(name)
        if content is None or name != f"{_KIND}-{hashlib.sha256(content).hexdigest()[:12]}":
            raise JournalDamaged(f"{name}, a file the run had changed, was not kept whole: it cannot go on from there")
        return content

    def _put(self, path: str, content: bytes) -> None:
        try:
            expected = self.tree.read(path, EDITABLE_BYTES).token
        except TreeError:
            expected = None
        self.tree.write(path, content, expected=expected)

    def _as_committed(self, path: str) -> None:
        try:
            self.tree.restore([path])
        except TreeError:  # no file of the commit
            with suppress(TreeError):
                self.tree.remove([path])
