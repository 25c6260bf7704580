import pytest

from tests.fakes.workshop import Bench


def test_lines_are_numbered_and_line_endings_are_not_shown():
    bench = Bench({"f": b"a\r\n\r\n\tc\n"})
    assert bench("Read", file_path="f").text == "1\ta\n2\t\n3\t\tc"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "[empty]"),
        (b"\n", "1\t"),
        (b"\xef\xbb\xbfa", "1\ta"),
        (b"caf\xe9", "1\tcafé"),
        ("a\ufeffb\u202e".encode(), "1\ta<U+FEFF>b<U+202E>"),
        (b"a\x0cb\x1b[31m", "1\ta<U+000C>b<U+001B>[31m"),
        ("a\u2028b".encode(), "1\ta<U+2028>b"),
    ],
)
def test_text_is_shown_with_what_hides_in_it(content, text):
    assert Bench({"f": content})("Read", file_path="f").text == text


def test_a_binary_file_is_named_not_dumped():
    outcome = Bench({"f": b"\x89PNG\0\0"})("Read", file_path="f")
    assert outcome.text == "f is binary, 6 bytes; not shown."
    assert not outcome.is_error


def test_a_part_is_read_and_the_rest_announced():
    bench = Bench({"f": b"".join(b"line %d\n" % number for number in range(1, 101))})
    outcome = bench("Read", file_path="f", offset=10, limit=2)
    assert outcome.text == "10\tline 10\n11\tline 11\n[lines 10-11 of 100; go on with offset 12]"
    assert bench("Read", file_path="f", offset=100).text == "100\tline 100"
    assert bench("Read", file_path="f", offset=101).is_error


def test_a_large_file_is_read_in_parts_that_follow_each_other():
    content = b"".join(b"line %d\n" % number for number in range(1, 5001))
    bench = Bench({"f": content})
    read, offset = [], 1
    while True:
        lines = bench("Read", file_path="f", offset=offset).text.split("\n")
        assert sum(len(line) + 1 for line in lines) < 17_000
        read += [line.split("\t")[1] for line in lines if "\t" in line]
        if "\t" in lines[-1]:
            break
        offset = int(lines[-1].split()[-1].rstrip("]"))
    assert "\n".join(read) + "\n" == content.decode()


def test_a_long_line_is_shortened_in_its_middle():
    text = Bench({"f": b"a" * 100_000 + b"END\nnext\n"})("Read", file_path="f").text
    assert len(text) < 1200
    assert "END\n2\tnext" in text
    assert "characters ...]" in text


def test_a_secret_is_hidden_before_a_line_is_shortened():
    secret = "canary-secret-0123456789"
    bench = Bench({"f": b"x" * 740 + secret.encode() + b"y" * 1000}, secrets={"KEY": secret})
    text = bench("Read", file_path="f").text
    assert not any(secret[at : at + 8] in text for at in range(len(secret) - 7))


@pytest.mark.parametrize(
    "path", ["f", "./f", "/workspace/f", "/workspace/./d/../f", "/trees/attempt/f", "d/../f", "link"]
)
def test_every_name_of_a_file_means_the_file(path):
    bench = Bench({"f": b"a\n", "d/x": b""}, links={"link": "f"})
    assert bench("Read", file_path=path).text == "1\ta"


PATHS = [
    "/etc/passwd", "/proc/self/environ", "/proc/self/root/etc/passwd", "/workspace-evil/f", "/workspace/../etc/passwd",
    "../f", "../../etc/passwd", "d/../../f", "/", "/trees", "/trees/attempt/../other/f", "/trees/attempt-2/f",
    "out", "out/x", "a\0b", ".git/config", ".git/hooks/pre-commit", ".git", "./.git/config", "d/.git/config",
    ".GIT/config", ".git./config", ".git /config", ".g\u200bit/config", "git~1/config", "togit/config",
    "/workspace/.git/config", "~/.netrc",
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS, ids=ascii)
@pytest.mark.parametrize(
    ("tool", "fields"),
    [
        ("Read", lambda path: {"file_path": path}),
        ("Edit", lambda path: {"file_path": path, "old_string": "a", "new_string": "b"}),
        ("Write", lambda path: {"file_path": path, "content": "b"}),
        ("Grep", lambda path: {"pattern": "a", "path": path}),
        ("Glob", lambda path: {"pattern": "**", "path": path}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_no_tool_reaches_outside_the_tree_or_into_git(tool, fields, path):
    files = {"f": b"a\n", ".git/config": b"a = token\n", "d/.git/config": b"a\n", "d/x": b"a\n"}
    bench = Bench(files, links={"out": "/etc", "togit": ".git"}, scope={"f"})
    outcome = bench(tool, **fields(path))
    assert outcome.is_error or outcome.text in {"No files.", "No matches."}
    assert "token" not in outcome.text
    assert bench.tree.written == []


# Kept results


def test_a_cut_result_can_be_read_and_searched_by_part():
    bench = Bench()
    bench.sandbox.on("noise", answered_lines(3000))
    outcome = bench("Bash", command="noise")
    assert len(outcome.text.encode()) <= 4096
    assert "whole in artifact:bash-1" in outcome.text
    assert outcome.text.startswith("line 0\n")
    assert outcome.text.endswith("line 2999\n[exit 1]")
    assert bench("Read", file_path="artifact:bash-1", offset=1500, limit=1).text.startswith("1500\tline 1499\n")
    found = bench("Grep", pattern="line 1234$", path="artifact:bash-1", output_mode="content").text
    assert found == "artifact:bash-1:1235:line 1234"


def answered_lines(count):
    from tests.fakes.sandbox import answered

    return answered("".join(f"line {number}\n" for number in range(count)), exit_code=1)


def test_every_part_of_a_kept_line_of_any_length_can_be_read():
    bench = Bench()
    bench.artifacts.kept["log-1"] = ("a" * 2500 + "\nend").encode()
    lines = bench("Read", file_path="artifact:log-1").text.split("\n")
    assert [len(line.split("\t")[1]) for line in lines] == [1000, 1000, 500, 3]


def test_a_result_that_was_not_kept_is_said_to_be_missing():
    bench = Bench()
    for outcome in (bench("Read", file_path="artifact:../x"), bench("Grep", pattern="a", path="artifact:none")):
        assert outcome.is_error
        assert "There is no artifact:" in outcome.text
