import base64
import codecs
import gzip
import json
import textwrap
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autofix.harness.redact import Redactor

KEY = "Zq9/canary+KEY_4f7a!c02e&81b3d95e"
REDACTOR = Redactor({"MODEL_KEY": KEY})


def b64(prefix: bytes, value: str = KEY, encode=base64.b64encode) -> str:
    return encode(prefix + value.encode() + b" and what follows").decode()


CLAIMED = {
    "raw": KEY,
    "base64, offset 0": b64(b""),
    "base64, offset 1": b64(b"x"),
    "base64, offset 2": b64(b"xy"),
    "base64, url-safe": b64(b"x", encode=base64.urlsafe_b64encode),
    "base64, wrapped at 20": "\n".join(textwrap.wrap(b64(b""), 20)),
    "base32": base64.b32encode(KEY.encode()).decode(),
    "base32, offset 3": base64.b32encode(b"abc" + KEY.encode()).decode(),
    "hex": KEY.encode().hex(),
    "HEX": KEY.encode().hex().upper(),
    "URL": quote(KEY, safe=""),
    "URL, lower case": quote(KEY, safe="").replace("%2F", "%2f").replace("%2B", "%2b"),
    "form": quote_plus(KEY),
    "reversed": KEY[::-1],
    "rot13": codecs.encode(KEY, "rot13"),
    "without punctuation": "".join(char for char in KEY if char.isalnum()),
    "first seven characters dropped": KEY[7:],
    "last seven characters dropped": KEY[:-7],
    "twelve characters from the middle": KEY[9:21],
}

NOT_CLAIMED = {
    "gzip and base64": base64.b64encode(gzip.compress(KEY.encode(), mtime=0)).decode(),
    "base64 twice": base64.b64encode(base64.b64encode(KEY.encode())).decode(),
    "eleven characters": KEY[:11],
    "a blank between the characters": " ".join(KEY),
}


def longest_common_run(one: str, other: str) -> int:
    return max(
        (size for size in range(1, len(one) + 1) for at in range(len(one) - size + 1) if one[at : at + size] in other),
        default=0,
    )


@pytest.mark.parametrize("form", CLAIMED)
def test_a_known_value_is_found_in_each_claimed_form(form):
    told = REDACTOR.text(f"before {CLAIMED[form]} after")
    assert "[redacted:MODEL_KEY]" in told
    assert told.startswith("before ")
    assert told.endswith(" after")
    assert longest_common_run(CLAIMED[form][:60], told.replace("[redacted:MODEL_KEY]", "")) < 24


@pytest.mark.parametrize("form", ["raw", "hex", "HEX", "reversed", "rot13", "URL", "without punctuation", "form"])
def test_nothing_of_a_wholly_covered_form_is_left(form):
    assert REDACTOR.text(f"<{CLAIMED[form]}>") == "<[redacted:MODEL_KEY]>"


@pytest.mark.parametrize("form", NOT_CLAIMED)
def test_what_the_docstring_disclaims_is_indeed_not_found(form):
    assert REDACTOR.text(NOT_CLAIMED[form]) == NOT_CLAIMED[form]


def test_every_twelve_character_piece_is_found():
    for start in range(len(KEY) - 11):
        assert REDACTOR.text(f"({KEY[start : start + 12]})") == "([redacted:MODEL_KEY])", start


def test_a_false_start_right_before_the_value_does_not_hide_it():
    assert REDACTOR.text(KEY[:6] + KEY) == KEY[:6] + "[redacted:MODEL_KEY]"
    assert KEY[8:20] not in REDACTOR.text(KEY[:10] + KEY[4:])


@pytest.mark.parametrize("name_first", [True, False])
def test_of_two_values_that_begin_alike_each_is_named(name_first):
    short, long = "token-abcdefgh", "token-abcdefgh-ijklmnop"
    pairs = [("SHORT", short), ("LONG", long)]
    redactor = Redactor(dict(pairs if name_first else pairs[::-1]))
    assert redactor.text(f"{long} {short}!") in {
        "[redacted:LONG] [redacted:SHORT]!",
        "[redacted:LONG] [redacted:LONG]!",
    }


def test_values_under_six_characters_are_left_alone_and_six_are_not():
    redactor = Redactor({"FIVE": "abcde", "SIX": "uvwxyz", "EMPTY": ""})
    assert redactor.text("abcde uvwxyz uvwxy") == "abcde [redacted:SIX] uvwxy"


def test_each_line_of_a_value_of_several_lines_is_a_value():
    redactor = Redactor({"PEM": "first-line-of-it\n  second7\nthird-line-of-it\n"})
    told = redactor.text("log: second7\nlog: third-line-of-it")
    assert told == "log: [redacted:PEM]\nlog: [redacted:PEM]"


