"""Backslash escapes become the characters bash makes of them."""

import pytest

from autofix.harness.bash.escapes import ansi_c


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\x72\x6d", "rm"),
        (r"\162\155", "rm"),
        (r"a\tb\n", "a\tb\n"),
        (r"\u00e9", "é"),
        (r"\'", "'"),
        (r"\q", r"\q"),
        (r"a\0b", "a"),
        (r"\cA", "\x01"),
        ("a\\", "a\\"),
    ],
)
def test_ansi_c_quotes(text, expected):
    assert ansi_c(text) == expected
