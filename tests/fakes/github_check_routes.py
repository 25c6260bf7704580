"""Routes of the fake GitHub: workflow runs, jobs, logs, artifacts, check runs."""

from typing import Any

from tests.fakes.github_route import Ask, ProblemError, Reply, Route


def _run(ask: Ask) -> Reply:
    return Reply(ask.known(ask.state.runs, "run_id"))


def _runs(ask: Ask) -> Reply:
    found = list(ask.state.runs.values())
    if suite := ask.query.get("check_suite_id"):
        found = [run for run in found if str(run["check_suite_id"]) == suite]
    if head := ask.query.get("head_sha"):
        found = [run for run in found if run["head_sha"] == head]
    return Reply(found, key="workflow_runs")


def _jobs(ask: Ask) -> Reply:
    found = ask.known(ask.state.jobs, "run_id")
    if attempt := ask.params.get("attempt_number"):
        found = [job for job in found if str(job["run_attempt"]) == attempt]
    elif ask.query.get("filter", "latest") == "latest":
        newest = max((job["run_attempt"] for job in found), default=1)
        found = [job for job in found if job["run_attempt"] == newest]
    return Reply(found, key="jobs")


def _log(ask: Ask) -> Reply:
    id_ = int(ask.params["job_id"])
    if id_ not in ask.state.logs:
        raise ProblemError(404, "Not Found")
    return Reply(status=302, headers={"Location": f"{ask.state.storage}/logs/{id_}?sig=signed"})


def _artifacts(ask: Ask) -> Reply:
    return Reply(ask.known(ask.state.artifacts, "run_id"), key="artifacts")


def _artifact(ask: Ask) -> Reply:
    id_ = int(ask.params["artifact_id"])
    if id_ not in ask.state.zips:
        raise ProblemError(410, "Artifact has expired")
    return Reply(status=302, headers={"Location": f"{ask.state.storage}/zips/{id_}?sig=signed"})


def _checks(ask: Ask) -> Reply:
    return Reply(
        [one for one in ask.state.check_runs.values() if one["head_sha"] == ask.params["ref"]], key="check_runs"
    )


def _create_check(ask: Ask) -> Reply:
    if not ask.token.installation:
        raise ProblemError(403, "You must authenticate via a GitHub App.")
    body = ask.body
    check = ask.state.add_check(body["head_sha"], body["name"], body.get("conclusion"))
    return Reply(_with_output(check, body), 201)


def _update_check(ask: Ask) -> Reply:
    return Reply(_with_output(ask.known(ask.state.check_runs, "check_run_id"), ask.body))


def _with_output(check: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    """Annotations of later calls are added to those already there."""
    output = body.get("output", {})
    check.setdefault("kept_annotations", []).extend(output.get("annotations", []))
    check["output"] = {
        "title": output.get("title"),
        "summary": output.get("summary"),
        "annotations_count": len(check["kept_annotations"]),
    }
    return {key: value for key, value in check.items() if key != "kept_annotations"}


_REPO = "/repos/{owner}/{repo}"
_ACTIONS = ("actions", "read")

ROUTES = [
    Route("GET", f"{_REPO}/actions/runs", _runs, _ACTIONS),
    Route("GET", f"{_REPO}/actions/runs/{{run_id}}", _run, _ACTIONS),
    Route("GET", f"{_REPO}/actions/runs/{{run_id}}/jobs", _jobs, _ACTIONS),
    Route("GET", f"{_REPO}/actions/runs/{{run_id}}/attempts/{{attempt_number}}/jobs", _jobs, _ACTIONS),
    Route("GET", f"{_REPO}/actions/jobs/{{job_id}}/logs", _log, _ACTIONS),
    Route("GET", f"{_REPO}/actions/runs/{{run_id}}/artifacts", _artifacts, _ACTIONS),
    Route("GET", f"{_REPO}/actions/artifacts/{{artifact_id}}/{{archive_format}}", _artifact, _ACTIONS),
    Route("GET", f"{_REPO}/commits/{{ref}}/check-runs", _checks, ("checks", "read")),
    Route("POST", f"{_REPO}/check-runs", _create_check, ("checks", "write")),
    Route("PATCH", f"{_REPO}/check-runs/{{check_run_id}}", _update_check, ("checks", "write")),
]
