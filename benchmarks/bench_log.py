"""A CI log of 100 MB, cut to the part that matters, in a process of its own."""

import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime

from benchmarks.row import Row

MEGABYTES = 100


def measure() -> list[Row]:
    argv = [sys.executable, "-c", "import benchmarks.bench_log as b; b._print_cut()"]
    baseline = [sys.executable, "-c", "import benchmarks.bench_log as b; b._print_nothing()"]
    seconds, peak = _floats(argv)
    return [
        Row("CI log of 100 MB cut to its part", seconds, 1.5, "s"),
        Row("CI log of 100 MB, peak memory", peak, 60, "MB"),
        Row("  the interpreter with its imports", _floats(baseline)[1], float("inf"), "MB"),
    ]


def _floats(argv: list[str]) -> tuple[float, float]:
    done = subprocess.run(argv, check=True, capture_output=True, text=True)
    seconds, peak = done.stdout.split()
    return float(seconds), float(peak)


def _print_cut() -> None:
    from autofix.intake.log_excerpt import excerpt
    from autofix.ports.github_checks import Step

    passing, failing = list(_pieces("10:15:30")), list(_pieces("10:25:30", error=True))
    failed = Step(3, "Run pytest", "failure", datetime(2026, 11, 3, 10, 25, tzinfo=UTC), None)
    log = (piece for number in range(MEGABYTES) for piece in (failing if number == MEGABYTES // 2 else passing))
    start = time.perf_counter()
    found = excerpt(log, [failed])
    took = time.perf_counter() - start
    assert "exit code 1" in found.text
    _print(took)


def _print_nothing() -> None:
    import autofix.intake.log_excerpt  # noqa: F401 - its memory is what is measured

    _print(0.0)


def _print(seconds: float) -> None:
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def _pieces(clock: str, *, error: bool = False) -> Iterator[bytes]:
    """1 MB of a log as a runner writes it, in the 64 KiB pieces it is downloaded in."""
    stamp = f"2026-11-03T{clock}.1234567Z"
    lines = [f"{stamp} ##[group]Run pytest -q\n"]
    lines += [f"{stamp} tests/test_module_{n % 97}.py::test_case_{n} PASSED [ {n % 100}%]\n" for n in range(13_300)]
    lines += [f"{stamp} ##[error]Process completed with exit code 1.\n"] * error
    data = "".join(lines).encode()
    for at in range(0, len(data), 65536):
        yield data[at : at + 65536]


if __name__ == "__main__":
    for row in measure():
        print(row)
