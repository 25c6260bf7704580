"""Each rung of the ladder, asked for and fallen to, through the whole action; the comment says why where it fell."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from autofix.state.events import Kind
from tests.fakes import webhook_events as events
from tests.fakes.anthropic_server import Turn
from tests.fakes.repositories import ENVIRONMENT, git
from tests.scenarios.action.stage import Ended, Stage
from tests.scenarios.scene import DONE, RIGHT, WRONG, fix, sums

FIX = [Turn([fix("add")]), Turn([DONE])]
FIX_BOTH = [Turn([fix("add"), fix("half")]), Turn([DONE])]
FIX_FAR = [Turn([fix("half")]), Turn([DONE])]

ROOT = Path(__file__).parents[3]
PADDING = "\n" + "".join(f"# line {number}\n" for number in range(40))
GH006 = "error: GH006: Protected branch update failed for refs/heads/feature."
PULL_ONLY = "error: Changes must be made through a pull request."
WORKFLOWS = "refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission"


def long_sums(*wrong: str) -> str:
    """The sums with so much between the first and the last that no hunk shows both."""
    first, second, last = sums(*wrong).split("\n\n\n")
    return "\n\n".join([first, second + PADDING, last])


def far_apart(stage: Stage, *wrong: str) -> None:
    """The base has `half` wrong already and no test of it; the pull request makes its changes 40 lines above."""
    base = long_sums("add", "half").replace(WRONG["add"], "raise NotImplementedError")
    stage.pull(base={"shop/sums.py": base}, head={"shop/sums.py": long_sums(*wrong)})


def refuse_the_branch(stage: Stage, *lines: str) -> None:
    """The server refuses this branch and takes others."""
    hook = stage.repo.path / "hooks" / "update"
    hook.parent.mkdir(exist_ok=True)
    said = "".join(f"printf '%s\\n' '{line}' >&2\n" for line in lines)
    hook.write_text(f'#!/bin/sh\n[ "$1" = refs/heads/feature ] || exit 0\n{said}exit 1\n', encoding="utf-8")
    hook.chmod(0o755)


def assert_delivered(stage: Stage, ended: Ended, rung: str, *reasons: str) -> None:
    """Fixed by this rung, which is the one in the outputs; the branch is where it was; the comment says why."""
    assert (ended.outcome, ended.exit_code) == ("fixed", 0), ended.log
    assert (ended.outputs["delivery"], ended.outputs["pushed"], ended.outputs["commit"]) == (rung, "false", "")
    assert stage.at() == stage.head
    (line,) = [line for line in stage.own_comment.splitlines() if line.startswith("**Next step:**")]
    for reason in reasons:
        assert reason in line
    assert ("Not pushed" in line) == bool(reasons)
    assert Path(ended.outputs["patch-file"]).name == "fix.patch", "the patch is kept whatever the rung"


def suggested(stage: Stage) -> list[str]:
    (review,) = stage.github.state.reviews[7]
    return [comment["body"] for comment in review["comments"]]


def checked_out(stage: Stage, commit: str) -> Path:
    """A person's own clone, at this commit."""
    clone = stage.directory / "clone"
    git(stage.directory, "clone", "-q", "--no-checkout", str(stage.repo.path), str(clone))
    git(clone, "checkout", "-q", "--detach", commit)
    return clone


def test_suggestions_where_they_were_asked_for(stage):
    stage.pull()
    ended = stage.act(FIX, delivery="suggest")
    assert_delivered(stage, ended, "suggest")
    (body,) = suggested(stage)
    assert body == f"```suggestion\n    {RIGHT['add']}\n```"
    assert "accept the suggestions of [the review](" in stage.own_comment


def test_what_lies_outside_the_diff_is_a_folded_patch_that_applies(stage):
    far_apart(stage, "add", "half")
    ended = stage.act(FIX_BOTH, delivery="suggest")
    assert_delivered(stage, ended, "suggest")
    (body,) = suggested(stage)
    assert RIGHT["add"] in body
    folded = stage.own_comment.partition("Not part of the suggestions: apply by hand")[2]
    rest = re.search(r"```diff\n(.*?)```", folded, re.DOTALL)
    assert rest is not None
    clone = checked_out(stage, stage.head)
    git(clone, "apply", stdin=rest[1].encode())
    assert (clone / "shop/sums.py").read_text() == long_sums("add")


