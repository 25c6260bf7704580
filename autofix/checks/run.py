"""One check in a sandbox: the report asked for, the command run, the report read, and the worse of the two believed."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace

from autofix.checks.report_file import located, report_name, taken
from autofix.checks.result import CHECK_DID_NOT_RUN, Case, Check, CheckResult, NotRun, Outcome
from autofix.checks.runners import RUNNERS
from autofix.checks.runners.reported import reported
from autofix.checks.runners.runner import Left, Picture, Runner
from autofix.errors import UsageError
from autofix.ports.sandbox import CommandResult, Sandbox, ShellCommand

OUTPUT_LIMIT = 256 * 1024
"""Bytes kept of a check's output, half of them from the end: the report says the rest."""

NAMES_LIMIT = 24 * 1024
"""Characters of tests that are named: the script, one argument, has 128 KiB at most, and a name up to four times."""

_EXIT_CANNOT_EXECUTE, _EXIT_NOT_FOUND, _EXIT_KILLED = 126, 127, 137
"""The shell's codes; 137 is SIGKILL, which is how a sandbox's memory limit ends a process."""
_UNKNOWN_ROUNDS = 8
"""Runs to find out which of some ids exist: pytest names unknown files one at a time."""
_DISK_FULL = "No space left on device"
_SAID_LAST = (
    (re.compile(r"\bError 127\b|: command not found$|exit status 127\b"), NotRun.COMMAND_NOT_FOUND),
    (re.compile(r"\bKilled$|\bSIGKILL\b|\bError 137\b|\bsignal: killed\b|exit status 137\b"), NotRun.OUT_OF_MEMORY),
)
"""What make, npm, tox, go and the like say of a program that they started, before they end with a code of their own."""
_LAST_LINES = 5


def run_check(check: Check, sandbox: Sandbox, *, tests: Sequence[str] = ()) -> CheckResult:
    """Run the check, or only the named cases of it; the whole of it, where they are too many to be named.

    Raises:
        SandboxBroken: the sandbox failed, which says nothing about the check.
        UsageError: the check names a runner we do not know.
    """
    runner = runner_of(check)
    tests = tests if sum(map(len, tests)) < NAMES_LIMIT else ()
    name = report_name()
    first: CheckResult | None = None
    for invocation in runner.invocations(check, tests, f"{sandbox.scratch}/{name}"):
        ran = sandbox.run(
            ShellCommand(
                _in_directory(check.directory, invocation.script),
                timeout=check.timeout,
                environment={**check.environment, **invocation.environment},
                output_limit=OUTPUT_LIMIT,
            )
        )
        left = replace(taken(check, sandbox, name), exit_code=ran.exit_code, output=ran.text)
        result = _judge(check, ran, _picture(runner, left, ran))
        refused = result.not_run is NotRun.USAGE and not runner.missing(check, ran.text, tests)
        if not refused:
            return result
        first = first or result
    assert first is not None, "a runner offers at least one invocation"
    return first


def run_known(check: Check, sandbox: Sandbox, tests: Sequence[str]) -> CheckResult:
    """Run the named cases as far as the tree has them: ids the runner does not know are left out.

    Where none is left, the result says that nothing was collected.
    """
    runner = runner_of(check)
    known = list(tests)
    result = run_check(check, sandbox, tests=known)
    for _ in range(_UNKNOWN_ROUNDS):
        unknown = runner.missing(check, result.output, known) if result.not_run is NotRun.USAGE else frozenset()
        if not unknown:
            return result
        known = [test for test in known if test not in unknown]
        if not known:
            return replace(result, not_run=NotRun.NOTHING_COLLECTED)
        result = run_check(check, sandbox, tests=known)
    return result


def runner_of(check: Check) -> Runner:
    if check.report is not None:
        return reported(check.report)
    runner = RUNNERS.get(check.runner)
    if runner is None:
        raise UsageError(f"check {check.name}: no runner is named {check.runner!r}; known: {', '.join(RUNNERS)}")
    return runner


