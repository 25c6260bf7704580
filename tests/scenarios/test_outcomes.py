"""Every way a run can end, with its exit code and its `result.json`; none but the first says "fixed"."""

import json
import threading
from contextlib import closing, suppress
from dataclasses import replace
from itertools import pairwise

import pytest

from autofix.errors import SandboxBroken
from autofix.ports.sandbox import CommandResult, Sandbox, SandboxSpec, ShellCommand
from autofix.state.events import Kind
from tests.contract.rooms_here import room_or_skip
from tests.fakes.anthropic_server import Failure, Turn, call, text
from tests.scenarios.scene import CHECK, DONE, MEASURE, Scene, bash, edit, fix, sums, sums_tests

RESULT_FIELDS = {
    "schema_version", "autofix", "run_id", "outcome", "exit_code", "reason", "base", "head", "branch", "checks",
    "sandbox", "model", "failing_before", "failing_after", "flaky", "preexisting", "order_dependent", "attempts",
    "findings", "patch", "verification", "delivery", "commit", "plan_versions", "denials", "denials_by_layer", "put_back",
    "ruled_out", "refusal", "last_words", "usage", "tool_calls", "model_retries", "seconds", "notes", "run_directory",
    "status", "interruption", "answers", "resumable", "ci", "trace_id",
}  # fmt: skip


def assert_ended(scene: Scene, played, outcome: str, exit_code: int) -> None:
    """The outcome is the same everywhere, and nothing of the running is left."""
    assert (played.outcome, played.result["exit_code"]) == (outcome, exit_code), played.reason
    assert set(played.result) == RESULT_FIELDS
    (ended,) = played.of_kind(Kind.RUN_ENDED)
    assert ended["outcome"] == outcome
    assert f"outcome <code>{outcome}</code>" in played.comment
    assert played.reason
    assert not (played.directory / "repo.git").exists()
    assert not (played.directory / "trees").exists()
    if outcome != "fixed":
        assert played.result["commit"] is None
        assert scene.pushed() == scene.head


def test_fixed(scene: Scene):
    scene.branch(wrong=("add", "half"))

    played = scene.run([Turn([text("Two operators."), fix("add"), fix("half")]), Turn([DONE])])

    assert_ended(scene, played, "fixed", 0)
    result = played.result
    assert scene.pushed_files() == {"shop/sums.py": sums().rstrip("\n")}
    assert result["commit"] == scene.pushed()
    assert (result["head"], result["base"], result["branch"]) == (scene.head, scene.base, "feature")
    assert len(result["failing_before"]) == 2
    assert result["failing_after"] == []
    assert result["verification"]["verdict"] == "verified"
    assert result["patch"]["files"] == ["shop/sums.py"]
    assert result["delivery"]["rung"] == "push"
    assert result["usage"]["turns"] == 2
    log = scene.user.git("--git-dir", str(scene.remote), "log", "-1", "--format=%an%n%P%n%B", "feature")
    author, parent, *message = log.splitlines()
    assert (author, parent) == ("autofix[bot]", scene.head)
    assert "Autofix-Failing: 2 -> 0" in message
    assert f"Autofix-Run: {result['run_id']}" in message


def test_nothing_to_fix(scene: Scene):
    scene.branch(wrong=())

    played = scene.run([])

    assert_ended(scene, played, "nothing_to_fix", 0)
    assert played.requests == 0


def test_preexisting(scene: Scene):
    """What fails at the merge base too is not this branch's to fix."""
    broken = {"shop/sums.py": sums("add"), "tests/test_sums.py": sums_tests()}
    scene.branch(base=broken, head={"shop/sums.py": sums("add") + "\n\nLATER = 1\n"})

    played = scene.run([])

    assert_ended(scene, played, "preexisting", 10)
    assert played.result["preexisting"] == [f"{CHECK}: tests/test_sums.py::test_add"]
    assert played.requests == 0


def test_infrastructure_when_the_check_cannot_run_at_the_base_either(scene: Scene):
    scene.branch()

    played = scene.run([], checks=("no-such-runner --all",))

    assert_ended(scene, played, "infrastructure", 10)
    assert "no-such-runner" in played.reason
    assert played.requests == 0


