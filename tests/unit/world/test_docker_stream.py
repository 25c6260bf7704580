from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from autofix.world.docker_stream import Frames, clean_argv

PARTS = st.lists(st.tuples(st.sampled_from([0, 1, 2]), st.binary(max_size=40)), max_size=8)


@given(parts=PARTS, size=st.integers(1, 60))
def test_the_standard_output_is_put_together_from_frames_however_they_arrive(parts: list[tuple[int, bytes]], size: int):
    stream = b"".join(bytes([kind, 0, 0, 0]) + len(data).to_bytes(4, "big") + data for kind, data in parts)
    frames = Frames()
    said = b"".join(frames.feed(stream[start : start + size]) for start in range(0, len(stream), size))
    assert said == b"".join(data for kind, data in parts if kind == 1)


def test_a_program_is_started_with_exactly_its_environment():
    assert clean_argv({"A": "b c", "D": ""}, ["sh", "-c", "x"]) == ["env", "-i", "A=b c", "D=", "sh", "-c", "x"]
