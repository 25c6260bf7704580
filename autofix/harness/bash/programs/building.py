"""Compilers and build tools: they run what the repository holds; judged is what the command line adds to that."""

import re
from collections.abc import Iterable
from itertools import pairwise

from autofix.harness.bash.deeds import Invoke, Refuse, RunFile, Step, Write
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.options import scan
from autofix.harness.bash.programs.languages import places_in
from autofix.harness.bash.programs.writing_options import NO_NETWORK, REWRITES, Table, has, outputs, runner
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import known

_MAKE_LONG = listed(
    "directory= file= makefile= eval= include-dir= jobs old-file= what-if= always-make dry-run print-data-base"
)
_MAKE_PROGRAMS = frozenset(listed("SHELL .SHELLFLAGS MAKEFLAGS CC CXX LD PYTHON AR"))
"""Variables that name what make runs."""
_SHELL = re.compile(r"((/usr)?/bin/)?(ba|da)?sh")
_TOOL = re.compile(r"[\w./+-]*(python|clang|gcc|g\+\+|cc|c\+\+|ar|ld)[\w.+-]*")


def _make(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="CfIoW", optional="jlE", long=_MAKE_LONG)
    files = found.values_of("f", "file", "makefile")
    if found.has("eval", "E") or any(path in {"-", "/dev/stdin"} or path in run.streams for path in files):
        yield Refuse("opaque-exec", "make would read rules that are in no file; run the command itself")
    if found.has("p", "print-data-base"):
        yield Refuse("secrets", "make -p prints the whole environment; make -n shows what a target would run")
    for word in found.operands:
        name, assigned, value = word.partition("=")
        name = name.rstrip(":?+ ")
        plain = (_SHELL if "SHELL" in name else _TOOL).fullmatch(value)
        if assigned and ("$(" in value or (name in _MAKE_PROGRAMS and not plain)):
            yield Refuse("opaque-exec", f"{name} makes make run something the rules do not show")


_COMPILER_RUNS = (
    *(
        "-fplugin",
        "-fpass-plugin",
        "-wrapper",
        "-specs",
        "--specs",
        "@",
        "-B",
        "-plugin",
        "--plugin",
        "-load",
        "--ld-path",
    ),
    *("-Wl,-plugin", "-Wl,--plugin", "-fuse-ld=/", "-fuse-ld=.", "-Clinker", "linker=", "-Zcodegen", "-J-javaagent"),
)
"""By these a compiler or linker loads or starts what the command names; rustc's `-C linker=` has a blank."""
_CLASSES = frozenset(listed("javac kotlinc scalac"))
"""Compilers that write below the directory of `-d`."""
_EVALUATES = frozenset({"ghc", "ocaml"})


def _compiler(run: Invocation) -> Iterable[Step]:
    yield from outputs(run, listed("-o --output -MF -MJ --outdir --out-dir"))
    if run.program in _CLASSES:
        yield from (Write(one.path, below=True) for one in outputs(run, ("-d",)))
    if run.program in _EVALUATES and any(word.startswith("-e") for word in run.words):
        yield Refuse("opaque-exec", f"{run.program} -e runs code that is not judged here; put it into a file")
    yield from places_in(run.stdin or "")
    for word in run.words:
        if word.startswith(_COMPILER_RUNS):
            yield Refuse("opaque-exec", f"{word} makes the compiler run something else")
        elif word.startswith("-dumpdir"):
            yield Refuse("write-scope", f"{word} makes the compiler write elsewhere")


_TOOL_OUTPUTS = listed("-o --output --out --target-dir -coverprofile -cpuprofile -memprofile -outputdir")
_TOOL_CHECKS = ("--check", "-n", "--dry-run", "-d", "-l", "--verify-no-changes")


def _subcommands(local: str, *, formats: str = "", rewrites: str = "", runs: str = "") -> Table:
    """A tool whose first word decides: `local` is fine, `formats` rewrites sources, the rest installs or connects.

    Options: `rewrites` make a local command change sources, `runs` make it run another program.
    """
    fine, formatting, rewriting, running = map(listed, (local, formats, rewrites, runs))

    def table(run: Invocation) -> Iterable[Step]:
        command = next((word for word in run.words if not word.startswith(("-", "+"))), "")
        yield from outputs(run, _TOOL_OUTPUTS)
        if has(run, *running):
            yield Refuse("opaque-exec", f"{run.program} would run another program by one of these options")
        if not known(command):
            yield Refuse("opaque-exec", f"which {run.program} command runs cannot be known")
        elif command in formatting or (command in fine and has(run, *rewriting)):
            if not has(run, *_TOOL_CHECKS):
                yield REWRITES
        elif command and command not in fine:
            yield NO_NETWORK

    return table


_CMAKE_TOOLS = frozenset(listed("echo compare_files md5sum sha1sum sha256sum sha512sum capabilities sleep true false"))
_CMAKE_LIKE = {"rm": "rm", "touch": "touch", "copy": "cp", "rename": "mv", "make_directory": "mkdir", "tar": "tar"}
_CMAKE_STARTS = frozenset(listed("env time"))


