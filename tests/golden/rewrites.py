"""Ways to write the same bash command differently, generated: what they do stays as it was, what they look like does not.

Two kinds: around the whole text (any command bears them), and inside one simple command (only where it is one, plain
enough to be cut into words by its blanks).
"""

import re
import shlex
from collections.abc import Callable, Iterator

LONGEST_CHAIN = 99
"""Commands in front of the one in question; together with it the most the gate reads."""

_PLAIN = re.compile(r"[\w./:=@%+,-]+(?: [\w./:=@%+,-]+)*\Z")
_KEYWORDS = frozenset(
    [
        "if",
        "then",
        "else",
        "elif",
        "fi",
        "for",
        "while",
        "until",
        "do",
        "done",
        "case",
        "esac",
        "select",
        "function",
        "time",
        "coproc",
        "export",
        "declare",
        "local",
        "set",
        "unset",
        "cd",
        "eval",
        "exec",
        "source",
        ".",
        "trap",
        "shopt",
        "alias",
        "read",
        "exit",
        "return",
        "break",
        "continue",
        "wait",
        "kill",
        "jobs",
        "printf",
        "let",
        ":",
        "[",
        "test",
        "env",
    ]
)
_PROGRAM = re.compile(r"[a-z][a-z0-9]*\Z")

AROUND: dict[str, Callable[[str], str]] = {
    "after true": lambda c: f"true && {c}",
    "after a failure": lambda c: f"false || {c}",
    "in a subshell": lambda c: f"( {c}\n)",
    "in braces": lambda c: f"{{ {c}\n}}",
    "bash -c": lambda c: f"bash -c {shlex.quote(c)}",
    "sh -c in env": lambda c: f"env bash -c {shlex.quote(c)}",
    "bash -lc, absolute": lambda c: f"/bin/bash -lc {shlex.quote(c)}",
    "eval": lambda c: f"eval {shlex.quote(c)}",
    "twice bash -c": lambda c: f"bash -c {shlex.quote(f'bash -c {shlex.quote(c)}')}",
    "a comment line before": lambda c: f"# look here\n{c}",
    "blank lines around": lambda c: f"\n\n  {c}\n\n",
    "a comment after": lambda c: c if "<<" in c else f"{c}\n# done",
    "second of a list": lambda c: f"echo one; {c}",
    "on the second line": lambda c: f"pytest -q\n{c}",
    "last of many": lambda c: "true\n" * 60 + c,
    "in a function": lambda c: f"run_it() {{\n{c}\n}}\nrun_it",
    "in an if": lambda c: f"if true; then\n{c}\nfi",
    "in a for": lambda c: f"for _ in 1; do\n{c}\ndone",
    "in a case": lambda c: f"case x in\nx)\n{c}\n;;\nesac",
    "in a substitution": lambda c: c if "<<" in c else f': "$( {c}\n)"',
    "from a here-document": lambda c: f"bash <<'END_OF_SCRIPT'\n{c}\nEND_OF_SCRIPT",
    "in the trap": lambda c: f"trap {shlex.quote(c)} EXIT",
}


def _words(wrap: Callable[[list[str]], str]) -> Callable[[str], str]:
    return lambda c: wrap(c.split(" "))


INSIDE: dict[str, Callable[[str], str]] = {
    "single quotes": _words(lambda w: " ".join(f"'{one}'" for one in w)),
    "double quotes": _words(lambda w: " ".join(f'"{one}"' for one in w)),
    "ANSI-C quotes": _words(lambda w: " ".join(f"$'{one}'" for one in w)),
    "hex": _words(lambda w: " ".join("$'" + "".join(f"\\x{ord(char):02x}" for char in one) + "'" for one in w)),
    "quotes inside words": _words(lambda w: " ".join(one[:1] + "''" + one[1:] for one in w)),
    "backslashes": _words(lambda w: " ".join("".join(f"\\{char}" for char in one) for one in w)),
    "line continuations": _words(" \\\n  ".join),
    "many blanks": _words(lambda w: " \t ".join(w) + "  "),
    "a path in front": _words(lambda w: " ".join([f"/usr/bin/{w[0]}" if _PROGRAM.match(w[0]) else w[0], *w[1:]])),
    "env": _words(lambda w: "env " + " ".join(w)),
    "env with an assignment": _words(lambda w: "env LC_ALL=C " + " ".join(w)),
    "an assignment in front": lambda c: f"LC_ALL=C {c}",
    "command": lambda c: f"command {c}",
    "nohup": lambda c: f"nohup {c}",
    "timeout": lambda c: f"timeout 60 {c}",
    "nice": lambda c: f"nice -n 5 {c}",
    "a redirect in front": lambda c: f">/dev/null {c}",
    "two redirects in front": lambda c: f"2>&1 </dev/null {c}",
    "a variable": _words(lambda w: f"x={w[0]}; $x " + " ".join(w[1:])),
    "an array": _words(lambda w: f'x=({" ".join(w)}); "${{x[@]}}"'),
    "braces": _words(lambda w: "{" + ",".join(w) + "}" if len(w) > 1 and "," not in "".join(w) else " ".join(w)),
    "in the background": "{} & wait".format,
}


def rewrites(command: str) -> Iterator[tuple[str, str]]:
    """(name of the rewrite, the command rewritten), at least twenty for every command."""
    for name, wrap in AROUND.items():
        yield name, wrap(command)
    if (
        _PLAIN.match(command)
        and command.split(" ", maxsplit=1)[0] not in _KEYWORDS
        and "=" not in command.split(" ", maxsplit=1)[0]
    ):
        for name, wrap in INSIDE.items():
            yield name, wrap(command)
