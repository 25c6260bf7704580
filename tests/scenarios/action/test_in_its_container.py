"""The whole thing: an event file, the real image, the flags of GitHub's runner, a sandbox as a sibling container."""

import fcntl
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.contract.rooms_here import room_or_skip
from tests.fakes.anthropic_server import AnthropicServer, Turn
from tests.fakes.runner import RUNNER_UID, Runner
from tests.scenarios.action.stage import KEY, RUNNER_TOKEN, TOKEN, Stage, file_command
from tests.scenarios.scene import DONE, fix

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


def siblings(outputs: dict[str, str]) -> list[str]:
    """What is left of a run's sandboxes."""
    wanted = f"label=autofix.run={outputs['run-id']}"
    listed = subprocess.run(["docker", "ps", "-aq", "--filter", wanted], capture_output=True, text=True, check=True)
    return listed.stdout.split()


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
    assert not siblings(outputs)
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
    assert not siblings(outputs)
    assert "Cancelled" in in_docker.own_comment
    assert in_docker.at() == in_docker.head
