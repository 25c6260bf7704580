"""Any command: exit code 0 is good, any other is bad. It names no tests, so it proves the least."""

from collections.abc import Mapping, Sequence

from autofix.checks.result import Check
from autofix.checks.runners.runner import Invocation, Left, Picture, ProjectFiles

narrows = False
spoken = None


def recognises(words: Sequence[str]) -> bool:  # noqa: ARG001 - the Runner protocol's shape
    return True


def detect(files: ProjectFiles) -> tuple[str, str] | None:  # noqa: ARG001 - the Runner protocol's shape
    return None


def invocations(
    check: Check,
    tests: Sequence[str],  # noqa: ARG001 - there are no tests to choose from
    report: str,  # noqa: ARG001 - there is no report
) -> tuple[Invocation, ...]:
    return (Invocation(check.command),)


def injection(report: str, present: Mapping[str, str]) -> Mapping[str, str] | None:  # noqa: ARG001 - protocol
    return None


def missing(check: Check, output: str, tests: Sequence[str]) -> frozenset[str]:  # noqa: ARG001 - protocol
    return frozenset()


def parse(left: Left) -> Picture:  # noqa: ARG001 - the exit code is judged where every runner's is
    return Picture(cases=(), report=False)
