"""The whole thing: an event file, the real image, the flags of GitHub's runner, a sandbox as a sibling container."""

import base64
import fcntl
import json
import re
import subprocess
import tempfile
from pathlib import Path

import pytest

from autofix.world.docker_setup import REPOSITORY
from tests.contract.rooms_here import room_or_skip
from tests.fakes import webhook_events as events
from tests.fakes.anthropic_server import AnthropicServer, Turn
from tests.fakes.runner import RUNNER_UID, Runner
from tests.scenarios.action.stage import KEY, RUNNER_TOKEN, TOKEN, Stage, file_command
from tests.scenarios.scene import DONE, bash, edit, fix

pytestmark = [pytest.mark.docker, pytest.mark.timeout(400)]

ROOT = Path(__file__).parents[3]
IMAGE = "autofix-under-test:latest"
SETUP = "pip install --quiet --root-user-action=ignore --disable-pip-version-check pytest"
"""One image for all tests: it depends on a file that none of them changes."""


@pytest.fixture(scope="session")
def image() -> str:
    """The action's image, built from the tree under test; one build at a time."""
    room_or_skip("docker")
    with (Path(tempfile.gettempdir()) / "autofix-image.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        built = subprocess.run(
            ["docker", "build", "-q", "-t", IMAGE, str(ROOT)], capture_output=True, text=True, check=False
        )
    assert built.returncode == 0, built.stderr[-2000:]
    return IMAGE


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """The host's network, because GitHub and the model are on its loopback here."""
    return Runner(tmp_path / "work", network="host")


def docker(*arguments: str) -> str:
    return subprocess.run(["docker", *arguments], capture_output=True, text=True, check=True).stdout


LISTS = {
    "containers": ("ps", "-aq"),
    "volumes": ("volume", "ls", "-q"),
    "networks": ("network", "ls", "-q"),
    "images": ("images", "--format", "{{.Repository}}"),
}


def left(run_id: str) -> dict[str, list[str]]:
    """What the engine still has of a run. The setup's image is kept on purpose: the next run starts from it."""
    wanted = f"label=autofix.run={run_id}"
    found = {kind: docker(*listing, "--filter", wanted).split() for kind, listing in LISTS.items()}
    found["images"] = [name for name in found["images"] if name != REPOSITORY]
    return {kind: names for kind, names in found.items() if names}


def of_runner(runner: Runner) -> list[str]:
    """The sandboxes that the action's container has right now."""
    around = docker("ps", "--no-trunc", "-q", "--filter", f"name=^{runner.container}$").strip()
    return docker("ps", "-q", "--filter", f"label=autofix.container={around}").split() if around else []


