"""Words become what bash makes of them, with marks where only a run could tell."""

import pytest

from autofix.harness.bash.syntax import Arithmetic, DoubleQuoted, Literal, Parameter, Word
from autofix.harness.bash.values import ANY, NAME, OPAQUE
from autofix.harness.bash.words import fields


class Shell:
    """Variables and nothing else."""

    def __init__(self, **variables):
        self.variables = variables
        self.refused = []

    def variable(self, name):
        return self.variables.get(name, {"IFS": " \t\n", "@": ("a b", "c")}.get(name, ANY))

    def is_set(self, name):
        return name in self.variables

    def assign(self, name, value):
        self.variables[name] = value

    def output_of(self, body):
        return OPAQUE

    def stream_of(self, part):
        return "/dev/fd/63"

    def refuse(self, rule, reason):
        self.refused.append(rule)

    def directory(self, user):
        return f"/home/{user or 'me'}"


def made(*parts, **variables):
    return [field.text for field in fields(Word(parts), Shell(**variables))]


def lit(text):
    return Literal(text)


def quoted(text):
    return Literal(text, quoted=True)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([lit("plain")], ["plain"]),
        ([lit("r"), quoted(""), lit("m")], ["rm"]),
        ([quoted("")], [""]),
        ([lit(r"\r\m")], ["rm"]),
        ([lit("a\\\nb")], ["ab"]),
        ([DoubleQuoted((lit(r"\$x \q \\"),))], [r"$x \q " + "\\"]),
        ([lit("{a,b}")], ["a", "b"]),
        ([lit("x{a,b{1,2}}y")], ["xay", "xb1y", "xb2y"]),
        ([lit("{,s}")], ["s"]),
        ([lit("{1..3}")], ["1", "2", "3"]),
        ([lit("{c..a}")], ["c", "b", "a"]),
        ([lit("{a}")], ["{a}"]),
        ([quoted("{a,b}")], ["{a,b}"]),
        ([lit("~/x")], ["/home/me/x"]),
        ([lit("~you")], ["/home/you"]),
        ([quoted("~"), lit("/x")], ["~/x"]),
        ([lit("a"), Arithmetic()], [f"a{NAME}"]),
        ([Parameter("unset")], [ANY]),
        ([DoubleQuoted((Parameter("@"),))], ["a b", "c"]),
        ([Parameter("@")], ["a", "b", "c"]),
    ],
)
def test_a_word_becomes_its_fields(parts, expected):
    assert made(*parts) == expected


@pytest.mark.parametrize(
    ("part", "variables", "expected"),
    [
        (Parameter("x"), {"x": "a b"}, ["a", "b"]),
        (Parameter("x"), {"x": "a,b", "IFS": ","}, ["a", "b"]),
        (DoubleQuoted((Parameter("x"),)), {"x": "a b"}, ["a b"]),
        (Parameter("x"), {"x": ""}, []),
        (Parameter("x"), {"x": ("a", "b")}, ["a"]),
        (DoubleQuoted((Parameter("x", index=Word((lit("@"),))),)), {"x": ("a b", "c")}, ["a b", "c"]),
        (Parameter("x", index=Word((lit("1"),))), {"x": ("a", "b")}, ["b"]),
        (Parameter("x", "#"), {"x": "abc"}, [NAME]),
        (Parameter("x", "!"), {"x": "y", "y": "z"}, ["z"]),
        (Parameter("x", ":-", Word((lit("d"),))), {}, ["d"]),
        (Parameter("x", ":-", Word((lit("d"),))), {"x": "v"}, ["v"]),
        (Parameter("x", ":=", Word((lit("d"),))), {"x": ""}, ["d"]),
        (Parameter("x", ":+", Word((lit("d"),))), {"x": "v"}, ["d"]),
        (Parameter("x", ":+", Word((lit("d"),))), {}, []),
        (Parameter("x", "#", Word((lit("a"),))), {"x": "abc"}, ["bc"]),
        (Parameter("x", "%", Word((lit("c"),))), {"x": "abc"}, ["ab"]),
        (Parameter("x", "##", Word((lit("*/"),))), {"x": "a/b/c"}, ["c"]),
        (Parameter("x", "/", Word((lit("a"),))), {"x": "abc"}, [OPAQUE]),
        (Parameter("x", "^^"), {"x": "abc"}, [OPAQUE]),
        (Parameter("x", "^^"), {"x": NAME}, [NAME]),
    ],
)
def test_a_parameter_becomes_its_value(part, variables, expected):
    assert made(part, **variables) == expected


def test_an_indirection_that_cannot_be_known_is_refused():
    shell = Shell(x=OPAQUE)
    assert [field.text for field in fields(Word((Parameter("x", "!"),)), shell)] == [OPAQUE]
    assert shell.refused == ["secrets"]


def test_a_prompt_expansion_is_refused():
    shell = Shell(x="$(id)")
    fields(Word((Parameter("x", "@", Word((lit("P"),))),)), shell)
    assert shell.refused == ["opaque-exec"]


def test_too_many_braces_are_refused():
    shell = Shell()
    assert [field.text for field in fields(Word((lit("{a,b}" * 12),)), shell)] == [OPAQUE]
    assert shell.refused


def test_globs_are_kept_and_remembered():
    (field,) = fields(Word((lit("/bin/r[m]"),)), Shell())
    assert field == ("/bin/r[m]", True)
    (field,) = fields(Word((quoted("/bin/r[m]"),)), Shell())
    assert field == ("/bin/r[m]", False)
