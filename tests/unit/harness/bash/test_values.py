"""Marks for what cannot be known are told from text, and a path with marks fits what it could name."""

import pytest

from autofix.harness.bash.values import ANY, NAME, first_named, known, may_be_option, readable


def test_marks_are_told_from_text_and_shown_as_an_ellipsis():
    assert known("plain")
    assert not known(f"a{NAME}")
    assert may_be_option(ANY)
    assert not may_be_option(NAME)
    assert readable(f"scratch/{NAME}.txt") == "scratch/….txt"


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("a*c", "abc", True),
        ("a*c", "a/c", False),
        (f"a{ANY}c", "a/b/c", True),
        (f"a{NAME}c", "a/c", False),
        ("[ab]x", "BX", True),
        ("[!a]x", "bx", True),
        ("[^a]x", "ax", False),
        ("[x", "[x", True),
        ("[]]", "]", True),
        ("[z-a]", "q", True),
        ("a[!b]c", "a\nc", False),
        ("a.b", "axb", False),
    ],
)
def test_a_pattern_fits_what_it_could_name(pattern, path, fits):
    assert first_named(pattern, f"other\n{path}\nx/y") == (path if fits else None)
