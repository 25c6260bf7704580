import json
import os
import resource
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from autofix.errors import Cancelled, IllegalEvent, JournalDamaged, JournalError
from autofix.state.events import Kind
from autofix.state.journal import Journal, Read, is_being_written, read, read_on
from autofix.state.machine import Phase
from autofix.state.migrations import VERSION, to_present
from autofix.state.recorder import Recorder
from autofix.state.run_state import fold

FIRST_VERSION = Path(__file__).parents[1] / "golden" / "journals" / "version-1.jsonl"
"""What a real run wrote."""


class Ticking:
    def __init__(self, step=1.0):
        self.at = datetime(2026, 1, 1, tzinfo=UTC)
        self.step = timedelta(seconds=step)

    def now(self):
        self.at += self.step
        return self.at

    def monotonic(self):
        return self.at.timestamp()

    def sleep(self, seconds):
        self.at += timedelta(seconds=seconds)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.jsonl"


def written(path, *kinds, clock=None):
    journal = Journal.create(path, clock or Ticking())
    for number, kind in enumerate(kinds):
        journal.append(kind, {"number": number, "text": 'línea\n"quoted" \ud800'}, plan=number)
    journal.close()
    return path


def test_what_was_appended_is_read_back_in_order_with_its_plan(path):
    written(path, Kind.RUN_STARTED, Kind.STAGE, Kind.NOTE)
    events = read(path).events
    assert [(event.number, event.kind, event.plan) for event in events] == [
        (1, Kind.RUN_STARTED, 0),
        (2, Kind.STAGE, 1),
        (3, Kind.NOTE, 2),
    ]
    assert events[0].data["text"] == 'línea\n"quoted" \ud800'


def test_an_event_is_on_the_disk_when_append_returns(path):
    journal = Journal.create(path, Ticking())
    journal.append(Kind.STAGE, {"name": "baseline"}, plan=0)
    assert read(path).events[0].data == {"name": "baseline"}
    journal.close()


def test_a_torn_last_line_is_cut_and_said(path):
    written(path, Kind.RUN_STARTED, Kind.STAGE)
    whole = path.read_bytes()
    for cut in range(1, len(whole.splitlines(keepends=True)[-1])):
        path.write_bytes(whole[:-cut])
        seen = read(path)
        assert [event.kind for event in seen.events] == [Kind.RUN_STARTED]
        assert "torn" in seen.torn


@pytest.mark.parametrize("damage", ["flip", "swap", "drop", "repeat", "version", "kind"])
def test_any_other_damage_is_an_error_that_names_the_line(path, damage):
    written(path, Kind.RUN_STARTED, Kind.STAGE, Kind.NOTE, Kind.NOTE)
    lines = path.read_bytes().splitlines(keepends=True)
    if damage == "flip":
        lines[1] = lines[1].replace(b"stage", b"stagE")
    elif damage == "swap":
        lines[1], lines[2] = lines[2], lines[1]
    elif damage == "drop":
        del lines[1]
    elif damage == "repeat":
        lines.insert(1, lines[0])
    elif damage == "version":
        lines[1] = lines[1].replace(f" [{VERSION},".encode(), b" [9,")
    else:
        lines[1] = b"garbage\n"
    path.write_bytes(b"".join(lines))
    with pytest.raises(JournalDamaged, match="line 2"):
        read(path)


def test_a_journal_of_a_version_nobody_knows_is_refused_and_not_guessed(path):
    import hashlib

    body = json.dumps([99, 1, "2026-01-01T00:00:00+00:00", "note", 0, {}], separators=(",", ":"))
    path.write_text(f"{hashlib.sha256(body.encode()).hexdigest()[:16]} {body}\n")
    with pytest.raises(JournalDamaged, match="version"):
        read(path)


def test_a_second_journal_never_overwrites_the_first(path):
    written(path, Kind.RUN_STARTED)
    with pytest.raises(JournalError, match="cannot create"):
        Journal.create(path, Ticking())
    assert len(read(path).events) == 1


def test_a_clock_that_runs_backwards_does_not_disturb_the_order(path):
    written(path, Kind.RUN_STARTED, Kind.NOTE, Kind.NOTE, clock=Ticking(step=-3600))
    assert [event.number for event in read(path).events] == [1, 2, 3]


def test_a_full_disk_is_an_error_before_the_deed():
    journal = Journal(
        __import__("pathlib").Path("/dev/full"),
        Ticking(),
        descriptor=__import__("os").open("/dev/full", 1),
        count=0,
        chain="",
    )
    with pytest.raises(JournalError, match="No space left"):
        journal.append(Kind.DELIVERY_STARTED, {"commit": "abc"}, plan=1)
    journal.close()


def test_an_illegal_event_never_reaches_the_disk(path):
    recorder = Recorder(Journal.create(path, Ticking()))
    recorder.record(Kind.RUN_STARTED)
    with pytest.raises(IllegalEvent):
        recorder.record(Kind.TOOL_ENDED)
    assert [event.kind for event in read(path).events] == [Kind.RUN_STARTED]
    assert recorder.state.events == 1


def test_what_is_written_was_scrubbed_and_watchers_see_the_same(path):
    seen = []
    recorder = Recorder(Journal.create(path, Ticking()), [seen.append], lambda text: text.replace("hunter2", "***"))
    recorder.record(Kind.RUN_STARTED, settings={"note": ["a hunter2 b"]})
    assert b"hunter2" not in path.read_bytes()
    assert seen[0].data == {"settings": {"note": ["a *** b"]}}


