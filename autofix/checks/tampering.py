"""Does a patch weaken the measure, or make the code behave otherwise under test? Findings, by static rules.

The rules look at the patch alone and never run it; what a run gives away (tests lost, no report) is `verify`'s. They
are a second line: verification runs the head's own tests whatever the rules say.
"""

from collections.abc import Callable, Collection, Iterator, Mapping

from autofix.checks.finding import Finding, Severity, TestsEdit
from autofix.checks.result import CaseKey
from autofix.checks.tamper.answer_tables import answer_tables
from autofix.checks.tamper.assertions import weakened_assertions
from autofix.checks.tamper.awareness import test_awareness
from autofix.checks.tamper.case_classes import changed_test_classes
from autofix.checks.tamper.configuration import changed_configuration
from autofix.checks.tamper.counting import counted_calls
from autofix.checks.tamper.derived_numbers import derived_numbers
from autofix.checks.tamper.doubles import recognised_doubles
from autofix.checks.tamper.equality import universal_operators
from autofix.checks.tamper.exits import early_exits
from autofix.checks.tamper.lenient_values import lenient_values
from autofix.checks.tamper.literal_answers import literal_answers
from autofix.checks.tamper.measure_touched import touched_measure
from autofix.checks.tamper.never_run import tests_that_never_run
from autofix.checks.tamper.other_languages import weakened_elsewhere
from autofix.checks.tamper.parameters import shortened_parameters
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.patching import patched_names
from autofix.checks.tamper.recognition import recognised_cases
from autofix.checks.tamper.removed_tests import removed_tests
from autofix.checks.tamper.skips import added_skips
from autofix.checks.tamper.smuggled_files import smuggled_files
from autofix.checks.tamper.special_cases import special_cases
from autofix.checks.tamper.suppressions import added_suppressions
from autofix.checks.tamper.swallowed import swallowed_errors

Rule = Callable[[PatchFiles], Iterator[Finding]]

RULES: tuple[Rule, ...] = (
    removed_tests,
    added_skips,
    weakened_assertions,
    tests_that_never_run,
    shortened_parameters,
    changed_test_classes,
    patched_names,
    changed_configuration,
    early_exits,
    test_awareness,
    universal_operators,
    special_cases,
    answer_tables,
    derived_numbers,
    recognised_cases,
    counted_calls,
    recognised_doubles,
    lenient_values,
    smuggled_files,
    swallowed_errors,
    added_suppressions,
    weakened_elsewhere,
    literal_answers,
    touched_measure,
)


def find_tampering(
    before: Mapping[str, bytes | None],
    after: Mapping[str, bytes | None],
    tests_edit: TestsEdit = "ask",
    goal: Collection[CaseKey] = (),
    *,
    tests: Mapping[str, bytes] | None = None,
) -> tuple[Finding, ...]:
    """Every rule's findings on a patch, by path and line.

    Args:
        before: the head's contents of the files the patch changes; None (or no entry) where the head has none.
        after: the patch's contents; None deletes.
        tests_edit: with "deny" a change of the measure that is only asked about otherwise counts as tampering.
        goal: what the patch is to mend; rules may be stricter where it is touched.
        tests: the head's test files (at least those of the goal), so that hard-coded expected values are seen.
    """
    changed = tuple(
        ChangedFile(path, before.get(path), content)
        for path, content in sorted(after.items())
        if before.get(path) != content
    )
    patch = PatchFiles(changed, tests or {}, goal)
    found = dict.fromkeys(finding for rule in RULES for finding in rule(patch))
    if tests_edit == "deny":
        measure = {file.path for file in changed if not file.is_code}
        found = dict.fromkeys(_denied(finding) if finding.path in measure else finding for finding in found)
    return tuple(sorted(found, key=lambda finding: (finding.path, finding.line or 0, finding.rule)))


def _denied(finding: Finding) -> Finding:
    return Finding(finding.rule, finding.path, finding.line, Severity.TAMPERING, finding.message)
