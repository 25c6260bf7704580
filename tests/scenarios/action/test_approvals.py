"""A run of the action asks on the pull request; another job, on another machine, goes on with the answer."""

import json
import subprocess
import sys
import zipfile
from copy import copy
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path

import pytest

from autofix.intake.ledger import decode
from autofix.world.clock import SystemClock
from autofix.world.parked_runs import PLACE
from tests.fakes import webhook_events as events
from tests.fakes.anthropic_server import AnthropicServer, Turn
from tests.fakes.repositories import git
from tests.scenarios.action.stage import KEY, TOKEN, Ended, Stage, file_command
from tests.scenarios.scene import DONE, MEASURE, configuration, edit, fix, sums_tests

WRONG_TEST = sums_tests().replace("add(2, 3) == 5", "add(2, 3) == 6")
MEND_THE_TEST = edit("tests/test_sums.py", "add(2, 3) == 6", "add(2, 3) == 5")


class LaterClock(SystemClock):
    """The machine's clock, some days on."""

    def __init__(self, days: float) -> None:
        self._ahead = timedelta(days=days)

    def now(self) -> datetime:
        return super().now() + self._ahead


def parked(stage: Stage) -> dict[str, str]:
    listed = git(stage.repo.path, "for-each-ref", "--format=%(refname) %(objectname)", PLACE).decode()
    return dict(line.removeprefix(PLACE).split() for line in listed.splitlines())


def question(stage: Stage) -> str:
    (name,) = parked(stage)
    return f"{name.rpartition('-')[2]}-1"


def another_machine(stage: Stage) -> None:
    """Nothing is left of the first job but what is in the repository."""
    stage.temp = stage.temp.with_name(f"{stage.temp.name}-next")
    stage.temp.mkdir()


def say(stage: Stage, text: str, script: list[Turn] | tuple = (), login: str = "ada", **more) -> Ended:
    another_machine(stage)
    return stage.act(script, event="issue_comment", payload=events.issue_comment(text, login=login), **more)


@pytest.fixture
def asked(stage: Stage) -> Stage:
    """A pull request whose test is wrong, and a run that has asked whether it may mend it."""
    stage.pull(wrong=(), head={"tests/test_sums.py": WRONG_TEST})
    ended = stage.act([Turn([MEND_THE_TEST])])
    assert (ended.outcome, ended.exit_code) == ("awaiting_approval", 0), ended.log
    assert stage.at() == stage.head
    return stage


def test_an_approved_run_goes_on_on_another_machine_and_is_delivered(asked: Stage):
    assert f"/autofix approve {question(asked)}" in asked.own_comment
    assert "+ add(2, 3) == 5" in asked.own_comment

    ended = say(asked, f"/autofix approve {question(asked)}", [Turn([MEASURE]), Turn([DONE])], login="bob")

    assert (ended.outcome, ended.exit_code, ended.outputs["pushed"]) == ("fixed", 0, "true"), ended.log
    assert asked.changed(asked.at()) == ["tests/test_sums.py"]
    assert "autofix fixed the failing checks" in asked.own_comment
    assert "bob allowed" in asked.own_comment
    assert parked(asked) == {}, "nothing of an ended run stays in the repository"
    first, second = asked.servers[0].bodies, asked.servers[1].bodies
    assert len(first) == 1
    assert second[0]["messages"][: len(first[0]["messages"])] == first[0]["messages"], "the same conversation"
    assert second[0]["system"] == first[0]["system"]
    assert second[0]["tools"] == first[0]["tools"]
    assert decode(asked.own_comment).runs == 1, "one run, however many jobs it took"


def test_a_refusal_reaches_the_model_and_the_run_goes_on_without(stage: Stage):
    stage.pull()
    wanted = edit("tests/test_sums.py", "add(2, 3) == 5", "add(2, 3) == -1")
    assert stage.act([Turn([wanted])]).outcome == "awaiting_approval"

    ended = say(stage, f"/autofix deny {question(stage)} the test is right", [Turn([fix("add"), MEASURE])])

    assert ended.outcome == "fixed", ended.log
    assert stage.changed(stage.at()) == ["shop/sums.py"]
    assert "the test is right" in json.dumps(stage.servers[-1].bodies[0]["messages"][-1])


def test_stop_ends_a_waiting_run_without_a_model_call_or_a_push(asked: Stage):
    ended = say(asked, "/autofix stop")

    assert (ended.outcome, ended.exit_code) == ("cancelled", 0), ended.log
    assert asked.at() == asked.head
    assert parked(asked) == {}
    assert "stopped by ada" in asked.own_comment


