"""The rooms by name, and which of them this machine can offer."""

from collections.abc import Sequence

from autofix.errors import SandboxUnavailable, UsageError
from autofix.ports.sandbox import Files, Room

DEFAULT_CANDIDATES = ("docker", "bubblewrap")  # never the host: it is used only when asked for by name


def room(name: str, files: Files = "auto") -> Room:
    """The room of this name, available or not; `files` is how the docker room gives trees to its containers."""
    match name:
        case "docker":
            from autofix.world.docker_room import DockerRoom

            return DockerRoom(files=files)
        case "bubblewrap":
            from autofix.world.bubblewrap_sandbox import BubblewrapRoom

            return BubblewrapRoom()
        case "host":
            from autofix.world.host_sandbox import HostRoom

            return HostRoom()
    raise UsageError(f"no sandbox is called {name!r}: choose docker, bubblewrap or host")


def best_room(candidates: Sequence[str] = DEFAULT_CANDIDATES, files: Files = "auto") -> Room:
    """The first candidate that works here.

    Raises:
        SandboxUnavailable: none does; the message gives each one's reason.
    """
    reasons = []
    for name in candidates:
        candidate = room(name, files)
        reason = candidate.unavailable()
        if reason is None:
            return candidate
        reasons.append(f"{name}: {reason}")
    raise SandboxUnavailable("no sandbox can be used here. " + "; ".join(reasons))


def reasons(candidates: Sequence[str] = DEFAULT_CANDIDATES) -> dict[str, str | None]:
    """Each candidate's reason for not working here; None where it works."""
    return {name: room(name).unavailable() for name in candidates}
