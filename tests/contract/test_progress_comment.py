"""The comment while a run goes on: seldom edited, never in the way, never after the last word."""

import threading
import time
from datetime import UTC, datetime

from autofix.cli.progress_comment import ProgressComment
from autofix.errors import CannotComment
from autofix.ports.forge import PostedComment
from autofix.state.events import Kind
from autofix.state.journal import Event


class SlowForge:
    """Keeps what it is told; each comment waits for `gate`, and fails where told to."""

    def __init__(self, *, fails: bool = False) -> None:
        self.bodies: list[str] = []
        self.gate = threading.Event()
        self.gate.set()
        self.written = threading.Event()
        self.fails = fails

    def comment(self, body: str) -> PostedComment:
        self.gate.wait(5)
        self.bodies.append(body)
        self.written.set()
        if self.fails:
            raise CannotComment("no")
        return PostedComment("here")


def event(kind: Kind, **data) -> Event:
    return Event(1, datetime(2026, 1, 1, tzinfo=UTC), kind, 1, data)


STARTED = event(Kind.RUN_STARTED, run="r1", head="a" * 40)


def test_many_events_are_one_edit_in_the_interval():
    forge = SlowForge()
    with ProgressComment(forge, "", every=60) as progress:
        progress(STARTED)
        assert forge.written.wait(5)
        for _ in range(50):
            progress(event(Kind.MODEL_REPLIED))
    assert len(forge.bodies) == 1


def test_after_the_interval_the_news_are_told_together():
    forge = SlowForge()
    with ProgressComment(forge, "https://github.com/run", every=0.01) as progress:
        progress(STARTED)
        assert forge.written.wait(5)
        forge.gate.clear()
        progress(event(Kind.STAGE, name="loop"))
        progress(event(Kind.BASELINE, goal=["a", "b"]))
        progress(event(Kind.PROGRESS, failing=1))
        forge.gate.set()
        for _ in range(500):
            if "2 → 1" in forge.bodies[-1]:
                break
            time.sleep(0.01)
    assert "**2 → 1**" in forge.bodies[-1]
    assert "working on a fix" in forge.bodies[-1]
    assert "[Log](https://github.com/run)" in forge.bodies[-1]


def test_a_slow_forge_does_not_hold_the_run_up_and_nothing_is_written_after_the_close():
    forge = SlowForge()
    forge.gate.clear()
    progress = ProgressComment(forge, "", every=0.01)
    with progress:
        progress(STARTED)
        progress(event(Kind.MODEL_REPLIED))
        forge.gate.set()
        progress.close()
        written = len(forge.bodies)
        progress(event(Kind.MODEL_REPLIED))
    assert written == len(forge.bodies) <= 1


def test_what_cannot_be_written_is_let_go():
    forge = SlowForge(fails=True)
    with ProgressComment(forge, "", every=0.01) as progress:
        progress(STARTED)
        assert forge.written.wait(5)
        progress(event(Kind.MODEL_REPLIED))
