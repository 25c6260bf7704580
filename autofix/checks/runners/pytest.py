"""pytest: asked for JUnit XML by PYTEST_ADDOPTS, its node ids rebuilt from the report, its exit codes told apart."""

import posixpath
import re
import shlex
import sys
from collections.abc import Mapping, Sequence

from autofix.checks.command import Word, program_at, simple_commands
from autofix.checks.reports.junit import JUnitCase, Problem, read_junit
from autofix.checks.reports.numbering import Numbering
from autofix.checks.result import Case, Check, NotRun, Outcome
from autofix.checks.runners.runner import Invocation, Left, Picture, ProjectFiles

_NAMES = frozenset({"pytest", "py.test"})
_VALUE_OPTIONS = frozenset(
    {"-k", "-m", "-c", "-p", "-o", "-n", "-W", "-r", "--maxfail", "--tb", "--durations", "--timeout", "--rootdir"}
    | {"--ignore", "--ignore-glob", "--deselect", "--cov", "--cov-report", "--cov-config", "--color", "--capture"}
    | {"--log-level", "--log-file", "--import-mode", "--confcutdir", "--basetemp", "--dist", "--numprocesses", "--tx"}
    | {"--config-file", "--override-ini", "--pythonwarnings", "--junitxml", "--junit-xml", "--junit-prefix", "--seed"}
    | {"--reruns", "--count", "--html", "--pdbcls", "--pyargs", "--log-cli-level", "--durations-min", "--verbosity"}
)
"""Options whose value may be the next word; any other word without a dash is a path to narrow away."""
_OWN_REPORT = re.compile(r"\s--junit-?xml(?:=|\s+)(?:'[^']*'|\"[^\"]*\"|[^\s;|&<>])+")
_REPORT = "-o junit_family=xunit1 -o junit_logging=no"
_WHOLE_PICTURE = "--maxfail=0 --continue-on-collection-errors"
"""Against an `-x` in the project's options, and so that one bad import does not hide the other files' tests."""
_NO_FILES = "-p no:cacheprovider"

_EXIT_INTERRUPTED, _EXIT_INTERNAL, _EXIT_USAGE, _EXIT_NOTHING = 2, 3, 4, 5
"""pytest.ExitCode, from pytest's reference."""
_NO_PYTEST = re.compile(r"No module named '?pytest'?\b")
_IN_CONFTEST = re.compile(r"while loading conftest|ConftestImportFailure|Error importing plugin")
_NOT_FOUND = re.compile(r"^ERROR: (?:file or directory )?not found: (.+?)(?: \(no match in any of .*)?$", re.MULTILINE)

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
_TEST_MODULE = re.compile(r"test_.*|.*_tests?|tests?|conftest")
_PASSED = Outcome.PASSED
_passed = Case._make  # as in `reports/junit.py`
_TEARDOWN = "failed on teardown"
_MESSAGE_LIMIT = 500
"""Characters of a case's one line."""

narrows = True
spoken = None


def recognises(words: Sequence[str]) -> bool:
    return program_at(tuple(Word(shlex.quote(word), 0) for word in words), _NAMES) is not None


def detect(files: ProjectFiles) -> tuple[str, str] | None:
    command = "python -m pytest -q"
    for path, mark in (("pytest.ini", ""), (".pytest.ini", ""), ("pytest.toml", ""), (".pytest.toml", "")):
        if path in files.paths and mark in files.text(path):
            return command, f"{path} is there"
    marks = (("pyproject.toml", "[tool.pytest"), ("tox.ini", "[pytest]"), ("setup.cfg", "[tool:pytest]"))
    for path, mark in marks:
        if mark in files.text(path):
            return command, f"{path} has {mark}{']' if not mark.endswith(']') else ''}"
    tests = sorted(path for path in files.paths if re.search(r"(^|/)(test_[^/]*|[^/]*_test)\.py$", path))
    if "conftest.py" in files.paths or any(path.endswith("/conftest.py") for path in files.paths):
        return command, "conftest.py is there"
    for path in tests[:200]:
        if re.search(
            r"^\s*(import pytest|from pytest import|(async )?def test_\w*\((?!self))", files.text(path), re.MULTILINE
        ):
            return command, f"{path} holds pytest tests"
    return None


def invocations(check: Check, tests: Sequence[str], report: str) -> tuple[Invocation, ...]:
    script = _OWN_REPORT.sub("", f" {check.command}").strip()
    if tests:
        script = _narrowed(script, [_here(test, check.directory) for test in tests])
    whole = injection(report, check.environment)
    plain = _options(check.environment, f"--junitxml={report} {_REPORT}")
    return Invocation(script, whole), Invocation(script, plain), Invocation(script)


