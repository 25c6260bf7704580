"""What every way of starting a run puts together in the same way: the order and the doors, from a settled ground."""

import json
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from autofix.checks.result import Check
from autofix.cli.check_choice import Project, choose_checks
from autofix.cli.remembering import case_memory
from autofix.delivery.patch import PatchLimits
from autofix.errors import SandboxUnavailable, UsageError
from autofix.harness.denylist import DenyList
from autofix.harness.hooks import Hooks, ShellHook
from autofix.harness.policy import Mode
from autofix.harness.redact import Redactor
from autofix.harness.scope import scope_of
from autofix.harness.settings_rules import RuleSet
from autofix.intake.pull_request import PullRequest
from autofix.loop.budget import Limits
from autofix.loop.prices import PRICES_AS_OF, Price, Rates, price_of
from autofix.pipeline.order import GateOrder, Order, World
from autofix.ports.clock import Clock
from autofix.ports.forge import Forge
from autofix.ports.git import Git
from autofix.ports.model import Model
from autofix.ports.sandbox import MIB, Room, SandboxSpec
from autofix.settings import CONFIGURATION_PATH, Settings
from autofix.world.disk_trees import DiskTrees
from autofix.world.process import ProcessPrograms
from autofix.world.replay_model import RecordingModel
from autofix.world.run_directory import RunDirectory

if TYPE_CHECKING:
    from autofix.harness.bash.syntax import BashParser

