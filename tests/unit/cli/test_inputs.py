"""Every input is parsed and bounded, or refused with one line that names it."""

from decimal import Decimal

import pytest

from autofix.cli.inputs import INPUTS, read_inputs
from autofix.errors import UsageError


def read(**said: str):
    return read_inputs({f"INPUT_{name.upper().replace('_', '-')}": value for name, value in said.items()})


def test_nothing_said_leaves_everything_to_the_configuration():
    assert read_inputs({f"INPUT_{name.upper()}": "" for name in INPUTS}).overlay() == {}


def test_what_was_said_becomes_the_configuration_s_own_words():
    found = read(
        delivery="Suggest",
        budget_usd="0.50",
        max_turns="12",
        max_minutes="7.5",
        allowed_bots="dependabot[bot], renovate[bot]\n",
        sandbox="docker",
        network="none",
    )
    assert found.overlay() == {
        "delivery": "suggest",
        "limits": {"usd": Decimal("0.50"), "turns": 12, "minutes": 7.5},
        "admission": {"bots": ["dependabot[bot]", "renovate[bot]"]},
        "sandbox": {"room": "docker", "network": "none"},
    }


def test_checks_come_a_line_each_and_once():
    assert read(check=" pytest -q \n\nruff check .\npytest -q\n").checks == ("pytest -q", "ruff check .")


def test_a_shells_underscores_stand_for_hyphens():
    assert read_inputs({"INPUT_ANTHROPIC_API_KEY": "k"}).anthropic_api_key == "k"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pull_request", "#7"),
        ("pull_request", "-1"),
        ("pull_request", "9" * 20),
        ("pull_request", "٣"),
        ("delivery", "force-push"),
        ("stage", "both"),
        ("bundle_hash", "abc"),
        ("sandbox", "chroot"),
        ("budget_usd", "-1"),
        ("budget_usd", "NaN"),
        ("budget_usd", "Infinity"),
        ("budget_usd", "1e9"),
        ("max_turns", "1.5"),
        ("max_minutes", "0"),
        ("max_minutes", "1441"),
        ("mode", "yolo"),
        ("allowed_bots", "*"),
        ("allowed_bots", "dependabot[bot];rm"),
        ("working_directory", "/etc"),
        ("working_directory", "a/../../b"),
        ("follow_minutes", "soon"),
        ("fail_on_escalation", "yes"),
        ("anthropic_base_url", "file:///etc/passwd"),
        ("anthropic_base_url", "https://user@host"),
        ("anthropic_api_key", "two\nlines"),
        ("model", "a\x00b"),
        ("setup_command", "x" * 70_000),
        ("tokn", "x"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line_that_names_the_input(name, value):
    with pytest.raises(UsageError) as refused:
        read(**{name: value})
    assert repr(name.replace("_", "-")) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_refused_secret_is_not_repeated():
    with pytest.raises(UsageError) as refused:
        read(token="ghs_secret\nmore")
    assert "ghs_secret" not in str(refused.value)
