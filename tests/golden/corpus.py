"""The corpora of the gate: each line a command, its class, and the verdict the policy gives it."""

import json
import os
from functools import cache
from pathlib import Path
from typing import NamedTuple

from autofix.cli.gate_sight import PresumedSight
from autofix.harness import gate
from autofix.harness.bash.parser import TwoGrammars
from autofix.harness.call import Decision, Ruling, ToolCall
from autofix.harness.policy import Mode, Policy, ToolContract
from autofix.harness.scope import Scope
from autofix.harness.tools import TOOLS
from autofix.world.process import ProcessPrograms

HERE = Path(__file__).parent
SCOPE = Scope(frozenset({"src/app/calc.py", "src/app/parser.py", "tests/test_calc.py"}))
POLICY = Policy(
    mode=Mode.ACCEPT_EDITS,
    scope=SCOPE,
    tools={name: ToolContract(tool.input, tool.tier) for name, tool in TOOLS.items()},
    workspace="/github/workspace",
)


class Case(NamedTuple):
    id: str
    group: str
    expect: str
    command: str


def read_corpus(path: Path) -> list[Case]:
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [Case(line["id"], line["class"], line["expect"], line["command"]) for line in lines]


@cache
def own_corpus() -> list[Case]:
    return [*read_corpus(HERE / "gate" / "attacks.jsonl"), *read_corpus(HERE / "gate" / "harmless.jsonl")]


def other_corpus() -> list[Case]:
    """A corpus of someone else's in the same form: where AUTOFIX_ATTACK_CORPUS says, or beside the repository."""
    named = os.environ.get("AUTOFIX_ATTACK_CORPUS")
    path = Path(named) if named else HERE.parents[1] / ".." / "shared" / "data" / "bash-attacks.jsonl"
    return read_corpus(path) if path.is_file() else []


def ruling_on(command: str, policy: Policy = POLICY, parser: TwoGrammars | None = None) -> Ruling:
    call = ToolCall("call", "Bash", {"command": command})
    return gate.decide(call, policy, PresumedSight(), parser or TwoGrammars(ProcessPrograms()))


def structure_of(ruling: Ruling) -> str:
    """What the structure layer alone said, `allow` or `deny`; a layer that failed says neither."""
    said = next(opinion for opinion in ruling.opinions if opinion.layer == "structure")
    if said.rule == "gate-error":
        return said.reason
    return "allow" if said.decision is Decision.ALLOW else "deny"
