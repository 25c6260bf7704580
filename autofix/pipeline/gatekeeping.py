"""Who is asked about the calls of one fix task: the gate's layers over its tree, and the team's hooks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from autofix.checks.measure import is_test_file
from autofix.harness.asking import Judge
from autofix.harness.call import Ruling, ToolCall
from autofix.harness.dispatch import AfterHook
from autofix.harness.gate import Policy, ToolContract, decide, fold
from autofix.harness.protected import protected
from autofix.harness.scope import Scope
from autofix.harness.tools import TOOLS
from autofix.loop.turn import StopHooks
from autofix.pipeline.bench import Bench
from autofix.pipeline.order import Order
from autofix.pipeline.workspace import Workplace
from autofix.ports.model import JsonObject
from autofix.ports.tree import WorkTree


@dataclass(frozen=True, slots=True)
class TreeSight:
    """`harness.gate.Sight` over a work tree and the commit it was made from."""

    tree: WorkTree
    tracked: frozenset[str]
    directories: frozenset[str]

    @classmethod
    def of(cls, tree: WorkTree, paths: frozenset[str]) -> "TreeSight":
        parents = {parent for path in paths for parent in _parents(path)}
        return cls(tree, paths, frozenset(parents))

    def real_path(self, path: str) -> str:
        return self.tree.real_path(path)

    def is_tracked(self, path: str) -> bool:
        return path in self.tracked or path in self.directories

    def is_directory(self, path: str) -> bool:
        return path in self.directories


def gate_of(bench: Bench, scope: Callable[[], Scope]) -> Judge:
    """The layers and the hooks as one judge. `scope` is asked before each call: a person may have widened it."""
    order, world, workplace = bench.order, bench.world, bench.workplace
    policy = policy_of(order, workplace, sandboxed=world.room.name != "host")
    paths = frozenset(entry.path for entry in world.git.entries(order.pull_request.head))
    sight = TreeSight.of(workplace.tree, paths)

    parser = world.parser()

    def judge(call: ToolCall) -> Ruling:
        layers = decide(call, replace(policy, scope=scope()), sight, parser).opinions
        hooks = world.hooks.before(call, cwd=workplace.sandbox.root, session=order.run_id)
        opinions = (*layers, *hooks)
        return Ruling(fold(opinions), opinions)

    return judge


def policy_of(order: Order, workplace: Workplace, *, sandboxed: bool) -> Policy:
    """What the layers of the gate judge by."""
    return Policy(
        mode=order.gate.mode,
        scope=order.scope,
        tools={name: ToolContract(tool.input, tool.tier) for name, tool in TOOLS.items()},
        sandboxed=sandboxed,
        denylist=order.gate.denylist,
        rules=order.gate.rules,
        protected=protected,
        tests_edit=order.gate.tests_edit,
        is_test=is_test_file,
        workspace=workplace.sandbox.root,
        workspace_aliases=(str(workplace.tree.path),),
    )


def after_hook_of(bench: Bench) -> AfterHook:
    """The hooks that are told of each call."""

    def tell(call: ToolCall, result: str) -> str:
        cwd = bench.workplace.sandbox.root
        said = bench.world.hooks.after(call, result, cwd=cwd, session=bench.order.run_id)
        return "\n".join(said.feedback)

    return tell


def stop_hooks_of(bench: Bench) -> StopHooks | None:
    """The hooks that are asked before the end; None where there is none."""
    if not bench.world.hooks.guard_the_end:
        return None
    redact = bench.world.redactor.text

    def ask(*, active: bool) -> JsonObject:
        cwd = bench.workplace.sandbox.root
        said = bench.world.hooks.stop(cwd=cwd, session=bench.order.run_id, active=active)
        return {"blocked": redact(said.blocked or ""), "feedback": redact("\n".join(said.feedback))}

    return ask


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
