"""The model behind Anthropic's Messages API.

One attempt per call, streamed. The SDK carries the connection, the headers and the error classes; the body is encoded
by anthropic_wire (each message once) and the stream folded by anthropic_stream (nothing is lost that must go back).
"""

import json
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from autofix.errors import ModelError, ModelUnavailable, UsageError
from autofix.ports.model import JsonValue, ModelReply, ModelRequest
from autofix.world.anthropic_errors import not_a_stream, status_error, without_key
from autofix.world.anthropic_stream import ReplyFold
from autofix.world.anthropic_wire import RequestEncoder

if TYPE_CHECKING:
    import httpx2
    from anthropic import Anthropic

DEFAULT_BASE_URL = "https://api.anthropic.com"

_CONNECT_TIMEOUT = 10.0  # seconds; a name that resolves and a port that is open answer within one
_UNEXPECTED_BODY = 64 * 1024  # bytes read of an answer that is not the stream we asked for


class AnthropicModel:
    """`ports.model.Model` over HTTP. Safe from several threads."""

    def __init__(self, api_key: str, base_url: str | None, timeout: float, proxy: str | None = None) -> None:
        """Nothing is loaded or connected yet.

        Args:
            api_key: the only credential there is; no profile, file or variable is looked at.
            base_url: None for Anthropic's own.
            timeout: seconds of silence after which a reply is given up.
            proxy: URL of an HTTP proxy, or None for none; the environment's is not looked at.

        Raises:
            UsageError: the key or a URL cannot be one.
        """
        self._key = _usable_key(api_key)
        self._base_url = _usable_url("base URL", base_url or DEFAULT_BASE_URL)
        self._timeout = timeout
        self._proxy = None if proxy is None else _usable_url("proxy", proxy)
        self._encoder = RequestEncoder()
        self._client: Anthropic | None = None
        self._loading = threading.Lock()

    def prepare(self) -> None:
        self._loaded()

    def _loaded(self) -> "Anthropic":
        """The client; whoever comes second waits for the import to end."""
        with self._loading:
            if self._client is None:
                import anthropic

                http = anthropic.DefaultHttpxClient(
                    # A redirect would carry the conversation to a host nobody named.
                    follow_redirects=False,
                    proxy=self._proxy,
                    trust_env=False,
                )
                self._client = anthropic.Anthropic(
                    api_key=self._key,
                    base_url=self._base_url,
                    max_retries=0,
                    timeout=anthropic.Timeout(self._timeout, connect=min(self._timeout, _CONNECT_TIMEOUT)),
                    open_telemetry=False,
                    http_client=http,
                )
            return self._client

    def close(self) -> None:
        """Close idle connections; the next call opens new ones."""
        with self._loading:
            if self._client is not None:
                self._client.close()
                self._client = None

    def reply(self, request: ModelRequest, on_text: Callable[[str], None]) -> ModelReply:
        client = self._loaded()
        response = self._send(client, self._encoder.encode(request))
        try:
            fold = ReplyFold(response.headers.get("request-id", ""))
            if "text/event-stream" not in response.headers.get("content-type", ""):
                raise self._unexpected(response)
            for event in self._events(response, fold):
                text = fold.feed(event)
                if text:
                    on_text(text)
            return fold.reply()
        except ModelError as error:
            error.args = (without_key(str(error), self._key),)
            raise
        finally:
            response.close()

    def _send(self, client: "Anthropic", body: bytes) -> "httpx2.Response":
        """The answer's head; its body is not read yet."""
        import anthropic
        from anthropic.types import Message, RawMessageStreamEvent

        try:
            # What `messages.create(stream=True)` does, with a body that is encoded already: the SDK would walk and
            # encode the whole conversation again each turn.
            stream = client.post(
                "/v1/messages",
                content=body,
                cast_to=Message,
                stream=True,
                stream_cls=anthropic.Stream[RawMessageStreamEvent],
            )
        except anthropic.APIStatusError as error:
            failure = status_error(error.status_code, error.response.headers, error.body, key=self._key)
        except anthropic.APITimeoutError:
            failure = ModelUnavailable(f"{self._host(client)} did not answer within {self._timeout:.0f} s")
        except anthropic.APIConnectionError as error:
            cause = without_key(str(error.__cause__ or error), self._key)
            failure = ModelUnavailable(f"cannot reach {self._host(client)}: {cause}")
        else:
            return stream.response
        # Outside the handler: the SDK's error holds the request, and with it the key.
        raise failure

    @staticmethod
    def _host(client: "Anthropic") -> str:
        return client.base_url.host

    @staticmethod
    def _events(response: "httpx2.Response", fold: ReplyFold) -> Iterator[JsonValue]:
        """The stream's events; a connection that ends after the message began just ends them."""
        import httpx2
        from anthropic import Stream

        try:
            for event in Stream.raw_events(response):
                if event.data:
                    yield json.loads(event.data)
        except (ValueError, RecursionError):
            raise ModelUnavailable("the model's stream holds an event that is not JSON") from None
        except httpx2.HTTPError as error:
            if not fold.started:
                raise ModelUnavailable(f"the connection broke before the model's reply began: {error}") from None

    @staticmethod
    def _unexpected(response: "httpx2.Response") -> ModelError:
        import httpx2

        body = bytearray()
        try:
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > _UNEXPECTED_BODY:
                    break
        except httpx2.HTTPError:
            body.clear()
        parsed: JsonValue
        try:
            parsed = json.loads(bytes(body))
        except (ValueError, RecursionError):
            parsed = None
        return not_a_stream(response.headers.get("content-type", ""), bytes(body), parsed)


def _usable_key(api_key: str) -> str:
    """The key without the line end that a pasted secret often has. What a header cannot carry is refused unshown."""
    key = api_key.strip()
    if not key:
        raise UsageError("there is no API key: set ANTHROPIC_API_KEY")
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise UsageError("the API key holds characters that no key has: check ANTHROPIC_API_KEY for pasted text")
    return key


def _usable_url(what: str, url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(f"the {what} must be an http or https URL with a host")
    return url
