"""What checks showed, as bytes and back: a resumed run takes them from here instead of running the checks again.

JSON, compressed; every value comes back equal to what was kept.
"""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from autofix.checks.baseline import Baseline
from autofix.checks.result import CaseKey, CheckResult
from autofix.checks.verify import Verification
from autofix.errors import JournalDamaged

if TYPE_CHECKING:
    from pydantic import TypeAdapter

UNPACKED_LIMIT = 256 * 1024 * 1024
"""Bytes. The largest suite that can be read keeps far less; more is not what was written."""
_LEVEL = 1
"""zlib's quickest: traces of a big suite shrink to a tenth even so."""


@dataclass(frozen=True, slots=True)
class _KeptVerification:
    """A verification beside the runs it rests on; its map of messages as pairs, because JSON has text keys only."""

    verification: Verification
    messages: tuple[tuple[CaseKey, str], ...]
    measured: tuple[CheckResult, ...]


def pack_results(results: Sequence[CheckResult]) -> bytes:
    return _pack(tuple[CheckResult, ...], tuple(results))


def unpack_results(content: bytes) -> tuple[CheckResult, ...]:
    """Raises JournalDamaged where the bytes are not what was packed; so do the others."""
    results: tuple[CheckResult, ...] = _unpack(tuple[CheckResult, ...], content)
    return results


def pack_baseline(baseline: Baseline) -> bytes:
    return _pack(Baseline, baseline)


def unpack_baseline(content: bytes) -> Baseline:
    baseline: Baseline = _unpack(Baseline, content)
    return baseline


def pack_verification(verification: Verification, measured: Sequence[CheckResult]) -> bytes:
    bare = replace(verification, messages={})
    return _pack(_KeptVerification, _KeptVerification(bare, tuple(verification.messages.items()), tuple(measured)))


def unpack_verification(content: bytes) -> tuple[Verification, tuple[CheckResult, ...]]:
    kept: _KeptVerification = _unpack(_KeptVerification, content)
    return replace(kept.verification, messages=dict(kept.messages)), kept.measured


def prepare() -> None:
    """Make ready what packing takes, while nobody waits for it."""
    for kind in (Baseline, tuple[CheckResult, ...], _KeptVerification):
        _adapter(kind)


@cache
def _adapter(kind: Any) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter  # late: not on the way to the baseline

    return TypeAdapter(kind)


def _pack(kind: Any, value: object) -> bytes:
    plain = _adapter(kind).dump_python(value, mode="json")
    return zlib.compress(json.dumps(plain, ensure_ascii=True, separators=(",", ":")).encode("ascii"), _LEVEL)


def _unpack(kind: Any, content: bytes) -> Any:
    try:
        return _adapter(kind).validate_python(json.loads(_decompressed(content)))
    except (zlib.error, ValueError) as error:  # pydantic's error is a ValueError
        raise JournalDamaged(f"what the checks showed was not kept whole: {str(error).splitlines()[0]}") from error


def _decompressed(content: bytes) -> bytes:
    unpacking = zlib.decompressobj()
    text = unpacking.decompress(content, UNPACKED_LIMIT)
    if not unpacking.eof:
        raise ValueError("cut off, or too large")
    return text
