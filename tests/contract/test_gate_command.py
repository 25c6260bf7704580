"""`autofix gate`: one command or a stream of them in, verdicts out; bad input is one clear line."""

import json
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from autofix.cli.gate import command
from autofix.errors import UsageError
from autofix.harness.denylist import BUILT_IN

SCOPE = ("--scope", "src/app/calc.py")


def run(*words, stdin=None):
    result = CliRunner().invoke(command, words, input=stdin, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result


def verdicts(stdin, *words):
    return [json.loads(line) for line in run("--jsonl", *SCOPE, *words, stdin=stdin).stdout.splitlines()]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["pytest -q"], 0),
        (["git push"], 10),
        (["echo x > src/app/calc.py", *SCOPE], 0),
        (["echo x > src/app/calc.py"], 10),
        (["pytest -q", "--host"], 11),
        (["pytest -q", "--mode", "plan"], 10),
        (["rm mine", "--made", "mine"], 0),
        (["rm mine"], 10),
        (["frob", "--deny", "fr.b"], 10),
        (["git push", "--layer", "scope"], 0),
        (["git push", "--hook-only"], 10),
        (["pytest -q", "--hook-only"], 0),
    ],
)
def test_the_exit_code_says_the_verdict(words, code):
    assert run(*words).return_value == code


def test_every_layer_is_printed_with_its_reason():
    lines = run("git push").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["known", "mode", "denylist", "structure", "scope", "rules", "=>"]
    assert lines[-1] == "=> deny (denylist/git-push)"


def test_only_the_named_layers_are_asked():
    lines = run("git push", "--layer", "scope", "--layer", "hook").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["scope", "hook", "=>"]


def test_a_stream_is_answered_line_by_line_with_all_layers():
    answers = verdicts(
        '{"id": "a", "command": "git push"}\n\n{"id": 2, "tool": "Read", "input": {"file_path": "README.md"}}\n'
    )
    assert [(answer["id"], answer["verdict"]) for answer in answers] == [("a", "deny"), (2, "allow")]
    assert [layer["layer"] for layer in answers[0]["layers"]] == [
        "known",
        "mode",
        "denylist",
        "structure",
        "scope",
        "rules",
    ]
    assert answers[0]["rule"] == "git-push"


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "[]",
        "3",
        "{}",
        '{"id": 1, "command": 3}',
        '{"id": 1, "tool": []}',
        "[" * 100_000,
        '{"command": "' + "x" * 2_000_000 + '"}',
        '{"id": "\\ud800"}',
    ],
)
def test_a_bad_line_is_answered_and_the_stream_goes_on(line):
    bad, good = verdicts(f'{line}\n{{"id": "next", "command": "ls"}}\n')
    assert (bad["verdict"], bad["rule"], bad["layers"]) == ("deny", "bad-line", [])
    assert good["verdict"] == "allow"


def test_bytes_that_are_no_text_are_denied():
    (answer,) = verdicts(b'{"id": 1, "command": "ls \xff"}\n')
    assert answer["verdict"] == "deny"


def test_a_list_of_tracked_files_decides(tmp_path):
    listed = tmp_path / "tracked"
    listed.write_text("src/app/core.py\n")
    words = ["--tracked", str(listed)]
    assert run("rm src/other.py", *words).return_value == 0
    assert run("rm src/app/core.py", *words).return_value == 10


def test_rules_of_a_settings_file_hold(tmp_path):
    settings = tmp_path / "settings.json"
    settings.write_text('{"permissions": {"deny": ["Bash(make:*)"], "allow": ["Bash(frob:*)"]}}')
    assert run("make test", "--settings", str(settings)).return_value == 10
    assert run("frob x", "--settings", str(settings)).return_value == 0
    settings.write_text('{"permissions": {"deny": ["Mistake(x)"]}}')
    with pytest.raises(UsageError, match=r"settings\.json:1"):
        run("ls", "--settings", str(settings))


def test_the_denylist_is_printed_with_its_examples():
    printed = run("--list", "--deny", "frob").stdout
    for entry in BUILT_IN:
        assert entry.id in printed
        assert entry.pattern in printed
        assert entry.denies in printed
        assert entry.allows in printed
    assert "user-1" in printed


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["ls", "--jsonl"],
        ["ls", "--layer", "nope"],
        ["ls", "--hook-only", "--layer", "scope"],
        ["ls", "--deny", "("],
        ["--list", "--deny", "("],
    ],
)
def test_a_mistake_in_the_words_is_a_usage_error(words):
    with pytest.raises(UsageError):
        run(*words)


@pytest.mark.parametrize(
    "words", [["ls", "--mode", "yolo"], ["ls", "--tree", "/does/not/exist"], ["ls", "--frob"], ["ls", "more"]]
)
def test_what_click_refuses(words):
    with pytest.raises(click.UsageError):
        run(*words)


def test_a_question_loads_no_library_that_it_does_not_need():
    code = (
        "import sys; from autofix.cli.gate import command; command(['git push'], standalone_mode=False);"
        "print(*{'pydantic', 'anthropic', 'docker', 'github', 'autofix.settings'}.intersection(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-2:] == ["=> deny (denylist/git-push)", ""]
