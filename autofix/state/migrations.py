"""What became of events since their journal was written: one step a version, so that an old one is read as a new one.

A step takes an event's kind and data as one version wrote them, and gives what the next would have written. The file
itself stays as it is.
"""

from collections.abc import Callable

from autofix.ports.model import JsonObject

Step = Callable[[str, JsonObject], tuple[str, JsonObject]]


def _limits_told(kind: str, data: JsonObject) -> tuple[str, JsonObject]:
    """Version 2 says in the first event what the run may spend."""
    return kind, ({"limits": {}, **data} if kind == "run_started" else data)


STEPS: tuple[Step, ...] = (_limits_told,)
"""From version 1 to 2, and so on."""
VERSION = len(STEPS) + 1
"""Of what is written now."""


def to_present(version: object, kind: str, data: JsonObject) -> tuple[str, JsonObject]:
    """An event as this version would have written it.

    Raises:
        ValueError: no version of ours; a newer one wrote it.
    """
    if not isinstance(version, int) or not 1 <= version <= VERSION:
        raise ValueError(f"no version this one knows: {version!r}")
    for step in STEPS[version - 1 :]:
        kind, data = step(kind, data)
    return kind, data
