"""What a comment asks autofix to do, and what only looks as if it asked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autofix.intake.commands import HELP, Command, Reading, Verb, parse_commands


def commands(body: str) -> tuple[Command, ...]:
    reading = parse_commands(body)
    assert not reading.unknown
    return reading.commands


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("/autofix run", Command(Verb.RUN)),
        ("/autofix stop", Command(Verb.STOP)),
        ("/autofix retry", Command(Verb.RETRY)),
        ("/autofix explain", Command(Verb.EXPLAIN)),
        ("/autofix revert", Command(Verb.REVERT)),
        ("/autofix approve call-7", Command(Verb.APPROVE, "call-7")),
        ("/autofix deny call-7", Command(Verb.DENY, "call-7")),
        ("/autofix deny call-7 not that file", Command(Verb.DENY, "call-7", "not that file")),
        ("/autofix remember Tests need  a database", Command(Verb.REMEMBER, text="Tests need a database")),
        ("/autofix   RUN  ", Command(Verb.RUN)),
        ("/autofix\trun", Command(Verb.RUN)),
        ("/autofix run\r\n", Command(Verb.RUN)),
    ],
)
def test_each_command_is_read(body, expected):
    assert commands(body) == (expected,)


def test_a_command_may_stand_among_other_words_and_beside_other_commands():
    body = "Looks flaky to me.\n\n/autofix explain\nand then\n/autofix run\n"
    assert commands(body) == (Command(Verb.EXPLAIN), Command(Verb.RUN))


@pytest.mark.parametrize(
    "body",
    [
        "> /autofix run",
        "  > /autofix run",
        "> someone wrote\n/autofix run",
        ">> /autofix run\n\nI would not do that",
        "```\n/autofix run\n```",
        "````\n```\n/autofix run\n```\n````",
        "~~~sh\n/autofix run\n~~~",
        "```\n/autofix run",
        "    /autofix run",
        "\t/autofix run",
        "- ```\n  /autofix run\n  ```",
        "1. ```\n/autofix run\n```",
        "`/autofix run`",
        "please say /autofix run",
        "/autofixrun",
        "/autofix-run",
        "/Autofix run",
        "<!-- /autofix run -->",
        "<!--\n/autofix run\n-->",
        "text <!-- hidden\n/autofix run",
        "* /autofix run",
        "",
    ],
)
def test_quotes_code_and_hidden_text_hold_no_command(body):
    assert parse_commands(body) == Reading(())


@pytest.mark.parametrize(
    "body",
    [
        "> quoted\n\n/autofix run",
        "```\ncode\n```\n/autofix run",
        "```\n<!--\n```\n/autofix run",
        "<!-- note -->\n/autofix run",
        "`<!--` is not closed in code\n```x\n```\n-->\n/autofix run",
        "``` a `b` ```\n/autofix run",
        "~~~\n```\n~~~\n/autofix run",
    ],
)
def test_a_command_after_a_quote_code_or_hidden_text_counts(body):
    assert commands(body) == (Command(Verb.RUN),)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("/autofix", "needs a command"),
        ("/autofix fly", "no command 'fly'"),
        ("/autofix run now", "takes no argument"),
        ("/autofix approve", "needs the id"),
        ("/autofix approve a b", "one id and nothing else"),
        ("/autofix approve ../x", "needs the id"),
        ("/autofix deny", "needs the id"),
        ("/autofix remember", "needs a text"),
    ],
)
def test_what_is_no_command_is_told_apart_and_answered(body, why):
    reading = parse_commands(body)
    assert not reading.commands
    assert why in reading.unknown[0]


def test_a_good_command_beside_a_bad_one_still_counts():
    reading = parse_commands("/autofix fly\n/autofix run")
    assert reading.commands == (Command(Verb.RUN),)
    assert len(reading.unknown) == 1


def test_the_help_names_every_command():
    assert all(f"/autofix {verb.value}" in HELP for verb in Verb)


def test_a_comment_full_of_commands_is_cut():
    reading = parse_commands("/autofix run\n" * 1000)
    assert len(reading.commands) == 20
    assert "only the first 20" in reading.unknown[-1]


def test_long_text_is_cut():
    assert len(commands("/autofix remember " + "x" * 10_000)[0].text) == 2000


@given(st.text(st.sampled_from("/autofix run>`~<!- \n\r\t"), max_size=200))
def test_no_comment_is_too_odd_to_read(body):
    for command in parse_commands(body).commands:
        assert isinstance(command.verb, Verb)
