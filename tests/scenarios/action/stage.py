"""The action on a stage: a GitHub that checks every word, real git over HTTP, real pytest, a scripted model over HTTP.

stage = Stage(github, tmp_path)
ended = stage.act([Turn([fix("add")])])
assert ended.outputs["outcome"] == "fixed"
"""

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autofix.cli.action import act
from autofix.cli.action_log import ActionLog
from autofix.intake.own_marks import MARKER
from autofix.ports.clock import Clock
from autofix.state.journal import read
from tests.fakes import webhook_events as events
from tests.fakes.anthropic_server import AnthropicServer, Script
from tests.fakes.events_document import assert_documented
from tests.fakes.github_server import FakeGitHub
from tests.fakes.github_state import PullState
from tests.fakes.repositories import git
from tests.fakes.result_schema import assert_a_result
from tests.scenarios.scene import BASE_FILES, CHECK, CONFIGURATION, PATH, configuration, sums, sums_tests

TOKEN = "ghs_0123456789abcdefghijklmnopqrstuvwxyz"
KEY = "sk-ant-api03-action-key-0123456789"
RUNNER_TOKEN = "runtime-token-9876543210"


def file_command(text: str) -> dict[str, str]:
    """What the runner reads from a file of outputs; a line that is none fails the test."""
    found: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        name, separator, delimiter = line.partition("<<")
        assert separator, f"not a block: {line!r}"
        block: list[str] = []
        for inside in lines:
            if inside == delimiter:
                break
            block.append(inside)
        else:
            raise AssertionError(f"the block of {name} has no end")
        found[name] = "\n".join(block)
    return found


@dataclass(frozen=True)
class Ended:
    """What the action left."""

    exit_code: int
    outputs: dict[str, str]
    summary: str
    log: str

    @property
    def outcome(self) -> str:
        return self.outputs["outcome"]

    @property
    def reason(self) -> str:
        return self.outputs["reason"]


