"""The least a loop can cost: the standard library's HTTP client, no SDK, and cache marks where they pay.

Usage: floor_loop.py DIRECTORY TASK; what each of its commands took, in seconds, is its only output.
"""

import http.client
import json
import os
import subprocess
import sys
import time
from urllib.parse import urlsplit

MARK = {"type": "ephemeral"}
BASH = {
    "name": "bash",
    "description": "Run a bash command.",
    "input_schema": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
}
SYSTEM = [{"type": "text", "text": "You fix failing tests. Use the bash tool.", "cache_control": MARK}]
HEADERS = {
    "authorization": f"Bearer {os.environ['ANTHROPIC_API_KEY']}",
    "anthropic-version": "2026-10-21",
    "content-type": "application/json",
}


def ask(connection: http.client.HTTPConnection, messages: list) -> dict:
    """One request: the last message carries the mark the next one will read from."""
    *before, last = messages
    content = [*last["content"][:-1], {**last["content"][-1], "cache_control": MARK}]
    body = {
        "model": "claude-sonnet-5",
        "max_tokens": 4096,
        "system": SYSTEM,
        "tools": [BASH],
        "messages": [*before, {**last, "content": content}],
    }
    connection.request("POST", "/v1/messages", json.dumps(body), HEADERS)
    return json.loads(connection.getresponse().read())


def main(directory: str, task: str) -> None:
    host = urlsplit(os.environ["ANTHROPIC_BASE_URL"]).netloc
    connection, workload = http.client.HTTPConnection(host), []
    messages: list[dict] = [{"role": "user", "content": [{"type": "text", "text": task}]}]
    while True:
        reply = ask(connection, messages)
        messages.append({"role": "assistant", "content": reply["content"]})
        if reply["stop_reason"] != "tool_use":
            break
        results = []
        for block in reply["content"]:
            if block["type"] == "tool_use":
                command = ["bash", "-c", block["input"]["command"]]
                began = time.monotonic()
                done = subprocess.run(command, cwd=directory, capture_output=True, check=False)
                workload.append(time.monotonic() - began)
                said = (done.stdout + done.stderr).decode(errors="replace") or "(no output)"
                results.append({"type": "tool_result", "tool_use_id": block["id"], "content": said})
        messages.append({"role": "user", "content": results})
    connection.close()
    print(json.dumps(workload))


main(*sys.argv[1:])
