"""The `anthropic_server` fixture: a factory of scripted servers, each of which must end without a violation."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.fakes.anthropic_server import AnthropicServer, Script


@pytest.fixture
def anthropic_server() -> Iterator[Callable[[Script], AnthropicServer]]:
    servers: list[AnthropicServer] = []
    with ExitStack() as stack:

        def start(script: Script) -> AnthropicServer:
            server = stack.enter_context(AnthropicServer(script))
            servers.append(server)
            return server

        yield start
    violations = [violation for server in servers for violation in server.violations]
    assert not violations, "\n".join(violations)
