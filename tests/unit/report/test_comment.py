import re
from html import unescape

import pytest
from markdown_it import MarkdownIt

from autofix.checks.result import Case
from autofix.checks.result import Outcome as CaseOutcome
from autofix.delivery.deliver import Delivered
from autofix.delivery.patch import Patch
from autofix.harness.redact import Redactor
from autofix.intake.own_marks import MARKER
from autofix.report import comment as module
from autofix.report.comment import COMMENT_LIMIT, comment
from autofix.report.tally import Denial, RuledOut
from autofix.state.outcome import Outcome
from tests.fakes.report import baseline, report


def told(report):
    """The comment of a run that has no secret."""
    return comment(report, str)


def test_a_fix_says_what_failed_what_changed_how_it_was_verified_and_what_it_cost():
    text = told(report())
    assert MARKER not in text, "the forge adds it"
    for said in (
        "fixed the failing checks",
        "review commit cccccccccccc on `feature`",
        "**1 → 1 → 0**",
        "`tests/test_a.py::test_x`",
        "+x = 2",
        "1 formerly failing now pass by name",
        "denylist 1, hook 1",
        "0.0123 USD (public prices of 2026-11)",
    ):
        assert said in text


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_has_a_headline_and_a_next_step(outcome):
    text = told(report(outcome, reason="because", delivered=None))
    assert "because" in text
    assert re.search(r"\*\*Next step:\*\* \S", text)
    assert f"<code>{outcome.value}</code>" in text


def test_an_escalation_tells_what_was_tried_and_the_model_s_last_words():
    text = told(report(Outcome.NO_PROGRESS, reason="3 measured attempts without a new best"))
    assert "the cache is stale: it is empty in the failing test" in text
    assert "Fixed the off-by-one." in text
    assert "Last state, not accepted" in text


def test_a_patch_that_was_not_pushed_comes_with_the_reason_and_the_command():
    done = Delivered("patch", "", "", "/s/fix.patch", "git apply /s/fix.patch", ("there is no remote 'origin'",))
    text = told(report(delivered=done))
    assert "git apply /s/fix.patch" in text
    assert "there is no remote" in text


HOSTILE = "@everyone fixes #1 ![x](http://evil/x.png) <img src=x> </details> ``` \u202e <!-- --> [a](http://evil)"


def test_no_text_of_the_repository_or_the_model_can_mention_link_or_close_anything():
    case = Case(f"tests/{HOSTILE}", CaseOutcome.FAILED, HOSTILE, HOSTILE)
    text = told(
        report(
            Outcome.NO_PROGRESS,
            reason=HOSTILE,
            baseline=baseline(case, flaky=[HOSTILE], preexisting=[HOSTILE]),
            ruled_out=(RuledOut(HOSTILE, HOSTILE),),
            denials=(Denial("Bash", HOSTILE, "denylist", "x", HOSTILE, ("denylist",)),),
            patch=Patch("a" * 40, {HOSTILE: b""}, HOSTILE.encode() + b"\n```\n@everyone\n", 1, {}),
            put_back={HOSTILE: 1},
            last_words=HOSTILE,
            notes=(HOSTILE,),
            model=HOSTILE,
        )
    )
    html = MarkdownIt("commonmark").enable("table").render(text)
    prose = re.sub(r"(?s)<(code|pre)[^>]*>.*?</\1>|<!--.*?-->", "", html)
    assert "\u202e" not in text
    assert "@everyone" not in unescape(prose)
    assert "<img" not in prose
    assert "<a " not in prose
    assert prose.count("<details>") == prose.count("</details>") == 8


def test_a_plain_string_cannot_reach_the_template():
    with pytest.raises(TypeError, match="did not pass"):
        module._only_escaped("text of somebody")


def test_the_comment_fits_and_closes_what_it_opened():
    cases = [Case(f"tests/test_{n}.py::{'x' * 300}", CaseOutcome.FAILED, "m" * 900) for n in range(500)]
    text = told(
        report(
            baseline=baseline(*cases),
            patch=Patch("a" * 40, {"a": b""}, b"+" + "é".encode() * 60_000, 1, {}),
            notes=tuple("n" * 3000 for _ in range(200)),
        )
    )
    assert len(text) <= COMMENT_LIMIT
    assert text.count("<details>") == text.count("</details>")
    assert "and 490 more" in text


KEY = "sk_test_abcdef_ghijkl_mnopqr_stuvwx"


@pytest.mark.parametrize("before", [0, 100, 170, 190, 195])
def test_a_secret_is_found_before_escapes_or_a_cut_could_hide_it(before):
    text = "x" * before + KEY
    case = Case(text, CaseOutcome.FAILED, text, text)
    shown = comment(
        report(
            Outcome.NO_PROGRESS,
            reason=text,
            baseline=baseline(case),
            last_words=text,
            notes=(text,),
            patch=Patch("a" * 40, {"a": b""}, f"+{text}\n".encode(), 1, {}),
        ),
        Redactor({"KEY": KEY}).text,
    )
    bare = shown.replace("\\", "")
    assert not any(KEY[at : at + 8] in bare for at in range(len(KEY) - 7))
