"""A GitHub on the loopback: real HTTP, real git, state, pages, limits, and faults on command.

    github = FakeGitHub(tmp_path)
    repo = github.state.add_repo("acme/widgets")
    github.state.add_token("secret")
    door = open_github("acme/widgets", "secret", clock, api_url=github.api_url)
    ...
    github.close()   # raises where an exchange was not as GitHub describes it

Three ports: the API, the storage that logs and artifacts are redirected to, and git. Every request and every answer of
the API is checked against GitHub's description; what differs is kept in `violations`.
"""

import hashlib
import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from tests.fakes import github_check_routes, github_git_routes, github_graphql, github_pull_routes, github_talk_routes
from tests.fakes.git_http import GitHttpServer
from tests.fakes.github_contract import Contract
from tests.fakes.github_route import Ask, ProblemError, Reply, Route
from tests.fakes.github_state import Repo, State

_ROUTES = [
    (route, route.pattern)
    for module in (github_pull_routes, github_check_routes, github_talk_routes, github_git_routes)
    for route in module.ROUTES
]


@dataclass(frozen=True)
class Request:
    """What reached the API. `authorization` is the kind alone ("token"), never the token."""

    method: str
    path: str
    query: str
    authorization: str
    conditional: bool
    body: Any


@dataclass
class Fault:
    """What happens instead of an answer, `times` times, to requests whose "METHOD /path" matches.

    Attributes:
        after: the request takes effect first, and only its answer is lost.
        status: 0 cuts the connection.
    """

    pattern: str
    status: int
    message: str = "Server Error"
    headers: dict[str, str] = field(default_factory=dict)
    times: int = 1
    after: bool = False


class FakeGitHub:
    """`prefix` is "" for github.com's shape and "/api/v3" for an Enterprise server's."""

    def __init__(self, root: Path, *, prefix: str = "", public: bool = False) -> None:
        self.prefix = prefix
        self.requests: list[Request] = []
        self.storage_requests: list[tuple[str, str | None]] = []
        """(path, Authorization header) of everything the storage was asked for."""
        self.faults: list[Fault] = []
        self.violations: list[str] = []
        self.storage_cut: int | None = None
        self.lock = threading.RLock()
        self.state = State(root / "git")
        self._api = _serve(type("Api", (_ApiHandler,), {"github": self}))
        self._storage = _serve(type("Storage", (_StorageHandler,), {"github": self}))
        self.state.address = f"http://127.0.0.1:{self._api.server_address[1]}"
        self.state.storage = f"http://127.0.0.1:{self._storage.server_address[1]}"
        self.contract = Contract(self.state.address)
        self.git = GitHttpServer(self.state.root, _MayPush(self.state), public=public, before=self._before_git)
        self.state.git_url = self.git.url

    @property
    def api_url(self) -> str:
        return f"{self.state.address}{self.prefix}"

    def clone_url(self, repo: Repo) -> str:
        return f"{self.git.url}/{repo.full_name}.git"

    def fail(self, pattern: str, status: int, message: str = "Server Error", **more: Any) -> None:
        self.faults.append(Fault(pattern, status, message, **more))

    def asked(self, method: str, pattern: str) -> list[Request]:
        return [one for one in self.requests if one.method == method and re.search(pattern, one.path)]

    def close(self) -> None:
        """Raises where anything that was said could not have been said to or by GitHub."""
        for server in (self._api, self._storage):
            server.shutdown()
            server.server_close()
        self.git.close()
        if self.violations:
            raise AssertionError("not as GitHub describes it:\n" + "\n".join(self.violations))

    def _before_git(self) -> None:
        with self.lock:
            self.state.sync_pulls()

    def fault_for(self, method: str, path: str) -> Fault | None:
        for fault in self.faults:
            if fault.times > 0 and re.search(fault.pattern, f"{method} {path}"):
                fault.times -= 1
                return fault
        return None


class _MayPush(dict[str, bool]):
    """Tokens as the git server sees them, read from the state each time."""

    def __init__(self, state: State) -> None:
        super().__init__()
        self._state = state

    def __contains__(self, token: object) -> bool:
        return token in self._state.tokens

    def __getitem__(self, token: str) -> bool:
        return self._state.tokens[token].may("contents", "write")


def _serve(handler: type[BaseHTTPRequestHandler]) -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=partial(server.serve_forever, poll_interval=0.02), daemon=True).start()
    return server


