"""What autofix has already spent on one pull request, over its whole life.

It is kept twice: as hidden data in the comment, and as a trailer of every commit autofix made. Each holds totals, and
the larger total counts, so that deleting or editing the comment does not start the count anew.
"""

import base64
import binascii
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation

from autofix.intake.fields import BadFieldError, Fields
from autofix.intake.own_marks import RUN_TRAILER, SPENT_TRAILER, is_own_commit, trailers
from autofix.ports.github import CommitSummary

_HIDDEN = re.compile(r"<!-- autofix:ledger:1 ([A-Z2-7=]{1,40000}) -->")
_SPENT = re.compile(r"runs=(\d{1,6}) usd=(\d{1,9}(?:\.\d{1,6})?)")

_KEPT_RUNS = 20
"""Runs listed one by one; older ones live on in the totals."""

_CENT = Decimal("0.0001")


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run. `head` is the commit it worked on."""

    id: str
    head: str
    at: datetime
    usd: Decimal


@dataclass(frozen=True, slots=True)
class Ledger:
    """Totals over the pull request's life, and the latest runs, oldest first."""

    runs: int = 0
    usd: Decimal = Decimal(0)
    recent: tuple[RunRecord, ...] = ()

    def with_run(self, record: RunRecord) -> "Ledger":
        """One run more; a run already listed is replaced, so that writing it twice counts once."""
        others = tuple(run for run in self.recent if run.id != record.id)
        old = next((run for run in self.recent if run.id == record.id), None)
        return Ledger(
            self.runs + (old is None),
            self.usd + record.usd - (old.usd if old else 0),
            (*others, record)[-_KEPT_RUNS:],
        )

    def runs_since(self, moment: datetime) -> int:
        return sum(run.at >= moment for run in self.recent)

    def worked_on(self, head: str) -> bool:
        return any(run.head == head for run in self.recent)


def merged(one: Ledger, other: Ledger) -> Ledger:
    """The larger totals, and every run either of them lists; of a run in both, `one`'s record."""
    runs = {run.id: run for run in (*other.recent, *one.recent)}
    recent = tuple(sorted(runs.values(), key=lambda run: run.at))[-_KEPT_RUNS:]
    return Ledger(max(one.runs, other.runs, len(recent)), max(one.usd, other.usd), recent)


def encode(ledger: Ledger) -> str:
    """The hidden line of the comment."""
    data = {
        "runs": ledger.runs,
        "usd": str(ledger.usd.quantize(_CENT)),
        "recent": [
            {"id": run.id, "head": run.head, "at": run.at.isoformat(), "usd": str(run.usd.quantize(_CENT))}
            for run in ledger.recent
        ],
    }
    packed = base64.b32encode(json.dumps(data, separators=(",", ":")).encode())  # no `-` that could end the comment
    return f"<!-- autofix:ledger:1 {packed.decode()} -->"


def decode(body: str) -> Ledger | None:
    """The ledger a comment hides; None where it has none or it was damaged."""
    found = _HIDDEN.search(body)
    if found is None:
        return None
    try:
        data = json.loads(base64.b32decode(found[1]))
        return _ledger(Fields(data, "ledger"))
    except (binascii.Error, ValueError, BadFieldError, InvalidOperation):
        return None


def from_commits(commits: Iterable[CommitSummary]) -> Ledger:
    """What our own commits on the pull request say was spent. Their trailers hold totals, so the latest is enough."""
    ledger = Ledger()
    for commit in commits:
        if not is_own_commit(commit):
            continue
        named = trailers(commit.message)
        spent = _SPENT.fullmatch(named.get(SPENT_TRAILER, ""))
        runs, usd = (int(spent[1]), Decimal(spent[2])) if spent else (0, Decimal(0))
        recent = ledger.recent
        if commit.committed_at is not None:
            recent = (*recent, RunRecord(named[RUN_TRAILER], "", commit.committed_at, Decimal(0)))
        ledger = Ledger(max(ledger.runs + 1, runs), max(ledger.usd, usd), recent[-_KEPT_RUNS:])
    return ledger


def spent_trailer(ledger: Ledger) -> str:
    """The value of the `Autofix-Spent` trailer."""
    return f"runs={ledger.runs} usd={ledger.usd.quantize(_CENT)}"


def _ledger(data: Fields) -> Ledger:
    recent = tuple(
        RunRecord(run.text("id"), run.text("head"), run.time("at"), _money(run.text("usd")))
        for run in data.each("recent")
    )
    return Ledger(max(0, data.number("runs")), _money(data.text("usd")), recent[-_KEPT_RUNS:])


def _money(text: str) -> Decimal:
    value = Decimal(text)
    if not value.is_finite() or value < 0:
        raise BadFieldError(f"{text[:40]!r} is no amount of money")
    return value
