"""What `go test` prints without `-json`: the tests that failed, then a line for their package."""

import re
from collections.abc import Collection

from autofix.checks.result import Case, Outcome
from autofix.checks.runners.runner import Picture

_TEST = re.compile(r"\s*--- (FAIL|PASS|SKIP): (\S+) \(")
_PACKAGE = re.compile(r"(ok  |FAIL)\t(\S+)(?:[\t ]|$)(.*)")
_CHOSEN = re.compile(r"\s--?(?:test\.)?(?:run|skip|short|failfast)\b")
"""Options by which tests are left out."""
_OUTCOMES = {"FAIL": Outcome.FAILED, "PASS": Outcome.PASSED, "SKIP": Outcome.SKIPPED}


def go_picture(command: str, output: str, known: Collection[str]) -> Picture:
    """Of a package that ended well, or of which failing tests are named, the known ones that are not named passed."""
    found: dict[str, Case] = {}
    named: dict[str, Outcome] = {}
    panicked = False
    for line in output.splitlines():
        test, package = _TEST.match(line), _PACKAGE.match(line)
        panicked = panicked or line.startswith("panic: ")
        if test:
            named[test[2]] = _OUTCOMES[test[1]]
        elif package:
            name = package[2]
            found |= {f"{name}.{one}": Case(f"{name}.{one}", outcome) for one, outcome in named.items()}
            ran = package[1] != "FAIL" or (Outcome.FAILED in named.values() and not panicked)
            if package[1] == "FAIL" and not named:
                found[name] = Case(name, Outcome.ERROR, package[3].strip())
            elif ran and not _CHOSEN.search(command):
                mine = (id_ for id_ in known if id_ == name or id_.startswith(f"{name}."))
                found |= {id_: Case(id_, Outcome.PASSED) for id_ in mine if id_ not in found}
            named, panicked = {}, False
    return Picture(tuple(found.values()), report=True)
