import pytest
from hypothesis import given
from hypothesis import strategies as st

from autofix.harness.cut import byte_length, cut, short_line


def size(text: str) -> int:
    return len(text.encode())


def test_what_fits_is_left_as_it_is():
    assert cut("ab\nc\n", 5) == type(cut("", 1))("ab\nc\n", 0)
    assert cut(b"ab\nc\n", 5).text == "ab\nc\n"


def test_the_mark_says_how_much_is_missing_and_where_the_whole_lies():
    shown = cut("x" * 10_000, 1000, whole="artifact:bash-3")
    assert f"[... {shown.lost} bytes cut, whole in artifact:bash-3 ...]" in shown.text
    assert shown.text.count("x") == 10_000 - shown.lost


@pytest.mark.parametrize(
    ("keep", "has_first", "has_last"), [("head", True, False), ("tail", False, True), ("both", True, True)]
)
def test_the_end_that_is_asked_for_is_kept(keep, has_first, has_last):
    text = "".join(f"line {number}\n" for number in range(1000))
    shown = cut(text, 300, keep=keep).text
    assert ("line 0\n" in shown) is has_first
    assert ("line 999" in shown) is has_last


def test_a_cut_falls_on_a_lines_end_where_one_is_near():
    text = "".join(f"line {number:04}\n" for number in range(1000))
    lines = cut(text, 500).text.splitlines()
    assert all(line.startswith("[...") or len(line) == 9 for line in lines)


def long(part):
    """Repeated, so that most examples are longer than the limit."""
    return st.builds(lambda part, times: part * times, part, st.integers(1, 200))


@given(
    long(st.text(alphabet="aé漢🎉\n", min_size=1, max_size=9)),
    st.integers(60, 200),
    st.sampled_from(["head", "tail", "both"]),
)
def test_no_cut_splits_a_character_or_exceeds_its_limit(text, limit, keep):
    for given_text in (text, text.encode()):
        shown = cut(given_text, limit, keep=keep)
        assert size(shown.text) <= limit
        assert "\ufffd" not in shown.text
        assert (shown.lost == 0) == (size(text) <= limit)


@given(long(st.binary(min_size=1, max_size=9)), st.integers(60, 200))
def test_bytes_that_are_no_text_stay_within_the_limit_too(data, limit):
    assert size(cut(data, limit).text) <= limit


def test_a_short_line_is_the_same_object():
    line = "x" * 50
    assert short_line(line, 50) is line


@given(st.text(max_size=300))
def test_the_byte_length_is_that_of_utf8(text):
    assert byte_length(text) == len(text.encode("utf-8", "replace"))


def test_lone_surrogates_do_not_stop_a_cut():
    assert size(cut("\udce9" * 1000, 100).text) <= 100
    assert cut("a\udce9", 100).text == "a?"
