"""JUnit XML of 100,000 cases and 49 MB: time beside bare iterparse, memory of the whole reading."""

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.row import Row

CASES = 100_000
ROUNDS = 5

_BARE = """
from xml.etree.ElementTree import iterparse
cases = 0
for _, element in iterparse(path):
    if element.tag == "testcase":
        cases += 1
        element.clear()
"""
_STREAMED = """
from autofix.checks.reports.junit import CHUNK, JUnitParser
seen = []
parser = JUnitParser(lambda case: seen.append(None))
with open(path, "rb") as report:
    while chunk := report.read(CHUNK):
        assert parser.feed(chunk) is None
assert not parser.close()
cases = len(seen)
"""
_WHOLE = """
from autofix.checks.runners.pytest import parse
from autofix.checks.runners.runner import Left
report = open(path, "rb").read()
started = now()
cases = len(parse(Left(report, 1, "")).cases)
"""
_FRAME = """
import resource, sys, time
now = time.process_time
path = sys.argv[1]
{imports}
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
started = now()
{body}
print(cases, now() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def measure() -> list[Row]:
    """Medians of interleaved rounds, each in a process of its own; CPU seconds, peak MB of the process."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "report.xml"
        write_report(path)
        readings = {name: [] for name in ("bare", "streamed", "whole")}
        for _ in range(ROUNDS):
            for name, body in (("bare", _BARE), ("streamed", _STREAMED), ("whole", _WHOLE)):
                readings[name].append(_run(body, path))
        size = path.stat().st_size / 1e6
    seconds = {name: median(reading[0] for reading in taken) for name, taken in readings.items()}
    peak = {name: median(reading[1] for reading in taken) for name, taken in readings.items()}
    what = f"JUnit, {CASES} cases, {size:.0f} MB"
    return [
        Row(f"{what}: streamed, CPU beside bare iterparse", seconds["streamed"] / seconds["bare"], 1.5, "x"),
        Row(f"{what}: into cases by node id, CPU beside bare iterparse", seconds["whole"] / seconds["bare"], 1.5, "x"),
        Row(f"{what}: streamed, peak of the process", peak["streamed"], 60, "MB"),
        Row(f"{what}: into cases, peak beyond the report's own bytes", peak["whole"] - size, 60, "MB"),
    ]


def _run(body: str, path: Path) -> tuple[float, float]:
    lines = body.strip().splitlines()
    imports = "\n".join(line for line in lines if line.startswith(("import", "from")))
    rest = "\n".join(line for line in lines if not line.startswith(("import", "from")))
    program = _FRAME.format(imports=imports, body=rest)
    ran = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    cases, seconds, peak = ran.stdout.split()
    assert int(cases) == CASES
    return float(seconds), float(peak)


def write_report(path: Path) -> None:
    """What pytest writes of a large suite: one test in ten fails with a trace of 4 KB."""
    trace = "def test():\n&gt;   assert f(x) == 2 &amp;&amp; y\nE   AssertionError: assert 1 == 2\n" * 40
    with path.open("w") as report:
        report.write('<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest">')
        for number in range(CASES):
            module = f"tests.unit.package_{number % 50}.test_module_{number % 500}"
            failure = f'<failure message="AssertionError: assert 1 == 2">{trace}</failure>' if number % 10 == 0 else ""
            report.write(
                f'<testcase classname="{module}.TestSomething" name="test_case_{number}[param-{number}]" '
                f'file="{module.replace(".", "/")}.py" line="{number % 300}" time="0.001">{failure}</testcase>\n'
            )
        report.write("</testsuite></testsuites>")


if __name__ == "__main__":
    for row in measure():
        print(f"{row.name}: {row.measured:.2f} {row.unit} (bar {row.bar}) {'holds' if row.holds else 'FALLS SHORT'}")
