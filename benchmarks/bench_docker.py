"""One command's round trip in the Docker room: a fresh shell each, over the one open stream."""

import statistics
import tempfile
import time
from pathlib import Path

from autofix.ports.sandbox import SandboxSpec, ShellCommand
from benchmarks.docker_image import BASE, image_with_pytest
from benchmarks.row import Row

ROUNDS = 60


def measure() -> list[Row]:
    name = "one Bash round trip, Docker room, median"
    if image_with_pytest() is None:
        return [Row.left_out(name, "no Docker engine with the image answers")]
    from autofix.world.docker_room import DockerRoom

    with tempfile.TemporaryDirectory() as directory:
        tree = Path(directory)
        tree.chmod(0o755)
        start = time.perf_counter()
        sandbox = DockerRoom().open(SandboxSpec(run_id="benchmark", image=BASE), tree)
        opened = time.perf_counter() - start
        sandbox.run(ShellCommand("true", 30.0))
        took = []
        for number in range(ROUNDS):
            start = time.perf_counter()
            ended = sandbox.run(ShellCommand(f"seq {number} {number + 900}", 30.0))
            took.append(time.perf_counter() - start)
            assert ended.exit_code == 0
        start = time.perf_counter()
        sandbox.close()
        closed = time.perf_counter() - start
    return [
        Row(name, statistics.median(took) * 1000, 10, "ms"),
        Row("  container opened", opened * 1000, float("inf"), "ms"),
        Row("  container closed", closed * 1000, float("inf"), "ms"),
    ]


if __name__ == "__main__":
    for row in measure():
        print(row)