def test_a_stacked_pull_request_where_it_was_asked_for(stage):
    stage.pull()
    ended = stage.act(FIX, delivery="pull-request")
    assert_delivered(stage, ended, "pull-request")
    made = stage.github.state.pulls["acme/widgets", 8]
    assert (made.head_branch, made.base_branch) == (f"autofix/{ended.outputs['run-id']}", "feature")
    assert stage.parent(made.head_sha) == stage.head
    assert stage.changed(made.head_sha) == ["shop/sums.py"]
    assert RIGHT["add"] in stage.show(f"{made.head_sha}:shop/sums.py")
    assert "review and merge [the pull request into this branch](" in stage.own_comment


def test_a_branch_that_is_there_already_is_never_moved(stage):
    stage.pull()
    theirs = []

    def taken(_body: dict) -> Turn:
        if not theirs:
            (run,) = (stage.temp / "autofix" / "runs").iterdir()
            theirs.append(
                (f"autofix/{run.name}", stage.github.state.commit(stage.repo, f"autofix/{run.name}", {"x": ""}))
            )
            return Turn([fix("add")])
        return Turn([DONE])

    ended = stage.act(taken, delivery="pull-request")
    ((branch, commit),) = theirs
    assert_delivered(stage, ended, "patch", f"the branch {branch} exists already")
    assert stage.at(branch) == commit
    assert len(stage.github.state.pulls) == 1


GH = """\
#!/bin/sh
[ "$*" = "run download 4242 -R acme/widgets -n autofix -D autofix" ] || { echo "unexpected: $*" >&2; exit 1; }
mkdir autofix && cp "$ARTIFACT" autofix/
"""


def test_the_one_line_that_applies_the_patch_applies_it(stage):
    stage.pull()
    ended = stage.act(FIX, delivery="patch")
    assert_delivered(stage, ended, "patch")
    line = re.search(r"apply it with `([^`]+)`", stage.own_comment)
    assert line is not None
    clone = run_by_a_person(stage, ended, line[1])
    assert (clone / "shop/sums.py").read_text() == sums()
    assert git(clone, "status", "--porcelain", "--untracked-files=no").decode().split() == ["M", "shop/sums.py"]


def test_the_one_line_of_an_escalation_applies_the_last_state(stage):
    stage.pull(wrong=("add", "half"))
    ended = stage.act([Turn([fix("add")]), *[Turn([DONE])] * 4])
    assert (ended.outcome, stage.pushes()) == ("no_progress", 0), ended.log
    assert f"**Branch:** nothing was pushed; `feature` is as it was at {stage.head[:12]}." in stage.own_comment
    line = re.search(r"Apply it with `([^`]+)`", stage.own_comment)
    assert line is not None
    clone = run_by_a_person(stage, ended, line[1])
    assert (clone / "shop/sums.py").read_text() == sums("half")


def run_by_a_person(stage: Stage, ended: Ended, line: str) -> Path:
    """The line out of the comment, in a person's clone at the head, where `gh` downloads what the job had kept."""
    clone = checked_out(stage, stage.head)
    programs = stage.directory / "programs"
    programs.mkdir()
    (programs / "gh").write_text(GH)
    (programs / "gh").chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    environ = {**ENVIRONMENT, "PATH": path, "ARTIFACT": ended.outputs["patch-file"]}
    subprocess.run(["sh", "-ec", line], cwd=clone, env=environ, check=True, timeout=100)
    return clone


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.yml")), ids=lambda path: path.stem)
def test_every_example_keeps_the_patch_where_that_line_looks_for_it(example):
    jobs = yaml.safe_load(example.read_text(encoding="utf-8"))["jobs"].values()
    delivering = [job for job in jobs if any(_delivers(step) for step in job.get("steps", ()))]
    for job in delivering:
        kept = [step["with"] for step in job["steps"] if "upload-artifact@" in step.get("uses", "")]
        assert [one["path"] for one in kept if one["name"] == "autofix" and "outputs.patch-file" in one["path"]]
    assert delivering


