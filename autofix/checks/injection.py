"""What checks show through commands that are not ours to change: the model's own test commands.

Every command gets an environment by which runners leave a report, outside the tree. Of a runner that knows no such way
its usual words are read, as far as they name cases of the head; and of a check's own command how it ended.
"""

from collections.abc import Mapping, Sequence

from autofix.checks.detect import runner_for
from autofix.checks.report_file import located, report_name, taken
from autofix.checks.result import Case, Check, CheckResult, Outcome
from autofix.checks.run import runner_of
from autofix.checks.runners.runner import Picture, Runner
from autofix.ports.sandbox import CommandResult, Sandbox


class ReportInjection:
    """`environment` for every command, `hear` after it; `collect` then tells what runners left and said.

    Results are partial: only the tests that ran are in them. Where two checks share a runner we cannot tell whose tests
    ran, and read neither reports nor words.

    Args:
        before: the checks at the head, which say what cases there are.
    """

    def __init__(self, checks: Sequence[Check], sandbox: Sandbox, before: Sequence[CheckResult] = ()) -> None:
        self._sandbox = sandbox
        self._before = {result.check: result for result in before}
        self._reports: list[tuple[str, Check, Runner]] = []
        self._silent: list[Check] = []
        self._heard: list[CheckResult] = []
        self._alone = {check.name for check in checks if sum(other.runner == check.runner for other in checks) == 1}
        environment: dict[str, str] = {}
        for check in checks:
            runner = runner_of(check)
            name = report_name()
            variables = runner.injection(f"{sandbox.scratch}/{name}", check.environment)
            if variables is not None and check.name in self._alone:
                environment.update(variables)
                self._reports.append((name, check, runner))
            else:
                self._silent.append(check)
        self._environment = environment

    @property
    def environment(self) -> Mapping[str, str]:
        return self._environment

    def hear(self, command: str, ran: CommandResult) -> None:
        """A command has ended. One that was cut short, or whose words were cut, is not listened to."""
        if not ran.timed_out and not ran.tail:
            heard = (self._told(check, command, ran) for check in self._silent if check.name in self._before)
            self._heard += [result for result in heard if result is not None]

    def collect(self) -> tuple[CheckResult, ...]:
        """What the commands so far showed; their reports are removed. Empty when no tests ran that we could see."""
        heard, self._heard = self._heard, []
        return (
            *heard,
            *(
                _partial(check, picture)
                for name, check, runner in self._reports
                if (left := taken(check, self._sandbox, name)).report is not None
                and (picture := runner.parse(left)).report
                and picture.cases
            ),
        )

    def _told(self, check: Check, command: str, ran: CommandResult) -> CheckResult | None:
        before = self._before[check.name]
        own = _is_own(command, check)
        if own and ran.exit_code == 0:
            cases = tuple(Case(id_, Outcome.PASSED) for id_ in before.cases)
            return _partial(
                check, Picture(() if before.complaints else cases, report=True, complaints=before.complaints)
            )
        spoken = runner_of(check).spoken
        if spoken is not None and check.name in self._alone and runner_for(command) == check.runner:
            picture = spoken(command, ran.text, before.cases.keys())
            known = tuple(case for case in picture.cases if case.id in before.cases)
            if picture.complaints:  # all there are, where the whole was asked about
                return _partial(check, picture) if own and picture.report else None
            return _partial(check, Picture(known, report=True)) if known else None
        if own and check.name in before.cases:
            return _partial(check, Picture((Case(check.name, Outcome.FAILED),), report=True))
        return None


def _is_own(command: str, check: Check) -> bool:
    """Whether the very check was run: its words, where it runs."""
    here = check.directory in {"", "."}
    wanted = check.command.strip() if here else f"cd {check.directory} && {check.command.strip()}"
    return command.strip() == wanted


def _partial(check: Check, picture: Picture) -> CheckResult:
    cases = {case.id: case for case in located(picture.cases, check.directory)}
    exit_code = int(any(case.outcome.failing for case in cases.values()))
    return CheckResult(check.name, cases, exit_code, report=True, notes=picture.notes, complaints=picture.complaints)
