"""Files that change what runs without being read by anyone: compiled code, tables of data, the tests' own files."""

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.answer_tables import paired_words
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.python_code import line_of

_PYTHONS_OWN = (".pyc", ".pyo")
_COMPILED = (
    *_PYTHONS_OWN,
    ".so",
    ".pyd",
    ".dll",
    ".dylib",
    ".class",
    ".jar",
    ".whl",
    ".egg",
    ".node",
    ".wasm",
    ".exe",
    ".o",
    ".a",
)
_DATA = (".json", ".csv", ".tsv", ".txt", ".yaml", ".yml", ".pkl", ".pickle", ".db", ".sqlite", ".dat", ".bin", ".npy")
_PROSE = (".md", ".rst", ".adoc")
_SEARCHING = frozenset({"rglob", "glob", "iglob", "walk", "iterdir", "scandir", "listdir"})


def smuggled_files(patch: PatchFiles) -> Iterator[Finding]:
    for file in patch.files:
        if file.after is None:
            continue
        if file.path.endswith(_COMPILED):
            sure = file.path.endswith(_PYTHONS_OWN)
            severity = Severity.TAMPERING if sure else Severity.ASK
            message = "compiled code, which runs in the place of the source and which nobody can read"
            yield Finding("code-compiled", file.path, None, severity, message)
    for file in patch.code:
        yield from _data(file, patch)
        yield from _searched(file)


def _data(file: ChangedFile, patch: PatchFiles) -> Iterator[Finding]:
    """A new table beside code that now names it, or one that the tests' own examples were written into."""
    name = PurePosixPath(file.path).name
    if file.before is None and file.after is not None and name.endswith(_DATA):
        stem = name.encode()
        if any(other.is_python and stem in (other.after or b"") for other in patch.code):
            message = "the answers may be in this new file, which the code reads"
            yield Finding("data-added", file.path, None, Severity.ASK, message)
            return
    if file.is_python or name.endswith(_PROSE):
        return
    added = "\n".join(text for _, text in file.added_lines)
    if len(paired_words(added, patch.examples)) > 1:
        message = "the tests' inputs stand in this file with their expected values"
        yield Finding("data-added", file.path, None, Severity.ASK, message)


def _searched(file: ChangedFile) -> Iterator[Finding]:
    """Files looked for from the code's own place: there are the tests' expectations, too."""

    def searches(node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _SEARCHING
            and "__file__" in {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
        )

    for node in file.added(searches):
        message = "code under test looks for files around its own place, where the tests' expectations are"
        yield Finding("files-searched", file.path, line_of(node), Severity.ASK, message)
