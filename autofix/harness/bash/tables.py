"""How tables are written: names as the words of a text, which stays readable where a list of eighty would not."""


def listed(words: str) -> tuple[str, ...]:
    """The words of a text."""
    return tuple(words.split())


_SET_ID = frozenset(
    listed("su sudo doas pkexec newgrp sg chsh chfn passwd gpasswd mount umount fusermount fusermount3")
)


def is_set_id(path: str) -> bool:
    """Whether a path names a program that runs with its owner's rights; a copy with its mode would as well."""
    return path.startswith("/") and path.rpartition("/")[2] in _SET_ID
