"""What the fix stage hands to the deliver stage: one JSON document, bound to one commit of one pull request by a hash.

The hash goes from job to job by the workflow's own outputs, the document by an artifact, which others may have written.
So nothing in it is believed but what the hash, the API and git at that commit confirm.
"""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from autofix.delivery.patch import Patch, PatchLimits
from autofix.errors import UsageError
from autofix.harness.protected import never_editable
from autofix.harness.scope import Scope
from autofix.intake.fields import BadFieldError, Fields
from autofix.state.outcome import Outcome

SCHEMA_VERSION = 1
BUNDLE_FILE = "bundle.json"
SIZE_LIMIT = 4 * 1024 * 1024
"""Bytes; a patch within its limits is a tenth of a MiB."""

_RUN_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{6}")
_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """One run's result.

    Attributes:
        repository, pull, head: what it is about; `head` is the commit it was verified on.
        before: failing cases at the head.
        patch: a unified diff; empty where the outcome is not FIXED.
    """

    run_id: str
    repository: int
    pull: int
    head: str
    outcome: Outcome
    reason: str
    before: int
    usd: Decimal
    patch: bytes


def pack(bundle: Bundle) -> tuple[bytes, str]:
    """The document and its SHA-256."""
    told = {
        "schema_version": SCHEMA_VERSION,
        "run_id": bundle.run_id,
        "repository": bundle.repository,
        "pull": bundle.pull,
        "head": bundle.head,
        "outcome": bundle.outcome.value,
        "reason": bundle.reason,
        "before": bundle.before,
        "usd": str(bundle.usd),
        "patch": base64.b64encode(bundle.patch).decode("ascii"),
    }
    data = json.dumps(told, indent=1).encode()
    return data, hashlib.sha256(data).hexdigest()


def unpack(data: bytes, sha256: str) -> Bundle:
    """The bundle.

    Raises:
        UsageError: it is not the one the hash is of, or no bundle at all.
    """
    if len(data) > SIZE_LIMIT:
        raise UsageError(f"the bundle has more than {SIZE_LIMIT} bytes")
    if hashlib.sha256(data).hexdigest() != sha256:
        raise UsageError("the bundle is not the one the fix stage made: its hash differs from the input 'bundle-hash'")
    try:
        return _bundle(Fields(json.loads(data), "bundle"))
    except (ValueError, RecursionError, BadFieldError, InvalidOperation, binascii.Error) as error:
        raise UsageError(f"the bundle cannot be read: {error}") from error


def _bundle(told: Fields) -> Bundle:
    if told.number("schema_version") != SCHEMA_VERSION:
        raise BadFieldError(f"bundle.schema_version is not {SCHEMA_VERSION}: use one version of autofix in both jobs")
    run_id, head, usd = told.text("run_id"), told.text("head"), Decimal(told.text("usd"))
    if not (_RUN_ID.fullmatch(run_id) and _OBJECT_ID.fullmatch(head)):
        raise BadFieldError("bundle.run_id or bundle.head is none")
    if not (usd.is_finite() and usd >= 0 and told.number("before") >= 0):
        raise BadFieldError("bundle.usd or bundle.before is negative")
    return Bundle(
        run_id=run_id,
        repository=told.number("repository"),
        pull=told.number("pull"),
        head=head,
        outcome=Outcome(told.text("outcome")),
        reason=told.text("reason"),
        before=told.number("before"),
        usd=usd,
        patch=base64.b64decode(told.text("patch"), validate=True),
    )


def misfit(patch: Patch, scope: Scope, listed: Collection[str] | None, limits: PatchLimits) -> str:
    """Why a patch may not be delivered, "" where it may.

    Args:
        patch: as git applies it to the head.
        scope: computed here, from the pull request's own commits and the base's configuration.
        listed: the paths that the API says the pull request changes; None where it cannot list them all.
        limits: of the base's configuration.
    """
    for path in sorted(patch.files):
        if path not in scope or never_editable(path):
            return f"{path!a} is out of scope"
        if listed is not None and path in scope.paths and path not in listed:
            return f"{path!a} is not among the files of the pull request"
    if patch.protected:
        path, why = next(iter(patch.protected.items()))
        return f"{path!a} may be changed only with a person's word: {why}"
    sizes = (
        (len(patch.files), limits.files),
        (patch.changed_lines, limits.changed_lines),
        (len(patch.text), limits.size),
    )
    if any(size > limit for size, limit in sizes):
        return "the patch is larger than the base's configuration allows"
    return ""
