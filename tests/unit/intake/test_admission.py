"""Who may start a run (G1), how often (G33), and what it may push."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from autofix.intake.admission import AdmissionFacts, AdmissionPolicy, Admitted, admit, people_to_ask_about
from autofix.intake.ledger import Ledger, RunRecord
from autofix.intake.trigger import Skipped, Trigger
from autofix.ports.github_names import Account, Permission
from tests.fakes.pulls import FORK, HEAD, NEXT, NOW, command, dispatched, failure, pull

PERMISSIONS = {
    "ada": Permission.WRITE,
    "bob": Permission.ADMIN,
    "eve": Permission.READ,
    "mallory": Permission.NONE,
}
FORKED = pull(head_repository=FORK, author=Account("eve"))
DEPENDABOT = Account("dependabot[bot]", is_bot=True)


def facts(**changes: Any) -> AdmissionFacts:
    base = AdmissionFacts(pull(), PERMISSIONS, Ledger(), NOW, default_branch="main")
    return replace(base, **changes)


def decide(trigger: Trigger, policy: AdmissionPolicy | None = None, **changes: Any) -> Admitted | Skipped:
    return admit(trigger, facts(**changes), policy or AdmissionPolicy())


def reason(trigger: Trigger, policy: AdmissionPolicy | None = None, **changes: Any) -> str:
    decision = decide(trigger, policy, **changes)
    assert isinstance(decision, Skipped), decision
    return decision.reason


LISTED = AdmissionPolicy(bots={"dependabot[bot]"})

WHO = [
    ("a writer's pull request, a writer's run", failure("ada"), {}, None, True),
    ("an admin re-ran it", failure("ada", "bob"), {}, None, True),
    ("a reader wrote the pull request", failure("ada"), {"pull": pull(author=Account("eve"))}, None, False),
    ("a reader's run", failure("eve"), {}, None, False),
    ("a reader re-ran a writer's run", failure("ada", "eve"), {}, None, False),
    ("an outsider's run", failure("mallory"), {}, None, False),
    ("someone the API does not know", failure("nobody"), {}, None, False),
    ("a fork", failure("ada"), {"pull": pull(head_repository=FORK)}, None, False),
    ("a deleted fork", failure("ada"), {"pull": pull(head_repository=None)}, None, False),
    ("a fork, dispatched by number", dispatched("ada"), {"pull": FORKED}, None, False),
    ("a fork, asked for by a writer", command("/autofix run", "ada"), {"pull": FORKED}, None, True),
    ("a fork, asked for by its author", command("/autofix run", "eve"), {"pull": FORKED}, None, False),
    ("a deleted fork, asked for", command("/autofix run"), {"pull": pull(head_repository=None)}, None, False),
    ("a bot nobody listed", failure("dependabot[bot]"), {"pull": pull(author=DEPENDABOT)}, None, False),
    ("a listed bot", failure("dependabot[bot]"), {"pull": pull(author=DEPENDABOT)}, LISTED, True),
    ("a listed bot's pull request, a reader's run", failure("eve"), {"pull": pull(author=DEPENDABOT)}, LISTED, False),
    ("a login like a listed bot's, but for its case", failure("Dependabot[bot]"), {}, LISTED, False),
    (
        "a bot whose login a permission bears",
        failure("x[bot]"),
        {"permissions": {"x[bot]": Permission.ADMIN}},
        None,
        False,
    ),
    ("nobody at all", replace(failure("ada"), actors=()), {}, None, False),
    ("a writer's dispatch", dispatched("ada"), {}, None, True),
    ("a reader's dispatch", dispatched("eve"), {}, None, False),
    (
        "a writer's command on a reader's branch",
        command("/autofix run"),
        {"pull": pull(author=Account("eve"))},
        None,
        True,
    ),
]


@pytest.mark.parametrize(
    ("trigger", "changes", "policy", "goes_on"), [row[1:] for row in WHO], ids=[row[0] for row in WHO]
)
def test_only_people_with_write_access_start_a_run(trigger, changes, policy, goes_on):
    assert isinstance(decide(trigger, policy, **changes), Admitted) == goes_on


def test_a_refusal_names_who_lacks_what():
    assert reason(failure("ada", "eve")) == "eve has no write access to this repository"
    assert reason(failure("x[bot]")) == "x[bot] is a bot that the configuration does not list"


def test_a_forks_run_never_pushes():
    decision = decide(command("/autofix run"), pull=FORKED)
    assert isinstance(decision, Admitted)
    assert "fork" in decision.no_push


def test_a_pull_request_from_the_default_branch_is_never_pushed_to():
    decision = decide(failure(), pull=pull(head_branch="main", base_branch="release"))
    assert isinstance(decision, Admitted)
    assert "default branch" in decision.no_push


def test_a_plain_pull_request_may_be_pushed_to():
    assert decide(failure()) == Admitted()


def test_a_closed_pull_request_is_skipped():
    assert reason(failure(), pull=pull(open=False)) == "#7 is closed"


def test_a_draft_waits_until_it_is_asked_for():
    draft = pull(draft=True)
    assert "draft" in reason(failure(), pull=draft)
    assert isinstance(decide(command("/autofix run"), pull=draft), Admitted)
    assert isinstance(decide(failure(), AdmissionPolicy(drafts=True), pull=draft), Admitted)


def test_our_own_commit_starts_no_run_but_a_person_can_ask_for_one():
    assert "autofix's own" in reason(failure(), own_head=True)
    assert isinstance(decide(command("/autofix run"), own_head=True), Admitted)


def test_dependabots_empty_secret_is_skipped_with_the_place_where_to_set_it():
    said = reason(
        failure("dependabot[bot]"), LISTED, pull=pull(author=DEPENDABOT), missing_secrets=("anthropic-api-key",)
    )
    assert "anthropic-api-key is empty" in said
    assert "Dependabot secrets" in said


def test_a_forks_empty_secret_says_that_forks_get_none():
    assert "gives no secrets to a fork" in reason(failure(), pull=FORKED, missing_secrets=("anthropic-api-key",))


def test_anyone_elses_empty_secret_says_to_set_it():
    assert "set it as a secret" in reason(failure(), missing_secrets=("anthropic-api-key",))


@pytest.mark.parametrize("text", ["/autofix explain", "/autofix stop", "/autofix approve a1", "/autofix remember x"])
def test_commands_that_answer_a_run_start_none(text):
    assert "start no run" in reason(command(text))


@pytest.mark.parametrize("text", ["/autofix run", "/autofix retry", "/autofix explain\n/autofix run"])
def test_commands_that_start_a_run_do(text):
    assert isinstance(decide(command(text)), Admitted)


def record(id_: str, *, head: str = NEXT, hours: float = 1, usd: str = "0.5") -> RunRecord:
    return RunRecord(id_, head, NOW - timedelta(hours=hours), Decimal(usd))


def ledger(*records: RunRecord) -> Ledger:
    made = Ledger()
    for one in records:
        made = made.with_run(one)
    return made


def test_one_head_is_worked_on_once_unless_a_person_asks_again():
    spent = ledger(record("1", head=HEAD))
    assert "already worked on aaaaaaaa" in reason(failure(), ledger=spent)
    assert isinstance(decide(command("/autofix retry"), ledger=spent), Admitted)


def test_three_runs_a_day_are_the_limit_also_for_commands():
    spent = ledger(record("1"), record("2"), record("3"))
    for trigger in (failure(), command("/autofix run")):
        assert "3 runs of the day" in reason(trigger, ledger=spent)


def test_yesterdays_runs_do_not_count_for_today():
    assert isinstance(decide(failure(), ledger=ledger(*(record(str(n), hours=24.1) for n in range(3)))), Admitted)


def test_a_pull_request_has_a_number_of_runs_in_its_life():
    assert "had its 10 runs" in reason(failure(), ledger=replace(ledger(record("1", hours=99)), runs=10))


def test_a_pull_request_has_an_amount_of_money_in_its_life():
    spent = ledger(record("1", hours=99, usd="10.00"))
    assert "10.00 USD of the 10.00" in reason(failure(), ledger=spent)
    assert isinstance(decide(failure(), AdmissionPolicy(usd_per_pull=Decimal(0)), ledger=spent), Admitted)


def test_only_peoples_permissions_are_asked_for():
    trigger = failure("ada", "dependabot[bot]", "bob")
    assert people_to_ask_about(trigger, pull(author=DEPENDABOT), LISTED) == ("ada", "bob")
