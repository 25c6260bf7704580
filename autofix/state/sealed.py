"""A run in one piece, to be kept where others may write: compressed, and sealed so that nobody can slip in another.

Whoever can write to a repository can write any ref of it. What a run left there is believed only with a seal made with
a secret that the repository does not hold, over the run's very name and bytes.
"""

import hashlib
import hmac
import io
import re
import zipfile
from collections.abc import Mapping

from autofix.errors import ParkedRunDamaged

PACKED_LIMIT = 8 * 1024 * 1024
"""Bytes, compressed; a run of forty turns takes a fraction of it."""
UNPACKED_LIMIT = 256 * 1024 * 1024
_NAME = re.compile(r"(?:[a-z]+/)?[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The same files make the same bytes."""


def packed(files: Mapping[str, bytes]) -> bytes:
    """The files as a zip archive; equal files, equal bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, _LONG_AGO), files[name], zipfile.ZIP_DEFLATED)
    return target.getvalue()


def unpacked(content: bytes) -> dict[str, bytes]:
    """The files of `packed`, whose seal was found to hold.

    Raises:
        ParkedRunDamaged: this is not what `packed` makes.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            if sum(one.file_size for one in members) > UNPACKED_LIMIT:
                raise ParkedRunDamaged("the kept run is larger than any run")
            odd = next((one.filename for one in members if not _NAME.fullmatch(one.filename)), None)
            if odd is not None:
                raise ParkedRunDamaged(f"the kept run has a file {odd!a}")
            return {one.filename: archive.read(one) for one in members}
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError) as error:
        raise ParkedRunDamaged(f"the kept run cannot be unpacked: {error}") from error


def seal(content: bytes, run_id: str, secret: str) -> str:
    """What only a holder of `secret` can make for this content under this name.

    The seal is public. The key is stretched, so that trying out secrets against it is slow.
    """
    key = hashlib.scrypt(secret.encode(), salt=f"autofix parked run {run_id}".encode(), n=2**14, r=8, p=1, dklen=32)
    return hmac.new(key, run_id.encode() + b"\0" + content, hashlib.sha256).hexdigest()


def holds(sealed: str, content: bytes, run_id: str, secret: str) -> bool:
    return hmac.compare_digest(sealed.strip().encode(), seal(content, run_id, secret).encode())
