"""The patch a run delivers: the scope's changed files out of a work tree, or the reason why there is none.

It is built from the scope's paths, never from everything that changed. What is no regular file with the mode it had,
is too much for a person to check at a glance, or brings characters that make code read as what it is not, is refused.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from autofix.errors import GitError, TreeError
from autofix.harness.protected import protected
from autofix.harness.scope import Scope
from autofix.ports.git import CommitText, Git
from autofix.ports.tree import TreeChanges, WorkTree

_DIFF_LIMIT = 4 * 1024 * 1024  # bytes; the limits below keep a real patch far under it
_BASE_LIMIT = 16 * 1024 * 1024  # bytes; a larger file at the base is not compared for characters it already had
_HUNK = re.compile(rb"^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@", re.MULTILINE)
_PREVIEW = CommitText("Patch", "", "autofix", "autofix@users.noreply.github.com")

# Bidirectional controls (CVE-2021-42574) and characters that show nothing; escaped, so that this file reads as it is.
DECEIVING: Mapping[str, str] = {
    "\u202a": "LEFT-TO-RIGHT EMBEDDING",
    "\u202b": "RIGHT-TO-LEFT EMBEDDING",
    "\u202c": "POP DIRECTIONAL FORMATTING",
    "\u202d": "LEFT-TO-RIGHT OVERRIDE",
    "\u202e": "RIGHT-TO-LEFT OVERRIDE",
    "\u2066": "LEFT-TO-RIGHT ISOLATE",
    "\u2067": "RIGHT-TO-LEFT ISOLATE",
    "\u2068": "FIRST STRONG ISOLATE",
    "\u2069": "POP DIRECTIONAL ISOLATE",
    "\u200b": "ZERO WIDTH SPACE",
    "\u2060": "WORD JOINER",
    "\ufeff": "ZERO WIDTH NO-BREAK SPACE",
    "\u200c": "ZERO WIDTH NON-JOINER",
    "\u200d": "ZERO WIDTH JOINER",
    "\u200e": "LEFT-TO-RIGHT MARK",
    "\u200f": "RIGHT-TO-LEFT MARK",
    "\u061c": "ARABIC LETTER MARK",
    "\u00ad": "SOFT HYPHEN",
    "\u180e": "MONGOLIAN VOWEL SEPARATOR",
}


@dataclass(frozen=True, slots=True)
class PatchLimits:
    """What a person can still check.

    Attributes:
        changed_lines: added plus removed.
        size: bytes of the unified diff.
    """

    files: int = 10
    changed_lines: int = 400
    size: int = 100 * 1024


@dataclass(frozen=True, slots=True)
class Patch:
    """Changed files of one commit.

    Attributes:
        base: the commit it applies to.
        files: path -> new bytes, or None where the file is deleted.
        text: unified diff as `git apply` takes it.
        changed_lines: added plus removed.
        protected: path -> why a person is asked first; empty for most patches.
    """

    base: str
    files: Mapping[str, bytes | None]
    text: bytes
    changed_lines: int
    protected: Mapping[str, str]

    def __bool__(self) -> bool:
        return bool(self.files)


@dataclass(frozen=True, slots=True)
class PatchRefused:
    """Why no patch leaves, in a sentence; `path` is the file it is about, or "" for the whole.

    `too_much` where only the limits stand against it.
    """

    reason: str
    path: str = ""
    too_much: bool = False


def patch_of(git: Git, tree: WorkTree, scope: Scope, limits: PatchLimits | None = None) -> Patch | PatchRefused:
    """What the tree changes within the scope; a Patch without files where that is nothing."""
    limits = limits or PatchLimits()
    files = _files(tree, scope, limits)
    if isinstance(files, PatchRefused):
        return files
    hidden = deceiving(git, tree.commit, files)
    if hidden is not None:
        return hidden
    text = _text(git, tree.commit, files)
    lines = changed_lines(text)
    if lines > limits.changed_lines:
        return PatchRefused(f"the fix changes {lines} lines, more than {limits.changed_lines}", too_much=True)
    if len(text) > limits.size:
        return PatchRefused(f"the fix is more than {limits.size} bytes long", too_much=True)
    asking = {path: reason for path in sorted(files) if (reason := protected(path)) is not None}
    return Patch(tree.commit, files, text, lines, asking)


def changed_lines(text: bytes) -> int:
    """Added plus removed lines of a unified diff; content that looks like a header is counted as the content it is."""
    count = left_old = left_new = 0
    for line in text.split(b"\n"):
        if left_old > 0 or left_new > 0:
            kind = line[:1]
            count += kind in (b"+", b"-")
            left_old -= kind in (b"-", b" ")
            left_new -= kind in (b"+", b" ")
        elif hunk := _HUNK.match(line):
            left_old, left_new = (int(size) if size is not None else 1 for size in hunk.groups())
    return count


def _files(tree: WorkTree, scope: Scope, limits: PatchLimits) -> dict[str, bytes | None] | PatchRefused:
    changes = tree.compare()
    unfit = _unfit(changes, scope)
    if unfit is not None:
        return unfit
    touched = [path for path in sorted({*changes.modified, *changes.deleted, *changes.added}) if path in scope]
    if len(touched) > limits.files:
        return PatchRefused(f"the fix changes {len(touched)} files, more than {limits.files}", too_much=True)
    files: dict[str, bytes | None] = {}
    for path in touched:
        if path in changes.deleted:
            files[path] = None
            continue
        try:
            files[path] = tree.read(path, max(limits.size, _BASE_LIMIT)).content
        except TreeError as error:
            return PatchRefused(str(error), path)
    return files


def _unfit(changes: TreeChanges, scope: Scope) -> PatchRefused | None:
    """A path in scope that is not the plain file it was."""
    for path in (*changes.type_changed, *changes.strange):
        if path in scope:
            return PatchRefused(f"{path} is no longer a plain file of its own (a link, a directory, a hard link)", path)
    for path in changes.mode_changed:
        if path in scope:
            return PatchRefused(f"{path} has another mode than at the head: a fix may not make files executable", path)
    return None


def deceiving(git: Git, commit: str, files: Mapping[str, bytes | None]) -> PatchRefused | None:
    """Whether a fix brings more of such a character than the file had: one that was there may stay."""
    for path, content in files.items():
        if content is None:
            continue
        text = content.decode("utf-8", "ignore")
        found = [character for character in DECEIVING if character in text]
        if not found:
            continue
        try:
            before = (git.read(commit, path, _BASE_LIMIT) or b"").decode("utf-8", "ignore")
        except GitError as error:
            return PatchRefused(str(error), path)
        for character in found:
            if text.count(character) > before.count(character):
                name = f"U+{ord(character):04X} {DECEIVING[character]}"
                return PatchRefused(f"the fix brings an invisible or direction-changing character ({name})", path)
    return None


def _text(git: Git, base: str, files: Mapping[str, bytes | None]) -> bytes:
    if not files:
        return b""
    preview = git.commit(base, files, _PREVIEW)
    return git.diff(base, preview, sorted(files), _DIFF_LIMIT, binary=True)
