"""Bash, RunChecks and the tools that only talk; and what all tools share."""

import json

import pytest

from autofix.errors import SandboxBroken
from autofix.harness.call import ToolCall
from autofix.harness.policy import Tier
from autofix.harness.tool_input import Misfit
from autofix.harness.tools import TOOLS, CommandEnd, RuledOutEntry, ScopeRequest, perform
from tests.fakes.sandbox import answered
from tests.fakes.workshop import Bench


def test_bash_runs_the_very_command_with_the_injected_environment():
    bench = Bench()
    bench.sandbox.on("echo", answered("hi\n"))
    outcome = bench("Bash", command="echo 'hi'\n# é")
    assert outcome.text == "hi\n[exit 0]"
    assert outcome.command == CommandEnd(0, timed_out=False, seconds=0.01)
    (ran,) = bench.sandbox.ran
    assert ran.script == "echo 'hi'\n# é"
    assert ran.timeout == 120
    assert ran.environment == {"PYTEST_ADDOPTS": "--junitxml=/tmp/r.xml"}


def test_a_failed_command_is_an_answer_not_an_error():
    bench = Bench()
    bench.sandbox.on("false", answered(exit_code=1))
    outcome = bench("Bash", command="false")
    assert outcome.text == "[exit 1]"
    assert not outcome.is_error


def test_a_command_that_took_too_long_is_said_to_have():
    bench = Bench()
    bench.sandbox.on("sleep", answered("so far\n", timed_out=True))
    outcome = bench("Bash", command="sleep 9", timeout=2000)
    assert outcome.text == "so far\n[timed out after 2 s]"
    assert outcome.is_error
    assert outcome.command.timed_out
    assert bench.sandbox.ran[0].timeout == 2


def test_colours_and_progress_bars_are_not_shown_and_output_is_redacted_before_it_is_cut():
    secret = "canary-secret-0123456789"
    bench = Bench(secrets={"KEY": secret})
    noise = "\x1b[32mok\x1b[0m\r\n 1%\r100%\n" + "x" * 1000 + (secret + "\n") * 1000
    bench.sandbox.on("run", answered(noise))
    text = bench("Bash", command="run").text
    assert text.startswith("ok\n100%\n")
    assert len(text.encode()) <= 4096
    kept = bench.artifacts.kept["bash-1"].decode()
    for shown in (text, kept):
        assert not any(secret[at : at + 8] in shown for at in range(len(secret) - 7))


def test_a_broken_sandbox_is_never_shown_to_the_model():
    bench = Bench()
    bench.sandbox.on("true", SandboxBroken("the engine went away"))
    with pytest.raises(SandboxBroken):
        bench("Bash", command="true")


@pytest.mark.parametrize(
    ("fields", "asked"),
    [
        ({}, (None, ())),
        ({"check": "unit"}, ("unit", ())),
        ({"check": None, "tests": ["a::b", "a::c"]}, (None, ("a::b", "a::c"))),
    ],
)
def test_run_checks_asks_the_harness(fields, asked):
    bench = Bench()
    assert bench("RunChecks", **fields).text == "2 of 3 pass"
    assert bench.checked == [asked]


def test_of_a_long_report_the_counts_and_the_first_failures_are_shown():
    bench = Bench()
    report = "500 of 900 fail\n" + "".join(f"case {n}\n" for n in range(500)) * 3
    bench.workshop.run_checks = lambda *_: report
    text = bench("RunChecks").text
    assert text.startswith("500 of 900 fail\ncase 0\n")
    assert len(text.encode()) <= 6144
    assert text.index("whole in artifact:runchecks-1") > 4000


def test_a_request_for_more_scope_goes_to_the_loop():
    bench = Bench({"a.py": b"", "core.py": b""}, scope={"a.py"})
    outcome = bench("RequestScope", path="/workspace/core.py", reason="it holds the bug")
    assert outcome.scope_request == ScopeRequest("core.py", "it holds the bug")
    already = bench("RequestScope", path="a.py", reason="?")
    assert already.scope_request is None
    assert "in scope already" in already.text
    assert bench("RequestScope", path="../x", reason="?").is_error


