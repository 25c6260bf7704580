import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.workshop import Bench


@pytest.mark.parametrize(
    ("content", "old", "new", "after"),
    [
        pytest.param(b"a\nb\nc\n", "b\n", "B\n", b"a\nB\nc\n", id="newlines"),
        pytest.param(b"a\r\nb\r\nc\r\n", "a\nb", "a\nx\nb", b"a\r\nx\r\nb\r\nc\r\n", id="CRLF, the model writes newlines"),
        pytest.param(b"a\r\nb\r\n", "a\r\nb", "a\r\nB", b"a\r\nB\r\n", id="CRLF, the model writes CRLF"),
        pytest.param(b"a\r\nb\nc\r\nd\n", "b\nc", "b\nC", b"a\r\nb\nC\r\nd\n", id="mixed endings stay where they are"),
        pytest.param(b"a\nb\r\nc\r\nd", "a\nb\nc", "a\nX\nb\nc", b"a\nX\r\nb\r\nc\r\nd", id="mixed, a new line like most"),
        pytest.param(b"\xef\xbb\xbfa\nb\n", "a\n", "A\n", b"\xef\xbb\xbfA\nb\n", id="BOM"),
        pytest.param("\ufeffa\r\nb".encode("utf-16-le"), "b", "é", "\ufeffa\r\né".encode("utf-16-le"), id="UTF-16 LE"),
        pytest.param(b"\xfe\xff" + "a\nb".encode("utf-16-be"), "b", "c", b"\xfe\xff" + "a\nc".encode("utf-16-be"), id="UTF-16 BE"),
        pytest.param(b"caf\xe9 = 1\n\xff\x80\n", "é = 1", "é = 2", b"caf\xe9 = 2\n\xff\x80\n", id="Latin-1"),
        pytest.param("naïve = 1\n".encode(), "naïve", "naïveté", "naïveté = 1\n".encode(), id="UTF-8"),
        pytest.param(b"if x:\n\treturn\t1\n", "\treturn\t1", "\treturn\t2", b"if x:\n\treturn\t2\n", id="tabs"),
        pytest.param(b"a\nb", "b", "c", b"a\nc", id="no newline at the end"),
        pytest.param(b"a\nb\n", "b\n", "b", b"a\nb", id="newline at the end taken away on purpose"),
        pytest.param(b"a\n\n\nb\n", "a\n\n\nb", "a\nb", b"a\nb\n", id="lines taken out"),
        pytest.param(b"a\rb\rc\n", "b", "B", b"a\rB\rc\n", id="lone carriage returns"),
        pytest.param(b"a\r\r\nb\r\n", "b", "B", b"a\r\r\nB\r\n", id="doubled carriage returns"),
        pytest.param(b"a\x0cb\x1c\xe2\x80\xa8c\n", "c", "d", b"a\x0cb\x1c\xe2\x80\xa8d\n", id="other separators are no line ends"),
        pytest.param(b"abc", "abc", "", b"", id="everything"),
    ],
)  # fmt: skip
def test_an_edit_changes_the_passage_and_nothing_else(content, old, new, after):
    assert Bench().edited(content, old, new) == after


@given(
    st.lists(
        st.tuples(st.text(alphabet="abé\t ", max_size=4), st.sampled_from(["\n", "\r\n"])), min_size=3, max_size=12
    ),
    st.data(),
)
def test_the_lines_around_an_edit_keep_their_bytes(lines, data):
    at = data.draw(st.integers(0, len(lines) - 1))
    before = "".join(text + end for text, end in lines[:at])
    after = "".join(text + end for text, end in lines[at + 1 :])
    content = (before + "<THIS>" + lines[at][1] + after).encode()
    assert Bench().edited(content, "<THIS>", "that") == content.replace(b"<THIS>", b"that")


def test_replace_all_replaces_every_occurrence_left_to_right():
    assert Bench().edited(b"aaa aa\r\na\r\n", "aa", "b", replace_all=True) == b"ba b\r\na\r\n"


def test_several_matches_are_refused_with_their_lines():
    bench = Bench({"f": b"x = 1\ny\nx = 1\n\nx = 1\n"})
    bench("Read", file_path="f")
    outcome = bench("Edit", file_path="f", old_string="x = 1", new_string="x = 2")
    assert outcome.is_error
    assert "lines 1, 3, 5" in outcome.text
    assert "replace_all" in outcome.text
    assert bench.tree.written == []