def _cmake(run: Invocation) -> Iterable[Step]:
    """Besides building, it runs scripts (-P) and has small tools of its own (-E)."""
    yield from outputs(run, ("--install-prefix",))
    if has(run, "--system-information"):
        yield Refuse("secrets", "cmake --system-information prints the whole environment")
    for option, value in pairwise(run.words):
        if option == "-P":
            hidden = value in run.streams or value.startswith(("/dev/", "/proc/"))
            yield Refuse("opaque-exec", "cmake would run a script that is in no file") if hidden else RunFile(value)
    if run.words[:1] == ("-E",) and len(run.words) > 1:
        yield from _cmake_tool(run.words[1], run.words[2:])


def _cmake_tool(tool: str, words: tuple[str, ...]) -> Iterable[Step]:
    if tool == "environment":
        yield Refuse("secrets", "cmake -E environment prints the whole environment")
    elif tool in _CMAKE_STARTS:
        yield Invoke(("env" if tool == "env" else words[0], *(words if tool == "env" else words[1:])), stdin="")
    elif tool in _CMAKE_LIKE:
        yield Invoke((_CMAKE_LIKE[tool], *words), stdin="")
    elif tool not in _CMAKE_TOOLS:
        yield Refuse("opaque-exec", f"the gate does not know cmake -E {tool}; run the ordinary program")


_MAVEN_GOALS = re.compile(r"(surefire|failsafe|compiler|resources|jar):[\w-]+")


def _maven(run: Invocation) -> Iterable[Step]:
    """Phases run the project's own build; a goal of a plug-in may fetch, write or print anything."""
    for word in run.words:
        if ":" in word and not word.startswith("-") and not _MAVEN_GOALS.fullmatch(word):
            dumps = word.startswith("help:")
            yield Refuse("secrets", f"{word} prints the whole environment") if dumps else NO_NETWORK


_go_commands = _subcommands(
    "build test vet list version env doc run tool", formats="fmt fix generate", runs="-exec -toolexec"
)
_REMOTE_PACKAGE = re.compile(r"[^./][^/]*\.[^/]*/.*")


def _go(run: Invocation) -> Iterable[Step]:
    yield from _go_commands(run)
    if run.words[:1] == ("run",) and any(map(_REMOTE_PACKAGE.fullmatch, run.words[1:])):
        yield NO_NETWORK
    if run.words[:2] in {("env", "-w"), ("env", "-u")}:
        yield Refuse("write-scope", "go env -w writes outside the tree")


def _objcopy(run: Invocation) -> Iterable[Step]:
    """The last operand is written, the only one too."""
    yield from (Write(path) for path in [word for word in run.words if not word.startswith("-")][-1:])


def _tsc(run: Invocation) -> Iterable[Step]:
    if has(run, "--init"):
        yield Write("tsconfig.json")
    elif not has(run, "--noEmit", "--noemit", "-v", "--version", "--showConfig", "--listFilesOnly"):
        targets = list(outputs(run, listed("--outDir --outdir --outFile --outfile")))
        yield from (Write(one.path, below=True) for one in targets or [Write(".")])


def _generator(run: Invocation) -> Iterable[Step]:
    yield Refuse("write-scope", f"{run.program} writes files that the command does not name")


TABLE = {
    **dict.fromkeys(("make", "gmake", "remake"), _make),
    **dict.fromkeys(
        listed(
            "gcc g++ cc c++ clang clang++ cpp ld as rustc javac kotlinc scalac ghc ocamlc nasm fpc gfortran cython "
            "nvcc dmd ldc2"
        ),
        _compiler,
    ),
    "go": _go,
    "tsc": _tsc,
    **dict.fromkeys(("objcopy", "ranlib"), _objcopy),
    "cargo": _subcommands(
        "build test check clippy bench run doc tree metadata nextest version locate-project llvm-cov miri",
        formats="fmt fix",
        rewrites="--fix --bless",
    ),
    "dotnet": _subcommands("build test run list", formats="format"),
    "deno": _subcommands("test check lint bench doc info types", formats="fmt"),
    "zig": _subcommands("build test run version env targets ast-check", formats="fmt", runs="--test-cmd"),
    "flutter": _subcommands("test analyze build doctor", formats="format"),
    "dart": _subcommands("test analyze compile run", formats="format fix"),
    "nim": _subcommands("c cpp compile check r doc"),
    "crystal": _subcommands("spec build run docs", formats="tool"),
    "dune": _subcommands("build test runtest exec clean", formats="fmt promote", rewrites="--auto-promote"),
    "cmake": _cmake,
    **dict.fromkeys(("mvn", "mvnw"), _maven),
    **dict.fromkeys(
        listed(
            "ctest ninja meson bazel bazelisk buck2 scons waf invoke inv just task rake ant gradlew gradle "
            "phpunit pest rspec minitest cucumber phpstan psalm stack cabal mix rebar3 sbt lein swift xcodebuild "
            "rails ng srb gcov gcovr lcov"
        ),
        runner("--output-junit"),
    ),
    **dict.fromkeys(
        listed(
            "sphinx-build mkdocs build pyinstaller cibuildwheel webpack vite rollup esbuild parcel turbo nx lerna "
            "tsx ts-node next nuxt"
        ),
        runner("--outdir --outfile -d --out-dir --output-path --site-dir"),
    ),
    **dict.fromkeys(listed("alembic django-admin cookiecutter copier yo"), _generator),
}
