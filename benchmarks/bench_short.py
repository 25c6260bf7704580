"""The short trajectory: read, test, edit, test, end, on a small real repository with real pytest.

What is beyond the workload is the wall clock less the seconds of the commands and checks themselves; autofix's baseline
and verification runs are workload too.
"""

import statistics
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks import stage
from benchmarks.docker_image import image_with_pytest
from benchmarks.model_server import ModelServer
from benchmarks.row import Row
from benchmarks.stage import CHECK, RIGHT_LINE, WRONG_LINE, Ran

HOST = ("--sandbox", "host", "--mode", "bypass-permissions")

_EDIT = r"sed -i 's/prices\[1:\]/prices/' shop/cart.py"


def call(name: str, **inputs: object) -> dict[str, object]:
    return {"type": "tool_use", "name": name, "input": inputs}


DONE = [{"type": "text", "text": "Both tests pass now."}]
OURS = [
    [call("Read", file_path="shop/cart.py")],
    [call("Bash", command=CHECK)],
    [call("Edit", file_path="shop/cart.py", old_string=WRONG_LINE, new_string=RIGHT_LINE)],
    [call("Bash", command=CHECK)],
    DONE,
]
THEIRS = [[call("bash", command=command)] for command in ("cat shop/cart.py", CHECK, _EDIT, CHECK)] + [DONE]


def measure(rounds: int = 5) -> list[Row]:
    image = image_with_pytest()
    host, docker, minimal = [], [], []
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        repository = stage.repository(home / "work")
        for _ in range(rounds):
            host.append(_ours(repository, home, HOST))
            if image:
                docker.append(_ours(repository, home, ("--sandbox", "docker", "--sandbox-image", image)))
            with ModelServer(THEIRS) as server:
                minimal.append(stage.loop("minimal", repository, server, home))
    return [*_beyond(host, minimal), *_in_docker(docker, minimal), *_first_request(host, minimal)]


def _ours(repository: stage.Repository, home: Path, options: Sequence[str]) -> Ran:
    with ModelServer(OURS) as server:
        ran = stage.autofix(repository, server, home, *options)
    if ran.stats["outcome"] != "fixed":
        raise RuntimeError(f"the short trajectory ended as {ran.stats['outcome']}: {ran.stats['reason']}")
    return ran


def _beyond(host: Sequence[Ran], minimal: Sequence[Ran]) -> list[Row]:
    theirs = _median(ran.beyond for ran in minimal)
    ours = _median(ran.beyond for ran in host)
    return [
        Row("short run, host room: wall beyond the workload / minimal loop's", ours / theirs, 0.3, "x"),
        Row("  autofix, host room", ours, float("inf"), "s"),
        Row("  minimal loop", theirs, float("inf"), "s"),
        Row("  autofix: CPU with its children", _median(ran.cpu for ran in host), float("inf"), "s"),
    ]


def _in_docker(docker: Sequence[Ran], minimal: Sequence[Ran]) -> list[Row]:
    if not docker:
        return [Row.left_out("short run, Docker room / minimal loop's on the host", "no Docker engine answers")]
    ours, theirs = _median(ran.beyond for ran in docker), _median(ran.beyond for ran in minimal)
    return [
        Row("short run, Docker room: wall beyond the workload / minimal loop's", ours / theirs, 0.8, "x"),
        Row("  autofix, Docker room", ours, float("inf"), "s"),
    ]


def _first_request(host: Sequence[Ran], minimal: Sequence[Ran]) -> list[Row]:
    theirs = _median(ran.peak for ran in minimal)
    return [
        Row("first request: tools and system, tokens", host[0].stats["head_tokens"], 2000, "tokens"),
        Row("peak memory / minimal loop's", _median(ran.peak for ran in host) / theirs, 1.3, "x"),
        Row("  autofix", _median(ran.peak for ran in host) / 1024, float("inf"), "MB"),
    ]


def _median(values: Iterable[float]) -> float:
    return statistics.median(values)


if __name__ == "__main__":
    for row in measure(2):
        print(row)
