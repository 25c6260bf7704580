from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autofix.world.docker_supervisor import Reply, read_text, remove_text, request, script_text

NONCE = "0123456789abcdef" * 2


def decoded(line: bytes) -> bytes:
    """What printf's `%b` makes of a request's text."""
    text = line.removesuffix(b"\n").partition(b" ")[2]
    return re.sub(rb"\\0([0-7]{3})", lambda found: bytes([int(found[1], 8)]), text)


@given(text=st.binary(max_size=300).filter(lambda data: 0 not in data))
def test_a_request_is_one_line_that_holds_every_byte(text: bytes):
    line = request(NONCE, text.decode("utf-8", "surrogateescape"))
    assert line.count(b"\n") == 1
    assert line.startswith(NONCE.encode() + b" ")
    assert decoded(line) == text
    assert all(32 <= byte < 127 for byte in line[:-1])


@given(output=st.binary(max_size=200), code=st.integers(0, 255), cuts=st.lists(st.integers(0, 260), max_size=6))
def test_the_mark_is_found_wherever_the_stream_is_cut(output: bytes, code: int, cuts: list[int]):
    stream = output + b"\x1e" + NONCE.encode() + b" %d\n" % code
    seen = bytearray()
    reply = Reply(NONCE, seen.extend)
    found, start = None, 0
    for end in [*sorted(cuts), len(stream)]:
        assert found is None
        if end > len(stream):
            continue
        found = reply.feed(stream[start:end])
        start = end
        if found is not None:
            break
    assert (found, bytes(seen)) == (code, output)


@pytest.mark.parametrize(
    "forged",
    [
        b"\x1e" + b"f" * 32 + b" 0\n",
        b"\x1e" + NONCE[:-1].encode() + b" 0\n",
        b"\x1e" + NONCE.encode() + b" x\n",
        b"\x1e" + NONCE.encode() + b" 1234\n",
        b"\x1e" + NONCE.encode() + b"\n",
    ],
)
def test_what_only_looks_like_the_mark_is_output(forged: bytes):
    seen = bytearray()
    reply = Reply(NONCE, seen.extend)
    assert reply.feed(b"before" + forged) is None
    reply.finish()
    assert bytes(seen) == b"before" + forged


def test_nothing_held_back_is_lost_or_said_twice_when_the_stream_ends_early():
    seen = bytearray()
    reply = Reply(NONCE, seen.extend)
    assert reply.feed(b"half a mark \x1e0123") is None
    reply.finish()
    reply.finish()
    assert bytes(seen) == b"half a mark \x1e0123"


def test_a_script_and_its_variables_are_quoted_whole():
    text = script_text("echo 'a'; rm -rf /", {"NAME": "it's $(id)"})
    assert text == """export NAME='it'"'"'s $(id)'; exec $fresh_shell 'echo '"'"'a'"'"'; rm -rf /'"""


def test_reading_checks_each_component_for_a_link_and_quotes_it():
    text = read_text("/tmp", ("a b", "$(id)"), 10)
    assert text == (
        "cd /tmp && [ ! -L './a b' ] && [ ! -L './a b/$(id)' ] && [ -f './a b/$(id)' ] && exec head -c 10 './a b/$(id)'"
    )


def test_removing_a_link_itself_is_fine_and_going_through_one_is_not():
    assert remove_text("/tmp", ("d", "-f")) == "cd /tmp && [ ! -L ./d ] && exec rm -f ./d/-f"
