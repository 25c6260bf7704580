"""Every bar this program can reach, measured: `make bench`. A report, which fails only when told to (`--check`).

Figures without a bar explain the one above them. Ratios are taken in one run, so that a loaded machine shows in both.
"""

import argparse
import importlib.util
import json
import math
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.machine import described
from benchmarks.row import Row

PARTS: dict[str, str] = {
    "short": "the short trajectory, first request, memory",
    "long": "the long trajectory, price, history",
    "start": "start-up",
    "gate": "verdicts",
    "docker": "the container's round trip",
    "image": "the action's image",
    "tree": "work trees and scopes",
    "junit": "reports",
    "log": "CI logs",
    "journal": "the journal",
    "resume": "a killed run that goes on",
}
QUICK = ("start", "docker", "log", "journal", "junit")
"""Done within a minute."""
_WIDTH = 78


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; default: all")
    parser.add_argument("--quick", action="store_true", help=f"only {', '.join(QUICK)}")
    parser.add_argument("--check", action="store_true", help="exit 1 where a bar does not hold")
    told = parser.parse_args()
    unknown = [part for part in told.parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}")
    chosen = told.parts or (QUICK if told.quick else tuple(PARTS))
    print(described())
    print(_line("", "measured", "bar", "of bar", "holds"))
    missed = sum(_show(row) for part in chosen for row in _measured(part))
    print(f"{missed} bars do not hold" if missed else "every bar holds")
    return int(told.check and missed > 0)


def _measured(part: str) -> Iterator[Row]:
    """A part's rows, from a process of its own: a child's peak memory counts from its parent's at the fork."""
    print(f"-- {PARTS[part]}", flush=True)
    if importlib.util.find_spec(f"benchmarks.bench_{part}") is None:
        yield Row.left_out(part, "there is no such measurement yet")
        return
    program = f"import json, benchmarks.bench_{part} as part; print(json.dumps(part.measure()))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        yield Row(f"{part}: {said[-1]}", 1, 0, "")  # a measurement that broke is no bar that holds
        return
    yield from (Row(*row) for row in json.loads(done.stdout.splitlines()[-1]))


def _show(row: Row) -> bool:
    """Print a row; whether it misses its bar."""
    if row.why_not:
        print(_line(row.name, "left out", "", "", row.why_not), flush=True)
        return False
    measured = f"{row.measured:.4g} {row.unit}".rstrip()
    if math.isinf(row.bar):
        print(_line(row.name, measured, "", "", ""), flush=True)
        return False
    bar = f"{'>=' if row.at_least else '<='} {row.bar:.4g}"
    share = f"{row.measured / row.bar:.2f}" if row.bar else ""
    print(_line(row.name, measured, bar, share, "yes" if row.holds else "NO"), flush=True)
    return not row.holds


def _line(name: str, measured: str, bar: str, share: str, holds: str) -> str:
    return f"{name:<{_WIDTH}} {measured:>14} {bar:>10} {share:>7}  {holds}".rstrip()


if __name__ == "__main__":
    sys.exit(main())
