import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from autofix.ports.forge import COMMENT_LIMIT
from autofix.report.escape import code_block
from autofix.report.fit import CUT_NOTE, fit


def tokens(markdown: str):
    return MarkdownIt("gfm-like", {"html": True, "linkify": False}).parse(markdown)


def balance(markdown: str) -> int:
    html = "".join(token.content for token in tokens(markdown) if token.type == "html_block")
    return len(re.findall("<details", html)) - len(re.findall("</details", html))


def test_what_fits_is_left_as_it_is():
    text = "a\n```\nb"
    assert fit(text, len(text)) is text


def test_a_comment_holds_what_github_takes():
    assert COMMENT_LIMIT == 65_536
    assert len(fit("line\n" * 20_000)) <= 65_536


@pytest.mark.parametrize("fence", ["```", "````", "~~~"])
def test_an_open_fence_is_closed_so_that_the_note_is_outside(fence):
    cut = fit(f"before\n\n{fence}py\n" + "code @octocat\n" * 100 + f"{fence}\nafter\n", 400)
    kinds = [token.type for token in tokens(cut)]
    assert kinds == [
        "paragraph_open",
        "inline",
        "paragraph_close",
        "fence",
        "paragraph_open",
        "inline",
        "paragraph_close",
    ]
    assert cut.endswith(CUT_NOTE)


def test_nested_details_around_a_fence_are_closed():
    body = (
        "<details><summary>a</summary>\n\n<details><summary>b</summary>\n\n```\n"
        + "x\n" * 500
        + "```\n\n</details>\n</details>\n"
    )
    cut = fit(body, 400)
    assert balance(cut) == 0
    assert tokens(cut)[-2].content.startswith("*(cut")


def test_details_within_a_fence_do_not_count():
    cut = fit("```\n<details>\n" + "x\n" * 500 + "```\n", 200)
    assert "</details>" not in cut


def test_html_within_inline_code_does_not_count():
    cut = fit("<details><summary>s</summary>\n\n`</details>` and ``<!-- ` ``\n" + "x\n" * 500 + "</details>\n", 200)
    assert balance(cut) == 0
    assert cut.count("</details>") == 2


def test_a_long_line_of_code_is_cut_and_a_long_line_of_prose_is_left_out():
    assert "xxx" in fit("```\n" + "x" * 5000 + "\n```\n", 300)
    prose = fit("first\n`" + "@octocat " * 500 + "`\n", 300)
    assert prose == "first\n" + CUT_NOTE


def test_a_hidden_comment_is_kept_whole_or_not_at_all():
    marked = "<!-- marker\nstate\n-->\ntext\n" + "x\n" * 500
    assert fit(marked, 200).startswith("<!-- marker\nstate\n-->\ntext\n")
    assert "<!--" not in fit("text\n<!-- marker\n" + "state\n" * 500 + "-->\n", 200)


@given(
    st.lists(
        st.one_of(
            st.text(alphabet="é漢🎉ab ", max_size=30),
            st.text(alphabet="`\nab", max_size=30).map(code_block),
            st.sampled_from(["<details><summary>s</summary>\n", "\n</details>\n", "<!-- m -->"]),
        ),
        min_size=1,
        max_size=8,
    ),
    st.integers(1, 12),
    st.integers(150, 500),
)
def test_whatever_is_cut_fits_and_leaves_nothing_open(parts, times, limit):
    markdown = "\n\n".join(parts * times)
    cut = fit(markdown, limit)
    assert len(cut.encode()) <= limit
    if cut != markdown:
        assert cut.endswith(CUT_NOTE)
        assert balance(cut) <= 0
        assert tokens(cut)[-1].type == "paragraph_close"
