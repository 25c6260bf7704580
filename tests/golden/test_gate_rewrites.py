"""A verdict depends on what a command does, not on how it is written: every rewrite keeps it."""

import re

import pytest

from tests.golden.corpus import other_corpus, own_corpus, ruling_on, structure_of
from tests.golden.rewrites import AROUND, INSIDE, LONGEST_CHAIN, rewrites

CASES = [case for case in (*other_corpus()[::3], *own_corpus()[::32]) if not re.search(r"\$[@*1-9]", case.command)]
"""Not those that read positional parameters: in another shell or function they read others."""
UNREADABLE = frozenset({"braces"})
"""A grammar refuses a command whose name stands in braces; harmless ones are then refused with it."""


def test_every_command_has_at_least_twenty_rewrites():
    assert all(len(list(rewrites(case.command))) >= 20 for case in CASES)


@pytest.mark.parametrize("name", [*AROUND, *INSIDE])
def test_a_rewrite_keeps_every_verdict(name):
    wrong = [
        (case.id, rewritten)
        for case in CASES
        for kind, rewritten in rewrites(case.command)
        if kind == name
        and not (kind in UNREADABLE and case.expect == "allow")
        and structure_of(ruling_on(rewritten)) != case.expect
    ]
    assert wrong == []


@pytest.mark.parametrize("before", [0, 1, 49, LONGEST_CHAIN - 1, LONGEST_CHAIN])
def test_the_place_in_a_chain_does_not_matter(before):
    chain = "true; " * before
    assert structure_of(ruling_on(chain + "git push")) == "deny"
    assert structure_of(ruling_on(chain + "pytest -q")) == "allow"


def test_one_command_more_than_the_gate_follows_is_denied():
    ruling = ruling_on("true; " * (LONGEST_CHAIN + 1) + "pytest -q")
    assert ruling.verdict.rule == "too-compound"
