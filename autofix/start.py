"""The first thing that runs: takes every secret out of the environment and starts over without them (I1).

Removing a variable from `os.environ` does not remove it from `/proc/<pid>/environ`; only a new image of the process
does. So the whole environment goes through an anonymous file to a re-executed self whose environment holds a few
harmless names, whose working directory is `/` and which imports nothing from the directory it was started in.

Nothing is imported here before the new image runs but `os` and `sys`, which the interpreter has loaded anyway: in a
process started with `python -m autofix` inside a hostile checkout, any other import could be the checkout's.
"""

import os
import sys

_FD = "AUTOFIX_TAKEN_FD"
_CWD = "AUTOFIX_STARTED_IN"
_KEPT = frozenset(
    [
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "LANG",
        "LANGUAGE",
        "TZ",
        "TERM",
        "COLORTERM",
        "NO_COLOR",
        "FORCE_COLOR",
        "CLICOLOR",
        "COLUMNS",
        "LINES",
        "TMPDIR",
        "XDG_STATE_HOME",
        "XDG_CACHE_HOME",
        "XDG_RUNTIME_DIR",
        "DOCKER_HOST",
        "DOCKER_CERT_PATH",
        "DOCKER_TLS_VERIFY",
        "DOCKER_CONTEXT",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
    ]
)
"""What the harness's own process needs of its environment; none is a secret, none makes Python load anything."""
_SET = {"PYDANTIC_DISABLE_PLUGINS": "__all__"}
"""pydantic else looks for plug-ins in every installed package, and runs what it finds."""
_PROXIES = frozenset(["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"])


class Taken:
    """What the caller's environment held, now only in this process's memory.

    Attributes:
        environ: every variable as it was given.
        cwd: the directory the caller stood in; relative paths of the command line mean this one.
    """

    def __init__(self, environ: dict[str, str], cwd: str) -> None:
        self.environ = environ
        self.cwd = cwd

    def __repr__(self) -> str:
        return f"Taken(<{len(self.environ)} variables>, cwd={self.cwd!r})"


def take() -> Taken:
    """Re-execute with a clean environment, or, when that has happened, return what was taken before it."""
    descriptor = os.environ.get(_FD)
    if descriptor is None:
        _start_over()
    taken = _receive(int(descriptor or "-1"))
    del os.environ[_FD]
    _forbid_dumps()
    return taken


def kept(name: str, value: str) -> bool:
    """Whether a variable stays in the harness's own environment. A proxy's address may hold a password."""
    if name.upper() in _PROXIES:
        return "@" not in value
    return name in _KEPT or name.startswith("LC_")


def _start_over() -> None:
    environ = dict(os.environ)
    environ[_CWD] = _cwd()
    handle = os.memfd_create("autofix", 0)  # flags 0: survives the exec, lives in memory only
    with os.fdopen(os.dup(handle), "wb") as file:
        file.write(b"\0".join(os.fsencode(f"{name}={value}") for name, value in environ.items()))
    os.lseek(handle, 0, os.SEEK_SET)
    os.set_inheritable(handle, True)  # noqa: FBT003 - os takes it by position only
    clean = {name: value for name, value in os.environ.items() if kept(name, value)}
    os.chdir("/")
    flags = ["-P", *(f"-W{option}" for option in sys.warnoptions)]
    argv = [sys.executable, *flags, "-m", "autofix", *sys.argv[1:]]
    os.execve(sys.executable, argv, {**clean, **_SET, _FD: str(handle)})  # noqa: S606 - a new image of ourselves, no shell


def _cwd() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - pathlib is not imported before the clean start
    except FileNotFoundError:
        return "/"


def _receive(handle: int) -> Taken:
    with os.fdopen(handle, "rb") as file:
        pairs = (os.fsdecode(item).partition("=") for item in file.read().split(b"\0"))
    environ = {name: value for name, _, value in pairs}
    return Taken(environ, environ.pop(_CWD, "/"))


def _forbid_dumps() -> None:
    """Other processes of this user may no longer read our memory or environment."""
    import ctypes

    pr_set_dumpable = 4
    ctypes.CDLL(None).prctl(pr_set_dumpable, 0, 0, 0, 0)
