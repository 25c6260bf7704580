"""Options are read as getopt reads them."""

import pytest

from autofix.harness.bash.options import scan
from autofix.harness.bash.values import ANY


def test_clusters_values_and_operands():
    found = scan(["-rfo", "out", "-n3", "a", "--", "-b"], valued="on")
    assert found.options == [("r", None), ("f", None), ("o", "out"), ("n", "3")]
    assert found.operands == ["a", "-b"]


@pytest.mark.parametrize("word", ["--recursive", "--recur", "--r"])
def test_long_names_may_be_abbreviated(word):
    assert scan([word], long=["recursive", "force"]).has("recursive")


def test_long_values_stand_apart_or_after_an_equals_sign():
    found = scan(["--output", "a", "--output=b", "--out=c"], long=["output="])
    assert found.values_of("output") == ["a", "b", "c"]


def test_an_optional_value_is_only_a_glued_one():
    assert scan(["-i", "x"], optional="i").operands == ["x"]
    assert scan(["-i.bak", "x"], optional="i").values_of("i") == [".bak"]


def test_a_wrapper_stops_at_its_first_operand():
    assert scan(["-n", "5", "rm", "-rf"], valued="n", stop=True).operands == ["rm", "-rf"]


def test_a_word_that_cannot_be_known_may_be_an_option():
    assert scan([ANY, "x"]).uncertain
    assert not scan(["--", ANY]).uncertain
    assert not scan([f"a{ANY}"]).uncertain


def test_what_is_beyond_a_list_is_named():
    found = scan(["-m", "x", "--amend"], valued="m", long=["message="])
    assert found.beyond("m", ["message="]) == "amend"
    assert found.beyond("m", ["amend"]) is None
