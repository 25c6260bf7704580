"""Webhook payloads: GitHub's published examples, changed where none shows what a test needs, and checked again.

The repository is always `acme/widgets` with the id ACME, so that a payload agrees with the rest of a test.
"""

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator

HERE = Path(__file__).parent / "webhooks"
ACME = 300029405
FORK = 400040004
HEAD = "a" * 40
BASE = "b" * 40
MOMENT = "2026-01-02T03:04:05Z"


@cache
def _example(name: str) -> Any:
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


@cache
def _schema() -> Any:
    return json.loads((HERE / "schema.json").read_text(encoding="utf-8"))


def checked(event: str, payload: dict[str, Any]) -> dict[str, Any]:
    """The payload, if GitHub could have sent it."""
    definition = f"{event}${payload['action']}" if "action" in payload else f"{event}$event"
    validator = Draft7Validator({"$ref": f"#/definitions/{definition}", **_schema()})
    problems = [
        f"{'.'.join(map(str, one.absolute_path))}: {one.message[:150]}" for one in validator.iter_errors(payload)
    ]
    assert not problems, problems
    return payload


def _base(event: str) -> dict[str, Any]:
    payload = deepcopy(_example(event))
    payload["repository"] |= {"id": ACME, "full_name": "acme/widgets", "name": "widgets"}
    payload["sender"] = user("ada")
    return payload


def user(login: str) -> dict[str, Any]:
    kind = "Bot" if login.endswith("[bot]") else "User"
    return {**_example("workflow_run")["sender"], "login": login, "type": kind}


def _listed(number: int, base_id: int) -> dict[str, Any]:
    """An entry of `pull_requests`."""

    def side(ref: str, sha: str, id_: int) -> dict[str, Any]:
        return {"ref": ref, "sha": sha, "repo": {"id": id_, "url": "https://api.github.com/repos/x/y", "name": "y"}}

    return {
        "id": number,
        "number": number,
        "url": f"https://api.github.com/repos/acme/widgets/pulls/{number}",
        "head": side("feature", HEAD, ACME),
        "base": side("main", BASE, base_id),
    }


def workflow_run(
    *,
    conclusion: str = "failure",
    action: str = "completed",
    pulls: tuple[int, ...] = (7,),
    pull_base: int = ACME,
    branch: str = "feature",
    fork_of: str | None = None,
    event: str = "pull_request",
    actor: str = "ada",
    triggering_actor: str | None = None,
    path: str = ".github/workflows/ci.yml",
) -> dict[str, Any]:
    """`fork_of` is the owner of a fork the commit lives in; then GitHub lists no pull request."""
    payload = _base("workflow_run")
    run = payload["workflow_run"]
    payload["action"] = action
    payload["workflow"]["path"] = path
    head = deepcopy(run["head_repository"])
    head |= {"id": FORK if fork_of else ACME, "full_name": f"{fork_of or 'acme'}/widgets", "fork": bool(fork_of)}
    run |= {
        "id": 9001,
        "run_attempt": 2,
        "conclusion": conclusion,
        "event": event,
        "head_sha": HEAD,
        "head_branch": branch,
        "head_repository": head,
        "check_suite_id": 8001,
        "actor": user(actor),
        "triggering_actor": user(triggering_actor or actor),
        "updated_at": MOMENT,
        "pull_requests": [] if fork_of else [_listed(number, pull_base) for number in pulls],
    }
    return checked("workflow_run", payload)


def check_suite(*, conclusion: str = "failure", action: str = "completed", branch: str | None = "feature") -> Any:
    payload = _base("check_suite")
    payload["action"] = action
    payload["check_suite"] |= {
        "id": 8001,
        "conclusion": conclusion,
        "head_sha": HEAD,
        "head_branch": branch,
        "updated_at": MOMENT,
        "pull_requests": [_listed(7, ACME)] if branch else [],
    }
    return checked("check_suite", payload)


def check_run(*, conclusion: str = "failure", action: str = "completed", app: str = "github-actions") -> Any:
    payload = _base("check_run")
    payload["action"] = action
    run = payload["check_run"]
    run |= {"id": 7001, "conclusion": conclusion, "head_sha": HEAD, "completed_at": MOMENT}
    run["pull_requests"] = [_listed(7, ACME)]
    run["check_suite"] |= {"id": 8001, "head_branch": "feature", "head_sha": HEAD, "pull_requests": []}
    run["app"]["slug"] = app
    return checked("check_run", payload)


def issue_comment(body: str, *, action: str = "created", login: str = "ada", on_pull: bool = True) -> dict[str, Any]:
    payload = _base("issue_comment")
    payload["action"] = action
    payload["issue"]["number"] = 7
    if on_pull:
        where = "https://api.github.com/repos/acme/widgets/pulls/7"
        page = "https://github.com/acme/widgets/pull/7"
        payload["issue"]["pull_request"] = {
            "url": where,
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
            "merged_at": None,
        }
    payload["comment"] |= {"id": 6001, "body": body, "user": user(login), "created_at": MOMENT, "updated_at": MOMENT}
    payload["sender"] = user(login)
    if action == "edited":
        payload["changes"] = {"body": {"from": "something else"}}
    return checked("issue_comment", payload)


def pull_request(
    *,
    action: str = "opened",
    fork_of: str | None = None,
    branch: str = "feature",
    draft: bool = False,
    gone: bool = False,
) -> dict[str, Any]:
    """`gone`: the fork was deleted."""
    payload = _base("pull_request")
    payload |= {"action": action, "number": 7}
    pull = payload["pull_request"]
    pull |= {"number": 7, "draft": draft, "updated_at": MOMENT, "user": user("ada")}
    pull["base"]["repo"] |= {"id": ACME, "full_name": "acme/widgets"}
    pull["head"] |= {"ref": branch, "sha": HEAD}
    pull["head"]["repo"] |= {"id": FORK if fork_of else ACME, "full_name": f"{fork_of or 'acme'}/widgets"}
    if gone:
        pull["head"]["repo"] = None
    match action:
        case "synchronize":
            payload |= {"before": BASE, "after": HEAD}
        case "closed":
            pull |= {"state": "closed", "closed_at": MOMENT}
        case "labeled":
            payload["label"] = {
                "id": 1,
                "node_id": "x",
                "url": "https://api.github.com/x",
                "name": "autofix",
                "color": "ff0000",
                "default": False,
                "description": None,
            }
            pull["labels"] = [payload["label"]]
    return checked("pull_request", payload)


def push(*, ref: str = "refs/heads/feature", after: str = HEAD, deleted: bool = False) -> dict[str, Any]:
    payload = _base("push")
    payload |= {"ref": ref, "after": after, "deleted": deleted}
    return checked("push", payload)


def workflow_dispatch(inputs: dict[str, str] | None) -> dict[str, Any]:
    payload = _base("workflow_dispatch")
    payload["inputs"] = inputs
    return checked("workflow_dispatch", payload)
