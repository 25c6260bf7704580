"""Which checks a project has, when nobody says; and which runner a given command is."""

import posixpath
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from autofix.checks.command import simple_commands
from autofix.checks.result import Check
from autofix.checks.runners import RUNNERS
from autofix.checks.runners.node_options import package_scripts
from autofix.checks.runners.runner import ProjectFiles
from autofix.errors import UsageError

MANIFESTS = frozenset(
    {"package.json", "pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "go.mod", "Cargo.toml", "pom.xml"}
    | {"build.gradle", "build.gradle.kts", "Gemfile", "Rakefile", "composer.json", "CMakeLists.txt"}
)
"""Files that make a directory a project of its own."""
SCRIPT_STEPS = 5
"""Scripts that start scripts are followed so far."""


@dataclass(frozen=True, slots=True)
class Detected:
    """A check and, in one line, why it was chosen."""

    check: Check
    why: str


def detect(paths: Collection[str], read: Callable[[str], bytes | None]) -> tuple[Detected, ...]:
    """The checks a project's files speak of, the surest first; empty where nothing is recognised.

    Args:
        paths: every file of the tree, relative, with `/`.
        read: a file's content, None where it cannot be read.
    """
    files = ProjectFiles(frozenset(paths), read)
    found: dict[str, Detected] = {}
    for name, runner in RUNNERS.items():
        guess = runner.detect(files)
        if guess is not None:
            command, why = guess
            found.setdefault(command, Detected(Check(name, command, name), why))
    return tuple(found.values())


def detect_below(
    paths: Collection[str], read: Callable[[str], bytes | None], touched: Collection[str]
) -> tuple[Detected, ...]:
    """For a repository of several projects: the surest check of each that holds a touched file.

    A project is a directory with a manifest; of two around a file the inner one counts.
    """
    projects = {path.rpartition("/")[0] for path in paths if path.rpartition("/")[2] in MANIFESTS}
    around = {next((parent for parent in _parents(path) if parent in projects), "") for path in touched}
    return tuple(
        Detected(
            replace(one.check, name=f"{directory} {one.check.name}", directory=directory), f"{directory}: {one.why}"
        )
        for directory in sorted(around - {""})
        for one in _in(directory, paths, read)[:1]
    )


def _in(directory: str, paths: Collection[str], read: Callable[[str], bytes | None]) -> tuple[Detected, ...]:
    prefix = f"{directory}/"
    inside = [path.removeprefix(prefix) for path in paths if path.startswith(prefix)]
    return detect(inside, lambda path: read(prefix + path))


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def concerned(checks: Sequence[Check], touched: Collection[str]) -> tuple[Check, ...]:
    """The checks whose directory holds a touched file; all, where none does or it is not known what was touched."""
    mine = tuple(check for check in checks if _holds(check.directory, touched))
    return mine or tuple(checks)


def _holds(directory: str, touched: Collection[str]) -> bool:
    place = posixpath.normpath(directory)
    return place == "." or any(path.startswith(f"{place}/") for path in touched)


def check_for_command(
    command: str, name: str = "", *, directory: str = ".", timeout: float = 600.0, files: ProjectFiles | None = None
) -> Check:
    """A check from a command line such as `pytest -q`: the runner is recognised from the command's words.

    Of several simple commands the last one whose runner is known decides; of none the exit code does. Without a name
    the check is called after its runner, or after the command where only its exit code is read. With the project's
    `files`, a script that the command starts (`npm test`) is looked up there.

    Raises:
        UsageError: the command is empty.
    """
    if not command.strip():
        raise UsageError("a check needs a command, such as --check 'pytest -q'")
    runner = runner_for(command, files)
    return Check(name or (command if runner == "exit-code" else runner), command, runner, directory, timeout)


def runner_for(command: str, files: ProjectFiles | None = None) -> str:
    """The key of the runner a command starts; "exit-code" where we recognise none."""
    scripts = package_scripts(files.text("package.json")) if files else {}
    for _ in range(SCRIPT_STEPS):
        simple = [[word.value for word in words] for words in reversed(simple_commands(command) or ())]
        for words in simple:
            for name, runner in RUNNERS.items():
                if name != "exit-code" and runner.recognises(words):
                    return name
        script = next((scripts[one] for words in simple if (one := _script(words)) in scripts), None)
        if script is None:
            break
        command = script
    return "exit-code"


def _script(words: Sequence[str]) -> str:
    """The script of package.json that `npm test` or `npm run NAME` starts; "" for other commands."""
    if len(words) < 2 or words[0] not in {"npm", "pnpm", "yarn", "bun"}:  # noqa: PLR2004 - a program and a word
        return ""
    told = [word for word in words[1:] if not word.startswith("-") and word not in {"run", "run-script"}]
    return {"t": "test", "tst": "test"}.get(told[0], told[0]) if told else ""
