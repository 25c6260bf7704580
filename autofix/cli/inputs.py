"""The action's inputs and outputs: `INPUT_*` of the environment -> a value.

Each is parsed and bounded, or refused with one line that names it. The runner upper-cases an input's name and keeps its
hyphens; an input without a value is there, as the empty text.
"""

import difflib
import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, cast
from urllib.parse import urlsplit

from autofix.errors import UsageError
from autofix.settings import overlay

Stage = Literal["all", "fix", "deliver"]

INPUTS: Mapping[str, str] = {
    "anthropic-api-key": "",
    "anthropic-base-url": "",
    "token": "${{ github.token }}",
    "pull-request": "",
    "delivery": "",
    "commits": "",
    "stage": "all",
    "bundle": "",
    "bundle-hash": "",
    "check": "",
    "setup-command": "",
    "sandbox": "",
    "sandbox-image": "",
    "sandbox-files": "",
    "network": "",
    "model": "",
    "budget-usd": "",
    "max-turns": "",
    "max-minutes": "",
    "mode": "",
    "allowed-bots": "",
    "working-directory": "",
    "follow-minutes": "0",
    "fail-on-escalation": "false",
}
"""Every input with action.yml's default; "" leaves it to the configuration of the base branch."""

OUTPUTS: Mapping[str, str] = {
    "outcome": "error",
    "reason": "autofix ended before it could say why",
    "pushed": "false",
    "delivery": "",
    "commit": "",
    "patch-file": "",
    "result-file": "",
    "bundle": "",
    "bundle-hash": "",
    "comment-url": "",
    "run-id": "",
    "failing-before": "",
    "failing-after": "",
    "cost-usd": "",
}
"""Every output with what it is until a run has said otherwise: set first, so that no end leaves one unset."""

_PREFIX = "INPUT_"
_SIZE_LIMIT = 64 * 1024
"""Characters of one input; the longest real one is a setup script."""
_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})(?:\[bot\])?")
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What the workflow says. None, "" and () mean: not said."""

    anthropic_api_key: str
    anthropic_base_url: str
    token: str
    pull_request: int | None
    delivery: str | None
    commits: str | None
    stage: Stage
    bundle: str
    bundle_hash: str
    checks: tuple[str, ...]
    setup_command: str | None
    sandbox: str | None
    sandbox_image: str | None
    sandbox_files: str | None
    network: str | None
    model: str | None
    budget_usd: Decimal | None
    max_turns: int | None
    max_minutes: float | None
    mode: str | None
    allowed_bots: tuple[str, ...]
    working_directory: str
    follow_minutes: float
    fail_on_escalation: bool

    def overlay(self) -> dict[str, Any]:
        """Nested tables in the shape of `.github/autofix.toml`, with what was said only."""
        return overlay(
            {
                ("model", "name"): self.model,
                ("sandbox", "room"): self.sandbox,
                ("sandbox", "image"): self.sandbox_image,
                ("sandbox", "files"): self.sandbox_files,
                ("sandbox", "setup-command"): self.setup_command,
                ("sandbox", "network"): self.network,
                ("limits", "usd"): self.budget_usd,
                ("limits", "turns"): self.max_turns,
                ("limits", "minutes"): self.max_minutes,
                ("gate", "mode"): self.mode,
                ("admission", "bots"): list(self.allowed_bots) or None,
                ("delivery",): self.delivery,
                ("commits",): self.commits,
            }
        )


def read_inputs(environ: Mapping[str, str]) -> Inputs:
    """Raises UsageError with one line for the first input that is wrong."""
    said = {_name(name): text for name, text in environ.items() if name.startswith(_PREFIX)}
    for name in sorted(said.keys() - INPUTS.keys()):
        near = difflib.get_close_matches(name, INPUTS, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]!r}?" if near else f"; there are: {', '.join(INPUTS)}"
        raise UsageError(f"there is no input {name[:60]!r}{hint}")

    def given(name: str) -> str:
        text = said.get(name, "").strip()
        if len(text) > _SIZE_LIMIT or "\0" in text:
            raise UsageError(f"the input {name!r} is too long, or holds a NUL")
        return text

    return Inputs(
        anthropic_api_key=_one_line(given, "anthropic-api-key"),
        anthropic_base_url=_url(given, "anthropic-base-url"),
        token=_one_line(given, "token"),
        pull_request=_whole(given, "pull-request", 2**31),
        delivery=_choice(given, "delivery", ("push", "suggest", "pull-request", "patch", "dry-run")),
        commits=_choice(given, "commits", ("git", "api")),
        stage=cast("Stage", _choice(given, "stage", ("all", "fix", "deliver")) or "all"),
        bundle=_one_line(given, "bundle"),
        bundle_hash=_matching(given, "bundle-hash", _HASH, "64 hexadecimal digits"),
        checks=_lines(given("check")),
        setup_command=given("setup-command") or None,
        sandbox=_choice(given, "sandbox", ("docker", "bubblewrap", "host")),
        sandbox_image=_one_line(given, "sandbox-image") or None,
        sandbox_files=_choice(given, "sandbox-files", ("auto", "mount", "copy")),
        network=_one_line(given, "network") or None,
        model=_one_line(given, "model") or None,
        budget_usd=_money(given, "budget-usd"),
        max_turns=_whole(given, "max-turns", 10_000),
        max_minutes=_minutes(given, "max-minutes", 24 * 60),
        mode=_choice(given, "mode", ("default", "accept-edits", "plan", "bypass-permissions")),
        allowed_bots=_bots(given("allowed-bots")),
        working_directory=_place(given, "working-directory"),
        follow_minutes=_minutes(given, "follow-minutes", 6 * 60, zero=True) or 0.0,
        fail_on_escalation=_choice(given, "fail-on-escalation", ("true", "false")) == "true",
    )


def _name(variable: str) -> str:
    """Underscores stand for hyphens, which a shell's variables cannot hold."""
    return variable.removeprefix(_PREFIX).lower().replace("_", "-")


