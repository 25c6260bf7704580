"""The journal: one event written, announced deeds synced to the disk, and ten thousand read back and folded."""

import tempfile
import time
from pathlib import Path

from autofix.state.events import Kind
from autofix.state.journal import Journal, read
from autofix.state.run_state import fold
from autofix.world.clock import SystemClock
from benchmarks.row import Row

EVENTS = 10_000
SYNCED = 300
RESULT = "line of output\n" * 70
"""1 KB, as a tool's result has."""


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as directory:
        synced = _synced(Path(directory) / "synced.jsonl")
        folding = _folding(Path(directory) / "long.jsonl")
    return [
        Row("journal append with its sync, p99", synced[int(len(synced) * 0.99)] * 1000, 10, "ms"),
        Row("  median", synced[len(synced) // 2] * 1000, float("inf"), "ms"),
        Row("fold of 10,000 events, read from disk", folding, 1, "s"),
    ]


def _synced(path: Path) -> list[float]:
    journal = Journal.create(path, SystemClock())
    journal.append(Kind.RUN_STARTED, {"run": "x"}, plan=0)
    took = []
    for number in range(SYNCED):
        start = time.perf_counter()
        journal.append(Kind.TOOL_CALLED, {"id": str(number), "input": {"command": RESULT}}, plan=1)
        took.append(time.perf_counter() - start)
        journal.append(Kind.TOOL_ENDED, {"id": str(number), "result": RESULT}, plan=1)
    journal.close()
    return sorted(took)


def _folding(path: Path) -> float:
    """Written without waiting for the disk: only the reading is measured."""
    journal = Journal.create(path, SystemClock())
    journal.append(Kind.RUN_STARTED, {"run": "x"}, plan=0)
    for _ in range(EVENTS):
        journal.append(Kind.MODEL_REPLIED, {"text": RESULT}, plan=1)
    journal.close()
    start = time.perf_counter()
    state = fold(read(path).events)
    took = time.perf_counter() - start
    assert state.events == EVENTS + 1
    return took


if __name__ == "__main__":
    for row in measure():
        print(row)