POLICY_LIMIT = 1024 * 1024
"""Bytes of a policy file; a larger one is a mistake."""
CLAUDE_SETTINGS = ".claude/settings.json"
TRANSCRIPT_FILE = "transcript.jsonl"
_LFS = b"version https://git-lfs.github.com/spec/"
_SECRET_NAME = re.compile(r"TOKEN|KEY|SECRET|PASSW|CREDENTIAL|AUTH|OTLP_(?:TRACES_)?HEADERS", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Composed:
    """A run that is ready to start."""

    order: Order
    world: World
    directory: RunDirectory


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What is known before a run is put together.

    Attributes:
        checks: commands the caller named; () for none.
        place: directory of the checks the caller named or that are detected, relative to the repository.
        hidden: host paths that rooms on the host's file system must not show.
        paid: whether model calls cost money.
        check_word: what the caller would name a check with, for the message that none was found.
        findings: as in `Order`.
    """

    git: Git
    directory: RunDirectory
    pull_request: PullRequest
    settings: Settings
    redactor: Redactor
    checks: tuple[str, ...] = ()
    place: str = "."
    hidden: tuple[Path, ...] = ()
    paid: bool = True
    check_word: str = "--check"
    findings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors:
    """The doors that differ from one way of starting to another. `room` is opened last: it is the slowest."""

    model: Model
    forge: Forge
    room: Callable[[], Room]
    clock: Clock
    on_text: Callable[[str], None] = lambda _text: None


def put_together(ground: Ground, doors: Doors) -> Composed:
    """Everything a run needs.

    Raises:
        UsageError: a configuration is wrong.
    """
    directory, redactor = ground.directory, ground.redactor
    trees = DiskTrees(ground.git, directory.path / "trees", ground.pull_request)
    programs = ProcessPrograms()
    rules, hooks = _claude_settings(ground.git, ground.pull_request, trees, programs)
    order, room = _order(ground, rules), doors.room()
    world = World(
        git=ground.git,
        trees=trees,
        room=room,
        model=RecordingModel(doors.model, directory.append(TRANSCRIPT_FILE, redactor.text)),
        forge=doors.forge,
        clock=doors.clock,
        hooks=hooks,
        parser=lambda: _parser(programs),
        artifacts=directory.artifacts(),
        memory=directory.memory(),
        redactor=redactor,
        keep=directory.keep,
        on_text=doors.on_text,
        cases=case_memory(directory, ground.git, ground.pull_request, room, order.sandbox),
    )
    return Composed(order, world, directory)


def secrets_of(environ: Mapping[str, str]) -> dict[str, str]:
    """The values that must not leave: every variable whose name says so."""
    return {name: value for name, value in environ.items() if value and _SECRET_NAME.search(name)}


def run_id(now: datetime) -> str:
    return f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


def proxy(environ: Mapping[str, str]) -> str | None:
    """A proxy with a password is not in this process's environment any more; it is handed over by name."""
    told = next((environ[name] for name in ("HTTPS_PROXY", "https_proxy") if environ.get(name)), None)
    return told if told and "@" in told else None


def open_room(settings: Settings, word: str = "--sandbox") -> Room:
    """The room the settings name, else the best there is; `word` is what the caller chooses one with.

    Raises:
        UsageError: there is none.
    """
    from autofix.world.rooms import best_room, room

    name, files = settings.sandbox.room, settings.sandbox.files
    try:
        chosen = best_room(files=files) if name is None else room(name, files)
    except SandboxUnavailable as error:
        raise UsageError(f"{error} (or say {word} host to run without one)") from error
    reason = chosen.unavailable()
    if reason:
        raise UsageError(f"{word} {name}: {reason}")
    chosen.sweep()  # what runs that were killed left behind
    return chosen


def _order(ground: Ground, rules: RuleSet) -> Order:
    settings, git, pull_request, directory = ground.settings, ground.git, ground.pull_request, ground.directory
    limits, patch = settings.limits, settings.patch
    return Order(
        run_id=directory.path.name,
        run_directory=str(directory.path),
        pull_request=pull_request,
        scope=scope_of(pull_request, settings.scope.extra, large_file_pointers(git, pull_request)),
        checks=checks_of(ground),
        model=settings.model.name,
        max_output_tokens=settings.model.max_output_tokens,
        model_tries=settings.model.tries,
        limits=Limits(
            turns=limits.turns,
            usd=limits.usd,
            seconds=limits.minutes * 60,
            tool_calls=limits.tool_calls,
            input_tokens=limits.input_tokens,
            output_tokens=limits.output_tokens,
            invalid_calls=limits.invalid_calls,
            output_tokens_per_call=settings.model.max_output_tokens,
        ),
        price=_price(ground),
        price_basis=f"public prices of {PRICES_AS_OF}",
        patience=limits.patience,
        reruns=settings.flaky.reruns,
        fix_preexisting=settings.fix_preexisting,
        patch_limits=PatchLimits(patch.max_files, patch.max_lines, patch.max_kib * 1024),
        sandbox=sandbox_of(ground),
        gate=_gate(settings, rules),
        delivery=settings.delivery,
        findings=ground.findings,
        trace=("content" if settings.trace.content else "spans") if settings.trace.otlp else None,
        settings={"configuration": settings.model_dump_json(by_alias=True, exclude_defaults=True)},
    )


def sandbox_of(ground: Ground) -> SandboxSpec:
    told = ground.settings.sandbox
    return SandboxSpec(
        run_id=ground.directory.path.name,
        image=told.image,
        setup_command=told.setup_command,
        setup_files=told.setup_files,
        setup_depends_on="" if told.setup_files else ground.pull_request.head,
        setup_timeout=told.setup_timeout,
        network=told.network,
        environment=told.environment,
        hidden=ground.hidden,
        memory_bytes=told.memory_mib * MIB,
        cpus=told.cpus,
        pids=told.pids,
    )


def _gate(settings: Settings, rules: RuleSet) -> GateOrder:
    return GateOrder(
        mode=Mode(settings.gate.mode),
        denylist=DenyList.build([told.pattern for told in settings.gate.deny], off=settings.gate.off),
        rules=rules,
        tests_edit=settings.tests.edit,
        questions=timedelta(days=settings.state.ttl_days) if settings.gate.ask == "pause" else None,
    )


def checks_of(ground: Ground) -> tuple[Check, ...]:
    """What the caller says, else the configuration, else what the files speak of."""
    project = Project(ground.git, ground.pull_request.head, ground.place, ground.pull_request.touched)
    choice = choose_checks(ground.checks, ground.settings.checks, project)
    if not choice.taken:
        raise UsageError(
            f"no check was recognised: name one with {ground.check_word}, or under [[checks]] in"
            f" {CONFIGURATION_PATH} on the base branch"
        )
    return choice.checks


def _price(ground: Ground) -> Price | None:
    settings = ground.settings
    overrides = {
        name: Price(Rates.of(told.input, told.output, cache_write=told.cache_write, cache_read=told.cache_read))
        for name, told in settings.prices.items()
    }
    price = price_of(settings.model.name, overrides)
    if price is None and settings.limits.usd > 0 and ground.paid:
        raise UsageError(
            f"the price of model {settings.model.name!r} is not known, so a limit in USD cannot be kept:"
            f" give it under [prices] in {CONFIGURATION_PATH}, or set the budget to 0 USD for no limit of money"
        )
    return price


def _claude_settings(
    git: Git, pull_request: PullRequest, trees: DiskTrees, programs: ProcessPrograms
) -> tuple[RuleSet, Hooks]:
    """Rules and hooks of `.claude/settings.json` on the base commit; the head's version is only ever data (I2)."""
    content = git.read(pull_request.base, CLAUDE_SETTINGS, POLICY_LIMIT)
    if content is None:
        return RuleSet(), Hooks(programs, ShellHook(programs))
    from autofix.harness.hook_settings import parse_hooks

    text = content.decode("utf-8", "replace")
    rules = RuleSet.from_settings(text, CLAUDE_SETTINGS)
    commands = parse_hooks(json.loads(text).get("hooks", {}), source=CLAUDE_SETTINGS)
    files = str(trees.open(pull_request.base, "base-files").path) if commands else "/"
    return rules, Hooks(programs, ShellHook(programs), commands, files)


def large_file_pointers(git: Git, pull_request: PullRequest) -> frozenset[str]:
    """Changed paths that only point to a large file kept elsewhere; looked for where the head speaks of such files."""
    attributes = [entry.blob for entry in git.entries(pull_request.head) if entry.path.endswith(".gitattributes")]
    if not any(b"filter=lfs" in content for _, content in git.blobs(attributes)):
        return frozenset()
    paths = {change.new_blob: change.path for change in pull_request.changes if change.new_blob is not None}
    return frozenset(paths[blob] for blob, content in git.blobs(paths) if content.startswith(_LFS))


def _parser(programs: ProcessPrograms) -> "BashParser":
    from autofix.harness.bash.parser import TwoGrammars

    return TwoGrammars(programs)
