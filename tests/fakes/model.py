"""A model in memory that plays a script: for unit tests, without HTTP.

    model = ScriptedModel(call("Read", file_path="a.py"), say("done"), ModelUnavailable("overloaded"))

A step is a reply, an exception to raise, or a function of the request that gives either. A request beyond the script
fails the test. Every request is kept in `requests`.
"""

import itertools
import threading
from collections.abc import Callable
from typing import Any

from autofix.ports.model import Block, ModelReply, ModelRequest, StopReason, TextBlock, ToolUseBlock, Usage

Step = ModelReply | Exception | Callable[[ModelRequest], "ModelReply | Exception"]

_ids = itertools.count(1)


def say(text: str, stop_reason: StopReason | None = "end_turn", usage: Usage | None = None) -> ModelReply:
    """A reply that is text alone."""
    return ModelReply((TextBlock(text),), stop_reason, usage or Usage(input=10, output=5), "scripted")


def tool_use(name: str, /, **inputs: Any) -> ToolUseBlock:
    return ToolUseBlock(f"toolu_{next(_ids):06d}", name, inputs)


def call(name: str, /, **inputs: Any) -> ModelReply:
    """A reply that asks for one tool call."""
    return calls(tool_use(name, **inputs))


def calls(*blocks: Block, usage: Usage | None = None) -> ModelReply:
    """A reply of several blocks that asks for tool calls."""
    return ModelReply(blocks, "tool_use", usage or Usage(input=10, output=5), "scripted")


class ScriptedModel:
    """`ports.model.Model` over a script. Safe from several threads; steps are taken in order of arrival."""

    def __init__(self, *steps: Step) -> None:
        self._steps = list(steps)
        self._lock = threading.Lock()
        self.requests: list[ModelRequest] = []
        self.prepared = 0
        self.closed = 0

    def prepare(self) -> None:
        self.prepared += 1

    def close(self) -> None:
        self.closed += 1

    @property
    def left(self) -> int:
        """Steps not yet played."""
        return len(self._steps) - len(self.requests)

    def reply(self, request: ModelRequest, on_text: Callable[[str], None]) -> ModelReply:
        with self._lock:
            turn = len(self.requests)
            assert turn < len(self._steps), f"request {turn + 1}, but the script has {len(self._steps)} steps"
            self.requests.append(request)
        step = self._steps[turn]
        outcome = step(request) if callable(step) else step
        if isinstance(outcome, Exception):
            raise outcome
        for block in outcome.blocks:
            if isinstance(block, TextBlock):
                on_text(block.text)
        return outcome