def test_overlapping_matches_are_ambiguous():
    bench = Bench({"f": b"aXaXa\n"})
    bench("Read", file_path="f")
    assert "several times" in bench("Edit", file_path="f", old_string="aXa", new_string="b").text


def test_thousands_of_matches_are_counted_to_ten():
    bench = Bench({"f": b"a\n" * 100_000})
    bench("Read", file_path="f", limit=1)
    assert (
        "lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more"
        in bench("Edit", file_path="f", old_string="a", new_string="b").text
    )


@pytest.mark.parametrize(
    ("old", "hint"),
    [
        (
            "    def total(self):\n        return sum(self.items)",
            r"blanks only.*\n2\t\tdef total\(self\):\n3\t\t\treturn",
        ),
        ("2\t\tdef total(self):\n3\t\t\treturn sum(self.items)", "line numbers"),
        ("\tdef total(self):\n\t\treturn sum(self.elements)", r"nearest lines are:\n1\tclass Cart:\n2\t\tdef total"),
        ("def total(self): return sum(self.things)", r"nearest lines are:\n2\t\tdef total"),
        ("§§§", "Nothing there is like it"),
        ("   \n", "Nothing there is like it"),
    ],
)
def test_a_passage_that_is_not_there_is_answered_with_the_nearest_lines(old, hint):
    bench = Bench(
        {"f": b"class Cart:\n\tdef total(self):\n\t\treturn sum(self.items)\n\n\tdef other(self):\n\t\treturn 1\n"}
    )
    bench("Read", file_path="f")
    outcome = bench("Edit", file_path="f", old_string=old, new_string="x")
    assert outcome.is_error
    assert re.search(hint, outcome.text, re.DOTALL), outcome.text


def test_the_nearest_lines_of_a_large_file_are_found():
    lines = [f"value_{number} = compute({number})" for number in range(20_000)]
    lines[12_345] = "needle_in_haystack = compute(12_345, deep=True)"
    bench = Bench({"f": "\n".join(lines).encode()})
    bench("Read", file_path="f", limit=1)
    outcome = bench("Edit", file_path="f", old_string="needle_in_haystack = compute(12345, deep=True)", new_string="x")
    assert "12346\tneedle_in_haystack" in outcome.text


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"old_string": "", "new_string": "x"}, "old_string is empty"),
        ({"old_string": "a", "new_string": "a"}, "nothing would change"),
        ({"old_string": "a\r\n", "new_string": "a\n"}, "nothing would change"),
    ],
)
def test_an_edit_that_means_nothing_is_refused(fields, message):
    bench = Bench({"f": b"a\n"})
    bench("Read", file_path="f")
    outcome = bench("Edit", file_path="f", **fields)
    assert outcome.is_error
    assert message in outcome.text


def test_a_file_that_was_not_read_is_not_edited():
    bench = Bench({"f": b"a\n"})
    outcome = bench("Edit", file_path="f", old_string="a", new_string="b")
    assert outcome.is_error
    assert "Read it first" in outcome.text
    assert bench.tree.written == []


def test_a_file_that_changed_since_it_was_read_is_not_edited_until_it_is_read_again():
    bench = Bench({"f": b"a\n"})
    bench("Read", file_path="f")
    bench.tree.files["f"] = b"a\nother\n"
    edit = {"file_path": "f", "old_string": "a", "new_string": "b"}
    assert "has changed since" in bench("Edit", **edit).text
    bench("Read", file_path="f")
    assert not bench("Edit", **edit).is_error
    assert bench.tree.files["f"] == b"b\nother\n"


