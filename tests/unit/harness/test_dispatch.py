from hashlib import sha256

import pytest

from autofix.errors import SandboxBroken
from autofix.harness.call import Decision, Ruling, Verdict
from autofix.harness.deed import STOPPED_MEANWHILE
from autofix.harness.dispatch import LARGEST_FILE, Dispatcher
from autofix.harness.redact import Redactor
from autofix.harness.scope import Scope
from autofix.harness.tools import Workshop
from autofix.harness.tree_memory import TreeMemory
from autofix.ports.model import ToolUseBlock
from autofix.state.events import Kind
from tests.fakes.recorder import of_kind, resumed_recorder, started_recorder
from tests.fakes.sandbox import FakeSandbox, answered
from tests.fakes.tree import FakeTree

FILES = {"src/a.py": b"x = 1\n", "README.md": b"hello\n"}


class Kept:
    def __init__(self):
        self.contents = {}

    def keep(self, kind, content):
        name = f"{kind}-{sha256(content).hexdigest()[:12]}"
        self.contents[name] = content
        return name

    def read(self, name):
        return self.contents.get(name)


class Bench:
    """A dispatcher over fakes; `verdicts` are what the gate says, in order of strength."""

    def __init__(self, *verdicts, sandbox=None, secrets=None, reports=(), past=(), memory=None):
        self.tree = FakeTree(FILES)
        self.sandbox = sandbox or FakeSandbox(self.tree)
        self.recorder = resumed_recorder(past) if past else started_recorder()
        self.memory = memory or Kept()
        self.asked = []
        self.told = []
        opinions = verdicts or (Verdict(Decision.ALLOW, "rules", "default"),)
        redactor = Redactor(secrets or {})
        workshop = Workshop(
            tree=self.tree,
            sandbox=self.sandbox,
            scope=Scope(frozenset({"src/a.py"})),
            artifacts=Kept(),
            run_checks=lambda _check, _tests: "all pass",
            redactor=redactor,
        )

        def gate(call, _fingerprint):
            self.asked.append(call)
            return Ruling(max(opinions, key=lambda one: one.decision), opinions)

        def after(call, result):
            self.told.append(result)
            return "a hook says hello"

        self.dispatcher = Dispatcher(
            gate=gate,
            after_hook=after,
            workshop=workshop,
            reports=lambda: tuple(reports),
            redactor=redactor,
            recorder=self.recorder,
            memory=TreeMemory(self.tree, self.memory),
        )

    def use(self, name, **inputs):
        return self.dispatcher.dispatch(ToolUseBlock("toolu_1", name, inputs))


def deny(layer, rule, reason="no"):
    return Verdict(Decision.DENY, layer, rule, reason)


def test_an_allowed_call_is_announced_before_the_deed_and_reported_after():
    bench = Bench()
    bench.sandbox.on("pytest", lambda _s, _c: seen.append(bench.recorder.events[-1].kind) or answered("ok"))
    seen = []
    bench.use("Bash", command="pytest -q")
    assert seen == [Kind.TOOL_CALLED]
    assert [event.kind for event in bench.recorder.events[1:]] == [Kind.TOOL_CALLED, Kind.TOOL_ENDED]


def test_a_denied_call_touches_nothing_and_says_who_denied_it_and_why():
    bench = Bench(deny("denylist", "git-reset-hard", "it throws work away"), deny("hook", "block-destructive-git"))
    done = bench.use("Bash", command="git reset --hard")
    assert bench.sandbox.ran == []
    assert done.result.is_error
    assert done.result.content.startswith("Blocked by autofix (denylist/git-reset-hard): it throws work away")
    assert bench.told == []


def test_every_layer_s_opinion_is_on_the_record_also_after_a_deny():
    opinions = (Verdict(Decision.ALLOW, "known", "ok"), deny("denylist", "x"), deny("hook", "y"))
    bench = Bench(*opinions)
    bench.use("Bash", command="rm -rf /")
    (called,) = of_kind(bench.recorder, Kind.TOOL_CALLED)
    assert [one[:3] for one in called["opinions"]] == [
        ["known", "ok", "allow"],
        ["denylist", "x", "deny"],
        ["hook", "y", "deny"],
    ]
    assert (called["decision"], called["layer"], called["rule"]) == ("deny", "denylist", "x")
    assert len(called["hash"]) == 64


def test_what_needs_a_person_is_held_back_where_nobody_can_be_asked():
    bench = Bench(Verdict(Decision.ASK, "scope", "protected", "package.json decides which code is installed"))
    done = bench.use("Edit", file_path="package.json", old_string="a", new_string="b")
    assert "nobody can be asked" in done.result.content
    assert done.withheld == "package.json decides which code is installed"
    assert bench.tree.written == []


def test_a_tracked_file_that_a_program_changed_out_of_scope_is_put_back_and_the_model_is_told():
    sandbox = FakeSandbox()
    bench = Bench(sandbox=sandbox)
    sandbox.on(
        "fix",
        lambda _s, _c: bench.tree.files.update({"README.md": b"bye\n", "src/a.py": b"x = 2\n"}) or answered("done"),
    )
    done = bench.use("Bash", command="python fix.py")
    assert bench.tree.files == {"src/a.py": b"x = 2\n", "README.md": b"hello\n"}
    assert "autofix put back README.md" in done.result.content
    assert of_kind(bench.recorder, Kind.TOOL_ENDED)[0]["undone"] == ["README.md"]


