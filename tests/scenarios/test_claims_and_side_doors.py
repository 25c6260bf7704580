"""The model's word is not believed, and what its programs did to the tree is looked at, not asked about."""

import json
from pathlib import Path

import pytest

from autofix.state.events import Kind
from tests.fakes.anthropic_server import Turn, text
from tests.scenarios.scene import DONE, MEASURE, Scene, bash, edit, fix, hooks_allow

SCRIPT = "open('README.md', 'w').write('mine\\n'); open('shop/prices.py', 'a').write('RATE = 0\\n')"


def test_a_claim_to_be_done_while_tests_fail_is_answered_with_the_evidence(scene: Scene):
    scene.branch(wrong=("add", "double"))
    turns = [
        Turn([text("All tests pass now.")]),
        Turn([fix("add")]),
        Turn([text("Fixed, I am certain of it.")]),
        Turn([fix("double")]),
        Turn([DONE]),
    ]

    played = scene.run(turns)

    assert played.outcome == "fixed"
    untouched, _, half, _ = played.told
    assert "does not accept it yet" in untouched
    assert "nothing in scope was changed, and 2 still fail" in untouched
    assert "Still failing" in half
    assert "tests/test_sums.py::test_double" in half
    assert "test_add" not in half
    assert [one["verdict"] for one in played.of_kind(Kind.VERIFIED)] == ["still failing", "verified"]
    assert list(scene.pushed_files()) == ["shop/sums.py"]


def test_a_model_that_only_claims_is_never_called_a_fix(scene: Scene):
    scene.branch()

    played = scene.run([Turn([DONE])] * 4)

    assert (played.outcome, played.requests) == ("no_progress", 3)
    assert played.of_kind(Kind.VERIFIED) == []
    assert scene.pushed() == scene.head


def test_a_run_that_only_looks_passed_to_the_model_is_verified_in_a_fresh_tree(scene: Scene):
    """The test command the model ran leaves a passing report; a fresh checkout says otherwise."""
    scene.branch()
    cheat = bash("echo 'add = lambda a, b: 5' > tests/conftest_local.py; printf 'ok\\n'; python -c 'print(5)'")

    played = scene.run([Turn([cheat]), Turn([DONE]), Turn([fix("add"), MEASURE])])

    assert played.outcome == "fixed"
    assert list(scene.pushed_files()) == ["shop/sums.py"]


def test_a_script_that_edits_files_out_of_scope_is_undone_and_the_model_is_told(in_bubblewrap: Scene):
    """Scripts the model wrote may run; what they do is seen by its effect."""
    scene = in_bubblewrap
    scene.branch()
    seen = []

    def model(_body: dict) -> Turn:
        tree = scene.runs[0] / "trees" / "attempt-1"
        seen.append([(tree / path).read_text() for path in ("README.md", "shop/prices.py")])
        write = f"mkdir -p scratch && cat > scratch/side.py <<'END'\n{SCRIPT}\nEND"
        return (
            Turn([bash(write)]),
            Turn([bash("python scratch/side.py")]),
            Turn([fix("add"), MEASURE]),
        )[len(seen) - 1]

    played = scene.run(model)

    assert played.outcome == "fixed"
    assert seen[0] == seen[2]
    assert "autofix put back README.md, shop/prices.py" in played.told[1]
    assert played.of_kind(Kind.TOOL_ENDED)[1]["undone"] == ["README.md", "shop/prices.py"]
    assert played.result["put_back"] == {"README.md": 1, "shop/prices.py": 1}
    assert "Changed out of scope and put back" in played.comment
    assert list(scene.pushed_files()) == ["shop/sums.py"]


def test_inline_code_that_edits_a_file_out_of_scope_is_denied(in_bubblewrap: Scene):
    in_bubblewrap.branch()

    played = in_bubblewrap.run([Turn([bash(f'python -c "{SCRIPT}"'), fix("add"), MEASURE])])

    assert played.outcome == "fixed"
    assert played.told == []
    assert [one["tool"] for one in played.result["denials"]] == ["Bash"]
    assert played.result["put_back"] == {}


@pytest.mark.usefixtures("gate_allows")
def test_with_gate_and_hook_forced_to_allow_inline_code_is_undone(walled: Scene):
    walled.branch()

    played = walled.run(
        [Turn([bash(f'python -c "{SCRIPT}"')]), Turn([fix("add"), MEASURE])],
        doors=hooks_allow,
    )

    assert played.outcome == "fixed"
    assert played.told[0].endswith("or grow beyond 16 MiB.")
    assert played.result["put_back"] == {"README.md": 1, "shop/prices.py": 1}
    assert list(walled.pushed_files()) == ["shop/sums.py"]


@pytest.mark.usefixtures("gate_allows")
def test_edits_out_of_scope_never_leave_even_when_gate_and_hook_allow_them(scene: Scene):
    scene.branch()
    unrelated = [edit("README.md", "A shop", "Mine"), edit("shop/prices.py", "RATE = 2", "RATE = 3")]

    played = scene.run([Turn([*unrelated, fix("add"), MEASURE])], doors=hooks_allow)

    assert played.outcome == "fixed"
    assert list(scene.pushed_files()) == ["shop/sums.py"]


@pytest.mark.usefixtures("gate_allows")
def test_a_link_in_the_place_of_a_file_in_scope_never_leaves(walled: Scene):
    walled.branch()
    link = bash("ln -sf /etc/passwd shop/sums.py && ln -s /nowhere shop/extra && chmod +x tests/test_sums.py")

    mend = bash("chmod 644 tests/test_sums.py")

    played = walled.run([Turn([link]), Turn([fix("add"), MEASURE]), Turn([mend, MEASURE])], doors=hooks_allow)

    assert played.outcome == "fixed"
    assert "tests/test_sums.py has another mode than at the head" in played.told[3]
    assert "shop/sums.py" in played.of_kind(Kind.TOOL_ENDED)[0]["undone"]
    changed = walled.pushed_files()
    assert list(changed) == ["shop/sums.py"]
    assert "root:" not in changed["shop/sums.py"]


def test_a_run_whose_test_commands_were_denied_is_no_success_and_says_so(tmp_path: Path):
    """The model may measure nothing, and claims all the same: what counts is what the harness itself saw."""
    denied = {"permissions": {"deny": ["RunChecks", "Bash(python:*)"]}}
    scene = Scene(tmp_path)
    scene.branch(base={".claude/settings.json": json.dumps(denied)})
    measure = bash("python -m pytest -q")
    played = scene.run([Turn([measure, MEASURE]), *[Turn([text("All tests pass now.")])] * 4])
    assert played.outcome in {"no_progress", "blocked"}
    assert played.result["denials_by_layer"] == {"rules": 2}
    assert "Denied calls: 2 (rules 2)" in played.comment
    assert scene.pushed() == scene.head
    scene.close()
