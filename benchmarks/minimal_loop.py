"""The loop everyone writes first: the anthropic SDK, one bash tool, until the model ends its turn. Nothing else.

Usage: minimal_loop.py DIRECTORY TASK; what each of its commands took, in seconds, is its only output.
"""

import json
import subprocess
import sys
import time

import anthropic

BASH = {
    "name": "bash",
    "description": "Run a bash command.",
    "input_schema": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
}
SYSTEM = "You fix failing tests. Use the bash tool; end your turn when the tests pass."


def main(directory: str, task: str) -> None:
    client, workload = anthropic.Anthropic(), []
    messages = [{"role": "user", "content": task}]
    while True:
        reply = client.messages.create(
            model="claude-sonnet-5", max_tokens=4096, system=SYSTEM, tools=[BASH], messages=messages
        )
        messages.append({"role": "assistant", "content": reply.content})
        if reply.stop_reason != "tool_use":
            break
        results = []
        for block in reply.content:
            if block.type == "tool_use":
                command = ["bash", "-c", block.input["command"]]
                began = time.monotonic()
                done = subprocess.run(command, cwd=directory, capture_output=True, check=False)
                workload.append(time.monotonic() - began)
                said = (done.stdout + done.stderr).decode(errors="replace") or "(no output)"
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": said})
        messages.append({"role": "user", "content": results})
    print(json.dumps(workload))


main(*sys.argv[1:])
