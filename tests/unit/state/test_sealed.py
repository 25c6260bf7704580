"""A run in one piece: what goes in comes out, and nobody without the secret makes one that is believed."""

import io
import zipfile

import pytest

from autofix.errors import ParkedRunDamaged
from autofix.state.sealed import holds, packed, seal, unpacked

FILES = {"journal.jsonl": b"one\ntwo\n", "memory/baseline-0123": bytes(range(256)) * 40, "words.json": b"{}"}
RUN, SECRET = "20261201-093015-4f2a91", "sk-ant-secret"


def test_what_is_packed_comes_out_again_and_the_same_files_make_the_same_bytes():
    assert unpacked(packed(FILES)) == FILES
    assert packed(FILES) == packed(dict(reversed(FILES.items())))
    assert len(packed(FILES)) < sum(map(len, FILES.values()))


def test_a_seal_holds_for_this_content_this_run_and_this_secret_alone():
    content = packed(FILES)
    sealed = seal(content, RUN, SECRET)
    assert holds(f"{sealed}\n", content, RUN, SECRET)
    assert not holds(sealed, content + b"\0", RUN, SECRET)
    assert not holds(sealed, content, "20261201-093015-4f2a92", SECRET)
    assert not holds(sealed, content, RUN, f"{SECRET}2")
    assert not holds("", content, RUN, SECRET)


@pytest.mark.parametrize("name", ["../journal.jsonl", "/etc/passwd", "memory/../x", "a/b/c", ".hidden", "x\ny"])
def test_a_name_that_leaves_the_directory_is_refused(name: str):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(name, b"")
    with pytest.raises(ParkedRunDamaged):
        unpacked(target.getvalue())


def test_what_is_no_archive_or_grows_beyond_any_run_is_refused(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(ParkedRunDamaged, match="cannot be unpacked"):
        unpacked(b"PK but no archive")
    monkeypatch.setattr("autofix.state.sealed.UNPACKED_LIMIT", 1000)
    with pytest.raises(ParkedRunDamaged, match="larger than any run"):
        unpacked(packed(FILES))
