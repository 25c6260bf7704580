import io
import time

import pytest

from autofix.cli.live import LiveView
from autofix.state.events import Kind
from autofix.state.recorder import Recorder
from tests.fakes.recorder import ListJournal, ManualClock, started_recorder


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown(stream, text):
    recorder = started_recorder(LiveView(stream))
    recorder.note(text)
    return stream.getvalue().splitlines()[-1]


@pytest.fixture
def terminal(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    return Terminal()


def test_a_pipe_gets_plain_lines():
    assert shown(io.StringIO(), "the cache was cold") == "   note: the cache was cold"


def test_a_terminal_gets_colours_unless_it_asked_for_none(terminal, monkeypatch):
    assert "\x1b[33m" in shown(terminal, "the cache was cold")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in shown(Terminal(), "the cache was cold")


@pytest.mark.parametrize(
    "text", ["\x1b]0;owned\x07\x1b[2J", "[bold red]x[/]", "a\n::error::b", "##[error]c", "\u202eevil"]
)
def test_no_text_of_others_speaks_to_the_terminal_the_runner_or_the_library(terminal, text):
    for stream in (terminal, io.StringIO()):
        line = shown(stream, text)
        assert "owned\x07" not in line
        assert "\x1b[2J" not in line
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
        assert "\u202e" not in line
        assert ("[bold red]" in line) is ("[bold red]" in text)


def test_a_long_text_stays_on_one_line(terminal):
    shown(terminal, "x" * 5000)
    assert all(len(line) < 200 for line in terminal.getvalue().splitlines())
    assert len(terminal.getvalue().splitlines()) == 2


def test_kinds_without_a_line_are_silent():
    stream = io.StringIO()
    started_recorder(LiveView(stream)).record(Kind.MODEL_CALLED)
    assert len(stream.getvalue().splitlines()) == 1


def test_a_terminal_has_a_line_that_moves_until_the_run_ends(terminal):
    clock = ManualClock()
    recorder = Recorder(ListJournal(clock), [LiveView(terminal)])
    limits = {"turns": 40, "usd": "2", "seconds": 1200.0}
    recorder.record(
        Kind.RUN_STARTED, run="test", base="b", head="a" * 40, branch="feature", sandbox="docker", limits=limits
    )
    recorder.record(Kind.STAGE, name="baseline")
    waited = time.monotonic() + 30
    while "⏳ baseline" not in terminal.getvalue() and time.monotonic() < waited:
        time.sleep(0.05)
    assert "⏳ baseline · turn 0/40 · budget" in terminal.getvalue()
    recorder.record(Kind.RUN_ENDED, phase="completed", outcome="fixed", reason="done")
    written = terminal.getvalue()
    assert "── fixed: done" in written
    assert written.endswith("\x1b[1A\x1b[2K"), "what is left of it is wiped away"
    assert "\x1b[?25h" in written, "the cursor is back"
    time.sleep(0.5)
    assert terminal.getvalue() == written, "nothing moves any more"


def test_a_pipe_gets_no_line_that_moves():
    stream = io.StringIO()
    recorder = Recorder(ListJournal(ManualClock()), [LiveView(stream)])
    recorder.record(Kind.RUN_STARTED, run="test", head="a" * 40, branch="f", sandbox="docker", limits={"turns": 4})
    assert "\x1b" not in stream.getvalue()
    assert stream.getvalue().count("\n") == 1
