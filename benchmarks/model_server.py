"""The scripted model in a process of its own, which also looks at its client between a reply and the next request.

As a program (`python -m benchmarks.model_server --script FILE`) it prints its URL and answers, besides the Messages
API: `GET /watch/PID` (whose process to look at from now on) and `GET /turns` (what it saw). `ModelServer` starts it.
"""

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

KEY = "test-key-0123456789"
_TICKS = 100
"""Clock ticks a second in /proc/PID/stat (sysconf SC_CLK_TCK, 100 on every Linux of today)."""


class Seen(NamedTuple):
    """The client when a request's head had been read.

    Attributes:
        gap: seconds since the reply before was sent; 0 for the first request.
        cpu: seconds the client itself has used; `children` those of its ended children.
        resident, peak: kilobytes, now and at most so far.
        bytes: of the request's body.
        at: seconds since the epoch.
    """

    gap: float
    cpu: float
    children: float
    resident: int
    peak: int
    bytes: int
    at: float


class ModelServer:
    """`with ModelServer(turns) as server:`; turns are lists of content blocks."""

    def __init__(self, turns: Sequence[Sequence[dict[str, Any]]]) -> None:
        self._file = tempfile.NamedTemporaryFile("w", suffix=".json")  # noqa: SIM115 - closed in __exit__
        json.dump([{"blocks": list(blocks)} for blocks in turns], self._file)
        self._file.flush()
        self.url = ""

    def __enter__(self) -> Self:
        argv = [sys.executable, "-m", "benchmarks.model_server", "--script", self._file.name]
        self._process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._file.close()

    @property
    def environment(self) -> dict[str, str]:
        return {"ANTHROPIC_BASE_URL": self.url, "ANTHROPIC_API_KEY": KEY}

    def watch(self, pid: int) -> None:
        self._get(f"/watch/{pid}")

    def turns(self) -> list[Seen]:
        return [Seen(*one) for one in self._get("/turns")]

    def stats(self) -> dict[str, Any]:
        return self._get("/stats")

    def _get(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path) as answer:
            return json.load(answer)


def look_at(pid: int) -> tuple[float, float, int, int]:
    """CPU seconds of a process, of its ended children, resident and peak kilobytes; zeros where it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0, 0.0, 0, 0
    own, children = int(fields[11]) + int(fields[12]), int(fields[13]) + int(fields[14])
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    return own / _TICKS, children / _TICKS, int(fields[21]) * 4, peak


def main() -> None:
    from tests.fakes.anthropic_http import Handler
    from tests.fakes.anthropic_rules import rewritten
    from tests.fakes.anthropic_server import AnthropicServer, Turn
    from tests.fakes.prompt_cache import BYTES_PER_TOKEN

    parser = argparse.ArgumentParser()
    parser.add_argument("--script", required=True)
    script = [Turn(**turn) for turn in json.loads(Path(parser.parse_args().script).read_bytes())]
    seen: list[Seen] = []
    bodies: list[bytes] = []
    watched = {"pid": 0, "answered": 0.0}

    class Server(AnthropicServer):
        def take(self, raw: bytes, headers: dict[str, str]) -> Any:
            bodies.append(raw)
            seen[-1] = seen[-1]._replace(bytes=len(raw))
            return super().take(raw, headers)

        def stats(self) -> dict[str, Any]:
            requests = [json.loads(body) for body in bodies]
            head = [requests[0].get("tools", []), requests[0].get("system", [])] if requests else []
            tokens = len(json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()) / BYTES_PER_TOKEN
            return {**super().stats(), "rewritten": rewritten(requests), "head_tokens": tokens}

    class Watching(Handler):
        def do_POST(self) -> None:  # noqa: N802 - http.server's name
            now = time.monotonic()
            gap = now - watched["answered"] if watched["answered"] else 0.0
            seen.append(Seen(gap, *look_at(int(watched["pid"])), 0, time.time()))
            super().do_POST()
            watched["answered"] = time.monotonic()

        def do_GET(self) -> None:  # noqa: N802 - http.server's name
            if self.path.startswith("/watch/"):
                watched.update(pid=int(self.path.rpartition("/")[2]), answered=0.0)
                seen.clear()
                self._json(True)
            elif self.path == "/turns":
                self._json(seen)
            else:
                super().do_GET()

        def _json(self, value: object) -> None:
            body = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with Server(script, key=KEY, validate=False) as server:
        server._http.RequestHandlerClass = Watching  # noqa: SLF001 - the one part that is watched besides
        print(server.url, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
