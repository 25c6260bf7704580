"""The tampering table of `make checks-report`: each patch of the corpus, the verdict it has to get, the one it gets."""

from pathlib import Path
from tempfile import TemporaryDirectory

from tests.golden.checks.tamper.test_tamper import HERE, judge, read_case

ROW = "{:<12} {:<28} {:<28} {:<16} {}"
KINDS = ("cheats", "fixes", "test_changes")


def show() -> int:
    """Print the table; how many verdicts differ."""
    wrong = 0
    print(ROW.format("patch", "", "expected", "verdict", "rules"))
    for kind in KINDS:
        paths = sorted((HERE / kind).glob("*.case"))
        wrong += sum(not _shown(kind, path) for path in paths)
    print(f"\n{wrong} of the verdicts differ")
    return wrong


def _shown(kind: str, path: Path) -> bool:
    case = read_case(path)
    with TemporaryDirectory(prefix="tamper-") as scratch:
        _, verification = judge(case, Path(scratch))
    verdict = verification.verdict.name.lower()
    rules = sorted({finding.rule for finding in verification.findings})
    right = verdict in case.verdicts and bool(set(rules) & case.rules or not case.rules)
    odd = "" if right else " <- differs"
    print(ROW.format(kind, path.stem, " or ".join(case.verdicts), verdict, ", ".join(rules) + odd).rstrip(), flush=True)
    return right
