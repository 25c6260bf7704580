"""What the job's log shows of a run: the live view's lines, folded by stage."""

import sys
from typing import TextIO

from autofix.cli.live import LiveView
from autofix.report.workflow_commands import END_GROUP, group
from autofix.state.events import Kind
from autofix.state.journal import Event


class ActionLog:
    """A watcher. Its own lines are the only workflow commands among them."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self._view = LiveView(self._stream)
        self._open = False

    def __call__(self, event: Event) -> None:
        if event.kind in {Kind.STAGE, Kind.RUN_ENDED}:
            self._close()
        if event.kind is Kind.STAGE:
            self.line(group(str(event.data["name"])))
            self._open = True
            return
        self._view(event)

    def line(self, command: str) -> None:
        """One line as it is."""
        self._stream.write(f"{command}\n")
        self._stream.flush()

    def _close(self) -> None:
        if self._open:
            self.line(END_GROUP)
            self._open = False
