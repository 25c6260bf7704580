"""Where this process runs: the container around it, and what the engine calls a path that is seen from inside.

The id is read from the kernel's list of mounts, which no environment variable and no network mode changes. The engine
is asked for the mounts; nothing of a pull request has a say in where a sandbox's tree comes from.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath

from autofix.errors import SandboxUnavailable

_OWN = re.compile(r"/containers/([0-9a-f]{64})/(?:hostname|hosts|resolv\.conf) /etc/")
"""Each container's own copy of these files lies in a directory of the engine that bears its id."""


@lru_cache(maxsize=1)
def own_container() -> str:
    """The id of the container this process is in; "" where it is in none."""
    try:
        return container_of(Path("/proc/self/mountinfo").read_text("utf-8", "replace"))
    except OSError:
        return ""


def container_of(mountinfo: str) -> str:
    found = _OWN.search(mountinfo)
    return found[1] if found else ""


def shared_in(mountinfo: str, path: Path) -> bool:
    """Whether a path lies on a mount of its own, so that the engine can be asked to mount it elsewhere, too."""
    points = (line.split(" ")[4] for line in mountinfo.splitlines() if line.count(" ") > 4)  # noqa: PLR2004 - proc(5)
    return any(point != "/" and PurePosixPath(path).is_relative_to(point) for point in points)


def can_be_shared(path: Path) -> bool:
    """True outside a container, where engine and harness see one file system."""
    if not own_container():
        return True
    return shared_in(Path("/proc/self/mountinfo").read_text("utf-8", "replace"), path)


def engine_path(path: Path, mounts: Sequence[Mapping[str, str]]) -> str:
    """The engine's name for a path of ours: through the innermost mount it lies on.

    Args:
        path: absolute, in this container.
        mounts: the container's `Mounts`, as the engine lists them.

    Raises:
        SandboxUnavailable: no mount holds it, so that no other container can be given it.
    """
    here = PurePosixPath(path)
    around = [mount for mount in mounts if here.is_relative_to(mount["Destination"]) and mount.get("Source")]
    if not around:
        raise SandboxUnavailable(
            f"{path} lies inside autofix's own container, where no sandbox can reach it:"
            " keep the state under a directory that is mounted from the host"
        )
    innermost = max(around, key=lambda mount: len(PurePosixPath(mount["Destination"]).parts))
    return str(PurePosixPath(innermost["Source"]) / here.relative_to(innermost["Destination"]))
