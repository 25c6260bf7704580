"""The trace of a run, where one was asked for: one more reader of its events."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from autofix.pipeline.order import Order
from autofix.state.recorder import Watcher


@contextmanager
def traced(order: Order, environ: Mapping[str, str]) -> Iterator[list[Watcher]]:
    """Watchers to add. Raises UsageError where traces cannot be made."""
    if order.trace is None:
        yield []
        return
    from autofix.report.spans import Spans
    from autofix.world.otlp import OtlpSpans

    sink = OtlpSpans(order.run_id, environ)
    try:
        yield [Spans(keep=sink.keep, content=order.trace == "content")]
    finally:
        sink.close()
