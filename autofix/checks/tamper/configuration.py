"""Configuration and hooks that change which tests run, how they are judged, or whether a failure counts."""

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.python_code import dotted, is_function, line_of

_VERDICT_HOOKS = frozenset(
    {"pytest_runtest_makereport", "pytest_runtest_call", "pytest_runtest_protocol", "pytest_pyfunc_call"}
    | {"pytest_runtest_logreport", "pytest_runtestloop", "pytest_report_teststatus", "pytest_exception_interact"}
    | {"pytest_collection_modifyitems", "pytest_ignore_collect", "pytest_collect_file", "pytest_pycollect_makeitem"}
    | {"pytest_itemcollected", "pytest_deselected", "pytest_sessionfinish", "pytest_cmdline_main", "pytest_collection"}
    | {"pytest_make_collect_report", "pytest_collectstart", "pytest_collectreport", "pytest_unconfigure"}
    | {
        "pytest_pycollect_makemodule",
        "pytest_cmdline_parse",
        "pytest_cmdline_preparse",
        "pytest_load_initial_conftests",
    }
    | {"pytest_collection_finish", "pytest_collect_directory", "pytest_runtest_setup", "pytest_runtest_teardown"}
)
"""Hooks that decide what is collected, what a test's outcome is, or how the session ends (pytest's reference)."""
_COLLECT_LISTS = frozenset({"collect_ignore", "collect_ignore_glob"})

_DESELECTING = re.compile(
    r"""
    --deselect | --ignore(-glob)?\b | --collect-only | --co\b | --lf\b | --last-failed | --sw\b
    | (?<![\w-])-k[\s=\"',] | -m[\s=\"',]+[\"']?not\b | -p[\s=\"',]*no: | --skip\b | --exclude-task | -DskipTests
    | -Dtest=!    | --passWithNoTests | testPathIgnorePatterns | --testNamePattern | --grep\b | --invert\b | --exclude\b
    | -run[\s=] | -skip[\s=] | --noconftest | --maxfail
    """,
    re.VERBOSE,
)
_IGNORING = re.compile(
    r"\|\|\s*(true|:|exit 0|echo)|;\s*(true|exit 0)\s*[\"']?,?\s*$|continue-on-error:\s*true"
    r"|\bset \+e\b|allow_failure:\s*true"
    r"|if:\s*(\$\{\{\s*)?false|--no-error|--exit-zero|--suppress-no-test-exit-code|ignore_outcome|ignore_errors"
    r"|--reruns\b|--only-rerun|PYTHONOPTIMIZE|python[\d.]* -O|-k\s*$"
    r"|^\t-\s*@?.*\b(pytest|python[\d.]*|test\w*|jest|vitest|npm|npx|go|cargo|mvn|gradle\w*|rspec|phpunit|ctest|make)\b"
    r"|^\s*(commands\s*=\s*)?-\s+(pytest|python)\b"
    r"|test\.failure\.ignore|testFailureIgnore|ignoreFailures|<skip(Tests)?>\s*true|maven\.test\.skip"
)
_NO_RUNNER = re.compile(r"""["']test["']\s*:\s*["']\s*(echo|true|:|exit 0|sleep|node -e)\b""")
_REWRITING = re.compile(
    r"""["'](pre|post)?test[\w:]*["']\s*:.*"""
    r"""(\s-u\b|--updateSnapshot|--update-snapshots|--update\b|--snapshot-update)"""
)
_SELECTING_KEYS = re.compile(
    r"""^\s*["']?(testpaths|python_files|python_functions|python_classes|norecursedirs|collect_ignore\w*|omit
    |fail_under|testMatch|testRegex|roots|xfail_strict|filterwarnings|markers|coverageThreshold|required_plugins
    |bail|spec|exclude|include|usefixtures|setupFiles\w*|retry\w*|passWithNoTests|testTimeout|globalSetup|reporters
    |testRunner|timeout|faulthandler_timeout|python_paths|pythonpath|junit_family)\b""",
    re.VERBOSE,
)
_TEST_SCRIPT = re.compile(r"""^\s*["'](pre|post)?test(:\w+)?["']\s*:""")


def changed_configuration(patch: PatchFiles) -> Iterator[Finding]:
    for file in patch.files:
        if file.new is not None:
            yield from _hooks(file)
        elif file.is_configuration and file.after is not None:
            yield from _settings(file)


def _hooks(file: ChangedFile) -> Iterator[Finding]:
    for node in file.added(lambda node: _hook_name(node).startswith("pytest_")):
        name = _hook_name(node)
        judging = name in _VERDICT_HOOKS
        severity = Severity.TAMPERING if judging else Severity.ASK
        message = f"the hook {name} can change {'what the tests say' if judging else 'how the tests run'}"
        yield Finding("hook-added", file.path, line_of(node), severity, message)
    for node in file.added(lambda node: isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", node)]
        names = {dotted(target) for target in targets}
        if names & _COLLECT_LISTS:
            message = "files are taken out of collection"
            yield Finding("tests-deselected", file.path, line_of(node), Severity.TAMPERING, message)
        elif "pytest_plugins" in names:
            message = "another plugin is loaded into the test run"
            yield Finding("hook-added", file.path, line_of(node), Severity.ASK, message)
    for node in file.added(lambda node: is_function(node) and _is_autouse(node)):
        assert is_function(node)
        message = f"the fixture {node.name} runs around every test unasked"
        yield Finding("autouse-fixture", file.path, node.lineno, Severity.ASK, message)


def _hook_name(node: ast.AST) -> str:
    """The hook a function is: by its name, or by the `specname` it is registered under."""
    if not is_function(node):
        return ""
    for decorator in node.decorator_list:
        for word in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if word.arg == "specname" and isinstance(word.value, ast.Constant):
                return str(word.value.value)
    return node.name


def _is_autouse(node: ast.AST) -> bool:
    return is_function(node) and any(
        word.arg == "autouse" and isinstance(word.value, ast.Constant) and bool(word.value.value)
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call)
        for word in decorator.keywords
    )


def _settings(file: ChangedFile) -> Iterator[Finding]:
    is_pipeline = (
        file.path.startswith((".github/", ".circleci/", ".gitlab")) or PurePosixPath(file.path).suffix == ".yml"
    )
    for line, text in file.added_lines:
        if text.lstrip().startswith(("#", ";", "//")):
            continue
        if match := _IGNORING.search(text):
            message = f"a failure no longer counts ({match[0].strip()})"
            yield Finding("failure-ignored", file.path, line, Severity.TAMPERING, message)
        elif match := _NO_RUNNER.search(text):
            message = f"the script that runs the tests runs none ({match[1]})"
            yield Finding("failure-ignored", file.path, line, Severity.TAMPERING, message)
        elif _REWRITING.search(text):
            message = "the tests' run rewrites the snapshots it compares with"
            yield Finding("failure-ignored", file.path, line, Severity.TAMPERING, message)
        elif match := _DESELECTING.search(text):
            message = f"tests are left out ({match[0].strip()})"
            yield Finding("tests-deselected", file.path, line, Severity.TAMPERING, message)
        elif (match := _SELECTING_KEYS.match(text)) and not is_pipeline:
            message = f"{match[1]} decides which tests run and what counts as a failure"
            yield Finding("selection-changed", file.path, line, Severity.ASK, message)
        elif _TEST_SCRIPT.match(text):
            message = "the script that runs the tests is changed"
            yield Finding("selection-changed", file.path, line, Severity.ASK, message)
