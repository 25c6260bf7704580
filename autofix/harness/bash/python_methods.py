"""Calls on objects in Python code, judged by the name of the method where that says that it acts on a path."""

import ast

from autofix.harness.bash import python_functions as functions
from autofix.harness.bash.deeds import Delete, MakeDirectory, Read
from autofix.harness.bash.python_calls import Calls, argument
from autofix.harness.bash.python_steps import DUMPS, KILLS, TREE


class Methods(Calls):
    """The methods of one piece of code."""

    def method(self, method: str, on: ast.expr, node: ast.Call) -> None:
        """A method of some object is judged by its name, where the name says that it acts on a path."""
        if method in functions.WRITING_METHODS:
            self._target(on)
            if method.endswith("link_to"):
                self._target(argument(node, 0))
        elif method in functions.SAVING_METHODS:
            if node.args:
                self._target(node.args[0])
        elif method in functions.EXTRACTING_METHODS:
            self._target(argument(node, 0, "path") or ast.Constant("."), below=True)
        elif method in {"rename", "replace"} and len(node.args) == 1 and not node.keywords:
            self._move_path(on, node.args[0])
        elif method == "open" and self._texts(on) is not None:
            self._open("open", ast.Call(func=node.func, args=[on, *node.args], keywords=node.keywords))
        else:
            self._small_method(method, on, node)

    def _small_method(self, method: str, on: ast.expr, node: ast.Call) -> None:
        match method:
            case "unlink" | "rmdir" if not (method == "rmdir" and node.args):
                self._each(self._texts(on), Delete, TREE)
            case "rmtree":
                self._add(TREE)
            case "read_text" | "read_bytes":
                self._add(*map(Read, self._texts(on) or ()))
            case "mkdir":
                self._add(*map(MakeDirectory, self._texts(on) or ()))
            case "environ":
                self._add(DUMPS)
            case "kill" | "terminate" | "send_signal" | "suspend" if "psutil" in self._names.imported.values():
                self._add(KILLS)
            case "chmod" | "lchmod":
                self._change_mode(method, ast.Call(func=node.func, args=[on, *node.args], keywords=node.keywords))
            case "iterdir" | "glob" | "rglob" | "walk":
                self._add(*(Read(text, below=True) for text in self._texts(on) or ()))
            case "get" | "setdefault" | "pop" if self._name(on) in functions.ENVIRONMENT:
                self._get_variable(method, node)

    def _move_path(self, source: ast.expr, target: ast.expr) -> None:
        """`Path.rename(target)`; a text's `replace` has two arguments."""
        texts = self._texts(source)
        looped = isinstance(source, ast.Name) and not self._names.is_bound(source.id)
        if texts is not None or looped:
            self._each(texts, lambda text: Delete(text, below=True), TREE)
            self._target(target)
