"""A runner told by a few values: which programs it is, how it is asked for a report, how that is read.

For runners that take no test's id on their command line, so that a check always runs whole.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from autofix.checks.command import Word, program_at, simple_commands
from autofix.checks.result import Check
from autofix.checks.runners.runner import Invocation, Left, Picture, ProjectFiles, Spoken

Detection = tuple[str, str] | None
"""A command and why it was chosen."""


@dataclass(frozen=True, slots=True)
class SimpleRunner:
    """`runners.runner.Runner`.

    Attributes:
        programs: names of the programs; the first word of a command, or after launchers such as `npx`.
        parse: what a run left -> its cases.
        ways: (check, path of the report) -> how to run it, best first.
        verb: a word that must follow the program (`go test`); "" for none.
        found: what detection looks at; the command and why, or None.
        spoken: reads the usual output, where no variables ask for a report.
        variables: environment that makes any command of the runner leave its report at a path; None without one.
    """

    programs: frozenset[str]
    parse: Callable[[Left], Picture]
    ways: Callable[[Check, str], tuple[Invocation, ...]]
    verb: str = ""
    found: Callable[[ProjectFiles], Detection] = lambda _files: None
    variables: Callable[[str, Mapping[str, str]], Mapping[str, str]] | None = None
    spoken: Spoken | None = None
    narrows: bool = False

    def recognises(self, words: Sequence[str]) -> bool:
        return self._starts(tuple(Word.of(word) for word in words))

    def detect(self, files: ProjectFiles) -> Detection:
        return self.found(files)

    def invocations(self, check: Check, tests: Sequence[str], report: str) -> tuple[Invocation, ...]:  # noqa: ARG002
        return self.ways(check, report)

    def injection(self, report: str, present: Mapping[str, str]) -> Mapping[str, str] | None:
        return None if self.variables is None else self.variables(report, present)

    def missing(self, check: Check, output: str, tests: Sequence[str]) -> frozenset[str]:  # noqa: ARG002 - nothing is asked for by name
        return frozenset()

    def _starts(self, command: tuple[Word, ...]) -> bool:
        at = program_at(command, self.programs)
        return at is not None and (not self.verb or self.verb in {word.value for word in command[at + 1 :]})


def with_arguments(script: str, programs: frozenset[str], arguments: str, *, after: str = "") -> str | None:
    """The script with arguments for the last command of these programs; None where we cannot read it.

    They go to the end of the command, or right behind the word `after` (the program itself where it is "program").
    """
    for command in reversed(simple_commands(script) or ()):
        at = program_at(command, programs)
        if at is None:
            continue
        place = command[-1].end
        if after == "program":
            place = command[at].end
        elif after:
            place = next((word.end for word in command[at + 1 :] if word.value == after), place)
        return f"{script[:place]} {arguments}{script[place:]}"
    return None


def in_words(parse: Callable[[Left], Picture]) -> Spoken:
    """For a runner whose report is what it prints anyway."""
    return lambda _command, output, _known: parse(Left(output.encode(), 1, output))


WAIT_FOR_THE_CLOCK = "sleep 0.02"
"""So that a file system with coarse clocks still tells the start of a run from what follows."""


def captured(script: str, report: str) -> str:
    """A script whose whole output becomes the report, and is shown when it has ended."""
    return f"(\n{script}\n) > {report} 2>&1\ncode=$?\ncat {report}\nexit $code"


def gathered(script: str, report: str, found: str, name: str = "${file##*/}") -> str:
    """A script after which many XML reports become one: a suite each, named by what the shell makes of `name`.

    Args:
        script: runs the checks.
        report: the one report.
        found: shell text that prints the reports' paths, a line each.
        name: shell text over `$file`, a report's path.
    """
    return f"""(
{script}
)
code=$?
(
echo '<testsuites>'
{found} | while IFS= read -r file; do
  printf '<testsuite name="%s">\\n' "$(printf %s "{name}" | tr -d '<>&"')"
  sed -e '1s/^\\xef\\xbb\\xbf//' -e 's/<?xml[^>]*?>//' "$file"
  echo '</testsuite>'
done
echo '</testsuites>'
) > {report}
exit $code"""
