"""Reads Python code by its syntax tree: what it would write, delete, run and connect to.

Names are followed through imports and simple assignments, so that `import shutil as s; s.rmtree(d)` is seen for what it
is. A call that acts must have a target this module can work out; otherwise it is refused. Text that is only printed is
text, and a computation is a computation.
"""

import ast
import re
from collections.abc import Callable, Iterable

from autofix.harness.bash.deeds import Delete, Invoke, MakeDirectory, Play, Read, Refuse, Step, Write
from autofix.harness.bash.python_names import Names
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import ANY, known
from autofix.harness.bash.variables import refused_assignment, refused_reading
from autofix.harness.secret_places import refusal as refused_place

_LONGEST_PATH = 300  # characters; no path to a secret is longer

_OPAQUE = Refuse("opaque-exec", "this Python code runs something that is computed; write the action itself")
_CONNECTS = Refuse("network", "this Python code uses the network, which the sandbox does not have")
_DUMPS = Refuse("secrets", "this Python code reads the whole environment; read the one variable you need")
_SECRETS = Refuse("secrets", "this Python code reads stored credentials")
_TREE = Refuse("delete-recursive", "this Python code deletes whole directories, or files it does not name")
_TARGET = Refuse("write-scope", "which file this Python code writes cannot be known; name it as plain text")
_RIGHTS = Refuse("privilege", "this Python code changes users or rights")
_KILLS = Refuse("process-kill", "this Python code signals processes")

_NETWORK = listed(
    "socket socketserver ssl urllib.request urllib2 urllib3 http.client http.server httplib requests httpx httpx2 "
    "aiohttp ftplib smtplib poplib imaplib nntplib telnetlib xmlrpc paramiko fabric scapy websocket websockets "
    "grpc pycurl boto3 botocore dns tornado twisted asyncio.open_connection asyncio.start_server "
    "asyncio.create_server webbrowser github gitlab git.Repo dulwich pip huggingface_hub google.cloud azure "
    "psycopg2 pymysql redis pymongo anthropic openai zmq nats wget treq niquests ensurepip"
)
_NETWORK_HARMLESS = frozenset(
    {"socket.gethostname", "socket.getdefaulttimeout", "socket.setdefaulttimeout", "socket.htons", "socket.inet_aton"}
)
_RIGHTS_CALLS = re.compile(
    r"os\.(set(e|re|res)?[ug]id|setgroups|initgroups|chroot|chown|lchown|fchown|mknod|unshare|setns)|docker\..*|pwd\.set.*"
)
_OPAQUE_CALLS = re.compile(
    r"(builtins\.)?(exec|eval|compile|__import__|breakpoint)|ctypes\..*|cffi\..*|pickle\.loads?|marshal\.loads?|dill\..*|"
    r"code\..*|codeop\..*|types\.(FunctionType|CodeType)|importlib\.(util\.|machinery\.).*|_posixsubprocess\..*|pty\.spawn|"
    r"os\.(posix_spawn\w*|fork\w*)|pexpect\..*|sh\..*|plumbum\..*|sys\.(settrace|setprofile)|runpy\.run_module|yaml\.unsafe_load|gc\.get_objects"
)
_SHELL_CALLS = frozenset(
    {
        "os.system",
        "os.popen",
        "subprocess.getoutput",
        "subprocess.getstatusoutput",
        "commands.getoutput",
        "asyncio.create_subprocess_shell",
    }
)
_RUN_CALLS = frozenset(
    {f"subprocess.{name}" for name in ("run", "call", "check_call", "check_output", "Popen")}
    | {"asyncio.create_subprocess_exec"}
)
_EXEC_CALLS = re.compile(r"os\.(exec|spawn)[lv]p?e?")
_DELETE_CALLS = frozenset({"os.remove", "os.unlink", "os.rmdir", "os.removedirs"})
_TREE_CALLS = frozenset({"shutil.rmtree", "distutils.dir_util.remove_tree", "send2trash.send2trash"})
_TWO_PATHS = frozenset({"os.rename", "os.replace", "os.renames", "os.symlink", "os.link", "shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree", "shutil.move", "shutil.copymode", "shutil.copystat"})  # fmt: skip
_MOVES = frozenset({"os.rename", "os.replace", "os.renames", "shutil.move"})
_WRITE_CALLS = frozenset({"os.truncate", "os.chmod", "os.utime", "os.mkfifo", "os.lchmod", "logging.FileHandler", "shutil.make_archive", "sqlite3.connect", "dbm.open", "shelve.open", "numpy.save", "numpy.savetxt"})  # fmt: skip
_DIRECTORY_CALLS = frozenset({"os.mkdir", "os.makedirs"})
_OPENERS = frozenset({"open", "builtins.open", "io.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open", "zipfile.ZipFile", "tarfile.open", "tarfile.TarFile", "io.FileIO", "os.open", "os.fdopen"})  # fmt: skip
_PATH_WRITES = frozenset({"write_text", "write_bytes", "touch", "symlink_to", "hardlink_to", "chmod", "lchmod", "link_to", "savefig", "to_csv", "to_json", "to_excel", "to_parquet", "to_pickle", "tofile"})  # fmt: skip
_INNARDS = re.compile(
    r"__(subclasses|globals|builtins|getattribute|bases|base|mro|code|closure|loader|reduce|reduce_ex|dict)__"
)
_EXTRACTS = frozenset({"extractall", "extract", "unpack_archive"})
_ENVIRONMENTS = frozenset({"os.environ", "os.environb", "posix.environ"})
_WRITING_FLAGS = re.compile(r"O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)")