class _ApiHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # head and body in one packet: two wait 40 ms for an acknowledgement
    github: FakeGitHub

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._handle()

    def do_POST(self) -> None:
        self._handle()

    def do_PATCH(self) -> None:
        self._handle()

    def do_DELETE(self) -> None:
        self._handle()

    def _handle(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = urlsplit(self.path)
        path = url.path.removeprefix(self.github.prefix)
        kind, _, token = self.headers.get("Authorization", "").partition(" ")
        body = json.loads(data) if data else None
        conditional = "If-None-Match" in self.headers
        self.github.requests.append(Request(self.command, path, url.query, kind, conditional, body))
        fault = self.github.fault_for(self.command, path)
        if fault is not None and not fault.after:
            self._fail(fault)
            return
        with self.github.lock:
            send = self._answer(path, url.query, data, body, token)
        if fault is not None:
            self._fail(fault)
        else:
            send()

    def _fail(self, fault: Fault) -> None:
        if fault.status == 0:
            self.close_connection = True
            self.connection.close()
            return
        self._send(fault.status, json.dumps({"message": fault.message}).encode(), fault.headers)

    def _answer(self, path: str, query: str, data: bytes, body: Any, token: str) -> Callable[[], None]:
        """Do what is asked; how to send the answer."""
        identity = self.github.state.tokens.get(token)
        if identity is None:
            return partial(self._send, 401, b'{"message":"Bad credentials"}')
        if path in {"/graphql", "/api/graphql"}:
            found, broken = github_graphql.answer(self.github.state, identity, body)
            self.github.violations += [f"graphql: {problem}" for problem in broken]
            return partial(self._send, 200, json.dumps(found).encode())
        for route, pattern in _ROUTES:
            match = pattern.fullmatch(path)
            if match and route.method == self.command:
                params = {name: unquote(value) for name, value in match.groupdict().items()}
                ask = Ask(self.github.state, identity, params, dict(parse_qsl(query)), body or {})
                return self._routed(route, ask, path, data)
        return partial(self._send, 404, b'{"message":"Not Found"}')

    def _routed(self, route: Route, ask: Ask, path: str, data: bytes) -> Callable[[], None]:
        contract = self.github.contract
        headers = dict(self.headers.items())
        if problem := contract.request_problem(self.command, path, ask.query, headers, data):
            self.github.violations.append(f"request {self.command} {path}: {problem}")
        if not ask.token.may(*route.needs):
            return partial(self._send, 403, b'{"message":"Resource not accessible by integration"}')
        try:
            reply = route.answer(ask)
        except ProblemError as error:
            return partial(self._send, error.status, json.dumps(error.body).encode())
        if reply.status in {204, 302}:
            return partial(self._send, reply.status, b"", reply.headers)
        value, links = self._page(reply, ask.query, path)
        raw = json.dumps(contract.completed(route.template, self.command, reply.status, value)).encode()
        sent = {"Content-Type": "application/json; charset=utf-8"}
        if problem := contract.response_problem(self.command, path, reply.status, sent, raw):
            self.github.violations.append(f"answer to {self.command} {path}: {problem}")
        etag = f'W/"{hashlib.sha256(raw).hexdigest()}"'
        if self.command == "GET" and self.headers.get("If-None-Match") == etag:
            return partial(self._send, 304, b"", {"ETag": etag})
        return partial(self._send, reply.status, raw, {**links, "ETag": etag})

    def _page(self, reply: Reply, query: dict[str, str], path: str) -> tuple[Any, dict[str, str]]:
        if not isinstance(reply.body, list):
            return reply.body, {}
        size, number = min(100, int(query.get("per_page", 30))), int(query.get("page", 1))
        cut = reply.body[(number - 1) * size : number * size]
        links = {}
        if number * size < len(reply.body):
            following = urlencode({**query, "page": number + 1})
            last = urlencode({**query, "page": -(-len(reply.body) // size)})
            where = f"{self.github.api_url}{path}"
            links = {"Link": f'<{where}?{following}>; rel="next", <{where}?{last}>; rel="last"'}
        return (cut if reply.key is None else {"total_count": len(reply.body), reply.key: cut}), links

    def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        limits = {"X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "4999", "X-RateLimit-Reset": "2000000000"}
        self.send_response(status)
        given = {**limits, "Content-Type": "application/json; charset=utf-8", **(headers or {})}
        for name, value in {**given, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if status not in {204, 304}:
            self.wfile.write(body)


class _StorageHandler(BaseHTTPRequestHandler):
    """Where signed addresses lead. `storage_cut` ends the answer after so many bytes."""

    github: FakeGitHub

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        self.github.storage_requests.append((path, self.headers.get("Authorization")))
        _, kind, id_ = path.split("/")
        table = self.github.state.logs if kind == "logs" else self.github.state.zips
        body = table.get(int(id_))
        if body is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/plain" if kind == "logs" else "application/zip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: self.github.storage_cut])