def test_an_in_scope_file_that_a_program_let_grow_beyond_all_measure_is_put_back():
    sandbox = FakeSandbox()
    bench = Bench(sandbox=sandbox)
    sandbox.on(
        "grow", lambda _s, _c: bench.tree.files.update({"src/a.py": b"x" * (LARGEST_FILE + 1)}) or answered("done")
    )
    done = bench.use("Bash", command="python grow.py")
    assert bench.tree.files["src/a.py"] == FILES["src/a.py"]
    assert "grow beyond 16 MiB" in done.result.content


def test_a_call_of_a_resumed_run_is_not_made_again_and_its_files_are_laid_over_the_new_tree():
    sandbox = FakeSandbox()
    first = Bench(sandbox=sandbox)
    sandbox.on(
        "fix", lambda _s, _c: first.tree.files.update({"src/a.py": b"x = 2\n", "note": b"n"}) or answered("done")
    )
    done = first.use("Bash", command="python fix.py")
    again = Bench(past=first.recorder.events, memory=first.memory)
    assert again.use("Bash", command="python fix.py").result == done.result
    assert again.tree.files == first.tree.files
    assert (again.asked, again.told, again.sandbox.scripts) == ([], [], [])


def test_a_call_that_was_announced_and_never_ended_is_told_to_the_model_and_not_made():
    first = Bench()
    first.use("Edit", file_path="src/a.py", old_string="1", new_string="2")
    again = Bench(past=first.recorder.events[:-1], memory=first.memory)
    done = again.use("Edit", file_path="src/a.py", old_string="1", new_string="2")
    assert (done.result.content, done.result.is_error) == (STOPPED_MEANWHILE, True)
    assert again.tree.files == FILES
    kinds = [event.kind for event in again.recorder.events]
    assert kinds == [Kind.RESUMED, Kind.TOOL_ENDED]


def test_an_in_scope_file_that_a_program_deleted_comes_back():
    sandbox = FakeSandbox()
    bench = Bench(sandbox=sandbox)
    sandbox.on("rm", lambda _s, _c: bench.tree.files.pop("src/a.py") and answered())
    bench.use("Bash", command="rm src/a.py")
    assert bench.tree.files["src/a.py"] == b"x = 1\n"


def test_the_tree_s_digest_moves_with_the_scope_and_with_nothing_else():
    sandbox = FakeSandbox()
    bench = Bench(sandbox=sandbox)
    sandbox.on("note", lambda _s, _c: bench.tree.files.update({"notes.txt": b"n"}) or answered())
    sandbox.on("edit", lambda _s, _c: bench.tree.files.update({"src/a.py": b"x = 3\n"}) or answered())
    start = bench.dispatcher.tree_digest()
    assert bench.use("Bash", command="note").tree == start
    assert bench.use("Bash", command="edit").tree != start


def test_a_secret_in_a_result_reaches_neither_the_model_nor_the_journal():
    bench = Bench(secrets={"KEY": "sk-canary-123456"})
    bench.sandbox.on("env", answered("KEY=sk-canary-123456"))
    done = bench.use("Bash", command="env")
    assert "canary" not in done.result.content
    assert "sk-canary-123456" not in str(of_kind(bench.recorder, Kind.TOOL_ENDED))


def test_equal_calls_have_equal_fingerprints_whatever_the_order_of_their_fields():
    bench = Bench()
    bench.sandbox.on(".", answered())
    one = bench.use("Bash", command="ls", description="list")
    other = bench.dispatcher.dispatch(ToolUseBlock("toolu_2", "Bash", {"description": "list", "command": "ls"}))
    assert one.fingerprint == other.fingerprint


def test_a_call_that_fits_no_schema_is_counted_as_invalid():
    assert not Bench(deny("known", "schema")).use("Bash", cmd="ls").valid
    assert Bench(deny("scope", "out")).use("Edit", file_path="x", old_string="a", new_string="b").valid


def test_a_broken_sandbox_is_never_shown_to_the_model_as_a_failed_command():
    bench = Bench()
    bench.sandbox.on(".", SandboxBroken("the container is gone"))
    with pytest.raises(SandboxBroken):
        bench.use("Bash", command="ls")
    assert of_kind(bench.recorder, Kind.TOOL_ENDED) == []


def test_what_a_hook_says_after_a_call_reaches_the_model():
    bench = Bench()
    bench.sandbox.on(".", answered("fine"))
    assert "a hook says hello" in bench.use("Bash", command="ls").result.content


def test_what_the_checks_themselves_write_in_scope_is_nobody_s_fix():
    bench = Bench()
    bench.tree.files["src/a.py"] = b"x = 2  # the model's\n"

    def checks(_check, _tests):
        bench.tree.files["src/a.py"] += b"# written by a test\n"
        return "all pass"

    bench.dispatcher.workshop.run_checks = checks
    bench.use("RunChecks")
    assert bench.tree.files["src/a.py"] == b"x = 2  # the model's\n"


def test_a_file_in_scope_that_only_the_checks_changed_is_the_commit_s_again():
    bench = Bench()
    bench.dispatcher.workshop.run_checks = lambda _check, _tests: bench.tree.files.update({"src/a.py": b"?"}) or "pass"
    bench.use("RunChecks")
    assert bench.tree.files["src/a.py"] == b"x = 1\n"
