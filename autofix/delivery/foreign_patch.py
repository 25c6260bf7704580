"""A patch that somebody else wrote, read as the changed files of one commit, or the reason why it cannot be judged.

Only changes of plain files are judged: a link, a submodule or a file made executable has no place in a fix, and
characters that make code read as what it is not are refused as they are in a fix of our own.
"""

from collections.abc import Callable, Sequence

from autofix.delivery.patch import Patch, PatchRefused, changed_lines, deceiving
from autofix.errors import GitError
from autofix.harness.names import is_plain_path
from autofix.harness.protected import protected
from autofix.ports.git import Change, EntryType, Git

FILE_LIMIT = 64 * 1024 * 1024
"""Bytes of one file a patch makes."""
FILES_LIMIT = 2_000
"""Files of one patch."""

Apply = Callable[[str, bytes], str]
"""(commit, patch) -> a commit with the patch applied; GitError where it does not apply."""


def read_patch(git: Git, apply: Apply, head: str, text: bytes) -> Patch | PatchRefused:
    """The patch as what it changes of `head`."""
    if not text.strip():
        return PatchRefused("the patch is empty")
    try:
        patched = apply(head, text)
    except GitError as error:
        return PatchRefused(f"the patch does not apply: {error}")
    changes = git.changes(head, patched)
    unfit = _unfit(changes)
    if unfit is not None:
        return unfit
    try:
        files = _files(git, patched, changes)
    except GitError as error:
        return PatchRefused(str(error))
    asking = {path: reason for path in sorted(files) if (reason := protected(path)) is not None}
    return deceiving(git, head, files) or Patch(head, files, text, changed_lines(text), asking)


def _unfit(changes: Sequence[Change]) -> PatchRefused | None:
    if not changes:
        return PatchRefused("the patch changes nothing")
    if len(changes) > FILES_LIMIT:
        return PatchRefused(f"the patch changes {len(changes)} files, more than {FILES_LIMIT}")
    for change in changes:
        why = _why_unfit(change)
        if why:
            return PatchRefused(f"{change.path!a} {why}", change.path)
    return None


def _why_unfit(change: Change) -> str:
    kinds = {change.old_type, change.new_type}
    if not is_plain_path(change.path):
        return "cannot be the name of a file in a commit"
    if EntryType.SYMLINK in kinds:
        return "is a symbolic link: a patch may change plain files alone"
    if EntryType.SUBMODULE in kinds:
        return "is a submodule: a patch may change plain files alone"
    if change.new_type is EntryType.EXECUTABLE and change.old_type is not EntryType.EXECUTABLE:
        return "would become executable"
    if change.new_type is EntryType.FILE and change.old_type is EntryType.EXECUTABLE:
        return "would no longer be executable"
    return ""


def _files(git: Git, patched: str, changes: Sequence[Change]) -> dict[str, bytes | None]:
    files: dict[str, bytes | None] = {}
    for change in changes:
        if change.old_path is not None and change.old_path != change.path and change.kind.value == "R":
            files[change.old_path] = None
        files[change.path] = None if change.new_type is None else git.read(patched, change.path, FILE_LIMIT)
    return files
