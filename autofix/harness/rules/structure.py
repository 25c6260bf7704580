"""Layer 4: what a command would do, judged deed by deed.

The analysis says which paths would be read, written or deleted and what else would happen; here stands what of that
is allowed. A verdict's rule is the class of the policy that the first refused deed falls into, and its reason says what
to do instead.
"""

import posixpath
import re

from autofix.errors import TreeError
from autofix.harness.bash.deeds import Deed, Delete, MakeDirectory, Read, Refuse, Stage, Unfamiliar, Write
from autofix.harness.bash.syntax import Unparsed
from autofix.harness.bash.values import ANY, NAME, OPAQUE, has_glob, known, readable
from autofix.harness.call import Decision, Verdict
from autofix.harness.paths import loosely
from autofix.harness.policy import Question
from autofix.harness.secret_places import in_git, refusal

LAYER = "structure"

_DEVICES = re.compile(r"/dev/(null|stdout|stderr|stdin|tty|full|zero|fd/\d+)|/proc/self/fd/[012]|-")
_TEMPORARY = "/tmp/"  # noqa: S108 - the sandbox's own
_GIT_STEERING = re.compile(
    r"(.*/)?(\.gitattributes|\.gitmodules|\.gitconfig|\.husky(/.*)?|\.githooks(/.*)?|\.pre-commit-config\.yaml)"
)
_BUILD_OUTPUT = re.compile(
    r"(.*/)?(__pycache__|\.(pytest|mypy|ruff)_cache|[^/]*\.egg-info)/?|.*\.(pyc|pyo|o|obj|so|a|class|gcda|gcno)"
)
_HINT = "edit files in scope, and put your own under scratch/ or /tmp"


def judge(question: Question) -> Verdict:
    if question.command is None:
        return Verdict(Decision.ALLOW, LAYER, "no-command")
    analysis = question.analysis
    if isinstance(analysis, Unparsed):
        return Verdict(Decision.DENY, LAYER, analysis.rule, analysis.reason)
    objections = [verdict for deed in analysis.deeds if (verdict := _judge_deed(deed, question)) is not None]
    if not objections:
        return Verdict(Decision.ALLOW, LAYER, "no-objection")
    return max(objections, key=lambda verdict: verdict.decision)


def _judge_deed(deed: Deed, question: Question) -> Verdict | None:  # noqa: PLR0911 - one kind of deed a line
    match deed:
        case Refuse(rule, reason):
            return _deny(rule, reason)
        case Read(path, below):
            return _judge_read(path, below=below)
        case Write(path, below, or_in):
            return _judge_write(_meant(path, or_in, question), question, below=below)
        case MakeDirectory(path):
            return _judge_directory(path)
        case Delete(path, below):
            return _judge_delete(path, question, below=below)
        case Stage(path):
            return _judge_stage(path, question)
        case Unfamiliar(program, form):
            return _judge_unfamiliar(program, form, question)


def _deny(rule: str, reason: str) -> Verdict:
    return Verdict(Decision.DENY, LAYER, rule, reason)


def _judge_read(path: str, *, below: bool) -> Verdict | None:
    if path.startswith(("/dev/tcp/", "/dev/udp/")):
        return _deny("network", "there is no network in the sandbox")
    rule = refusal(path, below=below)
    if rule is None:
        return None
    if rule == "opaque-exec":
        return _deny(rule, "which file is read cannot be known from the command; write its name")
    return _deny(rule, f"{readable(path)} may hold a credential or lead to the runner")


def _meant(path: str, or_in: str | None, question: Question) -> str:
    """Where a copy really arrives: in the directory, where the target is one."""
    if or_in is None or not known(path):
        return path
    directory = plain(path)
    prefix = f"{directory}/"
    is_directory = directory == "." or any(one.startswith(prefix) for one in question.policy.scope.paths)
    return or_in if is_directory else path


def plain(path: str) -> str:
    """The path with `..` resolved by its text."""
    return posixpath.normpath(path)


def _judge_write(path: str, question: Question, *, below: bool) -> Verdict | None:
    if _DEVICES.fullmatch(path):
        return None
    rule = refusal(path) if OPAQUE not in path else None
    if rule is not None:
        return _deny(rule, f"{readable(path)} is none of this run's files")
    if not _can_be_known(path, question):
        return _deny(
            "write-scope", f"which file is written ({readable(path)}) cannot be known from the command; write its name"
        )
    return _judge_names(path, question, below=below)


