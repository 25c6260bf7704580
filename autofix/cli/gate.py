"""`autofix gate`: what the permission gate says of a command, without running it.

The answer is made by the very code that stands before every tool call of a run, so that anyone can try it, and anyone
can run a corpus of their own through it.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from autofix.cli.gate_sight import CheckoutSight, ListedSight, PresumedSight
from autofix.errors import UsageError
from autofix.harness import gate
from autofix.harness.bash.parser import TwoGrammars
from autofix.harness.call import Decision, Ruling, ToolCall, Verdict
from autofix.harness.denylist import DenyList
from autofix.harness.policy import Mode, Policy, Sight, ToolContract
from autofix.harness.protected import protected
from autofix.harness.scope import Scope
from autofix.harness.settings_rules import RuleSet
from autofix.harness.tools import TOOLS
from autofix.world.process import ProcessPrograms

if TYPE_CHECKING:
    from autofix.ports.program import Programs

EXITS = {Decision.ALLOW: 0, Decision.DENY: 10, Decision.ASK: 11}
"""Exit codes for one command; 2 is a mistake in the words of the call, as everywhere in autofix."""
WORKSPACE = "/github/workspace"
LONGEST_LINE = 1024 * 1024
"""Characters of one line of --jsonl; a command past 8 KiB is denied anyway."""
HOOK = "hook"
_MARKS = {Decision.ALLOW: "allow", Decision.ASK: "ask", Decision.DENY: "deny"}


@dataclass(frozen=True, slots=True)
class Desk:
    """Everything a question is answered with."""

    policy: Policy
    sight: Sight
    programs: "Programs"
    layers: tuple[str, ...]

    def rule(self, call: ToolCall) -> Ruling:
        asked = {name: layer for name, layer in gate.LAYERS.items() if name in self.layers}
        ruling = gate.decide(call, self.policy, self.sight, TwoGrammars(self.programs), asked)
        if HOOK not in self.layers:
            return ruling
        from autofix.harness.hooks import ShellHook  # late: start-up time

        said = ShellHook(self.programs).ask(call, cwd=self.policy.workspace, session="gate")
        opinions = (*ruling.opinions, Verdict(said.decision, HOOK, said.rule, said.reason))
        return Ruling(gate.fold(opinions), opinions)


@click.command(
    "gate",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes for one COMMAND: 0 allowed, 10 denied, 11 a person would be asked. With --jsonl: 0. Misuse: 2.",
)
@click.argument("bash_command", metavar="[COMMAND]", required=False)
@click.option(
    "--jsonl", is_flag=True, help='Read {"id", "command"} or {"id", "tool", "input"} a line; answer each with a line.'
)
@click.option("--scope", "scope", multiple=True, metavar="PATH", help="A path that may be changed. Repeatable.")
@click.option("--tree", type=click.Path(path_type=Path, exists=True, file_okay=False), help="A checkout to look at.")
@click.option(
    "--tracked", type=click.File("r", encoding="utf-8"), help="A file with one tracked path a line; - is stdin."
)
@click.option("--made", multiple=True, metavar="PATH", help="A file or directory made by the agent itself. Repeatable.")
@click.option("--workspace", default=WORKSPACE, show_default=True, help="Where commands see the repository.")
@click.option(
    "--mode", type=click.Choice([mode.value for mode in Mode]), default=Mode.ACCEPT_EDITS.value, show_default=True
)
@click.option(
    "--host", is_flag=True, help="Judge as for commands outside a sandbox: what nothing objects to is asked about."
)
@click.option("--settings", type=click.File("r", encoding="utf-8"), help="A .claude/settings.json whose rules hold.")
@click.option("--deny", multiple=True, metavar="PATTERN", help="A further pattern for the deny-list (RE2). Repeatable.")
@click.option("--layer", "layers", multiple=True, metavar="NAME", help="Ask only this layer. Repeatable.")
@click.option(
    "--hook-only", is_flag=True, help="Ask the shell hook alone, the check that shares no code with the gate."
)
@click.option("--list", "listing", is_flag=True, help="Print the deny-list with examples, and leave.")
def command(
    *,
    bash_command: str | None,
    jsonl: bool,
    scope: tuple[str, ...],
    tree: Path | None,
    tracked: IO[str] | None,
    made: tuple[str, ...],
    workspace: str,
    mode: str,
    host: bool,
    settings: IO[str] | None,
    deny: tuple[str, ...],
    layers: tuple[str, ...],
    hook_only: bool,
    listing: bool,
) -> int:
    """Say what the permission gate thinks of a bash COMMAND, layer by layer. Nothing is run.

    Layers: known, mode, denylist, structure, scope, rules; and hook, which is asked where --layer names it.

    With --tree the checkout's own index says what is tracked; with --tracked a list does. With neither, every path
    is taken for a tracked file, except those under scratch/, build output by its usual names, a note in the top
    directory (notes.txt, out.log), and what --made names.
    """
    denylist = DenyList.build(deny)
    if listing:
        _print_list(denylist)
        return 0
    if jsonl == (bash_command is not None):
        raise UsageError("give either one COMMAND or --jsonl; see autofix gate --help")
    rules = RuleSet.from_settings(settings.read(), settings.name) if settings else RuleSet()
    policy = Policy(
        mode=Mode(mode),
        scope=Scope(frozenset(scope)),
        tools={name: ToolContract(tool.input, tool.tier) for name, tool in TOOLS.items()},
        sandboxed=not host,
        denylist=denylist,
        rules=rules,
        protected=protected,
        tests_edit="allow",
        workspace=workspace.rstrip("/") or "/",
        workspace_aliases=(str(tree.resolve()),) if tree else (),
    )
    desk = Desk(policy, _sight(tree, tracked, made), ProcessPrograms(), _layers(layers, hook_only=hook_only))
    if jsonl:
        for line in _lines(sys.stdin):
            sys.stdout.write(_answer(line, desk) + "\n")
            sys.stdout.flush()
        return 0
    ruling = desk.rule(ToolCall("command", "Bash", {"command": bash_command or ""}))
    _print_ruling(ruling)
    return EXITS[ruling.verdict.decision]


def _layers(named: tuple[str, ...], *, hook_only: bool) -> tuple[str, ...]:
    if hook_only:
        if named:
            raise UsageError("--hook-only asks the hook alone; leave --layer out")
        return (HOOK,)
    known = (*gate.LAYERS, HOOK)
    for name in named:
        if name not in known:
            raise UsageError(f"there is no layer {name!r}; there are: {', '.join(known)}")
    return named or tuple(gate.LAYERS)


def _sight(tree: Path | None, tracked: IO[str] | None, made: tuple[str, ...]) -> Sight:
    listed = [line.rstrip("\n") for line in tracked if line.strip()] if tracked else None
    if tree is not None:
        return CheckoutSight(tree, listed, made)
    return PresumedSight(made) if listed is None else ListedSight(listed, made)


def _lines(stream: IO[str]) -> Iterator[str]:
    """Lines of bounded length: of a longer one only so much that it cannot be read."""
    reading = stream.buffer if hasattr(stream, "buffer") else None
    lines: Iterable[str] = stream if reading is None else (line.decode("utf-8", "surrogateescape") for line in reading)
    for line in lines:
        if line.strip():
            yield line[: LONGEST_LINE + 1]


def _answer(line: str, desk: Desk) -> str:
    """One verdict as JSON; a line that cannot be read is denied and says why."""
    try:
        read = json.loads(line) if len(line) <= LONGEST_LINE else None
    except (ValueError, RecursionError):
        read = None
    asked = read if isinstance(read, dict) else {}
    call = _call(asked)
    if call is None:
        reason = 'not one JSON object with "command" or with "tool" and "input"'
        return json.dumps(
            {"id": asked.get("id"), **_as_json(Verdict(Decision.DENY, "gate", "bad-line", reason)), "layers": []}
        )
    ruling = desk.rule(call)
    layers = [_as_json(opinion) for opinion in ruling.opinions]
    return json.dumps({"id": asked.get("id"), **_as_json(ruling.verdict), "layers": layers})


def _call(asked: dict[str, Any]) -> ToolCall | None:
    identity = str(asked.get("id", ""))
    if isinstance(asked.get("command"), str):
        return ToolCall(identity, "Bash", {"command": asked["command"]})
    if isinstance(asked.get("tool"), str):
        given = asked.get("input")
        return ToolCall(identity, asked["tool"], given if isinstance(given, dict) else None)
    return None


def _as_json(verdict: Verdict) -> dict[str, str]:
    said = {"verdict": _MARKS[verdict.decision], "layer": verdict.layer, "rule": verdict.rule, "reason": verdict.reason}
    return {name: text.encode("utf-8", "replace").decode() for name, text in said.items()}


def _print_ruling(ruling: Ruling) -> None:
    for opinion in ruling.opinions:
        said = _as_json(opinion)
        click.echo(f"{said['layer']:<10} {said['verdict']:<6} {said['rule']:<20} {said['reason']}".rstrip())
    final = _as_json(ruling.verdict)
    click.echo(f"=> {final['verdict']} ({final['layer']}/{final['rule']})")


def _print_list(denylist: DenyList) -> None:
    for entry in denylist.entries:
        click.echo(f"{entry.id}\n  why      {entry.reason}\n  pattern  {entry.pattern}")
        if entry.denies:
            click.echo(f"  denies   {entry.denies}\n  allows   {entry.allows}")
