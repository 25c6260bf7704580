"""Git's index file (version 2), written from what we know, so that `git status` in a fresh tree is clean and quick.

Writing it ourselves means that no git of ours ever runs in a work tree. The format is gitformat-index(5): a header, one
record of stat data, id and name per file, padded to eight bytes, in byte order of the names, then a checksum.
"""

import hashlib
import os
import struct
from collections.abc import Iterable
from pathlib import Path

from autofix.ports.git import TreeEntry

_VERSION = 2
_NAME_MASK = 0xFFF  # the name's length in the flags; a longer name says 0xFFF
_WORD = 0xFFFFFFFF  # stat fields are kept modulo 2**32
_HEAD = struct.Struct(">4sII")
_STAT = struct.Struct(">10I")
_FLAGS = struct.Struct(">H")
_BILLION = 1_000_000_000


def write_index(path: Path, entries: Iterable[tuple[TreeEntry, os.stat_result]], *, object_format: str) -> None:
    """Write the index of a tree whose files are exactly those of the commit."""
    records = sorted((os.fsencode(entry.path), entry, found) for entry, found in entries)
    content = bytearray(_HEAD.pack(b"DIRC", _VERSION, len(records)))
    for name, entry, found in records:
        start = len(content)
        content += _stat_data(entry, found)
        content += bytes.fromhex(entry.blob)
        content += _FLAGS.pack(min(len(name), _NAME_MASK))
        content += name
        content += b"\0" * (8 - (len(content) - start) % 8)
    content += hashlib.new(object_format, content, usedforsecurity=False).digest()
    path.write_bytes(content)


def _stat_data(entry: TreeEntry, found: os.stat_result) -> bytes:
    return _STAT.pack(
        found.st_ctime_ns // _BILLION & _WORD,
        found.st_ctime_ns % _BILLION,
        found.st_mtime_ns // _BILLION & _WORD,
        found.st_mtime_ns % _BILLION,
        found.st_dev & _WORD,
        found.st_ino & _WORD,
        int(entry.type.value, 8),
        found.st_uid & _WORD,
        found.st_gid & _WORD,
        found.st_size & _WORD,
    )
