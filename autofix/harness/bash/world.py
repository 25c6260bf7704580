"""The state of a shell at one point of a command: variables, functions, directory. Values; a change makes a new one."""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from autofix.harness.bash.syntax import Statement
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import ANY, NAME, OWN_PROCESS

Value = str | tuple[str, ...]

HOME = "/root"
"""What stands for the home directory, wherever it is: outside the tree, and closed."""

GIVEN: Mapping[str, Value] = MappingProxyType(
    {
        "IFS": " \t\n",
        "HOME": HOME,
        "SHELL": "/bin/bash",
        "BASH": "/bin/bash",
        "TMPDIR": "/tmp",  # noqa: S108 - the sandbox's own
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "CI": "true",
        "$": NAME,
        "?": NAME,
        "#": NAME,
        "-": NAME,
        "0": NAME,
        "!": OWN_PROCESS,
        "_": ANY,
        **dict.fromkeys(
            listed("RANDOM SRANDOM SECONDS LINENO EPOCHSECONDS UID EUID PPID BASHPID SHLVL HOSTNAME USER LOGNAME"), NAME
        ),
    }
)
"""What a fresh shell of the sandbox knows of itself."""


@dataclass(frozen=True, slots=True)
class World:
    """One way things may stand. `directory` is None where it cannot be known."""

    directory: str | None
    variables: Mapping[str, Value] = field(default_factory=dict)
    functions: Mapping[str, Statement] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    failed: bool = False
    """The last command is taken to have failed here."""
    traps: tuple[str, ...] = ()
    """Texts that run when this shell ends."""

    def with_variable(self, name: str, value: Value) -> "World":
        return replace(self, variables={**self.variables, name: value})

    def with_function(self, name: str, body: Statement) -> "World":
        return replace(self, functions={**self.functions, name: body})

    def moved(self, directory: str | None) -> "World":
        return replace(self, directory=directory)

    def path(self, path: str) -> str | None:
        """`path` seen from the root of the file system, `..` kept; None where the directory is unknown."""
        if path.startswith("/"):
            return path
        return None if self.directory is None else posixpath.join(self.directory, path)