def assert_nothing_happened(stage: Stage, ended: Ended, words: str) -> None:
    assert (ended.outcome, ended.exit_code) == ("skipped", 0), ended.log
    assert words in ended.reason
    assert stage.at() == stage.head
    assert stage.requests == 1


@pytest.mark.parametrize("login", ["eve", "dependabot[bot]"])
def test_nobody_without_write_access_can_answer(asked: Stage, login: str):
    before = parked(asked)
    ended = say(asked, f"/autofix approve {question(asked)}", login=login)
    assert_nothing_happened(asked, ended, "no write access")
    assert parked(asked) == before


@pytest.mark.parametrize("text", ["> /autofix approve {}", "```\n/autofix approve {}\n```", "say /autofix approve {}"])
def test_what_is_quoted_or_only_mentioned_answers_nothing(asked: Stage, text: str):
    before = parked(asked)
    ended = say(asked, text.format(question(asked)))
    assert_nothing_happened(asked, ended, "")
    assert parked(asked) == before


def test_an_edited_comment_answers_nothing(asked: Stage):
    before = parked(asked)
    payload = events.issue_comment(f"/autofix approve {question(asked)}", login="ada")
    payload["action"] = "edited"
    payload["changes"] = {"body": {"from": "fine"}}
    another_machine(asked)
    assert_nothing_happened(asked, asked.act(event="issue_comment", payload=payload), "")
    assert parked(asked) == before


def test_an_answer_to_another_question_changes_nothing_and_says_what_is_asked(asked: Stage):
    wanted, before = question(asked), parked(asked)
    ended = say(asked, f"/autofix approve {wanted[:-1]}7")
    assert_nothing_happened(asked, ended, f"waits for an answer to {wanted}")
    assert parked(asked) == before
    assert_nothing_happened(
        asked, say(asked, "/autofix approve 000000-1"), "no run waits for an answer called 000000-1"
    )


def test_a_head_that_moved_voids_the_question(asked: Stage):
    wanted = question(asked)
    asked.github.state.commit(asked.repo, "feature", {"NEWS.md": "More.\n"}, "Go on", start="feature")
    asked.github.state.sync_pulls()
    asked.head = asked.at()

    ended = say(asked, f"/autofix approve {wanted}")

    assert_nothing_happened(asked, ended, "the branch moved")
    assert parked(asked) == {}


def test_a_policy_that_changed_meanwhile_voids_the_question(asked: Stage):
    wanted = question(asked)
    stricter = {".github/autofix.toml": configuration({"tests.edit": "deny"})}
    asked.github.state.commit(asked.repo, "main", stricter, "No edits of tests any more", start="main")
    asked.github.state.sync_pulls()

    ended = say(asked, f"/autofix approve {wanted}")

    assert_nothing_happened(asked, ended, ".github/autofix.toml of main has changed")


def test_another_base_branch_voids_the_question(asked: Stage):
    wanted = question(asked)
    asked.github.state.commit(asked.repo, "release", {"NEWS.md": "More.\n"}, "Branch off", start="main")
    asked.pulled.base_branch = "release"
    asked.github.state.sync_pulls()

    ended = say(asked, f"/autofix approve {wanted}")

    assert_nothing_happened(asked, ended, "goes to release now")


def test_a_base_that_only_moved_on_voids_nothing(asked: Stage):
    wanted = question(asked)
    asked.github.state.commit(asked.repo, "main", {"NEWS.md": "More.\n"}, "Go on", start="main")
    asked.github.state.sync_pulls()

    assert say(asked, f"/autofix approve {wanted}", [Turn([MEASURE]), Turn([DONE])]).outcome == "fixed"


def test_a_question_expires(asked: Stage):
    ended = say(asked, f"/autofix approve {question(asked)}", clock=LaterClock(8))
    assert_nothing_happened(asked, ended, "could be answered until")


def test_what_nobody_came_back_to_is_dropped_by_a_later_run(asked: Stage):
    (old,) = parked(asked)
    begun_by_hand(asked)
    assert len(parked(asked)) == 2, "it is young"

    begun_by_hand(asked, clock=LaterClock(9))

    assert old not in parked(asked)


def begun_by_hand(stage: Stage, **more) -> None:
    another_machine(stage)
    payload = events.workflow_dispatch({"pull-request": "7"})
    ended = stage.act([Turn([MEND_THE_TEST])], event="workflow_dispatch", payload=payload, pull_request="7", **more)
    assert ended.outcome == "awaiting_approval", ended.log


