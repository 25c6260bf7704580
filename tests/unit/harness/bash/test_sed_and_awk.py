"""sed scripts and awk programs are read far enough to see what leaves them, and no further."""

import pytest

from autofix.harness.bash.awk import awk_steps
from autofix.harness.bash.deeds import Play, Read, Refuse, Write
from autofix.harness.bash.sed import sed_steps

HIDDEN = "hidden"


def told(steps):
    return [HIDDEN if isinstance(step, Refuse) else step for step in steps]


@pytest.mark.parametrize(
    "script",
    [
        "s/a/b/g",
        "s|w /etc/x|y|",
        "s/[/]/x/",
        "s/[]/]/x/",
        "s/[^]/]/x/",
        "s/[[:alpha:]/]/[/",
        "y/[/]/",
        r"s/\/w x/y/",
        "1,5p",
        "$d",
        "/a/,/b/d",
        "/^w/!d",
        r"\,x,p",
        "10~3{s/a/b/;p}",
        "y/abc/xyz/",
        "a\\\n w not a command",
        "i hello; w x",
        "c e text",
        ":top;N;s/\\n/ /;t top",
        "1!G;h;$!d",
        "# w comment\np",
        "s/a/b/2p",
        "=",
        "5q",
        "0~4 p",
        "/x/I,+2 d",
    ],
)
def test_a_script_that_only_prints(script):
    assert told(sed_steps(script)) == []


@pytest.mark.parametrize(
    ("script", "steps"),
    [
        ("w out", [Write("out")]),
        ("/x/w out", [Write("out")]),
        ("s/a/b/w out", [Write("out")]),
        ("s/a/b/gw out", [Write("out")]),
        ("p;W out", [Write("out")]),
        ("1{w out\n}", [Write("out")]),
        ("r in", [Read("in")]),
        ("R in", [Read("in")]),
        ("1e rm x", [HIDDEN]),
        ("e", [HIDDEN]),
        ("s/a/b/e", [HIDDEN]),
        ("s/a/b/ge", [HIDDEN]),
        ("s/[/e/e", [HIDDEN]),
        ("k", [HIDDEN]),
        ("s/a", [HIDDEN]),
    ],
)
def test_what_leaves_a_script_is_seen(script, steps):
    assert told(sed_steps(script)) == steps


@pytest.mark.parametrize(
    "program",
    [
        "{print $1}",
        "/system(/ {print}",
        '{print "system(x) | sh > y"}',
        "$3 > 5 {print $1}",
        "{ if ($1 > 2) n++ } END { print n }",
        "{ print ($1 > 2) }",
        "{ x = a / b / c; print x }",
        'BEGIN{FS=":"} {print $NF} # > comment',
        "function f(a) { return a*2 } { print f($1) }",
        '{ gsub(/[/]|/, "x"); print }',
        "$1 ~ /a|b/ || $2 !~ /c/",
        "{ while ((getline line) > 0) print line }",
        'BEGIN { print ENVIRON["HOME"] }',
    ],
)
def test_a_program_that_only_prints(program):
    assert told(awk_steps(program)) == []


@pytest.mark.parametrize(
    ("program", "steps"),
    [
        ('{print > "out"}', [Write("out")]),
        ('{printf "%s", $1 >> "out"}', [Write("out")]),
        ("{print > $1}", [HIDDEN]),
        ('{print > "a" b}', [HIDDEN]),
        ('BEGIN{system("rm x")}', [Play("rm x")]),
        ("BEGIN{system(x)}", [HIDDEN]),
        ('BEGIN{system("rm " x)}', [HIDDEN]),
        ('BEGIN{"date" | getline d}', [Play("date")]),
        ("BEGIN{cmd | getline d}", [HIDDEN]),
        ('BEGIN{while ((getline l < "in") > 0) print l}', [Read("in")]),
        ("BEGIN{for (k in ENVIRON) print k}", [HIDDEN]),
        ('BEGIN{print ENVIRON["GITHUB_TOKEN"]}', [HIDDEN]),
        ('@load "x"', [HIDDEN]),
        ('{print "unclosed}', [HIDDEN]),
    ],
)
def test_what_leaves_a_program_is_seen(program, steps):
    assert told(awk_steps(program)) == steps


def test_a_pipe_into_a_program_feeds_it_what_nobody_knows():
    (step,) = awk_steps('{print | "sort"}')
    assert step.text == "sort"
    assert step.stdin
