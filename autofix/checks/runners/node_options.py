"""JavaScript's runners asked for JSON through NODE_OPTIONS, whoever starts them: npm, npx, another script, the model.

Node loads a few words of ours before the program. Where that program is a known runner, they add its own options for
a report to its arguments. Nothing is written into the tree, and programs that are no runner see nothing of it.
"""

import json
import re
from collections.abc import Callable, Mapping
from urllib.parse import quote

from autofix.checks.result import Check, NotRun
from autofix.checks.runners.runner import Invocation, Left, Picture, ProjectFiles
from autofix.checks.runners.simple import Detection, SimpleRunner, with_arguments

_ADD = r"""const a = process.argv, name = (a[1] || '').split(/[\\/]/).pop().split('.')[0];
if (%s.includes(name)) { a.push(...%s); %s }"""
"""Known by the name of its main file (`jest.js`, `.bin/jest`), as node was given it."""
_REFUSED = re.compile(r"--import=? is not allowed in NODE_OPTIONS|bad option: --import")
"""What a node before 18.18 says."""
_SCRIPT_LIMIT = 80


def node_runner(
    name: str,
    options: Callable[[str], list[str]],
    read: Callable[[Left], Picture],
    *,
    names: tuple[str, ...] = (),
    also: str = "",
) -> SimpleRunner:
    """A runner called `name` (its files also `names`) that writes its report with the options for a path.

    `also` is code that runs with it, in which `REPORT` is the path as a literal.
    """
    programs = frozenset({name, *names})

    def variables(report: str, present: Mapping[str, str]) -> Mapping[str, str]:
        more = also.replace("REPORT", json.dumps(report))
        code = _ADD % (json.dumps(sorted(programs)), json.dumps(options(report)), more)
        own = f"--import=data:text/javascript,{quote(code, safe='')}"
        return {"NODE_OPTIONS": f"{present.get('NODE_OPTIONS', '')} {own}".strip()}

    def ways(check: Check, report: str) -> tuple[Invocation, ...]:
        plain = with_arguments(check.command, programs, " ".join(options(report)))
        return (
            Invocation(check.command, variables(report, check.environment)),
            *([Invocation(plain)] if plain else []),
            Invocation(check.command),
        )

    def found(files: ProjectFiles) -> Detection:
        return script_that_runs(files, re.compile(rf"(^|[\s;&|/]){re.escape(name)}(\s|$)"))

    def parse(left: Left) -> Picture:
        if left.report is None and left.exit_code and _REFUSED.search(left.output):
            return Picture((), report=False, not_run=NotRun.USAGE)
        return read(left)

    return SimpleRunner(programs, parse, ways, found=found, variables=variables)


def script_that_runs(files: ProjectFiles, program: re.Pattern[str]) -> Detection:
    """`npm test`, where package.json's test script (or one it leads to by `npm run`) holds the program."""
    scripts = package_scripts(files.text("package.json"))
    script = scripts.get("test", "")
    for _ in range(len(scripts)):
        if program.search(script):
            return "npm test", f"package.json's test script is `{script[:_SCRIPT_LIMIT]}`"
        leads = re.search(r"\b(?:npm|pnpm|yarn)\s+(?:run\s+)?([\w:.-]+)", script)
        script = scripts.get(leads[1], "") if leads else ""
    return None


def package_scripts(text: str) -> dict[str, str]:
    try:
        scripts = json.loads(text or "{}")["scripts"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return {name: one for name, one in scripts.items() if isinstance(one, str)} if isinstance(scripts, dict) else {}
