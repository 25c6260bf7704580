"""The action's image: what it adds to its base, and how long its container takes to the first decision.

Built from this tree, with the engine's cache. A start-up is measured to the end of a run that an input stops: process,
clean restart, imports of the entry, inputs read, outputs written.
"""

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from benchmarks.row import Row

ROOT = Path(__file__).parents[1]
BASE = "python:3.13-slim"
IMAGE = "autofix-benchmark:action"
SIZE_BAR = 260.0
"""MiB beyond the base."""
START_BAR = 3.0
"""Seconds."""
TRIES = 5


def measure() -> list[Row]:
    why = _build()
    if why:
        return [Row.left_out("action image", why)]
    added = (_size(IMAGE) - _size(BASE)) / 1024 / 1024
    return [
        Row("action image, beyond its base", round(added, 1), SIZE_BAR, "MiB"),
        Row("container start to a refused input", round(median(_start() for _ in range(TRIES)), 2), START_BAR, "s"),
        Row(
            "of that, a container that does nothing",
            round(median(_nothing() for _ in range(TRIES)), 2),
            float("inf"),
            "s",
        ),
    ]


def _build() -> str:
    try:
        done = subprocess.run(
            ["docker", "build", "-q", "-t", IMAGE, str(ROOT)], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return "no docker client"
    return done.stderr.strip()[-200:] if done.returncode else ""


def _size(image: str) -> int:
    shown = subprocess.run(
        ["docker", "image", "inspect", "--format", "{{.Size}}", image], capture_output=True, text=True, check=True
    )
    return int(shown.stdout)


def _start() -> float:
    started = time.monotonic()
    done = subprocess.run(
        ["docker", "run", "--rm", "-e", "INPUT_STAGE=no-such-stage", IMAGE], capture_output=True, text=True, check=False
    )
    assert "the input 'stage'" in done.stdout, done.stdout + done.stderr
    return time.monotonic() - started


def _nothing() -> float:
    started = time.monotonic()
    subprocess.run(["docker", "run", "--rm", "--entrypoint", "true", IMAGE], check=True)
    return time.monotonic() - started


if __name__ == "__main__":
    for row in measure():
        sys.stdout.write(f"{row}\n")
