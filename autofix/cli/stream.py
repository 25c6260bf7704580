"""A run for another program: each event of the journal as one line of JSON. docs/events.md describes them."""

import json
from typing import TextIO

from autofix.ports.model import JsonValue
from autofix.state.journal import Event


class JsonLines:
    """A watcher that writes each event, redacted as on the journal, and flushes it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __call__(self, event: Event) -> None:
        self._stream.write(json.dumps(as_json(event)) + "\n")
        self._stream.flush()


def as_json(event: Event) -> dict[str, JsonValue]:
    return {
        "number": event.number,
        "at": event.at.isoformat(),
        "event": event.kind.value,
        "plan": event.plan,
        "data": dict(event.data),
    }
