"""What the Messages API refuses, checked on a request's body.

Two kinds of rules: the shape, by the SDK's own types (every key known, every value of its type), and the rules between
messages, which the types do not know.
"""

import functools
import itertools
import re

from tests.fakes.prompt_cache import blocks_of

_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_MARKS = 4


def shape_violations(body: dict) -> list[str]:
    """What the SDK's types say; imports the SDK at the first call."""
    import pydantic

    try:
        validated = _forced(_adapter(bool(body.get("stream"))).validate_python(body))
    except pydantic.ValidationError as error:
        return [f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors()[:5]]
    return [] if validated == body else ["the body has a key that the API's types do not know"]


@functools.cache
def _adapter(streaming: bool):
    import pydantic
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming, MessageCreateParamsStreaming

    return pydantic.TypeAdapter(MessageCreateParamsStreaming if streaming else MessageCreateParamsNonStreaming)


def _forced(value):
    """Walk into the types' lazy iterables: what nobody iterates is not validated."""
    if isinstance(value, dict):
        return {key: _forced(inner) for key, inner in value.items()}
    if isinstance(value, list) or type(value).__name__ == "ValidatorIterator":
        return [_forced(inner) for inner in value]
    return value


def message_violations(body: dict) -> list[str]:
    """What the rules between messages say."""
    found: list[str] = []
    found += _tool_violations(body.get("tools", []))
    found += _cache_violations(body)
    messages = body.get("messages", [])
    if not messages or messages[0]["role"] != "user":
        found.append("the first message is not the user's")
    open_calls: list[str] = []
    seen: set[str] = set()
    for index, message in enumerate(messages):
        where = f"messages[{index}]"
        if index and message["role"] == messages[index - 1]["role"]:
            found.append(f"{where}: two messages of one role in a row")
        blocks = message["content"]
        blocks = [{"type": "text", "text": blocks}] if isinstance(blocks, str) else blocks
        if not blocks:
            found.append(f"{where}: no content")
        found += [
            f"{where}: an empty text block" for block in blocks if block["type"] == "text" and not block["text"].strip()
        ]
        if message["role"] == "user":
            found += _result_violations(where, blocks, open_calls)
            open_calls = []
        else:
            calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
            found += [
                f"{where}: tool_use id {id_} is not unique" for id_ in calls if id_ in seen or calls.count(id_) > 1
            ]
            seen.update(calls)
            open_calls = calls
    if open_calls:
        found.append("the last message has tool calls without results")
    return found


def _result_violations(where: str, blocks: list[dict], open_calls: list[str]) -> list[str]:
    results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    leading = []
    for block in blocks:
        if block["type"] != "tool_result":
            break
        leading.append(block["tool_use_id"])
    found = []
    if leading != results:
        found.append(f"{where}: a tool_result stands after other content")
    if sorted(results) != sorted(open_calls):
        found.append(f"{where}: tool calls {open_calls} are answered by results for {results}")
    return found


def _tool_violations(tools: list[dict]) -> list[str]:
    names = [tool.get("name", "") for tool in tools]
    found = [f"tool name {name!r} does not match the pattern" for name in names if not _TOOL_NAME.fullmatch(name)]
    if len(set(names)) != len(names):
        found.append("two tools of one name")
    found += [
        f"tool {tool.get('name')}: input_schema is no object schema"
        for tool in tools
        if "input_schema" in tool and tool["input_schema"].get("type") != "object"
    ]
    return found


def _cache_violations(body: dict) -> list[str]:
    marked = [(place, block) for place, block in blocks_of(body) if "cache_control" in block]
    found = [f"{len(marked)} cache marks, {_MARKS} at most"] if len(marked) > _MARKS else []
    found += [
        f"{place}: {block['type']} cannot carry a cache mark"
        for place, block in marked
        if block.get("type") in {"thinking", "redacted_thinking"}
    ]
    return found


def rewritten(bodies: list[dict]) -> list[str]:
    """Where a request changed what an earlier one had sent, cache marks aside: its history is not append-only."""
    found = []
    for number, (one, other) in enumerate(itertools.pairwise(bodies), 1):
        before, after = ([(p, _unmarked(block)) for p, block in blocks_of(body)] for body in (one, other))
        if after[: len(before)] != before:
            changed = next((p for (p, b), now in zip(before, after, strict=False) if (p, b) != now), "the end")
            found.append(f"request {number + 1} rewrote {changed} of request {number}")
    return found


def _unmarked(block: dict) -> dict:
    return {key: value for key, value in block.items() if key != "cache_control"}