def test_edits_follow_each_other_without_reading_again():
    bench = Bench({"f": b"a\nb\n"})
    bench("Read", file_path="f")
    for old, new in (("a", "A"), ("b", "B"), ("A", "C")):
        outcome = bench("Edit", file_path="f", old_string=old, new_string=new)
        assert outcome.changed == ("f",)
    assert bench.tree.files["f"] == b"C\nB\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\0b", "binary"),
        ("\ufeffa".encode("utf-32-le"), "binary"),
        (b"\x89PNG\r\n\x1a\n\0\0", "binary"),
        (b"a" * 50_000_000, "more than"),
    ],
    ids=["NUL", "UTF-32", "PNG", "50 MB"],
)
def test_binary_and_huge_files_are_not_edited(content, message):
    bench = Bench({"f": content})
    read = bench("Read", file_path="f")
    assert message in read.text
    outcome = bench("Edit", file_path="f", old_string="a", new_string="b")
    assert outcome.is_error
    assert message in outcome.text
    assert bench.tree.written == []


def test_a_result_that_would_be_huge_is_not_written():
    bench = Bench({"f": b"a" * 100_000})
    bench("Read", file_path="f")
    outcome = bench("Edit", file_path="f", old_string="a", new_string="b" * 1000, replace_all=True)
    assert outcome.is_error
    assert bench.tree.written == []


def test_a_character_the_files_encoding_lacks_is_named():
    bench = Bench({"f": b"caf\xe9\n"})
    bench("Read", file_path="f")
    outcome = bench("Edit", file_path="f", old_string="caf", new_string="€")
    assert outcome.is_error
    assert "latin-1" in outcome.text
    assert "€" in outcome.text


def test_a_path_out_of_scope_is_refused_whatever_the_gate_said():
    bench = Bench({"f": b"a\n", "g": b"a\n"}, scope={"f"})
    bench("Read", file_path="g")
    for outcome in (
        bench("Edit", file_path="g", old_string="a", new_string="b"),
        bench("Write", file_path="g", content="b"),
        bench("Write", file_path="new", content="b"),
    ):
        assert outcome.is_error
        assert "RequestScope" in outcome.text
    assert bench.tree.written == []


def test_a_redaction_mark_never_replaces_what_it_hides():
    secret = "s3cret-canary-value"
    bench = Bench({"f": f"TOKEN = '{secret}'\nx = 1\n".encode()}, secrets={"KEY": secret})
    assert secret not in bench("Read", file_path="f").text
    for outcome in (
        bench("Edit", file_path="f", old_string="x = 1", new_string="y = '[redacted:KEY]'"),
        bench("Write", file_path="f", content="TOKEN = '[redacted:KEY]'\nx = 2\n"),
    ):
        assert outcome.is_error
        assert "not shown" in outcome.text
    assert bench.tree.written == []
    assert not bench("Edit", file_path="f", old_string="x = 1", new_string="x = 2").is_error
    assert bench.tree.files["f"] == f"TOKEN = '{secret}'\nx = 2\n".encode()


# Write


def test_write_creates_what_is_not_there():
    bench = Bench(scope={"src/new.py"})
    outcome = bench("Write", file_path="/workspace/src/new.py", content="x = 'é'\n")
    assert outcome.changed == ("src/new.py",)
    assert bench.tree.files["src/new.py"] == "x = 'é'\n".encode()
    assert not bench("Edit", file_path="src/new.py", old_string="é", new_string="e").is_error


def test_write_does_not_replace_a_file_that_was_not_read():
    bench = Bench({"f": b"a\n"})
    outcome = bench("Write", file_path="f", content="b\n")
    assert outcome.is_error
    assert "Read it first" in outcome.text
    assert bench.tree.files["f"] == b"a\n"


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        (b"a\r\nb\r\n", "x\ny\n", b"x\r\ny\r\n"),
        (b"\xef\xbb\xbfa\n", "x\n", b"\xef\xbb\xbfx\n"),
        (b"caf\xe9\n", "thé\n", b"th\xe9\n"),
        (b"a\n", "x", b"x"),
    ],
)
def test_a_replaced_file_keeps_encoding_mark_and_line_endings(before, content, after):
    bench = Bench({"f": before})
    bench("Read", file_path="f")
    assert bench("Write", file_path="f", content=content).changed == ("f",)
    assert bench.tree.files["f"] == after


def test_a_file_that_went_away_can_be_written_anew():
    bench = Bench({"f": b"a\n"})
    bench("Read", file_path="f")
    del bench.tree.files["f"]
    assert bench("Write", file_path="f", content="b\n").is_error
    assert not bench("Write", file_path="f", content="b\n").is_error
    assert bench.tree.files["f"] == b"b\n"
