"""How a verified patch reaches people: the highest rung that holds, one comment, and never a byte too many."""

import pytest

from autofix.state.events import Kind
from tests.fakes.anthropic_server import Turn
from tests.fakes.repositories import Repository
from tests.scenarios.scene import DONE, MEASURE, Scene, edit, fix, picture, sums

THE_FIX = [Turn([fix("add"), MEASURE])]


def applied(scene: Scene, patch: str) -> str:
    """`shop/sums.py` after the patch file was applied to a clean checkout of the head."""
    clean = Repository(scene.directory / "clean")
    scene.user.git("clone", "-q", "--branch", "feature", str(scene.remote), str(clean.path))
    clean.git("apply", patch)
    assert clean.git("status", "--porcelain") == "M shop/sums.py"
    return (clean.path / "shop/sums.py").read_text()


def test_a_patch_is_all_that_leaves_when_a_patch_was_asked_for(scene: Scene):
    scene.branch()
    before = picture(scene.user.path)

    played = scene.run(THE_FIX, delivery="patch")

    assert (played.outcome, played.result["delivery"]["rung"], played.result["commit"]) == ("fixed", "patch", None)
    assert scene.pushed() == scene.head
    assert applied(scene, played.result["delivery"]["patch_file"]) == sums()
    assert played.result["delivery"]["apply"].startswith("git apply ")
    assert picture(scene.user.path) == before


def test_a_dry_run_writes_nothing_but_its_own_directory(scene: Scene):
    scene.branch()
    before, refs = picture(scene.user.path), scene.refs()

    played = scene.run(THE_FIX, delivery="dry-run")

    assert (played.outcome, played.result["delivery"]["rung"]) == ("fixed", "dry-run")
    assert (picture(scene.user.path), scene.refs()) == (before, refs)
    assert list((scene.state / "comments").iterdir()) == []
    assert played.of_kind(Kind.COMMENT_STARTED) == []
    assert "fixed the failing checks" in played.comment


def test_without_a_remote_the_patch_is_left_and_the_reason_said(scene: Scene):
    scene.branch()
    scene.user.git("remote", "remove", "origin")

    played = scene.run(THE_FIX)

    assert (played.outcome, played.result["delivery"]["rung"]) == ("fixed", "patch")
    assert played.result["delivery"]["fell"][0] == "the repository has no remote to push to"
    assert "no remote to push to" in played.comment
    assert applied(scene, played.result["delivery"]["patch_file"]) == sums()


def test_a_remote_whose_hook_refuses_leaves_the_patch_and_its_reason(scene: Scene):
    scene.branch()
    hook = scene.remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'commits need a ticket' >&2\nexit 1\n")
    hook.chmod(0o755)

    played = scene.run(THE_FIX)

    assert (played.outcome, played.result["delivery"]["rung"]) == ("fixed", "patch")
    assert "a hook of the server refused the push" in played.result["delivery"]["fell"][0]
    assert scene.pushed() == scene.head


def test_a_remote_that_is_gone_leaves_the_patch(scene: Scene):
    scene.branch()
    scene.user.git("remote", "set-url", "origin", str(scene.directory / "nowhere.git"))

    played = scene.run(THE_FIX)

    assert (played.outcome, played.result["delivery"]["rung"]) == ("fixed", "patch")
    assert "origin" in played.result["delivery"]["fell"][0]


def test_a_head_that_is_no_branch_leaves_the_patch(scene: Scene):
    scene.branch()

    played = scene.run(THE_FIX, head=scene.head)

    assert (played.outcome, played.result["delivery"]["rung"]) == ("fixed", "patch")
    assert "no branch" in played.result["delivery"]["fell"][0]


def test_the_remotes_default_branch_is_never_pushed_to(scene: Scene):
    scene.branch()
    scene.user.git("--git-dir", str(scene.remote), "symbolic-ref", "HEAD", "refs/heads/feature")
    refs = scene.refs()

    played = scene.run(THE_FIX)

    assert (played.outcome, played.result["delivery"]["rung"]) == ("fixed", "patch")
    assert "default branch" in played.result["delivery"]["fell"][0]
    assert scene.refs() == refs


def test_the_second_run_updates_the_first_ones_comment(scene: Scene):
    scene.branch()
    first = scene.run([Turn([DONE])] * 3)
    assert first.outcome == "no_progress"
    (place,) = (scene.state / "comments").iterdir()
    assert first.result["run_id"] in place.read_text()

    second = scene.run(THE_FIX)

    assert second.outcome == "fixed"
    assert list((scene.state / "comments").iterdir()) == [place]
    text = place.read_text()
    assert second.result["run_id"] in text
    assert first.result["run_id"] not in text


def test_a_fix_that_was_pushed_leaves_nothing_to_fix(scene: Scene):
    scene.branch()
    assert scene.run(THE_FIX).outcome == "fixed"
    scene.user.git("fetch", "-q", "origin")

    again = scene.run([], head="origin/feature")

    assert (again.outcome, again.requests) == ("nothing_to_fix", 0)


def test_the_users_checkout_is_byte_for_byte_as_it_was(scene: Scene):
    """Uncommitted, staged and untracked work, the index and `.git` included."""
    scene.branch()
    before = picture(scene.user.path)

    played = scene.run(THE_FIX)

    assert played.outcome == "fixed"
    assert picture(scene.user.path) == before


@pytest.mark.parametrize(
    ("limit", "words"),
    [({"patch.max-lines": 1}, "more than 1"), ({"patch.max-files": 1}, "more than 1")],
    ids=["lines", "files"],
)
def test_a_fix_over_the_limits_is_not_delivered(scene: Scene, limit: dict, words: str):
    scene.configuration.update(limit)
    scene.branch(head={"shop/extra.py": "X = 1\n"})
    more = [fix("add"), edit_extra()]

    played = scene.run([Turn([*more, MEASURE]), *[Turn([DONE])] * 3])

    assert (played.outcome, played.result["exit_code"]) == ("blocked", 10)
    assert words in played.reason
    assert scene.pushed() == scene.head


def edit_extra() -> dict:
    return edit("shop/extra.py", "X = 1", "X = 2")
