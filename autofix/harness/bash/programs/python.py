"""The Python interpreter: inline code is read (`python_code`), modules go by name, scripts are for the sandbox."""

import re
from collections.abc import Iterable
from itertools import pairwise

from autofix.harness.bash.deeds import Invoke, Read, Refuse, RunFile, Step, Write
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.options import scan
from autofix.harness.bash.python_code import python_steps
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import known

_VALUED_LETTERS = "WX"
_COMPUTED = Refuse(
    "opaque-exec", "the Python code that would run is computed or comes from elsewhere; write it in a file or inline"
)
_NETWORK_MODULES = frozenset(
    listed(
        "http.server ftplib smtplib smtpd poplib imaplib nntplib telnetlib webbrowser socketserver xmlrpc.server "
        "urllib.request ensurepip twine twisted paramiko scapy httpx requests speedtest huggingface_hub awscli "
        "easy_install dulwich pygit2 git hg"
    )
)
_SCRIPT_RUNNERS = frozenset(listed("trace cProfile profile pdb runpy"))
_PROFILE_FILES = frozenset(listed("-o --outfile -C --coverdir -f --file"))
_AS_PROGRAM = frozenset(
    listed(
        "pytest mypy black isort ruff flake8 pylint coverage autopep8 yapf pyupgrade autoflake docformatter tox "
        "nox pip poetry pipenv pdm hatch uv bandit vulture pyflakes pycodestyle pydocstyle pyright 2to3 pre_commit "
        "alembic build sphinx mkdocs twine"
    )
)
_INFORMS = frozenset({"-h", "--help", "--version"})
_NAMES = {"lib2to3": "2to3", "pre_commit": "pre-commit", "sphinx": "sphinx-build"}


def _python(run: Invocation) -> Iterable[Step]:
    words = list(run.words)
    while words and words[0].startswith("-") and words[0] != "-":
        word = words.pop(0)
        if word == "--":
            break
        if word.startswith("--"):
            if word in {"--version", "--help", "--help-env", "--help-all", "--help-xoptions"}:
                return
            if word == "--check-hash-based-pycs":
                del words[:1]
            continue
        letter, value = _cluster(word[1:], words)
        if letter == "c":
            yield from _code(value)
            return
        if letter == "m":
            yield from _module(value, words, run)
            return
    if words and words[0] != "-":
        yield from _file(words[0], run)
    elif run.stdin is not None and run.stdin != "":
        yield from _code(run.stdin)


def _cluster(letters: str, words: list[str]) -> tuple[str, str]:
    """The letter that ends the options (`c`, `m`), if there is one, and its value."""
    for position, letter in enumerate(letters):
        rest = letters[position + 1 :]
        if letter in "cm":
            return letter, rest or (words.pop(0) if words else "")
        if letter in _VALUED_LETTERS:
            if not rest and words:
                words.pop(0)
            return "", ""
    return "", ""


def _file(path: str, run: Invocation) -> Iterable[Step]:
    if path in run.streams or path.startswith(("/dev/", "/proc/")):
        code = run.streams.get(path, run.stdin)
        yield from python_steps(code) if code is not None and known(code) else [_COMPUTED]
    elif not known(path) and not run.completed:
        yield _COMPUTED
    else:
        yield RunFile(path)


def _module(name: str, words: list[str], run: Invocation) -> Iterable[Step]:
    top = name.partition(".")[0]
    if not known(name):
        yield _COMPUTED
    elif words and set(words) <= _INFORMS:
        return
    elif name in _NETWORK_MODULES or top in {"twisted", "paramiko", "awscli"}:
        yield Refuse("network", f"python -m {name} uses the network")
    elif name in _NAMES or name in _AS_PROGRAM or name == "pip._internal":
        yield Invoke((_NAMES.get(name, name.partition(".")[0]), *words), starter=run.starter)
    elif name in {"timeit", "trace", "cProfile", "profile", "pdb", "runpy", "code", "asyncio", "idlelib"}:
        yield from _runs_code(name, words, run)
    else:
        yield from _standard(name, words)


def _runs_code(name: str, words: list[str], run: Invocation) -> Iterable[Step]:
    """Modules that run code or another module given on their command line."""
    if name == "timeit":
        yield from _timed(words)
    elif name in {"code", "asyncio"}:
        yield from _code(run.stdin or "")
    elif name == "pdb" and "-c" in words:
        yield Refuse("opaque-exec", "pdb -c runs commands the gate does not read")
    for option, value in pairwise(words):
        if option in _PROFILE_FILES:
            yield Write(value)
    if name in _SCRIPT_RUNNERS:
        yield from _script_under(words, run)


def _script_under(words: list[str], run: Invocation) -> Iterable[Step]:
    """The module or script that a profiler, tracer or debugger runs."""
    module = next((place for place, word in enumerate(words) if word in {"-m", "--module"}), None)
    if module is not None:
        yield Invoke(("python", "-m", *words[module + 1 :]), starter=run.starter)
        return
    script = scan(words, valued="oscCfTRr", long=("outfile=", "sort=", "coverdir=", "file="), stop=True).operands
    if script:
        yield from _file(script[0], run)


def _timed(words: list[str]) -> Iterable[Step]:
    """timeit: the setup, and statements as operands."""
    found = scan(words, valued="snru", long=["setup=", "number=", "repeat=", "unit="])
    for code in (*found.values_of("s", "setup"), *found.operands):
        yield from _code(code)


def _code(text: str) -> Iterable[Step]:
    return python_steps(text) if known(text) else [_COMPUTED]


def _standard(name: str, words: list[str]) -> Iterable[Step]:
    """Modules of the standard library that write; any other module is the repository's or installed, as a script is."""
    operands = [word for word in words if not word.startswith("-")]
    if name == "json.tool":
        yield from (Read(path) for path in operands[:1])
        yield from (Write(path) for path in operands[1:2])
    elif name in {"zipfile", "tarfile"}:
        if any(re.fullmatch(r"-[ce]|--create|--extract", word) for word in words):
            creates = any(word in {"-c", "--create"} for word in words)
            target = operands[0] if creates and operands else (operands[1] if len(operands) > 1 else ".")
            yield Write(target, below=not creates)
    elif name in {"venv", "virtualenv", "zipapp"}:
        yield from (Write(path, below=True) for path in operands or ["."])
    elif name in {"base64", "gzip", "quopri", "uu"}:
        yield from (Read(path) for path in operands)
        if name == "gzip":
            yield from (Write(f"{path}.gz") for path in operands)
    elif name in {"pip", "lib2to3"}:
        yield Invoke((name, *words))


TABLE = {
    **dict.fromkeys(
        ("python", "python2", "python3", "pypy", "pypy3", "ipython", "ipython3", "bpython", "micropython"), _python
    ),
}
