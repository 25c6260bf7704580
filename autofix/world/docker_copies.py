"""Where the engine cannot mount our work tree: the tree as a volume of the engine's, kept equal to ours by copying.

Before a command what changed here goes in, after it what changed there comes out; between two commands both are the
same, so that whoever looks at the tree here sees what commands see. What changed there is asked of `find` and `stat` of
the image, which no command can change, in a process that no command has started; a change time cannot be set by a
command either. Where the listing cannot be relied upon the whole tree is copied out: the engine reads it as root,
whatever a command did to its permissions.
"""

import io
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from autofix.errors import SandboxBroken, SandboxUnavailable
from autofix.ports.sandbox import TREE
from autofix.world.capture import Beginning
from autofix.world.docker_engine import Container, Engine, engine_errors
from autofix.world.docker_stream import ExecStream, clean_argv
from autofix.world.docker_supervisor import escaped
from autofix.world.docker_walls import volume_mount
from autofix.world.ownership import User
from autofix.world.pump import Deadline
from autofix.world.shell import DEFAULT_PATH
from autofix.world.tree_archive import Overlay, Seen, look, pack, seen

_SECONDS = 120.0  # for a listing or a removal; a tree of 100,000 files is listed in three
_LISTING_BYTES = 64 * 1024 * 1024  # some 100 bytes a file; past it the whole tree is copied
_SINGLE_FETCHES = 16  # each costs one answer of the engine; past these one archive of everything is quicker
_ARGUMENTS = 500  # paths in one removal; far below what an argument list holds

_LIST = "cd {tree} && find . -path ./.git -prune -o -exec stat -c '%f %s %i %h %z %n' {{}} + && echo whole"
_LINE = re.compile(r"([0-9a-f]+) (\d+) (\d+) (\d+) (\d{4}-\d\d-\d\d [\d:]+\.(\d+) [+-]\d{4}) (\.|\./.+)")
# Where a command took its own rights away, it gets them back first.
_REMOVE = """cd {tree} || exit 1
for escaped do
  path=$(printf '%b.' "$escaped")
  path=${{path%.}}
  rm -rf -- "$path" && continue
  chmod u+rwx "$(dirname -- "$path")"
  [ -L "$path" ] || chmod -R u+rwx -- "$path"
  rm -rf -- "$path" || exit 1
done"""
_DIRECTORY = 0o040000
_KIND = 0o170000

Stamp = tuple[str, ...]


