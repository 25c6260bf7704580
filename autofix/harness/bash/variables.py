"""Variables that mean more than their value: they hold secrets, lead to the runner, or make programs run others."""

import re

from autofix.harness.bash.deeds import Refuse
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import OPAQUE, known

_RUNNER = frozenset(listed("GITHUB_ENV GITHUB_PATH GITHUB_OUTPUT GITHUB_STATE GITHUB_STEP_SUMMARY GITHUB_EVENT_PATH"))
_SECRET_PREFIXES = ("ACTIONS_", "INPUT_", "AWS_", "AZURE_", "GOOGLE_", "GCP_", "ANTHROPIC_", "OPENAI_", "AUTOFIX_")
_SECRET = re.compile(
    r"(^|_)(TOKENS?|SECRETS?|PASSWD|PASSWORDS?|PASSPHRASE|PASS|PWD_?HASH|CREDENTIALS?|CREDS|API_?KEYS?|APIKEYS?|KEY|PAT|AUTH|"
    r"PRIVATE|BEARER|JWT|COOKIE|SSH_AUTH_SOCK|DSN|WEBHOOK(_URL)?|DATABASE_URL|NETRC|KUBECONFIG|LICENSE_KEY)($|_)",
    re.IGNORECASE,
)
_RUNS_PROGRAMS = frozenset(
    listed(
        "BASH_ENV PROMPT_COMMAND SHELLOPTS BASHOPTS BASH_FUNC LESSOPEN LESSCLOSE PERL5DB SSH_ASKPASS "
        "SSH_AUTH_SOCK BASH_LOADABLES_PATH GCONV_PATH GLIBC_TUNABLES MAKEFLAGS MAKEFILES GNUMAKEFLAGS MFLAGS "
        "PERL5OPT RUBYOPT PYTHONSTARTUP PYTHONHOME LESSKEY LESSKEY_CONTENT TAR_OPTIONS RSYNC_RSH CVS_RSH SVN_SSH "
        "RIPGREP_CONFIG_PATH FCEDIT SUDO_ASKPASS RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER FZF_DEFAULT_COMMAND"
    )
)
_SWITCHES = {
    "ENV": re.compile(r"[^\w.-]"),
    "LESS": re.compile(r"\+"),
    "NODE_OPTIONS": re.compile(r"(^|\s)(-r|--require|--import|--(experimental-)?loader)\b"),
    "GOFLAGS": re.compile(r"-(tool)?exec|-vettool|-overlay"),
    "RUSTFLAGS": re.compile(r"linker"),
    "SHELL": re.compile(r"^(?!(/usr)?(/bin/)?(ba|da|z)?sh$)"),
    "NPM_CONFIG_SCRIPT_SHELL": re.compile(r"^(?!(/usr)?(/bin/)?(ba|da|z)?sh$)"),
    **dict.fromkeys(
        listed("JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_OPTS MAVEN_OPTS GRADLE_OPTS SBT_OPTS"),
        re.compile(r"-(javaagent|agentlib|agentpath)|OnError|OnOutOfMemory"),
    ),
}
"""Variables that are fine but for some values, by which programs run others: what such a value holds."""
_CARGO_RUNNER = re.compile(r"CARGO_(TARGET_\w+_(RUNNER|LINKER)|BUILD_RUSTC\w*)|CGO_\w*FLAGS_ALLOW")
_PAGERS = re.compile(r"(cat|less|more|true|:)?( -[A-Za-z]+)*")


def refused_reading(name: str) -> Refuse | None:
    """Why an environment variable's value may not be used; None where it may."""
    if name.upper() in _RUNNER:
        return Refuse("runner-channel", f"${name} is how a step talks to the runner; nothing here needs it")
    if name.upper().startswith(_SECRET_PREFIXES) or _SECRET.search(name):
        return Refuse("secrets", f"${name} is named like a secret")
    return None


def refused_assignment(name: str, value: str) -> Refuse | None:
    """Why a variable may not be set to this; None where it may."""
    upper = name.upper()
    if upper.startswith("GIT_"):
        return Refuse("git-config-hooks", f"{name} changes what git does or runs; use git's own options")
    switch = _SWITCHES.get(upper)
    switched = switch is not None and (OPAQUE in value or switch.search(value) is not None)
    if (
        switched
        or upper in _RUNS_PROGRAMS
        or upper.startswith(("LD_", "DYLD_", "BASH_FUNC_"))
        or _CARGO_RUNNER.fullmatch(upper)
    ):
        return Refuse("opaque-exec", f"{name} makes other programs run code that the command does not show")
    if upper.startswith("DOCKER_") or upper in _RUNNER:
        return Refuse("runner-channel", f"{name} leads to the engine or the runner; nothing here needs it")
    if upper in {"PS0", "PS1", "PS2", "PS4"} and re.search(r"[$`]", value):
        return Refuse("opaque-exec", f"{name} would be expanded, and run, at every command")
    if upper in {"PAGER", "MANPAGER", "EDITOR", "VISUAL", "BROWSER"} and not (
        known(value) and _PAGERS.fullmatch(value)
    ):
        return Refuse("opaque-exec", f"{name} names a program that others run")
    return None
