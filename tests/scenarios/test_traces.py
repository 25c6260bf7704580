"""A run's trace as a collector receives it: real OTLP over HTTP, decoded with the protocol's own messages."""

import gzip
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from autofix.cli.main import run as program
from autofix.report.spans import trace_hex
from autofix.start import Taken
from tests.fakes.anthropic_server import Turn, text
from tests.scenarios.scene import CHECK, DONE, KEY, MEASURE, Scene, bash, fix


class Collector:
    """Keeps what is exported; `status` is what it answers."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str], ExportTraceServiceRequest]] = []
        self.status = 200
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                outer.requests.append((self.path, dict(self.headers), ExportTraceServiceRequest.FromString(body)))
                answer = ExportTraceServiceResponse().SerializeToString()
                self.send_response(outer.status)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def spans(self) -> list[Span]:
        return [
            span
            for _, _, request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]


def attributes(span: Span) -> dict[str, object]:
    def value(one: object) -> object:
        kind = one.WhichOneof("value")
        found = getattr(one, kind)
        return tuple(value(each) for each in found.values) if kind == "array_value" else found

    return {one.key: value(one.value) for one in span.attributes}


@pytest.fixture
def collector() -> Iterator[Collector]:
    made = Collector()
    yield made
    made.close()


SCRIPT = [Turn([text("A wrong sign."), bash("echo hello")]), Turn([fix("add"), MEASURE]), Turn([DONE])]


def played(scene: Scene, collector: Collector, *words: str, **environment: str) -> int:
    scene.branch()
    server = scene.serve(SCRIPT)
    told = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, **environment}
    options = [f"--repo={scene.user.path}", f"--state-dir={scene.state}", f"--check={CHECK}", "--sandbox=host"]
    usual = ["run", *options, "--mode=bypass-permissions", "--quiet", "--output-format=json", *words]
    return program(Taken({**scene.environ(server), **told}, str(scene.directory)), usual)


def test_a_run_is_one_trace_from_the_run_down_to_each_call_with_its_usage(scene, collector, capsys):
    assert played(scene, collector, "--trace", OTEL_EXPORTER_OTLP_HEADERS="x-team=shop%20floor") == 0

    ((path, headers, _), *_) = collector.requests
    assert (path, headers["x-team"]) == ("/v1/traces", "shop floor")
    spans = {span.span_id: span for span in collector.spans}
    (name,) = [path.name for path in scene.runs]
    assert {span.trace_id.hex() for span in spans.values()} == {trace_hex(name)}
    assert f'"trace_id": "{trace_hex(name)}"' in capsys.readouterr().out

    def line(span: Span) -> list[str]:
        above = line(spans[span.parent_span_id]) if span.parent_span_id else []
        return [*above, span.name]

    lines = [line(span) for span in spans.values()]
    run, task = "invoke_agent autofix", "task fix"
    assert [run, task, "turn 1", "chat claude-sonnet-5"] in lines
    assert [run, task, "turn 1", "execute_tool Bash"] in lines
    assert [run, task, "turn 2", "execute_tool RunChecks"] in lines
    assert [run, f"check {CHECK}"] in lines
    assert [run, "task deliver", "delivery"] in lines
    for span in spans.values():
        assert span.start_time_unix_nano <= span.end_time_unix_nano
        if span.parent_span_id:
            above = spans[span.parent_span_id]
            assert above.start_time_unix_nano <= span.start_time_unix_nano
            assert span.end_time_unix_nano <= above.end_time_unix_nano
    chat = attributes(next(span for span in spans.values() if span.name == "chat claude-sonnet-5"))
    assert (chat["gen_ai.operation.name"], chat["gen_ai.provider.name"]) == ("chat", "anthropic")
    assert chat["gen_ai.response.finish_reasons"] == ("tool_use",)
    assert chat["gen_ai.usage.input_tokens"] > 500
    assert chat["gen_ai.usage.output_tokens"] > 0
    root = next(span for span in spans.values() if not span.parent_span_id)
    assert attributes(root)["autofix.outcome"] == "fixed"
    assert root.status.code == Status.STATUS_CODE_UNSET


def test_no_content_and_no_secret_goes_out_unless_content_is_asked_for(scene, collector):
    assert played(scene, collector, "--trace") == 0
    whole = b"".join(request.SerializeToString() for _, _, request in collector.requests)
    for word in (b"A wrong sign.", b"echo hello", b"return a + b", KEY.encode()):
        assert word not in whole


def test_content_goes_out_redacted_where_the_base_asks_for_it(scene, collector):
    scene.configuration |= {"trace.otlp": True, "trace.content": True}
    assert played(scene, collector) == 0
    told = [attributes(span) for span in collector.spans]
    assert any("A wrong sign." in str(one.get("gen_ai.output.messages")) for one in told)
    assert any("echo hello" in str(one.get("gen_ai.tool.call.arguments")) for one in told)
    assert KEY not in str(told)


def test_nothing_is_sent_where_nobody_asked_whatever_the_environment_says(scene, collector, capsys):
    assert played(scene, collector) == 0
    assert collector.requests == []
    assert '"trace_id": null' in capsys.readouterr().out


def test_a_collector_that_is_down_or_refuses_costs_the_run_nothing(scene, collector, capsys):
    collector.status = 400
    assert played(scene, collector, "--trace") == 0
    assert "opentelemetry" not in capsys.readouterr().err
