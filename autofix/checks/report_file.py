"""The file in the sandbox's scratch directory that a runner writes its report to: its name, its bytes, its places."""

import posixpath
import secrets
from collections.abc import Iterable

from autofix.checks.result import Case, Check
from autofix.checks.runners.runner import Left
from autofix.ports.sandbox import Sandbox

REPORT_LIMIT = 64 * 1024 * 1024
"""Bytes of a report that are read: 100,000 cases take 49 MB; what is longer is cut and said."""


def report_name() -> str:
    """Not to be guessed, so that nothing that ran before can have put a report there."""
    return f"report-{secrets.token_hex(8)}"


def taken(check: Check, sandbox: Sandbox, name: str) -> Left:
    """What the check left under the name, which is gone then; of its end and its words nothing is known here."""
    root = posixpath.normpath(posixpath.join(sandbox.root, check.directory))
    report = sandbox.read(name, REPORT_LIMIT + 1)
    if report is not None:
        sandbox.remove(name)
        if len(report) > REPORT_LIMIT:
            return Left(report[:REPORT_LIMIT], 0, "", report_cut=True, root=root)
    return Left(report, 0, "", root=root)


def located(cases: Iterable[Case], directory: str) -> Iterable[Case]:
    """Cases with their files named from the tree's root; a file outside the tree (or so named) is none of ours."""
    below = "" if directory in {"", "."} else posixpath.normpath(directory) + "/"
    for case in cases:
        file = case.file
        if below and file and not file.startswith(below):
            file = posixpath.normpath(below + file)
        if file.startswith(("/", "../")) or "/../" in file:
            file = ""
        yield case if file == case.file else case._replace(file=file)
