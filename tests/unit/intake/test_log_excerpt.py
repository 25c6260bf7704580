"""The part of a CI log that matters, in bounded memory, whatever the log holds."""

import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from autofix.intake.log_excerpt import excerpt
from autofix.ports.github_checks import Step


def at(second: int) -> str:
    return f"2026-01-02T03:04:{second:02d}.1234567Z "


def log(*lines: str, second: int = 0) -> bytes:
    return "".join(f"{at(second)}{line}\n" for line in lines).encode()


def step(name: str, start: int, end: int) -> Step:
    times = (datetime(2026, 1, 2, 3, 4, second, tzinfo=UTC) for second in (start, end))
    return Step(1, name, "failure", *times)


CHECKOUT = log("##[group]Run actions/checkout@v7", "with:", "##[endgroup]", "Syncing repository")
PYTEST = log(
    "##[group]Run pytest -q",
    "\x1b[36;1mpytest -q\x1b[0m",
    "shell: /usr/bin/bash -e {0}",
    "##[endgroup]",
    "F.                    [100%]",
    "E   assert 1 == 2",
    "##[error]Process completed with exit code 1.",
    second=20,
)
CLEANUP = log("Post job cleanup.", "[command]/usr/bin/git version", "Cleaning up orphan processes", second=40)


def test_the_failing_step_is_kept_from_its_command_to_its_error():
    found = excerpt([CHECKOUT + PYTEST + CLEANUP])
    assert found.command == "pytest -q"
    assert found.text == (
        "Run pytest -q\npytest -q\nshell: /usr/bin/bash -e {0}\n\nF.                    [100%]\n"
        "E   assert 1 == 2\nProcess completed with exit code 1."
    )
    assert (found.cut, found.total) == (0, len(CHECKOUT + PYTEST + CLEANUP))


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_it_does_not_matter_how_the_stream_is_cut(size):
    data = CHECKOUT + PYTEST + CLEANUP
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert excerpt(pieces) == excerpt([data])


def test_a_long_step_keeps_both_its_ends():
    middle = log(*(f"line {number}" for number in range(5000)))
    body = PYTEST.replace(log("F.                    [100%]", second=20), middle)
    found = excerpt([CHECKOUT + body + CLEANUP], limit=2000)
    assert found.text.startswith("Run pytest -q\n")
    assert found.text.endswith("Process completed with exit code 1.")
    assert "bytes of the log left out" in found.text
    assert found.cut > 100_000
    assert len(found.text) < 2100


def test_a_log_without_steps_keeps_both_its_ends():
    data = b"first line\n" + b"x\n" * 10_000 + b"last line\n"
    found = excerpt([data], limit=1000)
    assert found.command == ""
    assert found.text.startswith("first line")
    assert found.text.endswith("last line")
    assert found.cut == len(data) - 1000


def test_a_step_that_failed_without_harm_is_not_taken_for_the_one_the_api_names():
    soft = log("##[group]Run flake8", "E501", "##[error]Process completed with exit code 1.", second=10)
    assert excerpt([soft + PYTEST], [step("Lint", 9, 11)]).command == "flake8"
    assert excerpt([soft + PYTEST], [step("Tests", 20, 30)]).command == "pytest -q"
    assert excerpt([soft + PYTEST]).command == "pytest -q"


def test_steps_of_the_same_second_are_told_apart_by_name():
    first = log("##[group]Run make lint", "##[error]Process completed with exit code 2.", second=20)
    assert excerpt([first + PYTEST], [step("Run make lint", 20, 21)]).command == "make lint"


def test_an_annotation_inside_a_step_does_not_end_it():
    lines = log("##[group]Run pytest", "##[error]test_a failed", "more", "##[error]Process completed", "after")
    assert excerpt([lines]).text.endswith("Process completed")
    assert "more" in excerpt([lines]).text


def test_marks_in_the_middle_of_a_line_are_no_marks():
    data = PYTEST + log("echo ##[group]Run fake", "say  ##[error]fake", second=30)
    assert excerpt([data]).text == excerpt([PYTEST]).text


def test_a_mark_the_step_prints_itself_does_not_move_its_start():
    data = log("##[group]Run pytest", "it printed ##[group]Run fake", "E   assert", "##[error]exit code 1")
    assert excerpt([data]).text.startswith("Run pytest\nit printed")


def test_escape_sequences_control_characters_and_progress_are_gone():
    data = log(
        "##[group]Run x",
        "\x1b]8;;http://evil\x07link\x1b]8;;\x07 \x1b[1;31mred\x1b[0m \x1b(Bplain\x00\x08",
        " 10%\r 50%\r100%",
        "##[error]done",
    )
    assert excerpt([data]).text == "Run x\nlink red plain\n100%\ndone"


def test_windows_line_ends_and_a_byte_order_mark_are_understood():
    data = b"\xef\xbb\xbf" + PYTEST.replace(b"\n", b"\r\n")
    assert excerpt([data]).text == excerpt([PYTEST]).text


def test_bytes_that_are_no_text_do_not_stop_it():
    assert "\ufffd" in excerpt([log("##[group]Run x") + b"\xff\xfe\n" + log("##[error]e")]).text


def test_an_empty_log_is_an_empty_excerpt():
    found = excerpt([])
    assert (found.text, found.command, found.total) == ("", "", 0)


def _large(line: bytes, mebibytes: int) -> Iterator[bytes]:
    yield PYTEST[: PYTEST.index(b"F. ")]
    piece = line * (65536 // len(line))
    for _ in range(mebibytes * 1024 * 1024 // len(piece)):
        yield piece
    yield log("##[error]Process completed with exit code 1.")


HOSTILE = {
    "ordinary lines": b"2026-01-02T03:04:05.1234567Z tests/test_a.py::test_b PASSED\n",
    "errors": b"2026-01-02T03:04:05.1234567Z ##[error]x\n",
    "steps": b"2026-01-02T03:04:05.1234567Z ##[group]Run x\n",
    "false marks": b"x ##[group]Run ",
    "false marks in lines": b"x ##[group]Run \n",
    "one line": b"a" * 4096,
    "empty lines": b"\n",
}


@pytest.mark.parametrize("line", HOSTILE.values(), ids=HOSTILE)
def test_a_log_of_any_size_is_read_in_little_memory(line):
    tracemalloc.start()
    found = excerpt(_large(line, 16))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.total > 15 * 1024 * 1024
    assert peak < 2 * 1024 * 1024
    assert len(found.text) <= 33 * 1024
