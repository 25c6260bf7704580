"""rm and its kin. Recursion with force is refused whatever the target; the rest depends on what is deleted."""

from collections.abc import Iterable

from autofix.harness.bash.deeds import Delete, Refuse, Step, Write
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.options import scan
from autofix.harness.bash.tables import listed

_LONG = listed("recursive force dir interactive= verbose one-file-system no-preserve-root preserve-root help version")
RECURSIVE_FORCE = Refuse(
    "delete-recursive",
    "recursive forced deletion is refused everywhere; delete by name, or a build directory with rm -r",
)
_COMPLETED = Refuse(
    "delete-recursive", "rm fed by find or xargs deletes what the command does not show; delete by name"
)


def _rm(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, long=_LONG)
    if found.has("help", "version") and not found.operands:
        return
    recursive, force = found.has("r", "R", "recursive"), found.has("f", "force")
    if (recursive and force) or "no-preserve-root" in dict(found.options):
        yield RECURSIVE_FORCE
    if run.completed:
        yield _COMPLETED
    if found.uncertain:
        yield Refuse("delete-recursive", "what rm would delete, and how, cannot be known; write the names")
    yield from (Delete(path, below=recursive) for path in found.operands)


def _rmdir(run: Invocation) -> Iterable[Step]:
    """It deletes only what is empty, which git does not know."""
    if run.completed:
        yield _COMPLETED
    yield from (Delete(path) for path in scan(run.words).operands if "/" not in path[:1])


def _unlink(run: Invocation) -> Iterable[Step]:
    if run.completed:
        yield _COMPLETED
    found = scan(run.words, valued="ns", long=listed("iterations= size= random-source= remove zero"))
    for path in found.operands:
        yield Delete(path)
        if run.program == "shred":
            yield Write(path)


def _whole_trees(_run: Invocation) -> Iterable[Step]:
    yield RECURSIVE_FORCE


TABLE = {
    "rm": _rm,
    **dict.fromkeys(("rimraf", "del", "del-cli", "rip", "shx"), _whole_trees),
    "rmdir": _rmdir,
    **dict.fromkeys(("unlink", "shred", "srm", "trash", "trash-put", "gio"), _unlink),
}
