from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autofix.world.capture import Beginning, Capture


@given(pieces=st.lists(st.binary(max_size=50), max_size=30), limit=st.integers(0, 60))
def test_what_is_kept_is_the_beginning_and_the_end_and_never_more_than_the_limit(pieces: list[bytes], limit: int):
    capture = Capture(limit)
    for piece in pieces:
        capture.feed(piece)
    head, tail = capture.parts()
    whole = b"".join(pieces)
    assert capture.total == len(whole)
    assert len(head) + len(tail) <= limit
    assert whole.startswith(head)
    assert whole.endswith(tail)
    if len(whole) <= limit:
        assert (head, tail) == (whole, b"")
    else:
        assert len(head) + len(tail) == limit


@given(pieces=st.lists(st.binary(max_size=50), max_size=30), limit=st.integers(0, 60))
def test_a_beginning_knows_whether_there_was_more(pieces: list[bytes], limit: int):
    beginning = Beginning(limit)
    for piece in pieces:
        beginning.feed(piece)
    whole = b"".join(pieces)
    assert bytes(beginning.kept) == whole[:limit]
    assert beginning.lost == (len(whole) > limit)


@pytest.mark.parametrize("piece", [1, 1000, 1_000_000])
def test_a_long_stream_is_kept_in_bounded_memory(piece: int):
    capture = Capture(1000)
    for _ in range(min(3_000_000 // piece, 20_000)):
        capture.feed(bytes(piece))
    assert len(capture._head) + len(capture._tail) <= 2000