def _delivers(step: dict) -> bool:
    return step.get("id") == "autofix" and step.get("with", {}).get("stage") != "fix"


def test_nothing_is_delivered_where_a_dry_run_was_asked_for(stage):
    stage.pull()
    before = len([one for one in stage.github.requests if one.method != "GET" and one.path != "/graphql"])
    ended = stage.act(FIX, delivery="dry-run")
    assert (ended.outcome, ended.outputs["delivery"], ended.outputs["pushed"]) == ("fixed", "dry-run", "false")
    assert len([one for one in stage.github.requests if one.method != "GET" and one.path != "/graphql"]) == before
    assert (stage.at(), stage.pushes(), stage.comments) == (stage.head, 0, [])
    assert "autofix fixed the failing checks" in ended.summary


def test_a_token_without_the_right_to_push_suggests(stage):
    stage.pull()
    stage.token.permissions.update(contents="read")
    assert_delivered(
        stage, stage.act(FIX), "suggest", "give the job `permissions: contents: write`".replace("`", "\\`")
    )
    assert RIGHT["add"] in suggested(stage)[0]
    assert stage.pushes() == 0


def test_a_protected_branch_without_a_hunk_in_the_diff_gets_a_pull_request(stage):
    far_apart(stage, "half")
    refuse_the_branch(stage, GH006, PULL_ONLY)
    ended = stage.act(FIX_FAR)
    assert_delivered(stage, ended, "pull-request", "through a pull request only", "no hunk of the fix lies inside")
    assert stage.github.state.pulls["acme/widgets", 8].base_branch == "feature"


def test_a_review_that_github_refuses_becomes_a_pull_request(stage):
    stage.pull()
    stage.github.fail("POST .*/reviews", 422, "Line could not be resolved")
    ended = stage.act(FIX, delivery="suggest")
    assert_delivered(stage, ended, "pull-request", "GitHub refused: Line could not be resolved")


def test_a_refusal_for_workflow_files_says_to_update_the_branch(stage):
    far_apart(stage, "half")
    stage.repo.refuse_pushes(WORKFLOWS)
    ended = stage.act(FIX_FAR)
    assert_delivered(stage, ended, "patch", "update the branch from its base", "no hunk of the fix")
    assert stage.own_comment.count("update the branch from its base") == 1


def test_a_fork_without_a_hunk_in_the_diff_gets_a_patch_and_hears_of_the_fork_once(stage):
    stage.fork(base={"shop/sums.py": long_sums("half")}, head={"shop/sums.py": "# more\n" + long_sums("half")})
    payload = events.issue_comment("/autofix run")
    ended = stage.act(FIX_FAR, event="issue_comment", payload=payload)
    assert (ended.outcome, ended.outputs["delivery"], stage.pushes()) == ("fixed", "patch", 0), ended.log
    assert stage.home.head("main") == stage.head
    assert stage.own_comment.count("comes from a fork") == 1


@pytest.mark.parametrize("commits", ["git", "api"])
def test_a_branch_that_moves_again_is_superseded_with_the_patch_kept(stage, commits):
    """The first time the fix is carried over and verified on the new head; the second time it is given up."""
    stage.pull()
    moved: list[str] = []
    serve = stage.github.git.before

    def somebody_pushes() -> None:
        if verifications(stage) > len(moved):
            moved.append(stage.github.state.commit(stage.repo, "feature", {f"{len(moved)}.md": "x"}, "Meanwhile"))
        serve()

    stage.github.git.before = somebody_pushes
    ended = stage.act(FIX, commits=commits)
    assert (ended.outcome, ended.outputs["pushed"], ended.exit_code) == ("superseded", "false", 0), ended.log
    assert len(moved) == 2
    assert stage.at() == moved[-1]
    assert f"is now at {moved[-1][:12]}" in stage.own_comment
    assert Path(ended.outputs["patch-file"]).name == "fix.patch"
    assert len(stage.github.state.pulls) == 1
    assert not stage.github.state.reviews


def verifications(stage: Stage) -> int:
    """How often the run began to verify a patch."""
    journals = (stage.temp / "autofix").glob("runs/*/journal.jsonl")
    return sum(journal.read_text().count(f'"{Kind.VERIFICATION_STARTED.value}"') for journal in journals)
