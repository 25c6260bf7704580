"""Names that ask, names that are never granted, and the disguises of both."""

import pytest

from autofix.harness.names import is_plain_path
from autofix.harness.protected import never_editable, protected

NEVER = (
    ".github/workflows/ci.yml", ".github/CODEOWNERS", ".gitignore", "sub/.gitattributes", ".gitmodules", ".git/config", ".githooks/x",
    ".github/autofix.toml", ".autofix/memory/x.md", ".claude/settings.json", "CLAUDE.md", "docs/CLAUDE.md",
    "CLAUDE.local.md", ".mcp.json", "AGENTS.md", "GEMINI.md", ".GitHub/workflows/x.yml", ".GIT/hooks/pre-commit",
    "claude.MD", "AGENTS.md.", "AGENTS.md ", ".github./x", ".g\u200cithub/x", "git~1/config", "Agents\u200b.md",
)  # fmt: skip
ASKING = (
    "CODEOWNERS", "docs/CODEOWNERS", ".husky/pre-commit", "githooks/x", "hooks/pre-push", "pyproject.toml", "setup.py",
    "setup.cfg", "requirements.txt", "requirements-dev.txt", "requirements/base.in", "dev-requirements.txt", "Pipfile",
    "package.json", "web/package-lock.json", "yarn.lock", "pnpm-lock.yaml", "go.mod", "go.sum", "Cargo.toml", "Cargo.lock",
    "Gemfile", "Gemfile.lock", "poetry.lock", "uv.lock", "pom.xml", "build.gradle", "composer.json", "App.csproj",
    "x.gemspec", "PACKAGE.JSON", "package.json ", ".pre-commit-config.yaml", "constraints.txt",
)  # fmt: skip
FREE = (
    "src/a.py",
    "tests/test_a.py",
    "README.md",
    "src/hooks.py",
    "github/x.py",
    "src/git.py",
    "docs/requirements.md",
    "package.py",
    "useHooks.ts",
    "lock.py",
)


@pytest.mark.parametrize("path", NEVER)
def test_no_scope_grants_these(path):
    assert never_editable(path)
    assert protected(path)


@pytest.mark.parametrize("path", ASKING)
def test_these_ask_a_person(path):
    assert never_editable(path) is None
    assert protected(path)


@pytest.mark.parametrize("path", FREE)
def test_these_do_not(path):
    assert never_editable(path) is None
    assert protected(path) is None


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/a",
        "a/",
        "a//b",
        ".",
        "..",
        "a/../b",
        "a\0b",
        ".git",
        "a/.GIT/x",
        ".git.",
        ".git::$INDEX",
        "GIT~1/x",
        ".g\u200dit/x",
    ],
)
def test_these_are_no_plain_paths(path):
    assert not is_plain_path(path)


@pytest.mark.parametrize("path", ["a", "a/b c", ".github/x", "...", "a/...", "-rf", "a\nb", ".gitignore", "\udce9"])
def test_these_are(path):
    assert is_plain_path(path)