def _in_directory(directory: str, script: str) -> str:
    return script if directory in {"", "."} else f"cd {shlex.quote(directory)} || exit {_EXIT_CANNOT_EXECUTE}\n{script}"


def _picture(runner: Runner, left: Left, ran: CommandResult) -> Picture:
    picture = runner.parse(left)
    if left.report_cut and left.report is not None:
        note = f"the report is larger than {len(left.report) // 2**20} MiB; the rest was not read"
        picture = replace(picture, notes=(*picture.notes, note))
    return replace(picture, not_run=_why_not_run(ran, picture))


def _why_not_run(ran: CommandResult, picture: Picture) -> NotRun | None:
    if ran.timed_out:
        return NotRun.TIMEOUT
    if ran.exit_code == _EXIT_KILLED:
        return NotRun.OUT_OF_MEMORY
    if not picture.report and ran.exit_code in {_EXIT_CANNOT_EXECUTE, _EXIT_NOT_FOUND}:
        return NotRun.COMMAND_NOT_FOUND
    if not picture.report and ran.exit_code != 0 and _DISK_FULL in ran.text:
        return NotRun.DISK_FULL
    return picture.not_run or (None if picture.report or ran.exit_code == 0 else _said_last(ran.text))


def _said_last(text: str) -> NotRun | None:
    lines = [line.rstrip() for line in text[-_LAST_LINES * 500 :].splitlines() if line.strip()][-_LAST_LINES:]
    return next((why for said, why in _SAID_LAST if any(said.search(line) for line in lines)), None)


def _judge(check: Check, ran: CommandResult, picture: Picture) -> CheckResult:
    notes = list(picture.notes)
    if picture.not_run is not None:
        cases = {CHECK_DID_NOT_RUN: _did_not_run(picture.not_run, ran, check)}
    else:
        cases = {case.id: case for case in located(picture.cases, check.directory)}
        failing = any(case.outcome.failing for case in cases.values())
        if not cases:
            cases = {check.name: _whole(check, ran)}
        elif ran.exit_code != 0 and not failing:
            message = f"exit code {ran.exit_code} although the report shows no failure"
            cases[check.name] = Case(check.name, Outcome.FAILED, message, _tail(ran))
            notes.append(f"{message}: the exit code is believed")
        elif ran.exit_code == 0 and failing:
            notes.append("exit code 0 although the report shows failures: the report is believed")
        if not picture.report and check.runner != "exit-code":
            notes.append("there is no report: the exit code alone is known")
    return CheckResult(
        check.name,
        cases,
        ran.exit_code,
        report=picture.report and picture.not_run is None,
        not_run=picture.not_run,
        notes=tuple(notes),
        output=ran.text,
        complaints=picture.complaints and picture.not_run is None,
        seconds=ran.seconds,
    )


def _did_not_run(why: NotRun, ran: CommandResult, check: Check) -> Case:
    detail = f"after {check.timeout:.0f} s" if why is NotRun.TIMEOUT else _last_line(ran)
    return Case(CHECK_DID_NOT_RUN, Outcome.ERROR, f"{why.value}: {detail}" if detail else why.value, _tail(ran))


def _whole(check: Check, ran: CommandResult) -> Case:
    if ran.exit_code == 0:
        return Case(check.name, Outcome.PASSED, seconds=ran.seconds)
    return Case(check.name, Outcome.FAILED, f"exit code {ran.exit_code}: {_last_line(ran)}", _tail(ran))


def _tail(ran: CommandResult) -> str:
    """The end of the output: 8,000 characters, as much as of a case's trace."""
    return ran.text[-8_000:]


def _last_line(ran: CommandResult) -> str:
    lines = [line.strip() for line in ran.text.splitlines() if line.strip()]
    return lines[-1][:500] if lines else ""
