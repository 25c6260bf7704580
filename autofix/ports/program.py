"""The door for small trusted programs of our own (the shell hook, a bash parser): bytes in, bytes out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """`exit_code` is -n after signal n, 126/127 where it could not be started; output past the limit is dropped."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool = False
    overflowed: bool = False


class Programs(Protocol):
    def run(
        self,
        argv: Sequence[str],
        stdin: bytes,
        *,
        timeout: float,
        environment: Mapping[str, str],
        cwd: str = "/",
        output_limit: int = 1024 * 1024,
    ) -> ProgramResult:
        """Run to the end, or kill its process group at `timeout`; never raises for what the program does."""
        ...


MINIMAL_ENVIRONMENT: Mapping[str, str] = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"}
