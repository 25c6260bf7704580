"""What a pull request has cost survives an edited comment, a deleted one, and a forged one."""

import base64
import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from autofix.intake.ledger import Ledger, RunRecord, decode, encode, from_commits, merged, spent_trailer
from autofix.intake.own_marks import AUTHOR_EMAIL
from autofix.ports.github import CommitSummary

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def record(id_: str, usd: str = "0.25", hours: int = 0) -> RunRecord:
    return RunRecord(id_, "a" * 40, NOW - timedelta(hours=hours), Decimal(usd))


def commit(*trailers: str, email: str = AUTHOR_EMAIL, subject: str = "Fix the parser") -> CommitSummary:
    message = "\n\n".join([subject, "Failing: 3 -> 0", "\n".join(trailers)]) if trailers else subject
    return CommitSummary("c" * 40, message, "autofix[bot]", email, NOW)


def test_a_run_counts_once_however_often_it_is_written_down():
    ledger = Ledger().with_run(record("1", "0.10")).with_run(record("1", "0.40")).with_run(record("2", "0.10"))
    assert (ledger.runs, ledger.usd) == (2, Decimal("0.50"))


def test_the_comment_gives_back_what_was_hidden_in_it():
    ledger = Ledger().with_run(record("1")).with_run(record("2", "1.125"))
    assert decode(f"Hello\n{encode(ledger)}\nworld") == ledger


def test_what_is_hidden_ends_no_html_comment_early():
    for count in range(1, 40):
        hidden = encode(Ledger().with_run(record("x" * count)))
        assert hidden.count("--") == 2
        assert hidden.endswith("-->")


def test_only_the_latest_runs_are_listed_and_the_totals_keep_the_rest():
    ledger = Ledger()
    for number in range(50):
        ledger = ledger.with_run(record(str(number), "0.1"))
    assert (ledger.runs, ledger.usd, len(ledger.recent)) == (50, Decimal("5.0"), 20)
    assert len(encode(ledger)) < 8000


def _hidden(data: object) -> str:
    return f"<!-- autofix:ledger:1 {base64.b32encode(json.dumps(data).encode()).decode()} -->"


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<!-- autofix:ledger:1 AAAA -->",
        "<!-- autofix:ledger:1 !!!! -->",
        "<!-- autofix:ledger:2 AAAA -->",
        _hidden([]),
        _hidden({"runs": "many", "usd": "0", "recent": []}),
        _hidden({"runs": 1, "usd": "NaN", "recent": []}),
        _hidden({"runs": 1, "usd": "-5", "recent": []}),
        _hidden({"runs": 1, "usd": "Infinity", "recent": []}),
        _hidden({"runs": 1, "usd": "ten", "recent": []}),
        _hidden({"runs": 1, "usd": "1", "recent": [{"id": "1"}]}),
        _hidden({"runs": 1, "usd": "1", "recent": [{"id": "1", "head": "a", "at": "never", "usd": "1"}]}),
    ],
)
def test_a_damaged_ledger_is_none(body):
    assert decode(body) is None


def test_our_commits_tell_what_a_deleted_comment_told():
    commits = [
        commit(subject="Someone's work", email="ada@example.org"),
        commit("Autofix-Run: r1", "Autofix-Spent: runs=1 usd=0.2500"),
        commit("Autofix-Run: r4", "Autofix-Spent: runs=4 usd=3.5000", "Autofix-Failing: 3 -> 0"),
    ]
    ledger = from_commits(commits)
    assert (ledger.runs, ledger.usd) == (4, Decimal("3.5000"))
    assert ledger.runs_since(NOW - timedelta(hours=1)) == 2


def test_a_commit_of_ours_without_the_total_counts_as_a_run():
    assert from_commits([commit("Autofix-Run: r1"), commit("Autofix-Run: r2")]).runs == 2


@pytest.mark.parametrize(
    "odd",
    [
        commit("Autofix-Run: r1", "Autofix-Spent: runs=999999999 usd=0"),
        commit("Autofix-Run: r1", "Autofix-Spent: runs=1 usd=-1"),
        commit("Autofix-Run: r1", "Autofix-Spent: nonsense"),
    ],
)
def test_a_total_that_is_none_leaves_the_count_of_commits(odd):
    ledger = from_commits([odd])
    assert (ledger.runs, ledger.usd) == (1, Decimal(0))


def test_others_commits_count_for_nothing():
    assert from_commits([commit("Autofix-Run: r1", "Autofix-Spent: runs=9 usd=9", email="ada@example.org")]) == Ledger()


def test_of_two_accounts_the_larger_counts():
    comment = Ledger().with_run(record("1", "0.5", hours=1))
    commits = from_commits([commit("Autofix-Run: 2", "Autofix-Spent: runs=5 usd=0.2")])
    both = merged(comment, commits)
    assert (both.runs, both.usd) == (5, Decimal("0.5"))
    assert [run.id for run in both.recent] == ["1", "2"]


def test_a_run_both_know_is_told_as_the_comment_tells_it():
    comment = Ledger().with_run(record("1", "0.5"))
    commits = from_commits([commit("Autofix-Run: 1")])
    assert merged(comment, commits) == comment


def test_the_trailer_carries_the_totals():
    ledger = Ledger().with_run(record("1", "0.125"))
    assert spent_trailer(ledger) == "runs=1 usd=0.1250"
    assert from_commits([commit("Autofix-Run: 1", f"Autofix-Spent: {spent_trailer(ledger)}")]).usd == ledger.usd
