"""The engine's API, with its errors as ours: everything the rest of the Docker room knows of the SDK."""

import contextlib
import os
import secrets
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

from autofix.errors import SandboxError, SandboxUnavailable
from autofix.world.docker_walls import CONTAINER_LABEL, OWNER_LABEL
from autofix.world.own_container import engine_path, own_container
from autofix.world.owner import alive

API_SECONDS = 60.0  # for one answer of the engine; a loaded machine takes ten to start a container

_DEFAULT_HOST = "unix:///var/run/docker.sock"
_ARCHIVE_CHUNK = 1024 * 1024  # bytes of an archive read at once
_BAD_REQUEST = 400
_CONFLICT = 409  # the engine's answer for a container that is being removed already


@dataclass(frozen=True, slots=True)
class Image:
    """A local image; `environment` is its own NAME=VALUE list."""

    id: str
    environment: tuple[str, ...]
    labels: Mapping[str, str] = field(default_factory=dict)


class Container(Protocol):
    """The part of the SDK's container we use."""

    id: str
    status: str
    labels: Mapping[str, str]

    def start(self) -> None: ...
    def kill(self) -> None: ...
    def reload(self) -> None: ...


@contextlib.contextmanager
def engine_errors(kind: type[SandboxError], doing: str) -> Iterator[None]:
    """Whatever the SDK or its HTTP library raises, raised as `kind`."""
    from docker.errors import DockerException
    from requests.exceptions import RequestException
    from urllib3.exceptions import HTTPError

    try:
        yield
    except (DockerException, RequestException, HTTPError, OSError) as error:
        detail = getattr(error, "explanation", None) or str(error)
        raise kind(f"{doing}: {detail}") from error


