"""Test runners and checkers: they run what the repository holds; judged is what the command line adds to that."""

import re
from collections.abc import Iterable

from autofix.harness.bash.deeds import Delete, Invoke, Refuse, Starter, Step, Write
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.options import scan
from autofix.harness.bash.programs.writing_options import NO_NETWORK, REWRITES, has, outputs, runner
from autofix.harness.bash.tables import listed

_PYTEST_WRITES = listed(
    "--junitxml --junit-xml --report-log --resultlog --log-file --html --json-report-file --csv --result-log"
)
_PYTEST_REWRITES = listed(
    "--snapshot-update --force-regen --regen-all --regen --update-snapshots --update-goldens --update-golden "
    "--golden-update --inline-snapshot --accept --approve --overwrite-baseline --mpl-generate-path"
)
"""Options of pytest's plug-ins that record new expectations."""
_COVERAGE_FILES = frozenset(listed("html xml json annotate lcov markdown"))
_COVERAGE_DIRECTORIES = frozenset({"html", "annotate"})


def _pytest(run: Invocation) -> Iterable[Step]:
    yield from outputs(run, _PYTEST_WRITES)
    if has(run, *_PYTEST_REWRITES):
        yield REWRITES
    if any(word.startswith("--pastebin") for word in run.words):
        yield NO_NETWORK
    for position, word in enumerate(run.words):
        value = word.partition("=")[2] or "".join(run.words[position + 1 : position + 2])
        if word.startswith("--basetemp"):  # pytest empties it first
            yield Delete(value, below=True)
            yield Write(value, below=True)
        elif word.startswith("--cov-report"):
            kind, _, path = value.partition(":")
            if path and kind in _COVERAGE_FILES:
                yield Write(path, below=kind in _COVERAGE_DIRECTORIES)
        elif word.startswith(("-o", "--override-ini")):
            option = value if word in {"-o", "--override-ini"} or word.startswith("--") else word[2:]
            name, _, path = option.partition("=")
            if name.strip() in {"cache_dir", "log_file"}:
                yield Write(path.strip(), below=True)


_COVERAGE_RUN = listed(
    "source= include= omit= rcfile= data-file= branch parallel-mode append concurrency= context= timid"
)


def _coverage(run: Invocation) -> Iterable[Step]:
    command = "".join(run.words[:1])
    if command in _COVERAGE_DIRECTORIES:
        yield from (Write(one.path, below=True) for one in outputs(run, ("--directory", "-d")))
    else:
        yield from outputs(run, ("--data-file", "--output", "-o"))
    if command == "run":
        found = scan(run.words[1:], long=_COVERAGE_RUN, stop=True)
        module = ("-m",) if found.has("m", "module") else ()
        if found.operands:
            yield Invoke(("python", *module, *found.operands), starter=Starter.PROGRAM)


_MYPY_WRITES = listed(
    "--junit-xml --html-report --xml-report --txt-report --any-exprs-report --cobertura-xml-report "
    "--linecount-report --lineprecision-report --cache-dir"
)


def _mypy(run: Invocation) -> Iterable[Step]:
    if has(run, "--install-types"):
        yield NO_NETWORK
    yield from (Write(one.path, below=one.path != "/dev/null") for one in outputs(run, _MYPY_WRITES))


_JEST_WRITES = listed("--outputFile --output-file --coverageDirectory --coverage-directory")
_JEST_UPDATES = re.compile(r"-u|--updateSnapshots?|--update-snapshot|--update")


def _jest(run: Invocation) -> Iterable[Step]:
    yield from outputs(run, _JEST_WRITES)
    if any(map(_JEST_UPDATES.fullmatch, run.words)) or has(run, "--clearCache", "--init"):
        yield REWRITES


def _tox(run: Invocation) -> Iterable[Step]:
    """Its settings say what it runs; on the command line they would say so unseen."""
    yield from outputs(run, ("--result-json",))
    if has(run, "-x", "--override", "--installpkg") or any(re.match(r"-x.", word) for word in run.words):
        yield Refuse("opaque-exec", "tox --override makes it run what the project's configuration does not say")


def _clang_tidy(run: Invocation) -> Iterable[Step]:
    yield from outputs(run, ("--export-fixes", "-export-fixes"))
    if has(run, "--fix", "-fix", "--fix-errors", "-fix-errors", "--fix-notes", "-fix-notes"):
        yield REWRITES
    if any(re.match(r"--?load", word) for word in run.words):
        yield Refuse("opaque-exec", "clang-tidy would load code by this option")


TABLE = {
    **dict.fromkeys(("pytest", "py.test"), _pytest),
    **dict.fromkeys(("mypy", "dmypy"), _mypy),
    "coverage": _coverage,
    **dict.fromkeys(
        listed("jest vitest mocha ava tap c8 nyc karma cypress playwright jasmine qunit react-scripts"),
        _jest,
    ),
    **dict.fromkeys(
        listed(
            "flake8 pylint pyright basedpyright pyre pytype pyflakes pycodestyle pydocstyle bandit vulture radon "
            "xenon interrogate deptry import-linter lint-imports mccabe semgrep codespell yamllint hadolint "
            "actionlint zizmor shellcheck checkmake markdownlint typos cspell stubtest prospector tach staticcheck "
            "revive golangci-lint errcheck gosec cppcheck cpplint checkstyle pmd detekt jshint brakeman reek hlint "
            "luacheck luac lintr htmlhint commitlint depcheck knip madge size-limit publint arethetypeswrong"
        ),
        runner(
            "--output --output-file --report-file -o --junit-xml --outputpath",
            "--write-changes -w --fix --in-place --write-baseline --fix-errors --autocorrect",
        ),
    ),
    **dict.fromkeys(
        listed(
            "nox unittest nosetests nose2 trial behave robot stestr ward hypothesis locust "
            "pytest-watch bats busted ginkgo richgo prove codecept behat elm-test"
        ),
        runner("--output --junit-directory --xunit-file --outputdir"),
    ),
    "tox": _tox,
    "clang-tidy": _clang_tidy,
    "xmllint": runner("--output -o"),
    "gotestsum": runner("--junitfile --jsonfile"),
}
