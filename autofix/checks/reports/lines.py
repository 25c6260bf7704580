"""A report of words, line by line, in bounded memory: what is read of 64 MiB is never more than one line at a time."""

from collections.abc import Iterator
from io import BytesIO

LINE_LIMIT = 64 * 1024
"""Bytes kept of one line. No runner's own line is as long, and no pattern takes a second for it."""


def lines(report: bytes) -> Iterator[str]:
    """A line ends at a line feed alone: what else Python splits at may be in the middle of a test's own words."""
    for line in BytesIO(report):
        yield line[:LINE_LIMIT].decode("utf-8", "replace").rstrip("\r\n")
