"""Where a report says a test's file is, told from the directory the check ran in."""

import posixpath
from urllib.parse import unquote, urlsplit


def below(root: str, path: str) -> str:
    """The path relative to `root`; "" where it lies elsewhere. A `file:` address counts as the path it names."""
    if path.startswith("file:"):
        path = unquote(urlsplit(path).path)
    path = posixpath.normpath(path.replace("\\", "/")) if path else ""
    if path.startswith("/"):
        base = posixpath.normpath(root) + "/"
        path = path[len(base) :] if root and path.startswith(base) else ""
    return "" if path in {"", "."} or path.startswith("../") else path
