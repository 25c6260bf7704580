"""Names that mean more than their content: what no scope grants, and what asks a person even when in scope.

Names are compared as some file system might see them (folded, invisible characters and trailing dots or spaces
dropped), so that a name that only looks different is not a way around. Any component of a path can be such a name.
"""

import re
from collections.abc import Callable

from autofix.harness.names import plain_components

_AGENT_FILES = frozenset(
    {"claude.md", "claude.local.md", "agents.md", "agents.override.md", "gemini.md", ".mcp.json", ".cursorrules",
     ".windsurfrules", ".clinerules", ".ripgreprc"}
)  # fmt: skip
_AGENT_DIRECTORIES = frozenset({".claude", ".autofix", ".cursor", ".gemini", ".codex", ".agents"})
_HOOK_DIRECTORIES = frozenset({".husky", ".githooks", "githooks", "git-hooks", "hooks"})
_HOOK_FILES = frozenset({".pre-commit-config.yaml", ".pre-commit-hooks.yaml", "lefthook.yml", ".lefthook.yml"})
_MANIFESTS = frozenset(
    {"pyproject.toml", "setup.py", "setup.cfg", "pipfile", "environment.yml", "conda.yaml", "package.json", ".npmrc",
     ".yarnrc", ".yarnrc.yml", "pnpm-workspace.yaml", "deno.json", "go.mod", "go.work", "cargo.toml", "gemfile",
     "composer.json", "pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts",
     "gradle.properties", "packages.config", "directory.packages.props", "nuget.config", "pubspec.yaml", "mix.exs",
     "package.swift", "podfile", "conanfile.txt", "conanfile.py", "vcpkg.json", "pip.conf"}
)  # fmt: skip
_LOCKS = frozenset(
    {"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock",
     "go.sum", "go.work.sum", "cargo.lock", "gemfile.lock", "composer.lock", "gradle.lockfile", "packages.lock.json",
     "pubspec.lock", "mix.lock", "package.resolved", "podfile.lock", "poetry.lock", "uv.lock", "pdm.lock",
     "pylock.toml", "pipfile.lock", "conda-lock.yml", "flake.lock"}
)  # fmt: skip
_REQUIREMENTS = re.compile(r"(?:requirements|constraints)(?:[-_.].*)?\.(?:txt|in)\Z|.*[-_.]requirements\.(?:txt|in)\Z")


def never_editable(path: str) -> str | None:
    """Why no scope and no `scope.extra` grants this path; None where one may."""
    names = plain_components(path)
    if any(name.startswith((".git", "git~")) for name in names):
        return "git's and GitHub's own files (.git*, .github/) are never edited"
    if any(name in _AGENT_DIRECTORIES for name in names) or (names and names[-1] in _AGENT_FILES):
        return "files that instruct agents or configure autofix are never edited"
    return None


def protected(path: str) -> str | None:
    """Why a person is asked before this path is changed, in scope or not; None where nobody needs to be."""
    never = never_editable(path)
    if never is not None:
        return never
    names = plain_components(path)
    return next((reason for applies, reason in _ASKING if names and applies(names)), None)


def _is_hook(names: tuple[str, ...]) -> bool:
    return names[-1] in _HOOK_FILES or any(name in _HOOK_DIRECTORIES for name in names[:-1])


def _is_manifest(names: tuple[str, ...]) -> bool:
    last = names[-1]
    below_requirements = len(names) > 1 and names[-2] == "requirements" and last.endswith((".txt", ".in"))
    by_suffix = last.endswith((".csproj", ".fsproj", ".vbproj", ".gemspec", ".podspec"))
    return last in _MANIFESTS or bool(_REQUIREMENTS.match(last)) or below_requirements or by_suffix


_ASKING: tuple[tuple[Callable[[tuple[str, ...]], bool], str], ...] = (
    (lambda names: names[-1] == "codeowners", "CODEOWNERS decides who reviews"),
    (_is_hook, "hooks run on other people's machines"),
    (lambda names: names[-1] in _LOCKS, "a lock file decides which code is installed"),
    (_is_manifest, "a dependency manifest decides which code is installed"),
)
