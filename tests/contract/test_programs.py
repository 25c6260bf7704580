"""The door for small trusted programs, with real processes."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from autofix.ports.program import ProgramResult
from autofix.world.process import ProcessPrograms

LONG = 30.0
ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


def run(*argv: str, stdin: bytes = b"", timeout: float = LONG, **more) -> ProgramResult:
    return ProcessPrograms().run(argv, stdin, timeout=timeout, environment=more.pop("environment", ENVIRONMENT), **more)


def test_bytes_go_in_and_come_out_on_two_streams():
    result = run("sh", "-c", "cat; echo problem >&2; exit 3", stdin=b"\0\xff\r\n")
    assert result == ProgramResult(3, b"\0\xff\r\n", b"problem\n")


def test_a_large_input_and_output_do_not_block_each_other():
    data = os.urandom(3_000_000)
    assert run("cat", stdin=data, output_limit=4_000_000).stdout == data


def test_a_program_that_does_not_read_its_input_is_no_failure():
    assert run("true", stdin=bytes(1_000_000)).exit_code == 0


def test_only_the_named_variables_are_seen(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AUTOFIX_CANARY", "canary")
    assert run("env", environment={"PATH": "/usr/bin:/bin", "ONLY": "this"}).stdout.splitlines() == [
        b"PATH=/usr/bin:/bin",
        b"ONLY=this",
    ]


def test_it_starts_where_it_is_told(tmp_path: Path):
    assert run("pwd", cwd=str(tmp_path)).stdout.decode().strip() == str(tmp_path)


@pytest.mark.parametrize(
    ("argv", "code"),
    [(["no-such-program"], 127), (["/etc/passwd"], 126), (["true", "a\0b"], 126), (["true", "x" * 200_000], 126)],
    ids=["missing", "not executable", "NUL", "too long"],
)
def test_what_cannot_be_started_is_a_result_with_a_reason(argv: list[str], code: int):
    result = run(*argv)
    assert result.exit_code == code
    assert argv[0].encode() in result.stderr


def test_an_ending_by_signal_is_negative():
    assert run("sh", "-c", "kill -9 $$").exit_code == -9


def test_output_past_the_limit_is_dropped_and_said():
    result = run("head", "-c", "1000000", "/dev/zero", output_limit=1000)
    assert (len(result.stdout), result.overflowed, result.exit_code) == (1000, True, 0)


@pytest.mark.parametrize("script", ["sleep 600", "trap '' TERM; sleep 600 & wait", "yes", "exec >&- 2>&-; sleep 600"])
def test_a_program_past_its_time_is_killed(script: str):
    result = run("sh", "-c", script, timeout=0.3)
    assert (result.timed_out, result.exit_code) == (True, -9)


def test_a_child_that_keeps_the_output_open_and_writes_for_ever_does_not_hold_us_up(tmp_path: Path):
    result = run("sh", "-c", "yes & sleep 0.2", cwd=str(tmp_path), timeout=LONG)
    assert (result.exit_code, result.timed_out, result.overflowed) == (0, False, True)


def test_its_group_is_ended_with_it(tmp_path: Path):
    beats = tmp_path / "beats"
    script = "(while :; do echo x >> beats; sleep 0.02; done) & until [ -s beats ]; do sleep 0.01; done"
    run("sh", "-c", script, cwd=str(tmp_path))
    size = beats.stat().st_size
    time.sleep(0.3)
    assert beats.stat().st_size == size


def test_no_descriptor_of_ours_is_inherited():
    script = "import os; print(sorted(int(n) for n in os.listdir('/proc/self/fd')))"
    with open(os.devnull) as spare:  # noqa: PTH123 - a descriptor is what is wanted
        os.set_inheritable(spare.fileno(), True)
        said = run(sys.executable, "-S", "-c", script).stdout.decode()
    assert said == "[0, 1, 2, 3]\n"  # 3 is the listing's own


def open_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_no_descriptor_is_left_open_here():
    run("true")
    before = open_descriptors()
    for _ in range(5):
        run("sh", "-c", "echo x; echo y >&2", stdin=b"z")
        run("no-such-program")
        run("sleep", "600", timeout=0.05)
    assert open_descriptors() == before
