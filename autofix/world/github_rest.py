"""One request to GitHub at a time, over PyGithub's requester: retries, conditional requests, pages, errors.

PyGithub gives the connection, the authentication, the paths of an Enterprise server and the pacing of writes. Its own
retries are off: they repeat a POST after a 5xx and wait as long as a server says.
"""

import json
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from autofix.errors import ForgeError, ForgeForbidden, ForgeNotFound, ForgeUnavailable
from autofix.intake.fields import Fields
from autofix.ports.clock import Clock
from autofix.world.github_retry import Answer, wait_before_retry

if TYPE_CHECKING:
    from github.Requester import Requester

Verb = Literal["GET", "POST", "PATCH", "DELETE"]

PATIENCE = 120.0
"""Seconds one call may wait in all for limits and faults; a run has better things to do with its 20 minutes."""

PAGE = 100
"""GitHub's largest page."""

_TIMEOUT = 30
_CACHE_BYTES = 8 * 1024 * 1024
_NEXT = re.compile(r'<([^<>]+)>;\s*rel="next"')
_SHOWN = 300
"""Characters of GitHub's own words in an error."""


@dataclass(frozen=True, slots=True)
class _Kept:
    etag: str
    body: str
    link: str


def connect(token: str, api_url: str, *, seconds_between_writes: float | None = 1.0) -> "Requester":
    """PyGithub's requester for github.com or an Enterprise server (GITHUB_API_URL)."""
    from github import Auth, Github

    return Github(
        auth=Auth.Token(token),
        base_url=api_url.rstrip("/"),
        timeout=_TIMEOUT,
        retry=None,
        per_page=PAGE,
        seconds_between_requests=None,
        seconds_between_writes=seconds_between_writes,
        user_agent="autofix",
    ).requester


class Rest:
    """GitHub's REST and GraphQL APIs. Paths start with `/`; their parts are quoted by `path`."""

    def __init__(self, requester: "Requester", clock: Clock, patience: float = PATIENCE) -> None:
        self._requester = requester
        self._clock = clock
        self._patience = patience
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._kept_bytes = 0

    def get(self, path: str, parameters: Mapping[str, str | int] | None = None) -> Fields:
        return Fields(_parsed(self._read(path, parameters or {})[0], path), path)

    def pages(
        self, path: str, parameters: Mapping[str, str | int] | None = None, key: str | None = None
    ) -> Iterator[Fields]:
        """Every item of every page; `key` names the list where the answer is an object around it."""
        body, link = self._read(path, {**(parameters or {}), "per_page": PAGE})
        while True:
            found = _parsed(body, path)
            listed = found if key is not None else {"items": found}
            yield from Fields(listed, path).each(key or "items")
            following = _NEXT.search(link)
            if following is None:
                return
            body, link = self._read(following[1], {})

    def send(self, verb: Verb, path: str, body: object, *, repeatable: bool = False) -> Fields:
        """A write; sent again after a fault only where it is `repeatable`."""
        answer, text = self._exchange(verb, path, body=body, repeatable=repeatable)
        _check(answer)
        return Fields(_parsed(text, path) if text else {}, path)

    def location(self, path: str) -> str:
        """Where a 302 points: logs and artifacts lie in storage, which must not get the token."""
        answer, _ = self._exchange("GET", path)
        if answer.status in {301, 302, 303, 307} and answer.headers.get("location"):
            return answer.headers["location"]
        _check(answer)
        raise ForgeError(f"GitHub answered {answer.status} instead of a redirect for {path}")

    def graphql(self, query: str, variables: Mapping[str, object], *, repeatable: bool) -> Fields:
        """The answer's `data`.

        Raises:
            ForgeError: GraphQL's own errors, which come with status 200.
        """
        body = {"query": query, "variables": dict(variables)}
        answer, text = self._exchange("POST", self._requester.graphql_url, body=body, repeatable=repeatable)
        _check(answer)
        found = Fields(_parsed(text, "graphql"), "graphql")
        problems = [(error.maybe_text("type"), error.maybe_text("message") or "") for error in found.each("errors")]
        if problems:
            message = _shown("; ".join(text for _, text in problems))
            kinds = {kind for kind, _ in problems}
            if "NOT_FOUND" in kinds:
                raise ForgeNotFound(message)
            raise ForgeForbidden(message) if kinds & {"FORBIDDEN", "INSUFFICIENT_SCOPES"} else ForgeError(message)
        return found.object("data")

    def _read(self, path: str, parameters: Mapping[str, str | int]) -> tuple[str, str]:
        """A GET's body and its Link header; asked conditionally where an earlier answer is kept."""
        key = f"{path}?{sorted(parameters.items())}"
        kept = self._kept.get(key)
        headers = {"If-None-Match": kept.etag} if kept else {}
        answer, body = self._exchange("GET", path, parameters=parameters, headers=headers)
        if answer.status == 304 and kept is not None:  # noqa: PLR2004 - "not modified"
            self._kept.move_to_end(key)
            return kept.body, kept.link
        _check(answer)
        link = answer.headers.get("link", "")
        if etag := answer.headers.get("etag"):
            self._keep(key, _Kept(etag, body, link))
        return body, link

    def _keep(self, key: str, answer: _Kept) -> None:
        old = self._kept.pop(key, None)
        self._kept_bytes += len(answer.body) - (len(old.body) if old else 0)
        self._kept[key] = answer
        while self._kept_bytes > _CACHE_BYTES:
            _, dropped = self._kept.popitem(last=False)
            self._kept_bytes -= len(dropped.body)

    def _exchange(
        self,
        verb: Verb,
        path: str,
        *,
        parameters: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        body: object = None,
        repeatable: bool | None = None,
    ) -> tuple[Answer, str]:
        """Send until there is an answer that waiting does not change."""
        give_up_at = self._clock.monotonic() + self._patience
        tries = 0
        while True:
            answer, text = self._once(verb, path, parameters, headers, body)
            tries += 1
            wait = wait_before_retry(
                answer,
                tries,
                self._clock.now().timestamp(),
                repeatable=verb == "GET" if repeatable is None else repeatable,
            )
            if wait is None:
                return answer, text
            if self._clock.monotonic() + wait > give_up_at:
                raise _unavailable(answer, wait)
            self._clock.sleep(wait)

    def _once(
        self,
        verb: Verb,
        path: str,
        parameters: Mapping[str, str | int] | None,
        headers: Mapping[str, str] | None,
        body: object,
    ) -> tuple[Answer, str]:
        try:
            status, got, text = self._requester.requestJson(
                verb,
                path,
                parameters=dict(parameters or {}),
                headers={"Accept": "application/vnd.github+json", **(headers or {})},
                input=body,
            )
        except OSError as error:  # every error of requests and of the socket is one
            return Answer(0, {}, type(error).__name__), ""
        except (RuntimeError, AssertionError, ValueError) as error:  # PyGithub's, for a server that is not where it was
            raise ForgeError(f"GitHub's answer cannot be used: {_shown(str(error))}") from None
        return Answer(status, {str(name): str(value) for name, value in got.items()}, _message(text)), text