def test_what_was_ruled_out_goes_to_the_loop_word_for_word():
    outcome = Bench()("RuledOut", hypothesis="a race\n\twith é", evidence="it fails alone, too")
    assert outcome.ruled_out == RuledOutEntry("a race\n\twith é", "it fails alone, too")


@pytest.mark.parametrize(
    ("name", "fields", "field"),
    [
        ("Read", {}, "file_path"),
        ("Read", {"file_path": 1}, "file_path"),
        ("Read", {"file_path": "f", "offset": "3"}, "offset"),
        ("Read", {"file_path": "f", "offset": 0}, "offset"),
        ("Read", {"file_path": "f", "nope": 1}, "nope"),
        ("Edit", {"file_path": "f", "old_string": "a"}, "new_string"),
        ("Edit", {"file_path": "f", "old_string": "a", "new_string": "b", "replace_all": "yes"}, "replace_all"),
        ("Read", {"file_path": "\ud800"}, "file_path"),
        ("Bash", {"command": "echo \udce9"}, "command"),
        ("Bash", {"command": ["ls"]}, "command"),
        ("Bash", {"command": "ls", "timeout": 120}, "timeout"),
        ("Bash", {"command": "ls", "timeout": 10_000_000}, "timeout"),
        ("Grep", {"pattern": "a", "output_mode": "lines"}, "output_mode"),
        ("RunChecks", {"tests": "a"}, "tests"),
    ],
)
def test_an_input_that_does_not_fit_is_answered_with_the_fields_name(name, fields, field):
    bench = Bench({"f": b"a"})
    outcome = bench(name, **fields)
    assert outcome.is_error
    assert outcome.text.startswith(f"{name} was not called as its schema says:\n{field}")
    assert bench.sandbox.ran == []


def test_an_answer_to_a_misfit_stays_short():
    outcome = Bench()("Read", **{f"field{number}": "x" * 1000 for number in range(1000)})
    assert outcome.is_error
    assert len(outcome.text) < 1000


def test_no_input_and_no_such_tool_are_errors_too():
    bench = Bench()
    assert perform(ToolCall("1", "Read", None), bench.workshop).is_error
    assert "There is no tool 'Nope'" in perform(ToolCall("1", "Nope", {}), bench.workshop).text


# What the model is told of the tools


def test_the_registry_names_each_tool_once_by_its_own_name():
    assert all(name == tool.name for name, tool in TOOLS.items())
    assert {name: tool.tier for name, tool in TOOLS.items()} == {
        "Read": Tier.READ,
        "Grep": Tier.READ,
        "Glob": Tier.READ,
        "Edit": Tier.EDIT,
        "Write": Tier.EDIT,
        "Bash": Tier.EXECUTE,
        "RunChecks": Tier.EXECUTE,
        "RequestScope": Tier.TALK,
        "RuledOut": Tier.TALK,
    }


def test_all_specs_together_are_short_and_the_same_each_time():
    def wire():
        specs = [tool.spec() for tool in TOOLS.values()]
        return json.dumps([[spec.name, spec.description, spec.input_schema] for spec in specs], separators=(",", ":"))

    assert wire() == wire()
    assert len(wire()) / 4 <= 1300


def fitting(prop):
    """A value that a property of the schema takes."""
    by_type = {"string": "a", "boolean": True, "array": ["a"], "integer": prop.get("maximum", 1)}
    return prop["enum"][0] if "enum" in prop else by_type[prop["type"]]


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_a_schema_says_what_its_model_takes(tool):
    schema = tool.spec().input_schema
    assert schema["type"] == "object"
    required = schema.get("required", [])
    fits = {name: fitting(prop) for name, prop in schema["properties"].items()}
    assert tool.input.read(fits)
    assert tool.input.read({name: fits[name] for name in required})
    for name in required:
        with pytest.raises(Misfit, match=f"{name}: is required"):
            tool.input.read({one: value for one, value in fits.items() if one != name})
    assert all(prop["type"] in {"string", "integer", "boolean", "array"} for prop in schema["properties"].values())
    assert "title" not in json.dumps(schema)


def test_the_same_long_result_reads_the_same_each_time():
    bench = Bench()
    bench.sandbox.on("noise", answered("x\n" * 10_000))
    assert bench("Bash", command="noise") == bench("Bash", command="noise")