class DyingRoom:
    """A room whose sandboxes break under the nth command of the run."""

    def __init__(self, inner, at: int) -> None:
        self.name = inner.name
        self._inner = inner
        self._left = at

    def open(self, spec: SandboxSpec, tree) -> Sandbox:
        sandbox = self._inner.open(spec, tree)
        run = sandbox.run

        def dying(command: ShellCommand) -> CommandResult:
            self._left -= 1
            if self._left < 0:
                raise SandboxBroken("the engine went away")
            return run(command)

        sandbox.run = dying
        return sandbox


def test_infrastructure_when_the_sandbox_dies_and_the_model_is_never_told(scene: Scene):
    scene.branch()
    baseline = 4

    played = scene.run(
        [Turn([bash("true"), fix("add"), MEASURE])],
        doors=lambda world: replace(world, room=DyingRoom(world.room, baseline)),
    )

    assert_ended(scene, played, "infrastructure", 10)
    assert played.reason == "the engine went away"
    assert played.requests == 1


@pytest.mark.docker
def test_infrastructure_when_the_container_is_gone(scene: Scene):
    room_or_skip("docker")
    import docker

    scene.options = {"sandbox": "docker"}
    scene.branch()

    def model(_body: dict) -> Turn:
        with closing(docker.from_env()) as engine:
            for container in engine.containers.list(filters={"label": f"autofix.run={scene.runs[0].name}"}):
                with suppress(docker.errors.APIError):  # the baseline's own, which is being removed already
                    container.remove(force=True)
        return Turn([bash("true")])

    played = scene.run(model)

    assert_ended(scene, played, "infrastructure", 10)
    assert played.requests == 1


def test_no_progress_leaves_the_last_state_as_a_patch(scene: Scene):
    scene.branch()
    states = ["return a - b", "return a * b", "return a // b", "return a % b"]

    played = scene.run([Turn([edit("shop/sums.py", old, new), MEASURE]) for old, new in pairwise(states)])

    assert_ended(scene, played, "no_progress", 10)
    assert "return a % b" in (played.directory / "unverified.patch").read_text()
    assert "return a % b" in played.result["patch"]["diff"]
    assert played.result["failing_after"] == [f"{CHECK}: tests/test_sums.py::test_add"]


def test_budget_exceeded_by_turns(scene: Scene):
    scene.branch()
    reads = [Turn([call("Read", file_path=path)]) for path in ("README.md", "shop/prices.py", "tests/test_sums.py")]

    played = scene.run(reads, max_turns=2)

    assert_ended(scene, played, "budget_exceeded", 10)
    assert (played.requests, played.reason) == (2, "the limit of 2 turns is reached")


def test_budget_exceeded_by_money(scene: Scene):
    scene.branch()

    played = scene.run([Turn([call("Read", file_path="README.md")])] * 3, budget_usd="0.000001")

    assert_ended(scene, played, "budget_exceeded", 10)
    assert (played.requests, played.reason) == (1, "the limit of 0.000001 USD is reached")


def test_budget_exceeded_by_calls_that_fit_no_schema(scene: Scene):
    scene.branch()

    played = scene.run([Turn([call("Read", path="README.md")]), Turn([call("Nothing")]), Turn([call("Edit", x=1)])])

    assert_ended(scene, played, "budget_exceeded", 10)
    assert played.reason == "the limit of 3 invalid tool calls in a row is reached"


def test_out_of_scope_when_the_model_asks_for_a_file_and_nobody_can_be_asked(scene: Scene):
    scene.configuration["gate.ask"] = "deny"
    scene.branch()

    played = scene.run([Turn([call("RequestScope", path="shop/prices.py", reason="the rate is wrong")])])

    assert_ended(scene, played, "out_of_scope", 10)
    assert "shop/prices.py" in played.reason
    assert "the rate is wrong" in played.reason


