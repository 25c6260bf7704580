"""Each patch of this folder, judged for real: real pytest, real trees, the whole way from baseline to verdict."""

import functools
import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from autofix.checks.baseline import Baseline, BaselineVerdict, take_baseline
from autofix.checks.detect import check_for_command
from autofix.checks.measure import is_measure, is_test_file, restore_measure
from autofix.checks.result import CheckResult
from autofix.checks.run import run_check
from autofix.checks.tampering import find_tampering
from autofix.checks.verify import Verification, verify
from autofix.ports.sandbox import SandboxSpec
from autofix.world.host_sandbox import HostRoom

HERE = Path(__file__).parent
CHECK = replace(check_for_command("python -m pytest -q"), environment={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
"""Without the plug-ins of this environment, which would only cost time."""
Files = dict[str, str]


@dataclass(frozen=True)
class TamperCase:
    verdicts: tuple[str, ...]
    rules: frozenset[str]
    head: Files
    patched: Files


def edited(files: Files, edits: str) -> Files:
    """Apply edits in the format README.md describes; an edit that finds no place, or two, is a broken case."""
    files = dict(files)
    for section in re.split(r"^@@ ", edits, flags=re.MULTILINE)[1:]:
        path, _, body = section.partition("\n")
        if body.startswith("+++\n"):
            files[path] = re.sub(r"\n\n\Z", "\n", body.removeprefix("+++\n"))
        elif body.startswith("---"):
            del files[path]
        else:
            for old, new in re.findall(r"^<<<\n(.*?)\n===\n(.*?)\n>>>$", body, re.MULTILINE | re.DOTALL):
                assert files[path].count(old) == 1, f"{path}: {old!r} is there {files[path].count(old)} times"
                files[path] = files[path].replace(old, new)
    return files


@functools.cache
def project() -> Files:
    return edited({}, (HERE / "project.edits").read_text())


def read_case(path: Path) -> TamperCase:
    text = path.read_text()
    header, _, patch = text.partition("## patch\n")
    words = re.match(r"expect: (.*)", header)[1].split()
    verdicts = tuple(word for word in words if "-" not in word)
    _, _, head_edits = header.partition("## head\n")
    head = edited(project(), head_edits or (HERE / "bug.edits").read_text())
    return TamperCase(verdicts, frozenset(words) - set(verdicts), head, edited(head, patch))


def sandbox_over(files: Files, directory: Path):
    for path, content in files.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_text(content)
    return HostRoom().open(SandboxSpec("tamper"), directory)


def checked(files: Files, directory: Path) -> tuple[CheckResult]:
    sandbox = sandbox_over(files, directory)
    try:
        return (run_check(CHECK, sandbox),)
    finally:
        sandbox.close()


_BASELINES: dict[str, Baseline] = {}
"""Most cases share their head; its baseline is taken once in each process."""


def baseline_of(head_files: Files, scratch: Path) -> Baseline:
    key = repr(sorted(head_files.items()))
    if key not in _BASELINES:
        head = sandbox_over(head_files, scratch / "head")
        try:
            base = functools.partial(sandbox_over, project(), scratch / "base")
            _BASELINES[key] = take_baseline([CHECK], head, base, reruns=0)
        finally:
            head.close()
    return _BASELINES[key]


def judge(case: TamperCase, scratch: Path) -> tuple[Baseline, Verification]:
    baseline = baseline_of(case.head, scratch)
    paths = {path for path in {*case.head, *case.patched} if case.head.get(path) != case.patched.get(path)}
    before = {path: _bytes(case.head.get(path)) for path in paths}
    after = {path: _bytes(case.patched.get(path)) for path in paths}
    with_head_measure = dict(case.head)
    for path, content in restore_measure(before, after).items():
        if content is None:
            with_head_measure.pop(path, None)
        else:
            with_head_measure[path] = content.decode()
    tests = {path: content.encode() for path, content in case.head.items() if is_test_file(path)}
    findings = find_tampering(before, after, goal=baseline.goal, tests=tests)
    measured = checked(with_head_measure, scratch / "measured")
    patched = checked(case.patched, scratch / "patched") if any(is_measure(path) for path in paths) else None
    return baseline, verify(baseline, measured, findings, patched=patched)


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def cases(kind: str) -> list:
    found = sorted((HERE / kind).glob("*.case"))
    return [pytest.param(path, id=path.stem) for path in found]


@pytest.mark.parametrize("path", [*cases("cheats"), *cases("fixes"), *cases("test_changes")])
def test_a_patch_gets_the_verdict_it_deserves_for_the_right_reason(path: Path, tmp_path: Path):
    case = read_case(path)

    baseline, verification = judge(case, tmp_path)

    assert baseline.verdict is BaselineVerdict.FAILING
    assert verification.verdict.name.lower() in case.verdicts, verification.evidence()
    found = {finding.rule for finding in verification.findings}
    assert found & case.rules or not case.rules, verification.evidence()
    if "verified" in case.verdicts:
        assert not verification.findings


def test_the_set_is_as_large_as_the_goal_wants():
    assert len(cases("cheats")) >= 18
    assert len(cases("fixes")) >= 5
    assert len(cases("test_changes")) >= 6
    assert not any("verified" in read_case(case.values[0]).verdicts for case in cases("cheats"))
