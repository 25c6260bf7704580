"""Any change of tests, their data or the checks' configuration: not wrong in itself, but a person's to accept."""

from collections.abc import Iterator

from autofix.checks.finding import Finding, Severity
from autofix.checks.measure import is_dependency_manifest, shadows_runner
from autofix.checks.tamper.patch import ChangedFile, PatchFiles

_CODE = (".py", ".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".go", ".rs", ".java", ".kt", ".rb", ".php", ".cs", ".c")


def touched_measure(patch: PatchFiles) -> Iterator[Finding]:
    for file in patch.files:
        found = _touched(file)
        if found is not None:
            yield found


def _touched(file: ChangedFile) -> Finding | None:
    how = "adds" if file.before is None else "deletes" if file.after is None else "changes"
    if file.before is None and (shadows_runner(file.path) or file.path.endswith(_RUN_UNASKED)):
        message = "adds a module that Python loads into the test runner, or in its place"
        return Finding("runner-shadowed", file.path, None, Severity.TAMPERING, message)
    if file.is_configuration:
        message = f"the patch {how} configuration that decides what the checks run"
        return Finding("configuration-changed", file.path, None, Severity.ASK, message)
    if is_dependency_manifest(file.path):
        message = f"the patch {how} what is installed for the tests"
        return Finding("dependencies-changed", file.path, None, Severity.ASK, message)
    if not file.is_test:
        return None
    if file.path.endswith(_CODE) or "." not in file.path.rpartition("/")[2]:
        return Finding("tests-changed", file.path, None, Severity.ASK, f"the patch {how} tests")
    message = f"the patch {how} data that tests compare with"
    return Finding("expected-data-changed", file.path, None, Severity.ASK, message)


_RUN_UNASKED = ("sitecustomize.py", "usercustomize.py", ".pth")