def test_a_json_escaped_value_is_found():
    value = 'pass"word\\with\ttab-é-and-more'
    told = Redactor({"P": value}).text(json.dumps({"p": value}))
    assert "word" not in told
    assert "more" not in told


TOKENS = {
    "github-token": ["ghp_" + "a1B2" * 9, "gho_" + "x" * 36, "ghu_" + "x" * 36, "ghs_" + "x" * 36, "ghr_" + "x" * 36,
                     "github_pat_" + "11ABC_" * 8],
    "anthropic-key": ["sk-ant-api03-" + "x-_A" * 20],
    "api-key": ["sk-proj-" + "x" * 40, "sk-" + "Ab1" * 16, "AIza" + "x" * 35, "npm_" + "x" * 36],
    "aws-key-id": ["AKIAIOSFODNN7EXAMPLE"],
    "slack-token": ["xoxb-123456789012-abcdef"],
    "jwt": ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.s5-sig_nature"],
    "private-key": ["-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk=\nAAAA\n-----END OPENSSH PRIVATE KEY-----",
                    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIEow==\n-----END RSA PRIVATE KEY-----",
                    "-----BEGIN PRIVATE KEY-----\\nMIIEow\\n-----END PRIVATE KEY-----"],
}  # fmt: skip


@pytest.mark.parametrize(("name", "token"), [(name, token) for name, tokens in TOKENS.items() for token in tokens])
def test_well_known_tokens_are_found_by_shape(name, token):
    assert Redactor().text(f"x='{token}';") == f"x='[redacted:{name}]';"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Authorization: Bearer abc.def-123", "Authorization: Bearer [redacted:authorization]"),
        ("AUTHORIZATION: basic eC1hY2Nlc3M6Zm9v", "AUTHORIZATION: basic [redacted:authorization]"),
        ("{'Authorization': 'token abcdef0123'}", "{'Authorization': 'token [redacted:authorization]'}"),
        ("x-api-key: 0123456789abcdef", "x-api-key: [redacted:api-key-header]"),
        ("https://user:hunter22@example.org/x", "https://user:[redacted:url-password]@example.org/x"),
    ],
)
def test_of_headers_and_addresses_only_the_secret_part_goes(text, told):
    assert Redactor().text(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "risk-averse task-force-one-two-three-four-five",
        "assert '-----BEGIN PUBLIC KEY-----' in text",
        "git@github.com:owner/repo.git and https://example.org:8080/a@b",
        "https://user:$PASSWORD@example.org",
        "authorization: Bearer",
        "def test_authorization_token_is_required(): pass",
        "a" * 500,
    ],
)
def test_ordinary_text_stays(text):
    assert REDACTOR.text(text) is text


def test_a_bare_key_header_in_code_does_not_swallow_the_code():
    code = 'if "-----BEGIN PRIVATE KEY-----" in text:\n    raise Leak(text)\n'
    assert Redactor().text(code) == 'if "[redacted:private-key]" in text:\n    raise Leak(text)\n'


def test_bytes_of_any_encoding_are_redacted_and_untouched_bytes_stay():
    data = b"\xff\xfe\x00 " + KEY.encode() + b" \x80\xe9"
    assert REDACTOR.raw(data) == b"\xff\xfe\x00 [redacted:MODEL_KEY] \x80\xe9"
    clean = b"\xff\x00nothing here"
    assert REDACTOR.raw(clean) is clean


def test_lone_surrogates_pass():
    assert REDACTOR.text(f"caf\udce9 {KEY} \ud800") == "caf\udce9 [redacted:MODEL_KEY] \ud800"


def test_a_piece_that_ends_within_a_character_is_still_hidden():
    told = Redactor({"V": "abcdefghijklmé"}).text("abcdefghijklmê!")
    assert told.startswith("[redacted:V]")
    assert told.endswith("!")


def test_redacting_twice_changes_nothing():
    once = REDACTOR.text(f"{KEY} https://u:{KEY}@h Authorization: Bearer {KEY}")
    assert KEY[:12] not in once
    assert REDACTOR.text(once) == once


def test_the_repr_tells_names_only():
    assert repr(REDACTOR) == "Redactor(['MODEL_KEY'])"


@given(st.text(max_size=200), st.text(max_size=200), st.text(alphabet="abcXYZ019-_/+=.% é", min_size=12, max_size=60))
def test_no_twelve_characters_of_a_value_survive_whatever_surrounds_it(before, after, value):
    told = Redactor({"V": value}).text(before + value + after)
    rest = told.replace("[redacted:V]", "\0")
    if value not in before and value not in after:
        assert value not in rest


def test_a_text_full_of_false_starts_is_left_as_it_is():
    text = (KEY[:11] + ".") * 2000
    assert REDACTOR.text(text) == text
