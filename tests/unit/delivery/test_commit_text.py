from autofix.delivery.commit_text import commit_text
from autofix.intake.own_marks import AUTHOR_EMAIL, is_own_commit, trailers
from autofix.ports.github import CommitSummary


def message(text):
    return f"{text.subject}\n\n{text.body}"


def test_a_commit_says_what_was_fixed_in_numbers_and_names_its_run():
    text = commit_text("20260101-000000-abcdef", before=3, after=0, files=2, spent="runs=1 usd=0.02")
    assert text.subject == "Fix 3 failing tests"
    assert "Changes 2 files" in text.body
    assert trailers(message(text)) == {
        "Autofix-Run": "20260101-000000-abcdef",
        "Autofix-Failing": "3 -> 0",
        "Autofix-Spent": "runs=1 usd=0.02",
    }


def test_our_own_commit_is_known_again():
    text = commit_text("r", before=1, after=0, files=1)
    assert (text.subject, text.author_email) == ("Fix 1 failing test", AUTHOR_EMAIL)
    assert is_own_commit(CommitSummary("a" * 40, message(text), text.author_name, text.author_email, None))


def test_however_many_tests_failed_the_subject_fits_a_line():
    assert len(commit_text("r", before=10**9, after=0, files=1).subject) <= 72
