"""Fix and deliver in two jobs: what the second believes of the first."""

import hashlib
import json
from base64 import b64encode
from pathlib import Path

import pytest

from autofix.intake.ledger import decode
from tests.fakes.anthropic_server import Turn
from tests.scenarios.action.stage import Stage
from tests.scenarios.scene import DONE, fix


@pytest.fixture
def bundle(stage: Stage) -> dict:
    """What a fix job without any right to write left."""
    stage.pull()
    stage.token.permissions.update(contents="read", pull_requests="read", issues="read")
    ended = stage.act([Turn([fix("add")]), Turn([DONE])], stage="fix")
    assert (ended.outcome, ended.outputs["pushed"]) == ("fixed", "false"), ended.log
    assert stage.pushes() == 0
    assert stage.comments == []
    stage.token.permissions.update(contents="write", pull_requests="write", issues="write")
    stage.servers.clear()
    return {"path": ended.outputs["bundle"], "hash": ended.outputs["bundle-hash"]}


def deliver(stage: Stage, bundle: dict, **more: str):
    return stage.act(stage="deliver", bundle=bundle["path"], bundle_hash=bundle["hash"], anthropic_api_key="", **more)


def altered(bundle: dict, **changes) -> dict:
    """The same with other content, under its own true hash: what a fix job turned against us could hand over."""
    told = json.loads(Path(bundle["path"]).read_bytes()) | changes
    data = json.dumps(told).encode()
    other = Path(bundle["path"]).with_name("other.json")
    other.write_bytes(data)
    return {"path": str(other), "hash": hashlib.sha256(data).hexdigest()}


def patch(text: str) -> str:
    return b64encode(text.encode()).decode()


def new_file(path: str, mode: str = "100644", line: str = "x = 1") -> str:
    return patch(
        f"diff --git a/{path} b/{path}\nnew file mode {mode}\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+{line}\n"
    )


def test_deliver_pushes_what_fix_verified_without_a_key_and_without_running_anything(stage, bundle):
    ended = deliver(stage, bundle, sandbox="")
    assert (ended.outcome, ended.outputs["pushed"], stage.requests) == ("fixed", "true", 0), ended.log
    assert ended.outputs["commit"] == stage.at() != stage.head
    assert "return a + b" in stage.show("feature:shop/sums.py")
    assert "autofix fixed the failing checks" in stage.own_comment
    assert "**Verified:** by the job that fixed it" in stage.own_comment
    assert "No model was asked" not in stage.own_comment
    assert f"[Log]({stage.github.git.url}/acme/widgets/actions/runs/4242)" in stage.own_comment


def test_deliver_goes_down_the_same_ladder(stage, bundle):
    stage.repo.refuse_pushes("error: GH006: Protected branch update failed for refs/heads/feature.")
    ended = deliver(stage, bundle)
    assert (ended.outcome, ended.outputs["delivery"], stage.at()) == ("fixed", "suggest", stage.head), ended.log
    assert len(stage.github.state.reviews[7]) == 1
    assert "Not pushed: a protection rule of the branch refused the push" in stage.own_comment


def test_a_bundle_with_another_hash_is_refused(stage, bundle):
    Path(bundle["path"]).write_bytes(Path(bundle["path"]).read_bytes() + b" ")
    ended = deliver(stage, bundle)
    assert (ended.exit_code, stage.pushes()) == (2, 0)
    assert "its hash differs" in ended.reason


def test_a_link_in_the_bundle_s_place_is_refused(stage, bundle):
    link = Path(bundle["path"]).with_name("link.json")
    link.symlink_to(bundle["path"])
    ended = deliver(stage, {"path": str(link), "hash": bundle["hash"]})
    assert (ended.exit_code, stage.pushes()) == (2, 0)


def test_a_bundle_without_a_hash_is_refused(stage, bundle):
    ended = deliver(stage, {"path": bundle["path"], "hash": ""})
    assert (ended.exit_code, stage.pushes()) == (2, 0)


@pytest.mark.parametrize("change", [{"pull": 8}, {"repository": 1}])
def test_a_bundle_about_another_pull_request_is_refused(stage, bundle, change):
    ended = deliver(stage, altered(bundle, **change))
    assert (ended.exit_code, stage.pushes()) == (2, 0)


def test_a_bundle_for_an_older_head_is_superseded(stage, bundle):
    ended = deliver(stage, altered(bundle, head="1" * 40))
    assert (ended.outcome, stage.pushes()) == ("superseded", 0)
    assert "the bundle was verified on 11111111" in stage.own_comment
    assert decode(stage.own_comment).runs == 1, "what the fix stage's job spent counts"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (new_file("README2.md"), "out of scope"),
        (new_file(".github/workflows/x.yml"), "out of scope"),
        (new_file("../outside.py"), ""),
        (new_file("shop/sums.py/x"), ""),
        (new_file("link", "120000", "/etc/passwd"), "link"),
        (new_file("run.sh", "100755"), "executable"),
        (patch("not a patch"), ""),
        (patch(""), "empty"),
    ],
)
def test_a_bundle_whose_patch_has_no_place_in_the_pull_request_delivers_nothing(stage, bundle, text, reason):
    ended = deliver(stage, altered(bundle, patch=text))
    assert ended.outcome == "blocked", ended.log
    assert reason in ended.reason
    assert stage.pushes() == 0
    assert stage.at() == stage.head


def test_a_bundle_that_is_too_large_delivers_nothing(stage, bundle):
    lines = "".join(f"+x{n} = {n}\n" for n in range(401))
    text = (
        f"diff --git a/shop/sums.py b/shop/sums.py\n--- a/shop/sums.py\n+++ b/shop/sums.py\n@@ -0,0 +1,401 @@\n{lines}"
    )
    ended = deliver(stage, altered(bundle, patch=patch(text)))
    assert (ended.outcome, stage.pushes()) == ("blocked", 0)


def test_an_escalation_of_the_fix_stage_becomes_the_comment(stage, bundle):
    ended = deliver(stage, altered(bundle, outcome="no_progress", reason="3 measured attempts, @everyone", patch=""))
    assert (ended.outcome, ended.exit_code, stage.pushes()) == ("no_progress", 0, 0)
    assert "did not get fewer" in stage.own_comment
    assert "@everyone" not in stage.own_comment
