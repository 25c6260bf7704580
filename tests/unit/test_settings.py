from decimal import Decimal

import pytest

from autofix.errors import UsageError
from autofix.settings import parse_settings


def test_without_a_file_the_defaults_are_safe_for_a_job_nobody_watches():
    settings = parse_settings(None, {})
    assert (settings.limits.turns, settings.limits.usd, settings.limits.minutes) == (40, Decimal(2), 20)
    assert settings.model.name == "claude-sonnet-5"
    assert settings.tests.edit == "ask"
    assert settings.sandbox.network == "none"


def test_the_caller_s_words_lie_over_the_file():
    file = b'[limits]\nturns = 7\nusd = 1.5\n[[checks]]\nname = "unit"\ncommand = "pytest -q"\n'
    settings = parse_settings(file, {"limits": {"turns": 3}})
    assert settings.limits.turns == 3
    assert settings.limits.usd == Decimal("1.5")
    assert settings.checks[0].command == "pytest -q"


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (b"[limts]\nturns = 3", ".github/autofix.toml: unknown key 'limts'; did you mean 'limits'?"),
        (b"[limits]\nturn = 3", ".github/autofix.toml: unknown key 'limits.turn'; did you mean 'turns'?"),
        (b'[[checks]]\nname = "a"\ncommnd = "x"', "unknown key 'checks.0.commnd'; did you mean 'command'?"),
        (b"[prices.mine]\ninput = 1\noutput = 2\ncash-read = 1", "did you mean 'cache-read'?"),
        (b"[limits]\nzzz = 1", "known here: turns, usd, minutes"),
        (b"[limits]\nturns = -3", "limits.turns: input should be greater than 0"),
        (b"[limits]\nturns = 2.5", "limits.turns"),
        (b'delivery = "pusj"', "delivery: input should be 'push', 'suggest', 'pull-request', 'patch' or 'dry-run'"),
        (b'[[checks]]\nname = "a"\ncommand = ""', "checks.0.command"),
        (b'[[checks]]\nname="a"\ncommand="x"\n[[checks]]\nname="a"\ncommand="y"', "two checks are called 'a'"),
        (b'[model]\nbase-url = "http://evil"', "unknown key 'model.base-url'"),
        (b'[gate]\nmode = "yolo"', "gate.mode"),
        (b'[[checks]]\nname = "a"\ncommand = "x"\ndirectory = "../.."', "'../..' leaves the repository"),
        (b'[[checks]]\nname = "a"\ncommand = "x"\nreport = {format = "tap", pattern = "x"}', "a pattern belongs to"),
        (b'[[checks]]\nname = "a"\ncommand = "x"\nrunner = "go"\nreport = {format = "tap"}', "a runner or a report"),
        (b'[scope]\nextra = ["../**"]', "'../**' leaves the repository"),
        (b'[sandbox]\nsetup-files = ["/etc/passwd"]', "'/etc/passwd' leaves the repository"),
        (b'[sandbox.environment]\n"A=B" = "x"', "'A=B' cannot be the name of a variable"),
        (b"a = ", "is not TOML"),
        (b"\xff\xfe", "is not TOML"),
    ],
)
def test_a_wrong_file_gets_one_line_that_says_what_and_where(file, message):
    with pytest.raises(UsageError) as caught:
        parse_settings(file, {})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_caller_s_own_mistake_is_not_blamed_on_the_file():
    with pytest.raises(UsageError, match=r"the command line: limits[.]turns"):
        parse_settings(b"", {"limits": {"turns": 0}})
