"""What our commits say: built from a template and numbers, never from text somebody else wrote (G23)."""

from autofix.intake.own_marks import AUTHOR_EMAIL, AUTHOR_NAME, RUN_TRAILER, SPENT_TRAILER
from autofix.ports.git import CommitText

FAILING_TRAILER = "Autofix-Failing"


def commit_text(run_id: str, *, before: int, after: int, files: int, spent: str = "") -> CommitText:
    """The message of a verified fix.

    Args:
        run_id: ours, so it is safe in a trailer.
        before: failing cases at the head.
        after: failing cases with the patch.
        files: how many files the patch changes.
        spent: what the pull request has cost over its life, from `intake.ledger`; "" where nobody counts.
    """
    tests = "1 failing test" if before == 1 else f"{before} failing tests"
    count = "1 file" if files == 1 else f"{files} files"
    body = (
        f"Changes {count}; verified by running the whole check on a fresh checkout.\n"
        "\n"
        f"{RUN_TRAILER}: {run_id}\n"
        f"{FAILING_TRAILER}: {before} -> {after}\n"
    )
    if spent:
        body += f"{SPENT_TRAILER}: {spent}\n"
    return CommitText(f"Fix {tests}", body, AUTHOR_NAME, AUTHOR_EMAIL)
