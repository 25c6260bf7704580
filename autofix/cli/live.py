"""What a person sees while a run goes on: one line an event, from the same events the journal keeps."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

from autofix.cli.status_line import StatusLine
from autofix.harness.fence import as_on_screen, revealed
from autofix.ports.model import JsonObject, JsonValue
from autofix.report.escape import for_log
from autofix.state.events import Kind
from autofix.state.journal import Event
from autofix.world.clock import SystemClock

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

REFRESHES = 4
"""Of the line that moves, each second."""
WIDTH = 160
"""Characters of a line's text; the journal has the rest."""

_STYLES = {"bad": "red", "good": "green", "odd": "yellow", "dim": "dim", "plain": ""}


class LiveView:
    """A watcher of the journal that prints: plain lines, and on a terminal also colours and a last line that moves."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._terminal = _Terminal(self._stream) if self._stream.isatty() else None
        self._write = self._terminal.print if self._terminal else self._plain

    def __call__(self, event: Event) -> None:
        told = _LINES.get(event.kind)
        line = told(event.data) if told else None
        if line is not None:
            self._print(*line)
        if self._terminal:
            self._terminal.take(event)

    def close(self) -> None:
        """Take the last line away, where the run's end did not."""
        if self._terminal:
            self._terminal.stop()

    def _print(self, style: str, text: str) -> None:
        self._write(style, for_log(_short(text)))

    def _plain(self, _style: str, line: str) -> None:
        self._stream.write(f"{line}\n")
        self._stream.flush()


class _Terminal:
    """Lines in colours above one that moves, as far as the terminal and the caller's NO_COLOR and TERM allow."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console  # late: a pipe or a log needs none of it

        self._console = Console(file=stream, soft_wrap=True)
        self._line = StatusLine()
        self._moving: Live | None = None

    def print(self, style: str, line: str) -> None:
        from rich.text import Text

        self._console.print(Text(line, _STYLES[style]))

    def take(self, event: Event) -> None:
        self._line(event)
        if event.kind is Kind.RUN_STARTED and "limits" in event.data and not self._console.is_dumb_terminal:
            self._start()
        elif event.kind in {Kind.RUN_ENDED, Kind.PAUSED}:
            self.stop()

    def stop(self) -> None:
        if self._moving:
            self._moving.stop()
            self._moving = None

    def _start(self) -> None:
        from rich.live import Live

        self._moving = Live(
            console=self._console,
            get_renderable=self._shown,
            refresh_per_second=REFRESHES,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._moving.start()

    def _shown(self) -> "Text":
        from rich.text import Text

        return Text(f"⏳ {self._line.text(SystemClock().now())}", "bold", no_wrap=True, overflow="ellipsis")


Line = tuple[str, str]


def _short(text: str) -> str:
    indent = " " * (len(text) - len(text.lstrip(" ")))
    line = indent + " ".join(revealed(as_on_screen(text)).split())
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"


def _started(data: JsonObject) -> Line:
    return "plain", f"run {data['run']}: {_at(data['head'])} on {data['branch']}, sandbox {data['sandbox']}"


def _stage(data: JsonObject) -> Line:
    return "plain", f"── {data['name']}"


def _check(data: JsonObject) -> Line:
    failing = len(data["failing"]) if isinstance(data["failing"], list) else 0
    seen = data["not_run"] or f"{failing} of {data['cases']} fail"
    return ("bad" if failing or data["not_run"] else "good"), f"   {data['check']} ({data['why']}): {seen}"


def _baseline(data: JsonObject) -> Line:
    return "plain", f"   baseline: {data['verdict']}; to fix: {_count(data['goal'])}, flaky: {_count(data['flaky'])}"


def _replied(data: JsonObject) -> Line | None:
    return ("dim", f"   model: {data['text']}") if data["text"] else None


def _retried(data: JsonObject) -> Line:
    return "odd", f"   model call failed ({data['reason']}); waiting {data['wait']} s"


def _called(data: JsonObject) -> Line:
    what = f"{data['tool']} {_first(data['input'])}"
    if data["decision"] == "allow":
        return "plain", f"   ▸ {what}"
    return "bad", f"   ✗ denied {what} — {data['layer']}/{data['rule']}: {data['reason']}"


def _ended(data: JsonObject) -> Line | None:
    undone = data["undone"]
    return (
        ("odd", f"     put back: {', '.join(str(one) for one in undone)}")
        if isinstance(undone, list) and undone
        else None
    )


def _progress(data: JsonObject) -> Line:
    style = "good" if data["without_new_best"] == 0 else "odd"
    return style, f"   attempt {data['attempt']}: {data['failing']} failing, best {data['best']}"


def _verifying(_data: JsonObject) -> Line:
    return "plain", "── verification in a fresh checkout"


def _verified(data: JsonObject) -> Line:
    return ("good" if data["verdict"] == "verified" else "bad"), f"   {data['verdict']}"


def _delivered(data: JsonObject) -> Line:
    what = f"pushed {_at(data['commit'])} to {data['branch']}" if data["rung"] == "push" else f"{data['rung']} written"
    return "good", f"   {what}"


def _asked(data: JsonObject) -> Line:
    return "odd", f"── asks a person ({data['id']}): {data['wanted']}: {data['reason']}"


def _answered(data: JsonObject) -> Line:
    why = f": {data['why']}" if data["why"] else ""
    return (
        "good" if data["approved"] else "bad"
    ), f"   {data['by']} {'allowed' if data['approved'] else 'refused'} it{why}"


def _note(data: JsonObject) -> Line:
    return "odd", f"   note: {data['text']}"


def _end(data: JsonObject) -> Line:
    return (
        "good" if data["outcome"] in {"fixed", "nothing_to_fix"} else "bad"
    ), f"── {data['outcome']}: {data['reason']}"


_LINES: dict[Kind, Callable[[JsonObject], Line | None]] = {
    Kind.RUN_STARTED: _started,
    Kind.STAGE: _stage,
    Kind.CHECK_RAN: _check,
    Kind.BASELINE: _baseline,
    Kind.MODEL_REPLIED: _replied,
    Kind.MODEL_RETRIED: _retried,
    Kind.TOOL_CALLED: _called,
    Kind.TOOL_ENDED: _ended,
    Kind.PROGRESS: _progress,
    Kind.VERIFICATION_STARTED: _verifying,
    Kind.VERIFIED: _verified,
    Kind.DELIVERED: _delivered,
    Kind.APPROVAL_ASKED: _asked,
    Kind.APPROVAL_ANSWERED: _answered,
    Kind.NOTE: _note,
    Kind.RUN_ENDED: _end,
}


def _at(commit: JsonValue) -> str:
    return str(commit)[:12]


def _count(names: JsonValue) -> int:
    return len(names) if isinstance(names, list) else 0


def _first(input_: JsonValue) -> str:
    if not isinstance(input_, dict):
        return ""
    for name in ("command", "file_path", "path", "pattern", "hypothesis"):
        if name in input_:
            return str(input_[name])
    return " ".join(str(value) for value in input_.values())
