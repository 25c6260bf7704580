import pytest

from autofix.errors import SandboxBroken
from autofix.pipeline.workspace import Workspace
from autofix.ports.sandbox import SandboxSpec
from tests.fakes.sandbox import FakeRoom, FakeSandbox
from tests.fakes.tree import FakeTree


class Trees:
    """Opens fake trees and remembers them."""

    def __init__(self) -> None:
        self.opened: list[FakeTree] = []

    def open(self, commit, name, files=None, *, leftovers_of=None) -> FakeTree:
        self.opened.append(FakeTree())
        return self.opened[-1]

    def drop_all(self) -> None:
        for tree in self.opened:
            tree.drop()


class StuckSandbox(FakeSandbox):
    def close(self) -> None:
        raise SandboxBroken("the container cannot be removed")


def workspace(trees: Trees, room: FakeRoom) -> Workspace:
    return Workspace(trees, room, SandboxSpec(run_id="run"), lambda: 60.0)


def any_room() -> FakeRoom:
    return FakeRoom(make=lambda _spec, _tree: FakeSandbox())


def test_after_settling_every_sandbox_is_closed_and_every_tree_dropped():
    trees, room = Trees(), any_room()
    place = workspace(trees, room)
    with place.opened("c" * 40, "one"), place.opened("c" * 40, "two"):
        assert len(room.left_open) == 2
    place.settle()
    assert room.left_open == []
    assert [tree.dropped for tree in trees.opened] == [True, True]


def test_what_opens_in_the_background_is_waited_for_and_closed():
    trees, room = Trees(), any_room()
    place = workspace(trees, room)
    with place.opening("c" * 40, "base") as base:
        assert base().tree is trees.opened[0]
    place.settle()
    assert room.left_open == []
    assert trees.opened[0].dropped


def test_what_opened_in_the_background_and_nobody_asked_for_is_closed_too():
    trees, room = Trees(), any_room()
    place = workspace(trees, room)
    with place.opening("c" * 40, "base"):
        pass
    place.settle()
    assert len(room.opened) == 1
    assert room.left_open == []


def test_a_sandbox_that_cannot_be_closed_is_told_when_all_else_is_closed():
    trees = Trees()
    room = FakeRoom(sandboxes=[StuckSandbox(), FakeSandbox()])
    place = workspace(trees, room)
    with place.opened("c" * 40, "one"):
        pass
    with place.opened("c" * 40, "two"):
        pass
    with pytest.raises(SandboxBroken, match="cannot be removed"):
        place.settle()
    assert room.opened[1][2].closed
    assert [tree.dropped for tree in trees.opened] == [True, True]


def test_an_error_in_between_closes_at_once():
    trees, room = Trees(), any_room()
    place = workspace(trees, room)
    with pytest.raises(RuntimeError, match="stop"), place.opened("c" * 40, "one"):
        raise RuntimeError("stop")
    assert room.left_open == []
    place.settle()


def test_a_room_that_cannot_open_says_so_to_who_asks():
    trees, room = Trees(), FakeRoom(reason="no engine")
    place = workspace(trees, room)
    with place.opening("c" * 40, "base") as base, pytest.raises(Exception, match="no engine"):
        base()
    place.settle()
    assert trees.opened[0].dropped