SKIPPED_TESTS = sums_tests().replace("def test_add", "@pytest.mark.skip\ndef test_add")


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("tests/test_sums.py", f"import pytest\n\n{SKIPPED_TESTS}"),
        ("tests/test_sums.py", sums_tests().replace("add(2, 3) == 5", "True")),
        ("tests/conftest.py", "def pytest_collection_modifyitems(items):\n    del items[:]\n"),
    ],
    ids=["skips the test", "empties the assertion", "edits conftest"],
)
def test_tampering_even_where_tests_may_be_edited(scene: Scene, path: str, content: str):
    scene.configuration["tests.edit"] = "allow"
    scene.branch(head={"tests/conftest.py": "# nothing yet\n"})
    cheat = [Turn([call("Read", file_path=path)]), Turn([call("Write", file_path=path, content=content)])]

    played = scene.run([*cheat, *[Turn([DONE])] * 4])

    assert_ended(scene, played, "tampering", 10)
    assert played.result["verification"]["findings"]


def test_refused(scene: Scene):
    scene.branch()

    played = scene.run([Turn([text("I will not work on this.")], stop_reason="refusal")])

    assert_ended(scene, played, "refused", 10)
    assert played.result["refusal"] == "I will not work on this."


def test_blocked_when_only_an_edit_of_a_test_would_help_and_nobody_can_be_asked(scene: Scene):
    """A test in scope may be wrong: then a person says so."""
    scene.configuration["gate.ask"] = "deny"
    scene.branch()
    wanted = edit("tests/test_sums.py", "add(2, 3) == 5", "add(2, 3) == -1")

    played = scene.run([Turn([wanted]), *[Turn([DONE])] * 3])

    assert_ended(scene, played, "blocked", 10)
    assert "tests/test_sums.py" in played.reason
    assert "nobody can be asked in this run" in played.told[0]


def test_blocked_when_the_fix_needs_a_dependency_manifest_and_nobody_can_be_asked(scene: Scene):
    scene.configuration["gate.ask"] = "deny"
    scene.branch(head={"requirements.txt": "left-pad==1\n"})

    played = scene.run([Turn([edit("requirements.txt", "left-pad==1", "left-pad==2")]), *[Turn([DONE])] * 3])

    assert_ended(scene, played, "blocked", 10)
    assert "requirements.txt" in played.reason


@pytest.mark.usefixtures("gate_allows")
def test_blocked_when_a_protected_file_was_changed_past_the_gate_and_nobody_can_be_asked(scene: Scene):
    scene.configuration["gate.ask"] = "deny"
    scene.branch(head={"requirements.txt": "left-pad==1\n"})

    played = scene.run([Turn([edit("requirements.txt", "left-pad==1", "left-pad==2"), fix("add"), MEASURE])])

    assert_ended(scene, played, "blocked", 10)
    assert "requirements.txt" in played.reason


def test_superseded_when_the_branch_moves_during_the_run(scene: Scene):
    scene.branch()
    moved = []

    def model(_body: dict) -> Turn:
        moved.append(scene.move_the_branch())
        return Turn([fix("add"), MEASURE])

    played = scene.run(model)

    assert (played.outcome, played.result["exit_code"]) == ("superseded", 13)
    assert scene.pushed() == moved[0]
    assert moved[0][:12] in played.reason
    assert b"return a + b" in (played.directory / "fix.patch").read_bytes()
    assert played.result["verification"]["verdict"] == "verified"


def test_superseded_when_the_branch_moves_at_the_very_push(scene: Scene):
    """Between the last look and the push: the remote compares and swaps."""
    scene.branch()
    moved = []

    class LateForge:
        def __init__(self, inner):
            self._inner = inner

        def __getattr__(self, name):
            return getattr(self._inner, name)

        def head(self):
            seen = self._inner.head()
            if not moved:
                moved.append(scene.move_the_branch())
            return seen

    played = scene.run([Turn([fix("add"), MEASURE])], doors=lambda world: replace(world, forge=LateForge(world.forge)))

    assert (played.outcome, played.result["exit_code"]) == ("superseded", 13)
    assert scene.pushed() == moved[0]


