import pytest

from tests.fakes.workshop import Bench

FILES = {
    "README.md": b"about needle\n",
    "src/a.py": b"def needle():\r\n    return 1\r\n\r\n# Needle\r\n",
    "src/deep/b.py": b"import os\nx = needle()\n",
    "src/deep/c.txt": b"nothing\n",
    "src/deep/[id].ts": b"x\n",
    "bin/data": b"needle\0needle",
    "node_modules/p/i.js": b"needle\n",
    "latin.txt": b"caf\xe9 needle\n",
    ".hidden/x.py": b"",
}


@pytest.fixture
def bench():
    return Bench(FILES)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.py", [".hidden/x.py", "src/a.py", "src/deep/b.py"]),
        ("src/*.py", ["src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/deep/b.py"]),
        ("**/*.{md,txt}", ["README.md", "latin.txt", "src/deep/c.txt"]),
        ("src/**", ["src/a.py", "src/deep/[id].ts", "src/deep/b.py", "src/deep/c.txt"]),
        ("src/deep/?.*", ["src/deep/b.py", "src/deep/c.txt"]),
        ("[!a-b].txt", ["src/deep/c.txt"]),
        ("README.md", ["README.md"]),
        ("/src/a.py", ["src/a.py"]),
        ("readme*", []),
        ("src", []),
        ("a.b", []),
    ],
)
def test_glob_lists_what_matches_in_order(bench, pattern, found):
    assert bench("Glob", pattern=pattern).text == ("\n".join(found) or "No files.")


def test_glob_below_a_directory_matches_from_there(bench):
    assert bench("Glob", pattern="*/b.py", path="src").text == "src/deep/b.py"
    assert bench("Glob", pattern="*.js", path="node_modules").text == "node_modules/p/i.js"
    assert bench("Glob", pattern="*.py", path="/workspace/src/deep").text == "src/deep/b.py"


def test_glob_counts_what_it_does_not_list():
    bench = Bench({f"f{number:05}": b"" for number in range(1000)})
    lines = bench("Glob", pattern="f*").text.split("\n")
    assert lines[0] == "f00000"
    assert lines[-1] == "[900 more; narrow the pattern]"


@pytest.mark.parametrize("pattern", ["a" * 5000, "{a,{b", "[z-a]"])
def test_a_pattern_that_is_none_is_said_to_be(bench, pattern):
    for outcome in (bench("Glob", pattern=pattern), bench("Grep", pattern="(" + pattern)):
        assert outcome.is_error
        assert "attern" in outcome.text


def test_grep_names_files_in_order_without_binary_and_build_files(bench):
    assert bench("Grep", pattern="needle").text == "README.md\nlatin.txt\nsrc/a.py\nsrc/deep/b.py"


def test_grep_shows_lines(bench):
    found = bench("Grep", pattern="needle", output_mode="content", **{"-i": True}).text
    assert found.split("\n") == [
        "README.md:1:about needle",
        "latin.txt:1:caf\ufffd needle",
        "src/a.py:1:def needle():",
        "src/a.py:4:# Needle",
        "src/deep/b.py:2:x = needle()",
    ]


def test_grep_counts_lines(bench):
    assert bench("Grep", pattern="(?i)needle", output_mode="count", path="src").text == "src/a.py:2\nsrc/deep/b.py:1"


def test_grep_in_one_file_and_by_glob(bench):
    assert bench("Grep", pattern="needle", path="src/a.py").text == "src/a.py"
    assert bench("Grep", pattern="needle", glob="*.{md,txt}").text == "README.md\nlatin.txt"
    assert bench("Grep", pattern="needle", glob="deep/*.py", path="src").text == "src/deep/b.py"
    assert bench("Grep", pattern="needle", path="node_modules").text == "node_modules/p/i.js"


def test_a_lines_ends_are_those_of_the_line_whatever_ends_it():
    bench = Bench({"f": b"one\r\ntwo\nthree"})
    shown = {"output_mode": "content", "-n": False}
    assert bench("Grep", pattern="^two$", **shown).text == "f:two"
    assert bench("Grep", pattern="one$", **shown).text == "f:one"
    assert bench("Grep", pattern=r"one\s+two", **shown).text == "No matches."
    assert bench("Grep", pattern=r"\Athree\z", **shown).text == "f:three"


def test_neighbours_are_shown_once_and_gaps_are_marked():
    bench = Bench({"f": b"".join(b"%d\n" % number for number in range(1, 21))})
    found = bench("Grep", pattern="^(3|5|15)$", output_mode="content", **{"-C": 1}).text.split("\n")
    assert found == ["f-2-2", "f:3:3", "f-4-4", "f:5:5", "f-6-6", "--", "f-14-14", "f:15:15", "f-16-16"]
    found = bench("Grep", pattern="^15$", output_mode="content", **{"-A": 2, "-B": 1}).text.split("\n")
    assert found == ["f-14-14", "f:15:15", "f-16-16", "f-17-17"]
    assert bench("Grep", pattern="^(1|2)$", output_mode="content").text.split("\n") == ["f:1:1", "f:2:2"]


def test_output_ends_at_the_limit_and_says_so():
    bench = Bench({"f": b"x\n" * 1000})
    lines = bench("Grep", pattern="x", output_mode="content", head_limit=3).text.split("\n")
    assert lines == ["f:1:x", "f:2:x", "f:3:x", "[only the first 3 lines; narrow the search for more]"]


def test_huge_files_are_left_out_and_counted():
    bench = Bench({"big": b"needle" + b"x" * 6_000_000, "small": b"needle"})
    assert bench("Grep", pattern="needle").text == "small\n[not searched, over 5 MB: 1]"


def test_a_long_matching_line_is_shortened_and_a_secret_in_it_hidden():
    secret = "canary-secret-0123456789"
    bench = Bench({"f": b"x" * 210 + secret.encode() + b"y" * 9000}, secrets={"KEY": secret})
    text = bench("Grep", pattern="canary", output_mode="content").text
    assert len(text) < 400
    assert not any(secret[at : at + 8] in text for at in range(len(secret) - 7))


def test_a_pattern_made_to_take_for_ever_does_not():
    bench = Bench({"f": b"a" * 100_000 + b"!\n"})
    assert bench("Grep", pattern="(a+)+$").text == "No matches."
    assert bench("Grep", pattern="(a|a)*b").text == "No matches."
