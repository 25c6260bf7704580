"""The published shape of result.json (JSON Schema 2020-12). `report/result.py` writes what is described here.

Within a version fields are only added, so a reader must let pass what it does not know: nothing here forbids more.
"""

from autofix.report.result import SCHEMA_VERSION
from autofix.report.schema_words import DIALECT, Schema, a_list, an_object, of, or_null
from autofix.state.outcome import Outcome

_TEXT, _COUNT = of("string"), of("integer", minimum=0)
_TEXTS = a_list(_TEXT)
_COUNTS = of("object", additionalProperties=_COUNT)

_PATCH = an_object(
    {
        "files": _TEXTS,
        "changed_lines": _COUNT,
        "diff": of("string", "A unified diff; bytes that are not UTF-8 are replaced."),
    },
    "The best change that was measured, verified or not.",
)
_VERIFICATION = an_object(
    {
        "verdict": _TEXT,
        "fixed": _TEXTS,
        "still_failing": _TEXTS,
        "newly_failing": _TEXTS,
        "lost": _TEXTS,
        "newly_skipped": _TEXTS,
        "findings": _TEXTS,
    },
    "The judgement in a fresh checkout.",
)
_DELIVERY = an_object(
    {
        "rung": of("string", "How the change reached people."),
        "branch": _TEXT,
        "patch_file": _TEXT,
        "apply": of("string", "One line for a terminal in the repository."),
        "fell": a_list(_TEXT, "Why higher rungs were not used."),
        "url": or_null(_TEXT),
    }
)
_DENIAL = an_object(
    {
        "tool": _TEXT,
        "input": of("string", "Untrusted text."),
        "layer": _TEXT,
        "rule": _TEXT,
        "layers": a_list(_TEXT, "All that objected."),
    }
)
_CI = an_object(
    {
        "jobs": a_list(an_object({"name": _TEXT, "steps": _TEXTS, "url": _TEXT, "note": _TEXT}), "Failing jobs."),
        "jobs_left_out": of("integer", "Failing jobs that were not looked at.", minimum=0),
        "failing": a_list(_TEXT, "Failing cases, as CI's reports name them."),
        "notes": _TEXTS,
    },
    "What CI itself showed; untrusted text.",
)
_INTERRUPTION = an_object(
    {
        "reason": of("string", const="approval_required"),
        "id": of("string", "Names the question."),
        "subject": of("string", enum=["call", "scope", "patch"]),
        "wanted": of("string", "What would be done; untrusted text."),
        "why": of("string", "Why a person is asked; untrusted text."),
        "pending_tool_call": or_null(an_object({"tool": _TEXT, "input": of("object", additionalProperties=_TEXT)})),
        "expires": of("string", "When nobody may answer any more.", format="date-time"),
        "approve": of("string", "What to say for yes."),
        "deny": of("string", "What to say for no; a reason may follow."),
    },
    "What the run waits for.",
)
_ANSWER = an_object({"id": _TEXT, "wanted": _TEXT, "approved": of("boolean"), "by": _TEXT, "why": _TEXT})
_USAGE = an_object(
    {
        "turns": _COUNT,
        "input_tokens": _COUNT,
        "output_tokens": _COUNT,
        "cache_read_tokens": _COUNT,
        "cache_write_tokens": _COUNT,
        "usd": or_null(of("string", "US dollars; null where the price is not known.", pattern=r"^\d+\.\d{6}$")),
        "price_basis": _TEXT,
    }
)

SCHEMA: Schema = {
    "$schema": DIALECT,
    "title": f"autofix result, version {SCHEMA_VERSION}",
    **an_object(
        {
            "schema_version": of("integer", const=SCHEMA_VERSION),
            "autofix": of("string", "The version that wrote it."),
            "run_id": _TEXT,
            "status": of("string", "interrupted: the run waits for a person.", enum=["ended", "interrupted"]),
            "outcome": of("string", enum=[outcome.value for outcome in Outcome]),
            "exit_code": of("integer", enum=[*sorted({outcome.exit_code for outcome in Outcome})]),
            "reason": of("string", "One line; may quote untrusted text."),
            "base": or_null(of("string", "A commit.")),
            "head": or_null(of("string", "A commit.")),
            "branch": or_null(_TEXT),
            "checks": _TEXTS,
            "sandbox": _TEXT,
            "model": _TEXT,
            "ci": or_null(_CI),
            "failing_before": or_null(a_list(_TEXT, "What the run was to mend; null before a baseline.")),
            "failing_after": or_null(a_list(_TEXT, "At the last look; null where there was none after the baseline.")),
            "flaky": _TEXTS,
            "preexisting": _TEXTS,
            "order_dependent": _TEXTS,
            "attempts": a_list(an_object({"number": _COUNT, "failing": _COUNT, "best": _COUNT})),
            "patch": or_null(_PATCH),
            "verification": or_null(_VERIFICATION),
            "delivery": or_null(_DELIVERY),
            "commit": or_null(of("string", "The pushed commit.")),
            "plan_versions": a_list(_COUNT),
            "denials": a_list(_DENIAL),
            "denials_by_layer": _COUNTS,
            "put_back": of("object", "Path -> how often it was restored.", additionalProperties=_COUNT),
            "ruled_out": a_list(an_object({"hypothesis": _TEXT, "evidence": _TEXT})),
            "refusal": or_null(of("string", "The model's words, where it declined.")),
            "last_words": of("string", "The model's last text; untrusted."),
            "usage": _USAGE,
            "tool_calls": _COUNT,
            "model_retries": _COUNT,
            "seconds": of("number", minimum=0),
            "notes": _TEXTS,
            "findings": a_list(_TEXT, "What people should know."),
            "run_directory": _TEXT,
            "trace_id": or_null(of("string", "Of the run's OpenTelemetry trace.", pattern="^[0-9a-f]{32}$")),
            "interruption": or_null(_INTERRUPTION),
            "answers": a_list(_ANSWER, "What people have said to the run's questions."),
            "resumable": of("boolean"),
        }
    ),
}
