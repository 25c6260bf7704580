"""How tables are written: names as the words of a text, which stays readable where a list of eighty would not."""


def listed(words: str) -> tuple[str, ...]:
    """The words of a text."""
    return tuple(words.split())
