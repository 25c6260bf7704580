"""What docs/events.md tells of each kind of event, and the events of a run held to it."""

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from autofix.state.journal import Event

DOCUMENT = Path(__file__).parents[2] / "docs" / "events.md"


@cache
def examples() -> dict[str, dict[str, Any]]:
    """Heading -> the example below it, in the document's order."""
    found = re.findall(r"^## (\w+)\n\n.+\n\n```json\n(.+)\n```$", DOCUMENT.read_text("utf-8"), re.MULTILINE)
    return {kind: json.loads(example) for kind, example in found}


def assert_documented(events: Iterable[Event]) -> None:
    """Every event has the fields its example shows, and no others."""
    for event in events:
        assert set(event.data) == set(examples()[event.kind.value]["data"]), event.kind.value
