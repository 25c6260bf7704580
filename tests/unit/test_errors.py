"""What the tree of errors promises to those who catch."""

from autofix.errors import AutofixError, Cancelled


def test_a_cancellation_passes_every_handler_of_faults():
    """The model's SDK wraps each Exception it meets as a broken connection, which would be tried again."""
    assert not issubclass(Cancelled, Exception)
    assert issubclass(AutofixError, Exception)
