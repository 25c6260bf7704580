"""A workshop of fakes, and the shortest way to call a tool in it."""

from collections.abc import Mapping
from typing import Any

from autofix.harness.call import ToolCall
from autofix.harness.redact import Redactor
from autofix.harness.scope import Scope
from autofix.harness.tools import ToolOutcome, Workshop, perform
from autofix.ports.tree import WorkTree
from tests.fakes.artifacts import FakeArtifacts
from tests.fakes.sandbox import FakeSandbox
from tests.fakes.tree import FakeTree


class Bench:
    """Calls tools as the loop does: `bench("Read", file_path="a.py")`."""

    def __init__(
        self,
        files: Mapping[str, bytes] | None = None,
        *,
        tree: WorkTree | None = None,
        links: Mapping[str, str] | None = None,
        scope: set[str] | None = None,
        secrets: Mapping[str, str] | None = None,
    ) -> None:
        self.tree: Any = tree or FakeTree(files, links)
        self.sandbox = FakeSandbox()
        self.artifacts = FakeArtifacts()
        self.checked: list[tuple[str | None, tuple[str, ...]]] = []
        self.workshop = Workshop(
            tree=self.tree,
            sandbox=self.sandbox,
            scope=Scope(frozenset(files or {}) if scope is None else frozenset(scope)),
            artifacts=self.artifacts,
            run_checks=self._run_checks,
            redactor=Redactor(secrets),
            bash_environment=lambda: {"PYTEST_ADDOPTS": "--junitxml=/tmp/r.xml"},
        )

    def _run_checks(self, check: str | None, tests: tuple[str, ...]) -> str:
        self.checked.append((check, tests))
        return "2 of 3 pass"

    def __call__(self, name: str, /, **fields: Any) -> ToolOutcome:
        return perform(ToolCall("toolu_1", name, fields), self.workshop)

    def edited(self, content: bytes, old: str, new: str, **more: Any) -> bytes:
        """The bytes of a file after it was read and one passage of it replaced."""
        self.tree.files["f"] = content
        self.workshop.scope = Scope(frozenset({"f"}))
        assert not self("Read", file_path="f").is_error
        outcome = self("Edit", file_path="f", old_string=old, new_string=new, **more)
        assert not outcome.is_error, outcome.text
        result: bytes = self.tree.files["f"]
        return result
