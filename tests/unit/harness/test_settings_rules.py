"""Rules in the syntax of `.claude/settings.json` mean what they mean there, and what cannot be read is an error."""

import json

import pytest

from autofix.errors import UsageError
from autofix.harness.call import Decision
from autofix.harness.settings_rules import RuleSet


def decides(rule, *parts):
    found = RuleSet.parse(allow=[rule]).about_command([[part] for part in parts])
    return found is not None


@pytest.mark.parametrize(
    ("rule", "command", "covers"),
    [
        ("Bash", "anything at all", True),
        ("Bash(*)", "anything at all", True),
        ("Bash(npm test)", "npm test", True),
        ("Bash(npm test)", "npm test -- x", False),
        ("Bash(npm test:*)", "npm test", True),
        ("Bash(npm test:*)", "npm test -- x", True),
        ("Bash(npm test:*)", "npm tests", False),
        ("Bash(npm *)", "npm run build", True),
        ("Bash(npm *)", "npmx", False),
        ("Bash(git * main)", "git log main", True),
        ("Bash(git * main)", "git log dev", False),
        ("Bash(a.b)", "axb", False),
        ("Bash(ls -l (x))", "ls -l (x)", True),
    ],
)
def test_a_command_rule_covers_exactly(rule, command, covers):
    assert decides(rule, command) is covers


def test_every_part_of_a_compound_must_be_allowed_and_one_denied_part_denies():
    rules = RuleSet.parse(allow=["Bash(npm test:*)"], deny=["Bash(rm:*)"], ask=["Bash(cp:*)"])
    assert rules.about_command([["npm test"], ["npm test x"]]).decision is Decision.ALLOW
    assert rules.about_command([["npm test"], ["rm x"]]).decision is Decision.DENY
    assert rules.about_command([["npm test"], ["cp x y"]]).decision is Decision.ASK
    assert rules.about_command([["npm test"], ["ls"]]) is None
    assert rules.about_command([]) is None


@pytest.mark.parametrize(
    ("rule", "path", "covers"),
    [
        ("Read(src/**)", "src/a/b.py", True),
        ("Read(src/**)", "tests/a.py", False),
        ("Read(src/*.py)", "src/a.py", True),
        ("Read(src/*.py)", "src/a/b.py", False),
        ("Read(/src/a.py)", "src/a.py", True),
        ("Read(./src/a.py)", "src/a.py", True),
        ("Read(*.py)", "deep/down/a.py", True),
        ("Read(docs)", "docs/index.md", True),
        ("Read(docs)", "documents/index.md", False),
        ("Read(~/.zshrc)", "/root/.zshrc", True),
        ("Read(//etc/**)", "/etc/passwd", True),
        ("Read(//etc/**)", "etc/passwd", False),
        ("Read(file.[ch])", "x/file.c", True),
        ("Read(file.?)", "file.py", False),
    ],
)
def test_a_path_rule_reads_as_gitignore_does(rule, path, covers):
    assert (RuleSet.parse(deny=[rule]).about_path("Grep", path) is not None) is covers


def test_servers_and_their_tools():
    rules = RuleSet.parse(allow=["mcp__files"], deny=["mcp__files__delete"], ask=["mcp__web__*"])
    assert rules.about_tool("mcp__files__delete").decision is Decision.DENY
    assert rules.about_tool("mcp__files__read").decision is Decision.ALLOW
    assert rules.about_tool("mcp__web__get").decision is Decision.ASK
    assert rules.about_tool("mcp__filesystem__read") is None


def test_rules_of_tools_we_lack_are_understood_and_mean_nothing():
    rules = RuleSet.parse(allow=["WebFetch(domain:example.com)", "Agent(explore)", "WebSearch"])
    assert rules.about_tool("Bash") is None


@pytest.mark.parametrize(
    "rule", ["", "Bash(", "Bash()", "bash ls", "Frob(x)", "RunChecks(x)", "mcp__a__b__c", "mcp__a(x)", 3, None]
)
def test_a_rule_that_cannot_be_read_is_an_error(rule):
    with pytest.raises(UsageError):
        RuleSet.parse(allow=[rule])


def test_a_settings_file_gives_its_lists_and_errors_name_the_line():
    text = json.dumps({"permissions": {"allow": ["Bash(ls:*)"], "deny": ["Read(.env)", "Oops(x)"]}}, indent=1)
    with pytest.raises(UsageError, match=r"settings\.json:8: .*Oops"):
        RuleSet.from_settings(text, "settings.json")
    rules = RuleSet.from_settings(text.replace("Oops(x)", "Edit(x)"), "settings.json")
    assert [rule.text for rule in rules.rules] == ["Read(.env)", "Edit(x)", "Bash(ls:*)"]
    assert RuleSet.from_settings("{}", "settings.json").rules == ()


@pytest.mark.parametrize("text", ["[]", "{", '{"permissions": {"allow": "Bash"}}', '{"permissions": 3}'])
def test_a_file_that_is_no_settings_file_is_an_error(text):
    with pytest.raises(UsageError, match=r"settings\.json"):
        RuleSet.from_settings(text, "settings.json")