class Engine:
    """One connection to the engine that DOCKER_HOST names, or to the machine's own."""

    def __init__(self) -> None:
        host = os.environ.get("DOCKER_HOST") or _DEFAULT_HOST
        self._host = host
        nobody = f"no Docker engine answers at {host}: start one, or choose another sandbox"
        try:
            _knock(host)
        except OSError as error:
            raise SandboxUnavailable(f"{nobody} ({error.strerror})") from error
        with engine_errors(SandboxUnavailable, nobody):
            import docker

            self.client: Any = docker.from_env(timeout=API_SECONDS)

    def image(self, name: str) -> Image:
        """An image, pulled where it is not here yet.

        Raises:
            SandboxUnavailable: it is neither here nor to be had.
        """
        with engine_errors(SandboxUnavailable, f"the image {name} is not here and cannot be pulled"):
            found = self.local_image(name)
            if found is None:
                tag = None if ":" in name or "@" in name else "latest"  # without one the SDK pulls every tag
                found = _image(self.client.images.pull(name, tag=tag))
            return found

    def local_image(self, name: str) -> Image | None:
        from docker.errors import ImageNotFound

        try:
            return _image(self.client.images.get(name))
        except ImageNotFound:
            return None

    def create(self, image: str, options: Mapping[str, Any], labels: Mapping[str, str]) -> Container:
        name = f"autofix-{secrets.token_hex(6)}"
        container: Container = self.client.containers.create(image, name=name, labels=dict(labels), **options)
        return container

    def commit(self, container: Container, name: str, labels: Mapping[str, str]) -> Image:
        """Keep a container's file system as a local image; labels are names and values of our own."""
        repository, _, tag = name.rpartition(":")
        changes = [f"LABEL {key}={value}" for key, value in labels.items()]
        return _image(self.client.containers.get(container.id).commit(repository, tag, changes=changes))

    def remove(self, container: Container) -> None:
        """Remove it, running or not, with the volumes its image declares; nothing happens where it is gone."""
        from docker.errors import APIError, NotFound

        with contextlib.suppress(NotFound):
            try:
                self.client.api.remove_container(container.id, force=True, v=True)
            except APIError as error:
                if error.status_code != _CONFLICT:
                    raise
                # Somebody else is removing it already: what it uses is free only when it is gone.
                self.client.api.wait(container.id, timeout=API_SECONDS, condition="removed")

    def make_volume(self, labels: Mapping[str, str]) -> str:
        name = f"autofix-{secrets.token_hex(6)}"
        self.client.volumes.create(name=name, labels=dict(labels))
        return name

    def remove_volume(self, name: str) -> None:
        """Nothing happens where it is gone."""
        from docker.errors import NotFound

        with contextlib.suppress(NotFound):
            self.client.api.remove_volume(name)

    def put(self, container: Container, place: str, archive: IO[bytes]) -> None:
        """Unpack an archive in a directory of a container, running or not."""
        self.client.api.put_archive(container.id, place, archive)

    def get(self, container: Container, place: str) -> Iterator[bytes] | None:
        """An archive of what is at a place; None where there is nothing."""
        from docker.errors import NotFound

        try:
            chunks: Iterator[bytes] = self.client.api.get_archive(container.id, place, chunk_size=_ARCHIVE_CHUNK)[0]
        except NotFound:
            return None
        return chunks

    def leftover_volumes(self) -> list[str]:
        """Volumes with copies of trees whose harness is gone."""
        every = self.client.volumes.list(filters={"label": OWNER_LABEL})
        return [volume.id for volume in every if not self._owned(volume.attrs["Labels"])]

    def leftovers(self) -> list[Container]:
        """Containers whose harness is gone."""
        every: Sequence[Container] = self.client.containers.list(
            all=True, filters={"label": OWNER_LABEL}, ignore_removed=True
        )
        return [container for container in every if not self._owned(container.labels)]

    def _owned(self, labels: Mapping[str, str]) -> bool:
        """Whether the harness that made a container may still be there."""
        around = labels.get(CONTAINER_LABEL, "")
        if around in {"", own_container()}:
            return alive(labels[OWNER_LABEL])
        return self._runs(around)

    def _runs(self, container: str) -> bool:
        from docker.errors import NotFound

        try:
            return bool(self.client.api.inspect_container(container)["State"]["Running"])
        except NotFound:
            return False

    def path_of(self, path: Path) -> str:
        """What this engine calls a path of ours.

        Raises:
            SandboxUnavailable: we are in a container, and the path is in no mount of it.
        """
        around = own_container()
        if not around:
            return str(path)
        return engine_path(path, self._mounts(around))

    def is_of_this_machine(self) -> bool:
        """Whether it is known to see the files we see: what this says no to may still do."""
        if not self._host.startswith("unix://"):
            return False
        around = own_container()
        with engine_errors(SandboxUnavailable, "the engine does not answer"):
            # A socket can lead into a virtual machine, which has a name of its own.
            return self._knows(around) if around else bool(self.client.info()["Name"] == socket.gethostname())

    def _knows(self, container: str) -> bool:
        from docker.errors import NotFound

        try:
            self.client.api.inspect_container(container)
        except NotFound:
            return False
        return True

    def finds(self, image: str, mount: Any, name: str, labels: Mapping[str, str]) -> bool:
        """Whether a container with this mount would have a file of this name in it; none is started."""
        from docker.errors import APIError

        options = {"mounts": [mount], "command": ["true"], "network_mode": "none"}
        try:
            container = self.create(image, options, labels)
        except APIError as error:
            if error.status_code == _BAD_REQUEST:  # there is no such path to mount
                return False
            raise
        try:
            return self.get(container, f"{mount['Target']}/{name}") is not None
        finally:
            self.remove(container)

    def _mounts(self, container: str) -> Sequence[Mapping[str, str]]:
        from docker.errors import NotFound

        with engine_errors(SandboxUnavailable, "the mounts of autofix's own container cannot be read"):
            try:
                found: Sequence[Mapping[str, str]] = self.client.api.inspect_container(container)["Mounts"]
            except NotFound:  # another engine's container: there, paths are what they are here
                found = [{"Source": "/", "Destination": "/"}]
            return found


def _knock(host: str) -> None:
    """OSError where the socket is not there; the SDK would leave one of its own open for each try."""
    scheme, _, path = host.partition("://")
    if scheme == "unix":
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(API_SECONDS)
            probe.connect(path)


def _image(found: Any) -> Image:
    config = found.attrs["Config"]
    return Image(found.id, tuple(config.get("Env") or ()), config.get("Labels") or {})
