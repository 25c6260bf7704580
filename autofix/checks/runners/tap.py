"""Whatever prints TAP: Perl's prove (whose files are dumped by its own variable), bats, and any other by its name."""

import re
from collections.abc import Collection
from dataclasses import replace

from autofix.checks.reports.junit import SUITE_SEPARATOR, JUnitCase
from autofix.checks.reports.junit_cases import junit_picture
from autofix.checks.reports.places import below
from autofix.checks.reports.tap import FILE_MARK, tap_cases
from autofix.checks.result import Case, Check, NotRun, Outcome
from autofix.checks.runners.runner import Invocation, Left, Picture, ProjectFiles
from autofix.checks.runners.simple import Detection, SimpleRunner, captured, in_words, with_arguments

_BATS = frozenset({"bats"})
_BEGUN = re.compile(r"^begin \d+ ")
_WRITTEN = """for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  grep -q '</testsuites>' {place}/*.xml && break
  sleep 0.1
done"""
"""bats may end before what writes its report does: two seconds are left to it."""


def _prove_ways(check: Check, report: str) -> tuple[Invocation, ...]:
    dump = f"{report}.d"
    script = f"""mkdir -p {dump}
(
{check.command}
)
code=$?
(cd {dump} && find . -type f | LC_ALL=C sort | while IFS= read -r file; do
  printf '{FILE_MARK}%s\\n' "${{file#./}}"
  cat "$file"
  echo
done) > {report}
exit $code"""
    return (Invocation(script, {"PERL_TEST_HARNESS_DUMP_TAP": dump}),)


def _bats_ways(check: Check, report: str) -> tuple[Invocation, ...]:
    """JUnit XML names the files, which TAP does not; bats before 1.2 knows only the latter."""
    place = f"{report}.d"
    options = f"--report-formatter junit --output {place}"
    asked = with_arguments(check.command, _BATS, options, after="program")
    taken = f"{_WRITTEN.format(place=place)}\nmv {place}/*.xml {report}"
    script = f"mkdir -p {place}\n(\n{asked}\n)\ncode=$?\n{taken}\nexit $code"
    plain = Invocation(captured(check.command, report))
    return (Invocation(script), plain) if asked else (plain,)


def _tap_ways(check: Check, report: str) -> tuple[Invocation, ...]:
    return (Invocation(captured(check.command, report)),)


def _found_prove(files: ProjectFiles) -> Detection:
    test = min((path for path in files.paths if path.startswith("t/") and path.endswith(".t")), default=None)
    return ("prove -lr t", f"{test} is there") if test else None


def _found_bats(files: ProjectFiles) -> Detection:
    test = min((path for path in files.paths if path.endswith(".bats")), default=None)
    if test is None:
        return None
    directory = test.rpartition("/")[0] or "."
    return f"bats --recursive {directory}", f"{test} is there"


def parse(left: Left) -> Picture:
    if left.report is None:
        return Picture((), report=False)
    cases = tap_cases(left.report)
    nothing = left.exit_code == 0 and not cases
    return Picture(cases, report=bool(cases), not_run=NotRun.NOTHING_COLLECTED if nothing else None)


def parse_bats(left: Left) -> Picture:
    if left.report is not None and left.report.lstrip().startswith(b"<"):
        picture = junit_picture(left, _bats_id)
        cases = (case._replace(outcome=Outcome.ERROR) if _is_a_file(case) else case for case in picture.cases)
        return replace(picture, cases=tuple(cases))
    if left.report is None and "report-formatter" in left.output and left.exit_code:
        return Picture((), report=False, not_run=NotRun.USAGE)
    return parse(left)


def _is_a_file(case: Case) -> bool:
    return case.outcome.failing and SUITE_SEPARATOR not in case.id


def _bats_id(raw: JUnitCase) -> str:
    """A file whose `setup_file` failed is a case without a name; after it bats 1.8 says "begin 2" before the next."""
    path = below("", raw.classname) or raw.classname
    name = _BEGUN.sub("", raw.name)
    return f"{path}{SUITE_SEPARATOR}{name}" if name else path


def _bats_words(_command: str, output: str, known: Collection[str]) -> Picture:
    """TAP, which does not name the files: a description that two of them have is nobody's."""
    ids: dict[str, list[str]] = {}
    for id_ in known:
        ids.setdefault(id_.partition(SUITE_SEPARATOR)[2], []).append(id_)
    named = ((case, ids.get(case.id, [])) for case in tap_cases(output.encode()))
    return Picture(tuple(case._replace(id=mine[0]) for case, mine in named if len(mine) == 1), report=True)


PROVE = SimpleRunner(frozenset({"prove"}), parse, _prove_ways, found=_found_prove)
BATS = SimpleRunner(_BATS, parse_bats, _bats_ways, found=_found_bats, spoken=_bats_words)
TAP = SimpleRunner(frozenset({"tap", "tape"}), parse, _tap_ways, spoken=in_words(parse))
