"""Which checks are run: those the caller names, else the configured ones, else what the files speak of."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from autofix.checks.detect import Detected, check_for_command, concerned, detect, detect_below
from autofix.checks.result import Check, ReportForm
from autofix.checks.run import runner_of
from autofix.checks.runners.runner import ProjectFiles
from autofix.ports.git import Git
from autofix.settings import CONFIGURATION_PATH, CheckSettings

FILE_LIMIT = 1024 * 1024
"""Bytes of a file that detection looks into."""
NAMED, CONFIGURED = "named by the caller", f"configured in {CONFIGURATION_PATH}"


@dataclass(frozen=True, slots=True)
class Choice:
    """The checks a run takes, and what else was recognised."""

    taken: tuple[Detected, ...]
    others: tuple[Detected, ...] = ()

    @property
    def checks(self) -> tuple[Check, ...]:
        return tuple(one.check for one in self.taken)


@dataclass(frozen=True, slots=True)
class Project:
    """The head's files at one place of the repository, and what the pull request touches of it."""

    git: Git
    head: str
    place: str = "."
    touched: Collection[str] = ()

    @property
    def _prefix(self) -> str:
        return "" if self.place == "." else f"{self.place}/"

    def paths(self) -> list[str]:
        prefix = self._prefix
        return [one.path.removeprefix(prefix) for one in self.git.entries(self.head) if one.path.startswith(prefix)]

    def read(self, path: str) -> bytes | None:
        return self.git.read(self.head, self._prefix + path, FILE_LIMIT)

    def files(self) -> ProjectFiles:
        return ProjectFiles(frozenset(self.paths()), self.read)


def choose_checks(said: Sequence[str], configured: Sequence[CheckSettings], project: Project) -> Choice:
    """Of the configured checks those whose directory holds a touched file; of the recognised ones the surest.

    Nothing is taken where nothing was named, configured or recognised.
    """
    if said:
        files = project.files()
        return Choice(tuple(Detected(check, NAMED) for check in _named(said, project.place, files)))
    if configured:
        known = [_configured(told, project) for told in configured]
        taken = concerned(known, project.touched)
        rest = tuple(
            Detected(check, "configured, but nothing below it changed") for check in known if check not in taken
        )
        return Choice(tuple(Detected(check, CONFIGURED) for check in taken), rest)
    return _recognised(project)


def _named(said: Sequence[str], place: str, files: ProjectFiles) -> list[Check]:
    """Each under its command, which is unlike the others'; what is said twice is said."""
    return [check_for_command(command, command, directory=place, files=files) for command in dict.fromkeys(said)]


def _configured(told: CheckSettings, project: Project) -> Check:
    inside = replace(project, place=told.directory)
    known = check_for_command(
        told.command, told.name, directory=told.directory, timeout=told.timeout, files=inside.files()
    )
    check = replace(known, runner=told.runner or known.runner, environment=told.environment)
    if told.report is not None:
        form = ReportForm(told.report.format, told.report.path, told.report.pattern)
        check = replace(check, runner=form.format, report=form)
    runner_of(check)  # refused here where it is unknown, before anything is spent
    return check


def _recognised(project: Project) -> Choice:
    paths, read = project.paths(), _kept(project.read)
    found = detect(paths, read)
    if found:
        placed = tuple(replace(one, check=replace(one.check, directory=project.place)) for one in found)
        return Choice(placed[:1], placed[1:])
    return Choice(detect_below(paths, read, project.touched))


def _kept(read: Callable[[str], bytes | None]) -> Callable[[str], bytes | None]:
    """Each file read once, however many runners look at it."""
    seen: dict[str, bytes | None] = {}

    def look(path: str) -> bytes | None:
        if path not in seen:
            seen[path] = read(path)
        return seen[path]

    return look