def injection(report: str, present: Mapping[str, str]) -> Mapping[str, str]:
    return _options(present, f"--junitxml={report} {_REPORT} {_NO_FILES} {_WHOLE_PICTURE}")


def _options(present: Mapping[str, str], options: str) -> dict[str, str]:
    return {"PYTEST_ADDOPTS": f"{present.get('PYTEST_ADDOPTS', '')} {options}".strip()}


def _here(test: str, directory: str) -> str:
    """The id as an argument where the check runs. pytest names files from its root, which may lie above that place."""
    below, whole = _inside(test, directory), shlex.quote(test)
    if below == test:
        return whole
    file = shlex.quote(test.partition("::")[0])
    return f'"$(if [ -e {file} ]; then printf %s {whole}; else printf %s {shlex.quote(below)}; fi)"'


def _inside(test: str, directory: str) -> str:
    place = posixpath.normpath(directory)
    return test if place == "." else test.removeprefix(f"{place}/")


def _narrowed(script: str, tests: Sequence[str]) -> str:
    """The command with its paths replaced by arguments; unchanged where we cannot read it (it then runs all tests)."""
    for command in reversed(simple_commands(script) or ()):
        at = program_at(command, _NAMES)
        if at is None:
            continue
        paths = [
            word
            for before, word in zip(command[at:], command[at + 1 :], strict=False)
            if not word.value.startswith("-") and before.value not in _VALUE_OPTIONS
        ]
        end = command[-1].end
        script = f"{script[:end]} {' '.join(tests)}{script[end:]}"
        for word in reversed(paths):
            script = script[: word.start].rstrip(" ") + script[word.end :]
        return script
    return script


def missing(check: Check, output: str, tests: Sequence[str]) -> frozenset[str]:
    unknown = {match.strip() for match in _NOT_FOUND.findall(output)}
    names = {test: {test, _inside(test, check.directory)} for test in tests}
    return frozenset(test for test in tests if any(_is(name, own) for name in unknown for own in names[test]))


def _is(unknown: str, test: str) -> bool:
    return unknown == test or unknown.endswith(f"/{test}") or _in_file(unknown, test)


def _in_file(unknown: str, test: str) -> bool:
    file = test.partition("::")[0]
    return "::" not in unknown and (unknown == file or unknown.endswith(f"/{file}"))


def parse(left: Left) -> Picture:
    if left.report is None:
        return Picture((), report=False, not_run=_why_no_report(left))
    cases = Cases()
    damage = read_junit(left.report, cases.keep)
    notes = (f"the report could be read only in part: {damage}",) if damage else ()
    if damage and not cases.found:
        return Picture((), report=False, not_run=_why_no_report(left), notes=notes)
    return Picture(tuple(cases.found.values()), report=True, not_run=_why_no_picture(left, cases), notes=notes)


def _why_no_report(left: Left) -> NotRun | None:
    if left.exit_code == _EXIT_NOTHING:
        return NotRun.NOTHING_COLLECTED
    if _NO_PYTEST.search(left.output):
        return NotRun.COMMAND_NOT_FOUND
    if _IN_CONFTEST.search(left.output):
        return NotRun.COLLECTION
    if left.exit_code == _EXIT_USAGE:
        return NotRun.USAGE
    return None if left.exit_code == 0 else NotRun.CRASHED


def _why_no_picture(left: Left, cases: "Cases") -> NotRun | None:
    if cases.internal_error or left.exit_code == _EXIT_INTERNAL:
        return NotRun.CRASHED
    if left.exit_code == _EXIT_USAGE:
        return NotRun.COLLECTION if _IN_CONFTEST.search(left.output) else NotRun.USAGE
    if not cases.found:
        return NotRun.CRASHED if left.exit_code == _EXIT_INTERRUPTED else NotRun.NOTHING_COLLECTED
    failing = any(case.outcome.failing for case in cases.found.values())
    return NotRun.CRASHED if left.exit_code == _EXIT_INTERRUPTED and not failing else None


