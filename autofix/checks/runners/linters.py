"""Linters, type checkers and compilers: ruff, mypy, eslint, tsc and gcc's kind, each complaint a case."""

import re
from collections.abc import Callable, Iterable

from autofix.checks.reports import jsons
from autofix.checks.reports.diagnostics import Diagnostic, by_pattern, diagnostics_picture, sarif_picture
from autofix.checks.result import Check
from autofix.checks.runners.runner import Invocation, Left, Picture, ProjectFiles
from autofix.checks.runners.simple import Detection, SimpleRunner, captured, in_words, with_arguments

_MYPY = re.compile(
    r"(?P<file>[^:\n]+):(?P<line>\d+)(?::\d+){0,3}: (?P<level>error|warning|note): "
    r"(?P<message>.*?)(?:  \[(?P<rule>[\w-]+)\])?"
)
_TSC = re.compile(r"(?P<file>[^(\n]+)\((?P<line>\d+),\d+\): (?P<level>error|warning) (?P<rule>TS\d+): (?P<message>.*)")
_GCC = re.compile(
    r"(?P<file>[^:\n]+):(?P<line>\d+)(?::\d+)?: (?P<level>fatal error|error|warning|note): "
    r"(?P<message>.*?)(?: \[(?P<rule>-W[\w=+-]+)\])?"
)
_ESLINT_ERROR = 2
"""ESLint's severity of an error; 1 is a warning."""


def _by_words(pattern: re.Pattern[str]) -> Callable[[Left], Picture]:
    def parse(left: Left) -> Picture:
        return diagnostics_picture(by_pattern(pattern, left.report or b""), left)

    return parse


def _captured(
    programs: frozenset[str], arguments: str = "", **environment: str
) -> Callable[[Check, str], tuple[Invocation, ...]]:
    def ways(check: Check, report: str) -> tuple[Invocation, ...]:
        asked = with_arguments(check.command, programs, arguments) if arguments else None
        return (Invocation(captured(asked or check.command, report), environment),)

    return ways


def _ruff_ways(check: Check, report: str) -> tuple[Invocation, ...]:
    return (Invocation(check.command, {"RUFF_OUTPUT_FORMAT": "sarif", "RUFF_OUTPUT_FILE": report}),)


def _eslint_ways(check: Check, report: str) -> tuple[Invocation, ...]:
    asked = with_arguments(check.command, frozenset({"eslint"}), f"--format json --output-file {report}")
    return (*([Invocation(asked)] if asked else []), Invocation(check.command))


def _parse_eslint(left: Left) -> Picture:
    return diagnostics_picture(_of_eslint(left.report or b""), left)


def _of_eslint(report: bytes) -> Iterable[Diagnostic]:
    for file in jsons.objects(jsons.parsed(report)):
        for one in jsons.objects(file.get("messages")):
            yield Diagnostic(
                jsons.text(file, "filePath"),
                int(jsons.number(one, "line")) or None,
                jsons.text(one, "ruleId"),
                jsons.text(one, "message"),
                "error" if jsons.number(one, "severity") == _ESLINT_ERROR else "warning",
            )


def _configured(command: str, *marks: tuple[str, str]) -> Callable[[ProjectFiles], Detection]:
    """Found where a file is there and holds the text (that of an empty one: any)."""

    def found(files: ProjectFiles) -> Detection:
        for path, text in marks:
            if path in files.paths and text in files.text(path):
                return command, f"{path} configures it"
        return None

    return found


RUFF = SimpleRunner(
    frozenset({"ruff"}),
    sarif_picture,
    _ruff_ways,
    verb="check",
    found=_configured("ruff check", ("ruff.toml", ""), (".ruff.toml", ""), ("pyproject.toml", "[tool.ruff")),
)
MYPY = SimpleRunner(
    frozenset({"mypy", "dmypy"}),
    _by_words(_MYPY),
    _captured(frozenset({"mypy", "dmypy"}), "--no-pretty --no-color-output --no-error-summary --show-error-codes"),
    found=_configured(
        "mypy .", ("mypy.ini", ""), (".mypy.ini", ""), ("pyproject.toml", "[tool.mypy"), ("setup.cfg", "[mypy]")
    ),
    spoken=in_words(_by_words(_MYPY)),
)
ESLINT = SimpleRunner(
    frozenset({"eslint"}),
    _parse_eslint,
    _eslint_ways,
    found=_configured(
        "npx eslint .",
        *((f"eslint.config.{ending}", "") for ending in ("js", "mjs", "cjs", "ts")),
        *((f".eslintrc{ending}", "") for ending in ("", ".js", ".cjs", ".json", ".yml", ".yaml")),
    ),
)
TSC = SimpleRunner(
    frozenset({"tsc", "vue-tsc"}),
    _by_words(_TSC),
    _captured(frozenset({"tsc", "vue-tsc"}), "--pretty false"),
    found=_configured("npx tsc --noEmit", ("tsconfig.json", "")),
    spoken=in_words(_by_words(_TSC)),
)
GCC = SimpleRunner(
    frozenset({"gcc", "g++", "cc", "c++", "clang", "clang++"}),
    _by_words(_GCC),
    _captured(frozenset(), LC_ALL="C"),
    spoken=in_words(_by_words(_GCC)),
)
LINTERS = frozenset({"ruff", "mypy", "eslint", "tsc", "gcc"})
"""Runners whose cases are complaints: as checks they come after the tests'."""