class DockerCopies:
    """The copy of one tree in one container; `close` removes the volume.

    Args:
        image: any image that is there; a container is made of it, and never started, to fill the volume.
        labels: of the volume, so that it can be found where nobody closed it.
    """

    def __init__(self, engine: Engine, tree: Path, user: User, image: str, labels: Mapping[str, str]) -> None:
        self._engine = engine
        self._tree = tree
        self._user = user
        owner = tree.stat()
        self._overlay = Overlay(tree, User(owner.st_uid, owner.st_gid))
        self._container: Container | None = None
        self._here: dict[str, Seen] = {}
        self._there: dict[str, Stamp] | None = None
        with engine_errors(SandboxUnavailable, "the tree's volume cannot be made"):
            self.volume = engine.make_volume(labels)
        try:
            self._fill(image, labels)
        except BaseException:
            self.close()
            raise

    def _fill(self, image: str, labels: Mapping[str, str]) -> None:
        """Through a container that has a root to write to: only so can the tree's own directory get its owner."""
        with engine_errors(SandboxUnavailable, "the tree cannot be copied to the engine"):
            helper = self._engine.create(
                image, {"mounts": [volume_mount(self.volume)], "command": ["true"], "network_mode": "none"}, labels
            )
            try:
                self._here = look(self._tree, with_git=True)
                self._put(helper, "/", self._here, below=TREE.lstrip("/"))
            finally:
                self._engine.remove(helper)
        self._here = {path: state for path, state in self._here.items() if not path.startswith(".git/")}
        self._here.pop(".git", None)

    def attach(self, container: Container) -> None:
        """The running container whose commands see the volume."""
        self._container = container
        self._there = self._listed()

    def bring_in(self) -> None:
        """What changed here since the two were the same.

        Raises:
            SandboxBroken: it cannot be brought in.
        """
        now = look(self._tree)
        changed = [path for path, state in now.items() if self._here.get(path) != state]
        gone = [path for path in self._here if path not in now]
        if gone:
            self._remove(_outermost(gone))
        if changed:
            with engine_errors(SandboxBroken, "the tree cannot be copied to the engine"):
                self._put(self._running, TREE, changed)
        self._here = now

    def bring_out(self) -> None:
        """What the last command changed.

        Raises:
            SandboxBroken: it cannot be brought out; this tree may hold a part of it.
        """
        before, listed = self._there or {}, self._listed()
        self._there = listed
        if listed is None:
            self._fetch_all(lambda _: True)
            return
        changed = {path: stamp for path, stamp in listed.items() if before.get(path) != stamp}
        files = [path for path, stamp in changed.items() if not _is_directory(stamp)]
        if len(files) > _SINGLE_FETCHES or any(_has_names(changed[path]) or not _is_text(path) for path in files):
            self._fetch_all(changed.__contains__)
            return
        for path in (path for path in changed if path not in files):
            self._overlay.make_directory(path)
        if not all(self._fetch(path) for path in files):
            self._fetch_all(changed.__contains__)
            return
        self._drop(path for path in self._here if path not in listed)
        self._look_again(changed)

    def close(self) -> None:
        """Safe to call twice, and after the container is gone."""
        with engine_errors(SandboxBroken, "the tree's volume cannot be removed"):
            self._engine.remove_volume(self.volume)

    @property
    def _running(self) -> Container:
        assert self._container is not None  # attached before any command
        return self._container

    def _put(self, container: Container, place: str, names: Iterable[str], *, below: str = "") -> None:
        with tempfile.TemporaryFile() as archive:
            pack(self._tree, names, self._user, archive, below=below)
            archive.seek(0)
            self._engine.put(container, place, archive)

    def _fetch_all(self, wanted: Callable[[str], bool]) -> None:
        """One archive of everything, of which the `wanted` is taken over; what it lacks goes."""
        first = PurePosixPath(TREE).name + "/"
        there = self._taken(TREE, lambda name: name.removeprefix(first) if name.startswith(first) else None, wanted)
        self._drop(path for path in self._here if path not in there)
        self._here = look(self._tree)

    def _fetch(self, path: str) -> bool:
        """One file or link; False where there is none: the listing told lies."""
        return bool(self._taken(f"{TREE}/{path}", lambda _: path, lambda _: True))

    def _taken(self, place: str, named: Callable[[str], str | None], wanted: Callable[[str], bool]) -> set[str]:
        """What an archive of this place holds; nothing where there is no such place."""
        with engine_errors(SandboxBroken, "the tree cannot be copied out of the engine"):
            chunks = self._engine.get(self._running, place)
            return self._overlay.lay(io.BufferedReader(_Chunks(chunks)), named, wanted) if chunks else set()

    def _drop(self, paths: Iterable[str]) -> None:
        """What is there no more, every path below a directory included."""
        gone = list(paths)
        for path in _outermost(gone):
            self._overlay.remove(path)
        for path in gone:
            del self._here[path]

    def _look_again(self, paths: Iterable[str]) -> None:
        for path in paths:
            state = seen(self._tree, path)
            if state is not None:
                self._here[path] = state

    def _remove(self, paths: list[str]) -> None:
        for at in range(0, len(paths), _ARGUMENTS):
            some = [escaped(f"./{path}") for path in paths[at : at + _ARGUMENTS]]
            code, _ = self._ask(["sh", "-c", _REMOVE.format(tree=TREE), "sh", *some])
            if code != 0:
                raise SandboxBroken("the sandbox does not let go of a file that is to be removed")

    def _listed(self) -> dict[str, Stamp] | None:
        """Every path below the tree with what changes when it changes; None where it cannot be relied upon."""
        code, said = self._ask(["sh", "-c", _LIST.format(tree=TREE)])
        if code != 0 or said.lost:
            return None
        return read_listing(bytes(said.kept).decode("utf-8", "surrogateescape"))

    def _ask(self, argv: list[str]) -> tuple[int | None, Beginning]:
        """Run a program of the image as the commands' user, beside the supervisor."""
        said = Beginning(_LISTING_BYTES)
        clean = clean_argv({"PATH": DEFAULT_PATH, "LC_ALL": "C", "TZ": "UTC"}, argv)
        deadline = Deadline.after(_SECONDS)
        with engine_errors(SandboxBroken, "the sandbox's tree cannot be looked at"):
            api = self._engine.client.api
            stream = ExecStream(api, self._running.id, clean, self._user, directory="/", stdin=False)
            try:
                while (data := stream.receive(deadline)) is not None:
                    said.feed(data)
            finally:
                stream.close()
            return stream.exit_code(), said


def read_listing(text: str) -> dict[str, Stamp] | None:
    """What `_LIST` printed.

    None where a name holds a newline, which could tell lies about another, where the times have no fractions, so that
    two changes in a second would look like one, and where the beginning or the end is missing.
    """
    found: dict[str, Stamp] = {}
    told: set[str] = set()
    if not text.endswith("\nwhole\n"):
        return None
    for line in text.split("\n")[:-2]:
        match = _LINE.fullmatch(line)
        if match is None or match[7] in told:
            return None
        told.add(match[7])
        stamp = match.groups()[:5]
        if _is_directory(stamp):
            stamp = stamp[:1]
        elif not int(match[6]):
            return None
        found[match[7].removeprefix("./")] = stamp
    return found if found.pop(".", None) else None


def _is_directory(stamp: Stamp) -> bool:
    return int(stamp[0], 16) & _KIND == _DIRECTORY


def _has_names(stamp: Stamp) -> bool:
    """Whether it is a file with several names, which a fetch of it alone would not show."""
    return int(stamp[3]) > 1


def _is_text(path: str) -> bool:
    """Whether an address can hold it."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _outermost(paths: list[str]) -> list[str]:
    """Those that lie below none of the others."""
    every = set(paths)
    return [path for path in paths if not any(str(above) in every for above in PurePosixPath(path).parents)]


class _Chunks(io.RawIOBase):
    """The engine's answer, piece by piece, as a file."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while not self._rest:
            following = next(self._chunks, None)
            if following is None:
                return 0
            self._rest = memoryview(following)
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count
