"""The image the Docker rows run in: the official Python image with pytest, made once from what is installed here."""

import io
import tarfile
from importlib.metadata import files
from pathlib import Path

BASE = "python:3.13-slim"
IMAGE = "autofix-benchmark:pytest"
_PACKAGES = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
"""pytest with what it needs; all pure Python, so any interpreter's copy will do."""


def image_with_pytest() -> str | None:
    """The image's name, made where it is missing; None where no engine or no base image answers."""
    import docker
    from docker.errors import DockerException, ImageNotFound

    try:
        client = docker.from_env()
        client.images.get(BASE)
    except DockerException:
        return None
    try:
        client.images.get(IMAGE)
    except ImageNotFound:
        place = ["python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
        site = client.containers.run(BASE, place, remove=True).decode().strip()
        container = client.containers.create(BASE)
        container.put_archive(site, _archive())
        container.commit(*IMAGE.split(":"))
        container.remove()
    client.close()
    return IMAGE


def _archive() -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for package in _PACKAGES:
            for file in files(package) or ():
                if ".." not in file.parts and "__pycache__" not in file.parts:
                    archive.add(Path(str(file.locate())), str(file))
    return target.getvalue()
