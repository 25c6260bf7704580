"""Builds the real world for one run: every door opened, every input parsed or refused, before anything is spent."""

import json
import re
import secrets
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from autofix.checks.detect import check_for_command, detect
from autofix.checks.result import Check
from autofix.cli.words import RunWords
from autofix.delivery.patch import PatchLimits
from autofix.errors import SandboxUnavailable, UsageError
from autofix.harness.denylist import DenyList
from autofix.harness.hooks import Hooks, ShellHook
from autofix.harness.policy import Mode
from autofix.harness.redact import Redactor
from autofix.harness.scope import scope_of
from autofix.harness.settings_rules import RuleSet
from autofix.intake.local import local_pull_request
from autofix.intake.pull_request import PullRequest
from autofix.loop.budget import Limits
from autofix.loop.prices import PRICES_AS_OF, Price, Rates, price_of
from autofix.pipeline.order import GateOrder, Order, World
from autofix.ports.git import Git
from autofix.ports.model import Model
from autofix.ports.sandbox import MIB, Room, SandboxSpec
from autofix.settings import CONFIGURATION_PATH, CheckSettings, Settings, parse_settings
from autofix.start import Taken
from autofix.world.clock import SystemClock
from autofix.world.disk_trees import DiskTrees
from autofix.world.git_cli import GitCli
from autofix.world.local_forge import LocalForge
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
_SECRET_NAME = re.compile(r"TOKEN|KEY|SECRET|PASSW|CREDENTIAL|AUTH", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Composed:
    """A run that is ready to start."""

    order: Order
    world: World
    directory: RunDirectory


def compose(words: RunWords, taken: Taken, on_text: Callable[[str], None]) -> Composed:
    """Everything a run needs.

    Raises:
        UsageError: an input or a configuration is wrong; nothing was left behind.
    """
    if not words.repository.is_dir():
        raise UsageError(f"--repo: {words.repository} is not a directory")
    clock = SystemClock()
    directory = RunDirectory.create(words.state_directory, _run_id(clock.now()))
    with ExitStack() as undo:
        undo.callback(directory.remove)
        composed = _composed(words, taken, directory, on_text)
        undo.pop_all()
        return composed


def _composed(words: RunWords, taken: Taken, directory: RunDirectory, on_text: Callable[[str], None]) -> Composed:
    git = GitCli(words.repository, directory.path / "repo.git")
    pull_request = local_pull_request(git, words.base, words.head)
    settings = parse_settings(git.read(pull_request.base, CONFIGURATION_PATH, POLICY_LIMIT), words.overlay())
    price = _price(settings, replay=words.replay is not None)
    redactor = Redactor(secrets_of(taken.environ))
    model = RecordingModel(_model(words, settings, taken.environ), directory.append(TRANSCRIPT_FILE, redactor.text))
    trees = DiskTrees(git, directory.path / "trees", pull_request)
    programs = ProcessPrograms()
    rules, hooks = _claude_settings(git, pull_request, trees, programs)
    order = _order(words, settings, pull_request, git=git, directory=directory, price=price, rules=rules)
    world = World(
        git=git,
        trees=trees,
        room=_room(settings),
        model=model,
        forge=LocalForge(git, pull_request, remote=words.remote, comments=words.comments or directory.comments),
        clock=SystemClock(),
        hooks=hooks,
        parser=lambda: _parser(programs),
        artifacts=directory.artifacts(),
        redactor=redactor,
        keep=directory.keep,
        on_text=on_text,
    )
    return Composed(order, world, directory)


def secrets_of(environ: Mapping[str, str]) -> dict[str, str]:
    """The values that must not leave: every variable whose name says so."""
    return {name: value for name, value in environ.items() if value and _SECRET_NAME.search(name)}


def _order(
    words: RunWords,
    settings: Settings,
    pull_request: PullRequest,
    *,
    git: Git,
    directory: RunDirectory,
    price: Price | None,
    rules: RuleSet,
) -> Order:
    limits, patch = settings.limits, settings.patch
    return Order(
        run_id=directory.path.name,
        run_directory=str(directory.path),
        pull_request=pull_request,
        scope=scope_of(pull_request, settings.scope.extra, _large_file_pointers(git, pull_request)),
        checks=_checks(words, settings, git, pull_request),
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
        price=price,
        price_basis=f"public prices of {PRICES_AS_OF}",
        patience=limits.patience,
        reruns=settings.flaky.reruns,
        fix_preexisting=settings.fix_preexisting,
        patch_limits=PatchLimits(patch.max_files, patch.max_lines, patch.max_kib * 1024),
        sandbox=_sandbox(settings, words, directory, pull_request),
        gate=_gate(settings, rules),
        delivery=settings.delivery,
        settings={"configuration": settings.model_dump_json(by_alias=True, exclude_defaults=True)},
    )


def _sandbox(settings: Settings, words: RunWords, directory: RunDirectory, pull_request: PullRequest) -> SandboxSpec:
    told = settings.sandbox
    return SandboxSpec(
        run_id=directory.path.name,
        image=told.image,
        setup_command=told.setup_command,
        setup_files=told.setup_files,
        setup_depends_on="" if told.setup_files else pull_request.head,
        setup_timeout=told.setup_timeout,
        network=told.network,
        environment=told.environment,
        hidden=(words.repository, words.state_directory),
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
    )


def _checks(words: RunWords, settings: Settings, git: Git, pull_request: PullRequest) -> tuple[Check, ...]:
    """What the caller says, else the configuration, else what the files speak of."""
    if words.checks:
        names = [command if words.checks.count(command) == 1 else "" for command in words.checks]
        return tuple(check_for_command(command, name) for command, name in zip(words.checks, names, strict=True))
    if settings.checks:
        return tuple(_check(told) for told in settings.checks)
    paths = [entry.path for entry in git.entries(pull_request.head)]
    found = detect(paths, lambda path: git.read(pull_request.head, path, POLICY_LIMIT))
    if not found:
        raise UsageError(
            "no check was recognised: name one with --check, or under [[checks]] in"
            f" {CONFIGURATION_PATH} on the base branch"
        )
    return (found[0].check,)


def _check(told: CheckSettings) -> Check:
    known = check_for_command(told.command, told.name, directory=told.directory, timeout=told.timeout)
    return replace(known, runner=told.runner or known.runner, environment=told.environment)


def _price(settings: Settings, *, replay: bool) -> Price | None:
    overrides = {
        name: Price(Rates.of(told.input, told.output, cache_write=told.cache_write, cache_read=told.cache_read))
        for name, told in settings.prices.items()
    }
    price = price_of(settings.model.name, overrides)
    if price is None and settings.limits.usd > 0 and not replay:
        raise UsageError(
            f"the price of model {settings.model.name!r} is not known, so a limit in USD cannot be kept:"
            f" give it under [prices] in {CONFIGURATION_PATH}, or say --budget-usd 0 for no limit of money"
        )
    return price


def _model(words: RunWords, settings: Settings, environ: Mapping[str, str]) -> Model:
    if words.replay is not None:
        from autofix.world.replay_model import ReplayModel

        try:
            return ReplayModel(words.replay.read_text(encoding="utf-8").splitlines())
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"--replay: cannot read {words.replay}: {error}") from error
    from autofix.world.anthropic_model import AnthropicModel

    key = environ.get("ANTHROPIC_API_KEY", "")
    if not key:
        raise UsageError("ANTHROPIC_API_KEY is not set: export the model's key, or replay a transcript with --replay")
    return AnthropicModel(key, environ.get("ANTHROPIC_BASE_URL") or None, settings.model.timeout, _proxy(environ))


