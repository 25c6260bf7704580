"""The small POSIX shell program that runs a container's commands, and the framing of what is said to it.

It runs as the commands' own user over one open `docker exec`: a call costs a fork, not one more exec of the engine's.
A request is one line, `<nonce> <shell text>`, the text as printf(1) `%b` decodes it: whatever bytes a script holds, the
line ends where the request ends, and a shell reads no further than the line. The answer is the text's merged output and
then a mark with the nonce and the exit code.

Between two calls everything of that user is ended: on Linux `kill -9 -1` spares the shell that says it. A hostile
command can do the same to the supervisor, or speak in its place; it gains what it has already, a say in its own output.
That is why nothing is believed that was not seen in a fresh sandbox.
"""

import re
import shlex
from collections.abc import Callable, Mapping

# The processes that stay: the container's init, its main process, and the supervisor itself.
_STAYING = 3
# How often to look for killed processes that are not gone yet: some 50 ms in all.
_LOOKS = 1000

SUPERVISOR = rf"""
exec 2>/dev/null
end_all() {{
  kill -9 -1
  looks=0
  while set -- /proc/[0-9]*; [ $# -gt {_STAYING} ] && [ $looks -lt {_LOOKS} ]; do
    kill -9 -1
    looks=$((looks + 1))
  done
}}
end_all
if command -v bash >/dev/null; then fresh_shell='bash --noprofile --norc -c'; else fresh_shell='sh -c'; fi
while IFS= read -r request; do
  text=$(printf '%b.' "${{request#* }}")
  (eval "${{text%.}}") </dev/null 2>&1
  code=$?
  end_all
  printf '\036%s %d\n' "${{request%% *}}" "$code"
done
"""

_PLAIN = re.compile(rb"[^ -\[\]-~]")  # all but printable ASCII without the backslash is escaped


def script_text(script: str, environment: Mapping[str, str]) -> str:
    """Shell text that becomes a fresh shell for a script, with further variables."""
    exports = "".join(f"export {name}={shlex.quote(value)}; " for name, value in environment.items())
    return f"{exports}exec $fresh_shell {shlex.quote(script)}"


def read_text(directory: str, parts: tuple[str, ...], limit: int) -> str:
    """Shell text that prints the beginning of a regular file below `directory`, and fails where a link leads there."""
    return f"{_without_links(directory, parts)} && [ -f {_path(parts)} ] && exec head -c {limit} {_path(parts)}"


def remove_text(directory: str, parts: tuple[str, ...]) -> str:
    return f"{_without_links(directory, parts[:-1])} && exec rm -f {_path(parts)}"


def _without_links(directory: str, parts: tuple[str, ...]) -> str:
    checks = [f"[ ! -L {_path(parts[: count + 1])} ]" for count in range(len(parts))]
    return " && ".join([f"cd {shlex.quote(directory)}", *checks])


def _path(parts: tuple[str, ...]) -> str:
    return shlex.quote("/".join((".", *parts)))


def request(nonce: str, text: str) -> bytes:
    """The line that asks for `text` to be run."""
    return f"{nonce} {escaped(text)}\n".encode("ascii")


def escaped(text: str) -> str:
    """Printable ASCII that printf(1)'s `%b` makes the same bytes of, whatever they are."""
    data = text.encode("utf-8", "surrogateescape")
    return _PLAIN.sub(lambda found: b"\\0%03o" % found[0][0], data).decode("ascii")


class Reply:
    """Passes output on as it comes and finds the mark at its end, wherever the stream was cut into pieces."""

    def __init__(self, nonce: str, sink: Callable[[bytes], object]) -> None:
        self._mark = re.compile(rb"\x1e" + nonce.encode() + rb" (\d{1,3})\n")
        self._longest = len(nonce) + 6
        self._sink = sink
        self._held = b""

    def feed(self, data: bytes) -> int | None:
        """The exit code once the mark is there."""
        data = self._held + data
        found = self._mark.search(data)
        if found is not None:
            self._held = b""
            self._sink(data[: found.start()])
            return int(found[1])
        self._sink(data[: -self._longest])
        self._held = data[-self._longest :]
        return None

    def finish(self) -> None:
        """The stream ended without a mark: what was held back was output."""
        self._sink(self._held)
        self._held = b""
