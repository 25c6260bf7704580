"""The backslash escapes of `$'text'`, `echo -e` and `printf`."""

_SIMPLE_ESCAPES = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_NUMERIC = {"x": (16, 2), "u": (16, 4), "U": (16, 8)}


def ansi_c(text: str) -> str:
    """What `$'text'` stands for. A NUL ends it, as in bash."""
    out: list[str] = []
    position = 0
    while position < len(text):
        char = text[position]
        position += 1
        if char != "\\" or position == len(text):
            out.append(char)
            continue
        decoded, position = _escape(text, position)
        if decoded == "\0":
            break
        out.append(decoded)
    return "".join(out)


def _escape(text: str, position: int) -> tuple[str, int]:
    """One escape, `position` just past its backslash."""
    char = text[position]
    if char in _SIMPLE_ESCAPES:
        return _SIMPLE_ESCAPES[char], position + 1
    if char == "c" and position + 1 < len(text):
        return chr(ord(text[position + 1]) & 0x1F), position + 2
    base, longest = _NUMERIC.get(char, (8, 3))
    start = position + 1 if char in _NUMERIC else position
    end = start
    digits = "0123456789abcdefABCDEF" if base == 16 else "01234567"  # noqa: PLR2004 - a number system's base
    while end < len(text) and end - start < longest and text[end] in digits:
        end += 1
    if end == start:
        return "\\" + char, position + 1
    value = int(text[start:end], base)
    return (chr(value & 0xFF) if base == 8 or char == "x" else chr(min(value, 0x10FFFF))), end  # noqa: PLR2004 - as above
