"""A run of forty turns, killed in the middle of the next one: how long until it is back where it was."""

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks import stage
from benchmarks.bench_short import HOST, call
from benchmarks.model_server import ModelServer
from benchmarks.row import Row
from benchmarks.stage import CHECK, RIGHT_LINE, WRONG_LINE

TURNS = 40
_LONGEST = 300.0
_SLEEP = "sleep 300"


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        repository = stage.repository(home / "work")
        state = home / "state"
        _killed_in_the_middle(repository, home, state)
        edit = call("Edit", file_path="shop/cart.py", old_string=WRONG_LINE, new_string=RIGHT_LINE)
        with ModelServer([[edit], [call("Bash", command=CHECK)]]) as server:
            argv = [stage.AUTOFIX, "resume", "last", "--state-dir", str(state), "--output-format", "json", "--quiet"]
            ran, _ = stage.run_program(argv, server, home, repository.path)
    return [Row(f"resume of a {TURNS}-turn run, to its next request", ran.to_first_request, 2, "s")]


def _killed_in_the_middle(repository: stage.Repository, home: Path, state: Path) -> None:
    script = [[call("Bash", command=f"seq {turn} {turn + 680}")] for turn in range(TURNS)]
    script += [[call("Bash", command=_SLEEP)]]
    argv = [stage.AUTOFIX, "run", "--repo", str(repository.path), "--head", "feature", "--check", CHECK]
    argv += ["--delivery", "dry-run", "--state-dir", str(state), "--quiet", *HOST]
    with ModelServer(script) as server, (home / "killed").open("wb") as said:
        process = subprocess.Popen(
            argv,
            cwd=repository.path,
            env={**stage.environment(home), **server.environment},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
        waited = time.monotonic() + _LONGEST
        while not _sleeps(state):
            if process.poll() is not None or time.monotonic() > waited:
                raise RuntimeError(f"the run to be killed ended: {(home / 'killed').read_text()[-2000:]}")
            time.sleep(0.05)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _sleeps(state: Path) -> bool:
    return any(_SLEEP in journal.read_text() for journal in state.glob("runs/*/journal.jsonl"))


if __name__ == "__main__":
    for row in measure():
        print(row)
