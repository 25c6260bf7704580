"""Spans to an OTLP collector over HTTP, from a thread of its own; what cannot be sent is let go.

Needs the extra `autofix[otel]`. Where to and with what is the environment's to say, in the names of the
specification (`OTEL_EXPORTER_OTLP_ENDPOINT`, `…_HEADERS`, and the same with `_TRACES_`), never the repository's.
"""

import logging
from collections.abc import Mapping
from datetime import datetime
from urllib.parse import unquote

from autofix import __version__
from autofix.errors import UsageError
from autofix.report.spans import Span, trace_id

_DEFAULT = "http://localhost:4318"
_TIMEOUT = 5.0
"""Seconds for one export, and for what is left at the end."""


class OtlpSpans:
    """Takes the spans of one run. Close it at the end: it waits a little for what was not sent yet."""

    def __init__(self, run_id: str, environ: Mapping[str, str]) -> None:
        """Raises UsageError where the extra is not installed."""
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
            from opentelemetry.sdk.util.instrumentation import InstrumentationScope
        except ImportError as error:
            raise UsageError("traces need the extra: pip install 'autofix[otel]', or leave out `trace`") from error
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)  # a collector that is down is not the run's news
        exporter = OTLPSpanExporter(endpoint=_endpoint(environ), headers=_headers(environ), timeout=_TIMEOUT)
        self._trace = trace_id(run_id)
        self._resource = Resource({"service.name": "autofix", "service.version": __version__})
        self._scope = InstrumentationScope("autofix", __version__)
        self._processor = BatchSpanProcessor(exporter)

    def keep(self, span: Span) -> None:
        from opentelemetry.sdk.trace import ReadableSpan
        from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

        def context(id_: int) -> SpanContext:
            return SpanContext(self._trace, id_, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))

        self._processor.on_end(
            ReadableSpan(
                name=span.name,
                context=context(span.id),
                parent=context(span.parent) if span.parent is not None else None,
                resource=self._resource,
                attributes=dict(span.attributes),
                kind=SpanKind.CLIENT if span.client else SpanKind.INTERNAL,
                status=Status(StatusCode.ERROR, span.error) if span.error else Status(StatusCode.UNSET),
                start_time=_nanoseconds(span.start),
                end_time=_nanoseconds(span.end),
                instrumentation_scope=self._scope,
            )
        )

    def close(self) -> None:
        self._processor.force_flush(int(_TIMEOUT * 1000))
        self._processor.shutdown()  # type: ignore[no-untyped-call]


def _nanoseconds(moment: datetime) -> int:
    return int(moment.timestamp()) * 1_000_000_000 + moment.microsecond * 1000


def _endpoint(environ: Mapping[str, str]) -> str:
    if told := environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"):
        return told
    return f"{(environ.get('OTEL_EXPORTER_OTLP_ENDPOINT') or _DEFAULT).rstrip('/')}/v1/traces"


def _headers(environ: Mapping[str, str]) -> dict[str, str]:
    """`name=value,name=value`, URL-quoted."""
    told = environ.get("OTEL_EXPORTER_OTLP_TRACES_HEADERS") or environ.get("OTEL_EXPORTER_OTLP_HEADERS") or ""
    pairs = (part.partition("=") for part in told.split(",") if "=" in part)
    return {name.strip(): unquote(value.strip()) for name, _, value in pairs}
