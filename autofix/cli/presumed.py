"""What `autofix gate` takes for tracked when nobody tells it: it judges a command without a repository at hand."""

import posixpath
import re

_OWN = re.compile(r"scratch(/.*)?")
_OUTPUT = re.compile(
    r"(.*/)?(build|dist|htmlcov|__pycache__|node_modules|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.nox|\.hypothesis|"
    r"\.venv|[^/]+\.egg-info|\.coverage[^/]*)(/.*)?|.*\.(pyc|pyo|o|so|a|class)"
)
_NOTE = re.compile(r"[^/]+\.(txt|log|out|tmp|bak|orig|rej)")
_PROJECT_TEXT = re.compile(
    r"(requirements|constraints|CMakeLists|robots|LICENSE|NOTICE|AUTHORS|MANIFEST|runtime|version)[^/]*", re.IGNORECASE
)


def presumed_tracked(path: str) -> bool:
    """Everything is taken for tracked but scratch/, build output, and a note in the top directory."""
    name = posixpath.normpath(path)
    if _OWN.fullmatch(name) or _OUTPUT.fullmatch(name):
        return False
    return not (_NOTE.fullmatch(name) and not _PROJECT_TEXT.fullmatch(name))
