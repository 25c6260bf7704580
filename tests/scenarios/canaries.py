"""Secrets that must not leave, the spellings they could leave in, and eyes on every process of a run."""

import base64
import codecs
import gzip
import re
import secrets
import threading
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

PIECE = 12
"""Characters: a piece of this length is a leak."""
_GZIP = re.compile(rb"H4sI[A-Za-z0-9+/]+={0,2}")


def canaries() -> dict[str, str]:
    """What a workflow's environment holds: values of which no piece is any other test's."""
    return {
        "ANTHROPIC_API_KEY": f"sk-ant-{secrets.token_hex(20)}",
        "GITHUB_TOKEN": f"ghs_{secrets.token_hex(18)}",
        "ACTIONS_RUNTIME_TOKEN": f"eyJ{secrets.token_hex(12)}.{secrets.token_hex(16)}-x",
        "INPUT_API-KEY": f"input.{secrets.token_hex(16)}",
        "INPUT_TOKEN": f"plain-{secrets.token_hex(16)}",
    }


def spellings(secret: str) -> dict[str, list[bytes]]:
    """Encoding -> texts that give the secret away; gzip is looked for by `leaks` itself."""
    raw = secret.encode()
    return {
        "raw": [raw],
        "base64 at 0": [_base64(raw, 0)],
        "base64 at 1": [_base64(raw, 1)],
        "base64 at 2": [_base64(raw, 2)],
        "base32": [base64.b32encode(raw).rstrip(b"=")[:-1]],
        "hex": [raw.hex().encode(), raw.hex().upper().encode()],
        "url": ["".join(f"%{byte:02X}" for byte in raw).encode(), quote(secret, safe="").encode()],
        "reversed": [raw[::-1]],
        "rot13": [codecs.encode(secret, "rot13").encode()],
        "without punctuation": [re.sub(r"[^A-Za-z0-9]", "", secret).encode()],
        "a piece": [raw[at : at + PIECE] for at in range(len(raw) - PIECE + 1)],
    }


def _base64(raw: bytes, offset: int) -> bytes:
    """What is the same in base64 whatever stands before and after, at this offset."""
    coded = base64.b64encode(b"\0" * offset + raw).rstrip(b"=")
    return coded[(0, 2, 3)[offset] : -2]


def leaks(text: bytes, secret: str) -> set[str]:
    """The encodings in which `text` holds the secret."""
    found = {name for name, needles in spellings(secret).items() if any(needle in text for needle in needles)}
    if any(secret.encode() in _unpacked(packed) for packed in _GZIP.findall(text)):
        found.add("gzip and base64")
    return found


def _unpacked(packed: bytes) -> bytes:
    try:
        return zlib.decompressobj(31).decompress(base64.b64decode(packed + b"=" * (-len(packed) % 4)), 1 << 20)
    except (ValueError, zlib.error):
        return b""


def packed(secret: str) -> bytes:
    return base64.b64encode(gzip.compress(secret.encode()))


def files_below(directory: Path) -> Iterator[tuple[Path, bytes]]:
    for path in directory.rglob("*"):
        if path.is_file() and not path.is_symlink():
            yield path, path.read_bytes()


@dataclass
class Watch:
    """Looks at a process and all its descendants, again and again, from the time it may not show a secret."""

    pid: int
    asked: Path
    """There as long as somebody waits to be looked at."""
    answered: Path
    """Made when they were."""
    texts: set[bytes] = field(default_factory=set)
    processes: set[int] = field(default_factory=set)
    points: list[str] = field(default_factory=list)
    _over: threading.Event = field(default_factory=threading.Event)

    def look(self, point: str) -> None:
        """Take every environment, argument list and open memory file there is now."""
        for pid in _family(self.pid):
            self.processes.add(pid)
            for name in ("environ", "cmdline"):
                self.texts.add(_content(Path(f"/proc/{pid}/{name}")))
        handles = [_target(link) for link in _listed(Path(f"/proc/{self.pid}/fd"))]
        assert not [target for target in handles if "memfd" in target], "what was taken is still open"
        self.points.append(point)

    def keep_looking(self) -> threading.Thread:
        thread = threading.Thread(target=self._until_over, daemon=True)
        thread.start()
        return thread

    def _until_over(self) -> None:
        while not self._over.wait(0.01):
            waits = self.asked.exists() and not self.answered.exists()
            self.look("while somebody waits" if waits else "in between")
            if waits:
                self.answered.touch()

    def stop(self) -> None:
        self._over.set()


def _family(pid: int) -> Iterable[int]:
    parents = {int(path.parent.name): _parent(path) for path in Path("/proc").glob("[0-9]*/stat")}
    family, grew = {pid}, True
    while grew:
        more = {child for child, parent in parents.items() if parent in family} - family
        family |= more
        grew = bool(more)
    return family


def _parent(stat: Path) -> int:
    text = _content(stat)
    return int(text[text.rindex(b")") + 2 :].split()[1]) if text else 0


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # it has ended
        return b""


def _listed(path: Path) -> list[Path]:
    try:
        return list(path.iterdir())
    except OSError:
        return []


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:
        return ""