def _can_be_known(path: str, question: Question) -> bool:
    """A path with unknown parts is good enough where all that it could name lies in one place of the command's own."""
    if known(path) and not has_glob(path):
        return True
    if OPAQUE in path:
        return False
    certain = re.split(f"[{ANY}{NAME}*?\\[]", path, maxsplit=1)[0]
    directory = posixpath.dirname(certain)
    if ".." in path.split("/"):
        return False
    return directory.startswith("/tmp") or (directory not in {"", "/"} and not question.sight.is_tracked(directory))  # noqa: S108 - compared


def _judge_names(path: str, question: Question, *, below: bool) -> Verdict | None:
    """A path that can be known, under each name it has: by its text, and with links followed."""
    name = plain(path)
    if name.startswith("/"):
        if name.startswith(_TEMPORARY) or (below and name + "/" == _TEMPORARY):
            return None
        return _deny("write-scope", f"{readable(name)} is outside the work tree; {_HINT}")
    try:
        real = question.sight.real_path(path) if known(path) else name
    except TreeError as error:
        return _deny("write-scope", f"{readable(path)} cannot be used: {error}")
    verdicts = [verdict for one in {name: 0, real or ".": 0} if (verdict := _judge_place(one, question, below=below))]
    return max(verdicts, key=lambda verdict: verdict.decision, default=None)


def _judge_place(name: str, question: Question, *, below: bool) -> Verdict | None:
    if in_git(name) or _GIT_STEERING.fullmatch(loosely(name)):
        return _deny("git-config-hooks", f"{readable(name)} decides what git does or runs")
    if name in question.policy.scope:
        reason = question.policy.protected(name)
        return (
            Verdict(Decision.ASK, LAYER, "protected", f"{name} is in scope but protected: {reason}") if reason else None
        )
    if question.sight.is_tracked(name) or (name == "." and below):
        return _deny("write-scope", f"{_why_not(name, question)}; {_HINT}")
    reason = question.policy.protected(name) if known(name) else None
    return _deny("write-scope", f"{name} is protected: {reason}") if reason else None


def _why_not(name: str, question: Question) -> str:
    return question.policy.scope.why_not(readable(name))


def _judge_directory(path: str) -> Verdict | None:
    """An empty directory changes nothing that git knows."""
    name = plain(path)
    if in_git(name) or _GIT_STEERING.fullmatch(loosely(name)):
        return _deny("git-config-hooks", f"{readable(name)} decides what git does or runs")
    if OPAQUE in path or (name.startswith("/") and not name.startswith(_TEMPORARY)):
        return _deny("write-scope", f"{readable(name)} is outside the work tree, or cannot be known; {_HINT}")
    return None


def _judge_delete(path: str, question: Question, *, below: bool) -> Verdict | None:
    name = plain(path)
    if in_git(name):
        return _deny("git-config-hooks", f"{readable(name)} is git's own")
    if name in {".", "/"} or name.startswith("../"):
        return _deny("delete-recursive", "this would delete the work tree")
    if not _can_be_known(path, question):
        if _is_build_output(path):
            return None
        shown = readable(path)
        return _deny("delete-tracked", f"what is deleted ({shown}) cannot be known from the command; write the names")
    if name.startswith("/"):
        outside = _deny("write-scope", f"{readable(name)} is outside the work tree")
        return None if name.startswith(_TEMPORARY) else outside
    return _judge_tracked(path, name, question, below=below)


def _is_build_output(pattern: str) -> bool:
    """Whether all that a pattern can name is build output, which nobody tracks."""
    return OPAQUE not in pattern and ".." not in pattern.split("/") and _BUILD_OUTPUT.fullmatch(pattern) is not None


def _judge_tracked(path: str, name: str, question: Question, *, below: bool) -> Verdict | None:
    try:
        parent = question.sight.real_path(posixpath.dirname(path) or ".") if known(path) else ""
    except TreeError as error:
        return _deny("delete-tracked", f"{readable(path)} cannot be used: {error}")
    real = posixpath.normpath(posixpath.join(parent, posixpath.basename(name))) if parent else name
    if question.sight.is_tracked(name) or question.sight.is_tracked(real) or name in question.policy.scope:
        what = "a directory with tracked files" if below else "a tracked file"
        return _deny("delete-tracked", f"{readable(name)} is {what}; a fix edits files, it does not delete them")
    return None


def _judge_stage(path: str, question: Question) -> Verdict | None:
    name = plain(path)
    if name in question.policy.scope:
        return None
    return _deny("write-scope", f"stage only files in scope, by name: {_why_not(name, question)}")


def _judge_unfamiliar(program: str, form: str, question: Question) -> Verdict | None:
    rule = question.policy.rules.about_command([[form]])
    if rule is not None and rule.decision is Decision.ALLOW:
        return None
    hint = "run it through make or a script of the repository, or have a rule allow it"
    reason = f"the gate knows nothing of {readable(program)}; {hint}"
    return _deny("unknown-program", reason)
