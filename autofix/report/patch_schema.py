"""The published shape of `autofix verify --json` (JSON Schema 2020-12). `report/patch_verdict.py` writes it.

Within a version fields are only added, so a reader must let pass what it does not know: nothing here forbids more.
"""

from autofix.checks.finding import Severity
from autofix.report.patch_verdict import SCHEMA_VERSION, PatchVerdict
from autofix.report.schema_words import DIALECT, Schema, a_list, an_object, of, or_null

_TEXT, _COUNT = of("string"), of("integer", minimum=0)
_CASE = an_object({"check": of("string", "The check's name."), "case": of("string", "The test's id; untrusted text.")})
_FAILING = an_object({"check": _TEXT, "case": _TEXT, "message": of("string", "One line; untrusted text.")})
_CHECK = an_object({"name": _TEXT, "command": _TEXT, "runner": _TEXT, "directory": _TEXT})
_FINDING = an_object(
    {
        "rule": of("string", "The rule's id, such as assertions-removed."),
        "severity": of("string", enum=[severity.value for severity in Severity]),
        "path": of("string", "The file; empty where the runs gave it away."),
        "line": or_null(of("integer", "Counted from 1, in the patched file; null for the whole file.", minimum=1)),
        "message": of("string", "One line that says what and why it matters; may quote untrusted names."),
    }
)


def _cases(told: str) -> Schema:
    return a_list(_CASE, told)


def _failing(told: str) -> Schema:
    return or_null(a_list(_FAILING, told))


SCHEMA: Schema = {
    "$schema": DIALECT,
    "title": f"autofix verify, version {SCHEMA_VERSION}",
    **an_object(
        {
            "schema_version": of("integer", const=SCHEMA_VERSION),
            "autofix": of("string", "The version that wrote it."),
            "verdict": of("string", enum=[verdict.value for verdict in PatchVerdict]),
            "reason": of("string", "One line; may quote untrusted text."),
            "head": of("string", "The commit the patch was judged on."),
            "base": or_null(of("string", "The merge base; null where no --base was named.")),
            "sandbox": of("string", enum=["docker", "bubblewrap", "host"]),
            "checks": a_list(_CHECK, "What was run."),
            "files": a_list(_TEXT, "What the patch changes; empty where it is invalid."),
            "changed_lines": or_null(_COUNT),
            "failing_before": _failing("At the head; null where nothing was run."),
            "failing_after": _failing("With the patch's code and the head's own tests; null where it was not run."),
            "failing_after_with_patched_tests": _failing(
                "With the whole patch; null where it changes no test and no configuration of the checks."
            ),
            "flaky": _cases("Failed, then passed on the same tree: not held against the patch."),
            "preexisting": _cases("Fail at the merge base, too: not held against the patch."),
            "order_dependent": _cases("Of what is to be fixed: pass alone, fail in company."),
            "unsteady": _cases("Of what is to be fixed: have been seen to pass without a fix."),
            "fixed": _cases("Failed at the head and pass now."),
            "still_failing": _cases("Failed at the head and do not pass now."),
            "newly_failing": _cases("Fail now and did not at the head."),
            "lost": _cases("Ran at the head and do not run now."),
            "newly_skipped": _cases("Ran at the head and are skipped or expected to fail now."),
            "disagreeing": _cases("Fail with the head's own tests and not with those of the patch."),
            "findings": a_list(_FINDING, "What the tampering rules found."),
            "notes": a_list(_TEXT, "What was odd; may quote untrusted text."),
        }
    ),
}