Given = Callable[[str], str]


def _wrong(name: str, text: str, wanted: str) -> UsageError:
    return UsageError(f"the input {name!r} is {text[:60]!r}; it must be {wanted}")


def _one_line(given: Given, name: str) -> str:
    text = given(name)
    if not text.isprintable():
        raise UsageError(f"the input {name!r} holds a line break or a control character")
    return text


def _choice(given: Given, name: str, choices: tuple[str, ...]) -> str | None:
    text = given(name).lower()
    if text and text not in choices:
        near = difflib.get_close_matches(text, choices, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise _wrong(name, text, f"one of {', '.join(choices)}{hint}")
    return text or None


def _whole(given: Given, name: str, limit: int) -> int | None:
    text = given(name)
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 12 and 0 < int(text) <= limit):  # noqa: PLR2004 - digits
        raise _wrong(name, text, f"a whole number from 1 to {limit}")
    return int(text)


def _money(given: Given, name: str) -> Decimal | None:
    text = given(name)
    try:
        value = Decimal(text) if text else None
    except InvalidOperation:
        raise _wrong(name, text, "an amount in USD, such as 2 or 0.50") from None
    if value is not None and not (value.is_finite() and 0 <= value <= 100_000):  # noqa: PLR2004 - more is a typing error
        raise _wrong(name, text, "an amount in USD from 0 (no limit) to 100000")
    return value


def _minutes(given: Given, name: str, limit: int, *, zero: bool = False) -> float | None:
    text = given(name)
    if not text:
        return None
    if not re.fullmatch(r"\d{1,5}(?:\.\d{1,3})?", text, re.ASCII):
        raise _wrong(name, text, "a number of minutes")
    value = float(text)
    if value > limit or (value <= 0 and not zero):
        raise _wrong(name, text, f"a number of minutes up to {limit}")
    return value


def _matching(given: Given, name: str, pattern: re.Pattern[str], wanted: str) -> str:
    text = given(name)
    if text and not pattern.fullmatch(text):
        raise _wrong(name, text, wanted)
    return text


def _url(given: Given, name: str) -> str:
    text = _one_line(given, name)
    parts = urlsplit(text)
    if text and (parts.scheme not in {"https", "http"} or not parts.hostname or parts.username):
        raise _wrong(name, text, "an http or https URL without a user name")
    return text


def _lines(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))


def _bots(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(re.split(r"[,\s]+", text))) if text else ()
    for name in names:
        if not _LOGIN.fullmatch(name):
            raise _wrong("allowed-bots", name, "exact logins, such as dependabot[bot]")
    return names


def _place(given: Given, name: str) -> str:
    text = _one_line(given, name)
    place = posixpath.normpath(text or ".")
    if place.startswith(("/", "..")) or "\\" in place:
        raise _wrong(name, text, "a directory of the repository, relative to its root")
    return place