def _proxy(environ: Mapping[str, str]) -> str | None:
    """A proxy with a password is not in this process's environment any more; it is handed over by name."""
    told = next((environ[name] for name in ("HTTPS_PROXY", "https_proxy") if environ.get(name)), None)
    return told if told and "@" in told else None


def _parser(programs: ProcessPrograms) -> "BashParser":
    from autofix.harness.bash.parser import TwoGrammars

    return TwoGrammars(programs)


def _room(settings: Settings) -> Room:
    from autofix.world.rooms import best_room, room

    name = settings.sandbox.room
    try:
        chosen = best_room() if name is None else room(name)
    except SandboxUnavailable as error:
        raise UsageError(f"{error} (or say --sandbox host to run without one)") from error
    reason = chosen.unavailable()
    if reason:
        raise UsageError(f"--sandbox {name}: {reason}")
    chosen.sweep()  # what runs that were killed left behind
    return chosen


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


def _large_file_pointers(git: Git, pull_request: PullRequest) -> frozenset[str]:
    """Changed paths that only point to a large file kept elsewhere; looked for where the head speaks of such files."""
    attributes = [entry.blob for entry in git.entries(pull_request.head) if entry.path.endswith(".gitattributes")]
    if not any(b"filter=lfs" in content for _, content in git.blobs(attributes)):
        return frozenset()
    paths = {change.new_blob: change.path for change in pull_request.changes if change.new_blob is not None}
    return frozenset(paths[blob] for blob, content in git.blobs(paths) if content.startswith(_LFS))


def _run_id(now: datetime) -> str:
    return f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
