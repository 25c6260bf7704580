"""What a runner prints when nobody asked it for a report: the failing cases by name, and how many ran.

Only cases that are known to exist are told, so that a test's own printing makes up none. Those that are not named
passed where as many ran as there are; where fewer did, nobody knows which, and nothing is said of them.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from autofix.checks.result import Case, Outcome
from autofix.checks.runners.runner import Picture


@dataclass(frozen=True, slots=True)
class Summary:
    """A runner's words.

    Attributes:
        failing: matches a line that names a failing case.
        id_of: that match -> the case's id, or what the id begins with.
        count: matches the line that says how many cases ran, in the first group that matched; the last line counts.
    """

    failing: re.Pattern[str]
    id_of: Callable[[re.Match[str]], str]
    count: re.Pattern[str]

    def picture(self, _command: str, output: str, known: Collection[str]) -> Picture:
        named = [self.id_of(match) for match in self.failing.finditer(output)]
        failing = {id_ for id_ in (_known(name, known) for name in named) if id_}
        counts = self.count.findall(output)
        whole = bool(counts) and _number(counts[-1]) == len(known) and len(failing) == len(set(named))
        cases = [Case(id_, Outcome.FAILED if id_ in failing else Outcome.PASSED) for id_ in known]
        return Picture(tuple(case for case in cases if whole or case.outcome.failing), report=True)


def _known(name: str, known: Collection[str]) -> str:
    """The id itself, else the longest that the name goes on from (with a data set's values, say); "" for none."""
    if name in known:
        return name
    return max((id_ for id_ in known if name.startswith(f"{id_} ")), key=len, default="")


def _number(found: str | tuple[str, ...]) -> int:
    digits = found if isinstance(found, str) else next((one for one in found if one), "")
    return int(digits) if digits.isdecimal() and len(digits) < 10 else -1  # noqa: PLR2004 - no suite has so many
