"""Test reports out of the failing run's artifacts: zips made by code of the pull request, so hostile until shown else.

Nothing is written to disk and no name from the zip is ever used as a path. What a zip says of its own sizes is not
believed: bytes are counted as they come out.
"""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

MIB = 1024 * 1024

_END_OF_DIRECTORY = b"PK\x05\x06"
_ZIP64_LOCATOR = b"PK\x06\x07"
_END_SIZE = 22
_COMMENT_MAX = 65_535
_UNIX_TYPE = 0o170000
_UNIX_REGULAR = 0o100000

_ROOTS = (b"<testsuites", b"<testsuite")
_ROOT_WITHIN = 4096
"""Bytes in which a JUnit report's root element opens; a prolog and a comment fit."""


@dataclass(frozen=True, slots=True)
class ZipLimits:
    """Far above what test reports need (100,000 cases are 49 MB), far below what harms.

    Attributes:
        zip_bytes: of one download.
        downloads: bytes of all downloads together.
        directory_bytes: of the zip's table of contents, which `zipfile` holds in memory whole.
    """

    zip_bytes: int = 64 * MIB
    downloads: int = 128 * MIB
    directory_bytes: int = MIB
    entries: int = 4096
    file_bytes: int = 64 * MIB
    all_bytes: int = 128 * MIB


@dataclass(frozen=True, slots=True)
class ReportFile:
    """One report. `name` is for display alone."""

    artifact: str
    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class ZipRefused:
    """The zip, or one entry of it, was not used; one line says why."""

    artifact: str
    reason: str


def reports_in(artifact: str, stream: BinaryIO, limits: ZipLimits | None = None) -> Iterator[ReportFile | ZipRefused]:
    """The JUnit reports of one downloaded artifact, one at a time, in the zip's order."""
    bounds = limits or ZipLimits()
    try:
        if reason := _unfit(stream, bounds):
            yield ZipRefused(artifact, reason)
            return
        with zipfile.ZipFile(stream) as archive:
            yield from _reports(artifact, archive, bounds)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError) as error:
        yield ZipRefused(artifact, f"it is no readable zip: {type(error).__name__}")


def _unfit(stream: BinaryIO, limits: ZipLimits) -> str:
    """Why the zip must not even be opened; the table of contents is judged before it is read."""
    size = stream.seek(0, 2)
    if size > limits.zip_bytes:
        return f"it is larger than {limits.zip_bytes} bytes"
    stream.seek(max(0, size - _COMMENT_MAX - _END_SIZE))
    tail = stream.read()
    at = tail.rfind(_END_OF_DIRECTORY)
    if at < 0 or len(tail) - at < _END_SIZE:
        return "it is no zip"
    if _ZIP64_LOCATOR in tail[max(0, at - 20) : at]:
        return "its table of contents is larger than any set of reports needs"
    entries, directory = struct.unpack_from("<HI", tail, at + 10)
    if entries > limits.entries or directory > limits.directory_bytes:
        return f"its table of contents is too large: {entries} entries, {directory} bytes"
    return ""


def _reports(artifact: str, archive: zipfile.ZipFile, limits: ZipLimits) -> Iterator[ReportFile | ZipRefused]:
    left = limits.all_bytes
    seen: set[str] = set()
    for entry in archive.infolist():
        if not entry.filename.lower().endswith(".xml") or entry.is_dir():
            continue
        if reason := _unfit_entry(entry, seen):
            yield ZipRefused(artifact, f"{_shown(entry.filename)}: {reason}")
            continue
        seen.add(entry.filename)
        content = _read(archive, entry, min(left, limits.file_bytes))
        if content is None:
            yield ZipRefused(artifact, f"{_shown(entry.filename)}: it unpacks to more than is read")
            return
        left -= len(content)
        if _is_junit(content):
            yield ReportFile(artifact, _shown(entry.filename), content)


def _unfit_entry(entry: zipfile.ZipInfo, seen: set[str]) -> str:
    name = entry.orig_filename
    parts = name.replace("\\", "/").split("/")
    mode = entry.external_attr >> 16
    if name.startswith(("/", "\\")) or ".." in parts or parts[0][1:2] == ":" or "\0" in name:
        return "its name points out of the zip"
    if mode & _UNIX_TYPE not in {0, _UNIX_REGULAR}:
        return "it is no regular file"
    if entry.flag_bits & 0x1:
        return "it is encrypted"
    if entry.filename in seen:
        return "its name is there twice"
    return ""


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int) -> bytes | None:
    """An entry's bytes; None where more than `limit` come out."""
    with archive.open(entry) as stream:
        content = stream.read(limit + 1)
    return content if len(content) <= limit else None


def _is_junit(content: bytes) -> bool:
    return any(root in content[:_ROOT_WITHIN] for root in _ROOTS)


def _shown(name: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in name)[-200:]
