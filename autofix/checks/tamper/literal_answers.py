"""A test's own input answered with that test's own answer, in languages we do not parse.

By pattern: a literal that is asked for beside a literal that is given, where one statement of a test holds both.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autofix.checks.finding import Finding, Severity
from autofix.checks.measure import is_test_file
from autofix.checks.tamper.examples import weight
from autofix.checks.tamper.languages import Language, inline_tests_from, language_of
from autofix.checks.tamper.literal_pairs import Literal, Pairs, literals
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.source_text import views
from autofix.checks.tamper.special_cases import is_natural

_ASK_WEIGHT = 2
_SURE_WEIGHT = 3
_SHARE = 0.8
"""A table or a chain of choices of which this much is in the tests was made from them."""
_CHAIN = 3
"""Choices of which fewer say nothing about the share."""
_FRAGMENT = 5
"""Characters of a text that is no coincidence, where it is no plain word."""
_REACH = 2
"""Lines below a condition in which its answer is looked for."""
_CONDITION = re.compile(r"\b(if|elsif|elif|unless|when|case|switch|while)\b|\?[^.?:]|&&|\|\|")
_GIVES = re.compile(r"\breturn\b|[^=!<>]=[^=>]|->|=>|\?|\bthen\b|\bif\b|^\s*[\"'\d]")
_ENTRY = re.compile(
    r"(?P<key>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|\b\d[\d_.]*\b|\b[A-Za-z_]\w*(?=\s*:))\s*\]?\s*(?::|=>|->|,|=(?!=))\s*"
    r"(?P<value>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|-?\b\d[\d_.]*\b)"
)
_HEAD = re.compile(
    r"\b(function|func|fn|def|public|private|protected|static|override|fun)\b"
    r"|^\s*[\w:<>*&\[\] ]+\([^;]*\)[^;]*\{\s*$|=>\s*\{?\s*$"
)
_CONTROL = re.compile(r"\b(if|for|while|switch|else|catch|unless|case|when|match)\b")
_SOLE = re.compile(r"^\s*return\s+(?P<value>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|-?[\d_.]+)[^+\-*/%.\w(]*$")


@dataclass(frozen=True, slots=True)
class _Choice:
    """One answer for what is asked, and how sure it is from a test; None where no test pairs them."""

    line: int
    answer: object
    found: int | None


def literal_answers(patch: PatchFiles) -> Iterator[Finding]:
    known: dict[int, Pairs] = {}
    for file in patch.code:
        language = language_of(file.path)
        if language is None or file.after is None:
            continue
        if id(language) not in known:
            known[id(language)] = _pairs(patch, language)
        yield from _in_file(file, language, known[id(language)])


def _pairs(patch: PatchFiles, language: Language) -> Pairs:
    inline = {file.path: file.before for file in patch.code if file.before is not None}
    tests = []
    for path, content in {**patch.head_tests, **inline}.items():
        if language_of(path) is language:
            code = views(content, path).code
            tests.append(code if is_test_file(path) else code[inline_tests_from(code, language) :])
    return Pairs(tests)


def _in_file(file: ChangedFile, language: Language, pairs: Pairs) -> Iterator[Finding]:
    code = views(file.after, file.path).code
    end = inline_tests_from(code, language)
    added = {number for number, _ in file.added_lines if number <= end}
    lines = {number: code[number - 1] for number in sorted(added)}
    entries = list(_entries(lines, pairs))
    several = sum(entry.found is not None for entry in entries) > 1
    least = _ASK_WEIGHT if several else _SURE_WEIGHT
    yield from _found(file, entries, "a table holds a test's own input with its answer", least=least)
    in_table = {entry.line for entry in entries}
    choices = [one for one in _choices(lines, pairs) if one.line not in in_table]
    yield from _found(file, choices, "a test's own input is answered with a literal", least=_ASK_WEIGHT)
    yield from _recognised(file, lines, pairs)
    yield from _sole_answers(file, code, lines, pairs)
    yield from _counters(file, code, lines)


def _found(file: ChangedFile, choices: Sequence[_Choice], what: str, *, least: int) -> Iterator[Finding]:
    hits = [one for one in choices if one.found is not None]
    heaviest = max((one.found or 0 for one in hits), default=0)
    if heaviest < least or (len(choices) >= _CHAIN and len(hits) < _SHARE * len(choices)):
        return
    for one in hits:
        if (one.found or 0) >= _ASK_WEIGHT:
            severity = Severity.TAMPERING if (one.found or 0) >= _SURE_WEIGHT else Severity.ASK
            yield Finding("input-special-cased", file.path, one.line, severity, f"{what} ({str(one.answer)[:40]!r})")


def _choices(lines: dict[int, str], pairs: Pairs) -> Iterator[_Choice]:
    for number, line in lines.items():
        if not _CONDITION.search(line):
            continue
        here = list(literals(line))
        asked = [one for one in here if one.asked]
        answers = [one for one in here if not one.asked] if _GIVES.search(line) else []
        for below in range(number + 1, number + 1 + _REACH):
            text = lines.get(below, "")
            if answers or not text or _CONDITION.search(text):
                break
            answers = list(literals(text)) if _GIVES.search(text) else []
        if asked and answers:
            best = max(answers, key=lambda answer: _evidence(asked, answer, pairs) or -1)
            yield _Choice(number, best.value, _evidence(asked, best, pairs))


def _evidence(asked: Sequence[Literal], answer: Literal, pairs: Pairs) -> int | None:
    whole = [one.value for one in asked if one.asked == "whole" and pairs.pair(one.value, answer.value)]
    if whole:
        heaviest = max(map(weight, whole))
        return heaviest + weight(answer.value) + (len(whole) > 1 and heaviest > 0)
    parts = [_part(one, answer.value, pairs) for one in asked if one.asked in {"piece", "length"}]
    return max((part for part in parts if part is not None), default=None)


def _part(one: Literal, answer: object, pairs: Pairs) -> int | None:
    """A piece or the length of a text that stands beside the answer in a test; never proof."""
    for text in pairs.beside(answer):
        if text == answer:
            continue
        if one.asked == "length" and one.value == len(text) and len(text) > _CHAIN:
            return min(weight(answer), _ASK_WEIGHT)
        if one.asked == "piece" and isinstance(one.value, str) and one.value in text and len(one.value) >= _CHAIN:
            telling = not is_natural(one.value) or re.fullmatch(r"\W+", one.value)
            large = 2 * len(one.value) >= len(text)
            return min(_ASK_WEIGHT, weight(answer) + large) if telling else 0
    return None


def _entries(lines: dict[int, str], pairs: Pairs) -> Iterator[_Choice]:
    for number, line in lines.items():
        if _CONDITION.search(line) and "=>" not in line:
            continue
        for match in _ENTRY.finditer(line):
            place, value = (next(literals(match[name]), None) for name in ("key", "value"))
            asked = match["key"] if place is None else place.value
            if value is not None:
                found = weight(asked) + weight(value.value) if pairs.pair(asked, value.value) else None
                yield _Choice(number, value.value, found)


def _recognised(file: ChangedFile, lines: dict[int, str], pairs: Pairs) -> Iterator[Finding]:
    """A condition that names a text of the tests, or cuts one in the middle of a number, whatever it then does."""
    old = (file.before or b"").decode("utf-8", "replace")
    for number, line in lines.items():
        for one in literals(line):
            told = one.value if one.asked and isinstance(one.value, str) else ""
            if told and told not in old and ((_is_telling(told) and told in pairs) or pairs.cuts_number(told)):
                message = f"code under test asks for a test's own input ({told[:40]!r})"
                yield Finding("input-recognised", file.path, number, Severity.ASK, message)


def _is_telling(text: str) -> bool:
    return len(text) >= _FRAGMENT and not re.fullmatch(r"\w+|[\W_]+", text)


def _sole_answers(file: ChangedFile, code: Sequence[str], lines: dict[int, str], pairs: Pairs) -> Iterator[Finding]:
    """A function whose first statement now gives what a test expects."""
    old = set(file.old_lines)
    for number, line in lines.items():
        match = _SOLE.match(line)
        above = next((text for text in reversed(code[: number - 1]) if text.strip()), "")
        if match is None or not _HEAD.search(above) or _CONTROL.search(above) or above not in old:
            continue
        value = next(literals(match["value"])).value
        if value in pairs and weight(value):
            severity = Severity.TAMPERING if weight(value) >= _ASK_WEIGHT else Severity.ASK
            message = f"a function now gives a test's own value whatever it is given ({str(value)[:40]!r})"
            yield Finding("answer-hard-coded", file.path, number, severity, message)


def _counters(file: ChangedFile, code: Sequence[str], lines: dict[int, str]) -> Iterator[Finding]:
    """A number kept outside of every function, added to and compared with a number."""
    kept = re.compile(
        r"^(?:export\s+)?(?:let|var|static|private static|int|my|\$|@@)\s*(?:int\s+|mut\s+)?(\$?@*\w+)[^=]*=\s*0;?\s*$"
    )
    names = {match[1] for line in code if (match := kept.match(line.strip("\n")))}
    for name in sorted(names):
        counts = re.compile(rf"{re.escape(name)}\s*(\+\+|\+=)|\+\+\s*{re.escape(name)}")
        asks = re.compile(rf"{re.escape(name)}\s*[=!]==?\s*\d")
        at = next((number for number, line in lines.items() if asks.search(line)), None)
        if at is not None and any(counts.search(line) for line in lines.values()):
            message = "the answer depends on how often the code was called before"
            yield Finding("call-counted", file.path, at, Severity.ASK, message)
