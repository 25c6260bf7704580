"""The shelf on a real disk: whole or not at all, bounded, nobody else's."""

import os
from pathlib import Path

import pytest

from autofix.world import disk_shelf
from autofix.world.disk_shelf import MOST_BYTES, SECONDS_GOOD, DiskShelf

KEY, OTHER = "ab" * 32, "cd" * 32


@pytest.fixture
def shelf(tmp_path: Path) -> DiskShelf:
    return DiskShelf(tmp_path / "state" / "cases")


def file_of(shelf_directory: Path, key: str = KEY) -> Path:
    return shelf_directory / "state" / "cases" / key


def test_what_was_kept_comes_back_for_its_key_alone(shelf: DiskShelf):
    shelf.keep(KEY, b"one")
    shelf.keep(KEY, b"two")

    assert shelf.read(KEY) == b"two"
    assert shelf.read(OTHER) is None


def test_another_process_finds_it_and_no_other_user_may(shelf: DiskShelf, tmp_path: Path):
    shelf.keep(KEY, b"one")

    assert DiskShelf(tmp_path / "state" / "cases").read(KEY) == b"one"
    assert file_of(tmp_path).stat().st_mode & 0o777 == 0o600
    assert file_of(tmp_path).parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: content[:-1],
        lambda content: content + b"x",
        lambda content: content[:0],
        lambda content: content[:40] + b"X" + content[41:],
        lambda content: bytes(len(content)),
    ],
)
def test_a_damaged_file_is_not_there_and_is_written_anew(shelf: DiskShelf, tmp_path: Path, spoil):
    shelf.keep(KEY, b"a value that is long enough")
    file = file_of(tmp_path)
    file.write_bytes(spoil(file.read_bytes()))

    assert shelf.read(KEY) is None
    shelf.keep(KEY, b"again")
    assert shelf.read(KEY) == b"again"


def test_a_file_under_another_key_is_not_believed(shelf: DiskShelf, tmp_path: Path):
    shelf.keep(KEY, b"one")
    os.link(file_of(tmp_path), file_of(tmp_path, OTHER))

    assert shelf.read(OTHER) is None


@pytest.mark.parametrize("kind", ["link", "pipe", "directory"])
def test_what_is_no_file_is_not_read(shelf: DiskShelf, tmp_path: Path, kind: str):
    shelf.keep(OTHER, b"one")
    place = file_of(tmp_path)
    if kind == "link":
        place.symlink_to(file_of(tmp_path, OTHER))
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        place.mkdir()

    assert shelf.read(KEY) is None


def test_what_is_too_old_or_from_the_future_is_not_there(tmp_path: Path):
    now = [1_000_000_000.0]
    shelf = DiskShelf(tmp_path, now=lambda: now[0])
    shelf.keep(KEY, b"one")

    now[0] += SECONDS_GOOD - 1
    assert shelf.read(KEY) == b"one"
    now[0] += 2
    assert shelf.read(KEY) is None
    now[0] -= 3 * SECONDS_GOOD
    assert shelf.read(KEY) is None


def test_the_oldest_go_when_there_is_no_more_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(disk_shelf, "MOST_FILES", 5)
    now = [1_000_000_000.0]
    shelf = DiskShelf(tmp_path, now=lambda: now[0])
    for number in range(12):
        now[0] += 1
        shelf.keep(f"{number:064x}", b"%d" % number)

    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{number:064x}" for number in range(7, 12)]
    assert shelf.read(f"{11:064x}") == b"11"


def test_a_value_that_is_too_large_is_not_kept(shelf: DiskShelf):
    shelf.keep(KEY, bytes(MOST_BYTES + 1))

    assert shelf.read(KEY) is None


def test_a_place_where_nothing_can_be_kept_is_an_empty_shelf(tmp_path: Path):
    (tmp_path / "file").write_text("not a directory")
    shelf = DiskShelf(tmp_path / "file" / "cases")

    shelf.keep(KEY, b"one")

    assert shelf.read(KEY) is None


@pytest.mark.parametrize("key", ["", "..", "../" + "a" * 61, "A" * 64, "é" * 64])
def test_only_digests_are_keys(shelf: DiskShelf, key: str):
    with pytest.raises(ValueError, match="not a key"):
        shelf.keep(key, b"x")
