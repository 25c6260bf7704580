"""What a sandbox's container may do: every option of its creation, on one page, and what commands see of the image.

Nothing here comes from the pull request but the tree that is mounted, or its copy.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from autofix.errors import SandboxUnavailable
from autofix.ports.sandbox import TREE, SandboxSpec
from autofix.world.shell import DEFAULT_PATH, base_environment

SCRATCH = "/tmp"  # noqa: S108 - inside the container, where it is private
RUN_LABEL = "autofix.run"
OWNER_LABEL = "autofix.owner"
CONTAINER_LABEL = "autofix.container"
"""The container the owner runs in, where it is in one: its processes cannot be seen from another."""
MAIN_PROCESS = ("sleep", "2147483647")  # as long as every sleep can; it runs as root without capabilities

_OPEN_FILES = 4096  # enough for a test suite; some programs walk through all of the limit
_SHARED_MEMORY = 64 * 1024 * 1024  # the engine's own default for /dev/shm
_NAMES = 8  # of the environment, at most, unless the configuration adds more
# Variables of an image without which its tools are not found; what else it sets is not passed on.
_TOOLCHAINS = (
    "JAVA_HOME", "CARGO_HOME", "RUSTUP_HOME", "GOPATH", "GOROOT", "VIRTUAL_ENV", "GEM_HOME", "BUNDLE_APP_CONFIG",
    "NODE_PATH", "MAVEN_HOME", "GRADLE_HOME", "COMPOSER_HOME", "DOTNET_ROOT", "CONDA_PREFIX", "PYTHONPATH",
)  # fmt: skip
_FORBIDDEN_NETWORKS = ("host", "container:", "ns:")  # these are another's network, with its loopback


def environment(image: Sequence[str], home: str) -> dict[str, str]:
    """What every command sees, from the image's own NAME=VALUE list."""
    given = dict(entry.split("=", 1) for entry in image if "=" in entry)
    chosen = base_environment(path=given.get("PATH") or DEFAULT_PATH, home=home)
    for name in _TOOLCHAINS:
        if name in given and len(chosen) < _NAMES:
            chosen[name] = given[name]
    return chosen


def network_mode(name: str) -> str:
    """The engine's word for a network of ours.

    Raises:
        SandboxUnavailable: it would share the network of the machine or of another container.
    """
    if name.startswith(_FORBIDDEN_NETWORKS):
        raise SandboxUnavailable(f"the network {name!r} would open the machine to the sandbox: use none, bridge or job")
    return name


def labels(run_id: str, owner: str, container: str = "") -> dict[str, str]:
    return {RUN_LABEL: run_id, OWNER_LABEL: owner, **({CONTAINER_LABEL: container} if container else {})}


def tree_mount(source: str) -> Any:
    """The tree itself, by the engine's name for its path."""
    from docker.types import Mount

    return Mount(target=TREE, source=source, type="bind")


def volume_mount(name: str) -> Any:
    """The engine's own copy of a tree; nothing of an image is copied into it."""
    from docker.types import Mount

    return Mount(target=TREE, source=name, type="volume", no_copy=True)


def sandbox_options(spec: SandboxSpec, *, runtime: str | None) -> dict[str, Any]:
    """Keyword arguments of the SDK's `containers.create` for a container without a way out, its mount left to add."""
    from docker.types import Ulimit

    return {
        **_common(runtime),
        "network_mode": network_mode(spec.network),
        "user": "0:0",
        "cap_drop": ["ALL"],
        "read_only": True,
        "tmpfs": {SCRATCH: f"rw,exec,nosuid,nodev,size={spec.tmp_bytes},mode=1777"},
        "shm_size": _SHARED_MEMORY,
        "ipc_mode": "private",
        "pids_limit": spec.pids,
        "mem_limit": spec.memory_bytes,
        "memswap_limit": spec.memory_bytes,
        "nano_cpus": int(spec.cpus * 1e9),
        "ulimits": [
            Ulimit(name="fsize", soft=spec.file_bytes, hard=spec.file_bytes),
            Ulimit(name="core", soft=0, hard=0),
            Ulimit(name="nofile", soft=_OPEN_FILES, hard=_OPEN_FILES),
        ],
    }


def setup_options(*, network: str, runtime: str | None) -> dict[str, Any]:
    """The same for the setup command: root with the engine's default capabilities, a network, a writable root."""
    return {**_common(runtime), "network_mode": network_mode(network), "user": "0:0"}


def _common(runtime: str | None) -> dict[str, Any]:
    from docker.types import LogConfig

    options: Mapping[str, Any] = {
        "entrypoint": list(MAIN_PROCESS),  # an image's own entry point has no say
        "command": [],
        "working_dir": TREE,
        "hostname": "sandbox",
        "init": True,
        "security_opt": ["no-new-privileges:true"],
        "healthcheck": {"test": ["NONE"]},
        "log_config": LogConfig(type="none"),
    }
    return {**options, "runtime": runtime} if runtime else dict(options)
