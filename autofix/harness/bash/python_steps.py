"""What is found in one piece of Python code: its names, its texts, and the steps that follow from them."""

import ast
import posixpath
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import replace

from autofix.harness.bash import python_functions as functions
from autofix.harness.bash.deeds import Delete, MakeDirectory, Read, Refuse, Step, Write
from autofix.harness.bash.python_names import Names, Texts
from autofix.harness.bash.variables import refused_assignment, refused_reading

OPAQUE = Refuse("opaque-exec", "this Python code runs something that is computed; write the action itself")
CONNECTS = Refuse("network", "this Python code uses the network, which the sandbox does not have")
DUMPS = Refuse("secrets", "this Python code reads the whole environment; read the one variable you need")
CREDENTIALS = Refuse("secrets", "this Python code reads stored credentials")
TREE = Refuse("delete-recursive", "this Python code deletes whole directories, or files it does not name")
TARGET = Refuse("write-scope", "which file this Python code writes cannot be known; name it as plain text")
RIGHTS = Refuse("privilege", "this Python code changes users or rights")
KILLS = Refuse("process-kill", "this Python code signals processes")


class Steps(ABC):
    """One piece of code. `steps` grows in the order of the syntax tree, each step once."""

    def __init__(self, tree: ast.Module) -> None:
        self.steps: dict[Step, None] = {}
        self._tree = tree
        self._directories: list[Texts] = []
        self._names = Names(tree, lambda name: functions.acts(name) or name in functions.ENVIRONMENT)
        self._texts = self._names.texts

    def _name(self, node: ast.expr) -> str:
        return functions.canonical(self._names.dotted(node))

    @abstractmethod
    def code_steps(self, text: str) -> Iterable[Step]:
        """What other code, given as text in this one, would do."""

    def wherever(self) -> Iterable[Step]:
        """The steps; with `os.chdir` in the code, also as they would be from there."""
        yield from self.steps
        for directories in self._directories:
            for step in self.steps:
                if isinstance(step, Read | Write | Delete | MakeDirectory) and not step.path.startswith("/"):
                    yield from self._from(directories, step)

    @staticmethod
    def _from(directories: Texts, step: Read | Write | Delete | MakeDirectory) -> Iterable[Step]:
        if directories is None:
            yield TARGET
        for directory in directories or ():
            yield replace(step, path=posixpath.join(directory, step.path))

    def _add(self, *steps: Step) -> None:
        self.steps.update(dict.fromkeys(steps))

    def _each(self, texts: Texts, step: Callable[[str], Step], unknown: Step) -> None:
        """A step for every text there may be, or the one for a text that cannot be worked out."""
        self._add(*([unknown] if texts is None else map(step, texts)))

    def _variable(self, key: ast.expr | None, *, assigned: bool) -> None:
        texts = self._texts(key)
        if texts is None:
            self._add(DUMPS)
        for text in texts or ():
            refusal = refused_assignment(text, "") if assigned else refused_reading(text)
            if refusal is not None:
                self._add(refusal)
