"""Which files are the measure (tests, their data, the runner's and CI's configuration), and how to keep it as it was.

By name alone: a file is what its path says. Verification runs the patched code against the head's own measure.
"""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

_TEST_DIRECTORIES = frozenset(
    {"test", "tests", "__tests__", "spec", "specs", "testing", "testdata", "test-data", "test_data", "e2e"}
    | {"__snapshots__", "__mocks__", "snapshots", "goldens", "golden", "cypress", "fixtures", "cassettes"}
)
_TEST_NAME = re.compile(
    r"""
    test_.*\.py | .*_tests?\.py | tests?\.py                # pytest, unittest, Django
    | .*[._-](test|spec|cy|e2e)\.[cm]?[jt]sx? | .*\.snap    # JavaScript runners and their snapshots
    | .*_test\.(go|dart|exs|rb|cc|cpp|c) | .*_spec\.rb      # Go, Dart, Elixir, Ruby, C++
    | .*(Test|Tests|TestCase|IT|Spec)\.(java|kt|scala|groovy|cs|php|swift)
    | .*\.(bats|t|feature)                                  # bats, Perl's prove, Gherkin
    """,
    re.VERBOSE,
)
_CONFIGURATION_NAME = re.compile(
    r"""
    conftest\.py | sitecustomize\.py | usercustomize\.py | .*\.pth        # run by Python or pytest unasked
    | \.?pytest\.(ini|toml) | tox\.(ini|toml) | setup\.cfg | pyproject\.toml | noxfile\.py | \.coveragerc
    | (jest|vitest|vite|babel|karma|cypress|playwright|ava|mocha)\.(config|conf)\.\w+ | \.mocharc(\.\w+)?
    | \.nycrc(\.\w+)? | package\.json | \.rspec | \.taprc | phpunit\.xml(\.dist)? | \.phpunit.*
    | Makefile | GNUmakefile | makefile | [Jj]ustfile | Rakefile | Taskfile\.ya?ml | CTestTestfile\.cmake
    | pom\.xml | build\.gradle(\.kts)? | nextest\.toml
    | \.?(ruff|mypy)\.(toml|ini) | \.flake8 | \.pylintrc | \.eslintrc(\.\w+)? | eslint\.config\.\w+ | tsconfig.*\.json
    | \.gitlab-ci\.ya?ml | \.travis\.ya?ml | Jenkinsfile | azure-pipelines\.ya?ml | \.pre-commit-config\.ya?ml
    """,
    re.VERBOSE,
)
_CONFIGURATION_DIRECTORIES = frozenset({".github", ".circleci", ".buildkite", ".gitlab", ".husky"})
_RUNNER_PACKAGES = frozenset({"pytest", "_pytest", "pluggy", "unittest", "xdist", "pytest_asyncio", "hypothesis"})


def is_test_file(path: str) -> bool:
    """A test, or data and help that live with tests."""
    parts = PurePosixPath(path).parts
    return bool(
        {part.casefold() for part in parts[:-1]} & _TEST_DIRECTORIES or _TEST_NAME.fullmatch(PurePosixPath(path).name)
    )


def is_check_configuration(path: str) -> bool:
    """Configuration or code that decides what a check runs and how it reports, CI's own files included."""
    parts = PurePosixPath(path).parts
    return bool(
        {*parts[:-1]} & _CONFIGURATION_DIRECTORIES
        or _CONFIGURATION_NAME.fullmatch(PurePosixPath(path).name)
        or shadows_runner(path)
    )


def shadows_runner(path: str) -> bool:
    """A module of the repository that Python would import in the test runner's place."""
    parts = PurePosixPath(path).parts
    return path.endswith(".py") and any(part.removesuffix(".py") in _RUNNER_PACKAGES for part in parts)


_MANIFEST_NAME = re.compile(
    r"requirements.*\.(txt|in)|constraints.*\.txt|Pipfile(\.lock)?|poetry\.lock|uv\.lock|pdm\.lock|setup\.py|environment\.ya?ml"
    r"|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|go\.(mod|sum)|Cargo\.(toml|lock)|Gemfile(\.lock)?"
    r"|composer\.(json|lock)|.*\.gemspec|.*\.csproj|packages\.config|gradle\.lockfile"
)


def is_dependency_manifest(path: str) -> bool:
    """What says which packages are installed: another version of a package is another measure, too."""
    return bool(_MANIFEST_NAME.fullmatch(PurePosixPath(path).name))


def is_measure(path: str) -> bool:
    return is_test_file(path) or is_check_configuration(path)


def restore_measure(head: Mapping[str, bytes | None], patch: Mapping[str, bytes | None]) -> dict[str, bytes | None]:
    """The files to lay over the head commit for verification: the patch's code, the head's measure.

    Args:
        head: the head's contents of the patch's paths (None where the head has none).
        patch: the patch's contents (None deletes).
    """
    return {path: head.get(path) if is_measure(path) else content for path, content in patch.items()}
