"""`make checks-report`: each runner's real program on its small failing project, and each patch of the tampering corpus.

Prints runner x (expected, parsed), patch x (expected, verdict) and what differs; ends with 1 where anything differs.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from autofix.checks.result import Check
from autofix.checks.run import run_check
from autofix.checks.runners import RUNNERS
from autofix.ports.sandbox import SandboxSpec
from autofix.world.host_sandbox import HostRoom
from tests.contract.runner_projects import PROJECTS, Project, why_not_here
from tests.golden.checks.tamper.table import show

ROW = "{:<10} {:>8} {:>7} {:>7} {:>8} {:>8}  {}"


def parsed(project: Project, tree: Path) -> dict[str, str]:
    for path, content in project.files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(content)
    sandbox = HostRoom().open(SandboxSpec("checks-report"), tree)
    try:
        environment = dict(project.environment())
        result = run_check(
            Check("check", project.command, project.runner, timeout=100, environment=environment), sandbox
        )
    finally:
        sandbox.close()
    return {id_: case.outcome.value for id_, case in result.cases.items()}


def failing(outcomes: dict[str, str]) -> int:
    return sum(outcome in {"failed", "error"} for outcome in outcomes.values())


def main() -> int:
    wrong = skipped = 0
    print(ROW.format("runner", "expected", "parsed", "right", "failing", "parsed", ""))
    for project in PROJECTS:
        why = why_not_here(project)
        if why is not None:
            skipped += 1
            print(ROW.format(project.runner, len(project.truth), "-", "-", "-", "-", f"not run: {why}"))
            continue
        with TemporaryDirectory(prefix="checks-report-") as tree:
            found = parsed(project, Path(tree))
        truth = dict(project.truth)
        right = len(truth.items() & found.items())
        odd = sorted({id_ for id_, _ in truth.items() ^ found.items()})
        wrong += bool(odd)
        print(
            ROW.format(
                project.runner,
                len(truth),
                len(found),
                right,
                failing(truth),
                failing(found),
                f"differs: {odd}" if odd else "",
            ).rstrip()
        )
    by_golden = sorted(RUNNERS.keys() - {project.runner for project in PROJECTS} - {"exit-code"})
    print(
        f"\n{len(PROJECTS) - skipped} runners run, {wrong} differ, {skipped} not here; by documented format: {', '.join(by_golden)}"
    )
    print()
    return int(wrong + show() > 0)


if __name__ == "__main__":
    sys.exit(main())
