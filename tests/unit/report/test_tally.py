from autofix.harness.call import Decision
from autofix.report.tally import Tally
from autofix.state.events import Kind
from tests.fakes.recorder import started_recorder


def called(recorder, decision, *opinions, **input_):
    recorder.record(
        Kind.TOOL_CALLED,
        id="t",
        tool="Bash",
        hash="h",
        input=input_,
        decision=decision.name.lower(),
        layer=opinions[0][0],
        rule="r",
        reason="why",
        opinions=[[layer, "r", said, "why"] for layer, said in opinions],
    )
    recorder.record(Kind.TOOL_ENDED, undone=["README.md"], ruled_out=["stale cache", "it is empty"])


def test_denials_are_counted_for_every_layer_that_objected():
    tally = Tally()
    recorder = started_recorder(tally)
    called(recorder, Decision.DENY, ("denylist", "deny"), ("known", "allow"), ("hook", "deny"), command="git push")
    called(recorder, Decision.DENY, ("hook", "deny"), command="git push -f")
    called(recorder, Decision.ALLOW, ("rules", "allow"), command="ls")
    assert tally.denials_by_layer == {"denylist": 1, "hook": 2}
    assert [denial.input for denial in tally.denials] == ["git push", "git push -f"]
    assert tally.tool_calls == 3


def test_the_ledger_and_what_was_put_back_are_kept_word_for_word():
    tally = Tally()
    called(started_recorder(tally), Decision.ALLOW, ("rules", "allow"), command="ls")
    assert (tally.ruled_out[0].hypothesis, tally.ruled_out[0].evidence) == ("stale cache", "it is empty")
    assert tally.put_back == {"README.md": 1}


def test_attempts_plans_and_notes_are_collected_in_order():
    tally = Tally()
    recorder = started_recorder(tally)
    recorder.record(Kind.PLAN, version=1)
    recorder.record(Kind.PROGRESS, attempt=1, failing=2, best=2)
    recorder.record(Kind.MODEL_RETRIED)
    recorder.note("the cache was cold")
    assert tally.plans == [1]
    assert [(one.number, one.failing, one.best) for one in tally.attempts] == [(1, 2, 2)]
    assert (tally.retries, tally.notes) == (1, ["the cache was cold"])