def test_error_when_the_models_service_refuses_the_key(scene: Scene):
    scene.branch()

    played = scene.run([Failure(401, f"invalid x-api-key {scene.key}")])

    assert_ended(scene, played, "error", 1)
    assert "401" in played.reason
    assert scene.key not in json.dumps(played.result)


def test_error_when_something_unexpected_happens(scene: Scene):
    scene.branch()

    def broken_digest(world):
        class Trees:
            def __getattr__(self, name):
                return getattr(world.trees, name)

            def open(self, *args, **more):
                tree = world.trees.open(*args, **more)
                tree.digest = lambda _paths: 1 / 0
                return tree

        return replace(world, trees=Trees())

    played = scene.run([], doors=broken_digest)

    assert_ended(scene, played, "error", 1)
    assert "ZeroDivisionError" in played.reason
    assert "1 / 0" in (played.directory / "error.txt").read_text()


def test_diagnosis_in_plan_mode_changes_nothing(scene: Scene):
    scene.branch()
    turns = [
        Turn([call("Read", file_path="shop/sums.py"), fix("add"), bash("touch shop/new.py"), MEASURE]),
        Turn([text("`add` subtracts.")]),
    ]

    played = scene.run(turns, mode="plan")

    assert_ended(scene, played, "diagnosis", 10)
    assert played.reason == "`add` subtracts."
    assert played.result["patch"] is None
    assert [one["layer"] for one in played.result["denials"]] == ["mode", "mode", "mode"]


def test_a_pull_request_that_changes_nothing_editable_gets_no_model_call(scene: Scene):
    scene.branch(
        wrong=(),
        base={"shop/sums.py": sums(), "tests/test_sums.py": sums_tests()},
        head={"shop/prices.py": None},
    )

    played = scene.run([])

    assert_ended(scene, played, "out_of_scope", 10)
    assert played.requests == 0


def test_a_check_that_leaves_links_behind_is_no_error(scene: Scene):
    """Runners leave links (pytest's `current`, a JavaScript project's `.bin`): they are nobody's business."""
    scene.branch(
        head={
            "tests/test_links.py": "import os\n\n\ndef test_link():\n    os.path.lexists('l') or os.symlink('README.md', 'l')\n"
        }
    )

    played = scene.run([Turn([fix("add"), MEASURE])])

    assert_ended(scene, played, "fixed", 0)


def test_no_thread_of_a_run_outlives_it(scene: Scene):
    scene.branch()
    before = {thread.name for thread in threading.enumerate()}

    played = scene.run([Turn([fix("add"), MEASURE])])

    assert played.outcome == "fixed"
    ours = [thread for thread in threading.enumerate() if thread.name not in before and not thread.daemon]
    assert ours == []


@pytest.mark.parametrize(
    ("script", "outcome", "exit_code"),
    [
        ([Turn([fix("add"), MEASURE])], "fixed", 0),
        ([Turn([text("No.")], stop_reason="refusal")], "refused", 10),
        ([Failure(401)], "error", 1),
    ],
    ids=["fixed", "refused", "error"],
)
def test_the_program_prints_the_result_alone_and_exits_with_its_code(
    scene: Scene, script: list, outcome: str, exit_code: int
):
    scene.branch()

    ended = scene.command_line(scene.serve(script))

    assert ended.exit_code == exit_code, ended.stderr
    assert (ended.result["outcome"], ended.result["exit_code"]) == (outcome, exit_code)
    (directory,) = scene.runs
    assert ended.stdout == (directory / "result.json").read_text()
    assert f"── {outcome}:" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_for_people_the_program_says_where_everything_lies(scene: Scene):
    scene.branch()

    ended = scene.command_line(scene.serve([Turn([fix("add"), MEASURE])]), "--output-format=text")

    assert ended.exit_code == 0
    assert ended.stdout.startswith("fixed: ")
    assert scene.pushed() in ended.stdout
    for name in ("fix.patch", "comment.md", "result.json"):
        assert str(scene.runs[0] / name) in ended.stdout
