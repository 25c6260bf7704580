"""Which parts of this machine a bubblewrap sandbox sees: it looks, and mounts nothing.

The view starts empty and only what is named is added, read-only: the system's programs and libraries, `/etc` (by its
ordinary permissions), and of what PATH names elsewhere the installation it belongs to. A home is never shown whole, and
neither is anything hidden; what only a mount could reveal is checked against both.
"""

import configparser
import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/nix/store", "/gnu/store", "/var/lib/gems")
# Directories of a home that hold nothing but tools: shown whole when PATH names something in them.
_TOOL_HOMES = (
    ".pyenv", ".rbenv", ".nodenv", ".goenv", ".asdf", ".nvm", ".volta", ".sdkman", ".rustup", ".local/share/mise",
    ".local/share/uv", ".local/share/pipx", "miniconda3", "miniforge3", "anaconda3",
)  # fmt: skip
_PROGRAM_FOLDERS = ("bin", "sbin", ".bin", "shims")


@dataclass(frozen=True, slots=True)
class View:
    """Host paths, all absolute and resolved.

    Attributes:
        shown: bound read-only at their own place, in this order.
        hidden: covered, after `shown` and before `shown_again`.
        shown_again: parts of hidden places that PATH needs (a virtual environment in the repository).
    """

    shown: tuple[Path, ...]
    hidden: tuple[Path, ...]
    shown_again: tuple[Path, ...]


def view(path: str, home: Path, hidden: Sequence[Path]) -> View:
    """The view for commands with this PATH, for a user with this home."""
    covered = tuple(sorted({place.resolve() for place in hidden if place.exists()}))
    home = home.resolve()
    closed = (*covered, home, Path("/root"), Path("/home"))
    shown = [Path(place) for place in SYSTEM if Path(place).exists()]
    again: list[Path] = []
    for installation in _installations(path, home, closed):
        under_cover = any(installation.is_relative_to(place) for place in covered)
        (again if under_cover else shown).append(installation)
    return View(_without_nested(shown), _visible(covered, shown), _without_nested(again))


def _visible(covered: Iterable[Path], shown: Iterable[Path]) -> tuple[Path, ...]:
    """Those that would be seen without a cover; the rest is not in the view anyway."""
    places = [place.resolve() for place in shown]
    return tuple(secret for secret in covered if any(secret.is_relative_to(place) for place in places))


def _without_nested(places: Iterable[Path]) -> tuple[Path, ...]:
    kept: list[Path] = []
    for place in sorted(places):  # a parent sorts before what lies in it
        if not any(place.is_relative_to(other) for other in kept):
            kept.append(place)
    return tuple(kept)


def _installations(path: str, home: Path, closed: Sequence[Path]) -> Iterator[Path]:
    for word in path.split(":"):
        entry = Path(word)
        if entry.is_absolute() and _is_directory(entry) and not any(entry.is_relative_to(place) for place in SYSTEM):
            for choices in _needs(entry, home):
                fit = next((place for place in choices if not _reveals(place, closed)), None)
                if fit is not None:
                    yield fit


def _is_directory(entry: Path) -> bool:
    """False also where we may not look (before Python 3.14, `Path.is_dir` raises there)."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _reveals(place: Path, closed: Sequence[Path]) -> bool:
    """Showing it would show something that must stay closed."""
    return any(secret.is_relative_to(place) for secret in closed)


def _needs(entry: Path, home: Path) -> list[tuple[Path, ...]]:
    """What must be visible for the programs in one PATH entry to work; of each tuple the first that may be shown."""
    prefix = entry.parent
    if (prefix / "pyvenv.cfg").is_file():
        return [(prefix, entry), *((place,) for place in _base_interpreters(prefix, entry))]
    for name in _TOOL_HOMES:
        if entry.is_relative_to(home / name):
            return [(home / name, entry)]
    top_level = prefix.parent in (home, Path("/"))
    if entry.name in _PROGRAM_FOLDERS and not top_level and _is_installation(prefix):
        return [(prefix, entry)]
    return [(entry,)]


def _is_installation(prefix: Path) -> bool:
    return prefix.name == "node_modules" or any((prefix / name).is_dir() for name in ("lib", "lib64", "libexec"))


def _base_interpreters(prefix: Path, entry: Path) -> list[Path]:
    """The installation a virtual environment was made from, where it really looks like one."""
    candidates = [(entry / name).resolve().parent.parent for name in ("python", "python3")]
    parser = configparser.ConfigParser(interpolation=None)
    with contextlib.suppress(OSError, configparser.Error):
        parser.read_string("[venv]\n" + (prefix / "pyvenv.cfg").read_text("utf-8", "replace"))
        candidates.append(Path(parser.get("venv", "home")).parent)
    return sorted({place for place in candidates if place.is_absolute() and _is_python(place)})


def _is_python(prefix: Path) -> bool:
    """A pull request may write a pyvenv.cfg: only a place laid out as Python's own is shown for its sake."""
    return any((prefix / "lib").glob("python3*/os.py")) and any((prefix / "bin").glob("python3*"))
