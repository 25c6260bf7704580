"""The gate: all layers are asked, the strictest wins, silence and failure deny; modes lift nothing they must not."""

import posixpath
from dataclasses import dataclass

import pytest

from autofix.errors import TreeError
from autofix.harness import gate
from autofix.harness.bash.syntax import Literal, Script, Simple, Statement, Unparsed, Word
from autofix.harness.call import Decision, ToolCall, Verdict
from autofix.harness.denylist import DenyList
from autofix.harness.policy import Mode, Policy, Tier, ToolContract
from autofix.harness.scope import Scope
from autofix.harness.settings_rules import RuleSet
from autofix.harness.tool_input import ToolInput

ALLOW, ASK, DENY = Decision.ALLOW, Decision.ASK, Decision.DENY


@dataclass(frozen=True)
class Edit(ToolInput):
    file_path: str


@dataclass(frozen=True)
class Bash(ToolInput):
    command: str


@dataclass(frozen=True)
class Talk(ToolInput):
    path: str
    reason: str


@dataclass(frozen=True)
class Mcp(ToolInput):
    query: str


class Sight:
    """A tree with `src/a.py` and a link that leads out of it."""

    def real_path(self, path):
        if path.startswith("away"):
            raise TreeError(f"{path} leaves the work tree")
        return "src/secret.py" if path == "src/link.py" else posixpath.normpath(path)

    def is_tracked(self, path):
        return path in {"src", "src/a.py", "src/secret.py", "."}

    def is_directory(self, path):
        return path in {"src", "."}


class Words:
    """A parser for tests: words parted by blanks, one command."""

    def parse(self, text):
        if text == "?":
            return Unparsed("parse-error", "no")
        words = tuple(Word((Literal(word),)) for word in text.split())
        return Script((Statement(Simple((), words, 0)),), 1)


TOOLS = {
    "Edit": ToolContract(Edit, Tier.EDIT),
    "Write": ToolContract(Edit, Tier.EDIT),
    "Read": ToolContract(Edit, Tier.READ),
    "Bash": ToolContract(Bash, Tier.EXECUTE),
    "RequestScope": ToolContract(Talk, Tier.TALK),
    "mcp__files__find": ToolContract(Mcp, Tier.EXECUTE),
}


def policy(mode=Mode.ACCEPT_EDITS, **changes):
    return Policy(
        mode=mode, scope=Scope(frozenset({"src/a.py", "src/link.py", "tests/test_a.py"})), tools=TOOLS, **changes
    )


def ask(name, given, **changes):
    return gate.decide(ToolCall("1", name, given), policy(**changes), Sight(), Words())


def bash(command, **changes):
    return ask("Bash", {"command": command}, **changes)


def said(ruling, layer):
    return next(opinion for opinion in ruling.opinions if opinion.layer == layer)


def test_deny_wins_over_ask_over_allow():
    opinions = [Verdict(ALLOW, "a", "1"), Verdict(DENY, "b", "2"), Verdict(ASK, "c", "3"), Verdict(DENY, "d", "4")]
    assert gate.fold(opinions) == opinions[1]
    assert gate.fold(opinions[::2]) == opinions[2]
    assert gate.fold(opinions[:1]) == opinions[0]


def test_silence_is_deny():
    assert gate.fold([]).decision is DENY
    assert (
        gate.decide(ToolCall("1", "Bash", {"command": "ls"}), policy(), Sight(), Words(), {}).verdict.rule == "silence"
    )


def test_every_layer_is_asked_also_after_a_deny():
    ruling = bash("git push")
    assert [opinion.layer for opinion in ruling.opinions] == list(gate.LAYERS)
    assert [opinion.layer for opinion in ruling.opinions if opinion.decision is DENY] == ["denylist", "structure"]


def test_a_layer_that_fails_denies_and_names_itself():
    def broken(_question):
        raise ZeroDivisionError

    ruling = gate.decide(ToolCall("1", "Bash", {"command": "ls"}), policy(), Sight(), Words(), {"odd": broken})
    assert ruling.verdict == Verdict(
        DENY, "odd", "gate-error", "this layer failed (ZeroDivisionError); nothing was run"
    )


def test_a_denial_tells_the_model_who_and_why():
    message = bash("git push").verdict.message
    assert message.startswith("Blocked by autofix (denylist/git-push): ")


@pytest.mark.parametrize(
    ("name", "given", "rule"),
    [
        ("Nope", {}, "unknown-tool"),
        ("Bash", None, "no-object"),
        ("Bash", {}, "schema"),
        ("Bash", {"command": 3}, "schema"),
        ("Edit", {"file_path": "src/a.py", "more": 1}, "schema"),
    ],
)
def test_a_call_that_no_tool_understands_is_denied(name, given, rule):
    assert said(ask(name, given), "known").rule == rule
    assert not ask(name, given).allowed


def test_a_misfit_names_the_field():
    assert "command" in said(ask("Bash", {"command": 3}), "known").reason


@pytest.mark.parametrize(
    ("mode", "read", "edit", "run", "talk"),
    [
        (Mode.DEFAULT, ALLOW, ASK, ALLOW, ALLOW),
        (Mode.ACCEPT_EDITS, ALLOW, ALLOW, ALLOW, ALLOW),
        (Mode.PLAN, ALLOW, DENY, DENY, ALLOW),
        (Mode.BYPASS, ALLOW, ALLOW, ALLOW, ALLOW),
    ],
)
def test_each_mode_lets_its_tiers_go_ahead(mode, read, edit, run, talk):
    decisions = [
        ask("Read", {"file_path": "src/a.py"}, mode=mode),
        ask("Edit", {"file_path": "src/a.py"}, mode=mode),
        bash("ls src", mode=mode),
        ask("RequestScope", {"path": "src/b.py", "reason": "x"}, mode=mode),
    ]
    assert [one.verdict.decision for one in decisions] == [read, edit, run, talk]


