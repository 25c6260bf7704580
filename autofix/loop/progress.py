"""Whether the run gets anywhere, measured by the harness and never by the model's word.

The failing set is a map from case to last seen outcome, fed by every structured report, also from test commands the
model ran itself; a report updates only the cases it shows. Progress means that the lowest failing count ever seen
went down. An attempt is a measurement of a tree that differs from the one measured before, or the model's claim to
be done. Flat counts and oscillation (3-2-3-2) are the same thing here: attempts without a new best.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autofix.checks.passing import passes
from autofix.checks.result import CHECK_DID_NOT_RUN, CaseKey, CheckResult

MOST_WHOLES = 200
"""More failing cases that a report does not tell of are tests, not files, which are looked for in all of it."""
SAME_RESULT_LIMIT = 3
"""The same call with the same result, the tree unchanged in between, this many times: the model is stuck."""
SAME_STATE_LIMIT = 3
"""Edits that bring the tree to one and the same state this many times: the model undoes and redoes."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One measured attempt.

    Attributes:
        attempt: counted from 1.
        failing: how many cases of the goal (and newly broken ones) fail now.
        best: the lowest count so far.
        without_new_best: attempts since the best went down.
    """

    attempt: int
    failing: int
    best: int
    without_new_best: int


class Progress:
    """The account of one task's attempts.

    Args:
        failing: the goal: what fails at the head.
        ignored: cases that never count (flaky, pre-existing).
        patience: attempts without a new best that end the task.
        start: digest of the untouched tree, which counts as measured.
    """

    def __init__(self, failing: Iterable[CaseKey], ignored: Iterable[CaseKey], *, patience: int, start: str) -> None:
        self._failing = set(failing)
        self._ignored = frozenset(ignored)
        self._patience = patience
        self._measured = [start]
        self._visits = Counter([start])
        self._last_state = start
        self._results: Counter[tuple[str, str]] = Counter()
        self._stuck = ""
        self.history: list[Measure] = []
        self._best = len(self._failing)
        self._stale = 0

    @property
    def failing(self) -> frozenset[CaseKey]:
        return frozenset(self._failing)

    @property
    def best(self) -> int:
        return self._best

    def saw_state(self, digest: str) -> None:
        """The tree may have changed: `digest` is over the scope's contents."""
        if digest == self._last_state:
            return
        self._last_state = digest
        self._results.clear()
        self._visits[digest] += 1
        if self._visits[digest] >= SAME_STATE_LIMIT:
            self._stuck = f"the same edits were undone and redone {SAME_STATE_LIMIT} times"

    def saw_call(self, call: str, result: str) -> None:
        """A call (name and input) ended with a result; both as hashes or text."""
        self._results[call, result] += 1
        if self._results[call, result] >= SAME_RESULT_LIMIT:
            self._stuck = f"the same call gave the same result {SAME_RESULT_LIMIT} times"

    def saw_results(self, results: Iterable[CheckResult], digest: str, *, claim: bool = False) -> Measure | None:
        """Reports came in for the tree in state `digest`; the measured attempt, or None where it was none.

        Args:
            results: whole or partial.
            digest: of the scope's contents when they were made.
            claim: the model said it is done, which is an attempt even where the tree did not change.
        """
        seen = False
        for result in results:
            seen = True
            self._update(result)
        if not (seen or claim) or (digest == self._measured[-1] and not claim):
            return None
        if digest in self._measured[:-1] and digest != self._measured[-1]:
            self._stuck = "the tree is back in a state that was measured before"
        self._measured.append(digest)
        return self._attempt()

    def stop_reason(self) -> str | None:
        """Why going on is pointless, in words; None while it is not."""
        if self._stuck:
            return self._stuck
        if self._stale >= self._patience:
            counts = "-".join(str(measure.failing) for measure in self.history[-self._patience :])
            return f"{self._stale} measured attempts without a new best (failing {counts}, best {self._best})"
        return None

    def _update(self, result: CheckResult) -> None:
        if result.complaints:
            self._failing = {key for key in self._failing if key.check != result.check}
        if result.not_run is None:
            self._failing.discard(CaseKey(result.check, CHECK_DID_NOT_RUN))
        for id_, case in result.cases.items():
            key = CaseKey(result.check, id_)
            if case.outcome.failing and key not in self._ignored:
                self._failing.add(key)
            else:
                self._failing.discard(key)
        self._failing -= set(self._mended_wholes(result))

    def _mended_wholes(self, result: CheckResult) -> Iterator[CaseKey]:
        """Files and suites that could not be run, and whose tests ran and pass now."""
        if result.complaints:
            return
        tolerated = {ignored.case for ignored in self._ignored if ignored.check == result.check}
        told = result.cases.keys() | {result.check, CHECK_DID_NOT_RUN}
        untold = [key for key in self._failing if key.check == result.check and key.case not in told]
        if len(untold) <= MOST_WHOLES:
            yield from (key for key in untold if passes(result, key.case, tolerated))

    def _attempt(self) -> Measure:
        failing = len(self._failing)
        if failing < self._best:
            self._best, self._stale = failing, 0
        else:
            self._stale += 1
        measure = Measure(len(self.history) + 1, failing, self._best, self._stale)
        self.history.append(measure)
        return measure
