"""Amounts for people. An amount is a whole number of cents."""


def as_text(cents: int) -> str:
    """`1234` -> `12.34`"""
    return f"{cents // 100}.{cents % 100:02d}"
