"""The job autofix runs in: `GITHUB_*` and `RUNNER_*` of the environment -> a value, and the event's payload."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from autofix.errors import UsageError
from autofix.intake.trigger import JobEnvironment
from autofix.ports.github_names import RepositoryName

EVENT_LIMIT = 32 * 1024 * 1024
"""Bytes; GitHub caps a payload at 25 MB."""

_FULL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}")
_WORKFLOW = re.compile(r"[^/@]+/[^/@]+/(?P<path>[^@]+)@.*", re.DOTALL)
_PUBLIC = "https://github.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What the runner says.

    Attributes:
        repository_id: None where the runner does not say it (a stand-in for GitHub's own).
        temp: a directory of the host that is emptied after the job; state is kept below it.
    """

    event: str
    event_path: Path
    repository: str
    repository_id: int | None
    api_url: str
    server_url: str
    run_id: int | None
    run_attempt: int | None
    ref: str
    actor: str
    triggering_actor: str
    workflow_path: str
    temp: Path

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Self:
        """Raises UsageError with one line for what is missing or odd."""
        repository = _needed(environ, "GITHUB_REPOSITORY")
        if not _FULL_NAME.fullmatch(repository):
            raise UsageError(f"GITHUB_REPOSITORY is {repository[:100]!r}; it must be owner/name")
        workflow = _WORKFLOW.fullmatch(environ.get("GITHUB_WORKFLOW_REF", ""))
        return cls(
            event=_needed(environ, "GITHUB_EVENT_NAME"),
            event_path=Path(_needed(environ, "GITHUB_EVENT_PATH")),
            repository=repository,
            repository_id=_number(environ, "GITHUB_REPOSITORY_ID"),
            api_url=environ.get("GITHUB_API_URL") or "https://api.github.com",
            server_url=(environ.get("GITHUB_SERVER_URL") or _PUBLIC).rstrip("/"),
            run_id=_number(environ, "GITHUB_RUN_ID"),
            run_attempt=_number(environ, "GITHUB_RUN_ATTEMPT"),
            ref=environ.get("GITHUB_REF", ""),
            actor=environ.get("GITHUB_ACTOR", ""),
            triggering_actor=environ.get("GITHUB_TRIGGERING_ACTOR", ""),
            workflow_path=workflow["path"] if workflow else "",
            temp=Path(_needed(environ, "RUNNER_TEMP")),
        )

    @property
    def clone_url(self) -> str:
        return f"{self.server_url}/{self.repository}.git"

    @property
    def page(self) -> str:
        """The workflow run's page; "" where the runner names none."""
        return f"{self.server_url}/{self.repository}/actions/runs/{self.run_id}" if self.run_id else ""

    def environment(self, repository: RepositoryName, pull_request: int | None) -> JobEnvironment:
        return JobEnvironment(
            event=self.event,
            repository=repository,
            run_id=self.run_id,
            run_attempt=self.run_attempt,
            ref=self.ref,
            actor=self.actor,
            triggering_actor=self.triggering_actor,
            workflow_path=self.workflow_path,
            pull_request=pull_request,
        )

    def payload(self) -> object:
        """The event's payload. Raises UsageError where there is none that can be read."""
        try:
            with self.event_path.open("rb") as file:
                text = file.read(EVENT_LIMIT + 1)
        except OSError as error:
            raise UsageError(f"GITHUB_EVENT_PATH: {self.event_path} cannot be read: {error.strerror}") from error
        if len(text) > EVENT_LIMIT:
            raise UsageError(f"GITHUB_EVENT_PATH: {self.event_path} is larger than any event")
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"GITHUB_EVENT_PATH: {self.event_path} is not JSON") from error


def _needed(environ: Mapping[str, str], name: str) -> str:
    value = environ.get(name, "")
    if not value:
        raise UsageError(f"{name} is not set: `autofix action` is a workflow's step; elsewhere use `autofix run`")
    return value


def _number(environ: Mapping[str, str], name: str) -> int | None:
    text = environ.get(name, "")
    return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else None
