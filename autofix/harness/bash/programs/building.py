"""Test runners, linters, formatters, compilers, build tools: they may run whatever the repository holds.

What is judged here is what the command line itself adds: files it makes them write, programs it makes them run, and
whether a formatter would rewrite files beyond the scope.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from autofix.harness.bash.deeds import Delete, Invoke, Refuse, Starter, Step, Write
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.options import scan
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import known, may_be_option

_REWRITES = Refuse("write-scope", "this rewrites recorded expectations all over the tree; edit the one file instead")
_NETWORK = Refuse("network", "this uses the network, which the sandbox does not have")


def _outputs(run: Invocation, names: str) -> Iterable[Step]:
    """Files named by options such as `--output FILE`, `--output=FILE`, `-oFILE`."""
    wanted = names.split()
    words = list(run.words)
    for position, word in enumerate(words):
        name, equals, value = word.partition("=")
        if equals and name.startswith("--") and _abbreviates(name, wanted):
            yield Write(value)
        elif not equals and word.startswith("--") and _abbreviates(word, wanted) and position + 1 < len(words):
            yield Write(words[position + 1])
        elif not word.startswith("--"):
            for letter in (one for one in wanted if len(one) == 2):  # noqa: PLR2004 - a dash and a letter
                if word == letter and position + 1 < len(words):
                    yield Write(words[position + 1])
                elif word.startswith(letter) and len(word) > 2:  # noqa: PLR2004 - as above
                    yield Write(word[2:])


def _abbreviates(name: str, wanted: Sequence[str]) -> bool:
    return name in wanted or (len(name) > 4 and any(one.startswith(name) for one in wanted))  # noqa: PLR2004 - dashes and three letters


def _has(run: Invocation, *names: str) -> bool:
    return any(word == name or word.startswith(name + "=") for word in run.words for name in names)


def _runner(outputs: str = "", refused: str = "") -> Callable[[Invocation], Iterable[Step]]:
    """A tool that runs, checks or builds; `outputs` are its options that name a file it writes."""
    rewriting = refused.split()

    def table(run: Invocation) -> Iterable[Step]:
        if outputs:
            yield from _outputs(run, outputs)
        if rewriting and _has(run, *rewriting):
            yield _REWRITES

    return table


_PYTEST_REWRITES = listed(
    "--snapshot-update --force-regen --regen-all --regen --update-snapshots --update-goldens --update-golden "
    "--golden-update --inline-snapshot --accept --approve --overwrite-baseline --mpl-generate-path"
)


def _pytest(run: Invocation) -> Iterable[Step]:
    words = list(run.words)
    yield from _outputs(
        run, "--junitxml --junit-xml --report-log --resultlog --log-file --html --json-report-file --csv --result-log"
    )
    for position, word in enumerate(words):
        value = word.partition("=")[2] or (words[position + 1] if position + 1 < len(words) else "")
        if word.startswith("--basetemp"):
            yield Delete(value, below=True)
            yield Write(value, below=True)
        elif word.startswith("--cov-report"):
            kind, _, path = value.partition(":")
            if path and kind in {"html", "xml", "json", "annotate", "lcov", "markdown"}:
                yield Write(path, below=kind in {"html", "annotate"})
        elif word == "-o" or word.startswith(("-o", "--override-ini")):
            option = word[2:] if word.startswith("-o") and len(word) > 2 else value  # noqa: PLR2004 - a dash and a letter
            name, _, path = option.partition("=")
            if name.strip() in {"cache_dir", "log_file"}:
                yield Write(path.strip(), below=True)
        elif word.startswith("--pastebin"):
            yield _NETWORK
        elif any(word == one or word.startswith(one + "=") for one in _PYTEST_REWRITES):
            yield _REWRITES


def _make(run: Invocation) -> Iterable[Step]:
    found = scan(
        run.words,
        valued="CfIoW",
        optional="jlE",
        long=listed("directory= file= makefile= eval= include-dir= jobs old-file= what-if= always-make dry-run"),
    )
    files = found.values_of("f", "file", "makefile")
    if found.has("eval", "E") or any(path in {"-", "/dev/stdin"} or path in run.streams for path in files):
        yield Refuse("opaque-exec", "make would read rules that are in no file; run the command itself")
    for word in found.operands:
        name, assigned, value = word.partition("=")
        if assigned and (
            name.rstrip(":?+ ") in {"SHELL", ".SHELLFLAGS", "MAKEFLAGS", "CC", "CXX", "LD", "PYTHON", "AR"}
            or "$(" in value
        ):
            tool = r"[\w./+-]*(python|clang|gcc|g\+\+|cc|c\+\+|ar|ld)[\w.+-]*"
            simple = re.fullmatch(r"(/usr)?(/bin/)?(ba|da)?sh" if "SHELL" in name else tool, value)
            if not simple:
                yield Refuse("opaque-exec", f"{name} makes make run something the rules do not show")


def _formatter(
    check: str, *, fix: str = "", valued: str = "", text: str = ""
) -> Callable[[Invocation], Iterable[Step]]:
    """A formatter: it rewrites its operands unless told to check (or, with `fix`, only where told to fix)."""
    checking, fixing = check.split(), fix.split()

    def table(run: Invocation) -> Iterable[Step]:
        words = run.words
        if any(word in {"--version", "--help", "-h", "-V"} for word in words):
            return
        reports = any(word == one or word.startswith(one + "=") for word in words for one in checking)
        fixes = any(word == one or word.startswith(one + "=") for word in words for one in fixing)
        if reports or (fixing and not fixes):
            yield from _outputs(run, "--output-file --output --report-file -o")
            return
        operands = scan(words, valued=valued, long=text.split()).operands
        if operands == ["-"]:
            return
        yield from (Write(path, below=True) for path in operands or ["."])

    return table


def _ruff(run: Invocation) -> Iterable[Step]:
    words = [
        word for word in run.words if word not in {"--quiet", "-q", "--verbose", "-v", "--isolated", "--no-cache", "-n"}
    ]
    command = words[0] if words else ""
    writes = (command == "format" and not _has(run, "--check", "--diff")) or _has(
        run, "--fix", "--fix-only", "--add-noqa"
    )
    if _has(run, "--diff"):
        writes = False
    yield from _outputs(run, "--output-file -o --cache-dir")
    if writes:
        valued = listed(
            "--select --ignore --extend-select --config --line-length --target-version --output-format --exclude -o"
        )
        operands = [
            word
            for position, word in enumerate(words[1:] if command in {"check", "format"} else words, 1)
            if not word.startswith("-") and words[position - 1] not in valued
        ]
        yield from (Write(path, below=True) for path in operands or ["."])
    if command in {"clean", "server"}:
        yield Write(".ruff_cache", below=True)


def _coverage(run: Invocation) -> Iterable[Step]:
    words = list(run.words)
    command = words[0] if words else ""
    if command in {"html", "annotate"}:
        yield from (Write(one.path, below=True) for one in _outputs(run, "--directory -d") if isinstance(one, Write))
    yield from _outputs(
        run, "--data-file --output" if command in {"html", "run", "report", "annotate"} else "--data-file -o --output"
    )
    if command == "run":
        found = scan(
            words[1:],
            valued="",
            long=listed(
                "source= include= omit= rcfile= data-file= branch parallel-mode append concurrency= context= timid"
            ),
            stop=True,
        )
        if found.has("m", "module"):
            yield Invoke(("python", "-m", *found.operands), starter=Starter.PROGRAM)
        elif found.operands:
            yield Invoke(("python", *found.operands), starter=Starter.PROGRAM)


def _compiler(run: Invocation) -> Iterable[Step]:
    yield from _outputs(run, "-o --output -MF -MJ --outdir --out-dir")
    for word in run.words:
        if word.startswith(("-fplugin", "-wrapper", "-specs", "@", "-B")):
            yield Refuse("opaque-exec", f"{word} makes the compiler run something else")
        elif word.startswith("-dumpdir"):
            yield Refuse("write-scope", f"{word} makes the compiler write elsewhere")


def _subcommands(
    local: str, writes: str = "", refused: str = "", runs: str = ""
) -> Callable[[Invocation], Iterable[Step]]:
    """A tool whose first word decides: `local` is fine, `writes` rewrites sources, the rest installs or talks to others."""
    fine, rewriting = set(local.split()), set(writes.split())

    def table(run: Invocation) -> Iterable[Step]:
        words = [word for word in run.words if not word.startswith(("-", "+"))]
        options = {word.partition("=")[0] for word in run.words if word.startswith("-")}
        yield from _outputs(run, "-o --output --out --target-dir -coverprofile -cpuprofile -memprofile -outputdir")
        if options & set(runs.split()):
            yield Refuse(
                "opaque-exec", f"{run.program} would run another program by {sorted(options & set(runs.split()))[0]}"
            )
        if not words or words[0] in fine:
            if options & set(refused.split()):
                yield _REWRITES
            return
        if words[0] in rewriting:
            if not options & {"--check", "-n", "--dry-run", "-d", "-l", "--verify-no-changes"}:
                yield _REWRITES
            return
        if any(may_be_option(word) or not known(word) for word in words[:1]):
            yield Refuse("opaque-exec", f"which {run.program} command runs cannot be known")
        yield _NETWORK

    return table


def _go(run: Invocation) -> Iterable[Step]:
    yield from _subcommands("build test vet list version env doc run tool", "fmt fix generate", "", "-exec -toolexec")(
        run
    )
    if run.words[:1] == ("run",) and any(
        "." in word.partition("/")[0].strip(".") and "/" in word for word in run.words[1:]
    ):
        yield _NETWORK
    if run.words[:2] == ("env", "-w") or run.words[:2] == ("env", "-u"):
        yield Refuse("write-scope", "go env -w writes outside the tree")


def _eslint_like(run: Invocation) -> Iterable[Step]:
    yield from _formatter(
        "--fix-dry-run",
        fix="--fix --write -w -i --in-place --autocorrect --autocorrect-all -a -A --apply",
        valued="cof",
        text="config= format= ext= rule= output-file= config-path=",
    )(run)


def _jest(run: Invocation) -> Iterable[Step]:
    yield from _outputs(run, "--outputFile --output-file --coverageDirectory --coverage-directory --reporter-options")
    if any(
        re.fullmatch(r"-u|--updateSnapshot|--update-snapshot|--update|--updateSnapshots", word) for word in run.words
    ):
        yield _REWRITES
    if _has(run, "--clearCache", "--init"):
        yield Refuse("write-scope", "this writes outside the tests")


def _tsc(run: Invocation) -> Iterable[Step]:
    if not _has(run, "--noEmit", "-v", "--version", "--noemit", "--showConfig", "--listFilesOnly"):
        target = [
            value
            for name, value in zip(run.words, run.words[1:], strict=False)
            if name.lower() in {"--outdir", "--outfile"}
        ]
        yield from (Write(path, below=True) for path in target or ["."])
    if _has(run, "--init"):
        yield Write("tsconfig.json")


def _alembic(run: Invocation) -> Iterable[Step]:
    yield Refuse("write-scope", f"{run.program} writes files that the command does not name")


def _mypy(run: Invocation) -> Iterable[Step]:
    if _has(run, "--install-types"):
        yield _NETWORK
    yield from _outputs(
        run,
        "--junit-xml --html-report --xml-report --txt-report --any-exprs-report --cobertura-xml-report --linecount-report --lineprecision-report --cache-dir",
    )


TABLE = {
    **dict.fromkeys(("pytest", "py.test"), _pytest),
    **dict.fromkeys(("make", "gmake", "remake"), _make),
    "mypy": _mypy,
    "dmypy": _mypy,
    "coverage": _coverage,
    "ruff": _ruff,
    **dict.fromkeys(
        listed(
            "flake8 pylint pyright basedpyright pyre pytype pyflakes pycodestyle pydocstyle bandit vulture radon "
            "xenon interrogate deptry import-linter lint-imports mccabe semgrep codespell yamllint hadolint "
            "actionlint zizmor shellcheck checkmake markdownlint typos cspell stubtest prospector tach"
        ),
        _runner(
            "--output --output-file --report-file -o --junit-xml --outputpath",
            "--write-changes -w --fix --in-place --write-baseline",
        ),
    ),
    **dict.fromkeys(
        listed("tox nox unittest nosetests nose2 trial behave robot stestr ward hypothesis locust pytest-watch"),
        _runner("--output --junit-directory --xunit-file --outputdir"),
    ),
    "black": _formatter(
        "--check --diff", valued="ltCxk", text="line-length= target-version= config= include= exclude= workers= code="
    ),
    "isort": _formatter(
        "--check --check-only -c --diff -d --show-files --show-config",
        valued="lpsm",
        text="line-length= profile= skip= settings-path=",
    ),
    **dict.fromkeys(
        (
            "autopep8",
            "yapf",
            "docformatter",
            "autoflake",
            "clang-format",
            "shfmt",
            "gofmt",
            "goimports",
            "stylua",
            "taplo",
            "buf",
        ),
        _formatter(
            "--diff --check -d -l",
            fix="-i --in-place -w --write --inplace",
            valued="",
            text="max-line-length= style= select=",
        ),
    ),
    **dict.fromkeys(
        (
            "rustfmt",
            "pyupgrade",
            "add-trailing-comma",
            "unify",
            "reorder-python-imports",
            "prettier_d",
            "dprint",
            "djlint",
            "black-macchiato",
            "pycln",
            "ssort",
            "tan",
            "blue",
            "nixfmt",
            "terraform-fmt",
            "google-java-format",
            "ktfmt",
            "standardrb",
        ),
        _formatter("--check -c --diff --list-different"),
    ),
    "2to3": _formatter("--list-fixes -l", fix="-w --write", valued="fjx"),
    **dict.fromkeys(
        (
            "prettier",
            "eslint",
            "stylelint",
            "tslint",
            "standard",
            "xo",
            "biome",
            "rubocop",
            "ktlint",
            "swiftlint",
            "sqlfluff",
            "oxlint",
        ),
        _eslint_like,
    ),
    **dict.fromkeys(
        (
            "jest",
            "vitest",
            "mocha",
            "ava",
            "tap",
            "c8",
            "nyc",
            "karma",
            "cypress",
            "playwright",
            "jasmine",
            "qunit",
            "react-scripts",
        ),
        _jest,
    ),
    "tsc": _tsc,
    **dict.fromkeys(
        listed(
            "gcc g++ cc c++ clang clang++ cpp ld as rustc javac kotlinc scalac ghc ocamlc nasm fpc gfortran cython "
            "nvcc dmd ldc2 objcopy"
        ),
        _compiler,
    ),
    "go": _go,
    "gotestsum": _runner("--junitfile --jsonfile"),
    "cargo": _subcommands(
        "build test check clippy bench run doc tree metadata nextest version locate-project llvm-cov miri",
        "fmt fix",
        "--fix --bless",
    ),
    "dotnet": _subcommands("build test run --info list", "format"),
    "xmllint": _runner("--output -o"),
    "deno": _subcommands("test check lint bench doc info types", "fmt"),
    "cmake": _runner("--install-prefix"),
    **dict.fromkeys(
        listed(
            "ctest ninja meson bazel bazelisk buck2 scons waf invoke inv just task rake ant gradlew mvnw phpunit "
            "pest rspec minitest cucumber phpstan psalm stack cabal mix rebar3 sbt lein swift"
        ),
        _runner("--output-junit"),
    ),
    **dict.fromkeys(("mvn", "gradle"), _runner()),
    **dict.fromkeys(("alembic", "django-admin", "cookiecutter", "copier", "yo"), _alembic),
    **dict.fromkeys(
        listed(
            "sphinx-build mkdocs build pyinstaller cibuildwheel webpack vite rollup esbuild parcel turbo nx lerna "
            "tsx ts-node next nuxt"
        ),
        _runner("--outdir --outfile -d --out-dir --output-path --site-dir"),
    ),
}
