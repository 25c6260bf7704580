"""node:test for real, where node is installed: its outcomes by their suites' names."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from autofix.checks.detect import check_for_command, detect
from autofix.checks.injection import ReportInjection
from autofix.checks.result import NotRun
from autofix.checks.run import run_check
from autofix.ports.sandbox import SandboxSpec, ShellCommand
from autofix.world.host_sandbox import HostRoom

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

CHECK = check_for_command("node --test")
TESTS = """
const {test, describe, it} = require('node:test');
const assert = require('assert');
test('top', () => { assert.equal(1, 2) });
describe('suite', () => {
  it('good', () => {});
  it('skipped', {skip: 'why'}, () => {});
  it('todo', {todo: true}, () => { assert.equal(1, 2) });
  describe('deep', () => { it('bad', () => { throw new Error('boo') }) });
});
"""


def over(tmp_path: Path, files: dict[str, str]):
    for path, content in files.items():
        (tmp_path / path).write_text(content)
    return HostRoom().open(SandboxSpec("node"), tmp_path)


def test_every_kind_of_outcome_is_told_by_its_name(tmp_path: Path):
    result = run_check(CHECK, over(tmp_path, {"a.test.js": TESTS, "b.test.js": "not a program("}))

    assert CHECK.runner == "node:test"
    assert {id_: case.outcome.value for id_, case in result.cases.items()} == {
        "top": "failed",
        "suite > good": "passed",
        "suite > skipped": "skipped",
        "suite > todo": "xfailed",
        "suite > deep > bad": "failed",
        "b.test.js (file)": "error",
    }
    assert result.cases["suite > deep > bad"].message == "boo"


def test_a_missing_node_and_an_empty_project_say_why(tmp_path: Path):
    sandbox = over(tmp_path, {"README": ""})

    assert run_check(CHECK, sandbox).not_run is NotRun.NOTHING_COLLECTED
    assert run_check(replace(CHECK, command="no-node --test"), sandbox).not_run is NotRun.COMMAND_NOT_FOUND


def test_the_models_own_command_reports(tmp_path: Path):
    sandbox = over(tmp_path, {"a.test.js": TESTS})
    injection = ReportInjection([CHECK], sandbox)

    sandbox.run(ShellCommand("node --test a.test.js | tail -3", 60, environment=injection.environment))

    (partial,) = injection.collect()
    assert partial.failing == {"top", "suite > deep > bad"}


def test_a_package_with_such_a_test_script_is_detected():
    files = {"package.json": '{"scripts": {"test": "node --test"}}', "a.test.js": TESTS}

    (found,) = detect(files, lambda path: files[path].encode())

    assert (found.check.command, found.check.runner) == ("npm test", "node:test")


@pytest.mark.parametrize("package", ["", "[]", "{", '{"scripts": {"test": 3}}', '{"scripts": {"test": "deno test"}}'])
def test_other_packages_are_not(package: str):
    assert detect(["package.json"], lambda _: package.encode()) == ()