class Cases:
    """Testcases as they come, by node id."""

    def __init__(self) -> None:
        self.found: dict[str, Case] = {}
        self._unique = Numbering(self.found)
        self.internal_error = False
        self._places: dict[tuple[str, str], tuple[str, str]] = {}

    def keep(self, raw: JUnitCase) -> None:
        classname, name, file, line, seconds, _, problems = raw
        if not classname:
            self._keep_file(raw)
            return
        if name == "internal" and classname == "pytest":
            self.internal_error = True
            return
        place = self._places.get((classname, file))
        if place is None:  # kept, as most cases share theirs with others
            place = self._places[classname, file] = node_prefix(classname, file), file
        prefix, file = place
        id_ = prefix + (_ADDRESS.sub("0x", name) if "0x" in name else name)
        if id_ in self.found:
            self._keep_again(id_, raw)
        elif problems:
            self.found[id_] = _case(id_, raw)
        else:
            self.found[id_] = _passed((id_, _PASSED, "", "", file, None if line is None else line + 1, seconds))

    def _keep_file(self, raw: JUnitCase) -> None:
        """A file that could not be collected, or was skipped whole; its id is its path.

        A testcase without any name is a test that was interrupted: pytest opens its case and never names it.
        """
        if raw.name:
            id_ = raw.file or f"{raw.name.replace('.', '/')}.py"
            self.found[id_] = _case(id_, raw)

    def _keep_again(self, id_: str, raw: JUnitCase) -> None:
        if any(problem.message.startswith(_TEARDOWN) for problem in raw.problems):
            self.found[id_] = _with_teardown(self.found[id_], raw)
        else:
            id_ = self._unique(id_)
            self.found[id_] = _case(id_, raw)


def node_prefix(classname: str, file: str) -> str:
    """`path::Class::` from what the report keeps of it.

    The report has the node id's path with dots for `/` and `::`, and the file where the test's code is, which for an
    inherited test is another one than the id's; then the path is told from the classes by the names' habits.
    """
    module = file.removesuffix(".py").replace("/", ".")
    if classname == module:
        return f"{file}::"
    if file and classname.startswith(f"{module}."):
        return "::".join((file, *classname[len(module) + 1 :].split("."), ""))
    parts = classname.split(".")
    first_class = next((index for index, part in enumerate(parts) if part[:1].isupper()), len(parts))
    modules = [index for index, part in enumerate(parts[:first_class]) if _TEST_MODULE.fullmatch(part)]
    end = modules[-1] + 1 if modules else max(first_class, 1)
    return "::".join((f"{'/'.join(parts[:end])}.py", *parts[end:], ""))


def _case(id_: str, raw: JUnitCase) -> Case:
    line, file = None if raw.line is None else raw.line + 1, sys.intern(raw.file)
    if not raw.problems:
        return Case(id_, _PASSED, "", "", file, line, raw.seconds)
    outcome = _outcome(raw.problems)
    told = raw.problems if len(raw.problems) == 1 else _told(raw.problems)
    message = _message(told[0])
    if len(told) > 1:
        message = f"{message} (and {len(told) - 1} more)"
    trace = "\n\n".join([problem.text for problem in told]) if outcome.failing else ""
    return Case(id_, outcome, message, trace, file, line, raw.seconds)


def _told(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """Those that say why; a skip does only where it is alone."""
    return tuple(problem for problem in problems if problem.kind != "skipped") or problems


def _outcome(problems: tuple[Problem, ...]) -> Outcome:
    kinds = [problem.kind for problem in problems]
    if "failure" in kinds:
        return Outcome.FAILED
    if "error" in kinds:
        return Outcome.ERROR
    return Outcome.XFAILED if any(problem.type == "pytest.xfail" for problem in problems) else Outcome.SKIPPED


def _message(problem: Problem) -> str:
    """One line: the report's message, or where that says only when it happened, the error's own last line."""
    if problem.message in {"", "collection failure"} or problem.message.startswith("failed on setup"):
        errors = [line[1:].strip() for line in problem.text.splitlines() if line.startswith("E ")]
        if errors:
            return errors[-1][:_MESSAGE_LIMIT]
    return problem.message.partition("\n")[0].strip()[:_MESSAGE_LIMIT]


def _with_teardown(earlier: Case, raw: JUnitCase) -> Case:
    """Pytest reports a failed test whose teardown fails too as two testcases of the same name; it is one case."""
    teardown = "\n\n".join(problem.text for problem in raw.problems)
    outcome = earlier.outcome if earlier.outcome.failing else Outcome.ERROR
    message = earlier.message if earlier.outcome.failing else _message(raw.problems[0])
    return Case(
        earlier.id,
        outcome,
        message,
        f"{earlier.trace}\n\n{teardown}".strip(),
        earlier.file,
        earlier.line,
        earlier.seconds,
    )