@pytest.mark.parametrize("mode", Mode)
def test_no_mode_lifts_the_denylist_the_structure_the_scope_or_a_rule(mode):
    rules = RuleSet.parse(deny=["Bash(make:*)"], ask=["Bash(tox:*)"])
    assert bash("git push", mode=mode).verdict.decision is DENY
    assert bash("tee src/secret.py", mode=mode).verdict.decision is DENY
    assert ask("Edit", {"file_path": "src/b.py"}, mode=mode).verdict.decision is DENY
    assert bash("make all", mode=mode, rules=rules).verdict.decision is DENY
    assert bash("tox", mode=mode, rules=rules).verdict.decision >= ASK


def test_on_the_host_a_command_that_nothing_objects_to_is_asked_about():
    assert bash("ls src", sandboxed=False).verdict.decision is ASK
    assert bash("ls src", sandboxed=False, mode=Mode.BYPASS).verdict.decision is ALLOW
    assert bash("ls src", sandboxed=False, rules=RuleSet.parse(allow=["Bash(ls:*)"])).verdict.decision is ALLOW


def test_a_tool_of_a_server_is_asked_about_unless_a_rule_allows_it():
    given = {"query": "x"}
    assert ask("mcp__files__find", given).verdict.decision is ASK
    assert ask("mcp__files__find", given, rules=RuleSet.parse(allow=["mcp__files"])).verdict.decision is ALLOW
    assert ask("mcp__files__find", given, rules=RuleSet.parse(deny=["mcp__files__*"])).verdict.decision is DENY


def test_a_rule_that_allows_an_edit_spares_the_question_of_the_default_mode():
    rules = RuleSet.parse(allow=["Edit(src/**)"])
    assert ask("Edit", {"file_path": "src/a.py"}, mode=Mode.DEFAULT, rules=rules).allowed
    assert not ask("Edit", {"file_path": "src/b.py"}, mode=Mode.DEFAULT, rules=rules).allowed


def test_a_rule_for_edits_also_holds_for_write():
    rules = RuleSet.parse(deny=["Edit(src/**)"])
    assert ask("Write", {"file_path": "/workspace/src/a.py"}, rules=rules).verdict.layer == "rules"


def test_an_allowed_prefix_never_allows_what_follows_it():
    rules = RuleSet.parse(allow=["Bash(frob:*)"])
    assert bash("frob x", rules=rules).allowed
    assert not bash("frobnicate", rules=rules).allowed


def test_a_protected_path_asks_even_in_scope_and_a_test_as_the_policy_says():
    def protected(path):
        return "it decides" if path == "src/a.py" else None

    edit = {"file_path": "src/a.py"}
    test = {"file_path": "tests/test_a.py"}
    assert ask("Edit", edit, protected=protected).verdict.decision is ASK
    assert bash("tee src/a.py", protected=protected).verdict.decision is ASK
    for value, decision in (("deny", DENY), ("ask", ASK), ("allow", ALLOW)):
        assert ask("Edit", test, is_test=lambda path: "test" in path, tests_edit=value).verdict.decision is decision


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("src/b.py", "out-of-scope"),
        ("SRC/A.PY", "out-of-scope"),
        ("src/a.py ", "out-of-scope"),
        ("src/a.py.", "out-of-scope"),
        ("src/a.py/", "in-scope"),
        ("src/../src/a.py", "in-scope"),
        ("/workspace/src/a.py", "in-scope"),
        ("/workspace-evil/src/a.py", "outside-tree"),
        ("/etc/passwd", "outside-tree"),
        ("../x", "outside-tree"),
        ("src/../../x", "outside-tree"),
        ("away/a.py", "outside-tree"),
        ("src/link.py", "out-of-scope"),
        (".git/config", "git-internals"),
        (".GIT/config", "git-internals"),
        (".git /config", "git-internals"),
        ("src/.git/hooks/x", "git-internals"),
        ("src/a\0.py", "control-character"),
        ("src/a\u202e.py", "control-character"),
        ("/proc/self/root/workspace/src/a.py", "outside-tree"),
    ],
)
def test_edits_stay_in_scope_under_every_name(path, rule):
    assert said(ask("Edit", {"file_path": path}), "scope").rule == rule


def test_a_denial_out_of_scope_names_the_way_to_ask():
    reason = said(ask("Edit", {"file_path": "src/b.py"}), "scope").reason
    assert "RequestScope" in reason
    assert "src/a.py" in reason


def test_a_user_pattern_denies_and_a_built_in_one_is_switched_off_by_its_id_alone():
    denylist = DenyList.build(["frob"], off=["git-push"])
    assert said(bash("frob", denylist=denylist), "denylist").rule == "user-1"
    assert said(bash("git push", denylist=denylist), "denylist").decision is ALLOW
    assert bash("git push", denylist=denylist).verdict.layer == "structure"


def test_a_command_that_does_not_parse_is_denied_although_a_rule_allows_bash():
    assert bash("?", rules=RuleSet.parse(allow=["Bash"])).verdict == Verdict(DENY, "structure", "parse-error", "no")
