"""Keeps the one comment up to date while a run goes on: never more than one edit in ten seconds, never in its way.

The edits are made by a thread over a connection of its own, so that a slow GitHub does not slow the run. What cannot
be written is let go: the comment at the end says everything.
"""

import contextlib
from threading import Event as Signal
from threading import Lock, Thread
from types import TracebackType
from typing import Self

from autofix.errors import AutofixError
from autofix.ports.forge import Forge
from autofix.report.progress import Standing
from autofix.state.journal import Event

EDIT_SECONDS = 10.0
"""Between two edits."""
_LAST_WORD_SECONDS = 5.0
"""An edit under way at the end is waited for, so that it cannot land on top of the last comment."""


class ProgressComment:
    """A watcher of the journal. Use as a context around the run; close before the last comment is written."""

    def __init__(self, forge: Forge, page: str, every: float = EDIT_SECONDS) -> None:
        self._forge = forge
        self._page = page
        self._every = every
        self._standing = Standing()
        self._lock = Lock()
        self._news = Signal()
        self._over = Signal()
        self._thread = Thread(target=self._keep_writing, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __call__(self, event: Event) -> None:
        with self._lock:
            if self._standing(event):
                self._news.set()

    def close(self) -> None:
        """No edit begins after this; safe to call twice."""
        self._over.set()
        self._news.set()
        if self._thread.is_alive():
            self._thread.join(_LAST_WORD_SECONDS)

    def _keep_writing(self) -> None:
        while True:
            self._news.wait()
            if self._over.is_set():
                return
            self._news.clear()
            with self._lock:
                text = self._standing.text(self._page)
            with contextlib.suppress(AutofixError):  # the next edit, or the last comment, may get through
                self._forge.comment(text)
            if self._over.wait(self._every):
                return
