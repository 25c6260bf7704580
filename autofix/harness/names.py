"""How two names compare where a difference that only looks like one must not count."""

import re
import unicodedata

# Characters HFS+ drops from names; git guards `.git` against the same list, and soft hyphens are as invisible.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]")


def folded(path: str) -> str:
    """The form in which two names that some file system takes for one are equal."""
    return unicodedata.normalize("NFC", path).casefold()


def plain_components(path: str) -> tuple[str, ...]:
    """The path's names folded, without invisible characters and without the dots and spaces NTFS drops at an end."""
    visible = _INVISIBLE.sub("", folded(path))
    return tuple(part for part in (name.rstrip(" .") or name for name in visible.split("/")) if part)


def is_plain_path(path: str) -> bool:
    """Whether it names something below a root by itself and no disguise of git's own directory."""
    parts = path.split("/")
    names = plain_components(path)
    return (
        "\0" not in path
        and len(names) == len(parts)
        and not any(part in ("", ".", "..") for part in parts)
        and not any(name in {".git", "git~1"} or name.startswith(".git:") for name in names)
    )
