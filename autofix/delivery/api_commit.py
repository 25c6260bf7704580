"""Can this fix be a commit that GitHub makes and signs? Found out before it is tried, because GitHub would not refuse.

`createCommitOnBranch` writes every file as 100644: an executable would lose its bit without a word, a link would become
a file, a submodule's entry a blob.
"""

from collections.abc import Mapping, Sequence

from autofix.ports.github import FileWrite

_PLAIN = "100644"

_MAX_BYTES = 40 * 1024 * 1024
"""GitHub's limit for one blob; far above what a fix may hold, and cheap to know."""

_KINDS = {"100755": "is executable", "120000": "is a symbolic link", "160000": "is a submodule"}


def unfit_for_api(files: Sequence[FileWrite], modes: Mapping[str, str]) -> str:
    """Why a commit through the API would change more than the fix; "" where it would not.

    Args:
        files: the fix.
        modes: path -> mode in the commit it builds on; a path that is not there is new.
    """
    for file in files:
        mode = modes.get(file.path, _PLAIN)
        if mode != _PLAIN and file.content is not None:
            kind = _KINDS.get(mode, f"has the mode {mode}")
            return f"{file.path} {kind}, which a commit through the API would lose"
        if file.content is not None and len(file.content) > _MAX_BYTES:
            return f"{file.path} is larger than GitHub's API takes"
        if any(_below(file.path, other) for other, kind in modes.items() if kind == "160000"):
            return f"{file.path} lies in a submodule"
    return ""


def _below(path: str, directory: str) -> bool:
    return path.startswith(f"{directory}/")
