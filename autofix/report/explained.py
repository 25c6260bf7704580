"""What `/autofix explain` says of a pull request: what autofix would do here, what it has spent, what it waits for."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from autofix.report.escape import for_markdown_line, inline_code

_LISTED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """The facts. All texts but ours may be untrusted.

    Attributes:
        no_start: why `/autofix run` would start no run now; "" where it would.
        runs, usd: so far, and what they may come to; 0 USD is no limit.
        scope: the files a fix may change.
        excluded: path -> why it may not be changed although the pull request touches it.
        checks: command and why it was chosen.
        waiting: what a run waits for, a line each.
        taught: what people taught.
        findings: of the token.
    """

    no_start: str
    runs: int
    most_runs: int
    usd: Decimal
    most_usd: Decimal
    scope: Sequence[str]
    excluded: Sequence[tuple[str, str]]
    checks: Sequence[tuple[str, str]]
    waiting: Sequence[str] = ()
    taught: Sequence[str] = ()
    findings: Sequence[str] = ()


def explained(facts: Explained) -> str:
    """The Markdown."""
    may = f" of {facts.most_usd:.2f}" if facts.most_usd else ""
    start = f"no: {for_markdown_line(facts.no_start)}" if facts.no_start else "yes, with `/autofix run`"
    lines = [
        f"- **May a run start now?** {start}",
        f"- **So far:** {facts.runs} of {facts.most_runs} runs, {facts.usd:.2f}{may} USD",
        *_listed("Waits for", [for_markdown_line(one) for one in facts.waiting]),
        *_listed("Checks", [f"{inline_code(command)} ({for_markdown_line(why)})" for command, why in facts.checks]),
        *_listed("May change", [inline_code(path) for path in facts.scope], "nothing"),
        *_listed("May not change", [f"{inline_code(path)}: {for_markdown_line(why)}" for path, why in facts.excluded]),
        *_listed("Was taught", [for_markdown_line(one) for one in facts.taught]),
        *_listed("Note", [for_markdown_line(one) for one in facts.findings]),
    ]
    return "\n".join(lines)


def _listed(title: str, shown: Sequence[str], none: str = "") -> list[str]:
    if not shown:
        return [f"- **{title}:** {none}"] if none else []
    more = f" and {len(shown) - _LISTED} more" if len(shown) > _LISTED else ""
    return [f"- **{title}:** {'; '.join(shown[:_LISTED])}{more}"]
