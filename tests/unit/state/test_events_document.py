from datetime import datetime

from autofix.cli.stream import as_json
from autofix.state.events import Kind
from autofix.state.journal import Event
from tests.fakes.events_document import DOCUMENT, examples


def test_the_document_has_every_kind_of_event_in_the_order_of_the_code_and_an_example_of_each():
    assert list(examples()) == [kind.value for kind in Kind]
    assert DOCUMENT.read_text("utf-8").count("\n## ") == len(Kind)


def test_an_example_is_what_the_program_writes_of_such_an_event():
    for kind, example in examples().items():
        at = datetime.fromisoformat(example["at"])
        event = Event(example["number"], at, Kind(kind), example["plan"], example["data"])
        assert as_json(event) == example
        assert list(as_json(event)) == list(example)
