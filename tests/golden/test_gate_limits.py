"""What cannot be analysed is denied, each for its own reason, and nothing hangs or crashes the gate."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autofix.cli.gate_sight import PresumedSight
from autofix.harness import gate
from autofix.harness.bash.parser import LONGEST, MOST_COMMANDS, TwoGrammars
from autofix.harness.call import Decision, ToolCall
from autofix.ports.program import ProgramResult
from tests.golden.corpus import POLICY, ruling_on
from tests.golden.rewrites import AROUND


class Answering:
    """`Programs` that gives one answer whatever is run."""

    def __init__(self, answer):
        self._answer = answer

    def run(self, argv, stdin, *, timeout, environment, cwd="/", output_limit=0):
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


def structure(ruling):
    return next(opinion for opinion in ruling.opinions if opinion.layer == "structure")


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("if true; then pytest", "parse-error"),
        ("echo 'unclosed", "parse-error"),
        ("pytest )", "parse-error"),
        ("pytest\0-q", "control-character"),
        ("pytest \x1b[31m", "control-character"),
        ("pytest\r-q", "control-character"),
        ("pytest \u202etset", "control-character"),
        ("pytest \u200b-q", "control-character"),
        ("pytest \udcff", "invalid-utf-8"),
        ("pytest " + "x" * LONGEST, "too-long"),
        ("pytest " + "é" * (LONGEST // 2), "too-long"),
        ("true;" * (MOST_COMMANDS + 1), "too-compound"),
        ("$COMMAND", "opaque-exec"),
        ("$(cat scratch/name) -q", "opaque-exec"),
        ("env " * 20 + "true", "too-compound"),
        ("a() { a; a; }; a", "too-compound"),
        ("x=aaaaaaaa; " + "x=$x$x; " * 60 + "$x", "opaque-exec"),
        ("frobnicate --all", "unknown-program"),
    ],
)
def test_what_cannot_be_analysed_is_denied_with_its_reason(command, rule):
    said = structure(ruling_on(command))
    assert (said.decision, said.rule) == (Decision.DENY, rule)
    assert said.reason


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        (ProgramResult(0, b'{"Stmts": []}', b""), "parsers-disagree"),
        (ProgramResult(0, b"not json", b""), "parse-error"),
        (ProgramResult(0, b"[]", b""), "parse-error"),
        (ProgramResult(0, b'{"Stmts": [{"Cmd": {"Type": "Novelty"}}]}', b""), "parse-error"),
        (ProgramResult(127, b"", b"no such file"), "parse-error"),
        (ProgramResult(-9, b"", b"", timed_out=True), "parse-error"),
        (ProgramResult(0, b'{"Stmts": []}', b"", overflowed=True), "parse-error"),
        (RuntimeError("broken"), "gate-error"),
    ],
)
def test_a_parser_that_fails_or_differs_denies(answer, rule):
    ruling = ruling_on("pytest -q", parser=TwoGrammars(Answering(answer)))
    assert (ruling.verdict.decision, structure(ruling).rule) == (Decision.DENY, rule)


@pytest.mark.parametrize(
    "command",
    [
        "a;" * 32768,
        "(" * 65536,
        "$(" * 32768,
        "'" * 65536,
        "{a,b}" * 13000,
        "$(" * 3000,
        "{a,b}" * 1500,
        "${x" * 2000,
        "cat <<A\n" * 900,
        "eval " * 1500 + "x",
        "cat " + "*a" * 2000 + "b",
        "cat " + "*?" * 4000,
        "rm " + "a/" * 4000,
        "cat " + ".git/modules/" * 600,
        "cat /proc" + "/self" * 1500 + "/environ",
        "python3 -c '" + "(" * 7000 + "'",
        "python3 -c 'x" + ".a" * 3900 + "'",
        "sed '" + "s/a/b/;" * 1100 + "' x",
        "sed 's/" + "[" * 4000 + "' x",
        "awk '" + "{print}" * 1100 + "' x",
        "perl -e '" + "open" * 1900 + "'",
        "for i in {1..200}; do " + "echo $i;" * 90 + "done",
        "f() { g; g; }; g() { h; h; }; h() { i; i; }; i() { f; f; }; f",
        "find . " + "-exec a {} \\; " * 500,
    ],
)
def test_hostile_commands_are_answered(command):
    assert structure(ruling_on(command)).rule != "gate-error"


harmless = st.sampled_from(
    ["pytest -q", "git status", "grep -rn 'git push' docs", "ls src | wc -l", "sed -n 1,5p README.md"]
)
harmful = st.sampled_from(
    ["git push", "rm -rf src", "git reset --hard", "cat .git/config", "echo x > README.md", "sudo id", "env"]
)
wrap = st.sampled_from(sorted(AROUND))
some = settings(max_examples=40, deadline=None, derandomize=True)


@some
@given(harmful, st.lists(wrap, min_size=1, max_size=3))
def test_a_denied_command_stays_denied_in_any_wrapping(command, wraps):
    for name in wraps:
        command = AROUND[name](command)
    assert not ruling_on(command).allowed


@some
@given(harmless, st.integers(1, 5))
def test_a_harmless_command_stays_allowed_after_true(command, times):
    assert ruling_on("true && " * times + command).allowed


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.text(max_size=200) | st.text("abrmgitpush -/$(){}<>|&;'\"\\`~*?[]=\n0", max_size=120))
def test_no_text_crashes_the_gate(text):
    ruling = ruling_on(text)
    assert "gate-error" not in {opinion.rule for opinion in ruling.opinions}


@some
@given(
    st.dictionaries(st.text(max_size=8), st.none() | st.booleans() | st.integers() | st.text(max_size=20), max_size=4)
)
def test_no_input_of_any_tool_crashes_the_gate(given_input):
    for name in (*POLICY.tools, "Nope"):
        call = ToolCall("call", name, given_input)
        ruling = gate.decide(call, POLICY, PresumedSight(), TwoGrammars(Answering(ProgramResult(0, b"{}", b""))))
        assert "gate-error" not in {opinion.rule for opinion in ruling.opinions}