def environ(stage: Stage, server: AnthropicServer, **inputs: str) -> dict[str, str]:
    told = stage.environ(server, "workflow_run", {}, inputs)
    mounted = {"PATH", "HOME", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_EVENT_PATH", "RUNNER_TEMP"}
    return {name: value for name, value in told.items() if name not in mounted}


@pytest.fixture
def in_docker(stage: Stage) -> Stage:
    stage.inputs |= {"sandbox": "docker", "setup-command": SETUP, "mode": ""}
    stage.pull(base={".github/autofix.toml": 'flaky.reruns = 1\nsandbox.setup-files = ["README.md"]\n'})
    return stage


def test_the_container_fixes_pushes_comments_and_leaves_nothing_behind(image, runner, in_docker):
    with AnthropicServer([Turn([fix("add")]), Turn([DONE])], key=KEY) as server:
        ended = runner.run(image, environ(in_docker, server), in_docker.failure())
    outputs = file_command(ended.output)
    assert (outputs["outcome"], ended.exit_code) == ("fixed", 0), ended.log
    assert outputs["commit"] == in_docker.at() != in_docker.head
    assert "autofix fixed the failing checks" in in_docker.own_comment
    assert "Sandbox: docker" in in_docker.own_comment
    assert "autofix fixed the failing checks" in ended.summary
    for secret in (KEY, TOKEN, RUNNER_TOKEN):
        assert secret not in ended.log.replace(f"::add-mask::{secret}", "")
    assert not ended.left_running
    assert left(outputs["run-id"]) == {}
    for kind in ("env", "path", "state"):
        assert runner.files[kind].read_text() == ""


def test_later_steps_can_read_what_it_left_on_the_host(image, runner, in_docker):
    with AnthropicServer([Turn([fix("add")]), Turn([DONE])], key=KEY) as server:
        ended = runner.run(image, environ(in_docker, server, delivery="patch"), in_docker.failure())
    outputs = file_command(ended.output)
    assert outputs["outcome"] == "fixed", ended.log
    for name in ("patch-file", "result-file"):
        file = Path(outputs[name])
        assert file.is_relative_to(runner.temp)
        assert file.stat().st_uid == RUNNER_UID
    assert in_docker.at() == in_docker.head


def test_a_cancelled_job_leaves_no_container_and_a_written_outcome(image, runner, in_docker):
    with AnthropicServer([Turn([fix("add")], delay=60)], key=KEY) as server:
        ended = runner.run(image, environ(in_docker, server), in_docker.failure(), lambda: bool(server.raw_bodies))
    outputs = file_command(ended.output)
    assert outputs["outcome"] == "cancelled", ended.log
    assert not ended.left_running
    assert left(outputs["run-id"]) == {}
    assert "Cancelled" in in_docker.own_comment
    assert in_docker.at() == in_docker.head


def test_a_job_cancelled_during_its_setup_command_leaves_no_container_and_a_written_outcome(image, runner, in_docker):
    with AnthropicServer([], key=KEY) as server:
        told = environ(in_docker, server, setup_command="sleep 600")
        ended = runner.run(image, told, in_docker.failure(), lambda: bool(of_runner(runner)))
    outputs = file_command(ended.output)
    assert outputs["outcome"] == "cancelled", ended.log
    assert not ended.left_running
    assert left(outputs["run-id"]) == {}


def test_what_a_killed_job_left_is_removed_by_the_next(image, runner, in_docker, tmp_path):
    """No signal, no last word: containers and volumes are found again by their labels."""
    with AnthropicServer([Turn([fix("add")], delay=60)], key=KEY) as server:
        told = environ(in_docker, server, sandbox_files="copy")
        runner.run(image, told, in_docker.failure(), lambda: bool(server.raw_bodies), kill=True)
    (killed,) = [path.name for path in runner.temp.rglob("runs/*") if path.parent.name == "runs"]
    assert {"containers", "volumes"} <= left(killed).keys()
    assert in_docker.at() == in_docker.head

    following = Runner(tmp_path / "next", network="host")
    with AnthropicServer([Turn([fix("add")]), Turn([DONE])], key=KEY) as server:
        told = environ(in_docker, server) | {"GITHUB_EVENT_NAME": "issue_comment"}
        ended = following.run(image, told, events.issue_comment("/autofix retry"))

    outputs = file_command(ended.output)
    assert outputs["outcome"] == "fixed", ended.log
    assert left(killed) == {}
    assert left(outputs["run-id"]) == {}


def test_a_run_that_asked_goes_on_in_a_new_container_on_a_new_machine_with_nothing_but_the_repository(
    image, runner, in_docker, tmp_path
):
    wanted = edit("tests/test_sums.py", "add(2, 3) == 5", "add(2, 3) == -1")
    another = Runner(tmp_path / "another", network="host")
    with AnthropicServer([Turn([wanted]), Turn([fix("add")]), Turn([DONE])], key=KEY) as server:
        told = environ(in_docker, server)
        asked = runner.run(image, told, in_docker.failure())
        assert (file_command(asked.output)["outcome"], asked.exit_code) == ("awaiting_approval", 0), asked.log

        (answer,) = set(re.findall(r"/autofix deny \S+-1", in_docker.own_comment))
        told |= {"GITHUB_EVENT_NAME": "issue_comment", "INPUT_SETUP-COMMAND": "false"}
        ended = another.run(image, told, events.issue_comment(f"{answer} the test is right"))
        assert "the test is right" in json.dumps(server.bodies[1]["messages"])

    outputs = file_command(ended.output)
    assert (outputs["outcome"], ended.exit_code) == ("fixed", 0), ended.log
    assert outputs["run-id"] == file_command(asked.output)["run-id"]
    assert outputs["commit"] == in_docker.at() != in_docker.head
    assert left(outputs["run-id"]) == {}


PROCESSES = "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'; true"


@pytest.mark.parametrize("files", ["mount", "copy"])
def test_the_living_sandbox_holds_no_secret_for_an_engine_that_is_asked(image, runner, in_docker, files):
    """Looked at from outside, where nothing in the sandbox has a say: settings, environment, mounts, processes."""
    seen: list[dict] = []
    inside: list[str] = []

    replies = iter([Turn([bash("true")]), Turn([fix("add")]), Turn([DONE])])

    def model(body: dict) -> Turn:
        if len(body["messages"]) == 3:
            for sandbox in of_runner(runner):
                seen.extend(json.loads(docker("inspect", sandbox)))
                owner = docker("exec", sandbox, "stat", "-c", "%u:%g", "/workspace").strip()
                users = ("0:0", owner)  # each may look at its own processes; nobody there may look at all
                inside.append("".join(docker("exec", "-u", user, sandbox, "sh", "-c", PROCESSES) for user in users))
        return next(replies)

    with AnthropicServer(model, key=KEY) as server:
        ended = runner.run(image, environ(in_docker, server, sandbox_files=files), in_docker.failure())

    outputs = file_command(ended.output)
    assert outputs["outcome"] == "fixed", ended.log
    assert seen
    header = base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()
    for text in (json.dumps(seen), *inside):
        assert "sleep" in text, "it was looked at"
        for secret in (KEY, TOKEN, RUNNER_TOKEN, header, "INPUT_", "GITHUB_", "ACTIONS_"):
            assert secret not in text
    for container in seen:
        host = container["HostConfig"]
        assert [mount["Destination"] for mount in container["Mounts"]] == ["/workspace"]
        assert (host["NetworkMode"], host["Privileged"], host["CapDrop"]) == ("none", False, ["ALL"])
        assert (host["ReadonlyRootfs"], host["PidMode"], host["IpcMode"]) == (True, "", "private")
        assert not host["Binds"]
        assert not host["Devices"]
        assert host["SecurityOpt"] == ["no-new-privileges:true"]
        assert "docker.sock" not in json.dumps(container)
    assert left(outputs["run-id"]) == {}