@dataclass
class Stage:
    """One repository, one pull request by ada, and a job that reacts to its failing check."""

    github: FakeGitHub
    directory: Path
    inputs: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    servers: list[AnthropicServer] = field(default_factory=list)

    def __post_init__(self) -> None:
        state = self.github.state
        self.token = state.add_token(TOKEN)
        self.repo = state.add_repo("acme/widgets")
        state.permissions.update(ada="write", bob="admin", eve="read")
        for login in ("ada", "bob", "eve", "dependabot[bot]"):
            state.user(login)
        self.inputs |= {
            "anthropic-api-key": KEY,
            "token": TOKEN,
            "check": CHECK,
            "sandbox": "host",
            "mode": "bypass-permissions",
        }
        self.temp = self.directory / "temp"
        self.temp.mkdir(parents=True)

    def pull(
        self,
        wrong: Sequence[str] = ("add",),
        base: Mapping[str, str | bytes | None] | None = None,
        head: Mapping[str, str | bytes | None] | None = None,
        **more: Any,
    ) -> PullState:
        """A base with a shop, and a pull request #7 that adds sums, some of them wrong."""
        state = self.github.state
        toml = {".github/autofix.toml": configuration(CONFIGURATION)}
        self.base = state.commit(self.repo, "main", {**BASE_FILES, **toml, **(base or {})}, "Open the shop")
        files = {"shop/sums.py": sums(*wrong), "tests/test_sums.py": sums_tests(), **(head or {})}
        self.head = state.commit(self.repo, "feature", files, "Add sums", start="main")
        self.pulled = state.add_pull(self.repo, "feature", number=7, **more)
        return self.pulled

    def fork(
        self,
        branch: str = "main",
        author: str = "eve",
        wrong: Sequence[str] = ("add",),
        base: Mapping[str, str | bytes | None] | None = None,
        head: Mapping[str, str | bytes | None] | None = None,
    ) -> PullState:
        """The same from eve's fork, whose branch bears the name of our default branch."""
        state = self.github.state
        toml = {".github/autofix.toml": configuration(CONFIGURATION)}
        self.base = state.commit(self.repo, "main", {**BASE_FILES, **toml, **(base or {})}, "Open the shop")
        self.home = state.add_repo("eve/widgets", fork_of=self.repo)
        files = {"shop/sums.py": sums(*wrong), "tests/test_sums.py": sums_tests(), **(head or {})}
        self.head = state.commit(self.home, branch, files, "Add sums", start="main")
        self.pulled = state.add_pull(self.repo, branch, number=7, head=self.home, author=author)
        return self.pulled

    def failure(self, **more: Any) -> dict[str, Any]:
        """A workflow run on the pull request's head that failed."""
        payload = events.workflow_run(**more)
        payload["workflow_run"]["head_sha"] = self.head
        for listed in payload["workflow_run"]["pull_requests"]:
            listed["base"]["repo"]["id"] = self.repo.id
        return payload

    def act(
        self,
        script: Script = (),
        event: str = "workflow_run",
        payload: Any = None,
        clock: Clock | None = None,
        **inputs: str,
    ) -> Ended:
        """Play the action in this process."""
        server = AnthropicServer(script, key=KEY)
        with server:
            self.servers.append(server)
            log = io.StringIO()
            environ = self.environ(server, event, self.failure() if payload is None else payload, inputs)
            code = act(environ, ActionLog(log), clock)
        assert not server.violations, server.violations
        return self.ended(code, log.getvalue())

    def ended(self, code: int, log: str) -> Ended:
        outputs = file_command((self.directory / "output").read_text(encoding="utf-8"))
        for file in self.temp.rglob("runs/*/result.json"):
            assert_a_result(json.loads(file.read_text(encoding="utf-8")))
        for file in self.temp.rglob("runs/*/journal.jsonl"):
            assert_documented(read(file).events)
        return Ended(code, outputs, (self.directory / "summary").read_text(encoding="utf-8"), log)

    def environ(self, server: AnthropicServer, event: str, payload: Any, inputs: Mapping[str, str]) -> dict[str, str]:
        """What the runner sets, as far as it matters."""
        (self.directory / "event.json").write_text(json.dumps(payload), encoding="utf-8")
        for name in ("output", "summary"):
            (self.directory / name).write_text("", encoding="utf-8")
        given = {"anthropic-base-url": server.url, **self.inputs, **{k.replace("_", "-"): v for k, v in inputs.items()}}
        return {
            "PATH": PATH,
            "HOME": "/nonexistent",
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(self.directory / "event.json"),
            "GITHUB_REPOSITORY": self.repo.full_name,
            "GITHUB_REPOSITORY_ID": str(self.repo.id),
            "GITHUB_API_URL": self.github.api_url,
            "GITHUB_SERVER_URL": self.github.git.url,
            "GITHUB_RUN_ID": "4242",
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_ACTOR": "ada",
            "GITHUB_TRIGGERING_ACTOR": "ada",
            "GITHUB_WORKFLOW_REF": "acme/widgets/.github/workflows/autofix.yml@refs/heads/main",
            "GITHUB_OUTPUT": str(self.directory / "output"),
            "GITHUB_STEP_SUMMARY": str(self.directory / "summary"),
            "RUNNER_TEMP": str(self.temp),
            "ACTIONS_RUNTIME_TOKEN": RUNNER_TOKEN,
            **{f"INPUT_{name.upper()}": value for name, value in given.items()},
            **self.environment,
        }

    @property
    def requests(self) -> int:
        """Calls to the model."""
        return sum(len(server.raw_bodies) for server in self.servers)

    @property
    def comments(self) -> list[str]:
        return [str(one["body"]) for one in self.github.state.comments.values()]

    @property
    def own_comment(self) -> str:
        (body,) = [body for body in self.comments if body.startswith(MARKER)]
        return body

    def at(self, branch: str = "feature") -> str | None:
        return self.repo.head(branch)

    def show(self, what: str) -> str:
        return git(self.repo.path, "show", what).decode()

    def parent(self, commit: str) -> str:
        return git(self.repo.path, "rev-parse", f"{commit}^").decode().strip()

    def changed(self, commit: str) -> list[str]:
        return git(self.repo.path, "diff", "--name-only", f"{commit}^", commit).decode().splitlines()

    def tree(self, commit: str) -> str:
        return git(self.repo.path, "ls-tree", "-r", commit).decode()

    def executable(self, path: str) -> None:
        """Give a file of the pull request its bit, in a further commit."""
        index = {"GIT_INDEX_FILE": str(self.directory / "bit-index")}
        blob = git(self.repo.path, "rev-parse", f"{self.head}:{path}").decode().strip()
        git(self.repo.path, "read-tree", self.head, **index)
        git(self.repo.path, "update-index", "--cacheinfo", f"100755,{blob},{path}", **index)
        tree = git(self.repo.path, "write-tree", **index).decode().strip()
        commit = git(self.repo.path, "commit-tree", tree, "-p", self.head, "-m", "Make it a program").decode().strip()
        git(self.repo.path, "update-ref", "refs/heads/feature", commit)
        self.github.state.sync_pulls()
        self.head = commit

    def message(self, commit: str) -> str:
        return git(self.repo.path, "log", "-1", "--format=%B", commit).decode()

    def pushes(self) -> int:
        return sum(one.push and one.method == "POST" for one in self.github.git.requests)
