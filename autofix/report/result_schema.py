"""The published shape of result.json (JSON Schema 2020-12). `report/result.py` writes what is described here.

Within a version fields are only added, so a reader must let pass what it does not know: nothing here forbids more.
"""

from collections.abc import Mapping

from autofix.ports.model import JsonValue
from autofix.report.result import SCHEMA_VERSION
from autofix.state.outcome import Outcome

_Schema = dict[str, JsonValue]


def _of(kind: str, told: str = "", **more: JsonValue) -> _Schema:
    return {"type": kind, **({"description": told} if told else {}), **more}


def _or_null(schema: _Schema) -> _Schema:
    """The same, or null where there is none."""
    kind = schema["type"]
    return {**schema, "type": [kind, "null"]}


def _object(properties: Mapping[str, _Schema], told: str = "") -> _Schema:
    return _of("object", told, required=list(properties), properties=dict(properties))


def _list(items: _Schema, told: str = "") -> _Schema:
    return _of("array", told, items=items)


_TEXT, _COUNT = _of("string"), _of("integer", minimum=0)
_TEXTS = _list(_TEXT)
_COUNTS = _of("object", additionalProperties=_COUNT)

_PATCH = _object(
    {
        "files": _TEXTS,
        "changed_lines": _COUNT,
        "diff": _of("string", "A unified diff; bytes that are not UTF-8 are replaced."),
    },
    "The best change that was measured, verified or not.",
)
_VERIFICATION = _object(
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
_DELIVERY = _object(
    {
        "rung": _of("string", "How the change reached people."),
        "branch": _TEXT,
        "patch_file": _TEXT,
        "apply": _of("string", "One line for a terminal in the repository."),
        "fell": _list(_TEXT, "Why higher rungs were not used."),
        "url": _or_null(_TEXT),
    }
)
_DENIAL = _object(
    {
        "tool": _TEXT,
        "input": _of("string", "Untrusted text."),
        "layer": _TEXT,
        "rule": _TEXT,
        "layers": _list(_TEXT, "All that objected."),
    }
)
_USAGE = _object(
    {
        "turns": _COUNT,
        "input_tokens": _COUNT,
        "output_tokens": _COUNT,
        "cache_read_tokens": _COUNT,
        "cache_write_tokens": _COUNT,
        "usd": _or_null(_of("string", "US dollars; null where the price is not known.", pattern=r"^\d+\.\d{6}$")),
        "price_basis": _TEXT,
    }
)

SCHEMA: _Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": f"autofix result, version {SCHEMA_VERSION}",
    **_object(
        {
            "schema_version": _of("integer", const=SCHEMA_VERSION),
            "autofix": _of("string", "The version that wrote it."),
            "run_id": _TEXT,
            "outcome": _of("string", enum=[outcome.value for outcome in Outcome]),
            "exit_code": _of("integer", enum=[*sorted({outcome.exit_code for outcome in Outcome})]),
            "reason": _of("string", "One line; may quote untrusted text."),
            "base": _or_null(_of("string", "A commit.")),
            "head": _or_null(_of("string", "A commit.")),
            "branch": _or_null(_TEXT),
            "checks": _TEXTS,
            "sandbox": _TEXT,
            "model": _TEXT,
            "failing_before": _or_null(_list(_TEXT, "What the run was to mend; null before a baseline.")),
            "failing_after": _or_null(_list(_TEXT, "At the last look; null where there was none after the baseline.")),
            "flaky": _TEXTS,
            "preexisting": _TEXTS,
            "order_dependent": _TEXTS,
            "attempts": _list(_object({"number": _COUNT, "failing": _COUNT, "best": _COUNT})),
            "patch": _or_null(_PATCH),
            "verification": _or_null(_VERIFICATION),
            "delivery": _or_null(_DELIVERY),
            "commit": _or_null(_of("string", "The pushed commit.")),
            "plan_versions": _list(_COUNT),
            "denials": _list(_DENIAL),
            "denials_by_layer": _COUNTS,
            "put_back": _of("object", "Path -> how often it was restored.", additionalProperties=_COUNT),
            "ruled_out": _list(_object({"hypothesis": _TEXT, "evidence": _TEXT})),
            "refusal": _or_null(_of("string", "The model's words, where it declined.")),
            "last_words": _of("string", "The model's last text; untrusted."),
            "usage": _USAGE,
            "tool_calls": _COUNT,
            "model_retries": _COUNT,
            "seconds": _of("number", minimum=0),
            "notes": _TEXTS,
            "findings": _list(_TEXT, "What people should know."),
            "run_directory": _TEXT,
            "resumable": _of("boolean"),
        }
    ),
}
