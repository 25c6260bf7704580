"""How the tables of programs are written: names as words of a text, which stays readable where a list of 80 would not."""


def listed(words: str) -> tuple[str, ...]:
    """The words of a text."""
    return tuple(words.split())
