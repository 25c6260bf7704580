"""One checkout made ahead of its need, in the background, so that the next work tree of the same commit is a rename.

Every run needs at least one more tree than its first (the fresh one that verifies the fix), and the harness waits for
tests and for the model most of the time. One spare at most exists; nothing ever waits for a spare of another commit.
"""

from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Generic, TypeVar

from autofix.errors import AutofixError

T = TypeVar("T")


class Spare(Generic[T]):
    """At most one value of `make(commit)`, made by a thread.

    Args:
        make: makes the value; it looks at the event now and then, and raises an AutofixError once it is set.
        discard: undoes whatever `make` left, finished or not.
    """

    def __init__(self, make: Callable[[str, Event], T], discard: Callable[[], None]) -> None:
        self._make = make
        self._discard = discard
        self._lock = Lock()
        self._thread: Thread | None = None
        self._commit = ""
        self._stop = Event()
        self._made: list[T] = []

    def begin(self, commit: str) -> None:
        """Start making one; nothing happens while there is one, or one in the making."""
        with self._lock:
            if self._thread is not None:
                return
            self._commit, self._stop, self._made = commit, Event(), []
            self._thread = Thread(target=self._work, args=(commit, self._stop, self._made), daemon=True)
            self._thread.start()

    def take(self, commit: str) -> T | None:
        """The spare of this commit, waited for where it is still being made; None where there is none."""
        with self._lock:
            if self._thread is None or self._commit != commit:
                return None
            self._thread.join()
            self._thread = None
            return self._made.pop() if self._made else None

    def drop(self) -> None:
        """Stop the making and remove what is there."""
        with self._lock:
            if self._thread is None:
                return
            self._stop.set()
            self._thread.join()
            self._thread = None
            self._made.clear()
            self._discard()

    def _work(self, commit: str, stop: Event, made: list[T]) -> None:
        try:
            made.append(self._make(commit, stop))
        except AutofixError:  # stopped, or a disk that takes no more: whoever needs a tree makes one and says why not
            self._discard()
