"""What may be pushed to: a remote's URL, checked, with its credentials taken out of it.

Credentials in a URL would show in the process list; they travel in one variable of the one push process instead.
"""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

PROTOCOLS = "file:https:http:ssh"
"""GIT_ALLOW_PROTOCOL of a call to a remote: no `ext::`, no helper program."""

_HELPER = re.compile(r"[A-Za-z0-9+.-]+::")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_SCP = re.compile(r"[^/:]+:(?!/)")  # host:path, with a colon before the first slash
_ALLOW: Mapping[str, str] = {"GIT_ALLOW_PROTOCOL": PROTOCOLS}


@dataclass(frozen=True, slots=True)
class RemoteUrl:
    """Where to push.

    Attributes:
        url: without credentials; safe to show and to pass as an argument.
        environment: what the git that talks to it needs besides.
    """

    url: str
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)


def parse_remote_url(raw: str, checkout: Path) -> RemoteUrl | str:
    """The URL git would push to, or why it is not one we push to; relative paths are meant from `checkout`."""
    if not raw or raw.startswith("-") or any(not c.isprintable() for c in raw):
        return "its URL is not one git could be given"
    if _HELPER.match(raw):
        return "its URL names a helper program (`::`), which is not run"
    scheme = _SCHEME.match(raw)
    if scheme is None:
        return RemoteUrl(raw if _SCP.match(raw) else str(checkout / raw), _ALLOW)
    protocol = scheme.group(1).lower()
    if protocol not in PROTOCOLS.split(":"):
        return f"its protocol {protocol} is none of {PROTOCOLS.replace(':', ', ')}"
    return _without_credentials(raw) if protocol.startswith("http") else RemoteUrl(raw, _ALLOW)


def _without_credentials(raw: str) -> RemoteUrl:
    parts = urlsplit(raw)
    credentials, at, host = parts.netloc.rpartition("@")
    bare = urlunsplit((parts.scheme, host, parts.path, parts.query, ""))
    if not at:
        return RemoteUrl(bare, _ALLOW)
    name, _, password = credentials.partition(":")
    pair = f"{unquote(name)}:{unquote(password)}".encode()
    header = f"Authorization: Basic {base64.b64encode(pair).decode('ascii')}"
    return RemoteUrl(
        bare,
        {
            **_ALLOW,
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"http.{parts.scheme}://{host}/.extraHeader",
            "GIT_CONFIG_VALUE_0": header,
        },
    )