TOGETHER = """#!/bin/sh
# Holds a claim back until the other one is here, too.
touch "claims-$$"
for _ in $(seq 200); do
  [ "$(ls claims-* | wc -l)" -ge 2 ] && exit 0
  sleep 0.1
done
"""


def test_of_two_answers_at_once_one_wins(asked: Stage, tmp_path: Path):
    """Two jobs have found the same question, and the server lets one of them claim it."""
    payload = events.issue_comment(f"/autofix approve {question(asked)}", login="ada")
    hook = asked.repo.path / "hooks" / "pre-receive"
    hook.write_text(TOGETHER)
    hook.chmod(0o755)
    with AnthropicServer(lambda _body: Turn([MEASURE]), key=KEY) as server:
        jobs = [job_beside(asked, tmp_path / name) for name in ("one", "two")]
        processes = [
            subprocess.Popen(
                [sys.executable, "-P", "-m", "autofix", "action"],
                env=job.environ(server, "issue_comment", payload, {}),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for job in jobs
        ]
        logs = [process.communicate(timeout=100)[0] for process in processes]

    outputs = [file_command((job.directory / "output").read_text()) for job in jobs]
    assert sorted(one["outcome"] for one in outputs) == ["fixed", "skipped"], logs
    assert "another answer was first" in next(one["reason"] for one in outputs if one["outcome"] == "skipped")
    assert asked.parent(asked.at()) == asked.head, "one commit"
    assert parked(asked) == {}


def job_beside(stage: Stage, directory: Path) -> Stage:
    """Another job of the same repository."""
    job = copy(stage)
    job.directory, job.temp = directory, directory / "temp"
    job.temp.mkdir(parents=True)
    return job


def test_a_ref_that_holds_no_run_is_no_error(asked: Stage):
    wanted = question(asked)
    ((name, at),) = parked(asked).items()
    other = git(asked.repo.path, "commit-tree", f"{asked.head}^{{tree}}", "-m", "no run of ours").decode().strip()
    git(asked.repo.path, "update-ref", f"{PLACE}{name}", other, at)

    ended = say(asked, f"/autofix approve {wanted}")

    assert_nothing_happened(asked, ended, "cannot be read")


def test_nobody_can_slip_in_another_run(asked: Stage):
    """Who may push to the repository may write the ref; without the seal it is not believed."""
    wanted = question(asked)
    ((name, at),) = parked(asked).items()
    content = git(asked.repo.path, "show", f"{at}:run.zip")
    blob = git(asked.repo.path, "hash-object", "-w", "--stdin", stdin=content + b"\0").decode().strip()
    sealed = git(asked.repo.path, "rev-parse", f"{at}:seal").decode().strip()
    listing = f"100644 blob {blob}\trun.zip\n100644 blob {sealed}\tseal\n".encode()
    tree = git(asked.repo.path, "mktree", stdin=listing).decode().strip()
    commit = git(asked.repo.path, "commit-tree", tree, "-m", "not autofix").decode().strip()
    git(asked.repo.path, "update-ref", f"{PLACE}{name}", commit)

    ended = say(asked, f"/autofix approve {wanted}")

    assert_nothing_happened(asked, ended, "was not sealed with this model key")


def test_what_is_kept_holds_no_secret(asked: Stage):
    ((_, at),) = parked(asked).items()
    with zipfile.ZipFile(BytesIO(git(asked.repo.path, "show", f"{at}:run.zip"))) as archive:
        names, whole = archive.namelist(), b"".join(archive.read(name) for name in archive.namelist())
    assert {"journal.jsonl", "transcript.jsonl", "words.json"} <= set(names)
    assert KEY.encode() not in whole
    assert TOKEN.encode() not in whole


def test_a_run_that_cannot_be_kept_does_not_pretend_to_wait(stage: Stage):
    stage.pull(wrong=(), head={"tests/test_sums.py": WRONG_TEST})
    hook = stage.repo.path / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho 'no refs of yours here' >&2\nexit 1\n")
    hook.chmod(0o755)

    ended = stage.act([Turn([MEND_THE_TEST])])

    assert ended.outcome == "blocked", ended.log
    assert "cannot be kept until then" in ended.reason


@pytest.mark.parametrize("inputs", [{"delivery": "dry-run"}, {"stage": "fix"}])
def test_a_job_that_may_write_nowhere_asks_nothing(stage: Stage, inputs: dict[str, str]):
    stage.pull(wrong=(), head={"tests/test_sums.py": WRONG_TEST})
    ended = stage.act([Turn([MEND_THE_TEST]), *[Turn([DONE])] * 4], **inputs)
    assert ended.outcome == "blocked", ended.log
    assert parked(stage) == {}
