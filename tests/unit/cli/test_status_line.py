"""The line that moves: what it says is what the events add up to."""

from datetime import UTC, datetime, timedelta

import pytest

from autofix.cli.status_line import StatusLine, budget_bar, sparkline
from autofix.state.events import Kind
from autofix.state.journal import Event

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def told(*events: tuple[Kind, dict]) -> StatusLine:
    line = StatusLine()
    for number, (kind, data) in enumerate(events, 1):
        line(Event(number, BEGAN, kind, 1, data))
    return line


STARTED = (Kind.RUN_STARTED, {"limits": {"turns": 40, "usd": "2", "seconds": 1200.0}})


def test_it_says_where_the_run_is_how_the_failures_fell_and_what_is_used():
    line = told(
        STARTED,
        (Kind.STAGE, {"name": "baseline"}),
        (Kind.BASELINE, {"goal": ["a", "b", "c", "d"]}),
        (Kind.MODEL_CALLED, {}),
        (Kind.MODEL_REPLIED, {"usd": "0.500000"}),
        (Kind.TOOL_CALLED, {}),
        (Kind.PROGRESS, {"failing": 2}),
    )
    text = line.text(BEGAN + timedelta(seconds=65))
    assert text == "using tools · failing █▅ 2 · turn 1/40 · budget ██░░░░░░░░ 0.50/2 USD · 1:05"


def test_the_tightest_limit_fills_the_bar():
    line = told(STARTED, (Kind.MODEL_REPLIED, {"usd": "0.1"}))
    assert line.used(1199) == pytest.approx(1199 / 1200)
    assert told((Kind.RUN_STARTED, {})).used(1e9) == 0.0


@pytest.mark.parametrize(
    ("counts", "bars"), [([0], "▁"), ([4, 3, 2, 0], "█▇▅▁"), ([1000, 1], "█▂"), ([3] * 30, "█" * 24)]
)
def test_a_count_of_one_is_never_shown_as_none(counts, bars):
    assert sparkline(counts) == bars


@pytest.mark.parametrize(("share", "bar"), [(0, "░" * 10), (0.5, "█████░░░░░"), (7.0, "█" * 10), (-1, "░" * 10)])
def test_the_bar_stays_within_itself(share, bar):
    assert budget_bar(share) == bar


def test_what_is_no_number_breaks_nothing():
    line = told((Kind.RUN_STARTED, {"limits": "none"}), (Kind.MODEL_REPLIED, {"usd": None}))
    assert "turn 1" in line.text(BEGAN)
