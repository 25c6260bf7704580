"""Everything a run can be told, parsed once: `.github/autofix.toml` of the base commit, overlaid by the caller's input.

The file's keys are written with hyphens. Whatever is wrong gets one line that says what, where, and the nearest known
name, before anything is spent. The model's endpoint and key are not here: they come from the caller's environment
alone, so that no file of a repository can send a key elsewhere.
"""

import difflib
import re
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from autofix.errors import UsageError

CONFIGURATION_PATH = ".github/autofix.toml"
DEFAULT_MODEL = "claude-sonnet-5"


def _inside(path: str) -> str:
    """A path below the repository's root, as written."""
    if path.startswith("/") or ".." in path.split("/") or "\0" in path:
        raise ValueError(f"{path!a} leaves the repository; name a path below its root")
    return path


def _variable(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(f"{name!a} cannot be the name of a variable")
    return name


RepositoryPath = Annotated[str, AfterValidator(_inside)]
Variables = Mapping[Annotated[str, AfterValidator(_variable)], str]
Positive = Annotated[int, Field(gt=0)]
Seconds = Annotated[float, Field(gt=0, le=24 * 3600)]


def _hyphens(name: str) -> str:
    return name.replace("_", "-")


class Section(BaseModel):
    """A table of the file: known keys only, none changed after parsing."""

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=_hyphens, populate_by_name=True)


class ModelSettings(Section):
    """Which model, and how much it may say in one reply."""

    name: str = Field(default=DEFAULT_MODEL, min_length=1, max_length=128)
    max_output_tokens: Annotated[int, Field(ge=256, le=128_000)] = 16_000
    timeout: Seconds = 600.0
    tries: Annotated[int, Field(ge=1, le=20)] = 5


class LimitSettings(Section):
    """Where a run ends although nothing is fixed; safe for a job nobody watches."""

    turns: Positive = 40
    usd: Annotated[Decimal, Field(ge=0)] = Decimal(2)
    """Money for model calls; 0 means no limit."""
    minutes: Annotated[float, Field(gt=0, le=24 * 60)] = 20.0
    tool_calls: Positive = 400
    input_tokens: Positive = 5_000_000
    output_tokens: Positive = 400_000
    invalid_calls: Positive = 3
    """In a row."""
    patience: Positive = 3
    """Measured attempts without a new best before the run gives up."""


class ScopeSettings(Section):
    """What a fix may touch besides what the pull request touches."""

    extra: tuple[RepositoryPath, ...] = ()


class SandboxSettings(Section):
    """Where the repository's code runs."""

    room: Literal["docker", "bubblewrap", "host"] | None = None
    """None takes docker, then bubblewrap, whichever answers; `host` only when named."""
    image: str | None = Field(default=None, min_length=1)
    files: Literal["auto", "mount", "copy"] = "auto"
    """How containers get at a tree: mounted, copied, or copied only where the engine cannot mount it."""
    setup_command: str = ""
    setup_files: tuple[RepositoryPath, ...] = ()
    setup_timeout: Seconds = 600.0
    network: str = "none"
    environment: Variables = {}
    memory_mib: Annotated[int, Field(ge=64)] = 2048
    cpus: Annotated[float, Field(gt=0)] = 2.0
    pids: Annotated[int, Field(ge=16)] = 256


class ReportSettings(Section):
    """What a check leaves to be read, where its command starts no runner that autofix knows."""

    format: str = Field(min_length=1)
    path: RepositoryPath = ""
    """From the check's directory; "" is what the command prints."""
    pattern: str = Field(default="", max_length=2_000)

    @model_validator(mode="after")
    def _has_a_pattern(self) -> "ReportSettings":
        if bool(self.pattern) is not (self.format == "pattern"):
            raise ValueError('a pattern belongs to format = "pattern", and to no other')
        return self


class CheckSettings(Section):
    """One `[[checks]]` table."""

    name: str = Field(min_length=1, max_length=100)
    command: str = Field(min_length=1)
    runner: str | None = None
    """None recognises the runner from the command."""
    directory: RepositoryPath = "."
    timeout: Seconds = 600.0
    environment: Variables = {}
    report: ReportSettings | None = None

    @model_validator(mode="after")
    def _is_read_in_one_way(self) -> "CheckSettings":
        if self.runner is not None and self.report is not None:
            raise ValueError("name a runner or a report, not both")
        return self


class FlakySettings(Section):
    reruns: Annotated[int, Field(ge=0, le=20)] = 3


class TestSettings(Section):
    """Whether a fix may edit the tests themselves."""

    __test__ = False  # not a test, whatever a collector thinks of its name
    edit: Literal["deny", "ask", "allow"] = "ask"


class PatchSettings(Section):
    """How large a fix may be before a person has to look (security goal G21)."""

    max_files: Positive = 10
    max_lines: Positive = 400
    max_kib: Positive = 100


class DenyPattern(Section):
    """One pattern of the user's own, in RE2's syntax, matched against a command's text."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")
    pattern: str = Field(min_length=1, max_length=1000)
    reason: str = Field(min_length=1, max_length=500)


class AdmissionSettings(Section):
    """Who may start a run in Actions, and how often; the limits count over a pull request's whole life."""

    bots: tuple[str, ...] = ()
    """Exact logins of bots that count as writers."""
    drafts: bool = False
    runs_per_pull: Positive = 10
    runs_per_day: Positive = 3
    usd_per_pull: Annotated[Decimal, Field(ge=0)] = Decimal(10)
    """0 means no limit."""


