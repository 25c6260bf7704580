"""Bare repositories over git's smart HTTP on the loopback: every request goes to the real `git http-backend`.

So clone, fetch and push behave as git itself does, with its refusals and its hooks. Logging in works as on GitHub: a
token as the password of any user name, 401 without one, 403 for a push with a token that may only read.
"""

import base64
import gzip
import os
import subprocess
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests.fakes.repositories import ENVIRONMENT


@dataclass(frozen=True)
class GitRequest:
    """What was asked, and whether a token came along; never the token."""

    method: str
    path: str
    push: bool
    token: bool


@cache
def _backend() -> str:
    where = subprocess.run(["git", "--exec-path"], capture_output=True, check=True, text=True, env=ENVIRONMENT).stdout
    return str(Path(where.strip()) / "git-http-backend")


class GitHttpServer:
    """Serves `root/owner/name.git`. `may_push` maps each known token to whether it may push."""

    def __init__(
        self,
        root: Path,
        may_push: Mapping[str, bool],
        *,
        public: bool = False,
        before: Callable[[], None] | None = None,
    ) -> None:
        self.root = root
        self.may_push = may_push
        self.public = public
        self.before = before
        self.requests: list[GitRequest] = []
        self.down = False
        handler = type("Handler", (_Handler,), {"server_side": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # head and body in one packet: two wait 40 ms for an acknowledgement
    server_side: GitHttpServer

    def log_message(self, *_) -> None:
        pass

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        self._serve(self._body())

    def _serve(self, body: bytes) -> None:
        side = self.server_side
        url = urlsplit(self.path)
        path = unquote(url.path)
        push = "service=git-receive-pack" in url.query or path.endswith("/git-receive-pack")
        token = self._token()
        side.requests.append(GitRequest(self.command, path, push, token is not None))
        if side.down:
            self._answer(503, "the service is down\n")
        elif ".." in path.split("/"):
            self._answer(400, "bad path\n")
        elif token is not None and token not in side.may_push:
            self._answer(401, "Bad credentials\n", ("WWW-Authenticate", 'Basic realm="GitHub"'))
        elif token is None and (push or not side.public):
            self._answer(401, "Authentication required\n", ("WWW-Authenticate", 'Basic realm="GitHub"'))
        elif push and not side.may_push[token or ""]:
            self._answer(403, "Write access to repository not granted.\n")
        else:
            if side.before is not None:
                side.before()
            self._run(path, url.query, body)

    def _run(self, path: str, query: str, body: bytes) -> None:
        environment = {
            **ENVIRONMENT,
            "GIT_PROJECT_ROOT": str(self.server_side.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "REMOTE_ADDR": "127.0.0.1",
            "REMOTE_USER": "token",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "GIT_CONFIG_COUNT": "4",
            "GIT_CONFIG_KEY_0": "http.receivepack",
            "GIT_CONFIG_VALUE_0": "true",
            "GIT_CONFIG_KEY_1": "safe.directory",
            "GIT_CONFIG_VALUE_1": "*",
            "GIT_CONFIG_KEY_2": "uploadpack.allowAnySHA1InWant",
            "GIT_CONFIG_VALUE_2": "true",
            "GIT_CONFIG_KEY_3": "receive.autogc",
            "GIT_CONFIG_VALUE_3": "false",
            **({"GIT_PROTOCOL": self.headers["Git-Protocol"]} if self.headers.get("Git-Protocol") else {}),
        }
        done = subprocess.run([_backend()], input=body, capture_output=True, env=environment, check=False, cwd=os.sep)
        head, found, rest = done.stdout.partition(b"\r\n\r\n")
        if not found:
            self._answer(500, done.stderr.decode(errors="replace") or "no answer\n")
            return
        fields = [line.partition(": ")[::2] for line in head.decode("latin-1").split("\r\n")]
        status = next((int(value.split()[0]) for name, value in fields if name.lower() == "status"), 200)
        self.send_response(status)
        for name, value in fields:
            if name.lower() != "status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        self.wfile.write(rest)

    def _answer(self, status: int, text: str, *headers: tuple[str, str]) -> None:
        body = text.encode()
        self.send_response(status)
        for name, value in (("Content-Type", "text/plain"), ("Content-Length", str(len(body))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _token(self) -> str | None:
        kind, _, value = self.headers.get("Authorization", "").partition(" ")
        if kind.lower() != "basic":
            return value.strip() or None
        return base64.b64decode(value).decode().partition(":")[2]

    def _body(self) -> bytes:
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            parts = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            while self.rfile.readline().strip():
                pass
            data = b"".join(parts)
        else:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return gzip.decompress(data) if self.headers.get("Content-Encoding", "").lower() == "gzip" else data
