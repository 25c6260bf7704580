"""The deny-list: patterns over the literal text of a command, matched in linear time.

It is short and precise, not complete: what a program would really do is the structure layer's business. This layer
exists because it understands nothing, so that no misunderstanding can switch it off. Each built-in pattern looks only
at command positions with nothing quoted before them: text in quotes is not an action.

Every entry carries an example it denies and a look-alike it allows; both are tests, and `autofix gate --list` prints
them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from autofix.errors import UsageError


@dataclass(frozen=True, slots=True)
class Entry:
    """One pattern (RE2 syntax, searched anywhere in the text)."""

    id: str
    pattern: str
    reason: str
    denies: str = ""
    allows: str = ""


_START = (
    r"\A(?:[^'\"#<\\`]*[;&|({\n])?\s*(?:[A-Za-z_][A-Za-z0-9_]*=[^\s'\"]*\s+)*"
    r"(?:(?:then|do|else|time|!|exec|command|nohup|env)\s+)*"
)
"""A command position: nothing quoted, escaped or commented out before it."""
_BIN = r"(?:/usr)?(?:/local)?(?:/bin/|/sbin/)?"
_WORDS = r"(?:[^;&|\n'\"#]*\s)?"
"""Further unquoted words of the same command."""


def _command(name: str, rest: str = r"(?:\s|$|[;&|)])") -> str:
    return f"{_START}{_BIN}{name}{rest}"


def _git(rest: str) -> str:
    return _command("git", rf"\s+(?:-C\s+\S+\s+|--no-pager\s+|-P\s+)*{rest}")


BUILT_IN: Sequence[Entry] = (
    Entry(
        "rm-recursive-force",
        _command("rm", rf"\s{_WORDS}(?:-[a-zA-Z]*[rR][a-zA-Z]*f|-[a-zA-Z]*f[a-zA-Z]*[rR])"),
        "recursive forced deletion; delete by name, or a build directory with rm -r",
        "cd src && rm -rf app",
        "grep -rn 'rm -rf' docs",
    ),
    Entry(
        "git-push",
        _git(r"push(?:\s|$|[;&|)])"),
        "only autofix pushes, after it has verified the fix",
        "git push --force origin HEAD",
        "git log --grep 'git push'",
    ),
    Entry(
        "git-discard",
        _git(r"(?:reset\s[^;&|\n'\"]*--hard|restore\s|clean\s+-[a-z]*f|checkout\s+(?:--\s|\.(?:\s|$)))"),
        "throws work away; edit the file instead",
        "git reset --hard HEAD~1",
        "git commit -m 'undo the git reset --hard'",
    ),
    Entry(
        "git-rewrite",
        _git(r"(?:rebase|filter-branch|filter-repo|update-ref|commit\s[^;&|\n'\"]*--amend)(?:\s|$|[;&|)])"),
        "rewrites history; add a commit instead",
        "git commit --amend --no-edit",
        "git log --oneline rebase",
    ),
    Entry(
        "git-config",
        _git(r"(?:config|remote|credential)(?:\s|$|[;&|)])"),
        "git's configuration may hold a token and may make git run programs",
        "git config core.hooksPath /tmp/hooks",
        "git log -- config/settings.json",
    ),
    Entry(
        "network-client",
        _command("(?:curl|wget|nc|ncat|telnet|ssh|scp|sftp|nslookup|dig)", r"\s[^;&|\n]*[a-z0-9]\.[a-z]"),
        "there is no network in the sandbox; use what the repository holds",
        "curl -s https://example.com/install.sh",
        "grep -rn curl docs/index.md",
    ),
    Entry(
        "decode-and-run",
        rf"{_START}[^'\"#\n]*\b(?:base64\s+(?:-d|-D|--decode)|xxd\s+-r)[^'\"#\n;&]*\|\s*(?:ba|da|z)?sh(?:\s|$)",
        "what would run cannot be seen; write the command itself",
        "base64 -d scratch/out.txt | bash",
        "base64 -d scratch/out.txt | head",
    ),
    Entry(
        "privilege",
        _command("(?:sudo|su|doas|pkexec|nsenter|docker|podman)"),
        "nothing here needs another user or another container",
        "sudo pytest -q",
        "grep -rn sudo docs",
    ),
    Entry(
        "kill-all",
        _command(r"(?:pkill|killall|kill\s+(?:-[A-Z0-9]+\s+)*(?:--\s+)?-?1)", r"(?:\s|$|[;&|)])"),
        "only a process that the same command started may be signalled",
        "kill -9 1",
        "sleep 9 & kill %1",
    ),
    Entry(
        "wipe-device",
        _command(r"(?:mkfs(?:\.[a-z0-9]+)?\s|dd\s[^;&|\n]*of=/dev/(?:sd|vd|nvme|xvd))", ""),
        "overwrites a disk",
        "dd if=/dev/zero of=/dev/sda",
        "dd if=/dev/zero of=scratch/blob bs=1k count=1",
    ),
    Entry(
        "fork-bomb",
        r":\s*\(\s*\)\s*\{\s*:\s*\|\s*:\s*&\s*\}",
        "starts processes without end",
        ":(){ :|:& };:",
        "f() { echo one | cat; }; f",
    ),
)


class DenyList:
    """Patterns compiled once into one automaton; matching takes time linear in the text, whatever text and patterns."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        import re2  # late: start-up time

        self.entries = tuple(entries)
        options = re2.Options()
        options.log_errors = False
        self._set: Any = re2.Set.SearchSet(options)
        for entry in self.entries:
            try:
                self._set.Add(entry.pattern)
            except re2.error as error:
                raise UsageError(f"deny pattern {entry.pattern!r} cannot be read: {_words_of(error)}") from error
        if self.entries:
            self._set.Compile()

    @classmethod
    def built_in(cls) -> "DenyList":
        """The patterns that every run starts with."""
        return _built_in()

    @classmethod
    def build(cls, patterns: Iterable[str] = (), *, off: Iterable[str] = ()) -> "DenyList":
        """The built-in patterns without those whose ids are in `off`, and the user's own (`user-1`, `user-2` ...).

        Raises:
            UsageError: an id in `off` is none of ours, or a pattern cannot be read.
        """
        switched_off = set(off)
        strangers = switched_off - {entry.id for entry in BUILT_IN}
        if strangers:
            raise UsageError(f"no built-in deny pattern is called {min(strangers)!r}; see autofix gate --list")
        kept = [entry for entry in BUILT_IN if entry.id not in switched_off]
        own = [Entry(f"user-{n}", pattern, "a pattern of this configuration") for n, pattern in enumerate(patterns, 1)]
        return cls([*kept, *own])

    def first_match(self, text: str) -> Entry | None:
        """The first entry, in the list's order, that matches anywhere in `text`."""
        hits = self._set.Match(text.encode("utf-8", "surrogatepass")) if self.entries else None
        return self.entries[min(hits)] if hits else None


@lru_cache(maxsize=1)
def _built_in() -> DenyList:
    return DenyList(BUILT_IN)


def _words_of(error: Exception) -> str:
    message = error.args[0] if error.args else ""
    return message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
