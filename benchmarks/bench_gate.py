"""The bars of the gate: a verdict's cost in this process, with parser child and hook, and on hostile text."""

import time
from collections.abc import Callable

from autofix.cli.gate_sight import PresumedSight
from autofix.harness import gate
from autofix.harness.bash import parser as bash_parser
from autofix.harness.bash.parser import TwoGrammars
from autofix.harness.call import ToolCall
from autofix.harness.hooks import ShellHook
from autofix.harness.policy import Mode, Policy, Question, ToolContract
from autofix.harness.scope import Scope
from autofix.harness.tools import TOOLS
from autofix.ports.program import Programs
from autofix.world.process import ProcessPrograms
from benchmarks.row import Row

_LINES = (
    "cd src && git diff --stat HEAD~1 -- app/calc.py | head -20",
    "grep -rn 'def parse' --include='*.py' . | sort | uniq -c | head -40",
    'for f in tests/test_calc.py tests/test_core.py; do python3 -m pytest -q "$f" 2>&1 | tail -5; done',
    "sed -n '1,80p' src/app/core.py > scratch/core.txt",
    'python3 -c "from app.calc import add; print(add(1, 2))"',
    "find . -name '*.py' -newer pyproject.toml -exec wc -l {} +",
)
COMMAND = "\n".join(_LINES * 3)[:1024].rpartition("\n")[0]
"""1 KB of what models really write: twenty commands, loops, pipes, inline Python."""
_HOSTILE = ("a;" * 32768, "(" * 65536, "$(" * 32768, "'" * 65536, "{a,b}" * 13107, "\u202e" * 65536)
_POLICY = Policy(
    mode=Mode.ACCEPT_EDITS,
    scope=Scope(frozenset({"src/app/calc.py"})),
    tools={name: ToolContract(tool.input, tool.tier) for name, tool in TOOLS.items()},
)
_SIGHT = PresumedSight()


class Remembered:
    """`Programs` that runs each parser child once: what is left is this process's own work."""

    def __init__(self, programs: Programs) -> None:
        self._programs = programs
        self._answers = {}

    def run(self, argv, stdin, **limits):
        if stdin not in self._answers:
            self._answers[stdin] = self._programs.run(argv, stdin, **limits)
        return self._answers[stdin]


def measure() -> list[Row]:
    programs = ProcessPrograms()
    call = ToolCall("1", "Bash", {"command": COMMAND})
    parser, hook = TwoGrammars(programs), ShellHook(programs)

    def in_process() -> None:
        """The layers that need no grammar, and the limits that hold before one is asked."""
        question = Question(call, _POLICY, _SIGHT, parser)
        for name, layer in gate.LAYERS.items():
            if name != "structure":
                layer(question)
        bash_parser.unreadable(COMMAND)

    def whole() -> None:
        gate.decide(call, _POLICY, _SIGHT, parser)
        hook.ask(call, cwd="/workspace", session="bench")

    remembering = TwoGrammars(Remembered(programs))
    inside, grammar, structure, both = (
        _times(in_process, 1000),
        _times(lambda: bash_parser.second_opinion(COMMAND.encode()), 1000),
        _times(lambda: gate.decide(call, _POLICY, _SIGHT, remembering), 200),
        _times(whole, 100),
    )
    hostile = [_times(lambda text=text: gate.decide(_bash(text), _POLICY, _SIGHT, parser), 5)[-1] for text in _HOSTILE]
    return [
        Row("gate: in-process layers, 1 KB, median", inside[500] * 1e6, 200, "us"),
        Row("gate: in-process layers, 1 KB, p99", inside[990] * 1e3, 2, "ms"),
        Row("gate: the grammar in this process, 1 KB, median", grammar[500] * 1e6, 500, "us"),
        Row("gate: shfmt's tree read and played, 1 KB, median", structure[100] * 1e3, 10, "ms"),
        Row("gate: all layers, parser child and hook, 1 KB, p95", both[95] * 1e3, 50, "ms"),
        Row("gate: hostile 64 KiB, worst", max(hostile) * 1e3, 100, "ms"),
    ]


def _bash(text: str) -> ToolCall:
    return ToolCall("1", "Bash", {"command": text})


def _times(act: Callable[[], object], rounds: int) -> list[float]:
    """Seconds of each round, sorted; the first one warms up and does not count."""
    act()
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        act()
        taken.append(time.perf_counter() - start)
    return sorted(taken)


if __name__ == "__main__":
    for row in measure():
        print(
            f"{row.name:<58} {row.measured:>8.2f} <= {row.bar:<6g} {row.unit:<3} {'holds' if row.holds else 'MISSED'}"
        )