class GateSettings(Section):
    mode: Literal["default", "accept-edits", "plan", "bypass-permissions"] = "accept-edits"
    deny: tuple[DenyPattern, ...] = ()
    off: tuple[str, ...] = ()
    """Ids of built-in patterns that this repository does without."""
    ask: Literal["pause", "deny"] = "pause"
    """What becomes of what only a person may allow: the run waits for one, or it is denied."""


class StateSettings(Section):
    """How long what a waiting run left is kept."""

    ttl_days: Annotated[int, Field(ge=1, le=90)] = 7
    """Days a question may wait for its answer."""


class TraceSettings(Section):
    """Spans of a run to an OTLP collector; where to, the environment says."""

    otlp: bool = False
    content: bool = False
    """Send the model's words, inputs of calls and their results, too."""


class PriceSettings(Section):
    """USD per million tokens, for a model the built-in table does not know or has wrong."""

    input: Annotated[Decimal, Field(ge=0)]
    output: Annotated[Decimal, Field(ge=0)]
    cache_read: Annotated[Decimal, Field(ge=0)] | None = None
    cache_write: Annotated[Decimal, Field(ge=0)] | None = None


class Settings(Section):
    """The whole configuration of a run."""

    model: ModelSettings = ModelSettings()
    limits: LimitSettings = LimitSettings()
    scope: ScopeSettings = ScopeSettings()
    sandbox: SandboxSettings = SandboxSettings()
    checks: tuple[CheckSettings, ...] = ()
    flaky: FlakySettings = FlakySettings()
    tests: TestSettings = TestSettings()
    patch: PatchSettings = PatchSettings()
    gate: GateSettings = GateSettings()
    state: StateSettings = StateSettings()
    trace: TraceSettings = TraceSettings()
    admission: AdmissionSettings = AdmissionSettings()
    prices: Mapping[str, PriceSettings] = {}
    delivery: Literal["push", "suggest", "pull-request", "patch", "dry-run"] = "push"
    commits: Literal["git", "api"] = "git"
    """Who makes the pushed commit: autofix over git, or GitHub, which signs it, where the files allow that."""
    fix_preexisting: bool = False

    @field_validator("checks")
    @classmethod
    def _names_are_unique(cls, checks: tuple[CheckSettings, ...]) -> tuple[CheckSettings, ...]:
        names = [check.name for check in checks]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two checks are called {twice[0]!r}: give each its own name")
        return checks

    @model_validator(mode="before")
    @classmethod
    def _is_a_table(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            raise ValueError("the configuration is not a table")  # noqa: TRY004 - pydantic wants ValueError
        return data


def parse_settings(file: bytes | None, overrides: Mapping[str, Any], source: str = "the command line") -> Settings:
    """The base commit's file (None: there is none), overlaid by the caller's own words.

    Args:
        file: the bytes of `.github/autofix.toml`.
        overrides: nested tables in the file's own shape and spelling.
        source: who said them, for the message.

    Raises:
        UsageError: one line that names the place and, for an unknown key, the nearest known one.
    """
    table = _read_toml(file) if file is not None else {}
    _validated(table, CONFIGURATION_PATH)  # so that the file's mistakes are not blamed on the caller
    return _validated(_overlaid(table, overrides), source)


def overlay(said: Mapping[tuple[str, ...], Any]) -> dict[str, Any]:
    """Nested tables in the file's shape, of what was said: a value of None was not."""
    table: dict[str, Any] = {}
    for path, value in said.items():
        if value is not None:
            below = table
            for name in path[:-1]:
                below = below.setdefault(name, {})
            below[path[-1]] = value
    return table


def _read_toml(file: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(file.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{CONFIGURATION_PATH} is not TOML: {error}") from error


def _overlaid(table: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(table)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = _overlaid(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return merged


def _validated(table: Mapping[str, Any], source: str) -> Settings:
    try:
        return Settings.model_validate(table)
    except ValidationError as error:
        found = error.errors(include_url=False)
        first = next((one for one in found if one["type"] == "extra_forbidden"), found[0])  # a typo explains the rest
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        if first["type"] == "extra_forbidden":
            raise UsageError(f"{source}: unknown key {place!r}{_nearest(first['loc'])}") from None
        message = first["msg"].removeprefix("Value error, ")
        raise UsageError(f"{source}: {place}: {message[:1].lower()}{message[1:]}") from None


def _nearest(location: tuple[int | str, ...]) -> str:
    """`; did you mean ...?` for the last name of a location, among the names its table knows."""
    section: Any = Settings
    names = iter(location[:-1])
    for name in names:
        field = section.model_fields.get(str(name).replace("-", "_"))
        section = _section_of(field.annotation) if field else None
        if section is None:
            return ""
        if field and field.annotation is not section:
            next(names, None)  # the entry of a list or table of sections
    known = [_hyphens(name) for name in section.model_fields]
    near = difflib.get_close_matches(str(location[-1]), known, n=1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else f"; known here: {', '.join(known)}"


def _section_of(annotation: Any) -> Any:
    """The Section inside `tuple[X, ...]`, `Mapping[str, X]` or X itself."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation
    inner = [argument for argument in getattr(annotation, "__args__", ()) if isinstance(argument, type)]
    return next((argument for argument in inner if issubclass(argument, Section)), None)
