"""A fix as suggestions: together with the rest they are the fix, and no comment lies outside the pull request's diff."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autofix.delivery.suggestions import MAX_COMMENTS, Suggestions, suggest
from autofix.ports.github import ReviewComment

TEN = [f"line {number}" for number in range(1, 11)]


def text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def diff(before: str, after: str, path: str = "a.py", header: str = "") -> str:
    lines = list(
        difflib.unified_diff(
            before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{path}", f"b/{path}"
        )
    )
    body = "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
    return f"diff --git a/{path} b/{path}\n{header}{body}" if lines or header else ""


WHOLE = {"a.py": "@@ -0,0 +1,1000 @@"}
"""The pull request adds the whole file, so that every line lies in its diff."""


def split(before: list[str], after: list[str], shown: dict[str, str | None] | None = None) -> Suggestions:
    return suggest(diff(text(before), text(after)), WHOLE if shown is None else shown)


def replacement(comment: ReviewComment) -> list[str]:
    lines = comment.body.split("\n")
    fence = lines[0].removesuffix("suggestion")
    assert set(fence) == {"`"}
    assert lines[-1] == fence
    return lines[1:-1]


def applied(before: list[str], comments: tuple[ReviewComment, ...]) -> list[str]:
    after = list(before)
    for comment in sorted(comments, key=lambda one: one.line, reverse=True):
        after[comment.start_line - 1 : comment.line] = replacement(comment)
    return after


def test_a_changed_line_is_one_suggestion():
    after = [*TEN[:4], "better", *TEN[5:]]
    found = split(TEN, after)
    assert found == Suggestions((ReviewComment("a.py", 5, 5, "```suggestion\nbetter\n```"),), "")


@pytest.mark.parametrize(
    "after",
    [
        [*TEN[:2], "b", "c", *TEN[4:]],
        [*TEN[:5], *TEN[6:]],
        [*TEN[:5], "new", *TEN[5:]],
        ["first", *TEN],
        [*TEN, "last"],
        [*TEN[:1], "x", *TEN[2:6], "y", "z", *TEN[7:]],
        TEN[3:],
        TEN[:7],
        [""],
    ],
)
def test_applied_suggestions_are_the_fix(after):
    found = split(TEN, after)
    assert found.rest == ""
    assert applied(TEN, found.comments) == after


def test_a_hunk_outside_the_pull_requests_diff_is_left_as_a_patch():
    before = [f"line {number}" for number in range(1, 41)]
    after = list(before)
    after[4], after[34] = "near", "far"
    found = split(before, after, {"a.py": "@@ -1,3 +1,10 @@ def f():"})
    assert [comment.line for comment in found.comments] == [5]
    assert "+far" in found.rest
    assert "near" not in found.rest
    assert found.rest.startswith("diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -32,7 +32,7 @@")


def test_a_block_that_reaches_over_the_edge_of_the_diff_is_left_as_a_patch():
    after = [*TEN[:2], "b", "c", "d", *TEN[5:]]
    found = split(TEN, after, {"a.py": "@@ -1,1 +1,4 @@"})
    assert found.comments == ()
    assert "+b" in found.rest


def test_two_hunks_of_the_diff_are_two_even_when_they_touch_the_same_block():
    after = [*TEN[:2], "b", "c", *TEN[4:]]
    assert split(TEN, after, {"a.py": "@@ -1,3 +1,3 @@\n x\n@@ -4,3 +4,3 @@"}).comments == ()


@pytest.mark.parametrize("shown", [{}, {"a.py": None}, {"a.py": ""}, {"b.py": "@@ -0,0 +1,99 @@"}])
def test_a_file_github_shows_no_lines_of_is_left_as_a_patch(shown):
    found = split(TEN, [*TEN[:4], "better", *TEN[5:]], shown)
    assert found.comments == ()
    assert "+better" in found.rest


def test_a_fence_in_the_code_cannot_close_the_suggestion():
    after = [*TEN[:4], "```", "````suggestion", "<!-- x -->", *TEN[5:]]
    found = split(TEN, after)
    assert found.comments[0].body.startswith("`````suggestion\n")
    assert applied(TEN, found.comments) == after


@pytest.mark.parametrize(
    "fix",
    [
        "diff --git a/a.py b/a.py\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,1 @@\n+new\n",
        "diff --git a/a.py b/a.py\ndeleted file mode 100644\n--- a/a.py\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-old\n",
        "diff --git a/a.py b/a.py\nold mode 100644\nnew mode 100755\n",
        "diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n",
        diff("a\nb\n", "b\nb\n", header="old mode 100644\nnew mode 100755\n"),
        "diff --git a/a.py b/b.py\nsimilarity index 100%\nrename from a.py\nrename to b.py\n",
        "no diff at all\n",
        "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,9 +1,9 @@\n cut off\n",
    ],
)
def test_what_is_more_than_changed_lines_is_left_as_a_patch(fix):
    found = suggest(fix, WHOLE)
    assert found.comments == ()
    assert found.rest == fix


@pytest.mark.parametrize(("before", "after"), [("a\nb", "a\nc"), ("a\nb", "a\nb\n"), ("a\nb\n", "a\nb")])
def test_a_last_line_without_an_end_is_left_as_a_patch(before, after):
    found = suggest(diff(before, after), WHOLE)
    assert found.comments == ()
    assert found.rest


def test_windows_line_ends_are_left_as_a_patch():
    fix = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"
    found = suggest(fix, WHOLE)
    assert found.comments == ()
    assert found.rest == fix


def test_other_line_separators_inside_a_line_stay_inside_it():
    fix = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n a\x0c\u2028\n-b\n+c\x0b\u2029\x85d\n"
    (comment,) = suggest(fix, WHOLE).comments
    assert replacement(comment) == ["c\x0b\u2029\x85d"]


def test_more_suggestions_than_a_person_reads_become_a_patch():
    before = [f"line {number}" for number in range(1, 1001)]
    after = [f"{line}!" if number % 20 == 10 else line for number, line in enumerate(before)]
    found = split(before, after)
    assert len(found.comments) == MAX_COMMENTS
    assert found.rest.count("\n@@ ") == 50 - MAX_COMMENTS


def test_no_fix_is_no_suggestion():
    assert suggest("", WHOLE) == Suggestions((), "")


LINES = st.lists(st.sampled_from(["a", "b", "c", "", "```", "@@ -1 +1 @@", "--- a/x", "\\ x"]), max_size=12)


@given(before=LINES.filter(bool), after=LINES)
def test_suggestions_that_cover_a_fix_rebuild_it(before, after):
    found = split(before, after)
    if not found.rest:
        assert applied(before, found.comments) == after
    for comment in found.comments:
        assert 1 <= comment.start_line <= comment.line <= len(before)
