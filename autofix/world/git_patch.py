"""A patch from outside, applied to a commit by git in the harness's own repository, on an index of its own.

Nothing is written to any work tree, nothing runs but `git apply`, and what it makes is only looked at afterwards: a
commit that nobody names.
"""

import base64
import re
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

from autofix.errors import GitError
from autofix.world.git_cli import GitCli
from autofix.world.git_process import said

CONTENT_LIMIT = 64 * 1024 * 1024
"""Bytes of one binary file a patch may make; git would unpack a few kilobytes of patch to any size it names."""
_BINARY = re.compile(rb"^(literal|delta) (\d{1,20})\n([^\n]*)", re.MULTILINE)
_HEADER = 32
"""Bytes of an unpacked delta that hold its two sizes, at most ten each."""
_WHO = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in (("NAME", "autofix"), ("EMAIL", "autofix@localhost"), ("DATE", "2000-01-01T00:00:00+00:00"))
}


def apply_patch(git: GitCli, commit: str, patch: bytes) -> str:
    """A commit that is `commit` with the patch, as `git apply` would leave it.

    Raises:
        GitError: the patch does not apply, is no patch, or leaves the tree; the message is git's own line.
    """
    _small_enough(patch)
    with TemporaryDirectory(prefix="apply-", dir=git.process.git_dir) as directory:
        index = {"GIT_INDEX_FILE": str(Path(directory) / "index")}
        git.process.output("read-tree", commit, environment=index)
        applied = git.process.run("apply", "--cached", "--whitespace=nowarn", "-", stdin=patch, environment=index)
        if applied.exit_code:
            raise GitError(said(applied.stderr).removeprefix("error: ") or f"git apply: exit {applied.exit_code}")
        tree = git.process.output("write-tree", environment=index).decode("ascii").strip()
    made = git.process.output("commit-tree", "--no-gpg-sign", "-p", commit, tree, environment=_WHO)
    return made.decode("ascii").strip()


def _small_enough(patch: bytes) -> None:
    for kind, size, first in _BINARY.findall(patch):
        makes = int(size) if kind == b"literal" else max(int(size), _delta_makes(first))
        if makes > CONTENT_LIMIT:
            raise GitError(f"it holds a binary file of {makes} bytes; more than {CONTENT_LIMIT} are not looked at")


def _delta_makes(line: bytes) -> int:
    """The size of what a delta makes, from its beginning: two numbers of seven bits a byte, the second is it."""
    try:
        start = zlib.decompressobj().decompress(base64.b85decode(line[1:]), _HEADER)
    except (ValueError, zlib.error):
        return 0  # git will refuse it, too
    numbers, shift, number = [], 0, 0
    for byte in start:
        number |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            numbers.append(number)
            shift = number = 0
    return numbers[1] if len(numbers) > 1 else CONTENT_LIMIT + 1
