"""Reads the syntax tree that `shfmt --to-json` prints (mvdan/sh) into the gate's own.

A node this module does not know is an error, never skipped: what the gate does not read, it must not pass.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

from autofix.harness.bash.escapes import ansi_c
from autofix.harness.bash.syntax import (
    Arithmetic,
    Assignment,
    Both,
    Branches,
    Command,
    CommandSubstitution,
    Declaration,
    DoubleQuoted,
    Evaluation,
    ExtendedGlob,
    For,
    Function,
    Literal,
    Loop,
    Parameter,
    Part,
    Pipe,
    ProcessSubstitution,
    Redirect,
    Script,
    Sequence,
    Simple,
    Statement,
    Word,
)

Node = Mapping[str, Any]


class UnknownNode(ValueError):  # noqa: N818 - what was met, not what went wrong
    """The tree holds something this module cannot read."""


class Reading(NamedTuple):
    """What was read.

    Attributes:
        starts: byte offsets at which simple commands start.
        doubtful: those of them that the other grammar may not see.
    """

    script: Script
    starts: frozenset[int]
    doubtful: frozenset[int]


def read(output: bytes) -> Reading:
    """The tree in shfmt's output.

    Raises:
        UnknownNode: there is a node we do not know.
        ValueError, RecursionError: it is no JSON, or nested too deeply.
    """
    reader = _Reader()
    tree = json.loads(output)
    if not isinstance(tree, dict):
        raise UnknownNode("no file")
    body = reader.statements(tree.get("Stmts"))
    return Reading(Script(body, reader.commands), frozenset(reader.starts), frozenset(reader.doubtful))


class _Reader:
    def __init__(self) -> None:
        self.commands = 0
        self.starts: set[int] = set()
        self.doubtful: set[int] = set()

    def statements(self, nodes: list[Node] | None) -> tuple[Statement, ...]:
        return tuple(self.statement(node) for node in nodes or ())

    def statement(self, node: Node) -> Statement:
        command = self._command(node["Cmd"]) if node.get("Cmd") else None
        redirects = tuple(self._redirect(one) for one in node.get("Redirs", ()))
        return Statement(command, redirects, bool(node.get("Background") or node.get("Coprocess")))

    def _redirect(self, node: Node) -> Redirect:
        operator, descriptor = node["Op"], (node.get("N") or {}).get("Value", "")
        if operator not in {"<<", "<<-"}:
            return Redirect(operator, self.word(node["Word"]), descriptor)
        text = self.word(node.get("Hdoc") or {"Parts": []})
        quoted = any(part["Type"] != "Lit" or "\\" in part["Value"] for part in node["Word"]["Parts"])
        if quoted:
            literal = "".join(part.text for part in text.parts if isinstance(part, Literal))
            return Redirect(operator, Word((Literal(literal, quoted=True),)), descriptor)
        return Redirect(operator, Word((DoubleQuoted(text.parts),)), descriptor)

    def word(self, node: Node) -> Word:
        return Word(tuple(self._part(part) for part in node.get("Parts", ())))

    def _part(self, node: Node) -> Part:  # noqa: PLR0911 - one kind of node a line
        kind = node["Type"]
        if kind == "Lit":
            return Literal(node["Value"])
        if kind == "SglQuoted":
            value = node.get("Value", "")
            return Literal(ansi_c(value) if node.get("Dollar") else value, quoted=True)
        if kind == "DblQuoted":
            return DoubleQuoted(tuple(self._part(part) for part in node.get("Parts", ())))
        if kind == "ParamExp":
            return self._parameter(node)
        if kind == "CmdSubst":
            return CommandSubstitution(self.statements(node.get("Stmts")))
        if kind == "ProcSubst":
            return ProcessSubstitution(self.statements(node.get("Stmts")), writes=node["Op"] == ">(")
        if kind == "ArithmExp":
            return Arithmetic(self._words_below(node.get("X")))
        if kind == "ExtGlob":
            return ExtendedGlob(node["Op"] + node["Pattern"]["Value"] + ")")
        raise UnknownNode(kind)

    def _parameter(self, node: Node) -> Parameter:
        name = node["Param"]["Value"] if node.get("Param") else ""
        if node.get("Flags") or node.get("NestedParam") or not name:
            raise UnknownNode("ParamExp")
        index = self._together(node.get("Index"))
        if node.get("Excl"):
            return Parameter(name, "!", index=index)
        if node.get("Length") or node.get("Width") or node.get("IsSet"):
            return Parameter(name, "#", index=index)
        if replacement := node.get("Repl"):
            parts = [part for key in ("Orig", "With") for part in self.word(replacement.get(key) or {}).parts]
            return Parameter(name, "/", Word(tuple(parts)), index)
        if part := node.get("Slice"):
            return Parameter(name, ":", self._together([part.get("Offset"), part.get("Length")]), index)
        if expansion := node.get("Exp"):
            return Parameter(name, expansion["Op"], self.word(expansion.get("Word") or {}), index)
        return Parameter(name, index=index)

    def _together(self, node: object) -> Word | None:
        """The words of an expression as one, kept apart by blanks; None where there is none."""
        words = self._words_below(node)
        blank = Literal(" ", quoted=True)
        return Word(tuple(part for word in words for part in (*word.parts, blank))[:-1]) if words else None

    def _words_below(self, node: object) -> tuple[Word, ...]:
        """Every word of an arithmetic or test expression, in order."""
        if isinstance(node, list):
            return tuple(word for one in node for word in self._words_below(one))
        if not isinstance(node, dict):
            return ()
        if "Parts" in node:
            return (self.word(node),)
        return tuple(
            word for key in ("X", "Y", "Init", "Cond", "Post", "Exprs") for word in self._words_below(node.get(key))
        )

    def _assignment(self, node: Node) -> Assignment:
        array = node.get("Array")
        elements = None
        if array is not None:
            elements = tuple(self.word(one["Value"]) for one in array.get("Elems", ()) if one.get("Value"))
        return Assignment(
            name=(node.get("Name") or {}).get("Value", ""),
            value=self.word(node["Value"]) if node.get("Value") else None,
            append=bool(node.get("Append")),
            array=elements,
            index=self._together(node.get("Index")),
        )

    def _command(self, node: Node) -> Command:
        try:
            read_node = self._COMMANDS[node["Type"]]
        except KeyError:
            raise UnknownNode(str(node.get("Type"))) from None
        return read_node(self, node)

    def _call(self, node: Node) -> Command:
        words = node.get("Args") or []
        start = words[0]["Pos"]["Offset"] if words else -1
        if words:
            self.commands += 1
            if not _is_grammar(words[0]):
                self.starts.add(start)
        assignments = tuple(self._assignment(one) for one in node.get("Assigns", ()))
        return Simple(assignments, tuple(self.word(one) for one in words), start)

    def _declaration(self, node: Node) -> Command:
        self.commands += 1
        options, assignments = [], []
        for one in node.get("Args", ()):
            if one.get("Naked") and not one.get("Name"):
                options.append(self.word(one["Value"]))
            else:
                assignments.append(self._assignment(one))
        return Declaration(node["Variant"]["Value"], tuple(options), tuple(assignments))

    def _block(self, node: Node) -> Command:
        return Sequence(self.statements(node.get("Stmts")), subshell=node["Type"] == "Subshell")

    def _binary(self, node: Node) -> Command:
        left, right = self.statement(node["X"]), self.statement(node["Y"])
        if node["Op"] in {"&&", "||"}:
            return Both(left, right, otherwise=node["Op"] == "||")
        return Pipe(left, right)

    def _if(self, node: Node) -> Command:
        conditions, bodies = [], []
        branch: Node | None = node
        while branch:
            conditions.append(self.statements(branch.get("Cond")))
            bodies.append(self.statements(branch.get("Then")))
            branch = branch.get("Else")
        return Branches(tuple(conditions), tuple(bodies))

    def _case(self, node: Node) -> Command:
        items = node.get("Items", ())
        words = [self.word(node["Word"]), *(self.word(one) for item in items for one in item["Patterns"])]
        return Branches((), tuple(self.statements(item.get("Stmts")) for item in items), tuple(words))

    def _while(self, node: Node) -> Command:
        return Loop(self.statements(node.get("Cond")), self.statements(node.get("Do")))

    def _for(self, node: Node) -> Command:
        loop, body = node["Loop"], self.statements(node.get("Do"))
        if loop["Type"] == "CStyleLoop":
            return Loop((), body, self._words_below(loop))
        items = tuple(self.word(one) for one in loop.get("Items", ())) if loop.get("InPos", {}).get("Line") else None
        return For(loop["Name"]["Value"], items, body, choice=bool(node.get("Select")))

    def _function(self, node: Node) -> Command:
        return Function(node["Name"]["Value"], self.statement(node["Body"]))

    def _evaluation(self, node: Node) -> Command:
        self.commands += 1
        expression = [node.get("X"), node.get("Exprs")]
        words = self._words_below(expression)
        if node["Type"] == "TestClause":
            return Evaluation(words, tuple(self._numbers_of_test(node["X"])))
        return Evaluation(words, words, tuple(_assigned(expression)))

    def _numbers_of_test(self, node: Node) -> list[Word]:
        """The words that `[[ ]]` takes for arithmetic: sides of `-eq` and its kin, names after `-v`."""
        if node.get("Op") in _NUMERIC_TESTS:
            return list(self._words_below(node))
        inner = [node[key] for key in ("X", "Y") if isinstance(node.get(key), dict) and "Parts" not in node[key]]
        return [word for one in inner for word in self._numbers_of_test(one)]

    def _let(self, node: Node) -> Command:
        self.starts.add(node["Pos"]["Offset"])
        return self._evaluation(node)

    def _timed(self, node: Node) -> Command:
        """`time`, which tree-sitter takes for a command with arguments, and what follows for anything."""
        before = set(self.starts)
        inner = (self.statement(node["Stmt"]),) if node.get("Stmt") else ()
        self.doubtful |= self.starts - before
        self.starts.add(node["Pos"]["Offset"])
        return Sequence(inner)

    _COMMANDS: ClassVar[Mapping[str, Callable[..., Command]]] = {
        "CallExpr": _call,
        "DeclClause": _declaration,
        "Block": _block,
        "Subshell": _block,
        "BinaryCmd": _binary,
        "IfClause": _if,
        "CaseClause": _case,
        "WhileClause": _while,
        "ForClause": _for,
        "FuncDecl": _function,
        "TestClause": _evaluation,
        "ArithmCmd": _evaluation,
        "LetClause": _let,
        "TimeClause": _timed,
    }


def _is_grammar(word: Node) -> bool:
    """`[` and `unset` are commands to bash and shfmt, and syntax of their own to tree-sitter."""
    parts = word.get("Parts", ())
    return len(parts) == 1 and parts[0].get("Value") in {"[", "unset"} and parts[0]["Type"] == "Lit"


def _assigned(node: object) -> list[str]:
    """Names that an arithmetic expression assigns."""
    if isinstance(node, list):
        return [name for one in node for name in _assigned(one)]
    if not isinstance(node, dict):
        return []
    names = [name for key in ("X", "Y") for name in _assigned(node.get(key))]
    target = node.get("X")
    operator = node.get("Op", "")
    if (
        isinstance(target, dict)
        and target.get("Type") == "Word"
        and (operator.endswith("=") or operator in {"++", "--"})
    ):
        parts = target.get("Parts", ())
        names += [part["Value"] for part in parts if part.get("Type") == "Lit"]
    return names


_NUMERIC_TESTS = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R"})
