"""`ports.github.FailedChecks`: runs, jobs, logs, artifacts and check runs."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from autofix.ports.github_checks import Artifact, CheckRun, Job, WorkflowRun
from autofix.world import github_values as values
from autofix.world.github_download import Storage
from autofix.world.github_pulls import Endpoints


class CheckEndpoints(Endpoints):
    _storage: Storage

    def run(self, run_id: int) -> WorkflowRun:
        return values.workflow_run(self._rest.get(self._at("actions", "runs", run_id)))

    def runs_of_suite(self, suite_id: int) -> tuple[WorkflowRun, ...]:
        return self._runs({"check_suite_id": suite_id})

    def runs_of_commit(self, sha: str) -> tuple[WorkflowRun, ...]:
        return self._runs({"head_sha": sha})

    def _runs(self, which: Mapping[str, str | int]) -> tuple[WorkflowRun, ...]:
        listed = self._rest.pages(self._at("actions", "runs"), which, key="workflow_runs")
        return tuple(values.workflow_run(one) for one in listed)

    def jobs(self, run_id: int, attempt: int | None = None) -> tuple[Job, ...]:
        run = ("actions", "runs", run_id)
        if attempt is None:
            listed = self._rest.pages(self._at(*run, "jobs"), {"filter": "latest"}, key="jobs")
        else:
            listed = self._rest.pages(self._at(*run, "attempts", attempt, "jobs"), key="jobs")
        return tuple(values.job(one) for one in listed)

    @contextmanager
    def log(self, job_id: int) -> Iterator[Iterator[bytes]]:
        address = self._rest.location(self._at("actions", "jobs", job_id, "logs"))
        with self._storage.stream(address) as pieces:
            yield pieces

    def artifacts(self, run_id: int) -> tuple[Artifact, ...]:
        listed = self._rest.pages(self._at("actions", "runs", run_id, "artifacts"), key="artifacts")
        return tuple(values.artifact(one) for one in listed)

    def download(self, artifact: Artifact, into: Path, limit: int) -> None:
        address = self._rest.location(self._at("actions", "artifacts", artifact.id, "zip"))
        self._storage.save(address, into, limit)

    def checks(self, sha: str) -> tuple[CheckRun, ...]:
        listed = self._rest.pages(self._at("commits", sha, "check-runs"), {"filter": "latest"}, key="check_runs")
        return tuple(values.check_run(one) for one in listed)
