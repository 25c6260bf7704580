"""What the command line of `run` says, as a value, and as an overlay of the configuration."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from autofix.errors import UsageError
from autofix.settings import overlay


@dataclass(frozen=True, slots=True, kw_only=True)
class RunWords:
    """The options of `autofix run`, paths already absolute. None and () mean: not said."""

    repository: Path
    base: str = "main"
    head: str = "HEAD"
    checks: tuple[str, ...] = ()
    model: str | None = None
    replay: Path | None = None
    sandbox: str | None = None
    sandbox_image: str | None = None
    sandbox_files: str | None = None
    setup_command: str | None = None
    delivery: str | None = None
    remote: str | None = None
    budget_usd: str | None = None
    max_turns: int | None = None
    max_minutes: float | None = None
    mode: str | None = None
    trace: bool = False
    state_directory: Path
    comments: Path | None = None
    base_branch: str = ""
    """What `base` is called, where it is a commit id: a resumed run keeps to the base it was started with."""

    def overlay(self) -> dict[str, Any]:
        """Nested tables in the shape of `.github/autofix.toml`, with what was said only."""
        return overlay(
            {
                ("model", "name"): self.model,
                ("sandbox", "room"): self.sandbox,
                ("sandbox", "image"): self.sandbox_image,
                ("sandbox", "files"): self.sandbox_files,
                ("sandbox", "setup-command"): self.setup_command,
                ("limits", "usd"): self.budget_usd,
                ("limits", "turns"): self.max_turns,
                ("limits", "minutes"): self.max_minutes,
                ("gate", "mode"): self.mode,
                ("trace", "otlp"): self.trace or None,
                ("delivery",): self.delivery,
            }
        )


_PATHS = ("repository", "replay", "state_directory", "comments")


def words_to_json(words: RunWords) -> bytes:
    """For the run's directory, so that the run can be resumed. There is no secret among them."""
    return json.dumps(asdict(words), default=str, indent=1).encode()


def words_from_json(content: bytes) -> RunWords:
    """Raises UsageError where this is not what `words_to_json` wrote."""
    try:
        told = json.loads(content)
        paths = {name: Path(told[name]) for name in _PATHS if told[name] is not None}
        return RunWords(**{**told, **paths, "checks": tuple(told["checks"])})
    except (ValueError, TypeError, KeyError) as error:
        raise UsageError(f"the run cannot be resumed: its options were not kept whole ({error})") from error
