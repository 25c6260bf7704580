"""A stand-in for GitHub's runner: starts a container action with the flags of actions/runner 2.336.

Names of variables only on the command line, values through the client's environment; the engine's socket and the five
`/github` mounts; SIGINT, 7.5 s later SIGTERM, 2.5 s later the end of the client alone when a job is cancelled.
"""

import json
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PATIENCE = 110.0
"""Seconds until an action that hangs is a failed test."""
RUNNER_UID = 1001


@dataclass(frozen=True)
class StepEnded:
    """What a step left."""

    exit_code: int
    log: str
    output: str
    summary: str
    left_running: bool


@dataclass
class Runner:
    """One job's folders on the host: below `directory`, owned by the runner's user."""

    directory: Path
    network: str | None = None
    container: str = ""
    """The name of the last step's."""
    files: dict[str, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.temp = self.directory / "_temp"
        self.workspace = self.directory / "widgets"
        self.home, self.flow, self.commands = (
            self.temp / name for name in ("_github_home", "_github_workflow", "_runner_file_commands")
        )
        for folder in (self.workspace, self.home, self.flow, self.commands):
            folder.mkdir(parents=True, exist_ok=True)
        for kind in ("output", "env", "path", "state", "step_summary"):
            self.files[kind] = self.commands / f"{kind}_{uuid.uuid4()}"
            self.files[kind].touch()
        for folder, folders, files in os.walk(self.directory):
            for name in (".", *folders, *files):
                os.chown(Path(folder) / name, RUNNER_UID, RUNNER_UID)

    def run(
        self,
        image: str,
        environ: Mapping[str, str],
        event: Any,
        cancel_when: Callable[[], bool] | None = None,
        *,
        kill: bool = False,
    ) -> StepEnded:
        """Start the action's container and wait for its end; once `cancel_when` says so cancel the job.

        With `kill` the container is killed instead, as when the machine takes it away.
        """
        (self.flow / "event.json").write_text(json.dumps(event), encoding="utf-8")
        environ = {**environ, **self._of_the_job(), "GITHUB_ACTIONS": "true", "CI": "true"}
        name = self.container = f"action_{uuid.uuid4().hex[:6]}"
        command = ["docker", "run", "--name", name, "--label", name, "--workdir", "/github/workspace", "--rm"]
        for variable in environ:
            command += ["-e", variable]
        if self.network:
            command += ["--network", self.network]
        for host, inside in self._mounts():
            command += ["-v", f"{host}:{inside}"]
        client = subprocess.Popen(
            [*command, image],
            env={"PATH": os.environ["PATH"], **environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            if cancel_when is not None:
                _await(client, cancel_when)
                if kill:
                    subprocess.run(["docker", "kill", name], capture_output=True, check=True)
                else:
                    _cancel(client)
            log, _ = client.communicate(timeout=PATIENCE)
        finally:
            client.kill()
            client.wait()
            left = _running(name)
            subprocess.run(["docker", "rm", "-f", name], capture_output=True, check=False)
        output, summary = (self.files[kind].read_text(encoding="utf-8") for kind in ("output", "step_summary"))
        return StepEnded(client.returncode, log, output, summary, left)

    def _mounts(self) -> list[tuple[str, str]]:
        return [
            ("/var/run/docker.sock", "/var/run/docker.sock"),
            (str(self.temp), "/github/runner_temp"),
            (str(self.home), "/github/home"),
            (str(self.flow), "/github/workflow"),
            (str(self.commands), "/github/file_commands"),
            (str(self.workspace), "/github/workspace"),
        ]

    def _of_the_job(self) -> dict[str, str]:
        commands = {f"GITHUB_{kind.upper()}": f"/github/file_commands/{path.name}" for kind, path in self.files.items()}
        return {
            **commands,
            "HOME": "/github/home",
            "GITHUB_EVENT_PATH": "/github/workflow/event.json",
            "GITHUB_WORKSPACE": "/github/workspace",
            "RUNNER_TEMP": "/github/runner_temp",
            "RUNNER_WORKSPACE": str(self.directory),
        }


def _await(client: subprocess.Popen[str], when: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not when():
        assert client.poll() is None, f"it ended before it could be cancelled: {client.communicate()[0][-2000:]}"
        assert time.monotonic() < until, "the moment to cancel never came"
        time.sleep(0.05)


def _cancel(client: subprocess.Popen[str]) -> None:
    for sent, patience in ((signal.SIGINT, 7.5), (signal.SIGTERM, 2.5)):
        client.send_signal(sent)
        try:
            client.wait(patience)
        except subprocess.TimeoutExpired:
            continue
        return
    client.kill()


def _running(name: str) -> bool:
    listed = subprocess.run(
        ["docker", "ps", "-q", "--filter", f"name=^{name}$"], capture_output=True, text=True, check=True
    )
    return bool(listed.stdout.strip())
