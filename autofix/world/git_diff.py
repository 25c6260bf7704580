"""`git diff-tree --raw -z` and `git ls-tree -z`, parsed as bytes: names are whatever bytes git has."""

from autofix.errors import GitError
from autofix.ports.git import Change, ChangeKind, EntryType, TreeEntry

_TYPES = {
    b"100644": EntryType.FILE,
    b"100664": EntryType.FILE,  # written by very old gits; read as a plain file, as git does
    b"100755": EntryType.EXECUTABLE,
    b"120000": EntryType.SYMLINK,
    b"160000": EntryType.SUBMODULE,
}
_KINDS = {kind.value: kind for kind in ChangeKind}
_RAW_FIELDS = 5  # :<old mode> <new mode> <old id> <new id> <letter and score>


def name_of(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def parse_raw(output: bytes) -> tuple[Change, ...]:
    """Records `:<modes and ids> <letter>` NUL path NUL, with a second path after renames and copies."""
    tokens = iter(output.split(b"\0"))
    changes = []
    for token in tokens:
        if not token:
            break
        fields = token.lstrip(b":").split(b" ")
        if len(fields) != _RAW_FIELDS:
            raise GitError("git diff-tree printed a record that cannot be read")
        old_mode, new_mode, old_id, new_id, status = fields
        kind = _KINDS.get(status[:1].decode("ascii", "replace"))
        if kind is None:
            raise GitError(f"git diff-tree reports an unknown change {status!r}")
        first = name_of(next(tokens))
        moved = kind in (ChangeKind.RENAMED, ChangeKind.COPIED)
        path, old_path = (name_of(next(tokens)), first) if moved else (first, None)
        changes.append(
            Change(kind, path, old_path, _TYPES.get(old_mode), _TYPES.get(new_mode), _known(old_id), _known(new_id))
        )
    return tuple(changes)


def parse_tree(output: bytes) -> tuple[TreeEntry, ...]:
    """Records `<mode> <kind> <id>` TAB path NUL."""
    entries = []
    for record in output.split(b"\0"):
        if not record:
            break
        head, _, path = record.partition(b"\t")
        mode, _, object_id = head.split(b" ")
        type_ = _TYPES.get(mode)
        if type_ is not None:  # anything else is a directory, which has no entry of its own
            entries.append(TreeEntry(name_of(path), type_, object_id.decode("ascii")))
    return tuple(entries)


def _known(object_id: bytes) -> str | None:
    text = object_id.decode("ascii")
    return text if text.strip("0") else None