def python_steps(code: str) -> Iterable[Step]:
    """What `code` would do beyond computing and printing."""
    try:
        tree = ast.parse(code)
        reader = _Reader(tree)
        reader.read()
    except (SyntaxError, ValueError):
        return [Refuse("opaque-exec", "this is not valid Python, so what it would do cannot be read")]
    except (RecursionError, MemoryError):
        return [_OPAQUE]
    return list(reader.steps)


class _Reader:
    """One piece of code. `steps` grows in the order of the syntax tree, each step once."""

    def __init__(self, tree: ast.Module) -> None:
        self.steps: dict[Step, None] = {}
        self._tree = tree
        self._names = Names(tree, lambda name: _acts(name) or name in _ENVIRONMENTS)
        self._name = self._names.dotted
        self._texts = self._names.texts

    def read(self) -> None:
        for node in ast.walk(self._tree):
            self._judge(node)

    def _add(self, *steps: Step) -> None:
        self.steps.update(dict.fromkeys(steps))

    def _judge(self, node: ast.AST) -> None:
        match node:
            case ast.Call():
                self._call(node)
                self._value(node)
            case ast.Attribute(_, attribute) if _INNARDS.fullmatch(attribute):
                self._add(_OPAQUE)
            case ast.Attribute(ctx=ast.Load()) | ast.Name(ctx=ast.Load()):
                self._value(node)
            case ast.Constant(str(text)):
                self._text(node, text)

    def _text(self, node: ast.Constant, text: str) -> None:
        """A path to secrets is refused wherever it stands, unless it is only printed."""
        if "/" in text and len(text) < _LONGEST_PATH and refused_place(text) and not self._is_printed(node):
            self._add(Read(text))

    def _is_printed(self, node: ast.AST) -> bool:
        parent = self._names.parents.get(node)
        return isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id == "print"

    def _value(self, node: ast.expr) -> None:
        """A name that is used otherwise than by calling it."""
        name = self._name(node)
        if name in _ENVIRONMENTS:
            self._environment(node)
        elif _acts(name) and not isinstance(node, ast.Call) and self._is_handed_on(node):
            self._add(_OPAQUE)

    def _is_handed_on(self, node: ast.expr) -> bool:
        """A function that acts is given to something else that will call it: what it acts on cannot be seen."""
        parent = self._names.parents.get(node)
        if isinstance(parent, ast.Call) and parent.func is node:
            return False
        renames = isinstance(parent, ast.Assign | ast.NamedExpr | ast.AnnAssign) and parent.value is node
        return not renames and not isinstance(parent, ast.Attribute)

    def _environment(self, node: ast.expr) -> None:
        """The environment is fine where one variable of it is named."""
        match self._names.parents.get(node):
            case ast.Subscript(value, key, context) if value is node:
                self._variable(key, assigned=isinstance(context, ast.Store))
            case ast.Attribute(value, "get" | "setdefault" | "pop" | "update") if value is node:
                return  # judged with the call
            case ast.Compare(left, _, comparators) if node in comparators:
                self._variable(left, assigned=False)
            case ast.Assign(_, value) if value is node:
                return  # judged where the new name is used
            case _:
                self._add(_DUMPS)

    def _variable(self, key: ast.expr | None, *, assigned: bool) -> None:
        texts = self._texts(key)
        if texts is None:
            self._add(_DUMPS)
            return
        for text in texts:
            refusal = refused_assignment(text, "") if assigned else refused_reading(text)
            if refusal is not None:
                self._add(refusal)

    def _call(self, node: ast.Call) -> None:
        name = self._name(node.func)
        handler = next((deed for matches, deed in _HANDLERS if matches(name)), None)
        if handler is not None:
            handler(self, name, node)
        elif isinstance(node.func, ast.Attribute):
            self._method(node.func, node)
        elif not name:
            self._unnamed(node)

    def _unnamed(self, node: ast.Call) -> None:
        """A call of what is neither a name nor an attribute: fine for lambdas and results of plain functions."""
        if isinstance(node.func, ast.Call) and self._name(node.func.func) in {
            "getattr",
            "__import__",
            "importlib.import_module",
            "globals",
            "vars",
        }:
            self._add(_OPAQUE)
        elif isinstance(node.func, ast.Subscript):
            base = self._name(node.func.value)
            if "." in base or isinstance(node.func.value, ast.Call) or base in {"__builtins__"}:
                self._add(_OPAQUE)

    def _opaque(self, name: str, node: ast.Call) -> None:
        if name.rpartition(".")[2] in {"exec", "eval", "compile"} and node.args:
            texts = self._texts(node.args[0])
            if texts is not None:
                self._add(*(step for text in texts for step in python_steps(text)))
                return
        if name.rpartition(".")[2] in {"__import__", "import_module"} and self._name(node):
            return
        self._add(_OPAQUE)

    def _getattr(self, _name: str, node: ast.Call) -> None:
        """A computed attribute of a module can be any of its functions."""
        base = self._name(node.args[0]) if node.args else ""
        texts = self._texts(node.args[1]) if len(node.args) > 1 else None
        if (
            (texts is None or not all(map(known, texts)))
            and (base in self._names.imported.values() or base in {"__builtins__", "builtins"} or not base)
        ) or (texts and any(_INNARDS.fullmatch(text) for text in texts)):
            self._add(_OPAQUE)

    def _network(self, name: str, _node: ast.Call) -> None:
        if name not in _NETWORK_HARMLESS and not name.startswith("pip._vendor"):
            self._add(_CONNECTS)

    def _shell(self, _name: str, node: ast.Call) -> None:
        texts = self._texts(node.args[0] if node.args else None)
        self._add(*([_OPAQUE] if texts is None else [Play(text) for text in texts]))

    def _run(self, _name: str, node: ast.Call) -> None:
        command = node.args[0] if node.args else next((one.value for one in node.keywords if one.arg == "args"), None)
        if any(
            one.arg == "shell" and not (isinstance(one.value, ast.Constant) and not one.value.value)
            for one in node.keywords
        ):
            texts = self._texts(command)
            self._add(*([_OPAQUE] if texts is None else [Play(text) for text in texts]))
            return
        command = self._names.only_value(command)
        if isinstance(command, ast.List | ast.Tuple):
            self._invoke(command.elts)
        elif len(node.args) > 1 and _name_of(node.func) == "create_subprocess_exec":
            self._invoke(node.args)
        elif isinstance(command, ast.Call) and self._name(command.func) == "shlex.split":
            texts = self._texts(command.args[0] if command.args else None)
            self._add(*([_OPAQUE] if texts is None else [Play(text) for text in texts]))
        else:
            texts = self._texts(command)
            self._add(*([_OPAQUE] if texts is None else [Invoke((text,), stdin="") for text in texts]))

    def _invoke(self, words: list[ast.expr]) -> None:
        made: list[str] = []
        for number, word in enumerate(words):
            texts = self._texts(word)
            if texts is None and isinstance(word, ast.Attribute) and self._name(word) == "sys.executable":
                texts = ["python3"]
            if texts is None and isinstance(word, ast.Starred):
                texts = None
            if texts is None or len(texts) != 1:
                if number == 0:
                    self._add(_OPAQUE)
                    return
                texts = [ANY]
            made.append(texts[0])
        if made:
            self._add(Invoke(tuple(made), stdin=""))

    def _exec(self, name: str, node: ast.Call) -> None:
        arguments = node.args[1:] if "spawn" in name else node.args
        vector = (
            arguments[1:]
            if "l" in name.rpartition(".")[2][4:6]
            else (arguments[1].elts if len(arguments) > 1 and isinstance(arguments[1], ast.List | ast.Tuple) else [])
        )
        if arguments and vector:
            self._invoke([arguments[0], *vector[1:]])
        else:
            self._add(_OPAQUE)

    def _deletes(self, _name: str, node: ast.Call) -> None:
        texts = self._texts(node.args[0] if node.args else None)
        self._add(*([_TREE] if texts is None else [Delete(text) for text in texts]))

    def _writes(self, _name: str, node: ast.Call) -> None:
        self._target(node.args[0] if node.args else None)

    def _mode(self, name: str, node: ast.Call) -> None:
        mode = node.args[1] if len(node.args) > 1 else None
        value = mode.value if isinstance(mode, ast.Constant) else None
        if not isinstance(value, int) or value & 0o7000 & ~0o1000:
            self._add(_RIGHTS)
        self._writes(name, node)

    def _target(self, node: ast.expr | None, *, below: bool = False) -> None:
        texts = self._texts(node)
        self._add(*([_TARGET] if texts is None else [Write(text, below=below) for text in texts]))

    def _directories(self, _name: str, node: ast.Call) -> None:
        texts = self._texts(node.args[0] if node.args else None)
        self._add(*([_TARGET] if texts is None else [MakeDirectory(text) for text in texts]))

    def _two_paths(self, name: str, node: ast.Call) -> None:
        by_name = {one.arg: one.value for one in node.keywords}
        source = node.args[0] if node.args else by_name.get("src")
        target = node.args[1] if len(node.args) > 1 else by_name.get("dst")
        if name in _MOVES:
            texts = self._texts(source)
            self._add(*([_TREE] if texts is None else [Delete(text, below=True) for text in texts]))
        elif name in {"os.symlink", "os.link"}:
            self._target(source)
        else:
            self._add(*(Read(text, below=name.endswith("tree")) for text in self._texts(source) or []))
        self._target(target, below=name.endswith("tree"))

    def _opens(self, name: str, node: ast.Call) -> None:
        path = (
            node.args[0]
            if node.args
            else next((one.value for one in node.keywords if one.arg in {"file", "name", "filename"}), None)
        )
        mode = (
            node.args[1]
            if len(node.args) > 1
            else next((one.value for one in node.keywords if one.arg == "mode"), None)
        )
        if name == "os.fdopen":
            return
        if name == "os.open":
            writes = mode is not None and bool(
                _WRITING_FLAGS.search(ast.unparse(mode)) or "RDONLY" not in ast.unparse(mode)
            )
        else:
            modes = ["r"] if mode is None else self._texts(mode)
            writes = modes is None or any(set(one) & set("wax+") for one in modes)
        if writes:
            self._target(path)
        else:
            self._add(*(Read(text) for text in self._texts(path) or []))

    def _run_path(self, _name: str, node: ast.Call) -> None:
        texts = self._texts(node.args[0] if node.args else None)
        hidden = texts is None or any(text.startswith(("/dev/", "/proc/")) for text in texts)
        self._add(*([_OPAQUE] if hidden else [Read(text) for text in texts or []]))

    def _kill(self, _name: str, node: ast.Call) -> None:
        target = ast.unparse(node.args[0]) if node.args else ""
        if not re.fullmatch(r"os\.getpid\(\)|\w+\.pid", target):
            self._add(_KILLS)

    def _getenv(self, _name: str, node: ast.Call) -> None:
        self._variable(node.args[0] if node.args else None, assigned=False)

    def _putenv(self, _name: str, node: ast.Call) -> None:
        self._variable(node.args[0] if node.args else None, assigned=True)

    def _fileinput(self, _name: str, node: ast.Call) -> None:
        if any(one.arg == "inplace" for one in node.keywords):
            files = (
                node.args[0] if node.args else next((one.value for one in node.keywords if one.arg == "files"), None)
            )
            for file in files.elts if isinstance(files, ast.List | ast.Tuple) else [files]:
                self._target(file)

    def _logging(self, _name: str, node: ast.Call) -> None:
        for one in node.keywords:
            if one.arg == "filename":
                self._target(one.value)

    def _method(self, function: ast.Attribute, node: ast.Call) -> None:
        """A method of some object: judged by its name, where the name says that it acts on a path."""
        method, on = function.attr, function.value
        if method in _PATH_WRITES:
            given = node.args[0] if method.startswith(("to", "save")) and method != "touch" and node.args else on
            if method in {"symlink_to", "hardlink_to"} and node.args:
                self._target(node.args[0])
            if not (method.startswith("to_") and not node.args):
                self._target(given)
        elif method == "unlink" or (method == "rmdir" and not node.args):
            texts = self._texts(on)
            self._add(*([_TREE] if texts is None else [Delete(text) for text in texts]))
        elif method == "rmtree":
            self._add(_TREE)
        elif method in {"rename", "replace"} and len(node.args) == 1 and not node.keywords:
            self._moved(on, node.args[0])
        elif method == "open" and self._texts(on) is not None:
            self._opens("open", ast.Call(func=node.func, args=[on, *node.args], keywords=node.keywords))
        elif method in {"read_text", "read_bytes"}:
            self._add(*(Read(text) for text in self._texts(on) or []))
        elif method in _EXTRACTS:
            self._target(node.args[0] if node.args else ast.Constant("."), below=True)
        elif method == "environ" or (
            method in {"kill", "terminate", "send_signal", "suspend"} and "psutil" in ast.unparse(on)
        ):
            self._add(_KILLS if method != "environ" else _DUMPS)
        elif method == "mkdir":
            self._add(*(MakeDirectory(text) for text in self._texts(on) or ["."]))
        elif method in {"get", "setdefault", "pop"} and self._name(on) in {"os.environ", "os.environb"}:
            self._variable(node.args[0] if node.args else None, assigned=False)

    def _moved(self, source: ast.expr, target: ast.expr) -> None:
        texts = self._texts(source)
        if texts is not None or self._looks_like_path(source):
            self._add(*([_TREE] if texts is None else [Delete(text, below=True) for text in texts]))
            self._target(target)

    def _looks_like_path(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and not self._names.is_bound(node.id)


def _acts(name: str) -> bool:
    """Whether a function of this name runs, deletes or moves something."""
    return (
        name in _SHELL_CALLS | _RUN_CALLS | _DELETE_CALLS | _TREE_CALLS | _TWO_PATHS
        or _EXEC_CALLS.fullmatch(name) is not None
        or (_OPAQUE_CALLS.fullmatch(name) is not None and not name.endswith("compile"))
    )


def _name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _one_of(names: Iterable[str]) -> Callable[[str], bool]:
    return frozenset(names).__contains__


def _like(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda name: pattern.fullmatch(name) is not None


def _below(modules: Iterable[str]) -> Callable[[str], bool]:
    tops = tuple(modules)
    starts = tuple(f"{module}." for module in tops)
    return lambda name: name in tops or name.startswith(starts)


def _refusing(refusal: Refuse) -> Callable[["_Reader", str, ast.Call], None]:
    return lambda reader, _name, _node: reader._add(refusal)  # noqa: SLF001 - a table of the same module


_HANDLERS: list[tuple[Callable[[str], bool], Callable[[_Reader, str, ast.Call], None]]] = [
    (_one_of({"getattr"}), _Reader._getattr),
    (_one_of({"importlib.import_module"}), _Reader._opaque),
    (_one_of({"runpy.run_path"}), _Reader._run_path),
    (_below({"netrc", "keyring", "secretstorage"}), _refusing(_SECRETS)),
    (_like(_OPAQUE_CALLS), _Reader._opaque),
    (_one_of(_SHELL_CALLS), _Reader._shell),
    (_one_of(_RUN_CALLS), _Reader._run),
    (_like(_EXEC_CALLS), _Reader._exec),
    (_one_of(_TREE_CALLS), _refusing(_TREE)),
    (_one_of(_DELETE_CALLS), _Reader._deletes),
    (_one_of(_TWO_PATHS), _Reader._two_paths),
    (_one_of({"os.chmod", "os.fchmod", "os.lchmod"}), _Reader._mode),
    (_one_of(_WRITE_CALLS), _Reader._writes),
    (_one_of(_DIRECTORY_CALLS), _Reader._directories),
    (_one_of(_OPENERS), _Reader._opens),
    (_like(_RIGHTS_CALLS), _refusing(_RIGHTS)),
    (_one_of({"os.kill", "os.killpg", "signal.pidfd_send_signal"}), _Reader._kill),
    (
        _one_of({"os.getenv", "os.getenvb", "os.environ.get", "os.environ.pop", "os.environ.setdefault"}),
        _Reader._getenv,
    ),
    (_one_of({"os.putenv", "os.unsetenv"}), _Reader._putenv),
    (_one_of({"os.environ.items", "os.environ.values", "os.environ.copy", "os.environ.keys"}), _refusing(_DUMPS)),
    (_one_of({"fileinput.input", "fileinput.FileInput"}), _Reader._fileinput),
    (_one_of({"logging.basicConfig"}), _Reader._logging),
    (_below(_NETWORK), _Reader._network),
]
