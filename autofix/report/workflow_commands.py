"""Lines the runner takes as commands, built from values: masks, groups, annotations.

Everything else that is printed goes through `escape.for_log`, so that these lines are the only commands in a log.
https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from collections.abc import Iterator
from typing import Literal

Level = Literal["notice", "warning", "error"]


def mask(secret: str) -> Iterator[str]:
    """The runner replaces each line of the value by *** from here on."""
    for line in dict.fromkeys(secret.splitlines()):
        if line.strip():
            yield f"::add-mask::{_data(line)}"


def group(title: str) -> str:
    return f"::group::{_data(' '.join(title.split()))}"


END_GROUP = "::endgroup::"


def annotation(level: Level, message: str, *, title: str = "", file: str = "", line: int | None = None) -> str:
    """A note on a line of a file, or on the run where no file is named. The text may be anything; it stays text."""
    fields = {"file": file, "line": str(line) if file and line else "", "title": title}
    told = ",".join(f"{name}={_property(value)}" for name, value in fields.items() if value)
    return f"::{level}{' ' if told else ''}{told}::{_data(message)}"


def _data(text: str) -> str:
    """`##[` is taken anywhere in a line, also here: it is broken up."""
    return text.replace("##[", "## [").replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
