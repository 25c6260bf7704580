"""The escapes against the machines they are meant for: the runner's command parser, and a CommonMark + GFM renderer."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from autofix.report.escape import (
    code_block,
    for_log,
    for_markdown,
    for_markdown_line,
    inline_code,
)

ZERO_WIDTH_SPACE = "\u200b"
BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"


# The runner's log


def commands(output: str) -> list[str]:
    """What the runner would take for a command, by its own rules (both syntaxes, known commands or not)."""
    found = []
    for line in re.split(r"[\n\r]", output):
        trimmed = line.lstrip()
        if trimmed.startswith("::") and trimmed.find("::", 2) > 2:
            found.append(trimmed)
        start = line.find("##[")
        if start >= 0 and line.find("]", start) >= 0:
            found.append(line)
    return found


LOG_PAYLOADS = [
    "::error::x",
    "::set-output name=a::b",
    "::save-state name=a::b",
    "::add-mask::x",
    "::add-matcher::/github/workspace/evil.json",
    "::stop-commands::token",
    "::token::",
    "::debug::x",
    "::warning file=a.py,line=1::x",
    "::notice title=a::x",
    "::group::x",
    "::endgroup::",
    "::echo::on",
    "::set-env name=PATH::x",
    "::add-path::/tmp",
    "::remove-matcher owner=x::",
    "  ::error::x",
    "\t::error::x",
    "\u00a0::error::x",
    "\u3000\u2003::error::x",
    "\u0085::error::x",
    "\u2028::error::x",
    "\x0b::error::x",
    "\x0c::error::x",
    "\x1c::error::x",
    "\ufeff::error::x",
    "\u200b::error::x",
    "\x1b[31m::error::x",
    "\x00::error::x",
    "ok\n::error::x",
    "ok\r::error::x",
    "ok\r\n::error::x",
    "progress 50%\r::add-matcher::x\rprogress 100%",
    ":::error::x",
    "::::error::x",
    "\n\n   ::error::x\n",
    "##[error]x",
    "text before ##[error]x",
    "##[add-matcher]x",
    "###[error]x",
    "##[[error]x",
    "####[command]x ##[group]y",
    "##\u200b[error]x",
    "#\u00ad#[error]x",
    "| ##[error]x",
    "::error::##[error]x",
    "ok\r##[set-output name=a]b",
    "::x y=z::\r::x::\n##[x]",
]


@pytest.mark.parametrize("payload", LOG_PAYLOADS, ids=ascii)
def test_the_runner_finds_no_command(payload):
    assert commands(for_log(payload)) == []


def test_the_ported_parser_does_find_commands():
    found = [payload for payload in LOG_PAYLOADS if commands(payload)]
    assert len(LOG_PAYLOADS) >= 40
    assert len(found) >= 40


@given(st.text(alphabet=":#[]ax \t\n\r\x0b\u2028\u00a0\u200b", max_size=40))
def test_no_mixture_becomes_a_command(text):
    assert commands(for_log(text)) == []


def test_ordinary_output_stays_readable():
    text = "tests/test_a.py::test_b FAILED\n  a::b c# d [e] http://x"
    assert for_log(text) == text


# Markdown


def rendered(markdown: str) -> str:
    return MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(markdown)


def shown(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html)).replace(ZERO_WIDTH_SPACE, "")


HARMLESS_TAGS = {"p", "br"}
MENTION = re.compile(r"(?<![\w`])@[A-Za-z0-9]")
REFERENCE = re.compile(r"#\d|(?<![a-z0-9])GH-\d", re.IGNORECASE)
BARE_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://|(?<![a-z0-9])www\.|\w@\w+\.\w", re.IGNORECASE)

MARKDOWN_PAYLOADS = [
    "@octocat",
    "hi @octocat, @org/team",
    "(@octocat)",
    "\\@octocat",
    "a\n@octocat",
    "mail octo@example.org now",
    "mailto:octo@example.org",
    "#12",
    "see #12 and #13.",
    "fixes #3",
    "Closes: #3",
    "resolves owner/repo#1",
    "owner/repo#1",
    "GH-12",
    "gh-12",
    "fixes GH-12",
    "fixes https://github.com/o/r/issues/3",
    "https://evil.example/x",
    "http://evil.example",
    "ftp://evil.example",
    "HTTPS://EVIL.EXAMPLE",
    "www.evil.example",
    "_www.evil.example_ _GH-1_",
    "WWW.evil.example",
    "<https://evil.example>",
    "<octo@example.org>",
    "[text](https://evil.example)",
    '[text](<https://evil.example> "title")',
    "[text][ref]\n\n[ref]: https://evil.example",
    "[ref]\n\n[ref]: /relative",
    "[a\n](b)",
    "![x](https://evil.example/p.png)",
    "![x][ref]\n\n[ref]: https://evil.example/p.png",
    "[![x](a)](b)",
    "<img src=https://evil.example/p.png>",
    "<IMG SRC=x onerror=alert(1)>",
    "<a href='https://evil.example'>x</a>",
    "<script>alert(1)</script>",
    "<details open><summary>x</summary>",
    "</details>",
    "<!-- autofix:comment -->",
    "<style>*{display:none}</style>",
    "<br><hr>",
    "&#64;octocat &#35;12",
    "&commat;octocat",
    "# heading",
    "heading\n=======",
    "heading\n-------",
    "---",
    "***",
    "___",
    "> quote",
    "> [!CAUTION]\n> fake alert",
    "- item\n- [x] task",
    "* item",
    "+ item",
    "1. item",
    "1) item",
    "    indented code",
    "\tindented code",
    "```\nfence",
    "~~~\nfence",
    "```suggestion\nevil\n```",
    "`code` ``more``",
    "**bold** _italic_ ~~gone~~",
    "a | b\n--|--\nc | d",
    "| a |\n|---|\n| b |",
    "a\r# b",
    "\n\n# b",
    "\u202egpj.exe",
    "zero\u200bwidth\u2060\ufeff",
    "\x1b]8;;https://evil.example\x07x\x1b]8;;\x07",
    "@" * 50 + "a",
    "*a" * 200,
]
HARD_TO_SEE_PAYLOADS = [
    "[text](javascript:alert(1))",
    "<svg/onload=alert(1)>",
    "a\\|b",
    "[^1]\n\n[^1]: note",
    "<!-- open",
    "-->",
    "<![CDATA[x]]>",
    "<?php x ?>",
    "&lt;img src=x&gt;",
    "@\u200boctocat",
    "$x$ $$y$$",
    "a\n:-:",
    "x  \ny",
    "x\\\ny",
    "tag\U000e0041s",
    "\ud800",
    "[" * 200 + "x" + "]" * 200,
]
"""Harmless to this renderer or to these rules even unescaped, but not to every reader."""


def check_harmless(html: str, source: str) -> None:
    tags = {tag.strip().lower() for tag in re.findall(r"</?([^>]+?)/?>", html)}
    assert tags <= HARMLESS_TAGS, tags
    text = unescape(html)
    for rule in (MENTION, REFERENCE, BARE_ADDRESS):
        assert not rule.search(text), rule.pattern
    assert not set(text) & set(BIDI + "\ufeff\u2060\u00ad\x1b")
    assert ZERO_WIDTH_SPACE not in source


@pytest.mark.parametrize("payload", MARKDOWN_PAYLOADS + HARD_TO_SEE_PAYLOADS, ids=ascii)
def test_text_stays_text_in_markdown(payload):
    source = for_markdown(payload)
    check_harmless(rendered(source), source)


@pytest.mark.parametrize("payload", MARKDOWN_PAYLOADS + HARD_TO_SEE_PAYLOADS, ids=ascii)
def test_a_line_of_it_stays_one_line_of_text_in_a_list_and_in_a_table(payload):
    source = for_markdown_line(payload)
    assert "\n" not in source
    assert rendered(f"- x {source}\n- y").count("<li>") == 2
    table = rendered(f"| a | b |\n|---|---|\n| {source} | end |\n\nafter")
    assert table.count("<td>") == 2
    assert "<td>end</td>" in table
    check_harmless(re.sub(r"</?(?:table|thead|tbody|tr|th|td)>", "", table), source)


@pytest.mark.parametrize("payload", MARKDOWN_PAYLOADS, ids=ascii)
def test_each_payload_does_harm_without_the_escape(payload):
    with pytest.raises(AssertionError):
        check_harmless(rendered(payload), payload)


def test_there_are_enough_payloads():
    assert len(set(MARKDOWN_PAYLOADS)) >= 60


@pytest.mark.parametrize(
    "text",
    ["AssertionError: 1 != 2", "C:\\dir\\file_name.py", "a <b> & 'c' \"d\" | $e `f`", "1. x\n2. y", "-x\n+y", "#1 @me"],
)
def test_a_reader_sees_what_was_written(text):
    assert shown(rendered(for_markdown(text))).strip() == text


def test_hidden_characters_are_shown():
    assert shown(rendered(for_markdown("a\u202eb"))).strip() == "a<U+202E>b"


@given(st.text(alphabet="@#<>[]()!`*_~|\\&$:/.-+=1 \t\nawGHx\r", max_size=40))
def test_no_mixture_becomes_markup(text):
    source = for_markdown(text)
    check_harmless(rendered(source), source)


# Code


CLOSERS = [
    "```",
    "```\n@octocat\n```",
    "````\n```",
    "~~~",
    "x\n  ```  \n<img src=x>",
    "x\r```\r@octocat",
    "x\u2028```\n@a",
    "`" * 50,
    "",
    "\n",
    "<details>",
    "</code></pre><img src=x>",
]


@pytest.mark.parametrize("text", CLOSERS, ids=ascii)
@pytest.mark.parametrize("language", ["", "diff", "py`\n@x"], ids=ascii)
def test_nothing_closes_a_code_block(text, language):
    html = rendered(f"before\n\n{code_block(text, language)}\n\n**after**")
    assert html.count("<pre>") == 1
    assert html.endswith("</code></pre>\n<p><strong>after</strong></p>\n")
    assert "<img" not in html


@given(st.text(alphabet="`~ab\n\r \t>-<", max_size=60))
def test_no_mixture_closes_a_code_block(text):
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(code_block(text))
    assert [token.type for token in tokens] == ["fence"]
    assert tokens[0].content.rstrip("\n") == re.sub("\r\n?", "\n", text).rstrip("\n")


@pytest.mark.parametrize(
    "text", ["x", "`", "``", "a`b", "`a`", "a ``b`` c", " x ", "@a #1 <img>", "a\nb", "a|b", "\\", "a\\|b", "a\\"]
)
def test_nothing_leaves_inline_code(text):
    expected = " ".join(text.split())
    assert unescape(rendered(f"x {inline_code(text)} y")) == f"<p>x <code>{expected}</code> y</p>\n"
    table = rendered(f"| a | b |\n|---|---|\n| {inline_code(text, in_table=True)} | end |")
    assert table.count("<td>") == 2
    assert shown(table.partition("<code>")[2].partition("</code>")[0]) == expected


def test_no_code_comes_of_blanks():
    assert inline_code(" \n\t") == ""
