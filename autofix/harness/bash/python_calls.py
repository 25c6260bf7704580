"""What the calls in Python code would do, by the dotted names of the functions."""

import ast
import re
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

from autofix.harness.bash import python_functions as functions
from autofix.harness.bash.deeds import Delete, Invoke, MakeDirectory, Play, Read, Write
from autofix.harness.bash.python_steps import CONNECTS, CREDENTIALS, KILLS, OPAQUE, RIGHTS, TARGET, TREE, Steps
from autofix.harness.bash.tables import is_set_id
from autofix.harness.bash.values import ANY, known
from autofix.harness.bash.variables import refused_assignment

_ASKING = frozenset({"callable", "isinstance", "type", "hasattr", "len", "bool", "id", "inspect.isfunction"})
"""Functions that say something of what they are given, and do nothing with it."""
_REACHING = frozenset({"os", "posix", "sys", "builtins", "__builtins__", "subprocess", "shutil"})
_WRITING_FLAGS = re.compile(r"O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)")


def argument(node: ast.Call, place: int, *names: str) -> ast.expr | None:
    """An argument by its place or by one of its names; None where it is not given."""
    if len(node.args) > place:
        return node.args[place]
    return next((one.value for one in node.keywords if one.arg in names), None)


class Calls(Steps):
    """The calls of one piece of code."""

    @abstractmethod
    def method(self, method: str, on: ast.expr, node: ast.Call) -> None:
        """What is called on an object."""

    def _call(self, node: ast.Call) -> None:
        name = self._name(node.func)
        act = next((act for matches, act in self._ACTS if matches(name)), None)
        if act is not None:
            act(self, name, node)
        elif isinstance(node.func, ast.Attribute):
            self.method(node.func.attr, node.func.value, node)
        elif not name:
            self._unnamed(node.func)

    def _unnamed(self, function: ast.expr) -> None:
        """A call of what is neither a name nor an attribute: fine for lambdas and results of plain functions."""
        if isinstance(function, ast.Call):
            if self._name(function.func) in {"getattr", "__import__", "importlib.import_module"}:
                self._add(OPAQUE)
        elif isinstance(function, ast.NamedExpr | ast.IfExp | ast.BoolOp | ast.Await):
            if any(functions.acts(self._name(one)) for one in ast.walk(function) if isinstance(one, ast.expr)):
                self._add(OPAQUE)
        elif isinstance(function, ast.Subscript):
            base = self._name(function.value)
            if "." in base or isinstance(function.value, ast.Call) or base == "__builtins__":
                self._add(OPAQUE)

    def _opaque(self, name: str, node: ast.Call) -> None:
        """Code as text is read where the text is known; a module that is imported by a known name is known."""
        short = name.rpartition(".")[2]
        texts = self._texts(argument(node, 0)) if short in {"exec", "eval", "compile"} else None
        if texts is not None:
            self._add(*(step for text in texts for step in self.code_steps(text)))
        elif short == "loads" and self._is_own_dump(node):
            return
        elif short not in {"__import__", "import_module"} or not self._name(node):
            self._add(OPAQUE)

    def _is_own_dump(self, node: ast.Call) -> bool:
        """`pickle.loads(pickle.dumps(x))` copies; it loads nothing from elsewhere."""
        given = self._names.only_value(argument(node, 0))
        return isinstance(given, ast.Call) and self._name(given.func).endswith(".dumps")

    def _run_text(self, _name: str, node: ast.Call) -> None:
        """Code as text among the arguments; functions and lambdas are judged where they stand."""
        for given in (
            *node.args,
            *(one.value for one in node.keywords if one.arg in {"stmt", "setup", "cmd", "statement"}),
        ):
            texts = self._texts(given)
            if texts is not None:
                self._add(*(step for text in texts for step in (self.code_steps(text) if known(text) else [OPAQUE])))
            elif isinstance(given, ast.BinOp | ast.JoinedStr | ast.Call):
                self._add(OPAQUE)

    def _getattr(self, _name: str, node: ast.Call) -> None:
        """A computed attribute of a module can be any of its functions."""
        of, attribute = argument(node, 0), self._texts(argument(node, 1))
        base = self._name(of) if of is not None else ""
        of_module = not base or base in self._names.imported.values() or base in {"__builtins__", "builtins"}
        computed = attribute is None or not all(map(known, attribute))
        if (computed and of_module and not self._is_looked_at(node, base)) or any(
            functions.INNARDS.fullmatch(text) for text in attribute or ()
        ):
            self._add(OPAQUE)

    def _is_looked_at(self, node: ast.Call, base: str) -> bool:
        """What a module has is asked, and neither called nor handed on."""
        parent = self._names.parents.get(node)
        asked = isinstance(parent, ast.Call) and parent.func is not node and self._name(parent.func) in _ASKING
        return asked and bool(base) and base.partition(".")[0] not in _REACHING

    def _network(self, name: str, _node: ast.Call) -> None:
        if name not in functions.LOCAL:
            self._add(CONNECTS)

    def _credentials(self, _name: str, _node: ast.Call) -> None:
        self._add(CREDENTIALS)

    def _rights(self, _name: str, _node: ast.Call) -> None:
        self._add(RIGHTS)

    def _shell(self, _name: str, node: ast.Call) -> None:
        self._each(self._texts(argument(node, 0, "cmd", "command")), Play, OPAQUE)

    def _run(self, name: str, node: ast.Call) -> None:
        command = self._names.only_value(argument(node, 0, "args"))
        self._variables_for(next((one.value for one in node.keywords if one.arg == "env"), None))
        if _uses_shell(node):
            self._each(self._texts(command), Play, OPAQUE)
        elif name == "asyncio.create_subprocess_exec":
            self._invoke(node.args)
        elif isinstance(command, ast.List | ast.Tuple):
            self._invoke(command.elts)
        elif isinstance(command, ast.Call) and self._name(command.func) == "shlex.split":
            self._each(self._texts(argument(command, 0)), Play, OPAQUE)
        else:
            self._each(self._texts(command), lambda text: Invoke((text,), stdin=""), OPAQUE)

    def _variables_for(self, given: ast.expr | None) -> None:
        """The environment of a program that is started, as far as it is written out."""
        given = self._names.only_value(given)
        match given:
            case ast.Dict(keys):
                named = [text for key in keys if key is not None for text in self._texts(key) or ()]
            case ast.Call(keywords=keywords):
                named = [one.arg for one in keywords if one.arg]
            case _:
                named = []
        self._add(*(refusal for name in named if (refusal := refused_assignment(name, ""))))

    def _invoke(self, words: Sequence[ast.expr]) -> None:
        """A program by its words; which program must be known, its other words may be anything."""
        made = [self._word(word) for word in words]
        if made and made[0] == ANY:
            self._add(OPAQUE)
        elif made:
            self._add(Invoke(tuple(made), stdin=""))

    def _word(self, node: ast.expr) -> str:
        if self._name(node) == "sys.executable":
            return "python3"
        texts = self._texts(node)
        return texts[0] if texts is not None and len(texts) == 1 else ANY

    def _exec(self, name: str, node: ast.Call) -> None:
        """`os.execlp(file, arg0, arg1 ...)`, `os.execv(path, [arg0 ...])`; `spawn` has a mode in front."""
        kind = functions.EXEC.fullmatch(name)
        arguments = node.args[1:] if "spawn" in name else node.args
        vector: Sequence[ast.expr] = arguments[1:]
        if kind is not None and kind[2] == "v":
            given = self._names.only_value(arguments[1]) if len(arguments) > 1 else None
            vector = given.elts if isinstance(given, ast.List | ast.Tuple) else ()
        if arguments and vector:
            self._invoke([arguments[0], *vector[1:]])
        else:
            self._add(OPAQUE)

    def _run_path(self, _name: str, node: ast.Call) -> None:
        texts = self._texts(argument(node, 0))
        hidden = texts is None or any(text.startswith(("/dev/", "/proc/")) for text in texts)
        self._each(None if hidden else texts, Read, OPAQUE)

    def _delete(self, _name: str, node: ast.Call) -> None:
        self._each(self._texts(argument(node, 0, "path")), Delete, TREE)

    def _delete_tree(self, _name: str, _node: ast.Call) -> None:
        self._add(TREE)

    def _write(self, _name: str, node: ast.Call) -> None:
        target = argument(node, 0, "path", "filename", "name", "database")
        if self._texts(target) != [":memory:"]:  # sqlite's database without a file
            self._target(target)

    def _target(self, node: ast.expr | None, *, below: bool = False) -> None:
        self._each(self._texts(node), lambda text: Write(text, below=below), TARGET)

    def _change_mode(self, name: str, node: ast.Call) -> None:
        mode = argument(node, 1, "mode")
        value = mode.value if isinstance(mode, ast.Constant) else None
        if not isinstance(value, int) or value & 0o6000:  # set-uid, set-gid
            self._add(RIGHTS)
        self._write(name, node)

    def _change_directory(self, _name: str, node: ast.Call) -> None:
        self._directories.append(self._texts(argument(node, 0, "path")))

    def _make_directory(self, _name: str, node: ast.Call) -> None:
        self._each(self._texts(argument(node, 0, "name", "path")), MakeDirectory, TARGET)

    def _move(self, _name: str, node: ast.Call) -> None:
        self._each(self._texts(argument(node, 0, "src")), lambda text: Delete(text, below=True), TREE)
        self._target(argument(node, 1, "dst"))

    def _link(self, _name: str, node: ast.Call) -> None:
        """Whoever writes to a link writes to what it leads to."""
        self._target(argument(node, 0, "src"))
        self._target(argument(node, 1, "dst"))

    def _copy(self, name: str, node: ast.Call) -> None:
        below = name.endswith("tree")
        if any(is_set_id(text) for text in self._texts(argument(node, 0, "src")) or ()):
            self._add(RIGHTS)
        self._add(*(Read(text, below=below) for text in self._texts(argument(node, 0, "src")) or ()))
        self._target(argument(node, 1, "dst"), below=below)

    def _open(self, name: str, node: ast.Call) -> None:
        path, mode = argument(node, 0, "file", "name", "filename"), argument(node, 1, "mode", "flags")
        if self._opens_to_write(name, mode):
            self._target(path)
        else:
            self._add(*map(Read, self._texts(path) or ()))

    def _opens_to_write(self, name: str, mode: ast.expr | None) -> bool:
        if name == "os.open":
            flags = ast.unparse(mode) if mode is not None else ""
            return _WRITING_FLAGS.search(flags) is not None or "RDONLY" not in flags
        modes = ["r"] if mode is None else self._texts(mode)
        return modes is None or any(set(one) & set("wax+") for one in modes)

    def _kill(self, _name: str, node: ast.Call) -> None:
        target = ast.unparse(node.args[0]) if node.args else ""
        if not re.fullmatch(r"os\.getpid\(\)|\w+\.pid", target):
            self._add(KILLS)

    def _get_variable(self, _name: str, node: ast.Call) -> None:
        self._variable(argument(node, 0, "key"), assigned=False)

    def _set_variable(self, _name: str, node: ast.Call) -> None:
        self._variable(argument(node, 0, "key"), assigned=True)

    def _edit_in_place(self, _name: str, node: ast.Call) -> None:
        if any(one.arg == "inplace" for one in node.keywords):
            files = argument(node, 0, "files")
            for file in files.elts if isinstance(files, ast.List | ast.Tuple) else [files]:
                self._target(file)

    def _log_to_file(self, _name: str, node: ast.Call) -> None:
        for one in node.keywords:
            if one.arg == "filename":
                self._target(one.value)

    def _compile_file(self, _name: str, node: ast.Call) -> None:
        target = argument(node, 1, "cfile")
        if target is not None:
            self._target(target)

    _ACTS: ClassVar[Sequence[tuple[Callable[[str], object], Callable[["Calls", str, ast.Call], None]]]] = (
        ({"getattr"}.__contains__, _getattr),
        ({"runpy.run_path"}.__contains__, _run_path),
        (functions.OPAQUE.fullmatch, _opaque),
        (functions.TEXT_RUNNERS.__contains__, _run_text),
        (functions.SHELL.__contains__, _shell),
        (functions.RUN.__contains__, _run),
        (functions.EXEC.fullmatch, _exec),
        (functions.DELETE.__contains__, _delete),
        (functions.DELETE_TREE.__contains__, _delete_tree),
        (functions.MOVE.__contains__, _move),
        (functions.COPY.__contains__, _copy),
        (functions.LINK.__contains__, _link),
        (functions.CHANGE_MODE.__contains__, _change_mode),
        (functions.WRITE.__contains__, _write),
        ({"os.chdir", "os.fchdir", "contextlib.chdir"}.__contains__, _change_directory),
        (functions.MAKE_DIRECTORY.__contains__, _make_directory),
        (functions.OPEN.__contains__, _open),
        (functions.RIGHTS.fullmatch, _rights),
        (functions.KILL.__contains__, _kill),
        (functions.ONE_VARIABLE.__contains__, _get_variable),
        (functions.SET_VARIABLE.__contains__, _set_variable),
        ({"fileinput.input", "fileinput.FileInput"}.__contains__, _edit_in_place),
        ({"logging.basicConfig"}.__contains__, _log_to_file),
        ({"py_compile.compile"}.__contains__, _compile_file),
        (lambda name: _is_below(name, functions.CREDENTIALS), _credentials),
        (lambda name: _is_below(name, functions.NETWORK), _network),
    )
    """In order: the first that fits a function's dotted name judges its call."""


def _uses_shell(node: ast.Call) -> bool:
    return any(
        one.arg == "shell" and not (isinstance(one.value, ast.Constant) and not one.value.value)
        for one in node.keywords
    )


def _is_below(name: str, modules: Sequence[str]) -> bool:
    return any(name == module or name.startswith(f"{module}.") for module in modules)
