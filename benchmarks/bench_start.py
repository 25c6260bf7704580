"""How long the command line takes to say something: `autofix --version`, and `autofix gate` for one command.

Beside the interpreter that runs it doing nothing, in turns.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

from benchmarks.row import Row
from benchmarks.stage import AUTOFIX

ROUNDS = 11
COMMANDS = {
    "nothing": (sys.executable, "-c", "pass"),
    "version": (AUTOFIX, "--version"),
    "gate": (AUTOFIX, "gate", "python -m pytest -q tests"),
}


def measure(rounds: int = ROUNDS) -> list[Row]:
    took: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(rounds):
        for name, argv in COMMANDS.items():
            took[name].append(_seconds(argv))
    nothing, version, gate = (statistics.median(took[name]) for name in COMMANDS)
    return [
        Row("autofix --version / python -c pass", version / nothing, 3, "x"),
        Row("autofix gate COMMAND / python -c pass", gate / nothing, 15, "x"),
        Row("  python -c pass", nothing * 1000, float("inf"), "ms"),
    ]


def _seconds(argv: Sequence[str]) -> float:
    start = time.perf_counter()
    done = subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    took = time.perf_counter() - start
    if done.returncode:
        raise RuntimeError(f"{argv} ended with {done.returncode}: {done.stderr.decode()[-500:]}")
    return took


if __name__ == "__main__":
    for row in measure():
        print(row)
