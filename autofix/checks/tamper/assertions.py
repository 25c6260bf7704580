"""Assertions of each test and test helper, before and after: gone, made weaker, or changed."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.python_code import Function, functions, tests_of
from autofix.checks.tamper.strength import Assertion, Strength, assertions


def weakened_assertions(patch: PatchFiles) -> Iterator[Finding]:
    for file in patch.test_files:
        if file.old is None or file.new is None:
            continue
        before, after = dict(functions(file.old)), dict(functions(file.new))
        added = tests_of(file.new).items() - tests_of(file.old).items()
        moved = Counter(one.shape for name, function in added if name not in before for one in assertions(function))
        for name, function in before.items():
            if name in after:
                yield from _compare(file, name, function, after[name], moved)


@dataclass(frozen=True, slots=True)
class _Difference:
    gone: list[Assertion]
    new: list[Assertion]
    left: int
    """Assertions of the new function that can fail at all."""


def _compare(file: ChangedFile, name: str, old: Function, new: Function, moved: Counter[str]) -> Iterator[Finding]:
    change = _difference(assertions(old), assertions(new))
    if not change.gone:
        return
    line = new.lineno
    if not change.new and Counter(one.shape for one in change.gone) <= moved:
        message = f"{name}: {len(change.gone)} assertions are in a test of their own now"
        yield Finding("assertions-moved", file.path, line, Severity.ASK, message)
        return

    def found(rule: str, severity: Severity, message: str, at: int = line) -> Finding:
        return Finding(rule, file.path, at, severity, f"{name}: {message}")

    if not change.left and any(assertion.strength > Strength.NONE for assertion in change.gone):
        yield found("assertions-removed", Severity.TAMPERING, "nothing is asserted any more")
        return
    if not change.new:
        yield found("assertions-removed", Severity.TAMPERING, f"{len(change.gone)} assertions removed or unreachable")
        return
    for before, after in zip(change.gone, change.new, strict=False):
        if after.strength < before.strength:
            empty = after.strength <= Strength.SOMETHING < before.strength or after.strength is Strength.NONE
            severity = Severity.TAMPERING if empty else Severity.ASK
            message = f"`{before.text}` became `{after.text}`, which says less"
            yield found("assertion-weakened", severity, message, after.line)
        elif "match=" in before.text and "match=" not in after.text:
            message = f"`{before.text}` became `{after.text}`: any text will do"
            yield found("assertion-weakened", Severity.ASK, message, after.line)
        else:
            message = f"`{before.text}` became `{after.text}`"
            yield found("expectation-changed", Severity.ASK, message, after.line)
    if len(change.gone) > len(change.new):
        message = f"{len(change.gone)} assertions became {len(change.new)}"
        yield found("assertions-fewer", Severity.ASK, message)


def _difference(before: list[Assertion], after: list[Assertion]) -> _Difference:
    kept = Counter(one.shape for one in before) & Counter(one.shape for one in after)
    return _Difference(
        _without(before, kept), _without(after, kept), sum(one.strength > Strength.NONE for one in after)
    )


def _without(all_: list[Assertion], kept: Counter[str]) -> list[Assertion]:
    left = Counter(kept)
    rest = []
    for one in all_:
        if left[one.shape] > 0:
            left[one.shape] -= 1
        else:
            rest.append(one)
    return rest