def path(*parts: str | int) -> str:
    """A path of quoted parts: `path("repos", "o", "r", "branches", "a/b")`."""
    return "".join(f"/{quote(str(part), safe='')}" for part in parts)


def _check(answer: Answer) -> None:
    status = answer.status
    if 200 <= status < 300:  # noqa: PLR2004 - success
        return
    words = _shown(answer.message) or f"status {status}"
    if answer.fault or answer.rate_limited:
        raise ForgeUnavailable(f"GitHub is not to be had: {words}")
    match status:
        case 401:
            raise ForgeForbidden(f"GitHub does not accept the token: {words}")
        case 403:
            raise ForgeForbidden(words)
        case 404 | 410:
            raise ForgeNotFound(words)
        case _:
            raise ForgeError(f"{words} (status {status})")


def _unavailable(answer: Answer, wait: float) -> ForgeUnavailable:
    if answer.rate_limited:
        return ForgeUnavailable(f"GitHub's rate limit asks to wait {wait:.0f} s more than this run can")
    return ForgeUnavailable(f"GitHub is not to be had: {_shown(answer.message) or f'status {answer.status}'}")


def _parsed(text: str, what: str) -> object:
    try:
        parsed: object = json.loads(text)
    except ValueError:
        raise ForgeUnavailable(f"GitHub's answer for {what} is not JSON") from None
    return parsed


def _message(text: str) -> str:
    """What an error answer says: its message and the messages of its parts."""
    if not text.startswith("{"):
        return ""
    try:
        found = json.loads(text)
    except ValueError:
        return ""
    said = [found.get("message")]
    parts = found.get("errors")
    if isinstance(parts, list):
        said += [part.get("message") if isinstance(part, dict) else part for part in parts]
    return "; ".join(word for word in said if isinstance(word, str))


def _shown(text: str) -> str:
    return "".join(character if character.isprintable() else " " for character in text)[:_SHOWN]
