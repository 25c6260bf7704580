"""The conversation with the model: append-only, in the shape the API demands.

Roles take turns, every tool use is answered at the start of the next user message, no text block is empty. Blocks
of a reply that was cut off are not kept where they are unfinished: they would be acted on, or refused by the API.
"""

from collections.abc import Sequence

from autofix.ports.model import (
    Block,
    Message,
    ModelReply,
    ModelRequest,
    OpaqueBlock,
    TextBlock,
    ToolResultBlock,
    ToolSpec,
    ToolUseBlock,
)

_CUT = "(cut off)"


class Conversation:
    """One task's history. `request` is cheap: nothing is copied, nothing rewritten."""

    def __init__(self, *, model: str, system: str, tools: Sequence[ToolSpec], task: str, max_tokens: int) -> None:
        self._model = model
        self._system = system
        self._tools = tuple(tools)
        self._max_tokens = max_tokens
        self._messages: list[Message] = [Message("user", (TextBlock(task),))]

    @property
    def messages(self) -> Sequence[Message]:
        return self._messages

    def request(self) -> ModelRequest:
        return ModelRequest(self._model, self._system, self._tools, self._messages, self._max_tokens)

    def add_reply(self, reply: ModelReply) -> None:
        """Keep what the model said; of a reply cut by a limit only what is whole."""
        whole = reply.stop_reason in {"tool_use", "end_turn", "stop_sequence", "pause_turn"}
        kept: tuple[Block, ...] = tuple(block for block in reply.blocks if _keepable(block, whole=whole))
        before: tuple[Block, ...] = ()
        if self._messages[-1].role == "assistant":  # the service paused: this reply is the rest of that message
            before = self._messages.pop().blocks
        self._messages.append(Message("assistant", (*before, *kept) or (TextBlock(_CUT),)))

    def add_results(self, results: Sequence[ToolResultBlock], note: str = "") -> None:
        """Answer the tool uses of the last reply, and say something after them."""
        notes = (TextBlock(note),) if note else ()
        self._messages.append(Message("user", (*results, *notes)))

    def add_text(self, text: str) -> None:
        self._messages.append(Message("user", (TextBlock(text),)))


def _keepable(block: Block, *, whole: bool) -> bool:
    match block:
        case TextBlock(text):
            return bool(text.strip())
        case ToolUseBlock() | OpaqueBlock():
            return whole
        case ToolResultBlock():
            return False
