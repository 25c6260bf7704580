"""What every loop is measured on: a small real repository whose tests fail, and programs run to their end."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.model_server import ModelServer, Seen
from tests.fakes.repositories import Repository

ROOT = Path(__file__).resolve().parent.parent
CHECK = "python -m pytest -q"
TASK = f"The tests of this repository fail. Make `{CHECK}` pass."
AUTOFIX = str(Path(sys.executable).parent / "autofix")
PATH = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
"""The interpreter that has pytest, then the system's programs."""

_RIGHT = "def total(prices):\n    return sum(prices)\n"
WRONG_LINE, RIGHT_LINE = "return sum(prices[1:])", "return sum(prices)"
_TESTS = """from shop.cart import total


def test_total_of_none():
    assert total([]) == 0


def test_total_of_one():
    assert total([5]) == 5


def test_total_of_two():
    assert total([2, 3]) == 5
"""
CONFIGURATION = """[limits]
turns = 1000
tool-calls = 2000
input-tokens = 1000000000
output-tokens = 1000000000
minutes = 60
usd = 0
[flaky]
reruns = 3
[sandbox]
environment = {PYTEST_DISABLE_PLUGIN_AUTOLOAD = "1"}
"""


@dataclass(frozen=True, slots=True)
class Ran:
    """One program, run to its end.

    Attributes:
        wall, cpu: seconds; the CPU is the program's own with all the children it waited for.
        workload: seconds of the commands it ran, one by one in `commands`.
        peak: kilobytes of the program itself at its largest.
        turns: what the model's server saw at each request.
        stats: the server's account.
        began: seconds since the epoch.
    """

    wall: float
    cpu: float
    workload: float
    peak: int
    turns: tuple[Seen, ...]
    stats: Mapping[str, Any]
    began: float
    commands: tuple[float, ...] = ()

    @property
    def beyond(self) -> float:
        return self.wall - self.workload

    @property
    def to_first_request(self) -> float:
        return self.turns[0].at - self.began

    @property
    def price(self) -> float:
        """Of the input, in tokens at the plain price."""
        stats = self.stats
        written, read = stats["cache_creation_input_tokens"], stats["cache_read_input_tokens"]
        return float(stats["input_tokens"] + 1.25 * written + 0.1 * read)


def repository(path: Path) -> Repository:
    """A branch `feature` whose change makes two of three tests fail."""
    made = Repository.create(path)
    made.commit(
        {
            "shop/__init__.py": "",
            "shop/cart.py": _RIGHT,
            "tests/test_cart.py": _TESTS,
            ".github/autofix.toml": CONFIGURATION,
        }
    )
    made.branch("feature")
    made.commit({"shop/cart.py": _RIGHT.replace(RIGHT_LINE, WRONG_LINE)}, "Sum the cart")
    return made


def environment(home: Path) -> dict[str, str]:
    return {
        "PATH": PATH,
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        **{name: value for name, value in os.environ.items() if name.startswith("DOCKER_")},
    }


def autofix(repo: Repository, server: ModelServer, home: Path, *options: str) -> Ran:
    """`autofix run` as people call it; its workload is what its own journal says the checks and commands took."""
    state = home / f"state-{time.monotonic_ns()}"
    argv = [AUTOFIX, "run", "--repo", str(repo.path), "--head", "feature", "--check", CHECK, "--delivery", "dry-run"]
    argv += ["--state-dir", str(state), "--output-format", "json", *options]
    ran, output = run_program(argv, server, home, repo.path)
    result = json.loads(output or "{}")
    lines = (state / "runs" / result["run_id"] / "journal.jsonl").read_text().splitlines()
    events = [json.loads(line.partition(" ")[2]) for line in lines]
    checks = [event[5]["seconds"] for event in events if event[3] == "check_ran"]
    commands = [event[5]["seconds"] or 0.0 for event in events if event[3] == "tool_ended"]
    stats = {**ran.stats, "outcome": result["outcome"], "reason": result["reason"]}
    return replace(ran, workload=sum(checks) + sum(commands), commands=tuple(commands), stats=stats)


def loop(name: str, repo: Repository, server: ModelServer, home: Path) -> Ran:
    """One of this folder's loops on a checkout of its own."""
    repo.git("checkout", "-q", "--", ".")
    argv = [sys.executable, str(ROOT / "benchmarks" / f"{name}_loop.py"), str(repo.path), TASK]
    ran, output = run_program(argv, server, home, repo.path)
    commands = json.loads(output)
    return replace(ran, workload=sum(commands), commands=tuple(commands))


def run_program(argv: Sequence[str], server: ModelServer, home: Path, cwd: Path) -> tuple[Ran, str]:
    """Any program, to its end, and what it printed."""
    began, start = time.time(), time.monotonic()
    with (home / "stderr").open("wb") as errors:
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env={**environment(home), **server.environment},
            stdout=subprocess.PIPE,
            stderr=errors,
            stdin=subprocess.DEVNULL,
        )
        server.watch(process.pid)
        assert process.stdout is not None
        output = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    if process.returncode not in {0, 10}:
        raise RuntimeError(f"{argv[0]} ended with {process.returncode}: {(home / 'stderr').read_text()[-2000:]}")
    peak = max((seen.peak for seen in server.turns()), default=0)
    cpu = usage.ru_utime + usage.ru_stime
    return Ran(wall, cpu, 0.0, peak, tuple(server.turns()), server.stats(), began), output