def test_a_signal_in_the_middle_of_an_event_leaves_a_journal_that_goes_on(path, monkeypatch):
    journal = Journal.create(path, Ticking())
    journal.append(Kind.RUN_STARTED, {}, plan=0)

    def interrupted(_descriptor):
        raise Cancelled

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", interrupted)
        with pytest.raises(Cancelled):
            journal.append(Kind.MODEL_CALLED, {}, plan=0)
    journal.append(Kind.RUN_ENDED, {"phase": "cancelled"}, plan=0)
    journal.close()

    assert [(event.number, event.kind) for event in read(path).events] == [(1, Kind.RUN_STARTED), (2, Kind.RUN_ENDED)]


def test_a_disk_that_fills_up_in_the_middle_of_an_event_leaves_a_journal_that_goes_on(path):
    journal = Journal.create(path, Ticking())
    journal.append(Kind.RUN_STARTED, {}, plan=0)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 20, hard))
    try:
        with pytest.raises(JournalError, match="File too large"):
            journal.append(Kind.MODEL_CALLED, {}, plan=0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    journal.append(Kind.RUN_ENDED, {"phase": "failed"}, plan=0)
    journal.close()

    assert [event.kind for event in read(path).events] == [Kind.RUN_STARTED, Kind.RUN_ENDED]


def test_a_reader_that_fails_is_dropped_and_the_run_goes_on(path):
    seen = []

    def closed_terminal(_event):
        seen.append("asked")
        raise BrokenPipeError

    recorder = Recorder(Journal.create(path, Ticking()), [closed_terminal, seen.append])
    recorder.record(Kind.RUN_STARTED)
    recorder.record(Kind.NOTE, text="on")
    assert [type(one) for one in seen] == [str, type(read(path).events[0]), type(read(path).events[1])]


def test_a_journal_is_read_on_while_it_is_written_and_a_line_only_when_it_is_whole(path):
    journal = Journal.create(path, Ticking())
    seen = read_on(path, Read(()))
    assert seen.events == ()
    for number in range(1, 4):
        journal.append(Kind.NOTE, {"text": str(number)}, plan=0)
        seen = read_on(path, seen)
        assert [event.number for event in seen.events] == [number]
    journal.close()
    assert read_on(path, seen).events == ()

    with path.open("ab") as file:
        file.write(b"0123456789abcdef [1,4,")
    torn = read_on(path, seen)
    assert (torn.events, torn.size) == ((), seen.size)


def test_reading_on_finds_the_same_as_reading_at_once_and_the_same_damage(path):
    written(path, Kind.RUN_STARTED, Kind.STAGE, Kind.NOTE)
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    path.write_bytes(whole[:first])
    begun = read_on(path, Read(()))
    path.write_bytes(whole)
    assert begun.events + read_on(path, begun).events == read(path).events
    path.write_bytes(whole[:first] + whole[first:].replace(b"stage", b"stagf"))
    with pytest.raises(JournalDamaged, match="line 2"):
        read_on(path, begun)


def test_whoever_writes_a_journal_is_seen_and_the_next_one_refused_until_it_is_gone(path):
    assert not is_being_written(path)
    journal = Journal.create(path, Ticking())
    journal.append(Kind.RUN_STARTED, {}, plan=0)
    assert is_being_written(path)
    with pytest.raises(JournalError, match="another process"):
        Journal.reopen(path, Ticking())
    journal.close()
    assert not is_being_written(path)
    again, past = Journal.reopen(path, Ticking())
    assert len(past.events) == 1
    again.close()


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 64 KB of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", place], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("this user may not mount a file system")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def fill(journal, taken):
    """Write until the disk is full; `taken` gets the events it took."""
    while True:
        taken.append(journal.append(Kind.NOTE, {"text": "x" * 500}, plan=0))


def test_a_disk_that_is_full_ends_the_writing_with_whole_lines_and_room_lets_it_go_on(small_disk):
    path = small_disk / "journal.jsonl"
    journal = Journal.create(path, Ticking())
    journal.append(Kind.RUN_STARTED, {}, plan=0)
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"." * 40_000)
    taken = []
    with pytest.raises(JournalError, match="No space left"):
        fill(journal, taken)
    assert (read(path).events[-1], read(path).torn) == (taken[-1], "")
    ballast.unlink()
    journal.append(Kind.RUN_ENDED, {"phase": "failed"}, plan=0)
    journal.close()
    assert read(path).events[-1].kind is Kind.RUN_ENDED


def test_a_directory_that_cannot_be_written_is_one_error_at_the_beginning(small_disk):
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    with pytest.raises(JournalError, match=r"cannot create the journal .*: Read-only file system"):
        Journal.create(small_disk / "journal.jsonl", Ticking())


def test_a_journal_of_the_first_version_is_read_by_this_one():
    state = fold(read(FIRST_VERSION).events)
    assert (state.phase, state.outcome) == (Phase.COMPLETED, "fixed")
    assert state.tool_calls == 4
    assert state.events == FIRST_VERSION.read_bytes().count(b"\n")


def test_an_event_of_an_older_version_is_told_as_this_one_would_have_written_it():
    started, *_ = read(FIRST_VERSION).events
    assert json.loads(FIRST_VERSION.read_text().partition("\n")[0].partition(" ")[2])[0] == 1
    assert started.data["limits"] == {}
    assert to_present(1, "run_started", {"run": "x"}) == ("run_started", {"limits": {}, "run": "x"})
    assert to_present(VERSION, "run_started", {"run": "x"}) == ("run_started", {"run": "x"})
    assert to_present(1, "note", {"text": "x"}) == ("note", {"text": "x"})


@pytest.mark.parametrize("version", [0, VERSION + 1, -1, "1", None, 1.0])
def test_a_version_nobody_knows_is_never_guessed(version):
    with pytest.raises(ValueError, match="no version"):
        to_present(version, "note", {})
